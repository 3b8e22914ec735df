"""Bad input: an exception says what, where and what to do, and the world is as it was before."""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import taffeta as tf
from conftest import sheet_tables


@pytest.fixture
def unchanged(world: tf.World) -> Callable[[], bool]:
    world.step(1 / 60)
    before = world.checkpoint_hash()
    return lambda: world.checkpoint_hash() == before


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda n: np.empty((n + 1, 3), np.float32), ValueError, "has the shape (50, 3), but must be a writeable float32"),
        (lambda n: np.empty((n, 2), np.float32), ValueError, "has the shape (49, 2)"),
        (lambda n: np.empty((n * 3,), np.float32), ValueError, "has the shape (147,)"),
        (lambda n: np.empty((n, 3), np.float64), TypeError, "has elements of type float64"),
        (lambda n: np.empty((n, 3), np.int32), TypeError, "has elements of type int32"),
        (lambda n: np.empty((n, 3), np.float32, order="F"), ValueError, "not contiguous in C order"),
        (lambda n: np.empty((n, 6), np.float32)[:, ::2], ValueError, "not contiguous in C order"),
        (lambda n: np.frombuffer(bytes(12 * n), np.float32).reshape(n, 3), ValueError, "read-only"),
        (lambda n: [[0.0] * 3] * n, TypeError, "is of type list"),
        (lambda n: None, TypeError, "is of type NoneType"),
    ],
)
@pytest.mark.parametrize("method", ["positions_into", "velocities_into", "normals_into"])
def test_only_a_fitting_buffer_is_filled(
    world: tf.World, make: Callable[[int], Any], kind: type[Exception], text: str, method: str
) -> None:
    sheet = world.cloths["sheet"]
    with pytest.raises(kind) as caught:
        getattr(sheet, method)(make(sheet.vertex_count))
    assert text in str(caught.value) and isinstance(caught.value, tf.TaffetaError)
    assert "shape (49, 3)" in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"gravity": (0.0, float("nan"), 0.0)}, ValueError, "gravity has the number NaN"),
        ({"gravity": (0.0, 1.0)}, ValueError, "gravity has 2 numbers, but must have three"),
        ({"gravity": "down"}, TypeError, "gravity is of type str"),
        ({"wind": np.array([1.0, np.inf, 0.0])}, ValueError, "wind has the number inf"),
        ({"wind": 3.0}, TypeError, "wind is of type float"),
        ({"grabs": [tf.Grab("blanket", (0, 0), (0, 0, 0))]}, ValueError, "there are only \"sheet\""),
        ({"grabs": [tf.Grab("sheet", (0, 0), (0, 1e9, 0))]}, ValueError, "grab 0: point"),
        ({"grabs": ["sheet"]}, TypeError, "Grab"),
    ],
)
def test_forces_and_grabs_must_make_sense(
    world: tf.World, unchanged: Callable[[], bool], arguments: dict[str, Any], kind: type[Exception], text: str
) -> None:
    with pytest.raises(kind) as caught:
        world.step(1 / 60, **arguments)
    assert text in str(caught.value)
    assert unchanged()


@pytest.mark.parametrize("dt", [0.0, -1.0, float("nan"), float("inf"), 1e9])
def test_a_time_step_must_be_positive_and_finite(world: tf.World, unchanged: Callable[[], bool], dt: float) -> None:
    with pytest.raises(tf.StepInputError, match="the time step is .* it must be positive"):
        world.step(dt)
    assert unchanged()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tf.Grab("sheet", (0, 0), (0, float("nan"), 0)), "the target of a grab has the number NaN"),
        (lambda: tf.Grab("sheet", (0,), (0, 0, 0)), "the point of a grab has 1 numbers"),
        (lambda: tf.Grab("sheet", (0, 0), (0, 0, 0), stiffness=-1), "stiffness of a grab is -1 N/m"),
        (lambda: tf.Grab("sheet", (0, 0), (0, 0, 0), radius=float("nan")), "radius of a grab is NaN m"),
    ],
)
def test_a_grab_must_make_sense(make: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


def test_a_step_that_fails_leaves_the_world_as_it_was() -> None:
    scene = tf.Scene(sheet_tables())
    world = scene.build()
    world.step(1 / 60)
    before = world.checkpoint_hash()
    with pytest.raises(tf.StepError) as caught:
        world.step(1 / 60, gravity=(0.0, 1e300, 0.0))
    assert " s " in str(caught.value)
    assert world.checkpoint_hash() == before
    world.step(1 / 60)


def test_a_view_kept_over_a_remesh_refuses_to_be_read(adaptive: tf.World) -> None:
    view = adaptive.cloths["sheet"].view("positions")
    assert np.asarray(view).shape == (adaptive.vertex_count, 3)
    while not adaptive.step(1 / 60).remeshed:
        assert np.array_equal(np.asarray(view), adaptive.cloths["sheet"].positions), "a view is of now"
    with pytest.raises(tf.StaleViewError) as caught:
        np.asarray(view)
    error = caught.value
    assert error.cloth == "sheet" and error.taken == view.topology_version < error.current
    assert f"topology version {error.taken}" in str(error) and "take the view again" in str(error)
    assert np.asarray(adaptive.cloths["sheet"].view("positions")).shape == (adaptive.vertex_count, 3)


def test_a_view_is_of_an_array_that_there_is(world: tf.World) -> None:
    with pytest.raises(ValueError, match="there is no view of \"colors\"; there are positions"):
        world.cloths["sheet"].view("colors")  # type: ignore[arg-type]


def test_a_world_used_from_two_threads_refuses_the_second() -> None:
    world = tf.Scene(sheet_tables(cells=40)).build()
    begun, outcomes = threading.Event(), []

    def use() -> None:
        begun.wait()
        for action in (lambda: world.step(1 / 60), lambda: world.time, lambda: world.cloths["sheet"], world.save):
            try:
                outcomes.append(action())
            except tf.WorldBusyError as error:
                outcomes.append(str(error))

    other = threading.Thread(target=use)
    other.start()

    def begin(substep: tf.Substep) -> None:
        if not begun.is_set():
            begun.set()
            other.join()

    world.step(1 / 60, callback=begin)
    assert len(outcomes) == 4
    assert all("another thread is using this world to make a step" in str(text) for text in outcomes)
    assert world.frame == 1
    world.step(1 / 60)


def test_other_threads_run_during_a_step() -> None:
    world = tf.Scene(sheet_tables(cells=60)).build(threads=1)
    count, is_done = 0, threading.Event()

    def tick() -> None:
        nonlocal count
        while not is_done.is_set():
            count += 1
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.monotonic()
    for _ in range(5):
        world.step(1 / 60)
    elapsed = time.monotonic() - start
    is_done.set()
    ticker.join()
    assert count > 20 * elapsed, (count, elapsed)


def test_an_exception_in_a_callback_comes_out_and_the_world_is_as_before(
    world: tf.World, unchanged: Callable[[], bool]
) -> None:
    class Own(Exception):
        pass

    def refuse(substep: tf.Substep) -> None:
        raise Own("not today")

    with pytest.raises(Own, match="not today"):
        world.step(1 / 60, callback=refuse)
    assert unchanged()
    with pytest.raises(TypeError):
        world.step(1 / 60, callback=lambda: None)  # type: ignore[arg-type, misc]
    assert unchanged()
    world.step(1 / 60)


def test_a_callback_cannot_use_the_world(world: tf.World, unchanged: Callable[[], bool]) -> None:
    with pytest.raises(tf.WorldBusyError):
        world.step(1 / 60, callback=lambda substep: world.step(1 / 60))
    assert unchanged()


@pytest.mark.parametrize("targets", [[[0, 0, 0]] * 2, [[0, float("nan"), 0]], "up"])
def test_targets_of_a_callback_must_fit(world: tf.World, unchanged: Callable[[], bool], targets: Any) -> None:
    def aim(substep: tf.Substep) -> None:
        substep.targets = targets

    with pytest.raises(tf.TaffetaError, match="targets"):
        world.step(1 / 60, grabs=[tf.Grab("sheet", (0, 0), (0, 0, 0))], callback=aim)
    assert unchanged()


@pytest.mark.parametrize("state", [b"", b"nonsense", b"\x0e" + bytes(100)])
def test_bytes_that_are_no_state_are_refused(world: tf.World, unchanged: Callable[[], bool], state: bytes) -> None:
    with pytest.raises(tf.StateError, match="the checkpoint"):
        world.restore(state)
    assert unchanged()


def test_the_state_of_another_world_is_refused(world: tf.World, unchanged: Callable[[], bool]) -> None:
    other = tf.Scene(sheet_tables(name="other")).build()
    with pytest.raises(tf.StateError, match=r"the cloths \[other\], but this world has the cloths \[sheet\]"):
        world.restore(other.save())
    assert unchanged()


NAN = float("nan")
POSES = [
    (((0, NAN, 0), (1, 0, 0, 0)), ValueError, "the position of obstacle \"ball\" has the number NaN"),
    (((0, 0, 0), (1, 0, 0, NAN)), ValueError, "the quaternion of obstacle \"ball\" has the number NaN"),
    (((0, 0, 0), (1, 0, 0)), ValueError, "has 3 numbers, but must have four"),
    (((0, 0), (1, 0, 0, 0)), ValueError, "has 2 numbers, but must have three"),
    (((0, 0, 0), (0, 0, 0, 0)), ValueError, "is zero"),
    ((0, 0, 0), TypeError, "is no pose"),
    (None, TypeError, "is no pose"),
    (((0, 1e30, 0), (1, 0, 0, 0)), ValueError, "farther than"),
]


@pytest.mark.parametrize(("pose", "kind", "text"), POSES)
def test_poses_that_are_none_are_refused(pose: Any, kind: type[Exception], text: str) -> None:
    tables = sheet_tables()
    tables["obstacle"] = [{"name": "ball", "shape": {"sphere": {"radius": 0.2}}, "place": {"translate": [0, -3, 0]}}]
    world = tf.Scene(tables).build()
    world.step(1 / 60)
    before = world.checkpoint_hash()
    with pytest.raises(kind) as caught:
        world.obstacles["ball"].pose = pose
    assert text in str(caught.value) and isinstance(caught.value, tf.TaffetaError)
    assert world.checkpoint_hash() == before
    with pytest.raises(tf.ArrayError, match="is no mesh"):
        world.obstacles["ball"].positions = [[0, 0, 0]]


@pytest.mark.parametrize(
    ("targets", "kind", "text"),
    [
        ([[0.0, 0.0, 0.0]] * 9, ValueError, "points are given"),
        ([[0.0, NAN, 0.0]], ValueError, "the targets of pin \"pin 0\" is NaN in row 0"),
        ([[0.0, 1e12, 0.0]], ValueError, "no farther than"),
        ([0.0, 0.0, 0.0], ValueError, "has the shape (3,), but must have (n, 3)"),
        ("there", TypeError, "has elements of type"),
    ],
)
def test_targets_that_do_not_fit_a_pin_are_refused(
    world: tf.World, unchanged: Callable[[], bool], targets: Any, kind: type[Exception], text: str
) -> None:
    with pytest.raises(kind) as caught:
        world.pins["pin 0"].targets = targets
    assert text in str(caught.value)
    assert unchanged()


def test_a_pin_that_has_let_go_or_holds_no_vertex_is_refused(world: tf.World) -> None:
    pin = world.pins["pin 0"]
    pin.release()
    with pytest.raises(ValueError, match="it has let go"):
        pin.targets = [[0.0, 0.0, 0.0]]
    sheet = world.cloths["sheet"]
    with pytest.raises(ValueError, match="it holds no vertex"):
        sheet.add_pin([])
    with pytest.raises(ValueError, match="vertices has vertex 999, but there are 49"):
        sheet.add_pin([999])


def test_a_snapshot_of_another_world_is_refused(world: tf.World, unchanged: Callable[[], bool]) -> None:
    tables = sheet_tables()
    tables["obstacle"] = [{"shape": {"sphere": {"radius": 0.2}}, "place": {"translate": [0, -3, 0]}}]
    with pytest.raises(tf.StateError, match="the snapshot"):
        world.return_to(tf.Scene(tables).build().snapshot())
    assert unchanged()
