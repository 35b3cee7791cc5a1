//! Reading a scenario file part by part.

use std::sync::Arc;

use fenceline_engine::{Limits, Service, SinkKind, SinkRules, Span, Step, TaskId, TaskSpec, Token, Wall};
use fenceline_sim::scenario::{AlertRule, Judged};
use fenceline_sim::workload::plain_rules;
use fenceline_sim::{Act, At, Intervention, LinkSpec, Scenario, Setting, SinkSpec, When, WorkerSpec};

use crate::report::{Report, nth};
use crate::words::{self, Cast, did_you_mean};

use super::phrases::step;
use super::{
    CLAIMS, Case, ClaimFile, Expected, LinkFile, MAX_FAULTS, MAX_SINKS, MAX_STANDBY, MAX_STEPS, MAX_TASKS,
    MAX_VERSIONS, MAX_WORKERS, STATES, ScenarioFile, TaskFile,
};

mod changes;

/// What a file describes; its mistakes are reported.
pub(super) fn read(file: &ScenarioFile, report: &mut Report) -> Case {
    Reader { file, report }.read()
}

/// Reads a file part by part; each mistake is reported and replaced by something harmless.
struct Reader<'a> {
    file: &'a ScenarioFile,
    report: &'a mut Report,
}

impl Reader<'_> {
    fn read(mut self) -> Case {
        let file = self.file;
        let workers = self.workers();
        let sinks = self.sinks();
        let (tasks, judged) = self.tasks(workers.len(), &sinks);
        let until = self.duration("until", &file.until).max(Span(1));
        if words::length(&file.until) == Ok(Span::ZERO) {
            self.report.add("until", "a run must last. Write a duration such as `102s`");
        }
        if file.first_token == Some(0) {
            self.report.add("first_token", "tokens begin at 1");
        }
        let starts = self.starts();
        let mut scenario = Scenario {
            rules: plain_rules(),
            workers,
            sinks,
            executor: self.executor(),
            standby: self.standby(),
            store: self.store(),
            tasks,
            judged,
            control: self.link("control", &file.control),
            data: self.link("data", &file.data),
            epoch: Wall(i64::from(starts.unwrap_or(0)) * 1_000_000),
            first_token: Token(file.first_token.unwrap_or(7).max(1)),
            until: u64::try_from(until.0).unwrap_or(1),
            script: Vec::new(),
            alerts: self.alerts(),
        };
        let cast = Cast::of(&scenario);
        // A rule for all tasks changes those that have their own, too; in a file their own stands.
        let own: Vec<_> = scenario.tasks.iter().map(|task| (task.expiry, task.limits)).collect();
        for (name, value) in &file.rules {
            match words::setting(&format!("{name} {value}"), cast) {
                Ok(Setting::LeaderLease(_) | Setting::Epoch(_)) if scenario.standby.is_empty() => {
                    let what = "means nothing to a scheduler alone. Name another in `standby`";
                    self.report.add(&format!("rules.{name}"), what);
                }
                Ok(setting) => scenario.set(setting),
                Err(what) => self.report.add(&format!("rules.{name}"), what),
            }
        }
        for (task, own) in scenario.tasks.iter_mut().zip(own) {
            (task.expiry, task.limits) = own;
        }
        self.fences("rules", &scenario);
        self.beats("rules", &scenario);
        scenario.script = self.interventions("faults", &file.faults, cast, scenario.until);
        let mut changed = scenario.clone();
        for (n, intervention) in scenario.script.iter().enumerate() {
            if let Act::Set(setting @ (Setting::BeatsTo(_) | Setting::Clock(_))) = intervention.act {
                changed.set(setting);
                self.beats(&nth("", "faults", n), &changed);
            }
        }
        let remedies = file.remedies.iter().enumerate();
        let remedies = remedies.map(|(n, remedy)| self.remedy(n, remedy, &scenario)).collect();
        let near_misses = file.near_misses.iter().enumerate();
        let near_misses = near_misses.map(|(n, miss)| self.near_miss(n, miss, &scenario)).collect();
        if file.claims.is_empty() {
            self.report.add("claim", "missing. Say what must come out, such as `one-output` is `violated`");
        }
        #[cfg(feature = "authoring")]
        super::sense::check(file, &scenario, self.report);
        Case {
            id: file.id.clone(),
            title: file.title.clone(),
            about: file.about.clone(),
            group: file.group.clone(),
            starts,
            expected: self.expected("claim", &file.claims),
            remedies,
            near_misses,
            next: file.next.clone(),
            scenario: Arc::new(scenario),
        }
    }

    fn duration(&mut self, place: &str, text: &str) -> Span {
        words::length(text).unwrap_or_else(|what| {
            let what = if text.is_empty() { "missing. Write a duration such as `102s`".into() } else { what };
            self.report.add(place, what);
            Span::ZERO
        })
    }

    fn maybe_duration(&mut self, place: &str, text: Option<&String>) -> Option<Span> {
        text.map(|text| self.duration(place, text))
    }

    fn starts(&mut self) -> Option<u32> {
        let text = self.file.starts.as_ref()?;
        let read = text.split_once(':').and_then(|(hours, minutes)| {
            let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
            (hours < 24 && minutes < 60).then_some(hours * 3600 + minutes * 60)
        });
        if read.is_none() {
            self.report.add("starts", format!("`{text}` is not a time of day. Write one such as `02:30`"));
        }
        read
    }

    fn link(&mut self, place: &str, link: &LinkFile) -> LinkSpec {
        let latency = if link.latency.is_empty() {
            Span::millis(200)
        } else {
            self.duration(&format!("{place}.latency"), &link.latency)
        };
        let jitter = if link.jitter.is_empty() {
            Span::ZERO
        } else {
            self.duration(&format!("{place}.jitter"), &link.jitter)
        };
        if link.loss > 1_000_000 {
            self.report.add(&format!("{place}.loss"), "a loss is at most 1000000 parts per million");
        }
        if link.duplicate > 1_000_000 {
            self.report.add(&format!("{place}.duplicate"), "at most 1000000 parts per million come twice");
        }
        LinkSpec { latency, jitter, loss: link.loss.min(1_000_000), duplicate: link.duplicate.min(1_000_000) }
    }

    fn count(&mut self, place: &str, what: &str, count: usize, limit: usize) {
        if count == 0 {
            self.report.add(place, format!("missing. A scenario needs at least one {what}"));
        }
        self.most(place, count, limit);
    }

    fn most(&mut self, place: &str, count: usize, limit: usize) {
        if count > limit {
            self.report.add(place, format!("{count} are too many; the limit is {limit}"));
        }
    }

    /// How many one entry stands for.
    fn copies(&mut self, place: &str, count: Option<u16>) -> u16 {
        if count == Some(0) {
            self.report
                .add(&format!("{place}.count"), "is none. Write 1 or more, or leave the whole entry out");
        }
        count.unwrap_or(1)
    }

    fn workers(&mut self) -> Vec<WorkerSpec> {
        let mut workers = Vec::new();
        let count = self.file.workers.iter().map(|worker| usize::from(worker.count.unwrap_or(1))).sum();
        self.count("worker", "worker", count, MAX_WORKERS);
        for (n, worker) in self.file.workers.iter().enumerate().take(MAX_WORKERS) {
            let place = nth("", "worker", n);
            self.report.text(&place, "name", &worker.name, "a name such as `worker 1`");
            let offset = worker.clock_offset.as_ref().map_or(Ok(Span::ZERO), |text| words::step(text));
            let offset = offset.unwrap_or_else(|what| {
                self.report.add(&format!("{place}.clock_offset"), what);
                Span::ZERO
            });
            let rate = worker.clock_rate.unwrap_or(0);
            if !words::RATES.contains(&rate) {
                self.report.add(&format!("{place}.clock_rate"), format!("`{rate}`: {}", words::NO_RATE));
            }
            let rate =
                fenceline_sim::clock::TRUE_RATE + rate.clamp(*words::RATES.start(), *words::RATES.end());
            let slots = worker.slots.unwrap_or(1);
            if slots == 0 {
                self.report.add(&format!("{place}.slots"), "a worker without slots runs nothing");
            }
            let copies = self.copies(&place, worker.count);
            for copy in 1..=copies.min(MAX_WORKERS as u16) {
                let name = if copies > 1 { format!("{} {copy}", worker.name) } else { worker.name.clone() };
                workers.push(WorkerSpec { slots, offset, rate, ..WorkerSpec::named(name) });
            }
        }
        workers.truncate(MAX_WORKERS);
        workers
    }

    fn executor(&mut self) -> Option<String> {
        let name = self.file.executor.clone()?;
        self.report.text("", "executor", &name, "a name such as `kubelet`");
        Some(name)
    }

    fn store(&mut self) -> Option<String> {
        let name = self.file.store.clone()?;
        self.report.text("", "store", &name, "a name such as `database`");
        Some(name)
    }

    fn standby(&mut self) -> Vec<String> {
        let mut names = self.file.standby.clone();
        self.most("standby", names.len(), MAX_STANDBY);
        names.truncate(MAX_STANDBY);
        for (n, name) in names.iter().enumerate() {
            self.report.text("", &format!("standby[{}]", n + 1), name, "a name such as `scheduler 2`");
        }
        names
    }

    fn sinks(&mut self) -> Vec<SinkSpec> {
        let mut sinks: Vec<SinkSpec> = Vec::new();
        for (n, sink) in self.file.sinks.iter().enumerate().take(MAX_SINKS) {
            let place = nth("", "sink", n);
            self.report.text(&place, "name", &sink.name, "a name such as `revenue`");
            if sink.name.contains(' ') {
                self.report.add(&format!("{place}.name"), "a sink's name is one word, since steps name it");
            }
            if sinks.iter().any(|other| other.name == sink.name) {
                self.report
                    .add(&format!("{place}.name"), format!("`{}` is the name of another sink", sink.name));
            }
            let kind = words::kind(&sink.kind).unwrap_or_else(|what| {
                let is_missing = sink.kind.is_empty();
                let what = if is_missing { "missing. Write a kind such as `append`".into() } else { what };
                self.report.add(&format!("{place}.kind"), what);
                SinkKind::Append
            });
            let fence = sink.fence.as_ref().and_then(|text| {
                words::fence_rules(text).unwrap_or_else(|what| {
                    self.report.add(&format!("{place}.fence"), what);
                    None
                })
            });
            if fence.is_some() && !kind.can_compare() {
                self.report.add(&format!("{place}.fence"), cannot_compare(&sink.name, kind));
            }
            let base = self.maybe_duration(&format!("{place}.service"), sink.service.as_ref());
            let per_active =
                self.maybe_duration(&format!("{place}.service_per_active"), sink.service_per_active.as_ref());
            let service =
                Service { base: base.unwrap_or_default(), per_active: per_active.unwrap_or_default() };
            sinks.push(SinkSpec {
                name: sink.name.clone(),
                rules: Arc::new(SinkRules { kind, fence, service }),
            });
        }
        self.most("sink", self.file.sinks.len(), MAX_SINKS);
        sinks
    }

    fn tasks(&mut self, workers: usize, sinks: &[SinkSpec]) -> (Vec<TaskSpec>, Vec<Judged>) {
        let (mut tasks, mut judged) = (Vec::new(), Vec::new());
        let count = self.file.tasks.iter().map(|task| usize::from(task.count.unwrap_or(1))).sum();
        self.count("task", "task", count, MAX_TASKS);
        for (n, task) in self.file.tasks.iter().enumerate().take(MAX_TASKS) {
            let place = nth("", "task", n);
            self.report.text(&place, "name", &task.name, "a name such as `revenue`");
            let due = self.maybe_duration(&format!("{place}.due"), task.due.as_ref());
            let bound = self.maybe_duration(&format!("{place}.bound"), task.bound.as_ref());
            let expiry = match self.rule_of_its_own(&place, ("expiry", "expiry"), task.expiry.as_ref()) {
                Some(Setting::Expiry(policy)) => Some(policy),
                _ => None,
            };
            let mut limits = Limits::default();
            let named = ("progress_timeout", "progress-timeout");
            if let Some(Setting::ProgressTimeout(limit)) =
                self.rule_of_its_own(&place, named, task.progress_timeout.as_ref())
            {
                limits.progress = limit;
            }
            let named = ("run_timeout", "run-timeout");
            if let Some(Setting::RunTimeout(limit)) =
                self.rule_of_its_own(&place, named, task.run_timeout.as_ref())
            {
                limits.run = limit;
            }
            let program = self.program(&place, &task.program, workers, sinks);
            self.readings(&place, &program, &tasks, &task.program);
            self.most(&format!("{place}.rows"), task.rows.len(), MAX_VERSIONS);
            let rows = if task.rows.is_empty() { vec![0] } else { task.rows.clone() };
            let due = due.unwrap_or_default();
            let same = self.file.tasks.iter().take(n).position(|other| other.name == task.name);
            let before = |entry: usize| self.file.tasks.iter().take(entry).map(count_of).sum::<usize>();
            let application = task_id(before(same.unwrap_or(n))).unwrap_or_default();
            let spec =
                TaskSpec { due, program, rows, expiry, limits, follows: None, after: None, application };
            let every = self.maybe_duration(&format!("{place}.every"), task.every.as_ref());
            let upstream = self.upstream(&place, task.after.as_ref(), n);
            let copies = self.copies(&place, task.count);
            let first = tasks.len();
            for copy in 1..=copies.min(MAX_TASKS as u16) {
                let before = every.filter(|_| copy > 1).and_then(|_| task_id(tasks.len().checked_sub(1)?));
                let beside = upstream.map(|(from, count)| from + (tasks.len() - first).min(count - 1));
                let spec = TaskSpec {
                    due: due + every.unwrap_or_default().times(i64::from(copy) - 1),
                    follows: before,
                    after: beside.and_then(task_id),
                    ..spec.clone()
                };
                let interval =
                    if copies > 1 { format!("{} {copy}", task.interval) } else { task.interval.clone() };
                tasks.push(spec);
                judged.push(Judged {
                    name: task.name.clone(),
                    interval,
                    bound,
                    exclusive: task.exclusive,
                    read_only: task.read_only,
                });
            }
        }
        tasks.truncate(MAX_TASKS);
        judged.truncate(MAX_TASKS);
        (tasks, judged)
    }

    /// A rule that a task has for itself, in a field of its own.
    fn rule_of_its_own(
        &mut self,
        place: &str,
        (field, rule): (&str, &str),
        text: Option<&String>,
    ) -> Option<Setting> {
        let read = words::setting(&format!("{rule} {}", text?), Cast::NOBODY);
        read.map_err(|what| self.report.add(&format!("{place}.{field}"), what)).ok()
    }

    /// Where the tasks of an entry above begin, and how many they are.
    fn upstream(&mut self, place: &str, name: Option<&String>, before: usize) -> Option<(usize, usize)> {
        let name = name?;
        let above = self.file.tasks.get(..before).unwrap_or_default();
        let Some(at) = above.iter().position(|task| task.name == *name) else {
            let near = words::nearest(name, above.iter().map(|task| task.name.as_str()));
            let hint = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
            self.report.add(&format!("{place}.after"), format!("there is no task `{name}` above.{hint}"));
            return None;
        };
        let from = above.iter().take(at).map(count_of).sum();
        above.get(at).map(|task| (from, count_of(task)))
    }

    fn program(&mut self, place: &str, steps: &[String], workers: usize, sinks: &[SinkSpec]) -> Vec<Step> {
        if steps.is_empty() {
            self.report.add(&format!("{place}.program"), "missing. Write steps such as `compute 30s`");
        }
        self.most(&format!("{place}.program"), steps.len(), MAX_STEPS);
        let mut program = Vec::new();
        for (n, text) in steps.iter().take(MAX_STEPS).enumerate() {
            match step(text, workers, sinks) {
                Ok(step) => program.push(step),
                Err(what) => self.report.add(&nth(place, "program", n), what),
            }
        }
        program
    }

    /// What is read from a sink, a task above has to write there.
    fn readings(&mut self, place: &str, program: &[Step], above: &[TaskSpec], texts: &[String]) {
        // A step that cannot be read has been named, and leaves no telling which is which.
        let steps = program.iter().enumerate().filter(|_| program.len() == texts.len());
        for (n, step) in steps {
            let Step::ReadFrom { sink } = *step else { continue };
            let mut made = above.iter().flat_map(|task| &task.program);
            if !made.any(|step| {
                matches!(step, Step::Write { .. } | Step::Swap { .. }) && step.sink() == Some(sink)
            }) {
                self.report
                    .add(&nth(place, "program", n), "no task above writes there, so nothing can be read");
            }
        }
    }

    fn alerts(&mut self) -> Vec<AlertRule> {
        let mut alerts = Vec::new();
        for (n, text) in self.file.alerts.iter().enumerate() {
            match words::alert_rule(text) {
                Ok(rule) => alerts.push(rule),
                Err(what) => self.report.add(&nth("", "alerts", n), what),
            }
        }
        alerts
    }

    fn interventions(&mut self, place: &str, texts: &[String], cast: Cast, until: At) -> Vec<Intervention> {
        self.most(place, texts.len(), MAX_FAULTS);
        let is_known = words::length(&self.file.until).is_ok_and(|until| until > Span::ZERO);
        let mut read = Vec::new();
        for (n, text) in texts.iter().enumerate().take(MAX_FAULTS) {
            match words::intervention(text, cast) {
                Ok(Intervention { when: When::At(at), .. }) if is_known && at > until => {
                    let what = format!("the run is over by then: it ends at {}", self.file.until);
                    self.report.add(&format!("{place}[{}]", n + 1), what);
                }
                Ok(intervention) => read.push(intervention),
                Err(what) => self.report.add(&format!("{place}[{}]", n + 1), what),
            }
        }
        read
    }

    fn expected(&mut self, place: &str, claims: &[ClaimFile]) -> Vec<Expected> {
        let mut expected: Vec<Expected> = Vec::new();
        for (n, file) in claims.iter().enumerate() {
            let place = format!("{place}[{}]", n + 1);
            let claim = self.one_of(&format!("{place}.verdict"), "verdict", &file.verdict, &CLAIMS);
            let state = self.one_of(&format!("{place}.is"), "outcome", &file.is, &STATES);
            let (Some(claim), Some(state)) = (claim, state) else { continue };
            if expected.iter().any(|other| other.claim == claim) {
                let what = format!("`{}` is claimed already. Claim it once", file.verdict);
                self.report.add(&format!("{place}.verdict"), what);
            }
            expected.push(Expected { claim, state });
        }
        expected
    }

    fn one_of<T: Copy>(&mut self, place: &str, what: &str, word: &str, choices: &[(&str, T)]) -> Option<T> {
        let found = choices.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        if found.is_none() {
            let hint = did_you_mean(word, choices.iter().map(|(name, _)| *name));
            let lead =
                if word.is_empty() { "missing".into() } else { format!("there is no {what} `{word}`") };
            self.report.add(place, format!("{lead}. Write one of: {}{hint}", names(choices)));
        }
        found
    }
}

fn cannot_compare(sink: &str, kind: SinkKind) -> String {
    let kind = words::kind_words(kind);
    format!("`{sink}` is `{kind}`, which cannot compare tokens, so no fence can stand before it")
}

fn names<T>(choices: &[(&str, T)]) -> String {
    choices.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// How many tasks an entry stands for.
fn count_of(task: &TaskFile) -> usize {
    usize::from(task.count.unwrap_or(1)).max(1)
}

fn task_id(index: usize) -> Option<TaskId> {
    u16::try_from(index).ok().map(TaskId)
}
