# SPDX-License-Identifier: MIT
"""TorchRL: worlds as a batched EnvBase.

import carom.torchrl

env = carom.torchrl.Env("csb", 1024, opponent="race", per="body", observation="ego", precision="f32")
steps = env.rollout(100, break_when_any_done=False)

`TensorEnv(..., device="cuda")` keeps worlds and tensors on a GPU.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Bounded, Composite, Unbounded
from torchrl.envs import EnvBase

from . import torch as tensors
from ._options import Tensored, Vectored
from .gymnasium import VectorEnv

# For a row whose game continues.
_NO_RESULT = {name: np.array([-1 if name == "winner" else 0]) for name in ("winner", "score", "l", "fault")}
_NO_RESULT["r"] = np.array([0.0])


class Env(EnvBase):
    """`carom.gymnasium.VectorEnv` with the same arguments; the batch size is [rows].

    Observations are `observation`, actions `action`: bounded by [-1, 1] for normalised kinds of action, else unbounded.
    Finished games wait for their reset, which TorchRL requests by the entry `_reset`; rows of one world are reset
    together. `result` is the result of a game that ended in the step: `winner` (a player, or -1), `score`, `r` (the
    return of the row's player), `l` (its ticks) and `fault`, as in `carom.gymnasium`; if none ended, winner is -1 and
    the others are 0.
    """

    def __init__(self, game: Any, num_envs: int = 1, **made: Unpack[Vectored]) -> None:
        super().__init__(device=torch.device("cpu"), batch_size=torch.Size([num_envs]))
        self.vector = VectorEnv(game, num_envs, autoreset_mode="disabled", copy=True, **made)
        self.worlds = self.vector.worlds
        seen: Any = self.vector.single_observation_space
        acts: Any = self.vector.single_action_space
        n = num_envs
        low, high = (torch.from_numpy(np.broadcast_to(b, (n, *seen.shape)).copy()) for b in (seen.low, seen.high))
        result = {name: Unbounded((n, 1), dtype=torch.from_numpy(none).dtype) for name, none in _NO_RESULT.items()}
        self.observation_spec = Composite(
            observation=Bounded(low, high, dtype=torch.float32), result=Composite(result, shape=(n,)), shape=(n,)
        )
        kind = torch.float32 if acts.dtype == np.float32 else torch.float64
        self.action_spec = (
            Bounded(acts.low.min().item(), acts.high.max().item(), (n, *acts.shape), dtype=kind)
            if acts.is_bounded()
            else Unbounded((n, *acts.shape), dtype=kind)
        )
        self.reward_spec = Unbounded((n, 1), dtype=torch.float32)
        flag = Binary(1, shape=(n, 1), dtype=torch.bool)
        self.done_spec = Composite(done=flag, terminated=flag.clone(), truncated=flag.clone(), shape=(n,))
        self._seed_next: int | None = None

    def _set_seed(self, seed: int | None) -> None:
        self._seed_next = seed

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        options = None
        if tensordict is not None and "_reset" in tensordict.keys():  # noqa: SIM118 - it is no mapping
            mask = tensordict["_reset"].view(self.batch_size[0]).numpy()
            if not mask.all():
                options = {"reset_mask": mask}
        seen, _ = self.vector.reset(seed=self._seed_next, options=options)
        self._seed_next = None
        false = torch.zeros(*self.batch_size, 1, dtype=torch.bool)
        return TensorDict(
            {"observation": torch.from_numpy(seen), "result": self._result({}), "done": false,
             "terminated": false.clone(), "truncated": false.clone()}, batch_size=self.batch_size,
        )  # fmt: skip

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        seen, rewards, terminated, truncated, info = self.vector.step(tensordict["action"].detach().numpy())
        ended, stopped = torch.from_numpy(terminated).unsqueeze(-1), torch.from_numpy(truncated).unsqueeze(-1)
        return TensorDict(
            {"observation": torch.from_numpy(seen), "result": self._result(info),
             "reward": torch.from_numpy(rewards).unsqueeze(-1),
             "done": ended | stopped, "terminated": ended, "truncated": stopped}, batch_size=self.batch_size,
        )  # fmt: skip

    def _result(self, info: dict[str, Any]) -> TensorDict:
        found = {}
        for name, none in _NO_RESULT.items():
            values = np.repeat(none, self.batch_size[0])
            if "result" in info:
                np.copyto(values, info["result"][name], where=info["_result"], casting="unsafe")
            found[name] = torch.from_numpy(values).unsqueeze(-1)
        return TensorDict(found, batch_size=self.batch_size)

    def render(self) -> torch.Tensor | None:
        """Pictures of all rows, [row, height, width, 3], uint8, if `render_mode` is "rgb_array"; else None."""
        frames = self.vector.render()
        return None if frames is None else torch.from_numpy(np.stack(frames))

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Closes the batch."""
        super().close(raise_if_closed=raise_if_closed)
        self.worlds.close()


class TensorEnv(EnvBase):
    """`carom.torch.Env` with the same arguments, on a GPU or the CPU; the batch size is [rows].

    Entries are those of `Env`. When a game ends, the step returns its last state, and the entry `_reset` then continues
    with the next game. Only a reset of all rows waits for the GPU.
    """

    def __init__(self, game: Any, num_envs: int = 1, *, device: Any = "cuda", **made: Unpack[Tensored]) -> None:
        self.vector = vector = tensors.Env(game, num_envs, device=device, **made)
        super().__init__(device=vector.device, batch_size=torch.Size([num_envs]))
        self.worlds = vector.worlds
        n, there = num_envs, vector.device
        low, high = (
            torch.from_numpy(np.broadcast_to(bound, (n, vector.num_obs)).copy()).to(there)
            for bound in (vector.observation_low, vector.observation_high)
        )
        kinds = {name: found.dtype for name, found in vector.results().items()}
        result = {name: Unbounded((n, 1), dtype=kind, device=there) for name, kind in kinds.items()}
        seen = Bounded(low, high, dtype=torch.float32, device=there)
        self.observation_spec = Composite(
            observation=seen, result=Composite(result, shape=(n,), device=there), shape=(n,), device=there
        )
        shape = (n, vector.num_actions)
        kind = torch.float32 if vector._rows.action_dtype == np.float32 else torch.float64
        bound = vector.action_bound
        self.action_spec = (
            Bounded(-bound, bound, shape, dtype=kind, device=there)
            if np.isfinite(bound)
            else Unbounded(shape, dtype=kind, device=there)
        )
        self.reward_spec = Unbounded((n, 1), dtype=torch.float32, device=there)
        flag = Binary(1, shape=(n, 1), dtype=torch.bool, device=there)
        self.done_spec = Composite(done=flag, terminated=flag.clone(), truncated=flag.clone(), shape=(n,), device=there)
        self._seed_next: int | None = None
        self._over = torch.zeros(n, dtype=torch.bool, device=there)  # ended but not yet reset

    def _set_seed(self, seed: int | None) -> None:
        self._seed_next = seed

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        if tensordict is not None and "_reset" in tensordict.keys():  # noqa: SIM118 - it is no mapping
            mask = tensordict["_reset"].view(self.batch_size[0])
            seen = self.vector.reset_rows(mask & ~self._over)  # if games have ended, the next ones have begun
            self._over = self._over & ~mask
        else:
            seen, _ = self.vector.reset(seed=self._seed_next)
            self._seed_next = None
            self._over = torch.zeros_like(self._over)
        false = torch.zeros(*self.batch_size, 1, dtype=torch.bool, device=self.device)
        return TensorDict(
            {"observation": seen, "result": self._result(self._over), "done": false, "terminated": false.clone(),
             "truncated": false.clone()}, batch_size=self.batch_size, device=self.device,
        )  # fmt: skip

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        seen, rewards, ended, stopped, info = self.vector.step(tensordict["action"].detach())
        self._over = over = ended | stopped
        return TensorDict(
            {"observation": torch.where(over.unsqueeze(-1), info["final_observations"], seen),
             "result": self._result(over), "reward": rewards.unsqueeze(-1), "done": over.unsqueeze(-1),
             "terminated": ended.unsqueeze(-1), "truncated": stopped.unsqueeze(-1)},
            batch_size=self.batch_size, device=self.device,
        )  # fmt: skip

    def _result(self, over: torch.Tensor) -> TensorDict:
        """Results of rows whose games ended in the step; for the others winner is -1 and everything else 0."""
        found = {
            name: torch.where(over, values, -1 if name == "winner" else 0).to(values.dtype).unsqueeze(-1)
            for name, values in self.vector.results().items()
        }
        return TensorDict(found, batch_size=self.batch_size, device=self.device)

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Closes the batch."""
        super().close(raise_if_closed=raise_if_closed)
        self.vector.close()
