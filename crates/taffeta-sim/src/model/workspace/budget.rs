//! Roughness of steps within a budget of wall time: a step that takes longer makes the next ones rougher, until they fit.
//!
//! The error that a step may have grows with the square of the roughness, and the edges of cloths that are remeshed with its
//! root. Steps of twice the length are less visible than cloth that folds in larger facets.

use crate::model::description::ACCURACY_RANGE;
use crate::model::report::Rough;

/// Largest roughness of a step: then accuracies are at the end of their range, and edges three times as long.
const MOST: f64 = 10.0;
/// The part of the budget that a step may take, and the part below which the next ones are made finer again.
const FULL: f64 = 0.9;
const SLACK: f64 = 0.5;
/// Speed at which the roughness follows: by this power of the excess, and by this factor if there is time left.
const RISE: f64 = 0.5;
const FALL: f64 = 0.97;

/// Present roughness of the steps of a world. Wall time is no part of a state: checkpoints do not hold it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Budget {
    roughness: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { roughness: 1.0 }
    }
}

impl Budget {
    /// Takes in the part of its budget that a step has taken.
    pub(crate) fn record(&mut self, share: f64) {
        if share > FULL {
            self.roughness *= (share / FULL).powf(RISE);
        } else if share < SLACK {
            self.roughness *= FALL;
        }
        self.roughness = self.roughness.clamp(1.0, MOST);
    }

    /// Settings instead of those of a world of this accuracy; `None`: its own.
    pub(crate) fn rough(&self, accuracy: f64) -> Option<Rough> {
        let rough = (accuracy * self.roughness * self.roughness).min(ACCURACY_RANGE.1).max(accuracy);
        (self.roughness > 1.0).then(|| Rough { accuracy: rough, edges: self.roughness.sqrt() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame whose cost falls with the roughness, as that of an adaptive cloth does.
    fn settled(cost: f64) -> Budget {
        let mut budget = Budget::default();
        for _ in 0..400 {
            budget.record(cost / budget.roughness.powf(1.5));
        }
        budget
    }

    #[test]
    fn frames_that_fit_stay_as_they_are_and_others_get_rougher_until_they_fit() {
        assert_eq!(settled(0.7), Budget::default());
        let budget = settled(4.0);
        let share = 4.0 / budget.roughness.powf(1.5);
        assert!((SLACK * 0.8..FULL * 1.2).contains(&share), "{share}");
        let rough = budget.rough(1e-4).unwrap();
        assert!(rough.accuracy > 1e-4 && rough.edges > 1.0, "{rough:?}");
        assert_eq!(settled(1e6).roughness, MOST, "but not without end");
    }

    #[test]
    fn where_there_is_time_again_the_scene_gets_what_it_asks_for() {
        let mut budget = settled(4.0);
        (0..400).for_each(|_| budget.record(0.1));
        assert_eq!(budget, Budget::default());
        assert_eq!(budget.rough(3e-4), None);
    }
}
