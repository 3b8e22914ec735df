"""Data sets: recipes, trajectories, formats as strangers read them, resumption, refusals."""

import hashlib
import json
import math
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import taffeta as tf

pytest.importorskip("fsspec")
from taffeta.dataset import FIELDS, NodeType, Plan, Store, load, make_trajectory, sets, simulate
from taffeta.dataset.__main__ import main
from taffeta.dataset._needs import MachineError
from taffeta.dataset.engine import Inline
from taffeta.dataset.formats.mgn import example, framed

# A flag that is made in a moment, and is remeshed.
SMALL = ["--frames", "3", "--set", "cloth.0.remesh.refine_error=0.02", "--set", "cloth.0.grid.cells=[4,3]", "--quiet"]


def make(out: Path | str, *arguments: str, recipe: str = "flag", trajectories: int = 3, workers: int = 0) -> int:
    given = ["--trajectories", str(trajectories), "--out", str(out), "--workers", str(workers)]
    return main([recipe, *given, *SMALL, *arguments])


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def small_flag(**changes: Any) -> Any:
    return load("flag", {"cloth.0.remesh.refine_error": 0.02, "cloth.0.grid.cells": [4, 3], **changes})


# Recipes


def test_a_draw_follows_from_recipe_seed_and_number() -> None:
    recipe = load("flag")
    first = recipe.draw(0, 5)
    assert first == load("flag").draw(0, 5) == pickle.loads(pickle.dumps(recipe)).draw(0, 5)
    assert first != recipe.draw(0, 6) and first != recipe.draw(1, 5)
    # A range that is fixed changes no other draw.
    fixed = load("flag", {"air.wind.0": 4.0}).draw(0, 5)
    assert fixed["air.wind"] == [4.0, *first["air.wind"][1:]]


def test_draws_fill_their_ranges(tmp_path: Path) -> None:
    (tmp_path / "scene.toml").write_text(
        '[simulation]\nduration = 1.0\n[air]\nwind = [{uniform = [-2, 6]}, {log_uniform = [0.01, 100]}, {choice = [1, {uniform = [5, 6]}]}]\n'
        '[[cloth]]\ngrid = {size = [1, 1], cells = [2, 2]}\n'
    )
    recipe = load(str(tmp_path / "scene.toml"))
    winds = np.array([recipe.draw(0, index)["air.wind"] for index in range(400)])
    assert -2 <= winds[:, 0].min() < -1.8 and 5.8 < winds[:, 0].max() <= 6 and abs(winds[:, 0].mean() - 2) < 0.4
    logs = np.log10(winds[:, 1])
    assert -2 <= logs.min() < -1.9 and 1.9 < logs.max() <= 2 and abs(logs.mean()) < 0.2
    ones = winds[:, 2] == 1
    assert 140 < ones.sum() < 260 and ((winds[~ones, 2] >= 5) & (winds[~ones, 2] <= 6)).all()


@pytest.mark.parametrize("name", ["flag", "sphere", "drape", "garment"])
def test_recipes_draw_good_scenes(name: str) -> None:
    recipe = load(name)
    scenes = [recipe.draw(3, index) for index in range(20)]
    assert len({scene.hash() for scene in scenes}) == 20 and recipe.frames is not None
    assert scenes[0].build(threads=1).count_crossings() in (0, None)


def test_a_recipe_is_the_same_in_any_folder(tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b" / "c"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "mesh.obj").write_text("v 0 0 0\nvt 0 0\nv 1 0 0\nvt 1 0\nv 0 1 0\nvt 0 1\nf 1/1 2/2 3/3\n")
        (folder / "scene.toml").write_text('[simulation]\nduration = 1\n[[cloth]]\nmesh = "mesh.obj"\n')
    hashes = [load(str(folder / "scene.toml")).hash() for folder in folders]
    assert hashes[0] == hashes[1]
    (folders[1] / "mesh.obj").write_text("v 0 0 0\nvt 0 0\nv 2 0 0\nvt 2 0\nv 0 1 0\nvt 0 1\nf 1/1 2/2 3/3\n")
    assert load(str(folders[1] / "scene.toml")).hash() != hashes[0]


TRIANGLE = "v 0 0 0\nvt 0 0\nv {0} 0 0\nvt {0} 0\nv 0 1 0\nvt 0 1\nf 1/1 2/2 3/3\n"


def mesh_recipe(folder: Path, mesh: str, more: str = "") -> str:
    """Writes a recipe whose cloth is a mesh, or a choice of meshes."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scene.toml").write_text(f"[simulation]\nduration = 0.1\n[[cloth]]\nmesh = {mesh}\n{more}")
    return str(folder / "scene.toml")


@pytest.mark.parametrize(
    ("mesh", "more", "changed"),
    [
        ('{ choice = ["a0.obj", { choice = ["b0.obj", "c0.obj"] }] }', "", "c0.obj"),
        ('"a0.obj"', '[[obstacle]]\nshape = { frames = "body_%02d.obj", frame_rate = 10.0 }\n', "body_02.obj"),
        ('"a0.obj"', '[[obstacle]]\nshape = { choice = [{ mesh = "b0.obj" }, { mesh = "c0.obj" }] }\n', "c0.obj"),
    ],
)
def test_every_file_that_may_be_drawn_is_part_of_a_set(
    mesh: str, more: str, changed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = mesh_recipe(tmp_path / "recipe", mesh, more)
    for name in ("a0", "b0", "c0", "body_01", "body_02"):
        (tmp_path / "recipe" / f"{name}.obj").write_text(TRIANGLE.format(1))
    given = ["--trajectories", "1", "--frames", "1", "--out", str(tmp_path / "set"), "--workers", "0", "--quiet"]
    assert main([recipe, *given]) == 0
    (tmp_path / "recipe" / changed).write_text(TRIANGLE.format(2))
    assert main([recipe, *given]) == 2 and "holds another set (recipe" in capsys.readouterr().err


def test_sets_are_alike_on_machines_that_have_the_files_elsewhere(tmp_path: Path) -> None:
    found = []
    for home in (tmp_path / "one", tmp_path / "another" / "home"):
        (home / "data").mkdir(parents=True)
        for name, size in (("a.obj", 1), ("b.obj", 2), ("body_1.obj", 1), ("body_2.obj", 1)):
            (home / "data" / name).write_text(TRIANGLE.format(size))
        # Without faces: failures of it name the file.
        (home / "data" / "bad.obj").write_text("v 0 0 0\n")
        body = f"[[obstacle]]\nshape = {{ frames = '{home}/data/body_%d.obj', frame_rate = 10.0 }}\nplace = {{ translate = [0, 0, 3] }}\n"
        recipe = mesh_recipe(home / "recipe", f"{{ choice = ['../data/a.obj', '{home}/data/b.obj', '{home}/data/bad.obj'] }}", body)
        given = ["--trajectories", "12", "--frames", "1", "--out", str(home / "set"), "--workers", "0", "--quiet"]
        assert main([recipe, *given]) == 1
        found.append(files_of(home / "set"))
    # Named by its content.
    content = hashlib.sha256((tmp_path / "one" / "data" / "bad.obj").read_bytes()).hexdigest()
    name = f"elsewhere/{content[:12]}/bad.obj: the file has no faces"
    assert found[0] == found[1] and name.encode() in found[0]["manifest.jsonl"]
    assert str(tmp_path).encode() not in b"".join(found[0].values())


def test_garments_of_a_folder_leave_no_trace_of_it(tmp_path: Path) -> None:
    found = []
    for home in (tmp_path / "one", tmp_path / "another" / "home"):
        home.mkdir(parents=True)
        (home / "mesh.obj").write_text(TRIANGLE.format(1))
        (home / "one.toml").write_text('name = "one"\nmesh = "mesh.obj"\nplace = {translate = [0, 3, 0]}\n')
        given = ["--trajectories", "1", "--frames", "1", "--panels", str(home), "--out", str(home / "set"), "--workers", "0", "--quiet"]
        assert main(["garment", *given]) == 0
        found.append(files_of(home / "set"))
    assert found[0] == found[1] and str(tmp_path).encode() not in b"".join(found[0].values())


def test_folders_may_have_brackets_in_their_names(tmp_path: Path) -> None:
    folder = tmp_path / "a[1]"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts" / "square.toml").write_text('grid = {size = [0.2, 0.2], cells = [2, 2]}\n')
    (folder / "scene.toml").write_text('[simulation]\nduration = 0.1\n[[cloth]]\nfile = "parts/*.toml"\n')
    for out in (str(folder / "set"), "memory://b[1]/set"):
        given = ["--trajectories", "2", "--frames", "1", "--format", "mgn", "--out", out, "--workers", "0", "--quiet"]
        assert main([str(folder / "scene.toml"), *given]) == 0
    store = Store("memory://b[1]/set")
    assert {name: store.read(name) for name in files_of(folder / "set")} == files_of(folder / "set")
    assert not store.exists(".partial")
    assert load("garment", panels=str(folder / "parts")).draw(0, 0)["cloth.0.grid.cells"] == [2, 2]


def test_records_name_files_as_the_recipe_does(tmp_path: Path) -> None:
    # The folder of the package is another one on other machines.
    assert main(["garment", "--trajectories", "2", "--frames", "1", "--out", str(tmp_path), "--workers", "0", "--quiet"]) == 0
    tables = [json.loads(path.read_text())["scene"] for path in sorted((tmp_path / "records").iterdir())]
    assert {table["cloth"][0]["mesh"] for table in tables} <= {"panels/tunic.obj", "panels/skirt.obj"}
    recipe = load("garment")
    for index, table in enumerate(tables):
        assert tf.Scene(table, base=recipe.folder).hash() == recipe.draw(0, index).hash()
    assert str(recipe.folder) not in "".join(str(content) for content in files_of(tmp_path).values())


def test_garments_come_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "square.toml").write_text(
        'name = "square"\ngrid = {size = [0.2, 0.2], cells = [2, 2]}\nplace = {translate = [0, 3, 0]}\n'
    )
    scene = load("garment", panels=str(tmp_path)).draw(0, 0)
    assert scene["cloth.0.name"] == "square"


# Trajectories


def test_every_field_of_every_frame_is_that_of_the_simulation() -> None:
    scene = small_flag().draw(0, 1)
    found = simulate(scene, 4)
    world, dt = scene.build(threads=1), scene.frame_time
    flag = world.cloths["flag"]
    counts = set()
    for frame in found.frames:
        expected = {
            "cells": flag.faces, "cell_mesh_pos": flag.material, "mesh_pos": flag.vertex_material,
            "world_pos": flag.positions, "velocity": flag.velocities,
        }  # fmt: skip
        for name, array in expected.items():
            assert array is not None and np.array_equal(frame[name], array.astype(frame[name].dtype)), name
        held = np.isin(np.arange(flag.vertex_count), world.pins["pin 0"].vertices)
        assert held.any() and np.array_equal(frame["node_type"][:, 0] == NodeType.HANDLE, held)
        counts.add(flag.vertex_count)
        world.step(dt)
        assert np.array_equal(frame["sizing_field"], flag.asked_sizing.astype("f4"))
    assert len(counts) > 1 and found.crossings.tolist() == [0] * 5


def test_origins_lead_into_the_frame_before() -> None:
    trajectory = simulate(small_flag(**{"cloth.0.remesh.refine_error": 0.01}).draw(0, 1), 6)
    sizes = trajectory.counts("vertex")
    assert len(set(sizes)) > 2
    for number, frame in enumerate(trajectory.frames):
        before = trajectory.frames[max(0, number - 1)]
        corners = before["mesh_pos"][before["cells"][frame["origin_face"][:, 0]]]
        places = np.einsum("nk,nkd->nd", frame["origin_weights"], corners)
        assert np.abs(places - frame["mesh_pos"]).max() < 1e-5
        assert np.abs(frame["origin_weights"].sum(axis=1) - 1).max() < 1e-5 and frame["origin_weights"].min() >= 0


def test_the_sizing_is_what_the_next_mesh_meets() -> None:
    trajectory = simulate(small_flag(**{"cloth.0.remesh.refine_error": 0.01}).draw(0, 1), 8)
    meant = []
    for frame, after in zip(trajectory.frames, trajectory.frames[1:], strict=False):
        corners = frame["sizing_field"][frame["cells"][after["origin_face"][:, 0]]]
        m = np.einsum("nk,nkd->nd", after["origin_weights"], corners)
        edges = np.concatenate([after["cells"][:, [0, 1]], after["cells"][:, [1, 2]], after["cells"][:, [2, 0]]])
        u = after["mesh_pos"][edges[:, 1]] - after["mesh_pos"][edges[:, 0]]
        m = 0.5 * (m[edges[:, 0]] + m[edges[:, 1]])
        meant.append(np.sqrt(m[:, 0] * u[:, 0] ** 2 + 2 * m[:, 1] * u[:, 0] * u[:, 1] + m[:, 2] * u[:, 1] ** 2))
    sizes = np.concatenate(meant)
    # Splits begin above 1; interpolation between vertices loses a little.
    assert np.quantile(sizes, 0.99) < 1.1 and 0.4 < np.median(sizes) < 1


def test_obstacles_are_vertices() -> None:
    scene = load("sphere").draw(0, 0)
    trajectory = simulate(scene, 2)
    ball = scene.build(threads=1).obstacles["ball"]
    frame = trajectory.frames[0]
    is_ball = frame["node_type"][:, 0] == NodeType.OBSTACLE
    distances = np.linalg.norm(frame["world_pos"][is_ball] - np.array(ball.pose[0]), axis=1)
    radius = scene["obstacle.0.shape.sphere.radius"]
    assert np.allclose(distances, radius, rtol=1e-5) and is_ball[frame["cells"][-1]].all() and not is_ball[0]
    after = trajectory.frames[2]
    assert np.abs(after["velocity"][after["node_type"][:, 0] == NodeType.OBSTACLE]).max() > 0.01
    # Without planes: they have no end.
    kinds = simulate(load("drape", {"obstacle": [{"shape": {"plane": {}}}]}).draw(0, 0), 1).frames[0]["node_type"]
    assert not (kinds == NodeType.OBSTACLE).any()


def test_two_cloths_are_numbered_one_after_the_other(tmp_path: Path) -> None:
    cloth = '[[cloth]]\nname = "{}"\ngrid = {{size = [1, 1], cells = [4, 4]}}\nplace = {{translate = [0, 0, {}]}}\npin = [{{where = {{material_box = [[0, 0], [0, 1]]}}}}]\nremesh = {{refine_error = 0.01}}\n'
    (tmp_path / "scene.toml").write_text("[simulation]\nduration = 0.2\n" + cloth.format("a", 0) + cloth.format("b", 2))
    trajectory = simulate(load(str(tmp_path / "scene.toml")).draw(0, 0), 6)
    assert len(set(trajectory.counts("vertex"))) > 1
    for before, frame in zip(trajectory.frames, trajectory.frames[1:], strict=False):
        assert frame["cells"].max() == len(frame["world_pos"]) - 1
        second = frame["world_pos"][:, 2] > 1
        came_from = before["world_pos"][before["cells"][frame["origin_face"][:, 0], 0], 2] > 1
        assert np.array_equal(second, came_from) and (frame["node_type"][second] == NodeType.HANDLE).any()


# Sets


def test_sets_are_equal_for_any_number_of_workers_and_seeds_differ(tmp_path: Path) -> None:
    assert make(tmp_path / "a") == 0 and make(tmp_path / "b", workers=2) == 0
    first = files_of(tmp_path / "a")
    assert first == files_of(tmp_path / "b") and len(first) == 2 + 2 * 3
    assert make(tmp_path / "c", "--seed", "1") == 0
    name = "trajectories/000000.npz"
    assert files_of(tmp_path / "c")[name] != first[name]


def test_fewer_trajectories_than_there_are_do_not_shrink_a_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make(tmp_path / "set", trajectories=3) == 0
    before = files_of(tmp_path / "set")
    assert make(tmp_path / "set", trajectories=2) == 2
    assert "holds 3 trajectories, and 2 are wanted" in capsys.readouterr().err
    assert files_of(tmp_path / "set") == before


def test_a_record_counts_before_an_old_line_of_the_manifest(tmp_path: Path) -> None:
    assert make(tmp_path / "set", trajectories=2) == 0
    before = files_of(tmp_path / "set")
    manifest = tmp_path / "set" / "manifest.jsonl"
    manifest.write_text(manifest.read_text().replace('"done"', '"failed"', 1))
    (tmp_path / "set" / "records" / ".nfs0").write_bytes(b"")
    assert make(tmp_path / "set", trajectories=2) == 0
    (tmp_path / "set" / "records" / ".nfs0").unlink()
    assert files_of(tmp_path / "set") == before


def test_what_a_kill_has_left_of_the_first_file_is_no_other_set(tmp_path: Path) -> None:
    (tmp_path / "set" / ".partial").mkdir(parents=True)
    (tmp_path / "set" / ".partial" / "0-set.json").write_bytes(b"{")
    assert make(tmp_path / "set", trajectories=1) == 0
    assert not (tmp_path / "set" / ".partial").exists()


def test_a_set_is_continued_and_grows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert make(tmp_path / "whole", trajectories=4) == 0
    assert make(tmp_path / "part", trajectories=2) == 0
    time = (tmp_path / "part" / "trajectories" / "000001.npz").stat().st_mtime_ns
    (tmp_path / "part" / "trajectories" / "000000.npz").unlink()
    (tmp_path / "part" / "manifest.jsonl").unlink()
    assert make(tmp_path / "part", trajectories=4) == 0
    assert "4 of 4 trajectories are in" in (told := capsys.readouterr().out) and "3 of them made now" in told
    assert files_of(tmp_path / "part") == files_of(tmp_path / "whole")
    assert (tmp_path / "part" / "trajectories" / "000001.npz").stat().st_mtime_ns == time


def test_a_file_that_was_cut_is_made_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert make(tmp_path / "set") == 0
    before = files_of(tmp_path / "set")
    for name, size in (("000000", 0), ("000002", 100)):
        path = tmp_path / "set" / "trajectories" / f"{name}.npz"
        path.write_bytes(path.read_bytes()[:size])
    assert make(tmp_path / "set") == 0
    assert "2 of them made now" in capsys.readouterr().out and files_of(tmp_path / "set") == before


def test_a_trajectory_that_fails_is_told_of_and_the_others_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Some of these flags are larger than what numbers can tell apart.
    sizes = json.dumps({"choice": [1.0, 1e12]})
    assert make(tmp_path / "set", "--set", f"cloth.0.grid.size.0={sizes}", trajectories=6) == 1
    lines = [json.loads(line) for line in (tmp_path / "set" / "manifest.jsonl").read_text().splitlines()]
    failed = [line for line in lines if line["status"] == "failed"]
    assert 0 < len(failed) < 6 and all(line["reason"] for line in failed)
    told = capsys.readouterr()
    record = json.loads((tmp_path / "set" / "records" / f"{failed[0]['index']:06d}.json").read_text())
    assert record["scene"]["cloth"][0]["grid"]["size"][0] == 1e12
    assert failed[0]["reason"].splitlines()[0] in told.err and f"records/{failed[0]['index']:06d}.json" in told.err
    assert f"{6 - len(failed)} of 6 trajectories" in told.out


@pytest.mark.parametrize("error", [OSError("no device"), ImportError("no trimesh"), MemoryError(), ValueError("odd")])
def test_an_error_of_the_machine_is_no_failure(
    error: Exception, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_once(scene: tf.Scene, frames: int) -> Any:
        monkeypatch.undo()
        raise error

    assert make(tmp_path / "whole", trajectories=2) == 0
    monkeypatch.setattr(sets, "simulate", fail_once)
    assert make(tmp_path / "set", trajectories=2) == 1
    told = capsys.readouterr()
    assert "1 of 2 trajectories" in told.out and "lost: trajectory 0: " in told.err and type(error).__name__ in told.err
    assert "the same command tries it again" in told.err and not (tmp_path / "set" / "records" / "000000.json").exists()
    assert make(tmp_path / "set", trajectories=2) == 0 and files_of(tmp_path / "set") == files_of(tmp_path / "whole")


def test_an_internal_error_of_the_compiled_part_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        """As the compiled part raises it."""

    def panic(scene: tf.Scene, frames: int) -> Any:
        raise PanicException("index out of bounds")

    monkeypatch.setattr(sets, "simulate", panic)
    assert make(tmp_path / "set", trajectories=1) == 1
    record = json.loads((tmp_path / "set" / "manifest.jsonl").read_text())
    assert record["status"] == "failed" and record["reason"] == "PanicException: index out of bounds"


def test_a_file_that_a_machine_lacks_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "mesh.obj").write_text(TRIANGLE.format(1))
    recipe = load(mesh_recipe(tmp_path, '"mesh.obj"'))
    plan = Plan(recipe, 0, 1, "npz", Store(str(tmp_path / "set")))
    (tmp_path / "mesh.obj").unlink()
    with pytest.raises(MachineError, match=r"mesh\.obj cannot be read .* all machines need the files"):
        make_trajectory(plan, 0)
    (tmp_path / "mesh.obj").write_text(TRIANGLE.format(2))
    with pytest.raises(MachineError, match=r"mesh\.obj is not the file that the set was begun with"):
        make_trajectory(plan, 0)
    assert not (tmp_path / "set").exists()
    (tmp_path / "mesh.obj").write_text(TRIANGLE.format(1))
    assert make_trajectory(plan, 0).record["status"] == "done"


def test_a_file_that_vanishes_meanwhile_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mesh.obj").write_text(TRIANGLE.format(1))
    plan = Plan(load(mesh_recipe(tmp_path, '"mesh.obj"')), 0, 1, "npz", Store(str(tmp_path / "set")))

    def vanish(scene: tf.Scene, frames: int) -> Any:
        (tmp_path / "mesh.obj").unlink()
        return simulate(scene, frames)

    monkeypatch.setattr(sets, "simulate", vanish)
    with pytest.raises(MachineError, match=r"mesh\.obj cannot be read"):
        make_trajectory(plan, 0)
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("method", "error"),
    [
        ("cat_file", PermissionError("forbidden")),
        ("cat_file", RuntimeError("ClientError")),
        ("find", TimeoutError("too late")),
        ("exists", RuntimeError("ClientError")),
        ("pipe_file", FileNotFoundError("no bucket")),
        ("pipe_file", TimeoutError("too late")),
        ("pipe_file", RuntimeError("ClientError")),
    ],
)
def test_errors_of_a_store_say_what_to_do(
    error: Exception, method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = pytest.importorskip("fsspec.implementations.memory").MemoryFileSystem
    url = f"memory://{tmp_path.name}/set"
    assert make(url, trajectories=1) == 0

    def refuse(*arguments: Any, **options: Any) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(memory, method, refuse)
        assert make(url, trajectories=2) == 2
    told = capsys.readouterr().err
    assert f"{type(error).__name__}: {error}" in told and url in told and "look whether it is there" in told
    assert make(url, trajectories=2) == 0


def test_joined_files_are_replaced_when_they_are_whole(tmp_path: Path) -> None:
    for url in (f"memory://{tmp_path.name}", str(tmp_path / "set")):
        store = Store(url)
        for name, content in (("a", b"aa"), ("b", b"bb"), ("all", b"old")):
            store.write(name, content)
        with pytest.raises(tf.DatasetError, match=r"all cannot be written \(FileNotFoundError"):
            store.join("all", ["a", "c"])
        assert store.read("all") == b"old" and store.sizes(".partial") == {}
        store.join("all", ["a", "b"])
        assert store.read("all") == b"aabb" and store.sizes(".partial") == {}


def test_a_worker_of_another_version_makes_nothing(tmp_path: Path) -> None:
    plan = Plan(small_flag(), 0, 1, "npz", Store(str(tmp_path / "set")), version="9.9.9")
    with pytest.raises(tf.DatasetError, match=rf"a worker has taffeta {tf.__version__}, but the set is of 9\.9\.9"):
        make_trajectory(plan, 0)
    assert not (tmp_path / "set").exists()


def test_any_other_file_system_is_the_same_thing(tmp_path: Path) -> None:
    pytest.importorskip("plaid")
    # One that is neither local nor an object store for the program.
    (tmp_path / "there").mkdir()
    options = {"path": str(tmp_path / "there"), "target_protocol": "file"}
    plan = Plan(small_flag(), 0, 3, "plaid", Store("dir://set", options))
    for _ in range(2):
        sets.make_set(plan, 2, Inline(), lambda summary, record: None)
        assert make(tmp_path / "set", "--format", "plaid", trajectories=2) == 0
        assert files_of(tmp_path / "there" / "set") == files_of(tmp_path / "set")
        # The second time one sample is damaged.
        next((tmp_path / "there" / "set").rglob("mesh*.cgns")).unlink()
    assert sets.make_set(plan, 2, Inline(), lambda summary, record: None).made == 1


def test_a_file_system_in_memory_is_the_same_thing(tmp_path: Path) -> None:
    assert make("memory://sets/flag") == 0 and make(tmp_path / "set") == 0
    store = Store("memory://sets/flag")
    found = {name: store.read(name) for name in files_of(tmp_path / "set")}
    assert found == files_of(tmp_path / "set") and not store.exists(".partial")


def test_an_object_store_is_the_same_thing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server, s3fs = pytest.importorskip("moto.server"), pytest.importorskip("s3fs")
    store = server.ThreadedMotoServer(port=0, verbose=False)
    store.start()
    try:
        host, port = store.get_host_and_port()
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        assert make("s3://nowhere/set") == 2 and "s3://nowhere/set" in capsys.readouterr().err
        s3fs.S3FileSystem(skip_instance_cache=True).mkdir("sets")
        assert make("s3://sets/flag", "--format", "mgn", trajectories=2, workers=2) == 0
        assert make("s3://sets/flag", "--format", "mgn", trajectories=4, workers=2) == 0
        assert "4 of 4 trajectories are in s3://sets/flag, 2 of them made now" in capsys.readouterr().out
        assert make(tmp_path / "set", "--format", "mgn", trajectories=4) == 0
        files = s3fs.S3FileSystem(skip_instance_cache=True)
        found = {name.removeprefix("sets/flag/"): files.cat_file(name) for name in files.find("sets/flag")}
        assert found == files_of(tmp_path / "set")
        with pytest.raises(tf.DatasetError, match="train.tfrecord cannot be written"):
            Store("s3://sets/flag").join("train.tfrecord", ["trajectories/000000.tfrecord", "trajectories/none.tfrecord"])
        assert {name.removeprefix("sets/flag/"): files.cat_file(name) for name in files.find("sets/flag")} == found
        assert make("s3://sets/flag", "--seed", "1") == 2 and "holds another set" in capsys.readouterr().err
    finally:
        store.stop()


def test_the_preview_is_a_sheet_of_trajectories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = pytest.importorskip("PIL.Image")
    given = ["--trajectories", "3", "--preview", str(tmp_path / "sheet.png"), "--workers", "0", *SMALL]
    assert main(["flag", *given]) == 0
    sheet = np.asarray(image.open(tmp_path / "sheet.png"))
    strips = [sheet[row : row + 196, column : column + 720] for row in (0, 196) for column in (0, 736)]
    assert sheet.shape == (2 * 196, 2 * 736, 3) and all((strip[16:] < 200).any() for strip in strips[:3])
    assert (strips[3] == 255).all() and not np.array_equal(strips[0][16:], strips[1][16:])
    assert not np.array_equal(strips[0][16:, :240], strips[0][16:, 480:720]), "the flag has moved"
    # What fails is told of; the others are drawn.
    sizes = json.dumps({"choice": [1.0, 1e12]})
    assert main(["flag", *given, "--trajectories", "6", "--set", f"cloth.0.grid.size.0={sizes}"]) == 1
    assert "warning: trajectory" in capsys.readouterr().err and list(tmp_path.iterdir()) == [tmp_path / "sheet.png"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--trajectories", "0"], "trajectories is 0"),
        (["--frames", "0"], "frames is 0"),
        (["--seed", "-1"], "seed is -1"),
        (["--workers", "-1"], "workers is -1"),
        (["--format", "hdf5"], "no format 'hdf5'"),
        (["--set", "cloth.0.remesh.size_min=-1"], "size_min"),
    ],
)
def test_a_preview_refuses_what_a_run_refuses(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--preview", str(tmp_path / "sheet.png"), *([] if "--workers" in arguments else ["--workers", "0"])]
    assert words in refused(capsys, "flag", *given, *arguments) and list(tmp_path.iterdir()) == []


def test_a_preview_needs_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no folder" in refused(capsys, "flag", "--preview", str(tmp_path / "none" / "sheet.png"), "--workers", "0")


@pytest.mark.parametrize("arguments", [["--out", "set"], ["--out", "set", "--frames", "-1"], ["--preview", "sheet.png"]])
def test_the_engine_of_ray_is_closed_at_the_end(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = []

    class Engine(Inline):
        def __init__(self, address: str) -> None:
            assert address == "somewhere"

        def close(self) -> None:
            closed.append(self)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("taffeta.dataset.__main__.Ray", Engine)
    status = main(["flag", "--trajectories", "1", *SMALL, *arguments, "--ray", "somewhere"])
    assert status == (2 if "-1" in arguments else 0) and len(closed) == 1


# Formats


def npz_of(folder: Path, index: int = 0) -> dict[str, Any]:
    with np.load(folder / "trajectories" / f"{index:06d}.npz") as file:
        return dict(file)


def check_against_simulation(read: dict[str, Any], index: int = 0) -> None:
    """Compares every field of every frame."""
    trajectory = simulate(small_flag().draw(0, index), 3)
    assert read["crossings"].tolist() == trajectory.crossings.tolist()
    for number, frame in enumerate(trajectory.frames):
        for field in FIELDS:
            offsets = read[f"{field.per}_offsets"]
            rows = read[field.name][offsets[number] : offsets[number + 1]]
            assert rows.dtype == np.dtype(field.dtype) and np.array_equal(rows, frame[field.name]), field.name


def test_numpy_reads_npz(tmp_path: Path) -> None:
    assert make(tmp_path) == 0
    read = npz_of(tmp_path, 1)
    check_against_simulation(read, 1)
    facts = json.loads(str(read["facts"]))
    assert facts["seed"] == 0 and facts["version"] == tf.__version__ and facts["scene"]["cloth"][0]["name"] == "flag"
    assert tf.Scene(facts["scene"]).hash() == facts["scene_hash"]


def test_zarr_reads_zarr(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    assert make(tmp_path, "--format", "zarr") == 0
    path = tmp_path / "trajectories" / "000001.zarr.zip"
    assert all(entry.date_time == (1980, 1, 1, 0, 0, 0) for entry in zipfile.ZipFile(path).infolist())
    group = zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")
    check_against_simulation({name: array[...] for name, array in group.arrays()}, 1)
    assert group.attrs["seed"] == 0 and group.attrs["scene"]["cloth"][0]["name"] == "flag"


def test_an_independent_reader_reads_tfrecords(tmp_path: Path) -> None:
    reader = pytest.importorskip("tfrecord.reader")
    assert make(tmp_path, "--format", "mgn", trajectories=10) == 0
    meta = json.loads((tmp_path / "meta.json").read_text())
    assert meta["trajectory_length"] == 4 and meta["features"]["sizing_field"] == {
        "type": "dynamic_varlen", "shape": [-1, 3], "dtype": "float32",
    }  # fmt: skip
    counts = {}
    for split in ("train", "valid", "test"):
        path = tmp_path / f"{split}.tfrecord"
        records = list(reader.tfrecord_loader(str(path), None, {name: "byte" for name in [*meta["field_names"], "facts"]}))
        counts[split] = len(records)
        for record in records:
            facts = json.loads(bytes(record["facts"]))
            check_against_simulation(decoded(record, meta), facts["index"])
    assert counts == {"train": 8, "valid": 1, "test": 1}


def test_tensorflow_reads_tfrecords_as_the_loader_of_meshgraphnets(tmp_path: Path) -> None:
    tensorflow = pytest.importorskip("tensorflow")
    assert make(tmp_path, "--format", "mgn") == 0
    meta = json.loads((tmp_path / "meta.json").read_text())
    lists = {name: tensorflow.io.VarLenFeature(tensorflow.string) for name in meta["field_names"]}
    for index, record in enumerate(tensorflow.data.TFRecordDataset(str(tmp_path / "train.tfrecord"))):
        features = tensorflow.io.parse_single_example(record, lists)
        trajectory = simulate(small_flag().draw(0, index), 3)
        for name, field in meta["features"].items():
            rows = tensorflow.io.decode_raw(features[name].values, getattr(tensorflow, field["dtype"]))
            rows = tensorflow.reshape(rows, field["shape"])
            if field["type"] == "dynamic":
                assert np.array_equal(rows.numpy()[:, 0], trajectory.crossings)
                continue
            lengths = tensorflow.io.decode_raw(features[f"length_{name}"].values, tensorflow.int32)
            ragged = tensorflow.RaggedTensor.from_row_lengths(rows, row_lengths=tensorflow.reshape(lengths, [-1]))
            assert ragged.shape[0] == meta["trajectory_length"] == len(trajectory.frames)
            for number, frame in enumerate(trajectory.frames):
                expected = frame[name].reshape(len(frame[name]), -1)
                assert np.array_equal(ragged[number].numpy(), expected), name
    assert index == 2


def decoded(record: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
    """Decodes a record as the loader of MeshGraphNets does."""
    found: dict[str, Any] = {}
    for name, field in meta["features"].items():
        found[name] = np.frombuffer(bytes(record[name]), field["dtype"])
        if field["type"] == "dynamic_varlen":
            shape = next(known.columns for known in FIELDS if known.name == name)
            assert math.prod(shape) == field["shape"][1]
            found[name] = found[name].reshape(-1, *shape)
            lengths = np.frombuffer(bytes(record[f"length_{name}"]), "int32")
            per = next(known.per for known in FIELDS if known.name == name)
            found[f"{per}_offsets"] = np.concatenate([[0], np.cumsum(lengths)])
    return found


def test_a_record_has_the_checksums_of_another_library(tmp_path: Path) -> None:
    crc32c = pytest.importorskip("crc32c")
    data = example({"b": b"x" * 300, "a": b""})
    length, length_sum, record, record_sum = framed(data)
    assert int.from_bytes(length, "little") == len(data) == len(record)
    for content, found in ((length, length_sum), (record, record_sum)):
        crc = crc32c.crc32c(content)
        assert int.from_bytes(found, "little") == ((crc >> 15 | crc << 17) + 0xA282EAD8) % 2**32


def test_pyplaid_reads_plaid_and_its_strict_check_passes(tmp_path: Path) -> None:
    plaid = pytest.importorskip("plaid")
    from plaid.cli.plaidcheck import main as plaid_check
    from plaid.storage import init_from_disk
    from taffeta.dataset.formats.plaid import OWN, columns_of

    assert make(tmp_path / "set", "--format", "plaid") == 0
    assert plaid_check([str(tmp_path / "set"), "--strict"]) == 0
    datasets, converters = init_from_disk(tmp_path / "set")
    for index in range(3):
        sample = converters["train"].to_plaid(datasets["train"], index)
        assert isinstance(sample, plaid.Sample)
        trajectory = simulate(small_flag().draw(0, index), 3)
        times = sample.get_all_time_values()
        assert np.allclose(times, [0, 0.02, 0.04, 0.06])
        for time, frame, crossings in zip(times, trajectory.frames, trajectory.crossings, strict=True):
            assert np.array_equal(sample.get_elements(time=time)["TRI_3"], frame["cells"])
            assert np.array_equal(sample.get_nodes(time=time), frame["world_pos"])
            assert sample.get_global("crossings", time=time) == crossings and sample.get_global("index", time=time) == index
            for field in (field for field in FIELDS if field.name not in OWN):
                location = {"vertex": "Vertex", "cell": "CellCenter"}[field.per]
                columns = [sample.get_field(name, location, time=time) for name in columns_of(field.name)]
                expected = frame[field.name].reshape(len(frame[field.name]), -1)
                assert np.array_equal(np.stack(columns, axis=1), expected), field.name
    assert make(tmp_path / "again", "--format", "plaid", workers=2) == 0
    assert files_of(tmp_path / "again") == files_of(tmp_path / "set")


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_a_damaged_sample_is_made_anew(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("plaid")
    core = pytest.importorskip("fsspec.core")
    url = str(tmp_path / "set") if kind == "folder" else f"memory://{tmp_path.name}/set"
    assert make(url, "--format", "plaid") == 0
    files, root = core.url_to_fs(url)
    before = {name: files.cat_file(name) for name in files.find(root)}
    meshes = [sorted(files.find(f"{root}/data/train/sample_00000000{index}/meshes")) for index in range(3)]
    files.pipe_file(meshes[0][1], before[meshes[0][1]][:1000])
    files.rm_file(meshes[2][2])
    assert make(url, "--format", "plaid") == 0
    assert "2 of them made now" in capsys.readouterr().out
    assert {name: files.cat_file(name) for name in files.find(root)} == before


# Refusals: an error that says what, where and what to do, and nothing on the disk


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments, "--quiet"]) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[simulation]\nduration = 1\n[[cloth]]\ngrid = {cels = [2, 2]}\n", ["unknown key `cels`", "cells"]),
        ("[[cloth]]\ngrid = {size = [{uniform = [2, 1]}, 1]}\n", ["cloth.0.grid.size.0", "uniform = [2, 1]", "upside down", "[1, 2]"]),
        ("[air]\ndensity = {log_uniform = [0, 1]}\n", ["air.density", "bounds above 0"]),
        ("[air]\ndensity = {uniform = [1]}\n", ["air.density", "pair of numbers"]),
        ("[air]\ndensity = {uniform = [1, nan]}\n", ["air.density", "pair of numbers"]),
        ("[air]\ndensity = {choice = []}\n", ["air.density", "at least one value"]),
        ("[air]\ndensity = {uniform = [0, 1], other = 3}\n", ["air.density", "stands alone", "other"]),
        ("[simulation]\nduration = 1\n[air]\ndensity = {unifrom = [0, 1]}\n", ["density", "{ uniform = [low, high] }"]),
        ("[dataset]\nframe = 3\n", ["[dataset] has no key 'frame'", "frames"]),
        ("[[cloth]]\nfile = 'none/*.toml'\n", ["cloth.0", "no file fits 'none/*.toml'"]),
        ("[[cloth]]\nmesh = 'none.obj'\n", ["none.obj cannot be read"]),
        ("[[cloth]]\nmesh = {choice = ['none_%d.obj']}\n", ["none_%d.obj cannot be read", "no file of the sequence"]),
        ("", ["is empty", "scene file"]),
        ("[air\n", ["cannot be read as a scene"]),
    ],
)  # fmt: skip
def test_bad_recipes_are_refused(content: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scene.toml").write_text(content)
    told = refused(capsys, str(tmp_path / "scene.toml"), "--out", str(tmp_path / "set"), "--trajectories", "2")
    assert all(word in told for word in words), told
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["flags"], ["no recipe 'flags'", "flag, sphere, drape, garment"]),
        (["flag", "--format", "hdf5"], ["no format 'hdf5'", "mgn, plaid, npz, zarr"]),
        (["flag", "--trajectories", "0"], ["trajectories is 0", "at least 1"]),
        (["flag", "--frames", "-1"], ["frames is -1"]),
        (["flag", "--seed", "-1"], ["seed is -1"]),
        (["flag", "--workers", "-1"], ["workers is -1"]),
        (["flag", "--set", "cloth.7.name=a"], ["--set cloth.7.name", "no such place"]),
        (["flag", "--set", "cloth.0.name.x.y=1"], ["--set cloth.0.name.x.y", "no such place"]),
        (["flag", "--set", "cloth"], ["--set cloth", "KEY=VALUE"]),
        (["flag", "--panels", "x"], ["garment"]),
        (["flag", "--dask", "a", "--ray", "b"], ["exclude"]),
    ],
)
def test_bad_arguments_are_refused(
    arguments: list[str], words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(capsys, *arguments, "--out", str(tmp_path / "set"))
    assert all(word in told for word in words), told
    assert not (tmp_path / "set").exists()


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    assert make(tmp_path / "other") == 2
    assert "holds other files" in capsys.readouterr().err and list(files_of(tmp_path / "other")) == ["letter.txt"]
    assert make(tmp_path / "set") == 0
    before = files_of(tmp_path / "set")
    for change, words in ((["--seed", "4"], "seed 0 there, 4 wanted"), (["--set", "air.density=1.1"], "recipe"), (["--format", "zarr"], "format npz")):
        assert make(tmp_path / "set", *change) == 2
        told = capsys.readouterr().err
        assert "holds another set" in told and words in told and "choose another folder" in told
        assert files_of(tmp_path / "set") == before
    (tmp_path / "file").write_text("dear")
    assert make(tmp_path / "file") == 2 and (tmp_path / "file").read_text() == "dear"
    assert "set.json cannot be read (NotADirectoryError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("module", "arguments", "extra"),
    [
        ("distributed", ["--dask", "tcp://127.0.0.1:1"], "dask"),
        ("ray", ["--ray", "local"], "ray"),
        ("plaid", ["--format", "plaid"], "plaid"),
        ("zarr", ["--format", "zarr"], "dataset"),
        ("google_crc32c", ["--format", "mgn"], "dataset"),
        ("fsspec", [], "dataset"),
        ("tqdm", [], "dataset"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    module: str, arguments: list[str], extra: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for known in [name for name in sys.modules if name == module or name.startswith(f"{module}.")]:
        monkeypatch.delitem(sys.modules, known)
    monkeypatch.setitem(sys.modules, module, None)
    told = refused(capsys, "flag", "--out", str(tmp_path / "set"), "--trajectories", "1", *arguments)
    assert f"needs the Python package {module}" in told and f"taffeta[{extra}]" in told
    assert not (tmp_path / "set").exists()


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs a folder that nobody can write")
def test_a_folder_that_cannot_be_written_ends_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flag", "--out", "/proc/set", "--workers", "0", *SMALL]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_command_works_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "taffeta.dataset", "flag", "--trajectories", "2", "--out", "set", "--workers", "2"]
    done = subprocess.run([*command, *SMALL[:-1]], cwd=tmp_path, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "2 of 2 trajectories" in done.stdout and "2/2" in done.stderr and "failed=0" in done.stderr
