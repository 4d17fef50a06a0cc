//! Tests that choices of the current step stay hidden from other roles.

use serde_json::{Value, json};

use crate::support::TestArena;

/// A game in which both roles always choose at the same time.
const BOTH: &str =
    "(role left) (role right) (init (round 1)) (hand rock) (hand paper) (hand scissors)
(<= (legal ?r ?h) (role ?r) (hand ?h) (true (round ?n)))
(<= (next (shown ?r ?h)) (does ?r ?h))
(<= (next (round 2)) (true (round 1)))
(<= (next over) (true (round 2)))
(<= terminal (true over))
(<= (goal ?r 50) (role ?r))";

async fn both(arena: &TestArena) -> String {
    let added = arena.post("/api/sheets", &json!({"text": BOTH})).await;
    added.expect(200)["game"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_choice_stays_hidden_until_all_have_chosen() {
    let arena = TestArena::new().await;
    let name = both(&arena).await;
    let game = arena.start(&name, &["person", "person"], json!({})).await;
    let mut events = game.events().await;
    events.step(0).await;
    let before = game.seen_by(1).await;
    assert_eq!(before["to_move"], json!([0, 1]));
    assert_eq!(before["words"], "Left and right to move");
    game.play(0, 0, "paper").await.expect(202);
    // A choice cannot be changed.
    assert_eq!(game.play(0, 0, "rock").await.refused(409), "chosen");
    let after = game.seen_by(1).await;
    let mut alike = after.clone();
    alike["waiting_for"] = before["waiting_for"].clone();
    assert_eq!(alike, before);
    let steps = arena.get(&game.path("/steps/1")).await;
    assert_eq!(steps.refused(404), "not-found");
    game.play(1, 0, "scissors").await.expect(202);
    let step = events.step(1).await;
    assert_eq!(step.data["joint"], json!(["paper", "scissors"]));
    // With two people, neither can take moves back.
    let undo = json!({"seat": game.key(0)});
    assert_eq!(
        arena.post(&game.path("/undo"), &undo).await.refused(409),
        "others"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn search_reports_are_published_after_the_step() {
    let arena = TestArena::new().await;
    let name = both(&arena).await;
    let seats = ["person", "mcts:simulations=500"];
    let game = arena.start(&name, &seats, json!({})).await;
    let mut events = game.events().await;
    events.step(0).await;
    let evaluation = arena.get(&game.path("/evaluation")).await.expect(200);
    assert_eq!(evaluation["steps"][0]["values"], Value::Null);
    game.play(0, 0, "paper").await.expect(202);
    let mut is_over = false;
    loop {
        let Some(event) = events.next().await else {
            panic!("the match goes on")
        };
        is_over |= event.kind == "step" && event.data["step"] == 1;
        if event.kind == "thinking" && event.data["step"] == 0 {
            let is_told = !event.data["values"].is_null();
            assert_eq!(is_told, event.data["done"] == true, "{event:?}");
            if is_told {
                break;
            }
            assert_eq!(event.data["line"], json!([]));
        }
        assert!(!is_over, "the thought comes before the position");
    }
}
