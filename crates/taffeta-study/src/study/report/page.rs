//! The page with table and plots: one file that fetches nothing.

use super::figures::{Figure, figures};
use super::tables::{extent, frame_milliseconds, max_strain, outcome_words};
use crate::study::simulate::{Outcome, Run};
use crate::study::words::{escape, millimeters, short};
use crate::study::{CheckWords, StudyReport};

const STYLE: &str = "
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 1180px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .3rem; }
p { margin: .3rem 0 .6rem; max-width: 52rem; } .faint { color: #666; }
code { font-size: .92em; background: #f3f3f3; padding: .05em .3em; border-radius: 3px; }
.check { border-left: 4px solid #9bb8d3; padding-left: .8rem; } .warning { border-color: #c8452f; background: #fdf0ee; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; margin: .8rem 0; }
th, td { padding: .28rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #e4e4e4; }
th { border-bottom: 2px solid #999; vertical-align: bottom; font-weight: 600; } th small { display: block; font-weight: 400; color: #666; }
td.text, th.text { text-align: left; } tr.reference td { background: #eef4fa; } tr.failed td { background: #fdf0ee; }
.plots { display: flex; flex-wrap: wrap; gap: .4rem; } .plots > div { flex: 0 1 auto; max-width: 100%; }
.plot { display: block; max-width: 100%; height: auto; }
ul.legend { list-style: none; padding: 0; margin: .3rem 0 .4rem; display: flex; flex-wrap: wrap; gap: .15rem 1.4rem; font-size: .88rem; }
ul.legend svg { vertical-align: middle; margin-right: .35rem; }
";

/// A column of the table: its name, its unit, and a value for each variant.
type Column = (&'static str, &'static str, fn(&StudyReport, usize) -> Option<String>);

const COLUMNS: [Column; 18] = [
    ("vertices", "least", |r, n| Some(counts(r, n)?[0].to_string())),
    ("vertices", "most", |r, n| Some(counts(r, n)?[1].to_string())),
    ("vertices", "at the end", |r, n| Some(counts(r, n)?[2].to_string())),
    ("RMS distance", "at the end, mm", |r, n| Some(millimeters(r.comparisons[n].last?.rms))),
    ("max. distance", "at the end, mm", |r, n| Some(millimeters(r.comparisons[n].last?.max))),
    ("RMS distance", "over time, mm", |r, n| Some(millimeters(r.comparisons[n].over_time?.rms))),
    ("kinetic", "J", |r, n| Some(short(r.runs[n].frames.last()?.metrics.kinetic_energy))),
    ("stretch", "J", |r, n| Some(short(r.runs[n].frames.last()?.metrics.stretch_energy))),
    ("bend", "J", |r, n| Some(short(r.runs[n].frames.last()?.metrics.bend_energy))),
    ("energy drift", "J", |r, n| r.energy_drift(n).map(short)),
    ("max. strain", "of any face", |r, n| r.runs[n].frames.first().map(|_| short(max_strain(&r.runs[n])))),
    ("steps", "", |r, n| Some(r.runs[n].steps().to_string())),
    ("substeps", "of all steps", |r, n| Some(r.runs[n].total(|c| f64::from(c.substeps)).to_string())),
    ("iterations", "most", |r, n| {
        r.runs[n].frames.iter().map(|f| f.cost.iterations).max().map(|k| k.to_string())
    }),
    ("solver", "wall, s", |r, n| Some(format!("{:.3}", r.runs[n].total(|c| c.solve)))),
    ("CPU", "s", |r, n| Some(format!("{:.3}", r.runs[n].total(|c| c.cpu)))),
    ("CPU", "slowest run, s", |r, n| {
        let most = r.runs[n].cpu_times.iter().copied().reduce(f64::max)?;
        Some(format!("{most:.3}"))
    }),
    ("per frame", "wall, ms", |r, n| frame_milliseconds(&r.runs[n]).map(|t| format!("{t:.2}"))),
];

fn counts(report: &StudyReport, number: usize) -> Option<[usize; 3]> {
    extent(&report.runs[number], |frame| frame.vertices)
}

/// The whole page.
pub(super) fn page(report: &StudyReport) -> String {
    let name = escape(&report.study.name);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Study of {name}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>Study of {name}</h1>\n"
    );
    html += &introduction(report);
    html += &check(report);
    html += &table(report);
    html += &warnings(report);
    figures(report).iter().for_each(|figure| html += &section(figure));
    html += "<p class=\"faint\">The numbers are in <code>study.csv</code>, <code>frames.csv</code> and \
             <code>trajectories.csv</code>, those of the refined reference in <code>check.csv</code>.</p>\n</body>\n</html>\n";
    html
}

fn introduction(report: &StudyReport) -> String {
    let axis = |axis: &crate::study::Axis| {
        let labels: Vec<String> = axis
            .entries
            .iter()
            .map(|entry| format!("<code>{}</code>", escape(&report.study.names.label(entry))))
            .collect();
        format!("<li>{}</li>", labels.join(" "))
    };
    let axes: String = report.study.axes.iter().map(axis).collect();
    let points = report.study.points.len();
    format!(
        "<p>{} variants of the scene, compared by {points} material points with <code>{}</code>, the reference.</p>\n\
         <p>What varies:</p>\n<ul>{axes}</ul>\n",
        report.runs.len(),
        escape(report.label(report.reference)),
    )
}

/// Verdict on the reference: whether it can be trusted.
fn check(report: &StudyReport) -> String {
    let words = report.check_words();
    let class = if words.iter().any(|sentence| sentence.is_warning) { "check warning" } else { "check" };
    let sentence = |CheckWords { text, is_warning }: &CheckWords| match is_warning {
        true => format!("<strong>{}</strong>", escape(text)),
        false => escape(text),
    };
    let sentences: Vec<String> = words.iter().map(sentence).collect();
    format!("<p class=\"{class}\">{}</p>\n", sentences.join(" "))
}

fn table(report: &StudyReport) -> String {
    let keys = report.keys();
    let mut html = String::from("<h2>Variants</h2>\n<div class=\"scroll\"><table>\n<tr>");
    let head = |text: &str, unit: &str, class: &str| {
        let unit = if unit.is_empty() { String::new() } else { format!("<small>{}</small>", escape(unit)) };
        format!("<th{class}>{}{unit}</th>", escape(text))
    };
    for key in &keys {
        html += &head(report.study.names.get(key), "", " class=\"text\"");
    }
    html += &head("outcome", "", " class=\"text\"");
    COLUMNS.iter().for_each(|(name, unit, _)| html += &head(name, unit, ""));
    html += "</tr>\n";
    for (number, run) in report.runs.iter().enumerate() {
        html += &table_row(report, number, run, &keys);
    }
    html + "</table></div>\n"
}

fn table_row(report: &StudyReport, number: usize, run: &Run, keys: &[&str]) -> String {
    let class = match run.outcome {
        Outcome::Failed(_) => " class=\"failed\"",
        Outcome::Done | Outcome::Stopped if number == report.reference => " class=\"reference\"",
        Outcome::Done | Outcome::Stopped => "",
    };
    let mut row = format!("<tr{class}>");
    for key in keys {
        let set = report.study.variants[number].assignments.iter().find(|a| a.key == *key);
        row += &format!("<td class=\"text\">{}</td>", set.map_or(String::new(), |a| escape(&a.value)));
    }
    let (word, _) = outcome_words(&run.outcome);
    let note = if number == report.reference { ", reference" } else { "" };
    row += &format!("<td class=\"text\">{word}{note}</td>");
    for (_, _, value) in &COLUMNS {
        row += &format!("<td>{}</td>", value(report, number).unwrap_or_else(|| "–".to_owned()));
    }
    row + "</tr>\n"
}

fn warnings(report: &StudyReport) -> String {
    let mut lines: Vec<String> = report.study.warnings.iter().map(|text| escape(text)).collect();
    for (number, run) in report.runs.iter().enumerate() {
        if let Outcome::Failed(reason) = &run.outcome {
            lines.push(format!("<code>{}</code> failed: {}", escape(report.label(number)), escape(reason)));
        }
    }
    if !report.runs[report.reference].is_done() {
        lines.push("The reference did not come to its end: there are no distances at the end.".to_owned());
    }
    let items: String = lines.iter().map(|line| format!("<li>{line}</li>")).collect();
    if items.is_empty() { items } else { format!("<h2>Failures and warnings</h2>\n<ul>{items}</ul>\n") }
}

fn section(figure: &Figure) -> String {
    let mut html = format!("<h2 id=\"{}\">{}</h2>\n", figure.id, escape(&figure.title));
    if !figure.caption.is_empty() {
        html += &format!("<p>{}</p>\n", escape(&figure.caption));
    }
    if figure.panels.is_empty() {
        return html;
    }
    if !figure.legend.is_empty() {
        let item = |(look, name): &(super::plot::Look, String)| {
            format!("<li>{}{}</li>", look.sample(), escape(name))
        };
        html +=
            &format!("<ul class=\"legend\">{}</ul>\n", figure.legend.iter().map(item).collect::<String>());
    }
    let plots = figure.panels.iter().map(|panel| format!("<div>{}</div>", panel.to_svg()));
    html + &format!("<div class=\"plots\">{}</div>\n", plots.collect::<String>())
}
