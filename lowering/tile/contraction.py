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

from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from dialects.graph import ReduceOp
from dialects.tile import Access, BarrierOp, Box, CommitOp, FillOp, KernelOp, MmaOp, ReadOp, WaitOp, WriteOp, memref_of
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
    workspace,
)
from lowering.tile.epilogue import Epilogue
from lowering.tile.schedule import Schedule


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
    if len(found.reductions) > 1 and (found.reductions[-1] % schedule.block[2] or schedule.split > 1):
        found = found.flattened()
    return _Template(found, schedule).kernel(name, device)


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
        if split == 1:
            block, variables = self._grid(tiles)
            total = self._sums(block, variables, [*found.reductions[:-1], turns], None)
            self._finish(block, variables, total, self.bm)
        else:
            self._split(tiles, turns, split)
        return KernelOp(name, device, Region(self.body), self.taken)

    def _grid(self, tiles: Mapping[str, int], order: int | None = None) -> tuple[Block, list[SSAValue]]:
        alone = len(self.found.batches) == 1
        batches = {f"batch{'' if alone else at}": extent for at, extent in enumerate(self.found.batches)}
        return grid(self.body, batches | dict(tiles), self.schedule, self.schedule.order if order is None else order)

    def _where(self, variables: Sequence[SSAValue], rows: int) -> dict[int, tuple[Index, int]]:
        """Places of the tile that a block computes: batches, rows, columns."""
        *batches, i, j = variables
        found = {position: (times(value), 0) for position, value in enumerate(batches[: self.found.row])}
        found[self.found.row] = times(i, rows), rows
        found[self.found.row + 1] = times(j, self.bn), self.bn
        return found

    def _sums(
        self, block: Block, variables: list[SSAValue], turns: Sequence[int], part: tuple[SSAValue, int] | None
    ) -> SSAValue:
        """The loops over tiles that sum up a block's tile; the register buffer of the sums. `part`: which part of all
        turns it does, and the turns of each."""
        found, schedule = self.found, self.schedule
        where = self._where(variables, self.bm)
        depth = {found.depth: (constant(0), self.bk)}
        others = {position: (constant(0), 0) for position in range(found.row + 2, found.depth)}
        tiles = [each.tile(where | others | depth) for each in (self.first, self.second)]
        turned, across = (self._deep_first(self.first), not self._deep_first(self.second))
        step = min(schedule.instruction, self.bk)
        buffers = [
            shared(block, hint, operand.element, tile.shape, schedule)
            for hint, operand, tile in zip(("as", "bs"), (found.first, found.second), tiles, strict=True)
        ]
        deep = [0 if turned else 1, 1 if across else 0]
        shapes = [
            tuple(step if axis == at else size for axis, size in enumerate(tile.shape))
            for tile, at in zip(tiles, deep, strict=True)
        ]
        fragments = [
            registers(block, hint, operand.element, shape, schedule.register_stages)
            for hint, operand, shape in zip(("af", "bf"), (found.first, found.second), shapes, strict=True)
        ]
        total = registers(block, "sum", found.accumulator, (self.bm, self.bn))
        block.add_op(FillOp(_whole(total), 0.0))

        inside = block
        for position, count in enumerate(turns):
            inside, variable = loop(inside, self._hint(position, len(turns)), count)
            tiled = position == len(turns) - 1
            at = found.row + 2 + position
            index = times(variable, self.bk) if tiled else times(variable)
            if tiled and part is not None:
                index = plus(times(part[0], part[1] * self.bk), index)
            where[at] = index, self.bk if tiled else 0
        for each, buffer in zip((self.first, self.second), buffers, strict=True):
            copy(inside, each.tile(where), Tile.whole(buffer), schedule.asynchronous)
        if schedule.asynchronous:
            inside.add_ops([CommitOp(), WaitOp(0)])
        inside.add_op(BarrierOp())
        innermost, t = loop(inside, "t", ceil(self.bk / step))
        for buffer, fragment, shape, at in zip(buffers, fragments, shapes, deep, strict=True):
            starts = tuple(times(t, step) if axis == at else constant(0) for axis in range(2))
            copy(innermost, Tile(buffer, starts, shape), Tile.whole(fragment))
        a, b = (_whole(fragment) for fragment in fragments)
        innermost.add_op(MmaOp(a, b, _whole(total), across=across, turned=turned))
        inside.add_op(BarrierOp())
        return total

    def _deep_first(self, factor: Placed) -> bool:
        """True if the tiles of a factor have K in front of rows or columns."""
        axes = [axis for axis in factor.axes if axis in (self.found.row, self.found.row + 1, self.found.depth)]
        return axes[0] == self.found.depth

    @staticmethod
    def _hint(position: int, count: int) -> str:
        return "k" if position == count - 1 else f"p{position}"

    def _finish(self, block: Block, variables: Sequence[SSAValue], total: SSAValue, rows: int) -> None:
        """Apply what follows to a tile of sums, and write it."""
        where = self._where(variables, rows)
        self.found.epilogue.write(
            block,
            total,
            self.others,
            where,
            self.found.row,
            16 * self.schedule.warps[0],
        )

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
        read = ReadOp(_whole(every))
        summed = ReduceOp(read.value, kind="sum", axes=(0,))
        block.add_ops([read, summed, WriteOp(summed.y, _whole(total))])
        self._finish(block, variables, total, rows)


def _whole(memory: SSAValue) -> Access:
    return Access(memory, Box.whole(memref_of(memory).get_shape()))
