//! The words of the command line.

mod color;
mod remesh;

pub use color::{ColorName, ColorQuantity};
pub use remesh::RemeshOptions;

use clap::{Args, Parser, Subcommand};
use color::QuantityParser;
use glam::DVec3;
use std::path::PathBuf;
use taffeta_io::Format;

/// Name of a shell.
#[cfg(feature = "extras")]
pub use clap_complete::Shell;
/// Name of a shell, which is not read.
#[cfg(not(feature = "extras"))]
pub type Shell = String;

/// Exit statuses, for scripts.
const EXIT_STATUSES: &str = "\
Exit status:
  0    done
  1    the simulation or a check failed, or a result could not be written
  2    bad usage, scene or file; a folder that another run writes
  130  stopped by Ctrl-C, SIGTERM or SIGHUP; `taffeta run` has left a checkpoint";

/// A simulator of cloth whose mesh adapts to its folds.
#[derive(Clone, Debug, Parser)]
#[command(name = "taffeta", version, arg_required_else_help = true, after_help = EXIT_STATUSES)]
pub struct Arguments {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands of the program.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene and write frames, tables and a summary
    Run(RunOptions),
    /// Draw a frame of a result folder, an animation or a contact sheet, on the CPU
    Render(RenderOptions),
    /// Convert the frames of a result folder to other formats
    Export(ExportOptions),
    /// Say what an OBJ, STL or PLY file contains and what is wrong with it
    Inspect {
        /// The file; with --seams also an SVG drawing or a sewing pattern (JSON)
        file: PathBuf,
        /// List panels, their edges, and seams as TOML for a scene
        #[arg(long)]
        seams: bool,
        /// Draw the panels with their names and edges into this SVG file
        #[arg(long, value_name = "FILE", requires = "seams")]
        picture: Option<PathBuf>,
        /// Edge length of the mesh of a drawing or a sewing pattern, in m
        #[arg(long, value_name = "LENGTH", default_value_t = 0.02, requires = "seams")]
        edge_length: f64,
    },
    /// Write a starter scene NAME.toml that explains its keys
    New {
        /// Name of the scene, with or without .toml
        name: PathBuf,
    },
    /// List the material presets with units and sources
    Materials,
    /// Serve a local page to watch and to touch a simulation, or to play a result folder
    View(ViewOptions),
    /// Run and compare variants of a scene
    Study(StudyOptions),
    /// Run the built-in physical checks against their references
    Validate(ValidateOptions),
    /// Remesh an OBJ file to a size, a sizing field or its curvature
    Remesh(RemeshOptions),
    /// Print the JSON schema of scenes, with which an editor completes them, or of output files
    Schema {
        /// Describe the files that run and study write instead of scenes
        #[arg(long)]
        outputs: bool,
        /// Print a page of Markdown instead of a schema
        #[arg(long)]
        markdown: bool,
    },
    /// Print completions for a shell: bash, elvish, fish, powershell or zsh
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

/// Changes that `run`, `study` and `view` make to the scene that they read.
#[derive(Clone, Debug, Default, Args)]
pub struct SceneChanges {
    /// Threads, 0: all cores; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16))]
    pub threads: Option<u16>,
    /// Override a value of the scene, for example cloth.0.material=silk; may be repeated
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    first_overrides: Vec<String>,
    /// Further overrides after one --set
    #[arg(hide = true, value_parser = parse_assignment)]
    more_overrides: Vec<String>,
}

impl SceneChanges {
    /// The overrides, as they were written.
    pub fn overrides(&self) -> impl Iterator<Item = &String> {
        self.first_overrides.iter().chain(&self.more_overrides)
    }
}

/// Options of `taffeta view`.
#[derive(Clone, Debug, Args)]
pub struct ViewOptions {
    /// The scene file, which then runs, or the result folder of a run
    #[arg(value_name = "SCENE|DIR")]
    pub source: PathBuf,
    /// Port of 127.0.0.1 on which the page is served, 0: any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Changes to the scene.
    #[command(flatten)]
    pub changes: SceneChanges,
}

/// Options of `taffeta run`.
#[derive(Clone, Debug, Default, Args)]
pub struct RunOptions {
    /// The scene file, TOML or JSON
    pub scene: PathBuf,
    /// Result folder; if not given, out/ and the name of the scene file
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Simulate N frames instead of the scene's duration
    #[arg(long, value_name = "N")]
    pub frames: Option<u64>,
    /// Changes to the scene.
    #[command(flatten)]
    pub changes: SceneChanges,
    /// A first look: accuracy "draft", and edges of remeshed cloths twice as long
    #[arg(long)]
    pub draft: bool,
    /// Print warnings and errors only
    #[arg(long)]
    pub quiet: bool,
    /// Continue the run in the result folder from its checkpoint
    #[arg(long)]
    pub resume: bool,
    /// Write NPZ frames too if no format of the frames holds everything that is known of them. For programs that read the
    /// frames back; the command line names formats in the scene.
    #[arg(skip)]
    pub complete: bool,
}

/// Help for `--vary`. Not a comment of its field, where brackets are links.
const VARY_HELP: &str = "What varies, for example cloth.0.grid.cells=[16,16],[32,32]; several keys in one variant: \
     simulation.solver=block/simulation.substeps=48,simulation.solver=direct; may be repeated: all combinations run";

/// Options of `taffeta study`.
#[derive(Clone, Debug, Args)]
pub struct StudyOptions {
    /// The scene file, TOML or JSON
    pub scene: PathBuf,
    /// Keys that vary, with their values
    #[arg(long, value_name = "KEY.PATH=A,B,C", help = VARY_HELP)]
    pub vary: Vec<String>,
    /// Reference to compare with: finest, a variant by its name, or values of its own such as
    /// simulation.solver=direct/simulation.substeps=16. Finest is the variant with the most vertices of those with the most
    /// exact solver, direct before global. It needs one of the two, and variants that differ in more than the solver
    #[arg(long, value_name = "VARIANT", default_value = "finest")]
    pub reference: String,
    /// Do not compare the reference with its own refinement (twice the substeps, then a mesh twice as fine), which takes about
    /// six times as long as the reference
    #[arg(long)]
    pub no_check: bool,
    /// Run each variant N times, all by turns, and take the times of its quickest run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// Result folder; if not given, out/ and the name of the scene file and -study
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Simulate N frames instead of the scene's duration
    #[arg(long, value_name = "N")]
    pub frames: Option<u64>,
    /// Changes to the scene.
    #[command(flatten)]
    pub changes: SceneChanges,
    /// Print warnings and errors only
    #[arg(long)]
    pub quiet: bool,
}

/// Options of `taffeta export`.
#[derive(Clone, Debug, Args)]
pub struct ExportOptions {
    /// The result folder of a run, finished or not
    pub folder: PathBuf,
    /// The format: obj, ply, vtp, npz (files per frame), usda (a file per body) or glb (one file); may be repeated
    #[arg(long, value_name = "FORMAT", required = true, value_parser = parse_format)]
    pub format: Vec<Format>,
}

/// Options of `taffeta validate`.
#[derive(Clone, Debug, Args)]
pub struct ValidateOptions {
    /// The checks; if none is given, all
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// List the checks and run none
    #[arg(long)]
    pub list: bool,
    /// Override a value in the scenes of the checks, for example simulation.solver=direct; may be repeated
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    pub overrides: Vec<String>,
}

/// Options of `taffeta render`.
#[derive(Clone, Debug, Default, Args)]
pub struct RenderOptions {
    /// The result folder of a run
    pub folder: PathBuf,
    /// The frame; if not given, the last one
    #[arg(long, value_name = "N", conflicts_with_all = ["animation", "contact_sheet"])]
    pub frame: Option<u64>,
    /// Draw an animation of the frames, as a GIF file
    #[arg(long, group = "animation", conflicts_with = "contact_sheet")]
    pub gif: bool,
    /// Draw an animation of the frames in all colors, as an APNG file, which browsers show; it is several times as large
    #[arg(long, group = "animation", conflicts_with = "contact_sheet")]
    pub apng: bool,
    /// Draw a film of the frames, as an MP4 file (H.264), if the program was built with the feature mp4
    #[arg(long, group = "animation", conflicts_with = "contact_sheet")]
    pub mp4: bool,
    /// Go on with the frames of another result folder; may be repeated
    #[arg(long, value_name = "FOLDER", requires = "animation", conflicts_with_all = ["mp4", "color"])]
    pub then: Vec<PathBuf>,
    /// Quality of a film, from 1 to 100, which has the largest file; if not given, 75
    #[arg(long, value_name = "N", requires = "mp4", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub quality: Option<u8>,
    /// Draw several frames on one sheet, with their times
    #[arg(long)]
    pub contact_sheet: bool,
    /// Take every Nth written frame; if not given, all that a GIF file can show in time, or 60 per second of a film
    #[arg(long, value_name = "N", requires = "animation", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: Option<u64>,
    /// Frames on the contact sheet
    #[arg(long, value_name = "N", requires = "contact_sheet", value_parser = clap::value_parser!(u32).range(1..=400))]
    pub count: Option<u32>,
    /// Draw the edges of the mesh
    #[arg(long)]
    pub wireframe: bool,
    /// Color the cloths by a quantity, with a legend
    #[arg(long, value_name = "QUANTITY", value_parser = QuantityParser)]
    pub color: Option<ColorName>,
    /// Values of the first and the last color; if not given, those of the frames that are drawn
    #[arg(long, value_name = "LOW,HIGH", requires = "color", value_parser = parse_range, allow_hyphen_values = true)]
    pub range: Option<ColorRange>,
    /// Position of the camera, in m; if not given, as in the scene, or such that everything is seen
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    pub camera: Option<DVec3>,
    /// The point that the camera looks at, in m; if not given, the middle of all
    #[arg(long, value_name = "X,Y,Z", requires = "camera", value_parser = parse_point, allow_hyphen_values = true)]
    pub target: Option<DVec3>,
    /// Turn the camera about the upward axis, in degrees; positive to the right
    #[arg(long, value_name = "DEGREES", value_parser = parse_angle, allow_hyphen_values = true)]
    pub azimuth: Option<f64>,
    /// Show everything so many times as large, or smaller with a number below 1
    #[arg(long, value_name = "FACTOR", value_parser = parse_factor)]
    pub zoom: Option<f64>,
    /// Let the camera follow: every picture shows all of its frame as large as it can
    #[arg(long, conflicts_with = "camera")]
    pub fit: bool,
    /// Draw no ground below the bodies
    #[arg(long)]
    pub no_ground: bool,
    /// The picture; if not given, frame_00012.png, animation.gif, animation.png, film.mp4, contact_sheet.png or so in the result folder
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Width in pixels; if not given, 1280, or 640 of a GIF or APNG file
    #[arg(long, value_name = "PIXELS")]
    pub width: Option<u32>,
    /// Height in pixels; if not given, 720, or 360 of a GIF or APNG file
    #[arg(long, value_name = "PIXELS")]
    pub height: Option<u32>,
    /// Print errors only
    #[arg(long)]
    pub quiet: bool,
}

/// Smallest and largest factor by which a picture is zoomed.
const FACTORS: [f64; 2] = [0.01, 1000.0];

/// Values at the ends of a scale of colors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColorRange {
    /// Value of the first color.
    pub low: f64,
    /// Value of the last color.
    pub high: f64,
}

/// Finite numbers between commas.
fn parse_numbers<const N: usize>(text: &str, example: &str) -> Result<[f64; N], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    let numbers = numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite()));
    let refusal = || format!("must be {N} numbers with commas between them, for example {example}");
    numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(refusal)
}

/// A point.
fn parse_point(text: &str) -> Result<DVec3, String> {
    parse_numbers(text, "1.5,1,2.5").map(DVec3::from_array)
}

/// An angle.
fn parse_angle(text: &str) -> Result<f64, String> {
    parse_numbers(text, "45").map(|[angle]| angle)
}

/// A factor greater than 0.
fn parse_factor(text: &str) -> Result<f64, String> {
    let [factor] = parse_numbers(text, "1.5")?;
    if (FACTORS[0]..=FACTORS[1]).contains(&factor) {
        return Ok(factor);
    }
    Err(format!("must be a number from {} to {}", FACTORS[0], FACTORS[1]))
}

/// The ends of a scale.
fn parse_range(text: &str) -> Result<ColorRange, String> {
    let [low, high] = parse_numbers(text, "0,0.05")?;
    if low >= high {
        return Err("the first number must be smaller than the second one".to_owned());
    }
    Ok(ColorRange { low, high })
}

/// A format by its name.
fn parse_format(text: &str) -> Result<Format, String> {
    let names = Format::ALL.map(Format::name);
    Format::from_name(text).ok_or_else(|| format!("must be one of {}", names.join(", ")))
}

/// Accepts the second and later values of `--set a=1 b=2`, which clap hands over as positional arguments.
fn parse_assignment(text: &str) -> Result<String, String> {
    let is_assignment = text.contains('=');
    is_assignment
        .then(|| text.to_owned())
        .ok_or("there is one scene; overrides have the form key.path=value".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
