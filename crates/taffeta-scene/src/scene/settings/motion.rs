//! Placements, motions, friction: what all bodies have.

use crate::keys::{NotNegative, Number, Positive, Vector};
use crate::place::Place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use taffeta_core::{Friction, Keyframe, KeyframedMotion, Placement};

/// Scale, then rotate about the axes x, y and z in turn, then translate.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "place", default, deny_unknown_fields)]
pub(crate) struct PlaceTable {
    /// Translation \[m\].
    translate: Vector,
    /// Angles about x, y, z \[degrees\].
    rotate_deg: Vector,
    /// Scale.
    scale: Positive,
}

impl Default for PlaceTable {
    fn default() -> Self {
        Self::from(&Placement::default())
    }
}

impl From<&Placement> for PlaceTable {
    fn from(place: &Placement) -> Self {
        let Placement { translate, rotate_deg, scale } = *place;
        Self { translate: translate.into(), rotate_deg: rotate_deg.into(), scale: Number(scale) }
    }
}

impl PlaceTable {
    /// The placement.
    pub(crate) fn resolve(&self) -> Placement {
        let Self { translate, rotate_deg, scale } = self;
        Placement { translate: translate.get(), rotate_deg: rotate_deg.get(), scale: scale.0 }
    }
}

/// A keyframe.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "keyframe", deny_unknown_fields)]
pub(crate) struct KeyframeTable {
    /// Time \[s\]; must increase from key to key.
    #[schemars(example = 0.0)]
    t: Number,
    /// Translation \[m\].
    #[serde(default)]
    translate: Vector,
    /// Angles about x, y, z \[degrees\].
    #[serde(default)]
    rotate_deg: Vector,
    /// Jump: stays at the keyframe before until `t`, and is then here at once, with the bodies that a pin holds.
    #[schemars(extend("default" = false))]
    teleport: Option<bool>,
}

/// Keyframes, linear between, constant before the first and after the last.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub(crate) struct MotionTable(Vec<KeyframeTable>);

impl From<&KeyframedMotion> for MotionTable {
    fn from(motion: &KeyframedMotion) -> Self {
        let row = |(number, key): (usize, &Keyframe)| KeyframeTable {
            t: Number(key.time),
            translate: key.translate.into(),
            rotate_deg: key.rotate_deg.into(),
            teleport: motion.jumps.contains(&number).then_some(true),
        };
        Self(motion.keys.iter().enumerate().map(row).collect())
    }
}

impl MotionTable {
    /// The motion.
    pub(crate) fn resolve(&self, at: &Place<'_>) -> KeyframedMotion {
        let row = |key: &KeyframeTable| Keyframe {
            time: key.t.0,
            translate: key.translate.get(),
            rotate_deg: key.rotate_deg.get(),
        };
        let keys: Vec<Keyframe> = self.0.iter().map(row).collect();
        let late = keys.windows(2).position(|pair| pair[1].time <= pair[0].time);
        if let Some(first) = late {
            let (before, after) = (keys[first].time, keys[first + 1].time);
            at.at(first + 1)
                .at("t")
                .refuse(format!("keyframe times must increase, but t = {after} follows t = {before}"), None);
        }
        let jumps = self.0.iter().enumerate().filter(|(_, key)| key.teleport == Some(true));
        let mut jumps: Vec<usize> = jumps.map(|(number, _)| number).collect();
        if jumps.first() == Some(&0) {
            let message =
                "the first keyframe cannot teleport: there is none before it to come from".to_owned();
            at.at(0).at("teleport").refuse(message, "put a keyframe before it");
            jumps.remove(0);
        }
        KeyframedMotion { jumps, ..KeyframedMotion::from(keys) }
    }
}

/// Coulomb friction; of a pair the geometric mean counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "friction", deny_unknown_fields)]
pub(crate) struct FrictionTable {
    /// Coefficient at rest.
    #[schemars(extend("default" = Friction::default().static_))]
    r#static: Option<NotNegative>,
    /// Coefficient while sliding, at most the static one.
    #[schemars(extend("default" = Friction::default().kinetic))]
    kinetic: Option<NotNegative>,
}

impl From<Friction> for FrictionTable {
    fn from(Friction { static_, kinetic }: Friction) -> Self {
        Self { r#static: Some(Number(static_)), kinetic: Some(Number(kinetic)) }
    }
}

impl FrictionTable {
    /// The friction; what is absent is taken from the default, such that the static coefficient is not the smaller.
    pub(crate) fn resolve(&self, default: Friction, at: &Place<'_>) -> Friction {
        match (self.r#static.map(f64::from), self.kinetic.map(f64::from)) {
            (Some(static_), Some(kinetic)) => {
                if kinetic > static_ {
                    let message =
                        format!("kinetic friction {kinetic} is greater than static friction {static_}");
                    at.at("kinetic").refuse(message, "must be at most the static one");
                }
                // Reported once is enough: what follows goes on with a possible pair.
                Friction { static_, kinetic: kinetic.min(static_) }
            }
            (Some(static_), None) => Friction { static_, kinetic: default.kinetic.min(static_) },
            (None, Some(kinetic)) => Friction { static_: default.static_.max(kinetic), kinetic },
            (None, None) => default,
        }
    }
}
