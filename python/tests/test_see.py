# SPDX-License-Identifier: MIT
"""Pictures against stored ones, what environments render, and replays that are written from Python."""

from __future__ import annotations

import os
import re
import subprocess
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import carom

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "tests" / "data" / "pictures"
POLICIES: dict[str, dict[str, Any]] = {
    "csb": {"players": ["race", "ram"], "map_seed": 0},
    "fantastic_bits": {"players": ["random", "random"]},
    "soccer": {"players": ["striker", "striker"]},
    "stones": {"players": ["random", "random"]},
    "fall": {},
}
BODIES = {"csb": 4, "fantastic_bits": 11, "soccer": 13, "stones": 10, "fall": 4}  # that are there after 40 ticks


def played(game: str, ticks: int = 40, **made: Any) -> carom.Worlds:
    """Two worlds that have played."""
    w = carom.Worlds(game, 2, seed=4, **POLICIES[game], **made)
    w.play(ticks)
    return w


# ---- pictures ----


def apart(a: Any, b: Any) -> float:
    """By how much (of 255) two pictures differ in the square of 4 pixels where they differ most."""
    difference = np.abs(a.astype(float) - b).mean(2)
    return float(np.lib.stride_tricks.sliding_window_view(difference, (4, 4)).mean((2, 3)).max())


@pytest.mark.parametrize("game", POLICIES)
def test_stored_pictures(game: str) -> None:
    """Rewritten with CAROM_PICTURES_WRITE=1."""
    worlds, how = played(game), {"width": 160, "dark": game == "soccer", "captions": game == "csb"}
    found = worlds.rgb_array(1, **how)
    path = STORED / f"rgb_{game}.png"
    if os.environ.get("CAROM_PICTURES_WRITE") is not None:
        Image.fromarray(found).save(path, optimize=True)
    wanted = np.asarray(Image.open(path).convert("RGB"))
    assert found.shape == wanted.shape
    assert found.dtype == np.uint8
    assert apart(found, wanted) < 12
    assert len(np.unique(found.reshape(-1, 3), axis=0)) > 16

    # A body that is missing would be seen.
    svg = worlds.svg(1, **how)
    bodies = re.findall(r'<circle cx="(.*?)" cy="(.*?)" r="(.*?)" fill="#\w+" fill-opacity="0.85"', svg)
    assert len(bodies) == BODIES[game]
    rows, columns = np.mgrid[: found.shape[0], : found.shape[1]] + 0.5
    for x, y, radius in ((float(number) for number in body) for body in bodies):
        gone = found.copy()
        gone[np.hypot(columns - x, rows - y) <= radius + 0.5] = found[2, 2]
        assert apart(gone, wanted) > 30


def test_what_is_drawn() -> None:
    """A body of a scene is drawn at its position, y upwards; nothing is around it."""
    s = carom.Scene([carom.Body(x=2, y=4, radius=0.5), carom.Body(x=8, y=1, radius=0.5)], box=((0, 0), (10, 5)))
    w = s.worlds(3)
    frame = w.rgb_array(2, width=208)
    assert frame.shape == (108, 208, 3)
    ground = frame[2, 2]
    assert (frame[24, 50] != ground).any()
    assert (frame[84, 170] != ground).any()
    assert (frame[84, 50] == ground).all()
    assert (w.rgb_array(width=208, dark=True)[2, 2] < 64).all()
    assert w.rgb_array(width=208, captions=True).shape == (108 + 56, 208, 3)
    out = np.empty((108, 208, 3), np.uint8)
    assert w.rgb_array(2, width=208, out=out) is out
    assert np.array_equal(out, frame)
    w["x"] = w["x"] + 0.5
    assert not np.array_equal(w.rgb_array(2, width=208), frame)


def test_svg(monkeypatch: pytest.MonkeyPatch) -> None:
    w = played("csb")
    text = w.svg(1, width=480)
    assert text.startswith("<svg ")
    assert text.count("<circle") == 4 + len(w.csb_map(int(w["map"][1, 0]))[1])
    assert "tick 40" in text
    assert f"{w.hashes()[1]:016x}" in text
    assert len(w.svg(captions=False)) < len(w.svg())
    assert w._repr_svg_() == w.svg(0)
    monkeypatch.setattr("carom._worlds.NOTEBOOK_BODIES", 3)
    assert w._repr_svg_() is None
    monkeypatch.undo()
    w.close()
    assert w._repr_svg_() is None


@pytest.mark.parametrize(
    ("wanted", "error", "text"),
    [
        ({"world": 2}, IndexError, "world 2 of 2"),
        ({"width": 641}, ValueError, "an even number of 16 to 16384"),
        ({"width": 8}, ValueError, "width: 8"),
        ({"out": np.empty((3, 3), np.uint8)}, ValueError, "out: shape"),
        ({"out": np.empty((360, 640, 3), np.float32)}, TypeError, "uint8"),
    ],
)
def test_pictures_that_are_refused(wanted: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        played("csb").rgb_array(**wanted)


def test_a_frame_of_csb_is_fast() -> None:
    """It takes 0.2 ms of processor time, the least of ten, as docs/python.md says; the limit here is twice that."""
    w, best = played("csb"), float("inf")
    for _ in range(10):
        start = time.process_time()
        w.rgb_array()
        best = min(best, time.process_time() - start)
    assert best < 0.0004


# ---- environments ----


def test_single_environments_render() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    import carom.gymnasium

    env = gymnasium.make("Carom/CodersStrikeBack-v0", opponent="race", render_mode="rgb_array", render_width=320)
    env.reset(seed=2)
    first = env.render()
    env.step(env.action_space.sample())
    second = env.render()
    assert first.shape == second.shape == (180, 320, 3)
    assert first.dtype == np.uint8
    assert not np.array_equal(first, second)
    assert np.array_equal(second, env.unwrapped.worlds.rgb_array(width=320))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", r".*A Box observation space (minimum|maximum) value is -?infinity")
        soccer = gymnasium.make("Carom/Soccer-v0", opponent="random", ticks=5, render_mode="rgb_array")
        check_env(soccer.unwrapped)
    for name in ("FantasticBits", "Soccer", "Stones", "Fall"):
        who = {} if name == "Fall" else {"opponent": "random"}
        env = gymnasium.make(f"Carom/{name}-v0", render_mode="rgb_array", render_width=64, **who)
        env.reset(seed=1)
        assert env.render().shape[1:] == (64, 3)
    scene = carom.Scene([carom.Body(acts=True)], box=((-5, -5), (5, 5)))
    env = gymnasium.make("Carom/Scene-v0", scene=scene, render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape == (640, 640, 3)
    assert carom.gymnasium.Env("fall").render() is None
    with pytest.raises(ValueError, match="render_mode: 'human' is unknown"):
        carom.gymnasium.Env("fall", render_mode="human")
    with pytest.raises(ValueError, match="width: 3"):
        carom.gymnasium.Env("fall", render_mode="rgb_array", render_width=3)


def test_vector_environments_render() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    import carom.gymnasium

    made = {"render_mode": "rgb_array", "render_width": 160}
    envs = gymnasium.make_vec("Carom/CodersStrikeBack-v0", num_envs=3, opponent="race", **made)
    envs.reset(seed=2)
    frames = envs.render()
    assert len(frames) == 3
    assert not np.array_equal(frames[0], frames[1])
    one = gymnasium.make("Carom/CodersStrikeBack-v0", opponent="race", **made)
    one.reset(seed=3)
    assert np.array_equal(one.render(), frames[1])
    both = carom.gymnasium.VectorEnv("csb", 6, players="both", **made)
    both.reset(seed=2)
    frames = both.render()
    assert len(frames) == 6
    assert frames[2] is frames[3]
    assert not np.array_equal(frames[2], frames[4])
    assert carom.gymnasium.VectorEnv("fall", 2).render() is None


def test_parallel_environments_render() -> None:
    pytest.importorskip("pettingzoo")
    import carom.pettingzoo

    env = carom.pettingzoo.ParallelEnv("fantastic_bits", render_mode="rgb_array", render_width=160)
    env.reset(seed=1)
    frame = env.render()
    assert "rgb_array" in env.metadata["render_modes"]
    assert frame.shape[1:] == (160, 3)
    assert np.array_equal(frame, env.worlds.rgb_array(width=160))
    assert carom.pettingzoo.ParallelEnv("csb").render() is None


# ---- replays ----


def test_replays(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    w = carom.Worlds("csb", 20, seed=5, at_end="reset", players=[None, "race"], map_count=3, ticks=50)
    twin = w.copy()
    path = tmp_path / "x.carom"
    with w.recording(path, worlds=[3, 17], keyframe_ticks=16) as recording:
        assert recording.path == path
        assert not path.exists()
        for tick in range(60):
            actions = rng.uniform(-1, 1, w.actions.shape)
            if tick == 30:
                w.restart()
                twin.restart()
            w.step(actions)
            twin.step(actions)
        w.play(40, players=["ram", "race"])
        twin.play(40, players=["ram", "race"])
    assert np.array_equal(w.hashes(), twin.hashes())
    assert os.listdir(tmp_path) == ["x.carom"]
    assert path.stat().st_size < 2 * 100 * 44 + 10 * 500
    w.step()  # is no longer written
    replay = carom.Replay(path)
    assert (replay.game, replay.precision, replay.seed) == ("csb", "f64", 5)
    assert (replay.worlds, replay.ticks, replay.whole) == (2, 100, True)
    for isa, about in carom.info()["isas"].items():
        if about["usable"]:
            assert replay.verify(isa) is None
    assert "ticks=100" in repr(replay)


def hash_of(state: int, data: bytes) -> int:
    """`hash_bytes()` of kernel/base/hash.h."""
    most = (1 << 64) - 1
    words = [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data) // 8 * 8, 8)]
    for word in (*words, int.from_bytes(data[len(words) * 8 :], "little"), len(data)):
        state ^= word * 0x94D049BB133111EB & most
        state = (state << 31 | state >> 33) & most
        state = (state * 0xFF51AFD7ED558CCD + 0x9E3779B97F4A7C15) & most
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & most
    state = (state ^ state >> 27) * 0x94D049BB133111EB & most
    return state ^ state >> 31


def test_a_replay_that_differs(tmp_path: Path) -> None:
    """A word of check is changed, and the sum over it made right again."""
    path = tmp_path / "x.carom"
    w = carom.Worlds("csb", 1, seed=1, first_id=7, players=["race", "race"])
    record = len(w.record(0))
    with w.recording(path):
        w.step()
    data = path.read_bytes()
    tick = int.from_bytes(data[12:16], "little") + 1 + 8 + 1 + 4 + 8 + 8 + record + 8
    word, end = len(data) - 17 - 8, len(data) - 17
    assert data[tick : tick + 1] + data[end : end + 1] == b"TE"
    assert int.from_bytes(data[end + 1 : end + 9], "little") == hash_of(1, data[tick:end])
    for bit, field in ((0, True), (63, False)):
        changed = bytearray(data)
        changed[word + bit // 8] ^= 1 << bit % 8
        changed[end + 1 : end + 9] = hash_of(1, bytes(changed[tick:end])).to_bytes(8, "little")
        path.write_bytes(changed)
        found = carom.Replay(path).verify()
        assert found is not None
        assert (found.ticks, found.world, found.id, found.values) == (1, 0, 7, None)
        assert (found.field is not None) == field


def test_replays_that_are_damaged(tmp_path: Path) -> None:
    path = tmp_path / "x.carom"
    w = carom.Worlds("fall", 1, seed=1)
    with w.recording(path, keyframe_ticks=4):
        w.play(8)
    data = path.read_bytes()
    for at in range(0, len(data), 67):
        changed = bytearray(data)
        changed[at] ^= 1
        path.write_bytes(changed)
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            carom.Replay(path)
    path.write_bytes(data[: len(data) // 2])
    assert not carom.Replay(path).whole
    path.write_bytes(b"something else")
    with pytest.raises(ValueError, match="not a replay"):
        carom.Replay(path)
    with pytest.raises(FileNotFoundError):
        carom.Replay(tmp_path / "nowhere")
    path.write_bytes(data)
    whole = carom.Replay(path)
    with pytest.raises(ValueError, match="isa"):
        whole.verify("avx1")


def test_recordings_that_are_refused(tmp_path: Path) -> None:
    w = carom.Worlds("csb", 3, players=["race", "race"])
    path = tmp_path / "x.carom"
    for chosen, error in (([], ValueError), ([3], IndexError), ([1, 1], ValueError)):
        with pytest.raises(error):
            w.recording(path, worlds=chosen)
    with pytest.raises(ValueError, match="keyframe_ticks"):
        w.recording(path, keyframe_ticks=0)
    with pytest.raises(FileNotFoundError):
        w.recording(tmp_path / "no" / "x.carom")
    assert os.listdir(tmp_path) == []
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        w.recording(tmp_path / "folder")
    (tmp_path / "folder").rmdir()
    with w.recording(path) as recording:
        for another in (tmp_path / "y.carom", path):  # the second would take its file away
            with pytest.raises(RuntimeError, match="recorded already"):
                w.recording(another)
        assert os.listdir(tmp_path) == ["x.carom.part"]
        with pytest.raises(IndexError):
            w.play(3, first=4)
        w.play(3)
        recording.close()
        recording.close()
    assert carom.Replay(path).ticks == 3
    assert carom.Replay(path).verify() is None
    hooked = carom.Worlds("csb", 1, players=["race", "race"])
    dropped = hooked.recording(tmp_path / "z.carom")
    hooked.play(2)
    del hooked, dropped  # as a notebook's cell does that is run again
    assert carom.Replay(tmp_path / "z.carom").ticks == 2


def test_a_second_recording_leaves_nothing(tmp_path: Path) -> None:
    """Neither open files nor others, and the first one's file, even of the same name, is as it was."""
    w = carom.Worlds("csb", 3, players=["race", "race"])
    with w.recording(tmp_path / "x.carom"):
        w.play(3)
        before = os.listdir("/proc/self/fd")
        for name in ["x.carom", "y.carom"] * 5:
            with pytest.raises(RuntimeError, match="recorded already"):
                w.recording(tmp_path / name)
        assert len(os.listdir("/proc/self/fd")) == len(before)
        assert os.listdir(tmp_path) == ["x.carom.part"]
        w.play(4)
    assert os.listdir(tmp_path) == ["x.carom"]
    replay = carom.Replay(tmp_path / "x.carom")
    assert (replay.ticks, replay.whole, replay.verify()) == (7, True, None)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(TypeError):
        w.recording(tmp_path / "y.carom", keyframe_ticks=2.5)  # type: ignore[arg-type]
    assert len(os.listdir("/proc/self/fd")) == len(before)
    assert os.listdir(tmp_path) == ["x.carom"]


def test_recording_into_what_is_no_file(tmp_path: Path) -> None:
    """A pipe, as a device would, stays where it is and gets the replay; a folder is refused at once."""
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    folder.mkdir()
    os.mkfifo(pipe)
    w = carom.Worlds("csb", 2, players=["race", "race"])
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        try:
            with w.recording(pipe):
                w.play(5)
            assert pipe.is_fifo()
        finally:
            if not pipe.is_fifo():
                reader.kill()
        (tmp_path / "copy").write_bytes(reader.stdout.read())
    assert carom.Replay(tmp_path / "copy").ticks == 5
    with pytest.raises(IsADirectoryError):
        w.recording(folder)
    recording = w.recording(tmp_path / "late")
    (tmp_path / "late").mkdir()  # another program may do so
    with pytest.raises(IsADirectoryError):
        recording.close()
    assert sorted(os.listdir(tmp_path)) == ["copy", "folder", "late", "pipe"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no /proc")
def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    w = carom.Worlds("csb", 3, players=["race", "race"])
    other = carom.Worlds("csb", 3, players=["race", "race"])
    with w.recording(tmp_path / "x.carom"):
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(5):
            with pytest.raises(RuntimeError):
                w.recording(tmp_path / "y.carom")
            with pytest.raises(ValueError, match="twice"):
                other.recording(tmp_path / "y.carom", worlds=[1, 1])
            with pytest.raises(RuntimeError), open(tmp_path / "z", "wb") as file:  # which Recording reads first
                carom._carom.recording_begin(w._handle, os.dup(file.fileno()), None, None, 1, None)
        assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_devices_stay_devices(tmp_path: Path) -> None:
    for name in ("full", "null"):
        (tmp_path / name).symlink_to(f"/dev/{name}")
    w = carom.Worlds("csb", 2, players=["race", "race"])
    with w.recording(tmp_path / "null"):
        w.play(5)
    recording = w.recording(tmp_path / "full")
    w.play(5)  # what stays in the buffer
    with pytest.raises(OSError, match="No space"):
        recording.close()
    assert sorted(os.listdir(tmp_path)) == ["full", "null"]
    assert (tmp_path / "full").is_char_device()
    assert (tmp_path / "null").is_char_device()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "x.carom.part").symlink_to("/dev/full")
    w = carom.Worlds("csb", 200, players=["race", "race"])
    recording = w.recording(tmp_path / "x.carom")
    with pytest.raises(OSError, match="No space"):
        w.play(200)
    with pytest.raises(OSError, match="No space"):
        recording.close()
    assert os.listdir(tmp_path) == []
    w.play(1)  # continues
