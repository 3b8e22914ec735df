//! The certificate of contact: two hinged quads move, and by exact predicates nothing crosses after the motion that it lets
//! through, nor on the way. Coordinates are small whole numbers, so that things lie in one plane or line up, with smaller
//! ones added.
#![no_main]

use glam::DVec3;
use libfuzzer_sys::fuzz_target;
use taffeta::contact::boxes::{Aabb, MovingBox};
use taffeta::contact::candidates::collect_pairs;
use taffeta::contact::pair_limits::{Path, truncate};
use taffeta::contact::crossings::find_crossings;
use taffeta::contact::elements::Elements;
use taffeta::contact::near::{BoxedElements, NearSearch};

const VERTICES: usize = 8;
/// Bytes of a vector: three coordinates and which vertex has smaller ones.
const VECTOR: usize = 4;
/// Points on the way at which is looked.
const LOOKS: u32 = 8;
/// The distance that must be left \[m\].
const SEPARATION: f64 = 1e-4;

/// Coordinates are quarters from −4 to 4, or in steps of 2⁻⁸ down to 2⁻³⁰ of that.
fn vector(bytes: &[u8]) -> DVec3 {
    let scale = [0.0, 0.0, 0.0, 8.0, 16.0, 24.0, 28.0, 30.0][usize::from(bytes[3] % 8)];
    let coarse = |byte: u8| f64::from(byte as i8 / 8) * 0.25;
    let fine = |byte: u8| f64::from(byte as i8 % 8) * 0.25 * f64::exp2(-scale);
    DVec3::from_array([0, 1, 2].map(|k| coarse(bytes[k]) + fine(bytes[k])))
}

fuzz_target!(|data: &[u8]| {
    if data.len() < 2 * VERTICES * VECTOR {
        return;
    }
    let vectors: Vec<DVec3> = data.chunks_exact(VECTOR).take(2 * VERTICES).map(vector).collect();
    let (x, moves) = vectors.split_at(VERTICES);
    let quad = [[0, 1, 2], [2, 1, 3]];
    let mut elements = Elements::default();
    elements.add_triangles(4, &quad, |_| 0);
    elements.add_triangles(4, &quad, |_| 1);
    if !find_crossings(&elements, x, |_, _| true).is_empty() {
        return;
    }
    let swept = |(x, m): (&DVec3, &DVec3)| MovingBox::still(Aabb::around([*x, *x + *m]));
    let swept: Vec<_> = x.iter().zip(moves).map(swept).collect();
    let boxed = BoxedElements { list: &elements.list, boxes: &swept, movers: elements.list.len() };
    let near = NearSearch::default().find(boxed, false, |_, _| true);
    let pairs = collect_pairs(&elements.list, &near, &swept, |_| true);
    let path = Path { start: x, moves, frames: &[], prescribed: &[false; VERTICES] };
    let found = truncate(&pairs, |_| SEPARATION, path);
    assert!(found.fractions.iter().all(|t| (0.0..=1.0).contains(t)), "{found:?}");
    // Nothing is said about pairs that touch from the start.
    if found.forced_count() > 0 {
        return;
    }
    for look in 1..=LOOKS {
        let tau = f64::from(look) / f64::from(LOOKS);
        let at = |((x, m), t): ((&DVec3, &DVec3), &f64)| *x + *m * (*t * tau);
        let there: Vec<DVec3> = x.iter().zip(moves).zip(&found.fractions).map(at).collect();
        assert!(find_crossings(&elements, &there, |_, _| true).is_empty(), "at {tau}: {found:?}, {x:?}, {moves:?}");
    }
});
