//! The end of a seam: its two sides become one.

use crate::derive::crossings::crossing_count;
use crate::derive::rebuild::edit;
use crate::derive::sewing::age;
use crate::derive::snapshot::{go_back, note};
use crate::derive::world::World;
use crate::features::seams::meeting::{Extent, plan_weld};
use crate::features::seams::threads::ready_pairs;
use crate::model::setup::seams::SeamLaw;
use crate::model::state::sheet::KeyedSheet;
use slotmap::SecondaryMap;
use taffeta_core::Region;
use taffeta_mesh::{VertexKey, WeldBlocked};
use taffeta_remesh::weld_with_transfer;

/// Frames between two looks for room beside the threads of a seam that is late: they take long, and the next substeps may make
/// room between.
const PATIENT_FRAMES: u64 = 4;

impl KeyedSheet {
    /// Makes the vertices of some pairs one. `pins` are the regions of the pins by number.
    pub(crate) fn weld(&mut self, pairs: &[[VertexKey; 2]], pins: &[Region]) -> Result<(), WeldBlocked> {
        let pairs: Vec<[VertexKey; 2]> = pairs.iter().copied().filter(|[a, b]| a != b).collect();
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
        Ok(())
    }

    /// Ends a seam of which nothing is left to weld. What a third layer is held by stays, see [`SeamLaw::holds`].
    fn end_seam(&mut self, seam: usize, law: &SeamLaw, time: f64) {
        let state = &mut self.sewing.seams[seam];
        state.closed = Some(time);
        if law.lasting_count() == 0 {
            (state.pairs, state.gaps) = (Vec::new(), Vec::new());
        }
    }

    /// Marks anew what is held by threads, after some of these vertices may have become free.
    fn mark_held(&mut self, loose: impl Iterator<Item = VertexKey>) {
        for v in loose {
            if let Some(attributes) = self.attributes.vertices.get_mut(v) {
                attributes.is_stitched = false;
            }
        }
        let sewing = std::mem::take(&mut self.sewing);
        sewing.mark(self);
        self.sewing = sewing;
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
            has_closed |= close_seam(world, seam, ready, extent, is_all);
        }
    }
    has_closed
}

/// Makes pairs of a seam one, as far as nothing is in the way, and ends the seam if no others are open; whether anything
/// changed. `is_all` tells whether all that are open are near enough.
fn close_seam(world: &mut World, seam: usize, mut ready: Vec<usize>, extent: Extent, is_all: bool) -> bool {
    let (time, before) = (world.state.time, crossing_count(&world.derived));
    let pins: Vec<Region> = world.setup.pins.iter().map(|pin| pin.description.region.clone()).collect();
    while let Some(plan) = plan_weld(world, seam, ready.clone(), extent) {
        let mut keyed = world.state.sheet.to_keyed(&world.state.motion);
        for (v, place) in &plan.places {
            keyed.attributes.vertices[*v].position = *place;
        }
        let all = keyed.sewing.seams[seam].pairs.clone();
        let chosen: Vec<[VertexKey; 2]> = plan.numbers.iter().map(|number| all[*number]).collect();
        if let Err(blocked) = keyed.weld(&chosen, &pins) {
            // Where a part ends faces may meet in a vertex alone.
            let count = ready.len();
            ready.retain(|number| !all[*number].contains(&blocked.vertex()));
            if extent == Extent::Whole || ready.len() == count {
                return false;
            }
            continue;
        }
        let law = &world.setup.seams[seam];
        let is_done = is_all && law.is_welded(&keyed.sewing.seams[seam].pairs);
        if !is_done && chosen.is_empty() {
            return false;
        }
        if is_done {
            keyed.end_seam(seam, law, time);
        }
        keyed.mark_held(all.into_iter().flatten());
        let before_weld = note(world);
        edit(world, |present| *present = keyed);
        if crossing_count(&world.derived) <= before {
            return true;
        }
        // What was split to make room may touch something.
        go_back(world, before_weld);
        return false;
    }
    false
}
