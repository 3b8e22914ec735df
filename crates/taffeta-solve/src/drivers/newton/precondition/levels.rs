//! Additive multigrid on grids in material space. Conjugate gradients with a local preconditioner find smooth errors slowly.
//!
//! The finest grids have cells of a few edges. Each following level has half as many in each direction, down to a level that
//! is small enough to factorize. The corrections of all levels are added up. On all but the last they are those of the
//! inverses of the diagonal blocks. The grids stay when the mesh changes, and with them the symbolic factorization.

use super::coarse::{CoarseMatrix, find_links, invert};
use super::coarse_blocks::Touched;
use super::exact::{ExactFactor, ExactPattern};
use super::grid::{Charts, Grid, Place, find_pieces};
use super::interpolation::Interpolation;
use super::links::Links;
use crate::drivers::newton::linear::hessian::Hessian;
use crate::drivers::newton::objective::NewtonProblem;
use crate::drivers::newton::objective::bending::EdgeGradients;
use crate::drivers::newton::objective::held::{free_axes, release};
use crate::matrices::Mat3;
use glam::{DMat3, DVec3};
use std::ops::Range;
use std::sync::Arc;
use taffeta_core::SurfaceTopology;
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::vectorized;
use taffeta_core::tasks::join;

/// Cells along the longest side of the grids that are solved exactly; where links couple them also nodes of all of them,
/// unless they are as coarse as can be.
const EXACT_CELLS: usize = 16;
const EXACT_NODES: usize = 1024;
/// Vertices from which on their rows are left to two threads.
const VERTICES_TO_HALVE: usize = 256;
/// Cells along the longest side of the coarsest grids.
const LEAST_CELLS: usize = 2;

/// The grids of a mesh with the Hessian on them.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    shape: Arc<Shape>,
    /// Positions of the vertices in the finest grids; loose vertices, which come last, lie in none.
    places: Vec<Place>,
    /// Weights of the nodes of the finest grids there.
    interpolation: Interpolation,
    matrices: Vec<CoarseMatrix>,
    /// Contribution of the second half of the mesh to the first matrix; another thread may sum it up.
    other_half: CoarseMatrix,
    /// Inverses of the diagonal blocks of all levels but the last.
    inverses: Vec<Vec<Mat3>>,
    factor: Option<ExactFactor>,
    /// Residuals, then corrections, of the nodes of all levels.
    values: Vec<Vec<f64>>,
}

/// Part of the grids that survives remeshing.
#[derive(Clone, Debug)]
pub struct KeptGrids(Arc<Shape>);

#[derive(Debug)]
struct Shape {
    levels: Vec<Vec<Grid>>,
    /// Couplings of nodes that are no neighbors, level by level.
    links: Vec<Arc<Links>>,
    /// Positions of the nodes of each level in the grids of the next.
    places: Vec<Vec<Place>>,
    interpolations: Vec<Interpolation>,
    /// The pattern of the last level; `None` where there is no surface, and so no grid.
    pattern: Option<ExactPattern>,
}

impl Levels {
    /// Makes the grids; takes over from `before` what does not depend on the mesh, if they are the same. `couplings` are the
    /// pairs of vertices that elements couple, `sewn` those that lie apart on the chart and are stiff all the same.
    pub(crate) fn build(
        topology: &SurfaceTopology,
        Charts { points, charts }: Charts<'_>,
        couplings: &[[u32; 2]],
        sewn: &[[u32; 2]],
        before: Option<&KeptGrids>,
    ) -> Self {
        let pieces = find_pieces(topology, charts);
        let mut grids: Vec<Grid> = Vec::new();
        for piece in &pieces {
            let first = grids.last().map_or(0, |grid| grid.first + grid.node_count());
            grids.push(Grid::fit(topology, points, piece, first));
        }
        let mut places = vec![Place::default(); topology.surface_vertex_count()];
        for (number, piece) in pieces.iter().enumerate() {
            for vi in &piece.vertices {
                places[vi.to_usize()] = grids[number].find_place(points[vi.to_usize()], number);
            }
        }
        let pair = |pair: &[u32; 2]| {
            let [a, b] = pair.map(|v| places.get(v as usize));
            Some([a?, b?])
        };
        let across = couplings.iter().filter_map(pair).filter(|[a, b]| a.grid != b.grid);
        let links = find_links(&grids, across.chain(sewn.iter().filter_map(pair)));
        let is_same = |shape: &Shape| shape.levels[0] == grids && *shape.links[0] == links;
        let same = before.filter(|KeptGrids(shape)| is_same(shape));
        let shape = same.map_or_else(|| Arc::new(Shape::build(grids, links)), |before| before.0.clone());
        let matrices: Vec<_> = shape.list_matrices().collect();
        let values: Vec<_> = shape.levels.iter().map(|grids| vec![0.0; 3 * count_nodes(grids)]).collect();
        let inner = &shape.levels[..shape.levels.len() - 1];
        let inverses = inner.iter().map(|grids| vec![[0.0; 9]; count_nodes(grids)]).collect();
        let interpolation = Interpolation::new(&shape.levels[0], count_nodes(&shape.levels[0]), &places);
        let other_half = matrices[0].clone();
        Self { places, interpolation, matrices, other_half, inverses, factor: None, values, shape }
    }

    /// The part that does not depend on the mesh.
    pub(crate) fn kept(&self) -> KeptGrids {
        KeptGrids(self.shape.clone())
    }

    /// Computes the matrices of all levels; if the last cannot be factorized there is no correction on it.
    pub(crate) fn update(&mut self, hessian: &Hessian, problem: &NewtonProblem<'_>) {
        let Self { places, matrices, other_half, .. } = self;
        let cut = |count: usize| [0..count / 2, count / 2..count];
        let [first_rows, other_rows] = cut(places.len());
        let factors = hessian.bending_factors();
        let [first_edges, other_edges] = cut(factors.map_or(0, |factors| factors.edges().len()));
        let fill = |matrix: &mut CoarseMatrix, rows: Range<usize>, edges: Range<usize>| {
            matrix.clear();
            add_rows(places, matrix, rows, hessian, problem);
            if let Some(factors) = factors {
                add_edges(places, matrix, &factors.edges()[edges], problem);
            }
        };
        join(
            places.len() >= VERTICES_TO_HALVE,
            || fill(&mut matrices[0], first_rows, first_edges),
            || fill(other_half, other_rows, other_edges),
        );
        matrices[0].add(other_half);
        self.add_contacts(hessian, problem);
        self.matrices[0].symmetrize();
        for level in 1..self.matrices.len() {
            let (finer, coarser) = self.matrices.split_at_mut(level);
            coarser[0].restrict(&finer[level - 1], &self.shape.places[level - 1]);
            let inverses = &mut self.inverses[level - 1];
            finer[level - 1].for_rows(|node, diagonal, _| inverses[node] = invert(diagonal));
        }
        let last = &self.matrices[self.matrices.len() - 1];
        self.factor = self.shape.pattern.as_ref().and_then(|pattern| pattern.factorize(last));
    }

    /// Contacts that couple vertices; those of single ones are in the rows.
    fn add_contacts(&mut self, hessian: &Hessian, problem: &NewtonProblem<'_>) {
        let mut nodes = Vec::new();
        for contact in hessian.contacts() {
            let vertices = contact.vertices.map(|v| v as usize);
            if vertices.iter().any(|v| *v >= self.places.len()) {
                continue;
            }
            let weight = |k: usize| free_axes(problem.held[vertices[k]]) * contact.weights[k];
            let corners = (0..4).filter(|k| contact.weights[*k] != 0.0);
            let corners = corners.map(|k| (&self.places[vertices[k]], weight(k)));
            self.matrices[0].add_contact(corners, &contact.hessian, &mut nodes);
        }
    }

    /// Finds the correction for the residual `r` of the vertices, a flat vector of coordinates.
    pub(super) fn correct(&mut self, r: &[f64]) {
        let Self { shape, interpolation, values, factor, .. } = self;
        interpolation.collect(r, &mut values[0]);
        for level in 1..values.len() {
            let (finer, coarser) = values.split_at_mut(level);
            shape.interpolations[level - 1].collect(&finer[level - 1], &mut coarser[0]);
        }
        let last = values.len() - 1;
        match factor {
            Some(factor) => factor.solve(&mut values[last]),
            None => values[last].fill(0.0),
        }
        for level in (1..values.len()).rev() {
            let (finer, coarser) = values.split_at_mut(level);
            let finer = &mut finer[level - 1];
            for (value, inverse) in finer.as_chunks_mut::<3>().0.iter_mut().zip(&self.inverses[level - 1]) {
                *value = (DMat3::from_cols_array(inverse) * DVec3::from_array(*value)).to_array();
            }
            shape.interpolations[level - 1].spread(&coarser[0], finer);
        }
    }

    /// Adds the correction to `z`, a flat vector of coordinates.
    pub(super) fn add_correction(&self, z: &mut [f64]) {
        self.interpolation.spread(&self.values[0], z);
    }
}

/// Adds rows of the part of the Hessian that is multiplied out.
fn add_rows(
    places: &[Place],
    matrix: &mut CoarseMatrix,
    range: Range<usize>,
    hessian: &Hessian,
    problem: &NewtonProblem<'_>,
) {
    let (rows, held) = (hessian.rows(), problem.held);
    let mut touched = Touched::new([0.0; 9]);
    vectorized(|| {
        for i in range {
            if held[i] == [true; 3] {
                continue;
            }
            let half = std::iter::once((i, rows.diagonal()[i].map(|entry| 0.5 * entry)));
            let others = rows.row(i).map(|(j, block)| (j as usize, *block));
            let on_grids = half.chain(others).filter(|(j, _)| *j < places.len());
            let free = on_grids.filter(|(j, _)| held[*j] != [true; 3]);
            let row = free.map(|(j, block)| (&places[j], release(block, held[i], held[j])));
            matrix.add_row(&places[i], &mut touched, row);
        }
    });
}

/// Adds bending that stays in factors, each edge by itself: as if the stiffness of faces had no other entries than the
/// diagonal ones, and no scalars.
fn add_edges(
    places: &[Place],
    matrix: &mut CoarseMatrix,
    edges: &[EdgeGradients],
    problem: &NewtonProblem<'_>,
) {
    let mut touched = Touched::new(DVec3::ZERO);
    vectorized(|| {
        for edge in edges {
            let vertices = edge.vertices.map(|vertex| vertex as usize);
            let mut gradients = edge.gradients;
            gradients.iter_mut().zip(vertices).for_each(|(g, v)| *g *= free_axes(problem.held[v]));
            let places = vertices.map(|v| &places[v]);
            matrix.add_outer(places, &mut touched, gradients, edge.stiffness);
        }
    });
}

#[cfg(test)]
impl Levels {
    /// Returns whether both have one symbolic factorization.
    pub(crate) fn shares_shape(&self, other: &Levels) -> bool {
        Arc::ptr_eq(&self.shape, &other.shape)
    }

    /// Number of levels.
    pub(crate) fn count(&self) -> usize {
        self.matrices.len()
    }

    /// A function with the given values at the nodes of a level: its values at the vertices, and `cᵀ (Pᵀ H P) c`.
    pub(crate) fn sample(&self, level: usize, value: impl Fn(usize) -> f64) -> (Vec<f64>, f64) {
        let mut values: Vec<f64> = (0..self.values[level].len()).map(value).collect();
        let at = |node: usize| DVec3::from_slice(&values[3 * node..]);
        let mut energy = 0.0;
        self.matrices[level].for_rows(|node, diagonal, others| {
            energy += at(node).dot(DMat3::from_cols_array(diagonal) * at(node));
            for (other, block) in others {
                energy += 2.0 * at(node).dot(DMat3::from_cols_array(block) * at(*other));
            }
        });
        for level in (1..=level).rev() {
            let mut finer = vec![0.0; self.values[level - 1].len()];
            self.shape.interpolations[level - 1].spread(&values, &mut finer);
            values = finer;
        }
        let mut points = vec![0.0; 3 * self.places.len()];
        self.interpolation.spread(&values, &mut points);
        (points, energy)
    }
}

impl Shape {
    fn build(grids: Vec<Grid>, links: Links) -> Self {
        let is_linked = !links.is_empty();
        let (mut levels, mut links) = (vec![grids], vec![Arc::new(links)]);
        let (mut places, mut interpolations) = (Vec::new(), Vec::new());
        loop {
            let finer = &levels[levels.len() - 1];
            let cells = finer.iter().map(Grid::cell_count).max().unwrap_or(0);
            if cells <= LEAST_CELLS
                || cells <= EXACT_CELLS && (!is_linked || count_nodes(finer) <= EXACT_NODES)
            {
                break;
            }
            let mut coarser: Vec<Grid> = Vec::new();
            for grid in finer {
                coarser.push(grid.halve(coarser.last().map_or(0, |grid| grid.first + grid.node_count())));
            }
            let node_places = finer.iter().zip(&coarser).enumerate().flat_map(|(number, (grid, coarse))| {
                grid.node_cells().map(move |node| coarse.find_node_place(node, number))
            });
            let node_places: Vec<Place> = node_places.collect();
            let linked = links[links.len() - 1].nodes().map(|link| link.map(|node| &node_places[node]));
            links.push(Arc::new(find_links(&coarser, linked)));
            interpolations.push(Interpolation::new(&coarser, count_nodes(&coarser), &node_places));
            places.push(node_places);
            levels.push(coarser);
        }
        let mut shape = Self { levels, links, places, interpolations, pattern: None };
        let last = shape.list_matrices().last().filter(|_| !shape.levels[0].is_empty());
        shape.pattern =
            last.map(|last| ExactPattern::build(&last, &list_places(&shape.levels[shape.levels.len() - 1])));
        shape
    }

    /// Matrices of zeros, level by level.
    fn list_matrices(&self) -> impl Iterator<Item = CoarseMatrix> {
        self.levels.iter().zip(&self.links).map(|(grids, links)| CoarseMatrix::new(grids, links.clone()))
    }
}

/// Positions of the nodes of grids, one grid beside the other: for an order of elimination.
fn list_places(grids: &[Grid]) -> Vec<DVec3> {
    let mut begin = 0.0;
    let mut places = Vec::new();
    for grid in grids {
        places.extend(grid.node_cells().map(|cell| DVec3::from(cell.map(|k| k as f64)) + DVec3::X * begin));
        begin += grid.nodes[0] as f64;
    }
    places
}

fn count_nodes(grids: &[Grid]) -> usize {
    grids.iter().map(Grid::node_count).sum()
}
