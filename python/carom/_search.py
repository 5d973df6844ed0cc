# SPDX-License-Identifier: MIT
"""Search: planners over rollouts. They improve one player's plan from every root world, generation by generation."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np

from . import _carom
from ._arrays import known, whole
from ._device import Cuda, place_of
from ._games import Game
from ._options import Planned
from ._structs import Array, address, dtype, record
from ._worlds import SIZE, Worlds
from .network import Network

PLANNERS = ("shooting", "cem", "genetic", "mppi")
OTHERS = ("zero", "policy", "plan", "search", "fictitious", "network")
AGAINST = ("worst", "mean")


class Generation(NamedTuple):
    """Statistics of a generation; numbers are means over the roots."""

    player: int
    rollouts: int
    ticks: int
    best: float
    mean: float
    spread: float
    seconds: float
    cut: int  # rollouts that ended after cut_after ticks


class Report(NamedTuple):
    """Statistics of the last run."""

    rollouts: int
    ticks: int
    seconds: float
    generations: tuple[Generation, ...]
    cut: int
    pause: float = 0.0  # seconds: the longest between two ticks of a thread, if the budget is in time


class _Leaves:
    """Observations in the search's memory; arrays made of it keep the search alive."""

    def __init__(self, handle: _carom.Handle, address: int, shape: tuple[int, ...]) -> None:
        self.handle = handle
        self.__array_interface__ = {"version": 3, "data": (address, True), "typestr": "<f4", "shape": shape}


class Drawing:
    """A generation after its rollouts, as passed to a watch of a search. Valid until the watch returns."""

    def __init__(self, search: Search, generation: int, player: int, count: int) -> None:
        self._search: Search | None = search
        self.generation = generation
        """The number within the run, from 0."""
        self.player = player
        """Who plans."""
        self.count = count
        """The number of sequences of each root."""

    def __repr__(self) -> str:
        return f"<Drawing generation={self.generation} player={self.player} count={self.count}>"

    def sequences(self, root: int = 0, chosen: Any = None) -> tuple[Array, Array]:
        """Sequences that were rolled out from one root: the player's actions, and their returns for it.

        Args:
            root: the index of the root.
            chosen: numbers of sequences; None: all of them. Number 0 is the plan or the mean itself, if the planner
                tries it.

        Returns:
            Numbers [sequence, row, number], float32, and returns [sequence], float64: against several opponents the
            worst or the mean; -inf after a fault and for a rollout that was cut (cut_after).

        """
        if self._search is None:
            raise RuntimeError("sequences: the watch has returned")
        return self._search._sequences(self.count, root, chosen)


class Search:
    """A planner for as many worlds as `roots` has. It keeps its plans and advances them from run to run.

        search = carom.Search(roots, planner="cem", horizon=6, rollouts=4096, opponent="race")
        for turn in range(100):
            roots.step(search.run(roots)[:, None])

    The same in steps, for values computed elsewhere, such as on another device:

        search.begin(roots)
        while len(leaves := search.leaves()):
            search.values(network(leaves))

    To see what it tries while it runs:

        search.watch(lambda drawn: print(drawn.generation, drawn.sequences(0)[1].max()))

    Args:
        roots: an example of the worlds to search from; not kept. On a device all arrays that the search returns or
            takes are on it, except low and high; it queues all work on the stream that is current at its creation.
        planner: "shooting", "cem" (cross-entropy method), "genetic" or "mppi"; see search.h.
        player: the player that plans.
        horizon, hold: ticks of a plan, and the ticks that each of its rows is held.
        sequences: in each generation, for each root.
        rollouts, milliseconds: the budget, in rollouts for each root or in time for the run. With rollouts the same
            calls give the same bits on every machine.
        low, high: bounds [row, number]; None: -1 and 1.
        opponent: what each other player plays in the rollouts: "zero", a built-in policy, "plan" (see `set_plan`),
            "search" (it plans, too) or, in games of two players, "fictitious" (fictitious play: all plans that it has
            had since the run began; with against="mean"), or "network" (what the network's policy does). With several
            of them every sequence is rolled out against each.
        against: the value of a sequence is then the "worst" of its returns, or their "mean".
        value: one of the game's final values (`Game.value_kinds`); or a function, such as a network, from observations
            [leaf, agent, number] to values [leaf, player]; called once a generation (twice with cut_after).
        observation, observed, reward: what is observed in leaves, by which agents, and what is rewarded, as for
            `Worlds`.
        weights: of the features of the game's final value: all of them, or by name; None: the defaults.
        network: a `carom.network.Network`, or the path of its file, evaluated by the library; not on a device.
        network_weight: its value, times this, is added to the value of a leaf; None: 1 if it has a value, else 0.
            final_weight=0 leaves out the game's own value.
        network_plan: whether each player who plans draws half of its first generation about what the network's policy
            does; None: if it has a policy.
        more: discount, reward_weight, final_weight, value_at_end, elites, sigma, sigma_least, keep, mutation,
            mutation_spread, temperature, other_share, other_rounds, cut_after, cut_keep, generations: as in
            carom_search_desc.

    """

    def __init__(
        self,
        roots: Worlds,
        *,
        planner: str = "cem",
        player: int = 0,
        horizon: int = 6,
        hold: int = 1,
        sequences: int = 128,
        rollouts: int = 1024,
        milliseconds: float = 0.0,
        low: Any = None,
        high: Any = None,
        seed: int = 0,
        action_kind: str = "normalised",
        opponent: str | Sequence[str] = "zero",
        against: str = "worst",
        value: str | Callable[[Array], Any] = "game",
        weights: Mapping[str, float] | Sequence[float] | None = None,
        observation: str = "raw",
        observed: Sequence[int] | None = None,
        reward: str = "game",
        network: Network | str | os.PathLike[str] | None = None,
        network_weight: float | None = None,
        network_plan: bool | None = None,
        **more: Unpack[Planned],
    ) -> None:
        game = roots.game
        kind = game.kind_index(action_kind)
        if not 0 <= player < game.players:
            raise ValueError(f"player: {player}; {game.name} has players 0 to {game.players - 1}")
        for name, least in (("horizon", horizon), ("hold", hold), ("sequences", sequences), ("rollouts", rollouts)):
            whole(name, least, 1, SIZE)
        whole("seed", seed)
        seen = game.observation_index(observation)
        bits = game.observed_bits(seen, observed)
        row = record("search")
        row["planner"] = PLANNERS.index(known("planner", planner, PLANNERS))
        row["against"] = AGAINST.index(known("against", against, AGAINST))
        names = [opponent] if isinstance(opponent, str) else list(opponent)
        if not names:
            raise ValueError("opponent: none is named")
        if "fictitious" in names and game.players > 2:
            raise ValueError(f"opponent: 'fictitious' is for two players; {game.name} has {game.players}")
        candidates = np.zeros(len(names), dtype("candidate"))
        row["candidate_count"] = len(names)
        for candidate, name in zip(candidates, names, strict=True):
            if name in OTHERS and name != "policy":
                candidate["other"] = OTHERS.index(name)
            else:
                candidate["other"], candidate["policy"] = OTHERS.index("policy"), game.policy_index(name)
        row["candidates"] = address(candidates)  # read at creation
        for name, number in (
            ("player", player), ("action_kind", kind), ("sequences", sequences), ("horizon", horizon), ("hold", hold),
            ("seed", seed), ("rollouts", rollouts), ("milliseconds", milliseconds), ("observation_kind", seen),
            ("observed", bits), ("reward_kind", game.reward_index(reward)),
        ):  # fmt: skip
            row[name] = number
        asked = network if network is None or isinstance(network, Network) else Network.load(network)
        weight, plans = network_weight or 0.0, bool(network_plan)
        if asked is not None:
            weight = network_weight if network_weight is not None else float("value" in asked.heads)
            plans = network_plan if network_plan is not None else "policy" in asked.heads
            self._refuse_network(asked, game, weight, not isinstance(value, str))
        if plans or "network" in names:
            self._refuse_policy(asked, game, kind)
        if asked is None and weight != 0:
            raise ValueError("network_weight: no network is given")
        if asked is not None and roots.device != "cpu":
            raise NotImplementedError("network: searches on a device have none")
        row["network_weight"], row["network_plan"] = weight, plans
        for name, given in more.items():
            number_type = row.dtype[known("search", name, Planned.__annotations__)]
            is_whole = number_type.kind in "iu"
            row[name] = whole(name, given, 0, int(np.iinfo(number_type).max)) if is_whole else given
        self._size, self._kind = game.action_kinds[kind].size, game.action_kinds[kind].dtype
        self._rows = -(-horizon // hold)
        bounds = [
            None
            if b is None
            else np.ascontiguousarray(np.broadcast_to(np.asarray(b, np.float32), (self._rows, self._size)))
            for b in (low, high)
        ]
        self._value = None if isinstance(value, str) else value
        if self._value is not None:
            self._refuse_device(roots)
        self._place = place_of(roots.device)
        if isinstance(self._place, Cuda):  # the search queues all its work on one stream
            self._place.fixed = self._place.last = row["stream"] = roots._place.stream()
        if isinstance(value, str):
            row["value_kind"] = game.value_index(value)
            weighed = game.value_weights(value, weights)
            row["weights"] = 0 if weighed is None else address(weighed)  # read at creation
        elif weights is not None:
            raise ValueError("weights: they go with one of the game's final values, by name")
        read = None if asked is None else _carom.search_network(asked.text())
        self._handle: _carom.Handle = _carom.search_create(roots._handle, row, *bounds, read)
        self._player, self._count, self._players = player, len(roots), game.players
        self._seen = game.seen_shape(seen, bits)
        self._awaited = 0  # the number of leaves that wait for values
        self._watch: Callable[[Drawing], object] | None = None

    @staticmethod
    def _refuse_network(network: Network, game: Game, weight: float, valued: bool) -> None:
        """Raises ValueError if the network is not for the game, or its value cannot be used."""
        if network.game != game.name:
            raise ValueError(f"network: it is for {network.game}, not for {game.name}")
        seen = game.observation_kinds[game.observation_index(network.observation)]
        if network.inputs != seen.size:
            raise ValueError(f"network: {network.inputs} inputs, but {seen.name!r} has {seen.size} numbers")
        if not math.isfinite(weight):
            raise ValueError(f"network_weight: {weight}; a finite number is expected")
        if weight != 0 and "value" not in network.heads:
            raise ValueError("network_weight: the network has no value")
        if weight != 0 and valued:
            raise ValueError("network_weight: a function values the leaves (value=), so the network cannot")

    @staticmethod
    def _refuse_policy(network: Network | None, game: Game, kind: int) -> None:
        """Raises ValueError if there is no network whose policy can play this kind of action."""
        if network is None:
            raise ValueError("network_plan, opponent='network': no network is given")
        if "policy" not in network.heads:
            raise ValueError("network_plan, opponent='network': the network has no policy")
        actions = game.action_kinds[kind]
        if actions.name != "normalised":
            raise ValueError(f"network: its policy has actions of the kind 'normalised', not {actions.name!r}")
        agents, size = game.observation_kinds[game.observation_index(network.observation)].agents, actions.size
        outputs = len(network.heads["policy"].biases)
        if outputs * agents != size:
            raise ValueError(
                f"network: its policy has {outputs} numbers for {agents} agents, an action of {game.name} has {size}"
            )

    def watch(self, call: Callable[[Drawing], object] | None) -> None:
        """Calls `call` with every generation of the following runs, before the planner learns from it; None: stops
        that.

        The results do not change, but the time that `call` takes counts towards a budget in time. It may use the search
        only through its `Drawing`. An exception ends `run` and leaves the best plan so far. If a function or the caller
        computes values, `run` or `values` raises it, and the run stays unfinished until the next one begins. Do not
        call this during a run in steps or after an unfinished run, nor for a search on a device.
        """
        _carom.search_set_watch(self._handle, call is not None)
        self._watch = call

    def _show(self, generation: int, player: int, count: int) -> None:
        if self._watch is not None:
            drawn = Drawing(self, generation, player, count)
            try:
                self._watch(drawn)
            finally:
                drawn._search = None

    def _sequences(self, count: int, root: int, chosen: Any) -> tuple[Array, Array]:
        listed = None if chosen is None else np.array([whole("chosen", k, 0, count - 1) for k in chosen], np.uint32)
        n = count if listed is None else len(listed)
        numbers, returns = np.empty((n, self._rows, self._size), np.float32), np.empty(n)
        at = whole("root", root, 0, self._count - 1)
        _carom.search_sequences(self._handle, at, listed, n, numbers, numbers.nbytes, returns)
        return numbers, returns

    def set_budget(self, *, rollouts: int | None = None, milliseconds: float | None = None) -> None:
        """Changes the budget for the following runs: give one of the two, as in the constructor.

        Useful for a bot with more time in its first turn. Not between `begin` and the last call of `leaves`.
        """
        if (rollouts is None) == (milliseconds is None):
            raise ValueError("rollouts, milliseconds: one of the two is expected")
        if milliseconds is not None and not 0 < milliseconds < math.inf:
            raise ValueError(f"milliseconds: {milliseconds}; a time above 0 is expected")
        _carom.search_set_budget(self._handle, whole("rollouts", rollouts or 0), milliseconds or 0.0)

    def run(self, roots: Worlds) -> Array:
        """Searches from every world of `roots`, which do not change; returns the actions to play, `actions()`."""
        if self._value is None:
            self._follow(roots)
            _carom.search_run(self._handle, roots._handle, None if self._watch is None else self._show)
            return self.actions()
        self.begin(roots)
        while len(seen := self.leaves()):
            self.values(self._value(seen))
        return self.actions()

    def begin(self, roots: Worlds) -> None:
        """Begins a search in steps from `roots`, which must not change until it is finished."""
        self._refuse_device(roots)
        _carom.search_begin(self._handle, roots._handle)

    @staticmethod
    def _refuse_device(roots: Worlds) -> None:
        if roots.device != "cpu":
            raise NotImplementedError("value, begin: values from outside need worlds on this processor")

    def _follow(self, roots: Worlds) -> None:
        """On a device, makes the search's stream wait for the roots, and their later work wait for the search."""
        if isinstance(self._place, Cuda) and isinstance(roots._place, Cuda):
            roots._place.turn_to(self._place.last)

    def leaves(self) -> Array:
        """Rolls out a generation; returns the observations of its last states, [leaf, agent, number], float32.

        With n sequences a root, leaf r * n + k belongs to root r. The array is the search's memory, which the next call
        overwrites. Length 0: the budget is used up and the plan is ready. The roots are locked during the call.
        """
        self._awaited, at = _carom.search_leaves(self._handle)
        shape = (self._awaited, *self._seen)
        if self._awaited == 0:
            return np.empty(shape, np.float32)
        return np.asarray(_Leaves(self._handle, at, shape))

    def values(self, values: Any) -> None:
        """Takes the values of the leaves, [leaf, player], instead of the game's final value."""
        values = np.ascontiguousarray(values, np.float64)
        if values.shape != (self._awaited, self._players):
            raise ValueError(f"value: shape {(self._awaited, self._players)} is expected, not {values.shape}")
        watch = None if self._watch is None else self._show
        _carom.search_values(self._handle, values, values.nbytes, watch)

    def _out(self, what: str, player: int | None, shape: tuple[int, ...], kind: Any) -> Array:
        array: Array = self._place.zeros(shape, kind)
        who = self._player if player is None else player
        _carom.search_transfer(what, self._handle, who, self._place.raw(array), array.nbytes)
        return array

    def actions(self, player: int | None = None) -> Array:
        """[root, number]: the first action of a player (None: the one that plans)."""
        return self._out("actions", player, (self._count, self._size), self._kind)

    def plan(self, player: int | None = None) -> Array:
        """[root, row, number], float32: the whole plan."""
        return self._out("plan", player, (self._count, self._rows, self._size), np.float32)

    def set_plan(self, plan: Any, player: int | None = None) -> None:
        """Sets a plan [root, row, number], float32, for the next run. None: discards all plans of all players."""
        who = self._player if player is None else player
        shape = (self._count, self._rows, self._size)
        array = None if plan is None else self._place.taken("plan", plan, shape, np.float32, written=False)
        bytes_of = 0 if array is None else array.nbytes
        _carom.search_transfer("set_plan", self._handle, who, self._place.raw(array), bytes_of)

    def save(self, first: int = 0, count: int | None = None) -> bytes:
        """The state of the search for roots first to first + count - 1 (None: all from `first` on), as bytes.

        It holds plans of all players, returns, and the state of the random numbers; neither parameters nor worlds. Not
        between `begin` and the last call of `leaves`.
        """
        first = whole("first", first, 0, self._count)
        count = self._count - first if count is None else whole("count", count, 0, self._count - first)
        return _carom.search_save(self._handle, first, count)

    def load(self, saved: bytes, first: int = 0) -> None:
        """Loads a save of a search with the same parameters, for the roots from `first` on.

        It may come from another machine and a search of another number of roots. With a budget in rollouts and the same
        worlds, the next run then gives the same bits as there. All roots share one count of generations for their
        random numbers, which a load replaces: load only saves of the same turn. ValueError: the bytes are not such a
        save, or are damaged.
        """
        _carom.search_load(self._handle, whole("first", first, 0, self._count), saved)

    def returns(self) -> Array:
        """[root], float64: the return of the plan when it was last rolled out."""
        return self._out("returns", 0, (self._count,), np.float64)

    def report(self) -> Report:
        """Statistics of the last run, generation by generation."""
        rollouts, ticks, seconds, generations, cut, pause = _carom.search_report(self._handle)
        return Report(rollouts, ticks, seconds, tuple(Generation(*g) for g in generations), cut, pause)

    def close(self) -> None:
        """Closes it; any later use raises an error."""
        self._handle.close()
