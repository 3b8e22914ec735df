//! The heavy chain: a narrow strip in small swing.

use crate::reference::{heavy_chain, heavy_chain_mode};
use crate::validate::bench::context::{CheckError, Context};
use crate::validate::bench::row::Row;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;
use taffeta_core::TriangleMesh;
use taffeta_io::{GridPattern, grid};

/// Rows of cells along the strip of 1 m.
const ROWS: u32 = 64;
/// Width of the strip \[m\].
const WIDTH: f64 = 0.04;
/// Displacement of the free end at the start \[m\]: the slopes stay small.
const AMPLITUDE: f64 = 0.004;

/// The strip starts at rest in the shape of a mode, and swings in it.
pub(crate) fn check_chain(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    for (mode, duration, tolerance) in [(1, 5.0, 0.01), (2, 2.5, 0.03)] {
        context.note(&format!("heavy-chain: mode {mode}"));
        let name = format!("chain_{mode}.obj");
        context.write_mesh(&name, &displaced_strip(mode))?;
        let signal = swing(context, &name, mode, duration)?;
        let frequency = find_frequency(&signal)?;
        let case = format!("frequency of mode {mode}");
        rows.push(Row::relative(case, frequency, heavy_chain(mode, 1.0), tolerance).in_unit("rad/s"));
    }
    Ok(rows)
}

/// The part of a mode in the displacement: times \[s\] and amounts.
fn swing(context: &Context<'_>, mesh: &str, mode: u32, duration: f64) -> Result<Vec<(f64, f64)>, CheckError> {
    let scene = format!(
        r#"
[simulation]
duration = {duration}
[[cloth]]
mesh = "{mesh}"
material = {{ density = 0.2, stretch = [2e4, 2e4], poisson = 0.0, bend = [1e-7, 1e-7] }}
[[cloth.pin]]
where = {{ material_box = [[-1.0, 1.0], [1.0, 1.0]] }}
[air]
density = 0.0
"#
    );
    context.experiment(&scene)?.record(|experiment| {
        // The modes of a chain of constant density are orthogonal.
        let mut part = 0.0;
        for i in 0..ROWS {
            let s = (f64::from(i) + 0.5) / f64::from(ROWS);
            part += experiment.at(0.5 * WIDTH, s)?.z * heavy_chain_mode(mode, s);
        }
        Ok((experiment.world.time(), part))
    })
}

/// The strip displaced by a mode along z, without stretch: its rows come closer along y.
fn displaced_strip(mode: u32) -> TriangleMesh {
    let mut mesh = grid(DVec2::new(WIDTH, 1.0), [2, ROWS], GridPattern::Alternating, 0);
    let side = |row: u32| AMPLITUDE * heavy_chain_mode(mode, f64::from(row) / f64::from(ROWS));
    let mut heights = vec![1.0; ROWS as usize + 1];
    for row in (0..ROWS).rev() {
        let (step, aside) = (1.0 / f64::from(ROWS), side(row + 1) - side(row));
        heights[row as usize] = heights[row as usize + 1] - (step * step - aside * aside).sqrt();
    }
    for x in &mut mesh.positions {
        let row = (x.y * f64::from(ROWS)).round();
        *x = DVec3::new(x.x, heights[row as usize], side(row as u32));
    }
    mesh
}

/// Angular frequency \[rad/s\] from the first to the last time that a signal passes through zero.
pub(super) fn find_frequency(signal: &[(f64, f64)]) -> Result<f64, CheckError> {
    let crossing = |pair: &[(f64, f64)]| {
        let [(t, a), (u, b)] = [pair[0], pair[1]];
        ((a > 0.0) != (b > 0.0)).then(|| t + (u - t) * a / (a - b))
    };
    let crossings: Vec<f64> = signal.windows(2).filter_map(crossing).collect();
    match crossings.as_slice() {
        [first, .., last] => Ok(PI * (crossings.len() - 1) as f64 / (last - first)),
        _ => Err(CheckError::Odd(format!("the strip does not swing: {} zero crossings", crossings.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_are_read_from_damped_signals() {
        let signal: Vec<_> =
            (0..200).map(|i| f64::from(i) / 60.0).map(|t| (t, (-t).exp() * (5.0 * t).cos())).collect();
        assert!((find_frequency(&signal).unwrap() / 5.0 - 1.0).abs() < 1e-3);
        assert!(find_frequency(&signal[..3]).is_err());
    }

    #[test]
    fn a_displaced_strip_is_not_stretched() {
        let mesh = displaced_strip(2);
        let column: Vec<DVec3> = mesh.positions.iter().copied().filter(|x| x.x == 0.0).collect();
        let step = 1.0 / f64::from(ROWS);
        assert!(column.windows(2).all(|pair| (pair[0].distance(pair[1]) - step).abs() < 1e-12));
        assert_eq!(column[0].z, AMPLITUDE);
    }
}
