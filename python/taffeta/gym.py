"""Environments of gymnasium: a cloth is brought to a goal by grabbing points of it.

Importing this module registers ``taffeta/ClothGoal-v0``. ``gymnasium.make_vec`` makes a ``ClothGoalVectorEnv``, whose worlds
are stepped together over all cores, and ``gymnasium.make`` a ``ClothGoalEnv``, which is one of them. It needs the extra
``taffeta[gym]``.

========== ====================================================================================================
action     for each grabbed point, how fast its target moves, as a part of ``speed``: Box(-1, 1, (points, 3))
observed   positions of the vertices, targets of the grabs and the goal, relative to the start [m]: a flat Box
reward     minus the distance of the middle of the cloth from the goal [m]
terminated the middle is within ``tolerance`` of the goal
truncated  after ``horizon`` steps
========== ====================================================================================================

Episodes of the vector environment begin anew as ``autoreset_mode`` says, with the meaning that gymnasium gives it: ``NEXT_STEP`` (the next step resets
and ignores the action), ``SAME_STEP`` (``info["final_obs"]`` has the last observation) or ``DISABLED`` (``reset`` with
``options={"reset_mask": mask}``).
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ._pictures import render
from ._taffeta import Grab, Scene, World
from ._vector import VectorWorld

# A square of cotton above the ground, of 81 vertices.
SIDE = 0.4
DEFAULT_SCENE: dict[str, Any] = {
    "simulation": {"duration": 10.0, "accuracy": "draft"},
    "cloth": [
        {
            "name": "cloth",
            "grid": {"size": [SIDE, SIDE], "cells": [8, 8], "pattern": "alternating"},
            "material": "cotton",
            "place": {"translate": [-SIDE / 2, 0.3, SIDE / 2], "rotate_deg": [-90, 0, 0]},
        }
    ],
    "obstacle": [{"shape": {"plane": {"normal": [0, 1, 0]}}}],
}
CORNERS = ((0.0, 0.0), (SIDE, 0.0))
# Steps per second.
FPS = 30

Observations = npt.NDArray[np.float32]


class ClothGoalVectorEnv(VectorEnv[Observations, npt.NDArray[Any], npt.NDArray[Any]]):
    """Environments in which the middle of a cloth is to come to a goal."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": FPS, "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 8,
        *,
        scene: Scene | None = None,
        points: Sequence[Sequence[float]] = CORNERS,
        dt: float = 1 / FPS,
        horizon: int = 60,
        speed: float = 1.0,
        stiffness: float = 100.0,
        goal_radius: float = 0.3,
        tolerance: float = 0.05,
        threads: int = 0,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        super().__init__()
        self.worlds = VectorWorld(Scene(DEFAULT_SCENE) if scene is None else scene, num_envs, threads=threads)
        """The worlds, one for each environment."""
        if not self.worlds.has_fixed_topology:
            raise ValueError("observations have a fixed length: the scene must not remesh its cloths, sew or tear them")
        self.name = next(iter(self.worlds.cloths))
        """The cloth that is observed and grabbed."""
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "render_fps": round(1 / dt), "autoreset_mode": self.autoreset_mode}
        self.points, self.dt, self.horizon, self.speed = np.asarray(points, dtype=float), dt, horizon, speed
        self.stiffness, self.goal_radius, self.tolerance = stiffness, goal_radius, tolerance
        self._initial = self.worlds.save()
        start = np.asarray(self.worlds.cloths[self.name].positions)[0]
        self._middle = start.mean(axis=0)
        self._grabbed = self._find_places()
        size = 3 * (len(start) + len(self.points) + 1)
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float32)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (len(self.points), 3), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._randoms = [np.random.default_rng() for _ in range(num_envs)]
        self._targets = np.tile(self._grabbed, (num_envs, 1, 1))
        self._goals = np.tile(self._middle, (num_envs, 1))
        self._steps = np.zeros(num_envs, dtype=int)
        self._is_over = np.zeros(num_envs, dtype=bool)

    def _find_places(self) -> npt.NDArray[np.float64]:
        """Positions of the grabbed points at the start [m]."""
        cloth = self.worlds[0].cloths[self.name]
        if cloth.material is None:
            raise ValueError("points are material coordinates: the cloth needs some")
        return np.array([cloth.position_of(point[:2]) for point in self.points])

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begins episodes anew: all of them, or those in ``options["reset_mask"]``."""
        mask = (options or {}).get("reset_mask", np.ones(self.num_envs, dtype=bool))
        if not (isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (self.num_envs,)):
            raise ValueError(f"options['reset_mask'] must be an array of bool of shape ({self.num_envs},)")
        seeds = [int(seed) + k for k in range(self.num_envs)] if isinstance(seed, int | np.integer) else seed
        if seeds is not None:
            if len(seeds) != self.num_envs:
                raise ValueError(f"there are {len(seeds)} seeds for {self.num_envs} environments")
            for number, own in enumerate(seeds):
                if mask[number] and own is not None:
                    self._randoms[number] = np.random.default_rng(own)
        self._begin(mask)
        return self._observe(), {}

    def _begin(self, mask: npt.NDArray[np.bool_]) -> None:
        numbers = np.flatnonzero(mask)
        self.worlds.restore(self._initial, only=numbers)
        self._targets[numbers] = self._grabbed
        self._steps[numbers] = 0
        self._is_over[numbers] = False
        for number in numbers:
            direction = self._randoms[number].normal(size=3)
            direction[1] = abs(direction[1])
            self._goals[number] = self._middle + self.goal_radius * direction / np.linalg.norm(direction)

    def _observe(self) -> Observations:
        positions = np.asarray(self.worlds.cloths[self.name].positions)
        rows = np.concatenate([positions, self._targets, self._goals[:, None]], axis=1) - self._middle
        return np.asarray(rows.reshape(self.num_envs, -1), dtype=np.float32)

    def step(
        self, actions: npt.NDArray[Any]
    ) -> tuple[Observations, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Moves the targets of the grabs, steps the worlds, and begins episodes anew as the mode says."""
        actions = np.asarray(actions, dtype=float)
        if actions.shape != self.action_space.shape or not np.isfinite(actions).all():
            raise ValueError(f"actions must be finite and of shape {self.action_space.shape}, not {actions.shape}")
        is_next = self.autoreset_mode == AutoresetMode.NEXT_STEP
        renewed = self._is_over.copy() if is_next else np.zeros(self.num_envs, dtype=bool)
        if self.autoreset_mode == AutoresetMode.DISABLED and self._is_over.any():
            raise ValueError(f"the episodes {np.flatnonzero(self._is_over)} are over: reset them before the next step")
        self._begin(renewed)
        self._advance(np.flatnonzero(~renewed), actions)
        observations = self._observe()
        distances = self._distances()
        terminated = (distances < self.tolerance) & ~renewed
        truncated = (self._steps >= self.horizon) & ~renewed
        self._is_over = terminated | truncated
        info: dict[str, Any] = {"distance": distances, "_distance": ~renewed}
        rewards = np.where(renewed, 0.0, -distances)
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._is_over.any():
            info.update(self._final_info(observations, info))
            self._begin(self._is_over)
            observations = self._observe()
        return observations, rewards, terminated, truncated, info

    def _advance(self, numbers: npt.NDArray[Any], actions: npt.NDArray[Any]) -> None:
        if len(numbers) == 0:
            return
        self._targets[numbers] += np.clip(actions[numbers], -1.0, 1.0) * (self.speed * self.dt)
        pull = [
            [
                Grab(self.name, point, target, stiffness=self.stiffness)
                for point, target in zip(self.points, targets, strict=True)
            ]
            for targets in self._targets[numbers]
        ]
        self.worlds.step(self.dt, grabs=pull, only=numbers)
        self._steps[numbers] += 1

    def _distances(self) -> npt.NDArray[np.float64]:
        middles = np.asarray(self.worlds.cloths[self.name].positions).mean(axis=1)
        return np.asarray(np.linalg.norm(middles - self._goals, axis=1))

    def _final_info(self, observations: Observations, info: dict[str, Any]) -> dict[str, Any]:
        final = np.full(self.num_envs, None, dtype=object)
        for number in np.flatnonzero(self._is_over):
            final[number] = observations[number]
        distances = np.where(self._is_over, info["distance"], 0.0)
        inner = {"distance": distances, "_distance": self._is_over.copy()}
        masks = {"_final_obs": self._is_over.copy(), "_final_info": self._is_over.copy()}
        return {"final_obs": final, "final_info": inner, **masks}

    def render(self) -> tuple[npt.NDArray[np.uint8], ...] | None:
        """Draws each world, in the mode ``rgb_array``."""
        if self.render_mode != "rgb_array":
            return None
        return tuple(render(world) for world in self.worlds)


class ClothGoalEnv(gymnasium.Env[Observations, npt.NDArray[Any]]):
    """One environment in which the middle of a cloth is to come to a goal, with the arguments of ``ClothGoalVectorEnv``."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": FPS}

    def __init__(self, *, render_mode: str | None = None, **settings: Any) -> None:
        self._one = ClothGoalVectorEnv(
            1, threads=1, render_mode=render_mode, autoreset_mode=AutoresetMode.DISABLED, **settings
        )
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_fps": self._one.metadata["render_fps"]}
        self.observation_space = self._one.single_observation_space
        self.action_space = self._one.single_action_space

    @property
    def world(self) -> World:
        """The world."""
        world: World = self._one.worlds[0]
        return world

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        observations, _ = self._one.reset(seed=seed)
        return observations[0], {}

    def step(self, action: npt.NDArray[Any]) -> tuple[Observations, float, bool, bool, dict[str, Any]]:
        """Moves the targets of the grabs and steps the world."""
        observations, rewards, terminated, truncated, info = self._one.step(np.asarray(action)[None])
        distance = float(info["distance"][0])
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), {"distance": distance}

    def render(self) -> npt.NDArray[np.uint8] | None:
        """Draws the world, in the mode ``rgb_array``."""
        images = self._one.render()
        return None if images is None else images[0]


gymnasium.register(
    "taffeta/ClothGoal-v0",
    entry_point="taffeta.gym:ClothGoalEnv",
    vector_entry_point="taffeta.gym:ClothGoalVectorEnv",
)
