//! Which pieces of cloth move together, because they touch.

use super::NewtonProblem;
use crate::block::Stitch;
use taffeta_core::components::Components;

/// The pieces, given by their vertices, of which those that stitches join are one.
pub(super) fn join_pieces(pieces: Vec<Vec<u32>>, stitches: &[Stitch]) -> Vec<Vec<u32>> {
    if stitches.is_empty() {
        return pieces;
    }
    let count = pieces.iter().flatten().max().map_or(0, |last| *last as usize + 1);
    let mut piece_of = vec![0; count];
    for (number, piece) in (0..).zip(&pieces) {
        piece.iter().for_each(|v| piece_of[*v as usize] = number);
    }
    let mut joined = Components::new(pieces.len());
    for stitch in stitches {
        let [a, b] = stitch.vertices.map(|vi| piece_of[vi.0 as usize]);
        joined.join(a, b);
    }
    let mut groups: Vec<Vec<u32>> = vec![Vec::new(); pieces.len()];
    for (piece, group) in pieces.into_iter().zip(joined.labels()) {
        groups[group as usize].extend(piece);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Pieces of cloth that touch each other.
pub(super) struct Groups {
    /// The group of each piece: the number of its first piece.
    pub of_piece: Vec<usize>,
    /// The piece of each vertex.
    pub piece_of: Vec<u32>,
    /// For each group, by its number, true if it touches something outside.
    pub is_touched: Vec<bool>,
}

impl Groups {
    /// Joins the pieces, given by their vertices, that contacts join.
    pub(super) fn find(pieces: &[Vec<u32>], problem: &NewtonProblem<'_>) -> Self {
        let mut piece_of = vec![0; problem.inertia.len()];
        for (number, piece) in (0..).zip(pieces) {
            piece.iter().for_each(|v| piece_of[*v as usize] = number);
        }
        let rows = problem.contacts.rows;
        let mut groups = Components::new(pieces.len());
        for row in rows.iter().filter(|row| row.is_mutual()) {
            let [first, rest @ ..] = row.vertices.map(|vi| piece_of[vi.0 as usize]);
            rest.into_iter().for_each(|piece| groups.join(first, piece));
        }
        let of_piece: Vec<usize> = groups.labels().into_iter().map(|group| group as usize).collect();
        let mut is_touched = vec![false; pieces.len()];
        for row in rows.iter().filter(|row| !row.is_mutual()) {
            row.vertices.iter().for_each(|vi| is_touched[of_piece[piece_of[vi.0 as usize] as usize]] = true);
        }
        Self { of_piece, piece_of, is_touched }
    }
}
