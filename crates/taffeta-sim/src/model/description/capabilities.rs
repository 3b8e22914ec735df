//! Capabilities of the solvers: one table, which the simulation and readers of scenes ask.

use serde::{Deserialize, Serialize};
use taffeta_solve::{BendingModel, MembraneModel};

/// The solver that a user asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SolverChoice {
    /// The program chooses.
    #[default]
    Auto,
    /// Newton with preconditioned conjugate gradients: its cost grows linearly with the mesh.
    Global,
    /// Block updates of the multipliers, colored Gauss-Seidel.
    Block,
    /// Newton with a sparse factorization.
    Direct,
    /// Extended position-based dynamics: one scalar row at a time, with the compliance of the material.
    Xpbd,
    /// Position-based dynamics: one scalar row at a time, with a stiffness of its own instead of a material.
    Pbd,
    /// Projective dynamics: local projections and a global step with a constant, factorized matrix.
    Projective,
}

/// Action of contact under a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactLaw {
    /// On positions, after every sweep.
    Passes,
    /// As forces on the constant system, in every iteration. The few iterations find the forces of one point sooner than those
    /// of several, and the safeguard only reports.
    Forces,
    /// As one-sided springs in the equations, which carry their load by their depth.
    Equations,
}

/// Rule for the number of substeps if the scene does not give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubstepRule {
    /// The load path of the cloth: how much hangs on each line across it, and how fine the mesh is there.
    LoadPath,
    /// A frame: the substep is part of the factorized system.
    Frame,
    /// The error of the last substep: the solver converges at any step.
    Error,
}

/// Parts of a world that a solver can compute, and how it is driven.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capabilities {
    /// The solver's name in scenes.
    pub name: &'static str,
    /// Action of contact.
    pub contact: ContactLaw,
    /// Rule for the number of substeps.
    pub substeps: SubstepRule,
    /// Sweeps or iterations in each, unless the scene says how many; 0: until the error is small.
    pub iterations: u32,
    /// Bending models that it has elements for.
    pub bending: &'static [BendingModel],
    /// True if it integrates to second order (TR-BDF2); every solver knows implicit Euler.
    pub second_order: bool,
    /// True if it finds equilibria; every solver follows motions.
    pub equilibria: bool,
    /// True if it takes one scalar constraint row at a time, for example springs along edges.
    pub rows: bool,
    /// True if springs along edges may break: their force must be known.
    pub breaking: bool,
    /// True if it sweeps over membrane blocks as they are: the energy of a triangle may be the constraint, and
    /// constraints need not be scaled by area. Newton's method solves for the same energy as with strains, PBD keeps
    /// lengths, and projective dynamics projects strains or lengths.
    pub membrane_forms: bool,
    /// True if compression of triangles may be bounded. Rows are no stresses, and projections no law of a material.
    pub buckling: bool,
    /// True if cloth stiffens as it is stretched. Others have the secant stiffness of the material at any strain: a multiplier knows one
    /// compliance.
    pub stiffening: bool,
    /// True if faces may keep folds: it must bend by the curvature of faces.
    pub folds: bool,
    /// True if cloths may be curved at rest.
    pub rest_curvature: bool,
    /// True if pins may hold the direction of the sheet.
    pub clamps: bool,
    /// True if pins may have a strength: their forces must be known.
    pub pin_strength: bool,
    /// True if it knows solids. PBD has no stiffness that a modulus could be.
    pub solids: bool,
    /// True if it knows enclosed volumes, whose Hessian would be dense.
    pub volumes: bool,
    /// True if it knows ropes.
    pub ropes: bool,
    /// True if panels may be sewn, and cloth may tear.
    pub seams: bool,
    /// True if cloths may meet each other and mesh obstacles.
    pub meetings: bool,
    /// True if material points may be grabbed.
    pub grabs: bool,
    /// True if its elements store an energy that they keep, so that passes can be paid for.
    pub stored_energy: bool,
    /// Measured memory \[bytes\] per face, and per face and binary logarithm of the number of faces.
    pub memory: [f64; 2],
}

/// Words of scenes for membrane models.
pub const MEMBRANES: &[(&str, MembraneModel)] = &[
    ("strain", MembraneModel::Strain),
    ("edges", MembraneModel::Edges),
    ("energy", MembraneModel::Energy),
    ("energy_published", MembraneModel::EnergyPublished),
    ("distance", MembraneModel::Distance),
];

/// Words of scenes for bending models.
pub const BENDINGS: &[(&str, BendingModel)] = &[
    ("curvature", BendingModel::Curvature),
    ("hinge", BendingModel::Hinge),
    ("quadratic", BendingModel::Quadratic),
    ("averaged", BendingModel::Averaged),
    ("mean_curvature", BendingModel::MeanCurvature),
    ("none", BendingModel::None),
];

const BY_CURVATURE: &[BendingModel] = &[
    BendingModel::Curvature,
    BendingModel::Averaged,
    BendingModel::Hinge,
    BendingModel::Quadratic,
    BendingModel::None,
];
const BY_HINGES: &[BendingModel] = &[BendingModel::Hinge, BendingModel::None];
const BY_MEAN_CURVATURE: &[BendingModel] = &[BendingModel::MeanCurvature, BendingModel::None];
const GLOBAL: Capabilities = Capabilities {
    name: "global",
    contact: ContactLaw::Equations,
    substeps: SubstepRule::Error,
    iterations: 0,
    bending: BY_CURVATURE,
    second_order: true,
    equilibria: true,
    rows: false,
    breaking: false,
    membrane_forms: false,
    buckling: true,
    stiffening: true,
    folds: true,
    rest_curvature: true,
    clamps: true,
    pin_strength: true,
    solids: true,
    volumes: false,
    ropes: true,
    seams: true,
    meetings: true,
    grabs: true,
    stored_energy: true,
    memory: [3250.0, 0.0],
};

const BLOCK: Capabilities = Capabilities {
    name: "block",
    contact: ContactLaw::Passes,
    substeps: SubstepRule::LoadPath,
    // Two forward, two backward. With one sweep half as long substeps would be as exact, at half of the cost of elasticity, but
    // not stable.
    iterations: 4,
    second_order: false,
    equilibria: false,
    membrane_forms: true,
    stiffening: false,
    volumes: true,
    memory: [2500.0, 0.0],
    ..GLOBAL
};

const XPBD: Capabilities = Capabilities {
    name: "xpbd",
    // What the papers of XPBD and PBD call usual.
    iterations: 10,
    bending: BY_HINGES,
    rows: true,
    breaking: true,
    buckling: false,
    folds: false,
    rest_curvature: false,
    clamps: false,
    seams: false,
    memory: [2350.0, 0.0],
    ..BLOCK
};

const PBD: Capabilities = Capabilities {
    name: "pbd",
    breaking: false,
    membrane_forms: false,
    pin_strength: false,
    solids: false,
    volumes: false,
    stored_energy: false,
    ..XPBD
};

const PROJECTIVE: Capabilities = Capabilities {
    name: "projective",
    contact: ContactLaw::Forces,
    substeps: SubstepRule::Frame,
    iterations: 15,
    bending: BY_MEAN_CURVATURE,
    rows: false,
    breaking: false,
    membrane_forms: false,
    ropes: false,
    meetings: false,
    grabs: false,
    stored_energy: false,
    // The fill of a factor grows with the logarithm of its size.
    memory: [2150.0, 74.0],
    ..XPBD
};

/// The capabilities of every solver. `Auto` can do what the solver can that it then chooses: for enclosed volumes it sweeps.
pub const CAPABILITIES: [(SolverChoice, Capabilities); 7] = [
    (SolverChoice::Auto, Capabilities { name: "auto", volumes: true, ..GLOBAL }),
    (SolverChoice::Global, GLOBAL),
    (SolverChoice::Block, BLOCK),
    (SolverChoice::Direct, Capabilities { name: "direct", memory: [0.0, 1460.0], ..GLOBAL }),
    (SolverChoice::Xpbd, XPBD),
    (SolverChoice::Pbd, PBD),
    (SolverChoice::Projective, PROJECTIVE),
];

impl SolverChoice {
    /// The solver's row of [`CAPABILITIES`].
    pub fn capabilities(self) -> &'static Capabilities {
        let row = CAPABILITIES.iter().find(|(choice, _)| *choice == self);
        row.map(|(_, capabilities)| capabilities).expect("the table has every solver")
    }

    /// The name in scenes.
    pub fn name(self) -> &'static str {
        self.capabilities().name
    }

    /// The constraint of a triangle where nobody chooses one. PBD has none: it keeps the lengths of the edges.
    pub fn default_membrane(self) -> MembraneModel {
        if self == Self::Pbd { MembraneModel::Edges } else { MembraneModel::default() }
    }

    /// The bending model where nobody chooses one: that of the method, for the older ones.
    pub fn default_bending(self) -> BendingModel {
        match self {
            Self::Projective => BendingModel::MeanCurvature,
            solver if solver.capabilities().rows => BendingModel::Hinge,
            _ => BendingModel::default(),
        }
    }
}

impl Capabilities {
    /// Returns whether contact, and pressure from outside, act apart from the equations. Newton's method has both in
    /// them.
    pub fn is_local(&self) -> bool {
        self.contact != ContactLaw::Equations
    }

    /// Returns whether it bends a cloth by this model.
    pub fn bends_by(&self, model: BendingModel) -> bool {
        self.bending.contains(&model)
    }
}
