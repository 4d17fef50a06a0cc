//! Tests of the archive's routes.

use serde_json::{Value, json};

use crate::support::TestArena;

#[tokio::test(flavor = "multi_thread")]
async fn finished_matches_can_be_replayed_step_by_step() {
    let arena = TestArena::new().await;
    let mut ids = Vec::new();
    for (a, b) in [
        ("random", "legal"),
        ("legal", "random"),
        ("random", "legal"),
    ] {
        let game = arena.start("tic-tac-toe", &[a, b], json!({})).await;
        game.events().await.next_of("end").await;
        ids.push(game.id);
    }
    ids.reverse();
    let list = arena.get("/api/archive/matches?limit=2").await.expect(200);
    let listed = |list: &Value| -> Vec<String> {
        let list = list["matches"].as_array().unwrap().iter();
        list.map(|entry| entry["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(listed(&list), ids[..2]);
    assert_eq!(list["more"], true);
    let first = &list["matches"][0];
    assert_eq!(first["players"], json!(["random", "legal"]));
    assert_eq!(
        (&first["game"], &first["state"]),
        (&json!("tic-tac-toe"), &json!("completed"))
    );
    let next = format!("/api/archive/matches?limit=2&after={}", ids[1]);
    let next = arena.get(&next).await.expect(200);
    assert_eq!(
        (listed(&next), &next["more"]),
        (ids[2..].to_vec(), &json!(false))
    );
    let page = arena
        .get(&format!("/api/archive/matches/{}", ids[0]))
        .await
        .expect(200);
    let steps = page["steps"].as_u64().unwrap();
    assert_eq!(page["moves"].as_array().unwrap().len() as u64, steps);
    assert_eq!(page["title"], "Tic-Tac-Toe");
    for step in [0, 1, steps] {
        let path = format!("/api/archive/matches/{}/steps/{step}", ids[0]);
        let seen = arena.get(&path).await.expect(200);
        assert_eq!(seen["step"], step);
        assert_eq!(seen["terminal"], step == steps);
        assert_eq!(
            seen["to_move"],
            if step == steps {
                json!([])
            } else {
                json!([step % 2])
            }
        );
        assert!(seen["board"]["svg"].as_str().unwrap().starts_with("<svg"));
        let svg = seen["board"]["svg"].as_str().unwrap();
        assert_eq!(svg.contains("to move"), step != steps);
        if step == steps {
            assert_eq!(seen["goals"], page["goals"]);
        }
    }
    let beyond = format!("/api/archive/matches/{}/steps/{}", ids[0], steps + 1);
    assert_eq!(arena.get(&beyond).await.refused(404), "not-found");
    assert_eq!(
        arena.get("/api/archive/matches/none").await.refused(404),
        "not-found"
    );
    let ratings = arena.get("/api/archive/ratings").await.expect(200);
    let players = ratings["players"].as_array().unwrap();
    assert_eq!(players.len(), 2);
    assert_eq!(players[0]["matches"], 3);
    assert!(players[0]["low"].as_f64() < players[0]["high"].as_f64());
}

#[tokio::test(flavor = "multi_thread")]
async fn records_name_players_by_their_requested_specs() {
    let arena = TestArena::new().await;
    let seats = ["mcts:simulations=20", "mcts:simulations=20,memory=64"];
    let game = arena.start("tic-tac-toe", &seats, json!({})).await;
    game.events().await.next_of("end").await;
    let path = format!("/api/archive/matches/{}", game.id);
    let page = arena.get(&path).await.expect(200);
    assert_eq!(page["players"], json!(seats));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_of_an_uploaded_sheet_can_be_replayed() {
    let arena = TestArena::new().await;
    let sheet = ludorum_games::find("nim")
        .unwrap()
        .text
        .replace("first", "erste");
    let added = json!({"text": sheet, "title": "Nim, German"});
    let added = arena.post("/api/sheets", &added).await.expect(200);
    let name = added["game"].as_str().unwrap();
    let game = arena.start(name, &["legal", "legal"], json!({})).await;
    game.events().await.next_of("end").await;
    let page = arena
        .get(&format!("/api/archive/matches/{}", game.id))
        .await
        .expect(200);
    assert_eq!(
        (&page["game"], &page["title"]),
        (&json!(name), &json!("Nim, German"))
    );
    arena
        .get(&format!("/api/archive/matches/{}/steps/1", game.id))
        .await
        .expect(200);
}
