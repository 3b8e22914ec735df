//! Where the vertices of a cloth come from: their places on the mesh before its topology last changed.

use crate::derive::world::World;
use crate::model::sheet::Sheet;
use glam::DVec3;
use taffeta_core::VertexIndex;
use taffeta_core::geometry::closest_point_on_triangle;
use taffeta_core::index::DenseIndex;
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
        let name = now.vertex_name(VertexIndex::from_usize(i));
        let kept = before.find_vertex(name).and_then(|vi| corner_of(before, cloth, vi));
        kept.unwrap_or_else(|| nearest(&faces, now.layout.raw[i]))
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
    before.cloth_count() == now.cloth_count() && before.version(cloth) != now.version(cloth)
}

/// The layout of the faces of a cloth \[m\].
fn collect_faces(sheet: &Sheet, cloth: usize) -> Vec<[DVec3; 3]> {
    let corners = sheet.topology.faces.raw[sheet.face_range(cloth)].iter();
    corners.map(|face| face.map(|vi| sheet.layout[vi])).collect()
}

/// A vertex as a corner of a face of its cloth; `None`: none is around it.
fn corner_of(sheet: &Sheet, cloth: usize, vi: VertexIndex) -> Option<Origin> {
    let first = sheet.face_range(cloth).start;
    let fi = *sheet.topology.faces_around(vi).first()?;
    let weights = sheet.topology.faces[fi].map(|corner| f64::from(u8::from(corner == vi)));
    Some(Origin { face: (fi.to_usize() - first) as u32, weights })
}

/// The point of the faces that is nearest to a point of the layout \[m\], on the first of those that are equally near.
fn nearest(faces: &[[DVec3; 3]], point: DVec3) -> Origin {
    let place = |(face, corners): (usize, &[DVec3; 3])| {
        let weights = closest_point_on_triangle(point, *corners).map(|weight| weight.max(0.0));
        let sum: f64 = weights.iter().sum();
        let weights = weights.map(|weight| weight / sum);
        let found: DVec3 = corners.iter().zip(weights).map(|(x, w)| *x * w).sum();
        (found.distance_squared(point), Origin { face: face as u32, weights })
    };
    let closer = |best: (f64, Origin), next: (f64, Origin)| if next.0 < best.0 { next } else { best };
    let found = faces.iter().enumerate().map(place).reduce(closer);
    found.expect("a cloth has faces").1
}
