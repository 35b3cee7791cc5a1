//! Rules in place of others: whether they go together, and what remedies and near misses change.

use fenceline_engine::{BeatsTo, ExpiryClock, Rules};
use fenceline_sim::{Act, Intervention, Scenario, When};

use super::super::{MAX_FAULTS, NearMissFile, Remedy, RemedyFile};
use super::{Reader, cannot_compare};
use crate::report::nth;
use crate::words::{self, Cast};

impl Reader<'_> {
    /// A fence that a rule sets needs a sink that can compare, too.
    pub(super) fn fences(&mut self, place: &str, scenario: &Scenario) {
        for (sink, file) in scenario.sinks.iter().zip(&self.file.sinks) {
            let by_rule = sink.rules.fence.is_some() && file.fence.is_none();
            if by_rule && !sink.rules.kind.can_compare() {
                self.report.add(place, cannot_compare(&sink.name, sink.rules.kind));
            }
        }
    }

    /// The store has no monotonic clock in common with whoever judges.
    pub(super) fn beats(&mut self, place: &str, scenario: &Scenario) {
        if renews_by_monotonic(scenario) {
            let what = "a store cannot renew by `clock monotonic`, a reading of the scheduler's own clock. Write `clock wall`, `clock worker-stamp` or `clock observer`, or `beats-to scheduler`";
            self.report.add(place, what);
        }
    }

    pub(super) fn remedy(&mut self, n: usize, remedy: &RemedyFile, scenario: &Scenario) -> Remedy {
        let place = nth("", "remedy", n);
        self.report.text(&place, "title", &remedy.title, "the button's text, such as `Fence the table`");
        self.report.text(&place, "why", &remedy.why, "one sentence on why it helps and what it costs");
        if remedy.claims.is_empty() {
            self.report.add(&format!("{place}.claim"), "missing. Say what the remedy makes hold");
        }
        let settings = self.settings(&place, &remedy.set, scenario);
        let expected = self.expected(&format!("{place}.claim"), &remedy.claims);
        Remedy { title: remedy.title.clone(), why: remedy.why.clone(), settings, expected }
    }

    /// Its rules, in force from the start, and its faults.
    pub(super) fn near_miss(
        &mut self,
        n: usize,
        miss: &NearMissFile,
        scenario: &Scenario,
    ) -> (String, Vec<Intervention>) {
        let place = nth("", "near_miss", n);
        self.report.text(&place, "title", &miss.title, "what differs, and what comes of it");
        let mut acts = self.settings(&place, &miss.set, scenario);
        if miss.faults.is_empty() {
            acts.extend(&scenario.script);
        } else {
            let cast = Cast::of(scenario);
            acts.extend(self.interventions(&format!("{place}.faults"), &miss.faults, cast, scenario.until));
        }
        (miss.title.clone(), acts)
    }

    /// Rules to be in force from the start in place of the scenario's.
    fn settings(&mut self, place: &str, texts: &[String], scenario: &Scenario) -> Vec<Intervention> {
        let (cast, mut changed, mut settings) = (Cast::of(scenario), scenario.clone(), Vec::new());
        self.most(&format!("{place}.set"), texts.len(), MAX_FAULTS);
        for (at, text) in texts.iter().enumerate().take(MAX_FAULTS) {
            match words::setting(text, cast) {
                Ok(setting) => {
                    changed.set(setting);
                    settings.push(Intervention { when: When::At(0), act: Act::Set(setting) });
                }
                Err(what) => self.report.add(&nth(place, "set", at), what),
            }
        }
        self.fences(&format!("{place}.set"), &changed);
        #[cfg(feature = "authoring")]
        if !super::super::sense::leaves_nothing(scenario) {
            super::super::sense::belief(&format!("{place}.set"), &changed, self.report);
        }
        if renews_by_monotonic(scenario) {
            return settings;
        }
        self.beats(&format!("{place}.set"), &changed);
        settings
    }
}

fn renews_by_monotonic(scenario: &Scenario) -> bool {
    let Rules { heartbeat, lease, .. } = &scenario.rules;
    heartbeat.to == BeatsTo::Store && lease.clock == ExpiryClock::Monotonic
}
