//! Conditions on a description, besides meshes that are surfaces.

use crate::derive::volumes::split;
use crate::model::description::{
    ACCURACY_RANGE, Air, ClothDescription, EnclosedDescription, Mode, PinDescription, SimulationSettings,
    SolverChoice, TimeIntegration, WorldDescription, knows_rest_curvature,
};
use crate::model::error::BuildError;
use glam::DVec3;
use taffeta_core::{TriangleMesh, VertexIndex};
use taffeta_solve::block::EnclosedVolume;
use taffeta_solve::{BendingModel, Compression, Material, MembraneModel, MembraneScaling};

/// Refuses names that two bodies, two obstacles or two pins have. Obstacles and pins may have none.
fn check_names(description: &WorldDescription) -> Result<(), BuildError> {
    let WorldDescription { cloths, loose, ropes, solids, obstacles, mesh_obstacles, .. } = description;
    let cloth = cloths.iter().map(|body| ("cloth", &body.name, &body.pins));
    let loose = loose.iter().map(|body| ("body", &body.name, &body.pins));
    let rope = ropes.iter().map(|body| ("rope", &body.name, &body.pins));
    let solid = solids.iter().map(|body| ("solid", &body.name, &body.pins));
    let bodies: Vec<_> = cloth.chain(loose).chain(rope).chain(solid).collect();
    let closed = obstacles.iter().map(|obstacle| &obstacle.name);
    let meshes = mesh_obstacles.iter().map(|mesh| &mesh.name);
    let obstacles = closed.chain(meshes).map(|name| ("obstacle", name));
    let pins = bodies.iter().flat_map(|(_, _, pins)| pins.iter().map(|pin| ("pin", &pin.name)));
    find_second(bodies.iter().map(|(kind, name, _)| (*kind, *name)))
        .or_else(|| find_second(obstacles))
        .or_else(|| find_second(pins))
        .map_or(Ok(()), |what| {
            Err(BuildError::BadSetting { what, reason: "an earlier one has that name already".into() })
        })
}

/// The first that has the name of an earlier one, in words. No names are never the same.
fn find_second<'a>(list: impl Iterator<Item = (&'static str, &'a String)>) -> Option<String> {
    let mut sorted: Vec<(usize, (&str, &String))> =
        list.enumerate().filter(|(_, (_, name))| !name.is_empty()).collect();
    sorted.sort_by_key(|(_, (_, name))| *name);
    let second = |pair: &[(usize, (&'static str, &String))]| {
        let [(_, (_, a)), (number, (kind, b))] = pair else { return None };
        (a == b).then(|| (*number, format!("{kind} '{b}'")))
    };
    sorted.windows(2).filter_map(second).min().map(|(_, what)| what)
}

/// Checks everything that is not a mesh.
pub(crate) fn check_settings(description: &WorldDescription) -> Result<(), BuildError> {
    check_names(description)?;
    let refuse = |what: String, reason: String| Err(BuildError::BadSetting { what, reason });
    let SimulationSettings { substeps, iterations, gravity, velocity_damping, .. } = description.simulation;
    if substeps == Some(0) || iterations == Some(0) {
        return refuse("simulation".into(), "substeps and iterations must be at least 1".into());
    }
    if let Some(reason) = find_accuracy_defect(description.simulation.accuracy) {
        return refuse("simulation".into(), reason);
    }
    if let Some(tolerance) = description.simulation.tolerance.filter(|t| !t.is_finite() || *t <= 0.0) {
        return refuse(
            "simulation".into(),
            format!("tolerance is {tolerance}; it must be finite and above 0"),
        );
    }
    if let Some(reason) = find_gravity_defect(gravity) {
        return refuse("simulation".into(), reason);
    }
    if !velocity_damping.is_finite() || velocity_damping < 0.0 {
        let reason = format!("velocity_damping is {velocity_damping}; finite, not negative");
        return refuse("simulation".into(), reason);
    }
    if let Some(reason) = description.air.as_ref().and_then(find_air_defect) {
        return refuse("air".into(), reason);
    }
    if let Some(reason) = description.view_motion.find_defect() {
        return refuse("camera".into(), reason);
    }
    if let Some(thickness) = description.contact_thickness.filter(|t| !t.is_finite() || *t < 0.0) {
        return refuse("contact".into(), format!("the thickness is {thickness}; it must be at least 0"));
    }
    for (number, obstacle) in description.obstacles.iter().enumerate() {
        if let Some(reason) = obstacle.find_defect().or_else(|| obstacle.friction.find_defect()) {
            return refuse(format!("obstacle {number}"), reason);
        }
    }
    for (number, obstacle) in description.mesh_obstacles.iter().enumerate() {
        if let Some(reason) = obstacle.find_defect().or_else(|| obstacle.friction.find_defect()) {
            return refuse(format!("mesh obstacle {number}"), reason);
        }
    }
    if !description.mesh_obstacles.is_empty()
        && let Some(reason) = find_contact_mismatch(description)
    {
        return refuse("contact with mesh obstacles".into(), reason);
    }
    let solver = description.simulation.solver;
    if let Some(reason) = find_row_mismatch(&description.simulation) {
        return refuse("simulation".into(), reason);
    }
    if description.has_self_contact()
        && let Some(reason) = find_contact_mismatch(description)
    {
        return refuse("contact between cloths".into(), reason);
    }
    for rope in &description.ropes {
        let what = format!("rope '{}'", rope.name);
        if !solver.capabilities().ropes {
            return refuse(
                what,
                "the solver projective knows no ropes: take global, block, xpbd or pbd".into(),
            );
        }
        let has_strength = rope.pins.iter().any(|pin| pin.strength.is_some());
        if has_strength && !solver.capabilities().pin_strength {
            return refuse(what, "the solver pbd knows no forces, so its pins have no strength".into());
        }
        check_pins(&what, &rope.pins)?;
    }
    if let Some(what) = description.find_need_to_sweep()
        && let Some(reason) = find_sweep_mismatch(&description.simulation)
    {
        return refuse("simulation".into(), format!("{what}: {reason}"));
    }
    for solid in &description.solids {
        check_pins(&format!("solid '{}'", solid.name), &solid.pins)?;
    }
    for body in &description.loose {
        check_pins(&format!("body '{}'", body.name), &body.pins)?;
    }
    for cloth in &description.cloths {
        let what = format!("cloth '{}'", cloth.name);
        let defect = find_cloth_defect(cloth)
            .or_else(|| find_unknown_to_solver(cloth, solver))
            .or_else(|| find_unswept(cloth, solver))
            .or_else(|| find_spring_mismatch(cloth, solver))
            .or_else(|| find_buckling_mismatch(cloth, solver))
            .or_else(|| find_seam_mismatch(cloth, &description.simulation))
            .or_else(|| find_tear_mismatch(cloth, &description.simulation))
            .or_else(|| {
                find_unyielding(&cloth.material, cloth.bending, (solver, description.simulation.mode))
            });
        if let Some(reason) = defect {
            return refuse(what, reason);
        }
        check_pins(&what, &cloth.pins)?;
    }
    Ok(())
}

/// Describes what is wrong with gravity \[m/s²\]; `None` if it is valid.
pub(crate) fn find_gravity_defect(gravity: DVec3) -> Option<String> {
    (!gravity.is_finite()).then(|| format!("gravity is {gravity}; it must be finite"))
}

/// Describes what is wrong with the air; `None` if it is valid.
pub(crate) fn find_air_defect(air: &Air) -> Option<String> {
    let Air { density, wind, drag } = *air;
    let is_fine =
        density.is_finite() && density >= 0.0 && drag.is_finite() && drag >= 0.0 && wind.is_finite();
    if !is_fine {
        return Some(format!("density is {density}, drag {drag}, wind {wind}; finite, not negative"));
    }
    (air.is_vacuum() && wind != DVec3::ZERO)
        .then(|| format!("wind is {wind}, but density is {density} and drag {drag}: a vacuum has no wind"))
}

/// Why an accuracy cannot be asked for, in words.
pub(crate) fn find_accuracy_defect(accuracy: f64) -> Option<String> {
    let (least, most) = ACCURACY_RANGE;
    let is_in_range = (least..=most).contains(&accuracy);
    (!is_in_range).then(|| format!("accuracy is {accuracy}; it must be from {least} to {most}"))
}

/// Describes which settings solids and enclosed volumes do not go with; `None` if there are none.
fn find_sweep_mismatch(settings: &SimulationSettings) -> Option<String> {
    let name = settings.solver.name();
    if !settings.solver.capabilities().solids {
        return Some(format!("the solver {name} does not know them: take block, xpbd or projective"));
    }
    if settings.time == TimeIntegration::Sdirk2 {
        return Some("the solvers that know them use implicit Euler, not SDIRK2".into());
    }
    (settings.mode == Mode::Static)
        .then(|| "the solvers that know them follow motions and find no equilibria".into())
}

/// Checks the pins of a body.
fn check_pins(what: &str, pins: &[PinDescription]) -> Result<(), BuildError> {
    for (number, pin) in pins.iter().enumerate() {
        let holds_nothing = || "it holds nothing: at least one of its axes must be true".to_owned();
        let reason = (pin.axes == [false; 3]).then(holds_nothing);
        if let Some(reason) = reason.or_else(|| find_pin_defect(pin)) {
            return Err(BuildError::BadSetting { what: format!("{what}: pin {number}"), reason });
        }
    }
    Ok(())
}

/// Describes what is wrong with the settings of a cloth; `None` if they are valid.
fn find_cloth_defect(cloth: &ClothDescription) -> Option<String> {
    if !cloth.velocity.is_finite() || !cloth.angular_velocity.is_finite() {
        return Some("its initial velocity is not finite".into());
    }
    if let Some(Err(bad)) = cloth.remesh.map(|settings| settings.validate()) {
        return Some(bad.to_string());
    }
    if !cloth.pressure.is_finite() {
        return Some(format!("the pressure is {} Pa; it must be finite", cloth.pressure));
    }
    if let Some(force) = cloth.break_force.filter(|force| !(force.is_finite() && *force > 0.0)) {
        return Some(format!("break_force is {force} N; it must be finite and greater than 0"));
    }
    for (name, k) in [("stretch", cloth.projection.stretch), ("bend", cloth.projection.bend)] {
        if !(0.0..=1.0).contains(&k) {
            return Some(format!("its {name} stiffness as a projection is {k}; it must be from 0 to 1"));
        }
    }
    let curvature = cloth.rest_curvature;
    if !curvature.iter().all(|k| k.is_finite()) {
        return Some(format!("rest_curvature is {curvature:?} 1/m; it must be finite"));
    }
    let is_curved = curvature != [0.0; 3];
    if is_curved && cloth.mesh.material.is_none() {
        return Some(
            "rest_curvature needs material coordinates; without them a cloth is at rest as it comes".into(),
        );
    }
    if is_curved && !knows_rest_curvature(cloth.bending) {
        return Some(format!("rest_curvature means nothing to the bending model {:?}", cloth.bending));
    }
    None
}

/// Describes why contact between cloths, or with meshes, cannot be simulated; `None` if it can.
fn find_contact_mismatch(description: &WorldDescription) -> Option<String> {
    let solver = description.simulation.solver;
    (!solver.capabilities().meetings)
        .then(|| "the solver projective does not know it: take global, direct, block, xpbd or pbd".into())
}

/// Describes which simulation settings the solvers `xpbd`, `pbd` and `projective` do not support; `None` if they
/// support all.
fn find_row_mismatch(settings: &SimulationSettings) -> Option<String> {
    let name = settings.solver.name();
    if settings.solver.capabilities().second_order || settings.solver == SolverChoice::Block {
        return None;
    }
    if settings.time == TimeIntegration::Sdirk2 {
        return Some(format!("the solver {name} knows implicit Euler only, not SDIRK2"));
    }
    (settings.mode == Mode::Static)
        .then(|| format!("the solver {name} follows motions and finds no equilibria"))
}

/// Advice for a cloth whose membrane or bending a solver does not know. Scene files take those of the solver unless they name
/// others, which are refused there in their words.
fn advise_under(solver: SolverChoice) -> String {
    format!("`ClothDescription::under(SolverChoice::{solver:?})` takes what it knows")
}

/// Describes which settings of a cloth its solver does not support; `None` if it supports all.
fn find_unknown_to_solver(cloth: &ClothDescription, solver: SolverChoice) -> Option<String> {
    let (name, model) = (solver.name(), cloth.bending);
    let is_projective = solver == SolverChoice::Projective;
    if !solver.capabilities().bends_by(model) && !solver.capabilities().rows && !is_projective {
        let advice = advise_under(solver);
        return Some(format!(
            "the bending model {model:?} belongs to the solver projective, not to {name}: {advice}"
        ));
    }
    if !solver.capabilities().rows && !is_projective {
        return None;
    }
    if !solver.capabilities().bends_by(model) {
        let known = if is_projective { "MeanCurvature" } else { "Hinge" };
        let advice = advise_under(solver);
        return Some(format!("the solver {name} bends by {known} or None, not by {model:?}: {advice}"));
    }
    if cloth.rest_curvature != [0.0; 3] {
        return Some(format!("the solver {name} knows no rest curvature"));
    }
    if !solver.capabilities().pin_strength && cloth.pins.iter().any(|pin| pin.strength.is_some()) {
        return Some("the solver pbd knows no forces, so its pins have no strength".into());
    }
    if cloth.pins.iter().any(|pin| pin.clamp) {
        return Some(format!("the solver {name} knows no clamps: hold two rows of vertices instead"));
    }
    None
}

/// Describes which membrane settings of a cloth need a solver that sweeps over the membrane blocks, or are invalid;
/// `None` if none.
fn find_unswept(cloth: &ClothDescription, solver: SolverChoice) -> Option<String> {
    let name = solver.name();
    if let MembraneScaling::Fixed(area) = cloth.scaling
        && !(area.is_finite() && area > 0.0)
    {
        return Some(format!(
            "the area that its constraints are scaled with is {area} m²; it must be positive"
        ));
    }
    if solver.capabilities().membrane_forms {
        return None;
    }
    if matches!(cloth.membrane, MembraneModel::Energy | MembraneModel::EnergyPublished) {
        return Some(format!(
            "the solver {name} takes no energy as a constraint: Strain has the same energy; {}",
            advise_under(solver)
        ));
    }
    (cloth.scaling != MembraneScaling::ByArea)
        .then(|| format!("the solver {name} knows constraints that are scaled by area only"))
}

/// Describes which settings conflict with springs along edges; `None` if none do.
fn find_spring_mismatch(cloth: &ClothDescription, solver: SolverChoice) -> Option<String> {
    let name = solver.name();
    if cloth.membrane == MembraneModel::Distance && !solver.capabilities().rows {
        return Some(format!(
            "the solver {name} knows no springs along edges (Distance): take Edges, or the solver xpbd or pbd; {}",
            advise_under(solver)
        ));
    }
    if cloth.membrane == MembraneModel::Distance && cloth.scaling != MembraneScaling::ByArea {
        return Some(
            "springs along edges (Distance) are not scaled by area, so that there is nothing to change"
                .into(),
        );
    }
    cloth.break_force?;
    if !solver.capabilities().breaking || cloth.membrane != MembraneModel::Distance {
        return Some("break_force belongs to the constraint Distance under the solver xpbd".into());
    }
    cloth.remesh.map(|_| "a cloth with a break_force cannot be remeshed: its edges are what breaks".into())
}

/// Describes which settings conflict with buckling triangles; `None` if none do.
fn find_buckling_mismatch(cloth: &ClothDescription, solver: SolverChoice) -> Option<String> {
    let Compression::Buckling { factor } = cloth.compression else { return None };
    if !(factor.is_finite() && factor > 0.0) {
        return Some(format!(
            "the factor of its buckling stress is {factor}; it must be finite and greater than 0"
        ));
    }
    if !solver.capabilities().buckling {
        let name = solver.name();
        return Some(format!(
            "the solver {name} knows no buckling of triangles: take global, direct or block"
        ));
    }
    let is_strain = cloth.membrane == MembraneModel::Strain && cloth.scaling == MembraneScaling::ByArea;
    (!is_strain).then(|| "triangles that buckle need the constraint Strain, scaled by area".into())
}

/// Describes which settings conflict with the seams of a cloth; `None` if none do.
fn find_seam_mismatch(cloth: &ClothDescription, settings: &SimulationSettings) -> Option<String> {
    if cloth.seams.is_empty() {
        return None;
    }
    let name = settings.solver.name();
    if !settings.solver.capabilities().seams {
        return Some(format!("the solver {name} cannot sew its seams: take global, direct or block"));
    }
    if settings.mode == Mode::Static {
        return Some("sewing takes time, of which there is none in the search for an equilibrium".into());
    }
    let is_anisotropic = cloth.remesh.is_some_and(|settings| settings.anisotropic);
    is_anisotropic.then(|| "remeshing along folds (anisotropic) knows one chart, but it has seams".into())
}

/// Describes which settings conflict with a cloth that can tear; `None` if none do.
fn find_tear_mismatch(cloth: &ClothDescription, settings: &SimulationSettings) -> Option<String> {
    let ClothDescription { material, membrane, scaling, .. } = cloth;
    let (has_material, has_volume) = (cloth.mesh.material.is_some(), cloth.volume.is_some());
    let sheet = TearingSheet { membrane: *membrane, scaling: *scaling, has_material, has_volume };
    find_untearable(material, &sheet, (settings.solver, settings.mode))
}

/// Properties of a cloth that decide whether it can tear.
pub(crate) struct TearingSheet {
    pub membrane: MembraneModel,
    pub scaling: MembraneScaling,
    pub has_material: bool,
    pub has_volume: bool,
}

/// Why a cloth of a material that tears cannot, in words.
pub(crate) fn find_untearable(
    material: &Material,
    sheet: &TearingSheet,
    (solver, mode): (SolverChoice, Mode),
) -> Option<String> {
    material.tearing?;
    let name = solver.name();
    if !solver.capabilities().seams {
        return Some(format!(
            "under the solver {name} it cannot tear (tear_strength): take global, direct or block"
        ));
    }
    if mode == Mode::Static {
        return Some(
            "it can tear (tear_strength), which takes time, and there is none in the search for an equilibrium".into(),
        );
    }
    if !sheet.has_material {
        return Some("it can tear (tear_strength), for which it needs material coordinates".into());
    }
    if sheet.has_volume {
        return Some("it can tear (tear_strength), and could then not keep its volume".into());
    }
    let has_stress =
        matches!(sheet.membrane, MembraneModel::Strain | MembraneModel::Edges | MembraneModel::Energy);
    (!has_stress || sheet.scaling != MembraneScaling::ByArea).then(|| {
        "it can tear (tear_strength), for which its constraint must be Strain, Edges or Energy, scaled by area".into()
    })
}

/// Describes what is wrong with a pin besides what it holds; `None` if it is valid.
pub(crate) fn find_pin_defect(pin: &PinDescription) -> Option<String> {
    if let Some(release) = pin.release.filter(|t| !t.is_finite() || *t < 0.0) {
        return Some(format!("release is {release} s; it must be at least 0"));
    }
    if let Some(strength) = pin.strength.filter(|force| !force.is_finite() || *force <= 0.0) {
        return Some(format!("strength is {strength} N; it must be greater than 0"));
    }
    if let Some(leader) = &pin.follow {
        if leader.is_empty() {
            return Some("it follows an obstacle without a name: give the obstacle one".to_owned());
        }
        if !pin.motion.keys.is_empty() {
            return Some(format!(
                "it follows {leader:?}, but has a motion of its own as well: leave one out"
            ));
        }
        if pin.clamp {
            return Some(format!("it follows {leader:?} by places, and cannot clamp a direction as well"));
        }
    }
    pin.motion.find_defect()
}

/// Why a cloth of a material that yields cannot, in words.
pub(crate) fn find_unyielding(
    material: &Material,
    bending: BendingModel,
    (solver, mode): (SolverChoice, Mode),
) -> Option<String> {
    material.yield_curvature?;
    if mode == Mode::Static {
        return Some(
            "its yield_curvature makes folds that depend on the way to them, and the search for an equilibrium knows no way: \
             follow the motion"
                .into(),
        );
    }
    if !solver.capabilities().folds {
        let name = solver.name();
        return Some(format!(
            "the solver {name} knows no yield_curvature: take global, direct or block, or a material without it"
        ));
    }
    (!bending.knows_plastic_folds()).then(|| {
        format!(
            "yield_curvature means nothing to the bending model {bending:?}: take Curvature or Averaged, or a material \
             without it"
        )
    })
}

/// A component of less than this part of the 1.5th power of its area encloses nothing. A ball has 0.094.
const LEAST_VOLUME: f64 = 1e-6;

impl EnclosedDescription {
    /// Describes what is wrong with the volume; `None` if it is valid.
    pub fn find_defect(&self) -> Option<String> {
        let Self { ratio, inflation, bulk } = *self;
        if !(ratio.is_finite() && ratio > 0.0) {
            return Some(format!("the ratio of its volume is {ratio}; it must be finite and greater than 0"));
        }
        if !(inflation.is_finite() && inflation >= 0.0) {
            return Some(format!("its inflation lasts {inflation} s; it must be finite and at least 0"));
        }
        let bulk = bulk.filter(|bulk| !(bulk.is_finite() && *bulk > 0.0))?;
        Some(format!("the bulk modulus of its volume is {bulk} Pa; it must be finite and greater than 0"))
    }
}

/// Why a mesh encloses no volume, in words.
pub fn find_opening(mesh: &TriangleMesh) -> Option<String> {
    let mut sides: Vec<[u32; 2]> = Vec::with_capacity(3 * mesh.faces.len());
    for [a, b, c] in &mesh.faces {
        sides.extend([[*a, *b], [*b, *c], [*c, *a]]);
    }
    sides.sort_unstable();
    let open = sides.iter().find(|[a, b]| sides.binary_search(&[*b, *a]).is_err());
    if let Some([a, b]) = open {
        return Some(format!(
            "it is open: the edge between the vertices {a} and {b} has a face on one side only"
        ));
    }
    let corners: Vec<_> = mesh.faces.iter().map(|face| face.map(VertexIndex)).collect();
    for component in split(&corners, mesh.positions.len()) {
        let faces: Vec<_> = component.iter().map(|k| corners[*k]).collect();
        let volume = EnclosedVolume::new(&faces, 0.0);
        let x = volume.gather(&mesh.positions);
        let area = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| x[v as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        let area: f64 = volume.faces.iter().map(area).sum();
        let inside = volume.volume(&x);
        if inside.is_nan() || inside.abs() <= LEAST_VOLUME * area * area.sqrt() {
            return Some(format!(
                "it encloses no volume at time 0 ({inside:.3e} m³), of which a ratio could be kept"
            ));
        }
    }
    None
}

/// Refuses volumes of cloths that enclose none.
pub(crate) fn check_enclosed(description: &WorldDescription) -> Result<(), BuildError> {
    for cloth in &description.cloths {
        let Some(settings) = cloth.volume else { continue };
        let defect = settings.find_defect().or_else(|| find_opening(&cloth.mesh));
        let defect = defect
            .or_else(|| cloth.remesh.map(|_| "a cloth that keeps a volume cannot be remeshed".to_owned()));
        if let Some(reason) = defect {
            return Err(BuildError::BadSetting { what: format!("cloth '{}': volume", cloth.name), reason });
        }
    }
    Ok(())
}
