"""Sweeps of scenes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import taffeta as tf

pytest.importorskip("pandas")
from conftest import ROOT
from taffeta._taffeta import run_program
from taffeta.dataset.engine import Local
from test_dataset_clusters import dask_cluster


def highest(world: tf.World) -> dict[str, Any]:
    return {"highest": float(world.cloths["sheet"].positions[:, 1].max())}


VARY = {"cloth.0.material": ["cotton", "denim"], "cloth.0.grid.cells": [[4, 4], [6, 6]]}


def test_a_sweep_is_a_table_of_all_combinations(scene: tf.Scene) -> None:
    table = tf.sweep(scene, VARY, frames=3, measure=highest, workers=2)
    assert table["cloth.0.material"].tolist() == ["cotton", "cotton", "denim", "denim"]
    assert table["vertices_final"].tolist() == [25, 49] * 2 and (table["crossings"] == 0).all() and (table["cpu_s"] > 0).all()
    assert table["state_hash"].nunique() == 4 and table["error"].isna().all()
    own = scene.copy()
    own.update({"cloth.0.material": "denim", "cloth.0.grid.cells": [4, 4]})
    world = own.build()
    for _ in range(3):
        report = world.step(own.frame_time)
    assert table["state_hash"][2] == report.state_hash and table["highest"][2] == highest(world)["highest"]


def test_a_sweep_runs_on_a_client_of_dask(scene: tf.Scene, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    here = tf.sweep(scene, VARY, frames=2, workers=0)
    times = ["wall_s", "cpu_s", "frame_ms"]
    with dask_cluster(tmp_path, 1) as (address, _), distributed.Client(address, set_as_default=False) as client:
        there = tf.sweep(scene, VARY, frames=2, client=client)
        assert client.status == "running"
        again = tf.sweep(scene, VARY, frames=2, client=address)
    for table in (there, again):
        assert here.drop(columns=times).equals(table.drop(columns=times))


def test_a_sweep_runs_on_an_engine_that_is_left_open(scene: tf.Scene) -> None:
    engine = Local(2)
    try:
        for _ in range(2):
            assert tf.sweep(scene, VARY, frames=1, client=engine)["error"].isna().all()
    finally:
        engine.close()


def test_a_sweep_has_the_columns_of_a_study(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = str(ROOT / "scenes" / "swing.toml")
    given = ["--vary", "cloth.0.material=silk,denim", "--frames", "4", "--no-check", "--quiet", "--out", str(tmp_path / "study")]
    assert run_program(["taffeta", "study", path, *given]) == 0
    study = pandas.read_csv(tmp_path / "study" / "study.csv")
    table = tf.sweep(path, {"cloth.0.material": ["silk", "denim"]}, frames=4, workers=0)
    shared = [name for name in study.columns if name in table.columns]
    assert len(shared) == 21 and not {"wall_s", "cpu_s", "frame_ms"} - set(shared)
    for name in set(shared) - {"wall_s", "cpu_s", "frame_ms"}:
        if table[name].dtype.kind == "f":
            assert np.allclose(table[name], study[name], rtol=1e-12, atol=1e-15), name
        else:
            assert table[name].tolist() == study[name].tolist(), name


def test_paths_vary_together(scene: tf.Scene) -> None:
    vary = {("cloth.0.material", "cloth.0.grid.cells"): [("silk", [4, 4]), ("denim", [6, 6])], "simulation.gravity": [[0, -9, 0], [0, -1, 0]]}
    table = tf.sweep(scene, vary, frames=1, workers=0)
    assert table["cloth.0.material"].tolist() == ["silk", "silk", "denim", "denim"]
    assert table["vertices_final"].tolist() == [25, 25, 49, 49] and table["state_hash"].nunique() == 4
    with pytest.raises(tf.ArrayError, match="has cloth.0.material, which varies already"):
        tf.sweep(scene, {"cloth.0.material": ["silk"], ("cloth.0.grid.cells", "cloth.0.material"): [([4, 4], "denim")]})
    with pytest.raises(tf.ArrayError, match="needs a tuple of 2 values"):
        tf.sweep(scene, {("cloth.0.material", "cloth.0.grid.cells"): [("silk",)]})


class InternalError(BaseException):
    """As an internal error of the compiled part: no Exception."""


def fails_on_fine_meshes(world: tf.World) -> dict[str, Any]:
    count = world.vertex_count
    if count > 40:
        raise InternalError("too fine")
    return {"share": 1 / (count - 25)}


def test_an_error_of_one_combination_is_a_row(scene: tf.Scene) -> None:
    vary = {"cloth.0.grid.cells": [[4, 4], [5, 5], [6, 6]]}
    table = tf.sweep(scene, vary, frames=1, measure=fails_on_fine_meshes, workers=2)
    assert table["error"][0].startswith("ZeroDivisionError: ") and table["error"][2] == "InternalError: too fine"
    assert table["error"].isna().tolist() == [False, True, False] and table["share"][1] == 1 / 11


def test_what_fails_is_in_the_table_and_what_is_wrong_is_refused(scene: tf.Scene) -> None:
    table = tf.sweep(scene, {"simulation.gravity": [[0, -9.81, 0], [0, -1e29, 0]]}, frames=2, workers=0)
    assert table["error"].isna().tolist() == [True, False] and table["vertices_final"][0] == 49
    with pytest.raises(tf.SceneError, match="velvett"):
        tf.sweep(scene, {"cloth.0.material": ["cotton", "velvett"]})
    with pytest.raises(tf.ArrayError, match="must be a list"):
        tf.sweep(scene, {"cloth.0.material": "cotton"})
    with pytest.raises(tf.ArrayError, match="at least one value"):
        tf.sweep(scene, {"cloth.0.material": []})
