//! Sides of tetrahedra, and which of them two tetrahedra share.

/// The sides of a tetrahedron, counter-clockwise from outside if its volume is positive.
pub(crate) fn sides([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 4] {
    [[a, c, b], [a, b, d], [a, d, c], [b, c, d]]
}

/// The sides of all tetrahedra with the numbers of these, those of the same corners together. The sorted corners come first.
pub(crate) fn group_sides(tetrahedra: &[[u32; 4]]) -> Vec<([u32; 3], [u32; 3], usize)> {
    let of_one = |(number, corners): (usize, &[u32; 4])| {
        sides(*corners).map(|face| {
            let mut sorted = face;
            sorted.sort_unstable();
            (sorted, face, number)
        })
    };
    let mut all: Vec<_> = tetrahedra.iter().enumerate().flat_map(of_one).collect();
    all.sort_by_key(|(sorted, ..)| *sorted);
    all
}
