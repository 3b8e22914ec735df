//! The cases: sheets, what happens to them, and what is compared.

use super::quantities::{Quantity, bend_energy, elastic_energy, gravity_energy};
use super::sheets::{Mesh, Slit};

/// A sheet, what happens to it, and the meshes on which it is tried.
pub(super) struct Case {
    pub name: &'static str,
    /// Length and width \[m\].
    pub size: [f64; 2],
    /// Lines of the scene but for the mesh, place and remeshing.
    pub cloth: &'static str,
    pub rest: &'static str,
    pub settings: &'static str,
    /// Position of the sheet \[m\], and its rotation \[°\].
    pub place: [f64; 3],
    pub turn: f64,
    /// A cut that the sheet has from the beginning.
    pub slit: Option<Slit>,
    pub measure: Measure,
    /// Number of starts, an odd number: one where nothing is decided by little, and the starts agree.
    pub starts: u32,
    pub finest: Mesh,
    pub uniform: &'static [[u32; 2]],
    /// The mesh that adaptive ones start from.
    pub coarse: [u32; 2],
    /// Smallest and largest edges of adaptive meshes \[m\].
    pub edges: [f64; 2],
    /// Tolerances \[mm\], and the gains in vertices, in the mean and at the end, below which the check fails: floors below what was
    /// measured. `None`: nothing is gained for sure, and the check only reports.
    pub errors: &'static [(f64, Option<[f64; 2]>)],
}

/// Quantity of two runs that is compared.
pub(super) enum Measure {
    /// Positions of material points after these frames: their distances, root mean square \[mm\].
    Points(&'static [u32]),
    /// The length of all tears after each of so many frames: its difference, root mean square \[mm\].
    Tears(u32),
    /// The mean of a quantity from the first to the last of these frames: its difference \[%\]. For motions whose folds no two
    /// meshes have at the same places.
    Mean([u32; 2], Quantity),
}

pub(super) const CASES: [Case; 8] = [
    // A strip, because a wide sheet folds over a ball in many ways, and which of them it finds is decided by its history. Even
    // numbers of cells across: with odd ones no vertices lie on the top of the ball, and the mesh errs more.
    Case {
        name: "strip over a ball",
        size: [2.0, 0.2],
        cloth: "material = { density = 0.3, stretch = [3000.0, 3000.0], poisson = 0.3, bend = [3e-4, 3e-4] }",
        rest: "[[obstacle]]\nshape = { sphere = { radius = 0.05 } }\nfriction = { static = 0.5, kinetic = 0.4 }",
        settings: "velocity_damping = 4.0",
        place: [-1.0, 0.055, 0.1],
        turn: -90.0,
        slit: None,
        measure: Measure::Points(&[90]),
        starts: 5,
        finest: Mesh::Grid([240, 24]),
        uniform: &[[40, 4], [60, 6], [80, 8], [120, 12], [160, 16]],
        coarse: [40, 4],
        edges: [0.005, 0.25],
        errors: &[(1.3, Some([3.5, 5.0]))],
    },
    Case {
        name: "swing from one edge",
        size: [1.0, 1.0],
        cloth: "material = \"cotton\"",
        rest: "[[cloth.pin]]\nwhere = { material_box = [[0.0, 1.0], [1.0, 1.0]] }",
        settings: "substeps = 4",
        place: [0.0, 0.0, 0.0],
        turn: -90.0,
        slit: None,
        measure: Measure::Points(&[8, 16, 24, 32, 40]),
        starts: 5,
        finest: Mesh::Grid([96, 96]),
        uniform: &[[8, 8], [12, 12], [16, 16], [24, 24], [32, 32], [48, 48]],
        coarse: [8, 8],
        edges: [0.005, 0.25],
        errors: &[(4.0, Some([2.5, 2.0])), (2.0, Some([5.0, 4.0])), (1.0, Some([5.0, 3.0]))],
    },
    // Damped, as the strip is: else it comes to rest where friction happens to catch it.
    Case {
        name: "sheet laid over a capsule",
        size: [1.0, 1.0],
        cloth: "material = \"cotton\"",
        rest: "[[obstacle]]\nshape = { capsule = { radius = 0.15, half_length = 0.6 } }\n\
               place = { translate = [0.0, -0.151, 0.0], rotate_deg = [0, 0, 90] }\n\
               friction = { static = 0.5, kinetic = 0.4 }",
        settings: "velocity_damping = 4.0",
        place: [-0.5, 0.001, 0.5],
        turn: -90.0,
        slit: None,
        measure: Measure::Points(&[90]),
        starts: 5,
        finest: Mesh::Grid([96, 96]),
        uniform: &[[16, 16], [24, 24], [32, 32], [48, 48]],
        coarse: [8, 8],
        edges: [0.005, 0.25],
        errors: &[(4.0, Some([2.0, 2.5])), (2.0, Some([1.8, 2.3]))],
    },
    // Slow and damped, so that the shape is that of the moment. What a uniform mesh lacks it lacks around the ball.
    Case {
        name: "ball pressed into a sheet",
        size: [2.0, 2.0],
        cloth: "material = \"cotton\"",
        rest: "[[cloth.pin]]\nwhere = { boundary = true }\n\
               [[obstacle]]\nshape = { sphere = { radius = 0.05 } }\nfriction = { static = 0.5, kinetic = 0.4 }\n\
               place = { translate = [0.0, 0.052, 0.0] }\n\
               motion = [{ t = 0.0 }, { t = 0.75, translate = [0.0, -0.102, 0.0] }]",
        settings: "velocity_damping = 4.0",
        place: [-1.0, 0.0, 1.0],
        turn: -90.0,
        slit: None,
        measure: Measure::Points(&[60]),
        starts: 1,
        finest: Mesh::Graded { smallest: 0.006, factor: 1.08, largest: 0.045 },
        uniform: &[[16, 16], [24, 24], [32, 32], [48, 48], [64, 64], [96, 96], [128, 128]],
        coarse: [8, 8],
        edges: [0.005, 0.5],
        errors: &[(4.0, Some([1.6, 1.2])), (2.0, Some([5.5, 3.5])), (1.0, Some([9.0, 5.5]))],
    },
    // Wedged open from one side, so that the tear grows with the pull and stops with it. Wedged open from both sides alike it
    // stays half-way up, where uniform meshes have edges that would otherwise lead it elsewhere. Finer ones than these err no
    // less: what is left are single edges.
    Case {
        name: "torn sheet",
        size: [0.9, 0.6],
        cloth: "material = \"gauze\"",
        rest: "[[cloth.pin]]\nwhere = { material_box = [[0.0, 0.0], [0.9, 0.0]] }\n\
               motion = [{ t = 0.0 }, { t = 1.2, translate = [0.0, -0.034, 0.0], rotate_deg = [0.0, 0.0, 4.3] }]\n\
               [[cloth.pin]]\nwhere = { material_box = [[0.0, 0.6], [0.9, 0.6]] }\n\
               motion = [{ t = 0.0 }, { t = 1.2, translate = [0.0, 0.034, 0.0], rotate_deg = [0.0, 0.0, -4.3] }]\n\
               [materials.gauze]\ndensity = 0.15\nthickness = 0.0005\nstretch = [1500.0, 1500.0]\npoisson = 0.3\n\
               bend = [2e-5, 2e-5]\nstretch_damping = 0.002\ntear_strength = 150.0\ntear_length = 0.02",
        settings: "gravity = [0.0, 0.0, 0.0]\nvelocity_damping = 4.0",
        place: [0.0, 0.0, 0.0],
        turn: 0.0,
        slit: Some(Slit { length: 0.2, gap: 0.006 }),
        measure: Measure::Tears(72),
        starts: 1,
        finest: Mesh::Grid([108, 72]),
        uniform: &[[18, 12], [36, 24], [54, 36], [72, 48]],
        coarse: [18, 12],
        edges: [0.01, 0.1],
        errors: &[(5.0, Some([2.0, 2.5]))],
    },
    // Turned by 60° altogether: it wrinkles along its length, finer than any of the meshes can show.
    Case {
        name: "twisted sheet",
        size: [1.0, 0.5],
        cloth: "material = \"cotton\"",
        rest: "[[cloth.pin]]\nwhere = { material_box = [[0.0, 0.0], [0.0, 0.5]] }\n\
               motion = [{ t = 0.0 }, { t = 1.0, rotate_deg = [30.0, 0.0, 0.0] }]\n\
               [[cloth.pin]]\nwhere = { material_box = [[1.0, 0.0], [1.0, 0.5]] }\n\
               motion = [{ t = 0.0 }, { t = 1.0, rotate_deg = [-30.0, 0.0, 0.0] }]",
        settings: "gravity = [0.0, 0.0, 0.0]\nvelocity_damping = 4.0",
        place: [-0.5, -0.25, 0.0],
        turn: 0.0,
        slit: None,
        measure: Measure::Mean([81, 90], elastic_energy),
        starts: 3,
        finest: Mesh::Grid([128, 64]),
        uniform: &[[16, 8], [32, 16], [48, 24], [64, 32], [96, 48]],
        coarse: [8, 4],
        edges: [0.005, 0.25],
        errors: &[(8.0, Some([2.8, 1.2])), (4.0, Some([2.0, 1.5]))],
    },
    // Silk has folds that are finer than all of these meshes: compared is how many of them are there.
    Case {
        name: "flag in the wind",
        size: [1.2, 0.8],
        cloth: "material = \"silk\"",
        rest: "[[cloth.pin]]\nwhere = { material_box = [[0.0, 0.0], [0.0, 0.8]] }\n[air]\nwind = [8.0, 0.0, 1.5]",
        settings: "",
        place: [0.0, 0.0, 0.0],
        turn: 0.0,
        slit: None,
        measure: Measure::Mean([45, 90], bend_energy),
        starts: 3,
        finest: Mesh::Grid([48, 32]),
        uniform: &[[12, 8], [18, 12], [24, 16], [36, 24]],
        coarse: [12, 8],
        edges: [0.015, 0.2],
        errors: &[(10.0, None)],
    },
    // Many shapes are at rest, and the pattern of the triangles decides among them. Means differ by a few percent from one
    // pattern to another, whatever the size of the cells.
    Case {
        name: "sheet on a ball",
        size: [1.0, 1.0],
        cloth: "material = { density = 0.3, stretch = [3000.0, 3000.0], poisson = 0.3, bend = [4e-4, 4e-4] }",
        rest: "[[obstacle]]\nshape = { sphere = { radius = 0.2 } }\nplace = { translate = [0.0, -0.201, 0.0] }\n\
               friction = { static = 0.5, kinetic = 0.4 }",
        settings: "velocity_damping = 4.0",
        place: [-0.5, 0.001, 0.5],
        turn: -90.0,
        slit: None,
        measure: Measure::Mean([86, 90], gravity_energy),
        starts: 3,
        finest: Mesh::Grid([64, 64]),
        uniform: &[[12, 12], [16, 16], [24, 24], [32, 32], [48, 48]],
        coarse: [10, 10],
        edges: [0.016, 0.2],
        errors: &[(4.0, None)],
    },
];
