//! Spin that edits owe to their rings, given to what is around them.
//!
//! An edit changes the lumped masses of a ring and with them its angular momentum. If each one-ring got it back by itself, as a
//! rotation, velocities would oscillate from vertex to vertex. The estimate of the error in time takes that for motion, and a
//! swing took twice the substeps.
//!
//! If nobody got it back, coarse faces that have turned too slowly would stay too slow: the swing erred two to three times as
//! much in the end. So the momenta that one-rings owe to their vertices are summed up, and shared with neighbors in a few
//! rounds.

use crate::attributes::SheetAttributes;
use crate::conserve::momentum::{MomentumDrift, collect_cloths};
use crate::conserve::owed::OwedMomenta;
use glam::DVec3;
use taffeta_core::components::Components;
use taffeta_mesh::{HalfedgeMesh, slot_of};

/// Rounds in which each vertex shares what it has with its neighbors. With two the swing still took half as many substeps more,
/// with eight it erred by a third more.
const ROUNDS: usize = 4;

/// Gives the free vertices of each piece their parts of what is owed, whose linear momenta are none in sum, and adds the angular momenta to the
/// drifts, by cloth.
pub(crate) fn redistribute(
    owed: OwedMomenta,
    mesh: &HalfedgeMesh,
    attributes: &mut SheetAttributes,
    drifts: &mut [MomentumDrift],
) {
    let owed = owed.into_list();
    if owed.is_empty() {
        return;
    }
    let mut momenta = vec![DVec3::ZERO; mesh.vertex_slot_limit()];
    for (v, momentum) in owed.into_iter().filter(|(v, _)| mesh.contains_vertex(*v)) {
        momenta[slot_of(v)] += momentum;
    }
    let edges = free_edges(mesh, attributes);
    share_out(&mut momenta, &edges);
    let mut pieces = Components::new(momenta.len());
    edges.iter().for_each(|[a, b]| pieces.join(*a as u32, *b as u32));
    let pieces = pieces.labels();
    let cloths = collect_cloths(mesh, attributes, &vec![true; drifts.len()]);
    let free = || cloths.iter().flat_map(|(v, bodies)| v.iter().zip(bodies)).filter(|(_, body)| body.is_free);
    // Of what a ring owes nothing is left in sum, but where some of its vertices are gone by now.
    let mut sums = vec![(0.0, DVec3::ZERO); momenta.len()];
    for (v, body) in free() {
        let (mass, sum) = &mut sums[pieces[slot_of(*v)] as usize];
        (*mass, *sum) = (*mass + body.mass, *sum + momenta[slot_of(*v)]);
    }
    for (v, body) in free() {
        let (mass, sum) = sums[pieces[slot_of(*v)] as usize];
        momenta[slot_of(*v)] -= sum * (body.mass / mass);
    }
    for (drift, (vertices, bodies)) in drifts.iter_mut().zip(&cloths) {
        for (v, body) in vertices.iter().zip(bodies).filter(|(_, body)| body.is_free) {
            let momentum = momenta[slot_of(*v)];
            attributes.vertices[*v].velocity += momentum / body.mass;
            drift.angular += body.arm.cross(momentum);
        }
    }
}

/// The slots of the ends of edges that no pin holds, in the order of their keys.
fn free_edges(mesh: &HalfedgeMesh, attributes: &SheetAttributes) -> Vec<[usize; 2]> {
    let mut keys: Vec<_> = mesh.edge_keys().collect();
    keys.sort_unstable();
    let ends = keys.into_iter().map(|e| mesh.edge_ends(e));
    let free = ends.filter(|ends| ends.iter().all(|v| attributes.vertices[*v].hold.is_none()));
    free.map(|ends| ends.map(slot_of)).collect()
}

/// Lets the ends of edges share in rounds what they have: the sum stays.
fn share_out(momenta: &mut [DVec3], edges: &[[usize; 2]]) {
    let mut parts = vec![1.0; momenta.len()];
    edges.iter().flatten().for_each(|slot| parts[*slot] += 1.0);
    for _ in 0..ROUNDS {
        momenta.iter_mut().zip(&parts).for_each(|(momentum, parts)| *momentum /= *parts);
        let shares = momenta.to_vec();
        for [a, b] in edges {
            momenta[*a] += shares[*b];
            momenta[*b] += shares[*a];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_out_stays_and_gets_smooth() {
        let edges: Vec<[usize; 2]> = (0..9).map(|k| [k, k + 1]).collect();
        let mut momenta: Vec<DVec3> =
            (0..10).map(|k| DVec3::new(if k % 2 == 0 { 1.0 } else { -1.0 }, 1.0, 0.0)).collect();
        momenta[4].z = 2.0;
        let sum = momenta.iter().sum::<DVec3>();
        share_out(&mut momenta, &edges);
        assert!(momenta.iter().sum::<DVec3>().distance(sum) < 1e-14);
        assert!(momenta[3..7].iter().all(|momentum| momentum.x.abs() < 0.1), "{momenta:?}");
        assert!(momenta[4].z < 1.0 && momenta[8].z > 0.0);
    }
}
