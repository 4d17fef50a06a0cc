//! What the first page costs.

use crate::support::House;
use crate::tab::Tab;

/// So many bytes the first page may have, with all pictures that can be seen.
const MOST: u64 = 300_000;

#[tokio::test(flavor = "multi_thread")]
async fn the_first_page_is_small() {
    let house = House::new().await;
    let Some(mut tab) = Tab::open(&house) else {
        return;
    };
    // What is in the window or near it is loaded.
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
