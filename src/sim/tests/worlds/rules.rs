//! Rules at random: each value of every setting.

use fenceline_engine::*;
use proptest::prelude::*;
use proptest::sample::select;

/// A length between two numbers of seconds: often a whole number, so that things fall together.
pub(super) fn span(from: i64, to: i64) -> BoxedStrategy<Span> {
    let fine = (from * 1_000_000..=to * 1_000_000).prop_map(Span);
    prop_oneof![2 => (from..=to).prop_map(Span::secs), 1 => fine].boxed()
}

pub(super) fn maybe<T: Clone + std::fmt::Debug + 'static>(
    some: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<T>> {
    prop_oneof![Just(None), some.prop_map(Some)].boxed()
}

pub(super) fn call() -> impl Strategy<Value = CallRules> {
    (maybe(span(1, 6)), 0..3_u8).prop_map(|(timeout, retries)| CallRules { timeout, retries })
}

pub(super) fn source() -> impl Strategy<Value = HeartbeatSource> {
    use HeartbeatSource::*;
    select(vec![OwnThread, OwnThread, TaskLoop, Nobody, Checkpoint])
}

pub(super) fn expiry() -> impl Strategy<Value = ExpiryPolicy> {
    prop_oneof![
        Just(ExpiryPolicy::Redispatch),
        span(0, 20).prop_map(ExpiryPolicy::Grace),
        span(0, 20).prop_map(|alert_after| ExpiryPolicy::Hold { alert_after }),
        maybe(span(0, 20)).prop_map(|after| ExpiryPolicy::Cancel { after }),
        Just(ExpiryPolicy::Fail),
    ]
}

pub(super) fn delay() -> impl Strategy<Value = RetryDelay> {
    prop_oneof![
        Just(RetryDelay::None),
        span(0, 9).prop_map(RetryDelay::Fixed),
        (span(0, 5), span(0, 20)).prop_map(|(base, cap)| RetryDelay::Exponential { base, cap }),
        (span(0, 5), span(0, 20)).prop_map(|(base, cap)| RetryDelay::FullJitter { base, cap }),
    ]
}

pub(super) fn late() -> impl Strategy<Value = LateCompletion> {
    select(vec![
        LateCompletion::Accept,
        LateCompletion::AcceptAndCancel,
        LateCompletion::Refuse,
        LateCompletion::IfNoNewer,
    ])
}

pub(super) fn on_loss() -> impl Strategy<Value = OnLoss> {
    use OnLoss::*;
    select(vec![Ignore, SelfFence, SelfFenceAfter(1), SelfFenceAfter(2), CheckBeforeWrite])
}

pub(super) fn expiry_clock() -> impl Strategy<Value = ExpiryClock> {
    use ExpiryClock::*;
    select(vec![Wall, Monotonic, Observer, WorkerStamp])
}

pub(super) fn restart() -> impl Strategy<Value = RestartPolicy> {
    use RestartPolicy::*;
    select(vec![Sweep, Reset, Adopt, AdoptIfRecorded, Wait])
}

pub(super) fn dispatch() -> impl Strategy<Value = DispatchOrder> {
    select(vec![DispatchOrder::RecordFirst, DispatchOrder::RecordFirst, DispatchOrder::SendFirst])
}

pub(super) fn limit() -> BoxedStrategy<Option<Limit>> {
    let signal = select(vec![Signal::None, Signal::Kill]);
    prop_oneof![2 => Just(None), 1 => (span(1, 40), signal).prop_map(|(after, signal)| Some(Limit { after, signal }))]
        .boxed()
}

pub(super) fn limits() -> impl Strategy<Value = Limits> {
    (limit(), limit()).prop_map(|(progress, run)| Limits { progress, run })
}

pub(super) fn kill() -> impl Strategy<Value = KillRules> {
    let report = select(vec![KillReport::Confirmed, KillReport::Requested]);
    (prop_oneof![Just(Span::ZERO), span(0, 20)], report)
        .prop_map(|(delay, report)| KillRules { delay, report })
}

pub(super) fn misfire() -> impl Strategy<Value = Misfire> {
    prop_oneof![
        Just(Misfire::RunAll),
        span(0, 10).prop_map(|late| Misfire::RunLatest { late }),
        span(0, 10).prop_map(|late| Misfire::Skip { late }),
    ]
}

pub(super) fn overlap() -> impl Strategy<Value = Overlap> {
    select(vec![Overlap::Allow, Overlap::Wait, Overlap::Skip])
}

pub(super) fn respawn() -> impl Strategy<Value = Respawn> {
    select(vec![Respawn::Never, Respawn::Again])
}

pub(super) fn start_guard() -> impl Strategy<Value = StartGuard> {
    select(vec![StartGuard::Off, StartGuard::Silent, StartGuard::Reports])
}

pub(super) fn child() -> impl Strategy<Value = Child> {
    select(vec![Child::Ends, Child::Ends, Child::Outlives])
}

pub(super) fn belief_clock() -> impl Strategy<Value = BeliefClock> {
    select(vec![BeliefClock::Monotonic, BeliefClock::Monotonic, BeliefClock::Wall])
}

pub(super) fn expiry_counts() -> impl Strategy<Value = bool> {
    prop_oneof![3 => Just(true), 1 => Just(false)]
}

pub(super) fn returning() -> impl Strategy<Value = Returning> {
    select(vec![Returning::Refuse, Returning::Refuse, Returning::Ignore, Returning::Keep])
}

pub(super) fn owner() -> impl Strategy<Value = OwnerBy> {
    select(vec![OwnerBy::Token, OwnerBy::Token, OwnerBy::Token, OwnerBy::Name])
}

pub(super) fn same_owner() -> impl Strategy<Value = SameOwner> {
    select(vec![SameOwner::Both, SameOwner::Both, SameOwner::Replace, SameOwner::Ignore])
}

pub(super) fn wake() -> impl Strategy<Value = WakeOrder> {
    select(vec![WakeOrder::Timers, WakeOrder::Messages, WakeOrder::Program])
}

pub(super) fn scope() -> impl Strategy<Value = LeaseScope> {
    select(vec![LeaseScope::Attempt, LeaseScope::Attempt, LeaseScope::Worker])
}

fn lease() -> impl Strategy<Value = LeaseRules> {
    let start = select(vec![LeaseStart::Grant, LeaseStart::Delivery, LeaseStart::FirstHeartbeat]);
    let late_renewal = select(vec![LateRenewal::Refuse, LateRenewal::Revive]);
    (prop_oneof![span(3, 12), span(3, 40)], scope(), start, limit(), expiry_clock(), late_renewal).prop_map(
        |(duration, scope, start, start_timeout, clock, late_renewal)| LeaseRules {
            duration,
            scope,
            start,
            start_timeout,
            clock,
            late_renewal,
        },
    )
}

pub(super) fn beats_to() -> impl Strategy<Value = BeatsTo> {
    select(vec![BeatsTo::Scheduler, BeatsTo::Store])
}

/// Some that take no time, some that take longer than what they do is good for.
pub(super) fn store() -> impl Strategy<Value = StoreRules> {
    let takes = prop_oneof![1 => Just(Span::ZERO), 2 => (0..400_i64).prop_map(Span::millis), 1 => span(0, 5)];
    (takes, span(1, 5)).prop_map(|(takes, retry)| StoreRules { takes, retry })
}

fn heartbeat() -> impl Strategy<Value = HeartbeatRules> {
    let period = select(vec![Period::FixedRate, Period::FixedDelay]);
    let jitter = prop_oneof![Just(Span::ZERO), span(0, 3)];
    let capacity = prop_oneof![2 => Just(None), 1 => (1..60_u32).prop_map(Some)];
    (span(1, 12), beats_to(), source(), period, call(), jitter, capacity).prop_map(
        |(every, to, source, period, call, jitter, capacity)| HeartbeatRules {
            every,
            to,
            source,
            period,
            call,
            jitter,
            capacity,
        },
    )
}

pub(super) fn rules() -> impl Strategy<Value = Rules> {
    let sweep = (span(1, 5), maybe(1..3_u32), maybe(span(1, 10)))
        .prop_map(|(every, most, jump_guard)| SweepRules { every, most, jump_guard });
    let retry = (1..5_u8, expiry_counts(), delay()).prop_map(|(attempts, expiry_counts, delay)| RetryRules {
        attempts,
        expiry_counts,
        delay,
    });
    let counter =
        prop_oneof![3 => Just(Counter::Durable), 1 => Just(Counter::Volatile), 1 => Just(Counter::Floored)];
    let belief = (select(vec![BeliefAnchor::Send, BeliefAnchor::Reply]), belief_clock(), span(0, 3))
        .prop_map(|(anchor, clock, gap)| BeliefRules { anchor, clock, gap });
    let scheduling = (lease(), heartbeat(), sweep, expiry(), retry, counter, maybe(1..3_u16));
    let working =
        (late(), call(), on_loss(), belief, call(), restart(), dispatch(), kill(), child(), limits());
    let launch = prop_oneof![2 => Just(None), 1 => span(0, 9).prop_map(Some)];
    let processes = (prop_oneof![3 => Just(0_u16), 1 => 1..3_u16], respawn(), start_guard(), launch);
    let triggers = (misfire(), overlap(), wake());
    let owners = (returning(), owner(), same_owner(), store());
    (scheduling, working, processes, triggers, owners).prop_map(
        |(
            (lease, heartbeat, sweep, expiry, retry, counter, pool),
            (late_completion, acknowledgement, on_loss, belief, call, restart, dispatch, kill, child, limits),
            (prefetch, respawn, start_guard, launch),
            (misfire, overlap, wake),
            (returning, owner, same_owner, store),
        )| {
            Rules {
                lease,
                heartbeat,
                sweep,
                leadership: LeadershipRules::CHECKED,
                store,
                dispatch,
                restart,
                expiry,
                retry,
                counter,
                misfire,
                overlap,
                pool,
                prefetch,
                respawn,
                start_guard,
                kill,
                launch,
                child,
                limits,
                late_completion,
                returning,
                owner,
                same_owner,
                acknowledgement,
                on_loss,
                belief,
                wake,
                call,
            }
        },
    )
}

fn key_rules() -> impl Strategy<Value = KeyRules> {
    let body = select(vec![KeyBody::Ignored, KeyBody::Ignored, KeyBody::Compared]);
    let stored = select(vec![StoredAnswers::Successes, StoredAnswers::Every]);
    let reach = select(vec![KeyReach::EveryRun, KeyReach::OneGeneration]);
    (maybe(span(1, 30)), body, stored, reach).prop_map(|(retention, body, stored, reach)| KeyRules {
        retention,
        body,
        stored,
        reach,
    })
}

pub(super) fn kind() -> impl Strategy<Value = SinkKind> {
    let name = select(vec![StagingName::Fixed, StagingName::Unique]);
    let found = select(vec![Found::InTheWay, Found::Dropped, Found::Taken]);
    prop_oneof![
        2 => Just(SinkKind::Append),
        3 => Just(SinkKind::Overwrite),
        2 => Just(SinkKind::Merge),
        1 => (name, found).prop_map(|(name, found)| SinkKind::Staged { name, found }),
        1 => maybe(span(1, 30)).prop_map(|lease| SinkKind::Locked { lease }),
        2 => key_rules().prop_map(|rules| SinkKind::Api(IdempotencyKey::FromTask(rules))),
        2 => select(vec![
            SinkKind::Objects(Put::Plain),
            SinkKind::Objects(Put::IfAbsent),
            SinkKind::Objects(Put::CompareAndSet(OnConflict::Stop)),
            SinkKind::Objects(Put::CompareAndSet(OnConflict::Retry)),
            SinkKind::Log(LogGuard::Blind),
            SinkKind::Log(LogGuard::Interval),
            SinkKind::Log(LogGuard::Token),
            SinkKind::Log(LogGuard::TaskInterval),
            SinkKind::Log(LogGuard::TaskToken),
        ]),
        1 => select(vec![
            SinkKind::Api(IdempotencyKey::None),
            SinkKind::Api(IdempotencyKey::FromAttempt),
            SinkKind::Mailbox,
            SinkKind::Resource,
        ]),
    ]
}

pub(super) fn fence() -> impl Strategy<Value = FenceRules> {
    use Compare::*;
    let raise = select(vec![
        FenceRaise::Scheduler(Confirmation::Awaited),
        FenceRaise::Scheduler(Confirmation::NotAwaited),
        FenceRaise::Claim,
        FenceRaise::FirstWrite,
        FenceRaise::Commit,
        FenceRaise::Nobody,
    ]);
    let compare = select(vec![Older, Older, Exact, Bound, OrEqual, Text, Boolean]);
    let retention = prop_oneof![3 => Just(None), 1 => span(1, 60).prop_map(Some)];
    let memory = prop_oneof![3 => Just(FenceMemory::Durable), 1 => Just(FenceMemory::Volatile)];
    let check = prop_oneof![3 => Just(FenceCheck::Atomic), 1 => span(0, 5).prop_map(FenceCheck::Gap), 1 => Just(FenceCheck::ByClient)];
    let scope = select(vec![FenceScope::Partition, FenceScope::Table, FenceScope::Shard]);
    (raise, compare, memory, retention, check, scope, any::<bool>()).prop_map(
        |(raise, compare, memory, retention, check, scope, not_after)| FenceRules {
            raise,
            compare,
            memory,
            retention,
            check,
            scope,
            not_after,
        },
    )
}
