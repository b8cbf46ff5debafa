"""Random programs of the graph level for hypothesis: valid functions of constants, weights and most kinds of ops.

Numbers stay of order one, and no op amplifies small differences, so that different roundings give close results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from dialects import graph as g
from dialects.element_types import ElementType, dtype_of, element_type_of, tensor_type
from dialects.graph import GraphOp, shape_of, tensor_of
from dialects.graph.properties import integer, real
from dialects.locations import named

F16, F32 = element_type_of(np.dtype(np.float16)), element_type_of(np.dtype(np.float32))
SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)
NUMBERS = st.sampled_from((-1.0, -0.5, -0.0, 0.0, 0.125, 0.5, 1.0, 2.0))


class Program:
    """A function under construction, extended by one drawn step at a time; later steps may use `values`."""

    def __init__(self, draw: DrawFn, element: ElementType) -> None:
        self.draw = draw
        self.element = element
        shapes = draw(st.lists(SHAPES, min_size=1, max_size=2))
        self.block = Block(arg_types=[tensor_type(shape, element) for shape in shapes])
        self.values: list[SSAValue] = list(self.block.args)

    def add(self, op: GraphOp) -> SSAValue:
        """Append an op; later steps may use its result if it has the program's element type and is no scalar."""
        op.location = named(f"op{sum(1 for _ in self.block.ops)}")
        self.block.add_op(op)
        result = op.results[0]
        if tensor_of(result).element_type == self.element and shape_of(result) and prod(shape_of(result)) <= 512:
            self.values.append(result)
        return result

    def value(self, rank: int | None = None) -> SSAValue:
        """A drawn value of the program; if `rank` is given, one of that rank, reshaped if necessary."""
        value = self.draw(st.sampled_from(self.values))
        shape = shape_of(value)
        if rank is None or len(shape) == rank:
            return value
        if len(shape) < rank:
            return self.reshape(value, (1,) * (rank - len(shape)) + shape)
        return self.reshape(value, (prod(shape[: len(shape) - rank + 1]), *shape[len(shape) - rank + 1 :]))

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        return self.add(g.ReshapeOp(value, result_type=tensor_type(shape, self.element)))

    def weight(self, shape: Sequence[int], low: float = -1.0, high: float = 1.0) -> SSAValue:
        seed = self.draw(st.integers(0, 3))
        source = g.UniformAttr(real(low), real(high), integer(seed))
        return self.add(g.WeightOp(f"w{seed}", source, tensor_type(shape, self.element)))

    def number(self, number: float, shape: Sequence[int] = ()) -> SSAValue:
        return self.add(g.ConstantOp(np.full(tuple(shape), number, dtype_of(self.element))))

    def axis(self, value: SSAValue) -> int:
        rank = len(shape_of(value))
        return self.draw(st.integers(-rank, rank - 1))

    def partner(self, value: SSAValue) -> SSAValue:
        """An operand that broadcasts to a value's shape: a weight, a constant, or the value itself."""
        shape = shape_of(value)
        cut = self.draw(st.integers(0, len(shape)))
        small = [extent if self.draw(st.booleans()) else 1 for extent in shape[cut:]]
        match self.draw(st.sampled_from(("weight", "number", "splat", "itself"))):
            case "weight":
                return self.weight(small)
            case "number":
                return self.number(self.draw(NUMBERS))
            case "splat":
                return self.number(self.draw(NUMBERS), small)
            case _:
                return value

    def module(self) -> ModuleOp:
        """The program as a module; the function returns its last value and a random one."""
        results = [self.values[-1], self.value()]
        last = ReturnOp(*results)
        last.location = named("return")
        self.block.add_op(last)
        types = [argument.type for argument in self.block.args], [value.type for value in results]
        function = FuncOp("main", types, Region(self.block))
        function.location = named("main")
        return ModuleOp([function])


def _unary(p: Program) -> None:
    classes = (g.NegOp, g.AbsOp, g.ReluOp, g.SinOp, g.CosOp, g.TanhOp, g.SigmoidOp, g.ErfOp, g.GeluOp, g.SiluOp)
    p.add(p.draw(st.sampled_from(classes))(p.value()))


def _binary(p: Program) -> None:
    x = p.value()
    operands = p.draw(st.permutations((x, p.partner(x))))
    classes = (g.AddOp, g.SubOp, g.MulOp, g.MinOp, g.MaxOp)
    p.add(g.TanhOp(p.add(p.draw(st.sampled_from(classes))(*operands))))


def _quotient(p: Program) -> None:
    p.add(g.DivOp(p.value(), p.number(p.draw(st.sampled_from((-1.0, 1.0, 2.0, 3.0, 8.0))))))


def _power(p: Program) -> None:
    p.add(g.PowOp(p.add(g.SigmoidOp(p.value())), p.number(p.draw(st.sampled_from((1.0, 2.0, 3.0, 0.5))))))


def _clip(p: Program) -> None:
    low, high = sorted(p.draw(st.lists(NUMBERS, min_size=2, max_size=2)))
    p.add(g.ClipOp(p.add(g.ClipOp(p.value(), min=low)), min=low, max=high))


def _select(p: Program) -> None:
    x = p.value()
    truth = p.add(g.ConstantOp(np.array(p.draw(st.booleans()))))
    turned = p.add(g.NotOp(truth)) if p.draw(st.booleans()) else truth
    p.add(g.SelectOp(turned, x, p.partner(x)))


def _mask(p: Program) -> None:
    x = p.value()
    shape = shape_of(x)[-1:]
    keep = p.add(g.CompareOp(p.weight(shape), p.number(-2.0), kind="gt"))
    both = p.add(g.AndOp(keep, p.add(g.ConstantOp(np.full(shape_of(x), True)))))
    filler = p.number(p.draw(st.sampled_from((-1.0, -60000.0))))
    p.add(g.SoftmaxOp(p.add(g.AddOp(x, p.add(g.SelectOp(both, p.number(0.0, shape), filler))))))


def _casts(p: Program) -> None:
    x = p.value()
    wide = element_type_of(np.dtype(np.float32 if p.element == F16 else np.float64))
    there = p.add(g.CastOp(x, result_type=tensor_type(shape_of(x), wide)))
    p.add(g.CastOp(there, result_type=x.type))


def _reshape(p: Program) -> None:
    x = p.value()
    flat = prod(shape_of(x))
    factors = [n for n in range(1, flat + 1) if flat % n == 0]
    first = p.draw(st.sampled_from(factors))
    p.reshape(x, p.draw(st.sampled_from(((first, flat // first), (flat,), (1, *shape_of(x))[-5:]))))


def _transpose(p: Program) -> None:
    x = p.value()
    p.add(g.TransposeOp(x, permutation=p.draw(st.permutations(range(len(shape_of(x)))))))


def _broadcast(p: Program) -> None:
    x = p.value()
    shape = [n if n != 1 else p.draw(st.integers(1, 3)) for n in shape_of(x)]
    lead = [p.draw(st.integers(1, 2))] if len(shape) < 4 and p.draw(st.booleans()) else []
    p.add(g.BroadcastOp(x, result_type=tensor_type((*lead, *shape), p.element)))


def _slice(p: Program) -> None:
    x = p.value()
    starts, ends, steps = list[int](), list[int](), list[int]()
    for extent in shape_of(x):
        low, high = sorted(p.draw(st.lists(st.integers(0, extent), min_size=2, max_size=2, unique=True)))
        back = p.draw(st.booleans())
        starts.append(high - 1 if back else low)
        ends.append(low - 1 if back else high)
        steps.append(p.draw(st.integers(1, 2)) * (-1 if back else 1))
    p.add(g.SliceOp(x, starts=starts, ends=ends, steps=steps))


def _concat(p: Program) -> None:
    x, axis = p.value(), 0
    axis = p.axis(x)
    parts = [x, *(x if p.draw(st.booleans()) else p.weight(shape_of(x)) for _ in range(p.draw(st.integers(0, 2))))]
    p.add(g.ConcatOp(*parts, axis=axis))


def _split_and_join(p: Program) -> None:
    x = p.value()
    shape = shape_of(x)
    axis = p.axis(x) % len(shape)
    cuts = sorted({0, shape[axis], *p.draw(st.lists(st.integers(0, shape[axis]), max_size=2))})
    parts = [
        p.add(
            g.SliceOp(
                x,
                starts=[low if i == axis else 0 for i in range(len(shape))],
                ends=[high if i == axis else n for i, n in enumerate(shape)],
            )
        )
        for low, high in pairwise(cuts)
    ]
    p.add(g.ConcatOp(*p.draw(st.permutations(parts)), axis=axis))


def _gather(p: Program) -> None:
    x = p.value()
    axis = p.axis(x)
    extent = shape_of(x)[axis]
    picks = p.draw(st.lists(st.integers(-extent, extent - 1), min_size=1, max_size=4))
    p.add(g.GatherOp(x, p.add(g.ConstantOp(np.array(picks))), axis=axis))


def _pad(p: Program) -> None:
    x = p.value()
    pads = st.lists(st.integers(0, 1), min_size=len(shape_of(x)), max_size=len(shape_of(x)))
    padded = p.add(g.PadOp(x, low=p.draw(pads), high=p.draw(pads)))
    if p.draw(st.booleans()):
        p.add(g.PadOp(padded, low=p.draw(pads), high=p.draw(pads), value=p.draw(st.sampled_from((0.0, 1.0)))))


def _reduce(p: Program) -> None:
    x = p.value()
    axes = p.draw(st.sets(st.integers(0, len(shape_of(x)) - 1), min_size=1))
    keep = len(axes) == len(shape_of(x)) or p.draw(st.booleans())
    kind = p.draw(st.sampled_from(("mean", "max", "min")))
    p.add(g.ReduceOp(x, kind=kind, axes=sorted(axes), keep_dims=keep))


def _softmax(p: Program) -> None:
    x = p.value()
    axis = p.axis(x)
    if p.draw(st.booleans()):
        p.add(g.SoftmaxOp(x, axis=axis))
        return
    largest = p.add(g.ReduceOp(x, kind="max", axes=[axis], keep_dims=True))
    powers = p.add(g.ExpOp(p.add(g.SubOp(x, largest))))
    p.add(g.DivOp(powers, p.add(g.ReduceOp(powers, kind="sum", axes=[axis], keep_dims=True))))


def _norm(p: Program) -> None:
    """Add a norm, written as single ops, of a weight, whose elements differ: a norm would amplify small differences of
    nearly equal elements."""
    rows, length = p.draw(st.integers(1, 3)), p.draw(st.integers(4, 8))
    x = p.add(g.AddOp(p.weight((rows, length)), p.number(0.25)))
    if p.draw(st.booleans()):
        x = p.add(g.SubOp(x, p.add(g.ReduceOp(x, kind="mean", axes=[1], keep_dims=True))))
    square = p.add(g.MulOp(x, x)) if p.draw(st.booleans()) else p.add(g.PowOp(x, p.number(2.0)))
    under = p.add(g.AddOp(p.add(g.ReduceOp(square, kind="mean", axes=[-1], keep_dims=True)), p.number(0.01)))
    match p.draw(st.sampled_from(("div", "rsqrt", "reciprocal"))):
        case "div":
            y = p.add(g.DivOp(x, p.add(g.SqrtOp(under))))
        case "rsqrt":
            y = p.add(g.MulOp(x, p.add(g.RsqrtOp(under))))
        case _:
            y = p.add(g.MulOp(p.add(g.ReciprocalOp(p.add(g.SqrtOp(under)))), x))
    if p.draw(st.booleans()):
        p.add(g.AddOp(p.add(g.MulOp(y, p.weight((length,)))), p.weight((1, length))))


def _activation(p: Program) -> None:
    """Add silu or gelu, written as single ops."""
    x = p.value()
    match p.draw(st.sampled_from(("silu", "erf", "tanh"))):
        case "silu":
            p.add(g.MulOp(x, p.add(g.SigmoidOp(x))))
            return
        case "erf":
            inner = p.add(g.ErfOp(p.add(g.DivOp(x, p.number(2**0.5)))))
        case _:
            cube = p.add(g.MulOp(p.add(g.PowOp(x, p.number(3.0))), p.number(0.044715)))
            inner = p.add(g.TanhOp(p.add(g.MulOp(p.add(g.AddOp(x, cube)), p.number((2 / np.pi) ** 0.5)))))
    half = p.add(g.MulOp(x, p.number(0.5)))
    p.add(g.MulOp(half, p.add(g.AddOp(inner, p.number(1.0)))))


def _matmul(p: Program) -> None:
    a = p.value(p.draw(st.sampled_from((2, 3))))
    length, columns = shape_of(a)[-1], p.draw(st.integers(1, 4))
    turned = p.draw(st.booleans())
    b = p.weight((columns, length) if turned else (length, columns))
    if p.draw(st.booleans()):
        b, turned = p.add(g.TransposeOp(b, permutation=[1, 0])), not turned
    y = p.add(g.MatmulOp(a, b, transpose_b=turned))
    if p.draw(st.booleans()):
        y = p.add(g.AddOp(y, p.weight((columns,))))
    p.add(g.TanhOp(y))


def _conv(p: Program) -> None:
    x = p.value(4)
    channels, filters = shape_of(x)[1], p.draw(st.integers(1, 3))
    if p.draw(st.booleans()):
        x = p.add(g.PadOp(x, low=[0, 0, 1, 0], high=[0, 0, 0, 1]))
    y = p.add(g.ConvOp(x, p.weight((filters, channels, 2, 2), -0.5, 0.5), pads=[1, 0, 0, 1]))
    if p.draw(st.booleans()):
        statistics = [p.weight((filters,)) for _ in range(3)]
        y = p.add(g.BatchNormOp(y, *statistics, p.weight((filters,), 0.5, 1.5)))
    if p.draw(st.booleans()):
        y = p.add(g.MulOp(y, p.weight((filters, 1, 1), 0.5, 1.0)))
    if p.draw(st.booleans()):
        y = p.add(g.AddOp(p.weight((1, filters, 1, 1)), y))
    p.add(g.TanhOp(y))


def _repeated_heads(p: Program) -> None:
    groups, times, length, depth = 2, p.draw(st.integers(1, 2)), 3, 4
    keys = p.reshape(p.weight((1, groups, length, depth)), (1, groups, 1, length, depth))
    wide = p.add(g.BroadcastOp(keys, result_type=tensor_type((1, groups, times, length, depth), p.element)))
    heads = p.reshape(wide, (1, groups * times, length, depth))
    queries = p.weight((1, groups * times, p.draw(st.integers(1, 2)), depth))
    p.add(g.TanhOp(p.add(g.MatmulOp(p.add(g.SinOp(queries)), heads, transpose_b=True))))


STEPS: tuple[Callable[[Program], None], ...] = (
    _unary,
    _binary,
    _quotient,
    _power,
    _clip,
    _select,
    _mask,
    _casts,
    _reshape,
    _transpose,
    _broadcast,
    _slice,
    _concat,
    _split_and_join,
    _gather,
    _pad,
    _reduce,
    _softmax,
    _norm,
    _activation,
    _matmul,
    _conv,
    _repeated_heads,
)


@composite
def programs(draw: DrawFn, element: ElementType = F32, most: int = 10) -> ModuleOp:
    """A module with one function, @main, of at most `most` steps; its arguments and results are tensors of
    `element`."""
    program = Program(draw, element)
    for step in draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=most)):
        step(program)
    return program.module()
