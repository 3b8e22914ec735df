//! The camera of a scene, which pictures of its results take.

use super::motion::MotionTable;
use crate::keys::{Number, Positive, Vector};
use crate::place::Place;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use taffeta_core::KeyframedMotion;
use taffeta_core::math::{atan2, sin_cos};
use taffeta_remesh::View;

/// Vertical angle of view of a camera that has none of its own \[degrees\].
const DEFAULT_VIEW_DEG: f64 = 28.0;
/// Widest angle of view \[degrees\]. A plane picture cannot show half a turn, and looks absurd long before.
const WIDEST_VIEW_DEG: f64 = 170.0;
/// Width over height of the picture in which cloth counts as seen.
const ASPECT: f64 = 16.0 / 9.0;

/// Camera of pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneCamera {
    /// Position \[m\].
    pub position: DVec3,
    /// The point in the middle of the picture \[m\]; `None`: the middle of what there is to see.
    pub target: Option<DVec3>,
    /// The direction that is upward in the picture; `None`: against gravity.
    pub up: Option<DVec3>,
    /// The angle of view from the lower to the upper border of the picture \[degrees\].
    pub field_of_view_deg: f64,
    /// Motion of the camera and of its upward direction. It turns about the target.
    pub motion: KeyframedMotion,
}

impl SceneCamera {
    /// The view in a wide picture, 16 to 9. Its upward direction is the given one unless the camera has its own. `None`:
    /// the camera has no target.
    pub(crate) fn view(&self, upward: DVec3) -> Option<View> {
        let vertical = self.field_of_view_deg.to_radians();
        let (sine, cosine) = sin_cos(0.5 * vertical);
        let horizontal = 2.0 * atan2(ASPECT * sine, cosine);
        View::new([self.position, self.target?], self.up.unwrap_or(upward), [horizontal, vertical])
    }
}

/// Camera of `taffeta render`, and of coarsen_unseen. Absent: a camera that shows everything.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "camera", deny_unknown_fields)]
pub(crate) struct CameraTable {
    /// Position \[m\].
    #[schemars(example = json!([1.5, 1.0, 2.5]))]
    position: Vector,
    /// Point in the middle of the picture \[m\]. Absent: the middle of all bodies.
    target: Option<Vector>,
    /// Direction that is upward in the picture. Absent: against gravity.
    up: Option<Vector>,
    /// Angle from the lower to the upper border of the picture \[degrees\].
    #[serde(default = "default_view")]
    #[schemars(extend("maximum" = WIDEST_VIEW_DEG))]
    field_of_view: Positive,
    /// Keyframes of the camera, which turns about its target.
    motion: Option<MotionTable>,
}

fn default_view() -> Positive {
    Number(DEFAULT_VIEW_DEG)
}

impl From<&SceneCamera> for CameraTable {
    fn from(camera: &SceneCamera) -> Self {
        let SceneCamera { position, target, up, field_of_view_deg, motion } = camera;
        Self {
            position: (*position).into(),
            target: target.map(Vector::from),
            up: up.map(Vector::from),
            field_of_view: Number(*field_of_view_deg),
            motion: (!motion.keys.is_empty()).then(|| motion.into()),
        }
    }
}

impl CameraTable {
    /// The camera, checked.
    pub(crate) fn resolve(&self, at: &Place<'_>) -> SceneCamera {
        let camera = SceneCamera {
            position: self.position.get(),
            target: self.target.map(Vector::get),
            up: self.up.map(Vector::get),
            field_of_view_deg: self.field_of_view.0,
            motion: self
                .motion
                .as_ref()
                .map_or(KeyframedMotion::default(), |motion| motion.resolve(&at.at("motion"))),
        };
        check(&camera, at);
        camera
    }
}

fn check(camera: &SceneCamera, at: &Place<'_>) {
    let SceneCamera { position, target, up, field_of_view_deg, .. } = camera;
    if *field_of_view_deg > WIDEST_VIEW_DEG {
        at.at("field_of_view").refuse(
            format!("`{at}.field_of_view` is {field_of_view_deg}, which is too wide"),
            format!("an angle in degrees, at most {WIDEST_VIEW_DEG}").as_str(),
        );
    }
    if up.is_some_and(|up| up.try_normalize().is_none()) {
        at.at("up").refuse(format!("`{at}.up` has no direction"), "must not be zero");
        return;
    }
    let Some(target) = target else { return };
    let ahead = target - position;
    let aside = up.map_or(ahead, |up| ahead.cross(up.normalize_or_zero()));
    if ahead.length() < 1e-9 || aside.length() < 1e-9 * ahead.length() {
        at.at("target").refuse(
            format!("`{at}.target` gives the camera no view: it stands there, or looks along up"),
            "position, target and up must not lie on one line",
        );
    }
}
