"""Source of `examples/models/bert_step.mlir`: a training step of a BERT encoder layer in JAX.

The step has dropout, softmax, layer norms, GELU, cross entropy over tied embeddings, and Adam.

    pip install "ndpir[jax]"; python examples/jax_bert.py > bert_step.mlir

Nothing is computed, since `lower` needs only shapes.
"""

from __future__ import annotations

from typing import Any

import jax  # pyright: ignore[reportMissingModuleSource]
import jax.numpy as jnp  # pyright: ignore[reportMissingModuleSource]

WIDTH, HEADS, INNER, WORDS, BATCH, LENGTH = 256, 4, 1024, 8192, 8, 128
KEPT = 0.9
SHAPES = {
    "embedding": (WORDS, WIDTH),
    **dict.fromkeys(("query", "key", "value", "out"), (WIDTH, WIDTH)),
    **dict.fromkeys(("scale1", "shift1", "scale2", "shift2", "bias2"), (WIDTH,)),
    "first": (WIDTH, INNER),
    "bias1": (INNER,),
    "second": (INNER, WIDTH),
}


def norm(x: Any, scale: Any, shift: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    variance = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + shift


def dropped(key: Any, x: Any) -> Any:
    return jnp.where(jax.random.bernoulli(key, KEPT, x.shape), x / KEPT, 0)


def loss(weights: dict[str, Any], words: Any, labels: Any, key: Any) -> Any:
    def heads(x: Any) -> Any:
        return x.reshape(BATCH, LENGTH, HEADS, WIDTH // HEADS)

    keys = jax.random.split(key, 2)
    x = weights["embedding"][words]
    query, key_, value = (heads(x @ weights[name]) for name in ("query", "key", "value"))
    scores = jnp.einsum("blhd,bmhd->bhlm", query, key_) / (WIDTH // HEADS) ** 0.5
    probabilities = dropped(keys[0], jax.nn.softmax(scores))
    mixed = jnp.einsum("bhlm,bmhd->blhd", probabilities, value).reshape(x.shape)
    x = norm(x + dropped(keys[1], mixed @ weights["out"]), weights["scale1"], weights["shift1"])
    inner = jax.nn.gelu(x @ weights["first"] + weights["bias1"], approximate=False)
    x = norm(x + inner @ weights["second"] + weights["bias2"], weights["scale2"], weights["shift2"])
    logits = x @ weights["embedding"].T
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1).mean()


def _mean(m: Any, g: Any) -> Any:
    return 0.9 * m + 0.1 * g


def _square(v: Any, g: Any) -> Any:
    return 0.999 * v + 0.001 * g * g


def step(weights: Any, means: Any, squares: Any, count: Any, words: Any, labels: Any, key: Any) -> Any:
    """Run the forward pass, the backward pass, and the update of weights by Adam."""
    value, gradients = jax.value_and_grad(loss)(weights, words, labels, key)
    means = jax.tree.map(_mean, means, gradients)
    squares = jax.tree.map(_square, squares, gradients)
    late = 1 - 0.9**count, 1 - 0.999**count

    def updated(p: Any, m: Any, v: Any) -> Any:
        return p - 1e-4 * (m / late[0]) / (jnp.sqrt(v / late[1]) + 1e-8)

    return value, jax.tree.map(updated, weights, means, squares), means, squares


def lowered() -> Any:
    weights = {name: jax.ShapeDtypeStruct(shape, jnp.float32) for name, shape in SHAPES.items()}
    words = jax.ShapeDtypeStruct((BATCH, LENGTH), jnp.int32)
    count, key = jax.ShapeDtypeStruct((), jnp.float32), jax.ShapeDtypeStruct((2,), jnp.uint32)
    return jax.jit(step).lower(weights, weights, weights, count, words, words, key)


if __name__ == "__main__":
    print(lowered().as_text())
