//! Report of a pass, and the questions that it asks before an edit.

use crate::attributes::SheetAttributes;
use crate::metric::Metric;
use taffeta_mesh::{CollapseRecord, EdgeKey, FlipRecord, Halfedge, HalfedgeMesh, SplitRecord, VertexKey};

/// One edit, as it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EditRecord {
    /// An edge was split.
    Split(SplitRecord),
    /// An edge was collapsed.
    Collapse(CollapseRecord),
    /// An edge was flipped.
    Flip(FlipRecord),
}

/// Report of a remeshing pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemeshReport {
    /// Number of splits.
    pub splits: usize,
    /// Number of collapses.
    pub collapses: usize,
    /// Number of flips.
    pub flips: usize,
    /// Edges short enough to collapse that were kept for a reason other than size: pins, outline, shape.
    pub refused: usize,
    /// Numbers of these edges by reason.
    pub refusals: Refusals,
    /// Collapses and flips that wait because the pass has moved the material points as far as it may.
    pub postponed: usize,
    /// Collapses and flips that the intersection test refused.
    pub vetoed: usize,
    /// The budget ran out: the next pass goes on.
    pub unfinished: bool,
    /// Cloths that are coarser than they ask for because of `max_vertices`, in increasing order.
    pub at_vertex_limit: Vec<u32>,
    /// By cloth number: the squares of the distances by which collapses and flips moved material points, integrated over the
    /// cloth \[m⁴\]. Edits that follow each other at one place are added up.
    pub displacements: Vec<f64>,
    /// Metrics that the pass has asked for, by the vertices of the mesh before it.
    pub asked: Vec<(VertexKey, Metric)>,
    /// The edits in order. Applied to a copy of the old mesh they give the new one, with the same keys.
    pub log: Vec<EditRecord>,
}

/// Edges short enough to collapse that were kept, by what spoke against it. Where the two directions fail for different
/// reasons it is the one that came further in the checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// A pin holds the vertex.
    pub pinned: usize,
    /// The vertex is a corner of the outline or of seams, or would leave them.
    pub outline: usize,
    /// A rest shape in space would move too far from that of the input.
    pub rest_shape: usize,
    /// A triangle would be badly shaped or turned over in material space.
    pub quality: usize,
    /// A face would turn too far in world space.
    pub turns_normal: usize,
    /// The surface would not be one any more.
    pub topology: usize,
}

impl RemeshReport {
    /// Number of edits of any kind.
    pub fn edit_count(&self) -> usize {
        self.splits + self.collapses + self.flips
    }

    pub(crate) fn add(&mut self, record: EditRecord) {
        match record {
            EditRecord::Split(_) => self.splits += 1,
            EditRecord::Collapse(_) => self.collapses += 1,
            EditRecord::Flip(_) => self.flips += 1,
        }
        self.log.push(record);
    }
}

/// An edit that changes the surface. Splits are not proposed: they move nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposedEdit {
    /// Merge the tail of the half-edge into its tip.
    Collapse(Halfedge),
    /// Turn the edge.
    Flip(EdgeKey),
}

/// A collapse or flip that passed every check of the remesher, for the intersection test.
#[derive(Clone, Copy, Debug)]
pub struct Proposal<'a> {
    /// The edit.
    pub edit: ProposedEdit,
    /// Corners of the faces that the edit would remove or change.
    pub before: &'a [[VertexKey; 3]],
    /// Corners of the faces that would take their place.
    pub after: &'a [[VertexKey; 3]],
    /// The mesh before the edit.
    pub mesh: &'a HalfedgeMesh,
    /// The attributes before the edit. Vertices that stay do not move.
    pub attributes: &'a SheetAttributes,
    /// The edits of the pass so far, in order.
    pub log: &'a [EditRecord],
}
