//! Input from anywhere, on a stable compiler: what the fuzzer found is played again, and files that
//! ship are changed at random, the same way each time.
//!
//! To look further: `FUZZ_CASES=100000 FUZZ_SEED=7 cargo test -p fenceline-content --all-features
//! --release --test fuzz`. To search with libFuzzer, see `fuzz/`.
#![cfg(feature = "authoring")]

#[path = "../../../fuzz/bodies.rs"]
mod bodies;
mod support;

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use fenceline_content::scenario::{CLAIMS, STATES};
use fenceline_content::words::RULES;
use fenceline_sim::draw::Numbers;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// Plays one input, and says which it was if that panics.
fn play(body: fn(&[u8]) -> bool, bytes: &[u8], what: &str) -> bool {
    catch_unwind(|| body(bytes)).unwrap_or_else(|_| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz-failure");
        fs::write(&path, bytes).unwrap();
        panic!("{what}, kept in {}:\n{}", path.display(), String::from_utf8_lossy(bytes));
    })
}

fn corpus(of: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(of);
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (support::stem(&path), fs::read(&path).unwrap()))
        .collect();
    all.sort();
    assert!(!all.is_empty(), "no corpus of {of}");
    all
}

#[test]
fn what_the_fuzzer_found_plays() {
    for (of, body) in
        [("scenario", bodies::scenario as fn(&[u8]) -> bool), ("interventions", bodies::interventions)]
    {
        for (name, bytes) in corpus(of) {
            play(body, &bytes, &format!("{of} {name}"));
        }
    }
}

// --- random changes ---

/// Every file that ships, in both forms.
fn shipped() -> Vec<String> {
    let mut all = Vec::new();
    for folder in ["scenarios", "incidents"] {
        all.extend(support::files_in(folder).iter().map(|path| fs::read_to_string(path).unwrap()));
        all.extend(support::shipped(folder).values().map(|file| serde_json::to_string_pretty(file).unwrap()));
    }
    all
}

/// Words to put in place of others: the grammar's, and values at and beyond the edge.
fn dictionary(texts: &[String]) -> Vec<String> {
    let mut words: Vec<String> = texts.iter().flat_map(|text| tokens(text)).map(str::to_owned).collect();
    words.extend(RULES.map(str::to_owned));
    words.extend(CLAIMS.iter().map(|(name, _)| (*name).to_owned()));
    words.extend(STATES.iter().map(|(name, _)| (*name).to_owned()));
    for edge in [
        "0s",
        "1us",
        "-1s",
        "87600h",
        "87601h",
        "9223372036854775807us",
        "99999999999999999999s",
        "0",
        "-1",
        "1",
        "2",
        "200",
        "255",
        "256",
        "65535",
        "65536",
        "1000000",
        "4294967295",
        "-900000",
        "9223372036854775807",
        "w1",
        "w2",
        "w200",
        "w65535",
        "sink1",
        "sink9",
        "task1",
        "task1000",
        "a1",
        "a255",
        "scheduler",
        "executor",
        "store",
        "é",
        "\u{0}",
        "\"",
        "[",
        "{",
        "}",
        "]",
        "1e400",
        "null",
        "true",
    ] {
        words.push(edge.to_owned());
    }
    words.sort();
    words.dedup();
    words
}

/// Runs of what makes up words, in quotes or out.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !"-_+".contains(c)).filter(|token| !token.is_empty())
}

struct Mutator {
    numbers: Numbers,
    words: Vec<String>,
}

impl Mutator {
    fn below(&mut self, limit: usize) -> usize {
        self.numbers.below(limit as u64) as usize
    }

    fn word(&mut self) -> String {
        let n = self.below(self.words.len());
        self.words[n].clone()
    }

    /// A place between two characters.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// A few changes, most of them of whole words: those get past the parser.
    fn change(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..=self.below(4) {
            text = self.once(&text);
        }
        text
    }

    fn once(&mut self, text: &str) -> String {
        match self.below(10) {
            0 => self.cut(text, 1),
            1 => self.cut(text, 60),
            2 => {
                let (a, b) = (self.place(text), self.place(text));
                let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 80));
                let to = (from..=to).rev().find(|to| text.is_char_boundary(*to)).unwrap_or(from);
                let at = self.place(text);
                format!("{}{}{}", &text[..at], &text[from..to], &text[at..])
            }
            3 => self.lines(text),
            4 => {
                let at = self.place(text);
                let word = self.word();
                format!("{}{word}{}", &text[..at], &text[at..])
            }
            _ => self.replace(text),
        }
    }

    fn cut(&mut self, text: &str, most: usize) -> String {
        let from = self.place(text);
        let length = 1 + self.below(most);
        let rest: String = text[from..].chars().skip(length).collect();
        format!("{}{rest}", &text[..from])
    }

    /// A line is taken out, or said once more somewhere else.
    fn lines(&mut self, text: &str) -> String {
        let mut lines: Vec<&str> = text.lines().collect();
        if lines.is_empty() {
            return self.word();
        }
        let line = lines[self.below(lines.len())];
        let at = self.below(lines.len());
        if self.below(2) == 0 {
            lines.remove(at);
        } else {
            lines.insert(at, line);
        }
        lines.join("\n") + "\n"
    }

    /// One word is another, more often one of its own kind.
    fn replace(&mut self, text: &str) -> String {
        let all: Vec<&str> = tokens(text).collect();
        if all.is_empty() {
            return self.word();
        }
        let is_figure = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        let figures: Vec<&str> = all.iter().copied().filter(|token| is_figure(token)).collect();
        // Lengths, rates and counts are where a run can be led astray.
        let among = if figures.is_empty() || self.below(3) == 0 { &all } else { &figures };
        let token = among[self.below(among.len())];
        let at = token.as_ptr() as usize - text.as_ptr() as usize;
        let mut word = self.word();
        for _ in 0..20 {
            if is_figure(&word) == is_figure(token) {
                break;
            }
            word = self.word();
        }
        format!("{}{word}{}", &text[..at], &text[at + token.len()..])
    }
}

#[test]
fn a_shipped_file_changed_at_random_never_panics() {
    let texts = shipped();
    let (cases, seed) = (number("FUZZ_CASES", 4_000), number("FUZZ_SEED", 1));
    let mut mutator = Mutator { numbers: Numbers::of(seed), words: dictionary(&texts) };
    let mut taken = 0;
    for case in 0..cases {
        let n = mutator.below(texts.len());
        let text = mutator.change(&texts[n]);
        let what = format!("FUZZ_SEED={seed}, case {case}");
        taken += u64::from(play(bodies::scenario, text.as_bytes(), &what));
    }
    assert!(taken > cases / 10, "{taken} of {cases} were played: the changes are too coarse to find much");
}

#[test]
fn random_interventions_never_panic() {
    let acts = [
        "22s pause w1 55s",
        "22s freeze w1 sleepless 10min",
        "22s crash scheduler 20min",
        "22s reboot w1 5s",
        "22s slow w1 25 1min",
        "22s cut w1 control both-ways 40s",
        "22s cut sink1 data out held 40s",
        "22s degrade scheduler control in 2s 100000 40s",
        "30s step scheduler -60s",
        "30s rate w1 200",
        "30s input task1 2",
        "90s operator task1 redispatch",
        "5s redeliver w2 task1",
        "task1 a1 3 pause w1 55s",
        "task1 a1 crash scheduler 5s",
        "0s lease 30s",
        "0s heartbeat 10s",
        "0s fence sink1 claim",
        "0s fence sink1 first-write volatile forgets 1h",
        "0s sink sink1 append",
        "0s expiry grace 10s",
        "0s delay full-jitter 10s 2min",
        "0s loss self-fence",
        "0s call 5s 3",
        "0s clock monotonic",
        "0s late if-no-newer",
        "0s attempts 3",
        "0s pool 8",
        "0s guard off",
        "0s source task-loop",
        "0s sweep 1s",
        "0s jitter 500ms",
        "0s lease-start delivery",
    ];
    let texts = shipped();
    let (cases, seed) = (number("FUZZ_CASES", 4_000), number("FUZZ_SEED", 1));
    let mut mutator = Mutator { numbers: Numbers::of(seed ^ 0x5eed), words: dictionary(&texts) };
    let mut taken = 0;
    for case in 0..cases {
        let count = 1 + mutator.below(8);
        let phrases: Vec<&str> = (0..count).map(|_| acts[mutator.below(acts.len())]).collect();
        let text = mutator.change(&phrases.join("\n"));
        let mut bytes = vec![b'0' + mutator.below(6) as u8];
        bytes.extend(text.bytes());
        taken += u64::from(play(bodies::interventions, &bytes, &format!("FUZZ_SEED={seed}, case {case}")));
    }
    assert!(taken > cases / 2, "{taken} of {cases} were played: the changes are too coarse to find much");
}
