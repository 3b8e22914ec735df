"""Bodies of a world by name, and where their vertices come from."""

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")


class Bodies(dict[str, T]):
    """Bodies of one kind by name, in the order of the scene; what has no name there is called "pin 0" and so on."""

    def __init__(self, kind: str, bodies: Mapping[str, T]) -> None:
        super().__init__(bodies)
        self._kind = kind

    def __missing__(self, name: object) -> T:
        known = ", ".join(map(repr, self)) or "none"
        raise KeyError(f"there is no {self._kind} {name!r}; there are: {known}")


class Load(NamedTuple):
    """Load on an obstacle in a step: the mean over its time."""

    force: npt.NDArray[np.float64]
    """Force [N]. Times the length of the step it is the momentum that the obstacle has received."""
    torque: npt.NDArray[np.float64]
    """Torque about the point [N·m]."""
    point: npt.NDArray[np.float64]
    """The origin of the obstacle's frame at the end of the step [m]; of a skinned body the mean of its vertices."""

    @classmethod
    def of(cls, force: list[float], torque: list[float], point: list[float]) -> "Load":
        """Makes arrays of the vectors."""
        return cls(np.array(force), np.array(torque), np.array(point))


class Origins(NamedTuple):
    """Places of the vertices of a cloth on the mesh that it had before its topology last changed."""

    face: npt.NDArray[np.uint32]
    """The face of the mesh before that each vertex lies on, shape (vertices,)."""
    weights: npt.NDArray[np.float64]
    """Barycentric weights of the corners of that face, shape (vertices, 3)."""

    def __repr__(self) -> str:
        return f"<Origins of {len(self.face)} vertices>"

    def sample(self, faces: npt.ArrayLike, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Brings a field on the mesh before, with its faces and one row per vertex, over to the present vertices."""
        corners = np.asarray(values, dtype=np.float64)[np.asarray(faces)[self.face]]
        return np.asarray(np.einsum("nk,nk...->n...", self.weights, corners))
