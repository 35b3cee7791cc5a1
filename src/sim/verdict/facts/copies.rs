//! What was visible in a sink when a copy of it was taken, and what a restore changes.

use super::Facts;
use crate::record::Record;
use fenceline_engine::Chunk;

/// What a restore took away from one target, or brought back there.
#[derive(Clone, Debug)]
pub(crate) struct PutBack {
    pub(crate) target: usize,
    /// Chunks that were visible and are not any more.
    pub(crate) lost: Vec<Chunk>,
}

impl Facts {
    /// A sink is copied.
    pub(crate) fn copied(&mut self, record: &Record) {
        let here = self.targets.iter().enumerate().filter(|(_, target)| target.sink == record.node);
        let seen = here.map(|(index, target)| (index, target.contents.clone())).collect();
        self.copies.push((record.b, seen));
    }

    /// A sink is put back to what it was when it was copied: what a reader sees there is what it saw then.
    pub(crate) fn put_back(&mut self, record: &Record) -> Vec<PutBack> {
        let Some(at) = self.copies.iter().position(|(index, _)| *index == record.b) else {
            return Vec::new();
        };
        let (_, then) = self.copies.swap_remove(at);
        let mut changed = Vec::new();
        for (index, target) in self.targets.iter_mut().enumerate().filter(|(_, t)| t.sink == record.node) {
            let seen = then.iter().find(|(of, _)| *of == index).map(|(_, contents)| contents.clone());
            let before = std::mem::replace(&mut target.contents, seen.unwrap_or_default());
            let gone = |chunk: &&Chunk| !target.contents.chunks().contains(chunk);
            let lost: Vec<Chunk> = before.chunks().iter().filter(gone).copied().collect();
            changed.push(PutBack { target: index, lost });
        }
        changed
    }
}
