//! What was recognised of a game, ready to draw any of its states.

use ludorum_games::BoardHint;
use ludorum_logic::{Domains, Rules};
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::candidate::{self, Context};
use crate::clicks::{self, Clicks};
use crate::content::content_of;
use crate::form::{self, Form};
use crate::grid::{self, Evidence};
use crate::model::{Aside, Ground, Kind, Plan};
use crate::order::Chains;
use crate::paint;
use crate::rigid::Rigid;
use crate::sample::StateSample;
use crate::style::Style;
use crate::term::Term;
use crate::{aside, graph, hex, hint, joined, layer, look, pits, siblings, stack, track};

/// A game to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct RecognitionInput<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// What the metadata of a shipped game say about its board.
    pub hint: Option<&'a BoardHint>,
    /// States seen in a few random playouts, the initial one first; see [`crate::sample_states`].
    pub samples: &'a [StateSample],
}

/// What was recognised of a game: made once, then it draws any state.
#[derive(Clone, Debug)]
pub struct BoardRenderer {
    pub(crate) roles: Vec<String>,
    pub(crate) style: Style,
    pub(crate) plans: Vec<Plan>,
    pub(crate) asides: Vec<Aside>,
    pub(crate) clicks: Clicks,
    /// Fluents that are read as one.
    pub(crate) pairs: Vec<joined::Pair>,
    shares: Shares,
}

#[derive(Clone, Copy, Debug, Default)]
struct Shares {
    drawn: f64,
    clicked: f64,
}

/// How a state is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct DrawOptions<'a> {
    /// The joint move that led here: its cells are marked.
    pub last: &'a [String],
    /// The legal moves of the viewer: what they name can be clicked.
    pub legal: &'a [String],
    /// The role of the viewer.
    pub role: Option<usize>,
    /// The picture stands alone, not in a page: it brings its own colours for dark screens.
    pub standalone: bool,
    /// The match is over: nobody is to move any more, whatever the state says.
    pub over: bool,
}

/// A state, drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RenderedState {
    /// The picture.
    pub svg: String,
    /// What the picture does not show, in words.
    pub facts: Vec<String>,
    /// The picture in words.
    pub label: String,
    /// For each of [`DrawOptions::legal`], the targets to click one after the other; none if the
    /// move is in no picture.
    pub clicks: Vec<Vec<String>>,
}

/// Shares are measured on so many samples.
const MEASURED: usize = 16;

/// What was recognised, in figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecognitionReport {
    /// The boards.
    pub boards: Vec<BoardReport>,
    /// The names of fluents that are drawn as things at hand.
    pub hands: Vec<String>,
    /// The names of fluents that are drawn as numbers.
    pub counters: Vec<String>,
    /// Whether some fluent says whose turn it is.
    pub control: bool,
    /// The share of the facts of all samples that are drawn and not only told.
    pub drawn: f64,
    /// The share of legal moves in all samples that can be clicked, of those that name anything.
    pub clicked: f64,
}

/// A board that was recognised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoardReport {
    /// `grid`, `hex`, `places`, `track`, `stacks` or `graph`.
    pub kind: &'static str,
    /// Columns and rows of a grid, or of one of its panels.
    pub size: [usize; 2],
    /// How many cells there are, holes not counted.
    pub cells: usize,
    /// The fluents that are drawn on it.
    pub fluents: Vec<String>,
}

impl BoardRenderer {
    /// Recognises what can be drawn. Never fails: the last resort is a table of facts. All work is
    /// bounded.
    pub fn recognise(subject: &RecognitionInput) -> Self {
        let rules = subject.rules;
        let roles: Vec<String> = rules
            .roles
            .iter()
            .map(|role| rules.terms.text(*role))
            .collect();
        let domains = Domains::new(rules);
        let pairs = joined::find(subject.samples);
        let joined: Vec<StateSample>;
        let samples = if pairs.is_empty() {
            subject.samples
        } else {
            joined = subject
                .samples
                .iter()
                .map(|sample| StateSample {
                    facts: joined::join(&pairs, &sample.facts),
                    ..sample.clone()
                })
                .collect();
            &joined
        };
        let forms = form::of_facts(rules, &domains, samples);
        let moves = form::of_moves(rules, &domains, samples);
        let chains = Chains::new(rules);
        let context = Context {
            roles: &roles,
            chains: &chains,
            moved: moves
                .iter()
                .filter(|form| form.arity > 1)
                .flat_map(|form| form.seen.iter().flatten().map(String::as_str))
                .collect(),
        };
        let evidence = Evidence {
            forms: &forms,
            moves: &moves,
            roles: &roles,
            joints: subject.samples.iter().map(|s| s.joint.as_ref()).collect(),
        };
        let mut plans = plans(subject, &domains, &context, &evidence);
        let contents = contents(&plans, &evidence);
        let asides = aside::find(&free(&forms, &plans), &roles, &contents);
        let hinted = subject.hint.map(|hint| hint.glyphs.clone());
        let style = Style::new(&roles, &contents, hinted.unwrap_or_default());
        let clicks = clicks::find(&plans, &asides, &evidence);
        for (number, plan) in plans.iter_mut().enumerate() {
            look::decorate(plan, number, &style, &contents, &clicks);
        }
        let mut drawing = Self {
            roles,
            style,
            plans,
            asides,
            clicks,
            pairs,
            shares: Shares::default(),
        };
        drawing.shares = drawing.measure(subject.samples);
        drawing
    }

    /// Draws a state.
    pub fn draw(&self, facts: &[String], options: &DrawOptions) -> RenderedState {
        paint::scene(self, facts, options)
    }

    /// What was recognised.
    pub fn report(&self) -> RecognitionReport {
        let name = |shape: &str| {
            let shape = shape.trim_start_matches('(');
            let end = shape.find([' ', ')']).unwrap_or(shape.len());
            shape[..end].to_owned()
        };
        let asides = |wanted: fn(&Aside) -> bool| {
            let shapes = self.asides.iter().filter(|aside| wanted(aside));
            shapes.map(|aside| name(aside.shape())).collect()
        };
        RecognitionReport {
            boards: self
                .plans
                .iter()
                .map(|plan| BoardReport {
                    kind: match plan.kind {
                        Kind::Grid => "grid",
                        Kind::Hex => "hex",
                        Kind::Places => "places",
                        Kind::Track => "track",
                        Kind::Stacks => "stacks",
                        Kind::Graph => "graph",
                    },
                    size: plan.size,
                    cells: plan
                        .cells
                        .iter()
                        .filter(|c| c.ground != Ground::Hole)
                        .count(),
                    fluents: plan.layers.iter().map(|layer| name(&layer.shape)).collect(),
                })
                .collect(),
            hands: asides(|aside| matches!(aside, Aside::Hand { .. })),
            counters: asides(|aside| matches!(aside, Aside::Counter { .. })),
            control: self
                .asides
                .iter()
                .any(|aside| matches!(aside, Aside::Control { .. })),
            drawn: self.shares.drawn,
            clicked: self.shares.clicked,
        }
    }

    fn measure(&self, samples: &[StateSample]) -> Shares {
        let mut facts = 0;
        let mut told = 0;
        let mut moves = 0;
        let mut clicked = 0;
        for sample in samples.iter().take(MEASURED) {
            facts += sample.facts.len();
            told += paint::untold(self, &sample.facts).len();
            for (role, legal) in self.roles.iter().zip(&sample.legal) {
                let naming = legal.iter().filter(|text| text.starts_with('(')).count();
                let targets = clicks::targets(&self.clicks, &self.plans, legal, role);
                moves += naming;
                clicked += targets.iter().filter(|targets| !targets.is_empty()).count();
            }
        }
        Shares {
            drawn: form::share(facts - told, facts),
            clicked: form::share(clicked, moves),
        }
    }
}

/// The forms that no board shows yet.
fn free<'f>(forms: &'f [Form], plans: &[Plan]) -> Vec<&'f Form> {
    let shapes: FxHashSet<&str> = plans
        .iter()
        .flat_map(|plan| plan.layers.iter().map(|layer| layer.shape.as_str()))
        .collect();
    let is_free = |form: &&Form| !shapes.contains(form.shape.as_str());
    forms.iter().filter(is_free).collect()
}

/// All boards: what the hint says, then stacks, grids, places and graphs, each from the forms that
/// are left.
fn plans(
    subject: &RecognitionInput,
    domains: &Domains,
    context: &Context,
    evidence: &Evidence,
) -> Vec<Plan> {
    let rules = subject.rules;
    let mut rigid = Rigid::new(rules);
    let hinted = subject
        .hint
        .and_then(|hint| hint::plan(hint, evidence.forms));
    let mut plans: Vec<Plan> = hinted.into_iter().collect();
    let stacks = stack::find(&free(evidence.forms, &plans), context);
    plans.extend(stacks);
    let candidates = evidence
        .forms
        .iter()
        .enumerate()
        .filter(|(_, form)| {
            !plans
                .iter()
                .flat_map(|p| &p.layers)
                .any(|l| l.shape == form.shape)
        })
        .filter_map(|(number, form)| candidate::read(number, form, context))
        .collect();
    let mut grids = grid::boards(candidates, evidence);
    for plan in &mut grids {
        hex::bend(plan, rules, domains, &mut rigid);
    }
    plans.extend(grids);
    let tracks = track::find(
        &free(evidence.forms, &plans),
        context,
        evidence,
        rules,
        domains,
    );
    plans.extend(tracks);
    if plans.is_empty() {
        let forms = free(evidence.forms, &plans);
        plans = graph::find(&forms, context, evidence, rules, domains, &mut rigid);
    }
    let known = contents(&plans, evidence);
    let mut left = free(evidence.forms, &plans);
    left.retain(|form| !aside::is_hand(form, context.roles, &known));
    let siblings = siblings::find(&left, context, evidence);
    plans.extend(siblings);
    // What the first role can name at first is its own.
    let first = subject.samples.first().and_then(|s| s.legal.first());
    let own: FxHashSet<String> = first
        .into_iter()
        .flatten()
        .flat_map(|text| Term::read(text).leaves)
        .collect();
    for (number, plan) in plans.iter_mut().enumerate() {
        plan.id = format!("b{number}");
        pits::face(plan, &own, rules, domains, &mut rigid);
        graph::untie(plan, rules, domains, &mut rigid);
        if matches!(plan.kind, Kind::Places | Kind::Graph) {
            let most = |shape: &str| {
                let form = evidence.forms.iter().find(|form| form.shape == shape);
                std::cmp::Reverse(form.map_or(0, Form::most))
            };
            plan.layers.sort_by_key(|layer| most(&layer.shape));
            layer::settle(&mut plan.layers, evidence.forms);
        }
        if plan.kind == Kind::Places {
            graph::connect(plan, rules, domains, &mut rigid);
        }
    }
    plans
}

/// All contents of all boards.
fn contents(plans: &[Plan], evidence: &Evidence) -> FxHashSet<String> {
    let mut contents = FxHashSet::default();
    for layer in plans.iter().flat_map(|plan| &plan.layers) {
        let Some(form) = evidence.forms.iter().find(|form| form.shape == layer.shape) else {
            continue;
        };
        if layer.content.is_empty() {
            continue;
        }
        for fact in form.all() {
            let content = content_of(fact, &layer.content);
            if !layer.empty.contains(&content) {
                contents.insert(content);
            }
        }
        if let [leaf] = layer.content[..] {
            let values = form.values(leaf).iter();
            contents.extend(values.filter(|v| !layer.empty.contains(*v)).cloned());
        }
    }
    contents
}
