//! A browser that watches, from its coming to its going.

use crate::command::{Client, Command, Event};
use crate::server::Stage;
use crate::snapshot::Sent;
use axum::extract::ws::{Message, WebSocket};
use serde_json::json;
use std::sync::Arc;

/// Frames that a browser may have been sent and not taken over yet: one at work, and one on its way meanwhile.
const MAX_UNTAKEN: u32 = 2;

/// Sends a browser what it is to see, and takes its commands, until one of both goes.
pub(crate) async fn attend(mut socket: WebSocket, stage: Arc<Stage>) {
    let client = stage.number_client();
    // The thread of the show ends after the last sender: sending cannot fail before.
    stage.events.send(Event::Join).ok();
    // Broken connections end it as well as closed ones, and there is nothing to be done about either.
    converse(&mut socket, &stage, client).await.ok();
    stage.events.send(Event::Leave(client)).ok();
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
                    Some(Message::Binary(_) | Message::Ping(_) | Message::Pong(_)) => continue,
                };
                match serde_json::from_str(&text) {
                    Ok(Command::Taken) => untaken = untaken.saturating_sub(1),
                    Ok(command) => _ = stage.events.send(Event::Command(client, command)),
                    Err(error) => {
                        let text = json!({ "refused": error.to_string() }).to_string();
                        socket.send(Message::Text(text.into())).await?;
                    }
                }
            }
        }
    }
}
