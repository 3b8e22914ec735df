use super::*;
use crate::material::Material;
use taffeta_core::random::SplitMix64;

/// A stiffness \[N/m\].
fn stiffness(material: &Material) -> Stiffness {
    pack(&material.membrane_compliance().try_inverse().expect("positive definite"))
}

/// Isotropic, a weave that is weak in shear, one that is much stiffer along warp, and one that hardly keeps its area.
fn materials() -> [Material; 4] {
    let plain = Material::isotropic(0.2, 1000.0, 0.3, 1e-4);
    [
        plain.clone(),
        Material { shear: Some(30.0), poisson: 0.1, ..plain.clone() },
        Material { stretch: [4000.0, 200.0], shear: Some(60.0), ..plain.clone() },
        Material { poisson: 0.9, ..plain },
    ]
}

struct Random(SplitMix64);

impl Random {
    /// A number from −1 to 1.
    fn number(&mut self) -> f64 {
        2.0 * self.0.next_unit() - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }
}

/// A law: stiffness and critical stress in Voigt form.
struct Law {
    k: Stiffness,
    critical: DVec3,
}

impl Law {
    fn wrinkles(&self, e: DVec3) -> Option<Wrinkles> {
        find_wrinkles(&self.k, multiply(&self.k, e) + self.critical)
    }

    fn wrinkle_strain(&self, e: DVec3) -> DVec3 {
        self.wrinkles(e).map_or(DVec3::ZERO, |found| found.strain)
    }

    fn energy(&self, e: DVec3) -> f64 {
        let p = self.wrinkle_strain(e);
        0.5 * (e + p).dot(multiply(&self.k, e + p)) + self.critical.dot(p)
    }

    fn stress(&self, e: DVec3) -> DVec3 {
        multiply(&self.k, e + self.wrinkle_strain(e))
    }
}

/// Laws of all materials, some of which bear no compression at all.
fn laws() -> Vec<Law> {
    let gradients = [DVec2::new(-12.0, -31.0), DVec2::new(10.0, 2.0), DVec2::new(2.0, 29.0)];
    let critical = critical_stress(gradients, [3e-4, 1e-4]);
    let critical = DVec3::new(critical.xx, critical.yy, critical.xy);
    let laws = materials().into_iter().map(|material| stiffness(&material));
    laws.flat_map(|k| [critical, DVec3::ZERO].map(|critical| Law { k, critical })).collect()
}

/// The regime of a triangle: taut, with waves in one direction, slack.
fn regime(found: Option<Wrinkles>) -> usize {
    found.map_or(0, |found| if found.along.is_some() { 1 } else { 2 })
}

#[test]
fn stress_and_wrinkle_strain_exclude_each_other() {
    let mut random = Random(SplitMix64(7));
    let mut seen = [0; 3];
    for _ in 0..20_000 {
        // Matrices of any kind, as the block driver has them.
        let rows = [random.vector(), random.vector(), random.vector()];
        let dot = |a: usize, b: usize| rows[a].dot(rows[b]) + if a == b { 1e-2 } else { 0.0 };
        let k = UPPER.map(|(a, b)| dot(a, b));
        let trial = random.vector();
        let found = find_wrinkles(&k, trial);
        seen[regime(found)] += 1;
        let p = found.map_or(DVec3::ZERO, |found| found.strain);
        let stress = trial + multiply(&k, p);
        let least = |t: DVec3| 0.5 * (t.x + t.y) - (0.25 * (t.x - t.y) * (t.x - t.y) + t.z * t.z).sqrt();
        let strain = DVec3::new(p.x, p.y, 0.5 * p.z);
        let size = p.length() + 1e-3;
        assert!(least(stress) > -1e-7 && least(strain) > -1e-9 * size, "{k:?} {trial}: {stress} {strain}");
        assert!(stress.dot(p).abs() < 1e-7 * size, "{k:?} {trial}: {}", stress.dot(p));
    }
    assert!(seen.iter().all(|count| *count > 500), "{seen:?}");
}

#[test]
fn the_stress_is_the_derivative_of_the_energy_and_the_tangent_that_of_the_stress() {
    for law in laws() {
        let mut random = Random(SplitMix64(11));
        let mut seen = [0; 3];
        for _ in 0..300 {
            let e = 0.02 * random.vector();
            let step = 1e-7;
            let around = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| [e + step * axis, e - step * axis]);
            let found = law.wrinkles(e);
            if around.as_flattened().iter().any(|near| regime(law.wrinkles(*near)) != regime(found)) {
                continue;
            }
            seen[regime(found)] += 1;
            let tangent = found.map_or(law.k, |found| found.tangent(&law.k));
            let floor = found.map_or(0.0, |_| FLOOR);
            for (axis, [plus, minus]) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().zip(around) {
                let slope = (law.energy(plus) - law.energy(minus)) / (2.0 * step);
                assert!((slope - law.stress(e).dot(axis)).abs() < 2e-4, "{slope} {}", law.stress(e));
                let difference = (law.stress(plus) - law.stress(minus)) / (2.0 * step);
                let expected = multiply(&tangent, axis) - multiply(&law.k, axis) * floor;
                assert!((difference - expected).length() < 1e-4 * law.k[0], "{difference} {expected}");
            }
        }
        assert!(seen.iter().all(|count| *count > 5), "{seen:?}");
    }
}

#[test]
fn the_energy_is_convex_along_any_line() {
    for law in laws() {
        let mut random = Random(SplitMix64(13));
        for _ in 0..2000 {
            let (a, b) = (0.1 * random.vector(), 0.1 * random.vector());
            let t = 0.5 * (1.0 + random.number());
            let chord = law.energy(a).mul_add(1.0 - t, t * law.energy(b));
            assert!(law.energy(a.lerp(b, t)) <= chord + 1e-12 * law.k[0], "{a} {b} {t}");
        }
    }
}

#[test]
fn the_tangent_is_positive_semidefinite() {
    for law in laws() {
        let mut random = Random(SplitMix64(17));
        for _ in 0..500 {
            let Some(found) = law.wrinkles(0.05 * random.vector()) else { continue };
            let tangent = found.tangent(&law.k);
            for _ in 0..10 {
                let e = random.vector();
                assert!(e.dot(multiply(&tangent, e)) >= -1e-10 * law.k[0]);
            }
        }
    }
}

/// A pull in one direction and nothing across it lies on the bound, up to round-off.
#[test]
fn a_stress_on_the_bound_is_borne() {
    let pull = 10.0;
    for law in laws() {
        let mut random = Random(SplitMix64(23));
        for _ in 0..20_000 {
            let m = random.vector().truncate().normalize();
            let trial = pull * DVec3::new(m.x * m.x, m.y * m.y, m.x * m.y);
            let Some(found) = find_wrinkles(&law.k, trial) else { continue };
            let lost = multiply(&law.k, found.strain).length();
            assert!(lost < 1e-12 * pull, "{m}: {found:?}");
            assert!(found.tangent(&law.k).iter().all(|entry| entry.is_finite()), "{m}: {found:?}");
        }
    }
}

/// A sheet that is pulled along warp and pushed together along weft. The pushed direction gives way, and the pull is that
/// of a strip that may narrow freely.
#[test]
fn a_sheet_pulled_one_way_and_narrowed_the_other_bears_the_pull_alone() {
    for material in materials() {
        let law = Law { k: stiffness(&material), critical: DVec3::ZERO };
        for narrowing in [0.05, 0.3] {
            let stress = law.stress(DVec3::new(0.02, -narrowing, 0.0));
            let expected = DVec3::new(0.02 * material.stretch[0], 0.0, 0.0);
            assert!((stress - expected).length() < 1e-9 * expected.x, "{stress} {expected}");
        }
    }
}

/// Simple shear without normal strain is a pull along one diagonal and a push along the other one. Isotropic: the pull is that of a
/// strip, `k γ/2`, and the shear stress half of it.
#[test]
fn a_sheared_sheet_is_pulled_along_its_diagonal() {
    let [material, ..] = materials();
    let law = Law { k: stiffness(&material), critical: DVec3::ZERO };
    let shear = 0.04;
    let stress = law.stress(DVec3::new(0.0, 0.0, shear));
    let half = 0.5 * (0.5 * shear * material.stretch[0]);
    assert!((stress - DVec3::splat(half)).length() < 1e-9 * half, "{stress} {half}");
}

#[test]
fn a_triangle_buckles_at_the_stress_of_a_plate_as_long_as_its_edges() {
    let (edge, bend) = (0.03, 2e-4);
    let at = |k: u32| edge / 3.0_f64.sqrt() * DVec2::from_angle(f64::from(k) * 2.0 * PI / 3.0 + 0.3);
    let corners = [0, 1, 2].map(at);
    let gradients_of = |corners: [DVec2; 3]| {
        let [a, b, c] = corners;
        [(c - b).perp(), (a - c).perp(), (b - a).perp()].map(|g| g / (b - a).perp_dot(c - a))
    };
    let found = critical_stress(gradients_of(corners), [bend; 2]);
    let plate = bend * (PI / edge).powi(2);
    assert!((found.xx / plate - 1.0).abs() < 1e-12 && (found.yy / plate - 1.0).abs() < 1e-12, "{found:?}");
    assert!(found.xy.abs() < 1e-12 * plate);
    // Stretched along warp, it is longer there and shows longer waves.
    let long = critical_stress(gradients_of(corners.map(|u| DVec2::new(4.0 * u.x, u.y))), [bend; 2]);
    assert!((long.xx / plate - 1.0 / 16.0).abs() < 1e-12 && (long.yy / plate - 1.0).abs() < 1e-12);
    // Stiffer against bending along weft.
    let woven = critical_stress(gradients_of(corners), [bend, 9.0 * bend]);
    assert!((woven.xx / plate - 1.0).abs() < 1e-12 && (woven.yy / plate - 9.0).abs() < 1e-11);
    let fine = critical_stress(gradients_of(corners.map(|u| 0.25 * u)), [bend; 2]);
    assert!((fine.xx / plate - 16.0).abs() < 1e-11);
}

#[test]
fn nothing_wrinkles_where_any_compression_is_borne_and_nothing_is_no_number() {
    let law = stiffness(&materials()[2]);
    let stress = multiply(&law, DVec3::new(-0.4, -0.3, 0.2));
    for critical in [f64::INFINITY, 1e300, 1e6] {
        assert_eq!(find_wrinkles(&law, stress + DVec3::new(critical, critical, 0.0)), None);
    }
    assert_eq!(find_wrinkles(&law, DVec3::new(f64::NAN, 1.0, 0.0)), None);
    assert_eq!(find_wrinkles(&[0.0; 6], DVec3::ZERO), None);
}
