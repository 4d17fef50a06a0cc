//! Tests of playing, illegal moves, taking back and resigning.

use serde_json::{Value, json};

use crate::support::TestArena;

#[tokio::test(flavor = "multi_thread")]
async fn tic_tac_toe_is_played_to_the_end_against_the_computer() {
    let arena = TestArena::new().await;
    let game = arena
        .start("tic-tac-toe", &["person", "legal"], json!({}))
        .await;
    let joints = game.play_to_the_end(0).await;
    let end = game.seen_by(0).await;
    assert_eq!(end["finished"], true);
    assert_eq!(end["terminal"], true);
    assert_eq!(end["step"], joints.len());
    assert_eq!(end["legal"], json!([]));
    assert_eq!(end["you"], 0);
    let goals: Vec<u64> = end["goals"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_u64)
        .collect();
    assert_eq!(goals.iter().sum::<u64>(), 100, "{end}");
    assert_eq!(
        game.play(0, joints.len() as u64, "(mark 1 1)")
            .await
            .refused(409),
        "over"
    );
    // Every position can be requested again.
    for step in 0..=joints.len() {
        let path = game.path(&format!("/steps/{step}"));
        let seen = arena.get(&path).await.expect(200);
        assert_eq!(seen["step"], step);
        assert_eq!(
            seen["joint"],
            step.checked_sub(1)
                .map_or(Value::Null, |n| joints[n].clone())
        );
        assert_eq!(seen["you"], Value::Null);
    }
    let beyond = game.path(&format!("/steps/{}", joints.len() + 1));
    assert_eq!(arena.get(&beyond).await.refused(404), "not-found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_shows_legal_moves_only_to_their_person() {
    let arena = TestArena::new().await;
    let game = arena
        .start("tic-tac-toe", &["person", "legal"], json!({}))
        .await;
    game.events().await.step(0).await;
    let own = game.seen_by(0).await;
    assert_eq!(own["legal"].as_array().unwrap().len(), 9);
    assert_eq!(own["legal"][0]["move"], "(mark 1 1)");
    assert_eq!(own["legal"][0]["words"], "mark 1 1");
    assert_eq!(
        (&own["words"], &own["to_move"]),
        (&json!("Your move"), &json!([0]))
    );
    assert_eq!(own["waiting_for"], json!([0]));
    assert_eq!(own["clocks"], json!([null, null]));
    assert!(own["board"]["svg"].as_str().unwrap().starts_with("<svg"));
    let others = game.seen().await;
    assert_eq!(others["legal"], json!([]));
    assert_eq!(others["words"], "Xplayer to move");
    assert_eq!(others["title"], "Tic-Tac-Toe");
    assert_eq!(others["seats"][0]["kind"], "person");
    let list = arena.get("/api/matches").await.expect(200);
    assert_eq!(list["matches"][0]["match"], game.id);
    assert!(!list.to_string().contains(game.key(0)), "keys are secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn illegal_late_and_foreign_moves_are_rejected() {
    let arena = TestArena::new().await;
    let game = arena
        .start("tic-tac-toe", &["person", "legal"], json!({}))
        .await;
    let mut events = game.events().await;
    events.step(0).await;
    for text in ["(mark 4 4)", "noop", "(mark 1", ""] {
        assert_eq!(
            game.play(0, 0, text).await.refused(422),
            "illegal",
            "{text}"
        );
    }
    assert_eq!(
        game.play(0, 1, "(mark 1 1)").await.refused(409),
        "step-passed"
    );
    let other = json!({"seat": "somebody", "step": 0, "move": "(mark 1 1)"});
    let refused = arena.post(&game.path("/moves"), &other).await;
    assert_eq!(refused.refused(403), "no-seat");
    let nowhere = arena.get("/api/matches/nowhere").await;
    assert_eq!(nowhere.refused(404), "not-found");
    // Upper case without parentheses denotes the same move.
    assert_eq!(game.play(0, 0, "MARK 2 2").await.status, 202);
    events.step(1).await;
    assert_eq!(
        game.play(0, 0, "(mark 1 1)").await.refused(409),
        "step-passed"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_takes_back_its_last_decision() {
    let arena = TestArena::new().await;
    let game = arena
        .start("tic-tac-toe", &["person", "legal"], json!({}))
        .await;
    let mut events = game.events().await;
    events.step(0).await;
    let undo = json!({"seat": game.key(0)});
    let nothing = arena.post(&game.path("/undo"), &undo).await;
    assert_eq!(nothing.refused(409), "nothing");
    game.play(0, 0, "(mark 2 2)").await.expect(202);
    events.step(2).await;
    assert_eq!(game.seen_by(0).await["step"], 2);
    let taken = arena.post(&game.path("/undo"), &undo).await.expect(202);
    assert_eq!(taken["step"], 0);
    let back = events.next_of("step").await;
    assert_eq!(
        (&back.data["step"], &back.data["undone"]),
        (&json!(0), &json!(true))
    );
    // A second event says that there is a move to choose again.
    events.step(0).await;
    let seen = game.seen_by(0).await;
    assert_eq!(seen["legal"].as_array().unwrap().len(), 9);
    game.play(0, 0, "(mark 3 3)").await.expect(202);
    let again = events.step(1).await;
    assert_eq!(again.data["joint"], json!(["(mark 3 3)", "noop"]));
    let joints = game.play_to_the_end(0).await;
    let kept = arena
        .get(&format!("/api/archive/matches/{}", game.id))
        .await
        .expect(200);
    assert_eq!(kept["moves"][0], json!(["(mark 3 3)", "noop"]));
    assert_eq!(kept["finished"], true);
    // The event log also has the moves that were taken back.
    assert!(joints.len() > kept["steps"].as_u64().unwrap() as usize);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_resigns_has_lost() {
    let arena = TestArena::new().await;
    let game = arena
        .start("tic-tac-toe", &["person", "legal"], json!({}))
        .await;
    let mut events = game.events().await;
    events.step(0).await;
    let resign = json!({"seat": game.key(0)});
    arena.post(&game.path("/resign"), &resign).await.expect(202);
    let end = events.next_of("end").await;
    assert_eq!(
        end.data,
        json!({"goals": [0, 100], "reason": "xplayer resigned"})
    );
    assert_eq!(events.next().await, None);
    let seen = game.seen_by(0).await;
    assert_eq!(seen["words"], "Xplayer resigned: Oplayer wins, 0 : 100");
    assert_eq!(
        (&seen["finished"], &seen["terminal"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(
        arena
            .post(&game.path("/resign"), &resign)
            .await
            .refused(409),
        "over"
    );
    assert_eq!(
        arena.post(&game.path("/undo"), &resign).await.refused(409),
        "over"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn people_can_resign_while_the_computer_thinks() {
    let arena = TestArena::new().await;
    let seats = ["mcts:early=off", "person"];
    let slow = json!({"play_clock": 3600});
    let game = arena.start("tic-tac-toe", &seats, slow).await;
    let mut events = game.events().await;
    events.step(0).await;
    let resign = json!({"seat": game.key(1)});
    arena.post(&game.path("/resign"), &resign).await.expect(202);
    assert_eq!(events.next_of("end").await.data["goals"], json!([100, 0]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_starts_from_a_shared_position() {
    let arena = TestArena::new().await;
    let moves = json!([["(mark 2 2)", "noop"], ["noop", "(mark 1 1)"]]);
    let more = json!({"moves": moves});
    let game = arena.start("tic-tac-toe", &["person", "legal"], more).await;
    let mut events = game.events().await;
    for step in 0..3 {
        assert_eq!(events.next_of("step").await.data["step"], step);
    }
    let seen = game.seen_by(0).await;
    assert_eq!((&seen["step"], &seen["joint"]), (&json!(2), &moves[1]));
    assert_eq!(seen["legal"].as_array().unwrap().len(), 7);
    let position = arena
        .post("/api/games/tic-tac-toe/position", &json!({"moves": moves}))
        .await
        .expect(200);
    assert_eq!(position["board"], game.seen().await["board"]);
    assert_eq!(position["to_move"], json!([0]));
    assert_eq!(position["words"], "Xplayer to move");
    let wrong = json!([["(mark 2 2)", "noop"], ["noop", "(mark 2 2)"]]);
    let (setup, _) = arena
        .setup("tic-tac-toe", &["person", "legal"], json!({"moves": wrong}))
        .await;
    let refused = arena.post("/api/matches", &setup).await;
    assert_eq!(refused.refused(422), "position");
    assert!(refused.text().contains("step 2"), "{}", refused.text());
    game.play_to_the_end(0).await;
    let kept = arena
        .get(&format!("/api/archive/matches/{}", game.id))
        .await
        .expect(200);
    assert_eq!(kept["moves"][1], moves[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hint_names_the_winning_move() {
    let arena = TestArena::new().await;
    let moves = json!([
        ["(mark 1 1)", "noop"],
        ["noop", "(mark 3 3)"],
        ["(mark 1 2)", "noop"],
        ["noop", "(mark 3 1)"]
    ]);
    let game = arena
        .start("tic-tac-toe", &["person", "legal"], json!({"moves": moves}))
        .await;
    game.events().await.step(4).await;
    let path = game.path(&format!("/hint?seat={}&seconds=5", game.key(0)));
    let hint = arena.get(&path).await.expect(200);
    assert_eq!(hint["moves"][0]["move"], "(mark 1 3)", "{hint}");
    assert_eq!(hint["moves"][0]["words"], "mark 1 3");
    assert_eq!(
        arena
            .get(&game.path("/hint?seat=nobody"))
            .await
            .refused(403),
        "no-seat"
    );
    let endless = game.path(&format!("/hint?seat={}&seconds=9999", game.key(0)));
    assert_eq!(arena.get(&endless).await.refused(422), "clock");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_single_player_game_can_be_played() {
    let arena = TestArena::new().await;
    let game = arena.start("hanoi-3", &["person"], json!({})).await;
    game.play_to_the_end(0).await;
    let seen = game.seen_by(0).await;
    assert_eq!(seen["finished"], true);
    assert_eq!(seen["roles"].as_array().unwrap().len(), 1);
}
