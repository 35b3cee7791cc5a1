//! Several schedulers over one record: who of them leads, as the store of the record has it, and what each
//! was told last.
//!
//! The store judges by its own clock. One that is no node of its own answers in the next round. One that was told that it leads goes by
//! that until it hears otherwise, whatever has happened since.

use super::World;
use crate::clock::At;
use crate::queue::Item;
use crate::record::{Body, Kind, NONE};
use crate::scenario::{OPERATOR, SCHEDULER, STORE, Scenario};
use crate::trace::Trace;
use fenceline_engine::WHOLE;
use fenceline_engine::{Exec, Input, Ledger, NodeId, Output, TimerKey, TimerKind};

/// Boots that one host may have before its ids are another's.
pub(super) const BOOTS: u16 = 256;

#[derive(Clone, Debug)]
pub(super) struct Leaders {
    leader: NodeId,
    epoch: u32,
    /// When the leadership is over, if it is not renewed before.
    until: At,
    /// The epoch under which each scheduler that believes it leads decides.
    acting: Vec<(NodeId, u32)>,
    granted: Vec<Numbered>,
}

/// Two schedulers may grant the same attempt, neither knowing of the other: each of the two runs as a copy
/// of its own, which only the truth numbers.
#[derive(Clone, Debug)]
struct Numbered {
    by: NodeId,
    exec: Exec,
    /// Whether its dispatch has been sent.
    sent: bool,
}

/// What the store says to one that asked for the leadership, or for more of it.
#[derive(Clone, Debug)]
pub(super) enum LeadAnswer {
    LeadsOn,
    /// From now on, under this epoch, from the record as it stands. With the record that says so.
    Leads {
        epoch: u32,
        record: u32,
        ledger: Box<Ledger>,
    },
    /// Another leads.
    Follows,
}

impl Leaders {
    /// None where there is one scheduler.
    pub(super) fn of(scenario: &Scenario) -> Option<Box<Self>> {
        let first = Self {
            leader: SCHEDULER,
            epoch: 1,
            until: length(scenario),
            acting: vec![(SCHEDULER, 1)],
            granted: Vec::new(),
        };
        (!scenario.standby.is_empty()).then(|| Box::new(first))
    }

    fn epoch_of(&self, node: NodeId) -> Option<u32> {
        self.acting.iter().find(|(acts, _)| *acts == node).map(|(_, epoch)| *epoch)
    }

    /// What it believed is gone, and with it which grants were its own: what it reads in the record next it
    /// has from there.
    pub(super) fn forget(&mut self, node: NodeId) {
        self.acting.retain(|(acts, _)| *acts != node);
        self.granted.iter_mut().filter(|grant| grant.by == node).for_each(|grant| grant.by = STORE);
    }

    /// The execution that a scheduler's grant of an attempt stands for, if it has granted it.
    fn own(&mut self, by: NodeId, first: Exec) -> Option<&mut Numbered> {
        let is_its = |grant: &&mut Numbered| grant.by == by && Exec { copy: 0, ..grant.exec } == first;
        self.granted.iter_mut().rev().find(is_its)
    }

    /// The execution that it means by an attempt: of its own grant, or of the last one in the record it read.
    fn known(&mut self, by: NodeId, first: Exec) -> Exec {
        let own = self.own(by, first).map(|grant| grant.exec);
        let is_it = |grant: &&Numbered| grant.by != OPERATOR && Exec { copy: 0, ..grant.exec } == first;
        let last = || self.granted.iter().rev().find(is_it).map(|grant| grant.exec);
        own.or_else(last).unwrap_or(first)
    }

    fn number(&mut self, by: NodeId, first: Exec, sent: bool) -> u8 {
        let before = self.granted.iter().filter(|grant| Exec { copy: 0, ..grant.exec } == first).count();
        let copy = u8::try_from(before).unwrap_or(u8::MAX);
        self.granted.push(Numbered { by, exec: Exec { copy, ..first }, sent });
        copy
    }

    /// A scheduler records its grant of an attempt.
    fn recorded(&mut self, by: NodeId, first: Exec) -> u8 {
        match self.own(by, first) {
            Some(grant) => grant.exec.copy,
            None => self.number(by, first, false),
        }
    }

    /// It dispatches it. What it sends again is another execution.
    pub(super) fn sent(&mut self, by: NodeId, first: Exec) -> u8 {
        match self.own(by, first).filter(|grant| !grant.sent) {
            Some(grant) => {
                grant.sent = true;
                grant.exec.copy
            }
            None => self.number(by, first, true),
        }
    }

    /// Somebody else starts an attempt again.
    pub(super) fn sent_again(&mut self, first: Exec) -> Exec {
        Exec { copy: self.number(OPERATOR, first, true), ..first }
    }
}

impl World {
    /// The scheduler that messages to the scheduler reach: the one that leads, as the store has it.
    pub fn leader(&self) -> NodeId {
        self.leaders.as_ref().filter(|_| WHOLE).map_or(SCHEDULER, |leaders| leaders.leader)
    }

    /// Whether a scheduler believes that it leads.
    pub fn believes_to_lead(&self, node: NodeId) -> bool {
        self.leaders
            .as_ref()
            .filter(|_| WHOLE)
            .map_or(node == SCHEDULER, |leaders| leaders.epoch_of(node).is_some())
    }

    fn reaches_store(&self, node: NodeId) -> bool {
        self.cut(node, STORE).is_none() && self.cut(STORE, node).is_none()
    }

    pub(super) fn ask_to_lead(&mut self, node: NodeId, cause: u32) {
        if WHOLE && self.leaders.is_some() {
            let key = TimerKey::of(TimerKind::Lead, Exec::default());
            self.push(self.now, Item::Persisted { node, key, cause });
        }
    }

    /// The store answers one that asks for the leadership, if it can be reached.
    pub(super) fn answer_lead(&mut self, node: NodeId, trace: &mut Trace) {
        if self.reaches_store(node) {
            let acts = self.epoch_of(node);
            let answer = self.decide_lead(node, acts, trace);
            self.hear_lead(node, answer, NONE, trace);
        }
    }

    /// Under which epoch a scheduler believes that it leads, if it does and there are several.
    pub(super) fn epoch_of(&self, node: NodeId) -> Option<u32> {
        self.leaders.as_ref()?.epoch_of(node)
    }

    /// The store decides about one that asks for the leadership under the epoch by which it acts.
    pub(super) fn decide_lead(&mut self, node: NodeId, acts: Option<u32>, trace: &mut Trace) -> LeadAnswer {
        let (now, lease) = (self.now, length(&self.scenario));
        let Some(leaders) = &mut self.leaders else { return LeadAnswer::LeadsOn };
        if leaders.leader == node && acts == Some(leaders.epoch) {
            leaders.until = now.saturating_add(lease);
            return LeadAnswer::LeadsOn;
        }
        if leaders.leader != node && now < leaders.until {
            return LeadAnswer::Follows;
        }
        let before = std::mem::replace(&mut leaders.leader, node);
        (leaders.epoch, leaders.until) = (leaders.epoch + 1, now.saturating_add(lease));
        let epoch = leaders.epoch;
        let body = Body { peer: before, b: i64::from(epoch), ..Body::new(Kind::Leads, Exec::default()) };
        let record = self.record(node, body, NONE, trace);
        LeadAnswer::Leads { epoch, record, ledger: Box::new(self.stored.clone()) }
    }

    /// One that asked hears what the store has decided.
    pub(super) fn hear_lead(&mut self, node: NodeId, answer: LeadAnswer, heard: u32, trace: &mut Trace) {
        let Some(leaders) = &mut self.leaders else { return };
        match answer {
            LeadAnswer::LeadsOn => {}
            LeadAnswer::Leads { epoch, record, ledger } => {
                leaders.forget(node);
                leaders.acting.push((node, epoch));
                self.drop_timers(node);
                let (ledger, boot) = (Some(*ledger), self.nodes[usize::from(node.0)].boot);
                self.input(node, Input::Start { ledger, boot }, record, None, trace);
            }
            LeadAnswer::Follows if leaders.epoch_of(node).is_some() => self.stand_down(node, heard, trace),
            LeadAnswer::Follows => {}
        }
    }

    /// Whether the store refuses what a scheduler decided, or cannot be asked: then nothing of it leaves the
    /// scheduler, and it stands by.
    pub(super) fn turned_away(
        &mut self,
        node: NodeId,
        out: &[Output],
        trigger: u32,
        trace: &mut Trace,
    ) -> bool {
        let decides = out.iter().any(|output| matches!(output, Output::Persist { .. }));
        let Some(leaders) = self.leaders.as_ref().filter(|_| decides) else { return false };
        let (own, newest) = (leaders.epoch_of(node).unwrap_or(0), leaders.epoch);
        let unreached = !self.reaches_store(node);
        let is_old = self.scenario.rules.leadership.checks_epoch && own != newest;
        if !unreached && !is_old {
            return false;
        }
        let refused = self.refuse(node, u8::from(unreached), (own, newest), trigger, trace);
        self.stand_down(node, refused, trace);
        true
    }

    /// Whether the store refuses what was decided under this epoch, and which is the newest.
    pub(super) fn is_old(&self, own: Option<u32>) -> Option<(u32, u32)> {
        let newest = self.leaders.as_ref().filter(|_| self.scenario.rules.leadership.checks_epoch)?.epoch;
        (own != Some(newest)).then_some((own.unwrap_or(0), newest))
    }

    pub(super) fn refuse(
        &self,
        node: NodeId,
        flag: u8,
        (own, newest): (u32, u32),
        cause: u32,
        trace: &mut Trace,
    ) -> u32 {
        let body = Body::new(Kind::DecisionRefused, Exec::default());
        let n = u16::try_from(own).unwrap_or(u16::MAX);
        self.record(node, Body { flag, n, b: i64::from(newest), ..body }, cause, trace)
    }

    pub(super) fn stand_down(&mut self, node: NodeId, cause: u32, trace: &mut Trace) {
        let Some(leaders) = &mut self.leaders else { return };
        leaders.forget(node);
        let body = Body { peer: leaders.leader, ..Body::new(Kind::SteppedDown, Exec::default()) };
        let stepped = self.record(node, body, cause, trace);
        self.drop_timers(node);
        let boot = self.nodes[usize::from(node.0)].boot;
        self.input(node, Input::StandBy { boot }, stepped, None, trace);
    }

    fn drop_timers(&mut self, node: NodeId) {
        self.queue.take(|item| item.node() == node && !matches!(item, Item::Message { .. }));
        self.nodes[usize::from(node.0)].waiting.retain(|item| matches!(item, Item::Message { .. }));
    }

    /// What a scheduler says of an attempt it says of the execution it granted.
    pub(super) fn as_granted(&mut self, by: NodeId, mut body: Body) -> Body {
        let Some(leaders) = self.leaders.as_mut().filter(|_| WHOLE) else { return body };
        let first = Exec { copy: 0, ..body.exec };
        match body.kind {
            Kind::Granted => body.exec.copy = leaders.recorded(by, first),
            Kind::LeaseStarted
            | Kind::Guarded
            | Kind::Observed
            | Kind::Expired
            | Kind::StopAsked
            | Kind::HeldForOperator
            | Kind::HoldAlert
            | Kind::KillAsked
            | Kind::Overran
            | Kind::AttemptTimedOut
            | Kind::AttemptWithdrawn
            | Kind::AttemptOrphaned
            | Kind::Adopted
                if body.exec.copy == 0 =>
            {
                body.exec = leaders.known(by, first);
            }
            _ => {}
        }
        body
    }
}

fn length(scenario: &Scenario) -> At {
    u64::try_from(scenario.rules.leadership.lease.0).unwrap_or(0)
}
