"""Packages that are needed for a part of the package only."""

import importlib
from typing import Any

from .._errors import DatasetError


def need(module: str, extra: str) -> Any:
    """Imports a module, or says by which extra of the package it is installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        text = f"this needs the Python package {module.split('.')[0]}: pip install \"taffeta[{extra}]\""
        raise DatasetError(f"{text} (in a clone: pip install \"./python[{extra}]\")") from error
