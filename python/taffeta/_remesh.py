"""The remesher by itself."""

import warnings
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import _taffeta
from ._bodies import Origins
from ._errors import TaffetaWarning


class Remeshed(NamedTuple):
    """A remeshed sheet, and where each of its vertices lies on the input."""

    positions: npt.NDArray[np.float64]
    """World positions [m], shape (n, 3)."""
    faces: npt.NDArray[np.uint32]
    """Corners of the faces, shape (m, 3)."""
    origin_face: npt.NDArray[np.uint32]
    """The face of the input that each vertex lies on, shape (n,)."""
    origin_weights: npt.NDArray[np.float64]
    """Barycentric weights of the corners of that face, shape (n, 3)."""

    def __repr__(self) -> str:
        return f"<Remeshed, {len(self.positions)} vertices, {len(self.faces)} faces>"

    def sample(self, faces: npt.ArrayLike, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Brings a field of the input, with one row per vertex, over to the vertices of the result."""
        return Origins(self.origin_face, self.origin_weights).sample(faces, values)


def remesh(
    positions: npt.ArrayLike,
    faces: npt.ArrayLike,
    sizing: npt.ArrayLike,
    *,
    uv: npt.ArrayLike | None = None,
    pins: npt.ArrayLike | None = None,
    passes: int = 100,
    max_vertices: int = 1_000_000,
    gradation: float | None = 1.4,
    aspect: float = 10.0,
    tolerance: float | None = None,
) -> Remeshed:
    """Remeshes a triangle mesh to wanted edge lengths, as ``taffeta remesh`` does.

    ``sizing`` is one length [m], one per vertex, or a tensor per vertex: shape (n, 3) with m00, m01, m11, or (n, 2, 2)
    [1/m²], in material space. ``uv`` has the material coordinates of the vertices, shape (n, 2), or of the corners of the
    faces, shape (m, 3, 2); without it the shape in space is the one at rest. ``pins`` are the numbers of vertices that
    stay, or a mask. ``tolerance`` says how far the surface may move where there is no ``uv`` [m].
    """
    arrays, is_complete = _taffeta.remesh(
        positions, faces, sizing, uv, pins, passes, max_vertices, gradation, aspect, tolerance
    )
    if not is_complete:
        text = "the mesh is not as fine as asked: allow more passes or max_vertices, or take a larger size"
        warnings.warn(text, TaffetaWarning, stacklevel=2)
    return Remeshed(*arrays)
