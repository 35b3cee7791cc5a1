//! The judge: a fold over the records that keeps every verdict up to date.

use super::facts::{Asked, Facts, asked, is_more_to_come};
use super::leftovers::Leftovers;
use super::one_ending::OneEnding;
use super::order::Order;
use super::{Claim, Detail, EffectCounts, RowCounts, Ruling, State, Verdict, Violation};
use super::{bound, commit, effects, exclusive, holder, one_output, rows, silence, spread, stale};
use crate::alert::{Alert, AlertWatch};
use crate::clock::At;
use crate::order;
use crate::plan::Plan;
use crate::record::{Kind, MessageKind, NONE, Record};
use crate::rulebook::Rulebook;
use crate::scenario::Scenario;
use crate::trace::Trace;
use fenceline_engine::WHOLE;
use fenceline_engine::{NodeId, TaskId};

/// Sees every record once, in order, and nothing else. Cheap to clone, so that it can ride in
/// snapshots.
#[derive(Clone, Debug)]
pub struct Judge {
    rules: Rulebook,
    facts: Facts,
    one_output: Ruling,
    stale: Ruling,
    rows: Ruling,
    effects: Ruling,
    commit: Ruling,
    order: Order,
    holder: Ruling,
    exclusive: Ruling,
    one_ending: OneEnding,
    leftovers: Leftovers,
    alerts: AlertWatch,
    /// Tasks that may be quiet, decided when the instant is over.
    quiet: Vec<(TaskId, At, u32)>,
    /// The last claim delivered.
    last_claim: u32,
    /// Nothing falls due before this.
    wake: At,
}

/// The verdicts over the first `upto` records, at true time `now`.
pub fn judge(rules: impl Into<Rulebook>, trace: &Trace, upto: u32, now: At) -> Vec<Verdict> {
    Judge::over(rules, trace, upto).verdicts(trace, now)
}

impl Judge {
    /// Before the first record. Made from a run it follows changes of the rules; made from a
    /// scenario alone it takes its rules as fixed.
    pub fn new(rules: impl Into<Rulebook>) -> Self {
        let rules = rules.into();
        let scenario = rules.scenario();
        let alerts = AlertWatch::new(scenario);
        Self {
            facts: Facts::new(scenario),
            one_output: Ruling::default(),
            stale: Ruling::default(),
            rows: Ruling::default(),
            effects: Ruling::default(),
            commit: Ruling::default(),
            order: Order::default(),
            holder: Ruling::default(),
            exclusive: Ruling::default(),
            one_ending: OneEnding::new(scenario.tasks.len()),
            leftovers: Leftovers::default(),
            quiet: Vec::new(),
            last_claim: NONE,
            wake: alerts.next(),
            alerts,
            rules,
        }
    }

    /// A judge that has seen the first `upto` records.
    pub fn over(rules: impl Into<Rulebook>, trace: &Trace, upto: u32) -> Self {
        let mut judge = Self::new(rules);
        for (id, record) in trace.iter().take(upto as usize).enumerate() {
            judge.observe(id as u32, record);
        }
        judge
    }

    /// The run was edited after what this judge has seen: later changes of the rules are those of its
    /// new plan.
    pub fn follow(&mut self, plan: &Plan) {
        self.rules.follow(plan);
    }

    /// Takes in the next record.
    pub fn observe(&mut self, id: u32, record: &Record) {
        if record.at > self.wake {
            self.settle(record.at);
        }
        match record.kind {
            Kind::Delivered if record.is_store_call() => self.alerts.delivered(record),
            Kind::Sent | Kind::Lost if record.is_store_call() => {}
            Kind::Sent => {
                self.facts.sent(record);
                self.alerts.sent(record);
            }
            Kind::Delivered => {
                self.facts.arrived(record);
                self.alerts.delivered(record);
                self.delivered(id, record);
                self.may_be_quiet(id, record);
            }
            Kind::Lost => {
                self.facts.arrived(record);
                self.may_be_quiet(id, record);
            }
            Kind::Believes
            | Kind::StepBegan
            | Kind::BeatsMissed
            | Kind::BeatStarved
            | Kind::BeatWaited
            | Kind::RenewalFailed => {}
            Kind::Renewed => self.alert(id, record, false),
            _ => self.observe_rare(id, record),
        }
    }

    fn observe_rare(&mut self, id: u32, record: &Record) {
        match record.kind {
            Kind::TaskIs => {
                self.one_ending.task_is(&self.facts, id, record);
                self.facts.task_is(id, record);
                self.may_be_quiet(id, record);
            }
            Kind::Granted => {
                self.facts.granted(record);
                self.order.granted(id, record);
            }
            Kind::Kept => self.facts.kept(record),
            Kind::AttemptSucceeded
            | Kind::AttemptFailed
            | Kind::AttemptTimedOut
            | Kind::AttemptWithdrawn
            | Kind::AttemptOrphaned => {
                self.one_ending.closed(&mut self.facts, id, record);
                if let Some(grant) = self.facts.grant_mut(record.exec())
                    && record.kind == Kind::AttemptSucceeded
                {
                    grant.succeeded = Some(record.copy);
                }
            }
            Kind::Started => {
                self.facts.started(record);
                exclusive::started(&mut self.exclusive, &self.facts, self.rules.scenario(), id, record);
            }
            Kind::InputRead => self.facts.read_input(record),
            Kind::Ended => {
                self.facts.ended(record);
                self.leftovers.ended(id, record);
                self.may_be_quiet(id, record);
            }
            _ if !WHOLE => self.observe_sink(id, record),
            Kind::InputChanged => self.facts.input_changed(record),
            Kind::Reopened => self.facts.reopened(record),
            Kind::TableRead => spread::read(&mut self.facts, self.rules.scenario(), record),
            Kind::CommitFound => self.facts.found_commit(record),
            Kind::Overran => self.leftovers.overran(id, record),
            Kind::Decided | Kind::Redelivered | Kind::Respawned => self.facts.sent(record),
            Kind::Duplicated => self.facts.doubled(record),
            Kind::Crashed => {
                for task in self.facts.crashed(record.node) {
                    self.may_be_quiet(id, &Record { task, ..*record });
                }
            }
            Kind::RuleSet => {
                if self.rules.observe(record) {
                    self.alerts.follow(self.rules.scenario(), record.at);
                }
            }
            _ => self.observe_sink(id, record),
        }
        let is_claim = record.kind == Kind::Fenced && record.cause == self.last_claim;
        self.alert(id, record, is_claim);
    }

    fn observe_sink(&mut self, id: u32, record: &Record) {
        let (facts, scenario) = (&mut self.facts, self.rules.scenario());
        match record.kind {
            Kind::Applied => {
                let Some(landed) = facts.land(id, record, scenario) else { return };
                if !is_more_to_come(scenario, record) {
                    one_output::landed(&mut self.one_output, facts, &landed);
                }
                stale::landed(&mut self.stale, facts, &landed);
                rows::landed(&mut self.rows, facts, &landed);
                commit::landed(&mut self.commit, facts, scenario, &landed);
                self.order.landed(facts, scenario, &landed);
            }
            Kind::Fenced => holder::refused(&mut self.holder, facts, id, record),
            _ if !WHOLE => {}
            Kind::Cleaned if record.flag == 0 => self.leftovers.cleaned(facts, id, record),
            Kind::Cleaned => {
                let cleaned = facts.clean(id, record);
                stale::cleaned(&mut self.stale, facts, &cleaned);
                commit::cleaned(&mut self.commit, facts, &cleaned);
            }
            Kind::CopyTaken => facts.copied(record),
            Kind::Restored => {
                let changed = facts.put_back(record);
                for what in &changed {
                    commit::put_back(&mut self.commit, facts, what, (record.at, id));
                }
                let tasks = changed.iter().map(|what| facts.targets[what.target].task).collect::<Vec<_>>();
                for task in tasks {
                    self.may_be_quiet(id, &Record { task, ..*record });
                }
            }
            Kind::EffectDone => effects::done(&mut self.effects, facts, id, record),
            Kind::LockRefused | Kind::StageRefused => self.leftovers.refused(facts, id, record),
            Kind::LockExpired | Kind::LockForced => self.leftovers.lock_expired(facts, id, record),
            Kind::Locked => self.leftovers.passed(record),
            Kind::Staged => self.leftovers.staged(facts, scenario, id, record),
            Kind::Swapped => self.leftovers.swapped(record),
            _ => {}
        }
    }

    fn delivered(&mut self, id: u32, record: &Record) {
        match record.message() {
            Some(MessageKind::Request) => self.requested(id, record),
            Some(MessageKind::Raise) => self.last_claim = id,
            Some(MessageKind::Completed | MessageKind::Failed | MessageKind::Stopped) => {
                self.one_ending.reported(id, record);
            }
            _ => {}
        }
    }

    fn requested(&mut self, id: u32, record: &Record) {
        let (facts, scenario) = (&mut self.facts, self.rules.scenario());
        let asked = asked(scenario, record);
        if asked == Asked::Write {
            let (target, when) = (facts.target(record.node, record.task), (record.at, id));
            one_output::reached(&mut self.one_output, facts, target, record.exec(), when);
            stale::reached(&mut self.stale, facts, target, record.exec(), when);
        }
        match asked {
            Asked::Write | Asked::Hidden => {
                holder::reached(&mut self.holder, facts, scenario, id, record);
            }
            Asked::Effect if WHOLE => effects::requested(&mut self.effects, facts, id, record),
            Asked::Effect | Asked::Other => {}
        }
    }

    fn alert(&mut self, id: u32, record: &Record, is_claim: bool) {
        self.alerts.observe(id, record, is_claim, self.rules.scenario().rules.lease.clock);
        self.wake = self.wake.min(self.alerts.next());
    }

    /// Whether a task is quiet shows only when the instant is over: a delivery has consequences.
    fn may_be_quiet(&mut self, id: u32, record: &Record) {
        if self.facts.is_quiet(record.task) {
            self.quiet.push((record.task, record.at, id));
            self.wake = self.wake.min(record.at);
        }
    }

    /// Decides what was left open before `until`.
    pub(super) fn settle(&mut self, until: At) {
        self.alerts.fire(until, &self.facts, self.rules.scenario());
        let open = std::mem::take(&mut self.quiet);
        let (due, later): (Vec<_>, Vec<_>) = open.into_iter().partition(|(_, at, _)| *at < until);
        self.quiet = later;
        for (task, at, id) in due {
            if self.facts.is_quiet(task) {
                let (facts, scenario) = (&self.facts, self.rules.scenario());
                rows::quiet(&mut self.rows, facts, scenario, task, (at, id));
                if WHOLE {
                    effects::quiet(&mut self.effects, facts, scenario, task, (at, id));
                }
            }
        }
        self.wake = self.alerts.next();
    }

    /// This judge, with everything decided that falls due up to and including `now`.
    fn settled(&self, now: At) -> Option<Self> {
        (self.wake <= now).then(|| {
            let mut judge = self.clone();
            judge.settle(now.saturating_add(1));
            judge
        })
    }

    // --- results ---

    /// Every claim's verdict at true time `now`, in the order of [`Claim::ALL`]. `trace` has the
    /// records this judge has seen.
    pub fn verdicts(&self, trace: &Trace, now: At) -> Vec<Verdict> {
        let settled = self.settled(now);
        let judge = settled.as_ref().unwrap_or(self);
        Claim::ALL.iter().map(|claim| judge.verdict(*claim, trace, now)).collect()
    }

    fn ruling(&self, claim: Claim) -> Option<&Ruling> {
        Some(match claim {
            Claim::OneOutput => &self.one_output,
            Claim::NoStaleOverNewer => &self.stale,
            Claim::RowsAsExpected => &self.rows,
            Claim::EffectsOnce => &self.effects,
            Claim::NoCommitLost => &self.commit,
            Claim::TokensInOrder => &self.order.ruling,
            Claim::HolderNotRefused => &self.holder,
            Claim::Exclusive => &self.exclusive,
            Claim::OneEnding => &self.one_ending.ruling,
            Claim::NotBlockedByLeftovers => &self.leftovers.ruling,
            Claim::EndsInBound | Claim::SilentDamage => return None,
        })
    }

    fn verdict(&self, claim: Claim, trace: &Trace, now: At) -> Verdict {
        let scenario = self.rules.scenario();
        let Some(ruling) = self.ruling(claim) else {
            return match claim {
                Claim::SilentDamage => {
                    silence::verdict(&self.damage(), self.alerts.raised(), trace, now, scenario.until)
                }
                _ => bound::verdict(&self.facts, scenario, now),
            };
        };
        let mut verdict = ruling.verdict(claim);
        if verdict.state != State::NotExercised {
            verdict.detail = match claim {
                Claim::RowsAsExpected => Detail::Rows(self.sum_rows(&verdict.tasks)),
                Claim::EffectsOnce => Detail::Effects(self.sum_effects(&verdict.tasks)),
                _ => Detail::None,
            };
        }
        verdict
    }

    /// Every broken safety claim, once for each task, in order of time.
    pub fn violations(&self, now: At) -> Vec<Violation> {
        self.settled(now).as_ref().unwrap_or(self).damage()
    }

    fn damage(&self) -> Vec<Violation> {
        let safety = Claim::ALL.into_iter().filter(|claim| claim.is_safety());
        let rulings = safety.filter_map(|claim| self.ruling(claim));
        let mut found: Vec<Violation> =
            rulings.flat_map(|ruling| ruling.violations.iter().copied()).collect();
        order::by(&mut found, |violation| violation.at);
        found
    }

    /// Every alert raised up to and including `now`.
    pub fn alerts(&self, now: At) -> Vec<Alert> {
        self.settled(now).as_ref().unwrap_or(self).alerts.raised().to_vec()
    }

    /// What a reader sees of one task against what it should be.
    pub fn rows(&self, task: TaskId) -> RowCounts {
        rows::count_task(&self.facts, self.rules.scenario(), task)
    }

    /// The effects of one task that happened against those that should.
    pub fn effects(&self, task: TaskId) -> EffectCounts {
        effects::count_task(&self.facts, self.rules.scenario(), task)
    }

    /// The rows a reader of one table partition sees.
    pub fn contents(&self, sink: NodeId, task: TaskId) -> &[fenceline_engine::Chunk] {
        let targets = self.facts.tasks.get(usize::from(task.0)).map_or(&[][..], |task| &task.targets);
        let target = targets.iter().map(|index| &self.facts.targets[*index]).find(|t| t.sink == sink);
        target.map_or(&[][..], |target| target.contents.chunks())
    }

    /// An estimate of the bytes a clone of this judge holds.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.facts.bytes()
    }

    pub(crate) fn scenario(&self) -> &Scenario {
        self.rules.scenario()
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Nothing falls due before this.
    pub(super) fn wake(&self) -> At {
        self.wake
    }

    /// Grows whenever a verdict may have changed by a record.
    pub(super) fn changes(&self) -> usize {
        let rulings = Claim::ALL.into_iter().filter_map(|claim| self.ruling(claim));
        let marks = rulings.map(|ruling| usize::from(ruling.exercised.is_some()) + ruling.violations.len());
        marks.sum::<usize>() + self.alerts.raised().len() + self.facts.terminals
    }

    fn all_tasks(&self) -> impl Iterator<Item = TaskId> {
        (0..self.facts.tasks.len()).map(|index| TaskId(u16::try_from(index).unwrap_or(u16::MAX)))
    }

    fn sum_rows(&self, tasks: &[TaskId]) -> RowCounts {
        let mut sum = RowCounts::default();
        let judged = |task: &TaskId| tasks.is_empty() || tasks.contains(task);
        self.all_tasks().filter(judged).for_each(|task| sum.add(self.rows(task)));
        sum
    }

    fn sum_effects(&self, tasks: &[TaskId]) -> EffectCounts {
        let mut sum = EffectCounts::default();
        let judged = |task: &TaskId| tasks.is_empty() || tasks.contains(task);
        self.all_tasks().filter(judged).for_each(|task| sum.add(self.effects(task)));
        sum
    }
}
