//! The players of the roles that the person does not play, and the player that gives hints.

use std::io;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use ludorum_engines::Engine;
use ludorum_engines::engine::BuildError;
use ludorum_logic::Rules;
use ludorum_reasoner::{Dice, Role};
use ludorum_search::spec::USUAL;
use ludorum_search::{Answer, PlayError, Player, Report, Spec, Table};

/// The default memory of all opponents together, in MiB.
const MEMORY: usize = 1024;

/// The players and their clock.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// One player for each role; the one of the person is only used for hints.
    pub(super) specs: Vec<Spec>,
    /// The time for a move.
    pub(super) time: Duration,
    /// Whether opponents search while the person chooses.
    pub(super) ponders: bool,
    /// The seed of all random choices.
    pub(super) seed: u64,
}

/// The engines of a session, each built once.
pub(super) struct Tables {
    rules: Arc<Rules>,
    tables: Vec<Table>,
}

impl Tables {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        Self {
            rules,
            tables: Vec::new(),
        }
    }

    pub(super) fn table(&mut self, engine: Engine) -> Result<Table, BuildError> {
        if let Some(table) = self.tables.iter().find(|table| table.engine() == engine) {
            return Ok(table.clone());
        }
        let table = Table::new(&self.rules, engine)?;
        self.tables.push(table.clone());
        Ok(table)
    }
}

/// The player of a role.
struct Opponent {
    player: Box<dyn Player>,
    /// Its move and report at its last choice.
    thought: Option<(String, Report)>,
}

/// The players of all other roles.
pub(super) struct Opponents {
    tables: Tables,
    setting: Setting,
    /// The person's role.
    person: Role,
    /// One for each role; `None` for the person.
    seats: Vec<Option<Opponent>>,
    /// The player that gives hints, created at the first hint.
    adviser: Option<Box<dyn Player>>,
    /// Chooses moves for opponents that fail.
    dice: Dice,
}

impl Opponents {
    pub(super) fn new(tables: Tables, setting: Setting, person: Role) -> Result<Self, PlayError> {
        let mut opponents = Self {
            tables,
            dice: Dice::new(setting.seed),
            setting,
            person,
            seats: Vec::new(),
            adviser: None,
        };
        for role in 0..opponents.setting.specs.len() {
            let seat = if role == person {
                None
            } else {
                let spec = opponents.setting.specs[role].clone();
                let player = opponents.make(&spec, role)?;
                Some(Opponent {
                    player,
                    thought: None,
                })
            };
            opponents.seats.push(seat);
        }
        Ok(opponents)
    }

    /// Creates a player with its own seed and its share of the memory, unless its options set them.
    fn make(&mut self, spec: &Spec, role: Role) -> Result<Box<dyn Player>, PlayError> {
        let share = (MEMORY / self.setting.specs.len().max(1)).max(1);
        let seed = self.setting.seed.wrapping_add(role as u64);
        let spec = spec
            .clone()
            .unless_written("seed", seed)
            .unless_written("memory", share as u64);
        self.tables.table(spec.engine())?.player(&spec, role)
    }

    /// A sentence about the players: `oplayer is played by mcts, 2 s a move.`
    pub(super) fn about(&self, roles: &[String]) -> String {
        let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
        for (role, name) in roles.iter().enumerate() {
            if role == self.person {
                continue;
            }
            let spec = self.setting.specs[role].to_string();
            match groups.iter_mut().find(|(known, _)| *known == spec) {
                Some((_, names)) => names.push(name),
                None => groups.push((spec, vec![name])),
            }
        }
        let told: Vec<String> = groups
            .iter()
            .map(|(spec, names)| match &names[..] {
                [name] => format!("{name} is played by {spec}"),
                names => format!("{} are played by {spec}", names.join(", ")),
            })
            .collect();
        let thinks = (0..roles.len())
            .filter(|role| *role != self.person)
            .any(|role| !is_thoughtless(&self.setting.specs[role]));
        let clock = if thinks {
            format!(", {} s a move", self.setting.time.as_secs_f64())
        } else {
            String::new()
        };
        format!("{}{clock}.", told.join(", "))
    }

    /// The moves of all opponents, `None` for the person. All of them search at the same time.
    /// Every role must have legal moves.
    pub(super) fn choose(&mut self, legal: &[Vec<String>]) -> Vec<Option<String>> {
        let deadline = Instant::now() + self.setting.time;
        let answers: Vec<Option<Result<Answer, PlayError>>> = std::thread::scope(|scope| {
            let mut threads = Vec::with_capacity(legal.len());
            for seat in &mut self.seats {
                threads.push(seat.as_mut().map(|Opponent { player, .. }| {
                    let thread = std::thread::Builder::new();
                    thread.spawn_scoped(scope, move || player.play(deadline))
                }));
            }
            let answer = |thread: io::Result<ScopedJoinHandle<'_, _>>| match thread?.join() {
                Ok(answer) => answer,
                Err(_) => Err(io::Error::other("the player panicked").into()),
            };
            threads.into_iter().map(|t| t.map(answer)).collect()
        });
        let mut moves = Vec::with_capacity(legal.len());
        for (role, answer) in answers.into_iter().enumerate() {
            moves.push(answer.map(|answer| self.settle(role, answer, &legal[role])));
        }
        moves
    }

    /// The move of an answer. A player that failed gets a random move, so that the game goes on;
    /// the command `why` shows the error.
    fn settle(
        &mut self,
        role: Role,
        answer: Result<Answer, PlayError>,
        legal: &[String],
    ) -> String {
        let (text, report) = match answer {
            Ok(answer) => (answer.text, answer.report),
            Err(error) => {
                let trouble = Some(error.to_string());
                let report = Report {
                    trouble,
                    ..Report::default()
                };
                (String::new(), report)
            }
        };
        let text = if legal.contains(&text) {
            text
        } else {
            legal[self.dice.below(legal.len())].clone()
        };
        if let Some(Some(opponent)) = self.seats.get_mut(role)
            && legal.len() > 1
        {
            opponent.thought = Some((text.clone(), report));
        }
        text
    }

    /// Tells the players of a joint move.
    pub(super) fn told(&mut self, joint_move: &[String]) -> Result<(), PlayError> {
        for opponent in self.seats.iter_mut().flatten() {
            opponent.player.told(joint_move)?;
        }
        Ok(())
    }

    /// Continues from the state with these facts.
    pub(super) fn go_to(&mut self, facts: &[String]) -> Result<(), PlayError> {
        for opponent in self.seats.iter_mut().flatten() {
            opponent.player.go_to(facts)?;
            opponent.thought = None;
        }
        Ok(())
    }

    /// Starts pondering, while the person chooses.
    pub(super) fn ponder(&mut self) {
        if !self.setting.ponders {
            return;
        }
        for (seat, spec) in self.seats.iter_mut().zip(&self.setting.specs) {
            // Players that draw random moves would draw more or fewer of them, depending on how
            // long the person takes.
            if let Some(opponent) = seat
                && !is_thoughtless(spec)
            {
                opponent.player.ponder();
            }
        }
    }

    /// Stops pondering.
    pub(super) fn rest(&mut self) {
        for opponent in self.seats.iter_mut().flatten() {
            opponent.player.rest();
        }
    }

    /// The move and report of each player at its last choice.
    pub(super) fn thoughts(&self) -> impl Iterator<Item = (Role, &str, &Report)> {
        self.seats.iter().enumerate().filter_map(|(role, seat)| {
            let (text, report) = seat.as_ref()?.thought.as_ref()?;
            Some((role, text.as_str(), report))
        })
    }

    /// The move that a strong player would make for the person, and its report.
    pub(super) fn advice(&mut self, facts: &[String]) -> Result<(String, Report), PlayError> {
        let adviser = match self.adviser.take() {
            Some(adviser) => adviser,
            None => self.make_adviser()?,
        };
        let adviser = self.adviser.insert(adviser);
        adviser.go_to(facts)?;
        let answer = adviser.play(Instant::now() + self.setting.time)?;
        Ok((answer.text, answer.report))
    }

    fn make_adviser(&mut self) -> Result<Box<dyn Player>, PlayError> {
        let specs = &self.setting.specs;
        let thoughtful = specs.iter().find(|spec| !is_thoughtless(spec)).cloned();
        let spec = thoughtful.or_else(|| USUAL.parse().ok());
        let spec = spec.unwrap_or_else(|| specs[self.person].clone());
        self.make(&spec, self.person)
    }
}

/// Whether a player does not search.
fn is_thoughtless(spec: &Spec) -> bool {
    matches!(spec.info().name, "random" | "legal" | "one-ply")
}
