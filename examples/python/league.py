#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
r"""Learns Coders Strike Back, or soccer, in a league: PPO in self-play, against earlier versions and built-in players.

A row is a body (a pod, a robot). All rows share one network, which sees the whole world from the body's position; a
side's turn is one call with a row for each of its bodies. More than half of the worlds are self-play; in a quarter the
opponent is a member of the pool, an earlier version of the network, chosen more often the more it wins; in the rest it
is a built-in player from the game's ladder.

    pip install . torch
    python examples/python/league.py run1 --seed 1                  train; the same command resumes after a kill
    python examples/python/league.py run1 --score cem:300 drive     200 new games against each
    python examples/python/league.py run2 --game soccer
    python examples/python/league.py run1 --export csb.npz         the weights alone; can be given instead of run1
    python examples/python/league.py run3 --game csb-ego            weaker, but can become a player of the library:
    python examples/python/league.py run3 --export csb.network
    carom arena csb --a carom:network:csb.network --b carom:cem:300
    carom arena csb --a 'python3 examples/python/league.py csb.npz --bot' --b carom:cem:300 --first-ms 20000
    carom arena soccer --a 'python3 examples/python/league.py run2 --bot' --b carom:striker --observation ego \
        --set robots=2 --set goals=1 --set ticks=1800 --first-ms 20000

Files in the folder: league.pt, the state to resume from (a resumed run has the same weights, bit for bit); pool.json,
a table of the games that the pool's members won, lost and drew against each other; curve.csv, points in 100 games
against built-in players during training.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from league_games import GAMES, EgoCsb, Soccer
from play_csb import bot
from ppo import Passes, Store, gains, improve, layers
from torch import Tensor, nn
from train_csb import interval

import carom

Array = np.ndarray


class Policy(nn.Module):
    """Two hidden layers, shared by the policy and the value; in bfloat16 on processors that have it.

    Actions are normally distributed. A number that has levels (shield, neither, boost) has a logistic distribution, and
    its probability is that of the level.
    """

    sharp = 0.15  # the scale of the logistic distribution

    def __init__(self, game: Any, width: int) -> None:
        super().__init__()
        self.hidden = nn.Sequential(*layers([game.numbers, width, width], math.sqrt(2), nn.ReLU), nn.ReLU())
        self.head = nn.Linear(width, game.size + 1)  # the mean action, then the value
        nn.init.orthogonal_(self.head.weight)
        with torch.no_grad():
            self.head.weight[:-1] *= 0.01
            self.head.bias.zero_()
        self.levels = game.levels  # of the last numbers
        self.smooth = game.size - len(game.levels)
        self.log_spread = nn.Parameter(torch.full((self.smooth,), -0.5))
        self.kind = torch.bfloat16 if torch.ops.mkldnn._is_mkldnn_bf16_supported() else torch.float32

    def forward(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Mean actions [row, number] and values [row]."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.kind != torch.float32):
            found = self.hidden(seen.to(self.kind))
        found = self.head(found.float())
        return found[:, :-1], found[:, -1]

    def exact(self) -> Policy:
        """The same in float32, as it plays when it is scored: rounded to bfloat16 it is weaker."""
        found = copy.copy(self)
        found.kind = torch.float32
        return found

    def draw(self, means: Tensor) -> Tensor:
        """Random actions about these means."""
        said = means.clone()
        said[:, : self.smooth] += self.spread().exp() * torch.randn(len(means), self.smooth)
        for k in self.levels:
            said[:, k] += self.sharp * torch.logit(torch.rand(len(means)), 1e-6)
        return said

    def spread(self) -> Tensor:
        """Logarithms of the standard deviations."""
        return self.log_spread

    def chances(self, means: Tensor, actions: Tensor) -> Tensor:
        """Log densities [row] of the actions."""
        log_spread = self.spread()
        apart = (actions - means)[:, : self.smooth] / log_spread.exp()
        found = (-0.5 * apart**2 - log_spread).sum(-1)
        for k, bounds in self.levels.items():
            # The level is the number of bounds below the action; `share` is its probability.
            above = torch.stack([torch.sigmoid((means[:, k] - bound) / self.sharp) for bound in bounds])
            one, zero = torch.ones_like(above[:1]), torch.zeros_like(above[:1])
            level = torch.stack([actions[:, k] > bound for bound in bounds]).sum(0, keepdim=True)
            share = torch.cat([one, above]).gather(0, level) - torch.cat([above, zero]).gather(0, level)
            found = found + share[0].clamp_min(1e-6).log()
        return found

    def judge(self, seen: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        """For `ppo.improve`."""
        means, values = self(seen)
        return self.chances(means, actions), values

    def freedom(self) -> Tensor:
        """For `ppo.improve`."""
        return self.log_spread.sum()


# ---- worlds ----


class Batch(NamedTuple):
    """A batch of worlds, and the index of its first world."""

    worlds: carom.Worlds
    first: int
    own: slice  # the sides that networks play

    def actions(self, slots: int) -> Tensor:
        """The batch's actions [world, side, body, number], to be written."""
        given = torch.from_numpy(self.worlds.actions)
        return given.view(len(given), given.shape[1], slots, -1)


class Played:
    """Several batches with different players, whose observations share one array."""

    def __init__(
        self, game: Any, asked: Sequence[tuple[int, tuple[str | None, ...]]], seed: int, same: bool = False, **made: Any
    ) -> None:
        """`asked`: worlds and players of each batch; with `same` all batches have the same starts."""
        self.game = game
        if game.name == "csb":
            made["map_seed"] = seed
        total = sum(count for count, _ in asked)
        self.batches: list[Batch] = []
        first = 0
        for k, (count, players) in enumerate(asked):
            worlds = carom.Worlds(
                game.name, count, seed=seed, first_id=0 if same else first, threads=1, players=players,
                observation="ego", observed=game.observed, **game.made, **made,
            )  # fmt: skip
            given = [side for side in (0, 1) if players[side] is None]
            if k == 0:
                shape = worlds.observations.shape
                self.ego = torch.zeros(total, *shape[1:])
                self.rewards = torch.zeros(total, worlds.rewards.shape[1])
                self.ends = torch.zeros(total, dtype=torch.uint8)
            here = slice(first, first + count)
            worlds.bind(observations=self.ego[here].numpy(), rewards=self.rewards[here].numpy(),
                        ends=self.ends[here].numpy(), results=True)  # fmt: skip
            worlds.observe()
            self.batches.append(Batch(worlds, first, slice(given[0], given[-1] + 1)))
            first += count
        self.winner = torch.full((total,), -1)

    def __len__(self) -> int:
        return len(self.ego)

    def step(self, said: Tensor) -> None:
        """Plays one step with outputs of networks [row, number]; rows of built-in players are ignored."""
        actions = self.game.act(self.ego, said).view(len(self), 2, self.game.bodies, -1)
        for batch in self.batches:
            here = slice(batch.first, batch.first + len(batch.worlds))
            batch.actions(self.game.slots)[:, :, : self.game.bodies] = actions[here, batch.own]
            batch.worlds.step()
            self.winner[here] = torch.from_numpy(np.ascontiguousarray(batch.worlds.results["winner"]))

    def won(self) -> Tensor:
        """[world, side]: 1 if the side won in the last step, -1 if it lost, else 0."""
        over, found = self.ends > 0, torch.zeros(len(self), 2)
        found[:, 0] = over * ((self.winner == 0).float() - (self.winner == 1).float())
        found[:, 1] = -found[:, 0]
        return found

    def save(self) -> list[bytes]:
        """The state of all worlds. Planners restart here, because they also restart after a load."""
        saved = [batch.worlds.save() for batch in self.batches]
        self.load(saved)
        return saved

    def load(self, saved: list[bytes]) -> None:
        """Restores a saved state."""
        for batch, state in zip(self.batches, saved, strict=True):
            batch.worlds.load(state)
            batch.worlds.observe()


def rows_of(game: Any, worlds: range, side: int) -> Tensor:
    """Rows of a side's bodies."""
    n = game.bodies
    return torch.tensor([2 * n * w + n * side + body for w in worlds for body in range(n)])


def match(game: Any, first: Policy, others: Sequence[Policy | str], starts: int, seed: int, precision: str) -> Array:
    """Games won, lost and drawn [other, 3], from both seats of every start, without noise."""
    tally = np.zeros((len(others), 3), int)
    for seat in (0, 1):
        texts = [other if isinstance(other, str) else None for other in others]
        asked = [(starts, (None, text) if seat == 0 else (text, None)) for text in texts]
        played = Played(game, asked, seed, same=True, precision=precision, at_end="freeze")
        mine = rows_of(game, range(len(played)), seat)
        theirs = [rows_of(game, range(k * starts, (k + 1) * starts), 1 - seat) for k in range(len(others))]
        said = torch.zeros(2 * game.bodies * len(played), game.size)
        while any(not batch.worlds["end"].all() for batch in played.batches):
            seen = game.see(played.ego)
            with torch.no_grad():
                said[mine] = first(seen[mine])[0]
                for other, rows in zip(others, theirs, strict=True):
                    if not isinstance(other, str):
                        said[rows] = other(seen[rows])[0]
            played.step(said)
        winner = np.concatenate([batch.worlds["winner"][:, 0] for batch in played.batches]).reshape(len(others), starts)
        tally += np.stack([(winner == seat).sum(1), (winner == 1 - seat).sum(1), (winner < 0).sum(1)], 1)
    return tally


def told(tally: Array) -> str:
    """A score with draws as half, and its 95% interval."""
    games = int(tally.sum())
    points = tally[0] + tally[2] / 2
    low, high = interval(points, games)
    share = f"{100 * points / games:.1f}% ({100 * low:.1f} to {100 * high:.1f})"
    return f"won {tally[0]}, lost {tally[1]}, drawn {tally[2]}: {share}"


# ---- the league ----


class League:
    """The network, its optimiser, its pool and its worlds."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.game = args, GAMES[args.game]()
        torch.manual_seed(args.seed)
        self.random = np.random.default_rng(args.seed)
        self.network = Policy(self.game, args.width)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=args.rate, eps=1e-5, fused=True)
        self.members: list[Policy] = []
        self.games = np.zeros((0, 0, 3), int)  # [member, member]: won, lost, drawn by the first
        self.rounds, self.steps, self.spent = 0, 0, 0.0
        self.kept: dict[str, Tensor] = {}
        self.curve: list[dict[str, float]] = []
        self.played = self.begin()
        self.rivals: list[int] = []

    def begin(self) -> Played:
        """New games; sets `rows`, those to learn from."""
        args = self.args
        count = args.worlds
        ladder = [(text, seat) for text in args.ladder for seat in (0, 1)]
        each = int(count * args.ladder_share / max(len(ladder), 1))
        self.pool_worlds = int(count * args.pool_share) // args.slots * args.slots
        free = count - each * len(ladder)
        asked: list[tuple[int, tuple[str | None, ...]]] = [(free, (None, None))]
        asked += [(each, (None, text) if seat == 0 else (text, None)) for text, seat in ladder]
        played = Played(self.game, asked, args.seed, precision="f32", at_end="reset")
        # Learn from both sides in self-play, and from one side elsewhere.
        own = free - self.pool_worlds
        self.slots = []
        size, rows = self.pool_worlds // args.slots, [rows_of(self.game, range(own), side) for side in (0, 1)]
        for slot in range(args.slots):
            here = range(own + slot * size, own + (slot + 1) * size)
            self.slots.append((here, slot % 2, rows_of(self.game, here, 1 - slot % 2)))
            rows.append(rows_of(self.game, here, slot % 2))
        for k, (_, seat) in enumerate(ladder):
            rows.append(rows_of(self.game, range(free + k * each, free + (k + 1) * each), seat))
        self.rows = torch.cat(rows).sort()[0]
        return played

    # -- saved state --

    def save(self, folder: Path) -> None:
        """Writes the files of the folder."""
        state = {
            "args": vars(self.args), "network": self.network.state_dict(), "optimiser": self.optimiser.state_dict(),
            "members": [member.state_dict() for member in self.members], "games": self.games.tolist(),
            "rounds": self.rounds, "steps": self.steps, "spent": self.spent, "kept": self.kept, "curve": self.curve,
            "worlds": self.played.save(), "torch": torch.get_rng_state(), "random": self.random.bit_generator.state,
        }  # fmt: skip
        write(folder / "league.pt", lambda path: torch.save(state, path))
        pool = {"members": [{"name": f"round {self.round_of(k)}"} for k in range(len(self.members))],
                "games": self.games.tolist()}  # fmt: skip
        write(folder / "pool.json", lambda path: path.write_text(json.dumps(pool) + "\n", encoding="utf-8"))
        lines = [",".join(map(str, line.values())) + "\n" for line in self.curve]
        heads = [",".join(line) + "\n" for line in self.curve[:1]]
        write(folder / "curve.csv", lambda path: path.write_text("".join(heads + lines), encoding="utf-8"))

    def measure(self) -> None:
        """Adds a line to the curve: points of 100 games against built-in players."""
        found = match(self.game, self.network.exact(), self.game.curve, 50, 10_000, "f64")
        points = {text: float(t[0] + t[2] / 2) for text, t in zip(self.game.curve, found, strict=True)}
        self.curve.append({"round": self.rounds, "seconds": round(self.spent), "steps": self.steps, **points})
        print(f"{self.spent:6.0f} s  {self.steps / 1e6:7.1f} M steps  round {self.rounds}  "
              f"spread {self.network.spread().exp().mean():.2f}  " +
              "  ".join(f"{text} {won:.0f}%" for text, won in points.items()), flush=True)  # fmt: skip

    def load(self, state: dict[str, Any]) -> None:
        """Restores a saved state."""
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.members = [self.member(weights) for weights in state["members"]]
        self.games = np.array(state["games"], int).reshape(len(self.members), len(self.members), 3)
        self.rounds, self.steps, self.spent = (state[name] for name in ("rounds", "steps", "spent"))
        self.kept, self.curve = state["kept"], state["curve"]
        self.played = self.begin()
        self.played.load(state["worlds"])
        torch.set_rng_state(state["torch"])
        self.random.bit_generator.state = state["random"]

    def member(self, weights: dict[str, Tensor]) -> Policy:
        """A copy of the network."""
        made = Policy(self.game, self.args.width)
        made.load_state_dict(copy.deepcopy(weights))
        return made

    def round_of(self, member: int) -> int:
        """The round in which a member joined."""
        return (member + 1) * self.args.join

    # -- learning --

    def join(self) -> None:
        """Adds a copy of the network to the pool, and plays it against all other members."""
        member, count = self.member(self.network.state_dict()), len(self.members)
        games = np.zeros((count + 1, count + 1, 3), int)
        games[:count, :count] = self.games
        if count > 0:
            tally = match(self.game, member, self.members, self.args.table, 1_000_000 + count, "f32")
            games[count, :count], games[:count, count] = tally, tally[:, [1, 0, 2]]
        self.members.append(member)
        self.games = games

    def choose(self) -> None:
        """Draws the opponents of the next round: members that beat the newest one are likelier."""
        count = len(self.members)
        if count == 0:
            self.rivals = []
            return
        tally = self.games[-1]
        lost = (tally[:, 1] + tally[:, 2] / 2 + 1) / (tally.sum(1) + 2)
        weights = lost**2
        self.rivals = self.random.choice(count, self.args.slots, p=weights / weights.sum()).tolist()

    def round(self) -> None:
        """Plays and learns `updates` times."""
        args, played = self.args, self.played
        self.choose()
        rows, horizon = len(self.rows), args.horizon
        seen_store = torch.empty(horizon, rows, self.game.numbers, dtype=self.network.kind)
        said_store = torch.empty(horizon, rows, self.game.size)
        chances, rewards, over = (torch.empty(horizon, rows) for _ in range(3))
        values = torch.empty(horizon + 1, rows)
        said = torch.zeros(2 * self.game.bodies * len(played), self.game.size)
        for update in range(args.updates):
            part = (self.rounds + update / args.updates) / args.rounds
            for group in self.optimiser.param_groups:
                group["lr"] = args.rate * max(1 - part, 0.05)
            with torch.no_grad():
                for tick in range(horizon + 1):
                    every = self.game.see(played.ego)
                    seen = every[self.rows]
                    means, values[tick] = self.network(seen)
                    if tick == horizon:
                        break
                    drawn = self.network.draw(means)
                    seen_store[tick], said_store[tick] = seen, drawn
                    chances[tick] = self.network.chances(means, drawn)
                    said[self.rows] = drawn
                    for slot, (_, _, theirs) in enumerate(self.slots):
                        rival = self.members[self.rivals[slot]] if self.rivals else self.network
                        said[theirs] = rival(every[theirs])[0]
                    played.step(said)
                    ended = played.ends > 0
                    gained = self.game.gain(played.rewards, played.won(), ended, self.kept, played.ego)
                    rewards[tick] = gained.reshape(-1)[self.rows]
                    over[tick] = ended.float().repeat_interleave(2 * self.game.bodies)[self.rows]
                gained = gains(rewards, over, values, args.discount, args.trace)
            store = (seen_store, said_store, chances, gained, gained + values[:-1])
            how = Passes(args.passes, args.batch, args.clip, args.entropy * max(0.0, 1 - part))
            improve(self.network, self.optimiser, Store(*(part.flatten(0, 1) for part in store)), how)
            with torch.no_grad():  # a clamp in the network would leave no gradient to come back by
                self.network.log_spread.clamp_(math.log(0.1), math.log(0.7))
            self.steps += horizon * rows
        self.rounds += 1
        if self.rounds % args.join == 0:
            self.join()


def write(path: Path, writes: Any) -> None:
    """Replaces a file atomically."""
    fresh = path.with_name(path.name + ".new")
    writes(fresh)
    os.replace(fresh, path)


def write_network(policy: Policy, path: Path) -> None:
    """Writes the policy of `csb-ego` as a network file of the library."""
    from carom.network import quantise

    first, _, second, _ = policy.hidden
    w1, b1, w2, b2, w3, b3 = (
        p.detach().double().numpy() for layer in (first, second, policy.head) for p in (layer.weight, layer.bias)
    )
    scale = EgoCsb().weights[:, 0].numpy()
    quantise("csb", "ego", [(w1[:, : len(scale)] * scale, b1, "relu", 31.0), (w2, b2, "relu", 31.0)],
             policy=(w3[:2], b3[:2], "linear"), input_bits=12, input_limit=8.0).write(path)  # fmt: skip


def write_weights(path: Path, made: argparse.Namespace, network: Policy) -> None:
    """Writes the weights as arrays of NumPy."""
    arrays = {name: weights.numpy() for name, weights in network.state_dict().items()}
    with path.open("wb") as file:
        np.savez(file, game=made.game, width=made.width, **arrays)


def read(path: Path) -> tuple[argparse.Namespace, dict[str, Tensor]]:
    """What `Policy` needs, and its weights: from a folder, or from exported weights."""
    if path.is_dir():
        state = torch.load(path / "league.pt", weights_only=False)
        return argparse.Namespace(**state["args"]), state["network"]
    with np.load(path) as found:
        arrays = dict(found)
    made = argparse.Namespace(game=str(arrays.pop("game")), width=int(arrays.pop("width")))
    return made, {name: torch.from_numpy(weights) for name, weights in arrays.items()}


def learn(args: argparse.Namespace, folder: Path) -> League:
    """Trains, from the start or from a saved state, until the rounds or minutes are used up."""
    kept, league = folder / "league.pt", League(args)
    if kept.exists():
        state = torch.load(kept, weights_only=False)
        for name in set(vars(args)) - {"folder", "score", "bot", "export", "minutes", "games", "curve"}:
            before = state["args"].get(name)
            if before != vars(args)[name]:
                raise SystemExit(f"league: {kept} began with --{name} {before}, not {vars(args)[name]}")
        league.load(state)
    while league.rounds < args.rounds and league.spent < 60 * args.minutes:
        start = time.process_time()
        league.round()
        league.spent += time.process_time() - start
        if league.rounds % args.curve == 0 or league.rounds == args.rounds:
            league.measure()
        league.save(folder)
    return league


def soccer_bot(act: Callable[[Array], Array], game: Soccer) -> None:
    """A bot by Carom's lines (docs/bots.md), which gives each answer `repeat` times, as in training."""
    turn, answer, rows = 0, "", []
    for line in sys.stdin:
        kind, _, rest = line.strip().partition(" ")
        if kind == "turn":
            turn, rows = int(rest), []
        elif kind == "see":
            rows.append(rest)
        elif kind == "go":
            if turn % game.made["repeat"] == 0:
                seen = np.zeros((4, len(game.at)), np.float32)  # the other side's rows are not used
                seen[:2] = [[float(word) for word in row.split()] for row in rows[:2]]
                said = np.zeros((game.slots, game.size), np.float32)
                said[:2] = act(seen)
                answer = " ".join(f"{number:.9g}" for number in said.ravel())
            print(answer, flush=True)


def main() -> None:
    """Trains, scores, exports, or plays as a bot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "folder", type=Path, help="for all files; training resumes from it. To play, also a file of weights"
    )
    parser.add_argument("--game", choices=GAMES, default="csb")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bot", action="store_true", help="play by the protocol of docs/bots.md (csb, soccer)")
    parser.add_argument("--export", type=Path, help="write the weights; csb-ego: a network file of the library")
    parser.add_argument("--score", nargs="+", metavar="PLAYER", help="play against these instead of training")
    parser.add_argument("--games", type=int, default=200, help="for --score")
    parser.add_argument("--minutes", type=float, default=120, help="of processor time in training, then stop")
    parser.add_argument("--curve", type=int, default=25, help="rounds between two lines of curve.csv")
    parser.add_argument("--rounds", type=int, default=60, help="of the whole training")
    parser.add_argument("--updates", type=int, default=40, help="in a round; each ends with a save")
    parser.add_argument("--join", type=int, default=25, help="rounds between two new members of the pool")
    parser.add_argument("--table", type=int, default=10, help="starts for each pair in the pool's table")
    parser.add_argument("--worlds", type=int, default=384)
    parser.add_argument("--horizon", type=int, default=32, help="steps between updates")
    parser.add_argument("--slots", type=int, default=4, help="members that play in a round")
    parser.add_argument("--pool-share", type=float, default=0.25, help="of the worlds")
    parser.add_argument("--ladder", nargs="*", help="built-in opponents")
    parser.add_argument("--ladder-share", type=float, default=0.18, help="of the worlds")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--discount", type=float, help="default: 0.97 in csb, 0.98 in soccer")
    parser.add_argument("--trace", type=float, default=0.8, help="lambda of GAE")
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--entropy", type=float, default=0.01)
    args = parser.parse_args()
    args.ladder = args.ladder or list(GAMES[args.game].ladder)
    args.discount = args.discount or GAMES[args.game].discount
    torch.set_num_threads(1)
    if args.score is None and args.export is None and not args.bot:
        args.folder.mkdir(parents=True, exist_ok=True)
        learn(args, args.folder)
        return
    made, weights = read(args.folder)
    game = GAMES[made.game]()
    network = Policy(game, made.width)
    network.load_state_dict(weights)
    network = network.exact()

    def act(seen: Array) -> Array:
        with torch.no_grad():
            ego = torch.from_numpy(seen)[None]
            return game.act(ego, network(game.see(ego))[0])[0, :2].numpy()

    if args.bot:
        if isinstance(game, Soccer):
            soccer_bot(act, game)
        elif isinstance(game, EgoCsb):
            raise SystemExit(f"league: {args.folder} is csb-ego: export it, and play network:FILE")
        else:
            bot(act, [0, 1, 2, 3])
        return
    if isinstance(game, EgoCsb) and args.export is not None:
        write_network(network, args.export)
    elif args.export is not None:
        write(args.export, lambda path: write_weights(path, made, network))
    for text in args.score or ():
        tally = match(game, network, [text], args.games // 2, 77, "f64")[0]
        print(f"against {text}: {told(tally)}", flush=True)


if __name__ == "__main__":
    main()
