"""Reads the files of a result folder with the readers of other programs and compares them with its OBJ frames and tables.

Usage: formats.py FOLDER

Positions and material coordinates are those of the OBJ files; velocities those of the probes, strains those of
metrics.csv, curvatures computed anew. Formats with 64 bits must agree to 1e-12, those with 32 bits to 1e-6.
"""

import csv
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

import numpy as np
import pygltflib
import trimesh
from plyfile import PlyData
from pxr import Usd, UsdGeom
from cvista.util.numpy_support import vtk_to_numpy
from cvista.vtkIOXML import vtkXMLPolyDataReader

FINE, COARSE = 1e-12, 1e-6
JUMPS = ("strain_jump", "curvature_jump")


def same(found, expected, tolerance, what):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{what}: shape {found.shape}, but {expected.shape} is expected"
    if expected.size:
        error = np.abs(found.astype(float) - expected.astype(float)) / np.maximum(1.0, np.abs(expected))
        assert error.max() <= tolerance, f"{what}: off by {error.max()}"


def read_obj(path):
    """Positions, faces and the material coordinates of their corners; faces are None for a polyline."""
    v, vt, f, corners, is_line = [], [], [], [], False
    for line in path.read_text().splitlines():
        key, *words = line.split()
        if key == "v":
            v.append([float(w) for w in words])
        elif key == "vt":
            vt.append([float(w) for w in words])
        elif key == "f":
            pairs = [w.split("/") for w in words]
            f.append([int(p[0]) - 1 for p in pairs])
            if len(pairs[0]) > 1:
                corners.append([vt[int(p[1]) - 1] for p in pairs])
        elif key == "l":
            is_line = True
            assert words == [str(k + 1) for k in range(len(v))]
    return np.array(v), None if is_line else np.array(f), np.array(corners) if corners else None


def mean_curvatures(x, faces):
    """Per face the angles of its edges times their lengths over four areas, positive where it bends away from its normal."""
    n = np.cross(x[faces[:, 1]] - x[faces[:, 0]], x[faces[:, 2]] - x[faces[:, 0]])
    area = np.linalg.norm(n, axis=1) / 2
    n = n / (2 * area[:, None])
    left = {(a, b): f for f, face in enumerate(faces) for a, b in zip(face, np.roll(face, -1))}
    total = np.zeros(len(faces))
    for (a, b), f in left.items():
        g = left.get((b, a))
        if g is not None:
            edge = x[b] - x[a]
            length = np.linalg.norm(edge)
            angle = np.arctan2(np.dot(np.cross(n[f], n[g]), edge / length), np.dot(n[f], n[g]))
            total[f] += angle * length
    return total / (4 * area)


def value_at(point, material, faces, values):
    """The value of a vertex field at a material point."""
    for face, (a, b, c) in zip(faces, material):
        doubled = np.linalg.det([b - a, c - a])
        v = np.linalg.det([point - a, c - a]) / doubled
        w = np.linalg.det([b - a, point - a]) / doubled
        if min(v, w, 1 - v - w) > -1e-9:
            return (1 - v - w) * values[face[0]] + v * values[face[1]] + w * values[face[2]]
    raise AssertionError(f"{point} lies in no face")


def check_npz(path, number, time, obj):
    x, faces, material = obj
    arrays = np.load(path, allow_pickle=False)
    assert arrays["frame"].shape == arrays["time"].shape == () and (arrays["frame"], arrays["time"]) == (number, time)
    same(arrays["positions"], x, 0, f"{path}: positions")
    assert arrays["positions"].dtype == np.float64 and arrays["faces"].dtype == np.int32
    assert arrays["velocities"].shape == x.shape
    if faces is None:
        assert arrays["faces"].shape == (0, 3) and set(arrays) == {"frame", "time", "positions", "velocities", "faces", "edges"}
        assert arrays["edges"].tolist() == [[k, k + 1] for k in range(len(x) - 1)]
        return dict(arrays)
    same(arrays["faces"], faces, 0, f"{path}: faces")
    same(arrays["curvature"], mean_curvatures(x, faces), 1e-9, f"{path}: curvature")
    for key in JUMPS:
        assert arrays[key].shape == faces.shape[:1] and (arrays[key] >= 0).all()
    assert arrays["sizing"].shape == x.shape[:1] and arrays["strain"].shape == faces.shape[:1]
    if material is None:
        assert "material" not in arrays and "vertex_material" not in arrays
    else:
        same(arrays["material"], material, 0, f"{path}: material")
        same(arrays["vertex_material"][faces], material, 0, f"{path}: vertex_material")
    return dict(arrays)


def check_ply(path, truth):
    ply = PlyData.read(path)
    assert ply.comments[1:] == [f"frame {truth['frame']}", f"time {float(truth['time'])!r}"]
    assert ply.byte_order == "<" and not ply.text
    vertex = ply["vertex"]
    same(np.stack([vertex[k] for k in "xyz"], 1), truth["positions"], 0, f"{path}: positions")
    same(np.stack([vertex[k] for k in ("vx", "vy", "vz")], 1), truth["velocities"], 0, f"{path}: velocities")
    if "edges" in truth:
        edge = ply["edge"]
        return same(np.stack([edge["vertex1"], edge["vertex2"]], 1), truth["edges"], 0, f"{path}: edges")
    face = ply["face"]
    same(np.vstack(face["vertex_indices"]), truth["faces"], 0, f"{path}: faces")
    same(vertex["size"], truth["sizing"], 0, f"{path}: size")
    same(face["strain"], truth["strain"], 0, f"{path}: strain")
    for key in ("curvature", *JUMPS):
        same(face[key], truth[key], 0, f"{path}: {key}")
    same("material" in truth, any(p.name == "texcoord" for p in face.properties), 0, f"{path}: texcoord")
    if "material" in truth:
        same(np.vstack(face["texcoord"]).reshape(-1, 3, 2), truth["material"], 0, f"{path}: texcoord")


def check_vtp(path, truth):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    data = reader.GetOutput()
    same(vtk_to_numpy(data.GetPoints().GetData()), truth["positions"], 0, f"{path}: positions")
    point = lambda name: vtk_to_numpy(data.GetPointData().GetArray(name))
    cell = lambda name: vtk_to_numpy(data.GetCellData().GetArray(name))
    same(point("velocity"), truth["velocities"], 0, f"{path}: velocity")
    if "edges" in truth:
        line = vtk_to_numpy(data.GetLines().GetConnectivityArray())
        assert data.GetNumberOfCells() == 1
        return same(line, np.arange(len(truth["positions"])), 0, f"{path}: lines")
    cells = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    same(cells, truth["faces"], 0, f"{path}: faces")
    assert data.GetNumberOfCells() == len(truth["faces"])
    same(point("size"), truth["sizing"], 0, f"{path}: size")
    same(cell("strain"), truth["strain"], 0, f"{path}: strain")
    for key in ("curvature", *JUMPS):
        same(cell(key), truth[key], 0, f"{path}: {key}")
    if "material" in truth:
        same(cell("material").reshape(-1, 3, 2), truth["material"], 0, f"{path}: material")


def check_pvd(root, bodies, rate):
    entries = xml.parse(root / "scene.pvd").getroot().findall("./Collection/DataSet")
    found = [(float(e.get("timestep")), e.get("name"), e.get("file")) for e in entries]
    expected = [(n / rate, name, f"frames/{name}_{n:05}.vtp") for name, frames in bodies.items() for n in frames]
    assert sorted(found) == sorted(expected) and [t for t, *_ in found] == sorted(t for t, *_ in found)


def check_usda(path, name, frames, rate):
    stage = Usd.Stage.Open(str(path))
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert stage.GetTimeCodesPerSecond() == rate
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (min(frames), max(frames))
    prim = stage.GetDefaultPrim()
    assert prim.GetName() == name.replace("-", "_")
    is_curve = "edges" in next(iter(frames.values()))
    mesh = UsdGeom.BasisCurves(prim) if is_curve else UsdGeom.Mesh(prim)
    assert mesh and list(mesh.GetPointsAttr().GetTimeSamples()) == sorted(frames)
    primvars = UsdGeom.PrimvarsAPI(prim)
    for number, truth in frames.items():
        where = f"{path}, frame {number}"
        same(mesh.GetPointsAttr().Get(number), truth["positions"], COARSE, f"{where}: points")
        same(mesh.GetVelocitiesAttr().Get(number), truth["velocities"], COARSE, f"{where}: velocities")
        low, high = mesh.GetExtentAttr().Get(number)
        same([low, high], [truth["positions"].min(0), truth["positions"].max(0)], COARSE, f"{where}: extent")
        if is_curve:
            assert list(mesh.GetCurveVertexCountsAttr().Get(number)) == [len(truth["positions"])]
            continue
        assert mesh.GetSubdivisionSchemeAttr().Get() == "none"
        counts = np.array(mesh.GetFaceVertexCountsAttr().Get(number))
        assert (counts == 3).all()
        indices = np.array(mesh.GetFaceVertexIndicesAttr().Get(number)).reshape(-1, 3)
        same(indices, truth["faces"], 0, f"{where}: faces")
        assert UsdGeom.Mesh.ValidateTopology(mesh.GetFaceVertexIndicesAttr().Get(number),
                                             mesh.GetFaceVertexCountsAttr().Get(number), len(truth["positions"]))[0]
        for key, field, interpolation in [("size", "sizing", "vertex"), ("strain", "strain", "uniform"),
                                          *((key, key, "uniform") for key in ("curvature", *JUMPS))]:
            primvar = primvars.GetPrimvar(key)
            assert primvar.GetInterpolation() == interpolation
            same(primvar.Get(number), truth[field], COARSE, f"{where}: {key}")
        if "material" in truth:
            st = primvars.GetPrimvar("st")
            assert st.GetInterpolation() == "faceVarying"
            same(np.array(st.Get(number)).reshape(-1, 3, 2), truth["material"], COARSE, f"{where}: st")


def animations_and_curves(path):
    """Of animated nodes the times and values of steps and moves, and the curves by name; read by pygltflib."""
    gltf = pygltflib.GLTF2().load(str(path))
    blob = gltf.binary_blob()

    def numbers(index):
        accessor = gltf.accessors[index]
        view = gltf.bufferViews[accessor.bufferView]
        assert accessor.componentType == pygltflib.FLOAT
        return np.frombuffer(blob[view.byteOffset:view.byteOffset + view.byteLength], "<f4")

    steps, moves = {}, {}
    for channel in gltf.animations[0].channels if gltf.animations else []:
        sampler = gltf.animations[0].samplers[channel.sampler]
        node = gltf.nodes[channel.target.node].name
        values = numbers(sampler.output).reshape(len(numbers(sampler.input)), -1)
        if channel.target.path == "scale":
            assert sampler.interpolation == "STEP"
            steps[node] = (numbers(sampler.input), values[:, 0])
        else:
            moves.setdefault(node, {})[channel.target.path] = (numbers(sampler.input), values)
    curves = {}
    for mesh in gltf.meshes:
        primitive = mesh.primitives[0]
        if primitive.mode == pygltflib.LINE_STRIP:
            velocity = getattr(primitive.attributes, "_VELOCITY")
            curves[mesh.name] = [numbers(k).reshape(-1, 3) for k in (primitive.attributes.POSITION, velocity)]
    return steps, moves, curves


def check_glb(path, bodies, rate):
    scene = trimesh.load(str(path), process=False)
    steps, moves, curves = animations_and_curves(path)
    names = {f"{name}_{number:05}": (name, number) for name, frames in bodies.items() for number in frames}
    found = set(scene.geometry) | set(curves)
    assert set(names) <= found, set(names) ^ found
    for key, (name, number) in names.items():
        truth, where = bodies[name][number], f"{path}, {key}"
        if "edges" in truth:
            same(curves[key][0], truth["positions"], COARSE, f"{where}: positions")
            same(curves[key][1], truth["velocities"], COARSE, f"{where}: velocities")
        else:
            mesh = scene.geometry[key]
            corners = lambda values: np.asarray(values)[mesh.faces]
            same(corners(mesh.vertices), truth["positions"][truth["faces"]], COARSE, f"{where}: positions")
            extra = mesh.vertex_attributes
            same(corners(extra["_VELOCITY"]), truth["velocities"][truth["faces"]], COARSE, f"{where}: velocities")
            same(corners(np.ravel(extra["_SIZE"])), truth["sizing"][truth["faces"]], COARSE, f"{where}: sizes")
            if "material" in truth:
                # trimesh turns v around, as glTF has the origin of pictures above and it has it below.
                uv = np.asarray(mesh.visual.uv) * [1, -1] + [0, 1]
                same(corners(uv), truth["material"], COARSE, f"{where}: uv")
        if len(bodies[name]) > 1:
            times, scales = steps[key]
            for other in bodies[name]:
                place = np.searchsorted(times, np.float32(other / rate), side="right") - 1
                shown = scales[max(place, 0)]
                assert shown == (1 if other == number else 0), f"{where} has the scale {shown} in frame {other}"
    return scene, moves


def check_obstacles(root, scene, moves, rate):
    """The ball of the scene moves as its keyframes say, in both files."""
    obstacles = json.loads((root / "scene.json").read_text())["obstacle"]
    stage = Usd.Stage.Open(str(root / "scene.obstacles.usda"))
    for number, obstacle in enumerate(obstacles):
        key = obstacle.get("name", f"obstacle.{number}")
        prim = stage.GetPrimAtPath("/obstacles/" + re.sub(r"\W", "_", key))
        points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(0))
        same(points, scene.geometry[key].vertices, COARSE, f"{key}: points")
        if "sphere" in obstacle["shape"]:
            radius = obstacle["shape"]["sphere"]["radius"] * obstacle["place"]["scale"]
            distance = np.linalg.norm(points - obstacle["place"]["translate"], axis=1)
            same(distance, np.full(len(points), radius), COARSE, f"{key}: radius")
        if obstacle.get("motion"):
            start, end = obstacle["motion"]
            times, shifts = moves[key]["translation"]
            velocity = (np.array(end["translate"]) - start["translate"]) / (end["t"] - start["t"])
            same(shifts, np.outer(times, velocity), COARSE, f"{key}: translation")
            for time, shift in zip(times, shifts):
                matrix = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(float(round(time * rate)))
                same(matrix.ExtractTranslation(), shift, COARSE, f"{key}: transform")
        else:
            assert key not in moves


def check_tables(root, bodies, scene):
    for row in csv.DictReader((root / "metrics.csv").open()):
        frames = [frames[int(row["frame"])] for frames in bodies.values()]
        assert sum(len(f["positions"]) for f in frames) == int(row["vertices"])
        assert sum(len(f["faces"]) for f in frames) == int(row["faces"])
        strain = max(np.abs(f["strain"]).max() for f in frames if "strain" in f)
        same(strain, float(row["max_strain"]), FINE, f"frame {row['frame']}: strain")
    count = 0
    cloths = {probe["name"]: probe for probe in scene["probe"] if "cloth" in probe}
    for row in csv.DictReader((root / "probes.csv").open()):
        probe = cloths[row["name"]]
        frame = bodies[probe["cloth"]][int(row["frame"])]
        for field, keys in [("positions", ("x", "y", "z")), ("velocities", ("vx", "vy", "vz"))]:
            found = value_at(np.array(probe["material"]), frame["material"], frame["faces"], frame[field])
            same(found, [float(row[k]) for k in keys], 1e-9, f"probe {row['name']}, frame {row['frame']}: {field}")
        count += 1
    return count


def main():
    root = pathlib.Path(sys.argv[1])
    scene = json.loads((root / "scene.json").read_text())
    rate = scene["simulation"]["frame_rate"]
    times = {int(row["frame"]): float(row["time"]) for row in csv.DictReader((root / "metrics.csv").open())}
    bodies = {}
    for path in sorted((root / "frames").glob("*.obj")):
        name, number = re.fullmatch(r"(.*)_(\d{5,})", path.stem).groups()
        truth = check_npz(path.with_suffix(".npz"), int(number), times[int(number)], read_obj(path))
        check_ply(path.with_suffix(".ply"), truth)
        check_vtp(path.with_suffix(".vtp"), truth)
        bodies.setdefault(name, {})[int(number)] = truth
    check_pvd(root, bodies, rate)
    for name, frames in bodies.items():
        check_usda(root / f"{name}.usda", name, frames, rate)
    glb, moves = check_glb(root / "scene.glb", bodies, rate)
    if scene["obstacle"]:
        check_obstacles(root, glb, moves, rate)
    probes = check_tables(root, bodies, scene)
    remeshed = {name: frames for name, frames in bodies.items()
                if any(c["name"] == name and "remesh" in c for c in scene["cloth"])}
    for name, frames in remeshed.items():
        counts = {len(f["positions"]) for f in frames.values()}
        remesh = next(c["remesh"] for c in scene["cloth"] if c["name"] == name)
        last = frames[max(frames)]["sizing"]
        assert len(counts) > 1, f"the mesh of {name} never changed"
        assert remesh["size_min"] * (1 - FINE) <= last.min() and last.max() <= remesh["size_max"] * (1 + FINE)
        print(f"{name}: {min(counts)} to {max(counts)} vertices")
    frames = sum(len(f) for f in bodies.values())
    print(f"{frames} frames of {len(bodies)} bodies and {probes} rows of probes agree in all formats")


if __name__ == "__main__":
    main()
