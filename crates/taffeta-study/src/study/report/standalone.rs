//! Figures as pictures of their own, each with its legend: to be shown where the page is not.

use super::figures::{Figure, figures};
use super::plot::{Look, Panel};
use crate::study::StudyReport;
use crate::study::words::escape;
use std::fmt::Write;

/// Widest picture \[px\]: three small plots in a row.
const WIDEST: usize = 1140;
/// Height of a line of text \[px\].
const LINE: usize = 20;
/// Mean width of a letter of the legend \[px\]: it decides what a line of it may hold.
const LETTER: usize = 7;
/// Left of a legend, and what lies between its entries \[px\].
const GAP: usize = 12;

/// The pictures of a report as SVG: for each the anchor of its figure in the page, which is unique, and the text.
pub(super) fn pictures(report: &StudyReport) -> Vec<(String, String)> {
    let shown = figures(report).into_iter().filter(|figure| !figure.panels.is_empty());
    shown.map(|figure| (figure.id.clone(), picture(&figure))).collect()
}

fn picture(figure: &Figure) -> String {
    let places = arrange_panels(&figure.panels);
    let extent = |side: fn(&(usize, usize), &Panel) -> usize| {
        places.iter().zip(&figure.panels).map(|(at, panel)| side(at, panel)).max().unwrap_or(0)
    };
    let width = extent(|at, panel| at.0 + panel.size.0 as usize);
    let height = extent(|at, panel| at.1 + panel.size.1 as usize);
    let legend = arrange_legend(&figure.legend, width);
    let top = legend.last().map_or(0, |(_, line, _)| LINE * (line + 1) + 4);
    let total = top + height;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{total}\" \
         viewBox=\"0 0 {width} {total}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (at, line, (look, name)) in legend {
        let place = format!("<svg x=\"{at}\" y=\"{}\" ", line * LINE + 7);
        let sample = look.sample().replacen("<svg ", &place, 1);
        let (x, y) = (at + 32, line * LINE + 17);
        writeln!(svg, "{sample}<text x=\"{x}\" y=\"{y}\" fill=\"#333\">{}</text>", escape(name))
            .expect("a string takes all that is written");
    }
    for ((x, y), panel) in places.iter().zip(&figure.panels) {
        let place = format!("<svg x=\"{x}\" y=\"{}\" ", top + y);
        svg += &panel.to_svg().replacen("<svg ", &place, 1);
    }
    svg + "</svg>\n"
}

/// The upper left corners of panels \[px\], row by row.
fn arrange_panels(panels: &[Panel]) -> Vec<(usize, usize)> {
    let (mut x, mut y, mut row) = (0, 0, 0);
    let place = |panel: &Panel| {
        let (width, height) = (panel.size.0 as usize, panel.size.1 as usize);
        if x > 0 && x + width > WIDEST {
            (x, y, row) = (0, y + row, 0);
        }
        let at = (x, y);
        (x, row) = (x + width, row.max(height));
        at
    };
    panels.iter().map(place).collect()
}

/// The entries of a legend, each with its distance from the left \[px\] and its line.
fn arrange_legend(legend: &[(Look, String)], width: usize) -> Vec<(usize, usize, (Look, &str))> {
    let (mut at, mut line) = (GAP, 0);
    let place = |(look, name): &'_ (Look, String)| {
        let wide = 32 + LETTER * name.chars().count();
        if at > GAP && at + wide > width {
            (at, line) = (GAP, line + 1);
        }
        let place = (at, line, *look);
        at += wide + GAP;
        place
    };
    let places: Vec<_> = legend.iter().map(place).collect();
    places.into_iter().zip(legend).map(|((x, y, look), (_, name))| (x, y, (look, name.as_str()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legend_wraps_where_it_must() {
        let entry = |k: usize| (Look(k), "constraint=strain scaling=true".to_owned());
        let legend: Vec<_> = (0..7).map(entry).collect();
        let places = arrange_legend(&legend, 760);
        let lines: Vec<usize> = places.iter().map(|(_, line, _)| *line).collect();
        assert_eq!(lines, [0, 0, 1, 1, 2, 2, 3]);
        assert!(places.iter().all(|(at, _, (_, name))| at + 32 + LETTER * name.len() <= 760));
    }
}
