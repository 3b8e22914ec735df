//! Blocks of solids.

use crate::derive::elements::source::Source;
use taffeta_solve::block::Tetrahedron;
use taffeta_solve::drivers::projective::ProjectiveConstraints;
use taffeta_solve::{SolidBlocks, SolidMaterial};

/// The tetrahedra of all solids in dense numbers, each with its material.
fn list_tetrahedra<'a>(source: &Source<'a>) -> impl Iterator<Item = (Tetrahedron, &'a SolidMaterial)> {
    let solids = source.setup.solids.iter().zip(&source.sheet.solid_vertices);
    solids.flat_map(|(solid, numbers)| {
        solid.tetrahedra.iter().map(move |corners| {
            let vertices = corners.map(|v| numbers[v as usize]);
            let shape = Tetrahedron::new(vertices, corners.map(|v| solid.rest[v as usize]));
            (shape, &solid.material)
        })
    })
}

/// The blocks of all solids.
pub(crate) fn build_solids(source: &Source<'_>) -> SolidBlocks {
    let surfaces = source.setup.solids.iter().map(|solid| solid.cloth as u32).collect();
    let mut blocks = SolidBlocks { surfaces, ..SolidBlocks::default() };
    list_tetrahedra(source).for_each(|(shape, material)| blocks.push(&shape, material));
    blocks
}

/// Adds what projective dynamics makes of all solids.
pub(crate) fn add_projected_solids(source: &Source<'_>, constraints: &mut ProjectiveConstraints) {
    list_tetrahedra(source).for_each(|(shape, material)| constraints.push_solid(&shape, material));
}
