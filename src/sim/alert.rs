//! Alerts: rules over what the platform can see (records, answers, row counts), never over the truth.

mod reconcile;

use crate::clock::At;
use crate::clocks::NodeClocks;
use crate::fault::{Path, Way};
use crate::record::{Kind, MessageKind, Record};
use crate::scenario::{AlertRule, Scenario};
use crate::verdict::Violation;
use crate::verdict::facts::Facts;
use fenceline_engine::WHOLE;
use fenceline_engine::{Exec, ExpiryClock, NodeId, Span, TaskId, TimerClock};
use reconcile::{reconcile, tick};

/// One alert, as raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alert {
    pub at: At,
    pub source: AlertSource,
    pub about: About,
    /// The record that raised it; none if a delay did.
    pub record: Option<u32>,
}

/// What raised an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertSource {
    Rule(AlertRule),
    /// The scheduler's own: an expired lease is held for an operator.
    Held,
}

/// What an alert names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    Task(TaskId),
    Target { task: TaskId, sink: NodeId },
    Scheduler,
}

impl Alert {
    /// Whether it names a violation's task or sink, or the scheduler as a whole. It belongs to the violation if
    /// it was raised after the earliest cause, too.
    pub(crate) fn names(&self, violation: &Violation) -> bool {
        match self.about {
            About::Task(task) => task == violation.task,
            About::Target { task, sink } => task == violation.task || Some(sink) == violation.sink,
            About::Scheduler => true,
        }
    }
}

/// All alert rules of a scenario, watching its records go by.
#[derive(Clone, Debug)]
pub(crate) struct AlertWatch {
    watches: Vec<Watch>,
    raised: Vec<Alert>,
    /// Every scheduler's clocks, and whether anything of it reaches others.
    schedulers: Vec<(NodeId, NodeClocks, Reach)>,
    /// Which of them leads.
    leader: usize,
    /// Since when somebody waits for an answer of the scheduler's, and nothing of it came.
    asked: Option<At>,
    /// No delay is over before this.
    next: At,
}

/// Whether anything of the scheduler's reaches others: its messages, its sweeps, its record.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    stopped: bool,
    /// Cuts of its way out.
    cuts: u32,
}

impl Reach {
    fn is_lost(self) -> bool {
        self.stopped || self.cuts > 0
    }

    /// What a record of its node's makes of it.
    fn after(self, record: &Record) -> Self {
        let cuts_off = record.flag != Path::Data as u8 && record.n != Way::In as u16;
        match record.kind {
            Kind::Crashed | Kind::Paused | Kind::Frozen => Self { stopped: true, ..self },
            Kind::Restarted | Kind::Resumed | Kind::Thawed => Self { stopped: false, ..self },
            Kind::LinkCut if cuts_off => Self { cuts: self.cuts + 1, ..self },
            Kind::LinkHealed if cuts_off => Self { cuts: self.cuts.saturating_sub(1), ..self },
            _ => self,
        }
    }
}

#[derive(Clone, Debug)]
struct Watch {
    rule: AlertRule,
    state: WatchState,
}

#[derive(Clone, Debug)]
enum WatchState {
    Plain,
    /// By task: the attempt watched, its T, and the true time at which that is too long ago.
    Leases(Vec<Option<Watched>>),
    /// When the scheduler was last heard, if nothing of it reaches others now and that was not raised.
    Silent(Option<At>),
    /// By task.
    Open(Vec<OpenAttempts>),
    /// Compares every so long since `from`; the next time at which there is anything new to compare, and what
    /// is known to differ.
    Reconcile {
        from: At,
        next: At,
        known: Vec<(TaskId, NodeId)>,
    },
}

/// What the record says of a task's attempts.
#[derive(Clone, Copy, Debug, Default)]
struct OpenAttempts {
    /// The newest attempt, if it is open.
    open: Option<u8>,
    /// The last older one that was seen to go on.
    seen: u8,
}

#[derive(Clone, Copy, Debug)]
struct Watched {
    exec: Exec,
    /// Whose clock it is a reading of.
    judge: NodeId,
    reading: i64,
    due: Option<At>,
}

impl Watch {
    /// `silent`: since when nothing of the scheduler's reaches others.
    fn of(rule: AlertRule, tasks: usize, now: At, silent: Option<At>) -> Self {
        let state = match rule {
            AlertRule::LeaseExpired(_) => WatchState::Leases(vec![None; tasks]),
            AlertRule::SchedulerSilent(_) => WatchState::Silent(silent),
            AlertRule::TwoOpen => WatchState::Open(vec![OpenAttempts::default(); tasks]),
            AlertRule::Reconcile(every) => {
                WatchState::Reconcile { from: now, next: tick(now, every, now), known: Vec::new() }
            }
            AlertRule::Retried | AlertRule::FencedWrite => WatchState::Plain,
        };
        Self { rule, state }
    }
}

impl AlertWatch {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let mut watch = Self {
            watches: Vec::new(),
            raised: Vec::new(),
            schedulers: scenario
                .schedulers()
                .map(|node| (node, NodeClocks::new(scenario, node), Reach::default()))
                .collect(),
            leader: 0,
            asked: None,
            next: At::MAX,
        };
        watch.follow(scenario, 0);
        watch
    }

    /// These are the rules now. One that was there goes on; a new one watches what begins from now on.
    pub(crate) fn follow(&mut self, scenario: &Scenario, now: At) {
        if !WHOLE {
            return;
        }
        self.watches.retain(|watch| scenario.alerts.contains(&watch.rule));
        let is_lost = self.is_lost().then_some(now);
        for rule in &scenario.alerts {
            if self.watches.iter().all(|watch| watch.rule != *rule) {
                self.watches.push(Watch::of(*rule, scenario.tasks.len(), now, is_lost));
            }
        }
        self.next = self.next_due();
    }

    pub(crate) fn raised(&self) -> &[Alert] {
        &self.raised
    }

    /// When the next delay is over, at the earliest.
    pub(crate) fn next(&self) -> At {
        self.next
    }

    /// Rows or a record of success may differ from now on.
    fn compare_anew(&mut self, at: At) {
        for watch in &mut self.watches {
            if let (WatchState::Reconcile { from, next, .. }, AlertRule::Reconcile(every)) =
                (&mut watch.state, watch.rule)
            {
                *next = (*next).min(tick(*from, every, at));
                self.next = self.next.min(*next);
            }
        }
    }

    /// A record other than a message's. `is_claim`: it is about a claim, not a write.
    pub(crate) fn observe(&mut self, id: u32, record: &Record, is_claim: bool, clock: ExpiryClock) {
        if !WHOLE {
            return;
        }
        match record.kind {
            Kind::HoldAlert => {
                self.raise(AlertSource::Held, About::Task(record.task), record.at, Some(id));
            }
            Kind::Granted if record.attempt > 1 => {
                self.raise_plain(AlertRule::Retried, About::Task(record.task), record.at, id);
            }
            Kind::Fenced | Kind::TooLate if !is_claim => {
                let about = About::Target { task: record.task, sink: record.node };
                self.raise_plain(AlertRule::FencedWrite, about, record.at, id);
            }
            _ => {}
        }
        if matches!(
            record.kind,
            Kind::Applied
                | Kind::Cleaned
                | Kind::TaskIs
                | Kind::AttemptSucceeded
                | Kind::InputRead
                | Kind::CommitFound
                | Kind::RuleSet
        ) {
            self.compare_anew(record.at);
        }
        let watches = !self.watches.is_empty();
        match record.kind {
            // Where nobody watches now, somebody may later.
            Kind::Leads => self.led_by(record, clock),
            _ if !watches => self.scheduler_fared(record, clock),
            Kind::LeaseStarted | Kind::Renewed | Kind::Guarded | Kind::Observed => {
                self.lease_is(record, clock)
            }
            Kind::Granted | Kind::Kept => self.open_is(record.exec(), true),
            Kind::AttemptSucceeded
            | Kind::AttemptFailed
            | Kind::AttemptTimedOut
            | Kind::AttemptWithdrawn
            | Kind::AttemptOrphaned => {
                self.closed(record.exec());
                self.open_is(record.exec(), false);
            }
            Kind::Refused
            | Kind::Applied
            | Kind::Cleaned
            | Kind::Fenced
            | Kind::TooLate
            | Kind::EffectDone => self.goes_on(id, record),
            _ => self.scheduler_fared(record, clock),
        }
    }

    /// A message was sent: from one that the scheduler answers, silence is counted.
    pub(crate) fn sent(&mut self, record: &Record) {
        if !WHOLE {
            return;
        }
        let is_asked = matches!(record.message(), Some(MessageKind::Heartbeat | MessageKind::Completed));
        if is_asked && self.asked.is_none() && self.heeds_silence() && self.index(record.peer).is_some() {
            self.asked = Some(record.at);
            if !self.is_lost() {
                self.heard_until(self.asked);
            }
        }
    }

    /// A message was delivered: what was on its way when its sender fell silent is still heard.
    pub(crate) fn delivered(&mut self, record: &Record) {
        if !WHOLE {
            return;
        }
        if self.heeds_silence() && self.index(record.peer).is_some() {
            self.asked = None;
            self.heard_until(self.is_lost().then_some(record.at));
        }
    }

    fn heeds_silence(&self) -> bool {
        self.watches.iter().any(|watch| matches!(watch.state, WatchState::Silent(_)))
    }

    /// Raises what fell due before `until`.
    pub(crate) fn fire(&mut self, until: At, facts: &Facts, scenario: &Scenario) {
        if !WHOLE {
            return;
        }
        while self.next < until {
            let now = self.next;
            let mut found = Vec::new();
            for watch in &mut self.watches {
                watch.fire(now, facts, scenario, &mut found);
            }
            for (rule, about) in found {
                self.raise(AlertSource::Rule(rule), about, now, None);
            }
            self.next = self.next_due();
        }
    }

    fn raise(&mut self, source: AlertSource, about: About, at: At, record: Option<u32>) {
        self.raised.push(Alert { at, source, about, record });
    }

    fn raise_plain(&mut self, rule: AlertRule, about: About, at: At, id: u32) {
        if self.watches.iter().any(|watch| watch.rule == rule) {
            self.raise(AlertSource::Rule(rule), about, at, Some(id));
        }
    }

    fn lease_is(&mut self, record: &Record, clock: ExpiryClock) {
        // What the store renews, the leader judges.
        let judge = self.index(record.node).unwrap_or(self.leader);
        let (judge, clocks) = (self.schedulers[judge].0, self.schedulers[judge].1.judging(clock));
        for watch in &mut self.watches {
            let AlertRule::LeaseExpired(after) = watch.rule else { continue };
            let WatchState::Leases(leases) = &mut watch.state else { continue };
            let due = clocks.first_at(record.b.saturating_add(after.0), record.at);
            leases[usize::from(record.task.0)] =
                Some(Watched { exec: record.exec(), judge, reading: record.b, due });
            self.next = self.next.min(due.unwrap_or(At::MAX));
        }
    }

    fn closed(&mut self, exec: Exec) {
        for watch in &mut self.watches {
            if let WatchState::Leases(leases) = &mut watch.state {
                let lease = &mut leases[usize::from(exec.task.0)];
                *lease = lease.filter(|watched| watched.exec != exec);
            }
        }
    }

    /// Something was done to the scheduler's process, links or clocks.
    fn scheduler_fared(&mut self, record: &Record, clock: ExpiryClock) {
        let Some(index) = self.index(record.node) else { return };
        let before = self.is_lost();
        let (_, clocks, reach) = &mut self.schedulers[index];
        *reach = reach.after(record);
        if clocks.observe(record) {
            let reboots = record.kind == Kind::Crashed && clock.reads() == TimerClock::Mono;
            self.set_leases_anew((!reboots).then_some(record.at), index, clock);
        }
        self.reaches(before, record.at);
    }

    /// Another scheduler leads, and judges the leases it finds by its own clock.
    fn led_by(&mut self, record: &Record, clock: ExpiryClock) {
        let Some(index) = self.index(record.node) else { return };
        let before = self.is_lost();
        self.leader = index;
        for watch in &mut self.watches {
            if let WatchState::Leases(leases) = &mut watch.state {
                leases.iter_mut().flatten().for_each(|watched| watched.judge = record.node);
            }
        }
        let keeps = clock.reads() == TimerClock::Wall;
        self.set_leases_anew(keeps.then_some(record.at), index, clock);
        self.reaches(before, record.at);
    }

    fn index(&self, node: NodeId) -> Option<usize> {
        self.schedulers.iter().position(|(scheduler, ..)| *scheduler == node)
    }

    /// Whether nothing of the leader's reaches others.
    fn is_lost(&self) -> bool {
        self.schedulers[self.leader].2.is_lost()
    }

    fn reaches(&mut self, was_lost: bool, at: At) {
        if was_lost != self.is_lost() {
            self.asked = None;
            self.heard_until(self.is_lost().then_some(at));
        }
    }

    /// The scheduler was heard last at this time; none: it is heard.
    fn heard_until(&mut self, at: Option<At>) {
        for watch in &mut self.watches {
            if let WatchState::Silent(heard) = &mut watch.state {
                *heard = at;
            }
        }
        self.next = self.next_due();
    }

    fn open_is(&mut self, exec: Exec, is_open: bool) {
        for watch in &mut self.watches {
            if let WatchState::Open(tasks) = &mut watch.state {
                let open = &mut tasks[usize::from(exec.task.0)].open;
                if is_open {
                    *open = Some(exec.attempt);
                } else if *open == Some(exec.attempt) {
                    *open = None;
                }
            }
        }
    }

    /// An attempt beat or wrote: is a newer one open?
    fn goes_on(&mut self, id: u32, record: &Record) {
        let mut found = false;
        for watch in &mut self.watches {
            if let WatchState::Open(tasks) = &mut watch.state {
                let task = &mut tasks[usize::from(record.task.0)];
                if task.open.is_some_and(|newest| record.attempt < newest) && task.seen != record.attempt {
                    (task.seen, found) = (record.attempt, true);
                }
            }
        }
        if found {
            self.raise_plain(AlertRule::TwoOpen, About::Task(record.task), record.at, id);
        }
    }

    /// Their clock was bent at `now`; none: it began anew, and no T means anything on it.
    fn set_leases_anew(&mut self, now: Option<At>, judge: usize, clock: ExpiryClock) {
        let (node, clocks, _) = &self.schedulers[judge];
        let clocks = clocks.judging(clock);
        for watch in &mut self.watches {
            let AlertRule::LeaseExpired(after) = watch.rule else { continue };
            let WatchState::Leases(leases) = &mut watch.state else { continue };
            let its = |watched: &&mut Watched| watched.judge == *node && watched.due.is_some();
            for watched in leases.iter_mut().flatten().filter(its) {
                let reading = watched.reading.saturating_add(after.0);
                watched.due = now.and_then(|now| clocks.first_at(reading, now));
            }
        }
        self.next = self.next_due();
    }

    fn next_due(&self) -> At {
        self.watches.iter().map(Watch::next_due).min().unwrap_or(At::MAX)
    }
}

impl Watch {
    fn next_due(&self) -> At {
        match (&self.state, self.rule) {
            (WatchState::Leases(leases), _) => {
                leases.iter().flatten().filter_map(|watched| watched.due).min().unwrap_or(At::MAX)
            }
            (WatchState::Silent(Some(since)), AlertRule::SchedulerSilent(after)) => {
                since.saturating_add(length(after))
            }
            (WatchState::Reconcile { next, .. }, _) => *next,
            (WatchState::Silent(_) | WatchState::Open(_) | WatchState::Plain, _) => At::MAX,
        }
    }

    fn fire(&mut self, now: At, facts: &Facts, scenario: &Scenario, found: &mut Vec<(AlertRule, About)>) {
        let rule = self.rule;
        if self.next_due() > now {
            return;
        }
        match &mut self.state {
            WatchState::Plain | WatchState::Open(_) => {}
            WatchState::Leases(leases) => {
                for watched in leases.iter_mut().flatten().filter(|w| w.due.is_some_and(|due| due <= now)) {
                    watched.due = None;
                    found.push((rule, About::Task(watched.exec.task)));
                }
            }
            WatchState::Silent(since) => {
                *since = None;
                found.push((rule, About::Scheduler));
            }
            WatchState::Reconcile { next, known, .. } => {
                *next = At::MAX;
                reconcile(known, facts, scenario, |task, sink| {
                    found.push((rule, About::Target { task, sink }));
                });
            }
        }
    }
}

fn length(span: Span) -> At {
    u64::try_from(span.0).unwrap_or(0).max(1)
}
