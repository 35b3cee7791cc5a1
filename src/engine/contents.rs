//! What a table partition holds: chunks of rows, each by the execution that wrote it.

use crate::ids::Exec;

/// Rows one write made visible. Row keys run from `from` up to, not including, `to`; they are the
/// natural keys of part `part`, so two versions of one output share the keys they have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub exec: Exec,
    pub version: u8,
    pub part: u8,
    pub from: u32,
    pub to: u32,
}

impl Chunk {
    pub fn rows(&self) -> u32 {
        self.to - self.from
    }
}

/// How a chunk joins what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    Append,
    /// Replaces the part.
    Replace,
    /// Replaces the whole partition.
    ReplaceAll,
    /// Replaces the rows with the same keys.
    Merge,
}

/// The visible rows of one partition, oldest write first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    chunks: Vec<Chunk>,
}

impl Contents {
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    pub fn rows(&self) -> u64 {
        self.chunks.iter().map(|chunk| u64::from(chunk.rows())).sum()
    }

    /// Lands `new` and calls `lost` with every chunk (or piece of one) it replaced.
    pub fn land(&mut self, new: Chunk, landing: Landing, mut lost: impl FnMut(Chunk)) {
        match landing {
            Landing::Append => {}
            Landing::Replace => self.chunks.retain(|old| {
                let keep = old.part != new.part;
                if !keep {
                    lost(*old);
                }
                keep
            }),
            Landing::ReplaceAll => self.chunks.drain(..).for_each(lost),
            Landing::Merge => self.cut(new, lost),
        }
        if new.rows() > 0 {
            self.chunks.push(new);
        }
    }

    /// Removes every chunk of an execution; how many rows it had.
    pub fn remove(&mut self, exec: Exec) -> u64 {
        let before = self.rows();
        self.chunks.retain(|chunk| chunk.exec != exec);
        before - self.rows()
    }

    /// Removes the keys of `new` from what is there.
    fn cut(&mut self, new: Chunk, mut lost: impl FnMut(Chunk)) {
        let mut kept = Vec::with_capacity(self.chunks.len() + 1);
        for old in self.chunks.drain(..) {
            let (from, to) = (old.from.max(new.from), old.to.min(new.to));
            if old.part != new.part || from >= to {
                kept.push(old);
                continue;
            }
            lost(Chunk { from, to, ..old });
            kept.extend(
                [Chunk { to: from, ..old }, Chunk { from: to, ..old }].into_iter().filter(|c| c.from < c.to),
            );
        }
        self.chunks = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::TaskId;

    fn chunk(attempt: u8, version: u8, part: u8, rows: u32) -> Chunk {
        Chunk { exec: Exec::first(TaskId(0), attempt), version, part, from: 0, to: rows }
    }

    fn landed(landing: Landing, chunks: &[Chunk]) -> (Contents, Vec<Chunk>) {
        let (mut contents, mut lost) = (Contents::default(), Vec::new());
        for &new in chunks {
            contents.land(new, landing, |old| lost.push(old));
        }
        (contents, lost)
    }

    #[test]
    fn append_keeps_both_outputs() {
        let (contents, lost) = landed(Landing::Append, &[chunk(1, 1, 0, 1204), chunk(2, 1, 0, 1204)]);
        assert_eq!((contents.rows(), lost.len()), (2408, 0));
    }

    #[test]
    fn replacing_a_part_leaves_the_others() {
        let (contents, lost) =
            landed(Landing::Replace, &[chunk(1, 1, 0, 10), chunk(1, 1, 1, 10), chunk(2, 1, 1, 7)]);
        assert_eq!((contents.rows(), lost), (17, vec![chunk(1, 1, 1, 10)]));
    }

    #[test]
    fn merge_leaves_keys_the_newer_output_does_not_have() {
        let (contents, lost) = landed(Landing::Merge, &[chunk(1, 1, 0, 10), chunk(2, 2, 0, 7)]);
        assert_eq!(contents.rows(), 10);
        assert_eq!(contents.chunks()[0], Chunk { from: 7, ..chunk(1, 1, 0, 10) });
        assert_eq!(lost, vec![Chunk { to: 7, ..chunk(1, 1, 0, 10) }]);
    }
}
