"""Worlds: steps, reports, states, arrays."""

import gc

import numpy as np
import pytest
import taffeta as tf
from conftest import sheet_tables


def test_a_step_reports_as_attributes_and_as_a_mapping(world: tf.World) -> None:
    report = world.step(1 / 60)
    assert report.time == pytest.approx(1 / 60) and report.vertices == world.vertex_count
    assert dict(report)["energy"] == report.energy == report["energy"]
    assert report.energy == pytest.approx(
        report.kinetic_energy + report.stretch_energy + report.bend_energy + report.gravity_energy
    )
    assert report.remeshed is False and len(report) == len(report.keys()) == len(report.items())
    assert "vertices" in report and "nothing" not in report and report.get("nothing") is None
    assert set(report.times) >= {"solve", "detect"}
    with pytest.raises(KeyError, match="a report has no 'nothing'; it has time"):
        report["nothing"]


def test_forces_of_a_step_count_for_that_step(scene: tf.Scene) -> None:
    floating, falling = scene.build(), scene.build()
    floating.step(1 / 60, gravity=(0.0, 0.0, 0.0))
    falling.step(1 / 60)
    assert floating.measure()["kinetic_energy"] < 1e-12 < falling.measure()["kinetic_energy"]


def test_arrays_keep_the_values_of_when_they_were_taken(world: tf.World) -> None:
    sheet = world.cloths["sheet"]
    before = sheet.positions
    copy = before.copy()
    for _ in range(3):
        world.step(1 / 60)
    assert np.array_equal(before, copy)
    assert np.linalg.norm(sheet.positions - before, axis=1).max() > 1e-3
    del world, sheet
    gc.collect()
    assert np.array_equal(before, copy)


def test_arrays_have_the_documented_shapes_and_are_read_only(world: tf.World) -> None:
    sheet = world.cloths["sheet"]
    vertices, faces = sheet.vertex_count, sheet.face_count
    assert (vertices, faces) == (world.vertex_count, world.face_count)
    expected = {
        "positions": ((vertices, 3), np.float64),
        "velocities": ((vertices, 3), np.float64),
        "normals": ((vertices, 3), np.float32),
        "faces": ((faces, 3), np.uint32),
        "material": ((faces, 3, 2), np.float64),
        "strains": ((faces,), np.float64),
        "sizes": ((vertices,), np.float64),
    }
    for name, (shape, dtype) in expected.items():
        array = getattr(sheet, name)
        assert array.shape == shape and array.dtype == dtype, name
        assert not array.flags.writeable, name
        with pytest.raises(ValueError):
            array[0] = 0


def test_views_cannot_be_made_writeable(world: tf.World) -> None:
    for name in ("positions", "velocities", "faces", "material"):
        with pytest.raises(ValueError):
            getattr(world.cloths["sheet"], name).flags.writeable = True


def test_buffers_are_filled_with_positions_velocities_and_normals(adaptive: tf.World) -> None:
    for _ in range(25):
        adaptive.step(1 / 60)
    sheet = adaptive.cloths["sheet"]
    out = np.empty((sheet.vertex_count, 3), dtype=np.float32)
    sheet.positions_into(out)
    assert np.array_equal(out, sheet.positions.astype(np.float32))
    sheet.velocities_into(out)
    assert np.array_equal(out, sheet.velocities.astype(np.float32))
    sheet.normals_into(out)
    x, faces = sheet.positions, sheet.faces
    areas = np.cross(x[faces[:, 1]] - x[faces[:, 0]], x[faces[:, 2]] - x[faces[:, 0]])
    expected = np.zeros_like(x)
    for corner in range(3):
        np.add.at(expected, faces[:, corner], areas)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.abs(out - expected).max() < 1e-4


def test_a_state_is_bytes_and_restores_to_the_bit(world: tf.World) -> None:
    world.step(1 / 60)
    state = world.save()
    hashes = [world.step(1 / 60).state_hash for _ in range(3)]
    world.restore(state)
    assert world.frame == 1
    assert [world.step(1 / 60).state_hash for _ in range(3)] == hashes


def test_the_number_of_threads_does_not_change_a_bit() -> None:
    scene = tf.Scene(sheet_tables(cells=20))
    worlds = [scene.build(threads=threads) for threads in (1, 2)]
    for _ in range(3):
        one, two = (world.step(1 / 60).state_hash for world in worlds)
        assert one == two


def test_a_grab_pulls_and_a_callback_moves_its_target(world: tf.World) -> None:
    target = np.array([0.0, 1.0, 0.0])
    seen = []

    def lift(substep: tf.Substep) -> None:
        seen.append((substep.time, substep.length, substep.places.copy()))
        substep.targets = substep.targets + [0.0, 0.01, 0.0]

    for _ in range(5):
        world.step(1 / 60, grabs=[tf.Grab("sheet", (0.5, 0.0), target, radius=0.1)], callback=lift)
    assert len(seen) >= 5 and all(length > 0 for _, length, _ in seen)
    assert seen[-1][2][0, 1] > seen[0][2][0, 1], "what is held has gone up"


def test_a_callback_that_changes_nothing_makes_the_same_step(scene: tf.Scene) -> None:
    plain, watched = scene.build(), scene.build()
    for _ in range(3):
        assert plain.step(1 / 60).state_hash == watched.step(1 / 60, callback=lambda substep: None).state_hash


def test_an_equilibrium_takes_no_time(world: tf.World) -> None:
    report = world.equilibrate()
    assert report.time == 0.0 and report.residual < 1e-3
    assert np.abs(world.cloths["sheet"].velocities).max() == 0.0


def test_a_rope_has_arrays_of_its_own() -> None:
    tables = sheet_tables()
    tables["rope"] = [{"name": "line", "points": [[2, 0, 0], [3, 0, 0]], "segments": 8, "radius": 0.01, "density": 1000.0}]
    try:
        world = tf.Scene(tables).build()
    except tf.SceneError as error:
        pytest.fail(str(error))
    world.step(1 / 60)
    assert world.ropes["line"].positions.shape == (9, 3)


def test_names_that_are_not_there_are_answered_with_those_that_are(world: tf.World) -> None:
    with pytest.raises(KeyError, match="there is no cloth 'blanket'; there are: 'sheet'"):
        world.cloths["blanket"]


def test_worlds_show_themselves(world: tf.World) -> None:
    assert "49 vertices" in repr(world) and "sheet" in repr(world.cloths["sheet"])
    png = world._repr_png_()
    assert png.startswith(b"\x89PNG\r\n")
