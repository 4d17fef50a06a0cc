//! Plays some random moves and writes the state that is reached into an SVG file.
//!
//! `cargo run --release --package ludorum --example draw_state -- reversi 20 reversi.svg`

use ludorum::{Game, State};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "reversi".to_owned());
    let steps = arguments.next().and_then(|text| text.parse().ok());
    let file = arguments.next();

    let game = Game::named(&name)?;
    let mut engine = game.engine("prover")?;
    engine.set_step_limit(steps.unwrap_or(20));
    let mut state: State = engine.initial()?;
    let playout = engine.recorded_playouts(&state, 1)?.remove(0);
    for joint_move in &playout.moves {
        state = engine.next(&state, joint_move)?;
    }
    let drawing = game.draw(&engine.facts(&state))?;
    println!(
        "{} after {} joint moves: {}",
        game.name(),
        playout.moves.len(),
        drawing.label
    );
    for fact in &drawing.facts {
        println!("not in the picture: {fact}");
    }
    match file {
        Some(file) => std::fs::write(file, drawing.svg)?,
        None => println!(
            "{} bytes of SVG; name a file to keep them",
            drawing.svg.len()
        ),
    }
    Ok(())
}
