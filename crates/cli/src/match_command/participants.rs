//! The players of a match on the command line.
//!
//! Commas separate players, and the options of a player. An option is `name=value` and a player
//! never is, so an option after a comma belongs to the player before it:
//! `mcts:c=0.5,threads=2,random` are two players. Semicolons always separate players.

use ludorum_match::Participant;

use crate::outcome::Failure;

/// The players of several lists, in order.
pub(super) fn parse_lists(lists: &[String]) -> Result<Vec<Participant>, Failure> {
    let mut participants = Vec::new();
    for list in lists {
        for text in split(list) {
            let participant: Participant = text.parse().map_err(|error| {
                Failure::input_with_help(
                    format!("{error}"),
                    "players are separated by commas: mcts:c=0.5,threads=2,random are two; an \
                     address begins with http://",
                )
            })?;
            participants.push(participant);
        }
    }
    Ok(participants)
}

/// One player for each role: the players that were named, or the only one for all roles.
pub(super) fn assign_roles(
    participants: Vec<Participant>,
    roles: &[String],
) -> Result<Vec<Participant>, Failure> {
    if let [one] = &participants[..] {
        return Ok(vec![one.clone(); roles.len()]);
    }
    if participants.len() == roles.len() {
        return Ok(participants);
    }
    let named: Vec<String> = participants.iter().map(ToString::to_string).collect();
    Err(Failure::input_with_help(
        format!(
            "the game has {} roles ({}), and {} players are named: {}",
            roles.len(),
            roles.join(", "),
            named.len(),
            named.join(" and ")
        ),
        "name one for each role, in this order, or one for all",
    ))
}

/// The texts of the single players of a list.
fn split(list: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for group in list.split(';') {
        let mut is_first = true;
        for part in group.split(',').map(str::trim) {
            match found.last_mut() {
                Some(last) if !is_first && is_option(part) => {
                    last.push(',');
                    last.push_str(part);
                }
                _ if part.is_empty() => {}
                _ => found.push(part.to_owned()),
            }
            is_first = false;
        }
    }
    found
}

/// Whether a text is `name=value`, and not the beginning of a player such as `mcts:c=1` or of an
/// address.
fn is_option(text: &str) -> bool {
    text.split_once('=')
        .is_some_and(|(name, _)| !name.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stay_with_their_player() {
        for (list, expected) in [
            ("mcts,random", &["mcts", "random"][..]),
            (
                "mcts:c=0.5,threads=2,random",
                &["mcts:c=0.5,threads=2", "random"],
            ),
            (
                "mcts:c=0.5, threads=2 ; random",
                &["mcts:c=0.5,threads=2", "random"],
            ),
            (
                "mcts:c=1,mcs:limit=5,seed=2",
                &["mcts:c=1", "mcs:limit=5,seed=2"],
            ),
            (
                "http://a:1/?x=1,http://b:2,legal",
                &["http://a:1/?x=1", "http://b:2", "legal"],
            ),
            ("mcts", &["mcts"]),
            (",;,", &[]),
        ] {
            assert_eq!(split(list), expected, "{list}");
        }
    }

    #[test]
    fn lists_may_be_given_several_times() {
        let lists = ["mcts:c=0.5,threads=2", "http://x:1"].map(str::to_owned);
        let participants = parse_lists(&lists).unwrap();
        assert_eq!(participants.len(), 2);
        assert!(matches!(&participants[1], Participant::Remote(url) if url == "http://x:1"));
        assert!(parse_lists(&["deepblue".to_owned()]).is_err());
        assert!(parse_lists(&["ftp://x".to_owned()]).is_err());
    }

    #[test]
    fn one_player_may_play_all_roles() {
        let roles = ["a", "b", "c"].map(str::to_owned);
        let read = |list: &str| parse_lists(&[list.to_owned()]).unwrap();
        assert_eq!(assign_roles(read("random"), &roles).unwrap().len(), 3);
        assert!(assign_roles(read("random,legal"), &roles).is_err());
        assert_eq!(
            assign_roles(read("random,legal,mcts"), &roles)
                .unwrap()
                .len(),
            3
        );
    }
}
