//! Parts of a world that do not change by themselves.

pub(crate) mod drives;
pub(crate) mod follow;
pub(crate) mod loose;
pub(crate) mod pin_places;
pub(crate) mod pins;
pub(crate) mod seams;
pub(crate) mod solid;
pub(crate) mod solid_locator;

use crate::model::description::ids::BodyIds;
use crate::model::description::{Air, ClothDescription, SimulationSettings, SolverChoice};
use crate::model::setup::loose::LooseBody;
use crate::model::setup::pins::Pin;
use crate::model::setup::seams::SeamLaw;
use crate::model::setup::solid::Solid;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use taffeta_contact::{ContactSurface, MeshObstacle, Obstacle};
use taffeta_core::KeyframedMotion as Path;
use taffeta_remesh::View;
use taffeta_solve::{ClothModel, Compression, MembraneModel, Tearing};

/// A cloth of a world. It dereferences to its description.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// Its description, without mesh, pins and seams.
    pub description: ClothDescription,
    /// True if it came with material coordinates.
    pub has_material: bool,
    /// True if these lay it out as a whole, with one per vertex. Otherwise its layout is its start.
    pub has_one_chart: bool,
    /// Contact with obstacles.
    pub surface: ContactSurface,
    /// Time at which it came into the world \[s\]. Its seams and its inflation count from then.
    pub begin: f64,
}

/// Bodies, laws and settings of a world: steps read them, and only [`World`](crate::World)'s own setters change them. A step
/// gives the drives of bodies that its caller moves the time at which they arrive.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// Handles of cloths and obstacles.
    pub ids: BodyIds,
    pub cloths: Vec<Cloth>,
    pub bodies: Vec<LooseBody>,
    pub solids: Vec<Solid>,
    pub pins: Vec<Pin>,
    pub seams: Vec<SeamLaw>,
    /// Obstacles in closed form.
    pub obstacles: Vec<Obstacle>,
    /// Obstacles made of triangles.
    pub meshes: Arc<Vec<MeshObstacle>>,
    /// Contact thickness of all cloths \[m\]; `None`: from the material.
    pub contact_thickness: Option<f64>,
    /// True if cloths meet themselves and each other.
    pub self_contact: bool,
    pub settings: SimulationSettings,
    /// True if `auto` has chosen a solver that sweeps, for volumes inside closed cloths.
    pub sweeps_for_volumes: bool,
    pub air: Option<Air>,
    /// Camera outside of whose picture cloths may be coarser, at time 0, and its motion.
    pub view: Option<View>,
    pub view_motion: Path,
}

/// Edges at the tip, relative to the length over which the stress is averaged: what coarser edges leave of the mean depends
/// on the mesh.
const FINE_PART: f64 = 0.5;

impl Deref for Cloth {
    type Target = ClothDescription;

    fn deref(&self) -> &ClothDescription {
        &self.description
    }
}

impl DerefMut for Cloth {
    fn deref_mut(&mut self) -> &mut ClothDescription {
        &mut self.description
    }
}

impl Cloth {
    /// Material and choice of blocks, as a solver knows them. Only strains of triangles that bear any compression can stiffen: a bound
    /// on compression is found for a linear law.
    pub(crate) fn model_under(&self, solver: SolverChoice) -> ClothModel {
        let mut model = self.model();
        let is_plain = model.membrane == MembraneModel::Strain && model.compression == Compression::Full;
        if !is_plain || !solver.capabilities().stiffening {
            model.material.linearity = 1.0;
        }
        model
    }

    /// Material and choice of blocks.
    pub fn model(&self) -> ClothModel {
        let cloth = &self.description;
        ClothModel {
            material: cloth.material.clone(),
            membrane: cloth.membrane,
            scaling: cloth.scaling,
            compression: cloth.compression,
            bending: cloth.bending,
            rest_curvature: cloth.rest_curvature,
        }
    }

    /// The time since it came into the world \[s\], at a time of the world \[s\].
    pub fn age(&self, time: f64) -> f64 {
        time - self.begin
    }

    /// Tearing of the cloth.
    pub(crate) fn tearing(&self) -> Option<&Tearing> {
        self.material.tearing.as_ref()
    }

    /// The edge length at which a tear of a cloth that is remeshed goes on \[m\]; `None`: it takes the edges as they are.
    pub(crate) fn tear_size(&self) -> Option<f64> {
        let (tearing, remesh) = (self.tearing()?, self.remesh?);
        Some(remesh.size_min.max(FINE_PART * tearing.length))
    }
}
