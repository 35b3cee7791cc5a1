//! Flashcards: when each is due, and a session of those that are.

use fenceline_sim::order;
use std::sync::Arc;

use fenceline_content::cards::Card;

use crate::app::progress::Kept;

/// How well a card was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rating {
    Again,
    Hard,
    Good,
    Easy,
}

pub const RATINGS: [Rating; 4] = [Rating::Again, Rating::Hard, Rating::Good, Rating::Easy];

/// Cards never seen that one session may bring.
pub const NEW_IN_SESSION: usize = 10;

const LONGEST: u32 = 365;

/// When a card is due next. Days are days since 1970 by the reader's own clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Days from the last rating to the next; 0 for one that is not known.
    pub interval: u32,
    pub due: u32,
    /// The day of the last rating.
    pub rated: u32,
    /// How often it was known once and then forgotten.
    pub lapses: u32,
}

impl Schedule {
    /// The schedule after a rating. Known intervals grow by a fifth, to two and a half times or to
    /// four times; what was forgotten begins anew.
    #[must_use]
    pub fn rated(self, rating: Rating, today: u32) -> Schedule {
        let before = self.interval;
        let interval = match rating {
            Rating::Again => 0,
            Rating::Hard => (before + before / 5).max(before + 1),
            Rating::Good => (before * 5 / 2).max(before + 2),
            Rating::Easy => (before * 4).max(before + 4),
        };
        let interval = interval.min(LONGEST);
        let forgotten = rating == Rating::Again && before > 0;
        Schedule { interval, due: today + interval, rated: today, lapses: self.lapses + u32::from(forgotten) }
    }
}

type Schedules = Kept<Schedule>;

/// The cards to review today: those due, the longest overdue first, then some new ones.
pub fn due(cards: &[Arc<Card>], known: &Schedules, today: u32) -> Vec<Arc<Card>> {
    let schedule = |card: &Arc<Card>| known.get(&card.id);
    let mut due: Vec<_> =
        cards.iter().filter(|card| schedule(card).is_some_and(|it| it.due <= today)).cloned().collect();
    order::by(&mut due, |card| schedule(card).map_or(0, |it| u64::from(it.due)));
    let new = cards.iter().filter(|card| schedule(card).is_none()).take(NEW_IN_SESSION);
    due.extend(new.cloned());
    due
}

/// The next day on which something falls due, and how many cards do.
pub fn next_due(cards: &[Arc<Card>], known: &Schedules) -> Option<(u32, usize)> {
    let days = cards.iter().filter_map(|card| known.get(&card.id)).map(|it| it.due);
    let day = days.clone().min()?;
    Some((day, days.filter(|it| *it == day).count()))
}

/// About 25 seconds a card, in whole minutes.
pub fn minutes(cards: usize) -> usize {
    (cards * 25).div_ceil(60)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    queue: Vec<Arc<Card>>,
    shown: bool,
    today: u32,
    forgotten: Vec<Arc<Card>>,
    rated: usize,
    /// For taking back: the session and the card's schedule as they were.
    before: Option<Box<(Session, Option<Schedule>)>>,
}

impl Session {
    pub fn new(queue: Vec<Arc<Card>>, today: u32) -> Self {
        Self { queue, shown: false, today, forgotten: Vec::new(), rated: 0, before: None }
    }

    pub fn card(&self) -> Option<&Arc<Card>> {
        self.queue.first()
    }

    pub fn left(&self) -> usize {
        self.queue.len()
    }

    pub fn is_shown(&self) -> bool {
        self.shown
    }

    pub fn show(&mut self) {
        self.shown = true;
    }

    /// Cards rated so far, again and again counted each time.
    pub fn rated(&self) -> usize {
        self.rated
    }

    pub fn forgotten(&self) -> &[Arc<Card>] {
        &self.forgotten
    }

    /// What each rating would do to the card now asked: days until it is due again.
    pub fn preview(&self, known: &Schedules) -> [u32; 4] {
        let now = self.card().and_then(|card| known.get(&card.id)).unwrap_or_default();
        RATINGS.map(|rating| now.rated(rating, self.today).interval)
    }

    /// Rates the card and goes on. One that was not known comes again at the end.
    pub fn rate(&mut self, rating: Rating, known: &mut Schedules) {
        if self.queue.is_empty() || !self.shown {
            return;
        }
        let mut before = self.clone();
        before.before = None;
        let card = self.queue.remove(0);
        let was = known.get(&card.id);
        known.insert(&card.id, &was.unwrap_or_default().rated(rating, self.today));
        if rating == Rating::Again {
            if !self.forgotten.contains(&card) {
                self.forgotten.push(Arc::clone(&card));
            }
            self.queue.push(card);
        }
        self.rated += 1;
        self.shown = false;
        self.before = Some(Box::new((before, was)));
    }

    pub fn can_undo(&self) -> bool {
        self.before.is_some()
    }

    /// Takes the last rating back; its card is before the reader again, shown.
    pub fn undo(&mut self, known: &mut Schedules) {
        let Some(before) = self.before.take() else { return };
        let (session, was) = *before;
        if let Some(card) = session.card() {
            match was {
                Some(was) => known.insert(&card.id, &was),
                None => known.remove(&card.id),
            }
        }
        *self = session;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cards(n: usize) -> Vec<Arc<Card>> {
        (0..n).map(|n| Arc::new(Card { id: format!("card-{n}"), ..Card::default() })).collect()
    }

    fn rate(session: &mut Session, rating: Rating, known: &mut Schedules) {
        session.show();
        session.rate(rating, known);
    }

    #[test]
    fn intervals_grow_with_the_rating_and_never_beyond_a_year() {
        let mut good = Schedule::default();
        let mut days = Vec::new();
        for _ in 0..8 {
            good = good.rated(Rating::Good, 100);
            days.push(good.interval);
        }
        assert_eq!(days, [2, 5, 12, 30, 75, 187, 365, 365]);
        for interval in [0, 1, 4, 30, 300] {
            let now = Schedule { interval, ..Schedule::default() };
            let next = RATINGS.map(|rating| now.rated(rating, 0).interval);
            assert!(next.is_sorted() && next[0] == 0 && next[1] > 0, "{interval}: {next:?}");
        }
        assert_eq!(good.rated(Rating::Again, 100).lapses, 1);
    }

    #[test]
    fn overdue_cards_come_first_and_new_ones_are_few() {
        let all = cards(30);
        let mut known = Schedules::default();
        for (id, due) in [("card-20", 99), ("card-21", 98), ("card-22", 101)] {
            known.insert(id, &Schedule { due, ..Schedule::default() });
        }
        let queue = due(&all, &known, 100);
        let ids: Vec<_> = queue.iter().map(|card| card.id.as_str()).take(3).collect();
        assert_eq!(ids, ["card-21", "card-20", "card-0"]);
        assert_eq!(queue.len(), 2 + NEW_IN_SESSION);
        assert_eq!(next_due(&all, &known), Some((98, 1)));
    }

    #[test]
    fn a_forgotten_card_comes_again_at_the_end() {
        let mut known = Schedules::default();
        let mut session = Session::new(cards(2), 100);
        session.rate(Rating::Good, &mut known);
        assert_eq!(session.left(), 2, "a card is rated only once it has been shown");
        rate(&mut session, Rating::Again, &mut known);
        rate(&mut session, Rating::Good, &mut known);
        assert_eq!(session.card().map(|card| card.id.as_str()), Some("card-0"));
        rate(&mut session, Rating::Good, &mut known);
        assert_eq!((session.card(), session.forgotten().len(), session.rated()), (None, 1, 3));
        assert_eq!(next_due(&cards(2), &known), Some((102, 2)));
    }

    #[test]
    fn the_last_rating_can_be_taken_back() {
        let mut known = Schedules::default();
        let mut session = Session::new(cards(2), 100);
        assert!(!session.can_undo());
        rate(&mut session, Rating::Again, &mut known);
        session.undo(&mut known);
        assert_eq!((session.left(), session.is_shown(), session.forgotten().len()), (2, true, 0));
        assert!(known.is_empty() && !session.can_undo());
    }
}
