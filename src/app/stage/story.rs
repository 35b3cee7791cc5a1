//! The scheduler's story, from its own records: which attempt it thinks runs, how each task ended,
//! and how long it had no word.

use fenceline_engine::{Exec, NodeId, TaskState};
use fenceline_sim::{At, Kind, MessageKind, Record};

#[derive(Debug, Default)]
pub(super) struct Story {
    pub(super) chapters: Vec<Chapter>,
    pub(super) silences: Vec<Silence>,
}

/// A stretch of what the scheduler's record says of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chapter {
    pub(super) exec: Exec,
    pub(super) token: u32,
    /// The record that opens it.
    pub(super) record: u32,
    pub(super) owner: NodeId,
    pub(super) from: At,
    pub(super) until: At,
    pub(super) told: Told,
}

/// What it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// An attempt runs.
    Runs,
    /// Its lease is over; it was asked to stop, or is left to an operator.
    Over {
        held: bool,
    },
    /// No attempt is open; another may come.
    Waits,
    Succeeded,
    Failed,
    Skipped,
}

/// No word of an attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Silence {
    pub(super) exec: Exec,
    pub(super) from: At,
    pub(super) until: At,
    /// It ended with the lease found expired.
    pub(super) acted: bool,
}

/// Reads the scheduler's records in order.
#[derive(Debug, Default)]
pub(super) struct Teller {
    /// Whose story it is: the scheduler that leads.
    leader: NodeId,
    /// By task: its open chapter.
    open: Vec<Option<usize>>,
    /// By open attempt: when it was last heard of.
    heard: Vec<(Exec, At)>,
}

impl Teller {
    pub(super) fn hear(&mut self, id: u32, record: &Record, story: &mut Story) {
        if record.kind == Kind::Leads {
            self.leader = record.node;
        }
        if record.node != self.leader {
            return;
        }
        match record.kind {
            Kind::Delivered if spoken(record) => {
                let exec = Exec::first(record.task, record.attempt);
                if let Some(place) = self.heard.iter().position(|(of, _)| *of == exec) {
                    self.silent(place, record.at, false, story);
                }
            }
            Kind::Granted => {
                self.turn(id, record, Told::Runs, story);
                self.heard.push((record.exec(), record.at));
            }
            Kind::Expired => {
                if let Some(place) = self.heard.iter().position(|(of, _)| *of == record.exec()) {
                    self.silent(place, record.at, true, story);
                    self.heard.remove(place);
                }
            }
            Kind::StopAsked => self.turn(id, record, Told::Over { held: false }, story),
            Kind::HeldForOperator => self.turn(id, record, Told::Over { held: true }, story),
            Kind::AttemptSucceeded => {
                self.heard.retain(|(of, _)| of.task != record.task);
                self.turn(id, record, Told::Succeeded, story);
            }
            Kind::AttemptFailed | Kind::AttemptTimedOut | Kind::AttemptWithdrawn | Kind::AttemptOrphaned => {
                self.heard.retain(|(of, _)| *of != record.exec());
                self.turn(id, record, Told::Waits, story);
            }
            Kind::TaskIs => {
                let told = match record.task_state() {
                    TaskState::Failed => Told::Failed,
                    TaskState::Skipped => Told::Skipped,
                    TaskState::Succeeded => Told::Succeeded,
                    _ => return,
                };
                self.turn(id, record, told, story);
            }
            _ => {}
        }
    }

    /// Opens the task's next chapter.
    fn turn(&mut self, id: u32, record: &Record, told: Told, story: &mut Story) {
        let task = usize::from(record.task.0);
        if self.open.len() <= task {
            self.open.resize(task + 1, None);
        }
        let Some(open) = self.open.get_mut(task) else { return };
        let before = open.and_then(|index| story.chapters.get_mut(index));
        let (mut exec, mut token, mut owner) = (record.exec(), 0, record.peer);
        if let Some(before) = before {
            if before.told == told && told != Told::Runs {
                return;
            }
            before.until = record.at;
            if told != Told::Runs {
                (exec, token, owner) = (before.exec, before.token, before.owner);
            }
        }
        if told == Told::Runs {
            token = u32::try_from(record.b).unwrap_or(0);
        }
        *open = Some(story.chapters.len());
        story.chapters.push(Chapter {
            exec,
            token,
            record: id,
            owner,
            from: record.at,
            until: record.at,
            told,
        });
    }

    fn silent(&mut self, place: usize, at: At, acted: bool, story: &mut Story) {
        let Some((exec, last)) = self.heard.get_mut(place) else { return };
        story.silences.push(Silence { exec: *exec, from: *last, until: at, acted });
        *last = at;
    }

    pub(super) fn finish(mut self, now: At, story: &mut Story) {
        for index in self.open.iter().flatten() {
            if let Some(chapter) = story.chapters.get_mut(*index) {
                chapter.until = now;
            }
        }
        for place in 0..self.heard.len() {
            self.silent(place, now, false, story);
        }
    }
}

/// Whether a delivery is word of an attempt to the scheduler.
fn spoken(record: &Record) -> bool {
    matches!(
        record.message(),
        Some(
            MessageKind::Delivered
                | MessageKind::Heartbeat
                | MessageKind::Completed
                | MessageKind::Failed
                | MessageKind::Stopped
        )
    )
}
