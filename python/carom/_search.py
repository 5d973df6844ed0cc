# SPDX-License-Identifier: MIT
"""Search: planners over rollouts. From every root world one player's plan is improved, generation by generation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np

from . import _carom
from ._arrays import known, whole
from ._device import Cuda, place_of
from ._options import Planned
from ._structs import Array, address, dtype, record
from ._worlds import SIZE, Worlds

PLANNERS = ("shooting", "cem", "genetic", "mppi")
OTHERS = ("zero", "policy", "plan", "search", "fictitious")
AGAINST = ("worst", "mean")


class Generation(NamedTuple):
    """What a generation did; numbers are means over the roots."""

    player: int
    rollouts: int
    ticks: int
    best: float
    mean: float
    spread: float
    seconds: float
    cut: int  # rollouts that ended after cut_after ticks


class Report(NamedTuple):
    """What the last run did."""

    rollouts: int
    ticks: int
    seconds: float
    generations: tuple[Generation, ...]
    cut: int
    pause: float = 0.0  # seconds, the longest between two ticks of a thread, if the budget is in time


class _Leaves:
    """Observations that the search lends out: the array made of it keeps the search."""

    def __init__(self, handle: _carom.Handle, address: int, shape: tuple[int, ...]) -> None:
        self.handle = handle
        self.__array_interface__ = {"version": 3, "data": (address, True), "typestr": "<f4", "shape": shape}


class Drawing:
    """A generation that has been rolled out, as a watch of a search is shown it. Good until the watch returns."""

    def __init__(self, search: Search, generation: int, player: int, count: int) -> None:
        self._search: Search | None = search
        self.generation = generation
        """Of the run, from 0."""
        self.player = player
        """Who plans."""
        self.count = count
        """Sequences of each root."""

    def __repr__(self) -> str:
        return f"<Drawing generation={self.generation} player={self.player} count={self.count}>"

    def sequences(self, root: int = 0, chosen: Any = None) -> tuple[Array, Array]:
        """Some sequences as they were rolled out from one root: what the player does, and what that is worth to it.

        Args:
            root: whose.
            chosen: numbers of sequences; None: all of them. Number 0 is the plan or the mean itself, where the planner
                tries it.

        Returns:
            Numbers [sequence, row, number], float32, and returns [sequence], float64: against several opponents the
            worst or the mean, -inf after a fault and for what ended early (cut_after).

        """
        if self._search is None:
            raise RuntimeError("sequences: the watch has returned")
        return self._search._sequences(self.count, root, chosen)


class Search:
    """A planner for as many worlds as `roots` has; plans are remembered and moved on from run to run.

        search = carom.Search(roots, planner="cem", horizon=6, rollouts=4096, opponent="race")
        for turn in range(100):
            roots.step(search.run(roots)[:, None])

    The same in steps, for values that are computed elsewhere, such as on another device:

        search.begin(roots)
        while len(leaves := search.leaves()):
            search.values(network(leaves))

    What it tries can be seen while it runs:

        search.watch(lambda drawn: print(drawn.generation, drawn.sequences(0)[1].max()))

    Args:
        roots: worlds such as will be searched from; they are not kept. On a device all arrays that the search gives or
            takes are there, but for low and high; it queues all work on the stream that is current when it is made.
        planner: "shooting", "cem" (cross-entropy method), "genetic" or "mppi"; see search.h.
        player: who plans.
        horizon, hold: ticks of a plan, and for how many each of its rows is played.
        sequences: of a generation and root.
        rollouts, milliseconds: the budget of a root in rollouts, or of the run in time. With rollouts the same calls
            give the same bits on every machine.
        low, high: bounds [row, number]; None: -1 and 1.
        opponent: what each other player does in the rollouts: "zero", a built-in policy, "plan" (see `set_plan`),
            "search" (it plans, too) or, in games of two players, "fictitious" (fictitious play: all plans that it has
            had since the run began; with against="mean"). Or several of them: every sequence is rolled out against
            each.
        against: what a sequence is then worth: the "worst" of its returns, or their "mean".
        value: one of the game's final values (`Game.value_kinds`); or instead of it a function of observations
            [leaf, agent, number] that gives values [leaf, player]; called once a generation (twice with
            cut_after). A network goes here.
        observation, observed, reward: what is seen of leaves, by which agents, and what is rewarded: as of `Worlds`.
        weights: of the features of the game's final value: all of them, or by name; None: its own.
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
        self._handle: _carom.Handle = _carom.search_create(roots._handle, row, *bounds)
        self._player, self._count, self._players = player, len(roots), game.players
        self._seen = game.seen_shape(seen, bits)
        self._awaited = 0  # leaves that wait for their values
        self._watch: Callable[[Drawing], object] | None = None

    def watch(self, call: Callable[[Drawing], object] | None) -> None:
        """Lets `call` see every generation of the runs that follow, before the planner learns from it; None: nobody.

        The results stay the same bits, and the time that `call` takes counts in a budget of time. It must not use the
        search but by the `Drawing` that it is given. What it raises ends `run`, and the plan is then the best so far;
        where values come from outside, `run` or `values` raises it and the run is unfinished, until the next begins.
        Not during a run in steps, nor an unfinished one, and not of a search on a device.
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
        """Changes the budget for the following runs: one of the two, as in the constructor.

        For example, for a bot with more time in its first turn. Not between `begin` and the last call of `leaves`.
        """
        if (rollouts is None) == (milliseconds is None):
            raise ValueError("rollouts, milliseconds: one of the two is expected")
        if milliseconds is not None and not 0 < milliseconds < math.inf:
            raise ValueError(f"milliseconds: {milliseconds}; a time above 0 is expected")
        _carom.search_set_budget(self._handle, whole("rollouts", rollouts or 0), milliseconds or 0.0)

    def run(self, roots: Worlds) -> Array:
        """Searches from every world of `roots`, which stay as they are; returns what to play, `actions()`."""
        if self._value is None:
            self._follow(roots)
            _carom.search_run(self._handle, roots._handle, None if self._watch is None else self._show)
            return self.actions()
        self.begin(roots)
        while len(seen := self.leaves()):
            self.values(self._value(seen))
        return self.actions()

    def begin(self, roots: Worlds) -> None:
        """Begins a search in steps from `roots`, which must stay as they are until it is through."""
        self._refuse_device(roots)
        _carom.search_begin(self._handle, roots._handle)

    @staticmethod
    def _refuse_device(roots: Worlds) -> None:
        if roots.device != "cpu":
            raise NotImplementedError("value, begin: values from outside are taken on this processor only")

    def _follow(self, roots: Worlds) -> None:
        """On a device: the search's stream waits for the roots, and what the roots do next waits for the search."""
        if isinstance(self._place, Cuda) and isinstance(roots._place, Cuda):
            roots._place.turn_to(self._place.last)

    def leaves(self) -> Array:
        """Rolls out a generation: what is seen of its last states, [leaf, agent, number], float32.

        Leaf r * n + k is of root r, with n sequences of a root. The array is the search's own memory, which the next
        call overwrites. Length 0: the budget is used up and the plan is ready. The call locks the roots.
        """
        self._awaited, at = _carom.search_leaves(self._handle)
        shape = (self._awaited, *self._seen)
        if self._awaited == 0:
            return np.empty(shape, np.float32)
        return np.asarray(_Leaves(self._handle, at, shape))

    def values(self, values: Any) -> None:
        """Takes what the leaves are worth, [leaf, player], instead of the game's final value."""
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
        """[root, number]: what a player (None: who plans) does first."""
        return self._out("actions", player, (self._count, self._size), self._kind)

    def plan(self, player: int | None = None) -> Array:
        """[root, row, number], float32: the whole plan."""
        return self._out("plan", player, (self._count, self._rows, self._size), np.float32)

    def set_plan(self, plan: Any, player: int | None = None) -> None:
        """Sets a plan [root, row, number], float32, for the next run. None: all plans, of all players, start anew."""
        who = self._player if player is None else player
        shape = (self._count, self._rows, self._size)
        array = None if plan is None else self._place.taken("plan", plan, shape, np.float32, written=False)
        bytes_of = 0 if array is None else array.nbytes
        _carom.search_transfer("set_plan", self._handle, who, self._place.raw(array), bytes_of)

    def save(self, first: int = 0, count: int | None = None) -> bytes:
        """What the search remembers of roots first to first + count - 1 (None: all from `first` on).

        Plans of all players, returns, and where the random numbers are; neither parameters nor worlds. Not between
        `begin` and the last call of `leaves`.
        """
        first = whole("first", first, 0, self._count)
        count = self._count - first if count is None else whole("count", count, 0, self._count - first)
        return _carom.search_save(self._handle, first, count)

    def load(self, saved: bytes, first: int = 0) -> None:
        """Takes over what another search with the same parameters saved, for the roots from `first` on.

        That search may have been elsewhere, for another number of roots. The next run gives what it would have given
        there: the same bits, from the same worlds and by a budget in rollouts. All roots of a search draw by one
        count of generations, which a load takes over: load saves of the same turn. ValueError: the bytes are no such
        save, or damaged.
        """
        _carom.search_load(self._handle, whole("first", first, 0, self._count), saved)

    def returns(self) -> Array:
        """[root], float64: what the plan was worth when it was last rolled out."""
        return self._out("returns", 0, (self._count,), np.float64)

    def report(self) -> Report:
        """What the last run did, generation by generation."""
        rollouts, ticks, seconds, generations, cut, pause = _carom.search_report(self._handle)
        return Report(rollouts, ticks, seconds, tuple(Generation(*g) for g in generations), cut, pause)

    def close(self) -> None:
        """Refuses all further use."""
        self._handle.close()
