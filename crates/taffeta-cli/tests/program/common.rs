//! Running the program in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A sheet of 8 × 8 cells that falls onto a ball, six frames.
pub(crate) const SCENE: &str = r#"[simulation]
duration = 0.1
frame_rate = 60.0

[[cloth]]
name = "sheet"
grid = { size = [1.0, 1.0], cells = [8, 8] }
material = "cotton"
place = { translate = [-0.5, 0.22, 0.5], rotate_deg = [-90, 0, 0] }

[[cloth.pin]]
where = { box = [[-0.51, 0.0, -0.51], [0.51, 0.5, -0.49]] }

[[obstacle]]
shape = { sphere = { radius = 0.2 } }

[[probe]]
name = "center"
cloth = "sheet"
material = [0.5, 0.5]
"#;

/// Setting that makes the mesh of [`SCENE`] adapt.
pub(crate) const REMESH: &str = "cloth.0.remesh={ size_min = 0.04, size_max = 0.3 }";

/// A folder with a scene, removed at the end.
pub(crate) struct Desk {
    folder: TempDir,
}

impl Desk {
    /// With `scene.toml`.
    pub(crate) fn new() -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        desk.write("scene.toml", SCENE);
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The program with arguments, in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taffeta"));
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    /// Runs the program.
    pub(crate) fn call(&self, arguments: &[&str]) -> Reply {
        Reply::of(&self.command(arguments).output().unwrap())
    }

    /// Runs the program and expects success.
    #[track_caller]
    pub(crate) fn done(&self, arguments: &[&str]) -> Reply {
        let reply = self.call(arguments);
        assert_eq!(reply.status, 0, "{arguments:?}: {}", reply.err);
        reply
    }

    /// Runs the program and expects a refusal with status 2 that contains all `parts` and writes nothing.
    #[track_caller]
    pub(crate) fn refused(&self, arguments: &[&str], parts: &[&str]) {
        let before = self.list("");
        let reply = self.call(arguments);
        assert_eq!(reply.status, 2, "{arguments:?}: {}{}", reply.out, reply.err);
        for part in parts {
            assert!(reply.err.contains(part), "{part:?} is not in:\n{}", reply.err);
        }
        assert_eq!(self.list(""), before, "files were written");
    }

    /// All files and folders below a folder, with paths relative to it.
    pub(crate) fn list(&self, folder: &str) -> Vec<String> {
        fn collect(root: &Path, at: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(at).unwrap() {
                let path = entry.unwrap().path();
                found.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
                if path.is_dir() {
                    collect(root, &path, found);
                }
            }
        }
        let root = self.path(folder);
        let mut found = Vec::new();
        collect(&root, &root, &mut found);
        found.sort();
        found
    }

    /// The frames of a result folder by name, with their contents.
    pub(crate) fn frames(&self, folder: &str) -> Vec<(String, String)> {
        let names = self.list(&format!("{folder}/frames")).into_iter();
        names.map(|name| (name.clone(), self.read(&format!("{folder}/frames/{name}")))).collect()
    }

    /// The summary of a run, which has exactly the fields that are documented.
    #[track_caller]
    pub(crate) fn summary(&self, folder: &str) -> serde_json::Value {
        let summary = serde_json::from_str(&self.read(&format!("{folder}/summary.json"))).unwrap();
        let files = taffeta_cli::schema::output_files();
        let file = files.iter().find(|file| file.name() == "summary.json").unwrap();
        jsonschema::validate(file.schema(), &summary).unwrap_or_else(|error| panic!("{error}: {summary:#}"));
        summary
    }

    /// The columns of a table in a folder, and those that are documented for a table of this name.
    pub(crate) fn columns(&self, folder: &str, name: &str) -> (Vec<String>, Vec<String>) {
        let text = self.read(&format!("{folder}/{name}"));
        let written = text.lines().next().unwrap().split(',').map(str::to_owned).collect();
        let files = taffeta_cli::schema::output_files();
        let file = files.iter().find(|file| file.name() == name).unwrap();
        (written, file.columns().unwrap().to_vec())
    }

    /// The rows of `metrics.csv` without the columns of times, which differ from run to run.
    pub(crate) fn timeless_metrics(&self, folder: &str) -> Vec<Vec<String>> {
        let text = self.read(&format!("{folder}/metrics.csv"));
        let columns: Vec<bool> =
            text.lines().next().unwrap().split(',').map(|name| !name.ends_with("_ms")).collect();
        let row = |line: &str| {
            let fields = line.split(',').zip(&columns).filter(|(_, kept)| **kept);
            fields.map(|(field, _)| field.to_owned()).collect()
        };
        text.lines().map(row).collect()
    }

    /// Expects two result folders with the same bits.
    #[track_caller]
    pub(crate) fn expect_same_results(&self, a: &str, b: &str) {
        assert_eq!(self.list(&format!("{a}/frames")), self.list(&format!("{b}/frames")));
        assert!(self.frames(a) == self.frames(b), "frames differ");
        assert_eq!(self.timeless_metrics(a), self.timeless_metrics(b));
        assert_eq!(self.read(&format!("{a}/probes.csv")), self.read(&format!("{b}/probes.csv")));
        assert_eq!(self.summary(a)["final_state_hash"], self.summary(b)["final_state_hash"]);
    }
}

/// Answer of the program.
pub(crate) struct Reply {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Reply {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            status: output.status.code().expect("the program ended by itself"),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }
}
