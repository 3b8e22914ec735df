//! A browser that watches, from its coming to its going.

use crate::command::{Client, Command};
use crate::snapshot::Sent;
use crate::stage::Stage;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use serde_json::json;
use std::sync::Arc;

/// Frames that a browser may have been sent and not taken over yet: one at work, and one on its way meanwhile.
const MAX_UNTAKEN: u32 = 2;
/// Characters of a command that cannot be read that are repeated in the answer.
const QUOTED: usize = 80;
/// Bytes of the reason of a closed socket at most, by RFC 6455, section 5.5.
const LONGEST_REASON: usize = 123;

/// Sends a browser what it is to see, and takes its commands, until one of both goes.
pub(crate) async fn attend(mut socket: WebSocket, stage: Arc<Stage>) {
    let Ok(_place) = stage.places.try_acquire() else {
        close(socket, close_code::AGAIN, "too many browsers watch already: close one of them").await;
        return;
    };
    let client = stage.number_client();
    stage.queue.join();
    let outcome = converse(&mut socket, &stage, client).await;
    stage.queue.leave(client);
    if let Err(error) = outcome {
        // A message that is too long, or none. Of a connection that is broken nobody hears.
        close(socket, close_code::POLICY, &error.to_string()).await;
    }
}

/// Closes a socket and says why.
async fn close(mut socket: WebSocket, code: u16, reason: &str) {
    let reason = &reason[..reason.floor_char_boundary(LONGEST_REASON)];
    socket.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await.ok();
}

async fn converse(socket: &mut WebSocket, stage: &Stage, client: Client) -> Result<(), axum::Error> {
    let mut status = stage.outlet.status.subscribe();
    let mut frames = stage.outlet.frames.subscribe();
    let mut is_over = stage.is_over.clone();
    status.mark_changed();
    frames.mark_changed();
    let (mut sent, mut untaken) = (Sent::default(), 0u32);
    loop {
        tokio::select! {
            biased;
            _ = is_over.changed() => return socket.send(Message::Close(None)).await,
            _ = status.changed() => {
                let text = json!({ "status": &**status.borrow_and_update() }).to_string();
                socket.send(Message::Text(text.into())).await?;
            }
            _ = frames.changed(), if untaken < MAX_UNTAKEN => {
                let snapshot = frames.borrow_and_update().clone();
                if let Some(snapshot) = snapshot {
                    socket.send(Message::Binary(snapshot.encode(client, &mut sent).into())).await?;
                    untaken += 1;
                }
            }
            message = socket.recv() => {
                let text = match message.transpose()? {
                    None | Some(Message::Close(_)) => return Ok(()),
                    Some(Message::Text(text)) => text,
                    Some(Message::Binary(_)) => {
                        socket.send(refusal("a message of bytes", "commands are text")).await?;
                        continue;
                    }
                    Some(Message::Ping(_) | Message::Pong(_)) => continue,
                };
                match read(&text) {
                    Ok(Command::Taken) => untaken = untaken.saturating_sub(1),
                    Ok(command) => {
                        let name = command.to_string();
                        if let Err(full) = stage.queue.command(client, command) {
                            socket.send(refusal(&name, &full.to_string())).await?;
                        }
                    }
                    Err(reason) => socket.send(refusal(&quote(&text), &reason)).await?,
                }
            }
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

/// Message that tells a browser that a command was refused, and why.
fn refusal(command: &str, reason: &str) -> Message {
    Message::Text(json!({ "refused": { "command": command, "reason": reason } }).to_string().into())
}
