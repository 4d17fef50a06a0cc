//! The options of engines, described for help texts and lists.

use ludorum_lanes::StagedLanes;

use super::text::{MAX_CACHE_MIB, REMEMBER, SWITCH, TURNS, switch_name, turns_name};
use super::{Engine, EngineKind, Propagation};

/// An option of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOptionInfo {
    /// The name, as in `cache=64`.
    pub name: &'static str,
    /// The value that it has if it is not given.
    pub default: String,
    /// The values that it takes.
    pub expected: String,
    /// One line of help.
    pub about: &'static str,
}

impl EngineKind {
    /// The options of this engine with their defaults, in the order of [`Self::options`].
    ///
    /// ```
    /// use ludorum_engines::engine::EngineKind;
    /// let options = EngineKind::Propnet.option_infos();
    /// let names: Vec<&str> = options.iter().map(|option| option.name).collect();
    /// assert_eq!(names, EngineKind::Propnet.options());
    /// assert_eq!(options[0].default, "differential");
    /// ```
    pub fn option_infos(self) -> Vec<EngineOptionInfo> {
        let engine = Engine::plain(self);
        let describe = |name| match name {
            "propagation" => EngineOptionInfo {
                name,
                default: engine.propagation.name().to_owned(),
                expected: Propagation::ALL.map(Propagation::name).join(", "),
                about: "how values are propagated through the network",
            },
            "passes" => EngineOptionInfo {
                name,
                default: engine.passes.to_string(),
                expected: "names with commas as in 1,0,2,3, or full, paper, none".to_owned(),
                about: "the optimising passes over the network, in order",
            },
            "turns" => EngineOptionInfo {
                name,
                default: turns_name(engine.stages.turns).to_owned(),
                expected: TURNS.map(turns_name).join(", "),
                about: "whether roles that take turns have stages of their own, or share them",
            },
            "assume" => EngineOptionInfo {
                name,
                default: switch_name(engine.stages.assume, SWITCH).to_owned(),
                expected: SWITCH.join(", "),
                about: "whether fluents such as the place of the king are assumed to have one \
                        value, which every step tests",
            },
            "remember" => EngineOptionInfo {
                name,
                default: switch_name(engine.stages.remember_failures, REMEMBER).to_owned(),
                expected: REMEMBER.join(", "),
                about: "whether failed candidates are remembered; auto: if rules ask for legal \
                        moves",
            },
            "suffix" => EngineOptionInfo {
                name,
                default: engine.stages.suffix_groups.to_string(),
                expected: format!("0 to {}", StagedLanes::MAX_GROUPS),
                about: "the least number of groups of arguments that are drawn after the \
                        candidate, in moves with many values",
            },
            _ => EngineOptionInfo {
                name,
                default: engine.cache_mib.to_string(),
                expected: format!("0 to {MAX_CACHE_MIB} MiB"),
                about: "the size of a cache of answers; 0 for none",
            },
        };
        self.options().into_iter().map(describe).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_that_its_option_takes() {
        for kind in EngineKind::ALL {
            for option in kind.option_infos() {
                let engine = Engine::plain(kind).with_option(option.name, &option.default);
                assert_eq!(engine, Ok(Engine::plain(kind)), "{}", option.name);
            }
        }
    }
}
