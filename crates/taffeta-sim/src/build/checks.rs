//! Conditions on a description, besides meshes that are surfaces.

use crate::derive::elements::volumes::split;
use crate::model::description::rules::{
    ClothCase, Mismatch, clamp_mismatch, meeting_mismatch, rope_mismatch, simulation_mismatches,
    solid_mismatch, strength_mismatch, volume_mismatches,
};
use crate::model::description::{
    ACCURACY_RANGE, Air, ClothDescription, EnclosedDescription, PinDescription, SimulationSettings,
    SolverChoice, WorldDescription,
};
use crate::model::report::error::BuildError;
use crate::model::state::rigid::find_freedom_defect;
use glam::DVec3;
use taffeta_core::{TriangleMesh, VertexIndex};
use taffeta_solve::block::EnclosedVolume;
use taffeta_solve::{Compression, MembraneScaling};

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
    let settings = &description.simulation;
    let solver = settings.solver;
    if !description.mesh_obstacles.is_empty() {
        refuse_mismatch("contact", meeting_mismatch(solver, "obstacle.shape", "contact with meshes"))?;
    }
    let solver_of_world = if description.needs_sweeps() { SolverChoice::Block } else { solver };
    for (number, obstacle) in description.obstacles.iter().enumerate() {
        if let Some(reason) = find_freedom_defect(obstacle, settings, solver_of_world) {
            return refuse(format!("obstacle {number}"), reason);
        }
    }
    refuse_mismatch("simulation", simulation_mismatches(settings).into_iter().next())?;
    if description.has_self_contact() {
        refuse_mismatch("contact", meeting_mismatch(solver, "contact.self", "contact between cloths"))?;
    }
    for rope in &description.ropes {
        let what = format!("rope '{}'", rope.name);
        let mut strengths = rope.pins.iter().filter_map(|pin| strength_mismatch(pin, solver));
        refuse_mismatch(&what, rope_mismatch(solver).or_else(|| strengths.next()))?;
        check_pins(&what, &rope.pins)?;
    }
    if description.needs_sweeps() {
        refuse_mismatch("simulation", volume_mismatches(settings, "cloth.volume").into_iter().next())?;
    }
    for solid in &description.solids {
        refuse_mismatch("simulation", solid_mismatch(solver, "solid"))?;
        check_pins(&format!("solid '{}'", solid.name), &solid.pins)?;
    }
    for body in &description.loose {
        check_pins(&format!("body '{}'", body.name), &body.pins)?;
    }
    for cloth in &description.cloths {
        let what = format!("cloth '{}'", cloth.name);
        if let Some(reason) = find_cloth_defect(cloth) {
            return refuse(what, reason);
        }
        let sewn = (!cloth.seams.is_empty()).then_some("seam");
        let has_material = cloth.mesh.material.is_some();
        let case = ClothCase { cloth, settings, sewn, has_material };
        let of_pin = |pin| strength_mismatch(pin, solver).or_else(|| clamp_mismatch(pin, solver));
        let found = case.mismatches().chain(cloth.pins.iter().filter_map(of_pin)).next();
        refuse_cloth(&what, found, solver)?;
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

/// Refuses what does not go together.
fn refuse_mismatch(what: &str, found: Option<Mismatch>) -> Result<(), BuildError> {
    found.map_or(Ok(()), |found| {
        Err(BuildError::BadSetting { what: what.to_owned(), reason: found.describe() })
    })
}

/// Refuses what does not go together in a cloth. Scene files take membrane and bending of the solver unless they name others.
fn refuse_cloth(what: &str, found: Option<Mismatch>, solver: SolverChoice) -> Result<(), BuildError> {
    let advise = |found: Mismatch| match found.key.as_str() {
        "bending" | "constraint" => Mismatch {
            help: format!(
                "{}; `ClothDescription::under(SolverChoice::{solver:?})` takes what it knows",
                found.help
            ),
            ..found
        },
        _ => found,
    };
    refuse_mismatch(what, found.map(advise))
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
    if let MembraneScaling::Fixed(area) = cloth.scaling
        && !(area.is_finite() && area > 0.0)
    {
        return Some(format!(
            "the area that its constraints are scaled with is {area} m²; it must be positive"
        ));
    }
    if let Compression::Buckling { factor } = cloth.compression
        && !(factor.is_finite() && factor > 0.0)
    {
        return Some(format!(
            "the factor of its buckling stress is {factor}; it must be finite and greater than 0"
        ));
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
    None
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
        if let Some(reason) = defect {
            return Err(BuildError::BadSetting { what: format!("cloth '{}': volume", cloth.name), reason });
        }
    }
    Ok(())
}
