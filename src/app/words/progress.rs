//! What is wrong with a file of progress.

pub const NOT_ONE: &str = "this is not a progress file. Choose one that was exported here";

/// No JSON from there on.
pub fn broken_at(line: usize, column: usize) -> String {
    format!("line {line}, column {column}: {NOT_ONE}")
}

pub fn strange_format(format: u64, known: u64) -> String {
    format!("format {format} is not known here. This page reads format {known}")
}

/// A part of it that cannot be read.
pub fn strange_part(name: &str) -> String {
    format!("`{name}`: {NOT_ONE}")
}
