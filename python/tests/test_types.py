"""Stubs are those of the compiled part, and the package is typed."""

import subprocess
import sys
from pathlib import Path

import pytest
import taffeta

pytest.importorskip("mypy")
PACKAGE = Path(taffeta.__file__).parent
SETTINGS = Path(__file__).parents[1] / "pyproject.toml"


def run(*arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_stubs_fit_the_compiled_part() -> None:
    arguments = ("mypy.stubtest", "taffeta._taffeta", "--mypy-config-file", str(SETTINGS))
    assert run(*arguments) == ""


def test_the_package_is_typed() -> None:
    assert (PACKAGE / "py.typed").exists()
    assert run("mypy", "--config-file", str(SETTINGS), "-p", "taffeta") == ""
