//! `ludorum play`, as a process that reads from a pipe.

use crate::{Folder, Run, finish, ludorum, run, run_with_input};

/// Plays against random moves with a fixed seed.
fn play(args: &[&str], input: &str) -> Run {
    let mut command = ludorum(&["play"]);
    command
        .args(args)
        .args(["--opponent", "random", "--seed", "1"]);
    finish(command.write_stdin(input))
}

#[test]
fn a_game_can_be_played_to_its_end() {
    let run = play(&["tic-tac-toe"], &"random\n".repeat(5));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stderr, "");
    for part in [
        "Tic-Tac-Toe\nYou are xplayer. oplayer is played by random.\n",
        "Turn 1\n",
        "  3 mark 1 3",
        "xplayer> random\nYou play mark",
        "oplayer plays mark",
        "You play noop, your only move",
        "xplayer (you)",
        "Play again? (y/n)",
    ] {
        assert!(run.stdout.contains(part), "{part:?} in\n{}", run.stdout);
    }
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let input = "random\n".repeat(30);
    let first = play(&["breakthrough-small"], &input).stdout;
    assert_eq!(first, play(&["breakthrough-small"], &input).stdout);
}

#[test]
fn the_end_of_the_input_ends_the_game_without_an_error() {
    for input in ["", "mark 1 1\n", "quit\n", "/quit\nmark 1 1\n"] {
        let run = play(&["tic-tac-toe"], input);
        assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{input:?}");
    }
}

#[test]
fn moves_are_found_by_number_text_and_part_of_the_text() {
    for typed in ["5", "(mark 2 2)", "mark 2 2", "2 2", "MARK(2,2)", "22"] {
        let run = play(&["tic-tac-toe"], &format!("{typed}\n"));
        assert!(
            run.stdout.contains("You play mark 2 2\n"),
            "{typed}: {}",
            run.stdout
        );
    }
}

#[test]
fn ambiguous_text_lists_the_moves_and_unknown_text_is_refused() {
    let run = play(&["tic-tac-toe"], "mark 1\nnonsense\n");
    assert!(
        run.stdout
            .contains("Several moves match; which one?\n  1 mark 1 1"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("No legal move matches."),
        "{}",
        run.stdout
    );
}

#[test]
fn undo_goes_back_to_the_last_choice() {
    let run = play(&["tic-tac-toe"], "undo\nmark 2 2\nundo\nstate\n");
    assert!(
        run.stdout.contains("nothing to take back"),
        "{}",
        run.stdout
    );
    assert_eq!(run.stdout.matches("Turn 1\n").count(), 2, "{}", run.stdout);
    assert!(run.stdout.contains("(cell 2 2 blank)"), "{}", run.stdout);
}

#[test]
fn legal_moves_can_be_filtered_and_keep_their_numbers() {
    let run = play(&["tic-tac-toe"], "legal 3 1\n");
    assert!(
        run.stdout.contains("> legal 3 1\n  7 mark 3 1\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn rules_are_printed_as_text_and_as_a_sheet() {
    let run = play(&["nim"], "rules\nrules sheet\nhelp\n");
    assert!(run.stdout.contains("four heaps"), "{}", run.stdout);
    assert!(run.stdout.contains("(role first)"), "{}", run.stdout);
    assert!(
        run.stdout.contains("back to your last choice"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_role_can_be_chosen_and_other_roles_may_move_first() {
    let run = play(&["tic-tac-toe", "--role", "o"], "");
    assert!(run.stdout.contains("You are oplayer."), "{}", run.stdout);
    assert!(run.stdout.contains("xplayer plays mark"), "{}", run.stdout);
    let bad = play(&["tic-tac-toe", "--role", "white"], "");
    assert_eq!(bad.code, Some(2));
    assert!(bad.stderr.contains("xplayer, oplayer"), "{}", bad.stderr);
}

#[test]
fn simultaneous_moves_are_shown_after_the_own_move() {
    let run = play(&["rock-paper-scissors"], "throw rock\n");
    assert!(
        run.stdout
            .contains("> throw rock\nYou play throw rock\nright plays throw "),
        "{}",
        run.stdout
    );
}

/// A solution of the puzzle `hanoi-3`.
const HANOI: &str = "d1 right;d2 middle;d1 middle;d3 right;d1 left;d2 right;d1 right";

#[test]
fn the_goal_value_of_a_puzzle_is_printed() {
    let run = play(&["hanoi-3", "--moves", HANOI], "");
    assert!(
        run.stdout.contains("Solved: you reached 100 of 100."),
        "{}",
        run.stdout
    );
}

#[test]
fn moves_of_the_command_line_must_be_legal() {
    let run = play(&["tic-tac-toe", "--moves", "mark 2 2;mark 2 2"], "");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .contains("turn 3: no legal move matches `mark 2 2`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_second_game_can_be_played() {
    let run = play(&["hanoi-3", "--moves", HANOI], "y\n");
    let (_, second) = run.stdout.split_once("Play again?").expect("a question");
    assert!(second.contains("Turn 1\n"), "{}", run.stdout);
}

#[test]
fn own_sheets_are_shown_as_facts() {
    let sheet =
        "(role white) (init (light off)) (init quiet) (legal white press) (legal white wait)
        (<= (next (light on)) (does white press)) (<= (next (light off)) (does white wait))
        (<= terminal (true (light on))) (<= (goal white 100) (true (light on)))";
    let folder = Folder::new(&[("light.kif", sheet)]);
    let run = play(&[&folder.path("light.kif")], "press\n");
    assert!(
        run.stdout.contains("light      off\nalso true  quiet\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("Solved: "), "{}", run.stdout);
}

#[test]
fn a_sheet_without_choices_stops_after_a_number_of_steps() {
    let sheet = "(role white) (init (light on)) (legal white wait) (<= (next ?f) (true ?f))
        (<= terminal (true (light off))) (goal white 0)";
    let folder = Folder::new(&[("light.kif", sheet)]);
    let run = play(&[&folder.path("light.kif")], "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout.matches("your only move").count(), 100);
}

#[test]
fn a_state_without_legal_moves_is_reported() {
    let sheet = "(role white) (init (on 1)) (legal white stay) (<= (legal white go) (true (on 1)))
        (<= terminal (true (on 9))) (goal white 0)";
    let sheet = sheet.replace(
        "(legal white stay)",
        "(<= (legal white stay) (true (on 1)))",
    );
    let folder = Folder::new(&[("stuck.kif", &sheet)]);
    let run = play(&[&folder.path("stuck.kif")], "go\n");
    assert!(
        run.stdout.contains("white has no legal move"),
        "{}",
        run.stdout
    );
}

#[test]
fn rules_and_moves_cannot_both_come_from_standard_input() {
    let run = run_with_input(&["play", "-"], "(role white)");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("standard input"), "{}", run.stderr);
}

#[test]
fn a_broken_sheet_and_an_unknown_engine_are_refused() {
    let folder = Folder::new(&[("broken.kif", "(role white")]);
    let broken = run(&["play", &folder.path("broken.kif")]);
    assert_eq!(broken.code, Some(2));
    assert!(broken.stderr.contains("error[E001]"), "{}", broken.stderr);
    let engine = run(&["play", "nim", "--engine", "steam"]);
    assert_eq!(engine.code, Some(2));
    assert!(engine.stderr.contains("prover"), "{}", engine.stderr);
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let run = play(&["tic-tac-toe"], "\u{1b}[31m\n\u{0}\n");
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
}

/// Plays against an opponent that searches so little that the clock does not matter.
fn play_well(args: &[&str], input: &str) -> Run {
    let mut command = ludorum(&["play"]);
    let opponent = ["--opponent", "mcts:simulations=2000", "--no-ponder"];
    // The last opponent named is used.
    command.args(opponent).args(args).args(["--seconds", "60"]);
    finish(command.write_stdin(input))
}

#[test]
fn an_opponent_that_searches_does_not_lose_to_random_moves() {
    for seed in ["1", "2", "3"] {
        let args = ["tic-tac-toe", "--opponent", "minimax", "--seed", seed];
        let run = play_well(&args, &"random\n".repeat(5));
        assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{}", run.stdout);
        let told = &run.stdout;
        assert!(
            told.contains("You lost.") || told.contains("a draw"),
            "{told}"
        );
    }
}

#[test]
fn the_opponent_and_its_time_are_printed() {
    let run = play_well(&["tic-tac-toe"], "");
    let line = "You are xplayer. oplayer is played by mcts:simulations=2000, 60 s a move.";
    assert!(run.stdout.contains(line), "{}", run.stdout);
}

#[test]
fn hint_and_why_print_search_reports() {
    let run = play_well(&["tic-tac-toe"], "why\nhint\nmark 2 2\nwhy\nundo\nwhy\n");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for part in [
        "> why\nNo opponent has had a choice yet.\n",
        "> hint\nI would play mark ",
        "> why\noplayer played mark ",
        "expects  xplayer ",
        "search   ",
    ] {
        assert!(run.stdout.contains(part), "{part:?} in\n{}", run.stdout);
    }
    let forgotten = run.stdout.matches("No opponent has had a choice").count();
    assert_eq!(forgotten, 2, "{}", run.stdout);
}

#[test]
fn a_hint_is_given_for_a_puzzle() {
    let run = play_well(&["hanoi-3", "--opponent", "minimax"], "hint\n");
    assert!(run.stdout.contains("I would play"), "{}", run.stdout);
}

#[test]
fn opponents_ponder_while_the_person_chooses() {
    let args = [
        "connect-four",
        "--opponent",
        "mcts:simulations=50",
        "--seconds",
        "60",
    ];
    let run = run_with_input(
        &[&["play"], &args[..]].concat(),
        "drop 4\ndrop 4\nwhy\nquit\n",
    );
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    assert!(run.stdout.contains("yellow played drop"), "{}", run.stdout);
}

#[test]
fn every_role_can_have_its_own_opponent() {
    let args = ["--opponent", "3=random", "--opponent", "legal"];
    let run = run_with_input(&[&["play", "pursuit"], &args[..]].concat(), "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let told = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("is played by legal") && told.contains("is played by random"),
        "{told}"
    );
    let wrong = run_with_input(&["play", "nim", "--opponent", "third=mcts"], "");
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("no role `third`"), "{}", wrong.stderr);
}

#[test]
fn a_game_is_chosen_from_the_menu() {
    let input = "zyzzyva\ntic-tac-toe\no\n0.01\nquit\nlist\n";
    let run = run_with_input(&["play", "--opponent", "mcts:simulations=20"], input);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{}", run.stdout);
    for part in [
        "Games for two\n",
        "Puzzles\n",
        "No game has that name.",
        "Your role (1 xplayer, 2 oplayer; Enter for 1): o\n",
        "You are oplayer. xplayer is played by mcts:simulations=20, 0.01 s a move.",
        "oplayer> quit\n",
    ] {
        assert!(run.stdout.contains(part), "{part:?} in\n{}", run.stdout);
    }
    assert_eq!(
        run.stdout.matches("Which game?").count(),
        4,
        "{}",
        run.stdout
    );
    assert_eq!(run.stdout.matches("Games for two\n").count(), 2);
}

#[test]
fn role_and_moves_options_need_a_game() {
    for args in [["--role", "red"], ["--moves", "drop 4"]] {
        let run = run_with_input(&[&["play"], &args[..]].concat(), "");
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(run.stderr.contains("name a game"), "{}", run.stderr);
    }
}

#[test]
fn the_menu_accepts_numbers_and_asks_no_role_for_puzzles() {
    let list = run_with_input(&["play"], "").stdout;
    let number = list
        .split_whitespace()
        .zip(list.split_whitespace().skip(1))
        .find_map(|(number, name)| (name == "hanoi-3").then_some(number))
        .expect("hanoi-3 is listed");
    let run = run_with_input(&["play"], format!("{number}\nquit\n\n"));
    assert!(run.stdout.contains("Tower"), "{}", run.stdout);
    assert!(!run.stdout.contains("Your role"), "{}", run.stdout);
}
