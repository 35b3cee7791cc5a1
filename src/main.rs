//! The whole page's wasm. `boot.js` starts it in the page and in Web Workers; which of the two it is
//! shows in whether there is a window.

#[cfg(target_arch = "wasm32")]
fn main() {
    if web_sys::window().is_some() {
        fenceline::ui::mount(fenceline::ui::pages::ALL);
    } else {
        fenceline::worker::serve();
    }
}

// All targets are built natively too (clippy, tests); there is nothing to run there.
#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program is the page. Start it with `make serve`; see also `fenceline-cli`.");
    std::process::exit(2);
}
