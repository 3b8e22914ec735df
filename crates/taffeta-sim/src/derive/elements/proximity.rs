//! Bodies that can meet, as the search for pairs sees them.

use crate::derive::elements::source::Source;
use crate::model::setup::loose::LooseBody;
use crate::model::setup::{Cloth, Setup};
use glam::DVec3;
use taffeta_contact::elements::Elements;
use taffeta_contact::proximity::{MeshBody, Proximity};
use taffeta_solve::block::Stitch;

/// Between panels that are not joined, where distances at rest matter \[m\]: more than any contact is thick.
const PANEL_DISTANCE: f64 = 1e3;

/// The cloths of a world, its other bodies and its mesh obstacles, as bodies that can meet.
pub(crate) fn build_proximity(source: Source<'_>, stitches: &[Stitch], places: &[[u32; 2]]) -> Proximity {
    let Source { setup, sheet, .. } = source;
    let Setup { cloths, bodies, .. } = setup;
    let mut elements = Elements::default();
    let faces: Vec<[u32; 3]> = sheet.topology.faces.iter().map(|face| face.map(|vi| vi.0)).collect();
    elements.add_triangles(sheet.topology.vertex_count, &faces, |i| sheet.vertex_cloths.raw[i]);
    let cloth = |cloth: &Cloth| MeshBody::cloth(cloth.surface, setup.self_contact);
    let body = |body: &LooseBody| MeshBody::cloth(body.surface, false);
    let mut meshes: Vec<MeshBody> = cloths.iter().map(cloth).chain(bodies.iter().map(body)).collect();
    let mut layout = sheet.layout.raw.clone();
    set_panels_apart(source, &mut layout);
    if !source.setup.meshes.is_empty() {
        add_loose(source, &mut elements);
    }
    for obstacle in source.setup.meshes.iter() {
        let number = meshes.len() as u32;
        // Contact is two-sided. Sorted corners give the same bits whichever way a face is turned.
        let sorted = |face: &[u32; 3]| {
            let mut face = *face;
            face.sort_unstable();
            face
        };
        let faces: Vec<[u32; 3]> = obstacle.faces.iter().map(sorted).collect();
        elements.add_triangles(obstacle.vertex_count(), &faces, |_| number);
        meshes.push(MeshBody::obstacle(obstacle.friction));
        layout.resize(elements.vertex_count, DVec3::ZERO);
    }
    let mut proximity = Proximity::new(elements, meshes, layout);
    let joint = |(stitch, [seam, _]): (&Stitch, &[u32; 2])| {
        (stitch.vertices.map(|vi| vi.0), source.setup.seams[*seam as usize].contact())
    };
    proximity.sew(stitches.iter().zip(places).map(joint));
    proximity
}

/// Panels that no seam joins may have the same material coordinates, and are no neighbors for that.
fn set_panels_apart(source: Source<'_>, layout: &mut [DVec3]) {
    let Source { setup: Setup { cloths, .. }, sheet, motion, .. } = source;
    for (fi, panel) in sheet.panels.iter_indexed().filter(|(_, panel)| **panel > 0) {
        if cloths[motion.rest.cloths[fi] as usize].has_one_chart {
            for vi in sheet.topology.faces[fi] {
                layout[vi.0 as usize].z = f64::from(*panel) * PANEL_DISTANCE;
            }
        }
    }
}

/// Adds ropes, as what meets obstacles only, and vertices that belong to nothing. The inside of a solid needs no guard.
fn add_loose(source: Source<'_>, elements: &mut Elements) {
    for (number, body) in source.setup.bodies.iter().enumerate() {
        let owner = (source.setup.cloths.len() + number) as u32;
        let range = source.sheet.vertex_range(owner);
        let visible = body.visible(range.len());
        let vertices = (range.start + visible.start) as u32..(range.start + visible.end) as u32;
        if body.rope.is_some() {
            elements.add_polyline(vertices, owner);
        } else if !source.setup.solids.iter().any(|solid| solid.body == Some(number)) {
            elements.add_points(vertices, owner);
        }
    }
}
