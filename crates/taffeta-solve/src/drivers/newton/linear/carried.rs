//! Contacts with rigid bodies in the Hessian, and what drives the bodies. See [`Carrier`].

use crate::drivers::newton::objective::carrier::{BodyDrive, Carrier};
use crate::drivers::newton::objective::elements::{add, at};
use crate::drivers::newton::objective::loads::{ContactCoupling, ContactState, Contacts};
use crate::matrices::outer;
use glam::{DMat3, DVec3};

/// Contribution of a closed contact with bodies to the Hessian.
#[derive(Clone, Debug)]
pub(crate) struct CarriedCoupling {
    /// Its vertices of cloths; weights are zero where there is none.
    pub cloth: ContactCoupling,
    pub carriers: Vec<Carrier>,
}

impl CarriedCoupling {
    /// Adds the product with `p` to `out`.
    pub(crate) fn add_product(&self, p: &[f64], out: &mut [f64]) {
        let ContactCoupling { vertices, weights, hessian } = self.cloth;
        let corners = || vertices.into_iter().zip(weights);
        let carried: DVec3 = self.carriers.iter().map(|carrier| carrier.displacement(p)).sum();
        let force = hessian * (corners().map(|(v, s)| at(p, v) * s).sum::<DVec3>() + carried);
        corners().for_each(|(v, s)| add(out, v, force * s));
        self.carriers.iter().for_each(|carrier| carrier.add_force(out, force));
    }
}

impl Contacts<'_> {
    /// The closed contacts with bodies.
    pub(crate) fn carried<'a>(
        &'a self,
        touches: &'a [ContactState],
    ) -> impl Iterator<Item = CarriedCoupling> + 'a {
        let contacts = self.carriers.iter().zip(self.rows.iter().zip(touches));
        let closed = contacts.filter(|(carriers, (_, touch))| !carriers.is_empty() && touch.is_closed());
        closed.map(|(carriers, (row, touch))| CarriedCoupling {
            cloth: ContactCoupling {
                vertices: row.vertices.map(|vi| vi.0),
                weights: row.weights,
                hessian: touch.hessian,
            },
            carriers: carriers.clone(),
        })
    }

    /// Adds the gradient of the drives, notes the derivatives of their forces, returns their energy \[J\]: `½ k d²` up to the distance
    /// `d = F/k`, and `F (d − F/2k)` beyond.
    pub(crate) fn drive(&self, x: &[f64], hessians: &mut Vec<DMat3>, out: &mut [f64]) -> f64 {
        hessians.clear();
        let mut energy = 0.0;
        for BodyDrive { vertex, target, stiffness, limit } in self.drives {
            let away = at(x, *vertex) - *target;
            let distance = away.length();
            let (force, hessian, stored) = if stiffness * distance > *limit {
                let way = away / distance;
                let across = DMat3::IDENTITY - outer(way, way);
                (way * *limit, across * (limit / distance), limit * (distance - 0.5 * limit / stiffness))
            } else {
                (away * *stiffness, DMat3::IDENTITY * *stiffness, 0.5 * stiffness * distance * distance)
            };
            add(out, *vertex, force);
            hessians.push(hessian);
            energy += stored;
        }
        energy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drivers::newton::objective::loads::FrictionSpring;
    use taffeta_core::Friction;
    use taffeta_core::{ContactRow, VertexIndex};

    const STIFFNESS: f64 = 300.0;

    /// A point between two vertices that is pressed into a body which slides and turns, and the body on something that stands.
    fn contacts() -> ([ContactRow; 2], Vec<Vec<Carrier>>) {
        let row = |weights: [f64; 4], normal: DVec3, offset: f64| ContactRow {
            vertices: [0, 1, 0, 0].map(VertexIndex),
            weights,
            normal: normal.normalize(),
            offset,
            thickness: 1e-3,
            body_displacement: DVec3::new(0.01, 0.0, -0.02),
            friction: Friction { static_: 0.9, kinetic: 0.4 },
        };
        let turn = |arm: DVec3| {
            let root = DMat3::from_diagonal(DVec3::new(2.0, 3.0, 1.5));
            DMat3::from_cols_array(&[0.0, -arm.z, arm.y, arm.z, 0.0, -arm.x, -arm.y, arm.x, 0.0]) * root
        };
        let carrier = |sign: f64, arm: DVec3| vec![Carrier { vertex: 2, turn: turn(arm), sign }];
        let rows = [
            row([0.3, 0.7, 0.0, 0.0], DVec3::new(0.2, 1.0, 0.1), 2.0),
            row([0.0; 4], DVec3::new(-0.3, 0.8, 0.5), 1.0),
        ];
        (rows, vec![carrier(-1.0, DVec3::new(0.1, 0.3, -0.2)), carrier(1.0, DVec3::new(-0.2, 0.1, 0.4))])
    }

    #[test]
    fn forces_and_products_are_the_derivatives_of_the_energy() {
        let (rows, carriers) = contacts();
        let spring = FrictionSpring { stiffness: 40.0, left: 1e9, ..FrictionSpring::default() };
        for limit in [1e9, 0.5] {
            let drive = BodyDrive { vertex: 2, target: DVec3::new(0.3, -0.1, 0.2), stiffness: 50.0, limit };
            let contacts = Contacts {
                rows: &rows,
                springs: &[spring; 2],
                stiffnesses: &[STIFFNESS; 2],
                carriers: &carriers,
                drives: &[drive],
            };
            let x: Vec<f64> = (0..12).map(|k| 0.3 * (1.7 * f64::from(k)).sin()).collect();
            let p: Vec<f64> = (0..12).map(|k| (0.9 * f64::from(k)).cos()).collect();
            let (mut touches, mut drives) = (Vec::new(), Vec::new());
            contacts.grip(&x, &[1.0; 4], None, &mut touches);
            let mut at = |x: &[f64]| {
                let mut gradient = vec![0.0; 12];
                let energy = contacts.evaluate(x, &mut touches, &mut gradient)
                    + contacts.drive(x, &mut drives, &mut gradient);
                let mut product = vec![0.0; 12];
                let couplings: Vec<_> = contacts.carried(&touches).collect();
                assert_eq!(couplings.len(), 2);
                couplings.iter().for_each(|coupling| coupling.add_product(&p, &mut product));
                add(&mut product, 2, drives[0] * super::at(&p, 2));
                (energy, gradient, product)
            };
            let moved = |by: f64| -> Vec<f64> { x.iter().zip(&p).map(|(x, p)| x + by * p).collect() };
            let (step, here) = (1e-6, at(&x));
            let (ahead, behind) = (at(&moved(step)), at(&moved(-step)));
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let slope = (ahead.0 - behind.0) / (2.0 * step);
            assert!((slope - dot(&here.1, &p)).abs() < 1e-6 * slope.abs(), "{slope} {}", dot(&here.1, &p));
            for (k, product) in here.2.iter().enumerate() {
                let change = (ahead.1[k] - behind.1[k]) / (2.0 * step);
                assert!((product - change).abs() < 1e-5 * STIFFNESS, "{k}: {product} {change}");
            }
        }
    }

    #[test]
    fn what_a_contact_does_to_a_body_it_takes_from_the_cloth() {
        let (rows, carriers) = contacts();
        let contacts = Contacts {
            rows: &rows[..1],
            springs: &[FrictionSpring::default()],
            stiffnesses: &[STIFFNESS],
            carriers: &carriers[..1],
            ..Contacts::default()
        };
        let (mut touches, mut gradient) = (Vec::new(), vec![0.0; 12]);
        contacts.evaluate(&[0.1; 12], &mut touches, &mut gradient);
        let sum = at(&gradient, 0) + at(&gradient, 1) + at(&gradient, 2);
        assert!(touches[0].force.length() > 1.0 && sum.length() < 1e-12, "{sum}");
    }
}
