//! Admission of requests, and security headers of all answers.
//!
//! Every web page that a person opens can send requests to an arena on the same machine. Requests
//! must therefore name an accepted host (against DNS rebinding), must not come from pages of
//! another origin, and must carry the token if there is one.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, HeaderName, HeaderValue,
    LOCATION, ORIGIN, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};

use crate::app_state::AppState;
use crate::error::ApiError;
use crate::options::ArenaOptions;
use crate::secret;

/// Content security policy: only resources of this server, no inline code or styles, no frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; font-src 'self'; manifest-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page shown without the token. No other resource is served then.
const TOKEN_PAGE: &str = include_str!("token_page.html");

/// Middleware that admits or rejects requests, adds headers to answers and counts them.
pub(super) async fn guard(
    State(state): State<Arc<AppState>>,
    route: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let begin = Instant::now();
    let is_page = !request.uri().path().starts_with("/api/");
    let response = match admit(&state.options, &request) {
        Ok(Admitted::Yes) => next.run(request).await,
        Ok(Admitted::With(cookie)) => {
            let home = HeaderValue::from_static("/");
            (
                StatusCode::SEE_OTHER,
                [(LOCATION, home), (SET_COOKIE, cookie)],
            )
                .into_response()
        }
        Err(error) => match error.into_response() {
            // A person in a browser gets a page instead of JSON.
            answer if answer.status() == StatusCode::UNAUTHORIZED && is_home(&request) => {
                (StatusCode::UNAUTHORIZED, Html(TOKEN_PAGE)).into_response()
            }
            answer => answer,
        },
    };
    let route = route.as_ref().map_or("none", |route| route.as_str());
    let status = response.status();
    let metrics = &state.metrics;
    metrics
        .requests
        .with_label_values(&[route, status.as_str()])
        .inc();
    let took = begin.elapsed();
    metrics
        .seconds
        .with_label_values(&[route])
        .observe(took.as_secs_f64());
    tracing::debug!(route, status = status.as_u16(), ?took, "a request");
    with_headers(response, is_page)
}

fn with_headers(mut response: Response, is_page: bool) -> Response {
    let headers = response.headers_mut();
    let mut usual = |name: HeaderName, value: &'static str| {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    };
    usual(CONTENT_SECURITY_POLICY, POLICY);
    usual(X_CONTENT_TYPE_OPTIONS, "nosniff");
    usual(X_FRAME_OPTIONS, "DENY");
    // URLs may contain the secrets of roles.
    usual(REFERRER_POLICY, "no-referrer");
    usual(
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    );
    usual(
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    );
    usual(
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    );
    usual(CACHE_CONTROL, if is_page { "no-cache" } else { "no-store" });
    response
}

/// Whether a request is admitted.
enum Admitted {
    Yes,
    /// The token was in the URL. It is moved to a cookie by a redirect, so that it does not stay in
    /// the address bar.
    With(HeaderValue),
}

fn admit(options: &ArenaOptions, request: &Request) -> Result<Admitted, ApiError> {
    let headers = request.headers();
    let host = text(headers, &HOST).unwrap_or_default();
    if !is_ours(host, &options.hosts) {
        let message = format!(
            "this arena does not answer to the name `{}`; start it with --host to allow a name",
            super::excerpt(host)
        );
        return Err(ApiError::forbidden("host", message));
    }
    let is_home = is_home(request);
    if is_foreign(headers, host, is_home) {
        let message = "requests from pages of others are not answered";
        return Err(ApiError::forbidden("origin", message));
    }
    let Some(token) = &options.token else {
        return Ok(Admitted::Yes);
    };
    let cookie = cookie_name(host);
    let known = |given: &str| secret::is_same(token, given);
    let bearer = text(headers, &AUTHORIZATION).and_then(|text| text.strip_prefix("Bearer "));
    let mut cookies = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    let kept = cookies.any(|(name, value)| name == cookie && known(value));
    let query = request.uri().query().unwrap_or_default();
    let mut given = query.split('&').filter_map(|pair| pair.split_once('='));
    let is_given = given.any(|(name, value)| name == "token" && known(value));
    if is_home && is_given {
        let cookie = format!("{cookie}={token}; Path=/; HttpOnly; SameSite=Lax");
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            return Ok(Admitted::With(cookie));
        }
    }
    if kept || bearer.is_some_and(known) {
        return Ok(Admitted::Yes);
    }
    let message =
        "this arena asks for a token: open the whole address that it printed when it was started";
    Err(ApiError::new(StatusCode::UNAUTHORIZED, "token", message))
}

/// Whether the request is for the start page.
fn is_home(request: &Request) -> bool {
    request.method() == Method::GET && request.uri().path() == "/"
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// Browsers share cookies between the ports of a host, so the name contains the port.
fn cookie_name(host: &str) -> String {
    let port = host.rsplit_once(':').map_or("80", |(_, port)| port);
    let digits: String = port.chars().filter(char::is_ascii_digit).collect();
    format!("ludorum_arena_{digits}")
}

/// Whether a host name is accepted. IP addresses cannot be rebound, `localhost` is this machine.
fn is_ours(host: &str, more: &[String]) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.to_ascii_lowercase();
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().is_ok()
        || name == "localhost"
        || more.iter().any(|known| known.eq_ignore_ascii_case(&name))
}

/// Whether a request was sent by a page of another origin. Following a link to the start page is
/// allowed.
fn is_foreign(headers: &HeaderMap, host: &str, is_home: bool) -> bool {
    if let Some(origin) = headers.get(ORIGIN) {
        let origin = origin.to_str().ok().and_then(|text| text.split_once("://"));
        return origin.is_none_or(|(_, origin)| !origin.eq_ignore_ascii_case(host));
    }
    let fetch = |name: &'static str| text(headers, &HeaderName::from_static(name));
    let site = fetch("sec-fetch-site");
    let is_followed = is_home && fetch("sec-fetch-mode") == Some("navigate");
    matches!(site, Some("cross-site" | "same-site")) && !is_followed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_accepted_host_names_are_answered() {
        let more = ["arena.example".to_owned()];
        for host in [
            "localhost",
            "localhost:9148",
            "127.0.0.1:9148",
            "[::1]:9148",
            "192.168.1.7:80",
            "Arena.Example:9148",
        ] {
            assert!(is_ours(host, &more), "{host}");
        }
        for host in ["", "evil.example", "localhost.evil.example:9148", "a:b:c"] {
            assert!(!is_ours(host, &more), "{host}");
        }
    }

    #[test]
    fn requests_from_other_origins_are_detected() {
        let headers = |pairs: &[(&'static str, &'static str)]| {
            let pairs = pairs.iter().map(|(name, value)| {
                let name = HeaderName::from_static(name);
                (name, HeaderValue::from_static(value))
            });
            pairs.collect::<HeaderMap>()
        };
        let foreign = |pairs: &[_], is_home| is_foreign(&headers(pairs), "127.0.0.1:1", is_home);
        assert!(!foreign(&[], false));
        assert!(!foreign(&[("origin", "http://127.0.0.1:1")], false));
        assert!(foreign(&[("origin", "http://127.0.0.1:2")], false));
        assert!(foreign(&[("origin", "null")], true));
        assert!(foreign(&[("sec-fetch-site", "cross-site")], false));
        assert!(!foreign(&[("sec-fetch-site", "same-origin")], false));
        let link = [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
        ];
        assert!(!foreign(&link, true));
        assert!(foreign(&link, false));
    }
}
