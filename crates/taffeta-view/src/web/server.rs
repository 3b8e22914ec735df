//! The server: its address, files of the page, and the socket.

use super::assets::find_asset;
use super::connections::{Connection, Limits, serve};
use super::guard::guard;
use super::http::{
    BAD_REQUEST, FORBIDDEN, METHOD_NOT_ALLOWED, NOT_FOUND, OK, Request, Response, SWITCHING_PROTOCOLS,
};
use super::socket::attend;
use super::stage::{Places, Stage};
use super::token::Token;
use crate::error::ViewError;
use crate::latest_output::LatestOutput;
use crate::queue::Queue;
use crate::show::Show;
use data_encoding::BASE64;
use sha1_smol::Sha1;
use signal_hook::consts::SIGINT;
use signal_hook::{flag, low_level};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Time for browsers to close their sockets.
const PARTING: Duration = Duration::from_millis(300);
/// Time between two checks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// A port of the loopback address on which a show can be served.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    port: u16,
    token: Token,
}

impl Server {
    /// Takes a port of 127.0.0.1, from which other machines are shut out; 0: any that is free.
    ///
    /// # Errors
    /// If another program has the port, or the system has no random numbers for the token.
    pub fn bind(port: u16) -> Result<Self, ViewError> {
        let refuse = |error: std::io::Error| ViewError::Port { port, reason: error.to_string() };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refuse)?;
        let port = listener.local_addr().map_err(refuse)?.port();
        let token = Token::draw().map_err(|error| ViewError::Server { reason: error.to_string() })?;
        Ok(Self { listener, port, token })
    }

    /// The address of the page, with the token without which nothing is served.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/?{}", self.port, self.token.query())
    }

    /// Serves a show until Ctrl-C. From the call of `on_ready` on, Ctrl-C ends it with status 0 and without waiting for an
    /// unfinished frame.
    ///
    /// # Errors
    /// If the system refuses threads, signals or the socket.
    pub fn run(self, show: Show, on_ready: impl FnOnce()) -> Result<(), ViewError> {
        let failed = |error: std::io::Error| ViewError::Server { reason: error.to_string() };
        let is_pressed = Arc::new(AtomicBool::new(false));
        let keys = flag::register(SIGINT, Arc::clone(&is_pressed)).map_err(failed)?;
        let outcome = self.serve(show, &is_pressed, on_ready).map_err(failed);
        low_level::unregister(keys);
        outcome
    }

    fn serve(self, show: Show, is_pressed: &AtomicBool, on_ready: impl FnOnce()) -> std::io::Result<()> {
        let (queue, latest_output) = (Arc::new(Queue::default()), Arc::new(LatestOutput::default()));
        let stage = Arc::new(Stage {
            port: self.port,
            token: self.token,
            queue: Arc::clone(&queue),
            latest_output: Arc::clone(&latest_output),
            sewing: show.sewing(),
            places: Places::default(),
            clients: AtomicU64::new(0),
        });
        let start = |name: &str| std::thread::Builder::new().name(name.into());
        let (inbox, output) = (Arc::clone(&queue), Arc::clone(&latest_output));
        start("show").spawn(move || show.run(&inbox, &output))?;
        let (address, end) = (self.listener.local_addr()?, Arc::clone(&latest_output));
        let door = start("door").spawn(move || {
            let is_over = || end.latest().is_over;
            serve(&self.listener, Limits::default(), is_over, move |connection| answer(connection, &stage));
        })?;
        on_ready();
        while !is_pressed.load(Ordering::Relaxed) {
            std::thread::sleep(PATIENCE);
        }
        latest_output.end();
        queue.close();
        std::thread::sleep(PARTING);
        // The thread checks for the end after each connection; this one wakes it.
        if TcpStream::connect(address).is_ok() {
            door.join().ok();
        }
        Ok(())
    }
}

/// Answers the request of a connection.
fn answer(mut connection: Connection, stage: &Stage) {
    let request = match Request::read(&mut connection) {
        Ok(request) => request,
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Response::text(BAD_REQUEST, "that is no request\n").write(&mut connection, true).ok();
            return connection.finish();
        }
        // A browser that has left or was too slow gets no answer.
        Err(_) => return,
    };
    let response = guard(stage, &request, || match request.path() {
        "/socket" => open_socket(stage, &request),
        _ => serve_asset(&request),
    });
    if response.write(&mut connection, request.method != "HEAD").is_err() {
        return;
    }
    if response.status != SWITCHING_PROTOCOLS {
        connection.finish();
    } else if let Some(stream) = connection.into_socket() {
        attend(&stream, request.rest, stage);
    }
}

fn serve_asset(request: &Request) -> Response {
    if !["GET", "HEAD"].contains(&&*request.method) {
        return Response::text(METHOD_NOT_ALLOWED, "");
    }
    match find_asset(request.path()) {
        Some(asset) => Response::new(OK, asset.kind, asset.bytes),
        None => Response::text(NOT_FOUND, "there is no such page\n"),
    }
}

/// Answer to a request for a socket (RFC 6455, section 4.2).
fn open_socket(stage: &Stage, request: &Request) -> Response {
    if request.method != "GET" {
        return Response::text(METHOD_NOT_ALLOWED, "");
    }
    let is_upgrade = request.lists("connection", "upgrade") && request.lists("upgrade", "websocket");
    let key =
        request.value("sec-websocket-key").filter(|_| request.value("sec-websocket-version") == Some("13"));
    let Some(key) = key.filter(|_| is_upgrade) else {
        return Response::text(BAD_REQUEST, "this is the address of a socket of version 13\n");
    };
    // Browsers let any page open a socket to this server and send the page's origin, which must be ours.
    let origin = request.value("origin").and_then(|origin| origin.strip_prefix("http://"));
    if !origin.is_some_and(|host| stage.is_own(host)) {
        return Response::text(FORBIDDEN, "only the page of this server may open its socket\n");
    }
    let headers = vec![("upgrade", "websocket".into()), ("sec-websocket-accept", accept_key(key).into())];
    Response { status: SWITCHING_PROTOCOLS, headers, body: [].as_slice().into() }
}

/// The answer to the key of a request for a socket.
fn accept_key(key: &str) -> String {
    let mut hash = Sha1::new();
    hash.update(key.as_bytes());
    hash.update(b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    BASE64.encode(&hash.digest().bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_the_standard_has_its_answer() {
        assert_eq!(accept_key("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }
}
