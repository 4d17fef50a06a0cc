//! `ludorum inspect --stage network`: the propositional network before and after its passes, and
//! drawings of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::ValueHint;
use ludorum_propnet::network::ComponentCounts;
use ludorum_propnet::pass;
use ludorum_propnet::pass::{Latch, PassOutcome};
use ludorum_propnet::statistics::DegreeDistribution;
use ludorum_propnet::{
    Circuit, CompileLimits, CompiledGame, ComponentKind, DotGraph, Network, NetworkStatistics,
    Pass, PassList,
};
use serde::Serialize;

use super::ground::milliseconds;
use crate::outcome::Failure;
use crate::terminal::{OutputStyle, Terminal, printable, shortened};

/// The most one-hot groups that are shown.
const GROUPS_SHOWN: usize = 8;

/// The options of the stage `network`.
#[derive(Debug, clap::Args)]
pub(super) struct NetworkOptions {
    /// The passes to apply, in order: names with commas, `full`, `paper` or `none`.
    #[arg(long, value_name = "PASSES", default_value = "full")]
    passes: PassList,

    /// The time for the passes beyond those of Sironi and Winands (2016), together.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = CompileLimits::default().passes.as_secs()
    )]
    max_pass_time: u64,

    /// Print the network as a graph for Graphviz.
    #[arg(long, conflicts_with_all = ["json", "svg"])]
    dot: bool,

    /// Draw the network into an SVG file, with the `dot` program of Graphviz.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "json")]
    svg: Option<PathBuf>,

    /// Draw only the components on which this depends: `terminal`, `(legal ROLE MOVE)`, `(next
    /// FLUENT)` or `(goal ROLE VALUE)`.
    #[arg(long, value_name = "NAME")]
    cone: Option<String>,

    /// Draw at most this many components, the nearest first.
    #[arg(long, value_name = "COUNT", default_value_t = 500)]
    limit: usize,
}

impl NetworkOptions {
    /// The passes to apply.
    pub(super) fn passes(&self) -> &[Pass] {
        self.passes.as_slice()
    }
}

/// Prints the statistics of a network or draws it.
pub(super) fn show(
    game: &str,
    compiled: &CompiledGame,
    limits: CompileLimits,
    options: &NetworkOptions,
    json: bool,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let limits = CompileLimits {
        passes: Duration::from_secs(options.max_pass_time),
        ..limits
    };
    let report = compiled.network_report(&limits);
    let report = report.map_err(|error| Failure::input(error.to_string()))?;
    let (network, effects) = (&report.network, &report.passes);
    let first = PassStep::new("basic", &report.basic, report.build_time);
    if options.dot || options.svg.is_some() {
        return draw(game, network, options, terminal);
    }
    if options.cone.is_some() {
        return Err(Failure::input_with_help(
            "--cone needs an output format",
            "add --dot or --svg FILE",
        ));
    }
    let named = |outcome: PassOutcome| {
        let passes = effects.iter().filter(|effect| effect.outcome == outcome);
        passes.map(|effect| effect.pass.name()).collect()
    };
    let steps = effects
        .iter()
        .filter(|effect| effect.outcome != PassOutcome::Skipped)
        .map(|effect| PassStep::new(effect.pass.name(), &effect.after, effect.time));
    let report = NetworkReport {
        game,
        cut_short: named(PassOutcome::CutShort),
        left_out: named(PassOutcome::Skipped),
        steps: std::iter::once(first).chain(steps).collect(),
        shape: NetworkStatistics::new(network),
        one_hot: network
            .exclusive
            .iter()
            .map(|group| texts(network, group))
            .collect(),
        equal: network.equal.len(),
        latches: LatchCounts::new(network),
        circuit: CircuitSize::new(&report.circuit()),
    };
    if json {
        terminal.json(&report)?;
        return Ok(());
    }
    let text = report.text(&terminal.style);
    terminal.write_all(text.as_bytes())?;
    Ok(())
}

fn texts(network: &Network, fluents: &[u32]) -> Vec<String> {
    fluents
        .iter()
        .map(|fluent| network.game.fluents[*fluent as usize].to_string())
        .collect()
}

fn draw(
    game: &str,
    network: &Network,
    options: &NetworkOptions,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let root = match &options.cone {
        None => None,
        Some(name) => Some(network.find(name).ok_or_else(|| {
            Failure::input_with_help(
                format!("the network has no component called `{name}`"),
                "a pass may have removed it (try --passes none); names are written as in the \
                 sheet, for example `(next (cell 1 1 x))`",
            )
        })?),
    };
    let drawing = DotGraph::new(network, root, options.limit);
    if drawing.left_out > 0 && options.cone.is_none() {
        return Err(Failure::input_with_help(
            format!(
                "the network has {} components, and the limit of the drawing is {}",
                network.len(),
                options.limit
            ),
            "draw a part with --cone, or raise --limit",
        ));
    }
    let dot = drawing.to_dot(network, game);
    match &options.svg {
        None => terminal.write_all(printable(&dot).as_bytes())?,
        Some(path) => {
            run_graphviz(&dot, path)?;
            let note = match drawing.left_out {
                0 => String::new(),
                left_out => format!(", {left_out} farther away left out"),
            };
            let count = drawing.len();
            writeln!(
                terminal,
                "drew {count} components into {}{note}",
                path.display()
            )?;
        }
    }
    Ok(())
}

/// Runs Graphviz to draw a graph into a file.
fn run_graphviz(dot: &str, path: &Path) -> Result<(), Failure> {
    let child = Command::new("dot")
        .args(["-Tsvg", "-o"])
        .arg(path)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| {
        Failure::input_with_help(
            format!("cannot start the `dot` program of Graphviz: {error}"),
            "install Graphviz, or write the graph with --dot and draw it elsewhere",
        )
    })?;
    if let Some(mut input) = child.stdin.take() {
        // If Graphviz exits early, its message on standard error says why.
        let _ = input.write_all(dot.as_bytes());
    }
    let output = child.wait_with_output();
    let output = output.map_err(|error| Failure::input(format!("Graphviz failed: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(Failure::input(format!(
        "Graphviz failed: {}",
        message.trim()
    )))
}

/// Everything that is printed of a network.
#[derive(Serialize)]
struct NetworkReport<'n> {
    game: &'n str,
    /// The basic network, then the network after each pass.
    steps: Vec<PassStep>,
    /// The passes that ran out of time.
    cut_short: Vec<&'static str>,
    /// The passes that were skipped because no time was left.
    left_out: Vec<&'static str>,
    /// Statistics of the final network.
    shape: NetworkStatistics,
    one_hot: Vec<Vec<String>>,
    /// The number of fluents that always equal another one.
    equal: usize,
    latches: LatchCounts,
    circuit: CircuitSize,
}

/// The size of the circuit that engines evaluate: gates with negations on their wires. Unlike in
/// the network, NOT gates, transitions and propositions other than fluents and moves are not
/// components.
#[derive(Serialize)]
struct CircuitSize {
    /// The constant, fluents, moves and gates.
    signals: usize,
    fluents: usize,
    moves: usize,
    gates: usize,
    /// Inputs of gates.
    wires: usize,
}

impl CircuitSize {
    fn new(circuit: &Circuit) -> Self {
        Self {
            signals: circuit.signal_count(),
            fluents: circuit.fluents as usize,
            moves: circuit.moves as usize,
            gates: circuit.gate_count(),
            wires: circuit.wire_count(),
        }
    }
}

#[derive(Serialize)]
struct PassStep {
    pass: &'static str,
    components: usize,
    wires: usize,
    by_kind: BTreeMap<&'static str, usize>,
    seconds: f64,
}

impl PassStep {
    fn new(pass: &'static str, counts: &ComponentCounts, time: Duration) -> Self {
        Self {
            pass,
            components: counts.total,
            wires: counts.wires,
            by_kind: ComponentKind::ALL
                .map(|kind| (kind.name(), counts.of(kind)))
                .into(),
            seconds: time.as_secs_f64(),
        }
    }
}

/// The numbers of fluents that stop changing.
#[derive(Default, Serialize)]
struct LatchCounts {
    /// Once true, they stay true.
    up: usize,
    /// Once false, they stay false.
    down: usize,
    /// They never change.
    fixed: usize,
}

impl LatchCounts {
    fn new(network: &Network) -> Self {
        let mut latches = Self::default();
        for latch in pass::latches(network).into_iter().flatten() {
            match latch {
                Latch::Up => latches.up += 1,
                Latch::Down => latches.down += 1,
                Latch::Fixed(_) => latches.fixed += 1,
            }
        }
        latches
    }
}

impl NetworkReport<'_> {
    fn text(&self, style: &OutputStyle) -> String {
        let mut out = String::new();
        self.table(&mut out, style);
        for (passes, what) in [(&self.cut_short, "cut short"), (&self.left_out, "left out")] {
            if !passes.is_empty() {
                let names = passes.join(", ");
                let note = format!("{what} for lack of time: {names}; see --max-pass-time\n");
                out.push_str(&style.warning(&note));
            }
        }
        let shape = &self.shape;
        let cycles = match shape.cycles {
            0 => "none".to_owned(),
            count => format!("{count} with {} components", shape.cyclic),
        };
        let latches = &self.latches;
        let circuit = &self.circuit;
        for (name, value) in [
            (
                "circuit",
                format!(
                    "{} signals to evaluate (1 constant, {} fluents, {} moves, {} gates), {} \
                     wires; negations are on wires, names are not components",
                    circuit.signals, circuit.fluents, circuit.moves, circuit.gates, circuit.wires
                ),
            ),
            ("levels", shape.levels.to_string()),
            ("cycles", cycles),
            ("fan-in", spread(&shape.fan_in)),
            ("fan-out", spread(&shape.fan_out)),
            (
                "one-hot",
                format!("{} groups of fluents", self.one_hot.len()),
            ),
            (
                "equal",
                format!("{} fluents always equal another one", self.equal),
            ),
            (
                "latches",
                format!(
                    "{} fluents stay true once they are, {} stay false, {} never change",
                    latches.up, latches.down, latches.fixed
                ),
            ),
        ] {
            let _ = writeln!(out, "{name:<10} {value}");
        }
        for group in self.one_hot.iter().take(GROUPS_SHOWN) {
            let line = group.join(" ");
            let _ = writeln!(out, "  {}", shortened(&line, style.width.saturating_sub(6)));
        }
        if self.one_hot.len() > GROUPS_SHOWN {
            let more = self.one_hot.len() - GROUPS_SHOWN;
            let _ = writeln!(
                out,
                "  {}",
                style.dimmed(&format!("and {more} more, listed with --json"))
            );
        }
        out
    }

    /// Counts by kind, one line per pass; kinds that never occur are left out.
    fn table(&self, out: &mut String, style: &OutputStyle) {
        let kinds: Vec<&str> = ComponentKind::ALL[2..]
            .iter()
            .map(|kind| kind.name())
            .filter(|kind| self.steps.iter().any(|step| step.by_kind[kind] > 0))
            .collect();
        let mut head = format!("{:<8} {:>9} {:>9}", "pass", "total", "wires");
        for kind in &kinds {
            // Ten characters are enough for all names of kinds.
            let _ = write!(head, " {kind:>10}");
        }
        let _ = writeln!(out, "{}", style.bold(&format!("{head} {:>10}", "time")));
        for step in &self.steps {
            let _ = write!(
                out,
                "{:<8} {:>9} {:>9}",
                step.pass, step.components, step.wires
            );
            for kind in &kinds {
                let _ = write!(out, " {:>10}", step.by_kind[kind]);
            }
            let time = milliseconds(Duration::from_secs_f64(step.seconds));
            let _ = writeln!(out, " {time:>10}");
        }
        out.push('\n');
    }
}

/// A distribution on one line.
fn spread(spread: &DegreeDistribution) -> String {
    let mut text = format!("mean {:.1}, at most {};", spread.mean, spread.max);
    for (bucket, count) in spread
        .buckets
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
    {
        let high = 1usize << bucket;
        let range = match bucket {
            0 => "1".to_owned(),
            1 => "2".to_owned(),
            _ => format!("{}-{high}", high / 2 + 1),
        };
        let _ = write!(text, " {range}: {count}");
    }
    text
}
