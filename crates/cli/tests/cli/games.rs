//! `ludorum games`, as a process.

use serde_json::Value;

use crate::run;

#[test]
fn the_list_has_one_line_per_game_sorted_by_name() {
    let run = run(&["games"]);
    assert_eq!(run.code, Some(0));
    let names: Vec<&str> = run
        .stdout
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.contains(&"tic-tac-toe"));
    assert!(names.is_sorted(), "{names:?}");
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn words_are_searched_in_any_case() {
    let run = run(&["games", "TIC-tac", "nine"]);
    assert_eq!(run.code, Some(0));
    assert!(
        run.stdout.contains("nine-board-tic-tac-toe"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("connect-four"), "{}", run.stdout);
}

#[test]
fn no_match_is_exit_code_1() {
    let nothing = run(&["games", "zyzzyva"]);
    assert_eq!(nothing.code, Some(1));
    assert_eq!(nothing.stdout, "no game matches\n");
    let tags = run(&["games", "--tag", "zyzzyva"]);
    assert_eq!(tags.code, Some(1));
    assert!(tags.stdout.contains("tags: "), "{}", tags.stdout);
    let json = run(&["games", "--json", "zyzzyva"]);
    assert_eq!((json.code, json.stdout.trim()), (Some(1), "[]"));
}

#[test]
fn json_lists_the_games_with_their_metadata() {
    let run = run(&["games", "--json", "--tag", "two-player"]);
    assert_eq!(run.code, Some(0));
    let games: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let game = games
        .as_array()
        .expect("an array")
        .iter()
        .find(|game| game["name"] == "tic-tac-toe")
        .expect("tic-tac-toe ships");
    assert_eq!(game["title"], "Tic-Tac-Toe");
    assert_eq!(game["roles"].as_array().map(Vec::len), Some(2));
    assert_eq!(game["board"]["shape"], "grid");
    assert!(game["rules"].is_string());
    assert!(game.get("sheet").is_none());
}

#[test]
fn one_game_is_shown_with_rules_board_and_sheet() {
    let run = run(&["games", "--show", "Tic_Tac_Toe"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for part in [
        "Tic-Tac-Toe",
        "three by three",
        "xplayer, oplayer",
        "grid of 3 x 3",
        "crates/games/sheets/tic-tac-toe.kif",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
}

#[test]
fn the_sheet_of_a_game_is_printed_unchanged() {
    let text = run(&["games", "--show", "tic-tac-toe", "--sheet"]);
    assert_eq!(text.code, Some(0));
    let json = run(&["games", "--show", "tic-tac-toe", "--json"]);
    let game: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(game["name"], "tic-tac-toe");
    assert_eq!(game["sheet"], text.stdout);
}

#[test]
fn an_unknown_game_cannot_be_shown() {
    let unknown = run(&["games", "--show", "conect-four"]);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.stderr.contains("did you mean `connect-four`"),
        "{}",
        unknown.stderr
    );
    assert_eq!(run(&["games", "--sheet"]).code, Some(2));
}
