//! Cloth that tears: where its stress exceeds the strength of its material, edges open.
//!
//! ```text
//!  end of a substep ──► load of every face ──► mean over a disk ──► overloaded vertices ──► an edge across
//!                       (stress/strength)      (`stress`)            tips first              the pull opens (`advance`)
//!       remeshing makes the edges fine around tips that bear a good part of what they can
//! ```
//!
//! Some 240 times per second a tear goes on, by the length over which the stress is averaged, at each overloaded tip. Without
//! such a tip a new tear begins at the most overloaded vertex of the cloth, one at a time. In an evenly loaded sheet everything
//! is overloaded at once, and the first tear relieves the rest.
//!
//! Where the cloth is remeshed, the edge is made where it is wanted, by a split of the edge that the line of the tear meets.
//! Else the nearest edge that there is opens, and tears follow the mesh.
//!
//! After T. Pfaff, R. Narain, J. M. de Joya, J. F. O'Brien, Adaptive tearing and cracking of thin sheets (2014). Their stress
//! at the tip depends on the mesh; here it is averaged over a length of the material (see [`Tearing`](taffeta_solve::Tearing)).

use crate::derive::crossings::crossing_count;
use crate::derive::rebuild::edit;
use crate::derive::snapshot::{go_back, note};
use crate::derive::solver_facts::can_tear;
use crate::derive::world::World;
use crate::features::tearing::advance::{Line, TearRules};
use crate::features::tearing::stress::{
    Overload, Tip, face_loads, find_overloads, find_tips, place_of, tearing_of,
};
use crate::model::report::TearCounts;
use taffeta_core::index::DenseIndex;
use taffeta_core::{Region, VertexIndex};
use taffeta_mesh::VertexKey;
use taffeta_remesh::{Metric, metric_of_size};

/// Load of a face at a tip above which remeshing asks for fine edges there. The second number is the radius around it, relative
/// to the length over which the stress is averaged: that disk and the way of a frame. A load alone asks for nothing: an even
/// one needs no fine mesh to be seen, and where a tear begins it makes the edges that it needs.
const REFINE_LOAD: f64 = 0.5;
const REFINE_REACH: f64 = 3.0;

/// Opens an edge, or two, wherever a cloth is overloaded as it is now. `has_moved` tells that solvers have gone on since
/// the dense form was made or the step began.
pub(crate) fn tear_overloaded(world: &mut World, has_moved: bool) -> TearCounts {
    let overloads = find_overloads(world);
    if overloads.is_empty() {
        return TearCounts::default();
    }
    if has_moved {
        world.derived.keep_bending(&world.state.sheet, &mut world.state.motion);
    }
    tear_at(world, &overloads)
}

/// Opens an edge, or two, at each of these places.
pub(crate) fn tear_at(world: &mut World, overloads: &[Overload]) -> TearCounts {
    let mut counts = TearCounts::default();
    let mut has_torn = vec![false; world.setup.cloths.len()];
    if !try_to_tear(world, overloads, &mut has_torn, &mut counts) && overloads.len() > 1 {
        // One of them would make something cross; the others need not wait for it.
        for overload in overloads {
            if world.state.sheet.vertex_keys().contains(&overload.vertex) {
                try_to_tear(world, std::slice::from_ref(overload), &mut has_torn, &mut counts);
            }
        }
    }
    counts
}

/// Tears at these places, one after the other, new tears only in cloths that have not torn; `false`: that would make
/// something cross, and nothing has been done.
fn try_to_tear(
    world: &mut World,
    overloads: &[Overload],
    has_torn: &mut Vec<bool>,
    counts: &mut TearCounts,
) -> bool {
    let regions: Vec<Region> = world.setup.pins.iter().map(|pin| pin.description.region.clone()).collect();
    let rules: Vec<TearRules> = world.setup.cloths.iter().map(TearRules::of_cloth).collect();
    let (mut torn, mut torn_cloths) = (TearCounts::default(), has_torn.clone());
    let mut keyed = world.state.sheet.to_keyed(&world.state.motion);
    // A run that resumes from a checkpoint must hand out the same keys.
    keyed.mesh.sort_free_slots();
    for overload in overloads {
        let cloth = overload.cloth as usize;
        if overload.is_tip || !torn_cloths[cloth] {
            let line = Line { vertex: overload.vertex, normal: overload.normal };
            let more = keyed.tear(line, &rules[cloth], &regions);
            torn_cloths[cloth] |= more.count > 0;
            torn = torn.plus(more);
        }
    }
    // What opens or is split for it makes vertices. Where nothing could, nothing need be built anew.
    if keyed.mesh.vertex_count() == world.state.sheet.vertex_keys().len() {
        return true;
    }
    let (before, crossings) = (note(world), crossing_count(&world.derived));
    edit(world, |present| *present = keyed);
    if crossing_count(&world.derived) > crossings {
        go_back(world, before);
        return false;
    }
    *has_torn = torn_cloths;
    *counts = counts.plus(torn);
    true
}

/// Vertices around heavily loaded tips, with the metric that remeshing is asked for there.
pub(crate) fn sizes_at_tears(world: &World) -> Vec<(VertexKey, Metric)> {
    if !can_tear(world.facts()) || world.setup.cloths.iter().all(|cloth| cloth.tear_size().is_none()) {
        return Vec::new();
    }
    let (sheet, loads) = (&world.state.sheet, face_loads(world));
    let is_loaded = |tip: &Tip| {
        let tearing = tearing_of(world, tip.cloth);
        let mut faces = sheet.topology.faces_around(tip.vertex).iter();
        faces.any(|fi| tearing.worst(&loads[fi.to_usize()]).0 >= REFINE_LOAD)
    };
    let tips: Vec<Tip> = find_tips(world).into_iter().filter(is_loaded).collect();
    if tips.is_empty() {
        return Vec::new();
    }
    let ask = |(vi, key): (VertexIndex, &VertexKey)| {
        let cloth = sheet.vertex_cloths[vi];
        let size = world.setup.cloths[cloth as usize].tear_size()?;
        let reach = REFINE_REACH * tearing_of(world, cloth).length;
        let at = place_of(world, vi)?;
        tips.iter()
            .any(|tip| tip.cloth == cloth && tip.at.is_near(&at, reach))
            .then_some((*key, metric_of_size(size)))
    };
    sheet.vertex_keys().iter_indexed().filter_map(ask).collect()
}
