//! Connections of the server, with limits on their number and duration.
//!
//! A connection has a thread and one request. It ends with the answer or becomes a socket. Others are cut off after a time
//! limit, or earlier, the oldest first, when there are too many. A browser needs milliseconds, so it is served however many
//! connections are left half open.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Pause when the system is out of a resource.
const PAUSE: Duration = Duration::from_secs(1);
/// Time for the other side to read the answer before the connection is closed.
const LINGER: Duration = Duration::from_millis(500);

/// Limits on connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Time from the start of a connection to the end of its answer.
    pub time: Duration,
    /// Number of simultaneous connections, without sockets.
    pub count: usize,
}

impl Default for Limits {
    /// Limits for browsers on this machine or behind a slow tunnel. Browsers open six connections to a server.
    fn default() -> Self {
        Self { time: Duration::from_secs(30), count: 64 }
    }
}

/// Serves each connection in a thread until `is_over`, which is called after each connection, returns true.
pub(crate) fn serve(
    listener: &TcpListener,
    limits: Limits,
    is_over: impl Fn() -> bool,
    handle: impl Fn(Connection) + Clone + Send + 'static,
) {
    let mut open: VecDeque<Handle> = VecDeque::new();
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) if is_of_connection(&error) => continue,
            Err(_) => {
                std::thread::sleep(PAUSE);
                continue;
            }
        };
        if is_over() {
            return;
        }
        open.retain(Handle::is_open);
        while open.len() >= limits.count {
            open.pop_front().as_ref().inspect(|handle| handle.cut());
        }
        // Without a thread for it, the connection is dropped and thereby closed.
        let Ok(connection) = Connection::new(stream, limits.time) else { continue };
        let entry = connection.handle.clone();
        let handle = handle.clone();
        let thread = std::thread::Builder::new().name("connection".into());
        if thread.spawn(move || handle(connection)).is_ok() {
            open.push_back(entry);
        }
    }
}

/// Returns whether an error concerns the accepted connection and not the listener.
fn is_of_connection(error: &io::Error) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    [ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted].contains(&error.kind())
}

/// A connection that can be cut off. It has the stream until it ends or becomes a socket.
#[derive(Clone, Debug)]
struct Handle(Arc<Mutex<Option<TcpStream>>>);

impl Handle {
    fn lock(&self) -> MutexGuard<'_, Option<TcpStream>> {
        self.0.lock().expect("nobody panics with the lock")
    }

    fn is_open(&self) -> bool {
        self.lock().is_some()
    }

    /// Ends the connection by force.
    fn cut(&self) {
        self.lock().take().map(|stream| stream.shutdown(Shutdown::Both));
    }
}

/// A connection with a time limit, after which reading and writing fail.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    end: Instant,
    handle: Handle,
}

impl Connection {
    fn new(stream: TcpStream, time: Duration) -> io::Result<Self> {
        let handle = Handle(Arc::new(Mutex::new(Some(stream.try_clone()?))));
        Ok(Self { stream, end: Instant::now() + time, handle })
    }

    /// The stream without limits; `None`: it has been cut off.
    pub(crate) fn into_socket(self) -> Option<TcpStream> {
        let stream = self.handle.lock().take()?;
        stream.set_read_timeout(None).and(stream.set_write_timeout(None)).ok()?;
        Some(stream)
    }

    /// Ends the connection when the other side has read the answer.
    pub(crate) fn finish(self) {
        finish(&self.stream);
    }

    /// Remaining time, which is positive.
    fn rest(&self) -> io::Result<Option<Duration>> {
        let rest = self.end.saturating_duration_since(Instant::now());
        if rest.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(Some(rest)) }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.handle.lock().take();
    }
}

impl Read for Connection {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.rest()?)?;
        self.stream.read(bytes)
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.rest()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Ends a stream when the other side has read the answer, or a moment later. Closing a stream with unread bytes at once would
/// discard the bytes that it has sent.
pub(crate) fn finish(mut stream: &TcpStream) {
    let end = Instant::now() + LINGER;
    let mut wait = || -> io::Result<()> {
        stream.shutdown(Shutdown::Write)?;
        let mut bytes = [0; 4096];
        while let rest = end.saturating_duration_since(Instant::now())
            && !rest.is_zero()
        {
            stream.set_read_timeout(Some(rest))?;
            if stream.read(&mut bytes)? == 0 {
                break;
            }
        }
        Ok(())
    };
    wait().ok();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::http::{OK, Request, Response};
    use std::net::SocketAddr;

    /// A server of a word, of something long, and of an echo of bytes.
    fn start(limits: Limits) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || serve(&listener, limits, || false, handle));
        address
    }

    fn handle(mut connection: Connection) {
        let Ok(request) = Request::read(&mut connection) else { return };
        if request.path() == "/echo" {
            let Some(mut stream) = connection.into_socket() else { return };
            let mut bytes = [0; 16];
            while let Ok(count @ 1..) = stream.read(&mut bytes) {
                stream.write_all(&bytes[..count]).ok();
            }
            return;
        }
        let body = if request.path() == "/long" { vec![b'x'; 64 << 20] } else { b"hello".to_vec() };
        let response = Response { body: body.into(), ..Response::text(OK, "") };
        if response.write(&mut connection, true).is_ok() {
            connection.finish();
        }
    }

    fn say(address: SocketAddr, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// Reads until the connection ends, which may be by force.
    fn hear(mut stream: TcpStream) -> String {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        String::from_utf8(answer).unwrap()
    }

    #[test]
    fn requests_that_never_end_and_answers_that_nobody_takes_are_cut_off() {
        let address = start(Limits { time: Duration::from_millis(300), count: 64 });
        let half = say(address, "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ");
        let silent = say(address, "");
        let lazy = say(address, "GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(hear(say(address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).ends_with("hello"));
        assert_eq!([hear(half), hear(silent)], [""; 2].map(String::from));
        // The part sent until then is less than the whole.
        assert!(hear(lazy).len() < 64 << 20);
    }

    #[test]
    fn sockets_last_longer() {
        let address = start(Limits { time: Duration::from_millis(200), count: 64 });
        let mut socket = say(address, "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n");
        std::thread::sleep(Duration::from_millis(400));
        socket.write_all(b"still here").unwrap();
        socket.shutdown(Shutdown::Write).unwrap();
        assert_eq!(hear(socket), "still here");
    }

    #[test]
    fn of_too_many_connections_the_oldest_are_cut_off_and_the_next_is_served() {
        let address = start(Limits { time: Duration::from_secs(600), count: 4 });
        let mut half = Vec::new();
        for _ in 0..20 {
            half.push(say(address, "GET / HTTP/1.1\r\nHost: a\r\n"));
        }
        assert!(hear(say(address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).ends_with("hello"));
        let latest = half.split_off(17);
        for stream in half {
            assert_eq!(hear(stream), "");
        }
        for mut stream in latest {
            stream.write_all(b"\r\n").unwrap();
            assert!(hear(stream).ends_with("hello"), "it was one of the last ones");
        }
    }
}
