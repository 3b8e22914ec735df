//! Where a caller has moved the bodies of a world: the part of its setup that belongs to a checkpoint.

use crate::model::setup::Setup;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta_core::{Drive, Pose, Skin};

/// Drives of all bodies, in the order of the setup.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Drives {
    obstacles: Vec<Option<Drive<Pose>>>,
    meshes: Vec<(Option<Drive<Pose>>, Option<Skin>)>,
    pins: Vec<Option<Drive<Pose>>>,
}

impl Drives {
    /// Collects the drives of a setup.
    pub(crate) fn of(setup: &Setup) -> Self {
        let Setup { obstacles, meshes, pins, .. } = setup;
        Self {
            obstacles: obstacles.iter().map(|obstacle| obstacle.motion.drive).collect(),
            meshes: meshes.iter().map(|mesh| (mesh.motion.drive, mesh.skin.clone())).collect(),
            pins: pins.iter().map(|pin| pin.description.motion.drive).collect(),
        }
    }

    /// Puts them into a setup of as many bodies.
    pub(crate) fn put(self, setup: &mut Setup) {
        for (obstacle, drive) in setup.obstacles.iter_mut().zip(self.obstacles) {
            obstacle.motion.drive = drive;
        }
        for (mesh, (drive, skin)) in setup.meshes.iter_mut().zip(self.meshes) {
            (mesh.motion.drive, mesh.skin) = (drive, skin);
        }
        for (pin, drive) in setup.pins.iter_mut().zip(self.pins) {
            pin.description.motion.drive = drive;
        }
    }

    /// Why they cannot be those of a setup, if they cannot.
    pub(crate) fn find_defect(&self, setup: &Setup) -> Option<String> {
        let counts = [
            ("obstacles", self.obstacles.len(), setup.obstacles.len()),
            ("mesh obstacles", self.meshes.len(), setup.meshes.len()),
            ("pins", self.pins.len(), setup.pins.len()),
        ];
        if let Some((what, own, expected)) = counts.into_iter().find(|(_, own, expected)| own != expected) {
            return Some(format!("it has {own} {what}, but the world has {expected}"));
        }
        let is_timed = |begin: f64, end: f64| begin.is_finite() && end > begin;
        let is_pose = |drive: &Option<Drive<Pose>>| {
            let is_sound = |drive: &Drive<Pose>| {
                is_timed(drive.begin, drive.end)
                    && [drive.from, drive.to].iter().all(|pose| pose.find_defect().is_none())
            };
            drive.as_ref().is_none_or(is_sound)
        };
        let is_skin = |skin: &Option<Skin>, count: usize| {
            let is_sound = |skin: &Skin| {
                let is_list = |list: &Vec<DVec3>| list.len() == count && list.iter().all(|x| x.is_finite());
                is_timed(skin.begin, skin.end) && is_list(&skin.from) && is_list(&skin.to)
            };
            skin.as_ref().is_none_or(is_sound)
        };
        let counts = setup.meshes.iter().map(|mesh| mesh.vertex_count());
        let is_sound = self.obstacles.iter().all(is_pose)
            && self.meshes.iter().zip(counts).all(|((pose, skin), n)| is_pose(pose) && is_skin(skin, n))
            && self.pins.iter().all(is_pose);
        (!is_sound).then(|| "where its bodies were moved to makes no sense".to_owned())
    }
}
