//! Any bytes as interventions in a scenario that ships.
#![no_main]

#[path = "../bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    bodies::interventions(bytes);
});
