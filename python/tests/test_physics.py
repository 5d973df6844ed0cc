# SPDX-License-Identifier: MIT
"""Scenes, gas, rollouts and times of impact: that numbers arrive where they belong."""

from __future__ import annotations

import copy
import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom
from carom import toi

# ---- scenes ----


def two_balls(**made: object) -> carom.Scene:
    """Two balls that meet head-on after one second at (3, 1)."""
    bodies = [carom.Body(x=1, y=1, vx=1), carom.Body(x=5, y=1, vx=-1)]
    return carom.Scene(bodies, box=((0, 0), (6, 2)), **made)


def test_two_balls_meet() -> None:
    worlds = two_balls(dt=1.6).worlds(2)
    out = worlds.play(events=4)
    impacts = out.impacts()
    assert len(impacts) == 2
    assert np.allclose(impacts["left"], 0.375)  # of a tick
    assert impacts["x"].tolist() == [3.0, 3.0]
    assert worlds["vx"].tolist() == [[-1, 1]] * 2
    worlds.play(2, dt=0.2)
    assert np.allclose(worlds["x"][0], [1.0, 5.0])


def test_a_scene_by_mappings_records_and_json() -> None:
    scene = two_balls()
    box = {"from": [0, 0], "to": [6, 2], "horizontal": "solid", "vertical": "solid"}
    by_mapping = carom.Scene([{"x": 1, "y": 1, "vx": 1}, {"x": 5, "y": 1, "vx": -1}], box=box)
    by_record = carom.Scene(scene.bodies, box=carom.Box((0, 0), (6, 2)))
    by_json = carom.Scene.from_json(scene.to_json())
    digests = set()
    for made in (scene, by_mapping, by_record, by_json, pickle.loads(pickle.dumps(scene)), copy.deepcopy(scene)):
        worlds = made.worlds(3)
        worlds.play(11)
        digests.add(worlds.digest())
    assert len(digests) == 1


def test_example_scenes(scenes: Path) -> None:
    for path in sorted(scenes.glob("*.json")):
        scene = carom.Scene.from_file(path)
        found = json.loads(path.read_text(encoding="utf-8"))
        assert len(scene.bodies) == len(found["bodies"])
        twin = carom.Scene.from_json(scene.to_json())
        one, two = scene.worlds(2), twin.worlds(2)
        one.play(20)
        two.play(20)
        assert one.digest() == two.digest(), path.name


def test_a_thousand_bodies_as_records() -> None:
    bodies = np.repeat(np.array([(0,) * len(carom.BODY.names)], carom.BODY), 1000)
    bodies["radius"], bodies["mass"], bodies["restitution"] = 0.1, 1, 1
    bodies["category"], bodies["mask"] = 1, 0xFFFFFFFF
    bodies["x"], bodies["y"] = np.arange(1000) % 40, np.arange(1000) // 40
    bodies["vx"] = np.random.default_rng(0).normal(size=1000)
    scene = carom.Scene(bodies, box=((-1, -1), (40, 26)), dt=0.1)
    assert scene.engine == "deep"
    worlds = scene.worlds()
    worlds.play(20)
    assert worlds.counters().events > 100
    assert math.isclose((worlds["vx"] ** 2 + worlds["vy"] ** 2).sum(), (bodies["vx"] ** 2).sum(), rel_tol=1e-12)


def test_actions_and_rewards_of_a_scene() -> None:
    body = carom.Body(x=2, y=2, acts=True)
    scene = carom.Scene([body], reward=carom.Measure("distance", at=(2, 2)), action_scale=0.5, last_tick=3)
    worlds = scene.worlds(4, at_end="freeze")
    for _ in range(3):
        worlds.step([[[1, 0]]])
    assert worlds["vx"].ravel().tolist() == [1.5] * 4
    assert worlds.rewards.ravel().tolist() == [-3.0] * 4
    assert worlds.ends.tolist() == [2] * 4
    by_velocity = scene.worlds(1, action_kind="velocity")
    by_velocity.step([[[7.0, np.nan]]])
    assert (by_velocity["vx"][0, 0], by_velocity["vy"][0, 0]) == (7, 0)


def test_games_of_a_scene() -> None:
    ball = carom.Body(x=2, y=2, vx=1, x_spread=1.0)
    goal = carom.Body(x=9, y=2, mass=np.inf, sensor=True)
    scene = carom.Scene([ball, goal], ends_at_sensor=True)
    worlds = carom.Scene.from_json(scene.to_json()).worlds(50, seed=1, at_end="reset")
    starts = worlds["x"][:, 0]
    assert 1 <= starts.min() < starts.max() <= 3
    assert len(np.unique(starts)) == 50
    worlds.play(8)
    assert worlds.counters().games == 50
    assert not np.array_equal(worlds["x"][:, 0], starts)


def test_air_hockey(scenes: Path) -> None:
    """Two players, rules and views: a game is won, and the rewards until then are reported."""
    scene = carom.Scene.from_file(scenes / "air_hockey.json")
    for twin in (scene, carom.Scene.from_json(scene.to_json()), pickle.loads(pickle.dumps(scene))):
        worlds = twin.worlds(64, seed=3, at_end="reset", observation="ego", reward="own")
        assert worlds.game.players == 2
        assert worlds.observe().shape == (64, 2, 12)
        assert [n.name for n in worlds.game.observations["ego"]][3:6] == ["own.vy", "seen 0.x", "seen 0.y"]
        won = np.zeros(3, int)
        rng = np.random.default_rng(0)
        for _ in range(300):
            worlds.step(rng.uniform(-1, 1, worlds.actions.shape))
            over = worlds.ends != 0
            assert (worlds.rewards[over & (worlds.rewards[:, 0] > 0.9), 1] < -0.9).all()
            won += [(worlds.rewards[over, 0] > 0.9).sum(), (worlds.rewards[over, 1] > 0.9).sum(), over.sum()]
            still = ~over
            relative = (worlds["x"][:, 0] - worlds["x"][:, 1])[still]
            assert np.allclose(worlds.observations[still, 0, 4], relative, atol=1e-6)
        assert won[0] > 5
        assert won[1] > 5
        assert won[2] >= won[0] + won[1]


def test_rules_and_views_by_name() -> None:
    bodies = [carom.Body(x=1, y=1, vx=1, acts=True), carom.Body(x=4, y=1, acts=True, player=1)]
    rules = [
        carom.Rule("meets_body", reward=0.5),
        {"kind": "nears_point", "at": (9, 1), "reward": 2, "to": 1},
        carom.Rule("meets_body", ends=True, winner=1),
    ]
    made = {"rules": rules, "views": [carom.View(0, [1]), {"body": 1, "bodies": [0]}], "action": "acceleration"}
    worlds = carom.Scene(bodies, **made).worlds(1, observation="ego", at_end="freeze")
    worlds.step([[[1, 0], [0, 0]]])  # 1 is at 1 + 2, and has met the other, which was hit on its way
    assert worlds.ends.tolist() == [1]
    assert np.allclose(worlds.rewards, [[0.5 - 1, 2 * (worlds["x"][0, 0] - 1) + 1]])
    assert worlds.observations[0, 1, 4] == worlds["x"][0, 0] - worlds["x"][0, 1]
    for bad in ({"rules": [{"kind": "meets"}]}, {"rules": [{"body": 7}]}, {"views": [{"body": 0, "bodies": [7]}]}):
        with pytest.raises(ValueError, match=r"meets|7"):
            carom.Scene(bodies, **bad)
    with pytest.raises(ValueError, match="body 1: there is no player 4"):
        carom.Scene([carom.Body(), carom.Body(x=9, player=4)])


def test_records_of_bodies_with_the_defaults(recwarn: pytest.WarningsRecorder) -> None:
    table = carom.bodies(3, x=[1.0, 4.0, 7.0], y=2, radius=[0.5, 0.5, 1], acts=[True, False, False])
    assert table.dtype == carom.BODY
    plain = carom.Scene(
        [carom.Body(x=1, y=2, radius=0.5, acts=True), carom.Body(x=4, y=2, radius=0.5), {"x": 7, "y": 2}]
    )
    assert carom.Scene(table).to_json() == plain.to_json()
    assert len(carom.bodies(0)) == 0
    table["category"][1] = table["mask"][2] = 0  # one of the two is a choice
    carom.Scene(table)
    carom.Scene([carom.Body(category=0, mask=0), {"category": 0, "mask": 0}])
    carom.Scene([{}], body={"category": 0, "mask": 0})
    assert not recwarn.list
    with pytest.raises(ValueError, match="member of a body: 'size' is unknown"):
        carom.bodies(2, size=1)
    with pytest.raises(ValueError, match="category: a number does not fit"):
        carom.bodies(2, category=-1)
    with pytest.raises(ValueError, match="broadcast"):
        carom.bodies(2, x=[1, 2, 3])


def test_bodies_that_pass_through_all_others_give_a_warning() -> None:
    table = carom.bodies(4, x=np.arange(4) * 3)
    table["category"][2] = table["mask"][2] = 0
    with pytest.warns(UserWarning, match="body 2 with category 0 and mask 0") as found:
        carom.Scene(table)
    assert found[0].filename == __file__
    zeros = np.zeros(3, carom.BODY)
    zeros["radius"] = zeros["mass"] = 1
    with pytest.warns(UserWarning, match="3 bodies, the first of them 0, with category 0"):
        carom.Scene(bodies=zeros)


def test_halves(scenes: Path) -> None:
    """Mallets stay in their halves and the puck passes; zones end games, and acting costs."""
    scene = carom.Scene.from_file(scenes / "halves.json")
    for twin in (scene, carom.Scene.from_json(scene.to_json()), pickle.loads(pickle.dumps(scene))):
        worlds = twin.worlds(64, seed=3, at_end="reset")
        puck, won = np.zeros(2), np.zeros(2, int)
        rng = np.random.default_rng(0)
        for _ in range(400):
            worlds.step(rng.uniform(-1, 1, worlds.actions.shape))
            x = worlds["x"]
            assert (x[:, 1] < -0.049).all()
            assert (x[:, 2] > 0.049).all()
            puck = np.minimum(puck[0], x[:, 0].min()), np.maximum(puck[1], x[:, 0].max())
            won += [(worlds.rewards[:, 0] > 0.9).sum(), (worlds.rewards[:, 1] > 0.9).sum()]
        assert puck[0] < -0.9 < 0.9 < puck[1]
        assert (won > 5).all()
        assert worlds.faults().worlds == 0


@pytest.mark.parametrize("precision", ["f64", "f32"])
@pytest.mark.parametrize("sides", ["open", "periodic"])
@pytest.mark.parametrize("engine", ["wide", "deep"])
def test_the_nearest(engine: str, sides: str, precision: str) -> None:
    """Each landmark's distance from the nearest agent that is there, as NumPy finds it."""
    agents = [carom.Body(x_spread=5, y_spread=5, radius=0.1, category=2, acts=True) for _ in range(4)]
    marks = [carom.Body(x_spread=5, y_spread=5, radius=0.1, mass=math.inf, mask=0, category=4) for _ in range(3)]
    rules = [carom.Rule("nearest", body=4 + k, category=2, reward=-3, to=0) for k in range(3)]
    rules.append(carom.Rule("nearest", body=1, reward=0.5))  # of all bodies, but not itself
    scene = carom.Scene([*agents, *marks], box=((-5, -5), (5, 5)), sides=sides, dt=0.1, rules=rules, engine=engine)
    for twin in (scene, carom.Scene.from_json(scene.to_json())):
        worlds = twin.worlds(50, seed=7, precision=precision)
        there = np.random.default_rng(1).random((50, 7)) < 0.7
        worlds["active"] = there
        for _ in range(5):
            worlds.step(np.random.default_rng(2).uniform(-1, 1, worlds.actions.shape))
        x, y = worlds["x"].astype(float), worlds["y"].astype(float)
        way = np.abs(np.stack([x[:, :, None] - x[:, None], y[:, :, None] - y[:, None]]))
        if sides == "periodic":
            way = np.minimum(way, 10 - way)
        far = np.hypot(*way)
        far[~(there[:, :, None] & there[:, None]) | np.eye(7, dtype=bool)] = np.inf
        least = np.stack([*(far[:, 4 + k, :4].min(1) for k in range(3)), far[:, 1].min(1)])
        wanted = np.array([-3, -3, -3, 0.5]) @ np.where(np.isinf(least), 0, least)
        assert np.isinf(least).any()
        assert np.allclose(worlds.rewards[:, 0], wanted, rtol=1e-5, atol=1e-5)


def test_who_passes_and_what_acting_costs() -> None:
    bodies = [carom.Body(x=-3, vx=1, acts=True), carom.Body(x=-3, y=5, vx=1, category=2)]
    things: list[dict[str, Any]] = [
        {"walls": [carom.Wall((0, -9), (0, 9), mask=2)]},
        {"polygons": [carom.Polygon([(0, -9), (1, -9), (1, 9), (0, 9)], mask=2)]},
        {"polygons": [{"corners": [(0, -9), (1, -9), (1, 9), (0, 9)], "mask": 2}]},
        {"box": carom.Box((-20, -9), (0, 9), mask=2)},
        {"box": {"from": (-20, -9), "to": (0, 9), "horizontal": "solid", "mask": 2}},
    ]
    for thing in things:
        scene = carom.Scene(bodies, **thing)
        for twin in (scene, carom.Scene.from_json(scene.to_json()), pickle.loads(pickle.dumps(scene))):
            worlds = twin.worlds()
            worlds.play(6)
            assert worlds["x"].tolist() == [[3.0, -5.0]]
    rules = [
        carom.Rule("acts", reward=-2),
        carom.Rule("tick", reward=-0.25),
        {"kind": "within", "at": (-2, -1), "corner": (-1.5, 1), "reward": 8},
        carom.Rule("within", at=(-1, -1), corner=(9, 1), ends=True, winner=0),
    ]
    worlds = carom.Scene(bodies, rules=rules, action_scale=0).worlds(at_end="freeze")
    rewards = []
    for _ in range(3):
        worlds.step([[[0.5, 3]]])
        rewards.append(float(worlds.rewards[0, 0]))
    assert rewards == [8 - 2.75, 1 - 2.75, 0]
    for name, bad in (("category", -1), ("mask", 2**32), ("mask", 0.5)):
        with pytest.raises(ValueError, match=rf"polygons\[0\].{name}: .* is not a whole number"):
            carom.Scene(bodies, polygons=[{"corners": [(0, 0), (1, 0), (1, 1)], name: bad}])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: carom.Scene([]), "bod"),
        (lambda: carom.Scene([carom.Body(), carom.Body(radius=-1)]), "body 1: radius -1"),
        (lambda: carom.Scene([{"radios": 1}]), "'radios' is unknown; there are x, y"),
        (lambda: carom.Scene([{"category": 0.5}]), "category: 0.5 is not a whole number"),
        (lambda: carom.Scene([{"category": -1}]), "category: -1 is not a whole number"),
        (lambda: carom.Scene([{}], sides="hard", box=((0, 0), (9, 9))), "'hard' is unknown; there are open, solid"),
        (lambda: carom.Scene([{}], box=((0, 0, 0), (9, 9))), r"box.from: \[x, y\] is expected"),
        (lambda: carom.Scene([{}], walls=[{"a": (0, 0)}]), "wall 0"),
        (lambda: carom.Scene([{}], polygons=[{"corners": [(0, 0), (1, 1)]}]), "polygon 0"),
        (lambda: carom.Scene([{}], solver="exact"), "solver: 'exact' is unknown; there are fast, pow"),
        (lambda: carom.Scene([{}], reward={"kind": "speed"}), "reward.kind: 'speed' is unknown"),
        (lambda: carom.Scene.from_json('{"bodies": [{}], "walsl": []}'), "key: 'walsl' is unknown"),
        (lambda: carom.Scene.from_json("[]"), "an object is expected"),
        (lambda: carom.Scene([{}]).worlds(options=1), "has no options"),
    ],
)
def test_scenes_that_are_refused(call: object, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


def test_numbers_that_are_none() -> None:
    with pytest.raises(TypeError, match=r"bodies\[0\].x: a number is expected, not 'left'"):
        carom.Scene([{"x": "left"}])
    with pytest.raises(TypeError, match=r"bodies\[0\].acts: true or false is expected"):
        carom.Scene([{"acts": 1}])


def test_a_batch_holds_its_scene() -> None:
    worlds = two_balls().worlds(5)
    worlds.play(3)  # the scene has no other owner
    assert worlds.counters().ticks == 15


# ---- gas ----


def test_gas() -> None:
    gas = carom.Gas(500, packing=0.3, seed=3)
    gas.run(10)
    gas.forget()
    gas.run(30)
    measures = gas.measure()
    assert measures.collisions > 10_000
    assert abs(measures.energy_drift) < 1e-9
    assert 1.8 < measures.compressibility < 2.2  # Henderson: (1 + p^2 / 8) / (1 - p)^2 = 2.06
    assert math.isclose(gas.side**2 * 0.3, 500 * math.pi / 4)
    state, digest = gas.state(), gas.digest()
    gas.run(1)
    gas.set_state(state)
    assert gas.digest() == digest
    assert gas.bodies == 500
    assert gas.nbytes > 0


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: carom.Gas(1000, packing=0.95), "1000 disks do not fit into a periodic box at packing 0.95"),
        (lambda: carom.Gas(0), "bodies: 0"),
        (lambda: carom.Gas(restitution=2), "restitution: 2"),
        (lambda: carom.Gas(box="round"), "there are periodic, solid"),
        (lambda: carom.Gas().run(-1), "time: -1"),
        (lambda: carom.Gas(100).set_state(np.zeros((4, 100))), "two disks overlap"),
    ],
)
def test_gas_that_is_refused(call: object, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


# ---- rollouts ----


def test_rollouts_are_plays() -> None:
    roots = carom.Worlds("csb", 3, seed=2)
    roots.play(15, players=["race", "race"])
    actions = np.random.default_rng(4).uniform(-1, 1, (3, 5, 6, 4)).astype(np.float32)
    finals = carom.Worlds("csb", 15, seed=2)
    out = carom.rollout(roots, 5, 6, actions=actions, opponent="race", final_weight=0, discount=0.9, finals=finals)
    for root in range(3):
        for k in range(5):
            world = roots.fork(1, root, at_end="freeze", players=[None, "race"], first_id=root)
            total = 0.0
            for tick in range(6):
                world.step(actions[root, k, tick])
                total += 0.9**tick * float(world.rewards[0, 0])
            assert math.isclose(total, out.returns[root, k, 0], rel_tol=1e-12)
            assert finals.hashes()[root * 5 + k] == world.hashes()[0] or world["frozen"].any()
    assert np.array_equal(out.best[:, 0], out.returns[:, :, 0].argmax(1))
    assert np.array_equal(out.first_actions(), actions[np.arange(3), out.best[:, 0], 0])


def test_drawn_actions_are_told() -> None:
    roots = carom.Worlds("csb", 2, seed=2, first_id=40)
    drawn = carom.rollout(roots, 7, 4, opponent="zero", seed=9)
    actions = carom.draws(roots, 7, 4, seed=9)
    given = carom.rollout(roots, 7, 4, actions=actions, opponent="zero")
    assert np.array_equal(drawn.returns, given.returns)
    assert np.array_equal(drawn.first_actions(), given.first_actions())
    assert np.array_equal(drawn.actions(0, [[3], [6]])[:, 0], actions[[0, 1], [3, 6]])
    broadcast = carom.rollout(roots, 7, 4, actions=np.ascontiguousarray(actions[:, 0]), opponent="zero")
    assert (broadcast.returns == broadcast.returns[:, :1]).all()


@pytest.mark.parametrize(
    ("made", "text"),
    [
        ({"k": 0}, "k: 0; a whole number from 1"),
        ({"discount": 2}, "discount: 2"),
        ({"opponent": "best"}, "there are race"),
        ({"player": 2}, "player: 2; csb has players 0 to 1"),
        ({"actions": np.zeros((2, 1, 1, 3), np.float32)}, "actions: shape"),
        ({"action_kind": "relative"}, "drawn actions are of the kind normalised"),
        ({"finals": 3}, "finals: 2 worlds are expected, not 3"),
    ],
)
def test_rollouts_that_are_refused(made: dict[str, object], text: str) -> None:
    if "finals" in made:
        made = {"finals": carom.Worlds("csb", 3)}
    with pytest.raises(ValueError, match=text):
        carom.rollout(carom.Worlds("csb", 2), **made)


def test_a_generation_of_the_cross_entropy_method() -> None:
    roots = carom.Worlds("csb", 3, seed=2)
    roots.play(30, players=["race", "race"])
    mean, sigma = np.zeros((3, 6, 4), np.float32), np.full((3, 6, 4), 0.5, np.float32)
    scores = []
    for generation in range(5):
        out = carom.rollout(
            roots, 200, 6, actions=carom.gaussian(mean, sigma), opponent="race", seed=generation, elites=20,
            elite_mean=mean, elite_sigma=sigma,
        )  # fmt: skip
        assert np.array_equal(out.elites[:, 0], out.best[:, 0])
        scores.append(np.take_along_axis(out.returns[:, :, 0], out.elites.astype(int), 1).mean())
    assert out.elite_mean is mean
    assert scores[-1] > scores[0] + 0.01
    assert (sigma < 0.5).any()


def test_what_else_rollouts_tell() -> None:
    roots = carom.Worlds("csb", 2, seed=2)
    out = carom.rollout(roots, 5, 7, actions=carom.uniform(-0.5, 0.5, hold=3), opponent="zero", rewards=True,
                        lengths=True, depths=[0, 7], final_weight=0, horizons=np.array([7, 4], np.uint32))  # fmt: skip
    assert out.lengths.tolist() == [[7] * 5, [4] * 5]
    assert np.allclose(out.rewards.sum(2), out.returns, atol=1e-6)
    assert np.array_equal(out.observations[:, 0, 0], roots.observe())
    actions = out.actions(0, np.zeros((2, 1), int))
    assert actions.shape == (2, 1, 3, 4)
    assert np.abs(actions).max() <= 0.5


@pytest.mark.parametrize("game", ["csb", "soccer", "fantastic_bits"])
def test_kinds_in_rollouts_and_leaves(game: str) -> None:
    k, horizon, some = 3, 6, [1, 2]
    made = {"observation": "ego", "observed": some, "reward": "own"}
    roots = carom.Worlds(game, 2, seed=2)
    out = carom.rollout(roots, k, horizon, final_weight=0, rewards=True, depths=np.array([0, 4, horizon]), **made)
    steps = carom.Worlds(game, 2 * k, seed=2, **made)
    for root in range(2):
        steps.fork_from(roots, root, first=k * root, count=k)
    each = np.arange(k)[None].repeat(2, 0)
    actions = np.stack([out.actions(p, each) for p in range(2)], 3)  # [root, k, tick, player, number]
    assert out.observations is not None
    assert out.rewards is not None
    assert np.array_equal(out.observations[:, :, 0].reshape(2 * k, 2, -1), steps.observe())
    returns = np.zeros((2 * k, 2))
    for tick in range(horizon):
        steps.step(actions[:, :, tick].reshape(2 * k, *actions.shape[3:]))
        assert np.array_equal(out.rewards[:, :, tick].reshape(steps.rewards.shape), steps.rewards)
        returns += steps.rewards.astype(float).reshape(2 * k, 2, -1).sum(2)
        if tick + 1 in (4, horizon):
            seen = out.observations[:, :, 1 if tick == 3 else 2]
            assert np.array_equal(seen.reshape(2 * k, 2, -1), steps.observations)
    assert np.allclose(out.returns.reshape(2 * k, 2), returns, atol=1e-12)
    with pytest.raises(ValueError, match="observation of"):
        carom.rollout(roots, observation="mine")

    def value(leaves: np.ndarray) -> np.ndarray:
        assert leaves.shape[1:] == steps.observations.shape[1:]
        worth = leaves.astype(float).sum((1, 2))
        return np.stack([worth, -worth], 1)

    search = carom.Search(roots, horizon=3, rollouts=64, sequences=32, value=value, **made)
    search.run(roots)
    plan, played = search.plan(), carom.Worlds(game, 2, seed=2, **made)
    sums = np.zeros(2)
    for tick in range(3):
        played.step(np.stack([plan[:, tick], np.zeros_like(plan[:, tick])], 1))
        sums += played.rewards.astype(float).reshape(2, 2, -1)[:, 0].sum(1)
    assert np.allclose(search.returns(), sums + value(played.observations)[:, 0], atol=1e-9)


@pytest.mark.parametrize("planner", ["shooting", "cem", "genetic", "mppi"])
def test_planners(planner: str) -> None:
    roots = carom.Worlds("csb", 2, seed=2, players=[None, "race"])
    roots.play(20, players=["race", "race"])
    search = carom.Search(roots, planner=planner, rollouts=300, sequences=100, opponent="race")
    first = search.run(roots)
    assert first.shape == (2, 4)
    again = carom.Search(roots, planner=planner, rollouts=300, sequences=100, opponent="race")
    assert np.array_equal(again.run(roots), first)
    report = search.report()
    assert report.rollouts == 600
    assert len(report.generations) >= 3
    assert np.array_equal(search.plan()[:, 0], first)
    before = search.returns()
    roots.step(first[:, None])
    search.run(roots)
    assert np.isfinite(before).all()
    search.set_plan(np.zeros((2, 6, 4), np.float32))
    assert not search.plan().any()
    search.run(roots)
    assert search.plan().any()
    search.set_plan(None)
    assert not search.plan().any()


def test_whole_numbers_of_a_search_are_checked() -> None:
    roots = carom.Worlds("csb")
    for name in ("elites", "other_rounds", "cut_after"):
        for wrong in (1.5, -1):
            with pytest.raises(ValueError, match=f"{name}: {wrong}; a whole number from 0"):
                carom.Search(roots, **{name: wrong})


def test_a_budget_can_be_changed() -> None:
    roots = carom.Worlds("csb", 4, seed=5)
    search, other = (carom.Search(roots, rollouts=n, sequences=32, seed=2) for n in (64, 256))
    search.set_budget(rollouts=256)
    assert np.array_equal(search.run(roots), other.run(roots))
    assert search.report().rollouts == 4 * 256
    search.set_budget(milliseconds=5)
    search.run(roots)
    assert search.report().seconds < 2  # in milliseconds, were it not for other programs
    search.set_budget(rollouts=64)
    search.run(roots)
    assert search.report().rollouts == 4 * 64
    for budget in ({}, {"rollouts": 64, "milliseconds": 1.0}, {"rollouts": 0}, {"rollouts": -1}, {"milliseconds": 0.0},
                   {"milliseconds": float("nan")}, {"rollouts": 1.5}):  # fmt: skip
        with pytest.raises(ValueError):  # noqa: PT011 - each has its own text
            search.set_budget(**budget)
    search.run(roots)
    assert search.report().rollouts == 4 * 64  # the old one stays


def test_several_opponents() -> None:
    roots = carom.Worlds("csb", 2, seed=2)
    roots.play(20, players=["race", "race"])

    def found(**how: object) -> tuple[np.ndarray, np.ndarray, carom.Search]:
        search = carom.Search(roots, rollouts=320, sequences=40, **how)
        search.run(roots)
        return search.plan(), search.returns(), search

    one, two = found(opponent=["race"]), found(opponent=["race", "search"], against="mean")
    assert np.array_equal(one[0], found(opponent="race")[0])
    assert two[2].report().rollouts == 640
    assert np.abs(two[2].plan(1)).max() > 0
    rounds = found(opponent="fictitious", against="mean", other_rounds=2, planner="shooting")
    assert [g.rollouts for g in rounds[2].report().generations if g.player == 0] == [160, 80, 240]
    worst, mean = (found(opponent=["race", "zero"], against=a, planner="shooting") for a in ("worst", "mean"))
    assert (worst[1] <= mean[1]).all()
    assert (worst[1] < mean[1]).any()


def test_cut() -> None:
    roots = carom.Worlds("csb", 2, seed=2)
    seen: list[int] = []

    def value(observations: np.ndarray) -> np.ndarray:
        seen.append(len(observations))
        return np.stack([observations[:, 0, 0], -observations[:, 0, 0]], 1)

    search = carom.Search(roots, rollouts=300, sequences=64, value=value, cut_after=2, cut_keep=0.25)
    search.run(roots)
    report = search.report()
    assert seen[:4] == [128, 32, 128, 32]
    assert report.rollouts > 2 * 300
    assert report.cut == sum(generation.cut for generation in report.generations) > report.rollouts / 2


def test_a_value_of_ones_own() -> None:
    roots = carom.Worlds("csb", 2, seed=2)
    seen: list[tuple[int, ...]] = []

    def value(observations: np.ndarray) -> np.ndarray:
        seen.append(observations.shape)
        return np.stack([observations[:, 0, 0], -observations[:, 0, 0]], 1)  # to the right

    search = carom.Search(roots, rollouts=300, reward_weight=0, value=value, horizon=10)
    found = search.run(roots)
    assert seen[0][1:] == (2, 55)
    assert (search.returns() > roots.observe()[:, 0, 0]).all()

    again = carom.Search(roots, rollouts=300, reward_weight=0, horizon=10)  # the same in steps
    again.begin(roots)
    while len(leaves := again.leaves()):
        with pytest.raises(ValueError, match="shape"):
            again.values(np.zeros((1, 2)))
        again.values(value(leaves))
    assert np.array_equal(again.actions(), found)
    assert not np.array_equal(again.run(roots), found)  # by the game's own value
    with pytest.raises(ValueError, match="out of range"):
        again.leaves()


def test_final_values() -> None:
    kinds = {kind.name: kind.weights for kind in carom.games["csb"].value_kinds}
    assert list(kinds) == ["game", "race", "block", "both", "duel"]
    assert kinds["game"] == {}
    assert kinds["both"]["rival_progress"] < 0 < kinds["both"]["progress"]
    roots = carom.Worlds("csb", 3, seed=2)
    roots.play(20, players=["race", "race"])

    def worth(**made: Any) -> np.ndarray:
        return carom.rollout(roots, k=4, horizon=2, opponent="race", reward_weight=0, **made).returns

    none = dict.fromkeys(kinds["both"], 0.0)
    assert not worth(value="both", weights=none).any()
    assert np.array_equal(worth(value="both", weights=list(kinds["block"].values())), worth(value="block"))
    lead = worth(value="both", weights=none | {"progress": 1, "rival_progress": -1})
    assert np.allclose(lead, worth(), atol=1e-12)
    assert not np.allclose(worth(value="race"), worth())
    search = {
        name: carom.Search(roots, rollouts=200, reward_weight=0, opponent="race", **made).run(roots)
        for name, made in {
            "none": {"value": "block", "weights": none},
            "by name": {"value": "block", "weights": kinds["race"]},
            "race": {"value": "race"},
        }.items()
    }  # fmt: skip
    assert np.array_equal(search["by name"], search["race"])
    assert not np.array_equal(search["none"], search["race"])


@pytest.mark.parametrize(
    ("made", "text"),
    [
        ({"planner": "luck"}, "there are shooting, cem, genetic, mppi"),
        ({"opponent": "best"}, "'best' is unknown"),
        ({"temper": 1}, "search: 'temper' is unknown"),
        ({"rollouts": 0}, "rollouts: 0"),
        ({"player": 3}, "player: 3"),
        ({"opponent": ["race", "best"]}, "'best' is unknown"),
        ({"opponent": []}, "opponent: none"),
        ({"against": "all"}, "there are worst, mean"),
        ({"opponent": ["race", "zero"], "rollouts": 7}, "out of range"),
        ({"cut_after": 6}, "out of range"),
        ({"low": 1, "high": 0}, "does not allow"),
        ({"value": "luck"}, "there are game, race, block, both"),
        ({"value": "race", "weights": {"luck": 1}}, "feature of race: 'luck' is unknown"),
        ({"value": "race", "weights": [1, 2]}, "race has 11 features"),
        ({"value": "race", "weights": [np.nan] * 11}, "does not allow"),
        ({"value": lambda seen: seen[:, :, 0], "weights": [1] * 11}, "by name"),
    ],
)
def test_searches_that_are_refused(made: dict[str, object], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        carom.Search(carom.Worlds("csb"), **made)


# ---- times of impact ----


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_circles(dtype: type) -> None:
    p, v = np.array([[3, 0], [3, 0], [0, 3]], dtype), np.array([[-1, 0], [1, 0], [0, -2]], dtype)
    for variant in toi.variants():
        if variant.name not in ("normalised", "backward"):
            t = toi.circles(p, v, 1.0, solver=variant.name)
            assert t.dtype == dtype
            assert np.allclose(t, [2, np.inf, 1]), variant.name
    out = np.zeros(3, dtype)
    assert toi.circles((p[:, 0], p[:, 1]), (v[:, 0], v[:, 1]), 1.0, out=out) is out
    assert out.tolist() == [2, math.inf, 1]
    found = toi.contacts(p, v, 1.0)
    assert found.exit[0] == 4
    assert found.nx.tolist() == [1, 0, 0]
    assert found.ny.tolist() == [0, 0, 1]
    assert toi.within(p, v, 1.0, 1.5).tolist() == [False, False, True]
    assert toi.contacts(p, v, 1.0, also=("entry",)).exit is None


def test_bodies() -> None:
    p, v = np.array([[0.0, 0], [4, 0], [0, 9]]), np.array([[1.0, 0], [0, 0], [0, -1]])
    assert toi.indexed(p, v, 1.0, [0, 0], [1, 2]).t.tolist() == [2, math.inf]
    assert toi.one(p[0], v[0], 1.0, p, v, 1.0).t.tolist() == [math.inf, 2, math.inf]
    t, index = toi.first(p, v, 1.0, p, v, 1.0)
    assert index.tolist() == [1, 0, -1]
    assert t.tolist() == [2, 2, math.inf]


def test_walls() -> None:
    p, v = np.array([[0.0, 3]]), np.array([[0.0, -1]])
    low, high = np.array([[-1.0, -1]]), np.array([[1.0, 0]])
    assert toi.line(p, v, 1.0, (-5, 0), (5, 0)).t.tolist() == [2]
    assert toi.segment(p, v, 1.0, (0.5, 0), (5, 0)).feature.tolist() == [1]
    assert toi.point(p, v, 1.0, (0, 0)).t.tolist() == [2]
    hit = toi.box(p, v, 1.0, low, high)
    assert (hit.t[0], hit.ny[0], hit.feature[0]) == (2, 1, 3)
    assert toi.polygon(p, v, 1.0, [[-1, -1], [1, -1], [1, 0], [-1, 0]]).feature.tolist() == [2]
    assert toi.line(p, v, 1.0, (-5, 0), (5, 0), limit=1.5).t.tolist() == [math.inf]


def test_accelerated() -> None:
    p, v, a = np.array([[0.0, 3]]), np.zeros((1, 2)), np.array([[0.0, -1]])
    assert np.allclose(toi.accelerated(p, v, a, 1.0), 2)
    roots, count = toi.accelerated_roots(p, v, a, 1.0)
    assert count.tolist() == [4]
    assert np.allclose(roots[:, 0], [-math.sqrt(8), -2, 2, math.sqrt(8)])
    assert np.allclose(toi.accelerated_line_roots(p, v, a, 1.0, (-1, 0), (1, 0))[0][2], 2)
    assert np.allclose(toi.accelerated_point(p, v, a, 1.0, (0, 0)).t, 2)
    assert np.allclose(toi.accelerated_segment(p, v, a, 1.0, (-1, 0), (1, 0)).t, 2)
    assert np.allclose(toi.accelerated_box(p, v, a, 1.0, (-1, -1), (1, 0)).t, 2)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: toi.circles(np.zeros((2, 2)), np.zeros((3, 2)), 1), ValueError, "arrays of one length"),
        (lambda: toi.circles(np.zeros((2, 2), "f4"), np.zeros((2, 2)), 1), TypeError, "arrays of one type"),
        (lambda: toi.circles(np.zeros((2, 3)), np.zeros((2, 2)), 1), ValueError, r"shape \(n, 2\)"),
        (lambda: toi.circles((0, 0), (1, 1), 1, solver="best"), ValueError, "there are fast, pow"),
        (lambda: toi.within((0, 0), (1, 1), 1, -1), ValueError, "limit: -1"),
        (lambda: toi.line((0, 0), (1, 1), 1, (0, 0), (1, 1), limit=np.nan), ValueError, "limit: nan"),
        (lambda: toi.indexed(np.zeros((2, 2)), np.zeros((2, 2)), 1, [0], [2]), IndexError, "j: a body"),
        (lambda: toi.circles((0, 0), (1, 1), 1, out=np.zeros(2)), ValueError, "out: shape"),
        (lambda: toi.accelerated((0, 0), (0, 0), (1, 1), 1, solver="x"), ValueError, "bracketed, ferrari"),
    ],
)
def test_calls_that_are_refused(call: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_lidar_by_name() -> None:
    bodies = [carom.Body(x=0, acts=True, vy=1), carom.Body(x=5, category=4, vx=2), {"y": -4, "category": 8}]
    walls = [carom.Wall((-3, -9), (-3, 9))]
    lidar = carom.Lidar(4, 10, tells=12)
    scene = carom.Scene(bodies, walls, lidar=lidar)
    numbers = scene.game.observations["lidar"]
    assert [number.name for number in numbers][:8] == [
        "ray 0.distance", "ray 0.body", "ray 0.wall", "ray 0.category 2", "ray 0.category 3", "ray 0.away",
        "ray 0.aside", "ray 1.distance",
    ]  # fmt: skip
    assert all(np.isfinite(number.scale) and number.scale > 0 for number in numbers)
    for given in (scene, carom.Scene.from_json(scene.to_json()), pickle.loads(pickle.dumps(scene))):
        seen = given.worlds(1, observation="lidar").observe().reshape(4, 7)
        assert np.allclose(seen[0], [0.4, 1, 0, 1, 0, 2, -1])
        assert np.allclose(seen[1], [1, 0, 0, 0, 0, 0, 0])
        assert np.allclose(seen[2], [0.3, 0, 1, 0, 0, 0, 1], atol=1e-6)
        assert np.allclose(seen[3], [0.3, 1, 0, 0, 1, 1, 0], atol=1e-6)
    assert "lidar" not in carom.Scene(bodies).game.observations
    blind = carom.Scene(bodies, walls, lidar={"rays": 4, "range": 10, "mask": 4})
    assert blind.worlds(1, observation="lidar").observe().reshape(4, 5)[3, 0] == 1
    for bad, words in (
        ({"rays": 4}, "range 0"),
        ({"rays": 4, "reach": 1}, "lidar: key: 'reach'"),
        ({"rays": 0.5}, "rays"),
    ):
        with pytest.raises(ValueError, match=words):
            carom.Scene(bodies, lidar=bad)


def test_arcs() -> None:
    ball = carom.Body(vx=1)
    scene = carom.Scene([ball], arcs=[carom.Arc((5, 0), 2)], dt=3)
    worlds = scene.worlds(1)
    impacts = worlds.play(events=4).impacts()
    assert len(impacts) == 1
    assert np.allclose([impacts[0][name] for name in ("left", "x", "y", "nx", "ny")], [1 / 3, 3, 0, -1, 0])
    assert (impacts["second"][0], impacts["part"][0]) == (0, 0)
    assert (worlds["x"][0, 0], worlds["vx"][0, 0]) == (1, -1)
    for given in (
        carom.Scene.from_json(scene.to_json()),
        pickle.loads(pickle.dumps(scene)),
        copy.deepcopy(scene),
        carom.Scene(scene.bodies, arcs=scene.arcs, dt=3),
        carom.Scene([ball], arcs=[{"at": (5, 0), "radius": 2}], dt=3),
    ):
        again = given.worlds(1)
        again.play()
        assert again.digest() == worlds.digest()
        assert given.arcs.tolist() == scene.arcs.tolist()


def test_parts_of_arcs() -> None:
    """The right half of a circle, and its sides: each impact of a ball of radius 1 that comes from the left."""

    def met(**given: Any) -> list[tuple[float, int]]:
        half = carom.Arc((5, 0), 4, a=(5, -9), b=(5, 9), **given)  # counterclockwise, from below
        impacts = carom.Scene([carom.Body(vx=1)], arcs=[half], dt=10).worlds(1).play(events=4).impacts()
        return [(round(10 * (1 - float(hit["left"])), 6), int(hit["part"])) for hit in impacts]

    assert met() == met(sides="within") == [(8, 3)]  # the left half is missing
    assert met(sides="without") == []
    assert met(mask=2) == []
    assert met(sensor=True)[0] == (8, 3)
    quarter = carom.Arc((0, 0), 3, a=(3, 0), b=(0, 3))
    scene = carom.Scene([carom.Body(x=9, y=-0.5, vx=-1)], arcs=[quarter], dt=10)
    assert scene.worlds(1).play(events=4).impacts()["part"].tolist() == [1]  # its end


def test_a_reward_for_an_arc() -> None:
    arcs = [carom.Arc((50, 0), 2), carom.Arc((5, 0), 2)]
    for which, reward in ((0, 0), (1, 7)):
        rule = carom.Rule("meets_arc", which=which, reward=7)
        worlds = carom.Scene([carom.Body(vx=1, acts=True)], arcs=arcs, dt=3, rules=[rule]).worlds(1)
        assert worlds.play(rewards=True).rewards.ravel().tolist() == [reward]


@pytest.mark.parametrize(
    ("bad", "error", "text"),
    [
        ([{"at": (5, 0), "radius": -1}], ValueError, "arc 0: radius -1 is not positive"),
        ([{"at": (5, 0), "radius": 1, "sides": "left"}], ValueError, r"arcs\[0\].sides: 'left' is unknown"),
        ([carom.Arc((5, 0), 1), {"turns": 1}], ValueError, r"arcs\[1\]: key: 'turns' is unknown"),
        ([{"at": 5, "radius": 1}], ValueError, r"arcs\[0\].at: \[x, y\]"),
        (np.zeros(2), TypeError, "records of carom.ARC"),
    ],
)
def test_arcs_that_are_refused(bad: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        carom.Scene([carom.Body()], arcs=bad)
