//! Why something happened: its causes, and what would have been without each.

use fenceline_engine::{ExpiryPolicy, FenceRaise, FenceRules, OnLoss, Span};
use fenceline_sim::causes::causes;
use fenceline_sim::clock::At;
use fenceline_sim::scenario::Role;
use fenceline_sim::verdict::{Claim, State};
use fenceline_sim::{Act, Intervention, Kind, Record, Setting};

use super::faults::span_of;
use super::{Derived, Lab};
use crate::app::words::why as words;

/// One cause, latest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    pub record: u32,
    pub at: At,
    /// What would have been without it: "had it stopped itself: one output holds".
    pub otherwise: Option<String>,
}

/// Causes shown at most.
const MOST: usize = 6;
/// Runs longer than this are not run again for each cause.
const SMALL_RUN: u32 = 20_000;

impl Lab {
    /// The first thing that went wrong: the claim and the record that broke it.
    pub fn first_violation(&self) -> Option<(Claim, u32, At)> {
        let end = &self.derived().end;
        let broken =
            end.verdicts.iter().filter(|v| v.state == State::Violated && v.claim != Claim::SilentDamage);
        let first = broken
            .filter_map(|v| Some((v.since?, v.claim, *v.evidence.last()?)))
            .min_by_key(|(at, claim, _)| (*at, *claim));
        first.map(|(at, claim, record)| (claim, record, at))
    }

    /// The causes of a record, latest first, and for the claim it broke what each one's absence does.
    pub fn why(&self, record: u32) -> Vec<Cause> {
        let derived = self.derived();
        let trace = derived.history.trace();
        let claim = derived
            .end
            .verdicts
            .iter()
            .find(|verdict| verdict.state == State::Violated && verdict.evidence.contains(&record))
            .map(|verdict| verdict.claim);
        let mut found = causes(trace, record);
        found.truncate(MOST);
        let cause = |id: u32| {
            let event = trace.get(id)?;
            let otherwise = claim.and_then(|claim| self.otherwise(event, claim));
            Some(Cause { record: id, at: event.at, otherwise })
        };
        found.into_iter().filter_map(cause).collect()
    }

    /// What guards the record itself could have met: a fence where none stood, or one raised in time.
    pub fn had_it_been_guarded(&self, record: u32, claim: Claim) -> Option<String> {
        let event = self.derived().history.trace().get(record)?;
        let sink = match self.derived().scenario.role(event.node) {
            Role::Sink(index) => self.derived().scenario.sinks.get(index)?,
            _ => return None,
        };
        let is_write = matches!(event.kind, Kind::Applied | Kind::Swapped);
        if !is_write || !sink.rules.kind.can_compare() {
            return None;
        }
        let fence = FenceRules::raised(FenceRaise::Claim);
        if sink.rules.fence == Some(fence) {
            return None;
        }
        let setting = Setting::Fence { node: event.node, fence: Some(fence) };
        self.under(setting, claim).map(|state| words::with_a_fence(claim, state))
    }

    fn otherwise(&self, event: &Record, claim: Claim) -> Option<String> {
        if self.derived().history.trace().len() > SMALL_RUN {
            return None;
        }
        match event.kind {
            Kind::Resumed | Kind::Refused | Kind::ToldLost => self
                .under(Setting::OnLoss(OnLoss::SelfFence), claim)
                .map(|state| words::had_it_stopped(claim, state)),
            Kind::Expired | Kind::Granted => {
                let hold = ExpiryPolicy::Hold { alert_after: Span::secs(60) };
                self.under(Setting::Expiry(hold), claim).map(|state| words::had_it_held(claim, state))
            }
            _ => {
                let index = self.fault_of(event)?;
                let mut acts = self.acts().to_vec();
                let act = acts.remove(index);
                Some(words::without(&act.act, claim, state_of(&self.with_acts(&acts), claim)))
            }
        }
    }

    /// The claim's state with one rule changed; none if it is in force already.
    fn under(&self, setting: Setting, claim: Claim) -> Option<State> {
        let mut changed = (*self.derived().scenario).clone();
        changed.set(setting);
        (changed != *self.derived().scenario).then(|| state_of(&self.preview(setting), claim))
    }

    /// The act that a fault's record came from.
    fn fault_of(&self, event: &Record) -> Option<usize> {
        if matches!(event.kind, Kind::RuleSet | Kind::Restored) {
            return usize::try_from(event.b).ok().filter(|index| *index < self.acts().len());
        }
        let is_its = |other: &Intervention| {
            let same_kind = matches!(
                (event.kind, other.act),
                (Kind::Paused, Act::Pause { .. })
                    | (Kind::Frozen, Act::Freeze { .. })
                    | (Kind::Crashed, Act::Crash { .. })
                    | (Kind::Restarted, Act::Crash { .. })
                    | (Kind::Crashed | Kind::Restarted, Act::Reboot { .. })
                    | (Kind::Slowed, Act::Slow { .. })
                    | (Kind::LoopHeld, Act::Block { .. })
                    | (Kind::LinkCut, Act::Cut { .. })
                    | (Kind::LinkDegraded, Act::Degrade { .. })
                    | (Kind::ClockStepped, Act::StepClock { .. })
                    | (Kind::ClockRated, Act::ClockRate { .. })
                    | (Kind::Decided, Act::Operator { .. })
                    | (Kind::InputChanged, Act::Input { .. })
                    | (Kind::Redelivered, Act::Redeliver { .. })
                    | (Kind::LockForced, Act::ForceUnlock { .. })
                    | (Kind::Failing, Act::Fail { .. })
            );
            let when = span_of(other).is_none_or(|(from, until)| from == event.at || until == Some(event.at));
            let of_another = matches!(other.act, Act::Input { task, .. } | Act::Operator { task, .. } if task != event.task);
            let task = !of_another;
            same_kind && when && task && other.act.node().is_none_or(|node| node == event.node)
        };
        self.acts().iter().position(is_its)
    }
}

fn state_of(derived: &Derived, claim: Claim) -> State {
    derived
        .end
        .verdicts
        .iter()
        .find(|verdict| verdict.claim == claim)
        .map_or(State::NotExercised, |verdict| verdict.state)
}
