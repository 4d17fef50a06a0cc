//! Drawing the states of a game as SVG: the board is recognised once per game.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use ludorum_board::{BoardRenderer, RecognitionInput, SamplingLimits, sample_states};
pub(crate) use ludorum_board::{DrawOptions, RenderedState};
use ludorum_engines::Engine;
use ludorum_games::BoardHint;
use ludorum_logic::Rules;

/// Time limit of the random games from which a board is recognised.
const SAMPLING_TIME: Duration = Duration::from_secs(1);

/// The drawing of a game, recognised on first use.
#[derive(Debug, Default)]
pub(crate) struct LazyDrawing {
    drawing: OnceLock<Option<Arc<GameDrawing>>>,
}

/// How a game is drawn, and its initial state.
#[derive(Debug)]
pub(crate) struct GameDrawing {
    drawing: BoardRenderer,
    initial: Vec<String>,
    /// SVG of the initial state.
    picture: OnceLock<String>,
}

impl LazyDrawing {
    /// The drawing, recognised on the first call; none if the rules cannot be used. Concurrent
    /// callers block until the first has finished, so this must not run on an async worker.
    pub(crate) fn get(
        &self,
        sheet: &str,
        hint: Option<&'static BoardHint>,
    ) -> Option<Arc<GameDrawing>> {
        let make = || Some(Arc::new(GameDrawing::new(sheet, hint)?));
        self.drawing.get_or_init(make).clone()
    }
}

impl GameDrawing {
    fn new(sheet: &str, hint: Option<&'static BoardHint>) -> Option<Self> {
        let rules = Arc::new(Rules::from_text(sheet).ok()?);
        // The prover needs no compilation.
        let mut walker = Engine::PROVER.walker(&rules).ok()?;
        let initial = walker.facts();
        let effort = SamplingLimits {
            deadline: Some(Instant::now() + SAMPLING_TIME),
            ..SamplingLimits::default()
        };
        let samples = sample_states(&mut *walker, &effort);
        let drawing = BoardRenderer::recognise(&RecognitionInput {
            rules: &rules,
            hint,
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

    /// Draws a state, with the last joint move and the legal moves of the viewer.
    pub(crate) fn draw(&self, facts: &[String], options: &DrawOptions<'_>) -> RenderedState {
        self.drawing.draw(facts, options)
    }

    /// The initial state as a standalone SVG.
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
