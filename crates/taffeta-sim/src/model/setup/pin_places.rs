//! Places at a time of what pins hold.

use crate::model::description::ids::{ObstacleId, ObstaclePlace};
use crate::model::setup::Setup;
use crate::model::setup::follow::{Followed, Start, Surface};
use crate::model::setup::pins::Pin;
use glam::DVec3;
use taffeta_contact::Freedom;
use taffeta_core::Pose;
use taffeta_remesh::Hold;

/// Targets of the pins of a setup at a time.
pub(crate) struct PinPlaces<'a> {
    time: f64,
    pins: Vec<Place<'a>>,
    /// Positions of the vertices of the meshes that are followed \[m\]; of the others none.
    meshes: Vec<Vec<DVec3>>,
}

/// Motion of what a pin holds.
enum Place<'a> {
    /// As a whole.
    Rigid(Pose),
    /// With the surface of a mesh, which has a number.
    Mesh(&'a Surface, usize),
}

impl<'a> PinPlaces<'a> {
    /// The places at a time \[s\].
    pub(crate) fn at(setup: &'a Setup, time: f64) -> Self {
        let mut meshes = vec![Vec::new(); setup.meshes.len()];
        let mut place = |pin: &'a Pin| {
            let Some(Followed { obstacle, start }) = &pin.followed else {
                return Place::Rigid(pin.pose_at(time));
            };
            match (start, setup.ids.find_obstacle(*obstacle)) {
                (Start::Closed(start), Some(ObstaclePlace::Closed(number))) => {
                    Place::Rigid(setup.obstacles[number].pose_at(time).after(&start.inverse()))
                }
                (Start::Mesh(surface), Some(ObstaclePlace::Mesh(number))) => {
                    if meshes[number].is_empty() {
                        meshes[number] = setup.meshes[number].positions_at(time);
                    }
                    Place::Mesh(surface, number)
                }
                // The obstacle is gone, which only pins that have let go allow.
                _ => Place::Rigid(Pose::IDENTITY),
            }
        };
        let pins = setup.pins.iter().map(&mut place).collect();
        Self { time, pins, meshes }
    }

    /// Place of a vertex by its hold \[m\].
    pub(crate) fn target(&self, hold: &Hold) -> DVec3 {
        match (hold.path, &self.pins[hold.pin as usize]) {
            (None, Place::Mesh(surface, number)) => surface.carry(hold.rest, &self.meshes[*number]),
            (Some(path), _) => path.at(self.time),
            (None, Place::Rigid(pose)) => pose.apply(hold.rest),
        }
    }
}

impl Setup {
    /// The obstacle of a name, from where it is at a time \[s\].
    ///
    /// # Errors
    /// If there is none, in words.
    pub(crate) fn follow(&self, name: &str, time: f64) -> Result<Followed, String> {
        if let Some(number) = self.obstacles.iter().position(|obstacle| obstacle.name == name) {
            if self.obstacles[number].freedom != Freedom::Prescribed {
                return Err(format!(
                    "it follows {name:?}, which has a mass or a largest force: pins would not pull at it"
                ));
            }
            let start = Start::Closed(self.obstacles[number].pose_at(time));
            return Ok(Followed { obstacle: self.ids.obstacles[number], start });
        }
        let Some(number) = self.meshes.iter().position(|mesh| mesh.name == name) else {
            return Err(format!("it follows {name:?}, but {}", self.list_obstacles()));
        };
        let mesh = &self.meshes[number];
        let surface = Surface::new(mesh.faces.clone(), mesh.positions_at(time));
        Ok(Followed { obstacle: self.ids.meshes[number], start: Start::Mesh(surface.into()) })
    }

    /// The names of the obstacles, for messages.
    fn list_obstacles(&self) -> String {
        let names = self.obstacles.iter().map(|obstacle| &obstacle.name);
        let names = names.chain(self.meshes.iter().map(|mesh| &mesh.name)).filter(|name| !name.is_empty());
        let names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
        match names.as_slice() {
            [] => "no obstacle has a name".to_owned(),
            _ => format!("the obstacles are {}", names.join(", ")),
        }
    }
}

/// The pins that follow an obstacle and have not let go, by their numbers.
pub(crate) fn followers_of<'a>(
    setup: &'a Setup,
    released: &'a [bool],
    obstacle: ObstacleId,
) -> impl Iterator<Item = usize> + 'a {
    let follows = move |pin: &Pin| pin.followed.as_ref().is_some_and(|own| own.obstacle == obstacle);
    let pins = setup.pins.iter().zip(released).enumerate();
    pins.filter(move |(_, (pin, released))| !**released && follows(pin)).map(|(number, _)| number)
}
