//! The number of substeps that the block driver needs.
//!
//! A local solver spreads a correction by about one element per sweep. So in a cloth that hangs, each element must stay stretched:
//! one sweep takes back just the fall `a h²` of everything below it. The excess of the cloth's extension over the true one is
//!
//! `excess = a h² κ / I`,   `κ = ∫ ℓ(d) / s(d)² dd`,
//!
//! for an acceleration `a` and substeps of length `h` with `I` sweeps. `d` is the distance from the support, and `s` the edge
//! length there. `ℓ = (area beyond d) / (width at d)` is the length of cloth that each line carries.
//!
//! For a square sheet of `n` cells hung by an edge `κ = n²/2`, which is the measured law. The form with the integral covers graded
//! meshes, strips and point supports. The material does not matter.
//!
//! Half of the block driver's sweeps go backward, and the first does not count. Two were worth 1.25 to 1.29 sweeps that all
//! go forward, four 3.5 to 4.0 and six 5.9 to 8.0. These are figures of hung sheets of 16 and 32 cells with 7 to 28
//! substeps. Where cloth lies on a body they are worth less.

use crate::kinds::Blocks;
use crate::state::RestShape;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use taffeta_core::index::DenseIndex;
use taffeta_core::math::{exp, ln};
use taffeta_core::{IndexVec, SurfaceTopology, VertexIndex};

/// Part of the cloth's size by which the block driver may stretch it beyond the truth.
pub const EXCESS_TOLERANCE: f64 = 0.008;
/// Longest substep of the block driver \[s\]: beyond it implicit Euler visibly damps the motion.
pub const LONGEST_SUBSTEP: f64 = 1.0 / 240.0;
/// Shortest substep that `auto` chooses \[s\]; a finer mesh than that allows gets a warning instead.
pub const SHORTEST_SUBSTEP: f64 = 1.0 / 60.0 / 500.0;

/// The load path of a sheet: what decides on the number of substeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadPath {
    /// `κ / size` of the worst component \[1/m\].
    pub stiffness_demand: f64,
}

/// Substeps for one step, as chosen from the load path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubstepChoice {
    /// Number of substeps.
    pub count: u32,
    /// Expected excess of the extension, relative to the size, if the count was cut at the cap.
    pub capped_excess: Option<f64>,
}

/// Parameters of the choice of substeps besides the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubstepDemand {
    /// Length of the whole step \[s\].
    pub dt: f64,
    /// Acceleration that the cloth carries \[m/s²\]: gravity and wind.
    pub acceleration: f64,
    /// Sweeps per substep.
    pub iterations: u32,
    /// True if half of them go backward.
    pub turn: bool,
    /// Largest damping time constant of a membrane \[s\]: damping also slows the local convergence.
    pub damping: f64,
}

/// So many sweeps that all go forward are as good as these. Of those that turn back, the first does not count.
pub fn effective_sweeps(count: u32, turn: bool) -> f64 {
    if turn && count > 1 { f64::from(count - 1) } else { f64::from(count) }
}

impl LoadPath {
    /// Measures the load path of every component from its held vertices, whose inverse mass is 0, or from its center if
    /// nothing holds it. The segments of ropes, the edges of solids and the threads between panels that are being sewn
    /// together carry loads as the lines of a sheet do.
    pub fn of_bodies(
        topology: &SurfaceTopology,
        rest: &RestShape,
        inverse_masses: &IndexVec<VertexIndex, f64>,
        blocks: &Blocks,
    ) -> Self {
        let graph =
            EdgeGraph::build(topology, rest, &list_links(topology, rest, blocks), &blocks.solids.surfaces);
        let mut distances = Distances::filled(f64::INFINITY, topology.vertex_count);
        let mut others = distances.clone();
        let mut demand: f64 = 0.0;
        for component in graph.components() {
            let held = component.iter().copied().filter(|vi| inverse_masses[*vi] == 0.0);
            let mut support: Vec<_> = held.collect();
            if support.is_empty() {
                support.push(graph.center(&component, [&mut distances, &mut others]));
            }
            graph.fill_distances(&component, &support, &mut distances);
            demand = demand.max(graph.stiffness_demand(&component, &distances));
        }
        Self { stiffness_demand: demand }
    }

    /// The number of substeps that keeps the excess below [`EXCESS_TOLERANCE`].
    pub fn choose(&self, demand: &SubstepDemand) -> SubstepChoice {
        // a κ/L (h² + τ h) / I = tolerance, solved for h.
        let sweeps = effective_sweeps(demand.iterations, demand.turn);
        let rate = demand.acceleration * self.stiffness_demand / sweeps;
        let tau = demand.damping;
        let h = if rate > 0.0 {
            0.5 * ((tau * tau + 4.0 * EXCESS_TOLERANCE / rate).sqrt() - tau)
        } else {
            f64::INFINITY
        };
        let h = h.min(LONGEST_SUBSTEP);
        let count = (demand.dt / h.max(SHORTEST_SUBSTEP) - 1e-9).ceil().clamp(1.0, f64::from(u32::MAX));
        let used = demand.dt / count;
        let excess = rate * (used * used + tau * used);
        let capped_excess = (h < SHORTEST_SUBSTEP).then_some(excess);
        SubstepChoice { count: count as u32, capped_excess }
    }
}

/// A distance per vertex \[m\].
type Distances = IndexVec<VertexIndex, f64>;

/// A segment of a rope, an edge of a tetrahedron or a thread in the graph.
struct Link {
    ends: [VertexIndex; 2],
    /// Rest length \[m\].
    length: f64,
    /// Area that it stands for \[m²\]: its length times that of its rope, or its volume over the size of its solid.
    /// So the root of the sum is a size.
    area: f64,
}

/// The segments of all ropes, the edges of all tetrahedra, and the threads of all seams. An edge appears once for each of
/// its tetrahedra, and a thread is as long as an edge beside it. The solids share one size: only the cap of the excess
/// depends on it.
fn list_links(topology: &SurfaceTopology, rest: &RestShape, blocks: &Blocks) -> Vec<Link> {
    let ropes = &blocks.ropes;
    let whole: f64 = blocks.solids.normal.iter().map(|block| block.shape.volume).sum();
    let size = if whole > 0.0 { exp(ln(whole) / 3.0) } else { 1.0 };
    let link =
        |(ends, length, volume): ([VertexIndex; 2], f64, f64)| Link { ends, length, area: volume / size };
    let mut links: Vec<Link> = blocks.solids.edges().map(link).collect();
    links.extend(blocks.stitches.iter().filter_map(|stitch| {
        let [a, b, _] = rest.corners[*topology.faces_around(stitch.vertices[0]).first()?];
        Some(Link { ends: stitch.vertices, length: a.distance(b), area: 0.0 })
    }));
    for chain in &ropes.chains {
        let segments = || ropes.stretch.iter().filter(|b| chain.contains(&b.vertices[0].to_usize()));
        let whole: f64 = segments().map(|b| b.length).sum();
        links.extend(segments().map(|b| Link { ends: b.vertices, length: b.length, area: b.length * whole }));
    }
    links
}

/// The edges of a sheet and the segments of ropes as a graph with rest lengths.
struct EdgeGraph {
    offsets: Vec<usize>,
    neighbors: Vec<(VertexIndex, f64)>,
    /// A third of the material area around each vertex \[m²\].
    areas: IndexVec<VertexIndex, f64>,
    /// Mean of `1/s²` over the edges around each vertex \[1/m²\].
    fineness: IndexVec<VertexIndex, f64>,
}

/// Shells into which the distance from the support is cut: fine enough for a concentrated load, and each still wider
/// than an edge (see `stiffness_demand`).
const MAX_SHELLS: usize = 64;

impl EdgeGraph {
    /// The faces of `surfaces`, which are those of solids, have no area of their own.
    fn build(topology: &SurfaceTopology, rest: &RestShape, links: &[Link], surfaces: &[u32]) -> Self {
        let n = topology.vertex_count;
        let mut offsets = vec![0; n + 1];
        for edge in topology.edges.iter() {
            edge.vertices.iter().for_each(|vi| offsets[vi.to_usize() + 1] += 1);
        }
        for link in links {
            link.ends.iter().for_each(|vi| offsets[vi.to_usize() + 1] += 1);
        }
        (0..n).for_each(|i| offsets[i + 1] += offsets[i]);
        let mut cursor = offsets.clone();
        let mut neighbors = vec![(VertexIndex(0), 0.0); 2 * (topology.edge_count() + links.len())];
        let mut areas = IndexVec::filled(0.0, n);
        let mut lengths = vec![0.0; topology.edge_count()];
        for (fi, face) in topology.faces.iter_indexed() {
            let has_area = !surfaces.contains(&rest.cloths[fi]);
            for k in 0..3 {
                areas[face[k]] += if has_area { rest.areas[fi] / 3.0 } else { 0.0 };
                let length = rest.corners[fi][k].distance(rest.corners[fi][(k + 1) % 3]);
                lengths[topology.face_edges[fi][k].to_usize()] = length;
            }
        }
        for link in links {
            link.ends.iter().for_each(|vi| areas[*vi] += 0.5 * link.area);
        }
        let edges = topology.edges.iter().zip(lengths).map(|(edge, length)| (edge.vertices, length));
        for ([a, b], length) in edges.chain(links.iter().map(|link| (link.ends, link.length))) {
            for (from, to) in [(a, b), (b, a)] {
                neighbors[cursor[from.to_usize()]] = (to, length);
                cursor[from.to_usize()] += 1;
            }
        }
        let ring = |i: usize| &neighbors[offsets[i]..offsets[i + 1]];
        let fineness = (0..n)
            .map(|i| ring(i).iter().map(|(_, s)| 1.0 / (s * s)).sum::<f64>() / ring(i).len().max(1) as f64);
        let fineness = fineness.collect();
        Self { offsets, neighbors, areas, fineness }
    }

    fn ring(&self, vi: VertexIndex) -> &[(VertexIndex, f64)] {
        &self.neighbors[self.offsets[vi.to_usize()]..self.offsets[vi.to_usize() + 1]]
    }

    /// The vertices of each connected component.
    fn components(&self) -> Vec<Vec<VertexIndex>> {
        let mut seen = vec![false; self.areas.len()];
        let mut components = Vec::new();
        for start in self.areas.indices() {
            if seen[start.to_usize()] {
                continue;
            }
            seen[start.to_usize()] = true;
            let mut component = vec![start];
            let mut next = 0;
            while let Some(vi) = component.get(next).copied() {
                next += 1;
                for (other, _) in self.ring(vi) {
                    if !std::mem::replace(&mut seen[other.to_usize()], true) {
                        component.push(*other);
                    }
                }
            }
            components.push(component);
        }
        components
    }

    /// Distances along edges within a component from a set of its vertices \[m\], by Dijkstra's algorithm. Other entries
    /// of `out` are left alone.
    fn fill_distances(&self, component: &[VertexIndex], sources: &[VertexIndex], out: &mut Distances) {
        component.iter().for_each(|vi| out[*vi] = f64::INFINITY);
        let mut queue = BinaryHeap::new();
        for vi in sources {
            out[*vi] = 0.0;
            queue.push(Reverse((0u64, *vi)));
        }
        // Lengths are not negative, and the bits of such numbers are ordered as the numbers are.
        while let Some(Reverse((bits, vi))) = queue.pop() {
            let here = f64::from_bits(bits);
            if here > out[vi] {
                continue;
            }
            for (other, length) in self.ring(vi) {
                let there = here + length;
                if there < out[*other] {
                    out[*other] = there;
                    queue.push(Reverse((there.to_bits(), *other)));
                }
            }
        }
    }

    /// A vertex in the middle: where the larger of the distances to two far ends is smallest.
    fn center(&self, component: &[VertexIndex], scratch: [&mut Distances; 2]) -> VertexIndex {
        let [from_end, from_other] = scratch;
        let farthest = |from: &Distances| {
            let ordered = component.iter().copied().max_by(|a, b| from[*a].total_cmp(&from[*b]));
            ordered.expect("a component has vertices")
        };
        self.fill_rough_distances(component, component[0], from_other);
        self.fill_rough_distances(component, farthest(from_other), from_end);
        self.fill_rough_distances(component, farthest(from_end), from_other);
        let eccentricity = |vi: &VertexIndex| from_end[*vi].max(from_other[*vi]);
        let middle = component.iter().min_by(|a, b| eccentricity(a).total_cmp(&eccentricity(b)));
        *middle.expect("a component has vertices")
    }

    /// Lengths of paths with the fewest edges from a vertex \[m\]: good enough to find a middle, and several times faster
    /// than [`EdgeGraph::fill_distances`].
    fn fill_rough_distances(&self, component: &[VertexIndex], source: VertexIndex, out: &mut Distances) {
        component.iter().for_each(|vi| out[*vi] = f64::INFINITY);
        out[source] = 0.0;
        let mut queue = vec![source];
        let mut next = 0;
        while let Some(vi) = queue.get(next).copied() {
            next += 1;
            for (other, length) in self.ring(vi) {
                if out[*other] == f64::INFINITY {
                    out[*other] = out[vi] + length;
                    queue.push(*other);
                }
            }
        }
    }

    /// `κ / size` \[1/m\] of a component, by shells of equal distance from its support.
    fn stiffness_demand(&self, component: &[VertexIndex], distances: &Distances) -> f64 {
        let reach = component.iter().map(|vi| distances[*vi]).fold(0.0, f64::max);
        let area: f64 = component.iter().map(|vi| self.areas[*vi]).sum();
        if reach <= 0.0 {
            return 0.0;
        }
        let longest = component.iter().flat_map(|vi| self.ring(*vi)).map(|(_, s)| *s).fold(0.0, f64::max);
        let count = ((reach / longest) as usize).clamp(1, MAX_SHELLS);
        let width = reach / count as f64;
        let mut shells = vec![Shell::default(); count];
        for vi in component.iter().filter(|vi| distances[**vi] > 0.0) {
            let shell = &mut shells[((distances[*vi] / width) as usize).min(count - 1)];
            shell.area += self.areas[*vi];
            shell.fineness += self.areas[*vi] * self.fineness[*vi];
        }
        let mut beyond = 0.0;
        let mut kappa = 0.0;
        for shell in shells.iter().rev().filter(|shell| shell.area > 0.0) {
            let carried = beyond + 0.5 * shell.area;
            kappa += carried / shell.area * width * width * shell.fineness / shell.area;
            beyond += shell.area;
        }
        kappa / reach.max(area.sqrt())
    }
}

/// The part of a component at one distance from the support.
#[derive(Clone, Copy, Default)]
struct Shell {
    /// Material area \[m²\].
    area: f64,
    /// Integral of `1/s²` over it.
    fineness: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Sheet, stiff};

    fn demand_of(sheet: &Sheet) -> f64 {
        let Sheet { topology, rest, state, .. } = sheet;
        LoadPath::of_bodies(topology, rest, &state.inverse_masses, &Blocks::default()).stiffness_demand
    }

    fn demand(n: u32, size: f64) -> f64 {
        demand_of(&Sheet::square(n, size, stiff()).pin(|u| u.y == size))
    }

    #[test]
    fn a_hung_square_follows_the_measured_law() {
        for n in [16, 32, 64] {
            let ratio = demand(n, 1.0) / (0.5 * f64::from(n * n));
            assert!((0.75..1.4).contains(&ratio), "{n}: {ratio}");
        }
        // κ does not depend on the size, κ / size does.
        assert!((demand(16, 2.0) * 2.0 / demand(16, 1.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn substeps_grow_with_resolution_until_the_cap() {
        let choose = |kappa: f64| {
            let demand = SubstepDemand {
                dt: 1.0 / 60.0,
                acceleration: 9.81,
                iterations: 1,
                turn: false,
                damping: 0.0,
            };
            LoadPath { stiffness_demand: kappa }.choose(&demand)
        };
        let law = |n: f64| choose(0.5 * n * n);
        assert_eq!(law(1.0), SubstepChoice { count: 4, capped_excess: None });
        let (coarse, fine) = (law(64.0).count, law(128.0).count);
        assert!(
            (25..32).contains(&coarse) && (2 * coarse - 2..=2 * coarse + 2).contains(&fine),
            "{coarse} {fine}"
        );
        let capped = law(10_000.0);
        assert_eq!(capped.count, 500);
        assert!(capped.capped_excess.unwrap() > EXCESS_TOLERANCE);
    }

    #[test]
    fn a_free_sheet_is_measured_from_its_center() {
        let sheet = Sheet::square(16, 1.0, stiff());
        let demand = demand_of(&sheet);
        assert!(demand > 0.0 && demand.is_finite());
    }
}
