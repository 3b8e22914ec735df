//! One authority at a time: dense arrays while simulating, keyed attributes while remeshing.
//!
//! ```text
//!  keyed: KeyedSheet { mesh, attributes }  ──into_dense──►  dense: Sheet (fixed until the next edit) + DenseState (what substeps change)
//!                                      ◄──to_keyed─────
//! ```

mod part;

use crate::model::setup::loose::LooseVertex;
use crate::model::setup::seams::Sewing;
use crate::model::setup::solid::{Solid, number_vertices};
use crate::model::state::dense::DenseState;
use crate::model::state::numbering::Numbering;
use glam::{DVec2, DVec3};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use slotmap::SecondaryMap;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use taffeta_core::index::DenseIndex;
use taffeta_core::morton::morton_code;
use taffeta_core::{EdgeIndex, FaceIndex, IndexVec, SurfaceTopology, TopologyEpoch, VertexIndex};
use taffeta_mesh::{EdgeKey, FaceKey, Halfedge, HalfedgeMesh, KeyTable, Side, VertexKey};
use taffeta_remesh::{EdgeAttributes, FaceAttributes, Hold, Metric, SheetAttributes, VertexAttributes};
use taffeta_solve::{ClothModel, RestShape};

/// The surface and the loose vertices in dense order, as long as no edit changes the mesh: nothing in it changes while
/// substeps are made. Keyed connectivity is kept, read-only. After the vertices of the mesh come the loose ones, in an
/// order that never changes.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// Dense connectivity.
    pub topology: SurfaceTopology,
    /// The body of each vertex, not decreasing: the number of its cloth or, for a loose vertex, the number of cloths and
    /// that of its loose body.
    pub vertex_cloths: IndexVec<VertexIndex, u32>,
    /// World position at time 0 of each vertex's material point \[m\].
    pub starts: IndexVec<VertexIndex, DVec3>,
    /// A point of each vertex in material space \[m\], or at time 0 for cloths that no single chart lays out.
    pub layout: IndexVec<VertexIndex, DVec3>,
    /// The panel of each face, by its number in its cloth.
    pub panels: IndexVec<FaceIndex, u32>,
    keys: KeyTable,
    mesh: HalfedgeMesh,
    /// Attributes of the mesh that no dense array holds.
    kept: KeptAttributes,
    /// The loose vertices when the dense form was made; what changes of them is in the [`DenseState`].
    loose: Vec<LooseVertex>,
    /// The seams and their open pairs.
    pub(crate) sewing: Sewing,
    /// The vertices of each solid, in the order of its description.
    pub(crate) solid_vertices: Vec<Vec<VertexIndex>>,
    /// The cloths by themselves.
    own: Vec<OwnMesh>,
    /// The number of every vertex of the mesh, made when somebody asks.
    numbers: OnceLock<SecondaryMap<VertexKey, VertexIndex>>,
}

/// The mesh of a cloth by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OwnMesh {
    /// Its vertices and its faces in dense order.
    vertices: Range<usize>,
    first_face: usize,
    /// Its own numbers of them.
    numbering: Numbering,
    /// Corners of its faces, in its own numbers and its own order.
    faces: Vec<[u32; 3]>,
    /// The epoch of the conversion that made its topology what it is.
    version: u64,
}

/// The name of a vertex: it stays the same through remeshing for as long as the vertex is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum VertexName {
    /// A vertex of the mesh of a cloth.
    Surface(VertexKey),
    /// A loose vertex, by its number among them.
    Loose(u32),
}

/// Attributes that a simulation has no use for, in dense order.
#[derive(Clone, Debug, Default)]
struct KeptAttributes {
    vertices: IndexVec<VertexIndex, KeptOfVertex>,
    /// `None`: of all faces.
    rest_errors: Option<IndexVec<FaceIndex, Option<f64>>>,
}

/// See [`VertexAttributes`].
#[derive(Clone, Copy, Debug)]
struct KeptOfVertex {
    input: Option<u32>,
    is_stitched: bool,
}

/// The sheet by keys: connectivity and attributes, free to be edited.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeyedSheet {
    /// Connectivity of all cloths.
    pub mesh: HalfedgeMesh,
    /// Attributes of all elements.
    pub attributes: SheetAttributes,
    /// The vertices that belong to no face, by body. Remeshing leaves them alone.
    pub loose: Vec<LooseVertex>,
    /// The seams and their open pairs.
    pub sewing: Sewing,
}

/// Facts about the cloths that `into_dense` needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DenseRules<'a> {
    /// Materials and models.
    pub models: &'a [ClothModel],
    /// For each cloth, true if one chart lays it out; the others are ordered in world space at time 0. Panels overlap
    /// in material space, where points that are far apart would be close.
    pub has_one_chart: &'a [bool],
    /// The axes that each pin holds.
    pub axes: &'a [[bool; 3]],
    /// The solids, which have masses of their own.
    pub solids: &'a [Solid],
}

impl Sheet {
    /// The sheet by keys, with the state of `motion`.
    pub fn to_keyed(&self, motion: &DenseState) -> KeyedSheet {
        KeyedSheet {
            mesh: self.mesh.clone(),
            attributes: SheetAttributes {
                vertices: self.collect_vertex_attributes(motion),
                edges: self.collect_edge_attributes(motion),
                faces: self.collect_face_attributes(motion),
            },
            loose: self.collect_loose(motion),
            sewing: self.sewing.clone(),
        }
    }

    /// The sizing metrics of the vertices of the mesh in a keyed sheet \[1/m²\].
    pub(crate) fn metrics_in(&self, attributes: &SheetAttributes) -> IndexVec<VertexIndex, Metric> {
        self.keys.vertices.iter().map(|key| attributes.vertices[*key].metric).collect()
    }

    fn collect_vertex_attributes(&self, motion: &DenseState) -> SecondaryMap<VertexKey, VertexAttributes> {
        let mut attributes = SheetAttributes::with_room_for(&self.mesh).vertices;
        for (vi, key) in self.keys.vertices.iter_indexed() {
            let KeptOfVertex { input, is_stitched } = self.kept.vertices[vi];
            let vertex = VertexAttributes {
                position: motion.positions[vi],
                velocity: motion.velocities[vi],
                start: self.starts[vi],
                hold: motion.hold_of(vi),
                input,
                metric: motion.metrics[vi],
                is_stitched,
            };
            attributes.insert(*key, vertex);
        }
        attributes
    }

    fn collect_edge_attributes(&self, motion: &DenseState) -> SecondaryMap<EdgeKey, EdgeAttributes> {
        let Self { topology, keys, mesh, .. } = self;
        let rest = &motion.rest;
        let mut attributes = SheetAttributes::with_room_for(mesh);
        for (ei, key) in keys.edges.iter_indexed() {
            let side = first_side(mesh, keys, topology, ei);
            let edge = EdgeAttributes {
                corners: [DVec2::ZERO; 2],
                rest_angle: rest.angles[ei],
                angle: rest.last_angles[ei],
                scalar: side * motion.scalars[ei],
                broken: motion.broken[ei],
            };
            attributes.edges.insert(*key, edge);
        }
        for fi in topology.faces.indices() {
            let halfedges = corner_halfedges(mesh, keys, topology, fi);
            attributes.set_corners(mesh, halfedges, rest.corners[fi]);
        }
        attributes.edges
    }

    fn collect_face_attributes(&self, motion: &DenseState) -> SecondaryMap<FaceKey, FaceAttributes> {
        let Self { keys, kept, .. } = self;
        let mut attributes = SheetAttributes::with_room_for(&self.mesh).faces;
        for (fi, key) in keys.faces.iter_indexed() {
            let face = FaceAttributes {
                cloth: motion.rest.cloths[fi],
                panel: self.panels[fi],
                rest_error: kept.rest_errors.as_ref().and_then(|errors| errors[fi]),
                plastic_curvature: motion.rest.plastic_curvatures[fi],
            };
            attributes.insert(*key, face);
        }
        attributes
    }

    /// The loose vertices as they are now.
    fn collect_loose(&self, motion: &DenseState) -> Vec<LooseVertex> {
        let first = self.topology.surface_vertex_count();
        let now = |(k, dense): (usize, &LooseVertex)| LooseVertex {
            body: dense.body,
            mass: dense.mass,
            position: motion.positions.raw[first + k],
            velocity: motion.velocities.raw[first + k],
            start: dense.start,
            layout: dense.layout,
            hold: motion.hold_of(VertexIndex::from_usize(first + k)),
            angle: motion.loose_angles[k],
        };
        self.loose.iter().enumerate().map(now).collect()
    }

    /// The cloths by themselves; `cloths` has the cloth of each face.
    fn own_meshes(&self, cloths: &IndexVec<FaceIndex, u32>, count: u32) -> Vec<OwnMesh> {
        let own = |cloth: u32| {
            let vertices = self.vertex_range(cloth);
            let first_face = cloths.raw.partition_point(|c| *c < cloth);
            let end = cloths.raw.partition_point(|c| *c <= cloth);
            let corners = &self.topology.faces.raw[first_face..end];
            let numbering = self.number_own(vertices.clone(), first_face, corners);
            let number = |vi: VertexIndex| numbering.number(vi.0 as usize - vertices.start);
            let faces = numbering.sort_corners(corners).into_iter().map(|face| face.map(number)).collect();
            OwnMesh { vertices, first_face, numbering, faces, version: self.topology.epoch.0 }
        };
        (0..count).map(own).collect()
    }

    /// The own numbers of a cloth with these vertices and faces.
    fn number_own(
        &self,
        vertices: Range<usize>,
        first_face: usize,
        corners: &[[VertexIndex; 3]],
    ) -> Numbering {
        let inputs = self.kept.vertices.raw[vertices].iter().map(|kept| kept.input);
        let keys = self.keys.faces.raw[first_face..].iter().copied();
        let faces = keys.zip(corners.iter().map(|face| face.map(|vi| self.keys.vertices[vi])));
        Numbering::new(&self.mesh, inputs, faces)
    }

    /// Gives every cloth the version that it has in the sheet that this one replaces, if its topology is the same, and that of
    /// a new epoch otherwise. `place` is the place of each cloth there.
    pub(crate) fn succeed(
        &mut self,
        before: &Sheet,
        epoch: TopologyEpoch,
        place: impl Fn(usize) -> Option<usize>,
    ) {
        for cloth in 0..self.own.len() {
            let old = place(cloth).filter(|old| self.has_same_mesh(cloth, before, *old));
            self.own[cloth].version = old.map_or(epoch.0, |old| before.own[old].version);
        }
    }

    /// Returns whether a cloth has the vertices and faces, in the same order, that a cloth of another sheet has.
    pub(crate) fn has_same_mesh(&self, cloth: usize, other: &Sheet, place: usize) -> bool {
        let (own, Some(old)) = (&self.own[cloth], other.own.get(place)) else { return false };
        let keys = &self.keys.vertices.raw[own.vertices.clone()];
        own.faces == old.faces && *keys == other.keys.vertices.raw[old.vertices.clone()]
    }

    /// The own numbers of the vertices and the faces of a cloth.
    pub(crate) fn numbering(&self, cloth: usize) -> &Numbering {
        &self.own[cloth].numbering
    }

    /// The number of each vertex of a cloth in its input, in its own order; `None`: added since.
    pub(crate) fn input_numbers(&self, cloth: usize) -> Vec<Option<u32>> {
        let OwnMesh { vertices, numbering, .. } = &self.own[cloth];
        let kept = numbering.sort_vertices(&self.kept.vertices.raw[vertices.clone()]);
        kept.into_iter().map(|kept| kept.input).collect()
    }

    /// The place of a vertex when those of each cloth are in the cloth's own order.
    pub(crate) fn own_place(&self, vi: VertexIndex) -> usize {
        let cloth = self.vertex_cloths[vi] as usize;
        match self.own.get(cloth) {
            Some(OwnMesh { vertices, numbering, .. }) => {
                vertices.start + numbering.number(vi.0 as usize - vertices.start) as usize
            }
            None => vi.0 as usize,
        }
    }

    /// The number of a vertex in its cloth or other body.
    pub(crate) fn own_number(&self, vi: VertexIndex) -> usize {
        self.own_place(vi) - self.vertex_range(self.vertex_cloths[vi]).start
    }

    /// Corners of the faces of a cloth, in its own numbers and its own order.
    pub(crate) fn own_faces(&self, cloth: usize) -> &[[u32; 3]] {
        &self.own[cloth].faces
    }

    /// The faces of a cloth in dense order.
    pub(crate) fn face_range(&self, cloth: usize) -> Range<usize> {
        let OwnMesh { first_face, faces, .. } = &self.own[cloth];
        *first_face..first_face + faces.len()
    }

    /// Number of cloths.
    pub(crate) fn cloth_count(&self) -> usize {
        self.own.len()
    }

    /// The number of the topology of a cloth; no other topology of the world has it.
    pub(crate) fn version(&self, cloth: usize) -> u64 {
        self.own[cloth].version
    }

    /// The vertices of a cloth or another body: a contiguous range in dense order.
    pub(crate) fn vertex_range(&self, cloth: u32) -> Range<usize> {
        let start = self.vertex_cloths.partition_point(|c| *c < cloth);
        let end = self.vertex_cloths.partition_point(|c| *c <= cloth);
        start..end
    }

    /// The name of a vertex, by which it is found again after edits.
    pub fn vertex_name(&self, vi: VertexIndex) -> VertexName {
        let first_loose = self.topology.surface_vertex_count() as u32;
        match self.keys.vertices.raw.get(vi.0 as usize) {
            Some(key) => VertexName::Surface(*key),
            None => VertexName::Loose(vi.0 - first_loose),
        }
    }

    /// The present number of a vertex; `None`: remeshing has removed it.
    pub fn find_vertex(&self, name: VertexName) -> Option<VertexIndex> {
        match name {
            VertexName::Surface(key) => {
                let numbers = self.numbers.get_or_init(|| self.vertex_indices());
                numbers.get(key).copied()
            }
            VertexName::Loose(number) => {
                let is_there = (number as usize) < self.topology.loose_count;
                is_there.then(|| VertexIndex(number + self.topology.surface_vertex_count() as u32))
            }
        }
    }

    /// The keys of the vertices of the mesh, in dense order.
    pub(crate) fn vertex_keys(&self) -> &IndexVec<VertexIndex, VertexKey> {
        &self.keys.vertices
    }

    /// The place of every vertex of the mesh in dense order.
    pub(crate) fn vertex_indices(&self) -> SecondaryMap<VertexKey, VertexIndex> {
        self.keys.vertices.iter_indexed().map(|(vi, key)| (*key, vi)).collect()
    }
}

/// A sheet that is written as what [`Sheet::to_keyed`] would make of it, one kind of attributes after another: there is no
/// room for all of them beside a large world.
pub(crate) struct WrittenSheet<'a>(pub &'a Sheet, pub &'a DenseState);

impl Serialize for WrittenSheet<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(sheet, motion) = self;
        let mut fields = serializer.serialize_struct("Thawed", 4)?;
        fields.serialize_field("mesh", &sheet.mesh)?;
        fields.serialize_field("attributes", &WrittenAttributes(sheet, motion))?;
        fields.serialize_field("loose", &sheet.collect_loose(motion))?;
        fields.serialize_field("sewing", &sheet.sewing)?;
        fields.end()
    }
}

/// See [`WrittenSheet`].
struct WrittenAttributes<'a>(&'a Sheet, &'a DenseState);

impl Serialize for WrittenAttributes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(sheet, motion) = self;
        let mut fields = serializer.serialize_struct("SheetAttributes", 3)?;
        fields.serialize_field("vertices", &sheet.collect_vertex_attributes(motion))?;
        fields.serialize_field("edges", &sheet.collect_edge_attributes(motion))?;
        fields.serialize_field("faces", &sheet.collect_face_attributes(motion))?;
        fields.end()
    }
}

impl KeyedSheet {
    /// Numbers of the pins that hold a vertex.
    pub(crate) fn holders(&self) -> BTreeSet<u32> {
        let of_mesh = self.attributes.vertices.values().filter_map(|vertex| vertex.hold);
        of_mesh.chain(self.loose.iter().filter_map(|vertex| vertex.hold)).map(|hold| hold.pin).collect()
    }

    /// Number of vertices of each of so many cloths, and of the loose bodies after them, of so many bodies in all.
    pub(crate) fn vertex_counts(&self, cloths: usize, bodies: usize) -> Vec<usize> {
        let mut counts = vec![0; bodies];
        let mut seen: SecondaryMap<VertexKey, ()> =
            SecondaryMap::with_capacity(self.mesh.vertex_slot_limit());
        for (f, face) in &self.attributes.faces {
            let corners = self.mesh.face_vertices(f);
            let new = corners.into_iter().filter(|v| seen.insert(*v, ()).is_none()).count();
            counts[face.cloth as usize] += new;
        }
        for vertex in &self.loose {
            counts.get_mut(cloths + vertex.body as usize).into_iter().for_each(|count| *count += 1);
        }
        counts
    }

    /// Fixes the dense order, by cloth and then along a Morton curve in material space, and copies everything into it.
    pub(crate) fn into_dense(self, rules: DenseRules<'_>, epoch: TopologyEpoch) -> (Sheet, DenseState) {
        let Self { mesh, attributes, loose, sewing } = self;
        let order = VertexOrder::measure(&mesh, &attributes, rules.has_one_chart);
        let dense = mesh.dense_topology(|v| order.place(v), epoch);
        let (topology, keys) = (dense.topology, dense.keys);
        let collect = Collector { keys: &keys, attributes: &attributes, loose: &loose };
        let solid_vertices = number_vertices(rules.solids, &keys, &loose);
        let rest = build_rest(&mesh, &attributes, &keys, &topology);
        let masses = collect_masses(&rest, &topology, &loose, &rules, &solid_vertices);
        let scalar = |(ei, key): (EdgeIndex, &EdgeKey)| {
            first_side(&mesh, &keys, &topology, ei) * attributes.edges[*key].scalar
        };
        let mut motion = DenseState {
            positions: Arc::new(collect.each(|vertex| vertex.position, |vertex| vertex.position)),
            velocities: Arc::new(collect.each(|vertex| vertex.velocity, |vertex| vertex.velocity)),
            masses: Arc::new(masses),
            inverse_masses: Arc::default(),
            held: Arc::default(),
            holds: Arc::default(),
            vertex_pins: Arc::default(),
            rest: Arc::new(rest),
            scalars: Arc::new(keys.edges.iter_indexed().map(scalar).collect()),
            broken: Arc::new(keys.edges.iter().map(|key| attributes.edges[*key].broken).collect()),
            loose_angles: Arc::new(loose.iter().map(|vertex| vertex.angle).collect()),
            metrics: Arc::new(keys.vertices.iter().map(|key| attributes.vertices[*key].metric).collect()),
        };
        motion.hold(collect.holds(), rules.axes);
        let starts = collect.each(|vertex| vertex.start, |vertex| vertex.start);
        let cloth_count = rules.models.len() as u32;
        let bodies = loose.iter().map(|vertex| cloth_count + vertex.body);
        let layouts = loose.iter().map(|vertex| vertex.layout);
        let sheet = Sheet {
            vertex_cloths: keys.vertices.iter().map(|key| order.cloths[*key]).chain(bodies).collect(),
            layout: keys.vertices.iter().map(|key| order.points[*key]).chain(layouts).collect(),
            panels: keys.faces.iter().map(|key| attributes.faces[*key].panel).collect(),
            kept: KeptAttributes::collect(&keys, &attributes),
            topology: topology.with_loose(loose.len()),
            starts,
            keys,
            mesh,
            loose,
            sewing,
            solid_vertices,
            own: Vec::new(),
            numbers: OnceLock::new(),
        };
        let own = sheet.own_meshes(&motion.rest.cloths, cloth_count);
        (Sheet { own, ..sheet }, motion)
    }
}

impl KeptAttributes {
    fn collect(keys: &KeyTable, attributes: &SheetAttributes) -> Self {
        let keep = |key: &VertexKey| {
            let VertexAttributes { input, is_stitched, .. } = attributes.vertices[*key];
            KeptOfVertex { input, is_stitched }
        };
        let rest_errors = || keys.faces.iter().map(|key| attributes.faces[*key].rest_error);
        Self {
            vertices: keys.vertices.iter().map(keep).collect(),
            rest_errors: rest_errors().any(|error| error.is_some()).then(|| rest_errors().collect()),
        }
    }
}

/// Masses of all vertices \[kg\]: lumped from the faces, given for loose vertices and for those of solids.
fn collect_masses(
    rest: &RestShape,
    topology: &SurfaceTopology,
    loose: &[LooseVertex],
    rules: &DenseRules<'_>,
    solid_vertices: &[Vec<VertexIndex>],
) -> IndexVec<VertexIndex, f64> {
    let mut masses = rest.lumped_masses(topology, rules.models);
    masses.raw.extend(loose.iter().map(|vertex| vertex.mass));
    for (solid, numbers) in rules.solids.iter().zip(solid_vertices) {
        numbers.iter().zip(&solid.masses).for_each(|(vi, mass)| masses[*vi] = *mass);
    }
    masses
}

/// All vertices in dense order: those of the mesh, then the loose ones.
struct Collector<'a> {
    keys: &'a KeyTable,
    attributes: &'a SheetAttributes,
    loose: &'a [LooseVertex],
}

impl Collector<'_> {
    /// One value of every vertex.
    fn each<T>(
        &self,
        of_mesh: impl Fn(&VertexAttributes) -> T,
        of_loose: impl Fn(&LooseVertex) -> T,
    ) -> IndexVec<VertexIndex, T> {
        let mesh = self.keys.vertices.iter().map(|key| of_mesh(&self.attributes.vertices[*key]));
        mesh.chain(self.loose.iter().map(of_loose)).collect()
    }

    /// The holds of pins, in dense order.
    fn holds(&self) -> Vec<(VertexIndex, Hold)> {
        let mesh = self.keys.vertices.iter().map(|key| self.attributes.vertices[*key].hold);
        let all = mesh.chain(self.loose.iter().map(|vertex| vertex.hold)).enumerate();
        all.filter_map(|(i, hold)| Some((VertexIndex::from_usize(i), hold?))).collect()
    }
}

/// The rest shape in dense order.
fn build_rest(
    mesh: &HalfedgeMesh,
    attributes: &SheetAttributes,
    keys: &KeyTable,
    topology: &SurfaceTopology,
) -> RestShape {
    let corners = topology
        .faces
        .indices()
        .map(|fi| corner_halfedges(mesh, keys, topology, fi).map(|he| attributes.material_of(he)));
    let cloths = keys.faces.iter().map(|f| attributes.faces[*f].cloth).collect();
    let angles = keys.edges.iter().map(|e| attributes.edges[*e].rest_angle).collect();
    let last_angles = keys.edges.iter().map(|e| attributes.edges[*e].angle).collect();
    // The corners of a face may begin elsewhere, but its chart is the same, and so is the tensor.
    let plastic_curvatures = keys.faces.iter().map(|f| attributes.faces[*f].plastic_curvature).collect();
    RestShape { last_angles, plastic_curvatures, ..RestShape::new(corners.collect(), cloths, angles) }
}

/// The half-edges that leave the corners of a face, in dense order.
fn corner_halfedges(
    mesh: &HalfedgeMesh,
    keys: &KeyTable,
    topology: &SurfaceTopology,
    fi: FaceIndex,
) -> [Halfedge; 3] {
    let first = keys.vertices[topology.faces[fi][0]];
    let halfedges = mesh.face_halfedges(keys.faces[fi]);
    let start = halfedges.iter().position(|he| mesh.tail(*he) == first);
    let start = start.expect("the dense face has the corners of the keyed one");
    std::array::from_fn(|k| halfedges[(start + k) % 3])
}

/// 1 if the first face of a dense edge lies on the first side of the keyed one, −1 if it lies on the other.
fn first_side(mesh: &HalfedgeMesh, keys: &KeyTable, topology: &SurfaceTopology, ei: EdgeIndex) -> f64 {
    let tail = mesh.tail(Halfedge::new(keys.edges[ei], Side::First));
    let first = keys.vertices[topology.edges[ei].vertices[0]];
    if tail == first { 1.0 } else { -1.0 }
}

/// Cloth, layout and Morton code of every vertex.
struct VertexOrder {
    cloths: SecondaryMap<VertexKey, u32>,
    points: SecondaryMap<VertexKey, DVec3>,
    codes: SecondaryMap<VertexKey, u64>,
}

impl VertexOrder {
    fn measure(mesh: &HalfedgeMesh, attributes: &SheetAttributes, has_one_chart: &[bool]) -> Self {
        let mut cloths = SecondaryMap::with_capacity(mesh.vertex_slot_limit());
        let mut points: SecondaryMap<VertexKey, DVec3> =
            SecondaryMap::with_capacity(mesh.vertex_slot_limit());
        let mut bounds = vec![[DVec3::INFINITY, DVec3::NEG_INFINITY]; has_one_chart.len()];
        for e in mesh.edge_keys() {
            for he in [Halfedge::new(e, Side::First), Halfedge::new(e, Side::Second)] {
                let (v, Some(f)) = (mesh.tail(he), mesh.face(he)) else { continue };
                if cloths.contains_key(v) {
                    continue;
                }
                let cloth = attributes.faces[f].cloth;
                let is_flat = has_one_chart[cloth as usize];
                let point = if is_flat {
                    attributes.material_of(he).extend(0.0)
                } else {
                    attributes.vertices[v].start
                };
                cloths.insert(v, cloth);
                points.insert(v, point);
                let [low, high] = &mut bounds[cloth as usize];
                (*low, *high) = (low.min(point), high.max(point));
            }
        }
        let code = |(v, point): (VertexKey, &DVec3)| {
            let [low, high] = bounds[cloths[v] as usize];
            (v, morton_code(*point, low, high))
        };
        let codes = points.iter().map(code).collect();
        Self { cloths, points, codes }
    }

    fn place(&self, v: VertexKey) -> (u32, u64) {
        (self.cloths[v], self.codes[v])
    }
}
