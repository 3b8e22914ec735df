//! Cases: every solver with all that it takes, on scenes of a few hundred vertices.

/// A golden run.
pub(super) struct Case {
    /// Its name, which is unique.
    pub name: &'static str,
    /// The file in `scenes/`.
    pub scene: &'static str,
    /// Changes to it.
    pub overrides: &'static [&'static str],
    /// Frames of 1/60 s; 0 for an equilibrium.
    pub frames: u32,
    /// True if it is saved and resumed at half time.
    pub is_resumed: bool,
}

impl Case {
    const fn new(
        name: &'static str,
        scene: &'static str,
        frames: u32,
        overrides: &'static [&'static str],
    ) -> Self {
        Self { name, scene, overrides, frames, is_resumed: false }
    }

    const fn resumed(self) -> Self {
        Self { is_resumed: true, ..self }
    }
}

const BLOCK: &str = "simulation.solver=block";
const XPBD: &str = "simulation.solver=xpbd";
const PBD: &str = "simulation.solver=pbd";
const PROJECTIVE: &str = "simulation.solver=projective";
const DIRECT: &str = "simulation.solver=direct";
const GLOBAL: &str = "simulation.solver=global";
const TEN: &str = "simulation.substeps=10";
const HINGE: &str = "cloth.0.bending=hinge";
const ADAPT: &str =
    "cloth.0.remesh={ size_min = 0.04, size_max = 0.12, refine_angle = 0.5, refine_strain = 0.1 }";
const BY_ERROR: &str =
    "cloth.0.remesh={ size_min = 0.03, size_max = 0.15, refine_error = 0.01, anisotropic = false }";
const ALONG_FOLDS: &str = "cloth.0.remesh={ size_min = 0.025, size_max = 0.15, refine_error = 0.008 }";
const ORTHOTROPIC: &str = "cloth.0.material={ density = 0.2, stretch = [900, 400], shear = 30, poisson = 0.2, bend = [8e-5, 2e-5], stretch_damping = 0.002, bend_damping = 0.005 }";

/// All golden runs.
pub(super) const CASES: &[Case] = &[
    // Every solver on one sheet.
    Case::new("swing global", "swing", 30, &[GLOBAL]),
    Case::new("swing euler", "swing", 20, &[GLOBAL, "simulation.time=euler"]),
    Case::new("swing direct", "swing", 8, &[DIRECT]),
    Case::new("swing block", "swing", 30, &[BLOCK]),
    Case::new("swing xpbd", "swing", 30, &[XPBD, TEN, HINGE]),
    Case::new("swing pbd", "swing", 30, &[PBD, HINGE]),
    Case::new("swing projective", "swing", 30, &[PROJECTIVE, "cloth.0.material.poisson=0"]),
    // Laws of the material.
    Case::new("hinge global", "swing", 15, &[GLOBAL, HINGE]),
    Case::new("averaged global", "swing", 15, &[GLOBAL, "cloth.0.bending=averaged"]),
    Case::new("quadratic block", "swing", 20, &[BLOCK, "cloth.0.bending=quadratic"]),
    Case::new("orthotropic global", "swing", 20, &[GLOBAL, ORTHOTROPIC]),
    Case::new("orthotropic block", "swing", 20, &[BLOCK, ORTHOTROPIC]),
    Case::new("edges block", "swing", 20, &[BLOCK, "cloth.0.constraint=edges"]),
    Case::new("energy xpbd", "swing", 20, &[XPBD, TEN, HINGE, "cloth.0.constraint=energy"]),
    Case::new(
        "distance pbd",
        "swing",
        20,
        &[PBD, HINGE, "cloth.0.constraint=distance", "cloth.0.stiffness=0.5"],
    ),
    // Equilibria.
    Case::new("static global", "swing", 0, &[GLOBAL, "simulation.mode=static"]),
    Case::new("static direct", "swing", 0, &[DIRECT, "simulation.mode=static"]),
    // Remeshing.
    Case::new("drape fixed", "drape", 30, &[GLOBAL]),
    Case::new("drape thresholds", "drape", 12, &[GLOBAL, ADAPT]),
    Case::new("drape thresholds, resumed", "drape", 12, &[GLOBAL, ADAPT]).resumed(),
    Case::new("drape by error", "drape", 11, &[GLOBAL, BY_ERROR]),
    Case::new("drape along folds", "drape", 11, &[GLOBAL, ALONG_FOLDS]),
    Case::new("drape block", "drape", 40, &[BLOCK, TEN, ADAPT]),
    Case::new("drape block, resumed", "drape", 40, &[BLOCK, TEN, ADAPT]).resumed(),
    Case::new("drape direct", "drape", 8, &[DIRECT]),
    Case::new("drape projective", "drape", 30, &[PROJECTIVE, "cloth.0.material.poisson=0"]),
    Case::new("drape xpbd", "drape", 30, &[XPBD, TEN, HINGE, ADAPT]),
    Case::new(
        "flight",
        "flight",
        20,
        &[GLOBAL, "cloth.0.remesh={ size_min = 0.01, size_max = 0.05, refine_error = 0.002 }"],
    ),
    Case::new(
        "flight block",
        "flight",
        20,
        &[BLOCK, "cloth.0.remesh={ size_min = 0.01, size_max = 0.05, refine_angle = 0.3 }"],
    ),
    Case::new("shell", "shell", 7, &[GLOBAL, "cloth.0.remesh={ size_min = 0.03, refine_angle = 0.4 }"]),
    Case::new(
        "shell block",
        "shell",
        15,
        &[BLOCK, TEN, "cloth.0.remesh={ size_min = 0.03, refine_angle = 0.4 }"],
    ),
    // Pins, wind.
    Case::new("pins global", "pins", 22, &[GLOBAL]),
    Case::new("pins block", "pins", 30, &[BLOCK, TEN]),
    Case::new("pins adaptive", "pins", 10, &[GLOBAL, BY_ERROR]),
    // Contact.
    Case::new("pair on a box", "pair", 9, &[GLOBAL]),
    Case::new("pair on a box, block", "pair", 11, &[BLOCK, TEN]),
    Case::new("fold", "fold", 16, &[GLOBAL]),
    Case::new("fold, resumed", "fold", 16, &[GLOBAL]).resumed(),
    Case::new("fold block", "fold", 25, &[BLOCK, TEN]),
    Case::new("body of triangles", "body", 20, &[GLOBAL]),
    Case::new("body of triangles, block", "body", 20, &[BLOCK, TEN, ADAPT]),
    // Changes of the topology, folds that stay, buckling, pressure.
    Case::new("sewn global", "sewn", 17, &[GLOBAL]),
    Case::new("sewn block", "sewn", 17, &[BLOCK, TEN]),
    Case::new(
        "torn",
        "torn",
        16,
        &[GLOBAL, "cloth.0.remesh={ size_min = 0.02, size_max = 0.1, refine_error = 0.01 }"],
    ),
    Case::new("torn on a fixed mesh", "torn", 14, &[GLOBAL]),
    Case::new("card", "card", 30, &[GLOBAL]),
    Case::new(
        "card adaptive",
        "card",
        25,
        &[GLOBAL, "cloth.0.remesh={ size_min = 0.004, size_max = 0.02, refine_angle = 0.3 }"],
    ),
    Case::new("buckling", "curtain", 30, &[GLOBAL]),
    Case::new("buckling block", "curtain", 30, &[BLOCK, TEN]),
    Case::new("pressure", "pressure", 15, &[GLOBAL]),
    Case::new("pressure block", "pressure", 20, &[BLOCK, TEN]),
    // Ropes, solids, volumes, springs.
    Case::new("rope global", "rope", 30, &[GLOBAL, "simulation.substeps=auto"]),
    Case::new("rope block", "rope", 30, &[]),
    Case::new("rope xpbd", "rope", 30, &[XPBD]),
    Case::new("solid block", "solid", 10, &[]),
    Case::new("solid xpbd", "solid", 10, &[XPBD]),
    Case::new("solid projective", "solid", 10, &[PROJECTIVE, "simulation.substeps=1"]),
    Case::new("volume block", "balloon", 10, &[]),
    Case::new("volume xpbd", "balloon", 10, &[XPBD]),
    Case::new("springs that break", "springs", 30, &[]),
];
