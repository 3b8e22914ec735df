"""Recipes: scenes with ranges, and the scenes that are drawn from them.

A draw is a pure function of the recipe, the seed of the set and the number of the trajectory. Each range has a stream of random
numbers of its own, named by its place in the scene: a range that is added changes no other draw.
"""

import glob
import hashlib
import json
import math
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._errors import DatasetError, SceneError
from .._taffeta import Scene
from ._needs import MachineError

SCENES = Path(__file__).resolve().parent / "scenes"
BUILT_IN = ("flag", "sphere", "drape", "garment")
RANGES = ("uniform", "log_uniform", "choice")
# Keys that are files relative to the file they stand in, or choices of files.
FILES = ("mesh", "outline", "frames")
# Files outside of the folder of the recipe are named by their content: other machines have them elsewhere.
OUTSIDE = "elsewhere"
HELP = "a range is { uniform = [low, high] }, { log_uniform = [low, high] } or { choice = [value, ...] }"


@dataclass(frozen=True)
class File:
    """A file that a recipe names, or a sequence of files such as ``body_%04d.obj``."""

    place: str
    """Path from the folder of the recipe."""
    sha256: str
    """Hash of its content."""


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
    files: dict[str, File]
    """Files that the tables name, by names that are alike on all machines."""

    @property
    def folder(self) -> Path:
        """The folder that files in it are relative to, on this machine."""
        return SCENES if self.base is None else Path(self.base)

    def draw(self, seed: int, index: int) -> Scene:
        """Draws the scene of a trajectory; MachineError: a file in it is not here as it was when the recipe was read."""
        content = self._drawn(seed, index)
        try:
            return Scene(content, base=self.folder)
        except SceneError as error:
            raise DatasetError(f"recipe {self.name}, trajectory {index}: {error}\n({HELP})") from error

    def check_files(self, seed: int, index: int) -> None:
        """Raises MachineError if a file in the scene of a trajectory is not here as it was when the recipe was read."""
        self._drawn(seed, index)

    def _drawn(self, seed: int, index: int) -> dict[str, Any]:
        """Returns the content of a scene, with files by their paths on this machine."""
        return dict(_with_files(_without_unused(_draw(self.tables, "", (seed, index))), self._checked))

    def _checked(self, name: str) -> str:
        place = self._place_of(name)
        try:
            found = _hash_of(Path(place))
        except OSError as error:
            raise MachineError(f"{place} cannot be read ({error}): all machines need the files of the recipe") from error
        if found != self.files[name].sha256:
            raise MachineError(f"{place} is not the file that the set was begun with: all machines need the same")
        return place

    def _place_of(self, name: str) -> str:
        return os.path.normpath(self.folder / self.files[name].place)

    def table_of(self, scene: Scene) -> dict[str, Any]:
        """Returns a scene as drawn, every value explicit, with files as the recipe names them: alike on all machines."""
        names = {self._place_of(name): name for name in self.files}
        return dict(_with_files(scene.to_dict(), lambda place: names[os.path.normpath(place)]))

    def text_of(self, error: BaseException) -> str:
        """Returns the words of an error with files as the recipe names them."""
        text = str(error)
        places = {self._place_of(name): name for name in self.files}
        for place, name in places.items():
            text = text.replace(place, name)
        text = text.replace(f"{self.folder}{os.sep}", "")
        for place, name in places.items():
            # A file of a sequence.
            text = text.replace(os.path.dirname(place) + os.sep, f"{os.path.dirname(name)}/")
        # The mark below a path is as long as the path is here.
        return re.sub(r"\^+", "^", text)

    def frame_count(self, given: int | None, seed: int) -> int:
        """Returns the number of steps of a trajectory: as given, as the recipe says, or that of its first scene."""
        count = given or self.frames or self.draw(seed, 0).last_frame
        if not isinstance(count, int) or count < 1:
            raise DatasetError(f"recipe {self.name}: frames is {count!r}, but must be a whole number above 0")
        return count

    def hash(self) -> str:
        """Returns the identity of the recipe: equal where content, frames and the files that it names are equal."""
        files = {name: file.sha256 for name, file in self.files.items()}
        return hashlib.sha256(json.dumps([self.tables, self.frames, files], sort_keys=True).encode()).hexdigest()


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
        tables["cloth"][0]["file"] = os.path.join(glob.escape(str(Path(panels).resolve())), "*.toml")
    for key, value in (changes or {}).items():
        _set(tables, key, value)
    folder = path.parent.resolve()
    expanded = _expand(_with_files(tables, lambda name: str(folder / name)), "", folder)
    _check(expanded, "", str(path))
    named, files = _with_own_names(expanded, folder)
    if name in BUILT_IN:
        return Recipe(name, named, None, settings.get("frames"), files)
    return Recipe(path.name, named, str(folder), settings.get("frames"), files)


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
    except (AttributeError, IndexError, ValueError, TypeError) as error:
        raise DatasetError(f"--set {key}: the recipe has no such place ({error}): give the path of a value of it") from error


def _expand(value: Any, key: str, folder: Path) -> Any:
    """Replaces ``file`` by a choice of the tables in its files, whose files are named by their whole paths."""
    if isinstance(value, list):
        return [_expand(item, f"{key}.{number}", folder) for number, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    if set(value) != {"file"}:
        return {name: _expand(item, f"{key}.{name}", folder) for name, item in value.items()}
    # Only the pattern is one: folders may have brackets in their names.
    found = [folder / path for path in sorted(glob.glob(str(value["file"]), root_dir=folder))]
    if not found:
        raise DatasetError(f"{key.removeprefix('.')}: no file fits {value['file']!r} in {folder}")
    return {"choice": [_expand(_read_panel(path), key, path.parent) for path in found]}


def _read_panel(path: Path) -> Any:
    return _with_files(_read_tables(path, str(path)), lambda name: str(path.parent / name))


def _with_files(value: Any, change: Callable[[str], str], is_file: bool = False) -> Any:
    """Changes the names of files in tables, also those that are to be chosen from."""
    if isinstance(value, list):
        return [_with_files(item, change, is_file) for item in value]
    if isinstance(value, dict):
        return {key: _with_files(item, change, key in FILES or is_file and key == "choice") for key, item in value.items()}
    return change(value) if is_file and isinstance(value, str) else value


def _with_own_names(tables: Any, folder: Path) -> tuple[Any, dict[str, File]]:
    """Names files by their paths in the folder of a recipe, and others by their content; returns the files, too."""
    files: dict[str, File] = {}

    def name_of(place: str) -> str:
        path = Path(os.path.normpath(place))
        try:
            sha = _hash_of(path)
        except OSError as error:
            raise DatasetError(f"{path} cannot be read ({error}): the recipe names it, put it there") from error
        is_inside = path.is_relative_to(folder)
        name = path.relative_to(folder).as_posix() if is_inside else f"{OUTSIDE}/{sha[:12]}/{path.name}"
        files[name] = File(name if is_inside else str(path), sha)
        return name

    return _with_files(tables, name_of), files


def _hash_of(path: Path) -> str:
    """Returns the hash of a file, or of all files of a sequence with their names."""
    if "%" not in path.name or path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    prefix, _, rest = path.name.partition("%")
    fits = re.compile(re.escape(prefix) + r"\d+" + re.escape(rest.partition("d")[2])).fullmatch
    names = sorted(name for name in os.listdir(path.parent) if fits(name))
    if not names:
        raise FileNotFoundError("there is no file of the sequence")
    digest = hashlib.sha256()
    for name in names:
        digest.update(f"{name}\0{hashlib.sha256((path.parent / name).read_bytes()).hexdigest()}\0".encode())
    return digest.hexdigest()


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
