"""The moves of a program, translated to moves of its trace; the memories that hold its values at the start; and the
regime of its memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.task import (
    AT,
    MEMORY,
    DiscardOp,
    EvictOp,
    MemoryAttr,
    OutwardOp,
    PrefetchOp,
    ResidencyOp,
    ResidentOp,
    WriteBackOp,
    placed,
)
from dialects.values import called
from interp.figures import size
from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.problem import KernelTrace, Move, MoveKind
from interp.simulate.memory.regime import Regime
from interp.simulate.program_trace import ProgramTrace
from interp.simulate.schedule.planning import PlannedMove
from interp.walk.entry import blocks_of, noted_arguments

KINDS: dict[type[ResidencyOp], MoveKind] = {
    PrefetchOp: "prefetch",
    EvictOp: "evict",
    WriteBackOp: "write_back",
    DiscardOp: "discard",
}


def residency_statement(function: FuncOp) -> Operation | None:
    """The first op of a function that states the memory of a value; without such an op, the function itself if an
    attribute of the function or of its arguments states rules or places of memory; None if the program leaves the
    memory of all values to the machine."""
    for op in (op for block in blocks_of(function) for op in block.ops):
        if isinstance(op, ResidencyOp) or (isinstance(op, ResidentOp) and op.starts_at is not None):
            return op
    noted = MEMORY in function.attributes or any(AT in notes for _, notes in noted_arguments(function))
    return function if noted else None


def note_of(function: FuncOp) -> MemoryAttr | None:
    """The attribute of a function that states the rules of its memory (`#task.memory`), or None."""
    note = function.attributes.get(MEMORY)
    return note if isinstance(note, MemoryAttr) else None


def regime_of(note: MemoryAttr | None, system: MemorySystem) -> Regime:
    """The regime that a function's attribute `#task.memory` (`note`) states. Fields that it does not state have their
    defaults; faults are on by default if the machine serves them."""
    usual = Regime()
    return replace(
        usual,
        faults=system.faults is not None if note is None or note.faults is None else note.faults,
        reuse=usual.reuse if note is None or note.reuse is None else note.reuse,
        mode=usual.mode if note is None or note.mode is None else note.mode,
    )


def check_kernels(program: ProgramTrace, system: MemorySystem, function: FuncOp) -> None:
    """Raises InputError at the first task whose working set exceeds the device's memory."""
    trace = program.trace
    needs: list[int] = trace.working_sets.tolist()
    kernel = next((number for number, need in enumerate(needs) if need > system.capacity), None)
    if kernel is not None:
        raise InputError(
            f"{trace.kernels[kernel].name} needs {size(needs[kernel])} at one time, but @{system.device} holds "
            f"{size(system.capacity)}, so that no moves help; use a device with more memory, or a smaller batch",
            program.ops[kernel] or function,
        )


def moves_of(
    planned: Sequence[PlannedMove], program: ProgramTrace, system: MemorySystem
) -> tuple[list[Move], list[int]]:
    """The moves for a program's trace and, for each, the index in `planned` of the program's move that it comes from.
    Raises InputError for a move that the machine can't carry out."""
    concurrency = program.concurrency
    own = {event: step for step, event in enumerate(concurrency.events) if event is not None}
    last = list(accumulate((own.get(event, -1) for event in range(len(concurrency.jobs))), max, initial=-1))
    given = {
        tensor: step
        for step, kernel in enumerate(program.trace.kernels)
        if concurrency.events[step] is None and concurrency.spans[step][1] == 0.0 and not kernel.reads
        for tensor in kernel.writes
    }
    arrived = max(given.values(), default=-1)  # prefetches leave room for the arguments, which arrive first
    moves: list[Move] = []
    sources: list[int] = []
    numbers: dict[int, int] = {}
    for number, move in enumerate(planned):
        op, drafts, after, behind = move.op, move.drafts, move.after, move.moves
        _check(op, system)
        kernel = max((concurrency.over[event] for event in after), default=-1)
        issued = max(last[drafts], kernel, arrived if isinstance(op, PrefetchOp) else -1) + 1
        for tensor, first, end in _ranges(move, program, issued):
            at = max(last[drafts], arrived if isinstance(op, PrefetchOp) else given.get(tensor, -1)) + 1
            tier = op.target if isinstance(op, OutwardOp) else (op.copy_in or "") if isinstance(op, DiscardOp) else ""
            before = max((numbers[each] for each in behind if each in numbers), default=None)
            numbers[number] = len(moves)
            moves.append(Move(KINDS[type(op)], tensor, at, first, end, tier, kernel if kernel >= at else None, before))
            sources.append(number)
    return moves, sources


def _check(op: ResidencyOp, system: MemorySystem) -> None:
    """Raises InputError for a value of another device, or a target that is no tier."""
    if op.place != system.device:
        raise InputError(
            f"{op.name}: {called(op.value)} is on @{op.place}, but only @{system.device} has "
            "memory behind it; move only "
            f"values of @{system.device}",
            op,
        )
    tier = op.target if isinstance(op, OutwardOp) else op.copy_in if isinstance(op, DiscardOp) else None
    check_is_tier(tier, system, op.name, op)


def check_is_tier(tier: str | None, system: MemorySystem, what: str, at: Operation) -> None:
    """Raises InputError if `tier` is no tier behind the device."""
    if tier is not None and system.tier(tier) is None:
        tiers = ", ".join(f"@{each.name}" for each in system.tiers)
        raise InputError(f"{what}: there is no memory @{tier} behind @{system.device}; there are {tiers}", at)


def paging_part(system: MemorySystem, planned: Sequence[PlannedMove]) -> MemorySystem:
    """The part of a memory system for a program with page faults: without memory of devices that run tasks. Raises
    InputError for a move to such memory."""
    for op in (move.op for move in planned):
        if isinstance(op, OutwardOp) and (tier := system.tier(op.target)) is not None and tier.lent:
            raise InputError(
                f"{op.name}: page faults fetch nothing from @{tier.name}, which runs tasks; move to other memory, or "
                'state that moves bring all data (task.memory = #task.memory<"by hand", faults = false> on the '
                "function)",
                op,
            )
    return system.dedicated or system


def _ranges(move: PlannedMove, program: ProgramTrace, before: int) -> list[tuple[int, int, int | None]]:
    """The bytes that an op moves when kernel `before` begins, as triples (tensor of the trace, first byte, end); empty
    for a value that no kernel uses."""
    found: list[tuple[int, int, int | None]] = []
    for hold, first, end in move.parts or ():
        found += [(tensor, first, None if end == hold.nbytes else end) for tensor in program.hold([hold], before)]
    if move.parts is not None:
        return found
    tensors = program.lies_in(move.op.value, before)
    names = ", ".join(program.trace.tensors[tensor].name for tensor in tensors)
    raise InputError(
        f"{move.op.name}: {called(move.op.value)} is not a whole value, but a view of bytes of {names}; move these "
        "values instead",
        move.op,
    )


def starts_of(
    function: FuncOp, program: ProgramTrace, system: MemorySystem, regime: Regime
) -> tuple[KernelTrace, list[str] | None, bool]:
    """The trace, the tier where each tensor starts (empty: the device's memory), and True if the program states the
    tiers. None instead of tiers if persistent tensors start where the moves of a run leave them."""
    tiers: dict[int, str] = {}
    for value, tier, at in _stated_tiers(function):
        check_is_tier(tier, system, "task.resident" if isinstance(at, ResidentOp) else AT, at)
        tiers |= dict.fromkeys(program.lies_in(value, 0), tier)
    trace = program.trace
    if not tiers:
        return trace, in_tiers(trace, system) if regime.faults else None, False
    tensors = [replace(tensor, persistent=tensor.persistent or n in tiers) for n, tensor in enumerate(trace.tensors)]
    kernels = [
        replace(kernel, writes=tuple([n for n in kernel.writes if n not in tiers]))
        if event is None and not kernel.reads
        else kernel
        for kernel, event in zip(trace.kernels, program.concurrency.events, strict=True)
    ]
    return (
        replace(trace, kernels=tuple(kernels), tensors=tuple(tensors)),
        [tiers.get(n, "") for n in range(len(tensors))],
        True,
    )


def _stated_tiers(function: FuncOp) -> list[tuple[SSAValue, str, Operation]]:
    """The values whose start a function states, each with its tier."""
    found: list[tuple[SSAValue, str, Operation]] = []
    for argument, notes in noted_arguments(function):
        if isinstance(tier := notes.get(AT), SymbolRefAttr):
            found.append((argument, tier.root_reference.data, function))
    for op in (op for block in blocks_of(function) for op in block.ops):
        if isinstance(op, ResidentOp) and op.starts_at is not None:
            placed(op.placed)
            found.append((op.placed, op.starts_at, op))
    return found


def in_tiers(trace: KernelTrace, system: MemorySystem) -> list[str]:
    """The name of the tier where each tensor starts, assigned tensor by tensor: the nearest tier with enough unassigned
    bytes, or the last tier if none has enough. Only persistent tensors occupy bytes."""
    rooms = {tier.name: tier.capacity for tier in system.tiers}
    found: list[str] = []
    for tensor in trace.tensors:
        tier = next((name for name, room in rooms.items() if room >= tensor.nbytes), system.tiers[-1].name)
        if tensor.persistent:
            rooms[tier] -= tensor.nbytes
        found.append(tier)
    return found
