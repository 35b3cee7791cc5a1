//! The stage with what stands around it here: the picture of this run, and the faults of each lane.

use fenceline_engine::NodeId;
use fenceline_sim::{Act, At, Fate};
use leptos::prelude::*;

use super::desk::Desk;
use super::pop::{Item, Pop};
use crate::app::lab::Lab;
use crate::app::lab::faults::{Offer, Standing};
use crate::app::lab::scene::{self, DrawDown};
use crate::app::stage::{Axis, LaneOf, Strips, down};
use crate::app::words::event::capital;
use crate::app::words::{faults as words, instant, lab};
use crate::ui::board::Board;
use crate::ui::tag::{button, live, live_text, nothing, tag};

/// Faults of a lane that show without opening anything.
const VISIBLE: usize = 2;

/// How a run is shown where time runs down.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Events,
    ToScale,
    Table,
}

/// The stage of the run on the desk.
pub fn board(desk: Desk) -> AnyView {
    let shown = RwSignal::new(Shown::Events);
    super::follow::follow(desk);
    let board = Board {
        run: desk.derived,
        starts: desk.read(|lab| lab.case().starts),
        strips: Strips::All,
        faint: false,
        cursor: desk.cursor.into(),
        selected: desk.selected.into(),
        from: Signal::derive(move || desk.window.get().map_or(0, |window| window.0)),
        to: Signal::derive(move || desk.window.get().map_or(At::MAX, |window| window.1)),
        on_seek: Callback::new(move |at| desk.seek(at)),
        on_select: Callback::new(move |record| desk.show(record)),
        acts: Callback::new(move |lane| match lane {
            LaneOf::Node(node) => lane_acts(desk, node).into_any(),
            _ => ().into_any(),
        }),
        over: Some(Callback::new(move |picture| super::grips::grips(desk, picture))),
        on_head: Some(Callback::new(move |lane| {
            if let LaneOf::Node(node) = lane {
                desk.breaking.set(Some(node));
                desk.sheet.set(true);
            }
        })),
        draw_right: scene::picture,
        draw_down: Signal::derive(move || match shown.get() {
            Shown::Events | Shown::Table => down::down as DrawDown,
            Shown::ToScale => down::to_scale,
        }),
        beside: Some(Callback::new(move |()| switch(shown))),
    };
    let table = live(move || match shown.get() {
        Shown::Table => view! { <super::table::TraceTable desk=desk /> }.into_any(),
        Shown::Events | Shown::ToScale => nothing(),
    });
    tag("div", "board")
        .live("class", move || {
            Some(if shown.get() == Shown::Table { "board as-table" } else { "board" }.to_owned())
        })
        .on("wheel", move |event| wheeled(desk, &event))
        .child(board.view())
        .child(tag("div", "phone-table").child(table).end())
        .end()
}

/// The phone's views of a run.
fn switch(shown: RwSignal<Shown>) -> AnyView {
    let views =
        [(Shown::Events, lab::AS_EVENTS), (Shown::ToScale, lab::TO_SCALE), (Shown::Table, lab::AS_TABLE)];
    let one = |(view, name)| {
        button("link", "view", name, move || shown.set(view))
            .live("aria-pressed", move || Some((shown.get() == view).to_string()))
            .end()
    };
    tag("span", "down-views")
        .attr("role", "group")
        .attr("aria-label", lab::VIEWS)
        .children(views.map(one))
        .end()
}

/// Ctrl or Cmd and the wheel zoom, sideways it pans; the plain wheel scrolls the page.
fn wheeled(desk: Desk, event: &web_sys::Event) {
    use wasm_bindgen::JsCast;
    let Some(wheel) = event.dyn_ref::<web_sys::WheelEvent>() else { return };
    let plot = document().query_selector(".board .stage-plot").ok().flatten();
    let Some(plot) = plot.map(|plot| plot.get_bounding_client_rect()) else { return };
    let pixels = if wheel.delta_mode() == web_sys::WheelEvent::DOM_DELTA_LINE { LINE } else { 1.0 };
    let (x, y) = (wheel.delta_x() * pixels, wheel.delta_y() * pixels);
    let is_part = desk.window.get_untracked().is_some();
    if wheel.ctrl_key() || wheel.meta_key() {
        let (from, until) = desk.shown();
        let axis = Axis { from, until, width: plot.width() as f32 };
        desk.zoom((y / WHEEL).exp(), axis.at((f64::from(wheel.client_x()) - plot.left()) as f32));
    } else if is_part && (wheel.shift_key() || x.abs() > y.abs()) {
        desk.pan(if x == 0.0 { y } else { x } / plot.width().max(1.0));
    } else {
        return;
    }
    event.prevent_default();
}

/// Pixels of a line, where the wheel counts lines.
const LINE: f64 = 16.0;
/// Pixels of the wheel that change the length shown by the factor e.
const WHEEL: f64 = 400.0;

/// What the marks mean, for who asks; the strips' names make it needless to begin with.
pub fn legend() -> AnyView {
    let entry = |(class, meaning): (&'static str, &'static str)| {
        tag("span", "").child(tag("i", class).end()).text(meaning).end()
    };
    tag("p", "legend").children(words::LEGEND.map(entry)).end()
}

/// The two commonest faults as buttons, the rest behind `…`.
pub fn lane_acts(desk: Desk, node: NodeId) -> impl IntoView {
    let offers = move || {
        let at = desk.cursor.get();
        desk.read(|lab| lab.common(node, at))
    };
    // Names change with the cursor; the buttons stay, so that focus does.
    let button = move |place: usize| {
        let offer = Memo::new(move |_| offers().into_iter().nth(place));
        let name = move || offer.get().map(|offer| offer.brief);
        let full = move || offer.get().map(|offer| offer.full_name);
        let refused = move || offer.get().and_then(|offer| offer.refused);
        view! {
            <button
                type="button"
                class="act"
                aria-label=full
                title=refused
                aria-disabled=move || refused().is_some().then_some("true")
                on:click=move |_| {
                    if let Some(offer) = offer.get_untracked().filter(|offer| offer.refused.is_none()) {
                        desk.take(offer.deed);
                    }
                }
            >
                {name}
            </button>
        }
    };
    let name = desk.read(|lab| node_name(lab, node));
    let title = {
        let name = name.clone();
        Signal::derive(move || {
            words::at(&capital(&name), &instant(desk.cursor.get(), desk.read(|lab| lab.case().starts)))
        })
    };
    let items = Callback::new(move |()| {
        let at = desk.cursor.get_untracked();
        items_of(desk, node, at)
    });
    let below = Callback::new(move |()| standing(desk, node));
    let all = words::all_faults(&name);
    // A key opens it too.
    let open = RwSignal::new(false);
    Effect::new(move |_| {
        if desk.menu.get() == Some(node) {
            desk.menu.set(None);
            open.set(true);
        }
    });
    view! {
        <span class="lane-acts" data-lane=node.0.to_string()>
            {(0..VISIBLE).map(button).collect_view()}
            <Pop label="…".to_owned() name=Signal::stored(all) class="act" title=title items=items below=below open=open />
        </span>
    }
}

fn node_name(lab: &Lab, node: NodeId) -> String {
    words::node(&lab.derived().scenario, node)
}

fn item(desk: Desk, node: NodeId, offer: Offer) -> Item {
    let Offer { group, deed, name, full_name, effect, refused, .. } = offer;
    let role = desk.read(|lab| lab.derived().scenario.role(node));
    Item {
        group: words::group(group, role).into(),
        label: name,
        name: Some(full_name),
        note: effect.to_owned(),
        refused,
        current: false,
        stays: false,
        choose: Callback::new(move |()| desk.take(deed)),
    }
}

/// All that can be done to a node.
fn items_of(desk: Desk, node: NodeId, at: At) -> Vec<Item> {
    let offers = desk.read(|lab| lab.offers(node, at));
    offers.into_iter().map(|offer| item(desk, node, offer)).collect()
}

/// Faults that are there already: moved by a second, made longer or shorter, turned, taken away.
fn standing(desk: Desk, node: NodeId) -> AnyView {
    let faults = move || desk.read(|lab| lab.standing(node));
    // By what they are, so that a button that was pressed stays and keeps the focus.
    let key = |fault: &Standing| (fault.index, std::mem::discriminant(&fault.act), fault.timed);
    view! { <For each=faults key=key children=move |fault| line(desk, node, fault) /> }.into_any()
}

fn line(desk: Desk, node: NodeId, now: Standing) -> AnyView {
    let index = now.index;
    let starts = desk.read(|lab| lab.case().starts);
    let fault = move || desk.read(|lab| lab.standing(node)).into_iter().find(|fault| fault.index == index);
    let said = move || fault().map_or(String::new(), |fault| fault.text);
    let whom = desk.read(|lab| node_name(lab, node));
    let moved = move |by: i64, whole: bool| {
        if let Some(fault) = untrack(fault) {
            desk.edit(|lab| if whole { lab.shift_fault(&fault, by) } else { lab.stretch_fault(&fault, by) });
        }
    };
    let nudge = move |whole: bool| {
        let (what, verb) =
            if whole { (words::STARTS, words::STARTS_AT) } else { (words::ENDS, words::ENDS_AT) };
        let step = move |by: i64, sign: &'static str, way: &'static str| {
            button("act", "", sign, move || moved(by, whole))
                .attr("aria-label", format!("{what}: {way}"))
                .end()
        };
        let at = move || {
            let at = fault().and_then(|fault| if whole { Some(fault.from) } else { fault.until });
            format!("{verb} {}", at.map_or(words::NEVER.into(), |at| instant(at, starts)))
        };
        tag("span", "nudge")
            .child(step(-1_000_000, "−", words::SOONER))
            .child(tag("span", "").child(live_text(at)).end())
            .child(step(1_000_000, "+", words::LATER))
            .end()
    };
    let turn = matches!(now.act, Act::Cut { .. }).then(|| {
        let held = move || matches!(fault().map(|fault| fault.act), Some(Act::Cut { fate: Fate::Held, .. }));
        button("act", "turn", "", move || desk.edit(|lab| lab.turn_fate(index)))
            .child(live_text(move || if held() { words::LOSE } else { words::HOLD }.to_owned()))
            .end()
    });
    tag("div", "standing")
        .attr("role", "group")
        .live("aria-label", move || Some(format!("{whom}: {}", said())))
        .child(tag("span", "said").child(live_text(said)).end())
        .maybe(now.timed.then(|| nudge(true)))
        .maybe((now.timed && now.lasts()).then(|| nudge(false)))
        .maybe(turn)
        .child(
            button("act", "take-away", words::TAKE_AWAY, move || {
                // This button goes: the focus goes to the list it is in.
                super::pop::focus_list();
                desk.edit(|lab| lab.remove(index));
            })
            .end(),
        )
        .end()
}

/// On the phone: the faults of the lane whose head was pressed, or the commonest of every lane.
pub fn break_sheet(desk: Desk) -> impl IntoView {
    let starts = desk.read(|lab| lab.case().starts);
    let title = Signal::derive(move || {
        let at = instant(desk.cursor.get(), starts);
        match desk.breaking.get() {
            Some(node) => words::at(&capital(&desk.read(|lab| node_name(lab, node))), &at),
            None => words::break_at(&at),
        }
    });
    let nodes = move || {
        let count = desk.read(|lab| lab.derived().scenario.node_count()).min(MOST_NODES);
        (0..u16::try_from(count).unwrap_or(u16::MAX)).map(NodeId)
    };
    let items = Callback::new(move |()| {
        let at = desk.cursor.get_untracked();
        let few = move |node: NodeId| {
            let name = desk.read(|lab| node_name(lab, node));
            let common = desk.read(|lab| lab.common(node, at));
            let all = Item {
                group: capital(&name),
                label: words::ALL.into(),
                name: Some(words::all_faults(&name)),
                note: words::ALL_NOTE.into(),
                refused: None,
                current: false,
                stays: true,
                choose: Callback::new(move |()| desk.breaking.set(Some(node))),
            };
            let common = common.into_iter().map(move |offer| item(desk, node, offer));
            common.map(move |item| Item { group: capital(&name), ..item }).chain([all])
        };
        match desk.breaking.get() {
            Some(node) => items_of(desk, node, at),
            None => nodes().flat_map(few).collect(),
        }
    });
    // The next sheet is everybody's again, unless a head is pressed.
    Effect::new(move |_| {
        if !desk.sheet.get() {
            desk.breaking.set(None);
        }
    });
    let below = Callback::new(move |()| {
        live(move || match desk.breaking.get() {
            Some(node) => standing(desk, node),
            None => untrack(nodes).map(|node| standing(desk, node)).collect_view().into_any(),
        })
    });
    // Where rows stand for tasks, no lane offers a worker's faults: the bar does, at every width.
    let many = desk.read(|lab| lab.derived().scenario.node_count()) > FEW_NODES;
    view! {
        <span class="break-bar" class:many=many>
            <Pop label=words::BREAK.to_owned() class="btn" title=title items=items below=below open=desk.sheet />
        </span>
    }
}

/// Nodes whose faults one sheet lists.
const MOST_NODES: usize = 64;
/// Up to here each has a lane of its own.
const FEW_NODES: usize = 8;
