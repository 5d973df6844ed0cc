# SPDX-License-Identifier: MIT
"""Keyword arguments as TypedDicts, so that type checkers report misspelt ones. Calls also check them at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict


class Options(TypedDict, total=False):
    """Options of the games, as in their C headers; each game has some of them."""

    # csb
    rules: str  # csb: "full" or "test"; stones: "as_shipped" or "as_described"
    map_count: int
    maps: Any
    laps: int
    map_seed: int | None
    ticks: int  # soccer and stones, too
    fair_timeouts: bool
    alone: bool
    progress_reward: float
    checkpoint_reward: float
    result_reward: float
    # fall
    bodies: Any
    scatter: float
    gravity: float
    keep: float
    cutoff: float
    kick: float
    last_tick: int
    # fantastic_bits
    snaffles: int
    seeds: Any
    # soccer
    league: str
    robots: int
    balls: int
    goals: int
    continuous: bool
    rate: float
    length: float
    width: float
    mouth: float
    robot_radius: float
    robot_mass: float
    ball_radius: float
    ball_mass: float
    robot_restitution: float
    ball_restitution: float
    wall_restitution: float
    friction: float
    max_speed: float
    max_acceleration: float
    max_spin: float
    max_spin_acceleration: float
    kick_speed: float
    kick_reset: float
    arc: float
    reach: float
    stickiness: float
    # stones
    stones: int
    ring: float
    loss: float
    check: bool


class Common(Options, total=False):
    """Keywords of `Worlds` that environments share."""

    precision: str
    isa: str | None
    threads: int
    affinity: Sequence[int] | None
    first_id: int
    action_kind: str
    repeat: int
    check_actions: bool


class Made(Common, total=False):
    """Keywords of `Worlds`."""

    device: Any
    seed: int
    at_end: str
    players: Sequence[str | None] | None
    opponent: str | None
    observation: str
    observed: Sequence[int] | None
    reward: str


class Rowed(Common, total=False):
    """Keywords of environments with rows."""

    opponent: str | None
    players: str
    per: str
    seat: int
    observation: str
    normalised: bool
    reward: str | None


class Vectored(Rowed, total=False):
    """Keywords of `carom.gymnasium.VectorEnv` shared by environments built on it."""

    mirrored: bool
    render_mode: str | None
    render_width: int


class Tensored(Rowed, total=False):
    """Keywords of `carom.torch.Env` for its rows."""

    mirrored: bool


class Planned(TypedDict, total=False):
    """Keywords of `Search` that are members of carom_search_desc."""

    discount: float
    reward_weight: float
    final_weight: float
    value_at_end: bool
    elites: int
    sigma: float
    sigma_least: float
    keep: float
    mutation: float
    mutation_spread: float
    temperature: float
    other_share: float
    other_rounds: int
    cut_after: int
    cut_keep: float
    generations: int
