"""Template of contractions: sums of products over tiles, before pipelining.

    result[batch, row, column] = sum over reductions of first[batch, row, reductions] second[batch, column, reductions]

Each thread block computes a tile of rows and columns. It copies tiles of both factors to shared memory and fragments of
them to registers, multiplies, and finally applies the epilogue to the sums and writes them. Pipelines are only
requested (`stages`). Matrix products have one reduction. Convolutions have one reduction for each spatial axis and one
for the channels: a perfect nest of loops whose innermost loop runs over tiles of channels. Where tiles don't divide the
channels, all reductions are flattened into one (implicit GEMM, Chetlur et al., cuDNN, 2014).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, prod
from typing import TypeAlias

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from dialects.graph import ReduceOp
from dialects.programs.index import Variables
from dialects.tile import (
    PEEL,
    Access,
    BarrierOp,
    Box,
    BufferOp,
    CommitOp,
    FillOp,
    KernelOp,
    MmaOp,
    ReadOp,
    WaitOp,
    WriteOp,
    memref_of,
)
from lowering.tile.building import (
    Index,
    Operand,
    Placed,
    Tile,
    arguments,
    constant,
    copy,
    grid,
    loop,
    placed,
    plus,
    registers,
    shared,
    times,
    unravelled,
    when,
    workspace,
)
from lowering.tile.epilogue import Epilogue
from lowering.tile.schedule import Schedule

Where: TypeAlias = "dict[int, tuple[Index, int]]"
"""For each coordinate, the begin and the size of a tile; size 0 for a coordinate whose axis is dropped."""


@dataclass(frozen=True)
class Contraction:
    """A sum of products over coordinates, which are numbered in this order: the coordinates of `batches`, the row, the
    column, and the coordinates of `reductions`. The last reduction is divided into tiles. `accumulator`: the element
    type of sums."""

    batches: tuple[int, ...]
    rows: int
    columns: int
    reductions: tuple[int, ...]
    first: Operand
    second: Operand
    accumulator: Attribute
    epilogue: Epilogue

    @property
    def extents(self) -> tuple[int, ...]:
        """Extents of all coordinates."""
        return (*self.batches, self.rows, self.columns, *self.reductions)

    @property
    def row(self) -> int:
        """Number of the row's coordinate; the column's coordinate is the next one."""
        return len(self.batches)

    @property
    def depth(self) -> int:
        """Number of the coordinate that is divided into tiles of K."""
        return len(self.extents) - 1

    def flattened(self) -> Contraction:
        """Return the same contraction with all reductions flattened into one, in which the last reduction varies
        fastest."""
        kept = [AffineExpr.dimension(position) for position in range(self.row + 2)]
        one = AffineExpr.dimension(self.row + 2)
        for position, extent in enumerate(self.reductions):
            behind = prod(self.reductions[position + 1 :])
            index = one // behind if behind > 1 else one
            kept.append(index % extent if position else index)
        return replace(
            self,
            reductions=(prod(self.reductions),),
            first=self.first.over(kept),
            second=self.second.over(kept),
        )


def contraction_kernel(found: Contraction, schedule: Schedule, name: str, device: str) -> KernelOp:
    """Return the kernel of a contraction with a schedule. Parts of tiles outside of tensors are read as zeros, and
    results there are not written."""
    divided = found.reductions[-1] % schedule.block[2] == 0 and schedule.split == 1 and not schedule.stream
    if len(found.reductions) > 1 and not divided:
        found = found.flattened()
    return _Template(found, schedule).kernel(name, device)


@dataclass(frozen=True)
class _Buffers:
    """Buffers of a thread block: tiles of both factors in shared memory, fragments of these tiles in registers, and
    sums."""

    staged: Sequence[SSAValue]
    fragments: Sequence[SSAValue]
    total: SSAValue


class _Template:
    """Builder of the kernel of one contraction with one schedule."""

    def __init__(self, found: Contraction, schedule: Schedule) -> None:
        self.found, self.schedule = found, schedule
        self.bm, self.bn, self.bk = schedule.block
        inputs = [found.first, found.second, *found.epilogue.operands]
        operands = [*inputs, *found.epilogue.outputs]
        self.taken = len(inputs)
        self.body = arguments(operands)
        self.first, self.second, *self.others = (
            placed(operand, memory, found.extents, self.body, in_order=number > 1)
            for number, (operand, memory) in enumerate(zip(operands, self.body.args, strict=True))
        )

    def kernel(self, name: str, device: str) -> KernelOp:
        found, split = self.found, self.schedule.split
        tiles = {"i": ceil(found.rows / self.bm), "j": ceil(found.columns / self.bn)}
        iterations = ceil(found.reductions[-1] / self.bk)
        split = min(split, iterations)
        if self.schedule.stream:
            self._stream((*found.batches, *tiles.values()), iterations)
        elif split == 1:
            block, variables = self._grid(tiles)
            total = self._sums(block, variables, [*found.reductions[:-1], iterations], None)
            self._finish(block, self._where(variables, self.bm), total)
        else:
            self._split(tiles, iterations, split)
        return KernelOp(name, device, Region(self.body), self.taken)

    def _grid(self, tiles: Mapping[str, int], order: int | None = None) -> tuple[Block, list[SSAValue]]:
        alone = len(self.found.batches) == 1
        batches = {f"batch{'' if alone else at}": extent for at, extent in enumerate(self.found.batches)}
        return grid(self.body, batches | dict(tiles), self.schedule, self.schedule.order if order is None else order)

    def _where(self, variables: Sequence[SSAValue], rows: int) -> Where:
        """Return the position of the tile that a thread block computes: batches, rows, columns."""
        *batches, i, j = variables
        found: Where = {position: (times(value), 0) for position, value in enumerate(batches[: self.found.row])}
        return found | {self.found.row: (times(i, rows), rows), self.found.row + 1: (times(j, self.bn), self.bn)}

    def _sums(
        self, block: Block, variables: list[SSAValue], iterations: Sequence[int], part: tuple[SSAValue, int] | None
    ) -> SSAValue:
        """Add the loops that compute the sums of a thread block's tile; return the register buffer of the sums. `part`:
        for split K, the variable that numbers the parts, and the iterations of each part."""
        buffers = self._buffers(block)
        where, inside = self._where(variables, self.bm), block
        for position, count in enumerate(iterations):
            tiled = position == len(iterations) - 1
            inside, variable = loop(inside, "k" if tiled else f"p{position}", count)
            index = times(variable, self.bk) if tiled else times(variable)
            if tiled and part is not None:
                index = plus(times(part[0], part[1] * self.bk), index)
            where[self.found.row + 2 + position] = index, self.bk if tiled else 0
        self._iteration(inside, buffers, where)
        return buffers.total

    def _buffers(self, block: Block) -> _Buffers:
        """Return the buffers of a block, with its sums set to zero."""
        found, schedule = self.found, self.schedule
        step = min(schedule.instruction, self.bk)
        factors, widths = (self.first, self.second), (self.bm, self.bn)

        def shape(factor: Placed, width: int, deep: int) -> tuple[int, int]:
            return (deep, width) if self._deep_first(factor) else (width, deep)

        staged = [
            shared(block, hint, memref_of(factor.memory).element_type, shape(factor, width, self.bk), schedule)
            for hint, factor, width in zip(("as", "bs"), factors, widths, strict=True)
        ]
        fragments = [
            registers(
                block, hint, memref_of(factor.memory).element_type, shape(factor, width, step), schedule.register_stages
            )
            for hint, factor, width in zip(("af", "bf"), factors, widths, strict=True)
        ]
        for buffer in (each.owner for each in (*staged, *fragments) if schedule.peeled):
            if isinstance(buffer, BufferOp) and buffer.requested_stages > 1:
                buffer.attributes[PEEL] = UnitAttr()
        total = registers(block, "sum", found.accumulator, (self.bm, self.bn))
        block.add_op(FillOp(_full(total), 0.0))
        return _Buffers(staged, fragments, total)

    def _iteration(self, block: Block, buffers: _Buffers, where: Where) -> None:
        """Add one iteration: copy tiles of both factors, and add their product to the sums."""
        factors = (self.first, self.second)
        for factor, buffer in zip(factors, buffers.staged, strict=True):
            copy(block, factor.tile(where), Tile.full(buffer), self.schedule.asynchronous)
        if self.schedule.asynchronous:
            block.add_ops([CommitOp(), WaitOp(0)])
        block.add_op(BarrierOp())
        step = min(self.schedule.instruction, self.bk)
        innermost, t = loop(block, "t", ceil(self.bk / step))
        for factor, buffer, fragment in zip(factors, buffers.staged, buffers.fragments, strict=True):
            at = (times(t, step), constant(0)) if self._deep_first(factor) else (constant(0), times(t, step))
            copy(innermost, Tile(buffer, at, tuple(memref_of(fragment).get_shape())), Tile.full(fragment))
        a, b = (_full(fragment) for fragment in buffers.fragments)
        turned, across = self._deep_first(self.first), not self._deep_first(self.second)
        innermost.add_op(MmaOp(a, b, _full(buffers.total), across=across, turned=turned))
        block.add_op(BarrierOp())

    def _deep_first(self, factor: Placed) -> bool:
        """Return True if K is the first axis of a factor's tiles."""
        axes = [axis for axis in factor.axes if axis in (self.found.row, self.found.row + 1, self.found.depth)]
        return axes[0] == self.found.depth

    def _finish(self, block: Block, where: Where, total: SSAValue) -> None:
        """Apply the epilogue to a tile of sums, and write it."""
        chunk = 16 * self.schedule.warps[0]
        self.found.epilogue.write(block, total, self.others, where, self.found.row, chunk)

    def _split(self, tiles: Mapping[str, int], iterations: int, split: int) -> None:
        """Add two grids: each thread block of the first grid sums a part of K, and the thread blocks of the second grid
        add the partial sums (split-K)."""
        found = self.found
        each = ceil(iterations / split)
        parts = workspace(
            self.body, "parts", found.accumulator, (*found.batches, ceil(iterations / each), found.rows, found.columns)
        )
        count = memref_of(parts).get_shape()[found.row]
        block, variables = self._grid({"s": count, **tiles})
        s = variables[found.row]
        total = self._sums(block, variables, [each], (s, each))
        batches = [*(times(value) for value in variables[: found.row]), times(s)]
        i, j = variables[-2:]
        box = Tile(
            parts,
            (*batches, times(i, self.bm), times(j, self.bn)),
            (*(0 for _ in batches), self.bm, self.bn),
        )
        copy(block, Tile.full(total), box)

        rows = ceil(self.bm / count)
        block, variables = self._grid({"i": ceil(found.rows / rows), "j": tiles["j"]})
        *outer, i, j = variables
        every = registers(block, "part", found.accumulator, (count, rows, self.bn))
        total = registers(block, "sum", found.accumulator, (rows, self.bn))
        starts = (*(times(value) for value in outer), constant(0), times(i, rows), times(j, self.bn))
        copy(block, Tile(parts, starts, (*(0 for _ in outer), count, rows, self.bn)), Tile.full(every))
        self._sum_parts(block, every, total)
        self._finish(block, self._where(variables, rows), total)

    def _stream(self, tiles: Sequence[int], iterations: int) -> None:
        """Add a grid of `schedule.stream` thread blocks that share the iterations of all tiles evenly, in order
        (stream-K). A thread block writes a tile if it executes all of the tile's iterations. Otherwise it stores a
        partial sum: in slot 0 for the tile whose last iteration it executes, in slot 1 for a tile whose last
        iteration a later thread block executes; a second grid adds the partial sums."""
        total = prod(tiles) * iterations
        per_worker = ceil(total / self.schedule.stream)
        workers = ceil(total / per_worker)
        limit = 2 * (total + per_worker)
        in_parts = per_worker % iterations != 0
        shape = (workers, 2, self.bm, self.bn)
        parts = workspace(self.body, "parts", self.found.accumulator, shape) if in_parts else None

        block, (w,) = grid(self.body, {"w": workers}, self.schedule)
        buffers = self._buffers(block)
        iteration, t = loop(block, "g", per_worker)
        number = plus(times(w, per_worker), times(t))
        where = self._of_tile(lambda each: number(each) // iterations, tiles)
        where[self.found.depth] = (lambda each: (number(each) % iterations) * self.bk), self.bk
        self._iteration(iteration, buffers, where)
        ended = when(iteration, lambda each: (number(each) + 1) % iterations)
        if parts is None:
            self._finish(ended, where, buffers.total)
        else:
            # Iterations of the tile that precede this block's range; another block executes them.
            first: Index = times(w, per_worker)
            missing: Index = lambda each: first(each) - (number(each) // iterations) * iterations  # noqa: E731
            self._finish(when(ended, _positive(missing, limit)), where, buffers.total)
            sums, zero = Tile.full(buffers.total), constant(0)
            before = when(ended, lambda each: (missing(each) - 1) // limit)
            copy(before, sums, Tile(parts, (times(w), zero, zero, zero), (0, 0, self.bm, self.bn)))
            copy(block, sums, Tile(parts, (times(w), constant(1), zero, zero), (0, 0, self.bm, self.bn)))
        ended.add_op(FillOp(_full(buffers.total), 0.0))
        if parts is not None:
            self._gather(parts, tiles, iterations, per_worker)

    def _gather(self, parts: SSAValue, tiles: Sequence[int], iterations: int, per_worker: int) -> None:
        """Add the grid that sums tiles whose iterations several thread blocks share.

        If a thread block executes more iterations than a tile has, the shared tiles are those in which the range of
        iterations of a thread block ends, one tile for each thread block but the last; otherwise all tiles are summed.
        Slots that do not exist read as 0.
        """
        workers, total = memref_of(parts).get_shape()[0], prod(tiles) * iterations
        limit, long = 2 * (total + per_worker), per_worker >= iterations
        count = ceil((iterations - 1) / per_worker) + 1
        rows = max(size for size in range(1, max(1, self.bm // count) + 1) if self.bm % size == 0)
        block, (x, r) = grid(
            self.body, {"x": workers - 1 if long else prod(tiles), "r": self.bm // rows}, self.schedule
        )
        end: Index = lambda each: (each.number(x) + 1) * per_worker  # noqa: E731
        tile: Index = (lambda each: end(each) // iterations) if long else times(x)
        every = registers(block, "part", self.found.accumulator, (count, rows, self.bn))
        sums = registers(block, "sum", self.found.accumulator, (rows, self.bn))
        if long:
            block = when(block, lambda each: (end(each) % iterations - 1) // limit)
        for number in range(count):

            def worker(each: Variables, number: int = number) -> AffineExpr:
                return (tile(each) * iterations) // per_worker + number

            def slot(each: Variables, worker: Index = worker) -> AffineExpr:
                behind = (tile(each) + 1) * iterations
                goes_on = _positive(lambda _: behind - (worker(each) + 1) * per_worker, limit)(each)
                is_none = _positive(lambda _: worker(each) * per_worker - behind + 1, limit)(each)
                return goes_on + is_none * 2

            source = Tile(parts, (worker, slot, times(r, rows), constant(0)), (0, 0, rows, self.bn))
            copy(block, source, Tile(every, (constant(number), constant(0), constant(0)), (0, rows, self.bn)))
        self._sum_parts(block, every, sums)
        where = self._of_tile(tile, tiles)
        where[self.found.row] = plus(where[self.found.row][0], times(r, rows)), rows
        self._finish(block, where, sums)

    @staticmethod
    def _sum_parts(block: Block, parts: SSAValue, total: SSAValue) -> None:
        """Sum partial sums that are in registers."""
        read = ReadOp(_full(parts))
        summed = ReduceOp(read.value, kind="sum", axes=(0,))
        block.add_ops([read, summed, WriteOp(summed.y, _full(total))])

    def _of_tile(self, number: Index, tiles: Sequence[int]) -> Where:
        """Return the position of the tile with a number; `tiles`: number of tiles along each batch axis, the rows and
        the columns."""
        found: Where = {}
        sizes = [*(0 for _ in self.found.batches), self.bm, self.bn]
        for position, (subscript, size) in enumerate(
            zip(unravelled(AffineExpr.dimension(0), tiles), sizes, strict=True)
        ):

            def index(each: Variables, subscript: AffineExpr = subscript, size: int = size) -> AffineExpr:
                return subscript.replace_dims_and_symbols([number(each)], ()) * max(size, 1)

            found[position] = index, size
        return found


def _positive(index: Index, limit: int) -> Index:
    """Return an index that is 1 if `index` is positive, else 0; `index` must be between -limit and limit."""
    return lambda each: (index(each) + (limit - 1)) // limit


def _full(memory: SSAValue) -> Access:
    return Access(memory, Box.full(memref_of(memory).get_shape()))
