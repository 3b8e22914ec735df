"""The folder of a set, on any file system of fsspec.

A file gets a temporary name and is renamed when it is whole. Object stores have no names to change: there a file is there at
once, when it is whole.
"""

import json
import os
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .._errors import DatasetError
from ._needs import need

# Folder of the files that are not whole yet.
PARTIAL = ".partial"
# File systems on which a file appears when it is whole, and not before.
ATOMIC = {"s3", "s3a", "gs", "gcs", "az", "abfs", "adl", "oci", "memory"}


class Store:
    """A folder by its path or URL. It pickles: workers open it anew."""

    def __init__(self, url: str, options: dict[str, Any] | None = None) -> None:
        self.url = url if "://" in url else os.path.abspath(url)
        self._options = dict(options or {})
        self._open()

    def _open(self) -> None:
        core = need("fsspec.core", "dataset")
        try:
            self._files, self._root = core.url_to_fs(self.url, **self._options)
        except (ImportError, ValueError) as error:
            raise DatasetError(f"{self.url} cannot be opened: {error}") from error
        protocol = self._files.protocol
        names = {protocol} if isinstance(protocol, str) else set(protocol)
        self._is_local, self._is_atomic = "file" in names, bool(names & ATOMIC)

    def __getstate__(self) -> dict[str, Any]:
        return {"url": self.url, "_options": self._options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()

    def path_of(self, name: str) -> str:
        """Returns the path of a file of the set."""
        return f"{self._root}/{name}"

    def exists(self, name: str) -> bool:
        """Says whether a file or a folder is there."""
        # Object stores remember what they have listed.
        self._files.invalidate_cache()
        return bool(self._files.exists(self.path_of(name)))

    def read(self, name: str) -> bytes:
        """Returns the content of a file."""
        return bytes(self._files.cat_file(self.path_of(name)))

    def read_json(self, name: str) -> Any:
        """Returns the content of a JSON file; None: there is none."""
        try:
            return json.loads(self.read(name))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise DatasetError(f"{self.url}/{name} is no JSON file ({error}): it was not written by this program") from error

    def list(self, folder: str = "") -> dict[str, int | None]:
        """Returns the names in a folder, in order, with the sizes of those that are files."""
        path = self.path_of(folder) if folder else self._root
        self._files.invalidate_cache()
        if not self._files.exists(path):
            return {}
        entries = self._files.ls(path, detail=True)
        sizes = {entry["name"].rstrip("/").rsplit("/", 1)[-1]: _size_of(entry) for entry in entries}
        return dict(sorted(sizes.items()))

    def is_whole(self, name: str, size: int) -> bool:
        """Says whether a folder is there, or a file of that size."""
        return self.exists(name) and _size_of(self._files.info(self.path_of(name))) in (size, None)

    def write(self, name: str, content: bytes) -> None:
        """Writes a file as a whole."""
        if self._is_atomic:
            self._files.pipe_file(self.path_of(name), content)
            return
        partial = self._begin(name)
        try:
            self._files.pipe_file(partial, content)
            self._rename(partial, name)
        except BaseException:
            self._discard(partial)
            raise

    def deliver(self, local: Path, name: str) -> None:
        """Brings a local file or folder to the set."""
        if self._is_atomic:
            self._put(local, self.path_of(name))
            return
        partial = self._begin(name)
        try:
            self._put(local, partial)
            self._rename(partial, name)
        except BaseException:
            self._discard(partial)
            raise

    def join(self, name: str, parts: Iterable[str]) -> None:
        """Writes a file that is others, one after another."""
        place = self.path_of(name) if self._is_atomic else self._begin(name)
        try:
            with self._files.open(place, "wb") as out:
                for part in parts:
                    with self._files.open(self.path_of(part), "rb") as file:
                        while block := file.read(1 << 22):
                            out.write(block)
            if not self._is_atomic:
                self._rename(place, name)
        except BaseException:
            self._discard(place)
            raise

    def clean(self) -> None:
        """Removes files that were never made whole."""
        self._discard(self.path_of(PARTIAL))

    def _put(self, local: Path, place: str) -> None:
        if local.is_dir():
            for path in sorted(local.rglob("*")):
                if path.is_file():
                    self._put(path, f"{place}/{path.relative_to(local).as_posix()}")
        elif self._is_local:
            self._files.makedirs(place.rsplit("/", 1)[0], exist_ok=True)
            self._files.pipe_file(place, local.read_bytes())
        else:
            self._files.put_file(str(local), place)

    def _begin(self, name: str) -> str:
        """Returns a temporary name, in a folder that is there."""
        self._files.makedirs(self.path_of(PARTIAL), exist_ok=True)
        return self.path_of(f"{PARTIAL}/{uuid.uuid4().hex}-{name.rsplit('/', 1)[-1]}")

    def _rename(self, partial: str, name: str) -> None:
        path = self.path_of(name)
        self._files.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
        if not self._is_local:
            self._files.mv(partial, path, recursive=True)
        elif os.path.isdir(partial) and os.path.isdir(path):
            # Another worker was faster, with the same content.
            self._discard(partial)
        else:
            os.replace(partial, path)

    def _discard(self, path: str) -> None:
        try:
            self._files.rm(path, recursive=True)
        except (OSError, ValueError):
            pass


def _size_of(entry: dict[str, Any]) -> int | None:
    """Returns the size of a file; None: it is a folder."""
    return None if entry["type"] == "directory" else int(entry["size"])
