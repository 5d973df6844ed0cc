# SPDX-License-Identifier: MIT
"""Integer networks, as in ``carom/network.h``: reads, writes and runs them, and makes them from floats.

The arithmetic equals the library's to the bit, but is slow; it needs only NumPy. ::

    from carom.network import Network, quantise

    network = quantise("csb", "ego", layers=[(w1, b1, "relu")], policy=(w2, b2, "tanh"), value=(w3, b3, "linear"))
    network.write("policy.network", about="80 minutes of self-play, seed 1")
    network.run(observations)  # {"policy": [rows, 2], "value": [rows, 1]}
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Layer", "Network", "quantise"]

BITS = 10
WIDTH = 1024
LAYERS = 8
HEADS = ("value", "policy")
ACTIVATIONS = ("linear", "clip", "relu", "tanh")
_LARGEST = 2**31 - 1

# The weights [outputs][inputs] and biases [outputs] of a layer in floating point, and its activation: "relu", "tanh",
# "linear" or "clip"; for "relu" and "clip" their limit may follow (see quantise()).
Dense: TypeAlias = tuple[ArrayLike, ArrayLike, str] | tuple[ArrayLike, ArrayLike, str, float]


@dataclass
class Layer:
    """A dense layer with integer weights [outputs, inputs] and biases [outputs]."""

    weights: NDArray[np.int64]
    biases: NDArray[np.int64]
    activation: str
    bits: int
    limit: int = 1 << BITS

    def most(self, bits: int, limit: int) -> int:
        """The greatest absolute value of a sum, if inputs have ``bits`` bits and at most the absolute value
        ``limit``.
        """
        sums = np.abs(self.weights).sum(axis=1) * limit + np.abs(self.biases)
        return int(sums.max()) + self._half(bits)

    def _half(self, bits: int) -> int:
        shift = 0 if self.activation == "linear" else bits + self.bits - BITS
        return 1 << (shift - 1) if shift > 0 else 0

    def coarse(self, most: int) -> Layer:
        """The same with fewer bits, so that no amount of a weight is above ``most``."""
        drop = 0
        while np.abs(np.rint(self.weights / 2**drop)).max() > most:
            drop += 1
        return replace(
            self,
            weights=np.rint(self.weights / 2**drop).astype(np.int64),
            biases=np.rint(self.biases / 2**drop).astype(np.int64),
            bits=self.bits - drop,
        )

    def run(self, numbers: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
        """The outputs for rows of integers with ``bits`` bits."""
        sums: NDArray[np.int64] = numbers @ self.weights.T + self.biases + self._half(bits)
        if self.activation == "linear":
            return sums
        rounded: NDArray[np.int64] = sums >> (bits + self.bits - BITS)
        if self.activation == "tanh":
            amounts = _TANH[np.minimum(np.abs(rounded), len(_TANH) - 1)]
            return np.where(rounded < 0, -amounts, amounts)
        clipped: NDArray[np.int64] = np.clip(rounded, 0 if self.activation == "relu" else -self.limit, self.limit)
        return clipped


def _tanh() -> NDArray[np.int64]:
    table, e = [], 1.0
    for _ in range(4096):
        table.append(int((1 - e) / (1 + e) * 1024 + 0.5))
        e *= 0.9980487811074755
    return np.array(table, dtype=np.int64)


_TANH = _tanh()


@dataclass
class Network:
    """A network: its game and observation, its hidden layers, and its heads by name, ``value`` and ``policy``."""

    game: str
    observation: str
    inputs: int
    layers: list[Layer]
    heads: dict[str, Layer]
    input_bits: int = BITS
    input_limit: int = 32767
    digest: str = field(default="", compare=False)

    # ---- running ----

    def run(self, inputs: ArrayLike) -> dict[str, NDArray[np.float32]]:
        """The outputs [..., outputs] of each head for rows of observations [..., inputs]."""
        rows = np.asarray(inputs, dtype=np.float32)
        if rows.shape[-1:] != (self.inputs,):
            raise ValueError(f"inputs of shape {rows.shape}; the network sees {self.inputs} numbers")
        numbers, bits = self._whole(rows.reshape(-1, self.inputs)), self.input_bits
        for layer in self.layers:
            numbers, bits = layer.run(numbers, bits), BITS
        found = {}
        for name, head in self.heads.items():
            unit = 2.0 ** -(bits + head.bits if head.activation == "linear" else BITS)
            out = (head.run(numbers, bits) * unit).astype(np.float32)
            found[name] = out.reshape(*rows.shape[:-1], out.shape[-1])
        return found

    def _whole(self, rows: NDArray[np.float32]) -> NDArray[np.int64]:
        limit = np.float32(self.input_limit)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = rows * np.float32(1 << self.input_bits)
        scaled = np.clip(np.where(np.isnan(scaled), np.float32(0), scaled), -limit, limit)
        whole = np.trunc(scaled + np.where(scaled < 0, np.float32(-0.5), np.float32(0.5)))
        return np.asarray(whole, dtype=np.int64)

    def coarse(self, most: int = 127) -> Network:
        """The same with fewer bits a weight, so that no amount of a weight is above ``most``: shorter as text.

        ValueError if that leaves a layer too few bits, or ``most`` is below 1.
        """
        if most < 1:
            raise ValueError("coarse: weights of 1 at least")
        made = replace(
            self,
            layers=[layer.coarse(most) for layer in self.layers],
            heads={name: head.coarse(most) for name, head in self.heads.items()},
        )
        made.check()
        return made

    def check(self) -> None:
        """Raises ValueError if the library would not accept the network."""
        bits, limit, width = self.input_bits, self.input_limit, self.inputs
        if not self.heads or set(self.heads) - set(HEADS) or len(self.layers) > LAYERS:
            raise ValueError(f"heads are value and policy, at least one; layers at most {LAYERS}")
        if not (0 <= bits <= 15 and 1 <= limit <= 32767 and 1 <= width <= WIDTH):
            raise ValueError("inputs: 1 to 1024, bits 0 to 15, limit 1 to 32767")
        named = [(f"layer {k}", layer) for k, layer in enumerate(self.layers)]
        for name, layer in named:
            self._check_layer(name, layer, width, bits, limit, head=False)
            width, bits, limit = len(layer.biases), BITS, layer.limit
        for name, layer in self.heads.items():
            self._check_layer(f"head {name}", layer, width, bits, limit, head=True)
        if "value" in self.heads and len(self.heads["value"].biases) != 1:
            raise ValueError("head value: it must have one output")

    def _check_layer(self, name: str, layer: Layer, width: int, bits: int, limit: int, head: bool) -> None:
        outputs = len(layer.biases)
        if layer.weights.shape != (outputs, width) or not 1 <= outputs <= WIDTH:
            raise ValueError(f"{name}: weights of shape {layer.weights.shape} for {width} inputs, {outputs} outputs")
        if layer.activation not in ACTIVATIONS[0 if head else 1 :]:
            raise ValueError(f"{name}: activation {layer.activation!r}")
        if not (0 <= layer.bits <= 15 and 1 <= layer.limit <= 32767 and np.abs(layer.weights).max() <= 32767):
            raise ValueError(f"{name}: bits are 0 to 15, limits 1 to 32767, weights -32767 to 32767")
        if layer.activation != "linear" and bits + layer.bits < BITS:
            raise ValueError(f"{name}: fewer than {BITS} bits, with {bits} of the inputs")
        if layer.activation == "tanh" and layer.limit != 1 << BITS:
            raise ValueError(f"{name}: tanh has no limit of its own")
        if layer.most(bits, limit) > _LARGEST:
            raise ValueError(f"{name}: a sum can be {layer.most(bits, limit)}, which is more than {_LARGEST}")

    # ---- text ----

    def text(self, about: str = "") -> str:
        """The file; ``about`` becomes a comment."""
        self.check()
        lines = [f"# {line}" for line in about.splitlines()]
        lines += ["carom-network 1", f"game {self.game}", f"observation {self.observation}"]
        lines += [f"inputs {self.inputs} bits {self.input_bits} limit {self.input_limit}"]
        for layer in self.layers:
            lines += _lines("layer", layer)
        for name in HEADS:
            lines += _lines(f"head {name}", self.heads[name]) if name in self.heads else []
        text = "\n".join(lines) + "\n"
        self.digest = _digest(list(_words(text)))
        return f"{text}digest {self.digest}\n"

    def write(self, path: str | os.PathLike[str], about: str = "") -> None:
        """Writes the file."""
        text = self.text(about)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Network:
        """Reads a file."""
        with open(path, encoding="ascii") as file:
            return Network.read(file.read())

    @staticmethod
    def read(text: str) -> Network:
        """Reads a text; ValueError if it is not a network."""
        words = list(_words(text))
        if words[-2:-1] != ["digest"] or words[-1] != _digest(words[:-2]):
            raise ValueError("not a network, or changed: the digest differs")
        at = iter(words)
        _expect(at, "carom-network", "1", "game")
        made = Network(
            next(at),
            _named(at, "observation"),
            int(_named(at, "inputs")),
            [],
            {},
            int(_named(at, "bits")),
            int(_named(at, "limit")),
            words[-1],
        )
        width = made.inputs
        for word in at:
            if word == "digest":
                break
            name = next(at) if word == "head" else ""
            layer = _layer(at, width)
            if word == "layer":
                made.layers.append(layer)
                width = len(layer.biases)
            elif word == "head":
                made.heads[name] = layer
            else:
                raise ValueError(f"{word!r} instead of layer, head or digest")
        made.check()
        return made


def _words(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield from line.partition("#")[0].split()


def _digest(words: Iterable[str]) -> str:
    """64 bits of FNV-1a over the words, each followed by a line break."""
    state = 0xCBF29CE484222325
    for byte in "".join(f"{word}\n" for word in words).encode("ascii"):
        state = (state ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{state:016x}"


def _lines(name: str, layer: Layer) -> list[str]:
    limit = f" limit {layer.limit}" if layer.activation in ("clip", "relu") else ""
    head = f"{name} dense {len(layer.biases)} {layer.activation} bits {layer.bits}{limit}"
    rows = [" ".join(str(int(w)) for w in row) for row in layer.weights]
    return [head, "weights", *rows, "biases", " ".join(str(int(b)) for b in layer.biases)]


def _expect(at: Iterator[str], *names: str) -> None:
    for name in names:
        word = next(at)
        if word != name:
            raise ValueError(f"{word!r} instead of {name}")


def _named(at: Iterator[str], name: str) -> str:
    _expect(at, name)
    return next(at)


def _layer(at: Iterator[str], inputs: int) -> Layer:
    _expect(at, "dense")
    outputs, activation = int(next(at)), next(at)
    bits = int(_named(at, "bits"))
    limit = int(_named(at, "limit")) if activation in ("clip", "relu") else 1 << BITS
    _expect(at, "weights")
    weights = np.array([[int(next(at)) for _ in range(inputs)] for _ in range(outputs)], dtype=np.int64)
    _expect(at, "biases")
    return Layer(weights, np.array([int(next(at)) for _ in range(outputs)], dtype=np.int64), activation, bits, limit)


# ---- from floats ----


def quantise(
    game: str,
    observation: str,
    layers: Sequence[Dense],
    *,
    value: Dense | None = None,
    policy: Dense | None = None,
    input_bits: int = BITS,
    input_limit: float = 8.0,
) -> Network:
    """An integer network from layers in floating point.

    Each is ``(weights [outputs, inputs], biases [outputs], activation)``; for "clip" and "relu" their limit may follow
    (default 1 and 8). Inputs are clipped to ``input_limit``. Weights get as many bits as they and the sums have room
    for: ValueError if there is no room.
    """
    made = Network(game, observation, 0, [], {}, input_bits, min(round(input_limit * (1 << input_bits)), 32767))
    bits, limit = made.input_bits, made.input_limit
    for number, dense in enumerate(layers):
        layer = _whole_layer(f"layer {number}", dense, bits, limit)
        made.inputs = made.inputs or layer.weights.shape[1]
        made.layers.append(layer)
        bits, limit = BITS, layer.limit
    for name, head in (("value", value), ("policy", policy)):
        if head is not None:
            made.heads[name] = _whole_layer(f"head {name}", head, bits, limit)
            made.inputs = made.inputs or made.heads[name].weights.shape[1]
    made.check()
    return made


def _whole_layer(name: str, dense: Dense, bits: int, limit: int) -> Layer:
    parts: tuple[Any, ...] = dense
    weights, biases, activation = np.asarray(parts[0], np.float64), np.asarray(parts[1], np.float64), str(parts[2])
    ends = float(parts[3]) if len(parts) > 3 else {"relu": 8.0}.get(activation, 1.0)
    most = min(round(ends * (1 << BITS)), 32767)
    if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
        raise ValueError(f"{name}: not all weights and biases are finite")
    for own in range(15, -1, -1):
        layer = Layer(
            np.rint(weights * 2.0**own).astype(np.int64),
            np.rint(biases * 2.0 ** (own + bits)).astype(np.int64),
            activation,
            own,
            most,
        )
        small = np.abs(layer.weights).max() <= 32767 and np.abs(biases).max() * 2.0 ** (own + bits) <= _LARGEST
        if small and layer.most(bits, limit) <= _LARGEST:
            return layer
    raise ValueError(f"{name}: weights are too large")
