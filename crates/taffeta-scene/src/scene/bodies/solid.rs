//! Solids of a scene: from the shape to the tetrahedra.

use glam::DVec3;
use std::path::{Path, PathBuf};
use taffeta_core::Region;
use taffeta_io::{msh::read_msh, obj::ObjError, solid_box};

/// The tetrahedra of a solid.
#[derive(Clone, Debug, PartialEq)]
pub enum SolidShape {
    /// A box from the origin.
    Box {
        /// Lengths along x, y and z \[m\].
        size: DVec3,
        /// Cells along x, y and z, of five tetrahedra each.
        cells: [u32; 3],
    },
    /// Tetrahedra of a file.
    Mesh {
        /// The file, in Gmsh's format.
        path: PathBuf,
    },
}

/// Tetrahedra and what is to be known of them.
#[derive(Default)]
pub(crate) struct ShapeOfSolid {
    pub(crate) positions: Vec<DVec3>,
    pub(super) tetrahedra: Vec<[u32; 4]>,
    /// For each vertex its number in the file; `None`: it is its own.
    source_vertices: Option<Vec<u32>>,
    /// The file, and the number and the line of every tetrahedron in it.
    origin: Option<(PathBuf, Vec<(u64, usize)>)>,
    /// Warnings about the file that are odd, though not wrong.
    pub(crate) warnings: Vec<String>,
}

impl SolidShape {
    /// The key of the scene that gives it.
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Self::Box { .. } => "box",
            Self::Mesh { .. } => "mesh",
        }
    }

    /// The file that it is read from.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::Box { .. } => None,
            Self::Mesh { path } => Some(path),
        }
    }

    /// The tetrahedra, before they are placed.
    pub(crate) fn build(&self) -> Result<ShapeOfSolid, ObjError> {
        let path = match self {
            Self::Box { size, cells } => {
                let (positions, tetrahedra) = solid_box(*size, *cells);
                return Ok(ShapeOfSolid { positions, tetrahedra, ..ShapeOfSolid::default() });
            }
            Self::Mesh { path } => path,
        };
        let file = read_msh(path)?;
        let mut warnings = Vec::new();
        if file.dropped_vertices > 0 {
            let dropped = file.dropped_vertices;
            warnings.push(format!(
                "{}: {dropped} nodes belong to no tetrahedron and are left out",
                path.display()
            ));
        }
        if file.turned > 0 {
            warnings.push(format!(
                "{}: the corners of {} of {} tetrahedra run the other way round than those of the others: they were \
                 turned",
                path.display(),
                file.turned,
                file.tetrahedra.len()
            ));
        }
        Ok(ShapeOfSolid {
            positions: file.positions,
            tetrahedra: file.tetrahedra,
            source_vertices: Some(file.source_vertices),
            origin: Some((path.clone(), file.tags.into_iter().zip(file.lines).collect())),
            warnings,
        })
    }
}

impl ShapeOfSolid {
    /// The name of a tetrahedron for messages.
    pub(crate) fn name_tetrahedron(&self, number: usize) -> String {
        let Some((path, places)) = &self.origin else { return format!("tetrahedron {number}") };
        let (tag, line) = places[number];
        format!("the tetrahedron {tag} ({}:{line})", path.display())
    }

    /// The region with the numbers that vertices have here.
    pub(crate) fn renumber(&self, region: &Region) -> Result<Region, String> {
        let (Region::Vertices(list), Some(sources)) = (region, &self.source_vertices) else {
            return Ok(region.clone());
        };
        let find = |vertex: &u32| match sources.binary_search(vertex) {
            Ok(number) => Ok(number as u32),
            Err(_) => Err(format!("the file has no vertex {vertex} (from 0) that belongs to a tetrahedron")),
        };
        list.iter().map(find).collect::<Result<Vec<u32>, String>>().map(Region::Vertices)
    }
}
