//! Data of a frame of a body.

use glam::DVec3;
use taffeta_core::TriangleMesh;

/// One body in one frame. Fields that are `None` are not known, for example because they come from a file that does not
/// have them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameData {
    /// Number of the frame.
    pub number: Option<u64>,
    /// Time of the frame \[s\].
    pub time: Option<f64>,
    /// Positions \[m\], faces, material coordinates of the corners \[m\]. Of a curve: positions only.
    pub mesh: TriangleMesh,
    /// The panel of each face, if the panels have names.
    pub panels: Option<FaceGroups>,
    /// True if the body is a rope: a curve through its positions, without faces.
    pub is_curve: bool,
    /// For each vertex its number in the file or mesh that the body was made from; `None`: it was added since.
    pub vertex_names: Option<Vec<Option<u32>>>,
    /// Velocities \[m/s\], one per vertex.
    pub velocities: Option<Vec<DVec3>>,
    /// The edge length that is wanted at each vertex, or where nothing remeshes the mean length of its edges at rest \[m\].
    pub sizes: Option<Vec<f64>>,
    /// The principal Green strain of each face that is the larger in absolute value: negative where it is compressed.
    pub strains: Option<Vec<f64>>,
    /// Mean curvature of each face \[1/m\], positive where its normal points out of the bend, as on a ball.
    pub curvatures: Option<Vec<f64>>,
    /// Largest difference of the Green strain of each face to that of a neighbor: the Frobenius norm.
    pub strain_jumps: Option<Vec<f64>>,
    /// Largest difference of the curvature of each face to that of a neighbor \[1/m\].
    pub curvature_jumps: Option<Vec<f64>>,
    /// Plastic curvature of each face \[1/m\], of a cloth whose material yields: the Frobenius norm.
    pub plastic_curvatures: Option<Vec<f64>>,
}

/// Groups of faces, with names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaceGroups {
    /// The names.
    pub names: Vec<String>,
    /// For each face the number of its group.
    pub of_face: Vec<u32>,
}

impl FaceGroups {
    /// The faces of each group, with its name.
    pub fn lists(&self) -> Vec<(&str, Vec<u32>)> {
        let mut lists: Vec<(&str, Vec<u32>)> =
            self.names.iter().map(|name| (name.as_str(), Vec::new())).collect();
        (0..).zip(&self.of_face).for_each(|(face, group)| lists[*group as usize].1.push(face));
        lists
    }
}

/// The numbers of the faces by their names in files, in the order of [`FrameData::face_scalars`].
pub(crate) const FACE_SCALARS: [&str; FACE_SCALAR_COUNT] =
    ["strain", "curvature", "strain_jump", "curvature_jump", "plastic_curvature"];
pub(crate) const FACE_SCALAR_COUNT: usize = 5;

impl FrameData {
    /// A surface with nothing but its mesh.
    pub fn surface(mesh: TriangleMesh) -> Self {
        Self { mesh, ..Self::default() }
    }

    /// A curve with nothing but its points \[m\].
    pub fn curve(positions: Vec<DVec3>) -> Self {
        Self {
            mesh: TriangleMesh { positions, ..TriangleMesh::default() },
            is_curve: true,
            ..Self::default()
        }
    }

    /// The arrays with one number per face.
    pub(crate) fn face_scalars(&self) -> [&Option<Vec<f64>>; FACE_SCALAR_COUNT] {
        let Self { strains, curvatures, strain_jumps, curvature_jumps, plastic_curvatures, .. } = self;
        [strains, curvatures, strain_jumps, curvature_jumps, plastic_curvatures]
    }

    pub(crate) fn face_scalars_mut(&mut self) -> [&mut Option<Vec<f64>>; FACE_SCALAR_COUNT] {
        let Self { strains, curvatures, strain_jumps, curvature_jumps, plastic_curvatures, .. } = self;
        [strains, curvatures, strain_jumps, curvature_jumps, plastic_curvatures]
    }

    /// Why the arrays do not fit together, in words; `None`: they do.
    pub fn find_defect(&self) -> Option<String> {
        let (vertices, faces) = (self.mesh.positions.len(), self.mesh.faces.len());
        if let Some(face) = self.mesh.faces.iter().find(|face| face.iter().any(|v| *v as usize >= vertices)) {
            return Some(format!("a face has the corners {face:?}, but there are {vertices} vertices"));
        }
        let lengths = [
            ("vertex names", self.vertex_names.as_ref().map(Vec::len), vertices),
            ("velocities", self.velocities.as_ref().map(Vec::len), vertices),
            ("sizes", self.sizes.as_ref().map(Vec::len), vertices),
            ("strains", self.strains.as_ref().map(Vec::len), faces),
            ("curvatures", self.curvatures.as_ref().map(Vec::len), faces),
            ("strain jumps", self.strain_jumps.as_ref().map(Vec::len), faces),
            ("curvature jumps", self.curvature_jumps.as_ref().map(Vec::len), faces),
            ("plastic curvatures", self.plastic_curvatures.as_ref().map(Vec::len), faces),
            ("material coordinates", self.mesh.material.as_ref().map(Vec::len), faces),
            ("panels of faces", self.panels.as_ref().map(|panels| panels.of_face.len()), faces),
        ];
        if let Some(FaceGroups { names, of_face }) = &self.panels
            && let Some(panel) = of_face.iter().find(|panel| **panel as usize >= names.len())
        {
            return Some(format!(
                "a face is of panel {panel}, but there are {} names of panels",
                names.len()
            ));
        }
        let wrong = lengths.into_iter().find(|(_, found, expected)| found.is_some_and(|n| n != *expected));
        wrong.map(|(name, found, expected)| {
            format!("there are {} {name}, but {expected} are expected", found.unwrap_or_default())
        })
    }
}

/// A number as the index of a vertex; `None`: it is none.
pub(crate) fn to_index(number: f64) -> Option<u32> {
    (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number)).then_some(number as u32)
}

/// Why a file is no frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReadError(pub String);

impl ReadError {
    /// From whatever tells the reason.
    pub(crate) fn new(reason: impl ToString) -> Self {
        Self(reason.to_string())
    }
}
