"""Ranges of a program's arguments, inferred from their uses: runs draw random values from these ranges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import exp, inf, isfinite, prod, sqrt
from typing import TypeAlias

import numpy as np

from dialects.element_types import dtype_of, element_type_named
from dialects.graph.constant import LITERAL_LIMIT
from interp.numerics.dense import elements
from ndpir.frontends.stablehlo.module import DenseLiteral, HloBlock, HloFunction, HloOp, HloType, HloValue, TensorShape

Interval: TypeAlias = tuple[float, float]
"""A closed interval: its least and greatest number."""

ANY: Interval = (-inf, inf)
NON_NEGATIVE: Interval = (0.0, inf)
DRAWN_INTEGERS = 8
"""The number of different integers to draw from if a program implies no upper limit."""
KEYS: Interval = (0, (1 << 32) - 1)
"""The range of arguments of type ui32, which are keys of random generators: every bit is significant."""
NAMED_NON_NEGATIVE = frozenset(
    {"count", "exp_avg_sq", "moving_var", "moving_variance", "mu_sq", "nu", "running_var", "step", "var", "variance"}
)
"""Parts of argument names by which optimizers and norms denote second moments, variances and counts (optax, flax,
haiku, torch)."""
_MOST_OPS = 200_000


def fills_of(functions: Mapping[str, HloFunction]) -> list[Interval | None]:
    """The range from which a run draws each argument of `main`; None for the default range.

    An argument is non-negative if sign-preserving ops pass it to a root, a logarithm, a denominator or the exponent of
    a constant, or if its name denotes a second moment, a variance or a count. Integers that index a tensor are within
    its extents. Factors of products that sum over k elements are within ±√(3/k), as frameworks initialise weights (Y.
    LeCun et al., Efficient BackProp, 1998), so that values keep their magnitude through many layers; if both factors
    are arguments, only the right factor gets this range.
    """
    main = functions.get("main")
    if main is None:
        return []
    uses = _Uses(functions)
    arguments = main.body.arguments
    uses.ranges |= {value: _default(value.type) for value in arguments}
    uses.moved_arguments.update(arguments)
    uses.forward(main.body)
    uses.backward(main.body, [])
    names = [str(attributes.get("jax.arg_info", "")) for attributes in main.argument_attributes] or [""] * len(
        arguments
    )
    return [_fill(value.type, uses.needs.get(value, ANY), name) for value, name in zip(arguments, names, strict=False)]


def _element(type_: HloType) -> str:
    return type_.element if isinstance(type_, TensorShape) else ""


def _is_float(type_: HloType) -> bool:
    return _element(type_).startswith(("f", "bf"))


def _default(type_: HloType) -> Interval:
    """The range of an argument of which the program implies nothing but the element type."""
    if _is_float(type_):
        return (-1.0, 1.0)
    return {"i1": (0, 1), "ui32": KEYS}.get(_element(type_), (0, DRAWN_INTEGERS - 1))


def _fill(type_: HloType, need: Interval, name: str) -> Interval | None:
    """The half-open range from which an argument is drawn: from its first number up to, but excluding, its second. None
    for the default range. `need`: the range that uses of the argument require."""
    if NAMED_NON_NEGATIVE & set(re.findall(r"[a-z]\w*", name.lower())):
        need = _intersection(need, NON_NEGATIVE)
    least, most = need
    usual = _default(type_)
    if _is_float(type_):
        low, high = _intersection((max(least, -1.0), min(most, 1.0)), (0.0, 1.0) if least >= 0 else usual)
        return None if (low, high) == usual or low >= high else (low, high)
    if _element(type_) == "i1" or not least <= most:
        return None
    if not isfinite(least):
        least, most = usual
    elif not isfinite(most):
        most = max(usual[1], least + DRAWN_INTEGERS - 1)
    return None if (least, most) == (0, DRAWN_INTEGERS - 1) else (int(least), int(most) + 1)


def _intersection(a: Interval, b: Interval) -> Interval:
    return max(a[0], b[0]), min(a[1], b[1])


def _hull(*ranges: Interval) -> Interval:
    return min((low for low, _ in ranges), default=-inf), max((high for _, high in ranges), default=inf)


def _corners(f: Callable[[float, float], float], a: Interval, b: Interval) -> Interval:
    found = [f(x, y) for x in a for y in b]
    return ANY if any(value != value for value in found) else (min(found), max(found))


def _power(x: Interval, y: Interval) -> Interval:
    if x[0] >= 0 and x[1] <= 1 and y[0] >= 0:
        return (0.0, 1.0)
    is_even = y[0] == y[1] and y[0] % 2 == 0
    return NON_NEGATIVE if x[0] >= 0 or is_even else ANY


def _rising(f: Callable[[float], float], least: float = -inf) -> Callable[[Interval], Interval]:
    def image(x: Interval) -> Interval:
        try:
            return f(max(x[0], least)), f(max(x[1], least))
        except OverflowError:
            return f(0.0) if x[0] >= 0 else 0.0, inf

    return image


def _magnitude(x: Interval) -> Interval:
    return (0.0 if x[0] <= 0 <= x[1] else min(map(abs, x))), max(map(abs, x))


def _square(x: Interval) -> Interval:
    low, high = _magnitude(x)
    return low * low, high * high


_UNARY: dict[str, Callable[[Interval], Interval]] = {
    "abs": _magnitude,
    "chlo.erf": lambda x: (-1.0, 1.0),
    "chlo.erfc": lambda x: (0.0, 2.0),
    "chlo.square": _square,
    "cosine": lambda x: (-1.0, 1.0),
    "exponential": _rising(exp),
    "logistic": lambda x: (0.0, 1.0),
    "negate": lambda x: (-x[1], -x[0]),
    "rsqrt": lambda x: NON_NEGATIVE,
    "sine": lambda x: (-1.0, 1.0),
    "sqrt": _rising(sqrt, 0.0),
    "tanh": lambda x: (-1.0, 1.0),
}
"""The function that computes the range of the result from the range of the operand, by the name of an element-wise op
with one operand."""
_BINARY: dict[str, Callable[[Interval, Interval], Interval]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "compare": lambda a, b: (0, 1),
    "divide": lambda a, b: _corners(lambda x, y: x / y if y else inf if x >= 0 else -inf, a, b) if b[0] >= 0 else ANY,
    "maximum": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "minimum": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "multiply": lambda a, b: _corners(lambda x, y: x * y if x and y else 0.0, a, b),
    "power": _power,
    "subtract": lambda a, b: (a[0] - b[1], a[1] - b[0]),
}
"""The function that computes the range of the result from the ranges of both operands, by the name of an element-wise
op with two operands."""
_MOVED = {
    "all_gather": 1,
    "bitcast_convert": 0,
    "broadcast_in_dim": 1,
    "concatenate": 9999,
    "convert": 1,
    "copy": 1,
    "dynamic_slice": 1,
    "dynamic_update_slice": 2,
    "gather": 1,
    "optimization_barrier": 9999,
    "pad": 2,
    "reduce_precision": 1,
    "reshape": 1,
    "reverse": 1,
    "slice": 1,
    "sort": 9999,
    "transpose": 1,
}
"""The number of leading operands whose elements an op moves into its results, by op name."""
_LEAST = {
    **dict.fromkeys(("log", "log_plus_one", "dynamic_slice"), 1),
    **dict.fromkeys(("dynamic_update_slice", "gather"), 2),
    **dict.fromkeys(("clamp", "scatter", "select"), 3),
}


def _has_operands(op: HloOp) -> bool:
    """True if an op has results, and at least the operands that this analysis reads. Ops without them are reported as
    errors when they are converted."""
    if op.name in _BINARY or op.name == "remainder":
        return bool(op.results) and len(op.operands) == 2
    least = _LEAST.get(op.name, 1 if op.name in _UNARY or op.name in _MOVED else 0)
    return bool(op.results) and len(op.operands) >= least


class _Uses:
    """Ranges of all values, computed from arguments to results, and then the ranges that ops require of their operands,
    computed from results to arguments."""

    def __init__(self, functions: Mapping[str, HloFunction]) -> None:
        self.functions = functions
        self.ranges: dict[HloValue, Interval] = {}
        self.needs: dict[HloValue, Interval] = {}
        self.fixed = set[HloValue]()
        """Values that do not depend on arguments."""
        self.moved_arguments = set[HloValue]()
        """Arguments of the program, and results of ops that only move their elements."""
        self.joined: dict[HloValue, HloOp] = {}
        """Concatenations by their results."""
        self.ops, self.depth = 0, 0

    # Forward: ranges of values.

    def forward(self, block: HloBlock) -> list[Interval]:
        """Record the ranges of a block's values; return the ranges of the values that the block returns."""
        for op in block.ops:
            self.ops += 1
            if op.name == "return":
                return [self.range(value) for value in op.operands]
            found = self._results(op) if _has_operands(op) else ()
            is_fixed = self.fixed.issuperset(op.operands) and not op.regions and op.name != "call"
            if op.name in _MOVED and self.moved_arguments.issuperset(op.operands[: _MOVED[op.name]]):
                self.moved_arguments.update(op.results)
            for result, range_ in zip(op.results, found, strict=False):
                self.ranges[result] = range_
                if is_fixed:
                    self.fixed.add(result)
        return []

    def range(self, value: HloValue) -> Interval:
        return self.ranges.get(value, ANY)

    def _results(self, op: HloOp) -> Sequence[Interval]:
        xs = [self.range(value) for value in op.operands]
        match op.name:
            case "constant":
                return [_of_literal(op.attributes.get("value"))]
            case "iota":
                type_, axis = op.results[0].type, op.attributes.get("iota_dimension")
                extents = type_.shape if isinstance(type_, TensorShape) else ()
                return [(0, (extents[axis] or 1) - 1)] if isinstance(axis, int) and axis < len(extents) else [ANY]
            case "multiply" if op.operands[0] is op.operands[1]:
                return [_square(xs[0])]
            case "reduce" | "reduce_window" if len(xs) == 2 and op.regions and op.regions[0].ops:
                return [self._folded(op, *xs)]
            case "while" if len(op.regions) == 2 and self._may_enter():
                body = op.regions[1]
                kept = body.ops[-1].operands if body.ops else []
                same = [i for i, (a, b) in enumerate(zip(body.arguments, kept, strict=False)) if a is b]
                self._enter_arguments(op, body, same)
                return self._loop(body, xs)
            case "case" | "if" if self._may_enter():
                sides = [self._forward_into(region, []) for region in op.regions]
                return [_hull(*each) for each in zip(*sides, strict=False)]
            case "call" if self._may_enter():
                body = self._callee(op)
                if body is None:
                    return [ANY] * len(op.results)
                self._enter_arguments(op, body, range(len(body.arguments)))
                found = self._forward_into(body, xs)
                made = zip(op.results, body.ops[-1].operands if body.ops else [], strict=False)
                self.moved_arguments.update(result for result, value in made if value in self.moved_arguments)
                return found
            case "select" if len(xs) == 3:
                return [_hull(*xs[1:])]
            case "clamp" if len(xs) == 3:
                (least, _), (low, high), (_, most) = xs
                return [(max(least, min(low, most)), min(most, max(high, least)))]
            case name if name in _UNARY and len(xs) == 1:
                return [_UNARY[name](xs[0])]
            case name if name in _BINARY and len(xs) == 2:
                return [_BINARY[name](xs[0], xs[1])]
            case _ if op.name in _MOVED:
                kept = xs[: _MOVED[op.name]]
                if op.name == "concatenate":
                    self.joined[op.results[0]] = op
                return kept if op.name in ("optimization_barrier", "sort") else [_hull(*kept)]
            case _:
                return [ANY] * len(op.results)

    def _folded(self, op: HloOp, x: Interval, start: Interval) -> Interval:
        fold, type_ = op.regions[0].ops[0].name, op.operands[0].type
        if fold in ("maximum", "minimum"):
            return _hull(x, start)
        if fold == "add" and isinstance(type_, TensorShape):
            count = prod(n or 1 for n in type_.shape)
            return start[0] + min(x[0], count * x[0]), start[1] + max(x[1], count * x[1])
        return NON_NEGATIVE if fold == "multiply" and min(x[0], start[0]) >= 0 else ANY

    def _loop(self, body: HloBlock, start: Sequence[Interval]) -> Sequence[Interval]:
        """The ranges of a loop's carried values, valid in every iteration. If an iteration produces values outside of a
        range, the range is widened to one side of 0 or to all numbers."""
        carried = list(start)
        for _ in range(3):
            after = self._forward_into(body, carried)
            wider = [
                (a[0] if b[0] >= a[0] else 0.0 if min(a[0], b[0]) >= 0 else -inf, a[1] if b[1] <= a[1] else inf)
                for a, b in zip(carried, after, strict=False)
            ]
            if wider == carried:
                break
            carried = wider
        else:
            carried = [ANY] * len(carried)
        return carried

    def _forward_into(self, body: HloBlock, arguments: Sequence[Interval]) -> list[Interval]:
        self.ranges |= zip(body.arguments, arguments, strict=False)
        self.depth += 1
        found = self.forward(body)
        self.depth -= 1
        return found

    def _enter_arguments(self, op: HloOp, body: HloBlock, which: Iterable[int]) -> None:
        """Record which arguments of a loop's body or of a called function are arguments of the program."""
        for index in which:
            if index < min(len(op.operands), len(body.arguments)):
                is_moved = op.operands[index] in self.moved_arguments
                (self.moved_arguments.add if is_moved else self.moved_arguments.discard)(body.arguments[index])

    def _callee(self, op: HloOp) -> HloBlock | None:
        function = self.functions.get(str(op.attributes.get("callee", "")))
        return None if function is None else function.body

    def _may_enter(self) -> bool:
        """True if the analysis may enter another region or called function: the total number of ops and the depth are
        limited, since nested loops, branches and calls multiply the time of the analysis."""
        return self.ops < _MOST_OPS and self.depth < 20

    # Backward: required ranges.

    def need(self, value: HloValue, needed: Interval) -> None:
        if needed != ANY:
            self.needs[value] = _intersection(self.needs.get(value, ANY), needed)

    def backward(self, block: HloBlock, needed: Sequence[Interval]) -> None:
        """Record the ranges that the ops of a block require of the block's values. `needed`: the ranges required of the
        values that the block returns."""
        for op in reversed(block.ops):
            self.ops += 1
            if op.name == "return":
                for value, need in zip(op.operands, needed, strict=False):
                    self.need(value, need)
                continue
            if not _has_operands(op):
                continue
            self._own_needs(op)
            if (needs := [self.needs.get(value, ANY) for value in op.results]) and (op.regions or op.name == "call"):
                self._backward_into(op, needs)
            elif needs and needs[0] != ANY:
                self._backward_through(op, needs)

    def _own_needs(self, op: HloOp) -> None:
        """Record the ranges that an op itself requires of its operands."""
        xs = op.operands
        match op.name:
            case "sqrt" | "rsqrt" | "log" | "log_plus_one":
                self._non_negative(xs[0])
            case "power" if _is_float(xs[0].type):
                if xs[0] in self.fixed and self.range(xs[0])[0] >= 0:
                    self._non_negative(xs[1])
                elif xs[1] not in self.fixed:
                    self._non_negative(xs[0])
            case "divide" | "remainder":
                if _is_float(xs[1].type):
                    self._non_negative(xs[1])
                elif self.range(xs[1])[0] <= 0:
                    self.need(xs[1], (1, inf))
            case "compare" if not _is_float(xs[0].type) and "EQ" in str(op.attributes.get("comparison_direction")):
                for one, other in (xs, xs[::-1]):
                    low, high = self.range(other)
                    if other in self.fixed and low < high:
                        self.need(one, (low, high))
            case "clamp" if not _is_float(xs[1].type) and {xs[0], xs[2]} <= self.fixed:
                self.need(xs[1], (self.range(xs[0])[0], self.range(xs[2])[1]))
            case "dynamic_slice" | "dynamic_update_slice":
                taken = xs[1].type if op.name == "dynamic_update_slice" else op.results[0].type
                self._starts(xs[0].type, taken, xs[-len(getattr(taken, "shape", ())) or len(xs) :])
            case "gather" | "scatter":
                self._indices(op)
            case "dot_general" | "convolution" if len(xs) == 2:
                self._factors(op)
            case _:
                pass

    def _non_negative(self, value: HloValue) -> None:
        if self.range(value)[0] < 0:
            self.need(value, NON_NEGATIVE)

    def _starts(self, operand: HloType, window: HloType, starts: Sequence[HloValue]) -> None:
        if isinstance(operand, TensorShape) and isinstance(window, TensorShape):
            for n, size, start in zip(operand.shape, window.shape, starts, strict=False):
                self.need(start, (0, (n or 1) - (size or 1)))

    def _indices(self, op: HloOp) -> None:
        """Record that the indices of a gather or scatter are within the tensor's extents. The coordinates of index
        vectors have separate ranges if they are concatenated, else one common range."""
        gathers = op.name == "gather"
        numbers = op.attributes.get("dimension_numbers" if gathers else "scatter_dimension_numbers")
        operand_type, indices = op.operands[0].type, op.operands[1 if gathers else len(op.operands) // 2]
        axes = (
            numbers.get("start_index_map" if gathers else "scatter_dims_to_operand_dims")
            if isinstance(numbers, dict)
            else 0
        )
        if not isinstance(axes, list) or not isinstance(operand_type, TensorShape):
            return
        extents = [
            operand_type.shape[axis] or 1 for axis in axes if isinstance(axis, int) and axis < len(operand_type.shape)
        ]
        joined = self.joined.get(indices)
        if joined is not None and len(joined.operands) == len(extents):
            for column, n in zip(joined.operands, extents, strict=True):
                self.need(column, (0, n - 1))
        elif extents:
            self.need(indices, (0, min(extents) - 1))

    def _factors(self, op: HloOp) -> None:
        """Record the ranges of the factors of a convolution, or of a matrix product that sums along the last axis of
        its left operand. If the right factor is an argument, only its range is recorded."""
        left, right = op.operands
        attributes, shape = op.attributes, right.type.shape if isinstance(right.type, TensorShape) else ()
        numbers = attributes.get("dot_dimension_numbers" if op.name == "dot_general" else "dimension_numbers")
        if not isinstance(numbers, dict):
            return
        if op.name == "dot_general":
            if numbers.get("lhs_contracting_dimensions") != [len(getattr(left.type, "shape", ())) - 1]:
                return
            summed = numbers.get("rhs_contracting_dimensions")
        else:
            layout = numbers.get("kernel")
            summed = [i for i, name in enumerate(layout) if name != "o"] if isinstance(layout, list) else None
        if not isinstance(summed, list) or not all(isinstance(axis, int) and 0 <= axis < len(shape) for axis in summed):
            return
        count = prod(shape[axis] or 1 for axis in summed if isinstance(axis, int))
        most = float(f"{sqrt(3 / max(count, 3)):.2g}")
        factors = [right] if op.name == "convolution" or right in self.moved_arguments else [left, right]
        for value in factors:
            if _is_float(value.type):
                self.need(value, (-most, most))

    def _backward_through(self, op: HloOp, needs: Sequence[Interval]) -> None:
        """Record the ranges required of an op's operands so that its results are in the ranges `needs`."""
        xs, needed = op.operands, needs[0]
        is_sign = needed[0] >= 0 and (needed[1] == inf or _is_float(op.results[0].type))
        if op.name in _MOVED:
            one_to_one = op.name in ("optimization_barrier", "sort")
            for index, value in enumerate(xs[: _MOVED[op.name]]):
                self.need(value, needs[index] if one_to_one else needed)
            return
        match op.name:
            case "select":
                for value in xs[1:]:
                    self.need(value, needed)
            case "clamp" | "maximum" | "minimum":
                for value in xs:
                    if value not in self.fixed:
                        self.need(value, needed)
            case "add" if is_sign:
                for value in xs:
                    self._non_negative(value)
            case "multiply" | "divide" if is_sign and xs[0] is not xs[1]:
                for value, other in (xs, xs[::-1]):
                    if self.range(other)[0] >= 0 or self.range(value)[0] < 0:
                        self._non_negative(value)
            case "power" | "reduce" | "reduce_window" if is_sign:
                self._non_negative(xs[0])
            case _:
                pass

    def _backward_through_block(self, body: HloBlock, needs: Sequence[Interval]) -> None:
        self.depth += 1
        self.backward(body, needs)
        self.depth -= 1

    def _backward_into(self, op: HloOp, needs: Sequence[Interval]) -> None:
        """Record the ranges required of values in an op's regions and called function, so that the op's results are in
        the ranges `needs`."""
        match op.name:
            case "while" if len(op.regions) == 2 and self._may_enter():
                body, carried = op.regions[1], list(needs)
                for _ in range(2):
                    self._backward_through_block(body, carried)
                    carried = [
                        _intersection(need, self.needs.get(value, ANY))
                        for need, value in zip(carried, body.arguments, strict=False)
                    ]
                for value, need in zip(op.operands, carried, strict=False):
                    self.need(value, need)
            case "case" | "if" if self._may_enter():
                for region in op.regions:
                    self._backward_through_block(region, needs)
            case "call" if self._may_enter() and (body := self._callee(op)) is not None:
                around, self.needs = self.needs, {}
                self._forward_into(body, [self.range(value) for value in op.operands])
                self._backward_through_block(body, needs)
                inside, self.needs = self.needs, around
                for value, argument in zip(op.operands, body.arguments, strict=False):
                    self.need(value, inside.get(argument, ANY))
            case "reduce" | "reduce_window" if needs[0] != ANY:
                self._backward_through(op, needs)
            case _:
                pass


def _of_literal(literal: object) -> Interval:
    """The least and the greatest element of a literal; ANY for a literal that becomes a weight."""
    if not isinstance(literal, DenseLiteral) or not isinstance(type_ := literal.type, TensorShape):
        return ANY
    shape = tuple(extent for extent in type_.shape if extent is not None)
    if literal.text[:1] not in ("[", '"'):  # a splat
        shape = ()
    if prod(shape) > LITERAL_LIMIT:
        return ANY
    try:
        found = elements(literal.text, shape, dtype_of(element_type_named(type_.element)))
    except (LookupError, ValueError, OverflowError):
        return ANY
    with np.errstate(invalid="ignore"):  # numpy warns about signalling nans of bf16
        is_finite = bool(np.isfinite(found).all())
    return (float(found.min()), float(found.max())) if found.size and is_finite else ANY
