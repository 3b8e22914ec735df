"""The remesher by itself."""

from typing import Any

import numpy as np
import pytest
import taffeta as tf

SQUARE = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])
UV = SQUARE[:, :2].copy()


def test_a_square_gets_edges_of_the_wanted_length() -> None:
    mesh = tf.remesh(SQUARE, FACES, 0.1, uv=UV)
    positions, faces, origin_face, origin_weights = mesh
    assert len(positions) > 60 and faces.max() == len(positions) - 1
    edges = positions[faces] - positions[np.roll(faces, 1, axis=1)]
    assert np.linalg.norm(edges, axis=2).max() < 0.1 * (1 + 1e-9)
    assert origin_face.shape == (len(positions),) and origin_weights.shape == (len(positions), 3)
    assert np.allclose(mesh.sample(FACES, SQUARE), positions, atol=1e-12)
    assert np.allclose(mesh.sample(FACES, SQUARE[:, 0]), positions[:, 0], atol=1e-12)


def test_sizes_tensors_pins_and_corners_are_taken() -> None:
    graded = tf.remesh(SQUARE, FACES, [0.05, 0.3, 0.3, 0.05], uv=UV)
    left, right = (graded.positions[:, 0] < 0.3).sum(), (graded.positions[:, 0] > 0.7).sum()
    assert left > 2 * right
    tensor = np.tile([1 / 0.2**2, 0.0, 1 / 0.1**2], (4, 1))
    full = np.tile(np.diag([1 / 0.2**2, 1 / 0.1**2]), (4, 1, 1))
    by_rows = tf.remesh(SQUARE, FACES, tensor, uv=UV)
    assert np.array_equal(by_rows.positions, tf.remesh(SQUARE, FACES, full, uv=UV[FACES]).positions)
    masked = tf.remesh(SQUARE, FACES, 0.1, uv=UV, pins=[False, True, True, False])
    assert np.array_equal(masked.positions, tf.remesh(SQUARE, FACES, 0.1, uv=UV, pins=[1, 2]).positions)


def test_a_closed_surface_needs_no_coordinates() -> None:
    tetrahedron = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    mesh = tf.remesh(tetrahedron, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], 0.2)
    assert len(mesh.faces) == 2 * len(mesh.positions) - 4


def test_a_mesh_that_is_not_as_fine_as_asked_is_warned_of() -> None:
    with pytest.warns(tf.TaffetaWarning, match="not as fine as asked"):
        tf.remesh(SQUARE, FACES, 0.01, uv=UV, max_vertices=50)


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"positions": SQUARE[:, :2]}, ValueError, "positions has the shape (4, 2), but must have (n, 3)"),
        ({"positions": SQUARE.astype(complex)}, TypeError, "positions has elements of type complex128"),
        ({"positions": [["a"] * 3] * 4}, TypeError, "positions has elements of type"),
        ({"positions": np.where(SQUARE == 1, np.nan, 0.0)}, ValueError, "positions is NaN in row 1"),
        ({"faces": FACES.astype(float)}, TypeError, "faces has elements of type float64, but must have whole numbers"),
        ({"faces": FACES + 2}, ValueError, "faces has vertex 4 in row 0, but there are 4"),
        ({"faces": FACES - 1}, ValueError, "faces has vertex -1"),
        ({"faces": FACES[0]}, ValueError, "faces has the shape (3,)"),
        ({"faces": [[0, 1, 1]]}, tf.RemeshError, ""),
        ({"sizing": [0.1, 0.1]}, ValueError, "sizing has the shape"),
        ({"sizing": -1.0}, tf.RemeshError, ""),
        ({"sizing": float("inf")}, ValueError, "sizing is inf"),
        ({"uv": UV[:2]}, ValueError, "uv has the shape"),
        ({"pins": [7]}, ValueError, "pins has vertex 7"),
        ({"pins": [0.5]}, TypeError, "pins has elements of type float64"),
        ({"pins": [True, False]}, ValueError, "pins has the shape (2,)"),
    ],
)
def test_wrong_arrays_are_refused(arguments: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as caught:
        tf.remesh(**{"positions": SQUARE, "faces": FACES, "sizing": 0.1, "uv": UV, **arguments})
    assert text in str(caught.value) and isinstance(caught.value, tf.TaffetaError)


def test_arrays_in_any_order_are_read() -> None:
    expected = tf.remesh(SQUARE, FACES, 0.2, uv=UV).positions
    other = tf.remesh(np.asfortranarray(SQUARE), FACES.astype(np.uint8)[:, :], 0.2, uv=np.asfortranarray(UV)).positions
    assert np.array_equal(expected, other)
