//! The result of a game as text.

use ludorum_reasoner::{Goal, NoGoal, Role};

use crate::terminal::{OutputStyle, printable};

/// The goals of the final state, for a person who played `role`.
pub(super) fn sentence(
    roles: &[String],
    goals: &[Goal],
    role: Role,
    style: &OutputStyle,
) -> String {
    if let [goal] = goals {
        return puzzle(goal, style);
    }
    let values: Vec<Option<u8>> = goals.iter().map(Goal::value).collect();
    let best = values.iter().flatten().max().copied();
    let winners = values.iter().filter(|value| **value == best).count();
    let all_equal = winners == values.len();
    let verdict = match values[role] {
        None => style.warning("The game is over, and the rules give you no goal value."),
        Some(_) if all_equal => style.bold("The game is a draw."),
        Some(value) if Some(value) == best && winners == 1 => style.success("You won!"),
        Some(value) if Some(value) == best => style.success("You share first place."),
        Some(_) => style.error("You lost."),
    };
    let mut out = format!("{verdict}\n");
    let column = roles.iter().map(|name| name.chars().count()).max();
    let column = column.unwrap_or(0) + " (you)".len();
    for (i, name) in roles.iter().enumerate() {
        let you = if i == role { " (you)" } else { "" };
        let word = match values[i] {
            None => missing(&goals[i]),
            Some(_) if all_equal => "draws".into(),
            Some(value) if Some(value) == best && winners == 1 => "wins".into(),
            Some(value) if Some(value) == best => "shares first place".into(),
            Some(_) => "loses".into(),
        };
        let value = values[i].map_or_else(|| "-".to_owned(), |value| value.to_string());
        let name = format!("{}{you}", printable(name));
        out += &format!("  {name:column$}  {value:>3}  {word}\n");
    }
    out
}

fn puzzle(goal: &Goal, style: &OutputStyle) -> String {
    let sentence = match goal.value() {
        Some(100) => style.success("Solved: you reached 100 of 100."),
        Some(0) => style.error("Not solved: you reached 0 of 100."),
        Some(value) => style.warning(&format!("Solved in part: you reached {value} of 100.")),
        None => style.warning(&format!("The game is over: {}.", missing(goal))),
    };
    sentence + "\n"
}

fn missing(goal: &Goal) -> String {
    match goal {
        Goal::Missing(NoGoal::Several(all)) => {
            format!("the rules give several goal values: {}", all.join(", "))
        }
        Goal::Missing(NoGoal::NotANumber(text)) => {
            format!(
                "the rules give `{}`, which is not a goal value",
                printable(text)
            )
        }
        _ => "the rules give no goal value".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: OutputStyle = OutputStyle {
        color: false,
        unicode: false,
        width: 80,
    };

    fn text(goals: &[u8], role: Role) -> String {
        let roles = ["red", "blue", "green"].map(str::to_owned);
        let goals: Vec<Goal> = goals.iter().map(|goal| Goal::Value(*goal)).collect();
        sentence(&roles[..goals.len()], &goals, role, &STYLE)
    }

    #[test]
    fn a_win_and_a_loss() {
        let expected = "You won!\n  red (you)   100  wins\n  blue          0  loses\n";
        assert_eq!(text(&[100, 0], 0), expected);
        assert!(text(&[100, 0], 1).starts_with("You lost.\n"));
    }

    #[test]
    fn a_draw_and_a_shared_first_place() {
        assert!(text(&[50, 50], 1).starts_with("The game is a draw."));
        assert!(text(&[60, 60, 20], 0).starts_with("You share first place."));
    }

    #[test]
    fn the_result_of_a_puzzle_shows_the_goal_value() {
        assert!(text(&[100], 0).starts_with("Solved: "));
        assert!(text(&[40], 0).contains("40 of 100"));
        let none = sentence(
            &["robot".into()],
            &[Goal::from_texts(Vec::new())],
            0,
            &STYLE,
        );
        assert!(none.contains("no goal value"), "{none}");
    }
}
