"""An installation without a compiler says what it needs."""

import importlib.util
import sys
import types
from pathlib import Path

import pytest

BACKEND = Path(__file__).parents[1] / "build_backend.py"


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    maturin = types.ModuleType("maturin")
    for name in ("build_wheel", "build_sdist", "build_editable"):
        setattr(maturin, name, lambda *arguments: None)
    monkeypatch.setitem(sys.modules, "maturin", maturin)
    spec = importlib.util.spec_from_file_location("build_backend", BACKEND)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_tool(folder: Path, name: str, output: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{output}'\n")
    path.chmod(0o755)


def test_without_rust_the_message_says_how_to_get_it(
    backend: types.ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as caught:
        backend.get_requires_for_build_wheel()
    assert "there is no Rust compiler here" in str(caught.value)
    assert "Rust 1.95 or newer and a C linker" in str(caught.value) and "https://" in str(caught.value)


def test_an_old_compiler_and_a_missing_linker_are_told_of(
    backend: types.ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    write_tool(tmp_path, "cargo", "cargo 1.80.0")
    write_tool(tmp_path, "rustc", "rustc 1.80.0 (051478957 2024-07-21)")
    with pytest.raises(SystemExit, match="the Rust compiler here is version 1.80"):
        backend.get_requires_for_build_wheel()
    write_tool(tmp_path, "rustc", "rustc 1.95.0 (f2d3ce0bd 2026-03-21)")
    with pytest.raises(SystemExit, match="there is no C linker here"):
        backend.get_requires_for_build_sdist()
    write_tool(tmp_path, "cc", "")
    assert backend.get_requires_for_build_wheel() == []


def test_the_oldest_compiler_is_that_of_the_workspace(backend: types.ModuleType) -> None:
    oldest = ".".join(map(str, backend.OLDEST_RUST))
    assert f'rust-version = "{oldest}"' in (BACKEND.parents[1] / "Cargo.toml").read_text()
