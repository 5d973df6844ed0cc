# SPDX-License-Identifier: MIT
"""Players as opponents: a planner in a batch plays as alone, as in C and as a bot, in batches and in environments."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import carom
import carom.gymnasium
import carom.pettingzoo

SMALL = "cem:24,sequences=8"
MAP = [[12000, 1000], [10500, 6000], [3600, 5200]]


def test_text_is_a_player() -> None:
    worlds = carom.Worlds("csb", 3, seed=2)
    player = carom.Player(worlds, 1, "cem:32,horizon=4")
    assert repr(player) == "<Player cem:32,horizon=4 seat=1>"
    assert player.action_kind == "referee"
    before = worlds.digest()
    actions = player.act(worlds)
    assert actions.shape == (3, 6)
    assert actions.dtype == np.float64
    assert worlds.digest() == before
    assert not np.array_equal(actions, player.act(worlds))  # it has drawn since
    player.forget()
    assert np.array_equal(actions, player.act(worlds, out=np.empty((3, 6))))
    keys = carom.Player.keys()
    assert "budget" in keys["rollouts"]
    assert carom.Player(carom.Worlds("stones"), 0, "strike").action_kind == "normalised"
    for text, words in {
        "best": "'best' is unknown; there are race",
        "cem:fly=1": "unknown key 'fly' in 'cem:fly=1'",
        "cem:2": "rollouts: 2 is too small",
    }.items():
        with pytest.raises(ValueError, match=words):
            carom.Player(worlds, 0, text)
        with pytest.raises(ValueError, match=words):
            carom.Worlds("csb", players=[None, text])
    with pytest.raises(ValueError, match="seat"):
        carom.Player(worlds, 2, "race")
    player.close()
    with pytest.raises(ValueError, match="the player is closed"):
        player.act(worlds)
    with pytest.raises(ValueError, match="null, out of range"):
        carom.Player(worlds, 0, "cem:8").act(carom.Worlds("csb", 2))


@pytest.mark.parametrize(
    ("game", "made"),
    [
        ("csb", {"precision": "f32", "ticks": 5}),
        ("fantastic_bits", {"repeat": 2}),
        ("soccer", {"robots": 2, "ticks": 5}),
        ("stones", {"stones": 2, "ticks": 5}),
    ],
)
def test_batch_plays_as_alone(game: str, made: dict[str, Any]) -> None:
    """One search for all worlds, with the same result for each as alone; also after a reset, and in one call."""
    made = {"seed": 3, "players": [None, SMALL], "at_end": "reset", **made}

    def digest(worlds: carom.Worlds, steps: int = 8) -> int:
        for _ in range(steps):
            worlds.step(0.3)
        return worlds.digest()

    batch = carom.Worlds(game, 5, **made)
    whole = digest(batch)
    assert whole == sum(digest(carom.Worlds(game, 1, first_id=i, **made)) for i in range(5)) % 2**64
    batch.reset()
    assert digest(batch) == whole
    batch.restart(ids=np.arange(5), seeds=3)
    assert digest(batch) == whole

    again = carom.Worlds(game, 5, **made)
    actions = np.full((8, *again.actions.shape), 0.3, np.float32)
    played = again.play(8, actions=actions, rewards=True, ends=True, observations=True)
    assert again.digest() == whole
    assert np.array_equal(played.observations[-1], batch.observe())
    single = carom.Worlds(game, 5, **made)
    for step in range(8):
        single.step(0.3)
        assert np.array_equal(played.rewards[step], single.rewards)
        assert np.array_equal(played.ends[step], single.ends)
        assert np.array_equal(played.observations[step], single.observations)


def test_ladders() -> None:
    for game in carom.games:
        rungs = carom.Player.ladder(game)
        assert len(rungs) >= 4 or carom.Worlds(game).game.players == 1
        for rung in rungs:
            carom.Player(carom.Worlds(game), 0, rung)
    assert carom.Player.ladder("csb")[:2] == ("race", "drive")


def test_seats_and_calls() -> None:
    """Both seats may be planners; a call may name others than the batch's; skipped worlds do not move."""
    worlds = carom.Worlds("csb", 3, seed=1, players=[SMALL, "shooting:16"])
    worlds.step()
    skip = np.array([0, 1, 0], np.uint8)
    before = worlds.hashes()
    worlds.play(skip=skip)
    assert [a == b for a, b in zip(worlds.hashes(), before, strict=True)] == [False, True, False]
    worlds.play(2, players=["race", "mppi:8"], first=1, count=2)
    own = np.zeros((1, 3, 4), np.float32)
    worlds.play(players=[None, SMALL], own={0: ("relative", own)})
    with pytest.raises(ValueError, match="need steps of one tick, no `rows`"):
        worlds.play(players=[None, SMALL], rows=np.zeros(3, np.uint32), actions=np.zeros((1, 1, 1, 4), np.float32))
    with pytest.raises(NotImplementedError, match="expand: not with a planner"):
        worlds.expand(carom.Worlds("csb", 3))

    # Loaded worlds have no plans: from there every run gives the same.
    saved = worlds.save()
    digests = set()
    for _ in range(2):
        worlds.load(saved)
        worlds.step()
        digests.add(worlds.digest())
    twin = carom.Worlds("csb", 3, seed=1, players=worlds.players)
    twin.load(saved)
    twin.step()
    assert digests == {twin.digest()}


def test_opponent_is_short_for_players() -> None:
    assert carom.Worlds("csb", opponent=SMALL).players == (None, SMALL)
    assert carom.Worlds("fall", opponent="zero").players == (None,)
    assert carom.Worlds("csb", opponent="race").fork(2, opponent="drive").players == (None, "drive")
    with pytest.raises(ValueError, match="one of the two"):
        carom.Worlds("csb", opponent="race", players=[None, "race"])
    with pytest.raises(ValueError, match="'best' is unknown"):
        carom.Worlds("csb", opponent="best")


def test_a_bot_writes_what_the_player_does() -> None:
    """The same text is the same player: here, and as `carom bot`."""
    worlds = carom.Worlds("csb", 1, maps=[MAP], laps=3)
    worlds["x"], worlds["y"] = [[11480, 12520, 10441, 13559]], [[857, 1143, 570, 1430]]
    told = "3\n3\n" + "".join(f"{x} {y}\n" for x, y in MAP)
    told += "".join(f"{x:.0f} {y:.0f} 0 0 -1 1\n" for x, y in zip(worlds["x"][0], worlds["y"][0], strict=True))
    command = [sys.executable, "-m", "carom", "bot", "csb", "--rollouts", "150"]
    answer = subprocess.run(command, input=told, capture_output=True, text=True, check=True).stdout
    words = {"SHIELD": 1048576.0, "BOOST": 2097152.0}
    numbers = [words.get(word) or float(word) for word in answer.split()]
    assert np.array_equal(carom.Player(worlds, 0, "cem:150").act(worlds)[0], numbers)


def test_environments() -> None:
    """Rows of a vector environment play as an environment alone, and end games as with policies."""
    made: dict[str, Any] = {"opponent": SMALL, "observation": "ego", "per": "body", "ticks": 6, "precision": "f32"}
    few = carom.gymnasium.VectorEnv("csb", 2, **made)
    many = carom.gymnasium.VectorEnv("csb", 8, **made)
    a, b = few.reset(seed=[5, 5])[0], many.reset(seed=[2, 2, 3, 3, 5, 5, 6, 6])[0]
    ended = 0
    for _ in range(15):
        assert np.array_equal(a, b[4:6])
        a, _, over, cut, _ = few.step(np.zeros(few.action_space.shape, np.float32))
        b = many.step(np.zeros(many.action_space.shape, np.float32))[0]
        ended += int((over | cut).sum())
    assert ended == 4
    with pytest.raises(ValueError, match="'best' is unknown"):
        carom.gymnasium.VectorEnv("csb", 2, opponent="best")


def test_reset_repeats_games() -> None:
    """With a seed an environment plays the same again, whatever its opponent planned before."""
    env = carom.pettingzoo.ParallelEnv("soccer", opponent=SMALL, ticks=5, robots=1)

    def play() -> list[Any]:
        seen = [env.reset(seed=4)[0]["player_0"]]
        for _ in range(3):
            seen.append(env.step({"player_0": np.zeros(55, np.float32)})[0]["player_0"])
        return seen

    first = play()
    assert np.array_equal(first, play())
