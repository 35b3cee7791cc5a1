//! The wasm of a first visit: the start page alone, so that it is there soon. See `ui::pages`.

#[cfg(target_arch = "wasm32")]
fn main() {
    fenceline::ui::mount(fenceline::ui::pages::START);
}

// All targets are built natively too (clippy, tests); there is nothing to run there.
#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program is a page. Start it with `make serve`; see also `fenceline-cli`.");
    std::process::exit(2);
}
