//! Settings that can be changed while a simulation runs: a table of dials, and their values.

use crate::status::ControlStatus;
use glam::DVec3;
use taffeta_remesh::RemeshSettings;
use taffeta_scene::materials::preset;
use taffeta_sim::rules::grab_refusal;
use taffeta_sim::{Air, Material, Mode, SolverChoice, World, WorldDescription};

/// A number within something that can be set.
struct Dial<T> {
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    /// The range, which a value of the scene may exceed.
    range: [f64; 2],
    is_log: bool,
    read: fn(&T) -> f64,
    write: fn(&mut T, f64),
}

const fn dial<T>(
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    range: [f64; 2],
    is_log: bool,
    read: fn(&T) -> f64,
    write: fn(&mut T, f64),
) -> Dial<T> {
    Dial { name, label, unit, range, is_log, read, write }
}

const LINEAR: bool = false;
const LOG: bool = true;

const VECTOR: [Dial<DVec3>; 3] = [
    dial("x", "x", "", [-20.0, 20.0], LINEAR, |v| v.x, |v, x| v.x = x),
    dial("y", "y", "", [-20.0, 20.0], LINEAR, |v| v.y, |v, y| v.y = y),
    dial("z", "z", "", [-20.0, 20.0], LINEAR, |v| v.z, |v, z| v.z = z),
];

const MATERIAL: [Dial<Material>; 5] = [
    dial("density", "density", "kg/m²", [0.02, 2.0], LOG, |m| m.density, |m, v| m.density = v),
    dial("stretch", "stretch", "N/m", [5.0, 1e5], LOG, |m| m.stretch[0], scale_stretch),
    dial("bend", "bending", "N·m", [1e-7, 1e-2], LOG, |m| m.bend[0], |m, v| scale(&mut m.bend, v)),
    dial(
        "stretch_damping",
        "stretch damping",
        "s",
        [0.0, 0.05],
        LINEAR,
        |m| m.stretch_damping,
        |m, v| m.stretch_damping = v,
    ),
    dial(
        "bend_damping",
        "bending damping",
        "s",
        [0.0, 0.05],
        LINEAR,
        |m| m.bend_damping,
        |m, v| m.bend_damping = v,
    ),
];

const SIZES: [Dial<RemeshSettings>; 2] = [
    dial("size_min", "smallest edge", "m", [0.002, 0.5], LOG, |r| r.size_min, |r, v| r.size_min = v),
    dial("size_max", "largest edge", "m", [0.005, 1.0], LOG, |r| r.size_max, |r, v| r.size_max = v),
];

/// Thresholds that count without a tolerance.
const THRESHOLDS: [Dial<RemeshSettings>; 4] = [
    dial("refine_angle", "angle", "rad", [0.02, 2.0], LOG, |r| r.refine_angle, |r, v| r.refine_angle = v),
    dial("refine_strain", "strain", "", [0.002, 1.0], LOG, |r| r.refine_strain, |r, v| r.refine_strain = v),
    dial(
        "refine_compression",
        "compression",
        "m",
        [5e-4, 0.1],
        LOG,
        |r| r.refine_compression.unwrap_or(0.1),
        |r, v| r.refine_compression = Some(v),
    ),
    dial(
        "refine_velocity",
        "velocity",
        "m/s",
        [0.05, 20.0],
        LOG,
        |r| r.refine_velocity.unwrap_or(20.0),
        |r, v| r.refine_velocity = Some(v),
    ),
];

/// Tolerance that takes the place of the thresholds where a scene has it.
const TOLERANCE: [Dial<RemeshSettings>; 1] = [dial(
    "refine_error",
    "error",
    "m",
    [2e-4, 0.05],
    LOG,
    |r| r.refine_error.unwrap_or(0.05),
    |r, v| r.refine_error = Some(v),
)];

/// The dials that count with some settings.
fn remesh_dials(settings: &RemeshSettings) -> impl Iterator<Item = &'static Dial<RemeshSettings>> + use<> {
    let terms: &[_] = if settings.refine_error.is_some() { &TOLERANCE } else { &THRESHOLDS };
    SIZES.iter().chain(terms)
}

/// Changes warp to a value and weft in proportion.
fn scale(pair: &mut [f64; 2], value: f64) {
    *pair = if pair[0] > 0.0 { [value, pair[1] * (value / pair[0])] } else { [value; 2] };
}

/// Changes the stiffness along warp to a value, and the others in proportion.
fn scale_stretch(material: &mut Material, value: f64) {
    let factor = value / material.stretch[0];
    material.shear = material.shear.map(|shear| shear * factor);
    scale(&mut material.stretch, value);
}

/// The values of everything that can be set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Controls {
    gravity: DVec3,
    /// The error of a substep, as the scene allows it.
    accuracy: f64,
    /// `None`: a vacuum, which has no wind.
    air: Option<Air>,
    cloths: Vec<ClothControls>,
    mode: Mode,
    solver: SolverChoice,
    /// Stiffness of grabs \[N/m\].
    pub pull: f64,
}

#[derive(Clone, Debug, PartialEq)]
struct ClothControls {
    name: String,
    material: Material,
    remesh: Option<RemeshSettings>,
}

impl Controls {
    /// The values of a scene, with a stiffness of grabs \[N/m\].
    pub(crate) fn of_scene(description: &WorldDescription, pull: f64) -> Self {
        let cloths = description.cloths.iter().map(|cloth| ClothControls {
            name: cloth.name.clone(),
            material: cloth.material.clone(),
            remesh: cloth.remesh,
        });
        Self {
            gravity: description.simulation.gravity,
            accuracy: description.simulation.accuracy,
            air: description.air,
            cloths: cloths.collect(),
            mode: description.simulation.mode,
            solver: description.simulation.solver,
            pull,
        }
    }

    /// Sets all values in a world.
    pub(crate) fn apply(&self, world: &mut World) -> Result<(), String> {
        world.set_accuracy(self.accuracy).map_err(|error| error.to_string())?;
        world.set_gravity(self.gravity).map_err(|error| error.to_string())?;
        world.set_air(self.air).map_err(|error| error.to_string())?;
        let ids = world.cloth_ids().to_vec();
        for (number, (cloth, id)) in self.cloths.iter().zip(ids).enumerate() {
            // Not if it is the same: everything is built anew for another material.
            if world.cloths()[number].material != cloth.material {
                world.set_material(id, cloth.material.clone()).map_err(|error| error.to_string())?;
            }
            if let Some(remesh) = cloth.remesh {
                world.set_remesh(id, remesh).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    /// These values with one that is changed.
    pub(crate) fn with(&self, key: &str, value: f64) -> Result<Self, String> {
        let listed = self.list();
        let control = listed.iter().find(|control| control.key == key);
        let control = control.ok_or_else(|| format!("there is nothing to set with the key {key:?}"))?;
        let (low, high, unit) = (control.low, control.high, control.unit);
        if !(low..=high).contains(&value) {
            return Err(format!("{key} is {value}, but must be from {low} to {high} {unit}"));
        }
        let mut changed = self.clone();
        let mut parts = key.split('.');
        let first = parts.next().unwrap_or_default();
        let second = parts.next().unwrap_or_default();
        let last = parts.next_back().unwrap_or_default();
        match (first, &mut changed.air) {
            ("gravity", _) => turn(&VECTOR, second, &mut changed.gravity, value),
            ("wind", Some(air)) => turn(&VECTOR, second, &mut air.wind, value),
            ("cloth", _) => {
                let number: usize = second.parse().map_err(|_| format!("no cloth {second}"))?;
                let cloth = &mut changed.cloths[number];
                turn(&MATERIAL, last, &mut cloth.material, value);
                if let Some(remesh) = &mut cloth.remesh {
                    turn(remesh_dials(remesh), last, remesh, value);
                }
            }
            _ => changed.pull = value,
        }
        Ok(changed)
    }

    /// These values with a cloth made of a preset.
    pub(crate) fn with_preset(&self, cloth: usize, name: &str) -> Result<Self, String> {
        let preset = preset(name).ok_or_else(|| format!("there is no preset {name:?}"))?;
        let mut changed = self.clone();
        let count = changed.cloths.len();
        let cloth = changed.cloths.get_mut(cloth).ok_or_else(|| format!("there are {count} cloths"))?;
        cloth.material = preset.material;
        Ok(changed)
    }

    /// Everything that can be set.
    pub(crate) fn list(&self) -> Vec<ControlStatus> {
        let mut list = Vec::new();
        add(&mut list, "gravity", "gravity", "m/s²", &VECTOR, &self.gravity);
        if let Some(air) = &self.air {
            add(&mut list, "wind", "wind", "m/s", &VECTOR, &air.wind);
        }
        for (number, cloth) in self.cloths.iter().enumerate() {
            let ClothControls { name, material, remesh } = cloth;
            let prefix = format!("cloth.{number}.material");
            let dials = MATERIAL.iter().filter(|dial| self.knows(dial.name));
            add(&mut list, &prefix, &format!("{name}: material"), "", dials, material);
            if let Some(remesh) = remesh {
                let prefix = format!("cloth.{number}.remesh");
                add(&mut list, &prefix, &format!("{name}: remeshing"), "", remesh_dials(remesh), remesh);
            }
        }
        if self.refuses_grabs().is_none() {
            let pull = [dial("pull", "stiffness", "N/m", [0.1, 1e4], LOG, |v| *v, |_, _| ())];
            add(&mut list, "", "grab", "", &pull, &self.pull);
        }
        list
    }

    /// Why nothing can be grabbed, if it is so.
    pub(crate) fn refuses_grabs(&self) -> Option<&'static str> {
        grab_refusal(self.solver, self.mode)
    }

    /// Returns whether the solver in use knows a quantity of the material.
    fn knows(&self, name: &str) -> bool {
        match self.solver {
            SolverChoice::Pbd => name == "density",
            SolverChoice::Projective => !name.ends_with("damping"),
            _ => true,
        }
    }
}

fn turn<'a, T: 'a>(dials: impl IntoIterator<Item = &'a Dial<T>>, name: &str, of: &mut T, value: f64) {
    if let Some(dial) = dials.into_iter().find(|dial| dial.name == name) {
        (dial.write)(of, value);
    }
}

/// Adds dials to a list; those without a unit have that of their group.
fn add<'a, T: 'a>(
    list: &mut Vec<ControlStatus>,
    prefix: &str,
    group: &str,
    unit: &'static str,
    dials: impl IntoIterator<Item = &'a Dial<T>>,
    of: &T,
) {
    for dial in dials {
        let value = (dial.read)(of);
        let [low, high] = dial.range;
        // Zero has no logarithm.
        let is_log = dial.is_log && value > 0.0;
        list.push(ControlStatus {
            key: if prefix.is_empty() { dial.name.into() } else { format!("{prefix}.{}", dial.name) },
            group: group.to_owned(),
            label: dial.label,
            unit: if unit.is_empty() { dial.unit } else { unit },
            low: low.min(value),
            high: high.max(value),
            is_log,
            value,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;
    use taffeta_io::{GridPattern, grid};
    use taffeta_sim::ClothDescription;

    fn controls() -> (WorldDescription, Controls) {
        let mesh = grid(DVec2::ONE, [2, 2], GridPattern::Alternating, 0);
        let mut cloth = ClothDescription::new("sheet", mesh, preset("cotton").unwrap().material);
        cloth.remesh = Some(RemeshSettings::by_thresholds());
        let description =
            WorldDescription { cloths: vec![cloth], air: Some(Air::default()), ..WorldDescription::bare() };
        let controls = Controls::of_scene(&description, 10.0);
        (description, controls)
    }

    #[test]
    fn every_control_can_be_set_to_its_value_and_to_others() {
        let (description, controls) = controls();
        let mut world = World::build(&description).unwrap();
        for control in controls.list() {
            let same = controls.with(&control.key, control.value).unwrap();
            assert_eq!(same.list().iter().find(|c| c.key == control.key).unwrap().value, control.value);
            let middle = if control.is_log {
                (control.low * control.high).sqrt()
            } else {
                0.5 * (control.low + control.high)
            };
            let changed = controls.with(&control.key, middle).unwrap();
            let found = changed.list().into_iter().find(|c| c.key == control.key).unwrap().value;
            assert!((found - middle).abs() <= 1e-12 * middle.abs(), "{}: {found}, {middle}", control.key);
            changed
                .apply(&mut world)
                .or_else(|reason| if reason.contains("size_m") { Ok(()) } else { Err(reason) })
                .unwrap();
        }
    }

    #[test]
    fn a_tolerance_is_set_in_place_of_the_thresholds() {
        let (mut description, controls) = controls();
        let names = |controls: &Controls| -> Vec<String> {
            let keys = controls.list().into_iter().map(|control| control.key);
            keys.filter_map(|key| key.strip_prefix("cloth.0.remesh.").map(str::to_owned)).collect()
        };
        let thresholds = ["refine_angle", "refine_strain", "refine_compression", "refine_velocity"];
        assert_eq!(names(&controls), [&["size_min", "size_max"], &thresholds[..]].concat());
        description.cloths[0].remesh.as_mut().unwrap().refine_error = Some(0.004);
        let controls = Controls::of_scene(&description, 10.0);
        assert_eq!(names(&controls), ["size_min", "size_max", "refine_error"]);
        let changed = controls.with("cloth.0.remesh.refine_error", 0.001).unwrap();
        assert_eq!(changed.cloths[0].remesh.unwrap().refine_error, Some(0.001));
        assert!(controls.with("cloth.0.remesh.refine_angle", 0.1).unwrap_err().contains("nothing to set"));
    }

    #[test]
    fn values_out_of_range_and_unknown_keys_are_refused() {
        let (_, controls) = controls();
        for (key, value) in [("gravity.y", 1e9), ("gravity.y", f64::NAN), ("cloth.0.material.density", 0.0)] {
            assert!(controls.with(key, value).unwrap_err().contains("must be from"), "{key}");
        }
        for key in
            ["gravity", "gravity.w", "cloth.1.material.density", "cloth.0.material.size_min", "", "../.."]
        {
            assert!(controls.with(key, 1.0).unwrap_err().contains("nothing to set"), "{key}");
        }
        assert!(controls.with_preset(0, "adamant").is_err() && controls.with_preset(1, "silk").is_err());
    }

    #[test]
    fn what_nothing_can_grab_has_no_stiffness_to_set() {
        let (mut description, controls) = controls();
        let has_pull = |controls: &Controls| controls.list().iter().any(|control| control.key == "pull");
        assert!(has_pull(&controls) && controls.refuses_grabs().is_none());
        description.simulation.mode = Mode::Static;
        let still = Controls::of_scene(&description, 10.0);
        assert!(
            !has_pull(&still) && still.refuses_grabs().is_some_and(|reason| reason.contains("pin the cloth"))
        );
    }

    #[test]
    fn stiffness_is_scaled_along_warp_weft_and_shear() {
        let (_, controls) = controls();
        let before = controls.cloths[0].material.clone();
        let changed = controls.with("cloth.0.material.stretch", 2.0 * before.stretch[0]).unwrap();
        let after = &changed.cloths[0].material;
        assert!((after.stretch[1] / before.stretch[1] - 2.0).abs() < 1e-12);
        assert!((after.shear_stiffness() / before.shear_stiffness() - 2.0).abs() < 1e-12);
        assert_eq!(
            controls.with_preset(0, "silk").unwrap().cloths[0].material,
            preset("silk").unwrap().material
        );
    }
}
