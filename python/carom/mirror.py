# SPDX-License-Identifier: MIT
"""Mirror images: a network's inputs for a body, and the body's actions from its outputs.

With left and right swapped a game plays the same. A network learns both at once if a row whose next goal lies to the
right observes and acts in the mirror image. `mirrored=True` of the environments does that; a program with its
observations elsewhere, such as in JAX, calls a `Mirror`:

    mirror = carom.mirror.Mirror("csb")
    actions = mirror.act(observations, network(mirror.see(observations)))
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from ._arrays import known
from ._games import games
from ._structs import Array


class _Game(NamedTuple):
    weights: dict[str, float]  # by the first pattern that matches the name; 1 if none does, 0 leaves the number out
    side: str  # the image is used if this number is negative
    odd: tuple[str, ...]  # numbers whose sign changes in it
    odd_actions: tuple[int, ...]
    action_kind: str


# Enlarges numbers that matter at short range, which are hundredths in `ego`.
_GAMES = {
    "csb": _Game(
        {"next_distance": 10, "after_distance": 4, "*.v_a*": 2, "v_a*": 3, "*.a*": 8, "*.progress": 0.5},
        "next_aside", ("*aside", "*sin_heading"), (0,), "normalised_full",
    ),
    "soccer": _Game(
        {"ball0.a*": 8, "ball0.*": 1, "mate0.a*": 4, "other[01].a*": 4, "mate0.*": 1, "other[01].*": 1, "*.*": 0},
        "y", ("*aside", "*sin_*", "y", "spin"), (1, 2), "normalised",
    ),
}  # fmt: skip


class Mirror:
    """The mirror image of "csb" or "soccer", for rows of bodies that observe `ego`.

    Attributes:
        names: the network's inputs, in order.
        kept: their indices in `ego`.
        weights, image: their factors, without mirroring and in the image, float32.
        act_image: factors of actions in the image, float32.
        side: the index of the number of `ego` whose negative values select the image.
        action_kind: the kind of action that `act` returns: "normalised_full" for csb, "normalised" for soccer.

    """

    def __init__(self, game: str) -> None:
        found = _GAMES[known("mirrored: game", game, _GAMES)]
        numbers = games[game].observations["ego"]
        every = [number.name for number in numbers]
        fits = [[weight for pattern, weight in found.weights.items() if fnmatchcase(name, pattern)] for name in every]
        weights = np.array([first[0] if first else 1 for first in fits], np.float32)
        self.game = game
        self.action_kind = found.action_kind
        self.kept = np.flatnonzero(weights)
        self.names = tuple(every[k] for k in self.kept)
        self.weights: Array = weights[self.kept]
        odd = [any(fnmatchcase(name, pattern) for pattern in found.odd) for name in self.names]
        self.image: Array = np.where(odd, -self.weights, self.weights)
        self.side = every.index(found.side)
        seen = games[game].observation_kinds[games[game].observation_index("ego")]
        size = games[game].action_kinds[games[game].kind_index(self.action_kind)].size // seen.agents
        self.act_image: Array = np.ones(size, np.float32)
        self.act_image[list(found.odd_actions)] = -1
        ends = np.array([[numbers[k].low for k in self.kept], [numbers[k].high for k in self.kept]], np.float32)
        each = np.concatenate([ends * self.weights, ends * self.image])
        self.low: Array = each.min(0)
        self.high: Array = each.max(0)
        self._at = {name: k for k, name in enumerate(every)}

    def see(self, observations: Any, xp: Any = np) -> Any:
        """The network's inputs from `ego`: [..., number], float32.

        Args:
            observations: [..., number of `ego`].
            xp: `numpy`, or `jax.numpy` for its arrays. `carom.torch` calls it with `torch`, for tensors.

        """
        mirrored = observations[..., self.side, None] < 0
        return observations[..., self.kept] * xp.where(mirrored, self.image, self.weights)

    def act(self, observations: Any, actions: Any, xp: Any = np) -> Any:
        """The actions of bodies from the network's outputs, [..., number] within [-1, 1].

        In csb's first tick, and only then, a pod may turn by any angle: it turns to its checkpoint. A soccer robot's
        actions are along the field's axes; the network's are relative to the robot's direction.

        Args:
            observations: [..., number of `ego`], for which the network gave the actions.
            actions: [..., number], the network's outputs; clipped to [-1, 1].
            xp: as for `see`.

        """
        mirrored = observations[..., self.side, None] < 0
        found = xp.clip(actions, -1, 1) * xp.where(mirrored, self.act_image, 1.0)
        if self.game == "csb":
            way = xp.arctan2(self._number(observations, "next_aside"), self._number(observations, "next_ahead"))
            first = self._number(observations, "tick") == 0
            changed = [xp.where(first, way / np.float32(np.pi), found[..., 0])]
        else:
            c, s = self._number(observations, "cos_angle"), self._number(observations, "sin_angle")
            ahead, aside = found[..., 0], found[..., 1]
            changed = [c * ahead - s * aside, s * ahead + c * aside]
        return xp.concatenate([xp.stack(changed, -1), found[..., len(changed) :]], -1)

    def _number(self, observations: Any, name: str) -> Any:
        return observations[..., self._at[name]]
