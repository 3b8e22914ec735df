//! Solids whose surface meets itself in a vertex only.

use crate::build::sides::group_sides;

/// A side of a tetrahedron on the surface, as a corner `at` sees it: the edge across, and the tetrahedron.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CornerSide {
    at: u32,
    from: u32,
    to: u32,
    tetrahedron: usize,
}

/// A vertex where parts of a surface meet that share no edge there, with a tetrahedron on two of them. Every edge of the
/// surface has two faces, whose corners run alike.
pub(crate) fn find_pinched_vertex(tetrahedra: &[[u32; 4]]) -> Option<(u32, [usize; 2])> {
    let all = group_sides(tetrahedra);
    let surface = all.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() == 1);
    let corners_of = |group: &[([u32; 3], [u32; 3], usize)]| {
        let (_, [a, b, c], tetrahedron) = group[0];
        [(a, b, c), (b, c, a), (c, a, b)].map(|(at, from, to)| CornerSide { at, from, to, tetrahedron })
    };
    let mut corners: Vec<CornerSide> = surface.flat_map(corners_of).collect();
    corners.sort_unstable();
    let mut vertices = corners.chunk_by(|a, b| a.at == b.at);
    vertices.find_map(|around| Some((around[0].at, find_second_fan(around)?)))
}

/// The tetrahedra of the first side and of one that no walk around the vertex leads to from there.
fn find_second_fan(around: &[CornerSide]) -> Option<[usize; 2]> {
    let mut is_reached = vec![false; around.len()];
    let mut next = Some(0);
    while let Some(number) = next.filter(|number| !is_reached[*number]) {
        is_reached[number] = true;
        next = around.binary_search_by_key(&around[number].to, |side| side.from).ok();
    }
    let beyond = is_reached.iter().position(|reached| !reached)?;
    Some([around[0].tetrahedron, around[beyond].tetrahedron])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tetrahedra_that_share_a_vertex_only_are_found() {
        assert_eq!(find_pinched_vertex(&[[0, 1, 2, 3], [0, 4, 5, 6]]), Some((0, [0, 1])));
        assert_eq!(find_pinched_vertex(&[[4, 1, 2, 3], [9, 8, 7, 4], [10, 1, 3, 2]]), Some((4, [0, 1])));
    }

    #[test]
    fn surfaces_with_one_fan_at_every_vertex_are_good() {
        assert_eq!(find_pinched_vertex(&[[0, 1, 2, 3]]), None);
        assert_eq!(find_pinched_vertex(&[[0, 1, 2, 3], [4, 1, 3, 2]]), None);
        // A ring around the edge of the vertices 0 and 1, which is inside.
        assert_eq!(find_pinched_vertex(&[[0, 1, 2, 3], [0, 1, 3, 4], [0, 1, 4, 2]]), None);
    }
}
