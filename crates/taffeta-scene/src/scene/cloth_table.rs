//! The keys of a cloth.

use super::material::MaterialChoice;
use super::motion::PlaceTable;
use super::pin_table::{ClothWhere, PinTable};
use super::remesh::RemeshTable;
use super::seam::{DEFAULT_TIME, SeamTable};
use crate::keys::{
    ABOVE_ZERO, BodyName, Choice, Count, FilePath, Fixed, NotNegative, Number, Part, Plain, Positive, Spread,
    Tables, Vector, Words, exactly_one,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;
use taffeta_io::grid::GridPattern;
use taffeta_sim::{BendingModel, EnclosedDescription, MembraneModel, ProjectionStiffness};

/// The keys that say where the mesh of a cloth comes from.
pub(super) const SHAPES: [&str; 5] = ["grid", "mesh", "ball", "outline", "garment"];
/// Level of a ball: 1.3 million faces.
const MAX_LEVEL: u64 = 8;

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
pub(super) struct ClothTable {
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

fn default_name() -> BodyName {
    BodyName("sheet".to_owned())
}

/// A rectangle in the xy-plane from the origin.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "grid", default, deny_unknown_fields)]
pub(super) struct GridTable {
    /// Lengths along u and v \[m\].
    pub size: Fixed<Positive, 2>,
    /// Cells along u and v.
    pub cells: Fixed<Count<1>, 2>,
    /// Pattern of the triangles in the cells.
    pub pattern: Choice<GridPattern>,
}

impl Default for GridTable {
    fn default() -> Self {
        Self {
            size: [1.0; 2].into(),
            cells: Fixed([Count(32); 2]),
            pattern: Choice(GridPattern::Alternating),
        }
    }
}

/// A closed cloth around the origin.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "ball", deny_unknown_fields)]
pub(super) struct BallTable {
    /// Radius, or three half axes \[m\].
    #[schemars(example = 0.2)]
    pub radius: Spread<ABOVE_ZERO, 3>,
    /// 20·4^level faces.
    #[serde(default = "default_level")]
    pub level: Count<0, MAX_LEVEL>,
}

fn default_level() -> Count<0, MAX_LEVEL> {
    Count(3)
}

/// The volume that a closed cloth keeps.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "volume", default, deny_unknown_fields)]
pub(super) struct VolumeTable {
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
    pub(super) fn resolve(&self) -> EnclosedDescription {
        let Self { ratio, inflation, bulk } = self;
        EnclosedDescription { ratio: ratio.0, inflation: inflation.0, bulk: bulk.map(f64::from) }
    }
}

impl Words for GridPattern {
    fn words() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|pattern| (pattern.name(), pattern)).to_vec()
    }
}

impl Words for MembraneModel {
    fn words() -> Vec<(&'static str, Self)> {
        vec![
            ("strain", Self::Strain),
            ("edges", Self::Edges),
            ("energy", Self::Energy),
            ("energy_published", Self::EnergyPublished),
            ("distance", Self::Distance),
        ]
    }
}

impl Words for BendingModel {
    fn words() -> Vec<(&'static str, Self)> {
        vec![
            ("curvature", Self::Curvature),
            ("hinge", Self::Hinge),
            ("quadratic", Self::Quadratic),
            ("averaged", Self::Averaged),
            ("mean_curvature", Self::MeanCurvature),
            ("none", Self::None),
        ]
    }
}

/// Multiple of the buckling stress that a triangle bears. `true` is 1; `false` is any stress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "Plain")]
#[schemars(inline, description = "", schema_with = "buckling_schema")]
pub(super) struct Buckling(pub Option<f64>);

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
