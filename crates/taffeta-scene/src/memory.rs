//! Memory that a world needs, and memory that is available.
//!
//! A mesh of millions of triangles is made by a few characters in a scene. A run of it that does not fit is refused before
//! the mesh is made, by an estimate that is proportional to the number of its faces.

use std::fs;
use std::path::Path;
use taffeta_sim::SolverChoice;

/// Memory of the program without a world \[bytes\]: measured with a sheet of eight faces.
const BASE: f64 = 17e6;

/// Settings of a simulation on which its memory depends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryModel {
    /// The solver that the scene asks for.
    pub solver: SolverChoice,
    /// True if cloths meet themselves and each other, or obstacles made of triangles.
    pub has_proximity: bool,
    /// True if any cloth is remeshed: old and new mesh are then in memory together.
    pub is_remeshed: bool,
}

impl MemoryModel {
    /// The most memory that a run of one frame has in use \[bytes\], for a number of faces.
    ///
    /// Measured on square sheets of 10⁴ to 10⁶ faces as the largest resident size (`peak_memory` in `summary.json`). Folded
    /// cloth has more contacts, and a cloth that is remeshed may get more faces than it starts with: neither is known
    /// before.
    pub fn estimate(&self, faces: u64) -> f64 {
        let faces = faces as f64;
        let proximity = if self.has_proximity { PROXIMITY } else { 0.0 };
        let remesh = if self.is_remeshed { REMESH } else { 0.0 };
        BASE + faces * (self.solver_bytes(faces) + proximity + remesh)
    }

    /// Number of faces that fit in an amount of memory \[bytes\].
    pub fn fitting_faces(&self, bytes: f64) -> u64 {
        // The cost of a face hardly depends on their number: a few rounds find it.
        let mut faces = 1e6;
        for _ in 0..20 {
            faces *= ((bytes - BASE).max(0.0) / (self.estimate(faces as u64) - BASE)).clamp(1e-3, 1e3);
        }
        faces as u64
    }

    /// Bytes per face of a sheet with its solver.
    fn solver_bytes(&self, faces: f64) -> f64 {
        let [constant, per_logarithm] = self.solver.capabilities().memory;
        constant + per_logarithm * faces.max(2.0).log2()
    }
}

/// More bytes per face if cloths meet.
const PROXIMITY: f64 = 800.0;
/// More bytes per face if cloths are remeshed.
const REMESH: f64 = 1500.0;

/// Memory that the program can still take \[bytes\]: of the machine, and of the control groups that it runs in. `None`
/// where the system does not say.
pub fn available_memory() -> Option<u64> {
    let free = fs::read_to_string("/proc/meminfo").ok().and_then(|text| parse_available(&text))?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    Some(group_rooms(&groups, Path::new("/sys/fs/cgroup")).fold(free, u64::min))
}

/// `MemAvailable` of `/proc/meminfo` \[bytes\].
fn parse_available(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| 1024 * kibibytes)
}

/// Memory that the groups of `/proc/self/cgroup`, and the groups around them, leave of their limits \[bytes\]. Memory
/// of cached files does not count: it is given up when memory is asked for.
fn group_rooms<'a>(groups: &'a str, root: &'a Path) -> impl Iterator<Item = u64> + 'a {
    let folders = groups.lines().filter_map(move |line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let files = match controllers {
            "" => (root.to_path_buf(), ["memory.max", "memory.current"]),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (root.join("memory"), ["memory.limit_in_bytes", "memory.usage_in_bytes"])
            }
            _ => return None,
        };
        Some((files, path.trim_start_matches('/').to_owned()))
    });
    folders.flat_map(|((root, [limit, usage]), path)| {
        let inner: Vec<_> = Path::new(&path).ancestors().map(|path| root.join(path)).collect();
        inner.into_iter().filter_map(move |folder| {
            let number = |file: &str| fs::read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
            let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
            let cached = stat.lines().find_map(|line| line.strip_prefix("inactive_file "));
            let cached = cached.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
            Some(number(limit)?.saturating_sub(number(usage)?.saturating_sub(cached)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLOBAL_SHEET: MemoryModel =
        MemoryModel { solver: SolverChoice::Auto, has_proximity: true, is_remeshed: false };

    #[test]
    fn faces_that_fit_need_what_there_is() {
        for solver in [SolverChoice::Auto, SolverChoice::Direct, SolverChoice::Pbd] {
            let model = MemoryModel { solver, ..GLOBAL_SHEET };
            for bytes in [1e8, 2e9, 1e12] {
                let needed = model.estimate(model.fitting_faces(bytes));
                assert!((needed / bytes - 1.0).abs() < 0.01, "{solver:?} {bytes} {needed}");
            }
        }
        assert_eq!(GLOBAL_SHEET.fitting_faces(0.0), 0);
    }

    #[test]
    fn available_memory_is_read_in_bytes() {
        let text = "MemTotal:       24576000 kB\nMemAvailable:   1000 kB\n";
        assert_eq!(parse_available(text), Some(1_024_000));
        assert_eq!(parse_available("MemTotal: 5 kB\n"), None);
        #[cfg(target_os = "linux")]
        assert!(available_memory().expect("Linux says it") > 1 << 20);
    }

    #[test]
    fn the_narrowest_control_group_counts_without_its_cache() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let rooms = |groups: &str| group_rooms(groups, root.path()).min();
        // Version 2: a limit around an unlimited group.
        write("job/memory.max", "1000\n");
        write("job/memory.current", "700\n");
        write("job/memory.stat", "anon 500\ninactive_file 200\n");
        write("job/step/memory.max", "max\n");
        write("job/step/memory.current", "10\n");
        assert_eq!(rooms("0::/job/step\n"), Some(500));
        // Version 1.
        write("memory/box/memory.limit_in_bytes", "900\n");
        write("memory/box/memory.usage_in_bytes", "1000\n");
        assert_eq!(rooms("5:cpu,memory:/box\n4:pids:/box\n"), Some(0));
        assert_eq!(rooms("4:pids:/box\n"), None);
    }
}
