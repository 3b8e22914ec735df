//! The formats of frames, listed once. A format is a variant, a module and an entry of this file.

pub mod glb;
pub mod npz;
pub mod ply;
pub mod usda;
pub mod vtp;

use crate::frame::FrameData;
use crate::obj::{write_grouped_obj, write_polyline};
use crate::spanning::{Span, SpanningWriter};
use std::fs::File;
use std::io;

/// A format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Wavefront OBJ: positions, material coordinates, faces or lines.
    Obj,
    /// Stanford PLY, binary.
    Ply,
    /// VTK PolyData in XML, with a `.pvd` file that tells the times.
    Vtp,
    /// Universal Scene Description as text, one file per body.
    Usda,
    /// Binary glTF, one file for the whole run.
    Glb,
    /// NumPy arrays.
    Npz,
}

/// A file that tells the times of the files of single frames.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    /// Name of the file.
    pub file: &'static str,
    /// Writes it.
    pub write: fn(&mut File, &[vtp::PvdEntry]) -> io::Result<()>,
}

/// Way in which a format is written.
enum Writing {
    /// A file per body and frame, and perhaps one for all times.
    Frames(fn(&mut File, &FrameData) -> io::Result<()>, Option<Series>),
    /// Files of these names, each of all frames; `*` is the name of a body.
    Run(&'static [&'static str], fn(Span) -> io::Result<Box<dyn SpanningWriter>>),
}

/// Properties of a format.
struct Entry {
    format: Format,
    name: &'static str,
    /// True if its files hold everything of a frame and are read back by this program.
    is_complete: bool,
    loss: Option<&'static str>,
    writing: Writing,
}

impl Entry {
    const fn new(format: Format, name: &'static str, writing: Writing) -> Self {
        Self { format, name, is_complete: false, loss: None, writing }
    }
}

/// The times of VTP files.
const PVD: Series = Series { file: "scene.pvd", write: |file, entries| vtp::write_pvd(file, entries) };

/// The formats in the order of the variants, in which messages name them.
const FORMATS: [Entry; 6] = [
    Entry::new(Format::Obj, "obj", Writing::Frames(write_obj_frame, None)),
    Entry {
        is_complete: true,
        ..Entry::new(Format::Ply, "ply", Writing::Frames(|file, frame| ply::write_ply(file, frame), None))
    },
    Entry::new(Format::Vtp, "vtp", Writing::Frames(|file, frame| vtp::write_vtp(file, frame), Some(PVD))),
    Entry {
        loss: Some("usda files have numbers of 32 bits, as USD defines points"),
        ..Entry::new(Format::Usda, "usda", Writing::Run(&["*.usda", usda::OBSTACLES], usda::UsdaFiles::start))
    },
    Entry {
        loss: Some(
            "scene.glb has numbers of 32 bits and leaves out strains, curvatures and their jumps: glTF has no values of faces",
        ),
        ..Entry::new(Format::Glb, "glb", Writing::Run(&[glb::FILE], glb::GlbWriter::start))
    },
    Entry { is_complete: true, ..Entry::new(Format::Npz, "npz", Writing::Frames(write_npz_frame, None)) },
];

impl Format {
    /// All formats, in the order in which messages name them.
    pub const ALL: [Self; FORMATS.len()] = {
        let mut all = [Self::Obj; FORMATS.len()];
        let mut k = 0;
        while k < all.len() {
            all[k] = FORMATS[k].format;
            k += 1;
        }
        all
    };

    fn entry(self) -> &'static Entry {
        &FORMATS[self as usize]
    }

    /// The name in scenes, which is the ending of the files.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The format of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns whether one file holds all frames, so that it can be written only from the files of the single frames.
    pub fn spans_frames(self) -> bool {
        matches!(self.entry().writing, Writing::Run(..))
    }

    /// Returns whether its files hold everything of a frame and are read back by this program.
    pub fn is_complete(self) -> bool {
        self.entry().is_complete
    }

    /// Describes the data beyond OBJ that files of this format lose, in a sentence; `None` if they lose nothing.
    pub fn loss(self) -> Option<&'static str> {
        self.entry().loss
    }

    /// Writes a file of a single frame.
    ///
    /// # Errors
    /// Those of the file.
    ///
    /// # Panics
    /// If the format spans frames.
    pub fn write_frame(self, file: &mut File, frame: &FrameData) -> io::Result<()> {
        match self.entry().writing {
            Writing::Frames(write, _) => write(file, frame),
            Writing::Run(..) => panic!("{} files span frames", self.name()),
        }
    }

    /// Starts files that span the frames of a run; `None` if the format has a file per frame.
    pub fn start_run(self, span: &Span) -> Option<io::Result<Box<dyn SpanningWriter>>> {
        match self.entry().writing {
            Writing::Run(_, start) => Some(start(span.clone())),
            Writing::Frames(..) => None,
        }
    }

    /// The file that tells the times of the files of single frames.
    pub fn series(self) -> Option<Series> {
        match self.entry().writing {
            Writing::Frames(_, series) => series,
            Writing::Run(..) => None,
        }
    }

    /// Names of its files that span frames; `*` is the name of a body.
    pub fn run_files(self) -> Vec<&'static str> {
        match self.entry().writing {
            Writing::Run(names, _) => names.to_vec(),
            Writing::Frames(_, series) => series.iter().map(|series| series.file).collect(),
        }
    }
}

fn write_npz_frame(file: &mut File, frame: &FrameData) -> io::Result<()> {
    npz::write_npz(io::BufWriter::new(file), frame)
}

fn write_obj_frame(file: &mut File, frame: &FrameData) -> io::Result<()> {
    match frame.is_curve {
        true => write_polyline(file, &frame.mesh.positions),
        false => write_grouped_obj(file, &frame.mesh, frame.panels.as_ref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_finds_its_own_entry() {
        for format in Format::ALL {
            assert_eq!((format.entry().format, Format::from_name(format.name())), (format, Some(format)));
        }
    }
}
