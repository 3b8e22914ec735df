"""Sets: all trajectories of a recipe in a folder, made by an engine, and gone on with where they were left."""

import hashlib
import json
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from .._errors import DatasetError, TaffetaError
from .._taffeta import __version__
from ._needs import MachineError
from .engine import Engine, Lost, opened, run
from .formats import format_of
from .recipes import Recipe, load
from .store import PARTIAL, Store, StoreError
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
    """Trajectories that no worker could end, each with the reason."""

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
    recipe = recipe if isinstance(recipe, Recipe) else load(recipe)
    check_numbers(trajectories, frames, seed)
    check_recipe(recipe, trajectories, format, seed)
    plan = Plan(recipe, seed, recipe.frame_count(frames, seed), format, Store(out))
    check_folder(plan)
    with opened(client, workers) as engine:
        return make_set(plan, trajectories, engine, listen or (lambda summary, record: None))


def make_trajectory(plan: Plan, index: int) -> Outcome:
    """Makes one trajectory: the task of all engines. It returns at once if the trajectory is there.

    A failure is recorded only if it follows from recipe, seed and version. Whatever else goes wrong is an error of this machine
    or of the store, and is raised.
    """
    if plan.version != __version__:
        raise DatasetError(f"a worker has taffeta {__version__}, but the set is of {plan.version}: install that on all workers")
    try:
        known = plan.store.read_json(record_name(index))
        if known is not None and (known["status"] == "failed" or plan.store.size(known["file"]) == known["bytes"]):
            return Outcome(_without_scene(known))
        return _make_anew(plan, index)
    except StoreError as error:
        raise StoreError(f"{error} (on {platform.node()})") from error
    except MachineError as error:
        raise MachineError(f"{error} (on {platform.node()})") from error
    except Exception as error:
        raise MachineError(f"{type(error).__name__}: {error} (on {platform.node()})") from error


def _make_anew(plan: Plan, index: int) -> Outcome:
    begun = time.process_time()
    record: Record = {"index": index, "seed": plan.seed, "version": __version__, "recipe": plan.recipe.name}
    format_of(plan.format)
    try:
        scene = plan.recipe.draw(plan.seed, index)
        record |= {"scene_hash": scene.hash(), "scene": plan.recipe.table_of(scene)}
        trajectory = simulate(scene, plan.frames)
    except BaseException as error:
        if not _is_own(error):
            raise
        # The reason may be a file that has vanished meanwhile.
        plan.recipe.check_files(plan.seed, index)
        record |= {"status": "failed", "reason": f"{type(error).__name__}: {plan.recipe.text_of(error)}"}
        return _written(plan, record, Outcome(_without_scene(record)))
    vertices = sum(trajectory.counts("vertex"))
    record |= _write(plan, trajectory, record)
    return _written(plan, record, Outcome(_without_scene(record), time.process_time() - begun, vertices))


def _is_own(error: BaseException) -> bool:
    """Says whether an error follows from the scene alone. An internal error of the compiled part does, and is no Exception."""
    is_machine = isinstance(error, MachineError)
    return isinstance(error, TaffetaError) and not is_machine or type(error).__name__ == "PanicException"


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
    plan.store.write(record_name(record["index"]), _json(record))
    return outcome


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


def check_numbers(trajectories: int, frames: int | None, seed: int) -> None:
    """Raises DatasetError if a number makes no sense."""
    for name, given, least in (("trajectories", trajectories, 1), ("frames", frames, 1), ("seed", seed, 0)):
        if given is not None and given < least:
            raise DatasetError(f"{name} is {given}, but must be at least {least}")


def check_recipe(recipe: Recipe, trajectories: int, format: str, seed: int) -> None:
    """Raises DatasetError if the first scenes or the format make no sense."""
    format_of(format)
    for index in range(min(trajectories, TRIED_SCENES)):
        recipe.draw(seed, index)


def check_folder(plan: Plan) -> None:
    """Raises DatasetError if the set cannot be in its folder; nothing is written."""
    known = plan.store.read_json(SET)
    # What a full disk or a kill has left of the first file is nothing.
    names = [] if known is not None else [name for name in plan.store.names() if name != PARTIAL]
    if names:
        text = "holds other files, and no data set: choose an empty folder, or one that this command began"
        raise DatasetError(f"{plan.store.url} {text}")
    if known is None:
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
    files = {name: file.sha256 for name, file in plan.recipe.files.items()}
    facts = {"identity": plan.identity(), "name": plan.recipe.name, "scene": plan.recipe.tables, "files": files}
    plan.store.write(SET, _json(facts))
    listen(summary, None)
    _make_missing(plan, (index for index in range(trajectories) if index not in known), engine, summary, listen)
    _write_manifest(plan, summary)
    if len(summary.records) == trajectories:
        _finish(plan, summary)
    return summary


def _make_missing(plan: Plan, missing: Iterator[int], engine: Engine, summary: Summary, listen: Listener) -> None:
    written = time.monotonic()
    for index, outcome in run(engine, partial(make_trajectory, plan), missing):
        if isinstance(outcome, Lost):
            summary.lost[index] = str(outcome)
            listen(summary, {"index": index, "status": "lost", "reason": str(outcome)})
            continue
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
    there = plan.store.sizes(name_of(0).rsplit("/", 1)[0])
    listed = _read_manifest(plan)
    known: dict[int, Record] = {}
    for name in plan.store.sizes(RECORDS):
        if not name.removesuffix(".json").isdigit():
            continue
        index = int(name.removesuffix(".json"))
        record = listed.get(index)
        if record is None or record["status"] == "failed":
            # Whoever has deleted a record of a failure may have a newer one than the manifest.
            record = plan.store.read_json(f"{RECORDS}/{name}")
        size = there.get(name_of(index).rsplit("/", 1)[-1])
        if record["status"] == "failed" or size == record["bytes"]:
            known[index] = _without_scene(record)
    return known


def _read_manifest(plan: Plan) -> dict[int, Record]:
    try:
        records = map(json.loads, (plan.store.read(MANIFEST) or b"").decode().splitlines())
        return {record["index"]: record for record in records}
    except (ValueError, KeyError, TypeError):
        # It says nothing that the records do not say.
        return {}


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
