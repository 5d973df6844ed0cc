# SPDX-License-Identifier: MIT
"""carom.torch, if PyTorch is installed: plays the same as the vector environment, as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import carom  # noqa: E402
import carom.mirror  # noqa: E402
import carom.torch  # noqa: E402

MADE: dict[str, Any] = {"opponent": "random", "per": "body", "observation": "ego", "precision": "f32", "ticks": 15}


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize(
    ("game", "made"),
    [
        ("csb", MADE),
        ("csb", {"players": "both", "ticks": 15}),
        ("csb", {"per": "body", "ticks": 15, "reward": "game"}),
        ("csb", {"observation": "ego", "normalised": True, "ticks": 15}),
        ("soccer", {"opponent": "striker", "per": "body", "observation": "ego", "robots": 2, "ticks": 15}),
        ("fantastic_bits", {"opponent": "zero", "per": "body"}),
        ("penalty.json", {}),
        ("four_goals.json", {"players": "all", "observation": "ego"}),
    ],
)
def test_plays_what_the_vector_environment_plays(
    game: str, made: dict[str, Any], copy: bool, device: str, scenes: Any, request: pytest.FixtureRequest
) -> None:
    gymnasium = pytest.importorskip("carom.gymnasium")
    if device == "cuda":
        request.getfixturevalue("torch_cuda")
        if game.endswith(".json"):
            pytest.skip("scenes do not play on devices")
    game = str(scenes / game) if game.endswith(".json") else game
    rows = 4 * carom.torch.Env(game, 8, **made)._rows.per_world
    env = carom.torch.Env(game, rows, device=device, copy=copy, **made)
    plain = gymnasium.VectorEnv(game, rows, autoreset_mode="same_step", **made)
    plain.action_space.seed(1)
    expected, _ = plain.reset(seed=3)
    seen, _ = env.reset(seed=3)
    same = np.allclose if "normalised" in made else np.array_equal  # by a division, which may round differently
    assert (env.num_envs, env.num_obs) == tuple(seen.shape) == expected.shape
    ended = 0
    for tick in range(40):
        assert same(seen.cpu().numpy(), expected), tick
        actions = plain.action_space.sample()
        assert actions.shape == (rows, env.num_actions)
        before = seen.clone()
        expected, rewards, terminated, truncated, info = plain.step(actions)
        old, (seen, gained, over, stopped, told) = seen, env.step(torch.from_numpy(actions).to(device))
        assert not copy or torch.equal(old, before)
        assert gained.shape == (rows,)
        assert np.array_equal(gained.cpu().numpy(), rewards)
        assert np.array_equal(over.cpu().numpy(), terminated)
        assert np.array_equal(stopped.cpu().numpy(), truncated)
        done = terminated | truncated
        if done.any():
            ended += 1
            assert same(told["final_observations"].cpu().numpy()[done], info["final_obs"][done])
            for name, values in told["result"].items():
                assert np.array_equal(values.cpu().numpy()[done], info["result"][name][done]), name
    assert ended == 2 or "ticks" not in made
    env.close()


@pytest.mark.parametrize("game", ["csb", "soccer"])
def test_mirror_images(game: str) -> None:
    env = carom.torch.Env(game, 48, per="body", observation="ego", mirrored=True)
    mirror = carom.mirror.Mirror(game)
    seen, _ = env.reset(seed=3)
    for _ in range(10):  # in the first tick of csb pods turn as they like
        ego = env._seen("observations").clone()
        assert np.array_equal(seen.numpy(), mirror.see(ego.numpy()))
        said = torch.rand(48, env.num_actions) * 3 - 1.5
        seen, *_ = env.step(said)
        acted = env.worlds.actions.reshape(len(env.worlds), -1, env.num_actions)
        bodies = env._rows.bodies
        expected = mirror.act(ego.numpy(), said.numpy()).reshape(len(env.worlds), bodies, -1)
        assert np.allclose(acted[:, :bodies], expected, atol=1e-6)


@pytest.fixture
def torch_cuda() -> None:
    import os

    if not torch.cuda.is_available():
        assert os.environ.get("CAROM_REQUIRE_DEVICE") != "1", "PyTorch sees no GPU"
        pytest.skip("there is no device for PyTorch")


def test_rows_are_reset_together() -> None:
    env = carom.torch.Env("csb", 8, per="body", observation="ego", precision="f32")
    env.reset(seed=1)
    for _ in range(5):
        seen, *_ = env.step(torch.zeros(8, env.num_actions))
    mask = torch.tensor([False, False, True, True, False, False, False, False])
    found = env.reset_rows(mask)
    assert torch.equal(found[~mask], seen[~mask])
    assert not torch.equal(found[mask], seen[mask])
    assert list(env.worlds["tick"][:, 0] == 0) == [False, True, False, False]


def test_what_is_wrong_is_refused() -> None:
    with pytest.raises(ValueError, match="a multiple of 2"):
        carom.torch.Env("csb", 3, per="body")
    env = carom.torch.Env("csb", 4)
    with pytest.raises(ValueError, match=r"actions: shape \(4, 4\)"):
        env.step(torch.zeros(4, 3))
    if not carom.devices():
        with pytest.raises(RuntimeError, match="device: 'cuda'"):
            carom.torch.Env("csb", 4, device="cuda")


def test_rsl_rl_takes_it() -> None:
    pytest.importorskip("tensordict")
    env = carom.torch.RslRl(carom.torch.Env("csb", 6, ticks=4, precision="f32"))
    assert env.max_episode_length == 4
    seen = env.get_observations()
    assert seen.batch_size == torch.Size([6])
    assert seen["policy"].shape == (6, env.env.num_obs)
    lengths = []
    for _ in range(6):
        seen, rewards, dones, extras = env.step(torch.zeros(6, env.num_actions))
        assert rewards.shape == dones.shape == extras["time_outs"].shape == (6,)
        assert dones.dtype == torch.long
        lengths.append((int(env.episode_length_buf[0]), int(dones[0])))
    assert lengths == [(1, 0), (2, 0), (3, 0), (0, 1), (1, 0), (2, 0)]
    env.reset()
    assert not env.episode_length_buf.any()
    vec_env = pytest.importorskip("rsl_rl.env").VecEnv
    for name in vec_env.__annotations__:
        assert hasattr(env, name), name
    for name in vec_env.__abstractmethods__:
        assert callable(getattr(env, name)), name


def test_skrl_takes_it() -> None:
    pytest.importorskip("skrl")
    env = carom.torch.skrl(carom.torch.Env("csb", 6, per="body", observation="ego", normalised=True, precision="f32"))
    seen, _ = env.reset()
    assert seen.shape == (6, *env.observation_space.shape)
    assert env.action_space.shape == (2,)
    assert (env.num_envs, env.num_agents, env.device.type) == (6, 1, "cpu")
    seen, rewards, terminated, truncated, _ = env.step(torch.zeros(6, 2))
    assert rewards.shape == terminated.shape == truncated.shape == (6, 1)
    assert env.render().shape[2] == 3
    env.close()


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_torchrl_goes_on_where_games_have_ended(device: str, request: pytest.FixtureRequest) -> None:
    pytest.importorskip("torchrl")
    from torchrl.envs import check_env_specs

    import carom.torchrl

    if device == "cuda":
        request.getfixturevalue("torch_cuda")
    made: dict[str, Any] = {"per": "body", "observation": "ego", "precision": "f32", "ticks": 7}
    env = carom.torchrl.TensorEnv("csb", 8, device=device, **made)
    check_env_specs(env)
    twin = carom.torchrl.Env("csb", 8, **made)
    for e in (env, twin):
        e.set_seed(3)
    found, expected = env.reset(), twin.reset()
    ended = 0
    for tick in range(20):
        action = twin.action_spec.rand()
        found, expected = (e.step(at.set("action", action.to(e.device))) for e, at in ((env, found), (twin, expected)))
        for key in ("observation", "reward", "done", "terminated", "truncated"):
            assert torch.equal(found["next", key].cpu(), expected["next", key]), (tick, key)
        for key in ("winner", "score", "r", "l", "fault"):
            mine, theirs = found["next", "result", key].cpu(), expected["next", "result", key]
            assert torch.equal(mine.to(theirs.dtype), theirs), (tick, key)
        ended += int(expected["next", "done"].any())
        found, expected = (e.step_mdp(at) for e, at in ((env, found), (twin, expected)))
        if expected["done"].any():
            found, expected = (e.reset(at.set("_reset", at["done"])) for e, at in ((env, found), (twin, expected)))
            assert torch.equal(found["observation"].cpu(), expected["observation"])
    assert ended == 2
    some = torch.tensor([1, 1, 0, 0, 0, 0, 1, 1], dtype=torch.bool).unsqueeze(-1)
    found, expected = (e.reset(at.set("_reset", some.to(e.device))) for e, at in ((env, found), (twin, expected)))
    assert torch.equal(found["observation"].cpu(), expected["observation"])
    env.close()
