//! One sentence for each event of a run: what happened, to whom, and what follows.

use super::{count, length, plural};
use fenceline_engine::{Clean, Decision, Exec, NodeId, SinkKind, Span, Step, SuccessBy, TaskId};
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
            Role::Scheduler | Role::Worker(_) | Role::Executor | Role::Operator => capital(&name),
        }
    }

    /// As it stands within a sentence: "worker 1", "the scheduler".
    pub fn within(&self, node: NodeId) -> String {
        let name = match self.scenario.role(node) {
            Role::Scheduler => self.scenario.standby_name(node).cloned(),
            Role::Worker(index) => self.scenario.workers.get(index).map(|worker| worker.name.clone()),
            Role::Sink(index) => self.scenario.sinks.get(index).map(|sink| sink.name.clone()),
            Role::Executor => self.scenario.executor.clone(),
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
            Role::Scheduler | Role::Worker(_) | Role::Executor | Role::Operator => None,
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
        | AttemptSucceeded | AttemptFailed | AttemptWithdrawn | AttemptOrphaned | Adopted
        | CompletionRefused | CompletionIgnored | Leads | DecisionRefused | SteppedDown => Interest::Matters,
        ToldLost | WrapperEnded | Applied | Cleaned | Fenced | Repeated | KeyBusy | EffectDone
        | LockRefused | LockExpired | Staged | StageRefused | FenceForgotten | TooLate | Conflicted
        | CommitFound => Interest::Matters,
        Paused | Resumed | Frozen | Thawed | Crashed | Restarted | Slowed | LinkCut | LinkHealed
        | LinkDegraded | LinkRestored | ClockStepped | ClockRated | InputChanged | RuleSet | Decided
        | Redelivered | Reserved | Respawned => Interest::Matters,
        // How it ended is said where it did not simply finish.
        Ended if record.flag != 0 => Interest::Matters,
        Lost => match record.message() {
            Some(MessageKind::Heartbeat | MessageKind::HeartbeatReply) => Interest::Detail,
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

fn message(kind: Option<MessageKind>, tick: u16) -> String {
    match kind {
        Some(MessageKind::Dispatch) => "dispatch".into(),
        Some(MessageKind::Delivered) => "acknowledgement".into(),
        Some(MessageKind::Heartbeat) => format!("heartbeat {tick}"),
        Some(MessageKind::HeartbeatReply) => format!("answer to heartbeat {tick}"),
        Some(MessageKind::Completed) => "completion".into(),
        Some(MessageKind::CompletionReply) => "answer to the completion".into(),
        Some(MessageKind::Failed) => "failure".into(),
        Some(MessageKind::Stopped) => "word that it stopped".into(),
        Some(MessageKind::Kill) => "order to kill it".into(),
        Some(MessageKind::Raise) => "raise".into(),
        Some(MessageKind::Look) => "look".into(),
        Some(MessageKind::Seen) => "answer to the look".into(),
        Some(MessageKind::Request) => "request".into(),
        Some(MessageKind::Reply) => "reply".into(),
        Some(MessageKind::Operator) | None => "decision".into(),
    }
}

/// A step of a program, as pseudo-code.
pub fn step(step: &Step, names: &Names) -> String {
    let with = |word: &str, sink: &NodeId| format!("{word} {}", names.within(*sink));
    match step {
        Step::Read => "read the input".into(),
        Step::Compute(span) => format!("compute {}", length(span.0)),
        Step::Block(span) => format!("block the loop {}", length(span.0)),
        Step::CheckLease => "check the lease".into(),
        Step::Write { sink, parts, part } if *parts > 1 => {
            format!("write {}, part {} of {parts}", names.within(*sink), part + 1)
        }
        Step::Write { sink, .. } => with("write", sink),
        Step::Look { sink } => with("look at", sink),
        Step::Stage { sink } => with("stage for", sink),
        Step::Swap { sink } => with("swap into", sink),
        Step::Clean { sink, what } => match what {
            Clean::Staged => with("delete older staging of", sink),
            Clean::Older => with("delete older output of", sink),
            Clean::Others => with("delete all other output of", sink),
        },
        Step::Lock { sink } => with("lock", sink),
        Step::Unlock { sink } => with("unlock", sink),
        Step::Effect { sink } => with("call", sink),
        Step::Work { sink } => with("use", sink),
        Step::Acknowledge => "acknowledge".into(),
    }
}

fn path(record: &Record) -> (&'static str, &'static str) {
    let path = match record.flag {
        0 => "control path",
        1 => "data path",
        _ => "control and data paths",
    };
    let way = match record.n {
        0 => "",
        1 => ", outward only",
        _ => ", inward only",
    };
    (path, way)
}

/// The sentence of a record.
pub fn tell(record: &Record, names: &Names) -> Sentence {
    use Kind::*;
    let token = || names.token(record.exec());
    let text = |text: &str| Piece::Text(text.to_owned());
    let node = || names.node(record.node);
    // "7" + " granted to worker 1"
    let of_token = |after: String| vec![token(), Piece::Text(after)];
    let around = |before: &str, after: String| vec![text(before), token(), Piece::Text(after)];
    let by_node = |between: &str, after: &str| {
        vec![Piece::Text(format!("{} {between} ", node())), token(), text(after)]
    };
    let strong = |what: String| vec![Piece::Strong(what)];
    match record.kind {
        Sent => {
            let what = message(record.message(), record.n);
            let to = format!(" to {}", names.within(record.peer));
            vec![Piece::Text(format!("{} sends the {what} of ", node())), token(), Piece::Text(to)]
        }
        Delivered => {
            let what = capital(&message(record.message(), record.n));
            let to = format!(" reaches {}", names.within(record.node));
            vec![Piece::Text(format!("{what} of ")), token(), Piece::Text(to)]
        }
        Lost => {
            let how = match record.b {
                0 => "the link is cut",
                1 => "lost on the way",
                _ => "nobody is there",
            };
            let what = capital(&message(record.message(), record.n));
            let to = format!(" does not reach {}: {how}", names.within(record.node));
            vec![Piece::Text(format!("{what} of ")), token(), Piece::Text(to)]
        }
        TaskIs => {
            let state = match record.flag {
                0 => "waiting",
                1 => "queued",
                2 => "running",
                3 => "succeeded",
                4 => "failed",
                _ => "skipped",
            };
            vec![Piece::Text(format!("{} records {} as {state}", node(), names.task(record.task)))]
        }
        Granted => of_token(format!(" granted to {}", names.within(record.peer))),
        LeaseStarted => around("The lease of ", " starts".into()),
        Renewed => around("The lease of ", " is renewed".into()),
        Refused if record.flag == 1 => around("A heartbeat of ", " is refused: stop".into()),
        Refused => around("A heartbeat of ", " is refused".into()),
        DeliveryRecorded => around("The delivery of ", " is recorded".into()),
        Expired => around("Sweep: the lease of ", " is over".into()),
        Observed => around("Sweep: the record of ", " has changed, and is timed anew".into()),
        Guarded => around("Jump guard: the lease of ", " gets a clean window".into()),
        StopAsked => around("The holder of ", " is asked to stop".into()),
        HeldForOperator => of_token(" is held for an operator".into()),
        HoldAlert => around("Alert: ", " is still held".into()),
        Overran if record.flag == 0 => around("Attempt of ", " has not got on for too long".into()),
        Overran => around("Attempt of ", " has taken too long".into()),
        KillAsked => around("The worker of ", " is ordered to kill it".into()),
        AttemptSucceeded => {
            let by = match record.success_by() {
                SuccessBy::Report => "",
                SuccessBy::Operator => " by the operator",
            };
            around("Attempt of ", format!(" is recorded as success{by}"))
        }
        AttemptFailed => {
            let why = match record.flag {
                0 => "fenced",
                1 => "no answer",
                2 => "a leftover in its way",
                4 => "another write came first",
                _ => "the operator's decision",
            };
            around("Attempt of ", format!(" is recorded as failed: {why}"))
        }
        AttemptTimedOut => around("Attempt of ", " is recorded as timed out".into()),
        AttemptOrphaned => around("Restart: attempt of ", " is given up".into()),
        Adopted => around("Restart: attempt of ", " is adopted".into()),
        AttemptWithdrawn => around("Attempt of ", " is withdrawn".into()),
        CompletionRefused => around("The completion of ", " is refused".into()),
        CompletionIgnored => around("The completion of ", " is ignored".into()),
        Started => by_node("starts", ""),
        StepBegan | StepEnded => {
            let task = names.scenario.tasks.get(usize::from(record.task.0));
            let number = u8::try_from(record.n).unwrap_or(u8::MAX);
            let does = task.and_then(|task| task.step(number)).map(|of| step(&of, names));
            let word = if record.kind == StepBegan { " begins to " } else { " has done: " };
            of_token(format!("{word}{}", does.unwrap_or_else(|| "go on".into())))
        }
        InputRead => of_token(format!(" reads version {} of its input", record.flag)),
        Believes => by_node("counts on the lease of", ""),
        BeatStarved => around("A heartbeat of ", " starves: the task holds the loop".into()),
        BeatWaited => around("A heartbeat of ", " is not sent: the one before it waits for its reply".into()),
        BeatsMissed => {
            let many = plural(record.b, "heartbeat", "heartbeats");
            vec![Piece::Text(format!("{many} of ")), token(), text(" fell due and were not sent")]
        }
        RenewalFailed => around("No answer to a heartbeat of ", " in time".into()),
        ToldLost => {
            vec![Piece::Text(format!("{} is told that the lease of ", node())), token(), text(" is lost")]
        }
        Ended => match record.flag {
            0 => by_node("finishes", ""),
            1 => by_node("stops", " by itself"),
            2 => by_node("stops", ": fenced"),
            3 => by_node("gives up on", ": no answer"),
            4 => by_node("fails with", ": a leftover is in the way"),
            5 => by_node("dies with", ""),
            7 => by_node("stops", ": another write came first"),
            8 => by_node("drops", ": it was started before"),
            _ => by_node("kills", ", as it was asked to"),
        },
        Reserved => by_node("holds", " until it has a slot"),
        Respawned => by_node("starts", " again: its host saw it die"),
        WrapperEnded => {
            let how = if record.flag == 1 { " stops" } else { " is killed" };
            around("The wrapper of ", format!("{how}; its child goes on"))
        }
        Raised => vec![Piece::Text(format!("{}: the fence is raised to ", node())), token()],
        Applied => {
            let rows = count(record.b);
            if names.is_stale(record) {
                vec![token(), Piece::Strong(format!(" writes {rows} rows, stale.")), text(" Accepted")]
            } else {
                of_token(format!(" writes {rows} rows"))
            }
        }
        Fenced => vec![
            token(),
            Piece::Strong(" is fenced:".into()),
            Piece::Text(format!(" {} has seen ", names.within(record.node))),
            names.token_of(record.b),
        ],
        TooLate => vec![
            token(),
            Piece::Strong(" is refused:".into()),
            text(" its lease is over by the sink's clock"),
        ],
        Conflicted => vec![
            token(),
            text(" comes too late: it rests on what stood before "),
            names.token(record.holder()),
        ],
        CommitFound => {
            vec![token(), text(" is skipped: the log has the commit of "), names.token(record.holder())]
        }
        Repeated => around("A repeat by ", format!(" is recognised by {}", names.within(record.node))),
        KeyBusy => {
            let held = format!(" is told to come back: {} still serves ", names.within(record.node));
            vec![token(), Piece::Text(held), names.token(record.holder())]
        }
        EffectDone => {
            let what = match names.sink_kind(record.node) {
                Some(SinkKind::Mailbox) => " sends a mail".into(),
                _ => format!(" is done by {}", names.within(record.node)),
            };
            match names.sink_kind(record.node) {
                Some(SinkKind::Mailbox) => of_token(what),
                _ => around("The call of ", what),
            }
        }
        Locked => of_token(format!(" takes the lock of {}", names.within(record.node))),
        LockRefused => {
            let held = format!(" finds {} locked by ", names.within(record.node));
            vec![token(), Piece::Text(held), names.token(record.holder())]
        }
        Unlocked => of_token(format!(" gives the lock of {} back", names.within(record.node))),
        LockExpired => around("The lock of ", " runs out".into()),
        Staged => of_token(format!(" stages {} rows", count(record.b))),
        StageRefused => vec![token(), text(" finds the staging table of "), names.token(record.holder())],
        Swapped => of_token(" swaps its staging table in".into()),
        Cleaned => {
            let staged = if record.flag == 0 { " staged" } else { "" };
            let deletes = format!(" deletes {}{staged} rows of ", count(i64::from(record.deleted())));
            vec![token(), Piece::Text(deletes), names.token(record.holder())]
        }
        Worked => of_token(format!(" is served by {}", names.within(record.node))),
        FenceForgotten => strong(format!("{} forgets every token it has seen", node())),
        Paused => strong(format!("{} is paused", node())),
        Resumed => strong(format!("{} resumes", node())),
        Frozen => strong(format!("The host of {} is suspended", names.within(record.node))),
        Thawed => strong(format!("The host of {} wakes", names.within(record.node))),
        Crashed if record.b > 0 => strong(format!("The host of {} reboots", names.within(record.node))),
        Crashed => strong(format!("{} crashes", node())),
        Restarted => strong(format!("{} is back", node())),
        Slowed if record.b >= 100 => strong(format!("{} runs at full speed again", node())),
        Slowed => strong(format!("{} runs at {} % of its speed", node(), record.b)),
        LinkCut | LinkHealed | LinkDegraded | LinkRestored => {
            let (path, way) = path(record);
            let what = match record.kind {
                LinkCut if record.b == 1 => "holds its messages back",
                LinkCut => "is cut",
                LinkHealed if record.b == 1 => "lets its messages through",
                LinkHealed => "is whole again",
                LinkDegraded => "is worse",
                _ => "is as good as before",
            };
            strong(format!("The {path} of {} {what}{way}", names.within(record.node)))
        }
        ClockStepped => {
            let sign = if record.b < 0 { "" } else { "+" };
            strong(format!(
                "The clock of {} steps {sign}{}",
                names.within(record.node),
                length(Span(record.b).0)
            ))
        }
        ClockRated => {
            let whose = names.within(record.node);
            strong(match record.b {
                0 => format!("The clocks of {whose} run true"),
                off => format!("The clocks of {whose} run {}", super::faults::drift(off)),
            })
        }
        InputChanged => {
            strong(format!("The input of {} is now version {}", names.task(record.task), record.flag))
        }
        Leads => strong(format!("{} leads, in epoch {}", node(), record.b)),
        DecisionRefused => {
            let why = match record.flag {
                0 => format!("epoch {} is over", record.n),
                _ => "no word from the store".into(),
            };
            strong(format!("{} decides, and nothing of it is recorded: {why}", node()))
        }
        SteppedDown => strong(format!("{} stands by", node())),
        RuleSet => strong("A rule is changed".into()),
        Redelivered => {
            around("The dispatch of ", format!(" is delivered once more, to {}", names.within(record.node)))
        }
        Decided => {
            let what = match record.flag {
                0 => "give it to another worker",
                1 => "record it as failed",
                2 => "record it as succeeded",
                3 => "extend the lease",
                _ => "have it killed",
            };
            strong(format!("The operator decides on {}: {what}", names.task(record.task)))
        }
        Void => vec![text("An act finds nothing to do")],
    }
}

/// The numbering of [`Decided`](Kind::Decided) follows the engine's.
const _: () = assert!(Decision::Redispatch as u8 == 0 && Decision::Cancel as u8 == 4);
