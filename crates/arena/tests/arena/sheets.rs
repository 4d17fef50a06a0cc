//! Tests of uploaded rule sheets.

use serde_json::json;

use crate::support::TestArena;

const BROKEN: &str = "(role robot)\n(init (light off))\n(<= (legal robot press)\n    (true (light ?x)\n(<= terminal (true (light on)))\n";
const UNSAFE: &str = "(role robot)\n(init (light off))\n(legal robot press)\n(<= (next (light ?x)) (does robot press))\n(<= terminal (true (light on)))\n(goal robot 100)\n";
const MENDED: &str = "(role robot)\n(init (light off))\n(legal robot press)\n(legal robot wait)\n(<= (next (light on)) (does robot press))\n(<= (next (light off)) (does robot wait))\n(<= terminal (true (light on)))\n(<= (goal robot 100) (true (light on)))\n(<= (goal robot 0) (not (true (light on))))\n";

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_a_sheet_name_their_line_and_a_corrected_sheet_is_playable() {
    let arena = TestArena::new().await;
    let check = arena.post("/api/check", &json!({"text": BROKEN})).await;
    let check = check.expect(200);
    assert_eq!(check["ok"], false);
    let first = &check["diagnostics"][0];
    assert_eq!(first["severity"], "error");
    assert_eq!(first["labels"][0]["line"], 3, "{check}");
    assert_eq!(first["labels"][0]["column"], 1, "{check}");
    let unsafe_ = arena
        .post("/api/check", &json!({"text": UNSAFE}))
        .await
        .expect(200);
    let lines = unsafe_["diagnostics"].as_array().unwrap().iter();
    let mut lines = lines.map(|problem| problem["labels"][0]["line"].clone());
    assert!(lines.any(|line| line == 4), "{unsafe_}");
    let refused = arena.post("/api/sheets", &json!({"text": BROKEN})).await;
    assert_eq!(refused.refused(422), "sheet");
    assert!(!refused.json()["diagnostics"].as_array().unwrap().is_empty());
    let fine = arena
        .post("/api/check", &json!({"text": MENDED}))
        .await
        .expect(200);
    assert_eq!(
        (&fine["ok"], &fine["roles"]),
        (&json!(true), &json!(["robot"]))
    );
    let added = json!({"text": MENDED, "title": "My <b>light</b>"});
    let added = arena.post("/api/sheets", &added).await.expect(200);
    let name = added["game"].as_str().unwrap();
    assert!(name.starts_with("sheet:"), "{name}");
    let page = arena.get(&format!("/api/games/{name}")).await.expect(200);
    assert_eq!(
        (&page["title"], &page["sheet"]),
        (&json!("My <b>light</b>"), &json!(MENDED))
    );
    let escaped = name.replace(':', "%3A");
    arena
        .get(&format!("/api/games/{escaped}"))
        .await
        .expect(200);
    let game = arena.start(name, &["person"], json!({})).await;
    game.play_to_the_end(0).await;
    assert_eq!(game.seen_by(0).await["goals"], json!([100]));
}

#[tokio::test(flavor = "multi_thread")]
async fn uploaded_texts_are_escaped_in_pictures() {
    let arena = TestArena::new().await;
    let text = MENDED.replace("light", "<script>alert(1)</script>");
    let added = arena.post("/api/sheets", &json!({"text": text})).await;
    if added.status != 200 {
        // The notation does not even allow it.
        assert_eq!(added.status, 422, "{}", added.text());
        return;
    }
    let name = added.json()["game"].as_str().unwrap().to_owned();
    let picture = arena.get(&format!("/api/games/{name}/picture.svg")).await;
    assert!(!picture.text().contains("<script"), "{}", picture.text());
    let game = arena.start(&name, &["person"], json!({})).await;
    game.events().await.step(0).await;
    let svg = game.seen().await["board"]["svg"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(!svg.contains("<script"), "{svg}");
}

#[tokio::test(flavor = "multi_thread")]
async fn games_are_listed_with_pictures() {
    let arena = TestArena::new().await;
    let games = arena.get("/api/games").await.expect(200);
    let games = games["games"].as_array().unwrap();
    let tic_tac_toe = games
        .iter()
        .find(|game| game["name"] == "tic-tac-toe")
        .unwrap();
    assert_eq!(tic_tac_toe["players"], 2);
    assert!(!tic_tac_toe["summary"].as_str().unwrap().is_empty());
    let picture = arena.get("/api/games/tic-tac-toe/picture.svg").await;
    assert_eq!(
        (picture.status, picture.header("content-type")),
        (200, "image/svg+xml; charset=utf-8")
    );
    assert!(picture.text().starts_with("<svg"));
    assert!(picture.header("cache-control").contains("max-age"));
    let missing = arena.get("/api/games/tic-tac-to").await;
    assert_eq!(missing.refused(404), "not-found");
    assert!(missing.text().contains("tic-tac-toe"), "{}", missing.text());
    let players = arena.get("/api/players").await.expect(200);
    assert_eq!(players["default"], "ludorum");
}
