"""Latent attention (DeepSeek): caches hold one short vector a token, the latent, of which all heads' keys and values
are products, and one key that carries the position.

A prompt's keys and values are computed from the latents. Over caches that would be far more work than attention itself;
there, the products are applied to queries and results instead:

    (q · W_k) · latent = q · (W_k · latent)        (Σ p latent) · W_v = Σ p (latent · W_v)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.configs.attention import Caches, Group, appended, joined, of_group
from ndpir.frontends.configs.building import StepBuilder
from ndpir.frontends.configs.config import Latent
from ndpir.frontends.configs.norms import normed
from ndpir.frontends.configs.rotary import Turns, turned
from ndpir.frontends.configs.weights import bounds_of


def latent_attention(
    b: StepBuilder, x: SSAValue, latent: Latent, groups: Sequence[Group], caches: Sequence[Caches], turns: Turns
) -> SSAValue:
    """The block's result for the new tokens [tokens, elements] of all groups, one group after another.

    Roles: `query_latent`, `query_latent_norm`, `query`, `latent` (with the key that carries the position),
    `latent_norm`, `key_value` (both, head by head), `output`.
    """
    config, tokens = b.config, g.shape_of(x)[0]
    query = x
    if latent.query_size:
        query = b.product(x, "query_latent", latent.query_size, config.query_key_bias)
        query = normed(b, query, "query_latent_norm", epsilon=latent.epsilon)
    query = b.reshaped(
        b.product(query, "query", config.heads * config.head_size), (tokens, config.heads, config.head_size)
    )
    turning = config.head_size - latent.plain
    both = b.product(x, "latent", latent.size + turning, config.query_key_bias)
    short = normed(b, b.sliced(both, (0, 0), (tokens, latent.size)), "latent_norm", epsilon=latent.epsilon)
    key = b.reshaped(b.sliced(both, (0, latent.size), (tokens, latent.size + turning)), (tokens, 1, turning))
    b.part(f"layers.{b.layer}.rotation")
    rotation = config.rotations[b.layer]
    assert rotation is not None
    plain = b.sliced(query, (0, 0, 0), (tokens, config.heads, latent.plain))
    query = turned(b, b.sliced(query, (0, 0, latent.plain), g.shape_of(query)), rotation, turns)
    key = turned(b, key, rotation, turns)
    found: list[SSAValue] = []
    start = 0
    for group, cache in zip(groups, caches, strict=True):
        own = [
            b.sliced(each, (start, *(0 for _ in g.shape_of(each)[1:])), (start + group.tokens, *g.shape_of(each)[1:]))
            for each in (plain, query, short, key)
        ]
        start += group.tokens
        rows = b.build(g.ConcatOp, b.reshaped(own[2], (group.tokens, 1, latent.size)), own[3], axis=2)
        rows = appended(b, of_group(b, rows, 0, group), 0, 0, group, cache)
        found.append(_absorbed(b, own, rows, latent, group) if group.cached else _expanded(b, own, latent, group))
    return b.product(joined(b, found), "output", config.hidden, config.output_bias)


def _weight(b: StepBuilder, latent: Latent) -> SSAValue:
    """The matrices that make keys and values of latents, [heads, elements of a key and a value, those of a latent]."""
    heads, size = b.config.heads, latent.plain + b.config.value_size
    weight = b.weight(b.name("key_value"), (heads * size, latent.size), bounds_of(latent.size))
    return b.reshaped(weight, (heads, size, latent.size))


def _expanded(b: StepBuilder, own: Sequence[SSAValue], latent: Latent, group: Group) -> SSAValue:
    """Attention over the keys and values of a prompt, [tokens, elements]."""
    config = b.config
    plain, query, short, key = own
    heads, tokens, values = config.heads, group.tokens, config.value_size
    both = b.reshaped(
        b.product(short, "key_value", heads * (latent.plain + values)), (tokens, heads, latent.plain + values)
    )
    b.part(f"layers.{b.layer}.attention")
    turning = g.shape_of(key)[2]
    own_key = b.sliced(both, (0, 0, 0), (tokens, heads, latent.plain))
    keys = b.build(g.ConcatOp, own_key, b.broadcast_to(key, (tokens, heads, turning)), axis=2)
    queries = b.build(g.ConcatOp, plain, query, axis=2)
    value = b.sliced(both, (0, 0, latent.plain), (tokens, heads, latent.plain + values))
    operands = [of_group(b, each, 0, group) for each in (queries, keys, value)]
    y = b.build(g.AttentionOp, *operands, scale=config.scale, causal=group.new > 1)
    return b.reshaped(b.transposed(y, (0, 2, 1, 3)), (tokens, heads * values))


def _absorbed(b: StepBuilder, own: Sequence[SSAValue], rows: SSAValue, latent: Latent, group: Group) -> SSAValue:
    """Attention over the latents of a cache and of the new tokens, [tokens, elements]. What a cache holds is both key
    and value: of the result, the elements of the latent count."""
    config = b.config
    plain, query = own[:2]
    heads, tokens, size = config.heads, group.tokens, latent.plain + config.value_size
    weight = _weight(b, latent)
    to_key = b.sliced(weight, (0, 0, 0), (heads, latent.plain, latent.size))
    to_value = b.sliced(weight, (0, latent.plain, 0), (heads, size, latent.size))
    b.part(f"layers.{b.layer}.attention")
    absorbed = b.build(g.MatmulOp, b.transposed(plain, (1, 0, 2)), to_key)
    queries = b.build(g.ConcatOp, b.transposed(absorbed, (1, 0, 2)), query, axis=2)
    y = b.build(g.AttentionOp, of_group(b, queries, 0, group), rows, rows, scale=config.scale, causal=group.new > 1)
    y = b.sliced(y, (0, 0, 0, 0), (group.sequences, heads, group.new, latent.size))
    by_head = b.reshaped(b.transposed(y, (1, 0, 2, 3)), (heads, tokens, latent.size))
    made = b.build(g.MatmulOp, by_head, to_value, transpose_b=True)
    return b.reshaped(b.transposed(made, (1, 0, 2)), (tokens, heads * config.value_size))
