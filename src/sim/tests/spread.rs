//! Tables made from others: what a reading makes of its reader's output, and how far a wrong one spreads
//! before anybody is told.

mod support;

use fenceline_engine::{Chunk, NodeId, SinkKind, Span, Step, TaskId};
use fenceline_sim::figures::Figures;
use fenceline_sim::scenario::{AlertRule, Judged, SinkSpec};
use fenceline_sim::verdict::State;
use fenceline_sim::{Act, Claim, Kind, Run, Scenario};
use std::sync::Arc;
use support::*;

const REPORT: TaskId = TaskId(1);
const FORECAST: TaskId = TaskId(2);
const REPORTS: NodeId = NodeId(4);
const FORECASTS: NodeId = NodeId(5);

/// The first run, a report made of its table once it has succeeded, and a forecast made of the report.
fn downstream(kind: SinkKind) -> Scenario {
    let mut scenario = onto(kind);
    for (from, to, name) in [(SINK, REPORTS, "report"), (REPORTS, FORECASTS, "forecast")] {
        let mut rules = (*scenario.sinks[0].rules).clone();
        rules.kind = SinkKind::Overwrite;
        scenario.sinks.push(SinkSpec { name: name.into(), rules: Arc::new(rules) });
        let mut task = scenario.tasks[0].clone();
        task.program = vec![
            Step::ReadFrom { sink: from },
            Step::Compute(Span::secs(20)),
            Step::Write { sink: to, part: 0, parts: 1 },
            Step::Acknowledge,
        ];
        (task.rows, task.after) = (vec![12, 15], Some(TaskId(scenario.tasks.len() as u16 - 1)));
        scenario.tasks.push(task);
        scenario.judged.push(Judged { name: name.into(), ..Judged::default() });
    }
    scenario.until = 600_000_000;
    scenario
}

fn figures(run: &Run) -> Figures {
    let played = run.played();
    Figures::of(run, &played.trace, played.trace.len(), played.now)
}

/// What each reading was: the reader, the version it came to, the rows.
fn readings(run: &Run) -> Vec<(TaskId, u8, i64)> {
    let played = run.played();
    let read = played.trace.iter().filter(|record| record.kind == Kind::TableRead);
    read.map(|record| (record.task, record.flag, record.b)).collect()
}

/// Both attempts write before the success: 45 s of pause. The report reads 2,408 rows.
fn doubled() -> Run {
    Run::new(downstream(SinkKind::Append)).paused_for(45)
}

#[test]
fn what_is_read_is_what_a_reader_sees() {
    assert_eq!(readings(&doubled()), [(REPORT, 1, 2408), (FORECAST, 1, 12)]);
    assert_eq!(readings(&Run::new(downstream(SinkKind::Append)))[0], (REPORT, 1, 1204));
}

#[test]
fn a_table_made_of_a_wrong_one_breaks_no_claim_of_its_own_and_counts_as_spread() {
    let run = doubled();
    let broken = run.played().verdict(Claim::RowsAsExpected);
    assert_eq!(
        (broken.state, broken.tasks),
        (State::Violated, vec![TASK]),
        "the report is what its task makes"
    );
    let figures = figures(&run);
    let derived: Vec<_> = figures.derived.iter().map(|it| (it.task, it.sink, it.from.clone())).collect();
    assert_eq!(derived, [(REPORT, REPORTS, vec![TASK]), (FORECAST, FORECASTS, vec![TASK])], "at any remove");
    assert_eq!(figures.spread(), 2);
    assert!(figures.detections.iter().all(|detection| detection.spread == 2), "{:?}", figures.detections);
}

#[test]
fn what_is_made_after_the_alert_is_no_spread() {
    let alerting = |rule| {
        let run = Run::new(alerting(downstream(SinkKind::Append), rule)).paused_for(45);
        let figures = figures(&run);
        (figures.derived.len(), figures.spread())
    };
    assert_eq!(alerting(AlertRule::Retried), (2, 0), "somebody is told at 51 s");
    assert_eq!(alerting(AlertRule::Reconcile(Span::secs(110))), (2, 1), "between the two");
    assert_eq!(alerting(AlertRule::Reconcile(Span::secs(500))), (2, 2));
}

#[test]
fn what_was_right_when_it_was_read_spreads_nothing() {
    let late = Run::new(downstream(SinkKind::Append)).paused_for(55);
    assert_eq!(state(&late, Claim::RowsAsExpected), State::Violated, "doubled at 85.4 s");
    assert_eq!(readings(&late)[0], (REPORT, 1, 1204), "read at 82 s");
    assert_eq!(figures(&late).derived, []);
    assert_eq!(figures(&Run::new(downstream(SinkKind::Overwrite)).paused_for(45)).derived, []);
}

/// The zombie overwrites with what it made of the older input, and the report reads that.
#[test]
fn outdated_rows_spread_as_doubled_ones_do() {
    let mut scenario = downstream(SinkKind::Overwrite);
    scenario.tasks[1].program.insert(0, Step::Compute(Span::secs(10)));
    let run = changed_to(scenario, 1204).paused_for(55);
    let figures = figures(&run);
    assert_eq!(figures.derived.iter().map(|it| it.task).collect::<Vec<_>>(), [REPORT, FORECAST]);
}

/// Attempt 1 of the report dies after it read 1,204 rows; attempt 2 reads 2,408 and makes more of them.
#[test]
fn other_contents_are_another_version_of_the_input_and_the_same_again_are_not() {
    let crash = Act::Crash { node: WORKER_1, lasts: Some(Span::secs(1)) };
    let run = Run::new(downstream(SinkKind::Append)).paused_for(55);
    let reports = |run: &Run| -> Vec<_> {
        readings(run)
            .into_iter()
            .filter(|(task, ..)| *task == REPORT)
            .map(|(_, version, rows)| (version, rows))
            .collect()
    };
    let again = run.clone().with(86, crash);
    assert_eq!(reports(&again), [(1, 1204), (2, 2408)]);
    let played = again.played();
    let judge = played.judge();
    assert_eq!(judge.rows(REPORT).expected, 15, "what its task makes of version 2");
    assert!(judge.rows(REPORT).is_right());
    let same = Run::new(downstream(SinkKind::Append)).with(40, Act::Crash { node: WORKER_1, lasts: None });
    assert_eq!(reports(&same), [(1, 1204), (1, 1204)]);
}

#[test]
fn without_a_task_to_come_after_every_task_above_is_read() {
    let mut scenario = downstream(SinkKind::Append);
    // The forecast reads the table of the first task, which comes before the report.
    scenario.tasks[2].program[0] = Step::ReadFrom { sink: SINK };
    assert_eq!(scenario.sources(FORECAST, SINK), [TASK], "the report does not write there");
    let more = scenario.tasks[0].clone();
    scenario.tasks.insert(1, more);
    scenario.judged.insert(1, Judged::default());
    scenario.tasks[3].after = None;
    assert_eq!(scenario.sources(TaskId(3), SINK), [TASK, TaskId(1)]);
}

/// A reader needs no token: it neither raises a fence nor is refused by one.
#[test]
fn a_reader_is_not_fenced() {
    let run = Run::new(guarded(downstream(SinkKind::Append), fence(fenceline_engine::FenceRaise::Claim)));
    let played = run.played();
    let raised: Vec<_> = played.trace.iter().filter(|r| r.kind == Kind::Raised && r.node == SINK).collect();
    assert!(raised.iter().all(|record| record.task == TASK), "{raised:?}");
}

/// A cut data path keeps the rows from the reader as it keeps its writes from the table.
#[test]
fn a_reading_takes_the_data_path() {
    use fenceline_sim::{Fate, Path, Way};
    let run = Run::new(downstream(SinkKind::Append));
    let cut = Act::Cut { node: SINK, path: Path::Data, way: Way::Both, fate: Fate::Lost, lasts: None };
    let played = run.with(31, cut).played();
    assert!(played.trace.iter().all(|record| record.kind != Kind::TableRead));
    assert_eq!(played.judge().contents(REPORTS, REPORT), [] as [Chunk; 0]);
}

/// Ten tables in a row, each doubled in its turn, are traced in no time: every writer is looked at once.
#[test]
fn a_long_chain_of_doubled_tables_is_traced_to_its_beginning() {
    let mut scenario = downstream(SinkKind::Append);
    for n in 3..12_u16 {
        let mut sink = scenario.sinks[0].clone();
        sink.name = format!("table {n}");
        scenario.sinks.push(sink);
        let mut task = scenario.tasks[1].clone();
        let (from, to) = (NodeId(SINK.0 + n - 1), NodeId(SINK.0 + n));
        task.program = vec![
            Step::ReadFrom { sink: from },
            Step::Write { sink: to, part: 0, parts: 1 },
            Step::Write { sink: to, part: 0, parts: 1 },
            Step::Write { sink: to, part: 0, parts: 1 },
            Step::Acknowledge,
        ];
        task.after = Some(TaskId(n - 1));
        scenario.tasks.push(task);
        scenario.judged.push(Judged::default());
    }
    let figures = figures(&Run::new(scenario).paused_for(45));
    assert_eq!(figures.derived.len(), 11);
    let last = figures.derived.last().expect("the last table");
    assert!(last.from.contains(&TASK) && last.from.contains(&TaskId(10)), "{last:?}");
}
