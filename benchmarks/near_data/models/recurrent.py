"""A language model of LSTM layers, whose time steps are unrolled, as XLA executes a program without a loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax  # pyright: ignore[reportMissingModuleSource]
import jax.numpy as jnp  # pyright: ignore[reportMissingModuleSource]

from benchmarks.near_data.models.layers import HALF, SINGLE, affine, cross_entropy, linear, shape


@jax.jit
def cell_step(fed: Any, state: Any, h: Any, cell: Any) -> tuple[Any, Any]:
    """Return the next output (f16) and cell (f32), [batch, hidden]; `fed`: the input's contribution to the gates."""
    update, forget, shown, made = jnp.split((fed + h @ state).astype(SINGLE), 4, -1)
    cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(update) * jnp.tanh(made)
    return (jax.nn.sigmoid(shown) * jnp.tanh(cell)).astype(HALF), cell


@dataclass(frozen=True)
class Lstm:
    """An LSTM language model by its sizes; `vocabulary`: the 10,000 words of the Penn Treebank."""

    layers: int
    hidden: int
    vocabulary: int

    def weights(self) -> Any:
        layer = {"input": affine(self.hidden, 4 * self.hidden), "state": shape(self.hidden, 4 * self.hidden)}
        head = affine(self.hidden, self.vocabulary)
        return {"words": shape(self.vocabulary, self.hidden), "layers": [layer] * self.layers, "head": head}

    def batch(self, size: int, length: int) -> Any:
        words = jax.ShapeDtypeStruct((length, size), jnp.int32)
        return {"words": words, "labels": words}

    def loss(self, weights: Any, batch: Any) -> Any:
        """Return the loss. Each layer multiplies its inputs by weights for all time steps at once."""
        xs = weights["words"][batch["words"]].astype(HALF)
        length, size, hidden = xs.shape
        for each in weights["layers"]:
            fed, state = linear(each["input"], xs), each["state"].astype(HALF)
            h, cell = jnp.zeros((size, hidden), HALF), jnp.zeros((size, hidden), SINGLE)
            outputs = list[Any]()
            for step in range(length):
                h, cell = cell_step(fed[step], state, h, cell)
                outputs.append(h)
            xs = jnp.stack(outputs)
        return cross_entropy(linear(weights["head"], xs), batch["labels"])
