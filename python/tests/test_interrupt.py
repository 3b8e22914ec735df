"""Ctrl-C in a step, in a run, and in the program."""

import json
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from conftest import ROOT


def interrupt(code: str, folder: Path, begun: str = "begun") -> "subprocess.CompletedProcess[str]":
    """Runs code in a process of its own, sends it SIGINT after it has said that it has begun, and waits for the end."""
    (folder / "code.py").write_text(textwrap.dedent(code))
    process = subprocess.Popen(
        [sys.executable, "-u", "code.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(ROOT / "python" / "tests"), "PATH": "/usr/bin:/bin"},
    )
    assert process.stdout is not None
    said = process.stdout.readline()
    if begun not in said:
        process.kill()
        raise AssertionError(f"{said!r}: {process.stderr.read() if process.stderr else ''}")
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def test_ctrl_c_ends_a_long_step_and_the_world_is_as_before(tmp_path: Path) -> None:
    done = interrupt(
        """
        import time
        import taffeta as tf
        from conftest import sheet_tables
        world = tf.Scene(sheet_tables(cells=60)).build(threads=1)
        world.step(1 / 60)
        before = world.checkpoint_hash()
        print("begun")
        start = time.monotonic()
        try:
            world.step(3000.0)
        except KeyboardInterrupt:
            print("interrupted", world.checkpoint_hash() == before, world.frame, time.monotonic() - start < 20)
        world.step(1 / 60)
        print("goes on", world.frame)
        """,
        tmp_path,
    )
    assert done.stdout.splitlines() == ["interrupted True 1 True", "goes on 2"], done


def test_a_handler_that_does_not_raise_lets_the_step_go_on(tmp_path: Path) -> None:
    done = interrupt(
        """
        import signal
        import taffeta as tf
        from conftest import sheet_tables
        seen = []
        signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        world = tf.Scene(sheet_tables(cells=40)).build(threads=1)
        print("begun")
        report = world.step(1.0)
        print(seen, report.time)
        """,
        tmp_path,
    )
    assert done.stdout.splitlines() == ["[1] 1.0"], done


RUN = """
import sys
import taffeta as tf
from conftest import sheet_tables
scene = tf.Scene(sheet_tables(cells=16))
scene["simulation.duration"] = 20.0
"""


def test_ctrl_c_ends_a_run_with_a_checkpoint_and_it_can_go_on(tmp_path: Path) -> None:
    done = interrupt(
        RUN
        + textwrap.dedent("""
        print("begun", flush=True)
        try:
            tf.run(scene, out="out")
        except KeyboardInterrupt as error:
            print("interrupted")
        """),
        tmp_path,
    )
    assert done.stdout.splitlines() == ["interrupted"], done
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    frames = len(list((tmp_path / "out" / "frames").glob("*.obj")))
    assert frames < 1200 and (tmp_path / "out" / "checkpoint" / "checkpoint.json").exists(), summary
    code = RUN + f'result = tf.run(scene, out="out", resume=True, frames={frames + 3})\nprint(len(result))\n'
    (tmp_path / "code.py").write_text(code)
    again = subprocess.run(
        [sys.executable, "code.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT / "python" / "tests"), "PATH": "/usr/bin:/bin"},
    )
    assert again.stdout.split() == [str(frames + 4)], again


def test_ctrl_c_ends_a_vector_step(tmp_path: Path) -> None:
    done = interrupt(
        """
        import taffeta as tf
        from conftest import sheet_tables
        worlds = tf.VectorWorld(tf.Scene(sheet_tables(cells=40)), 4)
        print("begun")
        try:
            worlds.step(3000.0)
        except KeyboardInterrupt:
            print("interrupted", [world.frame for world in worlds])
        worlds.step(1 / 60)
        """,
        tmp_path,
    )
    assert done.stdout.splitlines() == ["interrupted [0, 0, 0, 0]"], done


def test_ctrl_c_ends_the_program_as_it_always_does(tmp_path: Path) -> None:
    scene = ROOT / "scenes" / "swing.toml"
    command = [sys.executable, "-m", "taffeta", "run", str(scene), "--out", str(tmp_path / "out")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("out/frames/*_00002.*")):
        if time.monotonic() > deadline:
            process.kill()
            pytest.fail("the run does not begin")
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted after frame" in err and "Traceback" not in err
