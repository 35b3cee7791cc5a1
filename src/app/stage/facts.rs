//! What the picture needs of a trace, gathered in one reading of it: messages on their way, the
//! scheduler's story, what was done to nodes and links, what sinks remember and hold.

use super::View;
use super::held::{Held, Partitions};
use super::story::{Story, Teller};
use fenceline_engine::{Exec, NodeId, TaskId, Token};
use fenceline_sim::clocks::Clocks;
use fenceline_sim::{At, Kind, MessageKind, NONE, Record};

/// A message from its sending to where it got.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) kind: MessageKind,
    pub(super) exec: Exec,
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    /// Record of the sending, and of its end; [`NONE`] while on its way.
    pub(super) sent: u32,
    pub(super) ended: u32,
    pub(super) at: At,
    pub(super) until: At,
    pub(super) lost: bool,
}

/// Something done to a node, or to its links, for a while.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub(super) record: u32,
    pub(super) kind: Kind,
    pub(super) node: NodeId,
    pub(super) from: At,
    /// None while it lasts.
    pub(super) until: Option<At>,
    /// Of a link: its path and way. Of a slow node: percent.
    pub(super) flag: u8,
    pub(super) n: u16,
    pub(super) b: i64,
}

/// A sink's answer to a request or claim: what it did, and the message it answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handled {
    pub(super) record: u32,
    pub(super) kind: Kind,
    pub(super) at: At,
    pub(super) sink: NodeId,
    pub(super) exec: Exec,
    /// Record of the request's sending.
    pub(super) sent: u32,
    pub(super) n: u16,
    pub(super) b: i64,
    /// Stale, and the fence or nothing in its way.
    pub(super) stale: bool,
}

/// A single record worth a mark.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spotted {
    pub(super) record: u32,
    pub(super) at: At,
    pub(super) exec: Exec,
    pub(super) node: NodeId,
    pub(super) n: u16,
    pub(super) b: i64,
}

#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) flights: Vec<Flight>,
    /// Index of a sending's flight, by record.
    flight_of: Vec<u32>,
    pub(super) story: Story,
    pub(super) done: Vec<Done>,
    pub(super) handled: Vec<Handled>,
    pub(super) expired: Vec<Spotted>,
    pub(super) refused: Vec<Spotted>,
    pub(super) guarded: Vec<Spotted>,
    pub(super) told: Vec<Spotted>,
    pub(super) steps: Vec<Spotted>,
    pub(super) ends: Vec<Spotted>,
    pub(super) restarts: Vec<Spotted>,
    pub(super) jumps: Vec<Spotted>,
    /// Clocks that begin to drift, or to run true.
    pub(super) rated: Vec<Spotted>,
    /// What was decided on a task: its input changed, an operator's word. With the kind.
    pub(super) decided: Vec<(Kind, Spotted)>,
    /// Who began to lead, was refused, or stood back. With the kind.
    pub(super) led: Vec<(Kind, Spotted)>,
    pub(super) forgets: Vec<Spotted>,
    /// Fences raised: sink, exec, token.
    pub(super) raised: Vec<Spotted>,
    pub(super) work: Vec<Spotted>,
    pub(super) held: Vec<Held>,
    /// Locks and staging tables from when to when.
    pub(super) kept: Vec<Kept>,
    pub(super) clocks: Option<Clocks>,
    pub(super) bent: Vec<NodeId>,
    /// When each rule changed.
    pub(super) fences_set: Vec<(At, NodeId, bool)>,
}

/// A lock or a staging table of an execution's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) record: u32,
    pub(super) sink: NodeId,
    pub(super) exec: Exec,
    pub(super) is_lock: bool,
    pub(super) from: At,
    pub(super) until: Option<At>,
}

impl Facts {
    /// Reads the trace of a view once.
    pub(super) fn gather(view: &View<'_>) -> Self {
        let mut book = view.rulebook.clone();
        let mut clocks = Clocks::new(book.scenario());
        let mut facts = Self { flight_of: vec![NONE; view.trace.len() as usize], ..Self::default() };
        let mut teller = Teller::default();
        let mut partitions = Partitions::default();
        for (id, record) in view.trace.since(0) {
            if clocks.observe(record) && !facts.bent.contains(&record.node) {
                facts.bent.push(record.node);
            }
            if book.observe(record) {
                let scenario = book.scenario();
                for (index, sink) in scenario.sinks.iter().enumerate() {
                    facts.fences_set.push((record.at, scenario.sink(index), sink.rules.fence.is_some()));
                }
            }
            teller.hear(id, record, &mut facts.story);
            facts.take(id, record, view);
            match record.kind {
                Kind::Applied => {
                    let stale = facts.handled.last().is_some_and(|handled| handled.stale);
                    partitions.land(id, record, book.scenario(), stale, &mut facts.held);
                }
                Kind::Cleaned if record.flag == 1 => partitions.clean(id, record, &mut facts.held),
                Kind::CopyTaken => partitions.copy(record),
                Kind::Restored => partitions.restore(id, record, &mut facts.held),
                _ => {}
            }
        }
        teller.finish(view.now, &mut facts.story);
        facts.clocks = Some(clocks);
        facts
    }

    pub(super) fn flight(&self, sent: u32) -> Option<&Flight> {
        let index = *self.flight_of.get(sent as usize)?;
        self.flights.get(index as usize)
    }

    /// The sending a sink's act goes back to: the first message up its chain of causes.
    fn sending(&self, mut record: u32, view: &View<'_>) -> u32 {
        for _ in 0..12 {
            match view.trace.get(record) {
                Some(cause) if cause.kind == Kind::Sent => return record,
                Some(cause) => record = cause.cause,
                None => break,
            }
        }
        NONE
    }

    fn take(&mut self, id: u32, record: &Record, view: &View<'_>) {
        let spotted = Spotted {
            record: id,
            at: record.at,
            exec: record.exec(),
            node: record.node,
            n: record.n,
            b: record.b,
        };
        match record.kind {
            Kind::Sent => self.sent(id, record),
            Kind::Delivered | Kind::Lost => self.arrived(id, record),
            Kind::Expired => self.expired.push(spotted),
            Kind::Refused => self.refused.push(spotted),
            Kind::Guarded => self.guarded.push(spotted),
            Kind::ToldLost => self.told.push(spotted),
            Kind::StepBegan => self.steps.push(spotted),
            Kind::Ended => self.ends.push(spotted),
            Kind::Raised => self.raised.push(spotted),
            Kind::FenceForgotten => self.forgets.push(spotted),
            Kind::Worked => self.work.push(spotted),
            Kind::ClockStepped => self.jumps.push(spotted),
            Kind::ClockRated => self.rated.push(spotted),
            Kind::InputChanged | Kind::Decided => {
                let spotted = Spotted { b: i64::from(record.flag), ..spotted };
                self.decided.push((record.kind, spotted));
            }
            Kind::Leads | Kind::DecisionRefused | Kind::SteppedDown => self.led.push((record.kind, spotted)),
            Kind::Applied | Kind::Fenced | Kind::Repeated | Kind::EffectDone => self.handle(id, record, view),
            Kind::LockRefused | Kind::StageRefused => self.handle(id, record, view),
            Kind::Locked | Kind::Staged => {
                if record.kind == Kind::Staged {
                    self.release(record, false);
                    self.handle(id, record, view);
                }
                self.kept.push(Kept {
                    record: id,
                    sink: record.node,
                    exec: record.exec(),
                    is_lock: record.kind == Kind::Locked,
                    from: record.at,
                    until: None,
                });
            }
            Kind::Cleaned if record.flag == 0 => {
                let of = record.holder();
                self.release(&Record { attempt: of.attempt, copy: of.copy, ..*record }, false);
            }
            Kind::Unlocked | Kind::LockExpired | Kind::LockForced => self.release(record, true),
            Kind::Swapped => self.release(record, false),
            Kind::Paused | Kind::Frozen | Kind::Crashed | Kind::LinkCut | Kind::LinkDegraded => {
                self.begin(id, record);
            }
            Kind::Slowed if record.b < 100 => self.begin(id, record),
            Kind::Resumed | Kind::Thawed | Kind::Restarted | Kind::LinkHealed | Kind::LinkRestored => {
                if record.kind == Kind::Restarted {
                    self.restarts.push(spotted);
                }
                self.end(record);
            }
            Kind::Slowed => self.end(record),
            _ => {}
        }
    }

    fn sent(&mut self, id: u32, record: &Record) {
        let Some(kind) = record.message() else { return };
        if let Some(place) = self.flight_of.get_mut(id as usize) {
            *place = self.flights.len() as u32;
        }
        self.flights.push(Flight {
            kind,
            exec: record.exec(),
            from: record.node,
            to: record.peer,
            sent: id,
            ended: NONE,
            at: record.at,
            until: record.at,
            lost: false,
        });
    }

    fn arrived(&mut self, id: u32, record: &Record) {
        let index = self.flight_of.get(record.cause as usize).copied().unwrap_or(NONE);
        if let Some(flight) = self.flights.get_mut(index as usize).filter(|flight| flight.ended == NONE) {
            (flight.ended, flight.until, flight.lost) = (id, record.at, record.kind == Kind::Lost);
        }
    }

    fn handle(&mut self, id: u32, record: &Record, view: &View<'_>) {
        let sent = self.sending(record.cause, view);
        self.handled.push(Handled {
            record: id,
            kind: record.kind,
            at: record.at,
            sink: record.node,
            exec: record.exec(),
            sent,
            n: record.n,
            b: record.b,
            stale: view.truth.stale_writes.iter().any(|write| write.record == id),
        });
    }

    fn release(&mut self, record: &Record, is_lock: bool) {
        let open = self.kept.iter_mut().find(|kept| {
            kept.until.is_none()
                && kept.is_lock == is_lock
                && kept.sink == record.node
                && kept.exec == record.exec()
        });
        if let Some(kept) = open {
            kept.until = Some(record.at);
        }
    }

    fn begin(&mut self, id: u32, record: &Record) {
        self.done.push(Done {
            record: id,
            kind: record.kind,
            node: record.node,
            from: record.at,
            until: None,
            flag: record.flag,
            n: record.n,
            b: record.b,
        });
    }

    fn end(&mut self, record: &Record) {
        let ends = |done: &Done| match record.kind {
            Kind::Resumed => done.kind == Kind::Paused,
            Kind::Thawed => done.kind == Kind::Frozen,
            Kind::Restarted => matches!(done.kind, Kind::Crashed | Kind::Paused | Kind::Frozen),
            Kind::LinkHealed => {
                done.kind == Kind::LinkCut && (done.flag, done.n, done.b) == (record.flag, record.n, record.b)
            }
            Kind::LinkRestored => {
                done.kind == Kind::LinkDegraded && (done.flag, done.n) == (record.flag, record.n)
            }
            _ => done.kind == Kind::Slowed,
        };
        for done in self.done.iter_mut().filter(|done| done.until.is_none() && done.node == record.node) {
            if ends(done) {
                done.until = Some(record.at);
            }
        }
    }

    /// The token of an attempt.
    pub(super) fn token(view: &View<'_>, exec: Exec) -> Token {
        view.truth.lease(exec.task, exec.attempt).map_or(Token(0), |lease| lease.token)
    }

    /// Whether more than one task runs in this scenario: then labels name theirs.
    pub(super) fn task_name<'v>(view: &'v View<'_>, task: TaskId) -> Option<&'v str> {
        let judged = &view.rulebook.scenario().judged;
        (judged.len() > 1).then(|| judged.get(usize::from(task.0)).map(|task| task.name.as_str())).flatten()
    }
}
