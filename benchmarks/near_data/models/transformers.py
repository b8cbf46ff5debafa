"""BERT and GPT-2, with dropout; layers are unrolled, so that a plan can overlap the work of several layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax  # pyright: ignore[reportMissingModuleSource]
import jax.numpy as jnp  # pyright: ignore[reportMissingModuleSource]

from benchmarks.near_data.models.layers import (
    HALF,
    SINGLE,
    affine,
    cross_entropy,
    dropout,
    layer_norm,
    linear,
    scaling,
    shape,
)


@dataclass(frozen=True)
class Transformer:
    """Sizes of a transformer; `decoder`: GPT-2 (norms first, causal, predicts next tokens), else BERT (norms last).

    `outputs` of BERT: "spans" for question answering, with a start and an end position (SQuAD, 384 tokens);
    "classes" for a class of the complete sequence (GLUE, 128 tokens).
    """

    layers: int
    hidden: int
    heads: int
    vocabulary: int
    outputs: str = "spans"
    rate: float = 0.1
    decoder: bool = False

    def weights(self, length: int) -> Any:
        hidden, inner = self.hidden, 4 * self.hidden
        layer = {
            **{name: affine(hidden, hidden) for name in ("query", "key", "value", "project")},
            **{"first": affine(hidden, inner), "second": affine(inner, hidden)},
            **{"norm1": scaling(hidden), "norm2": scaling(hidden)},
        }
        head = {} if self.decoder else {"head": affine(hidden, 2)}
        pooled = {"pool": affine(hidden, hidden)} if self.outputs == "classes" and not self.decoder else {}
        embeddings = {"words": shape(self.vocabulary, hidden), "places": shape(length, hidden)}
        segments = {} if self.decoder else {"segments": shape(2, hidden)}
        return {**embeddings, **segments, "norm": scaling(hidden), "layers": [layer] * self.layers, **head, **pooled}

    def batch(self, size: int, length: int) -> Any:
        def integers(*extents: int) -> Any:
            return jax.ShapeDtypeStruct(extents, jnp.int32)

        words = {"words": integers(size, length)}
        if self.decoder:
            return {**words, "labels": integers(size, length)}
        labels = integers(size, 2) if self.outputs == "spans" else integers(size)
        return {**words, "segments": integers(size, length), "mask": integers(size, length), "labels": labels}

    def attention(self, weights: Any, x: Any, bias: Any, key: Any) -> Any:
        """Apply attention to `x` [batch, length, hidden]; `bias` is added to scores. Softmax is in f32."""
        size, length, hidden = x.shape

        def heads(name: str) -> Any:
            return linear(weights[name], x).reshape(size, length, self.heads, -1).transpose(0, 2, 1, 3)

        scores = jnp.einsum("bhqd,bhkd->bhqk", heads("query"), heads("key")).astype(SINGLE)
        shares = jax.nn.softmax(scores / (hidden // self.heads) ** 0.5 + bias).astype(HALF)
        mixed = jnp.einsum("bhqk,bhkd->bhqd", dropout(key, shares, self.rate), heads("value"))
        return linear(weights["project"], mixed.transpose(0, 2, 1, 3).reshape(x.shape))

    def feed_forward(self, weights: Any, x: Any) -> Any:
        return linear(weights["second"], jax.nn.gelu(linear(weights["first"], x), approximate=self.decoder))

    def layer(self, weights: Any, x: Any, bias: Any, key: Any) -> Any:
        keys = jax.random.split(key, 3) if self.rate else [None] * 3
        if self.decoder:
            attended = self.attention(weights, layer_norm(weights["norm1"], x), bias, keys[0])
            x = x + dropout(keys[1], attended, self.rate)
            inner = self.feed_forward(weights, layer_norm(weights["norm2"], x))
            return x + dropout(keys[2], inner, self.rate)
        attended = self.attention(weights, x, bias, keys[0])
        x = layer_norm(weights["norm1"], x + dropout(keys[1], attended, self.rate))
        inner = self.feed_forward(weights, x)
        return layer_norm(weights["norm2"], x + dropout(keys[2], inner, self.rate))

    def loss(self, weights: Any, batch: Any, key: Any) -> Any:
        words = batch["words"]
        keys = jax.random.split(key, 1 + self.layers) if self.rate else [None] * (1 + self.layers)
        x = (weights["words"][words] + weights["places"]).astype(HALF)
        if self.decoder:
            length = words.shape[1]
            bias = jnp.where(jnp.tril(jnp.ones((length, length), bool)), 0.0, -1e9)
        else:
            x = layer_norm(weights["norm"], x + weights["segments"][batch["segments"]].astype(HALF))
            bias = jnp.where(batch["mask"][:, None, None] > 0, 0.0, -1e9)
        x = dropout(keys[0], x, self.rate)
        layer = jax.jit(self.layer)  # one function for all layers
        for each, its_key in zip(weights["layers"], keys[1:], strict=True):
            x = layer(each, x, bias, its_key)
        if self.decoder:
            logits = layer_norm(weights["norm"], x) @ weights["words"].astype(HALF).T
        elif self.outputs == "spans":
            logits = linear(weights["head"], x).transpose(0, 2, 1)
        else:
            logits = linear(weights["head"], jnp.tanh(linear(weights["pool"], x[:, 0])))
        return cross_entropy(logits, batch["labels"])
