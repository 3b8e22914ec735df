//! Line plots as SVG text.
//!
//! A [`Panel`] knows its data, its axes and their units. Ticks are chosen here and not by the plotting library, because
//! its ticks on a logarithmic axis of less than a decade cannot be read. A logarithmic axis is drawn as a linear one of
//! the logarithms. The legend is not part of the plot: the page has it as text, which wraps where it must,
//! and a picture of its own has it above the plot.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width of a tick label's area at the left \[px\].
const LEFT: u32 = 62;
/// Height of the area below a plot \[px\].
const BELOW: u32 = 42;
/// Part of the range that stays free at each end.
const MARGIN: f64 = 0.05;
/// Colors that color-blind readers tell apart (P. Tol, Colour schemes, SRON 2021, "bright" and "vibrant").
const COLORS: [RGBColor; 9] = [
    RGBColor(0x44, 0x77, 0xaa),
    RGBColor(0xee, 0x66, 0x77),
    RGBColor(0x22, 0x88, 0x33),
    RGBColor(0xcc, 0x99, 0x22),
    RGBColor(0x33, 0xaa, 0xcc),
    RGBColor(0xaa, 0x33, 0x77),
    RGBColor(0x77, 0x77, 0x77),
    RGBColor(0x00, 0x99, 0x88),
    RGBColor(0xcc, 0x33, 0x11),
];
const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
const FAINT: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);

/// Look of a series: the color by its number, dashed once the colors are used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look(pub usize);

impl Look {
    fn color(self) -> RGBColor {
        COLORS[self.0 % COLORS.len()]
    }

    fn is_dashed(self) -> bool {
        (self.0 / COLORS.len()) % 2 == 1
    }

    /// A sample for a legend, as SVG.
    pub(super) fn sample(self) -> String {
        let RGBColor(r, g, b) = self.color();
        let dashes = if self.is_dashed() { " stroke-dasharray=\"5 3\"" } else { "" };
        format!(
            "<svg width=\"26\" height=\"10\" aria-hidden=\"true\"><line x1=\"1\" y1=\"5\" x2=\"25\" y2=\"5\" \
             stroke=\"#{r:02x}{g:02x}{b:02x}\" stroke-width=\"3\"{dashes}/></svg>"
        )
    }
}

/// One axis of a plot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AxisOf {
    /// Name of the quantity along the axis.
    pub name: &'static str,
    /// Unit without prefix; empty: a count.
    pub unit: &'static str,
    /// True if it is logarithmic. Values that are not positive are then left out.
    pub log: bool,
}

/// Points of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub look: Look,
    /// In base units.
    pub points: Vec<(f64, f64)>,
    /// Note next to each point; empty: a line without marks.
    pub notes: Vec<String>,
}

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Panel {
    pub x: AxisOf,
    pub y: AxisOf,
    pub series: Vec<Series>,
    /// Least range of the vertical axis, in base units, so that noise does not fill a plot. It does not apply to a
    /// logarithmic axis.
    pub least_span: f64,
    /// Width and height \[px\].
    pub size: (u32, u32),
}

/// An axis with its range and ticks, in the units of its label.
#[derive(Clone)]
struct Scale {
    label: String,
    log: bool,
    /// One unit of the label in base units.
    unit: f64,
    range: [f64; 2],
    ticks: Vec<f64>,
    light: Vec<f64>,
}

impl Panel {
    /// Returns whether there is nothing to see.
    pub(crate) fn is_empty(&self) -> bool {
        self.visible().next().is_none()
    }

    /// The plot, if there is anything to see.
    pub(super) fn if_visible(self) -> Vec<Self> {
        if self.is_empty() { Vec::new() } else { vec![self] }
    }

    fn visible(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let shown = |log: bool, value: f64| value.is_finite() && (!log || value > 0.0);
        let points = self.series.iter().flat_map(|series| series.points.iter().copied());
        points.filter(move |(x, y)| shown(self.x.log, *x) && shown(self.y.log, *y))
    }

    /// The plot as SVG.
    ///
    /// # Panics
    /// If there is nothing to see.
    pub(super) fn to_svg(&self) -> String {
        assert!(!self.is_empty(), "a plot has points");
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, self.size).into_drawing_area();
            // Drawing into a string fails only if a range is empty, which `Scale` rules out.
            self.draw(&root).expect("a string takes all that is drawn");
        }
        // The page lets what has this class shrink with the window.
        svg.replacen("<svg ", "<svg class=\"plot\" ", 1)
    }

    fn draw(
        &self,
        root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    ) -> Result<(), Box<dyn std::error::Error + '_>> {
        let (xs, ys): (Vec<f64>, Vec<f64>) = self.visible().unzip();
        let pixels = [self.size.0 - LEFT - 24, self.size.1 - BELOW];
        let x = Scale::fit(&self.x, &xs, 0.0, pixels[0] / 70);
        let y = Scale::fit(&self.y, &ys, self.least_span, pixels[1] / 36);
        let mut chart = ChartBuilder::on(root)
            .margin_top(10)
            .margin_right(16)
            .margin_left(8)
            .x_label_area_size(BELOW)
            .y_label_area_size(LEFT)
            .build_cartesian_2d(x.clone(), y.clone())?;
        let text = ("sans-serif", 12).into_font().color(&INK);
        chart
            .configure_mesh()
            .axis_style(INK)
            .bold_line_style(FAINT)
            .light_line_style(FAINT.mix(0.45))
            .label_style(text.clone())
            .axis_desc_style(("sans-serif", 13).into_font().color(&INK))
            .x_desc(x.label.clone())
            .y_desc(y.label.clone())
            .draw()?;
        for series in &self.series {
            let place = |(a, b): &(f64, f64)| Some((x.place(*a)?, y.place(*b)?));
            let places: Vec<Option<(f64, f64)>> = series.points.iter().map(place).collect();
            let line: Vec<(f64, f64)> = places.iter().flatten().copied().collect();
            let style = series.look.color().stroke_width(2);
            match series.look.is_dashed() {
                false => _ = chart.draw_series(LineSeries::new(line, style))?,
                true => _ = chart.draw_series(DashedLineSeries::new(line, 6, 4, style))?,
            }
            for (place, note) in places.iter().zip(&series.notes) {
                let Some(place) = place else { continue };
                chart.draw_series([Circle::new(*place, 4, series.look.color().filled())])?;
                let far = (place.0 - x.range[0]) / (x.range[1] - x.range[0]) > 0.75;
                let (anchor, shift) = if far { (HPos::Right, -7) } else { (HPos::Left, 7) };
                let style =
                    ("sans-serif", 11).into_font().color(&INK.mix(0.8)).pos(Pos::new(anchor, VPos::Bottom));
                let words = EmptyElement::at(*place) + Text::new(note.clone(), (shift, -4), style);
                chart.draw_series([words])?;
            }
        }
        Ok(())
    }
}

impl Scale {
    /// The range around values, of a span of at least `least` \[base units\], with about `count` ticks.
    fn fit(axis: &AxisOf, values: &[f64], least: f64, count: u32) -> Self {
        let place = |value: f64| if axis.log { value.log10() } else { value };
        let low = values.iter().map(|v| place(*v)).fold(f64::INFINITY, f64::min);
        let high = values.iter().map(|v| place(*v)).fold(f64::NEG_INFINITY, f64::max);
        // A constant still needs a range: of a third of a decade, or of a part of its own size.
        let least = if axis.log { 0.3 } else { least.max(1e-3 * low.abs()).max(1e-9) };
        let half = 0.5 * (high - low).max(least) * (1.0 + 2.0 * MARGIN);
        let (low, high) = (0.5 * (low + high) - half, 0.5 * (low + high) + half);
        let largest = if axis.log { 10.0_f64.powf(high) } else { low.abs().max(high.abs()) };
        let (prefix, unit) = if axis.unit.is_empty() { ("", 1.0) } else { si_prefix(largest) };
        let label = match axis.unit {
            "" => axis.name.to_owned(),
            name => format!("{} [{prefix}{name}]", axis.name),
        };
        let in_unit = |place: f64| if axis.log { place - unit.log10() } else { place / unit };
        let range = [low, high].map(in_unit);
        let (ticks, light) =
            if axis.log { log_ticks(range, count) } else { (linear_ticks(range, count), Vec::new()) };
        Self { label, log: axis.log, unit, range, ticks, light }
    }

    /// Place of a value on the axis; `None` if it has none.
    fn place(&self, value: f64) -> Option<f64> {
        let value = value / self.unit;
        let place = if self.log { value.log10() } else { value };
        place.is_finite().then_some(place)
    }

    fn tick_label(&self, place: f64) -> String {
        let value = if self.log { 10.0_f64.powf(place) } else { place };
        if self.log && !(1e-3..1e5).contains(&value) {
            return format!("10{}", superscript(place.round() as i32));
        }
        let step = match self.ticks.as_slice() {
            [a, b, ..] if !self.log => b - a,
            _ => value.abs(),
        };
        let decimals = (-step.log10() - 1e-9).ceil().clamp(0.0, 9.0) as usize;
        // No "-0".
        format!("{:.decimals$}", value + 0.0).replacen('-', "−", 1)
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, (first, last): (i32, i32)) -> i32 {
        let [low, high] = self.range;
        first + (f64::from(last - first) * (place - low) / (high - low)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        if hint.weight().allow_light_points() { self.light.clone() } else { self.ticks.clone() }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range[0]..self.range[1]
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, place: &f64) -> String {
        self.tick_label(*place)
    }
}

/// Prefix and factor that make a value a number between 1 and 1000, from nano to mega.
fn si_prefix(value: f64) -> (&'static str, f64) {
    let prefixes = [("M", 1e6), ("k", 1e3), ("", 1.0), ("m", 1e-3), ("µ", 1e-6)];
    prefixes.into_iter().find(|(_, factor)| value >= *factor).unwrap_or(("n", 1e-9))
}

/// Multiples of 1, 2 or 5 times a power of ten within a range.
fn linear_ticks([low, high]: [f64; 2], count: u32) -> Vec<f64> {
    let rough = (high - low) / f64::from(count.max(2));
    let power = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|k| k as f64 * step).collect()
}

/// Logarithms of powers of ten within a range, with 2 and 5 between them where these are few; and of all digits.
fn log_ticks([low, high]: [f64; 2], count: u32) -> (Vec<f64>, Vec<f64>) {
    let digits = |digits: &[u32]| -> Vec<f64> {
        let decades = low.floor() as i32..=high.ceil() as i32;
        let all = decades.flat_map(|k| digits.iter().map(move |d| f64::from(k) + f64::from(*d).log10()));
        all.filter(|place| (low..=high).contains(place)).collect()
    };
    let all: Vec<u32> = (1..10).collect();
    let choices: [&[u32]; 3] = [&all, &[1, 2, 5], &[1]];
    let fitting = choices.iter().map(|d| digits(d)).find(|ticks| ticks.len() <= count.max(2) as usize);
    let ticks = fitting.unwrap_or_else(|| {
        let decades = digits(&[1]);
        let every = decades.len().div_ceil(count.max(2) as usize);
        decades.into_iter().step_by(every).collect()
    });
    let light = if high - low < 8.0 { digits(&all) } else { Vec::new() };
    (ticks, light)
}

fn superscript(number: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32('⁰' as u32 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    };
    number.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_within_the_range() {
        assert_eq!(linear_ticks([0.0, 1.0], 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(linear_ticks([-0.7, 2.4], 4), [0.0, 1.0, 2.0]);
        let labels = |range: [f64; 2], count| -> Vec<String> {
            let (ticks, light) = log_ticks(range, count);
            let scale = Scale { label: String::new(), log: true, unit: 1.0, range, ticks, light };
            scale.ticks.iter().map(|tick| scale.tick_label(*tick)).collect()
        };
        assert_eq!(labels([2.3, 3.7], 6), ["200", "500", "1000", "2000", "5000"]);
        assert_eq!(labels([-0.5, 0.2], 12), ["0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"]);
        assert_eq!(labels([-12.0, -6.0], 4), ["10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶"]);
    }

    #[test]
    fn units_get_prefixes_and_counts_do_not() {
        let label = |unit, largest| {
            Scale::fit(&AxisOf { name: "d", unit, log: false }, &[0.0, largest], 0.0, 5).label
        };
        assert_eq!(label("m", 0.0123), "d [mm]");
        assert_eq!(label("J", 2e-7), "d [nJ]");
        assert_eq!(label("", 4000.0), "d");
    }

    #[test]
    fn a_plot_leaves_out_what_a_logarithm_cannot_show() {
        let axis = |log| AxisOf { name: "x", unit: "m", log };
        let series =
            Series { look: Look(10), points: vec![(1.0, 0.0), (2.0, 3.0)], notes: vec!["a<b".to_owned(); 2] };
        let mut panel =
            Panel { x: axis(false), y: axis(true), series: vec![series], least_span: 0.0, size: (400, 300) };
        let svg = panel.to_svg();
        assert_eq!(svg.matches("<circle").count(), 1, "{svg}");
        assert!(svg.contains("a&lt;b") && svg.contains("class=\"plot\"") && !svg.contains("NaN"), "{svg}");
        panel.series[0].points.pop();
        assert!(panel.is_empty());
    }
}
