"""NPZ: one file per trajectory, ragged arrays by offsets. NumPy alone reads it."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..trajectory import FIELDS, Trajectory


def name_of(index: int) -> str:
    """Names the file of a trajectory."""
    return f"trajectories/{index:06d}.npz"


def arrays_of(trajectory: Trajectory) -> dict[str, npt.NDArray[Any]]:
    """Returns the arrays of a trajectory: all frames one after another, and where each begins."""
    arrays = {field.name: trajectory.stacked(field.name) for field in FIELDS}
    for per in ("vertex", "cell"):
        arrays[f"{per}_offsets"] = np.concatenate([[0], np.cumsum(trajectory.counts(per))]).astype("<i8")
    return arrays | {"crossings": trajectory.crossings}


def write(trajectory: Trajectory, facts: dict[str, Any], path: Path) -> None:
    """Writes a trajectory; the entry ``facts`` is the JSON text of seed, version and scene."""
    arrays = arrays_of(trajectory) | {"facts": np.array(json.dumps(facts, sort_keys=True))}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        for name, array in arrays.items():
            # The date of the entry is fixed, so that equal trajectories are equal files.
            with file.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)
