"""Exceptions and warnings. The compiled part of the package raises them by their names."""

from collections.abc import Mapping, Sequence


class TaffetaError(Exception):
    """Base of all exceptions of this package."""


class TaffetaWarning(UserWarning):
    """Something that is odd about a scene or a run, though not wrong."""


class SceneError(TaffetaError, ValueError):
    """A scene that cannot be used; the text is that of the program.

    The place is that of the first problem: ``file``, ``line`` and ``column``, counted from 1, and ``key``, such as
    ``cloth.0.grid.cells``. ``line`` and ``column`` are None for a value that was set with ``scene[key] = value``.
    """

    def __init__(
        self,
        text: str,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        key: str | None = None,
        problems: Sequence[str] = (),
    ) -> None:
        super().__init__(text)
        self.file = file
        self.line = line
        self.column = column
        self.key = key
        self.problems = list(problems)


class BuildError(TaffetaError, ValueError):
    """A world that cannot be built from its scene."""


class StepError(TaffetaError, RuntimeError):
    """A step that failed. The world is as it was before."""


class StepInputError(StepError, ValueError):
    """A step whose time step, forces or grabs make no sense. The world is as it was before."""


class VectorStepError(StepError):
    """A step of many worlds, some of which failed. All worlds are as they were before.

    ``failures`` has the exceptions by the numbers of the worlds.
    """

    def __init__(self, text: str, failures: Mapping[int, StepError] | None = None) -> None:
        super().__init__(text)
        self.failures: dict[int, StepError] = dict(failures or {})


class WorldBusyError(TaffetaError, RuntimeError):
    """A world that another thread is using."""


class StaleViewError(TaffetaError, RuntimeError):
    """A view that is read after the mesh of its cloth has changed."""

    def __init__(self, text: str, cloth: str = "", taken: int = 0, current: int = 0) -> None:
        super().__init__(text)
        self.cloth = cloth
        self.taken = taken
        self.current = current


class StateError(TaffetaError, ValueError):
    """Bytes that are no saved state, or that of another world. The world is as it was before."""


class ArrayError(TaffetaError, ValueError):
    """An array or a number with a wrong shape, order, length or value."""


class ArrayTypeError(TaffetaError, TypeError):
    """An array or a number of a wrong type."""


class RunError(TaffetaError, RuntimeError):
    """A run that failed; ``status`` is the exit status of the program: 1 for a failure, 2 for a wrong input."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


class RenderError(TaffetaError, ValueError):
    """A picture that cannot be drawn."""


class RemeshError(TaffetaError, ValueError):
    """A sheet that cannot be remeshed."""


class TextileError(TaffetaError, ValueError):
    """A material that cannot be tested: it is refused, or does not come to rest."""


class DatasetError(TaffetaError, RuntimeError):
    """A data set that cannot be made: its recipe, its folder, a package or a cluster is not as it must be."""
