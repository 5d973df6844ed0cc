# SPDX-License-Identifier: MIT
"""Replays from Python: recording everything played; stepping, seeking, drawing and showing replays."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest

import carom


def made(**more: Any) -> carom.Worlds:
    return carom.Worlds("csb", 6, seed=3, ticks=15, map_count=2, **{"at_end": "reset", **more})


def same_end(replay: carom.Replay, w: carom.Worlds, worlds: list[int]) -> None:
    """Replayed, it gives the same bits and ends in the batch's state."""
    assert replay.verify() is None
    replay.seek(replay.ticks)
    assert np.array_equal(replay.hashes(), w.hashes()[worlds])


# ---- recording ----


def test_steps_of_every_kind(tmp_path: Path) -> None:
    """The batch does what its unrecorded twin does, and the replay what the batch did."""
    rng = np.random.default_rng(2)
    w = made()
    twin = w.copy()
    chosen = [4, 1]
    with w.recording(tmp_path / "x.carom", worlds=chosen, keyframe_ticks=8):
        for k in range(12):
            one: dict[str, Any] = {"repeat": 1 + k % 3, "ends": True, "rewards": True, "results": True}
            n = 6
            if k % 4 == 1:
                one.update(first=1, count=4)
                n = 4
            if k % 4 == 2:
                one["skip"] = (np.arange(6) % 2).astype(np.uint8)
            if k % 4 == 3:
                one["at_end"] = "freeze"
            if k % 5 == 0:
                one["players"] = ["race", None]
                kind = w.game.action_kinds[w.game.kind_index("referee")]
                one["own"] = {1: ("referee", rng.uniform(0, 100, (2, n, kind.size)).astype(kind.dtype))}
            else:
                one["actions"] = rng.uniform(-1, 1, (2, n, *w.actions.shape[1:])).astype(np.float32)
            found, wanted = w.play(2, **one), twin.play(2, **one)
            for name in ("ends", "rewards"):
                assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
            if k == 6:
                w.restart()
                twin.restart()
    assert np.array_equal(w.hashes(), twin.hashes())
    replay = carom.Replay(tmp_path / "x.carom")
    # Ticks in which both wait for the end of a step, after the end of their games, are left out.
    assert 40 < replay.ticks <= 2 * sum(1 + k % 3 for k in range(12))
    same_end(replay, w, chosen)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_environments_are_recorded(mode: str, tmp_path: Path) -> None:
    """In each of Gymnasium's modes, the default included, through ends of games."""
    pytest.importorskip("gymnasium")
    import carom.gymnasium

    envs = carom.gymnasium.VectorEnv("csb", 3, opponent="race", ticks=7, repeat=2, autoreset_mode=mode)
    envs.action_space.seed(1)
    envs.reset(seed=4)
    ends = 0
    with envs.worlds.recording(tmp_path / "x.carom"):
        for _ in range(20):
            _, _, terminated, truncated, _ = envs.step(envs.action_space.sample())
            ends += int((terminated | truncated).sum())
            if mode == "disabled" and (terminated | truncated).any():
                envs.reset(options={"reset_mask": terminated | truncated})
    assert ends >= 6
    replay = carom.Replay(tmp_path / "x.carom")
    # A game is 7 ticks long, four steps; in the fifth, in the default mode, the next game starts and the world does not
    # move.
    assert replay.ticks == (4 * 7 if mode == "next_step" else 5 * 7)
    assert replay.verify() is None


def test_scenes_are_recorded(scenes: Path, tmp_path: Path) -> None:
    scene = carom.Scene.from_file(scenes / "billiards.json")
    w = scene.worlds(2, precision="f32")
    with w.recording(tmp_path / "x.carom"):
        w.play(20)
    replay = carom.Replay(tmp_path / "x.carom")
    assert (replay.game, replay.precision) == ("scene", "f32")
    same_end(replay, w, [0, 1])
    assert np.array_equal(replay["x"], w["x"])


def test_a_scene_where_there_is_no_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Python writes in its stead is a text that is handed over; it makes the same scene."""
    texts: list[Any] = []
    begin = carom._see._carom.recording_begin
    monkeypatch.setattr(
        carom._see._carom, "recording_begin", lambda *given: (texts.append(given[-1]), begin(*given))[1]
    )
    scene = carom.Scene([carom.Body(vx=1.5, acts=True)], box=((-4, -4), (4, 4)), last_tick=9)
    scene.worlds(1).recording(tmp_path / "x.carom").close()
    about = {**carom.info(), "json": False}
    monkeypatch.setattr(carom._see._carom, "info", lambda: about)
    scene.worlds(1).recording(tmp_path / "y.carom").close()
    assert texts[0] is None
    assert json.loads(texts[1])["last_tick"] == 9
    assert carom.Scene.from_json(texts[1]).to_json() == scene.to_json()


# ---- replays that one walks through ----


@pytest.fixture
def race(tmp_path: Path) -> tuple[carom.Replay, list[Any], list[Any]]:
    """A replay, and data taken during the recording: x and y, hashes after each tick; actions."""
    w = made(players=["race", None])
    rng = np.random.default_rng(5)
    seen = [(w["x"], w.hashes())]
    acted = []
    with w.recording(tmp_path / "x.carom", keyframe_ticks=10):
        for _ in range(35):
            acted.append(rng.uniform(-1, 1, w.actions.shape).astype(np.float32))
            w.step(acted[-1])
            seen.append((w["x"], w.hashes()))
    return carom.Replay(tmp_path / "x.carom"), seen, acted


def test_steps_and_seeks(race: tuple[carom.Replay, list[Any], list[Any]]) -> None:
    replay, seen, acted = race
    assert replay.tick == 0
    while True:
        x, hashes = seen[replay.tick]
        assert np.array_equal(replay["x"], x)
        assert np.array_equal(replay.hashes(), hashes)
        if not replay.step():
            break
        first, second = replay.actions()
        assert first.shape == second.shape
        assert np.array_equal(second, acted[replay.tick - 1][:, 0])
    assert replay.tick == 35
    assert not replay.step()
    for tick in (35, 0, 17, 9, 10, 11, 34):
        replay.seek(tick)
        assert replay.tick == tick
        assert np.array_equal(replay.hashes(), seen[tick][1])
    assert replay.step()
    assert np.array_equal(replay.hashes(), seen[35][1])
    assert np.array_equal(replay.actions(3)[1], acted[3][:, 0])
    assert "vx" in replay.fields
    for wrong in (-1, 36):
        with pytest.raises(IndexError, match=f"tick {wrong} of 35"):
            replay.seek(wrong)
        with pytest.raises(IndexError):
            replay.actions(wrong)
    with pytest.raises(ValueError, match="field of csb: 'z'"):
        replay["z"]


def test_pictures_of_replays(race: tuple[carom.Replay, list[Any], list[Any]]) -> None:
    replay, _, _ = race
    first = replay.rgb_array(2, width=160)
    assert first.shape == (90, 160, 3)
    replay.seek(20)
    assert not np.array_equal(replay.rgb_array(2, width=160), first)
    assert "tick " in replay.svg(2)
    assert replay._repr_svg_() == replay.svg(0)
    replay.seek(0)
    assert np.array_equal(replay.rgb_array(2, width=160), first)
    with pytest.raises(IndexError, match="world 6 of 6"):
        replay.svg(6)


def test_instruction_sets_agree(tmp_path: Path) -> None:
    w = made(players=["race", "race"])
    with w.recording(tmp_path / "x.carom"):
        w.play(30)
    for isa, about in carom.info()["isas"].items():
        if about["usable"]:
            replay = carom.Replay(tmp_path / "x.carom", isa=isa, threads=1)
            replay.seek(30)
            assert np.array_equal(replay.hashes(), w.hashes())
    with pytest.raises(ValueError, match="isa"):
        carom.Replay(tmp_path / "x.carom", isa="avx1")


# ---- the page ----


def film_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="film">(.*?)</script>', page, flags=re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_pages_are_written(race: tuple[carom.Replay, list[Any], list[Any]], tmp_path: Path) -> None:
    replay, _, _ = race
    for what in (replay, replay.path):
        page = carom.view(what, tmp_path / "x.html")
        assert page == tmp_path / "x.html"
        film = film_of((tmp_path / "x.html").read_text())
        assert (film["worlds"], film["count"]) == (6, 36)
    with pytest.raises(OSError, match="nowhere"):
        carom.view(tmp_path / "nowhere.carom", tmp_path / "y.html")
    assert not (tmp_path / "y.html").exists()


def test_batches_are_shown(tmp_path: Path) -> None:
    """A copy plays on; the batch stays as it is."""
    w = made(players=[None, "race"])
    w.play(5)
    before = w.digest()
    shapes = []

    def policy(seen: Any) -> Any:
        shapes.append(seen.shape)
        return np.zeros((2, 1, 4), np.float32)

    carom.view(w, tmp_path / "x.html", ticks=12, worlds=[5, 2], policy=policy)
    film = film_of((tmp_path / "x.html").read_text())
    assert (film["worlds"], film["count"]) == (2, 13)
    assert shapes == [(2, *w.observations.shape[1:])] * 12
    carom.view(w, tmp_path / "x.html", ticks=3)
    assert film_of((tmp_path / "x.html").read_text())["worlds"] == 6
    assert w.digest() == before
    with pytest.raises(ValueError, match="ticks: 0"):
        carom.view(w, ticks=0)
    with pytest.raises(ValueError, match="none are chosen"):
        carom.view(w, worlds=[])


def test_pages_are_served(race: tuple[carom.Replay, list[Any], list[Any]]) -> None:
    try:
        viewer = carom.view(race[0], show=False)
    except NotImplementedError as why:
        pytest.skip(str(why))
    assert isinstance(viewer, carom.Viewer)
    with viewer:
        assert viewer.address in repr(viewer)
        with urlopen(viewer.address, timeout=20) as answer:
            assert b"carom" in answer.read()
    with pytest.raises(OSError):  # noqa: PT011 - refused, whatever the system says
        urlopen(viewer.address, timeout=5)


def test_notes(tmp_path: Path) -> None:
    """Those of an arena's game; a recording has none."""
    words = ["arena", "csb", "--a", "carom:race", "--b", "carom:ram", "--games", "2", "--record", str(tmp_path)]
    subprocess.run([sys.executable, "-m", "carom", *words], capture_output=True, check=True)
    notes = carom.Replay(tmp_path / "1-2-1.carom").notes
    assert notes == [carom.Note(0, 0, 0, "name", "carom:ram"), carom.Note(0, 0, 1, "name", "carom:race")]
    w = made()
    with w.recording(tmp_path / "x.carom"):
        w.play(3)
    assert carom.Replay(tmp_path / "x.carom").notes == []
