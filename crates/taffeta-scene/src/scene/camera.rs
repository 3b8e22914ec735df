//! The camera of a scene, which pictures of its results take.

use super::Scene;
use super::read_motion::read_motion;
use super::write::motion_json;
use crate::reader::{Item, Range, TableReader};
use glam::DVec3;
use serde_json::{Value, json};
use taffeta_core::Motion;
use taffeta_core::math::{atan2, sin_cos};
use taffeta_remesh::View;

/// Vertical angle of view of a camera that has none of its own \[degrees\].
pub(crate) const DEFAULT_VIEW_DEG: f64 = 28.0;
/// Widest angle of view \[degrees\]. A plane picture cannot show half a turn, and looks absurd long before.
pub(crate) const WIDEST_VIEW_DEG: f64 = 170.0;

/// Width over height of the picture in which cloth counts as seen.
const ASPECT: f64 = 16.0 / 9.0;

/// Where pictures are taken from.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneCamera {
    /// Where it stands \[m\].
    pub position: DVec3,
    /// The point in the middle of the picture \[m\]; `None`: the middle of what there is to see.
    pub target: Option<DVec3>,
    /// The direction that is upward in the picture; `None`: against gravity.
    pub up: Option<DVec3>,
    /// The angle of view from the lower to the upper border of the picture \[degrees\].
    pub field_of_view_deg: f64,
    /// How it moves, with what is upward in its pictures; it turns about the target.
    pub motion: Motion,
}

impl Scene {
    /// The direction that is upward in pictures: the axis that points most against gravity. Gravity that is a little
    /// aslant, as for a tilted table, must not tilt the picture.
    pub fn upward(&self) -> DVec3 {
        let gravity = self.simulation.settings.gravity;
        // y first: it stays up where gravity is as much along another axis, or nowhere.
        let mut up = DVec3::Y * if gravity.y > 0.0 { -1.0 } else { 1.0 };
        for axis in [DVec3::Z, DVec3::X] {
            let along = gravity.dot(axis);
            if along.abs() > gravity.dot(up).abs() {
                up = if along > 0.0 { -axis } else { axis };
            }
        }
        up
    }

    /// What the camera sees in a wide picture, 16 to 9. `None`: there is no camera, or none that says what it looks at.
    pub(super) fn view(&self) -> Option<View> {
        let SceneCamera { position, target, up, field_of_view_deg, motion: _ } = *self.camera.as_ref()?;
        let vertical = field_of_view_deg.to_radians();
        let (sine, cosine) = sin_cos(0.5 * vertical);
        let horizontal = 2.0 * atan2(ASPECT * sine, cosine);
        View::new([position, target?], up.unwrap_or(self.upward()), [horizontal, vertical])
    }

    /// Reports cloths that the camera is to make coarser while it is not said what it looks at.
    pub(super) fn check_view(&self, cloths: &[Item<'_>]) {
        if self.view().is_some() {
            return;
        }
        for (cloth, item) in self.cloths.iter().zip(cloths) {
            if cloth.remesh.is_some_and(|settings| settings.coarsen_unseen.is_some()) {
                let key = format!("{}.remesh.coarsen_unseen", item.key);
                let help = "give [camera] a position and a target, and a direction up that is not along them";
                item.context.report(
                    &key,
                    format!("`{key}` needs a camera that looks at something"),
                    Some(help.to_owned()),
                );
            }
        }
    }
}

pub(super) fn read_camera(top: &TableReader<'_>) -> Option<SceneCamera> {
    let table = top.get("camera")?.table(&["position", "target", "up", "field_of_view", "motion"])?;
    let position = table.require("position", "position = [1.5, 1.0, 2.5]").and_then(|item| item.vec3());
    let target = table.get("target").and_then(|item| item.vec3());
    let up = table.get("up").and_then(|item| read_direction(&item));
    let field_of_view_deg =
        table.get("field_of_view").and_then(|item| read_angle(&item)).unwrap_or(DEFAULT_VIEW_DEG);
    let motion = read_motion(&table);
    let camera = SceneCamera { position: position?, target, up, field_of_view_deg, motion };
    if let (Some(target), Some(item)) = (target, table.get("target")) {
        let ahead = target - camera.position;
        let aside = up.map_or(ahead, |up| ahead.cross(up.normalize_or_zero()));
        if ahead.length() < 1e-9 || aside.length() < 1e-9 * ahead.length() {
            let message =
                format!("`{}` gives the camera no view: it stands there, or looks along up", item.key);
            item.report(message, Some("position, target and up must not lie on one line".to_owned()));
        }
    }
    Some(camera)
}

fn read_direction(item: &Item<'_>) -> Option<DVec3> {
    let direction = item.vec3()?;
    if direction.try_normalize().is_none() {
        item.report(format!("`{}` has no direction", item.key), Some("must not be zero".to_owned()));
        return None;
    }
    Some(direction)
}

fn read_angle(item: &Item<'_>) -> Option<f64> {
    let angle = item.number(Range::Positive)?;
    if angle > WIDEST_VIEW_DEG {
        let help = format!("an angle in degrees, at most {WIDEST_VIEW_DEG}");
        item.report(format!("`{}` is {angle}, which is too wide", item.key), Some(help));
        return None;
    }
    Some(angle)
}

pub(super) fn camera_json(camera: &SceneCamera) -> Value {
    let SceneCamera { position, target, up, field_of_view_deg, motion } = camera;
    let mut json = json!({ "position": position.to_array(), "field_of_view": field_of_view_deg });
    for (key, vector) in [("target", target), ("up", up)] {
        if let Some(vector) = vector {
            json[key] = json!(vector.to_array());
        }
    }
    if !motion.keys.is_empty() {
        json["motion"] = motion_json(motion);
    }
    json
}
