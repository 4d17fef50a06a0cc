//! The players of the roles that the person does not play, and the player that gives hints.

use std::io;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use ludorum_engines::Engine;
use ludorum_engines::engine::BuildError;
use ludorum_logic::Rules;
use ludorum_players::DEFAULT_PLAYER;
use ludorum_players::{Answer, GameEngine, PlayError, Player, PlayerSpec, Report};
use ludorum_reasoner::{Rng, Role};

/// The default memory of all opponents together, in MiB.
const DEFAULT_MEMORY_MIB: usize = 1024;

/// The players and their clock.
#[derive(Clone, Debug)]
pub(super) struct OpponentSettings {
    /// One player for each role; the one of the person is only used for hints.
    pub(super) specs: Vec<PlayerSpec>,
    /// The time for a move.
    pub(super) time: Duration,
    /// Whether opponents search while the person chooses.
    pub(super) ponders: bool,
    /// The seed of all random choices.
    pub(super) seed: u64,
}

/// The engines of a session, each built once.
pub(super) struct OpponentEngines {
    rules: Arc<Rules>,
    tables: Vec<GameEngine>,
}

impl OpponentEngines {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        Self {
            rules,
            tables: Vec::new(),
        }
    }

    pub(super) fn table(&mut self, engine: Engine) -> Result<GameEngine, BuildError> {
        if let Some(table) = self.tables.iter().find(|table| table.engine() == engine) {
            return Ok(table.clone());
        }
        let table = GameEngine::new(&self.rules, engine)?;
        self.tables.push(table.clone());
        Ok(table)
    }
}

/// The player of a role.
struct Opponent {
    player: Box<dyn Player>,
    /// Its move and report at its last choice.
    last_report: Option<(String, Report)>,
}

/// The players of all other roles.
pub(super) struct Opponents {
    tables: OpponentEngines,
    settings: OpponentSettings,
    /// The person's role.
    person: Role,
    /// One for each role; `None` for the person.
    players: Vec<Option<Opponent>>,
    /// The player that gives hints, created at the first hint.
    hint_player: Option<Box<dyn Player>>,
    /// Chooses moves for opponents that fail.
    rng: Rng,
}

impl Opponents {
    pub(super) fn new(
        tables: OpponentEngines,
        settings: OpponentSettings,
        person: Role,
    ) -> Result<Self, PlayError> {
        let mut opponents = Self {
            tables,
            rng: Rng::new(settings.seed),
            settings,
            person,
            players: Vec::new(),
            hint_player: None,
        };
        for role in 0..opponents.settings.specs.len() {
            let player_of_role = if role == person {
                None
            } else {
                let spec = opponents.settings.specs[role].clone();
                let player = opponents.make(&spec, role)?;
                Some(Opponent {
                    player,
                    last_report: None,
                })
            };
            opponents.players.push(player_of_role);
        }
        Ok(opponents)
    }

    /// Creates a player with its own seed and its share of the memory, unless its options set them.
    fn make(&mut self, spec: &PlayerSpec, role: Role) -> Result<Box<dyn Player>, PlayError> {
        let share = (DEFAULT_MEMORY_MIB / self.settings.specs.len().max(1)).max(1);
        let seed = self.settings.seed.wrapping_add(role as u64);
        let spec = spec
            .clone()
            .unless_written("seed", seed)
            .unless_written("memory", share as u64);
        let table = self.tables.table(spec.engine());
        table.map_err(PlayError::engine)?.player(&spec, role)
    }

    /// A sentence about the players: `oplayer is played by mcts, 2 s a move.`
    pub(super) fn about(&self, roles: &[String]) -> String {
        let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
        for (role, name) in roles.iter().enumerate() {
            if role == self.person {
                continue;
            }
            let spec = self.settings.specs[role].to_string();
            match groups.iter_mut().find(|(known, _)| *known == spec) {
                Some((_, names)) => names.push(name),
                None => groups.push((spec, vec![name])),
            }
        }
        let descriptions: Vec<String> = groups
            .iter()
            .map(|(spec, names)| match &names[..] {
                [name] => format!("{name} is played by {spec}"),
                names => format!("{} are played by {spec}", names.join(", ")),
            })
            .collect();
        let thinks = (0..roles.len())
            .filter(|role| *role != self.person)
            .any(|role| !never_searches(&self.settings.specs[role]));
        let clock = if thinks {
            format!(", {} s a move", self.settings.time.as_secs_f64())
        } else {
            String::new()
        };
        format!("{}{clock}.", descriptions.join(", "))
    }

    /// The moves of all opponents, `None` for the person. All of them search at the same time.
    /// Every role must have legal moves.
    pub(super) fn choose(&mut self, legal: &[Vec<String>]) -> Vec<Option<String>> {
        let deadline = Instant::now() + self.settings.time;
        let answers: Vec<Option<Result<Answer, PlayError>>> = std::thread::scope(|scope| {
            let mut threads = Vec::with_capacity(legal.len());
            for player_of_role in &mut self.players {
                threads.push(player_of_role.as_mut().map(|Opponent { player, .. }| {
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
            moves.push(answer.map(|answer| self.legal_move(role, answer, &legal[role])));
        }
        moves
    }

    /// The move of an answer. A player that failed gets a random move, so that the game goes on;
    /// the command `why` shows the error.
    fn legal_move(
        &mut self,
        role: Role,
        answer: Result<Answer, PlayError>,
        legal: &[String],
    ) -> String {
        let (text, report) = match answer {
            Ok(answer) => (answer.text, answer.report),
            Err(error) => {
                let report = Report {
                    trouble: Some(error.to_string()),
                    ..Report::default()
                };
                (String::new(), report)
            }
        };
        let text = if legal.contains(&text) {
            text
        } else {
            legal[self.rng.below(legal.len())].clone()
        };
        if let Some(Some(opponent)) = self.players.get_mut(role)
            && legal.len() > 1
        {
            opponent.last_report = Some((text.clone(), report));
        }
        text
    }

    /// Tells the players of a joint move.
    pub(super) fn apply_joint_move(&mut self, joint_move: &[String]) -> Result<(), PlayError> {
        for opponent in self.players.iter_mut().flatten() {
            opponent.player.apply_joint_move(joint_move)?;
        }
        Ok(())
    }

    /// Continues from the state with these facts.
    pub(super) fn go_to(&mut self, facts: &[String]) -> Result<(), PlayError> {
        for opponent in self.players.iter_mut().flatten() {
            opponent.player.set_state(facts)?;
            opponent.last_report = None;
        }
        Ok(())
    }

    /// Starts pondering, while the person chooses.
    pub(super) fn ponder(&mut self) {
        if !self.settings.ponders {
            return;
        }
        for (player_of_role, spec) in self.players.iter_mut().zip(&self.settings.specs) {
            // Players that draw random moves would draw more or fewer of them, depending on how
            // long the person takes.
            if let Some(opponent) = player_of_role
                && !never_searches(spec)
            {
                opponent.player.ponder();
            }
        }
    }

    /// Stops pondering.
    pub(super) fn rest(&mut self) {
        for opponent in self.players.iter_mut().flatten() {
            opponent.player.stop();
        }
    }

    /// The move and report of each player at its last choice.
    pub(super) fn last_reports(&self) -> impl Iterator<Item = (Role, &str, &Report)> {
        self.players
            .iter()
            .enumerate()
            .filter_map(|(role, player_of_role)| {
                let (text, report) = player_of_role.as_ref()?.last_report.as_ref()?;
                Some((role, text.as_str(), report))
            })
    }

    /// The move that a strong player would make for the person, and its report.
    pub(super) fn hint(&mut self, facts: &[String]) -> Result<(String, Report), PlayError> {
        let hint_player = match self.hint_player.take() {
            Some(hint_player) => hint_player,
            None => self.make_hint_player()?,
        };
        let hint_player = self.hint_player.insert(hint_player);
        hint_player.set_state(facts)?;
        let answer = hint_player.play(Instant::now() + self.settings.time)?;
        Ok((answer.text, answer.report))
    }

    fn make_hint_player(&mut self) -> Result<Box<dyn Player>, PlayError> {
        let specs = &self.settings.specs;
        let searching = specs.iter().find(|spec| !never_searches(spec)).cloned();
        let spec = searching.or_else(|| DEFAULT_PLAYER.parse().ok());
        let spec = spec.unwrap_or_else(|| specs[self.person].clone());
        self.make(&spec, self.person)
    }
}

/// Whether a player does not search.
fn never_searches(spec: &PlayerSpec) -> bool {
    matches!(spec.info().name, "random" | "legal" | "one-ply")
}
