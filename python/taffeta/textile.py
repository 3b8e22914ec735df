"""Tests of the textile industry on a material.

``drape`` is Cusick's test (BS 5058, ISO 9073-9): a disk of 30 cm hangs over a support of 18 cm, and the drape coefficient is the part of
the overhanging area that its shadow covers. Other standards have other sizes. ``bending_length`` and ``bending_stiffness`` convert what a cantilever test gives.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _taffeta

GRAVITY = 9.81
"""Gravity of the tests [m/s²]."""


class Drape(NamedTuple):
    """A draped specimen."""

    coefficient: float
    """Drape coefficient [%]."""
    folds: int
    """Number of folds."""
    asymmetry: float
    """Standard deviation of the radii of the folds over their mean [1]."""
    outline: npt.NDArray[np.float64]
    """Radius of the shadow [m] at angles in equal steps from warp toward weft, shape (n,)."""
    positions: npt.NDArray[np.float64]
    """Vertices of the part that hangs over [m], y up, the support at a height of 0, shape (n, 3)."""
    faces: npt.NDArray[np.uint32]
    """Corners of its faces, shape (m, 3)."""
    energy: float
    """Elastic energy and that of the height [J]: of two drapes, the lower one is the likelier."""
    crossings: int
    """Pairs of faces that cross: folds that went through each other, as the test has no contact."""
    time: float
    """Time until it was at rest [s]."""

    def __repr__(self) -> str:
        return f"<Drape, {self.coefficient:.1f} %, {self.folds} folds>"


def drape(
    material: str | Mapping[str, Any],
    *,
    start: int = 0,
    refine_error: float | None = 4e-4,
    size: float = 0.0075,
    pattern: str = "staggered",
    waves: int | None = None,
    lowering: float = 2.0,
    support: float = 0.09,
    specimen: float = 0.15,
) -> Drape:
    """Drapes a material.

    ``material`` is the name of a preset, or a table as in a scene. Another ``start`` turns the mesh and gives another push, so that other
    folds may come; ``waves`` sets the number of waves of the push. The mesh is adaptive to ``refine_error`` [m]; with ``None`` it stays as
    it begins, with edges of ``size`` [m] in a ``pattern`` of "staggered", "alternating", "crossed" or "delaunay". The weight grows in the
    time ``lowering`` [s]. ``support`` and ``specimen`` are radii [m]; JIS L 1096 has 0.0635 and 0.127.

    Raises ``SceneError`` for a material that makes no sense, and ``TextileError`` for a setting that does not, and where no rest comes.
    """
    chosen = material if isinstance(material, str) else dict(material)
    cloth = {"name": "specimen", "grid": {"size": [0.1, 0.1], "cells": [1, 1]}, "material": chosen}
    scene = _taffeta.Scene({"simulation": {"duration": 1.0}, "cloth": [cloth]})
    return Drape(*_taffeta.drape_material(scene, pattern, size, refine_error, start, waves, lowering, [support, specimen]))


def bending_length(stiffness: float, density: float) -> float:
    """Returns the bending length ``(D/ρg)^⅓`` [m] of a plate stiffness [N·m] and an areal density [kg/m²]."""
    return float(np.cbrt(stiffness / (density * GRAVITY)))


def bending_stiffness(length: float, density: float) -> float:
    """Returns the plate stiffness ``ρ g c³`` [N·m] of a bending length [m] and an areal density [kg/m²] (ASTM D1388)."""
    return density * GRAVITY * length**3
