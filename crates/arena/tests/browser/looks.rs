//! Tests of themes and window sizes.

use serde_json::json;

use crate::play::{PLAYED, start};
use crate::support::TestArena;
use crate::tab::Tab;

/// Brightness of the page background, from 0 to 1.
fn lightness(tab: &mut Tab) -> f64 {
    let found = tab.js("(() => {
            const colour = getComputedStyle(document.body).backgroundColor;
            const canvas = new OffscreenCanvas(1, 1).getContext('2d');
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
            return (red + green + blue) / 765;
        })()");
    found.as_f64().expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_follow_the_system_theme_unless_one_is_chosen() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::blank(&arena) else {
        return;
    };
    tab.darken(true);
    tab.visit();
    assert!(lightness(&mut tab) < 0.3);
    tab.darken(false);
    assert!(lightness(&mut tab) > 0.8);
    // The switch cycles: system, light, dark.
    for _ in 0..3 {
        tab.click("[data-theme-switch]", "");
        if tab.is("document.documentElement.dataset.theme === 'dark'") {
            break;
        }
    }
    assert!(lightness(&mut tab) < 0.3);
    tab.call("Page.reload", json!({}));
    tab.wait("document.querySelectorAll('.card').length > 20 && document.documentElement.dataset.theme === 'dark'");
    assert!(lightness(&mut tab) < 0.3, "the choice is remembered");
    tab.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_phone_pages_fit_the_window_and_squares_can_be_tapped() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::blank(&arena) else {
        return;
    };
    tab.resize(390, 844, true);
    tab.visit();
    let fits = "document.documentElement.scrollWidth <= innerWidth";
    for (hash, sign) in [
        ("#/", ".card"),
        ("#/new", ".editor"),
        ("#/game/chess", ".game-picture svg"),
        ("#/matches", "main h1"),
        ("#/archive", "main h1"),
        ("#/ratings", "main h1"),
        ("#/game/tic-tac-toe/inside", ".relation"),
    ] {
        tab.go(hash);
        tab.wait(&format!("document.querySelector('{sign}')"));
        assert!(tab.is(fits), "{hash}");
    }
    start(&mut tab, "tic-tac-toe", &["me", "player"]);
    tab.wait("document.querySelector('.status.yours')");
    assert!(tab.is(fits));
    let side = tab.js("document.querySelector('.board-frame .live').getBoundingClientRect().width");
    assert!(side.as_f64().is_some_and(|side| side >= 36.0), "{side}");
    tab.click(".board-frame .live", "");
    tab.wait(&format!("{PLAYED} >= 2"));
    tab.leave();
}
