"""What a machine must have: packages, files, memory."""

import importlib
from typing import Any

from .._errors import DatasetError


class MachineError(DatasetError):
    """A machine could not do what another one might: no fault of a trajectory."""

    machine = ""
    """Name of the machine, as the engine knows it."""


class MissingPackageError(MachineError):
    """A package that is not installed here."""


def need(module: str, extra: str) -> Any:
    """Imports a module, or says by which extra of the package it is installed."""
    try:
        found = importlib.import_module(module)
        if getattr(found, "__file__", None) is None:
            # Any folder of that name where the program runs.
            raise ImportError(module)
        return found
    except ImportError as error:
        text = f"this needs the Python package {module.split('.')[0]}: pip install \"taffeta[{extra}]\""
        raise MissingPackageError(f"{text} (in a clone: pip install \"./python[{extra}]\")") from error
