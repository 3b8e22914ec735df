//! The end of a seam: its two sides become one.

use crate::derive::crossings::crossing_count;
use crate::derive::rebuild::edit;
use crate::derive::sewing::age;
use crate::derive::snapshot::{go_back, note};
use crate::derive::world::World;
use crate::features::seams::meeting::{Extent, plan_weld};
use crate::features::seams::threads::ready_pairs;
use crate::model::sheet::Thawed;
use slotmap::SecondaryMap;
use taffeta_core::Region;
use taffeta_mesh::{VertexKey, WeldBlocked};
use taffeta_remesh::weld_with_transfer;

/// Frames between two looks for room beside the threads of a seam that is late: they take long, and the next substeps may make
/// room between.
const PATIENT_FRAMES: u64 = 4;

impl Thawed {
    /// Makes the vertices of some pairs of a seam one, which is closed when there are no others left. `pins` are the regions
    /// of the pins by number.
    pub(crate) fn close(
        &mut self,
        seam: usize,
        numbers: &[usize],
        (time, pins): (f64, &[Region]),
    ) -> Result<(), WeldBlocked> {
        let all = &self.sewing.seams[seam].pairs;
        let pairs: Vec<[VertexKey; 2]> =
            numbers.iter().map(|number| all[*number]).filter(|[a, b]| a != b).collect();
        // A run that resumes from a checkpoint must hand out the same keys.
        self.mesh.sort_free_slots();
        let record = weld_with_transfer(&mut self.mesh, &mut self.attributes, &pairs, pins)?;
        let mut kept_of = SecondaryMap::new();
        for (kept, removed) in &record.merged {
            removed.iter().for_each(|v| _ = kept_of.insert(*v, *kept));
        }
        for v in self.sewing.seams.iter_mut().flat_map(|seam| &mut seam.pairs).flatten() {
            *v = kept_of.get(*v).copied().unwrap_or(*v);
        }
        let state = &mut self.sewing.seams[seam];
        // Of a seam that is closed, what became one before as well; `mark` knows what is still held by others.
        let loose: Vec<VertexKey> = state.pairs.iter().flatten().copied().collect();
        if state.pairs.iter().all(|[a, b]| a == b) {
            (state.pairs, state.gaps, state.closed) = (Vec::new(), Vec::new(), Some(time));
        }
        for v in loose {
            self.attributes.vertices[v].is_stitched = false;
        }
        let sewing = std::mem::take(&mut self.sewing);
        sewing.mark(self);
        self.sewing = sewing;
        Ok(())
    }
}

/// Closes the seams whose gaps are small enough; whether something became one. A seam stays open if something would cross
/// that did not before, and the next step tries again. One that is late closes where it can, and its threads pull the
/// rest.
pub(crate) fn close_seams(world: &mut World) -> bool {
    let mut has_closed = false;
    for seam in 0..world.setup.seams.len() {
        if world.state.sheet.sewing.seams[seam].closed.is_some() {
            continue;
        }
        let (ready, is_all) = ready_pairs(world, seam);
        let law = &world.setup.seams[seam];
        let extent = match law.is_late(age(world, law)) {
            false => Extent::Whole,
            true if is_all && world.state.frame.is_multiple_of(PATIENT_FRAMES) => Extent::Beside,
            true => Extent::Part,
        };
        if is_all || extent != Extent::Whole {
            has_closed |= close_seam(world, seam, ready, extent);
        }
    }
    has_closed
}

/// Makes pairs of a seam one, as far as nothing is in the way; whether there were any.
fn close_seam(world: &mut World, seam: usize, mut ready: Vec<usize>, extent: Extent) -> bool {
    let (time, before) = (world.state.time, crossing_count(world));
    let pins: Vec<Region> = world.setup.pins.iter().map(|pin| pin.description.region.clone()).collect();
    while let Some(plan) = plan_weld(world, seam, ready.clone(), extent) {
        let mut thawed = world.state.sheet.thaw(&world.state.motion);
        for (v, place) in &plan.places {
            thawed.attributes.vertices[*v].position = *place;
        }
        if let Err(blocked) = thawed.close(seam, &plan.numbers, (time, &pins)) {
            // Where a part ends faces may meet in a vertex alone.
            let count = ready.len();
            let pairs = &world.state.sheet.sewing.seams[seam].pairs;
            ready.retain(|number| !pairs[*number].contains(&blocked.vertex()));
            if extent == Extent::Whole || ready.len() == count {
                return false;
            }
            continue;
        }
        let before_weld = note(world);
        edit(world, |present| *present = thawed);
        if crossing_count(world) <= before {
            return true;
        }
        // What was split to make room may touch something.
        go_back(world, before_weld);
        return false;
    }
    false
}
