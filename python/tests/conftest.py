"""What tests share."""

from pathlib import Path
from typing import Any

import pytest
import taffeta as tf

ROOT = Path(__file__).resolve().parents[2]


def sheet_tables(cells: int = 6, **cloth: Any) -> dict[str, Any]:
    """A sheet of cotton that hangs from two corners, without remeshing."""
    table = {
        "name": "sheet",
        "grid": {"size": [1.0, 1.0], "cells": [cells, cells], "pattern": "alternating"},
        "material": "cotton",
        "place": {"rotate_deg": [-90, 0, 0]},
        "pin": [{"where": {"material_box": [[0.0, 0.95], [0.05, 1.0]]}}, {"where": {"material_box": [[0.95, 0.95], [1.0, 1.0]]}}],
        **cloth,
    }
    return {"simulation": {"duration": 0.5, "threads": 1}, "cloth": [table]}


def adaptive_tables() -> dict[str, Any]:
    """A sheet that falls onto a ball and is remeshed."""
    tables = sheet_tables(
        cells=4,
        pin=[],
        place={"translate": [-0.5, 0.3, 0.5], "rotate_deg": [-90, 0, 0]},
        remesh={"size_min": 0.05, "size_max": 0.3, "refine_error": 0.01},
    )
    tables["obstacle"] = [{"shape": {"sphere": {"radius": 0.2}}}]
    return tables


@pytest.fixture
def scene() -> tf.Scene:
    return tf.Scene(sheet_tables())


@pytest.fixture
def world(scene: tf.Scene) -> tf.World:
    return scene.build()


@pytest.fixture
def adaptive() -> tf.World:
    return tf.Scene(adaptive_tables()).build()


@pytest.fixture
def scene_with_ball() -> tf.Scene:
    """The hanging sheet over a ball that it falls onto."""
    tables = sheet_tables()
    tables["obstacle"] = [
        {"name": "ball", "shape": {"sphere": {"radius": 0.2}}, "place": {"translate": [0.5, -0.23, -0.5]}}
    ]
    return tf.Scene(tables)
