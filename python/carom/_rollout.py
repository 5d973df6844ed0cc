# SPDX-License-Identifier: MIT
"""Rollouts: from every root world, k sequences of actions, `horizon` ticks deep, to their returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _carom
from ._arrays import aligned, output, taken
from ._structs import Array
from ._worlds import Worlds

DRAWN, GIVEN, BROADCAST, ZERO, POLICY = range(5)


class Rollout:
    """What rollouts return.

    Attributes:
        returns: [root, k, player], float64; -infinity where a world took a fault.
        best: [root, player], uint32: each player's best sequence, the first of equals.

    """

    def __init__(
        self, returns: Array, best: Array, actions: tuple[Any, ...], roots: Worlds, seed: int, size: int
    ) -> None:
        self.returns, self.best = returns, best
        self._actions, self._roots, self._seed, self._size = actions, roots, seed, size

    def first_actions(self, player: int = 0) -> Array:
        """[root, number]: what `player` does first in its best sequence; drawn or given ones."""
        source, actions, _ = self._actions[player]
        best = self.best[:, player]
        rows = np.arange(len(best))
        if source == GIVEN:
            return np.asarray(actions[rows, best, 0])
        if source == BROADCAST:
            return np.asarray(actions[:, 0])
        if source == DRAWN:
            found = np.zeros((len(best), self._size), np.float32)
            ids = world_ids(self._roots)
            for root, k in enumerate(best):
                found[root] = draws(self._roots, int(k) + 1, 1, player=player, seed=self._seed, ids=ids[root])[0, -1, 0]
            return found
        raise ValueError(f"first_actions: player {player} is played by the library")


def world_ids(worlds: Worlds) -> Array:
    """The ids of a batch's worlds, [world], uint64."""
    return np.ascontiguousarray(worlds.get("id")).view("<u8")[:, 0]


def draws(
    roots: Worlds, k: int, horizon: int, *, player: int = 0, seed: int = 0, ids: Any = None, out: Any = None
) -> Array:
    """The actions that rollouts draw, [root, k, tick, number], float32, in [-1, 1).

    Args:
        ids: ids of the roots; None: those of `roots`.

    """
    size = roots.game.action_kinds[roots.game.kind_index("normalised")].size
    names = world_ids(roots) if ids is None else np.atleast_1d(np.asarray(ids, np.uint64))
    array = output("out", out, (len(names), k, horizon, size), np.float32)
    _carom.rollout_draw(roots.game._address, seed, np.ascontiguousarray(names), k, horizon, player, array)
    return array


def rollout(
    roots: Worlds,
    k: int = 1,
    horizon: int = 1,
    *,
    actions: Any = None,
    player: int = 0,
    opponents: str = "drawn",
    players: Sequence[Any] | None = None,
    action_kind: str = "normalised",
    seed: int = 0,
    discount: float = 1.0,
    final_weight: float = 1.0,
    returns: Any = None,
    best: Any = None,
    finals: Worlds | None = None,
) -> Rollout:
    """Rolls out every world of `roots`, which stay as they are.

    The return of a sequence is the sum of discount^t times the reward of tick t, plus discount^horizon times
    `final_weight` times the game's final value of the state reached.

    Args:
        actions: what `player` does: [root, k, tick, number]; or [root, tick, number], the same for every k;
            None: drawn, uniform in [-1, 1).
        opponents: what the other players do: "drawn", "zero", or a built-in policy.
        players: instead of the three above, an entry for each player: an array, "drawn", "zero", or a policy.
        returns, best: arrays for the results.
        finals: a batch of roots x k worlds, which receives the final states.

    """
    game = roots.game
    kind = game.kind_index(action_kind)
    size, number = game.action_kinds[kind].size, game.action_kinds[kind].dtype
    if k < 1 or horizon < 1:
        raise ValueError(f"k, horizon: {k}, {horizon}; at least 1 is expected")
    if not 0 <= discount <= 1:
        raise ValueError(f"discount: {discount} is not in [0, 1]")
    if players is None:
        if not 0 <= player < game.players:
            raise ValueError(f"player: {player}; {game.name} has players 0 to {game.players - 1}")
        players = ["drawn" if actions is None and p == player else actions if p == player else opponents
                   for p in range(game.players)]  # fmt: skip
    if len(players) != game.players:
        raise ValueError(f"players: an entry for each of {game.players} players is expected")
    entries: list[tuple[int, Any, int]] = []
    for entry in players:
        if isinstance(entry, str):
            source = {"drawn": DRAWN, "zero": ZERO}.get(entry, POLICY)
            entries.append((source, None, game.policy_index(entry) if source == POLICY else 0))
            if source == DRAWN and game.action_kinds[kind].name != "normalised":
                raise ValueError(f"players: drawn actions are of the kind normalised, not {action_kind}")
        else:
            wide = np.ndim(entry) == 3
            shape = (len(roots), horizon, size) if wide else (len(roots), k, horizon, size)
            entries.append((BROADCAST if wide else GIVEN, taken("actions", entry, shape, number, written=False), 0))
    if finals is not None and len(finals) != len(roots) * k:
        raise ValueError(f"finals: {len(roots) * k} worlds are expected, not {len(finals)}")
    returns = output("returns", returns, (len(roots), k, game.players), np.float64)
    best = aligned((len(roots), game.players), np.uint32) if best is None else taken(
        "best", best, (len(roots), game.players), np.uint32, written=True)  # fmt: skip
    _carom.rollout(
        roots._handle, game._address, k, horizon, kind, seed, discount, final_weight, tuple(entries), returns, best,
        None if finals is None else finals._handle,
    )  # fmt: skip
    return Rollout(returns, best, tuple(entries), roots, seed, size)
