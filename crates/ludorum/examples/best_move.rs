//! Searches for the best first move and prints the moves that were compared.
//!
//! `cargo run --release --package ludorum --example best_move -- breakthrough-small 2`

use std::time::Duration;

use ludorum::{Error, Game};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments
        .next()
        .unwrap_or_else(|| "breakthrough-small".to_owned());
    let seconds = arguments.next().and_then(|text| text.parse().ok());

    let game = Game::named(&name)?;
    let mut player = game.player("ludorum", 0)?;
    let answer = player.choose_move(Duration::from_secs(seconds.unwrap_or(1)))?;
    let report = &answer.report;
    println!("{} plays {}", game.roles()[player.role()], answer.text);
    println!("{} simulations, depth {}", report.simulations, report.depth);
    for line in report.moves.iter().take(10) {
        let value = line
            .value
            .map_or("-".to_owned(), |value| format!("{value:.1}"));
        println!(
            "  {:<24} {:>9} visits  value {value}",
            line.text, line.visits
        );
    }
    Ok(())
}
