//! Pictures of games: what a sheet is about is recognised once, and every state drawn from that.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use ludorum_board::{BoardRenderer, RecognitionInput, SamplingLimits, sample_states};
pub(crate) use ludorum_board::{DrawOptions, RenderedState};
use ludorum_engines::Engine;
use ludorum_logic::Rules;

use crate::library::Game;

/// So long random games are looked at.
const TIME: Duration = Duration::from_secs(1);

/// What was recognised of a game, once somebody wanted to see it.
#[derive(Debug, Default)]
pub(crate) struct LazyDrawing {
    drawing: OnceLock<Option<Arc<GameDrawing>>>,
}

/// How a game is drawn, and its first state.
#[derive(Debug)]
pub(crate) struct GameDrawing {
    drawing: BoardRenderer,
    initial: Vec<String>,
    /// The initial state, drawn.
    picture: OnceLock<String>,
}

impl Game {
    /// How the game is drawn; none if its rules cannot be used. Whoever comes second waits for the
    /// first; to be called where that is allowed.
    pub(crate) fn drawing(&self) -> Option<Arc<GameDrawing>> {
        let make = || Some(Arc::new(GameDrawing::new(self)?));
        self.drawing.drawing.get_or_init(make).clone()
    }
}

impl GameDrawing {
    fn new(game: &Game) -> Option<Self> {
        let rules = Arc::new(Rules::from_text(&game.sheet).ok()?);
        // The prover needs no preparation.
        let mut walker = Engine::PROVER.walker(&rules).ok()?;
        let initial = walker.facts();
        let effort = SamplingLimits {
            deadline: Some(Instant::now() + TIME),
            ..SamplingLimits::default()
        };
        let samples = sample_states(&mut *walker, &effort);
        let drawing = BoardRenderer::recognise(&RecognitionInput {
            rules: &rules,
            hint: game.board,
            samples: &samples,
        });
        Some(Self {
            drawing,
            initial,
            picture: OnceLock::new(),
        })
    }

    /// The initial state.
    pub(crate) fn initial(&self) -> &[String] {
        &self.initial
    }

    /// Draws a state, with what was played last and what the viewer may play.
    pub(crate) fn draw(&self, facts: &[String], options: &DrawOptions<'_>) -> RenderedState {
        self.drawing.draw(facts, options)
    }

    /// The initial state as a picture that stands alone.
    pub(crate) fn picture(&self) -> &str {
        self.picture.get_or_init(|| {
            let options = DrawOptions {
                standalone: true,
                ..DrawOptions::default()
            };
            self.drawing.draw(&self.initial, &options).svg
        })
    }
}
