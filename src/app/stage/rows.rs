//! A run as a list of events, one sentence each: the phone's stage beside its lanes, and the table.
//! Renewals fold into one row; what one act did at one instant is one sentence.

use super::View;
use crate::app::words::event::{Interest, Names, Piece, Sentence, interest, tell};
use crate::app::words::{instant, rows as say, stage as words};
use fenceline_engine::{Exec, NodeId};
use fenceline_sim::order;
use fenceline_sim::truth::LeaseEnd;
use fenceline_sim::{At, Kind, NONE, Record};

/// One line of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it stands for, to be looked into.
    pub record: u32,
    pub at: At,
    /// "85.4 s", or "10.4, 20.4 s" where several are folded into it.
    pub time: String,
    pub sentence: Sentence,
    pub tone: Tone,
    /// Routine, folded.
    pub folded: bool,
    /// Between which nodes something goes, and whose it is.
    pub hop: Hop,
}

/// How a row is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    /// Stale, expired or violated.
    Bad,
    /// A fence that held.
    Ok,
}

/// What goes from node to node at a row, to be drawn as an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hop {
    None,
    Grant { exec: Exec, to: NodeId },
    Renewal { worker: NodeId },
    Told { worker: NodeId },
    Write { exec: Exec, worker: NodeId, sink: NodeId, stale: bool },
    Fenced { exec: Exec, worker: NodeId, sink: NodeId },
}

/// Close enough to be one event to a reader.
const TOGETHER: At = 1_000_000;

struct List<'v> {
    view: &'v View<'v>,
    names: &'v Names,
    rows: Vec<Row>,
    /// Renewals waiting to be folded.
    renewals: Vec<(u32, At, NodeId)>,
    /// Records told with another.
    told: Vec<u32>,
}

/// The rows of a run, in order of time.
pub fn rows(view: &View<'_>, names: &Names) -> Vec<Row> {
    let mut list = List { view, names, rows: Vec::new(), renewals: Vec::new(), told: Vec::new() };
    // A lease's end has no record of its own: nobody notices it.
    let mut ends: Vec<_> = view
        .truth
        .leases
        .iter()
        .filter_map(|lease| match lease.end {
            Some((at, LeaseEnd::Expired)) => Some((at, lease)),
            _ => None,
        })
        .collect();
    order::by(&mut ends, |(at, _)| *at);
    let mut ends = ends.into_iter().peekable();
    for (id, record) in view.trace.since(0) {
        while let Some((at, lease)) = ends.next_if(|(at, _)| *at < record.at) {
            list.lease_end(at, lease);
        }
        match interest(record) {
            Interest::Matters => list.matters(id, record),
            Interest::Routine => {
                let owner =
                    view.truth.lease(record.task, record.attempt).map_or(record.node, |lease| lease.owner);
                list.renewals.push((id, record.at, owner));
            }
            Interest::Detail => {}
        }
    }
    for (at, lease) in ends {
        list.lease_end(at, lease);
    }
    list.fold(None);
    alike(view, list.rows)
}

/// The run in a few short rows: no renewals, no second sentence.
pub fn brief(view: &View<'_>, names: &Names) -> Vec<Row> {
    let mut all = rows(view, names);
    // A lease's end, which nobody notices, is told with the grant that follows it.
    all.retain(|row| view.trace.get(row.record).is_some_and(|record| record.at == row.at && !row.folded));
    for row in &mut all {
        let Some(record) = view.trace.get(row.record) else { continue };
        let told = &mut row.sentence;
        match record.kind {
            Kind::Granted => {
                told.retain(|piece| matches!(piece, Piece::Token { .. }));
                if record.attempt > 1 {
                    told.insert(0, Piece::Text(words::LEASE_OVER.into()));
                }
                told.push(Piece::Text(words::to(&names.within(record.peer))));
            }
            Kind::Paused => told.truncate(1),
            Kind::Resumed => {
                told.truncate(1);
                if row.tone == Tone::Bad {
                    told.push(Piece::Text(words::A_ZOMBIE.into()));
                }
            }
            Kind::Fenced => {
                if let Some(between) = told.get_mut(2) {
                    *between = Piece::Text(words::OLDER_THAN.into());
                }
            }
            Kind::Applied => {
                told.truncate(1);
                let bad = row.tone == Tone::Bad;
                let wrote = words::wrote(record.b, bad);
                told.push(if bad { Piece::Strong(wrote) } else { Piece::Text(wrote) });
            }
            _ => {}
        }
    }
    all
}

/// Many alike at one instant are one row, whose record is the first's.
fn alike(view: &View<'_>, rows: Vec<Row>) -> Vec<Row> {
    let kind = |row: &Row| (row.at, view.trace.get(row.record).map(|record| record.kind), row.tone);
    let mut told: Vec<Row> = Vec::new();
    let mut more: Vec<usize> = Vec::new();
    for row in rows {
        match (told.last(), more.last_mut()) {
            (Some(last), Some(count)) if !row.folded && kind(last) == kind(&row) && *count > 0 => *count += 1,
            _ => {
                more.push(usize::from(!row.folded));
                told.push(row);
            }
        }
    }
    for (row, count) in told.iter_mut().zip(more).filter(|(_, count)| *count > 1) {
        row.sentence.push(Piece::Text(say::more_alike(count - 1)));
    }
    told
}

impl List<'_> {
    fn time(&self, at: At) -> String {
        instant(at, self.view.starts)
    }

    fn push(&mut self, record: u32, at: At, sentence: Sentence, tone: Tone, hop: Hop) {
        self.fold(Some(at));
        self.rows.push(Row { record, at, time: self.time(at), sentence, tone, folded: false, hop });
    }

    /// One row for the renewals since the last row. A single one beside another event is no row.
    fn fold(&mut self, next: Option<At>) {
        let renewals = std::mem::take(&mut self.renewals);
        let (Some(&(record, first, worker)), Some(&(_, last, _))) = (renewals.first(), renewals.last())
        else {
            return;
        };
        let near = |at: Option<At>| at.is_some_and(|at| at.abs_diff(first) <= TOGETHER);
        if renewals.len() == 1 && (near(next) || near(self.rows.last().map(|row| row.at))) {
            return;
        }
        let short = |at: At| self.time(at).trim_end_matches(" s").to_owned();
        let time = match renewals.len() {
            _ if short(first) == short(last) => self.time(first),
            2..=3 => {
                let all: Vec<String> = renewals.iter().map(|(_, at, _)| short(*at)).collect();
                format!("{}{}", all.join(", "), if self.view.starts.is_none() { " s" } else { "" })
            }
            _ => say::from_to(&short(first), &self.time(last)),
        };
        let said = say::renewals(renewals.len());
        self.rows.push(Row {
            record,
            at: first + (last - first) / 2,
            time,
            sentence: vec![Piece::Text(said)],
            tone: Tone::Plain,
            folded: true,
            hop: Hop::Renewal { worker },
        });
    }

    fn lease_end(&mut self, at: At, lease: &fenceline_sim::truth::LeaseTruth) {
        // An execution that had ended by then needs no lease any more, unless it crashed unheard.
        let heard = lease.terms.last().map_or(lease.granted, |term| term.from);
        let since = self.time(heard);
        let sentence = vec![
            Piece::Text(say::LEASE_OF.into()),
            self.names.token(lease.exec),
            Piece::Text(say::ends(since.trim_end_matches(" s"))),
        ];
        let record = lease.terms.last().map_or(NONE, |term| term.record);
        self.push(record, at, sentence, Tone::Bad, Hop::None);
    }

    /// The first record after this one that fits, within what a reader takes for one event.
    fn next_by(&self, id: u32, at: At, fits: impl Fn(&Record) -> bool) -> Option<u32> {
        let soon = self.view.trace.since(id + 1).take_while(|(_, record)| record.at <= at + TOGETHER);
        soon.into_iter().find(|(_, record)| fits(record)).map(|(id, _)| id)
    }

    fn matters(&mut self, id: u32, record: &Record) {
        if self.told.contains(&id) {
            return;
        }
        let (at, exec) = (record.at, record.exec());
        let mut sentence = tell(record, self.names);
        let mut tone = Tone::Plain;
        let mut hop = Hop::None;
        let worker = || self.view.truth.execution(exec).map_or(record.node, |run| run.node);
        match record.kind {
            Kind::Expired => {
                // Seen and acted on at once: told with the grant.
                let granted = |next: &Record| next.kind == Kind::Granted && next.task == record.task;
                let grant = self.next_by(id, at, granted).filter(|next| self.at_of(*next) == at);
                if grant.is_some() {
                    return;
                }
                tone = Tone::Bad;
            }
            Kind::Granted => {
                hop = Hop::Grant { exec, to: record.peer };
                let seen = |other: &Record| {
                    other.kind == Kind::Expired && other.task == record.task && other.at == at
                };
                if (0..id).rev().take(64).any(|other| self.view.trace.get(other).is_some_and(seen)) {
                    sentence.insert(0, Piece::Text(say::SWEEP_SEES_IT.into()));
                }
            }
            Kind::Paused | Kind::Frozen | Kind::Crashed | Kind::LinkCut => {
                if let Some(lasts) = self.lasts(id, record) {
                    sentence.push(Piece::Text(say::lasts(&lasts)));
                }
            }
            Kind::Resumed | Kind::Thawed => {
                let zombie = self.view.truth.executions.iter().any(|run| {
                    run.node == record.node
                        && run
                            .zombie
                            .is_some_and(|zombie| zombie.window.from <= at && at < zombie.window.until)
                });
                let lost = |next: &Record| next.kind == Kind::ToldLost && next.node == record.node;
                if let Some(next) = self.next_by(id, at, lost) {
                    self.told.push(next);
                    let goes_on = self.view.trace.get(next).is_some_and(|told| {
                        self.view
                            .truth
                            .execution(told.exec())
                            .is_some_and(|run| run.end.is_none_or(|(end, _)| end > told.at))
                    });
                    sentence.push(Piece::Text(say::told_lost(goes_on)));
                    hop = Hop::Told { worker: record.node };
                } else if zombie {
                    sentence.push(Piece::Text(say::ITS_LEASE_OVER.into()));
                }
                tone = if zombie { Tone::Bad } else { Tone::Plain };
            }
            Kind::ToldLost => {
                tone = Tone::Bad;
                hop = Hop::Told { worker: record.node };
            }
            Kind::Applied => {
                let stale = self.view.truth.stale_writes.iter().any(|write| write.record == id);
                hop = Hop::Write { exec, worker: worker(), sink: record.node, stale };
                if stale {
                    tone = Tone::Bad;
                }
                let refused = |next: &Record| {
                    matches!(next.kind, Kind::CompletionRefused | Kind::CompletionIgnored)
                        && next.exec() == exec
                };
                self.told.extend(self.next_by(id, at, refused));
                let succeeded = |next: &Record| next.kind == Kind::AttemptSucceeded && next.exec() == exec;
                if let Some(next) = self.next_by(id, at, succeeded) {
                    self.told.push(next);
                    sentence.push(Piece::Text(". Run: success".into()));
                }
            }
            Kind::EffectDone => {
                let stale = self.view.truth.stale_writes.iter().any(|write| write.record == id);
                hop = Hop::Write { exec, worker: worker(), sink: record.node, stale };
                if stale {
                    tone = Tone::Bad;
                    sentence.push(Piece::Strong(", stale".into()));
                }
            }
            Kind::Fenced => {
                tone = Tone::Ok;
                hop = Hop::Fenced { exec, worker: worker(), sink: record.node };
                for kind in
                    [Kind::Ended, Kind::AttemptFailed, Kind::CompletionRefused, Kind::CompletionIgnored]
                {
                    let same = |next: &Record| next.kind == kind && next.exec() == exec;
                    self.told.extend(self.next_by(id, at, same));
                }
            }
            _ => {}
        }
        self.push(id, at, sentence, tone, hop);
    }

    fn at_of(&self, id: u32) -> At {
        self.view.trace.get(id).map_or(0, |record| record.at)
    }

    /// How long what begins here lasts, if its end is known.
    fn lasts(&self, id: u32, record: &Record) -> Option<String> {
        let ends = |next: &Record| {
            next.node == record.node
                && match record.kind {
                    Kind::Paused => matches!(next.kind, Kind::Resumed | Kind::Restarted),
                    Kind::Frozen => matches!(next.kind, Kind::Thawed | Kind::Restarted),
                    Kind::Crashed => next.kind == Kind::Restarted,
                    _ => {
                        next.kind == Kind::LinkHealed
                            && (next.flag, next.n, next.b) == (record.flag, record.n, record.b)
                    }
                }
        };
        let (_, end) = self.view.trace.since(id + 1).find(|(_, next)| ends(next))?;
        Some(crate::app::words::length(words::time_span(record.at, end.at).0))
    }
}
