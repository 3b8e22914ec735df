"""PLAID: samples in CGNS, as the package pyplaid reads them. A trajectory is a sample, a frame a tree with a time."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from .._needs import need
from ..store import Store
from ..trajectory import FIELDS, Trajectory

# The names of columns of fields with several.
AXES = {2: ("U", "V"), 3: ("X", "Y", "Z"), 6: ("0U", "0V", "1U", "1V", "2U", "2V")}
TENSOR = ("00", "01", "11")
ZONE = ("Base_2_3", "Zone")


def name_of(index: int) -> str:
    """Names the folder of a trajectory."""
    return f"data/train/sample_{index:09d}"


def check() -> None:
    """Raises DatasetError where pyplaid is missing."""
    need("plaid", "plaid")


def columns_of(name: str, count: int) -> list[str]:
    """Names the fields for the columns of a field."""
    if count == 1:
        return [name]
    axes = TENSOR if name == "sizing_field" else ("0", "1", "2") if name == "origin_weights" else AXES[count]
    return [f"{name}_{axis}" for axis in axes]


def write(trajectory: Trajectory, facts: dict[str, Any], path: Path) -> None:
    """Writes a trajectory as a sample; the global ``facts`` is the JSON text of seed, version and scene."""
    del facts, path, trajectory
    raise NotImplementedError


def finish(store: Store, facts: dict[str, Any]) -> None:
    """Writes ``infos.yaml``."""
