//! The stage with what stands around it here: the picture of this run, and the faults of each lane.

use fenceline_engine::NodeId;
use fenceline_sim::At;
use leptos::prelude::*;

use super::desk::Desk;
use super::pop::{Item, Pop};
use crate::app::lab::Lab;
use crate::app::lab::faults::{Offer, Standing};
use crate::app::stage::{Axis, LaneOf, Strips};
use crate::app::words::{faults as words, instant};
use crate::ui::board::Board;
use crate::ui::site::focus;
use crate::ui::tag::tag;

/// Faults of a lane that show without opening anything.
const VISIBLE: usize = 2;

/// The stage of the run on the desk.
pub fn board(desk: Desk) -> AnyView {
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
        on_head: Callback::new(move |lane| {
            if let LaneOf::Node(node) = lane {
                desk.breaking.set(Some(node));
                desk.sheet.set(true);
            }
        }),
    };
    tag("div", "board").on("wheel", move |event| wheeled(desk, &event)).child(board.view()).end()
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

/// What an offer is called, with its node and its time: `Pause worker 1 at 22.0 s`.
pub fn named(lab: &Lab, offer: &Offer, node: NodeId, at: At) -> String {
    words::deed(&offer.name, &node_name(lab, node), &instant(at, lab.case().starts))
}

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
        desk.read(|lab| lab.offers(node, at))
    };
    let name_of_node = desk.read(|lab| node_name(lab, node));
    // Names change with the cursor; the buttons stay, so that focus does.
    let button = move |place: usize| {
        let offer = Memo::new(move |_| offers().into_iter().nth(place));
        let name = move || offer.get().map(|offer| offer.brief);
        let starts = desk.read(|lab| lab.case().starts);
        let whom = name_of_node.clone();
        let full = move || {
            offer.get().map(|offer| words::deed(&offer.name, &whom, &instant(desk.cursor.get(), starts)))
        };
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
            format!("{name} at {}", instant(desk.cursor.get(), desk.read(|lab| lab.case().starts)))
        })
    };
    let items = Callback::new(move |()| {
        let at = desk.cursor.get_untracked();
        let offers = desk.read(|lab| lab.offers(node, at));
        offers.into_iter().map(|offer| item(desk, offer)).collect::<Vec<_>>()
    });
    let below = Callback::new(move |()| standing(desk, node).into_any());
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

fn item(desk: Desk, offer: Offer) -> Item {
    let Offer { deed, full_name, effect, refused, .. } = offer;
    Item {
        label: full_name,
        note: effect.to_owned(),
        refused,
        current: false,
        choose: Callback::new(move |()| desk.take(deed)),
    }
}

/// Faults that are there already: their end moved by a second, or the whole taken away. A row stays the
/// same element while its fault changes, so that the focus stays on its buttons.
fn standing(desk: Desk, node: NodeId) -> impl IntoView {
    let indices =
        move || desk.read(|lab| lab.standing(node).iter().map(|fault| fault.index).collect::<Vec<_>>());
    let line = move |index: usize| {
        let fault =
            Memo::new(move |_| desk.read(|lab| lab.standing(node).into_iter().find(|of| of.index == index)));
        let text = move || fault.get().map(|fault| fault.text);
        let moved = move |by: i64| {
            if let Some(Standing { from, until: Some(until), .. }) = fault.get_untracked() {
                let until: At = until.saturating_add_signed(by).max(from + 1_000);
                desk.edit(|lab| lab.move_fault(index, from, Some(until)));
            }
        };
        let step = move |by: i64, sign: &'static str, name: &'static str| {
            let name = format!("{text}: {name}", text = words::ENDS);
            let lasts = fault.get_untracked().is_some_and(|fault| fault.until.is_some());
            lasts.then(|| view! { <button type="button" class="act" aria-label=name on:click=move |_| moved(by)>{sign}</button> })
        };
        let take_away = move |_| {
            desk.edit(|lab| lab.remove(index));
            // Its row is gone: on to what is left in the list.
            request_animation_frame(|| focus(".pop-list button"));
        };
        view! {
            <div class="standing">
                <span>{text}</span>
                {step(-1_000_000, "−", words::SOONER)}
                {step(1_000_000, "+", words::LATER)}
                <button type="button" class="act" on:click=take_away>{words::TAKE_AWAY}</button>
            </div>
        }
    };
    view! { <For each=indices key=|index| *index children=line /> }
}

/// On the phone: the faults of the lane whose head was pressed, or of every lane.
pub fn break_sheet(desk: Desk) -> impl IntoView {
    let starts = desk.read(|lab| lab.case().starts);
    let title = Signal::derive(move || {
        let at = instant(desk.cursor.get(), starts);
        match desk.breaking.get() {
            Some(node) => format!("{} at {at}", desk.read(|lab| node_name(lab, node))),
            None => words::break_at(&at),
        }
    });
    let items = Callback::new(move |()| {
        let at = desk.cursor.get_untracked();
        let chosen = desk.breaking.get_untracked();
        let of = |node: NodeId| {
            let name = desk.read(|lab| node_name(lab, node));
            let offers = desk.read(|lab| lab.offers(node, at));
            offers.into_iter().map(move |offer| Item {
                label: if chosen.is_some() {
                    offer.full_name.clone()
                } else {
                    format!("{} {name}", offer.name)
                },
                ..item(desk, offer)
            })
        };
        let all = desk.read(|lab| lab.derived().scenario.node_count()).min(MOST_NODES);
        let each = if all > FEW_NODES { 2 } else { 4 };
        match chosen {
            Some(node) => of(node).collect::<Vec<_>>(),
            None => (0..all)
                .filter_map(|n| u16::try_from(n).ok())
                .flat_map(|n| of(NodeId(n)).take(each))
                .collect(),
        }
    });
    // The next sheet is everybody's again, unless a head is pressed.
    Effect::new(move |_| {
        if !desk.sheet.get() {
            desk.breaking.set(None);
        }
    });
    let below = Callback::new(move |()| match desk.breaking.get_untracked() {
        Some(node) => standing(desk, node).into_any(),
        None => {
            let nodes = desk.peek(|lab| lab.derived().scenario.node_count()).min(MOST_NODES);
            (0..nodes)
                .filter_map(|n| u16::try_from(n).ok())
                .map(|n| standing(desk, NodeId(n)))
                .collect_view()
                .into_any()
        }
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
