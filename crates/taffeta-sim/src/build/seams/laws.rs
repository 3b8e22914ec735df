//! Laws of seams: lengths, gaps and stiffnesses of their threads.

use crate::build::seams::runs::Outline;
use crate::model::description::{ClothDescription, SeamDescription, SeamSides, WorldDescription};
use crate::model::report::error::BuildError;
use crate::model::report::seam_error::{SeamDefect, SeamError};
use crate::model::setup::seams::{
    GENTLE_LOOSENING, LOOSE_PART, LOOSENING, STIFFNESS, SeamLaw, SeamState, Sewing,
};
use crate::model::state::sheet::KeyedSheet;
use std::ops::Range;
use taffeta_core::Region;
use taffeta_mesh::{HalfedgeMesh, VertexKey, WeldBlocked};

/// The seams of all cloths, which have been paired.
fn seam_laws(description: &WorldDescription) -> Vec<SeamLaw> {
    let is_heavy = description.simulation.gravity_while_sewing;
    let of_cloth = |(number, cloth): (usize, &ClothDescription)| {
        let outline = (!cloth.seams.is_empty()).then(|| Outline::new(&cloth.mesh));
        let thickness = description.contact_thickness.unwrap_or(cloth.material.thickness);
        let law = |(seam, description): (usize, &SeamDescription)| {
            let (shares, shortest) = outline.as_ref().map(|outline| measure(cloth, outline, description))?;
            let edge = LOOSE_PART * shortest;
            Some(SeamLaw {
                cloth: number,
                number: seam,
                time: description.time,
                stiffness: STIFFNESS * cloth.material.stretch[0].max(cloth.material.stretch[1]),
                holds: vec![false; shares.len()],
                shares,
                loosening: if is_heavy { LOOSENING } else { GENTLE_LOOSENING },
                loose: if thickness > 0.0 { thickness.min(edge) } else { edge },
            })
        };
        cloth.seams.iter().enumerate().filter_map(law).collect::<Vec<_>>()
    };
    description.cloths.iter().enumerate().flat_map(of_cloth).collect()
}

/// The length that each pair of a seam stands for, and its shortest edge \[m\].
fn measure(cloth: &ClothDescription, outline: &Outline, seam: &SeamDescription) -> (Vec<f64>, f64) {
    let SeamSides::Pairs(pairs) = &seam.sides else { return (Vec::new(), f64::INFINITY) };
    let mut members: Vec<u32> = pairs.iter().flatten().copied().collect();
    members.sort_unstable();
    let is_member = |v: u32| members.binary_search(&v).is_ok();
    let after = |v: u32| is_member(outline.next(v)).then(|| outline.length_after(&cloth.mesh, v));
    let before = |v: u32| {
        let previous = outline.previous(v);
        is_member(previous).then(|| outline.length_after(&cloth.mesh, previous))
    };
    let around = |v: u32| [before(v), after(v)].into_iter().flatten();
    // Half of the edge on either side, the mean of both runs.
    let share = |pair: &[u32; 2]| 0.25 * pair.iter().flat_map(|v| around(*v)).sum::<f64>();
    let shortest = members.iter().flat_map(|v| around(*v)).fold(f64::INFINITY, f64::min);
    let shortest = if shortest.is_finite() { shortest } else { 0.0 };
    (pairs.iter().map(share).collect(), shortest)
}

/// The seams of a world that is about to be built, and their laws. `vertices` are the keys of the vertices of all cloths,
/// cloth by cloth. Whether the seams leave a surface is tried on a copy.
pub(crate) fn begin_sewing(
    description: &WorldDescription,
    keyed: &mut KeyedSheet,
    vertices: &[VertexKey],
    offsets: &[usize],
) -> Result<Vec<SeamLaw>, BuildError> {
    let mut laws = seam_laws(description);
    let mut sewing = Sewing::default();
    for (number, cloth) in description.cloths.iter().enumerate() {
        for sides in cloth.seams.iter().map(|seam| &seam.sides) {
            let SeamSides::Pairs(pairs) = sides else { continue };
            let key = |v: u32| vertices[offsets[number] + v as usize];
            let x = &cloth.mesh.positions;
            let gaps = pairs.iter().map(|[a, b]| x[*b as usize] - x[*a as usize]).collect();
            let pairs = pairs.iter().map(|pair| pair.map(key)).collect();
            sewing.seams.push(SeamState { pairs, gaps, closed: None });
        }
    }
    if sewing.seams.is_empty() {
        return Ok(laws);
    }
    let trial = KeyedSheet { sewing: sewing.clone(), ..keyed.clone() };
    try_seams(trial, &mut laws).map_err(|(seam, reason)| {
        let SeamLaw { cloth, number, .. } = laws[seam];
        let built = vertices.iter().position(|v| *v == reason.vertex());
        let vertex = built.map_or(0, |place| (place - offsets[cloth]) as u32);
        let error = SeamError { seam: number, defect: SeamDefect::NoSurface { vertex, reason } };
        BuildError::Seam { cloth: description.cloths[cloth].name.clone(), error }
    })?;
    sewing.mark(keyed);
    keyed.sewing = sewing;
    Ok(laws)
}

/// Closes all seams of a copy, the longest runs first, and notes where a third layer is to be held by threads: three faces at
/// an edge are no surface. An error comes with the number of its seam.
fn try_seams(mut trial: KeyedSheet, laws: &mut [SeamLaw]) -> Result<(), (usize, WeldBlocked)> {
    // What pins hold does not matter for the surface.
    let pins: Vec<Region> = vec![Region::Boundary; 1 + max_pin(&trial)];
    let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
    for (seam, state) in trial.sewing.seams.iter().enumerate() {
        runs.extend(runs_of(&trial.mesh, &state.pairs).into_iter().map(|run| (seam, run)));
    }
    let length =
        |(seam, run): &(usize, Range<usize>)| -> f64 { laws[*seam].shares[run.clone()].iter().sum() };
    runs.sort_by(|a, b| length(b).total_cmp(&length(a)));
    for (seam, run) in runs {
        let pairs = trial.sewing.seams[seam].pairs[run.clone()].to_vec();
        if is_inner(&trial.mesh, &pairs) {
            laws[seam].holds[run].fill(true);
        } else {
            trial.weld(&pairs, &pins).map_err(|reason| (seam, reason))?;
        }
    }
    Ok(())
}

/// Returns whether an edge of one side of a run has two faces already.
fn is_inner(mesh: &HalfedgeMesh, run: &[[VertexKey; 2]]) -> bool {
    let edge = |p: VertexKey, q: VertexKey| mesh.find_halfedge(p, q).map(|halfedge| halfedge.edge);
    let mut edges = run.windows(2).flat_map(|w| [edge(w[0][0], w[1][0]), edge(w[0][1], w[1][1])]);
    edges.any(|e| e.is_some_and(|e| !mesh.is_boundary_edge(e)))
}

/// The runs of a list of pairs: as long as pairs are neighbors on both sides.
fn runs_of(mesh: &HalfedgeMesh, pairs: &[[VertexKey; 2]]) -> Vec<Range<usize>> {
    let are_neighbors = |p: VertexKey, q: VertexKey| p == q || mesh.find_halfedge(p, q).is_some();
    let is_same =
        |p: &[VertexKey; 2], q: &[VertexKey; 2]| are_neighbors(p[0], q[0]) && are_neighbors(p[1], q[1]);
    let mut start = 0;
    let chunks = pairs.chunk_by(is_same).map(|chunk| {
        start += chunk.len();
        start - chunk.len()..start
    });
    chunks.collect()
}

fn max_pin(keyed: &KeyedSheet) -> usize {
    keyed
        .attributes
        .vertices
        .iter()
        .filter_map(|(_, v)| v.hold)
        .map(|hold| hold.pin as usize)
        .max()
        .unwrap_or(0)
}
