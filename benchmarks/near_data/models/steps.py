"""Training steps of nine networks, lowered by JAX: forward pass, backward pass and optimizer, with donated state.

    python -m benchmarks.near_data.models.steps FOLDER [MODEL …] [--small] [--without-dropout] [--random rbg]

Needs jax (pip install -e '.[jax]'). Nothing is computed, since `lower` needs only shapes. Losses are multiplied by a
constant before the backward pass, so that small f16 gradients do not become 0, and the optimizer's update divides
gradients by the same constant. `--small`: the versions with two layers or blocks in examples/models/steps.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import jax  # pyright: ignore[reportMissingModuleSource]
import jax.numpy as jnp  # pyright: ignore[reportMissingModuleSource]

from benchmarks.near_data.models import images
from benchmarks.near_data.models.images import ImageNetwork
from benchmarks.near_data.models.layers import SINGLE
from benchmarks.near_data.models.recommenders import CRITEO, Dlrm, Ncf
from benchmarks.near_data.models.recurrent import Lstm
from benchmarks.near_data.models.transformers import Transformer

SCALE = 1024.0
"""The factor by which the loss is multiplied, so that f16 gradients do not become 0."""


class Step(NamedTuple):
    """A training step: a function of (state, batch, key), and its arguments' shapes; `key`: None for a step without
    random numbers."""

    run: Callable[..., Any]
    state: Any
    batch: Any
    random: bool = False


@jax.jit
def _adam(p: Any, m: Any, v: Any, g: Any, late: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """Apply AdamW to one weight array `p` with a scaled gradient; `late`: the bias corrections of both moments."""
    g = g / SCALE
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * jnp.square(g)
    return p - 1e-4 * ((m / late[0]) / (jnp.sqrt(v / late[1]) + 1e-8) + 0.01 * p), m, v


def adam(state: Any, gradients: Any) -> Any:
    """Apply AdamW to all master weights, with both moments in f32."""
    count = state["count"] + 1
    late = 1 - 0.9**count, 1 - 0.999**count
    names = "weights", "means", "squares"
    leaves, tree = zip(*(jax.tree.flatten(state[name]) for name in names), strict=True)
    updated = [_adam(*each, late) for each in zip(*leaves, jax.tree.leaves(gradients), strict=True)]
    new = zip(*updated, strict=True)
    return {**{n: jax.tree.unflatten(tree[0], each) for n, each in zip(names, new, strict=True)}, "count": count}


def adam_state(weights: Any) -> Any:
    return {"weights": weights, "means": weights, "squares": weights, "count": jax.ShapeDtypeStruct((), SINGLE)}


@jax.jit
def _descended(p: Any, v: Any, g: Any) -> tuple[Any, Any]:
    v = 0.9 * v + (g / SCALE + 1e-4 * p)
    return p - 0.1 * v, v


def momentum(state: Any, gradients: Any) -> Any:
    """Apply stochastic gradient descent with momentum and weight decay to all master weights."""
    moved = jax.tree.map(_descended, state["weights"], state["speeds"], gradients)
    weights, speeds = jax.tree.transpose(jax.tree.structure(gradients), None, moved)
    return {"weights": weights, "speeds": speeds}


def trained(loss: Callable[..., Any], weights: Any, batch: Any, random: bool = False) -> Step:
    """Return a step of Adam on a loss, which is a function of (weights, batch), or with `random` of (weights, batch,
    key)."""

    def run(state: Any, batch: Any, *key: Any) -> Any:
        value, gradients = jax.value_and_grad(_scaled(loss))(state["weights"], batch, *key)
        return adam(state, gradients), value / SCALE

    return Step(run, adam_state(weights), batch, random)


def _scaled(loss: Callable[..., Any]) -> Callable[..., Any]:
    def scaled(*arguments: Any) -> Any:
        return loss(*arguments) * SCALE

    return scaled


def transformer(model: Transformer, size: int, length: int) -> Step:
    return trained(model.loss, model.weights(length), model.batch(size, length), model.rate > 0)


def image_network(model: ImageNetwork, size: int, pixels: int) -> Step:
    def scaled(weights: Any, batch: Any) -> Any:
        value, statistics = model.loss(weights, batch)
        return value * SCALE, statistics

    def averaged(old: Any, new: Any) -> Any:
        return 0.9 * old + 0.1 * new

    def run(state: Any, batch: Any) -> Any:
        (value, found), gradients = jax.value_and_grad(scaled, has_aux=True)(state["weights"], batch)
        statistics = jax.tree.map(averaged, state["statistics"], found)
        return {**momentum(state, gradients), "statistics": statistics}, value / SCALE

    weights = model.weights()
    state = {"weights": weights, "speeds": weights, "statistics": model.statistics()}
    return Step(run, state, model.batch(size, pixels))


def dlrm(model: Dlrm, size: int) -> Step:
    """Return a step of gradient descent as in DLRM's code.

    It updates all weights of the perceptrons, and only those rows of the tables that the batch reads.
    """

    def descended(p: Any, g: Any) -> Any:
        return p - 0.1 / SCALE * g

    def run(state: Any, batch: Any) -> Any:
        picked = [table[indices] for table, indices in zip(state["tables"], batch["sparse"], strict=True)]
        value, (gradients, rows) = jax.value_and_grad(_scaled(model.loss), (0, 1))(state["weights"], picked, batch)
        tables = [
            table.at[indices].add(-0.1 / SCALE * each)
            for table, indices, each in zip(state["tables"], batch["sparse"], rows, strict=True)
        ]
        return {"weights": jax.tree.map(descended, state["weights"], gradients), "tables": tables}, value / SCALE

    return Step(run, {"weights": model.weights(), "tables": model.kept()}, model.batch(size))


def _trained_on(model: Ncf | Lstm, *sizes: int) -> Step:
    return trained(model.loss, model.weights(), model.batch(*sizes))


BERT_LARGE = Transformer(24, 1024, 16, 30522)
BERT_BASE = Transformer(12, 768, 12, 30522, "classes")
GPT2 = Transformer(12, 768, 12, 50257, decoder=True)


class Model(NamedTuple):
    """A network: a function that builds its step, and the arguments of this function for two versions. `full`, `size`,
    `sizes`: the full version's configuration, default batch size, and sequence length or image size; `small`,
    `small_sizes`: the small version's configuration, and all its sizes."""

    build: Callable[..., Step]
    full: Any
    size: int
    sizes: Sequence[int]
    small: Any
    small_sizes: Sequence[int]


SMALL = Transformer(2, 64, 2, 64)
MODELS = {
    "bert_large": Model(transformer, BERT_LARGE, 2, (384,), SMALL, (2, 16)),
    "bert_base": Model(transformer, BERT_BASE, 16, (128,), replace(SMALL, outputs="classes"), (2, 16)),
    "gpt2": Model(transformer, GPT2, 4, (512,), replace(SMALL, decoder=True), (2, 16)),
    "resnet18": Model(image_network, images.RESNET18, 64, (224,), images.SMALL_RESNET18, (4, 32)),
    "resnet50": Model(image_network, images.RESNET50, 64, (224,), images.SMALL_RESNET50, (4, 32)),
    "mobilenetv2": Model(image_network, images.MOBILENETV2, 64, (224,), images.SMALL_MOBILENETV2, (4, 32)),
    "dlrm": Model(
        dlrm,
        *(Dlrm(CRITEO, 64, (512, 256, 64), (512, 256, 1)), 2048, ()),
        *(Dlrm((40, 7, 3), 8, (16, 8), (16, 8, 1)), (32,)),
    ),
    "lstm": Model(_trained_on, Lstm(2, 1024, 10_000), 64, (35,), Lstm(2, 32, 64), (4, 3)),
    "ncf": Model(
        _trained_on,
        *(Ncf(138_493, 26_744, 64, (256, 128, 64)), 16_384, ()),
        *(Ncf(48, 32, 8, (32, 16, 8)), (32,)),
    ),
}
"""All networks by name; the first six have published results."""


def lowered(name: str, *, small: bool = False, batch: int | None = None, rate: float | None = None) -> Any:
    """Return a model's step, lowered by JAX for a GPU; `batch` replaces the default batch size, `rate` the default
    dropout rate."""
    model = MODELS[name]
    network, sizes = (model.small, model.small_sizes) if small else (model.full, (batch or model.size, *model.sizes))
    if rate is not None and isinstance(network, Transformer):
        network = replace(network, rate=rate)
    step = model.build(network, *sizes)
    keys = [jax.eval_shape(jax.random.key, 0)] if step.random else []
    traced = jax.jit(step.run, donate_argnums=0).trace(step.state, step.batch, *keys)
    return traced.lower(lowering_platforms=("cuda",))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"{', '.join(MODELS)} (default: all)")
    parser.add_argument("--small", action="store_true", help="only two layers or blocks, as in examples/models/steps")
    parser.add_argument("--batch", type=int, metavar="N", help="batch size instead of the default; writes MODEL@N.mlir")
    parser.add_argument("--without-dropout", action="store_true", help="set the transformers' dropout rate to 0")
    parser.add_argument(
        "--random", choices=("threefry2x32", "rbg"), default="threefry2x32", help="JAX's random generator"
    )
    given = parser.parse_args(arguments)
    jax.config.update("jax_default_prng_impl", given.random)
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in given.models or MODELS:
        step = lowered(name, small=given.small, batch=given.batch, rate=0.0 if given.without_dropout else None)
        at = f"@{given.batch}" if given.batch else ""
        given.folder.joinpath(f"{name}{at}.mlir").write_text(step.as_text())


if __name__ == "__main__":
    main()
