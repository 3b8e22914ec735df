//! When bodies came into a world and where a caller has moved them: the part of its setup that belongs to a checkpoint.

use crate::model::setup::Setup;
use crate::model::setup::follow::StoredStart;
use crate::model::setup::pins::Pin;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use taffeta_core::{Anchor, Drive, KeyframedMotion, Pose, Skin};

/// Drives of all bodies, in the order of the setup.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Drives {
    /// When each cloth came into the world \[s\].
    cloths: Vec<f64>,
    obstacles: Vec<Course>,
    meshes: Vec<(Course, Option<Skin>)>,
    /// With where the obstacles that pins follow were when these took hold.
    pins: Vec<(Course, Option<StoredStart>)>,
}

/// The part of a motion that its keys do not say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Course {
    anchor: Anchor,
    drive: Option<Drive<Pose>>,
}

impl Course {
    fn of(motion: &KeyframedMotion) -> Self {
        Self { anchor: motion.anchor, drive: motion.drive }
    }

    fn put(self, motion: &mut KeyframedMotion) {
        (motion.anchor, motion.drive) = (self.anchor, self.drive);
    }

    fn is_sound(&self, motion: &KeyframedMotion) -> bool {
        let is_pose = |pose: &Pose| pose.find_defect().is_none();
        let is_drive = |drive: &Drive<Pose>| {
            is_timed(drive.begin, drive.end) && [drive.from, drive.to].iter().all(is_pose)
        };
        let Anchor { time, jumps, .. } = self.anchor;
        time.is_finite()
            && jumps.is_none_or(|made| made <= motion.jumps.len())
            && is_pose(&self.anchor.pose)
            && self.drive.as_ref().is_none_or(is_drive)
    }
}

fn start_of(pin: &Pin) -> Option<StoredStart> {
    pin.followed.as_ref().map(|followed| followed.start.store())
}

fn is_timed(begin: f64, end: f64) -> bool {
    begin.is_finite() && end > begin
}

impl Drives {
    /// Collects the drives of a setup.
    pub(crate) fn of(setup: &Setup) -> Self {
        let Setup { cloths, obstacles, meshes, pins, .. } = setup;
        Self {
            cloths: cloths.iter().map(|cloth| cloth.begin).collect(),
            obstacles: obstacles.iter().map(|obstacle| Course::of(&obstacle.motion)).collect(),
            meshes: meshes.iter().map(|mesh| (Course::of(&mesh.motion), mesh.skin.clone())).collect(),
            pins: pins.iter().map(|pin| (Course::of(&pin.description.motion), start_of(pin))).collect(),
        }
    }

    /// Puts them into a setup of as many bodies.
    pub(crate) fn put(self, setup: &mut Setup) {
        for (cloth, begin) in setup.cloths.iter_mut().zip(self.cloths) {
            cloth.begin = begin;
        }
        for (obstacle, course) in setup.obstacles.iter_mut().zip(self.obstacles) {
            course.put(&mut obstacle.motion);
        }
        for (mesh, (course, skin)) in Arc::make_mut(&mut setup.meshes).iter_mut().zip(self.meshes) {
            course.put(&mut mesh.motion);
            mesh.skin = skin;
        }
        for (pin, (course, start)) in setup.pins.iter_mut().zip(self.pins) {
            course.put(&mut pin.description.motion);
            if let Some((followed, start)) = pin.followed.as_mut().zip(start) {
                followed.start.put(start);
            }
        }
    }

    /// Why they cannot be those of a setup, if they cannot.
    pub(crate) fn find_defect(&self, setup: &Setup) -> Option<String> {
        let counts = [
            ("cloths", self.cloths.len(), setup.cloths.len()),
            ("obstacles", self.obstacles.len(), setup.obstacles.len()),
            ("mesh obstacles", self.meshes.len(), setup.meshes.len()),
            ("pins", self.pins.len(), setup.pins.len()),
        ];
        if let Some((what, own, expected)) = counts.into_iter().find(|(_, own, expected)| own != expected) {
            return Some(format!("it has {own} {what}, but the world has {expected}"));
        }
        let is_skin = |skin: &Option<Skin>, count: usize| {
            let is_sound = |skin: &Skin| {
                let is_list = |list: &Vec<DVec3>| list.len() == count && list.iter().all(|x| x.is_finite());
                is_timed(skin.begin, skin.end) && is_list(&skin.from) && is_list(&skin.to)
            };
            skin.as_ref().is_none_or(is_sound)
        };
        let is_sound = self.cloths.iter().all(|begin| begin.is_finite())
            && self.obstacles.iter().zip(&setup.obstacles).all(|(course, own)| course.is_sound(&own.motion))
            && self.meshes.iter().zip(setup.meshes.iter()).all(|((course, skin), own)| {
                course.is_sound(&own.motion) && is_skin(skin, own.vertex_count())
            })
            && self.pins.iter().zip(&setup.pins).all(|((course, start), own)| {
                let follows_alike = match (&own.followed, start) {
                    (Some(followed), Some(start)) => followed.start.is_like(start),
                    (None, None) => true,
                    _ => false,
                };
                follows_alike && course.is_sound(&own.description.motion)
            });
        (!is_sound).then(|| "where its bodies were moved to makes no sense".to_owned())
    }
}
