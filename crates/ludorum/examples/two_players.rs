//! Plays a match between two players and prints every joint move.
//!
//! `cargo run --release --package ludorum --example two_players -- tic-tac-toe ludorum random`

use std::time::Duration;

use ludorum::{Error, Game};

/// The time for each move.
const CLOCK: Duration = Duration::from_millis(200);

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "tic-tac-toe".to_owned());
    let mut names: Vec<String> = arguments.collect();

    let game = Game::named(&name)?;
    names.resize_with(game.roles().len(), || "random".to_owned());
    let players = names.iter().enumerate();
    let players = players.map(|(role, name)| game.player(name, role));
    let mut players = players.collect::<Result<Vec<_>, _>>()?;

    let mut referee = game.engine("prover")?;
    let mut state = referee.initial()?;
    while !referee.is_terminal(&state)? {
        let mut moves = Vec::new();
        for player in &mut players {
            moves.push(player.choose_move(CLOCK)?.text);
        }
        println!("{}", moves.join("  "));
        let joint_move = referee.joint_move(&moves)?;
        state = referee.next(&state, &joint_move)?;
        for player in &mut players {
            player.apply(&moves)?;
        }
    }
    for ((role, player), goal) in game.roles().iter().zip(&names).zip(referee.goals(&state)?) {
        println!(
            "{role} ({player}): {}",
            goal.map_or("no goal".into(), |goal| goal.to_string())
        );
    }
    Ok(())
}
