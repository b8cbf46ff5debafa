"""Cost models: what ops take on one device, as the clock asks each kind, with answers that most kinds share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from xdsl.ir import Attribute, Operation

from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from dialects.task import RunOp, YieldOp
from interp.cost.record import Cost
from interp.program.views import is_view

if TYPE_CHECKING:
    from interp.cost.gpu.timed import Timed
    from interp.machine.records import Pim


class ProgramSource(Protocol):
    """Writes bank programs for graph ops; its class stands above this floor, and an instance is passed in."""

    def kernel_for(self, op: Operation, pim: Pim) -> Operation | None:
        """The program that does what `op` does, or None if the device can't run it."""
        ...

    def cost_for(self, op: Operation, pim: Pim) -> Cost | None:
        """The cost of one launch of that kernel."""
        ...

    def why_not(self, op: Operation, pim: Pim) -> str | None:
        """The reason why the device can't run it, in words that begin with the op's name; None if it can."""
        ...

    def plan_of(self, op: Operation, pim: Pim) -> Attribute | None:
        """The choice that identifies the program among its alternatives, as a note by which it is found again; None
        where there is only one."""
        ...


@dataclass(frozen=True)
class Way:
    """One of several ways to run an op on a device: its name among them, its cost, and what a task notes to run so."""

    name: str
    cost: Cost
    notes: Mapping[str, Attribute]


class CostModel(ABC):
    """Costs of graph ops and fused groups on one device. A kind of device need only say `costs`."""

    by_shape: ClassVar[bool] = True
    """True if ops of equal kind, properties and shapes cost the same; False if it also matters which of their operands
    are weights."""

    @abstractmethod
    def costs(self, ops: Sequence[GraphOp | FusedOp]) -> Sequence[Cost | None]:
        """The cost of each op, None where the device can't run it; many at once may take less time than one by one."""

    @property
    def description(self) -> str:
        """The model in words (`a plain roofline`); empty where the parts of a time say it."""
        return ""

    @property
    def board_idle_w(self) -> float | None:
        """Power of the device's board while no kernel runs, W; None where none is calibrated."""
        return None

    def why_not(self, op: GraphOp | FusedOp) -> str | None:
        """The reason why the device can't run an op, in words that begin with the op's name; None if it can, or nobody
        knows."""
        return None

    def work_of(self, run: RunOp) -> list[Operation]:
        """The ops of a task that take time, one after the other."""
        return [op for op in run.body.block.ops if not isinstance(op, YieldOp) and not is_view(op)]

    def program_of(self, op: GraphOp | FusedOp) -> Operation | None:
        """The program of a level that an op becomes; None where it becomes none."""
        return None

    def plan_of(self, run: RunOp) -> dict[str, Attribute]:
        """The notes of a task on the way in which the device runs it, where there are several: attributes by name. The
        model obeys those that it meets."""
        return {}

    def ways(self, op: GraphOp | FusedOp) -> Sequence[Way]:
        """The ways to run an op that a placement may choose between, the fastest first; none where there is but one."""
        return ()

    def noted(self, op: GraphOp | FusedOp) -> Hashable:
        """The notes of the task around an op on which the cost of equal ops depends."""
        return None

    def timed(self, op: GraphOp | FusedOp) -> list[Timed] | None:
        """The kernels of an op with their times taken apart; None where times are not made of such."""
        return None

    def parts(self, cost: Cost) -> Iterator[tuple[str, float, str]]:
        """The parts of the time of an op that costs `cost`, as (part, ns, remark)."""
        yield "time", cost.ns, cost.bound


class NoWork(CostModel):
    """The model of a device that runs no ops, for the reason that is given (`holds values and runs nothing`)."""

    def __init__(self, why: str) -> None:
        self.why = why

    def costs(self, ops: Sequence[GraphOp | FusedOp]) -> Sequence[Cost | None]:
        return [None] * len(ops)

    def why_not(self, op: GraphOp | FusedOp) -> str | None:
        return f"{op.name}: it {self.why}"
