//! `taffeta view`: its page in a real browser, and what it refuses.

#[path = "../program/common.rs"]
#[allow(dead_code, reason = "each test file uses its own part")]
mod common;

use common::Desk;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// A sheet held by its upper edge, which swings down; its mesh adapts.
const SWING: &str = r#"[simulation]
duration = 0.34
frame_rate = 60.0
solver = "block"
substeps = 8

[[cloth]]
name = "sheet"
grid = { size = [1.0, 1.0], cells = [8, 8] }
material = "cotton"
place = { rotate_deg = [-60, 0, 0] }

[cloth.remesh]
size_min = 0.05
size_max = 0.2

[[cloth.pin]]
where = { material_box = [[0.0, 1.0], [1.0, 1.0]] }

[contact]
self = false

[[obstacle]]
shape = { plane = { normal = [0, 1, 0] } }
place = { translate = [0, -1.2, 0] }
"#;

/// A rope that hangs from one end.
const ROPE: &str = r#"[simulation]
duration = 0.34
frame_rate = 60.0
solver = "block"
substeps = 8

[[rope]]
name = "line"
length = 1.0
segments = 20
radius = 0.006
material = { density = 0.05, stretch = 1e4, bend = 1e-5 }

[[rope.pin]]
where = { ends = "first" }
"#;

/// A running `taffeta view`, ended with the test.
struct Viewer {
    child: Child,
    url: String,
}

impl Viewer {
    fn start(desk: &Desk, arguments: &[&str]) -> Self {
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

/// Runs Python 3 with arguments; what it prints.
fn python(program: &Path, arguments: &[&str]) -> String {
    let shown = program.display();
    let output = Command::new(program).args(arguments).output().unwrap_or_else(|error| {
        panic!("this test drives a browser with a Python package and needs {shown} (3.11 or newer, with venv and pip): {error}")
    });
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{arguments:?}:\n{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Checks the page in a browser. The pictures of the last run are kept in `target/tmp`.
fn check_in_browser(case: &str, viewer: &Viewer) {
    // One at a time: the first one makes the environment, and browsers want the whole machine.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let [script, list, check] =
        ["readers/environment.py", "page/requirements.txt", "page/check.py"].map(|name| tests.join(name));
    let paths = [&script, target, &list].map(|path: &Path| path.to_str().unwrap());
    let interpreter = python(Path::new("python3"), &paths);
    let picture = target.join(format!("page-{case}.png"));
    let arguments = [check.to_str().unwrap(), case, &viewer.url, picture.to_str().unwrap()];
    print!("{}", python(Path::new(interpreter.trim()), &arguments));
}

#[test]
fn in_a_browser_the_cloth_moves_obeys_sliders_and_follows_the_pointer() {
    let desk = Desk::new();
    desk.write("scene.toml", SWING);
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    check_in_browser("live", &viewer);
    assert_eq!(desk.list(""), ["scene.toml"], "nothing is written");
}

#[test]
fn in_a_browser_a_rope_is_dragged_pinned_and_let_go() {
    let desk = Desk::new();
    desk.write("scene.toml", ROPE);
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    check_in_browser("rope", &viewer);
}

#[test]
fn in_a_browser_a_folder_is_played_and_its_gaps_are_told() {
    let desk = Desk::new();
    desk.write("scene.toml", SWING);
    desk.done(&["run", "scene.toml", "--out", "out", "--quiet"]);
    for frame in [7, 8] {
        std::fs::remove_file(desk.path(&format!("out/frames/sheet_{frame:05}.obj"))).unwrap();
    }
    let before = desk.list("");
    let viewer = Viewer::start(&desk, &["out"]);
    check_in_browser("folder", &viewer);
    assert_eq!(desk.list(""), before, "nothing is written");
}

#[test]
fn two_browsers_share_a_simulation_which_outlives_them() {
    let desk = Desk::new();
    desk.write("scene.toml", SWING);
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    check_in_browser("crowd", &viewer);
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
