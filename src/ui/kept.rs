//! A thing shared and compared by identity: a new one is a change.

use std::sync::Arc;

#[derive(Debug)]
pub struct Kept<T>(pub Arc<T>);

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for Kept<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
