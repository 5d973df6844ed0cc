# SPDX-License-Identifier: MIT
"""Players: what takes a seat of a game, made from a text."""

from __future__ import annotations

from typing import Any

from . import _carom
from ._arrays import output, whole
from ._device import HOST, place_of
from ._games import Game
from ._structs import Array
from ._worlds import Worlds, opened


class Player:
    """Takes a seat in all worlds of a batch: a built-in policy, "zero", or a planner, `"cem:1000"`.

        rival = carom.Player(worlds, 1, "cem:1000")
        actions = rival.act(worlds)

    The same text is the same player, bit for bit, in C, in `carom arena`, in the viewer and as a bot. To let it play,
    name it: `Worlds(..., players=[None, "cem:1000"])`, or `opponent="cem:1000"` of an environment. A planner searches
    from all worlds at once; world i gets the plan that it gets alone. See carom/player.h.

    Args:
        worlds: such as it will play in; they are not kept.
        seat: the player whose place it takes.
        text: who plays. A planner (shooting, cem, genetic, mppi) has its rollouts a turn, or keys, or both:
            `"cem:1000"`, `"cem:rollouts=1000,horizon=8"`. `Player.keys()` lists them.

    """

    def __init__(self, worlds: Worlds, seat: int, text: str) -> None:
        whole("seat", seat, 0, worlds.game.players - 1)
        self._handle: _carom.Handle = _carom.player_create(worlds._handle, seat, text)
        self._kind = worlds.game.action_kinds[_carom.player_kind(self._handle)]
        self._count = len(worlds)
        self.seat, self.text = seat, text

    def __repr__(self) -> str:
        return f"<Player {self.text} seat={self.seat}>"

    @staticmethod
    def keys() -> dict[str, str]:
        """The keys of planners, and what each means. Weights of what a state is worth are keys, too."""
        return dict(_carom.player_keys())

    @property
    def action_kind(self) -> str:
        """The kind of its actions: "referee" in csb and fantastic_bits, else "normalised"."""
        return self._kind.name

    def act(self, worlds: Worlds, out: Any = None) -> Array:
        """[world, number]: what it does next in every world. A planner searches; the worlds stay as they are."""
        if place_of(worlds.device) is not HOST:
            raise NotImplementedError("act: a player acts for worlds on this processor")
        array = output("out", out, (self._count, self._kind.size), self._kind.dtype)
        _carom.player_act(self._handle, worlds._handle, array, array.nbytes)
        return array

    def forget(self) -> None:
        """It plans and draws as if it were new."""
        _carom.player_forget(self._handle)

    @staticmethod
    def ladder(game: str | Game) -> tuple[str, ...]:
        """A game's built-in sides from the weakest to the strongest: each beats the one before in 70% to 95% of games.

        Texts of players, to be named as opponents: `for text in carom.Player.ladder("csb")`. Empty: it has none.
        """  # fmt: skip
        found = opened(game)
        return tuple(_carom.player_ladder(found._address)) if isinstance(found, Game) else ()

    def close(self) -> None:
        """Refuses all further use."""
        self._handle.close()
