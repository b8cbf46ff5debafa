"""Latent attention (DeepSeek): caches hold one short vector a token, the latent, of which all heads' keys and values
are products, and one key that carries the position.

A prompt's keys and values are computed from the latents. Over caches that would be far more work than attention itself;
there, the products are applied to queries and results instead:

    (q · W_k) · latent = q · (W_k · latent)        (Σ p latent) · W_v = Σ p (latent · W_v)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.configs.attention import Caches, Group, appended, joined, of_group
from ndpir.frontends.configs.building import StepBuilder
from ndpir.frontends.configs.config import Latent
from ndpir.frontends.configs.norms import normed
from ndpir.frontends.configs.products import matrix, product
from ndpir.frontends.configs.rotary import Turns, turned


def latent_attention(
    b: StepBuilder,
    x: SSAValue,
    latent: Latent,
    groups: Sequence[Group],
    caches: Sequence[Caches],
    turns: Sequence[Turns],
) -> SSAValue:
    """The block's result for the new tokens [tokens, elements] of all groups, one group after another. `turns`: those
    of the rotation for each group.

    Roles: `query_latent`, `query_latent_norm`, `query`, `latent` (with the key that carries the position),
    `latent_norm`, `key_value` (both, head by head), `output`.
    """
    config, tokens = b.config, g.shape_of(x)[0]
    turning, heads = config.head_size - latent.plain, config.heads
    query = x
    if latent.query_size:
        query = product(b, x, "query_latent", latent.query_size, config.query_key_bias)
        query = normed(b, query, "query_latent_norm", epsilon=latent.epsilon)
    query = b.reshaped(product(b, query, "query", heads * config.head_size), (tokens, heads, config.head_size))
    both = product(b, x, "latent", latent.size + turning, config.query_key_bias)
    short = normed(b, b.sliced(both, (0, 0), (tokens, latent.size)), "latent_norm", epsilon=latent.epsilon)
    parts = {
        "plain": b.sliced(query, (0, 0, 0), (tokens, heads, latent.plain)),
        "query": b.sliced(query, (0, 0, latent.plain), (tokens, heads, config.head_size)),
        "latent": b.reshaped(short, (tokens, 1, latent.size)),
        "key": b.reshaped(b.sliced(both, (0, latent.size), (tokens, latent.size + turning)), (tokens, 1, turning)),
    }
    rotation = config.rotations[b.layer]
    assert rotation is not None  # all models of these families have one
    found: list[SSAValue] = []
    start = 0
    for group, cache, own_turns in zip(groups, caches, turns, strict=True):
        own = {name: of_group(b, each, start, group) for name, each in parts.items()}
        own |= {name: turned(b, own[name], rotation, own_turns) for name in ("query", "key")}
        start += group.tokens
        rows = appended(b, b.build(g.ConcatOp, own["latent"], own["key"], axis=3), 0, 0, group, cache)
        found.append(_absorbed(b, own, rows, latent, group) if group.cached else _expanded(b, own, latent, group))
    return product(b, joined(b, found), "output", config.hidden, config.output_bias)


def _expanded(b: StepBuilder, own: Mapping[str, SSAValue], latent: Latent, group: Group) -> SSAValue:
    """Attention over the keys and values of a prompt, [tokens, elements]."""
    config, tokens = b.config, group.tokens
    heads, plain, values = config.heads, latent.plain, config.value_size
    short = b.reshaped(own["latent"], (tokens, latent.size))
    both = b.reshaped(product(b, short, "key_value", heads * (plain + values)), (tokens, heads, plain + values))
    by_head = of_group(b, both, 0, group)
    sequences, _, new, size = g.shape_of(by_head)
    key = b.broadcast_to(own["key"], (sequences, heads, new, config.head_size - plain))
    key = b.build(g.ConcatOp, b.sliced(by_head, (0, 0, 0, 0), (sequences, heads, new, plain)), key, axis=3)
    value = b.sliced(by_head, (0, 0, 0, plain), (sequences, heads, new, size))
    query = b.build(g.ConcatOp, own["plain"], own["query"], axis=3)
    y = b.build(g.AttentionOp, query, key, value, scale=config.scale, causal=new > 1)
    return b.reshaped(b.transposed(y, (0, 2, 1, 3)), (tokens, heads * values))


def _absorbed(b: StepBuilder, own: Mapping[str, SSAValue], rows: SSAValue, latent: Latent, group: Group) -> SSAValue:
    """Attention over the latents of a cache and of the new tokens, [tokens, elements]. What a cache holds is both key
    and value: of the result, the elements of the latent count."""
    config, plain = b.config, latent.plain
    heads, size = config.heads, plain + config.value_size
    weight = b.reshaped(matrix(b, "key_value", heads * size, latent.size), (1, heads, size, latent.size))
    to_key = b.sliced(weight, (0, 0, 0, 0), (1, heads, plain, latent.size))
    to_value = b.sliced(weight, (0, 0, plain, 0), (1, heads, size, latent.size))
    b.part(f"layers.{b.layer}.attention")
    by_head = (1, heads, group.tokens, plain)  # one product for all sequences
    absorbed = b.build(g.MatmulOp, _heads_first(b, own["plain"], by_head), to_key)
    absorbed = _sequences_first(b, absorbed, group)
    query = b.build(g.ConcatOp, absorbed, own["query"], axis=3)
    y = b.build(g.AttentionOp, query, rows, rows, scale=config.scale, causal=group.new > 1)
    y = b.sliced(y, (0, 0, 0, 0), (group.sequences, heads, group.new, latent.size))
    made = b.build(g.MatmulOp, _heads_first(b, y, (1, heads, group.tokens, latent.size)), to_value, transpose_b=True)
    return b.reshaped(b.transposed(made, (0, 2, 1, 3)), (group.tokens, heads * config.value_size))


def _heads_first(b: StepBuilder, x: SSAValue, shape: Sequence[int]) -> SSAValue:
    """[sequences, heads, new, elements] as [1, heads, tokens, elements]."""
    return b.reshaped(b.transposed(x, (1, 0, 2, 3)), shape)


def _sequences_first(b: StepBuilder, x: SSAValue, group: Group) -> SSAValue:
    """[1, heads, tokens, elements] as [sequences, heads, new, elements]."""
    _, heads, _, size = g.shape_of(x)
    return b.transposed(b.reshaped(x, (heads, group.sequences, group.new, size)), (1, 0, 2, 3))
