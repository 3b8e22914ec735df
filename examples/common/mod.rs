//! Code that the examples share: running a world and drawing it.
#![allow(dead_code, reason = "each example uses its own part")]

use std::path::Path;
use taffeta::render::{Body, BodyKind, Picture, RenderError, obstacle_body, render, write_png};
use taffeta::sim::{StepError, StepInputs, World};

/// Makes steps of 1/60 s, printing a line each tenth of a second.
pub(crate) fn run(world: &mut World, frames: u32) -> Result<(), StepError> {
    println!(" time  vertices  substeps   ms/frame");
    for frame in 1..=frames {
        let report = world.step(&StepInputs::default(), 1.0 / 60.0)?;
        if frame % 6 == 0 || frame == frames {
            let milliseconds = 1e3 * report.times.total().as_secs_f64();
            println!(
                "{:5.2}  {:8}  {:8}  {milliseconds:9.1}",
                report.time, report.vertices, report.plan.substeps
            );
        }
    }
    Ok(())
}

/// Draws the world with its mesh to `out/NAME.png`.
pub(crate) fn draw(world: &World, name: &str) -> Result<(), RenderError> {
    let cloths = (0..world.cloths().len()).map(|i| Body::new(world.mesh(i), BodyKind::Cloth { index: i }));
    let mut bodies: Vec<Body> = cloths.collect();
    if let Some(bounds) = bodies[0].mesh.bounds() {
        bodies.extend(world.obstacles().iter().map(|o| obstacle_body(o, world.time(), bounds)));
    }
    let image = render(&bodies, &Picture { wireframe: true, ..Picture::default() })?;
    let path = Path::new("out").join(name).with_extension("png");
    std::fs::create_dir_all("out").map_err(|source| RenderError::Write { path: path.clone(), source })?;
    write_png(&image, &path)?;
    println!("wrote {}", path.display());
    Ok(())
}
