//! The words after a command: files, and options as `--name value`.

use fenceline_content::words::nearest;

/// Files and options, in the order given.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) files: Vec<String>,
    options: Vec<(String, String)>,
}

impl Arguments {
    /// Reads them; `known` are the names of the options, without their hyphens.
    ///
    /// # Errors
    /// A sentence that names the option that is unknown or has no value.
    pub(crate) fn read(words: &[String], known: &[&str]) -> Result<Self, String> {
        let mut arguments = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(option) = word.strip_prefix("--") else {
                arguments.files.push(word.clone());
                continue;
            };
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (option, None),
            };
            if !known.contains(&name) {
                let near = nearest(name, known.iter().copied());
                let hint = near.map(|near| format!(". Did you mean `--{near}`?")).unwrap_or_default();
                return Err(format!("there is no option `--{name}`{hint}"));
            }
            let value = value.or_else(|| words.next().cloned());
            let value = value.ok_or_else(|| format!("`--{name}` needs a value"))?;
            arguments.options.push((name.to_owned(), value));
        }
        Ok(arguments)
    }

    /// The one file a command is about; `-` is standard input.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub(crate) fn file(&self) -> Result<&str, String> {
        match self.files.as_slice() {
            [file] => Ok(file),
            [] => Err("name a scenario file, or `-` for standard input".into()),
            [_, second, ..] => Err(format!("takes one file, not `{second}` too")),
        }
    }

    /// Every value of an option that may be given more than once.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.options.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The last value of an option, read.
    ///
    /// # Errors
    /// If it cannot be read: names the option and what was expected.
    pub(crate) fn one<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let Some(value) = self.all(name).last() else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| format!("`--{name} {value}`: write {expected}"))
    }
}
