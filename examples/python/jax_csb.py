#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Learns Coders Strike Back with PPO in JAX, in the manner of PureJaxRL: games and learning are one compiled loop.

    pip install '.[jax,gymnasium]'
    python examples/python/jax_csb.py                                          4 minutes of one core against `race`
    python examples/python/jax_csb.py --minutes 0.5 --opponent random
"""

from __future__ import annotations

import functools
import os
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # one core

import jax
import jax.numpy as jnp
import match
import numpy as np

import carom.jax
from carom.mirror import Mirror

WORLDS, TICKS, BATCH, UPDATES = 512, 32, 4096, 8
MIRROR = Mirror("csb")
MADE = {name: value for name, value in match.CSB.items() if name != "mirrored"} | {"action_kind": MIRROR.action_kind}


def net(layers, x):
    for weights, bias in layers[:-1]:
        x = jnp.tanh(x @ weights + bias)
    return x @ layers[-1][0] + layers[-1][1]


def layers(key, *sizes, gain):
    keys, gains = jax.random.split(key, len(sizes) - 1), [2**0.5] * (len(sizes) - 2) + [gain]
    shapes = zip(keys, gains, sizes, sizes[1:], strict=False)
    return [(jax.nn.initializers.orthogonal(g)(k, (a, b)), jnp.zeros(b)) for k, g, a, b in shapes]


def chances(net_of, seen, actions):
    spread = net_of["log_spread"]
    return (-((actions - net(net_of["act"], seen)) ** 2) / (2 * jnp.exp(2 * spread)) - spread).sum(-1)


def loss(net_of, part):
    seen, actions, before, gain, target = part
    ratio, gain = jnp.exp(chances(net_of, seen, actions) - before), (gain - gain.mean()) / (gain.std() + 1e-8)
    act = -jnp.minimum(ratio * gain, jnp.clip(ratio, 0.8, 1.2) * gain).mean()
    return act + 0.5 * ((net(net_of["value"], seen)[..., 0] - target) ** 2).mean() - 0.005 * net_of["log_spread"].sum()


def adam(learner, part, rate):
    net_of, first, second, count = learner
    slope = jax.grad(loss)(net_of, part)
    size = jnp.sqrt(sum((g**2).sum() for g in jax.tree.leaves(slope)))
    slope = jax.tree.map(lambda g: g * jnp.minimum(1, 0.5 / size), slope)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, slope)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, slope)
    count += 1
    pace = rate * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    net_of = jax.tree.map(lambda p, m, v: p - pace * m / (jnp.sqrt(v) + 1e-5), net_of, first, second)
    return (net_of, first, second, count), None


@functools.partial(jax.jit, static_argnums=0)
def train(env, runner, rate):
    """Some updates: each plays TICKS steps of all worlds, then goes over them twice."""

    def tick(carry, key):
        net_of, state, seen = carry
        view = MIRROR.see(seen, jnp)
        said = net(net_of["act"], view)
        said += jnp.exp(net_of["log_spread"]) * jax.random.normal(key, said.shape)
        found = env.step(state, MIRROR.act(seen, said, jnp))
        over = (found.ends > 0)[:, None]
        kept = (view, said, chances(net_of, view, said), net(net_of["value"], view)[..., 0], found.rewards, over)
        return (net_of, found.state, found.observations), kept

    def back(carry, step):
        ahead, after = carry
        value, reward, over = step
        ahead = reward + 0.98 * ~over * (after + 0.95 * ahead) - value
        return (ahead, value), ahead

    def update(runner, _):
        learner, state, seen, key = runner
        key, *keys = jax.random.split(key, TICKS + 3)
        (_, state, seen), steps = jax.lax.scan(tick, (learner[0], state, seen), jnp.stack(keys[2:]))
        view, said, chance, value, reward, over = steps
        last = net(learner[0]["value"], MIRROR.see(seen, jnp))[..., 0]
        _, gain = jax.lax.scan(back, (jnp.zeros_like(last), last), (value, reward, over), reverse=True)
        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[3:]), (view, said, chance, gain, gain + value))
        for order in keys[:2]:
            mixed = jax.random.permutation(order, len(flat[2])).reshape(-1, BATCH)
            learner, _ = jax.lax.scan(lambda l, rows: adam(l, jax.tree.map(lambda x: x[rows], flat), rate), learner, mixed)
        return (learner, state, seen, key), None

    return jax.lax.scan(update, runner, length=UPDATES)[0]


def main() -> None:
    """Learns, then plays the games that are printed."""
    args = match.arguments(__doc__, minutes=4)
    start, steps = time.process_time(), 0
    env = carom.jax.Env("csb", opponent=args.opponent, **MADE)
    key, *keys = jax.random.split(jax.random.key(args.seed), 4)
    net_of = {"act": layers(keys[0], len(MIRROR.names), 64, 64, 3, gain=0.01), "log_spread": jnp.full(3, -0.5),
              "value": layers(keys[1], len(MIRROR.names), 64, 64, 1, gain=1.0)}
    zeros = jax.tree.map(jnp.zeros_like, net_of)
    runner = (net_of, zeros, zeros, 0), *env.reset(jax.random.split(keys[2], WORLDS)), key
    while (left := 1 - (time.process_time() - start) / (60 * args.minutes)) > 0:
        runner = jax.block_until_ready(train(env, runner, 1e-3 * max(left, 0.05)))
        steps += UPDATES * TICKS * WORLDS * env.rows
    act = jax.jit(functools.partial(net, runner[0][0]["act"]))
    match.report(args, start, steps, lambda seen: np.asarray(act(seen)))


if __name__ == "__main__":
    main()
