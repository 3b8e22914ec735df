//! Origins of the vertices of a cloth: their places on the mesh before its topology last changed.

use crate::derive::world::World;
use crate::model::state::sheet::Sheet;
use glam::DVec3;
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;
use taffeta_core::panel_point::{Nearest, nearest_on};
use taffeta_remesh::Origin;

/// See [`ClothView::origins`](crate::ClothView::origins).
pub(crate) fn find_origins(world: &World, cloth: usize) -> Vec<Origin> {
    let now = &world.state.sheet;
    let before = match &world.state.before_change {
        Some(before) if has_changed(before, now, cloth) => before,
        _ => now,
    };
    let faces = collect_faces(before, cloth);
    let origin = |i: usize| {
        let vi = VertexIndex::from_usize(i);
        let kept = before.find_vertex(now.vertex_name(vi)).and_then(|vi| corner_of(before, cloth, vi));
        kept.unwrap_or_else(|| nearest(&faces, panel_of(now, vi), now.layout[vi]))
    };
    let origins: Vec<Origin> = now.vertex_range(cloth as u32).map(origin).collect();
    let faces = before.numbering(cloth).face_numbers();
    let in_own_numbers = |Origin { face, mut weights }: Origin| {
        let (number, first) = faces[face as usize];
        weights.rotate_left(usize::from(first));
        Origin { face: number, weights }
    };
    now.numbering(cloth).sort_vertices(&origins).into_iter().map(in_own_numbers).collect()
}

fn has_changed(before: &Sheet, now: &Sheet, cloth: usize) -> bool {
    before.cloth_count() == now.cloth_count() && !now.has_same_mesh(cloth, before, cloth)
}

/// Panel and layout \[m\] of the faces of a cloth.
fn collect_faces(sheet: &Sheet, cloth: usize) -> Vec<(u32, [DVec3; 3])> {
    let range = sheet.face_range(cloth);
    let corners = sheet.topology.faces.raw[range.clone()].iter();
    let corners = corners.map(|face| face.map(|vi| sheet.layout[vi]));
    sheet.panels.raw[range].iter().copied().zip(corners).collect()
}

/// The panel of a vertex, at a seam one of those that meet there; `None`: no face is around it.
fn panel_of(sheet: &Sheet, vi: VertexIndex) -> Option<u32> {
    Some(sheet.panels[*sheet.topology.faces_around(vi).first()?])
}

/// A vertex as a corner of a face of its cloth; `None`: none is around it.
fn corner_of(sheet: &Sheet, cloth: usize, vi: VertexIndex) -> Option<Origin> {
    let first = sheet.face_range(cloth).start;
    let fi = *sheet.topology.faces_around(vi).first()?;
    let weights = sheet.topology.faces[fi].map(|corner| f64::from(u8::from(corner == vi)));
    Some(Origin { face: (fi.to_usize() - first) as u32, weights })
}

/// The point of a panel that is nearest to a point of the layout \[m\], on the first of the faces that are equally near.
/// Where panels overlap in the layout, another one may be as near.
fn nearest(faces: &[(u32, [DVec3; 3])], panel: Option<u32>, point: DVec3) -> Origin {
    let is_own = |(_, (of_face, _)): &(u32, &(u32, [DVec3; 3]))| panel.is_none_or(|panel| *of_face == panel);
    let own = (0..).zip(faces).filter(is_own);
    let places = own.map(|(face, (panel, corners))| nearest_on(face, *panel, *corners, point));
    let closer = |best: Nearest, next: Nearest| if next.distance < best.distance { next } else { best };
    let Nearest { face, weights, .. } = places.reduce(closer).expect("a panel keeps its faces");
    let weights = weights.map(|weight| weight.max(0.0));
    let sum: f64 = weights.iter().sum();
    Origin { face, weights: weights.map(|weight| weight / sum) }
}
