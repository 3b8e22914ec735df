//! Grabs of the browsers, each with the one hand that it has.

use crate::command::Client;
use glam::DVec3;
use std::collections::BTreeMap;
use taffeta_sim::{BodyPoint, Grab, World, queries};

/// Largest pull of a grab: this part of the size of the cloths, with two and a half times their weight. More would only crush
/// the cloth around it, which takes the solver long.
const REACH: f64 = 0.125;
/// Largest speed at which a hand follows the pointer \[sizes of the cloths per simulated second\]. A patch of cloth is so light
/// that it would jump, and crush its surroundings. Where frames take long, the pointer does jump.
const SPEED: f64 = 3.0;
/// Radius of the patch that shares the force around the pointer, as part of the size of the cloths.
const PATCH: f64 = 0.05;

/// Grabs of all browsers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grabs {
    held: BTreeMap<Client, Held>,
    /// The stamps that the world knows of.
    stamps: BTreeMap<Client, f64>,
}

/// Grab of a browser.
#[derive(Clone, Copy, Debug)]
struct Held {
    body: usize,
    point: BodyPoint,
    /// Position of the pointer \[m\].
    pointer: DVec3,
    /// Position of the hand that follows it \[m\].
    hand: DVec3,
    /// When the pointer was there, by the browser's clock.
    stamp: f64,
}

impl Grabs {
    /// Lets a browser grab a point of a body, which is at `at` \[m\].
    pub(crate) fn grab(
        &mut self,
        client: Client,
        body: usize,
        point: BodyPoint,
        hand: DVec3,
        pointer: DVec3,
        stamp: f64,
    ) {
        self.held.insert(client, Held { body, point, pointer, hand, stamp });
    }

    /// Notes where the pointer of a browser is \[m\].
    pub(crate) fn drag(&mut self, client: Client, pointer: DVec3, stamp: f64) {
        if let Some(held) = self.held.get_mut(&client) {
            (held.pointer, held.stamp) = (pointer, stamp);
        }
    }

    /// Lets a browser let go.
    pub(crate) fn release(&mut self, client: Client) {
        self.held.remove(&client);
        self.stamps.remove(&client);
    }

    /// Moves the hands toward the pointers for a time \[s\] in a world of a size \[m\].
    pub(crate) fn follow(&mut self, time: f64, size: f64) {
        for held in self.held.values_mut() {
            held.hand += (held.pointer - held.hand).clamp_length_max(SPEED * size * time);
        }
    }

    /// Grabs by which the hands pull at a world of a size \[m\] with a stiffness \[N/m\].
    pub(crate) fn pull(&self, world: &World, size: f64, stiffness: f64) -> Vec<Grab> {
        let grab = |&Held { body, point, hand, .. }: &Held| {
            let at = queries::material_point(world, body, point).map_or(hand, |found| found.position);
            let target = at + (hand - at).clamp_length_max(REACH * size);
            Grab { body, point, radius: PATCH * size, target, stiffness }
        };
        self.held.values().map(grab).collect()
    }

    /// Sets the targets of the grabs of [`pull`](Self::pull), in their order, in a world of a size \[m\]. `places` has the
    /// positions of the points that they hold \[m\].
    pub(crate) fn aim(&self, places: &[DVec3], size: f64, targets: &mut [DVec3]) {
        for ((held, place), target) in self.held.values().zip(places).zip(targets) {
            *target = *place + (held.hand - *place).clamp_length_max(REACH * size);
        }
    }

    /// Notes that the world has felt the hands.
    pub(crate) fn record_felt(&mut self) {
        self.stamps = self.held.iter().map(|(client, held)| (*client, held.stamp)).collect();
    }

    /// The last stamp of each browser that the world knows of.
    pub(crate) fn stamps(&self) -> BTreeMap<Client, f64> {
        self.stamps.clone()
    }

    /// Positions of the grabbed points and of their pointers \[m\].
    pub(crate) fn ends(&self, world: &World) -> Vec<[[f64; 3]; 2]> {
        let ends = |held: &Held| {
            let at = queries::material_point(world, held.body, held.point).ok()?.position;
            Some([at.to_array(), held.pointer.to_array()])
        };
        self.held.values().filter_map(ends).collect()
    }
}
