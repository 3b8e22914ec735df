"""Measures what the package costs: steps, buffers, many worlds. Prints a line per figure.

    python measure.py            all
    python measure.py step       one: step, buffer, worlds

Times are medians; other programs that run on the machine make them longer.
"""

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import taffeta as tf
from taffeta._taffeta import time_steps


def sheet(cells: int, **cloth: object) -> tf.Scene:
    """A sheet that hangs from one side."""
    table = {
        "name": "sheet",
        "grid": {"size": [1.0, 1.0], "cells": [cells, cells], "pattern": "alternating"},
        "material": "cotton",
        "place": {"rotate_deg": [-90, 0, 0]},
        "pin": [{"where": {"material_box": [[0.0, 1.0], [1.0, 1.0]]}}],
        **cloth,
    }
    return tf.Scene({"simulation": {"duration": 10.0, "threads": 1}, "cloth": [table]})


def median(work: Callable[[], object], count: int) -> float:
    """The median time of some work [s]."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


# What a program does between two steps [s]: about as long as the loop in Python, so that threads fall asleep in both.
PAUSE = 2e-5


def measure_step() -> None:
    """Cost of a step of 289 vertices from Python and from Rust, by turns and over the same motion."""
    dt, count, rounds = 1 / 60, 20, 20
    world = sheet(16).build(threads=1)
    world.step(dt)
    differences, rust = [], []
    for _ in range(rounds):
        state = world.save()
        # Both from a state that was restored, so that both build the same things anew.
        world.restore(state)
        own = []
        for _ in range(count):
            start = time.perf_counter()
            world.step(dt)
            own.append(time.perf_counter() - start)
        world.restore(state)
        same = time_steps(world, dt, count, PAUSE)
        differences.extend(a - b for a, b in zip(own, same, strict=True))
        rust.extend(same)
    print(f"step of {world.vertex_count} vertices from Rust: {1e6 * statistics.median(rust):.0f} µs")
    print(f"  from Python more by {1e6 * statistics.median(differences):.1f} µs")
    # At rest, where a step does next to nothing, so that the difference stands out.
    rest = sheet(16).build(threads=1)
    rest.equilibrate()
    rest.step(dt)
    idle = median(lambda: rest.step(dt), 400) - statistics.median(time_steps(rest, dt, 400, PAUSE))
    print(f"  at rest more by {1e6 * idle:.1f} µs")


def measure_buffer() -> None:
    """Reading positions and normals of 10 000 vertices into buffers."""
    world = sheet(99).build(threads=1)
    cloth = world.cloths["sheet"]
    out = np.empty((cloth.vertex_count, 3), np.float32)
    cloth.normals_into(out)
    for name in ("positions_into", "velocities_into", "normals_into"):
        took = median(lambda name=name: getattr(cloth, name)(out), 400)
        print(f"{name} of {cloth.vertex_count} vertices: {1e3 * took:.4f} ms")
    print(f"positions of {cloth.vertex_count} vertices as an array: {1e6 * median(lambda: cloth.positions, 400):.1f} µs")


def measure_worlds() -> None:
    """32 worlds of 289 vertices on two threads against one, by turns and over the same motion."""
    scene, count, dt = sheet(16), 32, 1 / 60
    vectors = {threads: tf.VectorWorld(scene, count, threads=threads) for threads in (1, 2)}
    took: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(60):
        for threads, worlds in vectors.items():
            start = time.perf_counter()
            worlds.step(dt)
            took[threads].append(time.perf_counter() - start)
    for threads, times in took.items():
        speed = count * dt / statistics.median(times)
        print(f"{count} worlds on {threads} threads: {speed:.1f} simulated seconds per second")
    ratio = statistics.median(a / b for a, b in zip(took[1], took[2], strict=True))
    print(f"  two threads against one: {ratio:.2f} times")


PARTS = {"step": measure_step, "buffer": measure_buffer, "worlds": measure_worlds}

if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()
