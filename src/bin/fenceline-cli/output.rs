//! Standard output. A reader that has seen enough and closes it, as `head` does, ends the command quietly.

use std::io::{ErrorKind, Write};

/// Writes a text, or ends the process: it can do nothing more that anybody sees.
pub(crate) fn put(text: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        let _ = writeln!(std::io::stderr(), "fenceline-cli: standard output: {error}");
        std::process::exit(2);
    }
}
