"""Adaptive cloth simulation: scenes, worlds, arrays and pictures.

A ``Scene`` says what is simulated. ``scene.build()`` makes a ``World``, ``world.step(dt)`` advances it, and
``world.cloths["name"].positions`` is an array of where it is. ``run`` writes a folder of results as the program does.
All quantities are in SI units.
"""

from . import textile
from ._bodies import Bodies, Load, Origins
from ._errors import (
    ArrayError,
    ArrayTypeError,
    BuildError,
    DatasetError,
    RemeshError,
    RenderError,
    RunError,
    SceneError,
    StaleViewError,
    StateError,
    StepError,
    StepInputError,
    TaffetaError,
    TaffetaWarning,
    TextileError,
    VectorStepError,
    WorldBusyError,
)
from ._pictures import render
from ._remesh import Remeshed, remesh
from ._run import Frame, Result, run
from ._sweep import sweep
from ._taffeta import (
    Cloth,
    Grab,
    Obstacle,
    Pin,
    Rope,
    Scene,
    Snapshot,
    StepReport,
    Substep,
    View,
    World,
    __version__,
)
from ._vector import VectorCloth, VectorWorld

__all__ = [
    "ArrayError",
    "ArrayTypeError",
    "Bodies",
    "BuildError",
    "Cloth",
    "DatasetError",
    "Frame",
    "Grab",
    "Load",
    "Obstacle",
    "Origins",
    "Pin",
    "RemeshError",
    "Remeshed",
    "RenderError",
    "Result",
    "Rope",
    "RunError",
    "Scene",
    "SceneError",
    "Snapshot",
    "StaleViewError",
    "StateError",
    "StepError",
    "StepInputError",
    "StepReport",
    "Substep",
    "TaffetaError",
    "TaffetaWarning",
    "TextileError",
    "VectorCloth",
    "VectorStepError",
    "VectorWorld",
    "View",
    "World",
    "WorldBusyError",
    "__version__",
    "remesh",
    "render",
    "run",
    "sweep",
    "textile",
]
