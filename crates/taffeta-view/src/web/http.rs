//! The part of HTTP/1.1 that browsers need: a request without a body, and an answer that ends the connection.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;
use tungstenite::handshake::machine::TryParse;
use tungstenite::handshake::server::write_response;
use tungstenite::http::HeaderValue;
pub(crate) use tungstenite::http::StatusCode as Status;

/// Limit of the head of a request \[bytes\].
const LONGEST_HEAD: usize = 16 * 1024;
/// Time for the other side to read the answer before the connection is closed.
const LINGER: Duration = Duration::from_millis(500);

/// Head of a request, which has the method `GET`.
pub(crate) type Request = tungstenite::http::Request<()>;
/// An answer with its body.
pub(crate) type Response = tungstenite::http::Response<Cow<'static, [u8]>>;

/// Reads the head of a request. Returns it with the bytes received after it.
///
/// # Errors
/// Those of the reader; `UnexpectedEof` if it ends early; `InvalidData` if the bytes are no request or are too long.
pub(crate) fn read_request(mut reader: impl Read) -> io::Result<(Request, Vec<u8>)> {
    let invalid = |error| io::Error::new(ErrorKind::InvalidData, error);
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
        if let Some((length, request)) = Request::try_parse(&bytes).map_err(invalid)? {
            return Ok((request, bytes.split_off(length)));
        }
    }
    Err(io::Error::new(ErrorKind::InvalidData, "the request is too long"))
}

/// The value of a header; `None`: it is not there, or it is no text.
pub(crate) fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers().get(name)?.to_str().ok()
}

/// An answer with a body of a media type.
pub(crate) fn respond(status: Status, kind: &'static str, body: &'static [u8]) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert("content-type", HeaderValue::from_static(kind));
    response
}

/// An answer with a text.
pub(crate) fn respond_text(status: Status, text: &'static str) -> Response {
    respond(status, "text/plain; charset=utf-8", text.as_bytes())
}

/// Writes an answer. If it opens no socket, the connection ends with it.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(mut writer: impl Write, mut response: Response) -> io::Result<()> {
    if response.status() != Status::SWITCHING_PROTOCOLS {
        let length = response.body().len().into();
        response.headers_mut().insert("content-length", length);
        response.headers_mut().insert("connection", HeaderValue::from_static("close"));
    }
    write_response(&mut writer, &response).map_err(io::Error::other)?;
    writer.write_all(response.body())?;
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
            assert_eq!((request.uri().path(), request.uri().query()), ("/a", Some("b=1")));
            assert_eq!((header(&request, "host"), header(&request, "cookie")), (Some("x"), None));
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
        write(&mut bytes, respond_text(Status::NOT_FOUND, "none\n")).unwrap();
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
