//! Hems: the open edges of cloths as thin tubes, so that cloth has a thickness where it ends.

use super::body::{Body, BodyKind};
use glam::DVec3;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use taffeta_core::{TriangleMesh, math};

/// Vertices of a ring: round enough for a tube of few pixels.
const SIDES: usize = 6;

/// The hem of a cloth with a radius \[m\], with the values of the vertices along it; `None`: nothing is open.
pub(crate) fn hem(body: &Body, radius: f64) -> Option<Body> {
    if !matches!(body.kind, BodyKind::Cloth { .. }) {
        return None;
    }
    let mut mesh = TriangleMesh::default();
    let mut values = Vec::new();
    for chain in open_chains(&body.mesh.faces) {
        add_tube(&mut mesh, &body.mesh.positions, &chain, radius);
        if let Some(own) = &body.values {
            values.extend(chain.iter().flat_map(|v| [own[*v as usize]; SIDES]));
        }
    }
    let is_colored = body.values.is_some();
    (!mesh.faces.is_empty())
        .then(|| Body { values: is_colored.then_some(values), ..Body::new(mesh, body.kind) })
}

/// The vertices along each open boundary, in its direction. One that is closed ends with its first vertex.
fn open_chains(faces: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut sides: Vec<[u32; 2]> =
        faces.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]).collect();
    sides.sort_unstable();
    let is_open = |[a, b]: &[u32; 2]| sides.binary_search(&[*b, *a]).is_err();
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for [a, b] in sides.iter().filter(|side| is_open(side)) {
        next.entry(*a).or_default().push(*b);
    }
    let mut chains = Vec::new();
    while let Some((first, _)) = next.iter().find(|(_, ends)| !ends.is_empty()) {
        let mut chain = vec![*first];
        while let Some(v) = next.get_mut(&chain[chain.len() - 1]).and_then(Vec::pop) {
            chain.push(v);
        }
        next.retain(|_, ends| !ends.is_empty());
        chains.push(chain);
    }
    chains
}

/// Adds a tube along a chain of points, with a ring at each.
fn add_tube(mesh: &mut TriangleMesh, positions: &[DVec3], chain: &[u32], radius: f64) {
    let point = |k: usize| positions[chain[k] as usize];
    let last = chain.len() - 1;
    let is_ring = chain[0] == chain[last];
    let first = mesh.positions.len();
    let mut side = DVec3::Y;
    for k in 0..=last {
        let before = if k > 0 { k - 1 } else { if is_ring { last - 1 } else { 0 } };
        let after = if k < last { k + 1 } else { if is_ring { 1 } else { last } };
        let along = (point(after) - point(before)).normalize_or(DVec3::X);
        // Carried along without twist. At a right angle it may come to lie along the chain: what is left of it is round-off.
        let rest = side.reject_from_normalized(along);
        side = if rest.length() > 0.1 { rest.normalize() } else { along.any_orthonormal_vector() };
        let other = along.cross(side);
        for corner in 0..SIDES {
            let (sin, cos) = math::sin_cos(TAU * corner as f64 / SIDES as f64);
            mesh.positions.push(point(k) + (side * cos + other * sin) * radius);
        }
    }
    let at = |k: usize, corner: usize| (first + k * SIDES + corner % SIDES) as u32;
    for (k, corner) in (0..last).flat_map(|k| (0..SIDES).map(move |corner| (k, corner))) {
        mesh.faces.push([at(k, corner), at(k, corner + 1), at(k + 1, corner)]);
        mesh.faces.push([at(k + 1, corner), at(k, corner + 1), at(k + 1, corner + 1)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hem_goes_around_what_is_open_at_its_radius() {
        // A square of four triangles around its middle.
        let positions =
            vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y, DVec3::new(0.5, 0.5, 0.0)];
        let faces = vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
        let mesh = TriangleMesh { positions, faces, material: None };
        assert_eq!(open_chains(&mesh.faces), [[0, 1, 2, 3, 0]]);
        let values = Some(vec![1.0, 2.0, 3.0, 4.0, 9.0]);
        let cloth = Body { values, ..Body::new(mesh.clone(), BodyKind::Cloth { index: 0 }) };
        let around = hem(&cloth, 0.01).unwrap();
        assert_eq!((around.mesh.positions.len(), around.mesh.faces.len()), (5 * SIDES, 8 * SIDES));
        let values = around.values.unwrap();
        for (k, corner) in [0, 1, 2, 3, 0].into_iter().enumerate() {
            let ring = k * SIDES..(k + 1) * SIDES;
            let aways =
                around.mesh.positions[ring.clone()].iter().map(|x| x.distance(mesh.positions[corner]));
            assert!(aways.into_iter().all(|away| (away - 0.01).abs() < 1e-14));
            assert_eq!(values[ring], [[1.0, 2.0, 3.0, 4.0][corner]; SIDES]);
        }
        assert!(hem(&Body::new(mesh, BodyKind::Obstacle), 0.01).is_none());
        let closed = vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
        assert!(open_chains(&closed).is_empty());
    }
}
