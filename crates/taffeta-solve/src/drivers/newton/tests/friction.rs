//! The law of friction of a contact, against values by hand.

use super::super::*;
use taffeta_core::{ContactRow, Friction, VertexIndex};

/// Depth \[m\] and stiffness \[N/m\] at which the contact bears 10 N: it sticks up to 5 N, and slides against 3 N.
const DEPTH: f64 = 0.01;
const STIFFNESS: f64 = 1000.0;

/// Stiffness of the spring of friction \[N/m\].
const SPRING: f64 = 2000.0;

/// Way that a contact slides under static friction \[m\]: up to a slip of 3.4 mm.
const LEFT: f64 = 9e-4;

/// Inertia of the vertex \[N/m\].
const INERTIA: f64 = 100.0;
/// [Mobility](super::super::groups::Scales::mobilities) of a vertex that is a piece by itself \[m²/N²\].
const MOBILITY: f64 = 1.0 / (INERTIA * INERTIA);

fn contacts<'a>(rows: &'a [ContactRow], springs: &'a [FrictionSpring]) -> Contacts<'a> {
    Contacts { rows, springs, stiffnesses: &[STIFFNESS], ..Contacts::default() }
}

/// The contact of a vertex with a floor, as a solve goes on.
struct Case {
    row: ContactRow,
    spring: FrictionSpring,
    touches: Vec<ContactState>,
}

impl Case {
    fn new(spring: FrictionSpring) -> Self {
        let row = ContactRow {
            vertices: [VertexIndex(0); 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            normal: DVec3::Y,
            offset: 0.0,
            thickness: 1e-3,
            body_displacement: DVec3::ZERO,
            friction: Friction { static_: 0.5, kinetic: 0.3 },
        };
        Self { row, spring: FrictionSpring { stiffness: SPRING, ..spring }, touches: Vec::new() }
    }

    /// A contact that has borne nothing.
    fn fresh() -> Self {
        Self::new(FrictionSpring { left: LEFT, ..FrictionSpring::default() })
    }

    /// Reads the friction at a place at which it may have converged; returns what the change is worth \[m²\].
    fn grip(&mut self, x: DVec3, is_converged: bool) -> f64 {
        self.grip_within(x, is_converged.then_some(0.0))
    }

    /// Like [`grip`](Self::grip), with the square of the error that the solution may leave \[m²\] if it has converged.
    fn grip_within(&mut self, x: DVec3, converged: Option<f64>) -> f64 {
        let (rows, springs) = ([self.row], [self.spring]);
        contacts(&rows, &springs).grip(&x.to_array(), &[MOBILITY], converged, &mut self.touches)
    }

    /// Energy \[J\] and force \[N\] at a place.
    fn evaluate(&mut self, x: DVec3) -> (f64, DVec3) {
        let (rows, springs, mut gradient) = ([self.row], [self.spring], [0.0; 3]);
        let energy = contacts(&rows, &springs).evaluate(&x.to_array(), &mut self.touches, &mut gradient);
        assert_eq!(self.touches[0].force, -DVec3::from_array(gradient));
        (energy, self.touches[0].force)
    }

    /// The force \[N\] after the friction was read at a place that has been pressed in and has slipped so far \[m\].
    fn force_at(&mut self, slip: f64, is_converged: bool) -> DVec3 {
        let x = DVec3::new(slip, -DEPTH, 0.0);
        self.grip(x, is_converged);
        self.evaluate(x).1
    }
}

#[track_caller]
fn assert_near(found: DVec3, expected: [f64; 3]) {
    assert!(found.distance(expected.into()) < 1e-12, "{found}");
}

#[test]
fn an_open_contact_has_no_force_and_no_stiffness() {
    let mut case = Case::fresh();
    let apart = DVec3::new(0.002, DEPTH, 0.0);
    for is_converged in [false, true] {
        case.grip(apart, is_converged);
        assert_eq!(case.evaluate(apart), (0.0, DVec3::ZERO));
        assert!(!case.touches[0].is_closed(), "{:?}", case.touches[0]);
    }
    case.force_at(0.0, false);
    assert_eq!(
        case.touches[0].hessian.y_axis.y, STIFFNESS,
        "its own stiffness where it is pressed, and no more"
    );
}

#[test]
fn a_spring_bears_as_much_as_it_is_long_up_to_the_static_limit() {
    let mut case = Case::fresh();
    assert_near(case.force_at(0.002, true), [-4.0, 10.0, 0.0]);
    assert!(case.touches[0].holds && !case.touches[0].slides);
    // Beyond, it bears the limit, and slides under static friction at first.
    assert_near(case.force_at(0.0033, true), [-5.0, 10.0, 0.0]);
    assert!(!case.touches[0].holds && !case.touches[0].slides);
    assert!((case.touches[0].slid - 8e-4).abs() < 1e-12, "5 N are 2.5 mm");
}

#[test]
fn a_contact_bears_kinetic_friction_when_it_has_slid_far_enough_at_a_converged_iterate() {
    let mut case = Case::fresh();
    assert_near(case.force_at(0.00341, false), [-5.0, 10.0, 0.0]);
    assert!(!case.touches[0].slides, "an iterate that has not converged tells nothing");
    assert_near(case.force_at(0.00339, true), [-5.0, 10.0, 0.0]);
    assert!(!case.touches[0].slides);
    assert_near(case.force_at(0.00341, true), [-3.0, 10.0, 0.0]);
    assert!(case.touches[0].slides);
    // It does not stick again in the same solve, but where its spring is short it holds.
    assert_near(case.force_at(0.002, true), [-3.0, 10.0, 0.0]);
    assert_near(case.force_at(0.001, true), [-2.0, 10.0, 0.0]);
    assert!(case.touches[0].slides && case.touches[0].holds);
}

#[test]
fn a_contact_that_slides_already_bears_kinetic_friction() {
    let mut case = Case::new(FrictionSpring { left: -1e-6, ..FrictionSpring::default() });
    assert_near(case.force_at(0.002, false), [-3.0, 10.0, 0.0]);
    assert!(case.touches[0].slides && !case.touches[0].holds);
}

#[test]
fn friction_goes_on_from_what_was_borne_and_along_with_the_body() {
    let origin = DVec3::new(0.1, 7.0, -0.2);
    let mut case = Case::new(FrictionSpring { origin, carried: DVec3::X * 4.0, ..FrictionSpring::default() });
    case.row.body_displacement = DVec3::Z * 0.3;
    let rested = DVec3::new(0.1, -DEPTH, 0.1);
    case.grip(rested, true);
    assert_near(case.evaluate(rested).1, [4.0, 10.0, 0.0]);
    // 1 mm takes 2 N off the spring.
    let eased = rested + DVec3::X * 1e-3;
    assert_near(case.evaluate(eased).1, [2.0, 10.0, 0.0]);
    // What opens bears nothing after all.
    let open = rested + DVec3::Y;
    case.grip(open, true);
    assert_eq!(case.evaluate(open), (0.0, DVec3::ZERO));
}

#[test]
fn the_bound_stays_between_two_readings_and_its_change_has_a_worth() {
    let mut case = Case::fresh();
    let x = DVec3::new(0.002, -DEPTH, 0.0);
    // Friction of 4 N moves a vertex of this inertia by 4 cm.
    let worth = case.grip(x, false);
    assert!((worth - 0.04 * 0.04).abs() < 1e-15, "{worth}");
    assert_eq!(case.grip(x, false), 0.0);
    // Half as deep it still bears up to 5 N, until the friction is read anew.
    let lifted = DVec3::new(0.004, -0.5 * DEPTH, 0.0);
    let (energy, force) = case.evaluate(lifted);
    assert_near(force, [-5.0, 5.0, 0.0]);
    // ½·1000·0.005² of the depth, 5 (0.004 − ½·5/2000) of the slip.
    assert!((energy - 0.0125 - 0.01375).abs() < 1e-12, "{energy}");
    // 5 N become 2.5 N.
    let worth = case.grip(lifted, false);
    assert!((worth - 0.025 * 0.025).abs() < 1e-15, "{worth}");
    assert_near(case.evaluate(lifted).1, [-2.5, 5.0, 0.0]);
}

#[test]
fn friction_is_settled_when_it_hardly_changes() {
    let mut case = Case::fresh();
    // 0.5 % deeper bears 0.5 % more, which is settled; 2 % are not.
    let at = |depth: f64| DVec3::new(0.003, -DEPTH * depth, 0.0);
    case.grip(at(1.0), false);
    let worth = case.grip(at(1.005), true);
    assert!((worth - 0.025 * 0.025 * MOBILITY).abs() < 1e-18, "{worth}");
    assert_eq!(case.grip(at(1.025), true), f64::INFINITY);
    assert_eq!(case.grip(at(1.025), true), 0.0);
    // Or when it moves next to nothing.
    let worth = 0.1 * 0.1 * MOBILITY;
    assert_eq!(case.grip_within(at(1.045), Some(90.0 * worth)), f64::INFINITY);
    assert!((case.grip_within(at(1.065), Some(110.0 * worth)) - worth).abs() < 1e-18);
}

#[test]
fn obstacles_do_not_give_way_to_friction() {
    let mut case = Case::fresh();
    case.row.vertices[1] = VertexIndex(1);
    case.row.weights[1] = -1.0;
    let x = [0.002, -DEPTH, 0.0, 0.0, 0.0, 0.0];
    let (rows, springs) = ([case.row], [case.spring]);
    let worth = contacts(&rows, &springs).grip(&x, &[MOBILITY, 0.0], None, &mut case.touches);
    assert!((worth - 0.04 * 0.04).abs() < 1e-15, "{worth}");
}
