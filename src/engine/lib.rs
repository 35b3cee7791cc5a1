//! What the protocol is: identities, time, messages, the lease, the scheduler, the worker, the sink
//! and its fence.
//!
//! Each actor is a sans-IO state machine with one entry point, `handle(now, input, out)`. It owns no
//! clock, no randomness and no network; a driver (the simulation, later real Web Workers) feeds it
//! inputs and carries out its outputs. Nothing here depends on anything but `core` and `alloc` types.

/// Whether the program has the whole engine. That of a first visit plays its own first run, and is without
/// what that run has none of: where this is false, it is as if a rule, a step or a message were not there.
pub const WHOLE: bool = cfg!(feature = "whole");

pub mod contents;
pub mod executor;
pub mod fence;
pub mod ids;
pub mod io;
pub mod lease;
pub mod ledger;
pub mod message;
pub mod program;
pub mod rules;
pub mod scheduler;
pub mod sink;
pub mod store;
pub mod time;
pub mod worker;

pub use contents::{Chunk, Contents, Landing};
pub use executor::Executor;
pub use fence::{FenceMarks, Presented};
pub use ids::{Exec, NodeId, TaskId, Token};
pub use io::{Ending, FailEffect, Failing, Input, Note, Output, SuccessBy, TimerClock, TimerKey, TimerKind};
pub use lease::Lease;
pub use ledger::{AttemptState, Change, Ledger, TaskState};
pub use message::{Answer, Decision, FailCause, Message, RenewalAnswer, Sight, SinkOp};
pub use program::{Clean, Step, TaskSpec};
pub use rules::*;
pub use scheduler::{Scheduler, WorkerAt};
pub use sink::{Sink, SinkCopy};
pub use time::{Mono, Now, Span, Wall};
pub use worker::Worker;
