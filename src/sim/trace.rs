//! The trace: everything that happened in a run, in order.

use crate::clock::At;
use crate::record::Record;
use std::sync::Arc;

/// Records per block. Full blocks are shared between a run and its forks.
pub const BLOCK: usize = 4096;

#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Id of the first record; above 0 only in the scratch trace of a replay from a snapshot.
    base: u32,
    full: Vec<Arc<Vec<Record>>>,
    tail: Vec<Record>,
    len: u32,
    /// Empty blocks to fill next.
    spare: Vec<Vec<Record>>,
    /// Reasons beside the trigger: (record, reason), in order of the first.
    reasons: Vec<(u32, u32)>,
}

impl Trace {
    /// An empty trace whose first record will have this id.
    pub fn continuing(base: u32) -> Self {
        Self { base, len: base, ..Self::default() }
    }

    /// An empty trace in the memory of this one, as far as no other shares it.
    pub fn recycled(self) -> Self {
        let blocks = self.full.into_iter().filter_map(Arc::into_inner).chain([self.tail]).chain(self.spare);
        let empty = |mut block: Vec<Record>| {
            block.clear();
            block
        };
        Self { spare: blocks.map(empty).collect(), ..Self::default() }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub fn push(&mut self, record: Record) -> u32 {
        let id = self.len;
        self.len += 1;
        self.tail.push(record);
        if self.tail.len() == BLOCK {
            self.begin_block();
        }
        id
    }

    #[cold]
    fn begin_block(&mut self) {
        let next = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(BLOCK));
        self.full.push(Arc::new(std::mem::replace(&mut self.tail, next)));
    }

    pub fn reason(&mut self, record: u32, reason: u32) {
        self.reasons.push((record, reason));
    }

    pub fn len(&self) -> u32 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.full.is_empty() && self.tail.is_empty()
    }

    pub fn get(&self, id: u32) -> Option<&Record> {
        let id = id.checked_sub(self.base)? as usize;
        match self.full.get(id / BLOCK) {
            Some(block) => block.get(id % BLOCK),
            None => self.tail.get(id.checked_sub(self.full.len() * BLOCK)?),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Record> {
        self.full.iter().flat_map(|block| block.iter()).chain(&self.tail)
    }

    /// The records from id `from` on, with their ids.
    pub fn since(&self, from: u32) -> impl Iterator<Item = (u32, &Record)> {
        (from..self.len()).filter_map(|id| Some((id, self.get(id)?)))
    }

    pub fn reasons(&self, record: u32) -> impl Iterator<Item = u32> {
        let start = self.reasons.partition_point(|(of, _)| *of < record);
        self.reasons[start..].iter().take_while(move |(of, _)| *of == record).map(|(_, reason)| *reason)
    }

    /// How many records lie at or before `at`.
    pub fn len_at(&self, at: At) -> u32 {
        let blocks = self.full.partition_point(|block| block.last().is_some_and(|r| r.at <= at));
        let within = |block: &[Record]| block.partition_point(|r| r.at <= at);
        let rest = match self.full.get(blocks) {
            Some(block) => within(block),
            None => within(&self.tail),
        };
        (blocks * BLOCK + rest) as u32
    }

    /// The first `len` records; full blocks are shared.
    pub fn prefix(&self, len: u32) -> Self {
        let (blocks, rest) = (len as usize / BLOCK, len as usize % BLOCK);
        let partial: &[Record] = self.full.get(blocks).map_or(&self.tail, |block| block);
        let reasons = self.reasons.partition_point(|(of, _)| *of < len);
        Self {
            base: self.base,
            len: self.len.min(len),
            spare: Vec::new(),
            full: self.full[..blocks.min(self.full.len())].to_vec(),
            tail: partial[..rest.min(partial.len())].to_vec(),
            reasons: self.reasons[..reasons].to_vec(),
        }
    }

    /// A digest of all records and reasons. Equal runs have equal digests, natively and in the page.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        for record in self.iter() {
            record.words().into_iter().for_each(|word| digest.add(word));
        }
        for (record, reason) in &self.reasons {
            digest.add(u64::from(*record) << 32 | u64::from(*reason));
        }
        digest.0
    }

    /// Bytes of records and reasons held.
    pub fn bytes(&self) -> usize {
        self.len() as usize * size_of::<Record>() + self.reasons.len() * size_of::<(u32, u32)>()
    }
}

/// Multiply and rotate over words: fast, and any difference shows. Not for adversaries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digest(pub(crate) u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0x517c_c1b7_2722_0a95)
    }
}

impl Digest {
    pub(crate) fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}
