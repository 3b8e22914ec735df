//! The options of `taffeta remesh`.

use clap::Args;
use std::path::PathBuf;

/// Guide that follows the options in the help and in the manual page.
const GUIDE: &str = include_str!("remesh.txt");

/// Options of `taffeta remesh`.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = GUIDE, group = clap::ArgGroup::new("field").required(true).args(["size", "sizing", "refine_angle"]))]
pub struct RemeshOptions {
    /// The mesh: an OBJ file, whose vt are the material coordinates in which sizes are measured, or an NPZ file. Without vt its
    /// own shape is the one at rest, open or closed, and sizes are lengths in space
    pub input: PathBuf,
    /// The new file, OBJ or NPZ by its ending; it must not exist
    #[arg(value_name = "OUTPUT", required_unless_present = "out", conflicts_with = "out")]
    pub output: Option<PathBuf>,
    /// Result file, in place of OUTPUT
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Largest length of an edge in m
    #[arg(long, value_name = "METERS")]
    pub size: Option<f64>,
    /// File with the largest length of an edge in m at each vertex of the input, or a tensor there in 1/m²: an edge u is fine
    /// if uᵀMu ≤ 1. CSV: a row per vertex, one number or m00,m01,m11. NPY, or NPZ with an array `sizing`: shape (V,), (V, 3)
    /// or (V, 2, 2)
    #[arg(long, value_name = "FILE")]
    pub sizing: Option<PathBuf>,
    /// Refine where the sheet bends: angle in rad between the normals at the ends of an edge
    #[arg(long, value_name = "RAD", requires = "size_max")]
    pub refine_angle: Option<f64>,
    /// With --refine-angle: smallest length of an edge in m; if not given, a twentieth of the largest
    #[arg(long, value_name = "METERS", requires = "refine_angle")]
    pub size_min: Option<f64>,
    /// With --refine-angle: largest length of an edge in m
    #[arg(long, value_name = "METERS", requires = "refine_angle")]
    pub size_max: Option<f64>,
    /// Meters per unit of vt; without vt, of the positions
    #[arg(long, value_name = "SCALE", default_value_t = 1.0)]
    pub uv_scale: f64,
    /// Without vt: measure in the plane across the mean normal, as tensors need it. For sheets that are almost flat
    #[arg(long, conflicts_with = "tolerance")]
    pub flat: bool,
    /// Without vt: largest distance of the surface from the input, in m. If not given, a tenth of the size, and at most 0.2 %
    /// of the extent of each piece
    #[arg(long, value_name = "METERS")]
    pub tolerance: Option<f64>,
    /// Growth of the size per edge, above 1; 0: the field is taken as it is
    #[arg(long, value_name = "FACTOR", default_value_t = taffeta_remesh::GRADATION)]
    pub gradation: f64,
    /// Largest ratio of the sizes in two directions
    #[arg(long, value_name = "RATIO", default_value_t = 10.0)]
    pub aspect: f64,
    /// Accept a mesh that is coarser than asked for because --passes or --max-vertices ended the work: a warning instead of
    /// exit status 1. It is written in either case
    #[arg(long)]
    pub partial: bool,
    /// Most passes
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub passes: u32,
    /// Most vertices of each connected piece
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_vertices: usize,
    /// Vertices that stay: their numbers, from 0, with commas between, or a file with them (text, NPY of
    /// numbers, or NPY with a truth value per vertex)
    #[arg(long, value_name = "NUMBERS|FILE")]
    pub pin: Option<String>,
    /// Also write where the vertices come from. CSV, a row each: output vertex, input triangle, barycentric coordinates, and
    /// the corners of that triangle, all counted from 1. NPZ: the arrays that an NPZ output has, counted from 0
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Print counts, the smallest angle and the time in seconds
    #[arg(long)]
    pub report: bool,
}
