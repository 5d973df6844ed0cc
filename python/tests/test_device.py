# SPDX-License-Identifier: MIT
"""Batches on devices: the same bits as on this processor, arrays for other libraries, errors by name.

Tests that need a device are skipped without one; CAROM_REQUIRE_DEVICE=1 turns these skips into failures. They
also run without a GPU, on the driver of tests/device/libcuda: CAROM_TEST_LIBCUDA names the folder of its libcuda.so.1,
and CAROM_FAKE_MODULES the index of the device programs, translated, with which `test_on_the_driver_of_the_tests` runs
this file.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom
from carom import _carom
from carom._device import DeviceArray, place_of

FOUND, WHY_NOT = _carom.device_count()
JAX = str(Path(__file__).with_name("test_jax_cuda.py"))
REQUIRED = os.environ.get("CAROM_REQUIRE_DEVICE") == "1"


@pytest.fixture
def cuda() -> str:
    if not FOUND:
        assert not REQUIRED, f"CAROM_REQUIRE_DEVICE=1, but there is no device: {WHY_NOT}"
        pytest.skip("there is no device")
    return "cuda"


class Foreign:
    """Looks to Carom like an array of another library."""

    def __init__(self, array: Any, newest: tuple[int, int] | None = (1, 0), at: tuple[int, int] | None = None) -> None:
        self.array, self.newest, self.at = array, newest, at
        self.streams: list[int] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.at or self.array.__dlpack_device__()

    def __dlpack__(self, *, stream: int, **more: Any) -> Any:
        if more and self.newest is None:
            raise TypeError("a library from before DLPack 1")
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream, max_version=self.newest)


# ---- without a device ----


def test_this_processor_is_the_default() -> None:
    for device in (None, "cpu"):
        w = carom.Worlds("csb", 3, device=device)
        assert w.device == "cpu"
        assert w.to("cpu") is w
        assert w.stream is None
        assert "cuda" not in repr(w)
        w.wait()
    with pytest.raises(ValueError, match="stream: the worlds are on this processor"):
        w.stream = 0


def test_no_device_is_told_with_its_reason() -> None:
    if FOUND:
        pytest.skip("there is a device")
    assert carom.devices() == []
    assert WHY_NOT
    for device in ("cuda", "cuda:1"):
        with pytest.raises(RuntimeError, match=f"device: '{device}': .") as told:
            carom.Worlds("csb", 3, device=device)
        assert WHY_NOT in str(told.value)
    with pytest.raises(RuntimeError, match="cuda"):
        carom.Worlds("csb", 3).to("cuda")


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:x", "cuda:-1", "", 3])
def test_unknown_devices_are_refused(device: Any) -> None:
    with pytest.raises(ValueError, match="is unknown; there are cpu, cuda"):
        place_of(device)


def test_environments_of_numpy_stay_on_this_processor() -> None:
    gymnasium = pytest.importorskip("carom.gymnasium")
    with pytest.raises(ValueError, match=r"carom\.torch has environments"):
        gymnasium.VectorEnv("csb", 4, device="cuda")


@pytest.mark.parametrize("version", [None, (1, 0)])
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_capsules_of_other_libraries_are_read(library: str, version: tuple[int, int] | None) -> None:
    array: Any = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    if library == "torch":
        array = pytest.importorskip("torch").from_numpy(array)
    elif version is not None and np.lib.NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("NumPy is from before DLPack 1")
    part = array[:, 1:]
    more: dict[str, Any] = {} if version is None else {"max_version": version}
    capsule = part.__dlpack__(**more)
    memory, device, kind, shape, strides = _carom.device_borrow(capsule, 1)
    assert device == (1, 0)
    assert kind == (2, 32, 1)
    assert shape == (2, 2, 4)
    assert strides == (12, 4, 1)
    address, size, read_only = _carom.device_place(memory)
    assert address == (part.ctypes.data if library == "numpy" else part.data_ptr())
    assert size == 64
    assert not read_only
    # A capsule is consumed once, and what it held is released with the memory.
    with pytest.raises(TypeError, match="capsule"):
        _carom.device_borrow(capsule, 1)
    count = sys.getrefcount(array)
    held = part.__dlpack__(**more)
    again = _carom.device_borrow(held, 1)
    del again, held, memory
    gc.collect()
    assert sys.getrefcount(array) <= count


def test_lent_memory_is_given_back() -> None:
    array = np.arange(6, dtype=np.int32)
    memory = _carom.device_borrow(array.__dlpack__(), 1)[0]
    for with_version in (False, True):
        count = sys.getrefcount(memory)
        capsule = _carom.device_lend(memory, 7, 0, 32, (3, 2), (2, 1), with_version)
        assert sys.getrefcount(memory) == count + 1
        other, device, kind, shape, strides = _carom.device_borrow(capsule, 2)
        assert (device, kind, shape, strides) == ((2, 7), (0, 32, 1), (3, 2), (2, 1))
        assert _carom.device_place(other)[0] == array.ctypes.data
        del capsule
        assert sys.getrefcount(memory) == count + 1
        del other
        assert sys.getrefcount(memory) == count
        untaken = _carom.device_lend(memory, 7, 0, 32, (3, 2), (2, 1), with_version)
        del untaken
        assert sys.getrefcount(memory) == count
    part = _carom.device_part(memory, 8, 4)
    assert _carom.device_place(part) == (array.ctypes.data + 8, 4, False)
    for offset, size in ((-1, 1), (0, 25), (25, 0), (24, 1)):
        with pytest.raises(ValueError, match="the part is out of range"):
            _carom.device_part(memory, offset, size)
    with pytest.raises(TypeError, match="memory of a device"):
        _carom.device_place(array)


# ---- on a device ----


def pair(cuda: str, game: str = "csb", count: int = 40, **made: Any) -> tuple[carom.Worlds, carom.Worlds]:
    made = {"seed": 5, "at_end": "reset", "precision": "f32", **made}
    return carom.Worlds(game, count, **made), carom.Worlds(game, count, device=cuda, **made)


def same(host: carom.Worlds, device: carom.Worlds) -> None:
    assert host.digest() == device.digest()
    assert np.array_equal(host.hashes(), device.hashes())
    assert host.counters() == device.counters()
    assert host.save() == device.save()


def test_devices_are_described(cuda: str) -> None:
    found = carom.devices()
    assert len(found) == FOUND
    assert found[0].name == "cuda:0"
    assert found[0].memory > 0
    assert found[0].model
    with pytest.raises(ValueError, match="device: cuda"):
        carom.Worlds("csb", device=f"cuda:{FOUND}")


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_steps_give_the_same_bits(cuda: str, precision: str) -> None:
    host, device = pair(cuda, precision=precision, ticks=25, players=[None, "race"], reward="own")
    assert device.device == "cuda:0"
    rng = np.random.default_rng(3)
    for w in (host, device):
        assert w.results.shape == (40,)
        w.observe()
    assert np.array_equal(device.observations.numpy(), host.observations)
    ended = 0
    for tick in range(60):
        actions = rng.uniform(-1, 1, host.actions.shape).astype(np.float32)
        host.step(actions)
        if tick % 2:
            device.actions.set(actions)
            device.step()
        else:
            given = device.actions._place.filled(actions)
            device.step(Foreign(given, (1, 0) if tick % 4 else None))
        for name in ("observations", "rewards", "ends", "results"):
            assert np.array_equal(getattr(device, name).numpy(), getattr(host, name)), (tick, name)
        over = host.ends != 0
        assert np.array_equal(device.last_observations.numpy()[over], host.last_observations[over])
        ended += int(over.sum())
    device.wait()
    same(host, device)
    assert ended > 40


def test_play_takes_everything_in_one_call(cuda: str) -> None:
    host, device = pair(cuda, ticks=20)
    rng = np.random.default_rng(4)
    n, place = 11, device._place
    actions = rng.uniform(-1, 1, (6, 5, 2, 4)).astype(np.float32)
    rows, skip = rng.integers(5, size=n, dtype=np.uint32), (rng.random(n) < 0.3).astype(np.uint8)
    places = np.arange(n, dtype=np.uint32)[::-1].copy()
    wanted: dict[str, Any] = {"rewards": True, "ends": True, "results": True}
    seen = np.zeros((6, 12, *host.observations.shape[1:]), np.float32)
    mine = host.play(6, actions=actions, rows=rows, skip=skip, places=places, first=3, count=n, repeat=2,
                     observations=seen, **wanted)  # fmt: skip
    theirs = device.play(
        6, actions=place.filled(actions), rows=place.filled(rows), skip=place.filled(skip), places=place.filled(places),
        first=3, count=n, repeat=2, observations=place.zeros(seen.shape, np.float32), **wanted,
    )  # fmt: skip
    for name in ("observations", "rewards", "ends", "results"):
        assert np.array_equal(getattr(theirs, name).numpy(), getattr(mine, name)), name
    own = rng.uniform(-1, 1, (2, 40, 4)).astype(np.float32)
    host.play(2, own={0: ("normalised", own)}, players=[None, "ram"])
    device.play(2, own={0: ("normalised", place.filled(own))}, players=[None, "ram"])
    same(host, device)
    children, twins = pair(cuda, count=10, ticks=20)
    parents = rng.integers(40, size=10)
    a = children.expand(host, 3, worlds=parents, rewards=True)
    b = twins.expand(device, 3, worlds=place.filled(parents.astype(np.int64)), rewards=True)
    assert np.array_equal(b.rewards.numpy(), a.rewards)
    same(children, twins)


def test_games_go_on_elsewhere(cuda: str) -> None:
    host, device = pair(cuda, ticks=30, players=["race", "ram"])
    for w in (host, device):
        w.play(17)
    back = device.to("cpu")
    there = host.to("cuda:0")
    assert device.to(cuda) is device
    assert (back.device, there.device) == ("cpu", "cuda:0")
    for w in (back, there, device, host):
        w.play(30)
        same(host if w is host else w, w)
    for w in (back, there, device):
        same(host, w)
    device.load(host.save())
    host.load(device.save())
    same(host, device)
    order = np.random.default_rng(1).permutation(40)
    host.copy_from(device, worlds=order)
    device.copy_from(device, worlds=order)
    same(host, device)
    fork, twin = host.fork(20, 7), device.fork(20, 7)
    assert twin.device == "cuda:0"
    same(fork, twin)
    twin.fork_from(host, 3)
    fork.fork_from(device, 3)
    same(fork, twin)
    assert device.record(4) == host.record(4)
    device.put(9, host.record(4))
    host.put(9, device.record(4))
    for name in host:
        assert np.array_equal(host[name], device[name]), name
    device["x"] = host["x"] + 1
    host["x"] = host["x"] + 1
    same(host, device)
    assert np.array_equal(device.rgb_array(3), host.rgb_array(3))
    assert device.svg(3) == host.svg(3)
    with pytest.raises(NotImplementedError, match="get"):
        device.view("x")


def test_restarts(cuda: str) -> None:
    host, device = pair(cuda, players=["race", "race"])
    mask = np.arange(40) % 3 == 0
    ids, seeds = np.arange(40, dtype=np.int64) + 100, np.arange(40, dtype=np.int64) * 7
    place = device._place
    for w in (host, device):
        w.play(5)
    host.restart(mask)
    device.restart(mask)
    same(host, device)
    host.restart(mask, ids=ids, seeds=seeds)
    device.restart(place.filled(mask), ids=place.filled(ids), seeds=place.filled(seeds))
    same(host, device)
    for w in (host, device):
        w.play(5)
        w.reset()
        w.reseed(9)
        w.play(5)
    same(host, device)


def test_rollouts_give_the_same_bits(cuda: str) -> None:
    host, device = pair(cuda, count=6, precision="f64")
    place = device._place
    for w in (host, device):
        w.play(4, players=["race", "race"])
    for more in (
        {"opponent": "race", "lengths": True, "rewards": True},
        {"opponent": "zero", "elites": 3, "discount": 0.9, "depths": [0, 2, 5], "observation": "ego"},
        {"actions": carom.gaussian(0.1, 0.5, hold=2), "opponent": "drawn"},
        {"actions": carom.uniform(hold=3), "opponent": "ram", "value": host.game.value_kinds[-1].name},
    ):
        a = carom.rollout(host, 33, 6, seed=8, **more)
        b = carom.rollout(device, 33, 6, seed=8, **more)
        for name in ("returns", "best", "rewards", "lengths", "observations", "elites", "elite_mean", "elite_sigma"):
            mine, theirs = getattr(a, name), getattr(b, name)
            assert (mine is None) == (theirs is None), name
            assert mine is None or np.array_equal(theirs.numpy(), mine), (more, name)
    given = np.random.default_rng(2).uniform(-1, 1, (6, 33, 4, 4)).astype(np.float32)
    horizons = np.arange(6, dtype=np.uint32) % 4 + 1
    finals = pair(cuda, count=6 * 33, precision="f64")
    a = carom.rollout(host, 33, 4, actions=given, opponent=given[:, 0].copy(), horizons=horizons, finals=finals[0])
    b = carom.rollout(
        device, 33, 4, actions=place.filled(given),
        opponent=place.filled(given[:, 0]), horizons=place.filled(horizons), finals=finals[1],
    )  # fmt: skip
    assert np.array_equal(b.returns.numpy(), a.returns)
    assert finals[0].digest() == finals[1].digest()
    with pytest.raises(NotImplementedError, match="draws"):
        carom.draws(device, 3, 4)
    with pytest.raises(NotImplementedError, match="actions"):
        b.first_actions(1)


@pytest.mark.parametrize("planner", ["shooting", "cem", "genetic", "mppi"])
def test_searches_give_the_same_bits(cuda: str, planner: str) -> None:
    host, device = pair(cuda, count=3)
    made: dict[str, Any] = {"planner": planner, "horizon": 4, "sequences": 32, "rollouts": 96, "opponent": "race"}
    searches = [carom.Search(w, **made) for w in (host, device)]
    for _ in range(2):
        a, b = (search.run(w) for search, w in zip(searches, (host, device), strict=True))
        assert np.array_equal(b.numpy(), a)
        assert np.array_equal(searches[1].plan().numpy(), searches[0].plan())
        assert np.array_equal(searches[1].returns().numpy(), searches[0].returns())
        for w, actions in ((host, a), (device, b)):
            array = actions if w is host else actions.numpy()
            w.play(1, players=[None, "race"], actions=w._place.filled(array[None, :, None]))
        same(host, device)


# ---- arrays ----


def test_arrays_are_lent(cuda: str) -> None:
    w = carom.Worlds("csb", 5, device=cuda)
    seen = w.observations
    assert w.observations is seen
    w.observe()
    assert (len(seen), seen.ndim, seen.dtype, seen.device) == (5, 3, np.float32, "cuda:0")
    assert seen.nbytes == seen.size * 4
    assert seen.__dlpack_device__() == (2, 0)
    face = seen.__cuda_array_interface__
    assert face["version"] == 3
    assert face["shape"] == seen.shape
    assert face["typestr"] == "<f4"
    assert face["strides"] is None
    assert face["stream"] == 1
    for stream in (None, 1, 2, -1):
        for newest in (None, (0, 8), (1, 0), (1, 1)):
            capsule = seen.__dlpack__(stream=stream, max_version=newest)
            assert ("versioned" in repr(capsule)) == (newest is not None and newest[0] >= 1)
            memory, device, kind, shape, strides = _carom.device_borrow(capsule, w._place.number)
            assert (device, kind, shape) == ((2, 0), (2, 32, 1), seen.shape)
            assert strides == (shape[1] * shape[2], shape[2], 1)
            assert _carom.device_place(memory)[0] == face["data"][0]
    assert np.array_equal(np.from_dlpack(seen, device="cpu") if np.__version__ >= "2.1" else seen.numpy(), seen.numpy())
    apart = _carom.device_borrow(seen.__dlpack__(copy=True), w._place.number)[0]
    assert _carom.device_place(apart)[0] != face["data"][0]
    with pytest.raises(BufferError, match="two meanings"):
        seen.__dlpack__(stream=0)
    with pytest.raises(BufferError, match="dl_device"):
        seen.__dlpack__(dl_device=(2, 1))
    with pytest.raises(BufferError, match="winner"):
        w.results.__dlpack__()


def test_members_of_records(cuda: str) -> None:
    host, device = pair(cuda, ticks=5, players=["race", "race"])
    for w in (host, device):
        assert w.results.dtype == carom.RESULT
        for _ in range(7):
            w.step()
    found = device.results
    assert np.array_equal(found.numpy(), host.results)
    score = found["score"]
    assert score.shape == host.results["score"].shape
    assert score.strides == host.results["score"].strides
    assert not score.contiguous
    assert score.__cuda_array_interface__["strides"] == score.strides
    _, _, kind, shape, strides = _carom.device_borrow(score.__dlpack__(), device._place.number)
    assert (kind, shape, strides) == ((0, 32, 1), score.shape, (carom.RESULT.itemsize // 4, 1))
    for use in (score.numpy, lambda: score.set(0)):
        with pytest.raises(ValueError, match="members"):
            use()
    with pytest.raises(KeyError):
        found["points"]
    with pytest.raises(TypeError, match="from_dlpack"):
        found[0]


def test_wrong_arrays_are_refused(cuda: str) -> None:
    w = carom.Worlds("csb", 5, device=cuda)
    place = w._place
    good = place.zeros(w.actions.shape, np.float32)
    before = w.digest()
    for wrong, error, text in (
        (np.zeros(w.actions.shape, np.float32), TypeError, "not one on cpu"),
        ([[1]], TypeError, "not list"),
        (Foreign(good, at=(2, 1)), TypeError, "cuda:0 is expected, not one on cuda:1"),
        (Foreign(good, at=(10, 0)), TypeError, "not one on device 10"),
        (place.zeros(w.actions.shape, np.float64), TypeError, "float32 are expected, not float64"),
        (place.zeros((5, 2, 3), np.float32), ValueError, r"shape \(5, 2, 4\) is expected"),
        (DeviceArray(place, good._memory, good.shape, np.float32, (4, 16, 4)), ValueError, "contiguous"),
    ):
        with pytest.raises(error, match=f"actions: .*{text}"):
            w.step(wrong)
    with pytest.raises(TypeError, match="rewards"):
        w.bind(rewards=np.zeros((5, 2), np.float32))
    assert w.digest() == before
    mine = place.zeros(w.rewards.shape, np.float32)
    w.bind(rewards=Foreign(mine), observations=None)
    w.step(Foreign(good))
    assert w.digest() != before
    assert mine.numpy().any()


def test_what_is_not_there_is_refused(cuda: str, scenes: Any) -> None:
    with pytest.raises(NotImplementedError, match="check_actions"):
        carom.Worlds("csb", 2, device=cuda, check_actions=True)
    with pytest.raises(NotImplementedError, match="scene"):
        carom.Worlds(scenes / "penalty.json", 2, device=cuda)
    w = carom.Worlds("csb", 2, device=cuda)
    for more in ({"events": 3}, {"moved": True}):
        with pytest.raises(NotImplementedError, match="events, moved"):
            w.play(1, **more)
    with pytest.raises(NotImplementedError):
        w.recording("never.carom").__enter__()
    with pytest.raises(NotImplementedError, match="value, begin"):
        carom.Search(w, rollouts=64, value=lambda leaves: leaves)
    with pytest.raises(NotImplementedError, match="value, begin"):
        carom.Search(w, rollouts=64).begin(w)
    with pytest.raises(ValueError, match="places"):
        w.play(1, places=w._place.zeros((2,), np.uint32), observations=True)


def test_streams(cuda: str) -> None:
    w = carom.Worlds("csb", 2, device=cuda)
    w.stream = 1
    assert w.stream == 1
    given = Foreign(w._place.zeros(w.actions.shape, np.float32))
    w.step(given)
    assert given.streams == [1]
    assert w.observations.__cuda_array_interface__["stream"] == 1
    w.stream = None
    w.step()
    w.wait()
    for wrong in (-1, "a", 1.5):
        with pytest.raises(ValueError, match="stream"):
            w.stream = wrong


def test_the_current_stream_of_pytorch_is_used(cuda: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now = types.SimpleNamespace(stream=2, started=True, captures=False)
    face = types.SimpleNamespace(
        is_initialized=lambda: now.started,
        current_stream=lambda index: types.SimpleNamespace(cuda_stream=now.stream),
        is_current_stream_capturing=lambda: now.captures,
    )
    w = carom.Worlds("csb", 2, device=cuda)
    given = Foreign(w._place.zeros(w.actions.shape, np.float32))
    w.step(given)
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=face))
    waits: list[tuple[int, int]] = []
    order = _carom.device_order
    monkeypatch.setattr("carom._device._carom.device_order", lambda n, a, b: (waits.append((a, b)), order(n, a, b))[1])
    w.step(given)
    w.step(given)
    w.observe()
    assert waits == [(0, 2)]
    now.stream = 0
    w.play(1, actions=w._place.zeros((1, *w.actions.shape), np.float32))
    assert waits == [(0, 2), (2, 0)]
    now.stream, now.captures = 2, True  # a capture waits for nothing outside of it
    w.step(given)
    now.captures = False
    w.step()
    assert len(waits) == 2
    now.started = False
    w.step(given)
    assert waits[2:] == [(2, 0)]
    assert given.streams == [1, 2, 2, 2, 1]
    w.wait()


def test_a_search_keeps_its_stream(cuda: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[tuple[int, int]] = []
    order = _carom.device_order
    monkeypatch.setattr("carom._device._carom.device_order", lambda n, a, b: (waits.append((a, b)), order(n, a, b))[1])
    w = carom.Worlds("csb", 2, device=cuda)
    w.stream = 2
    search = carom.Search(w, horizon=2, sequences=32, rollouts=32)
    w.stream = None
    w.step()
    actions = search.run(w)
    assert actions.__cuda_array_interface__["stream"] == 2
    w.step()
    assert waits == [(0, 2), (2, 0), (0, 2), (2, 0)]
    w.wait()


def test_a_forked_child_gets_an_error(cuda: str) -> None:
    w = carom.Worlds("csb", 2, device=cuda)
    w.step()
    w.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        code = 1
        try:
            w.step()
        except RuntimeError:
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    w.step()
    w.wait()


def test_the_command_prints_the_same_digest(cuda: str) -> None:
    words = ["rollout", "csb", "--worlds", "150", "--ticks", "70", "--precision", "f32", "--json"]
    digests = []
    for device in ("cpu", "cuda"):
        out = subprocess.run(
            [sys.executable, "-m", "carom", *words, "--device", device], capture_output=True, text=True, check=True
        ).stdout
        assert f'"device": "{device}"' in out
        digests.append(out[out.index('"digest"') :])
    assert digests[0] == digests[1]
    out = subprocess.run([sys.executable, "-m", "carom", "info"], capture_output=True, text=True, check=True).stdout
    assert carom.devices()[0].model in out


def test_the_command_says_why_there_is_none() -> None:
    if FOUND:
        pytest.skip("there is a device")
    words = ["rollout", "csb", "--worlds", "10", "--ticks", "5"]
    for device, text in (("cuda", WHY_NOT), ("gpu", "cuda:1"), ("cuda:1x", "cuda:1")):
        out = subprocess.run(
            [sys.executable, "-m", "carom", *words, "--device", device], capture_output=True, text=True, check=False
        )
        assert out.returncode == 2
        assert text in out.stderr


def test_on_the_driver_of_the_tests() -> None:
    folder = os.environ.get("CAROM_TEST_LIBCUDA")
    if not folder:
        pytest.skip("no driver of the tests is named")
    assert not FOUND
    environment = os.environ | {"LD_LIBRARY_PATH": folder, "CAROM_REQUIRE_DEVICE": "1", "CAROM_FAKE_STRICT": "1"}
    del environment["CAROM_TEST_LIBCUDA"]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__, JAX]
    found = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert found.returncode == 0, found.stdout[-4000:] + found.stderr[-2000:]
