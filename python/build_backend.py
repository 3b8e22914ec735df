"""Builds the package with maturin, after a look at the Rust compiler."""

import os
import re
import shutil
import subprocess
from typing import Any

import maturin
from maturin import *  # noqa: F403

# As `rust-version` of the workspace says.
OLDEST_RUST = (1, 95)

HELP = """\
taffeta is compiled from Rust when it is installed, and {problem}.
It needs Rust {oldest} or newer and a C linker (on Debian: apt-get install gcc).
Install Rust as https://www.rust-lang.org/tools/install says, open a new shell, and repeat the installation."""


def _find_problem() -> "str | None":
    """Says in words what keeps the compiler from being used; None: nothing."""
    cargo = os.environ.get("CARGO", "cargo")
    rustc = os.environ.get("RUSTC", "rustc")
    if shutil.which(cargo) is None or shutil.which(rustc) is None:
        return "there is no Rust compiler here (`cargo` and `rustc` are not on the PATH)"
    shown = subprocess.run([rustc, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"rustc (\d+)\.(\d+)", shown.stdout)
    if match is None:
        return f"`{rustc} --version` does not work: {shown.stderr.strip() or shown.stdout.strip()}"
    found = (int(match[1]), int(match[2]))
    if found < OLDEST_RUST:
        return f"the Rust compiler here is version {found[0]}.{found[1]}"
    if os.name == "posix" and not any(shutil.which(name) for name in ("cc", "gcc", "clang")):
        return "there is no C linker here (`cc`, `gcc` or `clang`)"
    return None


def _check() -> None:
    problem = _find_problem()
    if problem is not None:
        oldest = ".".join(map(str, OLDEST_RUST))
        raise SystemExit("\n" + HELP.format(problem=problem, oldest=oldest))


def get_requires_for_build_wheel(config_settings: Any = None) -> "list[str]":
    """Checks the compiler. Nothing more is required: maturin would install a compiler, unasked."""
    _check()
    return []


def get_requires_for_build_editable(config_settings: Any = None) -> "list[str]":
    """Like get_requires_for_build_wheel."""
    _check()
    return []


def get_requires_for_build_sdist(config_settings: Any = None) -> "list[str]":
    """Requires cargo, which lists the crates that belong to the package."""
    _check()
    return []


build_wheel = maturin.build_wheel
build_sdist = maturin.build_sdist
build_editable = maturin.build_editable
