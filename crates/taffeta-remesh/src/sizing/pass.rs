//! The inputs of a pass.

use crate::metric::Metric;
use crate::sizing::settings::RemeshSettings;
use crate::sizing::surroundings::Surroundings;
use crate::sizing::view::View;
use taffeta_core::Region;
use taffeta_mesh::VertexKey;

/// Inputs of a pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pass<'a> {
    /// Settings by cloth number; `None`: the cloth is not touched.
    pub settings: &'a [Option<RemeshSettings>],
    /// Regions by pin number.
    pub pins: &'a [Region],
    /// Time since the last pass \[s\].
    pub elapsed: f64,
    /// The obstacles; `None`: there are none.
    pub surroundings: Option<&'a dyn Surroundings>,
    /// The camera, for cloths that may be coarser where it does not see them; `None`: there is none.
    pub view: Option<&'a View>,
    /// By how much a pass may move the material points of each cloth, by number: root mean square over the cloth \[m\].
    /// Collapses and flips beyond that wait. Empty: there is no limit.
    pub displacements: &'a [f64],
    /// Vertices at which the edges are to be no longer than a metric asks for, whatever their shape does.
    pub asked: &'a [(VertexKey, Metric)],
    /// True if the caller ensures that the pass adds no energy. Otherwise no piece has more kinetic energy after it
    /// than before.
    pub is_paid_for: bool,
}

impl<'a> Pass<'a> {
    /// The settings of a cloth that is gathered.
    pub(crate) fn settings_of(&self, cloth: u32) -> &'a RemeshSettings {
        self.settings[cloth as usize].as_ref().expect("only cloths with settings are gathered")
    }
}
