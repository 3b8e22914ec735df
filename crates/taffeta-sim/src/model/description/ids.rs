//! Handles of bodies. A handle names the same body for as long as it is in its world, whatever is added or removed.

use serde::{Deserialize, Serialize};

/// Handle of a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClothId(pub(crate) u32);

/// Handle of an obstacle, in closed form or made of triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObstacleId(pub(crate) u32);

/// Handle of a pin. It is the number of the pin, in the order of the cloths and their pins and then of what was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PinId(pub(crate) u32);

/// Handle of a body that can be [set elsewhere](crate::World::teleport).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BodyId {
    /// A cloth, or a solid by its surface.
    Cloth(ClothId),
    /// A rope or another loose body, by its number.
    Loose(usize),
    /// An obstacle.
    Obstacle(ObstacleId),
}

impl From<ClothId> for BodyId {
    fn from(id: ClothId) -> Self {
        Self::Cloth(id)
    }
}

impl From<ObstacleId> for BodyId {
    fn from(id: ObstacleId) -> Self {
        Self::Obstacle(id)
    }
}

impl PinId {
    /// The handle of the pin of a number; of no use in a world that has none of that number.
    pub fn from_number(number: usize) -> Self {
        Self(number as u32)
    }

    /// The number of the pin, as reports and [`World::has_released`](crate::World::has_released) count.
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// Handles of the bodies of a world, in the order in which they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BodyIds {
    pub cloths: Vec<ClothId>,
    /// Of the obstacles in closed form.
    pub obstacles: Vec<ObstacleId>,
    /// Of the obstacles made of triangles.
    pub meshes: Vec<ObstacleId>,
    /// Number of handles that were given away.
    next: u32,
}

/// Place at which an obstacle is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObstaclePlace {
    Closed(usize),
    Mesh(usize),
}

impl BodyIds {
    /// Handles of a new world.
    pub(crate) fn new(cloths: usize, obstacles: usize, meshes: usize) -> Self {
        let mut ids = Self::default();
        (0..cloths).for_each(|place| {
            ids.add_cloth(place);
        });
        (0..obstacles).for_each(|_| {
            ids.add_obstacle();
        });
        (0..meshes).for_each(|_| {
            ids.add_mesh();
        });
        ids
    }

    /// A handle for a cloth that is stored at this place, before those that are there and behind.
    pub(crate) fn add_cloth(&mut self, place: usize) -> ClothId {
        let id = ClothId(self.take());
        self.cloths.insert(place, id);
        id
    }

    /// A handle for one more obstacle in closed form.
    pub(crate) fn add_obstacle(&mut self) -> ObstacleId {
        let id = ObstacleId(self.take());
        self.obstacles.push(id);
        id
    }

    /// A handle for one more obstacle made of triangles.
    pub(crate) fn add_mesh(&mut self) -> ObstacleId {
        let id = ObstacleId(self.take());
        self.meshes.push(id);
        id
    }

    /// Finds the number of a cloth; `None`: not in this world.
    pub(crate) fn find_cloth(&self, id: ClothId) -> Option<usize> {
        self.cloths.iter().position(|own| *own == id)
    }

    /// Finds the place of an obstacle; `None`: not in this world.
    pub(crate) fn find_obstacle(&self, id: ObstacleId) -> Option<ObstaclePlace> {
        let closed = self.obstacles.iter().position(|own| *own == id).map(ObstaclePlace::Closed);
        closed.or_else(|| self.meshes.iter().position(|own| *own == id).map(ObstaclePlace::Mesh))
    }

    /// Handles of the obstacles: of those in closed form, then of those that are made of triangles.
    pub(crate) fn all_obstacles(&self) -> impl Iterator<Item = ObstacleId> + '_ {
        self.obstacles.iter().chain(&self.meshes).copied()
    }

    /// Those of some cloths and all obstacles.
    pub(crate) fn select(&self, cloths: &[usize]) -> Self {
        Self { cloths: cloths.iter().map(|cloth| self.cloths[*cloth]).collect(), ..self.clone() }
    }

    fn take(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }
}
