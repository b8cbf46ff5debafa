"""Einsum as transposes, sums, element-wise and matrix products of two operands at a time, from left to right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from string import ascii_letters

from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.operators import OnnxNode, element_of, handles, rank_of
from ndpir.frontends.products import product

Operand = tuple[SSAValue, str]
"""A tensor and the index of each of its axes."""


@handles("Einsum", newest=28)
def einsum(node: OnnxNode) -> SSAValue:
    operands = [node[index] for index in range(len(node.inputs))]
    terms, result = _parsed(node, operands)
    parts = [_diagonal(node, x, term) for x, term in zip(operands, terms, strict=True)]
    extents: dict[str, int] = {}
    for x, term in parts:
        for index, extent in zip(term, g.shape_of(x), strict=True):
            before = extents.setdefault(index, extent)
            if 1 not in (before, extent) and before != extent:
                node.fail(f"an index of the equation counts {before} elements in one operand, {extent} in another")
            extents[index] = max(before, extent)
    (total, held), *rest = [(node.broadcast_to(x, [extents[index] for index in term]), term) for x, term in parts]
    for at, (x, term) in enumerate(rest):
        later = set(result).union(*(other for _, other in rest[at + 1 :]))
        total, held = _pair(
            node, _summed(node, (total, held), later | set(term)), _summed(node, (x, term), later | set(held)), later
        )
    total, held = _summed(node, (total, held), set(result))
    return node.transposed(total, [held.index(index) for index in result])


def _parsed(node: OnnxNode, operands: Sequence[SSAValue]) -> tuple[list[str], str]:
    """The indices of each operand and of the result, a letter each; axes of `...` get letters that the equation does
    not have. Raises VerifyException for an equation that does not fit."""
    found = node.attribute("equation")
    text = "".join((b"" if found is None else found.s).decode("utf-8", "replace").split())
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        node.fail(f"the equation {text!r} has {len(terms)} terms for {len(operands)} operands")
    named = Counter(letter for term in terms for letter in term.replace("...", ""))
    widths = [rank_of(x) - len(term.replace("...", "")) for x, term in zip(operands, terms, strict=True)]
    spare = [letter for letter in ascii_letters if letter not in named]
    wrong = [letter for letter in named | Counter(right.replace("...", "")) if letter not in ascii_letters]
    dotted = max((width for width, term in zip(widths, terms, strict=True) if "..." in term), default=0)
    if wrong or dotted > len(spare) or any(w < 0 or (w and "..." not in t) for w, t in zip(widths, terms, strict=True)):
        node.fail(f"the equation {text!r} does not fit operands of {', '.join(str(rank_of(x)) for x in operands)} axes")
    letters = "".join(spare[:dotted])
    full = [t.replace("...", letters[dotted - w :]) if w >= 0 else t for t, w in zip(terms, widths, strict=True)]
    once = "".join(sorted(letter for letter, count in named.items() if count == 1))
    result = right.replace("...", letters) if arrow else letters + once
    if len(set(result)) != len(result) or not set(result) <= set("".join(full)):
        node.fail(f"the result of the equation {text!r} must name indices of the operands, each once")
    return full, result


def _diagonal(node: OnnxNode, x: SSAValue, term: str) -> Operand:
    """`x` with a single axis in place of axes that have one index: every (n + 1)-th element of the two axes as one."""
    while (index := next((letter for letter, count in Counter(term).items() if count > 1), None)) is not None:
        first, second = [axis for axis, letter in enumerate(term) if letter == index][:2]
        others = [axis for axis in range(len(term)) if axis not in (first, second)]
        shape = g.shape_of(x)
        n = shape[first]
        if shape[second] != n:
            node.fail(f"two axes of {x.type} have the index `{index}`, but different extents")
        kept = [shape[axis] for axis in others]
        flat = node.reshaped(node.transposed(x, [*others, first, second]), [*kept, n * n])
        ends, steps = [*kept, n * n], [*(1 for _ in kept), n + 1]
        x = node.sliced(flat, [0] * len(ends), ends, steps)
        term = "".join(term[axis] for axis in others) + index
    return x, term


def _summed(node: OnnxNode, operand: Operand, needed: Collection[str]) -> Operand:
    """An operand summed over the indices that nothing else needs."""
    x, term = operand
    axes = tuple(axis for axis, index in enumerate(term) if index not in needed)
    if not axes:
        return operand
    kept = "".join(index for index in term if index in needed)
    return node.build(g.ReduceOp, x, kind="sum", axes=axes), kept


def _pair(node: OnnxNode, left: Operand, right: Operand, needed: Collection[str]) -> Operand:
    """The product of two operands, summed over the common indices that nothing else needs."""
    (x, a), (y, b) = left, right
    sums = [index for index in a if index in b and index not in needed]
    batch = [index for index in a if index in b and index in needed]
    held = "".join(batch) + "".join(i for i in a if i not in b) + "".join(i for i in b if i not in a)
    if not sums:
        x, y = (_spread(node, value, term, held) for value, term in ((x, a), (y, b)))
        return node.build(g.MulOp, x, y), held
    axes = [[[term.index(index) for index in indices] for term in (a, b)] for indices in (batch, sums)]
    return product(node, x, y, axes[0], axes[1], element_of(x)), held


def _spread(node: OnnxNode, x: SSAValue, term: str, held: str) -> SSAValue:
    """`x` with its axes in the order of `held`, and an extent of 1 for the indices that it does not have."""
    order = [term.index(index) for index in held if index in term]
    shape = dict(zip(term, g.shape_of(x), strict=True))
    return node.reshaped(node.transposed(x, order), [shape.get(index, 1) for index in held])
