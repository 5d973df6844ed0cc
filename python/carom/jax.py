# SPDX-License-Identifier: MIT
"""JAX: the state of a world is an array that a step takes and returns.

    import carom.jax, jax, jax.numpy as jnp

    env = carom.jax.Env("csb", opponent="race", per="body", observation="ego", precision="f32")
    state, seen = env.reset(jax.random.split(jax.random.key(0), 1024))

    def tick(carry, _):
        state, seen = carry
        found = env.step(state, policy(seen))
        return (found.state, found.observations), found.rewards

    (state, seen), rewards = jax.lax.scan(tick, (state, seen), length=100)

`reset` and `step` are pure functions, inside and outside `jit`, `scan` and `vmap`; the same arguments give the same
bits. They run in C, without calling back into Python, and have no derivatives. They play the games that Carom ships
and, on the CPU, scenes without hooks, but not plug-in games. If JAX's arrays are on an NVIDIA GPU, the worlds play
there; each step then waits for the GPU.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import jax
import jax.numpy as jnp
import numpy as np

from . import _carom
from ._games import Game
from ._options import Rowed
from ._rows import Rows
from ._structs import Array, address, copied, dtype
from ._worlds import AT_END, PRECISIONS, RESULT, opened

if TYPE_CHECKING:
    from ._scene import Scene

if jax.__version_info__ < (0, 5):
    raise ImportError(f"carom.jax: JAX {jax.__version__} is too old; 0.5 or later is needed")

_Shape: Any = jax.ShapeDtypeStruct
_TOLD = 3  # numbers of a result before the scores: winner, ticks, fault

for _name in ("reset", "step"):
    jax.ffi.register_ffi_target(f"carom_{_name}", _carom.jax_target(_name), platform="cpu")
    jax.ffi.register_ffi_target(f"carom_{_name}", _carom.jax_target(f"{_name}_cuda"), platform="CUDA")


class Result(NamedTuple):
    """How games ended in a step, named as in `info["result"]` of `carom.gymnasium`; [...] is the shape of the worlds.

    Where none ended, `winner` is -1 and the others are 0.
    """

    winner: jax.Array  # [...], int32: a player, or -1: none
    score: jax.Array  # [..., row], int32: the score of the row's player
    l: jax.Array  # [...], int32: ticks of the game  # noqa: E741 - its name elsewhere
    fault: jax.Array  # [...], int32: the bits of the fault that ended it, or 0


class Step(NamedTuple):
    """The results of a step; [...] is the shape of the worlds, as in its arguments."""

    state: jax.Array  # [..., byte], uint8
    observations: jax.Array  # [..., row, number], float32, after the step (and after a reset)
    last_observations: jax.Array  # the same, but before any reset: the state that the step led to
    rewards: jax.Array  # [..., row], float32
    ends: jax.Array  # [...], uint8: 1: a game was decided, 2: its limit or a fault ended it, 0: neither
    result: Result


class Space(NamedTuple):
    """The bounds of a world's observations or actions: [row, number], float32."""

    low: Array
    high: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """(rows, numbers)."""
        return tuple(self.low.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """`float32`."""
        return np.dtype(np.float32)

    def sample(self, key: Any, worlds: tuple[int, ...] = ()) -> jax.Array:
        """A sample for each world, [..., row, number]: uniform within finite bounds, else standard normal."""
        shape = (*worlds, *self.shape)
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = np.where(bounded, self.low, 0), np.where(bounded, self.high, 1)
        even = jax.random.uniform(key, shape, minval=low, maxval=high)
        return even if bounded.all() else jnp.where(bounded, even, jax.random.normal(key, shape))

    def contains(self, numbers: Any) -> bool:
        """Are all numbers within the bounds?"""
        array = np.asarray(numbers)
        return array.shape[-2:] == self.shape and bool(((array >= self.low) & (array <= self.high)).all())


class Env:
    """The rules of a world, and its rows, which observe, act and are rewarded: players, or each of their bodies.

    Args:
        game: the name of a game, a `Scene`, or the path of one.
        opponent, players, per, seat, observation, normalised, reward: as for `carom.gymnasium.VectorEnv`.
        at_end: what a world does when its game is over: "reset" (default), "freeze" or "play_on".
        made: keywords of `carom.Worlds`, including the game's options; `threads` defaults to 1.

    A state is a value: 8 bytes of seed, then the world's record. Keep it, copy it, continue from it as often as you
    like. It does not include the returns of the game: add up the rewards.

    `observation_space` and `action_space` are those of a world, [row, number]. A fault (such as a position out of
    range) ends the game, as `ends` reports: with at_end "reset" the next one begins, otherwise the world stays frozen.

    """

    def __init__(
        self,
        game: str | os.PathLike[str] | Game | Scene,
        *,
        at_end: str = "reset",
        **made: Unpack[Rowed],
    ) -> None:
        game = opened(game)
        if isinstance(game, Game) and game.path is not None:
            raise ValueError(f"game: {game.path!r}; the name of a game that Carom ships, or a scene, is expected")
        if made.get("affinity") is not None:
            raise ValueError("affinity: compiled programs run on XLA's threads; start the process with taskset")
        if "mirrored" in made:
            raise ValueError("mirrored: call carom.mirror.Mirror, as examples/python/jax_csb.py does")
        made.setdefault("threads", 1)
        self._rows = rows = Rows(game, worlds=1, at_end=at_end, **made)
        worlds = rows.worlds
        kind = worlds.game.action_kinds[worlds._kind]
        if kind.dtype != np.float32:
            raise ValueError(f"action_kind: {kind.name!r} is of float64; one of float32 is expected")
        self.rows: int = rows.per_world
        self.observation_size: int = rows.observation_size
        self.action_size: int = rows.action_size
        self.state_size: int = 8 + _carom.worlds_record_size(worlds._handle)
        self._seen = worlds.observations.size
        self._gained = worlds.rewards.size
        self._acted = worlds.actions.size
        self._text = _made(rows).hex()
        sizes = (self.rows, 1)
        self.observation_space = Space(np.tile(rows.low, sizes), np.tile(rows.high, sizes))
        bound = np.full((self.rows, self.action_size), rows.action_bound, np.float32)
        self.action_space = Space(-bound, bound)

    def reset(self, seeds: Any) -> tuple[jax.Array, jax.Array]:
        """Starts new games; returns (state [..., byte], observations [..., row, number]).

        Args:
            seeds: [...]: one for each world, keys from `jax.random.key`, or uint32 numbers. Seed s gives the same games
                as in `carom.gymnasium`. Numbers of shape (..., 2), the shape of raw keys, are refused.

        """
        seeds = jnp.asarray(seeds)
        worlds = seeds.shape
        if jnp.issubdtype(seeds.dtype, jax.dtypes.prng_key):
            drawn = jax.vmap(lambda key: jax.random.bits(key, (2,), jnp.uint32))(seeds.reshape(-1))
            seeds = drawn.reshape(*worlds, 2)
        elif seeds.dtype != jnp.uint32:
            raise TypeError(f"seeds: keys, or numbers of type uint32, are expected, not {seeds.dtype}")
        elif len(worlds) > 1 and worlds[-1] == 2:
            raise ValueError(
                f"seeds: {worlds} is the shape of raw PRNG keys; convert them with jax.random.wrap_key_data(); give "
                "seeds in one dimension"
            )
        else:
            seeds = seeds[..., None]
        shapes = (self._shape(worlds, self.state_size, jnp.uint8), self._shape(worlds, self._seen))
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
            self._shape(worlds, _TOLD + self._rows.worlds.game.players, jnp.int32),
        )  # fmt: skip
        call = jax.ffi.ffi_call("carom_step", shapes, vmap_method="broadcast_all")
        state, seen, last, rewards, ends, told = call(state, self._acts(actions), made=self._text)
        return Step(state, self._view(seen), self._view(last), self._rewards(rewards), ends, self._result(told))

    def _shape(self, worlds: tuple[int, ...], size: int, kind: Any = jnp.float32) -> Any:
        return _Shape((*worlds, size), kind)

    def _acts(self, actions: jax.Array) -> jax.Array:
        """[..., row, number] as [..., number of a world], padded for absent bodies."""
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
        if self._rows.scale is not None:
            found = jnp.clip(found / self._rows.scale, -1, 1)
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

    def _result(self, told: jax.Array) -> Result:
        score = jnp.repeat(told[..., _TOLD:][..., self._rows.sides], self._rows.per_player, axis=-1)
        return Result(told[..., 0], score, told[..., 1], told[..., 2])


def _made(rows: Rows) -> bytes:
    """Everything that worlds have in common, in the layout of `struct made` of jax.c."""
    worlds = rows.worlds
    if worlds._planners:
        raise NotImplementedError(
            "opponent: a compiled program can play built-in policies and zero, but neither planners nor networks; "
            "carom.Worlds and the other environments can"
        )
    codes = [-2 if code is None else code for code in worlds._codes(worlds.players)]
    scene = worlds._scene
    pointers, options = _options(*((worlds._create[1], worlds._keep) if scene is None else _described(scene)))
    name = worlds.game.name if scene is None else ""
    most = RESULT["score"].shape[0]  # players
    head = struct.pack(
        f"<32s{7 + most}q3Q", name.encode(), PRECISIONS[worlds.precision], AT_END.index(worlds.at_end),
        worlds._made["threads"], worlds._kind, worlds._seen, worlds._rewarded, worlds._repeat, *codes,
        *[-1] * (most - len(codes)), worlds.seed, worlds._observed, len(pointers) // 2,
    )  # fmt: skip
    return head + struct.pack(f"<{len(pointers)}Q", *pointers) + options


def _described(scene: Scene) -> tuple[Array, list[Array]]:
    """The scene's description, and the arrays it points to."""
    if scene.hooked:
        raise ValueError(
            "game: a scene with hooks cannot be compiled into a program: they are addresses in this process"
        )
    row, bodies, walls, polygons, rules, views, arcs = scene._parts
    row = copied(row)
    keep: list[Array] = []
    corners = np.zeros(len(polygons), dtype("scene_polygon"))
    for k, (x, y, *rest) in enumerate(polygons):
        corners[k] = (address(x), address(y), len(x), *rest)
        keep += [x, y]
    seen = np.zeros(len(views), dtype("scene_view"))
    for k, (body, others) in enumerate(views):
        seen[k] = (body, address(others) if len(others) else 0, len(others))
        keep += [others]
    parts = {"bodies": bodies, "walls": walls, "polygons": corners, "rules": rules, "views": seen, "arcs": arcs}
    for (name, table), count in zip(parts.items(), ("body", "wall", "polygon", "rule", "view", "arc"), strict=True):
        row[name], row[f"{count}_count"] = address(table) if len(table) else 0, len(table)
    return row, [array for array in (*parts.values(), *keep) if array.size]


def _options(row: Array | None, keep: list[Array]) -> tuple[list[int], bytes]:
    """The game's options with the arrays that they point to, and for each pointer its offset and target."""
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
        copy = copied(array)
        for name, (kind, offset, *_) in (array.dtype.fields or {}).items():
            if kind != np.dtype("u8"):  # only pointers have this type
                continue
            for k, value in enumerate(array[name].ravel()):
                if value:
                    pointers += len(memory) + k * array.itemsize + offset, starts[int(value)]
            copy[name] = 0  # so that the bytes are the same in every process
        memory += copy.tobytes() + bytes(-array.nbytes % 16)
    return pointers, memory
