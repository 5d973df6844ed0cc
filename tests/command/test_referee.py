#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`carom bot` under a referee that is none of Carom's (referee.py): whole games from both seats, won, no line refused.

usage: test_referee.py CAROM DATA [unittest options]
"""
import sys
import unittest

sys.dont_write_bytecode = True
import referee  # noqa: E402
from command_tests import CAROM, ENVIRONMENT  # noqa: E402


def play(name, game, seat, *options):
    """The winner: the bot on its seat, the simple player on the other."""
    bot = referee.Bot([CAROM, "bot", name, *options], env=ENVIRONMENT)
    told = game.greeting(seat) + game.view(seat)
    winner = None
    while winner is None:
        lines, _ = bot.ask(told)
        rival = referee.simple(name, game, 1 - seat)
        winner = game.play(lines + rival if seat == 0 else rival + lines)
        told = game.view(seat)
    assert bot.end() == 0
    return winner


class Whole(unittest.TestCase):
    def test_csb(self):
        for seat in 0, 1:
            game = referee.Csb(seat + 1)
            self.assertEqual(play("csb", game, seat, "--rollouts", "150"), seat)
            self.assertTrue(any(pod["won"] for pod in game.pods[2 * seat:2 * seat + 2]))

    def test_fantastic_bits(self):
        for seat, scores in (0, True), (1, False):
            game = referee.FantasticBits(seat + 1, scores)
            self.assertEqual(play("fantastic_bits", game, seat, "--rollouts", "100"), seat)
            self.assertGreater(game.score[seat], game.score[1 - seat])

    def test_by_the_clock(self):
        game = referee.Csb(3)
        self.assertEqual(play("csb", game, 0, "--ms", "6", "--first-ms", "20"), 0)

    def test_the_referee_itself(self):
        """It refuses what the rules refuse."""
        start = referee.Csb(1), referee.FantasticBits(1)
        for game, lines in ((start[0], ["1 2 201", "1 2", "x 2 3", "1 2 -", "1 2 -1.5"]),
                            (start[1], ["MOVE 1 2 151", "THROW 1 2 3", "ACCIO 2", "OBLIVIATE 4", "JUMP 1"])):
            for line in lines:
                with self.assertRaises(referee.BadCommand):
                    game.play([line] * 4)

    def test_negative_thrust(self):
        """The rules of csb refuse a thrust above 200 only: one below 0 is played, away from the target."""
        game = referee.Csb(1)
        x = [pod["x"] for pod in game.pods]
        game.play([f"{pod['x'] + 5000} {pod['y']} -{k}" for k, pod in enumerate(game.pods)])
        self.assertEqual([pod["x"] for pod in game.pods], [at - k for k, at in enumerate(x)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
