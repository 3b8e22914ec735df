//! One cloth: from its keys to its description, and back.

use super::cloth_shape::ClothShape;
use super::cloth_table::{Buckling, ClothTable, VolumeTable};
use super::material::{Library, MaterialChoice};
use super::membrane::{
    ProjectionKeys, refuse_under_older, resolve_bending, resolve_break_force, resolve_buckling,
    resolve_membrane, resolve_rest_curvature, resolve_scaling, warn_of_pressure,
};
use super::pin_table::PinTable;
use super::projective::warn_of_projective;
use super::remesh::RemeshTable;
use super::seam::{SceneSeam, SeamTable, check_sewing, resolve_seams};
use super::tearing::{TearingParts, check_folds, check_tearing};
use crate::keys::{BodyName, Choice, Number};
use crate::place::Place;
use glam::DVec3;
use taffeta_core::{Placement, TriangleMesh};
use taffeta_remesh::RemeshSettings;
use taffeta_sim::{
    BendingModel, ClothDescription, Compression, EnclosedDescription, MembraneModel, MembraneScaling,
    PinDescription, ProjectionStiffness, SeamDescription, SimulationSettings, SolverChoice,
};
use taffeta_solve::Material;

/// One cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneCloth {
    /// Name, unique in the scene: letters, digits, `-` and `_`.
    pub name: String,
    /// Source of its mesh.
    pub shape: ClothShape,
    /// The material as resolved.
    pub material: Material,
    /// Placement of the mesh.
    pub place: Placement,
    /// Initial velocity \[m/s\].
    pub velocity: DVec3,
    /// Initial angular velocity about the center of mass \[rad/s\].
    pub angular_velocity: DVec3,
    /// Pressure along the face normals, following them \[Pa\].
    pub pressure: f64,
    /// The volume that it keeps if it is closed.
    pub volume: Option<EnclosedDescription>,
    /// Curvature at rest `κ_uu, κ_vv, κ_uv` \[1/m\].
    pub rest_curvature: [f64; 3],
    /// The pins. Vertex numbers are those of the mesh file.
    pub pins: Vec<PinDescription>,
    /// Seams. Vertex numbers are those of the mesh file.
    pub seams: Vec<SceneSeam>,
    /// Remeshing; `None`: fixed topology.
    pub remesh: Option<RemeshSettings>,
    /// Constraint of a triangle, or springs along the edges.
    pub membrane: MembraneModel,
    /// Scaling of that constraint.
    pub scaling: MembraneScaling,
    /// Compression that a triangle bears.
    pub compression: Compression,
    /// Bending model.
    pub bending: BendingModel,
    /// The force along an edge above which its spring lets go \[N\]; `None`: at no force.
    pub break_force: Option<f64>,
    /// Stiffness under the solver `pbd`.
    pub projection: ProjectionStiffness,
}

impl ClothTable {
    /// The keys of a cloth under a solver.
    pub(super) fn new(cloth: &SceneCloth, solver: SolverChoice) -> Self {
        let projection = ProjectionKeys::new(cloth.projection, solver);
        let (scaling, scaling_area) = match cloth.scaling {
            MembraneScaling::ByArea => (None, None),
            MembraneScaling::Fixed(area) => (Some(false), Some(Number(area))),
        };
        let seams = &cloth.seams;
        Self {
            name: BodyName(cloth.name.clone()),
            material: MaterialChoice::Table(Box::new((&cloth.material).into())),
            place: (&cloth.place).into(),
            velocity: cloth.velocity.into(),
            angular_velocity: cloth.angular_velocity.into(),
            pressure: Number(cloth.pressure),
            volume: cloth.volume.map(VolumeTable::from),
            rest_curvature: cloth.rest_curvature.into(),
            constraint: Some(Choice(cloth.membrane)),
            scaling,
            scaling_area,
            buckling: Buckling(match cloth.compression {
                Compression::Full => None,
                Compression::Buckling { factor } => Some(factor),
            }),
            break_force: cloth.break_force.map(Number),
            bending: Some(Choice(cloth.bending)),
            stiffness: projection.stiffness,
            bend_stiffness: projection.bend_stiffness,
            stiffness_correction: projection.stiffness_correction,
            pin: cloth.pins.iter().map(PinTable::from).collect(),
            seam: (!seams.is_empty()).then(|| seams.iter().map(SeamTable::from).collect()),
            remesh: cloth.remesh.as_ref().map(RemeshTable::from),
            ..cloth.shape.table()
        }
    }

    /// The cloth, checked.
    pub(super) fn resolve(
        &self,
        materials: &Library,
        settings: &SimulationSettings,
        at: &Place<'_>,
    ) -> Option<SceneCloth> {
        let solver = settings.solver;
        let shape = ClothShape::resolve(self, at);
        let of_material = at.at("material");
        let material = materials.resolve(&self.material, &of_material);
        let membrane = resolve_membrane(self, solver, at);
        let bending = resolve_bending(self, solver, at);
        let rest_curvature = resolve_rest_curvature(self, bending, solver, at);
        let pins = self.resolve_pins(solver, at);
        // Fewer vertices for the same error, where neither hinges nor seams ask for well-shaped triangles.
        let is_sewn = self.seam.is_some() || self.garment.is_some();
        let may_stretch = bending == BendingModel::Curvature && !is_sewn;
        let remesh = self
            .remesh
            .as_ref()
            .map(|table| table.resolve(may_stretch, settings.tolerance, &at.at("remesh")));
        let seams = self.seam.as_ref().map_or(&[][..], |seam| &seam.0);
        let seams = resolve_seams(seams, settings, &at.at("seam"));
        if self.garment.is_some() {
            check_sewing(settings, &at.at("garment"));
        }
        self.check_remesh(remesh.as_ref(), is_sewn, at);
        if let Some(material) = &material {
            check_folds(material, bending, settings, &of_material);
            let (remesh, has_volume) = (remesh.as_ref(), self.volume.is_some());
            let parts = TearingParts { material, membrane, remesh, has_volume };
            check_tearing(parts, settings, &of_material);
        }
        warn_of_pressure(self, solver, at);
        if solver == SolverChoice::Projective {
            warn_of_projective(material.as_ref(), remesh.is_some(), at);
        }
        let (stiffness, bend_stiffness) = (self.stiffness, self.bend_stiffness);
        let keys =
            ProjectionKeys { stiffness, bend_stiffness, stiffness_correction: self.stiffness_correction };
        Some(SceneCloth {
            name: self.name.0.clone(),
            place: self.place.resolve(),
            velocity: self.velocity.get(),
            angular_velocity: self.angular_velocity.get(),
            pressure: self.pressure.0,
            volume: self.volume.as_ref().map(VolumeTable::resolve),
            rest_curvature,
            pins,
            seams,
            remesh,
            membrane,
            scaling: resolve_scaling(self, solver, at),
            compression: resolve_buckling(self, membrane, solver, at),
            bending,
            break_force: resolve_break_force(self, membrane, solver, at),
            projection: keys.resolve(solver, at),
            shape: shape?,
            material: material?,
        })
    }

    fn resolve_pins(&self, solver: SolverChoice, at: &Place<'_>) -> Vec<PinDescription> {
        let resolve = |(number, pin): (usize, &PinTable<_>)| {
            let at = at.at("pin").at(number);
            // Cloths have no first and last vertex.
            let pin = pin.resolve(0, solver, &at)?;
            if pin.clamp {
                refuse_under_older(solver, &at.at("clamp"));
            }
            Some(pin)
        };
        self.pin.0.iter().enumerate().filter_map(resolve).collect()
    }

    /// Refuses remeshing beside what it does not go with.
    fn check_remesh(&self, remesh: Option<&RemeshSettings>, is_sewn: bool, at: &Place<'_>) {
        let Some(remesh) = remesh else { return };
        if self.volume.is_some() {
            at.at("volume").refuse(
                format!("`{at}.volume` and `remesh` exclude each other: a closed cloth keeps its mesh"),
                "leave one of them out",
            );
        }
        if remesh.anisotropic && is_sewn {
            at.at("remesh").refuse(
                format!("`{at}.remesh.anisotropic` knows one chart, but a cloth that is sewn has seams"),
                "leave it out",
            );
        }
    }
}

impl SceneCloth {
    /// The cloth in the world with its mesh, whose vertices pins and seams are of, and their numbers in the file.
    pub(super) fn describe(
        &self,
        (mesh, vertex_names, panel_names): (TriangleMesh, Vec<u32>, Vec<String>),
        pins: Vec<PinDescription>,
        seams: Vec<SeamDescription>,
    ) -> ClothDescription {
        ClothDescription {
            name: self.name.clone(),
            mesh,
            vertex_names: Some(vertex_names),
            panel_names,
            material: self.material.clone(),
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
            pressure: self.pressure,
            volume: self.volume,
            rest_curvature: self.rest_curvature,
            pins,
            seams,
            remesh: self.remesh,
            membrane: self.membrane,
            scaling: self.scaling,
            compression: self.compression,
            bending: self.bending,
            break_force: self.break_force,
            projection: self.projection,
        }
    }
}
