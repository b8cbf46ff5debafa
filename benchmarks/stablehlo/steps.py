"""GPT training steps of NeuSight's data set in JAX, compared with PyTorch's measured times on the same GPU.

JAX's StableHLO is imported and timed with the shipped constants; network, batch and length are the same.

    python -m benchmarks.stablehlo.steps DIR [--unrolled]      (needs jax; DIR contains neusight_e2e.csv)

JAX's program has in common with the measured one: forward and backward pass in f32, dropout of 0.1, gradients added to
the previous step's, no optimizer. It differs by: XLA's fusion instead of one kernel per op; JAX's gradients of gelu and
softmax; random numbers by threefry in separate kernels, where PyTorch draws them within its dropout kernel; and slices
of stacked values in the loop of the backward pass. Printed are the times of random numbers and of slices, and the error
without these times.
"""

from __future__ import annotations

import argparse
import sys
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
from interp.simulate.schedule.timeline import Timeline

KEPT = 0.9
SLICES = "dynamic_slice", "dynamic_update_slice"


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
    """Apply a decoder layer to `x` [batch, length, hidden]."""
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


def loss(weights: Any, words: Any, key: Any, model: Transformer, unrolled: bool) -> Any:
    """Return the cross entropy over the vocabulary. The weights of the layers are a list if `unrolled`, else stacked
    for a scan."""
    layers = weights["layers"]
    keys = jax.random.split(key, 1 + model.layers)
    x = dropped(keys[0], weights["words"][words] + weights["places"])

    def scanned(x: Any, each: Any) -> Any:
        return layer(x, each[0], each[1], model.heads), None

    if unrolled:
        for each, its_key in zip(layers, keys[1:], strict=True):
            x = layer(x, each, its_key, model.heads)
    else:
        x, _ = jax.lax.scan(scanned, x, (layers, keys[1:]))
    logits = norm(weights["norm"], x) @ weights["head"]
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), words[..., None], -1).mean()


def lowered(model: Transformer, batch: int, length: int, unrolled: bool = False) -> Any:
    """Lower the step of a model with JAX; nothing is computed."""
    stack = () if unrolled else (model.layers,)

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
    stack = ()
    weights = {
        **{"words": f(model.vocabulary, hidden), "places": f(length, hidden)},
        **{"layers": [layers] * model.layers if unrolled else layers, "norm": (f(hidden), f(hidden))},
        "head": f(hidden, model.vocabulary),
    }

    def step(weights: Any, kept: Any, words: Any, key: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(weights, words, key, model, unrolled)
        return value, jax.tree.map(jnp.add, kept, gradients)

    words, key = jax.ShapeDtypeStruct((batch, length), jnp.int32), jax.ShapeDtypeStruct((2,), jnp.uint32)
    return jax.jit(step, donate_argnums=1).lower(weights, weights, words, key)


def _spent(timeline: Timeline, *names: str) -> float:
    """Return the total time of all tasks with the given names, ns."""
    return sum(event.cost.ns * iterations for event, iterations, _ in timeline.tasks() if event.name in names)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--unrolled", action="store_true", help="unroll the layers instead of a loop")
    options = parser.parse_args(arguments)
    table = Table(
        "GPU", "model", "run", "measured ms", "ours", "error %", "threefry ms", "slices ms", "error without %"
    )
    for run in neusight.read(options.folder):
        if run.mode != "train" or TRANSFORMERS[run.model].kind != "gpt2":
            continue
        program = ndpir.read(lowered(TRANSFORMERS[run.model], run.batch, run.length, options.unrolled))
        try:
            timeline = ndpir.simulate(ndpir.compile(program, "gpu-only", machine=run.gpu))
        except ndpir.InputError as error:  # the GPU's memory is too small
            print(f"{run.gpu}, {run.model} {run.batch}x{run.length}: {error}", file=sys.stderr)
            continue
        ours, drawn, sliced = timeline.makespan_ns, _spent(timeline, "threefry"), _spent(timeline, *SLICES)
        measured, predicted_ms, *more = (f"{ns / 1e6:.1f}" for ns in (run.ns, ours, drawn, sliced))
        error_text, rest = (f"{(ns / run.ns - 1) * 100:+.1f}" for ns in (ours, ours - drawn - sliced))
        table.add_row(run.gpu, run.model, f"{run.batch}x{run.length}", measured, predicted_ms, error_text, *more, rest)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
