//! Temporary.
use taffeta::scene::Scene;
use taffeta::sim::{StepInputs, World};

#[test]
fn explore_scenes() {
    let Ok(list) = std::env::var("EXPLORE") else { return };
    let most: f64 = std::env::var("MOST").ok().map_or(100.0, |m| m.parse().unwrap());
    for path in list.split_whitespace() {
        let scene = match Scene::from_file(std::path::Path::new(path), &[]) {
            Ok(s) => s,
            Err(e) => {
                println!("{path}: {e}");
                continue;
            }
        };
        let mut world = World::build(&scene.build().unwrap()).unwrap();
        let frames = scene.last_frame();
        let verbose = std::env::var("VERBOSE").is_ok();
        let (mut forced, mut slowest, mut crossings, mut error, mut shortened) = (0, 0.0f64, 0, None, 0);
        let all = std::time::Instant::now();
        let count = |world: &World| {
            (
                world.crossings().map_or(9999, |c| c.len()),
                world.sunken_faces().unwrap_or(9999),
                world.quarantine().len(),
            )
        };
        if verbose {
            println!("{path} start {:?}", count(&world));
        }
        let mut done = 0;
        for frame in 1..=frames {
            let start = std::time::Instant::now();
            match world.step(&StepInputs::default(), scene.simulation.frame_time()) {
                Ok(report) => {
                    forced += report.safeguard.forced;
                    shortened += report.safeguard.shortened;
                    if std::env::var("TIMES").is_ok() {
                        println!(
                            "{frame}: {:?} sub {} {:?}",
                            report.times, report.plan.substeps, report.safeguard
                        );
                    }
                    if verbose {
                        println!(
                            "{frame}: {:?} {:?} sub {} it {} ke {:.3e} strain {:.2e} {}",
                            count(&world),
                            report.safeguard,
                            report.plan.substeps,
                            report.plan.iterations,
                            report.metrics.kinetic_energy,
                            report.metrics.max_strain,
                            report.contacts
                        );
                    }
                }
                Err(e) => {
                    error = Some(e.to_string());
                    break;
                }
            }
            done = frame;
            let (c, s, _) = count(&world);
            crossings = crossings.max(c + s);
            slowest = slowest.max(start.elapsed().as_secs_f64());
            if all.elapsed().as_secs_f64() > most {
                break;
            }
        }
        let mesh = world.mesh(0);
        let top = mesh.positions.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
        println!(
            "{path}: {done}/{frames} top {top:.3} forced {forced} shortened {shortened} crossings {crossings} at end {:?} slowest {slowest:.3} all {:.2} {}",
            count(&world),
            all.elapsed().as_secs_f64(),
            error.unwrap_or_default()
        );
    }
}
