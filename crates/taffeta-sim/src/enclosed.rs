//! Volumes that closed cloths enclose and keep: cushions and balloons.
//!
//! The target of every closed component is its volume at time 0, times a ratio that is reached in the course of the
//! inflation. It follows from the time alone, so that a run that is resumed needs to know nothing more.

use crate::build::BuildError;
use crate::caches::{CacheSource, Solver};
use crate::description::{EnclosedDescription, WorldDescription};
use crate::stages::end_of_substep;
use crate::world::World;
use glam::DVec3;
use taffeta_core::components::Components;
use taffeta_core::geometry::doubled_area;
use taffeta_core::{FaceIndex, SurfaceTopology, TriangleMesh, VertexIndex};
use taffeta_solve::block::EnclosedVolume;

/// A component of less than this part of the 1.5th power of its area encloses nothing. A ball has 0.094.
const LEAST_VOLUME: f64 = 1e-6;

/// What an enclosed volume follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EnclosedLaw {
    /// The number of its cloth.
    pub cloth: usize,
    /// Volume at time 0 \[m³\].
    pub start: f64,
    pub settings: EnclosedDescription,
}

impl EnclosedLaw {
    /// The volume that it is to have at a time \[s\].
    fn target(&self, time: f64) -> f64 {
        let EnclosedDescription { ratio, inflation, .. } = self.settings;
        let part = if inflation > 0.0 { (time / inflation).clamp(0.0, 1.0) } else { 1.0 };
        self.start * (1.0 + (ratio - 1.0) * part)
    }
}

impl EnclosedDescription {
    /// What is wrong with it, in words.
    pub fn find_defect(&self) -> Option<String> {
        let Self { ratio, inflation, bulk } = *self;
        if !(ratio.is_finite() && ratio > 0.0) {
            return Some(format!("the ratio of its volume is {ratio}; it must be finite and greater than 0"));
        }
        if !(inflation.is_finite() && inflation >= 0.0) {
            return Some(format!("its inflation lasts {inflation} s; it must be finite and at least 0"));
        }
        let bulk = bulk.filter(|bulk| !(bulk.is_finite() && *bulk > 0.0))?;
        Some(format!("the bulk modulus of its volume is {bulk} Pa; it must be finite and greater than 0"))
    }
}

/// Why a mesh encloses no volume, in words.
pub fn find_opening(mesh: &TriangleMesh) -> Option<String> {
    let mut sides: Vec<[u32; 2]> = Vec::with_capacity(3 * mesh.faces.len());
    for [a, b, c] in &mesh.faces {
        sides.extend([[*a, *b], [*b, *c], [*c, *a]]);
    }
    sides.sort_unstable();
    let open = sides.iter().find(|[a, b]| sides.binary_search(&[*b, *a]).is_err());
    if let Some([a, b]) = open {
        return Some(format!(
            "it is open: the edge between the vertices {a} and {b} has a face on one side only"
        ));
    }
    let corners: Vec<_> = mesh.faces.iter().map(|face| face.map(VertexIndex)).collect();
    for component in split(&corners, mesh.positions.len()) {
        let faces: Vec<_> = component.iter().map(|k| corners[*k]).collect();
        let volume = EnclosedVolume::new(&faces, 0.0);
        let x = volume.gather(&mesh.positions);
        let area = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| x[v as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        let area: f64 = volume.faces.iter().map(area).sum();
        let inside = volume.volume(&x);
        if inside.is_nan() || inside.abs() <= LEAST_VOLUME * area * area.sqrt() {
            return Some(format!(
                "it encloses no volume at time 0 ({inside:.3e} m³), of which a ratio could be kept"
            ));
        }
    }
    None
}

/// The faces of each connected component, in order.
fn split(faces: &[[VertexIndex; 3]], vertex_count: usize) -> Vec<Vec<usize>> {
    let mut pieces = Components::new(vertex_count);
    for [a, b, c] in faces {
        pieces.join(a.0, b.0);
        pieces.join(b.0, c.0);
    }
    let mut components: Vec<(u32, Vec<usize>)> = Vec::new();
    for (k, face) in faces.iter().enumerate() {
        let root = pieces.find(face[0].0);
        match components.iter_mut().find(|(other, _)| *other == root) {
            Some((_, members)) => members.push(k),
            None => components.push((root, vec![k])),
        }
    }
    components.into_iter().map(|(_, members)| members).collect()
}

/// Refuses volumes of cloths that enclose none.
pub(crate) fn check_enclosed(description: &WorldDescription) -> Result<(), BuildError> {
    for cloth in &description.cloths {
        let Some(settings) = cloth.volume else { continue };
        let defect = settings.find_defect().or_else(|| find_opening(&cloth.mesh));
        let defect = defect
            .or_else(|| cloth.remesh.map(|_| "a cloth that keeps a volume cannot be remeshed".to_owned()));
        if let Some(reason) = defect {
            return Err(BuildError::BadSetting { what: format!("cloth '{}': volume", cloth.name), reason });
        }
    }
    Ok(())
}

/// The volumes of all closed components, with what they follow.
pub(crate) fn build_enclosed(source: &CacheSource<'_>) -> (Vec<EnclosedVolume>, Vec<EnclosedLaw>) {
    let CacheSource { setup, sheet, motion, .. } = *source;
    let topology: &SurfaceTopology = &sheet.topology;
    let (mut volumes, mut laws) = (Vec::new(), Vec::new());
    for (number, cloth) in setup.cloths.iter().enumerate() {
        let Some(settings) = cloth.volume else { continue };
        let faces: Vec<FaceIndex> = motion.faces_of(number as u32).collect();
        let corners: Vec<_> = faces.iter().map(|fi| topology.faces[*fi]).collect();
        for component in split(&corners, topology.vertex_count) {
            let members: Vec<_> = component.iter().map(|k| corners[*k]).collect();
            debug_assert!(component.iter().all(|k| doubled_area(motion.rest.corners[faces[*k]]) > 0.0));
            let volume = EnclosedVolume::new(&members, 0.0);
            let start = volume.volume(&volume.gather(&sheet.starts.raw));
            let compliance = settings.bulk.map_or(0.0, |bulk| start.abs() / bulk);
            volumes.push(EnclosedVolume { compliance, target: start, ..volume });
            laws.push(EnclosedLaw { cloth: number, start, settings });
        }
    }
    (volumes, laws)
}

/// Tells the solver which volumes the cloths are to have at the end of the substep of length `h` \[s\].
pub(crate) fn set_volume_targets(world: &mut World, h: f64) {
    let time = end_of_substep(world, h);
    let caches = &mut world.derived;
    for (law, block) in caches.enclosed.iter().zip(&mut caches.blocks.enclosed) {
        block.target = law.target(time);
    }
    let in_solver = enclosed_in(&mut caches.solver);
    for (block, swept) in caches.blocks.enclosed.iter().zip(in_solver) {
        swept.target = block.target;
    }
}

/// Takes the pressures over from the solver.
pub(crate) fn keep_pressures(world: &mut World) {
    let caches = &mut world.derived;
    let in_solver = enclosed_in(&mut caches.solver);
    for (block, swept) in caches.blocks.enclosed.iter_mut().zip(in_solver) {
        block.pressure = swept.pressure;
    }
}

/// What the closed components of cloths that keep a volume hold inside: cloth, volume now and volume asked for \[m³\],
/// pressure above that outside \[Pa\] in the last substep, which is as exact as the substep has converged: with too few
/// substeps for the stiffness of the cloth it is too small, as if the cloth were softer.
pub fn enclosed_volumes(world: &World) -> Vec<EnclosedState> {
    let x: &[DVec3] = &world.state.motion.positions.raw;
    let each = world.derived.enclosed.iter().zip(&world.derived.blocks.enclosed);
    let state = |(law, block): (&EnclosedLaw, &EnclosedVolume)| {
        let side = law.start.signum();
        EnclosedState {
            cloth: law.cloth,
            volume: side * block.volume(&block.gather(x)),
            target: side * block.target,
            pressure: side * block.pressure,
        }
    };
    each.map(state).collect()
}

/// What a closed component of a cloth holds inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnclosedState {
    /// The number of the cloth.
    pub cloth: usize,
    /// The volume \[m³\].
    pub volume: f64,
    /// The volume asked for \[m³\].
    pub target: f64,
    /// Pressure inside above that outside \[Pa\].
    pub pressure: f64,
}

/// The volumes as the solver keeps them; none where it works on those among the blocks.
fn enclosed_in(solver: &mut Solver) -> &mut [EnclosedVolume] {
    match solver {
        Solver::Block(driver) => driver.enclosed_mut(),
        Solver::Rows(driver) => driver.enclosed_mut(),
        Solver::Projective(_) | Solver::Newton(_) => &mut [],
    }
}
