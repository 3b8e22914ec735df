//! `taffeta view`: what it serves, and what it refuses.

use crate::common::Desk;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// Time for an answer, on a machine with much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// A socket to a running `taffeta view`.
type Socket = WebSocket<TcpStream>;

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

    /// The address without path and token, and the token.
    fn parts(&self) -> (&str, &str) {
        self.url.split_once("/?token=").expect("the address has a token")
    }

    fn port(&self) -> &str {
        self.parts().0.rsplit(':').next().unwrap()
    }

    /// The headers that name the server.
    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port())
    }

    /// The path of the page with the token.
    fn page(&self) -> String {
        format!("/?token={}", self.parts().1)
    }

    /// The path of the socket with the token.
    fn socket(&self) -> String {
        format!("/socket?token={}", self.parts().1)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(format!("127.0.0.1:{}", self.port())).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Asks for a page with headers; the answer.
    fn ask(&self, path: &str, headers: &str) -> String {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Asks for the socket with headers; the head of the answer.
    fn ask_socket(&self, path: &str, headers: &str) -> String {
        let upgrade = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nConnection: Upgrade\r\n{upgrade}{headers}\r\n").unwrap();
        let lines = BufReader::new(stream).lines().map(Result::unwrap);
        lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// Opens a socket as the page does.
    fn open_socket(&self) -> Socket {
        let address = format!("ws://127.0.0.1:{}{}", self.port(), self.socket());
        let mut request = address.into_client_request().unwrap();
        request.headers_mut().insert("Origin", self.parts().0.parse().unwrap());
        tungstenite::client(request, self.connect()).unwrap().0
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

/// A cloth of panels that are not sewn yet; see [`write_bag`].
pub(crate) const BAG: &str = "[simulation]\nduration = 0.02\n[[cloth]]\nname = \"bag\"\nmesh = \"bag.obj\"\n";

/// Writes `bag.toml` with its mesh: a front of 1 m by 2 m, a back 1 m away that faces the other way, and a lower strip beside.
pub(crate) fn write_bag(desk: &Desk) {
    let panel = |[left, right, height, z, u]: [f64; 5], vertices: [u32; 4]| {
        let corners = [[left, 0.0], [right, 0.0], [right, height], [left, height]];
        let points =
            corners.map(|[x, y]| format!("v {x} {y} {z}\nvt {} {y}\n", if z > 0.0 { u - x } else { u + x }));
        let face = vertices.map(|v| format!("{v}/{v}"));
        format!("{}f {}\n", points.concat(), face.join(" "))
    };
    let front = panel([0.0, 1.0, 2.0, 0.0, 0.0], [1, 2, 3, 4]);
    let back = panel([0.0, 1.0, 2.0, 1.0, 5.0], [5, 8, 7, 6]);
    let strip = panel([1.2, 1.6, 1.5, 0.0, 9.0], [9, 10, 11, 12]);
    desk.write("bag.obj", &format!("g front\n{front}g back\n{back}g strip\n{strip}"));
    desk.write("bag.toml", BAG);
}

#[test]
fn edges_of_panels_are_listed_and_paired_for_the_browser_that_asks() {
    let desk = Desk::new();
    write_bag(&desk);
    let viewer = Viewer::start(&desk, &["bag.toml"]);
    let (mut socket, mut other) = (viewer.open_socket(), viewer.open_socket());
    say(&mut socket, r#"{"do":"edges"}"#);
    let list = hear(&mut socket, |heard| heard.get("edges").cloned());
    let edges = list["edges"].as_array().unwrap();
    assert_eq!((edges.len(), list["missing"].as_array().unwrap().len()), (12, 0));
    assert_eq!((&edges[1]["name"], &edges[1]["length"]), (&"front, edge 1".into(), &2.0.into()));
    say(&mut socket, r#"{"do":"seam","cloth":0,"a":[0,1],"b":[1,2]}"#);
    let seam = hear(&mut socket, |heard| heard.get("seam").cloned());
    assert_eq!((&seam["ratio"], &seam["ease"]), (&1.0.into(), &false.into()), "{seam}");
    assert_eq!(seam["pairs"].as_array().unwrap().len(), 12);
    desk.write("sewn.toml", &format!("{BAG}{}", seam["table"].as_str().unwrap()));
    desk.done(&["run", "sewn.toml", "--quiet"]);
    say(&mut socket, r#"{"do":"seam","cloth":0,"a":[0,1],"b":[7,2]}"#);
    let refused = hear(&mut socket, |heard| heard.get("refused").cloned());
    assert_eq!(refused["command"], "seam");
    assert_eq!(refused["reason"], "there is no panel 7; there are 3");
    // The other browser hears of none of it before the answer to its own question.
    say(&mut other, r#"{"do":"dance"}"#);
    let is_answer =
        |heard: &serde_json::Value| ["edges", "seam", "refused"].iter().any(|name| heard.get(name).is_some());
    let first = hear(&mut other, |heard| is_answer(&heard).then_some(heard));
    assert_eq!(first["refused"]["command"], r#"{"do":"dance"}"#);
}

#[test]
fn a_recording_and_a_closed_cloth_say_why_there_is_nothing_to_sew() {
    let desk = Desk::new();
    desk.write(
        "ball.toml",
        "[simulation]\nduration = 0.02\n[[cloth]]\nname = \"ball\"\nball = { radius = 1, level = 1 }\n",
    );
    desk.done(&["run", "ball.toml", "--out", "out", "--quiet"]);
    for (source, reason) in
        [("ball.toml", "cloth \"ball\": its surface is closed"), ("out", "a recording has no panels")]
    {
        let viewer = Viewer::start(&desk, &[source]);
        let mut socket = viewer.open_socket();
        say(&mut socket, r#"{"do":"edges"}"#);
        let list = hear(&mut socket, |heard| heard.get("edges").cloned());
        assert_eq!(list["edges"], serde_json::json!([]));
        assert!(list["missing"][0].as_str().unwrap().starts_with(reason), "{list}");
    }
}

#[test]
fn a_scene_without_a_floor_stands_on_the_ground_of_pictures_and_cloth_is_woven() {
    let desk = Desk::new();
    write_bag(&desk);
    desk.done(&["run", "bag.toml", "--out", "out", "--quiet"]);
    let plane =
        "[[obstacle]]\nshape = { plane = { normal = [0, 1, 0] } }\nplace = { translate = [0, -1, 0] }\n";
    desk.write("floor.toml", &format!("{BAG}{plane}"));
    for (source, name) in [("bag.toml", "ground.0"), ("out", "ground.0"), ("floor.toml", "obstacle.0")] {
        let viewer = Viewer::start(&desk, &[source]);
        let mut socket = viewer.open_socket();
        let pitch = hear(&mut socket, |heard| heard["status"]["opening"]["thread"].as_f64());
        assert_eq!(pitch, f64::from(0.02_f32), "of a bag of 4.6 m²");
        let bodies = hear(&mut socket, |heard| heard.get("bodies").cloned());
        let floors = bodies.as_array().unwrap().iter().filter(|body| body["kind"] == "floor");
        assert_eq!(floors.map(|body| &body["name"]).collect::<Vec<_>>(), [name], "{source}");
        assert!(bodies[0]["name"] == "bag" && bodies[0]["woven"] == true, "{source}");
    }
}

#[test]
fn other_pages_and_other_names_are_shut_out() {
    let desk = Desk::new();
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    let page = viewer.ask(&viewer.page(), &viewer.host());
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<title>Taffeta"), "{page}");
    assert!(page.contains("content-security-policy: default-src 'none'"), "{page}");
    for wrong in ["Host: example.org\r\n", "Host: 127.0.0.1:1\r\n", "Host: 127.0.0.1\r\n", "Host: \r\n"] {
        let answer = viewer.ask(&viewer.page(), wrong);
        assert!(!answer.starts_with("HTTP/1.1 200") && !answer.contains("<title>"), "{wrong}{answer}");
    }
    for path in ["/../Cargo.toml", "/%2e%2e/scene.toml", "/scene.toml", "//etc/passwd"] {
        assert!(viewer.ask(path, &viewer.host()).starts_with("HTTP/1.1 404"), "{path}");
    }
    let open = |origin: &str| viewer.ask_socket(&viewer.socket(), &format!("{}{origin}", viewer.host()));
    let origin = |host: &str| format!("Origin: {host}\r\n");
    assert!(open(&origin(viewer.parts().0)).contains("101"));
    for wrong in ["".to_owned(), origin("http://example.org"), origin("null"), origin("https://127.0.0.1")] {
        assert!(open(&wrong).contains("403"), "{wrong:?}");
    }
}

#[test]
fn page_and_socket_are_locked_without_the_token_of_the_printed_address() {
    let desk = Desk::new();
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    let (address, token) = viewer.parts();
    assert_eq!(token.len(), 32, "{token}");
    let wrong = "0".repeat(32);
    let is_refused =
        |answer: &str| answer.starts_with("HTTP/1.1 403") && answer.contains("Open the whole address");
    let queries = [
        String::new(),
        "?token".into(),
        "?token=".into(),
        format!("?token={wrong}"),
        format!("?token={token}0"),
        format!("?token={}", &token[1..]),
        format!("?{token}"),
    ];
    let headers = format!("{}Origin: {address}\r\n", viewer.host());
    for query in queries {
        assert!(is_refused(&viewer.ask(&format!("/{query}"), &viewer.host())), "{query}");
        let answer = viewer.ask_socket(&format!("/socket{query}"), &headers);
        assert!(answer.starts_with("HTTP/1.1 403"), "{query}");
    }
    let page = viewer.ask(&viewer.page(), &viewer.host());
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<title>Taffeta"), "{page}");
    assert!(viewer.ask("/main.js", &viewer.host()).starts_with("HTTP/1.1 200"));
    assert!(viewer.ask_socket(&viewer.socket(), &headers).starts_with("HTTP/1.1 101"));
    assert_ne!(Viewer::start(&desk, &["scene.toml"]).parts().1, token);
}

#[test]
fn every_answer_keeps_other_pages_from_using_it() {
    let desk = Desk::new();
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    let host = viewer.host();
    let origin = format!("Origin: {}\r\n", viewer.parts().0);
    for (status, answer) in [
        (200, viewer.ask(&viewer.page(), &host)),
        (200, viewer.ask("/main.js", &host)),
        (404, viewer.ask("/none", &host)),
        (403, viewer.ask("/", &host)),
        (403, viewer.ask("/", "Host: example.org\r\n")),
        (400, viewer.ask(&viewer.socket(), &format!("{host}{origin}"))),
        (403, viewer.ask_socket(&viewer.socket(), &host)),
        (101, viewer.ask_socket(&viewer.socket(), &format!("{host}{origin}"))),
    ] {
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{status}: {answer}");
        for header in [
            "cross-origin-resource-policy: same-origin",
            "content-security-policy: default-src 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
        ] {
            assert!(answer.contains(header), "{header} is missing: {answer}");
        }
    }
}

#[test]
fn half_open_connections_keep_nobody_from_the_page() {
    let desk = Desk::new();
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    let mut half: Vec<TcpStream> = (0..150).map(|_| viewer.connect()).collect();
    for stream in &mut half {
        write!(stream, "GET / HTTP/1.1\r\n{}X-Slow: ", viewer.host()).unwrap();
    }
    assert!(viewer.ask(&viewer.page(), &viewer.host()).starts_with("HTTP/1.1 200"));
    let mut socket = viewer.open_socket();
    say(&mut socket, r#"{"do":"run","on":false}"#);
    hear(&mut socket, |heard| (heard["status"]["running"] == false).then_some(()));
}

/// Sends a command.
fn say(socket: &mut Socket, command: &str) {
    socket.send(Message::text(command)).unwrap();
}

/// Reads messages, of frames the description, until something is found in one; fails if it does not come in time.
fn hear<T>(socket: &mut Socket, mut find: impl FnMut(serde_json::Value) -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        // Frames may come forever.
        assert!(begun.elapsed() < PATIENCE, "what was waited for has not come");
        let message = match socket.read() {
            // A machine that was stopped for a moment.
            Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::Interrupted => continue,
            other => other.unwrap(),
        };
        let heard = match message {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            Message::Binary(bytes) => {
                say(socket, r#"{"do":"taken"}"#);
                let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
                serde_json::from_slice(&bytes[4..4 + length]).unwrap()
            }
            _ => continue,
        };
        if let Some(found) = find(heard) {
            return found;
        }
    }
}

#[test]
fn what_commands_are_refused_and_why_is_told() {
    let desk = Desk::new();
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    let mut socket = viewer.open_socket();
    say(&mut socket, r#"{"do":"dance"}"#);
    let refused = hear(&mut socket, |heard| heard.get("refused").cloned());
    assert_eq!(refused["command"], r#"{"do":"dance"}"#);
    assert!(refused["reason"].as_str().unwrap().contains("unknown variant `dance`"), "{refused}");
    // What the simulation refuses all browsers see, each time.
    for times in 1..=2 {
        say(&mut socket, r#"{"do":"set","key":"gravity.y","value":1e9}"#);
        let expected =
            "refused: set gravity.y to 1000000000: gravity.y is 1000000000, but must be from -20 to 20 m/s²";
        hear(&mut socket, |heard| {
            let notices = heard["status"]["notices"].as_array()?;
            let told = notices.iter().filter(|notice| notice["text"] == expected);
            (told.filter_map(|notice| notice["times"].as_u64()).sum::<u64>() == times).then_some(())
        });
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
