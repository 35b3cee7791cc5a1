//! What names a message in a record.

use fenceline_engine::{Exec, Message};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MessageKind {
    Dispatch,
    Delivered,
    Heartbeat,
    HeartbeatReply,
    Completed,
    CompletionReply,
    Failed,
    Stopped,
    Raise,
    Request,
    Reply,
    Operator,
    Kill,
    Look,
    Seen,
    Ask,
    MayCommit,
    StoreCall,
    StoreReply,
}

impl MessageKind {
    pub const ALL: [Self; 19] = [
        Self::Dispatch,
        Self::Delivered,
        Self::Heartbeat,
        Self::HeartbeatReply,
        Self::Completed,
        Self::CompletionReply,
        Self::Failed,
        Self::Stopped,
        Self::Raise,
        Self::Request,
        Self::Reply,
        Self::Operator,
        Self::Kill,
        Self::Look,
        Self::Seen,
        Self::Ask,
        Self::MayCommit,
        Self::StoreCall,
        Self::StoreReply,
    ];
}

/// The parts of a message that name it: kind, execution, tick or step, retry.
pub fn message_parts(message: &Message) -> (MessageKind, Exec, u32, u8) {
    match *message {
        Message::Dispatch { exec, .. } => (MessageKind::Dispatch, exec, 0, 0),
        Message::Kill { exec, .. } => (MessageKind::Kill, exec, 0, 0),
        Message::Delivered { exec, .. } => (MessageKind::Delivered, exec, 0, 0),
        Message::Heartbeat { exec, tick, retry, .. } => (MessageKind::Heartbeat, exec, tick, retry),
        Message::HeartbeatReply { exec, tick, retry, .. } => (MessageKind::HeartbeatReply, exec, tick, retry),
        Message::Completed { exec, retry, .. } => (MessageKind::Completed, exec, 0, retry),
        Message::CompletionReply { exec, retry, .. } => (MessageKind::CompletionReply, exec, 0, retry),
        Message::Failed { exec, .. } => (MessageKind::Failed, exec, 0, 0),
        Message::Stopped { exec, .. } => (MessageKind::Stopped, exec, 0, 0),
        Message::Raise { exec, retry, .. } => (MessageKind::Raise, exec, 0, retry),
        Message::Request { exec, step, retry, .. } => (MessageKind::Request, exec, u32::from(step), retry),
        Message::Reply { exec, step, retry, .. } => (MessageKind::Reply, exec, u32::from(step), retry),
        Message::Look { exec, step, after, retry, .. } => (MessageKind::Look, exec, look(step, after), retry),
        Message::Seen { exec, step, after, retry, .. } => (MessageKind::Seen, exec, look(step, after), retry),
        Message::Ask { exec, step, retry, .. } => (MessageKind::Ask, exec, u32::from(step), retry),
        Message::MayCommit { exec, step, retry, .. } => {
            (MessageKind::MayCommit, exec, u32::from(step), retry)
        }
        Message::StoreCall { exec, n, retry, .. } => (MessageKind::StoreCall, exec, n, retry),
        Message::StoreReply { exec, n, retry, .. } => (MessageKind::StoreReply, exec, n, retry),
        Message::Operator { task, decision } => {
            (MessageKind::Operator, Exec::first(task, 0), decision as u32, 0)
        }
    }
}

/// Which look of an execution it is: the step, and the requests of that step before it.
fn look(step: u8, after: u8) -> u32 {
    u32::from(step) | u32::from(after) << 8
}
