//! The recognition pipeline: from rules and sampled states to the boards, status items and clicks
//! of a [`BoardRenderer`].

use ludorum_logic::Domains;
use rustc_hash::FxHashSet;

use crate::candidate;
use crate::clicks;
use crate::content::content_of;
use crate::evidence::{Evidence, GameContext};
use crate::flat_term::FlatTerm;
use crate::grid;
use crate::model::{BoardLayout, LayoutKind};
use crate::paint;
use crate::renderer::{BoardRenderer, Coverage, RecognitionInput};
use crate::rigid_relations::RigidRelations;
use crate::sample::StateSample;
use crate::style::Style;
use crate::symbol_order::SuccessorChains;
use crate::term_schema::{self, TermSchema};
use crate::{
    cell_pattern, fluent_groups, fluent_pairs, graph, hex, hint, layer, opposite_rows, stack,
    status, track,
};

/// Number of samples on which the coverage is measured.
const MEASURED_SAMPLES: usize = 16;

impl BoardRenderer {
    /// Recognises the boards of a game. Never fails: a game without a board is shown as a table of
    /// facts. All work is bounded.
    pub fn recognise(subject: &RecognitionInput) -> Self {
        let rules = subject.rules;
        let roles: Vec<String> = rules
            .roles
            .iter()
            .map(|role| rules.terms.text(*role))
            .collect();
        let domains = Domains::new(rules);
        let pairs = fluent_pairs::find(subject.samples);
        let joined: Vec<StateSample>;
        let samples = if pairs.is_empty() {
            subject.samples
        } else {
            joined = subject
                .samples
                .iter()
                .map(|sample| StateSample {
                    facts: fluent_pairs::join(&pairs, &sample.facts),
                    ..sample.clone()
                })
                .collect();
            &joined
        };
        let schemas = term_schema::of_facts(rules, &domains, samples);
        let moves = term_schema::of_moves(rules, &domains, samples);
        let chains = SuccessorChains::new(rules);
        let context = GameContext {
            roles: &roles,
            chains: &chains,
            moved: moves
                .iter()
                .filter(|schema| schema.arity > 1)
                .flat_map(|schema| schema.seen.iter().flatten().map(String::as_str))
                .collect(),
        };
        let evidence = Evidence {
            schemas: &schemas,
            moves: &moves,
            roles: &roles,
            joints: subject.samples.iter().map(|s| s.joint.as_ref()).collect(),
        };
        let mut layouts = layouts(subject, &domains, &context, &evidence);
        let contents = contents(&layouts, &evidence);
        let statuses = status::find(&free(&schemas, &layouts), &roles, &contents);
        let hinted = subject.hint.map(|hint| hint.glyphs.clone());
        let style = Style::new(&roles, &contents, hinted.unwrap_or_default());
        let clicks = clicks::find(&layouts, &statuses, &evidence);
        for (number, layout) in layouts.iter_mut().enumerate() {
            cell_pattern::choose(layout, number, &style, &contents, &clicks);
        }
        let mut drawing = Self {
            roles,
            style,
            layouts,
            statuses,
            clicks,
            pairs,
            coverage: Coverage::default(),
        };
        drawing.coverage = drawing.measure(subject.samples);
        drawing
    }

    fn measure(&self, samples: &[StateSample]) -> Coverage {
        let mut facts = 0;
        let mut undrawn = 0;
        let mut moves = 0;
        let mut clicked = 0;
        for sample in samples.iter().take(MEASURED_SAMPLES) {
            facts += sample.facts.len();
            undrawn += paint::undrawn_facts(self, &sample.facts).len();
            for (role, legal) in self.roles.iter().zip(&sample.legal) {
                let naming = legal.iter().filter(|text| text.starts_with('(')).count();
                let targets = clicks::targets(&self.clicks, &self.layouts, legal, role);
                moves += naming;
                clicked += targets.iter().filter(|targets| !targets.is_empty()).count();
            }
        }
        Coverage {
            drawn: term_schema::ratio(facts - undrawn, facts),
            clicked: term_schema::ratio(clicked, moves),
        }
    }
}

/// The schemas that no board shows yet.
fn free<'f>(schemas: &'f [TermSchema], layouts: &[BoardLayout]) -> Vec<&'f TermSchema> {
    let shapes: FxHashSet<&str> = layouts
        .iter()
        .flat_map(|layout| layout.layers.iter().map(|layer| layer.shape.as_str()))
        .collect();
    let is_free = |schema: &&TermSchema| !shapes.contains(schema.shape.as_str());
    schemas.iter().filter(is_free).collect()
}

/// Recognises all boards: that of the hint, then stacks, grids, tracks, graphs and groups of
/// fluents. Each stage works on the schemas that the previous stages left.
fn layouts(
    subject: &RecognitionInput,
    domains: &Domains,
    context: &GameContext,
    evidence: &Evidence,
) -> Vec<BoardLayout> {
    let rules = subject.rules;
    let mut rigid = RigidRelations::new(rules);
    let hinted = subject
        .hint
        .and_then(|hint| hint::layout(hint, evidence.schemas));
    let mut layouts: Vec<BoardLayout> = hinted.into_iter().collect();
    let stacks = stack::find(&free(evidence.schemas, &layouts), context);
    layouts.extend(stacks);
    let candidates = evidence
        .schemas
        .iter()
        .enumerate()
        .filter(|(_, schema)| {
            !layouts
                .iter()
                .flat_map(|p| &p.layers)
                .any(|l| l.shape == schema.shape)
        })
        .filter_map(|(number, schema)| candidate::read(number, schema, context))
        .collect();
    let mut grids = grid::find(candidates, evidence);
    for layout in &mut grids {
        hex::make_hexagonal(layout, rules, domains, &mut rigid);
    }
    layouts.extend(grids);
    let tracks = track::find(
        &free(evidence.schemas, &layouts),
        context,
        evidence,
        rules,
        domains,
    );
    layouts.extend(tracks);
    if layouts.is_empty() {
        let schemas = free(evidence.schemas, &layouts);
        layouts = graph::find(&schemas, context, evidence, rules, domains, &mut rigid);
    }
    let known = contents(&layouts, evidence);
    let mut left = free(evidence.schemas, &layouts);
    left.retain(|schema| !status::is_hand(schema, context.roles, &known));
    let siblings = fluent_groups::find(&left, context, evidence);
    layouts.extend(siblings);
    // The cells that the first role can name in the first state belong to it.
    let first = subject.samples.first().and_then(|s| s.legal.first());
    let own: FxHashSet<String> = first
        .into_iter()
        .flatten()
        .flat_map(|text| FlatTerm::read(text).leaves)
        .collect();
    for (number, layout) in layouts.iter_mut().enumerate() {
        layout.id = format!("b{number}");
        opposite_rows::arrange(layout, &own, rules, domains, &mut rigid);
        graph::convert_to_graph(layout, rules, domains, &mut rigid);
        if matches!(layout.kind, LayoutKind::Places | LayoutKind::Graph) {
            let most = |shape: &str| {
                let schema = evidence.schemas.iter().find(|schema| schema.shape == shape);
                std::cmp::Reverse(schema.map_or(0, TermSchema::max_facts))
            };
            layout.layers.sort_by_key(|layer| most(&layer.shape));
            layer::assign_draw_modes(&mut layout.layers, evidence.schemas);
        }
        if layout.kind == LayoutKind::Places {
            graph::add_links(layout, rules, domains, &mut rigid);
        }
    }
    layouts
}

/// All contents of all boards.
fn contents(layouts: &[BoardLayout], evidence: &Evidence) -> FxHashSet<String> {
    let mut contents = FxHashSet::default();
    for layer in layouts.iter().flat_map(|layout| &layout.layers) {
        let Some(schema) = evidence
            .schemas
            .iter()
            .find(|schema| schema.shape == layer.shape)
        else {
            continue;
        };
        if layer.content.is_empty() {
            continue;
        }
        for fact in schema.all() {
            let content = content_of(fact, &layer.content);
            if !layer.empty.contains(&content) {
                contents.insert(content);
            }
        }
        if let [leaf] = layer.content[..] {
            let values = schema.values(leaf).iter();
            contents.extend(values.filter(|v| !layer.empty.contains(*v)).cloned());
        }
    }
    contents
}
