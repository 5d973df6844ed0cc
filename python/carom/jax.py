# SPDX-License-Identifier: MIT
"""JAX: the state of a world is an array, which goes into a step and comes out of it.

    import carom.jax, jax, jax.numpy as jnp

    env = carom.jax.Env("csb", opponent="race", per="body", observation="ego", precision="f32")
    state, seen = env.reset(jnp.arange(1024, dtype=jnp.uint32))

    def tick(carry, _):
        state, seen = carry
        found = env.step(state, policy(seen))
        return (found.state, found.observations), found.rewards

    (state, seen), rewards = jax.lax.scan(tick, (state, seen), length=100)

`reset` and `step` are pure functions, under `jit`, `scan`, `vmap` and outside; the same arguments give the same bits.
They run on the CPU, in C, without a call back into Python, and have no derivatives. The games are those that Carom
ships; scenes and games from outside cannot be played so.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from . import _carom
from ._rows import Rows
from ._structs import Array, address
from ._worlds import AT_END, PRECISIONS

if jax.__version_info__ < (0, 5):
    raise ImportError(f"carom.jax: JAX {jax.__version__} is too old; 0.5 or later has the interface that it needs")

_Shape: Any = jax.ShapeDtypeStruct

for _name in ("reset", "step"):
    jax.ffi.register_ffi_target(f"carom_{_name}", _carom.jax_target(_name), platform="cpu")


class Step(NamedTuple):
    """What a step gives; [...] is the shape of the worlds, as in its arguments."""

    state: jax.Array  # [..., byte], uint8
    observations: jax.Array  # [..., row, number], float32, after the step (and after a reset)
    last_observations: jax.Array  # the same, but before any reset: where the step led to
    rewards: jax.Array  # [..., row], float32
    ends: jax.Array  # [...], uint8: 1 where a game was decided in it, 2 where its limit or a fault ended it, else 0


class Env:
    """The rules of a world with its rows, which see, act and are rewarded: a player, or each of its bodies.

    Args:
        game: the name of a game.
        opponent, players, per, seat, observation, reward: as of `carom.gymnasium.VectorEnv`.
        at_end: what becomes of a world when its game is over: "reset" (default), "freeze" or "play_on".
        threads: at most so many threads work on a call.
        made: keywords of `carom.Worlds`, options of the game included.

    A fault (a game gone out of its range, say) ends the game, as `ends` says: with at_end "reset" the next one begins,
    else the world stands still from then on.

    """

    def __init__(self, game: str, *, at_end: str = "reset", threads: int = 1, **made: Any) -> None:
        if not isinstance(game, str) or "/" in game:
            raise ValueError(f"game: {game!r}; the name of a game that Carom ships is expected")
        self._rows = rows = Rows(game, worlds=1, at_end=at_end, threads=threads, **made)
        worlds = rows.worlds
        kind = worlds.game.action_kinds[worlds._kind]
        if kind.dtype != np.float32:
            raise ValueError(f"action_kind: {kind.name!r} is of float64; one of float32 is expected")
        self.rows: int = rows.per_world
        self.observation_size: int = rows.observation_size
        self.action_size: int = rows.action_size
        self.state_size: int = 8 + _carom.jax_record_size(worlds._handle)
        self._seen = worlds.observations.size
        self._gained = worlds.rewards.size
        self._acted = worlds.actions.size
        self._text = _made(rows).hex()

    def reset(self, seeds: Any) -> tuple[jax.Array, jax.Array]:
        """New games: (state [..., byte], observations [..., row, number]).

        Args:
            seeds: [...], uint32: what the games draw with. Seed s plays the games that it plays in `carom.gymnasium`.

        """
        seeds = jnp.asarray(seeds)
        if seeds.dtype != jnp.uint32:
            raise TypeError(f"seeds: numbers of type uint32 are expected, not {seeds.dtype}")
        shapes = (self._shape(seeds.shape, self.state_size, jnp.uint8), self._shape(seeds.shape, self._seen))
        state, seen = jax.ffi.ffi_call("carom_reset", shapes, vmap_method="broadcast_all")(seeds, made=self._text)
        return state, self._view(seen)

    def step(self, state: Any, actions: Any) -> Step:
        """One step.

        Args:
            state: [..., byte], uint8.
            actions: [..., row, number], float32.

        """
        state, actions = jnp.asarray(state), jnp.asarray(actions, jnp.float32)
        worlds = state.shape[:-1]
        if state.dtype != jnp.uint8 or state.shape[-1:] != (self.state_size,):
            raise ValueError(f"state: uint8 [..., {self.state_size}] is expected, not {state.dtype} {state.shape}")
        if actions.shape != (*worlds, self.rows, self.action_size):
            expected = (*worlds, self.rows, self.action_size)
            raise ValueError(f"actions: shape {expected} is expected, not {actions.shape}")
        shapes = (
            self._shape(worlds, self.state_size, jnp.uint8), self._shape(worlds, self._seen),
            self._shape(worlds, self._seen), self._shape(worlds, self._gained), _Shape(worlds, jnp.uint8),
        )  # fmt: skip
        call = jax.ffi.ffi_call("carom_step", shapes, vmap_method="broadcast_all")
        state, seen, last, rewards, ends = call(state, self._acts(actions), made=self._text)
        return Step(state, self._view(seen), self._view(last), self._rewards(rewards), ends)

    def _shape(self, worlds: tuple[int, ...], size: int, kind: Any = jnp.float32) -> Any:
        return _Shape((*worlds, size), kind)

    def _acts(self, actions: jax.Array) -> jax.Array:
        """[..., row, number] as [..., number of a world], with room for bodies that there are not."""
        worlds = actions.shape[:-2]
        if self._rows.per == "body":
            _, sides, most, size = self._rows.split
            bodies = self._rows.bodies
            actions = actions.reshape(*worlds, sides, bodies, size)
            actions = jnp.pad(actions, [(0, 0)] * (len(worlds) + 1) + [(0, most - bodies), (0, 0)])
        return actions.reshape(*worlds, self._acted)

    def _view(self, seen: jax.Array) -> jax.Array:
        """[..., number of a world] as [..., row, number]."""
        found = seen.reshape(*seen.shape[:-1], self._seen // self.observation_size, self.observation_size)
        return found if found.shape[-2] == self.rows else jnp.repeat(found, self._rows.per_player, axis=-2)

    def _rewards(self, rewards: jax.Array) -> jax.Array:
        """[..., agent] as [..., row]."""
        rows, worlds = self._rows, rewards.shape[:-1]
        players = rows.worlds.game.players
        found = rewards.reshape(*worlds, players, self._gained // players)[..., rows.sides, :]
        if rows.per == "player":
            return found.sum(-1)
        if found.shape[-1] == 1:
            return jnp.repeat(found[..., 0], rows.per_player, axis=-1)
        return found[..., : rows.bodies].reshape(*worlds, self.rows)


def _made(rows: Rows) -> bytes:
    """All that worlds have in common, as `struct made` of jax.c has it."""
    worlds = rows.worlds
    codes = [-2 if code is None else code for code in worlds._codes(worlds.players)]
    pointers, options = _options(worlds._create[1], worlds._keep)
    head = struct.pack(
        "<32s9q3Q", worlds.game.name.encode(), PRECISIONS[worlds.precision], AT_END.index(worlds.at_end),
        worlds._made["threads"], worlds._kind, worlds._seen, worlds._rewarded, worlds._repeat, *codes,
        *[-1] * (2 - len(codes)), worlds.seed, worlds._observed, len(pointers) // 2,
    )  # fmt: skip
    return head + struct.pack(f"<{len(pointers)}Q", *pointers) + options


def _options(row: Array | None, keep: list[Array]) -> tuple[list[int], bytes]:
    """The game's options with the arrays that they point to, and pairs: where there is a pointer, and what to."""
    if row is None:
        return [], b""
    starts, size = {}, 0
    arrays = [row, *keep]
    for array in arrays:
        starts[address(array)] = size
        size += array.nbytes + -array.nbytes % 16
    pointers: list[int] = []
    memory = b""
    for array in arrays:
        copy = np.frombuffer(bytearray(array.tobytes()), array.dtype)  # a structured copy() would drop unnamed members
        for name, (kind, offset, *_) in (array.dtype.fields or {}).items():
            if kind != np.dtype("u8"):  # pointers are the only words of that type
                continue
            for k, value in enumerate(array[name].ravel()):
                if value:
                    pointers += len(memory) + k * array.itemsize + offset, starts[int(value)]
            copy[name] = 0  # the text is the same in every process
        memory += copy.tobytes() + bytes(-array.nbytes % 16)
    return pointers, memory
