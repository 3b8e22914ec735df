"""A world and a result in a notebook: both show themselves as pictures.

    python notebook.py    or cell by cell in Jupyter

In a notebook the last expression of a cell is shown; here the pictures are written.
"""

# %% A scene of the project, made smaller.
from pathlib import Path

import taffeta as tf

scene = tf.Scene(
    {
        "simulation": {"duration": 0.5, "accuracy": "draft"},
        "cloth": [
            {
                "name": "flag",
                "grid": {"size": [1.2, 0.8], "cells": [9, 6], "pattern": "alternating"},
                "material": "silk",
                "pin": [{"where": {"material_box": [[0.0, 0.0], [0.0, 0.8]]}}],
            }
        ],
        "air": {"wind": [8.0, 0.0, 1.5]},
    }
)

# %% A world shows itself.
world = scene.build()
for _ in range(10):
    world.step(1 / 60)
world  # noqa: B018
Path("world.png").write_bytes(world._repr_png_())

# %% A run shows its progress and then its last frame.
result = tf.run(scene, out="flag", progress=True)
result  # noqa: B018
Path("result.png").write_bytes(result._repr_png_())

# %% Its numbers are arrays.
kinetic = result.metrics["kinetic_energy"]
print(f"{len(result)} frames, at most {kinetic.max():.3f} J")
