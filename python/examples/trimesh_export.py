"""Gives a draped cloth to trimesh, measures it, and writes a GLB file.

    python trimesh_export.py

The faces of a cloth are those of trimesh; processing is off so that the numbers of its vertices stay.
"""

from pathlib import Path

import taffeta as tf
import trimesh

scene = tf.Scene(
    {
        "simulation": {"duration": 1.0, "accuracy": "draft"},
        "cloth": [
            {
                "name": "napkin",
                "grid": {"size": [0.5, 0.5], "cells": [8, 8], "pattern": "alternating"},
                "material": "cotton",
                "place": {"translate": [-0.25, 0.2, 0.25], "rotate_deg": [-90, 0, 0]},
                "remesh": {"size_min": 0.02, "size_max": 0.1, "refine_error": 0.006},
            }
        ],
        "obstacle": [{"shape": {"sphere": {"radius": 0.12}}}],
    }
)
world = scene.build()
for _ in range(30):
    world.step(1 / 60)

napkin = world.cloths["napkin"]
mesh = trimesh.Trimesh(napkin.positions, napkin.faces, vertex_normals=napkin.normals, process=False)
assert len(mesh.vertices) == napkin.vertex_count
print(f"{len(mesh.vertices)} vertices, area {mesh.area:.4f} m² of 0.25 m² at rest, lowest at {mesh.bounds[0][1]:.3f} m")

path = Path("napkin.glb")
path.write_bytes(trimesh.Scene([mesh]).export(file_type="glb"))
print(f"written: {path}")
