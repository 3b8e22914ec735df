"""Sweeps: a scene is simulated with all combinations of values, on the engines of data sets."""

import itertools
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ._errors import ArrayError, TaffetaError
from ._taffeta import Scene, World

if TYPE_CHECKING:
    import pandas

# Columns that come from the report of the last step.
REPORTED = (
    "time", "vertices", "faces", "contacts", "energy", "kinetic_energy", "stretch_energy", "bend_energy", "gravity_energy",
    "max_strain", "residual", "state_hash",
)  # fmt: skip

Measure = Callable[[World], Mapping[str, Any]]


def sweep(
    scene: Scene | str | os.PathLike[str],
    vary: Mapping[str, Sequence[Any]],
    *,
    frames: int | None = None,
    measure: Measure | None = None,
    client: Any = None,
    workers: int | None = None,
) -> "pandas.DataFrame":
    """Simulates a scene with all combinations of values and returns a table with a row for each, in order.

    ``vary`` has lists of values by their paths, such as ``{"cloth.0.material": ["silk", "denim"]}``. The columns are those
    paths, the report of the last step, the crossings at the end and the CPU time [s]. ``measure`` adds columns: a function of
    the world at the end, from a module that the workers can import. A combination that fails has its reason under ``error``.

    Without a ``client`` it runs in ``workers`` processes here, one per core if not said otherwise. A client of
    ``dask.distributed``, or the address of its scheduler, or ``"ray"``, or an engine of ``taffeta.dataset.engine`` runs it
    elsewhere.
    """
    from .dataset._needs import need
    from .dataset.engine import Lost, engine_of, run

    pandas = need("pandas", "dataset")
    scene = scene if isinstance(scene, Scene) else Scene.load(scene)
    names = list(vary)
    for name, values in vary.items():
        if isinstance(values, str | Mapping) or not isinstance(values, Sequence) or len(values) == 0:
            raise ArrayError(f"vary[{name!r}] is {values!r}, but must be a list with at least one value")
    combinations = [dict(zip(names, values, strict=True)) for values in itertools.product(*vary.values())]
    for combination in combinations:
        # A wrong path or value is an error here, before anything runs.
        scene.copy().update(combination)
    engine, is_own = engine_of(client, workers)
    rows: list[dict[str, Any]] = [{}] * len(combinations)
    try:
        task = partial(_simulate, scene, combinations, frames, measure)
        for number, found in run(engine, task, range(len(combinations))):
            rows[number] = {"error": str(found)} if isinstance(found, Lost) else found
    finally:
        if is_own:
            engine.close()
    return pandas.DataFrame([combination | row for combination, row in zip(combinations, rows, strict=True)])


def _simulate(
    scene: Scene, combinations: list[dict[str, Any]], frames: int | None, measure: Measure | None, number: int
) -> dict[str, Any]:
    """Simulates one combination and returns its row."""
    begun = time.process_time()
    own = scene.copy()
    own.update(combinations[number])
    try:
        world = own.build(threads=1)
        report: Any = {}
        for _ in range(own.last_frame if frames is None else frames):
            report = world.step(own.frame_time)
    except TaffetaError as error:
        return {"error": str(error), "seconds": time.process_time() - begun}
    row = {name: report[name] for name in REPORTED if name in report}
    row |= {"crossings": world.count_crossings(), "seconds": time.process_time() - begun, "error": None}
    return row | dict(measure(world) if measure is not None else {})
