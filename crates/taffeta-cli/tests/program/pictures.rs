//! `taffeta render`.

use crate::common::Desk;
use std::fs;

/// Width and height from the header of a PNG file.
fn png_size(bytes: &[u8]) -> [u32; 2] {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
}

const SMALL: [&str; 4] = ["--width", "160", "--height", "90"];

#[test]
fn frames_become_pictures() {
    let desk = Desk::new();
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet"]);
    let reply = desk.done(&[&["render", "a"], &SMALL[..]].concat());
    assert_eq!(reply.out, "a/frame_00006.png\n");
    let last = fs::read(desk.path("a/frame_00006.png")).unwrap();
    assert_eq!(png_size(&last), [160, 90]);
    desk.done(&[&["render", "a", "--frame", "0"], &SMALL[..]].concat());
    assert_ne!(fs::read(desk.path("a/frame_00000.png")).unwrap(), last);
    let reply = desk.done(&[&["render", "a", "--wireframe", "--out", "wire.png"], &SMALL[..]].concat());
    assert_eq!(reply.out, "wire.png\n");
    assert_ne!(fs::read(desk.path("wire.png")).unwrap(), last);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let desk = Desk::new();
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet", "--set", "output.every=2"]);
    desk.refused(&["render", "a", "--frame", "3"], &["a has no frame 3", "frames 0 to 6 in steps of 2"]);
    desk.refused(&["render", "a", "--frame", "99"], &["no frame 99", "0 to 6"]);
    desk.refused(&["render", "b"], &["b is not a folder", "taffeta run"]);
    desk.refused(&["render", "scene.toml"], &["scene.toml is not a folder"]);
    desk.refused(&["render", "."], &["not the result folder of a run", "frames"]);
    desk.refused(&["render", "a", "--out", "a.jpg"], &["a.jpg", "PNG"]);
    desk.refused(&["render", "a", "--out", "none/a.png"], &["none/a.png", "No such file"]);
    desk.refused(&["render", "a", "--width", "0"], &["no pixels"]);
    for option in [&["--gif"][..], &["--contact-sheet"], &["--color", "size"]] {
        desk.refused(&[&["render", "a"], option].concat(), &[option[0], "not supported yet"]);
    }
    desk.refused(&["render", "a", "--color", "blue"], &["blue", "curvature"]);
    desk.done(&[
        "run",
        "scene.toml",
        "--out",
        "c",
        "--quiet",
        "--frames",
        "1",
        "--set",
        "output.formats=[\"none\"]",
    ]);
    desk.refused(&["render", "c"], &["c has no frames", "output.formats"]);
}
