//! The Hessian as a sparse matrix, and its Cholesky factorization.
//!
//! Unknowns are the three coordinates of each vertex and the scalars of the edges that have one, in the order of a
//! nested dissection. Rows and columns of held components are those of the identity. The pattern is made once per
//! topology.

use crate::drivers::newton::objective::{NewtonProblem, System};
use crate::drivers::ordering::dissect;
use crate::matrices::{cross_matrix, outer};
use crate::plate::Plate;
use glam::{DMat3, DVec3};
use std::mem::take;
use taffeta_core::SurfaceTopology;
use taffeta_factor::{CholeskyFactor, CholeskyPattern, FactorError};

/// The elements of one topology, and the pattern of their matrix.
#[derive(Clone, Debug)]
pub(crate) struct Assembly {
    topology: SurfaceTopology,
    plate: Plate,
    /// The places of the vertices \[m\].
    points: Vec<DVec3>,
    /// Those of the vertices come first, then those of the edges of the plate. Nodes without unknowns have none.
    columns: Vec<Columns>,
    pattern: CholeskyPattern,
    /// The vertices that contacts join beside those of the elements.
    joints: Vec<[u32; 4]>,
}

/// The unknowns of one node.
#[derive(Clone, Copy, Debug, Default)]
struct Columns {
    first: usize,
    count: usize,
}

impl Assembly {
    /// Finds all couplings, orders the unknowns and analyzes the pattern. `points` are the places of the vertices \[m\],
    /// `joints` the vertices that contacts join.
    pub(crate) fn build(
        topology: SurfaceTopology,
        plate: Plate,
        points: Vec<DVec3>,
        system: &System,
        joints: Vec<[u32; 4]>,
    ) -> Self {
        let vertex_count = topology.vertex_count;
        let count = vertex_count + plate.edges.len();
        let mut places = points.clone();
        let middle = |[a, b]: [u32; 2]| 0.5 * (points[a as usize] + points[b as usize]);
        places.extend(plate.edges.iter().map(|edge| middle([edge.vertices[0].0, edge.vertices[1].0])));
        let mut pairs = Vec::new();
        let mut couple = |nodes: &[u32]| {
            for a in nodes {
                pairs.extend(nodes.iter().filter(|b| *b != a).map(|b| (*a, *b)));
            }
        };
        for_each_element(&topology, &plate, system, &mut couple);
        joints.iter().for_each(|joint| couple(joint));
        pairs.sort_unstable();
        pairs.dedup();
        let mut offsets = vec![0usize; count + 1];
        pairs.iter().for_each(|(a, _)| offsets[*a as usize + 1] += 1);
        (0..count).for_each(|i| offsets[i + 1] += offsets[i]);
        let neighbors: Vec<u32> = pairs.iter().map(|(_, b)| *b).collect();
        let around = |node: u32| &neighbors[offsets[node as usize]..offsets[node as usize + 1]];
        let order = dissect(&places, around);
        let mut columns = vec![Columns::default(); count];
        let mut next = 0;
        for node in &order {
            let node = *node as usize;
            let is_vertex = node < vertex_count;
            let count = if is_vertex { 3 } else { usize::from(plate.edges[node - vertex_count].has_scalar) };
            columns[node] = Columns { first: next, count };
            next += count;
        }
        let (mut column_offsets, mut row_indices) = (vec![0], Vec::new());
        for node in &order {
            let own = columns[*node as usize];
            let later =
                around(*node).iter().map(|other| columns[*other as usize]).filter(|c| c.first > own.first);
            let mut below: Vec<usize> = later.flat_map(|c| c.first..c.first + c.count).collect();
            below.sort_unstable();
            for column in own.first..own.first + own.count {
                row_indices.extend(column..own.first + own.count);
                row_indices.extend(&below);
                column_offsets.push(row_indices.len());
            }
        }
        let pattern = CholeskyPattern::build(column_offsets, row_indices);
        Self { topology, plate, points, columns, pattern, joints }
    }

    /// Makes room for contacts that join vertices.
    pub(crate) fn join(&mut self, system: &System, joints: Vec<[u32; 4]>) {
        if joints != self.joints {
            let (topology, plate) = (take(&mut self.topology), take(&mut self.plate));
            *self = Self::build(topology, plate, take(&mut self.points), system, joints);
        }
    }

    /// Assembles and factorizes the Hessian at `z`, the point of the last evaluation. The stiffness of the pressure is
    /// left out on request: it is not definite.
    ///
    /// # Errors
    /// If the matrix is not positive definite or the factors do not fit in memory.
    pub(crate) fn factorize(
        &self,
        system: &System,
        z: &[f64],
        problem: &NewtonProblem<'_>,
        with_pressure: bool,
    ) -> Result<CholeskyFactor, FactorError> {
        let mut values = Values {
            assembly: self,
            held: problem.held,
            values: vec![0.0; self.pattern.row_indices().len()],
        };
        for (vertex, inertia) in problem.inertia.iter().enumerate() {
            values.add(vertex as u32, vertex as u32, DMat3::from_diagonal(DVec3::splat(*inertia)));
        }
        add_membrane(&self.topology, system, problem, &mut values);
        add_bending(&self.plate, system, problem, &mut values);
        system.elements.for_each_hessian(|vertices, hessian| {
            for (row, blocks) in vertices.iter().zip(hessian.chunks_exact(vertices.len())) {
                vertices.iter().zip(blocks).for_each(|(column, block)| values.add(*row, *column, *block));
            }
        });
        for (row, touch) in problem.contacts.closed(&system.touches) {
            let vertices = row.vertices.map(|vi| vi.0);
            values.add_all(&vertices, |a, b| touch.hessian * (row.weights[a] * row.weights[b]));
        }
        problem.drag.for_each_hessian(&system.displacements, |vertices, hessian| {
            let share = 1.0 / vertices.len() as f64;
            let block = hessian * (share * share);
            for a in vertices {
                vertices.iter().for_each(|b| values.add(*a, *b, block));
            }
        });
        if with_pressure {
            for (vertices, sixth, x) in system.pressure.faces(&z[..3 * self.topology.vertex_count]) {
                values.add_all(&vertices, |a, b| match (3 + b - a) % 3 {
                    1 => cross_matrix(x[(a + 2) % 3]) * sixth,
                    2 => cross_matrix(x[(a + 1) % 3]) * -sixth,
                    _ => DMat3::ZERO,
                });
            }
        }
        self.pattern.factorize(&values.finish())
    }

    /// Solves `H s = −g`.
    pub(crate) fn solve(
        &self,
        factor: &CholeskyFactor,
        gradient: &[f64],
        held: &[[bool; 3]],
        step: &mut [f64],
    ) {
        let mut work = vec![0.0; self.pattern.column_offsets().len() - 1];
        let (gradient, by_scalar) = gradient.split_at(3 * self.topology.vertex_count);
        let (step, scalar_step) = step.split_at_mut(3 * self.topology.vertex_count);
        let (vertices, edges) = self.columns.split_at(self.topology.vertex_count);
        for (columns, g) in vertices.iter().zip(gradient.chunks_exact(3)) {
            (0..3).for_each(|axis| work[columns.first + axis] = -g[axis]);
        }
        for (columns, g) in edges.iter().zip(by_scalar).filter(|(columns, _)| columns.count == 1) {
            work[columns.first] = -g;
        }
        factor.solve(&mut work);
        for (columns, s) in vertices.iter().zip(step.chunks_exact_mut(3)) {
            s.copy_from_slice(&work[columns.first..columns.first + 3]);
        }
        crate::drivers::newton::objective::held::mask(held, step);
        for (columns, s) in edges.iter().zip(scalar_step.iter_mut()) {
            *s = if columns.count == 1 { work[columns.first] } else { 0.0 };
        }
    }
}

/// Calls `visit` with the nodes of every element.
fn for_each_element(
    topology: &SurfaceTopology,
    plate: &Plate,
    system: &System,
    mut visit: impl FnMut(&[u32]),
) {
    for face in topology.faces.iter() {
        // Membrane, contacts, drag and pressure.
        visit(&face.map(|vi| vi.0));
    }
    for edge in &plate.edges {
        visit(&edge.vertices.map(|vi| vi.0));
    }
    if !system.bending.is_diagonal() {
        let mut nodes = Vec::new();
        for face in &plate.faces {
            nodes.clear();
            for e in face.edges.iter().flatten() {
                nodes.extend(plate.edges[*e as usize].vertices.map(|vi| vi.0));
                nodes.push(topology.vertex_count as u32 + e);
            }
            nodes.sort_unstable();
            nodes.dedup();
            visit(&nodes);
        }
    }
    system.elements.for_each_hessian(|vertices, _| visit(vertices));
}

fn add_membrane(
    topology: &SurfaceTopology,
    system: &System,
    problem: &NewtonProblem<'_>,
    values: &mut Values<'_>,
) {
    for (fi, face) in topology.faces.iter_indexed() {
        let state = system.membrane.face(fi, problem.damping_rate);
        if !state.is_zero() {
            values.add_all(&face.map(|vi| vi.0), |a, b| state.couple(state.gradients[a], state.gradients[b]));
        }
    }
}

fn add_bending(plate: &Plate, system: &System, problem: &NewtonProblem<'_>, values: &mut Values<'_>) {
    let (bending, rate) = (&system.bending, problem.damping_rate);
    if bending.is_diagonal() {
        for number in 0..plate.edges.len() {
            let edge = bending.edge(number, rate);
            values
                .add_all(&edge.vertices, |a, b| outer(edge.gradients[a], edge.gradients[b] * edge.stiffness));
        }
        return;
    }
    for face in &plate.faces {
        let damping = 1.0 + face.damping * rate;
        let edges =
            face.edges.map(|e| e.map(|e| (e, bending.edge(e as usize, rate), &plate.edges[e as usize])));
        for (k, first) in edges.iter().enumerate() {
            let Some((e, g, edge)) = first else { continue };
            for (l, second) in edges.iter().enumerate() {
                let Some((f, h, other)) = second else { continue };
                let stiffness = face.stiffness[(k, l)] * damping;
                let scaled = stiffness * edge.share * other.share;
                for a in 0..4 {
                    for b in 0..4 {
                        values.add(
                            g.vertices[a],
                            h.vertices[b],
                            outer(g.gradients[a], h.gradients[b] * scaled),
                        );
                    }
                }
                if other.has_scalar {
                    let coupled = stiffness * edge.share * face.signs[l];
                    (0..4).for_each(|a| values.add_mixed(*f, g.vertices[a], g.gradients[a] * coupled));
                    if edge.has_scalar {
                        values.add_scalar(*e, *f, stiffness * face.signs[k] * face.signs[l]);
                    }
                }
            }
        }
    }
}

/// The values of the matrix while they are summed up.
struct Values<'a> {
    assembly: &'a Assembly,
    held: &'a [[bool; 3]],
    values: Vec<f64>,
}

impl Values<'_> {
    /// Adds all 3×3 blocks of an element; `block(a, b)` couples the rows of vertex `a` to the columns of `b`.
    fn add_all<const V: usize>(&mut self, vertices: &[u32; V], block: impl Fn(usize, usize) -> DMat3) {
        for a in 0..V {
            for b in 0..V {
                if self.is_lower(vertices[a], vertices[b]) {
                    self.add(vertices[a], vertices[b], block(a, b));
                }
            }
        }
    }

    fn is_lower(&self, row: u32, column: u32) -> bool {
        self.assembly.columns[row as usize].first >= self.assembly.columns[column as usize].first
    }

    /// Adds a block that couples the rows of one vertex to the columns of another, if it lies below the diagonal.
    fn add(&mut self, row: u32, column: u32, block: DMat3) {
        if !self.is_lower(row, column) {
            return;
        }
        let (rows, columns) = (self.assembly.columns[row as usize], self.assembly.columns[column as usize]);
        let (held_rows, held_columns) = (self.held[row as usize], self.held[column as usize]);
        // The columns of a vertex have the same rows below its own, so that one search serves all three.
        let offsets = self.assembly.pattern.column_offsets();
        let behind = offsets[columns.first + 1] - self.place(rows.first, columns.first);
        for c in (0..3).filter(|c| !held_columns[*c]) {
            let start = match row == column {
                true => offsets[columns.first + c],
                false => offsets[columns.first + c + 1] - behind,
            };
            for r in (0..3).filter(|r| !held_rows[*r] && rows.first + r >= columns.first + c) {
                // On the diagonal block the column starts at its own row.
                let offset = if row == column { r - c } else { r };
                self.values[start + offset] += block.col(c)[r];
            }
        }
    }

    /// Adds what couples the scalar of an edge to a vertex.
    fn add_mixed(&mut self, edge: u32, vertex: u32, value: DVec3) {
        let scalar = self.assembly.columns[self.assembly.topology.vertex_count + edge as usize];
        let own = self.assembly.columns[vertex as usize];
        for axis in (0..3).filter(|axis| !self.held[vertex as usize][*axis]) {
            let (row, column) = (scalar.first.max(own.first + axis), scalar.first.min(own.first + axis));
            let place = self.place(row, column);
            self.values[place] += value[axis];
        }
    }

    fn add_scalar(&mut self, row: u32, column: u32, value: f64) {
        let at = |e: u32| self.assembly.columns[self.assembly.topology.vertex_count + e as usize].first;
        if at(row) >= at(column) {
            let place = self.place(at(row), at(column));
            self.values[place] += value;
        }
    }

    /// Place of an entry; for a row above the diagonal of its block, where the column starts.
    fn place(&self, row: usize, column: usize) -> usize {
        let offsets = self.assembly.pattern.column_offsets();
        let start = offsets[column];
        let rows = &self.assembly.pattern.row_indices()[start..offsets[column + 1]];
        start + rows.binary_search(&row.max(column)).expect("coupled unknowns are part of the pattern")
    }

    /// The values, with ones on the diagonal of held components.
    fn finish(mut self) -> Vec<f64> {
        for (held, columns) in self.held.iter().zip(&self.assembly.columns) {
            for axis in (0..3).filter(|axis| held[*axis]) {
                self.values[self.assembly.pattern.column_offsets()[columns.first + axis]] = 1.0;
            }
        }
        self.values
    }
}
