//! From bodies to pictures of them.

use super::snapshot::{BodyKind, BodyPicture, MeshNumbers, PointCoords};
use glam::DVec3;
use std::sync::Arc;
use taffeta_contact::{MeshObstacle, Obstacle};
use taffeta_core::TriangleMesh;
use taffeta_io::FrameData;
use taffeta_render::tube::{SIDES, tube_mesh};
use taffeta_render::{Body, BodyKind as Drawn, compute_framing_bounds, mesh_obstacle_body, obstacle_body};
use taffeta_scene::{cloth_frame, rope_frame};
use taffeta_sim::{PinId, World, queries};

/// A rope of a folder whose scene does not know it is drawn with this radius \[m\].
pub(crate) const UNKNOWN_RADIUS: f64 = 0.005;

/// The obstacles of a scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct Obstacles {
    /// In closed form.
    pub closed: Vec<Obstacle>,
    /// Made of triangles.
    pub meshes: Vec<MeshObstacle>,
}

impl Obstacles {
    /// A box around cloths and obstacles at a time \[s\], in meters. At time 0 it says how large planes are drawn.
    pub(crate) fn bounds_at(&self, time: f64, cloths: impl Iterator<Item = Vec<DVec3>>) -> [DVec3; 2] {
        let cloth = |positions| {
            Body::new(TriangleMesh { positions, ..TriangleMesh::default() }, Drawn::Cloth { index: 0 })
        };
        let mut bodies: Vec<Body> = cloths.map(cloth).collect();
        let around = compute_framing_bounds(&bodies).unwrap_or_default();
        bodies.extend(self.bodies(time, around));
        compute_framing_bounds(&bodies).unwrap_or(around)
    }

    fn bodies(&self, time: f64, bounds: [DVec3; 2]) -> impl Iterator<Item = Body> + '_ {
        let closed = self.closed.iter().map(move |obstacle| obstacle_body(obstacle, time, bounds));
        closed.chain(self.meshes.iter().map(move |mesh| mesh_obstacle_body(mesh, time)))
    }

    /// Pictures of all obstacles at a time \[s\].
    pub(crate) fn pictures(
        &self,
        time: f64,
        bounds: [DVec3; 2],
        numbers: &mut MeshNumbers,
    ) -> Vec<BodyPicture> {
        let still = self.closed.iter().map(|obstacle| obstacle.motion.is_still());
        let still =
            still.chain(self.meshes.iter().map(|mesh| mesh.motion.is_still() && mesh.shapes.len() <= 1));
        let picture = |(number, (body, is_still)): (usize, (Body, bool))| {
            let kind = if body.kind == Drawn::Floor { BodyKind::Floor } else { BodyKind::Obstacle };
            // Obstacles have no names, and names of bodies no dots.
            let name = format!("obstacle.{number}");
            BodyPicture { is_still, ..picture_mesh(name, kind, &body.mesh, PointCoords::default(), numbers) }
        };
        self.bodies(time, bounds).zip(still).enumerate().map(picture).collect()
    }
}

/// Pictures of all cloths and ropes of a world.
pub(crate) fn picture_world(world: &World, numbers: &mut MeshNumbers) -> Vec<BodyPicture> {
    let sheet = world.sheet();
    let mut pictures = Vec::new();
    for (number, cloth) in world.cloths().iter().enumerate() {
        let data = cloth_frame(world, number);
        let view = world.cloth(world.cloth_ids()[number]);
        let is_held = |number: &u32| {
            let pin = world.motion().vertex_pins[view.vertex(*number as usize)];
            pin.is_some_and(|pin| !world.has_released(PinId::from_number(pin as usize)))
        };
        let count = view.vertex_count();
        let held = (0..count as u32).filter(is_held).collect();
        let layout: Vec<DVec3> = (0..count).map(|number| sheet.layout[view.vertex(number)]).collect();
        let coords = PointCoords {
            layout: to_floats(&layout),
            corners: if cloth.has_one_chart { Vec::new() } else { corners_of(&data.mesh) },
            panels: panels_of(world, number),
        };
        let picture = picture_frame(cloth.name.clone(), &data, coords, numbers);
        pictures.push(BodyPicture { held, number: Some(number), is_woven: cloth.has_material, ..picture });
    }
    for (number, _) in queries::rope_bodies(world) {
        pictures.push(picture_live_rope(world, number, numbers));
    }
    pictures
}

/// A picture of a cloth of a folder, with the material coordinates that its file has.
pub(crate) fn picture_recorded(name: String, data: &FrameData, numbers: &mut MeshNumbers) -> BodyPicture {
    let coords = PointCoords { corners: corners_of(&data.mesh), ..PointCoords::default() };
    let is_woven = !coords.corners.is_empty();
    BodyPicture { is_woven, ..picture_frame(name, data, coords, numbers) }
}

/// Material coordinates of the corners of the faces \[m\]; empty without any.
fn corners_of(mesh: &TriangleMesh) -> Vec<f32> {
    let corners = mesh.material.iter().flatten().flatten();
    corners.flat_map(|u| u.as_vec2().to_array()).collect()
}

/// The panels of the faces of a cloth; empty if all are of one.
fn panels_of(world: &World, cloth: usize) -> Vec<u32> {
    let panels = world.cloth(world.cloth_ids()[cloth]).panels();
    if panels.iter().any(|panel| *panel > 0) { panels } else { Vec::new() }
}

/// A picture of a rope of a world, given by the number of its loose body. Every vertex of a ring has the layout of the point of
/// the rope inside it, so that a point picked on the tube is a point of the rope.
fn picture_live_rope(world: &World, number: usize, numbers: &mut MeshNumbers) -> BodyPicture {
    let (sheet, rope) = (world.sheet(), &world.loose_bodies()[number]);
    let body = world.cloths().len() + number;
    let data = rope_frame(world, number);
    let tube = tube_mesh(&data.mesh.positions, rope.radius);
    let vertices = queries::loose_vertices(world, number);
    let ring = |x: &DVec3| std::iter::repeat_n(*x, SIDES);
    let layout: Vec<DVec3> = sheet.layout.raw[vertices.clone()].iter().flat_map(ring).collect();
    let is_held = |(_, pin): &(usize, &Option<u32>)| {
        pin.is_some_and(|pin| !world.has_released(PinId::from_number(pin as usize)))
    };
    let pins = world.motion().vertex_pins.raw[vertices].iter().enumerate();
    let coords = PointCoords { layout: to_floats(&layout), ..PointCoords::default() };
    BodyPicture {
        number: Some(body),
        held: pins.filter(is_held).map(|(i, _)| (i * SIDES) as u32).collect(),
        ..picture_mesh(rope.name.clone(), BodyKind::Rope, &tube, coords, numbers)
    }
}

/// A picture of a cloth as it is in a frame, with all fields that are known.
pub(crate) fn picture_frame(
    name: String,
    data: &FrameData,
    coords: PointCoords,
    numbers: &mut MeshNumbers,
) -> BodyPicture {
    let mesh = &data.mesh;
    let speed = data.velocities.as_ref().map(|list| list.iter().map(|v| v.length() as f32).collect());
    let size = data.sizes.as_ref().map(|list| list.iter().map(|size| *size as f32).collect());
    let of_faces = |list: &Option<Vec<f64>>| list.as_ref().map(|list| average_at_vertices(mesh, list));
    let fields = [
        ("speed", speed),
        ("size", size),
        ("strain", of_faces(&data.strains)),
        ("curvature", of_faces(&data.curvatures)),
    ];
    BodyPicture {
        name: name.clone(),
        kind: BodyKind::Cloth,
        number: None,
        mesh: numbers.find(&name, &mesh.faces, coords),
        positions: Arc::new(to_floats(&mesh.positions)),
        is_still: false,
        is_woven: false,
        held: Vec::new(),
        fields: fields.into_iter().filter_map(|(name, field)| Some((name, field?))).collect(),
    }
}

/// A picture of a rope of a radius \[m\] in a folder.
pub(crate) fn picture_rope(
    name: String,
    data: &FrameData,
    radius: f64,
    numbers: &mut MeshNumbers,
) -> BodyPicture {
    picture_mesh(
        name,
        BodyKind::Rope,
        &tube_mesh(&data.mesh.positions, radius),
        PointCoords::default(),
        numbers,
    )
}

/// A picture of a mesh that moves, without fields.
pub(crate) fn picture_mesh(
    name: String,
    kind: BodyKind,
    mesh: &TriangleMesh,
    coords: PointCoords,
    numbers: &mut MeshNumbers,
) -> BodyPicture {
    let faces = numbers.find(&name, &mesh.faces, coords);
    BodyPicture {
        name,
        kind,
        number: None,
        mesh: faces,
        positions: Arc::new(to_floats(&mesh.positions)),
        is_still: false,
        is_woven: false,
        held: Vec::new(),
        fields: Vec::new(),
    }
}

fn to_floats(points: &[DVec3]) -> Vec<f32> {
    points.iter().flat_map(|x| x.as_vec3().to_array()).collect()
}

/// The mean over the faces around each vertex.
fn average_at_vertices(mesh: &TriangleMesh, of_faces: &[f64]) -> Vec<f32> {
    let mut sums = vec![(0.0, 0u32); mesh.positions.len()];
    for (face, value) in mesh.faces.iter().zip(of_faces) {
        for corner in face {
            let (sum, count) = &mut sums[*corner as usize];
            *sum += value;
            *count += 1;
        }
    }
    sums.into_iter().map(|(sum, count)| (sum / f64::from(count.max(1))) as f32).collect()
}
