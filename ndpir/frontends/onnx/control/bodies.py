"""Construction of counted loops: a body that takes the values that it uses from outside as arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Protocol, Self, TypeVar

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from dialects import graph as g
from dialects.repeating import COUNTER
from ndpir.frontends.onnx.builder import BodyBuilder


class LoopBody(BodyBuilder):
    """The body of a `graph.repeat` under construction. A value from outside becomes an argument where it is used first;
    a constant is copied."""

    def __init__(self, outer: BodyBuilder, carried: Sequence[SSAValue]) -> None:
        """`carried`: the initial values of the loop-carried values."""
        super().__init__(Block(arg_types=[COUNTER, *(value.type for value in carried)]), outer.path)
        self.outer = outer
        self.remakes = outer.remakes
        self.taken: list[SSAValue] = []
        """The values from outside that are passed to the loop, in order."""
        self._inner: dict[SSAValue, SSAValue] = {}

    @property
    def counter(self) -> SSAValue:
        """The counter, a tensor<i32>."""
        return self.block.args[0]

    def add(self, op: g.GraphOp, location: LocationAttr) -> SSAValue:
        for index, value in enumerate(op.operands):
            if not isinstance(value.owner, g.ConstantOp):
                op.operands[index] = self.inside(value)
        return super().add(op, location)

    def read_again(self, nodes: int) -> None:
        self.outer.read_again(nodes)

    def place(self, value: SSAValue) -> SSAValue:
        """`value`, inserted into the block; a constant stands there as a copy if it is one of the outer block."""
        return self.inside(value)

    def inside(self, value: SSAValue) -> SSAValue:
        """The value of the body for a value of the body or from outside."""
        owner = value.owner
        if owner is self.block or (isinstance(owner, Operation) and owner.parent is self.block):
            return value
        if (found := self._inner.get(value)) is None:
            if isinstance(owner, g.ConstantOp):
                copied = g.ConstantOp(owner.value)
                copied.location = owner.location
                self.block.add_op(copied)
                found = copied.y
            else:
                self.taken.append(self.outer.place(value))
                found = self.block.insert_arg(value.type, len(self.block.args))
            found.name_hint = value.name_hint
            self._inner[value] = found
        return found


class Placing(Protocol):
    """A foreign op whose new ops are added to a body: a node of ONNX, or a call of PyTorch."""

    body: BodyBuilder
    location: LocationAttr

    def build(self, cls: type[g.GraphOp], /, *operands: SSAValue, **properties: Any) -> SSAValue: ...

    def like(self, value: SSAValue, number: float) -> SSAValue: ...

    def fail(self, message: str) -> NoReturn: ...

    def inside(self, body: BodyBuilder) -> Self:
        """The same op, whose new ops are added to another body."""
        ...


PlacingT = TypeVar("PlacingT", bound=Placing)
Step = Callable[[PlacingT, SSAValue, list[SSAValue]], list[SSAValue]]
"""One iteration: a function of the node (with the body as the place of new ops), the counter and the carried values to
their next values."""


def repeat(node: PlacingT, count: int, carried: Sequence[SSAValue], step: Step[PlacingT]) -> list[SSAValue]:
    """The carried values after `count` iterations."""
    if count == 0:
        return list(carried)
    if count >= 1 << 31:
        node.fail(f"there are {count} iterations, but a counted loop has fewer than 2^31")
    body = LoopBody(node.body, carried)
    inner = node.inside(body)
    arguments = list[SSAValue](body.block.args[1 : len(carried) + 1])
    made = [body.inside(value) for value in step(inner, body.counter, arguments)]
    for index, (before, after) in enumerate(zip(carried, made, strict=True)):
        if before.type != after.type:
            node.fail(
                f"carried value {index} is {before.type} before an iteration and {after.type} after it; a counted loop "
                "keeps the types of its values"
            )
    body.block.add_op(g.YieldOp(*made))
    inputs = [node.body.place(value) for value in carried]
    loop = g.RepeatOp(range(count), [*inputs, *body.taken], Region(body.block))
    loop.location = node.location
    node.body.block.add_op(loop)
    return list(loop.results)


def row(node: Placing, x: SSAValue, index: SSAValue, axis: int = 0) -> SSAValue:
    """The slice of `x` at one index along an axis, which has extent 1 there."""
    sizes = tuple(1 if place == axis else extent for place, extent in enumerate(g.shape_of(x)))
    return node.build(g.DynamicSliceOp, x, *_starts(node, x, index, axis), sizes=sizes)


def with_row(node: Placing, x: SSAValue, update: SSAValue, index: SSAValue, axis: int = 0) -> SSAValue:
    """`x` with its slice at one index along an axis replaced."""
    return node.build(g.DynamicUpdateSliceOp, x, update, *_starts(node, x, index, axis))


def _starts(node: Placing, x: SSAValue, index: SSAValue, axis: int) -> list[SSAValue]:
    zero = node.like(index, 0)
    return [index if place == axis else zero for place in range(len(g.shape_of(x)))]
