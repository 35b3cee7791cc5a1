//! Words of the keys: what the list shows, and what a key that does nothing answers.

use fenceline_engine::NodeId;
use fenceline_sim::Scenario;

use crate::app::lab::keys::Direct;

pub const WALK: (&str, &str) = ("← →", "the event before, after in the lane");
pub const LANES: (&str, &str) = ("↑ ↓", "the nearest event in the lane above, below");
pub const ENDS: (&str, &str) = ("Home End", "the first, last event of the lane");
pub const SELECT: (&str, &str) = ("Enter", "select the event and read why it happened");
pub const EVENT: (&str, &str) = (", .", "cursor one event back, on");
pub const INTERESTING: (&str, &str) = ("< >", "cursor to the event before, after that matters");
pub const PLAY: (&str, &str) = ("Space", "play, pause");
pub const FAULTS: (&str, &str) = ("F", "faults of this lane, at the cursor");
pub const PAUSE: (&str, &str) = ("P", "pause this lane, or resume it");
pub const CUT: (&str, &str) = ("C", "cut its link, or mend it");
pub const CRASH: (&str, &str) = ("X", "crash it, or restart it");
pub const SLOW: (&str, &str) = ("S", "slow it, or let it run at full speed");
pub const CLOCK: (&str, &str) = ("J", "step its clock");
pub const EDIT: (&str, &str) = ("E", "edit the selected fault: take hold of its end");
pub const MOVE: (&str, &str) = ("← → Shift PageUp PageDown", "while edited: its end by 1 s, 0.1 s, 10 s");
pub const KEEP: (&str, &str) = ("Enter Esc", "while edited: keep it, take it back");
pub const VIOLATION: (&str, &str) = ("V", "first violation");
pub const LOOK: (&str, &str) = ("W T", "why it happened, trace table");
pub const ZOOM: (&str, &str) = ("+ - 0", "zoom in, out, show the whole run");
pub const UNDO: (&str, &str) = ("Ctrl or Cmd Z", "undo; with Shift, redo");
pub const OUT: (&str, &str) = ("Esc", "back one level");
pub const LIST: (&str, &str) = ("?", "this list");

pub const TITLE: &str = "Keys";
pub const WHERE: &str = "They work while the focus is in the stage or the transport.";
pub const SINGLE: &str = "Single keys work";
pub const OPEN: &str = "Keys of the lab";
pub const ZOOM_IN: &str = "Zoom in";
pub const ZOOM_OUT: &str = "Zoom out";
pub const FIT: &str = "Fit";
pub const FIT_NAME: &str = "Fit: show the whole run";
pub const WHOLE: &str = "Zoom out: the whole run is shown";
pub const CLOSEST: &str = "Zoom in: one second is the shortest stretch shown";
pub const NOT_HERE: &str = "This frame shows the run alone";
pub const NO_FAULT: &str = "Edit: this lane has no fault with an end to move";
pub const NONE_BEFORE: &str = "Nothing that matters happens before";
pub const NONE_AFTER: &str = "Nothing that matters happens after";

/// `Pause: attempt 1 has ended`.
pub fn refused(name: &str, why: &str) -> String {
    format!("{name}: {why}")
}

/// A lane that has no fault of this kind.
pub fn not_offered(direct: Direct, scenario: &Scenario, node: NodeId) -> String {
    let name = match direct {
        Direct::Pause => "Pause",
        Direct::Cut => "Cut",
        Direct::Crash => "Crash",
        Direct::Slow => "Slow",
        Direct::Clock => "Clock",
    };
    format!("{name}: {} has no such fault", super::faults::within(scenario, node))
}
