"""Pictures."""

import numpy as np
import pytest
import taffeta as tf
from conftest import adaptive_tables
from taffeta._taffeta import encode_png


def test_a_picture_is_an_array_of_colors(adaptive: tf.World) -> None:
    image = tf.render(adaptive, width=320)
    assert image.shape == (180, 320, 3) and image.dtype == np.uint8
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 50
    assert np.array_equal(image, tf.render(adaptive, 320, 180)), "the same world gives the same picture"
    assert not np.array_equal(image, tf.render(adaptive, 320, wireframe=True))
    near = tf.render(adaptive, 320, camera=(0.5, 0.5, 0.5), target=(0, 0, 0))
    assert not np.array_equal(image, near)


def test_the_camera_of_the_scene_is_taken() -> None:
    scene = tf.Scene(adaptive_tables())
    plain = tf.render(scene.build(), 160)
    scene["camera"] = {"position": [1.0, 1.0, 2.0], "target": [0.0, 0.0, 0.0]}
    assert not np.array_equal(plain, tf.render(scene.build(), 160))


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"width": 0}, tf.RenderError, "0"),
        ({"width": 100_000}, tf.RenderError, "100000"),
        ({"camera": (0, 0)}, ValueError, "camera has 2 numbers"),
        ({"camera": (0, 0, float("nan"))}, ValueError, "camera has the number NaN"),
        ({"camera": (0, 1, 0), "target": (0, 1, 0)}, tf.RenderError, "one line"),
        ({"what": 3}, TypeError, "not a int"),
    ],
)
def test_impossible_pictures_are_refused(
    adaptive: tf.World, arguments: dict[str, object], kind: type[Exception], text: str
) -> None:
    with pytest.raises(kind, match=text):
        tf.render(**{"what": adaptive, **arguments})  # type: ignore[arg-type]


def test_a_png_file_is_made_of_an_image_only() -> None:
    assert encode_png(np.zeros((2, 3, 3), np.uint8)).startswith(b"\x89PNG")
    with pytest.raises(ValueError, match=r"must have \(height, width, 3\)"):
        encode_png(np.zeros((2, 3, 4), np.uint8))
