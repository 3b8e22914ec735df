"""PLAID: samples in CGNS, as the package pyplaid reads them. A trajectory is a sample, a frame a tree with a time.

Fields with several columns are several fields there, and whole numbers are float64.
"""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..._errors import TaffetaWarning
from .._needs import need
from ..store import Store
from ..trajectory import FIELDS, Trajectory

BASE = "Base_2_3"
ZONE = "Zone"
LOCATIONS = {"vertex": "Vertex", "cell": "CellCenter"}
# Fields that CGNS has by themselves: triangles and coordinates.
OWN = ("cells", "world_pos")
COLUMNS = {
    "cell_mesh_pos": ("0u", "0v", "1u", "1v", "2u", "2v"),
    "mesh_pos": ("u", "v"),
    "velocity": ("x", "y", "z"),
    "sizing_field": ("00", "01", "11"),
    "origin_weights": ("0", "1", "2"),
}


def name_of(index: int) -> str:
    """Names the folder of a trajectory."""
    return f"data/train/sample_{index:09d}"


def check() -> None:
    """Raises DatasetError where pyplaid is missing."""
    need("plaid", "plaid")


def columns_of(name: str) -> list[str]:
    """Names the fields for the columns of a field."""
    return [f"{name}_{column}" for column in COLUMNS[name]] if name in COLUMNS else [name]


def write(trajectory: Trajectory, facts: dict[str, Any], path: Path) -> None:
    """Writes a trajectory as a sample; ``facts.json`` beside its meshes has seed, version and scene."""
    sample = need("plaid", "plaid").Sample()
    for number, frame in enumerate(trajectory.frames):
        time = number * trajectory.dt
        _add_mesh(sample, frame, time)
        for field in FIELDS:
            if field.name not in OWN:
                rows = frame[field.name].reshape(len(frame[field.name]), -1)
                rows = rows.astype(np.float64) if field.dtype == "<i4" else rows
                for name, column in zip(columns_of(field.name), rows.T, strict=True):
                    sample.add_field(name, np.ascontiguousarray(column), LOCATIONS[field.per], ZONE, BASE, time)
        for name, value in (("crossings", trajectory.crossings[number]), ("seed", facts["seed"]), ("index", facts["index"])):
            sample.add_global(name, np.array([value], dtype=np.float64), time)
    sample.save_to_dir(path)
    for mesh in sorted((path / "meshes").iterdir()):
        _take_out_times(mesh)
    (path / "facts.json").write_text(json.dumps(facts, sort_keys=True) + "\n", encoding="utf-8")


def _add_mesh(sample: Any, frame: dict[str, Any], time: float) -> None:
    lib = need("CGNS.PAT.cgnslib", "plaid")
    cells, positions = frame["cells"], frame["world_pos"]
    sample.init_base(2, 3, BASE, time)
    zone = sample.init_zone(np.array([[len(positions), len(cells), 0]]), zone=ZONE, base=BASE, time=time)
    sample.set_nodes(positions, ZONE, BASE, time)
    # CGNS counts from 1.
    connectivity = (cells + 1).astype(np.int64).ravel()
    lib.newElements(zone, "Elements_TRI_3", "TRI_3", np.array([1, len(cells)]), connectivity)


def _take_out_times(path: Path) -> None:
    """Writes an HDF5 file anew without the times at which its objects were made: equal samples are equal files."""
    h5py = need("h5py", "plaid")
    timeless = path.with_suffix(".timeless")
    # Headers of the earliest version have no times of groups; those of arrays are left out.
    with h5py.File(path) as old, h5py.File(timeless, "w", libver="earliest") as new:
        _copy(h5py, old, new)
    timeless.replace(path)


def _copy(h5py: Any, old: Any, new: Any) -> None:
    for name in old.attrs:
        source = h5py.h5a.open(old.id, name.encode())
        target = h5py.h5a.create(new.id, name.encode(), source.get_type(), source.get_space())
        value = np.zeros(source.shape, source.dtype)
        source.read(value)
        target.write(value)
    for name, item in old.items():
        if isinstance(item, h5py.Group):
            _copy(h5py, item, new.create_group(name))
        else:
            new.create_dataset(name, data=item[...], track_times=False)


def finish(store: Store, facts: dict[str, Any]) -> None:
    """Writes ``infos.yaml``."""
    if facts["done"] != list(range(len(facts["done"]))):
        text = "some trajectories have failed, but samples of PLAID must be consecutive: plaid-check will refuse the set"
        warnings.warn(text, TaffetaWarning, stacklevel=2)
    lines = [
        "owner: taffeta",
        "license: not stated",
        "data_production:",
        "  physics: cloth",
        "  simulator: taffeta",
        "num_samples:",
        f"  train: {len(facts['done'])}",
        "storage_backend: cgns",
    ]
    store.write("infos.yaml", ("\n".join(lines) + "\n").encode())
