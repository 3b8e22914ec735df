//! Probes on cloths.

use super::assemble::{Assembly, PlacedProbe};
use crate::scene::bodies::probe::Probe;
use taffeta_core::panel_point::{Nearest, PanelSearch};
use taffeta_core::{PanelError, PanelPoint};
use taffeta_sim::ClothDescription;

/// Distance from the sheet that is round-off, relative to that within which a probe is moved onto it.
const ROUND_OFF: f64 = 1e-6;

impl Assembly<'_> {
    /// A probe on the cloth that carries it; `None` if it is refused.
    pub(super) fn place_probe(
        &mut self,
        key: &str,
        probe: &Probe,
        cloth: &ClothDescription,
    ) -> Option<PlacedProbe> {
        let refuse = |(field, message): (&str, String)| self.report(&format!("{key}.{field}"), message);
        find_probe(probe, cloth).map_err(refuse).ok()
    }
}

/// Finds the face that carries a probe.
///
/// # Errors
/// The key that is wrong, and a message.
fn find_probe(probe: &Probe, cloth: &ClothDescription) -> Result<PlacedProbe, (&'static str, String)> {
    let (name, PanelPoint { panel, material: wanted }) = (&probe.name, probe.point);
    let Some(material) = &cloth.mesh.material else {
        let message = format!(
            "the probe {name:?} needs material coordinates, but the mesh of the cloth {:?} has no vt",
            cloth.name
        );
        return Err(("material", message));
    };
    let at = format!("the probe {name:?} at [{}, {}]", wanted.x, wanted.y);
    let corners = material.iter().map(|corners| corners.map(|u| u.extend(0.0)));
    let search = PanelSearch::run(cloth.mesh.panels().into_iter().zip(corners), wanted.extend(0.0));
    let found = search.choose(panel).map_err(|error| match error {
        PanelError::Unknown { panel, count } => {
            let last = count - 1;
            let message = format!(
                "the probe {name:?} is on panel {panel}, but the cloth {:?} has panels 0 to {last}",
                cloth.name
            );
            ("panel", message)
        }
        PanelError::Several(panels) => {
            let names = panels.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            let message = format!(
                "{at} is on several panels of the cloth {:?}: {names}; say on which, as in `panel = {}`",
                cloth.name, panels[0]
            );
            ("material", message)
        }
    })?;
    let Nearest { face, weights, panel, point, distance } = found.expect("a cloth has faces");
    if distance > search.slack() {
        let message = format!(
            "{at} is not on the cloth {:?}: the nearest point, [{}, {}], is {distance:.3e} m away",
            cloth.name, point.x, point.y
        );
        return Err(("material", message));
    }
    let material = if distance > ROUND_OFF * search.slack() { point.truncate() } else { wanted };
    Ok(PlacedProbe {
        name: name.clone(),
        cloth: probe.cloth,
        point: PanelPoint::on(panel, material),
        face,
        weights,
    })
}
