//! Tables as comma-separated values (RFC 4180).

/// A line; a cell with a comma, a quote or a line's end is quoted.
pub(crate) fn line(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let quoted = |cell: &str| {
        if cell.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.to_owned()
        }
    };
    let cells: Vec<String> = cells.into_iter().map(|cell| quoted(cell.as_ref())).collect();
    cells.join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn quotes_what_would_break_a_line() {
        assert_eq!(line(["a", "1,204", "say \"no\""]), "a,\"1,204\",\"say \"\"no\"\"\"\n");
    }
}
