"""The attention block: queries, keys and values of all new tokens at once, then attention of each group of sequences
over its own caches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import tensor_type
from ndpir.frontends.configs.alibi import alibi
from ndpir.frontends.configs.building import StepBuilder
from ndpir.frontends.configs.norms import normed
from ndpir.frontends.configs.products import product
from ndpir.frontends.configs.rotary import Turns, turned


@dataclass(frozen=True)
class Group:
    """Sequences that advance together in a step, all alike: `new` tokens each, behind `cached` ones whose keys and
    values are in caches. A prompt has nothing cached; a sequence that decodes has one new token."""

    sequences: int
    new: int
    cached: int = 0

    @property
    def tokens(self) -> int:
        """The number of new tokens of all sequences."""
        return self.sequences * self.new


@dataclass
class Caches:
    """The caches of a group's sequences in one layer: keys and values [sequences, heads, tokens, elements] before the
    step (none where nothing is cached), and after it."""

    before: tuple[SSAValue, ...]
    after: list[SSAValue] = field(default_factory=list[SSAValue])


def rows_kept(window: int, tokens: int) -> int:
    """The number of tokens of which caches hold keys and values behind the first `tokens` ones: all, or in a layer that
    sees the last `window` ones those that the next token sees, in a ring."""
    return min(tokens, window - 1) if window else tokens


def attention(
    b: StepBuilder, x: SSAValue, groups: Sequence[Group], caches: Sequence[Caches], turns: Sequence[Turns]
) -> SSAValue:
    """The block's result for the new tokens [tokens, elements] of all groups, one group after another. `turns`: those
    of the layer's rotation for each group; none if it has no rotation."""
    config = b.config
    query, key, value = _projected(b, x)
    query, key = _normed_heads(b, query, "query_norm"), _normed_heads(b, key, "key_norm")
    found: list[SSAValue] = []
    start = 0
    for number, (group, cache) in enumerate(zip(groups, caches, strict=True)):
        own = [of_group(b, each, start, group) for each in (query, key, value)]
        if (rotation := config.rotations[b.layer]) is not None:
            own[:2] = [turned(b, each, rotation, turns[number]) for each in own[:2]]
        found.append(_attended(b, own, group, cache))
        start += group.tokens
    return product(b, joined(b, found), "output", config.hidden, config.output_bias)


def joined(b: StepBuilder, parts: Sequence[SSAValue]) -> SSAValue:
    """The rows of all groups, one group after another."""
    return parts[0] if len(parts) == 1 else b.build(g.ConcatOp, *parts, axis=0)


def _projected(b: StepBuilder, x: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """Queries, keys and values [tokens, heads, elements]."""
    config, tokens = b.config, g.shape_of(x)[0]
    heads, kv_heads, size, bias = config.heads, config.kv_heads, config.head_size, config.query_key_bias
    counts = (heads, kv_heads, kv_heads)
    if config.joined == "apart":
        roles = zip(("query", "key", "value"), counts, strict=True)
        query, key, value = (
            b.reshaped(product(b, x, role, count * size, bias), (tokens, count, size)) for role, count in roles
        )
        return query, key, value
    both = product(b, x, "query_key_value", sum(counts) * size, bias)
    groups, shared = (1, counts) if config.joined == "in order" else (kv_heads, (heads // kv_heads, 1, 1))
    parted = b.reshaped(both, (tokens, groups, sum(shared), size))
    parts: list[SSAValue] = []
    start = 0
    for count in shared:
        part = b.sliced(parted, (0, 0, start, 0), (tokens, groups, start + count, size))
        parts.append(b.reshaped(part, (tokens, groups * count, size)))
        start += count
    return parts[0], parts[1], parts[2]


def _normed_heads(b: StepBuilder, x: SSAValue, role: str) -> SSAValue:
    """Queries or keys normed as the model does: each head, or all elements of a token."""
    shape = g.shape_of(x)
    if b.config.qk_norm == "all":
        return b.reshaped(normed(b, b.reshaped(x, (shape[0], shape[1] * shape[2])), role), shape)
    return normed(b, x, role, b.config.qk_norm == "heads") if b.config.qk_norm else x


def of_group(b: StepBuilder, x: SSAValue, start: int, group: Group) -> SSAValue:
    """A group's part of queries, keys or values, [sequences, heads, new, elements]."""
    b.part(f"layers.{b.layer}.attention")
    _, heads, size = g.shape_of(x)
    rows = b.sliced(x, (start, 0, 0), (start + group.tokens, heads, size))
    if group.new == 1:
        return b.reshaped(rows, (group.sequences, heads, 1, size))
    return b.transposed(b.reshaped(rows, (group.sequences, group.new, heads, size)), (0, 2, 1, 3))


def _attended(b: StepBuilder, new: Sequence[SSAValue], group: Group, cache: Caches) -> SSAValue:
    """Attention of a group over its caches and its new queries, keys and values, [tokens, elements]; notes the caches
    after the step."""
    config, window, query = b.config, b.config.windows[b.layer], new[0]
    key, value = (appended(b, each, number, window, group, cache) for number, each in enumerate(new[1:]))
    keys = g.shape_of(key)[2]
    seen = window if window < keys else 0
    limits = [alibi(b, keys)] if config.positions == "alibi" else []
    if sinks := b.has("sinks"):
        limits.append(b.weight(b.name("sinks"), (config.heads,), (-1.0, 1.0)))
        b.part(f"layers.{b.layer}.attention")
    y = b.build(
        g.AttentionOp, query, key, value, *limits, scale=config.scale, softcap=config.softcap, causal=group.new > 1,
        window=seen, sinks=sinks,
    )  # fmt: skip
    if group.new > 1:
        y = b.transposed(y, (0, 2, 1, 3))
    return b.reshaped(y, (group.tokens, config.heads * g.shape_of(value)[3]))


def appended(b: StepBuilder, new: SSAValue, number: int, window: int, group: Group, cache: Caches) -> SSAValue:
    """The keys or values that a group's new tokens see: those of its cache and the new ones. Notes what the cache holds
    after the step. Caches of small floats hold numbers rounded to these."""
    narrow, one = b.cache_element != b.element, b.number(1.0, new)
    fresh = new
    if narrow:
        fresh = b.build(g.QuantizeOp, new, one, result_type=tensor_type(g.shape_of(new), b.cache_element))
    rows = b.build(g.ConcatOp, cache.before[number], fresh, axis=2) if cache.before else fresh
    sequences, heads, held, size = g.shape_of(rows)
    if kept := rows_kept(window, group.new + group.cached):
        cache.after.append(b.sliced(rows, (0, 0, held - kept, 0), (sequences, heads, held, size)))
    if not narrow:
        return rows
    return b.build(g.DequantizeOp, rows, one) if cache.before else new
