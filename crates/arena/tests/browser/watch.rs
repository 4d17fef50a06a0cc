//! Tests of watching and replaying matches in the browser.

use serde_json::json;

use crate::support::TestArena;
use crate::tab::Tab;

/// The number of listed joint moves.
const LISTED: &str = "document.querySelectorAll('.history .move').length";

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_watched_live_to_its_end() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::open(&arena) else {
        return;
    };
    let game = arena
        .start(
            "tic-tac-toe",
            &["person", "mcts"],
            json!({ "play_clock": 1, "start_clock": 1 }),
        )
        .await;
    tab.go("#/matches");
    tab.click(&format!("main a[href*='{}']", game.id), "");
    tab.wait("location.hash.startsWith('#/watch/') && document.querySelector('.board-frame svg')");
    assert!(tab.is(&format!("{LISTED} === 0")));
    // The page may have been opened while the players were starting; it is updated.
    tab.wait("document.querySelector('.status').textContent === 'Xplayer to move'");
    game.play(0, 0, "(mark 2 2)").await;
    // Without interaction: moves of both players and search reports appear.
    tab.wait(&format!("{LISTED} >= 2"));
    tab.wait("document.querySelector('.replay-label').textContent === '2 / 2'");
    assert!(tab.text(".history").contains("mark 2 2"));
    tab.wait("/simulations|a second/.test(document.querySelector('.match-side').textContent)");
    tab.click(".replay button[aria-label='One step back']", "");
    tab.wait("document.querySelector('.live-button').getAttribute('aria-pressed') === 'false'");
    tab.click(".live-button", "Live");
    let seat = game.keys[0].clone();
    let resign = format!("/api/matches/{}/resign", game.id);
    arena.post(&resign, &json!({ "seat": seat })).await;
    tab.wait("document.querySelectorAll('.player-goal').length === 2");
    let status = tab.text(".status");
    assert!(status.contains("resigned"), "{status}");
    tab.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn strategies_are_plotted_and_roles_have_the_colours_of_their_names() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::open(&arena) else {
        return;
    };
    let game = arena
        .start(
            "connect-four",
            &["mini:simulations=50", "legal"],
            json!({ "play_clock": 60 }),
        )
        .await;
    game.events().await.next_of("end").await;
    tab.go(&format!("#/watch/{}", game.id));
    tab.wait("document.querySelectorAll('.chart-layer').length > 1");
    tab.wait("document.querySelector('#shares-title').closest('section').hidden === false");
    assert!(tab.is("document.querySelectorAll('.shares-of').length === 1"));
    assert!(tab.is("document.querySelector('.player-row.hue-red .dot') !== null"));
    assert!(tab.is("!/to move/.test(document.querySelector('.board-frame').textContent)"));
    tab.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_of_the_archive_is_replayed_step_by_step() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::open(&arena) else {
        return;
    };
    let game = arena
        .start("tic-tac-toe", &["legal", "random"], json!({ "seed": 1 }))
        .await;
    let mut events = game.events().await;
    while let Some(event) = events.next().await {
        if event.kind == "end" {
            break;
        }
    }
    tab.go("#/archive");
    tab.click("tbody a", "Tic-Tac-Toe");
    tab.wait(
        "location.hash.startsWith('#/archive/') && document.querySelector('.board-frame svg')",
    );
    tab.click(".replay button[aria-label='First step']", "");
    tab.wait("document.querySelector('.replay-label')?.textContent.startsWith('0 / ')");
    let label = tab.text(".replay-label");
    let steps: u32 = label["0 / ".len()..].parse().expect("a number of steps");
    assert!(steps >= 5, "{label}");
    let marks = "document.querySelector('.board-frame svg').innerHTML";
    let empty = tab.js(marks);
    tab.click(".replay button[aria-label='One step on']", "");
    tab.wait(&format!(
        "document.querySelector('.replay-label').textContent === '1 / {steps}'"
    ));
    tab.wait(&format!("{marks} !== {empty}"));
    tab.js("(() => {
            const slider = document.getElementById('replay');
            slider.value = slider.max;
            slider.dispatchEvent(new Event('input', { bubbles: true }));
        })()");
    tab.wait("/wins|draw/.test(document.querySelector('.status').textContent)");
    tab.leave();
}
