"""Compares two policies in the vector environment: pulling at random, and pulling toward the goal.

    python gym_goal.py

Episodes begin anew by themselves; the observation that ends one is in ``info["final_obs"]``.
"""

import json
from pathlib import Path

import gymnasium
import numpy as np
import taffeta.gym  # noqa: F401  (registers the environment)
from gymnasium.vector import AutoresetMode

ENVS, STEPS, POINTS = 4, 60, 2


def pull_at_random(observations, random):
    """Actions without a plan."""
    return random.uniform(-1, 1, (ENVS, POINTS, 3)).astype(np.float32)


def pull_to_goal(observations, random):
    """Actions along the way from the middle of the cloth to the goal, which is the last point observed."""
    points = observations.reshape(ENVS, -1, 3)
    way = points[:, -1] - points[:, : -POINTS - 1].mean(axis=1)
    return np.repeat(np.clip(way / 0.05, -1, 1)[:, None], POINTS, axis=1).astype(np.float32)


def run(policy):
    """The mean distance from the goal at the ends of episodes [m], and how many there were."""
    env = gymnasium.make_vec("taffeta/ClothGoal-v0", num_envs=ENVS, horizon=30, autoreset_mode=AutoresetMode.SAME_STEP)
    observations, _ = env.reset(seed=0)
    random, ends = np.random.default_rng(0), []
    for _ in range(STEPS):
        observations, _, _, _, info = env.step(policy(observations, random))
        if "final_obs" in info:
            ends.extend(info["final_info"]["distance"][info["_final_info"]])
    env.close()
    return float(np.mean(ends)), len(ends)


results = {}
for policy in (pull_at_random, pull_to_goal):
    distance, episodes = run(policy)
    results[policy.__name__] = distance
    print(f"{policy.__name__}: {episodes} episodes end {distance:.3f} m from their goals")
assert results["pull_to_goal"] < results["pull_at_random"]
Path("goals.json").write_text(json.dumps(results))
