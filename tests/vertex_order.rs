//! Vertices and faces have the numbers that they have in the mesh that a cloth was made from.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::core::{Region, TriangleMesh};
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    Checkpoint, ClothDescription, ClothId, PinDescription, SolverChoice, StepInputs, World, WorldDescription,
    queries,
};

/// A square whose vertices and faces are in no order, with faces that start at any corner.
fn shuffled() -> TriangleMesh {
    let mesh = square(5, GridPattern::Alternating);
    let (vertices, faces) = (mesh.positions.len(), mesh.faces.len());
    // Multiples of a number that shares no factor with the counts.
    let place = |k: usize, count: usize| k * 23 % count;
    let mut shuffled = mesh.clone();
    (0..vertices).for_each(|v| shuffled.positions[place(v, vertices)] = mesh.positions[v]);
    let coords = mesh.material.as_ref().expect("a grid has some");
    let mut material = coords.clone();
    for f in 0..faces {
        let (mut face, mut corners) = (mesh.faces[f].map(|v| place(v as usize, vertices) as u32), coords[f]);
        face.rotate_left(f % 3);
        corners.rotate_left(f % 3);
        (shuffled.faces[place(f, faces)], material[place(f, faces)]) = (face, corners);
    }
    shuffled.material = Some(material);
    shuffled
}

fn sheet(name: &str, height: f64) -> ClothDescription {
    let mut mesh = shuffled();
    mesh.positions.iter_mut().for_each(|x| x.z = height);
    let mut cloth = ClothDescription::new(name, mesh, stiff());
    cloth
        .pins
        .push(PinDescription { name: name.into(), ..PinDescription::new(Region::Vertices(vec![30, 7])) });
    cloth
}

fn two_sheets() -> World {
    build(&WorldDescription { cloths: vec![sheet("a", 0.0), sheet("b", 1.0)], ..WorldDescription::bare() })
}

/// Checks a cloth that has moved from the mesh of its description.
#[track_caller]
fn check(world: &World, id: ClothId, description: &ClothDescription) {
    let (view, mesh) = (world.cloth(id), &description.mesh);
    let number = view.number();
    assert_eq!((view.faces(), &world.mesh(number).faces), (&mesh.faces[..], &mesh.faces));
    assert_eq!((Some(view.corners()), &world.mesh(number).material), (mesh.material.clone(), &mesh.material));
    assert!(view.vertex_names().into_iter().eq((0..mesh.positions.len() as u32).map(Some)));
    let (sheet, motion) = (world.sheet(), world.motion());
    let (positions, velocities) = (view.positions(), world.velocities(number));
    for (k, start) in mesh.positions.iter().enumerate() {
        let vi = view.vertex(k);
        assert_eq!(sheet.starts[vi], *start);
        assert_eq!((positions[k], velocities[k]), (motion.positions[vi], motion.velocities[vi]));
        assert_eq!(view.find(view.name_of(k)), Some(k));
    }
    // Origins of a mesh that stays are its own vertices.
    for (k, origin) in view.origins().iter().enumerate() {
        let corner = origin.weights.iter().position(|weight| *weight == 1.0).expect("a vertex of the mesh");
        assert_eq!(mesh.faces[origin.face as usize][corner] as usize, k);
    }
    let strains = queries::face_strains(world, number);
    for (face, corners) in mesh.faces.iter().enumerate().filter(|(face, _)| strains[*face].abs() > 1e-3) {
        let [a, b, c] = corners.map(|v| positions[v as usize]);
        let [u, v, w] = mesh.material.as_ref().expect("it has some")[face];
        let ratio = |x: DVec3, y: DVec3, p: DVec2, q: DVec2| (x.distance(y) / p.distance(q) - 1.0).abs();
        let worst = ratio(a, b, u, v).max(ratio(b, c, v, w)).max(ratio(c, a, w, u));
        assert!(worst < 3.0 * strains[face].abs(), "face {face}: {worst} and {}", strains[face]);
    }
}

#[test]
fn a_fixed_mesh_keeps_the_order_of_its_input() {
    let mut world = two_sheets();
    let [a, b] = [0, 1].map(|k| world.cloth_ids()[k]);
    for frame in 0..4 {
        check(&world, a, &sheet("a", 0.0));
        check(&world, b, &sheet("b", 1.0));
        let pin = world.find_pin("b").expect("it has that name");
        let held: Vec<_> = queries::pin_vertices(&world, pin);
        assert_eq!(held, [7, 30].map(|k| world.cloth(b).vertex(k)), "frame {frame}");
        world.step(&StepInputs::default(), FRAME).expect("it steps");
    }
    let mut resumed = two_sheets();
    let saved = Checkpoint::from_bytes(&world.checkpoint().to_bytes()).expect("good bytes");
    resumed.restore(saved).expect("of this world");
    check(&resumed, resumed.cloth_ids()[1], &sheet("b", 1.0));
    // A cloth that takes the places of another one.
    world.remove_cloth(a).expect("it is there");
    check(&world, b, &sheet("b", 1.0));
    let c = world.add_cloth(&sheet("c", 2.0)).expect("it is complete");
    check(&world, c, &sheet("c", 2.0));
    let view = world.cloth(c);
    let (vertex, place, taken) = (view.vertex(12), view.positions()[12], view.vertex(30));
    let held = world.add_pin(&[taken], &PinDescription::default()).expect_err("it is held");
    assert!(held.to_string().contains("pin 'c' holds vertex 30 already"), "{held}");
    let pin = world.add_pin(&[vertex], &PinDescription::default()).expect("nothing holds it");
    assert_eq!(world.motion().positions[queries::pin_vertices(&world, pin)[0]], place);
}

#[test]
fn a_remeshed_cloth_names_the_vertices_of_its_input() {
    let mut description = sheet("a", 0.0);
    let settings = RemeshSettings { size_min: 0.05, size_max: 0.15, ..RemeshSettings::by_thresholds() };
    description.remesh = Some(settings);
    let mut world = world(description.clone(), settings_of());
    for _ in 0..4 {
        world.step(&StepInputs::default(), FRAME).expect("it steps");
    }
    let view = world.cloth(world.cloth_ids()[0]);
    let names = view.vertex_names();
    let known: Vec<u32> = names.iter().copied().flatten().collect();
    assert!(known.len() < names.len() && known.len() > 4, "it was refined: {known:?}");
    assert!(names[known.len()..].iter().all(Option::is_none), "what was added comes last");
    assert!(known.is_sorted_by(|a, b| a < b), "{known:?}");
    for (k, name) in known.into_iter().enumerate() {
        assert_eq!(world.sheet().starts[view.vertex(k)], description.mesh.positions[name as usize]);
    }
    let (mesh, jumps) = (world.mesh(0), queries::face_jumps(&world, 0));
    assert_eq!(
        (jumps.strains.len(), queries::vertex_sizes(&world, 0).len()),
        (mesh.faces.len(), names.len())
    );
}

fn settings_of() -> taffeta::sim::SimulationSettings {
    settings(SolverChoice::Global, None)
}
