"""The memory that holds each persistent tensor before the first kernel: as the caller states it, or as the moves of a
plan leave it."""

from __future__ import annotations

from collections.abc import Sequence

from interp.figures import size
from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.contents import FULL, HERE, NOWHERE, Contents, copy_in
from interp.simulate.memory.problem import KernelTrace, Move
from interp.simulate.memory.regime import Refused, Regime


def place(
    contents: Contents,
    trace: KernelTrace,
    system: MemorySystem,
    issues: Sequence[Sequence[tuple[int, Move]]],
    regime: Regime,
    start: Sequence[str] | None,
) -> None:
    """Put each persistent tensor into the memory that holds it at the start.

    `start`: the tier of each tensor (empty: the device's memory). If it is None, tensors that kernels use are first put
    on the device, and then moved to the memories in which the moves of one iteration leave them; tensors that no kernel
    uses start in the first tier with room. `issues`: for each kernel, the moves (with their numbers) that are issued
    before it; as last element those issued after the last kernel. Raises Refused if the tensors exceed a memory.
    """
    numbers = {tier.name: number for number, tier in enumerate(system.tiers)}
    unused: list[int] = []
    for tensor, record in enumerate(trace.tensors):
        if not record.persistent:
            continue
        if start is None and trace.first[tensor] < 0 and system.tiers:
            unused.append(tensor)
        else:
            name = start[tensor] if start is not None else ""
            contents.put(tensor, 0, record.nbytes, FULL | (copy_in(numbers[name]) if name else HERE))
    if start is None:
        _leave_as_moves_do(contents, trace, issues, numbers, regime.mode == "copy")
    for tensor in unused:
        nbytes = trace.tensors[tensor].nbytes
        rooms = [tier.capacity - used for tier, used in zip(system.tiers, contents.tiers, strict=True)]
        tier = next((number for number, room in enumerate(rooms) if room >= nbytes), 0)
        contents.put(tensor, 0, nbytes, FULL | copy_in(tier))
    _check_room(contents, system)


def _check_room(contents: Contents, system: MemorySystem) -> None:
    if contents.device > system.capacity:
        raise Refused(
            f"persistent tensors take {size(contents.device)} of {system.device} at the start, which holds "
            f"{size(system.capacity)}; let some of them start in a tier"
        )
    for tier, used in zip(system.tiers, contents.tiers, strict=True):
        if used > tier.capacity:
            raise Refused(
                f"persistent tensors take {size(used)} of {tier.name} at the start, which holds {size(tier.capacity)}; "
                "let some of them start elsewhere"
            )


def _leave_as_moves_do(
    contents: Contents,
    trace: KernelTrace,
    issues: Sequence[Sequence[tuple[int, Move]]],
    numbers: dict[str, int],
    copies: bool,
) -> None:
    """Apply the moves of one iteration to `contents`, in order; a kernel that writes a tensor between two moves
    invalidates the tiers' copies of that tensor."""
    for kernel, moves in enumerate(issues):
        for _, move in moves:
            if trace.tensors[move.tensor].persistent:
                last = trace.tensors[move.tensor].nbytes if move.last is None else move.last
                copy = copy_in(numbers[move.tier] if move.tier else 0) if numbers else 0
                for first, end, state in contents.ranges(move.tensor, move.first, last):
                    contents.put(move.tensor, first, end, _moved(move, state, copy, copies))
        for tensor in set(trace.kernels[kernel].writes) if kernel < len(trace.kernels) else ():
            if trace.tensors[tensor].persistent:
                for first, end, state in contents.ranges(tensor):
                    elsewhere = state & FULL and not state & HERE
                    contents.put(tensor, first, end, state if elsewhere else HERE | FULL)


def _moved(move: Move, state: int, copy: int, copies: bool) -> int:
    """The state of a byte range after a move. `state`: its state before; `copy`: the number added to a state if the
    move's tier holds the contents; `copies`: True if tiers keep their copies of bytes that return to the device."""
    if move.kind == "prefetch":
        return state | HERE if copies else HERE | FULL
    if move.kind == "evict":
        return FULL | (state & ~(HERE | FULL) or copy)
    if move.kind == "write_back":
        return state if state & ~(HERE | FULL) else state | copy
    if not move.tier:
        return NOWHERE
    return state & (HERE | FULL) if state & HERE else state
