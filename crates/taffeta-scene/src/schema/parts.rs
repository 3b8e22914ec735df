//! Everything in a scene that is no body: simulation, obstacles, contact, air, probes, output.

use super::node::{Node, object};
use crate::scene::{
    DEFAULT_CHECKPOINT_EVERY, DEFAULT_VIEW_DEG, MAX_REPEATS, MAX_THREADS, SOLVERS, WIDEST_VIEW_DEG,
};
use serde_json::json;
use taffeta_core::Friction;
use taffeta_io::Format;
use taffeta_sim::{ACCURACIES, ACCURACY_RANGE, Air, SimulationSettings};

pub(super) fn simulation() -> Node {
    let default = SimulationSettings::default();
    let is_static = json!({ "properties": { "mode": { "const": "static" } }, "required": ["mode"] });
    object(
        "Duration, frames, solver.",
        [
            (
                "mode",
                Node::choice("The motion, or the equilibrium as frame 1.", ["dynamic", "static"])
                    .default("dynamic"),
            ),
            ("duration", Node::positive("Simulated time [s]. Required unless mode is \"static\".")),
            (
                "frame_rate",
                Node::positive("Output frames per second [1/s]. Frame 0 is the initial state.").default(60.0),
            ),
            (
                "solver",
                Node::choice(
                    "How the equations are solved; \"auto\" takes \"global\".",
                    SOLVERS.map(|s| s.name()),
                )
                .default("auto"),
            ),
            ("accuracy", accuracy()),
            ("substeps", Node::auto_or_count("Substeps per frame.", MAX_REPEATS)),
            ("iterations", Node::auto_or_count("Iterations per substep.", MAX_REPEATS)),
            (
                "time",
                Node::choice(
                    "Time integration; \"bdf2\", of second order, for the solvers \"global\" and \"direct\".",
                    ["auto", "euler", "bdf2"],
                )
                .default("auto"),
            ),
            ("gravity", Node::vector("Gravity [m/s²].").default(default.gravity.to_array().to_vec())),
            (
                "velocity_damping",
                Node::not_negative("Velocities decay as e^(−ct), c in [1/s]; for settling, not physics.")
                    .default(default.velocity_damping),
            ),
            (
                "threads",
                Node::integer("Threads; 0: all cores. The result does not depend on it.", 0)
                    .with("maximum", MAX_THREADS)
                    .default(0),
            ),
            ("seed", Node::integer("Seed of everything random.", 0).default(0)),
        ],
        &[],
    )
    .with("if", is_static)
    .with("else", json!({ "required": ["duration"] }))
}

/// A name or a number.
fn accuracy() -> Node {
    let (least, most) = ACCURACY_RANGE;
    let about = "The error that a step may have, relative to the size of the cloth; chooses substeps, iterations and tolerances together. For the solvers \"global\" and \"direct\".";
    let names = ACCURACIES.map(|(name, _)| name);
    let number = json!({ "type": "number", "minimum": least, "maximum": most });
    Node::any_of(about, [json!({ "enum": names }), number]).default("standard")
}

pub(super) fn contact() -> Node {
    let default = "Absent: yes, under every solver but \"projective\".";
    object(
        "Contact of all cloths.",
        [
            ("self", Node::boolean(&format!("Whether cloths meet themselves and each other. {default}"))),
            ("thickness", Node::positive("Thickness of the cloths [m]. Absent: from the material.")),
        ],
        &[],
    )
}

pub(super) fn air() -> Node {
    let default = Air::default();
    object(
        "The surrounding air. A density or drag of 0 is a vacuum.",
        [
            ("density", Node::not_negative("Density [kg/m³].").default(default.density)),
            ("wind", Node::vector("Wind [m/s].").default(default.wind.to_array().to_vec())),
            ("drag", Node::not_negative("Coefficient of drag.").default(default.drag)),
        ],
        &[],
    )
}

pub(super) fn output() -> Node {
    let single = Node::choice("A format.", Format::ALL.map(Format::name)).0;
    let formats = json!([
        { "type": "array", "items": single },
        { "type": "array", "items": { "const": "none" }, "maxItems": 1 },
    ]);
    let about =
        "Formats of the frames: files per frame (obj, ply, vtp, npz), per body (usda), or one for all (glb).";
    object(
        "What is written.",
        [
            ("formats", Node(json!({ "description": about, "anyOf": formats, "default": ["obj"] }))),
            (
                "every",
                Node::integer("Frames from one written frame to the next.", 1)
                    .with("maximum", u32::MAX)
                    .default(1),
            ),
            (
                "checkpoint_every",
                Node::not_negative("Wall time from one checkpoint of a run to the next [s].")
                    .default(DEFAULT_CHECKPOINT_EVERY),
            ),
        ],
        &[],
    )
}

pub(super) fn camera() -> Node {
    object(
        "Where `taffeta render` looks from, and what coarsen_unseen spares. Absent: from where all is seen.",
        [
            ("position", Node::vector("Where it stands [m].")),
            ("target", Node::vector("What is in the middle of the picture [m]. Absent: the middle of all.")),
            ("up", Node::vector("What is upward in the picture. Absent: against gravity.")),
            (
                "field_of_view",
                Node::positive("Angle from the lower to the upper border of the picture [degrees].")
                    .with("maximum", WIDEST_VIEW_DEG)
                    .default(DEFAULT_VIEW_DEG),
            ),
            (
                "motion",
                motion().with("description", "Keyframes of the camera, which turns about its target."),
            ),
        ],
        &["position"],
    )
}

pub(super) fn probe() -> Node {
    object(
        "A point whose motion is recorded: on a cloth, a rope or a solid.",
        [
            ("name", Node::string("Name, unique among the probes.").with("minLength", 1)),
            ("cloth", Node::string("Name of the cloth.")),
            ("material", Node::tuple("The material point [m].", Node(json!({ "type": "number" })), 2)),
            ("panel", Node::integer("The panel on which the material point lies, if it lies on several.", 0)),
            ("rope", Node::string("Name of the rope.")),
            ("at", Node::part("Where along the rope, as a part of its length at rest.")),
            ("solid", Node::string("Name of the solid.")),
            ("point", Node::vector("A point of the box before it is placed [m].")),
        ],
        &["name"],
    )
    .with(
        "oneOf",
        json!([
            { "required": ["cloth", "material"] },
            { "required": ["rope", "at"] },
            { "required": ["solid", "point"] },
        ]),
    )
}

pub(super) fn obstacle() -> Node {
    let radius = || Node::positive("Radius [m].");
    let shapes = [
        ("sphere", object("A ball around the origin.", [("radius", radius())], &["radius"])),
        (
            "plane",
            object(
                "The half-space below a plane through the origin.",
                [("normal", Node::vector("Normal, out of the half-space.").default(vec![0.0, 1.0, 0.0]))],
                &[],
            ),
        ),
        (
            "capsule",
            object(
                "All points near a segment along the local y axis.",
                [
                    ("radius", radius()),
                    ("half_length", Node::positive("Half the length of the segment [m].")),
                ],
                &["radius", "half_length"],
            ),
        ),
        (
            "box",
            object(
                "A box around the origin.",
                [("half_size", Node::tuple("Half its sides [m].", Node::positive("[m]"), 3))],
                &["half_size"],
            ),
        ),
        ("mesh", file("An OBJ, STL or PLY file, relative to the scene.")),
        ("frames", file("OBJ files of one topology, as body_%04d.obj, relative to the scene.")),
        ("frame_rate", Node::positive("Files of `frames` per second [1/s].")),
    ];
    let shape = object("Its shape: exactly one.", shapes, &[])
        .exactly_one(&["sphere", "plane", "capsule", "box", "mesh", "frames"])
        .with("dependentRequired", json!({ "frames": ["frame_rate"], "frame_rate": ["frames"] }));
    object(
        "A rigid body that the cloths meet, or a sequence of shapes.",
        [
            ("shape", shape),
            ("place", Node::reference("place", "Where it stands.")),
            ("motion", Node::reference("motion", "How it moves from there.")),
            ("friction", Node::reference("friction", "Friction of its surface.")),
        ],
        &["shape"],
    )
}

/// A path.
pub(super) fn file(about: &str) -> Node {
    Node::string(about).with("minLength", 1)
}

pub(super) fn place() -> Node {
    object(
        "Scale, then rotate about the axes x, y and z in turn, then translate.",
        [
            ("translate", Node::vector("Translation [m].").default(vec![0.0; 3])),
            ("rotate_deg", Node::vector("Angles about x, y, z [degrees].").default(vec![0.0; 3])),
            ("scale", Node::positive("Scale.").default(1.0)),
        ],
        &[],
    )
}

pub(super) fn motion() -> Node {
    let key = object(
        "A keyframe.",
        [
            ("t", Node::number("Time [s]; must increase from key to key.")),
            ("translate", Node::vector("Translation [m].").default(vec![0.0; 3])),
            ("rotate_deg", Node::vector("Angles about x, y, z [degrees].").default(vec![0.0; 3])),
        ],
        &["t"],
    );
    Node::list("Keyframes, linear between, constant before the first and after the last.", key)
        .default(Vec::<f64>::new())
}

pub(super) fn friction() -> Node {
    let default = Friction::default();
    object(
        "Coulomb friction; of a pair the geometric mean counts.",
        [
            ("static", Node::not_negative("Coefficient at rest.").default(default.static_)),
            (
                "kinetic",
                Node::not_negative("Coefficient while sliding, at most the static one.")
                    .default(default.kinetic),
            ),
        ],
        &[],
    )
}
