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
fn the_camera_turns_comes_nearer_and_follows() {
    let desk = Desk::new();
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet"]);
    let draw = |options: &[&str]| {
        desk.done(&[&["render", "a", "--out", "p.png"], options, &SMALL[..]].concat());
        fs::read(desk.path("p.png")).unwrap()
    };
    let plain = draw(&[]);
    assert_eq!(draw(&["--azimuth", "0", "--zoom", "1"]), plain);
    for options in [&["--azimuth", "-30"][..], &["--zoom", "1.5"], &["--fit"], &["--no-ground"]] {
        assert_ne!(draw(options), plain, "{options:?}");
    }
    // From a camera that is given: a quarter turn to the right of the front is the right.
    let front = draw(&["--camera", "0,0.2,3", "--target", "0,0.2,0", "--azimuth", "90"]);
    assert_eq!(front, draw(&["--camera", "3,0.2,0", "--target", "0,0.2,0"]));
    desk.refused(&["render", "a", "--zoom", "0"], &["0.01 to 1000"]);
    desk.refused(&["render", "a", "--azimuth", "nan"], &["numbers"]);
    desk.refused(&["render", "a", "--fit", "--camera", "1,1,1"], &["cannot be used with"]);
    let reply = desk.done(&[&["render", "a", "--apng"], &SMALL[..]].concat());
    assert_eq!(reply.out, "a/animation.png\n");
    let bytes = fs::read(desk.path("a/animation.png")).unwrap();
    assert_eq!(png_size(&bytes), [160, 90]);
    assert!(bytes.windows(4).any(|four| four == b"acTL"), "it is animated");
    desk.refused(&["render", "a", "--apng", "--out", "a.gif"], &["a.gif", ".png"]);
    desk.refused(&["render", "a", "--apng", "--gif"], &["cannot be used with"]);
    // One run after the other.
    let frames = |options: &[&str]| {
        desk.done(&[&["render", "a", "--gif", "--out", "t.gif"], options, &SMALL[..]].concat());
        gif_frames(&fs::read(desk.path("t.gif")).unwrap()).1
    };
    let once = frames(&[]);
    assert_eq!(frames(&["--then", "a", "--then", "a"]), once.repeat(3));
    desk.refused(&["render", "a", "--gif", "--then", "b"], &["b is not a folder"]);
    desk.refused(&["render", "a", "--then", "a"], &["--gif"]);
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
    let all = "size, strain, curvature, velocity, plastic_curvature, strain_jump, curvature_jump";
    desk.refused(
        &["render", "a", "--color", "blue"],
        &["--color blue", all, "a have nothing but positions and faces"],
    );
    desk.refused(
        &["render", "a", "--color", "plastic_curvature"],
        &["plastic_curvature", "yield_curvature", "these frames have nothing but"],
    );
    desk.refused(&["render", "a", "--gif", "--contact-sheet"], &["cannot be used with"]);
    desk.refused(&["render", "a", "--gif", "--frame", "2"], &["cannot be used with"]);
    desk.refused(&["render", "a", "--gif", "--out", "a.png"], &["a.png", ".gif"]);
    desk.refused(&["render", "a", "--every", "2"], &["--gif"]);
    desk.refused(&["render", "a", "--range", "0,1"], &["--color"]);
    desk.refused(&["render", "a", "--color", "size", "--range", "1,0"], &["smaller"]);
    desk.refused(&["render", "a", "--color", "size", "--range", "0,1"], &["--range", "logarithmic"]);
    desk.refused(&["render", "a", "--color", "strain", "--range", "0,nan"], &["2 numbers"]);
    desk.refused(&["render", "a", "--camera", "1,2"], &["3 numbers", "1.5,1,2.5"]);
    desk.refused(&["render", "a", "--camera", "1,2,3", "--target", "1,2,3"], &["no view"]);
    desk.refused(&["render", "a", "--contact-sheet", "--count", "0"], &["0", "1..=400"]);
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

/// Sizes of the pictures of a GIF file, and how long each stays \[1/100 s\], from its blocks.
fn gif_frames(bytes: &[u8]) -> ([u16; 2], Vec<u16>) {
    assert_eq!(&bytes[..6], b"GIF89a");
    let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    // Graphic control extensions have a block of four bytes, the middle two of which are the delay.
    let controls = (0..bytes.len() - 8)
        .filter(|at| bytes[*at..].starts_with(&[0x21, 0xf9, 0x04]) && bytes[*at + 7] == 0);
    ([number(6), number(8)], controls.map(|at| number(at + 4)).collect())
}

#[test]
fn frames_become_an_animation_in_real_time() {
    let desk = Desk::new();
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet"]);
    let reply = desk.done(&[&["render", "a", "--gif"], &SMALL[..]].concat());
    assert_eq!(reply.out, "a/animation.gif\n");
    // Seven frames at 60 per second: every second one at 30 per second.
    let bytes = fs::read(desk.path("a/animation.gif")).unwrap();
    assert_eq!(gif_frames(&bytes), ([160, 90], vec![3, 4, 3, 3]));
    let again = [&["render", "a", "--gif", "--out", "b.gif"], &SMALL[..]].concat();
    desk.done(&again);
    assert_eq!(fs::read(desk.path("b.gif")).unwrap(), bytes);
    let colored = ["render", "a", "--gif", "--every", "3", "--color", "velocity", "--wireframe"];
    let reply = desk.done(&[&colored, &SMALL[..]].concat());
    assert_eq!(reply.out, "a/animation_velocity_wireframe.gif\n");
    let bytes = fs::read(desk.path("a/animation_velocity_wireframe.gif")).unwrap();
    assert_eq!(gif_frames(&bytes).1, [5, 5, 5]);
}

#[cfg(not(feature = "mp4"))]
#[test]
fn without_an_encoder_films_are_refused_with_what_to_do() {
    let desk = Desk::new();
    desk.refused(&["render", "a", "--mp4"], &["built without an encoder", "--features mp4", "--gif"]);
    desk.refused(&["render", "a", "--quality", "50"], &["--mp4"]);
}

/// Width and height of an MP4 file and its number of pictures, from its boxes.
#[cfg(feature = "mp4")]
fn film_frames(bytes: &[u8]) -> ([u16; 2], u32) {
    assert_eq!(&bytes[4..8], b"ftyp");
    let find = |name: &[u8; 4]| bytes.windows(4).position(|found| found == name).expect("the box is there");
    let (avc1, stsz) = (find(b"avc1"), find(b"stsz"));
    // The brands at the head of the file name the coding too.
    let avc1 = if avc1 < 64 {
        avc1 + 4 + bytes[avc1 + 4..].windows(4).position(|f| f == b"avc1").unwrap()
    } else {
        avc1
    };
    let side = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    let count = u32::from_be_bytes(bytes[stsz + 12..stsz + 16].try_into().unwrap());
    ([side(avc1 + 28), side(avc1 + 30)], count)
}

#[cfg(feature = "mp4")]
#[test]
fn frames_become_a_film() {
    let desk = Desk::new();
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet"]);
    let reply = desk.done(&[&["render", "a", "--mp4"], &SMALL[..]].concat());
    assert_eq!(reply.out, "a/film.mp4\n");
    let bytes = fs::read(desk.path("a/film.mp4")).unwrap();
    assert_eq!(film_frames(&bytes), ([160, 90], 7));
    desk.done(&[&["render", "a", "--mp4", "--out", "b.mp4"], &SMALL[..]].concat());
    assert_eq!(fs::read(desk.path("b.mp4")).unwrap(), bytes);
    let fewer = ["render", "a", "--mp4", "--every", "3", "--color", "strain", "--quality", "10"];
    let reply = desk.done(&[&fewer, &SMALL[..]].concat());
    assert_eq!(reply.out, "a/film_strain.mp4\n");
    assert_eq!(film_frames(&fs::read(desk.path("a/film_strain.mp4")).unwrap()).1, 3);
    desk.refused(&["render", "a", "--mp4", "--width", "161"], &["161", "even"]);
    desk.refused(&["render", "a", "--mp4", "--quality", "0"], &["1..=100"]);
    desk.refused(&["render", "a", "--mp4", "--gif"], &["cannot be used with"]);
    desk.refused(&["render", "a", "--mp4", "--contact-sheet"], &["cannot be used with"]);
    desk.refused(&["render", "a", "--mp4", "--frame", "2"], &["cannot be used with"]);
    desk.refused(&["render", "a", "--mp4", "--out", "a.gif"], &["a.gif", ".mp4"]);
}

#[test]
fn frames_become_a_contact_sheet() {
    let desk = Desk::new();
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet"]);
    let reply =
        desk.done(&["render", "a", "--contact-sheet", "--count", "4", "--width", "324", "--height", "184"]);
    assert_eq!(reply.out, "a/contact_sheet.png\n");
    assert_eq!(png_size(&fs::read(desk.path("a/contact_sheet.png")).unwrap()), [324, 184]);
    // More than there are: all seven, in a grid of three by three.
    desk.done(&["render", "a", "--contact-sheet", "--color", "strain", "--width", "400", "--height", "200"]);
    let size = png_size(&fs::read(desk.path("a/contact_sheet_strain.png")).unwrap());
    assert!((390..=400).contains(&size[0]) && (195..=200).contains(&size[1]), "{size:?}");
}

#[test]
fn every_quantity_colors_whatever_the_format() {
    let desk = Desk::new();
    let (remesh, formats) = (crate::common::REMESH, ["obj", "npz", "ply"]);
    for format in formats {
        let formats = format!("output.formats=[{format:?}]");
        desk.done(&["run", "scene.toml", "--out", format, "--quiet", "--set", remesh, "--set", &formats]);
    }
    for quantity in ["size", "strain", "curvature", "velocity"] {
        let mut pictures = Vec::new();
        for format in formats {
            let reply = desk.done(&[&["render", format, "--color", quantity], &SMALL[..]].concat());
            let path = reply.out.trim().to_owned();
            assert_eq!(path, format!("{format}/frame_00006_{quantity}.png"));
            pictures.push(fs::read(desk.path(&path)).unwrap());
        }
        assert_eq!(pictures[1], pictures[2], "{quantity}: both formats have all fields");
    }
    let wide = ["render", "npz", "--color", "strain", "--range", "-1,1", "--out", "wide.png"];
    desk.done(&[&wide, &SMALL[..]].concat());
    assert_ne!(
        fs::read(desk.path("wide.png")).unwrap(),
        fs::read(desk.path("npz/frame_00006_strain.png")).unwrap()
    );
}

#[test]
fn what_only_frames_know_colors_if_they_have_it() {
    let desk = Desk::new();
    let folded = "cloth.0.material.yield_curvature=0.001";
    for (folder, more) in [("folds", &["--set", folded][..]), ("plain", &[])] {
        let run =
            ["run", "scene.toml", "--out", folder, "--quiet", "--set", "output.formats=[\"npz\",\"ply\"]"];
        desk.done(&[&run[..], more].concat());
    }
    for quantity in ["plastic_curvature", "strain_jump", "curvature_jump", "plastic-curvature"] {
        let reply = desk.done(&[&["render", "folds", "--color", quantity], &SMALL[..]].concat());
        assert!(reply.out.trim().ends_with(&format!("{}.png", quantity.replace('-', "_"))), "{}", reply.out);
    }
    desk.refused(
        &["render", "plain", "--color", "plastic_curvature"],
        &[
            "yield_curvature",
            "these frames have size, strain, curvature, velocity, strain_jump, curvature_jump",
        ],
    );
    desk.refused(
        &["render", "folds", "--color", "sizes"],
        &[
            "--color sizes: there is no such quantity",
            "have size, strain, curvature, velocity, plastic_curvature",
        ],
    );
}

#[test]
fn the_camera_is_that_of_the_command_line_or_the_scene() {
    let desk = Desk::new();
    let camera = "camera={ position = [2.0, 1.0, 3.0], target = [0, 0, 0] }";
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet", "--frames", "1"]);
    desk.done(&["run", "scene.toml", "--out", "b", "--quiet", "--frames", "1", "--set", camera]);
    let render = |arguments: &[&str]| {
        desk.done(&[&["render"], arguments, &["--out", "x.png"], &SMALL[..]].concat());
        fs::read(desk.path("x.png")).unwrap()
    };
    let from_scene = render(&["b"]);
    assert_ne!(render(&["a"]), from_scene);
    assert_eq!(render(&["a", "--camera", "2,1,3", "--target", "0,0,0"]), from_scene);
    assert_ne!(render(&["b", "--camera", "-2,1,3", "--target", "0,0,0"]), from_scene);
}

#[test]
fn the_camera_of_a_scene_turns_about_its_target() {
    let desk = Desk::new();
    let camera = "camera={ position = [2.0, 1.0, 3.0], target = [0, 0, 1], \
                  motion = [{ t = 0 }, { t = 0.0333333333333, translate = [1, 0, 0], rotate_deg = [0, 90, 0] }] }";
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet", "--frames", "2", "--set", camera]);
    let render = |arguments: &[&str]| {
        desk.done(&[&["render", "a", "--out", "x.png"], arguments, &SMALL[..]].concat());
        fs::read(desk.path("x.png")).unwrap()
    };
    assert_eq!(
        render(&["--frame", "0"]),
        render(&["--frame", "0", "--camera", "2,1,3", "--target", "0,0,1"])
    );
    // From (2, 1, 2) beside the target to (2, 1, -2) by a quarter turn about y.
    assert_eq!(
        render(&["--frame", "2"]),
        render(&["--frame", "2", "--camera", "3,1,-1", "--target", "1,0,1"])
    );
}

#[test]
fn gravity_says_what_is_up() {
    let desk = Desk::new();
    // The same scene, turned such that z is up: the picture is the same but for round-off.
    let turned = crate::common::SCENE
        .replace("frame_rate = 60.0", "frame_rate = 60.0\ngravity = [0, 0, -9.81]")
        .replace("[-0.5, 0.22, 0.5], rotate_deg = [-90, 0, 0]", "[-0.5, -0.5, 0.22], rotate_deg = [0, 0, 0]")
        .replace("[[-0.51, 0.0, -0.51], [0.51, 0.5, -0.49]]", "[[-0.51, 0.49, 0.0], [0.51, 0.51, 0.5]]");
    desk.write("turned.toml", &turned);
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet", "--frames", "2"]);
    desk.done(&["run", "turned.toml", "--out", "b", "--quiet", "--frames", "2"]);
    for folder in ["a", "b"] {
        desk.done(&[&["render", folder, "--out", &format!("{folder}.png")], &SMALL[..]].concat());
    }
    let pixels = |name: &str| {
        let file = std::io::BufReader::new(std::fs::File::open(desk.path(name)).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        bytes.as_chunks::<3>().0.to_vec()
    };
    let (a, b) = (pixels("a.png"), pixels("b.png"));
    let differs = |(p, q): &(&[u8; 3], &[u8; 3])| (0..3).any(|k| p[k].abs_diff(q[k]) > 12);
    let changed = a.iter().zip(&b).filter(differs).count();
    assert!(changed < 150, "{changed} of {} pixels differ", a.len());
}
