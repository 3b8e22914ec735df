//! Regions of a sheet, as pins select them.

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

/// Slack of a region's limits, relative to the largest coordinate, so that a grid line on the limit is inside.
const SLACK: f64 = 1e-9;

/// A part of a sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Region {
    /// Everything inside a world box at time 0 \[m\]: two opposite corners.
    Box([DVec3; 2]),
    /// Everything inside a box in material space \[m\].
    MaterialBox([DVec2; 2]),
    /// The whole boundary of the cloth.
    Boundary,
    /// Vertices of the input mesh by number.
    Vertices(Vec<u32>),
}

impl Region {
    /// Returns whether a material point inside the sheet belongs to the region, by its world position at time 0 \[m\]
    /// and its material coordinates \[m\]. Boundaries and vertex lists have no inside: `false`.
    pub fn contains_point(&self, start: DVec3, material: Option<DVec2>) -> bool {
        match self {
            Region::Box([a, b]) => {
                let (low, high) = (a.min(*b), a.max(*b));
                let slack = DVec3::splat(SLACK * low.abs().max(high.abs()).max_element());
                start.cmpge(low - slack).all() && start.cmple(high + slack).all()
            }
            Region::MaterialBox([a, b]) => material.is_some_and(|u| {
                let (low, high) = (a.min(*b), a.max(*b));
                let slack = DVec2::splat(SLACK * low.abs().max(high.abs()).max_element());
                u.cmpge(low - slack).all() && u.cmple(high + slack).all()
            }),
            Region::Boundary | Region::Vertices(_) => false,
        }
    }
}
