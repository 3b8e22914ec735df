//! Material points of bodies.

use glam::{DVec2, DVec3};
use taffeta_core::{PanelError, PanelPoint};

/// A material point of a body: it stays the same when the body moves, and when a cloth is remeshed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyPoint {
    /// A point of a cloth with material coordinates. One beside its panel is taken to the nearest point of it.
    Panel(PanelPoint),
    /// The point that was nearest to a place in the world at time 0 \[m\]: for ropes and for cloths without material
    /// coordinates, and for others too.
    Start(DVec3),
}

impl From<PanelPoint> for BodyPoint {
    fn from(point: PanelPoint) -> Self {
        Self::Panel(point)
    }
}

/// Material coordinates \[m\] of the only panel that covers them.
impl From<DVec2> for BodyPoint {
    fn from(material: DVec2) -> Self {
        Self::Panel(material.into())
    }
}

/// A place in the world at time 0 \[m\].
impl From<DVec3> for BodyPoint {
    fn from(start: DVec3) -> Self {
        Self::Start(start)
    }
}

impl BodyPoint {
    /// Returns whether all of its coordinates are finite.
    pub(crate) fn is_finite(&self) -> bool {
        match self {
            Self::Panel(point) => point.material.is_finite(),
            Self::Start(start) => start.is_finite(),
        }
    }
}

impl std::fmt::Display for BodyPoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Panel(PanelPoint { panel: Some(panel), material }) => {
                write!(f, "{material} of panel {panel}")
            }
            Self::Panel(PanelPoint { panel: None, material }) => write!(f, "{material}"),
            Self::Start(start) => write!(f, "{start}"),
        }
    }
}

/// Reason why a body has no such material point.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointError {
    /// It has no surface.
    #[error("it has neither faces nor segments")]
    NoSurface,
    /// It has no material coordinates.
    #[error("it has no material coordinates: say where the point was at time 0, as [x, y, z]")]
    NoMaterial,
    /// Its panels do not fit the point.
    #[error(transparent)]
    Panel(#[from] PanelError),
}
