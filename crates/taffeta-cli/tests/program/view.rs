//! `taffeta view`: what it serves, and what it refuses.

use crate::common::Desk;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A running `taffeta view`, ended with the test.
pub(crate) struct Viewer {
    child: Child,
    pub url: String,
}

impl Viewer {
    pub(crate) fn start(desk: &Desk, arguments: &[&str]) -> Self {
        let mut words = vec!["view"];
        words.extend(arguments);
        let mut child = desk.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{line}{:?}", child.wait_with_output());
        Self { child, url }
    }

    fn port(&self) -> &str {
        self.url.trim_end_matches('/').rsplit(':').next().unwrap()
    }

    /// Asks for a page with headers; the answer.
    fn ask(&self, path: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{}", self.port())).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Presses Ctrl-C; the exit status.
    #[cfg(unix)]
    fn interrupt(mut self) -> i32 {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        self.child.wait().unwrap().code().expect("it ends by itself")
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn other_pages_and_other_names_are_shut_out() {
    let desk = Desk::new();
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    let own = format!("Host: 127.0.0.1:{}\r\n", viewer.port());
    let page = viewer.ask("/", &own);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<title>Taffeta"), "{page}");
    assert!(page.contains("content-security-policy: default-src 'none'"), "{page}");
    for wrong in ["Host: example.org\r\n", "Host: 127.0.0.1:1\r\n", "Host: 127.0.0.1\r\n", "Host: \r\n"] {
        let answer = viewer.ask("/", wrong);
        assert!(!answer.starts_with("HTTP/1.1 200") && !answer.contains("<title>"), "{wrong}{answer}");
    }
    for path in ["/../Cargo.toml", "/%2e%2e/scene.toml", "/scene.toml", "//etc/passwd"] {
        assert!(viewer.ask(path, &own).starts_with("HTTP/1.1 404"), "{path}");
    }
    let upgrade =
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let open = |origin: &str| {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{}", viewer.port())).unwrap();
        write!(stream, "GET /socket HTTP/1.1\r\n{own}Connection: Upgrade\r\n{upgrade}{origin}\r\n").unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        line
    };
    let origin = |host: &str| format!("Origin: {host}\r\n");
    assert!(open(&origin(viewer.url.trim_end_matches('/'))).contains("101"));
    for wrong in ["".to_owned(), origin("http://example.org"), origin("null"), origin("https://127.0.0.1")] {
        assert!(open(&wrong).contains("403"), "{wrong:?}");
    }
}

#[test]
fn what_cannot_be_shown_is_refused_before_a_page_is_served() {
    let desk = Desk::new();
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    desk.refused(
        &["view", "scene.toml", "--port", viewer.port()],
        &["cannot listen on port", "choose another one"],
    );
    desk.refused(&["view", "none.toml"], &["none.toml", "taffeta new"]);
    desk.write("wrong.toml", "[simulation]\nduration = -1\n");
    desk.refused(&["view", "wrong.toml"], &["wrong.toml:2"]);
    desk.write("empty.toml", "");
    desk.refused(&["view", "empty.toml"], &["empty.toml"]);
    desk.refused(&["view", "scene.toml", "--set", "cloth.0.colour=1"], &["colour"]);
    desk.refused(&["view", "scene.toml", "--port", "70000"], &["70000"]);
    std::fs::create_dir_all(desk.path("folder")).unwrap();
    desk.refused(&["view", "folder"], &["no folder `frames`"]);
    std::fs::create_dir_all(desk.path("folder/frames")).unwrap();
    desk.refused(&["view", "folder"], &["has no frames to show"]);
    desk.write("folder/frames/sheet_00000.vtp", "");
    desk.refused(&["view", "folder"], &["vtp"]);
    desk.refused(&["view", "folder", "--threads", "1"], &["go with a scene"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_as_it_should() {
    let desk = Desk::new();
    assert_eq!(Viewer::start(&desk, &["scene.toml"]).interrupt(), 0);
}
