//! What there is to open, as `build.rs` found it under `assets/`. The program holds only this
//! index; the rest is fetched when a page needs it.

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

/// The title of a concept.
pub fn concept(id: &str) -> &'static str {
    CONCEPTS.iter().find_map(|(known, title)| (*known == id).then_some(*title)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fenceline_content::outline::Outline;
    use fenceline_content::scenario::ScenarioFile;

    use super::*;

    #[test]
    fn every_entry_has_its_file() {
        for entry in ENTRIES {
            let text = FILES.iter().find_map(|(name, text)| (*name == entry.file).then_some(*text));
            assert!(text.is_some_and(|text| text.starts_with('{')), "{}", entry.file);
        }
        assert_eq!(ENTRIES.len(), FILES.len());
    }

    #[test]
    fn the_start_page_has_its_scenario() {
        let first: ScenarioFile = serde_json::from_str(FIRST).expect("JSON");
        assert_eq!(first.id, "flagship");
        assert!(first.read("flagship").is_ok());
        assert_eq!(all(Kind::Scenario).next().map(|entry| entry.id), Some("flagship"));
    }

    #[test]
    fn the_outline_names_every_point_once() {
        let entry = find(Kind::Outline, "learn").expect("an outline");
        let (_, text) = FILES.iter().find(|(name, _)| *name == entry.file).expect("its file");
        let outline: Outline = serde_json::from_str(text).expect("JSON");
        assert_eq!(outline.topics.len(), CONCEPTS.len());
        let points = outline.topics.iter().flat_map(|topic| &topic.points);
        let ids: BTreeSet<_> = points.clone().map(|point| &point.id).collect();
        assert_eq!((ids.len(), points.clone().count()), (65, 65));
        assert!(outline.topics.iter().all(|topic| !topic.points.is_empty()), "a concept without a point");
    }
}
