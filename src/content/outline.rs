//! What can be learnt, by concept, and what there is for each point: the page *Learn*.

use serde::{Deserialize, Serialize};

use crate::scenario::ScenarioFile;
use crate::study::Study;

/// Made by the build from the study files and the scenarios; never written by hand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    pub topics: Vec<Topic>,
}

/// A concept with the points that belong to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topic {
    pub id: String,
    pub title: String,
    /// How many questions and cards are of this concept.
    pub questions: usize,
    pub cards: usize,
    pub points: Vec<TopicPoint>,
}

/// A point, and how much there is that covers it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicPoint {
    pub id: String,
    pub text: String,
    pub questions: usize,
    pub cards: usize,
    /// The ids of the scenarios.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenarios: Vec<String>,
}

impl Outline {
    pub fn of(study: &Study, scenarios: &[ScenarioFile]) -> Outline {
        let mut topics: Vec<Topic> =
            study.syllabus.concepts.iter().map(|concept| topic(study, concept)).collect();
        for point in &study.syllabus.points {
            let concept = concept_of(study, &point.id);
            let Some(topic) = topics.iter_mut().find(|topic| Some(topic.id.as_str()) == concept) else {
                continue;
            };
            let covers = |points: &[String]| points.contains(&point.id);
            topic.points.push(TopicPoint {
                id: point.id.clone(),
                text: point.text.clone(),
                questions: study.questions().filter(|question| covers(&question.points)).count(),
                cards: study.all_cards().filter(|card| covers(&card.points)).count(),
                scenarios: scenarios.iter().filter(|it| covers(&it.points)).map(|it| it.id.clone()).collect(),
            });
        }
        Outline { topics }
    }
}

fn topic(study: &Study, concept: &crate::points::Concept) -> Topic {
    Topic {
        id: concept.id.clone(),
        title: concept.title.clone(),
        questions: study.questions().filter(|question| question.concept == concept.id).count(),
        cards: study.all_cards().filter(|card| card.concept == concept.id).count(),
        points: Vec::new(),
    }
}

/// The concept that most of the questions and cards about this point are filed under; of two equals
/// the earlier.
fn concept_of<'a>(study: &'a Study, point: &String) -> Option<&'a str> {
    let count = |concept: &str| {
        let questions = study.questions().filter(|it| it.concept == concept && it.points.contains(point));
        let cards = study.all_cards().filter(|it| it.concept == concept && it.points.contains(point));
        questions.count() + cards.count()
    };
    let concepts = study.syllabus.concepts.iter().rev();
    concepts.max_by_key(|concept| count(&concept.id)).map(|concept| concept.id.as_str())
}
