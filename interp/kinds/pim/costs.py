"""The cost model of PIMs: an op costs one launch of the bank program that implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ArrayAttr, UnitAttr
from xdsl.ir import Attribute, Operation

from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from dialects.pim import PLAN
from dialects.task import RunOp
from interp.cost.model import CostModel
from interp.kinds.pim.program_source import ProgramSource
from interp.machine.cost import Cost
from interp.walk.entry import bank_work

if TYPE_CHECKING:
    from interp.machine.records import Pim


class BankCosts(CostModel):
    """Costs of graph ops and kernels on a PIM; without a source of programs, only kernels can be costed."""

    by_shape = False

    def __init__(self, pim: Pim, programs: ProgramSource | None) -> None:
        self.pim, self.programs = pim, programs

    def costs(self, ops: Sequence[GraphOp | FusedOp]) -> list[Cost | None]:
        return [None if self.programs is None else self.programs.cost_for(op, self.pim) for op in ops]

    def least_ns(self, op: GraphOp | FusedOp, enough: float) -> float:
        return 0.0 if self.programs is None else self.programs.least_ns(op, self.pim, enough)

    def kept_bytes(self, op: GraphOp | FusedOp) -> int | None:
        return None if self.programs is None else self.programs.kept_bytes(op, self.pim)

    def why_not(self, op: GraphOp | FusedOp) -> str | None:
        return None if self.programs is None else self.programs.why_not(op, self.pim)

    def work_of(self, run: RunOp) -> list[Operation]:
        return bank_work(run)

    def program_of(self, op: GraphOp | FusedOp) -> Operation | None:
        return None if self.programs is None else self.programs.kernel_for(op, self.pim)

    def plan_of(self, run: RunOp) -> dict[str, Attribute]:
        if self.programs is None:
            return {}
        plans = [self.programs.plan_of(op, self.pim) for op in bank_work(run)]
        if not any(plans):
            return {}
        one, *others = [plan or UnitAttr() for plan in plans]
        return {PLAN: ArrayAttr([one, *others]) if others else one}
