//! Real time by a budget: a frame that takes longer than it stands for is made rougher, until it does not.
//!
//! The error that a step may have grows with the square of the roughness, and the edges of cloths that are remeshed with its
//! root. Steps of twice the length are less visible than cloth that folds in larger facets.

use taffeta_sim::ACCURACY_RANGE;

/// Largest roughness of a frame: then accuracies are at the end of their range, and edges three times as long.
const MOST: f64 = 10.0;
/// The part of the time of a frame that making it may take, and the part below which it is made finer again.
const FULL: f64 = 0.9;
const SLACK: f64 = 0.5;
/// Speed at which the roughness follows: by this power of the excess, and by this factor if there is time left.
const RISE: f64 = 0.25;
const FALL: f64 = 0.97;
/// Part by which the roughness has to change before anything is set anew.
const NOTICED: f64 = 0.1;

/// Present roughness of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Budget {
    wanted: f64,
    in_use: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { wanted: 1.0, in_use: 1.0 }
    }
}

impl Budget {
    /// Takes in how long a frame has taken, relative to what it stands for. Whether anything is to be set anew.
    pub(crate) fn note(&mut self, share: f64) -> bool {
        if share > FULL {
            self.wanted *= (share / FULL).powf(RISE);
        } else if share < SLACK {
            self.wanted *= FALL;
        }
        self.wanted = self.wanted.clamp(1.0, MOST);
        let is_back = self.wanted == 1.0 && self.in_use > 1.0;
        let has_changed = is_back || (self.wanted / self.in_use).ln().abs() > NOTICED;
        if has_changed {
            self.in_use = self.wanted;
        }
        has_changed
    }

    /// The accuracy instead of that of the scene.
    pub(crate) fn accuracy(&self, of_scene: f64) -> f64 {
        (of_scene * self.in_use * self.in_use).min(ACCURACY_RANGE.1).max(of_scene)
    }

    /// Factor by which edges are longer.
    pub(crate) fn coarseness(&self) -> f64 {
        self.in_use.sqrt()
    }

    /// Returns whether frames are rougher than the scene asks for.
    pub(crate) fn is_rough(&self) -> bool {
        self.in_use > 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame whose cost falls with the roughness, as that of an adaptive cloth does.
    fn settled(cost: f64) -> Budget {
        let mut budget = Budget::default();
        for _ in 0..400 {
            budget.note(cost / budget.in_use.powf(1.5));
        }
        budget
    }

    #[test]
    fn frames_that_fit_stay_as_they_are_and_others_get_rougher_until_they_fit() {
        assert_eq!(settled(0.7), Budget::default());
        let budget = settled(4.0);
        let share = 4.0 / budget.in_use.powf(1.5);
        assert!((SLACK * 0.8..FULL * 1.2).contains(&share), "{share}");
        assert!(budget.accuracy(1e-4) > 1e-4 && budget.coarseness() > 1.0 && budget.is_rough());
        assert_eq!(settled(1e6).in_use, MOST, "but not without end");
    }

    #[test]
    fn where_there_is_time_again_the_scene_gets_what_it_asks_for() {
        let mut budget = settled(4.0);
        (0..400).for_each(|_| _ = budget.note(0.1));
        assert_eq!(budget, Budget::default());
        assert_eq!(budget.accuracy(3e-4), 3e-4);
    }
}
