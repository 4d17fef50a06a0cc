//! Random (section 3.3.1): every move has the same chance.

use ludorum_reasoner::ReasonError;

use crate::mini::strategy::{Kind, Scene, Sight, Strategy, Worth};

/// Prefers nothing.
#[derive(Debug)]
pub(crate) struct Random;

impl Strategy for Random {
    fn kind(&self) -> Kind {
        Kind::Random
    }

    fn sight(&self) -> Sight {
        Sight::Moves
    }

    fn judge(&mut self, scene: &Scene<'_>, worths: &mut Vec<Worth>) -> Result<(), ReasonError> {
        worths.resize(scene.legal.len(), Worth::plain(0.0));
        Ok(())
    }

    fn scores(&self) -> Option<Vec<f32>> {
        Some(Vec::new())
    }
}
