//! The connections of the server, and how many and how long ones it puts up with.
//!
//! A connection has one request, and ends with its answer or in a socket. Those that never get so far are cut off: after a
//! while, and before that when there are many, the oldest first. A browser needs milliseconds, so that it is served however many
//! connections are left half open.

use axum::Router;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::map_response;
use axum::response::Response;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

/// Limits on connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// From the beginning of a connection to the end of its answer.
    pub time: Duration,
    /// Connections at the same time, beside sockets.
    pub count: usize,
}

impl Default for Limits {
    /// For browsers on this machine, or behind a slow tunnel that leads here. Browsers open six connections to a server.
    fn default() -> Self {
        Self { time: Duration::from_secs(30), count: 64 }
    }
}

/// Serves whoever connects, for ever.
pub(crate) async fn serve(mut listener: TcpListener, router: Router, limits: Limits) {
    let router = router.layer(map_response(end_connection));
    let mut open: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        // By the trait: it waits where the system is short of something, and fails never.
        let (stream, _) = Listener::accept(&mut listener).await;
        open.retain(|connection| !connection.is_finished());
        while open.len() >= limits.count {
            open.pop_front().inspect(AbortHandle::abort);
        }
        let service = TowerToHyperService::new(router.clone());
        let connection =
            http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades();
        open.push_back(tokio::spawn(tokio::time::timeout(limits.time, connection)).abort_handle());
    }
}

/// Ends a connection with its answer, unless that opens a socket. The switch of the library also ends sockets.
async fn end_connection(mut response: Response) -> Response {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::extract::WebSocketUpgrade;
    use axum::routing::get;
    use std::net::SocketAddr;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    /// A server of a word, of something long, and of an echo.
    async fn start(limits: Limits) -> SocketAddr {
        let echo = async |upgrade: WebSocketUpgrade| {
            upgrade.on_upgrade(async |mut socket| {
                while let Some(Ok(message)) = socket.recv().await {
                    socket.send(message).await.ok();
                }
            })
        };
        let router = Router::new()
            .route("/", get(async || "hello"))
            .route("/long", get(async || vec![b'x'; 64 << 20]))
            .route("/echo", get(echo));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(serve(listener, router, limits));
        address
    }

    async fn say(address: SocketAddr, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }

    /// Reads until the connection ends, which may be by force.
    async fn hear(mut stream: TcpStream) -> String {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok();
        String::from_utf8(answer).unwrap()
    }

    #[tokio::test]
    async fn requests_that_never_end_and_answers_that_nobody_takes_are_cut_off() {
        let address = start(Limits { time: Duration::from_millis(300), count: 64 }).await;
        let half = say(address, "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ").await;
        let silent = say(address, "").await;
        let lazy = say(address, "GET /long HTTP/1.1\r\nHost: a\r\n\r\n").await;
        assert!(hear(say(address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").await).await.ends_with("hello"));
        assert_eq!([hear(half).await, hear(silent).await], [""; 2].map(String::from));
        // What had been sent until then is less than all of it.
        assert!(hear(lazy).await.len() < 64 << 20);
    }

    #[tokio::test]
    async fn sockets_last_longer() {
        let address = start(Limits { time: Duration::from_millis(200), count: 64 }).await;
        let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        let mut socket = say(address, &format!("GET /echo HTTP/1.1\r\nHost: a\r\n{upgrade}\r\n")).await;
        tokio::time::sleep(Duration::from_millis(400)).await;
        // A frame with an `a`, masked by zeros, and the end of the socket.
        socket.write_all(b"\x81\x81\0\0\0\0a\x88\x80\0\0\0\0").await.unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.starts_with("HTTP/1.1 101") && answer.contains("\x01a"), "{answer}");
    }

    #[tokio::test]
    async fn of_too_many_connections_the_oldest_are_cut_off_and_the_next_is_served() {
        let address = start(Limits { time: Duration::from_secs(600), count: 4 }).await;
        let mut half = Vec::new();
        for _ in 0..20 {
            half.push(say(address, "GET / HTTP/1.1\r\nHost: a\r\n").await);
        }
        assert!(hear(say(address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").await).await.ends_with("hello"));
        let latest = half.split_off(17);
        for stream in half {
            assert_eq!(hear(stream).await, "");
        }
        for mut stream in latest {
            stream.write_all(b"\r\n").await.unwrap();
            assert!(hear(stream).await.ends_with("hello"), "it was one of the last ones");
        }
    }
}
