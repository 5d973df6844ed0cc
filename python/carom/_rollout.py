# SPDX-License-Identifier: MIT
"""Rollouts: plays k sequences of actions, `horizon` ticks deep, from every root world, and computes their returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _carom
from ._arrays import aligned, output, whole
from ._device import HOST, on_device
from ._structs import Array
from ._worlds import SIZE, Worlds

# Values of carom_source.
DRAWN, UNIFORM, GAUSSIAN, GIVEN, BROADCAST, ZERO, POLICY = (
    "drawn", "uniform", "gaussian", "given", "broadcast", "zero", "policy",
)  # fmt: skip


class Drawn(NamedTuple):
    """How a player's actions are drawn: made by `gaussian` or `uniform`."""

    mean: Any
    sigma: Any
    low: Any
    high: Any
    hold: int


def gaussian(mean: Any, sigma: Any, *, low: Any = None, high: Any = None, hold: int = 1) -> Drawn:
    """Actions drawn from normal distributions, for `rollout`; then clipped to the bounds.

    Args:
        mean, sigma: [root, row, number], float32, or broadcastable to it. A row is held for `hold` ticks.
        low, high: [row, number]; None: -1 and 1.

    """
    return Drawn(mean, sigma, low, high, hold)


def uniform(low: Any = None, high: Any = None, *, hold: int = 1) -> Drawn:
    """Actions drawn uniformly between bounds [row, number], None: -1 and 1, each held for `hold` ticks."""
    return Drawn(None, None, low, high, hold)


class Rollout:
    """The results of rollouts.

    Attributes:
        returns: [root, k, player], float64; -infinity where a world faulted.
        best: [root, player], uint32: each player's best sequence; of equal ones, the first.
        rewards: [root, k, tick, agent], float32, if requested.
        lengths: [root, k], uint32: ticks played, if requested.
        observations: [root, k, depth, agent, number], float32, after the ticks that `depths` lists.
        elites: [root, count], uint32: the sequences with the greatest returns, best first, if requested.
        elite_mean, elite_sigma: [root, row, number], float32: of the elites' actions.

    """

    returns: Array
    best: Array
    rewards: Array | None
    lengths: Array | None
    observations: Array | None
    elites: Array | None
    elite_mean: Array | None
    elite_sigma: Array | None

    def __init__(self, roots: Worlds, common: tuple[Any, ...]) -> None:
        self._roots, self._common = roots, common

    def actions(self, player: int, sequences: Any) -> Array:
        """[root, i, row, number]: the actions of `player`, given or drawn, in the chosen sequences [root, i]."""
        _, k, horizon, kind, _, players = self._common
        source, _, hold, given, *_ = players[player]
        self._refuse_device()
        chosen = np.ascontiguousarray(sequences, np.uint32)
        if chosen.ndim != 2 or len(chosen) != len(self._roots) or (chosen.size and chosen.max() >= k):
            raise ValueError(f"sequences: numbers below {k} in shape ({len(self._roots)}, i) are expected")
        if source == SOURCES[GIVEN]:
            return np.asarray(given[np.arange(len(chosen))[:, None], chosen])
        if source == SOURCES[BROADCAST]:
            return np.repeat(given[:, None], chosen.shape[1], axis=1)
        if source not in (SOURCES[DRAWN], SOURCES[UNIFORM], SOURCES[GAUSSIAN]):
            raise ValueError(f"player {player} is played by the library")
        numbers = self._roots.game.action_kinds[kind]
        out = aligned((*chosen.shape, -(-horizon // hold), numbers.size), numbers.dtype)
        _carom.rollout_draws(self._roots._handle, self._common, player, chosen, chosen.shape[1], out)
        return out

    def _refuse_device(self) -> None:
        if self._roots._place is not HOST:
            raise NotImplementedError("actions: only on this processor; `draws(roots.to('cpu'), ...)` gives them all")

    def first_actions(self, player: int = 0) -> Array:
        """[root, number]: the first action of `player` in its best sequence."""
        self._refuse_device()
        return np.ascontiguousarray(self.actions(player, self.best[:, player : player + 1])[:, 0, 0])


SOURCES = {name: code for code, name in enumerate((DRAWN, GIVEN, BROADCAST, ZERO, POLICY, UNIFORM, GAUSSIAN))}


def _entry(roots: Worlds, kind: int, k: int, horizon: int, entry: Any) -> tuple[Any, ...]:
    """A player as passed to the extension: (source, policy, hold, actions, mean, sigma, low, high)."""
    game, numbers = roots.game, roots.game.action_kinds[kind]
    if isinstance(entry, str):
        if entry == DRAWN and numbers.name != "normalised":
            raise ValueError(f"players: drawn actions are of the kind normalised, not {numbers.name}")
        source = entry if entry in (DRAWN, ZERO) else POLICY
        policy = game.policy_index(entry) if source == POLICY else 0
        return (SOURCES[source], policy, 1, None, None, None, None, None)
    if isinstance(entry, Drawn):
        whole("hold", entry.hold, 1, SIZE)
        rows = -(-horizon // entry.hold)

        def filled(name: str, value: Any, shape: tuple[int, ...]) -> Any:
            if roots._place is not HOST:
                return None if value is None else roots._place.raw(_there(roots, name, value, shape, np.float32))
            if value is None or (isinstance(value, np.ndarray) and value.shape == shape and value.dtype == np.float32
                                 and value.flags.c_contiguous):  # fmt: skip
                return value
            return np.ascontiguousarray(np.broadcast_to(np.asarray(value, np.float32), shape))

        normal = entry.mean is not None
        shape = (rows, numbers.size)
        if not normal and (entry.low is None) != (entry.high is None):
            raise ValueError("uniform: low and high go together")
        return (
            SOURCES[GAUSSIAN if normal else UNIFORM], 0, entry.hold, None,
            filled("mean", entry.mean, (len(roots), *shape)), filled("sigma", entry.sigma, (len(roots), *shape)),
            filled("low", entry.low, shape), filled("high", entry.high, shape),
        )  # fmt: skip
    wide = len(entry.shape if hasattr(entry, "shape") else np.shape(entry)) == 3
    each = (len(roots), horizon, numbers.size) if wide else (len(roots), k, horizon, numbers.size)
    given = roots._place.raw(roots._place.taken("actions", entry, each, numbers.dtype, written=False))
    return (SOURCES[BROADCAST if wide else GIVEN], 0, 1, given, None, None, None, None)


def _there(roots: Worlds, name: str, value: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """An array in the roots' memory: the caller's own if it is on a device, otherwise a broadcast copy."""
    if on_device(value):
        return roots._place.taken(name, value, shape, dtype, written=False)
    return roots._place.filled(np.broadcast_to(np.asarray(value, dtype), shape))


def _counted(k: int, horizon: int, seed: int) -> None:
    whole("k", k, 1, SIZE)
    whole("horizon", horizon, 1, SIZE)
    whole("seed", seed)


def _seats(roots: Worlds, player: int, actions: Any, opponent: Any, players: Sequence[Any] | None) -> list[Any]:
    game = roots.game
    if players is None:
        if not 0 <= player < game.players:
            raise ValueError(f"player: {player}; {game.name} has players 0 to {game.players - 1}")
        mine = DRAWN if actions is None else actions
        return [mine if p == player else opponent for p in range(game.players)]
    if len(players) != game.players:
        raise ValueError(f"players: an entry for each of {game.players} players is expected")
    return list(players)


def draws(
    roots: Worlds, k: int, horizon: int, *, actions: Any = None, player: int = 0, seed: int = 0, out: Any = None,
    action_kind: str = "normalised",
) -> Array:  # fmt: skip
    """The actions that rollouts draw, [root, k, row, number], by `gaussian` or `uniform`, or by default."""
    kind = roots.game.kind_index(action_kind)
    numbers = roots.game.action_kinds[kind]
    _counted(k, horizon, seed)
    seats = [_entry(roots, kind, k, horizon, e) for e in _seats(roots, player, actions, "zero", None)]
    rows = -(-horizon // seats[player][2])
    array = output("out", out, (len(roots), k, rows, numbers.size), numbers.dtype)
    common = (roots.game._address, k, horizon, kind, seed, tuple(seats))
    _carom.rollout_draws(roots._handle, common, player, None, k, array)
    return array


def rollout(
    roots: Worlds,
    k: int = 1,
    horizon: int = 1,
    *,
    actions: Any = None,
    player: int = 0,
    opponent: Any = "drawn",
    players: Sequence[Any] | None = None,
    action_kind: str = "normalised",
    seed: int = 0,
    discount: float = 1.0,
    final_weight: float = 1.0,
    reward_weight: float = 1.0,
    value_at_end: bool = True,
    value: str = "game",
    weights: Mapping[str, float] | Sequence[float] | None = None,
    observation: str = "raw",
    observed: Sequence[int] | None = None,
    reward: str = "game",
    horizons: Any = None,
    elites: int = 0,
    elite_mean: Any = None,
    elite_sigma: Any = None,
    rewards: Any = False,
    lengths: Any = False,
    depths: Sequence[int] = (),
    returns: Any = None,
    best: Any = None,
    finals: Worlds | None = None,
) -> Rollout:
    """Rolls out every world of `roots`, which do not change.

    The return of a sequence is `reward_weight` times the sum of discount^t times the reward of tick t, plus
    discount^horizon times `final_weight` times the game's final value `value` of the state reached.

    Args:
        actions: those of `player`: [root, k, tick, number]; or [root, tick, number], the same for every k;
            `gaussian(...)` or `uniform(...)`; None: drawn, uniform in [-1, 1).
        opponent: the actions of each other player: "drawn", "zero", a built-in policy, or any form of `actions`.
        players: instead of the three above, an entry for each player.
        value_at_end: a game that ended during the rollout also has a final value.
        value, weights: one of the game's final values (`Game.value_kinds`), and weights of its features: all of them,
            or by name; None: the defaults.
        observation, observed, reward: what is observed at `depths`, by which agents, and what is rewarded, as for
            `Worlds`. A player's return counts the rewards of all its agents.
        horizons: [root], uint32: ticks to play from each root, instead of `horizon`.
        elites: report this many best sequences of each root for `player`, and write the mean and deviation of its
            actions in them into `elite_mean` and `elite_sigma`, which may be the arrays that it draws from.
        rewards, lengths: True, or arrays for them.
        depths: the numbers of ticks after which to observe, ascending.
        returns, best: arrays for the results.
        finals: a batch of roots x k worlds that receives the final states.

    For roots on a device all arrays are on it, the work is queued on the current stream, and the call returns at once.
    Arguments in host memory (depths, weights, bounds, ...) are copied first, and the call waits for that.

    """
    place = roots._place
    stream = place.stream(actions, horizons, returns, *(players or ()))
    game, n = roots.game, len(roots)
    kind = game.kind_index(action_kind)
    _counted(k, horizon, seed)
    if not 0 <= discount <= 1:
        raise ValueError(f"discount: {discount} is not in [0, 1]")
    seats = tuple(_entry(roots, kind, k, horizon, e) for e in _seats(roots, player, actions, opponent, players))
    if finals is not None and len(finals) != n * k:
        raise ValueError(f"finals: {n * k} worlds are expected, not {len(finals)}")
    whole("elites", elites, 0, k)
    seen, rewarded = game.observation_index(observation), game.reward_index(reward)
    bits = game.observed_bits(seen, observed)
    agents = game.players * game.reward_kinds[rewarded].agents

    def wanted(name: str, value: Any, shape: tuple[int, ...], number: Any) -> Array | None:
        if value is None or value is False:
            return None
        array: Array = place.output(name, None if value is True else value, shape, number)
        return array

    common = (game._address, k, horizon, kind, seed, seats)
    found = Rollout(roots, common)
    found.returns = place.output("returns", returns, (n, k, game.players), np.float64)
    found.best = place.output("best", best, (n, game.players), np.uint32)
    found.rewards = wanted("rewards", rewards, (n, k, horizon, agents), np.float32)
    found.lengths = wanted("lengths", lengths, (n, k), np.uint32)
    at = _there(roots, "depths", depths, (len(depths),), np.uint32) if len(depths) else None
    shape = (n, k, len(depths), *game.seen_shape(seen, bits))
    found.observations = None if at is None else place.zeros(shape, np.float32)
    fitted = (n, -(-horizon // seats[player][2]), game.action_kinds[kind].size)
    some = elites > 0
    found.elites = place.zeros((n, elites), np.uint32) if some else None
    found.elite_mean = place.output("elite_mean", elite_mean, fitted, np.float32) if some else None
    found.elite_sigma = place.output("elite_sigma", elite_sigma, fitted, np.float32) if some else None
    if horizons is not None:
        horizons = place.taken("horizons", horizons, (n,), np.uint32, written=False)
    weighed = game.value_weights(value, weights)
    if weighed is not None:
        weighed = place.filled(weighed)
    arrays = tuple(place.raw(array) for array in (
        found.returns, found.best, horizons, found.rewards, found.lengths, at,
        found.observations, found.elites, found.elite_mean, found.elite_sigma,
    ))  # fmt: skip
    _carom.rollout(
        roots._handle, common, discount, final_weight, reward_weight, value_at_end, elites, player, arrays,
        None if finals is None else finals._handle, game.value_index(value), place.raw(weighed), seen, bits, rewarded,
        stream,
    )  # fmt: skip
    return found
