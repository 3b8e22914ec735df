//! The part of HTTP/1.1 that browsers need: a request without a body, and an answer that ends the connection.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// Limit of the head of a request \[bytes\].
const LONGEST_HEAD: usize = 16 * 1024;
/// Limit of the number of headers of a request.
const MAX_HEADERS: usize = 64;
/// Time for the other side to read the answer before the connection is closed.
const LINGER: Duration = Duration::from_millis(500);

/// Number and name of a status.
pub(crate) type Status = (u16, &'static str);
pub(crate) const SWITCHING_PROTOCOLS: Status = (101, "Switching Protocols");
pub(crate) const OK: Status = (200, "OK");
pub(crate) const BAD_REQUEST: Status = (400, "Bad Request");
pub(crate) const FORBIDDEN: Status = (403, "Forbidden");
pub(crate) const NOT_FOUND: Status = (404, "Not Found");

/// Head of a request, which has the method `GET`.
#[derive(Debug)]
pub(crate) struct Request {
    /// A path, and perhaps a query.
    target: String,
    /// Names and values.
    headers: Vec<(String, String)>,
}

impl Request {
    /// Parses a request. Returns it with its length; `None`: it is incomplete.
    fn parse(bytes: &[u8]) -> io::Result<Option<(Self, usize)>> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Request::new(&mut headers);
        let httparse::Status::Complete(length) = head.parse(bytes).map_err(io::Error::other)? else {
            return Ok(None);
        };
        if head.method != Some("GET") {
            return Err(io::Error::other("another method than GET"));
        }
        let target = head.path.unwrap_or_default().to_owned();
        // A value that is no text matches no expected value.
        let own = |header: &httparse::Header<'_>| {
            (header.name.to_owned(), String::from_utf8_lossy(header.value).into_owned())
        };
        Ok(Some((Self { target, headers: head.headers.iter().map(own).collect() }, length)))
    }

    /// The path without the query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The query, empty if there is none.
    pub(crate) fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }

    /// The value of a header; `None`: it is not there, or more than once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(found, _)| found.eq_ignore_ascii_case(name));
        named.next().filter(|_| named.next().is_none()).map(|(_, value)| value.as_str())
    }
}

/// Reads the head of a request. Returns it with the bytes received after it.
///
/// # Errors
/// Those of the reader; `UnexpectedEof` if it ends early; `InvalidData` if the bytes are no request or are too long.
pub(crate) fn read_request(mut reader: impl Read) -> io::Result<(Request, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    while bytes.len() <= LONGEST_HEAD {
        let count = match reader.read(&mut part) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            other => other?,
        };
        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&part[..count]);
        let parsed = Request::parse(&bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
        if let Some((request, length)) = parsed {
            return Ok((request, bytes.split_off(length)));
        }
    }
    Err(io::Error::new(ErrorKind::InvalidData, "the request is too long"))
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Response {
    /// Its status.
    pub status: Status,
    /// Names and values, beside those of the length and of the connection.
    pub headers: Vec<(&'static str, String)>,
    /// Bytes of the body.
    pub body: &'static [u8],
}

/// An answer with a body of a media type.
pub(crate) fn respond(status: Status, kind: &'static str, body: &'static [u8]) -> Response {
    Response { status, headers: vec![("content-type", kind.to_owned())], body }
}

/// An answer with a text.
pub(crate) fn respond_text(status: Status, text: &'static str) -> Response {
    respond(status, "text/plain; charset=utf-8", text.as_bytes())
}

/// Writes an answer. If it opens no socket, the connection ends with it.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(mut writer: impl Write, response: &Response) -> io::Result<()> {
    let (number, name) = response.status;
    let mut head = format!("HTTP/1.1 {number} {name}\r\n");
    for (name, value) in &response.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &match response.status == SWITCHING_PROTOCOLS {
        true => "connection: upgrade\r\n\r\n".to_owned(),
        false => format!("content-length: {}\r\nconnection: close\r\n\r\n", response.body.len()),
    };
    writer.write_all(head.as_bytes())?;
    writer.write_all(response.body)?;
    writer.flush()
}

/// Ends a stream when the other side has read the answer, or a moment later. Closing a stream with unread bytes at once would
/// discard the bytes that it has sent.
pub(crate) fn finish(mut stream: &TcpStream) {
    let mut wait = || {
        stream.shutdown(Shutdown::Write)?;
        stream.set_read_timeout(Some(LINGER))?;
        io::copy(&mut stream, &mut io::sink())
    };
    wait().ok();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn a_request_is_read_in_parts_of_any_size() {
        let bytes = b"GET /a?b=1 HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\n\r\nrest";
        for size in [1, 7, bytes.len()] {
            let (request, rest) = read_request(Parts(bytes.chunks(size).collect())).unwrap();
            assert_eq!((request.path(), request.query()), ("/a", "b=1"));
            assert_eq!((request.header("host"), request.header("cookie")), (Some("x"), None));
            assert!(b"rest".starts_with(&rest));
        }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        let kind = |bytes: &[u8]| read_request(bytes).unwrap_err().kind();
        assert_eq!(kind(b"GET / HTTP/1.1\r\nHost: a\r\n"), ErrorKind::UnexpectedEof);
        for bytes in [
            b"GET\r\n\r\n".to_vec(),
            b"POST / HTTP/1.1\r\nHost: a\r\n\r\n".to_vec(),
            b"GET / HTTP/1.1\r\nno colon\r\n\r\n".to_vec(),
            b"\x16\x03\x01\x02\x00\n".to_vec(),
            [b"GET / HTTP/1.1\r\nA: ".to_vec(), vec![b'a'; 30_000], b"\r\n\r\n".to_vec()].concat(),
            [b"GET / HTTP/1.1\r\n".to_vec(), b"A: b\r\n".repeat(200), b"\r\n".to_vec()].concat(),
        ] {
            assert_eq!(kind(&bytes), ErrorKind::InvalidData, "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn an_answer_has_its_length_and_ends_the_connection() {
        let mut bytes = Vec::new();
        write(&mut bytes, &respond_text(NOT_FOUND, "none\n")).unwrap();
        let expected = "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain; charset=utf-8\r\n\
                        content-length: 5\r\nconnection: close\r\n\r\nnone\n";
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
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
