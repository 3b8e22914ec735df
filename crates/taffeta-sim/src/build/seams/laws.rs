//! Laws of seams: lengths, gaps and stiffnesses of their threads.

use crate::build::seams::runs::Outline;
use crate::model::description::{ClothDescription, SeamDescription, SeamSides, WorldDescription};
use crate::model::error::BuildError;
use crate::model::seam_error::{SeamDefect, SeamError};
use crate::model::seams::{GENTLE_LOOSENING, LOOSE_PART, LOOSENING, STIFFNESS, SeamLaw, SeamState, Sewing};
use crate::model::sheet::Thawed;
use taffeta_core::Region;
use taffeta_mesh::VertexKey;

/// The seams of all cloths, which have been paired.
pub(crate) fn seam_laws(description: &WorldDescription) -> Vec<SeamLaw> {
    let is_heavy = description.simulation.gravity_while_sewing;
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
                loosening: if is_heavy { LOOSENING } else { GENTLE_LOOSENING },
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

/// The seams of a world that is about to be built. `vertices` are the keys of the vertices of all cloths, cloth by cloth.
/// Whether the seams leave a surface is tried on a copy.
pub(crate) fn begin_sewing(
    description: &WorldDescription,
    thawed: &mut Thawed,
    vertices: &[VertexKey],
    offsets: &[usize],
) -> Result<(), BuildError> {
    let mut sewing = Sewing::default();
    let mut names = Vec::new();
    for (number, cloth) in description.cloths.iter().enumerate() {
        for (seam, sides) in cloth.seams.iter().map(|seam| &seam.sides).enumerate() {
            let SeamSides::Pairs(pairs) = sides else { continue };
            let key = |v: u32| vertices[offsets[number] + v as usize];
            let x = &cloth.mesh.positions;
            let gaps = pairs.iter().map(|[a, b]| x[*b as usize] - x[*a as usize]).collect();
            let pairs = pairs.iter().map(|pair| pair.map(key)).collect();
            sewing.seams.push(SeamState { pairs, gaps, closed: None });
            names.push((number, seam));
        }
    }
    if sewing.seams.is_empty() {
        return Ok(());
    }
    let mut trial = Thawed { sewing: sewing.clone(), ..thawed.clone() };
    // What pins hold does not matter for the surface.
    let pins: Vec<Region> = vec![Region::Boundary; 1 + max_pin(&trial)];
    for (seam, (number, in_cloth)) in names.into_iter().enumerate() {
        let all: Vec<usize> = (0..trial.sewing.seams[seam].pairs.len()).collect();
        trial.close(seam, &all, (0.0, &pins)).map_err(|reason| {
            let built = vertices.iter().position(|v| *v == reason.vertex());
            let vertex = built.map_or(0, |place| (place - offsets[number]) as u32);
            let error = SeamError { seam: in_cloth, defect: SeamDefect::NoSurface { vertex, reason } };
            BuildError::Seam { cloth: description.cloths[number].name.clone(), error }
        })?;
    }
    sewing.mark(thawed);
    thawed.sewing = sewing;
    Ok(())
}

fn max_pin(thawed: &Thawed) -> usize {
    thawed
        .attributes
        .vertices
        .iter()
        .filter_map(|(_, v)| v.hold)
        .map(|hold| hold.pin as usize)
        .max()
        .unwrap_or(0)
}
