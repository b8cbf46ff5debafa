"""What every way of running an op in banks has in common: a program, its time, and how operands and results lie."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from dialects.graph import FusedOp, GraphOp
from dialects.pim import KernelOp
from interp.bank_clock import BankTime
from interp.sheet import Pim
from lowering.bank_layout import Chain


@dataclass(frozen=True)
class Candidate:
    """A mapping that was timed, in a few words; `exact` unless refreshes were left out."""

    name: str
    ns: float
    exact: bool


@dataclass(frozen=True)
class BankPlan(ABC):
    """How a device runs an op: as what program, and how long that takes. Plans are shared by ops that ask for the same:
    clone the kernel. Its inputs are what `lay_inputs` gives, then what `lay_weights` gives."""

    kernel: KernelOp
    time: BankTime
    candidates: tuple[Candidate, ...] = field(default=(), kw_only=True)
    """What was timed, the chosen one first, then from the fastest."""

    @property
    def energy_nj(self) -> float:
        return sum(self.time.energy_nj.values())

    @abstractmethod
    def lay_inputs(self, op: GraphOp | FusedOp, pim: Pim) -> list[Chain]:
        """What is known at run time only, as the program takes it."""

    @abstractmethod
    def weights(self, op: GraphOp | FusedOp) -> tuple[SSAValue, ...]:
        """The operands that lie in the banks from the start."""

    @abstractmethod
    def layout_key(self, op: GraphOp | FusedOp) -> Hashable:
        """What tells the layouts of equal weights for this plan's kernel apart."""

    @abstractmethod
    def lay_weights(
        self, op: GraphOp | FusedOp, weights: Sequence[SSAValue], pim: Pim
    ) -> tuple[list[GraphOp], list[SSAValue]]:
        """The weights (given as they are outside of all tasks) as they lie in the banks: all ops, and the values."""

    @abstractmethod
    def lift_results(self, op: GraphOp | FusedOp, outputs: Sequence[SSAValue]) -> list[Chain]:
        """The op's results, made of what the program gives."""


def alone(op: Operation) -> GraphOp | None:
    """The graph op that an op is, by itself or as the only one of a fused group."""
    if isinstance(op, FusedOp):
        ops = op.ops
        return ops[0] if len(ops) == 1 and isinstance(ops[0], GraphOp) and op.yielded == tuple(ops[0].results) else None
    return op if isinstance(op, GraphOp) else None
