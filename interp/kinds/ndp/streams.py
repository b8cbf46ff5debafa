"""The loads, stores, ops and bytes of each phase of a near-data program, from which the cost model computes cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from dialects.element_types import byte_count, element_count
from dialects.graph.op import GraphOp, tensor_of
from dialects.ndp import AllocOp, CombineOp, LoadOp, ProgramOp, ReduceOp, StoreOp
from interp.kinds.ndp.law import Counts
from interp.kinds.ndp.phases import moves, ops_each


@dataclass
class Stream:
    """The loads, stores, ops and bytes of one phase of a program. A near-data unit keeps values that no other phase
    loads in its own memory."""

    elements: int = 0
    """The number of elements of the largest tensor that the phase stores or computes with."""
    inputs: int = 0
    """The loads per element, as written in the program."""
    outputs: int = 0
    """The stores per element, as written in the program."""
    ops: int = 0
    """The ops per element, as written in the program, without reductions."""
    reductions: int = 0
    """The reductions per element, as written in the program."""
    scratch_loads: int = 0
    """Those of `inputs` that load from the unit's own memory."""
    scratch_stores: int = 0
    """Those of `outputs` that store to the unit's own memory."""
    nbytes: int = 0
    """The bytes loaded from and stored to memory outside of the unit, over all elements."""
    flops: int = 0
    """The floating-point operations over all elements."""

    @property
    def counts(self) -> Counts:
        """The counts in the form that the law of cycles in interp/cost takes."""
        inputs = self.inputs - self.scratch_loads
        outputs = self.outputs - self.scratch_stores + self.reductions
        own = (self.scratch_loads, self.scratch_stores)
        return Counts(self.elements, inputs, outputs, self.ops, self.reductions, *own)


def streams(program: ProgramOp) -> list[Stream]:
    """The counts of loads, stores, ops and bytes of each phase of a program, in order."""
    return [_stream(ops) for ops in program.phases]


def _stream(ops: Sequence[Operation]) -> Stream:
    found, here, stored = Stream(), set(ops), set[SSAValue]()
    for op in ops:
        match op:
            case LoadOp():
                found.inputs += 1
                if op.memory in stored:
                    found.scratch_loads += 1
                else:
                    found.nbytes += byte_count(tensor_of(op.value))
                continue
            case StoreOp():
                stored.add(op.memory)
                found.outputs += 1
                others = (use.operation for use in op.memory.uses)
                if isinstance(op.memory.owner, AllocOp) and here.issuperset(others):
                    found.scratch_stores += 1
                else:
                    found.nbytes += byte_count(tensor_of(op.value))
                counted = [op.value]
            case GraphOp() if not moves(op):
                found.ops += 1 if isinstance(op, CombineOp) else ops_each(op)
                found.reductions += isinstance(op, ReduceOp)
                found.flops += op.work().flops
                counted = [*op.operands, *op.results] if not isinstance(op, CombineOp) else [op.y]
            case _:
                continue
        found.elements = max(found.elements, *(element_count(tensor_of(value)) for value in counted))
    return found
