//! The server: its address, files of the page, and the socket.

use super::assets::find_asset;
use super::guard::guard;
use super::http::{
    BAD_REQUEST, NOT_FOUND, OK, Request, Response, SWITCHING_PROTOCOLS, finish, read_request, respond,
    respond_text, write,
};
use super::socket::attend;
use super::stage::{SOCKET, Stage};
use crate::error::ViewError;
use crate::latest_output::LatestOutput;
use crate::queue::Queue;
use crate::show::Show;
use data_encoding::BASE64;
use sha1_smol::Sha1;
use signal_hook::consts::SIGINT;
use signal_hook::{flag, low_level};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Time for browsers to close their sockets.
const PARTING: Duration = Duration::from_millis(300);
/// Time between two checks for Ctrl-C, and after a connection that cannot be had.
const PATIENCE: Duration = Duration::from_millis(50);
/// Time without a byte after which a connection ends that is no socket.
const STALLED: Duration = Duration::from_secs(30);

/// A port of the loopback address on which a show can be served.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    port: u16,
    token: String,
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
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| ViewError::Server { reason: error.to_string() })?;
        Ok(Self { listener, port, token: format!("{:032x}", u128::from_ne_bytes(bytes)) })
    }

    /// The address of the page, with the token without which it is locked.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
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
            clients: AtomicU64::new(0),
        });
        let start = |name: &str| std::thread::Builder::new().name(name.into());
        let (inbox, output) = (Arc::clone(&queue), Arc::clone(&latest_output));
        start("show").spawn(move || show.run(&inbox, &output))?;
        let address = self.listener.local_addr()?;
        let door = start("door").spawn(move || accept(&self.listener, &stage))?;
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

/// Answers each connection in a thread of its own until the show is over, which is checked after each connection.
fn accept(listener: &TcpListener, stage: &Arc<Stage>) {
    loop {
        match listener.accept() {
            Ok(_) if stage.latest_output.latest().is_over => return,
            Ok((stream, _)) => {
                let stage = Arc::clone(stage);
                let thread = std::thread::Builder::new().name("connection".into());
                // Without a thread for it, or if the other side has left, the connection is closed.
                thread.spawn(move || answer(&stream, &stage).ok()).ok();
            }
            Err(_) => std::thread::sleep(PATIENCE),
        }
    }
}

/// Answers the request of a connection.
fn answer(mut stream: &TcpStream, stage: &Stage) -> io::Result<()> {
    stream.set_read_timeout(Some(STALLED))?;
    stream.set_write_timeout(Some(STALLED))?;
    let (request, rest) = match read_request(stream) {
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            write(stream, &respond_text(BAD_REQUEST, "that is no request\n"))?;
            finish(stream);
            return Ok(());
        }
        other => other?,
    };
    let response = guard(stage, &request, || match request.path() {
        SOCKET => open_socket(&request),
        path => serve_asset(path),
    });
    let is_socket = response.status == SWITCHING_PROTOCOLS;
    write(&mut stream, &response)?;
    if is_socket {
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(None)?;
        attend(stream, rest, stage);
    } else {
        finish(stream);
    }
    Ok(())
}

fn serve_asset(path: &str) -> Response {
    match find_asset(path) {
        Some(asset) => respond(OK, asset.kind, asset.bytes),
        None => respond_text(NOT_FOUND, "there is no such page\n"),
    }
}

/// Answer to a request for a socket (RFC 6455, section 4.2).
fn open_socket(request: &Request) -> Response {
    let lists = |name: &str, word: &str| {
        let parts = request.header(name).into_iter().flat_map(|value| value.split(','));
        parts.map(str::trim).any(|part| part.eq_ignore_ascii_case(word))
    };
    let is_upgrade = lists("connection", "upgrade") && lists("upgrade", "websocket");
    let is_known = is_upgrade && request.header("sec-websocket-version") == Some("13");
    let Some(key) = request.header("sec-websocket-key").filter(|_| is_known) else {
        return respond_text(BAD_REQUEST, "this is the address of a socket of version 13\n");
    };
    let headers = vec![("upgrade", "websocket".to_owned()), ("sec-websocket-accept", accept_key(key))];
    Response { status: SWITCHING_PROTOCOLS, headers, body: &[] }
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
