//! The secret in the address of the page: whoever has it may see and command the show.

use constant_time_eq::constant_time_eq;
use std::fmt;

/// Bytes of a token: too many to be guessed.
const LENGTH: usize = 16;

/// A random secret, told only to whoever started the program.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    /// A new one, from the operating system's source of randomness.
    ///
    /// # Errors
    /// If the system has none.
    pub(crate) fn draw() -> std::io::Result<Self> {
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The query of an address that has it.
    pub(crate) fn query(&self) -> String {
        format!("token={}", self.0)
    }

    /// Returns whether it is in the query of an address.
    pub(crate) fn is_in_query(&self, query: Option<&str>) -> bool {
        let pairs = query.unwrap_or_default().split('&');
        pairs.filter_map(|pair| pair.strip_prefix("token=")).any(|text| self.is(text))
    }

    /// Returns whether it is in the cookie of a server on a port, among the lines with cookies.
    pub(crate) fn is_in_cookie<'a>(&self, lines: impl Iterator<Item = &'a str>, port: u16) -> bool {
        let name = cookie_name(port);
        let values = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        values.filter(|(key, _)| *key == name).any(|(_, value)| self.is(value))
    }

    /// The cookie of a server on a port, for the files and the socket that the page asks for, and for the next time. Scripts
    /// cannot read it, and pages from elsewhere cannot use it.
    pub(crate) fn cookie(&self, port: u16) -> String {
        format!("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name(port), self.0)
    }

    /// Returns whether a text is the token. Takes as long for any text of its length, so that time tells nothing
    /// about it.
    fn is(&self, text: &str) -> bool {
        constant_time_eq(self.0.as_bytes(), text.as_bytes())
    }
}

/// Browsers keep cookies by name and host, whatever the port: servers side by side need names of their own.
fn cookie_name(port: u16) -> String {
    format!("taffeta-{port}")
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let [one, other] = [(); 2].map(|()| Token::draw().unwrap());
        assert_ne!(one, other);
        assert!(one.0.len() == 2 * LENGTH && one.0.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(!format!("{one:?}").contains(&one.0), "not for logs");
    }

    #[test]
    fn a_token_is_found_in_queries_and_cookies_and_only_as_a_whole() {
        let token = Token::draw().unwrap();
        let Token(text) = &token;
        assert!(token.is_in_query(Some(&token.query())));
        assert!(token.is_in_query(Some(&format!("a=1&token={text}&b"))));
        for wrong in [
            format!("token={}", &text[1..]),
            format!("token={text}0"),
            format!("tokens={text}"),
            text.clone(),
        ] {
            assert!(!token.is_in_query(Some(&wrong)), "{wrong}");
        }
        assert!(!token.is_in_query(None) && !token.is_in_query(Some("token=")));
        let has = |line: &str| token.is_in_cookie(["x=y", line].into_iter(), 80);
        assert!(has(&format!("taffeta-80={text}")) && has(&format!("a=b; taffeta-80={text}; c=d")));
        assert!(token.cookie(80).starts_with(&format!("taffeta-80={text};")));
        assert!(!has(&format!("taffeta-81={text}")) && !has("taffeta-80=") && !has("taffeta-80"));
    }
}
