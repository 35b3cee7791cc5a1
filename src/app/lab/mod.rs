//! The lab: a run, what was done to it, and what came of it.

pub mod faults;
pub mod keys;
pub mod menu;
pub mod opening;
pub mod outcome;
pub mod rules;
pub mod scene;
pub mod speech;
pub mod why;

use std::sync::Arc;

use fenceline_content::link::{MAX_ACTS, RunLink};
use fenceline_content::scenario::Case;
use fenceline_sim::alert::Alert;
use fenceline_sim::clock::At;
use fenceline_sim::figures::Figures;
use fenceline_sim::history::History;
use fenceline_sim::verdict::{Judge, State, Verdict};
use fenceline_sim::{Act, Intervention, Rulebook, Run, Scenario, Setting, Trace, Truth, When};

use crate::app::lab::outcome::Outcome;

/// Events a run in the page may take before it is stopped with a message.
pub const EVENT_LIMIT: u64 = 200_000;

/// A run under the user's hands.
#[derive(Clone)]
pub struct Lab {
    case: Arc<Case>,
    seed: u64,
    /// The scenario's faults and the user's, and rules changed at time 0.
    acts: Vec<Intervention>,
    derived: Arc<Derived>,
    past: Vec<Edit>,
    future: Vec<Edit>,
    /// The run as it was before the last edit of its past.
    kept: Option<Branch>,
    /// The last edit moves the end of a fault, and may go on.
    moving: bool,
}

/// One edit: what the acts were on the other side of it, and what to call it.
#[derive(Clone, Debug, PartialEq)]
struct Edit {
    acts: Vec<Intervention>,
    name: Name,
}

/// What an edit did, for undo and redo to name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    Act(Act),
    End(Act),
    /// The fault with this index was moved.
    Change(usize, Act),
    Remove(Act),
    Remedy(usize),
    Reset,
    Branch,
}

/// A run kept to compare with.
#[derive(Clone)]
pub struct Branch {
    acts: Vec<Intervention>,
    pub derived: Arc<Derived>,
}

/// All that follows from a scenario, a seed and a list of acts.
pub struct Derived {
    pub history: History,
    /// The scenario with the rules in force at the start.
    pub scenario: Arc<Scenario>,
    /// Those rules and their changes.
    pub rulebook: Rulebook,
    /// What really happened, to the end.
    pub truth: Truth,
    /// What the whole run comes to.
    pub end: Instant,
}

/// An event stepped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub record: u32,
    pub at: At,
    /// How many records are made with it, if more follow at the same instant.
    pub inside: Option<u32>,
}

/// What is known at one instant of a run.
pub struct Instant {
    pub at: At,
    /// How many records lie at or before it.
    pub records: u32,
    pub verdicts: Vec<Verdict>,
    pub alerts: Vec<Alert>,
    pub outcome: Outcome,
}

impl Lab {
    /// Opens a scenario, with its own faults or with `acts` instead of them.
    pub fn open(case: Arc<Case>, seed: u64, acts: Option<Vec<Intervention>>) -> Self {
        let acts = acts.unwrap_or_else(|| case.scenario.script.clone());
        let derived = Arc::new(Derived::of(&case, seed, &acts, None));
        Self { case, seed, acts, derived, past: Vec::new(), future: Vec::new(), kept: None, moving: false }
    }

    pub fn case(&self) -> &Arc<Case> {
        &self.case
    }

    pub fn acts(&self) -> &[Intervention] {
        &self.acts
    }

    pub fn derived(&self) -> &Arc<Derived> {
        &self.derived
    }

    /// Where the run ends, or was stopped.
    pub fn until(&self) -> At {
        self.derived.reaches()
    }

    /// The parameters of a link to this run; none if it has more acts than a link may carry.
    pub fn link(&self) -> Option<String> {
        let given = self.acts == self.case.scenario.script;
        let acts = (!given).then_some(&self.acts[..]);
        let fits = acts.is_none_or(|acts| acts.len() <= MAX_ACTS);
        fits.then(|| RunLink::write(&self.case.id, self.seed, acts, self.case.cast()))
    }

    fn change(&mut self, name: Name, acts: Vec<Intervention>) {
        if acts == self.acts {
            return;
        }
        let derived = Arc::new(Derived::of(&self.case, self.seed, &acts, Some(&self.derived)));
        let before = std::mem::replace(&mut self.acts, acts);
        self.kept =
            Some(Branch { acts: before.clone(), derived: std::mem::replace(&mut self.derived, derived) });
        self.past.push(Edit { acts: before, name });
        self.future.clear();
        self.moving = false;
    }

    /// Does `act` at `at`.
    pub fn act(&mut self, at: At, act: Act) {
        self.intervene(Intervention { when: When::At(at), act });
    }

    /// Adds an act, at a time or at a point of a program.
    pub fn intervene(&mut self, act: Intervention) {
        let mut acts = self.acts.clone();
        acts.push(act);
        self.change(Name::Act(act.act), acts);
    }

    /// Puts a rule in force from the beginning, in place of an earlier change of the same rule.
    pub fn set(&mut self, setting: Setting) {
        let mut acts = self.acts.clone();
        put_rule(&self.case.scenario, &mut acts, setting);
        self.change(Name::Act(Act::Set(setting)), acts);
    }

    /// Ends a lasting fault at `at`.
    pub fn end(&mut self, index: usize, at: At) {
        let Some(fault) = self.acts.get(index).copied() else { return };
        let When::At(from) = fault.when else { return };
        // What ends as it begins was never there.
        if at <= from {
            return self.remove(index);
        }
        let lasts = fenceline_engine::Span(i64::try_from(at.saturating_sub(from)).unwrap_or(i64::MAX).max(1));
        self.replace(
            Name::End(fault.act),
            index,
            Intervention { act: fault.act.lasting(Some(lasts)), ..fault },
        );
    }

    /// Gives a fault another beginning and end.
    pub fn move_fault(&mut self, index: usize, from: At, until: Option<At>) {
        let Some(fault) = self.acts.get(index).copied() else { return };
        let lasts = until.map(|until| {
            fenceline_engine::Span(i64::try_from(until.saturating_sub(from)).unwrap_or(i64::MAX).max(1))
        });
        let moved = Intervention { when: When::At(from), act: fault.act.lasting(lasts) };
        self.replace(Name::Change(index, fault.act), index, moved);
    }

    /// Gives a fault another end, not before its beginning and not after the run's end.
    pub fn move_fault_end(&mut self, index: usize, from: At, until: At) {
        let end = self.derived.scenario.until;
        self.move_fault(index, from, Some(until.clamp(from.saturating_add(100_000), end)));
    }

    fn replace(&mut self, name: Name, index: usize, with: Intervention) {
        let mut acts = self.acts.clone();
        if let Some(place) = acts.get_mut(index) {
            *place = with;
        }
        if acts == self.acts {
            return;
        }
        // A drag is one edit, however many steps it has.
        let moves_on = |edit: &Edit| matches!(edit.name, Name::Change(moved, _) if moved == index);
        let moves = matches!(name, Name::Change(..));
        let goes_on = moves && self.moving && self.past.last().is_some_and(moves_on);
        let before = goes_on.then(|| (self.past.pop(), self.kept.clone()));
        self.change(name, acts);
        if let Some((edit, kept)) = before {
            if let (Some(last), Some(edit)) = (self.past.last_mut(), edit) {
                *last = edit;
            }
            self.kept = kept;
        }
        self.moving = moves;
    }

    /// The fault whose end is moved stays where it is: what follows is another edit.
    pub fn settle(&mut self) {
        self.moving = false;
    }

    /// Takes back what was moved since [`settle`](Self::settle).
    pub fn restore(&mut self) {
        if self.moving {
            self.undo();
        }
    }

    pub fn remove(&mut self, index: usize) {
        let mut acts = self.acts.clone();
        if index < acts.len() {
            let removed = acts.remove(index);
            self.change(Name::Remove(removed.act), acts);
        }
    }

    /// Replays the same faults under the scenario's remedy number `index`.
    pub fn remedy(&mut self, index: usize) {
        let Some(remedy) = self.case.remedies.get(index) else { return };
        let mut acts = self.acts.clone();
        for remedy in &remedy.settings {
            if let Act::Set(setting) = remedy.act {
                put_rule(&self.case.scenario, &mut acts, setting);
            }
        }
        self.change(Name::Remedy(index), acts);
    }

    /// The scenario as given, or, if it is, untouched.
    pub fn reset(&mut self) {
        let given = self.case.scenario.script.clone();
        self.change(Name::Reset, given);
    }

    /// What undo would undo.
    pub fn undoes(&self) -> Option<Name> {
        self.past.last().map(|edit| edit.name)
    }

    pub fn redoes(&self) -> Option<Name> {
        self.future.last().map(|edit| edit.name)
    }

    pub fn undo(&mut self) {
        if let Some(edit) = self.past.pop() {
            let undone = self.jump(edit.acts);
            self.future.push(Edit { acts: undone, name: edit.name });
        }
    }

    pub fn redo(&mut self) {
        if let Some(edit) = self.future.pop() {
            let redone = self.jump(edit.acts);
            self.past.push(Edit { acts: redone, name: edit.name });
        }
    }

    /// Makes `acts` the run's; gives back what they were.
    fn jump(&mut self, acts: Vec<Intervention>) -> Vec<Intervention> {
        self.moving = false;
        self.derived = Arc::new(Derived::of(&self.case, self.seed, &acts, Some(&self.derived)));
        std::mem::replace(&mut self.acts, acts)
    }

    /// The run kept before the last edit.
    pub fn kept(&self) -> Option<&Branch> {
        self.kept.as_ref()
    }

    /// Changes places with the kept run.
    pub fn switch_branch(&mut self) {
        if let Some(branch) = self.kept.take() {
            self.change(Name::Branch, branch.acts);
        }
    }

    /// The run as it would be with other acts, left as it is.
    pub fn with_acts(&self, acts: &[Intervention]) -> Derived {
        Derived::of(&self.case, self.seed, acts, Some(&self.derived))
    }

    /// The run as it would be with one rule changed, left as it is.
    pub fn preview(&self, setting: Setting) -> Derived {
        let mut acts = self.acts.clone();
        put_rule(&self.case.scenario, &mut acts, setting);
        self.with_acts(&acts)
    }
}

/// Changes a rule at time 0. A change back to what the scenario says is no change.
fn put_rule(scenario: &Scenario, acts: &mut Vec<Intervention>, setting: Setting) {
    acts.retain(|act| !matches!(act, Intervention { when: When::At(0), act: Act::Set(old) } if same_rule(old, &setting)));
    let mut changed = scenario.clone();
    changed.set(setting);
    if changed != *scenario {
        acts.insert(0, Intervention { when: When::At(0), act: Act::Set(setting) });
    }
}

/// Whether two settings set the same rule, whatever to.
pub fn same_rule(a: &Setting, b: &Setting) -> bool {
    let same_node = match (a, b) {
        (Setting::Sink { node: a, .. }, Setting::Sink { node: b, .. })
        | (Setting::Fence { node: a, .. }, Setting::Fence { node: b, .. }) => a == b,
        (Setting::Alert(Some(a)), Setting::Alert(Some(b))) => {
            std::mem::discriminant(a) == std::mem::discriminant(b)
        }
        _ => true,
    };
    same_node && std::mem::discriminant(a) == std::mem::discriminant(b)
}

impl Derived {
    /// Plays a run anew, up to `limit` events.
    pub fn played(case: &Case, seed: u64, acts: &[Intervention], limit: u64) -> Self {
        Self::derive(case, seed, acts, |run| History::new(run, limit))
    }

    fn of(case: &Case, seed: u64, acts: &[Intervention], before: Option<&Self>) -> Self {
        Self::derive(case, seed, acts, |run| match before {
            Some(before) => before.history.fork(run),
            None => History::new(run, EVENT_LIMIT),
        })
    }

    fn derive(case: &Case, seed: u64, acts: &[Intervention], play: impl FnOnce(Run) -> History) -> Self {
        let mut bare = (*case.scenario).clone();
        bare.script.clear();
        let run = Run { scenario: Arc::new(bare), seed, interventions: acts.to_vec() };
        let rulebook = Rulebook::from(&run);
        let history = play(run);
        let scenario = Arc::new(rulebook.scenario().clone());
        let until = reaches(&history, &scenario);
        let truth = Truth::of(rulebook.clone(), history.trace(), history.trace().len(), until);
        let end = Instant::of(&scenario, &history, until);
        Self { history, scenario, rulebook, truth, end }
    }

    /// How far it was played: to its end, or to where a limit stopped it. Of what comes later
    /// nothing is known, and nothing is said.
    pub fn reaches(&self) -> At {
        reaches(&self.history, &self.scenario)
    }

    /// What is known at `at`.
    pub fn at(&self, at: At) -> Instant {
        Instant::of(&self.scenario, &self.history, at.min(self.reaches()))
    }

    /// What is known as soon as the first `records` records are made: between two events of one instant,
    /// if need be.
    pub fn after(&self, records: u32) -> Instant {
        let last = records.checked_sub(1).and_then(|id| self.history.trace().get(id));
        let at = last.map_or(0, |record| record.at);
        let state = self.history.after(records);
        Instant::seen(
            &self.scenario,
            self.history.trace(),
            (at, records),
            self.history.judged_after(records),
            &state,
        )
    }

    /// The event after, or before, where somebody stands: at an instant, or between two of its events.
    pub fn stepped(&self, (cursor, inside): (At, Option<u32>), forward: bool) -> Option<Event> {
        let trace = self.history.trace();
        let done = inside.unwrap_or_else(|| trace.len_at(cursor));
        let done = if forward { done.saturating_add(1) } else { done.saturating_sub(1) };
        let record = done.checked_sub(1)?;
        let at = trace.get(record)?.at;
        Some(Event { record, at, inside: (done < trace.len_at(at)).then_some(done) })
    }

    /// What the run cost.
    pub fn figures(&self) -> Figures {
        let trace = self.history.trace();
        Figures::of(self.rulebook.clone(), trace, trace.len(), self.reaches())
    }

    /// Whether some claim is violated by the end.
    pub fn is_damaged(&self) -> bool {
        self.end.verdicts.iter().any(|verdict| verdict.state == State::Violated)
    }
}

fn reaches(history: &History, scenario: &Scenario) -> At {
    match history.stop() {
        Some(_) => history.end().now().min(scenario.until),
        None => scenario.until,
    }
}

impl Instant {
    fn of(scenario: &Scenario, history: &History, at: At) -> Self {
        let (judge, state) = (history.judged(at), history.at(at));
        Self::seen(scenario, history.trace(), (at, history.len_at(at)), judge, &state)
    }

    fn seen(
        scenario: &Scenario,
        trace: &Trace,
        (at, records): (At, u32),
        judge: Judge,
        state: &fenceline_sim::State,
    ) -> Self {
        let verdicts = judge.verdicts(trace, at);
        let alerts = judge.alerts(at);
        let outcome = Outcome::of(scenario, state.world().ledger(), &judge, &verdicts, alerts.len());
        Self { at, records, verdicts, alerts, outcome }
    }
}
