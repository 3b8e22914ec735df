//! Options of remeshing to a field.

use crate::edit::rules::{COLLAPSE_SIZE, EditRules, QUALITY_MIN, REST_TOLERANCE, RestTolerance};
use crate::input::chart::Chart;
use crate::metric::gradation::{GRADATION, SizeLimit, grade_metrics, grade_sizes};
use crate::metric::{
    Metric, bound_aspect, is_isotropic, isotropic_bound, isotropic_size, metric_of_size, size_tensor,
};
use crate::sizing::settings::BadSetting;
use taffeta_core::Region;
use taffeta_core::math::Sym2;

/// Sweeps over the edges of the input until the gradation has spread. Each way that a bound takes through the mesh needs
/// as many as it turns back against the numbering; after more than these the rest stays ungraded.
const SWEEPS: usize = 200;

/// Rounds of gradation of tensors with seams. What is made the same in all directions at a seam asks for a little more around
/// it, and that for less at the next seam.
const SEAM_ROUNDS: usize = 4;

/// Size above which an edge is split: an edge that has the wanted length is fine, also within round-off.
const LONGEST: f64 = 1.0 + 1e-9;

/// Largest distance of a shape in space from the input, as a part of the diagonal of the box around a piece. A ball is then
/// coarsened to edges of about a fifth of its radius, and loses a percent of its volume.
const PIECE_TOLERANCE: f64 = 0.002;

/// Allowance for collapses where no gradation bounds the change of the metric.
const NONUNIFORM: f64 = f64::INFINITY;

/// Options of remeshing to a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldOptions {
    /// Most passes, at least 1. Remeshing ends earlier when nothing is left to do.
    pub passes: u32,
    /// Most splits and collapses of a pass; `None`: one per vertex, at least 1000.
    pub budget: Option<usize>,
    /// Most vertices of each connected piece; no split is made beyond.
    pub max_vertices: usize,
    /// The wanted size grows at most by this factor per edge of wanted length, greater than 1. `None`: the field is taken
    /// as it is. A field that jumps gives triangles that are badly shaped, and edges that cannot be collapsed.
    pub gradation: Option<f64>,
    /// Largest ratio of the wanted sizes in two directions, at least 1; the larger one is reduced.
    pub aspect: f64,
    /// Longest edge that a collapse may make, in wanted lengths, from 0.5 to 1. Edges come to rest between about half of it
    /// and 1. Close to 1 the mesh fits the field best; the gap keeps edges from coming and going where one field follows
    /// another that differs little.
    pub collapse_size: f64,
    /// Least shape quality of a triangle that a collapse makes, `12√3 · A/perimeter²` in the metric, from 0 to 1. If the worst
    /// triangle around is worse already, it must not get worse.
    pub quality: f64,
    /// Largest distance of the surface from the input where there are no material coordinates \[m\]. `None`: a tenth of the
    /// wanted length at each place ([`REST_TOLERANCE`]), and at most 0.2 % of the diagonal of the box around the piece. The
    /// latter keeps the shape of a piece that is smaller than the wanted length.
    pub rest_tolerance: Option<f64>,
    /// True if edges may be flipped.
    pub flips: bool,
    /// True if edges may be collapsed.
    pub collapses: bool,
}

impl Default for FieldOptions {
    fn default() -> Self {
        Self {
            passes: 100,
            budget: None,
            max_vertices: 1_000_000,
            gradation: Some(GRADATION),
            aspect: 10.0,
            collapse_size: COLLAPSE_SIZE,
            quality: QUALITY_MIN,
            rest_tolerance: None,
            flips: true,
            collapses: true,
        }
    }
}

impl FieldOptions {
    /// Checks every range.
    ///
    /// # Errors
    /// The first option that is out of range.
    pub fn validate(&self) -> Result<(), BadSetting> {
        let Self { passes, max_vertices, gradation, aspect, .. } = *self;
        let refuse = |name, value, allowed| Err(BadSetting { name, value, allowed });
        if passes == 0 {
            return refuse("passes", 0.0, "at least 1");
        }
        if max_vertices == 0 {
            return refuse("max_vertices", 0.0, "at least 1");
        }
        if let Some(beta) = gradation.filter(|beta| !beta.is_finite() || *beta <= 1.0) {
            return refuse("gradation", beta, "finite and greater than 1");
        }
        if !aspect.is_finite() || aspect < 1.0 {
            return refuse("aspect", aspect, "finite and at least 1");
        }
        if !(0.5..=1.0).contains(&self.collapse_size) {
            return refuse("collapse_size", self.collapse_size, "from 0.5 to 1");
        }
        if !(0.0..=1.0).contains(&self.quality) {
            return refuse("quality", self.quality, "from 0 to 1");
        }
        if let Some(tolerance) = self.rest_tolerance.filter(|length| !length.is_finite() || *length <= 0.0) {
            return refuse("rest_tolerance", tolerance, "finite and greater than 0");
        }
        Ok(())
    }

    /// The rules of the passes, by the extents \[m\] of the connected pieces.
    pub(super) fn rules<'a>(&self, extents: &[f64], pins: &'a [Region]) -> EditRules<'a> {
        let rules = EditRules::of_settings(&[], pins);
        let tolerance = |extent: &f64| match self.rest_tolerance {
            Some(length) => RestTolerance { length, part: f64::INFINITY },
            None => RestTolerance { length: PIECE_TOLERANCE * extent, part: REST_TOLERANCE },
        };
        EditRules {
            max_vertices: vec![Some(self.max_vertices); extents.len()],
            rest_tolerances: extents.iter().map(tolerance).collect(),
            budget: self.budget,
            split_size: LONGEST,
            collapse_size: self.collapse_size,
            // Who says what a collapse may make means it.
            sliver_size: self.collapse_size,
            quality: self.quality,
            flips: self.flips,
            collapses: self.collapses,
            looks_around: true,
            nonuniform: if self.gradation.is_some() { rules.nonuniform } else { NONUNIFORM },
            ..rules
        }
    }

    /// Bounds aspect and gradation of the metrics of the input vertices; the wanted sizes as tensors \[m\]. Where
    /// charts meet, at the vertices of seams, sizes are the same in all directions.
    pub(super) fn size_field(
        &self,
        chart: &Chart,
        mut metrics: Vec<Metric>,
        is_on_seam: &[bool],
    ) -> Vec<Sym2> {
        for metric in metrics.iter_mut().filter(|metric| !is_isotropic(metric)) {
            *metric = bound_aspect(metric, self.aspect);
        }
        round_at_seams(&mut metrics, is_on_seam);
        let Some(beta) = self.gradation else { return metrics.iter().map(size_tensor).collect() };
        let limits = sides(chart);
        if metrics.iter().all(is_isotropic) {
            let mut sizes: Vec<f64> = metrics.iter().map(isotropic_size).collect();
            grade_sizes(&limits, &mut sizes, beta, SWEEPS);
            return sizes.into_iter().map(Sym2::diagonal).collect();
        }
        // What a seam takes over from one side counts in all directions, also beyond it.
        for _ in 0..SEAM_ROUNDS {
            grade_metrics(&limits, &mut metrics, beta, SWEEPS);
            if !round_at_seams(&mut metrics, is_on_seam) {
                break;
            }
        }
        // Gradation is isotropic far from where it comes from, so it keeps the bound up to round-off.
        metrics.iter().map(size_tensor).collect()
    }
}

/// Makes the metrics at seams the same in all directions; whether any has changed.
fn round_at_seams(metrics: &mut [Metric], is_on_seam: &[bool]) -> bool {
    let mut has_changed = false;
    for (metric, _) in metrics.iter_mut().zip(is_on_seam).filter(|(metric, on)| **on && !is_isotropic(metric))
    {
        *metric = isotropic_bound(metric);
        has_changed = true;
    }
    has_changed
}

/// The edges of the input. Each inner one comes from both of its faces, and is taken from one of them; a seam from both.
fn sides(chart: &Chart) -> Vec<SizeLimit> {
    let mut limits = Vec::with_capacity(2 * chart.faces.len());
    for (face, vertices) in (0u32..).zip(&chart.faces) {
        let corners = chart.corners(face);
        for k in 0..3 {
            if chart.panels.neighbors[face as usize][k].is_some_and(|other| other < face) {
                continue;
            }
            let ends = [k, (k + 1) % 3];
            let edge = corners[ends[1]] - corners[ends[0]];
            limits.push(SizeLimit { ends: ends.map(|k| vertices[k] as usize), edge });
        }
    }
    limits
}

/// The isotropic metric of a size \[m\].
pub(super) fn metric_of(size: f64) -> Metric {
    metric_of_size(size)
}
