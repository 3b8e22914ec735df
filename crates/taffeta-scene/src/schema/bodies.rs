//! Cloths, ropes, solids and their materials.

use super::node::{Node, object};
use super::parts::file;
use crate::materials;
use crate::scene::{
    BENDING_MODELS, DEFAULT_MATERIAL, DEFAULT_RADIUS, DEFAULT_TIME, MAX_LEVEL, MEMBRANE_MODELS, ROPE_MODELS,
};
use serde_json::{Value, json};
use taffeta_io::grid::GridPattern;
use taffeta_remesh::RemeshSettings;
use taffeta_sim::ProjectionStiffness;
use taffeta_solve::Tearing;

/// Part of all three kinds of bodies.
fn body_keys(name: &str) -> [(&'static str, Node); 4] {
    let named = Node::string("Name, unique in the scene; files are named after it.");
    let zero = || vec![0.0; 3];
    [
        ("name", named.with("pattern", "^[A-Za-z0-9_-]{1,100}$").default(name)),
        ("place", Node::reference("place", "Where it is put.")),
        ("velocity", Node::vector("Initial velocity [m/s].").default(zero())),
        (
            "angular_velocity",
            Node::vector("Initial angular velocity about the center of mass [rad/s].").default(zero()),
        ),
    ]
}

/// Keys of cloths and ropes under the solver pbd.
fn projection_keys() -> [(&'static str, Node); 3] {
    let default = ProjectionStiffness::default();
    [
        ("stiffness", Node::part("Solver \"pbd\": stiffness against stretch.").default(default.stretch)),
        ("bend_stiffness", Node::part("Solver \"pbd\": stiffness against bending.").default(default.bend)),
        (
            "stiffness_correction",
            Node::boolean("Solver \"pbd\": stiffnesses are those of all sweeps of a substep together.")
                .default(false),
        ),
    ]
}

pub(super) fn cloth() -> Node {
    let own = [
        ("grid", grid()),
        ("mesh", file("An OBJ file, relative to the scene; its vt are the material coordinates.")),
        ("ball", ball()),
        (
            "outline",
            file(
                "An SVG file whose closed paths are the pieces, in its physical size (mm, cm, in) or else in meters.",
            ),
        ),
        ("edge_length", Node::positive("Edge length of the mesh of `outline` [m].")),
        ("outline_scale", Node::positive("Meters per unit of `outline`. Absent: as the file says [m].")),
        ("uv_scale", Node::positive("Meters per unit of the vt of `mesh` [m].").default(1.0)),
        ("material", cloth_material()),
        ("pressure", Node::number("Pressure along the face normals, following them [Pa].").default(0.0)),
        ("volume", volume()),
        ("rest_curvature", Node::vector("Curvature at rest, uu, vv and uv [1/m].").default(vec![0.0; 3])),
        ("constraint", Node::choice("The membrane.", MEMBRANE_MODELS.map(|(word, _)| word))),
        (
            "scaling",
            Node::boolean("Solvers \"block\" and \"xpbd\": constraints are scaled by area.").default(true),
        ),
        ("scaling_area", Node::positive("With scaling = false: the area of all triangles [m²].")),
        ("buckling", buckling()),
        (
            "break_force",
            Node::positive(
                "With constraint = \"distance\" under \"xpbd\": force along an edge that it does not bear [N].",
            ),
        ),
        ("bending", Node::choice("How it resists bending.", BENDING_MODELS.map(|(word, _)| word))),
        ("pin", Node::list("What is held.", pin(&CLOTH_REGIONS, true))),
        ("seam", Node::list("What is sewn together. Each a and b, or distance.", seam())),
        ("remesh", remesh()),
    ];
    let keys = body_keys("sheet").into_iter().chain(own).chain(projection_keys());
    let shapes = ["grid", "mesh", "ball", "outline"];
    object("A cloth. Exactly one of grid, mesh, ball, outline.", keys, &[])
        .exactly_one(&shapes)
        .with("dependentRequired", json!({ "uv_scale": ["mesh"], "outline": ["edge_length"], "edge_length": ["outline"], "outline_scale": ["outline"] }))
}

fn buckling() -> Node {
    let about = "With constraint = \"strain\": a triangle bears no more compression than the cloth in it does without \
                 buckling, or a multiple of that. Solvers \"global\", \"direct\", \"block\".";
    let factor = Node::positive("Times the buckling stress of half waves as long as the triangle.").0;
    Node(json!({ "description": about, "anyOf": [{ "type": "boolean" }, factor], "default": false }))
}

fn grid() -> Node {
    let patterns = GridPattern::ALL.map(|pattern| pattern.name());
    object(
        "A rectangle in the xy-plane from the origin.",
        [
            (
                "size",
                Node::tuple("Lengths along u and v [m].", Node::positive("[m]"), 2).default(vec![1.0, 1.0]),
            ),
            (
                "cells",
                Node::tuple("Cells along u and v.", Node::integer("Cells.", 1), 2).default(vec![32, 32]),
            ),
            ("pattern", Node::choice("How cells are cut into triangles.", patterns).default("alternating")),
        ],
        &[],
    )
}

fn ball() -> Node {
    let axes = Node::tuple("Half axes [m].", Node::positive("[m]"), 3).0;
    let radius = json!({ "description": "Radius, or three half axes [m].", "anyOf": [Node::positive("Radius [m].").0, axes] });
    let level = Node::integer("20·4^level faces.", 0).with("maximum", MAX_LEVEL).default(3);
    object("A closed cloth around the origin.", [("radius", Node(radius)), ("level", level)], &["radius"])
}

fn volume() -> Node {
    object(
        "The volume that a closed cloth keeps.",
        [
            ("ratio", Node::positive("Times the volume at the start.").default(1.0)),
            ("inflation", Node::not_negative("Time in which that is reached [s].").default(0.0)),
            ("bulk", Node::positive("Bulk modulus of the filling [Pa]. Absent: it cannot be compressed.")),
        ],
        &[],
    )
}

/// The regions by which pins of cloths select.
const CLOTH_REGIONS: [&str; 4] = ["box", "material_box", "boundary", "vertices"];

fn pin(regions: &[&str], is_clamp: bool) -> Node {
    let corners = |about: &str, count: usize| {
        Node::tuple(about, Node::tuple("A corner [m].", Node(json!({ "type": "number" })), count), 2)
    };
    let region = |name: &str| match name {
        "box" => corners("Vertices in a box in world space at time 0 [m].", 3),
        "material_box" => corners("Vertices in a box in material space [m].", 2),
        "boundary" => Node::boolean("All vertices of the outline.").with("const", true),
        "ends" => Node::choice("Ends of the rope.", ["first", "last", "both"]),
        _ => Node::list("Numbers of vertices, from 0.", Node::integer("A number.", 0)).with("minItems", 1),
    };
    let wheres = regions.iter().map(|name| (*name, region(name)));
    let mut keys = vec![
        ("where", object("What it holds: exactly one key.", wheres, &[]).exactly_one(regions)),
        (
            "axes",
            Node::tuple("Which world axes are held.", Node::boolean("An axis."), 3)
                .with("contains", json!({ "const": true }))
                .default(vec![true; 3]),
        ),
        ("motion", Node::reference("motion", "How it moves; rotations are about its centroid.")),
        ("release", Node::not_negative("Time at which it lets go [s].")),
        ("strength", Node::positive("Force above which a vertex comes loose [N].")),
    ];
    if is_clamp {
        let about = "Whether it also holds the direction at its edge or end.";
        keys.push(("clamp", Node::boolean(about).default(false)));
    }
    object("Vertices that are held.", keys, &["where"])
}

fn seam() -> Node {
    let run = |about: &str| {
        let number = Node::integer("A number, from 0.", 0);
        let about_list =
            "Vertices along the boundary of a panel, at least its ends; the shorter way joins them.";
        let vertices = Node::list(about_list, number).with("minItems", 2);
        object(about, [("vertices", vertices)], &["vertices"])
    };
    object(
        "Two runs of the boundary that are sewn together.",
        [
            ("a", run("One side.")),
            ("b", run("The other side.")),
            ("distance", Node::positive("Instead of a and b: all of the boundary that is this close [m].")),
            ("time", Node::positive("Time in which the gap closes [s].").default(DEFAULT_TIME)),
            ("ease", Node::boolean("Whether a longer side is gathered.").default(false)),
        ],
        &[],
    )
    .with("dependentRequired", json!({ "a": ["b"], "b": ["a"] }))
    .exactly_one(&["a", "distance"])
}

fn remesh() -> Node {
    let default = RemeshSettings::default();
    let count = |about: &str, value: u64| Node::integer(about, 1).with("maximum", u32::MAX).default(value);
    object(
        "How the mesh adapts. Absent: it stays as it is.",
        [
            ("size_min", Node::positive("Smallest edge length [m].").default(default.size_min)),
            ("size_max", Node::positive("Largest edge length [m].").default(default.size_max)),
            (
                "refine_angle",
                Node::positive("Angle between normals at the ends of an edge [rad].")
                    .default(default.refine_angle),
            ),
            (
                "refine_strain",
                Node::positive("Change of strain along an edge.").default(default.refine_strain),
            ),
            (
                "refine_compression",
                Node::positive_or_off(
                    "Compressed cloth wants edges of this length over the root of its compression [m].",
                    default.refine_compression,
                ),
            ),
            (
                "refine_velocity",
                Node::positive_or_off("Change of velocity along an edge [m/s].", default.refine_velocity),
            ),
            (
                "refine_obstacle",
                Node::positive_or_off(
                    "Change of the distance to an obstacle along an edge, relative to it.",
                    default.refine_obstacle,
                ),
            ),
            (
                "refine_error",
                Node::positive_or_off(
                    "How far a face may be from the smooth cloth [m]; false, or if one of the other refine_… keys is given: those decide.",
                    default.refine_error,
                ),
            ),
            (
                "coarsen_unseen",
                Node(json!({
                    "description": "How many times as long edges may be where the camera does not see them, or sees them from \
                        farther than its target, at most size_max. Needs [camera] with a target.",
                    "anyOf": [{ "type": "number", "minimum": 1 }, { "const": false }],
                    "default": false,
                })),
            ),
            (
                "popping",
                Node::positive_or_off(
                    "By how much of its size a pass may move the material points of the cloth, root mean square; false: by any \
                     amount. What would move them more waits.",
                    default.popping,
                ),
            ),
            (
                "anisotropic",
                Node::boolean(
                    "Whether edges may be longer along folds than across them. If not given: with refine_error and bending by \
                     curvature, if no seams are sewn.",
                ),
            ),
            ("interval", count("Frames between passes.", u64::from(default.interval))),
            ("max_vertices", count("Most vertices.", default.max_vertices as u64)),
        ],
        &[],
    )
}

fn cloth_material() -> Node {
    let presets: Vec<Value> = materials::presets().iter().map(|preset| json!(preset.name)).collect();
    let complete = json!({ "$ref": "#/$defs/material", "required": REQUIRED });
    let about = "A preset (see `taffeta materials`), a name from [materials], or a table.";
    let kinds = json!([{ "enum": presets }, { "type": "string" }, complete]);
    Node(json!({ "description": about, "anyOf": kinds, "default": DEFAULT_MATERIAL }))
}

/// What a material must say if it does not change a preset.
const REQUIRED: [&str; 3] = ["density", "stretch", "bend"];

pub(super) fn materials() -> Node {
    let presets = materials::presets();
    let changed = presets.iter().map(|preset| {
        let about = format!("Changes the preset: {}.", preset.description);
        (preset.name, Node::reference("material", &about))
    });
    let own = json!({ "$ref": "#/$defs/material", "required": REQUIRED });
    object("Materials by name.", changed, &[]).with("additionalProperties", own)
}

pub(super) fn material() -> Node {
    let pair = |about: &str, item: Node| Node::tuple(about, item, 2);
    object(
        "A material of cloth.",
        [
            ("density", Node::positive("Areal density [kg/m²].")),
            ("thickness", Node::positive("Thickness, for contact [m].").default(0.0005)),
            ("stretch", pair("Stiffness along warp and weft [N/m].", Node::positive("[N/m]"))),
            (
                "poisson",
                Node::number("Poisson's ratio ν₁₂ of the membrane.")
                    .with("exclusiveMinimum", -1)
                    .default(0.3),
            ),
            ("shear", Node::positive("Shear stiffness [N/m]. Absent: the isotropic value.")),
            (
                "bend",
                pair(
                    "Plate stiffness D = Eh³/12(1−ν²) along warp and weft [N·m].",
                    Node::not_negative("[N·m]"),
                ),
            ),
            (
                "bend_poisson",
                Node::number("Poisson's ratio of bending. Absent: that of the membrane.")
                    .with("exclusiveMinimum", -1)
                    .with("maximum", 1),
            ),
            (
                "yield_curvature",
                Node::positive(
                    "Elastic curvature beyond which a fold stays [1/m]. Absent: all bending is elastic.",
                ),
            ),
            (
                "yield_hardening",
                Node::not_negative(
                    "By which part of the plastic curvature the yield curvature moves along with a fold; with `yield_curvature`.",
                )
                .default(0.1),
            ),
            (
                "stretch_damping",
                Node::not_negative("Time constant of damping of the membrane [s].").default(0.0),
            ),
            ("bend_damping", Node::not_negative("Time constant of damping of bending [s].").default(0.0)),
            ("friction", Node::reference("friction", "Friction of the surface.")),
            ("tear_strength", tear_strength()),
            (
                "tear_length",
                Node::positive(
                    "Radius over which the stress is averaged that is held against `tear_strength` [m].",
                )
                .default(Tearing::DEFAULT_LENGTH),
            ),
        ],
        &[],
    )
    .with("dependentRequired", json!({ "tear_length": ["tear_strength"] }))
}

/// One number or two.
fn tear_strength() -> Node {
    let about = "Force per width at rest above which the cloth tears, along warp and weft or along both [N/m]. Absent: it \
                 does not tear.";
    let Node(both) = Node::positive("[N/m]");
    let Node(each) = Node::tuple("Along warp and weft [N/m].", Node::positive("[N/m]"), 2);
    Node(json!({ "description": about, "anyOf": [both, each] }))
}

pub(super) fn rope() -> Node {
    let material = object(
        "Its material.",
        [
            ("density", Node::positive("Mass per length [kg/m].")),
            ("stretch", Node::positive("Stiffness EA [N].")),
            ("bend", Node::not_negative("Bending stiffness EI [N·m²].").default(0.0)),
            ("stretch_damping", Node::not_negative("Time constant of damping of stretch [s].").default(0.0)),
            ("bend_damping", Node::not_negative("Time constant of damping of bending [s].").default(0.0)),
            ("friction", Node::reference("friction", "Friction of the surface.")),
        ],
        &["density", "stretch"],
    );
    let points = Node::list("Points at rest [m].", Node::vector("A point [m].")).with("minItems", 2);
    let own = [
        ("length", Node::positive("Length, straight along x from the origin [m]; with `segments`.")),
        ("segments", Node::integer("Number of segments.", 2).with("maximum", 1_000_000)),
        ("points", points),
        ("radius", Node::positive("Distance from obstacles [m].").default(DEFAULT_RADIUS)),
        ("material", material),
        (
            "bending",
            Node::choice("How it resists bending.", ROPE_MODELS.map(|(word, _)| word)).default("curvature"),
        ),
        ("remedy", Node::boolean("With bending = \"acos\": without the published flips.").default(true)),
        ("plane", Node::vector("Normal of the plane in which turning angles have signs, before `place`.")),
        ("rest_curvature", Node::number("Curvature at rest in its plane [1/m].")),
        ("pin", Node::list("What is held.", pin(&["ends", "vertices", "box"], true))),
        ("remesh", refused("a rope keeps its segments")),
    ];
    let keys = body_keys("rope").into_iter().chain(own).chain(projection_keys());
    object("A rope. Exactly one of length and points.", keys, &["material"])
        .exactly_one(&["length", "points"])
        .with("dependentRequired", json!({ "length": ["segments"] }))
}

pub(super) fn solid() -> Node {
    let shape = object(
        "A box from the origin, five tetrahedra per cell.",
        [
            ("size", Node::tuple("Its sides [m].", Node::positive("[m]"), 3)),
            ("cells", Node::tuple("Cells along its sides.", Node::integer("Cells.", 1), 3)),
        ],
        &["size", "cells"],
    );
    let poisson = Node::number("Poisson's ratio.").with("exclusiveMinimum", -1).with("exclusiveMaximum", 0.5);
    let material = object(
        "Its material.",
        [
            ("density", Node::positive("Density [kg/m³].")),
            ("young", Node::positive("Young's modulus [Pa].")),
            ("poisson", poisson),
            ("damping", Node::not_negative("Time constant of damping [s].").default(0.0)),
            ("friction", Node::reference("friction", "Friction of the surface.")),
        ],
        &["density", "young", "poisson"],
    );
    let own = [
        ("box", shape),
        (
            "mesh",
            file("A Gmsh file (.msh, ASCII, version 2.2 or 4.1) with tetrahedra, relative to the scene."),
        ),
        ("material", material),
        ("volume_stiffness", Node::not_negative("Stiffness k of ½kV(det F − 1)² on top [Pa].").default(0.0)),
        ("pin", Node::list("What is held.", pin(&["box", "boundary", "vertices"], false))),
        ("remesh", refused("a solid keeps its tetrahedra")),
    ];
    object("A solid.", body_keys("solid").into_iter().chain(own), &["material"]).exactly_one(&["box", "mesh"])
}

/// A key that the reader knows in order to say why it is refused.
fn refused(reason: &str) -> Node {
    Node(json!({ "not": {}, "description": format!("Not supported: {reason}.") }))
}
