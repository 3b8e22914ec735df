//! The plot: what a vertex costs in a frame against the number of vertices.

use plotters::prelude::*;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Draws the cost of a vertex \[µs\] in a frame against their number, a line for each name.
pub(super) fn draw(points: &[(String, f64, f64)], file: &Path) {
    let mut names: Vec<&String> = points.iter().map(|(name, ..)| name).collect();
    names.dedup();
    names.sort();
    names.dedup();
    let highest = points.iter().map(|(.., cost)| *cost).fold(0.0, f64::max);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (640, 400)).into_drawing_area();
        root.fill(&WHITE).expect("a string takes all that is drawn");
        let mut chart = ChartBuilder::on(&root)
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(56)
            .build_cartesian_2d((900.0..80_000.0).log_scale(), 0.0..1.1 * highest)
            .expect("ranges that are not empty");
        chart
            .configure_mesh()
            .x_desc("vertices")
            .x_labels(4)
            .light_line_style(TRANSPARENT)
            .y_desc("a vertex in a frame of 1/60 s [µs]")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .draw()
            .expect("a string takes all that is drawn");
        for (k, name) in names.into_iter().enumerate() {
            let color = Palette99::pick(k).to_rgba();
            let line: Vec<(f64, f64)> =
                points.iter().filter(|point| point.0 == *name).map(|(_, x, y)| (*x, *y)).collect();
            let mut label = String::new();
            write!(label, "{name} thread{}", if name.ends_with('1') { "" } else { "s" }).expect("a string");
            chart
                .draw_series(LineSeries::new(line, color.stroke_width(2)).point_size(3))
                .expect("a string takes all that is drawn")
                .label(label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .draw()
            .expect("a string takes all that is drawn");
    }
    fs::write(file, svg).expect("docs can be written to");
}
