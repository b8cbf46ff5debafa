"""Small models of JAX, forward passes and training steps, which tests run by ndpir and by XLA (needs jax).

Each has the parts of one family of networks, at sizes of a few elements. Arguments are drawn with a seed, as frameworks
initialise them: Gaussian weights divided by the root of their fan-in, Gaussian inputs, small moments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod, sqrt
from typing import Any

import jax  # pyright: ignore[reportMissingModuleSource]
import jax.numpy as jnp  # pyright: ignore[reportMissingModuleSource]
import numpy as np
from jax import lax, nn  # pyright: ignore[reportMissingModuleSource]

Function = Callable[..., Any]
random = np.random.default_rng(0)
NHWC = ("NHWC", "HWIO", "NHWC")


@dataclass(frozen=True)
class Model:
    """A JAX function with its arguments. `trains`: True if the function is a training step or computes a gradient."""

    function: Function
    arguments: tuple[Any, ...]
    trains: bool = True
    words: dict[str, Any] = field(default_factory=dict[str, Any])


MODELS: dict[str, Model] = {}


def model(name: str, *arguments: Any, trains: bool = True, **words: Any) -> Callable[[Function], Function]:
    """A decorator that registers a function as a model; `words` are passed to `jax.jit`."""

    def register(function: Function) -> Function:
        MODELS[name] = Model(function, arguments, trains, words)
        return function

    return register


def in_16_bits(name: str) -> None:
    """Register a forward pass in f16 and in bf16 as well."""
    known = MODELS[name]
    for kind, dtype in (("f16", jnp.float16), ("bf16", jnp.bfloat16)):

        def reduced(array: Any, dtype: Any = dtype) -> Any:
            return array.astype(dtype) if array.dtype == np.float32 else array

        MODELS[f"{name}_{kind}"] = Model(known.function, jax.tree.map(reduced, known.arguments), trains=False)


# Numbers.


def weight(*shape: int) -> Any:
    fan_in = prod(shape[:-1]) if len(shape) == 4 else shape[-2]
    return (random.standard_normal(shape) / sqrt(fan_in)).astype(np.float32)


def drawn(*shape: int, scale: float = 1.0) -> Any:
    return (random.standard_normal(shape) * scale).astype(np.float32)


def ones(*shape: int) -> Any:
    return np.ones(shape, np.float32)


def zeros(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


def integers(high: int, *shape: int) -> Any:
    return random.integers(0, high, shape).astype(np.int32)


def like(parameters: Any, scale: float, power: int = 1) -> Any:
    """Optimizer moments in the shapes of parameters."""

    def moment(each: Any) -> Any:
        return drawn(*each.shape, scale=scale) ** power

    return jax.tree.map(moment, parameters)


KEY = np.array([3, 77], np.uint32)

# Steps.


def descended(w: Any, g: Any) -> Any:
    return w - 0.1 * g


def mean(m: Any, g: Any) -> Any:
    return 0.9 * m + 0.1 * g


def mean_square(v: Any, g: Any) -> Any:
    return 0.999 * v + 0.001 * jnp.square(g)


def sgd(loss: Function) -> Function:
    def step(weights: Any, *data: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(weights, *data)
        return jax.tree.map(descended, weights, gradients), value

    return step


def momentum(loss: Function) -> Function:
    def step(weights: Any, moments: Any, *data: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(weights, *data)
        moments = jax.tree.map(mean, moments, gradients)
        return jax.tree.map(descended, weights, jax.tree.map(mean, moments, gradients)), moments, value  # Nesterov

    return step


def adamw(loss: Function) -> Function:
    """A training step by AdamW, with clipping by the global norm and a warm-up."""

    def step(weights: Any, first: Any, second: Any, count: Any, *data: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(weights, *data)
        norm = jnp.sqrt(sum(jnp.sum(jnp.square(each)) for each in jax.tree.leaves(gradients)))

        def clipped(g: Any) -> Any:
            return g * jnp.minimum(1, 1 / (norm + 1e-6))

        gradients = jax.tree.map(clipped, gradients)
        count += 1
        t = count.astype(jnp.float32)
        first, second = jax.tree.map(mean, first, gradients), jax.tree.map(mean_square, second, gradients)
        rate, a, b = 1e-2 * jnp.minimum(1, t / 100), 1 - 0.9**t, 1 - 0.999**t

        def moved(w: Any, m: Any, v: Any) -> Any:
            return w - rate * (m / a / (jnp.sqrt(v / b) + 1e-8) + 0.01 * w)

        return jax.tree.map(moved, weights, first, second), first, second, count, value

    return step


def adamw_state(weights: Any) -> tuple[Any, ...]:
    return weights, like(weights, 1e-3), like(weights, 1e-2, 2), np.int32(4)


# Layers.


def cross_entropy(scores: Any, labels: Any) -> Any:
    return -jnp.take_along_axis(nn.log_softmax(scores.astype(jnp.float32)), labels[..., None], -1).mean()


def layer_norm(scale_and_shift: Any, x: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    scale, shift = scale_and_shift
    return centred * lax.rsqrt(jnp.square(centred).mean(-1, keepdims=True) + 1e-5) * scale + shift


def rms_norm(scale: Any, x: Any) -> Any:
    return x * lax.rsqrt(jnp.square(x.astype(jnp.float32)).mean(-1, keepdims=True) + 1e-6).astype(x.dtype) * scale


def convolve(x: Any, w: Any, stride: int = 1, padding: Any = "SAME", groups: int = 1) -> Any:
    return lax.conv_general_dilated(x, w, (stride, stride), padding, dimension_numbers=NHWC, feature_group_count=groups)


def largest(x: Any, window: int, stride: int) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, window, window, 1), (1, stride, stride, 1), "SAME")


def mean_pool(x: Any) -> Any:
    return lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4


def attention(w: Any, x: Any, heads: int, mask: Any = None) -> Any:
    batch, length, width = x.shape
    q, k, v = (t.reshape(batch, length, heads, -1).transpose(0, 2, 1, 3) for t in jnp.split(x @ w["qkv"], 3, -1))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(width // heads).astype(x.dtype)
    scores = scores if mask is None else jnp.where(mask, scores, jnp.finfo(scores.dtype).min)
    return jnp.einsum("bhqk,bhkd->bhqd", nn.softmax(scores), v).transpose(0, 2, 1, 3).reshape(x.shape) @ w["out"]


def dropped(key: Any, kept: float, x: Any) -> Any:
    return jnp.where(jax.random.bernoulli(key, kept, x.shape), x / kept, 0)


# Perceptrons.


def perceptron(weights: Any, x: Any, activation: Function = nn.gelu) -> Any:
    for w, b in weights[:-1]:
        x = activation(x @ w + b)
    return x @ weights[-1][0] + weights[-1][1]


def of_sizes(*sizes: int) -> Any:
    return [(weight(a, b), drawn(b, scale=0.1)) for a, b in pairwise(sizes)]


MLP, X, LABELS = of_sizes(20, 33, 10), drawn(9, 20), integers(10, 9)
model("mlp", MLP, X, trains=False)(perceptron)
in_16_bits("mlp")


def mlp_loss(weights: Any, x: Any, labels: Any) -> Any:
    return cross_entropy(perceptron(weights, x), labels)


model("mlp_adamw_donated", *adamw_state(MLP), X, LABELS, donate_argnums=(0, 1, 2))(adamw(mlp_loss))


@model("mlp_dropout_typed_key", MLP, jax.random.key(5), X, LABELS)
@sgd
def _(weights: Any, key: Any, x: Any, labels: Any) -> Any:
    (w, b), last = weights
    return mlp_loss([last], dropped(jax.random.split(key)[1], 0.8, nn.relu(x @ w + b)), labels)


@model("mlp_accumulated_and_scaled", MLP, np.float32(1024), X.reshape(3, 3, 20), LABELS.reshape(3, 3))
def _(weights: Any, scale: Any, x: Any, labels: Any) -> Any:
    """Gradients of three parts of a batch, with loss scaling; a step whose gradients overflow is skipped."""

    def part(total: Any, data: Any) -> Any:
        def loss(w: Any) -> Any:
            return scale * mlp_loss(w, *data)

        gradients = jax.grad(loss)(weights)
        return jax.tree.map(jnp.add, total, gradients), None

    total, _ = lax.scan(part, jax.tree.map(jnp.zeros_like, weights), (x, labels))
    good = functools.reduce(jnp.logical_and, [jnp.isfinite(each).all() for each in jax.tree.leaves(total)])

    def moved(w: Any, g: Any) -> Any:
        return jnp.where(good, descended(w, g / scale), w)

    def doubled(s: Any) -> Any:
        return 2 * s

    def halved(s: Any) -> Any:
        return s / 2

    return jax.tree.map(moved, weights, total), lax.cond(good, doubled, halved, scale)


@model("mlp_gradients_by_example", MLP, X, LABELS)
def _(weights: Any, x: Any, labels: Any) -> Any:
    def gradient(x: Any, label: Any) -> Any:
        return jax.grad(mlp_loss)(weights, x[None], label[None])

    return jax.vmap(gradient)(x, labels)


@model("mlp_curvature", MLP, MLP, X, LABELS)
def _(weights: Any, along: Any, x: Any, labels: Any) -> Any:
    """The product of the Hessian matrix with a direction."""

    def gradient(w: Any) -> Any:
        return jax.grad(mlp_loss)(w, x, labels)

    return jax.jvp(gradient, (weights,), (along,))[1]


# Images.

RESNET: dict[str, Any] = {
    "stem": weight(3, 3, 3, 8),
    "first": weight(3, 3, 8, 16),
    "second": weight(3, 3, 16, 16),
    "shortcut": weight(1, 1, 8, 16),
    "head": weight(16, 10),
    **{f"norm{i}": (ones(n), zeros(n)) for i, n in enumerate((8, 16, 16))},
}


def resnet(weights: Any, x: Any) -> tuple[Any, Any]:
    statistics: list[Any] = []

    def norm(index: int, x: Any) -> Any:
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        statistics.append((mean, variance))
        scale, shift = weights[f"norm{index}"]
        return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift

    x = largest(nn.relu(norm(0, convolve(x, weights["stem"]))), 3, 2)
    y = nn.relu(norm(1, convolve(x, weights["first"], 2)))
    y = norm(2, convolve(y, weights["second"])) + convolve(x, weights["shortcut"], 2)
    return nn.relu(y).mean((1, 2)) @ weights["head"], statistics


@model("resnet_momentum", RESNET, like(RESNET, 1e-3), drawn(4, 12, 12, 3), integers(10, 4))
@momentum
def _(weights: Any, x: Any, labels: Any) -> Any:
    scores, statistics = resnet(weights, x)
    return cross_entropy(scores, labels) + 0.01 * sum(mean.sum() for mean, _ in statistics)


CONVNEXT: dict[str, Any] = {
    "stem": weight(4, 4, 3, 12),
    "depthwise": weight(7, 7, 1, 12),
    "norm": (ones(12), zeros(12)),
    "up": weight(12, 48),
    "down": weight(48, 12),
    "scale": drawn(12, scale=0.1),
    "squeeze": weight(12, 4),
    "excite": weight(4, 12),
}


def convnext(weights: Any, x: Any) -> Any:
    """The scores of a network with a depthwise block and with squeeze-and-excitation."""
    x = convolve(x, weights["stem"], 4, "VALID")
    y = layer_norm(weights["norm"], convolve(x, weights["depthwise"], groups=12))
    x = x + nn.gelu(y @ weights["up"], approximate=False) @ weights["down"] * weights["scale"]
    gate = nn.sigmoid(nn.silu(x.mean((1, 2)) @ weights["squeeze"]) @ weights["excite"])
    return (x * gate[:, None, None]).mean((1, 2))


model("convnext", CONVNEXT, drawn(3, 24, 24, 3), trains=False)(convnext)
in_16_bits("convnext")


@model("convnext_sgd", CONVNEXT, drawn(3, 24, 24, 3), integers(12, 3))
@sgd
def _(weights: Any, x: Any, labels: Any) -> Any:
    return cross_entropy(convnext(weights, x), labels)


UNET: dict[str, Any] = {
    "down": weight(3, 3, 3, 8),
    "middle": weight(3, 3, 8, 16),
    "up": weight(2, 2, 8, 16),
    "out": weight(3, 3, 24, 3),
    "time": weight(10, 16),
    "norm": (ones(8), zeros(8)),
}


@model("unet_diffusion", UNET, drawn(2, 8, 8, 3), KEY)
@sgd
def _(weights: Any, image: Any, key: Any) -> Any:
    """The loss of a denoiser, the error of the noise that it predicts. The network has a group norm, transposed
    convolutions and a resized shortcut."""
    first, second = jax.random.split(jax.random.wrap_key_data(key))
    time, noise = jax.random.uniform(first, (2,)), jax.random.normal(second, image.shape)
    share = jnp.cos(time * (jnp.pi / 2))[:, None, None, None]
    angles = time[:, None] * jnp.exp(-0.9 * jnp.arange(5.0))
    x = convolve(share * image + jnp.sqrt(1 - share * share) * noise, weights["down"])
    groups = x.reshape(2, 8, 8, 2, 4)
    centred = groups - groups.mean((1, 2, 4), keepdims=True)
    groups = centred * lax.rsqrt(jnp.square(centred).mean((1, 2, 4), keepdims=True) + 1e-5)
    a = nn.silu(groups.reshape(x.shape) * weights["norm"][0] + weights["norm"][1])
    b = nn.silu(convolve(mean_pool(a), weights["middle"]))
    b = b + (jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1) @ weights["time"])[:, None, None]
    up = lax.conv_transpose(b, weights["up"], (2, 2), "SAME", dimension_numbers=NHWC, transpose_kernel=True)
    wide = jax.image.resize(b, (2, 8, 8, 16), "bilinear")
    return jnp.square(convolve(jnp.concatenate([a + up, wide], -1), weights["out"]) - noise).mean()


@model("pools_and_windows", weight(3, 4, 2, 8), drawn(2, 8, 9, 9))
@sgd
def _(weights: Any, x: Any) -> Any:
    """The loss of a network of maxima over overlapping windows and of a grouped convolution with channels first."""
    y = lax.conv_general_dilated(x, weights.transpose(3, 2, 0, 1), (2, 1), "SAME", feature_group_count=4)
    return jnp.square(largest(y.transpose(0, 2, 3, 1), 3, 2)).sum() + largest(x[..., None].sum(1), 2, 1).sum()


# Words.

VIT: dict[str, Any] = {
    "patches": weight(4, 4, 3, 16),
    "class": drawn(1, 1, 16),
    "places": drawn(1, 10, 16, scale=0.02),
    "attention": {"qkv": weight(16, 48), "out": weight(16, 16)},
    "norm": (ones(16), zeros(16)),
    "up": weight(16, 32),
    "down": weight(32, 16),
    "head": weight(16, 10),
}


def vit(weights: Any, x: Any, key: Any = None) -> Any:
    x = convolve(x, weights["patches"], 4, "VALID").reshape(x.shape[0], -1, 16)
    x = jnp.concatenate([jnp.broadcast_to(weights["class"], (x.shape[0], 1, 16)), x], 1) + weights["places"]
    x = x + attention(weights["attention"], layer_norm(weights["norm"], x), 2)
    inner = nn.gelu(layer_norm(weights["norm"], x) @ weights["up"])
    inner = inner if key is None else dropped(jax.random.fold_in(jax.random.wrap_key_data(key), 1), 0.9, inner)
    return (x + inner @ weights["down"])[:, 0] @ weights["head"]


model("vit", VIT, drawn(3, 12, 12, 3), trains=False)(vit)


@model("vit_dropout", VIT, drawn(3, 12, 12, 3), integers(10, 3), KEY)
@sgd
def _(weights: Any, x: Any, labels: Any, key: Any) -> Any:
    return cross_entropy(vit(weights, x, key), labels)


WIDTH, LENGTH = 16, 8
LAYER: dict[str, Any] = {
    "norms": ones(2, WIDTH),
    "query": weight(WIDTH, WIDTH),
    "key": weight(WIDTH, WIDTH // 2),
    "value": weight(WIDTH, WIDTH // 2),
    "out": weight(WIDTH, WIDTH),
    "gate": weight(WIDTH, 24),
    "up": weight(WIDTH, 24),
    "down": weight(24, WIDTH),
}
LLAMA: dict[str, Any] = {
    "words": drawn(30, WIDTH, scale=0.3),
    "layers": {name: np.stack([each, each[::-1]]) for name, each in LAYER.items()},
}
WORDS = integers(30, 2, LENGTH)


def rotated(x: Any) -> Any:
    half = x.shape[-1] // 2
    angles = jnp.arange(x.shape[1])[:, None] * 1e4 ** (-jnp.arange(half) / half)
    cosine, sine = (f(angles)[None, :, None].astype(x.dtype) for f in (jnp.cos, jnp.sin))
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1)


def llama_layer(x: Any, weights: Any) -> tuple[Any, None]:
    """A layer with RMS norms, rotary positions, heads that share keys, and a gated perceptron."""
    batch, length, _ = x.shape
    h = rms_norm(weights["norms"][0], x)
    q, k, v = ((h @ weights[n]).reshape(batch, length, -1, 4) for n in ("query", "key", "value"))
    q, k, v = rotated(q), jnp.repeat(rotated(k), 2, 2), jnp.repeat(v, 2, 2)
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k).astype(jnp.float32) / 2
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e30)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", nn.softmax(scores).astype(x.dtype), v)
    x = x + mixed.reshape(x.shape) @ weights["out"]
    h = rms_norm(weights["norms"][1], x)
    return x + (nn.silu(h @ weights["gate"]) * (h @ weights["up"])) @ weights["down"], None


def llama(weights: Any, words: Any) -> Any:
    x, _ = lax.scan(llama_layer, weights["words"][words], weights["layers"])
    return x @ weights["words"].T


model("llama", LLAMA, WORDS, trains=False)(llama)
in_16_bits("llama")


@model("llama_again", LLAMA, WORDS)
@sgd
def _(weights: Any, words: Any) -> Any:
    """The loss of a transformer whose layers are computed again in the backward pass, instead of storing their
    values."""
    x, _ = lax.scan(jax.checkpoint(llama_layer), weights["words"][words], weights["layers"])
    return cross_entropy((x @ weights["words"].T)[:, :-1], words[:, 1:])


@model("decode", weight(16, 48), weight(16, 16), drawn(2, 2, 8, 16), drawn(2, 1, 16), np.int32(5), trains=False)
def _(qkv: Any, out: Any, cache: Any, x: Any, at: Any) -> Any:
    """The attention of one word to a cache of keys and values, after the word's own key and value are written into the
    cache."""
    query, key, value = jnp.split(x @ qkv, 3, -1)
    cache = lax.dynamic_update_slice(cache, jnp.stack([key, value]), (0, 0, at, 0))
    scores = jnp.where(jnp.arange(8) <= at, jnp.einsum("bqd,bkd->bqk", query, cache[0]) / 4, -jnp.inf)
    return jnp.einsum("bqk,bkd->bqd", nn.softmax(scores), cache[1]) @ out, cache


@model("sampled", drawn(3, 30), KEY, trains=False)
def _(scores: Any, key: Any) -> Any:
    """A word drawn at random from the most probable words, which together have a probability of 0.9."""
    order = jnp.argsort(-scores)
    sorted_ = jnp.take_along_axis(scores, order, -1)
    shares = nn.softmax(sorted_)
    nucleus = jnp.where(jnp.cumsum(shares, -1) - shares < 0.9, sorted_, -jnp.inf)
    drawn_ = jax.random.categorical(jax.random.wrap_key_data(key), nucleus)
    return jnp.take_along_axis(order, drawn_[:, None], -1)


@model("attention_in_blocks", drawn(2, 8, 4), drawn(2, 8, 4), drawn(2, 8, 4))
def _(q: Any, k: Any, v: Any) -> Any:
    """The loss and the gradients of attention whose softmax is computed block by block, with a correction of earlier
    blocks at each step."""

    def block(carried: Any, keys_and_values: Any) -> Any:
        most, total, mixed = carried
        keys, values = keys_and_values
        scores = jnp.einsum("bqd,bkd->bqk", q, keys)
        new = jnp.maximum(most, scores.max(-1))
        shares, kept = jnp.exp(scores - new[..., None]), jnp.exp(most - new)
        mixed = mixed * kept[..., None] + jnp.einsum("bqk,bkd->bqd", shares, values)
        return (new, total * kept + shares.sum(-1), mixed), None

    def mixed(k: Any, v: Any) -> Any:
        start = jnp.full((2, 8), -jnp.inf), jnp.zeros((2, 8)), jnp.zeros((2, 8, 4))
        blocks = tuple(t.reshape(2, 4, 2, 4).swapaxes(0, 1) for t in (k, v))
        (_, total, found), _ = lax.scan(block, start, blocks)
        return jnp.square(found / total[..., None]).sum()

    return jax.value_and_grad(mixed, (0, 1))(k, v)


EXPERTS = {"route": weight(16, 4), "up": weight(4, 16, 24), "down": weight(4, 24, 16)}


@model("experts", EXPERTS, drawn(10, 16))
@sgd
def _(weights: Any, x: Any) -> Any:
    """The loss of a mixture of experts, each word with two experts and each expert with at most four words, plus a term
    that balances the experts."""
    shares = nn.softmax(x @ weights["route"])
    best, chosen = lax.top_k(shares, 2)
    hot = nn.one_hot(chosen, 4)
    place = (jnp.cumsum(hot.sum(1), 0) - 1)[:, None] * hot
    send = jnp.einsum("tke,tkec->tec", hot, nn.one_hot(place.astype(jnp.int32), 4))
    inner = nn.gelu(jnp.einsum("tec,td->ecd", send, x) @ weights["up"]) @ weights["down"]
    made = jnp.einsum("tec,ecd,te->td", send, inner, jnp.einsum("tk,tke->te", best, hot))
    return jnp.square(made).mean() + 0.1 * (shares.mean(0) * hot.sum(1).mean(0)).sum()


# Sequences.

LSTM: dict[str, Any] = {"x": weight(6, 32), "h": weight(8, 32), "bias": zeros(32), "out": weight(8, 4)}


def lstm(weights: Any, sequence: Any, reverse: bool = False) -> Any:
    def cell(carried: Any, x: Any) -> Any:
        hidden, state = carried
        i, f, g, o = jnp.split(x @ weights["x"] + hidden @ weights["h"] + weights["bias"], 4, -1)
        state = nn.sigmoid(f + 1) * state + nn.sigmoid(i) * jnp.tanh(g)
        hidden = nn.sigmoid(o) * jnp.tanh(state)
        return (hidden, state), hidden

    return lax.scan(cell, (jnp.zeros((sequence.shape[1], 8)),) * 2, sequence, reverse=reverse)[1]


model("lstm", LSTM, drawn(7, 3, 6), trains=False)(lstm)


@model("lstm_both_ways", LSTM, drawn(7, 3, 6), integers(4, 7, 3))
@sgd
def _(weights: Any, x: Any, labels: Any) -> Any:
    return cross_entropy((lstm(weights, x) + lstm(weights, x, reverse=True)) @ weights["out"], labels)


GRU = {"x": weight(6, 24), "h": weight(8, 24), "out": weight(8, 4)}


@model("gru_by_example", GRU, drawn(3, 4, 6), integers(4, 3, 4))
@sgd
def _(weights: Any, sequences: Any, labels: Any) -> Any:
    def cell(hidden: Any, x: Any) -> Any:
        a, b = x @ weights["x"], hidden @ weights["h"]
        reset, update = nn.sigmoid(a[:8] + b[:8]), nn.sigmoid(a[8:16] + b[8:16])
        hidden = (1 - update) * jnp.tanh(a[16:] + reset * b[16:]) + update * hidden
        return hidden, hidden

    def all_turns(sequence: Any) -> Any:
        return lax.scan(cell, jnp.zeros(8), sequence)[1]

    made = jax.vmap(all_turns)(sequences)
    return cross_entropy(made @ weights["out"], labels)


@model("selective_scan", {"a": drawn(6), "b": weight(6, 6), "taps": weight(4, 6)}, drawn(2, 9, 6))
@sgd
def _(weights: Any, x: Any) -> Any:
    """The loss of a causal convolution followed by a linear recurrence, which an associative scan computes."""
    taps = weights["taps"][:, None]
    x = lax.conv_general_dilated(
        x, taps, (1,), [(3, 0)], feature_group_count=6, dimension_numbers=("NWC", "WIO", "NWC")
    )
    step = nn.softplus(x)
    pairs = jnp.exp(-step * jnp.exp(weights["a"])), step * (x @ weights["b"])

    def after(p: Any, q: Any) -> Any:
        return p[0] * q[0], q[0] * p[1] + q[1]

    _, found = lax.associative_scan(after, pairs, axis=1)
    return jnp.square(found).mean()


@model("actor_critic", of_sizes(4, 16, 4), drawn(8, 5, 4), integers(3, 8, 5), drawn(8, 5), -abs(drawn(8, 5)))
@sgd
def _(weights: Any, seen: Any, done: Any, gains: Any, before: Any) -> Any:
    """The loss of PPO: advantages by a reverse scan, and a clipped ratio of probabilities."""
    made = perceptron(weights, seen, jnp.tanh)
    scores, values = nn.log_softmax(made[..., :3]), made[..., 3]
    errors = gains + 0.99 * jnp.concatenate([values[1:], values[-1:]]) - values

    def fold(sum_: Any, error: Any) -> Any:
        return (sum_ := error + 0.94 * sum_), sum_

    advantage = lax.stop_gradient(lax.scan(fold, jnp.zeros(5), errors, reverse=True)[1])
    ratio = jnp.exp(jnp.take_along_axis(scores, done[..., None], -1)[..., 0] - before)
    gain = jnp.minimum(ratio * advantage, jnp.clip(ratio, 0.8, 1.2) * advantage).mean()
    return jnp.square(errors).mean() - gain + 0.01 * (jnp.exp(scores) * scores).sum(-1).mean()


# Others.

VAE: dict[str, Any] = {"in": weight(12, 20), "mean": weight(20, 4), "spread": weight(20, 4), "out": weight(4, 12)}


@model("autoencoder", VAE, drawn(6, 12), KEY)
@sgd
def _(weights: Any, x: Any, key: Any) -> Any:
    h = jnp.tanh(x @ weights["in"])
    mean, spread = h @ weights["mean"], h @ weights["spread"]
    code = mean + jnp.exp(spread / 2) * jax.random.normal(jax.random.wrap_key_data(key), mean.shape)
    made, wanted = code @ weights["out"], nn.sigmoid(x)
    entropy = jnp.maximum(made, 0) - made * wanted + jnp.log1p(jnp.exp(-jnp.abs(made)))
    return entropy.sum(-1).mean() - 0.5 * (1 + spread - mean**2 - jnp.exp(spread)).sum(-1).mean()


@model("graph_attention", {"a": weight(5, 8), "s": drawn(8)}, drawn(7, 5), integers(7, 12), np.sort(integers(7, 12)))
@sgd
def _(weights: Any, nodes: Any, sources: Any, targets: Any) -> Any:
    """The loss of graph attention: a softmax over the edges that end in each node, by segment maxima and segment
    sums."""
    made = nodes @ weights["a"]
    scores = nn.leaky_relu((made @ weights["s"])[sources] + made.sum(-1)[targets])
    most = jax.ops.segment_max(scores, targets, 7, indices_are_sorted=True)
    shares = jnp.exp(scores - lax.stop_gradient(jnp.where(jnp.isfinite(most), most, 0))[targets])
    shares = shares / jax.ops.segment_sum(shares, targets, 7)[targets]
    return jnp.square(jax.ops.segment_sum(shares[:, None] * made[sources], targets, 7)).mean()


@model("rays", of_sizes(24, 16, 4), drawn(4, 6, 3, scale=0.2), drawn(4, 3))
@sgd
def _(weights: Any, points: Any, colours: Any) -> Any:
    """The loss of volume rendering: the transmittance at a sample of a ray is a product over all previous samples."""
    waves = jnp.concatenate([f(points * 2.0**i) for i in range(4) for f in (jnp.sin, jnp.cos)], -1)
    made = perceptron(weights, waves, nn.relu)
    stopped = 1 - jnp.exp(-0.1 * nn.softplus(made[..., 3]))
    left = jnp.cumprod(jnp.concatenate([jnp.ones((4, 1)), 1 - stopped + 1e-10], -1), -1)[:, :-1]
    return jnp.square(((stopped * left)[..., None] * nn.sigmoid(made[..., :3])).sum(1) - colours).mean()


@model("quantized", weight(16, 5), drawn(6, 16), trains=False)
def _(weights: Any, x: Any) -> Any:
    a, b = jnp.abs(x).max(-1, keepdims=True) / 127, jnp.abs(weights).max(0) / 127
    codes = (jnp.round(each / scale).astype(jnp.int8) for each, scale in ((x, a), (weights, b)))
    return jnp.matmul(*codes, preferred_element_type=jnp.int32).astype(jnp.float32) * a * b


@model("branches_and_turns", weight(6, 6), drawn(3, 6), np.int32(2))
@sgd
def _(weights: Any, x: Any, which: Any) -> Any:
    """The sum of the results of a scan with two branches, of one of three functions selected by `which`, and of a `map`
    over rows."""

    def mixed(x: Any) -> Any:
        return jnp.tanh(x @ weights)

    def iteration(x: Any, i: Any) -> Any:
        return lax.cond(i % 2 == 0, mixed, jnp.sin, x), x.sum()

    x, sums = lax.scan(iteration, x, jnp.arange(6))

    def counted(i: Any, x: Any) -> Any:
        return mixed(x) + i

    x = lax.fori_loop(0, 4, counted, x)
    picked = lax.switch(which, [jnp.sin, jnp.tanh, jnp.square], x)
    return sums.sum() + picked.sum() + lax.map(mixed, x).sum()


_MESH = jax.sharding.Mesh(np.array(jax.devices("cpu")[:1]), ("device",))
_SPLIT = jax.sharding.NamedSharding(_MESH, jax.sharding.PartitionSpec("device"))


@model("sharded", MLP, X, in_shardings=(None, _SPLIT), trains=False)
def _(weights: Any, x: Any) -> Any:
    return lax.with_sharding_constraint(perceptron(weights, x), _SPLIT)
