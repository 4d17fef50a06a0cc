//! Recognition of games with the options of the arena.

use std::sync::Arc;

use ludorum_board::{BoardRenderer, RecognitionInput, SamplingLimits, StateSample, sample_states};
use ludorum_engines::Engine;
use ludorum_games::BoardHint;
use ludorum_logic::Rules;

/// A recognised game with its samples.
pub(crate) struct Recognised {
    pub(crate) drawing: BoardRenderer,
    pub(crate) samples: Vec<StateSample>,
}

/// Recognises a sheet; `None` if it cannot be parsed or played.
pub(crate) fn recognise(
    text: &str,
    hint: Option<&BoardHint>,
    effort: &SamplingLimits,
) -> Option<Recognised> {
    let rules = Arc::new(Rules::from_text(text).ok()?);
    let mut walker = Engine::AUTO.walker(&rules).ok()?;
    let samples = sample_states(&mut *walker, effort);
    let subject = RecognitionInput {
        rules: &rules,
        hint,
        samples: &samples,
    };
    let drawing = BoardRenderer::recognise(&subject);
    (!samples.is_empty()).then_some(Recognised { drawing, samples })
}

/// Recognises a shipped game by its rules alone.
pub(crate) fn shipped(name: &str) -> Recognised {
    let game = ludorum_games::find(name).unwrap();
    recognise(game.text, None, &SamplingLimits::default()).unwrap()
}
