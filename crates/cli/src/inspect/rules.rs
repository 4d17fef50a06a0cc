//! `ludorum inspect --stage rules`: the normalised rules, as the engines get them.

use std::collections::BTreeMap;
use std::io::Write as _;

use ludorum_logic::rule::RelationId;
use ludorum_logic::{Domains, RelationClass, Rules, print};
use serde::Serialize;

use crate::outcome::Failure;
use crate::report::counted;
use crate::terminal::{OutputStyle, Terminal, printable};

/// The most facts of a relation that are shown without --all.
const FACTS_SHOWN: usize = 5;

/// Everything that is printed of the rules.
#[derive(Serialize)]
struct RulesReport<'r> {
    game: &'r str,
    roles: Vec<String>,
    relations: usize,
    rules: usize,
    facts: usize,
    /// Upper bounds on the numbers of fluents and moves; none if terms nest without bound.
    fluents: Option<u64>,
    moves: Option<u64>,
    strata: Vec<StratumReport<'r>>,
}

#[derive(Serialize)]
struct StratumReport<'r> {
    stratum: u32,
    relations: Vec<RelationReport<'r>>,
}

#[derive(Serialize)]
struct RelationReport<'r> {
    name: &'r str,
    arity: usize,
    class: RelationClass,
    recursive: bool,
    helper: bool,
    component: u32,
    /// Upper bounds on the number of terms of each argument; none if they nest without bound.
    domains: Vec<Option<u64>>,
    facts: Vec<String>,
    rules: Vec<String>,
    /// Where the tuples of a relation without rules come from.
    #[serde(skip)]
    given: Option<&'static str>,
}

/// Prints the rules of a game.
pub(super) fn show(
    game: &str,
    rules: &Rules,
    json: bool,
    all: bool,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let report = RulesReport::new(game, rules);
    if json {
        terminal.json(&report)?;
        return Ok(());
    }
    let text = report.text(all, &terminal.style);
    terminal.write_all(text.as_bytes())?;
    Ok(())
}

impl<'r> RulesReport<'r> {
    fn new(game: &'r str, rules: &'r Rules) -> Self {
        let domains = Domains::new(rules);
        let mut strata: BTreeMap<u32, Vec<RelationReport>> = BTreeMap::new();
        for (id, relation) in rules.relations() {
            let shown = RelationReport::new(rules, id, &domains);
            if shown.given.is_some() || !shown.facts.is_empty() || !shown.rules.is_empty() {
                strata.entry(relation.stratum).or_default().push(shown);
            }
        }
        for relations in strata.values_mut() {
            // Sort by dependency; relations of one component stay together.
            relations.sort_by_key(|relation| relation.component);
        }
        let size = |relation, place| domains.size(domains.argument(relation, place));
        Self {
            game,
            roles: rules.roles.iter().map(|id| rules.terms.text(*id)).collect(),
            relations: strata.values().map(Vec::len).sum(),
            rules: rules.rules.len(),
            facts: rules.facts.len(),
            fluents: size(rules.keywords.true_, 0),
            moves: size(rules.keywords.legal, 1),
            strata: strata
                .into_iter()
                .map(|(stratum, relations)| StratumReport { stratum, relations })
                .collect(),
        }
    }

    fn text(&self, all: bool, style: &OutputStyle) -> String {
        let mut out = format!("{}\n\n", style.bold(&printable(self.game)));
        let mut entry = |key: &str, value: &str| {
            let gap = " ".repeat(11 - key.len());
            out += &format!("{}{gap}{value}\n", style.dimmed(key));
        };
        let relations = || self.strata.iter().flat_map(|stratum| &stratum.relations);
        let of_class = |class| relations().filter(|r| r.class == class).count();
        let recursive = relations().filter(|r| r.recursive).count();
        let helpers = relations().filter(|r| r.helper).count();
        entry("roles", &self.roles.join(", "));
        entry(
            "relations",
            &format!(
                "{}: {} rigid, {} state, {} action; {recursive} recursive, {}",
                self.relations,
                of_class(RelationClass::Rigid),
                of_class(RelationClass::State),
                of_class(RelationClass::Action),
                counted(helpers, "helper", "helpers")
            ),
        );
        entry("rules", &self.rules.to_string());
        entry("facts", &self.facts.to_string());
        entry("strata", &self.strata.len().to_string());
        entry("fluents", &at_most(self.fluents));
        entry("moves", &at_most(self.moves));
        for stratum in &self.strata {
            let heading = format!("stratum {}", stratum.stratum);
            out += &format!("\n{}\n", style.bold(&heading));
            for relation in &stratum.relations {
                out.push('\n');
                out += &relation.text(all, style);
            }
        }
        out
    }
}

impl<'r> RelationReport<'r> {
    fn new(rules: &'r Rules, id: RelationId, domains: &Domains) -> Self {
        let relation = rules.relation(id);
        let sizes = (0..relation.arity).map(|place| domains.size(domains.argument(id, place)));
        let given = if id == rules.keywords.true_ {
            Some("given by the state")
        } else if id == rules.keywords.does {
            Some("given by the moves")
        } else {
            None
        };
        Self {
            name: rules.relation_name(id),
            arity: relation.arity,
            class: relation.class,
            recursive: relation.recursive,
            helper: relation.is_helper,
            component: relation.component,
            domains: sizes.collect(),
            facts: rules
                .facts_of(id)
                .map(|fact| print::fact(rules, fact))
                .collect(),
            rules: rules
                .rules_of(id)
                .map(|rule| print::rule(rules, rule))
                .collect(),
            given,
        }
    }

    fn text(&self, all: bool, style: &OutputStyle) -> String {
        let class = match self.class {
            RelationClass::Rigid => style.dimmed("rigid"),
            RelationClass::State => style.success("state"),
            RelationClass::Action => style.warning("action"),
        };
        let mut marks = vec![class];
        if self.recursive {
            marks.push("recursive".into());
        }
        if self.helper {
            marks.push("helper".into());
        }
        if let Some(given) = self.given {
            marks.push(given.into());
        }
        if !self.facts.is_empty() {
            marks.push(counted(self.facts.len(), "fact", "facts"));
        }
        if !self.rules.is_empty() {
            marks.push(counted(self.rules.len(), "rule", "rules"));
        }
        if !self.domains.is_empty() {
            let sizes = self.domains.iter();
            let sizes: Vec<String> = sizes.map(|size| shown_size(*size)).collect();
            marks.push(format!("domains {}", sizes.join(" x ")));
        }
        let heading = format!("{}/{}", self.name, self.arity);
        let mut out = format!("{}  {}\n", style.code(&heading), marks.join(", "));
        let shown = if all { usize::MAX } else { FACTS_SHOWN };
        for fact in self.facts.iter().take(shown) {
            out += &format!("  {fact}\n");
        }
        if self.facts.len() > shown {
            let more = counted(self.facts.len() - shown, "fact more", "facts more");
            out += &style.dimmed(&format!("  ... {more}, shown with --all"));
            out.push('\n');
        }
        for rule in &self.rules {
            for line in rule.lines() {
                out += &format!("  {line}\n");
            }
        }
        out
    }
}

fn shown_size(size: Option<u64>) -> String {
    size.map_or_else(|| "unbounded".into(), |size| size.to_string())
}

fn at_most(size: Option<u64>) -> String {
    size.map_or_else(|| "unbounded".into(), |size| format!("at most {size}"))
}
