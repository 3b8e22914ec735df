"""Formats: each writes a trajectory to a local file, byte for byte the same for the same trajectory."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..._errors import DatasetError
from ..store import Store
from ..trajectory import Trajectory
from . import mgn, npz, plaid, zarr

Facts = dict[str, Any]


def _nothing(store: Store, facts: Facts) -> None:
    """Adds no file to a set."""


@dataclass(frozen=True)
class Format:
    """A format of data sets."""

    name_of: Callable[[int], str]
    """Name of a trajectory in the folder of the set."""
    write: Callable[[Trajectory, Facts, Path], None]
    """Writes a trajectory to a path; facts are what the set says about it."""
    finish: Callable[[Store, Facts], None] = _nothing
    """Writes what the format wants beside the trajectories, when all are there."""
    check: Callable[[], object] = lambda: None
    """Raises DatasetError where a package is missing."""


FORMATS = {
    "mgn": Format(mgn.name_of, mgn.write, mgn.finish, mgn.check),
    "plaid": Format(plaid.name_of, plaid.write, plaid.finish, plaid.check),
    "npz": Format(npz.name_of, npz.write),
    "zarr": Format(zarr.name_of, zarr.write, check=zarr.check),
}


def format_of(name: str) -> Format:
    """Returns a format by its name, if its packages are there."""
    if name not in FORMATS:
        raise DatasetError(f"there is no format {name!r}; there are: {', '.join(FORMATS)}")
    FORMATS[name].check()
    return FORMATS[name]
