"""Sets: all trajectories of a recipe in a folder, made by an engine, and gone on with where they were left."""

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from .._errors import DatasetError
from .._taffeta import __version__
from ._needs import MissingPackageError
from .engine import Engine, Lost, engine_of, run
from .formats import format_of
from .recipes import Recipe, load
from .store import PARTIAL, Store
from .trajectory import Trajectory, simulate

SET = "set.json"
MANIFEST = "manifest.jsonl"
RECORDS = "records"
# Time between two manifests while a set is made [s].
MANIFEST_INTERVAL = 10.0
# Number of scenes that are tried before a set is begun.
TRIED_SCENES = 10

Record = dict[str, Any]


Listener = Callable[["Summary", Record | None], None]


@dataclass(frozen=True)
class Plan:
    """Everything that a trajectory follows from, and where it goes."""

    recipe: Recipe
    seed: int
    frames: int
    format: str
    store: Store
    version: str = __version__
    """Version of the package that has begun the set."""

    def identity(self) -> dict[str, Any]:
        """Returns what makes two sets the same."""
        return {
            "version": self.version,
            "recipe": self.recipe.hash(),
            "seed": self.seed,
            "frames": self.frames,
            "format": self.format,
        }


@dataclass
class Outcome:
    """The end of a task."""

    record: Record
    seconds: float = 0.0
    """CPU time [s]."""
    vertices: int = 0
    """Vertices of all frames together."""
    problem: str | None = None
    """The reason why nothing can be written; None: the task has ended well, or its trajectory has failed by itself."""


@dataclass
class Summary:
    """The outcome of a run."""

    records: list[Record]
    made: int = 0
    seconds: float = 0.0
    """CPU time of the trajectories that were made [s]."""
    frames: int = 0
    vertices: int = 0
    lost: dict[int, str] = field(default_factory=dict)
    """Trajectories over which workers died."""

    @property
    def failed(self) -> list[Record]:
        """Records of trajectories that failed by themselves."""
        return [record for record in self.records if record["status"] == "failed"]


def make(
    recipe: str | Recipe,
    out: str,
    *,
    trajectories: int = 100,
    format: str = "npz",
    frames: int | None = None,
    seed: int = 0,
    client: Any = None,
    workers: int | None = None,
    listen: Listener | None = None,
) -> Summary:
    """Makes a set, or goes on with one, as ``python -m taffeta.dataset`` does; a recipe with changes comes from ``load``.

    ``client`` and ``workers`` are those of ``taffeta.sweep``. ``listen`` is called with the summary and the last record after
    each trajectory, and once before the first one with None.
    """
    for name, given, least in (("trajectories", trajectories, 1), ("frames", frames, 1), ("seed", seed, 0)):
        if given is not None and given < least:
            raise DatasetError(f"{name} is {given}, but must be at least {least}")
    recipe = recipe if isinstance(recipe, Recipe) else load(recipe)
    plan = Plan(recipe, seed, recipe.frame_count(frames, seed), format, Store(out))
    check(plan, trajectories)
    engine, is_own = engine_of(client, workers)
    try:
        return make_set(plan, trajectories, engine, listen or (lambda summary, record: None))
    finally:
        if is_own:
            engine.close()


def make_trajectory(plan: Plan, index: int) -> Outcome:
    """Makes one trajectory: the task of all engines. It returns at once if the trajectory is there."""
    if plan.version != __version__:
        raise DatasetError(f"a worker has taffeta {__version__}, but the set is of {plan.version}: install that on all workers")
    known = plan.store.read_json(record_name(index))
    if known is not None and (known["status"] == "failed" or plan.store.is_whole(known["file"], known["bytes"])):
        return Outcome(_without_scene(known))
    begun = time.process_time()
    record: Record = {"index": index, "seed": plan.seed, "version": __version__, "recipe": plan.recipe.name}
    try:
        scene = plan.recipe.draw(plan.seed, index)
        record |= {"scene_hash": scene.hash(), "scene": plan.recipe.table_of(scene)}
        trajectory = simulate(scene, plan.frames)
    except (KeyboardInterrupt, SystemExit, MemoryError, MissingPackageError):
        raise
    except BaseException as error:
        # An internal error of the compiled part is no Exception. Whatever it is, the others go on.
        # Alike on machines that have the recipe elsewhere.
        text = str(error).replace(f"{plan.recipe.folder}{os.sep}", "")
        record |= {"status": "failed", "reason": f"{type(error).__name__}: {text}"}
        return _written(plan, record, Outcome(_without_scene(record)))
    vertices = sum(trajectory.counts("vertex"))
    try:
        record |= _write(plan, trajectory, record)
    except OSError as error:
        return Outcome(record, problem=_storage_problem(plan, error))
    outcome = Outcome(_without_scene(record), time.process_time() - begun, vertices)
    return _written(plan, record, outcome)


def _write(plan: Plan, trajectory: Trajectory, facts: Record) -> Record:
    """Writes a trajectory to the set; returns what its record says about it."""
    kind = format_of(plan.format)
    name = kind.name_of(facts["index"])
    with tempfile.TemporaryDirectory(prefix="taffeta-") as folder:
        local = Path(folder) / "trajectory"
        kind.write(trajectory, facts | {"dt": trajectory.dt}, local)
        sha, size = _hash_of(local)
        plan.store.deliver(local, name)
    counts = trajectory.counts("vertex")
    return {
        "status": "done",
        "file": name,
        "bytes": size,
        "sha256": sha,
        "frames": plan.frames,
        "dt": trajectory.dt,
        "vertices": [min(counts), max(counts)],
        "crossings": int(trajectory.crossings.sum()),
    }


def _written(plan: Plan, record: Record, outcome: Outcome) -> Outcome:
    """Writes the record of a trajectory, which says that it is whole."""
    try:
        plan.store.write(record_name(record["index"]), _json(record))
    except OSError as error:
        return Outcome(record, problem=_storage_problem(plan, error))
    return outcome


def _storage_problem(plan: Plan, error: OSError) -> str:
    return f"{plan.store.url} cannot be written: {error}. What is there is whole; the same command goes on with it"


def _hash_of(path: Path) -> tuple[str, int]:
    """Returns hash and size of a file, or of the files in a folder with their names."""
    if path.is_file():
        content = path.read_bytes()
        return hashlib.sha256(content).hexdigest(), len(content)
    digest, size = hashlib.sha256(), 0
    for file in sorted(path.rglob("*")):
        if file.is_file():
            content = file.read_bytes()
            digest.update(f"{file.relative_to(path).as_posix()}\0{len(content)}\0".encode() + content)
            size += len(content)
    return digest.hexdigest(), size


def record_name(index: int) -> str:
    """Names the record of a trajectory."""
    return f"{RECORDS}/{index:06d}.json"


def _without_scene(record: Record) -> Record:
    return {key: value for key, value in record.items() if key != "scene"}


def _json(content: Any) -> bytes:
    return (json.dumps(content, sort_keys=True) + "\n").encode()


def check(plan: Plan, trajectories: int) -> None:
    """Raises DatasetError if the set cannot be made here; nothing is written."""
    format_of(plan.format)
    for index in range(min(trajectories, TRIED_SCENES)):
        plan.recipe.draw(plan.seed, index)
    try:
        known, names = plan.store.read_json(SET), plan.store.list()
    except DatasetError:
        raise
    except Exception as error:
        # Object stores have exceptions of their own for wrong keys and names.
        text = f"cannot be used as a folder ({type(error).__name__}: {error}): choose another one"
        raise DatasetError(f"{plan.store.url} {text}") from error
    if known is None:
        # What a full disk or a kill has left of the first file.
        names.pop(PARTIAL, None)
        if names:
            text = "holds other files, and no data set: choose an empty folder, or one that this command began"
            raise DatasetError(f"{plan.store.url} {text}")
        return
    wanted = plan.identity()
    found = known.get("identity", {}) if isinstance(known, dict) else {}
    others = [f"{key} {found.get(key)} there, {wanted[key]} wanted" for key in wanted if found.get(key) != wanted[key]]
    if others:
        text = "; ".join(others)
        raise DatasetError(f"{plan.store.url} holds another set ({text}): choose another folder. Nothing was changed")


def make_set(plan: Plan, trajectories: int, engine: Engine, listen: Listener) -> Summary:
    """Makes the trajectories of a set that are not there yet."""
    known = _known(plan)
    if known and max(known) >= trajectories:
        text = f"holds {max(known) + 1} trajectories, and {trajectories} are wanted: ask for as many or more"
        raise DatasetError(f"{plan.store.url} {text}. Nothing was changed")
    summary = Summary(list(known.values()))
    try:
        plan.store.write(SET, _json({"identity": plan.identity(), "name": plan.recipe.name, "scene": plan.recipe.tables}))
        listen(summary, None)
        _make_missing(plan, (index for index in range(trajectories) if index not in known), engine, summary, listen)
        _write_manifest(plan, summary)
        if len(summary.records) == trajectories:
            _finish(plan, summary)
    except OSError as error:
        raise DatasetError(_storage_problem(plan, error)) from error
    return summary


def _make_missing(plan: Plan, missing: Iterator[int], engine: Engine, summary: Summary, listen: Listener) -> None:
    written = time.monotonic()
    for index, outcome in run(engine, partial(make_trajectory, plan), missing):
        if isinstance(outcome, Lost):
            summary.lost[index] = str(outcome)
            listen(summary, {"index": index, "status": "lost", "reason": str(outcome)})
            continue
        if outcome.problem is not None:
            _write_manifest(plan, summary)
            raise DatasetError(outcome.problem)
        if summary.made == 0 and not plan.store.exists(record_name(index)):
            text = "was written by a worker, but is not seen here: all machines must share the folder, or use a URL"
            raise DatasetError(f"{plan.store.url}/{record_name(index)} {text} such as s3://bucket/set")
        _count(summary, outcome)
        listen(summary, outcome.record)
        if time.monotonic() - written > MANIFEST_INTERVAL:
            _write_manifest(plan, summary)
            written = time.monotonic()


def _count(summary: Summary, outcome: Outcome) -> None:
    summary.records.append(outcome.record)
    summary.made += 1
    if outcome.record["status"] == "done":
        summary.seconds += outcome.seconds
        summary.frames += outcome.record["frames"] + 1
        summary.vertices += outcome.vertices


def _known(plan: Plan) -> dict[int, Record]:
    """Returns the records of the trajectories that are there, whole and of the size that was written."""
    name_of = format_of(plan.format).name_of
    there = plan.store.list(name_of(0).rsplit("/", 1)[0])
    listed = _read_manifest(plan)
    known: dict[int, Record] = {}
    for name in plan.store.list(RECORDS):
        if not name.removesuffix(".json").isdigit():
            continue
        index = int(name.removesuffix(".json"))
        record = listed.get(index)
        if record is None or record["status"] == "failed":
            # Whoever has deleted a record of a failure may have a newer one than the manifest.
            record = plan.store.read_json(f"{RECORDS}/{name}")
        size = there.get(name_of(index).rsplit("/", 1)[-1], 0)
        is_whole = record["status"] == "failed" or size in (record["bytes"], None)
        if is_whole:
            known[index] = _without_scene(record)
    return known


def _read_manifest(plan: Plan) -> dict[int, Record]:
    if not plan.store.exists(MANIFEST):
        return {}
    records = map(json.loads, plan.store.read(MANIFEST).decode().splitlines())
    return {record["index"]: record for record in records}


def _write_manifest(plan: Plan, summary: Summary) -> None:
    """Writes a line for each record, in the order of the trajectories."""
    summary.records.sort(key=lambda record: int(record["index"]))
    plan.store.write(MANIFEST, b"".join(map(_json, summary.records)))


def _finish(plan: Plan, summary: Summary) -> None:
    """Writes what the format wants beside the trajectories, and removes what was never whole."""
    done = [record for record in summary.records if record["status"] == "done"]
    if done:
        facts = {"dt": done[0]["dt"], "frames": plan.frames, "done": [record["index"] for record in done]}
        format_of(plan.format).finish(plan.store, facts)
    plan.store.clean()
