//! Rules for the edits of a pass, wherever its metric comes from.

use crate::metric::{Metric, isotropic_size};
use crate::sizing::settings::RemeshSettings;
use taffeta_core::Region;

/// Splits and collapses that a pass may make on a cloth, per vertex at its start. They are enough for a mesh to double in
/// one pass, as happens to a cloth that lands.
pub const BUDGET_PER_VERTEX: usize = 1;

/// Splits and collapses that a pass may always make on a cloth, so that a sheet of two triangles can be refined in a few passes.
pub const BUDGET_MIN: usize = 1000;

/// Size above which an edge is split.
pub const SPLIT_SIZE: f64 = 1.0;

/// Largest size of an edge that a collapse may make. The gap to 1, where splits start, keeps an edge from being split
/// and collapsed in turn.
pub const COLLAPSE_SIZE: f64 = 0.8;

/// Largest size of an edge made by a collapse that removes a sliver, relative to the size at which edges are split.
/// Next to none is split again.
const SLIVER_SHARE: f64 = 0.95;

/// Least shape quality of a triangle that a collapse may make, unless the worst around it is worse already. 0.4 is a
/// right triangle of 1 : 5; below, strain is measured badly and few edges can be flipped.
pub const QUALITY_MIN: f64 = 0.4;

/// Largest distance of a rest shape in space from that of the input, as a part of the smallest edge. A chord of length `h` on a
/// curvature `1/r` is `h²/8r` off. Ten times this limit would cost a coarse mesh of a tight tube a percent of its area. With a
/// tenth of it, tubes would not be coarsened at all.
pub const REST_TOLERANCE: f64 = 0.1;

/// Largest distance of a rest shape in space from that of the input: the smaller one of two lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RestTolerance {
    /// A length \[m\].
    pub length: f64,
    /// A part of the wanted edge length at the vertex; infinite where that does not matter.
    pub part: f64,
}

impl RestTolerance {
    /// At a vertex with a metric \[m\].
    pub(crate) fn at(&self, metric: &Metric) -> f64 {
        self.length.min(self.part * isotropic_size(metric))
    }
}

/// Allowance for the change of the metric within a ring where sizes are compared as if it were uniform. Larger costs
/// time; without it collapses in graded regions are missed.
const NONUNIFORM: f64 = 1.1;

/// See the module page.
#[derive(Clone, Debug)]
pub(crate) struct EditRules<'a> {
    /// Regions by pin number.
    pub pins: &'a [Region],
    /// No split is made beyond this number of vertices, by cloth number; `None`: the cloth is not touched.
    pub max_vertices: Vec<Option<usize>>,
    /// Largest distance of a rest shape in space from that of the input, by cloth number.
    pub rest_tolerances: Vec<RestTolerance>,
    /// Splits and collapses of a pass; `None`: as many as [`BUDGET_PER_VERTEX`] and [`BUDGET_MIN`] allow.
    pub budget: Option<usize>,
    /// Size above which an edge is split.
    pub split_size: f64,
    /// Largest size of an edge that a collapse may make, at most `split_size`.
    pub collapse_size: f64,
    /// Largest size of an edge that a collapse may make if it removes a sliver, at least `collapse_size`.
    pub sliver_size: f64,
    /// See [`QUALITY_MIN`].
    pub quality: f64,
    /// True if edges may be flipped.
    pub flips: bool,
    /// True if edges may be collapsed.
    pub collapses: bool,
    /// True if the edges around the neighbors of a collapse are looked at again, too. Where many collapses wait for
    /// each other in a row it saves a pass for each; where there is a pass per frame it costs more than it saves.
    pub looks_around: bool,
    /// See [`NONUNIFORM`]; infinite where nothing bounds the change of the metric.
    pub nonuniform: f64,
}

impl<'a> EditRules<'a> {
    /// Rules of the simulation.
    pub(crate) fn of_settings(settings: &[Option<RemeshSettings>], pins: &'a [Region]) -> Self {
        let limit = |settings: &Option<RemeshSettings>| settings.map(|settings| settings.max_vertices);
        let tolerance = |settings: &Option<RemeshSettings>| {
            let length = settings.map_or(0.0, |settings| REST_TOLERANCE * settings.size_min);
            RestTolerance { length, part: f64::INFINITY }
        };
        Self {
            pins,
            max_vertices: settings.iter().map(limit).collect(),
            rest_tolerances: settings.iter().map(tolerance).collect(),
            budget: None,
            split_size: SPLIT_SIZE,
            collapse_size: COLLAPSE_SIZE,
            sliver_size: COLLAPSE_SIZE.max(SLIVER_SHARE * SPLIT_SIZE),
            quality: QUALITY_MIN,
            flips: true,
            collapses: true,
            looks_around: false,
            nonuniform: NONUNIFORM,
        }
    }

    /// The budget of a pass over cloths of so many vertices, by cloth; or for all together, where it is given.
    pub(crate) fn budgets(&self, vertex_counts: &[usize]) -> Vec<usize> {
        let of_cloth = |count: &usize| BUDGET_MIN.max(BUDGET_PER_VERTEX * count);
        self.budget.map_or_else(|| vertex_counts.iter().map(of_cloth).collect(), |all| vec![all])
    }
}
