"""The same program for arguments of other shapes: `resized`.

    func.func @main(%x: tensor<1x128x64xf32>) -> tensor<1x128x4x16xf32> {
      %y = graph.reshape %x : tensor<1x128x64xf32> -> tensor<1x128x4x16xf32>

for a batch of 8 and 256 rows:

    func.func @main(%x: tensor<8x256x64xf32>) -> tensor<8x256x4x16xf32> {
      %y = graph.reshape %x : tensor<8x256x64xf32> -> tensor<8x256x4x16xf32>

Each axis of each value is traced to the arguments, weights and constants that give it its extent (`rules.py`). A change
of the batch is exact: no op combines elements along it, so each sample's result is that of the program as read. For
any other axis, constants are extended by the rule that their elements follow (`constants.py`). Types are inferred
again, op by op, and must equal the traced extents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dialects import graph as g
from dialects.diagnostics import note
from dialects.element_types import I1, dtype_of, tensor_type
from dialects.graph.patterns.matching import axes_of
from dialects.locations import located
from interp.walk.interpret import interpret
from lowering.resizing.constants import Array, extended, is_near, stands_for
from lowering.resizing.extents import (
    ONE,
    Change,
    Extent,
    Refused,
    blamed_on,
    factors,
    has_batch,
    is_changed,
    new,
    solve,
)
from lowering.resizing.inferred import Remake, as_properties
from lowering.resizing.rules import Axes, Traced, boundary, numbers

LITERAL = 1 << 10
"""The most elements of an extended weight that the program's text contains; more are kept in memory."""


def resized(module: ModuleOp, changes: Sequence[Change], remakes: Mapping[SSAValue, Remake]) -> ModuleOp:
    """A program of graph ops with one function, for arguments of other shapes; arguments whose axes must have the same
    extent as a changed one are changed too. `remakes`: properties that depend on shapes, by result of the op.

    Raises Refused if an op, a weight or a constant does not allow it, or might depend on the extent as read.
    """
    (function,) = [op for op in module.ops if isinstance(op, FuncOp)]
    body = function.body.block
    traced = Traced(remakes)
    interpret(function, _axes_of_arguments(body, changes), traced, traced.axes)
    _check(traced)
    return _Rebuilding(traced, function).module()


def _axes_of_arguments(body: Block, changes: Sequence[Change]) -> list[Axes]:
    """The extents of the axes of a program's arguments."""
    found: list[Axes] = []
    wanted = {(each.argument, each.axis): each for each in changes}
    batch: dict[int, Extent] = {}
    for argument in body.args:
        axes: Axes = []
        for axis, old in enumerate(g.shape_of(argument)):
            change = wanted.get((argument.index, axis))
            if change is None:
                axes.append(ONE if old == 1 else Extent(old))
            elif change.is_batch:
                axes.append(batch.setdefault(old, Extent(old, requested=change.extent, is_batch=True)))
            elif old == 1 != change.extent:
                raise Refused(
                    f"axis {axis} of {change.name} has one element, so that it can't be told from the model's other "
                    f"axes of one element, and can't have {change.extent}"
                )
            else:
                axes.append(Extent(old, requested=change.extent))
            if axes[-1] is not ONE:
                name = change.name if change else f"input {argument.index}"
                axes[-1].inputs.append(f"axis {axis} of {name}")
        found.append(axes)
    return found


# Checks


def _roots(traced: Traced) -> list[Extent]:
    """The roots of the variables of all axes, and of those that define them."""
    waiting = [extent.root for axes in traced.axes.values() for extent in axes]
    waiting += [extent.root for _, extent, _ in traced.rigid] + [extent.root for _, extent in traced.mixed]
    found: dict[int, Extent] = {}
    while waiting:
        root = waiting.pop()
        if id(root) not in found:
            found[id(root)] = root
            waiting += [part.root for each in root.definitions for part in each.parts]
    return list(found.values())


def counts_of(traced: Traced) -> frozenset[int]:
    """The old extents that change and may stand in the program as numbers: those of arguments and of joined axes, but
    not of the batch, which no op can depend on."""
    return frozenset(
        root.old
        for root in _roots(traced)
        if root.old > 2
        and not has_batch(root)
        and is_changed(root)
        and (root.requested is not None or root.inputs or any(isinstance(d.op, g.ConcatOp) for d in root.definitions))
    )


def _check(traced: Traced) -> None:
    """Raise Refused for an op that does not allow the new extents."""
    solve(_roots(traced))
    for value, axes in traced.axes.items():
        if sum(part.root.is_batch and is_changed(part) for extent in axes for part in factors(extent)) > 1:
            raise Refused("it combines each sample of the batch with all others", _producer(value))
    for op, extent in traced.mixed:
        if has_batch(extent) and is_changed(extent):
            raise Refused("it combines elements of different samples of the batch", op)
    for op, extent, reason in traced.rigid:
        if is_changed(extent):
            raise Refused(f"it {reason}, but an axis of {extent.old} elements would have {new(extent)}", op)
    for op, axis, extent in traced.ends:
        start = op.ranges()[axis].start
        if is_changed(extent) and boundary(extent, start) != new(extent) - 1:
            raise Refused(f"it takes the elements from number {start} on of an axis whose extent changes", op)
    counts = counts_of(traced)
    if not counts:
        return
    _check_origins(traced, counts)
    for value in traced.axes:
        if isinstance(value.owner, g.ElementwiseOp):
            _check_numbers(traced, value.owner, counts)


def _check_origins(traced: Traced, counts: frozenset[int]) -> None:
    """Raise Refused for an axis as long as one that changes, if nothing says that it is another."""
    roots = _roots(traced)
    progress = True
    while progress:  # parts of a known extent are known
        progress = False
        for root in roots:
            known = root.fixed or root.weights or root.requested or root.inputs or root.is_known
            for part in (part for each in root.definitions for part in each.parts if known):
                if not part.root.is_known:
                    part.root.is_known = progress = True
    for value, axes in traced.axes.items():
        for axis, extent in enumerate(axes):
            root = extent.root
            known = root.fixed or root.weights or root.requested or root.inputs or root.is_known or root.definitions
            if not known and root.old in counts:
                raise Refused(
                    f"axis {axis} of its result has {root.old} elements, and nothing shows if these are the "
                    f"{root.old} that change",
                    _producer(value),
                )


def _producer(value: SSAValue) -> Operation | None:
    return value.owner if isinstance(value.owner, Operation) else None


def _check_numbers(traced: Traced, op: Operation, counts: frozenset[int]) -> None:
    """Raise Refused for an operand of equal elements that may be computed from an extent that changes."""
    for value in op.operands:
        array = numbers(value) if isinstance(value.owner, g.ConstantOp) else None
        if array is None or not array.size or array.dtype.kind == "b" or (array != array.flat[0]).any():
            continue
        number = abs(float(array.flat[0]))
        others = [extent for other in op.operands if other is not value for extent in traced[other]]
        explained = {extent.old for extent in others if not is_changed(extent)}
        count = stands_for(number, counts - explained) if number else None
        if array.dtype.kind in "iu" and count is None:
            count = next((each for each in counts - explained if is_near(int(number), (each,))), None)
        for other in op.operands:
            summed = _summed(traced, other)
            if summed is not None and is_changed(summed) and stands_for(number, (summed.old,)):
                count = summed.old
        if count is not None:
            raise Refused(f"its constant {number:g} may be computed from the extent {count}, which changes", op)


def _summed(traced: Traced, value: SSAValue) -> Extent | None:
    """The extent that was summed up to a value, if its producer is a sum over one axis."""
    owner = value.owner
    if isinstance(owner, g.ReduceOp) and owner.kind.data == "sum":
        changed = [traced[owner.x][axis] for axis in owner.axis_set() if is_changed(traced[owner.x][axis])]
        return changed[0] if changed else None
    return None


# The new program


@dataclass
class _Rebuilding:
    """The new function under construction: ops as in the program as read, with types inferred again."""

    traced: Traced
    function: FuncOp
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    counts: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.counts = counts_of(self.traced)

    def module(self) -> ModuleOp:
        """The new program."""
        old = self.function.body.block
        self.block = Block(arg_types=[self.type_of(argument) for argument in old.args])
        for mine, theirs in zip(self.block.args, old.args, strict=True):
            mine.name_hint, mine.location = theirs.name_hint, theirs.location
            self.values[theirs] = mine
        for op in old.ops:
            if op in self.traced.constants:
                continue  # added before its first reader
            if isinstance(op, ReturnOp):
                results = [self.value(value) for value in op.operands]
                self.block.add_op(located(ReturnOp(*results), op))
            else:
                with blamed_on(op):
                    self.add(op)
        types = [[value.type for value in values] for values in (self.block.args, results)]  # pyright: ignore[reportPossiblyUnboundVariable]
        made = FuncOp(self.function.sym_name.data, (types[0], types[1]), Region(self.block))
        made.location = self.function.location
        return ModuleOp([made])

    def value(self, value: SSAValue) -> SSAValue:
        """The new value for a value of the program as read; a constant is added on its first use."""
        if value not in self.values:
            assert isinstance(value.owner, Operation)
            self.add(value.owner)
        return self.values[value]

    def shape_of(self, value: SSAValue) -> tuple[int, ...]:
        """The new shape of a value of the program as read."""
        return tuple(map(new, self.traced[value]))

    def type_of(self, value: SSAValue) -> g.Tensor:
        """The new type of a value of the program as read."""
        return tensor_type(self.shape_of(value), g.tensor_of(value).element_type)

    def add(self, op: Operation) -> None:
        """Add the op for the new extents. Raises Refused, or VerifyException if it does not fit its operands."""
        assert isinstance(op, g.GraphOp)
        result = op.results[0]
        made = self._constant(op) if op in self.traced.constants else self._rebuilt(op)
        if made.results[0].type != self.type_of(result):
            raise Refused(f"it would compute {made.results[0].type} where {self.type_of(result)} is expected", op)
        self.put(made, op)
        made.results[0].name_hint = result.name_hint
        self.values[result] = made.results[0]

    def put(self, made: Operation, op: Operation) -> Operation:
        """Add `made`, which replaces `op`, to the new function."""
        made.attributes = dict(op.attributes)
        self.block.add_op(located(made, op))
        return made

    def _rebuilt(self, op: g.GraphOp) -> g.GraphOp:
        operands = self._operands(op)
        self._check_indices(op, operands)
        changed = self._properties(op)
        result = self.type_of(op.results[0]) if op.EXPLICIT_RESULT else None
        return type(op)(*operands, result_type=result, **cast(Any, {**op.properties, **changed}))

    def _properties(self, op: g.GraphOp) -> dict[str, Any]:
        """The properties of an op that differ for the new extents."""
        remake, changed = self.traced.remakes.get(op.results[0]), dict[str, Any]()
        if remake is not None and op.operands:
            before, after = g.shape_of(op.operands[0]), self.shape_of(op.operands[0])
            if before != after:
                changed = as_properties(remake(after))
        if isinstance(op, g.SliceOp) and (remake is not None or self._full(op) != op.ranges()):
            changed = {**changed, **self._slice(op, changed)}
        return changed

    def _full(self, op: g.SliceOp) -> tuple[range, ...]:
        """The ranges of a slice, whole axes with their new extents."""
        shape = self.shape_of(op.x)
        return tuple(
            range(shape[axis]) if kept == range(old) else kept
            for axis, (kept, old) in enumerate(zip(op.ranges(), g.shape_of(op.x), strict=True))
        )

    def _slice(self, op: g.SliceOp, changed: Mapping[str, Any]) -> dict[str, Any]:
        """Starts and ends of a slice: whole axes stay whole, and a slice of the first rows of a table gets as many rows
        as its readers need."""
        old, shape, result = g.shape_of(op.x), self.shape_of(op.x), self.shape_of(op.y)
        starts, ends = (list(axes_of(changed.get(name, getattr(op, name)))) for name in ("starts", "ends"))
        last = {axis for each, axis, _ in self.traced.ends if each is op}
        for axis, kept in enumerate(op.ranges()):
            if axis in last:
                starts[axis], ends[axis] = shape[axis] - 1, shape[axis]
            elif kept == range(old[axis]):
                starts[axis], ends[axis] = 0, shape[axis]
            elif old[axis] == shape[axis] and kept.step == 1 and len(kept) != result[axis]:
                starts[axis], ends[axis] = kept.start, kept.start + result[axis]
                if ends[axis] > shape[axis]:
                    raise Refused(
                        f"it would take {result[axis]} of {shape[axis]} elements, from {kept.start} on, but the model "
                        "has no more",
                        op,
                    )
        return as_properties({"starts": starts, "ends": ends})

    def _operands(self, op: g.GraphOp) -> list[SSAValue]:
        """The new operands, broadcast where the op does not do it itself."""
        result = self.shape_of(op.results[0])
        match op:
            case g.GatherOp() if op in self.traced.in_order:
                shape = result[op.axis.value.data % len(g.shape_of(op.x)) :][: len(g.shape_of(op.indices))]
                order = np.arange(prod(shape), dtype=dtype_of(g.tensor_of(op.indices).element_type)).reshape(shape)
                return [self.value(op.x), self._put_indices(order, op)]
            case g.GatherNdOp() if op in self.traced.sample_indices:
                return [self.value(op.x), self._sample_indices(op)]
            case _:
                operands = [self.value(value) for value in op.operands]
        match op:
            case g.ConcatOp():
                axis = op.axis.value.data % len(result)
                return [
                    self._broadcast(value, [own if at == axis else n for at, (own, n) in enumerate(
                        zip(g.shape_of(value), result, strict=True))], op)
                    for value in operands
                ]  # fmt: skip
            case g.GatherElementsOp():
                data, indices = operands
                axis = op.axis.value.data % len(result)
                wide = [
                    full if at != axis and own == 1 else own
                    for at, (own, full) in enumerate(zip(g.shape_of(data), result, strict=True))
                ]
                return [self._broadcast(data, wide, op), self._broadcast(indices, result, op)]
            case _:
                return operands

    def _broadcast(self, value: SSAValue, shape: Sequence[int], op: Operation) -> SSAValue:
        if tuple(shape) == g.shape_of(value):
            return value
        made = g.BroadcastOp(value, result_type=tensor_type(shape, g.tensor_of(value).element_type))
        return self.put(made, op).results[0]

    def _sample_indices(self, op: g.GatherNdOp) -> SSAValue:
        """Indices that pick sample i of the batch in row i."""
        axis, place = self.traced.sample_indices[op]
        array = numbers(op.indices)
        assert array is not None
        rows = self.shape_of(op.y)[: array.ndim - 1]
        one = [1 if each == axis else extent for each, extent in enumerate(rows)]
        first = extended(array.take([0], axis), (*one, array.shape[-1]), self.counts)
        if first is None:
            raise Refused("its indices follow no known rule", op)
        wide = np.repeat(first, rows[axis], axis)
        wide[..., place] = np.arange(rows[axis]).reshape([-1 if each == axis else 1 for each in range(len(rows))])
        return self._put_indices(wide, op)

    def _put_indices(self, array: Array, op: g.GatherOp | g.GatherNdOp) -> SSAValue:
        """Add constant indices for an op; returns their value."""
        made = self.put(self._numbers(array, "indices"), op).results[0]
        made.name_hint = op.indices.name_hint
        return made

    def _check_indices(self, op: g.GraphOp, operands: Sequence[SSAValue]) -> None:
        """Raise Refused for constant indices into an axis that changes, unless they change with it or count from an
        end of it, and for indices beyond an axis."""
        match op:
            case g.GatherOp() | g.GatherElementsOp() if op not in self.traced.in_order:
                axis = op.axis.value.data % len(self.traced[op.x])
                picked = {axis: ...}
            case g.GatherNdOp():
                shared = op.batch_dims.value.data
                picked = {shared + place: place for place in range(g.shape_of(op.indices)[-1])}
            case _:
                return
        old, made = numbers(op.indices), numbers(operands[1])
        if old is None or made is None or not made.size:
            return
        follows = old.shape != made.shape
        for axis, place in picked.items():
            extent = self.traced[op.x][axis]
            before, after = (array if place is ... else array[..., place] for array in (old, made))
            if is_changed(extent) and not follows and not has_batch(extent) and before.max() > 0:
                raise Refused(f"it picks element {before.max()} of an axis whose extent changes", op)
            if not is_changed(extent) and before.size == 1 and is_near(int(before.max()), self.counts):
                raise Refused(f"its index {before.max()} may be computed from an extent that changes", op)
            size = new(extent)
            if after.max() >= size or after.min() < -size:
                raise Refused(
                    f"it would read element {after.max()} of an axis of {size}, and the model has no more", op
                )

    # Constants

    def _constant(self, op: g.GraphOp) -> g.GraphOp:
        """The constant or weight, extended where its extents changed."""
        shape = self.shape_of(op.results[0])
        if shape == g.shape_of(op.results[0]):
            return op.clone()
        name = op.sym.data if isinstance(op, g.WeightOp) else op.results[0].name_hint or "constant"
        axis = next(a for a, (n, old) in enumerate(zip(shape, g.shape_of(op.results[0]), strict=True)) if n != old)
        old = g.shape_of(op.results[0])[axis]
        if isinstance(op, g.WeightOp) and isinstance(op.source, g.UniformAttr) and self._is_position(op, shape):
            note(f"weight `{name}` has no values in the model; its seeded fill gets the shape {_by(shape)}")
            return g.WeightOp(name, op.source, self.type_of(op.y))
        if isinstance(op, g.ConstantOp) and op.value.is_splat:
            self._check_splat(op)
            return g.ConstantOp(op.value.stretched(self.type_of(op.y)))
        array = numbers(op.results[0])
        made = None if array is None else extended(array, shape, self.counts)
        samples = [axis for axis, extent in enumerate(self.traced.constants[op]) if has_batch(extent)]
        if made is None or array is None or any((array != array.take([0], each)).any() for each in samples):
            reader = next((use.operation for use in op.results[0].uses), op)
            why = "its values are not in the model" if array is None else "its values follow no known rule"
            raise Refused(
                f"it reads `{name}`, which has {old} elements on axis {axis} and would need {shape[axis]}; but {why}",
                reader,
            )
        return self._numbers(made, name)

    def _check_splat(self, op: g.ConstantOp) -> None:
        """Raise Refused for a constant whose equal elements may be computed from the extent that changes."""
        number = op.value.stored[0] if op.value.tensor.element_type != I1 else 0
        changed = {extent.root.old for extent in self.traced.constants[op] if is_changed(extent)}
        if number and (count := stands_for(abs(float(number)), changed - {1, 2})) is not None:
            reader = next((use.operation for use in op.y.uses), op)
            raise Refused(f"its constant {number:g} may be computed from the extent {count}, which changes", reader)

    def _is_position(self, op: g.WeightOp, shape: Sequence[int]) -> bool:
        """True if all axes of a weight of several elements change, as those of a mask do, and no other."""
        return all(old == 1 or old != extent for old, extent in zip(g.shape_of(op.y), shape, strict=True))

    def _numbers(self, array: Array, name: str) -> g.GraphOp:
        attr = g.NumbersAttr.of(array)
        if attr.is_splat or array.size <= LITERAL:
            return g.ConstantOp(attr)
        return g.WeightOp(name, g.HeldAttr(g.Held.of(attr.data.data)), attr.tensor)


def _by(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))
