"""Pictures of worlds and of results."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ._errors import ArrayTypeError
from ._taffeta import World, encode_png, render_result, render_world

if TYPE_CHECKING:
    from ._run import Frame, Result

# Width over height of a picture that gives no height.
ASPECT = 16 / 9


def render(
    what: "World | Result | Frame",
    width: int = 640,
    height: int | None = None,
    *,
    wireframe: bool = False,
    camera: Sequence[float] | None = None,
    target: Sequence[float] | None = None,
) -> npt.NDArray[np.uint8]:
    """Draws a world as it is now, or a frame of a result, and returns an image of shape (height, width, 3).

    ``camera`` and ``target`` are points [m]: where the camera stands and what it looks at. Without them it is the camera of
    the scene, or one that sees all cloths. Of a result the last frame is drawn.
    """
    from ._run import Frame, Result

    height = max(1, round(width / ASPECT)) if height is None else height
    if isinstance(what, World):
        return render_world(what, width, height, wireframe, camera, target)
    if camera is not None or target is not None:
        raise ArrayTypeError("camera and target are for worlds; the camera of a result is that of its scene")
    if isinstance(what, Frame):
        return render_result(what.folder, what.number, width, height, wireframe)
    if isinstance(what, Result):
        return render_result(what.folder, None, width, height, wireframe)
    raise ArrayTypeError(f"render draws a World, a Result or a Frame, not a {type(what).__name__}")


def png_of(what: "World | Result | Frame", width: int = 640) -> bytes:
    """Draws a picture as a PNG file, as notebooks show it."""
    return encode_png(render(what, width))
