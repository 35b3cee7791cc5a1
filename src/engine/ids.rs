//! Who is who. Ids are structural: they name a thing by its place in the scenario, never by a
//! running count, so that an edit of a run leaves the ids of everything common to both runs alone.

/// A node: the scheduler, a worker, a sink or the operator. The index into the world's node list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeId(pub u16);

/// A task: a unit of work for one interval (logical date). The index into the scenario's task list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TaskId(pub u16);

/// The number issued with a grant. Strictly increasing over all grants of one scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Token(pub u32);

/// An execution: one process running one attempt. `copy` is 0 unless a dispatch was duplicated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Exec {
    pub task: TaskId,
    /// Numbered from 1; attempt, grant and token are one to one.
    pub attempt: u8,
    pub copy: u8,
}

impl Exec {
    /// The first (normally only) execution of an attempt.
    pub fn first(task: TaskId, attempt: u8) -> Self {
        Self { task, attempt, copy: 0 }
    }
}
