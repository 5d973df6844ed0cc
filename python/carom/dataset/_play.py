# SPDX-License-Identifier: MIT
"""Plays a block of worlds step by step, recording every action and every game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .._arrays import aligned, whole
from .._structs import Array
from .._worlds import RESULT, Worlds
from ..blocks import Block
from ._layout import Layout

# The caller's policy: from observations [world, agent, number] and a random generator to actions [world, player,
# number] of the players that are None in `Worlds.players`.
Policy = Callable[[Array, np.random.Generator], Any]
Rows = dict[str, Array]  # by group of columns, [row, ...]


class Player:
    """Plays blocks of worlds, with one batch for all blocks of one size.

    Args:
        worlds: the worlds to play.
        layout: its columns.
        policy: plays the players that are None in worlds.players.
        threads, affinity: of the batch.

    """

    def __init__(
        self, worlds: Worlds, layout: Layout, policy: Policy | None, threads: int, affinity: Sequence[int] | None
    ) -> None:
        self._worlds, self._layout, self._policy = worlds, layout, policy
        self._pinned: dict[str, Any] = {"threads": threads, "affinity": affinity, "device": "cpu"}
        self._first_id = whole("first_id", worlds._made["first_id"])
        self._batch: Worlds | None = None
        self.ended: list[Rows] = []  # games that ended in a step, or were cut off

    def _made(self, count: int) -> Worlds:
        """The batch with `count` worlds; the actions of all players are given, so that they can be recorded as
        played.
        """
        if self._batch is None or len(self._batch) != count:
            self._batch = None  # before the next one is made: there may not be memory for both
            self._batch = self._worlds._like(count, players=None, **self._pinned)
            self._chosen = np.empty_like(self._batch.actions)
        return self._batch

    def steps(self, block: Block, ticks: int, most: int | None) -> Iterator[Rows]:
        """The transitions of each step, valid until the next one; `games` returns the games afterwards.

        Args:
            block: the worlds.
            ticks: how many steps.
            most: games a world; a world that has played them has no more rows, and play ends once no world is left.

        """
        batch, columns = self._made(block.count), self._layout.transitions
        ids = np.uint64(self._first_id + block.first) + np.arange(block.count, dtype=np.uint64)
        self.ended = []
        batch.reset()
        batch.restart(ids=ids)
        generator = np.random.default_rng([batch.seed, block.index])

        def array(group: str) -> Array:
            return aligned((1, block.count, *columns[group].shape), columns[group].dtype)

        seen, after, last = (array("observation") for _ in range(3))
        actions, rewards, ends = array("action"), array("reward"), array("end")
        results = np.zeros((1, block.count), RESULT)
        turn, next_turn = (  # calls that are prepared once; observations alternate between two arrays
            batch._asked(1, actions=actions, observations=into, last_observations=last, rewards=rewards, ends=ends,
                         results=results)[0] for into in (after, seen)
        )  # fmt: skip
        left = np.full(block.count, most or -1)  # games left for each world; -1: any number
        before = 0  # rows of earlier steps
        batch.observe(seen[0])
        for step in range(ticks):
            self._act(batch, seen[0], actions[0], generator)
            rows = {"world": ids, "episode": batch.get("episode")[:, 0], "tick": batch.get("tick")[:, 0],
                    "observation": seen[0], "action": actions[0], "reward": rewards[0], "end": ends[0]}  # fmt: skip
            if turn is not None:
                turn.play()
            plays = left != 0
            alone = bool(plays.all())
            over = ends[0] != 0 if alone else (ends[0] != 0) & plays
            at = np.flatnonzero(plays if step + 1 == ticks else over)
            if len(at):
                self.ended.append(
                    {"world": ids[at], "episode": rows["episode"][at], "row": before + np.cumsum(plays)[at] - 1,
                     "now": batch.get("tick")[at, 0], "end": ends[0, at], "result": results[0, at],
                     "last": last[0, at], "after": after[0, at]}
                )  # fmt: skip
                left[over] -= 1
            if not alone:
                rows = {name: table[plays] for name, table in rows.items()}
            yield rows
            if not left.any():
                return
            before += len(rows["end"])
            seen, after, turn, next_turn = after, seen, next_turn, turn

    def games(self) -> Rows:
        """The games of the last block, in the order in which they ended; results of unfinished ones are 0."""
        found = {name: np.concatenate([part[name] for part in self.ended]) for name in self.ended[0]}
        over, result, players = found["end"] != 0, found["result"], len(self._worlds.players)
        result[~over] = np.zeros((), RESULT)
        games = {
            **{name: found[name] for name in ("world", "episode", "row", "end")},
            "ticks": np.where(over, result["ticks"], found["now"]),
            "winner": result["winner"],
            "score": result["score"][:, :players],
            "return": result["returns"][:, :players],
            "fault": result["fault"],
            "final_observation": np.where(over[:, None, None], found["last"], found["after"]),
        }
        return {name: games[name].astype(column.dtype) for name, column in self._layout.games.items()}

    def _act(self, batch: Worlds, seen: Array, actions: Array, generator: np.random.Generator) -> None:
        """Writes the actions of all players into actions [world, player, number]."""
        players = self._worlds.players
        for name in {name for name in players if name not in (None, "zero")}:
            batch.policy(str(name), out=self._chosen)
            for player, who in enumerate(players):
                if who == name:
                    actions[:, player] = self._chosen[:, player]
        if self._policy is not None:
            given = [player for player, who in enumerate(players) if who is None]
            shown = seen.view()
            shown.flags.writeable = False  # since it is recorded
            chosen = np.asarray(self._policy(shown, generator))
            shape = (len(seen), len(given), actions.shape[2])
            if chosen.shape != shape:
                raise ValueError(f"policy: actions of shape {shape} are expected, not {chosen.shape}")
            actions[:, given] = chosen
