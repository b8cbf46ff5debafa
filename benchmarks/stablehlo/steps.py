"""GPT training steps of NeuSight's set as JAX lowers them, read through StableHLO and timed with the shipped constants,
beside PyTorch's measured times of the same network, batch and length on the same GPU.

    python -m benchmarks.stablehlo.steps DIR [--scan]      (needs jax; DIR holds neusight_e2e.csv)

As measured: forward and backward pass in f32, dropout of 0.1, gradients added to those kept from the step before, no
optimizer. Other than measured: XLA's fusion instead of an op a kernel, gradients of gelu and softmax as JAX writes
them, and random numbers by threefry in kernels of their own, where PyTorch draws them within its dropout kernel.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax  # pyright: ignore[reportMissingModuleSource]
import jax.numpy as jnp  # pyright: ignore[reportMissingModuleSource]
from rich.console import Console
from rich.table import Table

import ndpir
from benchmarks.networks import neusight
from benchmarks.networks.sizes import TRANSFORMERS, Transformer

KEPT = 0.9


def norm(weights: Any, x: Any) -> Any:
    scale, shift = weights
    mean = x.mean(-1, keepdims=True)
    variance = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + shift


def dropped(key: Any, x: Any) -> Any:
    return jnp.where(jax.random.bernoulli(key, KEPT, x.shape), x / KEPT, 0)


def linear(weights: Any, x: Any) -> Any:
    return x @ weights[0] + weights[1]


def layer(x: Any, weights: Any, key: Any, heads: int) -> Any:
    """A decoder layer of `x` [batch, length, hidden]."""
    batch, length, hidden = x.shape
    keys = jax.random.split(key, 3)
    joint = linear(weights["attend"], norm(weights["norm1"], x))
    q, k, v = (part.reshape(batch, length, heads, -1).transpose(0, 2, 1, 3) for part in jnp.split(joint, 3, -1))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / (hidden // heads) ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    y = jnp.einsum("bhqk,bhkd->bhqd", dropped(keys[0], jax.nn.softmax(scores)), v)
    x = x + dropped(keys[1], linear(weights["project"], y.transpose(0, 2, 1, 3).reshape(x.shape)))
    inner = jax.nn.gelu(linear(weights["first"], norm(weights["norm2"], x)), approximate=True)
    return x + dropped(keys[2], linear(weights["second"], inner))


def loss(weights: Any, words: Any, key: Any, heads: int) -> Any:
    """Cross entropy over the vocabulary; layers are a list, or stacked for a scan."""
    layers = weights["layers"]
    stacked = isinstance(layers, dict)
    keys = jax.random.split(key, 1 + (layers["norm1"][0].shape[0] if stacked else len(layers)))
    x = dropped(keys[0], weights["words"][words] + weights["places"])

    def scanned(x: Any, each: Any) -> Any:
        return layer(x, *each, heads), None

    if stacked:
        x, _ = jax.lax.scan(scanned, x, (layers, keys[1:]))
    else:
        for each, its_key in zip(layers, keys[1:], strict=True):
            x = layer(x, each, its_key, heads)
    logits = norm(weights["norm"], x) @ weights["head"]
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), words[..., None], -1).mean()


def lowered(model: Transformer, batch: int, length: int, scan: bool = False) -> Any:
    """The step of a model, as JAX lowers it; nothing is computed."""
    stack = (model.layers,) if scan else ()

    def f(*shape: int) -> Any:
        return jax.ShapeDtypeStruct((*stack, *shape), jnp.float32)

    def affine(rows: int, columns: int) -> Any:
        return f(rows, columns), f(columns)

    hidden, inner = model.hidden, model.feed_forward
    layers = {
        **{name: (f(hidden), f(hidden)) for name in ("norm1", "norm2")},
        **{"attend": affine(hidden, 3 * hidden), "project": affine(hidden, hidden)},
        **{"first": affine(hidden, inner), "second": affine(inner, hidden)},
    }
    stack, depth = (), model.layers
    weights = {
        **{"words": f(model.vocabulary, hidden), "places": f(length, hidden)},
        **{"layers": layers if scan else [layers] * depth, "norm": (f(hidden), f(hidden))},
        "head": f(hidden, model.vocabulary),
    }

    def step(weights: Any, kept: Any, words: Any, key: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(weights, words, key, model.heads)
        return value, jax.tree.map(jnp.add, kept, gradients)

    words, key = jax.ShapeDtypeStruct((batch, length), jnp.int32), jax.ShapeDtypeStruct((2,), jnp.uint32)
    return jax.jit(step, donate_argnums=1).lower(weights, weights, words, key)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--scan", action="store_true", help="layers as a loop")
    said = parser.parse_args(arguments)
    table = Table("GPU", "model", "run", "measured ms", "ours", "error %", "threefry ms", "error without %")
    for run in neusight.read(said.folder):
        if run.mode != "train" or TRANSFORMERS[run.model].kind != "gpt2":
            continue
        program = ndpir.read(lowered(TRANSFORMERS[run.model], run.batch, run.length, said.scan))
        timeline = ndpir.simulate(ndpir.compile(program, "gpu-only", machine=run.gpu))
        drawn = sum(event.cost.ns * turns for event, turns, _ in timeline.tasks() if event.name == "threefry")
        times = [ns / 1e6 for ns in (run.ns, timeline.makespan_ns, drawn)]
        errors = [f"{(ns / run.ns - 1) * 100:+.1f}" for ns in (timeline.makespan_ns, timeline.makespan_ns - drawn)]
        cells = (f"{times[0]:.1f}", f"{times[1]:.1f}", errors[0], f"{times[2]:.1f}", errors[1])
        table.add_row(run.gpu, run.model, f"{run.batch}x{run.length}", *cells)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
