//! What there is to open, as `build.rs` found it under `assets/`. The program holds only this
//! index; the rest is fetched when a page needs it.

use fenceline_content::plain;
use fenceline_content::scenario::ScenarioFile;

/// One thing to fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub kind: Kind,
    pub id: &'static str,
    /// Its name below `content/`.
    pub file: &'static str,
    pub title: &'static str,
    pub about: &'static str,
    /// What a scenario is listed under.
    pub group: &'static str,
    /// How many questions or cards are in it.
    pub items: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Scenario,
    /// A scenario that replays one.
    Incident,
    /// What was reported of each.
    Accounts,
    Quiz,
    Cards,
    Interview,
    Outline,
}

include!(concat!(env!("OUT_DIR"), "/library.rs"));

pub fn all(kind: Kind) -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().filter(move |entry| entry.kind == kind)
}

pub fn find(kind: Kind, id: &str) -> Option<&'static Entry> {
    all(kind).find(|entry| entry.id == id)
}

/// What can be played under an id.
pub fn run(id: &str) -> Option<&'static Entry> {
    find(Kind::Scenario, id).or_else(|| find(Kind::Incident, id))
}

/// The title of a concept.
pub fn concept(id: &str) -> &'static str {
    CONCEPTS.iter().find_map(|(known, title)| (*known == id).then_some(*title)).unwrap_or_default()
}

/// The scenario of the start page.
pub fn first() -> ScenarioFile {
    plain::read(FIRST).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fenceline_content::cards::Deck;
    use fenceline_content::incident::Accounts;
    use fenceline_content::interview::Interview;
    use fenceline_content::outline::Outline;
    use fenceline_content::plain::Plain;
    use fenceline_content::quiz::QuizSet;
    use serde::de::DeserializeOwned;

    use super::*;

    fn text(entry: &Entry) -> &'static str {
        FILES.iter().find_map(|(name, text)| (*name == entry.file).then_some(*text)).expect(entry.file)
    }

    /// The page's reader reads what serde reads.
    fn both<T: Plain + DeserializeOwned + PartialEq + std::fmt::Debug>(entry: &Entry) {
        let strict: T = serde_json::from_str(text(entry)).expect(entry.file);
        assert_eq!(plain::read(text(entry)), Ok(strict), "{}", entry.file);
    }

    #[test]
    fn every_entry_reads_back_as_the_build_wrote_it() {
        for entry in ENTRIES {
            match entry.kind {
                Kind::Scenario | Kind::Incident => both::<ScenarioFile>(entry),
                Kind::Accounts => both::<Accounts>(entry),
                Kind::Quiz => both::<QuizSet>(entry),
                Kind::Cards => both::<Deck>(entry),
                Kind::Interview => both::<Interview>(entry),
                Kind::Outline => both::<Outline>(entry),
            }
        }
        assert_eq!(ENTRIES.len(), FILES.len());
    }

    #[test]
    fn the_start_page_has_its_scenario() {
        assert_eq!(first().id, "flagship");
        assert!(first().read("flagship").is_ok());
        assert_eq!(all(Kind::Scenario).next().map(|entry| entry.id), Some("flagship"));
    }

    #[test]
    fn every_incident_has_its_account() {
        let entry = find(Kind::Accounts, "incidents").expect("accounts");
        let all: Accounts = plain::read(text(entry)).expect("JSON");
        assert!(all.accounts.iter().all(|it| run(&it.scenario).is_some_and(|it| it.kind == Kind::Incident)));
        assert_eq!(all.accounts.len(), super::all(Kind::Incident).count());
    }

    #[test]
    fn the_outline_names_every_point_once() {
        let entry = find(Kind::Outline, "learn").expect("an outline");
        let outline: Outline = plain::read(text(entry)).expect("JSON");
        assert_eq!(outline.topics.len(), CONCEPTS.len());
        let points = outline.topics.iter().flat_map(|topic| &topic.points);
        let ids: BTreeSet<_> = points.clone().map(|point| &point.id).collect();
        assert_eq!((ids.len(), points.clone().count()), (65, 65));
        assert!(outline.topics.iter().all(|topic| !topic.points.is_empty()), "a concept without a point");
    }
}
