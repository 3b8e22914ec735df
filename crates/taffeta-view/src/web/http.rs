//! The part of HTTP/1.1 that browsers need: a request without a body, and an answer that ends the connection.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read, Write};

/// Limit of the head of a request \[bytes\].
const LONGEST_HEAD: usize = 16 * 1024;
/// Limit of the number of headers of a request.
const MAX_HEADERS: usize = 64;

/// Number and name of a status.
pub(crate) type Status = (u16, &'static str);
pub(crate) const SWITCHING_PROTOCOLS: Status = (101, "Switching Protocols");
pub(crate) const OK: Status = (200, "OK");
pub(crate) const BAD_REQUEST: Status = (400, "Bad Request");
pub(crate) const FORBIDDEN: Status = (403, "Forbidden");
pub(crate) const NOT_FOUND: Status = (404, "Not Found");
pub(crate) const METHOD_NOT_ALLOWED: Status = (405, "Method Not Allowed");

/// Media type of short texts.
const TEXT: &str = "text/plain; charset=utf-8";

/// Head of a request.
#[derive(Debug)]
pub(crate) struct Request {
    /// Its method.
    pub method: String,
    /// Target of the request: a path, and perhaps a query.
    target: String,
    /// Names and values.
    headers: Vec<(String, String)>,
    /// Bytes received after the head.
    pub rest: Vec<u8>,
}

impl Request {
    /// Reads the head of a request.
    ///
    /// # Errors
    /// Those of the reader; `UnexpectedEof` if it ends early; `InvalidData` if the bytes are no request or are too long.
    pub(crate) fn read(mut reader: impl Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        let mut part = [0; 4096];
        loop {
            let count = match reader.read(&mut part) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                other => other?,
            };
            if count == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            bytes.extend_from_slice(&part[..count]);
            if bytes.len() > LONGEST_HEAD {
                return Err(io::Error::new(ErrorKind::InvalidData, "the request is too long"));
            }
            // A head ends with a line.
            if part[..count].contains(&b'\n')
                && let Some(request) = Self::parse(&bytes)?
            {
                return Ok(request);
            }
        }
    }

    /// Parses a request; `None`: it is incomplete.
    fn parse(bytes: &[u8]) -> io::Result<Option<Self>> {
        let invalid = |error| io::Error::new(ErrorKind::InvalidData, error);
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Request::new(&mut headers);
        let httparse::Status::Complete(length) = head.parse(bytes).map_err(invalid)? else {
            return Ok(None);
        };
        let own = |text: Option<&str>| text.unwrap_or_default().to_owned();
        // A value that is no text matches no expected value.
        let value = |value| String::from_utf8_lossy(value).into_owned();
        Ok(Some(Self {
            method: own(head.method),
            target: own(head.path),
            headers: head
                .headers
                .iter()
                .map(|header| (header.name.to_owned(), value(header.value)))
                .collect(),
            rest: bytes[length..].to_vec(),
        }))
    }

    /// The path without the query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The query; `None`: there is none.
    pub(crate) fn query(&self) -> Option<&str> {
        self.target.split_once('?').map(|(_, query)| query)
    }

    /// The values of the headers of a name.
    pub(crate) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.headers.iter().filter(move |(found, _)| found.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// The value of a header; `None`: it is not there, or more than once.
    pub(crate) fn value<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        let mut values = self.values(name);
        values.next().filter(|_| values.next().is_none())
    }

    /// Returns whether a header is a list with a word.
    pub(crate) fn lists(&self, name: &str, word: &str) -> bool {
        self.values(name)
            .flat_map(|value| value.split(','))
            .any(|part| part.trim().eq_ignore_ascii_case(word))
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Response {
    /// Its status.
    pub status: Status,
    /// Names and values, beside those of the length and of the connection.
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    /// Bytes of the body.
    pub body: Cow<'static, [u8]>,
}

impl Response {
    /// An answer with a body of a media type.
    pub(crate) fn new(status: Status, kind: &'static str, body: &'static [u8]) -> Self {
        Self { status, headers: vec![("content-type", kind.into())], body: body.into() }
    }

    /// An answer with a text.
    pub(crate) fn text(status: Status, text: &'static str) -> Self {
        Self::new(status, TEXT, text.as_bytes())
    }

    /// Writes it. All but the head is left out for the method `HEAD`.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write(&self, mut writer: impl Write, has_body: bool) -> io::Result<()> {
        let (number, name) = self.status;
        let mut head = format!("HTTP/1.1 {number} {name}\r\n");
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        if self.status == SWITCHING_PROTOCOLS {
            head += "connection: upgrade\r\n\r\n";
        } else {
            head += &format!("content-length: {}\r\nconnection: close\r\n\r\n", self.body.len());
        }
        writer.write_all(head.as_bytes())?;
        if has_body {
            writer.write_all(&self.body)?;
        }
        writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn a_request_is_read_in_parts_of_any_size() {
        let bytes = b"GET /a?b=1 HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nCookie: a\r\ncookie: b\r\n\r\nrest";
        for size in [1, 7, bytes.len()] {
            let request = Request::read(Parts(bytes.chunks(size).collect())).unwrap();
            assert_eq!((&*request.method, request.path(), request.query()), ("GET", "/a", Some("b=1")));
            assert_eq!((request.value("host"), request.value("cookie")), (Some("x"), None));
            assert_eq!(request.values("Cookie").collect::<Vec<_>>(), ["a", "b"]);
            assert!(request.lists("connection", "upgrade") && !request.lists("connection", "close"));
            assert!(b"rest".starts_with(&request.rest));
        }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        let kind = |bytes: &[u8]| Request::read(bytes).unwrap_err().kind();
        assert_eq!(kind(b"GET / HTTP/1.1\r\nHost: a\r\n"), ErrorKind::UnexpectedEof);
        for bytes in [
            b"GET\r\n\r\n".to_vec(),
            b"GET / HTTP/1.1\r\nno colon\r\n\r\n".to_vec(),
            b"\x16\x03\x01\x02\x00\n".to_vec(),
            [b"GET / HTTP/1.1\r\nA: ".to_vec(), vec![b'a'; 20_000], b"\r\n\r\n".to_vec()].concat(),
            [b"GET / HTTP/1.1\r\n".to_vec(), b"A: b\r\n".repeat(100), b"\r\n".to_vec()].concat(),
        ] {
            assert_eq!(kind(&bytes), ErrorKind::InvalidData, "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn an_answer_has_its_length_and_ends_the_connection() {
        let written = |response: &Response, has_body| {
            let mut bytes = Vec::new();
            response.write(&mut bytes, has_body).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        let head = "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain; charset=utf-8\r\n\
                    content-length: 5\r\nconnection: close\r\n\r\n";
        let response = Response::text(NOT_FOUND, "none\n");
        assert_eq!(written(&response, true), format!("{head}none\n"));
        assert_eq!(written(&response, false), head);
    }

    /// Parts that come one after the other.
    struct Parts<'a>(VecDeque<&'a [u8]>);

    impl Read for Parts<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let part = self.0.pop_front().unwrap_or_default();
            bytes[..part.len()].copy_from_slice(part);
            Ok(part.len())
        }
    }
}
