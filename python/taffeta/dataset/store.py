"""The folder of a set, on any file system of fsspec.

A file gets a temporary name and is renamed when it is whole. Object stores have no names to change: there a file is there at
once, when it is whole.
"""

import json
import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from .._errors import DatasetError
from ._needs import MachineError, need

# Folder of the files that are not whole yet.
PARTIAL = ".partial"
# File systems on which a file appears when it is whole, and not before.
ATOMIC = {"s3", "s3a", "gs", "gcs", "az", "abfs", "adl", "oci", "memory"}


class StoreError(DatasetError):
    """A file system that does not do what it is asked for: no fault of a trajectory."""


class Store:
    """A folder by its path or URL. It pickles: workers open it anew."""

    def __init__(self, url: str, options: dict[str, Any] | None = None) -> None:
        self.url = url if "://" in url else os.path.abspath(url)
        self._options = dict(options or {})
        _ = self._opened

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        """The file system and the folder there. A machine may lack its package, or the way to it."""
        core = need("fsspec.core", "dataset")
        try:
            files, root = core.url_to_fs(self.url, **self._options)
        except Exception as error:
            text = f"{self.url} cannot be opened ({_text_of(error)}): look at the URL, at the keys for it and at the network"
            raise MachineError(text) from error
        return files, str(root)

    def __getstate__(self) -> dict[str, Any]:
        return {"url": self.url, "_options": self._options}

    @property
    def _files(self) -> Any:
        return self._opened[0]

    @property
    def _protocols(self) -> set[str]:
        protocol = self._files.protocol
        return {protocol} if isinstance(protocol, str) else set(protocol)

    @property
    def _is_local(self) -> bool:
        return "file" in self._protocols

    @property
    def _is_atomic(self) -> bool:
        return bool(self._protocols & ATOMIC)

    def path_of(self, name: str) -> str:
        """Returns the path of a file of the set; no name stands for the set itself."""
        return f"{self._opened[1]}/{name}".rstrip("/")

    @contextmanager
    def _asking(self, name: str, verb: str) -> Iterator[None]:
        """Says what was done to which file when the file system refuses; each has exceptions of its own."""
        # Object stores remember what they have listed.
        self._files.invalidate_cache()
        try:
            yield
        except (DatasetError, MemoryError):
            raise
        except Exception as error:
            text = "look whether it is there and may be used, and whether there is space. What is there is whole"
            place = f"{self.url}/{name}".rstrip("/")
            raise StoreError(f"{place} cannot be {verb} ({_text_of(error)}): {text}; the same command goes on") from error

    def exists(self, name: str) -> bool:
        """Says whether a file or a folder is there."""
        with self._asking(name, "looked at"):
            return bool(self._files.exists(self.path_of(name)))

    def read(self, name: str) -> bytes | None:
        """Returns the content of a file; None: there is none."""
        with self._asking(name, "read"):
            try:
                return bytes(self._files.cat_file(self.path_of(name)))
            except FileNotFoundError:
                return None

    def read_json(self, name: str) -> Any:
        """Returns the content of a JSON file; None: there is none."""
        content = self.read(name)
        try:
            return None if content is None else json.loads(content)
        except ValueError as error:
            raise StoreError(f"{self.url}/{name} is no JSON file ({error}): it was not written by this program") from error

    def names(self) -> list[str]:
        """Returns the names in the folder."""
        with self._asking("", "listed"):
            path = self.path_of("")
            names = self._files.ls(path, detail=False) if self._files.exists(path) else []
            return sorted(name.rstrip("/").rsplit("/", 1)[-1] for name in names)

    def sizes(self, folder: str) -> dict[str, int]:
        """Returns the names in a folder, in order, with the bytes of all files that are there or below."""
        with self._asking(folder, "listed"):
            path = self.path_of(folder)
            sizes: dict[str, int] = {}
            for found, entry in self._find(path).items():
                name = found[len(path) :].lstrip("/").split("/", 1)[0]
                sizes[name] = sizes.get(name, 0) + int(entry["size"])
            return dict(sorted(sizes.items()))

    def size(self, name: str) -> int:
        """Returns the bytes of a file, or of all files in a folder; 0: there is none."""
        with self._asking(name, "looked at"):
            return self._size_at(self.path_of(name))

    def _size_at(self, path: str) -> int:
        return sum(int(entry["size"]) for entry in self._find(path).values())

    def _find(self, path: str) -> dict[str, Any]:
        try:
            return dict(self._files.find(path, detail=True))
        except FileNotFoundError:
            return {}

    def write(self, name: str, content: bytes) -> None:
        """Writes a file as a whole."""
        with self._asking(name, "written"):
            if self._is_atomic:
                self._files.pipe_file(self.path_of(name), content)
                return
            with self._partial(name) as partial:
                self._files.pipe_file(partial, content)

    def deliver(self, local: Path, name: str) -> None:
        """Brings a local file or folder to the set."""
        with self._asking(name, "written"):
            if self._is_atomic:
                self._put(local, self.path_of(name))
                return
            with self._partial(name) as partial:
                self._put(local, partial)

    def join(self, name: str, parts: Iterable[str]) -> None:
        """Writes a file that is others, one after another."""
        # Object stores, too, take what was written before an error for a whole file.
        with self._asking(name, "written"), self._partial(name) as partial, self._files.open(partial, "wb") as out:
            for part in parts:
                with self._files.open(self.path_of(part), "rb") as file:
                    while block := file.read(1 << 22):
                        out.write(block)

    def clean(self) -> None:
        """Removes files that were never made whole."""
        self._discard(self.path_of(PARTIAL))

    def _put(self, local: Path, place: str) -> None:
        if local.is_dir():
            for path in sorted(local.rglob("*")):
                if path.is_file():
                    self._put(path, f"{place}/{path.relative_to(local).as_posix()}")
            return
        if not self._is_atomic:
            self._files.makedirs(place.rsplit("/", 1)[0], exist_ok=True)
        self._files.put_file(str(local), place)

    @contextmanager
    def _partial(self, name: str) -> Iterator[str]:
        """Gives a temporary name. What is written there gets its own name at the end, or is removed after an error."""
        partial, path = self.path_of(f"{PARTIAL}/{uuid.uuid4().hex}-{name.rsplit('/', 1)[-1]}"), self.path_of(name)
        if not self._is_atomic:
            for place in (partial, path):
                self._files.makedirs(place.rsplit("/", 1)[0], exist_ok=True)
        try:
            yield partial
            self._rename(partial, path)
        except BaseException:
            self._discard(partial)
            raise

    def _rename(self, partial: str, path: str) -> None:
        if self._is_atomic:
            self._files.cp_file(partial, path)
            self._files.rm_file(partial)
            return
        if self._files.isdir(path):
            if self._size_at(path) == self._size_at(partial):
                # Another worker was faster, with the same content.
                self._discard(partial)
                return
            # It was damaged.
            self._files.rm(path, recursive=True)
        if self._is_local:
            os.replace(partial, path)
        else:
            self._files.mv(partial, path, recursive=True)

    def _discard(self, path: str) -> None:
        try:
            if not self._is_atomic:
                self._files.rm(path, recursive=True)
                return
            # By name, and not as a pattern: folders may have brackets in their names.
            for found in self._find(path):
                self._files.rm_file(found)
        except Exception:
            # It stays until the next run is through.
            pass


def _text_of(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
