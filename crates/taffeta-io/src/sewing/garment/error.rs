//! Defects of sewing patterns.

use crate::sewing::outline::{TooFine, show};
use glam::DVec2;
use std::fmt;
use std::path::PathBuf;

/// Why a file cannot become a garment.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GarmentError {
    /// The file cannot be read.
    #[error("cannot read the garment {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Something is wrong with the pattern.
    #[error("{}: {place}{defect}", path.display())]
    Pattern {
        /// The file.
        path: PathBuf,
        /// Where.
        place: GarmentPlace,
        /// The defect.
        defect: Box<GarmentDefect>,
    },
    /// The mesh would be absurdly fine.
    #[error(
        "{}: {why}; panel {panel:?} is {}: choose a larger edge_length, or correct `units_in_meter` of the pattern (100: its \
         lengths are in cm)",
        path.display(), why.show_size()
    )]
    TooFine {
        /// The file.
        path: PathBuf,
        /// The largest panel.
        panel: String,
        /// The number of faces.
        why: TooFine,
    },
}

/// A place in a pattern, and its defect.
pub(super) type Refusal = (GarmentPlace, GarmentDefect);

/// Place in a pattern that a message is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GarmentPlace {
    /// The stitch, by its number.
    pub stitch: Option<usize>,
    /// The panel.
    pub panel: Option<String>,
    /// The edge of the panel, by its number.
    pub edge: Option<usize>,
}

impl GarmentPlace {
    pub(super) fn panel(name: &str) -> Self {
        Self { panel: Some(name.to_owned()), ..Self::default() }
    }

    pub(super) fn edge(panel: &str, edge: usize) -> Self {
        Self { edge: Some(edge), ..Self::panel(panel) }
    }

    pub(super) fn stitch(number: usize) -> Self {
        Self { stitch: Some(number), ..Self::default() }
    }
}

impl fmt::Display for GarmentPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stitch = self.stitch.map(|stitch| format!("stitch {stitch}"));
        let panel = self.panel.as_ref().map(|panel| format!("panel {panel:?}"));
        let edge = self.edge.map(|edge| format!("edge {edge}"));
        let parts: Vec<String> = [stitch, panel, edge].into_iter().flatten().collect();
        if parts.is_empty() { Ok(()) } else { write!(f, "{}: ", parts.join(", ")) }
    }
}

/// An edge in messages.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeInMessage {
    /// The panel.
    pub panel: String,
    /// Its number.
    pub edge: usize,
    /// Its length \[m\].
    pub length: f64,
}

impl fmt::Display for EdgeInMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { panel, edge, length } = self;
        write!(f, "edge {edge} of panel {panel:?} ({length:.4} m)")
    }
}

/// Defect of a sewing pattern. Places of points are those of the file, in meters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GarmentDefect {
    /// The file is empty.
    #[error("the file is empty; a sewing pattern is a JSON object with `pattern` and `properties`")]
    Empty,
    /// The JSON is malformed, or has other members than expected.
    #[error("{0}; the format is the GarmentCode specification: pattern.panels, pattern.stitches, properties")]
    Format(String),
    /// There is nothing to cut out.
    #[error("the pattern has no panels")]
    NoPanels,
    /// Units are impossible.
    #[error("`units_in_meter` is {0}, but must be greater than 0: 100 for lengths in cm, 1000 for mm")]
    Units(f64),
    /// Control points are in an unknown frame.
    #[error("`curvature_coords` is {0:?}, but must be \"relative\" or \"absolute\"")]
    Coords(String),
    /// A number is not finite.
    #[error("a number is not finite")]
    NotFinite,
    /// A place is absurdly far away.
    #[error(
        "a vertex is {0:.1e} m away: correct `units_in_meter` of the pattern (100: its lengths are in cm)"
    )]
    Far(f64),
    /// A panel has too few edges.
    #[error("it has {0} edges; a panel needs at least 3")]
    FewEdges(usize),
    /// An edge names no vertex.
    #[error("it ends at vertex {vertex}, but the panel has vertices 0 to {last}")]
    NoVertex {
        /// Its number.
        vertex: usize,
        /// The last one.
        last: usize,
    },
    /// Edges form no loop.
    #[error(
        "it ends at {}, but edge {next} starts at {}: the edges of a panel must follow each other as one closed loop",
        show(*end), show(*start)
    )]
    NoLoop {
        /// The next edge.
        next: usize,
        /// The end.
        end: DVec2,
        /// The start of the next.
        start: DVec2,
    },
    /// An edge has no length.
    #[error("both ends are at {}: remove the edge, or move one of its vertices", show(*.0))]
    NoLength(DVec2),
    /// The curve is of a type that there is not.
    #[error("the curvature type {0:?} is unknown: \"circle\", \"quadratic\" and \"cubic\" are read")]
    UnknownCurve(String),
    /// The numbers of a curve do not fit its type.
    #[error("{found} do not make a curve of the type {kind:?}, which needs {needed}")]
    CurveParams {
        /// The type.
        kind: &'static str,
        /// Parameters in the file.
        found: String,
        /// Parameters of the type.
        needed: &'static str,
    },
    /// A circle cannot reach both ends.
    #[error(
        "a circle of radius {radius:.4} m cannot join its ends, which are {apart:.4} m apart: the radius is at least half of that"
    )]
    SmallCircle {
        /// The radius \[m\].
        radius: f64,
        /// The distance of the ends \[m\].
        apart: f64,
    },
    /// Two edges cross or touch.
    #[error("it meets edge {other} near {}: the edges of a panel must neither cross nor touch; move a vertex or make the curve flatter", show(*at))]
    EdgesMeet {
        /// The other edge.
        other: usize,
        /// Where.
        at: DVec2,
    },
    /// An edge crosses itself.
    #[error("it crosses or touches itself near {}: make the curve flatter", show(*.0))]
    EdgeMeetsItself(DVec2),
    /// A panel has no area.
    #[error("it encloses no area: its vertices lie on one line")]
    NoArea,
    /// A panel is smaller than the edges that its mesh should have.
    #[error(
        "it is {size:.4} m large, which is less than the edge_length of {edge_length} m: choose a smaller edge_length"
    )]
    SmallerThanEdge {
        /// The larger side of the box around it \[m\].
        size: f64,
        /// The edge length asked for \[m\].
        edge_length: f64,
    },
    /// The triangulation does not take the coordinates.
    #[error("it cannot be triangulated: {reason}")]
    Untriangulable {
        /// Why not.
        reason: String,
    },
    /// A stitch is no pair of edges.
    #[error(
        "it is no pair of edges: {0}; for example [{{ \"panel\": \"front\", \"edge\": 3 }}, {{ \"panel\": \"back\", \"edge\": 1 }}]"
    )]
    NotAStitch(String),
    /// A stitch names no panel.
    #[error(
        "there is no panel {name:?}: correct the name, or remove the stitch. The panels are {}",
        list(panels)
    )]
    NoPanel {
        /// The name.
        name: String,
        /// Those that there are.
        panels: Vec<String>,
    },
    /// A stitch names no edge.
    #[error("panel {panel:?} has no edge {edge}, but edges 0 to {last}")]
    NoEdge {
        /// The panel.
        panel: String,
        /// The number.
        edge: usize,
        /// The last one.
        last: usize,
    },
    /// An edge is sewn to itself.
    #[error("edge {edge} of panel {panel:?} is sewn to itself: a stitch needs two edges")]
    SewnToItself {
        /// The panel.
        panel: String,
        /// The edge.
        edge: usize,
    },
    /// The edges of a stitch differ too much.
    #[error(
        "{} is sewn to {}: their lengths are 1 : {:.1}, but gathering ends at 1 : {limit}; make them more alike, or sew \
         the long one to several edges",
        sides[0], sides[1], sides[0].length.max(sides[1].length) / sides[0].length.min(sides[1].length)
    )]
    Lengths {
        /// The two edges.
        sides: Box<[EdgeInMessage; 2]>,
        /// The largest ratio.
        limit: f64,
    },
    /// The stitches would make a surface with one side.
    #[error(
        "it would join the right side of the cloth to its wrong side, as on a Möbius strip: reverse the order of the edges of \
         one of the panels, or {} \"right_wrong\" in this stitch",
        if *is_marked { "remove" } else { "add" }
    )]
    OneSided {
        /// True if the stitch has `right_wrong`.
        is_marked: bool,
    },
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}
