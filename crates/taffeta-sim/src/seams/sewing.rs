//! The seams of a world while they are open: threads between vertices that grow shorter.
//!
//! Every pair of vertices is joined by a thread ([`Stitch`]) that keeps it at a gap: at the start that which is there, and
//! over the time of the seam, in its direction, ever less of it, down to next to nothing. When all threads of a seam are
//! short enough the two sides become one (`close`). What remeshing does meanwhile leaves the vertices of the runs alone.

use super::pull::{mean_strain, strain_bound};
use super::runs::Outline;
use super::{SeamDescription, SeamSides};
use crate::caches::{CacheSource, Solver};
use crate::description::{ClothDescription, WorldDescription};
use crate::setup::Setup;
use crate::sheet::Thawed;
use crate::stages::end_of_substep;
use crate::world::World;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta_core::index::DenseIndex;
use taffeta_core::{ContactRow, IndexVec, VertexIndex};
use taffeta_mesh::VertexKey;
use taffeta_solve::block::Stitch;

/// Stiffness of a thread relative to that of the cloth along its stiffer axis: enough to keep the gap to a small part of what
/// can be closed. More makes the equations harder to solve.
const STIFFNESS: f64 = 0.5;
/// Gap that can be closed at last, relative to the shortest edge of the seam, if contact is not thicker.
const LOOSE_PART: f64 = 0.25;
/// By how much that grows when the seam is late, relative to the length that a pair stands for, for each time of the seam that
/// has passed since, and how far: threads give way, and where the cloth is strained they keep a gap.
const LOOSENING: f64 = 0.25;
const LOOSEST_PART: f64 = 0.5;
/// The same before the time of the seam is over, how short a thread gets, and how near the two sides may come elsewhere:
/// relative to the loose gap, each with room for the next one.
const TIGHT: f64 = 0.2;
const SHORTEST: f64 = 0.1;
const CONTACT: f64 = 0.05;

/// For how long after its time, relative to it, a seam that does not close still counts as being sewn: cloth that is slides
/// without friction and is not computed as exactly as other cloth, which must not go on for ever.
const PATIENCE: f64 = 2.0;

/// The seams of a world with the vertices that they sew together, by keys: what changes while a world is simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sewing {
    /// The seams, through all cloths in their order.
    pub(crate) seams: Vec<SeamState>,
}

/// A seam now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SeamState {
    /// The vertices that are sewn together, in the order of the pairs; none once the seam is closed. Two that have become
    /// one through another seam stay in the list.
    pub pairs: Vec<[VertexKey; 2]>,
    /// The gap of each pair at the start, from the first to the second \[m\].
    pub gaps: Vec<DVec3>,
    /// When it was closed \[s\]; `None`: it is open.
    pub closed: Option<f64>,
}

/// What of a seam does not change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeamLaw {
    pub cloth: usize,
    /// Its number in the cloth.
    pub number: usize,
    /// Time over which the gap closes \[s\].
    time: f64,
    /// Stiffness of a thread \[N/m\].
    stiffness: f64,
    /// Length of the seam that each pair stands for \[m\].
    pub(super) shares: Vec<f64>,
    /// The gap that can be closed when the time is over \[m\].
    loose: f64,
}

impl SeamLaw {
    /// The gap at which a thread keeps its pair at a time \[s\], for one at the start \[m\].
    fn thread(&self, gap: DVec3, time: f64) -> DVec3 {
        // It begins and ends slowly: at a constant speed both sides would have to jump to it, and bump into each other.
        let part = (time / self.time).clamp(0.0, 1.0);
        let size = gap.length();
        let wanted = size * (1.0 - part * part * (3.0 - 2.0 * part));
        // Not nothing: the two sides touch then, and contact keeps them apart.
        gap.normalize_or_zero() * wanted.max(self.shortest().min(size))
    }

    /// The miss \[m\] beyond which a thread pulls no harder, if it may pull the cloth to a strain. `share` is the length of the
    /// seam that it stands for \[m\].
    fn reach(&self, strain: f64, share: f64) -> f64 {
        (strain / STIFFNESS * share).max(self.shortest())
    }

    fn shortest(&self) -> f64 {
        SHORTEST * self.loose
    }

    /// How near its two sides may come while it is open \[m\].
    pub(crate) fn contact(&self) -> f64 {
        CONTACT * self.loose
    }

    /// Whether the gap of a pair can be closed at a time \[s\].
    pub(crate) fn closes(&self, pair: usize, gap: f64, time: f64) -> bool {
        let share = self.shares[pair];
        let late = self.loose + LOOSENING * self.lateness(time).max(0.0) * share;
        let loosest = self.loose.max(LOOSEST_PART * share);
        gap <= TIGHT * self.loose || self.is_late(time) && gap <= late.min(loosest)
    }

    /// By how much its time is over, relative to it.
    fn lateness(&self, time: f64) -> f64 {
        time / self.time - 1.0
    }

    /// Whether its time is over.
    pub(crate) fn is_late(&self, time: f64) -> bool {
        // The last step of the time ends there up to round-off.
        time >= self.time * (1.0 - 1e-9)
    }

    pub(crate) fn pair_count(&self) -> usize {
        self.shares.len()
    }
}

/// A seam in reports.
#[derive(Clone, Debug, PartialEq)]
pub struct SeamReport {
    /// Name of the cloth.
    pub cloth: String,
    /// Its number in the cloth.
    pub seam: usize,
    /// How many pairs of vertices it sews together.
    pub pairs: usize,
    /// The largest gap now \[m\]; 0 once it is closed.
    pub gap: f64,
    /// When it was closed \[s\]; `None`: it is open.
    pub closed: Option<f64>,
    /// Whether it is open though its time is over.
    pub is_late: bool,
}

/// The seams of all cloths, which have been paired.
pub(crate) fn seam_laws(description: &WorldDescription) -> Vec<SeamLaw> {
    let of_cloth = |(number, cloth): (usize, &ClothDescription)| {
        let outline = (!cloth.seams.is_empty()).then(|| Outline::new(&cloth.mesh));
        let thickness = description.contact_thickness.unwrap_or(cloth.material.thickness);
        let law = |(seam, description): (usize, &SeamDescription)| {
            let (shares, shortest) = outline.as_ref().map(|outline| measure(cloth, outline, description))?;
            let edge = LOOSE_PART * shortest;
            Some(SeamLaw {
                cloth: number,
                number: seam,
                time: description.time,
                stiffness: STIFFNESS * cloth.material.stretch[0].max(cloth.material.stretch[1]),
                shares,
                loose: if thickness > 0.0 { thickness.min(edge) } else { edge },
            })
        };
        cloth.seams.iter().enumerate().filter_map(law).collect::<Vec<_>>()
    };
    description.cloths.iter().enumerate().flat_map(of_cloth).collect()
}

/// The length that each pair of a seam stands for, and its shortest edge \[m\].
fn measure(cloth: &ClothDescription, outline: &Outline, seam: &SeamDescription) -> (Vec<f64>, f64) {
    let SeamSides::Pairs(pairs) = &seam.sides else { return (Vec::new(), f64::INFINITY) };
    let mut members: Vec<u32> = pairs.iter().flatten().copied().collect();
    members.sort_unstable();
    let is_member = |v: u32| members.binary_search(&v).is_ok();
    let after = |v: u32| is_member(outline.next(v)).then(|| outline.length_after(&cloth.mesh, v));
    let before = |v: u32| {
        let previous = outline.previous(v);
        is_member(previous).then(|| outline.length_after(&cloth.mesh, previous))
    };
    let around = |v: u32| [before(v), after(v)].into_iter().flatten();
    // Half of the edge on either side, the mean of both runs.
    let share = |pair: &[u32; 2]| 0.25 * pair.iter().flat_map(|v| around(*v)).sum::<f64>();
    let shortest = members.iter().flat_map(|v| around(*v)).fold(f64::INFINITY, f64::min);
    let shortest = if shortest.is_finite() { shortest } else { 0.0 };
    (pairs.iter().map(share).collect(), shortest)
}

/// The stitches of all open seams with the seam and the pair that each belongs to.
pub(crate) fn build_stitches(source: &CacheSource<'_>) -> (Vec<Stitch>, Vec<[u32; 2]>) {
    let CacheSource { setup: Setup { seams, .. }, sheet, time, .. } = *source;
    if sheet.sewing.seams.iter().all(|seam| seam.pairs.is_empty()) {
        return (Vec::new(), Vec::new());
    }
    let index = sheet.vertex_indices();
    let (mut stitches, mut places) = (Vec::new(), Vec::new());
    for (number, (state, law)) in (0..).zip(sheet.sewing.seams.iter().zip(seams)) {
        for (pair, ([a, b], gap)) in (0..).zip(state.pairs.iter().zip(&state.gaps)) {
            if a == b {
                continue;
            }
            let share = law.shares[pair as usize];
            stitches.push(Stitch {
                vertices: [index[*a], index[*b]],
                gap: law.thread(*gap, time),
                stiffness: law.stiffness,
                reach: law.reach(mean_strain(law.lateness(time)), share),
            });
            places.push([number, pair]);
        }
    }
    (stitches, places)
}

impl Sewing {
    /// The vertices that open seams sew together.
    pub(crate) fn open_pairs(&self) -> impl Iterator<Item = &[VertexKey; 2]> {
        self.seams.iter().flat_map(|seam| &seam.pairs)
    }

    /// Tells remeshing which vertices to leave alone.
    pub(crate) fn mark(&self, thawed: &mut Thawed) {
        for v in self.open_pairs().flatten() {
            thawed.attributes.vertices[*v].is_stitched = true;
        }
    }

    /// What is wrong with the seams of a checkpoint, in words.
    pub(crate) fn find_defect(&self, laws: &[SeamLaw], thawed: &Thawed) -> Option<String> {
        if self.seams.len() != laws.len() {
            return Some(format!("it has {} seams, but the world has {}", self.seams.len(), laws.len()));
        }
        let is_odd = |(seam, law): (&SeamState, &SeamLaw)| {
            let count = if seam.closed.is_some() { 0 } else { law.pair_count() };
            let is_sound = |gap: &DVec3| gap.is_finite();
            seam.pairs.len() != count || seam.gaps.len() != count || !seam.gaps.iter().all(is_sound)
        };
        let bad = self.seams.iter().zip(laws).position(is_odd);
        let is_gone = |pair: &[VertexKey; 2]| pair.iter().any(|v| !thawed.mesh.contains_vertex(*v));
        bad.or_else(|| self.seams.iter().position(|seam| seam.pairs.iter().any(is_gone)))
            .map(|seam| format!("its seam {seam} is not that of the world"))
    }
}

/// Whether a contact touches one of some cloths.
fn touches(row: &ContactRow, chosen: &[bool], cloths: &IndexVec<VertexIndex, u32>) -> bool {
    row.vertices.iter().any(|vi| chosen.get(cloths[*vi] as usize) == Some(&true))
}

/// Whether anything is being sewn.
pub(crate) fn is_sewing(world: &World) -> bool {
    !world.derived.blocks.stitches.is_empty()
}

/// Makes the threads want the gaps of the end of the substep, and pull as hard as they may.
pub(crate) fn set_threads(world: &mut World, h: f64) {
    if !is_sewing(world) {
        return;
    }
    let time = end_of_substep(world, h);
    let (seams, laws, caches) = (&world.state.sheet.sewing.seams, &world.setup.seams, &mut world.derived);
    let x = &world.state.motion.positions;
    let mut wanted = vec![Vec::new(); laws.len()];
    for (stitch, [seam, pair]) in caches.blocks.stitches.iter_mut().zip(&caches.stitch_places) {
        let [seam, pair] = [*seam as usize, *pair as usize];
        stitch.gap = laws[seam].thread(seams[seam].gaps[pair], time);
        let [a, b] = stitch.vertices.map(|vi| x[vi]);
        let share = laws[seam].shares[pair];
        if share > 0.0 {
            wanted[seam].push((STIFFNESS * (b - a - stitch.gap).length() / share, share));
        }
    }
    let bound = |(law, mut wanted): (&SeamLaw, Vec<(f64, f64)>)| {
        // Pairs that have become one need nothing.
        let open: f64 = wanted.iter().map(|(_, share)| share).sum();
        wanted.push((0.0, (law.shares.iter().sum::<f64>() - open).max(0.0)));
        strain_bound(wanted, mean_strain(law.lateness(time)))
    };
    let bounds: Vec<f64> = laws.iter().zip(wanted).map(bound).collect();
    for (stitch, [seam, pair]) in caches.blocks.stitches.iter_mut().zip(&caches.stitch_places) {
        let law = &laws[*seam as usize];
        stitch.reach = law.reach(bounds[*seam as usize], law.shares[*pair as usize]);
    }
    match &mut caches.solver {
        Solver::Newton(driver) => driver.stitches_mut().clone_from_slice(&caches.blocks.stitches),
        Solver::Block(driver) => driver.set_stitches(&caches.blocks.stitches),
        Solver::Rows(_) | Solver::Projective(_) => {}
    }
}

/// The cloths that are being sewn: one of their seams is open, and not late by far.
pub(crate) fn sewn_cloths(world: &World) -> Vec<bool> {
    let mut are_sewn = vec![false; world.setup.cloths.len()];
    for (law, state) in world.setup.seams.iter().zip(&world.state.sheet.sewing.seams) {
        are_sewn[law.cloth] |= state.closed.is_none() && law.lateness(world.state.time) < PATIENCE;
    }
    are_sewn
}

/// Takes the friction from what touches a cloth that is being sewn: the fabric is to slide into its place. Around a body
/// friction grows like a rope's around a bollard, and a seam would have to pull against it.
pub(crate) fn let_slide(world: &mut World) {
    let are_sewn = sewn_cloths(world);
    if !are_sewn.contains(&true) {
        return;
    }
    let cloths = &world.state.sheet.vertex_cloths;
    for row in world.state.last.contacts.iter_mut().map(|contact| &mut contact.row) {
        if touches(row, &are_sewn, cloths) {
            (row.static_friction, row.kinetic_friction) = (0.0, 0.0);
        }
    }
}

/// The numbers of the pairs of a seam that are near enough to be closed, and whether there are no others that are open.
pub(crate) fn ready_pairs(world: &World, seam: usize) -> (Vec<usize>, bool) {
    let x = &world.state.motion.positions;
    let (mut ready, mut is_all) = (Vec::new(), true);
    for (stitch, [of, pair]) in world.derived.blocks.stitches.iter().zip(&world.derived.stitch_places) {
        if *of as usize != seam {
            continue;
        }
        let [a, b] = stitch.vertices.map(|vi| x[vi]);
        let is_near = world.setup.seams[seam].closes(*pair as usize, a.distance(b), world.state.time);
        ready.extend(is_near.then_some(*pair as usize));
        is_all &= is_near;
    }
    (ready, is_all)
}

/// The largest gap of each seam now \[m\].
pub(crate) fn seam_gaps(world: &World) -> Vec<f64> {
    let x = &world.state.motion.positions;
    let mut gaps = vec![0.0_f64; world.setup.seams.len()];
    for (stitch, [seam, _]) in world.derived.blocks.stitches.iter().zip(&world.derived.stitch_places) {
        let [a, b] = stitch.vertices.map(|vi| x.raw[vi.to_usize()]);
        gaps[*seam as usize] = gaps[*seam as usize].max(a.distance(b));
    }
    gaps
}

/// The seams, through all cloths in their order.
pub fn seams(world: &World) -> Vec<SeamReport> {
    let report = |((law, state), gap): ((&SeamLaw, &SeamState), f64)| SeamReport {
        cloth: world.setup.cloths[law.cloth].name.clone(),
        seam: law.number,
        pairs: law.pair_count(),
        gap,
        closed: state.closed,
        is_late: state.closed.is_none() && law.is_late(world.state.time),
    };
    world.setup.seams.iter().zip(&world.state.sheet.sewing.seams).zip(seam_gaps(world)).map(report).collect()
}
