"""Zarr: one group per trajectory, in a ZIP file, ragged arrays by offsets."""

import zipfile
from pathlib import Path
from typing import Any

from .._needs import need
from ..trajectory import Trajectory
from .npz import arrays_of

# Rows of a chunk: about 1 MB of positions.
CHUNK = 65536


def name_of(index: int) -> str:
    """Names the file of a trajectory."""
    return f"trajectories/{index:06d}.zarr.zip"


def check() -> None:
    """Raises DatasetError where zarr is missing."""
    need("zarr", "dataset")


def write(trajectory: Trajectory, facts: dict[str, Any], path: Path) -> None:
    """Writes a trajectory; seed, version and scene are attributes of the group."""
    zarr = need("zarr", "dataset")
    chunks: dict[str, Any] = {}
    group = zarr.create_group(store=zarr.storage.MemoryStore(chunks), zarr_format=3, attributes=facts)
    for name, array in sorted(arrays_of(trajectory).items()):
        shape = (min(len(array), CHUNK), *array.shape[1:])
        codec = zarr.codecs.BloscCodec(cname="zstd", clevel=3, shuffle="shuffle", typesize=array.itemsize)
        group.create_array(name, data=array, chunks=shape, compressors=codec)
    # The ZIP store of zarr writes the present time into its entries.
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        for key in sorted(chunks):
            file.writestr(zipfile.ZipInfo(key), chunks[key].to_bytes())
