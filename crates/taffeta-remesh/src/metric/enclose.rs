//! The smallest tensor that dominates some tensors.
//!
//! A symmetric 2×2 tensor is a disk with the center `((M₀₀ − M₁₁)/2, M₀₁)` and the radius `tr M/2`. One tensor is nowhere
//! smaller than another exactly if its disk contains that of the other. So the smallest is the smallest disk around disks (R.
//! Narain, A. Samii, J. F. O'Brien, Adaptive anisotropic remeshing for cloth simulation, 2012, §4.3).

use crate::metric::Metric;
use glam::DVec2;
use taffeta_core::math::Sym2;

/// Relative round-off that is allowed when a disk is said to contain another one.
const ROUND_OFF: f64 = 1e-12;

#[derive(Clone, Copy, Debug)]
struct Disk {
    center: DVec2,
    radius: f64,
}

impl Disk {
    fn of(metric: Metric) -> Self {
        Self {
            center: DVec2::new(0.5 * (metric.xx - metric.yy), metric.xy),
            radius: 0.5 * (metric.xx + metric.yy),
        }
    }

    fn metric(self) -> Metric {
        Sym2 { xx: self.radius + self.center.x, xy: self.center.y, yy: self.radius - self.center.x }
    }

    fn contains(&self, other: &Self) -> bool {
        self.center.distance(other.center) + other.radius <= self.radius * (1.0 + ROUND_OFF)
    }

    fn contains_all(&self, others: &[Self]) -> bool {
        others.iter().all(|other| self.contains(other))
    }

    /// The smallest disk around two, of which none contains the other.
    fn around_two(a: Self, b: Self) -> Self {
        let way = b.center - a.center;
        let distance = way.length();
        let radius = 0.5 * (distance + a.radius + b.radius);
        let center =
            if distance > 0.0 { a.center + way * ((radius - a.radius) / distance) } else { a.center };
        Self { center, radius }
    }

    /// The disk that three touch from within (Apollonius); `None`: their centers are in a line, or there is none.
    fn around_three([a, b, c]: [Self; 3]) -> Option<Self> {
        // With p from the center of `a`: |p| = R − rₐ and |p − dᵢ| = R − rᵢ. The differences of the squares are linear
        // in p and R, so p = q + s R; the first equation is then a quadratic one for R.
        let (d, e) = (b.center - a.center, c.center - a.center);
        let determinant = d.perp_dot(e);
        let solve = |x: f64, y: f64| DVec2::new(x * e.y - y * d.y, y * d.x - x * e.x) / determinant;
        let constant = |way: DVec2, r: f64| 0.5 * (way.length_squared() - r * r + a.radius * a.radius);
        let q = solve(constant(d, b.radius), constant(e, c.radius));
        let s = solve(b.radius - a.radius, c.radius - a.radius);
        let (k2, k1, k0) =
            (s.length_squared() - 1.0, q.dot(s) + a.radius, q.length_squared() - a.radius * a.radius);
        let root = (k1 * k1 - k2 * k0).sqrt();
        let least = a.radius.max(b.radius).max(c.radius);
        let roots = [(-k1 - root) / k2, (-k1 + root) / k2].into_iter();
        let radius = roots.filter(|radius| *radius >= least).fold(f64::INFINITY, f64::min);
        radius.is_finite().then(|| Self { center: a.center + q + s * radius, radius })
    }
}

/// The smallest metric, by its trace, that is nowhere smaller than any of the given ones. Zero if there are none.
///
/// Of isotropic metrics it is the largest one, to the bit.
pub fn dominate<const N: usize>(metrics: [Metric; N]) -> Metric {
    let disks = metrics.map(Disk::of);
    let mut largest = 0;
    for (number, disk) in disks.iter().enumerate() {
        if disk.radius > disks[largest].radius {
            largest = number;
        }
    }
    if N == 0 || disks[largest].contains_all(&disks) {
        return metrics.get(largest).copied().unwrap_or_default();
    }
    let pairs = (0..N).flat_map(|i| (0..i).map(move |j| Disk::around_two(disks[i], disks[j])));
    let triples = (0..N).flat_map(|i| (0..i).flat_map(move |j| (0..j).map(move |k| [i, j, k])));
    let triples = triples.filter_map(|numbers| Disk::around_three(numbers.map(|number| disks[number])));
    let enclosing = pairs.chain(triples).filter(|disk| disk.contains_all(&disks));
    let smallest = enclosing.reduce(|best, disk| if disk.radius < best.radius { disk } else { best });
    // Round-off may leave none: then one around all, one after the other, which is hardly larger.
    let around_both = |a: Disk, b: Disk| match (a.contains(&b), b.contains(&a)) {
        (true, _) => a,
        (_, true) => b,
        _ => Disk::around_two(a, b),
    };
    smallest.unwrap_or_else(|| disks.into_iter().fold(disks[largest], around_both)).metric()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::random::SplitMix64;

    /// A random tensor whose eigenvalues are not negative; some have only one.
    fn random_metric(random: &mut SplitMix64) -> Metric {
        let mut entry = || random.next_unit() - 0.5;
        let (u, v) = (DVec2::new(entry(), entry()), DVec2::new(entry(), entry()));
        let v = if entry() > 0.0 { v } else { DVec2::ZERO };
        Sym2 { xx: u.x * u.x + v.x * v.x, xy: u.x * u.y + v.x * v.y, yy: u.y * u.y + v.y * v.y }
    }

    fn least_eigenvalue(metric: &Metric) -> f64 {
        metric.eigen().0[1]
    }

    #[test]
    fn the_bound_dominates_all_and_no_smaller_one_does() {
        let mut random = SplitMix64(17);
        for round in 0..3000 {
            let metrics: [Metric; 5] = std::array::from_fn(|_| random_metric(&mut random));
            let bound = dominate(metrics);
            let scale = bound.xx + bound.yy;
            let reserve = |candidate: &Metric| {
                let excess = metrics.iter().map(|metric| least_eigenvalue(&candidate.plus(-1.0, metric)));
                excess.fold(f64::INFINITY, f64::min)
            };
            assert!(reserve(&bound) >= -1e-11 * scale, "round {round}");
            // The trace is convex and the set too, so it is enough to look around: no tensor with less trace dominates.
            for k in 0..64 {
                let (s, c) = (f64::from(k) * 0.1).sin_cos();
                for step in [1e-3, 1e-2, 0.1] {
                    let way = Sym2 { xx: c - 0.01, xy: s, yy: -c - 0.01 };
                    assert!(reserve(&bound.plus(step * scale, &way)) < 0.0, "round {round}, {k}, {step}");
                }
            }
        }
    }

    #[test]
    fn one_that_dominates_is_taken_to_the_bit() {
        let small = Sym2 { xx: 0.3, xy: 0.1, yy: 0.2 };
        let large = Sym2 { xx: 3.1, xy: -0.4, yy: 2.7 };
        assert_eq!(dominate([small, large, Sym2::default()]), large);
        assert_eq!(dominate([Sym2::diagonal(0.1), Sym2::diagonal(0.3)]), Sym2::diagonal(0.3));
        assert_eq!(dominate([small, small]), small);
        assert_eq!(dominate([]), Sym2::default());
    }

    #[test]
    fn two_that_cross_are_enclosed_along_both() {
        let bound = dominate([Sym2 { xx: 1.0, xy: 0.0, yy: 0.0 }, Sym2 { xx: 0.0, xy: 0.0, yy: 1.0 }]);
        assert!(
            (bound.xx - 1.0).abs() < 1e-15 && (bound.yy - 1.0).abs() < 1e-15 && bound.xy == 0.0,
            "{bound:?}"
        );
    }
}
