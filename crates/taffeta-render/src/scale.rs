//! From values to places on a scale of colors, and to the numbers beside it.

use crate::error::RenderError;
use taffeta_core::math;

/// Numbers beside a scale: about as many as this.
const TICKS: f64 = 5.0;
/// Share of the values that may lie beyond either end of a scale that fits them. Without it, one sharp corner of a mesh
/// would leave all others in one color.
const BEYOND: f64 = 0.005;
/// A logarithmic scale is at least this many times as long as its start.
const LOGARITHMIC_SPAN_MIN: f64 = 1.25;

/// Colors along a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// From dark to light.
    Sequential,
    /// From blue over white, in the middle, to red.
    Diverging,
}

/// Spacing of values between the ends of a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// By its difference from the first.
    Linear,
    /// By its ratio to the first.
    Logarithmic,
}

/// A scale of colors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The quantity shown, with its unit, for the legend.
    pub title: &'static str,
    /// Value of the first color.
    pub low: f64,
    /// Value of the last color.
    pub high: f64,
    /// Spacing of the values.
    pub spacing: Spacing,
    /// The colors.
    pub palette: Palette,
}

impl Scale {
    /// A scale that fits values, the order of which may change: nearly all of them lie between its ends. A diverging one
    /// has 0 in its middle, a sequential one on a linear scale starts at or below 0 if its values come near. Values that
    /// are not finite do not count, nor, on a logarithmic scale, those that are not positive. `None`: none counts.
    pub fn fitting(
        title: &'static str,
        spacing: Spacing,
        palette: Palette,
        values: &mut Vec<f64>,
    ) -> Option<Self> {
        values.retain(|value| value.is_finite() && (spacing == Spacing::Linear || *value > 0.0));
        let last = values.len().checked_sub(1)?;
        let skipped = (BEYOND * last as f64) as usize;
        let (_, low, _) = values.select_nth_unstable_by(skipped, f64::total_cmp);
        let low = *low;
        let (_, high, _) = values.select_nth_unstable_by(last - skipped, f64::total_cmp);
        let high = *high;
        let (low, high) = match (spacing, palette) {
            (Spacing::Logarithmic, _) => {
                let stretch = (LOGARITHMIC_SPAN_MIN * low / high).max(1.0).sqrt();
                (low / stretch, high * stretch)
            }
            (Spacing::Linear, Palette::Diverging) => {
                let end = high.abs().max(low.abs());
                (-end, end)
            }
            (Spacing::Linear, Palette::Sequential) => {
                (if low < 0.5 * high { low.min(0.0) } else { low }, high)
            }
        };
        // Values that are all the same still need two ends.
        let slack =
            if high - low > 1e-9 * high.abs().max(low.abs()) { 0.0 } else { high.abs().max(1e-6) * 0.5 };
        Some(Self { title, low: low - slack, high: high + slack, spacing, palette })
    }

    /// Checks that the scale has an extent.
    ///
    /// # Errors
    /// [`RenderError::Scale`] if not.
    pub fn validate(&self) -> Result<(), RenderError> {
        let Self { low, high, spacing, .. } = *self;
        let is_logarithmic = spacing == Spacing::Logarithmic;
        let is_good = low.is_finite() && high.is_finite() && (high - low).is_finite() && low < high;
        if !is_good || (is_logarithmic && low <= 0.0) {
            return Err(RenderError::Scale { low, high, is_logarithmic });
        }
        Ok(())
    }

    /// Place of a value, from 0 to 1: at an end if it is beyond it. NaN if it is not finite.
    pub fn place_of(&self, value: f64) -> f64 {
        if !value.is_finite() {
            return f64::NAN;
        }
        let place = match self.spacing {
            Spacing::Linear => (value - self.low) / (self.high - self.low),
            Spacing::Logarithmic => {
                math::ln((value / self.low).max(f64::MIN_POSITIVE)) / math::ln(self.high / self.low)
            }
        };
        place.clamp(0.0, 1.0)
    }

    /// Round numbers on the scale, each with its place.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let values = match self.spacing {
            Spacing::Linear => linear_ticks(self.low, self.high),
            Spacing::Logarithmic => logarithmic_ticks(self.low, self.high),
        };
        values.into_iter().map(|value| (self.place_of(value), format_number(value))).collect()
    }
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / TICKS;
    let power = power_of_ten(decade_of(rough));
    let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|k| k * power >= rough * 0.999).unwrap_or(10.0);
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    // Numbers that are huge against their differences have no round ones between them.
    if !(step > 0.0 && last - first < 4.0 * TICKS) {
        return vec![low, high];
    }
    (0..=(last - first) as u32).map(|k| (first + f64::from(k)) * step).collect()
}

/// 1, 2 and 5 times powers of ten; of long scales the powers alone, of very long ones some of them.
fn logarithmic_ticks(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (decade_of(low), decade_of(high));
    let factors: &[f64] = match last - first {
        ..1 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
        1 => &[1.0, 2.0, 3.0, 5.0],
        2 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let stride = ((last - first) / 8 + 1) as usize;
    let decades = (first..=last).step_by(stride);
    let all = decades.flat_map(|decade| factors.iter().map(move |factor| factor * power_of_ten(decade)));
    let inside: Vec<f64> =
        all.filter(|value| *value >= low * (1.0 - 1e-9) && *value <= high * (1.0 + 1e-9)).collect();
    if inside.len() < 2 { vec![low, high] } else { inside }
}

/// The exponent of the largest power of ten that is not larger.
fn decade_of(value: f64) -> i32 {
    let guess = (math::ln(value) / std::f64::consts::LN_10).floor() as i32;
    // The logarithm of a power of ten may be off by its last bit.
    if value >= power_of_ten(guess + 1) * (1.0 - 1e-12) { guess + 1 } else { guess }
}

fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(0.0)
}

/// A number in three digits, with an exponent where it would be long.
fn format_number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let decade = decade_of(value.abs());
    let text = match decade {
        -4..5 => format!("{value:.*}", (2 - decade).max(0) as usize),
        _ => {
            let text = format!("{value:.2e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            return format!("{}e{exponent}", without_zeros(digits));
        }
    };
    without_zeros(&text).to_owned()
}

/// A number without zeros at the end of its fraction.
fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(low: f64, high: f64, spacing: Spacing) -> Scale {
        Scale { title: "", low, high, spacing, palette: Palette::Sequential }
    }

    fn numbers(low: f64, high: f64, spacing: Spacing) -> Vec<String> {
        scale(low, high, spacing).ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn numbers_beside_a_scale_are_round() {
        assert_eq!(numbers(0.0, 1.0, Spacing::Linear), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(numbers(-0.031, 0.031, Spacing::Linear), ["-0.02", "0", "0.02"]);
        assert_eq!(numbers(0.004, 0.11, Spacing::Logarithmic), ["0.005", "0.01", "0.02", "0.05", "0.1"]);
        assert_eq!(numbers(0.3, 3e6, Spacing::Logarithmic)[..3], ["1", "10", "100"]);
        assert_eq!(numbers(2e-7, 9e-7, Spacing::Linear), ["2e-7", "4e-7", "6e-7", "8e-7"]);
        assert!(numbers(1.0, 1.0 + 1e-15, Spacing::Linear).len() >= 2);
    }

    #[test]
    fn places_follow_the_spacing_and_stop_at_the_ends() {
        let linear = scale(2.0, 4.0, Spacing::Linear);
        assert_eq!([1.0, 2.0, 3.0, 9.0].map(|v| linear.place_of(v)), [0.0, 0.0, 0.5, 1.0]);
        let logarithmic = scale(0.01, 1.0, Spacing::Logarithmic);
        assert!((logarithmic.place_of(0.1) - 0.5).abs() < 1e-15);
        assert_eq!([-1.0, 0.0].map(|v| logarithmic.place_of(v)), [0.0, 0.0]);
        assert!(linear.place_of(f64::NAN).is_nan() && linear.place_of(f64::INFINITY).is_nan());
    }

    #[test]
    fn a_fitting_scale_ignores_a_few_extremes_and_needs_a_value() {
        let mut values: Vec<f64> = (0..1000).map(|k| f64::from(k) / 1000.0).collect();
        values.extend([1e9, f64::NAN, f64::INFINITY]);
        let fit = |palette, spacing, values: &mut Vec<f64>| Scale::fitting("", spacing, palette, values);
        let scale = fit(Palette::Sequential, Spacing::Linear, &mut values.clone()).unwrap();
        assert!(scale.low == 0.0 && scale.high < 1.0, "{scale:?}");
        let scale = fit(Palette::Diverging, Spacing::Linear, &mut values).unwrap();
        assert_eq!(scale.low, -scale.high);
        for same in [0.0, 3.0, -2e300] {
            fit(Palette::Sequential, Spacing::Linear, &mut vec![same; 4]).unwrap().validate().unwrap();
        }
        fit(Palette::Sequential, Spacing::Logarithmic, &mut vec![0.1, 0.0]).unwrap().validate().unwrap();
        assert_eq!(fit(Palette::Sequential, Spacing::Logarithmic, &mut vec![0.0, -1.0]), None);
        assert_eq!(fit(Palette::Sequential, Spacing::Linear, &mut vec![f64::NAN]), None);
        assert!(super::tests::scale(1.0, 1.0, Spacing::Linear).validate().is_err());
        assert!(super::tests::scale(0.0, 1.0, Spacing::Logarithmic).validate().is_err());
    }
}
