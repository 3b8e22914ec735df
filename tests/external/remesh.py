"""Makes the files of a mesh with seams for `taffeta remesh` as a user of NumPy would, and checks what came out.

Usage: remesh.py make FOLDER, then remesh.py check FOLDER
"""

import pathlib
import sys

import numpy as np


def position(u):
    """A sheet with waves."""
    return np.stack([u[..., 0], u[..., 1], 0.05 * np.sin(9 * u[..., 0])], axis=-1)


def make(folder):
    """Two panels of 8 x 16 cells, the second in a chart of its own, as float32 and int64 in an archive that is compressed."""
    n = 16
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
    u = np.stack([i, j], axis=-1).reshape(-1, 2) / n
    cell = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).reshape(-1)
    a, b, c, d = cell, cell + 1, cell + n + 2, cell + n + 1
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)])
    is_second = u[faces].mean(axis=1)[:, 0] > 0.5
    # The points of the second panel follow those of the first.
    uv = np.concatenate([u, u + [2.0, 0.25]])
    uv_faces = faces + np.where(is_second, len(u), 0)[:, None]
    x = position(u)
    np.savez_compressed(
        folder / "in.npz",
        world_pos=np.asfortranarray(x.astype(np.float32)),
        cells=faces.astype(np.int64),
        uv=uv,
        uv_faces=uv_faces,
        velocity=np.stack([x[:, 2], x[:, 0], -x[:, 1]], -1),
        heat=(3 * x[:, 0] - x[:, 1]).astype(np.float32),
        frames=np.stack([x, 2 * x], axis=1),
        node_type=np.zeros((len(x), 1), np.int32),
        name=np.array(["sheet"]),
    )
    size = 0.03 + 0.1 * u[:, 0]
    np.save(folder / "sizes.npy", size.astype(np.float32))
    tensors = np.zeros((len(u), 2, 2))
    tensors[:, 0, 0], tensors[:, 1, 1] = 100.0, 900.0
    np.savez(folder / "tensors.npz", sizing=tensors)
    mask = np.zeros(len(u), bool)
    mask[::7] = True
    np.save(folder / "mask.npy", mask)
    np.save(folder / "skew.npy", np.tile([[4.0, 1.0], [2.0, 4.0]], (len(u), 1, 1)))
    np.save(folder / "half.npy", size.astype(np.float16))


def check_one(before, after, mask):
    x, faces = before["world_pos"].astype(float), before["cells"]
    origin, weights = after["origin_face"], after["origin_weights"]
    assert origin.dtype == np.int32 and weights.dtype == np.float64 and after["faces"].dtype == np.int32

    def brought(field):
        return np.einsum("vk,vk...->v...", weights, field[faces[origin]])

    assert np.abs(weights.sum(axis=1) - 1).max() < 1e-14 and weights.min() >= 0
    assert np.abs(brought(x) - after["positions"]).max() < 1e-12
    for name in ("heat", "frames"):
        assert after[name].shape[1:] == before[name].shape[1:]
        assert np.abs(brought(before[name].astype(float)) - after[name]).max() < 1e-12, name
    assert "node_type" not in after and "name" not in after
    assert after["velocities"].shape == after["positions"].shape
    # Both panels are covered once, and the points of a vertex on the seam are the same place.
    corners = after["uv"][after["uv_faces"]]
    e, f = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = (e[:, 0] * f[:, 1] - e[:, 1] * f[:, 0]) / 2
    assert areas.min() > 0 and abs(areas.sum() - 1) < 1e-12
    in_uv = np.einsum("pk,pkc->pc", after["uv_origin_weights"], before["uv"][before["uv_faces"][after["uv_origin_face"]]])
    assert np.abs(in_uv - after["uv"]).max() < 1e-12
    in_space = np.einsum("pk,pkc->pc", after["uv_origin_weights"], x[faces[after["uv_origin_face"]]])
    vertex = np.empty(len(after["uv"]), int)
    vertex[after["uv_faces"]] = after["faces"]
    assert np.abs(in_space - after["positions"][vertex]).max() < 1e-12
    on_seam = np.abs(after["positions"][:, 0] - 0.5) < 1e-9
    assert len(after["uv"]) == len(after["positions"]) + on_seam.sum()
    # What was pinned is where it was.
    output = after["output_of_input"]
    assert (output[mask] >= 0).all() and after["pinned"].dtype == bool and after["pinned"][output[mask]].all()
    assert (after["positions"][output[mask]] == x[mask]).all()
    return np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)


def check(folder):
    before = dict(np.load(folder / "in.npz"))
    mask = np.load(folder / "mask.npy")
    lengths = check_one(before, dict(np.load(folder / "by_size.npz")), mask)
    assert lengths.max() < 0.131 and lengths.min() > 0.005
    check_one(before, dict(np.load(folder / "by_tensor.npz")), mask)
    origins, whole = np.load(folder / "map.npz"), np.load(folder / "by_size.npz")
    assert sorted(origins) == sorted(name for name in whole if "o" == name[0] or "_o" in name)
    for name in origins:
        assert (origins[name] == whole[name]).all()
    print(f"{len(before['world_pos'])} vertices became {len(whole['positions'])}")


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
