"""The interface of every way to run an op in banks: a program, its time, and the layouts of operands and results."""

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
from interp.banks.timing.clock import BankTime, kernel_time, launch_cost, memref_bytes
from interp.cost.record import Cost
from interp.machine.records import Pim
from interp.program.entry import bank_work
from lowering.banks.layout import Chain


@dataclass(frozen=True)
class TimedWay:
    """A mapping that was timed, in a few words; `exact` unless refreshes were left out."""

    name: str
    ns: float
    exact: bool


class BankProgram:
    """A bank program with its time and the bytes of its memrefs. It is written down where it is asked for: who weighs
    plans asks for times alone."""

    def __init__(self, write: Callable[[], KernelOp], time: BankTime, moved_bytes: int) -> None:
        self._write = write
        self.time = time
        self.moved_bytes = moved_bytes

    @classmethod
    def of(cls, kernel: KernelOp, pim: Pim) -> BankProgram:
        """A kernel that stands written. Raises InputError, at the op, for what the device can't do."""
        return cls(lambda: kernel, kernel_time(kernel, pim), memref_bytes(kernel))

    @cached_property
    def kernel(self) -> KernelOp:
        """The program itself. It is shared: clone it."""
        return self._write()

    def cost(self, pim: Pim) -> Cost:
        """The cost of one launch."""
        return launch_cost(self.time, self.moved_bytes, pim)


@dataclass(frozen=True)
class BankPlan(ABC):
    """The plan by which a device runs an op: its program. Plans are shared by ops that ask for the same: clone the
    kernel. Its inputs are what `lay_inputs` gives, then what `lay_weights` gives."""

    program: BankProgram
    candidates: tuple[TimedWay, ...] = field(default=(), kw_only=True)
    """The timed alternatives, the chosen one first, then from the fastest."""
    note: Attribute | None = field(default=None, kw_only=True)
    """The note on a task by which this plan is taken again (`pim.plan`); None where there is no other one."""

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
        """The run-time operands, in the layout that the program takes."""

    @abstractmethod
    def weights(self, op: GraphOp | FusedOp) -> tuple[SSAValue, ...]:
        """The operands that lie in the banks from the start."""

    @abstractmethod
    def layout_key(self, op: GraphOp | FusedOp) -> Hashable:
        """The key that distinguishes layouts of equal weights for this plan's kernel."""

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


def told_of(op: Operation) -> Attribute | None:
    """The plan that the task around an op tells for it. Raises InputError, at the task, where its plans are not one for
    each of its ops that take time."""
    run = op.parent_op()
    told = run.attributes.get(PLAN) if isinstance(run, RunOp) else None
    if told is None or not isinstance(run, RunOp):
        return None
    ops, plans = bank_work(run), told.data if isa(told, ArrayAttr[Attribute]) else (told,)
    if len(plans) != len(ops):
        takes = "takes" if len(ops) == 1 else "take"
        raise misfit(run, f"holds {len(plans)} plans, but {len(ops)} of its ops {takes} time; write one each")
    return next((plan for each, plan in zip(ops, plans, strict=True) if each is op and plan != UnitAttr()), None)


def misfit(op: Operation, why: str) -> InputError:
    """The error of a plan that a task tells for an op, and that can't be."""
    run = op if isinstance(op, RunOp) else op.parent_op()
    assert isinstance(run, RunOp)
    return InputError(f"task.run @{run.place}: {PLAN} {why}, or leave {PLAN} out for the fastest way", run)
