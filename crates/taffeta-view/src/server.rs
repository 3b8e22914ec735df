//! The server: its address, files of the page, and the socket.

use crate::assets::find_asset;
use crate::connections::{Limits, serve};
use crate::error::ViewError;
use crate::guard::guard;
use crate::outlet::Outlet;
use crate::queue::Queue;
use crate::show::Show;
use crate::socket::attend;
use crate::stage::Stage;
use crate::status::Status;
use crate::token::Token;
use axum::Router;
use axum::extract::{State, WebSocketUpgrade};
use axum::http::header::{CONTENT_TYPE, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

/// Bytes of a command at most.
const LONGEST_COMMAND: usize = 16 * 1024;
/// Browsers that may watch at the same time: each has two frames in memory at most.
const MAX_BROWSERS: usize = 32;
/// Time for browsers to take leave.
const PARTING: Duration = Duration::from_millis(300);

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
        listener.set_nonblocking(true).map_err(refuse)?;
        let port = listener.local_addr().map_err(refuse)?.port();
        let token = Token::draw().map_err(|error| ViewError::Server { reason: error.to_string() })?;
        Ok(Self { listener, port, token })
    }

    /// The address of the page, with the token without which nothing is served.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/?{}", self.port, self.token.query())
    }

    /// Serves a show until Ctrl-C, which from the call of `on_ready` on ends it as it should. A frame that is being made then
    /// is not waited for.
    ///
    /// # Errors
    /// If the system refuses what a server needs.
    pub fn run(self, show: Show, on_ready: impl FnOnce()) -> Result<(), ViewError> {
        let failed = |error: std::io::Error| ViewError::Server { reason: error.to_string() };
        // One thread: the work is done by the show's own, and by the browsers.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let queue = Arc::new(Queue::default());
        let outcome = runtime.block_on(self.serve(show, &queue, on_ready)).map_err(failed);
        queue.close();
        runtime.shutdown_background();
        outcome
    }

    async fn serve(self, show: Show, queue: &Arc<Queue>, on_ready: impl FnOnce()) -> std::io::Result<()> {
        let (over, is_over) = watch::channel(false);
        let outlet = Outlet {
            frames: watch::Sender::new(None),
            status: watch::Sender::new(Arc::new(Status::default())),
        };
        let stage = Stage {
            port: self.port,
            token: self.token,
            queue: Arc::clone(queue),
            outlet: outlet.clone(),
            is_over,
            places: Semaphore::new(MAX_BROWSERS),
            clients: AtomicU64::new(0),
        };
        let router = route(Arc::new(stage));
        let thread = std::thread::Builder::new().name("show".into());
        let inbox = Arc::clone(queue);
        thread.spawn(move || show.run(&inbox, &outlet))?;
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let serving = async {
            on_ready();
            serve(listener, router, Limits::default()).await;
        };
        tokio::select! {
            // In this order, so that the keys are listened to when the rest begins.
            biased;
            pressed = tokio::signal::ctrl_c() => {
                over.send_replace(true);
                tokio::time::sleep(PARTING).await;
                pressed
            }
            () = serving => Ok(()),
        }
    }
}

fn route(stage: Arc<Stage>) -> Router {
    Router::new()
        .route("/socket", get(open_socket))
        .fallback(serve_asset)
        .layer(from_fn_with_state(Arc::clone(&stage), guard))
        .with_state(stage)
}

async fn serve_asset(method: Method, uri: Uri) -> Response {
    if ![Method::GET, Method::HEAD].contains(&method) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    match find_asset(uri.path()) {
        Some(asset) => ([(CONTENT_TYPE, asset.kind)], asset.bytes).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such page\n").into_response(),
    }
}

async fn open_socket(
    State(stage): State<Arc<Stage>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    // Browsers let any page open a socket to here, and tell the page: it must be ours.
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
    if !origin.and_then(|origin| origin.strip_prefix("http://")).is_some_and(|host| stage.is_own(host)) {
        return (StatusCode::FORBIDDEN, "only the page of this server may open its socket\n").into_response();
    }
    upgrade.max_message_size(LONGEST_COMMAND).on_upgrade(move |socket| attend(socket, stage))
}
