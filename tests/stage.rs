//! The stage: what is drawn of a run, and that its labels keep apart, for every scenario at every width.

mod support;

use std::sync::Arc;

use fenceline::app::lab::Lab;
use fenceline::app::lab::scene::{self, Room};
use fenceline::app::stage::down::{Down, down, sketch, to_scale};
use fenceline::app::stage::measure::approximate;
use fenceline::app::stage::rows::{Tone, rows};
use fenceline::app::stage::{LaneOf, Picture, Strips, View, Walk};
use fenceline::app::words::event::{Names, plain};
use support::{cases, none};

/// Plots of a stage 720, 880, 1060, 1280 and 1880 px wide.
const WIDTHS: [f32; 5] = [518.0, 678.0, 858.0, 718.0, 1500.0];

fn drawn(lab: &Lab, width: f32, scale: f32) -> Picture {
    let room = Room { width, scale, strips: Strips::All, starts: lab.case().starts, window: scene::WHOLE };
    scene::picture(lab.derived(), room, &approximate)
}

fn case(id: &str) -> Lab {
    let case = cases().into_iter().find(|case| case.id == id).expect("there is such a scenario");
    Lab::open(case, 1, None)
}

fn texts(picture: &Picture) -> Vec<&str> {
    picture.labels.iter().map(|label| label.text.as_str()).collect()
}

#[test]
fn no_two_labels_meet_and_none_leaves_the_stage() {
    let mut findings = Vec::new();
    for case in cases() {
        let mut labs = vec![Lab::open(Arc::clone(&case), 1, None)];
        for remedy in 0..case.remedies.len() {
            let mut cured = labs[0].clone();
            cured.remedy(remedy);
            labs.push(cured);
        }
        for (variant, lab) in labs.iter().enumerate() {
            for width in WIDTHS {
                let picture = drawn(lab, width, if width > 1000.0 { 1.4 } else { 1.0 });
                let whole = fenceline::app::stage::Area::new(0.0, 0.0, picture.width, picture.height);
                let id = format!("{} {variant} at {width}", case.id);
                let end = picture.axis.x(lab.until());
                for (place, label) in picture.labels.iter().enumerate() {
                    if !label.area.within(&whole) {
                        findings.push(format!("{id}: `{}` leaves the stage", label.text));
                    }
                    // On the panel: what stands on its own mark may lie under the cursor with it.
                    if label.class.contains("t-halo") && label.area.left < end && end < label.area.right {
                        findings.push(format!("{id}: `{}` lies across the end of the run", label.text));
                    }
                    for other in picture.labels.iter().skip(place + 1) {
                        if label.area.meets(&other.area) {
                            findings.push(format!("{id}: `{}` meets `{}`", label.text, other.text));
                        }
                    }
                }
            }
        }
    }
    none("labels", &findings);
}

/// In the gutter each node has its name, its state and a row of faults: none reaches into the next lane.
#[test]
fn a_nodes_lane_is_as_high_as_its_words() {
    let mut low = Vec::new();
    for case in cases() {
        let lab = Lab::open(case, 1, None);
        let lanes = drawn(&lab, 858.0, 0.85).lanes;
        let nodes = lanes.into_iter().filter(|lane| matches!(lane.of, LaneOf::Node(_)));
        let is_low = |lane: &fenceline::app::stage::Lane| lane.height < 70.0;
        low.extend(nodes.filter(is_low).map(|lane| format!("{}: {}", lab.case().id, lane.name)));
    }
    none("lanes", &low);
}

/// Zoomed in, what lies outside the window is neither drawn over its edge nor stood on.
#[test]
fn a_part_of_a_run_is_drawn_as_the_whole_is() {
    let mut findings = Vec::new();
    for case in cases() {
        let lab = Lab::open(case, 1, None);
        let tenth = lab.until() / 10;
        for part in [0, 2, 4, 6, 8] {
            let window = (part * tenth, (part + 2) * tenth);
            let room =
                Room { width: 858.0, scale: 1.0, strips: Strips::All, starts: lab.case().starts, window };
            let picture = scene::picture(lab.derived(), room, &approximate);
            let whole = fenceline::app::stage::Area::new(0.0, 0.0, picture.width, picture.height);
            let id = format!("{} in {part}/10", lab.case().id);
            let outside = picture.labels.iter().filter(|label| !label.area.within(&whole));
            findings.extend(outside.map(|label| format!("{id}: `{}` leaves the stage", label.text)));
            for (place, label) in picture.labels.iter().enumerate() {
                let meets =
                    picture.labels.iter().skip(place + 1).filter(|other| label.area.meets(&other.area));
                findings.extend(meets.map(|other| format!("{id}: `{}` meets `{}`", label.text, other.text)));
            }
        }
    }
    none("labels", &findings);
}

#[test]
fn the_first_run_shows_its_zombie_and_what_it_wrote() {
    let lab = case("flagship");
    let picture = drawn(&lab, 718.0, 1.0);
    let texts = texts(&picture);
    for said in [
        "thinks attempt 1 runs",
        "sweep: lease over",
        "grants 8 at 51.0 s",
        "no word for 30.6 s",
        "✓ success, 0 alerts",
        "attempt 1, token 7",
        "❚❚ paused 55 s",
        "zombie 35.2 s, 26.6 paused",
        "told: lost; ignores it",
        "lease ended 50.4 s",
        "heartbeat of 7 refused",
        "attempt 2, token 8",
        "released",
        "stale write 85.4 s",
        "none: any token may write",
        "expected 1,204 rows",
        "1,204 rows, token 8",
        "1,204 stale rows",
    ] {
        assert!(texts.contains(&said), "`{said}` is not among {texts:#?}");
    }
    assert!(texts.iter().any(|text| text.starts_with("✕ two outputs")), "{texts:#?}");
    let lanes: Vec<(&str, i32)> =
        picture.lanes.iter().map(|lane| (lane.name.as_str(), lane.height.round() as i32)).collect();
    assert_eq!(
        lanes,
        [("Scheduler", 76), ("Worker 1", 107), ("Worker 2", 95), ("revenue", 86), ("One output", 28)]
    );
    let worker = picture.lanes.iter().find(|lane| lane.name == "Worker 1").expect("it has a lane");
    let state = |at: u64| worker.state_at(at * 1_000_000).map(|state| (state.text.as_str(), state.bad));
    assert_eq!(state(10), Some(("runs attempt 1", false)));
    assert_eq!(state(30), Some(("paused", false)));
    assert_eq!(state(60), Some(("paused, its lease over", true)));
    assert_eq!(state(80), Some(("runs without a lease", true)));
    assert_eq!(state(90), Some(("finished without a lease", true)));
}

#[test]
fn the_fence_shows_its_steps_and_the_write_it_stops() {
    let mut lab = case("flagship");
    lab.remedy(0);
    let picture = drawn(&lab, 718.0, 1.0);
    let texts = texts(&picture);
    assert!(texts.contains(&"fenced: 7 < 8"), "{texts:#?}");
    assert!(!texts.contains(&"1,204 stale rows") && !texts.contains(&"none: any token may write"));
    // Two tags in the story, two on the fence, one on the stale write.
    assert_eq!(texts.iter().filter(|text| ["7", "8"].contains(text)).count(), 5);
}

#[test]
fn what_is_drawn_is_found_again_by_pointing_and_by_keys() {
    let picture = drawn(&case("flagship"), 718.0, 1.0);
    for handle in &picture.handles {
        let (x, y) =
            ((handle.area.left + handle.area.right) / 2.0, (handle.area.top + handle.area.bottom) / 2.0);
        assert!(picture.hit(x, y).is_some(), "{handle:?}");
    }
    let scheduler =
        picture.lanes.iter().position(|lane| matches!(lane.of, LaneOf::Node(node) if node.0 == 0));
    let first = picture.walk(0, Walk::First);
    let cell = &picture.cells[first];
    assert_eq!((Some(cell.lane), cell.at), (scheduler, 0));
    assert!(cell.name.starts_with("Token 7 granted to worker 1, 0.0 s, event 1 of "), "{}", cell.name);
    let next = &picture.cells[picture.walk(first, Walk::After)];
    assert!(next.name.starts_with("Sweep: the lease of token 7 is over, 51.0 s"), "{}", next.name);
    let below = &picture.cells[picture.walk(first, Walk::Below)];
    assert_eq!(picture.lanes[below.lane].name, "Worker 1");
}

#[test]
fn the_mark_that_decided_a_verdict_is_known() {
    let lab = case("flagship");
    let picture = drawn(&lab, 718.0, 1.0);
    let rail = picture.lanes.iter().find(|lane| lane.of == LaneOf::Rail).expect("a rail");
    let [(at, area)] = picture.decided[..] else { panic!("{:?}", picture.decided) };
    assert_eq!(at, 85_400_000);
    assert!(area.bottom < rail.y, "the mark is among the lanes, not on the rail: {area:?}");
    assert_eq!(picture.decided_between(85_000_000, 86_000_000), Some(area));
    let went = [(86_000_000, 85_000_000), (85_400_000, 86_000_000), (u64::MAX, 86_000_000)];
    assert!(went.into_iter().all(|(before, now)| picture.decided_between(before, now).is_none()));
    assert_eq!(picture.seen(lab.until()), picture.width);
    assert!(picture.seen(lab.until() - 1) < picture.width - 13.0);
}

/// A run that reached its limit is known up to there: neither picture nor verdicts speak of what
/// was never played.
#[test]
fn a_run_stopped_at_a_limit_has_a_torn_edge() {
    let mut lab = case("flagship");
    lab.set(fenceline_sim::Setting::Sweep { every: fenceline_engine::Span(200), most: None });
    let derived = lab.derived();
    assert!(derived.history.stop().is_some(), "a sweep every 200 µs reaches it");
    assert!(lab.until() < derived.scenario.until);
    assert_eq!(derived.end.at, lab.until());
    let picture = drawn(&lab, 718.0, 1.0);
    assert_eq!(picture.covered_from, Some(picture.axis.x(lab.until())));
    assert!(picture.shapes.iter().any(|shape| shape.class == "k-torn"));
    assert!(texts(&picture).contains(&"stopped here, at a limit"), "{:?}", texts(&picture));
    assert!(!drawn(&case("flagship"), 718.0, 1.0).shapes.iter().any(|shape| shape.class == "k-torn"));
}

/// What the phone is given of a run.
fn with_phone<T>(lab: &Lab, width: f32, then: impl Fn(&View<'_>, &Names) -> T) -> T {
    let derived = lab.derived();
    let view = View {
        rulebook: &derived.rulebook,
        trace: derived.history.trace(),
        truth: &derived.truth,
        now: lab.until(),
        stopped: false,
        rails: &[],
        alerts: &[],
        window: (0, lab.until()),
        width,
        scale: 1.0,
        strips: Strips::All,
        starts: lab.case().starts,
        measure: &approximate,
        more: None,
    };
    then(&view, &Names::of(derived))
}

#[test]
fn the_phone_tells_the_first_run_in_nine_sentences() {
    let told = with_phone(&case("flagship"), 358.0, |view, names| {
        let said = |row: fenceline::app::stage::rows::Row| {
            let mark = match row.tone {
                Tone::Plain => "",
                Tone::Bad => "!",
                Tone::Ok => "+",
            };
            format!("{mark}{}: {}", row.time, plain(&row.sentence))
        };
        rows(view, names).into_iter().map(said).collect::<Vec<_>>()
    });
    assert_eq!(
        told,
        [
            "0.0 s: 7 granted to worker 1",
            "10.4, 20.4 s: 2 renewals",
            "22.0 s: Worker 1 is paused for 55 s",
            "!50.4 s: Lease of 7 ends: no word since 20.4",
            "51.0 s: Sweep sees it: 8 granted to worker 2",
            "61.4, 71.4 s: 2 renewals",
            "!77.0 s: Worker 1 resumes. Told it lost the lease, it goes on",
            "81.4 s: 8 writes 1,204 rows. Run: success",
            "!85.4 s: 7 writes 1,204 rows, stale. Accepted",
        ]
    );
    let mut fenced = case("flagship");
    fenced.remedy(0);
    let last = with_phone(&fenced, 358.0, |view, names| rows(view, names).pop()).expect("it has rows");
    assert_eq!((last.tone, plain(&last.sentence)), (Tone::Ok, "7 is fenced: revenue has seen 8".to_owned()));
}

#[test]
fn rows_on_the_phone_are_fingers_high_and_follow_each_other() {
    for case in cases() {
        let lab = Lab::open(case, 1, None);
        for width in [288.0, 358.0, 680.0] {
            let sheet: Down = with_phone(&lab, width, down);
            assert!(sheet.width + 120.0 <= width, "{} leaves no room for words", lab.case().id);
            let mut y = 0.0;
            for placed in &sheet.rows {
                assert!(placed.height >= 44.0 && placed.top >= y, "{}: {placed:?}", lab.case().id);
                y = placed.top + placed.height;
            }
            assert!(sheet.height >= y);
        }
    }
}

#[test]
fn the_start_page_tells_both_runs_in_six_short_rows() {
    let told = |lab: &Lab| {
        let sheet = with_phone(lab, 358.0, sketch);
        assert!(sheet.height < 280.0, "{}", sheet.height);
        let said: Vec<String> = sheet.rows.iter().map(|placed| plain(&placed.row.sentence)).collect();
        // Beside the lanes, in one line of 14 px.
        for line in &said {
            let wide = approximate(line, fenceline::app::stage::Face::Strong) * 14.0 / 12.0;
            assert!(wide < 358.0 - sheet.width - 20.0, "`{line}` is {wide} px wide");
        }
        said
    };
    let mut lab = case("flagship");
    assert_eq!(
        told(&lab),
        [
            "7 to worker 1",
            "Worker 1 is paused",
            "Lease over: 8 to worker 2",
            "Worker 1 resumes: a zombie",
            "8 writes 1,204 rows",
            "7 writes 1,204 more",
        ]
    );
    lab.remedy(0);
    assert_eq!(told(&lab).last().map(String::as_str), Some("7 is fenced: older than 8"));
}

#[test]
fn to_scale_a_second_is_as_long_everywhere_and_rows_do_not_meet() {
    for case in cases() {
        let lab = Lab::open(case, 1, None);
        let sheet: Down = with_phone(&lab, 358.0, to_scale);
        let scale = sheet.scale.expect("it has one");
        let second = |at: u64| sheet.y(at + 1_000_000) - sheet.y(at);
        for at in [0, lab.until() / 3, lab.until() - 1_000_000] {
            assert!((second(at) - scale).abs() < 0.01 * scale.max(1.0), "{}", lab.case().id);
        }
        let mut y = -1.0;
        for placed in &sheet.rows {
            assert!(placed.top >= y - 0.1 && placed.height >= 44.0, "{}: {placed:?}", lab.case().id);
            y = placed.top + placed.height;
        }
        assert!(sheet.rows.first().is_none_or(|first| first.top >= 0.0), "{}", lab.case().id);
        assert!(y <= sheet.height + 0.1, "{}", lab.case().id);
    }
}

#[test]
fn the_phone_shows_what_was_done_to_nodes_and_what_sinks_keep() {
    let has = |id: &str, class: &str| {
        let sheet: Down = with_phone(&case(id), 358.0, down);
        let there = sheet.shapes.iter().any(|shape| shape.class.contains(class) && !shape.d.is_empty());
        assert!(there, "{id} has no {class}: {:?}", sheet.shapes.iter().map(|s| s.class).collect::<Vec<_>>());
    };
    has("flagship", "k-belief");
    has("partition", "k-cut");
    has("leftover-lock", "k-leftover");
    has("vendor-paid-twice", "k-effect");
    has("scheduler-restart", "k-down");
    let stepped: Down = with_phone(&case("clock-back"), 358.0, down);
    assert!(
        stepped.labels.iter().any(|label| label.text.starts_with('−')),
        "the step is written at its lane"
    );
}

#[test]
fn many_tasks_have_a_row_each() {
    let picture = drawn(&case("retry-storm"), 718.0, 1.0);
    assert!(picture.lanes.iter().any(|lane| matches!(lane.of, LaneOf::Tasks(_) | LaneOf::Task(_))));
    assert!(picture.lanes.iter().any(|lane| lane.of == LaneOf::Executing));
}

#[test]
fn a_second_scheduler_has_a_lane_that_says_when_it_leads() {
    let lab = case("two-leaders");
    let picture = drawn(&lab, 858.0, 1.0);
    let lane = &picture.lanes[1];
    let said = |at: u64| lane.state_at(at * 1_000_000).map(|state| state.text.as_str());
    assert_eq!((lane.name.as_str(), lane.name == picture.lanes[0].name), ("Scheduler 2", false));
    assert_eq!((said(10), said(25)), (Some("stands by"), Some("leads")));
    let labels = texts(&picture);
    assert!(labels.contains(&"leads, epoch 2") && labels.contains(&"stands by"), "{labels:?}");
    let mut cured = lab.clone();
    cured.remedy(0);
    let labels = drawn(&cured, 858.0, 1.0);
    assert!(texts(&labels).iter().any(|text| text.starts_with("refused")), "{:?}", texts(&labels));
    let offers = lab.offers(fenceline_engine::NodeId(4), 0);
    assert!(offers.iter().any(|offer| offer.full_name.contains("scheduler 2")), "it can be paused, too");
}
