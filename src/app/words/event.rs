//! One sentence for each event of a run: what happened, to whom, and what follows.

mod rare;

pub use rare::step;

use super::count;
use fenceline_engine::{Ending, Exec, NodeId, SinkKind, SuccessBy, TaskId, WHOLE};
use fenceline_sim::scenario::Role;
use fenceline_sim::{At, Kind, MessageKind, Record, Scenario, Truth};
use std::sync::Arc;

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// Set in the strong weight: what happened.
    Strong(String),
    /// A token, in the colour of its attempt; the number is always written.
    Token {
        attempt: u8,
        token: u32,
    },
}

/// A sentence; its pieces follow each other without spaces of their own.
pub type Sentence = Vec<Piece>;

/// A sentence as plain text: for copying, for tests.
pub fn plain(sentence: &[Piece]) -> String {
    let mut text = String::new();
    for piece in sentence {
        match piece {
            Piece::Text(part) | Piece::Strong(part) => text += part,
            Piece::Token { token, .. } => text += &token.to_string(),
        }
    }
    text
}

/// A sentence as it is read aloud: a bare number is not, so tokens say that they are.
pub fn spoken(sentence: &[Piece]) -> String {
    let mut text = String::new();
    for piece in sentence {
        match piece {
            Piece::Text(part) | Piece::Strong(part) => text += part,
            Piece::Token { token, .. } => {
                text += if text.is_empty() { "Token " } else { "token " };
                text += &token.to_string();
            }
        }
    }
    text
}

/// The ordinal of an attempt's colour: 1 to 4, then again.
pub fn hue(attempt: u8) -> u8 {
    attempt.saturating_sub(1) % 4 + 1
}

/// What sentences call things by, and what only the truth knows of them.
#[derive(Clone, Debug)]
pub struct Names {
    scenario: Arc<Scenario>,
    tokens: Vec<(Exec, u32)>,
    /// Stale writes: when, where, by whom.
    stale: Vec<(At, NodeId, Exec)>,
}

impl Names {
    /// Those of a derived run.
    pub fn of(derived: &crate::app::lab::Derived) -> Self {
        Self::new(Arc::clone(&derived.scenario), &derived.truth)
    }

    pub fn new(scenario: Arc<Scenario>, truth: &Truth) -> Self {
        let token = |lease: &fenceline_sim::truth::LeaseTruth| (lease.exec, lease.token.0);
        Self {
            scenario,
            tokens: truth.leases.iter().map(token).collect(),
            stale: truth.stale_writes.iter().map(|write| (write.at, write.sink, write.exec)).collect(),
        }
    }

    /// As it stands at the beginning of a sentence: "Worker 1".
    pub fn node(&self, node: NodeId) -> String {
        let name = self.within(node);
        match self.scenario.role(node) {
            // A sink is called as it is in its own system.
            Role::Sink(_) => name,
            Role::Scheduler | Role::Worker(_) | Role::Executor | Role::Store | Role::Operator => {
                capital(&name)
            }
        }
    }

    /// As it stands within a sentence: "worker 1", "the scheduler".
    pub fn within(&self, node: NodeId) -> String {
        let name = match self.scenario.role(node) {
            Role::Scheduler => self.scenario.standby_name(node).cloned(),
            Role::Worker(index) => self.scenario.workers.get(index).map(|worker| worker.name.clone()),
            Role::Sink(index) => self.scenario.sinks.get(index).map(|sink| sink.name.clone()),
            Role::Executor => self.scenario.executor.clone(),
            Role::Store => self.scenario.store.clone(),
            Role::Operator => Some("the operator".into()),
        };
        name.unwrap_or_else(|| "the scheduler".into())
    }

    /// The tag of an attempt's token.
    pub fn token(&self, exec: Exec) -> Piece {
        let its = |(of, _): &&(Exec, u32)| (of.task, of.attempt) == (exec.task, exec.attempt);
        // An attempt may have been granted by two schedulers, to an execution each.
        let own = self.tokens.iter().find(|(of, _)| *of == exec);
        let token = own.or_else(|| self.tokens.iter().find(its)).map_or(0, |(_, token)| *token);
        Piece::Token { attempt: exec.attempt, token }
    }

    /// A token known only by its number.
    fn token_of(&self, token: i64) -> Piece {
        let token = u32::try_from(token).unwrap_or(0);
        let attempt = self.tokens.iter().find(|(_, of)| *of == token).map_or(1, |(of, _)| of.attempt);
        Piece::Token { attempt, token }
    }

    /// Whether it is a write by a holder whose token is no longer the newest.
    pub fn is_stale(&self, record: &Record) -> bool {
        self.stale.contains(&(record.at, record.node, record.exec()))
    }

    fn task(&self, task: TaskId) -> String {
        let judged = self.scenario.judged.get(usize::from(task.0));
        match judged.map(|judged| judged.name.as_str()) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => format!("task {}", task.0 + 1),
        }
    }

    fn sink_kind(&self, node: NodeId) -> Option<SinkKind> {
        match self.scenario.role(node) {
            Role::Sink(index) => self.scenario.sinks.get(index).map(|sink| sink.rules.kind),
            Role::Scheduler | Role::Worker(_) | Role::Executor | Role::Store | Role::Operator => None,
        }
    }
}

/// With a capital letter.
pub fn capital(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// How much an event matters to a reader of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Has a row of its own.
    Matters,
    /// Routine, folded with its like.
    Routine,
    /// Only where everything is listed.
    Detail,
}

pub fn interest(record: &Record) -> Interest {
    use Kind::*;
    match record.kind {
        Granted | Expired | Guarded | StopAsked | HeldForOperator | HoldAlert | Overran | KillAsked
        | AttemptSucceeded | AttemptFailed | AttemptWithdrawn | AttemptOrphaned | Adopted | Kept
        | CompletionRefused | CompletionIgnored | Leads | DecisionRefused | SteppedDown => Interest::Matters,
        ToldLost | WrapperEnded | Applied | Cleaned | Fenced | Repeated | KeyBusy | EffectDone
        | LockRefused | LockExpired | Staged | StageRefused | FenceForgotten | TooLate | Conflicted
        | CommitFound | TableRead => Interest::Matters,
        Paused | Resumed | Frozen | Thawed | Crashed | Restarted | Slowed | LoopHeld | LoopFreed
        | LinkCut | LinkHealed | LinkDegraded | LinkRestored | ClockStepped | ClockRated | InputChanged
        | RuleSet | Decided | Redelivered | Reserved | Respawned | Restored | LockForced | Failing
        | Recovered | Errored | Reopened | CommitAllowed | CommitDenied | Noted => Interest::Matters,
        // How it ended is said where it did not simply finish.
        Ended if record.flag != 0 => Interest::Matters,
        Lost => match record.message() {
            Some(MessageKind::Heartbeat | MessageKind::HeartbeatReply) => Interest::Detail,
            // Asked again, each second.
            Some(MessageKind::StoreCall | MessageKind::StoreReply) => Interest::Detail,
            _ => Interest::Matters,
        },
        Renewed => Interest::Routine,
        _ => Interest::Detail,
    }
}

/// Whether an event has a row of its own where only what matters is listed.
pub fn is_interesting(record: &Record) -> bool {
    interest(record) == Interest::Matters
}

/// The sentence of a record.
pub fn tell(record: &Record, names: &Names) -> Sentence {
    // The first run has nothing rare in it.
    common(record, names).unwrap_or_else(|| if WHOLE { rare::tell(record, names) } else { Sentence::new() })
}

/// The same for what the first run has. The start page's program is without the rest.
pub fn common(record: &Record, names: &Names) -> Option<Sentence> {
    use Kind::*;
    let it = About { record, names };
    Some(match record.kind {
        Granted => it.of_token(format!(" granted to {}", names.within(record.peer))),
        Expired => it.around("Sweep: the lease of ", " is over".into()),
        AttemptSucceeded => {
            let by = match record.success_by() {
                SuccessBy::Report => "",
                SuccessBy::Operator => " by the operator",
            };
            it.around("Attempt of ", format!(" is recorded as success{by}"))
        }
        CompletionRefused => it.around("The completion of ", " is refused".into()),
        ToldLost => {
            vec![
                Piece::Text(format!("{} is told that the lease of ", it.node())),
                it.token(),
                text(" is lost"),
            ]
        }
        Ended if record.ending() != Ending::Replaced => match record.ending() {
            Ending::Finished => it.by_node("finishes", ""),
            Ending::SelfFenced => it.by_node("stops", " by itself"),
            Ending::Fenced => it.by_node("stops", ": fenced"),
            Ending::NoAnswer => it.by_node("gives up on", ": no answer"),
            Ending::Leftover => it.by_node("fails with", ": a leftover is in the way"),
            Ending::Crashed => it.by_node("dies with", ""),
            Ending::Conflict => it.by_node("stops", ": another write came first"),
            Ending::StoodDown => it.by_node("drops", ": it was started before"),
            Ending::Errored => it.by_node("gives up on", ": errors only"),
            Ending::Denied => it.by_node("stops", ": it may not commit"),
            Ending::Killed | Ending::Replaced => it.by_node("kills", ", as it was asked to"),
        },
        Raised => vec![Piece::Text(format!("{}: the fence is raised to ", it.node())), it.token()],
        Applied => {
            let rows = count(record.b);
            if names.is_stale(record) {
                vec![it.token(), Piece::Strong(format!(" writes {rows} rows, stale.")), text(" Accepted")]
            } else {
                it.of_token(format!(" writes {rows} rows"))
            }
        }
        Fenced => vec![
            it.token(),
            Piece::Strong(" is fenced:".into()),
            Piece::Text(format!(" {} has seen ", names.within(record.node))),
            names.token_of(record.b),
        ],
        Paused => strong(format!("{} is paused", it.node())),
        Resumed => strong(format!("{} resumes", it.node())),
        RuleSet => strong("A rule is changed".into()),
        _ => return None,
    })
}

/// What sentences about one record are made of.
struct About<'a> {
    record: &'a Record,
    names: &'a Names,
}

impl About<'_> {
    fn token(&self) -> Piece {
        self.names.token(self.record.exec())
    }

    fn node(&self) -> String {
        self.names.node(self.record.node)
    }

    /// "7" + " granted to worker 1"
    fn of_token(&self, after: String) -> Sentence {
        vec![self.token(), Piece::Text(after)]
    }

    /// "The lease of " + "7" + " starts"
    fn around(&self, before: &str, after: String) -> Sentence {
        vec![text(before), self.token(), Piece::Text(after)]
    }

    /// "Worker 1" + "stops" + "7" + ": fenced"
    fn by_node(&self, between: &str, after: &str) -> Sentence {
        vec![Piece::Text(format!("{} {between} ", self.node())), self.token(), text(after)]
    }
}

fn text(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

fn strong(what: String) -> Sentence {
    vec![Piece::Strong(what)]
}
