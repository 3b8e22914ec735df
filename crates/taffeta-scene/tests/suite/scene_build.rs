//! Scenes become worlds, and resolved scenes read back unchanged.

use glam::{DVec2, DVec3};
use std::fs;
use std::path::Path;
use taffeta_core::{Friction, Region};
use taffeta_scene::{ClothShape, Override, Scene, SceneError, SceneSource, cloth_frame, materials};
use taffeta_sim::queries;
use taffeta_sim::{
    Air, BendingModel, Compression, MembraneModel, MembraneScaling, Mode, PinDescription,
    ProjectionStiffness, SimulationSettings, SolverChoice, StiffnessCorrection, Tearing, TimeIntegration,
    World,
};

const SMALL: &str = "[simulation]\nduration = 1\n[[cloth]]\ngrid = { size = [1, 1], cells = [4, 4] }\n";

fn read(text: &str) -> Scene {
    Scene::from_str(text, Path::new("test.toml"), &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn read_with(text: &str, settings: &[&str]) -> Scene {
    let overrides: Vec<Override> = settings.iter().map(|s| Override::parse(s).unwrap()).collect();
    Scene::from_str(text, Path::new("test.toml"), &overrides).unwrap_or_else(|error| panic!("{error}"))
}

/// Everything that a scene can say.
const RICH: &str = r#"
[simulation]
duration = 2
frame_rate = 24
mode = "dynamic"
solver = "direct"
substeps = 4
iterations = 7
time = "euler"
gravity = [0, 0, -1.62]
velocity_damping = 0.5
threads = 3
seed = 11

[[cloth]]
name = "a-1"
grid = { size = [0.3, 0.7], cells = [5, 6], pattern = "delaunay" }
material = "mine"
place = { translate = [0.1, 0.2, 0.3], rotate_deg = [90, 0, 15], scale = 2 }
velocity = [1, 0, 0]
angular_velocity = [0, 0.1, 0]
pressure = -12.5
constraint = "edges"
bending = "none"

[[cloth.pin]]
where = { material_box = [[0, 0], [0.3, 0.01]] }
motion = [ { t = 0, translate = [0, 0, 0] }, { t = 0.1, rotate_deg = [0, 30, 0] } ]
clamp = true
[[cloth.pin]]
where = { vertices = [41, 3] }
axes = [false, true, false]
release = 0.75
strength = 12.5

[cloth.remesh]
size_min = 0.02
size_max = 0.2
refine_angle = 0.3
refine_strain = 0.1
interval = 2
max_vertices = 5000

[[cloth]]
name = "b"
grid = {}
material = { density = 0.1, stretch = [100, 90], bend = [1e-6, 2e-6], bend_poisson = 0.1, yield_curvature = 150, yield_hardening = 0.2 }
bending = "curvature"
rest_curvature = [2, -1, 0.5]
[[cloth.pin]]
where = { boundary = true }

[materials.mine]
density = 0.2
thickness = 0.0007
stretch = [1000.0, 800.0]
poisson = 0.25
shear = 300
bend = [1e-5, 3e-5]
stretch_damping = 0.001
bend_damping = 0.002
friction = { static = 0.6, kinetic = 0.5 }
tear_strength = [300.0, 250]
tear_length = 0.05

[[obstacle]]
shape = { sphere = { radius = 0.2 } }
place = { translate = [0, -1, 0] }
motion = [ { t = 0 }, { t = 1.5, translate = [0.1, 0.2, 0.3], rotate_deg = [0, 90, 0] }, { t = 2, teleport = true } ]
friction = { static = 0.1, kinetic = 0.05 }
[[obstacle]]
shape = { plane = { normal = [1, 2, 3] } }

[contact]
self = false
thickness = 0.002
[air]
density = 1.0
wind = [3, 0, 0]
drag = 1.1
[[probe]]
name = "tip"
cloth = "a-1"
material = [0.3, 0.7]
[output]
formats = ["none"]
every = 3
"#;

#[test]
fn defaults_are_those_of_the_format() {
    let scene = read(SMALL);
    assert_eq!(scene.simulation.frame_rate, 60.0);
    assert_eq!(scene.simulation.settings, SimulationSettings::default());
    assert_eq!(scene.air, Air { density: 1.2, wind: DVec3::ZERO, drag: 1.0 });
    assert_eq!(scene.cloths[0].name, "sheet");
    assert_eq!(scene.cloths[0].material, materials::preset("cotton").unwrap().material);
    assert_eq!(scene.last_frame(), 60);
    assert_eq!(scene.warnings, Vec::<String>::new());
    let world = scene.build().unwrap();
    assert_eq!(world.contact_thickness, None);
    assert_eq!(world.cloths[0].mesh.faces.len(), 32);
    assert!(
        world.obstacles.is_empty() && world.cloths[0].pins.is_empty() && world.cloths[0].remesh.is_none()
    );
}

#[test]
fn everything_in_a_scene_arrives_in_the_world() {
    let built = read(RICH).assemble().unwrap();
    let world = &built.world;
    assert_eq!(world.simulation.solver, SolverChoice::Direct);
    assert_eq!((world.simulation.substeps, world.simulation.iterations), (Some(4), Some(7)));
    assert_eq!(world.simulation.gravity, DVec3::new(0.0, 0.0, -1.62));
    assert_eq!((world.simulation.velocity_damping, world.simulation.threads), (0.5, 3));
    assert_eq!(world.air, Some(Air { density: 1.0, wind: DVec3::new(3.0, 0.0, 0.0), drag: 1.1 }));
    assert_eq!(world.contact_thickness, Some(0.002));
    let [a, b] = world.cloths.as_slice() else { panic!("two cloths") };
    assert_eq!((a.membrane, a.bending), (MembraneModel::Edges, BendingModel::None));
    assert_eq!((b.membrane, b.bending), (MembraneModel::Strain, BendingModel::Curvature));
    assert_eq!((a.pressure, b.pressure), (-12.5, 0.0));
    assert_eq!((a.rest_curvature, b.rest_curvature), ([0.0; 3], [2.0, -1.0, 0.5]));
    assert_eq!((world.simulation.mode, world.simulation.time), (Mode::Dynamic, TimeIntegration::Euler));
    let held = |pin: &PinDescription| (pin.axes, pin.clamp, pin.release, pin.strength);
    assert_eq!(held(&a.pins[0]), ([true; 3], true, None, None));
    assert_eq!(held(&a.pins[1]), ([false, true, false], false, Some(0.75), Some(12.5)));
    assert_eq!(a.material.friction, Friction { static_: 0.6, kinetic: 0.5 });
    assert_eq!((a.material.shear, b.material.shear, b.material.bend_poisson), (Some(300.0), None, Some(0.1)));
    assert_eq!((b.material.poisson, b.material.thickness), (0.3, 0.0005));
    assert_eq!(a.material.tearing, Some(Tearing { strength: [300.0, 250.0], length: 0.05 }));
    assert_eq!(b.material.tearing, None);
    assert_eq!(a.pins[1].region, Region::Vertices(vec![41, 3]));
    assert_eq!(a.pins[0].motion.keys[1].rotate_deg, DVec3::new(0.0, 30.0, 0.0));
    assert_eq!(b.pins[0].region, Region::Boundary);
    let remesh = a.remesh.unwrap();
    assert_eq!((remesh.interval, remesh.max_vertices, remesh.refine_strain), (2, 5000, 0.1));
    // Scaled about the origin, turned upright about x, then moved; material coordinates stay.
    let corner = a.mesh.positions[0];
    assert!(corner.distance(DVec3::new(0.1, 0.2, 0.3)) < 1e-15);
    let highest = a.mesh.bounds().unwrap()[1].z;
    assert!((highest - (0.3 + 2.0 * 0.7)).abs() < 1e-15, "{highest}");
    let widest = a.mesh.material.as_ref().unwrap().iter().flatten().fold(DVec2::ZERO, |m, u| m.max(*u));
    assert_eq!(widest, DVec2::new(0.3, 0.7));
    assert_eq!(world.obstacles[0].friction.kinetic, 0.05);
    assert_eq!(world.obstacles[0].motion.keys[1].time, 1.5);
    assert_eq!((&world.obstacles[0].motion.jumps[..], &a.pins[0].motion.jumps[..]), (&[2][..], &[][..]));
    assert_eq!(built.probes[0].point.material, DVec2::new(0.3, 0.7));
    assert!(read(RICH).output.formats.is_empty());
}

#[test]
fn the_resolved_scene_reads_back_unchanged() {
    let bending = ["curvature", "hinge", "quadratic", "averaged", "none"];
    let models = bending.map(|model| format!("{SMALL}bending = \"{model}\"\n"));
    let fixed = SMALL.replace("duration = 1", "mode = \"static\"\nsolver = \"global\"");
    let pbd = SMALL.replace("duration = 1", "duration = 1\nsolver = \"pbd\"") + "stiffness = 0.25\n";
    let xpbd = SMALL.replace("duration = 1", "duration = 1\nsolver = \"xpbd\"");
    let projective = SMALL.replace("duration = 1", "duration = 1\nsolver = \"projective\"");
    let one_error = format!("{SMALL}remesh = {{ refine_error = 0.002, size_max = 0.2 }}\n");
    let texts = [SMALL, RICH, &fixed, &pbd, &xpbd, &projective, &one_error];
    for text in texts.into_iter().chain(models.iter().map(String::as_str)) {
        let scene = read(text);
        let json = scene.to_json();
        let again = Scene::from_str(&json.to_string(), Path::new("elsewhere/scene.json"), &[]).unwrap();
        assert_eq!(again.to_json(), json);
        assert_eq!(again.simulation, scene.simulation);
        assert_eq!(again.build().unwrap(), scene.build().unwrap());
        assert_eq!(again.hash().unwrap(), scene.hash().unwrap());
        let pretty = Scene::from_str(&format!("{json:#}"), Path::new("scene.json"), &[]).unwrap();
        assert_eq!(pretty.to_json(), json);
    }
}

#[test]
fn the_hash_follows_the_scene_but_not_the_threads() {
    let hash = |settings: &[&str]| read_with(SMALL, settings).hash().unwrap();
    assert_eq!(hash(&[]).len(), 64);
    assert_eq!(hash(&[]), hash(&["simulation.threads=7"]));
    assert_eq!(hash(&[]), hash(&["simulation.frame_rate=60"]));
    assert_ne!(hash(&[]), hash(&["simulation.seed=7"]));
    let camera = |x: u8| format!("camera={{position=[{x},1,1],target=[0,0,0]}}");
    assert_eq!(hash(&[&camera(1)]), hash(&[&camera(2)]));
    let remesh = "cloth.0.remesh={coarsen_unseen=4}";
    assert_ne!(hash(&[remesh, &camera(1)]), hash(&[remesh, &camera(2)]));
    let turns = "camera.motion=[{t=0},{t=1,rotate_deg=[0,90,0]}]";
    assert_ne!(hash(&[remesh, &camera(1)]), hash(&[remesh, &camera(1), turns]));
    for change in [
        "cloth.0.grid.cells=[5,4]",
        "simulation.mode=static",
        "simulation.time=tr_bdf2",
        "cloth.0.pressure=1",
        "cloth.0.bending=hinge",
        "cloth.0.rest_curvature=[1,0,0]",
    ] {
        assert_ne!(hash(&[]), hash(&[change]), "{change}");
    }
    let hash = |change: &str| read_with(RICH, &[change]).hash().unwrap();
    for change in ["axes=[true,true,false]", "clamp=false", "release=1", "strength=1"] {
        assert_ne!(hash("simulation.threads=1"), hash(&format!("cloth.0.pin.0.{change}")), "{change}");
    }
}

#[test]
fn solvers_of_scalar_rows_get_their_own_defaults() {
    let scene = read_with(SMALL, &["simulation.solver=xpbd"]);
    let cloth = &scene.cloths[0];
    assert_eq!((cloth.membrane, cloth.bending), (MembraneModel::Strain, BendingModel::Hinge));
    let scene = read_with(SMALL, &["simulation.solver=pbd", "cloth.0.stiffness=0.5"]);
    let cloth = &scene.build().unwrap().cloths[0];
    assert_eq!((cloth.membrane, cloth.bending), (MembraneModel::Edges, BendingModel::Hinge));
    let plain = ProjectionStiffness { stretch: 0.5, bend: 0.1, correction: StiffnessCorrection::Plain };
    assert_eq!((cloth.projection, scene.warnings), (plain, Vec::new()));
    let all = ["cloth.0.bend_stiffness=0", "cloth.0.stiffness_correction=true", "cloth.0.bending=none"];
    let scene = read_with(SMALL, &[&["simulation.solver=pbd"], &all[..]].concat());
    let corrected = StiffnessCorrection::PerSubstep;
    let expected = ProjectionStiffness { stretch: 1.0, bend: 0.0, correction: corrected };
    assert_eq!((scene.cloths[0].projection, scene.cloths[0].bending), (expected, BendingModel::None));
}

#[test]
fn constraints_and_their_scaling_are_read_and_written() {
    let with = |settings: &[&str]| read_with(SMALL, &[&["simulation.solver=block"], settings].concat());
    let constraints = [
        ("strain", MembraneModel::Strain),
        ("edges", MembraneModel::Edges),
        ("energy", MembraneModel::Energy),
        ("energy_published", MembraneModel::EnergyPublished),
    ];
    for (name, model) in constraints {
        let scene = with(&[&format!("cloth.0.constraint={name}")]);
        let cloth = &scene.build().unwrap().cloths[0];
        assert_eq!((cloth.membrane, cloth.scaling), (model, MembraneScaling::ByArea));
        assert_eq!(scene.to_json()["cloth"][0]["constraint"], name);
    }
    let scene = with(&["cloth.0.scaling=false", "cloth.0.scaling_area=0.25"]);
    assert_eq!(scene.build().unwrap().cloths[0].scaling, MembraneScaling::Fixed(0.25));
    let again = Scene::from_str(&scene.to_json().to_string(), Path::new("/x.json"), &[]).unwrap();
    assert_eq!(again.cloths, scene.cloths);
    let hashes =
        [&[][..], &["cloth.0.scaling=true"], &["cloth.0.scaling=false", "cloth.0.scaling_area=0.25"]]
            .map(|settings| with(settings).hash().unwrap());
    assert!(hashes[0] == hashes[1] && hashes[1] != hashes[2]);
}

#[test]
fn buckling_is_read_and_written() {
    let full = read_with(SMALL, &[]);
    let buckling = read_with(SMALL, &["cloth.0.buckling=true"]);
    assert_eq!(full.build().unwrap().cloths[0].compression, Compression::Full);
    assert_eq!(buckling.build().unwrap().cloths[0].compression, Compression::BUCKLING);
    let firm = read_with(SMALL, &["cloth.0.buckling=2.5"]);
    assert_eq!(firm.build().unwrap().cloths[0].compression, Compression::Buckling { factor: 2.5 });
    for scene in [&buckling, &firm] {
        let again = Scene::from_str(&scene.to_json().to_string(), Path::new("/x.json"), &[]).unwrap();
        assert_eq!(again.cloths, scene.cloths);
    }
    assert_ne!(full.hash().unwrap(), buckling.hash().unwrap());
    assert_eq!(full.hash().unwrap(), read_with(SMALL, &["cloth.0.buckling=false"]).hash().unwrap());
}

#[test]
fn projective_dynamics_has_its_own_bending_and_warns_of_what_it_leaves_out() {
    let material = "cloth.0.material={density=0.2, stretch=[1000, 500], bend=[1e-5, 1e-5], poisson=0.3}";
    let settings = ["simulation.solver=projective", material, "cloth.0.remesh={}"];
    let scene = read_with(SMALL, &settings);
    let cloth = &scene.build().unwrap().cloths[0];
    assert_eq!((cloth.membrane, cloth.bending), (MembraneModel::Strain, BendingModel::MeanCurvature));
    let [remesh, ignored] = scene.warnings.as_slice() else { panic!("{:?}", scene.warnings) };
    assert!(remesh.contains("factorizes") && remesh.contains("interval"), "{remesh}");
    let parts = ["cloth.0.material", "`stretch`", "`poisson`", "means of warp and weft"];
    assert!(parts.iter().all(|part| ignored.contains(part)) && !ignored.contains("damping"), "{ignored}");
    let plain = "cloth.0.material={density=0.2, stretch=[500, 500], bend=[1e-5, 1e-5], poisson=0}";
    let quiet = ["simulation.solver=projective", plain, "cloth.0.bending=none"];
    let scene = read_with(SMALL, &quiet);
    assert_eq!((scene.cloths[0].bending, scene.warnings), (BendingModel::None, Vec::new()));
}

#[test]
fn an_accuracy_that_nothing_follows_is_warned_of() {
    let load = |settings: &[&str]| read_with(SMALL, settings).warnings;
    let ignored = [
        (vec!["simulation.solver=block", "simulation.accuracy=fine"], "\"block\""),
        (vec!["simulation.mode=static", "simulation.accuracy=1e-6"], "\"static\""),
        (
            vec!["simulation.substeps=4", "simulation.iterations=9", "simulation.accuracy=draft"],
            "`iterations`",
        ),
    ];
    for (settings, reason) in ignored {
        let warnings = load(&settings);
        let [warning] = warnings.as_slice() else { panic!("{settings:?}: {warnings:?}") };
        assert!(warning.contains("simulation.accuracy") && warning.contains(reason), "{warning}");
    }
    let followed =
        [vec![], vec!["simulation.accuracy=fine"], vec!["simulation.substeps=4", "simulation.accuracy=fine"]];
    for settings in followed {
        assert_eq!(load(&settings), Vec::<String>::new(), "{settings:?}");
    }
}

#[test]
fn keys_of_another_solver_are_warned_of() {
    for key in ["stiffness=0.5", "bend_stiffness=0.5", "stiffness_correction=true"] {
        let setting = format!("cloth.0.{key}");
        let scene = read_with(SMALL, &[&setting]);
        let [warning] = scene.warnings.as_slice() else { panic!("{:?}", scene.warnings) };
        let name = key.split('=').next().unwrap();
        assert!(
            warning.contains(name) && warning.contains("pbd") && warning.contains("material"),
            "{warning}"
        );
        assert_eq!(scene.hash().unwrap(), read(SMALL).hash().unwrap(), "it changes nothing");
        let scene = read_with(SMALL, &[&setting, "simulation.solver=pbd"]);
        assert_eq!(scene.warnings, Vec::<String>::new());
        assert_ne!(scene.hash().unwrap(), read_with(SMALL, &["simulation.solver=pbd"]).hash().unwrap());
    }
    let scene = read_with(SMALL, &["cloth.0.constraint=strain", "simulation.solver=pbd"]);
    assert!(scene.warnings[0].contains("constraint") && scene.warnings.len() == 1, "{:?}", scene.warnings);
}

#[test]
fn a_scene_is_read_again_from_its_source() {
    let text =
        "[simulation]\nduration = 1.0\n[[cloth]]\nname = \"a\"\nmesh = \"a.obj\"\nmaterial = \"cotton\"\n";
    let overrides = [Override::parse("simulation.duration=2.0").unwrap()];
    let scene = Scene::from_str(text, Path::new("scenes/a.toml"), &overrides).unwrap();
    let source = scene.source();
    assert_eq!((source.path.as_path(), source.folder.is_absolute()), (Path::new("scenes/a.toml"), true));
    assert_eq!(source.settings, ["simulation.duration=2.0"]);
    assert_eq!(Scene::from_source(source.clone()).unwrap(), scene);
    // The folder alone decides where files are.
    let folder = std::env::temp_dir();
    let moved = Scene::from_source(SceneSource { folder: folder.clone(), ..source.clone() }).unwrap();
    let ClothShape::Mesh { path, .. } = &moved.cloths[0].shape else { panic!("it is a mesh") };
    assert_eq!(*path, folder.join("a.obj"));
    assert_eq!(moved.path(), scene.path());
    let more = moved.with_overrides(&[Override::parse("simulation.frame_rate=30").unwrap()]).unwrap();
    assert_eq!(more.cloths, moved.cloths);
}

#[test]
fn overrides_replace_create_and_reach_into_materials() {
    let scene = read_with(
        SMALL,
        &[
            "cloth.0.grid.cells=[6,2]",
            "simulation.solver=block",
            "cloth.0.pin.0.where={ boundary = true }",
            "cloth.0.material=silk",
            "cloth.0.material.density=0.25",
            "obstacle.0.shape.sphere.radius=0.5",
            "air.drag=0",
        ],
    );
    let world = scene.build().unwrap();
    assert_eq!(world.cloths[0].mesh.positions.len(), 21);
    assert_eq!((world.simulation.solver, world.cloths[0].pins.len()), (SolverChoice::Block, 1));
    let silk = materials::preset("silk").unwrap().material;
    assert_eq!(world.cloths[0].material.density, 0.25);
    assert_eq!(world.cloths[0].material.stretch, silk.stretch);
    assert_eq!((world.obstacles.len(), world.air), (1, None));
    let scene = read_with(RICH, &["cloth.0.material.bend=[1,1]", "materials.mine.poisson=0.1"]);
    assert_eq!(scene.cloths[0].material.bend, [1.0, 1.0]);
    assert_eq!(scene.cloths[0].material.stretch, [1000.0, 800.0]);
}

#[test]
fn a_table_with_the_name_of_a_preset_changes_it() {
    let scene = read(&format!("{SMALL}material = \"denim\"\n[materials.denim]\ndensity = 0.5\n"));
    assert_eq!(scene.cloths[0].material.density, 0.5);
    assert_eq!(scene.cloths[0].material.bend, materials::preset("denim").unwrap().material.bend);
}

#[test]
fn one_tolerance_is_that_of_meshes_and_steps() {
    let text = SMALL.replace("size = [1, 1]", "size = [2, 1]") + "remesh = {}\n";
    let accuracy = |scene: &Scene| queries::accuracy(&World::build(&scene.build().unwrap()).unwrap());
    let error = |scene: &Scene| scene.cloths[0].remesh.unwrap().refine_error;
    let of = |settings: &[&str]| read_with(&text, settings);
    assert_eq!((error(&of(&[])), accuracy(&of(&[]))), (Some(0.004), 1e-4));
    // A quarter of the default of 4 mm per meter: errors of substeps fall to an eighth.
    let mut scene = of(&["simulation.tolerance=0.002"]);
    assert_eq!(error(&scene), Some(0.002));
    assert!((accuracy(&scene) / 1.25e-5 - 1.0).abs() < 1e-12, "{}", accuracy(&scene));
    let resolved = scene.to_json().to_string();
    let again = Scene::from_str(&resolved, Path::new("scene.json"), &[]).unwrap();
    assert_eq!((again.to_json(), accuracy(&again)), (scene.to_json(), accuracy(&scene)));
    scene.make_draft();
    assert_eq!((error(&scene), accuracy(&scene)), (Some(0.008), 1e-4));
    let both = ["simulation.tolerance=0.002", "simulation.accuracy=1e-3", "cloth.0.remesh.refine_error=0.01"];
    assert_eq!((error(&of(&both[..2])), accuracy(&of(&both[..2]))), (Some(0.002), 1e-3));
    assert_eq!((error(&of(&both)), accuracy(&of(&both))), (Some(0.01), 1e-3));
}

#[test]
fn unused_materials_are_warned_about() {
    let table = "[materials.rare]\ndensity = 1\nstretch = [1, 1]\nbend = [0, 0]\n";
    let scene = read(&format!("{SMALL}{table}"));
    assert_eq!(scene.warnings, ["materials.rare is used by no cloth"]);
}

#[test]
fn the_last_frame_is_not_later_than_the_duration() {
    let last = |duration: &str, rate: &str| {
        let settings = [format!("simulation.duration={duration}"), format!("simulation.frame_rate={rate}")];
        read_with(SMALL, &[&settings[0], &settings[1]]).last_frame()
    };
    assert_eq!(last("0.1", "30"), 3);
    assert_eq!(last("4", "60"), 240);
    assert_eq!(last("0.99", "10"), 9);
    let warned = |duration: &str| read_with(SMALL, &[&format!("simulation.duration={duration}")]).warnings;
    assert_eq!(warned("0.1"), Vec::<String>::new());
    assert!(warned("0.11")[0].contains("the run ends at 0.1000 s"), "{:?}", warned("0.11"));
}

/// Writes a mesh next to a scene and builds the scene.
fn build_mesh(obj: &str, more: &str) -> Result<taffeta_scene::BuiltScene, SceneError> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("meshes")).unwrap();
    fs::write(folder.path().join("meshes/cloth.obj"), obj).unwrap();
    let text = format!("[simulation]\nduration = 1\n[[cloth]]\nmesh = \"meshes/cloth.obj\"\n{more}");
    let path = folder.path().join("scene.toml");
    fs::write(&path, text).unwrap();
    Scene::from_file(&path, &[])?.assemble()
}

fn build_error(obj: &str, more: &str) -> String {
    let error = build_mesh(obj, more).expect_err(more);
    assert_eq!(error.problems().len(), 1, "{error}");
    error.to_string()
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
const SQUARE_VT: &str = "vt 0 0\nvt 100 0\nvt 100 100\nvt 0 100\nf 1/1 2/2 3/3 4/4\n";

#[test]
fn meshes_are_read_relative_to_the_scene_and_scaled() {
    let built = build_mesh(&format!("{SQUARE}{SQUARE_VT}"), "uv_scale = 0.01\n").unwrap();
    let mesh = &built.world.cloths[0].mesh;
    assert_eq!(mesh.faces.len(), 2);
    assert_eq!(mesh.material.as_ref().unwrap()[0].iter().fold(DVec2::ZERO, |m, u| m.max(*u)), DVec2::ONE);
    assert!(build_mesh(&format!("{SQUARE}f 1 2 3 4"), "").unwrap().world.cloths[0].mesh.material.is_none());
}

#[test]
fn vertex_numbers_are_those_of_the_file() {
    let obj = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 0 1 0\nf 5 2 3\n";
    let built = build_mesh(obj, "[[cloth.pin]]\nwhere = { vertices = [4, 1] }\n").unwrap();
    assert_eq!(built.world.cloths[0].pins[0].region, Region::Vertices(vec![2, 0]));
    assert!(built.warnings[0].contains("2 vertices that belong to no face"), "{:?}", built.warnings);
    let report = build_error(obj, "[[cloth.pin]]\nwhere = { vertices = [3] }\n");
    assert!(report.contains("vertex 3 belongs to no face"), "{report}");
}

#[test]
fn the_hash_follows_the_contents_of_meshes_and_not_their_folder() {
    let hash = |obj: &str| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.obj"), obj).unwrap();
        let text = "[simulation]\nduration = 1\n[[cloth]]\nmesh = \"a.obj\"\n";
        Scene::from_str(text, &folder.path().join("s.toml"), &[]).unwrap().hash().unwrap()
    };
    let square = format!("{SQUARE}{SQUARE_VT}");
    assert_eq!(hash(&square), hash(&square));
    assert_ne!(hash(&square), hash(&format!("{SQUARE}f 1 2 3 4")));
}

#[test]
fn meshes_that_cannot_be_cloth_are_refused() {
    let report = build_error("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 4\nf 2 1 3\n", "");
    assert!(report.contains("triangles without area in its rest shape: face 1 (line 6)"), "{report}");
    assert!(report.contains("scene.toml:4:8: "), "{report}");
    let report = build_error(&format!("{SQUARE}vt 0 0\nvt 1 1\nvt 2 2\nf 1/1 2/2 3/3\n"), "");
    assert!(report.contains("triangles without area in material space: face 0 (line 8)"), "{report}");
    let report = build_error(&format!("{SQUARE}f 1 2 3\nf 1 2 4\n"), "");
    assert!(report.contains("face 0 (line 5) and face 1 (line 6) run along one edge"), "{report}");
    let report = build_error(&format!("{SQUARE}f 1 2 1\n"), "");
    assert!(report.contains("repeated corner: face 0 (line 5)"), "{report}");
    let report = build_error("v 0 0 0\nv 1e308 0 0\nv 0 1e308 0\nf 1 2 3\n", "place = { scale = 10 }\n");
    assert!(report.contains("not finite after placing"), "{report}");
    let report = build_error("v 0 0 0\nv 1 0 oops\n", "");
    assert!(
        report.contains("cloth.obj:2: \"oops\" is not a number") && report.contains("v 1 0 oops"),
        "{report}"
    );
}

#[test]
fn cloth_without_material_coordinates_has_no_probes_material_boxes_or_rest_curvature() {
    let plain = format!("{SQUARE}f 1 2 3 4\n");
    let report = build_error(&plain, "[[probe]]\nname = \"p\"\ncloth = \"sheet\"\nmaterial = [0, 0]\n");
    assert!(report.contains("the probe \"p\" needs material coordinates"), "{report}");
    let report = build_error(&plain, "[[cloth.pin]]\nwhere = { material_box = [[0, 0], [1, 1]] }\n");
    assert!(report.contains("material_box needs material coordinates"), "{report}");
    let report = build_error(&plain, "rest_curvature = [0, 1, 0]\n");
    assert!(
        report.contains("scene.toml:5:18: ") && report.contains("cannot have a rest curvature"),
        "{report}"
    );
    assert!(build_mesh(&plain, "rest_curvature = [0, 0, 0]\n").is_ok());
    assert!(build_mesh(&plain, "[cloth.remesh]\n").is_ok());
}

/// Two triangles that share an edge, each with material coordinates of its own.
const SEAM: &str = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 0.5\nvt 1 0.5\nvt 0 1.5\nf 1/1 2/2 3/3\nf 1/4 3/5 4/6\n";

#[test]
fn seams_can_be_remeshed() {
    let built = build_mesh(&format!("{SQUARE}{SEAM}"), "[cloth.remesh]\n").unwrap();
    let mesh = &built.world.cloths[0].mesh;
    assert_eq!((mesh.panels(), mesh.seam_edge_count()), (vec![0, 1], 1));
    // Of the second triangle, whose material coordinates are another shape, and of nothing else.
    assert!(
        built.warnings.iter().all(|warning| warning.contains("strained by 62 %")),
        "{:?}",
        built.warnings
    );
}

#[test]
fn a_probe_where_panels_overlap_names_one() {
    let mesh = format!("{SQUARE}{SEAM}");
    let probe =
        |extra: &str| format!("[[probe]]\nname = \"p\"\ncloth = \"sheet\"\nmaterial = [0.7, 0.6]\n{extra}");
    let report = build_error(&mesh, &probe(""));
    assert!(report.contains("is on several panels of the cloth \"sheet\": 0, 1"), "{report}");
    assert!(report.contains("`panel = 0`") && report.contains("scene.toml:8:12: "), "{report}");
    for panel in [0, 1] {
        let built = build_mesh(&mesh, &probe(&format!("panel = {panel}\n"))).unwrap();
        assert_eq!((built.probes[0].point.panel, built.probes[0].face), (Some(panel), panel));
        // It is a point of that panel in the world as well.
        let world = World::build(&built.world).unwrap();
        let found = queries::material_point(&world, 0, built.probes[0].point).unwrap().position;
        let corners = built.world.cloths[0].mesh.faces[panel as usize];
        let x = |k: usize| built.world.cloths[0].mesh.positions[corners[k] as usize];
        let expected = (0..3).map(|k| x(k) * built.probes[0].weights[k]).sum::<glam::DVec3>();
        assert!(found.distance(expected) < 1e-12, "{found} {expected}");
    }
    let report = build_error(&mesh, &probe("panel = 2\n"));
    assert!(report.contains("on panel 2, but the cloth \"sheet\" has panels 0 to 1"), "{report}");
    // Off the one panel, on the other: no question.
    let built = build_mesh(&mesh, &probe("").replace("0.7, 0.6", "0.9, 0.1")).unwrap();
    assert_eq!(built.probes[0].point.panel, Some(0));
}

#[test]
fn a_box_of_a_pin_may_name_its_panel() {
    let mesh = format!("{SQUARE}{SEAM}");
    let pin = |extra: &str| {
        format!("[[cloth.pin]]\nwhere = {{ material_box = [[0.0, 0.0], [1.0, 1.5]]{extra} }}\n")
    };
    let held = |built: &taffeta_scene::BuiltScene| {
        let world = World::build(&built.world).unwrap();
        world.motion().vertex_pins.iter().filter(|pin| pin.is_some()).count()
    };
    let both = build_mesh(&mesh, &pin("")).unwrap();
    let warning = |text: &&String| text.contains("holds vertices of several panels");
    let found = both.warnings.iter().find(warning).expect("it holds both");
    assert!(found.contains("overlap: 0, 1; `panel = 0` beside `material_box`"), "{found}");
    for panel in [0, 1] {
        let one = build_mesh(&mesh, &pin(&format!(", panel = {panel}"))).unwrap();
        assert!(!one.warnings.iter().any(|text| warning(&text)), "{:?}", one.warnings);
        assert!((1..held(&both)).contains(&held(&one)), "{} of {}", held(&one), held(&both));
    }
    let report = build_error(&mesh, &pin(", panel = 2"));
    assert!(report.contains("there is no panel 2, but panels 0 to 1"), "{report}");
    let report = build_error(&mesh, "[[cloth.pin]]\nwhere = { boundary = true, panel = 0 }\n");
    assert!(report.contains("is given without `material_box`"), "{report}");
}

#[test]
fn a_panel_mirrored_against_its_neighbor_is_reflected_and_a_folded_one_is_refused() {
    // The second triangle as on paper seen from the back: u counts from the right.
    let mirrored = "vt 0 0\nvt 1 0\nvt 1 1\nvt 5 0\nvt 4 1\nvt 5 1\nf 1/1 2/2 3/3\nf 1/4 3/5 4/6\n";
    let built = build_mesh(&format!("{SQUARE}{mirrored}"), "[cloth.remesh]\n").unwrap();
    let material = built.world.cloths[0].mesh.material.clone().unwrap();
    assert_eq!(material[1].map(|u| u.to_array()), [[4.0, 0.0], [5.0, 1.0], [4.0, 1.0]]);
    assert_eq!(
        built.warnings,
        [
            "panel 1 of the cloth \"sheet\" is mirrored (clockwise) in material space: u was reflected within the extent of \
             the panel; the faces stay as they are"
        ]
    );
    // Four faces around a point; in the chart that point lies outside, so that one face is turned over.
    let around = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 0\n";
    let coords = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 -0.5\n";
    let fan = "f 1/1 2/2 5/5\nf 2/2 3/3 5/5\nf 3/3 4/4 5/5\nf 4/4 1/1 5/5\n";
    let report = build_error(&format!("{around}{coords}{fan}"), "");
    assert!(
        report.contains("panel 0 is folded over in material space: face 0 (line 11) is mirrored"),
        "{report}"
    );
    assert!(report.contains("but face 1 (line 12) is not"), "{report}");
}

#[test]
fn mirrored_pieces_keep_their_faces() {
    // Two separate triangles; the second is mirrored.
    let pieces = format!("{SQUARE}v 2 0 0\nv 2 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\nf 4/1 5/3 6/2\n");
    let built = build_mesh(&pieces, "[cloth.remesh]\n").unwrap();
    let mesh = &built.world.cloths[0].mesh;
    assert_eq!(mesh.faces, [[0, 1, 2], [3, 4, 5]]);
    let corners = mesh.material.as_ref().unwrap()[1].map(|u| u.to_array());
    assert_eq!(corners, [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]);
    // The second triangle is larger than its material coordinates, of which there is a warning too.
    assert!(built.warnings[0].contains("panel 1 of the cloth \"sheet\" is mirrored (clockwise)"));
    let mixed = format!("{SQUARE}vt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/2\n");
    let report = build_error(&mixed, "");
    assert!(report.contains("face 1 (line 9) is mirrored"), "{report}");
    assert!(report.contains("move those of one half aside"), "{report}");
    assert!(report.contains("but face 0 (line 8) is not"), "{report}");
}

#[test]
fn a_mesh_cut_at_every_face_is_recognized_and_welded() {
    // A square of two triangles, which share no vertex; the corners along the diagonal are 1 µm apart at most.
    let cut = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 4/1 5/3 6/4\n";
    let report = build_error(cut, "");
    assert!(report.contains("cut at every face") && report.contains("`weld = 1e-5`"), "{report}");
    let built = build_mesh(&cut.replacen("v 1 1 0\n", "v 1 1.000001 0\n", 1), "weld = 1e-5\n").unwrap();
    let mesh = &built.world.cloths[0].mesh;
    assert_eq!(mesh.faces, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.panels(), [0, 0]);
    assert_eq!(built.world.cloths[0].vertex_names, Some(vec![0, 1, 2, 5]));
    assert!(built.notes[0].contains("2 vertices were welded"), "{:?}", built.notes);
    let report = build_error(cut, "weld = 1.0\n");
    assert!(
        report.contains("corners of face 0 (line 11) are within 1 m") && report.contains("weld"),
        "{report}"
    );
    // Farther apart they stay; a mesh with shared vertices is not asked about.
    let apart = build_mesh(
        &cut.replacen("v 0 0 0\nv 1 1 0", "v 0 0 1\nv 1 1 1", 1).replacen("v 0 1 0", "v 0 1 1", 1),
        "",
    );
    assert_eq!(apart.unwrap().world.cloths[0].mesh.positions.len(), 6);
}

#[test]
fn a_closed_mesh_has_no_boundary_to_pin() {
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    let report = build_error(tetrahedron, "[[cloth.pin]]\nwhere = { boundary = true }\n");
    assert!(report.contains("the mesh is closed"), "{report}");
}

/// In the second tier at every place, otherwise at every tenth.
#[test]
fn mangled_scenes_are_refused_and_never_panic() {
    let json = format!("{:#}", read(RICH).to_json());
    for (text, path) in [(RICH, "a.toml"), (json.as_str(), "a.json")] {
        let stride = taffeta_fixtures::tier(10, 1);
        for at in (0..text.len()).step_by(stride).filter(|at| text.is_char_boundary(*at)) {
            let end = (at + 1..=text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
            let without = format!("{}{}", &text[..at], &text[end..]);
            let changes =
                ["[", "-", "\"", "é", "9", "{"].map(|c| format!("{}{c}{}", &text[..at], &text[end..]));
            for mangled in changes.iter().chain([&without, &text[..at].to_owned()]) {
                if let Err(error) = Scene::from_str(mangled, Path::new(path), &[]) {
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
}

#[test]
fn scenes_that_nest_deeply_are_refused() {
    for (open, close) in [("[", "]"), ("{a=", "}")] {
        let deep = format!("a = {}1{}", open.repeat(100_000), close.repeat(100_000));
        assert!(Scene::from_str(&deep, Path::new("a.toml"), &[]).is_err());
    }
    let key = vec!["a"; 100_000].join(".");
    for deep in
        [format!("{key} = 1"), format!("[{key}]"), format!("[[{key}]]"), format!("x = {{ {key} = 1 }}")]
    {
        let report = Scene::from_str(&deep, Path::new("a.toml"), &[]).unwrap_err().to_string();
        assert!(report.contains("a.toml:1"), "{}", &report[..100]);
    }
    let report = Override::parse(&format!("{key}=1")).unwrap_err().to_string();
    assert!(report.contains("100000 keys"), "{}", &report[report.len() - 200..]);
}

#[test]
fn springs_along_edges_and_their_limit_arrive_in_the_world() {
    let springs = ["simulation.solver=xpbd", "cloth.0.constraint=distance"];
    let scene = read_with(SMALL, &[&springs[..], &["cloth.0.break_force=2.5"]].concat());
    let cloth = &scene.build().unwrap().cloths[0];
    assert_eq!((cloth.membrane, cloth.break_force), (MembraneModel::Distance, Some(2.5)));
    assert_ne!(scene.hash().unwrap(), read_with(SMALL, &springs).hash().unwrap());
    // What the scene is written down as reads back to the same scene.
    let again = Scene::from_str(&scene.to_json().to_string(), Path::new("scene.json"), &[]).unwrap();
    assert_eq!(again.hash().unwrap(), scene.hash().unwrap());
    // To PBD both names mean the same.
    let pbd = |constraint: &str| {
        let constraint = format!("cloth.0.constraint={constraint}");
        read_with(SMALL, &["simulation.solver=pbd", &constraint]).hash().unwrap()
    };
    assert_eq!(pbd("distance"), pbd("edges"));
}

#[test]
fn pressure_on_cloth_without_a_material_is_warned_of() {
    let scene = read_with(SMALL, &["simulation.solver=pbd", "cloth.0.pressure=5"]);
    let [warning] = scene.warnings.as_slice() else { panic!("{:?}", scene.warnings) };
    assert!(warning.contains("pressure") && warning.contains("xpbd"), "{warning}");
    for change in ["simulation.solver=xpbd", "cloth.0.pressure=0"] {
        let changes = ["simulation.solver=pbd", "cloth.0.pressure=5", change];
        assert_eq!(read_with(SMALL, &changes).warnings, Vec::<String>::new(), "{change}");
    }
}

#[test]
fn meshes_that_do_not_fit_are_refused_with_a_size_that_does() {
    let shape = |shape: &str| SMALL.replace("grid = { size = [1, 1], cells = [4, 4] }", shape);
    let refusal = |text: &str, memory: u64| match read(text).assemble_within(Some(memory)).unwrap_err() {
        SceneError::Invalid { problems, .. } => problems.into_iter().next().unwrap(),
        other => panic!("{other}"),
    };
    let grid = shape("grid = { size = [1, 1], cells = [4000, 1000] }");
    let problem = refusal(&grid, 200_000_000);
    assert_eq!(problem.key, "cloth.0.grid.cells");
    assert!(problem.message.contains("8000000 faces") && problem.message.contains("0.2 GB are available"));
    // What the help names is taken, and not much more.
    let help = problem.help.unwrap();
    let named = help.split("cells = ").nth(1).unwrap();
    let fits = |cells: &str| {
        let text = grid.replace("[4000, 1000]", cells);
        read(&text).assemble_within(Some(200_000_000)).is_ok()
    };
    assert!(fits(named), "{help}");
    let [u, v]: [f64; 2] = serde_json::from_str(named).unwrap();
    assert!(!fits(&format!("[{}, {}]", (1.1 * u) as u32, (1.1 * v) as u32)), "{help}");
    let ball = refusal(&shape("ball = { radius = 0.1, level = 8 }"), 100_000_000);
    assert_eq!(ball.key, "cloth.0.ball.level");
    assert!(ball.message.contains("1310720 faces"), "{}", ball.message);
    // Cloths are counted together.
    let two = SMALL.to_owned() + "[[cloth]]\ngrid = { size = [1, 1], cells = [200, 200] }\nname = \"b\"\n";
    assert_eq!(refusal(&two, 60_000_000).key, "cloth.1.grid.cells");
    assert!(read(&two).assemble_within(Some(1_000_000_000)).is_ok());
    assert!(read(&two).assemble_within(None).is_ok());
}

#[test]
fn outputs_name_vertices_by_their_numbers_in_the_file() {
    // The first vertex and one in between belong to no face.
    let text = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 1 1 0\nv 0 1 0\nf 6 2 3\nf 6 3 5\n";
    let built = build_mesh(text, "[[cloth.pin]]\nwhere = { vertices = [4] }\n").unwrap();
    let world = World::build(&built.world).unwrap();
    let frame = cloth_frame(&world, 0);
    assert_eq!(frame.vertex_names.unwrap(), [1, 2, 4, 5].map(Some));
    assert_eq!(frame.mesh.positions[2], DVec3::new(1.0, 1.0, 0.0));
    assert_eq!(frame.mesh.faces, [[3, 0, 1], [3, 1, 2]]);
    let pin = world.pin_ids().next().unwrap();
    assert_eq!(queries::pin_vertices(&world, pin), [world.cloth(world.cloth_ids()[0]).vertex(2)]);
}
