"""Scenes: reading, changing, and what is wrong with them."""

import copy
import multiprocessing
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import taffeta as tf
from conftest import ROOT, sheet_tables

BAD = """\
[simulation]
duration = 1.0

[[cloth]]
name = "sheet"
grid = { size = [1.0, 1.0], cells = [4, 4] }
material = "cotton"
colour = "red"
"""


def test_a_scene_comes_from_a_file_a_text_or_a_dict(tmp_path: Path) -> None:
    path = ROOT / "scenes" / "drape.toml"
    loaded = tf.Scene.load(path)
    assert Path(loaded.path) == path and loaded["simulation.duration"] == 2.0
    text = tf.Scene.from_toml(path.read_text())
    assert text == loaded and text.hash() == loaded.hash()
    again = tf.Scene(loaded.to_dict())
    assert again == loaded


def test_values_are_read_by_their_paths(scene: tf.Scene) -> None:
    assert scene["cloth.0.grid.cells"] == [6, 6]
    assert scene["cloth.0.name"] == "sheet"
    assert isinstance(scene["simulation"], dict)
    with pytest.raises(KeyError, match="the scene has no wardrobe; it has air, "):
        scene["wardrobe"]
    with pytest.raises(KeyError, match="has the numbers below 1"):
        scene["cloth.3"]


def test_values_are_set_as_the_program_sets_them(scene: tf.Scene) -> None:
    scene["cloth.0.grid.cells"] = [32, 32]
    assert scene["cloth.0.grid.cells"] == [32, 32]
    scene["cloth.0.grid.cells"] = np.array([3, 4])
    scene["cloth.0.material"] = "silk"
    scene["cloth.0.material.density"] = 0.25
    assert scene["cloth.0.material.density"] == 0.25
    assert scene.build().vertex_count == 20
    scene.update({"simulation.duration": 3, "simulation.frame_rate": 30.0})
    assert scene.last_frame == 90 and scene.frame_time == pytest.approx(1 / 30)


def test_a_bad_value_leaves_the_scene_as_it_was(scene: tf.Scene) -> None:
    before = scene.to_dict()
    for key, value in [("cloth.0.grid.cells", [0, 4]), ("cloth.0.grid.cells", "many"), ("simulation.duration", float("nan")), ("nothing", 1)]:
        with pytest.raises(tf.SceneError) as caught:
            scene[key] = value
        text = str(caught.value)
        assert f'scene["{key}"] = ' in text and "--set" not in text and caught.value.line is None
        assert caught.value.key == key or caught.value.key
    with pytest.raises(TypeError, match="`simulation.duration` is of type object"):
        scene["simulation.duration"] = object()
    with pytest.raises(TypeError, match="keys must be strings"):
        scene["cloth.0.grid"] = {1: 2}
    assert scene.to_dict() == before


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        ([0, 4], "[0, 4]"),
        (float("nan"), 'float("nan")'),
        ([float("inf"), -float("inf")], '[float("inf"), -float("inf")]'),
        ([True, False], "[True, False]"),
        ({"a b": [1, 'true = "inf"'], "c": {}}, r'{ "a b": [1, "true = \"inf\""], "c": {}}'),
        ([1.5] * 60, "…"),
    ],
)
def test_an_error_spells_a_value_as_python_does(scene: tf.Scene, value: object, spelled: str) -> None:
    with pytest.raises(tf.SceneError) as caught:
        scene["cloth.0.grid.cells"] = value
    assert str(caught.value).startswith(f'<dict>.json: scene["cloth.0.grid.cells"] = {spelled}: ')
    assert caught.value.problems[0] in str(caught.value)


def test_an_error_that_shows_when_the_world_is_built_speaks_python_too(scene: tf.Scene) -> None:
    scene["cloth.0.pin.0.where"] = {"material_box": [[0.9, 0.02], [0.92, 0.03]]}
    with pytest.raises(tf.SceneError) as caught:
        scene.build()
    assert 'scene["cloth.0.pin.0.where"] = ' in str(caught.value) and "--set" not in str(caught.value)
    world = tf.Scene(sheet_tables()).build()
    with pytest.raises(tf.SceneError, match=r"world.add_obstacle\(…\): .*radius") as caught:
        world.add_obstacle({"shape": {"sphere": {"radius": -1.0}}})
    assert "--set" not in str(caught.value)


MESH = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"
MESH_SCENE = """\
[simulation]
duration = 0.1

[[cloth]]
name = "sheet"
mesh = "sheet.obj"
material = "cotton"
"""


@pytest.fixture
def mesh_folder(tmp_path: Path) -> Path:
    (tmp_path / "sheet.obj").write_text(MESH)
    (tmp_path / "scene.toml").write_text(MESH_SCENE)
    return tmp_path


def count_vertices(scene: tf.Scene) -> int:
    return scene.build().vertex_count


def test_a_scene_pickles_with_its_path_its_settings_and_its_mesh(
    mesh_folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mesh_folder)
    scene = tf.Scene.load("scene.toml")
    scene["simulation.frame_rate"] = 30.0
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        data = pickle.dumps(scene, protocol)
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        again = pickle.loads(data)
        assert again == scene and again.path == scene.path and again["simulation.frame_rate"] == 30.0
        assert again.hash() == scene.hash() and count_vertices(again) == 4
        again["simulation.duration"] = 0.2
        assert scene["simulation.duration"] == 0.1 and count_vertices(again) == 4
    with pytest.raises(tf.SceneError, match="colour"):
        again["cloth.0.colour"] = 1


def test_a_change_of_the_current_folder_does_not_move_the_mesh(
    mesh_folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mesh_folder)
    scenes = [tf.Scene.load("scene.toml"), tf.Scene.from_toml(MESH_SCENE), tf.Scene.from_toml(MESH_SCENE, base=".")]
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    for scene in scenes:
        scene["simulation.duration"] = 0.2
        assert count_vertices(scene) == count_vertices(copy.deepcopy(scene)) == 4


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_scene_goes_to_another_process(mesh_folder: Path, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    monkeypatch.chdir(mesh_folder)
    scenes = [tf.Scene.load("scene.toml"), tf.Scene(sheet_tables())]
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.map(count_vertices, scenes) == [4, 49]


def test_errors_pickle_with_what_they_know(scene: tf.Scene) -> None:
    with pytest.raises(tf.SceneError) as caught:
        scene["cloth.0.grid.cells"] = "many"
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.key == caught.value.key and again.problems == caught.value.problems


def test_a_scene_of_many_cloths_shows_itself_in_a_line() -> None:
    tables = sheet_tables()
    tables["cloth"] = [{**tables["cloth"][0], "name": f"cloth{k}"} for k in range(100)]
    assert len(repr(tf.Scene(tables))) < 120


def test_copies_are_changed_independently(scene: tf.Scene) -> None:
    for other in (scene.copy(), copy.copy(scene), copy.deepcopy(scene)):
        other["simulation.duration"] = 9.0
        assert scene["simulation.duration"] == 0.5 and other != scene


def test_a_scene_error_has_the_place_and_the_text_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(BAD)
    with pytest.raises(tf.SceneError) as caught:
        tf.Scene.load(path)
    error = caught.value
    assert (error.file, error.line, error.column) == (str(path), 8, 1)
    assert error.key == "cloth.0.colour" and len(error.problems) == 1
    assert isinstance(error, ValueError) and isinstance(error, tf.TaffetaError)
    program = subprocess.run([sys.executable, "-m", "taffeta", "run", str(path)], capture_output=True, text=True)
    assert program.returncode == 2
    assert program.stderr == f"error: {error}\n"


def test_a_missing_file_has_the_text_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "nothing.toml"
    with pytest.raises(tf.SceneError) as caught:
        tf.Scene.load(path)
    program = subprocess.run([sys.executable, "-m", "taffeta", "run", str(path)], capture_output=True, text=True)
    assert program.stderr == f"error: {caught.value}\n" and caught.value.file == str(path)


def test_what_shows_only_with_the_mesh_is_an_error_of_the_scene_too(scene: tf.Scene) -> None:
    scene["cloth.0.pin.0.where"] = {"material_box": [[0.9, 0.02], [0.92, 0.03]]}
    with pytest.raises(tf.SceneError, match="pin"):
        scene.build()


def test_a_dict_that_is_no_scene_is_refused() -> None:
    with pytest.raises(tf.SceneError, match="the scene has no cloth"):
        tf.Scene({"simulation": {"duration": 1.0}})
    tables = sheet_tables()
    tables["cloth"][0]["grid"]["cells"] = [float("inf"), 2]
    with pytest.raises(tf.SceneError, match=r"<dict>.json:\d+:\d+"):
        tf.Scene(tables)
    endless: dict[str, object] = {}
    endless["simulation"] = endless
    with pytest.raises(ValueError, match="does it contain itself"):
        tf.Scene(endless)
    with pytest.raises(TypeError):
        tf.Scene("scenes/drape.toml")  # type: ignore[arg-type]


def test_warnings_are_those_of_python() -> None:
    scene = tf.Scene(sheet_tables(pin=[], grid={"size": [100.0, 100.0], "cells": [4, 4]}))
    with pytest.warns(tf.TaffetaWarning):
        scene.build()
