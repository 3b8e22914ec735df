//! The keys of a solid.

use super::body::SceneSolid;
use super::pin_table::SolidPinTable;
use super::solid::SolidShape;
use crate::keys::{
    BodyName, Count, FilePath, Fixed, Ignored, NotNegative, Number, Positive, Tables, Vector, exactly_one,
};
use crate::place::Place;
use crate::scene::settings::material::report_material;
use crate::scene::settings::motion::{FrictionTable, PlaceTable};
use crate::scene::settings::projective::warn_of_projective_solid;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use taffeta_core::Friction;
use taffeta_sim::{PinDescription, SolidDescription, SolidMaterial, SolverChoice};

/// The keys that say where the tetrahedra come from.
const SHAPES: [&str; 2] = ["box", "mesh"];
/// Cells of a box: more need over 10 GB and are taken for a mistake.
const MAX_CELLS: u64 = 4_000_000;

/// A solid. Exactly one of box, mesh.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "solid", deny_unknown_fields)]
#[schemars(extend("oneOf" = exactly_one(&SHAPES)))]
pub(crate) struct SolidTable {
    /// Name, unique in the scene; files are named after it.
    #[serde(default = "default_name")]
    pub name: BodyName,
    /// A box from the origin, five tetrahedra per cell.
    r#box: Option<BoxTable>,
    /// A Gmsh file (.msh, ASCII, version 2.2 or 4.1) with tetrahedra, relative to the scene.
    #[schemars(with = "Option<FilePath>")]
    mesh: Option<String>,
    /// Its material.
    #[schemars(example = json!({ "density": 1000.0, "young": 1e5, "poisson": 0.3 }))]
    material: SolidMaterialTable,
    /// Stiffness k of ½kV(det F − 1)² on top \[Pa\].
    #[serde(default)]
    volume_stiffness: NotNegative,
    /// Placement of the solid.
    #[serde(default)]
    place: PlaceTable,
    /// Initial velocity \[m/s\].
    #[serde(default)]
    velocity: Vector,
    /// Initial angular velocity about the center of mass \[rad/s\].
    #[serde(default)]
    angular_velocity: Vector,
    /// Pins.
    #[serde(default)]
    pub pin: Tables<SolidPinTable>,
    /// Not supported: a solid keeps its tetrahedra.
    remesh: Option<Ignored>,
}

fn default_name() -> BodyName {
    BodyName("solid".to_owned())
}

/// A box from the origin, five tetrahedra per cell.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "box", deny_unknown_fields)]
struct BoxTable {
    /// Its sides \[m\].
    #[schemars(example = json!([0.2, 0.2, 0.2]))]
    size: Fixed<Positive, 3>,
    /// Cells along its sides.
    #[schemars(example = json!([4, 4, 4]))]
    cells: Fixed<Count<1, MAX_CELLS>, 3>,
}

/// The material of a solid, which has other quantities than cloth.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "solid_material", deny_unknown_fields)]
struct SolidMaterialTable {
    /// Density \[kg/m³\].
    #[schemars(example = 1000.0)]
    density: Positive,
    /// Young's modulus \[Pa\].
    #[schemars(example = 1e5)]
    young: Positive,
    /// Poisson's ratio.
    #[schemars(example = 0.3, extend("exclusiveMinimum" = -1, "exclusiveMaximum" = 0.5))]
    poisson: Number,
    /// Time constant of damping \[s\].
    #[serde(default)]
    damping: NotNegative,
    /// Friction of the surface.
    #[serde(default)]
    friction: FrictionTable,
}

impl SolidMaterialTable {
    fn resolve(&self, at: &Place<'_>) -> Option<SolidMaterial> {
        let material = SolidMaterial {
            damping: self.damping.0,
            friction: self.friction.resolve(Friction::default(), &at.at("friction")),
            ..SolidMaterial::new(self.density.0, self.young.0, self.poisson.0)
        };
        report_material(material.validate(), at).then_some(material)
    }
}

impl From<&SceneSolid> for SolidTable {
    fn from(solid: &SceneSolid) -> Self {
        let SolidMaterial { density, young, poisson, damping, volume_stiffness, friction } = solid.material;
        let (r#box, mesh) = match &solid.shape {
            SolidShape::Box { size, cells } => {
                let cells = Fixed(cells.map(Count::from));
                (Some(BoxTable { size: (*size).into(), cells }), None)
            }
            SolidShape::Mesh { path } => (None, Some(path.to_string_lossy().into_owned())),
        };
        Self {
            name: BodyName(solid.name.clone()),
            r#box,
            mesh,
            material: SolidMaterialTable {
                density: Number(density),
                young: Number(young),
                poisson: Number(poisson),
                damping: Number(damping),
                friction: friction.into(),
            },
            volume_stiffness: Number(volume_stiffness),
            place: (&solid.place).into(),
            velocity: solid.velocity.into(),
            angular_velocity: solid.angular_velocity.into(),
            pin: solid.pins.iter().map(SolidPinTable::from).collect(),
            remesh: None,
        }
    }
}

impl SolidTable {
    /// The solid, checked.
    pub(crate) fn resolve(&self, solver: SolverChoice, at: &Place<'_>) -> Option<SceneSolid> {
        if self.remesh.is_some() {
            let message = format!("`{at}.remesh` is not supported: a solid keeps its tetrahedra");
            at.at("remesh").refuse(message, "choose the `cells` of its box");
        }
        let shape = self.resolve_shape(at);
        let material = self.material.resolve(&at.at("material"));
        let pins = self.resolve_pins(solver, at);
        let material = SolidMaterial { volume_stiffness: self.volume_stiffness.0, ..material? };
        if solver == SolverChoice::Projective {
            warn_of_projective_solid(&material, at);
        }
        let description = SolidDescription {
            velocity: self.velocity.get(),
            angular_velocity: self.angular_velocity.get(),
            pins,
            ..SolidDescription::new(self.name.0.clone(), Vec::new(), Vec::new(), material)
        };
        Some(SceneSolid { shape: shape?, place: self.place.resolve(), seams: Vec::new(), description })
    }

    fn resolve_pins(&self, solver: SolverChoice, at: &Place<'_>) -> Vec<PinDescription> {
        let pins = self.pin.0.iter().enumerate();
        pins.filter_map(|(number, pin)| pin.resolve(solver, &at.at("pin").at(number))).collect()
    }

    fn resolve_shape(&self, at: &Place<'_>) -> Option<SolidShape> {
        let help = "box = { size = [0.2, 0.2, 0.2], cells = [4, 4, 4] }, or mesh = \"file.msh\"";
        match at.only_one(&SHAPES, help)? {
            "box" => resolve_box(self.r#box.as_ref()?, &at.at("box.cells")),
            _ => resolve_mesh(self.mesh.as_ref()?, &at.at("mesh")),
        }
    }
}

fn resolve_box(BoxTable { size, cells: Fixed([x, y, z]) }: &BoxTable, at: &Place<'_>) -> Option<SolidShape> {
    let count = x.0.saturating_mul(y.0).saturating_mul(z.0);
    if count > MAX_CELLS {
        at.refuse(format!("`{at}` makes {count} cells"), format!("at most {MAX_CELLS} cells").as_str());
        return None;
    }
    Some(SolidShape::Box { size: size.get(), cells: [x, y, z].map(|count| count.to_u32()) })
}

fn resolve_mesh(path: &str, at: &Place<'_>) -> Option<SolidShape> {
    if !Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("msh")) {
        at.refuse(
            format!("`{at}` is {path:?}, but the mesh of a solid must be a Gmsh file, .msh"),
            "surfaces (OBJ, STL, PLY) have no tetrahedra: mesh their inside with Gmsh or fTetWild; `meshio convert \
             --ascii --output-format gmsh22` makes .msh files from other files of tetrahedra",
        );
        return None;
    }
    Some(SolidShape::Mesh { path: at.absolute(path) })
}
