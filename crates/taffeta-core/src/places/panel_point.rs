//! Places on cloths: a panel and a point in its material coordinates.
//!
//! The charts of panels may overlap, as the front and the back of a garment do that are drawn on each other. Then
//! material coordinates alone are no place: several panels cover them, and the panel must be named.

use crate::geometry::closest_point_on_triangle;
use glam::{DVec2, DVec3};

/// Distance beside a panel within which it covers a point, relative to the size of all panels together.
const SLACK: f64 = 1e-6;

/// A place on a cloth with material coordinates: the same point of the material, whatever its mesh is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PanelPoint {
    /// The panel, by its number in the cloth; `None`: the only one that covers the point.
    pub panel: Option<u32>,
    /// The point in the material coordinates of the panel \[m\].
    pub material: DVec2,
}

impl PanelPoint {
    /// A point \[m\] of a panel.
    pub fn on(panel: u32, material: DVec2) -> Self {
        Self { panel: Some(panel), material }
    }
}

/// A point \[m\] of the only panel that covers it.
impl From<DVec2> for PanelPoint {
    fn from(material: DVec2) -> Self {
        Self { panel: None, material }
    }
}

/// Reason why a point is on no panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PanelError {
    /// There is no such panel.
    Unknown {
        /// Its number.
        panel: u32,
        /// Number of panels.
        count: u32,
    },
    /// Several panels cover the point, or are equally near to it, and none was named.
    Several(Vec<u32>),
}

impl std::error::Error for PanelError {}

impl std::fmt::Display for PanelError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown { panel, count: 1 } => write!(f, "there is no panel {panel}, but only panel 0"),
            Self::Unknown { panel, count } => {
                write!(f, "there is no panel {panel}, but panels 0 to {}", count - 1)
            }
            Self::Several(panels) => {
                let names: Vec<String> = panels.iter().map(u32::to_string).collect();
                write!(
                    f,
                    "it is on several panels: {}; say on which, as in `panel = {}`",
                    names.join(", "),
                    names[0]
                )
            }
        }
    }
}

/// The point of a face that is nearest to a wanted one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The face, counted in the order of the search.
    pub face: u32,
    /// Barycentric weights of its corners.
    pub weights: [f64; 3],
    /// The panel of the face.
    pub panel: u32,
    /// The point \[m\].
    pub point: DVec3,
    /// Its distance from the wanted one \[m\].
    pub distance: f64,
}

/// The nearest points of all panels, and which of them are meant.
#[derive(Clone, Debug)]
pub struct PanelSearch {
    /// The nearest point of each panel, by number; `None`: it has no face.
    best: Vec<Option<Nearest>>,
    slack: f64,
}

impl PanelSearch {
    /// Searches faces, given by their panels and their corners \[m\]. The first of equally near ones is taken.
    pub fn run(faces: impl Iterator<Item = (u32, [DVec3; 3])>, wanted: DVec3) -> Self {
        let mut best: Vec<Option<Nearest>> = Vec::new();
        let [mut low, mut high] = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        for (face, (panel, corners)) in (0..).zip(faces) {
            (low, high) = corners.iter().fold((low, high), |(low, high), x| (low.min(*x), high.max(*x)));
            let found = nearest_on(face, panel, corners, wanted);
            best.resize(best.len().max(panel as usize + 1), None);
            let known = &mut best[panel as usize];
            if known.is_none_or(|known| found.distance < known.distance) {
                *known = Some(found);
            }
        }
        Self { best, slack: SLACK * (high - low).max_element().max(0.0) }
    }

    /// The nearest point of all panels; of the first of those that are equally near. `None`: there are no faces.
    fn nearest(&self) -> Option<Nearest> {
        let closer = |a: Nearest, b: Nearest| if b.distance < a.distance { b } else { a };
        self.best.iter().flatten().copied().reduce(closer)
    }

    /// Distance beside a panel within which it covers the point \[m\].
    pub fn slack(&self) -> f64 {
        self.slack
    }

    /// The nearest point of a panel or, without one, of the only panel that covers the wanted point. If none does, the
    /// nearest panel counts. `Ok(None)`: there are no faces.
    ///
    /// # Errors
    /// If there is no such panel, or if several cover the point or are equally near.
    pub fn choose(&self, panel: Option<u32>) -> Result<Option<Nearest>, PanelError> {
        let Some(nearest) = self.nearest() else { return Ok(None) };
        if let Some(panel) = panel {
            let found = self.best.get(panel as usize).copied().flatten();
            let count = self.best.len() as u32;
            return found.map(Some).ok_or(PanelError::Unknown { panel, count });
        }
        let is_near = |other: &&Nearest| other.distance <= nearest.distance + self.slack;
        let panels: Vec<u32> = self.best.iter().flatten().filter(is_near).map(|other| other.panel).collect();
        if panels.len() > 1 { Err(PanelError::Several(panels)) } else { Ok(Some(nearest)) }
    }
}

/// The point of a face, given by its number, its panel and its corners \[m\], that is nearest to a wanted one.
pub fn nearest_on(face: u32, panel: u32, corners: [DVec3; 3], wanted: DVec3) -> Nearest {
    let weights = closest_point_on_triangle(wanted, corners);
    let point: DVec3 = corners.iter().zip(weights).map(|(x, w)| *x * w).sum();
    Nearest { face, weights, panel, point, distance: point.distance(wanted) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two panels that overlap between 1 and 2 along x.
    fn search(x: f64) -> PanelSearch {
        let strip = |from: f64, to: f64| [from, to, to].map(|x| DVec3::new(x, 0.0, 0.0));
        let mut faces = [strip(0.0, 2.0), strip(1.0, 3.0)];
        faces.iter_mut().for_each(|corners| corners[2].y = 1.0);
        PanelSearch::run([0, 1].into_iter().zip(faces), DVec3::new(x, 0.0, 0.0))
    }

    #[test]
    fn one_panel_that_covers_a_point_is_meant_and_several_are_named() {
        let panel = |x: f64| search(x).choose(None).map(|found| found.unwrap().panel);
        assert_eq!((panel(0.5), panel(2.5)), (Ok(0), Ok(1)));
        assert_eq!(panel(1.5), Err(PanelError::Several(vec![0, 1])));
        // Beside both the nearer one counts.
        assert_eq!((panel(-1.0), panel(4.0)), (Ok(0), Ok(1)));
        assert!((search(0.5).slack() - 3e-6).abs() < 1e-18);
        let text = panel(1.5).unwrap_err().to_string();
        assert_eq!(text, "it is on several panels: 0, 1; say on which, as in `panel = 0`");
    }

    #[test]
    fn a_named_panel_is_taken_and_an_unknown_one_refused() {
        for (panel, x) in [(0, 1.5), (1, 1.5), (1, 1.0)] {
            let found = search(1.5).choose(Some(panel)).unwrap().unwrap();
            assert_eq!(found.panel, panel, "{x}");
        }
        let far = search(0.25).choose(Some(1)).unwrap().unwrap();
        assert_eq!((far.point, far.distance), (DVec3::X, 0.75));
        let error = search(1.5).choose(Some(7)).unwrap_err();
        assert_eq!(error.to_string(), "there is no panel 7, but panels 0 to 1");
    }

    #[test]
    fn without_faces_there_is_nothing() {
        let empty = PanelSearch::run(std::iter::empty(), DVec3::ZERO);
        assert_eq!((empty.choose(None), empty.nearest()), (Ok(None), None));
    }
}
