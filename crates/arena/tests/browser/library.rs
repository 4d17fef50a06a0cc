//! Tests of the library and of opening every page.

use crate::support::TestArena;
use crate::tab::Tab;

#[tokio::test(flavor = "multi_thread")]
async fn the_library_shows_games_with_pictures_and_finds_them() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::open(&arena) else {
        return;
    };
    assert_eq!(tab.text("h1"), "Any game, from its rules");
    tab.wait("document.querySelector('[data-game=\"amazons\"] .card-picture svg [data-target], [data-game=\"amazons\"] .card-picture svg rect')");
    tab.paste("#search", "tic-tac");
    tab.wait("location.hash.includes('q=tic-tac')");
    let found = tab.count(".card");
    assert!((2..=8).contains(&found), "{found}");
    tab.click(".segments button", "Puzzles");
    tab.wait("!document.querySelector('.empty').hidden");
    tab.click(".empty button", "Show all games");
    tab.click(".chip", "simultaneous");
    tab.wait("location.hash.includes('tags=simultaneous')");
    let found = tab.count(".card");
    assert!((2..=12).contains(&found), "{found}");
    tab.click(".card-link", "Rock");
    tab.wait("document.querySelector('form.setup')");
    tab.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_opens_without_console_errors() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::open(&arena) else {
        return;
    };
    for (hash, sign) in [
        ("#/new", ".editor"),
        ("#/matches", ".empty, table"),
        ("#/archive", ".empty, table"),
        ("#/ratings", ".empty, table"),
        ("#/help", "main h2"),
        ("#/nonsense", "main h1"),
        ("#/game/chess", ".game-picture svg"),
        ("#/game/tic-tac-toe/inside", ".relation"),
        ("#/game/tic-tac-toe/inside?tab=network", ".node"),
        ("#/game/tic-tac-toe/inside?tab=engine", ".key-values div"),
    ] {
        tab.go(hash);
        tab.wait(&format!("document.querySelector('{sign}')"));
    }
    tab.leave();
}
