//! The world around the engine: true time, clocks, links, faults, the event queue, the trace of what
//! happened, the verdicts over it, and its history.

pub mod alert;
pub mod causes;
pub mod clock;
pub mod clocks;
pub mod draw;
pub mod fault;
pub mod figures;
pub mod history;
pub mod link;
pub mod order;
pub mod plan;
pub mod queue;
pub mod record;
pub mod rulebook;
pub mod scenario;
pub mod search;
pub mod simulation;
pub mod story;
pub mod trace;
pub mod truth;
pub mod verdict;
pub mod workload;
pub mod world;

pub use alert::Alert;
pub use clock::{At, Clock};
pub use fault::{Act, Fate, Intervention, Path, Setting, Way, When};
pub use history::History;
pub use link::LinkSpec;
pub use record::{Kind, MessageKind, NONE, Record};
pub use rulebook::Rulebook;
pub use scenario::{Scenario, SinkSpec, WorkerSpec};
pub use search::{Bounds, Found, Search};
pub use simulation::{Run, Simulation, State, Stop};
pub use trace::Trace;
pub use truth::Truth;
pub use verdict::{Claim, Judge, Verdict, judge};
pub use world::World;
