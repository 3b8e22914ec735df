"""Many worlds that are stepped together."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _taffeta
from ._bodies import Bodies
from ._errors import ArrayError, ArrayTypeError
from ._taffeta import Cloth, Grab, Scene, StepReport, World

Arrays = npt.NDArray[np.float64] | list[npt.NDArray[np.float64]]
# Numbers of worlds, or a mask of all.
Only = Sequence[int] | npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_] | None


class VectorCloth:
    """One cloth of each world."""

    def __init__(self, cloths: Sequence[Cloth], is_fixed: bool) -> None:
        self.cloths = tuple(cloths)
        """The cloth of each world."""
        self._is_fixed = is_fixed

    @property
    def positions(self) -> Arrays:
        """Positions [m]: shape (worlds, vertices, 3), or a list of arrays where meshes can change."""
        return self._collect([cloth.positions for cloth in self.cloths])

    @property
    def velocities(self) -> Arrays:
        """Velocities [m/s]: shape (worlds, vertices, 3), or a list of arrays where meshes can change."""
        return self._collect([cloth.velocities for cloth in self.cloths])

    @property
    def faces(self) -> npt.NDArray[np.uint32] | list[npt.NDArray[np.uint32]]:
        """Corners of the faces: of all worlds, or a list where meshes can change."""
        return self.cloths[0].faces if self._is_fixed else [cloth.faces for cloth in self.cloths]

    def positions_into(self, out: npt.NDArray[np.float32]) -> None:
        """Writes the positions into a float32 array of shape (worlds, vertices, 3) [m]."""
        self._write("positions_into", out)

    def velocities_into(self, out: npt.NDArray[np.float32]) -> None:
        """Writes the velocities into a float32 array of shape (worlds, vertices, 3) [m/s]."""
        self._write("velocities_into", out)

    def normals_into(self, out: npt.NDArray[np.float32]) -> None:
        """Writes the unit normals at the vertices into a float32 array of shape (worlds, vertices, 3)."""
        self._write("normals_into", out)

    def __repr__(self) -> str:
        return f"<VectorCloth {self.cloths[0].name!r} of {len(self.cloths)} worlds>"

    def _write(self, method: str, out: npt.NDArray[np.float32]) -> None:
        if not self._is_fixed:
            raise ArrayError("meshes can change in these worlds: write each cloth into a buffer of its own")
        if len(out) != len(self.cloths):
            raise ArrayError(f"out has {len(out)} rows, but there are {len(self.cloths)} worlds")
        for cloth, part in zip(self.cloths, out, strict=True):
            getattr(cloth, method)(part)

    def _collect(self, arrays: list[npt.NDArray[np.float64]]) -> Arrays:
        return np.stack(arrays) if self._is_fixed else arrays


class VectorWorld(Sequence[World]):
    """Worlds that are stepped together over all cores, each on one thread.

    ``vary(scene, random)`` changes the scene of each world; ``random`` is a generator with the seed of the world, so that a
    world follows from the scene and its seed alone.
    """

    def __init__(
        self,
        scene: Scene,
        count: int,
        *,
        seeds: Sequence[int] | None = None,
        vary: Callable[[Scene, np.random.Generator], None] | None = None,
        threads: int = 0,
    ) -> None:
        self.seeds = list(range(count) if seeds is None else seeds)
        """The seed of each world."""
        if len(self.seeds) != count or count < 1:
            raise ArrayError(f"there are {len(self.seeds)} seeds for {count} worlds; give one for each, at least one")
        self._crew = _taffeta.Crew(threads)
        self._worlds: list[World] = []
        for seed in self.seeds:
            own = scene.copy()
            if vary is not None:
                vary(own, np.random.default_rng(seed))
            self._worlds.append(own.build(threads=1))
        self.has_fixed_topology = all(world.has_fixed_topology for world in self._worlds) and self._are_alike()
        """True if all worlds have the same mesh forever, so that their arrays can be stacked."""

    def _are_alike(self) -> bool:
        first = [(name, cloth.faces) for name, cloth in self._worlds[0].cloths.items()]
        return all(
            all(np.array_equal(world.cloths[name].faces, faces) for name, faces in first) for world in self._worlds[1:]
        )

    @property
    def threads(self) -> int:
        """Number of threads."""
        return self._crew.threads

    @property
    def cloths(self) -> Bodies[VectorCloth]:
        """The cloths by name, each of all worlds together."""
        own = [world.cloths for world in self._worlds]
        names = own[0].keys()
        cloths = {name: VectorCloth([each[name] for each in own], self.has_fixed_topology) for name in names}
        return Bodies("cloth", cloths)

    def step(
        self,
        dt: float,
        *,
        gravity: Sequence[float] | npt.NDArray[np.float64] | None = None,
        wind: Sequence[float] | npt.NDArray[np.float64] | None = None,
        grabs: Sequence[Sequence[Grab] | None] | None = None,
        only: Only = None,
    ) -> list[StepReport]:
        """Advances all worlds by a time [s], or those with the numbers ``only``, which may also be a mask of all worlds.

        ``grabs`` has a list of grabs for each world that is stepped. If one world fails, all are as before the step.
        """
        worlds = [(number, self._worlds[number]) for number in self._choose(only)]
        return _taffeta.step_worlds(self._crew, worlds, dt, gravity, wind, grabs)

    def _choose(self, only: Only) -> list[int]:
        """The numbers of the chosen worlds, from 0, in the order in which they are given; None are all."""
        count = len(self)
        if only is None:
            return list(range(count))
        chosen = np.asarray(only)
        if chosen.dtype == np.bool_:
            if chosen.shape != (count,):
                raise ArrayError(f"only is a mask of the shape {chosen.shape}, but must have ({count},)")
            return [int(number) for number in np.flatnonzero(chosen)]
        if chosen.ndim != 1 or (chosen.size > 0 and chosen.dtype.kind not in "iu"):
            raise ArrayTypeError(f"only is {only!r}, but must have numbers of worlds or be a mask of them")
        numbers: list[int] = []
        for given in map(int, chosen):
            number = given + count if given < 0 else given
            if not 0 <= number < count:
                raise ArrayError(f"only has world {given}, but there are {count}, from 0")
            if number in numbers:
                raise ArrayError(f"only has world {number} twice; a step moves each world once")
            numbers.append(number)
        return numbers

    def save(self) -> list[bytes]:
        """Returns the state of each world."""
        return [world.save() for world in self._worlds]

    def restore(self, states: Sequence[bytes], only: Only = None) -> None:
        """Takes the worlds back to saved states, all of them or those with the numbers ``only`` or in a mask."""
        numbers = self._choose(only)
        if len(states) != len(self):
            raise ArrayError(f"there are {len(states)} states, but {len(self)} worlds")
        for number in numbers:
            self._worlds[number].restore(states[number])

    def __len__(self) -> int:
        return len(self._worlds)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self._worlds[index]

    def __iter__(self) -> Iterator[World]:
        return iter(self._worlds)

    def __repr__(self) -> str:
        return f"<VectorWorld of {len(self)} worlds on {self.threads} threads>"
