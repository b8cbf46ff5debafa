"""Generator of random small StableHLO programs from seeds.

A program is a chain of few ops with random types, extents and attributes. Ops whose result is discontinuous (rounding
of an operand may change it) take exactly computed operands (arguments, moved elements, integers), so that two correct
implementations differ by rounding errors only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

FLOATS = ["f32", "f32", "f32", "f16", "bf16", "f64"]
INTEGERS = ["i8", "i16", "i32", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]
ELEMENTS = [*FLOATS, *INTEGERS, "i1"]
DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "i1": np.bool_,
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
}
MOST = 150
"""The largest number of elements of a value."""


def dtype_of(element: str) -> np.dtype[Any]:
    return np.dtype(DTYPES[element])


@dataclass(frozen=True)
class Value:
    """A value of the program. `exact`: True if it is computed without rounding. `most`: its largest finite magnitude,
    as far as known."""

    name: str
    shape: tuple[int, ...]
    element: str
    exact: bool = True
    most: float = 0.0

    @property
    def type(self) -> str:
        return f"tensor<{'x'.join([*map(str, self.shape), self.element])}>"


class Program:
    """A program under construction, generated from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.arguments: list[tuple[Value, Array]] = []
        self.values: list[Value] = []
        self.scales: dict[str, float] = {}
        self.lines: list[str] = []
        self.functions: list[str] = []
        self.count = 0

    # Choices.

    def below(self, high: int) -> int:
        return int(self.random.integers(high))

    def between(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high + 1))

    def often(self, chance: float = 0.5) -> bool:
        return bool(self.random.random() < chance)

    def one_of(self, choices: Sequence[Any]) -> Any:
        return choices[self.below(len(choices))]

    def shuffled(self, things: Iterable[Any]) -> list[Any]:
        listed = list(things)
        return [listed[i] for i in self.random.permutation(len(listed))]

    def some(self, things: Sequence[Any], chance: float = 0.5) -> list[Any]:
        """A random subset of `things`, in their order; each is included with probability `chance`."""
        return [each for each in things if self.often(chance)]

    def extents(self, rank: int | None = None, empty: bool = True, most: int = MOST) -> tuple[int, ...]:
        axes: int = self.one_of([0, 1, 1, 2, 2, 3, 3, 4, 5]) if rank is None else rank
        shape: list[int] = [self.one_of([1, 2, 2, 3, 3, 4, 5, 7]) for _ in range(axes)]
        if empty and axes and self.often(0.04):
            shape[self.below(axes)] = 0
        while prod(shape) > most:
            shape[int(np.argmax(shape))] //= 2
        return tuple(shape)

    # Values.

    def name(self) -> str:
        self.count += 1
        return f"%{self.count}"

    def numbers(self, element: str, shape: tuple[int, ...], style: str = "") -> Array:
        """Random numbers in a style: "grid" for multiples of 1/8 (few of whose sums round), "special" including
        infinities and nans, "small" for integers below 8, "nonzero" without 0, "positive" above 0."""
        dtype = dtype_of(element)
        if element == "i1":
            return np.asarray(self.random.random(shape) < 0.5)
        if element in FLOATS:
            found = np.asarray(self.random.integers(-24, 25, shape) / 8)
            if style in ("", "special", "positive") and self.often():
                found = np.asarray(self.random.standard_normal(shape) * 2)
            if style == "positive":
                found = np.asarray(np.abs(found) + 0.125)
            if style == "nonzero":
                found = np.where(found == 0, 1.5, found)
            if style == "special":
                odd = self.random.choice([np.nan, np.inf, -np.inf, -0.0, 0.0, 100.0, 0.5, -1.5, 2.5], shape)
                found = np.where(self.random.random(shape) < 0.4, odd, found)
            return np.asarray(found).astype(dtype)
        limits = np.iinfo(dtype)
        small = style in ("small", "grid", "positive", "nonzero") or self.often(0.6)
        low, high = (max(limits.min, -7), 8) if small else (limits.min, limits.max)
        found = self.random.integers(low, high, shape, dtype=dtype, endpoint=True)
        if style == "positive":
            found = np.abs(found) + dtype.type(1)
        if style == "nonzero":
            found = np.where(found == 0, dtype.type(3), found)
        return np.asarray(found).astype(dtype)

    def argument(self, element: str, shape: tuple[int, ...], style: str = "", array: Array | None = None) -> Value:
        """A new argument of the program, or a constant."""
        array = self.numbers(element, shape, style) if array is None else array
        finite = np.abs(array.astype(np.float64))
        most = float(finite[np.isfinite(finite)].max(initial=0))
        if array.size <= 12 and self.often(0.2):
            value = Value(self.name(), shape, element, True, most)
            self.lines.append(
                f'{value.name} = "stablehlo.constant"() <{{value = {dense(array, value.type)}}}> : () -> {value.type}'
            )
            return value
        value = Value(f"%arg{len(self.arguments)}", shape, element, True, most)
        self.arguments.append((value, array))
        return value

    def value(
        self,
        elements: Sequence[str] = ELEMENTS,
        style: str = "",
        shape: tuple[int, ...] | None = None,
        rank: int | None = None,
    ) -> Value:
        """An exactly computed value of the program, or a new argument."""
        fitting = [
            v
            for v in self.values
            if v.exact
            and v.element in elements
            and not style
            and shape is None
            and (rank is None or len(v.shape) == rank)
        ]
        if fitting and self.often(0.6):
            return self.one_of(fitting)
        return self.argument(self.one_of(elements), self.extents(rank) if shape is None else shape, style)

    # Ops.

    def op(
        self,
        name: str,
        operands: Sequence[Value],
        results: Sequence[Value],
        attributes: str = "",
        regions: Sequence[str] = (),
    ) -> list[Value]:
        """Append an op; returns its results, which get names."""
        made = [replace(each, name=self.name()) for each in results]
        braced = f" <{{{attributes}}}>" if attributes else ""
        inner = f" ({', '.join(regions)})" if regions else ""
        left = ", ".join(each.name for each in made)
        full = name if "." in name else f"stablehlo.{name}"
        self.lines.append(f'{left} = "{full}"({names(operands)}){braced}{inner} : {signature(operands, made)}')
        self.values += made
        return made

    def like(
        self,
        x: Value,
        shape: Sequence[int] | None = None,
        element: str | None = None,
        exact: bool | None = None,
        scale: float = 0.0,
    ) -> Value:
        """A result with the shape, element type and exactness of `x`, except where these are given; `scale`: the
        largest finite magnitude, by default that of `x` if the result is exact."""
        shape = x.shape if shape is None else tuple(shape)
        element = element or x.element
        exact = (x.exact and (element not in FLOATS)) if exact is None else exact
        return Value("", shape, element, exact, scale or (x.most if exact else 0.0))

    def text(self) -> tuple[str, list[float]]:
        """The program's text, and for each of its results the magnitude to which rounding errors are relative."""
        used = "\n".join(line.partition("=")[2] for line in self.lines)
        last = [v for v in self.values if f"{v.name}," not in used and f"{v.name})" not in used][:5]
        arguments = ", ".join(f"{value.name}: {value.type}" for value, _ in self.arguments)
        body = [f"    {line}" for line in self.lines]
        body.append(f"    return {names(last)} : {', '.join(v.type for v in last)}" if last else "    return")
        main = [f"  func.func public @main({arguments}) -> ({', '.join(v.type for v in last)}) {{", *body, "  }"]
        return "\n".join(["module @random {", *self.functions, *main, "}", ""]), [v.most for v in last]


def names(values: Sequence[Value]) -> str:
    return ", ".join(each.name for each in values)


def signature(operands: Sequence[Value], results: Sequence[Value]) -> str:
    return f"({', '.join(v.type for v in operands)}) -> ({', '.join(v.type for v in results)})"


def within(
    made: str, name: str, operands: Sequence[str], types: Sequence[str], result: str, attributes_text: str = ""
) -> str:
    """The text of the op `name` inside of a region; `made` is the name of its result."""
    attributes = f" <{{{attributes_text}}}>" if attributes_text else ""
    return f'{made} = "stablehlo.{name}"({", ".join(operands)}){attributes} : ({", ".join(types)}) -> {result}'


def compared(made: str, left: str, right: str, direction: str, type_: str, further: str = "") -> str:
    """The text of a comparison inside of a region; `made` is the name of its result."""
    attributes_text = f"comparison_direction = #stablehlo<comparison_direction {direction}>{further}"
    return within(made, "compare", [left, right], [type_, type_], "tensor<i1>", attributes_text)


def returned(values: Sequence[str], types: Sequence[str]) -> str:
    """The text of the return op of a region."""
    return f'"stablehlo.return"({", ".join(values)}) : ({", ".join(types)}) -> ()'


def attributes(**named: object) -> str:
    """The text of some attributes."""
    return ", ".join(f"{key} = {value}" for key, value in named.items())


def numbers_of(kind: str, **named: object) -> str:
    """The text of an attribute with dimension numbers, `#stablehlo.KIND<…>`."""
    return f"#stablehlo.{kind}<{attributes(**named)}>"


def region(arguments: Sequence[tuple[str, str]], lines: Sequence[str]) -> str:
    """The text of a region with some arguments and ops."""
    head = f"^bb0({', '.join(f'{name}: {type_}' for name, type_ in arguments)}): " if arguments else ""
    return f"{{ {head}{' '.join(lines)} }}"


def ints(numbers: Iterable[int]) -> str:
    listed = [str(int(n)) for n in numbers]
    return f"array<i64: {', '.join(listed)}>" if listed else "array<i64>"


def bools(flags: Iterable[bool]) -> str:
    listed = [str(flag).lower() for flag in flags]
    return f"array<i1: {', '.join(listed)}>" if listed else "array<i1>"


def pairs(widths: Sequence[tuple[int, int]]) -> str:
    inner = ", ".join(f"[{low}, {high}]" for low, high in widths)
    return f"dense<{'[' + inner + ']' if inner else ''}> : tensor<{len(widths)}x2xi64>"


def dense(array: Array, type_: str) -> str:
    """The text of a literal; numbers without an exact decimal are written as their bits."""

    def word(entry: Any) -> str:
        if array.dtype == np.bool_:
            return str(bool(entry)).lower()
        if array.dtype.kind in "iu":
            return str(int(entry))
        bits = entry.view(f"u{array.dtype.itemsize}")
        return f"0x{int(bits):0{2 * array.dtype.itemsize}X}"

    def nested(part: Array) -> str:
        return word(part[()]) if part.ndim == 0 else f"[{', '.join(map(nested, part))}]"

    if array.size and (array == array.ravel()[0]).all():
        return f"dense<{word(array.ravel()[0])}> : {type_}"
    return f"dense<{nested(array) if array.size else ''}> : {type_}"


# Families of ops: each function appends ops to a program.

ON_FLOATS = [
    "abs",
    "cbrt",
    "ceil",
    "cosine",
    "exponential",
    "exponential_minus_one",
    "floor",
    "log",
    "log_plus_one",
    "logistic",
    "negate",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "sign",
    "sine",
    "sqrt",
    "tan",
    "tanh",
    "chlo.erf",
    "chlo.erfc",
    "chlo.square",
    "chlo.tan",
]
ROUNDS_NOT = ["abs", "ceil", "floor", "negate", "round_nearest_afz", "round_nearest_even", "sign"]
NOT_NEGATIVE = ["log", "log_plus_one", "rsqrt", "sqrt"]


def unary(p: Program) -> None:
    if p.often(0.6):
        name = p.one_of(ON_FLOATS)
        exact = name in ROUNDS_NOT
        x = p.value(FLOATS, "positive" if name in NOT_NEGATIVE and p.often(0.7) else "special" if p.often() else "")
        p.op(name, [x], [p.like(x, exact=exact and x.exact)])
    elif p.often(0.3):
        x = p.value([e for e in INTEGERS if e.startswith("i")])
        p.op(p.one_of(["abs", "negate", "sign"]), [x], [x])
    elif p.often(0.3):
        x = p.value(FLOATS, "special")
        p.op("is_finite", [x], [p.like(x, element="i1")])
    else:
        name = p.one_of(["not", "popcnt", "count_leading_zeros", "negate"])
        # XLA's constant folding of leading zeros is wrong for short signed types.
        unsigned = [e for e in INTEGERS if e.startswith("u")]
        elements = {"not": [*INTEGERS, "i1"], "count_leading_zeros": unsigned}
        x = p.value(elements.get(name, INTEGERS))
        p.op(name, [x], [x])


def binary(p: Program) -> None:
    if p.often(0.5):
        name = p.one_of(["add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "remainder", "atan2"])
        a = p.value(FLOATS, "positive" if name == "power" else "special" if p.often(0.3) else "")
        style = {"divide": "nonzero", "remainder": "nonzero"}.get(name, "grid")
        b = p.argument(a.element, a.shape, style)
        exact = name in ("maximum", "minimum")
        p.op(name, [a, b], [p.like(a, exact=exact, scale=max(a.most, b.most))])
    elif p.often(0.6):
        name = p.one_of(
            ["add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "remainder", "and", "or", "xor"]
        )
        a = p.value(INTEGERS)
        style = {"divide": "nonzero", "remainder": "nonzero", "power": "positive"}.get(name, "")
        p.op(name, [a, p.argument(a.element, a.shape, style)], [a])
    elif p.often():
        a = p.value(INTEGERS)
        p.op(
            p.one_of(["shift_left", "shift_right_arithmetic", "shift_right_logical"]),
            [a, p.argument(a.element, a.shape, "positive")],
            [a],
        )
    else:
        a = p.value(["i1"])
        p.op(
            p.one_of(["and", "or", "xor", "add", "multiply", "maximum", "minimum"]), [a, p.argument("i1", a.shape)], [a]
        )


def compare(p: Program) -> None:
    a = p.value(style="special" if p.often() else "")
    b = p.argument(a.element, a.shape, "special" if p.often() else "grid")
    direction = p.one_of(["EQ", "NE", "LT", "LE", "GT", "GE"])
    kind = (
        "FLOAT" if a.element in FLOATS else "SIGNED" if a.element.startswith("i") and a.element != "i1" else "UNSIGNED"
    )
    attributes_text = f"comparison_direction = #stablehlo<comparison_direction {direction}>"
    if p.often():
        attributes_text += f", compare_type = #stablehlo<comparison_type {kind}>"
    p.op("compare", [a, b], [p.like(a, element="i1")], attributes_text)


def select(p: Program) -> None:
    a = p.value()
    if p.often():
        condition = p.argument("i1", a.shape if p.often(0.7) else ())
        p.op("select", [condition, a, p.argument(a.element, a.shape)], [p.like(a, exact=a.exact)])
    elif a.element != "i1":
        low, high = (p.argument(a.element, a.shape if p.often() else (), "grid") for _ in range(2))
        p.op("clamp", [low, a, high], [p.like(a, exact=a.exact)])


def convert(p: Program) -> None:
    """Add a conversion between element types, of numbers in the range of both: the specification leaves the result for
    other numbers undefined."""
    to = p.one_of(ELEMENTS)
    x = p.value(ELEMENTS, "positive" if to.startswith("u") else "grid")
    p.op("convert", [x], [p.like(x, element=to, exact=True)])


def bitcast(p: Program) -> None:
    x = p.argument(p.one_of([e for e in ELEMENTS if e != "i1"]), p.extents())
    to = p.one_of([e for e in ELEMENTS if e != "i1"])
    before, after = dtype_of(x.element).itemsize, dtype_of(to).itemsize
    shape = x.shape
    if after < before:
        shape = (*shape, before // after)
    elif after > before:
        if not shape or len(shape) > 5:
            return
        x = p.argument(x.element, (*shape[:-1], after // before))
        shape = shape[:-1]
    p.op("bitcast_convert", [x], [p.like(x, shape, to, exact=to not in FLOATS)])


def precision(p: Program) -> None:
    x = p.value(FLOATS)
    exponent, mantissa = p.one_of([(5, 10), (8, 7), (8, 23), (11, 52), (5, 2), (4, 3), (6, 9)])
    p.op(
        "reduce_precision",
        [x],
        [p.like(x, exact=True)],
        f"exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32",
    )


def iota(p: Program) -> None:
    shape = p.extents(p.between(1, 4))
    made = Value("", shape, p.one_of(ELEMENTS[:-1]))
    p.op("iota", [], [made], f"iota_dimension = {p.below(len(shape))} : i64")


def broadcast(p: Program) -> None:
    x = p.value(rank=p.below(4))
    rank = p.between(len(x.shape), 5)
    dims = p.shuffled(range(rank))[: len(x.shape)]
    if p.often(0.7):
        dims.sort()
    shape = list(p.extents(rank, most=40))
    for axis, extent in zip(dims, x.shape, strict=True):
        shape[axis] = shape[axis] if extent == 1 and p.often() else extent
    if prod(shape) <= 4 * MOST:
        p.op("broadcast_in_dim", [x], [p.like(x, shape, exact=x.exact)], f"broadcast_dimensions = {ints(dims)}")


def reshape(p: Program) -> None:
    x = p.value()
    left = prod(x.shape)
    shape: list[int] = []
    for divisor in p.shuffled([2, 2, 3, 5, 7]):
        if left and left % divisor == 0 and p.often(0.7):
            shape.append(divisor)
            left //= divisor
    if left != 1 or p.often():
        shape.append(left)
    ordered: list[int] = p.shuffled(shape)
    p.op("reshape", [x], [p.like(x, ordered, exact=x.exact)])


def transpose(p: Program) -> None:
    x = p.value()
    order: list[int] = p.shuffled(range(len(x.shape)))
    p.op("transpose", [x], [p.like(x, [x.shape[a] for a in order], exact=x.exact)], f"permutation = {ints(order)}")


def slice_(p: Program) -> None:
    x = p.value()
    if p.often(0.3):
        p.op("reverse", [x], [p.like(x, exact=x.exact)], f"dimensions = {ints(p.some(range(len(x.shape))))}")
        return
    starts = [p.between(0, n) if p.often(0.6) else 0 for n in x.shape]
    ends = [p.between(a, n) if p.often(0.3) else n for a, n in zip(starts, x.shape, strict=True)]
    steps = [p.between(1, 3) for _ in starts]
    shape = [-(-(end - a) // step) for a, end, step in zip(starts, ends, steps, strict=True)]
    attributes_text = f"start_indices = {ints(starts)}, limit_indices = {ints(ends)}, strides = {ints(steps)}"
    p.op("slice", [x], [p.like(x, shape, exact=x.exact)], attributes_text)


def concatenate(p: Program) -> None:
    x = p.value(rank=p.between(1, 4))
    axis = p.below(len(x.shape))
    parts = [x]
    for _ in range(p.below(3)):
        parts.append(p.argument(x.element, tuple(p.between(0, 4) if a == axis else n for a, n in enumerate(x.shape))))
    parts = p.shuffled(parts)
    shape = [sum(part.shape[axis] for part in parts) if a == axis else n for a, n in enumerate(x.shape)]
    p.op("concatenate", parts, [p.like(x, shape, exact=all(v.exact for v in parts))], f"dimension = {axis} : i64")


def pad(p: Program) -> None:
    x = p.value(shape=p.extents(most=40))
    low, high, interior = list[int](), list[int](), list[int]()
    for n in x.shape:
        inner = p.below(3) if p.often(0.4) else 0
        dilated = n + max(n - 1, 0) * inner
        low.append(p.between(-min(2, dilated), 3) if p.often(0.6) else 0)
        high.append(p.between(-min(2, dilated + low[-1]), 3) if p.often(0.6) else 0)
        interior.append(inner)
    shape = [n + max(n - 1, 0) * i + a + z for n, i, a, z in zip(x.shape, interior, low, high, strict=True)]
    if prod(shape) <= 4 * MOST:
        attributes_text = (
            f"edge_padding_low = {ints(low)}, edge_padding_high = {ints(high)}, interior_padding = {ints(interior)}"
        )
        p.op("pad", [x, p.argument(x.element, ())], [p.like(x, shape, exact=x.exact)], attributes_text)


def dot_general(p: Program) -> None:
    element = p.one_of([*FLOATS, *INTEGERS])
    batch, sums, left, right = (
        [p.one_of([1, 2, 3, 4]) for _ in range(p.one_of(counts))]
        for counts in ([0, 0, 1, 2], [0, 1, 1, 2], [0, 1, 2], [0, 1, 2])
    )
    if p.often(0.05) and sums:
        sums[0] = 0
    sides: list[tuple[Value, list[int], list[int]]] = []
    for free in (left, right):
        axes = [
            *(("b", i) for i in range(len(batch))),
            *(("s", i) for i in range(len(sums))),
            *(("f", i) for i in range(len(free))),
        ]
        order = p.shuffled(axes) if p.often(0.7) else axes
        rest = iter(free)
        shape = tuple(batch[i] if kind == "b" else sums[i] if kind == "s" else next(rest) for kind, i in order)
        x = p.argument(element, shape, "grid" if p.often() else "")
        sides.append(
            (x, [order.index(("b", i)) for i in range(len(batch))], [order.index(("s", i)) for i in range(len(sums))])
        )
    (a, batch_a, sums_a), (b, batch_b, sums_b) = sides
    free = [
        n
        for x, batched, summed in sides
        for axis, n in enumerate(x.shape)
        if axis not in batched and axis not in summed
    ]
    kinds = {"batching": (batch_a, batch_b), "contracting": (sums_a, sums_b)}
    numbers = {f"{side}_{kind}_dimensions": axes[at] for kind, axes in kinds.items() for at, side in enumerate(SIDES)}
    attributes_text = attributes(dot_dimension_numbers=numbers_of("dot", **numbers))
    to = "f32" if element in ("f16", "bf16") and p.often() else "i32" if element == "i8" and p.often() else element
    scale = a.most * b.most * prod(sums)
    p.op("dot_general", [a, b], [Value("", (*batch, *free), to, to not in FLOATS, scale)], attributes_text)


SIDES = ["lhs", "rhs"]


def convolution(p: Program) -> None:
    spatial = p.one_of([0, 1, 1, 2, 2, 3])
    groups, batches = p.one_of([(1, 1), (1, 1), (2, 1), (3, 1), (1, 2), (1, 3)])
    n, c, o = batches * p.between(1, 2), groups * p.between(1, 2), groups * batches * p.between(1, 2)
    kernel = [p.between(1, 3) for _ in range(spatial)]
    strides, spread, dilations = ([p.between(1, 3) if p.often(0.3) else 1 for _ in range(spatial)] for _ in range(3))
    image = [p.between(1, 5 if spatial < 3 else 3) for _ in range(spatial)]
    element = p.one_of([*FLOATS, *INTEGERS])
    least = -1 if element in FLOATS else 0  # XLA aborts on negative padding of integers
    pads: list[tuple[int, int]] = []
    for size, k, base, window in zip(image, kernel, spread, dilations, strict=True):
        low, high = (p.between(least, 3), p.between(least, 3)) if p.often() else (0, 0)
        lack = (k - 1) * window + 1 - ((size - 1) * base + 1 + low + high)
        pads.append((low, high + max(lack, 0)))
    shape = [
        ((size - 1) * base + 1 + sum(pad) - (k - 1) * window - 1) // stride + 1
        for size, base, pad, k, window, stride in zip(image, spread, pads, kernel, dilations, strides, strict=True)
    ]
    layouts = [
        p.shuffled([*first, *map(str, range(spatial))]) if p.often() else [*first, *map(str, range(spatial))]
        for first in ("bf", "oi", "bf")
    ]

    def laid(layout: Sequence[str], first: dict[str, int], rest: Sequence[int]) -> tuple[int, ...]:
        return tuple(first[axis] if axis in first else rest[int(axis)] for axis in layout)

    # XLA saturates large integers when it folds a convolution of constants, but wraps around at run time.
    style = "grid" if element in INTEGERS or p.often() else ""
    x = p.argument(element, laid(layouts[0], {"b": n, "f": c}, image), style)
    w = p.argument(element, laid(layouts[1], {"o": o, "i": c // groups}, kernel), "grid")
    to = "f32" if element in ("f16", "bf16") and p.often(0.3) else element
    written = ["[" + ", ".join(layout) + "]" for layout in layouts]
    attribute_texts = [
        f"window_strides = {ints(strides)}",
        f"padding = {pairs(pads)}",
        f"lhs_dilation = {ints(spread)}",
        f"rhs_dilation = {ints(dilations)}",
    ]
    attribute_texts += [
        f"window_reversal = {bools([p.often(0.2) for _ in range(spatial)])}",
        f"dimension_numbers = #stablehlo.conv<{written[0]}x{written[1]}->{written[2]}>",
    ]
    attribute_texts += [f"feature_group_count = {groups} : i64", f"batch_group_count = {batches} : i64"]
    made = Value(
        "",
        laid(layouts[2], {"b": n // batches, "f": o}, shape),
        to,
        to not in FLOATS,
        x.most * w.most * prod(kernel) * c,
    )
    p.op("convolution", [x, w], [made], ", ".join(attribute_texts))


def body(p: Program, name: str, element: str, general: bool = False) -> str:
    """A region that folds two scalars; if `general`, the maximum and minimum are written as a comparison and a
    select."""
    scalar = f"tensor<{element}>"
    a, b, y, hit = (p.name() for _ in range(4))
    lines = [within(y, name, [a, b], [scalar, scalar], scalar)]
    if general and name in ("maximum", "minimum"):
        lines = [
            compared(hit, a, b, "GE" if name == "maximum" else "LE", scalar),
            within(y, "select", [hit, a, b], ["tensor<i1>", scalar, scalar], scalar),
        ]
    return region([(a, scalar), (b, scalar)], [*lines, returned([y], [scalar])])


def identity(name: str, element: str) -> Array:
    """The neutral element of the op `name` for an element type: the start value of a fold with this op."""
    dtype = dtype_of(element)
    if element == "i1":
        return np.array(name in ("and", "minimum", "multiply"))
    if name in ("add", "or", "xor"):
        return np.zeros((), dtype)
    if name == "multiply":
        return np.ones((), dtype)
    if element in FLOATS:
        return np.array(-np.inf if name == "maximum" else np.inf, dtype)
    limits = np.iinfo(dtype)
    return np.array(
        {"and": -1 if limits.min else limits.max, "maximum": limits.min, "minimum": limits.max}[name], dtype
    )


def folds(element: str, count: int) -> list[str]:
    """The names of the ops with which a program may fold `count` elements, those supported in windows first.
    Multiplication of many 16-bit numbers is left out, since it would round at each step."""
    rounds = element in ("f16", "bf16") and count > 8
    return [
        "maximum",
        "minimum",
        "add",
        *([] if rounds else ["multiply"]),
        *([] if element in FLOATS else ["and", "or", "xor"]),
    ]


def reduce(p: Program) -> None:
    x = p.value(style="grid")
    axes: list[int] = p.shuffled(p.some(range(len(x.shape)), 0.6))
    shape = [n for axis, n in enumerate(x.shape) if axis not in axes]
    if p.often(0.2) and x.element != "i1" and 0 not in x.shape:
        extreme(p, x, axes, shape)
        return
    name = p.one_of(folds(x.element, prod(x.shape[axis] for axis in axes)))
    free = prod(x.shape[axis] for axis in axes) != 1 and p.often(0.3)  # XLA omits the start for a single element
    start = p.argument(x.element, (), "grid", None if free else identity(name, x.element))
    summed = prod(x.shape[axis] for axis in axes)
    exact = name in ("maximum", "minimum") or x.element not in FLOATS
    scale = x.most * summed + start.most if name == "add" else 0.0
    attributes_text = f"dimensions = {ints(axes)}"
    p.op(
        "reduce",
        [x, start],
        [p.like(x, shape, exact=exact, scale=scale)],
        attributes_text,
        [body(p, name, x.element, p.often(0.3))],
    )


def extreme(p: Program, x: Value, axes: Sequence[int], shape: Sequence[int]) -> None:
    """Add a reduction of two operands that computes the largest or smallest entry along `axes` and its first
    position."""
    largest = p.often()
    place = Value("", x.shape, p.one_of(["i32", "i64"]))
    where = p.argument(
        place.element, x.shape, array=np.arange(prod(x.shape)).reshape(x.shape).astype(dtype_of(place.element))
    )
    start = p.argument(x.element, (), array=identity("maximum" if largest else "minimum", x.element))
    last = np.iinfo(dtype_of(place.element)).max  # beyond all positions: XLA omits the start for a single element
    zero = p.argument(place.element, (), array=np.array(last, dtype_of(place.element)))
    s, t = f"tensor<{x.element}>", f"tensor<{place.element}>"
    a, i, b, j, y, k, hit, same, first, both, takes = (p.name() for _ in range(11))
    strict = "GT" if largest else "LT"

    flag = "tensor<i1>"
    lines = [
        compared(hit, a, b, strict, s),
        compared(same, a, b, "EQ", s),
        compared(first, i, j, "LT", t),
        within(both, "and", [same, first], [flag, flag], flag),
        within(takes, "or", [hit, both], [flag, flag], flag),
        within(y, "select", [takes, a, b], [flag, s, s], s),
        within(k, "select", [takes, i, j], [flag, t, t], t),
        returned([y, k], [s, t]),
    ]
    chooses = region([(a, s), (i, t), (b, s), (j, t)], lines)
    p.op(
        "reduce",
        [x, where, start, zero],
        [p.like(x, shape, exact=True), Value("", tuple(shape), place.element)],
        f"dimensions = {ints(axes)}",
        [chooses],
    )


@dataclass(frozen=True)
class Window:
    sizes: list[int]
    strides: list[int]
    base: list[int]
    dilations: list[int]
    pads: list[tuple[int, int]]
    shape: tuple[int, ...]


def window(p: Program, extents: Sequence[int], dilated: bool) -> Window:
    """A window over all axes that fits at least once along each axis."""
    sizes = [p.between(1, 3) if p.often(0.7) else 1 for _ in extents]
    strides = [p.between(1, 3) if p.often(0.4) else 1 for _ in extents]
    base, dilations = ([p.between(1, 2) if dilated and p.often(0.3) else 1 for _ in extents] for _ in range(2))
    pads: list[tuple[int, int]] = []
    for n, size, b, d in zip(extents, sizes, base, dilations, strict=True):
        low, high = (p.below(3), p.below(3)) if p.often(0.4) else (0, 0)
        lack = (size - 1) * d + 1 - (max((n - 1) * b + 1, 0) + low + high)
        pads.append((low, high + max(lack, 0)))
    shape = tuple(
        (max((n - 1) * b + 1, 0) + sum(pad) - (size - 1) * d - 1) // s + 1
        for n, b, pad, size, d, s in zip(extents, base, pads, sizes, dilations, strides, strict=True)
    )
    return Window(sizes, strides, base, dilations, pads, shape)


def reduce_window(p: Program) -> None:
    x = p.argument(p.one_of(ELEMENTS[:-1]), p.extents(p.between(1, 4), empty=False, most=60), "grid")
    if p.often(0.25):
        running(p, x)
        return
    w = window(p, x.shape, True)
    if prod(w.shape) > 4 * MOST:
        return
    name = p.one_of(folds(x.element, prod(w.sizes))[:4])
    start = p.argument(x.element, (), array=identity(name, x.element))
    attributes_text = attributes(
        window_dimensions=ints(w.sizes),
        window_strides=ints(w.strides),
        base_dilations=ints(w.base),
        window_dilations=ints(w.dilations),
        padding=pairs(w.pads),
    )
    scale = x.most * prod(w.sizes) if name == "add" else 0.0
    exact = name in ("maximum", "minimum") or x.element not in FLOATS
    p.op(
        "reduce_window",
        [x, start],
        [p.like(x, w.shape, exact=exact, scale=scale)],
        attributes_text,
        [body(p, name, x.element, p.often(0.2))],
    )


def running(p: Program, x: Value) -> None:
    """Add a running sum or another running fold along an axis, in the form in which JAX writes it."""
    axis, backwards = p.below(len(x.shape)), p.often()
    n = x.shape[axis]
    name = p.one_of(folds(x.element, n)[:4])
    sizes = [n if a == axis else 1 for a in range(len(x.shape))]
    pads = [((0, n - 1) if backwards else (n - 1, 0)) if a == axis else (0, 0) for a in range(len(x.shape))]
    start = p.argument(x.element, (), array=identity(name, x.element))
    exact = name in ("maximum", "minimum") or x.element not in FLOATS
    attributes_text = f"window_dimensions = {ints(sizes)}, padding = {pairs(pads)}"
    p.op(
        "reduce_window",
        [x, start],
        [p.like(x, exact=exact, scale=x.most * n if name == "add" else 0.0)],
        attributes_text,
        [body(p, name, x.element)],
    )


def select_and_scatter(p: Program) -> None:
    x = p.argument(
        p.one_of(["f32", "f32", "f16", "bf16", "i32"]), p.extents(p.between(1, 4), empty=False, most=60), "grid"
    )
    w = window(p, x.shape, False)
    if prod(w.shape) > MOST or any(max(pad) >= size for pad, size in zip(w.pads, w.sizes, strict=True)):
        return  # a window that covers only padding selects nothing
    source = p.argument(x.element, w.shape, "grid")
    start = p.argument(x.element, (), array=np.zeros((), dtype_of(x.element)))
    a, b, hit = (p.name() for _ in range(3))
    s = f"tensor<{x.element}>"
    direction = p.one_of(["GE", "LE", "GT", "LT"])
    selects = region([(a, s), (b, s)], [compared(hit, a, b, direction, s), returned([hit], ["tensor<i1>"])])
    attributes_text = (
        f"window_dimensions = {ints(w.sizes)}, window_strides = {ints(w.strides)}, padding = {pairs(w.pads)}"
    )
    p.op(
        "select_and_scatter",
        [x, source, start],
        [p.like(x, exact=False, scale=source.most * prod(w.sizes))],
        attributes_text,
        [selects, body(p, "add", x.element)],
    )


def sort(p: Program) -> None:
    """Add a sort by one or two keys; further operands are permuted in the same way."""
    style = p.one_of(["grid", "grid", "grid", "special", ""])  # nans are ordered by the total order only
    x = p.value(rank=p.between(1, 3), style=style)
    axis = p.below(len(x.shape))
    others = [p.argument(p.one_of(ELEMENTS), x.shape) for _ in range(p.below(3))]
    operands = [x, *others]
    keys = [0, 1] if others and others[0].element not in ("i1", *FLOATS) and p.often(0.4) else [0]
    pairs_ = [(p.name(), p.name()) for _ in operands]
    lines: list[str] = []

    total = style != "grid" or p.often()

    def comparison(key: int, direction: str) -> str:
        result, (left, right), type_ = p.name(), pairs_[key], f"tensor<{operands[key].element}>"
        kind = (
            ", compare_type = #stablehlo<comparison_type TOTALORDER>"
            if operands[key].element in FLOATS and total
            else ""
        )
        lines.append(compared(result, left, right, direction, type_, kind))
        return result

    def logic(name: str, left: str, right: str) -> str:
        result = p.name()
        lines.append(within(result, name, [left, right], ["tensor<i1>", "tensor<i1>"], "tensor<i1>"))
        return result

    directions = [p.one_of(["LT", "GT"]) for _ in keys]
    found = comparison(keys[-1], directions[-1])
    if len(keys) == 2:
        equal = comparison(0, "EQ")
        both = logic("and", equal, found)
        found = logic("or", comparison(0, directions[0]), both)
    arguments = [(name, f"tensor<{x.element}>") for x, sides in zip(operands, pairs_, strict=True) for name in sides]
    comparator = region(arguments, [*lines, returned([found], ["tensor<i1>"])])
    p.op(
        "sort",
        operands,
        [replace(each) for each in operands],
        f"dimension = {axis} : i64, is_stable = true",
        [comparator],
    )


def top_k(p: Program) -> None:
    x = p.value(["f32", "i32", "i8", "f16", "bf16"], "grid", rank=p.between(1, 3))
    if x.shape[-1] == 0:
        return
    shape = (*x.shape[:-1], p.between(1, x.shape[-1]))
    p.op("chlo.top_k", [x], [p.like(x, shape, exact=True), Value("", shape, "i32")], f"k = {shape[-1]} : i64")


def indices(p: Program, shape: tuple[int, ...], vector: int, limits: Sequence[int], outside: int) -> Value:
    """Index vectors along an axis, with coordinates up to a limit each; some exceed it by at most `outside`."""
    element = p.one_of(["i32", "i32", "i64", "i8", "ui32", "ui8", "i16"])
    vectors = (*shape[:vector], *shape[vector + 1 :], len(limits))
    found = p.random.integers(0, np.array(limits, np.int64) + 1, vectors)
    found = found + outside * p.random.choice([0, 0, 0, 1, 0 if element.startswith("u") else -1], vectors)
    found = np.moveaxis(found, -1, vector).reshape(shape)
    return p.argument(element, shape, array=found.astype(dtype_of(element)))


def gather(p: Program) -> None:
    x = p.argument(p.one_of(ELEMENTS), p.extents(p.between(1, 4), empty=False))
    rank = len(x.shape)
    axes = p.shuffled(range(rank))
    batching = sorted(axes[: p.one_of([0, 0, 1, 1, 2])])
    rest = [axis for axis in range(rank) if axis not in batching]
    start_map: list[int] = p.shuffled(p.some(rest, 0.6))
    collapsed = p.some(rest, 0.5)
    sizes = [
        1 if a in batching or a in collapsed else p.between(0 if p.often(0.05) else 1, n) for a, n in enumerate(x.shape)
    ]
    picks, index_batching, vector, index_shape = index_vectors(p, [x.shape[a] for a in batching], len(start_map))
    windows = [sizes[a] for a in rest if a not in collapsed]
    offset = sorted(p.shuffled(range(len(picks) + len(windows)))[: len(windows)])
    inner, outer = iter(windows), iter(picks)
    shape = [next(inner) if at in offset else next(outer) for at in range(len(picks) + len(windows))]
    if prod(shape) > 4 * MOST:
        return
    numbers = numbers_of(
        "gather",
        offset_dims=offset,
        collapsed_slice_dims=collapsed,
        operand_batching_dims=batching,
        start_indices_batching_dims=index_batching,
        start_index_map=start_map,
        index_vector_dim=vector,
    )
    attributes_text = attributes(dimension_numbers=numbers, slice_sizes=ints(sizes), indices_are_sorted="false")
    found = indices(p, index_shape, vector, [x.shape[a] - sizes[a] for a in start_map], p.one_of([1, 3]))
    p.op("gather", [x, found], [p.like(x, shape, exact=True)], attributes_text)


def index_vectors(
    p: Program, batches: list[int], coordinates: int
) -> tuple[list[int], list[int], int, tuple[int, ...]]:
    """Random extents of the index vectors' axes, the batch axes among them, the axis of coordinates, and the shape of
    the indices."""
    picks: list[tuple[int, int | None]] = [(p.between(1, 4), None) for _ in range(p.below(3))]
    if p.often(0.03):
        picks.append((0, None))
    for number, extent in enumerate(batches):
        picks.insert(p.between(0, len(picks)), (extent, number))
    extents = [extent for extent, _ in picks]
    vector = p.between(0, len(extents))
    shape = [*extents[:vector], coordinates, *extents[vector:]]
    if coordinates == 1 and p.often(0.3):
        vector, shape = len(extents), extents
    at = {number: place for place, (_, number) in enumerate(picks) if number is not None}
    has_vector_axis = len(shape) > len(extents)
    return (
        extents,
        [at[n] + (1 if has_vector_axis and at[n] >= vector else 0) for n in range(len(batches))],
        vector,
        tuple(shape),
    )


def scatter(p: Program) -> None:
    x = p.argument(p.one_of(ELEMENTS), p.extents(p.between(1, 4), empty=False), "grid")
    rank = len(x.shape)
    axes = p.shuffled(range(rank))
    batching = sorted(axes[: p.one_of([0, 0, 0, 1])])
    rest = [axis for axis in range(rank) if axis not in batching]
    start_map: list[int] = p.shuffled(p.some(rest, 0.6))
    if not start_map:  # XLA deviates from the specification for empty index vectors
        return
    inserted = p.some(rest, 0.5)
    # Along an axis without an index, a window smaller than the operand starts at 0.
    sizes = [p.between(1, n) if a in start_map or p.often(0.2) else n for a, n in enumerate(x.shape)]
    sizes = [1 if a in inserted else n for a, n in enumerate(sizes)]
    picks, index_batching, vector, index_shape = index_vectors(p, [x.shape[a] for a in batching], len(start_map))
    windows = [sizes[a] for a in rest if a not in inserted]
    update_windows = sorted(p.shuffled(range(len(picks) + len(windows)))[: len(windows)])
    inner, outer = iter(windows), iter(picks)
    shape = tuple(next(inner) if at in update_windows else next(outer) for at in range(len(picks) + len(windows)))
    if prod(shape) > 4 * MOST:
        return
    name = p.one_of(["set", *folds(x.element, 1)])
    if prod(picks) == 1 and x.element in FLOATS and p.often(0.4):  # each element has at most one update
        name = p.one_of(["subtract", "divide"])
    if name == "set" and prod(picks) != 1:  # the order of overlapping updates is undefined
        name = "add"
    updates = p.argument(x.element, shape, "grid")
    if name == "set":
        a, b = p.name(), p.name()
        s = f"tensor<{x.element}>"
        meets = region([(a, s), (b, s)], [returned([b], [s])])
    else:
        meets = body(p, name, x.element)
    numbers = numbers_of(
        "scatter",
        update_window_dims=update_windows,
        inserted_window_dims=inserted,
        input_batching_dims=batching,
        scatter_indices_batching_dims=index_batching,
        scatter_dims_to_operand_dims=start_map,
        index_vector_dim=vector,
    )
    attributes_text = attributes(scatter_dimension_numbers=numbers, indices_are_sorted="false", unique_indices="false")
    exact = name in ("set", "maximum", "minimum") or x.element not in FLOATS
    # XLA drops windows that are partly outside; the specification drops only their outside elements.
    found = indices(
        p, index_shape, vector, [x.shape[a] - sizes[a] if a not in inserted else x.shape[a] - 1 for a in start_map], 30
    )
    scale = x.most + updates.most * max(1, prod(picks)) if name in ("add", "subtract") else 0.0
    p.op("scatter", [x, found, updates], [p.like(x, exact=exact, scale=scale)], attributes_text, [meets])


def dynamic(p: Program) -> None:
    x = p.value(shape=p.extents(p.below(4), empty=False))
    sizes = [p.between(1, n) for n in x.shape]
    element = p.one_of(["i32", "i64", "i8", "ui32", "ui8"])
    starts = [
        p.argument(
            element,
            (),
            array=np.array(p.between(0 if element.startswith("u") else -2, n + 1)).astype(dtype_of(element)),
        )
        for n in x.shape
    ]
    if p.often():
        p.op("dynamic_slice", [x, *starts], [p.like(x, sizes, exact=x.exact)], f"slice_sizes = {ints(sizes)}")
    else:
        p.op("dynamic_update_slice", [x, p.argument(x.element, tuple(sizes)), *starts], [p.like(x, exact=x.exact)])


def arithmetic(p: Program, x: str, type_: str, element: str) -> tuple[list[str], str]:
    """The lines of some ops on a value that do not round, and the name of the last result."""
    lines: list[str] = []
    choices = ["abs", "negate"] if element in FLOATS else ["not", "add", "multiply", "xor"]
    for _ in range(p.between(1, 3)):
        name, made = p.one_of(choices), p.name()
        operands, types = ([x, x], [type_, type_]) if name in ("add", "multiply", "xor") else ([x], [type_])
        lines.append(within(made, name, operands, types, type_))
        x = made
    return lines, x


def branches(p: Program) -> None:
    x = p.value([*FLOATS, *INTEGERS, "i1"])
    count = p.between(1, 4)
    regions: list[str] = []
    for _ in range(count):
        lines, last = arithmetic(p, x.name, x.type, x.element)
        regions.append(region([], [*lines, returned([last], [x.type])]))
    if count == 2 and p.often(0.6):
        p.op("if", [p.argument("i1", ())], [p.like(x, exact=x.exact)], "", regions)
    else:
        p.op(
            "case",
            [p.argument("i32", (), array=np.array(p.between(-1, count), np.int32))],
            [p.like(x, exact=x.exact)],
            "",
            regions,
        )


def loop(p: Program) -> None:
    """Add a loop with a counter; each iteration computes on carried values and may read a row that the counter
    selects."""
    x = p.value([*FLOATS, *INTEGERS], shape=p.extents(p.between(0, 3), empty=False, most=40))
    iterations, step = p.between(0, 4), p.between(1, 2)
    counter = p.one_of(["i32", "i64", "ui32"])
    c, s = f"tensor<{counter}>", x.type

    def scalar(number: int) -> str:
        name = p.name()
        p.lines.append(f'{name} = "stablehlo.constant"() <{{value = dense<{number}> : {c}}}> : () -> {c}')
        return name

    first, end, by = scalar(0), scalar(iterations * step), scalar(step)
    i, a, hit, j, b, after = (p.name() for _ in range(6))
    goes_on = [compared(hit, i, end, "LT", c), returned([hit], ["tensor<i1>"])]
    condition = region([(i, c), (a, s)], goes_on)
    lines, last = arithmetic(p, b, s, x.element)
    if x.shape:
        row, updated = p.name(), p.name()
        shape = Value("", (1, *x.shape[1:]), x.element).type
        rest = [first] * (len(x.shape) - 1)
        counters = [c] * len(x.shape)
        sizes = f"slice_sizes = {ints([1, *x.shape[1:]])}"
        lines.append(within(row, "dynamic_slice", [b, j, *rest], [s, *counters], shape, sizes))
        more, picked = arithmetic(p, row, shape, x.element)
        lines += more
        operands = [last, picked, j, *rest]
        lines.append(within(updated, "dynamic_update_slice", operands, [s, shape, *counters], s))
        last = updated
    lines.append(within(after, "add", [j, by], [c, c], c))
    iteration = region([(j, c), (b, s)], [*lines, returned([after, last], [c, s])])
    p.op(
        "while",
        [Value(first, (), counter), x],
        [Value("", (), counter), p.like(x, exact=x.exact)],
        "",
        [condition, iteration],
    )


def call(p: Program) -> None:
    x = p.value([*FLOATS, *INTEGERS])
    name = f"part{len(p.functions)}"
    a = p.name()
    lines, last = arithmetic(p, a, x.type, x.element)
    p.functions.append(
        f"  func.func private @{name}({a}: {x.type}) -> {x.type} {{ {' '.join(lines)} return {last} : {x.type} }}"
    )
    p.op("func.call", [x], [p.like(x, exact=x.exact)], f"callee = @{name}")


def barrier(p: Program) -> None:
    x, y = p.value(), p.value()
    p.op("optimization_barrier", [x, y], [x, y])


FAMILIES: list[tuple[Callable[[Program], None], int]] = [
    (unary, 4),
    (binary, 5),
    (compare, 2),
    (select, 2),
    (convert, 3),
    (bitcast, 1),
    (precision, 1),
    (iota, 1),
    (broadcast, 3),
    (reshape, 2),
    (transpose, 2),
    (slice_, 2),
    (concatenate, 2),
    (pad, 3),
    (dot_general, 4),
    (convolution, 4),
    (reduce, 4),
    (reduce_window, 3),
    (select_and_scatter, 2),
    (sort, 3),
    (top_k, 1),
    (gather, 5),
    (scatter, 5),
    (dynamic, 2),
    (branches, 1),
    (loop, 1),
    (call, 1),
    (barrier, 1),
]
"""Families of ops with their relative frequencies."""


def program(seed: int) -> tuple[str, list[Array], list[float]]:
    """A program's text, its arguments, and for each result the magnitude to which rounding errors are relative."""
    p = Program(seed)
    drawn = [family for family, weight in FAMILIES for _ in range(weight)]
    p.one_of([*drawn])(p)
    for _ in range(p.one_of([0, 1, 1, 2, 3])):
        p.one_of(drawn)(p)
    text, scales = p.text()
    return text, [array for _, array in p.arguments], scales
