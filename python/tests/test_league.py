# SPDX-License-Identifier: MIT
"""The league: killed and continued, it learns the same weights, and its pool's table adds up."""

from __future__ import annotations

import io
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom

torch = pytest.importorskip("torch", reason="training needs PyTorch")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"
SMALL = ["--worlds", "48", "--horizon", "8", "--updates", "2", "--rounds", "4", "--join", "1", "--table", "2",
         "--width", "32", "--batch", "512", "--curve", "100", "--seed", "3"]  # fmt: skip


@pytest.fixture
def league(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The program as a module."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import league as found

    monkeypatch.setattr(found.League, "measure", lambda _: None)
    threads = torch.get_num_threads()
    yield found
    torch.set_num_threads(threads)


@pytest.fixture
def games(league: Any) -> Any:
    """Its games."""
    import league_games

    return league_games


def learnt(league: Any, monkeypatch: pytest.MonkeyPatch, folder: Path, *more: str) -> dict[str, Any]:
    """Runs the program, and returns what it saved."""
    monkeypatch.setattr(sys, "argv", ["league.py", str(folder), *SMALL, *more])
    league.main()
    return torch.load(folder / "league.pt", weights_only=False)


def same(a: Any, b: Any) -> bool:
    """Are all weights the same bits?"""
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("more", [["--ladder", "race", "cem:8"], ["--game", "soccer"]])
def test_killed_and_gone_on_with(league: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, more: list[str]) -> None:
    whole = learnt(league, monkeypatch, tmp_path / "whole", *more)
    assert whole["rounds"] == 4
    other = learnt(league, monkeypatch, tmp_path / "other", *more, "--seed", "4")
    assert not same(whole["network"], other["network"])

    class KilledError(Exception):
        pass

    improve, save, calls = league.improve, torch.save, {"improve": 0, "save": 0}

    def improve_and_die(*arguments: Any) -> None:
        calls["improve"] += 1
        if calls["improve"] == 4:  # in the middle of the second round
            raise KilledError
        improve(*arguments)

    def save_and_die(state: Any, path: Path) -> None:
        calls["save"] += 1
        if calls["save"] == 3:  # after half of the file
            path.write_bytes(b"PK")
            raise KilledError
        save(state, path)

    monkeypatch.setattr(league, "improve", improve_and_die)
    monkeypatch.setattr(torch, "save", save_and_die)
    for _ in range(2):
        with pytest.raises(KilledError):
            learnt(league, monkeypatch, tmp_path / "killed", *more)
    killed = learnt(league, monkeypatch, tmp_path / "killed", *more)
    assert calls["save"] > 3
    assert same(whole["network"], killed["network"])
    assert all(same(a, b) for a, b in zip(whole["members"], killed["members"], strict=True))
    assert (tmp_path / "whole/pool.json").read_bytes() == (tmp_path / "killed/pool.json").read_bytes()

    # The results: one's wins are the other's losses, and all have played both seats of two starts.
    pool = json.loads((tmp_path / "whole/pool.json").read_text())
    games = np.array(pool["games"])
    assert [member["name"] for member in pool["members"]] == [f"round {k}" for k in range(1, 5)]
    assert np.array_equal(games, games.transpose(1, 0, 2)[..., [1, 0, 2]])
    assert np.array_equal(games.sum(2), 4 * (1 - np.eye(4, dtype=int)))

    # A run cannot resume with another size.
    with pytest.raises(SystemExit, match="began with --width 32, not 64"):
        learnt(league, monkeypatch, tmp_path / "killed", *more, "--width", "64")


def test_everybody_is_played_once(league: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Rows learn, or are a member's, or act by themselves; the seats are shared evenly."""
    made: list[Any] = []
    monkeypatch.setattr(league, "learn", lambda args, _: made.append(league.League(args)))
    monkeypatch.setattr(sys, "argv", ["league.py", str(tmp_path), *SMALL, "--ladder", "race"])
    league.main()
    own, *ladder = made[0].played.batches
    rows = torch.cat([made[0].rows, *(theirs for _, _, theirs in made[0].slots)]).tolist()
    free = 4 * len(own.worlds)
    assert len(set(rows)) == len(rows)
    assert sorted(row for row in rows if row < free) == list(range(free))
    assert len(made[0].slots) == 4
    for slot, (worlds, _, theirs) in enumerate(made[0].slots):
        side = (slot + 1) % 2
        assert theirs.tolist() == [4 * world + 2 * side + pod for world in worlds for pod in (0, 1)]
    for seat, batch in enumerate(ladder):
        assert batch.worlds.players[1 - seat] == "race"
        here = range(4 * batch.first, 4 * (batch.first + len(batch.worlds)))
        assert [row for row in rows if row in here] == [row for row in here if row % 4 // 2 == seat]
    assert len(ladder) == 2
    assert len(ladder[0].worlds) == len(ladder[1].worlds) > 0


def directed(found: Any, wanted: Any) -> bool:
    """Is this the direction, of length 4? Not asked of short vectors."""
    far = np.hypot(*wanted)
    return far < 0.1 or np.allclose(found, 4 * wanted / far, atol=0.02)


def test_what_pods_see(league: Any, games: Any) -> None:
    """In addition to `ego`, worked out from the worlds: where the pod drifts, the other pods' checkpoints, and where to
    meet the leading rival or to wait for it, with the image's signs.
    """
    game = games.Csb()
    played = league.Played(game, [(16, (None, None))], 5, precision="f64", at_end="reset")
    torch.manual_seed(5)
    for _ in range(60):
        played.step(torch.cat([torch.rand(64, 1) - 0.5, torch.ones(64, 1), torch.zeros(64, 1)], 1))
    worlds, seen = played.batches[0].worlds, game.see(played.ego).view(16, 4, -1).numpy()
    state = {name: worlds[name] for name in ("x", "y", "vx", "vy", "angle", "next")}
    bodies = np.stack([state[name] for name in ("x", "y", "vx", "vy")], 2)  # [world, pod, number]
    swapped = images = 0
    for world in range(16):
        laps, points = worlds.csb_map(int(worlds["map"][world, 0]))

        for pod in range(4):
            ego = played.ego[world, pod].numpy()
            names = [number.name for number in carom.games["csb"].observations["ego"]]
            at = dict(zip(names, ego, strict=True))
            rivals = [2, 3] if pod < 2 else [0, 1]
            if at["other1.progress"] > at["other0.progress"]:
                rivals, swapped = rivals[::-1], swapped + 1
            sign = -1 if at["next_aside"] < 0 else 1
            images += sign < 0
            c, s = np.cos(state["angle"][world, pod]), np.sin(state["angle"][world, pod])
            row = seen[world, pod]
            turned = np.array([[c, s], [-sign * s, sign * c]]) / 1000  # into units of 1000, relative to where it points
            moves = bodies[world] - bodies[world, pod]
            asked = [(pod ^ 1, 0), (rivals[0], 0), (rivals[0], 1), (rivals[1], 0), (pod, 0), (pod, 1)]
            numbers = [min(state["next"][world, other] + later, laps * len(points)) for other, later in asked]
            gates = (points[[number % len(points) for number in numbers]] - bodies[world, pod, :2]) @ turned.T
            for k, gate in zip((68, 73, 80, 97), gates[:4], strict=True):
                assert np.allclose(row[k : k + 2], np.clip(gate / 2, -8, 8), atol=1e-3)
            speed = turned @ bodies[world, pod, 2:]
            for k, (later, ticks) in enumerate(itertools.product((0, 1), (1.5, 3, 4.5, 20 / 3))):
                assert directed(row[39 + 2 * k : 41 + 2 * k], gates[4 + later] - ticks * speed)
            away, moving = turned @ moves[rivals[0], :2], turned @ moves[rivals[0], 2:]
            assert directed(row[77:79], away + 5 * moving)
            assert np.isclose(row[72], np.log(np.hypot(*away) + 0.1), atol=1e-3)
            waits = gates[1] + 0.9 / (np.hypot(*(away - gates[1])) + 0.9) * (away - gates[1]) - 3 * speed
            assert directed(row[88:90], waits)
            assert row[38] == (1 if pod % 2 == 0 else -1)
            assert np.isclose(row[29], 0.5 * max(at["other0.progress"], at["other1.progress"]), atol=1e-5)
            assert (row[104:] == 0).all()
    assert 0 < swapped < 64
    assert 0 < images < 64


def test_bot(league: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Through the referee's protocol it answers with its actions in a world."""
    learnt(league, monkeypatch, tmp_path, "--rounds", "1", "--ladder", "race")
    points = [[1000, 1000], [9000, 5000], [4000, 8000]]
    monkeypatch.setattr(sys, "argv", ["league.py", str(tmp_path), "--bot"])
    lines = ["3", "3", *(f"{x} {y}" for x, y in points)]
    lines += ["1000 1500 0 0 -1 1", "1000 500 0 0 -1 1", "2000 1500 0 0 -1 1", "2000 500 0 0 -1 1"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([*lines, ""])))
    league.main()
    said = [line.split() for line in capsys.readouterr().out.splitlines()]
    for (x, y, _), at in zip(said, ((1000, 1500), (1000, 500)), strict=True):  # in the first turn: to the checkpoint
        wanted = np.arctan2(5000 - at[1], 9000 - at[0])
        assert np.isclose(np.arctan2(int(y) - at[1], int(x) - at[0]), wanted, atol=1e-3)


def test_rivals_boost(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], league: Any) -> None:
    """A bot counts a rival's push of more than a thrust as its boost, from then on."""
    from play_csb import bot

    boosted = carom.games["csb"].observations["ego"]
    at = [number.name for number in boosted].index("boosted")
    seen: list[Any] = []

    def act(rows: Any) -> Any:
        seen.append(rows[:, at].tolist())
        return np.zeros((2, 3), np.float32)

    turn = ["1000 1500 0 0 0 1", "1000 500 0 0 0 1", "3000 1500 {0} 0 0 1", "3000 500 0 {1} 0 1"]
    lines = ["3", "2", "1000 1000", "9000 5000"]
    for first, second in ((0, 0), (170, 170), (314, 314), (819, 436)):  # 170 is a thrust of 200, after friction
        lines += [line.format(first, second) for line in turn]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([*lines, ""])))
    bot(act, [0, 1, 2, 3])
    capsys.readouterr()
    assert seen == [[0, 0, 0, 0]] * 3 + [[0, 0, 1, 0]]


def test_soccer_bot(
    league: Any, games: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Through Carom's lines it answers with its actions in a world, each of them six times."""
    kept = learnt(league, monkeypatch, tmp_path, "--rounds", "1", "--game", "soccer", "--ladder", "random")
    game, policy = games.Soccer(), league.Policy(games.Soccer(), 32)
    policy.load_state_dict(kept["network"])
    worlds = carom.Worlds("soccer", seed=4, robots=2, players=[None, "striker"], observation="ego")
    worlds.play(100)
    seen, lines = worlds.observe()[0], ["carom 1", "game soccer", "ready"]
    for turn in range(7):
        lines += [f"turn {turn}", *("see " + " ".join(f"{x:.9g}" for x in row * (turn < 6)) for row in seen[:11]), "go"]
    monkeypatch.setattr(sys, "argv", ["league.py", str(tmp_path), "--bot"])
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([*lines, ""])))
    capsys.readouterr()
    league.main()
    said = np.array([line.split() for line in capsys.readouterr().out.splitlines()], np.float32)
    assert said.shape == (7, 55)
    with torch.no_grad():
        ego = torch.from_numpy(seen[[0, 1, 11, 12]])[None]
        wanted = game.act(ego, policy(game.see(ego))[0])[0, :2].numpy()
    assert np.allclose(said[:6, :10], wanted.ravel(), atol=1e-3)
    assert (said[:, 10:] == 0).all()
    assert not np.allclose(said[6, :10], wanted.ravel(), atol=1e-3)


def test_export(league: Any, games: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The library's network does what was learnt, up to rounding."""
    from carom.network import Network

    kept = learnt(league, monkeypatch, tmp_path, "--rounds", "1", "--ladder", "race", "--game", "csb-ego")
    file = tmp_path / "csb.network"
    learnt(league, monkeypatch, tmp_path, "--export", str(file))
    game = games.EgoCsb()
    policy = league.Policy(game, 32)
    policy.load_state_dict(kept["network"])
    with torch.no_grad():
        policy.head.weight[:2] *= 100  # after one round it does next to nothing
        policy.head.bias[:2] *= 100
    league.write_network(policy, file)
    worlds = carom.Worlds("csb", 64, seed=9, players=["race", "drive"], observation="ego")
    worlds.play(60)
    seen = worlds.observe()
    with torch.no_grad():
        wanted = policy(game.see(torch.from_numpy(seen)))[0].numpy()
    found = Network.load(file).run(seen.reshape(-1, 38))["policy"]
    assert wanted.std() > 0.1
    assert np.abs(found - wanted).max() < 0.05 * np.abs(wanted).max()  # bfloat16 has 8 bits


def test_weights_alone(league: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    """Exported weights play as the folder does."""
    learnt(league, monkeypatch, tmp_path, "--rounds", "1", "--ladder", "race")
    file = tmp_path / "csb.npz"
    learnt(league, monkeypatch, tmp_path, "--export", str(file))
    capsys.readouterr()
    said = []
    for where in (tmp_path, file):
        monkeypatch.setattr(sys, "argv", ["league.py", str(where), "--score", "random", "--games", "20"])
        league.main()
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert file.stat().st_size < (tmp_path / "league.pt").stat().st_size / 2


def test_rewards(games: Any) -> None:
    """A runner earns the way that it comes, a guard what the leading rival does not come, and getting near it; and the
    result is both's.
    """
    game = games.Csb()
    worlds = carom.Worlds("csb", 1, seed=3, observation="ego")
    ego = torch.from_numpy(worlds.observe().copy())
    rival = 2 if ego[0, 2, 21] <= 0 else 3
    none, even, playing = torch.zeros(1, 4), torch.zeros(1, 2), torch.zeros(1, dtype=torch.bool)
    kept: dict[str, Any] = {}
    game.gain(none, even, playing, kept, ego)
    assert torch.equal(game.gain(none, even, playing, kept, ego), none)

    # 1000 units nearer to the checkpoint, and still the leader.
    for pod in (0, rival):
        after = ego.clone()
        after[0, pod, 4] -= 0.05
        found = game.gain(none, even, playing, dict(kept), after)[0]
        nearer = (games.nearness(after.permute(2, 0, 1)) - kept["near"])[0]
        assert np.isclose(found[0], 0.2 if pod == 0 else 0, atol=1e-6)
        assert np.isclose(found[2], 0.2 if pod == 2 else 0, atol=1e-6)
        if pod == rival:
            assert np.isclose(found[1], nearer[0] - 0.2, atol=1e-6)
    passed = game.gain(torch.tensor([[0.9, 0, 0, 0]]), even, playing, dict(kept), ego)[0]
    assert np.isclose(passed[0], 0.2 * (20 * float(ego[0, 0, 4]) - 0.6), atol=1e-5)
    won = game.gain(none, torch.tensor([[1.0, -1.0]]), playing, dict(kept), ego)[0]
    assert torch.equal(won, torch.tensor([1.0, 1.0, -1.0, -1.0]))

    # Nearness, from the board.
    _, points = worlds.csb_map(int(worlds["map"][0, 0]))
    places = np.stack([worlds["x"][0], worlds["y"][0]], 1)
    apart = np.hypot(*(places[1] - places[rival])), np.hypot(*(places[1] - points[1]))
    assert np.isclose(kept["near"][0, 0], -5 * (0.299 * apart[0] + 0.443 * apart[1]) / 16000, atol=1e-4)
