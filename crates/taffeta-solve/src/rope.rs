//! Ropes: cord as a cloth of dimension one.
//!
//! A rope is a chain of vertices with a stretch block on every segment and bending at every joint. The shape at rest
//! decides which blocks bend it:
//!
//! * [`RopeBend`] where it is straight;
//! * [`RopeAngle`] and [`RopeTorsion`] where it is curled;
//! * the signed [`RopeAngle`] or the published [`AcosAngle`] where it lies in a plane.
//!
//! A clamped end has one more vertex beyond it, which the pin of the end carries along. That vertex gives the direction,
//! and the joint at the end stands for half of the first segment.

use crate::block::rope::angle::turning_angle;
use crate::block::rope::torsion::LEAST_TURN;
use crate::block::{AcosAngle, Block, RopeAngle, RopeBend, RopeStretch, RopeTorsion, gather};
use crate::kinds::RopeBlocks;
use crate::material::checks::{MaterialError, check_friction, check_not_negative, check_positive};
use crate::model::ProjectionStiffness;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use taffeta_core::{Friction, VertexIndex};

/// The material of a rope in SI units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RopeMaterial {
    /// Mass per length \[kg/m\].
    pub density: f64,
    /// Axial stiffness `EA` \[N\].
    pub stretch: f64,
    /// Bending stiffness `EI` \[N·m²\]; a rope that is curled at rest resists torsion with the same stiffness.
    pub bend: f64,
    /// Damping time constant of stretch \[s\].
    pub stretch_damping: f64,
    /// Damping time constant of bending \[s\].
    pub bend_damping: f64,
    /// Friction against other bodies.
    pub friction: Friction,
}

impl RopeMaterial {
    /// A material without damping: mass per length \[kg/m\], `EA` \[N\], `EI` \[N·m²\].
    pub fn new(density: f64, stretch: f64, bend: f64) -> Self {
        let friction = Friction::default();
        Self { density, stretch, bend, stretch_damping: 0.0, bend_damping: 0.0, friction }
    }

    /// Checks all ranges.
    ///
    /// # Errors
    /// The first quantity that is out of range.
    pub fn validate(&self) -> Result<(), MaterialError> {
        check_positive(&[("density", self.density), ("stretch", self.stretch)])?;
        check_not_negative(&[
            ("bend", self.bend),
            ("stretch_damping", self.stretch_damping),
            ("bend_damping", self.bend_damping),
        ])?;
        check_friction(self.friction)
    }
}

/// Bending law of a rope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RopeBending {
    /// By its curvature.
    #[default]
    Curvature,
    /// By the published angle between the neighbors of a vertex, in a plane.
    Acos {
        /// True if left and right turns are told apart.
        has_remedy: bool,
    },
    /// Not at all.
    None,
}

/// Shape at rest, material and choice of blocks of one rope.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeModel {
    /// The vertices at rest \[m\], those beyond clamped ends included.
    pub rest: Vec<DVec3>,
    /// True for the first and the last vertex if they lie beyond a clamped end.
    pub has_guide: [bool; 2],
    /// The material.
    pub material: RopeMaterial,
    /// Bending law.
    pub bending: RopeBending,
    /// Unit normal of the plane in which its turning angles have signs; `None`: it lies in space.
    pub plane: Option<DVec3>,
    /// Curvature at rest about the normal of the plane \[1/m\]; `None`: that of the shape at rest.
    pub rest_curvature: Option<f64>,
    /// Stiffness under position-based dynamics.
    pub projection: ProjectionStiffness,
}

/// A rope among the vertices of a world.
#[derive(Clone, Copy, Debug)]
pub struct PlacedRope<'a> {
    /// The rope.
    pub model: &'a RopeModel,
    /// Its first vertex; the others follow.
    pub first: VertexIndex,
    /// True for the guides beyond the first and the last vertex if they act: a pin that lets go of an end takes its
    /// guide along.
    pub guides_act: [bool; 2],
    /// Turning angle at each vertex when it was last measured \[rad\]; 0 at the ends.
    pub last_angles: &'a [f64],
}

impl RopeModel {
    /// The vertices of the rope itself, without those beyond clamped ends.
    pub fn visible(&self) -> Range<usize> {
        usize::from(self.has_guide[0])..self.rest.len() - usize::from(self.has_guide[1])
    }

    /// Rest length of the segment after a vertex \[m\]; 0 for one that leads beyond a clamped end.
    pub fn segment_length(&self, vertex: usize) -> f64 {
        let visible = self.visible();
        let is_own = visible.contains(&vertex) && visible.contains(&(vertex + 1));
        if is_own { self.rest[vertex].distance(self.rest[vertex + 1]) } else { 0.0 }
    }

    /// Rest length of the rope \[m\].
    pub fn length(&self) -> f64 {
        (0..self.rest.len()).map(|i| self.segment_length(i)).sum()
    }

    /// The length of rope that each vertex stands for \[m\]: half of its segments; 0 beyond clamped ends.
    pub fn shares(&self) -> Vec<f64> {
        let before = |i: usize| if i > 0 { self.segment_length(i - 1) } else { 0.0 };
        (0..self.rest.len()).map(|i| 0.5 * (before(i) + self.segment_length(i))).collect()
    }

    /// The turning angle at rest of the joint after vertex `i` \[rad\].
    fn rest_angle(&self, i: usize, length: f64) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| self.rest[i + k]);
        match self.rest_curvature {
            Some(curvature) if self.plane.is_some() => curvature * length,
            _ => turning_angle(y - x, z - y, self.plane),
        }
    }
}

impl RopeBlocks {
    /// Adds the blocks of a rope.
    pub fn push(&mut self, rope: &PlacedRope<'_>) {
        let PlacedRope { model, first, guides_act, .. } = *rope;
        let first = first.0 as usize;
        self.chains.push(first..first + model.rest.len());
        let vertex = |i: usize| VertexIndex((first + i) as u32);
        let material = &model.material;
        for i in (0..model.rest.len()).filter(|i| model.segment_length(*i) > 0.0) {
            self.stretch.push(RopeStretch {
                vertices: [vertex(i), vertex(i + 1)],
                length: model.segment_length(i),
                stiffness: material.stretch,
                damping: material.stretch_damping,
            });
        }
        if material.bend == 0.0 || model.bending == RopeBending::None {
            return;
        }
        let visible = model.visible();
        let starts = if guides_act[0] { 0 } else { visible.start };
        let ends = if guides_act[1] { model.rest.len() } else { visible.end };
        for i in starts..ends.saturating_sub(2) {
            self.add_joint(rope, i, [0, 1, 2].map(|k| vertex(i + k)));
        }
        let is_curled = model.bending == RopeBending::Curvature && model.plane.is_none();
        for i in (visible.start..visible.end.saturating_sub(3)).filter(|_| is_curled) {
            let rest = [0, 1, 2, 3].map(|k| model.rest[i + k]);
            let vertices = [0, 1, 2, 3].map(|k| vertex(i + k));
            self.torsions.extend(RopeTorsion::new(vertices, rest, material.bend, material.bend_damping));
        }
    }

    fn add_joint(&mut self, rope: &PlacedRope<'_>, i: usize, vertices: [VertexIndex; 3]) {
        let model = rope.model;
        let (stiffness, damping) = (model.material.bend, model.material.bend_damping);
        let length = 0.5 * (model.segment_length(i) + model.segment_length(i + 1));
        let rest_angle = model.rest_angle(i, length);
        match (model.bending, model.plane) {
            (RopeBending::None, _) => {}
            (RopeBending::Acos { has_remedy }, plane) => {
                let plane = plane.unwrap_or(DVec3::Z);
                self.acos.push(AcosAngle {
                    vertices,
                    length,
                    rest_angle,
                    plane,
                    has_remedy,
                    stiffness,
                    damping,
                });
            }
            (RopeBending::Curvature, None) if rest_angle < LEAST_TURN => {
                self.bends.push(RopeBend { vertices, length, stiffness, damping });
            }
            (RopeBending::Curvature, plane) => self.angles.push(RopeAngle {
                vertices,
                length,
                rest_angle,
                plane,
                stiffness,
                damping,
                reference: rope.last_angles[i + 1],
            }),
        }
    }

    /// Notes the positions `x` \[m\] at the end of a step: angles continue from there.
    pub fn begin_step(&mut self, x: &[DVec3]) {
        self.angles.iter_mut().for_each(|block| block.begin_step(&gather(block.vertices, x)));
    }

    /// The largest strain of a segment in absolute value at positions `x` \[m\].
    pub fn max_strain(&self, x: &[DVec3]) -> f64 {
        self.stretch.iter().map(|b| b.strain(&gather(b.vertices, x)).abs()).fold(0.0, f64::max)
    }
}
