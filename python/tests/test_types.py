"""Stubs are those of the compiled part, and the package is typed."""

import subprocess
import sys
from pathlib import Path

import pytest
import taffeta

pytest.importorskip("mypy")
PACKAGE = Path(taffeta.__file__).parent
SETTINGS = Path(__file__).parents[1] / "pyproject.toml"


def run(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_stubs_fit_the_compiled_part(tmp_path: Path) -> None:
    arguments = ("mypy.stubtest", "taffeta._taffeta", "--mypy-config-file", str(SETTINGS))
    assert run(tmp_path, *arguments) == ""


def test_the_package_is_typed(tmp_path: Path) -> None:
    assert (PACKAGE / "py.typed").exists()
    assert run(tmp_path, "mypy", "--config-file", str(SETTINGS), "-p", "taffeta") == ""
