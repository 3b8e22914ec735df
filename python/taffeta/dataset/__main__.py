"""``python -m taffeta.dataset``: makes data sets for learned simulators."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._errors import DatasetError, TaffetaError
from .._progress import can_redraw
from ._needs import need
from .engine import Ray, opened
from .formats import FORMATS
from .sets import Record, Summary, check_numbers, check_recipe, make
from .preview import COUNT, draw_preview
from .recipes import BUILT_IN, Recipe, load, read_toml

# Failed trajectories that are told of in full.
TOLD = 10


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    words = argparse.ArgumentParser(prog="python -m taffeta.dataset", description="Makes a data set for learned simulators.")
    words.add_argument("recipe", help=f"{', '.join(BUILT_IN)}, or a scene file with ranges, TOML or JSON")
    words.add_argument("--trajectories", type=int, default=100, metavar="N", help="number of trajectories")
    words.add_argument("--out", metavar="DIR", help="folder of the set, or a URL of fsspec such as s3://bucket/set")
    words.add_argument("--format", default="npz", metavar="FORMAT", help=f"one of {', '.join(FORMATS)}; npz without it")
    words.add_argument("--frames", type=int, metavar="N", help="steps of a trajectory instead of those of the recipe")
    words.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the set")
    words.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="sets a value or range of the recipe")
    words.add_argument("--panels", metavar="DIR", help="folder with the garments of the recipe garment, a TOML file each")
    words.add_argument("--preview", nargs="?", const="preview.png", metavar="PNG", help=f"draws {COUNT} trajectories only")
    words.add_argument("--workers", type=int, metavar="N", help="processes here, one per core without it; 0: this process")
    words.add_argument("--dask", metavar="ADDRESS", help="runs on a cluster of Dask, by the address of its scheduler")
    words.add_argument("--ray", metavar="ADDRESS", help="runs on a cluster of Ray; local: starts one here")
    words.add_argument("--quiet", action="store_true", help="shows no progress")
    return words


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; the exit status is 0, 1 if something failed, 2 for a wrong input, 130 after Ctrl-C."""
    options = parser().parse_args(arguments)
    try:
        return _preview(options) if options.preview else _make(options)
    except TaffetaError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _make(options: argparse.Namespace) -> int:
    recipe = _recipe_of(options)
    if not options.out:
        raise DatasetError("--out is missing: the folder of the set")
    bar = _Bar(options.trajectories, options.quiet)
    try:
        with _client_of(options) as client:
            summary = make(
                recipe,
                options.out,
                trajectories=options.trajectories,
                format=options.format,
                frames=options.frames,
                seed=options.seed,
                client=client,
                workers=options.workers,
                listen=bar.show,
            )
    except KeyboardInterrupt:
        bar.close()
        print("stopped; the same command goes on", file=sys.stderr)
        return 130
    finally:
        bar.close()
    return _tell(summary, options)


def _preview(options: argparse.Namespace) -> int:
    recipe = _recipe_of(options)
    check_numbers(options.trajectories, options.frames, options.seed)
    count = min(COUNT, options.trajectories)
    check_recipe(recipe, count, options.format, options.seed)
    frames, path = recipe.frame_count(options.frames, options.seed), Path(options.preview)
    if not path.parent.is_dir():
        raise DatasetError(f"--preview {path}: there is no folder {path.parent}: make it, or choose another one")
    with _client_of(options) as client, opened(client, options.workers) as engine:
        problems = draw_preview(recipe, options.seed, frames, count, engine, path)
    for problem in problems:
        print(f"warning: {problem}", file=sys.stderr)
    print(f"drew {count - len(problems)} trajectories of {frames} steps: {options.preview}")
    return 1 if problems else 0


def _recipe_of(options: argparse.Namespace) -> Recipe:
    return load(options.recipe, dict(map(_change_of, options.set)), options.panels)


def _change_of(text: str) -> tuple[str, Any]:
    """Reads ``key=value``; the value is JSON or TOML, or else a word."""
    key, sign, value = text.partition("=")
    if not sign:
        raise DatasetError(f"--set {text}: write KEY=VALUE, such as cloth.0.remesh.refine_error=0.01")
    for read in (json.loads, lambda word: read_toml(f"value = {word}")["value"]):
        try:
            return key.strip(), read(value)
        except ValueError:
            continue
    return key.strip(), value


@contextmanager
def _client_of(options: argparse.Namespace) -> Iterator[Any]:
    """Gives an engine, the address of a scheduler, or None for processes here."""
    if options.dask and options.ray:
        raise DatasetError("--dask and --ray exclude each other")
    if not options.ray:
        yield options.dask
        return
    engine = Ray(options.ray)
    try:
        yield engine
    finally:
        engine.close()


class _Bar:
    """Progress on standard error: done, failed, rate, time left. It is there once trajectories are made."""

    def __init__(self, total: int, is_quiet: bool) -> None:
        self._tqdm = need("tqdm", "dataset").tqdm
        # Where nothing is redrawn, a line now and then.
        interval = 0.1 if can_redraw(sys.stderr) else 30.0
        self._options = {"total": total, "unit": "trajectory", "mininterval": interval, "disable": is_quiet}
        self._bar: Any = None

    def show(self, summary: Summary, record: Record | None) -> None:
        if self._bar is None:
            self._bar = self._tqdm(initial=len(summary.records), dynamic_ncols=True, **self._options)
        if record is not None:
            self._bar.update()
            if record["status"] != "done":
                self._bar.write(f"trajectory {record['index']} {record['status']}: {_first_line(record)}", file=sys.stderr)
        self._bar.set_postfix(failed=len(summary.failed) + len(summary.lost), refresh=record is None)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _first_line(record: Record) -> str:
    return str(record["reason"]).splitlines()[0]


def _tell(summary: Summary, options: argparse.Namespace) -> int:
    done = len(summary.records) - len(summary.failed)
    print(f"{done} of {options.trajectories} trajectories are in {options.out}, {summary.made} of them made now")
    if summary.frames:
        size = summary.vertices / summary.frames
        print(f"{summary.seconds / summary.frames:.3f} core-seconds per frame, {size:.0f} vertices on average")
    for record in summary.failed[:TOLD]:
        place = f"{options.out}/records/{record['index']:06d}.json"
        print(f"failed: trajectory {record['index']}: {_first_line(record)}; its scene is in {place}", file=sys.stderr)
    for index, reason in list(summary.lost.items())[:TOLD]:
        print(f"lost: trajectory {index}: {reason}; the same command tries it again", file=sys.stderr)
    return 1 if summary.failed or summary.lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
