//! The pages, embedded.

use std::sync::LazyLock;

use axum::http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use super::parameters::Path;
use crate::error::ApiError;

/// Name and content of every file, sorted by name; written by the build script.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/web.rs"));

/// The tag of each file: it changes when the content does.
static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let tag = |(_, bytes): &(&str, &[u8])| {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        format!(
            "\"{:016x}\"",
            bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
        )
    };
    FILES.iter().map(tag).collect()
});

pub(super) async fn index(headers: HeaderMap) -> Result<Response, ApiError> {
    file("index.html", &headers)
}

pub(super) async fn asset(
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    file(&name, &headers)
}

fn file(name: &str, headers: &HeaderMap) -> Result<Response, ApiError> {
    let place = FILES.binary_search_by(|(known, _)| (*known).cmp(name));
    let place = place.map_err(|_| ApiError::missing("there is no such file"))?;
    let tag = TAGS[place].as_str();
    let known = headers.get(IF_NONE_MATCH).and_then(|tag| tag.to_str().ok());
    if known == Some(tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response());
    }
    let kind = [(CONTENT_TYPE, kind(name)), (ETAG, tag)];
    Ok((kind, FILES[place].1).into_response())
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, kind)| kind) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml; charset=utf-8",
        "json" | "webmanifest" => "application/json",
        "png" => "image/png",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_page_is_there_and_all_of_them_stay_small() {
        assert!(file("index.html", &HeaderMap::new()).is_ok());
        assert!(file("../Cargo.toml", &HeaderMap::new()).is_err());
        let bytes: usize = FILES.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes < 300_000, "{bytes} bytes");
        assert!(FILES.is_sorted_by_key(|(name, _)| *name));
    }
}
