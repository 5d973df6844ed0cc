# SPDX-License-Identifier: MIT
"""JAX, if it is installed: pure functions that play the same as the vector environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jnp = jax.numpy

MADE: dict[str, Any] = {"opponent": "random", "per": "body", "observation": "ego", "precision": "f32", "ticks": 15}
TRIANGLE = [[[1000, 1000], [9000, 1000], [9000, 8000]]]


def seeds(count: int, first: int = 0) -> Any:
    return jnp.arange(first, first + count, dtype=jnp.uint32)


@pytest.mark.parametrize(
    ("game", "made"),
    [
        ("csb", MADE),
        ("csb", {"players": "both", "precision": "f64", "ticks": 15}),
        ("csb", {"opponent": "race", "maps": TRIANGLE, "laps": 1, "ticks": 15}),
        ("soccer", {"opponent": "striker", "per": "body", "observation": "ego", "robots": 2, "ticks": 15}),
        ("fantastic_bits", {"opponent": "zero", "per": "body"}),
        ("csb", {"observation": "ego", "normalised": True, "ticks": 15}),
        ("penalty.json", {}),
        ("air_hockey.json", {"players": "both", "observation": "ego", "normalised": True}),
        ("four_goals.json", {"players": "all", "observation": "ego"}),
        ("swarm.json", {"per": "body", "precision": "f32"}),
        ("arena.json", {}),
    ],
)
def test_plays_what_the_vector_environment_plays(game: str, made: dict[str, Any], scenes: Path) -> None:
    import carom.gymnasium
    import carom.jax

    game = str(scenes / game) if game.endswith(".json") else game
    same = (lambda a, b: np.allclose(a, b, rtol=0, atol=1e-6)) if "normalised" in made else np.array_equal
    env = carom.jax.Env(game, **made)
    plain = carom.gymnasium.VectorEnv(game, 4 * env.rows, autoreset_mode="same_step", **made)
    plain.action_space.seed(1)
    expected, _ = plain.reset(seed=3)
    state, seen = env.reset(3 + env.rows * seeds(4))
    assert state.shape == (4, env.state_size)
    assert seen.shape == (4, env.rows, env.observation_size)
    step = jax.jit(env.step)
    ended = 0
    for tick in range(40):
        assert same(np.asarray(seen).reshape(expected.shape), expected), tick
        assert env.observation_space.contains(seen)
        actions = plain.action_space.sample()
        expected, rewards, terminated, truncated, info = plain.step(actions)
        found = step(state, actions.reshape(4, env.rows, -1))
        state, seen = found.state, found.observations
        assert np.array_equal(np.asarray(found.rewards).ravel(), rewards), tick
        ends = np.repeat(np.asarray(found.ends), env.rows)
        assert np.array_equal(ends == 1, terminated)
        assert np.array_equal(ends == 2, truncated)
        over = ends != 0
        for name, values in found.result._asdict().items():
            told = np.asarray(values).ravel()
            told = told if len(told) == len(over) else np.repeat(told, env.rows)
            if over.any():
                assert np.array_equal(told[over], info["result"][name][over]), name
            assert (told[~over] == (-1 if name == "winner" else 0)).all(), name
        last = np.asarray(found.last_observations).reshape(expected.shape)
        assert same(last[~over], expected[~over])
        if over.any():
            assert same(last[over], info["final_obs"][over])
            ended += 1
    assert ended == 2 if "ticks" in made else ended == 0 or game.endswith(".json")


def test_is_pure_under_jit_scan_and_vmap() -> None:
    import carom.jax

    env = carom.jax.Env("csb", **MADE)

    def act(seen: Any) -> Any:
        return jnp.tanh(3 * seen[..., : env.action_size])

    def tick(carry: Any, _: None) -> Any:
        found = env.step(carry[0], act(carry[1]))
        return (found.state, found.observations), (found.rewards, found.ends)

    def play(start: Any) -> Any:
        return jax.lax.scan(tick, env.reset(start), length=20)

    (state, _), (rewards, ends) = jax.jit(play)(seeds(6))
    assert np.asarray(ends).sum() > 0
    one = jax.jit(jax.vmap(play))(seeds(6))  # one world at a time, from `play`'s point of view
    assert np.array_equal(one[0][0], state)
    assert np.array_equal(np.swapaxes(one[1][0], 0, 1), rewards)
    (again, seen), _ = play(seeds(6))
    assert np.array_equal(again, state)
    # A state is a value: a step from it gives the same whatever has been played since, and at any index.
    first = env.step(state, act(seen))
    jax.jit(play)(seeds(9, 50))
    turned = jnp.array([5, 0, 3])
    second = env.step(state[turned], act(seen)[turned])
    for a, b in zip(*map(jax.tree.leaves, (first, second)), strict=True):
        assert np.array_equal(a[turned], b)
    grid = env.step(state.reshape(2, 3, -1), act(seen).reshape(2, 3, 2, -1))
    assert np.array_equal(grid.observations.reshape(6, 2, -1), first.observations)
    assert env.step(state[:0], act(seen)[:0]).ends.shape == (0,)


def test_nothing_is_hidden() -> None:
    import carom.jax

    made = {**MADE, "maps": TRIANGLE, "laps": 1}
    one, other = (carom.jax.Env("csb", **made) for _ in range(2))
    program = str(jax.make_jaxpr(one.step)(*jax.eval_shape(lambda: (one.reset(seeds(2))[0], jnp.zeros((2, 2, 2))))))
    assert program == str(
        jax.make_jaxpr(other.step)(*jax.eval_shape(lambda: (other.reset(seeds(2))[0], jnp.zeros((2, 2, 2)))))
    )
    assert "callback" not in program
    lowered = jax.jit(one.step).lower(one.reset(seeds(2))[0], jnp.zeros((2, 2, 2))).as_text()
    assert "carom_step" in lowered


def test_keys_are_seeds() -> None:
    import carom.jax

    env = carom.jax.Env("csb", **MADE)
    keys = jax.random.split(jax.random.key(3), 6)
    state, seen = env.reset(keys)
    assert state.shape == (6, env.state_size)
    assert len(np.unique(np.asarray(state)[:, :8], axis=0)) == 6
    for other in (jax.jit(env.reset)(keys), jax.vmap(env.reset)(keys)):
        assert np.array_equal(other[0], state)
        assert np.array_equal(other[1], seen)
    assert np.array_equal(env.reset(keys[2])[0], state[2])  # one key: one world
    assert np.array_equal(env.reset(keys.reshape(3, 2))[0].reshape(6, -1), state)
    assert np.array_equal(env.reset(jax.random.wrap_key_data(jax.random.key_data(keys)))[0], state)
    assert not np.array_equal(np.asarray(state)[:, 4:8], np.zeros((6, 4)))  # of 64 bits
    assert env.reset(keys[:0])[0].shape == (0, env.state_size)


def test_raw_keys_are_no_seeds() -> None:
    import carom.jax

    env = carom.jax.Env("csb", **MADE)
    raw = jax.random.key_data(jax.random.split(jax.random.key(3), 6))
    assert raw.shape == (6, 2)
    for reset in (env.reset, jax.jit(env.reset)):
        with pytest.raises(ValueError, match="raw PRNG keys"):
            reset(raw)
    with pytest.raises(jax.errors.JaxRuntimeError, match="raw PRNG keys"):
        jax.block_until_ready(jax.vmap(env.reset)(raw))
    assert env.reset(seeds(2))[0].shape == (2, env.state_size)  # two seeds are two worlds


def test_spaces() -> None:
    import carom.jax

    env = carom.jax.Env("csb", **{**MADE, "normalised": True})
    state, seen = env.reset(jax.random.split(jax.random.key(0), 5))
    assert env.observation_space.shape == seen.shape[1:] == (2, 38)
    assert abs(env.observation_space.low).max() == env.observation_space.high.max() == 1
    actions = env.action_space.sample(jax.random.key(1), (5,))
    assert actions.shape == (5, *env.action_space.shape) == (5, 2, 2)
    assert env.action_space.contains(actions)
    assert not env.action_space.contains(actions * 9)
    assert env.observation_space.contains(env.step(state, actions).observations)
    free = carom.jax.Env("csb", action_kind="relative").action_space
    assert not np.isfinite(free.high).any()
    assert abs(free.sample(jax.random.key(1), (50,))).max() > 1


def test_refuses_what_is_wrong() -> None:
    import carom.jax

    env = carom.jax.Env("csb", **MADE)
    state, _ = env.reset(seeds(2))
    acts = jnp.zeros((2, 2, 2))
    with pytest.raises(TypeError, match="uint32"):
        env.reset(jnp.arange(2))
    with pytest.raises(ValueError, match="state: uint8"):
        env.step(state[:, :-1], acts)
    with pytest.raises(ValueError, match=r"\(2, 2, 2\) is expected"):
        env.step(state, acts[0])
    with pytest.raises(ValueError, match="float64"):
        carom.jax.Env("csb", opponent="race", action_kind="referee")
    with pytest.raises(NotImplementedError, match=r"opponent: .* neither planners nor networks"):
        carom.jax.Env("csb", opponent="cem:16")
    with pytest.raises(ValueError, match="No such file"):
        carom.jax.Env("./game.so")
    hooked = carom.Scene([carom.Body(acts=True)], user=1)
    with pytest.raises(ValueError, match="a scene with hooks cannot be compiled"):
        carom.jax.Env(hooked)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"world 0|field"):
        jax.block_until_ready(env.step(jnp.full_like(state, 255), acts))
    assert np.isfinite(env.step(state, acts).observations).all()  # and continues


def test_an_old_version_is_refused() -> None:
    program = (
        "import jax; jax.__version_info__ = (0, 4, 38)\ntry:\n import carom.jax\nexcept ImportError as e: print(e)"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "0.5 or later" in out


@pytest.mark.parametrize("at_end", ["reset", "freeze", "play_on"])
def test_a_fault_ends_a_game(at_end: str) -> None:
    import carom
    import carom.jax

    env = carom.jax.Env("csb", opponent="zero", at_end=at_end, precision="f64")
    state, _ = env.reset(seeds(2))
    states = np.array(state)
    world = carom.Worlds("csb", map_seed=0)
    world.put(0, states[1, 8:].tobytes())
    world["vx"] = [[134e6, 0, 0, 0]]
    states[1, 8:] = np.frombuffer(world.record(0), np.uint8)
    still = jnp.zeros((2, env.rows, env.action_size))
    found = env.step(states, still)
    assert np.asarray(found.ends).tolist() == [0, 2]
    assert np.asarray(found.result.fault).tolist() == [0, 4]  # CAROM_FAULT_RANGE
    assert not np.asarray(found.rewards)[1].any()
    later = env.step(found.state, still)
    assert np.asarray(later.ends).tolist() == [0, 0]
    stands = np.array_equal(np.asarray(later.state)[1], np.asarray(found.state)[1])
    assert stands == (at_end != "reset")
