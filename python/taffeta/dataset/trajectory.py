"""Trajectories: a scene is simulated, and every frame is recorded with the way from mesh to mesh.

One step is one frame, so that the origins of a frame lead into the frame before, through all passes of the step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from .._errors import DatasetError
from .._taffeta import Cloth, Scene, World
from .bodies import Body, bodies_of

Array = npt.NDArray[Any]


class NodeType(IntEnum):
    """Kinds of vertices, as MeshGraphNets numbers them."""

    NORMAL = 0
    OBSTACLE = 1
    HANDLE = 3


@dataclass(frozen=True)
class Field:
    """A field of a frame."""

    name: str
    per: str
    """The rows: vertex or cell."""
    columns: tuple[int, ...]
    """Shape of a row."""
    dtype: str
    meaning: str


FIELDS = (
    Field("cells", "cell", (3,), "<i4", "vertices of the triangles"),
    Field("cell_mesh_pos", "cell", (3, 2), "<f4", "material coordinates of the corners of the triangles [m]"),
    Field("mesh_pos", "vertex", (2,), "<f4", "material coordinates of the vertices [m]"),
    Field("world_pos", "vertex", (3,), "<f4", "positions [m]"),
    Field("velocity", "vertex", (3,), "<f4", "velocities [m/s]"),
    Field("node_type", "vertex", (1,), "<i4", "0 free, 1 of an obstacle, 3 held by a pin"),
    Field("sizing_field", "vertex", (3,), "<f4", "m00, m01, m11 of the sizing tensor that the next pass asks for [1/m²]"),
    Field("origin_face", "vertex", (1,), "<i4", "triangle of the frame before that the vertex lies on"),
    Field("origin_weights", "vertex", (3,), "<f4", "barycentric weights of the corners of that triangle"),
)


@dataclass(frozen=True)
class Trajectory:
    """A simulated scene."""

    dt: float
    """Time from frame to frame [s]."""
    frames: list[dict[str, Array]]
    """Arrays of each frame by the names of the fields."""
    crossings: Array
    """Count of crossings in each frame."""

    def counts(self, per: str) -> list[int]:
        """Returns the numbers of vertices or cells of the frames."""
        name = "cells" if per == "cell" else "world_pos"
        return [len(frame[name]) for frame in self.frames]

    def stacked(self, name: str) -> Array:
        """Returns a field of all frames, one after another."""
        return np.concatenate([frame[name] for frame in self.frames])


def simulate(scene: Scene, frames: int) -> Trajectory:
    """Simulates a scene; there are ``frames`` steps from the first frame to the last."""
    world, dt = scene.build(threads=1), scene.frame_time
    recorder = _Recorder(world, bodies_of(world, scene), dt)
    recorded, crossings = [recorder.record(())], [world.count_crossings() or 0]
    # One step more than there are frames: it tells what remeshing asks for on the last of them.
    for number in range(1, frames + 2):
        report = world.step(dt)
        # What a step has asked for belongs to the mesh before it.
        recorded[-1]["sizing_field"] = recorder.sizing()
        if number <= frames:
            recorded.append(recorder.record(report.remeshed))
            crossings.append(world.count_crossings() or 0)
    for number, frame in enumerate(recorded):
        _check(frame, number)
    return Trajectory(dt, recorded, np.array(crossings, dtype="<i4"))


class _Recorder:
    """Reads the frames of a world, one after another."""

    def __init__(self, world: World, bodies: list[Body], dt: float) -> None:
        self._world, self._bodies, self._dt = world, bodies, dt
        # Positions and counts of the cells of each part of the frame before.
        self._positions: list[Array] = []
        self._cells: list[int] = []

    def record(self, remeshed: Sequence[str]) -> dict[str, Array]:
        """Returns the arrays of the present frame, without the sizing."""
        pinned = _pinned(self._world)
        cloths = [_cloth_part(cloth, pinned[name], name in remeshed) for name, cloth in self._world.cloths.items()]
        before: list[Array | None] = [*self._positions[len(cloths) :]] or [None] * len(self._bodies)
        parts = cloths + [_body_part(body, old, self._dt) for body, old in zip(self._bodies, before, strict=True)]
        cells = [len(part["cells"]) for part in parts]
        frame = _joined(parts, self._cells or cells)
        self._positions, self._cells = [part["world_pos"] for part in parts], cells
        return frame

    def sizing(self) -> Array:
        """Returns the tensors that the last step has asked for, on the mesh before it; zero on obstacles."""
        tensors = [cloth.asked_sizing for cloth in self._world.cloths.values()]
        return np.concatenate([*tensors, *(np.zeros((len(body.vertices), 3)) for body in self._bodies)]).astype("<f4")


def _cloth_part(cloth: Cloth, pinned: Array, is_remeshed: bool) -> dict[str, Array]:
    faces, material, at_vertices = cloth.faces, cloth.material, cloth.vertex_material
    if material is None or at_vertices is None:
        raise DatasetError(f"cloth {cloth.name!r} has no material coordinates: give its mesh vt, or make it of a grid")
    kinds = np.full((cloth.vertex_count, 1), int(NodeType.NORMAL))
    kinds[pinned] = NodeType.HANDLE
    face, weights = cloth.origins if is_remeshed else identity(faces, cloth.vertex_count)
    return {
        "cells": faces,
        "cell_mesh_pos": material,
        "mesh_pos": at_vertices,
        "world_pos": cloth.positions,
        "velocity": cloth.velocities,
        "node_type": kinds,
        "origin_face": face[:, None],
        "origin_weights": weights,
    }


def _body_part(body: Body, before: Array | None, dt: float) -> dict[str, Array]:
    positions = body.positions()
    face, weights = identity(body.faces, len(positions))
    return {
        "cells": body.faces,
        "cell_mesh_pos": np.zeros((len(body.faces), 3, 2)),
        "mesh_pos": np.zeros((len(positions), 2)),
        "world_pos": positions,
        "velocity": np.zeros_like(positions) if before is None else (positions - before) / dt,
        "node_type": np.full((len(positions), 1), int(NodeType.OBSTACLE)),
        "origin_face": face[:, None],
        "origin_weights": weights,
    }


def _joined(parts: list[dict[str, Array]], cells_before: list[int]) -> dict[str, Array]:
    """Joins the parts of a frame: vertices by the numbers of the frame, origins by the cells of the frame before."""
    vertices = cells = 0
    for part, count in zip(parts, cells_before, strict=True):
        part["cells"] = part["cells"].astype(np.int64) + vertices
        part["origin_face"] = part["origin_face"].astype(np.int64) + cells
        vertices += len(part["world_pos"])
        cells += count
    names = [field for field in FIELDS if field.name != "sizing_field"]
    return {field.name: np.concatenate([part[field.name] for part in parts]).astype(field.dtype) for field in names}


def identity(faces: Array, count: int) -> tuple[Array, Array]:
    """Returns the origins of vertices that stay: one of their faces, and weight 1 at their corner of it."""
    face, weights = np.zeros(count, dtype=np.int64), np.zeros((count, 3))
    for corner in range(3):
        # Of several faces the last one written counts for all three arrays.
        face[faces[:, corner]] = np.arange(len(faces))
    weights[faces[face] == np.arange(count)[:, None]] = 1.0
    return face, weights


def _pinned(world: World) -> dict[str, Array]:
    """Returns the numbers of the held vertices of each cloth."""
    cloths = world.cloths
    found: dict[str, list[Array]] = {name: [] for name in cloths}
    for pin in world.pins.values():
        numbers = pin.vertices
        if pin.is_released or len(numbers) == 0 or numbers.min() < 0:
            continue
        for name, cloth in cloths.items():
            # A pin does not tell its cloth, but where its vertices are.
            if numbers.max() < cloth.vertex_count and np.array_equal(cloth.positions[numbers], pin.positions):
                found[name].append(numbers)
                break
    return {name: np.concatenate(lists) if lists else np.zeros(0, dtype=np.int64) for name, lists in found.items()}


def _check(frame: dict[str, Array], number: int) -> None:
    """Refuses a frame that no data set should have."""
    for field in FIELDS:
        array = frame[field.name]
        if len(array) == 0:
            raise DatasetError(f"frame {number} has no rows of {field.name}")
        if not np.isfinite(array).all():
            raise DatasetError(f"frame {number}: {field.name} has a value that is not finite")
