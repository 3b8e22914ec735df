//! Cusick's drape test on the presets: a picture of each, from above with the outline of its shadow and from the side, and a
//! table.
//!
//! `cargo run --release --example textile -- FOLDER [--coarse] [--jis] [PRESET ...]` writes FOLDER/PRESET.png and prints a row of a table
//! for each. `--jis` takes the smaller disks of JIS L 1096. `--coarse` takes a uniform mesh of 5 mm, for pictures: a third of the time, and coefficients that are up to 11 points lower.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;
use taffeta::core::TriangleMesh;
use taffeta::glam::DVec3;
use taffeta::render::{Body, BodyKind, Camera, Image, Picture, render, tube, write_png};
use taffeta::scene::materials::{Preset, preset, presets};
use taffeta::study::textile::{AnnulusPattern, Drape, DrapeSettings, DrapeSizes, drape, published};

/// Side of each of the two views [pixels].
const SIDE: u32 = 300;
/// Radius of the line around the shadow [m].
const LINE: f64 = 0.0006;
/// Distance of the cameras [m]: from far away, so that the shadow is the outline.
const FAR: f64 = 4.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "out/textile".into()));
    std::fs::create_dir_all(&folder)?;
    let (flags, names): (Vec<String>, Vec<String>) =
        arguments.partition(|argument| ["--coarse", "--jis"].contains(&argument.as_str()));
    let has = |flag: &str| flags.iter().any(|given| given == flag);
    let mut settings = if !has("--coarse") {
        DrapeSettings::default()
    } else {
        DrapeSettings { lowering: 1.5, ..DrapeSettings::uniform(AnnulusPattern::Staggered, 0.005) }
    };
    if has("--jis") {
        settings.sizes = DrapeSizes::JIS;
    }
    let unknown = names.iter().find(|name| preset(name).is_none());
    if let Some(name) = unknown {
        return Err(format!("there is no preset {name:?}").into());
    }
    for preset in presets() {
        if names.is_empty() || names.iter().any(|name| name == preset.name) {
            println!("{}", show(&preset, &settings, &folder)?);
        }
    }
    Ok(())
}

/// Drapes a preset, draws it and returns its row.
fn show(preset: &Preset, settings: &DrapeSettings, folder: &Path) -> Result<String, Box<dyn Error>> {
    let start = Instant::now();
    let draped = drape(&preset.material, settings)?;
    write_png(&draw(&draped, settings.sizes.support)?, &folder.join(format!("{}.png", preset.name)))?;
    let lengths = preset.material.bend.map(|bend| 100.0 * (bend / (preset.material.density * 9.81)).cbrt());
    let known = published(preset.name);
    let range = known.map_or_else(String::new, |known| {
        let [low, high] = known.coefficient;
        let verdict =
            if (low..=high).contains(&draped.shadow.coefficient) { "inside" } else { "**outside**" };
        format!("{low} to {high} ({}) | {verdict}", known.kind)
    });
    Ok(format!(
        "| {} | {:.2}, {:.2} | {:.1} | {} | {range} | {:.0} |",
        preset.name,
        lengths[0],
        lengths[1],
        draped.shadow.coefficient,
        draped.shadow.folds,
        start.elapsed().as_secs_f64()
    ))
}

/// The views from above and from the side, beside each other, over a support of a radius [m].
fn draw(draped: &Drape, support: f64) -> Result<Image, Box<dyn Error>> {
    let cloth = Body::new(draped.mesh.clone(), BodyKind::Cloth { index: 0 });
    let support = Body::new(disk(support), BodyKind::Obstacle);
    let lowest = draped.mesh.positions.iter().map(|x| x.y).fold(0.0, f64::min);
    let outline = Body::new(tube::tube_mesh(&ring(draped), LINE), BodyKind::Obstacle);
    let middle = DVec3::new(0.0, 0.5 * lowest, 0.0);
    let above = Camera { eye: DVec3::Y * FAR, target: DVec3::ZERO, up: -DVec3::Z, field_of_view: 0.32 / FAR };
    let direction = DVec3::new(0.0, 0.3, 1.0).normalize();
    let side =
        Camera { eye: middle + direction * FAR, target: middle, up: DVec3::Y, field_of_view: 0.32 / FAR };
    let view = |bodies: &[Body], camera| {
        render(bodies, &Picture { width: SIDE, height: SIDE, camera: Some(camera), ..Picture::default() })
    };
    let mut image = Image::new(2 * SIDE, SIDE, [255; 3]);
    image.paste(&view(&[cloth.clone(), support.clone(), outline], above)?, [0, 0]);
    image.paste(&view(&[cloth, support], side)?, [SIDE, 0]);
    Ok(image)
}

/// The outline of the shadow, above the cloth.
fn ring(draped: &Drape) -> Vec<DVec3> {
    let outline = &draped.shadow.outline;
    let step = std::f64::consts::TAU / outline.len() as f64;
    let point = |i: usize| {
        let (sin, cos) = (i as f64 * step).sin_cos();
        let radius = outline[i % outline.len()] + LINE;
        DVec3::new(radius * cos, 0.002, -radius * sin)
    };
    (0..=outline.len()).step_by(4).map(point).collect()
}

/// The support: a disk just below the cloth.
fn disk(radius: f64) -> TriangleMesh {
    const SIDES: u32 = 96;
    let point = |i: u32| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / f64::from(SIDES)).sin_cos();
        DVec3::new(radius * cos, -1e-4, -radius * sin)
    };
    let mut positions = vec![DVec3::new(0.0, -1e-4, 0.0)];
    positions.extend((0..SIDES).map(point));
    let faces = (0..SIDES).map(|i| [0, 1 + i, 1 + (i + 1) % SIDES]).collect();
    TriangleMesh { positions, faces, material: None }
}
