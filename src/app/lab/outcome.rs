//! The two accounts of a run, side by side, and the one next step.

use fenceline_engine::{Ledger, TaskId, TaskState};
use fenceline_sim::verdict::{Claim, Detail, Judge, State, Verdict};
use fenceline_sim::{Act, Scenario};

use super::Lab;
use crate::app::words::outcome as words;

/// What the scheduler says and what is true.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub scheduler: Account,
    pub truth: Account,
}

/// One account, in a few words.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    pub tone: Tone,
    /// Said first, strongly.
    pub lead: String,
    pub rest: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    /// What is called success, or holds.
    Good,
    Bad,
}

impl Outcome {
    pub fn of(
        scenario: &Scenario,
        ledger: &Ledger,
        judge: &Judge,
        verdicts: &[Verdict],
        alerts: usize,
    ) -> Self {
        Self {
            scheduler: scheduler_says(ledger, alerts),
            truth: the_truth(scenario, judge, verdicts, ledger),
        }
    }
}

fn scheduler_says(ledger: &Ledger, alerts: usize) -> Account {
    let alerts = words::alerts(alerts);
    let count = |state| ledger.tasks.iter().filter(|task| task.state == state).count();
    let (total, succeeded, failed) =
        (ledger.tasks.len(), count(TaskState::Succeeded), count(TaskState::Failed));
    if succeeded == total {
        let lead = if total == 1 { words::SUCCESS.into() } else { words::all_succeeded(total) };
        return Account { tone: Tone::Good, lead, rest: format!(", {alerts}") };
    }
    if total > 1 {
        let lead = words::progress(succeeded, total);
        return Account {
            tone: Tone::Plain,
            lead,
            rest: words::progress_rest(count(TaskState::Running), failed, &alerts),
        };
    }
    let Some(task) = ledger.tasks.first() else {
        return Account { tone: Tone::Plain, lead: words::NOTHING.into(), rest: String::new() };
    };
    let holder = task.holder();
    let attempt = holder.map_or(0, |(attempt, _)| usize::from(attempt));
    let token = holder.map(|(_, attempt)| attempt.token);
    let state = holder.map(|(_, attempt)| attempt.state);
    Account {
        tone: Tone::Plain,
        lead: words::task_state(task.state, state, attempt),
        rest: words::task_rest(task.state, token, &alerts),
    }
}

fn the_truth(scenario: &Scenario, judge: &Judge, verdicts: &[Verdict], ledger: &Ledger) -> Account {
    let violated = |claim| verdicts.iter().find(|v| v.claim == claim && v.state == State::Violated);
    // What readers of the data would see comes first, then the rest in the order of the claims.
    for claim in [Claim::RowsAsExpected, Claim::EffectsOnce] {
        match violated(claim).map(|verdict| verdict.detail) {
            Some(Detail::Rows(rows)) => return bad(words::rows(rows), words::not_expected(rows.expected)),
            Some(Detail::Effects(effects)) => {
                return bad(words::effects(effects.done), words::not_expected(effects.expected.into()));
            }
            _ => {}
        }
    }
    let worst = verdicts.iter().find(|v| v.state == State::Violated && v.claim != Claim::SilentDamage);
    if let Some(verdict) = worst {
        return bad(words::broken(verdict.claim, verdict.tasks.len()), String::new());
    }
    let tasks = || (0..ledger.tasks.len()).map(|index| TaskId(u16::try_from(index).unwrap_or(u16::MAX)));
    let (mut rows, mut effects) = (0_i64, 0_i64);
    // What the record calls success is no truth: the output is there, or it is not yet.
    let mut done = ledger.tasks.iter().all(|task| task.state == TaskState::Succeeded);
    for task in tasks() {
        let (of_rows, of_effects) = (judge.rows(task), judge.effects(task));
        rows = rows.saturating_add_unsigned(of_rows.visible);
        effects += i64::from(of_effects.done);
        done &= of_rows.visible == of_rows.expected && of_effects.done == of_effects.expected;
    }
    let has_effects = scenario
        .tasks
        .iter()
        .flat_map(|task| &task.program)
        .any(|step| matches!(step, fenceline_engine::Step::Effect { .. }));
    let lead = if has_effects && rows == 0 { words::effects_done(effects) } else { words::rows_there(rows) };
    if done {
        Account { tone: Tone::Good, lead, rest: words::AS_EXPECTED.into() }
    } else {
        Account { tone: Tone::Plain, lead, rest: words::SO_FAR.into() }
    }
}

fn bad(lead: String, rest: String) -> Account {
    Account { tone: Tone::Bad, lead, rest }
}

/// The one next step.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Put the scenario's own faults back.
    Break(String),
    /// Replay under remedy number `.0`.
    Remedy(usize, String),
    /// Open another scenario.
    Open { id: String, title: String },
    /// Look for another failure.
    Library,
}

impl Next {
    pub fn title(&self) -> &str {
        match self {
            Self::Break(title) | Self::Remedy(_, title) | Self::Open { title, .. } => title,
            Self::Library => words::LIBRARY,
        }
    }
}

impl Lab {
    /// What to do next: break it, cure it, or go on to the next experiment.
    pub fn next_step(&self) -> Next {
        let case = self.case();
        let faults = self.acts().iter().any(|act| !matches!(act.act, Act::Set(_)));
        if !faults && let Some(first) = case.scenario.script.first() {
            return Next::Break(words::put_back(&first.act, first.when, &case.scenario, case.starts));
        }
        if self.derived().is_damaged() {
            let open = |index: &usize| !self.has_remedy(*index);
            if let Some(index) = (0..case.remedies.len()).find(open)
                && let Some(remedy) = case.remedies.get(index)
            {
                return Next::Remedy(index, remedy.title.clone());
            }
        }
        match &case.next {
            Some(next) => Next::Open { id: next.id.clone(), title: next.title.clone() },
            None => Next::Library,
        }
    }

    /// Whether every rule of a remedy is in force.
    pub fn has_remedy(&self, index: usize) -> bool {
        let Some(remedy) = self.case().remedies.get(index) else { return false };
        let mut cured = (*self.derived().scenario).clone();
        for act in &remedy.settings {
            if let Act::Set(setting) = act.act {
                cured.set(setting);
            }
        }
        cured == *self.derived().scenario
    }
}
