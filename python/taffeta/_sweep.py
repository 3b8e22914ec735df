"""Sweeps: a scene is simulated with all combinations of values, on the engines of data sets."""

import itertools
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ._errors import ArrayError
from ._taffeta import Scene, StepReport, World

if TYPE_CHECKING:
    import pandas

Measure = Callable[[World], Mapping[str, Any]]
Values = dict[str, Any]
# Keys of mappings are invariant for type checkers.
Vary = (
    Mapping[str, Sequence[Any]] | Mapping[tuple[str, ...], Sequence[Any]] | Mapping[str | tuple[str, ...], Sequence[Any]]
)


def sweep(
    scene: Scene | str | os.PathLike[str],
    vary: Vary,
    *,
    frames: int | None = None,
    measure: Measure | None = None,
    client: Any = None,
    workers: int | None = None,
) -> "pandas.DataFrame":
    """Simulates a scene with all combinations of values and returns a table with a row for each, in order.

    ``vary`` has lists of values by their paths, such as ``{"cloth.0.material": ["silk", "denim"]}``; a tuple of paths has a list
    of tuples. The columns are those paths and the columns of the same names in ``study.csv``. ``contacts``, ``crossings`` and
    ``state_hash`` are those at the end. ``measure`` adds columns: a function of the world at the end, from a module that the
    workers can import. A combination that fails has its reason under ``error``, and nothing else but its times.

    Without a ``client`` it runs in ``workers`` processes here, one per core if not said otherwise. A client of
    ``dask.distributed``, or the address of its scheduler, or ``"ray"``, or an engine of ``taffeta.dataset.engine`` runs it
    elsewhere.
    """
    from .dataset._needs import need
    from .dataset.engine import Lost, opened, run

    pandas = need("pandas", "dataset")
    scene = scene if isinstance(scene, Scene) else Scene.load(scene)
    combinations = _combinations_of(vary)
    for combination in combinations:
        # A wrong path or value is an error here, before anything runs.
        scene.copy().update(combination)
    rows: list[Values] = [{}] * len(combinations)
    with opened(client, workers) as engine:
        task = partial(_row_of, scene, combinations, frames, measure)
        for number, found in run(engine, task, range(len(combinations))):
            rows[number] = {"error": str(found)} if isinstance(found, Lost) else found
    return pandas.DataFrame([combination | row for combination, row in zip(combinations, rows, strict=True)])


def _combinations_of(vary: Vary) -> list[Values]:
    axes: list[list[Values]] = []
    for key, values in vary.items():
        keys = (key,) if isinstance(key, str) else tuple(key)
        for axis in axes:
            if twice := axis[0].keys() & set(keys):
                raise ArrayError(f"vary[{key!r}] has {min(twice)}, which varies already: name each path once")
        if isinstance(values, str | Mapping) or not isinstance(values, Sequence) or len(values) == 0:
            raise ArrayError(f"vary[{key!r}] is {values!r}, but must be a list with at least one value")
        entries = [(value,) if isinstance(key, str) else value for value in values]
        for entry in entries:
            if not isinstance(entry, list | tuple) or len(entry) != len(keys):
                raise ArrayError(f"vary[{key!r}] has {entry!r}, but needs a tuple of {len(keys)} values, one for each path")
        axes.append([dict(zip(keys, entry, strict=True)) for entry in entries])
    return [{key: value for entry in chosen for key, value in entry.items()} for chosen in itertools.product(*axes)]


def _row_of(scene: Scene, combinations: list[Values], frames: int | None, measure: Measure | None, number: int) -> Values:
    """Simulates one combination and returns its row, with an error if there is one: the others go on."""
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        return _simulate(scene, combinations[number], frames, measure)
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:
        # An internal error of the compiled part is no Exception.
        text = f"{type(error).__name__}: {error}"
        return {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu, "error": text}


def _simulate(scene: Scene, values: Values, frames: int | None, measure: Measure | None) -> Values:
    own = scene.copy()
    own.update(values)
    world = own.build(threads=1)
    first: Values = world.measure() | {"vertices": world.vertex_count, "faces": world.face_count}
    wall, cpu = time.perf_counter(), time.process_time()
    reports = [world.step(own.frame_time) for _ in range(own.last_frame if frames is None else frames)]
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    times = {"wall_s": wall, "cpu_s": cpu, "frame_ms": 1e3 * wall / max(1, len(reports))}
    row: Values = {"solver": world.solver} | _outcome_of(first, reports) | {"simulated_s": world.time} | times
    row |= {"crossings": world.count_crossings(), "state_hash": world.state_hash(), "error": None}
    return row | dict(measure(world) if measure is not None else {})


def _outcome_of(first: Values, reports: list[StepReport]) -> Values:
    """Returns what the steps have come to; ``first`` is the state before them."""
    states: list[Any] = [first, *reports]
    outcome: Values = {}
    for name in ("vertices", "faces"):
        counts = [state[name] for state in states]
        outcome |= {f"{name}_min": min(counts), f"{name}_max": max(counts), f"{name}_final": counts[-1]}
    outcome |= {name: states[-1][name] for name in first if name.endswith("_energy")}
    return outcome | {
        "energy_drift": states[-1]["energy"] - first["energy"],
        "max_strain": max(state["max_strain"] for state in states),
        "steps": len(reports),
        "substeps": sum(report.substeps for report in reports),
        "iterations_max": max((report.iterations for report in reports), default=0),
        "contacts": reports[-1].contacts if reports else 0,
    }
