//! The syllabus: the concepts, and the points that lessons, questions and cards must cover.

use serde::{Deserialize, Serialize};

use crate::report::{Content, Known, Report, nth};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Syllabus {
    #[serde(rename = "concept")]
    pub concepts: Vec<Concept>,
    #[serde(rename = "point")]
    pub points: Vec<Point>,
}

/// What progress is kept by: each item belongs to one concept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Concept {
    pub id: String,
    pub title: String,
}

/// One fact of the source material, `L` for leases, `Z` for zombie tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Point {
    pub id: String,
    pub text: String,
    /// Whether the lab must be able to show it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drivable: bool,
}

impl Content for Syllabus {
    fn check(&self, _: &Known, report: &mut Report) {
        for (n, concept) in self.concepts.iter().enumerate() {
            let at = nth("", "concept", n);
            report.id(&at, &concept.id);
            report.text(&at, "title", &concept.title, "the concept in a word or two");
        }
        for (n, point) in self.points.iter().enumerate() {
            let at = nth("", "point", n);
            let mut signs = point.id.chars();
            let good = matches!(signs.next(), Some('L' | 'Z'))
                && signs.as_str().len() == 2
                && signs.all(|sign| sign.is_ascii_digit());
            if !good {
                let what =
                    format!("`{}` is not a point. Write L or Z and two figures, such as `L11`", point.id);
                report.add(&format!("{at}.id"), what);
            }
            report.text(&at, "text", &point.text, "the fact in one sentence");
        }
        let places = |key, n| nth("", key, n);
        report.distinct(
            "concept",
            self.concepts.iter().enumerate().map(|(n, c)| (places("concept", n), c.id.as_str())),
        );
        report.distinct(
            "point",
            self.points.iter().enumerate().map(|(n, p)| (places("point", n), p.id.as_str())),
        );
    }
}
