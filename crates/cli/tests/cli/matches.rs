//! `ludorum player` and `ludorum match` as processes on the loopback interface, also with fake
//! players.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use ludorum_match::PlayerErrorKind;
use ludorum_match::export::{ggp, trace::Trace};
use ludorum_match::testing::{Behaviour, FakePlayer, eventually, post, raw};
use serde_json::Value;

use crate::{Folder, run};

/// A player process.
struct Player {
    child: Child,
    url: String,
}

impl Player {
    fn new(args: &[&str]) -> Self {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("ludorum"))
            .args(["player", "--port", "0"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("an output");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let url = line
            .split_whitespace()
            .last()
            .expect("an address")
            .to_owned();
        Self { child, url }
    }

    /// The numbers of open files and threads, on systems that provide them.
    fn holdings(&self) -> Option<(usize, usize)> {
        let count = |what: &str| {
            let path = format!("/proc/{}/{what}", self.child.id());
            Some(std::fs::read_dir(path).ok()?.count())
        };
        Some((count("fd")?, count("task")?))
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The record of a match that ended by the rules.
fn play(args: &[&str]) -> Value {
    let run = run(&[&["match"], args, &["--json"]].concat());
    assert_eq!(run.code, Some(0), "{args:?}: {}", run.stderr);
    serde_json::from_str(&run.stdout).expect("JSON")
}

fn errors(record: &Value) -> Vec<String> {
    let steps = record["errors"].as_array().expect("errors").iter();
    let texts = steps.flat_map(|step| step.as_array().expect("a list of texts"));
    let texts = texts
        .filter_map(Value::as_str)
        .filter(|text| !text.is_empty());
    texts.map(str::to_owned).collect()
}

#[test]
fn two_players_and_a_manager_play_ten_games() {
    let players = [
        Player::new(&["--player", "random", "--matches", "1"]),
        Player::new(&["--player", "one-ply", "--matches", "1"]),
    ];
    let before = players.each_ref().map(Player::holdings);
    let list = format!("{},{}", players[0].url, players[1].url);
    for game in [
        "tic-tac-toe",
        "connect-four",
        "nim",
        "bidding-tic-tac-toe",
        "breakthrough-small",
        "chomp",
        "clobber",
        "connect-four-suicide",
        "nine-board-tic-tac-toe",
        "tic-tac-toe-5x5",
    ] {
        let record = play(&[game, "--players", &list, "--start", "60", "--play", "60"]);
        assert_eq!(record["isCompleted"], true, "{game}");
        assert_eq!(errors(&record), [""; 0], "{game}");
        let moves = record["moves"].as_array().map(Vec::len);
        let states = record["states"].as_array().map(Vec::len);
        assert_eq!(moves.map(|moves| moves + 1), states, "{game}");
        assert!(record["goalValues"][0].is_number(), "{game}");
    }
    for (player, before) in players.iter().zip(before) {
        let Some((files, threads)) = before else {
            println!("skipped in part: this system does not provide the numbers of open files");
            continue;
        };
        // Some threads may stay idle in the pools of the runtime: two started at the beginning, and
        // one of each kind.
        let is_clean = || {
            player
                .holdings()
                .is_some_and(|now| now.0 <= files && now.1 <= threads + 4)
        };
        assert!(
            eventually(is_clean),
            "before {before:?}, now {:?}",
            player.holdings()
        );
        let metrics = raw(&player.url, b"GET /metrics HTTP/1.0\r\n\r\n").expect("metrics");
        assert!(
            metrics.contains("ludorum_player_matches_total{event=\"stopped\"} 10"),
            "{metrics}"
        );
        assert!(
            metrics.contains("ludorum_player_late_answers_total 0"),
            "{metrics}"
        );
    }
}

#[test]
fn a_match_with_a_hostile_player_ends_and_its_errors_are_recorded() {
    let say = |text: &str| Behaviour::Answer(text.to_owned());
    for (manner, kind) in [
        (Behaviour::Silence, PlayerErrorKind::TimeOut),
        (Behaviour::Drip, PlayerErrorKind::TimeOut),
        (Behaviour::HangUp, PlayerErrorKind::Connection),
        (Behaviour::Flood(100_000_000), PlayerErrorKind::Garbage),
        (say("(mark 7 7)"), PlayerErrorKind::IllegalMove),
        (say(")("), PlayerErrorKind::Garbage),
    ] {
        let stranger = FakePlayer::answering_play_with(manner).expect("a port");
        let list = format!("{};random", stranger.url());
        let clocks = ["--start", "60", "--play", "0.1", "--grace", "0"];
        let record = play(&[&["tic-tac-toe", "--players", &list], &clocks[..]].concat());
        let errors = errors(&record);
        let steps = record["moves"].as_array().map(Vec::len);
        assert_eq!(Some(errors.len()), steps, "{kind:?}: {errors:?}");
        assert!(
            errors.iter().all(|error| error.starts_with(kind.code())),
            "{errors:?}"
        );
        assert!(
            stranger.request_count() > errors.len(),
            "START, PLAY for each step, STOP"
        );
    }
}

#[test]
fn a_player_with_a_sloppy_syntax_plays_without_errors() {
    let stranger = FakePlayer::new(|request| {
        // Upper case, superfluous white space, no content type and no length.
        let answer = match request.split_whitespace().next() {
            Some("(PLAY") => "\r\n( TAKE  A 1 )\r\n",
            Some("(START") => " READY ",
            _ => "DONE",
        };
        Behaviour::Raw(format!("HTTP/1.0 200 fine\r\n\r\n{answer}").into())
    })
    .expect("a port");
    let folder = Folder::new(&[(
        "take.kif",
        "(role one) (init (left 2)) (legal one (take a 1)) (legal one (take b 1))
         (<= (next (left 1)) (true (left 2)) (does one (take a 1))) (<= (next (left 0)) (true (left 1)))
         (<= terminal (true (left 0))) (<= (goal one 100) terminal) (<= (goal one 0) (not terminal))",
    )]);
    let record = play(&[&folder.path("take.kif"), "--players", &stranger.url()]);
    assert_eq!(errors(&record), [""; 0]);
    assert_eq!(record["moves"][1][0], "(take a 1)");
    assert_eq!(record["goalValues"][0], 100);
}

#[test]
fn boards_moves_and_the_result_are_printed() {
    let folder = Folder::new(&[]);
    let (record, trace) = (folder.path("m.json"), folder.path("m.kif"));
    let args = [
        "match",
        "tic-tac-toe",
        "--players",
        "minimax,legal",
        "--seed",
        "3",
    ];
    let files = ["--record", &record, "--trace", &trace, "--id", "first"];
    let seen = run(&[&args[..], &files].concat());
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(
        seen.stderr, "",
        "awaited players are only shown on a terminal"
    );
    for part in [
        "tic-tac-toe, match first: 30 s to start, 10 s a move",
        "xplayer  minimax",
        "oplayer  legal",
        "Step 1\n",
        "mark ",
        "The match is over.",
        "100  minimax",
    ] {
        assert!(seen.stdout.contains(part), "{part:?} in\n{}", seen.stdout);
    }
    let kept = ggp::from_json(&folder.read("m.json")).expect("a record");
    assert_eq!(kept.id, "first");
    assert!(
        kept.outcome
            .as_ref()
            .is_some_and(|outcome| outcome.completed)
    );
    // The trace can be replayed and leads through the same states.
    let trace = Trace::from_kif(&folder.read("m.kif")).expect("a trace");
    let rules = ludorum_games::find(trace.game()).expect("a game").text;
    let rules = ludorum_logic::Rules::from_text(rules).expect("rules");
    assert_eq!(trace.replay(&rules.into()).expect("a match"), kept);
}

#[test]
fn a_match_is_resumed_from_its_file() {
    let folder = Folder::new(&[]);
    let (whole, cut) = (folder.path("whole.json"), folder.path("cut.json"));
    let args = [
        "match",
        "connect-four",
        "--players",
        "random",
        "--seed",
        "9",
        "--record",
    ];
    assert_eq!(run(&[&args[..], &[&whole]].concat()).code, Some(0));
    let played = ggp::from_json(&folder.read("whole.json")).expect("a record");
    let mut record = played.clone();
    record.steps.truncate(4);
    record.outcome = None;
    std::fs::write(&cut, ggp::to_json(&record)).expect("a file can be written");
    let again = run(&[&args[..], &[&cut, "--resume"]].concat());
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(
        again.stdout.contains("continued after step 4"),
        "{}",
        again.stdout
    );
    let record = ggp::from_json(&folder.read("cut.json")).expect("a record");
    let moves = |record: &ludorum_match::MatchRecord| -> Vec<Vec<String>> {
        record.steps.iter().map(|step| step.moves.clone()).collect()
    };
    assert_eq!(moves(&record), moves(&played));
    assert_eq!(record.outcome, played.outcome);
}

#[test]
fn a_match_that_is_not_completed_is_exit_code_1() {
    let short = ["tic-tac-toe", "--players", "random", "--max-steps", "3"];
    let seen = run(&[&["match"], &short[..]].concat());
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(
        seen.stdout.contains("no end after 3 steps"),
        "{}",
        seen.stdout
    );
    // Nothing listens at this address any more.
    let gone = FakePlayer::answering_play_with(Behaviour::HangUp)
        .expect("a port")
        .url();
    let list = format!("{gone},random");
    let args = [
        "match",
        "tic-tac-toe",
        "--players",
        &list,
        "--forfeit-after",
        "2",
    ];
    let seen = run(&args);
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(seen.stdout.contains("forfeited"), "{}", seen.stdout);
}

#[test]
fn wrong_arguments_are_refused_with_advice() {
    for (args, parts) in [
        (
            &["--players", "random,legal,mcts"][..],
            ["2 roles (xplayer, oplayer)", "one for all"],
        ),
        (
            &["--players", "deepblue,random"],
            ["no player `deepblue`", "separated by commas"],
        ),
        (
            &["--players", "ftp://x,random"],
            ["not the address", "http://"],
        ),
        (
            &["--players", "http://x:99999,random"],
            ["not the address", "http://"],
        ),
        (
            &["--players", "random", "--id", "a b"],
            ["name of a match", "one word"],
        ),
        (
            &["--players", "random", "--resume"],
            ["--record", "required"],
        ),
        (&[], ["--players", "required"]),
    ] {
        let seen = run(&[&["match", "tic-tac-toe"], args].concat());
        assert_eq!(seen.code, Some(2), "{args:?}");
        for part in parts {
            assert!(seen.stderr.contains(part), "{part:?} in {}", seen.stderr);
        }
    }
}

#[test]
fn a_port_that_is_in_use_is_reported() {
    let player = Player::new(&[]);
    let port = player.url.rsplit(':').next().expect("a port");
    let seen = run(&["player", "--port", port]);
    assert_eq!(seen.code, Some(2));
    assert!(seen.stderr.contains("cannot listen on"), "{}", seen.stderr);
    assert!(
        post(&player.url, "(INFO)")
            .expect("an answer")
            .contains("(name ludorum)")
    );
}

#[cfg(unix)]
#[test]
fn a_player_ends_on_sigterm() {
    let mut player = Player::new(&[]);
    let asked = Command::new("kill")
        .arg(player.child.id().to_string())
        .status();
    assert!(asked.is_ok_and(|status| status.success()));
    let status = player.child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_match_is_recorded_in_an_archive_and_resumed_from_it() {
    let folder = Folder::new(&[]);
    let path = folder.path("a.sqlite");
    let args = [
        "match",
        "nim",
        "--players",
        "random,legal",
        "--seed",
        "4",
        "--id",
        "m",
    ];
    let args = [&args[..], &["--archive", &path]].concat();
    let first = run(&args);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let list = run(&["archive", "list", "--archive", &path]);
    assert!(list.stdout.contains("random"), "{}", list.stdout);
    let twice = run(&args);
    assert_eq!(twice.code, Some(2));
    assert!(
        twice.stderr.contains("has a match `m` already"),
        "{}",
        twice.stderr
    );
    // A finished match is shown again.
    let again = run(&[&args[..], &["--resume"]].concat());
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(again.stdout.contains("already played"), "{}", again.stdout);
    assert!(
        again.stdout.contains("The match is over."),
        "{}",
        again.stdout
    );
}

#[test]
fn a_record_is_not_mixed_with_that_of_another_match() {
    let folder = Folder::new(&[]);
    let record = folder.path("m.json");
    let play = |game: &str, players: &str, more: &[&str]| {
        let args = ["match", game, "--players", players, "--record", &record];
        run(&[&args[..], more].concat())
    };
    assert_eq!(play("nim", "random,legal", &["--seed", "1"]).code, Some(0));
    let before = folder.read("m.json");
    for (game, players, more, part) in [
        ("nim", "random,legal", &[][..], "exists already"),
        (
            "nim",
            "legal,random",
            &["--resume"],
            "played by random and legal",
        ),
        ("tic-tac-toe", "random,legal", &["--resume"], "another game"),
        (
            "nim",
            "random,legal",
            &["--resume", "--play", "3"],
            "clocks",
        ),
    ] {
        let run = play(game, players, more);
        assert_eq!(run.code, Some(2), "{part}: {}", run.stdout);
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
        assert_eq!(folder.read("m.json"), before);
    }
    assert_eq!(play("nim", "legal,random", &["--overwrite"]).code, Some(0));
    let args = [
        "match",
        "nim",
        "--players",
        "random",
        "--record",
        "/no/such/folder/m",
    ];
    let run = run(&args);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("cannot write"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_prints_the_steps_so_far() {
    let stranger = FakePlayer::new(|_| Behaviour::Silence).expect("a port");
    let list = format!("{},random", stranger.url());
    let child = Command::new(assert_cmd::cargo::cargo_bin!("ludorum"))
        .args([
            "match",
            "nim",
            "--players",
            &list,
            "--start",
            "600",
            "--json",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    assert!(eventually(|| stranger.request_count() > 0));
    let asked = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(asked.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let record: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(record["isCompleted"], false);
}
