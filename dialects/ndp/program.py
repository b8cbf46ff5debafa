"""Programs of near-data units and their launch op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    traits_def,
)
from xdsl.traits import IsolatedFromAbove, Pure, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from dialects.diagnostics import WrongInside
from dialects.graph.constant import ConstantOp
from dialects.graph.op import GraphOp
from dialects.graph.roles import FusionRole
from dialects.launching import CountedOp, LaunchingOp, ProgramExists
from dialects.ndp.instructions import (
    AllocOp,
    BarrierOp,
    CombineOp,
    FilterOp,
    JoinOp,
    LoadOp,
    ReduceOp,
    StoreOp,
)
from dialects.values import called

STREAMED = (FusionRole.POINTWISE, FusionRole.CONVERSION, FusionRole.MOVEMENT, FusionRole.VIEW)
"""Fusion roles of the graph ops that a program may contain, besides constants."""


@irdl_op_definition
class ProgramOp(CountedOp):
    """The program of all units of a device for one launch, each on its share of the elements. `(inputs) -> (outputs)`
    are memrefs in the units' memory.

    The body is a sequence of phases, which `ndp.barrier` divides: a phase is one stream over elements, and its values
    are those of the current element. Graph ops in it are arithmetic on these values, with their usual meaning; ops that
    move elements are address computations. `ndp.filter` first selects the inputs whose traffic is routed to the units,
    and the final `ndp.join` waits for all units.

    (C1) memrefs are static, contiguous and hold numbers; there is at least one output. (C2) the body holds `ndp` ops,
    constants, and element-wise or moving graph ops, and ends in `ndp.join`. (C3) a loaded input is listed in a filter
    above. (C4) outputs and scratch memory are stored to once each, scratch memory before it is loaded; inputs never.
    (C5) a value is used only in its own phase, except for results of `ndp.reduce`, which only `ndp.combine` uses, after
    a barrier.

    ```mlir
    ndp.program @fma on @ndp (%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>) -> (%r: memref<64xf32>) {
      ndp.filter %a, %b, %c
      %x = ndp.load %a
      %y = ndp.load %b
      %z = ndp.load %c
      %p = graph.mul %x, %y : tensor<64xf32>
      %s = graph.add %p, %z : tensor<64xf32>
      ndp.store %s to %r
      ndp.join
    }
    ```
    """

    name = "ndp.program"
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    @property
    def phases(self) -> list[list[Operation]]:
        """The ops of each phase, without barriers, filters and the join."""
        found: list[list[Operation]] = [[]]
        for op in self.body.block.ops:
            if isinstance(op, BarrierOp):
                found.append([])
            elif not isinstance(op, FilterOp | JoinOp):
                found[-1].append(op)
        return found

    def verify_(self) -> None:
        self.check_memrefs()  # (C1)
        *ops, last = self.body.block.ops or (None,)
        if not isinstance(last, JoinOp):  # (C2)
            raise VerifyException(f"ndp.program @{self.sym_name.data} must end in ndp.join, which waits for all units")
        for op in ops:
            _check_kind(op)
        self._check_memory(ops)
        self._check_phases()

    def _check_memory(self, ops: Sequence[Operation]) -> None:
        filtered, stored = set[SSAValue](), set[SSAValue]()
        inputs = set[SSAValue](self.inputs)
        for op in ops:
            match op:
                case FilterOp():
                    filtered |= set(op.memories)
                case LoadOp() if op.memory in inputs and op.memory not in filtered:  # (C3)
                    raise WrongInside(
                        f"ndp.load: {called(op.memory)} must be an operand of an ndp.filter above; add it there", op
                    )
                case LoadOp() if op.memory not in inputs and op.memory not in stored:  # (C4)
                    raise WrongInside(f"ndp.load: nothing was stored to {called(op.memory)} above", op)
                case StoreOp() if op.memory in inputs:  # (C4)
                    raise WrongInside(
                        f"ndp.store: {called(op.memory)} is an input; store to an output or ndp.alloc", op
                    )
                case StoreOp() if op.memory in stored:  # (C4)
                    raise WrongInside(f"ndp.store: {called(op.memory)} is stored to twice; allocate another memory", op)
                case StoreOp():
                    stored.add(op.memory)
                case _:
                    pass
        for value in self.outputs:
            if value not in stored:  # (C4)
                raise VerifyException(
                    f"ndp.program @{self.sym_name.data}: nothing is stored to the output {called(value)}; add an "
                    "ndp.store to it"
                )

    def _check_phases(self) -> None:
        phase = {op: number for number, ops in enumerate(self.phases) for op in ops}
        for op, number in phase.items():
            for value in op.operands:
                owner = value.owner
                if not isinstance(owner, Operation) or isinstance(owner, AllocOp):
                    continue
                partial = isinstance(owner, ReduceOp)
                if isinstance(op, CombineOp):
                    if not partial or phase[owner] >= number:  # (C5)
                        raise WrongInside(
                            "ndp.combine: the operand must be a partial result of ndp.reduce, and an ndp.barrier "
                            "must separate the two ops",
                            op,
                        )
                elif partial:  # (C5)
                    raise WrongInside(
                        f"{op.name}: {called(value)} is a partial result in each unit; combine it first (ndp.combine)",
                        op,
                    )
                elif phase[owner] != number:  # (C5)
                    raise WrongInside(
                        f"{op.name}: {called(value)} is computed before an ndp.barrier, so it is not available here; "
                        "store it before the barrier and load it after the barrier",
                        op,
                    )


def _check_kind(op: Operation) -> None:
    """Raise WrongInside for an op that programs may not contain."""
    if isinstance(op, BarrierOp | FilterOp | AllocOp | LoadOp | StoreOp | ReduceOp | CombineOp | ConstantOp):
        return
    if not isinstance(op, GraphOp) or op.FUSION not in STREAMED:  # (C2)
        reduces = isinstance(op, GraphOp) and op.FUSION is FusionRole.REDUCTION
        way_out = "; write it as element-wise ops, ndp.reduce and ndp.combine" if reduces else ""
        raise WrongInside(
            f"ndp.program holds ndp ops, constants, and graph ops that are element-wise or move elements, "
            f"not {op.name}{way_out}",
            op,
        )


@irdl_op_definition
class LaunchOp(LaunchingOp):
    """Run a program on the device of the enclosing task: operands are the program's inputs, results its outputs, as
    tensors.

    (C1) the program exists and is written for that device. (C2) operands and results have the shapes and
    element types of its memrefs.

    ```mlir
    ndp.program @double on @ndp (%a: memref<64xf32>) -> (%r: memref<64xf32>) {
      ndp.filter %a
      %x = ndp.load %a
      %y = graph.add %x, %x : tensor<64xf32>
      ndp.store %y to %r
      ndp.join
    }
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %y = ndp.launch @double (%x) : (tensor<64xf32>) -> tensor<64xf32>
      func.return %y : tensor<64xf32>
    }
    ```
    """

    name = "ndp.launch"
    LAUNCHES: ClassVar = ProgramOp
    traits = traits_def(Pure(), ProgramExists())
