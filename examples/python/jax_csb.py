#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Learns Coders Strike Back by PPO in JAX, in the manner of PureJaxRL: games and learning are one compiled loop.

pip install '.[jax,gymnasium]'; python examples/python/jax_csb.py [--minutes 0.5 --opponent random]
"""

import functools
import os
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # one core
import jax
import jax.numpy as jnp
import match
import numpy as np
from jax.example_libraries import optimizers, stax

import carom.jax
from carom.mirror import Mirror

WORLDS, TICKS, BATCH, MIRROR = 512, 32, 4096, Mirror("csb")
HIDDEN = [stax.Dense(64, jax.nn.initializers.orthogonal(2**0.5)), stax.Tanh] * 2
INIT, NET = stax.serial(*HIDDEN, stax.Dense(4, jax.nn.initializers.orthogonal(0.01)))  # three actions, and a value


def loss(learnt, seen, actions, before, gain, target):
    said, spread, gain = NET(learnt[0], seen), learnt[1], jax.nn.standardize(gain)
    ratio = jnp.exp((-(((actions - said[:, :3]) / jnp.exp(spread)) ** 2) / 2 - spread).sum(-1) - before)
    lost = 0.5 * (said[:, 3] - target) ** 2 - jnp.minimum(ratio * gain, jnp.clip(ratio, 0.8, 1.2) * gain)
    return lost.mean() - 0.005 * spread.sum()


@functools.partial(jax.jit, static_argnums=0)
def train(env, key, rate, turns, adam, state, seen):  # a turn: plays TICKS steps of all worlds, then learns twice
    _, change, learnt_of = optimizers.adam(rate, eps=1e-5)

    def tick(carry, key):
        (net, spread), state, seen = carry
        view = MIRROR.see(seen, jnp)
        said, noise = NET(net, view), jax.random.normal(key, (*view.shape[:-1], 3))
        acts, chance = said[..., :3] + jnp.exp(spread) * noise, (-(noise**2) / 2 - spread).sum(-1)
        state, seen, _, rewards, ends, _ = env.step(state, MIRROR.act(seen, acts, jnp))
        return (carry[0], state, seen), (view, acts, chance, said[..., 3], rewards, ends[:, None] == 0)

    def back(carry, step):  # generalised advantage estimation
        (ahead, after), (value, reward, alive) = carry, step
        ahead = reward + 0.98 * alive * (after + 0.95 * ahead) - value
        return (ahead, value), ahead

    def update(carry, turn):
        (adam, state, seen), (noise, *orders) = carry, jax.random.split(jax.random.fold_in(key, turn), 3)
        now = learnt_of(adam), state, seen
        (learnt, state, seen), steps = jax.lax.scan(tick, now, jax.random.split(noise, TICKS))
        last = NET(learnt[0], MIRROR.see(seen, jnp))[..., 3]
        _, gain = jax.lax.scan(back, (last * 0, last), steps[3:], reverse=True)
        flat = [x.reshape(-1, *x.shape[3:]) for x in (*steps[:3], gain, gain + steps[3])]
        rows = jnp.concatenate([jax.random.permutation(order, gain.size) for order in orders]).reshape(-1, BATCH)

        def learn(adam, part):
            slope = jax.grad(loss)(learnt_of(adam), *(x[part[1]] for x in flat))
            return change(part[0], optimizers.clip_grads(slope, 0.5), adam), None

        return (jax.lax.scan(learn, adam, (turn * len(rows) + jnp.arange(len(rows)), rows))[0], state, seen), None

    return jax.lax.scan(update, (adam, state, seen), turns)[0]


if __name__ == "__main__":
    args, start, turns = match.arguments(__doc__, minutes=4), time.process_time(), np.arange(8)
    env = carom.jax.Env("csb", opponent=args.opponent, **match.EGO)
    key, first, worlds = jax.random.split(jax.random.key(args.seed), 3)
    init, _, learnt_of = optimizers.adam(0)
    learnt = INIT(first, (-1, len(MIRROR.names)))[1], jnp.full(3, -0.5)
    runner = init(learnt), *env.reset(jax.random.split(worlds, WORLDS))
    while (left := 1 - (time.process_time() - start) / (60 * args.minutes)) > 0:
        runner = jax.block_until_ready(train(env, key, 1e-3 * max(left, 0.05), turns, *runner))
        turns = turns + len(turns)
    steps, net = turns[0] * TICKS * WORLDS * env.rows, learnt_of(runner[0])[0]
    match.report(args, start, steps, lambda seen: np.asarray(NET(net, seen)[:, :3]))
