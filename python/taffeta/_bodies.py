"""Bodies of a world by name."""

from collections.abc import Mapping
from typing import NoReturn, TypeVar

T = TypeVar("T")


class Bodies(dict[str, T]):
    """Bodies of one kind by name, in the order of the scene."""

    def __init__(self, kind: str, bodies: Mapping[str, T]) -> None:
        super().__init__(bodies)
        self._kind = kind

    def __missing__(self, name: object) -> NoReturn:
        known = ", ".join(map(repr, self)) or "none"
        raise KeyError(f"there is no {self._kind} {name!r}; there are: {known}")
