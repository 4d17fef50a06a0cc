//! The values of a player's options, by name.

use std::fmt;

use thiserror::Error;

use super::{OptionInfo, OptionValue, SEED};

/// The values of the options of one player. Searchers read their settings here, so they need not
/// know the registry of players.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionValues(Vec<Entry>);

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    info: &'static OptionInfo,
    value: OptionValue,
    /// The text of the value, if one was given.
    written: Option<String>,
}

/// Why a text gives no options.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("there is no option `{option}`; there are {known}")]
    Unknown {
        /// What was given.
        option: String,
        /// All options.
        known: String,
    },
    /// The option does not allow this value.
    #[error("`{option}` is {expected}, not `{value}`")]
    BadValue {
        /// The option.
        option: &'static str,
        /// What was given.
        value: String,
        /// What is allowed.
        expected: String,
    },
    /// An option without a value.
    #[error("options are written `name=value`, and `{text}` is not; there are {known}")]
    NoValue {
        /// What was given.
        text: String,
        /// All options.
        known: String,
    },
    /// An option given twice.
    #[error("`{option}` is given twice")]
    Twice {
        /// The option.
        option: &'static str,
    },
}

impl OptionValues {
    /// The defaults of some options.
    ///
    /// # Panics
    /// If the default of an option is not an allowed value. The registry of players tests that.
    pub fn defaults(options: impl IntoIterator<Item = &'static OptionInfo>) -> Self {
        let entries = options.into_iter().map(|info| Entry {
            info,
            value: info.kind.parse(info.default).expect("an allowed default"),
            written: None,
        });
        Self(entries.collect())
    }

    /// Parses `name=value` pairs, separated by commas, for some options and the seed. Options of an
    /// engine are not understood here.
    pub fn parse(
        options: impl IntoIterator<Item = &'static OptionInfo>,
        text: &str,
    ) -> Result<Self, OptionError> {
        let mut values = Self::defaults(options.into_iter().chain([&SEED]));
        for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
            let (name, value) = values.split_pair(pair)?;
            values.add(name, value)?;
        }
        Ok(values)
    }

    /// Splits `name=value`.
    pub fn split_pair<'a>(&self, pair: &'a str) -> Result<(&'a str, &'a str), OptionError> {
        let pair = pair.trim();
        let (name, value) = pair.split_once('=').ok_or_else(|| OptionError::NoValue {
            text: pair.to_owned(),
            known: self.names(),
        })?;
        Ok((name.trim(), value.trim()))
    }

    /// Sets an option that has not been set before.
    pub fn add(&mut self, name: &str, text: &str) -> Result<(), OptionError> {
        let entry = self.find(name).filter(|entry| entry.written.is_some());
        match entry {
            Some(entry) => Err(OptionError::Twice {
                option: entry.info.name,
            }),
            None => self.set(name, text),
        }
    }

    /// Sets an option.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), OptionError> {
        let entry = self.0.iter_mut().find(|entry| entry.info.name == name);
        let Some(entry) = entry else {
            return Err(OptionError::Unknown {
                option: name.to_owned(),
                known: self.names(),
            });
        };
        let value = entry.info.kind.parse(text);
        entry.value = value.ok_or_else(|| OptionError::BadValue {
            option: entry.info.name,
            value: text.to_owned(),
            expected: entry.info.kind.expected(),
        })?;
        entry.written = Some(text.to_owned());
        Ok(())
    }

    /// The same with another value of an option.
    pub fn with(&self, name: &str, text: &str) -> Result<Self, OptionError> {
        let mut values = self.clone();
        values.set(name, text)?;
        Ok(values)
    }

    fn find(&self, name: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.info.name == name)
    }

    /// Whether there is an option of this name.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The names of all options, separated by commas.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|entry| entry.info.name).collect();
        names.join(", ")
    }

    /// The text of an option's value, if one was given.
    pub fn written(&self, name: &str) -> Option<&str> {
        self.find(name)?.written.as_deref()
    }

    /// The value of an option that is a whole number; 0 if there is none of this name.
    pub fn count(&self, name: &str) -> u64 {
        match self.find(name).map(|entry| entry.value) {
            Some(OptionValue::Count(count)) => count,
            _ => 0,
        }
    }

    /// The value of an option that is a number; 0 if there is none of this name.
    pub fn number(&self, name: &str) -> f64 {
        match self.find(name).map(|entry| entry.value) {
            Some(OptionValue::Number(number)) => number,
            _ => 0.0,
        }
    }

    /// The value of an option that is a word; empty if there is none of this name.
    pub fn word(&self, name: &str) -> &'static str {
        match self.find(name).map(|entry| entry.value) {
            Some(OptionValue::Word(word)) => word,
            _ => "",
        }
    }
}

/// The options that were given, as `name=value` pairs in the order of the list.
impl fmt::Display for OptionValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = self.0.iter();
        let written = written.filter_map(|entry| Some((entry.info.name, entry.written.as_ref()?)));
        for (i, (name, value)) in written.enumerate() {
            write!(f, "{}{name}={value}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &[OptionInfo] = &[
        OptionInfo::number("c", "0.7", 100.0, "a number"),
        OptionInfo::count("threads", "1", 1, 1024, "a count"),
        OptionInfo::word("final", &["robust", "max"], "a word"),
    ];

    fn error(text: &str) -> String {
        OptionValues::parse(OPTIONS, text).unwrap_err().to_string()
    }

    #[test]
    fn options_are_parsed_and_printed_in_the_order_of_the_list() {
        let values = OptionValues::parse(OPTIONS, "threads=2, c=0.5").unwrap();
        assert!((values.number("c") - 0.5).abs() < 1e-9);
        assert_eq!(
            (values.count("threads"), values.word("final")),
            (2, "robust")
        );
        assert_eq!(values.to_string(), "c=0.5,threads=2");
        assert_eq!(values.written("threads"), Some("2"));
        assert_eq!(values.written("final"), None);
        let other = values.with("threads", "3").unwrap();
        assert_eq!(other.to_string(), "c=0.5,threads=3");
    }

    #[test]
    fn a_bad_option_is_named_with_what_is_allowed() {
        assert!(error("color=red").contains("`color`") && error("color=red").contains("threads"));
        for text in ["threads=many", "threads=0", "threads=-1"] {
            assert!(error(text).contains("`threads` is a whole number"));
        }
        assert!(error("c=NaN").contains("`c`"));
        assert!(error("final=lucky").contains("robust"));
        assert!(error("threads").contains("name=value"));
        assert!(error("c=1,c=2").contains("twice"));
    }
}
