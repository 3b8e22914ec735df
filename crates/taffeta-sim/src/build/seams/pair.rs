//! Seams: runs of the boundary of panels that are sewn together while a world is simulated.
//!
//! ```text
//! description ──► runs ──► pairs ──────────────► stitches ──────────► weld
//!  (scene)      (boundary   (vertex for vertex,   (blocks that pull,   (one mesh; a seam as those that
//!                loops)      by arc length)        `sewing`)            come with a mesh, `close`)
//! ```
//!
//! Runs are paired when the world is made. Vertices that almost meet their partner slide to its place along the boundary. Where
//! there is none, the edge on the other side is split. So both sides have the same vertices, and both halves of every edge of
//! the seam the same share of its length.

use crate::build::seams::near::find_near_runs;
use crate::build::seams::pairing::pair_runs;
use crate::build::seams::runs::{Outline, Split};
use crate::model::description::{ClothDescription, SeamDescription, SeamSides};
use crate::model::report::seam_error::{SeamDefect, SeamError};
use taffeta_core::{Region, TriangleMesh};
use taffeta_mesh::HalfedgeMesh;

/// Finds the vertices that the seams of a cloth sew together: every seam's sides become [`SeamSides::Pairs`]. Boundary
/// vertices may be moved along the boundary, and edges split: new vertices and faces come last. Seams that are pairs already
/// are left as they are.
///
/// # Errors
/// The first seam that makes no sense, and why. The cloth may have been changed then.
pub fn pair_seams(cloth: &mut ClothDescription) -> Result<(), SeamError> {
    for seam in 0..cloth.seams.len() {
        pair_seam(cloth, seam).map_err(|defect| SeamError { seam, defect })?;
    }
    Ok(())
}

fn pair_seam(cloth: &mut ClothDescription, seam: usize) -> Result<(), SeamDefect> {
    let SeamDescription { sides, time, ease } = cloth.seams[seam].clone();
    if !(time.is_finite() && time > 0.0) {
        return Err(SeamDefect::Time { time });
    }
    if cloth.mesh.material.is_none() {
        return Err(SeamDefect::NoMaterial);
    }
    HalfedgeMesh::from_triangles(cloth.mesh.positions.len(), &cloth.mesh.faces).map_err(SeamDefect::Mesh)?;
    let mut outline = Outline::new(&cloth.mesh);
    let (found, ease) = match sides {
        SeamSides::Pairs(pairs) => return check_pairs(&outline, &pairs),
        SeamSides::Runs([a, b]) => {
            (vec![[outline.find_run(&cloth.mesh, 'a', &a)?, outline.find_run(&cloth.mesh, 'b', &b)?]], ease)
        }
        SeamSides::Near(distance) => (find_near_runs(&cloth.mesh, &outline, distance)?, true),
    };
    let mut pairs = Vec::new();
    for runs in found {
        // Runs that are found by a distance may share an edge, which the one before may have split.
        let runs = runs.map(|run| outline.with_new_vertices(run));
        let is_paired = paired_vertices(&cloth.seams, &pairs, cloth.mesh.positions.len());
        pairs.extend(pair_runs(&mut cloth.mesh, &mut outline, runs, ease, &is_paired)?);
        split_partners(cloth, &mut outline, &mut pairs);
    }
    hold_new_vertices(cloth, &outline);
    cloth.seams[seam].sides = SeamSides::Pairs(pairs);
    Ok(())
}

/// The vertices that have partners already, which must not slide away from them.
fn paired_vertices(seams: &[SeamDescription], pairs: &[[u32; 2]], count: usize) -> Vec<bool> {
    let mut is_paired = vec![false; count];
    let earlier = seams.iter().filter_map(|seam| match &seam.sides {
        SeamSides::Pairs(pairs) => Some(pairs.as_slice()),
        _ => None,
    });
    // Lists that were given may name vertices that do not exist; they are refused later.
    for v in earlier.chain([pairs]).flatten().flatten() {
        if let Some(is_paired) = is_paired.get_mut(*v as usize) {
            *is_paired = true;
        }
    }
    is_paired
}

/// Splits the partners of edges that were split after they had been paired: a third layer may want a vertex where two others
/// have none. `own` are the pairs of the seam that is being paired.
fn split_partners(cloth: &mut ClothDescription, outline: &mut Outline, own: &mut Vec<[u32; 2]>) {
    let ClothDescription { mesh, seams, .. } = cloth;
    let mut at = 0;
    // What is split here may have partners as well.
    while let Some(split) = outline.splits().get(at).copied() {
        at += 1;
        let earlier = seams.iter_mut().filter_map(|seam| match &mut seam.sides {
            SeamSides::Pairs(pairs) => Some(pairs),
            _ => None,
        });
        for pairs in earlier.chain([&mut *own]) {
            split_partner(mesh, outline, pairs, split);
        }
    }
}

/// Splits the partner of a split edge in a list of pairs, if it has one there.
fn split_partner(mesh: &mut TriangleMesh, outline: &mut Outline, pairs: &mut Vec<[u32; 2]>, split: Split) {
    let Split { vertex, ends: [tail, tip], part } = split;
    let count = pairs.len();
    for (k, side) in (0..count).flat_map(|k| [(k, 0), (k, 1)]) {
        let [p, q] = [pairs[k], pairs[(k + 1) % count]];
        let is_forward = [p[side], q[side]] == [tail, tip];
        if !is_forward && [q[side], p[side]] != [tail, tip] {
            continue;
        }
        // From the partner of the tail to that of the tip.
        let [from, to] = if is_forward { [p, q] } else { [q, p] }.map(|pair| pair[1 - side]);
        let new = if outline.follows(from, to) {
            outline.split_after(mesh, from, part)
        } else if outline.follows(to, from) {
            outline.split_after(mesh, to, 1.0 - part)
        } else {
            continue;
        };
        let pair = if side == 0 { [vertex, new] } else { [new, vertex] };
        pairs.insert(k + 1, pair);
        return;
    }
}

fn check_pairs(outline: &Outline, pairs: &[[u32; 2]]) -> Result<(), SeamDefect> {
    if pairs.is_empty() {
        return Err(SeamDefect::Short { side: 'a', count: 0 });
    }
    for (k, side) in [(0, 'a'), (1, 'b')] {
        pairs.iter().try_for_each(|pair| outline.check_vertex(side, pair[k]))?;
    }
    Ok(())
}

/// Adds to a pin the new vertices on edges whose two ends it holds by number.
fn hold_new_vertices(cloth: &mut ClothDescription, outline: &Outline) {
    for pin in &mut cloth.pins {
        let Region::Vertices(list) = &mut pin.region else { continue };
        for Split { vertex, ends, .. } in outline.splits() {
            if ends.iter().all(|end| list.contains(end)) {
                list.push(*vertex);
            }
        }
    }
}
