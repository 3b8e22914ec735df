//! States as they are written down, and how two of them differ.

use std::fmt;
use std::str::FromStr;
use taffeta::sim::World;

/// Characters that are kept of the hash of a state, and of that of its faces.
const STATE_LENGTH: usize = 32;
const TOPOLOGY_LENGTH: usize = 8;
/// Tolerance of the numbers of runs with factors on another processor, relative to the size and the energies of the run.
const TOLERANCE: f64 = 1e-6;

/// The end of a run.
pub(super) struct State {
    /// Name of the run.
    pub name: String,
    /// Vertices, of cloths and loose ones.
    pub vertices: usize,
    /// Faces.
    pub faces: usize,
    /// Hash of the faces.
    pub topology: String,
    /// Hash of positions, velocities and plastic curvatures.
    pub hash: String,
    /// Center of mass \[m\], kinetic and elastic energy \[J\]: how far a state is from another one.
    pub numbers: [f64; 5],
    /// Size of what is simulated \[m\]; not written down.
    size: f64,
    /// True if the solver factorizes sparse matrices, as all do but those that sweep; not written down.
    has_factors: bool,
}

impl State {
    /// The present state of a world.
    pub(super) fn of(name: &str, world: &World) -> Self {
        let state = &world.motion();
        let mut hasher = blake3::Hasher::new();
        for vector in state.positions.iter().chain(state.velocities.iter()) {
            vector.to_array().iter().for_each(|c| _ = hasher.update(&c.to_le_bytes()));
        }
        for curvature in world.motion().rest.plastic_curvatures.iter() {
            let terms = [curvature.xx, curvature.xy, curvature.yy];
            terms.iter().for_each(|c| _ = hasher.update(&c.to_le_bytes()));
        }
        let mut topology = blake3::Hasher::new();
        for face in &world.sheet().topology.faces.raw {
            face.iter().for_each(|vi| _ = topology.update(&vi.0.to_le_bytes()));
        }
        let weighted = state.positions.iter().zip(state.masses.iter());
        let mass: f64 = state.masses.iter().sum();
        let center = weighted.map(|(x, m)| *x * *m).sum::<glam::DVec3>() / mass;
        let metrics = world.measure();
        let elastic = metrics.stretch_energy + metrics.bend_energy;
        let spread = |x: &glam::DVec3| x.distance(center);
        Self {
            name: name.to_owned(),
            vertices: world.vertex_count(),
            faces: world.face_count(),
            topology: topology.finalize().to_hex()[..TOPOLOGY_LENGTH].to_owned(),
            hash: hasher.finalize().to_hex()[..STATE_LENGTH].to_owned(),
            numbers: [center.x, center.y, center.z, metrics.kinetic_energy, elastic],
            size: state.positions.iter().map(spread).fold(0.0, f64::max),
            has_factors: !["block", "xpbd", "pbd"].contains(&world.solver_name()),
        }
    }

    /// Differences of the center of mass \[m\] and of the sum of the energies, relative to it, to those of another state.
    fn distances(&self, other: &Self) -> [f64; 2] {
        let difference = |k: usize| self.numbers[k] - other.numbers[k];
        let moved = (0..3).map(|k| difference(k).powi(2)).sum::<f64>().sqrt();
        let energy = self.numbers[3] + self.numbers[4];
        [moved, (difference(3).abs() + difference(4).abs()) / energy.max(f64::MIN_POSITIVE)]
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, vertices, faces, topology, hash, numbers, .. } = self;
        write!(f, "{name:26} | {vertices:5} {faces:5} {topology} | {hash} |")?;
        numbers.iter().try_for_each(|number| write!(f, " {number:.15e}"))
    }
}

impl FromStr for State {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let malformed = || format!("not a state: {line}");
        let parts: Vec<_> = line.split('|').map(str::trim).collect();
        let [name, counts, hash, numbers] = parts[..] else { return Err(malformed()) };
        let counts: Vec<_> = counts.split_whitespace().collect();
        let [vertices, faces, topology] = counts[..] else { return Err(malformed()) };
        let count = |word: &str| word.parse().map_err(|_| malformed());
        let numbers: Option<Vec<f64>> = numbers.split_whitespace().map(|word| word.parse().ok()).collect();
        let numbers = numbers.and_then(|n| n.try_into().ok()).ok_or_else(malformed)?;
        Ok(Self {
            name: name.to_owned(),
            vertices: count(vertices)?,
            faces: count(faces)?,
            topology: topology.to_owned(),
            hash: hash.to_owned(),
            numbers,
            size: 0.0,
            has_factors: false,
        })
    }
}

/// Features of this processor that decide about the bits of factors.
pub(super) fn processor() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        let found = [
            ("avx2", is_x86_feature_detected!("avx2")),
            ("fma", is_x86_feature_detected!("fma")),
            ("avx512f", is_x86_feature_detected!("avx512f")),
        ];
        let names: Vec<_> = found.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
        format!("x86_64 {}", names.join(" ")).trim_end().to_owned()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        std::env::consts::ARCH.to_owned()
    }
}

/// The states of all runs.
pub(super) struct States {
    /// Features of the processor that they were computed on.
    processor: String,
    states: Vec<State>,
}

impl States {
    /// States computed here.
    pub(super) fn new(states: Vec<State>) -> Self {
        Self { processor: processor(), states }
    }

    /// The state of a run.
    pub(super) fn find(&self, name: &str) -> Option<&State> {
        self.states.iter().find(|state| state.name == name)
    }

    /// Difference of a state to the one that is written down: any bit, or more than the tolerance if it was computed with
    /// factors on another processor.
    pub(super) fn find_difference(&self, found: &State) -> Option<Difference> {
        let Some(written) = self.find(&found.name) else {
            return Some(Difference::new(found, "is not written down"));
        };
        if written.topology != found.topology || written.vertices != found.vertices {
            let [before, now] = [written, found].map(|state| format!("{} / {}", state.vertices, state.faces));
            return Some(Difference::new(found, &format!("TOPOLOGY: {before} → {now} vertices / faces")));
        }
        let [moved, energy] = found.distances(written);
        let may_differ = found.has_factors && self.processor != processor();
        let is_near = may_differ && moved <= TOLERANCE * found.size && energy <= TOLERANCE;
        (written.hash != found.hash && !is_near).then(|| {
            let words = if moved <= 1e-9 * found.size && energy <= 1e-9 { "digits" } else { "NUMBERS" };
            Difference::new(
                found,
                &format!("{words}: center moved by {moved:.1e} m, energies by {energy:.1e}"),
            )
        })
    }

    /// Runs that are written down and were not made.
    pub(super) fn find_surplus(&self, found: &[State]) -> Vec<Difference> {
        let is_surplus = |written: &&State| found.iter().all(|state| state.name != written.name);
        self.states
            .iter()
            .filter(is_surplus)
            .map(|state| Difference::new(state, "is no run any more"))
            .collect()
    }
}

impl fmt::Display for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "# Written by `cargo run -p xtask -- golden`. A change needs a line in CHANGELOG.md under Numerics."
        )?;
        writeln!(
            f,
            "# run | vertices faces topology | state | center of mass [m], kinetic and elastic energy [J]"
        )?;
        writeln!(f, "processor: {}", self.processor)?;
        self.states.iter().try_for_each(|state| writeln!(f, "{state}"))
    }
}

impl FromStr for States {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let processor = lines.next().and_then(|line| line.strip_prefix("processor: "));
        let processor = processor.ok_or("the first line names no processor")?.to_owned();
        Ok(Self { processor, states: lines.map(str::parse).collect::<Result<_, _>>()? })
    }
}

/// A run that does not end as it should.
pub(super) struct Difference {
    name: String,
    what: String,
}

impl Difference {
    fn new(state: &State, what: &str) -> Self {
        Self { name: state.name.clone(), what: what.to_owned() }
    }

    /// A line per difference.
    pub(super) fn table(differences: &[Self]) -> String {
        differences.iter().map(|Self { name, what }| format!("  {name:26} {what}\n")).collect()
    }
}
