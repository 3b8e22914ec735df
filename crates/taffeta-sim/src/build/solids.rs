//! Solids: tetrahedra whose surface is a closed mesh among the cloths and whose inside is a body of loose vertices.
//!
//! ```text
//! SolidDescription ──► surface:  a cloth without membrane and bending, of fixed topology
//!                  ├─► inside:   a body of loose vertices, if there are any
//!                  └─► Solid:    where each vertex of the description is, masses, tetrahedra
//! ```
//!
//! Everything that goes over faces (contact, drag) or vertices (inertia, pins, checkpoints) then holds for solids; what
//! couples the vertices are the blocks of the tetrahedra. The vertices of the surface are known by their keys, which
//! outlive remeshing of other cloths. Mass is lumped tetrahedron by tetrahedron, a quarter to each corner.

use crate::build::claim::{Selected, claim};
use crate::build::pinched::find_pinched_vertex;
use crate::build::sides::group_sides;
use crate::model::description::{
    ClothDescription, LooseDescription, PinDescription, SolidDescription, WorldDescription,
};
use crate::model::report::error::BuildError;
use crate::model::setup::pins::{Pin, along_held};
use crate::model::setup::solid::{Place, Solid};
use crate::model::state::sheet::KeyedSheet;
use glam::DVec3;
use taffeta_contact::ContactSurface;
use taffeta_core::{Region, TriangleMesh};
use taffeta_mesh::VertexKey;
use taffeta_solve::block::tetrahedron::{is_flat, sixfold_volume};
use taffeta_solve::{BendingModel, Material, MembraneModel, SolidMaterial};

/// Distance that a solid keeps from obstacles where no contact thickness is given \[m\].
const OFFSET: f64 = 5e-4;

impl SolidDescription {
    /// A free solid at rest.
    pub fn new(
        name: impl Into<String>,
        positions: Vec<DVec3>,
        tetrahedra: Vec<[u32; 4]>,
        material: SolidMaterial,
    ) -> Self {
        Self {
            name: name.into(),
            positions,
            tetrahedra,
            material,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            pins: Vec::new(),
        }
    }

    /// Describes what is wrong with the shape; `None` if it is valid.
    pub fn find_shape_defect(&self) -> Option<String> {
        self.find_named_shape_defect(|number| format!("tetrahedron {number}"))
    }

    /// Like [`find_shape_defect`](Self::find_shape_defect), but takes the name of a tetrahedron from `name`.
    pub fn find_named_shape_defect(&self, name: impl Fn(usize) -> String) -> Option<String> {
        let count = self.positions.len();
        if self.tetrahedra.is_empty() {
            return Some("it has no tetrahedra".into());
        }
        if let Some(i) = self.positions.iter().position(|x| !x.is_finite()) {
            return Some(format!("vertex {i} is at {}, which is not finite", self.positions[i]));
        }
        let mut is_used = vec![false; count];
        let mut first_side = 0.0;
        for (number, corners) in self.tetrahedra.iter().enumerate() {
            if let Some(beyond) = corners.iter().find(|v| **v as usize >= count) {
                let last = count.saturating_sub(1);
                return Some(format!(
                    "{} has the corner {beyond}, but vertices are numbered 0 to {last}",
                    name(number)
                ));
            }
            corners.iter().for_each(|v| is_used[*v as usize] = true);
            let x = corners.map(|v| self.positions[v as usize]);
            let sixfold = sixfold_volume(x);
            if is_flat(x) {
                return Some(format!("{} is flat: its volume is {:.3e} m³", name(number), sixfold / 6.0));
            }
            if number == 0 {
                first_side = sixfold;
            }
            if sixfold * first_side < 0.0 {
                return Some(format!(
                    "{} is inverted: its corners run the other way round than those of {}",
                    name(number),
                    name(0)
                ));
            }
        }
        if let Some(unused) = is_used.iter().position(|used| !used) {
            return Some(format!("vertex {unused} belongs to no tetrahedron"));
        }
        if let Some(overlapping) = find_overlap(&self.tetrahedra) {
            let names = overlapping.map(name).join(" and ");
            return Some(format!("{names} lie on the same side of a face that they share: they overlap"));
        }
        if let Some([a, b]) = find_crowded_edge(&list_surface(&self.tetrahedra)) {
            return Some(format!(
                "its surface meets itself along the edge between the vertices {a} and {b}: tetrahedra on both sides of it must \
                 join by faces"
            ));
        }
        let (vertex, parts) = find_pinched_vertex(&self.tetrahedra)?;
        let names = parts.map(name).join(" and ");
        Some(format!(
            "its surface meets itself in the vertex {vertex}, the only one that the parts of {names} share there: join \
             them by faces, or give each a vertex of its own"
        ))
    }

    /// Why a pin holds nothing, in words.
    pub fn find_pin_defect(&self, pin: &PinDescription) -> Option<String> {
        self.select(pin).err()
    }

    fn select(&self, pin: &PinDescription) -> Result<Vec<usize>, String> {
        let count = self.positions.len();
        if pin.clamp {
            return Err("a clamp holds the direction of a sheet; a solid has none".into());
        }
        let held: Vec<usize> = match &pin.region {
            Region::Vertices(list) => {
                if let Some(beyond) = list.iter().find(|v| **v as usize >= count) {
                    return Err(format!("vertex {beyond} is out of range: the solid has {count} vertices"));
                }
                (0..count).filter(|i| list.contains(&(*i as u32))).collect()
            }
            Region::Box(_) => {
                (0..count).filter(|i| pin.region.contains_point(self.positions[*i], None)).collect()
            }
            Region::Boundary => {
                let mut on_surface: Vec<usize> =
                    list_surface(&self.tetrahedra).into_iter().flatten().map(|v| v as usize).collect();
                on_surface.sort_unstable();
                on_surface.dedup();
                on_surface
            }
            Region::MaterialBox(_) | Region::PanelBox { .. } => {
                return Err("it selects by material coordinates, of which a solid has none".into());
            }
        };
        if held.is_empty() { Err("it selects no vertex".into()) } else { Ok(held) }
    }

    /// Tetrahedra with positive volumes.
    fn oriented(&self) -> Vec<[u32; 4]> {
        let mirrored = sixfold_volume(self.tetrahedra[0].map(|v| self.positions[v as usize])) < 0.0;
        let turn = |[a, b, c, d]: &[u32; 4]| if mirrored { [*a, *c, *b, *d] } else { [*a, *b, *c, *d] };
        self.tetrahedra.iter().map(turn).collect()
    }
}

/// The faces that only one tetrahedron has, counter-clockwise from outside if the volumes are positive.
pub(crate) fn list_surface(tetrahedra: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let all = group_sides(tetrahedra);
    let groups = all.chunk_by(|a, b| a.0 == b.0);
    groups.filter(|group| group.len() == 1).map(|group| group[0].1).collect()
}

/// Two tetrahedra of equal orientation on the same side of a face that they share: any two of three are.
fn find_overlap(tetrahedra: &[[u32; 4]]) -> Option<[usize; 2]> {
    let is_even = |[a, b, c]: [u32; 3]| (a < b) == ((b < c) == (a < c));
    let all = group_sides(tetrahedra);
    let mut groups = all.chunk_by(|a, b| a.0 == b.0);
    groups.find_map(|group| {
        let of_side =
            |even: bool| group.iter().filter(move |side| is_even(side.1) == even).map(|side| side.2);
        [true, false].into_iter().find_map(|even| Some([of_side(even).next()?, of_side(even).nth(1)?]))
    })
}

/// An edge of more than two triangles.
fn find_crowded_edge(faces: &[[u32; 3]]) -> Option<[u32; 2]> {
    let of_face = |[a, b, c]: &[u32; 3]| [[*a, *b], [*b, *c], [*c, *a]].map(|[a, b]| [a.min(b), a.max(b)]);
    let mut edges: Vec<[u32; 2]> = faces.iter().flat_map(of_face).collect();
    edges.sort_unstable();
    edges.array_windows().find(|[a, _, c]| a == c).map(|[a, ..]| *a)
}

/// The description with every solid as a cloth and a loose body, and the solids.
pub(crate) fn expand(description: &WorldDescription) -> Result<(WorldDescription, Vec<Solid>), BuildError> {
    let mut expanded = description.clone();
    let mut solids = Vec::new();
    for solid in &description.solids {
        let refuse =
            |reason: String| BuildError::BadSetting { what: format!("solid '{}'", solid.name), reason };
        solid.material.validate().map_err(|error| refuse(error.to_string()))?;
        if let Some(reason) = solid.find_shape_defect() {
            return Err(refuse(reason));
        }
        if !solid.velocity.is_finite() || !solid.angular_velocity.is_finite() {
            return Err(refuse("its initial velocity is not finite".into()));
        }
        let parts = Parts::new(solid, expanded.cloths.len());
        expanded.cloths.push(parts.surface_cloth(solid));
        let inside = parts.inside_body(solid, description.contact_thickness);
        let body = inside.is_some().then_some(expanded.loose.len());
        expanded.loose.extend(inside);
        solids.push(Solid { body, ..parts.solid });
    }
    Ok((expanded, solids))
}

/// A solid taken apart.
struct Parts {
    solid: Solid,
    faces: Vec<[u32; 3]>,
    center: DVec3,
}

impl Parts {
    fn new(description: &SolidDescription, cloth: usize) -> Self {
        let tetrahedra = description.oriented();
        let mut faces = list_surface(&tetrahedra);
        let rest = description.positions.clone();
        let mut masses = vec![0.0; rest.len()];
        for corners in &tetrahedra {
            let volume = sixfold_volume(corners.map(|v| rest[v as usize])) / 6.0;
            corners.iter().for_each(|v| masses[*v as usize] += 0.25 * description.material.density * volume);
        }
        let mut on_surface = vec![false; rest.len()];
        faces.iter().flatten().for_each(|v| on_surface[*v as usize] = true);
        let (mut outside, mut inside) = (0, 0);
        let mut place = |on_surface: &bool| {
            let (counter, place): (&mut usize, fn(usize) -> Place) =
                if *on_surface { (&mut outside, Place::Surface) } else { (&mut inside, Place::Inside) };
            *counter += 1;
            place(*counter - 1)
        };
        let places: Vec<Place> = on_surface.iter().map(&mut place).collect();
        for v in faces.iter_mut().flatten() {
            if let Place::Surface(k) = places[*v as usize] {
                *v = k as u32;
            }
        }
        let moment: DVec3 = rest.iter().zip(&masses).map(|(x, m)| *x * *m).sum();
        let center = moment / masses.iter().sum::<f64>();
        let (name, material) = (description.name.clone(), description.material.clone());
        let solid =
            Solid { name, cloth, body: None, material, tetrahedra, rest, masses, places, keys: Vec::new() };
        Self { solid, faces, center }
    }

    /// Positions and masses of the vertices of one kind.
    fn list(&self, is_wanted: impl Fn(&Place) -> bool) -> (Vec<DVec3>, Vec<f64>) {
        let Solid { rest, masses, places, .. } = &self.solid;
        let each = rest.iter().zip(masses).zip(places).filter(|(_, place)| is_wanted(place));
        each.map(|((x, m), _)| (*x, *m)).unzip()
    }

    /// The surface as a cloth that resists nothing. Its density spreads the mass over it, for the air.
    fn surface_cloth(&self, description: &SolidDescription) -> ClothDescription {
        let (positions, _) = self.list(|place| matches!(place, Place::Surface(_)));
        let area = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| positions[v as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        let areas: Vec<f64> = self.faces.iter().map(area).collect();
        let whole: f64 = areas.iter().sum();
        let middle = |face: &[u32; 3]| face.iter().map(|v| positions[*v as usize]).sum::<DVec3>() / 3.0;
        let center =
            self.faces.iter().zip(&areas).map(|(face, area)| middle(face) * *area).sum::<DVec3>() / whole;
        let mass: f64 = self.solid.masses.iter().sum();
        let material = Material {
            friction: description.material.friction,
            thickness: 2.0 * OFFSET,
            ..Material::isotropic(mass / whole, 1.0, 0.0, 0.0)
        };
        let mesh = TriangleMesh { positions, faces: self.faces.clone(), material: None };
        ClothDescription {
            velocity: self.velocity_at(description, center),
            angular_velocity: description.angular_velocity,
            vertex_names: Some(self.surface_names()),
            panel_names: Vec::new(),
            membrane: MembraneModel::None,
            bending: BendingModel::None,
            ..ClothDescription::new(description.name.clone(), mesh, material)
        }
    }

    /// The number in the description of each vertex of the surface.
    fn surface_names(&self) -> Vec<u32> {
        let places = (0..).zip(&self.solid.places);
        places.filter(|(_, place)| matches!(place, Place::Surface(_))).map(|(number, _)| number).collect()
    }

    fn inside_body(
        &self,
        description: &SolidDescription,
        thickness: Option<f64>,
    ) -> Option<LooseDescription> {
        let (positions, masses) = self.list(|place| matches!(place, Place::Inside(_)));
        let mass: f64 = masses.iter().sum();
        let center = positions.iter().zip(&masses).map(|(x, m)| *x * *m).sum::<DVec3>() / mass;
        let offset = thickness.map_or(OFFSET, |thickness| 0.5 * thickness);
        (!positions.is_empty()).then(|| LooseDescription {
            name: description.name.clone(),
            positions,
            masses,
            layout: None,
            surface: ContactSurface { offset, friction: description.material.friction },
            velocity: self.velocity_at(description, center),
            angular_velocity: description.angular_velocity,
            pins: Vec::new(),
        })
    }

    /// The velocity of a point \[m/s\]: what turns about it there turns about the center of mass of the whole.
    fn velocity_at(&self, description: &SolidDescription, point: DVec3) -> DVec3 {
        description.velocity + description.angular_velocity.cross(point - self.center)
    }
}

/// Notes the keys of the surfaces and lets the pins of the solids hold their vertices, on the surface and inside.
pub(crate) fn place_and_pin(
    solids: &mut [Solid],
    description: &WorldDescription,
    vertices: &[VertexKey],
    keyed: &mut KeyedSheet,
    pins: &mut Vec<Pin>,
) -> Result<(), BuildError> {
    let counts = description.cloths.iter().map(|cloth| cloth.mesh.positions.len());
    let counts: Vec<usize> = counts.collect();
    for (solid, input) in solids.iter_mut().zip(&description.solids) {
        let first: usize = counts[..solid.cloth].iter().sum();
        solid.keys = vertices[first..first + counts[solid.cloth]].to_vec();
        let first_pin = pins.len();
        for (number, pin) in input.pins.iter().enumerate() {
            let what = format!("solid '{}': pin {number}", solid.name);
            let held = input.select(pin).map_err(|reason| BuildError::BadSetting { what, reason })?;
            let center = held.iter().map(|i| solid.rest[*i]).sum::<DVec3>() / held.len() as f64;
            pins.push(Pin::new(pin.clone(), center));
            for i in held {
                solid.hold(i, pins, first_pin, keyed)?;
            }
        }
    }
    Ok(())
}

impl Solid {
    /// Lets the last of the pins, of which `first` is the solid's first, hold a vertex, unless another does, and stops it along
    /// the held axes.
    fn hold(
        &self,
        vertex: usize,
        pins: &[Pin],
        first: usize,
        keyed: &mut KeyedSheet,
    ) -> Result<(), BuildError> {
        let (holder, velocity) = match self.places[vertex] {
            Place::Surface(k) => {
                let vertex = &mut keyed.attributes.vertices[self.keys[k]];
                (&mut vertex.hold, &mut vertex.velocity)
            }
            Place::Inside(k) => {
                let first = self.first_inside(&keyed.loose);
                let vertex = &mut keyed.loose[first + k];
                (&mut vertex.hold, &mut vertex.velocity)
            }
        };
        let name = || format!("solid '{}'", self.name);
        let selected = Selected { body: name, number: vertex, position: self.rest[vertex] };
        claim(holder, pins, first, selected)?;
        let axes = holder.map_or([false; 3], |hold| pins[hold.pin as usize].description.axes);
        *velocity = along_held(axes, DVec3::ZERO, *velocity);
        Ok(())
    }
}
