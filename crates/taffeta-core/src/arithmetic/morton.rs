//! Morton (Z-curve) order: neighbors in space become neighbors in memory.

use glam::DVec3;

/// The Morton code of a point in a box, 21 bits per axis. Points outside are clamped to the box.
///
/// For points of a plane set the third coordinate to zero: the order is then the planar Z-curve.
pub fn morton_code(point: DVec3, low: DVec3, high: DVec3) -> u64 {
    // A cube, not the box: an elongated sheet keeps square cells. The smallest positive extent guards a point-like box.
    let extent = (high - low).max_element().max(f64::MIN_POSITIVE);
    let scaled = (point - low) / extent * f64::from((1u32 << 21) - 1);
    let [x, y, z] = scaled.to_array().map(|c| spread(c.clamp(0.0, 2_097_151.0) as u64));
    x | (y << 1) | (z << 2)
}

/// Moves the lower 21 bits apart so that two zeros follow each.
fn spread(bits: u64) -> u64 {
    let mut x = bits & 0x1f_ffff;
    x = (x | x << 32) & 0x1f_0000_0000_ffff;
    x = (x | x << 16) & 0x1f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_orders_the_quadrants_of_a_square() {
        let code = |x, y| morton_code(DVec3::new(x, y, 0.0), DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0));
        let codes = [code(0.1, 0.1), code(0.9, 0.1), code(0.1, 0.9), code(0.9, 0.9)];
        assert!(codes.is_sorted(), "{codes:?}");
    }

    #[test]
    fn spread_keeps_every_bit() {
        for bit in 0..21 {
            assert_eq!(spread(1 << bit), 1 << (3 * bit));
        }
    }
}
