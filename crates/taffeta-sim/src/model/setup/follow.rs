//! Pins that follow an obstacle: each vertex keeps its place relative to the point of the obstacle that was nearest to it when
//! the pin took hold.
//!
//! A pin knows where the obstacle was then. The seat of a vertex follows from that and from the point that its
//! [`Hold`](taffeta_remesh::Hold) carries through edits of the mesh. So a seat is part of no state.

use crate::model::description::ids::ObstacleId;
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use taffeta_core::Pose;
use taffeta_core::geometry::closest_point_on_triangle;

/// The obstacle that a pin follows.
#[derive(Clone, Debug)]
pub(crate) struct Followed {
    pub obstacle: ObstacleId,
    pub start: Start,
}

/// Place of an obstacle when a pin took hold.
#[derive(Clone, Debug)]
pub(crate) enum Start {
    /// In closed form: it moves as a whole.
    Closed(Pose),
    /// Made of triangles.
    Mesh(Arc<Surface>),
}

/// The surface of an obstacle when a pin took hold, with the seats on it that are known.
#[derive(Debug)]
pub(crate) struct Surface {
    faces: Vec<[u32; 3]>,
    positions: Vec<DVec3>,
    /// By the bits of the points that are seated. Points become known in any order, but a seat depends on its point alone.
    seats: Mutex<BTreeMap<[u64; 3], Seat>>,
}

/// A place relative to a face.
#[derive(Clone, Copy, Debug)]
struct Seat {
    face: [u32; 3],
    /// Weights of the corners at the nearest point of the face.
    weights: [f64; 3],
    /// The way from there in the frame of the face \[m\].
    offset: DVec3,
}

/// The part of a start that a checkpoint has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum StoredStart {
    Closed(Pose),
    /// Positions of the vertices \[m\].
    Mesh(Vec<DVec3>),
}

impl Start {
    pub(crate) fn store(&self) -> StoredStart {
        match self {
            Self::Closed(pose) => StoredStart::Closed(*pose),
            Self::Mesh(surface) => StoredStart::Mesh(surface.positions.clone()),
        }
    }

    /// Takes over a start of the same kind.
    pub(crate) fn put(&mut self, stored: StoredStart) {
        match (self, stored) {
            (Self::Closed(own), StoredStart::Closed(pose)) => *own = pose,
            (Self::Mesh(own), StoredStart::Mesh(positions)) if own.positions != positions => {
                *own = Surface::new(own.faces.clone(), positions).into();
            }
            _ => {}
        }
    }

    /// Returns whether a start is of the same kind, and makes sense.
    pub(crate) fn is_like(&self, stored: &StoredStart) -> bool {
        match (self, stored) {
            (Self::Closed(_), StoredStart::Closed(pose)) => pose.find_defect().is_none(),
            (Self::Mesh(own), StoredStart::Mesh(positions)) => {
                own.positions.len() == positions.len() && positions.iter().all(|x| x.is_finite())
            }
            _ => false,
        }
    }
}

impl Surface {
    pub(crate) fn new(faces: Vec<[u32; 3]>, positions: Vec<DVec3>) -> Self {
        Self { faces, positions, seats: Mutex::default() }
    }

    /// Place of a point \[m\] of the start when the vertices of the obstacle are at `now` \[m\].
    pub(crate) fn carry(&self, point: DVec3, now: &[DVec3]) -> DVec3 {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let seat = seats.entry(point.to_array().map(f64::to_bits)).or_insert_with(|| self.seat(point));
        let corners = seat.face.map(|v| now[v as usize]);
        at(corners, seat.weights) + frame(corners) * seat.offset
    }

    /// The seat of a point at its nearest face; of several, at the first.
    fn seat(&self, point: DVec3) -> Seat {
        let corners_of = |face: [u32; 3]| face.map(|v| self.positions[v as usize]);
        let (mut nearest, mut least) = (None, f64::INFINITY);
        for face in &self.faces {
            let corners = corners_of(*face);
            // No point of a face is farther from its first corner than the farther one of the others.
            let size = corners[0].distance(corners[1]).max(corners[0].distance(corners[2]));
            if corners[0].distance(point) - size > least {
                continue;
            }
            let weights = closest_point_on_triangle(point, corners);
            let distance = at(corners, weights).distance(point);
            if distance < least {
                (nearest, least) = (Some((*face, weights)), distance);
            }
        }
        let (face, weights) = nearest.expect("obstacles have faces");
        let corners = corners_of(face);
        Seat { face, weights, offset: frame(corners).transpose() * (point - at(corners, weights)) }
    }
}

fn at(corners: [DVec3; 3], weights: [f64; 3]) -> DVec3 {
    corners.iter().zip(weights).map(|(corner, weight)| *corner * weight).sum()
}

/// Orthonormal axes of a face: along its first edge, in the face, and along its normal.
fn frame([a, b, c]: [DVec3; 3]) -> DMat3 {
    let along = (b - a).normalize_or(DVec3::X);
    let normal = along.cross(c - a).normalize_or(along.any_orthonormal_vector());
    DMat3::from_cols(along, normal.cross(along), normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_keeps_its_place_at_its_nearest_face() {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0), DVec3::splat(9.0)];
        let surface = Surface::new(vec![[1, 3, 2], [0, 1, 2], [2, 3, 4]], positions.clone());
        // Above the second face, beside the edge of the first, and on it.
        for point in [DVec3::new(0.2, 0.3, 0.1), DVec3::new(1.4, 0.5, -0.2), DVec3::new(0.6, 0.7, 0.0)] {
            assert!(surface.carry(point, &positions).distance(point) < 1e-15);
            let turn = Pose {
                rotation: DMat3::from_rotation_x(1.0) * DMat3::from_rotation_z(-2.0),
                translation: DVec3::new(0.3, -4.0, 7.0),
            };
            let moved: Vec<DVec3> = positions.iter().map(|x| turn.apply(*x)).collect();
            assert!(surface.carry(point, &moved).distance(turn.apply(point)) < 1e-14);
        }
        // One face becomes twice as long: its points go along, and their heights above it stay.
        let mut longer = positions;
        longer[1].x = 2.0;
        let there = surface.carry(DVec3::new(0.2, 0.3, 0.1), &longer);
        assert!(there.distance(DVec3::new(0.4, 0.3, 0.1)) < 1e-15, "{there}");
    }
}
