//! What was reported: the public account that a scenario replays.

use serde::{Deserialize, Serialize};

use crate::report::{Report, join};
use crate::scenario::ScenarioFile;

/// The account of an incident: facts, and which figures are not among them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "authoring", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct IncidentFile {
    /// Its number: `I05`.
    pub id: String,
    /// The system it happened in.
    pub system: String,
    /// Where it is told in public.
    pub source: String,
    /// What was observed, in one or two sentences.
    pub reported: String,
    /// Which figures the account leaves open, and how they were filled in.
    pub filled: String,
    /// When the account was read: `2026-11`.
    pub as_of: String,
}

impl IncidentFile {
    pub fn check(&self, place: &str, report: &mut Report) {
        let is_number = self.id.strip_prefix('I').is_some_and(|n| n.len() == 2 && digits(n));
        if !is_number {
            let what = format!("`{}` is not an incident's number. Write one such as `I05`", self.id);
            report.add(&join(place, "id"), what);
        }
        report.text(place, "system", &self.system, "the system it happened in, such as `Hangfire`");
        if !self.source.starts_with("https://") {
            report.add(&join(place, "source"), "is not an address. Write one that begins with `https://`");
        }
        report.text(place, "reported", &self.reported, "what was observed, in one or two sentences");
        report.text(place, "filled", &self.filled, "which figures were filled in, or `Nothing.`");
        let is_month = self.as_of.split_once('-').is_some_and(|(year, month)| {
            year.len() == 4 && month.len() == 2 && digits(year) && digits(month)
        });
        if !is_month {
            let what = format!("`{}` is not a month. Write one such as `2026-11`", self.as_of);
            report.add(&join(place, "as_of"), what);
        }
    }
}

fn digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// All incidents, for the page that lists them. Made by the build, never written by hand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounts {
    /// In order of their numbers.
    pub accounts: Vec<Account>,
}

/// An incident and the scenario that replays it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The scenario's id.
    pub scenario: String,
    pub title: String,
    pub incident: IncidentFile,
}

impl Accounts {
    pub fn of<'a>(scenarios: impl IntoIterator<Item = &'a ScenarioFile>) -> Accounts {
        let account = |it: &ScenarioFile| {
            let incident = it.incident.clone()?;
            Some(Account { scenario: it.id.clone(), title: it.title.clone(), incident })
        };
        let mut accounts: Vec<Account> = scenarios.into_iter().filter_map(account).collect();
        accounts.sort_by(|a, b| (&a.incident.id, &a.scenario).cmp(&(&b.incident.id, &b.scenario)));
        Accounts { accounts }
    }
}
