//! Crates depend on each other only in the directions that the architecture allows, and files of a crate not in circles.

mod circles;
mod figures;

use cargo_metadata::{DependencyKind, MetadataCommand};
use circles::Imports;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use taffeta_sim::columns::{COLUMNS, Column, Source};

/// Crates that each crate may depend on within the workspace, beside `taffeta-core`.
const ALLOWED: &[(&str, &[&str])] = &[
    ("taffeta-core", &[]),
    ("taffeta-mesh", &[]),
    ("taffeta-remesh", &["taffeta-mesh"]),
    ("taffeta-factor", &[]),
    ("taffeta-fixtures", &[]),
    ("xtask", &[]),
    ("taffeta-solve", &["taffeta-factor"]),
    ("taffeta-contact", &[]),
    ("taffeta-io", &[]),
    ("taffeta-sim", &["taffeta-mesh", "taffeta-remesh", "taffeta-solve", "taffeta-contact"]),
    (
        "taffeta-scene",
        &["taffeta-sim", "taffeta-mesh", "taffeta-remesh", "taffeta-solve", "taffeta-contact", "taffeta-io"],
    ),
    ("taffeta-render", &["taffeta-contact"]),
    (
        "taffeta-study",
        &["taffeta-scene", "taffeta-io", "taffeta-sim", "taffeta-remesh", "taffeta-solve", "taffeta-contact"],
    ),
    (
        "taffeta-view",
        &[
            "taffeta-render",
            "taffeta-scene",
            "taffeta-io",
            "taffeta-sim",
            "taffeta-remesh",
            "taffeta-contact",
        ],
    ),
    (
        "taffeta-cli",
        &[
            "taffeta-render",
            "taffeta-view",
            "taffeta-study",
            "taffeta-scene",
            "taffeta-sim",
            "taffeta-remesh",
            "taffeta-mesh",
            "taffeta-contact",
            "taffeta-io",
        ],
    ),
    (
        "taffeta-python",
        &[
            "taffeta-cli",
            "taffeta-study",
            "taffeta-scene",
            "taffeta-render",
            "taffeta-io",
            "taffeta-sim",
            "taffeta-remesh",
            "taffeta-contact",
        ],
    ),
    (
        "taffeta",
        &[
            "taffeta-mesh",
            "taffeta-remesh",
            "taffeta-solve",
            "taffeta-contact",
            "taffeta-sim",
            "taffeta-scene",
            "taffeta-io",
            "taffeta-render",
            "taffeta-study",
        ],
    ),
];

/// The folder of a crate.
fn folder_of(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if name == "taffeta-python" { root.join("python") } else { root.join("crates").join(name) }
}

/// The dependencies of each crate within the workspace, as cargo sees them.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata runs");
    let of = |package: &cargo_metadata::Package| {
        let normal = package.dependencies.iter().filter(|d| d.kind == DependencyKind::Normal);
        normal.map(|d| d.name.clone()).filter(|name| name.starts_with("taffeta")).collect()
    };
    metadata.packages.iter().map(|package| (package.name.to_string(), of(package))).collect()
}

#[test]
fn no_crate_depends_against_the_architecture() {
    let found = dependencies();
    assert_eq!(found.len(), ALLOWED.len(), "every crate is listed: {:?}", found.keys());
    for (name, allowed) in ALLOWED {
        for dependency in &found[*name] {
            let fine = dependency == "taffeta-core" || allowed.contains(&dependency.as_str());
            assert!(fine, "{name} must not depend on {dependency}");
        }
    }
}

#[test]
fn the_forbidden_directions_are_not_allowed_by_the_table() {
    let forbidden = [
        ("taffeta-solve", "taffeta-mesh"),
        ("taffeta-contact", "taffeta-mesh"),
        ("taffeta-remesh", "taffeta-solve"),
        ("taffeta-remesh", "taffeta-contact"),
        ("taffeta-solve", "taffeta-contact"),
        ("taffeta-contact", "taffeta-solve"),
    ];
    for (from, to) in forbidden {
        let allowed = ALLOWED.iter().find(|(name, _)| *name == from).expect("listed").1;
        assert!(!allowed.contains(&to), "{from} → {to}");
    }
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let checked = ALLOWED.iter().map(|(name, _)| name);
    let describe = |name: &&str| {
        let folder = folder_of(name).join("src");
        let circles = Imports::of_folder(&folder).describe_circles();
        circles.into_iter().map(|line| format!("{name}: {line}")).collect::<Vec<_>>()
    };
    let circles: Vec<String> = checked.flat_map(describe).collect();
    assert!(circles.is_empty(), "files import each other in circles:\n{}", circles.join("\n"));
}

/// Crates with rooms: the folder that the rooms are in, and the rooms from the bottom up.
const ROOMS: &[(&str, &[&str], &[&str])] = &[
    (
        "taffeta-sim",
        &[],
        &["model", "derive", "contact", "measure", "features", "step", "adapt", "run", "build", "api"],
    ),
    ("taffeta-core", &[], &["arithmetic", "dense", "sweeps", "places", "contact"]),
    ("taffeta-sim", &["model"], &["description", "report", "setup", "state", "workspace"]),
    ("taffeta-sim", &["derive"], &["elements", "solver", "world"]),
    ("taffeta-sim", &["step"], &["plan", "stages"]),
    (
        "taffeta-remesh",
        &[],
        &["attributes", "metric", "conserve", "input", "sizing", "transfer", "edit", "arrays"],
    ),
    ("taffeta-contact", &[], &["broad", "intersections", "shapes", "ccd", "meshes", "contacts"]),
    ("taffeta-solve", &["drivers", "newton"], &["objective", "linear", "precondition"]),
    ("taffeta-scene", &["scene"], &["settings", "obstacles", "bodies"]),
    ("taffeta-study", &["validate"], &["bench", "elastic", "contacts", "dynamics", "adaptivity"]),
];

#[test]
fn rooms_import_downward() {
    for (name, house, rooms) in ROOMS {
        let folder = folder_of(name).join("src");
        let place = house.iter().fold(folder.clone(), |place, part| place.join(part));
        for room in *rooms {
            assert!(place.join(room).is_dir(), "{name} has a room {room}");
        }
        let climbs = Imports::of_folder(&folder).describe_climbs(house, rooms);
        assert!(climbs.is_empty(), "imports of {name} from a room into one above it:\n{}", climbs.join("\n"));
    }
}

/// A page of the project.
fn read_page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn what_the_table_of_changes_names_is_there() {
    let page = read_page("ARCHITECTURE.md");
    let rows = page.lines().skip_while(|line| !line.starts_with("| to change")).skip(2);
    let rows: Vec<&str> = rows.take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() >= 11, "a row for each thing that people change: {}", rows.len());
    for row in rows {
        let quoted: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        let (files, names): (Vec<&str>, Vec<&str>) = quoted.into_iter().partition(|word| word.contains('/'));
        let texts: String = files.iter().map(|file| read_page(file)).collect();
        assert!(!files.is_empty() && !names.is_empty(), "files and names: {row}");
        for name in names {
            assert!(texts.contains(name), "{name} is in one of {files:?}");
        }
    }
}

/// Things that were added, each by a name that stands in every file it touches. First comes the row of the table of changes for its
/// kind. The crate at the end may use the name elsewhere, as a key is used where it has its effect.
const ADDED: &[(&str, &str, Option<&str>)] = &[
    ("a sizing term", "NormalGradient", None),
    ("a sizing term", "refine_obstacle", None),
    ("an elastic block", "QuadraticBend", None),
    ("a convex obstacle shape", "Capsule", None),
    ("an output format", "UsdaFiles", None),
    ("a scene key", "break_force", Some("taffeta-sim")),
    ("a scene key", "gravity_while_sewing", Some("taffeta-sim")),
    ("a solver that sweeps", "Xpbd", None),
    ("a solver that sweeps", "RowDriver", None),
];

#[test]
fn the_table_of_changes_names_every_file_of_an_addition() {
    let page = read_page("ARCHITECTURE.md");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let texts = texts_below(&crates);
    for (row, name, user) in ADDED {
        let row =
            page.lines().find(|line| line.starts_with(&format!("| {row} |"))).expect("the table has the row");
        let has_name = |text: &str| {
            text.match_indices(name).any(|(at, _)| {
                let is_inside = |sign: Option<char>| sign.is_some_and(|c| c.is_alphanumeric() || c == '_');
                !is_inside(text[..at].chars().next_back())
                    && !is_inside(text[at + name.len()..].chars().next())
            })
        };
        let mut count = 0;
        for (path, _) in texts.iter().filter(|(_, text)| has_name(text)) {
            let place =
                path.strip_prefix(&crates).expect("it is below the crates").to_string_lossy().into_owned();
            let is_counted =
                place.contains("/src/") && !place.contains("test") && !place.ends_with("/lib.rs");
            let is_user = user.is_some_and(|user| place.starts_with(user));
            let is_named = row.contains(&format!("`crates/{place}`"));
            assert!(
                !is_counted || is_user || is_named,
                "`crates/{place}` has {name}, and the row does not name it"
            );
            count += usize::from(is_counted && is_named);
        }
        assert!(count > 0, "{name} is in no file of its row");
    }
}

/// Parts of a world that a signature lets a function change.
const CHANGED: &[(&str, &[&str])] = &[
    ("&mut Setup", &["setup"]),
    ("&mut State", &["state"]),
    ("&mut Derived", &["derived"]),
    ("&mut Workspace", &["workspace"]),
    ("&mut SafeguardReport", &["safeguard"]),
    ("&mut World", &["world"]),
    ("Changing<", &["setup", "state", "workspace"]),
    ("Split<", &["derived", "workspace", "safeguard"]),
];

#[test]
fn the_table_of_stages_follows_from_signatures() {
    let page = read_page("ARCHITECTURE.md");
    let rows = page.lines().skip_while(|line| !line.starts_with("| stage |")).skip(2);
    let rows: Vec<&str> = rows.take_while(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 7, "a row for each stage");
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let file = cells[1].trim_matches('`');
        let text = read_page(&format!("crates/taffeta-sim/src/{file}"));
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let heads = code.split("pub(crate) fn ").skip(1).filter_map(|function| function.split("{\n").next());
        let parts = heads.flat_map(|head| CHANGED.iter().filter(move |(sign, _)| head.contains(sign)));
        let found: BTreeSet<&str> = parts.flat_map(|(_, parts)| parts.iter().copied()).collect();
        let named: BTreeSet<&str> = cells[3].split(", ").collect();
        assert_eq!(named, found, "{file}");
    }
}

#[test]
fn the_page_is_short() {
    let lines = read_page("ARCHITECTURE.md").lines().count();
    assert!(lines <= 150, "{lines} lines");
}

/// Packages, also those of this project, that a program compiles which takes the façade as it is.
const FACADE_PACKAGES: usize = 60;

#[test]
fn the_facade_by_itself_needs_few_packages() {
    let arguments = [
        "tree",
        "--package",
        "taffeta",
        "--edges",
        "normal",
        "--prefix",
        "none",
        "--format",
        "{p}",
        "--locked",
    ];
    let output = Command::new(env!("CARGO")).args(arguments).output().expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let packages: BTreeSet<&str> = text.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    assert!(packages.iter().any(|package| package.starts_with("taffeta-sim ")), "{output:?}");
    assert!(packages.len() <= FACADE_PACKAGES, "{} packages: {packages:#?}", packages.len());
    let heavy = ["faer", "taffeta-scene", "taffeta-render"];
    assert!(!packages.iter().any(|package| heavy.contains(&package.split(' ').next().unwrap_or_default())));
}

/// Every text of Rust below a folder, with its path.
fn texts_below(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder is read").path()).collect();
    paths.sort();
    let read = |path: PathBuf| match path.is_dir() {
        true => texts_below(&path),
        false if path.extension().is_some_and(|ending| ending == "rs") => {
            let text = std::fs::read_to_string(&path).expect("the file is read");
            vec![(path, text)]
        }
        false => Vec::new(),
    };
    paths.into_iter().flat_map(read).collect()
}

#[test]
fn columns_are_listed_once() {
    let folders = ["taffeta-scene", "taffeta-study", "taffeta-view", "taffeta-cli", "taffeta-python"];
    let texts: Vec<_> = folders.iter().flat_map(|name| texts_below(&folder_of(name).join("src"))).collect();
    // The summary of a run has sums of its own.
    let is_table =
        |path: &Path| !["summary", "totals"].iter().any(|word| path.to_string_lossy().contains(word));
    // Those of single words are words of much else, and the program itself sets its own.
    let is_telling =
        |column: &&Column| column.name.contains('_') && !matches!(column.source, Source::Program(_));
    let columns: Vec<&str> = COLUMNS.iter().filter(is_telling).map(|column| column.name).collect();
    assert!(columns.contains(&"gravity_energy") && columns.len() >= 15, "{columns:?}");
    for (path, text) in texts.iter().filter(|(path, _)| is_table(path)) {
        for name in &columns {
            let listed = [format!("\"{name}\""), format!(" {name}: ")];
            assert!(
                !listed.iter().any(|sign| text.contains(sign)),
                "{name} is listed in {} too: take it from `COLUMNS`",
                path.display()
            );
        }
    }
}
