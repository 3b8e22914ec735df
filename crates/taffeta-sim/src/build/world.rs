//! From a description to a world.

use crate::build::body_parts::keep_parts_apart;
use crate::build::checks::{check_enclosed, check_settings};
use crate::build::claim::{Selected, claim};
use crate::build::loose::{build_loose, world_bodies};
use crate::build::ropes::list_inputs;
use crate::build::seams::laws::begin_sewing;
use crate::build::seams::pair::pair_seams;
use crate::build::solids::{expand, place_and_pin};
use crate::derive::bodies::extent;
use crate::derive::crossings::record_crossings;
use crate::derive::derived::{Derived, Kept};
use crate::derive::elements::source::Source;
use crate::derive::rebuild::{into_dense, refill, resolve_solver};
use crate::derive::world::World;
use crate::features::seams::weld::close_seams;
use crate::model::description::ids::BodyIds;
use crate::model::description::{ClothDescription, SolverChoice, WorldDescription, accuracy_for};
use crate::model::report::SafeguardReport;
use crate::model::report::error::BuildError;
use crate::model::report::seam_error::SeamDefect;
use crate::model::report::stop_token::StopToken;
use crate::model::setup::loose::LooseBody;
use crate::model::setup::pins::{Pin, along_held};
use crate::model::setup::seams::{SeamLaw, Sewing};
use crate::model::setup::solid::Solid;
use crate::model::setup::{Cloth, Setup};
use crate::model::state::State;
use crate::model::state::sheet::KeyedSheet;
use crate::model::workspace::budget::Budget;
use crate::model::workspace::{Inputs, Workspace};
use glam::{DVec2, DVec3};
use std::sync::Arc;
use taffeta_contact::ContactSurface;
use taffeta_core::geometry::{doubled_area, flatten_triangle};
use taffeta_core::{Region, TopologyEpoch, TriangleMesh};
use taffeta_mesh::{BuildError as MeshError, BuiltMesh, HalfedgeMesh};
use taffeta_remesh::SheetAttributes;

/// Threads that a world starts at most: more than any machine has use for, fewer than any refuses.
pub const MAX_THREADS: usize = 256;

/// Builds a world at time 0.
///
/// # Errors
/// If a mesh, a material, a pin, an obstacle or a setting is impossible; the error names the cloth or the setting.
pub(crate) fn build_world(description: &WorldDescription) -> Result<World, BuildError> {
    if description.cloths.is_empty()
        && description.loose.is_empty()
        && description.ropes.is_empty()
        && description.solids.is_empty()
    {
        return Err(BuildError::Empty);
    }
    check_settings(description)?;
    check_enclosed(description)?;
    let (mut expanded, mut solids) = expand(description)?;
    let counts: Vec<usize> = expanded.cloths.iter().map(|cloth| cloth.mesh.positions.len()).collect();
    expanded.cloths.iter_mut().try_for_each(pair_cloth)?;
    let description = &expanded;
    let mut input = CombinedMesh::default();
    for (number, cloth) in description.cloths.iter().enumerate() {
        input.append(number as u32, cloth)?;
    }
    let built = match description.cloths.as_slice() {
        [] => BuiltMesh { mesh: HalfedgeMesh::default(), vertices: Vec::new(), faces: Vec::new() },
        _ => HalfedgeMesh::from_triangles(input.positions.len(), &input.faces)
            .map_err(|error| blame_cloth(description, error))?,
    };
    let mut attributes = SheetAttributes::from_built(&built, &input.positions, &input.corners, &input.cloths);
    name_vertices(&built, &mut attributes, description, &counts, &input);
    rest_in_space(&built.mesh, &mut attributes, description);
    let mut pins = select_pins(&built, &mut attributes, description, &input)?;
    set_velocities(&built, &mut attributes, description, &pins, &input);
    let inputs = list_inputs(description)?;
    let loose = build_loose(&inputs, &mut pins)?;
    let mut keyed = KeyedSheet { mesh: built.mesh, attributes, loose, sewing: Sewing::default() };
    let seams = begin_sewing(description, &mut keyed, &built.vertices, &input.offsets)?;
    drop(input);
    place_and_pin(&mut solids, description, &built.vertices, &mut keyed, &mut pins)?;
    let mut world = assemble(description, pins, seams, world_bodies(inputs), solids, keyed)?;
    // Sides that touch from the start are one from the start.
    close_seams(&mut world);
    Ok(world)
}

/// Puts the parts of a new world together.
fn assemble(
    description: &WorldDescription,
    pins: Vec<Pin>,
    seams: Vec<SeamLaw>,
    bodies: Vec<LooseBody>,
    solids: Vec<Solid>,
    keyed: KeyedSheet,
) -> Result<World, BuildError> {
    let mut settings = description.simulation.clone();
    let sweeps_for_volumes = description.needs_sweeps() && settings.solver == SolverChoice::Auto;
    if sweeps_for_volumes {
        settings.solver = SolverChoice::Block;
    }
    let threads = settings.threads.min(MAX_THREADS);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| BuildError::Threads { threads, reason: e.to_string() })?;
    let (obstacles, meshes) = (&description.obstacles, &description.mesh_obstacles);
    let cloths = world_cloths(description);
    let mut setup = Setup {
        ids: BodyIds::new(cloths.len(), obstacles.len(), meshes.len()),
        cloths,
        bodies,
        solids,
        pins,
        seams,
        obstacles: obstacles.clone(),
        meshes: Arc::new(meshes.clone()),
        contact_thickness: description.contact_thickness,
        self_contact: description.has_self_contact(),
        settings,
        sweeps_for_volumes,
        air: description.air,
        view: description.view,
        view_motion: description.view_motion.clone(),
    };
    setup.pins.iter_mut().for_each(|pin| pin.description.motion.begin(0.0));
    setup.obstacles.iter_mut().for_each(|obstacle| obstacle.begin(0.0));
    Arc::make_mut(&mut setup.meshes).iter_mut().for_each(|mesh| mesh.motion.begin(0.0));
    pool.install(|| keep_parts_apart(&mut setup));
    attach_pins(&mut setup)?;
    let (sheet, motion) = into_dense(keyed, &setup, TopologyEpoch::default());
    if let Some(tolerance) = setup.settings.tolerance {
        let sizes = (0..setup.cloths.len() + setup.bodies.len())
            .map(|body| extent(&sheet.layout.raw[sheet.vertex_range(body as u32)]));
        setup.settings.accuracy = accuracy_for(tolerance, sizes.fold(0.0, f64::max));
    }
    let choice = resolve_solver(&setup.settings, sheet.topology.vertex_count);
    let source = Source { setup: &setup, sheet: &sheet, motion: &motion, time: 0.0, choice, solves: true };
    let derived = pool.install(|| Derived::build(source, Kept::default()));
    let mut world = World {
        state: State::new(description, setup.pins.len(), sheet, motion),
        inputs: Inputs { air: setup.air, damping: setup.settings.velocity_damping, ..Inputs::default() },
        setup,
        derived,
        epoch: TopologyEpoch::default(),
        safeguard: SafeguardReport::default(),
        workspace: Workspace::default(),
        stop_token: StopToken::default(),
        budget: Budget::default(),
        pool: Arc::new(pool),
        parts: Vec::new(),
        bounds_of_parts: Vec::new(),
    };
    refill(&mut world.state, &mut world.workspace);
    record_crossings(&world.setup, &world.state, &mut world.derived);
    Ok(world)
}

/// Lets pins follow the obstacles that their descriptions name.
fn attach_pins(setup: &mut Setup) -> Result<(), BuildError> {
    for number in 0..setup.pins.len() {
        let pin = &setup.pins[number];
        let Some(name) = &pin.description.follow else { continue };
        let followed = setup.follow(name, 0.0);
        let followed =
            followed.map_err(|reason| BuildError::BadSetting { what: pin.name(number), reason })?;
        setup.pins[number].followed = Some(followed);
    }
    Ok(())
}

/// All cloths in one triangle list.
#[derive(Default)]
struct CombinedMesh {
    positions: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
    corners: Vec<[DVec2; 3]>,
    cloths: Vec<u32>,
    /// The first vertex of each cloth, and the end of the last.
    offsets: Vec<usize>,
}

impl CombinedMesh {
    /// Adds a cloth after checking its coordinates, areas and material.
    fn append(&mut self, number: u32, cloth: &ClothDescription) -> Result<(), BuildError> {
        let name = || cloth.name.clone();
        cloth.material.validate().map_err(|source| BuildError::Material { cloth: name(), source })?;
        let mesh = &cloth.mesh;
        if let Some(vertex) = mesh.positions.iter().position(|x| !x.is_finite()) {
            return Err(BuildError::NotFinite { cloth: name(), vertex, position: mesh.positions[vertex] });
        }
        // Corners out of range are left to the mesh, which names the face.
        let in_range = |face: &[u32; 3]| face.iter().all(|v| (*v as usize) < mesh.positions.len());
        if !mesh.faces.iter().all(in_range) {
            let error = HalfedgeMesh::from_triangles(mesh.positions.len(), &mesh.faces);
            return Err(BuildError::Mesh {
                cloth: name(),
                source: error.expect_err("a corner is out of range"),
            });
        }
        for (face, corners) in rest_corners(mesh).into_iter().enumerate() {
            let area = 0.5 * doubled_area(corners);
            if !(area.is_finite() && area > 0.0) {
                return Err(BuildError::NoArea { cloth: name(), face, area });
            }
            self.corners.push(corners);
        }
        let offset = self.positions.len();
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        self.positions.extend(&mesh.positions);
        self.faces.extend(mesh.faces.iter().map(|face| face.map(|v| v + offset as u32)));
        self.cloths.resize(self.faces.len(), number);
        self.offsets.push(self.positions.len());
        Ok(())
    }

    /// The vertices of a cloth.
    fn vertices_of(&self, cloth: usize) -> std::ops::Range<usize> {
        self.offsets[cloth]..self.offsets[cloth + 1]
    }
}

/// The rest shape of every face: its material coordinates, or the face itself laid flat.
fn rest_corners(mesh: &TriangleMesh) -> Vec<[DVec2; 3]> {
    match &mesh.material {
        Some(corners) => corners.clone(),
        None => mesh.faces.iter().map(|f| flatten_triangle(f.map(|v| mesh.positions[v as usize]))).collect(),
    }
}

/// Pairs the seams of a cloth.
fn pair_cloth(cloth: &mut ClothDescription) -> Result<(), BuildError> {
    pair_seams(cloth).map_err(|error| match error.defect {
        SeamDefect::Mesh(source) => BuildError::Mesh { cloth: cloth.name.clone(), source },
        _ => BuildError::Seam { cloth: cloth.name.clone(), error },
    })
}

/// Finds the cloth whose mesh is no surface, so that the error speaks of the numbers of that cloth's faces.
fn blame_cloth(description: &WorldDescription, error: MeshError) -> BuildError {
    for cloth in &description.cloths {
        if let Err(source) = HalfedgeMesh::from_triangles(cloth.mesh.positions.len(), &cloth.mesh.faces) {
            return BuildError::Mesh { cloth: cloth.name.clone(), source };
        }
    }
    BuildError::Mesh { cloth: "all cloths together".into(), source: error }
}

/// Notes the names that the vertices of each cloth have in its file, or else their numbers; those that its seams have added to
/// the `counts` have none.
fn name_vertices(
    built: &BuiltMesh,
    attributes: &mut SheetAttributes,
    description: &WorldDescription,
    counts: &[usize],
    input: &CombinedMesh,
) {
    for (cloth, count) in counts.iter().enumerate() {
        let names = description.cloths[cloth].vertex_names.as_deref();
        let name = |i: usize| match names {
            Some(names) => names.get(i).copied(),
            None => (i < *count).then_some(i as u32),
        };
        for (i, vertex) in input.vertices_of(cloth).enumerate() {
            attributes.vertices[built.vertices[vertex]].input = name(i);
        }
    }
}

/// A cloth without material coordinates is at rest as it comes.
fn rest_in_space(mesh: &HalfedgeMesh, attributes: &mut SheetAttributes, description: &WorldDescription) {
    for (number, _) in description.cloths.iter().enumerate().filter(|(_, c)| c.mesh.material.is_none()) {
        attributes.rest_in_space(mesh, number as u32);
    }
}

/// Lets each pin hold its vertices; a vertex that several pins select belongs to the first.
fn select_pins(
    built: &BuiltMesh,
    attributes: &mut SheetAttributes,
    description: &WorldDescription,
    input: &CombinedMesh,
) -> Result<Vec<Pin>, BuildError> {
    let mut pins = Vec::new();
    for (number, cloth) in description.cloths.iter().enumerate() {
        let range = input.vertices_of(number);
        let first = pins.len();
        for (pin, description) in cloth.pins.iter().enumerate() {
            let region = &description.region;
            let in_material = select_by_material(&cloth.mesh, region);
            let is_held = |i: &usize| match region {
                Region::Boundary => built.mesh.is_boundary_vertex(built.vertices[range.start + i]),
                Region::Vertices(list) => list.contains(&(*i as u32)),
                Region::Box(_) => region.contains_point(cloth.mesh.positions[*i], None),
                Region::MaterialBox(_) | Region::PanelBox { .. } => in_material[*i],
            };
            let held: Vec<usize> = (0..range.len()).filter(is_held).collect();
            if held.is_empty() {
                return Err(BuildError::EmptyPin { cloth: cloth.name.clone(), pin });
            }
            let center = held.iter().map(|i| cloth.mesh.positions[*i]).sum::<DVec3>() / held.len() as f64;
            pins.push(Pin::new(description.clone(), center));
            for i in held {
                let vertex = &mut attributes.vertices[built.vertices[range.start + i]];
                let body = || format!("cloth '{}'", cloth.name);
                let selected = Selected { body, number: i, position: cloth.mesh.positions[i] };
                claim(&mut vertex.hold, &pins, first, selected)?;
            }
        }
    }
    Ok(pins)
}

/// The vertices of which any corner lies in a region of material space.
fn select_by_material(mesh: &TriangleMesh, region: &Region) -> Vec<bool> {
    let mut selected = vec![false; mesh.positions.len()];
    if let (Region::MaterialBox(_) | Region::PanelBox { .. }, Some(material)) = (region, &mesh.material) {
        let has_panel = matches!(region, Region::PanelBox { .. });
        let panels = if has_panel { mesh.panels() } else { vec![0; mesh.faces.len()] };
        for ((face, corners), panel) in mesh.faces.iter().zip(material).zip(panels) {
            for (v, u) in face.iter().zip(corners) {
                selected[*v as usize] |= region.contains_corner(panel, *u);
            }
        }
    }
    selected
}

/// Initial velocities: translation and rotation about the center of mass; what is held stands still.
fn set_velocities(
    built: &BuiltMesh,
    attributes: &mut SheetAttributes,
    description: &WorldDescription,
    pins: &[Pin],
    input: &CombinedMesh,
) {
    for (number, cloth) in description.cloths.iter().enumerate() {
        let range = input.vertices_of(number);
        let mut weights = vec![0.0; range.len()];
        for (face, corners) in cloth.mesh.faces.iter().zip(rest_corners(&cloth.mesh)) {
            face.iter().for_each(|v| weights[*v as usize] += doubled_area(corners));
        }
        let moment: DVec3 = cloth.mesh.positions.iter().zip(&weights).map(|(x, w)| *x * *w).sum();
        let center = moment / weights.iter().sum::<f64>();
        for (i, x) in cloth.mesh.positions.iter().enumerate() {
            let vertex = &mut attributes.vertices[built.vertices[range.start + i]];
            let held = vertex.hold.map_or([false; 3], |hold| pins[hold.pin as usize].description.axes);
            let velocity = cloth.velocity + cloth.angular_velocity.cross(*x - center);
            vertex.velocity = along_held(held, DVec3::ZERO, velocity);
        }
    }
}

/// The cloths of a description as the world keeps them.
pub(crate) fn world_cloths(description: &WorldDescription) -> Vec<Cloth> {
    let cloth = |cloth: &ClothDescription| Cloth {
        description: ClothDescription {
            mesh: TriangleMesh::default(),
            vertex_names: None,
            pins: Vec::new(),
            seams: Vec::new(),
            ..cloth.clone()
        },
        has_material: cloth.mesh.material.is_some(),
        // One that is sewn has seams sooner or later.
        has_one_chart: cloth.seams.is_empty() && cloth.mesh.has_one_chart(),
        surface: ContactSurface {
            offset: 0.5 * description.contact_thickness.unwrap_or(cloth.material.thickness),
            friction: cloth.material.friction,
        },
        begin: 0.0,
    };
    description.cloths.iter().map(cloth).collect()
}
