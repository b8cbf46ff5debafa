"""Layers that the networks share, in mixed precision: weights are stored as f32 masters, products and activations are
in f16."""

from __future__ import annotations

from typing import Any

import jax  # pyright: ignore[reportMissingModuleSource]
import jax.numpy as jnp  # pyright: ignore[reportMissingModuleSource]

SINGLE, HALF = jnp.float32, jnp.float16


def shape(*extents: int) -> Any:
    """Return an abstract f32 array of a shape."""
    return jax.ShapeDtypeStruct(extents, SINGLE)


def affine(rows: int, columns: int) -> Any:
    """Return the shapes of a linear layer's weights."""
    return {"weight": shape(rows, columns), "bias": shape(columns)}


def scaling(features: int) -> Any:
    """Return the shapes of a norm's weights."""
    return {"scale": shape(features), "shift": shape(features)}


def linear(weights: Any, x: Any) -> Any:
    """Return x · weight + bias in f16, for `x` [..., rows]."""
    return x @ weights["weight"].astype(HALF) + weights["bias"].astype(HALF)


def perceptron(layers: list[Any], x: Any) -> Any:
    """Apply linear layers, each followed by ReLU."""
    for each in layers:
        x = jax.nn.relu(linear(each, x))
    return x


def layer_norm(weights: Any, x: Any) -> Any:
    """Normalize `x` along its last axis in f32."""
    wide = x.astype(SINGLE)
    mean = wide.mean(-1, keepdims=True)
    variance = jnp.square(wide - mean).mean(-1, keepdims=True)
    return ((wide - mean) * jax.lax.rsqrt(variance + 1e-5) * weights["scale"] + weights["shift"]).astype(HALF)


def dropout(key: Any, x: Any, rate: float) -> Any:
    """Set elements to 0 with probability `rate` and scale all other elements up, as in Flax; return `x` for a rate of
    0."""
    if not rate:
        return x
    return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), 0)


def cross_entropy(logits: Any, labels: Any) -> Any:
    """Return the mean cross entropy over all labels, in f32."""
    chances = jax.nn.log_softmax(logits.astype(SINGLE))
    return -jnp.take_along_axis(chances, labels[..., None], -1).mean()


def binary_cross_entropy(logits: Any, labels: Any) -> Any:
    """Return the mean binary cross entropy over all labels 0 and 1, in f32."""
    logits = logits.astype(SINGLE)
    return (jax.nn.softplus(logits) - labels * logits).mean()
