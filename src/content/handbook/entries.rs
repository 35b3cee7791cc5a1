//! What each phrase means.

use crate::scenario::{CLAIMS, phrases};
use crate::words;

/// One phrase and what it means.
pub(super) struct Entry {
    pub(super) name: &'static str,
    /// Of a rule its default; of what else has no pattern its alternatives.
    pub(super) values: &'static str,
    pub(super) means: &'static str,
}

const fn entry(name: &'static str, values: &'static str, means: &'static str) -> Entry {
    Entry { name, values, means }
}

pub(super) const RULES: [Entry; words::RULES.len()] = [
    entry("lease", "30s", "how long a lease lasts"),
    entry(
        "lease-scope",
        "attempt",
        "`attempt`: one lease for each attempt; `worker`: one session for all that a worker holds",
    ),
    entry(
        "lease-start",
        "grant",
        "from when it runs: `grant`, as that is recorded; `delivery`, as that is acknowledged; `first-heartbeat`",
    ),
    entry(
        "start-timeout",
        "off",
        "how long after its grant an attempt may go without a lease; `kill`: its worker is told",
    ),
    entry("progress-timeout", "off", "how long an attempt may be at one step, by what its heartbeats say"),
    entry("run-timeout", "off", "how long an attempt may take in all"),
    entry(
        "late-renewal",
        "refuse",
        "a renewal handled after T and before a sweep: `refuse` it, or let it `revive` the lease",
    ),
    entry("heartbeat", "10s", "how often a worker renews"),
    entry(
        "source",
        "own-thread",
        "what beats: `own-thread`; `task-loop`, the task's own loop, which a busy task starves; `checkpoint`, the steps `beat` of the task's code; `nobody`",
    ),
    entry(
        "beats-to",
        "scheduler",
        "who renews a lease: the `scheduler`, or the `store` of its record, which needs a `store`",
    ),
    entry(
        "period",
        "fixed-rate",
        "`fixed-rate`: from due beat to due beat; `fixed-delay`: from the end of one call to the next beat",
    ),
    entry(
        "heartbeat-call",
        "5s",
        "how long a heartbeat waits for its reply, and how often it is sent again; `patient`: for ever",
    ),
    entry("jitter", "0s", "up to how much later than due a beat is sent, drawn for each"),
    entry("heartbeat-capacity", "off", "heartbeats that a scheduler handles in a minute; the rest queue up"),
    entry(
        "sweep",
        "1s",
        "how often the scheduler looks for leases that are over, and how many one sweep ends at most",
    ),
    entry(
        "guard",
        "off",
        "by how much the two clocks may disagree between two sweeps before every lease is given anew",
    ),
    entry("leader", "15s", "how long a leadership lasts, where `standby` names further schedulers"),
    entry("epoch", "on", "`on`: the store refuses what an older leader decides; `off`: it takes all"),
    entry(
        "store",
        "5ms",
        "how long the `store` takes for one call, and after how long without an answer a scheduler asks again, 1 s if left out",
    ),
    entry(
        "dispatch",
        "record-first",
        "`record-first`: a grant is recorded, then sent; `send-first`: the reverse",
    ),
    entry(
        "restart",
        "sweep",
        "what a scheduler that is back does with open attempts: `sweep` judges each lease, `reset` gives all up, `adopt` keeps all, `adopt-if-recorded` those whose delivery is recorded, `wait` expires nothing for one lease",
    ),
    entry(
        "clock",
        "wall",
        "what a lease is judged by: the scheduler's `wall` clock; a `monotonic` one; an `observer`, which counts how long it saw no change; the `worker-stamp`, the worker's own clock",
    ),
    entry(
        "expiry",
        "redispatch",
        "what follows an expired lease: `redispatch`, a new attempt; `grace`, one after the old was asked to stop for so long; `hold`, a person, and an alert after so long; `cancel`, an order to kill, and a new attempt once that is confirmed or after so long; `fail`",
    ),
    entry("attempts", "3", "attempts a task may use, 1 to 99"),
    entry(
        "expiry-counts",
        "on",
        "whether an attempt whose lease ran out uses one up: `on`; `off`, failed ones alone do",
    ),
    entry(
        "delay",
        "none",
        "the wait before a retry: `none`; `fixed`; `exponential`, doubled from the first length up to the second; `full-jitter`, drawn below that",
    ),
    entry(
        "counter",
        "durable",
        "`durable`: the token counter survives a crash of the scheduler; `floored`: and is never below a token in the record; `volatile`: it begins anew",
    ),
    entry(
        "misfire",
        "all",
        "intervals missed for longer than this: run `all`, the `latest`, or none (`skip`)",
    ),
    entry(
        "overlap",
        "allow",
        "an interval that falls due while the one before it runs: `allow` it, let it `wait`, `skip` it",
    ),
    entry("pool", "off", "attempts that may run at once, over all workers"),
    entry("prefetch", "off", "attempts a worker holds beyond its slots"),
    entry(
        "respawn",
        "never",
        "what a host does with what ran in a process that died: starts it `again`, or `never`",
    ),
    entry(
        "start-guard",
        "off",
        "an execution that finds its attempt started before goes on (`off`), or stands down and `reports` that, or is `silent`",
    ),
    entry(
        "same-owner",
        "both",
        "a worker that gets an attempt of a task it runs an older one of runs `both`, kills the older (`replace`), or drops the newer (`ignore`)",
    ),
    entry(
        "kill",
        "0s confirmed",
        "how long an order to kill takes; `confirmed`: the end of the process is reported; `requested`: the order alone",
    ),
    entry(
        "launch",
        "off",
        "how long an executor takes to start a process; `off`: the workers are dispatched to",
    ),
    entry("child", "ends", "when the wrapper that beats for it goes, the program `ends`, or `outlives` it"),
    entry(
        "late",
        "if-no-newer",
        "a completion of an attempt that holds no lease: `accept`, `accept-cancels`, which kills a newer attempt that runs, `refuse`, or accept `if-no-newer` token was granted",
    ),
    entry(
        "returning",
        "refuse",
        "a heartbeat of an attempt that was given up: `refuse` it, `ignore` it, or `keep` the attempt and cancel the newer",
    ),
    entry(
        "owner",
        "token",
        "whose heartbeat counts: that which shows the attempt's `token`; or, broken, that of any process of the owner's `name`",
    ),
    entry(
        "loss",
        "ignore",
        "a worker that is told, or reckons, that its lease is lost: `ignore`; `self-fence`, it stops when told or at its own deadline; `self-fence-after`, when told or after so many failed renewals; `check-before-write`, it looks before each write",
    ),
    entry(
        "anchor",
        "send",
        "from when a worker counts a renewed lease: the `send`, which is safe, or the `reply`",
    ),
    entry("gap", "0s", "what a worker takes off the lease in its own reckoning"),
    entry("belief", "monotonic", "the clock of that reckoning: its `monotonic` one, or its `wall` clock"),
    entry(
        "wake",
        "timers",
        "what comes first when a process goes on: due `timers`, then `messages`, then its program; `messages`; or the `program`, the worst case",
    ),
    entry(
        "call",
        "patient",
        "how long a call to a sink waits for its answer, and how often it is sent again",
    ),
    entry(
        "acknowledgement",
        "patient",
        "how long a completion waits for its answer, and how often it is sent again",
    ),
];

pub(super) const KINDS: [Entry; 10] = [
    entry("append", "`append`", "rows are added"),
    entry("overwrite", "`overwrite`", "the interval's partition is replaced"),
    entry("merge", "`merge`", "rows with the same key are replaced"),
    entry(
        "staged",
        "`staged fixed` \\| `staged unique`, then `preclean` \\| `takes-over`",
        "output goes to a staging table, under one name for all attempts or one for each, and is swapped in; what another left there is in the way, or is dropped, or is taken over",
    ),
    entry(
        "locked",
        "`locked` \\| `locked LENGTH`",
        "a lock stands before the table, for good or with a lease",
    ),
    entry(
        "objects",
        "`objects put` \\| `objects if-absent` \\| `objects compare-and-set`, then `retries`",
        "objects: put in any case, only where there is none, or only over what was read before; who loses stops, or reads again and retries",
    ),
    entry(
        "log",
        "`log` \\| `log per-interval` \\| `log per-token` \\| `log task-interval` \\| `log task-token`",
        "a log of commits: blind appends; one commit for each interval, or for each token of it; or of a task none with an interval, or a token, that is not above its last",
    ),
    entry(
        "api",
        "`api no-key` \\| `api attempt-key` \\| `api task-key`, then `compared`, `all-answers`, `per-generation`, then `LENGTH`",
        "effects at a vendor: without a key of idempotency, with one of the attempt's, or of the task's: another for each deliberate run, with bodies that are compared, storing errors too, kept for so long alone",
    ),
    entry("mailbox", "`mailbox`", "mails, which nobody can take back"),
    entry("resource", "`resource`", "something shared that slows with its load"),
];

pub(super) const FENCES: [Entry; 12] = [
    entry("none", "`none`", "no fence"),
    entry(
        "scheduler",
        "`scheduler` \\| `scheduler unconfirmed`",
        "the scheduler raises it and dispatches once that is confirmed, or without waiting",
    ),
    entry("claim", "`claim`", "the holder's first act raises it"),
    entry("first-write", "`first-write`", "its first accepted write raises it"),
    entry("commit", "`commit`", "its commit compares and raises; parts wait for that"),
    entry("nobody", "`nobody`", "nothing raises it; with `not-after`"),
    entry(
        "compare",
        "`exact` \\| `bound`",
        "only the highest token is let in; of equal tokens, only the execution that showed it first. Without either, all that are not older",
    ),
    entry(
        "broken",
        "`or-equal` \\| `text` \\| `boolean` \\| `client-side`",
        "broken: refuses equal tokens too; compares as text; knows only whether there is one; the worker compares",
    ),
    entry("gap", "`gap LENGTH`", "compares, and writes this much later"),
    entry(
        "memory",
        "`volatile` \\| `forgets LENGTH`",
        "forgets its token when the store restarts; so long after its last raise. Without either, it keeps it",
    ),
    entry(
        "scope",
        "`table` \\| `per-shard`",
        "one for the whole table; one for each part. Without either, one for each interval's partition",
    ),
    entry(
        "not-after",
        "`not-after`",
        "refuses what comes after the end that its holder believed its lease to have, by the sink's clock",
    ),
];

pub(super) const ACTS: [Entry; 16] = [
    entry("pause", "", "the process runs no code; its host's clocks run on"),
    entry("freeze", "", "the host sleeps; `sleepless`: its monotonic clock does not count the sleep"),
    entry("crash", "", "the process dies, and is back after so long"),
    entry("reboot", "", "the host restarts: its monotonic clock begins anew"),
    entry("slow", "", "the process runs at so many percent, 1 to 100"),
    entry(
        "block",
        "",
        "something holds a worker's event loop: beats from it starve, and no program comes to its next step",
    ),
    entry(
        "cut",
        "",
        "a link to the scheduler (`control`) or the sinks (`data`) loses all messages, or with `held` keeps them until it ends",
    ),
    entry("degrade", "", "a link has this latency and loses so many of a million messages"),
    entry("step", "", "the wall clock jumps"),
    entry("rate", "", "the clocks run off true by so many parts per million, -900000 to 1000000"),
    entry("input", "", "the task's input is another version from then on, 1 to 255"),
    entry("operator", "", "a person decides on the open attempt"),
    entry("redeliver", "", "the task's last dispatch is delivered once more, to this worker"),
    entry("restore", "", "a sink, or the counter of tokens, is put back to what it was so long before"),
    entry("unlock", "", "an operator takes the sink's lock from whoever holds it"),
    entry(
        "fail",
        "",
        "calls are answered with an error, after so long, with nothing done or, `done`, with all of it",
    ),
];

pub(super) const STEPS: [Entry; phrases::STEPS.len()] = [
    entry(
        "read",
        "`read` \\| `read SINK`",
        "the task's own input, or what stands in a sink: the rows of the task it comes `after`, else of all tasks above that write there",
    ),
    entry("compute", "`compute LENGTH`", "works for this long, while its process runs"),
    entry("block", "`block LENGTH`", "the same in the worker's own loop: a beat sent from there starves"),
    entry("beat", "`beat`", "sends a heartbeat, where `source checkpoint` has none sent otherwise"),
    entry("check-lease", "`check-lease`", "stops if the worker reckons its lease lost"),
    entry("look", "`look SINK`", "looks at the table's version, which the next write rests on"),
    entry("write", "`write SINK` \\| `write SINK N/N`", "writes the output, or one part of it"),
    entry("stage", "`stage SINK`", "writes the output to a staging table"),
    entry("swap", "`swap SINK`", "makes the staged output visible"),
    entry(
        "clean",
        "`clean SINK staged` \\| `older` \\| `others`",
        "deletes what older attempts staged, all output of older attempts, or all output but its own",
    ),
    entry("lock", "`lock SINK`", "takes the sink's lock"),
    entry("unlock", "`unlock SINK`", "gives it back"),
    entry("effect", "`effect SINK`", "causes an effect that cannot be taken back: a payment, a mail"),
    entry("work", "`work SINK`", "uses a shared resource, which slows with its load"),
    entry("ask", "`ask`", "asks the scheduler whether this attempt may commit; one that may not stops"),
    entry("note", "`note SINK`", "notes in an own ledger that the effect is done"),
    entry("check", "`check SINK`", "looks there: an effect that is noted is left out"),
    entry("acknowledge", "`acknowledge`", "reports success"),
];

pub(super) const ALERTS: [Entry; words::ALERTS.len()] = [
    entry("lease-expired", "`lease-expired LENGTH`", "a lease has been over for this long"),
    entry("retried", "`retried`", "an attempt was retried"),
    entry("fenced-write", "`fenced-write`", "a write was refused for its token"),
    entry(
        "scheduler-silent",
        "`scheduler-silent LENGTH`",
        "nothing of the scheduler's reached anybody for this long",
    ),
    entry("two-open", "`two-open`", "an older attempt beat or wrote while a newer one was open"),
    entry("reconcile", "`reconcile LENGTH`", "rows are counted this often, and do not match"),
];

pub(super) const VERDICTS: [&str; CLAIMS.len()] = [
    "what a reader sees of one interval is the output of one execution",
    "no older write replaces what a newer one made visible",
    "the rows are the winner's output: none twice, lost, foreign or outdated",
    "each effect of a task happens once",
    "what was answered as accepted stays, unless a newer write replaces it",
    "tokens rise from grant to grant, and at each table",
    "a fence refuses no write of the present holder",
    "no two executions of a task marked `exclusive` at once",
    "no attempt and no task ends twice",
    "a task with a `bound` is over that long after it is due",
    "nothing that an ended execution left makes another fail",
    "all damage has an alert that belongs to it",
];
