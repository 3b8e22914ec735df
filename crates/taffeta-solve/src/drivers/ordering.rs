//! Nested dissection by the places of the unknowns: an elimination order for the sparse factorization.
//!
//! A set of unknowns is halved along its longest side; those of one half that touch the other are the separator and
//! come last. Geometry replaces the search for a separator: it is several times faster than a general ordering, and
//! the result depends on the places alone.

use glam::DVec3;

/// Sets up to this size are not cut further.
const LEAF: usize = 48;

/// The elimination order of nodes at given places: `order[k]` is the node that is eliminated as the `k`-th.
///
/// `neighbors(node)` gives the nodes that a node is coupled to, itself or not.
pub(super) fn dissect<'a>(places: &[DVec3], neighbors: impl Fn(u32) -> &'a [u32]) -> Vec<u32> {
    let mut order: Vec<u32> = Vec::with_capacity(places.len());
    let mut marks = vec![0u32; places.len()];
    let mut stamp = 0;
    // Separators are eliminated after both of their halves: sets are taken from the end of the order.
    let mut stack = vec![(0..places.len() as u32).collect::<Vec<u32>>()];
    while let Some(mut set) = stack.pop() {
        if set.len() <= LEAF {
            order.extend(set.iter().rev());
            continue;
        }
        let axis = longest_axis(places, &set);
        let middle = set.len() / 2;
        let key = |node: &u32| (places[*node as usize][axis], *node);
        set.select_nth_unstable_by(middle, |a, b| key(a).partial_cmp(&key(b)).expect("places are finite"));
        let (low, high) = set.split_at(middle);
        stamp += 1;
        low.iter().for_each(|node| marks[*node as usize] = stamp);
        let touches = |node: &u32| neighbors(*node).iter().any(|other| marks[*other as usize] == stamp);
        let (mut separator, mut rest): (Vec<u32>, Vec<u32>) = high.iter().partition(|node| touches(node));
        let mut low = low.to_vec();
        [&mut separator, &mut rest, &mut low].into_iter().for_each(|set| set.sort_unstable());
        order.extend(separator.iter().rev());
        stack.push(low);
        stack.push(rest);
    }
    order.reverse();
    order
}

fn longest_axis(places: &[DVec3], set: &[u32]) -> usize {
    let place = |node: &u32| places[*node as usize];
    let low = set.iter().map(place).fold(DVec3::INFINITY, DVec3::min);
    let high = set.iter().map(place).fold(DVec3::NEG_INFINITY, DVec3::max);
    let extent = (high - low).to_array();
    (0..3).fold(0, |best, axis| if extent[axis] > extent[best] { axis } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_ordered_completely_with_its_separator_last() {
        let n = 12u32;
        let places: Vec<DVec3> =
            (0..n * n).map(|i| DVec3::new(f64::from(i % n), 1.1 * f64::from(i / n), 0.0)).collect();
        let lists: Vec<Vec<u32>> = (0..n * n)
            .map(|i| {
                let (x, y) = (i % n, i / n);
                let near = |a: u32, b: u32| a.abs_diff(b) <= 1;
                (0..n * n).filter(|j| near(j % n, x) && near(j / n, y) && *j != i).collect()
            })
            .collect();
        let order = dissect(&places, |node| &lists[node as usize]);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(k, node)| k as u32 == *node));
        // The last twelve are one row across the longer side.
        assert!(order[132..].iter().all(|node| node / n == 6), "{:?}", &order[132..]);
        assert_eq!(order, dissect(&places, |node| &lists[node as usize]));
    }
}
