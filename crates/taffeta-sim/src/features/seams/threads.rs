//! The seams of a world while they are open: threads between vertices that grow shorter.
//!
//! Every pair of vertices is joined by a thread ([`Stitch`]) that keeps it at a gap. The gap starts at the present one and
//! shrinks in its direction over the time of the seam, down to almost nothing. When all threads of a seam are short enough the
//! two sides become one (`close`). What remeshing does meanwhile leaves the vertices of the runs alone.

use crate::derive::derived::Derived;
use crate::derive::elements::open_seams::sewn_at;
use crate::derive::elements::stitches::{Pull, held_gap};
use crate::derive::sewing::age;
use crate::derive::world::World;
use crate::model::setup::Setup;
use crate::model::setup::seams::{STIFFNESS, SeamLaw, SeamState};
use crate::model::state::State;
use taffeta_core::index::DenseIndex;
use taffeta_core::{ContactRow, Friction, IndexVec, VertexIndex};

/// A seam in reports.
#[derive(Clone, Debug, PartialEq)]
pub struct SeamReport {
    /// Name of the cloth.
    pub cloth: String,
    /// Its number in the cloth.
    pub seam: usize,
    /// Number of pairs of vertices that it sews together.
    pub pairs: usize,
    /// The largest gap now \[m\]; 0 once it is closed, or that of a third layer, which threads hold.
    pub gap: f64,
    /// When it was closed \[s\]; `None`: it is open.
    pub closed: Option<f64>,
    /// True if it is open although its time is over.
    pub is_late: bool,
}

/// Returns whether a contact touches one of the chosen cloths.
fn touches(row: &ContactRow, chosen: &[bool], cloths: &IndexVec<VertexIndex, u32>) -> bool {
    row.vertices.iter().any(|vi| chosen.get(cloths[*vi] as usize) == Some(&true))
}

/// Returns whether anything is being sewn.
pub(crate) fn has_open_seam(world: &World) -> bool {
    let has_threads = !world.derived.blocks.stitches.is_empty();
    has_threads && world.state.sheet.sewing.seams.iter().any(|seam| seam.closed.is_none())
}

/// Makes the threads want the gaps of a time \[s\], the end of the substep, and pull as hard as they may.
pub(crate) fn set_threads(setup: &Setup, state: &State, derived: &mut Derived, time: f64) {
    if derived.blocks.stitches.is_empty() {
        return;
    }
    let (seams, laws) = (&state.sheet.sewing.seams, &setup.seams);
    let x = &state.motion.positions;
    let mut wanted = vec![Vec::new(); laws.len()];
    let pull = Pull::of(&setup.settings);
    let cloths = &setup.cloths;
    let age = |law: &SeamLaw| cloths[law.cloth].age(time);
    for (stitch, [seam, pair]) in derived.blocks.stitches.iter_mut().zip(&derived.stitch_places) {
        let [seam, pair] = [*seam as usize, *pair as usize];
        if seams[seam].closed.is_some() {
            continue;
        }
        stitch.gap = laws[seam].thread(seams[seam].gaps[pair], age(&laws[seam]));
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
        pull.bound(wanted, law.lateness(age(law)))
    };
    let bounds: Vec<f64> = laws.iter().zip(wanted).map(bound).collect();
    for (stitch, [seam, pair]) in derived.blocks.stitches.iter_mut().zip(&derived.stitch_places) {
        let law = &laws[*seam as usize];
        if seams[*seam as usize].closed.is_some() {
            continue;
        }
        stitch.reach = law.reach(bounds[*seam as usize], law.shares[*pair as usize]);
    }
    derived.solver.set_stitches(&derived.blocks.stitches);
}

/// Lets the threads that hold a third layer for ever turn with the cloth. Between two steps, so that a checkpoint has all that
/// a step begins with.
pub(crate) fn turn_held_threads(setup: &Setup, state: &State, derived: &mut Derived) {
    let (seams, laws) = (&state.sheet.sewing.seams, &setup.seams);
    let x = &state.motion.positions;
    for (stitch, [seam, _]) in derived.blocks.stitches.iter_mut().zip(&derived.stitch_places) {
        let law = &laws[*seam as usize];
        if seams[*seam as usize].closed.is_some() {
            stitch.gap = held_gap(law, stitch.vertices.map(|vi| x[vi]));
        }
    }
    derived.solver.set_stitches(&derived.blocks.stitches);
}

/// Takes the friction from what touches a cloth that is being sewn: the fabric is to slide into its place. Around a body
/// friction grows like a rope's around a bollard, and a seam would have to pull against it.
pub(crate) fn drop_friction_while_sewn(setup: &Setup, state: &mut State) {
    let are_sewn = sewn_at(setup, &state.sheet, state.time);
    if !are_sewn.contains(&true) {
        return;
    }
    let cloths = &state.sheet.vertex_cloths;
    for row in state.last.contacts.iter_mut().map(|contact| &mut contact.row) {
        if touches(row, &are_sewn, cloths) {
            row.friction = Friction::NONE;
        }
    }
}

/// The numbers of the pairs of a seam that are near enough to be welded, and whether all that are open are near enough.
pub(crate) fn ready_pairs(world: &World, seam: usize) -> (Vec<usize>, bool) {
    let x = &world.state.motion.positions;
    let (mut ready, mut is_all) = (Vec::new(), true);
    for (stitch, [of, pair]) in world.derived.blocks.stitches.iter().zip(&world.derived.stitch_places) {
        if *of as usize != seam {
            continue;
        }
        let [a, b] = stitch.vertices.map(|vi| x[vi]);
        let law = &world.setup.seams[seam];
        let is_near = law.closes(*pair as usize, a.distance(b), age(world, law));
        ready.extend((is_near && !law.holds[*pair as usize]).then_some(*pair as usize));
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
        is_late: state.closed.is_none() && law.is_late(age(world, law)),
    };
    world.setup.seams.iter().zip(&world.state.sheet.sewing.seams).zip(seam_gaps(world)).map(report).collect()
}
