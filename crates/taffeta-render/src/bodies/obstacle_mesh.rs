//! Triangles for obstacles.

use super::body::{Body, BodyKind};
use crate::camera::framing_right;
use glam::DVec3;
use taffeta_contact::{MeshObstacle, Obstacle, Shape};
use taffeta_core::{TriangleMesh, math};

/// Meridians of a sphere. The outline of a sphere of 400 pixels is then off by at most 0.2 pixels.
const MERIDIANS: u32 = 96;
/// Circles of latitude of a sphere, poles not counted.
const PARALLELS: u32 = 47;
/// Squares along a side of a floor: fine enough for the soft shadows that are computed at its vertices.
const FLOOR_SQUARES: u32 = 80;
/// Distance of the ground from the lowest point, relative to the diagonal of the scene.
const GROUND_GAP: f64 = 1e-3;
/// Half the side of a floor over half the diagonal of the scene.
const FLOOR_REACH: f64 = 3.6;

/// The surface of an obstacle at a time \[s\], in world space \[m\].
///
/// A sphere is finely tessellated. A plane becomes a square below the middle of `bounds`, the box around the scene
/// \[m\], several times as large as the box. Vertices are shared between faces, so the shading is smooth.
pub fn obstacle_mesh(obstacle: &Obstacle, time: f64, bounds: [DVec3; 2]) -> TriangleMesh {
    let pose = obstacle.pose_at(time);
    let scale = obstacle.place.scale;
    match obstacle.shape {
        Shape::Sphere { radius } => placed(sphere_mesh(), |p| pose.apply(p * (radius * scale))),
        Shape::Capsule { radius, half_length } => {
            // The two halves of a sphere moved apart: the band between them is drawn by the faces at the equator.
            let stretch = |p: DVec3| p * radius + DVec3::Y * half_length.copysign(p.y);
            placed(sphere_mesh(), |p| pose.apply(stretch(p) * scale))
        }
        Shape::Box { half_size } => placed(box_mesh(), |p| pose.apply(p * half_size * scale)),
        Shape::Plane { normal } => square_mesh(pose.translation, pose.rotation * normal, bounds),
    }
}

/// The surface of an obstacle together with the way in which it is drawn: planes are floors. See [`obstacle_mesh`].
pub fn obstacle_body(obstacle: &Obstacle, time: f64, bounds: [DVec3; 2]) -> Body {
    let kind = match obstacle.shape {
        Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Box { .. } => BodyKind::Obstacle,
        Shape::Plane { .. } => BodyKind::Floor,
    };
    Body::new(obstacle_mesh(obstacle, time, bounds), kind)
}

/// The ground below what is drawn: a floor at the lowest corner of `bounds`, the box around the scene \[m\], along `up`.
pub fn ground_body(bounds: [DVec3; 2], up: DVec3) -> Body {
    let up = up.normalize_or(DVec3::Y);
    let [low, high] = bounds;
    let lowest = DVec3::select(up.cmpge(DVec3::ZERO), low, high);
    // What lies on the ground is seen.
    let origin = lowest - up * (GROUND_GAP * low.distance(high));
    Body::new(square_mesh(origin, up, bounds), BodyKind::Floor)
}

/// The surface of an obstacle made of triangles at a time \[s\], in world space \[m\].
pub fn mesh_obstacle_body(obstacle: &MeshObstacle, time: f64) -> Body {
    let positions = obstacle.positions_at(time);
    let mesh = TriangleMesh { positions, faces: obstacle.faces.clone(), material: None };
    Body::new(mesh, BodyKind::Obstacle)
}

/// A mesh with its positions mapped.
fn placed(mut mesh: TriangleMesh, place: impl Fn(DVec3) -> DVec3) -> TriangleMesh {
    mesh.positions.iter_mut().for_each(|p| *p = place(*p));
    mesh
}

/// The cube from −1 to 1; its sides have corners of their own, so that they are shaded flat.
fn box_mesh() -> TriangleMesh {
    let mut mesh = TriangleMesh { positions: Vec::new(), faces: Vec::new(), material: None };
    for (axis, sign) in (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
        let first = mesh.positions.len() as u32;
        for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let mut corner = DVec3::ZERO;
            corner[axis] = sign;
            corner[(axis + 1) % 3] = u * sign;
            corner[(axis + 2) % 3] = v;
            mesh.positions.push(corner);
        }
        mesh.faces.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    mesh
}

/// The unit sphere by longitude and latitude.
fn sphere_mesh() -> TriangleMesh {
    let mut positions = vec![DVec3::Y];
    for parallel in 1..=PARALLELS {
        let latitude = std::f64::consts::PI * f64::from(parallel) / f64::from(PARALLELS + 1);
        let (ring, height) = math::sin_cos(latitude);
        for meridian in 0..MERIDIANS {
            let (sin, cos) =
                math::sin_cos(std::f64::consts::TAU * f64::from(meridian) / f64::from(MERIDIANS));
            positions.push(DVec3::new(ring * sin, height, ring * cos));
        }
    }
    positions.push(-DVec3::Y);
    let south = 1 + PARALLELS * MERIDIANS;
    let at = |parallel: u32, meridian: u32| 1 + parallel * MERIDIANS + meridian % MERIDIANS;
    let mut faces = Vec::new();
    for meridian in 0..MERIDIANS {
        faces.push([0, at(0, meridian), at(0, meridian + 1)]);
        for parallel in 0..PARALLELS - 1 {
            let (a, b) = (at(parallel, meridian), at(parallel + 1, meridian));
            let (c, d) = (at(parallel + 1, meridian + 1), at(parallel, meridian + 1));
            faces.extend([[a, b, c], [a, c, d]]);
        }
        faces.push([south, at(PARALLELS - 1, meridian + 1), at(PARALLELS - 1, meridian)]);
    }
    TriangleMesh { positions, faces, material: None }
}

/// The square piece of a plane around the projection of the middle of `bounds`.
fn square_mesh(origin: DVec3, normal: DVec3, bounds: [DVec3; 2]) -> TriangleMesh {
    let normal = normal.normalize_or(DVec3::Y);
    let middle = 0.5 * (bounds[0] + bounds[1]);
    let center = middle - normal * normal.dot(middle - origin);
    // Sides along the usual camera's are rasterized twice as fast as slanted ones: `euc` visits bounding boxes.
    let right = framing_right();
    let side_u = (right - normal * normal.dot(right)).normalize_or(normal.any_orthonormal_vector());
    let side_v = normal.cross(side_u);
    // A scene that stands far above its floor is seen from farther away.
    let reach = FLOOR_REACH * (0.5 * bounds[0].distance(bounds[1])).max(middle.distance(center));
    let mut positions = Vec::new();
    for j in 0..=FLOOR_SQUARES {
        for i in 0..=FLOOR_SQUARES {
            let along = |k: u32| reach * (2.0 * f64::from(k) / f64::from(FLOOR_SQUARES) - 1.0);
            positions.push(center + side_u * along(i) + side_v * along(j));
        }
    }
    let mut faces = Vec::new();
    for j in 0..FLOOR_SQUARES {
        for i in 0..FLOOR_SQUARES {
            let a = j * (FLOOR_SQUARES + 1) + i;
            let d = a + FLOOR_SQUARES + 1;
            faces.extend([[a, a + 1, d + 1], [a, d + 1, d]]);
        }
    }
    TriangleMesh { positions, faces, material: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::Placement;

    fn normals_agree(mesh: &TriangleMesh, expected: impl Fn(DVec3) -> DVec3) -> bool {
        mesh.faces.iter().all(|face| {
            let [a, b, c] = face.map(|corner| mesh.positions[corner as usize]);
            (b - a).cross(c - a).dot(expected((a + b + c) / 3.0)) > 0.0
        })
    }

    #[test]
    fn a_sphere_is_closed_has_its_radius_and_faces_outward() {
        let place = Placement { translate: DVec3::ONE, scale: 2.0, ..Placement::default() };
        let obstacle = Obstacle::new(Shape::Sphere { radius: 0.25 }, place);
        let mesh = obstacle_mesh(&obstacle, 0.0, [DVec3::ZERO, DVec3::ONE]);
        assert!(mesh.positions.iter().all(|p| (p.distance(DVec3::ONE) - 0.5).abs() < 1e-12));
        assert!(normals_agree(&mesh, |p| p - DVec3::ONE));
        assert_eq!(
            mesh.positions.len() + mesh.faces.len() - 3 * mesh.faces.len() / 2,
            2,
            "Euler characteristic"
        );
    }

    #[test]
    fn a_capsule_and_a_box_lie_on_their_surfaces_and_face_outward() {
        let place = Placement { translate: DVec3::ONE, rotate_deg: DVec3::new(10.0, 40.0, 70.0), scale: 2.0 };
        let shapes = [
            Shape::Capsule { radius: 0.1, half_length: 0.3 },
            Shape::Box { half_size: DVec3::new(0.1, 0.2, 0.3) },
        ];
        for shape in shapes {
            let obstacle = Obstacle::new(shape, place);
            let mesh = obstacle_mesh(&obstacle, 0.0, [DVec3::ZERO, DVec3::ONE]);
            let surface = obstacle.over_substep(0.0, 0.0).shape;
            assert!(mesh.positions.iter().all(|p| surface.signed_distance(*p).0.abs() < 1e-12));
            assert!(normals_agree(&mesh, |p| p - DVec3::ONE), "{shape:?}");
        }
    }

    #[test]
    fn a_plane_is_a_square_below_the_scene_that_faces_its_normal() {
        let obstacle =
            Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::at(DVec3::new(90.0, -1.0, 0.0)));
        let body = obstacle_body(&obstacle, 0.0, [DVec3::ZERO, DVec3::ONE]);
        assert_eq!(body.kind, BodyKind::Floor);
        let [low, high] = body.mesh.bounds().unwrap();
        assert!((0.5 * (low + high)).distance(DVec3::new(0.5, -1.0, 0.5)) < 1e-12);
        assert!(body.mesh.positions.iter().all(|p| (p.y + 1.0).abs() < 1e-12));
        assert!(normals_agree(&body.mesh, |_| DVec3::Y));
    }
}
