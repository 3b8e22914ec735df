"""Shows a cloth in polyscope while it swings, colored by its strain.

    python polyscope_view.py           a window; space pauses
    python polyscope_view.py --hidden  pictures only, also where there is no display

A mesh that is remeshed is registered again; as long as the topology version stays, only the positions are updated.
"""

import os
import sys

import polyscope as ps
import taffeta as tf

FRAMES = 20

scene = tf.Scene(
    {
        "simulation": {"duration": 2.0, "accuracy": "draft"},
        "cloth": [
            {
                "name": "sheet",
                "grid": {"size": [1.0, 1.0], "cells": [8, 8], "pattern": "alternating"},
                "material": "cotton",
                "place": {"rotate_deg": [-90, 0, 0]},
                "pin": [{"where": {"material_box": [[0.0, 0.9], [1.0, 1.0]]}}],
                "remesh": {"size_max": 0.2, "refine_error": 0.01},
            }
        ],
    }
)
world = scene.build()
sheet = world.cloths["sheet"]
version = None


def show() -> None:
    """Brings the mesh in polyscope to that of the world."""
    global version
    if sheet.topology_version != version:
        version = sheet.topology_version
        ps.register_surface_mesh("sheet", sheet.positions, sheet.faces, smooth_shade=True)
    mesh = ps.get_surface_mesh("sheet")
    mesh.update_vertex_positions(sheet.positions)
    mesh.add_scalar_quantity("strain", sheet.strains, defined_on="faces", enabled=True)


def advance() -> None:
    """Makes a step and shows it: what polyscope calls for every picture."""
    world.step(1 / 60)
    show()


is_hidden = "--hidden" in sys.argv or not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
ps.set_verbosity(0)
ps.set_allow_headless_backends(True)
try:
    ps.init()
except RuntimeError:
    # Neither a display nor EGL: everything is executed but the drawing itself.
    ps.init("openGL_mock")
show()
if is_hidden:
    for _ in range(FRAMES):
        advance()
    ps.screenshot("sheet.png")
    print(f"{world.time:.3f} s, {sheet.vertex_count} vertices: sheet.png")
else:
    ps.set_user_callback(advance)
    ps.show()
