//! Solids and volumes of closed cloths: shape, material, pins, probes, and what of the simulation they do not go with.

use super::{expect_in, read};

/// A valid scene. Bad ones replace one of its lines.
const GOOD: &str = r#"[simulation]
duration = 4.0
solver = "auto"
mode = "dynamic"
time = "auto"

[[solid]]
name = "block"
box = { size = [0.2, 0.1, 0.1], cells = [4, 2, 2] }
material = { density = 1000.0, young = 1e5, poisson = 0.3, damping = 0.01 }
volume_stiffness = 1e4
place = { translate = [0, 1, 0] }

[[solid.pin]]
where = { box = [[-0.01, 0.9, -1], [0.01, 1.2, 1]] }

[[cloth]]
name = "balloon"
ball = { radius = [0.2, 0.1, 0.2], level = 2 }
volume = { ratio = 1.5, inflation = 0.5, bulk = 1e4 }

[[probe]]
name = "tip"
solid = "block"
point = [0.2, 0.05, 0.05]
"#;

fn expect(old: &str, new: &str, at: &str, parts: &[&str]) {
    expect_in(GOOD, (old, new), at, parts);
}

#[test]
fn a_scene_of_a_solid_and_a_balloon_is_good_and_reads_back() {
    let scene = read(GOOD).unwrap();
    let world = scene.build().unwrap();
    assert_eq!((world.solids[0].positions.len(), world.solids[0].tetrahedra.len()), (45, 80));
    assert_eq!(world.solids[0].material.volume_stiffness, 1e4);
    let built = scene.assemble().unwrap();
    assert_eq!(built.solid_probes[0].point.to_array(), [0.2, 1.05, 0.05]);
    assert_eq!(world.cloths[0].volume.unwrap().ratio, 1.5);
    let again =
        taffeta_scene::Scene::from_str(&scene.to_json().to_string(), std::path::Path::new("scene.json"), &[]);
    assert_eq!(again.unwrap().to_json(), scene.to_json());
}

#[test]
fn impossible_shapes_are_refused() {
    let cells = "box = { size = [0.2, 0.1, 0.1], cells = [0, 2, 2] }";
    expect("box", cells, "0, 2, 2", &["`solid.0.box.cells.0` is 0", "from 1"]);
    let flat = "box = { size = [0.2, 0.0, 0.1], cells = [4, 2, 2] }";
    expect("box", flat, "0.0", &["`solid.0.box.size.1` is 0", "greater than 0"]);
    let thin = "box = { size = [0.2, 1e-12, 0.1], cells = [4, 2, 2] }";
    expect("box", thin, "{ size", &["tetrahedron 0 is flat"]);
    let many = "box = { size = [0.2, 0.1, 0.1], cells = [4000, 4000, 2] }";
    expect("box", many, "[4000", &["32000000 cells", "at most"]);
    expect("box", "", "[[solid]]", &["`solid.0` must have exactly one of box, mesh, but has none"]);
    expect(
        "box",
        "boxes = {}\nbox = { size = [0.2, 0.1, 0.1], cells = [4, 2, 2] }",
        "boxes",
        &["unknown key"],
    );
    expect("volume_stiffness", "remesh = {}", "{}", &["`solid.0.remesh` is not supported"]);
}

/// Two tetrahedra on a face, in the file after a node that nothing uses; the second one is numbered the other way round.
const TETRAHEDRA: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n9 7 7 7\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n\
    5 1 1 1\n$EndNodes\n$Elements\n3\n1 2 2 0 1 1 2 3\n2 4 2 0 1 1 2 3 4\n3 4 2 0 1 2 3 4 5\n$EndElements\n";

/// The good scene with a solid from a file of this name, without its probe, and the folder of the file.
fn with_file(name: &str, content: &str) -> (String, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let box_line = GOOD.lines().find(|line| line.starts_with("box")).unwrap();
    let text = GOOD.replace(box_line, &format!("mesh = {path:?}"));
    (text.split("[[probe]]").next().unwrap().to_owned(), folder)
}

#[test]
fn a_solid_from_a_file_keeps_its_numbers_and_its_hash_follows_the_file() {
    let (text, folder) = with_file("two.msh", TETRAHEDRA);
    let text =
        text.replace("where = { box = [[-0.01, 0.9, -1], [0.01, 1.2, 1]] }", "where = { vertices = [1, 5] }");
    let scene = read(&text).unwrap();
    let built = scene.assemble().unwrap();
    let solid = &built.world.solids[0];
    assert_eq!((solid.positions.len(), solid.tetrahedra.as_slice()), (5, &[[0, 1, 2, 3], [1, 2, 3, 4]][..]));
    assert_eq!(solid.positions[0].to_array(), [0.0, 1.0, 0.0], "it is placed");
    assert_eq!(solid.pins[0].region, taffeta_core::Region::Vertices(vec![0, 4]), "numbers of the file");
    assert!(
        built.warnings.iter().any(|text| text.contains("1 nodes belong to no tetrahedron")),
        "{:?}",
        built.warnings
    );
    taffeta_sim::World::build(&built.world).unwrap();
    let again =
        taffeta_scene::Scene::from_str(&scene.to_json().to_string(), std::path::Path::new("scene.json"), &[]);
    assert_eq!(again.unwrap().to_json(), scene.to_json());
    let hash = scene.hash().unwrap();
    std::fs::write(folder.path().join("two.msh"), TETRAHEDRA.replace("5 1 1 1", "5 1 1 2")).unwrap();
    assert_ne!(scene.hash().unwrap(), hash);
    std::fs::write(folder.path().join("two.msh"), TETRAHEDRA.replace("2 3 4 5", "3 2 4 5")).unwrap();
    let built = scene.assemble().unwrap();
    assert!(built.warnings.iter().any(|text| text.contains("1 of 2 tetrahedra")), "{:?}", built.warnings);
}

#[test]
fn files_that_make_no_solid_are_refused_with_file_and_element() {
    let refused = |name: &str, content: &str, parts: &[&str]| {
        let (text, _folder) = with_file(name, content);
        let error = read(&text).and_then(|scene| scene.build().map(drop)).expect_err(name);
        let report = error.to_string();
        let problem = super::only_problem(error);
        assert!(problem.location.is_some_and(|place| place.text.starts_with("mesh")), "{report}");
        parts.iter().for_each(|part| assert!(report.contains(part), "{part:?} missing in:\n{report}"));
    };
    refused("two.obj", "v 0 0 0\n", &["must be a Gmsh file", "meshio convert"]);
    refused("two.msh", "v 0 0 0\n", &["two.msh", "no Gmsh file"]);
    refused("two.msh", &TETRAHEDRA.replace("3 4 2 0 1 2 3 4 5\n", ""), &["two.msh", "part of it is missing"]);
    refused(
        "two.msh",
        &TETRAHEDRA.replace("4 0 0 1", "4 1 1 0"),
        &["two.msh:16", "the tetrahedron 2 is flat"],
    );
    refused(
        "two.msh",
        &TETRAHEDRA.replace("2 3 4 5", "2 3 4 8"),
        &["two.msh:17", "tetrahedron 3 has the node 8"],
    );
    let twice = TETRAHEDRA.replace("2 3 4 5", "1 2 3 4");
    refused(
        "two.msh",
        &twice,
        &["the tetrahedron 2 (", "two.msh:16) and", "two.msh:17) lie on the same side"],
    );
    // Two more nodes, and the second tetrahedron has one of those of the first only.
    let pair =
        TETRAHEDRA.replace("$Nodes\n6\n", "$Nodes\n8\n").replace("5 1 1 1\n", "5 1 1 1\n6 2 1 1\n7 1 2 2\n");
    refused(
        "two.msh",
        &pair.replace("2 3 4 5", "4 5 6 7"),
        &[
            "meets itself in the vertex 3",
            "the tetrahedron 2 (",
            "two.msh:18) and",
            "two.msh:19) share there",
        ],
    );
    let brick = TETRAHEDRA.replace("3 4 2 0", "3 5 2 0");
    refused("two.msh", &brick, &["two.msh:17", "element 3 is a hexahedron"]);
    let (text, folder) = with_file("two.msh", TETRAHEDRA);
    std::fs::remove_file(folder.path().join("two.msh")).unwrap();
    let report = read(&text).unwrap().build().unwrap_err().to_string();
    assert!(report.contains("cannot read the mesh") && report.contains("two.msh"), "{report}");
    let both = "box = { size = [0.2, 0.1, 0.1], cells = [4, 2, 2] }\nmesh = \"two.msh\"";
    expect("box", both, "[[solid]]", &["exactly one of box, mesh, but has both"]);
    let empty = GOOD.replace("box = { size = [0.2, 0.1, 0.1], cells = [4, 2, 2] }", "mesh = \"\"");
    assert!(read(&empty).unwrap_err().to_string().contains("must be a Gmsh file"));
}

#[test]
fn vertices_that_a_file_does_not_have_are_refused() {
    let (text, _folder) = with_file("two.msh", TETRAHEDRA);
    for vertex in [0, 6] {
        let region = format!("where = {{ vertices = [{vertex}] }}");
        let text = text.replace("where = { box = [[-0.01, 0.9, -1], [0.01, 1.2, 1]] }", &region);
        let report = read(&text).unwrap().build().unwrap_err().to_string();
        assert!(report.contains(&format!("no vertex {vertex} (from 0)")), "{report}");
    }
}

#[test]
fn impossible_materials_are_refused() {
    let material = |text: &str| format!("material = {{ {text} }}");
    let cases = [
        ("density = 0.0, young = 1e5, poisson = 0.3", "0.0", "`solid.0.material.density` is 0"),
        ("density = 1.0, young = -1e5, poisson = 0.3", "-1e5", "greater than 0"),
        ("density = 1.0, young = 1e5, poisson = 0.5", "0.5", "less than 0.5"),
        ("density = 1.0, young = 1e5, poisson = 0.3, damping = -1", "-1", "at least 0"),
        ("density = 1.0, young = 1e5, poisson = 0.3, bend = 1", "bend", "unknown key"),
    ];
    for (text, at, part) in cases {
        expect("material", &material(text), at, &[part]);
    }
    expect(
        "material",
        &material("density = 1.0, young = 1e5"),
        "{",
        &["`poisson` is missing in `solid.0.material`"],
    );
}

#[test]
fn pins_and_probes_must_find_something() {
    let nowhere = "where = { box = [[5, 5, 5], [6, 6, 6]] }";
    expect("where", nowhere, "{ box", &["pin 0: it selects no vertex"]);
    expect("where", "where = { vertices = [99] }", "{ vertices", &["vertex 99 is out of range"]);
    let clamped = "where = { boundary = true }\nclamp = true";
    expect("where", clamped, "clamp", &["unknown key"]);
    expect("solid = ", "solid = \"blok\"", "\"blok\"", &["unknown solid \"blok\"", "\"block\""]);
    expect("point", "", "[[probe]]", &["`point` is missing in `probe.0`"]);
    expect(
        "point",
        "point = [0, 0, 0]\ncloth = \"balloon\"",
        "\"balloon\"",
        &["does not go with a probe on a solid"],
    );
}

#[test]
fn volumes_belong_to_closed_cloths_of_fixed_topology() {
    let grid = "grid = { size = [1, 1], cells = [2, 2] }";
    expect("ball", grid, "volume", &["the cloth \"balloon\" can keep no volume", "it is open"]);
    let ratio = "volume = { ratio = 0.0 }";
    expect("volume = ", ratio, "0.0", &["`cloth.0.volume.ratio` is 0", "greater than 0"]);
    expect("volume = ", "volume = { rate = 1.0 }", "rate", &["unknown key", "ratio, inflation"]);
    expect("ball", "ball = { level = 2 }", "{ level", &["`radius` is missing in `cloth.0.ball`"]);
    expect("ball", "ball = { radius = 0.2, level = 40 }", "40", &["`cloth.0.ball.level` is 40"]);
}

#[test]
fn only_some_solvers_know_solids_and_volumes() {
    expect("solver", "solver = \"pbd\"", "\"pbd\"", &["does not know solids", "any other than"]);
    for solver in ["global", "direct", "pbd"] {
        let text = format!("solver = \"{solver}\"");
        let (solid, cloth) = (GOOD.find("[[solid]]").unwrap(), GOOD.find("[[cloth]]").unwrap());
        let balloon = format!("{}{}", &GOOD[..solid], &GOOD[cloth..GOOD.find("[[probe]]").unwrap()]);
        expect_in(
            &balloon,
            ("solver", &text),
            "\"",
            &["does not know volumes of closed cloths", "`pressure`"],
        );
    }
    expect("time", "time = \"tr_bdf2\"", "\"tr_bdf2\"", &["implicit Euler"]);
    expect("mode", "mode = \"static\"", "\"static\"", &["follow motions only"]);
    let text = GOOD.replace("[[solid]]", "[[ropes]]");
    assert!(read(&text).is_err());
}

#[test]
fn projective_dynamics_warns_of_what_it_leaves_out_of_a_solid() {
    let scene = read(&GOOD.replace("\"auto\"\nmode", "\"projective\"\nmode")).unwrap();
    let warned =
        |scene: &taffeta_scene::Scene, part: &str| scene.warnings.iter().any(|text| text.contains(part));
    assert!(warned(&scene, "`solid.0.material.damping`"), "{:?}", scene.warnings);
    assert!(!warned(&scene, "negative ratio"));
    scene.build().unwrap();
    let auxetic =
        GOOD.replace("\"auto\"\nmode", "\"projective\"\nmode").replace("poisson = 0.3", "poisson = -0.2");
    assert!(warned(&read(&auxetic).unwrap(), "knows no negative ratio and takes 0"));
    assert!(!warned(&read(GOOD).unwrap(), "leaves it out"), "the other solvers know damping");
}
