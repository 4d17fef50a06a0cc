//! A state of a game as text: the board if there is one, and the facts that it does not show.

use ludorum_games::{BoardPicture, ShippedGame};

use crate::board;
use crate::fact_list::fact_list;
use crate::terminal::OutputStyle;

/// The state with these facts.
pub(crate) fn state_text(
    game: Option<&ShippedGame>,
    facts: &[String],
    roles: &[String],
    style: &OutputStyle,
) -> String {
    let mut out = String::new();
    let rest: Vec<&String> = match game.and_then(|game| game.board.as_ref()) {
        Some(hint) => {
            let picture = BoardPicture::new(hint, facts);
            out += &board::draw(hint, &picture, roles, style);
            if !picture.rest.is_empty() {
                out.push('\n');
            }
            picture.rest.iter().map(|i| &facts[*i]).collect()
        }
        None => facts.iter().collect(),
    };
    out + &fact_list(&rest, style)
}
