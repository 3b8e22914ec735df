"""Contact sheet of the first trajectories of a recipe: first, middle and last frame of each."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._errors import DatasetError
from .._pictures import render
from ._needs import need
from .engine import Engine, Lost, run
from .recipes import Recipe

COUNT = 10
WIDTH, HEIGHT, MARGIN = 240, 180, 16

Picture = npt.NDArray[np.uint8]


def draw_preview(recipe: Recipe, seed: int, frames: int, count: int, engine: Engine, path: Path) -> list[str]:
    """Draws the sheet to a PNG file and returns the reasons of trajectories that fail."""
    image = need("PIL.Image", "dataset")
    rows: dict[int, list[Picture]] = {}
    problems = []
    for index, result in run(engine, partial(_pictures_of, recipe, seed, frames), range(count)):
        if isinstance(result, list):
            rows[index] = result
        else:
            problems.append(f"trajectory {index}: {result}")
    if not rows:
        raise DatasetError("no trajectory of the preview could be drawn:\n" + "\n".join(problems))
    try:
        image.fromarray(_sheet_of(rows)).save(path, format="PNG")
    except OSError as error:
        raise DatasetError(f"{path} cannot be written ({error}): choose another file") from error
    return problems


def _pictures_of(recipe: Recipe, seed: int, frames: int, index: int) -> list[Picture] | str:
    try:
        world = (scene := recipe.draw(seed, index)).build(threads=1)
        pictures = [render(world, WIDTH, HEIGHT, wireframe=True)]
        for number in range(1, frames + 1):
            world.step(scene.frame_time)
            if number in (max(1, frames // 2), frames):
                pictures.append(render(world, WIDTH, HEIGHT, wireframe=True))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # An internal error of the compiled part is no Exception.
        return f"{type(error).__name__}: {error}"
    return pictures


def _sheet_of(rows: dict[int, list[Picture]]) -> Picture:
    """Puts two trajectories in a row, each with its number above it."""
    cells = [_strip(index, rows[index]) for index in sorted(rows)]
    if len(cells) % 2:
        cells.append(np.full_like(cells[0], 255))
    pairs = [np.concatenate(cells[k : k + 2], axis=1) for k in range(0, len(cells), 2)]
    return np.concatenate(pairs, axis=0)


def _strip(index: int, pictures: list[Picture]) -> Picture:
    image, draw = need("PIL.Image", "dataset"), need("PIL.ImageDraw", "dataset")
    blank = np.full((HEIGHT, WIDTH, 3), 255, dtype=np.uint8)
    pictures = (pictures + [blank, blank])[:3]
    strip = np.full((HEIGHT + MARGIN, 3 * WIDTH + MARGIN, 3), 255, dtype=np.uint8)
    strip[MARGIN:, : 3 * WIDTH] = np.concatenate(pictures, axis=1)
    picture: Any = image.fromarray(strip)
    draw.Draw(picture).text((4, 2), f"trajectory {index}: first, middle and last frame", fill=(0, 0, 0))
    return np.asarray(picture)
