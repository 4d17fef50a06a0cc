//! Commands that are typed during play.

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command<'l> {
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
pub(super) fn command(line: &str) -> Option<Command<'_>> {
    let line = line.trim();
    let line = line.strip_prefix('/').unwrap_or(line);
    let (word, rest) = line
        .split_once(char::is_whitespace)
        .map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let command = match word.to_lowercase().as_str() {
        "legal" | "moves" => return Some(Command::Legal(rest)),
        "rules" if rest == "sheet" => return Some(Command::Sheet),
        "" | "show" | "board" => Command::Show,
        "state" => Command::State,
        "rules" => Command::Rules,
        "sheet" => Command::Sheet,
        "random" => Command::Random,
        "hint" => Command::Hint,
        "why" => Command::Why,
        "undo" => Command::Undo,
        "help" | "?" => Command::Help,
        "quit" | "exit" | "q" => Command::Quit,
        _ => return None,
    };
    rest.is_empty().then_some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_recognised_in_any_case_with_or_without_a_slash() {
        assert_eq!(command(" Undo "), Some(Command::Undo));
        assert_eq!(command("/quit"), Some(Command::Quit));
        assert_eq!(command("legal mark 1"), Some(Command::Legal("mark 1")));
        assert_eq!(command("rules sheet"), Some(Command::Sheet));
        assert_eq!(command(""), Some(Command::Show));
    }

    #[test]
    fn a_move_is_not_a_command() {
        assert_eq!(command("mark 1 1"), None);
        assert_eq!(command("undo 3"), None);
        assert_eq!(command("12"), None);
    }
}
