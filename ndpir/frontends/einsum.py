"""Einsum as transposes, sums, element-wise and matrix products of two operands at a time, from left to right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from string import ascii_letters

from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.construction import Construction
from ndpir.frontends.products import product

Operand = tuple[SSAValue, str]
"""A tensor and the index of each of its axes."""


def einsum_of(b: Construction, equation: str, operands: Sequence[SSAValue]) -> SSAValue:
    """The sum of products of operands that an equation states in numpy's notation (`bij,bjk->bik`)."""
    terms, result = _parsed(b, equation, operands)
    parts = [_diagonal(b, x, term) for x, term in zip(operands, terms, strict=True)]
    extents: dict[str, int] = {}
    for x, term in parts:
        for index, extent in zip(term, g.shape_of(x), strict=True):
            before = extents.setdefault(index, extent)
            if 1 not in (before, extent) and before != extent:
                b.fail(f"an index of the equation counts {before} elements in one operand, {extent} in another")
            extents[index] = max(before, extent)
    (total, held), *rest = [(b.broadcast_to(x, [extents[index] for index in term]), term) for x, term in parts]
    for at, (x, term) in enumerate(rest):
        later = set(result).union(*(other for _, other in rest[at + 1 :]))
        total, held = _pair(
            b, _summed(b, (total, held), later | set(term)), _summed(b, (x, term), later | set(held)), later
        )
    total, held = _summed(b, (total, held), set(result))
    return b.transposed(total, [held.index(index) for index in result])


def _parsed(b: Construction, equation: str, operands: Sequence[SSAValue]) -> tuple[list[str], str]:
    """The indices of each operand and of the result, a letter each; axes of `...` get letters that the equation does
    not have. Fails for an equation that does not fit."""
    text = "".join(equation.split())
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        b.fail(f"the equation {text!r} has {len(terms)} terms for {len(operands)} operands")
    named = Counter(letter for term in terms for letter in term.replace("...", ""))
    widths = [len(g.shape_of(x)) - len(term.replace("...", "")) for x, term in zip(operands, terms, strict=True)]
    spare = [letter for letter in ascii_letters if letter not in named]
    wrong = [letter for letter in named | Counter(right.replace("...", "")) if letter not in ascii_letters]
    dotted = max((width for width, term in zip(widths, terms, strict=True) if "..." in term), default=0)
    if wrong or dotted > len(spare) or any(w < 0 or (w and "..." not in t) for w, t in zip(widths, terms, strict=True)):
        ranks = ", ".join(str(len(g.shape_of(x))) for x in operands)
        b.fail(f"the equation {text!r} does not fit operands of {ranks} axes")
    letters = "".join(spare[:dotted])
    full = [t.replace("...", letters[dotted - w :]) if w >= 0 else t for t, w in zip(terms, widths, strict=True)]
    once = "".join(sorted(letter for letter, count in named.items() if count == 1))
    result = right.replace("...", letters) if arrow else letters + once
    if len(set(result)) != len(result) or not set(result) <= set("".join(full)):
        b.fail(f"the result of the equation {text!r} must name indices of the operands, each once")
    return full, result


def _diagonal(b: Construction, x: SSAValue, term: str) -> Operand:
    """`x` with a single axis in place of axes that have one index: every (n + 1)-th element of the two axes as one."""
    while (index := next((letter for letter, count in Counter(term).items() if count > 1), None)) is not None:
        first, second = [axis for axis, letter in enumerate(term) if letter == index][:2]
        others = [axis for axis in range(len(term)) if axis not in (first, second)]
        shape = g.shape_of(x)
        n = shape[first]
        if shape[second] != n:
            b.fail(f"two axes of {x.type} have the index `{index}`, but different extents")
        kept = [shape[axis] for axis in others]
        flat = b.reshaped(b.transposed(x, [*others, first, second]), [*kept, n * n])
        ends, steps = [*kept, n * n], [*(1 for _ in kept), n + 1]
        x = b.sliced(flat, [0] * len(ends), ends, steps)
        term = "".join(term[axis] for axis in others) + index
    return x, term


def _summed(b: Construction, operand: Operand, needed: Collection[str]) -> Operand:
    """An operand summed over the indices that nothing else needs."""
    x, term = operand
    axes = tuple(axis for axis, index in enumerate(term) if index not in needed)
    if not axes:
        return operand
    kept = "".join(index for index in term if index in needed)
    return b.build(g.ReduceOp, x, kind="sum", axes=axes), kept


def _pair(b: Construction, left: Operand, right: Operand, needed: Collection[str]) -> Operand:
    """The product of two operands, summed over the common indices that nothing else needs."""
    (x, i), (y, j) = left, right
    sums = [index for index in i if index in j and index not in needed]
    batch = [index for index in i if index in j and index in needed]
    held = "".join(batch) + "".join(each for each in i if each not in j) + "".join(each for each in j if each not in i)
    if not sums:
        x, y = (_spread(b, value, term, held) for value, term in ((x, i), (y, j)))
        return b.build(g.MulOp, x, y), held
    axes = [[[term.index(index) for index in indices] for term in (i, j)] for indices in (batch, sums)]
    return product(b, x, y, axes[0], axes[1], g.tensor_of(x).element_type), held


def _spread(b: Construction, x: SSAValue, term: str, held: str) -> SSAValue:
    """`x` with its axes in the order of `held`, and an extent of 1 for the indices that it does not have."""
    order = [term.index(index) for index in held if index in term]
    shape = dict(zip(term, g.shape_of(x), strict=True))
    return b.reshaped(b.transposed(x, order), [shape.get(index, 1) for index in held])
