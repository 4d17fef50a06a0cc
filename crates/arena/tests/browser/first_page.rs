//! Test of the size of the start page.

use crate::support::TestArena;
use crate::tab::Tab;

/// Size limit of the start page with all visible pictures, in bytes.
const MOST: u64 = 300_000;

#[tokio::test(flavor = "multi_thread")]
async fn the_first_page_is_small() {
    let arena = TestArena::new().await;
    let Some(mut tab) = Tab::open(&arena) else {
        return;
    };
    // Pictures in or near the window are loaded.
    tab.wait(
        "[...document.querySelectorAll('.card:not(.own-card) .card-picture')]
            .filter((picture) => picture.getBoundingClientRect().top < innerHeight)
            .every((picture) => picture.querySelector('svg'))",
    );
    let bytes = tab.bytes;
    println!("{bytes} bytes");
    assert!((30_000..MOST).contains(&bytes), "{bytes} bytes");
    tab.leave();
}
