"""Converters for loops: `while` becomes a loop with a known number of iterations; small loops are unrolled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Block, BlockArgument, Region, SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of
from dialects.graph.patterns.loops import Steps
from dialects.locations import located
from dialects.repeating import COUNTER, MOST
from ndpir.frontends.padding import known_number
from ndpir.frontends.stablehlo.building import Building, converts
from ndpir.frontends.stablehlo.module import (
    DenseLiteral,
    HloAttribute,
    HloBlock,
    HloOp,
    HloType,
    HloValue,
    TensorShape,
)

MOST_OPS = 20_000
"""The largest number of ops, over all iterations, of a loop that must be unrolled."""
SMALL = 500
"""The largest number of ops, over all iterations, of a loop that is unrolled although its number of iterations is
known: unrolling allows constants in it to be folded."""
LARGE_OPS = ("dot_general", "convolution", "while")
"""Ops whose loops never count as small."""
_SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


@converts("while")
def loop(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """A `graph.repeat`, if the condition compares a constant with a counter whose start and step are known. The loop is
    unrolled instead if it is small, or if the number of iterations follows from constants in another way."""
    if xs and (body := _Body(b, xs)).count is not None:
        if body.count > MOST:
            b.fail(
                f"the loop has {body.count} iterations, but at most {MOST} are supported; write a loop of fewer "
                "iterations"
            )
        if body.count * b.scope.weight(b.op.regions[1], LARGE_OPS) > SMALL:
            return body.repeated()
    return _unrolled(b, xs)


@converts("chlo.scan")
def scan(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """A `while` loop that applies the region to slices of the inputs and to the carried values, and writes the region's
    results into slices of the op's results (chlo.scan)."""
    (region,), types = b.op.regions, [operand.type for operand in b.op.operands]
    # Operands of another type than the region's argument are inputs: the region takes slices of these.
    count = sum(value.type != type_ for value, type_ in zip(region.arguments, types, strict=True))
    inputs, inits, place = b.op.operands[:count], xs[count:], b.op.place
    made = [b.result(index).get_shape() for index in range(len(b.op.results) - len(inits))]
    axis = b.integer("dimension")
    iterations = b.integer("scan_dim_size") if not inputs else g.shape_of(xs[0])[axis]
    zeros = [
        b.broadcast_to(b.constant(np.zeros((), dtype_of(b.result(index).element_type))), shape)
        for index, shape in enumerate(made)
    ]
    if not iterations:
        return [*zeros, *inits]
    scalar = TensorShape((), "i64")
    ops: list[HloOp] = []

    def op(name: str, operands: Sequence[HloValue], type_: HloType, **attributes: HloAttribute) -> HloValue:
        result = HloValue("", type_)
        ops.append(HloOp(name, [*operands], [result], attributes, [], place))
        return result

    def number(value: int) -> HloValue:
        return op("constant", [], scalar, value=DenseLiteral(str(value), scalar))

    before = [HloValue("%made", result.type) for result in b.op.results[: len(made)]]
    counter = at = HloValue("%turn", scalar)
    if b.op.attributes.get("is_reverse") is True:
        at = op("subtract", [number(iterations - 1), counter], scalar)

    def starts(shape: Sequence[int]) -> list[HloValue]:
        zero = number(0)
        return [at if each == axis else zero for each in range(len(shape))]

    for value, argument, x in zip(inputs, region.arguments, xs, strict=False):
        sizes = [1 if each == axis else extent for each, extent in enumerate(g.shape_of(x))]
        assert isinstance(value.type, TensorShape)
        part = op(
            "dynamic_slice",
            [value, *starts(sizes)],
            TensorShape(tuple(sizes), value.type.element),
            slice_sizes=[*sizes],
        )
        ops.append(HloOp("reshape", [part], [argument], {}, [], place))
    *steps, last = region.ops
    ops += steps
    after: list[HloValue] = []
    for stacked, shape, value in zip(before, made, last.operands, strict=False):
        sizes = [1 if each == axis else extent for each, extent in enumerate(shape)]
        assert isinstance(stacked.type, TensorShape)
        part = op("reshape", [value], TensorShape(tuple(sizes), stacked.type.element))
        after.append(op("dynamic_update_slice", [stacked, part, *starts(sizes)], stacked.type))
    following = op("add", [counter, number(1)], scalar)
    ops.append(HloOp("return", [following, *last.operands[len(made) :], *after], [], {}, [], place))
    carried = [counter, *region.arguments[count:], *before]
    body, ops = HloBlock(carried, ops), []
    goes_on = op("compare", [counter, number(iterations)], TensorShape((), "i1"), comparison_direction="LT")
    condition = HloBlock(carried, [*ops, HloOp("return", [goes_on], [], {}, [], place)])
    repeated = HloOp("while", [], [], {}, [condition, body], place)
    _, *found = loop(Building(repeated, b.scope), [b.constant(np.array(0, np.int64)), *inits, *zeros])
    return [*found[len(inits) :], *found[: len(inits)]]


def _unrolled(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    condition, body = b.op.regions
    values, count = list(xs), 0
    while True:
        goes_on = known_number(b.inlined(condition, values)[0])
        if goes_on is None:
            b.fail("the loop's number of iterations depends on data; use a constant bound")
        if not goes_on:
            return values
        count += 1 + len(body.ops)
        if count > MOST_OPS:
            b.fail(f"unrolled, the loop has more than {MOST_OPS} ops, the limit; write a loop of fewer iterations")
        values = b.inlined(body, values)


class _Body:
    """The body of a `while`, converted once, in a separate block. `count`: the loop's number of iterations, or None if
    unknown."""

    def __init__(self, b: Building, xs: list[SSAValue]) -> None:
        self.b, self.xs = b, xs
        condition, body = b.op.regions
        self.block = Block(arg_types=[COUNTER, *(x.type for x in xs)])
        self.arguments = self.block.args[1:]
        for argument, value in zip(self.arguments, body.arguments, strict=True):
            argument.name_hint = value.name_hint
        self.yielded = b.inlined_into(self.block, body, self.arguments)
        self.count = self._count(condition)

    def _count(self, condition: HloBlock) -> int | None:
        """The number of iterations, if the condition compares a constant with a value that grows by a fixed step; None
        otherwise. Raises InputError if such a loop never ends."""
        scratch = Block(arg_types=[x.type for x in self.xs])
        carried = zip(self.xs, self.arguments, self.yielded, scratch.args, strict=True)
        values = [x if y is argument else later for x, argument, y, later in carried]
        compare = self.b.inlined_into(scratch, condition, values)[0].owner
        if not isinstance(compare, g.CompareOp):
            return None
        for here, kind in ((0, compare.kind.data), (1, _SWAPPED[compare.kind.data])):
            value, limit = compare.operands[here], known_number(compare.operands[1 - here])
            if not isinstance(value, BlockArgument) or value.block is not scratch or not isinstance(limit, int):
                continue
            at = value.index
            if (steps := Steps.of(self.xs[at], self.arguments[at], self.yielded[at])) is not None:
                count = steps.iterations(kind, limit)
                info = np.iinfo(dtype_of(g.tensor_of(value).element_type))
                if count is not None and info.min <= steps.start + count * steps.step <= info.max:
                    return count
                self.b.fail(
                    f"the loop never ends: its counter starts at {steps.start} and changes by {steps.step} in each "
                    "iteration; correct its bound"
                )
        return None

    def repeated(self) -> list[SSAValue]:
        """The results of the loop as a `graph.repeat` that carries all values; canonicalization removes carried values
        that do not change."""
        assert self.count is not None
        inputs = list(self.xs)
        self.block.add_op(g.YieldOp(*self.yielded))
        body = _isolated(self.block, self.block.args, inputs)
        loop = g.RepeatOp(range(self.count), inputs, Region(body))
        loop.location = self.b.location
        self.b.scope.block.add_op(loop)
        return list(loop.results)


def _isolated(block: Block, arguments: Sequence[SSAValue], inputs: list[SSAValue]) -> Block:
    """A new block with the ops of `block`. Its arguments correspond to `arguments`, in this order, followed by all
    values that the ops use from outside of the block. These values are added to `inputs`; constants from outside are
    copied into the block instead."""
    new = Block(arg_types=[argument.type for argument in arguments])
    known: dict[SSAValue, SSAValue] = {}
    for argument, old in zip(new.args, arguments, strict=True):
        argument.name_hint = old.name_hint
        known[old] = argument
    for op in list(block.ops):
        op.detach()
        for index, value in enumerate(op.operands):
            if value not in known:
                owner = value.owner
                if isinstance(owner, g.ConstantOp):
                    constant = located(g.ConstantOp(owner.value), owner)
                    new.add_op(constant)
                    known[value] = constant.results[0]
                else:
                    inputs.append(value)
                    known[value] = new.insert_arg(value.type, len(new.args))
                    known[value].name_hint = value.name_hint
            op.operands[index] = known[value]
        new.add_op(op)
        known |= {result: result for result in op.results}
    return new
