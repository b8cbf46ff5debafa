"""The memory that devices need while a program runs: weights from the start on, values while they are live.

The placement pass `place`, the timeline of any program, and the pass `to-pim` all use this computation. In a PIM a row
number belongs to one weight in all banks of all channels: bank programs start at channel 0, and the rows of that number
in channels that a weight does not use stay empty. So a weight in banks takes whole rows.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import byte_count
from dialects.task import ResidencyOp, ResidentOp, RunOp, placed
from interp.figures import count, size
from interp.kinds.clock import Clock
from interp.machine.device import Device
from interp.simulate.schedule.memory import Need, Residency
from interp.walk.entry import blocks_of, is_graph_op, runs_during_transfer
from interp.walk.level import is_launch, level_with

WAY_OUT = "place{policy=optimal} spreads weights over devices, or take a device with more memory"
"""The advice in errors about a placed program that exceeds a memory."""


class EqualValues:
    """Prepared values that are computed several times, inside and outside of a loop, but are stored in memory once."""

    def __init__(self) -> None:
        self._first: dict[Hashable, SSAValue] = {}
        self._same: dict[SSAValue, SSAValue] = {}

    def note(self, op: Operation) -> None:
        """Note an op that is prepared ahead of time. Its producers must have been noted before."""
        if not op.regions:
            read = tuple(self._same.get(value, value) for value in op.operands)
            facts = (type(op), read, frozenset(op.properties.items()), tuple(op.result_types))
            for index, value in enumerate(op.results):
                self._same[value] = self._first.setdefault((index, *facts), value)

    def first(self, what: Hashable) -> Hashable:
        """The name `what` of a piece of memory (a value, or a tuple that contains values), with each value replaced by
        the first noted value that is equal to it."""
        if isinstance(what, tuple):
            return tuple(map(self.first, what))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return self._same.get(what, what) if isinstance(what, SSAValue) else what  # pyright: ignore[reportUnknownArgumentType]


def claims(resident: ResidentOp, clock: Clock) -> Iterator[tuple[Hashable, int]]:
    """The memory that a `task.resident` needs on its device, as pairs (name, bytes); pairs with the same name are the
    same memory. The banks of a PIM hold the value once for each layout in which kernels read it, in whole rows;
    readers that need no layout share one copy of the value.
    """
    device = placed(resident.placed).place
    record = clock.machine.device(device, resident)
    readers = list(_readers(resident.placed))
    plain = not readers
    for run, op, index in readers:
        claim = _claim_of_launch(op, index, resident.value, device, clock) if is_launch(op) else None
        if claim is None and run is not None:
            claim = claim_of(op, _weights(op, run) or [resident.value], device, clock)
        if claim is not None:
            yield claim
        plain = plain or claim is None
    if plain:
        yield resident.value, bytes_on(record, resident.value)


def claim_of(op: Operation, weights: Sequence[SSAValue], device: str, clock: Clock) -> tuple[Hashable, int] | None:
    """The memory of a graph op's weights in a device's banks, as (name, bytes): all rows of the layout that the op's
    kernel needs. None if the kernel keeps no weights in banks.
    """
    if not is_graph_op(op) or not weights:
        return None
    program = clock.kernel_of(op, device)
    nbytes = level_with(program).kept(program, clock.machine.device(device, op)) if program is not None else 0
    return ((program, *weights), nbytes) if nbytes else None


def scratch_of(op: Operation, device: str, clock: Clock) -> Iterator[tuple[Hashable, int]]:
    """The memory that the program of a graph op or launch uses in addition to its operands, as pairs (name, bytes)."""
    program = clock.kernel_of(op, device)
    if program is not None:
        yield from level_with(program).scratch(program, clock.machine.device(device, op))


def _claim_of_launch(
    op: Operation, index: int, value: SSAValue, device: str, clock: Clock
) -> tuple[Hashable, int] | None:
    nbytes = held(op, index, device, clock)
    return (("in banks", value), nbytes) if nbytes else None


def held(op: Operation, index: int, device: str, clock: Clock) -> int:
    """The memory, in bytes, of a launch's operand in the layout that its program needs; 0 for an operand whose bytes
    are counted elsewhere.
    """
    program = clock.kernel_of(op, device)
    return 0 if program is None else level_with(program).held(program, index, clock.machine.device(device, op))


def _readers(value: SSAValue) -> Iterator[tuple[RunOp | None, Operation, int]]:
    """The ops that read a placed value, each as (its task or None, op, operand number). An op that is performed during
    transfers is replaced by the ops that read its results."""
    for use in value.uses:
        if isinstance(run := use.operation, RunOp) and use.index < len(run.inputs):
            waiting: list[SSAValue] = [run.body.block.args[use.index]]
            while waiting:
                for inner in waiting.pop().uses:
                    if is_graph_op(inner.operation) and runs_during_transfer(inner.operation):
                        waiting.extend(inner.operation.results)
                    else:
                        yield run, inner.operation, inner.index
        elif not isinstance(run, RunOp | ResidencyOp):
            yield None, run, use.index


def _weights(op: Operation, run: RunOp) -> list[SSAValue]:
    """The weights that an op in a task reads, as values outside the task."""
    found: list[SSAValue] = []
    for operand in op.operands:
        source = run.inputs[operand.index] if isinstance(operand, BlockArgument) else None
        if source is not None and isinstance(source.owner, ResidentOp):
            found.append(source.owner.value)
    return list(dict.fromkeys(found))


def bytes_on(record: Device, value: SSAValue) -> int:
    """The memory of a weight on a device: its bytes, rounded up to granules."""
    nbytes = byte_count(value.type)  # pyright: ignore[reportArgumentType]
    return -(-nbytes // record.granule_bytes) * record.granule_bytes


def too_large(what: str, device: str, need: Need, record: Device, way_out: str) -> str:
    """A message that reports which memory a program exceeds and by how much; it ends with the advice `way_out`."""
    kinds = f"{size(need.resident)} of weights and constants{_in_granules(need.resident, record)}"
    return (
        f"{what} needs {size(need.total)} on @{device} ({kinds}, {size(need.live)} of live values), but {record.name} "
        f"holds {size(record.memory_bytes)}{_in_granules(record.memory_bytes, record)}; {way_out}"
    )


def _in_granules(nbytes: int, record: Device) -> str:
    noun, of = record.granule
    return f" in {count(nbytes // record.granule_bytes, noun)} {of}" if nbytes and noun else ""


def check_residents(function: FuncOp, clock: Clock, names: Container[str]) -> None:
    """Raises InputError if one of the devices `names` can't hold its residents."""
    residency, devices, equal = Residency(), clock.machine.devices, EqualValues()
    for op in [op for block in blocks_of(function) for op in block.ops]:
        if is_graph_op(op):
            equal.note(op)
        elif isinstance(op, ResidentOp):
            device = placed(op.placed).place
            for what, nbytes in claims(op, clock):
                residency.resident(device, equal.first(what), nbytes)
        elif isinstance(op, RunOp):
            for inner in clock.work_of(op, op.place):
                for what, nbytes in scratch_of(inner, op.place, clock):
                    residency.resident(op.place, what, nbytes)
    for device, need in residency.needs(devices).items():
        if device in names and need.total > devices[device].memory_bytes:
            name = f"@{function.sym_name.data}"
            raise InputError(too_large(name, device, need, devices[device], WAY_OUT), function)
