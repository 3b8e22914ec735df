"""Many worlds together."""

import pickle

import numpy as np
import pytest
import taffeta as tf
from conftest import adaptive_tables, sheet_tables


def test_worlds_make_the_steps_that_each_makes_by_itself() -> None:
    scene = tf.Scene(sheet_tables())
    worlds, single = tf.VectorWorld(scene, 5, threads=2), scene.build(threads=1)
    for _ in range(4):
        reports = worlds.step(1 / 60)
        expected = single.step(1 / 60).state_hash
        assert [report.state_hash for report in reports] == [expected] * 5
    assert worlds.threads == 2 and len(worlds) == 5 and worlds[0].frame == 4


def test_a_seed_decides_what_varies() -> None:
    def vary(scene: tf.Scene, random: np.random.Generator) -> None:
        scene["cloth.0.material.density"] = random.uniform(0.1, 0.3)

    scene = tf.Scene(sheet_tables())
    worlds = tf.VectorWorld(scene, 3, seeds=[1, 2, 1], vary=vary)
    first, second, third = (report.state_hash for report in worlds.step(1 / 60))
    assert first == third != second
    assert scene["cloth.0.material"] == tf.Scene(sheet_tables())["cloth.0.material"], "the scene itself stays"


def test_arrays_are_stacked_where_meshes_stay() -> None:
    worlds = tf.VectorWorld(tf.Scene(sheet_tables()), 3)
    sheets = worlds.cloths["sheet"]
    assert worlds.has_fixed_topology
    positions = np.asarray(sheets.positions)
    assert positions.shape == (3, 49, 3) and np.asarray(sheets.velocities).shape == (3, 49, 3)
    assert isinstance(sheets.faces, np.ndarray)
    out = np.empty((3, 49, 3), np.float32)
    sheets.positions_into(out)
    assert np.array_equal(out, positions.astype(np.float32))
    sheets.normals_into(out)
    assert np.allclose(np.linalg.norm(out, axis=2), 1.0)
    with pytest.raises(ValueError, match="out has 2 rows, but there are 3 worlds"):
        sheets.positions_into(out[:2])


def test_arrays_are_lists_where_meshes_can_change() -> None:
    worlds = tf.VectorWorld(tf.Scene(adaptive_tables()), 2)
    sheets = worlds.cloths["sheet"]
    assert not worlds.has_fixed_topology and isinstance(sheets.positions, list) and isinstance(sheets.faces, list)
    with pytest.raises(tf.ArrayError, match="a buffer of its own"):
        sheets.positions_into(np.empty((2, 25, 3), np.float32))


def test_some_worlds_are_stepped_saved_and_restored() -> None:
    worlds = tf.VectorWorld(tf.Scene(sheet_tables()), 3)
    start = worlds.save()
    worlds.step(1 / 60, only=[0, 2], gravity=(0, 0, -9.81))
    assert [world.frame for world in worlds] == [1, 0, 1]
    worlds.restore(start, only=np.array([2]))
    assert [world.frame for world in worlds] == [1, 0, 0]
    worlds.step(1 / 60, only=np.array([False, False, True]))
    worlds.step(1 / 60, only=[])
    worlds.step(1 / 60, only=[-2])
    assert [world.frame for world in worlds] == [1, 1, 1]


def test_each_world_has_grabs_of_its_own() -> None:
    worlds = tf.VectorWorld(tf.Scene(sheet_tables()), 2)
    for _ in range(5):
        worlds.step(1 / 60, grabs=[[tf.Grab("sheet", (0.5, 0.0), (0, 1, 0))], None])
    pulled, free = (world.cloths["sheet"].positions for world in worlds)
    assert pulled[:, 1].max() > free[:, 1].max() + 0.01


def test_wrong_numbers_of_things_are_refused() -> None:
    scene = tf.Scene(sheet_tables())
    with pytest.raises(ValueError, match="there are 2 seeds for 3 worlds"):
        tf.VectorWorld(scene, 3, seeds=[1, 2])
    with pytest.raises(ValueError, match="at least one"):
        tf.VectorWorld(scene, 0)
    worlds = tf.VectorWorld(scene, 2)
    with pytest.raises(ValueError, match="there are grabs for 1 worlds, but there are 2"):
        worlds.step(1 / 60, grabs=[[]])
    with pytest.raises(ValueError, match="world 1: a grab holds the body \"x\""):
        worlds.step(1 / 60, grabs=[None, [tf.Grab("x", (0, 0), (0, 0, 0))]])
    for only, text in [
        ([0, 0], "only has world 0 twice"),
        ([1, -1], "only has world 1 twice"),
        ([2], "only has world 2, but there are 2, from 0"),
        ([-3], "only has world -3, but there are 2"),
        (np.array([True]), r"a mask of the shape \(1,\)"),
        ([0.5], "must have numbers of worlds"),
        (0, "must have numbers of worlds"),
    ]:
        for use in (lambda: worlds.step(1 / 60, only=only), lambda: worlds.restore(worlds.save(), only=only)):  # noqa: B023
            with pytest.raises(tf.TaffetaError, match=text) as caught:
                use()
            assert not isinstance(caught.value, tf.WorldBusyError)
    assert [world.frame for world in worlds] == [0, 0]
    worlds.step(1 / 60)


def test_a_world_that_fails_is_told_of_and_stays_as_it_was() -> None:
    worlds = tf.VectorWorld(tf.Scene(sheet_tables()), 2)
    with pytest.raises(tf.VectorStepError, match="world 0: .*and 1 more worlds failed") as caught:
        worlds.step(-1.0)
    assert list(caught.value.failures) == [0, 1] and isinstance(caught.value, tf.StepError)
    assert isinstance(caught.value.failures[1], tf.StepInputError)
    assert [world.frame for world in worlds] == [0, 0]


def test_a_failure_names_the_world_and_not_its_place_among_those_that_are_stepped() -> None:
    worlds = tf.VectorWorld(tf.Scene(sheet_tables()), 3)
    with pytest.raises(tf.VectorStepError, match="world 2: ") as caught:
        worlds.step(-1.0, only=[2])
    assert list(caught.value.failures) == [2]
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and isinstance(again.failures[2], tf.StepInputError)
    with pytest.raises(ValueError, match="world 1: a grab holds the body \"x\""):
        worlds.step(1 / 60, grabs=[[tf.Grab("x", (0, 0), (0, 0, 0))]], only=[1])
