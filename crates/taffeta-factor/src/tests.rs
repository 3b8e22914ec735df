use super::{FactorError, plain};

/// The lower triangle of a grid of springs with some ground under it, a ring of extra springs across, in compressed columns.
fn grid(side: usize) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    let count = side * side;
    let (mut offsets, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for k in 0..count {
        let right = (k % side + 1 < side).then_some(k + 1);
        let others = [right, Some(k + side), Some(k + 3 * side + 1)];
        rows.push(k);
        values.push(6.5 + (k % 7) as f64);
        for other in others.into_iter().flatten().filter(|other| *other < count) {
            rows.push(other);
            values.push(-1.0 - 0.1 * (other % 3) as f64);
        }
        offsets.push(rows.len());
    }
    (offsets, rows, values)
}

fn multiply((offsets, rows, values): &(Vec<usize>, Vec<usize>, Vec<f64>), x: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; x.len()];
    for column in 0..x.len() {
        for entry in offsets[column]..offsets[column + 1] {
            product[rows[entry]] += values[entry] * x[column];
            if rows[entry] != column {
                product[column] += values[entry] * x[rows[entry]];
            }
        }
    }
    product
}

/// `L` as a dense matrix, from its dense blocks of columns.
fn collect(
    count: usize,
    visit: impl FnOnce(&mut dyn FnMut((usize, usize), &[usize], &dyn Fn(usize, usize) -> f64)),
) -> Vec<f64> {
    let mut dense = vec![0.0; count * count];
    visit(&mut |(start, width), below, entry| {
        let rows: Vec<usize> = (start..start + width).chain(below.iter().copied()).collect();
        for j in 0..width {
            (j..rows.len()).for_each(|i| dense[rows[i] * count + start + j] = entry(i, j));
        }
    });
    dense
}

#[test]
fn the_plain_solution_fulfils_the_equations() {
    let matrix = grid(12);
    let pattern = plain::CholeskyPattern::build(matrix.0.clone(), matrix.1.clone());
    let factor = pattern.factorize(&matrix.2).expect("it is positive definite");
    let right: Vec<f64> = (0..144).map(|i| (0.7 * f64::from(i)).sin()).collect();
    let mut x = right.clone();
    factor.solve(&mut x);
    let product = multiply(&matrix, &x);
    assert!(product.iter().zip(&right).all(|(a, b)| (a - b).abs() < 1e-12), "{product:?}");
}

#[test]
fn the_plain_blocks_are_the_factor() {
    let matrix = grid(9);
    let pattern = plain::CholeskyPattern::build_supernodal(matrix.0.clone(), matrix.1.clone());
    let factor = pattern.factorize(&matrix.2).expect("it is positive definite");
    let mut widest = 0;
    let lower = collect(81, |add| {
        factor.visit_supernodes(|columns, below, entry| {
            widest = widest.max(columns.1);
            add(columns, below, entry);
        });
    });
    assert!(widest > 1, "columns that share their rows are one block");
    for unit in 0..81 {
        let x: Vec<f64> = (0..81).map(|k| if k == unit { 1.0 } else { 0.0 }).collect();
        let column = multiply(&matrix, &x);
        for (row, expected) in column.iter().enumerate() {
            let product: f64 = (0..81).map(|k| lower[row * 81 + k] * lower[unit * 81 + k]).sum();
            assert!((product - expected).abs() < 1e-12, "{row} {unit}: {product} instead of {expected}");
        }
    }
}

#[test]
fn a_matrix_that_is_not_definite_has_no_plain_factor() {
    let (offsets, rows, mut values) = grid(5);
    let pattern = plain::CholeskyPattern::build(offsets.clone(), rows);
    values[offsets[12]] = -1.0;
    assert_eq!(pattern.factorize(&values).err(), Some(FactorError::NotPositiveDefinite));
}

#[cfg(feature = "faer")]
#[test]
fn both_factorizations_agree() {
    let matrix = grid(9);
    let plain = plain::CholeskyPattern::build_supernodal(matrix.0.clone(), matrix.1.clone());
    let blocked = super::CholeskyPattern::build_supernodal(matrix.0.clone(), matrix.1.clone());
    let plain = plain.factorize(&matrix.2).expect("it is positive definite");
    let blocked = blocked.factorize(&matrix.2).expect("it is positive definite");
    let lower = collect(81, |add| plain.visit_supernodes(|columns, below, entry| add(columns, below, entry)));
    let other =
        collect(81, |add| blocked.visit_supernodes(|columns, below, entry| add(columns, below, entry)));
    assert!(lower.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-12));
}
