//! Tests that need other programs: readers of formats, NumPy, a player of films, a browser. `tests/external/run`
//! brings them and runs these tests; a plain `cargo test` does not.

use crate::common::{Desk, REMESH};
use crate::formats::{ALL, full_scene};
use crate::view::{BAG, Viewer, write_bag};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
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

/// Runs a script of `tests/external` with arguments; what it prints.
fn python(script: &str, arguments: &[&OsStr]) -> String {
    let interpreter = std::env::var_os("TAFFETA_PYTHON").expect("run these tests by tests/external/run");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/external").join(script);
    let output = Command::new(interpreter).arg(path).args(arguments).output().expect("the interpreter runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{script} {arguments:?}:\n{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// Checks the page in a browser. The pictures of the last run are kept in `target/tmp`.
fn check_in_browser(case: &str, viewer: &Viewer) {
    check_named_in_browser((case, case), viewer);
}

/// Checks the page in a browser, with another name of the pictures.
fn check_named_in_browser((case, name): (&str, &str), viewer: &Viewer) {
    // One at a time: browsers want the whole machine.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{name}.png"));
    print!("{}", python("page.py", &[case.as_ref(), viewer.url.as_ref(), picture.as_ref()]));
}

#[test]
#[ignore = "needs tests/external/run"]
fn every_format_of_an_adaptive_drape_is_read_back_whole_by_other_programs() {
    let desk = Desk::new();
    full_scene(&desk);
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet", "--set", ALL, REMESH]);
    let report = python("formats.py", &[desk.path("a").as_ref()]);
    assert!(report.contains("39 frames of 3 bodies and 13 rows of probes agree"), "{report}");
}

#[test]
#[ignore = "needs tests/external/run"]
fn blender_imports_what_is_exported_with_the_shapes_of_every_frame() {
    let desk = Desk::new();
    let adaptive = SWING.replace("frame_rate = 60.0", "frame_rate = 30.0");
    desk.write("scene.toml", &adaptive);
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet"]);
    for format in ["glb", "usda"] {
        desk.done(&["export", "a", "--format", format]);
    }
    let report = python("blender.py", &[desk.path("a").as_ref()]);
    assert!(report.contains("frames in Blender") || report.contains("3.11 alone"), "{report}");
}

#[test]
#[ignore = "needs tests/external/run"]
fn numpy_gives_arrays_and_reads_what_became_of_them() {
    let desk = Desk::new();
    let script = |action: &str| python("remesh.py", &[action.as_ref(), desk.path("").as_ref()]);
    script("make");
    let by_size = ["remesh", "in.npz", "by_size.npz", "--sizing", "sizes.npy", "--pin", "mask.npy"];
    let reply = desk.done(&[&by_size[..], &["--map", "map.npz"]].concat());
    let note = "not carried over: `node_type` (no real numbers), `name` (no numbers); the map says";
    assert!(reply.err.contains(note), "{}", reply.err);
    desk.done(&["remesh", "in.npz", "by_tensor.npz", "--sizing", "tensors.npz", "--pin", "mask.npy"]);
    let report = script("check");
    assert!(report.contains("289 vertices became"), "{report}");
    let refused = |more: &[&str], parts: &[&str]| {
        desk.refused(&[&["remesh", "in.npz", "out.npz"], more].concat(), parts);
    };
    refused(&["--sizing", "skew.npy"], &["skew.npy", "[[4, 1], [2, 4]]", "vertex 0", "not symmetric"]);
    refused(&["--sizing", "half.npy"], &["half.npy", "f2", "float32 or float64"]);
    refused(&["--sizing", "mask.npy"], &["size at vertex 1 is 0 m"]);
    refused(&["--sizing", "in.npz"], &["no array `sizing`", "world_pos"]);
    refused(&["--size", "0.1", "--pin", "289"], &["no vertex 289", "289, counted from 0"]);
    refused(&["--size", "0.1", "--pin", "nobody.txt"], &["nobody.txt", "0,5,9"]);
    refused(&["--size", "0.1", "--pin", "sizes.npy"], &["sizes.npy", "no number of a vertex"]);
    desk.refused(&["remesh", "tensors.npz", "out.npz", "--size", "1"], &["no array `positions`", "sizing"]);
    desk.write("bad.npz", "PK");
    desk.refused(&["remesh", "bad.npz", "out.npz", "--size", "1"], &["bad.npz"]);
    desk.done(&["remesh", "in.npz", "out.obj", "--size", "0.2"]);
    // What has been remeshed can be again; the map is then that of the second time.
    let reply = desk.done(&["remesh", "by_size.npz", "again.npz", "--size", "0.2"]);
    assert!(reply.err.contains("`origin_weights` (the output has its own)"), "{}", reply.err);
}

#[test]
#[ignore = "needs tests/external/run"]
fn in_a_browser_the_cloth_moves_obeys_sliders_and_follows_the_pointer() {
    let desk = Desk::new();
    desk.write("scene.toml", SWING);
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    check_in_browser("live", &viewer);
    assert_eq!(desk.list(""), ["scene.toml"], "nothing is written");
}

#[test]
#[ignore = "needs tests/external/run"]
fn in_a_browser_keys_act_after_clicks_and_refusals_and_pauses_are_told() {
    let desk = Desk::new();
    desk.write("scene.toml", SWING);
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    check_in_browser("keys", &viewer);
    check_in_browser("colors", &viewer);
}

#[test]
#[ignore = "needs tests/external/run"]
fn in_a_browser_everything_is_in_reach_on_a_telephone_and_on_a_screen() {
    let desk = Desk::new();
    desk.write("scene.toml", SWING);
    check_named_in_browser(("sizes", "sizes-live"), &Viewer::start(&desk, &["scene.toml"]));
    desk.done(&["run", "scene.toml", "--out", "out", "--quiet"]);
    check_named_in_browser(("sizes", "sizes-folder"), &Viewer::start(&desk, &["out"]));
}

#[test]
#[ignore = "needs tests/external/run"]
fn in_a_browser_a_rope_is_dragged_pinned_and_let_go() {
    let desk = Desk::new();
    desk.write("scene.toml", ROPE);
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    check_in_browser("rope", &viewer);
}

#[test]
#[ignore = "needs tests/external/run"]
fn in_a_browser_edges_that_are_clicked_become_seams_that_a_scene_reads() {
    let desk = Desk::new();
    write_bag(&desk);
    let viewer = Viewer::start(&desk, &["bag.toml"]);
    check_in_browser("seams", &viewer);
    let seams = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page-seams.toml");
    let seams = std::fs::read_to_string(seams).unwrap();
    desk.write("sewn.toml", &format!("{BAG}{seams}"));
    desk.done(&["run", "sewn.toml", "--out", "sewn", "--quiet"]);
    desk.write(
        "ball.toml",
        "[simulation]\nduration = 1\n[[cloth]]\nname = \"ball\"\nball = { radius = 1 }\n",
    );
    check_in_browser("closed", &Viewer::start(&desk, &["ball.toml"]));
}

#[test]
#[ignore = "needs tests/external/run"]
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
#[ignore = "needs tests/external/run"]
fn two_browsers_share_a_simulation_which_outlives_them() {
    let desk = Desk::new();
    desk.write("scene.toml", SWING);
    let viewer = Viewer::start(&desk, &["scene.toml"]);
    check_in_browser("crowd", &viewer);
}
