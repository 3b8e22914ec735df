//! A sheet falls onto a sphere; its mesh refines where the folds are.
//!
//! `cargo run --release --example drape` writes `out/drape.png`.

use glam::{DVec2, DVec3};
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::{Friction, Placement};
use taffeta::remesh::RemeshSettings;
use taffeta::scene::{GridPattern, grid, materials};
use taffeta::sim::{ClothDescription, StepInputs, World, WorldDescription};

fn world() -> World {
    let mut mesh = grid(DVec2::ONE, [10, 10], GridPattern::Alternating, 0);
    let place = Placement {
        translate: DVec3::new(-0.5, 0.45, 0.5),
        rotate_deg: DVec3::new(-90.0, 0.0, 0.0),
        scale: 1.0,
    };
    mesh.positions.iter_mut().for_each(|x| *x = place.apply(*x));
    let cotton = materials::preset(&std::env::args().nth(6).unwrap_or("cotton".into())).expect("a preset").material;
    let mut sheet = ClothDescription::new("sheet", mesh, cotton);
    sheet.remesh = Some(RemeshSettings { size_min: a(2), size_max: 0.12, refine_angle: a(3), refine_strain: a(4), ..RemeshSettings::default() });
    let mut ball = Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::at(DVec3::new(0.0, 0.2, 0.0)));
    ball.friction = Friction::default();
    let description = WorldDescription { cloths: vec![sheet], obstacles: vec![ball], ..WorldDescription::default() };
    World::build(&description).expect("the description is complete")
}

fn main() {
    let mut world = world();
    let frames = std::env::args().nth(1).map_or(120, |a| a.parse().unwrap());
    let mut total = 0.0f64; let mut units = 0.0;
    for k in 0..frames {
        let t0 = std::time::Instant::now();
        let report = world.step(&StepInputs::default(), 1.0 / 60.0).expect("the step is finite");
        let dt = t0.elapsed().as_secs_f64();
        total += dt; units += report.vertices as f64 * (1000.0/60.0/5.0);
        if k % 30 == 29 { picture(&world, k); }
        if k % 15 == 14 { println!("{:.2}s {} vertices S={} {:?} contacts {} ms {:.1} {:?} strain {:.3} res {:.2e} KE {:.2e}", report.time, report.vertices, report.plan.substeps, report.remesh, report.contacts, dt*1e3, report.times, report.metrics.max_strain, report.metrics.residual, report.metrics.kinetic_energy); }
    }
    {
        let sh = world.sheet(); let x = &sh.state.positions;
        let mut th: Vec<f64> = vec![]; let mut kap=vec![];
        for e in sh.topology.edges.iter() {
            if let ([Some(_),Some(_)],[Some(a),Some(b)]) = (e.faces,e.opposites) {
                let p=[x[e.vertices[0]],x[e.vertices[1]],x[a],x[b]];
                let t=taffeta::solve::block::Hinge::wrapped_angle(&p).abs(); th.push(t);
                let l=p[0].distance(p[1]); let ar=(p[1]-p[0]).cross(p[2]-p[0]).length()/2.+(p[1]-p[0]).cross(p[3]-p[0]).length()/2.;
                kap.push(t*l*1.5/ar);
            }
        }
        th.sort_by(f64::total_cmp); kap.sort_by(f64::total_cmp);
        for p in [0.05,0.25,0.5,0.75,0.95] { println!("theta {:.4} kappa {:.2} size {:.4}", th[(p*th.len() as f64) as usize], kap[(p*th.len() as f64) as usize], a(3)/kap[(p*th.len() as f64) as usize]); }
    }
    for pass in 0..2 {
        let settings = [world.cloths()[0].remesh];
        world.edit(|t| {
            let r = taffeta::remesh::remesh(&mut t.mesh, &mut t.attributes, &taffeta::remesh::Pass { settings: &settings, pins: &[], elapsed: 10.0 }, &mut |_| false);
            let mut sizes: Vec<f64> = t.attributes.vertices.iter().map(|(_, v)| 1.0 / v.metric.xx.sqrt()).collect();
            sizes.sort_by(f64::total_cmp);
            let q = |p: f64| sizes[(p * (sizes.len() - 1) as f64) as usize];
            println!("pass {pass}: {} vertices, splits {} collapses {} flips {} refused {} unfinished {}  sizes {:.3} {:.3} {:.3} {:.3} {:.3}", sizes.len(), r.splits, r.collapses, r.flips, r.refused, r.unfinished, q(0.05), q(0.25), q(0.5), q(0.75), q(0.95));
        });
    }
    println!("{:.2} s, {:.2} µs per vertex and 5 ms", total, total/units*1e6);
}

fn picture(world: &World, k: usize) {
    use taffeta::render::*;
    let mesh = world.mesh(0);
    let bounds = mesh.bounds().unwrap();
    let mut bodies = vec![Body { mesh, kind: BodyKind::Cloth { index: 0 } }];
    for o in world.obstacles() { bodies.push(obstacle_body(o, world.time(), bounds)); }
    let cam = std::env::args().nth(7).map(|_| Camera { eye: glam::DVec3::new(0.3, 0.9, 0.75), target: glam::DVec3::new(0.0, 0.25, 0.1), up: glam::DVec3::Y, field_of_view: 0.5 });
    let image = render(&bodies, &Picture { wireframe: std::env::args().nth(7).is_none(), camera: cam, ..Picture::default() }).unwrap();
    std::fs::create_dir_all("out").unwrap();
    write_png(&image, std::path::Path::new(&format!("out/drape_{k}.png"))).unwrap();
}
fn a(k: usize) -> f64 { std::env::args().nth(k).unwrap().parse().unwrap() }
