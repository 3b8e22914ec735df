#![doc = include_str!("tour.md")]
#![forbid(unsafe_code)]

pub use glam;
pub use taffeta_contact as contact;
pub use taffeta_core as core;
#[cfg(feature = "io")]
pub use taffeta_io as io;
pub use taffeta_mesh as mesh;
pub use taffeta_remesh as remesh;
#[cfg(feature = "render")]
pub use taffeta_render as render;
#[cfg(feature = "scene")]
pub use taffeta_scene as scene;
#[cfg(feature = "sim")]
pub use taffeta_sim as sim;
#[cfg(feature = "sim")]
pub use taffeta_solve as solve;
#[cfg(feature = "study")]
pub use taffeta_study as study;

#[cfg(feature = "sim")]
pub mod prelude;

/// The code of the README, which is part of its tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The world of the tour: a flag that is held by its pole, over a ball.
#[cfg(feature = "sim")]
#[doc(hidden)]
#[must_use]
pub fn doc_world() -> (sim::World, sim::ObstacleId) {
    use prelude::*;
    let corners = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
    let mut mesh = TriangleMesh {
        positions: corners.iter().map(|u| u.extend(0.0)).collect(),
        faces: vec![[0, 1, 2], [0, 2, 3]],
        ..TriangleMesh::default()
    };
    mesh.set_vertex_material(&corners);
    let mut flag = ClothDescription::new("flag", mesh, Material::isotropic(0.2, 2000.0, 0.3, 5e-5));
    let pole = PinDescription::new(Region::Vertices(vec![0, 3]));
    flag.pins.push(PinDescription { name: "pole".into(), ..pole });
    flag.remesh = Some(RemeshSettings { size_min: 0.05, size_max: 0.25, ..RemeshSettings::default() });
    let place = Placement::at(DVec3::new(0.5, -0.6, 0.0));
    let ball = Obstacle { name: "ball".into(), ..Obstacle::new(Shape::Sphere { radius: 0.2 }, place) };
    let description =
        WorldDescription { cloths: vec![flag], obstacles: vec![ball], ..WorldDescription::default() };
    let world = World::build(&description).expect("the description is complete");
    let ball = world.find_obstacle("ball").expect("it has that name");
    (world, ball)
}
