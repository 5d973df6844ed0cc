# SPDX-License-Identifier: MIT
"""Rows: the agents of environments. A row observes, acts and is rewarded; it is a player, or one of its bodies."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import known
from ._games import Game
from ._structs import Array
from ._worlds import Worlds, opened
from .mirror import Mirror

if TYPE_CHECKING:
    from ._observations import Number
    from ._scene import Scene

# Names of the environments, and of their games.
ENVIRONMENTS = {
    "CodersStrikeBack": "csb",
    "FantasticBits": "fantastic_bits",
    "Soccer": "soccer",
    "Stones": "stones",
    "Fall": "fall",
}


class Rows:
    """A batch of worlds with `per_world` adjacent rows each.

    Args:
        game: as for `Worlds`.
        worlds: how many worlds; or
        rows: how many rows, a multiple of the rows of a world.
        opponent: the player of every other side: a built-in policy, "zero", or a planner, "cem:100", which acts once a
            step. None: the game's first policy, such as csb's "race".
        players: "one" side or "all" sides act and observe; "both" is the same as "all".
        per: a row for each "player", or for each "body" that a player acts with.
        seat: the side that acts, if only one does.
        normalised: divide each number of an observation by its scale and clip it to [-1, 1].
        mirrored: rows observe and act through `carom.mirror.Mirror`.
        reward: of `Worlds`; None: "own" for rows of bodies if the game has it, else "game".
        made: keywords of `Worlds`, including the game's options.

    """

    def __init__(
        self,
        game: str | os.PathLike[str] | Game | Scene,
        *,
        worlds: int | None = None,
        rows: int | None = None,
        opponent: str | None = None,
        players: str = "one",
        per: str = "player",
        seat: int = 0,
        observation: str = "raw",
        normalised: bool = False,
        mirrored: bool = False,
        reward: str | None = None,
        **made: Any,
    ) -> None:
        known("players", players, ("one", "all", "both"))
        known("per", per, ("player", "body"))
        if str(made.get("device") or "cpu") != "cpu":
            raise ValueError(f"device: {made['device']!r}; carom.torch has environments whose arrays are on a device")
        game = opened(game)
        # With map_seed 0 the map depends only on the world's seed, not on its id.
        if isinstance(game, Game) and game.name == "csb" and game.path is None:
            made.setdefault("map_seed", 0)
        self._mirror = _mirror(game, per, observation, normalised, made) if mirrored else None
        probe = Worlds(game, 1, **made)
        info = probe.game
        sides = info.players
        if sides == 1 or players != "one":
            if opponent is not None:
                raise ValueError(f"opponent: {opponent!r}; {info.name} has no side left for one")
            who: Sequence[str | None] = (None,) * sides
        else:
            if opponent is None:
                opponent = info.policies[0] if info.policies else "zero"
            if not 0 <= seat < sides:
                raise ValueError(f"seat: {seat}; 0 to {sides - 1} are expected")
            who = tuple(None if side == seat else opponent for side in range(sides))
        acting = [side for side, name in enumerate(who) if name is None]
        seen = info.observation_kinds[info.observation_index(observation)]
        kind = info.action_kinds[info.kind_index(made.get("action_kind", "normalised"))]
        most, self.bodies = _bodies(probe)
        self.per_player = self.bodies if per == "body" else 1
        self.per_world = self.per_player * len(acting)
        if worlds is None:
            if rows is None or rows < 1 or rows % self.per_world:
                raise ValueError(f"rows: {rows}; a multiple of {self.per_world} is expected, the rows of a world")
            worlds = rows // self.per_world
        kinds = [k.name for k in info.reward_kinds]
        if reward is None:
            reward = "own" if per == "body" and "own" in kinds else "game"
        gained = info.reward_kinds[info.reward_index(reward)].agents
        agents = [side * seen.agents + i for side in acting for i in range(min(seen.agents, self.bodies))]
        self.worlds = Worlds(game, worlds, players=who, observation=observation, observed=agents, reward=reward, **made)
        self.worlds.bind(results=True)
        self.count = worlds * self.per_world
        self.acting = tuple(acting)
        self.sides = slice(acting[0], acting[-1] + 1)
        # The layout of a row's arrays within those of the batch.
        one = self.per_world == 1 and gained == 1
        self._simple = self.worlds.rewards[:, acting[0]] if one else None
        self._views: tuple[Array, dict[str, Array]] | None = None  # the results, and the same by name
        self.split = (worlds, len(acting), most, kind.size // most)
        self.action_size = kind.size if per == "player" else kind.size // most
        self.action_dtype = kind.dtype
        self.action_bound = 1.0 if kind.name.startswith("normalised") else np.inf
        self._own_view = seen.agents > 1
        self._gained = gained
        self.observation_size = seen.size * (min(seen.agents, self.bodies) if per == "player" else 1)
        numbers = info.observations[observation]
        self.low, self.high, self.scale = bounds(numbers, self.observation_size // seen.size, normalised)
        self.per = per
        seen_size = self.observation_size
        if self._mirror is not None:
            self.low, self.high, self.observation_size = self._mirror.low, self._mirror.high, len(self._mirror.low)
        shape = (self.count, seen_size)
        shared = per == "body" and not self._own_view
        self._seen = {
            name: None if shared else getattr(self.worlds, name).reshape(shape)
            for name in ("observations", "last_observations")
        }

    def act(self, actions: Any) -> None:
        """Sets the actions [row, number] of the next step."""
        array = np.asarray(actions)
        if array.shape != (self.count, self.action_size):
            raise ValueError(f"actions: shape {(self.count, self.action_size)} is expected, not {array.shape}")
        if self._mirror is not None:
            array = self._mirror.act(self._seen["observations"], array)
        target = self.worlds.actions
        if self.per == "player":
            np.copyto(target, array.reshape(target.shape), casting="same_kind")
        else:
            worlds, sides, _, size = self.split
            split = target.reshape(self.split)
            np.copyto(split[:, :, : self.bodies], array.reshape(worlds, sides, self.bodies, size), casting="same_kind")

    def seen(self, name: str = "observations") -> Array:
        """Observations [row, number]: the batch's memory; new arrays if normalised, mirrored, or shared by bodies."""
        array = self._seen[name]
        if array is None:
            array = np.repeat(getattr(self.worlds, name).reshape(-1, self.observation_size), self.per_player, axis=0)
        if self._mirror is not None:
            return self._mirror.see(array)  # type: ignore[no-any-return]
        return array if self.scale is None else normal(array, self.scale)

    def rewards(self) -> Array:
        """Rewards [row], float32, a new array."""
        if self._simple is not None:
            return self._simple.copy()
        n, sides = len(self.worlds), self.worlds.game.players
        found = self.worlds.rewards.reshape(n, sides, self._gained)[:, self.sides]
        if self.per == "player":
            return np.ascontiguousarray(found.sum(2) if self._gained > 1 else found[:, :, 0]).reshape(-1)
        if self._gained == 1:
            return np.repeat(found[:, :, 0].reshape(-1), self.per_player)
        return np.ascontiguousarray(found[:, :, : self.bodies]).reshape(-1)

    def spread(self, per_world: Array) -> Array:
        """[world] as [row]."""
        return per_world if self.per_world == 1 else np.repeat(per_world, self.per_world)

    def gathered(self, name: str, per_row: Array) -> Array:
        """[row], the same for all rows of a world, as [world]."""
        table = per_row.reshape(len(self.worlds), self.per_world)
        if (table != table[:, :1]).any():
            raise ValueError(f"{name}: rows of one world differ")
        return np.ascontiguousarray(table[:, 0])

    def results(self, copy: bool = True) -> dict[str, Array]:
        """Results [row] of games that ended in the step: winner, score, r (the return of the row's player), l (ticks),
        fault (the bits of the fault that ended it, or 0). Other rows hold older results. With `copy` False and one row
        a world, these share the batch's memory.
        """  # fmt: skip
        found = self.worlds.results
        if copy:
            return self._results(found.view(np.uint8).copy().view(found.dtype))  # far faster than field by field
        if self.per_world > 1:
            return self._results(found)
        if self._views is None or self._views[0] is not found:
            self._views = found, self._results(found)
        return dict(self._views[1])

    def _results(self, found: Array) -> dict[str, Array]:
        returns, score = found["returns"][:, self.sides], found["score"][:, self.sides]
        if self.per_world == 1:
            return {"r": returns[:, 0], "l": found["ticks"], "winner": found["winner"], "score": score[:, 0],
                    "fault": found["fault"]}  # fmt: skip
        return {
            "r": np.repeat(returns.reshape(-1), self.per_player),
            "l": self.spread(found["ticks"]),
            "winner": self.spread(found["winner"]),
            "score": np.repeat(score.reshape(-1), self.per_player),
            "fault": self.spread(found["fault"]),
        }


def _mirror(game: Game | Scene, per: str, observation: str, normalised: bool, made: dict[str, Any]) -> Mirror:
    """The mirror image of a game for these rows; sets its kind of action."""
    mirror = Mirror(game.name if isinstance(game, Game) and game.path is None else str(game))
    if per != "body" or observation != "ego" or normalised:
        raise ValueError("mirrored: it goes with per='body' and observation='ego', and without normalised")
    if made.setdefault("action_kind", mirror.action_kind) != mirror.action_kind:
        raise ValueError(f"mirrored: it goes with action_kind={mirror.action_kind!r}, not {made['action_kind']!r}")
    return mirror


def bounds(numbers: Sequence[Number], repeats: int, normalised: bool) -> tuple[Array, Array, Array | None]:
    """(low, high, scale) of `repeats` agents' numbers side by side; scale is None unless they are normalised."""
    low, high, scale = (
        np.tile(np.array(column, np.float32), repeats)
        for column in ([n.low for n in numbers], [n.high for n in numbers], [n.scale for n in numbers])
    )
    return (normal(low, scale), normal(high, scale), scale) if normalised else (low, high, None)


def normal(numbers: Array, scale: Array) -> Array:
    """A new array of numbers divided by their scales and clipped to [-1, 1]."""
    found = numbers / scale
    return np.clip(found, -1, 1, out=found)


def _bodies(probe: Worlds) -> tuple[int, int]:
    """The bodies that a player acts with: the capacity of an action, and how many there are."""
    game = probe.game
    most = max(kind.agents for kind in game.observation_kinds)
    if probe._scene is not None:
        bodies = probe._scene.bodies
        most = int((bodies["acts"] & (bodies["player"] == 0)).sum()) or 1
        return most, most
    if game.name == "soccer" and game.path is None:
        row = probe._create[1]
        return most, int(game.options["robots"].default if row is None else row["robots"][0])
    return most, most
