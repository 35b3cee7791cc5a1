//! Reads what the build wrote, which has been checked there: what is missing takes its default.
//!
//! The page's only reader. Serde's own would do, and would cost a tenth of the page's first load:
//! it makes code for every type, for text it need not distrust.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cards::{Card, Deck};
use crate::incident::{Account, Accounts, IncidentFile};
use crate::interview::{AnswerPoint, Fact, FollowUp, Interview, Step};
use crate::outline::{Outline, Topic, TopicPoint};
use crate::quiz::{Choice, Kind, Question, QuizSet, Source};
use crate::scenario::{
    ClaimFile, LinkFile, NearMissFile, NextFile, RemedyFile, ScenarioFile, SinkFile, TaskFile, WorkerFile,
};

pub trait Plain {
    fn plain(value: &Value) -> Self;
}

/// Reads a file of the build's.
///
/// # Errors
/// Where the text is no JSON: it is not the build's, or was cut short on its way.
pub fn read<T: Plain>(text: &str) -> Result<T, String> {
    value(text).map(|value| T::plain(&value))
}

fn value(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn get<T: Plain>(value: &Value, key: &str) -> T {
    T::plain(value.get(key).unwrap_or(&Value::Null))
}

impl Plain for String {
    fn plain(value: &Value) -> Self {
        value.as_str().unwrap_or_default().to_owned()
    }
}

impl Plain for bool {
    fn plain(value: &Value) -> Self {
        value.as_bool().unwrap_or_default()
    }
}

impl Plain for i64 {
    fn plain(value: &Value) -> Self {
        value.as_i64().unwrap_or_default()
    }
}

macro_rules! numbers {
    ($($number:ident)*) => { $(impl Plain for $number {
        fn plain(value: &Value) -> Self {
            Self::try_from(i64::plain(value)).unwrap_or_default()
        }
    })* };
}
numbers!(u16 u32 usize);

impl<T: Plain> Plain for Option<T> {
    fn plain(value: &Value) -> Self {
        (!value.is_null()).then(|| T::plain(value))
    }
}

impl<T: Plain> Plain for Vec<T> {
    fn plain(value: &Value) -> Self {
        value.as_array().map(|all| all.iter().map(T::plain).collect()).unwrap_or_default()
    }
}

impl Plain for BTreeMap<String, String> {
    fn plain(value: &Value) -> Self {
        let entry = |(key, value): (&String, &Value)| (key.clone(), String::plain(value));
        value.as_object().map(|all| all.iter().map(entry).collect()).unwrap_or_default()
    }
}

impl Plain for Kind {
    fn plain(value: &Value) -> Self {
        match value.as_str() {
            Some("many") => Kind::Many,
            Some("order") => Kind::Order,
            _ => Kind::One,
        }
    }
}

/// A type by its fields, each under its own name unless another is given. What stands after a
/// semicolon the build leaves out.
macro_rules! plain {
    ($($type:ident { $($field:ident $(as $key:literal)?),* $(; $absent:ident)? })*) => {
        $(impl Plain for $type {
            fn plain(value: &Value) -> Self {
                Self { $($field: get(value, plain!(@ $field $($key)?)),)* $($absent: None)? }
            }
        })*
    };
    (@ $field:ident) => { stringify!($field) };
    (@ $field:ident $key:literal) => { $key };
}

plain! {
    Outline { topics }
    Topic { id, title, questions, cards, points }
    TopicPoint { id, text, questions, cards, scenarios }

    QuizSet { id, title, about, questions as "question" }
    Question { id, points, concept, stem, kind, options as "option", principle, near_true, scenario, source }
    Choice { text, right, place, why }
    Source { system, text, as_of }

    Deck { id, title, about, cards as "card" }
    Card { id, points, concept, front, back, more, scenario }

    Interview {
        id, title, points, scenario, prompt, task, facts as "fact", answers as "answer", confirm, contain,
        repair, follow_up
    }
    Fact { id, ask, answer, telling }
    AnswerPoint { id, title, what, why, points, trap }
    Step { act as "do", why }
    FollowUp { prompt, answers as "answer" }

    ScenarioFile {
        format, id, title, about, group, points, until, starts, first_token, rules, control, data,
        workers as "worker", sinks as "sink", executor, standby, store, tasks as "task", faults, alerts, claims as "claim",
        remedies as "remedy", next, near_misses as "near_miss"; incident
    }
    Accounts { accounts }
    Account { scenario, title, incident }
    IncidentFile { id, system, source, reported, filled, as_of }
    LinkFile { latency, jitter, loss, duplicate }
    WorkerFile { name, count, slots, clock_offset, clock_rate }
    SinkFile { name, kind, fence, service, service_per_active }
    TaskFile { name, interval, count, due, every, after, rows, program, bound, expiry, progress_timeout, run_timeout, exclusive, read_only }
    ClaimFile { verdict, is }
    RemedyFile { title, why, set, claims as "claim" }
    NearMissFile { title, faults, set }
    NextFile { id, title }
}
