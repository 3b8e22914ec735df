//! The material points by which variants are compared, and where they are.

use glam::{DVec2, DVec3};
use taffeta_core::locate::{Locator, Place};
use taffeta_core::{PanelPoint, Placement, TriangleMesh};
use taffeta_sim::{SolidLocator, SolidPlace, World, queries};

/// Points of the lattice along each side of a cloth's bounding box in material space. Odd, so that the middle is one of
/// them; 21 × 21 resolve a fold every tenth of the sheet and cost less than a step.
pub const LATTICE: usize = 21;
/// Points of the lattice along each side of a solid, in three dimensions: 9 × 9 × 9 are about as many as those of two
/// cloths.
pub const SOLID_LATTICE: usize = 9;
/// A material point of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointOnCloth {
    /// Index of the cloth.
    pub cloth: usize,
    /// The point with its panel.
    pub point: PanelPoint,
}

/// A point by which variants are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StudyPoint {
    /// A material point of a cloth.
    OnCloth(PointOnCloth),
    /// A point of a rope.
    OnRope {
        /// Index of the rope.
        rope: usize,
        /// Fraction of its length at rest from the first end.
        at: f64,
    },
    /// A point of a solid.
    InSolid {
        /// Index of the solid.
        solid: usize,
        /// The point at rest, before the solid is placed \[m\].
        material: DVec3,
    },
}

/// The box \[m\] around a cloth in material space; `None` without material coordinates.
pub(super) fn material_bounds(mesh: &TriangleMesh) -> Option<[DVec2; 2]> {
    let mut corners = mesh.material.as_ref()?.iter().flatten();
    let first = *corners.next()?;
    Some(corners.fold([first, first], |[low, high], u| [low.min(*u), high.max(*u)]))
}

/// Point `i` of `count` from one side to the other, which the last one lies on exactly.
fn along(low: f64, high: f64, i: usize, count: usize) -> f64 {
    if i + 1 == count { high } else { low + (high - low) * i as f64 / (count - 1) as f64 }
}

/// The lattice over a box in material space \[m\], row by row. Its last points lie exactly on the far sides.
pub(super) fn lattice([low, high]: [DVec2; 2]) -> impl Iterator<Item = DVec2> {
    let at = move |i: usize, c: usize| along(low[c], high[c], i, LATTICE);
    (0..LATTICE).flat_map(move |j| (0..LATTICE).map(move |i| DVec2::new(at(i, 0), at(j, 1))))
}

/// The lattice over the box around a solid at rest \[m\], x first. Its last points lie exactly on the far sides.
pub(super) fn solid_lattice([low, high]: [DVec3; 2]) -> impl Iterator<Item = DVec3> {
    let n = SOLID_LATTICE;
    let at = move |i: usize, c: usize| along(low[c], high[c], i, n);
    (0..n * n * n).map(move |i| DVec3::new(at(i % n, 0), at(i / n % n, 1), at(i / (n * n), 2)))
}

impl StudyPoint {
    /// Material coordinates \[m\], three of them in a solid; of a point of a rope the fraction of its length, and 0.
    pub(super) fn coordinates(&self) -> (f64, f64, Option<f64>) {
        match self {
            Self::OnCloth(PointOnCloth { point, .. }) => (point.material.x, point.material.y, None),
            Self::OnRope { at, .. } => (*at, 0.0, None),
            Self::InSolid { material, .. } => (material.x, material.y, Some(material.z)),
        }
    }

    /// The panel of a point of a cloth.
    pub(super) fn panel(&self) -> Option<u32> {
        self.on_cloth().and_then(|on| on.point.panel)
    }

    /// The point if it lies on a cloth.
    pub(super) fn on_cloth(&self) -> Option<PointOnCloth> {
        match self {
            Self::OnCloth(point) => Some(*point),
            Self::OnRope { .. } | Self::InSolid { .. } => None,
        }
    }
}

/// Follows points through the steps of a world. Places are searched only when a mesh has changed; solids never change.
pub(super) struct Tracker {
    points: Vec<StudyPoint>,
    /// Placements of the solids.
    placements: Vec<Placement>,
    /// The places of the points on cloths, in their order.
    places: Vec<Place>,
    /// The places of the points in solids, in their order, once they are known.
    solid_places: Option<Vec<SolidPlace>>,
    /// Faces and their material coordinates for which the places hold, by cloth.
    known: Vec<TriangleMesh>,
}

impl Tracker {
    /// Of points in solids that are placed so.
    pub(super) fn new(points: &[StudyPoint], placements: Vec<Placement>) -> Self {
        let points = points.to_vec();
        Self { points, placements, places: Vec::new(), solid_places: None, known: Vec::new() }
    }

    /// World positions \[m\] of the points.
    pub(super) fn positions(&mut self, world: &World) -> Vec<DVec3> {
        let mut meshes: Vec<TriangleMesh> =
            (0..world.cloths().len()).map(|cloth| world.mesh(cloth)).collect();
        self.find_on_cloths(world, &meshes);
        if self.solid_places.is_none() {
            self.solid_places = Some(self.find_in_solids(world));
        }
        let ropes: Vec<usize> = queries::rope_bodies(world).map(|(number, _)| number).collect();
        let solids: Vec<Vec<DVec3>> =
            (0..world.solids().len()).map(|solid| world.solid_state(solid).0).collect();
        let mut places = self.places.iter();
        let mut solid_places = self.solid_places.iter().flatten();
        let mut position = |point: &StudyPoint| match *point {
            StudyPoint::OnRope { rope, at } => queries::rope_point(world, ropes[rope], at).position,
            StudyPoint::InSolid { solid, .. } => {
                solid_places.next().expect("every point in a solid has a place").mix(&solids[solid])
            }
            StudyPoint::OnCloth(point) => {
                let place = places.next().expect("every point on a cloth has a place");
                let mesh = &meshes[point.cloth];
                let corners = mesh.faces[place.face as usize].map(|v| mesh.positions[v as usize]);
                corners.into_iter().zip(place.weights).map(|(x, w)| x * w).sum()
            }
        };
        let positions = self.points.iter().map(&mut position).collect();
        meshes.iter_mut().for_each(|mesh| mesh.positions.clear());
        self.known = meshes;
        positions
    }

    /// Finds the places on cloths again if a mesh has changed.
    fn find_on_cloths(&mut self, world: &World, meshes: &[TriangleMesh]) {
        let same = |a: &TriangleMesh, b: &TriangleMesh| a.faces == b.faces && a.material == b.material;
        if meshes.len() == self.known.len() && meshes.iter().zip(&self.known).all(|(a, b)| same(a, b)) {
            return;
        }
        let cloths = meshes.iter().zip(world.cloth_ids());
        let locators: Vec<Option<Locator>> =
            cloths.map(|(mesh, id)| Locator::build(mesh, &world.cloth(*id).panels())).collect();
        let place = |on: &PointOnCloth| {
            let locator = locators[on.cloth].as_ref();
            let found = locator.and_then(|locator| locator.find(on.point));
            found.expect("points lie on panels of cloths with material coordinates")
        };
        self.places = self.points.iter().filter_map(StudyPoint::on_cloth).map(|p| place(&p)).collect();
    }

    fn find_in_solids(&self, world: &World) -> Vec<SolidPlace> {
        let solids = world.solids().iter();
        let locators: Vec<SolidLocator<'_>> =
            solids.map(|solid| SolidLocator::build(&solid.rest, &solid.tetrahedra)).collect();
        let place = |point: &StudyPoint| match *point {
            StudyPoint::InSolid { solid, material } => {
                Some(locators[solid].find(self.placements[solid].apply(material)))
            }
            StudyPoint::OnCloth(_) | StudyPoint::OnRope { .. } => None,
        };
        self.points.iter().filter_map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::Region;
    use taffeta_io::{GridPattern, grid};
    use taffeta_remesh::RemeshSettings;
    use taffeta_sim::{ClothDescription, Material, PinDescription, StepInputs, WorldDescription};

    #[test]
    fn a_tracker_finds_the_same_positions_as_a_search_through_all_faces() {
        let mesh = grid(DVec2::new(1.0, 0.6), [7, 5], GridPattern::Delaunay, 3);
        let mut cloth = ClothDescription::new("sheet", mesh, Material::isotropic(0.2, 200.0, 0.3, 1e-5));
        cloth.velocity = DVec3::new(1.0, 2.0, 3.0);
        cloth.angular_velocity = DVec3::new(3.0, 0.0, 5.0);
        // In free flight it would not be remeshed: with other masses at its vertices it would spin with more energy.
        cloth.pins.push(PinDescription::new(Region::Vertices(vec![0])));
        cloth.remesh =
            Some(RemeshSettings { size_min: 0.03, size_max: 0.08, ..RemeshSettings::by_thresholds() });
        let description = WorldDescription { cloths: vec![cloth], ..WorldDescription::bare() };
        let mut world = World::build(&description).unwrap();
        let bounds = material_bounds(&world.mesh(0)).unwrap();
        let points: Vec<_> = lattice(bounds).map(|u| PointOnCloth { cloth: 0, point: u.into() }).collect();
        assert_eq!(points.len(), LATTICE * LATTICE);
        let tracked: Vec<_> = points.iter().copied().map(StudyPoint::OnCloth).collect();
        let mut tracker = Tracker::new(&tracked, Vec::new());
        for _ in 0..3 {
            for (point, found) in points.iter().zip(tracker.positions(&world)) {
                let expected = queries::material_point(&world, 0, point.point).unwrap().position;
                assert!(found.distance(expected) < 1e-12, "{found} {expected}");
            }
            world.step(&StepInputs::default(), 0.02).unwrap();
        }
        assert!(world.vertex_count() > 100, "it was remeshed: {}", world.vertex_count());
    }
}
