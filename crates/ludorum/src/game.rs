//! A game: rules that were read and checked.

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use ludorum_board::{BoardRenderer, DrawOptions, RecognitionInput, SamplingLimits, sample_states};
use ludorum_gdl::Diagnostic;
use ludorum_gdl::source::{self, ReadError};
use ludorum_logic::{LoadOptions, load};
use ludorum_players::{PlayerSpec, Solution, solve_compiled};
use ludorum_propnet::CompiledGame;
use ludorum_reasoner::Role;

use crate::error::Error;

/// The time for the random games from which boards are recognised.
const RECOGNITION_TIME: Duration = Duration::from_secs(2);

/// A game: a rule sheet that was read and checked.
///
/// Clones share everything that was compiled for the game.
#[derive(Clone)]
pub struct Game(Arc<Inner>);

struct Inner {
    name: String,
    text: String,
    diagnostics: Vec<Diagnostic>,
    roles: Vec<String>,
    shipped: Option<&'static ludorum_games::ShippedGame>,
    compiled: Arc<CompiledGame>,
    drawing: OnceLock<BoardRenderer>,
}

/// A state as a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The picture, an SVG document.
    pub svg: String,
    /// The facts that the picture does not show, in words.
    pub facts: Vec<String>,
    /// The picture in words.
    pub label: String,
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Game").field(&self.0.name).finish()
    }
}

impl Game {
    /// A shipped game by its name, as in `connect-four`.
    pub fn named(name: &str) -> Result<Self, Error> {
        let game = ludorum_games::find(name).ok_or_else(|| Error::UnknownGame {
            name: name.to_owned(),
            suggestions: ludorum_games::suggest(name),
        })?;
        Self::load(game.name, game.text, Some(game))
    }

    /// A game from a file; its name is that of the file without the extension.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let name = path.file_stem().unwrap_or(path.as_os_str());
        let name = name.to_string_lossy();
        let file = File::open(path).map_err(ReadError::Io);
        let text = file.and_then(source::read).map_err(|error| match error {
            ReadError::Io(source) => Error::Io {
                path: path.to_owned(),
                source,
            },
            ReadError::Source(source) => Error::Text {
                name: name.to_string(),
                source,
            },
        })?;
        Self::load(&name, &text, None)
    }

    /// A game from the text of its rules, in prefix (KIF) or infix notation.
    pub fn from_text(name: &str, text: &str) -> Result<Self, Error> {
        Self::load(name, text, None)
    }

    fn load(
        name: &str,
        text: &str,
        shipped: Option<&'static ludorum_games::ShippedGame>,
    ) -> Result<Self, Error> {
        let loaded = load(text, &LoadOptions::default());
        let loaded = loaded.map_err(|source| Error::Text {
            name: name.to_owned(),
            source,
        })?;
        let diagnostics = loaded.diagnostics;
        let Some(rules) = loaded.rules.map(Arc::new) else {
            return Err(Error::Rules {
                name: name.to_owned(),
                diagnostics,
            });
        };
        let roles = rules.roles.iter().map(|role| rules.terms.text(*role));
        Ok(Self(Arc::new(Inner {
            name: name.to_owned(),
            text: text.to_owned(),
            diagnostics,
            roles: roles.collect(),
            shipped,
            compiled: Arc::new(CompiledGame::new(rules)),
            drawing: OnceLock::new(),
        })))
    }

    /// The name that it was loaded by.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The title for people, for shipped games.
    pub fn title(&self) -> Option<&'static str> {
        self.0.shipped.map(|game| game.title.as_str())
    }

    /// The text of the rules.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Warnings about the rules, in the order of the text. A game with errors is not loaded.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0.diagnostics
    }

    /// The names of the roles; a joint move has one move for each, in this order.
    pub fn roles(&self) -> &[String] {
        &self.0.roles
    }

    /// The number of a role.
    ///
    /// ```
    /// let game = ludorum::Game::named("tic-tac-toe")?;
    /// assert_eq!(game.role("oplayer")?, 1);
    /// # Ok::<(), ludorum::Error>(())
    /// ```
    pub fn role(&self, name: &str) -> Result<Role, Error> {
        let found = self.roles().iter().position(|role| role == name);
        found.ok_or_else(|| Error::UnknownRole {
            game: self.name().to_owned(),
            role: name.to_owned(),
            roles: self.roles().to_vec(),
        })
    }

    /// The compiled game that an engine takes: the shared one, unless it wants other passes.
    pub(crate) fn compiled_for(&self, engine: ludorum_engines::Engine) -> Arc<CompiledGame> {
        if engine.passes.as_slice() == self.0.compiled.passes() {
            return Arc::clone(&self.0.compiled);
        }
        engine.compiled_game(self.0.compiled.rules())
    }

    /// Solves a puzzle, a game of one role, within a time limit.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let game = ludorum::Game::named("hanoi-3")?;
    /// let solution = game.solve(Duration::from_secs(20))?;
    /// assert_eq!((solution.value, solution.line.len()), (Some(100), 7));
    /// # Ok::<(), ludorum::Error>(())
    /// ```
    pub fn solve(&self, time: Duration) -> Result<Solution, Error> {
        self.solve_with("solo", time, &Arc::default())
    }

    /// The same with options of the solver, as in `solo:threads=2`, and a flag that ends it when
    /// another thread sets it.
    pub fn solve_with(
        &self,
        solver: &str,
        time: Duration,
        stop: &Arc<AtomicBool>,
    ) -> Result<Solution, Error> {
        let spec: PlayerSpec = solver.parse()?;
        let game = self.compiled_for(spec.engine());
        Ok(solve_compiled(&game, &spec, time, stop)?)
    }

    /// Draws the state with these facts.
    ///
    /// Boards, pieces and counters are recognised from the rules and from a few random games, the
    /// first time for at most two seconds.
    ///
    /// ```
    /// let game = ludorum::Game::named("tic-tac-toe")?;
    /// let mut engine = game.engine("prover")?;
    /// let start = engine.initial()?;
    /// assert!(game.draw(&engine.facts(&start))?.svg.starts_with("<svg"));
    /// # Ok::<(), ludorum::Error>(())
    /// ```
    pub fn draw<S: AsRef<str>>(&self, facts: &[S]) -> Result<Drawing, Error> {
        let facts: Vec<String> = facts.iter().map(|fact| fact.as_ref().to_owned()).collect();
        let options = DrawOptions {
            standalone: true,
            ..DrawOptions::default()
        };
        let scene = self.recognised()?.draw(&facts, &options);
        Ok(Drawing {
            svg: scene.svg,
            facts: scene.facts,
            label: scene.label,
        })
    }

    fn recognised(&self) -> Result<&BoardRenderer, Error> {
        if let Some(drawing) = self.0.drawing.get() {
            return Ok(drawing);
        }
        let rules = self.0.compiled.rules();
        let mut walker = ludorum_engines::Engine::PROVER.walker(rules)?;
        let limits = SamplingLimits {
            deadline: Instant::now().checked_add(RECOGNITION_TIME),
            ..SamplingLimits::default()
        };
        let samples = sample_states(&mut *walker, &limits);
        let hint = self.0.shipped.and_then(|game| game.board.as_ref());
        let drawing = BoardRenderer::recognise(&RecognitionInput {
            rules,
            hint,
            samples: &samples,
        });
        Ok(self.0.drawing.get_or_init(|| drawing))
    }
}
