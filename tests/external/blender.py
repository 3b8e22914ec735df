"""Imports what was exported into Blender and compares the shapes of its objects with the frames of the run.

Usage: blender.py FOLDER, with the run of one cloth `sheet` and one obstacle, and its `glb` and `usda` files
"""

import pathlib
import sys

import numpy as np

try:
    import bpy
except ImportError:
    print("Blender's package is for Python 3.11 alone")
    sys.exit()


def read_obj(path):
    """The positions in a file, turned as Blender turns them: its z axis is up."""
    lines = [line.split() for line in path.read_text().splitlines() if line.startswith("v ")]
    x, y, z = np.array([[float(word) for word in line[1:4]] for line in lines]).T
    return np.stack([x, -z, y], axis=-1)


def visible(frame):
    """Names and positions in space of the meshes that are there in a frame: those that are not have no size, or are hidden."""
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    shapes = {}
    for item in (item for item in bpy.data.objects if item.type == "MESH"):
        evaluated = item.evaluated_get(graph)
        place = np.array(evaluated.matrix_world)
        if abs(np.linalg.det(place[:3, :3])) < 1e-9:
            continue
        x = np.array([vertex.co[:] for vertex in evaluated.to_mesh().vertices])
        shapes[item.name] = x @ place[:3, :3].T + place[:3, 3]
    return shapes


def check(importer, path, frames):
    """Every frame has the cloth once, where it was; the order of vertices may be another one."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 30
    assert importer(filepath=str(path)) == {"FINISHED"}, path
    for number, file in enumerate(frames):
        truth = read_obj(file)
        sheets = [x for name, x in visible(number).items() if name.startswith("sheet")]
        assert len(sheets) == 1, f"{path}, frame {number}: {len(sheets)} sheets"
        far = np.abs(sheets[0][:, None] - truth[None]).max(-1)
        assert max(far.min(0).max(), far.min(1).max()) < 1e-6, f"{path}, frame {number}"


def main():
    root = pathlib.Path(sys.argv[1])
    frames = sorted((root / "frames").glob("sheet_*.obj"))
    check(bpy.ops.import_scene.gltf, root / "scene.glb", frames)
    check(bpy.ops.wm.usd_import, root / "sheet.usda", frames)
    print(f"{len(frames)} frames in Blender {bpy.app.version_string}")


main()
