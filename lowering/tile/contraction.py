"""The template of contractions: sums of products over tiles, as naive as they can be typed.

    result[batch, row, column] = sum over reductions of first[batch, row, reductions] second[batch, column, reductions]

Each thread block computes a tile of rows and columns. It brings tiles of both factors to shared memory, from there
fragments to registers, multiplies, and at last applies what follows to the sums and writes them. What is to be
pipelined is only marked (`stages`). Matrix products are of one reduction; convolutions of one a spatial axis and one of
channels, a perfect nest of loops whose innermost runs over tiles of channels, or, where tiles don't divide the
channels, of all of them in one (implicit GEMM, Chetlur et al., cuDNN, 2014).
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
from dialects.tile import (
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
from dialects.tile.boxes import Variables
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
from lowering.tile.schedule import PEEL, Schedule

Where: TypeAlias = "dict[int, tuple[Index, int]]"
"""Of each coordinate where a tile begins and its size, 0 for one that drops out."""


@dataclass(frozen=True)
class Contraction:
    """A sum of products over coordinates: those of `batches`, the row, the column, then those of `reductions`, numbered
    in this order; the last reduction is cut into tiles. `accumulator`: the type of sums."""

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
        """Number of the row's coordinate; the column's is the next one."""
        return len(self.batches)

    @property
    def depth(self) -> int:
        """Number of the coordinate that is cut into tiles of K."""
        return len(self.extents) - 1

    def flattened(self) -> Contraction:
        """The same with all reductions as one, the last one fastest."""
        kept = [AffineExpr.dimension(position) for position in range(self.row + 2)]
        one = AffineExpr.dimension(self.row + 2)
        for position, extent in enumerate(self.reductions):
            behind = prod(self.reductions[position + 1 :])
            turn = one // behind if behind > 1 else one
            kept.append(turn % extent if position else turn)
        return replace(
            self,
            reductions=(prod(self.reductions),),
            first=self.first.over(kept),
            second=self.second.over(kept),
        )


def contraction_kernel(found: Contraction, schedule: Schedule, name: str, device: str) -> KernelOp:
    """The kernel of a contraction by a schedule. Tiles that reach beyond tensors are filled with zeros, and what they
    compute there is dropped."""
    divided = found.reductions[-1] % schedule.block[2] == 0 and schedule.split == 1 and not schedule.stream
    if len(found.reductions) > 1 and not divided:
        found = found.flattened()
    return _Template(found, schedule).kernel(name, device)


@dataclass(frozen=True)
class _Buffers:
    """Buffers of a block: tiles of both factors in shared memory, fragments of them, and sums."""

    staged: Sequence[SSAValue]
    fragments: Sequence[SSAValue]
    total: SSAValue


class _Template:
    """One contraction by one schedule, written step by step."""

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
        turns = ceil(found.reductions[-1] / self.bk)
        split = min(split, turns)
        if self.schedule.stream:
            self._stream((*found.batches, *tiles.values()), turns)
        elif split == 1:
            block, variables = self._grid(tiles)
            total = self._sums(block, variables, [*found.reductions[:-1], turns], None)
            self._finish(block, self._where(variables, self.bm), total)
        else:
            self._split(tiles, turns, split)
        return KernelOp(name, device, Region(self.body), self.taken)

    def _grid(self, tiles: Mapping[str, int], order: int | None = None) -> tuple[Block, list[SSAValue]]:
        alone = len(self.found.batches) == 1
        batches = {f"batch{'' if alone else at}": extent for at, extent in enumerate(self.found.batches)}
        return grid(self.body, batches | dict(tiles), self.schedule, self.schedule.order if order is None else order)

    def _where(self, variables: Sequence[SSAValue], rows: int) -> Where:
        """Places of the tile that a block computes: batches, rows, columns."""
        *batches, i, j = variables
        found: Where = {position: (times(value), 0) for position, value in enumerate(batches[: self.found.row])}
        return found | {self.found.row: (times(i, rows), rows), self.found.row + 1: (times(j, self.bn), self.bn)}

    def _sums(
        self, block: Block, variables: list[SSAValue], turns: Sequence[int], part: tuple[SSAValue, int] | None
    ) -> SSAValue:
        """The loops over tiles that sum up a block's tile; the register buffer of the sums. `part`: which part of all
        turns it does, and the turns of each."""
        buffers = self._buffers(block)
        where, inside = self._where(variables, self.bm), block
        for position, count in enumerate(turns):
            tiled = position == len(turns) - 1
            inside, variable = loop(inside, "k" if tiled else f"p{position}", count)
            index = times(variable, self.bk) if tiled else times(variable)
            if tiled and part is not None:
                index = plus(times(part[0], part[1] * self.bk), index)
            where[self.found.row + 2 + position] = index, self.bk if tiled else 0
        self._turn(inside, buffers, where)
        return buffers.total

    def _buffers(self, block: Block) -> _Buffers:
        """The buffers of a block, its sums filled with zeros."""
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
        block.add_op(FillOp(_whole(total), 0.0))
        return _Buffers(staged, fragments, total)

    def _turn(self, block: Block, buffers: _Buffers, where: Where) -> None:
        """One turn: bring tiles of both factors, and add their product."""
        factors = (self.first, self.second)
        for factor, buffer in zip(factors, buffers.staged, strict=True):
            copy(block, factor.tile(where), Tile.whole(buffer), self.schedule.asynchronous)
        if self.schedule.asynchronous:
            block.add_ops([CommitOp(), WaitOp(0)])
        block.add_op(BarrierOp())
        step = min(self.schedule.instruction, self.bk)
        innermost, t = loop(block, "t", ceil(self.bk / step))
        for factor, buffer, fragment in zip(factors, buffers.staged, buffers.fragments, strict=True):
            at = (times(t, step), constant(0)) if self._deep_first(factor) else (constant(0), times(t, step))
            copy(innermost, Tile(buffer, at, tuple(memref_of(fragment).get_shape())), Tile.whole(fragment))
        a, b = (_whole(fragment) for fragment in buffers.fragments)
        turned, across = self._deep_first(self.first), not self._deep_first(self.second)
        innermost.add_op(MmaOp(a, b, _whole(buffers.total), across=across, turned=turned))
        block.add_op(BarrierOp())

    def _deep_first(self, factor: Placed) -> bool:
        """True if the tiles of a factor have K in front of rows or columns."""
        axes = [axis for axis in factor.axes if axis in (self.found.row, self.found.row + 1, self.found.depth)]
        return axes[0] == self.found.depth

    def _finish(self, block: Block, where: Where, total: SSAValue) -> None:
        """Apply what follows to a tile of sums, and write it."""
        chunk = 16 * self.schedule.warps[0]
        self.found.epilogue.write(block, total, self.others, where, self.found.row, chunk)

    def _split(self, tiles: Mapping[str, int], turns: int, split: int) -> None:
        """Two grids: thread blocks that sum up a part of K each, and such that sum up the parts (split-K)."""
        found = self.found
        each = ceil(turns / split)
        parts = workspace(
            self.body, "parts", found.accumulator, (*found.batches, ceil(turns / each), found.rows, found.columns)
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
        copy(block, Tile.whole(total), box)

        rows = ceil(self.bm / count)
        block, variables = self._grid({"i": ceil(found.rows / rows), "j": tiles["j"]})
        *outer, i, j = variables
        every = registers(block, "part", found.accumulator, (count, rows, self.bn))
        total = registers(block, "sum", found.accumulator, (rows, self.bn))
        starts = (*(times(value) for value in outer), constant(0), times(i, rows), times(j, self.bn))
        copy(block, Tile(parts, starts, (*(0 for _ in outer), count, rows, self.bn)), Tile.whole(every))
        self._add_up(block, every, total)
        self._finish(block, self._where(variables, rows), total)

    def _stream(self, tiles: Sequence[int], turns: int) -> None:
        """As many thread blocks as the schedule says, each with an equal share of the turns of all tiles, in order
        (stream-K). A tile whose turns are all one block's is written by it. Of others, which a second grid sums up,
        each block leaves its part: in slot 0 of the tile that ends in its share, in slot 1 of the one that goes on."""
        total = prod(tiles) * turns
        share = ceil(total / self.schedule.stream)
        workers = ceil(total / share)
        limit = 2 * (total + share)
        in_parts = share % turns != 0
        shape = (workers, 2, self.bm, self.bn)
        parts = workspace(self.body, "parts", self.found.accumulator, shape) if in_parts else None

        block, (w,) = grid(self.body, {"w": workers}, self.schedule)
        buffers = self._buffers(block)
        turn, t = loop(block, "g", share)
        number = plus(times(w, share), times(t))
        where = self._of_tile(lambda each: number(each) // turns, tiles)
        where[self.found.depth] = (lambda each: (number(each) % turns) * self.bk), self.bk
        self._turn(turn, buffers, where)
        ended = when(turn, lambda each: (number(each) + 1) % turns)
        if parts is None:
            self._finish(ended, where, buffers.total)
        else:
            # Turns of the tile that stand before this share; another block does them.
            missing: Index = lambda each: times(w, share)(each) - (number(each) // turns) * turns  # noqa: E731
            self._finish(when(ended, _positive(missing, limit)), where, buffers.total)
            sums, zero = Tile.whole(buffers.total), constant(0)
            before = when(ended, lambda each: (missing(each) - 1) // limit)
            copy(before, sums, Tile(parts, (times(w), zero, zero, zero), (0, 0, self.bm, self.bn)))
            copy(block, sums, Tile(parts, (times(w), constant(1), zero, zero), (0, 0, self.bm, self.bn)))
        ended.add_op(FillOp(_whole(buffers.total), 0.0))
        if parts is not None:
            self._gather(parts, tiles, turns, share)

    def _gather(self, parts: SSAValue, tiles: Sequence[int], turns: int, share: int) -> None:
        """The grid that sums up tiles of which several blocks have done parts: one that a share ends in where shares
        are longer than tiles, else all. Slots that there are not read as 0."""
        workers, total = memref_of(parts).get_shape()[0], prod(tiles) * turns
        limit, long = 2 * (total + share), share >= turns
        count = ceil((turns - 1) / share) + 1
        rows = max(size for size in range(1, max(1, self.bm // count) + 1) if self.bm % size == 0)
        block, (x, r) = grid(
            self.body, {"x": workers - 1 if long else prod(tiles), "r": self.bm // rows}, self.schedule
        )
        end: Index = lambda each: (each.number(x) + 1) * share  # noqa: E731
        tile: Index = (lambda each: end(each) // turns) if long else times(x)
        every = registers(block, "part", self.found.accumulator, (count, rows, self.bn))
        sums = registers(block, "sum", self.found.accumulator, (rows, self.bn))
        if long:
            block = when(block, lambda each: (end(each) % turns - 1) // limit)
        for number in range(count):

            def worker(each: Variables, number: int = number) -> AffineExpr:
                return (tile(each) * turns) // share + number

            def slot(each: Variables, worker: Index = worker) -> AffineExpr:
                behind = (tile(each) + 1) * turns
                goes_on = _positive(lambda _: behind - (worker(each) + 1) * share, limit)(each)
                is_none = _positive(lambda _: worker(each) * share - behind + 1, limit)(each)
                return goes_on + is_none * 2

            source = Tile(parts, (worker, slot, times(r, rows), constant(0)), (0, 0, rows, self.bn))
            copy(block, source, Tile(every, (constant(number), constant(0), constant(0)), (0, rows, self.bn)))
        self._add_up(block, every, sums)
        where = self._of_tile(tile, tiles)
        where[self.found.row] = plus(where[self.found.row][0], times(r, rows)), rows
        self._finish(block, where, sums)

    @staticmethod
    def _add_up(block: Block, parts: SSAValue, total: SSAValue) -> None:
        """Sum up parts that lie in registers."""
        read = ReadOp(_whole(parts))
        summed = ReduceOp(read.value, kind="sum", axes=(0,))
        block.add_ops([read, summed, WriteOp(summed.y, _whole(total))])

    def _of_tile(self, number: Index, tiles: Sequence[int]) -> Where:
        """Places of the tile with a number, of so many along each batch, the rows and the columns."""
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
    """1 where an index is positive, else 0; it lies within the limit."""
    return lambda each: (index(each) + (limit - 1)) // limit


def _whole(memory: SSAValue) -> Access:
    return Access(memory, Box.full(memref_of(memory).get_shape()))
