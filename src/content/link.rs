//! A run as a link: scenario, seed and interventions in readable words, with the format's version.
//!
//! ```text
//! v=1&id=flagship&seed=1&do=0s.fence.sink1.claim,22s.pause.w1.55s
//! ```
//!
//! Without `do` the scenario's own faults are played; with it, what it says instead of them, and
//! `do=none` is the same world with nobody touching it.

use fenceline_engine::NodeId;
use fenceline_sim::{At, Intervention};

use crate::words::{self, Cast};

/// The version of the format written here. Older ones stay readable for ever: see the golden links.
pub const VERSION: u32 = 1;

/// Acts one link may carry.
pub const MAX_ACTS: usize = 500;

/// What a link says of a run, before its scenario is at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLink {
    pub id: String,
    pub seed: u64,
    /// The acts in place of the scenario's own faults, still in words: which nodes exist, only the
    /// scenario knows.
    pub acts: Option<Vec<String>>,
    /// Where the cursor is put; none where the lab finds an instant itself.
    pub at: Option<At>,
    /// The node that is selected, still in words.
    pub on: Option<String>,
}

impl RunLink {
    /// A scenario's first run of chance, with its own faults or with these.
    pub fn of(id: &str, acts: Option<Vec<String>>) -> Self {
        Self { id: id.to_owned(), seed: 1, acts, at: None, on: None }
    }

    /// Reads the parameters of a link. Parameters that are not a run's are left to others.
    ///
    /// # Errors
    /// A sentence that names the parameter and what was expected.
    pub fn read<'a>(
        parameters: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Option<Self>, String> {
        let mut link = Self::of("", None);
        for (name, value) in parameters {
            match name {
                "v" => match value.parse::<u32>() {
                    Ok(version) if (1..=VERSION).contains(&version) => {}
                    Ok(0) => {
                        return Err(format!(
                            "`v=0` is no version of the link format: the first is 1. Write `v={VERSION}`"
                        ));
                    }
                    Ok(version) => {
                        return Err(format!(
                            "`v={version}` is a newer link format than this page knows ({VERSION})"
                        ));
                    }
                    Err(_) => return Err(format!("`v={value}` is not a version. Write `v={VERSION}`")),
                },
                "id" => value.clone_into(&mut link.id),
                "seed" => {
                    link.seed = value
                        .parse()
                        .map_err(|_| format!("`seed={value}` is not a seed. Write a whole number"))?;
                }
                "at" => link.at = Some(instant(value)?),
                "on" => link.on = Some(value.to_owned()),
                "do" if value == "none" => link.acts = Some(Vec::new()),
                "do" => link.acts = Some(value.split(',').map(str::to_owned).collect()),
                _ => {}
            }
        }
        let acts = link.acts.as_ref().map_or(0, Vec::len);
        if acts > MAX_ACTS {
            return Err(format!("{acts} acts; a link may carry {MAX_ACTS}"));
        }
        Ok((!link.id.is_empty()).then_some(link))
    }

    /// The node the link selects.
    ///
    /// # Errors
    /// A sentence that names it and what was expected.
    pub fn selects(&self, cast: Cast) -> Result<Option<NodeId>, String> {
        let Some(word) = &self.on else { return Ok(None) };
        let node = words::node(word, cast).map_err(|what| format!("`on={word}`: {what}"))?;
        Ok(Some(node))
    }

    /// The acts, read for a scenario's cast; none where the scenario's own stand.
    ///
    /// # Errors
    /// A sentence that names the act and its wrong word.
    pub fn interventions(&self, cast: Cast) -> Result<Option<Vec<Intervention>>, String> {
        let read = |(n, act): (usize, &String)| {
            words::intervention(act, cast)
                .map_err(|what| format!("act {} of the link, `{act}`: {what}", n + 1))
        };
        self.acts.as_ref().map(|acts| acts.iter().enumerate().map(read).collect()).transpose()
    }

    /// Writes a run as the parameters of a link.
    pub fn write(id: &str, seed: u64, interventions: Option<&[Intervention]>, cast: Cast) -> String {
        let mut text = format!("v={VERSION}&id={id}");
        if seed != 1 {
            text += &format!("&seed={seed}");
        }
        let in_words = |act| words::intervention_words(act, cast).replace(' ', ".");
        match interventions {
            None => {}
            Some([]) => text += "&do=none",
            Some(acts) => text += &format!("&do={}", acts.iter().map(in_words).collect::<Vec<_>>().join(",")),
        }
        text
    }
}

fn instant(value: &str) -> Result<At, String> {
    let length = words::duration(value).and_then(|span| At::try_from(span.0).ok());
    length.ok_or_else(|| format!("`at={value}` is not a time. Write `at=22s`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fenceline_sim::Act;

    const CAST: Cast =
        Cast { workers: 2, sinks: 1, tasks: 1, executor: None, standby: (NodeId(4), 0), store: None };

    fn parameters(text: &str) -> Vec<(&str, &str)> {
        text.split('&').filter_map(|pair| pair.split_once('=')).collect()
    }

    /// Links that were given out. They must read for ever; never edit one, only add.
    const GOLDEN: [(&str, Option<usize>); 13] = [
        ("v=1&id=flagship", None),
        ("v=1&id=flagship&do=none", Some(0)),
        ("v=1&id=flagship&do=0s.fence.sink1.claim,22s.pause.w1.55s", Some(2)),
        (
            "v=1&id=flagship&seed=42&do=0s.fence.sink1.first-write,22s.pause.w1.45s,30s.cut.w2.control.both-ways.40s",
            Some(3),
        ),
        (
            "v=1&id=flagship&do=5s.freeze.w1.1min,6s.freeze.w2.sleepless.90s,7s.crash.w1,8s.crash.sink1.1s,9s.reboot.scheduler.3s",
            Some(5),
        ),
        (
            "v=1&id=flagship&do=5s.slow.w1.25.1min,6s.degrade.w1.data.out.2s.100000.40s,7s.cut.scheduler.both.in",
            Some(3),
        ),
        (
            "v=1&id=flagship&do=5s.step.scheduler.-61s,6s.step.w1.1h,7s.rate.w2.-200,30s.input.task1.2",
            Some(4),
        ),
        (
            "v=1&id=flagship&do=59s.operator.task1.redispatch,61s.operator.task1.fail,62s.operator.task1.succeed,63s.operator.task1.extend,64s.operator.task1.cancel,65s.operator.task1.rerun",
            Some(6),
        ),
        ("v=1&id=flagship&do=5s.redeliver.w2.task1", Some(1)),
        ("v=1&id=flagship&do=5s.block.w1.45s", Some(1)),
        ("v=1&id=flagship&do=1min.restore.sink1.40s,61s.restore.counter.40s,62s.unlock.sink1", Some(3)),
        ("v=1&id=flagship&do=5s.fail.sink1.done.after.20s.1min,6s.fail.scheduler", Some(2)),
        ("v=1&id=flagship&do=task1.a1.3.crash.w1,task1.a2.pause.scheduler.20min", Some(2)),
    ];

    /// The number of an act's kind; a new kind does not compile until it is counted, and fails below
    /// until a golden link has it.
    fn kind(act: &Act) -> usize {
        match act {
            Act::Pause { .. } => 0,
            Act::Freeze { .. } => 1,
            Act::Crash { .. } => 2,
            Act::Reboot { .. } => 3,
            Act::Slow { .. } => 4,
            Act::Cut { .. } => 5,
            Act::Degrade { .. } => 6,
            Act::StepClock { .. } => 7,
            Act::ClockRate { .. } => 8,
            Act::Input { .. } => 9,
            Act::Operator { .. } => 10,
            Act::Set(_) => 11,
            Act::Redeliver { .. } => 12,
            Act::Restore { .. } => 13,
            Act::ForceUnlock { .. } => 14,
            Act::Fail { .. } => 15,
            Act::Block { .. } => 16,
        }
    }

    #[test]
    fn every_kind_of_act_has_a_golden_link() {
        let links =
            GOLDEN.iter().map(|(text, _)| RunLink::read(parameters(text)).expect(text).expect("a run"));
        let acts: Vec<_> = links.filter_map(|link| link.interventions(CAST).expect("readable")).collect();
        let mut kinds: Vec<_> = acts.iter().flatten().map(|fault| kind(&fault.act)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds, (0..17).collect::<Vec<_>>());
        let decided = |fault: &&Intervention| matches!(fault.act, Act::Operator { .. });
        assert_eq!(acts.iter().flatten().filter(decided).count(), 6, "one of each decision");
    }

    #[test]
    fn golden_links_read_and_write_back_the_same() {
        for (text, acts) in GOLDEN {
            let link = RunLink::read(parameters(text)).expect(text).expect("a run");
            let interventions = link.interventions(CAST).expect(text);
            assert_eq!(interventions.as_ref().map(Vec::len), acts, "{text}");
            assert_eq!(RunLink::write(&link.id, link.seed, interventions.as_deref(), CAST), text);
        }
    }

    #[test]
    fn a_wrong_link_says_where() {
        assert!(RunLink::read(parameters("v=9&id=flagship")).unwrap_err().contains("newer link format"));
        let zero = RunLink::read(parameters("v=0&id=flagship")).unwrap_err();
        assert_eq!(zero, "`v=0` is no version of the link format: the first is 1. Write `v=1`");
        assert!(RunLink::read(parameters("v=1&id=flagship&at=soon")).unwrap_err().contains("Write `at=22s`"));
        assert!(RunLink::read(parameters("v=1&id=flagship&seed=x")).unwrap_err().contains("seed=x"));
        let link = RunLink::read(parameters("v=1&id=flagship&do=22s.pause.w9.55s")).unwrap().unwrap();
        assert_eq!(
            link.interventions(CAST).unwrap_err(),
            "act 1 of the link, `22s.pause.w9.55s`: there is no node `w9`; workers are `w1` to `w2`"
        );
        assert_eq!(RunLink::read(parameters("theme=dark")), Ok(None));
        let link = RunLink::read(parameters("v=1&id=flagship&on=w9")).unwrap().unwrap();
        assert!(link.selects(CAST).unwrap_err().starts_with("`on=w9`: there is no node `w9`;"));
    }

    #[test]
    fn a_link_may_name_an_instant_and_a_node() {
        let link = RunLink::read(parameters("v=1&id=flagship&at=21500ms&on=w2")).unwrap().unwrap();
        assert_eq!((link.at, link.selects(CAST)), (Some(21_500_000), Ok(Some(NodeId(2)))));
    }
}
