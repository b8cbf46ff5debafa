"""Construction of the function's body: ops in order, constants before their first use, constant folding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from onnx import TensorProto
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.element_types import element_count
from dialects.identity import IdentityCache
from lowering.graph.folding import Folding
from ndpir.frontends.onnx.tensors import (
    INLINE_LIMIT,
    Array,
    TensorError,
    array_of,
    checked_shape,
    is_external,
    source_of,
    type_of_tensor,
)

MOST_REPEATED = 1 << 12
"""The largest number of known values that the builder caches for reuse."""
MOST_READ_AGAIN = 1 << 14
"""The largest number of nodes of loops' bodies that are read again, for each iteration, in a model."""


class BodyBuilder:
    """A function body under construction. Values known at import are the results of `graph.constant` ops.

    Constants and weights are inserted into the block only when an op in it uses them, so that values used only for
    shapes are not emitted.
    """

    def __init__(self, block: Block, path: str) -> None:
        """`path`: the path of the model file, from which weights stored in it are read at run time."""
        self.block = block
        self.path = path
        self.folding = Folding()
        self.remakes: dict[SSAValue, Callable[[tuple[int, ...]], Mapping[str, Any]]] = {}
        """Functions from the shape of an op's first operand to those of the op's properties that the shape determines,
        by the op's result."""
        self._fitting = IdentityCache[bool]()
        """Types whose shapes were checked and are supported."""
        self._numbers: dict[tuple[int, tuple[int, ...], bytes], g.NumbersAttr] = {}
        """Known values by type, shape and bytes, since models repeat them."""
        self._read_again = 0

    def read_again(self, nodes: int) -> None:
        """Count nodes of a loop's body that are read once more. Raises VerifyException beyond `MOST_READ_AGAIN` nodes
        in a model: loops in loops multiply their numbers."""
        self._read_again += nodes
        if self._read_again > MOST_READ_AGAIN:
            raise VerifyException(
                f"reading the model's loops takes more than {MOST_READ_AGAIN} nodes, because their iterations are "
                "evaluated or written one by one; export the model with fixed numbers of iterations"
            )

    def tensor(self, tensor: TensorProto, name: str, location: LocationAttr) -> SSAValue:
        """An initialiser or constant: a known value if it is small and stored inline, else a weight. Raises TensorError
        for an invalid tensor."""
        key = tensor.data_type, tuple(tensor.dims), tensor.raw_data
        if tensor.raw_data and not is_external(tensor) and (numbers := self._numbers.get(key)) is not None:
            return self.constant(numbers, location)
        type_ = type_of_tensor(tensor)
        if element_count(type_) <= INLINE_LIMIT and not is_external(tensor):
            numbers = g.NumbersAttr.of(array_of(tensor))
            if len(self._numbers) < MOST_REPEATED:
                self._numbers[key] = numbers
            return self.constant(numbers, location)
        op = g.WeightOp(name, source_of(tensor, name, self.path), type_)
        op.location = location
        return op.y

    def constant(self, numbers: g.NumbersAttr, location: LocationAttr) -> SSAValue:
        """A value known at import, with the given numbers. Raises VerifyException if it is too large for a literal."""
        op = g.ConstantOp(numbers)
        op.location = location
        return op.y

    def add(self, op: g.GraphOp, location: LocationAttr) -> SSAValue:
        """The result of a new op, or its constant value if all operands are known and small."""
        op.location = location
        self._check_shape(g.tensor_of(op.results[0]))
        if (numbers := self.folding.value_of(op)) is not None:
            op.drop_all_references()
            return self.constant(numbers, location)
        for index, value in enumerate(op.operands):
            if (placed := self.place(value)) is not value:
                op.operands[index] = placed
        self.block.add_op(op)
        return op.results[0]

    def add_group(self, group: g.FusedOp, location: LocationAttr) -> list[SSAValue]:
        """The results of a new group."""
        group.location = location
        for index, value in enumerate(group.operands):
            group.operands[index] = self.place(value)
        self.block.add_op(group)
        return list(group.results)

    def undo(self, last: Operation | None, inputs: Sequence[SSAValue | None]) -> None:
        """Remove the ops that a handler added behind `last` (None: all) before it refused its node, except constants
        and weights, which the builder may know; and ops outside of the block that read them or the node's
        `inputs`."""
        new: list[Operation] = []
        op = self.block.last_op
        while op is not None and op is not last:
            new.append(op)
            op = op.prev_op
        for value in (*filter(None, inputs), *(result for op in new for result in op.results)):
            for reader in [use.operation for use in value.uses]:
                if reader.parent is None:  # an op whose operands do not fit
                    reader.drop_all_references()
        for op in new:
            if not isinstance(op, g.ConstantOp | g.WeightOp):
                self.block.erase_op(op)

    def _check_shape(self, type_: g.Tensor) -> None:
        if self._fitting.get((type_,)):
            return
        try:
            checked_shape(type_.get_shape())
        except TensorError as error:
            raise VerifyException(f"the result {error}") from None
        self._fitting.put((type_,), True)

    def place(self, value: SSAValue) -> SSAValue:
        """`value`, inserted into the block if it is a constant or weight not yet in it."""
        owner = value.owner
        if isinstance(owner, g.ConstantOp | g.WeightOp) and owner.parent is None:
            self.block.add_op(owner)
        return value


def known(value: SSAValue) -> Array | None:
    """The numbers of a value that is known at import; None for any other value."""
    return value.owner.value.array() if isinstance(value.owner, g.ConstantOp) else None
