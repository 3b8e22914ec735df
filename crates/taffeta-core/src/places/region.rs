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
    /// Everything inside a box in material space \[m\], on any panel.
    MaterialBox([DVec2; 2]),
    /// The whole boundary of the cloth.
    Boundary,
    /// Vertices of the input mesh by number.
    Vertices(Vec<u32>),
    /// Everything of one panel inside a box in its material coordinates \[m\].
    PanelBox {
        /// The panel, by its number in the cloth.
        panel: u32,
        /// Two opposite corners.
        corners: [DVec2; 2],
    },
}

impl Region {
    /// Returns whether a material point inside the sheet belongs to the region. Its position is that in the world at time 0
    /// \[m\]. Its material coordinates \[m\] must be those on the panel of a [`PanelBox`](Self::PanelBox). Boundaries and
    /// vertex lists have no inside: `false`.
    pub fn contains_point(&self, start: DVec3, material: Option<DVec2>) -> bool {
        match self {
            Region::Box([a, b]) => {
                let (low, high) = (a.min(*b), a.max(*b));
                let slack = DVec3::splat(SLACK * low.abs().max(high.abs()).max_element());
                start.cmpge(low - slack).all() && start.cmple(high + slack).all()
            }
            Region::MaterialBox([a, b]) | Region::PanelBox { corners: [a, b], .. } => {
                material.is_some_and(|u| {
                    let (low, high) = (a.min(*b), a.max(*b));
                    let slack = DVec2::splat(SLACK * low.abs().max(high.abs()).max_element());
                    u.cmpge(low - slack).all() && u.cmple(high + slack).all()
                })
            }
            Region::Boundary | Region::Vertices(_) => false,
        }
    }

    /// Returns whether a box in material space contains a corner of a face, by its panel and its coordinates \[m\].
    pub fn contains_corner(&self, panel: u32, material: DVec2) -> bool {
        let is_own = match self {
            Region::MaterialBox(_) => true,
            Region::PanelBox { panel: own, .. } => *own == panel,
            Region::Box(_) | Region::Boundary | Region::Vertices(_) => false,
        };
        is_own && self.contains_point(DVec3::ZERO, Some(material))
    }
}
