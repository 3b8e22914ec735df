//! `taffeta materials`: the presets.

use taffeta_core::Friction;
use taffeta_scene::materials::{Preset, presets};

/// Width of the first column.
const LABEL_WIDTH: usize = 18;
/// Width of the other columns of the table.
const VALUE_WIDTH: usize = 19;
/// Presets beside each other: with more the table is wider than a terminal.
const COLUMNS: usize = 4;

/// A quantity: its name in scenes, its unit, and its value in words.
type Row = (&'static str, &'static str, fn(&Preset) -> String);

/// The quantities in the order of the table.
const ROWS: [Row; 13] = [
    ("density", "kg/m²", |p| number(p.material.density)),
    ("thickness", "m", |p| number(p.material.thickness)),
    ("stretch", "N/m", |p| pair(p.material.stretch)),
    ("linearity", "", |p| number(p.material.linearity)),
    ("poisson", "", |p| number(p.material.poisson)),
    ("shear", "N/m", |p| p.material.shear.map_or("isotropic".to_owned(), number)),
    ("bend", "N·m", |p| pair(p.material.bend)),
    ("bend_poisson", "", |p| p.material.bend_poisson.map_or("as poisson".to_owned(), number)),
    ("yield_curvature", "1/m", |p| p.material.yield_curvature.map_or("none".to_owned(), number)),
    ("yield_hardening", "", |p| {
        p.material.yield_curvature.map_or("none".to_owned(), |_| number(p.material.yield_hardening))
    }),
    ("stretch_damping", "s", |p| number(p.material.stretch_damping)),
    ("bend_damping", "s", |p| number(p.material.bend_damping)),
    ("friction", "", |p| friction(p.material.friction)),
];

/// The presets as a table with units, and where each figure comes from.
pub fn describe_presets() -> String {
    let presets = presets();
    let mut text = String::from("Presets: what `material = \"NAME\"` stands for in a scene. SI units.\n");
    for columns in presets.chunks(COLUMNS) {
        text += "\n";
        text += &table_row("", columns.iter().map(|preset| preset.name.to_owned()));
        for (label, unit, value) in ROWS {
            let label = if unit.is_empty() { label.to_owned() } else { format!("{label} {unit}") };
            text += &table_row(&label, columns.iter().map(value));
        }
    }
    text += "\nPairs: warp and weft; friction: static and kinetic. Where each figure comes from:\n";
    for preset in &presets {
        text += &format!("\n{}: {}\n", preset.name, preset.description);
        for figure in &preset.figures {
            text += &format!("  {}: {}; {}\n", figure.fields, figure.basis.words(), figure.source);
        }
    }
    text
}

fn table_row(label: &str, values: impl Iterator<Item = String>) -> String {
    let cells: String = values.map(|value| format!("{value:>VALUE_WIDTH$}")).collect();
    format!("{label:LABEL_WIDTH$}{cells}\n")
}

fn number(value: f64) -> String {
    let tiny = value != 0.0 && value.abs() < 1e-4;
    if tiny || value.abs() >= 1e5 { format!("{value:e}") } else { value.to_string() }
}

fn pair([warp, weft]: [f64; 2]) -> String {
    format!("{} {}", number(warp), number(weft))
}

fn friction(friction: Friction) -> String {
    pair([friction.static_, friction.kinetic])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_stands_in_the_table_with_units_and_sources() {
        let text = describe_presets();
        for preset in presets() {
            assert!(text.contains(preset.name) && text.contains(preset.figures[0].source), "{text}");
        }
        assert!(
            text.contains("stretch N/m") && text.contains("bend N·m") && text.contains("8000 4000"),
            "{text}"
        );
        assert!(text.lines().all(|line| !line.starts_with(' ') || line.chars().count() <= 160), "{text}");
    }
}
