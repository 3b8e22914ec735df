//! Numbers and texts as reports write them.

/// A distance \[m\] in millimeters.
pub(super) fn millimeters(distance: f64) -> String {
    short(1e3 * distance)
}

/// Four digits, with an exponent where the number is very small or large.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{value:.2e}").replacen('-', "−", 2);
    }
    let decimals = (3.0 - size.log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.decimals$}").replacen('-', "−", 1)
}

/// A text in HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!(
            [0.0, 12.3456, -0.012345, 2e-7, 1.5e6].map(short),
            ["0", "12.35", "−0.01235", "2.00e−7", "1.50e6"]
        );
    }
}
