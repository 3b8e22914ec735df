//! Sizing that the passes of a step have asked for, on the mesh before the step: the label of a learned sizing field.

use crate::model::state::sheet::Sheet;
use std::sync::Arc;
use taffeta_core::{IndexVec, VertexIndex};
use taffeta_mesh::VertexKey;
use taffeta_remesh::Metric;

/// Metrics that passes ask for in a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// The sheet before the step; `None`: no step was made.
    pub sheet: Option<Arc<Sheet>>,
    /// The metrics of its vertices then; zero before the first pass.
    pub earlier: Arc<IndexVec<VertexIndex, Metric>>,
    /// Metrics asked for by each pass.
    pub passes: Vec<Arc<Vec<(VertexKey, Metric)>>>,
}

impl Asked {
    /// That of a step which begins.
    pub(crate) fn begin(sheet: &Arc<Sheet>, metrics: &Arc<IndexVec<VertexIndex, Metric>>) -> Self {
        Self { sheet: Some(Arc::clone(sheet)), earlier: Arc::clone(metrics), passes: Vec::new() }
    }

    /// Adds those of a pass.
    pub(crate) fn add(&mut self, metrics: Vec<(VertexKey, Metric)>) {
        self.passes.push(Arc::new(metrics));
    }
}
