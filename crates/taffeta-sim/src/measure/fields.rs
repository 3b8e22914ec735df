//! Fields over the elements of a cloth besides their places: sizes of vertices, strains of faces.

use crate::derive::world::World;
use crate::model::setup::Cloth;
use crate::model::state::State;
use taffeta_core::FaceIndex;
use taffeta_core::geometry::green_strain;
use taffeta_core::math::Sym2;
use taffeta_remesh::{Metric, mean_size, smallest_angle_in};
use taffeta_solve::block::gather;

/// Size of each vertex of a cloth \[m\], in the order of [`World::mesh`]: the edge length that the last remeshing pass wanted
/// there. If the two main directions differ, it is their geometric mean. Without a pass it is the mean length of the vertex's
/// edges at rest.
///
/// # Panics
/// If there is no cloth of that number.
pub fn vertex_sizes(world: &World, cloth: usize) -> Vec<f64> {
    let (motion, range) = (&world.state.motion, world.state.sheet.vertex_range(cloth as u32));
    let is_remeshed = world.setup.cloths[cloth].remesh.is_some();
    let means = mean_rest_edges(world, cloth);
    let size = |(vertex, mean): (usize, f64)| match motion.metrics.raw.get(vertex).copied() {
        // Zero before the first pass.
        Some(metric) if is_remeshed && metric.xx > 0.0 => mean_size(&metric),
        _ => mean,
    };
    let sizes: Vec<f64> = range.zip(means).map(size).collect();
    world.state.sheet.numbering(cloth).sort_vertices(&sizes)
}

/// Largest distance of a face from the smooth cloth \[m\], by the sizing of the last remeshing pass. It falls with the square of the
/// edge length. `None` before the first pass, and if no cloth is remeshed to one error.
pub fn mesh_error(world: &World) -> Option<f64> {
    let State { sheet, motion, .. } = &world.state;
    let of_face = |fi: FaceIndex| {
        let metrics = sheet.topology.faces[fi]
            .map(|vi| motion.metrics.raw.get(vi.0 as usize).copied().unwrap_or_default());
        let squared = |k: usize| {
            let (m, n) = (metrics[k], metrics[(k + 1) % 3]);
            let u = motion.rest.corners[fi][(k + 1) % 3] - motion.rest.corners[fi][k];
            0.5 * ((m.xx + n.xx) * u.x * u.x + 2.0 * (m.xy + n.xy) * u.x * u.y + (m.yy + n.yy) * u.y * u.y)
        };
        (0..3).map(squared).fold(0.0, f64::max)
    };
    let of_cloth = |(cloth, setup): (u32, &Cloth)| {
        let error = setup.remesh.and_then(|settings| settings.refine_error)?;
        let longest = motion.faces_of(cloth).map(of_face).fold(0.0, f64::max);
        (longest > 0.0).then_some(error * longest)
    };
    (0..).zip(&world.setup.cloths).filter_map(of_cloth).reduce(f64::max)
}

/// Smallest angle at rest of each face of a cloth that can deform \[rad\], in dense order. It is measured in the metric that
/// the last remeshing pass wanted, in which long faces along a fold are well shaped. Without a pass it is the plain angle.
/// Faces of which pins hold all corners are left out: passes do not remove held vertices.
///
/// # Panics
/// If there is no cloth of that number.
pub fn face_angles(world: &World, cloth: usize) -> Vec<f64> {
    let State { sheet, motion, .. } = &world.state;
    let is_remeshed = world.setup.cloths[cloth].remesh.is_some();
    let angle = |fi: FaceIndex| {
        let metrics = sheet.topology.faces[fi]
            .map(|vi| motion.metrics.raw.get(vi.0 as usize).copied().unwrap_or_default());
        // Zero before the first pass.
        let has_metrics = is_remeshed && metrics.iter().all(|metric| metric.xx > 0.0);
        let metrics = if has_metrics { metrics } else { [Metric::diagonal(1.0); 3] };
        smallest_angle_in(motion.rest.corners[fi], metrics)
    };
    let can_deform =
        |fi: &FaceIndex| sheet.topology.faces[*fi].iter().any(|vi| motion.vertex_pins[*vi].is_none());
    motion.faces_of(cloth as u32).filter(can_deform).map(angle).collect()
}

/// The mean length of the edges at rest around each vertex of a cloth \[m\], in dense order.
fn mean_rest_edges(world: &World, cloth: usize) -> Vec<f64> {
    let motion = &world.state.motion;
    let sheet = &world.state.sheet;
    let range = sheet.vertex_range(cloth as u32);
    let mut sums = vec![(0.0, 0u32); range.len()];
    for fi in motion.faces_of(cloth as u32) {
        let (corners, at) = (sheet.topology.faces[fi], motion.rest.corners[fi]);
        for k in 0..3 {
            let length = at[k].distance(at[(k + 1) % 3]);
            for vertex in [corners[k], corners[(k + 1) % 3]] {
                let (sum, count) = &mut sums[vertex.0 as usize - range.start];
                // An inner edge counts once from each of its faces, one of the outline once.
                *sum += length;
                *count += 1;
            }
        }
    }
    sums.into_iter().map(|(sum, count)| sum / f64::from(count.max(1))).collect()
}

/// Principal Green strain of each face of a cloth that is the larger in absolute value, in the order of [`World::mesh`]. It is
/// negative if the face is compressed more than it is stretched.
///
/// # Panics
/// If there is no cloth of that number.
pub fn face_strains(world: &World, cloth: usize) -> Vec<f64> {
    assert!(cloth < world.setup.cloths.len(), "there is no cloth {cloth}");
    let strains: Vec<f64> =
        world.state.motion.faces_of(cloth as u32).map(|fi| face_strain(world, fi)).collect();
    world.state.sheet.numbering(cloth).sort_faces(&strains)
}

/// The principal Green strain of a face that is the larger in absolute value.
pub(crate) fn face_strain(world: &World, fi: FaceIndex) -> f64 {
    let ([high, low], _) = face_strain_tensor(world, fi).eigen();
    if low.abs() > high.abs() { low } else { high }
}

/// The Green strain of a face, in its chart.
pub(crate) fn face_strain_tensor(world: &World, fi: FaceIndex) -> Sym2 {
    let (topology, rest) = (&world.state.sheet.topology, &world.state.motion.rest);
    let [b0, b1, b2] = rest.hat_gradients(fi);
    let [x0, x1, x2] = gather(topology.faces[fi], &world.state.motion.positions);
    let f1 = x0 * b0.x + x1 * b1.x + x2 * b2.x;
    let f2 = x0 * b0.y + x1 * b1.y + x2 * b2.y;
    green_strain([f1, f2])
}

#[cfg(test)]
mod tests {
    use crate::measure::fields::{face_strains, vertex_sizes};
    use crate::{ClothDescription, PinDescription, StepInputs, World, WorldDescription};
    use glam::{DVec2, DVec3};
    use taffeta_core::{Region, TriangleMesh};
    use taffeta_remesh::RemeshSettings;
    use taffeta_solve::Material;

    /// Two squares of 1 m, cut along their diagonals.
    fn strip() -> TriangleMesh {
        let positions: Vec<DVec3> =
            (0..6).map(|v| DVec3::new(f64::from(v % 3), f64::from(v / 3), 0.0)).collect();
        let mut mesh = TriangleMesh {
            faces: vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]],
            positions,
            material: None,
        };
        let coords: Vec<DVec2> = mesh.positions.iter().map(|x| x.truncate()).collect();
        mesh.set_vertex_material(&coords);
        mesh
    }

    fn world(change: impl Fn(&mut ClothDescription)) -> World {
        let material = Material::isotropic(0.2, 1000.0, 0.3, 1e-5);
        let mut cloth = ClothDescription::new("sheet", strip(), material);
        cloth.pins.push(PinDescription::new(Region::Vertices(vec![0, 3])));
        change(&mut cloth);
        World::build(&WorldDescription { cloths: vec![cloth], ..WorldDescription::bare() }).unwrap()
    }

    #[test]
    fn strains_of_faces_have_a_sign_and_their_largest_is_that_of_the_metrics() {
        let stretched = |factor: f64| {
            super::face_strains(
                &world(|cloth| cloth.mesh.positions.iter_mut().for_each(|x| x.x *= factor)),
                0,
            )
        };
        // Green strain of a stretch s is (s² − 1)/2.
        assert!(stretched(1.2).iter().all(|strain| (strain - 0.22).abs() < 1e-12));
        assert!(stretched(0.8).iter().all(|strain| (strain + 0.18).abs() < 1e-12));
        let mut world = world(|_| {});
        for _ in 0..5 {
            world.step(&StepInputs::default(), 1.0 / 60.0).unwrap();
            let largest =
                face_strains(&world, 0).iter().fold(0.0, |most: f64, strain| most.max(strain.abs()));
            assert_eq!(largest, world.measure().max_strain);
        }
    }

    #[test]
    fn sizes_are_mean_edges_until_the_sizing_field_says_otherwise() {
        let mesh = world(|_| {}).mesh(0);
        let corner = mesh.positions.iter().position(|x| *x == DVec3::new(2.0, 0.0, 0.0)).unwrap();
        let sizes = vertex_sizes(&world(|_| {}), 0);
        // Two edges of 1 m meet there.
        assert!((sizes[corner] - 1.0).abs() < 1e-15, "{sizes:?}");
        let settings = RemeshSettings { size_min: 0.1, size_max: 0.25, ..RemeshSettings::by_thresholds() };
        let mut adaptive = world(|cloth| cloth.remesh = Some(settings));
        adaptive.step(&StepInputs::default(), 1.0 / 60.0).unwrap();
        let sizes = vertex_sizes(&adaptive, 0);
        assert_eq!(sizes.len(), adaptive.mesh(0).positions.len());
        assert!(sizes.iter().all(|size| (0.1 - 1e-12..=0.25 + 1e-12).contains(size)), "{sizes:?}");
    }
}
