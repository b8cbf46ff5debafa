"""Cost models: the cost of ops on one device. The clock queries one model per device; default methods of the base class
suffice for most devices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Attribute, Operation

from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from dialects.task import RunOp, YieldOp
from interp.machine.cost import Cost
from interp.walk.views import is_view


@dataclass(frozen=True)
class OpVariant:
    """A variant of an op on a device: its name, its cost, and the task attributes that select it."""

    name: str
    cost: Cost
    notes: Mapping[str, Attribute]


class CostModel(ABC):
    """Costs of graph ops and fused groups on one device. Only `costs` must be implemented."""

    by_shape: ClassVar[bool] = True
    """True if ops of the same class, properties and shapes cost the same; False if the cost also depends on which
    operands are weights."""
    by_sheet: ClassVar[bool] = False
    """True if the costs depend on the device's record and the op's shape alone, not on the program, so that the clocks
    of all programs share them."""

    timed_by: ClassVar[str] = ""
    """The model in a few words, if the device also runs programs that another model times."""

    @abstractmethod
    def costs(self, ops: Sequence[GraphOp | FusedOp]) -> Sequence[Cost | None]:
        """The cost of each op, None if the device can't run it; one call for many ops may be faster than many calls."""

    def least_ns(self, op: GraphOp | FusedOp, enough: float) -> float:
        """A lower bound on the time of an op in ns, which takes less work than its cost; infinite if the device can't
        run the op, 0 if no bound is known. A bound above `enough` is as good as any larger one."""
        return 0.0

    def kept_bytes(self, op: GraphOp | FusedOp) -> int | None:
        """The bytes that an op's program keeps in the device's memory from the program's start to its end, 0 if the
        device can't run the op; None if they are unknown."""
        return None

    @property
    def description(self) -> str:
        """The model in words (`a plain roofline`); empty if the parts of a time describe it."""
        return ""

    @property
    def board_idle_w(self) -> float | None:
        """Idle power of the device's board, W; None if none is calibrated."""
        return None

    def why_not(self, op: GraphOp | FusedOp) -> str | None:
        """The reason why the device can't run an op, beginning with the op's name; None if it can, or if the reason is
        unknown."""
        return None

    def work_of(self, run: RunOp) -> list[Operation]:
        """The ops of a task that take time; they run serially."""
        return [op for op in run.body.block.ops if not isinstance(op, YieldOp) and not is_view(op)]

    def program_of(self, op: GraphOp | FusedOp) -> Operation | None:
        """The program (such as a `pim.kernel`) that an op becomes on the device; None if it becomes none."""
        return None

    def plan_of(self, run: RunOp) -> dict[str, Attribute]:
        """The attributes of a task that select the way in which the device runs it, by name, if there are several. The
        model follows attributes that are already present."""
        return {}

    def ways(self, op: GraphOp | FusedOp) -> Sequence[OpVariant]:
        """The ways to run an op that a placement may choose from, fastest first; empty if there is only one."""
        return ()

    def noted(self, op: GraphOp | FusedOp) -> Hashable:
        """The attributes of the task around an op that affect the op's cost; equal ops with equal attributes cost the
        same."""
        return None

    def parts(self, cost: Cost) -> Iterator[tuple[str, float, str]]:
        """The parts of an op's time, as (name of the part, ns, remark). `cost`: the cost of the op."""
        yield "time", cost.ns, cost.bound


class NoWork(CostModel):
    """The model of a device that runs no ops; `why` is the reason in words (`holds values and runs nothing`)."""

    def __init__(self, why: str) -> None:
        self.why = why

    def costs(self, ops: Sequence[GraphOp | FusedOp]) -> Sequence[Cost | None]:
        return [None] * len(ops)

    def why_not(self, op: GraphOp | FusedOp) -> str | None:
        return f"{op.name}: it {self.why}"
