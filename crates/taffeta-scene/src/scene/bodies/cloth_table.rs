//! The keys of a cloth.

use super::body::SceneCloth;
use super::cloth_shape::{BallTable, ClothShape, GridTable, SHAPES, refuse_foreign_keys, resolve_grid};
use super::pin_table::{ClothWhere, PinTable};
use super::seam::{DEFAULT_TIME, SeamTable, resolve_seams};
use crate::keys::{
    BodyName, Choice, Count, FilePath, Fixed, NotNegative, Number, Part, Plain, Positive, Spread, Tables,
    Vector, Words, exactly_one,
};
use crate::place::Place;
use crate::scene::settings::material::{Library, MaterialChoice};
use crate::scene::settings::membrane::{ProjectionKeys, resolve_membrane, resolve_scaling, warn_of_cloth};
use crate::scene::settings::motion::PlaceTable;
use crate::scene::settings::remesh::RemeshTable;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;
use std::path::Path;
use taffeta_core::TriangleMesh;
use taffeta_io::mesh_file::MeshFormat;
use taffeta_sim::rules::{ClothCase, clamp_mismatch};
use taffeta_sim::{
    BENDINGS, BendingModel, ClothDescription, Compression, EnclosedDescription, MEMBRANES, Material,
    MembraneModel, MembraneScaling, PinDescription, ProjectionStiffness, SimulationSettings, SolverChoice,
};

/// A cloth. Exactly one of grid, mesh, ball, outline, garment.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "cloth", default, deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = exactly_one(&SHAPES),
    "dependentRequired" = json!({
        "uv_scale": ["mesh"],
        "weld": ["mesh"],
        "outline": ["edge_length"],
        "garment": ["edge_length"],
        "sewing_time": ["garment"],
        "outline_scale": ["outline"],
    }),
    "dependentSchemas" = json!({
        "edge_length": { "anyOf": [{ "required": ["outline"] }, { "required": ["garment"] }] }
    })
))]
pub(crate) struct ClothTable {
    /// Name, unique in the scene; files are named after it.
    #[serde(default = "default_name")]
    pub name: BodyName,
    /// A rectangle in the xy-plane from the origin.
    pub grid: Option<GridTable>,
    /// An OBJ file, relative to the scene; its vt are the material coordinates.
    pub mesh: Option<FilePath>,
    /// A closed cloth around the origin.
    pub ball: Option<BallTable>,
    /// An SVG file whose closed paths are the pieces, in its physical size (mm, cm, in) or else in meters.
    pub outline: Option<FilePath>,
    /// A sewing pattern, the JSON specification of GarmentCode: its panels are placed, and sewn by its stitches.
    pub garment: Option<FilePath>,
    /// Time in which the stitches of `garment` close \[s\].
    #[schemars(extend("default" = DEFAULT_TIME))]
    pub sewing_time: Option<Positive>,
    /// Edge length of the mesh of `outline` or `garment` \[m\].
    pub edge_length: Option<Positive>,
    /// Meters per unit of `outline`. Absent: as the file says \[m\].
    pub outline_scale: Option<Positive>,
    /// Meters per unit of the vt of `mesh` \[m\].
    #[schemars(extend("default" = 1.0))]
    pub uv_scale: Option<Positive>,
    /// Vertices of `mesh` that are this close become one, for meshes whose faces have vertices of their own \[m\].
    pub weld: Option<Positive>,
    /// A preset (see `taffeta materials`), a name from \[materials\], or a table.
    pub material: MaterialChoice,
    /// Placement of the mesh.
    pub place: PlaceTable,
    /// Initial velocity \[m/s\].
    pub velocity: Vector,
    /// Initial angular velocity about the center of mass \[rad/s\].
    pub angular_velocity: Vector,
    /// Pressure along the face normals, following them \[Pa\].
    pub pressure: Number,
    /// The volume that a closed cloth keeps.
    pub volume: Option<VolumeTable>,
    /// Curvature at rest, uu, vv and uv \[1/m\].
    pub rest_curvature: Vector,
    /// The membrane.
    pub constraint: Option<Choice<MembraneModel>>,
    /// Solvers "block" and "xpbd": constraints are scaled by area.
    #[schemars(extend("default" = true))]
    pub scaling: Option<bool>,
    /// With scaling = false: the area of all triangles \[m²\].
    pub scaling_area: Option<Positive>,
    /// With constraint = "strain": a triangle bears no more compression than the cloth in it does without buckling, or a
    /// multiple of that. Solvers "global", "direct", "block".
    pub buckling: Buckling,
    /// With constraint = "distance" under "xpbd": force along an edge that it does not bear \[N\].
    pub break_force: Option<Positive>,
    /// Bending model.
    pub bending: Option<Choice<BendingModel>>,
    /// Solver "pbd": stiffness against stretch.
    #[schemars(extend("default" = ProjectionStiffness::default().stretch))]
    pub stiffness: Option<Part>,
    /// Solver "pbd": stiffness against bending.
    #[schemars(extend("default" = ProjectionStiffness::default().bend))]
    pub bend_stiffness: Option<Part>,
    /// Solver "pbd": stiffnesses are those of all sweeps of a substep together.
    #[schemars(extend("default" = false))]
    pub stiffness_correction: Option<bool>,
    /// Pins.
    pub pin: Tables<PinTable<ClothWhere>>,
    /// Seams. Each has a and b, or distance.
    pub seam: Option<Tables<SeamTable>>,
    /// Remeshing. Absent: the mesh does not change.
    pub remesh: Option<RemeshTable>,
}

impl ClothTable {
    /// The keys of a cloth under a solver.
    pub(crate) fn new(cloth: &SceneCloth, solver: SolverChoice) -> Self {
        let projection = ProjectionKeys::new(cloth.projection, solver);
        let (scaling, scaling_area) = match cloth.scaling {
            MembraneScaling::ByArea => (None, None),
            MembraneScaling::Fixed(area) => (Some(false), Some(Number(area))),
        };
        let seams = &cloth.seams;
        Self {
            name: BodyName(cloth.name.clone()),
            material: MaterialChoice::Table(Box::new((&cloth.material).into())),
            place: (&cloth.place).into(),
            velocity: cloth.velocity.into(),
            angular_velocity: cloth.angular_velocity.into(),
            pressure: Number(cloth.pressure),
            volume: cloth.volume.map(VolumeTable::from),
            rest_curvature: cloth.rest_curvature.into(),
            constraint: Some(Choice(cloth.membrane)),
            scaling,
            scaling_area,
            buckling: cloth.compression.into(),
            break_force: cloth.break_force.map(Number),
            bending: Some(Choice(cloth.bending)),
            stiffness: projection.stiffness,
            bend_stiffness: projection.bend_stiffness,
            stiffness_correction: projection.stiffness_correction,
            pin: cloth.pins.iter().map(PinTable::from).collect(),
            seam: (!seams.is_empty()).then(|| seams.iter().map(SeamTable::from).collect()),
            remesh: cloth.remesh.as_ref().map(RemeshTable::from),
            ..Self::of_shape(&cloth.shape)
        }
    }

    /// The keys that give a shape, and no others.
    fn of_shape(shape: &ClothShape) -> Self {
        let none = Self::default();
        match shape {
            ClothShape::Grid { size, cells, pattern } => {
                let cells = Fixed(cells.map(Count::from));
                let grid = GridTable { size: (*size).into(), cells, pattern: Choice(*pattern) };
                Self { grid: Some(grid), ..none }
            }
            ClothShape::Ball { radius, level } => {
                let ball = BallTable { radius: Spread((*radius).into()), level: (*level).into() };
                Self { ball: Some(ball), ..none }
            }
            ClothShape::Mesh { path, uv_scale, weld } => Self {
                mesh: Some(path.into()),
                uv_scale: Some(Number(*uv_scale)),
                weld: weld.map(Number),
                ..none
            },
            ClothShape::Outline { path, edge_length, scale } => Self {
                outline: Some(path.into()),
                edge_length: Some(Number(*edge_length)),
                outline_scale: scale.map(Number),
                ..none
            },
            ClothShape::Garment { path, edge_length, sewing_time } => Self {
                garment: Some(path.into()),
                edge_length: Some(Number(*edge_length)),
                sewing_time: Some(Number(*sewing_time)),
                ..none
            },
        }
    }

    /// The cloth, checked.
    pub(crate) fn resolve(
        &self,
        materials: &Library,
        settings: &SimulationSettings,
        at: &Place<'_>,
    ) -> Option<SceneCloth> {
        let solver = settings.solver;
        let shape = self.resolve_shape(at);
        let material = materials.resolve(&self.material, &at.at("material"));
        let bending = self.bending.map_or(solver.default_bending(), |bending| bending.0);
        // Fewer vertices for the same error, where neither hinges nor seams ask for well-shaped triangles.
        let is_sewn = self.seam.is_some() || self.garment.is_some();
        let may_stretch = bending == BendingModel::Curvature && !is_sewn;
        let remesh = self.remesh.as_ref();
        let projection = ProjectionKeys {
            stiffness: self.stiffness,
            bend_stiffness: self.bend_stiffness,
            stiffness_correction: self.stiffness_correction,
        };
        let description = ClothDescription {
            name: self.name.0.clone(),
            mesh: TriangleMesh::default(),
            vertex_names: None,
            panel_names: Vec::new(),
            // Without a material there is no cloth, but the rest is checked.
            material: material.clone().unwrap_or_else(|| Material::isotropic(0.2, 2000.0, 0.3, 5e-5)),
            velocity: self.velocity.get(),
            angular_velocity: self.angular_velocity.get(),
            pressure: self.pressure.0,
            volume: self.volume.as_ref().map(VolumeTable::resolve),
            rest_curvature: self.rest_curvature.get(),
            pins: self.resolve_pins(solver, at),
            seams: Vec::new(),
            remesh: remesh.map(|table| table.resolve(may_stretch, settings.tolerance, &at.at("remesh"))),
            membrane: resolve_membrane(self.constraint.map(|constraint| constraint.0), solver, at),
            scaling: resolve_scaling(self.scaling, self.scaling_area, solver, at),
            compression: self.buckling.into(),
            bending,
            break_force: self.break_force.map(f64::from),
            projection: projection.resolve(solver, at),
        };
        let seams = self.seam.as_ref().map_or(&[][..], |seam| &seam.0);
        let sewn = if self.garment.is_some() { Some("garment") } else { seams.first().map(|_| "seam.0") };
        let case = ClothCase { cloth: &description, settings, sewn, has_material: true };
        case.mismatches().for_each(|found| at.refuse_mismatch(&found));
        let seams = resolve_seams(seams, &at.at("seam"));
        warn_of_cloth(&description, solver, at);
        material?;
        Some(SceneCloth { shape: shape?, place: self.place.resolve(), seams, description })
    }

    /// The shape of a cloth, checked.
    fn resolve_shape(&self, at: &Place<'_>) -> Option<ClothShape> {
        let help = "for example grid = { size = [1.0, 1.0], cells = [32, 32] }";
        let shape = at.only_one(&SHAPES, help)?;
        refuse_foreign_keys(shape, at);
        match shape {
            "grid" => resolve_grid(self.grid.as_ref()?, &at.at("grid.cells")),
            "mesh" => self.resolve_mesh(&at.at("mesh")),
            "ball" => {
                let BallTable { radius, level } = self.ball.as_ref()?;
                Some(ClothShape::Ball { radius: radius.0.get(), level: level.to_u32() })
            }
            _ => {
                if self.edge_length.is_none() {
                    at.miss("edge_length", "edge_length = 0.02");
                }
                let edge_length = self.edge_length?.0;
                Some(match &self.garment {
                    Some(path) => ClothShape::Garment {
                        path: at.absolute(&path.0),
                        edge_length,
                        sewing_time: self.sewing_time.map_or(DEFAULT_TIME, f64::from),
                    },
                    None => ClothShape::Outline {
                        path: at.absolute(&self.outline.as_ref()?.0),
                        edge_length,
                        scale: self.outline_scale.map(f64::from),
                    },
                })
            }
        }
    }

    fn resolve_mesh(&self, at: &Place<'_>) -> Option<ClothShape> {
        let path = &self.mesh.as_ref()?.0;
        let help = match MeshFormat::of(Path::new(path)) {
            Ok(MeshFormat::Obj) => None,
            Ok(_) => {
                Some("STL and PLY files have no material coordinates; they are for obstacles".to_owned())
            }
            Err(unknown) => Some(unknown),
        };
        if let Some(help) = help {
            let message = format!("`{at}` is {path:?}, but the mesh of a cloth must be an OBJ file");
            at.refuse(message, help.as_str());
            return None;
        }
        let uv_scale = self.uv_scale.map_or(1.0, f64::from);
        Some(ClothShape::Mesh { path: at.absolute(path), uv_scale, weld: self.weld.map(f64::from) })
    }

    fn resolve_pins(&self, solver: SolverChoice, at: &Place<'_>) -> Vec<PinDescription> {
        let resolve = |(number, pin): (usize, &PinTable<_>)| {
            let at = at.at("pin").at(number);
            // Cloths have no first and last vertex.
            let pin = pin.resolve(0, solver, &at)?;
            clamp_mismatch(&pin, solver).iter().for_each(|found| at.refuse_mismatch(found));
            Some(pin)
        };
        self.pin.0.iter().enumerate().filter_map(resolve).collect()
    }
}

fn default_name() -> BodyName {
    BodyName("sheet".to_owned())
}

/// The volume that a closed cloth keeps.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "volume", default, deny_unknown_fields)]
pub(crate) struct VolumeTable {
    /// Times the volume at the start.
    ratio: Positive,
    /// Time in which that is reached \[s\].
    inflation: NotNegative,
    /// Bulk modulus of the filling \[Pa\]. Absent: it cannot be compressed.
    bulk: Option<Positive>,
}

impl Default for VolumeTable {
    fn default() -> Self {
        Self::from(EnclosedDescription { ratio: 1.0, inflation: 0.0, bulk: None })
    }
}

impl From<EnclosedDescription> for VolumeTable {
    fn from(EnclosedDescription { ratio, inflation, bulk }: EnclosedDescription) -> Self {
        Self { ratio: Number(ratio), inflation: Number(inflation), bulk: bulk.map(Number) }
    }
}

impl VolumeTable {
    /// The volume.
    pub(crate) fn resolve(&self) -> EnclosedDescription {
        let Self { ratio, inflation, bulk } = self;
        EnclosedDescription { ratio: ratio.0, inflation: inflation.0, bulk: bulk.map(f64::from) }
    }
}

impl Words for MembraneModel {
    fn words() -> Vec<(&'static str, Self)> {
        MEMBRANES.to_vec()
    }
}

impl Words for BendingModel {
    fn words() -> Vec<(&'static str, Self)> {
        BENDINGS.to_vec()
    }
}

impl From<Compression> for Buckling {
    fn from(compression: Compression) -> Self {
        Self(match compression {
            Compression::Full => None,
            Compression::Buckling { factor } => Some(factor),
        })
    }
}

impl From<Buckling> for Compression {
    fn from(Buckling(factor): Buckling) -> Self {
        factor.map_or(Self::Full, |factor| Self::Buckling { factor })
    }
}

/// Multiple of the buckling stress that a triangle bears. `true` is 1; `false` is any stress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "Plain")]
#[schemars(inline, description = "", schema_with = "buckling_schema")]
pub(crate) struct Buckling(pub Option<f64>);

impl TryFrom<Plain> for Buckling {
    type Error = String;

    fn try_from(plain: Plain) -> Result<Self, String> {
        match (&plain, plain.number()) {
            (Plain::Boolean(value), _) => Ok(Self(value.then_some(1.0))),
            (_, Some(value)) => Positive::check(value).map(|Number(factor)| Self(Some(factor))),
            _ => plain.refuse("a number, true for 1, or false to switch it off"),
        }
    }
}

impl Serialize for Buckling {
    /// Nothing for `false`, which is the default.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            None => serializer.serialize_none(),
            Some(1.0) => serializer.serialize_bool(true),
            Some(factor) => serializer.serialize_f64(factor),
        }
    }
}

fn buckling_schema(generator: &mut SchemaGenerator) -> Schema {
    let factor = generator.subschema_for::<Positive>();
    json_schema!({ "anyOf": [{ "type": "boolean" }, factor], "default": false })
}
