"""The interface of all plans by which a PIM runs an op in its banks. A plan contains the program, its time, and the
layouts of operands and results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects.builtin import ArrayAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from dialects.diagnostics import InputError
from dialects.graph import FusedOp, GraphOp
from dialects.pim import PLAN, KernelOp
from dialects.task import RunOp
from interp.kinds.pim.timing.clock import BankTime, kernel_time, launch_cost, memref_bytes
from interp.machine.cost import Cost
from interp.machine.records import Pim
from interp.walk.entry import bank_work
from lowering.banks.layout import Chain


@dataclass(frozen=True)
class TimedWay:
    """A candidate mapping with its time: its description and time in ns. `exact` is False if the time was simulated
    without refreshes."""

    name: str
    ns: float
    exact: bool


class BankProgram:
    """A bank program with its time and the total bytes of its memrefs. The kernel is generated on first access, because
    comparing plans needs only times."""

    def __init__(self, write: Callable[[], KernelOp], time: BankTime, moved_bytes: int) -> None:
        self._write = write
        self.time = time
        self.moved_bytes = moved_bytes

    @classmethod
    def of(cls, kernel: KernelOp, pim: Pim) -> BankProgram:
        """The program of an existing kernel. Raises InputError, at the op, for a command that the device can't run."""
        return cls(lambda: kernel, kernel_time(kernel, pim), memref_bytes(kernel))

    @cached_property
    def kernel(self) -> KernelOp:
        """The kernel. It is shared by all users of this program: clone it before inserting it."""
        return self._write()

    def cost(self, pim: Pim) -> Cost:
        """The cost of one launch of the program."""
        return launch_cost(self.time, self.moved_bytes, pim)


@dataclass(frozen=True)
class BankPlan(ABC):
    """The plan by which a device runs an op: its program, and the conversions of operands and results. The kernel's
    inputs are the results of `lay_inputs`, followed by those of `lay_weights`. Equal ops share one plan, so a user
    must clone the kernel."""

    program: BankProgram
    note: Attribute | None = field(default=None, kw_only=True)
    """The `pim.plan` attribute that selects this plan again when it is set on a task; None if there is no alternative
    plan."""

    @property
    def kernel(self) -> KernelOp:
        return self.program.kernel

    @property
    def time(self) -> BankTime:
        return self.program.time

    @property
    def energy_nj(self) -> float:
        return sum(self.time.energy_nj.values())

    @abstractmethod
    def lay_inputs(self, op: GraphOp | FusedOp, pim: Pim) -> list[Chain]:
        """The run-time operands, converted to the layout that the program reads."""

    @abstractmethod
    def weights(self, op: GraphOp | FusedOp) -> tuple[SSAValue, ...]:
        """The operands that are resident in the banks before the program runs."""

    @abstractmethod
    def layout_key(self, op: GraphOp | FusedOp) -> Hashable:
        """The key that distinguishes layouts of equal weights for this plan's kernel."""

    @abstractmethod
    def lay_weights(
        self, op: GraphOp | FusedOp, weights: Sequence[SSAValue], pim: Pim
    ) -> tuple[list[GraphOp], list[SSAValue]]:
        """Conversion of the weights (plain tensors outside of all tasks) to their layout in the banks: the ops, and the
        converted values."""

    @abstractmethod
    def lift_results(self, op: GraphOp | FusedOp, outputs: Sequence[SSAValue]) -> list[Chain]:
        """The op's results, computed from the program's outputs."""


def only_op(op: Operation) -> GraphOp | None:
    """The op itself if it is a graph op, its only op if it is a fused group of one op, otherwise None."""
    if isinstance(op, FusedOp):
        ops = op.ops
        return ops[0] if len(ops) == 1 and isinstance(ops[0], GraphOp) and op.yielded == tuple(ops[0].results) else None
    return op if isinstance(op, GraphOp) else None


def requested_plan(op: Operation) -> Attribute | None:
    """The plan that the task around an op specifies for it; None if it specifies none. Raises InputError, at the task,
    if the task specifies more or fewer plans than it has ops that take time."""
    run = op.parent_op()
    requested = run.attributes.get(PLAN) if isinstance(run, RunOp) else None
    if requested is None or not isinstance(run, RunOp):
        return None
    ops, plans = bank_work(run), requested.data if isa(requested, ArrayAttr[Attribute]) else (requested,)
    if len(plans) != len(ops):
        takes = "takes" if len(ops) == 1 else "take"
        raise misfit(
            run, f"holds {len(plans)} plans, but {len(ops)} of its ops {takes} time; write one plan for each of these"
        )
    return next((plan for each, plan in zip(ops, plans, strict=True) if each is op and plan != UnitAttr()), None)


def misfit(op: Operation, why: str) -> InputError:
    """The error for an invalid plan that a task specifies for an op; `why` completes a sentence that begins with
    "pim.plan"."""
    run = op if isinstance(op, RunOp) else op.parent_op()
    assert isinstance(run, RunOp)
    return InputError(
        f"task.run @{run.place}: the attribute {PLAN} {why}, or remove {PLAN}, so that the fastest plan is chosen", run
    )
