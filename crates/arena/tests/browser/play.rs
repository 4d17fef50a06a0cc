//! Tests of playing in the browser.

use crate::support::TestArena;
use crate::tab::Tab;

/// A person has to move.
const MINE: &str = "document.querySelector('.status.yours')";
/// The match is over.
const OVER: &str = "document.querySelector('.hints a')";
/// The number of joint moves played.
pub(crate) const PLAYED: &str = "document.querySelectorAll('.history li:not(.none)').length";

/// Fills in the form of a game and starts the match.
pub(crate) fn start(tab: &mut Tab, game: &str, seats: &[&str]) {
    tab.go(&format!("#/game/{game}"));
    tab.wait("document.querySelector('form.setup')");
    tab.choose("#pace", "1");
    tab.choose("#start-clock", "0");
    for (index, kind) in seats.iter().enumerate() {
        tab.choose(&format!("#seat-{index}"), kind);
    }
    tab.click("form.setup button[type=submit]", "");
}

#[tokio::test(flavor = "multi_thread")]
async fn tic_tac_toe_is_played_to_its_end_by_clicking_squares() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::open(&arena) else {
        return;
    };
    start(&mut tab, "tic-tac-toe", &["me", "player"]);
    let mut played = 0;
    loop {
        tab.wait(&format!("{MINE} || {OVER}"));
        if tab.is(OVER) {
            break;
        }
        let squares = tab.count(".board-frame [data-target].live");
        assert_eq!(squares, 9 - played, "all empty squares can be clicked");
        tab.click(".board-frame [data-target].live", "");
        played += 1;
        tab.wait(&format!("{PLAYED} >= {played}"));
        tab.wait(&format!("{PLAYED} > {played} || {OVER}"));
        if !tab.is(OVER) {
            played += 1;
        }
    }
    let status = tab.text(".status");
    assert!(
        ["win", "draw"].iter().any(|word| status.contains(word)),
        "{status}"
    );
    assert!(played >= 5, "{played}");
    tab.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connect_four_move_is_a_click_on_a_column() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::open(&arena) else {
        return;
    };
    start(&mut tab, "connect-four", &["me", "player"]);
    tab.wait(MINE);
    let column =
        "[...document.querySelectorAll('.board-frame .live')].map((e) => e.dataset.target)";
    let targets = tab.js(column).to_string();
    assert!(targets.contains("b0:column:4"), "{targets}");
    tab.click(".board-frame [data-target='b0:column:4'].live", "");
    tab.wait(&format!("{PLAYED} >= 2"));
    let history = tab.text(".history");
    assert!(history.contains("drop 4"), "{history}");
    tab.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_choices_are_hidden_from_other_roles() {
    let arena = TestArena::new().await;
    let Some(mut first) = Tab::open(&arena) else {
        return;
    };
    let Some(mut second) = Tab::open(&arena) else {
        return;
    };
    start(&mut first, "rock-paper-scissors", &["me", "guest"]);
    first.wait("document.querySelector('input[id^=guest]')");
    let link = first.js("document.querySelector('input[id^=guest]').value");
    let link = link.as_str().expect("a link").to_owned();
    first.click(".setup a.button", "Play your role");
    first.wait(MINE);
    first.click(".move-panel .move", "rock");
    first.wait("document.querySelector('.status').textContent === 'Your choice is made'");
    let hash = link.split_once('#').expect("a page").1;
    second.go(&format!("#{hash}"));
    second.wait(MINE);
    assert!(second.is(&format!("{PLAYED} === 0")));
    assert!(
        second.is("!location.hash.includes('seat=')"),
        "the key does not stay in the address"
    );
    let said = second.text(".state");
    assert!(said.contains("hidden until all have chosen"), "{said}");
    second.click(".move-panel .move", "paper");
    for tab in [&mut first, &mut second] {
        tab.wait(&format!("{PLAYED} === 1"));
        let history = tab.text(".history");
        assert!(
            history.contains("rock") && history.contains("paper"),
            "{history}"
        );
    }
    first.leave();
    second.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_puzzle_is_solved_from_the_list_of_moves() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::open(&arena) else {
        return;
    };
    start(&mut tab, "buttons", &["me"]);
    for (index, press) in ["a", "b", "a", "d", "a", "c", "d", "a"].iter().enumerate() {
        tab.wait(&format!("{MINE} && {PLAYED} === {index}"));
        tab.click(".move-panel .move", &format!("press {press}"));
    }
    tab.wait(OVER);
    assert_eq!(tab.text(".status"), "Solved: 100 points");
    tab.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_undo_and_resignation_work() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::open(&arena) else {
        return;
    };
    start(&mut tab, "tic-tac-toe", &["me", "player"]);
    tab.wait(MINE);
    tab.click(".tools .button", "Hint");
    tab.click(".move.hint", "");
    tab.wait(&format!("{PLAYED} === 2 && {MINE}"));
    tab.click(".tools .button", "Take back");
    tab.wait(&format!("{PLAYED} === 0 && {MINE}"));
    tab.click(".tools .button", "Resign");
    tab.click(".dialog .button.main", "Resign");
    tab.wait(OVER);
    let status = tab.text(".status");
    assert!(status.contains("wins"), "{status}");
    tab.leave();
}
