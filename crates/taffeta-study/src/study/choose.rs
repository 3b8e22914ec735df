//! The material points that all variants have.

use super::points::{LATTICE, PointOnCloth, StudyPoint, lattice, material_bounds, solid_lattice};
use super::{StudyError, TrackedPoint, Variant};
use glam::{DVec2, DVec3};
use taffeta_core::locate::Locator;
use taffeta_core::{PanelPoint, Placement, TriangleMesh};
use taffeta_scene::{BuiltScene, PlacedProbe, RopeProbe, SolidProbe};
use taffeta_sim::SolidLocator;

/// The lattices and probes that lie on the sheets of all variants.
pub(super) fn choose_points(
    variants: &[Variant],
    built: &[BuiltScene],
) -> Result<(Vec<StudyPoint>, Vec<TrackedPoint>), StudyError> {
    let cloth_count = built.iter().map(|scene| scene.world.cloths.len()).min().unwrap_or(0);
    let mut points: Vec<PointOnCloth> = Vec::new();
    let mut tracked = Vec::new();
    for cloth in 0..cloth_count {
        let bounds: Option<Vec<[DVec2; 2]>> =
            built.iter().map(|scene| material_bounds(&scene.world.cloths[cloth].mesh)).collect();
        let locators: Option<Vec<Locator>> =
            built.iter().map(|scene| locator_of(&scene.world.cloths[cloth].mesh)).collect();
        let (Some(bounds), Some(locators)) = (bounds, locators) else { continue };
        let common = bounds.into_iter().reduce(|[a, b], [low, high]| [a.max(low), b.min(high)]);
        let Some(common) = common.filter(|[low, high]| low.cmple(*high).all()) else { continue };
        let first = points.len();
        points.extend(common_points(&locators, common).map(|point| PointOnCloth { cloth, point }));
        let name = &built[0].world.cloths[cloth].name;
        tracked.extend(landmarks(&points, first, common, (cloth_count > 1).then_some(name)));
    }
    let probes = &built[0].probes;
    let same = |a: &PlacedProbe, b: &PlacedProbe| {
        a.name == b.name && a.cloth == b.cloth && a.point.panel == b.point.panel
    };
    let is_common =
        |probe: &&PlacedProbe| built.iter().all(|scene| scene.probes.iter().any(|other| same(other, probe)));
    let probes: Vec<&PlacedProbe> = probes.iter().filter(is_common).collect();
    if !probes.is_empty() {
        tracked.clear();
    }
    for probe in probes {
        tracked.push(TrackedPoint { name: probe.name.clone(), point: points.len() });
        points.push(PointOnCloth { cloth: probe.cloth, point: probe.point });
    }
    let mut all: Vec<StudyPoint> = points.into_iter().map(StudyPoint::OnCloth).collect();
    add_rope_points(built, &mut all, &mut tracked);
    add_solid_points(variants, built, &mut all, &mut tracked);
    if all.is_empty() { Err(StudyError::NoPoints) } else { Ok((all, tracked)) }
}

fn locator_of(mesh: &TriangleMesh) -> Option<Locator> {
    Locator::build(mesh, &mesh.panels())
}

/// The points of the lattice over a box in material space, on each of the panels that carry them in all variants.
fn common_points(locators: &[Locator], bounds: [DVec2; 2]) -> impl Iterator<Item = PanelPoint> {
    let on_panels = |material: DVec2| {
        let mut panels = locators.iter().map(|locator| locator.panels_at(material));
        let first = panels.next().unwrap_or_default();
        let common = panels.fold(first, |mut common, other| {
            common.retain(|panel| other.contains(panel));
            common
        });
        common.into_iter().map(move |panel| PanelPoint::on(panel, material))
    };
    lattice(bounds).flat_map(on_panels)
}

/// The points of the ropes that all variants have, and the probes on them.
fn add_rope_points(built: &[BuiltScene], points: &mut Vec<StudyPoint>, tracked: &mut Vec<TrackedPoint>) {
    let rope_count = built.iter().map(|scene| scene.world.ropes.len()).min().unwrap_or(0);
    let has_probes = built.iter().any(|scene| !scene.rope_probes.is_empty());
    for rope in 0..rope_count {
        let first = points.len();
        let at = |k: usize| k as f64 / (LATTICE - 1) as f64;
        points.extend((0..LATTICE).map(|k| StudyPoint::OnRope { rope, at: at(k) }));
        let name = &built[0].world.ropes[rope].name;
        let landmarks = [("first end", 0), ("middle", LATTICE / 2), ("last end", LATTICE - 1)];
        for (place, k) in landmarks.into_iter().filter(|_| !has_probes) {
            let name = if rope_count > 1 { format!("{name}, {place}") } else { place.to_owned() };
            tracked.push(TrackedPoint { name, point: first + k });
        }
    }
    let is_common = |probe: &&RopeProbe| built.iter().all(|scene| scene.rope_probes.contains(probe));
    for probe in built[0].rope_probes.iter().filter(is_common) {
        tracked.push(TrackedPoint { name: probe.name.clone(), point: points.len() });
        points.push(StudyPoint::OnRope { rope: probe.rope, at: probe.at });
    }
}

/// The points of the solids that lie in those of all variants, and the probes in them.
fn add_solid_points(
    variants: &[Variant],
    built: &[BuiltScene],
    points: &mut Vec<StudyPoint>,
    tracked: &mut Vec<TrackedPoint>,
) {
    let solid_count = built.iter().map(|scene| scene.world.solids.len()).min().unwrap_or(0);
    let is_common = |probe: &&SolidProbe| variants.iter().all(|v| v.scene.solid_probes.contains(probe));
    let probes: Vec<&SolidProbe> = variants[0].scene.solid_probes.iter().filter(is_common).collect();
    for solid in 0..solid_count {
        let each = || {
            variants.iter().map(|v| &v.scene.solids[solid]).zip(built.iter().map(|b| &b.world.solids[solid]))
        };
        let bounds = each().filter_map(|(scene, shape)| scene.bounds(&shape.positions));
        let common = bounds.reduce(|[a, b], [low, high]| [a.max(low), b.min(high)]);
        let Some(common) = common.filter(|[low, high]| low.cmple(*high).all()) else { continue };
        let locators: Vec<(Placement, SolidLocator<'_>)> = each()
            .map(|(scene, shape)| (scene.place, SolidLocator::build(&shape.positions, &shape.tetrahedra)))
            .collect();
        let in_all =
            |point: &DVec3| locators.iter().all(|(place, l)| l.find_inside(place.apply(*point)).is_some());
        let found: Vec<DVec3> = solid_lattice(common).filter(in_all).collect();
        if probes.is_empty() {
            let name = &built[0].world.solids[solid].name;
            let places = solid_landmarks(&found, common);
            tracked.extend(places.into_iter().map(|(place, number)| TrackedPoint {
                name: if solid_count > 1 { format!("{name}, {place}") } else { place.to_owned() },
                point: points.len() + number,
            }));
        }
        points.extend(found.into_iter().map(|material| StudyPoint::InSolid { solid, material }));
    }
    for probe in probes {
        tracked.push(TrackedPoint { name: probe.name.clone(), point: points.len() });
        points.push(StudyPoint::InSolid { solid: probe.solid, material: probe.point });
    }
}

/// The points nearest to the middle of a box and to those of its sides, each once.
fn solid_landmarks(points: &[DVec3], [low, high]: [DVec3; 2]) -> Vec<(&'static str, usize)> {
    let places = [
        ("middle", DVec3::ZERO),
        ("side of least x", DVec3::NEG_X),
        ("side of greatest x", DVec3::X),
        ("side of least y", DVec3::NEG_Y),
        ("side of greatest y", DVec3::Y),
        ("side of least z", DVec3::NEG_Z),
        ("side of greatest z", DVec3::Z),
    ];
    let mut found: Vec<(&'static str, usize)> = Vec::new();
    for (name, towards) in places {
        let wanted = 0.5 * (low + high + towards * (high - low));
        let distance = |number: &usize| points[*number].distance(wanted);
        let nearest = (0..points.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(point) = nearest.filter(|point| found.iter().all(|(_, other)| other != point)) {
            found.push((name, point));
        }
    }
    found
}

/// The points nearest to the corners and the middle of a box in material space, each once. Where panels overlap there is
/// one on each of them.
fn landmarks(
    points: &[PointOnCloth],
    first: usize,
    [low, high]: [DVec2; 2],
    cloth: Option<&String>,
) -> Vec<TrackedPoint> {
    let places = [
        ("lower left", DVec2::new(0.0, 0.0)),
        ("lower right", DVec2::new(1.0, 0.0)),
        ("middle", DVec2::new(0.5, 0.5)),
        ("upper left", DVec2::new(0.0, 1.0)),
        ("upper right", DVec2::new(1.0, 1.0)),
    ];
    let material = |number: usize| points[number].point.material;
    let mut found: Vec<TrackedPoint> = Vec::new();
    for (name, at) in places {
        let wanted = low + (high - low) * at;
        let distance = |number: usize| material(number).distance(wanted);
        let nearest = (first..points.len()).min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        let Some(nearest) = nearest else { continue };
        let overlap: Vec<usize> =
            (nearest..points.len()).filter(|k| material(*k) == material(nearest)).collect();
        for &point in &overlap {
            if found.iter().all(|other| other.point != point) {
                let panel = points[point].point.panel.filter(|_| overlap.len() > 1);
                let panel = panel.map_or(String::new(), |panel| format!(" of panel {panel}"));
                let cloth = cloth.map_or(String::new(), |cloth| format!("{cloth}, "));
                found.push(TrackedPoint { name: format!("{cloth}{name}{panel}"), point });
            }
        }
    }
    found
}
