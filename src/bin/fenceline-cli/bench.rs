//! `bench`: how fast the simulation is here. One figure a line: name, value, unit, by tabs.

use std::time::Instant;

use fenceline::app::bench::{Bench, Figure, Part};

use super::output::put;
pub(crate) const HELP: &str = "\
fenceline-cli bench [PART]…

Prints one figure a line: name, value, unit, separated by tabs. Figures are medians of five runs
after one that warms up. Parts: w1/1000, w1/10000, history, fork; all if none is named.";

pub(crate) fn bench(arguments: &[String]) -> Result<(), String> {
    let named = arguments.iter().map(|name| Part::of_name(name).ok_or_else(|| unknown(name)));
    let named = named.collect::<Result<Vec<Part>, String>>()?;
    let began = Instant::now();
    let mut say = |figure: Figure| put(&format!("{}\t{}\t{}\n", figure.name, figure.value, figure.unit));
    let mut bench = Bench { place: "native", clock: &|| began.elapsed(), say: &mut say };
    for part in if named.is_empty() { &Part::ALL[..] } else { &named } {
        bench.run(*part);
    }
    Ok(())
}

fn unknown(name: &str) -> String {
    format!("there is no part `{name}`. Write one of: {}", Part::ALL.map(Part::name).join(", "))
}
