//! Volumes that closed components of cloths enclose.

use crate::derive::elements::source::Source;
use crate::model::description::EnclosedDescription;
use taffeta_core::components::Components;
use taffeta_core::geometry::doubled_area;
use taffeta_core::{FaceIndex, SurfaceTopology, VertexIndex};
use taffeta_solve::block::EnclosedVolume;

/// Law of an enclosed volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EnclosedLaw {
    /// The number of its cloth.
    pub cloth: usize,
    /// Time at which the cloth came into the world, and the inflation began \[s\].
    pub begin: f64,
    /// Volume at that time \[m³\].
    pub start: f64,
    pub settings: EnclosedDescription,
}

impl EnclosedLaw {
    /// The volume that it is to have at a time \[s\].
    pub(crate) fn target(&self, time: f64) -> f64 {
        let EnclosedDescription { ratio, inflation, .. } = self.settings;
        let part = if inflation > 0.0 { ((time - self.begin) / inflation).clamp(0.0, 1.0) } else { 1.0 };
        self.start * (1.0 + (ratio - 1.0) * part)
    }
}

/// The faces of each connected component, in order.
pub(crate) fn split(faces: &[[VertexIndex; 3]], vertex_count: usize) -> Vec<Vec<usize>> {
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

/// The volumes of all closed components, with what they follow.
pub(crate) fn build_enclosed(source: &Source<'_>) -> (Vec<EnclosedVolume>, Vec<EnclosedLaw>) {
    let Source { setup, sheet, motion, .. } = *source;
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
            laws.push(EnclosedLaw { cloth: number, begin: cloth.begin, start, settings });
        }
    }
    (volumes, laws)
}
