//! Engines in text form: `propnet`, `propnet:propagation=forward`, `lanes:passes=1,0,2,3,cache=64`.

use std::fmt;
use std::str::FromStr;

use ludorum_factor::TurnStages;
use ludorum_lanes::StagedLanes;
use ludorum_propnet::PassList;
use thiserror::Error;

use super::{Engine, EngineKind, Propagation};

/// Why a text is not an engine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EngineTextError {
    /// No engine has this name.
    #[error("there is no engine `{name}`; there are {}", all_names())]
    UnknownEngine {
        /// The name.
        name: String,
    },
    /// The engine has no such option.
    #[error("the engine `{engine}` has no option `{option}`; it has {known}")]
    UnknownOption {
        /// The engine.
        engine: &'static str,
        /// The option.
        option: String,
        /// The options that it has.
        known: String,
    },
    /// The option does not accept the value.
    #[error("`{value}` is not a value of `{option}`: {expected}")]
    BadValue {
        /// The option.
        option: &'static str,
        /// The value.
        value: String,
        /// The values that it accepts.
        expected: String,
    },
}

fn all_names() -> String {
    EngineKind::ALL
        .map(|kind| kind.properties().name)
        .join(", ")
}

/// The largest cache, in MiB.
pub(super) const MAX_CACHE_MIB: u32 = 1 << 20;

/// The values of options that are on or off.
pub(super) const SWITCH: [&str; 2] = ["off", "on"];
/// The values of the option `turns`.
pub(super) const TURNS: [TurnStages; 3] = [
    TurnStages::Ignored,
    TurnStages::Separate,
    TurnStages::Shared,
];

/// The name of a value of the option `turns`.
pub(super) fn turns_name(turns: TurnStages) -> &'static str {
    match turns {
        TurnStages::Ignored => "off",
        TurnStages::Separate => "on",
        TurnStages::Shared => "shared",
    }
}

/// The values of the option `remember`.
pub(super) const REMEMBER: [&str; 2] = ["auto", "on"];

/// Whether a value is the second of the two.
fn switch(value: &str, names: [&str; 2]) -> Option<bool> {
    names
        .iter()
        .position(|name| *name == value)
        .map(|place| place == 1)
}

/// The name of a value of such an option.
pub(super) fn switch_name(value: bool, names: [&'static str; 2]) -> &'static str {
    names[usize::from(value)]
}

impl EngineKind {
    /// The names of the options of all engines.
    pub const OPTIONS: [&'static str; 7] = [
        "propagation",
        "passes",
        "turns",
        "assume",
        "remember",
        "suffix",
        "cache",
    ];

    /// The names of the options of this engine.
    pub fn options(self) -> Vec<&'static str> {
        let mut options = Vec::new();
        if self == Self::Propnet {
            options.push("propagation");
        }
        if self.properties().has_passes {
            options.push("passes");
        }
        if self == Self::Staged {
            options.extend(["turns", "assume", "remember", "suffix"]);
        }
        options.push("cache");
        options
    }
}

impl FromStr for EngineKind {
    type Err = EngineTextError;

    fn from_str(name: &str) -> Result<Self, EngineTextError> {
        let found = Self::ALL
            .into_iter()
            .find(|kind| kind.properties().name == name);
        found.ok_or_else(|| EngineTextError::UnknownEngine {
            name: name.to_owned(),
        })
    }
}

impl Engine {
    /// The engine with an option set from text.
    pub fn with_option(mut self, option: &str, value: &str) -> Result<Self, EngineTextError> {
        let bad = |option, expected: String| EngineTextError::BadValue {
            option,
            value: value.to_owned(),
            expected,
        };
        let known = self.kind.options();
        if !known.contains(&option) {
            return Err(EngineTextError::UnknownOption {
                engine: self.name(),
                option: option.to_owned(),
                known: known.join(", "),
            });
        }
        match option {
            "propagation" => {
                let is_named = |propagation: &Propagation| propagation.name() == value;
                let found = Propagation::ALL.into_iter().find(is_named);
                let names = Propagation::ALL.map(Propagation::name).join(", ");
                self.propagation = found.ok_or_else(|| bad("propagation", names))?;
            }
            "passes" => {
                let passes = value.parse::<PassList>();
                self.passes = passes.map_err(|error| bad("passes", error.to_string()))?;
            }
            "turns" => {
                let mut known = TURNS.into_iter();
                let turns = known.find(|turns| turns_name(*turns) == value);
                let names = || TURNS.map(turns_name).join(", ");
                self.stages.turns = turns.ok_or_else(|| bad("turns", names()))?;
            }
            "assume" => {
                let assume = switch(value, SWITCH).ok_or_else(|| bad("assume", SWITCH.join(", ")));
                self.stages.assume = assume?;
            }
            "remember" => {
                let always = switch(value, REMEMBER);
                let expected = || bad("remember", REMEMBER.join(", "));
                self.stages.remember_failures = always.ok_or_else(expected)?;
            }
            "suffix" => {
                let groups = value.parse().ok().filter(|n| *n <= StagedLanes::MAX_GROUPS);
                let expected = format!("a number from 0 to {}", StagedLanes::MAX_GROUPS);
                self.stages.suffix_groups = groups.ok_or_else(|| bad("suffix", expected))?;
            }
            _ => {
                let mib = value.parse().ok().filter(|mib| *mib <= MAX_CACHE_MIB);
                let expected = format!("a size in MiB from 0 to {MAX_CACHE_MIB}");
                self.cache_mib = mib.ok_or_else(|| bad("cache", expected))?;
            }
        }
        Ok(self)
    }
}

impl FromStr for Engine {
    type Err = EngineTextError;

    fn from_str(text: &str) -> Result<Self, EngineTextError> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let mut engine = Self::plain(name.trim().parse()?);
        for option in split_options(options) {
            let (name, value) = option.split_once('=').unwrap_or((&option, ""));
            engine = engine.with_option(name.trim(), value.trim())?;
        }
        Ok(engine)
    }
}

/// Splits options at commas. A piece without `=` continues the value before it, as in
/// `passes=1,0,2,3`.
pub fn split_options(text: &str) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    for piece in text.split(',').filter(|piece| !piece.trim().is_empty()) {
        match options.last_mut() {
            Some(last) if !piece.contains('=') => {
                last.push(',');
                last.push_str(piece);
            }
            _ => options.push(piece.to_owned()),
        }
    }
    options
}

/// Splits a list of engines at commas. A piece that is not the name of an engine belongs to the
/// options of the engine before it: `prover,propnet:passes=1,0,cache=8,lanes` is a list of three
/// engines.
pub fn split_list(text: &str) -> Vec<String> {
    let mut engines: Vec<String> = Vec::new();
    for piece in text.split(',') {
        let name = piece.split(':').next().unwrap_or(piece).trim();
        let is_name = name == "all" || name == "variants" || name.parse::<EngineKind>().is_ok();
        match engines.last_mut() {
            Some(last) if !is_name && last.contains(':') => {
                last.push(',');
                last.push_str(piece);
            }
            _ => engines.push(piece.trim().to_owned()),
        }
    }
    engines
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = Self::plain(self.kind);
        f.write_str(self.name())?;
        let mut separator = ':';
        let mut option = |f: &mut fmt::Formatter<'_>, name, value: &dyn fmt::Display| {
            let before = std::mem::replace(&mut separator, ',');
            write!(f, "{before}{name}={value}")
        };
        if self.propagation != plain.propagation {
            option(f, "propagation", &self.propagation.name())?;
        }
        if self.passes != plain.passes {
            option(f, "passes", &self.passes)?;
        }
        let (stages, usual) = (self.stages, plain.stages);
        if stages.turns != usual.turns {
            option(f, "turns", &turns_name(stages.turns))?;
        }
        if stages.assume != usual.assume {
            option(f, "assume", &switch_name(stages.assume, SWITCH))?;
        }
        if stages.remember_failures != usual.remember_failures {
            let value = switch_name(stages.remember_failures, REMEMBER);
            option(f, "remember", &value)?;
        }
        if stages.suffix_groups != usual.suffix_groups {
            option(f, "suffix", &stages.suffix_groups)?;
        }
        if self.cache_mib != plain.cache_mib {
            option(f, "cache", &self.cache_mib)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_found_by_its_name_and_no_name_is_taken_twice() {
        for engine in Engine::ALL {
            assert_eq!(engine.name().parse::<Engine>().unwrap(), engine);
            assert!(Engine::help().contains(engine.about()));
        }
    }

    #[test]
    fn every_variant_is_printed_and_read_back() {
        let passes = "1,0,2,3".parse().unwrap();
        let mut all = Engine::variants();
        all.push(Engine::LANES.with_passes(passes).with_cache(3));
        for option in [
            "turns=off",
            "assume=off",
            "remember=on",
            "suffix=2",
            "turns=off,assume=off,remember=on,suffix=1,cache=5",
        ] {
            let text = format!("staged:{option}");
            let engine: Engine = text.parse().unwrap();
            assert_ne!(engine, Engine::STAGED);
            assert_eq!(engine.to_string(), text);
            all.push(engine);
        }
        for engine in all {
            assert_eq!(engine.to_string().parse::<Engine>().unwrap(), engine);
        }
    }

    #[test]
    fn options_are_read_in_any_order() {
        let engine: Engine = "propnet:passes=1,0,2,3, cache=64, propagation=backward"
            .parse()
            .unwrap();
        assert_eq!(engine.propagation, Propagation::Backward);
        assert_eq!(engine.passes.to_vec().len(), 4);
        assert_eq!(engine.cache_mib, 64);
        assert_eq!(
            engine.to_string(),
            "propnet:propagation=backward,passes=1,0,2,3,cache=64"
        );
    }

    #[test]
    fn an_unknown_name_is_answered_with_all_names() {
        let error = "warp".parse::<Engine>().unwrap_err().to_string();
        assert!(
            Engine::ALL
                .iter()
                .all(|engine| error.contains(engine.name()))
        );
    }

    #[test]
    fn an_option_of_another_engine_and_a_bad_value_are_named() {
        let error = |text: &str| text.parse::<Engine>().unwrap_err().to_string();
        assert!(error("prover:passes=1").contains("it has cache"));
        assert!(error("propnet:propagation=sideways").contains("backward"));
        assert!(error("orand:cache=lots").contains("MiB"));
        assert!(error("lanes:passes=9").contains("`9`"));
        assert!(error("lanes:turns=off").contains("it has passes, cache"));
        assert!(error("staged:turns=no").contains("off, on, shared"));
        assert!(error("staged:remember=off").contains("auto, on"));
        assert!(error("staged:suffix=9").contains("0 to 3"));
    }

    #[test]
    fn a_list_of_engines_is_split_where_an_engine_begins() {
        assert_eq!(
            split_list("prover,propnet:passes=1,0,cache=8,lanes"),
            ["prover", "propnet:passes=1,0,cache=8", "lanes"]
        );
        assert_eq!(split_list("all"), ["all"]);
        assert_eq!(split_list("warp,prover"), ["warp", "prover"]);
    }
}
