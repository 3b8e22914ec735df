"""The vector environment, by the rules of gymnasium."""

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from taffeta.gym import ClothGoalVectorEnv  # noqa: E402


def test_spaces_seeds_and_registration() -> None:
    env = gymnasium.make_vec("taffeta/ClothGoal-v0", num_envs=3)
    observations, info = env.reset(seed=7)
    assert observations in env.observation_space and info == {}
    again, _ = env.reset(seed=[7, 8, 9])
    assert np.array_equal(observations, again)
    assert not np.array_equal(observations[0], observations[1])
    env.action_space.seed(1)
    observations, rewards, terminated, truncated, info = env.step(env.action_space.sample())
    assert observations in env.observation_space and rewards.shape == terminated.shape == truncated.shape == (3,)
    assert (rewards < 0).all() and np.array_equal(rewards, -info["distance"])
    env.close()


def test_one_environment_is_made_and_follows_the_rules() -> None:
    env = gymnasium.make("taffeta/ClothGoal-v0", horizon=4, render_mode="rgb_array")
    # Observations have no bounds, which is a warning of the checker.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env.unwrapped)
    observation, info = env.reset(seed=5)
    assert observation in env.observation_space and info == {}
    vector = gymnasium.make_vec("taffeta/ClothGoal-v0", num_envs=2, horizon=4)
    both, _ = vector.reset(seed=5)
    assert np.array_equal(both[0], observation)
    action = np.full(env.action_space.shape, 0.5, np.float32)
    for step in range(4):
        observation, reward, terminated, truncated, info = env.step(action)
        both, rewards, *_ = vector.step(np.stack([action, action]))
        assert np.array_equal(both[0], observation) and reward == rewards[0] == -info["distance"]
        assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool) and truncated == (step == 3)
    image = env.render()
    assert image.shape[2] == 3 and image.dtype == np.uint8
    with pytest.raises(ValueError, match="are over: reset them"):
        env.step(action)
    env.reset()
    env.step(action)
    env.close()


def test_environments_of_processes_of_their_own() -> None:
    env = gymnasium.make_vec("taffeta/ClothGoal-v0", 2, vectorization_mode="async", vector_kwargs={"context": "spawn"})
    observations, _ = env.reset(seed=1)
    assert observations.shape[0] == 2
    env.step(env.action_space.sample())
    env.close()


def test_pulling_toward_the_goal_gets_there() -> None:
    env = ClothGoalVectorEnv(2, horizon=90, tolerance=0.08)
    observations, _ = env.reset(seed=3)
    distances = []
    for _ in range(90):
        goals = observations[:, -3:]
        middles = observations[:, : -3 * 3].reshape(2, -1, 3).mean(axis=1)
        actions = np.repeat(np.clip((goals - middles) / 0.05, -1, 1)[:, None], 2, axis=1)
        observations, _, terminated, _, info = env.step(actions.astype(np.float32))
        distances.append(info["distance"])
        if terminated.any():
            break
    assert np.min(distances) < 0.5 * np.max(distances), "the cloth comes nearer"


def test_next_step_resets_in_the_step_after_the_last_one() -> None:
    env = ClothGoalVectorEnv(2, horizon=2, autoreset_mode=AutoresetMode.NEXT_STEP)
    assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    env.reset(seed=1)
    still = np.zeros(env.action_space.shape, np.float32)
    assert not env.step(still)[3].any()
    last, _, _, truncated, info = env.step(still)
    assert truncated.all() and "final_obs" not in info
    first, rewards, terminated, truncated, info = env.step(still)
    assert not truncated.any() and not terminated.any() and (rewards == 0).all() and not info["_distance"].any()
    assert not np.array_equal(first, last) and (np.asarray([world.frame for world in env.worlds]) == 0).all()
    assert (env.step(still)[1] < 0).all()


def test_same_step_gives_the_last_observation_in_the_info() -> None:
    env = ClothGoalVectorEnv(2, horizon=2, autoreset_mode="SameStep")
    env.reset(seed=1)
    still = np.zeros(env.action_space.shape, np.float32)
    env.step(still)
    observations, _, _, truncated, info = env.step(still)
    assert truncated.all() and info["_final_obs"].all() and info["_final_info"].all()
    assert info["final_obs"].dtype == object and info["final_obs"][0] in env.single_observation_space
    assert not np.array_equal(info["final_obs"][0], observations[0])
    assert np.array_equal(info["final_info"]["distance"], info["distance"])
    assert [world.frame for world in env.worlds] == [0, 0]


def test_disabled_asks_for_a_reset_of_what_is_over() -> None:
    env = ClothGoalVectorEnv(2, horizon=1, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=1)
    still = np.zeros(env.action_space.shape, np.float32)
    assert env.step(still)[3].all()
    with pytest.raises(ValueError, match="reset them before the next step"):
        env.step(still)
    env.reset(options={"reset_mask": np.array([True, False])})
    assert [world.frame for world in env.worlds] == [0, 1]
    env.reset(options={"reset_mask": np.array([False, True])})
    env.step(still)
    with pytest.raises(ValueError, match="reset_mask"):
        env.reset(options={"reset_mask": [True, False]})


def test_it_goes_with_wrappers_of_gymnasium() -> None:
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(ClothGoalVectorEnv(2, horizon=2))
    env.reset(seed=1)
    still = np.zeros(env.action_space.shape, np.float32)
    env.step(still)
    _, _, _, _, info = env.step(still)
    assert (info["episode"]["l"] == 2).all() and (info["episode"]["r"] < 0).all()


def test_wrong_actions_and_scenes_are_refused() -> None:
    env = ClothGoalVectorEnv(2)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="actions must be finite and of shape"):
        env.step(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="actions must be finite"):
        env.step(np.full(env.action_space.shape, np.nan))
    assert env.render() is None
    assert len(ClothGoalVectorEnv(2, render_mode="rgb_array").render() or ()) == 2
