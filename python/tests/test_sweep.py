"""Sweeps of scenes."""

from pathlib import Path
from typing import Any

import pytest
import taffeta as tf

pytest.importorskip("pandas")
from test_dataset_clusters import dask_cluster


def highest(world: tf.World) -> dict[str, Any]:
    return {"highest": float(world.cloths["sheet"].positions[:, 1].max())}


VARY = {"cloth.0.material": ["cotton", "denim"], "cloth.0.grid.cells": [[4, 4], [6, 6]]}


def test_a_sweep_is_a_table_of_all_combinations(scene: tf.Scene) -> None:
    table = tf.sweep(scene, VARY, frames=3, measure=highest, workers=2)
    assert table["cloth.0.material"].tolist() == ["cotton", "cotton", "denim", "denim"]
    assert table["vertices"].tolist() == [25, 49] * 2 and (table["crossings"] == 0).all() and (table["seconds"] > 0).all()
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
    with dask_cluster(tmp_path, 1) as (address, _), distributed.Client(address, set_as_default=False) as client:
        there = tf.sweep(scene, VARY, frames=2, client=client)
        assert client.status == "running"
    assert here.drop(columns="seconds").equals(there.drop(columns="seconds"))


def test_what_fails_is_in_the_table_and_what_is_wrong_is_refused(scene: tf.Scene) -> None:
    table = tf.sweep(scene, {"simulation.gravity": [[0, -9.81, 0], [0, -1e29, 0]]}, frames=2, workers=0)
    assert table["error"].isna().tolist() == [True, False] and table["vertices"][0] == 49
    with pytest.raises(tf.SceneError, match="velvett"):
        tf.sweep(scene, {"cloth.0.material": ["cotton", "velvett"]})
    with pytest.raises(tf.ArrayError, match="must be a list"):
        tf.sweep(scene, {"cloth.0.material": "cotton"})
    with pytest.raises(tf.ArrayError, match="at least one value"):
        tf.sweep(scene, {"cloth.0.material": []})
