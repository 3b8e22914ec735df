//! Four-wide arithmetic: plain arrays, one entry per lane, that the compiler turns into vector instructions.

use crate::math::{ATAN_P, ATAN_Q, TAN_PI_8};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Elements per batch.
pub const LANES: usize = 4;

/// Four numbers, one per lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct F64x4(pub [f64; LANES]);

impl F64x4 {
    /// A vector with one number in every lane.
    #[inline(always)]
    pub fn splat(value: f64) -> Self {
        Self([value; LANES])
    }

    // Lanes are written out: as loops, which every operation would bring along, they take the compiler several times as
    // long.
    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let [a, b, c, d] = self.0;
        Self([f(a), f(b), f(c), f(d)])
    }

    #[inline(always)]
    fn map2(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let ([a, b, c, d], [p, q, r, s]) = (self.0, other.0);
        Self([f(a, p), f(b, q), f(c, r), f(d, s)])
    }

    /// Square root.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }

    /// Absolute value.
    #[inline(always)]
    pub fn abs(self) -> Self {
        self.map(f64::abs)
    }

    /// Nearest whole number, halves to the even one. For arguments below 2⁵¹ in size.
    #[inline(always)]
    pub fn round(self) -> Self {
        // Adding and taking away 2⁵² rounds, and keeps the lanes in vector registers.
        const MAGIC: f64 = 4_503_599_627_370_496.0;
        self.map(|x| {
            let nearest = (x.abs() + MAGIC) - MAGIC;
            nearest.copysign(x)
        })
    }

    /// The larger of two, lane by lane.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.map2(other, |a, b| if a > b { a } else { b })
    }

    /// The smaller of two, lane by lane.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.map2(other, |a, b| if a < b { a } else { b })
    }

    /// `yes` where `self > other`, `no` elsewhere.
    #[inline(always)]
    pub fn select_greater(self, other: Self, yes: Self, no: Self) -> Self {
        let pick = |k: usize| if self.0[k] > other.0[k] { yes.0[k] } else { no.0[k] };
        Self([pick(0), pick(1), pick(2), pick(3)])
    }

    /// The angle of the points `(x, y)` \[rad\]: the same bits as [`crate::math::atan2`] in every lane that holds numbers.
    #[inline(always)]
    pub fn atan2(y: Self, x: Self) -> Self {
        let zero = Self::splat(0.0);
        let (ax, ay) = (x.abs(), y.abs());
        let small = ax.min(ay);
        let large = ax.max(ay).max(Self::splat(f64::MIN_POSITIVE));
        let limit = Self::splat(TAN_PI_8) * large;
        let numerator = small.select_greater(limit, small - large, small);
        let denominator = small.select_greater(limit, small + large, large);
        let t = numerator / denominator;
        let z = t * t;
        let [p0, p1, p2, p3, p4] = ATAN_P.map(Self::splat);
        let [q0, q1, q2, q3, q4] = ATAN_Q.map(Self::splat);
        let p = (((p0 * z + p1) * z + p2) * z + p3) * z + p4;
        let q = ((((z + q0) * z + q1) * z + q2) * z + q3) * z + q4;
        let base = small.select_greater(limit, Self::splat(std::f64::consts::FRAC_PI_4), zero);
        let octant = base + (t + t * (z * (p / q)));
        let quadrant = ay.select_greater(ax, Self::splat(std::f64::consts::FRAC_PI_2) - octant, octant);
        let half = zero.select_greater(x, Self::splat(std::f64::consts::PI) - quadrant, quadrant);
        zero.select_greater(y, -half, half)
    }
}

macro_rules! lane_operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for F64x4 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.map2(other, |a, b| a $op b)
            }
        }
    };
}
lane_operator!(Add, add, +);
lane_operator!(Sub, sub, -);
lane_operator!(Mul, mul, *);
lane_operator!(Div, div, /);

impl Neg for F64x4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|x| -x)
    }
}

/// Four vectors, one per lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3x4 {
    /// First coordinates.
    pub x: F64x4,
    /// Second coordinates.
    pub y: F64x4,
    /// Third coordinates.
    pub z: F64x4,
}

impl Vec3x4 {
    /// Scalar products.
    #[inline(always)]
    pub fn dot(self, other: Self) -> F64x4 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Vector products.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}

impl Add for Vec3x4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Vec3x4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<F64x4> for Vec3x4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, scale: F64x4) -> Self {
        Self { x: self.x * scale, y: self.y * scale, z: self.z * scale }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math;

    #[test]
    fn atan2_has_the_bits_of_the_scalar_function() {
        for i in 0..10_000 {
            let angles: [f64; 4] = std::array::from_fn(|k| f64::from(i) * 6.3e-4 + k as f64 * 1.7);
            let y = F64x4(angles.map(|a| a.sin() * (1.0 + a)));
            let x = F64x4(angles.map(|a| a.cos() * (1.0 + a)));
            let lanes = F64x4::atan2(y, x);
            for k in 0..LANES {
                assert_eq!(lanes.0[k].to_bits(), math::atan2(y.0[k], x.0[k]).to_bits());
            }
        }
    }

    #[test]
    fn rounding_goes_to_the_nearest_number() {
        assert_eq!(F64x4([0.4, -0.6, 1.51, -7.2]).round().0, [0.0, -1.0, 2.0, -7.0]);
    }
}
