//! Placements, motions, friction.

use crate::reader::{Item, Range, TableReader};
use glam::DVec3;
use taffeta_core::{Friction, Keyframe, Motion, Placement};

/// Reads `place`, or the default.
pub(super) fn read_place(table: &TableReader<'_>) -> Placement {
    let default = Placement::default();
    let Some(place) = table.get("place").and_then(|item| item.table(&["translate", "rotate_deg", "scale"]))
    else {
        return default;
    };
    Placement {
        translate: place.vec3("translate", default.translate),
        rotate_deg: place.vec3("rotate_deg", default.rotate_deg),
        scale: place.number("scale", default.scale, Range::Positive),
    }
}

/// Reads `motion`, or rest.
pub(super) fn read_motion(table: &TableReader<'_>) -> Motion {
    let Some(items) = table.get("motion").and_then(|item| item.array()) else { return Motion::default() };
    let keys: Vec<Keyframe> = items.iter().filter_map(read_keyframe).collect();
    if keys.len() == items.len() {
        for (pair, item) in keys.windows(2).zip(items.iter().skip(1)) {
            if pair[1].time <= pair[0].time {
                let message = format!(
                    "keyframe times must increase, but t = {} follows t = {}",
                    pair[1].time, pair[0].time
                );
                item.context.report(&format!("{}.t", item.key), message, None);
                break;
            }
        }
    }
    Motion { keys }
}

fn read_keyframe(item: &Item<'_>) -> Option<Keyframe> {
    let table = item.table(&["t", "translate", "rotate_deg"])?;
    let time = table.require("t", "t = 0.0").and_then(|item| item.number(Range::Finite))?;
    Some(Keyframe {
        time,
        translate: table.vec3("translate", DVec3::ZERO),
        rotate_deg: table.vec3("rotate_deg", DVec3::ZERO),
    })
}

/// Reads `friction`; what is absent is taken from the default, such that the static coefficient is not the smaller.
pub(super) fn read_friction(table: &TableReader<'_>, default: Friction) -> Friction {
    let Some(friction) = table.get("friction").and_then(|item| item.table(&["static", "kinetic"])) else {
        return default;
    };
    let read = |key: &str| friction.get(key).and_then(|item| item.number(Range::NotNegative));
    match (read("static"), read("kinetic")) {
        (Some(static_), Some(kinetic)) => {
            if kinetic > static_ {
                let message = format!("kinetic friction {kinetic} is greater than static friction {static_}");
                let help = "must be at most the static one".to_owned();
                let key = format!("{}.kinetic", friction.item.key);
                friction.item.context.report(&key, message, Some(help));
            }
            // Reported once is enough: what follows goes on with a possible pair.
            Friction { static_, kinetic: kinetic.min(static_) }
        }
        (Some(static_), None) => Friction { static_, kinetic: default.kinetic.min(static_) },
        (None, Some(kinetic)) => Friction { static_: default.static_.max(kinetic), kinetic },
        (None, None) => default,
    }
}
