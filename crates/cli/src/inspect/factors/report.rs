//! The report of the stage `factors`, as JSON and as text.

use std::fmt::Write as _;
use std::time::Duration;

use ludorum_engines::Engine;
use ludorum_factor::{ArgumentSource, MoveClass};
use ludorum_lanes::StagedLanes;
use ludorum_logic::Rules;
use ludorum_reasoner::Reasoner;
use serde::Serialize;

use super::super::ground::milliseconds;
use crate::report::counted;
use crate::terminal::{OutputStyle, shortened};

/// The most relations that are shown without --all, those with most rules first.
const RELATIONS_SHOWN: usize = 12;
#[derive(Serialize)]
pub(super) struct FactorReport<'p> {
    game: &'p str,
    engine: String,
    applies: bool,
    rewrite_ms: f64,
    compile_ms: f64,
    components: usize,
    fluents: usize,
    /// How many of the fluents the stages have added.
    own_fluents: usize,
    /// Of a stage, on average.
    operations: usize,
    stages: Vec<StageEntry>,
    turns: Vec<TurnEntry>,
    slots: Vec<SlotEntry>,
    remembers_failures: bool,
    asks_for_moves: bool,
    assumed: Vec<String>,
    /// The mean share of draws that are accepted, and the number of states.
    accepted: Option<f64>,
    states: usize,
    classes: Vec<ClassEntry>,
    relations: Vec<RelationEntry>,
}

/// A pair of stages and the roles that choose in it.
#[derive(Serialize)]
struct StageEntry {
    draw: String,
    test: String,
    roles: Vec<String>,
}

/// The fluent of a role's turn, and its move without it.
#[derive(Serialize)]
struct TurnEntry {
    role: String,
    fluent: String,
    otherwise: String,
}

/// The number of slots of a role's second draw.
#[derive(Serialize)]
struct SlotEntry {
    role: String,
    bound: u32,
}

/// Moves that are drawn together.
#[derive(Serialize)]
struct ClassEntry {
    role: String,
    #[serde(rename = "move")]
    pattern: String,
    candidates: usize,
    suffixes: usize,
    groups: Vec<GroupEntry>,
}

/// Arguments that are remembered as one value; numbered from 1.
#[derive(Serialize)]
struct GroupEntry {
    arguments: Vec<usize>,
    /// Whether they are drawn after the candidate.
    second: bool,
}

/// A relation of the staged rules.
#[derive(Serialize)]
struct RelationEntry {
    name: String,
    arity: usize,
    rules: usize,
    facts: usize,
    /// Whether the sheet does not have it.
    added: bool,
}

impl<'p> FactorReport<'p> {
    /// The last argument is the mean share of draws that are accepted, and in how many states.
    pub(super) fn new(
        game: &'p str,
        options: Engine,
        rules: &Rules,
        engine: &mut StagedLanes,
        [rewriting, compiling]: [Duration; 2],
        (accepted, states): (Option<f64>, usize),
    ) -> Self {
        let operations = engine.lanes().statistics().operations;
        let staged = engine.staged_game();
        let names = engine.roles();
        let network = engine.network();
        let own = engine.own_fluents();
        let stages = staged.stages.iter().map(|stage| StageEntry {
            draw: stage.draw.clone(),
            test: stage.test.clone(),
            roles: stage
                .roles
                .iter()
                .map(|role| names[*role].clone())
                .collect(),
        });
        let turns = staged.turns.iter().flatten().zip(names);
        let turns = turns.map(|((fluent, otherwise), role)| TurnEntry {
            role: role.clone(),
            fluent: fluent.clone(),
            otherwise: otherwise.clone(),
        });
        let draws = engine.staging().draws.iter();
        let slots = draws.map(|draw| SlotEntry {
            role: names[draw.role].clone(),
            bound: draw.bound,
        });
        let classes = staged.classes.iter().enumerate().map(|(number, class)| {
            let (candidates, suffixes) = engine.class_sizes(number);
            ClassEntry::new(class, &names[class.role], candidates, suffixes)
        });
        Self {
            game,
            engine: options.to_string(),
            applies: true,
            rewrite_ms: rewriting.as_secs_f64() * 1e3,
            compile_ms: compiling.as_secs_f64() * 1e3,
            components: network.len(),
            fluents: network.game.fluents.len(),
            own_fluents: own,
            operations,
            stages: stages.collect(),
            turns: turns.collect(),
            slots: slots.collect(),
            remembers_failures: staged.remembers_failures,
            asks_for_moves: staged.asks_for_moves,
            assumed: staged.assumed.iter().map(ToString::to_string).collect(),
            accepted,
            states,
            classes: classes.collect(),
            relations: relations(rules, &staged.rules),
        }
    }

    pub(super) fn text(&self, all: bool, style: &OutputStyle) -> String {
        let mut out = String::new();
        let stages: Vec<String> = self.stages.iter().map(|s| s.roles.join(" and ")).collect();
        let stages = stages.join(", then of ");
        let _ = writeln!(out, "stages      draw and test of {stages}");
        for turn in &self.turns {
            let _ = writeln!(
                out,
                "turn        {} if {}, else {}",
                turn.role, turn.fluent, turn.otherwise
            );
        }
        for slot in self.slots.iter().filter(|slot| slot.bound > 1) {
            let _ = writeln!(
                out,
                "slots       {} draws the rest of a move among {}",
                slot.role, slot.bound
            );
        }
        for fluent in &self.assumed {
            let _ = writeln!(out, "assumed     {fluent} has one value");
        }
        let failed = match (self.remembers_failures, self.asks_for_moves) {
            (true, true) => "remembered, because the rules ask for legal moves",
            (true, false) => "remembered",
            (false, _) => "not remembered",
        };
        let _ = writeln!(out, "failed      candidates are {failed}");
        if let Some(accepted) = self.accepted {
            let _ = writeln!(
                out,
                "accepted    {:.1} % of draws, in {} of random games",
                100.0 * accepted,
                counted(self.states, "state", "states")
            );
        }
        let _ = writeln!(
            out,
            "fluents     {}, {} of them of the stages",
            self.fluents, self.own_fluents
        );
        let _ = writeln!(
            out,
            "components  {}; {} operations in a stage on average",
            self.components, self.operations
        );
        let milliseconds = |ms: f64| milliseconds(Duration::from_secs_f64(ms / 1e3));
        let _ = writeln!(
            out,
            "time        {} to rewrite the rules, {} to rewrite and compile them",
            milliseconds(self.rewrite_ms),
            milliseconds(self.compile_ms)
        );
        self.classes(&mut out, style);
        self.relations(&mut out, all, style);
        out
    }

    fn classes(&self, out: &mut String, style: &OutputStyle) {
        let roles = self.classes.iter().map(|class| class.role.chars().count());
        let width = roles.max().unwrap_or(0).clamp(4, 16);
        let heading = format!(
            "{:<width$}  {:<40} {:>10} {:>8}  groups of arguments",
            "role", "moves", "candidates", "suffixes"
        );
        let _ = writeln!(out, "\n{}", style.bold(&heading));
        for class in &self.classes {
            let groups: Vec<String> = class.groups.iter().map(GroupEntry::text).collect();
            let suffixes = match class.suffixes {
                0 => String::new(),
                count => count.to_string(),
            };
            let line = format!(
                "{:<width$}  {:<40} {:>10} {:>8}  {}",
                shortened(&class.role, 13),
                shortened(&class.pattern, 37),
                class.candidates,
                suffixes,
                groups.join("  ")
            );
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }

    fn relations(&self, out: &mut String, all: bool, style: &OutputStyle) {
        let rules: usize = self.relations.iter().map(|one| one.rules).sum();
        let added = self.relations.iter().filter(|one| one.added).count();
        let heading = format!(
            "{:<40} {:>10} {:>10}",
            "relation of the staged rules", "rules", "facts"
        );
        let _ = writeln!(out, "\n{}", style.bold(&heading));
        let shown = if all {
            self.relations.len()
        } else {
            RELATIONS_SHOWN
        };
        for one in self.relations.iter().take(shown) {
            let name = format!("{}/{}", shortened(&one.name, 30), one.arity);
            let origin = if one.added { "  added" } else { "" };
            let _ = writeln!(
                out,
                "{name:<40} {:>10} {:>10}{origin}",
                one.rules, one.facts
            );
        }
        let more = self.relations.len().saturating_sub(shown);
        if more > 0 {
            let more = counted(more, "relation", "relations");
            let _ = writeln!(out, "... {more} more, shown with --all");
        }
        let _ = writeln!(
            out,
            "{} in {}, {added} of them added",
            counted(rules, "rule", "rules"),
            counted(self.relations.len(), "relation", "relations")
        );
    }
}

impl ClassEntry {
    fn new(class: &MoveClass, role: &str, candidates: usize, suffixes: usize) -> Self {
        let argument = |(i, source): (usize, &ArgumentSource)| match source {
            ArgumentSource::Constant(text) => text.clone(),
            ArgumentSource::Prefix(_) => format!("?{}", i + 1),
            ArgumentSource::Suffix(_) => format!("?{}*", i + 1),
            ArgumentSource::Determined(_) => format!("?{}=", i + 1),
        };
        let arguments: Vec<String> = class.arguments.iter().enumerate().map(argument).collect();
        let pattern = if arguments.is_empty() {
            class.functor.clone()
        } else {
            format!("({} {})", class.functor, arguments.join(" "))
        };
        let groups = class.groups.iter().filter_map(|group| {
            // Constants need not be remembered.
            let arguments = group.places.iter().copied();
            let arguments =
                arguments.filter(|i| !matches!(class.arguments[*i], ArgumentSource::Constant(_)));
            let arguments: Vec<usize> = arguments.map(|i| i + 1).collect();
            (!arguments.is_empty()).then_some(GroupEntry {
                arguments,
                second: group.is_suffix,
            })
        });
        Self {
            role: role.to_owned(),
            pattern,
            candidates,
            suffixes,
            groups: groups.collect(),
        }
    }
}

impl GroupEntry {
    fn text(&self) -> String {
        let mark = if self.second { "*" } else { "" };
        let arguments = self.arguments.iter().map(|i| format!("?{i}{mark}"));
        let arguments: Vec<String> = arguments.collect();
        format!("({})", arguments.join(" "))
    }
}

/// The relations of the staged rules, those with most rules first.
fn relations(original: &Rules, staged: &Rules) -> Vec<RelationEntry> {
    let mut entries: Vec<RelationEntry> = staged
        .relations()
        .filter(|(_, relation)| !relation.rules.is_empty() || !relation.facts.is_empty())
        .map(|(id, relation)| {
            let name = staged.relation_name(id);
            RelationEntry {
                name: name.to_owned(),
                arity: relation.arity,
                rules: relation.rules.len(),
                facts: relation.facts.len(),
                added: original.find_relation(name, relation.arity).is_none(),
            }
        })
        .collect();
    entries.sort_by(|a, b| (b.rules, b.facts, &a.name).cmp(&(a.rules, a.facts, &b.name)));
    entries
}
