"""Recipes: scenes with ranges, and the scenes that are drawn from them.

A draw is a pure function of the recipe, the seed of the set and the number of the trajectory. Each range has a stream of random
numbers of its own, named by its place in the scene: a range that is added changes no other draw.
"""

import glob
import hashlib
import json
import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._errors import DatasetError, SceneError
from .._taffeta import Scene

SCENES = Path(__file__).resolve().parent / "scenes"
BUILT_IN = ("flag", "sphere", "drape", "garment")
RANGES = ("uniform", "log_uniform", "choice")
# Keys that are files relative to the file they stand in.
FILES = ("mesh", "outline", "frames")
HELP = "a range is { uniform = [low, high] }, { log_uniform = [low, high] } or { choice = [value, ...] }"


@dataclass(frozen=True)
class Recipe:
    """A scene in which ranges may stand for values."""

    name: str
    """Name of the recipe or of its file."""
    tables: dict[str, Any]
    """Content of the scene, with its ranges."""
    base: str | None
    """Folder that files in it are relative to; None: that of the recipes of the package, wherever a worker has it."""
    frames: int | None
    """Frames of a trajectory after the first one; None: those of the scene."""

    @property
    def folder(self) -> Path:
        """The folder that files in it are relative to, on this machine."""
        return SCENES if self.base is None else Path(self.base)

    def draw(self, seed: int, index: int) -> Scene:
        """Draws the scene of a trajectory."""
        content = _without_unused(_draw(self.tables, "", (seed, index)))
        try:
            return Scene(content, base=self.folder)
        except SceneError as error:
            raise DatasetError(f"recipe {self.name}, trajectory {index}: {error}\n({HELP})") from error

    def table_of(self, scene: Scene) -> dict[str, Any]:
        """Returns a scene as drawn, every value explicit, with files as the recipe names them: alike on all machines."""
        return dict(_with_short_paths(scene.to_dict(), self.folder))

    def frame_count(self, given: int | None, seed: int) -> int:
        """Returns the number of steps of a trajectory: as given, as the recipe says, or that of its first scene."""
        count = given or self.frames or self.draw(seed, 0).last_frame
        if not isinstance(count, int) or count < 1:
            raise DatasetError(f"recipe {self.name}: frames is {count!r}, but must be a whole number above 0")
        return count

    def hash(self) -> str:
        """Returns the identity of the recipe: equal where content, frames and the files that it names are equal."""
        content = _with_contents(self.tables, self.folder)
        return hashlib.sha256(json.dumps([content, self.frames], sort_keys=True).encode()).hexdigest()


def load(name: str, changes: dict[str, Any] | None = None, panels: str | None = None) -> Recipe:
    """Reads a recipe that comes with the package, by its name, or a scene file, and sets values in it by their paths."""
    path = SCENES / f"{name}.toml" if name in BUILT_IN else Path(name)
    tables = _read_tables(path, name)
    settings = tables.pop("dataset", {})
    for key in settings:
        if key != "frames":
            raise DatasetError(f"{path}: [dataset] has no key {key!r}; it has: frames")
    if panels is not None:
        if name != "garment":
            raise DatasetError(f"panels are for the recipe garment, not for {name}; name its files by `file = ...` there")
        tables["cloth"][0]["file"] = str(Path(panels).resolve() / "*.toml")
    for key, value in (changes or {}).items():
        _set(tables, key, value)
    expanded = _expand(tables, "", path.parent.resolve(), path.parent.resolve())
    _check(expanded, "", str(path))
    if name in BUILT_IN:
        return Recipe(name, expanded, None, settings.get("frames"))
    return Recipe(path.name, expanded, str(path.parent.resolve()), settings.get("frames"))


def read_toml(text: str) -> dict[str, Any]:
    """Reads TOML with the module of Python, or with the package that stands in for it before 3.11."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        from ._needs import need

        tomllib = need("tomli", "dataset")
    return dict(tomllib.loads(text))


def _read_tables(path: Path, name: str) -> dict[str, Any]:
    if not path.is_file():
        raise DatasetError(f"there is no recipe {name!r}: it is one of {', '.join(BUILT_IN)}, or the path of a scene file")
    try:
        text = path.read_text(encoding="utf-8")
        tables = json.loads(text) if path.suffix == ".json" else read_toml(text)
    except (ValueError, OSError) as error:
        raise DatasetError(f"{path} cannot be read as a scene: {error}") from error
    if not tables:
        raise DatasetError(f"{path} is empty: a recipe is a scene file, TOML or JSON, in which ranges may stand for values")
    return dict(tables)


def _set(tables: dict[str, Any], key: str, value: Any) -> None:
    """Sets a value by a path such as ``cloth.0.remesh.refine_error``."""
    *path, last = key.split(".")
    place: Any = tables
    try:
        for part in path:
            place = place[int(part)] if isinstance(place, list) else place.setdefault(part, {})
        place[int(last) if isinstance(place, list) else last] = value
    except (IndexError, ValueError, TypeError) as error:
        raise DatasetError(f"--set {key}: the recipe has no such place ({error})") from error


def _expand(value: Any, key: str, folder: Path, base: Path) -> Any:
    """Replaces ``file`` by a choice of the tables in its files, and names of files by paths from the folder of the recipe."""
    if isinstance(value, list):
        return [_expand(item, f"{key}.{number}", folder, base) for number, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    if set(value) == {"file"}:
        found = [Path(path) for path in sorted(glob.glob(str(folder / value["file"])))]
        if not found:
            raise DatasetError(f"{key.removeprefix('.')}: no file fits {value['file']!r} in {folder}")
        return {"choice": [_expand(_read_tables(path, str(path)), key, path.parent, base) for path in found]}
    is_file = {name for name in FILES if isinstance(value.get(name), str)}
    own = {name: _path_from(base, folder / value[name]) for name in is_file}
    return {name: own[name] if name in own else _expand(item, f"{key}.{name}", folder, base) for name, item in value.items()}


def _path_from(base: Path, path: Path) -> str:
    """Names a file by its path from the folder of the recipe, if it is in there: other machines may have that elsewhere."""
    path = Path(os.path.normpath(path))
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else str(path)


def _with_short_paths(value: Any, base: Path) -> Any:
    """Names files in the folder of the recipe by their paths from there."""
    if isinstance(value, list):
        return [_with_short_paths(item, base) for item in value]
    if not isinstance(value, dict):
        return value
    is_file = {name for name in FILES if isinstance(value.get(name), str)}
    return {
        name: _path_from(base, Path(item)) if name in is_file else _with_short_paths(item, base)
        for name, item in value.items()
    }


def _with_contents(value: Any, base: Path) -> Any:
    """Replaces names of files by hashes of their contents, so that a recipe is the same in any folder."""
    if isinstance(value, list):
        return [_with_contents(item, base) for item in value]
    if not isinstance(value, dict):
        return value
    files = {name: base / value[name] for name in FILES if isinstance(value.get(name), str)}
    own = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items() if path.is_file()}
    return {name: own[name] if name in own else _with_contents(item, base) for name, item in value.items()}


def _range_of(value: Any) -> str | None:
    """Returns the kind of a range; None: the value is none."""
    if not isinstance(value, dict):
        return None
    kinds = [kind for kind in RANGES if kind in value]
    return kinds[0] if kinds else None


def _check(value: Any, key: str, path: str) -> None:
    """Checks all ranges."""
    kind = _range_of(value)
    if kind is not None:
        problem = _problem_of(kind, value)
        if problem is not None:
            raise DatasetError(f"{path}: {key.removeprefix('.')}: {problem}")
        items = value["choice"] if kind == "choice" else []
    else:
        items = []
    if isinstance(value, list):
        items = value
    elif isinstance(value, dict) and kind is None:
        for name, item in value.items():
            _check(item, f"{key}.{name}", path)
    for number, item in enumerate(items):
        _check(item, f"{key}.{number}", path)


def _problem_of(kind: str, value: dict[str, Any]) -> str | None:
    """Says in words why a range makes no sense; None: it does."""
    given = value[kind]
    if len(value) > 1:
        others = ", ".join(name for name in value if name != kind)
        return f"a range stands alone, but {kind} has {others} beside it; {HELP}"
    if kind == "choice":
        return None if isinstance(given, list) and given else "choice needs a list with at least one value"
    is_pair = isinstance(given, list) and len(given) == 2 and all(_is_number(bound) for bound in given)
    if not is_pair:
        return f"{kind} = {json.dumps(given)} is not a pair of numbers [low, high]"
    low, high = given
    if low > high:
        return f"{kind} = [{low}, {high}] is upside down: the lower bound comes first, [{high}, {low}]"
    if kind == "log_uniform" and low <= 0:
        return f"log_uniform = [{low}, {high}] needs bounds above 0"
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _draw(value: Any, key: str, seeds: tuple[int, int]) -> Any:
    """Replaces ranges by values."""
    kind = _range_of(value)
    if kind is not None:
        drawn = _random_number(key, seeds)
        if kind == "choice":
            return _draw(value[kind][int(drawn * len(value[kind]))], f"{key}.choice", seeds)
        low, high = value[kind]
        if kind == "uniform":
            return _rounded(low + (high - low) * drawn)
        return _rounded(math.exp(math.log(low) + (math.log(high) - math.log(low)) * drawn))
    if isinstance(value, list):
        return [_draw(item, f"{key}.{number}", seeds) for number, item in enumerate(value)]
    if isinstance(value, dict):
        return {name: _draw(item, f"{key}.{name}", seeds) for name, item in value.items()}
    return value


def _without_unused(content: dict[str, Any]) -> dict[str, Any]:
    """Leaves out materials that no cloth was drawn with: the scene would warn of them."""
    if not isinstance(content.get("materials"), dict):
        return content
    named = {body.get("material", "cotton") for body in content.get("cloth", []) if not isinstance(body.get("material"), dict)}
    used = {name: material for name, material in content["materials"].items() if name in named}
    others = {key: value for key, value in content.items() if key != "materials"}
    return others | ({"materials": used} if used else {})


def _random_number(key: str, seeds: tuple[int, int]) -> float:
    """Returns a number in [0, 1) that follows from the place of a range, the seed and the trajectory."""
    place = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "little")
    return float(np.random.Generator(np.random.PCG64([*seeds, place])).random())


def _rounded(value: float) -> float:
    """Rounds to 12 digits: logarithms differ in the last digit from machine to machine."""
    return float(f"{value:.12g}")
