//! The contact response: separation and Coulomb friction at position level, as the block solver takes them. Newton's
//! method has contacts in its objective; here is what it needs before and after.
//!
//! After each sweep of elasticity, each contact removes its penetration, `Δλ = −C/W`, `λ ← max(0, λ + Δλ)` with
//! `W = Σ wᵢ sᵢ²`, and then its slip. It removes all of the slip while the friction multiplier stays within `μ_s λ`, else
//! down to `μ_k λ`. If other contacts undo part of that, the next substep takes it back. Sticking is therefore exact; a
//! smoothed friction law would creep at any coefficient. Where two obstacles press from both sides, contacts have a
//! compliance (M. Macklin et al., XPBD: position-based simulation of compliant constrained dynamics, 2016).

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use taffeta_core::lanes::Row;
use taffeta_core::{ContactRow, VertexIndex};

/// Fastest speed at which a contact that was violated before the substep is pushed apart \[m/s\]. The push moves the
/// start of the substep along, so it gives no velocity; the limit keeps it from bursting the elements nearby.
const DEEPEST_PUSH_SPEED: f64 = 1.0;

/// Speed at which a contact that has begun in depth takes on its load under Newton's method \[m/s\].
const RELIEF_SPEED: f64 = 0.05;
/// Load with which a contact may begin, relative to the one that it has borne last.
const STEADY: f64 = 2.0;

/// Speed \[m/s\] with which a contact of two cloths may lift in any case, in the time \[s\] of a substep and at most this. Else one that is pressed in
/// by half of its thickness would come out by twice the depth under its weight in each substep, which takes a second.
const LEAST_LIFT: f64 = 0.007;
const LONGEST_LIFT: f64 = 1.0 / 240.0;

/// Softness of contacts that press from both sides, as under Newton's method.
const PINCHED_SOFTNESS: f64 = 0.02;

/// Part of the thickness within which points touch that are not pressed together yet.
const TOUCHING: f64 = 1e-3;

/// Most passes over the contacts of layers, and the part of the thickness below which a pass ends them. In a stack each pass halves
/// what is missing of the load of the lowest layer, and of its friction.
const LAYER_PASSES: u32 = 16;
const LAYER_TOLERANCE: f64 = 1e-4;

/// Name of the primitives that touch, by which a contact is found again in the next substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ContactName {
    /// A point of a cloth, by the vertices that carry it, and an obstacle in closed form, by its number.
    Body([VertexIndex; 4], u32),
    /// Two points, each by the vertices that carry it in ascending order, filled up with the greatest number; the
    /// smaller side first. Vertices of mesh obstacles come after those of the cloths.
    Pair([[u32; 3]; 2]),
}

/// Warm start of a contact: its load in the last substep, and where its friction is anchored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WarmStart {
    /// The friction that it has borne \[N\]; under a solver that sweeps, the slip that is to be taken back times the load.
    pub friction: DVec3,
    /// The normal force along the normal that it had \[N\], or multiplier.
    pub push: DVec3,
    /// Way that it has slid since it held \[m\]; 0 under solvers that sweep.
    pub slid: f64,
    /// Depth that the contact does not push out yet \[m\]: it has begun there.
    pub relief: f64,
}

impl WarmStart {
    /// Size of the normal force \[N\], or multiplier.
    pub fn load(&self) -> f64 {
        self.push.length()
    }

    /// A multiple of it.
    pub fn scaled(self, factor: f64) -> Self {
        Self { friction: self.friction * factor, push: self.push * factor, ..self }
    }

    /// Two of them together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            friction: self.friction + other.friction,
            push: self.push + other.push,
            slid: self.slid.max(other.slid),
            relief: self.relief.max(other.relief),
        }
    }
}

/// A contact of one substep with its multipliers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Name of the primitives that touch.
    pub name: ContactName,
    /// The constraint.
    pub row: ContactRow,
    /// Depth at the start of the substep \[m\], by the distance of its points; negative if they were apart. What is on the
    /// wrong side of the plane of the end there need not have been too close.
    pub depth: f64,
    /// Rotation of the body over the substep. The friction of a contact that sticks turns with it.
    pub turn: DMat3,
    /// Multiplier of the separation so far \[kg·m\]; divided by `h²` it is the normal force.
    pub normal_lambda: f64,
    /// Multiplier of friction so far, tangential \[kg·m\].
    pub friction_lambda: DVec3,
    /// Compliance relative to the inverse mass at the point: 0 for a contact that does not give way.
    pub softness: f64,
    /// True if the point stays where it is on the body.
    pub sticks: bool,
    /// Memory of the last substep.
    pub borne: WarmStart,
}

impl Contact {
    /// A contact that has not acted yet.
    pub fn new(name: ContactName, row: ContactRow) -> Self {
        Self {
            name,
            row,
            depth: f64::INFINITY,
            turn: DMat3::IDENTITY,
            normal_lambda: 0.0,
            friction_lambda: DVec3::ZERO,
            softness: 0.0,
            sticks: false,
            borne: WarmStart::default(),
        }
    }

    /// Returns whether the points touched at the start of the substep already.
    pub fn touched(&self) -> bool {
        self.borne.load() > 0.0 || self.depth > -TOUCHING * self.row.thickness
    }

    /// Returns whether the point of the first side is a vertex.
    pub fn is_at_vertex(&self) -> bool {
        self.row.weights[0] == 1.0
    }

    /// Forgets what the contact has done in this substep.
    pub fn begin_anew(&mut self) {
        (self.normal_lambda, self.friction_lambda, self.sticks) = (0.0, DVec3::ZERO, false);
    }

    /// Slip that the sweeps of earlier substeps have left over since the contact sticks \[m\], tangential. It is taken back too.
    fn carried_slip(&self) -> DVec3 {
        let slip =
            if self.borne.load() > 0.0 { self.borne.friction / self.borne.load() } else { DVec3::ZERO };
        slip.reject_from_normalized(self.row.normal)
    }

    /// Depth at the start of the substep \[m\], where its point `begun` \[m\], with what the body moves by itself.
    pub fn violation(&self, begun: DVec3) -> f64 {
        (-self.row.gap(begun)).min(self.depth).max(0.0)
    }

    /// 1 if the row measures the point that the name has first against the other one, −1 if it is the other way around.
    pub fn orientation(&self) -> f64 {
        let ContactName::Pair([[first, ..], _]) = self.name else { return 1.0 };
        let place = self.row.vertices.iter().zip(self.row.weights).find(|(vi, s)| vi.0 == first && *s != 0.0);
        place.map_or(1.0, |(_, s)| s.signum())
    }
}

/// Separates the contacts that are violated at the start of a substep, without giving velocity: `start` and `rows` are
/// moved alike. Remeshing, obstacles that appear and round-off leave such contacts behind.
pub fn stabilize(contacts: &[Contact], start: &mut [DVec3], rows: &mut [Row], h: f64) {
    for contact in contacts {
        let row = &contact.row;
        // The body is where it stands at the end of the substep; what it moves by itself is no violation.
        let begun = row.interpolate(|vi| start[index(vi)]) + row.body_displacement;
        let violation = contact.violation(begun);
        let weight = effective_inverse_mass(row, rows);
        if violation == 0.0 || weight == 0.0 {
            continue;
        }
        let push = violation.min(DEEPEST_PUSH_SPEED * h);
        for (vi, s) in row.vertices.iter().zip(row.weights) {
            let shift = row.normal * (rows[index(*vi)].inverse_mass * s * push / weight);
            start[index(*vi)] += shift;
            move_row(rows, *vi, shift);
        }
    }
}

/// Lets contacts that begin in depth at the start of a substep of length `h` \[s\] take on their load gradually. Remeshing leaves such
/// contacts, and primitives that hand a load to each other; at once they would push like a blow. A contact that has borne a load begins
/// with at most twice as much, or with what lifts it by little. If it has become stiffer \[N/m\], its spring would otherwise let go of more
/// than it has taken up.
///
/// Vertices that obstacles press from both sides they hold from the start: the blows cancel. Those on an edge over the rims do not.
pub fn relieve(contacts: &mut [Contact], stiffnesses: &[f64], start: &[DVec3], h: f64) {
    let are_pinched = find_pinched(contacts, start.len());
    let all = contacts.iter_mut().zip(stiffnesses).zip(are_pinched);
    for ((contact, stiffness), is_pinched) in all {
        if is_pinched && contact.is_at_vertex() {
            continue;
        }
        let row = &contact.row;
        let begun = row.interpolate(|vi| start[index(vi)]) + row.body_displacement;
        let depth = contact.violation(begun);
        let borne = &mut contact.borne;
        let left = match borne.load() {
            load if load > 0.0 => {
                let lift = if row.is_mutual() { LEAST_LIFT * h.min(LONGEST_LIFT) } else { 0.0 };
                let steady = f64::max(STEADY * load / stiffness, lift);
                (borne.relief - RELIEF_SPEED * h).max(depth - steady)
            }
            _ => depth,
        };
        borne.relief = left.clamp(0.0, depth);
        contact.row.offset -= borne.relief;
    }
}

/// The slip that a contact is left with after the sweeps of a substep, to be taken back in the next one \[m\]: none if it
/// slides.
pub fn leftover_slip(contact: &Contact, start: &[DVec3], rows: &[Row]) -> DVec3 {
    if contact.sticks { slip(&contact.row, start, rows) + contact.carried_slip() } else { DVec3::ZERO }
}

/// Lets the contacts of what two obstacles press from both sides give way. Else both would push without end, and friction with both of
/// them would have no limit.
pub fn soften_pinched(contacts: &mut [Contact], vertex_count: usize) {
    let are_pinched = find_pinched(contacts, vertex_count);
    for (contact, is_pinched) in contacts.iter_mut().zip(are_pinched) {
        contact.softness = if is_pinched { PINCHED_SOFTNESS } else { 0.0 };
    }
}

/// Returns, for each contact, whether its cloth has another obstacle on the opposite side.
fn find_pinched(contacts: &[Contact], vertex_count: usize) -> Vec<bool> {
    let corners = |row: ContactRow| {
        let pairs = row.vertices.into_iter().zip(row.weights).filter(|(_, s)| *s != 0.0);
        pairs.map(|(vi, _)| index(vi))
    };
    let mut normals = vec![DVec3::ZERO; vertex_count];
    let mut is_pinched = vec![false; vertex_count];
    for row in contacts.iter().map(|contact| contact.row).filter(|row| !row.is_mutual()) {
        for vi in corners(row) {
            is_pinched[vi] |= normals[vi].dot(row.normal) < 0.0;
            normals[vi] = row.normal;
        }
    }
    let is = |contact: &Contact| !contact.row.is_mutual() && corners(contact.row).any(|vi| is_pinched[vi]);
    contacts.iter().map(is).collect()
}

/// One pass over the contacts in their order, then more over those of layers: separation, then friction. `start` holds the
/// positions \[m\] at the start of the substep.
pub fn project(contacts: &mut [Contact], start: &[DVec3], rows: &mut [Row]) {
    contacts.iter_mut().for_each(|contact| {
        update(contact, start, rows);
    });
    let layers = of_layers(contacts, rows.len());
    for _ in 1..LAYER_PASSES {
        let mut most: f64 = 0.0;
        for number in &layers {
            let contact = &mut contacts[*number];
            let moved = update(contact, start, rows);
            most = most.max(moved / contact.row.thickness);
        }
        if most <= LAYER_TOLERANCE {
            break;
        }
    }
}

/// The numbers of the contacts of layers: those that have a vertex of a contact between cloths, or of contacts that push it
/// against each other.
fn of_layers(contacts: &[Contact], vertex_count: usize) -> Vec<usize> {
    let vertices = |contact: &Contact| {
        let row = contact.row;
        row.vertices.into_iter().zip(row.weights).filter(|(_, s)| *s != 0.0).map(|(vi, _)| index(vi))
    };
    let mut is_of_layer = vec![false; vertex_count];
    let mut normals = vec![DVec3::ZERO; vertex_count];
    for contact in contacts {
        for vi in vertices(contact) {
            is_of_layer[vi] |= contact.row.is_mutual() || normals[vi].dot(contact.row.normal) < 0.0;
            normals[vi] = contact.row.normal;
        }
    }
    let touches = |number: &usize| vertices(&contacts[*number]).any(|vi| is_of_layer[vi]);
    (0..contacts.len()).filter(touches).collect()
}

/// The separation and the friction of one contact; returns how far it has moved its point \[m\].
fn update(contact: &mut Contact, start: &[DVec3], rows: &mut [Row]) -> f64 {
    let weight = effective_inverse_mass(&contact.row, rows);
    if weight == 0.0 {
        return 0.0;
    }
    let (normal, friction) = (contact.normal_lambda, contact.friction_lambda);
    separate(contact, rows, weight);
    apply_friction(contact, start, rows, weight);
    weight * (contact.normal_lambda - normal).abs().max((contact.friction_lambda - friction).length())
}

/// The separation of one contact.
fn separate(contact: &mut Contact, rows: &mut [Row], weight: f64) {
    let row = contact.row;
    let gap = row.gap(row.interpolate(|vi| rows[index(vi)].position()));
    let compliance = contact.softness * weight;
    let change = (gap + compliance * contact.normal_lambda) / (weight + compliance);
    let lambda = (contact.normal_lambda - change).max(0.0);
    apply(&row, rows, row.normal * (lambda - contact.normal_lambda));
    contact.normal_lambda = lambda;
}

/// The friction of one contact, for the normal multiplier it has.
fn apply_friction(contact: &mut Contact, start: &[DVec3], rows: &mut [Row], weight: f64) {
    let row = contact.row;
    let budget = row.friction.static_ * contact.normal_lambda;
    if budget <= 0.0 {
        // What opened again between two sweeps must give back the friction it had.
        apply(&row, rows, -contact.friction_lambda);
        contact.friction_lambda = DVec3::ZERO;
        contact.sticks = false;
        return;
    }
    let slip = slip(&row, start, rows) + contact.carried_slip();
    let trial = contact.friction_lambda - slip / weight;
    let size = trial.length();
    contact.sticks = size <= budget;
    let scale = if contact.sticks { 1.0 } else { row.friction.kinetic * contact.normal_lambda / size };
    let lambda = trial * scale;
    apply(&row, rows, lambda - contact.friction_lambda);
    contact.friction_lambda = lambda;
}

/// Takes the velocity out with which sweeps that have not converged leave contacts that press: in the solution none of them
/// separates. The starts of the substep \[m\], from which velocities are taken, move; positions stay (M. Müller et al., Detailed
/// rigid body simulation with extended position based dynamics, 2020: the pass over velocities, without restitution).
pub fn take_out_rebound(contacts: &[Contact], start: &mut [DVec3], rows: &[Row]) {
    for contact in contacts.iter().filter(|contact| contact.normal_lambda > 0.0) {
        let row = &contact.row;
        let moved =
            row.interpolate(|vi| rows[index(vi)].position() - start[index(vi)]) - row.body_displacement;
        let (apart, weight) = (row.normal.dot(moved), effective_inverse_mass(row, rows));
        if apart > 0.0 && weight > 0.0 {
            for (vi, s) in row.vertices.iter().zip(row.weights) {
                start[index(*vi)] += row.normal * (rows[index(*vi)].inverse_mass * s * apart / weight);
            }
        }
    }
}

/// Moves the contact point back along the body to where it was at the start; returns whether it can be moved.
pub fn take_back_slip(contact: &Contact, start: &[DVec3], rows: &mut [Row]) -> bool {
    let weight = effective_inverse_mass(&contact.row, rows);
    if weight > 0.0 {
        let back = slip(&contact.row, start, rows) / -weight;
        apply(&contact.row, rows, back);
    }
    weight > 0.0
}

/// Distance that a contact point has moved along the body since the start \[m\].
fn slip(row: &ContactRow, start: &[DVec3], rows: &[Row]) -> DVec3 {
    let moved = row.interpolate(|vi| rows[index(vi)].position() - start[index(vi)]) - row.body_displacement;
    moved - row.normal * row.normal.dot(moved)
}

/// `W = Σ wᵢ sᵢ²` \[1/kg\].
fn effective_inverse_mass(row: &ContactRow, rows: &[Row]) -> f64 {
    row.vertices.iter().zip(row.weights).map(|(vi, s)| rows[index(*vi)].inverse_mass * s * s).sum()
}

/// Applies an impulse-like multiplier at the contact point.
fn apply(row: &ContactRow, rows: &mut [Row], lambda: DVec3) {
    for (vi, s) in row.vertices.iter().zip(row.weights) {
        let shift = lambda * (rows[index(*vi)].inverse_mass * s);
        move_row(rows, *vi, shift);
    }
}

fn move_row(rows: &mut [Row], vi: VertexIndex, shift: DVec3) {
    let row = &mut rows[index(vi)];
    row.position = (row.position() + shift).to_array();
}

fn index(vi: VertexIndex) -> usize {
    vi.0 as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::Friction;

    fn resting(static_: f64, kinetic: f64) -> Contact {
        let row = ContactRow {
            vertices: [VertexIndex(0); 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            normal: DVec3::Y,
            offset: 0.0,
            thickness: 1e-3,
            body_displacement: DVec3::ZERO,
            friction: Friction { static_, kinetic },
        };
        Contact::new(ContactName::Body(row.vertices, 0), row)
    }

    /// A point of 1 kg at the origin that would move to `(slip, −depth, 0)`; where it ends up.
    fn settle(mut contact: Contact, slip: f64, depth: f64) -> DVec3 {
        let mut rows = [Row { position: [slip, -depth, 0.0], inverse_mass: 1.0 }];
        project(std::slice::from_mut(&mut contact), &[DVec3::ZERO], &mut rows);
        rows[0].position()
    }

    #[test]
    fn a_point_sticks_below_the_static_limit_and_slides_above_it() {
        assert_eq!(settle(resting(0.5, 0.3), 0.4, 1.0), DVec3::ZERO);
        let slid = settle(resting(0.5, 0.3), 0.6, 1.0);
        assert!(slid.distance(DVec3::new(0.3, 0.0, 0.0)) < 1e-15, "{slid}");
        assert_eq!(settle(resting(0.0, 0.0), 0.6, 1.0), DVec3::new(0.6, 0.0, 0.0));
    }

    /// Two points, one on the other on a plane, on a slope just below the limit: the lower one needs the load of both to stick.
    #[test]
    fn a_point_on_a_point_sticks_with_it() {
        let lower = resting(0.5, 0.4);
        let vertices = [VertexIndex(1), VertexIndex(0), VertexIndex(0), VertexIndex(0)];
        let row = ContactRow { vertices, weights: [1.0, -1.0, 0.0, 0.0], ..lower.row };
        let upper = Contact::new(ContactName::Pair([[0; 3], [1; 3]]), row);
        let mut rows = [Row { position: [0.046, -0.1, 0.0], inverse_mass: 1.0 }; 2];
        project(&mut [lower, upper], &[DVec3::ZERO; 2], &mut rows);
        for row in rows {
            assert!(row.position().length() < 1e-5, "{row:?}");
        }
    }

    /// A point pressed 0.1 mm into both of two bodies of which the upper one moves: it goes with the rougher one.
    #[test]
    fn a_point_between_two_bodies_goes_with_the_rougher_one() {
        for (floor, lid, right) in [(0.3, 0.6, 1e-4), (0.6, 0.3, 0.0)] {
            let lower = resting(floor, floor);
            let lower = Contact { row: ContactRow { offset: 1e-4, ..lower.row }, ..lower };
            let way = DVec3::X * 1e-4;
            let row = ContactRow { normal: DVec3::NEG_Y, body_displacement: way, ..lower.row };
            let row = ContactRow { friction: Friction { static_: lid, kinetic: lid }, ..row };
            let upper = Contact::new(ContactName::Body(row.vertices, 1), row);
            let mut contacts = [lower, upper];
            soften_pinched(&mut contacts, 1);
            assert!(contacts.iter().all(|contact| contact.softness > 0.0));
            let mut rows = [Row { position: [0.0; 3], inverse_mass: 1.0 }];
            (0..8).for_each(|_| project(&mut contacts, &[DVec3::ZERO], &mut rows));
            assert!((rows[0].position().x - right).abs() < 1e-6, "{rows:?}");
        }
        let mut alone = [resting(0.5, 0.5); 2];
        soften_pinched(&mut alone, 1);
        assert_eq!(alone.map(|contact| contact.softness), [0.0; 2], "two on one side press against nothing");
    }

    #[test]
    fn a_contact_has_touched_from_where_it_began() {
        let contact = |depth| Contact { depth, ..resting(0.5, 0.5) };
        assert_eq!([0.0, 1e-4, -1e-5].map(|depth| contact(depth).touched()), [true, true, false]);
        let borne = WarmStart { push: DVec3::Y, ..WarmStart::default() };
        assert!(Contact { borne, ..contact(-1e-5) }.touched(), "what has borne a load");
    }

    #[test]
    fn an_open_contact_does_nothing() {
        assert_eq!(settle(resting(0.5, 0.3), 0.4, -0.1), DVec3::new(0.4, 0.1, 0.0));
    }

    #[test]
    fn friction_follows_a_moving_body() {
        let mut contact = resting(1.0, 1.0);
        contact.row.body_displacement = DVec3::new(0.02, 0.0, 0.01);
        assert!(settle(contact, 0.0, 1.0).distance(DVec3::new(0.02, 0.0, 0.01)) < 1e-15);
    }

    #[test]
    fn slip_that_sweeps_have_left_over_is_taken_back() {
        let mut contact = resting(0.5, 0.3);
        let (start, mut rows) = ([DVec3::ZERO], [Row { position: [0.1, -1.0, 0.0], inverse_mass: 1.0 }]);
        project(std::slice::from_mut(&mut contact), &start, &mut rows);
        // Another contact of the same vertex moves it after that.
        rows[0].position[0] += 0.2;
        let left = leftover_slip(&contact, &start, &rows);
        assert!((left - DVec3::X * 0.2).length() < 1e-15, "{left}");
        let borne = WarmStart { friction: left, push: DVec3::Y, ..WarmStart::default() };
        let next = Contact { borne, ..resting(0.5, 0.3) };
        assert!(settle(next, 0.1, 1.0).distance(DVec3::X * -0.2) < 1e-15);
        let sliding = Contact { sticks: false, ..contact };
        assert_eq!(leftover_slip(&sliding, &start, &rows), DVec3::ZERO);
    }

    #[test]
    fn repeated_passes_do_not_exceed_the_friction_budget() {
        let mut contact = resting(0.5, 0.3);
        let mut rows = [Row { position: [0.6, -1.0, 0.0], inverse_mass: 1.0 }];
        for _ in 0..5 {
            project(std::slice::from_mut(&mut contact), &[DVec3::ZERO], &mut rows);
        }
        assert!((rows[0].position[0] - 0.3).abs() < 1e-12, "{:?}", rows[0]);
    }

    #[test]
    fn a_contact_that_opens_between_sweeps_gives_its_friction_back() {
        let mut contact = resting(0.5, 0.3);
        let mut rows = [Row { position: [0.6, -1.0, 0.0], inverse_mass: 1.0 }];
        project(std::slice::from_mut(&mut contact), &[DVec3::ZERO], &mut rows);
        // Elasticity lifts the point by more than it was pushed out.
        rows[0].position[1] += 1.5;
        project(std::slice::from_mut(&mut contact), &[DVec3::ZERO], &mut rows);
        assert_eq!((contact.normal_lambda, contact.friction_lambda), (0.0, DVec3::ZERO));
        assert!((rows[0].position[0] - 0.6).abs() < 1e-15, "{:?}", rows[0]);
    }

    #[test]
    fn what_presses_does_not_leave_the_body() {
        let mut start = [DVec3::new(0.1, 0.0, 0.0)];
        let rows = [Row { position: [0.3, 0.02, 0.0], inverse_mass: 1.0 }];
        let open = resting(0.5, 0.3);
        take_out_rebound(&[open], &mut start, &rows);
        assert_eq!(start[0].y, 0.0);
        let mut pressing = Contact { normal_lambda: 1.0, ..open };
        pressing.row.body_displacement = DVec3::Y * 0.005;
        take_out_rebound(&[pressing], &mut start, &rows);
        assert!((rows[0].position() - start[0]).distance(DVec3::new(0.2, 0.005, 0.0)) < 1e-15);
    }

    #[test]
    fn stabilizing_gives_no_velocity() {
        let contact = resting(0.5, 0.3);
        let mut start = [DVec3::new(0.0, -0.001, 0.0)];
        let mut rows = [Row { position: [0.1, -0.002, 0.0], inverse_mass: 1.0 }];
        stabilize(&[contact], &mut start, &mut rows, 0.01);
        assert_eq!(start[0].y, 0.0);
        assert!((rows[0].position() - start[0]).distance(DVec3::new(0.1, -0.001, 0.0)) < 1e-15);
    }
}
