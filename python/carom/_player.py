# SPDX-License-Identifier: MIT
"""Players: made from a text, they play one side of a game."""

from __future__ import annotations

from typing import Any

from . import _carom
from ._arrays import output, whole
from ._device import HOST, place_of
from ._games import Game
from ._structs import Array
from ._worlds import Worlds, opened


class Player:
    """Plays one side in all worlds of a batch: a built-in policy, "zero", or a planner, `"cem:1000"`.

        rival = carom.Player(worlds, 1, "cem:1000")
        actions = rival.act(worlds)

    The same text gives the same player, bit for bit, in C, in `carom arena`, in the viewer and as a bot. You can also
    pass the text to `Worlds(..., players=[None, "cem:1000"])`, or as `opponent="cem:1000"` to an environment. A planner
    searches from all worlds at once; each world gets the plan that it would get alone. See carom/player.h.

    Args:
        worlds: an example of those it will play in; not kept.
        seat: the number of the player that it plays.
        text: the player. A planner (shooting, cem, genetic, mppi) takes its rollouts a turn, or keys, or both:
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
        """The keys of planners and their meanings, including the weights of a final value's features."""
        return dict(_carom.player_keys())

    @property
    def action_kind(self) -> str:
        """The kind of its actions: "referee" in csb and fantastic_bits, else "normalised"."""
        return self._kind.name

    def act(self, worlds: Worlds, out: Any = None) -> Array:
        """Its next action in every world, [world, number]. A planner searches; the worlds do not change."""
        if place_of(worlds.device) is not HOST:
            raise NotImplementedError("act: a player acts for worlds on this processor")
        array = output("out", out, (self._count, self._kind.size), self._kind.dtype)
        _carom.player_act(self._handle, worlds._handle, array, array.nbytes)
        return array

    def forget(self) -> None:
        """Restarts its plans and random numbers, as if it were new."""
        _carom.player_forget(self._handle)

    @staticmethod
    def ladder(game: str | Game) -> tuple[str, ...]:
        """A game's built-in players from the weakest to the strongest: each beats the previous one in 70% to 95% of
        games.

        Texts of players, for use as opponents: `for text in carom.Player.ladder("csb")`. Empty if the game has none.
        """  # fmt: skip
        found = opened(game)
        return tuple(_carom.player_ladder(found._address)) if isinstance(found, Game) else ()

    def close(self) -> None:
        """Closes it; any later use raises an error."""
        self._handle.close()
