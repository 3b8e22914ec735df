//! Greedy coloring: elements of one color share no vertex.

use crate::index::{DenseIndex, VertexIndex};

/// Colors that one round of the greedy algorithm can hand out: the bits of a mask.
const COLORS_PER_ROUND: u32 = 64;

/// Splits the elements into colors, each a list of element numbers in increasing order, so that no two elements of a
/// color share a vertex. Each element gets the first color that none of its vertices has.
///
/// # Panics
/// If a vertex is not below `vertex_count` or an element names one twice.
pub fn color_elements<const V: usize>(elements: &[[VertexIndex; V]], vertex_count: usize) -> Vec<Vec<u32>> {
    let mut colors: Vec<Vec<u32>> = Vec::new();
    let mut taken = vec![0u64; vertex_count];
    let mut waiting: Vec<u32> =
        (0..u32::try_from(elements.len()).expect("fewer than 2³² elements")).collect();
    let mut base = 0;
    while !waiting.is_empty() {
        let mut left = Vec::new();
        for &e in &waiting {
            let element = &elements[e as usize];
            assert!(is_proper_element(element, vertex_count), "element {e} is not proper: {element:?}");
            let used = element.iter().fold(0u64, |mask, vi| mask | taken[vi.to_usize()]);
            let color = used.trailing_ones();
            if color == COLORS_PER_ROUND {
                left.push(e);
                continue;
            }
            for vi in element {
                taken[vi.to_usize()] |= 1 << color;
            }
            let color = base + color as usize;
            if color >= colors.len() {
                colors.resize_with(color + 1, Vec::new);
            }
            colors[color].push(e);
        }
        // A vertex of more than 64 elements: start over with fresh colors for what is left.
        base += COLORS_PER_ROUND as usize;
        taken.fill(0);
        waiting = left;
    }
    colors.retain(|color| !color.is_empty());
    colors
}

/// Checks that a list of vertices is in bounds and has no repetition.
pub(crate) fn is_proper_element<const V: usize>(element: &[VertexIndex; V], vertex_count: usize) -> bool {
    let distinct = (0..V).all(|a| (a + 1..V).all(|b| element[a] != element[b]));
    distinct && element.iter().all(|vi| vi.to_usize() < vertex_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_proper<const V: usize>(elements: &[[VertexIndex; V]], colors: &[Vec<u32>]) {
        let mut seen = vec![false; elements.len()];
        for color in colors {
            let mut vertices: Vec<_> = color.iter().flat_map(|e| elements[*e as usize]).collect();
            vertices.sort();
            assert!(vertices.windows(2).all(|pair| pair[0] != pair[1]), "a color shares a vertex");
            color.iter().for_each(|e| seen[*e as usize] = true);
        }
        assert!(seen.iter().all(|s| *s), "every element has a color");
    }

    #[test]
    fn triangles_of_a_strip_get_proper_colors() {
        let elements: Vec<_> = (0..100).map(|i| [i, i + 1, i + 2].map(VertexIndex)).collect();
        let colors = color_elements(&elements, 102);
        assert_proper(&elements, &colors);
        assert_eq!(colors.len(), 3);
    }

    #[test]
    fn a_fan_with_more_elements_than_a_mask_has_bits_gets_one_color_each() {
        let elements: Vec<_> = (1..=200).map(|i| [VertexIndex(0), VertexIndex(i)]).collect();
        let colors = color_elements(&elements, 201);
        assert_proper(&elements, &colors);
        assert_eq!(colors.len(), 200);
    }
}
