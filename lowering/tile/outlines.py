"""Outlines of a problem's kernel under a schedule, without building that kernel.

A search times thousands of schedules of one problem, and building and pipelining a kernel for each takes far longer
than timing it. An outline is therefore combined from two kernels that many schedules share. A pipelined kernel gives
the order of steps, which does not depend on tile sizes. An unpipelined kernel gives the work of each step for these
tile sizes, which does not depend on stages. Problems of different sizes share the first kernel, too: its loop has a
large number of iterations that stands for any number. Ops carry numbers (`MARK`) that identify them in both kernels.
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
from interp.kinds.gpu.multiprocessor import REGISTER_BYTES, Multiprocessor
from interp.tile.outline import Outline, flops_of, outline_of
from interp.tile.traffic import Tiles, distinct_in, iterations_of, merged_streams, tiles_of
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
"""Attribute of an op: the op's number in the kernel that the template built."""
COPIED = ("fetch", "prefetch")
"""Kinds of steps that copy from global memory: synchronously and asynchronously."""
ALIGNED = 16
"""Number of bytes of the widest copy of a thread. The widths of copies depend on the extents of tiles only through the
remainder of these extents in bytes modulo this number."""
MANY = 1 << 20
"""Number of iterations of the loop over tiles of K in kernels that stand for any number of iterations."""


@dataclass(frozen=True)
class Order:
    """Properties of a grid that do not depend on the sizes of its tiles: the order of steps, where a step that moves or
    computes has the number of its op instead of an amount; the slots of each buffer; and for each copy from or to
    global memory, in the order of these copies, the number of its op and how many times a thread block executes it."""

    steps: Steps
    slots: tuple[tuple[int, int], ...]
    iterations: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Moved:
    """A copy from or to global memory: the bytes that it moves in each iteration; for a read also the tiles that it
    reads, and the fraction of its bytes that are distinct."""

    nbytes: float
    tiles: Tiles | None = None
    distinct: float = 1.0


@dataclass(frozen=True)
class Sizes:
    """Properties of a grid that do not depend on the order of its steps: the steps of ops by the ops' numbers, bytes of
    a thread block's shared memory and registers, and copies from and to global memory."""

    warps: int
    count: int
    flops: int
    steps: Mapping[int, tuple[Step, ...]]
    shared: Mapping[int, int]
    registers: Mapping[int, int]
    moved: Mapping[int, Moved]


def outline_of_schedule(problem: Problem, schedule: Schedule, unit: Multiprocessor) -> tuple[Outline, ...]:
    """Return the outlines of the grids of a problem's kernel under a schedule, equal to those of `outline_of` for the
    kernel.
    """
    if schedule.stream or schedule.split > 1:  # loops depend on the number of blocks
        return tuple(outline_of(grid, unit) for grid in pipelined_kernel(problem, schedule).grids)
    rated, (many, iterations) = Keyed(unit, repr(unit)), _with_many_iterations(problem, schedule)
    orders = _orders(Keyed((many, schedule), _order_key(many, schedule)), rated)
    sizes = _sizes(problem, replace(schedule, stages=1, register_stages=1, peeled=False), rated)
    return tuple(_combined(*each, iterations) for each in zip(orders, sizes, strict=True))


@dataclass(frozen=True)
class Keyed(Generic[T]):
    """A value with a key; values with equal keys are interchangeable, and compare as equal."""

    it: T = field(compare=False)
    key: Hashable


@dataclass(frozen=True)
class Iterations:
    """Numbers of iterations of the loop over tiles of K: `actual` in the problem's own kernel, `reference` in the
    kernel that gives the order of steps. The numbers are equal if the problem's own kernel gives the order.
    """

    actual: int
    reference: int

    def of(self, count: float) -> float:
        """Convert a number of iterations in the reference kernel, which differs by a few from a multiple of its loop's
        iterations, to the corresponding number for the actual loop."""
        if self.actual == self.reference:
            return count
        times = round(count / self.reference)
        return count + times * (self.actual - self.reference)


def _with_many_iterations(problem: Problem, schedule: Schedule) -> tuple[Problem, Iterations]:
    """Return a problem whose kernel executes the same steps in the same order, with a large number of iterations (about
    `MANY`) of its loop over tiles of K; all problems with more iterations than stages become one such problem.
    Problems whose kernels have fewer iterations, and convolutions whose tiles span several positions of the window,
    have kernels of another structure, and are returned unchanged."""
    tile, found = schedule.block[2], problem.convolution
    inner = problem.k if found is None else found.channels_in
    iterations, nest = -(-inner // tile), problem.k // inner
    if iterations * nest <= schedule.stages or (found is not None and inner % tile):
        return problem, Iterations(iterations, iterations)
    # The larger rows begin at the same alignment, so widths of copies are the same.
    many = MANY + iterations % (ALIGNED // gcd(tile, ALIGNED))
    more = (many - iterations) * tile
    if found is None:
        return replace(problem, k=problem.k + more), Iterations(iterations, many)
    deeper = replace(found, channels_in=inner + more)
    return replace(problem, k=nest * (inner + more), convolution=deeper), Iterations(iterations, many)


def _order_key(problem: Problem, schedule: Schedule) -> Hashable:
    """Return the options and sizes that determine the order of steps of a schedule's kernel."""
    m, n, k = schedule.block
    block, pad = (gcd(m, ALIGNED), gcd(n, ALIGNED), k), gcd(schedule.pad, ALIGNED)
    alike = replace(schedule, block=block, warps=(1, 1), pad=pad)
    divided = problem.m % m == 0, problem.n % n == 0, problem.k % k == 0
    rows, columns = gcd(problem.m, ALIGNED), gcd(problem.n, ALIGNED)
    image = None  # alignment of rows of the image, and its windows
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
        tuple((_number_of(op), iterations_of(op, grid)) for op in _global_copies(grid)),
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


def _combined(order: Order, sizes: Sizes, iterations: Iterations) -> Outline:
    moved = [(sizes.moved[number], iterations.of(done)) for number, done in order.iterations]
    registers = sum(slots * sizes.registers[number] for number, slots in order.slots)
    return Outline(
        _filled(order.steps, sizes, iterations),
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


def _filled(steps: Steps, sizes: Sizes, iterations: Iterations) -> Steps:
    """Return the steps of an order, each with its work from `sizes`."""
    found = list[Step | Loop | When]()
    for step in steps:
        match step:
            case Loop():
                found.append(
                    Loop(int(iterations.of(step.iterations)), _filled(step.body, sizes, iterations), step.start)
                )
            case When():
                found.append(When(step.zero, _filled(step.body, sizes, iterations)))
            case Step("commit" | "wait" | "barrier"):
                found.append(step)
            case Step():
                # Pipelining may make a copy synchronous, and may move requests for later fragments before a product.
                found += [
                    replace(each, kind=step.kind if each.kind in COPIED else each.kind, ahead=step.ahead)
                    for each in sizes.steps[int(step.amount)]
                ]
    return tuple(found)
