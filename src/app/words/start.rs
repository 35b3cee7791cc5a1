//! Words of the start page.

use super::count;

pub const HEADLINE: [&str; 2] = ["Nothing failed.", "The revenue is double."];
pub const LEDE: &str = "A worker paused. Its lease ran out, so another took over. Then the first one woke up and finished the job.";
pub const LIVE: &str = "This is that run, live.";
pub const LIVE_MORE: &str = " A real scheduler and a real table, in your browser.";
pub const FENCE_IT: &str = "Fence the table";
pub const BREAK_IT: &str = "Now break it yourself";
pub const PAUSE: &str = "❚❚ Pause";
pub const PLAY: &str = "▶ Play";
pub const AGAIN: &str = "Again";

/// Three ways on: link, title, one line.
pub const DOORS: [(&str, &str, &str); 3] = [
    ("#/learn", "Learn it", "Ten concepts, each with runs, questions and cards."),
    ("#/interview", "The 02:40 question", "One day of revenue is double. Nothing failed. Walk through it."),
    ("#/about", "Embed a run", "Any run, question or card, as a plain frame in your docs."),
];

pub const GRANTED: &str = "Worker 1 gets the task and a lease of 30 s.";
pub const PAUSED: &str = "Worker 1 is paused. The scheduler hears nothing.";
pub const SILENCE: &str = "No heartbeat arrives. The lease drains.";
pub const LEASE_ENDS: &str = "The lease ends. Dead or slow? The scheduler cannot tell.";
pub const HANDED_ON: &str = "So it hands the task to worker 2.";
pub const WAKES: &str = "Worker 1 wakes up. It is a zombie and carries on.";
pub const FENCE_STANDS: &str = "The same schedule. The table knows token 8.";

pub fn second_writes(rows: i64) -> String {
    format!("Worker 2 writes {} rows.", count(rows))
}

pub fn first_writes(rows: i64) -> String {
    format!("Worker 1 writes {} more. Both calls return success.", count(rows))
}

pub fn fenced(token: u32, highest: i64) -> String {
    format!("Token {token} is older than {highest}. The write is fenced.")
}
