//! Access control: requests must name this server and have its token. And the headers that every answer has.

use crate::stage::Stage;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Content security policy: pages may load and call their own server only. The hash is that of the import map in
/// `index.html`.
const POLICY: &str = "default-src 'none'; script-src 'self' 'sha256-6p13ug9Y/2TWPZMF0aIT0xv2TqxNkp62hhuZFDN2uAM='; style-src 'self'; \
     connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer.
const HEADERS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
];

/// Page for those who have no token.
const LOCKED: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>Locked – Taffeta</title>
<p>This page is locked. Open the whole address that <code>taffeta view</code> printed, with the token at its end.</p>
</html>
";

/// Refuses what was not meant for this server or comes from somebody without its token, and adds what every answer has.
pub(crate) async fn guard(State(stage): State<Arc<Stage>>, request: Request, next: Next) -> Response {
    let mut response = admit(&stage, request, next).await;
    response.headers_mut().extend(HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
    response
}

async fn admit(stage: &Stage, request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    // Another name that leads here would make another page's scripts ours.
    if !host.is_some_and(|host| stage.is_own(host)) {
        return (StatusCode::FORBIDDEN, "this server answers to 127.0.0.1 only\n").into_response();
    }
    let is_in_query = stage.token.is_in_query(request.uri().query());
    if !is_in_query && !stage.token.is_in_cookie(request.headers(), stage.port) {
        return (StatusCode::FORBIDDEN, [(CONTENT_TYPE, "text/html; charset=utf-8")], LOCKED).into_response();
    }
    let mut response = next.run(request).await;
    if is_in_query && let Ok(cookie) = HeaderValue::from_str(&stage.token.cookie(stage.port)) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
