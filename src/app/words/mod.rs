//! All words the page shows. Short, exact, dry: what happened, then what follows.

pub mod event;
pub mod faults;
pub mod figures;
pub mod keys;
pub mod lab;
pub mod lane;
pub mod outcome;
pub mod policies;
pub mod progress;
pub mod route;
pub mod rows;
pub mod rules;
pub mod shell;
mod sinks;
pub mod speech;
pub mod stage;
pub mod start;
pub mod study;
pub mod why;

use fenceline_sim::clock::At;

/// A figure with thousands apart: `1,204`.
pub fn count(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if n < 0 { format!("−{text}") } else { text }
}

/// An instant of a run: `85.4 s`, from ten minutes on `12:40`, or the time of day where the run has
/// one (`starts`, in seconds of the day).
pub fn instant(at: At, starts: Option<u32>) -> String {
    match starts {
        Some(starts) => time_of_day(at, starts),
        None if at < 600_000_000 => format!("{} s", tenths(at)),
        None => minutes(at / 1_000_000),
    }
}

fn time_of_day(at: At, starts: u32) -> String {
    let seconds = u64::from(starts) + at / 1_000_000;
    let (hours, minutes, seconds) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}")
}

fn minutes(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// A length of time: `30 s`, `35.2 s`, `250 ms`, `20 min`, `1 h 30 min`.
pub fn length(micros: i64) -> String {
    let sign = if micros < 0 { "−" } else { "" };
    let size = micros.unsigned_abs();
    let text = match size {
        0 => "0 s".into(),
        1..100_000 => format!("{} ms", size.div_ceil(1000)),
        _ if size < 600_000_000 && size.is_multiple_of(60_000_000) => format!("{} min", size / 60_000_000),
        _ if size < 600_000_000 && size.is_multiple_of(1_000_000) => format!("{} s", size / 1_000_000),
        _ if size < 600_000_000 => format!("{} s", tenths(size)),
        _ if size < 3_600_000_000 => format!("{} min", (size + 30_000_000) / 60_000_000),
        _ => match (size / 3_600_000_000, size / 60_000_000 % 60) {
            (hours, 0) => format!("{hours} h"),
            (hours, minutes) => format!("{hours} h {minutes} min"),
        },
    };
    format!("{sign}{text}")
}

/// Seconds with one decimal, rounded once, half up.
fn tenths(micros: u64) -> String {
    let tenths = (micros + 50_000) / 100_000;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// `1 renewal`, `2 renewals`.
pub fn plural(n: i64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_people_write_them() {
        assert_eq!(instant(85_400_000, None), "85.4 s");
        assert_eq!(instant(760_000_000, None), "12:40");
        assert_eq!(instant(600_000_000, Some(9000)), "02:40:00");
        assert_eq!(length(35_200_000), "35.2 s");
        assert_eq!(length(30_000_000), "30 s");
        assert_eq!(length(-60_000_000), "−1 min");
        assert_eq!(length(1_200_000_000), "20 min");
        assert_eq!(count(2408), "2,408");
    }
}
