//! A quiz session: one question after another, each answered with a confidence.

use fenceline_sim::order;
use std::sync::Arc;

use fenceline_content::quiz::{Kind, Question};

use crate::app::words::study as words;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    Guess,
    Fairly,
    Sure,
}

pub const CONFIDENCES: [Confidence; 3] = [Confidence::Guess, Confidence::Fairly, Confidence::Sure];

impl Confidence {
    /// As it is kept.
    pub fn word(self) -> &'static str {
        match self {
            Confidence::Guess => "guess",
            Confidence::Fairly => "fairly",
            Confidence::Sure => "sure",
        }
    }

    pub fn of_word(word: &str) -> Option<Self> {
        CONFIDENCES.into_iter().find(|confidence| confidence.word() == word)
    }
}

/// A question that has been answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    pub question: Arc<Question>,
    /// Positions in the question's options: those chosen, or for an order their order.
    pub said: Vec<usize>,
    pub confidence: Confidence,
    pub right: bool,
}

/// How an option stands once the question has been answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Right, and chosen: or in its place.
    Both,
    /// Right, and not chosen.
    Right,
    /// Chosen, and wrong: or out of its place.
    Said,
    Neither,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    questions: Vec<Arc<Question>>,
    at: usize,
    /// What is chosen now; for an order all options in the order they stand.
    chosen: Vec<usize>,
    /// An order that was left as it stood has not been answered.
    moved: bool,
    given: Vec<Given>,
}

impl Session {
    pub fn new(questions: Vec<Arc<Question>>) -> Self {
        let mut session = Self { questions, at: 0, chosen: Vec::new(), moved: false, given: Vec::new() };
        session.begin();
        session
    }

    fn begin(&mut self) {
        self.moved = false;
        self.chosen = match self.question() {
            Some(question) if question.kind == Kind::Order => (0..question.options.len()).collect(),
            _ => Vec::new(),
        };
    }

    /// The question now asked or just answered; none when the session has ended.
    pub fn question(&self) -> Option<&Arc<Question>> {
        self.questions.get(self.at)
    }

    /// The number of the question, from 1, and how many there are.
    pub fn place(&self) -> (usize, usize) {
        (self.at + 1, self.questions.len())
    }

    /// The answer to the question before the reader, if it has been given.
    pub fn answered(&self) -> Option<&Given> {
        self.given.get(self.at)
    }

    pub fn given(&self) -> &[Given] {
        &self.given
    }

    pub fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// Chooses an option; where several are asked for, chooses it or takes it back.
    pub fn choose(&mut self, option: usize) {
        if self.answered().is_some() {
            return;
        }
        match self.question().map(|question| question.kind) {
            Some(Kind::One) => self.chosen = vec![option],
            Some(Kind::Many) => match self.chosen.iter().position(|it| *it == option) {
                Some(at) => drop(self.chosen.remove(at)),
                None => self.chosen.push(option),
            },
            Some(Kind::Order) | None => {}
        }
    }

    /// Moves what stands at this position of an order up or down; says where it is now.
    pub fn shift(&mut self, at: usize, down: bool) -> Option<usize> {
        let to = if down { at + 1 } else { at.checked_sub(1)? };
        if self.answered().is_some() || to >= self.chosen.len() || at >= self.chosen.len() {
            return None;
        }
        self.chosen.swap(at, to);
        self.moved = true;
        Some(to)
    }

    /// Why the answer cannot be given yet.
    pub fn missing(&self) -> Option<&'static str> {
        let question = self.question()?;
        match question.kind {
            Kind::One if self.chosen.is_empty() => Some(words::CHOOSE_ONE),
            Kind::Many if self.chosen.is_empty() => Some(words::CHOOSE_MANY),
            // No question shows its options in the right order.
            Kind::Order if !self.moved => Some(words::CHOOSE_ORDER),
            _ => None,
        }
    }

    /// Gives the answer: choosing a confidence is the check.
    pub fn check(&mut self, confidence: Confidence) -> Option<&Given> {
        if self.answered().is_some() || self.missing().is_some() {
            return None;
        }
        let question = Arc::clone(self.question()?);
        let mut said = self.chosen.clone();
        if question.kind != Kind::Order {
            order::by(&mut said, |n| *n as u64);
        }
        let right = said == question.key();
        self.given.push(Given { question, said, confidence, right });
        self.given.last()
    }

    /// Goes on to the next question, or to the end.
    pub fn next(&mut self) {
        if self.answered().is_some() {
            self.at += 1;
            self.begin();
        }
    }

    /// What was wrong: the sure ones first, then by concept in the order they came.
    pub fn wrong(&self) -> Vec<&Given> {
        let mut wrong: Vec<&Given> = self.given.iter().filter(|given| !given.right).collect();
        let first = |given: &Given| {
            self.given
                .iter()
                .position(|other| !other.right && other.question.concept == given.question.concept)
        };
        order::by(&mut wrong, |given| {
            u64::from(given.confidence != Confidence::Sure) << 32 | first(given).unwrap_or(0) as u64
        });
        wrong
    }

    /// A session of only what was wrong.
    pub fn retry(&self) -> Session {
        Session::new(
            self.given.iter().filter(|given| !given.right).map(|given| Arc::clone(&given.question)).collect(),
        )
    }
}

impl Given {
    /// The options as feedback shows them, for an order in the right order: position among the
    /// options, how it stands, and for an order the place it was put, from 1.
    pub fn marks(&self) -> Vec<(usize, Mark, Option<usize>)> {
        let key = self.question.key();
        if self.question.kind == Kind::Order {
            let place = |option: usize| self.said.iter().position(|said| *said == option);
            let marked = |(n, option): (usize, usize)| {
                let mark = if place(option) == Some(n) { Mark::Both } else { Mark::Said };
                (option, mark, place(option).map(|place| place + 1))
            };
            return key.into_iter().enumerate().map(marked).collect();
        }
        let mark = |option: usize| match (key.contains(&option), self.said.contains(&option)) {
            (true, true) => Mark::Both,
            (true, false) => Mark::Right,
            (false, true) => Mark::Said,
            (false, false) => Mark::Neither,
        };
        (0..self.question.options.len()).map(|option| (option, mark(option), None)).collect()
    }
}

#[cfg(test)]
mod tests {
    use fenceline_content::quiz::Choice;

    use super::*;

    fn question(kind: Kind, key: &[usize], concept: &str) -> Arc<Question> {
        let option = |n: usize| Choice {
            text: format!("option {n}"),
            right: kind != Kind::Order && key.contains(&n),
            place: key.iter().position(|it| *it == n).filter(|_| kind == Kind::Order).map(|place| place + 1),
            why: "because".into(),
        };
        let options = (0..4).map(option).collect();
        Arc::new(Question { kind, options, concept: concept.into(), ..Question::default() })
    }

    fn answer(session: &mut Session, options: &[usize], confidence: Confidence) -> bool {
        for option in options {
            session.choose(*option);
        }
        let right = session.check(confidence).expect("an answer").right;
        session.next();
        right
    }

    #[test]
    fn nothing_is_checked_before_something_is_chosen() {
        let mut session = Session::new(vec![question(Kind::One, &[2], "lease")]);
        assert_eq!(session.missing(), Some(words::CHOOSE_ONE));
        assert_eq!(session.check(Confidence::Sure), None);
        session.choose(1);
        session.choose(2);
        assert_eq!(session.chosen(), [2]);
        assert!(session.check(Confidence::Guess).expect("an answer").right);
        session.choose(0);
        assert_eq!(session.answered().map(|given| given.said.clone()), Some(vec![2]), "an answer stays");
    }

    #[test]
    fn of_many_exactly_the_right_ones_are_asked_for() {
        let many = question(Kind::Many, &[0, 3], "lease");
        let mut session = Session::new(vec![many.clone(), many.clone(), many]);
        assert!(answer(&mut session, &[3, 1, 1, 0], Confidence::Sure));
        assert!(!answer(&mut session, &[3], Confidence::Sure));
        assert!(!answer(&mut session, &[3, 0, 1], Confidence::Sure));
        let marks: Vec<_> = session.given()[2].marks().into_iter().map(|(_, mark, _)| mark).collect();
        assert_eq!(marks, [Mark::Both, Mark::Said, Mark::Neither, Mark::Both]);
    }

    #[test]
    fn an_order_is_answered_by_moving() {
        let mut session = Session::new(vec![question(Kind::Order, &[1, 0, 2, 3], "fence")]);
        assert_eq!(session.missing(), Some(words::CHOOSE_ORDER));
        assert_eq!(session.shift(0, false), None, "there is nothing above the first");
        assert_eq!(session.shift(3, true), None, "there is nothing below the last");
        assert_eq!(session.shift(0, true), Some(1));
        let given = session.check(Confidence::Fairly).expect("an answer");
        assert!(given.right);
        assert_eq!(given.marks().first(), Some(&(1, Mark::Both, Some(1))));
    }

    #[test]
    fn sure_but_wrong_comes_first_and_can_be_retried() {
        let concepts = ["lease", "fence", "lease", "zombie"];
        let mut session = Session::new(concepts.map(|concept| question(Kind::One, &[0], concept)).to_vec());
        assert!(!answer(&mut session, &[1], Confidence::Guess));
        assert!(!answer(&mut session, &[1], Confidence::Fairly));
        assert!(!answer(&mut session, &[1], Confidence::Sure));
        assert!(answer(&mut session, &[0], Confidence::Sure));
        assert_eq!(session.question(), None);
        let wrong: Vec<_> =
            session.wrong().iter().map(|it| (it.question.concept.as_str(), it.confidence)).collect();
        let expected =
            [("lease", Confidence::Sure), ("lease", Confidence::Guess), ("fence", Confidence::Fairly)];
        assert_eq!(wrong, expected);
        assert_eq!(session.retry().place(), (1, 3));
    }
}
