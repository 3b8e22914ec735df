//! Runs of the boundary that are being sewn, as the sizing field sees them.
//!
//! Their edges stay whole, for their vertices have partners on the other side. A triangle at such an edge has another one of at
//! least half its length, whatever is split. If the field asked for less, splits would go on without end, toward triangles
//! without height. So the wanted size is at least that of the run there, and less by the distance from it further in.

use crate::attributes::SheetAttributes;
use crate::sizing::working::{EdgeRow, Working};
use taffeta_mesh::slot_of;

/// Sweeps over the edges at most: the bounds reach as far as a run's edge is long, a few edges in a fine mesh.
const SWEEPS: usize = 16;

/// Bounds the metrics around runs that are being sewn.
pub(crate) fn limit_at_runs(working: &mut Working, attributes: &SheetAttributes) {
    let mut is_stitched = vec![false; working.metrics.len()];
    for v in &working.vertices {
        is_stitched[slot_of(*v)] = attributes.vertices[*v].is_stitched;
    }
    if !is_stitched.contains(&true) {
        return;
    }
    let lengths: Vec<f64> = working.edges.iter().map(|row| working.shorter_span(row).length()).collect();
    let on_run =
        |row: &EdgeRow| row.faces.contains(&None) && row.ends.iter().all(|slot| is_stitched[*slot as usize]);
    let mut bounds = vec![0.0_f64; working.metrics.len()];
    for (row, length) in working.edges.iter().zip(&lengths).filter(|(row, _)| on_run(row)) {
        for slot in row.ends {
            let bound = &mut bounds[slot as usize];
            *bound = bound.max(*length);
        }
    }
    for _ in 0..SWEEPS {
        let mut has_changed = false;
        for (row, length) in working.edges.iter().zip(&lengths) {
            let [a, b] = row.ends.map(|slot| slot as usize);
            for (from, to) in [(a, b), (b, a)] {
                let reached = bounds[from] - length;
                has_changed |= reached > bounds[to];
                bounds[to] = bounds[to].max(reached);
            }
        }
        if !has_changed {
            break;
        }
    }
    for (metric, bound) in working.metrics.iter_mut().zip(bounds).filter(|(_, bound)| *bound > 0.0) {
        *metric = metric.map_eigenvalues(|wanted| wanted.min(1.0 / (bound * bound)));
    }
}
