//! Sizing that the passes of the last step have asked for.

use crate::derive::world::World;
use crate::model::state::asked::Asked;
use crate::model::state::sheet::Sheet;
use glam::DVec3;
use std::collections::BTreeMap;
use taffeta_mesh::VertexKey;
use taffeta_remesh::{Metric, metric_of_size};

/// See [`ClothView::asked_metrics`](crate::ClothView::asked_metrics).
pub(crate) fn find_asked(world: &World, cloth: usize) -> Vec<Metric> {
    let Asked { sheet, earlier, passes } = &world.state.asked;
    let sheet = sheet.as_ref().unwrap_or(&world.state.sheet);
    let asked: BTreeMap<VertexKey, Metric> = passes.iter().flat_map(|pass| pass.iter().copied()).collect();
    let range = sheet.vertex_range(cloth as u32);
    let means = mean_edges(sheet, cloth);
    let metric = |(vertex, mean): (usize, f64)| {
        let known = earlier.raw.get(vertex).copied().filter(|metric| metric.xx > 0.0);
        let key = sheet.vertex_keys().raw.get(vertex);
        let found = key.and_then(|key| asked.get(key).copied()).or(known);
        found.unwrap_or_else(|| metric_of_size(mean))
    };
    let metrics: Vec<Metric> = range.zip(means).map(metric).collect();
    sheet.numbering(cloth).sort_vertices(&metrics)
}

/// Mean length of the edges at each vertex of a cloth in its layout \[m\].
fn mean_edges(sheet: &Sheet, cloth: usize) -> Vec<f64> {
    let range = sheet.vertex_range(cloth as u32);
    let mut sums = vec![(0.0, 0u32); range.len()];
    for face in &sheet.topology.faces.raw[sheet.face_range(cloth)] {
        let at: [DVec3; 3] = face.map(|vi| sheet.layout[vi]);
        for k in 0..3 {
            let length = at[k].distance(at[(k + 1) % 3]);
            for vertex in [face[k], face[(k + 1) % 3]] {
                let (sum, count) = &mut sums[vertex.0 as usize - range.start];
                *sum += length;
                *count += 1;
            }
        }
    }
    sums.into_iter().map(|(sum, count)| sum / f64::from(count.max(1))).collect()
}

#[cfg(test)]
mod tests {
    use crate::{ClothDescription, StepInputs, World, WorldDescription};
    use glam::{DVec2, DVec3};
    use taffeta_core::TriangleMesh;
    use taffeta_remesh::{Metric, RemeshSettings};
    use taffeta_solve::Material;

    /// A square of 1 m with two faces that is to be refined where it is bent or not at all.
    fn square(remesh: Option<RemeshSettings>) -> World {
        let coords = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
        let mut mesh = TriangleMesh { faces: vec![[0, 1, 2], [0, 2, 3]], ..TriangleMesh::default() };
        mesh.positions = coords.iter().map(|u| DVec3::new(u.x, 0.2 * u.x * u.y, u.y)).collect();
        mesh.set_vertex_material(&coords);
        let mut cloth = ClothDescription::new("square", mesh, Material::isotropic(0.2, 200.0, 0.3, 1e-4));
        cloth.remesh = remesh;
        World::build(&WorldDescription { cloths: vec![cloth], ..WorldDescription::bare() }).expect("a world")
    }

    #[test]
    fn metrics_are_those_of_the_mesh_before_the_step() {
        let settings = RemeshSettings { size_min: 0.2, size_max: 0.3, ..RemeshSettings::by_thresholds() };
        let mut world = square(Some(settings));
        let before = world.vertex_count();
        world.step(&StepInputs::default(), 1e-3).expect("a step");
        assert!(world.vertex_count() > before, "a pass has split edges");
        let asked = world.cloth(world.cloth_ids()[0]).asked_metrics();
        assert_eq!(asked.len(), before);
        let within = |metric: &Metric| (1.0 / 0.09 - 1e-9..1.0 / 0.04 + 1e-9).contains(&metric.xx);
        assert!(asked.iter().all(within), "{asked:?}");
        let now = world.vertex_count();
        world.step(&StepInputs::default(), 1e-3).expect("a step");
        assert_eq!(world.cloth(world.cloth_ids()[0]).asked_metrics().len(), now);
    }

    #[test]
    fn without_remeshing_metrics_are_those_of_the_edges() {
        let mut world = square(None);
        world.step(&StepInputs::default(), 1e-3).expect("a step");
        let asked = world.cloth(world.cloth_ids()[0]).asked_metrics();
        assert_eq!(asked.len(), 4);
        // Corner 1 has two sides of 1 m and a little more along the slope of the layout.
        assert!(
            asked.iter().all(|metric| metric.xy == 0.0 && metric.xx == metric.yy && metric.xx <= 1.0 + 1e-9)
        );
        assert!(asked.iter().all(|metric| metric.xx > 0.5));
    }
}
