# SPDX-License-Identifier: MIT
"""The examples run, with small sizes, and write what they claim to."""

from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


def module(name: str) -> Any:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def run(folder: Path, name: str, *arguments: str) -> str:
    """Runs an example in its own folder and returns its output."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_search(tmp_path: Path) -> None:
    out = run(tmp_path, "search", "--roots", "16", "--ticks", "40", "--seconds", "0.1")
    shooting, *planned = (float(line.split("passes ")[1].split()[0]) for line in out.splitlines()[:3])
    assert min(planned) > shooting
    lines = out.splitlines()[3:]
    assert [line.split("  ")[0] for line in lines[1:]] == ["CEM in NumPy", "carom.Search"]
    assert lines[0].startswith("rollouts a second: ")
    assert all(line.endswith(" of that)") for line in lines[1:])


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="hooks in Python need Numba")
def test_hooks(tmp_path: Path) -> None:
    """Compiled hooks are called by both engines and by several threads, and do what their source says."""
    assert "worlds with a fault: 0;" in run(tmp_path, "hooks", "--worlds", "40", "--ticks", "50")
    hooks = module("hooks")
    digests = set()
    for engine in ("wide", "deep"):
        for threads in (1, 3):
            scene = hooks.scene(engine=engine)
            worlds = scene.worlds(100, seed=5, threads=threads)
            before = worlds["vx"], worlds["vy"]
            worlds.play(1)  # without an impact for most balls: gravity acts downwards
            fell = np.isclose(worlds["vy"] - before[1], -hooks.GRAVITY * 0.02)
            assert fell[:, : hooks.BALLS].mean() > 0.9
            assert not fell[:, hooks.BALLS :].any()
            worlds.play(150)
            x, y, vx, vy = (worlds[name][:, : hooks.BALLS] for name in ("x", "y", "vx", "vy"))
            worlds.step(np.zeros(worlds.actions.shape, np.float32))
            x, y, vx, vy = (worlds[name][:, : hooks.BALLS] for name in ("x", "y", "vx", "vy"))
            assert np.allclose(worlds.rewards[:, 0], (x * vy - y * vx).sum(1), rtol=1e-5, atol=1e-5)
            digests.add(worlds.digest())
            assert worlds.faults().worlds == 0
            found = worlds.play(20, events=200).impacts()
            kicks = found[(found["kind"] == 0) & (found["second"] >= hooks.BALLS)]
            assert len(kicks) > 20
            assert (kicks["impulse"] > hooks.KICK).all()  # of mass 1: momentum before and after
    assert len(digests) == 1
    with pytest.raises(TypeError, match="hooks cannot be pickled"):
        pickle.dumps(hooks.scene())


def test_mixture(tmp_path: Path) -> None:
    out = run(tmp_path, "mixture", "--bodies", "300", "--time", "20")
    assert "the same digest" in out
    assert (tmp_path / "mixture.xyz").read_text().startswith("300\nLattice=")
    assert (tmp_path / "mixture.svg").read_text().startswith("<svg")


PLOTS = {
    "gas": ["--bodies", "300", "--time", "20"],
    "billiards": ["--shots", "20"],
    "solvers": ["--pairs", "1024", "--seconds", "0.005"],
}


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="plots need matplotlib")
@pytest.mark.parametrize("name", PLOTS)
def test_plots(tmp_path: Path, name: str) -> None:
    run(tmp_path, name, *PLOTS[name])
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="training needs PyTorch")
def test_training_beats_random(tmp_path: Path) -> None:
    out = run(
        tmp_path, "train_csb", "--minutes", "0.3", "--games", "200", "--opponent", "random", "--at-least", "90",
        "--worlds", "256",
    )  # fmt: skip
    assert "against random" in out
    assert (tmp_path / "csb.png").stat().st_size > 10_000
    assert "won" in run(tmp_path, "play_csb", "csb.npz", "--games", "20", "--opponent", "random")
    assert (tmp_path / "csb.game.png").stat().st_size > 10_000
    world = "3\n2\n1000 1000\n9000 5000\n" + "1000 1000 0 0 -1 1\n" * 4
    command = [sys.executable, str(EXAMPLES / "play_csb.py"), "csb.npz", "--bot"]
    done = subprocess.run(command, cwd=tmp_path, input=world, capture_output=True, text=True, timeout=60, check=True)
    assert len(done.stdout.splitlines()) == 2
    assert all(len(line.split()) == 3 for line in done.stdout.splitlines())


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="training needs PyTorch")
def test_value_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    out = run(tmp_path, "value_network", "--quick", "--threads", "1", "--out", "network.pt")
    explained, *scores = out.splitlines()
    assert int(explained.split("states, ")[1].split("%")[0]) > 10
    assert len(scores) == 2
    assert all("of 4 games" in line for line in scores)

    made = module("value_network")
    worlds = carom.Worlds("csb", 64, seed=3, precision="f32", progress_reward=0, result_reward=made.RESULT)
    worlds.observe()
    checkpoints = made.checkpoints_of(worlds)
    worlds.play(25, players=["race", "random"])
    seen = worlds.observe()

    def looked(observations: np.ndarray, base: str) -> tuple[Any, Any]:
        return made.look(torch.tensor(observations), torch.tensor(checkpoints), base)

    # The example computes the game's own values from observations.
    for base in ("game", "race", "block", "both", "duel"):
        found = carom.rollout(worlds, horizon=1, players=["zero", "zero"], reward_weight=0, value=base, depths=[1])
        assert found.observations is not None
        for player in (0, 1):
            standing, _ = looked(np.ascontiguousarray(found.observations[:, 0, 0, player]), base)
            assert np.allclose(standing.numpy(), found.returns[:, 0, player], atol=1e-3)

    # A state and its mirror image look the same; one player's view is not the other's.
    mirrored = seen[:, 0].copy()
    odd = [13 * pod + number for pod in range(4) for number in (1, 3, 5, 7, 9)]
    mirrored[:, odd] *= -1
    inputs, image, other = (looked(x, "both")[1] for x in (seen[:, 0].copy(), mirrored, seen[:, 1].copy()))
    assert np.allclose(inputs.numpy(), image.numpy(), atol=1e-4)
    assert not np.allclose(inputs.numpy(), other.numpy(), atol=0.1)

    # The network's values reach the search: without any it plays as with the game's own value.
    learnt = made.network_of(64)
    learnt.load_state_dict(torch.load(tmp_path / "network.pt"))
    silent = made.network_of(64)
    for weights in silent.parameters():
        torch.nn.init.zeros_(weights)
    args = Namespace(horizon=6, sequences=16, rollouts=64, model="race", seed=5, trust=1.0, chunk=512, device="cpu")
    plays = {
        name: made.Player(worlds, 0, "both", network, args)(worlds, checkpoints)
        for name, network in (("value", None), ("silent", silent), ("learnt", learnt))
    }
    same = {name: np.isclose(plays["value"], plays[name], atol=1e-3).all(1).mean() for name in ("silent", "learnt")}
    assert same["silent"] > 0.9
    assert same["learnt"] < 0.5

    # A pod beyond the resolution of f32 ends neither training nor a match, and there is no winner.
    def games(count: int, seed: int, at_end: str, _: Namespace) -> carom.Worlds:
        batch = carom.Worlds("csb", count, seed=seed, precision="f32", at_end=at_end, ticks=15)
        batch.observe()
        speeds = batch["vx"]
        speeds[1] = 60_000
        batch["vx"] = speeds
        return batch

    monkeypatch.setattr(made, "games", games)
    args = Namespace(**vars(args), base="both", worlds=3, games=6, ticks=9, noise=0.1, threads=1, other_rollouts=32)
    played = made.Played("both", None, 1, args)
    assert played.alive[:, [0, 2]].all()
    assert played.alive[:, 1].sum() == 8
    assert torch.isfinite(played.gained).all()
    args.model = "search"  # both seats' leaves are valued
    assert 1 <= made.match(silent, "both", args) <= 5
