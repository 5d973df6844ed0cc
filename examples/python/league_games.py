# SPDX-License-Identifier: MIT
"""The games of `league.py`: what its network observes, how its outputs act, and rewards."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import carom
from carom.mirror import Mirror

GUARDING = 5.0  # of a guard's reward: what counts is being near the rival


def unit(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The direction of a vector, of length 4; 0 for the vector 0."""
    far = torch.hypot(x, y).clamp_min(1e-3)
    return 4 * x / far, 4 * y / far


def distance(x: Tensor, y: Tensor, least: float = 0.1) -> Tensor:
    """Its logarithm: the nearer, the finer; `least` is what no longer matters."""
    return (torch.hypot(x, y) + least).log()


def nearness(e: Tensor) -> Tensor:
    """How near the sides' guards are to the leading rival and its checkpoint [world, side], for `ego` [number, world,
    pod]. The weights are those of the value `duel`, but for a factor.
    """
    found = []
    for side in (0, 1):
        guard, first, second = e[:, :, 2 * side + 1], e[:, :, 2 - 2 * side], e[:, :, 3 - 2 * side]
        leads = first[21] <= 0
        rival, place = torch.where(leads, first, second), torch.where(leads, guard[22:30], guard[30:38])
        x, y, c, s, far = place[0], place[1], place[4], place[5], 1.25 * rival[4]
        gate = torch.hypot(x + far * (c * rival[2] - s * rival[3]), y + far * (s * rival[2] + c * rival[3]))
        found.append(-GUARDING * (0.443 * gate + 0.299 * torch.hypot(x, y)))
    return torch.stack(found, 1)


class Csb:
    """Observations, actions and rewards of pods that see where they drift, and the checkpoints of the others."""

    name, bodies, observed = "csb", 2, None
    made: dict[str, Any] = {  # noqa: RUF012
        "action_kind": "normalised_full", "fair_timeouts": 1, "reward": "own", "result_reward": 0.0,
    }  # fmt: skip
    numbers, size, slots = 112, 3, 2  # of them 104 are in use: whole vectors are faster
    levels: dict[int, tuple[float, ...]] = {2: (-0.5, 0.5)}  # noqa: RUF012  shield, neither, boost
    curve, discount = ("race", "drive", "cem:100", "cem:300"), 0.97
    ladder: tuple[str, ...] = ("drive", "cem:300")
    coasting = (1.5, 3.0, 4.5, 1 / 0.15)  # in ticks of the present speed; without thrust a pod drifts no farther

    def __init__(self) -> None:
        mirror = Mirror("csb")
        at = {name: k for k, name in enumerate(mirror.names)}
        self.weights = torch.from_numpy(mirror.weights)[:, None]
        self.odd = torch.from_numpy(np.flatnonzero(mirror.image != mirror.weights))
        self.aside, self.tick = at["next_aside"], at["tick"]

    def see(self, ego: Tensor) -> Tensor:
        """The network's inputs [row, number] for `ego` [world, 4, number] of all pods.

        First `ego`, with the leading rival before the other one, and whether the pod is a runner or a guard. Then, in
        units of 1000: directions to its next two checkpoints from where it will have drifted, how far it will miss the
        next one, and where the course leads; how near the other pods will come, and their checkpoints; and where to
        meet the leading rival, or to wait for it. If the pod's own checkpoint is on its right, the row is mirrored.
        """
        worlds = len(ego)
        e = ego.permute(2, 1, 0).contiguous()  # [number, pod, world]
        own = e.reshape(38, -1)
        mate, first, second = (e[:, order].reshape(38, -1) for order in ([1, 0, 3, 2], [2, 2, 0, 0], [3, 3, 1, 1]))
        swap = own[37] > own[29]
        rivals = [torch.where(swap, own[30:38], own[22:30]), torch.where(swap, own[22:30], own[30:38])]
        theirs = [torch.where(swap, second, first), torch.where(swap, first, second)]
        plain = torch.cat([own[:22], *rivals]) * self.weights
        sign = torch.where(own[self.aside] < 0, -1.0, 1.0)
        plain[self.odd] *= sign
        runs = torch.tensor([1.0, -1.0, 1.0, -1.0]).repeat_interleave(worlds)
        rows: list[Tensor] = [*plain, runs]

        # The course: the next checkpoint (ax, ay), and the one after it (bx, by).
        vx, vy = own[0], own[1] * sign
        ax, ay = 20 * own[4] * own[2], 20 * own[4] * own[3] * sign
        bx, by = 20 * own[7] * own[5], 20 * own[7] * own[6] * sign
        for x, y in ((ax, ay), (bx, by)):
            for ticks in self.coasting:
                rows += unit(x - ticks * vx, y - ticks * vy)
        speed, far, leg = torch.hypot(vx, vy), torch.hypot(ax, ay).clamp_min(1e-3), torch.hypot(bx - ax, by - ay)
        moving, leg = speed.clamp_min(0.05), leg.clamp_min(1e-3)
        rows += [2 * (ax * vy - ay * vx) / moving, 2 * (ax * vx + ay * vy) / moving]
        rows += [distance(ax, ay), 2 * speed, 2 * vx, 2 * vy, *unit(bx - ax, by - ay)]
        rows += [2 * (ax * (bx - ax) + ay * (by - ay)) / far / leg, 2 * (ax * by - ay * bx) / far / leg]

        for place, other in zip((own[14:22], *rivals), (mate, *theirs), strict=True):
            x, y, ux, uy = 16 * place[0], 16 * place[1] * sign, place[2], place[3] * sign
            moving = torch.hypot(ux, uy).clamp_min(0.05)
            rows += [(y * ux - x * uy) / moving, (x * ux + y * uy) / moving, distance(x, y)]
            # The other pod's next checkpoint is at (cx, cy), the one after it at (dx, dy).
            c, s = place[4], place[5] * sign
            (cx, cy), (dx, dy) = (
                (x + 20 * other[k + 2] * (c * other[k] - s * other[k + 1] * sign),
                 y + 20 * other[k + 2] * (s * other[k] + c * other[k + 1] * sign)) for k in (2, 5)
            )  # fmt: skip
            rows += [0.5 * cx, 0.5 * cy]
            if other is not mate:
                rows += [*unit(x + 2 * ux, y + 2 * uy), *unit(x + 5 * ux, y + 5 * uy), other[9]]
            if other is theirs[0]:
                # Its place to wait is 0.9 before the checkpoint.
                left = torch.hypot(x - cx, y - cy)
                share = 0.9 / (left + 0.9)
                wx, wy = cx + share * (x - cx) - 3 * vx, cy + share * (y - cy) - 3 * vy
                rows += [0.5 * dx, 0.5 * dy, *unit(cx - 3 * vx, cy - 3 * vy), *unit(cx - vx / 0.15, cy - vy / 0.15)]
                rows += [*unit(dx - 4 * vx, dy - 4 * vy), *unit(wx, wy)]
                rows += [distance(wx, wy), distance(cx, cy), (left + 0.1).log(), 10 * other[4]]

        rows += (self.numbers - len(rows)) * [torch.zeros_like(speed)]
        # From [number, pod, world] to rows: all pods of a world side by side.
        seen = torch.stack(rows).clamp_(-8, 8).view(self.numbers, 4, worlds)
        return seen.permute(2, 1, 0).reshape(4 * worlds, self.numbers)

    def act(self, ego: Tensor, said: Tensor) -> Tensor:
        """Actions [world, pod, number] from the network's outputs."""
        found = said.view(len(ego), 4, 3).clamp(-1, 1)
        turn = torch.where(ego[..., self.aside] < 0, -found[..., 0], found[..., 0])
        first = torch.atan2(ego[..., self.aside], ego[..., self.aside - 1]) / math.pi
        found[..., 0] = torch.where(ego[..., self.tick] == 0, first, turn)
        return found

    def gain(self, rewards: Tensor, won: Tensor, over: Tensor, kept: dict[str, Tensor], ego: Tensor) -> Tensor:
        """Rewards [world, pod]. A side's first pod, the runner: the way it has come, in units of 5000. The second one,
        the guard: the way that the rival has not come, and getting nearer to it and its checkpoint. Both: the result.

        Args:
            rewards: [world, pod], progress in this step.
            won: [world, side]: 1, -1 or 0.
            over: [world], bool.
            kept: state between steps: "left" [world, pod], the distance to the next checkpoint in units of 1000;
                "leads" [world, pod], whether the pod is ahead of its mate; "near" [world, side].
            ego: [world, pod, number], after the step; of a new game if `over`.

        """
        e = ego.permute(2, 0, 1)  # [number, world, pod]
        left, near = 20 * e[4], nearness(e)
        if not kept:
            kept.update(left=left, leads=e[21] <= 0, near=near)
        ended = over[:, None]
        still = torch.where(ended, kept["left"], left)
        way = 0.2 * (kept["left"] - torch.where(rewards > 0.3, 0.6, still))  # a checkpoint's radius is 600
        lead = torch.where(kept["leads"][:, ::2], way[:, ::2], way[:, 1::2])
        guards = 0.3 * lead - lead.flip(1) + torch.where(ended, 0.0, near - kept["near"])
        kept.update(left=left, leads=e[21] <= 0, near=near)
        return torch.stack([way[:, ::2], guards], 2).flatten(1) + won.repeat_interleave(2, 1)


class EgoCsb(Csb):
    """The subset that a network file of the library can express: plain `ego`, and actions of the kind `normalised`. All
    pods are runners.
    """

    made: dict[str, Any] = {**Csb.made, "action_kind": "normalised"}  # noqa: RUF012
    numbers, size = 64, 2  # 38 of them
    levels: dict[int, tuple[float, ...]] = {}  # noqa: RUF012
    ladder = ("race", "drive")

    def see(self, ego: Tensor) -> Tensor:
        """The network's inputs [row, number] for `ego` [world, 4, number] of all pods."""
        seen = ego.flatten(0, 1).clamp(-8, 8) * self.weights[:, 0]
        return nn.functional.pad(seen, (0, self.numbers - seen.shape[1]))

    def act(self, ego: Tensor, said: Tensor) -> Tensor:
        """Actions [world, pod, number] from the network's outputs."""
        return said.view(len(ego), 4, 2).clamp(-1, 1)

    def gain(self, rewards: Tensor, won: Tensor, over: Tensor, kept: dict[str, Tensor], ego: Tensor) -> Tensor:
        """Rewards [world, pod]: its own progress, and the result."""
        return 0.5 * (rewards + won.repeat_interleave(2, 1))


class Soccer:
    """Observations, actions and rewards of robots."""

    name, bodies, observed = "soccer", 2, (0, 1, 11, 12)
    made: dict[str, Any] = {  # noqa: RUF012
        "robots": 2, "goals": 1, "ticks": 1800, "repeat": 6, "reward": "own",
    }  # fmt: skip
    numbers, size, slots = 96, 5, 11
    levels: dict[int, tuple[float, ...]] = {}  # noqa: RUF012
    curve, discount = ("random", "striker"), 0.98
    ladder = ("random", "striker")

    def __init__(self) -> None:
        self.mirror = copy.copy(Mirror("soccer"))
        self.at = {name: k for k, name in enumerate(n.name for n in carom.games["soccer"].observations["ego"])}
        for name in ("weights", "image", "act_image"):
            setattr(self.mirror, name, torch.from_numpy(getattr(self.mirror, name)))

    def near(self, e: Tensor, name: str, sign: Tensor | float = 1.0) -> tuple[Tensor, Tensor]:
        """A place or velocity relative to the robot, in units of the field's length, for `ego` [number, ...]."""
        k = self.at[f"{name}ahead"]
        return e[k], e[k + 1] * sign

    def goal(self, e: Tensor, name: str, sign: Tensor | float = 1.0) -> tuple[Tensor, Tensor]:
        """The middle of a goal, likewise."""
        x, y = self.near(e, name, sign)
        far = e[self.at[f"{name}distance"]]
        return x * far, y * far

    def see(self, ego: Tensor) -> Tensor:
        """The network's inputs [row, number] for `ego` [world, robot, number].

        First `ego`, and whether the robot is the keeper. Then directions and distances: to the ball now and soon, to
        the place behind it from where it can be played to the goal, to the place before the own goal where it can be
        stopped; and from the others to the ball.
        """
        plain = self.mirror.see(ego, torch).flatten(0, 1).t()
        e = ego.flatten(0, 1).t()
        sign = torch.where(e[self.at["y"]] < 0, -1.0, 1.0)
        x, y = self.near(e, "ball0.", sign)
        ux, uy = (0.72 * v for v in self.near(e, "ball0.v_", sign))  # kick_speed / length: lengths a second
        gx, gy = self.goal(e, "goal_", sign)
        hx, hy = self.goal(e, "own_goal_", sign)
        rows = [*plain, torch.tensor([1.0, -1.0, 1.0, -1.0]).repeat(len(ego))]
        for ticks in (0.0, 0.15, 0.5, 1.0):
            rows += unit(x + ticks * ux, y + ticks * uy)
        for kx, ky, back in ((gx, gy, 0.0125), (gx, gy, 0.04), (hx, hy, 0.0)):
            # From the ball away from the goal; or from the own goal towards the ball.
            dx, dy = kx - x, ky - y
            far = torch.hypot(dx, dy).clamp_min(1e-3)
            step = far - 0.06 if back == 0 else -torch.full_like(far, back)
            tx, ty = x + step * dx / far, y + step * dy / far
            rows += [*unit(tx, ty), distance(tx, ty, 0.005), *unit(dx, dy), far]
        away = torch.hypot(x, y).clamp_min(1e-3)
        rows += [distance(x, y, 0.005), (x * (gx - x) + y * (gy - y)) / away, (x * (gy - y) - y * (gx - x)) / away]
        for name in ("mate0.", "other0.", "other1."):
            ox, oy = self.near(e, name, sign)
            rows += [*unit(ox, oy), distance(ox, oy, 0.005), distance(ox - x, oy - y, 0.005), *unit(x - ox, y - oy)]
        rows += (self.numbers - len(rows)) * [torch.zeros_like(x)]
        return torch.stack(rows).clamp_(-8, 8).t().contiguous()

    def act(self, ego: Tensor, said: Tensor) -> Tensor:
        """Actions [world, robot, number] from the network's outputs."""
        return self.mirror.act(ego, said.view(len(ego), 4, 5), torch)

    def gain(self, rewards: Tensor, won: Tensor, over: Tensor, kept: dict[str, Tensor], ego: Tensor) -> Tensor:
        """Rewards [world, robot]: goals, dribbling and kicking the ball towards the goal; and, as changes of a
        potential, the ball's way to the goal; the second robot's to the place behind the ball, facing it; and that of
        the first one, the keeper, to its place between the ball and its goal.
        """
        e = ego.permute(2, 0, 1)
        (x, y), (gx, gy), (hx, hy) = self.near(e, "ball0."), self.goal(e, "goal_"), self.goal(e, "own_goal_")
        far, back = torch.hypot(gx - x, gy - y).clamp_min(1e-3), torch.hypot(hx - x, hy - y).clamp_min(1e-3)
        ahead, behind = 1 - 0.06 / back, -0.0125 / far
        keeper = torch.hypot(x + ahead * (hx - x), y + ahead * (hy - y))
        other = torch.hypot(x + behind * (gx - x), y + behind * (gy - y)) - 0.05 * x / torch.hypot(x, y).clamp_min(1e-3)
        away = torch.where(torch.tensor([True, False, True, False]), keeper, other) + 5 * far
        nearer = kept.get("away", away) - away
        kept["away"] = away
        nearer[over] = 0
        return rewards[:, list(self.observed)] + nearer


GAMES = {"csb": Csb, "csb-ego": EgoCsb, "soccer": Soccer}
