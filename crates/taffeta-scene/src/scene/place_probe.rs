//! Probes on cloths.

use super::assemble::{Assembly, PlacedProbe};
use super::check::find_nearest;
use super::probe::Probe;
use taffeta_sim::ClothDescription;

/// How far beside the sheet a probe may lie, relative to the size of the sheet. It is moved onto the sheet.
const PROBE_SLACK: f64 = 1e-6;

impl Assembly<'_> {
    /// A probe on the cloth that carries it; `None` if it is refused.
    pub(super) fn place_probe(
        &mut self,
        key: &str,
        probe: &Probe,
        cloth: &ClothDescription,
    ) -> Option<PlacedProbe> {
        let Some(material) = &cloth.mesh.material else {
            let message = format!(
                "the probe {:?} needs material coordinates, but the mesh of the cloth {:?} has no vt",
                probe.name, cloth.name
            );
            self.report(&format!("{key}.material"), message);
            return None;
        };
        let panels = cloth.mesh.panels();
        let count = panels.iter().max().map_or(0, |last| last + 1);
        if let Some(panel) = probe.panel.filter(|panel| *panel >= count) {
            let message = format!(
                "the probe {:?} is on panel {panel}, but the cloth {:?} has panels 0 to {}",
                probe.name,
                cloth.name,
                count - 1
            );
            self.report(&format!("{key}.panel"), message);
            return None;
        }
        let is_wanted = |face: usize| probe.panel.is_none_or(|panel| panels[face] == panel);
        let nearest = find_nearest(material, probe.material, is_wanted)?;
        let mut corners = material.iter().flatten().copied();
        let first = corners.next().unwrap_or_default();
        let (low, high) = corners.fold((first, first), |(low, high), u| (low.min(u), high.max(u)));
        let slack = PROBE_SLACK * (high - low).max_element();
        if nearest.distance > slack {
            let message = format!(
                "the probe {:?} at [{}, {}] is not on the cloth {:?}: the nearest point, [{}, {}], is {:.3e} m away",
                probe.name,
                probe.material.x,
                probe.material.y,
                cloth.name,
                nearest.point.x,
                nearest.point.y,
                nearest.distance
            );
            self.report(&format!("{key}.material"), message);
            return None;
        }
        self.check_panel(key, probe, cloth, slack)?;
        Some(PlacedProbe {
            name: probe.name.clone(),
            cloth: probe.cloth,
            panel: panels[nearest.face],
            material: if nearest.distance > 0.0 { nearest.point } else { probe.material },
            face: nearest.face as u32,
            weights: nearest.weights,
        })
    }

    /// Refuses a probe that several panels carry while it does not say on which it is; `slack` is how far beside a panel it
    /// may lie \[m\].
    fn check_panel(&mut self, key: &str, probe: &Probe, cloth: &ClothDescription, slack: f64) -> Option<()> {
        let (Some(material), None) = (&cloth.mesh.material, probe.panel) else { return Some(()) };
        let panels = cloth.mesh.panels();
        let count = panels.iter().max().map_or(0, |last| last + 1);
        let on_panel = |panel: &u32| {
            let found = find_nearest(material, probe.material, |face| panels[face] == *panel);
            found.is_some_and(|found| found.distance <= slack)
        };
        let candidates: Vec<u32> = (0..count).filter(on_panel).collect();
        if candidates.len() <= 1 {
            return Some(());
        }
        let names: Vec<String> = candidates.iter().map(u32::to_string).collect();
        let message = format!(
            "the probe {:?} at [{}, {}] is on several panels of the cloth {:?}: {}; say on which, as in `panel = {}`",
            probe.name,
            probe.material.x,
            probe.material.y,
            cloth.name,
            names.join(", "),
            names[0]
        );
        self.report(&format!("{key}.material"), message);
        None
    }
}
