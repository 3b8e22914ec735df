//! Access control: requests must name this server, and have its token and origin. And the headers that every answer has.

use super::http::{FORBIDDEN, Request, Response, respond, respond_text};
use super::stage::{SOCKET, Stage};

/// Content security policy: pages may load and call their own server only. The hash is that of the import map in
/// `index.html`.
const POLICY: &str = "default-src 'none'; script-src 'self' 'sha256-6p13ug9Y/2TWPZMF0aIT0xv2TqxNkp62hhuZFDN2uAM='; style-src 'self'; \
     connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer.
const HEADERS: [(&str, &str); 5] = [
    ("content-security-policy", POLICY),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
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

/// Refuses requests for other servers, requests of other pages and, for the page and its socket, requests without the token.
/// Adds the common headers. `answer` answers the other requests. The scripts and styles of the page are no secret.
pub(crate) fn guard(stage: &Stage, request: &Request, answer: impl FnOnce() -> Response) -> Response {
    let mut response = find_fault(stage, request).unwrap_or_else(answer);
    response.headers.extend(HEADERS.map(|(name, value)| (name, value.to_owned())));
    response
}

/// The answer to a request that is refused.
fn find_fault(stage: &Stage, request: &Request) -> Option<Response> {
    // Another name that leads here would make another page's scripts ours.
    if !request.header("host").is_some_and(|host| stage.is_own(host)) {
        return Some(respond_text(FORBIDDEN, "this server answers to 127.0.0.1 only\n"));
    }
    let mut pairs = request.query().split('&');
    if ["/", SOCKET].contains(&request.path())
        && !pairs.any(|pair| pair.strip_prefix("token=") == Some(&stage.token))
    {
        return Some(respond(FORBIDDEN, "text/html; charset=utf-8", LOCKED.as_bytes()));
    }
    // Browsers let any page open a socket to this server and send the page's origin, which must be ours.
    let origin = request.header("origin").and_then(|origin| origin.strip_prefix("http://"));
    let is_foreign = !origin.is_some_and(|host| stage.is_own(host));
    let refusal = "only the page of this server may open its socket\n";
    (request.path() == SOCKET && is_foreign).then(|| respond_text(FORBIDDEN, refusal))
}
