//! Standing by: while another scheduler leads, or may, this one only asks the store whether it still does.

use super::{Scheduler, Volatile};
use crate::io::{Input, Output, TimerKey, TimerKind};
use crate::time::Now;

impl Scheduler {
    /// Forgets what it went by, and asks at once and at each sweep. If the leadership is free it is started
    /// from the record as it then stands.
    pub(super) fn stand_by(&mut self, now: Now, boot: u16, out: &mut Vec<Output>) {
        self.volatile = Volatile { boot, load: vec![0; self.workers.len()], ..Volatile::default() };
        self.next_sweep(now, out);
    }

    /// What reaches one that stands by was meant for a leader, but for its own sweeps.
    pub(super) fn ask_to_lead(&mut self, now: Now, input: &Input, out: &mut Vec<Output>) {
        let is_sweep = matches!(input, Input::Timer(TimerKey { kind: TimerKind::Sweep, .. }));
        let is_due = self.volatile.swept.is_none_or(|(_, due)| now.mono >= due);
        if is_sweep && is_due {
            self.next_sweep(now, out);
        }
    }
}
