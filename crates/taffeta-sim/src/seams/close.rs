//! The end of a seam: its two sides become one.

use super::SeamSides;
use super::defect::{SeamDefect, SeamError};
use super::meeting::Extent;
use super::sewing::{SeamState, Sewing};
use crate::build::BuildError;
use crate::description::WorldDescription;
use crate::rebuild::{edit, rebuild};
use crate::seams::meeting::plan_weld;
use crate::seams::sewing::ready_pairs;
use crate::sheet::Thawed;
use crate::world::World;
use slotmap::SecondaryMap;
use taffeta_core::Region;
use taffeta_mesh::{VertexKey, WeldBlocked};
use taffeta_remesh::weld_with_transfer;

/// Frames between two looks for room beside the threads of a seam that is late: they take long, and the next substeps may make
/// room between.
const PATIENT_FRAMES: u64 = 4;

/// The seams of a world that is about to be built. `vertices` are the keys of the vertices of all cloths, cloth by cloth.
/// Whether the seams leave a surface is tried on a copy.
pub(crate) fn begin_sewing(
    description: &WorldDescription,
    thawed: &mut Thawed,
    (vertices, offsets): (&[VertexKey], &[usize]),
) -> Result<(), BuildError> {
    let mut sewing = Sewing::default();
    let mut names = Vec::new();
    for (number, cloth) in description.cloths.iter().enumerate() {
        for (seam, sides) in cloth.seams.iter().map(|seam| &seam.sides).enumerate() {
            let SeamSides::Pairs(pairs) = sides else { continue };
            let key = |v: u32| vertices[offsets[number] + v as usize];
            let x = &cloth.mesh.positions;
            let gaps = pairs.iter().map(|[a, b]| x[*b as usize] - x[*a as usize]).collect();
            let pairs = pairs.iter().map(|pair| pair.map(key)).collect();
            sewing.seams.push(SeamState { pairs, gaps, closed: None });
            names.push((number, seam));
        }
    }
    if sewing.seams.is_empty() {
        return Ok(());
    }
    let mut trial = Thawed { sewing: sewing.clone(), ..thawed.clone() };
    // What pins hold does not matter for the surface.
    let pins: Vec<Region> = vec![Region::Boundary; 1 + max_pin(&trial)];
    for (seam, (number, in_cloth)) in names.into_iter().enumerate() {
        let all: Vec<usize> = (0..trial.sewing.seams[seam].pairs.len()).collect();
        trial.close(seam, &all, (0.0, &pins)).map_err(|reason| {
            let input = thawed.attributes.vertices.get(reason.vertex()).and_then(|v| v.input);
            let vertex = input.map_or(0, |input| input - offsets[number] as u32);
            let error = SeamError { seam: in_cloth, defect: SeamDefect::NoSurface { vertex, reason } };
            BuildError::Seam { cloth: description.cloths[number].name.clone(), error }
        })?;
    }
    sewing.mark(thawed);
    thawed.sewing = sewing;
    Ok(())
}

fn max_pin(thawed: &Thawed) -> usize {
    thawed.attributes.vertices.iter().filter_map(|(_, v)| v.pin).max().map_or(0, |pin| pin as usize)
}

impl Thawed {
    /// Makes the vertices of some pairs of a seam one, which is closed when there are no others left. `pins` are the regions
    /// of the pins by number.
    fn close(
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
        let extent = match world.setup.seams[seam].is_late(world.state.time) {
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
        let (sheet, grasps) = (world.state.sheet.clone(), world.state.grasps.clone());
        edit(world, |present| *present = thawed);
        if crossing_count(world) <= before {
            return true;
        }
        // What was split to make room may touch something.
        (world.state.sheet, world.state.grasps) = (sheet, grasps);
        rebuild(world);
        return false;
    }
    false
}

/// How much crosses, as it was noted last.
pub(crate) fn crossing_count(world: &World) -> usize {
    world.derived.proximity.as_ref().map_or(0, |proximity| proximity.crossings().len())
}
