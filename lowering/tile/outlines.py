"""Outlines of a problem's kernel under a schedule, without writing that kernel.

A search times thousands of schedules of one problem, and writing and pipelining a kernel for each takes far longer than
to time it. So an outline is put together from two kernels that many schedules share: one that has been through the
passes of pipelining says in which order steps are done, whatever the sizes of its tiles; one that has not says what
each step takes with tiles of this size, whatever the stages. Problems that differ in sizes share the first one, too: it
has so many turns that these stand for any number of them. Ops bear numbers (`MARK`) by which they are found again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import gcd, prod
from typing import Generic, TypeVar

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation

from dialects.tile import BlocksOp, BufferOp, CopyOp, MmaOp, scope_of
from dialects.tile.loops import WARP
from interp.machine.multiprocessor import REGISTER_BYTES, Multiprocessor
from interp.tile.outline import Outline, flops_of, outline_of
from interp.tile.traffic import Tiles, distinct_in, merged_streams, tiles_of, turns_of
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
MANY = 1 << 20
"""Turns of the loop over tiles of K in kernels that say the order of steps for any number of turns."""


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
    rated, (many, turns) = Keyed(unit, repr(unit)), _in_many_turns(problem, schedule)
    orders = _orders(Keyed((many, schedule), _alike(many, schedule)), rated)
    sizes = _sizes(problem, replace(schedule, stages=1, register_stages=1, peeled=False), rated)
    return tuple(_together(*each, turns) for each in zip(orders, sizes, strict=True))


@dataclass(frozen=True)
class Keyed(Generic[T]):
    """Value that is as good as all others of the same key."""

    it: T = field(compare=False)
    key: Hashable


@dataclass(frozen=True)
class Turns:
    """Turns of the loop over tiles of K: how many there are, and how many in the kernel that says the order of steps;
    the same where it is the problem's own."""

    here: int
    there: int

    def of(self, count: float) -> float:
        """What a number of turns there, so many times those of the loop with a few more or less, is here."""
        if self.here == self.there:
            return count
        times = round(count / self.there)
        return count + times * (self.here - self.there)


def _in_many_turns(problem: Problem, schedule: Schedule) -> tuple[Problem, Turns]:
    """A problem whose kernel does the same steps in the same order but for the turns of its loop over tiles of K, of
    which there are so many (`MANY`) that no other number of turns comes near: one for all problems with more turns than
    stages. The kernel of fewer is written otherwise, and so is one that takes tiles from several places of a
    convolution's window; they stay as they are."""
    tile, found = schedule.block[2], problem.convolution
    inner = problem.k if found is None else found.channels_in
    turns, nest = -(-inner // tile), problem.k // inner
    if turns * nest <= schedule.stages or (found is not None and inner % tile):
        return problem, Turns(turns, turns)
    # Rows of so many more elements begin where rows did, as far as widths of copies go.
    many = MANY + turns % (ALIGNED // gcd(tile, ALIGNED))
    more = (many - turns) * tile
    if found is None:
        return replace(problem, k=problem.k + more), Turns(turns, many)
    deeper = replace(found, channels_in=inner + more)
    return replace(problem, k=nest * (inner + more), convolution=deeper), Turns(turns, many)


def _alike(problem: Problem, schedule: Schedule) -> Hashable:
    """Knobs and sizes that the order of steps of a schedule's kernel hangs on."""
    m, n, k = schedule.block
    block, pad = (gcd(m, ALIGNED), gcd(n, ALIGNED), k), gcd(schedule.pad, ALIGNED)
    alike = replace(schedule, block=block, warps=(1, 1), pad=pad)
    divided = problem.m % m == 0, problem.n % n == 0, problem.k % k == 0
    rows, columns = gcd(problem.m, ALIGNED), gcd(problem.n, ALIGNED)
    image = None  # where rows of an image begin, and what its windows are
    if (found := problem.convolution) is not None:
        starts = tuple(
            gcd(prod(found.spatial[axis:]) * found.channels_in, ALIGNED) for axis in range(len(found.spatial))
        )
        extents = tuple(min(extent, 2) for extent in (found.batch, *found.spatial, *found.outputs))
        image = starts, extents, found.channels_in, found.kernel, found.strides, found.pads
    problem = replace(problem, m=rows, n=columns, batch=1, convolution=None)
    return problem, alike, divided, image


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


def _together(order: Order, sizes: Sizes, turns: Turns) -> Outline:
    moved = [(sizes.moved[number], turns.of(done)) for number, done in order.turns]
    registers = sum(slots * sizes.registers[number] for number, slots in order.slots)
    return Outline(
        _filled(order.steps, sizes, turns),
        sizes.warps,
        sizes.count,
        sum(slots * sizes.shared[number] for number, slots in order.slots),
        ADDRESSING + registers / (WARP * sizes.warps) / REGISTER_BYTES,
        sizes.flops,
        merged_streams(
            (each.tiles, each.distinct, each.nbytes * done) for each, done in moved if each.tiles is not None
        ),
        sum(each.nbytes * done * sizes.count for each, done in moved if each.tiles is None),
    )


def _filled(steps: Steps, sizes: Sizes, turns: Turns) -> Steps:
    """The same steps, with what each takes."""
    found = list[Step | Loop | When]()
    for step in steps:
        match step:
            case Loop():
                found.append(Loop(int(turns.of(step.turns)), _filled(step.body, sizes, turns), step.start))
            case When():
                found.append(When(step.zero, _filled(step.body, sizes, turns)))
            case Step("commit" | "wait" | "barrier"):
                found.append(step)
            case Step():
                # A copy may have become synchronous, and a product may go on while later fragments are asked for.
                found += [
                    replace(each, kind=step.kind if each.kind in COPIED else each.kind, ahead=step.ahead)
                    for each in sizes.steps[int(step.amount)]
                ]
    return tuple(found)
