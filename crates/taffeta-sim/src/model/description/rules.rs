//! Rules for what does not go together, listed once: solvers, modes and features.
//!
//! Each rule names the key of a scene at which it fails. Building a world refuses the first mismatch of a part. A reader of
//! scenes reports all of them, each at its line.

use crate::model::description::capabilities::{BENDINGS, MEMBRANES};
use crate::model::description::{
    ClothDescription, Mode, PinDescription, SimulationSettings, SolverChoice, TimeIntegration,
    knows_rest_curvature,
};
use taffeta_solve::{BendingModel, Compression, MembraneModel, MembraneScaling};

/// Two settings that do not go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Key of the one that is refused, as a path in the table of its part.
    pub key: String,
    /// The rest of a sentence that begins with the key.
    pub reason: String,
    /// Settings that go together.
    pub help: String,
}

impl Mismatch {
    fn new(key: impl Into<String>, reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self { key: key.into(), reason: reason.into(), help: help.into() }
    }

    /// The sentence, for the key at a path.
    pub fn sentence(&self, path: &str) -> String {
        let gap = if self.reason.starts_with(':') { "" } else { " " };
        format!("`{path}`{gap}{}", self.reason)
    }

    /// Sentence and help.
    pub fn describe(&self) -> String {
        format!("{}; {}", self.sentence(&self.key), self.help)
    }
}

/// A cloth under the settings of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct ClothCase<'a> {
    /// The cloth. Its mesh may be missing.
    pub cloth: &'a ClothDescription,
    /// The settings.
    pub settings: &'a SimulationSettings,
    /// Key of what is sewn; `None`: nothing.
    pub sewn: Option<&'a str>,
    /// True if it has material coordinates, or may have some.
    pub has_material: bool,
}

impl ClothCase<'_> {
    fn solver(&self) -> SolverChoice {
        self.settings.solver
    }

    fn name(&self) -> &'static str {
        self.settings.solver.name()
    }

    /// Everything that does not go together, besides pins.
    pub fn mismatches(&self) -> impl Iterator<Item = Mismatch> {
        CLOTH_RULES.iter().filter_map(|rule| rule(self))
    }
}

const NEWTON_OR_BLOCK: &str = "solver = \"global\", \"direct\" or \"block\"";
const OF_NEWTON_AND_BLOCK: &str = "it belongs to solver = \"block\", \"global\" or \"direct\"";
const DYNAMIC: &str = "mode = \"dynamic\"";
const LEAVE_ONE: &str = "leave one of them out";

/// The rules for a cloth.
const CLOTH_RULES: &[fn(&ClothCase<'_>) -> Option<Mismatch>] = &[
    energy_needs_sweeps,
    springs_need_rows,
    scaling_needs_sweeps,
    buckling_needs_stress,
    breaking_needs_springs,
    bending_belongs_to_a_solver,
    rest_curvature_needs_a_model,
    volumes_keep_their_mesh,
    charts_have_no_seams,
    folds_need_motion_and_curvature,
    tears_need_motion_and_stress,
    sewing_needs_motion,
];

fn energy_needs_sweeps(case: &ClothCase<'_>) -> Option<Mismatch> {
    let membrane = case.cloth.membrane;
    let is_energy = matches!(membrane, MembraneModel::Energy | MembraneModel::EnergyPublished);
    let instead = match membrane {
        MembraneModel::EnergyPublished => "",
        _ => "constraint = \"strain\" has the same energy; ",
    };
    let what = format!("is {:?}", word(MEMBRANES, membrane));
    (is_energy && !case.solver().capabilities().membrane_forms)
        .then(|| unswept("constraint", &what, instead, case.solver()))
}

fn scaling_needs_sweeps(case: &ClothCase<'_>) -> Option<Mismatch> {
    if case.cloth.scaling == MembraneScaling::ByArea {
        return None;
    }
    if case.cloth.membrane == MembraneModel::Distance {
        let reason = "is false, but springs along edges (\"distance\") are not scaled by area";
        return Some(Mismatch::new("scaling", reason, LEAVE_ONE));
    }
    (!case.solver().capabilities().membrane_forms).then(|| unswept("scaling", "is false", "", case.solver()))
}

/// A setting that only solvers know which sweep over the membrane blocks.
fn unswept(key: &str, what: &str, instead: &str, solver: SolverChoice) -> Mismatch {
    let reason = match solver {
        SolverChoice::Pbd => "keeps lengths and knows no compliance",
        SolverChoice::Projective => "projects strains or lengths",
        _ => "solves for the energy of the strain itself",
    };
    Mismatch::new(
        key,
        format!("{what}, but the solver {:?} {reason}", solver.name()),
        format!("{instead}it belongs to solver = \"block\" or \"xpbd\""),
    )
}

fn springs_need_rows(case: &ClothCase<'_>) -> Option<Mismatch> {
    let is_unknown = case.cloth.membrane == MembraneModel::Distance && !case.solver().capabilities().rows;
    is_unknown.then(|| {
        Mismatch::new(
            "constraint",
            format!(
                "is \"distance\", one scalar row per edge, but the solver {:?} takes faces as a whole",
                case.name()
            ),
            "constraint = \"edges\" or \"strain\", or solver = \"xpbd\" or \"pbd\"",
        )
    })
}

fn buckling_needs_stress(case: &ClothCase<'_>) -> Option<Mismatch> {
    if case.cloth.compression == Compression::Full {
        return None;
    }
    let refuse =
        |reason: &str, help: &str| Some(Mismatch::new("buckling", format!("is given, but {reason}"), help));
    if !case.solver().capabilities().buckling {
        let reason = format!("the solver {:?} has no stress that it could bound", case.name());
        return refuse(&reason, NEWTON_OR_BLOCK);
    }
    if case.cloth.membrane != MembraneModel::Strain {
        let reason = format!("`constraint` is {:?}", word(MEMBRANES, case.cloth.membrane));
        return refuse(&reason, "constraint = \"strain\"");
    }
    match case.cloth.scaling {
        MembraneScaling::ByArea => None,
        MembraneScaling::Fixed(_) => refuse("`scaling` is false", LEAVE_ONE),
    }
}

fn breaking_needs_springs(case: &ClothCase<'_>) -> Option<Mismatch> {
    case.cloth.break_force?;
    let refuse = |reason: String, help: &'static str| Some(Mismatch::new("break_force", reason, help));
    if !case.solver().capabilities().breaking {
        let reason = format!("is not known to the solver {:?}: its edges have no force", case.name());
        return refuse(reason, "solver = \"xpbd\" with constraint = \"distance\"");
    }
    if case.cloth.membrane != MembraneModel::Distance {
        let reason = "needs one row per edge, but `constraint` is not \"distance\"";
        return refuse(reason.into(), "constraint = \"distance\"");
    }
    let reason = "and `remesh` exclude each other: the edges that break are those of the mesh";
    case.cloth.remesh.and_then(|_| refuse(reason.into(), LEAVE_ONE))
}

fn bending_belongs_to_a_solver(case: &ClothCase<'_>) -> Option<Mismatch> {
    let (model, solver) = (case.cloth.bending, case.solver());
    if solver.capabilities().bends_by(model) {
        return None;
    }
    let own = solver.default_bending();
    if own == BendingModel::default() {
        let reason = format!("is {:?}, which belongs to projective dynamics", word(BENDINGS, model));
        let help = "bending = \"curvature\", or solver = \"projective\"";
        return Some(Mismatch::new("bending", reason, help));
    }
    let kind = if own == BendingModel::Hinge { "hinges" } else { "the mean curvature at vertices" };
    let (model, name, own) = (word(BENDINGS, model), case.name(), word(BENDINGS, own));
    Some(Mismatch::new(
        "bending",
        format!("is {model:?}, but the solver {name:?} bends by {kind} only"),
        format!("bending = {own:?} or \"none\", or solver = \"block\", \"global\" or \"direct\""),
    ))
}

fn rest_curvature_needs_a_model(case: &ClothCase<'_>) -> Option<Mismatch> {
    let ClothDescription { rest_curvature, bending, .. } = case.cloth;
    if *rest_curvature == [0.0; 3] {
        return None;
    }
    if !case.solver().capabilities().rest_curvature {
        let reason = format!("means nothing to the solver {:?}", case.name());
        return Some(Mismatch::new("rest_curvature", reason, OF_NEWTON_AND_BLOCK));
    }
    let reason = || format!("means nothing to the bending model {:?}", word(BENDINGS, *bending));
    (!knows_rest_curvature(*bending))
        .then(|| Mismatch::new("rest_curvature", reason(), "for example bending = \"curvature\""))
}

fn volumes_keep_their_mesh(case: &ClothCase<'_>) -> Option<Mismatch> {
    let reason = "and `remesh` exclude each other: a closed cloth keeps its mesh";
    let has_both = case.cloth.volume.is_some() && case.cloth.remesh.is_some();
    has_both.then(|| Mismatch::new("volume", reason, LEAVE_ONE))
}

fn charts_have_no_seams(case: &ClothCase<'_>) -> Option<Mismatch> {
    case.sewn?;
    let reason = "knows one chart, but a cloth that is sewn has seams";
    let is_anisotropic = case.cloth.remesh.is_some_and(|remesh| remesh.anisotropic);
    is_anisotropic.then(|| Mismatch::new("remesh.anisotropic", reason, "leave it out"))
}

fn folds_need_motion_and_curvature(case: &ClothCase<'_>) -> Option<Mismatch> {
    case.cloth.material.yield_curvature?;
    let refuse = |reason: &str, help: &str| {
        Some(Mismatch::new("material", format!("has a yield_curvature, which {reason}"), help))
    };
    if case.settings.mode == Mode::Static {
        let reason = "makes folds that depend on the way to them; the search for an equilibrium knows no way";
        return refuse(reason, "mode = \"dynamic\", or a material without it");
    }
    if !case.solver().capabilities().folds {
        let reason = format!("the solver {:?} does not know", case.name());
        return refuse(&reason, &format!("{NEWTON_OR_BLOCK}, or a material without it"));
    }
    let bending = case.cloth.bending;
    if bending.knows_plastic_folds() {
        return None;
    }
    let reason = format!("means nothing to the bending model {:?}", word(BENDINGS, bending));
    refuse(&reason, "bending = \"curvature\", or a material without it")
}

fn tears_need_motion_and_stress(case: &ClothCase<'_>) -> Option<Mismatch> {
    case.cloth.material.tearing?;
    let refuse = |reason: &str, help: &str| {
        Some(Mismatch::new("material", format!("can tear (`tear_strength`), but {reason}"), help))
    };
    if !case.solver().capabilities().seams {
        return refuse(&format!("the solver {:?} cannot", case.name()), NEWTON_OR_BLOCK);
    }
    if case.settings.mode == Mode::Static {
        return refuse("in mode \"static\" no time passes in which it could", DYNAMIC);
    }
    if case.settings.time == TimeIntegration::TrBdf2 {
        // The stress waves of each cut would tear the cloth elsewhere.
        let help = "time = \"auto\": then TR-BDF2 still integrates all bodies that cannot touch it";
        return refuse("`time` is \"tr_bdf2\", and cloth that tears is integrated by implicit Euler", help);
    }
    if !case.has_material {
        return refuse("the mesh has no material coordinates", "give the mesh some (`vt` in OBJ files)");
    }
    if case.cloth.volume.is_some() {
        return refuse("`volume` is of closed cloths", LEAVE_ONE);
    }
    let has_stress =
        matches!(case.cloth.membrane, MembraneModel::Strain | MembraneModel::Edges | MembraneModel::Energy);
    if !has_stress {
        return refuse("its `constraint` has no stress", "constraint = \"strain\"");
    }
    match case.cloth.scaling {
        MembraneScaling::ByArea => None,
        MembraneScaling::Fixed(_) => refuse("`scaling` is false", LEAVE_ONE),
    }
}

fn sewing_needs_motion(case: &ClothCase<'_>) -> Option<Mismatch> {
    let key = case.sewn?;
    if !case.solver().capabilities().seams {
        let reason = format!(": the solver {:?} cannot sew", case.name());
        return Some(Mismatch::new(key, reason, format!("take {NEWTON_OR_BLOCK}")));
    }
    let reason = ": sewing takes time, of which there is none in a static scene";
    (case.settings.mode == Mode::Static).then(|| Mismatch::new(key, reason, DYNAMIC))
}

/// Mismatch of the force at which a pin lets go with a solver.
pub fn strength_mismatch(pin: &PinDescription, solver: SolverChoice) -> Option<Mismatch> {
    pin.strength.filter(|_| !solver.capabilities().pin_strength)?;
    Some(Mismatch::new(
        "strength",
        format!("is a force, but the solver {:?} knows no forces", solver.name()),
        "let go at a time with `release`, or take another solver, for example \"xpbd\"",
    ))
}

/// Mismatch of a pin of a cloth that holds its direction with a solver.
pub fn clamp_mismatch(pin: &PinDescription, solver: SolverChoice) -> Option<Mismatch> {
    let reason = || format!("means nothing to the solver {:?}, which knows no clamps", solver.name());
    let help = format!("{OF_NEWTON_AND_BLOCK}; or hold two rows of vertices instead");
    (pin.clamp && !solver.capabilities().clamps).then(|| Mismatch::new("clamp", reason(), help))
}

/// Mismatches of the solver with time integration and mode.
pub fn simulation_mismatches(settings: &SimulationSettings) -> Vec<Mismatch> {
    let knows = settings.solver.capabilities();
    let name = settings.solver.name();
    let others = "solver = \"global\" or \"direct\"";
    let mut found = Vec::new();
    if settings.time == TimeIntegration::TrBdf2 && !knows.second_order {
        found.push(Mismatch::new(
            "time",
            format!("is \"tr_bdf2\", but the solver is {name:?}, which knows implicit Euler only"),
            format!("TR-BDF2 belongs to the global and direct solvers: {others}, or time = \"euler\""),
        ));
    }
    if settings.time == TimeIntegration::TrBdf2 && settings.mode == Mode::Static && knows.equilibria {
        let reason = "is \"tr_bdf2\", but in mode \"static\" no time passes";
        found.push(Mismatch::new("time", reason.to_owned(), "time = \"auto\", or mode = \"dynamic\""));
    }
    if settings.mode == Mode::Static && !knows.equilibria {
        found.push(Mismatch::new(
            "mode",
            format!("is \"static\", but the solver is {name:?}, which follows motions only"),
            format!("equilibria belong to the global and direct solvers: {others}"),
        ));
    }
    found
}

/// Mismatch of a solver with solids, of which `key` is one.
pub fn solid_mismatch(solver: SolverChoice, key: &str) -> Option<Mismatch> {
    let reason = format!("is {:?}, which does not know solids (`{key}`)", solver.name());
    let help = "solver = \"auto\" or any other than \"pbd\"";
    (!solver.capabilities().solids).then(|| Mismatch::new("solver", reason, help))
}

/// Mismatches of the simulation with volumes of closed cloths, of which `key` is one: only solvers know them which sweep.
pub fn volume_mismatches(settings: &SimulationSettings, key: &str) -> Vec<Mismatch> {
    let (name, what) = (settings.solver.name(), "volumes of closed cloths");
    let mut found = Vec::new();
    if !settings.solver.capabilities().volumes {
        let help = "solver = \"block\", \"xpbd\" or \"projective\", or \"auto\", which takes \"block\"; \
                    `pressure` instead of `volume` goes with other solvers";
        found.push(Mismatch::new(
            "solver",
            format!("is {name:?}, which does not know {what} (`{key}`)"),
            help,
        ));
    }
    // The others do not go with the solver that is named.
    if settings.solver != SolverChoice::Auto {
        return found;
    }
    if settings.time == TimeIntegration::TrBdf2 {
        let reason = format!("is \"tr_bdf2\", but the solvers that know {what} use implicit Euler");
        found.push(Mismatch::new("time", reason, "time = \"euler\" or \"auto\""));
    }
    if settings.mode == Mode::Static {
        found.push(Mismatch::new(
            "mode",
            format!("is \"static\", but the solvers that know {what} (`{key}`) follow motions only"),
            "mode = \"dynamic\" with damping in the material and some seconds of time",
        ));
    }
    found
}

/// Mismatch of a solver with contact between bodies, or with meshes.
pub fn meeting_mismatch(solver: SolverChoice, key: &str, what: &str) -> Option<Mismatch> {
    let reason = format!(": the solver {:?} does not know {what}", solver.name());
    let help = "take global, direct, block, xpbd or pbd";
    (!solver.capabilities().meetings).then(|| Mismatch::new(key, reason, help))
}

/// Mismatch of the simulation with an obstacle that moves by itself, or with a largest force; `key` says so.
pub fn freedom_mismatch(settings: &SimulationSettings, key: &str) -> Option<Mismatch> {
    let solver = settings.solver;
    if !matches!(solver, SolverChoice::Auto | SolverChoice::Global) {
        let reason = format!(": the solver {:?} solves for cloths alone", solver.name());
        return Some(Mismatch::new(key, reason, "solver = \"global\", or set its pose in each step"));
    }
    (settings.mode == Mode::Static)
        .then(|| Mismatch::new(key, ": in mode \"static\" no time passes in which it could move", DYNAMIC))
}

/// Mismatch of a solver with ropes.
pub fn rope_mismatch(solver: SolverChoice) -> Option<Mismatch> {
    let help = "solver = \"global\", \"block\", \"direct\", \"xpbd\" or \"pbd\"";
    let reason = format!(": the solver {:?} knows no ropes", solver.name());
    (!solver.capabilities().ropes).then(|| Mismatch::new("rope", reason, help))
}

/// Reason why nothing can be grabbed; `None`: something can.
pub fn grab_refusal(solver: SolverChoice, mode: Mode) -> Option<&'static str> {
    match mode {
        Mode::Static => Some("the search for an equilibrium knows no grabs: pin the cloth instead"),
        Mode::Dynamic if solver.capabilities().grabs => None,
        Mode::Dynamic => Some("the solver projective knows no grabs: pin the cloth instead"),
    }
}

/// The word of a scene for a model.
fn word<T: Copy + PartialEq>(words: &[(&'static str, T)], model: T) -> &'static str {
    words.iter().find(|(_, other)| *other == model).expect("every model has a word").0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tr_bdf2_needs_motion_and_solvers_of_first_order_refuse_it_and_equilibria() {
        for (solver, knows) in crate::CAPABILITIES {
            let settings = SimulationSettings {
                solver,
                time: TimeIntegration::TrBdf2,
                mode: Mode::Static,
                ..SimulationSettings::default()
            };
            let found: Vec<String> = simulation_mismatches(&settings).into_iter().map(|m| m.key).collect();
            let expected: &[&str] = if knows.second_order { &["time"] } else { &["time", "mode"] };
            assert_eq!(found, expected, "{solver:?}");
        }
    }
}
