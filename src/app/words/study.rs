//! The words of learn, incidents, quiz, cards, interview and what is kept of them.

use crate::app::study::cards::Rating;
use crate::app::study::interview::{Band, Phase, Summary};
use crate::app::study::quiz::{Confidence, Mark};
use crate::app::words::plural;

pub const OPEN_IN_LAB: &str = "Open in the lab";
pub const NEXT_QUESTION: &str = "Next question";
pub const TO_THE_END: &str = "See the result";

// --- learn and incidents ---

pub const LEARN: &str = "Learn";
pub const LEARN_ABOUT: &str = "Ten concepts, from a missed heartbeat to a fenced write. Each point is a fact that can be run, asked and reviewed.";
pub const FIRST_INCIDENT: &str = "Run the first incident";
pub const INCIDENTS: &str = "Incidents";
pub const REVIEWED: &str = "Your answers";

pub fn incidents_about(count: usize) -> String {
    format!(
        "{count} runs that go wrong, or only look as if they did. Each opens in the lab with its faults in place and the remedy that cures it."
    )
}

pub fn open_first(title: &str) -> String {
    format!("Run: {title}")
}

pub const REPORTED: &str = "As reported";
pub const REPORTED_ABOUT: &str =
    "Public accounts, replayed with their figures. What an account leaves open was filled in, and is named.";

pub fn filled(what: &str) -> String {
    format!("Filled in: {what}")
}

pub fn group(name: &str) -> &'static str {
    match name {
        "Zombies" => "An execution outlives its lease.",
        "Fences" => "What a fence must be to hold.",
        "Effects" => "What no later write can put right.",
        "Clocks" => "Time itself is wrong.",
        "Restart" => "The scheduler was away.",
        "Leftovers" => "What the dead leave in the way.",
        "Policies" => "What to do with an expired lease.",
        "Cost" => "Nothing is wrong, or only slow.",
        _ => "",
    }
}

pub fn questions(count: usize) -> String {
    plural(i64::try_from(count).unwrap_or(i64::MAX), "question", "questions")
}

pub fn cards(count: usize) -> String {
    plural(i64::try_from(count).unwrap_or(i64::MAX), "card", "cards")
}

pub fn incidents(count: usize) -> String {
    plural(i64::try_from(count).unwrap_or(i64::MAX), "incident", "incidents")
}

pub fn progress_of(answered: usize, right: usize, all: usize) -> String {
    match answered {
        0 => questions(all),
        _ => format!("{answered} of {all} answered, {right} right"),
    }
}

// --- quiz ---

pub const QUIZ: &str = "Quiz";
pub const QUIZ_ABOUT: &str = "Choose, then say how sure you are: that is the check. What you were sure of and got wrong comes back first.";
pub const CHOOSE_ONE: &str = "Choose an answer first.";
pub const CHOOSE_MANY: &str = "Choose at least one answer first.";
pub const CHOOSE_ORDER: &str = "Move at least one step first.";
pub const ALL_THAT_APPLY: &str = "Choose all that apply.";
pub const PUT_IN_ORDER: &str = "Put them in order, the first on top. Alt with ↑ or ↓ moves too.";
pub const HOW_SURE: &str = "How sure are you?";
pub const UP: &str = "Up";
pub const DOWN: &str = "Down";
pub const NO_SUCH: &str = "There is nothing here under that name.";
pub const ALL_RIGHT: &str = "Nothing was wrong.";
pub const ALL_SETS: &str = "All sets";
pub const BACK: &str = "Back";

pub fn start(count: usize) -> String {
    format!("Start {}", questions(count))
}

pub fn start_of(count: usize, title: &str) -> String {
    format!("Start {}: {title}", questions(count))
}

/// What covers one point, as a title.
pub fn point(id: &str) -> String {
    format!("Point {id}")
}

pub fn place(at: usize, of: usize) -> String {
    format!("{at} of {of}")
}

pub fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Guess => "Guess",
        Confidence::Fairly => "Fairly sure",
        Confidence::Sure => "Sure",
    }
}

/// How the answer was given, beside the feedback.
pub fn you_were(right: bool, confidence: Confidence) -> &'static str {
    match (right, confidence) {
        (true, Confidence::Guess) => "right, guessed",
        (true, Confidence::Fairly) => "right, you were fairly sure",
        (true, Confidence::Sure) => "right, you were sure",
        (false, Confidence::Guess) => "not right, guessed",
        (false, Confidence::Fairly) => "not right, you were fairly sure",
        (false, Confidence::Sure) => "not right, you were sure",
    }
}

/// An option's glyph and its word.
pub fn mark(mark: Mark) -> (&'static str, &'static str) {
    match mark {
        Mark::Both => ("✓", "right, and you said it"),
        Mark::Right => ("✓", "right"),
        Mark::Said => ("✕", "you said"),
        Mark::Neither => ("·", ""),
    }
}

pub fn place_mark(right: usize, said: Option<usize>) -> String {
    match said {
        Some(said) if said == right => format!("place {right}, and you said it"),
        Some(said) => format!("place {right}; you said {said}"),
        None => format!("place {right}"),
    }
}

pub fn moved(text: &str, to: usize, of: usize) -> String {
    format!("{text}: now {to} of {of}")
}

pub fn move_name(up: bool, text: &str) -> String {
    format!("{} {text}", if up { UP } else { DOWN })
}

/// Why an entry of an order cannot be moved further.
pub fn stuck(down: bool) -> &'static str {
    if down { "It is the last already." } else { "It is the first already." }
}

/// A wrong answer in the end's list: its concept, and how sure it was.
pub fn wrong_of(concept: &str, sure: Confidence) -> String {
    format!("{concept}, {}", you_were(false, sure).trim_start_matches("not right, "))
}

pub fn score(right: usize, of: usize) -> String {
    format!("{right} of {of} right")
}

pub fn retry(wrong: usize) -> String {
    if wrong == 1 { "Retry the wrong one".to_owned() } else { format!("Retry the {wrong} wrong ones") }
}

pub fn source(system: &str, text: &str, as_of: &str) -> String {
    format!("{system}: {text} ({as_of})")
}

// --- cards ---

pub const CARDS: &str = "Cards";
pub const REVIEW: &str = "Review";
pub const SHOW: &str = "Show";
pub const UNDO: &str = "Take back";
pub const REVIEW_MORE: &str = "Review more";
pub const TAKE_QUIZ: &str = "Take the quiz";
pub const CARD_KEYS: &str = "Space shows, 1 to 4 rate, U takes back.";
pub const FORGOTTEN: &str = "Not known this time";
pub const DECKS: &str = "Decks";

pub fn due(cards_due: usize, minutes: usize) -> String {
    format!("{cards_due} due, about {}", plural(i64::try_from(minutes).unwrap_or(1), "minute", "minutes"))
}

pub fn nothing_due(next: Option<(u32, usize)>) -> String {
    match next {
        Some((days, count)) => format!("Nothing due. Next: {} {}.", cards(count), in_days(days)),
        None => "Nothing due.".to_owned(),
    }
}

pub fn next_due(days: u32, count: usize) -> String {
    format!("Next: {} {}.", cards(count), in_days(days))
}

pub fn reviewed(count: usize) -> String {
    format!("{} reviewed", cards(count))
}

pub fn left(count: usize) -> String {
    format!("{count} to go")
}

pub fn rating(rating: Rating) -> &'static str {
    match rating {
        Rating::Again => "Forgot",
        Rating::Hard => "Hard",
        Rating::Good => "Good",
        Rating::Easy => "Easy",
    }
}

pub fn in_days(days: u32) -> String {
    match days {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        days => format!("in {days} days"),
    }
}

/// When a card comes again, under its rating.
pub fn comes(days: u32) -> String {
    if days == 0 { "again now".to_owned() } else { in_days(days) }
}

// --- interview ---

pub const INTERVIEW: &str = "Interview";
pub const PROMPT: &str = "The prompt";
pub const ASK: &str = "What you may ask";
pub const ASK_ABOUT: &str = "The prompt is all Finance said. What is asked for is part of the answer.";
pub const YOUR_ANSWER: &str = "Your answer";
pub const NOTES: &str = "Notes";
pub const NOTES_ABOUT: &str = "Speak aloud or write. Nothing is recorded; the notes go when this tab closes.";
pub const STRONG: &str = "A strong answer";
pub const STRONG_ABOUT: &str = "Show a point, and say how far your answer went.";
pub const SHOW_NEXT: &str = "Show the next point";
pub const SHOW_ALL: &str = "Show all";
pub const TRAP: &str = "The trap";
pub const TRAP_ASKS: &str = "Was it your first fix?";
pub const MEND: &str = "Before the fix";
pub const CONFIRM: &str = "Confirm it";
pub const CONTAIN: &str = "Contain it";
pub const REPAIR: &str = "Repair the day";
pub const FOLLOW_UP: &str = "The facts change";
pub const ASKED: &str = "You asked";
pub const NOT_ASKED: &str = "Not asked";
pub const STRENGTHS: &str = "Explained";
pub const GAPS: &str = "Named at most";
pub const UNRATED: &str = "Not rated";
pub const NONE: &str = "Nothing.";
pub const BEGIN_ANEW: &str = "Begin anew";

pub fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Ask => "Ask",
        Phase::Answer => "Answer",
        Phase::Compare => "Compare",
        Phase::Mend => "Mend",
        Phase::FollowUp => "Follow-up",
        Phase::Result => "Result",
    }
}

/// The button that leads on from a phase.
pub fn onward(phase: Phase) -> &'static str {
    match phase {
        Phase::Ask => "Answer it",
        Phase::Answer => "Compare with a strong answer",
        Phase::Compare => "Confirm, contain, repair",
        Phase::Mend => "Change the facts",
        Phase::FollowUp => "See the result",
        Phase::Result => "Run it in the lab",
    }
}

pub fn band(band: Band) -> &'static str {
    match band {
        Band::Missing => "Not said",
        Band::Named => "Named",
        Band::Explained => "Explained",
        Band::Shown => "With its limits",
    }
}

pub fn hidden_point(n: usize, of: usize) -> String {
    format!("Point {n} of {of}")
}

pub fn result(summary: &Summary) -> String {
    let (asked, telling) = summary.asked;
    let rows = summary.strong.len() + summary.gaps.len() + summary.unrated.len();
    format!(
        "{} of {rows} points explained, {asked} of {telling} telling facts asked for",
        summary.strong.len()
    )
}

// --- what is kept ---

pub const KEPT: &str = "Kept in this browser only.";
pub const KEPT_UNTIL: &str = "Kept until this tab closes. Export it to keep it.";
pub const EXPORT: &str = "Export";
pub const IMPORT: &str = "Import";
pub const RESET: &str = "Forget all";
pub const RESET_SURE: &str = "Forget all answers and ratings";
pub const EXPORT_FILE: &str = "fenceline-progress.json";
pub const EXPORT_REFUSED: &str =
    "This browser refuses to save a file from here. Open the page at full size and export there.";
pub const IMPORTED: &str = "Imported. Of two answers the later one counts.";

pub fn import_failed(what: &str) -> String {
    format!("Nothing was imported, and nothing lost: {what}.")
}
