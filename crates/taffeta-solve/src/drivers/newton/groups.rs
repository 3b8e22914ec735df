//! Which pieces of cloth move together, because they touch.

use super::NewtonProblem;

/// Pieces of cloth that touch each other.
pub(super) struct Groups {
    /// The group of each piece: the number of its first piece.
    pub of_piece: Vec<usize>,
    /// Whether a group, by its number, touches something outside.
    pub is_touched: Vec<bool>,
}

impl Groups {
    /// Joins the pieces, given by their vertices, that contacts join.
    pub fn find(pieces: &[Vec<u32>], problem: &NewtonProblem<'_>) -> Self {
        let mut piece_of = vec![0usize; problem.inertia.len()];
        for (number, piece) in pieces.iter().enumerate() {
            piece.iter().for_each(|v| piece_of[*v as usize] = number);
        }
        let mut parents: Vec<usize> = (0..pieces.len()).collect();
        fn root(parents: &[usize], mut piece: usize) -> usize {
            while parents[piece] != piece {
                piece = parents[piece];
            }
            piece
        }
        let rows = problem.contacts.rows;
        for row in rows.iter().filter(|row| row.is_mutual()) {
            for vi in &row.vertices[1..] {
                let ends = [row.vertices[0], *vi].map(|vi| root(&parents, piece_of[vi.0 as usize]));
                parents[ends[0].max(ends[1])] = ends[0].min(ends[1]);
            }
        }
        let of_piece: Vec<usize> = (0..pieces.len()).map(|piece| root(&parents, piece)).collect();
        let mut is_touched = vec![false; pieces.len()];
        for row in rows.iter().filter(|row| !row.is_mutual()) {
            row.vertices.iter().for_each(|vi| is_touched[of_piece[piece_of[vi.0 as usize]]] = true);
        }
        Self { of_piece, is_touched }
    }
}
