//! Where the page is: the address's fragment, read. All of it is readable words, so that a person
//! can write a link by hand; what is wrong is named with what was expected.

use std::fmt::Write;

use crate::app::words::route as words;

/// A fragment, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    pub place: Place,
    pub frame: Frame,
}

/// Which page, and what of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Place {
    #[default]
    Start,
    /// The parameters of the run, for `RunLink::read`; none opens the first incident.
    Lab(Parameters),
    Learn,
    Incidents,
    Quiz(Pick),
    Cards(Pick),
    /// One interview by its id, or the first.
    Interview(Option<String>),
    About,
}

/// Which questions or cards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Pick {
    #[default]
    All,
    /// A set or deck by its id.
    Set(String),
    /// What belongs to one concept, of every set.
    Concept(String),
    /// What covers one point of the source material.
    Point(String),
    /// A single question or card by its id.
    One(String),
}

pub type Parameters = Vec<(String, String)>;

/// How the page is shown: alone, or in a frame of somebody else's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Frame {
    pub embed: bool,
    /// As the address says; see [`Frame::chrome`].
    pub chrome: Option<Chrome>,
    pub theme: Option<Theme>,
}

/// How much of the site stands around the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chrome {
    None,
    Min,
    Full,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    Auto,
    Light,
    Dark,
}

const CHROMES: [(&str, Chrome); 3] = [("none", Chrome::None), ("min", Chrome::Min), ("full", Chrome::Full)];
const THEMES: [(&str, Theme); 3] = [("auto", Theme::Auto), ("light", Theme::Light), ("dark", Theme::Dark)];
const VIEWS: [&str; 5] = ["lab", "quiz", "cards", "card", "interview"];
const PATHS: [&str; 8] = ["", "lab", "learn", "incidents", "quiz", "cards", "interview", "about"];

impl Frame {
    pub fn chrome(self) -> Chrome {
        self.chrome.unwrap_or(if self.embed { Chrome::Min } else { Chrome::Full })
    }

    /// A link that stays in this frame: `to` with the frame's parameters added.
    pub fn href(self, to: &str) -> String {
        let mut parameters = Vec::new();
        if self.embed {
            parameters.push("embed=1".to_owned());
        }
        if let Some(chrome) = self.chrome {
            parameters.push(format!("chrome={}", word(&CHROMES, chrome)));
        }
        if let Some(theme) = self.theme {
            parameters.push(format!("theme={}", word(&THEMES, theme)));
        }
        if parameters.is_empty() {
            return to.to_owned();
        }
        let joint = if to.contains('?') { '&' } else { '?' };
        format!("{to}{joint}{}", parameters.join("&"))
    }
}

impl Theme {
    /// As an address and the stored setting write it.
    pub fn word(self) -> &'static str {
        word(&THEMES, self)
    }

    pub fn of_word(text: &str) -> Option<Theme> {
        THEMES.into_iter().find_map(|(name, theme)| (name == text).then_some(theme))
    }
}

impl Chrome {
    pub fn word(self) -> &'static str {
        word(&CHROMES, self)
    }
}

/// Reads a fragment, with or without its `#`.
///
/// # Errors
/// A sentence that names the part that is wrong and what was expected.
pub fn read(fragment: &str) -> Result<Route, String> {
    let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
    let (path, query) = match fragment.strip_prefix('/') {
        Some(rest) => rest.split_once('?').unwrap_or((rest, "")),
        None if fragment.contains('=') => ("", fragment),
        None => (fragment, ""),
    };
    let given = parameters(query)?;
    let get = |name: &str| given.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let frame = Frame {
        embed: get("embed").map_or(Ok(false), |value| match value {
            "1" | "" => Ok(true),
            "0" => Ok(false),
            other => Err(words::embed(other)),
        })?,
        chrome: one_of("chrome", get("chrome"), &CHROMES)?,
        theme: one_of("theme", get("theme"), &THEMES)?,
    };
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let mut name = parts.next().unwrap_or_default();
    let mut rest = parts.map(decode).collect::<Result<Vec<_>, _>>()?.into_iter();
    let mut id = get("id").map(str::to_owned);
    if let Some(view) = get("view") {
        if !VIEWS.contains(&view) {
            return Err(words::one_of("view", view, &VIEWS));
        }
        if name.is_empty() {
            name = view;
        }
    }
    if !PATHS.contains(&name) && name != "card" {
        let pages = PATHS.iter().filter(|path| !path.is_empty()).map(|path| format!("#/{path}"));
        return Err(words::no_page(path, &pages.collect::<Vec<_>>()));
    }
    let concept = get("concept").map(|concept| Pick::Concept(concept.to_owned()));
    let filter = concept.or_else(|| get("point").map(|point| Pick::Point(point.to_owned())));
    let place = match name {
        "lab" => {
            id = None;
            Place::Lab(run(&given))
        }
        "learn" => Place::Learn,
        "incidents" => Place::Incidents,
        "quiz" => Place::Quiz(filter.unwrap_or_else(|| pick(rest.next(), id.take()))),
        "cards" => Place::Cards(filter.unwrap_or_else(|| pick(rest.next(), id.take()))),
        "card" => match id.take() {
            Some(id) => Place::Cards(Pick::One(id)),
            None => return Err(words::CARD_WITHOUT_ID.to_owned()),
        },
        "interview" => Place::Interview(rest.next().or(id.take())),
        "about" => Place::About,
        _ => Place::Start,
    };
    match rest.next().or(id) {
        Some(extra) => Err(words::too_many(path, &extra)),
        None => Ok(Route { place, frame }),
    }
}

impl Place {
    /// The fragment that leads here; [`read`] reads it.
    pub fn href(&self) -> String {
        let picked = |page: &str, pick: &Pick| match pick {
            Pick::All => format!("#/{page}"),
            Pick::Set(id) => format!("#/{page}/{}", encode(id)),
            Pick::Concept(id) => format!("#/{page}?concept={}", encode(id)),
            Pick::Point(id) => format!("#/{page}?point={}", encode(id)),
            Pick::One(id) => format!("#/{page}?id={}", encode(id)),
        };
        match self {
            Place::Start => "#/".to_owned(),
            Place::Lab(parameters) if parameters.is_empty() => "#/lab".to_owned(),
            Place::Lab(parameters) => {
                let pairs: Vec<_> =
                    parameters.iter().map(|(key, value)| format!("{key}={}", encode(value))).collect();
                format!("#/lab?{}", pairs.join("&"))
            }
            Place::Learn => "#/learn".to_owned(),
            Place::Incidents => "#/incidents".to_owned(),
            Place::Quiz(pick) => picked("quiz", pick),
            Place::Cards(pick) => picked("cards", pick),
            Place::Interview(None) => "#/interview".to_owned(),
            Place::Interview(Some(id)) => format!("#/interview?id={}", encode(id)),
            Place::About => "#/about".to_owned(),
        }
    }

    /// A scenario in the lab.
    pub fn lab(id: &str) -> Place {
        Place::Lab(vec![("id".to_owned(), id.to_owned())])
    }
}

fn pick(set: Option<String>, id: Option<String>) -> Pick {
    match (set, id) {
        (_, Some(id)) => Pick::One(id),
        (Some(set), None) => Pick::Set(set),
        (None, None) => Pick::All,
    }
}

/// The parameters that are the run's and not the frame's.
fn run(given: &Parameters) -> Parameters {
    const FRAME: [&str; 4] = ["embed", "chrome", "theme", "view"];
    given.iter().filter(|(name, _)| !FRAME.contains(&name.as_str())).cloned().collect()
}

fn parameters(query: &str) -> Result<Parameters, String> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((decode(name)?, decode(value)?))
    });
    pairs.collect()
}

fn one_of<T: Copy>(name: &str, value: Option<&str>, known: &[(&str, T)]) -> Result<Option<T>, String> {
    let Some(value) = value else { return Ok(None) };
    match known.iter().find(|(word, _)| *word == value) {
        Some((_, found)) => Ok(Some(*found)),
        None => {
            let known: Vec<_> = known.iter().map(|(word, _)| *word).collect();
            Err(words::one_of(name, value, &known))
        }
    }
}

fn word<T: PartialEq>(known: &[(&'static str, T)], wanted: T) -> &'static str {
    known.iter().find_map(|(word, value)| (*value == wanted).then_some(*word)).unwrap_or_default()
}

/// A fragment in three parts, with the one in the middle that a complaint names in backticks; all of it
/// is the first where none does.
pub fn marked(fragment: &str, what: &str) -> [String; 3] {
    let shown = decode(fragment).unwrap_or_else(|_| fragment.to_owned());
    let named = what
        .split('`')
        .skip(1)
        .step_by(2)
        .find_map(|part| shown.split_once(part).map(|around| (around, part)));
    match named {
        Some(((before, after), part)) => [before.into(), part.into(), after.into()],
        None => [shown, String::new(), String::new()],
    }
}

/// Percent-decoding; `+` stays a plus.
fn decode(text: &str) -> Result<String, String> {
    if !text.contains('%') {
        return Ok(text.to_owned());
    }
    let wrong = || words::not_encoded(text);
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        out.push(if byte == b'%' {
            let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
            let (high, low) = (digit(bytes.next()), digit(bytes.next()));
            let byte = high.zip(low).map(|(high, low)| high * 16 + low);
            byte.and_then(|byte| u8::try_from(byte).ok()).ok_or_else(wrong)?
        } else {
            byte
        });
    }
    String::from_utf8(out).map_err(|_| wrong())
}

/// Percent-encoding that leaves readable what a fragment may hold.
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~,:;@!$'()*/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(fragment: &str) -> Place {
        read(fragment).expect(fragment).place
    }

    fn one(id: &str) -> Pick {
        Pick::One(id.to_owned())
    }

    #[test]
    fn every_page_has_its_fragment() {
        for (fragment, expected) in [
            ("", Place::Start),
            ("#", Place::Start),
            ("#/", Place::Start),
            ("#/lab", Place::Lab(Vec::new())),
            ("#/learn", Place::Learn),
            ("#/incidents", Place::Incidents),
            ("#/quiz", Place::Quiz(Pick::All)),
            ("#/quiz/leases", Place::Quiz(Pick::Set("leases".into()))),
            ("#/quiz?concept=silence", Place::Quiz(Pick::Concept("silence".into()))),
            ("#/cards?point=L01", Place::Cards(Pick::Point("L01".into()))),
            ("#/cards/", Place::Cards(Pick::All)),
            ("#/interview", Place::Interview(None)),
            ("#/about", Place::About),
            ("#view=lab&id=flagship&theme=dark", Place::lab("flagship")),
            ("#view=card&id=silence-proves", Place::Cards(one("silence-proves"))),
            ("#view=quiz&id=when-it-ends", Place::Quiz(one("when-it-ends"))),
            ("#view=interview&id=double-revenue", Place::Interview(Some("double-revenue".into()))),
        ] {
            assert_eq!(place(fragment), expected, "{fragment}");
        }
    }

    #[test]
    fn a_place_reads_back_as_it_was_written() {
        let odd = "50 % & more?".to_owned();
        for expected in [
            Place::Start,
            Place::lab("flagship"),
            Place::Lab(vec![
                ("id".into(), "flagship".into()),
                ("do".into(), "22s.pause.w1.55s,0s.lease.1min".into()),
            ]),
            Place::Quiz(Pick::Set(odd.clone())),
            Place::Quiz(Pick::Concept(odd.clone())),
            Place::Cards(Pick::One(odd.clone())),
            Place::Interview(Some(odd)),
        ] {
            assert_eq!(place(&expected.href()), expected, "{}", expected.href());
        }
        assert_eq!(Place::lab("flagship").href(), "#/lab?id=flagship");
    }

    #[test]
    fn a_frame_is_taken_along() {
        let route = read("#/lab?embed=1&chrome=none&theme=dark&id=flagship&seed=42&v=1").unwrap();
        assert_eq!(route.frame.chrome(), Chrome::None);
        assert_eq!(route.frame.theme, Some(Theme::Dark));
        assert_eq!(route.place.href(), "#/lab?id=flagship&seed=42&v=1");
        assert_eq!(route.frame.href("#/quiz"), "#/quiz?embed=1&chrome=none&theme=dark");
        assert_eq!(route.frame.href("#/quiz?id=x"), "#/quiz?id=x&embed=1&chrome=none&theme=dark");
        assert_eq!(read("#/lab?embed=1").unwrap().frame.chrome(), Chrome::Min);
        assert_eq!(read("#/lab").unwrap().frame.chrome(), Chrome::Full);
        assert_eq!(read("#/lab").unwrap().frame.href("#/quiz"), "#/quiz");
    }

    #[test]
    fn what_is_wrong_is_named_with_what_was_expected() {
        for (fragment, expected) in [
            ("#/labs", "there is no page `#/labs`. There are #/lab, #/learn"),
            ("#quiz2", "there is no page `#/quiz2`."),
            ("#/about/us", "`#/about/us`: `us` is one part too many"),
            ("#/incidents?id=flagship", "`#/incidents`: `flagship` is one part too many"),
            ("#/lab?theme=pink", "`theme=pink`: write one of auto, light, dark"),
            ("#/lab?chrome=all", "`chrome=all`: write one of none, min, full"),
            ("#/lab?embed=yes", "`embed=yes`: write `embed=1`, or leave it out"),
            ("#view=table", "`view=table`: write one of lab, quiz, cards, card, interview"),
            ("#view=card", "`view=card` needs the card's id"),
            ("#/quiz/50%", "`50%` is not percent-encoded text"),
            ("#/quiz/%ff", "`%ff` is not percent-encoded text"),
        ] {
            let said = read(fragment).expect_err(fragment);
            assert!(said.contains(expected), "{fragment}: {said}");
        }
    }

    #[test]
    fn the_wrong_part_of_a_link_is_marked() {
        let link = "#/lab?v=1&id=flagship&do=22s.pause.w9.55s,0s.lease.1min";
        let what = "act 1 of the link, `22s.pause.w9.55s`: there is no node `w9`; workers are `w1` to `w2`";
        assert_eq!(marked(link, what), ["#/lab?v=1&id=flagship&do=", "22s.pause.w9.55s", ",0s.lease.1min"]);
        assert_eq!(marked("#/x", "something else"), ["#/x", "", ""]);
    }

    #[test]
    fn encoded_text_is_decoded() {
        assert_eq!(place("#/quiz/l%C3%A9ase%20x"), Place::Quiz(Pick::Set("léase x".into())));
        assert_eq!(decode("a+b").as_deref(), Ok("a+b"));
    }
}
