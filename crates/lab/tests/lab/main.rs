//! Tests of the engines on the bundled games and on recorded playouts.

mod goldens;
mod perft;
mod signature;
mod traces;

use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_logic::Rules;

/// Whether an engine declines a game that its method does not cover.
fn is_declined(rules: &Arc<Rules>, engine: Engine) -> bool {
    let declines = || engine.build(rules).is_err_and(|error| error.is_declined());
    engine.properties().declines && declines()
}
