//! Access control: requests must name this server and have its token. And the headers that every answer has.

use super::http::{FORBIDDEN, Request, Response};
use super::stage::Stage;

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

/// Refuses requests for other servers and requests without the token, and adds the common headers. `answer` answers the other
/// requests.
pub(crate) fn guard(stage: &Stage, request: &Request, answer: impl FnOnce() -> Response) -> Response {
    let mut response = admit(stage, request, answer);
    response.headers.extend(HEADERS.map(|(name, value)| (name, value.into())));
    response
}

fn admit(stage: &Stage, request: &Request, answer: impl FnOnce() -> Response) -> Response {
    // Another name that leads here would make another page's scripts ours.
    if !request.value("host").is_some_and(|host| stage.is_own(host)) {
        return Response::text(FORBIDDEN, "this server answers to 127.0.0.1 only\n");
    }
    let is_in_query = stage.token.is_in_query(request.query());
    if !is_in_query && !stage.token.is_in_cookie(request.values("cookie"), stage.port) {
        return Response::new(FORBIDDEN, "text/html; charset=utf-8", LOCKED.as_bytes());
    }
    let mut response = answer();
    if is_in_query {
        response.headers.push(("set-cookie", stage.token.cookie(stage.port).into()));
    }
    response
}
