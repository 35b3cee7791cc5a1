//! The keys of the lab: one table, which the page obeys and its list of keys shows.

use fenceline_engine::NodeId;
use fenceline_sim::{Act, At};

use super::Lab;
use super::faults::{Deed, Offer};
use crate::app::stage::Walk;
use crate::app::words::keys as words;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// From one event of the stage to another.
    Walk(Walk),
    /// Look into the event stood on.
    Select,
    /// Back one level.
    Out,
    /// The cursor to the event before, or after.
    Event {
        forward: bool,
    },
    /// The same, to one that matters.
    Interesting {
        forward: bool,
    },
    Play,
    /// The menu of the lane's faults.
    Faults,
    Direct(Direct),
    /// The grip of the selected fault.
    Edit,
    FirstViolation,
    Why,
    Trace,
    Zoom(Zoom),
    Undo,
    Redo,
    List,
    /// The end of the fault that is edited, by so many microseconds.
    Move(i64),
    Keep,
    Restore,
}

/// A fault that one key makes, or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direct {
    Pause,
    Cut,
    Crash,
    Slow,
    Clock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zoom {
    In,
    Out,
    Fit,
}

/// What has the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// Anything in the stage or the transport.
    Run,
    /// An event of the stage.
    Event,
    /// The end of a fault.
    Grip,
    /// Anything in the lab.
    Lab,
}

/// One line of the list.
pub struct Row {
    pub focus: Focus,
    /// As the list shows them.
    pub keys: &'static str,
    pub does: &'static str,
    /// As [`chord`] writes them, and what each asks for.
    pub chords: &'static [(&'static str, Command)],
}

const fn row(
    focus: Focus,
    (keys, does): (&'static str, &'static str),
    chords: &'static [(&'static str, Command)],
) -> Row {
    Row { focus, keys, does, chords }
}

/// Every key, in the order of the list.
pub const KEYS: [Row; 22] = [
    row(
        Focus::Event,
        words::WALK,
        &[("ArrowLeft", Command::Walk(Walk::Before)), ("ArrowRight", Command::Walk(Walk::After))],
    ),
    row(
        Focus::Event,
        words::LANES,
        &[("ArrowUp", Command::Walk(Walk::Above)), ("ArrowDown", Command::Walk(Walk::Below))],
    ),
    row(
        Focus::Event,
        words::ENDS,
        &[("Home", Command::Walk(Walk::First)), ("End", Command::Walk(Walk::Last))],
    ),
    row(Focus::Event, words::SELECT, &[("Enter", Command::Select)]),
    row(
        Focus::Run,
        words::EVENT,
        &[(",", Command::Event { forward: false }), (".", Command::Event { forward: true })],
    ),
    row(
        Focus::Run,
        words::INTERESTING,
        &[("<", Command::Interesting { forward: false }), (">", Command::Interesting { forward: true })],
    ),
    row(Focus::Run, words::PLAY, &[(" ", Command::Play)]),
    row(Focus::Run, words::FAULTS, &[("f", Command::Faults)]),
    row(Focus::Run, words::PAUSE, &[("p", Command::Direct(Direct::Pause))]),
    row(Focus::Run, words::CUT, &[("c", Command::Direct(Direct::Cut))]),
    row(Focus::Run, words::CRASH, &[("x", Command::Direct(Direct::Crash))]),
    row(Focus::Run, words::SLOW, &[("s", Command::Direct(Direct::Slow))]),
    row(Focus::Run, words::CLOCK, &[("j", Command::Direct(Direct::Clock))]),
    row(Focus::Run, words::EDIT, &[("e", Command::Edit)]),
    row(
        Focus::Grip,
        words::MOVE,
        &[
            ("ArrowLeft", Command::Move(-1_000_000)),
            ("ArrowRight", Command::Move(1_000_000)),
            ("Shift+ArrowLeft", Command::Move(-100_000)),
            ("Shift+ArrowRight", Command::Move(100_000)),
            ("PageDown", Command::Move(-10_000_000)),
            ("PageUp", Command::Move(10_000_000)),
        ],
    ),
    row(Focus::Grip, words::KEEP, &[("Enter", Command::Keep), ("Escape", Command::Restore)]),
    row(Focus::Run, words::VIOLATION, &[("v", Command::FirstViolation)]),
    row(Focus::Run, words::LOOK, &[("w", Command::Why), ("t", Command::Trace)]),
    row(
        Focus::Run,
        words::ZOOM,
        &[
            ("+", Command::Zoom(Zoom::In)),
            ("=", Command::Zoom(Zoom::In)),
            ("-", Command::Zoom(Zoom::Out)),
            ("0", Command::Zoom(Zoom::Fit)),
        ],
    ),
    row(Focus::Lab, words::UNDO, &[("Ctrl+z", Command::Undo), ("Ctrl+Shift+z", Command::Redo)]),
    row(Focus::Lab, words::OUT, &[("Escape", Command::Out)]),
    row(Focus::Run, words::LIST, &[("?", Command::List)]),
];

/// A pressed key as the table writes it. Cmd counts as Ctrl; Shift is named where the key alone does
/// not tell.
pub fn chord(key: &str, ctrl: bool, shift: bool) -> String {
    let named = key.chars().count() > 1;
    let mut chord = String::new();
    if ctrl {
        chord += "Ctrl+";
    }
    if shift && (ctrl || named) {
        chord += "Shift+";
    }
    chord + &if named { key.to_owned() } else { key.to_lowercase() }
}

/// Whether it is a single key, which can be switched off.
pub fn is_single(chord: &str) -> bool {
    chord.chars().count() == 1
}

/// What a key asks for where the focus is.
pub fn find(focus: Focus, chord: &str) -> Option<Command> {
    let of = KEYS.iter().filter(|row| row.focus == focus).flat_map(|row| row.chords);
    of.into_iter().find_map(|(known, command)| (*known == chord).then_some(*command))
}

impl Direct {
    fn is(self, act: &Act) -> bool {
        match self {
            Self::Pause => matches!(act, Act::Pause { .. }),
            Self::Cut => matches!(act, Act::Cut { .. }),
            Self::Crash => matches!(act, Act::Crash { .. }),
            Self::Slow => matches!(act, Act::Slow { .. }),
            Self::Clock => matches!(act, Act::StepClock { .. }),
        }
    }
}

impl Lab {
    /// The commonest fault of a kind that a node offers at `at`.
    ///
    /// # Errors
    /// Why there is none, or why it would do nothing.
    pub fn direct(&self, node: NodeId, at: At, direct: Direct) -> Result<Offer, String> {
        let is_it = |offer: &Offer| match offer.deed {
            Deed::Do(act) => direct.is(&act),
            Deed::End(index) => self.acts().get(index).is_some_and(|fault| direct.is(&fault.act)),
        };
        let offer = self.offers(node, at).into_iter().find(is_it);
        let offer = offer.ok_or_else(|| words::not_offered(direct, &self.derived().scenario, node))?;
        match &offer.refused {
            Some(why) => Err(words::refused(&offer.name, why)),
            None => Ok(offer),
        }
    }

    /// The fault a reader means who selected `record`, or else looks at `node` at `at`: one whose end
    /// can be moved.
    pub fn fault_meant(&self, record: Option<u32>, node: NodeId, at: At) -> Option<usize> {
        let record = record.and_then(|id| self.derived().history.trace().get(id).copied());
        let of = |node: NodeId| {
            let standing = self.standing(node).into_iter();
            standing
                .filter_map(|fault| fault.until.map(|until| (fault.index, fault.from, until)))
                .collect::<Vec<_>>()
        };
        let begun_or_ended = record.and_then(|record| {
            let touches = |(_, from, until): &(usize, At, At)| *from == record.at || *until == record.at;
            of(record.node).into_iter().find(touches)
        });
        let in_force = || of(node).into_iter().find(|(_, from, until)| (*from..=*until).contains(&at));
        let nearest =
            || of(node).into_iter().min_by_key(|(_, from, until)| from.abs_diff(at).min(until.abs_diff(at)));
        begun_or_ended.or_else(in_force).or_else(nearest).map(|(index, ..)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_asks_for_two_things() {
        let focuses = [Focus::Run, Focus::Event, Focus::Grip, Focus::Lab];
        for focus in focuses {
            let of = || KEYS.iter().filter(|row| row.focus == focus).flat_map(|row| row.chords);
            for (chord, command) in of() {
                assert_eq!(find(focus, chord), Some(*command), "{chord}");
                assert_eq!(of().filter(|(other, _)| other == chord).count(), 1, "{chord}");
            }
        }
        // What an event takes for itself, the whole run does not wait for.
        let events = KEYS.iter().filter(|row| row.focus == Focus::Event).flat_map(|row| row.chords);
        assert!(events.into_iter().all(|(chord, _)| find(Focus::Run, chord).is_none()));
    }

    #[test]
    fn the_stage_walks_as_the_table_says() {
        for (chord, command) in KEYS.iter().flat_map(|row| row.chords) {
            let step = Walk::asked(chord).filter(|_| !matches!(command, Command::Move(_)));
            assert_eq!(
                step.map(Command::Walk),
                matches!(command, Command::Walk(_)).then_some(*command),
                "{chord}"
            );
        }
    }

    #[test]
    fn a_key_is_written_as_the_table_writes_it() {
        assert_eq!(chord("P", false, true), "p");
        assert_eq!(chord("<", false, true), "<");
        assert_eq!(chord("ArrowLeft", false, true), "Shift+ArrowLeft");
        assert_eq!(chord("Z", true, true), "Ctrl+Shift+z");
        assert!(is_single("p") && is_single("?") && !is_single("Ctrl+z") && !is_single("Escape"));
    }
}
