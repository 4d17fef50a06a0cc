//! The random games of `ludorum check`: faults found in play, as diagnostics with the moves that
//! lead to them.

use std::sync::Arc;
use std::time::Duration;

use ludorum_engines::Engine;
use ludorum_gdl::Diagnostic;
use ludorum_gdl::check::codes;
use ludorum_reasoner::{
    FaultKind, PlayabilityFault, PlayabilityReport, PlayabilityTest, ReasonError,
};
use serde::Serialize;

use crate::engine_options;
use crate::report::{counted, render};
use crate::sheet_report::SheetReport;
use crate::terminal::{OutputStyle, printable, shortened};

/// How many steps of the path to a fault are shown at its beginning, and as many at its end.
const STEPS_SHOWN: usize = 6;
/// How many lines of a state are shown.
const STATE_LINES: usize = 6;

/// How many random games of a single sheet are played by default.
const PLAYOUTS: u32 = 10;

/// The options for random games.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// Play this many random games of each sheet; 10 for a single sheet if not given.
    #[arg(long, value_name = "N", conflicts_with = "no_play")]
    play: Option<u32>,

    /// Do not play random games.
    #[arg(long)]
    no_play: bool,

    /// Stop a game after this many steps.
    #[arg(long, value_name = "STEPS", default_value_t = 1000)]
    steps: u32,

    /// The most time for each sheet; 2 seconds if not given, 20 with --play.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: Option<u64>,

    /// The seed of the random moves.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// The engine, with options as in `propnet:passes=paper`; `ludorum engines` lists them.
    #[arg(
        long,
        value_name = "ENGINE",
        default_value = "prover",
        value_parser = engine_options::engine()
    )]
    pub(crate) engine: Engine,
}

impl Args {
    /// The effort for each sheet, if any. By default only a single sheet is played.
    pub(crate) fn effort(&self, is_single: bool) -> Option<PlayabilityTest> {
        let unasked = if is_single && !self.no_play {
            PLAYOUTS
        } else {
            0
        };
        let seconds = if self.play.is_some() { 20 } else { 2 };
        let effort = PlayabilityTest {
            playouts: self.play.unwrap_or(unasked),
            steps: self.steps,
            time: Duration::from_secs(self.seconds.unwrap_or(seconds)),
            seed: self.seed,
        };
        (effort.playouts > 0).then_some(effort)
    }
}

/// The result of random games.
#[derive(Clone, Debug)]
pub(crate) struct Playability {
    /// The problems met.
    pub(crate) problems: Vec<PlayProblem>,
    /// The number of playouts that were asked for.
    pub(crate) requested: u32,
    /// The number of playouts that were finished.
    pub(crate) made: u32,
    /// The number of joint moves in them.
    pub(crate) steps: u64,
    /// The roles in the order of joint moves.
    roles: Vec<String>,
}

/// A fault found in play.
#[derive(Clone, Debug)]
pub(crate) struct PlayProblem {
    pub(crate) diagnostic: Diagnostic,
    pub(crate) evidence: Option<Evidence>,
}

/// A state, and the joint moves that lead to it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Evidence {
    moves: Vec<Vec<String>>,
    state: Vec<String>,
}

/// Plays random games of a sheet that has rules, and adds the faults to its report.
pub(crate) fn examine(report: &mut SheetReport, engine: Engine, effort: &PlayabilityTest) {
    let Some(rules) = report.rules.take().map(Arc::new) else {
        return;
    };
    let roles: Vec<String> = rules.roles.iter().map(|id| rules.terms.text(*id)).collect();
    let mut playability = Playability {
        problems: Vec::new(),
        requested: effort.playouts,
        made: 0,
        steps: 0,
        roles,
    };
    match engine.build(&rules) {
        Ok(reasoner) => playability.add(effort.run(reasoner), effort),
        Err(error) => playability.give_up(&error.to_string()),
    }
    report.playability = Some(playability);
}

impl Playability {
    fn add(&mut self, trial: PlayabilityReport, effort: &PlayabilityTest) {
        self.made = trial.playouts;
        self.steps = trial.steps;
        for fault in trial.faults {
            let diagnostic = self.diagnostic(&fault, effort);
            self.problems.push(PlayProblem {
                diagnostic,
                evidence: Some(Evidence {
                    moves: fault.moves,
                    state: fault.state,
                }),
            });
        }
        match trial.stopped {
            // Running out of time is not a fault of the sheet; the summary tells how many playouts
            // were made.
            None | Some(ReasonError::Stopped) => {}
            Some(error) => self.give_up(&error.to_string()),
        }
    }

    fn give_up(&mut self, reason: &str) {
        let message = format!("random games could not be played: {reason}");
        let help = "look for rules that build ever larger terms or join many relations at once";
        self.problems.push(PlayProblem {
            diagnostic: Diagnostic::warning(codes::PLAYOUT_FAILED, message).help(help),
            evidence: None,
        });
    }

    fn diagnostic(&self, fault: &PlayabilityFault, effort: &PlayabilityTest) -> Diagnostic {
        let name = |role: &usize| self.roles.get(*role).map_or("", String::as_str);
        let error =
            |code, message: String, help: String| Diagnostic::error(code, message).help(help);
        match &fault.kind {
            FaultKind::NoLegalMove(role) => error(
                codes::NO_LEGAL_MOVE,
                format!(
                    "`{}` has no legal move, and the game has not ended",
                    name(role)
                ),
                "add a `legal` rule for such states, or let `terminal` hold in them".into(),
            ),
            FaultKind::NoGoal(role) => error(
                codes::NO_GOAL_VALUE,
                format!("the game ends without a goal value for `{}`", name(role)),
                "add a `goal` rule for such states".into(),
            ),
            FaultKind::SeveralGoals(role, all) => error(
                codes::SEVERAL_GOAL_VALUES,
                format!(
                    "the game ends with several goal values for `{}`: {}",
                    name(role),
                    all.join(", ")
                ),
                "let the conditions of the `goal` rules exclude each other".into(),
            ),
            FaultKind::BadGoal(role, value) => error(
                codes::BAD_GOAL_VALUE,
                format!(
                    "the game ends with the goal value `{value}` for `{}`",
                    name(role)
                ),
                "goal values are whole numbers from 0 to 100".into(),
            ),
            FaultKind::EndedAtStart => {
                Diagnostic::warning(codes::INITIALLY_TERMINAL, "the initial state is terminal")
                    .help("`terminal` should not hold in the state that `init` describes")
            }
            FaultKind::SeveralGoalsEarly(role, all) => Diagnostic::warning(
                codes::SEVERAL_GOAL_VALUES_EARLY,
                format!(
                    "`{}` has several goal values before the end: {}",
                    name(role),
                    all.join(", ")
                ),
            )
            .help(
                "let the conditions of the `goal` rules exclude each other, or hold at the end \
                   only",
            ),
            FaultKind::Endless => Diagnostic::warning(
                codes::STEP_LIMIT_REACHED,
                format!(
                    "{} of {} did not end within {}",
                    fault.playouts,
                    counted(self.made as usize, "random game", "random games"),
                    counted(effort.steps as usize, "step", "steps")
                ),
            )
            .help(
                "count steps and let `terminal` hold at some number, or give a higher limit \
                   with --steps",
            ),
        }
    }

    /// The number of playouts: `10 playouts`.
    pub(crate) fn sentence(&self) -> String {
        let requested = counted(self.requested as usize, "playout", "playouts");
        if self.made == self.requested {
            requested
        } else {
            format!("{} of {requested} finished", self.made)
        }
    }

    /// The faults with their evidence, as text.
    pub(crate) fn rendered(&self, name: &str, text: &str, style: &OutputStyle) -> String {
        let mut out = String::new();
        for problem in &self.problems {
            let diagnostic = std::slice::from_ref(&problem.diagnostic);
            let report = render(name, text, diagnostic, 1, style);
            out += report.trim_end_matches('\n');
            out.push('\n');
            if let Some(evidence) = &problem.evidence {
                out += &self.evidence_text(evidence, style);
            }
            out.push('\n');
        }
        out
    }

    /// The moves that lead to a state, and the state.
    fn evidence_text(&self, evidence: &Evidence, style: &OutputStyle) -> String {
        let heading = |text: &str| format!("  {}\n", style.dimmed(text));
        let count = evidence.moves.len();
        let mut out = match count {
            0 => heading("in the initial state:"),
            _ => heading(&format!("after {}:", counted(count, "step", "steps"))),
        };
        let digits = count.to_string().len();
        for (i, joint) in evidence.moves.iter().enumerate() {
            if count > 2 * STEPS_SHOWN + 1 && (STEPS_SHOWN..count - STEPS_SHOWN).contains(&i) {
                if i == STEPS_SHOWN {
                    let left_out = count - 2 * STEPS_SHOWN;
                    out += &format!("    ... {left_out} steps more, see --json\n");
                }
                continue;
            }
            let moves: Vec<String> = self
                .roles
                .iter()
                .zip(joint)
                .map(|(role, text)| format!("{role} {text}"))
                .collect();
            let line = format!("{:>digits$}. {}", i + 1, moves.join(", "));
            let line = shortened(&line, 4 * style.width);
            let options = textwrap::Options::new(style.width)
                .initial_indent("    ")
                .subsequent_indent("      ");
            out += &printable(&textwrap::fill(&line, options));
            out.push('\n');
        }
        if count > 0 {
            out += &heading("to the state:");
        }
        let state = shortened(&evidence.state.join(" "), 8 * style.width).into_owned();
        let options = textwrap::Options::new(style.width)
            .initial_indent("    ")
            .subsequent_indent("    ");
        let lines = textwrap::wrap(&state, options);
        for line in lines.iter().take(STATE_LINES) {
            out += &format!("{}\n", printable(line));
        }
        if lines.len() > STATE_LINES {
            out += "    ...\n";
        }
        out
    }
}
