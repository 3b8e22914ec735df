//! Remeshing of a cloth.

use crate::keys::{ABOVE_ZERO, Count, FROM_ONE, Number, OrOff, Positive};
use crate::place::Place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use taffeta_remesh::RemeshSettings;

/// Keys that one `refine_error` takes the place of.
const THRESHOLDS: [&str; 5] =
    ["refine_angle", "refine_strain", "refine_compression", "refine_velocity", "refine_obstacle"];

/// A count that begins with 1.
type FromOneOn = Count<1>;

/// Remeshing. Absent: the mesh does not change.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "remesh", default, deny_unknown_fields)]
pub(crate) struct RemeshTable {
    /// Smallest edge length \[m\].
    size_min: Positive,
    /// Largest edge length \[m\].
    size_max: Positive,
    /// Angle between normals at the ends of an edge \[rad\].
    #[schemars(extend("default" = RemeshSettings::default().refine_angle))]
    refine_angle: Option<Positive>,
    /// Change of strain along an edge.
    #[schemars(extend("default" = RemeshSettings::default().refine_strain))]
    refine_strain: Option<Positive>,
    /// Compressed cloth wants edges of this length over the root of its compression \[m\].
    #[schemars(extend("default" = default_of(RemeshSettings::default().refine_compression)))]
    refine_compression: Option<OrOff<ABOVE_ZERO>>,
    /// Change of velocity along an edge \[m/s\].
    #[schemars(extend("default" = default_of(RemeshSettings::default().refine_velocity)))]
    refine_velocity: Option<OrOff<ABOVE_ZERO>>,
    /// Change of the distance to an obstacle along an edge, relative to it.
    #[schemars(extend("default" = default_of(RemeshSettings::default().refine_obstacle)))]
    refine_obstacle: Option<OrOff<ABOVE_ZERO>>,
    /// Largest distance of a face from the smooth cloth \[m\]. The other refine_… keys decide if one of them is given, or if
    /// this one is false.
    #[schemars(extend("default" = default_of(RemeshSettings::default().refine_error)))]
    refine_error: Option<OrOff<ABOVE_ZERO>>,
    /// Factor by which edges may be longer outside the picture of the camera, or farther from it than its target, at most
    /// size_max. Needs \[camera\] with a target.
    coarsen_unseen: OrOff<FROM_ONE>,
    /// Largest distance by which a pass moves material points, root mean square, as a part of the size of the cloth; false:
    /// any. Edits that would move them farther wait.
    popping: OrOff<ABOVE_ZERO>,
    /// Edges may be longer along folds than across them. Absent: true with refine_error and bending by curvature, if no
    /// seams are sewn.
    anisotropic: Option<bool>,
    /// Frames between passes.
    interval: FromOneOn,
    /// Most vertices.
    max_vertices: FromOneOn,
}

/// A default that the schema shows.
fn default_of(value: Option<f64>) -> OrOff<ABOVE_ZERO> {
    OrOff(value)
}

impl Default for RemeshTable {
    fn default() -> Self {
        let settings = RemeshSettings::default();
        // Whether thresholds are given decides whether they count.
        Self {
            refine_angle: None,
            refine_strain: None,
            refine_compression: None,
            refine_velocity: None,
            refine_obstacle: None,
            refine_error: None,
            anisotropic: None,
            ..Self::from(&settings)
        }
    }
}

impl From<&RemeshSettings> for RemeshTable {
    fn from(settings: &RemeshSettings) -> Self {
        let RemeshSettings {
            size_min,
            size_max,
            refine_angle,
            refine_strain,
            refine_compression,
            refine_velocity,
            refine_obstacle,
            refine_error,
            coarsen_unseen,
            popping,
            anisotropic,
            interval,
            max_vertices,
        } = *settings;
        // One error takes the place of the thresholds.
        let threshold = |value: f64| refine_error.is_none().then_some(Number(value));
        let or_off = |value: Option<f64>| refine_error.is_none().then_some(OrOff(value));
        Self {
            size_min: Number(size_min),
            size_max: Number(size_max),
            refine_angle: threshold(refine_angle),
            refine_strain: threshold(refine_strain),
            refine_compression: or_off(refine_compression),
            refine_velocity: or_off(refine_velocity),
            refine_obstacle: or_off(refine_obstacle),
            refine_error: refine_error.map(|error| OrOff(Some(error))),
            coarsen_unseen: OrOff(coarsen_unseen),
            popping: OrOff(popping),
            anisotropic: Some(anisotropic),
            interval: interval.into(),
            max_vertices: Count(max_vertices as u64),
        }
    }
}

impl RemeshTable {
    /// The settings, checked; `may_stretch` says whether one error makes the mesh anisotropic if the scene does not say. `tolerance` \[m\]
    /// is that of the scene.
    pub(crate) fn resolve(
        &self,
        may_stretch: bool,
        tolerance: Option<f64>,
        at: &Place<'_>,
    ) -> RemeshSettings {
        let default = RemeshSettings::default();
        // Who gives thresholds wants them.
        let unless_given = tolerance.or(default.refine_error).filter(|_| at.given(&THRESHOLDS).is_empty());
        let refine_error = self.refine_error.map_or(unless_given, |error| error.0);
        let or = |key: Option<Positive>, default: f64| key.map_or(default, f64::from);
        let or_off = |key: Option<OrOff<ABOVE_ZERO>>, default| key.map_or(default, |key| key.0);
        let settings = RemeshSettings {
            size_min: self.size_min.0,
            size_max: self.size_max.0,
            refine_angle: or(self.refine_angle, default.refine_angle),
            refine_strain: or(self.refine_strain, default.refine_strain),
            refine_compression: or_off(self.refine_compression, default.refine_compression),
            refine_velocity: or_off(self.refine_velocity, default.refine_velocity),
            refine_obstacle: or_off(self.refine_obstacle, default.refine_obstacle),
            refine_error,
            coarsen_unseen: self.coarsen_unseen.0,
            popping: self.popping.0,
            anisotropic: self.anisotropic.unwrap_or(refine_error.is_some() && may_stretch),
            interval: self.interval.to_u32(),
            max_vertices: self.max_vertices.0 as usize,
        };
        check(&settings, at);
        settings
    }
}

fn check(settings: &RemeshSettings, at: &Place<'_>) {
    if settings.refine_error.is_some() {
        for key in at.given(&THRESHOLDS) {
            let message = format!("`{key}` is given, but `refine_error` takes its place");
            at.at(key).refuse(message, "one of the two");
        }
    }
    let RemeshSettings { size_min, size_max, .. } = settings;
    if size_min > size_max {
        let key = at.given(&["size_min", "size_max"]).first().copied().unwrap_or("size_min");
        let message = format!("size_min is {size_min} m, which is greater than size_max, {size_max} m");
        at.at(key).refuse(message, "size_min ≤ size_max");
    }
}
