//! `taffeta materials`: the presets.

use taffeta_core::Friction;
use taffeta_scene::materials::{Preset, presets};

/// Width of the first column.
const LABEL_WIDTH: usize = 18;
/// Width of the other columns of the table.
const VALUE_WIDTH: usize = 16;

/// A quantity: its name in scenes, and its value in words.
type Row = (&'static str, fn(&Preset) -> String);

/// The presets as a table with units, and where each figure comes from.
pub fn describe_presets() -> String {
    let presets = presets();
    let mut text = String::from("Presets: what `material = \"NAME\"` stands for in a scene.\n\n");
    text += &table_row("", presets.iter().map(|preset| preset.name.to_owned()));
    let rows: [Row; 10] = [
        ("density", |p| number(p.material.density)),
        ("thickness", |p| number(p.material.thickness)),
        ("stretch", |p| pair(p.material.stretch)),
        ("poisson", |p| number(p.material.poisson)),
        ("shear", |p| p.material.shear.map_or("isotropic".to_owned(), number)),
        ("bend", |p| pair(p.material.bend)),
        ("bend_poisson", |p| p.material.bend_poisson.map_or("as poisson".to_owned(), number)),
        ("stretch_damping", |p| number(p.material.stretch_damping)),
        ("bend_damping", |p| number(p.material.bend_damping)),
        ("friction", |p| friction(p.material.friction)),
    ];
    let units = ["kg/m²", "m", "N/m", "", "N/m", "N·m", "", "s", "s", ""];
    for ((label, value), unit) in rows.into_iter().zip(units) {
        let label = if unit.is_empty() { label.to_owned() } else { format!("{label} {unit}") };
        text += &table_row(&label, presets.iter().map(value));
    }
    text += "\nPairs: warp and weft; friction: static and kinetic.\n";
    for preset in &presets {
        text += &format!("\n{}: {}\n", preset.name, preset.description);
        for figure in preset.figures {
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
    }
}
