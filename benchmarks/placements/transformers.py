"""BERT-base, RoBERTa of the same size and GPT-2 small at any sequence length, as graph-level text.

Ops are those that PyTorch's exporter writes for Hugging Face's models. (The files in examples/models have one fixed
length each.)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

import ndpir

LENGTHS = (32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Sizes:
    """Sizes of a published configuration.

    `causal`: a decoder, normalised before each sublayer, with a head over the vocabulary; else an encoder, normalised
    after each sublayer, with a pooler of the first token. `types`: number of token types, which have embeddings."""

    vocabulary: int
    positions: int
    causal: bool
    types: int = 0
    layers: int = 12
    hidden: int = 768
    heads: int = 12


SIZES = {
    "bert": Sizes(30522, 512, causal=False, types=2),
    "roberta": Sizes(50265, 514, causal=False),
    "gpt2": Sizes(50257, 1024, causal=True),
}
"""BERT-base (Devlin et al. 2019), RoBERTa-base (Liu et al. 2019, without the single token type in its files) and GPT-2
small (Radford et al. 2019), as in their configuration files."""


@dataclass
class Text:
    """The text of a function under construction. Each method adds a value and returns its name; shapes are tuples."""

    lines: list[str] = field(default_factory=list[str])
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    kinds: dict[str, str] = field(default_factory=dict[str, str])

    def type_of(self, name: str) -> str:
        return f"tensor<{'x'.join(map(str, (*self.shapes[name], self.kinds[name])))}>"

    def known(self, shape: tuple[int, ...], kind: str = "f32", name: str = "") -> str:
        """Register a value of the given shape and element type `kind`; return its name."""
        name = name or f"%v{len(self.shapes)}"
        self.shapes[name], self.kinds[name] = shape, kind
        return name

    def op(
        self,
        word: str,
        reads: tuple[str, ...],
        shape: tuple[int, ...],
        kind: str = "f32",
        how: str = "",
        to: bool = False,
    ) -> str:
        """Add an op; `how`: text after its operands; `to`: True to write the result type, if the operands do not imply
        it."""
        types = ", ".join(self.type_of(each) for each in reads)
        name = self.known(shape, kind)
        result = f" -> {self.type_of(name)}" if to else ""
        self.lines.append(f"{name} = graph.{word} {', '.join(reads)} {how}: {types}{result}")
        return name

    def weight(self, *shape: int) -> str:
        name = self.known(shape)
        bound = (3 / shape[0]) ** 0.5 if len(shape) > 1 else 0.1
        seed = len(self.shapes)
        self.lines.append(
            f'{name} = graph.weight "w{seed}" = uniform({-bound:f}, {bound:f}, {seed}) : {self.type_of(name)}'
        )
        return name

    def constant(self, words: str, kind: str = "f32", shape: tuple[int, ...] = ()) -> str:
        name = self.known(shape, kind)
        self.lines.append(f"{name} = graph.constant {words} : {self.type_of(name)}")
        return name

    def unary(self, word: str, x: str, how: str = "") -> str:
        return self.op(word, (x,), self.shapes[x], how=how)

    def binary(self, word: str, a: str, b: str) -> str:
        """Add an element-wise op on `a` and `b`; the result has the shape of the larger operand."""
        return self.op(word, (a, b), max(self.shapes[a], self.shapes[b], key=len))

    def view(self, x: str, *shape: int) -> str:
        return self.op("reshape", (x,), shape, self.kinds[x], to=True)

    def swapped(self, x: str, *axes: int) -> str:
        return self.op("transpose", (x,), tuple(self.shapes[x][axis] for axis in axes), how=f"permutation = {[*axes]} ")

    def linear(self, x: str, columns: int) -> str:
        inner = self.shapes[x][-1]
        reads = (x, self.weight(inner, columns), self.weight(columns))
        return self.op("matmul", reads, (*self.shapes[x][:-1], columns))

    def matmul(self, a: str, b: str) -> str:
        return self.op("matmul", (a, b), (*self.shapes[a][:-1], self.shapes[b][-1]))

    def norm(self, x: str) -> str:
        hidden = self.shapes[x][-1]
        return self.op("layer_norm", (x, self.weight(hidden), self.weight(hidden)), self.shapes[x])

    def looked_up(self, rows: int, hidden: int, ids: str) -> str:
        return self.op("gather", (self.weight(rows, hidden), ids), (*self.shapes[ids], hidden))


def transformer(name: str, length: int) -> str:
    """Return the text of the model `name` in SIZES, for one sequence of `length` tokens.

    Arguments are token numbers and a mask of valid tokens; results are hidden states and the pooler's result, or
    logits.
    """
    sizes, net = SIZES[name], Text()
    ids, mask = (net.known((1, length), "i64", each) for each in ("%ids", "%mask"))
    x = net.looked_up(sizes.vocabulary, sizes.hidden, ids)
    if sizes.types:
        x = net.binary("add", x, net.looked_up(sizes.types, sizes.hidden, net.constant("0", "i64", (1, length))))
    x = net.binary("add", x, net.weight(1, length, sizes.hidden))
    x = x if sizes.causal else net.norm(x)
    mask_ = _score_mask(net, mask, length, sizes.causal)
    for _ in range(sizes.layers):
        x = _layer(net, sizes, x, mask_)
    if sizes.causal:
        results = (net.linear(net.norm(x), sizes.vocabulary),)
    else:
        first = net.op("slice", (x,), (1, 1, sizes.hidden), how=f"starts = [0, 0, 0], ends = [1, 1, {sizes.hidden}] ")
        results = (x, net.unary("tanh", net.linear(net.view(first, 1, sizes.hidden), sizes.hidden)))
    types = ", ".join(net.type_of(each) for each in results)
    body = "\n".join(f"  {line}" for line in net.lines)
    arguments = f"%ids: {net.type_of(ids)}, %mask: {net.type_of(mask)}"
    return f"func.func @main({arguments}) -> ({types}) {{\n{body}\n  func.return {', '.join(results)} : {types}\n}}\n"


def model(name: str, length: int) -> ModuleOp:
    """Return the parsed program of the model `name` in SIZES, for one sequence of `length` tokens."""
    return ndpir.parse(transformer(name, length), f"{name}_{length}")


def _score_mask(net: Text, mask: str, length: int, causal: bool) -> str:
    """Add the mask that a later op adds to scores: 0 for attended tokens, the least number for all other tokens."""
    mask_ = net.view(net.op("cast", (mask,), (1, length), "i1", to=True), 1, 1, 1, length)
    if causal:
        places = net.constant(str([*range(length)]), "i64", (length,))
        rows, columns = net.view(places, 1, 1, length, 1), net.view(places, 1, 1, 1, length)
        before = net.op("compare le", (columns, rows), (1, 1, length, length), "i1")
        mask_ = net.op("and", (before, mask_), (1, 1, length, length), "i1")
    yes, no = net.constant("0.0"), net.constant("-3.4028235e+38")
    return net.op("select", (mask_, yes, no), net.shapes[mask_])


def _layer(net: Text, sizes: Sizes, x: str, mask_: str) -> str:
    """Add attention and two linear layers, each with a residual connection."""
    attended = net.linear(_attention(net, sizes, net.norm(x) if sizes.causal else x, mask_), sizes.hidden)
    x = net.binary("add", x, attended)
    x = x if sizes.causal else net.norm(x)
    wide = net.linear(net.norm(x) if sizes.causal else x, 4 * sizes.hidden)
    active = net.unary("gelu", wide, "approximate = tanh " if sizes.causal else "")
    x = net.binary("add", x, net.linear(active, sizes.hidden))
    return x if sizes.causal else net.norm(x)


def _attention(net: Text, sizes: Sizes, x: str, mask_: str) -> str:
    hidden, length, depth = sizes.hidden, net.shapes[x][1], sizes.hidden // sizes.heads
    if sizes.causal:  # one matrix for all three
        together = net.linear(x, 3 * hidden)
        three = [
            net.op(
                "slice",
                (together,),
                (1, length, hidden),
                how=f"starts = [0, 0, {part * hidden}], ends = [1, {length}, {(part + 1) * hidden}] ",
            )
            for part in range(3)
        ]
    else:
        three = [net.linear(x, hidden) for _ in range(3)]
    query, key, value = (net.view(each, 1, length, sizes.heads, depth) for each in three)
    query, key, value = net.swapped(query, 0, 2, 1, 3), net.swapped(key, 0, 2, 3, 1), net.swapped(value, 0, 2, 1, 3)
    scores = net.binary("mul", net.matmul(query, key), net.constant(f"{depth**-0.5:f}"))
    shares = net.unary("softmax", net.binary("add", scores, mask_))
    return net.view(net.swapped(net.matmul(shares, value), 0, 2, 1, 3), 1, length, hidden)
