"""The graph of one step of an inference engine on a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NoReturn

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from dialects import graph as g
from dialects.diagnostics import FileName, InputError
from dialects.element_types import I64, ElementType, element_type_named, tensor_type
from dialects.locations import named
from dialects.task import State
from interp.host import without_collection
from interp.walk.inputs import fill_attribute
from ndpir.frontends.configs.attention import Caches, Group, attention, joined, rows_kept
from ndpir.frontends.configs.building import StepBuilder
from ndpir.frontends.configs.config import Config, Rotation
from ndpir.frontends.configs.experts import mixture
from ndpir.frontends.configs.feed_forward import feed_forward
from ndpir.frontends.configs.latent import latent_attention
from ndpir.frontends.configs.norms import normed
from ndpir.frontends.configs.products import product
from ndpir.frontends.configs.quantization import FORMATS
from ndpir.frontends.configs.rotary import Turns, turns_of
from ndpir.frontends.configs.weights import EMBEDDINGS, Drawn, Weights

MOST_TOKENS = 1 << 40
"""The largest number of tokens of a step, of new and cached ones together."""


def build(
    config: Config,
    groups: Sequence[Group],
    *,
    dtype: str | None = None,
    weights: str = "own",
    activations: str = "own",
    cache: str = "own",
    skew: float = 0.0,
    all_logits: bool = False,
    source: Weights | None = None,
) -> ModuleOp:
    """The graph of one step, in which the sequences of some groups advance together: products by weights run once over
    the new tokens of all groups, attention runs over the caches of each group.

    The function `@main` takes the ids of the new tokens of each group, [sequences, new], then for each group and layer
    the caches of keys and values, [sequences, heads, tokens, elements], if something is cached. It returns the logits
    of the last new token of each sequence, [sequences of all groups, vocabulary] (with `all_logits` those of all new
    tokens), then the caches after the step in the same order, those of prompts, too. All sequences are as long as their
    group says, and their positions count from 0.
    `dtype`: the type of the step's numbers, f16, bf16 or f32; default: that in which the model is published.
    `weights`: how the weights of products are stored: `own` (as published), the type of the step's numbers if it is a
    word for `dtype`, or a word of `quantization.FORMATS`: f8, f8_block, i4, mxfp4.
    `activations`: what these weights multiply: `own` (as that way of storing says), `16` for the step's type, or `f8`.
    `cache`: the type of caches: `own` (as published), or `f8`.
    `skew`: how unevenly tokens choose experts (`graph.grouped_matmul`); 0: evenly.
    `source`: where the weights come from; default: drawn from seeds. They stand in the program by name only.
    Raises InputError for groups that contradict each other or the model, and for words that are not known.
    """
    _check(config, groups)
    config, dtype = _stored(config, dtype, weights, activations, source)
    element = _type(config, dtype or config.dtype)
    narrow = cache == "f8" or (cache == "own" and config.narrow_caches)
    cache_element = element_type_named("f8E4M3FN") if narrow else element
    if cache not in ("own", "f8"):
        _fail(config, f"`cache` must be own or f8, not {cache!r}")
    with without_collection():
        return _Step(config, groups, element, cache_element, skew, source or Drawn()).module(all_logits)


_DTYPES = ("f16", "bf16", "f32")


def _fail(config: Config, message: str) -> NoReturn:
    raise InputError(message, FileName(config.file) if config.file else None)


def _type(config: Config, dtype: str) -> ElementType:
    if dtype not in _DTYPES:
        _fail(config, f"the type of a step's numbers must be one of {', '.join(_DTYPES)}, not {dtype!r}")
    return element_type_named(dtype)


def _stored(
    config: Config, dtype: str | None, weights: str, activations: str, source: Weights | None
) -> tuple[Config, str | None]:
    """The config with its weights stored as is asked for, and the type of the step's numbers."""
    if weights in _DTYPES:
        config, dtype = replace(config, quantization=None), dtype or weights
    elif weights in FORMATS:
        if config.quantization is not None and source is not None and not isinstance(source, Drawn):
            _fail(
                config, f"the files hold weights of {config.quantization.method}; read them as they are, or leave them"
            )
        config = replace(config, quantization=FORMATS[weights])
    elif weights != "own":
        known = ("own", *_DTYPES, *FORMATS)
        _fail(config, f"`weights` must be one of {', '.join(known)}, not {weights!r}")
    if activations not in ("own", "16", "f8"):
        _fail(config, f"`activations` must be own, 16 or f8, not {activations!r}")
    stored = config.quantization
    if stored is not None and activations == "16":
        config = replace(config, quantization=replace(stored, activations="own"))
    elif activations == "f8" and (stored is None or stored.element not in ("f8E4M3FN", "f8E5M2")):
        _fail(config, "`activations` of 8 bits need weights of 8 bits, since products multiply factors of one kind")
    elif activations == "f8" and stored is not None and stored.activations == "own":
        blocks = "block" if stored.rows > 1 else "token"
        config = replace(config, quantization=replace(stored, activations=blocks))
    return config, dtype


def _check(config: Config, groups: Sequence[Group]) -> None:
    fail = partial(_fail, config)
    if not groups:
        fail("a step needs at least one group of sequences")
    for group in groups:
        if group.sequences < 1 or group.new < 1 or group.cached < 0:
            fail(
                "a group needs at least one sequence, one new token and no negative number of cached ones, not "
                f"{group.sequences}, {group.new} and {group.cached}"
            )
        if group.sequences * (group.new + group.cached) > MOST_TOKENS:
            fail(f"a group of {group.sequences} sequences of {group.new + group.cached} tokens is too large for a step")


class _Step:
    """One step under construction."""

    def __init__(
        self,
        config: Config,
        groups: Sequence[Group],
        element: ElementType,
        cache_element: ElementType,
        skew: float,
        weights: Weights,
    ) -> None:
        self.config, self.groups = config, groups
        self.block = Block()
        self.b = StepBuilder(config, self.block, element, cache_element, weights)
        self.b.skew = skew
        self.notes: list[dict[str, Attribute]] = []
        self.ids = [
            self._argument(f"{self._prefix(number)}ids", (group.sequences, group.new), I64)
            for number, group in enumerate(groups)
        ]
        for notes in self.notes:
            notes[g.FILL] = fill_attribute(0, config.vocabulary)
        self.caches = [[self._cache(number, layer) for layer in range(config.layers)] for number in range(len(groups))]
        self._turns: dict[tuple[Rotation, int, int], Turns] = {}

    def _prefix(self, number: int) -> str:
        return f"groups.{number}." if len(self.groups) > 1 else ""

    def _argument(self, name: str, shape: Sequence[int], element: Attribute) -> SSAValue:
        argument = self.block.insert_arg(tensor_type(shape, element), len(self.block.args))
        argument.name_hint = name
        argument.location = named(name)
        self.notes.append({})
        return argument

    def _cache(self, number: int, layer: int) -> Caches:
        """The caches of a group in a layer before the step."""
        config, group = self.config, self.groups[number]
        rows = rows_kept(config.windows[layer], group.cached)
        if not rows:
            return Caches(())
        prefix = f"{self._prefix(number)}layers.{layer}."
        shapes = {
            "keys": (config.kv_heads, rows, config.head_size),
            "values": (config.kv_heads, rows, config.value_size or config.head_size),
        }
        if config.latent is not None:
            shapes = {"latents": (1, rows, config.latent.size + config.head_size - config.latent.plain)}
        return Caches(
            tuple(
                self._argument(prefix + name, (group.sequences, *shape), self.b.cache_element)
                for name, shape in shapes.items()
            )
        )

    def module(self, all_logits: bool) -> ModuleOp:
        """The complete program."""
        b, config = self.b, self.config
        x = self._embedded()
        for layer in range(config.layers):
            b.layer = layer
            x = self._layer(x, layer)
        x = x if all_logits else self._last(x)
        x = normed(b, x, "final_norm")
        logits = self._logits(x)
        results = [logits, *(each for layers in self.caches for cache in layers for each in cache.after)]
        self._note_states(results)
        self.block.add_op(ReturnOp(*results))
        types = ([argument.type for argument in self.block.args], [result.type for result in results])
        function = FuncOp("main", types, Region(self.block))
        function.arg_attrs = ArrayAttr(map(DictionaryAttr, self.notes))
        function.location = named(config.file or config.family)
        return ModuleOp([function])

    def _embedded(self) -> SSAValue:
        """The embeddings of all new tokens, [tokens, hidden]."""
        b, config = self.b, self.config
        flat = [b.reshaped(ids, (group.tokens,)) for ids, group in zip(self.ids, self.groups, strict=True)]
        x = b.build(g.GatherOp, self._table(), joined(b, flat))
        if config.embedding_scale != 1:
            x = b.build(g.MulOp, x, b.number(config.embedding_scale, x))
        if b.has("embedding_in"):
            x = product(b, x, "embedding_in", config.hidden)
        if config.positions == "learned":
            rows = config.context + config.position_offset
            table = b.weight(b.name("positions"), (rows, config.hidden), EMBEDDINGS)
            x = b.build(g.AddOp, x, b.build(g.GatherOp, table, self._positions(config.position_offset)))
        return normed(b, x, "embedding_norm")

    def _table(self) -> SSAValue:
        """The table of embeddings, [vocabulary, elements]."""
        config = self.config
        shape = (config.vocabulary, config.embedding_size or config.hidden)
        return self.b.weight(self.b.name("embedding"), shape, EMBEDDINGS)

    def _layer(self, x: SSAValue, layer: int) -> SSAValue:
        """The hidden states after a layer: attention and feed-forward block, each added to what it reads."""
        b, config = self.b, self.config
        caches = [layers[layer] for layers in self.caches]
        before = normed(b, x, "attention_norm")
        attended = normed(b, self._attended(before, caches, layer), "attention_out_norm")
        if config.parallel:
            inner = normed(b, x, "feed_forward_norm") if b.has("feed_forward_norm") else before
            return self._sum(x, b.build(g.AddOp, attended, self._fed_forward(inner, layer)))
        x = normed(b, self._sum(x, attended), "attention_sum_norm")
        y = normed(b, self._fed_forward(normed(b, x, "feed_forward_norm"), layer), "feed_forward_out_norm")
        return normed(b, self._sum(x, y), "feed_forward_sum_norm")

    def _attended(self, x: SSAValue, caches: Sequence[Caches], layer: int) -> SSAValue:
        """The result of a layer's attention block."""
        turns, latent = self._turns_in(layer), self.config.latent
        if latent is None:
            return attention(self.b, x, self.groups, caches, turns)
        return latent_attention(self.b, x, latent, self.groups, caches, turns)

    def _fed_forward(self, x: SSAValue, layer: int) -> SSAValue:
        """The result of a layer's feed-forward block, or of its mixture of experts."""
        experts = self.config.experts
        return mixture(self.b, x, experts) if experts and layer in experts.layers else feed_forward(self.b, x)

    def _sum(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """A block's result added to what the block reads."""
        b, factor = self.b, self.config.residual_scale
        return b.build(g.AddOp, x, y if factor == 1 else b.build(g.MulOp, y, b.number(factor, y)))

    def _turns_in(self, layer: int) -> list[Turns]:
        """The angles by which a layer turns queries and keys of each group; none if it turns nothing."""
        if (rotation := self.config.rotations[layer]) is None:
            return []
        self.b.part("rotation")
        found: list[Turns] = []
        for group in self.groups:
            key = rotation, group.new, group.cached
            if key not in self._turns:
                self._turns[key] = turns_of(self.b, *key)
            found.append(self._turns[key])
        return found

    def _positions(self, offset: int) -> SSAValue:
        """The positions of all new tokens, plus an offset, as a vector; of one token, if it is that of all."""
        b, found = self.b, list[SSAValue]()
        if {(group.new, group.cached) for group in self.groups} == {(1, self.groups[0].cached)}:
            return b.constant(np.array([self.groups[0].cached + offset]))
        for group in self.groups:
            own = b.counted(group.new, I64)
            if group.cached + offset:
                own = b.build(g.AddOp, own, b.integer(group.cached + offset, I64))
            own = b.broadcast_to(b.reshaped(own, (1, group.new)), (group.sequences, group.new))
            found.append(b.reshaped(own, (group.tokens,)))
        return joined(b, found)

    def _last(self, x: SSAValue) -> SSAValue:
        """The rows of the last new tokens of all sequences."""
        b, found, start = self.b, list[SSAValue](), 0
        b.part("last tokens")
        for group in self.groups:
            size = g.shape_of(x)[1]
            rows = b.sliced(x, (start, 0), (start + group.tokens, size))
            if group.new > 1:
                rows = b.reshaped(rows, (group.sequences, group.new, size))
                rows = b.sliced(rows, (0, group.new - 1, 0), (group.sequences, group.new, size))
                rows = b.reshaped(rows, (group.sequences, size))
            found.append(rows)
            start += group.tokens
        return joined(b, found)

    def _logits(self, x: SSAValue) -> SSAValue:
        b, config = self.b, self.config
        if b.has("embedding_out"):
            x = product(b, x, "embedding_out", config.embedding_size)
        if config.tied:
            b.part("head")
            logits = b.build(g.MatmulOp, x, self._table(), transpose_b=True)
        else:
            logits = product(b, x, "head", config.vocabulary, config.head_bias)
        if config.logit_scale != 1:
            logits = b.build(g.MulOp, logits, b.number(config.logit_scale, logits))
        if cap := config.logit_softcap:
            bounded = b.build(g.TanhOp, b.build(g.MulOp, logits, b.number(1 / cap, logits)))
            logits = b.build(g.MulOp, bounded, b.number(cap, logits))
        return logits

    def _note_states(self, results: Sequence[SSAValue]) -> None:
        """State which result each cache becomes, and how: it grows, or drops its oldest rows (a ring). A window's cache
        is written anew if the step drops all of its rows, or if it grows and drops rows at a time."""
        numbers: dict[SSAValue, int] = {argument: number for number, argument in enumerate(self.block.args)}
        places = {result: number for number, result in enumerate(results)}
        for layers, group in zip(self.caches, self.groups, strict=True):
            for cache, window in zip(layers, self.config.windows, strict=True):
                rows = [rows_kept(window, tokens) for tokens in (group.cached, group.cached + group.new)]
                for before, after in zip(cache.before, cache.after, strict=False):
                    grows, drops = rows[0] < rows[1], rows[1] < group.cached + group.new
                    if grows and drops:
                        change = State("free")
                    else:
                        change = State("overwritten" if drops and group.new >= rows[1] else "appended", places[after])
                    self.notes[numbers[before]] |= change.noted
