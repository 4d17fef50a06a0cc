//! Commands that are typed during play.

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypedCommand<'l> {
    /// List the legal moves that contain a text.
    Legal(&'l str),
    State,
    Rules,
    Sheet,
    Random,
    /// Show the move that a strong player would make.
    Hint,
    /// Show the search reports of the opponents.
    Why,
    Undo,
    Help,
    Quit,
    /// Print the board and the moves again.
    Show,
}

/// Parses a command; `None` if the line is something else. A slash before it is allowed and tells
/// it from a move of the same name.
pub(super) fn parse_command(line: &str) -> Option<TypedCommand<'_>> {
    let line = line.trim();
    let line = line.strip_prefix('/').unwrap_or(line);
    let (word, rest) = line
        .split_once(char::is_whitespace)
        .map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let command = match word.to_lowercase().as_str() {
        "legal" | "moves" => return Some(TypedCommand::Legal(rest)),
        "rules" if rest == "sheet" => return Some(TypedCommand::Sheet),
        "" | "show" | "board" => TypedCommand::Show,
        "state" => TypedCommand::State,
        "rules" => TypedCommand::Rules,
        "sheet" => TypedCommand::Sheet,
        "random" => TypedCommand::Random,
        "hint" => TypedCommand::Hint,
        "why" => TypedCommand::Why,
        "undo" => TypedCommand::Undo,
        "help" | "?" => TypedCommand::Help,
        "quit" | "exit" | "q" => TypedCommand::Quit,
        _ => return None,
    };
    rest.is_empty().then_some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_recognised_in_any_case_with_or_without_a_slash() {
        assert_eq!(parse_command(" Undo "), Some(TypedCommand::Undo));
        assert_eq!(parse_command("/quit"), Some(TypedCommand::Quit));
        assert_eq!(
            parse_command("legal mark 1"),
            Some(TypedCommand::Legal("mark 1"))
        );
        assert_eq!(parse_command("rules sheet"), Some(TypedCommand::Sheet));
        assert_eq!(parse_command(""), Some(TypedCommand::Show));
    }

    #[test]
    fn a_move_is_not_a_command() {
        assert_eq!(parse_command("mark 1 1"), None);
        assert_eq!(parse_command("undo 3"), None);
        assert_eq!(parse_command("12"), None);
    }
}
