"""Runs into a folder, and what they leave there."""

import csv
import json
import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ._bodies import Bodies
from ._errors import TaffetaWarning
from ._progress import Bar
from ._taffeta import Scene, list_frames, read_frame, run_scene


class Arrays(Bodies[npt.NDArray[Any]]):
    """Arrays of a body in a frame by name. A format that lacks an array leaves it out: OBJ has no velocities."""

    def __repr__(self) -> str:
        return f"<Arrays {', '.join(f'{name} {array.shape}' for name, array in self.items())}>"


class Frame:
    """A frame of a result: its bodies with their arrays."""

    def __init__(self, folder: Path, number: int, time: float) -> None:
        self.folder = folder
        """The result folder."""
        self.number = number
        """Number of the frame; 0 is the initial state."""
        self.time = time
        """Time [s]."""

    @property
    def cloths(self) -> Bodies[Arrays]:
        """Arrays of each body, read from its file: positions, faces, and what else the format holds."""
        bodies = read_frame(self.folder, self.number)
        return Bodies("body", {name: Arrays("array", arrays) for name, arrays in bodies.items()})

    def _repr_png_(self) -> bytes:
        from ._pictures import png_of

        return png_of(self)

    def __repr__(self) -> str:
        return f"<Frame {self.number} of {self.folder}, {self.time:.4f} s>"


class Result(Sequence[Frame]):
    """The folder of a run, as a sequence of its frames."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        """The result folder."""
        self.scene = Scene.load(self.folder / "scene.json")
        """The scene as resolved."""
        self._frames = list_frames(self.folder)
        # Not by the frame rate: an equilibrium takes no time.
        self._times: dict[int, float] = {}
        if (self.folder / "metrics.csv").exists():
            metrics = self.metrics
            self._times = {int(frame): float(time) for frame, time in zip(metrics["frame"], metrics["time"], strict=True)}

    @property
    def summary(self) -> dict[str, Any]:
        """Settings, totals and end of the run: ``summary.json``."""
        return dict(json.loads((self.folder / "summary.json").read_text(encoding="utf-8")))

    @property
    def metrics(self) -> dict[str, npt.NDArray[Any]]:
        """Columns of ``metrics.csv``, a row per frame."""
        return _read_table(self.folder / "metrics.csv")

    @property
    def probes(self) -> dict[str, npt.NDArray[Any]]:
        """Columns of ``probes.csv``, a row per frame and probe."""
        return _read_table(self.folder / "probes.csv")

    def __len__(self) -> int:
        return len(self._frames)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...
    def __getitem__(self, index: int | slice) -> "Frame | list[Frame]":
        if isinstance(index, slice):
            return [self._frame(number) for number in self._frames[index]]
        return self._frame(self._frames[index])

    def __iter__(self) -> Iterator[Frame]:
        return map(self._frame, self._frames)

    def _frame(self, number: int) -> Frame:
        return Frame(self.folder, number, self._times.get(number, number * self.scene.frame_time))

    def _repr_png_(self) -> bytes:
        from ._pictures import png_of

        return png_of(self)

    def __repr__(self) -> str:
        return f"<Result {self.folder}, {len(self)} frames>"


def run(
    scene: Scene | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    frames: int | None = None,
    threads: int | None = None,
    draft: bool = False,
    resume: bool = False,
    complete: bool = True,
    progress: bool = False,
) -> Result:
    """Simulates a scene into a folder, as ``taffeta run`` does: the same files with the same content.

    ``complete`` adds NPZ frames, which have velocities, strains and times, unless the scene names the format npz or ply, or
    writes no frames. ``frames`` is the number of frames instead of the scene's duration. ``draft`` is for a first look:
    rougher and faster.
    Ctrl-C ends the run with a checkpoint and raises KeyboardInterrupt; ``resume=True`` then goes on in the same folder.
    """
    scene = scene if isinstance(scene, Scene) else Scene.load(scene)
    bar = Bar(progress)

    def listen(kind: str, *values: Any) -> None:
        if kind == "begun":
            bar.begin(*values)
        elif kind == "frame":
            bar.frame(*values)
        elif kind == "working":
            bar.show(*values)
        else:
            warnings.warn(values[0].removeprefix("warning: "), TaffetaWarning, stacklevel=3)

    try:
        run_scene(scene, out, frames, threads, draft, resume, complete, listen)
    finally:
        bar.close()
    return Result(out)


def _read_table(path: Path) -> dict[str, npt.NDArray[Any]]:
    with path.open(newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    return {name: _column([row[k] for row in rows]) for k, name in enumerate(names)}


def _column(words: list[str]) -> npt.NDArray[Any]:
    """Numbers if all words are, with NaN for empty ones; otherwise the words."""
    try:
        return np.array([float(word) if word else np.nan for word in words])
    except ValueError:
        return np.array(words)
