//! Jumps of strain and curvature between neighboring faces: where they are large, the mesh is too coarse.
//!
//! Both are constant in a face. In the cloth that the faces stand for they are continuous, so that their jumps over the
//! edges tell what the faces miss (D. W. Kelly, J. P. Gago, O. C. Zienkiewicz, I. Babuška, A posteriori error analysis and
//! adaptive processes in the finite element method, 1983). They fall in proportion to the size of the faces.

use crate::derive::world::World;
use crate::measure::fields::face_strain_tensor;
use glam::DVec2;
use taffeta_core::FaceIndex;
use taffeta_core::geometry::hinge_angle;
use taffeta_core::index::DenseIndex;
use taffeta_core::math::Sym2;
use taffeta_core::topology::Edge;
use taffeta_solve::block::gather;

/// Jumps of the faces of a cloth, in the order of [`World::mesh`]: the largest over the edges of each face, as the
/// Frobenius norm of the difference of two tensors. 0 for a face without neighbors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceJumps {
    /// Of the Green strain.
    pub strains: Vec<f64>,
    /// Of the curvature \[1/m\], that is of the shape operator less that at rest, from the angles of the edges.
    pub curvatures: Vec<f64>,
}

/// Jumps of strain and curvature from each face of a cloth to its neighbors.
///
/// # Panics
/// If there is no cloth of that number.
pub fn face_jumps(world: &World, cloth: usize) -> FaceJumps {
    assert!(cloth < world.setup.cloths.len(), "there is no cloth {cloth}");
    let faces: Vec<FaceIndex> = world.state.motion.faces_of(cloth as u32).collect();
    let Some(first) = faces.first().copied() else { return FaceJumps::default() };
    // A cloth is a contiguous range of faces.
    let row = |fi: FaceIndex| fi.to_usize() - first.to_usize();
    let strains: Vec<Sym2> = faces.iter().map(|fi| face_strain_tensor(world, *fi)).collect();
    let mut curvatures = vec![Sym2::default(); faces.len()];
    let edges = || {
        world.state.sheet.topology.edges.iter_indexed().filter_map(|(ei, edge)| {
            let [Some(f), Some(g)] = edge.faces else { return None };
            (world.state.motion.rest.cloths[f] as usize == cloth).then_some((ei, edge, [f, g]))
        })
    };
    for (ei, edge, sides) in edges() {
        let bend = bend_angle(world, edge) - world.state.motion.rest.angles[ei];
        for fi in sides {
            let along = rest_edge(world, edge, fi);
            let across = along.perp();
            let share = bend / (2.0 * world.state.motion.rest.areas[fi] * along.length());
            curvatures[row(fi)] = curvatures[row(fi)].plus(share, &outer(across));
        }
    }
    let mut jumps = FaceJumps { strains: vec![0.0; faces.len()], curvatures: vec![0.0; faces.len()] };
    for (_, edge, sides) in edges() {
        // Each face in its own chart; the directions along and across the edge are what both share.
        let jump = |tensors: &[Sym2]| {
            let [a, b] = sides.map(|fi| along_and_across(&tensors[row(fi)], rest_edge(world, edge, fi)));
            distance(&a, &b)
        };
        let (strain, curvature) = (jump(&strains), jump(&curvatures));
        for fi in sides {
            let (of_strain, of_curvature) = (&mut jumps.strains[row(fi)], &mut jumps.curvatures[row(fi)]);
            *of_strain = of_strain.max(strain);
            *of_curvature = of_curvature.max(curvature);
        }
    }
    let numbering = world.state.sheet.numbering(cloth);
    FaceJumps {
        strains: numbering.sort_faces(&jumps.strains),
        curvatures: numbering.sort_faces(&jumps.curvatures),
    }
}

/// The angle of an edge with two faces \[rad\].
fn bend_angle(world: &World, edge: &Edge) -> f64 {
    let [p, q] = edge.vertices;
    let [a, b] = edge.opposites.map(|vertex| vertex.expect("the edge has two faces"));
    hinge_angle(gather([p, q, a, b], &world.state.motion.positions))
}

/// An edge at rest, in the chart of one of its faces \[m\].
fn rest_edge(world: &World, edge: &Edge, fi: FaceIndex) -> DVec2 {
    let corner = |vertex| {
        let k = world.state.sheet.topology.faces[fi].iter().position(|corner| *corner == vertex);
        world.state.motion.rest.corners[fi][k.expect("the face has the edge")]
    };
    corner(edge.vertices[1]) - corner(edge.vertices[0])
}

/// `u uᵀ`.
fn outer(u: DVec2) -> Sym2 {
    Sym2 { xx: u.x * u.x, xy: u.x * u.y, yy: u.y * u.y }
}

/// A tensor in the axes along an edge and to the left of it.
fn along_and_across(tensor: &Sym2, edge: DVec2) -> Sym2 {
    let along = edge.normalize();
    let across = along.perp();
    let times = |u: DVec2| DVec2::new(tensor.xx * u.x + tensor.xy * u.y, tensor.xy * u.x + tensor.yy * u.y);
    Sym2 { xx: along.dot(times(along)), xy: along.dot(times(across)), yy: across.dot(times(across)) }
}

/// The Frobenius norm of a difference.
fn distance(a: &Sym2, b: &Sym2) -> f64 {
    let d = a.plus(-1.0, b);
    (d.xx * d.xx + 2.0 * d.xy * d.xy + d.yy * d.yy).sqrt()
}

#[cfg(test)]
mod tests {
    use crate::{ClothDescription, World, WorldDescription};
    use glam::{DVec2, DVec3};
    use taffeta_core::TriangleMesh;
    use taffeta_solve::Material;

    /// Two squares of 1 m side by side, cut along their diagonals, in the shape of a map of their material coordinates.
    fn jumps_of(shape: impl Fn(DVec2) -> DVec3) -> super::FaceJumps {
        let coords: Vec<DVec2> = (0..6).map(|v| DVec2::new(f64::from(v % 3), f64::from(v / 3))).collect();
        let mut mesh = TriangleMesh {
            positions: coords.iter().map(|u| shape(*u)).collect(),
            faces: vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]],
            material: None,
        };
        mesh.set_vertex_material(&coords);
        let cloth = ClothDescription::new("sheet", mesh, Material::isotropic(0.2, 1000.0, 0.3, 1e-5));
        let description = WorldDescription { cloths: vec![cloth], ..WorldDescription::bare() };
        super::face_jumps(&World::build(&description).unwrap(), 0)
    }

    fn is_near(found: &[f64], expected: [f64; 4]) -> bool {
        found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn strain_jumps_where_one_part_is_stretched_and_its_neighbor_is_not() {
        // The left square by 20 %: its Green strain is 0.22. The edge between the squares is one of faces 0 and 3.
        let jumps = jumps_of(|u| DVec3::new(if u.x > 1.5 { 2.2 } else { 1.2 * u.x }, u.y, 0.0));
        assert!(is_near(&jumps.strains, [0.22, 0.0, 0.0, 0.22]), "{jumps:?}");
        assert!(is_near(&jumps.curvatures, [0.0; 4]), "{jumps:?}");
    }

    #[test]
    fn a_uniform_strain_in_a_turned_cloth_does_not_jump() {
        let jumps =
            jumps_of(|u| DVec3::new(0.6 * (1.1 * u.x + 0.2 * u.y), 0.9 * u.y, 0.8 * (1.1 * u.x + 0.2 * u.y)));
        assert!(is_near(&jumps.strains, [0.0; 4]) && is_near(&jumps.curvatures, [0.0; 4]), "{jumps:?}");
    }

    #[test]
    fn curvature_jumps_beside_a_fold() {
        // A fold by an angle θ of an edge of 1 m gives faces of ½ m² the curvature θ/m; those behind them have none.
        let angle: f64 = 0.5;
        let jumps = jumps_of(|u| {
            let beyond = (u.x - 1.0).max(0.0);
            DVec3::new(u.x.min(1.0) + beyond * angle.cos(), u.y, beyond * angle.sin())
        });
        assert!(is_near(&jumps.curvatures, [0.5; 4]) && is_near(&jumps.strains, [0.0; 4]), "{jumps:?}");
    }
}
