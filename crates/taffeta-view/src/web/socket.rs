//! WebSocket connection of a browser, from its start to its end.
//!
//! ```text
//!  stream ──► reader: commands ──► Queue
//!               └─ notices ─► writer ──► stream        the writer also hears of changes in the latest output
//! ```
//!
//! Only the writer writes to the stream. Answers of the protocol (to pings, and when a socket is closed) reach it as bytes.

use super::http::finish;
use super::stage::Stage;
use crate::command::{Client, Command};
use crate::latest_output::Notice;
use crate::pictures::snapshot::Sent;
use serde_json::json;
use std::convert::Infallible;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tungstenite::protocol::Role;
use tungstenite::{Error, Message, WebSocket};

/// Limit of the frames that a browser has not confirmed: one at work, and one on its way.
const MAX_UNTAKEN: u32 = 2;
/// Capacity of the channel to the writer. The reader waits when it is full.
const MAX_NOTICES: usize = 64;
/// Characters of an invalid command in the error message.
const QUOTED: usize = 80;

/// Sends frames and statuses to a browser and takes its commands, until one side ends. `rest` are bytes after the request.
pub(crate) fn attend(stream: &TcpStream, rest: Vec<u8>, stage: &Stage) {
    let mut writer = WebSocket::from_raw_socket(stream, Role::Server, None);
    let client = stage.number_client();
    stage.queue.join();
    let (notices, inbox) = sync_channel(MAX_NOTICES);
    stage.latest_output.listen(notices.clone());
    std::thread::scope(|scope| {
        let read = || {
            let half = Half { stream, notices: notices.clone() };
            hear(WebSocket::from_partially_read(half, rest, Role::Server, None), stage, client, &notices);
            notices.send(Notice::End).ok();
        };
        if std::thread::Builder::new().name("browser".into()).spawn_scoped(scope, read).is_ok() {
            // Errors of a broken connection have no receiver.
            tell(&mut writer, inbox, stage, client).ok();
        }
        // The reader ends with the stream.
        finish(stream);
        stream.shutdown(std::net::Shutdown::Both).ok();
    });
    stage.queue.leave(client);
}

/// Stream of the reader; its output goes to the writer.
struct Half<'a> {
    stream: &'a TcpStream,
    notices: SyncSender<Notice>,
}

impl Read for Half<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.read(bytes)
    }
}

impl Write for Half<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.notices.send(Notice::Bytes(bytes.to_vec()));
        sent.map(|()| bytes.len()).map_err(|_| ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sends changes and notices until the browser leaves or the show ends.
fn tell(
    socket: &mut WebSocket<&TcpStream>,
    inbox: Receiver<Notice>,
    stage: &Stage,
    client: Client,
) -> Result<(), Error> {
    let (mut sent, mut untaken) = (Sent::default(), 0u32);
    let mut told = [0, 0];
    loop {
        let latest = stage.latest_output.latest();
        if latest.is_over {
            return socket.send(Message::Close(None));
        }
        let (number, status) = latest.status;
        if number > told[0] {
            told[0] = number;
            socket.send(Message::text(json!({ "status": *status }).to_string()))?;
        }
        if let (number, Some(frame)) = latest.frame
            && number > told[1]
            && untaken < MAX_UNTAKEN
        {
            told[1] = number;
            untaken += 1;
            socket.send(Message::binary(frame.encode(client, &mut sent)))?;
        }
        match inbox.recv() {
            Ok(Notice::Changed) => {}
            Ok(Notice::Taken) => untaken = untaken.saturating_sub(1),
            Ok(Notice::Text(text)) => socket.send(Message::text(text))?,
            Ok(Notice::Bytes(bytes)) => socket.get_mut().write_all(&bytes)?,
            Ok(Notice::End) | Err(_) => return Ok(()),
        }
    }
}

/// Takes commands until the connection or the writer ends, which `None` stands for.
fn hear(
    mut socket: WebSocket<Half<'_>>,
    stage: &Stage,
    client: Client,
    notices: &SyncSender<Notice>,
) -> Option<Infallible> {
    let refuse = |command: &str, reason: &str| {
        let text = json!({ "refused": { "command": command, "reason": reason } }).to_string();
        notices.send(Notice::Text(text)).ok()
    };
    loop {
        let text = match socket.read() {
            Ok(Message::Text(text)) => text,
            Ok(Message::Binary(_)) => {
                refuse("a message of bytes", "commands are text")?;
                continue;
            }
            // The protocol handles these on the next read.
            Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_)) => continue,
            Err(Error::Io(error)) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        match read(&text) {
            Ok(Command::Taken) => notices.send(Notice::Taken).ok()?,
            Ok(Command::Edges) => {
                notices.send(Notice::Text(json!({ "edges": stage.sewing.list() }).to_string())).ok()?;
            }
            Ok(Command::Seam { cloth, a, b }) => match stage.sewing.pair(cloth, [a, b]) {
                Ok(seam) => notices.send(Notice::Text(json!({ "seam": seam }).to_string())).ok()?,
                Err(reason) => refuse("seam", &reason)?,
            },
            Ok(command) => stage.queue.command(client, command),
            Err(reason) => refuse(&quote(&text), &reason)?,
        }
    }
}

fn read(text: &str) -> Result<Command, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// The beginning of a text.
fn quote(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} …", &text[..end]),
    }
}
