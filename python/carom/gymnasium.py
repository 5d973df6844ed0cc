# SPDX-License-Identifier: MIT
"""Environments for Gymnasium. Importing this module registers them:

    import carom.gymnasium, gymnasium

    envs = gymnasium.make_vec("Carom/CodersStrikeBack-v0", num_envs=4096, opponent="race", observation="ego")
    obs, info = envs.reset(seed=1)
    obs, reward, terminated, truncated, info = envs.step(envs.action_space.sample())

Carom/CodersStrikeBack-v0, Carom/FantasticBits-v0, Carom/Soccer-v0, Carom/Stones-v0, Carom/Fall-v0, Carom/Scene-v0, each
as a single environment and as a vector environment; both play the same games from the same seeds. No argument is
required. Pass your own scene to Carom/Scene-v0 with `scene=`, a `Scene` or the path of a JSON file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ._arrays import known, whole
from ._options import Common
from ._rows import ENVIRONMENTS, Rows
from ._see import RENDER_MODES, WIDTH, Renderer
from ._structs import Array

if TYPE_CHECKING:
    from ._games import Game
    from ._scene import Scene
    from ._worlds import Worlds

RENDER_FPS = 20  # ticks a second that are pleasant to watch
TERMINATED, TRUNCATED = np.uint8(1), np.uint8(2)  # values of `Worlds.ends`
AT_END = {AutoresetMode.SAME_STEP: "reset", AutoresetMode.NEXT_STEP: "freeze", AutoresetMode.DISABLED: "freeze"}


def _spaces(rows: Rows) -> tuple[Box, Box]:
    bound = np.float32(rows.action_bound)
    kind: Any = rows.action_dtype
    return Box(rows.low, rows.high, dtype=np.float32), Box(-bound, bound, (rows.action_size,), dtype=kind)


def _refuse_at_end(made: Mapping[str, Any]) -> None:
    if "at_end" in made:
        raise ValueError("at_end: environments call it autoreset_mode")


def _new_seeds(seed: Any, count: int, generator: np.random.Generator, first: bool) -> list[int] | None:
    """A seed for each row; None: each continues with its next game."""
    if seed is None:
        return [int(s) for s in generator.integers(1 << 62, size=count)] if first else None
    if np.ndim(seed) == 0:
        start = whole("seed", seed)
        return [(start + row) % (1 << 64) for row in range(count)]
    if len(seed) != count:
        raise ValueError(f"seed: {count} seeds are expected, not {len(seed)}")
    return [int(generator.integers(1 << 62)) if s is None else whole("seed", s) for s in seed]


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Worlds as a vector environment; a row is an environment.

    Args:
        game: a game's name, a `Game`, a `Scene`, or the path of a scene ("pins.json") or of a plug-in game.
        num_envs: the number of rows: worlds times rows a world.
        opponent: the player of every other side: a built-in policy, "zero", or a planner, "cem:100" (`carom.Player`),
            which acts once a step. None: the game's first policy ("race" for csb, "striker" for soccer and
            fantastic_bits, "strike" for stones).
        players: "all": a row for each player of a world, playing each other ("both" is the same); else "one".
        per: "body": a row for each body that a player acts with; else "player".
        seat: the side to play, if an opponent plays the others.
        observation, reward, action_kind, repeat: as for `carom.Worlds`. A player's "ego" is the concatenation of its
            bodies' rows. The default reward of bodies is "own".
        normalised: divide each number of an observation by its scale (`Game.observations`) and clip it to [-1, 1].
            Otherwise the bounds of the space cover every possible state, and may be infinite.
        mirrored: for bodies of csb and soccer that observe "ego": numbers weighted for learning, and mirrored if the
            next checkpoint (the middle of the field) is on the other side, so that left and right are learnt at once;
            see `carom.mirror`. The kind of action is then "normalised_full" in csb, "normalised" in soccer.
        autoreset_mode: "next_step" (Gymnasium's default), "same_step" (the fastest) or "disabled".
        copy: False: observations and results share the batch's memory, which the next step overwrites.
        render_mode: "rgb_array": `render()` draws the field with its bodies, walls, goals and checkpoints: csb's pods
            and checkpoints, wizards, snaffles and bludgers, robots and balls, stones and their ring, a scene's bodies
            and polygons. In the mode same_step a world whose game has ended shows the start of the next one.
        render_width: the width of the pictures in pixels, an even number.
        precision, threads, isa, ...: as for `carom.Worlds`, including the game's options.

    When games end, `info["result"]` has arrays winner (a player, or -1), score, r (the return of the row's player), l
    (its ticks) and fault, and the mask `info["_result"]` their rows. In the mode same_step `info["final_obs"]` has the
    last observations [row, number] of games that ended, with the mask `info["_final_obs"]`, and `info["final_info"]`
    repeats the result. Rows outside a mask hold older numbers. A fault (such as a position out of range) truncates a
    game: the mask `info["fault"]` then has its rows.

    After a reset with a seed, a world plays the games of seed + (number of its first row), for all its rows. A reset
    without a seed continues with the next game. `options={"reset_mask": mask}` resets some rows.

    """

    def __init__(
        self,
        game: str | os.PathLike[str] | Game | Scene,
        num_envs: int = 1,
        *,
        opponent: str | None = None,
        players: str = "one",
        per: str = "player",
        seat: int = 0,
        observation: str = "raw",
        normalised: bool = False,
        mirrored: bool = False,
        reward: str | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        render_width: int = WIDTH,
        **made: Unpack[Common],
    ) -> None:
        modes = {mode.value.lower(): mode for mode in AutoresetMode}
        modes |= {mode.name.lower(): mode for mode in AutoresetMode}
        if not isinstance(autoreset_mode, AutoresetMode):
            autoreset_mode = modes[known("autoreset_mode", str(autoreset_mode).lower(), modes)]
        self._mode = autoreset_mode
        _refuse_at_end(made)
        self._rows = Rows(
            game, rows=num_envs, opponent=opponent, players=players, per=per, seat=seat, observation=observation,
            normalised=normalised, mirrored=mirrored, reward=reward, at_end=AT_END[autoreset_mode], **made,
        )  # fmt: skip
        self.worlds: Worlds = self._rows.worlds
        self.copy = copy
        self._renderer = Renderer(self.worlds, render_mode, render_width)
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": autoreset_mode, "render_modes": RENDER_MODES, "render_fps": RENDER_FPS}
        self.single_observation_space, self.single_action_space = _spaces(self._rows)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._started = False
        self._over = np.zeros(len(self.worlds), bool)  # ended but not yet reset
        self._any_over = False  # ... of these
        self._skip = np.zeros(len(self.worlds), np.uint8)
        if autoreset_mode is AutoresetMode.NEXT_STEP:
            self.worlds.bind(skip=self._skip)
        if autoreset_mode is not AutoresetMode.SAME_STEP:
            self.worlds.bind(last_observations=None)

    def _observations(self) -> Array:
        seen = self._rows.seen()
        return seen.copy() if self.copy else seen

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Starts new games in all rows, or in those of `options["reset_mask"]`."""
        mask = None
        if options is not None and "reset_mask" in options:
            mask = options["reset_mask"]
            if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
                raise TypeError(f"reset_mask: an array of bool is expected, not {type(mask)}")
            if mask.shape != (self.num_envs,):
                raise ValueError(f"reset_mask: shape {(self.num_envs,)} is expected, not {mask.shape}")
            if not mask.any():
                raise ValueError("reset_mask: no row is True")
            mask = self._rows.gathered("reset_mask", mask)
        if seed is not None and np.ndim(seed) == 0:
            super().reset(seed=whole("seed", seed))
        seeds = _new_seeds(seed, self.num_envs, self.np_random, not self._started)
        if seeds is None:
            self.worlds.restart(mask)
        else:
            self.worlds.restart(mask, ids=0, seeds=np.array(seeds[:: self._rows.per_world], np.uint64))
        for flags in (self._over, self._skip):
            flags[slice(None) if mask is None else mask] = 0
        self._any_over = bool(self._over.any())
        self._started = True
        self.worlds.observe()
        return self._observations(), {}

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """One step of all rows."""
        if not self._started:
            raise gymnasium.error.ResetNeeded("step: reset() comes first")
        rows, worlds = self._rows, self.worlds
        rows.act(actions)
        if self._mode is AutoresetMode.NEXT_STEP:
            self._skip[:] = self._over
            if self._any_over:
                worlds.restart(self._over)
        elif self._mode is AutoresetMode.DISABLED and self._any_over:
            raise gymnasium.error.ResetNeeded("step: rows have ended; reset them by options={'reset_mask': ...}")
        worlds.step()
        terminated, truncated, info = self._ended()
        return self._observations(), rows.rewards(), rows.spread(terminated), rows.spread(truncated), info

    def _ended(self) -> tuple[Array, Array, dict[str, Any]]:
        """Worlds whose games have ended, either way, and `info`. In most steps of a small batch there are none:
        counting is the fastest test.
        """  # fmt: skip
        rows, ends = self._rows, self.worlds.ends
        info: dict[str, Any] = {}
        self._any_over = np.count_nonzero(ends) != 0
        if not self._any_over:
            none = np.zeros(len(ends), bool)
            self._over = none
            return none.copy(), none.copy(), info
        terminated, truncated = ends == TERMINATED, ends == TRUNCATED
        self._over = terminated | truncated
        where = rows.spread(self._over)
        result = rows.results(self.copy)
        info["result"], info["_result"] = result, where
        if np.count_nonzero(truncated):  # a fault truncates a game
            fault = where & (result["fault"] != 0)
            if fault.any():
                info["fault"] = info["_fault"] = fault
        if self._mode is AutoresetMode.SAME_STEP:
            final = rows.seen("last_observations")
            info["final_obs"], info["_final_obs"] = final.copy() if self.copy else final, where
            info["final_info"], info["_final_info"] = {"result": result, "_result": where}, where
        return terminated, truncated, info

    def render(self) -> tuple[Array, ...] | None:
        """A picture for each row, [height, width, 3], uint8; rows of one world share it. None without a mode.

        For thousands of rows this takes much memory: `worlds.rgb_array(i)` is the picture of world i alone.
        """
        if self._renderer.mode is None:
            return None
        frames = [self._renderer.frame(world) for world in range(len(self.worlds))]
        return tuple(f for f in frames if f is not None for _ in range(self._rows.per_world))

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the batch."""
        self.worlds.close()


class Env(gymnasium.Env[Any, Any]):
    """One world as an environment, with the arguments of `VectorEnv`.

    A world must have one row. For several (`players="all"`, `per="body"`) use `VectorEnv` or
    `carom.pettingzoo.ParallelEnv`.

    From the same seed it plays the same games as a row of the vector environment. When a game ends, `info["result"]`
    has winner, score, r, l and fault; if a fault ended it, `info["fault"]` is True.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        game: str | os.PathLike[str] | Game | Scene,
        *,
        opponent: str | None = None,
        seat: int = 0,
        observation: str = "raw",
        normalised: bool = False,
        reward: str | None = None,
        render_mode: str | None = None,
        render_width: int = WIDTH,
        **made: Unpack[Common],
    ) -> None:
        _refuse_at_end(made)
        made.setdefault("threads", 1)
        self._rows = Rows(
            game, worlds=1, opponent=opponent, seat=seat, observation=observation, normalised=normalised,
            reward=reward, at_end="freeze", **made,
        )  # fmt: skip
        if self._rows.per_world != 1:
            raise ValueError(
                f"players, per: a world has {self._rows.per_world} rows, and a single environment is one row; use "
                "VectorEnv or carom.pettingzoo.ParallelEnv"
            )
        self.worlds = self._rows.worlds.bind(last_observations=None)
        self._renderer = Renderer(self.worlds, render_mode, render_width)
        self.render_mode = render_mode
        self.observation_space, self.action_space = _spaces(self._rows)
        self._started = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Starts a new game."""
        super().reset(seed=None if seed is None else whole("seed", seed))
        seeds = _new_seeds(seed, 1, self.np_random, not self._started)
        if seeds is None:
            self.worlds.restart()
        else:
            self.worlds.restart(ids=0, seeds=seeds[0])
        self._started = True
        self.worlds.observe()
        return self._rows.seen()[0].copy(), {}

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """One step."""
        if not self._started:
            raise gymnasium.error.ResetNeeded("step: reset() comes first")
        self._rows.act(np.asarray(action)[None])
        self.worlds.step()
        end = int(self.worlds.ends[0])
        info: dict[str, Any] = {}
        if end:
            info["result"] = {name: values[0].item() for name, values in self._rows.results().items()}
            if info["result"]["fault"]:
                info["fault"] = True
        return self._rows.seen()[0].copy(), float(self._rows.rewards()[0]), end == 1, end == 2, info

    def render(self) -> Array | None:
        """A picture of the world, [height, width, 3], uint8; None without a mode."""
        return self._renderer.frame()

    def close(self) -> None:
        """Closes the batch."""
        self.worlds.close()


def _chase() -> Scene:
    """The default scene of Carom/Scene-v0: a disc accelerates to catch a ball."""
    from ._scene import Body, Rule, Scene, View

    return Scene(
        [
            Body(x=2, y=5, x_spread=1, y_spread=4, radius=0.5, damping=0.05, acts=True),
            Body(x=7, y=5, x_spread=2, y_spread=4, vx_spread=1, vy_spread=1, radius=0.5),
        ],
        box=((0, 0), (10, 10)), dt=0.1, action="acceleration", action_scale=4, speed_limit=4, last_tick=200,
        rules=[Rule("nears_body", which=1, reward=0.1), Rule("meets_body", ends=True, winner=0)],
        views=[View(0, [1])],
    )  # fmt: skip


def _scene_env(scene: Scene | str | os.PathLike[str] | None = None, **made: Any) -> Env:
    return Env(_chase() if scene is None else scene, **made)


def _scene_vector_env(scene: Scene | str | os.PathLike[str] | None = None, **made: Any) -> VectorEnv:
    return VectorEnv(_chase() if scene is None else scene, **made)


def _register() -> None:
    for name, game in ENVIRONMENTS.items():
        gymnasium.register(
            id=f"Carom/{name}-v0",
            entry_point="carom.gymnasium:Env",
            vector_entry_point="carom.gymnasium:VectorEnv",
            kwargs={"game": game},
        )
    gymnasium.register(
        id="Carom/Scene-v0",
        entry_point="carom.gymnasium:_scene_env",
        vector_entry_point="carom.gymnasium:_scene_vector_env",
    )


_register()
