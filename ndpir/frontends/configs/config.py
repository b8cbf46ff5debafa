"""The facts of a language model that decide what it computes: one record for all families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

NormKind: TypeAlias = Literal["rms", "layer"]
Positions: TypeAlias = Literal["rotary", "learned", "alibi"]
Activation: TypeAlias = Literal["silu", "gelu", "gelu_tanh", "gelu_quick", "relu"]
Element: TypeAlias = Literal["f8E4M3FN", "f8E5M2", "i4", "ui4", "i8", "f4E2M1FN"]
Activations: TypeAlias = Literal["own", "tensor", "token", "block"]
Joined: TypeAlias = Literal["apart", "in order", "by group"]


@dataclass(frozen=True)
class Scaling:
    """The rule that slows a rotation down for contexts longer than those trained on; what each number means depends on
    `kind` (rotary.py)."""

    kind: Literal["linear", "dynamic", "llama3", "yarn", "longrope"]
    factor: float
    trained: int = 0
    """The context in tokens for which the model was trained before."""
    slow: float = 0.0
    """llama3: the rotations in that context below which a frequency is slowed by all of the factor; yarn: the same."""
    fast: float = 0.0
    """llama3, yarn: the rotations in that context above which a frequency is kept."""
    magnitude: float = 1.0
    """The factor of sine and cosine, which scales the scores by its square."""
    scores: float = 1.0
    """yarn: the factor of the scores of latent attention."""
    truncates: bool = True
    """yarn: the bounds between slowed and kept frequencies are rounded to whole numbers."""
    short: tuple[float, ...] = ()
    """longrope: a divisor of each frequency, for contexts up to `trained`."""
    long: tuple[float, ...] = ()
    """longrope: the same for longer contexts."""


@dataclass(frozen=True)
class Rotation:
    """Rotary positions (Su et al., RoFormer, 2021): the first `size` elements of each query and key, in pairs, are
    turned by an angle that grows with the position."""

    theta: float
    size: int
    neighbours: bool = False
    """True if the elements of a pair are neighbours; false if they are half of `size` apart."""
    scaling: Scaling | None = None


@dataclass(frozen=True)
class Latent:
    """Latent attention (DeepSeek-V2, 2024): keys and values are products of one short vector a token, the latent, which
    is what caches hold, together with one key for all heads that carries the position."""

    size: int
    """Elements of the latent of keys and values."""
    query_size: int
    """Elements of the latent of queries; 0: queries are computed from the hidden states."""
    plain: int
    """Elements of a query and key of one head that carry no position; the rotation turns the others."""
    epsilon: float = 1e-6
    """That of the norms of latents."""


@dataclass(frozen=True)
class Experts:
    """A mixture of experts: a router chooses a few of many feed-forward blocks for each token, and their results are
    summed with its weights. `layers` are the numbers of the layers that have one; others are dense."""

    count: int
    chosen: int
    width: int
    """The inner width of an expert."""
    layers: frozenset[int]
    scores: Literal["softmax", "sigmoid", "softmax of chosen"] = "softmax"
    """The router's scores: over all experts, of each by itself, or over those that are chosen."""
    normalised: bool = False
    """True if the weights of the chosen experts are divided by their sum."""
    factor: float = 1.0
    """A factor of these weights."""
    groups: int = 1
    chosen_groups: int = 1
    """Experts are chosen only in the best of groups of experts: by the sum of their two best scores, if the scores are
    corrected, else by their best one."""
    corrected: bool = False
    """True if a bias is added to the scores by which experts are chosen, but not to the weights."""
    shared_width: int = 0
    """The inner width of a block that all tokens pass; 0: there is none."""
    biased: bool = False
    """True if the router and the products of experts have biases."""
    clamp: float = 0.0
    """The bound of the clamped activation of gpt-oss, (up + 1) gate sigmoid(1.702 gate) with gate and up limited by it;
    0: experts have the activation of dense blocks."""


@dataclass(frozen=True)
class Quantization:
    """The form in which weights of products are stored in fewer bits, and whether the values that they
    multiply are scaled to as many.

    A scale belongs to a block of `rows` outputs and `columns` inputs of a weight; 0: all of them.
    """

    method: str
    """The published name of the way, for messages."""
    element: Element
    rows: int = 1
    columns: int = 0
    powers: bool = False
    """True if scales are powers of two, of 8 bits."""
    zeros: bool = False
    """True if each block has a number that stands for 0; else that number is the middle of unsigned elements."""
    activations: Activations = "own"
    """The scaling of what weights multiply: none; by one stated scale; by a scale for each token; or by one for each
    token and `columns` inputs."""
    parts: Literal["all", "experts"] = "all"
    """The products whose weights are stored so."""
    skipped: tuple[str, ...] = ()
    """Names of modules whose weights are not stored so, with `*` for any text; they stand for what is inside, too."""
    published: bool = True
    """True if the files of the model hold the weights so; false if they are to be converted."""


@dataclass(frozen=True)
class Config:
    """The facts of a language model, a decoder of transformer layers; sizes are numbers of elements.

    `names` has the published name of each weight by its role, with `{layer}` for the number of a layer; where a role
    is missing, the model has no such weight, and so no such op.
    """

    family: str
    vocabulary: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    """Elements of a query and of a key of one head."""
    feed_forward: int
    """The inner width of a dense feed-forward block."""
    context: int
    """The longest sequence in tokens for which the model is published."""
    names: Mapping[str, str]
    activation: Activation
    gated: bool = True
    """True if the feed-forward block multiplies the activation by a second product."""
    norm: NormKind = "rms"
    epsilon: float = 1e-6
    norm_offset: float = 0.0
    """Added to the scales of norms (1 in Gemma, whose weights are stored less 1)."""
    positions: Positions = "rotary"
    rotations: tuple[Rotation | None, ...] = ()
    """The rotation of queries and keys in each layer."""
    scaled_alibi: bool = False
    """True if positions are rounded to bf16 and multiplied by the factor of scores before they are added to these."""
    position_offset: int = 0
    """The row of the table of learned positions that is the first position's."""
    windows: tuple[int, ...] = ()
    """The number of last tokens that each layer's attention sees; 0: all."""
    qk_norm: Literal["", "head", "heads", "all"] = ""
    """Queries and keys are normed: each head, by the same scales or by its own, or all heads together."""
    joined: Joined = "apart"
    """The storage of the weights of queries, keys and values: in weights of their own; in one, one after
    another; or in one, by group of query heads that share a key head."""
    parallel: bool = False
    """True if attention and feed-forward block read the same input, and both are added to it."""
    input_major: bool = False
    """True if weights of products are stored as [inputs, outputs] rather than [outputs, inputs]."""
    query_key_bias: bool = False
    output_bias: bool = False
    feed_forward_bias: bool = False
    head_bias: bool = False
    norm_bias: bool = False
    scale: float = 0.0
    """The factor of attention scores; 0: one over the root of `head_size`."""
    softcap: float = 0.0
    """Attention scores s become softcap * tanh(s / softcap); 0: they stay."""
    logit_softcap: float = 0.0
    embedding_size: int = 0
    """The size of embeddings, which a product brings to that of hidden states; 0: they have that size."""
    embedding_scale: float = 1.0
    logit_scale: float = 1.0
    residual_scale: float = 1.0
    """The factor of a block's result before it is added."""
    latent: Latent | None = None
    value_size: int = 0
    """Elements of a value of one head; 0: as many as `head_size`."""
    experts: Experts | None = None
    tied: bool = False
    """True if the table of embeddings is also the weight of the last product."""
    quantization: Quantization | None = None
    narrow_caches: bool = False
    """True if the model is published for caches of floats of 8 bits."""
    dtype: str = "f32"
    """The element type in which the model is published: f16, bf16 or f32."""
    file: str = field(default="", compare=False)
    """The file that was read, for messages; empty for a config from memory."""

    def kinds_of_layers(self) -> list[object]:
        """The kind of each layer, which tells it from others but for its weights: equal layers compute the same."""
        experts = frozenset[int]() if self.experts is None else self.experts.layers
        return [(self.rotations[n], self.windows[n], n in experts) for n in range(self.layers)]

    def with_layers(self, kept: Sequence[int]) -> Config:
        """The model with only these of its layers, in this order."""
        experts = self.experts
        if experts is not None:
            experts = replace(experts, layers=frozenset(n for n, old in enumerate(kept) if old in experts.layers))
        rotations, windows = (tuple(each[n] for n in kept) for each in (self.rotations, self.windows))
        return replace(self, layers=len(kept), rotations=rotations, windows=windows, experts=experts)

    def merged(self) -> Config:
        """The model as engines store it: products of the same values are one, with their weights one after another."""
        names = dict(self.names)
        joined = self.joined
        if joined == "apart" and self.latent is None and names.keys() >= {"query", "key", "value"}:
            names["query_key_value"] = names.pop("query").replace("q_proj", "qkv_proj")
            del names["key"], names["value"]
            joined = "in order"
        if self.gated and names.keys() >= {"gate", "up"}:
            names["gate_up"] = names.pop("gate").replace("gate_proj", "gate_up_proj")
            del names["up"]
        return replace(self, names=names, joined=joined)
