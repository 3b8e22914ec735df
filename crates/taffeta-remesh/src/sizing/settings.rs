//! Settings of the remesher.

use serde::{Deserialize, Serialize};

/// Default of the distance between a face and the smooth cloth \[m\]: the visible detail of a cloth of a few meters.
const DEFAULT_ERROR: f64 = 0.004;

/// Limits and thresholds of remeshing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemeshSettings {
    /// Smallest edge length \[m\], in material space.
    pub size_min: f64,
    /// Largest edge length \[m\], in material space.
    pub size_max: f64,
    /// Angle between the normals at the ends of an edge that is fine enough \[rad\].
    pub refine_angle: f64,
    /// Change of the strain's norm along an edge that is fine enough.
    pub refine_strain: f64,
    /// A length \[m\]: compressed cloth wants edges of this over the root of its compression, `1 − λ²` with `λ` its
    /// stretch, so that folds that are coming find vertices. `None`: compression is not looked at.
    pub refine_compression: Option<f64>,
    /// Change of the velocity along an edge that is fine enough \[m/s\]. `None`: velocities are not looked at.
    pub refine_velocity: Option<f64>,
    /// Change of the distance to an obstacle along an edge that is fine enough, relative to that distance. `None`: obstacles
    /// are not looked at.
    pub refine_obstacle: Option<f64>,
    /// Largest distance of a face from the smooth cloth that it stands for \[m\]. It replaces all five thresholds above, which
    /// then do not count. Curvature, now and at the end of the next interval, and change of strain are compared with the error
    /// of linear interpolation. Compression is compared with the folds that an edge could hide. `None`: the thresholds count.
    pub refine_error: Option<f64>,
    /// Factor by which edges may be longer outside the picture of the camera, or far from it, at least 1; see
    /// [`View`](crate::View). `None`: the camera does not matter.
    pub coarsen_unseen: Option<f64>,
    /// Largest displacement of the material points of the cloth by a pass, RMS relative to its size. Collapses and flips that
    /// would move them more wait for later passes. One that exceeds the limit by itself is not made. `None`: there is no bound. By
    /// default a tenth of a pixel where the cloth fills the width of a screen.
    pub popping: Option<f64>,
    /// True if edges may be longer along folds than across them. Otherwise all directions get the shortest length
    /// that one of them asks for.
    pub anisotropic: bool,
    /// Frames between two passes, at least 1.
    pub interval: u32,
    /// Vertices of the cloth at most: where it asks for more, all its edges get longer by the same factor.
    pub max_vertices: usize,
}

impl Default for RemeshSettings {
    /// One tolerance: [`refine_error`](Self::refine_error), along folds. Bending by hinges is stiffer on long triangles: there
    /// `anisotropic` is better off.
    fn default() -> Self {
        Self { refine_error: Some(DEFAULT_ERROR), anisotropic: true, ..Self::by_thresholds() }
    }
}

impl RemeshSettings {
    /// The defaults without one tolerance: thresholds decide.
    pub fn by_thresholds() -> Self {
        Self {
            size_min: 0.005,
            size_max: 0.10,
            refine_angle: 0.25,
            refine_strain: 0.05,
            refine_compression: Some(0.005),
            refine_velocity: Some(1.0),
            refine_obstacle: None,
            refine_error: None,
            coarsen_unseen: None,
            popping: Some(1e-4),
            anisotropic: false,
            interval: 1,
            max_vertices: 200_000,
        }
    }
}

/// A setting that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name} is {value}, but must be {allowed}")]
pub struct BadSetting {
    /// Name of the field.
    pub name: &'static str,
    /// Its value, in its unit.
    pub value: f64,
    /// Description of the allowed range.
    pub allowed: &'static str,
}

impl RemeshSettings {
    /// Settings for edges that are so many times as long, also where thresholds decide and not the sizes. Differences along an edge
    /// grow with it, distances from the surface with its square.
    pub fn coarsened(&self, factor: f64) -> Self {
        let grown = |threshold: Option<f64>| threshold.map(|value| factor * value);
        Self {
            size_min: (factor * self.size_min).min(self.size_max),
            refine_angle: factor * self.refine_angle,
            refine_strain: factor * self.refine_strain,
            refine_compression: grown(self.refine_compression),
            refine_velocity: grown(self.refine_velocity),
            refine_obstacle: grown(self.refine_obstacle),
            refine_error: self.refine_error.map(|error| factor * factor * error),
            ..*self
        }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// The first setting that is out of range.
    pub fn validate(&self) -> Result<(), BadSetting> {
        let Self { size_min, size_max, refine_angle, refine_strain, interval, max_vertices, .. } = *self;
        let Self {
            refine_compression,
            refine_velocity,
            refine_obstacle,
            refine_error,
            coarsen_unseen,
            popping,
            ..
        } = *self;
        let positive = [
            ("size_min", size_min),
            ("size_max", size_max),
            ("refine_angle", refine_angle),
            ("refine_strain", refine_strain),
            // Those that are not given are fine.
            ("refine_compression", refine_compression.unwrap_or(1.0)),
            ("refine_velocity", refine_velocity.unwrap_or(1.0)),
            ("refine_obstacle", refine_obstacle.unwrap_or(1.0)),
            ("refine_error", refine_error.unwrap_or(1.0)),
            ("popping", popping.unwrap_or(1.0)),
            ("interval", f64::from(interval)),
            ("max_vertices", max_vertices as f64),
        ];
        let refuse = |name, value, allowed| Err(BadSetting { name, value, allowed });
        for (name, value) in positive {
            if !value.is_finite() || value <= 0.0 {
                return refuse(name, value, "finite and greater than 0");
            }
        }
        if let Some(factor) = coarsen_unseen.filter(|factor| !factor.is_finite() || *factor < 1.0) {
            return refuse("coarsen_unseen", factor, "finite and at least 1");
        }
        if size_min > size_max {
            return refuse("size_min", size_min, "at most size_max");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_settings_are_refused_by_name() {
        assert_eq!(RemeshSettings::default().validate(), Ok(()));
        let refused = |settings: RemeshSettings| settings.validate().unwrap_err().name;
        let default = RemeshSettings::default();
        assert_eq!(refused(RemeshSettings { size_min: 0.2, ..default }), "size_min");
        assert_eq!(refused(RemeshSettings { size_max: f64::NAN, ..default }), "size_max");
        assert_eq!(refused(RemeshSettings { refine_angle: 0.0, ..default }), "refine_angle");
        assert_eq!(refused(RemeshSettings { refine_velocity: Some(-1.0), ..default }), "refine_velocity");
        assert_eq!(refused(RemeshSettings { refine_error: Some(f64::INFINITY), ..default }), "refine_error");
        assert_eq!(refused(RemeshSettings { coarsen_unseen: Some(0.5), ..default }), "coarsen_unseen");
        assert_eq!(refused(RemeshSettings { popping: Some(0.0), ..default }), "popping");
        assert_eq!(RemeshSettings { popping: None, ..default }.validate(), Ok(()));
        assert_eq!(refused(RemeshSettings { interval: 0, ..default }), "interval");
    }
}
