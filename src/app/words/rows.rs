//! What a row of the list of events says besides what its record tells.

pub const LEASE_OF: &str = "Lease of ";
pub const SWEEP_SEES_IT: &str = "Sweep sees it: ";
pub const ITS_LEASE_OVER: &str = ", its lease over";

/// After whose lease it is.
pub fn ends(since: &str) -> String {
    format!(" ends: no word since {since}")
}

pub fn lasts(how_long: &str) -> String {
    format!(" for {how_long}")
}

pub fn told_lost(goes_on: bool) -> String {
    format!(". Told it lost the lease, {}", if goes_on { "it goes on" } else { "it stops" })
}

pub fn renewals(count: usize) -> String {
    super::plural(count as i64, "renewal", "renewals")
}

/// From the first renewal to the last.
pub fn from_to(first: &str, last: &str) -> String {
    format!("{first} to {last}")
}

pub fn more_alike(count: usize) -> String {
    format!(", and {count} more like it")
}
