"""How long work takes: joins what an op asks for (its `Work`) with what a device can do (its data sheet). Placement and
timeline ask here.

A processor has a model, which its sheet names: class by class of kernels (interp/cost/gpu), or a plain roofline
(interp/cost/roofline.py). A PIM is timed by its commands: the kernel that does the work comes from a `KernelSource`,
the time from interp/banks/timing/clock.py. Ops that only view bytes in another shape take nothing; a fused group is one
kernel and is launched once.

Where a device or link has a profile with a row for the work, or a copy of as many bytes, its median is the time
(interp/cost/profiled.py); the energy of operations and bytes stays, and whole boards' goes with the time.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from xdsl.ir import Operation
from xdsl.traits import SymbolTable

from dialects.diagnostics import InputError
from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from dialects.pim.kernel import KernelOp, LaunchOp
from dialects.task import RunOp
from dialects.task import YieldOp as TaskYieldOp
from interp.cost.profiled import Profiled, told
from interp.cost.record import NOTHING, Cost, total
from interp.machine.composition import Machine
from interp.machine.records import Gpu, Pim
from interp.program.entry import bank_work
from interp.program.views import is_part, is_reshape, is_view
from interp.program.work_key import shape_key

if TYPE_CHECKING:
    from interp.cost.gpu.kernel_clock import Timed

NO_TIME_NS = 1e-9
"""What no clock could tell from nothing: the time of a copy over a link that is free."""


class KernelSource(Protocol):
    """Who writes bank programs for graph ops; it stands above this floor and is passed in."""

    def kernel_for(self, op: Operation, pim: Pim) -> KernelOp | None:
        """The kernel that does what `op` does, or None if the device can't run it."""
        ...

    def cost_for(self, op: Operation, pim: Pim) -> Cost | None:
        """What one launch of that kernel costs."""
        ...

    def why_not(self, op: Operation, pim: Pim) -> str | None:
        """Why the device can't run it, in words that begin with the op's name; None if it can."""
        ...


class ProcessorModel(Protocol):
    """How long a processor takes for graph ops."""

    def costs(self, ops: Sequence[GraphOp | FusedOp]) -> list[Cost]:
        """The cost of each op; many at once cost less than one by one."""
        ...

    @property
    def board_idle_w(self) -> float | None:
        """Power of the board while no kernel runs, W; None where none is calibrated."""
        ...


class Clock:
    """Times and energies of ops and copies on a machine. Equal ops (type, shapes, properties) are worked out once."""

    def __init__(self, machine: Machine, kernels: KernelSource | None = None) -> None:
        """Without `kernels`, no graph op runs on a PIM; kernels that stand in the program are timed all the same."""
        self.machine = machine
        self.kernels = kernels
        self._models: dict[str, ProcessorModel] = {}
        self.profiled = Profiled(machine.devices, machine.links)
        self._costs: dict[Hashable, Cost | None] = {}
        self._kernel_costs: dict[tuple[KernelOp, Pim], Cost] = {}

    def prepare(self, ops: Iterable[Operation], device: str) -> None:
        """Work out the costs of many ops of a processor at once, so that each class of kernels is one call; those of
        its tasks too, where there are such."""
        record = self.machine.device(device)
        if not isinstance(record, Gpu):
            return
        placed = [op for op in ops if not isinstance(op, RunOp) or op.place == device]
        ops = chain.from_iterable(op.body.block.ops if isinstance(op, RunOp) else (op,) for op in placed)
        fresh: dict[Hashable, GraphOp | FusedOp] = {}
        for op in ops:
            if isinstance(op, GraphOp | FusedOp) and not is_view(op):
                key = (device, shape_key(op))
                if key not in self._costs:
                    fresh[key] = op
        self._costs.update(zip(fresh, self._model(device, record).costs(list(fresh.values())), strict=True))

    def supports(self, op: Operation, device: str) -> bool:
        """Whether a device can run an op (a graph op, a fused group, a launch)."""
        return self._cost(op, device) is not None

    def op_cost(self, op: Operation, device: str) -> Cost:
        """The cost of a graph op, a fused group or a launch on a device. Raises InputError at the op if the device
        can't run it."""
        cost = self._cost(op, device)
        if cost is None:
            record = self.machine.device(device, op)
            why = self.why_not(op, device) or op.name
            raise InputError(f"@{device} ({record.name}) can't run {why}; place it on another device", op)
        return cost

    def timed(self, op: Operation, device: str) -> list[Timed] | None:
        """The kernels of a graph op or fused group with their times taken apart; None where the device is not timed
        class by class."""
        record = self.machine.device(device, op)
        if not isinstance(record, Gpu) or record.model != "kernels" or not isinstance(op, GraphOp | FusedOp):
            return None
        from interp.cost.gpu.kernel_clock import KernelClock

        model = self._model(device, record)
        return model.timed([op])[0] if isinstance(model, KernelClock) else None

    def board_idle_w(self, device: str) -> float | None:
        """Power of a device's board while it is idle, W; None where no board is calibrated."""
        record = self.machine.device(device)
        return self._model(device, record).board_idle_w if isinstance(record, Gpu) else None

    def why_not(self, op: Operation, device: str) -> str | None:
        """Why a PIM can't run a graph op or fused group, in words that begin with the op's name; None if it can, or if
        nobody writes bank programs."""
        record = self.machine.device(device, op)
        if self.kernels is None or not isinstance(record, Pim) or not isinstance(op, GraphOp | FusedOp) or is_view(op):
            return None
        return self.kernels.why_not(op, record)

    def task_cost(self, run: RunOp) -> Cost:
        """The cost of a task: its ops one after the other. Raises InputError at an op that the device can't run."""
        on_pim = isinstance(self.machine.device(run.place, run), Pim)
        ops = bank_work(run) if on_pim else [op for op in run.body.block.ops if not isinstance(op, TaskYieldOp)]
        return total(self.op_cost(op, run.place) for op in ops)

    def copy_cost(self, nbytes: int, source: str, target: str) -> Cost:
        """The cost of bringing bytes from one device to another. Raises InputError if no link joins them."""
        link = self.machine.link(source, target)
        moving = nbytes / link.bandwidth * 1e9
        moving = moving if moving >= NO_TIME_NS else 0.0
        bound = "latency" if link.latency_ns > moving else "link"
        cost = Cost(link.latency_ns + moving, nbytes * link.byte_pj / 1e3, nbytes, 0, bound)
        return told(cost, self.profiled.copy(nbytes, source, target))

    def device_of(self, launch: LaunchOp) -> str:
        """The device that a launched kernel is written for. Raises InputError if there is no such kernel."""
        kernel = SymbolTable.lookup_symbol(launch, launch.kernel)
        if not isinstance(kernel, KernelOp):
            raise InputError(f"pim.launch: there is no kernel {launch.kernel}", launch)
        return kernel.place

    def kernel_cost(self, kernel: KernelOp) -> Cost:
        """The cost of one launch of a bank program. Raises InputError if its device is no PIM."""
        key = kernel, self.machine.pim(kernel.place, kernel)
        if key not in self._kernel_costs:
            self._kernel_costs[key] = _bank_cost(*key)
        return self._kernel_costs[key]

    def kernel_of(self, op: Operation, device: str) -> KernelOp | None:
        """The bank program of a graph op, a fused group or a launch on a device; None where it has none there."""
        if isinstance(op, LaunchOp):
            kernel = SymbolTable.lookup_symbol(op, op.kernel)
            return kernel if isinstance(kernel, KernelOp) and kernel.place == device else None
        record = self.machine.device(device, op)
        return self.kernels.kernel_for(op, record) if self.kernels is not None and isinstance(record, Pim) else None

    def _cost(self, op: Operation, device: str) -> Cost | None:
        """What the profile tells, where there is one, of what the device can run."""
        cost = self._sheet_cost(op, device)
        return cost and told(cost, self.profiled.row(op, device))

    def sheet_cost(self, op: Operation, device: str) -> Cost:
        """What an op costs by the device's sheet, whatever a profile says. Raises InputError as `op_cost`."""
        return self._sheet_cost(op, device) or self.op_cost(op, device)

    def _sheet_cost(self, op: Operation, device: str) -> Cost | None:
        if isinstance(op, LaunchOp):
            kernel = self.kernel_of(op, device)
            return self.kernel_cost(kernel) if kernel is not None else None
        if not isinstance(op, GraphOp | FusedOp):
            return None
        if is_part(op):  # which its shape does not say
            return NOTHING
        if isinstance(self.machine.device(device, op), Pim):  # whether an operand is a weight is no part of its shape
            return self._new_cost(op, device)
        key = (device, shape_key(op))
        if key not in self._costs:
            self._costs[key] = self._new_cost(op, device)
        return self._costs[key]

    def _new_cost(self, op: GraphOp | FusedOp, device: str) -> Cost | None:
        record = self.machine.device(device, op)
        if is_reshape(op):
            return NOTHING
        if isinstance(record, Gpu):
            return self._model(device, record).costs([op])[0]
        return None if self.kernels is None else self.kernels.cost_for(op, record)

    def _model(self, device: str, gpu: Gpu) -> ProcessorModel:
        if device not in self._models:
            self._models[device] = _model_of(gpu)
        return self._models[device]


def _model_of(gpu: Gpu) -> ProcessorModel:
    if gpu.model == "roofline":
        from interp.cost.roofline import Roofline

        return Roofline(gpu)
    from interp.cost.gpu.kernel_clock import KernelClock  # with numpy: not for machines that need none

    return KernelClock(gpu)


def _bank_cost(kernel: KernelOp, pim: Pim) -> Cost:
    from interp.banks.timing.clock import kernel_time, launch_cost, memref_bytes

    return launch_cost(kernel_time(kernel, pim), memref_bytes(kernel), pim)
