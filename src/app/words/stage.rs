//! The words on the stage. A label has several wordings, the fullest first; the placer takes the
//! first that fits.

use super::{count, instant, length};
use fenceline_engine::{Decision, Ending, IdempotencyKey, SinkKind, Span};
use fenceline_sim::{At, Kind};

/// Wordings of one label, the fullest first.
pub type Wordings = Vec<String>;

fn wordings<const N: usize>(texts: [String; N]) -> Wordings {
    texts.into_iter().collect()
}

/// An execution's bar.
pub fn runs(attempt: u8, token: u32) -> Wordings {
    wordings([format!("attempt {attempt}, token {token}"), format!("attempt {attempt}"), token.to_string()])
}

/// A scheduler begins to lead, is refused, or stands back.
pub fn leadership(kind: Kind, epoch: i64) -> Wordings {
    match kind {
        Kind::Leads => wordings([format!("leads, epoch {epoch}"), "leads".into()]),
        Kind::DecisionRefused => wordings(["refused, stands by".into(), "refused".into()]),
        _ => wordings(["stands by".into()]),
    }
}

/// A paused or suspended stretch; none while it lasts.
pub fn paused(lasted: Option<Span>, host: bool) -> Wordings {
    let word = if host { "host suspended" } else { "paused" };
    match lasted {
        Some(lasted) => {
            let lasted = length(lasted.0);
            wordings([format!("❚❚ {word} {lasted}"), format!("❚❚ {lasted}"), "❚❚".into()])
        }
        None => wordings([format!("❚❚ {word}"), "❚❚".into()]),
    }
}

pub const ZOMBIE: &str = "zombie";

pub fn zombie(window: Span, paused: Span, lasts: bool) -> Wordings {
    let so_far = if lasts { " so far" } else { "" };
    let total = format!("zombie {}{so_far}", length(window.0));
    let short = wordings([total.clone(), ZOMBIE.into()]);
    if paused == Span::ZERO || paused == window {
        return short;
    }
    let apart = length(paused.0);
    let mut all = vec![format!("{total}, {} paused", apart.trim_end_matches(" s"))];
    all.extend(short);
    all
}

/// A belief's end: told that the lease is lost.
pub fn told(goes_on: bool) -> Wordings {
    let then = if goes_on { "ignores it" } else { "stops" };
    wordings([format!("told: lost; {then}"), "told: lost".into()])
}

pub fn lease_ended(at: At, starts: Option<u32>) -> Wordings {
    let time = instant(at, starts);
    wordings([format!("lease ended {time}"), "lease ended".into()])
}

pub fn lease_withdrawn(at: At, starts: Option<u32>) -> Wordings {
    let time = instant(at, starts);
    wordings([format!("lease withdrawn {time}"), "withdrawn".into()])
}

/// The attempt was closed in the record after its execution had ended.
pub fn closed() -> Wordings {
    wordings(["closed".into()])
}

pub fn released() -> Wordings {
    wordings(["released".into()])
}

/// How an execution ended, where it did not simply finish.
pub fn ended(how: Ending) -> Option<Wordings> {
    Some(match how {
        Ending::Finished => return None,
        Ending::SelfFenced => wordings(["stopped itself".into(), "stopped".into()]),
        Ending::Fenced => wordings(["stopped: fenced".into(), "stopped".into()]),
        Ending::NoAnswer => wordings(["gave up: no answer".into(), "gave up".into()]),
        Ending::Leftover => wordings(["failed on a leftover".into(), "failed".into()]),
        Ending::Crashed => wordings(["crashed".into()]),
        Ending::Killed => wordings(["killed".into()]),
        Ending::StoodDown => wordings(["dropped it: started before".into(), "dropped".into()]),
        Ending::Denied => wordings(["stopped: may not commit".into(), "stopped".into()]),
        Ending::Errored => wordings(["gave up: errors only".into(), "gave up".into()]),
        Ending::Replaced => wordings(["replaced".into()]),
        Ending::Conflict => wordings(["stopped: lost the race".into(), "stopped".into()]),
    })
}

/// The length between two instants.
pub fn time_span(from: At, until: At) -> Span {
    Span(i64::try_from(until.saturating_sub(from)).unwrap_or(i64::MAX))
}

// --- the start page's rows ---

pub const LEASE_OVER: &str = "Lease over: ";
pub const OLDER_THAN: &str = " older than ";
pub const A_ZOMBIE: &str = ": a zombie";

pub fn to(whom: &str) -> String {
    format!(" to {whom}")
}

pub fn wrote(rows: i64, more: bool) -> String {
    format!(" writes {} {}", count(rows), if more { "more" } else { "rows" })
}

// --- scheduler ---

/// The story while an attempt is open.
pub fn thinks(task: Option<&str>, attempt: u8) -> Wordings {
    let attempt = format!("attempt {attempt}");
    match task {
        Some(task) => {
            wordings([format!("thinks {task}, {attempt} runs"), format!("{task}, {attempt}"), attempt])
        }
        None => wordings([format!("thinks {attempt} runs"), attempt]),
    }
}

pub fn grace() -> Wordings {
    wordings(["grace: asked to stop".into(), "grace".into()])
}

pub fn held() -> Wordings {
    wordings(["held for an operator".into(), "held".into()])
}

pub fn success(alerts: usize) -> Wordings {
    let alerts = super::plural(alerts as i64, "alert", "alerts");
    wordings([format!("✓ success, {alerts}"), "✓ success".into(), "✓".into()])
}

/// A task that failed or was skipped.
pub fn not_done(skipped: bool) -> Wordings {
    let how = if skipped { "skipped" } else { "failed" };
    wordings([format!("task {how}"), how.into()])
}

pub fn no_word(lasted: Span) -> Wordings {
    let lasted = length(lasted.0);
    wordings([format!("no word for {lasted}"), lasted])
}

pub fn sweep(expired: usize) -> Wordings {
    match expired {
        1 => wordings(["sweep: lease over".into(), "lease over".into()]),
        n => wordings([format!("sweep: {n} leases over"), format!("{n} over")]),
    }
}

pub fn guarded(leases: usize) -> Wordings {
    let leases = super::plural(leases as i64, "lease", "leases");
    wordings([format!("jump guard: {leases} left alone"), "jump guard".into()])
}

pub fn grants(first: u32, last: u32, at: At, starts: Option<u32>) -> Wordings {
    let tokens = if first == last { first.to_string() } else { format!("{first}–{last}") };
    wordings([format!("grants {tokens} at {}", instant(at, starts)), format!("grants {tokens}")])
}

pub fn refused(token: u32) -> Wordings {
    wordings([format!("heartbeat of {token} refused"), format!("{token} refused")])
}

pub fn down(lasted: Option<Span>) -> Wordings {
    match lasted {
        Some(lasted) => {
            let lasted = length(lasted.0);
            wordings([format!("✕ down {lasted}"), "✕ down".into(), "✕".into()])
        }
        None => wordings(["✕ down".into(), "✕".into()]),
    }
}

/// What a fault made of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    Cut,
    Held,
    Worse,
}

pub fn link(lasted: Option<Span>, link: Link) -> Wordings {
    let word = match link {
        Link::Cut => "cut",
        Link::Held => "held",
        Link::Worse => "worse",
    };
    match lasted {
        Some(lasted) => wordings([format!("{word} {}", length(lasted.0)), word.into()]),
        None => wordings([word.into()]),
    }
}

pub fn restarts() -> Wordings {
    wordings(["restarts".into()])
}

pub fn slow(percent: i64) -> Wordings {
    wordings([format!("at {percent} % speed"), format!("{percent} %")])
}

pub fn late(by: Span) -> Wordings {
    wordings([format!("{} late", length(by.0))])
}

pub fn step(by: Span) -> Wordings {
    let sign = if by.0 < 0 { "" } else { "+" };
    wordings([format!("clock steps {sign}{}", length(by.0)), format!("{sign}{}", length(by.0))])
}

/// The clocks of a node run off from here on, or true again.
pub fn drift(ppm: i64) -> Wordings {
    match ppm {
        0 => wordings(["clock runs true".into(), "true".into()]),
        off => {
            let off = super::faults::drift(off);
            wordings([format!("clock {off}"), off])
        }
    }
}

pub fn input(version: u8) -> Wordings {
    wordings([format!("input version {version}"), format!("input {version}")])
}

pub fn decided(decision: u8) -> Wordings {
    let decision = match decision {
        0 => Decision::Redispatch,
        1 => Decision::Fail,
        2 => Decision::Succeed,
        3 => Decision::Extend,
        4 => Decision::Cancel,
        _ => Decision::Rerun,
    };
    let what = super::faults::decided(decision);
    wordings([format!("operator: {what}"), "operator".into()])
}

// --- sink ---

pub fn sink_kind(kind: &SinkKind) -> &'static str {
    match kind {
        SinkKind::Append => "append",
        SinkKind::Overwrite => "overwrite",
        SinkKind::Merge => "merge on key",
        SinkKind::Staged { .. } => "staging, swap",
        SinkKind::Locked { .. } => "append, locked",
        SinkKind::Api(IdempotencyKey::None) => "API, no key",
        SinkKind::Api(IdempotencyKey::FromTask(_)) => "API, task key",
        SinkKind::Api(IdempotencyKey::FromAttempt) => "API, attempt key",
        SinkKind::Mailbox => "mailbox",
        SinkKind::Resource => "shared resource",
        SinkKind::Objects(_) => "objects",
        SinkKind::Log(_) => "commit log",
    }
}

/// A sink in one short word, over its lane on the phone.
pub fn sink_word(kind: &SinkKind) -> &'static str {
    match kind {
        SinkKind::Api(_) => "API",
        SinkKind::Mailbox => "mail",
        SinkKind::Resource => "pool",
        SinkKind::Objects(_) => "object",
        SinkKind::Log(_) => "log",
        _ => "table",
    }
}

pub fn no_fence() -> Wordings {
    wordings(["none: any token may write".into(), "none".into()])
}

pub fn fence_at_rest() -> Wordings {
    wordings(["on: no token seen yet".into(), "on".into()])
}

pub fn forgotten() -> Wordings {
    wordings(["restarted: forgets its tokens".into(), "forgotten".into()])
}

pub fn expected(rows: i64) -> Wordings {
    wordings([format!("expected {} rows", count(rows)), "expected".into()])
}

pub fn rows(n: i64, token: u32) -> Wordings {
    wordings([format!("{} rows, token {token}", count(n)), format!("{} rows", count(n)), count(n)])
}

pub fn rows_in_all(n: i64) -> Wordings {
    wordings([format!("{} rows", count(n))])
}

pub fn stale_rows(n: i64) -> Wordings {
    wordings([format!("{} stale rows", count(n)), format!("+{}", count(n))])
}

pub fn stale_write(at: At, starts: Option<u32>, is_effect: bool) -> Wordings {
    let what = if is_effect { "stale effect" } else { "stale write" };
    wordings([format!("{what} {}", instant(at, starts)), what.into(), "stale".into()])
}

pub fn fenced(token: u32, highest: u32) -> Wordings {
    // A fence that compares otherwise stops a token that is not older.
    let sign = if token < highest { "<" } else { "≠" };
    wordings([format!("fenced: {token} {sign} {highest}"), "fenced".into()])
}

pub fn repeat() -> Wordings {
    wordings(["repeat: recognised".into(), "repeat".into()])
}

/// A write that met a lock, or another's staging table.
pub fn turned_back(is_lock: bool) -> Wordings {
    wordings([if is_lock { "locked" } else { "staging table in the way" }.into()])
}

pub fn reply_lost() -> Wordings {
    wordings(["reply lost".into()])
}

pub fn nth_effect(nth: usize, of_one: usize) -> Wordings {
    wordings([format!("{nth} of {of_one}")])
}

pub fn load(peak: usize) -> Wordings {
    wordings([format!("peak {peak} at once"), format!("peak {peak}")])
}

pub fn leftover(is_lock: bool) -> Wordings {
    let what = if is_lock { "lock" } else { "staging table" };
    wordings([format!("{what} left behind"), what.into()])
}

// --- rail and rows ---

pub fn idle_rail(why: &str) -> Wordings {
    if why.is_empty() || why == "not exercised" {
        return wordings(["not exercised".into()]);
    }
    wordings([format!("not exercised: {why}"), "not exercised".into()])
}

/// `what` says since when, too: "two outputs from 85.4 s".
pub fn verdict(holds: bool, what: &str) -> Wordings {
    let glyph = if holds { "✓" } else { "✕" };
    let short = what.split(" from ").next().unwrap_or(what);
    wordings([format!("{glyph} {what}"), format!("{glyph} {short}"), glyph.into()])
}

pub fn not_run_yet() -> Wordings {
    wordings(["not run yet".into()])
}

/// Beyond the torn edge of a run that was stopped; the line above the picture says which limit.
pub fn stopped_here() -> Wordings {
    wordings(["stopped here, at a limit".into(), "stopped here".into()])
}

/// What the scheduler thinks of many attempts at once.
pub fn thinks_many(most: usize) -> Wordings {
    wordings([format!("thinks {most} attempts run"), format!("{most} run")])
}

/// How many tasks it has recorded as what.
pub fn outcomes(succeeded: usize, failed: usize) -> Wordings {
    let mut said = format!("✓ {succeeded} success");
    if failed > 0 {
        said += &format!(", {failed} failed");
    }
    wordings([said, format!("✓ {succeeded}")])
}

pub fn at_once(peak: usize) -> Wordings {
    wordings([format!("peak {peak} at once"), format!("{peak}")])
}
