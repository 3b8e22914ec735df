//! The remesher by itself: arrays and a sizing field in, arrays and a map out.
//!
//! ```text
//!   SheetArrays ──► checks ──► keyed mesh ──► passes ──► RemeshedArrays
//!   SizingField ──► metric per input vertex ─┘             (dense order; origin of every vertex on the input)
//! ```
//!
//! The passes are those of the simulation. The metric comes from the field instead of the current shape. It is linear on the
//! *input* (as a size, `M^(−½)`), and so are positions and velocities. A vertex of a split takes them from the input face at
//! its material point. The result of many passes is therefore no average of averages.
//!
//! ```
//! use taffeta_remesh::{FieldOptions, MaterialCoords, SheetArrays, SizingField, remesh_arrays};
//!
//! // A square of 1 m as two triangles, rolled by a quarter turn, hung by its upper corners.
//! let material = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
//! let positions = [[0.0, 0.0, 0.0], [0.9, 0.0, 0.4], [0.9, 1.0, 0.4], [0.0, 1.0, 0.0]];
//! let faces = [[0, 1, 2], [0, 2, 3]];
//! let temperature = [20.0, 30.0, 30.0, 20.0];
//! let sheet = SheetArrays {
//!     pinned: Some(&[false, false, true, true]),
//!     attributes: &temperature,
//!     attribute_width: 1,
//!     ..SheetArrays::new(MaterialCoords::PerVertex(&material), &positions, &faces)
//! };
//!
//! // Edges of at most 5 cm at the left, of 20 cm at the right.
//! let sizes = SizingField::Sizes(&[0.05, 0.2, 0.2, 0.05]);
//! let result = remesh_arrays(&sheet, sizes, &FieldOptions::default(), &mut |_proposal| false)?;
//!
//! let arrays = &result.arrays;
//! assert!(arrays.positions.len() > 150 && result.report.settled);
//! // The input vertices are corners of the outline, so all of them were kept.
//! for (input, kept) in result.output_of_input.iter().enumerate() {
//!     let output = kept.expect("a corner stays") as usize;
//!     assert_eq!(arrays.positions[output], positions[input]);
//! }
//! // Any field on the input can be brought over, then or later; the attributes were.
//! let sampled = result.sample(&faces, &temperature, 1);
//! assert_eq!(sampled, arrays.attributes);
//! for (u, t) in arrays.material.iter().zip(&sampled) {
//!     assert!((t - (20.0 + 10.0 * u[0])).abs() < 1e-10);
//! }
//! // What lies on the outline between pinned vertices is pinned.
//! let pinned = arrays.pinned.iter().filter(|&&pinned| pinned).count();
//! assert!(pinned > 2 && arrays.material.iter().zip(&arrays.pinned).all(|(u, &held)| held == (u[1] == 1.0)));
//! # Ok::<(), taffeta_remesh::ArrayError>(())
//! ```
//!
//! # Seams
//!
//! Panels that are sewn together have coordinates of their own. An edge is a seam if its two faces disagree about the
//! coordinates of its ends. It is kept on both sides: its vertices are merged only along it, where it is straight in both
//! charts. A vertex of a split lies on the seam of the input in both. Such a vertex has a material point per chart.
//! [`OutputArrays::material_faces`] gives the material point of each corner, like the separate faces for positions and texture
//! coordinates in files.
//!
//! ```
//! use taffeta_remesh::{FieldOptions, MaterialCoords, SheetArrays, SizingField, remesh_arrays};
//!
//! // Two panels of 1 m × 1 m, sewn together along the second edge of the first and the fourth of the second one.
//! let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
//! let faces = [[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]];
//! let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
//! let material = [square, square.map(|[u, v]| [u + 3.0, v])].concat();
//! let material_faces = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
//! let coords = MaterialCoords::Indexed { coords: &material, faces: &material_faces };
//! let sheet = SheetArrays::new(coords, &positions, &faces);
//! let result = remesh_arrays(&sheet, SizingField::Sizes(&[0.1; 6]), &FieldOptions::default(), &mut |_| false)?;
//! // The vertices of the seam have two material points.
//! let (vertices, points) = (result.arrays.positions.len(), result.arrays.material.len());
//! let on_seam = result.arrays.positions.iter().filter(|x| x[0] == 1.0 && x[2] == 0.0).count();
//! assert_eq!(points, vertices + on_seam);
//! # Ok::<(), taffeta_remesh::ArrayError>(())
//! ```
//!
//! Panels may lie on each other, and be mirrored as a whole; they stay so. A tensor speaks of the directions of a chart: at
//! the vertices of seams, where charts meet, it is taken as its smallest size in all directions.
//!
//! # Without material coordinates
//!
//! [`MaterialCoords::Positions`] says that the shape in space is the one at rest, as a cloth of a scene without material
//! coordinates has it; it may be closed. Sizes are then lengths in space, and each face is a chart of its own. New vertices lie
//! on the input, and collapses and flips keep what they remove within [`FieldOptions::rest_tolerance`] of the result: creases
//! and what is curved stay finer than the sizes allow. Contact is not tested: sheets that are closer to each other than the
//! tolerance may cross.
//!
//! ```
//! use taffeta_remesh::{FieldOptions, MaterialCoords, SheetArrays, SizingField, remesh_arrays};
//!
//! // A tetrahedron of 1 m, refined to edges of 20 cm: still closed, and still with sharp edges.
//! let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
//! let solid = SheetArrays::new(MaterialCoords::Positions, &positions, &faces);
//! let result = remesh_arrays(&solid, SizingField::Sizes(&[0.2; 4]), &FieldOptions::default(), &mut |_| false)?;
//! let (vertices, faces) = (result.arrays.positions.len(), result.arrays.faces.len());
//! assert!(vertices > 50 && faces == 2 * vertices - 4 && result.report.settled);
//! # Ok::<(), taffeta_remesh::ArrayError>(())
//! ```
//!
//! Unsupported input is refused: panels that are folded over or overlap themselves in material space, surfaces that
//! are not manifold.

mod check;
mod dense;
mod error;
mod input;
mod options;

pub use error::ArrayError;
pub use input::{MaterialCoords, SheetArrays, SizingField};
pub use options::FieldOptions;

use crate::attributes::SheetAttributes;
use crate::attributes::hold::Hold;
use crate::edit::remesh::{remesh_to_field, shape_metrics};
use crate::edit::report::{Proposal, Refusals, RemeshReport};
use crate::edit::rules::EditRules;
use crate::input::chart::Chart;
use crate::input::origin::Origin;
use crate::input::surface::{InputSurface, InputTracker};
use crate::sizing::settings::RemeshSettings;
use check::Checked;
use glam::DVec3;
use taffeta_core::Region;
use taffeta_mesh::{HalfedgeMesh, VertexKey};

/// The pin of all pinned vertices: it has no inside, so that splits pin only what lies on the outline between two of
/// them.
const PINS: &[Region] = &[Region::Vertices(Vec::new())];

/// A remeshed sheet, in dense order: vertices by piece and panel and along a Morton curve in material space, or in space
/// where there are no material coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutputArrays {
    /// Coordinates of the material points \[m\], those of a vertex together, in the order of the vertices. Without seams
    /// there is one per vertex; none if the input has no material coordinates.
    pub material: Vec<[f64; 2]>,
    /// The material points at the corners of the faces. Without seams the same as `faces`; empty without material points.
    pub material_faces: Vec<[u32; 3]>,
    /// World positions per vertex \[m\].
    pub positions: Vec<[f64; 3]>,
    /// Corners of the faces, oriented as in the input, the smallest first.
    pub faces: Vec<[u32; 3]>,
    /// True for each vertex that is held.
    pub pinned: Vec<bool>,
    /// World velocities \[m/s\] if the input has any.
    pub velocities: Option<Vec<[f64; 3]>>,
    /// The further fields, with the width of the input.
    pub attributes: Vec<f64>,
}

/// Report of the remeshing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldReport {
    /// Passes that were made, with the one that found nothing to do.
    pub passes: u32,
    /// True if the last pass found nothing to do: more passes would change nothing.
    pub settled: bool,
    /// Number of splits.
    pub splits: usize,
    /// Number of collapses.
    pub collapses: usize,
    /// Number of flips.
    pub flips: usize,
    /// Edges that the last pass found short enough to collapse and kept for another reason.
    pub refusals: Refusals,
    /// Collapses and flips that the intersection test refused in the last pass.
    pub vetoed: usize,
    /// True if the last pass could not refine further because a piece has reached its limit of vertices.
    pub at_vertex_limit: bool,
}

impl FieldReport {
    fn add(&mut self, pass: &RemeshReport) {
        self.passes += 1;
        self.settled = pass.edit_count() == 0;
        self.splits += pass.splits;
        self.collapses += pass.collapses;
        self.flips += pass.flips;
        self.refusals = pass.refusals;
        self.vetoed = pass.vetoed;
        self.at_vertex_limit = !pass.at_vertex_limit.is_empty();
    }
}

/// A remeshed sheet and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Remeshed {
    /// The sheet.
    pub arrays: OutputArrays,
    /// Place of each of its vertices on the input. Positions and attributes are those of the input there. The exception are
    /// vertices of a shape in space at which a sharp fold of the input would have turned a face over: these lie near their
    /// place.
    pub origins: Vec<Origin>,
    /// Places of the material points of the result in the charts of the input. Those of a vertex are the same point of the
    /// surface, seen from the panels around it.
    pub material_origins: Vec<Origin>,
    /// For each input vertex its number in the result; `None`: it is gone.
    pub output_of_input: Vec<Option<u32>>,
    /// Report of the remeshing.
    pub report: FieldReport,
}

impl Remeshed {
    /// A field of the input with `width` numbers per vertex, at the vertices of the result.
    ///
    /// # Panics
    /// If `faces` are not those of the input, or a face refers to a vertex without values.
    pub fn sample(&self, faces: &[[u32; 3]], values: &[f64], width: usize) -> Vec<f64> {
        sample_at(&self.origins, faces, values, width)
    }
}

/// The diagonal of the box around each piece \[m\].
fn extents_of_pieces(chart: &Chart, positions: &[DVec3]) -> Vec<f64> {
    let mut boxes = vec![[DVec3::INFINITY, DVec3::NEG_INFINITY]; chart.panels.piece_count()];
    for (corners, &piece) in chart.faces.iter().zip(&chart.panels.pieces) {
        let [low, high] = &mut boxes[piece as usize];
        for x in corners.map(|v| positions[v as usize]) {
            (*low, *high) = (low.min(x), high.max(x));
        }
    }
    boxes.into_iter().map(|[low, high]| low.distance(high)).collect()
}

fn sample_at(origins: &[Origin], faces: &[[u32; 3]], values: &[f64], width: usize) -> Vec<f64> {
    let at = |origin: &Origin, k: usize| {
        let [a, b, c] = faces[origin.face as usize].map(|v| values[v as usize * width + k]);
        let [wa, wb, wc] = origin.weights;
        wa * a + wb * b + wc * c
    };
    origins.iter().flat_map(|origin| (0..width).map(move |k| at(origin, k))).collect()
}

/// Remeshes a sheet until no pass finds anything to do, or for as many passes as the options allow.
///
/// `veto` is asked before every collapse and flip that would otherwise be made; `true` refuses it. Splits are not proposed;
/// a new vertex lies on the input surface, which is off the edge that is split where collapses and flips have left the
/// input.
///
/// # Errors
/// If the arrays do not describe a sheet that can be remeshed, the field is not positive, or an option is out of range.
pub fn remesh_arrays(
    sheet: &SheetArrays,
    field: SizingField,
    options: &FieldOptions,
    veto: &mut dyn FnMut(&Proposal) -> bool,
) -> Result<Remeshed, ArrayError> {
    let mut remesher = FieldRemesher::new(sheet, field, options)?;
    while !remesher.report.settled && remesher.report.passes < options.passes {
        remesher.pass(veto);
    }
    Ok(remesher.finish())
}

/// A sheet that is being remeshed pass by pass, for who wants to look at it between the passes.
#[derive(Clone, Debug)]
pub struct FieldRemesher {
    mesh: HalfedgeMesh,
    attributes: SheetAttributes,
    tracker: InputTracker,
    rules: EditRules<'static>,
    /// The input vertices, by number.
    vertices: Vec<VertexKey>,
    /// The further fields of the input, and their width.
    fields: (Vec<f64>, usize),
    report: FieldReport,
}

impl FieldRemesher {
    /// Checks the arrays and builds the mesh.
    ///
    /// # Errors
    /// As [`remesh_arrays`].
    pub fn new(sheet: &SheetArrays, field: SizingField, options: &FieldOptions) -> Result<Self, ArrayError> {
        options.validate()?;
        let Checked { built, chart } = check::check_sheet(sheet)?;
        let positions: Vec<DVec3> = sheet.positions.iter().map(|&x| x.into()).collect();
        let mut attributes =
            SheetAttributes::from_built(&built, &positions, &chart.coords, &chart.panels.pieces);
        for (number, &v) in built.vertices.iter().enumerate() {
            let is_pinned = sheet.pinned.is_some_and(|pinned| pinned[number]);
            attributes.vertices[v].hold = is_pinned.then(|| Hold::new(0, positions[number]));
            let velocity = sheet.velocities.map(|velocities| velocities[number].into());
            attributes.vertices[v].velocity = velocity.unwrap_or_default();
        }
        let piece_count = chart.panels.piece_count();
        let mut metrics = match field {
            SizingField::Shape(settings) => {
                settings.validate()?;
                // In space there are no directions to be longer in.
                let anisotropic = settings.anisotropic && !chart.is_in_space();
                let settings = vec![Some(RemeshSettings { anisotropic, ..settings }); piece_count];
                // Asked before the shape counts as the one at rest, so that it is compared with flat faces.
                shape_metrics(&built.mesh, &attributes, &settings, &built.vertices)
            }
            SizingField::Metrics(_) if chart.is_in_space() => return Err(ArrayError::NoDirections),
            SizingField::Metrics(_) | SizingField::Sizes(_) => check::check_field(&field, positions.len())?,
        };
        if chart.is_in_space() {
            attributes.rest_in_space_where(&built.mesh, |_| true);
        }
        let is_on_seam = check::vertices_on_seams(&built, &attributes);
        if matches!(field, SizingField::Metrics(_)) {
            check::reflect_metrics(&chart, &mut metrics, &is_on_seam);
        }
        let sizes = options.size_field(&chart, metrics, &is_on_seam);
        let rules = options.rules(&extents_of_pieces(&chart, &positions), PINS);
        let velocities =
            sheet.velocities.map(|velocities| velocities.iter().map(|&v| DVec3::from(v)).collect());
        let surface = InputSurface { chart, positions, velocities, sizes };
        for (number, &v) in built.vertices.iter().enumerate() {
            attributes.vertices[v].metric = surface.metric_of(number);
        }
        let tracker = InputTracker::new(surface, &built, &attributes);
        let fields = (sheet.attributes.to_vec(), sheet.attribute_width);
        let report = FieldReport::default();
        Ok(Self { mesh: built.mesh, attributes, tracker, rules, vertices: built.vertices, fields, report })
    }

    /// Makes one pass. `veto` as in [`remesh_arrays`].
    pub fn pass(&mut self, veto: &mut dyn FnMut(&Proposal) -> bool) -> RemeshReport {
        let Self { mesh, attributes, tracker, rules, .. } = self;
        let report = remesh_to_field(mesh, attributes, rules, tracker, veto);
        self.report.add(&report);
        report
    }

    /// The mesh as it is.
    pub fn mesh(&self) -> &HalfedgeMesh {
        &self.mesh
    }

    /// Attributes of the elements of the mesh. The cloth of a face is its connected piece, in the order of the lowest
    /// face.
    pub fn attributes(&self) -> &SheetAttributes {
        &self.attributes
    }

    /// Report of all passes so far.
    pub fn report(&self) -> &FieldReport {
        &self.report
    }
}
