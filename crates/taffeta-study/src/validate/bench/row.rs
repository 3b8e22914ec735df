//! Result of a check.

/// A value with its reference and what it may differ by.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The case.
    pub case: String,
    /// Value that the simulator gives.
    pub value: f64,
    /// Expected value; `None` for a value that is itself an error, or is only reported.
    pub reference: Option<f64>,
    /// The unit of both.
    pub unit: &'static str,
    /// The error: relative to the reference, or in the unit.
    pub error: f64,
    /// True if the error is relative.
    pub is_relative: bool,
    /// The largest error that passes; `None`: the row only reports.
    pub tolerance: Option<f64>,
}

/// Verdict on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within the tolerance.
    Pass,
    /// Not within the tolerance, or not a number.
    Miss,
    /// There is no tolerance.
    Reported,
}

impl Row {
    /// A value that may differ from a reference by a part of it.
    pub fn relative(case: impl Into<String>, value: f64, reference: f64, tolerance: f64) -> Self {
        Self {
            case: case.into(),
            value,
            reference: Some(reference),
            unit: "",
            error: (value / reference - 1.0).abs(),
            is_relative: true,
            tolerance: Some(tolerance),
        }
    }

    /// A value that is itself an error, zero at best.
    pub fn at_most(case: impl Into<String>, value: f64, tolerance: f64) -> Self {
        let (case, error, tolerance) = (case.into(), value.abs(), Some(tolerance));
        Self { case, value, reference: None, unit: "", error, is_relative: false, tolerance }
    }

    /// A value that must lie in a range; its reference is the middle of it.
    pub fn within(case: impl Into<String>, value: f64, [low, high]: [f64; 2]) -> Self {
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let (reference, error) = (Some(middle), (value - middle).abs());
        Self {
            case: case.into(),
            value,
            reference,
            unit: "",
            error,
            is_relative: false,
            tolerance: Some(half),
        }
    }

    /// A value that has no reference.
    pub fn reported(case: impl Into<String>, value: f64) -> Self {
        Self { tolerance: None, ..Self::at_most(case, value, 0.0) }
    }

    /// Sets the unit.
    pub fn in_unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// Verdict on the row. An error that is not a number misses.
    pub fn verdict(&self) -> Verdict {
        match self.tolerance {
            None => Verdict::Reported,
            Some(tolerance) if self.error <= tolerance => Verdict::Pass,
            Some(_) => Verdict::Miss,
        }
    }

    fn error_text(&self, error: f64) -> String {
        if !self.is_relative {
            return with_unit(number(error), self.unit);
        }
        if error == 0.0 || error >= 1e-5 {
            format!("{:.3} %", 100.0 * error)
        } else {
            format!("{error:.1e} rel.")
        }
    }
}

/// Width of the columns name and case.
const WIDTHS: [usize; 2] = [22, 56];

/// The head of the table.
pub fn format_head() -> String {
    line(["check", "case", "value", "reference", "error", "tolerance", ""].map(str::to_owned))
}

/// The rows of a check as lines of the table.
pub fn format_rows(name: &str, rows: &[Row]) -> String {
    let text = |row: &Row| {
        let verdict = match row.verdict() {
            Verdict::Pass => "pass",
            Verdict::Miss => "MISS",
            Verdict::Reported => "–",
        };
        let reference = row.reference.map_or("–".to_owned(), |value| with_unit(number(value), row.unit));
        let tolerance = row.tolerance.map(|tolerance| row.error_text(tolerance));
        let error = row.tolerance.map(|_| row.error_text(row.error));
        line([
            name.to_owned(),
            row.case.clone(),
            with_unit(number(row.value), row.unit),
            reference,
            error.unwrap_or("–".to_owned()),
            tolerance.unwrap_or("–".to_owned()),
            verdict.to_owned(),
        ])
    };
    rows.iter().map(text).collect::<Vec<_>>().join("\n")
}

fn line([name, case, value, reference, error, tolerance, verdict]: [String; 7]) -> String {
    let [first, second] = WIDTHS;
    let text = format!(
        "{name:first$} {case:second$} {value:>17} {reference:>17} {error:>13} {tolerance:>13}  {verdict}"
    );
    text.trim_end().to_owned()
}

fn with_unit(number: String, unit: &str) -> String {
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

/// Seven digits, with an exponent where the number is very small or large.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-2..1e5).contains(&size) {
        return format!("{value:.3e}");
    }
    let decimals = (6.0 - size.log10().floor()).clamp(0.0, 7.0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_pass_within_their_tolerance_only() {
        let of = |value| Row::relative("a", value, 2.0, 0.01).verdict();
        assert_eq!([2.01, 2.03, f64::NAN].map(of), [Verdict::Pass, Verdict::Miss, Verdict::Miss]);
        assert_eq!(Row::at_most("a", -1e-3, 1e-2).verdict(), Verdict::Pass);
        let of = |value| Row::within("a", value, [3.0, 8.0]).verdict();
        assert_eq!(
            [3.0, 8.0, 2.9, 8.1].map(of),
            [Verdict::Pass, Verdict::Pass, Verdict::Miss, Verdict::Miss]
        );
        assert_eq!(Row::reported("a", 5.0).verdict(), Verdict::Reported);
    }

    #[test]
    fn a_row_says_value_reference_error_and_tolerance() {
        let text = format_rows("strip", &[Row::relative("c = 0.05", 1.0238, 1.0238607, 1e-3).in_unit("m")]);
        for part in ["strip", "c = 0.05", "1.023800 m", "1.023861 m", "0.006 %", "0.100 %", "pass"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let text = format_rows("a", &[Row::at_most("b", 3e-13, 1e-12), Row::reported("c", 0.5)]);
        assert!(text.contains("3.000e-13") && text.contains("1.000e-12") && text.ends_with("–"), "{text}");
    }
}
