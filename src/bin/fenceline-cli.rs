//! The command line: plays and checks scenarios, measures, and finishes what the build made.

#[cfg(not(target_arch = "wasm32"))]
#[path = "fenceline-cli/cli.rs"]
mod cli;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    cli::main()
}

// Cargo builds every binary for every target it is asked for; this one has no use in a browser.
#[cfg(target_arch = "wasm32")]
fn main() {}
