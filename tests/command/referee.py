# SPDX-License-Identifier: MIT
"""The referee's side of two games' published protocols, written from the rules alone, without Carom.

Csb follows the complete rules. FantasticBits has no impacts, clamps positions to the walls, and Obliviate has no
effect: a bot must cope with a world that does not move as it expects. An invalid command raises BadCommand.
"""
from __future__ import annotations

import math
import random
import subprocess
import time


class BadCommand(Exception):
    pass


class Bot:
    """A program that gets questions on its standard input and answers on its standard output."""

    def __init__(self, command: list[str], **options) -> None:  # noqa: ANN003
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)

    def ask(self, lines: list[str]) -> tuple[list[str], float]:
        """Two lines of answer, and the seconds until they were there."""
        text = "".join(line + "\n" for line in lines)
        start = time.monotonic()
        self.process.stdin.write(text)
        self.process.stdin.flush()
        answer = [self.process.stdout.readline().rstrip("\n") for _ in range(2)]
        return answer, time.monotonic() - start

    def end(self) -> int:
        """Closes its input, and returns its exit status."""
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=60)


def half_up(x: float) -> float:
    return math.floor(x + 0.5)


class Csb:
    TURNS = 500
    TURN = math.radians(18)

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)
        self.map = [(12460, 1350), (10540, 5980), (3580, 5180), (13580, 7600)]
        self.map = [(x + draw.randint(-30, 30), y + draw.randint(-30, 30)) for x, y in self.map]
        self.route = self.map * 3 + self.map[:1]
        (x0, y0), (x1, y1) = self.map[:2]
        length = math.hypot(x1 - x0, y1 - y0)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        self.pods = [{"x": half_up(x0 + uy * k), "y": half_up(y0 - ux * k), "vx": 0.0, "vy": 0.0, "next": 1,
                      "angle": -math.pi / 180, "shield": 0, "boosted": False, "won": False}
                     for k in (500, -500, 1500, -1500)]
        self.timeouts = [100, 100]
        self.turn = 0

    def greeting(self, player: int) -> list[str]:  # noqa: ARG002
        return ["3", str(len(self.map)), *(f"{x} {y}" for x, y in self.map)]

    def view(self, player: int) -> list[str]:
        return ["%d %d %d %d %d %d" % (p["x"], p["y"], p["vx"], p["vy"], half_up(math.degrees(p["angle"])),
                                       p["next"] % len(self.map))
                for p in self.pods[2 * player:] + self.pods[:2 * player]]

    def command(self, pod: dict, line: str) -> None:
        words = line.split()
        if len(words) < 3:
            raise BadCommand(line)
        try:
            x, y = float(words[0]), float(words[1])
            thrust = 0 if words[2] in ("SHIELD", "BOOST") else int(words[2])
        except ValueError:
            raise BadCommand(line) from None
        if thrust > 200:  # a negative one is not refused: it brakes
            raise BadCommand(line)
        if words[2] == "SHIELD":
            pod["shield"] = 4
        if words[2] == "BOOST":
            thrust = 200 if pod["boosted"] else 650
            pod["boosted"] = True
        if pod["shield"] > 0:
            thrust = 0
        if (x, y) == (pod["x"], pod["y"]):
            return
        turn = math.atan2(y - pod["y"], x - pod["x"])
        if self.turn > 0:
            turn = math.remainder(turn - pod["angle"], 2 * math.pi)
            turn = pod["angle"] + min(max(turn, -self.TURN), self.TURN)
        pod["angle"] = turn
        pod["vx"] += math.cos(turn) * thrust
        pod["vy"] += math.sin(turn) * thrust

    def passes(self, pod: dict, start: tuple[float, float]) -> None:
        cx, cy = self.route[pod["next"]]
        dx, dy = pod["x"] - start[0], pod["y"] - start[1]
        square = dx * dx + dy * dy
        along = min(max(((cx - start[0]) * dx + (cy - start[1]) * dy) / square, 0), 1) if square else 0
        if (start[0] + along * dx - cx) ** 2 + (start[1] + along * dy - cy) ** 2 < 600 ** 2:
            pod["won"] = pod["next"] + 1 == len(self.route)
            pod["next"] += not pod["won"]
            self.timeouts[self.pods.index(pod) // 2] = 100

    @staticmethod
    def impact(a: dict, b: dict) -> float:
        px, py = b["x"] - a["x"], b["y"] - a["y"]
        wx, wy = b["vx"] - a["vx"], b["vy"] - a["vy"]
        room, dot, speed = px * px + py * py - 800 ** 2, px * wx + py * wy, wx * wx + wy * wy
        if room <= 0:
            return 0
        root = dot * dot - speed * room
        return (-dot - math.sqrt(root)) / speed if dot <= 0 and root >= 0 and speed > 0 else 10

    @staticmethod
    def bounce(a: dict, b: dict) -> None:
        nx, ny = b["x"] - a["x"], b["y"] - a["y"]
        distance = math.sqrt(nx * nx + ny * ny)  # as impact() does: bodies that touch are moved apart
        nx, ny = nx / distance, ny / distance
        light = [0.1 if p["shield"] == 4 else 1.0 for p in (a, b)]
        force = (nx * (a["vx"] - b["vx"]) + ny * (a["vy"] - b["vy"])) / sum(light)
        force += max(force, 120)
        for pod, sign, part in ((a, -1, light[0]), (b, 1, light[1])):
            pod["vx"] += sign * nx * force * part
            pod["vy"] += sign * ny * force * part
            if distance <= 800:
                pod["x"] += sign * nx * ((800 - distance) / 2 + 1e-5)
                pod["y"] += sign * ny * ((800 - distance) / 2 + 1e-5)

    def play(self, commands: list[str]) -> int | None:
        """One turn; returns the winner, or None; -1 after the last turn."""
        for pod, line in zip(self.pods, commands, strict=True):
            self.command(pod, line)
        left = 1.0
        starts = [(p["x"], p["y"]) for p in self.pods]
        for _ in range(1000):  # far more impacts than a turn has
            first, pair = left, None
            for i in 3, 2, 1:
                for j in range(i - 1, -1, -1):
                    when = self.impact(self.pods[i], self.pods[j])
                    if when <= first:
                        first, pair = when, (i, j)
            for p in self.pods:
                p["x"] += p["vx"] * first
                p["y"] += p["vy"] * first
            left -= first
            if pair:
                self.bounce(self.pods[pair[0]], self.pods[pair[1]])
            if left <= 0:
                break
            for p, start in zip(self.pods, starts, strict=True):
                self.passes(p, start)
            starts = [(p["x"], p["y"]) for p in self.pods]
        for p, start in zip(self.pods, starts, strict=True):
            p["vx"], p["vy"] = math.trunc(p["vx"] * 0.85), math.trunc(p["vy"] * 0.85)
            p["x"], p["y"] = half_up(p["x"]), half_up(p["y"])
            p["shield"] -= p["shield"] > 0
            self.passes(p, start)
        self.turn += 1
        for player in 0, 1:
            self.timeouts[player] -= 1
            if self.timeouts[player] <= 0:
                return 1 - player
        won = [k // 2 for k, p in enumerate(self.pods) if p["won"]]
        return won[0] if won else -1 if self.turn == self.TURNS else None


class FantasticBits:
    TURNS = 200
    COSTS = {"OBLIVIATE": 5, "PETRIFICUS": 10, "ACCIO": 20, "FLIPENDO": 20}
    TURNS_OF = {"OBLIVIATE": 3, "PETRIFICUS": 1, "ACCIO": 6, "FLIPENDO": 3}

    def __init__(self, seed: int, scores: bool = False) -> None:
        draw = random.Random(seed)
        self.scores = scores  # the players' scores and mana, as in the other form of the input
        places = [(1000, 5250), (1000, 2250), (15000, 2250), (15000, 5250)]
        while len(places) < 8:
            x, y = draw.randrange(2000, 7000), draw.randrange(500, 7000)
            if all(math.hypot(x - a, y - b) >= 1250 for a, b in places[4:]):
                places += [(x, y), (16000 - x, 7500 - y)]
        places += [(8000, 3750), (7450, 3750), (8550, 3750)]
        self.bodies = [{"id": k, "x": x, "y": y, "vx": 0.0, "vy": 0.0, "holds": None, "wait": 0, "held": False,
                        "alive": True} for k, (x, y) in enumerate(places)]
        self.snaffles, self.bludgers = self.bodies[4:9], self.bodies[9:]
        self.score, self.mana = [0, 0], [0, 0]
        self.spells: list[list] = []  # [turns left, name, wizard, target]; from the next turn on
        self.turn = 0

    def greeting(self, player: int) -> list[str]:
        return [str(player)]

    def view(self, player: int) -> list[str]:
        lines = []
        own, other = self.bodies[2 * player:2 * player + 2], self.bodies[2 - 2 * player:4 - 2 * player]
        for name, bodies in (("WIZARD", own), ("OPPONENT_WIZARD", other), ("SNAFFLE", self.snaffles),
                             ("BLUDGER", self.bludgers)):
            lines += ["%d %s %d %d %d %d %d" % (b["id"], name, b["x"], b["y"], b["vx"], b["vy"], b["holds"] is not None)
                      for b in bodies if b["alive"]]
        told = [f"{self.score[p]} {self.mana[p]}" for p in (player, 1 - player)] if self.scores else []
        return [*told, str(len(lines)), *lines]

    def command(self, k: int, line: str) -> None:
        wizard, words, player = self.bodies[k], line.split(), k // 2
        try:
            numbers = [int(w) for w in words[1:]]
        except ValueError:
            raise BadCommand(line) from None
        if words[0] in ("MOVE", "THROW") and len(numbers) == 3:
            body = wizard if words[0] == "MOVE" else wizard["holds"]
            if body is None or not 0 <= numbers[2] <= (150 if words[0] == "MOVE" else 500):
                raise BadCommand(line)
            dx, dy = numbers[0] - wizard["x"], numbers[1] - wizard["y"]
            far = math.hypot(dx, dy) or 1
            power = numbers[2] * (1 if body is wizard else 2)
            body["vx"] += dx / far * power
            body["vy"] += dy / far * power
        elif words[0] in self.COSTS and len(numbers) == 1:
            target = next((b for b in self.bodies if b["id"] == numbers[0] and b["alive"]), None)
            spell = words[0]
            if target is None or (spell == "OBLIVIATE" and target not in self.bludgers):
                raise BadCommand(line)
            if target["id"] < 4 and (spell == "ACCIO" or target["id"] // 2 == player):
                raise BadCommand(line)
            if self.mana[player] >= self.COSTS[spell]:
                self.mana[player] -= self.COSTS[spell]
                self.spells.append([self.TURNS_OF[spell] + 1, spell, wizard, target])
        else:
            raise BadCommand(line)

    def cast(self) -> None:
        for spell in self.spells:
            spell[0] -= 1
            _, name, wizard, target = spell
            if name == "PETRIFICUS":
                target["vx"] = target["vy"] = 0.0
            dx, dy = target["x"] - wizard["x"], target["y"] - wizard["y"]
            square = dx * dx + dy * dy
            if name in ("ACCIO", "FLIPENDO") and square > 0:
                power = min((3000 if name == "ACCIO" else 6000) * 1e6 / square, 1000) * (-1 if name == "ACCIO" else 1)
                mass = 1 if target["id"] < 4 else 0.5 if target in self.snaffles else 8
                target["vx"] += dx / math.sqrt(square) * power / mass
                target["vy"] += dy / math.sqrt(square) * power / mass
        self.spells = [s for s in self.spells if s[0] > 0 and s[3]["alive"]]

    def play(self, commands: list[str]) -> int | None:
        """One turn; returns the winner, None, or -1 for a draw."""
        active, self.spells = self.spells, []
        for k, line in enumerate(commands):
            self.command(k, line)
        ordered, self.spells = self.spells, active
        self.cast()
        for spell in ordered:
            spell[0] -= 1
        self.spells += ordered
        wizards = self.bodies[:4]
        for w in wizards:
            if w["holds"] is not None:
                w["holds"]["held"] = False
            w["holds"] = None
            w["wait"] -= w["wait"] > 0
        for b in self.bludgers:
            w = min(wizards, key=lambda w: math.hypot(w["x"] - b["x"], w["y"] - b["y"]))
            far = math.hypot(w["x"] - b["x"], w["y"] - b["y"]) or 1
            b["vx"] += (w["x"] - b["x"]) / far * 125
            b["vy"] += (w["y"] - b["y"]) / far * 125
        for b in self.bodies:
            self.move(b)
        for w in wizards:
            near = [s for s in self.snaffles if s["alive"] and not s["held"]
                    and math.hypot(s["x"] - w["x"], s["y"] - w["y"]) < 399]
            if near and w["wait"] == 0:
                w["holds"] = min(near, key=lambda s: math.hypot(s["x"] - w["x"], s["y"] - w["y"]))
                w["holds"].update(held=True, x=w["x"], y=w["y"], vx=w["vx"], vy=w["vy"])
                w["wait"] = 4
        self.mana = [min(m + 1, 100) for m in self.mana]
        self.turn += 1
        over = self.turn == self.TURNS or max(self.score) >= 3 or not any(s["alive"] for s in self.snaffles)
        return (-1 if self.score[0] == self.score[1] else int(self.score[1] > self.score[0])) if over else None

    def move(self, body: dict) -> None:
        snaffle = body in self.snaffles
        if not body["alive"]:
            return
        friction = 0.9 if body in self.bludgers else 0.75
        radius = 400 if body["id"] < 4 else 150 if snaffle else 200
        x, y = body["x"] + body["vx"], body["y"] + body["vy"]
        if snaffle and not 0 < x < 16000 and 1750 < y < 5750:
            body["alive"] = False
            self.score[0 if x >= 16000 else 1] += 1
            return
        body["x"], body["y"] = (half_up(min(max(v, radius), most - radius)) for v, most in ((x, 16000), (y, 7500)))
        body["vx"], body["vy"] = half_up(body["vx"] * friction), half_up(body["vy"] * friction)


GAMES = {"csb": Csb, "fantastic_bits": FantasticBits}


def simple(name: str, game: Csb | FantasticBits, player: int) -> list[str]:
    """The commands of a short-sighted player."""
    if name == "csb":
        targets = [game.route[pod["next"]] for pod in game.pods[2 * player:2 * player + 2]]
        return [f"{x} {y} 100" for x, y in targets]
    return ["MOVE 8000 3750 100"] * 2
