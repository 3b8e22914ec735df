//! Which pieces of cloth move together, because they touch.

use super::NewtonProblem;
use taffeta_core::VertexIndex;
use taffeta_core::components::Components;

/// Connected pieces of cloth, ropes, solids, and loose vertices.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    /// The vertices of each.
    pub lists: Vec<Vec<u32>>,
    /// The piece of each vertex.
    pub of_vertex: Vec<u32>,
}

impl Pieces {
    /// Pieces, given by the vertices of each, of which those are one that any of these elements have vertices of.
    pub(super) fn joined<'a>(
        lists: Vec<Vec<u32>>,
        vertex_count: usize,
        elements: impl Iterator<Item = &'a [VertexIndex]>,
    ) -> Self {
        let mut before = Self { of_vertex: numbers(&lists, vertex_count), lists };
        let mut joined = Components::new(before.lists.len());
        for element in elements {
            let [first, rest @ ..] = element else { continue };
            rest.iter().for_each(|vi| joined.join(before.of(*vi), before.of(*first)));
        }
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); before.lists.len()];
        for (piece, group) in std::mem::take(&mut before.lists).into_iter().zip(joined.labels()) {
            lists[group as usize].extend(piece);
        }
        lists.retain(|piece| !piece.is_empty());
        Self { of_vertex: numbers(&lists, vertex_count), lists }
    }

    fn of(&self, vi: VertexIndex) -> u32 {
        self.of_vertex[vi.0 as usize]
    }

    /// The largest ratio of what a step lowers `W` by in a piece \[J\] to the inertia of the piece \[N/m\]: the square of a length. A
    /// light piece that is wrong is nothing beside a heavy one that it touches, and must not be taken for it.
    pub(super) fn largest_square(&self, inertias: &[f64], gradient: &[f64], step: &[f64]) -> f64 {
        let mut slopes = vec![0.0; inertias.len()];
        for ((g, s), piece) in gradient.chunks_exact(3).zip(step.chunks_exact(3)).zip(&self.of_vertex) {
            slopes[*piece as usize] += g[0] * s[0] + g[1] * s[1] + g[2] * s[2];
        }
        let squares = slopes.iter().zip(inertias).filter(|(_, inertia)| **inertia > 0.0);
        squares.map(|(slope, inertia)| slope.abs() / inertia).fold(0.0, f64::max)
    }
}

/// By what errors of a solve are measured.
#[derive(Clone, Debug, Default)]
pub(super) struct Scales {
    /// Inertia of what can move of each piece \[N/m\].
    pub pieces: Vec<f64>,
    /// For each vertex the square of the way by which its piece goes wrong with a force of 1 N on it \[m²/N²\]; 0 if it is held.
    pub mobilities: Vec<f64>,
}

impl Scales {
    pub(super) fn of(pieces: &Pieces, problem: &NewtonProblem<'_>) -> Self {
        let moves = |v: usize| problem.held[v] != [true; 3] && problem.inertia[v] > 0.0;
        let mut inertias = vec![0.0; pieces.lists.len()];
        for (v, piece) in pieces.of_vertex.iter().enumerate().filter(|(v, _)| moves(*v)) {
            inertias[*piece as usize] += problem.inertia[v];
        }
        // What is driven has next to no inertia: its drive holds it.
        let mut own = problem.inertia.to_vec();
        for drive in problem.contacts.drives {
            own[drive.vertex as usize] += drive.stiffness;
            inertias[pieces.of_vertex[drive.vertex as usize] as usize] += drive.stiffness;
        }
        let mobility = |(v, piece): (usize, &u32)| match moves(v) {
            true => 1.0 / (own[v] * inertias[*piece as usize]),
            false => 0.0,
        };
        Self { mobilities: pieces.of_vertex.iter().enumerate().map(mobility).collect(), pieces: inertias }
    }

    /// Inertia of the lightest piece \[N/m\].
    pub(super) fn lightest(&self) -> f64 {
        let moving = self.pieces.iter().filter(|inertia| **inertia > 0.0);
        moving.fold(f64::INFINITY, |least, inertia| least.min(*inertia)).min(f64::MAX)
    }
}

/// The number of the list of each vertex.
fn numbers(lists: &[Vec<u32>], vertex_count: usize) -> Vec<u32> {
    let mut numbers = vec![0; vertex_count];
    for (number, list) in (0..).zip(lists) {
        list.iter().for_each(|v| numbers[*v as usize] = number);
    }
    numbers
}

/// Pieces of cloth that touch each other.
pub(super) struct Groups {
    /// The group of each piece: the number of its first piece.
    pub of_piece: Vec<usize>,
    /// For each group, by its number, true if it touches something outside.
    pub is_touched: Vec<bool>,
}

impl Groups {
    /// Joins the pieces that contacts join.
    pub(super) fn find(pieces: &Pieces, problem: &NewtonProblem<'_>) -> Self {
        let rows = problem.contacts.rows;
        let mut groups = Components::new(pieces.lists.len());
        for row in rows.iter().filter(|row| row.is_mutual()) {
            let [first, rest @ ..] = row.vertices.map(|vi| pieces.of(vi));
            rest.into_iter().for_each(|piece| groups.join(first, piece));
        }
        let of_piece: Vec<usize> = groups.labels().into_iter().map(|group| group as usize).collect();
        let mut is_touched = vec![false; pieces.lists.len()];
        for row in rows.iter().filter(|row| !row.is_mutual()) {
            row.vertices.iter().for_each(|vi| is_touched[of_piece[pieces.of(*vi) as usize]] = true);
        }
        for carrier in problem.contacts.carriers.iter().flatten() {
            is_touched[of_piece[pieces.of(VertexIndex(carrier.vertex)) as usize]] = true;
        }
        Self { of_piece, is_touched }
    }
}
