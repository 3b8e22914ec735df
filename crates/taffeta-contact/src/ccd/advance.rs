//! Conservative advancement: following two things along their paths by strides in which they cannot meet (M. Li,
//! D. M. Kaufman, C. Jiang, Codimensional incremental potential contact, 2021).

/// The part of the way to what is aimed at that one stride goes.
pub(crate) const STRIDE_SHARE: f64 = 0.9;
/// Strides at most. Whoever is still on the way then is as good as there.
const STRIDES: usize = 64;

/// Limits within which two things are followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pursuit {
    /// Bound on how much closer they can come on the whole path \[m\].
    pub way: f64,
    /// The distance at which the search ends \[m\].
    pub limit: f64,
    /// The distance that no stride can undercut \[m\], less than the limit.
    pub floor: f64,
}

/// Follows a path to the first point where the distance is the limit or less, and returns the caller's value there;
/// `None` if the path ends before. `at` gives the distance \[m\] and a value at a time from 0 to 1; `here` is both at
/// the start.
pub(crate) fn advance<T>(pursuit: Pursuit, here: (f64, T), mut at: impl FnMut(f64) -> (f64, T)) -> Option<T> {
    let ((mut distance, mut found), mut t) = (here, 0.0);
    for _ in 0..STRIDES {
        if distance.is_nan() || distance <= pursuit.limit {
            return Some(found);
        }
        t += STRIDE_SHARE * (distance - pursuit.floor) / pursuit.way;
        // Not a number where nothing moves.
        if t.is_nan() || t >= 1.0 {
            return None;
        }
        (distance, found) = at(t);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_time_within_the_limit_is_found() {
        let fall = |t: f64| (1.0 - t, t);
        let pursuit = |limit| Pursuit { way: 1.0, limit, floor: 0.9 * limit };
        let found = advance(pursuit(0.1), fall(0.0), fall).unwrap();
        assert!((0.9..0.91).contains(&found), "{found}");
        // There and back between two looks at its ends.
        let dip = |t: f64| (1.0 - 1.95 * (0.5 - (t - 0.5).abs()), t);
        let deep = Pursuit { way: 1.95, limit: 0.1, floor: 0.09 };
        assert!((advance(deep, dip(0.0), dip).unwrap() - 0.47).abs() < 0.02);
        assert_eq!(advance(Pursuit { limit: 0.02, floor: 0.01, ..deep }, dip(0.0), dip), None);
        assert_eq!(advance(Pursuit { way: 0.0, ..deep }, (1.0, 0.0), |_| (1.0, 0.0)), None);
        assert_eq!(advance(deep, (0.05, 7.0), |_| (1.0, 0.0)), Some(7.0));
    }
}
