//! The sentences of what the first run has none of.

use super::{About, Names, Piece, Sentence, capital, strong, text};
use crate::app::words::{count, faults, length, plural};
use fenceline_engine::{Clean, Decision, NodeId, SinkKind, Span, Step};
use fenceline_sim::{Kind, MessageKind, Record};

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
        Some(MessageKind::Ask) => "question whether it may commit".into(),
        Some(MessageKind::MayCommit) => "answer whether it may commit".into(),
        Some(MessageKind::Request) => "request".into(),
        Some(MessageKind::Reply) => "reply".into(),
        Some(MessageKind::Operator | MessageKind::StoreCall | MessageKind::StoreReply) | None => {
            "decision".into()
        }
    }
}

/// A call to the store of the record, or its answer.
fn store_call(record: &Record, names: &Names) -> String {
    let (node, peer) = (names.within(record.node), names.within(record.peer));
    match (record.kind, record.message()) {
        (Kind::Sent, Some(MessageKind::StoreCall)) => format!("{} calls {peer}, and waits", capital(&node)),
        (Kind::Sent, _) => format!("{} answers {peer}", capital(&node)),
        (Kind::Lost, _) => format!("Nothing of {peer} reaches {node}"),
        _ => format!("Word of {peer} reaches {node}"),
    }
}

/// A step of a program, as pseudo-code.
pub fn step(step: &Step, names: &Names) -> String {
    let with = |word: &str, sink: &NodeId| format!("{word} {}", names.within(*sink));
    match step {
        Step::Read => "read the input".into(),
        Step::ReadFrom { sink } => with("read", sink),
        Step::Compute(span) => format!("compute {}", length(span.0)),
        Step::Block(span) => format!("block the loop {}", length(span.0)),
        Step::Beat => "send a heartbeat".into(),
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
        Step::Ask => "ask whether it may commit".into(),
        Step::Note { sink } => with("note it as done in", sink),
        Step::Check { sink } => with("look whether it is done in", sink),
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

/// What a copy is of.
fn whose_copy(record: &Record, names: &Names) -> String {
    match names.sink_kind(record.node) {
        Some(_) => names.within(record.node),
        None => "the counter of tokens".into(),
    }
}

/// The sentence of a record that [`common`](super::common) has none for.
pub(super) fn tell(record: &Record, names: &Names) -> Sentence {
    use Kind::*;
    let it = About { record, names };
    match record.kind {
        Sent | Delivered | Lost if record.is_store_call() => vec![Piece::Text(store_call(record, names))],
        Sent => {
            let what = message(record.message(), record.n);
            let to = format!(" to {}", names.within(record.peer));
            vec![Piece::Text(format!("{} sends the {what} of ", it.node())), it.token(), Piece::Text(to)]
        }
        Duplicated => {
            let what = message(record.message(), record.n);
            vec![Piece::Text(format!("The link makes two of the {what} of ")), it.token()]
        }
        Delivered => {
            let what = capital(&message(record.message(), record.n));
            let to = format!(" reaches {}", names.within(record.node));
            vec![Piece::Text(format!("{what} of ")), it.token(), Piece::Text(to)]
        }
        Lost => {
            let how = match record.b {
                0 => "the link is cut",
                1 => "lost on the way",
                _ => "nobody is there",
            };
            let what = capital(&message(record.message(), record.n));
            let to = format!(" does not reach {}: {how}", names.within(record.node));
            vec![Piece::Text(format!("{what} of ")), it.token(), Piece::Text(to)]
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
            vec![Piece::Text(format!("{} records {} as {state}", it.node(), names.task(record.task)))]
        }
        LeaseStarted => it.around("The lease of ", " starts".into()),
        Renewed => it.around("The lease of ", " is renewed".into()),
        Refused if record.flag == 1 => it.around("A heartbeat of ", " is refused: stop".into()),
        Refused if record.flag == 2 => it.around("A heartbeat of ", " is not answered".into()),
        Refused => it.around("A heartbeat of ", " is refused".into()),
        BeatQueued => {
            let before = plural(record.b + 1, "is before it", "are before it");
            it.around("A heartbeat of ", format!(" waits to be handled: {before}"))
        }
        DeliveryRecorded => it.around("The delivery of ", " is recorded".into()),
        Observed => it.around("Sweep: the record of ", " has changed, and is timed anew".into()),
        Guarded => it.around("Jump guard: the lease of ", " gets a clean window".into()),
        StopAsked => it.around("The holder of ", " is asked to stop".into()),
        HeldForOperator => it.of_token(" is held for an operator".into()),
        HoldAlert => it.around("Alert: ", " is still held".into()),
        Overran if record.flag == 0 => it.around("Attempt of ", " has not got on for too long".into()),
        Overran => it.around("Attempt of ", " has taken too long".into()),
        KillAsked => it.around("The worker of ", " is ordered to kill it".into()),
        AttemptFailed => {
            let why = match record.flag {
                0 => "fenced",
                1 => "no answer",
                2 => "a leftover in its way",
                4 => "another write came first",
                5 => "errors only",
                6 => "it may not commit",
                _ => "the operator's decision",
            };
            it.around("Attempt of ", format!(" is recorded as failed: {why}"))
        }
        AttemptTimedOut => it.around("Attempt of ", " is recorded as timed out".into()),
        AttemptOrphaned => it.around("Restart: attempt of ", " is given up".into()),
        Adopted => it.around("Restart: attempt of ", " is adopted".into()),
        Kept => it.around("Attempt of ", " is back, and is kept".into()),
        AttemptWithdrawn => it.around("Attempt of ", " is withdrawn".into()),
        CompletionIgnored => it.around("The completion of ", " is ignored".into()),
        Started => it.by_node("starts", ""),
        StepBegan | StepEnded => {
            let task = names.scenario.tasks.get(usize::from(record.task.0));
            let number = u8::try_from(record.n).unwrap_or(u8::MAX);
            let does = task.and_then(|task| task.step(number)).map(|of| step(&of, names));
            let word = if record.kind == StepBegan { " begins to " } else { " has done: " };
            it.of_token(format!("{word}{}", does.unwrap_or_else(|| "go on".into())))
        }
        InputRead => it.of_token(format!(" reads version {} of its input", record.flag)),
        TableRead => it.of_token(format!(" reads {} rows of {}", count(record.b), names.within(record.node))),
        Believes => it.by_node("counts on the lease of", ""),
        BeatStarved => it.around("A heartbeat of ", " starves: the task holds the loop".into()),
        BeatWaited => {
            it.around("A heartbeat of ", " is not sent: the one before it waits for its reply".into())
        }
        BeatsMissed => {
            let many = plural(record.b, "heartbeat", "heartbeats");
            vec![Piece::Text(format!("{many} of ")), it.token(), text(" fell due and were not sent")]
        }
        RenewalFailed => it.around("No good answer to a heartbeat of ", " in time".into()),
        Reserved => it.by_node("holds", " until it has a slot"),
        Respawned => it.by_node("starts", " again: its host saw it die"),
        WrapperEnded => {
            let how = if record.flag == 1 { " stops" } else { " is killed" };
            it.around("The wrapper of ", format!("{how}; its child goes on"))
        }
        TooLate => vec![
            it.token(),
            Piece::Strong(" is refused:".into()),
            text(" its lease is over by the sink's clock"),
        ],
        Conflicted => vec![
            it.token(),
            text(" comes too late: it rests on what stood before "),
            names.token(record.holder()),
        ],
        CommitFound => {
            vec![it.token(), text(" is skipped: the log has the commit of "), names.token(record.holder())]
        }
        Repeated => it.around("A repeat by ", format!(" is recognised by {}", names.within(record.node))),
        KeyBusy => {
            let held = format!(" is told to come back: {} still serves ", names.within(record.node));
            vec![it.token(), Piece::Text(held), names.token(record.holder())]
        }
        EffectDone => {
            let what = match names.sink_kind(record.node) {
                Some(SinkKind::Mailbox) => " sends a mail".into(),
                _ => format!(" is done by {}", names.within(record.node)),
            };
            match names.sink_kind(record.node) {
                Some(SinkKind::Mailbox) => it.of_token(what),
                _ => it.around("The call of ", what),
            }
        }
        Locked => it.of_token(format!(" takes the lock of {}", names.within(record.node))),
        LockRefused => {
            let held = format!(" finds {} locked by ", names.within(record.node));
            vec![it.token(), Piece::Text(held), names.token(record.holder())]
        }
        Unlocked => it.of_token(format!(" gives the lock of {} back", names.within(record.node))),
        LockExpired => it.around("The lock of ", " runs out".into()),
        Staged => it.of_token(format!(" stages {} rows", count(record.b))),
        StageRefused => vec![it.token(), text(" finds the staging table of "), names.token(record.holder())],
        Swapped => it.of_token(" swaps its staging table in".into()),
        Cleaned => {
            let staged = if record.flag == 0 { " staged" } else { "" };
            let deletes = format!(" deletes {}{staged} rows of ", count(i64::from(record.deleted())));
            vec![it.token(), Piece::Text(deletes), names.token(record.holder())]
        }
        Worked => it.of_token(format!(" is served by {}", names.within(record.node))),
        FenceForgotten => strong(format!("{} forgets every token it has seen", it.node())),
        Frozen => strong(format!("The host of {} is suspended", names.within(record.node))),
        Thawed => strong(format!("The host of {} wakes", names.within(record.node))),
        Crashed if record.b > 0 => strong(format!("The host of {} reboots", names.within(record.node))),
        Crashed => strong(format!("{} crashes", it.node())),
        Restarted => strong(format!("{} is back", it.node())),
        LoopHeld => strong(format!("Something holds the loop of {}", names.within(record.node))),
        LoopFreed => strong(format!("The loop of {} is free again", names.within(record.node))),
        Slowed if record.b >= 100 => strong(format!("{} runs at full speed again", it.node())),
        Slowed => strong(format!("{} runs at {} % of its speed", it.node(), record.b)),
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
                off => format!("The clocks of {whose} run {}", faults::drift(off)),
            })
        }
        InputChanged => {
            strong(format!("The input of {} is now version {}", names.task(record.task), record.flag))
        }
        Leads => strong(format!("{} leads, in epoch {}", it.node(), record.b)),
        DecisionRefused => {
            let why = match record.flag {
                0 => format!("epoch {} is over", record.n),
                2 => "a lease was renewed meanwhile".into(),
                _ => "no word from the store".into(),
            };
            strong(format!("{} decides, and nothing of it is recorded: {why}", it.node()))
        }
        SteppedDown => strong(format!("{} stands by", it.node())),
        Redelivered => it
            .around("The dispatch of ", format!(" is delivered once more, to {}", names.within(record.node))),
        Decided => {
            let what = match record.flag {
                0 => "give it to another worker",
                1 => "record it as failed",
                2 => "record it as succeeded",
                3 => "extend the lease",
                4 => "have it killed",
                _ => "run it again",
            };
            strong(format!("The operator decides on {}: {what}", names.task(record.task)))
        }
        CopyTaken => vec![text("A copy is taken of "), Piece::Text(whose_copy(record, names))],
        Restored => strong(format!("{} is put back from an older copy", capital(&whose_copy(record, names)))),
        Failing => {
            let done = if record.flag == 1 { ", and does what it is asked" } else { "" };
            strong(format!("{} answers with errors{done}", it.node()))
        }
        Recovered => strong(format!("{} answers as before", it.node())),
        Errored => it.around("The call of ", format!(" fails at {}", names.within(record.node))),
        Reopened => {
            let which =
                format!("{} is run again, as generation {}", capital(&names.task(record.task)), record.b + 1);
            strong(which)
        }
        CommitAllowed => it.of_token(" may commit: it is the first to ask".into()),
        CommitDenied if record.n == 0 => it.of_token(" may not commit: its time is over".into()),
        CommitDenied => it.of_token(format!(" may not commit: attempt {} may", record.n)),
        Noted => it.around("The call of ", format!(" is noted as done in {}", names.within(record.node))),
        LockForced => it.around("The operator takes the lock away from ", String::new()),
        Void => vec![text("An act finds nothing to do")],
        Ended => it.by_node("stops", " for a newer attempt"),
        // Told by `common`.
        Granted | Expired | AttemptSucceeded | CompletionRefused | ToldLost | Raised | Applied | Fenced
        | Paused | Resumed | RuleSet => Sentence::new(),
    }
}

/// The numbering of [`Decided`](Kind::Decided) follows the engine's.
const _: () = assert!(Decision::Redispatch as u8 == 0 && Decision::Rerun as u8 == 5);
