"""The loop of a learned simulator: predict, remesh with a predicted sizing field, carry all fields over, go on.

The network is a stand-in: it perturbs the motion of a recorded frame, and its sizing field is that of the data set. The loop runs
with NumPy alone, and again with tensors of PyTorch, where it is installed, that share their memory with the arrays.
"""

from pathlib import Path
from typing import Any

import numpy as np
import taffeta as tf
from taffeta.dataset.__main__ import main

STEPS = 4
DENSITY = 0.15  # kg/m²


def read_frame(path: Path, number: int) -> dict[str, Any]:
    """Reads a frame of a trajectory."""
    with np.load(path) as file:
        def rows(name: str, per: str = "vertex") -> Any:
            offsets = file[f"{per}_offsets"]
            return file[name][offsets[number] : offsets[number + 1]]

        return {
            "faces": rows("cells", "cell"),
            "uv": rows("mesh_pos"),
            "positions": rows("world_pos").astype(float),
            "velocities": rows("velocity").astype(float),
            "sizing": rows("sizing_field").astype(float),
            "is_held": rows("node_type")[:, 0] == 3,
        }


def predict(frame: dict[str, Any], dt: float, random: np.random.Generator) -> dict[str, Any]:
    """Stands in for a network: the next positions, with noise on the vertices that are free, and a sizing field."""
    noise = 1e-3 * random.standard_normal(frame["positions"].shape)
    moved = frame["positions"] + dt * frame["velocities"] + noise
    moved[frame["is_held"]] = frame["positions"][frame["is_held"]]
    finer = frame["sizing"] * 1.2
    return frame | {"positions": moved, "velocities": (moved - frame["positions"]) / dt, "sizing": finer}


def masses_of(faces: Any, uv: Any) -> Any:
    """Returns a third of the mass of the faces around each vertex [kg]."""
    a, b = uv[faces[:, 1]] - uv[faces[:, 0]], uv[faces[:, 2]] - uv[faces[:, 0]]
    areas = 0.5 * np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    return DENSITY * np.bincount(faces.ravel(), np.repeat(areas / 3, 3), minlength=len(uv))


def carry(mesh: tf.Remeshed, frame: dict[str, Any], name: str, masses: Any = None) -> Any:
    """Brings a field to the vertices of the new mesh.

    Barycentric interpolation keeps constants and is exact where vertices stay. With the masses of the new vertices the field is
    shifted by a constant as well, so that its mean by mass is as before: for velocities that is the momentum.
    """
    values = mesh.sample(frame["faces"], frame[name])
    if masses is None:
        return values
    before = masses_of(frame["faces"], frame["uv"])
    lack = before @ frame[name] - masses @ values
    return values + lack / masses.sum()


def remesh(frame: dict[str, Any], is_conservative: bool) -> dict[str, Any]:
    """Remeshes a predicted frame with its sizing field and carries all fields over."""
    pins = np.flatnonzero(frame["is_held"])
    mesh = tf.remesh(frame["positions"], frame["faces"], frame["sizing"], uv=frame["uv"], pins=pins)
    uv = mesh.sample(frame["faces"], frame["uv"])
    masses = masses_of(mesh.faces, uv) if is_conservative else None
    is_held = mesh.sample(frame["faces"], frame["is_held"]) > 1 - 1e-9
    velocities = carry(mesh, frame, "velocities", masses)
    sizing = carry(mesh, frame, "sizing")
    return {
        "faces": mesh.faces, "uv": uv, "positions": mesh.positions, "velocities": velocities, "sizing": sizing,
        "is_held": is_held,
    }  # fmt: skip


def momentum_of(frame: dict[str, Any]) -> Any:
    return masses_of(frame["faces"], frame["uv"]) @ frame["velocities"]


def run(frame: dict[str, Any], dt: float, is_conservative: bool) -> list[dict[str, Any]]:
    """Makes some steps of the loop."""
    random, frames = np.random.default_rng(0), [frame]
    for _ in range(STEPS):
        predicted = predict(frames[-1], dt, random)
        frames.append(remesh(predicted, is_conservative))
        change = np.linalg.norm(momentum_of(frames[-1]) - momentum_of(predicted)) / np.linalg.norm(momentum_of(predicted))
        print(f"{len(frames[-1]['positions'])} vertices, momentum changed by {change:.1e}")
        assert change < (1e-12 if is_conservative else 0.2)
    return frames


def run_with_torch(frame: dict[str, Any], torch: Any, dt: float) -> list[Any]:
    """Makes a step of the loop on tensors, without a copy on the way to the remesher and back."""
    tensors = {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in frame.items()}
    moved = tensors["positions"] + dt * tensors["velocities"]
    arrays = {name: tensor.numpy() for name, tensor in tensors.items()} | {"positions": moved.numpy()}
    assert arrays["positions"].ctypes.data == moved.data_ptr()
    after = remesh(arrays, is_conservative=True)
    result = torch.from_numpy(after["positions"])
    assert result.data_ptr() == after["positions"].ctypes.data
    return [moved, result]


if __name__ == "__main__":
    folder = Path("learned_loop")
    small = ["--frames", "8", "--set", "cloth.0.remesh.refine_error=0.01", "--quiet"]
    assert main(["flag", "--trajectories", "1", "--out", str(folder), "--workers", "0", *small]) == 0
    first = read_frame(folder / "trajectories" / "000000.npz", 8)
    for is_conservative in (False, True):
        frames = run(first, 0.02, is_conservative)
    np.savez(folder / "last_frame.npz", **frames[-1])
    try:
        import torch
    except ImportError:
        print("without PyTorch: pip install torch")
    else:
        moved, result = run_with_torch(first, torch, 0.02)
        print(f"PyTorch: {len(moved)} vertices before, {len(result)} after, no copies")
