//! What a page holds. It outlives the page, so that a reader who goes to the lab and comes back
//! finds it as it was; and it is one kind of signal, whatever it holds.

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

use leptos::prelude::*;

thread_local! {
    static SLOTS: RefCell<Vec<(String, Rc<dyn Any>)>> = const { RefCell::new(Vec::new()) };
}

/// A value kept under a name until the tab closes. Reading it with [`State::with`] follows it.
pub struct State<T> {
    slot: usize,
    version: RwSignal<usize>,
    kind: PhantomData<fn() -> T>,
}

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for State<T> {}

impl<T: 'static> State<T> {
    /// What is kept under this name, or what it begins as.
    pub fn of(name: &str, begin: impl FnOnce() -> T) -> Self {
        let known = SLOTS.with_borrow(|all| all.iter().position(|(known, _)| known == name));
        let slot = known.unwrap_or_else(|| {
            let value: Rc<dyn Any> = Rc::new(RefCell::new(begin()));
            SLOTS.with_borrow_mut(|all| {
                all.push((name.to_owned(), value));
                all.len() - 1
            })
        });
        Self { slot, version: RwSignal::new(0), kind: PhantomData }
    }

    pub fn with<R>(self, read: impl FnOnce(&T) -> R) -> R {
        self.version.track();
        self.peek(read)
    }

    /// Reads without following.
    pub fn peek<R>(self, read: impl FnOnce(&T) -> R) -> R {
        self.cell(|cell| read(&cell.borrow()))
    }

    pub fn edit<R>(self, edit: impl FnOnce(&mut T) -> R) -> R {
        let result = self.cell(|cell| edit(&mut cell.borrow_mut()));
        self.version.update(|version| *version += 1);
        result
    }

    /// Puts a value in its place and tells nobody: what is drawn already shows it.
    pub fn keep(self, value: T) {
        self.cell(|cell| *cell.borrow_mut() = value);
    }

    fn cell<R>(self, then: impl FnOnce(&RefCell<T>) -> R) -> R {
        let value = SLOTS.with_borrow(|all| all.get(self.slot).map(|(_, value)| Rc::clone(value)));
        let cell = value.and_then(|value| value.downcast::<RefCell<T>>().ok());
        // Each name is used for one type only, and slots are never taken away.
        let Some(cell) = cell else { unreachable!("a state of another type") };
        then(&cell)
    }
}

impl<T: Clone + 'static> State<T> {
    pub fn get(self) -> T {
        self.with(T::clone)
    }
}

/// Acts when what it reads changes, and once at first.
pub fn watch(act: impl FnMut() + 'static) {
    let mut act: Box<dyn FnMut()> = Box::new(act);
    Effect::new(move |_| act());
}

/// A number that is only passed on when it differs: what decides which of several things is drawn.
pub fn key(read: impl Fn() -> usize + Send + Sync + 'static) -> Memo<usize> {
    let read: Box<dyn Fn() -> usize + Send + Sync> = Box::new(read);
    Memo::new(move |_| read())
}
