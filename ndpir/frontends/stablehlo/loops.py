"""`while` as a loop whose turns are counted; a small one is written out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Block, BlockArgument, Region, SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of
from dialects.locations import located
from dialects.repeating import COUNTER, MOST
from ndpir.frontends.stablehlo.building import Building, converts
from ndpir.frontends.stablehlo.module import HloBlock
from ndpir.frontends.stablehlo.movement import known_number

MOST_OPS = 200_000
"""Ops of all turns of a loop that has to be written out."""
SMALL = 500
"""Ops of all turns of a loop that is written out though its turns can be counted: constants fold then."""
LARGE_OPS = ("dot_general", "convolution", "while")
"""Ops of loops that are never small."""
_SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


@converts("while")
def loop(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """A `graph.repeat`, where the condition compares a counter of known start and step with a constant. Its turns one
    after another, where the loop is small, or only constants tell in another way when it ends."""
    if xs and (turns := _Body(b, xs)).count is not None:
        if turns.count > MOST:
            b.fail(f"it turns {turns.count} times; at most {MOST} are counted")
        if turns.count * b.scope.weight(b.op.regions[1], LARGE_OPS) > SMALL:
            return turns.repeated()
    return _written_out(b, xs)


def _written_out(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    condition, body = b.op.regions
    values, count = list(xs), 0
    while True:
        goes_on = known_number(b.inlined(condition, values)[0])
        if goes_on is None:
            b.fail("how often a loop turns does not follow from the program; give it a bound that is a constant")
        if not goes_on:
            return values
        count += 1 + len(body.ops)
        if count > MOST_OPS:
            b.fail(f"its turns come to more than {MOST_OPS} ops; take a loop that turns less often")
        values = b.inlined(body, values)


@dataclass(frozen=True)
class Steps:
    """A value that is `start` in the first turn, and `step` more in each further one."""

    start: int
    step: int

    def turns(self, kind: str, limit: int) -> int | None:
        """In how many turns from the first one on it is less (`lt`, …) than a limit; None where that never ends."""
        start, step = self.start, self.step
        match kind:
            case "lt" | "le":
                left = limit - start + (kind == "le")
                return 0 if left <= 0 else -(-left // step) if step > 0 else None
            case "gt" | "ge":
                left = start - limit + (kind == "ge")
                return 0 if left <= 0 else -(-left // -step) if step < 0 else None
            case "ne":
                left = limit - start
                return 0 if not left else left // step if step and left % step == 0 and left // step > 0 else None
            case _:
                return 0 if start != limit else 1 if step else None


class _Body:
    """The body of a `while`, converted once, in a block of its own; `count`: how often it is run, where that is
    known."""

    def __init__(self, b: Building, xs: list[SSAValue]) -> None:
        self.b, self.xs = b, xs
        condition, body = b.op.regions
        self.block = Block(arg_types=[COUNTER, *(x.type for x in xs)])
        self.counter, *self.arguments = self.block.args
        for argument, value in zip(self.arguments, body.arguments, strict=True):
            argument.name_hint = value.name_hint
        self.yielded = b.inlined_into(self.block, body, self.arguments)
        self.same = [argument is value for argument, value in zip(self.arguments, self.yielded, strict=True)]
        self.steps: Mapping[int, Steps] = {
            index: steps for index in range(len(xs)) if (steps := self._steps(index)) is not None
        }
        self.count = self._count(condition)

    def _steps(self, index: int) -> Steps | None:
        """How a carried value goes on, where it starts as a constant and a constant is added each turn."""
        owner, start = self.yielded[index].owner, known_number(self.xs[index])
        if g.shape_of(self.xs[index]) or not isinstance(start, int) or isinstance(start, bool):
            return None
        if not isinstance(owner, g.AddOp | g.SubOp) or self.arguments[index] not in owner.operands:
            return None
        here = list(owner.operands).index(self.arguments[index])
        step = known_number(owner.operands[1 - here])
        if not isinstance(step, int) or (here and isinstance(owner, g.SubOp)):
            return None
        return Steps(start, -step if isinstance(owner, g.SubOp) else step)

    def _count(self, condition: HloBlock) -> int | None:
        """How often the condition holds, where it compares a value that goes on in steps with a constant."""
        scratch = Block(arg_types=[x.type for x in self.xs])
        values = [x if same else argument for x, same, argument in zip(self.xs, self.same, scratch.args, strict=True)]
        compare = self.b.inlined_into(scratch, condition, values)[0].owner
        if not isinstance(compare, g.CompareOp):
            return None
        for here, kind in ((0, compare.kind.data), (1, _SWAPPED[compare.kind.data])):
            value, limit = compare.operands[here], known_number(compare.operands[1 - here])
            if isinstance(value, BlockArgument) and value.index in self.steps and isinstance(limit, int):
                steps = self.steps[value.index]
                count = steps.turns(kind, limit)
                info = np.iinfo(dtype_of(g.tensor_of(value).element_type))
                if count is not None and info.min <= steps.start + count * steps.step <= info.max:
                    return count
        return None

    def repeated(self) -> list[SSAValue]:
        """The results of the loop as a `graph.repeat`."""
        assert self.count is not None
        b, outer = self.b, self.b.scope.block
        carried = [i for i in range(len(self.xs)) if not self.same[i] and i not in self.steps]
        starts = {steps.start for index, steps in self.steps.items() if self._is_counter(index)}
        first = starts.pop() if len(starts) == 1 else 0
        turns = range(first, first + self.count)
        self.block.add_op(g.YieldOp(*(self.yielded[index] for index in carried)))
        for index, steps in self.steps.items():
            self.arguments[index].replace_all_uses_with(self._going_on(index, steps, first))
        handed = [*carried, *(i for i in range(len(self.xs)) if self.same[i])]
        inputs = [self.xs[index] for index in handed]
        order = [self.counter, *(self.arguments[index] for index in handed)]
        body = _isolated(self.block, order, inputs)
        made = g.RepeatOp(turns, inputs, Region(body))
        made.location = b.location
        outer.add_op(made)
        results = dict(zip(carried, made.results, strict=True))
        for index, steps in self.steps.items():
            dtype = dtype_of(g.tensor_of(self.xs[index]).element_type)
            results[index] = b.constant(np.array(steps.start + self.count * steps.step).astype(dtype))
        return [results.get(index, x) for index, x in enumerate(self.xs)]

    def _is_counter(self, index: int) -> bool:
        """Whether the counter of a `graph.repeat` can be a carried value."""
        steps = self.steps[index]
        return steps.step == 1 and self.xs[index].type == COUNTER

    def _going_on(self, index: int, steps: Steps, first: int) -> SSAValue:
        """A value that goes on in steps, of the counter."""
        if self._is_counter(index) and steps.start == first:
            return self.counter
        type_ = g.tensor_of(self.xs[index])
        dtype = dtype_of(type_.element_type)
        made: list[g.GraphOp] = [g.CastOp(self.counter, result_type=type_)] if type_ != COUNTER else []
        value = made[-1].results[0] if made else self.counter
        for kind, number, nothing in (
            (g.MulOp, steps.step, 1),
            (g.AddOp, steps.start - first * steps.step, 0),
        ):
            if number != nothing:
                constant = g.ConstantOp(np.array(number).astype(dtype))
                made += [constant, kind(value, constant.results[0])]
                value = made[-1].results[0]
        for op in made:
            op.location = self.b.location
        if (before := self.block.first_op) is not None:
            self.block.insert_ops_before(made, before)
        else:
            self.block.add_ops(made)
        return value


def _isolated(block: Block, arguments: Sequence[SSAValue], inputs: list[SSAValue]) -> Block:
    """The ops of a block in a new one, whose arguments are some of the old one's, in this order, and whatever is used
    of the outside, which is added to the inputs; constants are made anew."""
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
