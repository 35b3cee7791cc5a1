//! What an author is told of a wrong scenario file: each kind of mistake, and the whole of what is said.
#![cfg(feature = "authoring")]

mod support;

use std::fs;
use std::path::Path;

use fenceline_content::authoring;
use fenceline_content::report::{Known, MOST_MISTAKES};
use support::{ASSETS, known, lines};

fn flagship() -> String {
    fs::read_to_string(Path::new(ASSETS).join("scenarios/flagship.toml")).unwrap()
}

/// The flagship as programs exchange it, a line for each key.
fn as_json() -> String {
    let file = authoring::scenario("flagship.toml", &flagship(), &known()).unwrap();
    serde_json::to_string_pretty(&file).unwrap()
}

/// What is said of a file after the replacements, without the file's name.
fn said(name: &str, mut text: String, changes: &[(&str, &str)]) -> String {
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let read = authoring::scenario(name, &text, &known());
    let said = read.err().map(|mistakes| lines(&mistakes)).unwrap_or_default();
    said.replace(&format!("{name}, "), "").trim_end().to_owned()
}

/// What is replaced in the flagship, by what, and all that is said then.
type Wrong = (&'static str, &'static str, &'static str);

/// As authors write it.
#[rustfmt::skip]
const TOML: [Wrong; 136] = [
    // keys, at each level
    ("until =", "untl =",
        "line 7, column 1, untl: there is no key `untl` here. Did you mean `until`?"),
    ("kind = \"append\"", "knd = \"append\"",
        "line 19, column 1, sink[1].knd: there is no key `knd` here. Did you mean `kind`?"),
    ("\"worker 2\"", "\"worker 2\"\nslot = 2",
        "line 16, column 1, worker[2].slot: there is no key `slot` here. Did you mean `slots`?"),
    ("rows = [1204]", "row = [1204]",
        "line 24, column 1, task[1].row: there is no key `row` here. Did you mean `rows`?"),
    ("interval =", "exlusive = true\ninterval =",
        "line 23, column 1, task[1].exlusive: there is no key `exlusive` here. Did you mean `exclusive`?"),
    ("is = \"violated\"", "iss = \"violated\"",
        "line 30, column 1, claim[1].iss: there is no key `iss` here. Did you mean `is`?"),
    ("why = \"The", "reason = \"The",
        "line 46, column 1, remedy[1].reason: there is no key `reason` here. Write one of `title`, `why`, `set`, `claim`\nline 44, column 1, remedy[1].why: missing. Write one sentence on why it helps and what it costs"),
    ("[[remedy.claim]]\nverdict", "[[remedy.claim]]\nverdikt",
        "line 50, column 1, remedy[1].claim[1].verdikt: there is no key `verdikt` here. Did you mean `verdict`?"),
    ("title = \"A pause", "titel = \"A pause",
        "line 58, column 1, near_miss[1].titel: there is no key `titel` here. Did you mean `title`?"),
    ("title = \"Now", "tilte = \"Now",
        "line 9, column 29, next.tilte: there is no key `tilte` here. Did you mean `title`?"),
    ("[[worker]]", "[control]\nlatenzy = \"1s\"\n\n[[worker]]",
        "line 12, column 1, control.latenzy: there is no key `latenzy` here. Did you mean `latency`?"),
    ("[[worker]]", "[incident]\nid = \"I05\"\nsystem = \"S\"\nsource = \"https://example.com\"\nreported = \"R\"\nfilled = \"F\"\nas_of = \"2026-11\"\nwhere = \"here\"\n\n[[worker]]",
        "line 18, column 1, incident.where: there is no key `where` here. Write one of `id`, `system`, `source`, `reported`, `filled`, `as_of`"),
    ("[[worker]]", "[rules]\nleese = \"30s\"\n\n[[worker]]",
        "line 12, column 1, rules.leese: there is no rule `leese`. Did you mean `lease`?"),
    // versions
    ("format = 1\n", "",
        "line 1, column 1, format: missing. Write 1, the format's version"),
    ("format = 1", "format = 2",
        "line 1, column 1, format: there is no format 2. Known: 1"),
    ("format = 1", "format = \"1\"",
        "line 1, column 10, format: is the text `1`. Write a whole number, 0 to 4294967295"),
    // units and lengths
    ("\"102s\"", "\"102 sec\"",
        "line 7, column 1, until: `102 sec` is not a duration. Write one such as `30s`, `250ms` or `20min`"),
    ("\"102s\"", "\"102\"",
        "line 7, column 1, until: `102` is not a duration. Write one such as `30s`, `250ms` or `20min`"),
    ("\"102s\"", "102",
        "line 7, column 9, until: is the number `102`. Write a text in quotes"),
    ("\"102s\"", "\"-1s\"",
        "line 7, column 1, until: `-1s` is below zero. Write a duration such as `30s`"),
    ("\"102s\"", "\"100000h\"",
        "line 7, column 1, until: `100000h` is too long; the limit is 87600h"),
    ("compute 30s", "compute 30",
        "line 26, column 20, task[1].program[2]: `30` is not a duration. Write one such as `30s`, `250ms` or `20min`"),
    ("compute 30s", "compute",
        "line 26, column 20, task[1].program[2]: `compute` needs a duration, such as `compute 30s`"),
    ("pause w1 55s", "pause w1 55",
        "line 8, column 11, faults[1]: `55` is not a duration. Write one such as `30s`, `250ms` or `20min`"),
    ("22s pause", "22 pause",
        "line 8, column 11, faults[1]: `22` is not a time. Write one such as `22s`, or a point such as `task1.a1.3`"),
    ("\"worker 2\"", "\"worker 2\"\nclock_offset = \"two seconds\"",
        "line 16, column 1, worker[2].clock_offset: `two seconds` is not a duration. Write one such as `30s`, `250ms` or `20min`"),
    ("bound = \"100s\"", "bound = \"100sec\"",
        "line 25, column 1, task[1].bound: `100sec` is not a duration. Write one such as `30s`, `250ms` or `20min`"),
    // names of what is not there
    ("pause w1 55s", "pause w3 55s",
        "line 8, column 11, faults[1]: there is no node `w3`; workers are `w1` to `w2`"),
    ("pause w1 55s", "puase w1 55s",
        "line 8, column 11, faults[1]: `puase` is not an act. Did you mean `pause`?"),
    ("\"22s pause w1 55s\"", "\"task2 a1 3 pause w1\"",
        "line 8, column 11, faults[1]: there is no task `task2`; the only task is `task1`"),
    ("\"22s pause w1 55s\"", "\"22s operator task2 fail\"",
        "line 8, column 11, faults[1]: there is no task `task2`; the only task is `task1`"),
    ("\"22s pause w1 55s\"", "\"task1 a1 3 restore sink1 40s\"",
        "line 8, column 11, faults[1]: a restore goes back from a time. Write one such as `22s`"),
    ("\"22s pause w1 55s\"", "\"62s restore w1 40s\"",
        "line 8, column 11, faults[1]: there is no sink `w1`; the only sink is `sink1`"),
    ("\"22s pause w1 55s\"", "\"62s restore counter\"",
        "line 8, column 11, faults[1]: ends too early. Add a duration such as `30s`"),
    ("\"22s pause w1 55s\"", "\"22s fail w1 1min\"",
        "line 8, column 11, faults[1]: there is no sink `w1`; the only sink is `sink1`"),
    ("\"22s pause w1 55s\"", "\"22s fail sink1 after 0s\"",
        "line 8, column 11, faults[1]: a length must be above zero"),
    ("\"22s pause w1 55s\"", "\"22s fail sink1 don 1min\"",
        "line 8, column 11, faults[1]: `don` is not a duration. Write one such as `30s`, `250ms` or `20min`"),
    ("\"append\"", "\"api task-key all-answer\"",
        "line 19, column 1, sink[1].kind: `all-answer` is not a duration. Write one such as `30s`, `250ms` or `20min`"),
    ("\"22s pause w1 55s\"", "\"62s operator task1 re-run\"",
        "line 8, column 11, faults[1]: `re-run` is not known here. Write one of `redispatch`, `fail`, `succeed`, `extend`, `cancel`, `rerun`. Did you mean `rerun`?"),
    ("\"append\"", "\"log task-intervals\"",
        "line 19, column 1, sink[1].kind: `task-intervals` is not known here. Write one of `per-interval`, `per-token`, `task-interval`, `task-token`. Did you mean `task-interval`?"),
    ("\"append\"", "\"api task-key per-generation all-answers\"",
        "line 19, column 1, sink[1].kind: `all-answers` is not a duration. Write one such as `30s`, `250ms` or `20min`"),
    ("\"22s pause w1 55s\"", "\"62s unlock w1\"",
        "line 8, column 11, faults[1]: there is no sink `w1`; the only sink is `sink1`"),
    ("fence sink1 claim", "fence sink2 claim",
        "line 47, column 8, remedy[1].set[1]: there is no sink `sink2`; the only sink is `sink1`"),
    ("fence sink1 claim", "fense sink1 claim",
        "line 47, column 8, remedy[1].set[1]: there is no rule `fense`. Did you mean `fence`?"),
    ("fence sink1 claim", "fence sink1 clam",
        "line 47, column 8, remedy[1].set[1]: `clam` is not known here. Write one of `scheduler`, `claim`, `first-write`, `commit`, `nobody`. Did you mean `claim`?"),
    ("\"write revenue\"", "\"write revenues\"",
        "line 26, column 35, task[1].program[3]: there is no sink `revenues`. Did you mean `revenue`?"),
    ("\"write revenue\"", "\"write costs\"",
        "line 26, column 35, task[1].program[3]: there is no sink `costs`. Write one of: `revenue`"),
    ("\"read\"", "\"read revenu\"",
        "line 26, column 12, task[1].program[1]: there is no sink `revenu`. Did you mean `revenue`?"),
    ("\"read\"", "\"read revenue\"",
        "line 26, column 12, task[1].program[1]: no task above writes there, so nothing can be read"),
    ("compute 30s", "compote 30s",
        "line 26, column 20, task[1].program[2]: `compote` is not a step. Did you mean `compute`?"),
    ("compute 30s", "ask revenue",
        "line 26, column 20, task[1].program[2]: `revenue` is one word too many. Remove it"),
    ("compute 30s", "note",
        "line 26, column 20, task[1].program[2]: `note` needs the name of a sink"),
    ("compute 30s", "sleep 30s",
        "line 26, column 20, task[1].program[2]: `sleep` is not a step. Write one of: `read`, `compute`, `block`, `beat`, `check-lease`, `look`, `write`, `stage`, `swap`, `clean`, `lock`, `unlock`, `effect`, `work`, `ask`, `note`, `check`, `acknowledge`"),
    ("\"append\"", "\"appnd\"",
        "line 19, column 1, sink[1].kind: `appnd` is not known here. Write one of `append`, `overwrite`, `merge`, `staged`, `locked`, `api`, `mailbox`, `resource`, `objects`, `log`. Did you mean `append`?"),
    ("\"append\"", "\"append\"\nfence = \"first write\"",
        "line 20, column 1, sink[1].fence: `first` is not known here. Write one of `scheduler`, `claim`, `first-write`, `commit`, `nobody`"),
    ("\"one-output\"", "\"one-outptu\"",
        "line 29, column 1, claim[1].verdict: there is no verdict `one-outptu`. Write one of: `one-output`, `no-stale-over-newer`, `rows-as-expected`, `effects-once`, `no-commit-lost`, `tokens-in-order`, `holder-not-refused`, `exclusive`, `one-ending`, `ends-in-bound`, `not-blocked-by-leftovers`, `damage-raises-an-alert`. Did you mean `one-output`?"),
    ("is = \"violated\"", "is = \"broken\"",
        "line 30, column 1, claim[1].is: there is no outcome `broken`. Write one of: `holds`, `violated`, `not-exercised`"),
    ("\"L01\"", "\"L99\"",
        "line 6, column 11, points[1]: there is no point `L99`. The points are listed in points.toml"),
    ("\"late-fence\"", "\"later-fence\"",
        "line 9, column 10, next.id: there is no scenario `later-fence`. Did you mean `late-fence`?"),
    ("\"Zombies\"", "\"Zombis\"",
        "line 5, column 1, group: there is no group `Zombis`. Write one of: Zombies, Fences, Effects, Clocks, Restart, Leftovers, Policies, Cost. Did you mean `Zombies`?"),
    ("until =", "alerts = [\"two-opne\"]\nuntil =",
        "line 7, column 11, alerts[1]: `two-opne` is not known here. Write one of `lease-expired`, `retried`, `fenced-write`, `scheduler-silent`, `two-open`, `reconcile`. Did you mean `two-open`?"),
    ("[[worker]]", "[rules]\nsource = \"check-point\"\n\n[[worker]]",
        "line 12, column 1, rules.source: `check-point` is not known here. Write one of `own-thread`, `task-loop`, `nobody`, `checkpoint`. Did you mean `checkpoint`?"),
    ("[[worker]]", "[rules]\nwake = \"progam\"\n\n[[worker]]",
        "line 12, column 1, rules.wake: `progam` is not known here. Write one of `timers`, `messages`, `program`. Did you mean `program`?"),
    ("[[worker]]", "[rules]\nbelief = \"observer\"\n\n[[worker]]",
        "line 12, column 1, rules.belief: `observer` is not known here. Write one of `monotonic`, `wall`"),
    ("compute 30s", "beat 30s",
        "line 26, column 20, task[1].program[2]: `30s` is one word too many. Remove it"),
    ("[[worker]]", "[rules]\nowner = \"host\"\n\n[[worker]]",
        "line 12, column 1, rules.owner: `host` is not known here. Write one of `token`, `name`"),
    ("[[worker]]", "[rules]\nreturning = \"keeps\"\n\n[[worker]]",
        "line 12, column 1, rules.returning: `keeps` is not known here. Write one of `refuse`, `ignore`, `keep`. Did you mean `keep`?"),
    ("[[worker]]", "[rules]\nsame-owner = \"newer\"\n\n[[worker]]",
        "line 12, column 1, rules.same-owner: `newer` is not known here. Write one of `both`, `replace`, `ignore`"),
    ("[[worker]]", "[rules]\nexpiry-counts = \"no\"\n\n[[worker]]",
        "line 12, column 1, rules.expiry-counts: `no` is not known here. Write one of `on`, `off`"),
    ("[[worker]]", "[rules]\nlate = \"accept cancels\"\n\n[[worker]]",
        "line 12, column 1, rules.late: `cancels` is one word too many. Remove it"),
    ("[[worker]]", "[rules]\nsweep = \"1s 0\"\n\n[[worker]]",
        "line 12, column 1, rules.sweep: a sweep that may end no lease is none"),
    ("\"22s pause w1 55s\"", "\"22s degrade w1 data out 1s 0 2000000\"",
        "line 8, column 11, faults[1]: at most 1000000 parts per million come twice"),
    ("[[worker]]", "[data]\nduplicate = 2000000\n\n[[worker]]",
        "line 12, column 1, data.duplicate: at most 1000000 parts per million come twice"),
    // values that cannot be
    ("\"append\"", "\"mailbox\"\nfence = \"claim\"",
        "line 20, column 1, sink[1].fence: `revenue` is `mailbox`, which cannot compare tokens, so no fence can stand before it\nline 27, column 35, task[1].program[3]: `revenue` is `mailbox`, which knows no `write`. Write one of: `effect`"),
    ("\"append\"", "\"mailbox\"",
        "line 47, column 1, remedy[1].set: `revenue` is `mailbox`, which cannot compare tokens, so no fence can stand before it\nline 26, column 35, task[1].program[3]: `revenue` is `mailbox`, which knows no `write`. Write one of: `effect`"),
    ("\"worker 2\"", "\"worker 2\"\nslots = 0",
        "line 16, column 1, worker[2].slots: a worker without slots runs nothing"),
    ("\"worker 2\"", "\"worker 2\"\ncount = 0",
        "line 16, column 1, worker[2].count: is none. Write 1 or more, or leave the whole entry out"),
    ("\"worker 2\"", "\"worker 2\"\nclock_rate = -1000000",
        "line 16, column 1, worker[2].clock_rate: `-1000000`: a clock runs at a tenth to twice its rate: -900000 to 1000000 parts per million"),
    ("[[worker]]", "[data]\nloss = 2000000\n\n[[worker]]",
        "line 12, column 1, data.loss: a loss is at most 1000000 parts per million"),
    ("until =", "starts = \"25:00\"\nuntil =",
        "line 7, column 1, starts: `25:00` is not a time of day. Write one such as `02:30`"),
    ("\"22s pause w1 55s\"", "\"-1s pause w1\"",
        "line 8, column 11, faults[1]: `-1s` lies before the run begins"),
    ("\"22s pause w1 55s\"", "\"22s slow w1 0\"",
        "line 8, column 11, faults[1]: a slow process runs at 1 to 100 percent"),
    ("\"22s pause w1 55s\"", "\"22s degrade w1 data out 1s 2000000\"",
        "line 8, column 11, faults[1]: a loss is at most 1000000 parts per million"),
    ("\"22s pause w1 55s\"", "\"22s pause w1 55s now\"",
        "line 8, column 11, faults[1]: `now` is one word too many. Remove it"),
    ("write revenue", "write revenue 3/2",
        "line 26, column 35, task[1].program[3]: `3/2` is not a part. Write one such as `1/2`"),
    ("\"flagship\"", "\"Flag ship\"",
        "line 2, column 1, id: `Flag ship` is not an id. Write lower-case words joined by hyphens, such as `late-fence`"),
    ("until =", "alerts = [\"reconcile 0s\"]\nuntil =",
        "line 7, column 11, alerts[1]: an alert waits for a second or more"),
    ("until =", "alerts = [\"lease-expired 999ms\"]\nuntil =",
        "line 7, column 11, alerts[1]: an alert waits for a second or more"),
    ("until =", "alerts = [\"scheduler-silent 1us\"]\nuntil =",
        "line 7, column 11, alerts[1]: an alert waits for a second or more"),
    ("\"22s pause w1 55s\"", "\"22s alert reconcile 1us\"",
        "line 8, column 11, faults[1]: an alert waits for a second or more"),
    ("until =", "rules.loss = \"self-fence-after 0\"\nuntil =",
        "line 7, column 7, rules.loss: a worker that stops before a renewal fails runs nothing"),
    ("until =", "rules.gap = \"30s\"\nuntil =",
        "line 7, column 7, rules.gap: a gap of 30s leaves nothing of a lease of 30s. Write a shorter one"),
    ("fence sink1 claim", "gap 31s",
        "line 47, column 1, remedy[1].set: a gap of 31s leaves nothing of a lease of 30s. Write a shorter one"),
    // what no sink does, and what makes no whole
    ("write revenue", "lock revenue",
        "line 26, column 35, task[1].program[3]: `revenue` is `append`, which knows no `lock`. Write one of: `look`, `read`, `write`, `clean`, `work`, `check`, `note`"),
    ("write revenue", "effect revenue",
        "line 26, column 35, task[1].program[3]: `revenue` is `append`, which knows no `effect`. Write one of: `look`, `read`, `write`, `clean`, `work`, `check`, `note`"),
    ("\"append\"", "\"staged fixed\"",
        "line 26, column 35, task[1].program[3]: `revenue` is `staged fixed`, which knows no `write`. Write one of: `look`, `read`, `stage`, `swap`, `clean`, `work`, `check`, `note`"),
    ("write revenue", "write revenue 1/2",
        "line 26, column 35, task[1].program[3]: part 2/2 of `revenue` is never written. Write all of them"),
    ("\"write revenue\"", "\"write revenue 1/2\", \"write revenue 1/2\"",
        "line 26, column 56, task[1].program[4]: part 1/2 of `revenue` is written already. Write each once"),
    ("\"write revenue\"", "\"write revenue\", \"write revenue 1/2\"",
        "line 26, column 52, task[1].program[4]: `revenue` is written in 1 before, not in 2. Write parts of one whole"),
    ("\"acknowledge\"", "\"acknowledge\", \"compute 1s\"",
        "line 26, column 67, task[1].program[5]: comes after `acknowledge`, with which an attempt ends. Put it before"),
    ("\"22s pause w1 55s\"", "\"22min pause w1 55s\"",
        "line 8, column 11, faults[1]: the run is over by then: it ends at 102s"),
    ("\"102s\"", "\"0s\"",
        "line 7, column 1, until: a run must last. Write a duration such as `102s`"),
    ("until =", "first_token = 0\nuntil =",
        "line 7, column 1, first_token: tokens begin at 1"),
    ("until =", "first_token = 1000001\nuntil =",
        "line 7, column 1, first_token: a first token is at most 1000000"),
    ("rows = [1204]", "rows = [1, 1000000001]",
        "line 24, column 12, task[1].rows[2]: 1000000001 are too many; the limit is 1000000000"),
    ("until =", "rules.epoch = \"off\"\nuntil =",
        "line 7, column 7, rules.epoch: means nothing to a scheduler alone. Name another in `standby`"),
    ("until =", "rules.beats-to = \"store\"\nuntil =",
        "line 7, column 7, rules.beats-to: the record is with the scheduler here. Name the node that keeps it in `store`"),
    ("until =", "rules.store = \"20ms\"\nuntil =",
        "line 7, column 7, rules.store: the record is with the scheduler here. Name the node that keeps it in `store`"),
    ("until =", "rules = { beats-to = \"store\", clock = \"monotonic\" }\nstore = \"database\"\nuntil =",
        "line 7, column 1, rules: a store cannot renew by `clock monotonic`, a reading of the scheduler's own clock. Write `clock wall`, `clock worker-stamp` or `clock observer`, or `beats-to scheduler`"),
    // what is missing
    ("group = \"Zombies\"\n", "",
        "line 1, column 1, group: missing. Write one of: Zombies, Fences, Effects, Clocks, Restart, Leftovers, Policies, Cost"),
    ("kind = \"append\"\n", "",
        "line 17, column 1, sink[1].kind: missing. Write a kind such as `append`"),
    ("program = [\"read\", \"compute 30s\", \"write revenue\", \"acknowledge\"]\n", "",
        "line 21, column 1, task[1].program: missing. Write steps such as `compute 30s`"),
    ("title = \"A pause that ends before the lease does is survived\"\n", "",
        "line 57, column 1, near_miss[1].title: missing. Write what differs, and what comes of it"),
    ("verdict = \"one-output\"\n", "",
        "line 28, column 1, claim[1].verdict: missing. Write one of: `one-output`, `no-stale-over-newer`, `rows-as-expected`, `effects-once`, `no-commit-lost`, `tokens-in-order`, `holder-not-refused`, `exclusive`, `one-ending`, `ends-in-bound`, `not-blocked-by-leftovers`, `damage-raises-an-alert`"),
    ("until =", "store = \"\"\nuntil =",
        "line 7, column 1, store: missing. Write a name such as `database`"),
    ("until =", "standby = [\"\"]\nuntil =",
        "line 7, column 12, standby[1]: missing. Write a name such as `scheduler 2`"),
    // what is there twice
    ("until = \"102s\"", "until = \"102s\"\nuntil = \"103s\"",
        "line 8, column 1: `until` is given twice. Write it once"),
    ("\"rows-as-expected\"", "\"one-output\"",
        "line 33, column 1, claim[2].verdict: `one-output` is claimed already. Claim it once"),
    ("\"L03\"", "\"L01\"",
        "line 6, column 18, points[2]: `L01` is named twice. Name it once"),
    ("[[task]]", "[[sink]]\nname = \"revenue\"\nkind = \"append\"\n\n[[task]]",
        "line 22, column 1, sink[2].name: `revenue` is the name of another sink"),
    ("[[claim]]", "[[task]]\nname = \"revenue\"\ninterval = \"28 Nov\"\nrows = [1]\nprogram = [\"read\"]\n\n[[claim]]",
        "line 30, column 1, task[2].interval: `revenue 28 Nov` is there already. Give each its own interval"),
    // limits
    ("\"worker 2\"", "\"worker 2\"\ncount = 200",
        "line 11, column 3, worker: 201 are too many; the limit is 200"),
    ("rows = [1204]", "rows = [1204]\ncount = 1001",
        "line 21, column 3, task: 1001 are too many; the limit is 1000"),
    ("\"worker 2\"", "\"worker 2\"\ncount = 70000",
        "line 16, column 9, worker[2].count: is the number `70000`. Write a whole number, 0 to 65535"),
    ("until =", "standby = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]\nuntil =",
        "line 7, column 1, standby: 6 are too many; the limit is 5"),
    // types
    ("rows = [1204]", "rows = [-1]",
        "line 24, column 9, task[1].rows[1]: is the number `-1`. Write a whole number, 0 to 4294967295"),
    ("rows = [1204]", "rows = 1204",
        "line 24, column 8, task[1].rows: is the number `1204`. Write a list in brackets"),
    ("rows = [1204]", "rows = [\"1204\"]",
        "line 24, column 9, task[1].rows[1]: is the text `1204`. Write a whole number, 0 to 4294967295"),
    ("[\"22s pause w1 55s\"]", "\"22s pause w1 55s\"",
        "line 8, column 10, faults: is the text `22s pause w1 55s`. Write a list in brackets"),
    ("[[sink]]", "[sink]",
        "line 17, column 1, sink: is a table. Write a list in brackets. In TOML: `[[sink]]`"),
    ("interval =", "exclusive = \"yes\"\ninterval =",
        "line 23, column 13, task[1].exclusive: is the text `yes`. Write `true` or `false`"),
    // no TOML
    ("until =", "until",
        "line 7, column 7: key with no value, expected `=`"),
    // and nothing is said of what is no more than its echo
    ("[\"22s pause w1 55s\"]", "[\"22s pause w1 55s\"",
        "line 9, column 1: a comma is missing before this, or the list's `]`"),
    ("[\"read\", \"compute 30s\", ", "(\"read\", \"compute 30s\", ",
        "line 26, column 11: missing opening quote, expected `\"`"),
    ("[[remedy.claim]]", "[remedy.claim]",
        "line 53, column 10: `claim` is given twice. Write it once"),
    ("\"102s\"", "\"102s",
        "line 7, column 14: invalid basic string, expected `\"`"),
];

/// As programs exchange it.
#[rustfmt::skip]
const JSON: [Wrong; 17] = [
    ("\"until\": \"102s\"", "\"untl\": \"102s\"",
        "line 19, column 3, untl: there is no key `untl` here. Did you mean `until`?"),
    ("\"kind\": \"append\"", "\"knd\": \"append\"",
        "line 33, column 7, sink[1].knd: there is no key `knd` here. Did you mean `kind`?"),
    ("\"until\": \"102s\"", "\"until\": \"102 sec\"",
        "line 19, column 3, until: `102 sec` is not a duration. Write one such as `30s`, `250ms` or `20min`"),
    ("\"until\": \"102s\"", "\"until\": 102",
        "line 19, column 12, until: is the number `102`. Write a text in quotes"),
    ("\"until\": \"102s\"", "\"until\": \"102s\", \"until\": \"103s\"",
        "line 19, column 20: `until` is given twice. Write it once"),
    ("\"format\": 1", "\"format\": 1.5",
        "line 2, column 13, format: is the number `1.5`. Write a whole number, 0 to 4294967295"),
    ("\"format\": 1,", "\"format\": 9,",
        "line 2, column 3, format: there is no format 9. Known: 1"),
    ("\"22s pause w1 55s\"", "\"22s pause w4 55s\"",
        "line 53, column 5, faults[1]: there is no node `w4`; workers are `w1` to `w2`"),
    ("\"fence sink1 claim\"", "\"fence sink1 clame\"",
        "line 78, column 9, remedy[1].set[1]: `clame` is not known here. Write one of `scheduler`, `claim`, `first-write`, `commit`, `nobody`. Did you mean `claim`?"),
    ("1204", "-1204",
        "line 41, column 9, task[1].rows[1]: is the number `-1204`. Write a whole number, 0 to 4294967295"),
    ("\"write revenue\"", "\"write revenu\"",
        "line 46, column 9, task[1].program[3]: there is no sink `revenu`. Did you mean `revenue`?"),
    ("\"violated\"", "\"violatd\"",
        "line 58, column 7, claim[1].is: there is no outcome `violatd`. Write one of: `holds`, `violated`, `not-exercised`. Did you mean `violated`?"),
    ("\"until\": \"102s\",", "\"until\": \"102s\"",
        "line 20, column 3: is not JSON: expected `,` or `}`"),
    ("\"until\": \"102s\"", "\"until\": null",
        "line 1, column 1, until: missing. Write a duration such as `102s`"),
    ("\"worker 2\"", "\"worker 2\", \"slot\": 2",
        "line 27, column 27, worker[2].slot: there is no key `slot` here. Did you mean `slots`?"),
    ("\"program\": [", "\"program\": \"read\", \"steps\": [",
        "line 43, column 18, task[1].program: is the text `read`. Write a list in brackets\nline 43, column 26, task[1].steps: there is no key `steps` here. Write one of `name`, `interval`, `count`, `due`, `every`, `after`, `rows`, `program`, `bound`, `expiry`, `progress_timeout`, `run_timeout`, `exclusive`, `read_only`"),
    ("\"format\": 1,", "\"format\": 1,,",
        "line 2, column 15: is not JSON: key must be a string"),
];

#[test]
fn a_wrong_file_is_told_where_and_what() {
    assert_eq!(said("flagship.toml", flagship(), &[]), "");
    for (from, to, expected) in TOML {
        assert_eq!(said("flagship.toml", flagship(), &[(from, to)]), expected, "{from} -> {to}");
    }
}

#[test]
fn wrong_json_is_told_the_same_way() {
    assert_eq!(said("flagship.json", as_json(), &[]), "");
    for (from, to, expected) in JSON {
        assert_eq!(said("flagship.json", as_json(), &[(from, to)]), expected, "{from} -> {to}");
    }
    for (text, expected) in [
        ("[1]", "line 1, column 1: is not an object. Write one in braces: `{ \"format\": 1, … }`"),
        ("{", "line 1, column 1: is not JSON: EOF while parsing an object"),
    ] {
        assert_eq!(said("flagship.json", text.to_owned(), &[]), expected, "{text}");
    }
    // On one line, as programs write it, the column alone says where.
    let line =
        serde_json::to_string(&serde_json::from_str::<serde_json::Value>(&as_json()).unwrap()).unwrap();
    let said = said("flagship.json", line, &[("22s pause", "22s puase")]);
    assert!(said.starts_with("line 1, column ") && said.ends_with("Did you mean `pause`?"), "{said}");
}

#[test]
fn longer_lists_than_the_limits_are_refused() {
    let faults = ["\"22s pause w1 55s\""; 501].join(", ");
    let steps = ["\"compute 1s\""; 101].join(", ");
    let sinks =
        (0..50).map(|n| format!("[[sink]]\nname = \"s{n}\"\nkind = \"append\"\n")).collect::<String>();
    let rows = ["1"; 256].join(", ");
    for (from, to, expected) in [
        ("\"22s pause w1 55s\"", faults, "line 8, column 1, faults: 501 are too many; the limit is 500"),
        ("\"compute 30s\"", steps, "line 26, column 1, task[1].program: 104 are too many; the limit is 100"),
        ("[[task]]", format!("{sinks}[[task]]"), "line 17, column 3, sink: 51 are too many; the limit is 50"),
        ("1204", rows, "line 24, column 1, task[1].rows: 256 are too many; the limit is 255"),
    ] {
        assert_eq!(said("flagship.toml", flagship(), &[(from, &to)]), expected);
    }
}

/// An object that must not be there yet is put once; staged until the commit its parts are one put.
#[test]
fn one_object_is_not_put_in_parts() {
    let parts = ("\"write revenue\"", "\"write revenue 1/2\", \"write revenue 2/2\"");
    let put = |kind| said("flagship.toml", flagship(), &[("\"append\"", kind), parts]);
    let expected = "line 26, column 35, task[1].program[3]: `revenue` is `objects if-absent`: the second part would find the first. Write it whole";
    assert_eq!(put("\"objects if-absent\""), expected);
    assert_eq!(put("\"objects if-absent\"\nfence = \"commit\""), "");
    assert_eq!(put("\"objects put\""), "");
}

/// What is legal and seldom meant is said beside, and is no mistake.
#[test]
fn what_is_seldom_meant_is_a_warning() {
    let warned = |rules: &str| {
        let text = flagship().replacen("until =", &format!("{rules}until ="), 1);
        assert_eq!(authoring::scenario("own.toml", &text, &known()).err(), None, "{rules}");
        lines(&authoring::warnings("own.toml", &text)).replace("own.toml, ", "").trim_end().to_owned()
    };
    assert_eq!(warned("rules.expiry = \"grace 31s\"\n"), "");
    assert_eq!(
        warned("rules.expiry = \"grace 30s\"\n"),
        "line 7, column 7, rules.expiry: a grace of 30s is no longer than a lease of 30s: a worker that is only slow may go on after it"
    );
    assert_eq!(warned("rules.guard = \"19s\"\n"), "");
    assert_eq!(
        warned("rules.guard = \"20s\"\n"),
        "line 7, column 7, rules.guard: a guard of 20s misses jumps that end a lease: lease less heartbeat is 20s"
    );
}

#[test]
fn every_mistake_of_a_scenario_is_told_at_once() {
    let changes = [("kind =", "knd ="), ("102s", "102"), ("pause w1", "pause w7"), ("\"L01\"", "\"L99\"")];
    let said = said("flagship.toml", flagship(), &changes);
    for expected in ["`knd`", "`102`", "`w7`", "`L99`"] {
        assert!(said.contains(expected), "{expected} is not in\n{said}");
    }
}

/// A file that is wrong all over is not listed line by line for ever.
#[test]
fn so_many_mistakes_are_named_and_no_more() {
    let faults = ["\"22s pause w9\""; 400].join(", ");
    let text = flagship().replacen("\"22s pause w1 55s\"", &faults, 1);
    let mistakes = authoring::scenario("own.toml", &text, &Known::default()).unwrap_err();
    assert_eq!(mistakes.len(), MOST_MISTAKES + 1);
    assert_eq!(mistakes.last().unwrap().to_string(), "own.toml: more than 100 mistakes; these are the first");
}

#[test]
fn a_task_keeps_its_own_policy_beside_the_rules() {
    let text = fs::read_to_string(Path::new(ASSETS).join("scenarios/expiry-hold.toml")).unwrap();
    let text = text.replacen("rows = [1204]", "rows = [1204]\nexpiry = \"redispatch\"", 1);
    let case = authoring::scenario("own.toml", &text, &known()).unwrap().read("own.toml").unwrap();
    assert_eq!(case.scenario.tasks[0].expiry, Some(fenceline_engine::ExpiryPolicy::Redispatch));
    assert!(matches!(case.scenario.rules.expiry, fenceline_engine::ExpiryPolicy::Hold { .. }));
}
