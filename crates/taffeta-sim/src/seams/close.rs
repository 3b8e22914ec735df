//! The end of a seam: its two sides become one.

use super::SeamSides;
use super::defect::{SeamDefect, SeamError};
use super::sewing::{SeamState, Sewing};
use crate::build::BuildError;
use crate::description::WorldDescription;
use crate::frozen::Thawed;
use crate::world::World;
use slotmap::SecondaryMap;
use taffeta_core::Region;
use taffeta_mesh::{VertexKey, WeldBlocked};
use taffeta_remesh::weld_with_transfer;

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
        trial.close(seam, 0.0, &pins).map_err(|reason| {
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

/// Where the two vertices of a pair become one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meeting {
    /// At their center of mass.
    Between,
    /// Where the first is, pair by pair.
    AtFirst,
    /// Where the second is, pair by pair.
    AtSecond,
}

impl Thawed {
    /// Moves the vertices of a seam to where they are to meet. What a pin holds stays, and the weld goes to it.
    fn bring_together(&mut self, seam: usize, meeting: Meeting) {
        let vertices = &self.attributes.vertices;
        let is_pinned = |pair: &&[VertexKey; 2]| pair.iter().any(|v| vertices[*v].pin.is_some());
        let pairs: Vec<_> =
            self.sewing.seams[seam].pairs.iter().filter(|pair| !is_pinned(pair)).copied().collect();
        for [a, b] in pairs {
            let (from, to) = match meeting {
                Meeting::Between => return,
                Meeting::AtFirst => (b, a),
                Meeting::AtSecond => (a, b),
            };
            self.attributes.vertices[from].position = self.attributes.vertices[to].position;
        }
    }

    /// Makes the vertices that a seam sews together one. `pins` are the regions of the pins by number.
    fn close(&mut self, seam: usize, time: f64, pins: &[Region]) -> Result<(), WeldBlocked> {
        let state = &mut self.sewing.seams[seam];
        let pairs: Vec<[VertexKey; 2]> = state.pairs.iter().filter(|[a, b]| a != b).copied().collect();
        // A run that resumes from a checkpoint must hand out the same keys.
        self.mesh.sort_free_slots();
        let record = weld_with_transfer(&mut self.mesh, &mut self.attributes, &pairs, pins)?;
        (state.pairs, state.gaps, state.closed) = (Vec::new(), Vec::new(), Some(time));
        let mut kept_of = SecondaryMap::new();
        for (kept, removed) in &record.merged {
            removed.iter().for_each(|v| _ = kept_of.insert(*v, *kept));
        }
        for v in self.sewing.seams.iter_mut().flat_map(|seam| &mut seam.pairs).flatten() {
            *v = kept_of.get(*v).copied().unwrap_or(*v);
        }
        for v in pairs.iter().flatten() {
            if let Some(vertex) = self.attributes.vertices.get_mut(*v) {
                vertex.is_stitched = false;
            }
        }
        let sewing = std::mem::take(&mut self.sewing);
        sewing.mark(self);
        self.sewing = sewing;
        Ok(())
    }
}

impl World {
    /// Closes the seams whose gaps are small enough; whether there was one. A seam stays open if something would cross that
    /// did not before: the next step tries again.
    pub(crate) fn close_seams(&mut self) -> bool {
        let mut has_closed = false;
        for seam in 0..self.seams.len() {
            let is_open = self.sheet.sewing.seams[seam].closed.is_none();
            if is_open && self.can_close(seam) {
                has_closed |= self.close_seam(seam);
            }
        }
        has_closed
    }

    fn close_seam(&mut self, seam: usize) -> bool {
        let (sheet, grasps) = (self.sheet.clone(), self.grasps.clone());
        let before = self.crossing_count();
        let pins: Vec<Region> = self.pins.iter().map(|pin| pin.description.region.clone()).collect();
        // Where the cloth is folded at the seam, there may be room at one side only.
        for meeting in [Meeting::Between, Meeting::AtFirst, Meeting::AtSecond] {
            let (time, mut is_welded) = (self.time, false);
            self.edit(|thawed| {
                thawed.bring_together(seam, meeting);
                is_welded = thawed.close(seam, time, &pins).is_ok();
            });
            if is_welded && self.crossing_count() <= before {
                return true;
            }
            (self.sheet, self.grasps) = (sheet.clone(), grasps.clone());
            if !is_welded {
                // The surface does not allow it, wherever they meet.
                break;
            }
        }
        self.rebuild();
        false
    }

    /// How much crosses, as it was noted last.
    pub(crate) fn crossing_count(&self) -> usize {
        self.caches.proximity.as_ref().map_or(0, |proximity| proximity.crossings().len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{two_sheets, world};
    use super::*;
    use crate::description::PinDescription;

    #[test]
    fn what_a_pin_holds_stays_where_a_seam_closes_at_one_side() {
        let mut sheets = two_sheets([6, 6], 0.05);
        let held = 4;
        sheets.pins.push(PinDescription::new(Region::Vertices(vec![held])));
        let thawed = world(sheets, |_| {}).sheet().clone().thaw();
        let positions = |thawed: &Thawed| -> Vec<_> {
            let ends = thawed.sewing.seams[0].pairs.iter();
            ends.map(|pair| pair.map(|v| thawed.attributes.vertices[v].position)).collect()
        };
        let before = positions(&thawed);
        let is_pinned: Vec<bool> = thawed.sewing.seams[0]
            .pairs
            .iter()
            .map(|[a, _]| thawed.attributes.vertices[*a].pin.is_some())
            .collect();
        assert_eq!(is_pinned.iter().filter(|is_pinned| **is_pinned).count(), 1);
        for (meeting, side) in [(Meeting::AtFirst, 0), (Meeting::AtSecond, 1)] {
            let mut moved = thawed.clone();
            moved.bring_together(0, meeting);
            for ((after, before), is_pinned) in positions(&moved).iter().zip(&before).zip(&is_pinned) {
                let expected = if *is_pinned { *before } else { [before[side]; 2] };
                assert_eq!(*after, expected, "{meeting:?}");
            }
        }
    }
}
