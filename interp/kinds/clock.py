"""The clock: computes time and energy of ops from their work (`Work`) and the data sheet of a device. Placement and
timeline query it.

Each kind of device has its cost model (interp/cost/model.py): processors use one model per kernel class
(interp/kinds/gpu) or a plain roofline (interp/kinds/gpu/roofline.py); a PIM times the bank program that implements the
op (interp/kinds/pim/costs.py). Ops that only view bytes in another shape cost nothing; a fused group is one kernel with
one launch.

Where the profile of a device or link has a row for the work, or for a copy of the same number of bytes, the row's
median replaces the modelled time (interp/cost/profiled.py). Energy of operations and bytes stays as modelled; energy of
the whole board scales with the time. An op whose kernel is not that of the library states the factor of its time
(`task.slowdown`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from math import inf
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation

from dialects.diagnostics import InputError
from dialects.graph.fused import FusedOp, opaque_in
from dialects.graph.op import GraphOp
from dialects.task import SLOWDOWN, RunOp
from interp.cost.model import CostModel, OpVariant
from interp.cost.profiled import Profiled, with_measured_time
from interp.kinds.models import cost_model
from interp.kinds.pim.program_source import ProgramSource
from interp.machine.composition import Machine
from interp.machine.cost import NOTHING, Cost, total
from interp.machine.device import Device
from interp.walk.level import device_of, is_launch, is_program, level_with, needed_program, program_of
from interp.walk.unchanged import once_per_op
from interp.walk.views import is_view
from interp.walk.work_key import shape_key

NO_TIME_NS = 1e-9
"""The smallest time in ns of moving the bytes of a copy: a shorter time counts as 0."""


_BY_SHEET: WeakKeyDictionary[Device, dict[Hashable, Cost | None]] = WeakKeyDictionary()
"""Costs of ops by device and shape, shared by all clocks, for models whose costs depend on the sheet and the shape
alone."""


_opaque_ops = once_per_op(opaque_in)


class Clock:
    """Times and energies of ops and copies on a machine. Equal ops (type, shapes, properties) are costed once."""

    def __init__(self, machine: Machine, programs: ProgramSource | None = None) -> None:
        """`programs` generates bank programs for graph ops; without it, no graph op runs on a PIM, but kernels that are
        already in the program are timed."""
        self.machine = machine
        self.programs = programs
        self._models: dict[str, CostModel] = {}
        self.profiled = Profiled(machine.devices, machine.links)
        self._costs: dict[str, dict[Hashable, Cost | None]] = {}
        self._ways: dict[Hashable, Sequence[OpVariant]] = {}
        self._programs: dict[Operation, Cost] = {}

    def model(self, device: str, at: Operation | None = None) -> CostModel:
        """The cost model of a device. Raises InputError at `at` if there is no such device."""
        if device not in self._models:
            self._models[device] = cost_model(self.machine.device(device, at), self.programs)
        return self._models[device]

    def prepare(self, ops: Iterable[Operation], device: str) -> None:
        """Computes the costs of many ops on a device in bulk, with one call per kernel class. Tasks among `ops` are
        costed by their contents."""
        model = self.model(device)
        if not model.by_shape:
            return
        placed = [op for op in ops if not isinstance(op, RunOp) or op.place == device]
        ops = chain.from_iterable(op.body.block.ops if isinstance(op, RunOp) else (op,) for op in placed)
        fresh: dict[Hashable, GraphOp | FusedOp] = {}
        costs = self._costs_on(device, model)
        for op in ops:
            if isinstance(op, GraphOp | FusedOp) and not is_view(op) and not self._is_kept_from(op, device):
                key = (shape_key(op), model.noted(op))
                if key not in costs:
                    fresh[key] = op
        costs.update(zip(fresh, model.costs(list(fresh.values())), strict=True))

    def supports(self, op: Operation, device: str) -> bool:
        """True if a device can run an op (a graph op, a fused group, a launch)."""
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

    def least_ns(self, op: GraphOp | FusedOp, device: str, enough: float = inf) -> float:
        """A lower bound on the time of an op on a device in ns, which takes less work than `op_cost`; infinite if the
        device can't run the op, 0 if no bound is known. A bound above `enough` is as good as any larger one."""
        if is_view(op) or self._is_kept_from(op, device) or self.profiled.row(op, device) is not None:
            return 0.0
        return self.model(device, op).least_ns(op, enough)

    def kept_bytes(self, op: GraphOp | FusedOp, device: str) -> int | None:
        """The bytes that an op's program keeps in a device's memory from the program's start to its end, 0 if the
        device can't run the op; None if they are unknown."""
        return self.model(device, op).kept_bytes(op)

    def parts(self, op: Operation, device: str) -> Iterator[tuple[str, float, str]]:
        """The parts of an op's time on a device by the device's sheet, without profiles, as (name of the part, ns,
        remark)."""
        return self.model(device, op).parts(self.sheet_cost(op, device))

    def board_idle_w(self, device: str) -> float | None:
        """Idle power of a device's board, W; None if no board is calibrated."""
        return self.model(device).board_idle_w

    def why_not(self, op: Operation, device: str) -> str | None:
        """The reason why a device can't run a graph op or fused group, beginning with the op's name; None if it can, or
        if the reason is unknown."""
        model = self.model(device, op)
        if self._is_kept_from(op, device):
            called = opaque_in(op)[0].called
            return f"graph.opaque of {called}: such an op runs on the primary device @{self.machine.primary} alone"
        return model.why_not(op) if isinstance(op, GraphOp | FusedOp) and not is_view(op) else None

    def work_of(self, op: Operation, device: str) -> list[Operation]:
        """The ops whose times add up to the time of `op` on a device: those inside a task, or `op` itself. They run
        serially."""
        return self.model(device, op).work_of(op) if isinstance(op, RunOp) else [op]

    def timed_by(self, op: Operation, device: str) -> str:
        """The model that times an op or a launch on a device, in words; empty if the device has one model for all."""
        if is_launch(op) and (program := self.kernel_of(op, device)) is not None:
            return level_with(program).timed_by(program)
        return self.model(device, op).timed_by

    def task_cost(self, run: RunOp) -> Cost:
        """The cost of a task: its ops run serially. Raises InputError at an op that the device can't run."""
        return total(self.op_cost(op, run.place) for op in self.work_of(run, run.place))

    def note_plan(self, run: RunOp) -> None:
        """Annotates a task with the way in which its device runs it, if there are several and the task states none.
        From then on, the task is costed for this way only, whatever its shapes."""
        run.attributes |= {**self.model(run.place, run).plan_of(run), **run.attributes}

    def ways(self, op: GraphOp | FusedOp, device: str) -> Sequence[OpVariant]:
        """The ways in which a device may run an op, fastest first; empty if there is only one, or if a profile has a
        time for the op, which then applies to every way."""
        if self.profiled.row(op, device) is not None or self._is_kept_from(op, device):
            return ()
        key = (device, shape_key(op))
        if key not in self._ways:
            self._ways[key] = self.model(device, op).ways(op)
        return self._ways[key]

    def bus_bytes(self, op: Operation, device: str) -> int | None:
        """Bytes that the programs of a task, an op or a kernel move over a device's buses; None for work without a
        command program."""
        moved = 0
        for work in self.work_of(op, device):
            program = work if is_program(work) else self.kernel_of(work, device)
            if program is None:
                return None
            level = level_with(program)
            if (nbytes := level.bus_bytes(program, self.machine.device(device, op))) is None:
                return None
            moved += nbytes
        return moved

    def copy_cost(self, nbytes: int, source: str, target: str) -> Cost:
        """The cost of copying bytes from one device to another. Raises InputError if no link joins them."""
        link = self.machine.link(source, target)
        moving, accessing = link.moving_ns(nbytes), self.machine.accessing_ns(nbytes, source, target)
        bound = "memory" if accessing > moving else "link"
        moving = max(moving, accessing)
        moving = moving if moving >= NO_TIME_NS else 0.0
        bound = "latency" if link.latency_ns > moving else bound
        cost = Cost(link.latency_ns + moving, nbytes * link.byte_pj / 1e3, nbytes, 0, bound)
        return with_measured_time(cost, self.profiled.copy(nbytes, source, target))

    def device_of(self, launch: Operation) -> str:
        """The device for which a launched program is written. Raises InputError if there is no such program."""
        return device_of(needed_program(launch))

    def kernel_cost(self, program: Operation) -> Cost:
        """The cost of one launch of a program such as a `pim.kernel`. Raises InputError if its device can't run
        programs of that dialect."""
        if program not in self._programs:
            level, device = level_with(program), self.machine.device(device_of(program), program)
            level.check_device(program, device)
            self._programs[program] = level.cost(program, device)
        return self._programs[program]

    def kernel_of(self, op: Operation, device: str) -> Operation | None:
        """The program (such as a `pim.kernel`) that a graph op, a fused group or a launch becomes on a device; None if
        it becomes none."""
        if is_launch(op):
            program = program_of(op)
            return program if program is not None and device_of(program) == device else None
        if self._is_kept_from(op, device):
            return None
        model = self.model(device, op)
        return model.program_of(op) if isinstance(op, GraphOp | FusedOp) else None

    def _cost(self, op: Operation, device: str) -> Cost | None:
        """The cost of an op, with the profile's time if there is one; None if the device can't run the op."""
        cost = self._sheet_cost(op, device)
        cost = cost and with_measured_time(cost, self.profiled.row(op, device))
        factor = op.attributes.get(SLOWDOWN)
        if cost is None or not isinstance(factor, FloatAttr) or device not in self.machine.gpus:
            return cost
        return cost.took(cost.ns * factor.value.data, cost.bound)

    def sheet_cost(self, op: Operation, device: str) -> Cost:
        """The cost of an op by the device's sheet, without profiles. Raises InputError at the op if the device can't
        run it."""
        return self._sheet_cost(op, device) or self.op_cost(op, device)

    def _sheet_cost(self, op: Operation, device: str) -> Cost | None:
        if is_launch(op):
            program = self.kernel_of(op, device)
            return self.kernel_cost(program) if program is not None else None
        if not isinstance(op, GraphOp | FusedOp):
            return None
        if is_view(op):  # an op may be a view for reasons that its shape does not show
            return NOTHING
        if self._is_kept_from(op, device):
            return None
        model = self.model(device, op)
        if not model.by_shape:
            return self._new_cost(op, device)
        costs, key = self._costs_on(device, model), (shape_key(op), model.noted(op))
        if key not in costs:
            costs[key] = self._new_cost(op, device)
        return costs[key]

    def _is_kept_from(self, op: Operation, device: str) -> bool:
        """True for an op of which only the bytes are known, on another device than the primary one."""
        return device != self.machine.primary and bool(_opaque_ops(op))

    def _costs_on(self, device: str, model: CostModel) -> dict[Hashable, Cost | None]:
        """The costs of ops on a device that were computed so far, by shape. All clocks share this table if the model's
        costs depend on the sheet alone."""
        if device not in self._costs:
            known: dict[Hashable, Cost | None] = {}
            if model.by_sheet:
                known = _BY_SHEET.setdefault(self.machine.devices[device], known)
            self._costs[device] = known
        return self._costs[device]

    def _new_cost(self, op: GraphOp | FusedOp, device: str) -> Cost | None:
        return self.model(device, op).costs([op])[0]
