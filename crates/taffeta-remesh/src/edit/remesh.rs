//! One remeshing pass: sizing, splits with flips, collapses with flips.
//!
//! Everything happens in the order of (size, key), so the same input gives the same edits. Passes that follow each other on an
//! unmoving shape come to rest. A split starts above size 1, a collapse makes nothing above [`COLLAPSE_SIZE`], and flips only
//! approach the Delaunay mesh.

use crate::attributes::SheetAttributes;
use crate::conserve::momentum::{MomentumDrift, SpinRule, restore_momenta_of_sheets};
use crate::conserve::owed::OwedMomenta;
use crate::conserve::pieces::Pieces;
use crate::conserve::redistribution::redistribute;
use crate::edit::editor::Editor;
use crate::edit::report::{Proposal, RemeshReport};
use crate::edit::rules::EditRules;
use crate::input::surface::InputTracker;
use crate::metric::Metric;
use crate::metric::enclose::dominate;
use crate::sizing::budget::keep_within_budget;
use crate::sizing::pass::Pass;
use crate::sizing::runs::limit_at_runs;
use crate::sizing::settings::RemeshSettings;
use crate::sizing::working::Working;
use crate::sizing::{Hinges, update_metrics};
use crate::transfer::popping::DisplacementBudget;
use std::collections::BTreeSet;
use taffeta_mesh::{HalfedgeMesh, VertexKey, slot_of};

/// Adapts the mesh to its shape. `veto` is asked before every collapse and flip that would otherwise be made; `true`
/// refuses it.
///
/// # Panics
/// If a face refers to a cloth, or a vertex to a pin, that does not exist; if an element has no attributes.
pub fn remesh(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    pass: &Pass,
    veto: &mut dyn FnMut(&Proposal) -> bool,
) -> RemeshReport {
    let mut report = RemeshReport::default();
    if pass.settings.iter().all(Option::is_none) {
        return report;
    }
    let rules = EditRules::of_settings(pass.settings, pass.pins);
    let mut working = start_pass(mesh, attributes, &rules);
    for (v, metric) in pass.asked.iter().filter(|(v, _)| mesh.contains_vertex(*v)) {
        let asked = &mut working.asked[slot_of(*v)];
        *asked = dominate([*asked, *metric]);
    }
    update_metrics(&mut working, pass, Hinges::ByHalf);
    limit_at_runs(&mut working, attributes);
    report.at_vertex_limit = keep_within_budget(&mut working, |cloth| pass.settings_of(cloth));
    for &v in &working.vertices {
        attributes.vertices[v].metric = working.metrics[slot_of(v)];
    }
    report.asked = working.vertices.iter().map(|&v| (v, working.metrics[slot_of(v)])).collect();
    let limit = |cloth: usize| pass.displacements.get(cloth).copied().unwrap_or(f64::INFINITY);
    let areas = working.areas().into_iter().enumerate();
    let allowance = areas.map(|(cloth, area)| DisplacementBudget::new(limit(cloth), area)).collect();
    let pieces = Pieces::measure(mesh, attributes, &working.vertices);
    let start = Start {
        mesh: &mut *mesh,
        attributes: &mut *attributes,
        rules: &rules,
        tracker: None,
        working,
        report,
        allowance,
        // Without somebody who looks at energies, rings keep theirs.
        spreads_spin: pass.is_paid_for,
    };
    let (report, working) = edit_to_metrics(start, veto);
    if report.edit_count() > 0 && !pass.is_paid_for {
        pieces.limit_energy(mesh, attributes, &working.current_vertices(mesh));
    }
    report
}

/// The metric that the present shape asks for at each vertex of the remeshed cloths where it is finer than the mesh. These
/// are the cloths with an edge that is more than `lack` times as long as the metric asks for.
pub fn find_lacks(
    mesh: &HalfedgeMesh,
    attributes: &SheetAttributes,
    pass: &Pass,
    lack: f64,
) -> Vec<(VertexKey, Metric)> {
    let touched: Vec<bool> = pass.settings.iter().map(Option::is_some).collect();
    let mut working = Working::gather(mesh, attributes, &touched);
    update_metrics(&mut working, pass, Hinges::InFull);
    limit_at_runs(&mut working, attributes);
    let mut lacks = vec![false; touched.len()];
    for row in &working.edges {
        if let Some(cloth) = working.cloths[row.ends[0] as usize] {
            lacks[cloth as usize] |= working.size_of_row(mesh, attributes, row) > lack;
        }
    }
    let is_lacking = |v: &&VertexKey| working.cloths[slot_of(**v)].is_some_and(|cloth| lacks[cloth as usize]);
    working.vertices.iter().filter(is_lacking).map(|&v| (v, working.metrics[slot_of(v)])).collect()
}

/// One pass toward the metrics that the vertices have already, those of a fixed field. What splits make is placed by the
/// tracker.
pub(crate) fn remesh_to_field(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    rules: &EditRules,
    tracker: &mut InputTracker,
    veto: &mut dyn FnMut(&Proposal) -> bool,
) -> RemeshReport {
    let working = start_pass(mesh, attributes, rules);
    let allowance = vec![DisplacementBudget::UNLIMITED; rules.max_vertices.len()];
    let report = RemeshReport::default();
    let tracker = Some(tracker);
    let start = Start { mesh, attributes, rules, tracker, working, report, allowance, spreads_spin: false };
    edit_to_metrics(start, veto).0
}

/// The metric of each given vertex from the shape as it is and the metric that it has.
pub(crate) fn shape_metrics(
    mesh: &HalfedgeMesh,
    attributes: &SheetAttributes,
    settings: &[Option<RemeshSettings>],
    vertices: &[VertexKey],
) -> Vec<Metric> {
    let touched: Vec<bool> = settings.iter().map(Option::is_some).collect();
    let mut working = Working::gather(mesh, attributes, &touched);
    update_metrics(&mut working, &Pass { settings, ..Pass::default() }, Hinges::ByHalf);
    vertices.iter().map(|&v| working.metric_of(v)).collect()
}

/// Gathers the cloths that the rules touch.
fn start_pass(mesh: &mut HalfedgeMesh, attributes: &SheetAttributes, rules: &EditRules) -> Working {
    // A run that was resumed from a checkpoint must hand out the same keys as one that was not.
    mesh.sort_free_slots();
    let touched: Vec<bool> = rules.max_vertices.iter().map(Option::is_some).collect();
    Working::gather(mesh, attributes, &touched)
}

/// A pass whose metrics are known.
struct Start<'a> {
    mesh: &'a mut HalfedgeMesh,
    attributes: &'a mut SheetAttributes,
    rules: &'a EditRules<'a>,
    tracker: Option<&'a mut InputTracker>,
    working: Working,
    report: RemeshReport,
    /// By cloth number.
    allowance: Vec<DisplacementBudget>,
    spreads_spin: bool,
}

/// Edits until the metrics are met; what was done, and the arrays as far as they are kept up.
fn edit_to_metrics(start: Start, veto: &mut dyn FnMut(&Proposal) -> bool) -> (RemeshReport, Working) {
    let Start { mesh, attributes, rules, tracker, working, mut report, allowance, spreads_spin } = start;
    let owed = OwedMomenta::default();
    report.displacements = vec![0.0; rules.max_vertices.len()];
    let budgets = rules.budgets(&working.vertex_counts);
    let drifts = vec![MomentumDrift::default(); rules.max_vertices.len()];
    let mut editor = Editor {
        mesh,
        attributes,
        rules,
        tracker,
        veto,
        working,
        report,
        budgets,
        spent: BTreeSet::new(),
        spin: if spreads_spin { SpinRule::Spread(&owed) } else { SpinRule::OnRing },
        drifts,
        allowance,
        waiting: Some(Vec::new()),
    };
    editor.split_long_edges();
    if rules.collapses {
        editor.collapse_short_edges();
    }
    let Editor { mut report, mut drifts, working, .. } = editor;
    redistribute(owed, mesh, attributes, &mut drifts);
    restore_momenta_of_sheets(mesh, attributes, &drifts);
    report.at_vertex_limit.sort_unstable();
    report.at_vertex_limit.dedup();
    (report, working)
}
