//! Mesh obstacles at the ends of a substep.
//!
//! Their vertices come after those of the sheet. Within a substep they move on straight lines; where they are at its ends
//! follows from the time alone, so that nothing of it is part of a checkpoint.

use glam::DVec3;
use taffeta_contact::MeshObstacle;

/// The mesh obstacles at the ends of a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlacedMeshes {
    /// The times \[s\] for which the positions below hold.
    times: Option<[f64; 2]>,
    /// Positions of the vertices of all at both times \[m\], obstacle by obstacle.
    pub ends: [Vec<DVec3>; 2],
}

impl PlacedMeshes {
    /// Puts them where they are at two times \[s\]. What stands still is put once.
    pub(crate) fn place(&mut self, list: &[MeshObstacle], times: [f64; 2]) {
        if self.times == Some(times) {
            return;
        }
        let is_first = self.times.is_none();
        let mut first = 0;
        for obstacle in list {
            let range = first..first + obstacle.vertex_count();
            first = range.end;
            for (end, time) in self.ends.iter_mut().zip(times) {
                if is_first {
                    end.extend(obstacle.positions_at(time));
                } else if !obstacle.is_still() {
                    end[range.clone()].copy_from_slice(&obstacle.positions_at(time));
                }
            }
        }
        self.times = Some(times);
    }

    /// Forgets where they were put, after a caller has moved one.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Distance by which the farthest vertex of each moves between two times \[m\].
    pub(crate) fn longest_ways(&mut self, list: &[MeshObstacle], times: [f64; 2]) -> Vec<f64> {
        self.place(list, times);
        let [start, end] = &self.ends;
        let mut first = 0;
        let way_of = |obstacle: &MeshObstacle| {
            let range = first..first + obstacle.vertex_count();
            first = range.end;
            let ways = start[range.clone()].iter().zip(&end[range]).map(|(x, y)| x.distance_squared(*y));
            ways.fold(0.0, f64::max).sqrt()
        };
        list.iter().map(way_of).collect()
    }
}
