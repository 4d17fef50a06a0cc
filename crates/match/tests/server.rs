//! The player server, tested over raw sockets.

use std::net::{Ipv4Addr, SocketAddr};
use std::thread::JoinHandle;
use std::time::Duration;

use ludorum_match::server::{Server, ServerOptions};
use ludorum_match::testing::{eventually, post, raw};
use ludorum_match::{CancellationToken, GameManager, MatchRecord, MatchSetup};

/// A server in a thread of its own, stopped when it is dropped.
struct Running {
    url: String,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn new(player: &str, change: impl FnOnce(&mut ServerOptions)) -> Self {
        let mut options = ServerOptions::new(player.parse().unwrap());
        change(&mut options);
        let stop = CancellationToken::new();
        let (sender, receiver) = std::sync::mpsc::channel();
        let token = stop.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
                let server = Server::bind(address, options).await.unwrap();
                sender.send(server.address().unwrap()).unwrap();
                server.run(token).await;
            });
        });
        Self {
            url: format!("http://{}", receiver.recv().unwrap()),
            stop,
            thread: Some(thread),
        }
    }

    fn send(&self, message: &str) -> String {
        post(&self.url, message).unwrap()
    }

    fn metric(&self, line: &str) -> bool {
        let answer = raw(&self.url, b"GET /metrics HTTP/1.0\r\n\r\n").unwrap();
        answer.lines().any(|known| known == line)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn sheet(name: &str) -> &'static str {
    ludorum_games::find(name).unwrap().text
}

fn start(id: &str, role: &str, clocks: &str) -> String {
    format!("(START {id} {role} ({}\n) {clocks})", sheet("tic-tac-toe"))
}

#[test]
fn lenient_parsing_accepts_sloppy_clients() {
    let server = Running::new("legal", |_| {});
    let url = &server.url;
    // Lower case, no parentheses around the description, line breaks of another system.
    let sheet = sheet("tic-tac-toe").replace('\n', "\r\n");
    let message = format!("\r\n( start\tM.1 XPLAYER {sheet}\r\n 5 5 )\r\n");
    assert_eq!(server.send(&message), "ready");
    // Chunked, with headers of the protocol and no content type.
    let chunked = b"POST /some/path HTTP/1.1\r\nHost: x\r\nSender: GAMESERVER\r\nReceiver: PLAYER\r\n\
        Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n7\r\n(play m\r\n8\r\n.1  NIL)\r\n0\r\n\r\n";
    let answer = raw(url, chunked).unwrap();
    assert!(answer.contains("(mark 1 1)"), "{answer}");
    assert!(answer.contains("text/acl"), "{answer}");
    // Upper case.
    assert_eq!(server.send("(PLAY M.1 ((MARK 1 1) NOOP))"), "noop");
    assert_eq!(server.send("PLAY M.1 (NOOP (MARK 1 2))"), "(mark 1 3)");
    assert_eq!(server.send("(STOP m.1 ((mark 1 3) noop))"), "done");
    let info = server.send("info");
    assert!(
        info.starts_with("((name ludorum) (status available)"),
        "{info}"
    );
    assert_eq!(server.send("(ping)"), "available");
    assert_eq!(server.send("(PREVIEW ((role x)) 5)"), "ready");
}

#[test]
fn unreadable_messages_are_reported_and_the_match_goes_on() {
    let server = Running::new("legal", |_| {});
    assert_eq!(server.send(&start("m", "xplayer", "5 5")), "ready");
    for (message, part) in [
        ("", "nothing in it"),
        ("(HELLO)", "not a message"),
        ("(PLAY m ((mark ?x) noop))", "variable"),
        ("(PLAY m (", "parentheses"),
        ("(PLAY other nil)", "there is no match other here"),
        ("(STOP other nil)", "there is no match other here"),
        ("(ABORT other)", "there is no match other here"),
        (
            "(START n zplayer ((role x) (init a)) 1 1)",
            "no role zplayer",
        ),
        ("(START n x ((init a)) 1 1)", "rules cannot be used"),
        ("(START n x (((((( )))))) 1 1)", "error:"),
    ] {
        let answer = server.send(message);
        assert!(
            answer.starts_with("error: ") && answer.contains(part),
            "{message}: {answer}"
        );
    }
    // Moves that fit nothing: the answer is still a legal move of the last known state.
    assert_eq!(server.send("(PLAY m (a b c))"), "(mark 1 1)");
    assert_eq!(server.send("(PLAY m nil)"), "(mark 1 1)");
    let answer = raw(&server.url, b"\x16\x03\x01garbage\r\n\r\n").unwrap_or_default();
    assert!(!answer.contains(" 200 "), "{answer}");
    assert_eq!(server.send("(PLAY m ((mark 1 1) noop))"), "noop");
    assert_eq!(server.send("(ABORT m)"), "aborted");
    assert!(server.metric("ludorum_player_messages_total{message=\"unreadable\"} 4"));
}

#[test]
fn lost_messages_and_repeated_starts_are_recovered() {
    let server = Running::new("legal", |_| {});
    let first = start("m", "xplayer", "5 5");
    assert_eq!(server.send(&first), "ready");
    assert_eq!(server.send(&first), "ready", "a START that comes twice");
    assert_eq!(server.send("(PLAY m nil)"), "(mark 1 1)");
    // The message with our own move was lost.
    assert_eq!(server.send("(PLAY m (noop (mark 2 2)))"), "(mark 1 2)");
    assert!(server.metric("ludorum_player_recoveries_total{certainty=\"certain\"} 1"));
    // Another move than ours was played, and then the same message comes again.
    let replaced = "(PLAY m ((mark 3 3) noop))";
    assert_eq!(server.send(replaced), "noop");
    assert_eq!(server.send(replaced), "noop");
    assert!(server.metric("ludorum_player_replaced_moves_total 1"));
    // The match begins again from its first move.
    assert_eq!(server.send(&first), "ready");
    assert_eq!(server.send("(PLAY m nil)"), "(mark 1 1)");
    assert!(server.metric("ludorum_player_matches 1"));
    assert!(server.metric("ludorum_player_matches_total{event=\"replaced\"} 1"));
}

#[test]
fn more_matches_than_the_limit_are_refused() {
    let server = Running::new("random", |options| options.matches = 2);
    for id in ["a", "b"] {
        assert_eq!(server.send(&start(id, "oplayer", "5 5")), "ready");
    }
    assert_eq!(server.send(&start("c", "oplayer", "5 5")), "busy");
    assert!(server.send("(INFO)").contains("(status busy)"));
    assert_eq!(server.send("(PING)"), "busy");
    assert_eq!(server.send("(STOP a nil)"), "done");
    assert!(server.send("(INFO)").contains("(status available)"));
    assert_eq!(server.send(&start("c", "oplayer", "5 5")), "ready");
}

#[test]
fn a_panic_in_one_match_leaves_the_others_alone() {
    let server = Running::new("legal", |_| {});
    assert_eq!(server.send(&start("fine", "xplayer", "5 5")), "ready");
    assert_eq!(server.send(&start("panic", "xplayer", "5 5")), "ready");
    let answer = server.send("(PLAY panic nil)");
    assert_eq!(answer, "error: this match has broken down");
    assert_eq!(server.send("(PLAY fine nil)"), "(mark 1 1)");
    let answer = server.send("(PLAY panic nil)");
    assert!(answer.contains("there is no match panic"), "{answer}");
    assert!(server.metric("ludorum_player_matches_total{event=\"broken\"} 1"));
}

#[test]
fn abandoned_matches_are_removed() {
    let server = Running::new("random", |options| {
        options.idle_timeout = Duration::from_millis(10);
        options.matches = 1;
    });
    assert_eq!(server.send(&start("m", "xplayer", "0.05 0.05")), "ready");
    let abandoned = "ludorum_player_matches_total{event=\"abandoned\"} 1";
    assert!(eventually(|| server.metric(abandoned)));
    assert_eq!(server.send(&start("n", "xplayer", "5 5")), "ready");
}

#[test]
fn large_messages_are_refused_before_they_are_read() {
    let server = Running::new("random", |_| {});
    let mut request = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n".to_vec();
    request.resize(40 << 20, b'(');
    let answer = raw(&server.url, &request).unwrap_or_default();
    // The answer may be lost with the connection, which the server closes early.
    assert!(answer.is_empty() || answer.contains(" 413 "), "{answer}");
    assert_eq!(server.send("(PING)"), "available");
}

#[test]
fn status_page_and_metrics_are_served() {
    let server = Running::new("mcts:c=0.5", |options| options.name = "a <b>".into());
    let page = raw(&server.url, b"GET / HTTP/1.0\r\n\r\n").unwrap();
    assert!(
        page.contains("a &lt;b&gt;") && page.contains("mcts:c=0.5"),
        "{page}"
    );
    assert!(
        raw(&server.url, b"GET /x HTTP/1.0\r\n\r\n")
            .unwrap()
            .contains(" 404 ")
    );
    assert!(
        raw(&server.url, b"DELETE / HTTP/1.0\r\n\r\n")
            .unwrap()
            .contains(" 405 ")
    );
    assert!(
        server.send("(INFO)").contains("(name ludorum)"),
        "no word, no name"
    );
}

#[test]
fn a_pending_answer_is_sent_before_shutdown() {
    let mut server = Running::new("mcts", |_| {});
    assert_eq!(server.send(&start("m", "xplayer", "0 1")), "ready");
    let url = server.url.clone();
    let asking = std::thread::spawn(move || post(&url, "(PLAY m nil)"));
    // The message is being processed when the server is stopped.
    assert!(eventually(
        || server.metric("ludorum_player_messages_total{message=\"PLAY\"} 1")
    ));
    server.stop.cancel();
    let answer = asking.join().unwrap().unwrap();
    assert!(answer.starts_with("(mark "), "{answer}");
    let thread = server.thread.take();
    assert!(thread.is_some_and(|thread| thread.join().is_ok()));
    assert!(post(&server.url, "(INFO)").is_err());
}

/// Matches between two servers, all at once.
fn crowd(urls: [&str; 2], count: usize) -> Vec<MatchRecord> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let manager = GameManager::new();
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for number in 0..count {
            let game = ["tic-tac-toe", "connect-four"][number % 2];
            let setup = MatchSetup {
                id: format!("m{number}"),
                game: game.into(),
                sheet: sheet(game).into(),
                start_clock: Duration::from_mins(1),
                play_clock: Duration::from_secs(30),
                participants: urls.map(|url| url.parse().unwrap()).to_vec(),
                seed: number as u64,
                forfeit_after: None,
                max_steps: 100,
            };
            let manager = manager.clone();
            tasks.push(tokio::spawn(async move {
                let cancel = CancellationToken::new();
                let record = manager
                    .run_match(&setup, None, &mut (), &mut (), cancel)
                    .await;
                record.unwrap()
            }));
        }
        let mut records = Vec::new();
        for task in tasks {
            records.push(task.await.unwrap());
        }
        records
    })
}

#[test]
fn many_concurrent_matches_are_completed() {
    let many = |options: &mut ServerOptions| options.matches = 30;
    let servers = [Running::new("random", many), Running::new("random", many)];
    let records = crowd([&servers[0].url, &servers[1].url], 30);
    for record in &records {
        assert!(
            record
                .outcome
                .as_ref()
                .is_some_and(|outcome| outcome.completed)
        );
        let errors = record.steps.iter().flat_map(|step| &step.player_errors);
        let errors: Vec<_> = errors.chain(&record.start_errors).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
    for server in &servers {
        assert!(server.metric("ludorum_player_matches 0"));
        assert!(server.metric("ludorum_player_matches_total{event=\"stopped\"} 30"));
        assert!(server.metric("ludorum_player_late_answers_total 0"));
    }
}

#[test]
fn one_server_may_play_several_roles_of_a_match() {
    let server = Running::new("random", |_| {});
    let records = crowd([&server.url, &server.url], 1);
    assert!(records[0].start_errors.is_empty());
    assert!(
        records[0]
            .steps
            .iter()
            .all(|step| step.player_errors.is_empty())
    );
}

#[test]
fn a_match_is_resumed_by_a_new_server() {
    let first = Running::new("random", |_| {});
    let whole = crowd([&first.url, &first.url], 1).remove(0);
    let fresh = Running::new("random", |_| {});
    let mut played = whole.clone();
    played.steps.truncate(3);
    played.outcome = None;
    // The new server has another port, which the record would treat as another player.
    played.players = vec![fresh.url.clone(), fresh.url.clone()];
    let setup = MatchSetup {
        id: played.id.clone(),
        game: played.game.clone(),
        sheet: sheet("tic-tac-toe").into(),
        start_clock: Duration::from_mins(1),
        play_clock: Duration::from_secs(30),
        participants: vec![fresh.url.parse().unwrap(), fresh.url.parse().unwrap()],
        seed: 0,
        forfeit_after: None,
        max_steps: 100,
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let manager = GameManager::new();
    let cancel = CancellationToken::new();
    let (mut log, mut spectator) = ((), ());
    let conduct = manager.run_match(&setup, Some(played), &mut log, &mut spectator, cancel);
    let record = runtime.block_on(conduct).unwrap();
    assert_eq!(record.steps[..3], whole.steps[..3]);
    assert!(record.outcome.is_some_and(|outcome| outcome.completed));
    let later = &record.steps[3..];
    assert!(
        later.iter().all(|step| step.player_errors.is_empty()),
        "{later:?}"
    );
}

/// A START message for a sheet with too many legal moves to enumerate.
fn endless(id: &str) -> String {
    let numbers: Vec<String> = (0..60).map(|n| format!("(d {n})")).collect();
    let numbers = numbers.join(" ");
    format!(
        "(START {id} x ((role x) {numbers} (init (s 0)) (<= (next (s 1)) (does x (m ?a ?b ?c ?d ?e ?f)))
         (<= terminal (true (s 1))) (goal x 100)
         (<= (legal x (m ?a ?b ?c ?d ?e ?f)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f))) 0.1 600)"
    )
}

fn is_available(server: &Running) -> bool {
    server.send("(INFO)").contains("(status available)")
}

#[test]
fn pondering_on_an_endless_query_stops_when_the_match_is_cancelled() {
    let server = Running::new("mcts", |options| options.matches = 1);
    for number in 0..10 {
        let id = format!("m{number}");
        assert!(eventually(|| is_available(&server)), "{id}");
        assert_eq!(server.send(&endless(&id)), "ready", "as INFO has said");
        assert!(!is_available(&server));
        assert_eq!(server.send(&format!("(ABORT {id})")), "aborted");
    }
    assert!(eventually(|| is_available(&server)));
}

#[test]
fn a_pending_move_is_answered_at_once_when_the_match_is_aborted() {
    let server = Running::new("mcts", |options| options.matches = 1);
    for number in 1..=6 {
        let (id, sheet) = (format!("m{number}"), sheet("connect-four"));
        assert!(eventually(|| is_available(&server)), "{id}");
        let start = format!("(START {id} red ({sheet}\n) 0 600)");
        assert_eq!(server.send(&start), "ready", "as INFO has said");
        let (url, play) = (server.url.clone(), format!("(PLAY {id} nil)"));
        let asking = std::thread::spawn(move || post(&url, &play));
        let count_line = format!("ludorum_player_messages_total{{message=\"PLAY\"}} {number}");
        assert!(eventually(|| server.metric(&count_line)));
        assert_eq!(server.send(&format!("(ABORT {id})")), "aborted");
        let answer = asking.join().unwrap().unwrap();
        assert!(answer.starts_with("error: "), "{answer}");
    }
}

#[test]
fn a_start_for_another_role_does_not_replace_a_match() {
    let server = Running::new("legal", |_| {});
    assert_eq!(server.send(&start("m", "xplayer", "5 5")), "ready");
    assert_eq!(server.send("(PLAY m nil)"), "(mark 1 1)");
    let answer = server.send(&start("m", "oplayer", "5 5"));
    assert!(
        answer.contains("is being played here as xplayer"),
        "{answer}"
    );
    assert_eq!(server.send("(PLAY m ((mark 1 1) noop))"), "noop");
}

#[test]
fn a_late_answer_is_counted_once() {
    let server = Running::new("legal", |_| {});
    assert_eq!(server.send(&start("m", "xplayer", "5 0")), "ready");
    // Without any time, every answer is late.
    for _ in 0..3 {
        server.send("(PLAY m nil)");
    }
    assert!(server.metric("ludorum_player_late_answers_total 3"));
}

#[test]
fn long_messages_for_unknown_matches_are_refused_before_they_are_read() {
    let server = Running::new("random", |_| {});
    let moves = "a ".repeat(1 << 20);
    let answer = post(&server.url, &format!("(PLAY x ({moves}))")).unwrap_or_default();
    // The answer may be lost with the connection, which the server closes early.
    assert!(
        answer.is_empty() || answer.contains("more than"),
        "{answer}"
    );
    assert_eq!(server.send("(PING)"), "available");
}
