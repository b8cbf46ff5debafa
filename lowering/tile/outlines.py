"""Outlines of a problem's kernel under a schedule, without writing that kernel.

A search times thousands of schedules of one problem, and writing and pipelining a kernel for each takes far longer than
to time it. So an outline is put together from two kernels that many schedules share: one that has been through the
passes of pipelining says in which order steps are done, whatever the sizes of its tiles; one that has not says what
each step takes with tiles of this size, whatever the stages. Ops bear numbers (`MARK`) by which they are found again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import gcd
from typing import Generic, TypeVar

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation

from dialects.tile import BlocksOp, BufferOp, CopyOp, MmaOp, scope_of
from dialects.tile.loops import WARP
from interp.machine.multiprocessor import REGISTER_BYTES, Multiprocessor
from interp.tile.outline import Outline, flops_of, outline_of
from interp.tile.traffic import Tiles, distinct_in, streams_together, tiles_of, turns_of
from interp.tile.work import (
    ADDRESSING,
    Loop,
    Step,
    Steps,
    When,
    ahead,
    bytes_of,
    register_bytes_in,
    shared_bytes_in,
    steps_of,
    steps_of_op,
    warps_of,
)
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.templates import kernel_of, pipelined, pipelined_kernel

T = TypeVar("T")
MARK = "tile.number"
"""An op's attribute: its number in the kernel that the template has written."""
COPIED = ("fetch", "prefetch")
"""Kinds of steps of copies from global memory, synchronous and asynchronous."""
ALIGNED = 16
"""Bytes of the widest copy of a thread: how wide copies are does not hang on more of a tile's extents."""


@dataclass(frozen=True)
class Order:
    """Part of a grid that stays when the sizes of its tiles are left out: the order of steps, of which those that move
    or compute have the number of their op as amount; slots of buffers; and turns of copies from and to global memory,
    in their order."""

    steps: Steps
    slots: tuple[tuple[int, int], ...]
    turns: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Moved:
    """A copy from or to global memory: bytes of a turn; of what is read also tiles, and the part that is different."""

    nbytes: float
    tiles: Tiles | None = None
    distinct: float = 1.0


@dataclass(frozen=True)
class Sizes:
    """Part of a grid that stays when the order of its steps is left out, by the numbers of ops: steps, bytes of a
    block's shared memory and registers, and copies from and to global memory."""

    warps: int
    count: int
    flops: int
    steps: Mapping[int, tuple[Step, ...]]
    shared: Mapping[int, int]
    registers: Mapping[int, int]
    moved: Mapping[int, Moved]


def outline_of_schedule(problem: Problem, schedule: Schedule, unit: Multiprocessor) -> tuple[Outline, ...]:
    """The outlines of the grids of a problem's kernel under a schedule, as `outline_of` says them of the kernel."""
    if schedule.stream or schedule.split > 1:  # loops hang on the number of blocks
        return tuple(outline_of(grid, unit) for grid in pipelined_kernel(problem, schedule).grids)
    rated = Keyed(unit, repr(unit))
    orders = _orders(Keyed((problem, schedule), _alike(problem, schedule)), rated)
    sizes = _sizes(problem, replace(schedule, stages=1, register_stages=1, peeled=False), rated)
    return tuple(_together(*each) for each in zip(orders, sizes, strict=True))


@dataclass(frozen=True)
class Keyed(Generic[T]):
    """Value that is as good as all others of the same key."""

    it: T = field(compare=False)
    key: Hashable


def _alike(problem: Problem, schedule: Schedule) -> Hashable:
    """Knobs and sizes that the order of steps of a schedule's kernel hangs on."""
    m, n, k = schedule.block
    block, pad = (gcd(m, ALIGNED), gcd(n, ALIGNED), k), gcd(schedule.pad, ALIGNED)
    alike = replace(schedule, block=block, warps=(1, 1), pad=pad)
    divided = problem.m % m == 0, problem.n % n == 0, problem.k % k == 0
    if problem.convolution is None:
        rows, columns = gcd(problem.m, ALIGNED), gcd(problem.n, ALIGNED)
        problem = replace(problem, m=rows, n=columns, batch=min(problem.batch, 2))
    return problem, alike, divided


@lru_cache(maxsize=1024)
def _orders(alike: Keyed[tuple[Problem, Schedule]], rated: Keyed[Multiprocessor]) -> tuple[Order, ...]:
    problem, schedule = alike.it
    kernel = kernel_of(problem, schedule)
    _number(kernel)
    return tuple(_order(grid, rated.it) for grid in pipelined(kernel, schedule).grids)


def _order(grid: BlocksOp, unit: Multiprocessor) -> Order:
    def numbered(op: Operation, grid: BlocksOp, unit: Multiprocessor) -> Iterator[Step]:
        step = next(iter(steps_of_op(op, grid, unit)), None)
        if step is not None:
            yield Step(step.kind, _number_of(op), 1, ahead(op) if isinstance(op, MmaOp) else 0)

    buffers = [op for op in grid.body.block.ops if isinstance(op, BufferOp)]
    return Order(
        steps_of(grid, unit, numbered),
        tuple((_number_of(op), op.slots) for op in buffers),
        tuple((_number_of(op), turns_of(op, grid)) for op in _global_copies(grid)),
    )


@lru_cache(maxsize=4096)
def _sizes(problem: Problem, schedule: Schedule, rated: Keyed[Multiprocessor]) -> tuple[Sizes, ...]:
    kernel = kernel_of(problem, schedule)
    _number(kernel)
    return tuple(_size(grid, rated.it) for grid in kernel.grids)


def _size(grid: BlocksOp, unit: Multiprocessor) -> Sizes:
    buffers = [op for op in grid.body.block.ops if isinstance(op, BufferOp)]
    return Sizes(
        warps_of(grid),
        grid.count,
        flops_of(grid),
        {_number_of(op): steps for op in grid.body.walk() if (steps := tuple(steps_of_op(op, grid, unit)))},
        {_number_of(op): shared_bytes_in(op) for op in buffers},
        {_number_of(op): register_bytes_in(op, grid) for op in buffers},
        {_number_of(op): _moved(op, grid) for op in _global_copies(grid)},
    )


def _moved(op: CopyOp, grid: BlocksOp) -> Moved:
    if scope_of(op.source.memory) == "global":
        return Moved(bytes_of(op.target), tiles_of(op, grid), distinct_in(op.source.memory))
    return Moved(bytes_of(op.target))


def _global_copies(grid: BlocksOp) -> Iterator[CopyOp]:
    for op in grid.body.walk():
        if isinstance(op, CopyOp) and "global" in (scope_of(op.source.memory), scope_of(op.target.memory)):
            yield op


def _number(kernel: Operation) -> None:
    for number, op in enumerate(kernel.walk()):
        op.attributes[MARK] = IntegerAttr(number, i64)


def _number_of(op: Operation) -> int:
    mark = op.attributes[MARK]
    assert isinstance(mark, IntegerAttr)
    return mark.value.data


def _together(order: Order, sizes: Sizes) -> Outline:
    moved = [(sizes.moved[number], turns) for number, turns in order.turns]
    registers = sum(slots * sizes.registers[number] for number, slots in order.slots)
    return Outline(
        _filled(order.steps, sizes),
        sizes.warps,
        sizes.count,
        sum(slots * sizes.shared[number] for number, slots in order.slots),
        ADDRESSING + registers / (WARP * sizes.warps) / REGISTER_BYTES,
        sizes.flops,
        streams_together(
            (each.tiles, each.distinct, each.nbytes * turns) for each, turns in moved if each.tiles is not None
        ),
        sum(each.nbytes * turns * sizes.count for each, turns in moved if each.tiles is None),
    )


def _filled(steps: Steps, sizes: Sizes) -> Steps:
    """The same steps, with what each takes."""
    found = list[Step | Loop | When]()
    for step in steps:
        match step:
            case Loop():
                found.append(Loop(step.turns, _filled(step.body, sizes), step.start))
            case When():
                found.append(When(step.zero, _filled(step.body, sizes)))
            case Step("commit" | "wait" | "barrier"):
                found.append(step)
            case Step():
                # A copy may have become synchronous, and a product may go on while later fragments are asked for.
                found += [
                    replace(each, kind=step.kind if each.kind in COPIED else each.kind, ahead=step.ahead)
                    for each in sizes.steps[int(step.amount)]
                ]
    return tuple(found)
