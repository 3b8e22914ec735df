"""Runs into folders, the program, and that both give the same bits."""

import datetime
import json
import pickle
import re
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import taffeta as tf
from conftest import ROOT, adaptive_tables, sheet_tables

FORMATS = ["obj", "npz"]


def run_program(*arguments: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "taffeta", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


def write_scene(folder: Path, tables: dict[str, object]) -> Path:
    path = folder / "scene.json"
    path.write_text(json.dumps({**tables, "output": {"formats": FORMATS}}))
    return path


@pytest.mark.parametrize("tables", [sheet_tables(), adaptive_tables()], ids=["fixed", "adaptive"])
def test_every_frame_has_the_bits_of_the_program(tmp_path: Path, tables: dict[str, object]) -> None:
    path = write_scene(tmp_path, tables)
    out = tmp_path / "program"
    assert run_program("run", str(path), "--out", str(out), "--quiet").returncode == 0
    world = tf.Scene.load(path).build()
    frames = tf.Result(out)
    assert len(frames) == 31
    for frame in frames:
        if frame.number > 0:
            report = world.step(frames.scene.frame_time)
            assert report.state_hash == world.state_hash()
        sheet, written = world.cloths["sheet"], np.load(out / "frames" / f"sheet_{frame.number:05}.npz")
        assert sheet.positions.tobytes() == written["positions"].tobytes(), frame
        assert sheet.velocities.tobytes() == written["velocities"].tobytes(), frame
        assert np.array_equal(sheet.faces, written["faces"]), frame
    assert frames.summary["final_state_hash"] == world.checkpoint_hash()


def test_a_run_writes_the_files_of_the_program(tmp_path: Path) -> None:
    path = write_scene(tmp_path, adaptive_tables())
    assert run_program("run", str(path), "--out", str(tmp_path / "a"), "--quiet").returncode == 0
    result = tf.run(path, out=tmp_path / "b")
    files = [sorted(p.relative_to(root) for p in root.rglob("*")) for root in (tmp_path / "a", tmp_path / "b")]
    assert files[0] == files[1]
    for name in files[0]:
        same = (tmp_path / "a" / name, tmp_path / "b" / name)
        if name.parts[0] == "frames" and same[0].is_file() or name.name in ("scene.json", "probes.csv"):
            assert same[0].read_bytes() == same[1].read_bytes(), name
    assert result.summary["final_state_hash"] == tf.Result(tmp_path / "a").summary["final_state_hash"]


def test_frames_keep_velocities_and_times_unless_they_are_not_wanted(tmp_path: Path) -> None:
    scene = tf.Scene(sheet_tables())
    result = tf.run(scene, out=tmp_path / "full", frames=3)
    world = scene.build()
    for frame in result:
        if frame.number > 0:
            world.step(scene.frame_time)
        arrays = np.load(result.folder / "frames" / f"sheet_{frame.number:05}.npz")
        assert arrays["time"].shape == arrays["frame"].shape == () and arrays["frame"] == frame.number
        assert arrays["time"] == world.time == result.metrics["time"][frame.number]
        assert np.array_equal(arrays["vertex_material"][arrays["faces"]], arrays["material"])
        read = frame.cloths["sheet"]
        assert np.array_equal(read["velocities"], world.cloths["sheet"].velocities)
        assert np.array_equal(read["vertex_material"], world.cloths["sheet"].vertex_material)
    assert result.scene == scene and result.summary["scene_hash"] == scene.hash()
    assert len(list((tmp_path / "full" / "frames").glob("*.obj"))) == 4, "the files of the scene are there too"
    bare = tf.run(scene, out=tmp_path / "bare", frames=1, complete=False)
    assert not list((tmp_path / "bare" / "frames").glob("*.npz"))
    with pytest.raises(KeyError, match="there is no array 'velocities'; there are: 'positions', "):
        bare[0].cloths["sheet"]["velocities"]
    for formats, endings in [(["ply"], {".ply"}), (["vtp"], {".vtp", ".npz"}), (["none"], set())]:
        scene["output.formats"] = formats
        tf.run(scene, out=tmp_path / formats[0], frames=1)
        assert {path.suffix for path in (tmp_path / formats[0] / "frames").iterdir()} == endings


def test_a_run_of_the_program_goes_on_here(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(sheet_tables()))
    assert run_program("run", str(path), "--out", str(tmp_path / "a"), "--frames", "2", "--quiet").returncode == 0
    result = tf.run(path, out=tmp_path / "a", frames=4, resume=True)
    assert len(result) == 5 and "velocities" in result[-1].cloths["sheet"]


def test_a_summary_says_where_it_comes_from(tmp_path: Path) -> None:
    summary = tf.run(tf.Scene(sheet_tables()), out=tmp_path / "out", frames=1).summary
    assert summary["version"] == tf.__version__ and summary["host"] == socket.gethostname()
    assert re.fullmatch(r"unknown|[0-9a-f]{40}(-dirty)?", summary["commit"])
    begun = datetime.datetime.fromisoformat(summary["date"].replace("Z", "+00:00"))
    assert abs(datetime.datetime.now(datetime.timezone.utc) - begun) < datetime.timedelta(minutes=5)
    assert "pytest" in summary["command_line"] and summary["resumed"] == []


def test_an_equilibrium_is_at_time_0(tmp_path: Path) -> None:
    scene = tf.Scene(sheet_tables())
    scene["simulation.mode"] = "static"
    result = tf.run(scene, out=tmp_path / "out")
    assert [frame.time for frame in result] == [0.0, 0.0] == result.metrics["time"].tolist()


def test_results_and_frames_pickle_and_show_themselves_in_a_line(tmp_path: Path) -> None:
    result = tf.run(tf.Scene(sheet_tables()), out=tmp_path / "out", frames=1)
    again = pickle.loads(pickle.dumps(result))
    assert len(again) == 2 and again.scene == result.scene
    frame = pickle.loads(pickle.dumps(result[1]))
    sheet = pickle.loads(pickle.dumps(frame.cloths))["sheet"]
    assert np.array_equal(sheet["positions"], result[1].cloths["sheet"]["positions"])
    assert repr(sheet).startswith("<Arrays positions (49, 3), faces (72, 3), ") and "\n" not in repr(frame.cloths)


def test_a_result_is_a_sequence_of_frames(tmp_path: Path) -> None:
    result = tf.run(tf.Scene(adaptive_tables()), out=tmp_path / "out", frames=4)
    assert len(result) == 5 and [frame.number for frame in result[1:3]] == [1, 2]
    assert result[-1].time == pytest.approx(4 / 60)
    sheet = result[-1].cloths["sheet"]
    assert sheet["positions"].shape[1] == 3 and sheet["faces"].max() < len(sheet["positions"])
    assert result.metrics["frame"].tolist() == [0, 1, 2, 3, 4]
    assert result._repr_png_().startswith(b"\x89PNG") and result[0]._repr_png_().startswith(b"\x89PNG")
    assert repr(result).endswith("5 frames>")
    with pytest.raises(IndexError):
        result[9]


def test_a_folder_that_is_not_empty_is_refused_in_the_words_of_python(tmp_path: Path) -> None:
    scene = write_scene(tmp_path, sheet_tables())
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(tf.RunError) as caught:
        tf.run(scene, out=tmp_path / "full")
    program = run_program("run", str(scene), "--out", str(tmp_path / "full"))
    assert caught.value.status == program.returncode == 2
    text = f"error: {caught.value}\n"
    assert text == program.stderr.replace("--out", "`out`") and "choose another one with `out`" in text


def test_a_scene_whose_mesh_is_wrong_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    scene = tf.Scene(sheet_tables())
    scene["cloth.0.pin.0.where"] = {"material_box": [[0.9, 0.02], [0.92, 0.03]]}
    with pytest.raises(tf.SceneError):
        tf.run(scene, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_warnings_of_a_run_are_those_of_python(tmp_path: Path) -> None:
    scene = tf.Scene(sheet_tables(pin=[], grid={"size": [100.0, 100.0], "cells": [4, 4]}))
    with pytest.warns(tf.TaffetaWarning, match="100"):
        tf.run(scene, out=tmp_path / "out", frames=1)


def test_progress_goes_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taffeta._progress.can_redraw", lambda stream: True)
    tf.run(tf.Scene(sheet_tables()), out=tmp_path / "out", progress=True)
    shown = capsys.readouterr().err
    assert "/30 [" in shown and "0.500 s" in shown and shown.endswith("\n")


def test_the_program_is_in_the_package() -> None:
    script = Path(sys.executable).parent / "taffeta"
    done = subprocess.run([script, "materials"], capture_output=True, text=True)
    assert done.returncode == 0 and "cotton" in done.stdout and done.stderr == ""
    assert run_program("--version").stdout.split() == ["taffeta", tf.__version__]
    assert run_program("nonsense").returncode == 2


def test_the_program_does_not_mind_a_closed_pipe() -> None:
    command = f"'{sys.executable}' -m taffeta schema | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "" and len(done.stdout) == 10


def test_scenes_of_the_project_are_read() -> None:
    for path in sorted((ROOT / "scenes").glob("*.toml")):
        tf.Scene.load(path)
