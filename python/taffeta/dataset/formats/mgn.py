"""MeshGraphNets: TFRecords and ``meta.json`` as the flag and sphere sets with sizing declare them.

A trajectory is one record with a ``tf.Example``; each field is its bytes, those of all frames one after another, with the
numbers of rows beside it. When a set is complete its records are joined to ``train.tfrecord``, ``valid.tfrecord`` and
``test.tfrecord``: of ten trajectories the ninth is for validation, the tenth for tests.
"""

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .._needs import need
from ..store import Store
from ..trajectory import FIELDS, Trajectory

SPLITS = {"valid": (8,), "test": (9,), "train": (0, 1, 2, 3, 4, 5, 6, 7)}


def name_of(index: int) -> str:
    """Names the file of a trajectory."""
    return f"trajectories/{index:06d}.tfrecord"


def check() -> None:
    """Raises DatasetError where the checksum is missing."""
    need("google_crc32c", "dataset")


def write(trajectory: Trajectory, facts: dict[str, Any], path: Path) -> None:
    """Writes a trajectory; the feature ``facts`` is the JSON text of seed, version and scene."""
    features = {"facts": json.dumps(facts, sort_keys=True).encode(), "crossings": trajectory.crossings.tobytes()}
    for field in FIELDS:
        features[field.name] = trajectory.stacked(field.name).tobytes()
        features[f"length_{field.name}"] = np.array(trajectory.counts(field.per), dtype="<i4").tobytes()
    path.write_bytes(b"".join(framed(example(features))))


def finish(store: Store, facts: dict[str, Any]) -> None:
    """Writes ``meta.json`` and joins the records."""
    store.write("meta.json", (json.dumps(meta(facts["dt"], facts["frames"] + 1), indent=2) + "\n").encode())
    for split, digits in SPLITS.items():
        names = [name_of(index) for index in facts["done"] if index % 10 in digits]
        store.join(f"{split}.tfrecord", names)


def meta(dt: float, length: int) -> dict[str, Any]:
    """Returns the declaration of the fields."""
    features = {
        field.name: {
            "type": "dynamic_varlen",
            "shape": [-1, int(np.prod(field.columns))],
            "dtype": "int32" if field.dtype == "<i4" else "float32",
        }
        for field in FIELDS
    }
    features["crossings"] = {"type": "dynamic", "shape": [length, 1], "dtype": "int32"}
    names = [*features, *(f"length_{field.name}" for field in FIELDS)]
    return {
        "simulator": "taffeta",
        "dt": dt,
        "features": features,
        "field_names": names,
        "trajectory_length": length,
    }


def example(features: dict[str, bytes]) -> bytes:
    """Encodes a ``tf.Example`` whose features are lists of one string of bytes, sorted by name."""
    entries = (_tagged(1, name.encode()) + _tagged(2, _tagged(1, _tagged(1, features[name]))) for name in sorted(features))
    return _tagged(1, b"".join(_tagged(1, entry) for entry in entries))


def framed(record: bytes) -> Iterator[bytes]:
    """Yields the parts of a record in a TFRecord file: its length and itself, each with a checksum."""
    length = struct.pack("<Q", len(record))
    yield from (length, _checksum(length), record, _checksum(record))


def _checksum(data: bytes) -> bytes:
    """Returns CRC-32C, masked as TFRecord does."""
    value = need("google_crc32c", "dataset").value(data)
    return struct.pack("<I", (((value >> 15) | (value << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def _tagged(field: int, content: bytes) -> bytes:
    """Encodes a field of a protocol buffer that has a length."""
    return bytes([field << 3 | 2]) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    digits = bytearray()
    while value > 0x7F:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*digits, value])
