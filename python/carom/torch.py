# SPDX-License-Identifier: MIT
"""PyTorch: worlds as a vector environment of tensors, on a GPU or the CPU.

    import carom.torch

    env = carom.torch.Env("csb", 65536, device="cuda", opponent="race", per="body", observation="ego", precision="f32")
    seen, _ = env.reset(seed=1)
    while True:
        seen, reward, terminated, truncated, info = env.step(policy(seen))

On a GPU there is no synchronisation and no transfer: a step is queued on PyTorch's current stream, and you can capture
it together with the policy in one `torch.cuda.graph`. `RslRl(env)` and `skrl(env)` are environments for those
libraries.
"""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import torch

from ._arrays import whole
from ._device import DeviceArray
from ._options import Tensored
from ._rows import Rows

if TYPE_CHECKING:
    from ._games import Game
    from ._scene import Scene
    from ._structs import Array
    from .mirror import Mirror

Tensor = torch.Tensor


def tensor(array: Any) -> Tensor:
    """An array of a batch as a tensor that shares its memory. Unsigned 32-bit numbers are viewed as signed ones."""
    if isinstance(array, DeviceArray):
        kind = np.dtype(np.int32) if array.dtype == np.uint32 else array.dtype
        array = DeviceArray(array._place, array._memory, array.shape, kind, array.strides)
        return torch.from_dlpack(array)  # type: ignore[attr-defined]
    return torch.from_numpy(array.view(np.int32) if array.dtype == np.uint32 else array)


class Env:
    """Worlds as a vector environment of tensors; a row is an environment.

    Args:
        game, opponent, players, per, seat, observation, normalised, mirrored, reward: as for
            `carom.gymnasium.VectorEnv`.
        num_envs: the number of rows: worlds times rows a world.
        device: "cpu", "cuda" or "cuda:1".
        copy: False: observations and rewards may share the batch's memory, which the next step overwrites. Faster,
            particularly in CUDA graphs.
        made: keywords of `carom.Worlds`, including the game's options.

    A world whose game ends starts the next one in the same step. `info` of a step holds, for all rows:

        final_observations   [row, number]: for games that ended in this step, their last observations
        result               {winner, score, r, l, fault}, [row]: of each row's last finished game, as in
                             `carom.gymnasium`; winner is -1 before

    Attributes:
        num_envs, num_obs, num_actions: rows, and the numbers that a row sees and acts with.
        device: a torch.device.
        worlds: the batch.
        observation_low, observation_high: [number], NumPy; action_bound: of each number of an action, may be infinite.
        max_episode_length: steps of the longest game, where the game has such a limit; else 0.

    """

    def __init__(
        self,
        game: str | os.PathLike[str] | Game | Scene,
        num_envs: int = 1,
        *,
        device: Any = "cpu",
        copy: bool = True,
        seed: int = 0,
        **made: Unpack[Tensored],
    ) -> None:
        self._rows = rows = Rows(game, worlds=1, at_end="reset", **made)
        if num_envs < 1 or num_envs % rows.per_world:
            raise ValueError(f"num_envs: {num_envs}; a multiple of {rows.per_world} is expected, the rows of a world")
        self.worlds = rows.worlds._like(num_envs // rows.per_world, device=device, seed=whole("seed", seed))
        self.worlds.bind(results=True)
        self.device = torch.device(self.worlds.device)
        self.num_envs, self.num_obs, self.num_actions = num_envs, rows.observation_size, rows.action_size
        self.observation_low, self.observation_high = rows.low, rows.high
        self.action_bound = rows.action_bound
        self.max_episode_length = _longest(rows) // rows.worlds._repeat
        self.copy = copy
        self._mirror = None if rows._mirror is None else _mirror(rows._mirror, self.device)
        self._scale = None if rows.scale is None else torch.from_numpy(rows.scale).to(self.device)
        self._arrays = {
            name: tensor(getattr(self.worlds, name))
            for name in ("actions", "observations", "last_observations", "rewards", "ends")
        }
        results: Any = self.worlds.results
        self._results = {name: tensor(results[name]) for name in ("winner", "ticks", "score", "fault", "returns")}

    # ---- playing ----

    def reset(self, *, seed: int | None = None) -> tuple[Tensor, dict[str, Any]]:
        """Starts new games in all rows. With a seed they are those of `carom.gymnasium.VectorEnv`."""
        if seed is None:
            self.worlds.restart()
        else:
            first = np.arange(0, self.num_envs, self._rows.per_world, dtype=np.uint64)
            self.worlds.restart(ids=0, seeds=first + np.uint64(whole("seed", seed)))
        self.worlds.observe()
        return self.observations(), {}

    def reset_rows(self, mask: Tensor) -> Tensor:
        """Starts new games where the mask [row], bool, is True; rows of a world are reset together. Returns all
        observations.
        """
        chosen = mask.reshape(len(self.worlds), -1)[:, 0].to(torch.uint8).contiguous()
        self.worlds.restart(chosen.numpy() if self.device.type == "cpu" else chosen)
        self.worlds.observe()
        return self.observations()

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, dict[str, Any]]:
        """One step: (observations [row, number], rewards [row], terminated [row], truncated [row], info)."""
        self._act(actions)
        self.worlds.step()
        ends = self._spread(self._arrays["ends"])
        info = {"final_observations": self.observations("last_observations"), "result": self.results()}
        return self.observations(), self.rewards(), ends == 1, ends == 2, info

    def _act(self, actions: Tensor) -> None:
        if tuple(actions.shape) != (self.num_envs, self.num_actions):
            expected = (self.num_envs, self.num_actions)
            raise ValueError(f"actions: shape {expected} is expected, not {tuple(actions.shape)}")
        if self._mirror is not None:
            actions = self._mirror.act(self._seen("observations"), actions, torch)
        target, rows = self._arrays["actions"], self._rows
        if rows.per == "player":
            target.copy_(actions.reshape(target.shape))
        else:
            _, sides, most, size = rows.split
            split = target.view(len(self.worlds), sides, most, size)
            split[:, :, : rows.bodies].copy_(actions.reshape(len(self.worlds), sides, rows.bodies, size))

    # ---- results of a step ----

    def observations(self, name: str = "observations") -> Tensor:
        """Observations [row, number], float32."""
        seen = self._seen(name)
        if self._mirror is not None:
            return self._mirror.see(seen, torch)  # type: ignore[no-any-return]
        if self._scale is not None:
            return (seen / self._scale).clip_(-1, 1)
        return seen.clone() if self.copy else seen

    def _seen(self, name: str) -> Tensor:
        rows, array = self._rows, self._arrays[name]
        size = array.shape[-1] if self._mirror is not None else self.num_obs
        seen = array.reshape(-1, size)
        return seen if len(seen) == self.num_envs else seen.repeat_interleave(rows.per_player, dim=0)

    def rewards(self) -> Tensor:
        """Rewards [row], float32."""
        rows, worlds = self._rows, len(self.worlds)
        found = self._arrays["rewards"].view(worlds, -1, rows._gained)[:, rows.sides]
        if rows.per == "player":
            gained = found.sum(2).reshape(-1)
        elif rows._gained == 1:
            gained = found.reshape(-1).repeat_interleave(rows.per_player)
        else:
            gained = found[:, :, : rows.bodies].reshape(-1)
        return gained.clone() if self.copy and rows.per == "body" else gained

    def results(self) -> dict[str, Tensor]:
        """The result of each row's last finished game: winner, score, r (the return of its player), l (ticks),
        fault.
        """
        sides, per_player = self._rows.sides, self._rows.per_player

        def of_player(name: str) -> Tensor:
            found = self._results[name][:, sides].reshape(-1)
            return found.clone() if per_player == 1 else found.repeat_interleave(per_player)

        return {
            "winner": self._spread(self._results["winner"]),
            "score": of_player("score"),
            "r": of_player("returns"),
            "l": self._spread(self._results["ticks"]),
            "fault": self._spread(self._results["fault"]),
        }

    def _spread(self, per_world: Tensor) -> Tensor:
        rows = self._rows.per_world
        return per_world.clone() if rows == 1 else per_world.repeat_interleave(rows)

    def close(self) -> None:
        """Closes the batch."""
        self._arrays = self._results = {}
        self.worlds.close()


class RslRl:
    """An `Env` as rsl_rl's `VecEnv` (3.0 and later): `OnPolicyRunner(carom.torch.RslRl(env), ...)`.

    Observations are one group, "policy". `extras["time_outs"]` marks games that ended by their limit.
    """

    def __init__(self, env: Env, cfg: Any = None) -> None:
        self.env = env
        self.cfg = {} if cfg is None else cfg
        self.num_envs, self.num_actions, self.device = env.num_envs, env.num_actions, str(env.device)
        self.max_episode_length = env.max_episode_length
        self.episode_length_buf = torch.zeros(env.num_envs, dtype=torch.long, device=env.device)
        env.reset()

    @property
    def unwrapped(self) -> Env:
        """The `Env`."""
        return self.env

    def _group(self, seen: Tensor) -> Any:
        from tensordict import TensorDict

        return TensorDict({"policy": seen}, batch_size=[self.num_envs])

    def get_observations(self) -> Any:
        """A TensorDict of the current observations."""
        return self._group(self.env.observations())

    def reset(self) -> tuple[Any, dict[str, Any]]:
        """New games of all rows."""
        seen, info = self.env.reset()
        self.episode_length_buf.zero_()
        return self._group(seen), info

    def step(self, actions: Tensor) -> tuple[Any, Tensor, Tensor, dict[str, Any]]:
        """(observations, rewards [row], dones [row], extras)."""
        seen, rewards, terminated, truncated, info = self.env.step(actions)
        done = terminated | truncated
        self.episode_length_buf += 1
        self.episode_length_buf *= ~done
        return self._group(seen), rewards, done.long(), {"time_outs": truncated, **info}

    def close(self) -> None:
        """Closes the batch."""
        self.env.close()


def skrl(env: Env) -> Any:
    """An `Env` as an environment of skrl, for its agents and trainers; needs skrl and gymnasium."""
    import gymnasium
    from skrl.envs.wrappers.torch import Wrapper

    space = gymnasium.spaces.Box(env.observation_low, env.observation_high, dtype=np.float32)
    bound = np.float32(env.action_bound)

    class Skrl(Wrapper):
        """Rewards and ends are [row, 1] in skrl."""

        observation_space = property(lambda self: space)
        action_space = property(lambda self: gymnasium.spaces.Box(-bound, bound, (env.num_actions,), np.float32))
        num_envs = property(lambda self: env.num_envs)
        num_agents = property(lambda self: 1)
        device = property(lambda self: env.device)

        def __init__(self) -> None:
            self._env = self._unwrapped = env

        def reset(self) -> tuple[Tensor, Any]:
            return env.reset()

        def step(self, actions: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Any]:
            seen, rewards, terminated, truncated, info = env.step(actions)
            return seen, rewards.unsqueeze(-1), terminated.unsqueeze(-1), truncated.unsqueeze(-1), info

        def state(self) -> None:
            return None

        def render(self, *args: Any, **kwargs: Any) -> Array:
            return env.worlds.rgb_array()

        def close(self) -> None:
            env.close()

    return Skrl()


def _mirror(mirror: Mirror, device: torch.device) -> Mirror:
    """A mirror whose numbers are tensors on the device."""
    found: Any = copy.copy(mirror)
    for name in ("kept", "weights", "image", "act_image"):
        setattr(found, name, torch.from_numpy(getattr(mirror, name)).to(device))
    return found  # type: ignore[no-any-return]


def _longest(rows: Rows) -> int:
    """Ticks of the longest possible game, by its options."""
    made: dict[str, Any] = rows.worlds._made
    options = rows.worlds.game.options
    for name in ("ticks", "last_tick"):
        if name in options:
            return int(made.get(name, options[name].default))
    return 0
