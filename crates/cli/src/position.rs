//! A state of a game as text: the board if there is one, and the facts that it does not show.

use ludorum_games::{BoardPicture, Game};

use crate::board;
use crate::terminal::Look;
use crate::words;

/// The state with these facts.
pub(crate) fn text(game: Option<&Game>, facts: &[String], roles: &[String], look: &Look) -> String {
    let mut out = String::new();
    let rest: Vec<&String> = match game.and_then(|game| game.board.as_ref()) {
        Some(hint) => {
            let picture = BoardPicture::new(hint, facts);
            out += &board::draw(hint, &picture, roles, look);
            if !picture.rest.is_empty() {
                out.push('\n');
            }
            picture.rest.iter().map(|i| &facts[*i]).collect()
        }
        None => facts.iter().collect(),
    };
    out + &words::facts(&rest, look)
}
