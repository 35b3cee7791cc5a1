//! Which commands there are, and what their exit says: 0 fine, 1 something asserted does not hold,
//! 2 wrong input.

mod arguments;
mod bench;
mod check;
mod input;
mod output;
mod run;
mod site;
mod sweep;
mod table;

use std::process::ExitCode;

use output::put;

/// What came of a command that could be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Fine,
    /// A claim does not hold.
    Fails,
}

struct Command {
    name: &'static str,
    about: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Result<Outcome, String>,
}

const COMMANDS: [Command; 7] = [
    Command {
        name: "run",
        about: "play a scenario: both accounts, verdicts, figures, digest",
        help: run::HELP,
        run: run::run,
    },
    Command {
        name: "check",
        about: "read scenarios and content, and name every mistake in them",
        help: check::HELP,
        run: check::check,
    },
    Command {
        name: "sweep",
        about: "play a grid of rules over many seeds and print what each costs",
        help: sweep::HELP,
        run: sweep::sweep,
    },
    Command {
        name: "schema",
        about: "print the JSON Schema of a scenario, for editors and other programs",
        help: "fenceline-cli schema\n\nPrints the JSON Schema (draft 7) of a scenario file, TOML or JSON.",
        run: |arguments| printed(arguments, fenceline_content::schema::text),
    },
    Command {
        name: "rules",
        about: "print every phrase of a scenario: its alternatives, its default",
        help: "fenceline-cli rules\n\nPrints every rule, sink, step, fault, alert and verdict that a scenario may name, as Markdown.",
        run: |arguments| printed(arguments, fenceline_content::handbook::text),
    },
    Command {
        name: "bench",
        about: "speed and memory of the simulation: name, value, unit a line",
        help: bench::HELP,
        run: |arguments| bench::bench(arguments).map(|()| Outcome::Fine),
    },
    Command {
        name: "site",
        about: "finish a built site: called by Trunk",
        help: "fenceline-cli site\n\nCalled by Trunk, with TRUNK_STAGING_DIR set.",
        run: |arguments| site::site(arguments).map(|()| Outcome::Fine),
    },
];

pub(crate) fn main() -> ExitCode {
    let words = std::env::args_os().skip(1).map(|word| word.into_string());
    let arguments = match words.collect::<Result<Vec<String>, _>>() {
        Ok(arguments) => arguments,
        Err(word) => return refuse(&format!("fenceline-cli: {} is not text in UTF-8", word.display())),
    };
    let Some((name, rest)) = arguments.split_first() else {
        put(&help());
        return ExitCode::SUCCESS;
    };
    if ["help", "--help", "-h"].contains(&name.as_str()) {
        return match rest.first().map(|name| (name, find(name))) {
            None => say(&help()),
            Some((_, Some(command))) => say(&format!("{}\n", command.help.trim_end())),
            Some((name, None)) => refuse(&unknown(name)),
        };
    }
    let Some(command) = find(name) else { return refuse(&unknown(name)) };
    if rest.iter().any(|argument| argument == "--help" || argument == "-h") {
        return say(&format!("{}\n", command.help.trim_end()));
    }
    match (command.run)(rest) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Fails) => ExitCode::from(1),
        Err(what) => refuse(&format!("fenceline-cli {name}: {what}")),
    }
}

/// Prints a page that depends on nothing.
fn printed(arguments: &[String], text: fn() -> String) -> Result<Outcome, String> {
    match arguments.first() {
        Some(word) => Err(format!("takes no `{word}`")),
        None => {
            put(&text());
            Ok(Outcome::Fine)
        }
    }
}

fn say(text: &str) -> ExitCode {
    put(text);
    ExitCode::SUCCESS
}

fn refuse(what: &str) -> ExitCode {
    eprintln!("{}", what.trim_end());
    ExitCode::from(2)
}

fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

fn help() -> String {
    let lines = COMMANDS.iter().map(|command| format!("  {:<7} {}\n", command.name, command.about));
    format!(
        "fenceline-cli COMMAND\n\n{}\n`fenceline-cli COMMAND --help` says more. \
         Exit: 0 fine, 1 a claim fails, 2 wrong input.\n",
        lines.collect::<String>()
    )
}

fn unknown(name: &str) -> String {
    let hint = fenceline_content::words::did_you_mean(name, COMMANDS.iter().map(|command| command.name));
    format!("fenceline-cli: there is no command `{name}`{hint}\n\n{}", help())
}
