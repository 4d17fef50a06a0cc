//! Solves a puzzle and replays the solution on an engine.
//!
//! `cargo run --release --package ludorum --example solve_puzzle -- eight-puzzle`

use std::time::Duration;

use ludorum::{Error, Game};

fn main() -> Result<(), Error> {
    let name = std::env::args().nth(1);
    let game = Game::named(name.as_deref().unwrap_or("lights-out"))?;
    let solution = game.solve(Duration::from_secs(30))?;
    match solution.value {
        Some(value) => println!("{value} points in {} moves", solution.line.len()),
        None => println!("no line was found in that time"),
    }
    println!("proven to be the best: {}", solution.is_proven());

    let mut engine = game.engine("prover")?;
    let mut state = engine.initial()?;
    for text in &solution.line {
        println!("  {text}");
        let joint_move = engine.joint_move(&[text])?;
        state = engine.next(&state, &joint_move)?;
    }
    println!("the engine gives {:?}", engine.goals(&state)?[0]);
    Ok(())
}
