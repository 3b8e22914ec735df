//! Loads on obstacles, and what is noted of them within a step.

use crate::model::description::ids::ObstacleId;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Load that an obstacle has borne in a step: the mean over its time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObstacleLoad {
    /// The obstacle.
    pub obstacle: ObstacleId,
    /// Force \[N\]. Times the length of the step it is the momentum that the obstacle has received.
    pub force: DVec3,
    /// Torque about `point` \[N·m\].
    pub torque: DVec3,
    /// The origin of the obstacle's frame at the end of the step \[m\]; of a skinned body the mean of its vertices.
    pub point: DVec3,
}

/// Momentum that an obstacle has received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Wrench {
    /// Impulse \[N·s\].
    pub impulse: DVec3,
    /// Angular impulse about the origin of the world \[N·m·s\].
    pub angular: DVec3,
}

impl Wrench {
    /// Adds an impulse \[N·s\] at a point \[m\].
    pub(crate) fn add(&mut self, impulse: DVec3, point: DVec3) {
        self.impulse += impulse;
        self.angular += point.cross(impulse);
    }

    /// Both together.
    pub(crate) fn plus(self, more: Self) -> Self {
        Self { impulse: self.impulse + more.impulse, angular: self.angular + more.angular }
    }

    /// A multiple of it.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self { impulse: self.impulse * factor, angular: self.angular * factor }
    }
}

/// By how much an obstacle was pressed in a substep, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Share {
    /// Sum of the normal impulses \[N·s\].
    pub weight: f64,
    /// Their center \[m\].
    pub point: DVec3,
    /// True if there was a contact, with a force or without.
    pub is_near: bool,
}

impl Share {
    /// Adds a normal impulse \[N·s\] at a point \[m\].
    pub(crate) fn add(&mut self, weight: f64, point: DVec3) {
        if weight > 0.0 {
            self.weight += weight;
            self.point += (point - self.point) * (weight / self.weight);
        }
    }
}

/// Loads remembered between substeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LoadMemory {
    /// Momentum that each obstacle has received in this step so far, first those in closed form.
    pub wrenches: Vec<Wrench>,
    /// Momentum that each obstacle has received per second of the last step. A world at rest goes on with it.
    pub rates: Vec<Wrench>,
    /// Last loads on obstacles.
    pub shares: Vec<Share>,
    /// Momentum still to be handed to the first obstacle that is pressed \[N·s\].
    pub owed: DVec3,
}

impl LoadMemory {
    /// That of two groups of bodies together.
    pub(crate) fn plus(mut self, more: &Self) -> Self {
        let lists = [(&mut self.wrenches, &more.wrenches), (&mut self.rates, &more.rates)];
        for (sum, list) in lists {
            sum.resize(sum.len().max(list.len()), Wrench::default());
            sum.iter_mut().zip(list).for_each(|(sum, wrench)| *sum = sum.plus(*wrench));
        }
        self.shares.resize(self.shares.len().max(more.shares.len()), Share::default());
        for (sum, share) in self.shares.iter_mut().zip(&more.shares) {
            sum.add(share.weight, share.point);
            sum.is_near |= share.is_near;
        }
        self.owed += more.owed;
        self
    }

    /// Returns whether this can be the memory of a world with so many obstacles.
    pub(crate) fn is_sound(&self, obstacles: usize) -> bool {
        let is_wrench = |wrench: &Wrench| wrench.impulse.is_finite() && wrench.angular.is_finite();
        let is_share =
            |share: &Share| share.point.is_finite() && share.weight.is_finite() && share.weight >= 0.0;
        let fits = |count: usize| count == 0 || count == obstacles;
        fits(self.wrenches.len())
            && fits(self.shares.len())
            && fits(self.rates.len())
            && self.wrenches.iter().chain(&self.rates).all(is_wrench)
            && self.shares.iter().all(is_share)
            && self.owed.is_finite()
    }
}
