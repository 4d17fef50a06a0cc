//! Tests of the sheet editor.

use crate::play::{PLAYED, start};
use crate::support::TestArena;
use crate::tab::Tab;

/// Nim with a heap of three; a parenthesis is missing in the third line.
const BROKEN: &str = "(role first)
(role second)
(init (heap 3)
(init (control first))
(left 3 1 2) (left 2 1 1) (left 1 1 0) (left 3 2 1) (left 2 2 0)
(<= (legal ?r (take ?n)) (true (control ?r)) (true (heap ?h)) (left ?h ?n ?rest))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (heap ?rest)) (does ?r (take ?n)) (true (heap ?h)) (left ?h ?n ?rest))
(<= (next (control ?o)) (true (control ?r)) (role ?o) (distinct ?r ?o))
(<= terminal (true (heap 0)))
(<= (goal ?r 0) (true (control ?r)))
(<= (goal ?r 100) (role ?r) (not (true (control ?r))))
";

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_marked_at_their_line_and_the_corrected_sheet_is_played() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::open(&arena) else {
        return;
    };
    tab.go("#/new");
    tab.wait("document.querySelector('.verdict')?.textContent.includes('fine')");
    tab.paste("#sheet", BROKEN);
    tab.wait("document.querySelector('.verdict').textContent.includes('error')");
    assert_eq!(tab.text(".editor-numbers .line-error").trim(), "3");
    assert!(tab.text(".messages .message.error").contains("line 3"));
    assert!(!tab.text(".line-message").is_empty());
    assert!(tab.is("document.querySelector('.panel .button.main').disabled"));
    let mended = BROKEN.replace("(heap 3)\n", "(heap 3))\n");
    tab.paste("#sheet", &mended);
    tab.wait("!document.querySelector('.panel .button.main').disabled");
    tab.paste("#sheet-title", "A small heap");
    tab.click(".panel .button.main", "Play this game");
    tab.wait("location.hash.startsWith('#/game/sheet')");
    let page = tab.js("location.hash");
    let page = page.as_str().expect("a page").to_owned();
    tab.wait("document.querySelector('h1')?.textContent === 'A small heap'");
    start(&mut tab, &page["#/game/".len()..], &["me", "player"]);
    tab.click(".move-panel .move", "take 1");
    tab.wait(&format!("{PLAYED} >= 2"));
    assert!(tab.text(".history").contains("take 1"));
    tab.leave();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sheet_can_be_dropped_and_its_text_never_becomes_markup() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::open(&arena) else {
        return;
    };
    tab.go("#/new");
    tab.wait("document.querySelector('.drop')");
    tab.js(
        "(() => {
            const dropped = new DataTransfer();
            const text = '(role <img/src=x/onerror=alert(1)>)';
            dropped.items.add(new File([text], 'mine.kif', { type: 'text/plain' }));
            const event = new DragEvent('drop', { dataTransfer: dropped, bubbles: true, cancelable: true });
            document.querySelector('.drop').dispatchEvent(event);
        })()",
    );
    tab.wait("document.getElementById('sheet').value.startsWith('(role <img')");
    tab.wait("document.querySelector('.verdict').textContent.includes('error')");
    assert!(tab.is("document.getElementById('sheet-title').value === 'mine'"));
    assert!(tab.is("document.querySelectorAll('main img').length === 0"));
    tab.leave();
}
