//! Ropes: bodies of loose vertices that segments and joints couple.
//!
//! A clamped end gets one more vertex beyond it, a guide, which moves with the pin of the end and is not drawn. The joint
//! between guide, end and second vertex holds the direction. When the pin lets go, the joint is gone, and the guide, of next to
//! no mass, stays in line with the end.

use crate::build::loose::LooseInput;
use crate::model::description::{LooseDescription, PinDescription, RopeDescription, WorldDescription};
use crate::model::report::error::BuildError;
use glam::DVec3;
use taffeta_contact::ContactSurface;
use taffeta_core::Region;
use taffeta_solve::{RopeBending, RopeModel};

/// Mass of a guide relative to its rope.
const GUIDE_MASS: f64 = 1e-9;

/// Distance of a point from the plane of its rope that counts as round-off, relative to the length of the rope.
const PLANE_SLACK: f64 = 1e-6;

/// A segment shorter than this part of the mean one joins coincident points.
const LEAST_SEGMENT: f64 = 1e-9;

impl RopeDescription {
    /// A free rope at rest with the given points \[m\] and radius \[m\].
    pub fn new(
        name: impl Into<String>,
        points: Vec<DVec3>,
        radius: f64,
        material: taffeta_solve::RopeMaterial,
    ) -> Self {
        Self {
            name: name.into(),
            points,
            radius,
            material,
            bending: RopeBending::default(),
            plane: None,
            rest_curvature: None,
            projection: Default::default(),
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            pins: Vec::new(),
        }
    }

    /// Describes what is wrong with the shape; `None` if it is valid. Checks everything that does not depend on
    /// materials, pins and solver.
    pub fn find_shape_defect(&self) -> Option<String> {
        let count = self.points.len();
        if count < 3 {
            let segments = count.saturating_sub(1);
            return Some(format!("it has {segments} segments; a rope has at least 2"));
        }
        if let Some(i) = self.points.iter().position(|x| !x.is_finite()) {
            return Some(format!("point {i} is at {}, which is not finite", self.points[i]));
        }
        let segments = || self.points.windows(2).map(|pair| pair[0].distance(pair[1]));
        let length: f64 = segments().sum();
        let least = LEAST_SEGMENT * length / (count - 1) as f64;
        if let Some(i) = segments().position(|segment| segment.is_nan() || segment <= least) {
            return Some(format!("points {i} and {} coincide", i + 1));
        }
        if self.radius.is_nan() || self.radius <= 0.0 || self.radius.is_infinite() {
            return Some(format!("its radius is {} m; it must be greater than 0", self.radius));
        }
        let Some(plane) = self.plane else {
            let missing = if self.rest_curvature.is_some() {
                "a curvature at rest"
            } else if matches!(self.bending, RopeBending::Acos { .. }) {
                "the bending model \"acos\""
            } else {
                return None;
            };
            return Some(format!("{missing} needs a plane, which says to which side the rope curls"));
        };
        if !plane.is_finite() || plane.length() == 0.0 {
            return Some(format!("its plane has the normal {plane}, which has no direction"));
        }
        if self.rest_curvature.is_some_and(|curvature| !curvature.is_finite()) {
            return Some("its curvature at rest is not finite".into());
        }
        let away = |x: &DVec3| (*x - self.points[0]).dot(plane.normalize()).abs();
        let i = self.points.iter().position(|x| away(x) > PLANE_SLACK * length)?;
        let away = away(&self.points[i]);
        Some(format!("point {i} is {away:.3e} m out of the plane with the normal {plane} through point 0"))
    }

    /// Why a pin holds nothing that it could, in words.
    pub fn find_pin_defect(&self, pin: &PinDescription) -> Option<String> {
        self.select(pin).err()
    }

    /// The points that a pin holds.
    fn select(&self, pin: &PinDescription) -> Result<Vec<usize>, String> {
        let last = self.points.len() - 1;
        let held: Vec<usize> = match &pin.region {
            Region::Vertices(list) => {
                if let Some(beyond) = list.iter().find(|i| **i as usize > last) {
                    return Err(format!(
                        "vertex {beyond} is out of range: the rope has vertices 0 to {last}"
                    ));
                }
                list.iter().map(|i| *i as usize).collect()
            }
            Region::Box(_) => {
                (0..=last).filter(|i| pin.region.contains_point(self.points[*i], None)).collect()
            }
            Region::Boundary | Region::MaterialBox(_) | Region::PanelBox { .. } => {
                return Err("it selects by the faces of a mesh, of which a rope has none".into());
            }
        };
        if held.is_empty() {
            return Err("it selects no vertex".into());
        }
        if pin.clamp && (pin.axes != [true; 3] || !held.iter().any(|i| *i == 0 || *i == last)) {
            return Err("a clamp holds the direction of an end: it must hold an end along all axes".into());
        }
        Ok(held)
    }

    fn refuse(&self, reason: String) -> BuildError {
        BuildError::BadSetting { what: format!("rope '{}'", self.name), reason }
    }

    /// The rope as a body of loose vertices, with guides beyond its clamped ends.
    pub(crate) fn to_input(&self) -> Result<LooseInput, BuildError> {
        if let Some(reason) = self.find_shape_defect() {
            return Err(self.refuse(reason));
        }
        self.material.validate().map_err(|error| self.refuse(error.to_string()))?;
        for (name, k) in [("stretch", self.projection.stretch), ("bend", self.projection.bend)] {
            if !(0.0..=1.0).contains(&k) {
                let reason = format!("its {name} stiffness as a projection is {k}; it must be from 0 to 1");
                return Err(self.refuse(reason));
            }
        }
        let last = self.points.len() - 1;
        let (mut ends, mut selected) = ([None; 2], Vec::new());
        for (number, pin) in self.pins.iter().enumerate() {
            let held = self.select(pin).map_err(|reason| self.refuse(format!("pin {number}: {reason}")))?;
            for (end, vertex) in [0, last].into_iter().enumerate() {
                if held.contains(&vertex) {
                    ends[end].get_or_insert((number, pin.clamp));
                }
            }
            selected.push(held);
        }
        // The first pin that holds an end says whether it is clamped.
        let guide_pins = ends.map(|end| end.filter(|(_, clamp)| *clamp).map(|(pin, _)| pin));
        let mut positions = self.points.clone();
        if guide_pins[1].is_some() {
            positions.push(2.0 * self.points[last] - self.points[last - 1]);
        }
        let shift = u32::from(guide_pins[0].is_some());
        if shift == 1 {
            positions.insert(0, 2.0 * self.points[0] - self.points[1]);
        }
        let pins = self.pins.iter().zip(selected).map(|(pin, held)| PinDescription {
            region: Region::Vertices(held.iter().map(|i| *i as u32 + shift).collect()),
            ..pin.clone()
        });
        let model = RopeModel {
            rest: positions.clone(),
            has_guide: guide_pins.map(|pin| pin.is_some()),
            material: self.material.clone(),
            bending: self.bending,
            plane: self.plane.map(DVec3::normalize),
            rest_curvature: self.rest_curvature,
            projection: self.projection,
        };
        let total = model.length() * self.material.density;
        let mass =
            |share: &f64| if *share > 0.0 { share * self.material.density } else { GUIDE_MASS * total };
        let description = LooseDescription {
            name: self.name.clone(),
            masses: model.shares().iter().map(mass).collect(),
            positions,
            layout: None,
            surface: ContactSurface { offset: self.radius, friction: self.material.friction },
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
            pins: pins.collect(),
        };
        let end = description.positions.len() - 1;
        let guides = [0, end].into_iter().zip(guide_pins).filter_map(|(i, pin)| Some((i, pin?))).collect();
        Ok(LooseInput { description, guides, rope: Some((model, self.radius)) })
    }
}

/// All bodies of loose vertices of a description: its loose bodies, then its ropes.
pub(crate) fn list_inputs(description: &WorldDescription) -> Result<Vec<LooseInput>, BuildError> {
    let plain = description.loose.iter().map(|body| Ok(LooseInput::plain(body.clone())));
    plain.chain(description.ropes.iter().map(RopeDescription::to_input)).collect()
}
