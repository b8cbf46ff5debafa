"""Two recommenders: DLRM, with MLPerf's perceptrons and Criteo's tables, and neural collaborative filtering on
MovieLens-20M."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import jax  # pyright: ignore[reportMissingModuleSource]
import jax.numpy as jnp  # pyright: ignore[reportMissingModuleSource]

from benchmarks.near_data.models.layers import (
    HALF,
    affine,
    binary_cross_entropy,
    linear,
    perceptron,
    shape,
)

CRITEO = (
    *(1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194, 27, 14992, 5461306, 10),
    *(5652, 2173, 4, 7046547, 18, 15, 286181, 105, 142572),
)
"""The number of categories of each of the 26 columns of Criteo's Kaggle data set, from facebookresearch/dlrm."""


def _perceptron(*widths: int) -> list[Any]:
    return [affine(*pair) for pair in pairwise(widths)]


@dataclass(frozen=True)
class Dlrm:
    """DLRM: a perceptron on dense features, one row of each embedding table, pairwise products of these vectors, and a
    second perceptron."""

    tables: Sequence[int]
    width: int
    bottom: Sequence[int]
    top: Sequence[int]
    dense: int = 13

    def weights(self) -> Any:
        """Return the weights of the perceptrons.

        Tables are not included, because only the rows that a batch reads are updated.
        """
        count = len(self.tables) + 1
        joined = self.width + count * (count - 1) // 2
        *hidden, last = _perceptron(joined, *self.top)
        return {"bottom": _perceptron(self.dense, *self.bottom), "top": hidden, "last": last}

    def kept(self) -> Any:
        return [shape(rows, self.width) for rows in self.tables]

    def batch(self, size: int) -> Any:
        indices = [jax.ShapeDtypeStruct((size,), jnp.int32) for _ in self.tables]
        return {"dense": jax.ShapeDtypeStruct((size, self.dense), HALF), "sparse": indices, "labels": shape(size)}

    def loss(self, weights: Any, rows: Sequence[Any], batch: Any) -> Any:
        """Return the loss for rows [batch, width] that were gathered from the tables."""
        bottom = perceptron(weights["bottom"], batch["dense"])
        vectors = jnp.stack([bottom, *(each.astype(HALF) for each in rows)], 1)
        products = jnp.einsum("bid,bjd->bij", vectors, vectors)
        pairs = products[:, *jnp.tril_indices(vectors.shape[1], -1)]
        joined = perceptron(weights["top"], jnp.concatenate([bottom, pairs], 1))
        return binary_cross_entropy(linear(weights["last"], joined)[:, 0], batch["labels"])


@dataclass(frozen=True)
class Ncf:
    """Neural matrix factorization: the product of a user's and an item's vector, and a perceptron on two other vectors
    of the same user and item."""

    users: int
    items: int
    factors: int
    layers: Sequence[int]

    def weights(self) -> Any:
        """Return all weights; each row of a table consists of a vector of factors and of one half of the perceptron's
        input."""
        half = self.layers[0] // 2
        return {
            **{"user": shape(self.users, self.factors), "item": shape(self.items, self.factors)},
            **{"user_layers": shape(self.users, half), "item_layers": shape(self.items, half)},
            **{"layers": _perceptron(self.layers[0], *self.layers)},
            **{"last": affine(self.factors + self.layers[-1], 1)},
        }

    def batch(self, size: int) -> Any:
        indices = jax.ShapeDtypeStruct((size,), jnp.int32)
        return {"users": indices, "items": indices, "labels": shape(size)}

    def loss(self, weights: Any, batch: Any) -> Any:
        def picked(name: str, which: str) -> Any:
            return weights[name][batch[which]].astype(HALF)

        factors = picked("user", "users") * picked("item", "items")
        inner = jnp.concatenate([picked("user_layers", "users"), picked("item_layers", "items")], 1)
        joined = jnp.concatenate([factors, perceptron(weights["layers"], inner)], 1)
        return binary_cross_entropy(linear(weights["last"], joined)[:, 0], batch["labels"])
