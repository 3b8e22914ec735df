"""Obstacles as triangles, so that they can be vertices of the recorded mesh."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .._taffeta import Obstacle, Scene, World
from ._needs import need


@dataclass(frozen=True)
class Body:
    """An obstacle with triangles. A plane has none: it has no end."""

    obstacle: Obstacle
    vertices: npt.NDArray[np.float64]
    """Vertices in the frame of the obstacle [m]; of a mesh they are not used."""
    faces: npt.NDArray[np.int64]
    """Corners of the triangles."""

    def positions(self) -> npt.NDArray[np.float64]:
        """Returns where the vertices are now [m]."""
        if self.obstacle.kind == "mesh":
            return self.obstacle.positions
        position, quaternion = self.obstacle.pose
        return np.asarray(self.vertices @ _rotation(quaternion).T + position)


def bodies_of(world: World, scene: Scene) -> list[Body]:
    """Returns the obstacles of a world that have an end."""
    tables = [table["shape"] for table in scene.to_dict().get("obstacle", [])]
    shapes = {kind: [shape[kind] for shape in tables if kind in shape] for kind in ("sphere", "box", "capsule")}
    bodies = []
    for obstacle in world.obstacles.values():
        if obstacle.kind == "mesh":
            bodies.append(Body(obstacle, obstacle.positions, obstacle.faces.astype(np.int64)))
        elif obstacle.kind != "plane":
            # Obstacles of one kind keep the order of the scene.
            mesh = _mesh_of(obstacle.kind, shapes[obstacle.kind].pop(0))
            bodies.append(Body(obstacle, np.array(mesh.vertices), np.array(mesh.faces, dtype=np.int64)))
    return bodies


def _mesh_of(kind: str, shape: dict[str, Any]) -> Any:
    """Makes triangles of a shape; those of round ones lie inside by 2 % of the radius or less."""
    creation = need("trimesh.creation", "dataset")
    if kind == "sphere":
        return creation.icosphere(subdivisions=2, radius=shape["radius"])
    if kind == "box":
        return creation.box(extents=2 * np.array(shape["half_size"]))
    capsule = creation.capsule(height=2 * shape["half_length"], radius=shape["radius"], count=[16, 16])
    # Along z there, with the middle at the origin; along y here.
    capsule.vertices = (capsule.vertices - capsule.bounds.mean(axis=0))[:, [1, 2, 0]]
    return capsule


def _rotation(quaternion: tuple[float, float, float, float]) -> npt.NDArray[np.float64]:
    """Returns the matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
