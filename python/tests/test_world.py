"""Worlds: steps, reports, states, arrays."""

import copy
import gc
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import taffeta as tf
from conftest import ROOT, sheet_tables


def test_a_step_reports_as_attributes_and_as_a_mapping(world: tf.World) -> None:
    report = world.step(1 / 60)
    assert report.time == pytest.approx(1 / 60) and report.vertices == world.vertex_count
    assert dict(report)["energy"] == report.energy == report["energy"]
    assert report.energy == pytest.approx(
        report.kinetic_energy + report.stretch_energy + report.bend_energy + report.gravity_energy
    )
    assert report.remeshed == () and len(report) == len(report.keys()) == len(report.items())
    assert "vertices" in report and "nothing" not in report and report.get("nothing") is None
    assert set(report.times) >= {"solve", "detect"}
    with pytest.raises(KeyError, match="a report has no \"nothing\"; it has time"):
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
        "vertex_material": ((vertices, 2), np.float64),
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


def test_what_takes_longer_than_its_budget_gets_rougher(adaptive: tf.World) -> None:
    assert adaptive.step(1 / 60).rough is None
    for _ in range(12):
        report = adaptive.step(1 / 60, budget=1e-9)
    accuracy, edges = report["rough"]
    assert accuracy > 1e-4 and edges == pytest.approx(10**0.5)
    assert adaptive.step(1 / 60, budget=1e6).rough is not None, "it gets finer little by little"
    assert adaptive.step(1 / 60).rough is None
    with pytest.raises(tf.StepInputError, match="budget"):
        adaptive.step(1 / 60, budget=0)


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


def write_atlas(path: Path) -> None:
    """Two squares of four cells with the same material coordinates, the second 2 m above the first."""
    rows = [(i / 4, j / 4) for j in range(5) for i in range(5)]
    lines = [f"v {u} {v} {height}" for height in (0, 2) for u, v in rows] + [f"vt {u} {v}" for u, v in rows]
    for first in (0, 25):
        for k in (5 * j + i + 1 for j in range(4) for i in range(4)):
            corners = ((k, k + 1, k + 6), (k, k + 6, k + 5))
            lines += ["f " + " ".join(f"{first + v}/{v}" for v in face) for face in corners]
    path.write_text("\n".join(lines) + "\n")


def test_a_grab_names_its_panel_where_panels_overlap(tmp_path: Path) -> None:
    write_atlas(tmp_path / "atlas.obj")
    tables = {
        "simulation": {"duration": 0.5, "gravity": [0, 0, 0], "threads": 1},
        "cloth": [{"name": "sheet", "mesh": str(tmp_path / "atlas.obj")}],
    }
    world = tf.Scene(tables).build()
    sheet = world.cloths["sheet"]
    assert np.bincount(sheet.panels).tolist() == [32, 32]
    for refused in (lambda: sheet.position_of((0.4, 0.6)), lambda: sheet.position_of((0.4, 0.6), panel=2)):
        with pytest.raises(tf.ArrayError, match="panels"):
            refused()
    with pytest.raises(tf.StepInputError, match="several panels: 0, 1"):
        world.step(1 / 60, grabs=[tf.Grab("sheet", (0.4, 0.6), (0, 0, 0), radius=0.3)])
    assert sheet.position_of((0.4, 0.6), panel=1) == pytest.approx([0.4, 0.6, 2.0])
    grab = tf.Grab("sheet", (0.4, 0.6), (0.4, 0.6, 2.2), radius=0.3, panel=1)
    assert grab.panel == 1 and "panel=1" in repr(grab)
    world.step(1 / 60, grabs=[grab])
    is_above = sheet.positions[:, 2] > 1
    assert np.abs(sheet.velocities[is_above]).max() > 0.1 and np.abs(sheet.velocities[~is_above]).max() == 0


def test_a_grab_with_a_radius_pulls_at_its_point(tmp_path: Path) -> None:
    tables = sheet_tables(pin=[], place={})
    tables["simulation"]["gravity"] = [0, 0, 0]
    for point in ((0.5, 0.5), (0.0, 0.4), (0.0, 0.0)):
        world = tf.Scene(tables).build()
        places = []
        for _ in range(5):
            grab = tf.Grab("sheet", point, (*point, 0), radius=0.3)
            world.step(1 / 60, grabs=[grab], callback=lambda substep: places.append(substep.places[0]))
        assert np.abs(world.cloths["sheet"].velocities).max() < 1e-9
        assert np.allclose(places, (*point, 0), atol=1e-12)


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
    material = {"density": 0.05, "stretch": 1e5, "bend": 1e-5}
    tables["rope"] = [{"name": "line", "length": 1.0, "segments": 8, "radius": 0.01, "material": material}]
    world = tf.Scene(tables).build()
    world.step(1 / 60)
    assert world.ropes["line"].positions.shape == (9, 3)


def test_names_that_are_not_there_are_answered_with_those_that_are(world: tf.World) -> None:
    with pytest.raises(KeyError, match="there is no cloth 'blanket'; there are: 'sheet'"):
        world.cloths["blanket"]


def test_worlds_show_themselves(world: tf.World) -> None:
    assert "49 vertices" in repr(world) and "sheet" in repr(world.cloths["sheet"])
    png = world._repr_png_()
    assert png.startswith(b"\x89PNG\r\n")


def test_an_obstacle_moves_to_a_pose_and_carries_the_cloth() -> None:
    tables = sheet_tables(pin=[], place={"translate": [-0.5, 0.21, 0.5], "rotate_deg": [-90, 0, 0]})
    tables["obstacle"] = [{"name": "ball", "shape": {"sphere": {"radius": 0.2}}}]
    world = tf.Scene(tables).build()
    ball = world.obstacles["ball"]
    assert ball.kind == "sphere" and ball.pose == ((0, 0, 0), (1, 0, 0, 0))
    for _ in range(10):
        world.step(1 / 60)
    before = world.cloths["sheet"].positions
    half = np.sqrt(0.5)
    for k in range(10):
        ball.pose = (np.array([0.0, 0.01 * (k + 1), 0.0]), (half, 0.0, half, 0.0))
        world.step(1 / 60)
    load = world.step(1 / 60).obstacle_loads["ball"]
    assert load.force[1] < 0 and load.torque.shape == (3,) and np.allclose(load.point, [0.0, 0.1, 0.0])
    position, turn = ball.pose
    assert position == pytest.approx((0, 0.1, 0)) and turn == pytest.approx((half, 0, half, 0))
    assert world.cloths["sheet"].positions[:, 1].max() > before[:, 1].max() + 0.05


def test_a_mesh_obstacle_takes_positions() -> None:
    tables = sheet_tables()
    mesh = sorted((ROOT / "meshes").rglob("*.obj"))[0]
    tables["obstacle"] = [{"name": "body", "shape": {"mesh": str(mesh)}, "place": {"translate": [0, -3, 0]}}]
    world = tf.Scene(tables).build()
    body = world.obstacles["body"]
    start = body.positions
    body.positions = start + [0.0, 0.01, 0.0]
    world.step(1 / 60)
    assert np.allclose(body.positions, start + [0.0, 0.01, 0.0])
    faces = body.faces
    assert faces.dtype == np.uint32 and faces.shape[1] == 3 and len(faces) > 0 and faces.max() < len(start)
    assert not faces.flags.writeable
    ball = world.add_obstacle({"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "place": {"translate": [0, 3, 0]}})
    with pytest.raises(tf.ArrayError, match="obstacle \"ball\" is no mesh: it has a pose, but no faces"):
        ball.faces


def test_a_pin_takes_targets_a_pose_and_lets_go() -> None:
    tables = sheet_tables()
    tables["cloth"][0]["pin"][0]["name"] = "hand"
    world = tf.Scene(tables).build()
    assert list(world.pins) == ["hand", "pin 1"]
    hand = world.pins["hand"]
    points = hand.positions + [0.0, 0.02, 0.0]
    hand.targets = points
    world.step(1 / 60)
    assert np.allclose(hand.positions, points) and hand.targets.shape == points.shape
    hand.set_pose(((0.0, 0.0, 0.01), (1, 0, 0, 0)))
    world.step(1 / 60)
    assert np.allclose(hand.positions, points + [0.0, -0.02, 0.01])
    hand.release()
    world.step(1 / 60)
    assert hand.is_released and len(hand.positions) == 0


def test_a_pin_is_added_to_vertices(world: tf.World) -> None:
    sheet = world.cloths["sheet"]
    lowest = int(np.argmax(sheet.positions[:, 2]))
    pin = sheet.add_pin([lowest], name="finger")
    before = sheet.positions[lowest]
    for _ in range(3):
        world.step(1 / 60)
    assert np.array_equal(sheet.positions[lowest], before) and "finger" in world.pins and not pin.is_released


def test_a_pin_follows_an_obstacle(world: tf.World) -> None:
    sheet = world.cloths["sheet"]
    lowest = int(np.argmax(sheet.positions[:, 2]))
    with pytest.raises(tf.ArrayError, match='follows "nothing"'):
        sheet.add_pin([lowest], follow="nothing")
    body = world.add_obstacle({"name": "body", "shape": {"sphere": {"radius": 0.01}}, "place": {"translate": [0, -3, 0]}})
    sheet.add_pin([lowest], follow="body")
    before = sheet.positions[lowest]
    body.pose = ((0.0, -2.99, 0.0), (1, 0, 0, 0))
    world.step(1 / 60)
    assert np.allclose(sheet.positions[lowest], before + [0.0, 0.01, 0.0])


def test_what_a_pin_lets_go_of_is_held_at_once_by_another(world: tf.World) -> None:
    sheet = world.cloths["sheet"]
    first = sheet.add_pin([3, 4], name="finger")
    before = sheet.positions[[3, 4]]
    with pytest.raises(tf.ArrayError, match="holds vertex 3 already"):
        sheet.add_pin([3])
    first.release()
    assert len(first.positions) == 0
    second = sheet.add_pin([3, 4], name="other")
    second.set_pose(((0.0, 0.01, 0.0), (1, 0, 0, 0)))
    world.step(1 / 60)
    assert first.is_released and np.allclose(second.positions, before + [0.0, 0.01, 0.0])


def test_a_pin_knows_the_numbers_of_its_vertices() -> None:
    tables = sheet_tables()
    tables["cloth"].append({**tables["cloth"][0], "name": "other", "place": {"translate": [0, 2, 0]}})
    tables["cloth"][1]["pin"] = [{"name": "hand", "where": {"material_box": [[0.0, 0.95], [0.35, 1.0]]}}]
    material = {"density": 0.05, "stretch": 1e5, "bend": 1e-5}
    tables["rope"] = [
        {"name": "line", "length": 1.0, "segments": 8, "radius": 0.01, "material": material, "place": {"translate": [0, 5, 0]},
         "pin": [{"name": "end", "where": {"ends": "last"}}]}
    ]
    world = tf.Scene(tables).build()
    for name, body in [("pin 0", world.cloths["sheet"]), ("hand", world.cloths["other"]), ("end", world.ropes["line"])]:
        pin = world.pins[name]
        assert pin.vertices.dtype == np.int64 and len(pin.vertices) == len(pin.positions) > 0
        assert np.array_equal(body.positions[pin.vertices], pin.positions), name
    assert len(world.pins["hand"].vertices) == 3
    finger = world.cloths["other"].add_pin([11, 5], name="finger")
    assert sorted(finger.vertices) == [5, 11]
    finger.release()
    world.step(1 / 60)
    assert finger.vertices.shape == (0,)


def test_material_coordinates_of_vertices_are_those_of_the_corners(adaptive: tf.World) -> None:
    sheet = adaptive.cloths["sheet"]
    for _ in range(25):
        adaptive.step(1 / 60)
    assert np.array_equal(sheet.vertex_material[sheet.faces], sheet.material)
    tables = sheet_tables()
    del tables["cloth"][0]["grid"], tables["cloth"][0]["pin"]
    tables["cloth"][0]["ball"] = {"radius": 0.1, "level": 1}
    assert tf.Scene(tables).build().cloths["sheet"].vertex_material is None


def test_large_objects_show_themselves_in_a_line(adaptive: tf.World) -> None:
    sheet = adaptive.cloths["sheet"]
    assert repr(sheet.origins) == f"<Origins of {sheet.vertex_count} vertices>"
    mesh = tf.remesh(sheet.positions, sheet.faces, 0.1, uv=sheet.material)
    assert repr(mesh) == f"<Remeshed, {len(mesh.positions)} vertices, {len(mesh.faces)} faces>"


def test_grabs_and_reports_pickle_and_a_world_says_what_does(world: tf.World) -> None:
    grab = tf.Grab("sheet", (0.5, 0.0), (0, 1, 0), stiffness=7.0, radius=0.25)
    assert repr(pickle.loads(pickle.dumps(grab))) == repr(copy.deepcopy(grab)) == repr(grab)
    world.add_obstacle({"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "place": {"translate": [0, -2, 0]}})
    report = world.step(1 / 60)
    for again in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        assert isinstance(again, tf.StepReport) and repr(again) == repr(report) and again.times == report.times
        for key, value in report.items():
            assert np.array_equal(again[key], value) if key != "obstacle_loads" else list(again[key]) == list(value), key
        assert all(map(np.array_equal, again.obstacle_loads["ball"], report.obstacle_loads["ball"]))
    for use in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"a World cannot be pickled or copied: pickle its Scene"):
            use(world)


def test_bodies_come_and_go(world: tf.World) -> None:
    ball = world.add_obstacle({"name": "ball", "shape": {"sphere": {"radius": 0.1}}, "place": {"translate": [0, -2, 0]}})
    assert ball.kind == "sphere" and list(world.obstacles) == ["ball"]
    with pytest.raises(tf.SceneError, match="radius"):
        world.add_obstacle({"shape": {"sphere": {"radius": -1.0}}})
    table = sheet_tables(name="other", pin=[], place={"translate": [0, 2, 0]})["cloth"][0]
    other = world.add_cloth(table)
    assert list(world.cloths) == ["sheet", "other"] and other.vertex_count == 49
    with pytest.raises(tf.BuildError, match="other"):
        world.add_cloth(table)
    world.step(1 / 60)
    assert other.velocities[:, 1].max() < 0
    kept = other.positions
    other.remove()
    ball.remove()
    world.step(1 / 60)
    assert list(world.cloths) == ["sheet"] and list(world.obstacles) == [] and kept.shape == (49, 3)
    with pytest.raises(tf.ArrayError, match="was removed"):
        other.positions
    with pytest.raises(tf.ArrayError, match="was removed"):
        ball.pose


def test_names_are_free_again_and_mesh_files_are_read_once(tmp_path: Path) -> None:
    mesh = tmp_path / "sheet.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n")
    tables = sheet_tables()
    tables["cloth"].append({"name": "file", "mesh": str(mesh), "material": "cotton", "place": {"translate": [0, 3, 0]}})
    world = tf.Scene(tables).build()
    mesh.unlink()
    table = sheet_tables(name="other", place={"translate": [0, 2, 0]})["cloth"][0]
    table["pin"] = [{"name": "other_pin", "where": {"material_box": [[0, 0], [0.01, 0.01]]}, "release": 0.05}]
    for _ in range(2):
        world.step(1 / 60)
        other = world.add_cloth(table)
        ball = world.add_obstacle({"name": "ball2", "shape": {"sphere": {"radius": 0.1}}, "place": {"translate": [0, -9, 0]}})
        for refused in (lambda: world.add_cloth(table), lambda: world.add_cloth(table | {"name": "third"})):
            with pytest.raises(tf.BuildError, match="has that name already"):
                refused()
        with pytest.raises(tf.BuildError, match="has that name already"):
            world.add_obstacle({"name": "ball2", "shape": {"sphere": {"radius": 0.1}}})
        assert not world.pins["other_pin"].is_released
        world.step(1 / 60)
        assert not world.pins["other_pin"].is_released
        for _ in range(3):
            world.step(1 / 60)
        assert world.pins["other_pin"].is_released
        other.remove()
        ball.remove()
    # What is gone of the scene leaves its name as well.
    world.cloths["file"].remove()
    world.add_cloth(sheet_tables(name="file", pin=[], place={"translate": [0, 4, 0]})["cloth"][0])
    assert list(world.cloths) == ["sheet", "file"]


def test_warnings_about_what_is_added_are_given(world: tf.World, tmp_path: Path) -> None:
    heavy = sheet_tables(name="heavy", pin=[], material={"density": 150.0, "stretch": [500.0, 500.0], "bend": [1e-4, 1e-4]})["cloth"][0]
    with pytest.warns(tf.TaffetaWarning, match="more than any carpet"):
        world.add_cloth(heavy)
    mesh = tmp_path / "body.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\n")
    with pytest.warns(tf.TaffetaWarning, match="1 triangles without area"):
        world.add_obstacle({"shape": {"mesh": str(mesh)}, "place": {"translate": [0, -9, 0]}})


def test_a_cape_is_set_elsewhere_in_its_shape(scene_with_ball: tf.Scene) -> None:
    scene_with_ball["simulation.solver"] = "block"
    world, untouched = scene_with_ball.build(), scene_with_ball.build()
    for other in (world, untouched):
        for _ in range(5):
            other.step(1 / 60)
    sheet, way = world.cloths["sheet"], np.array([100.0, 0.0, 0.0])
    world.teleport(["sheet", world.obstacles["ball"]], position=way)
    for _ in range(3):
        strain = world.step(1 / 60).max_strain
        assert abs(strain - untouched.step(1 / 60).max_strain) < 1e-6
    assert np.abs(sheet.positions - way - untouched.cloths["sheet"].positions).max() < 1e-6
    assert np.abs(sheet.velocities - untouched.cloths["sheet"].velocities).max() < 1e-4
    before = sheet.positions
    world.teleport([sheet, "ball"], rotation=(0, 0, 1, 0), keep_velocities=False)
    assert np.allclose(sheet.positions, before * [-1, 1, -1], atol=1e-12) and not sheet.velocities.any()
    world.obstacles["ball"].teleport(((0, -5, 0), (1, 0, 0, 0)))
    assert world.obstacles["ball"].pose[0] == pytest.approx((0, -5, 0))


def test_a_teleport_that_makes_no_sense_is_refused(scene_with_ball: tf.Scene) -> None:
    world = scene_with_ball.build()
    other = scene_with_ball.build()
    before = world.checkpoint_hash()
    cases: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        (["nobody"], {}, tf.ArrayError, "there are sheet, ball"),
        ([7], {}, tf.ArrayTypeError, "is of type int"),
        (7, {}, tf.ArrayTypeError, "is of type int"),
        ([other.cloths["sheet"]], {}, tf.ArrayError, "of another world"),
        (["sheet"], {"position": (0, 0)}, tf.ArrayError, "has 2 numbers"),
        (["sheet"], {"rotation": (0, 0, 0, 0)}, tf.ArrayError, "is zero"),
        (["sheet"], {"position": (1e12, 0, 0)}, tf.ArrayError, "farther than"),
    ]
    for bodies, keywords, error, words in cases:
        with pytest.raises(error, match=words):
            world.teleport(bodies, **keywords)
    assert world.checkpoint_hash() == before


def test_a_clamped_rope_shows_its_own_vertices() -> None:
    points = [[0.1 * k, 0.0, 0.0] for k in range(6)]
    rope = {"name": "rope", "points": points, "radius": 0.005, "material": {"density": 0.05, "stretch": 1e4, "bend": 1e-3}}
    rope["pin"] = [{"name": "end", "where": {"vertices": [0]}, "clamp": True}]
    world = tf.Scene({"simulation": {"duration": 1.0}, "rope": [rope]}).build()
    assert world.ropes["rope"].positions.shape == (6, 3) and world.ropes["rope"].velocities.shape == (6, 3)
    assert world.pins["end"].positions.tolist() == [[0.0, 0.0, 0.0]]
    world.pins["end"].targets = [[0.0, 0.01, 0.0]]
    world.step(1 / 60)
    assert world.ropes["rope"].positions[0].tolist() == [0.0, 0.01, 0.0]


def test_a_snapshot_is_returned_to(adaptive: tf.World) -> None:
    adaptive.step(1 / 60)
    snapshot = adaptive.snapshot()
    hashes = [adaptive.step(1 / 60).state_hash for _ in range(20)]
    adaptive.return_to(snapshot)
    assert adaptive.time == snapshot.time and adaptive.frame == 1
    assert [adaptive.step(1 / 60).state_hash for _ in range(20)] == hashes


def test_origins_bring_fields_over_a_pass(adaptive: tf.World) -> None:
    sheet = adaptive.cloths["sheet"]
    while True:
        faces, version = sheet.faces, sheet.topology_version
        points = np.zeros((sheet.vertex_count, 2))
        points[faces.reshape(-1)] = sheet.material.reshape(-1, 2)
        if adaptive.step(1 / 60).remeshed == ("sheet",):
            break
        assert sheet.topology_version == version
    origins = sheet.origins
    assert origins.face.shape == (sheet.vertex_count,) and origins.face.max() < len(faces)
    now = np.zeros((sheet.vertex_count, 2))
    now[sheet.faces.reshape(-1)] = sheet.material.reshape(-1, 2)
    assert sheet.topology_version > version and np.allclose(origins.sample(faces, points), now, atol=1e-9)


def test_the_tour_of_the_design_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line that programs may rely on."""
    text = (ROOT / "scenes" / "drape.toml").read_text()
    text = text.replace("[cloth.remesh]", '[[cloth.pin]]\nname = "hand"\nwhere = { material_box = [[0.0, 0.0], [0.1, 0.1]] }\n\n[cloth.remesh]', 1)
    (tmp_path / "drape.toml").write_text(text)
    monkeypatch.chdir(tmp_path)

    scene = tf.Scene.load("drape.toml")
    scene["cloth.0.grid.cells"] = [32, 32]
    scene["cloth.0.grid.cells"] = [10, 10]
    world = scene.build(threads=0)
    for _ in range(3):
        report = world.step(1 / 60)
    assert report.vertices > 0 and isinstance(report.energy, float) and not report.remeshed
    sheet = world.cloths["sheet"]
    assert len(sheet.positions) == len(sheet.velocities) and len(sheet.faces) == len(sheet.material)
    assert sheet.topology_version >= 0 and len(sheet.origins.face) == sheet.vertex_count
    position, quaternion_wxyz = (0.0, 0.21, 0.0), (1.0, 0.0, 0.0, 0.0)
    points = world.pins["hand"].positions + 0.001
    world.obstacles["ball"].pose = (position, quaternion_wxyz)
    world.pins["hand"].targets = points
    world.step(1 / 60)
    state = world.save()
    world.restore(state)
    scene["simulation.duration"] = 0.05
    frames = tf.run(scene, out="out/drape", progress=True)
    assert len(frames) == 4
    image = tf.render(world, width=640)
    assert image.shape == (360, 640, 3) and image.dtype == np.uint8
    positions, faces, origin_face, origin_weights = tf.remesh(sheet.positions, sheet.faces, 0.1, uv=sheet.material, pins=[0])
    assert len(positions) == len(origin_face) == len(origin_weights) and faces.max() < len(positions)
    worlds = tf.VectorWorld(scene, 4, seeds=range(4))
    worlds.step(1 / 60)


def test_vertices_and_faces_have_the_numbers_of_the_file(tmp_path: Path) -> None:
    rows = [(u / 3, v / 3, 0.0) for v in range(4) for u in range(4)]
    order = [k * 5 % 16 for k in range(16)]
    points = np.array([rows[k] for k in order])
    place = {k: number + 1 for number, k in enumerate(order)}
    cells = [4 * v + u for v in range(3) for u in range(3)]
    corners = [[place[k + d] for d in (0, 1, 5, 4)] for k in reversed(cells)]
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
    lines += [f"f {a} {b} {c}\nf {a} {c} {d}" for a, b, c, d in corners]
    (tmp_path / "grid.obj").write_text("\n".join(lines))
    (tmp_path / "a.toml").write_text(
        '[simulation]\nduration = 1.0\n[[cloth]]\nname = "c"\nmesh = "grid.obj"\n'
        '[[cloth.pin]]\nname = "p"\nwhere = { vertices = [9, 2] }\n'
    )
    world = tf.Scene.load(tmp_path / "a.toml").build()
    cloth = world.cloths["c"]
    expected = [[a - 1, b - 1, c - 1] for q in corners for a, b, c in (q[:3], [q[0], q[2], q[3]])]
    assert np.array_equal(cloth.positions, points) and np.array_equal(cloth.faces, expected)
    assert np.array_equal(cloth.vertex_names, np.arange(16))
    assert np.array_equal(world.pins["p"].positions, points[[2, 9]])
    assert np.array_equal(cloth.add_pin([5], name="q").positions[0], points[5])
    world.step(1 / 60)
    assert np.array_equal(cloth.positions[[2, 5, 9]], points[[2, 5, 9]])
    assert np.array_equal(cloth.view("positions"), cloth.positions)


def test_an_obstacle_with_a_mass_moves_by_itself() -> None:
    tables = tf.Scene.load(ROOT / "scenes" / "drape.toml").to_dict()
    tables["obstacle"].append(
        {"name": "crate", "shape": {"box": {"half_size": [0.05] * 3}}, "place": {"translate": [3, 2, 0]}, "mass": 1.0}
    )
    world = tf.Scene(tables).build()
    assert world.obstacles["ball"].velocity is None
    for _ in range(6):
        world.step(1 / 60)
    crate = world.obstacles["crate"]
    assert crate.velocity == pytest.approx((0.0, -0.981, 0.0), abs=1e-9)
    assert crate.angular_velocity == pytest.approx((0.0, 0.0, 0.0))
    assert crate.pose[0][1] == pytest.approx(2 - 0.5 * 9.81 * 0.01, abs=1e-9)
    with pytest.raises(tf.ArrayError, match="moves by itself"):
        crate.pose = ((0, 0, 0), (1, 0, 0, 0))
    added = world.add_obstacle({"name": "late", "shape": {"sphere": {"radius": 0.1}}, "mass": 0.1})
    assert added.velocity == (0.0, 0.0, 0.0)
