"""The bank program of a mapping: its memrefs, the writes of new cache entries, then the product."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from math import prod

from xdsl.dialects.builtin import Float32Type, MemRefType
from xdsl.ir import Attribute, Block, Region, SSAValue

from dialects.element_types import byte_width, element_type_named
from dialects.pim import (
    HOST,
    ChannelsOp,
    KernelOp,
    Linear,
    Subscript,
    WriteOp,
)
from dialects.programs.index import INDEX
from interp.machine.records import Pim
from lowering.banks.products.cache import NewColumn, NewOutput, new_columns, new_outputs, shape_of_new
from lowering.banks.products.mapping import Mapping
from lowering.banks.products.traversal import sets_sums
from lowering.banks.products.writer import ProgramWriter, variable_or_value


def shapes_of(mapping: Mapping, pim: Pim) -> list[tuple[tuple[int, ...], Attribute]]:
    """Shapes and element types of the kernel's memrefs, in this order:

    - the input, [batch, vectors, copies, inner]. `copies`: copies of a vector in the global buffer
      (`Mapping.input_copies`);
    - if the program sets accumulators: the initial sums, [batch, starts, tiles, banks] of the bias, or zeros [banks]
      for a product without bias. `starts`: partial sums of one output, each of which starts from its own value;
    - if the second operand is a cache: its new entries (lowering/banks/products/cache.py);
    - the second operand, one memref for each of `mapping.sum_ranges`, [channels, rows, banks, columns, lanes];
    - the result, [batch, vectors, tiles, banks], in f32 if partial sums are added, otherwise of the operands' type.

    A batch, copies or starts of 1 are dropped.
    """
    product, element = mapping.product, element_type_named(mapping.product.element)
    batch = (product.batch,) if product.batch > 1 else ()
    copies = mapping.input_copies(pim)
    tiles = (mapping.tile_rows(pim) * mapping.tiles, pim.banks_per_channel)
    starts: list[tuple[tuple[int, ...], Attribute]] = []
    if sets_sums(product, pim):
        several = (mapping.starts,) if mapping.starts > 1 else ()
        starts.append(((*batch, *several, *tiles) if product.bias else tiles[1:], element))
    weights = [
        (
            mapping.channels,
            mapping.batch * sum_range.chunks * mapping.rows,
            pim.banks_per_channel,
            sum_range.tiles * mapping.copies(sum_range, pim) * sum_range.columns,
            pim.lanes,
        )
        for sum_range in mapping.sum_ranges
    ]
    return [
        ((*batch, mapping.vectors, *((copies,) if copies > 1 else ()), mapping.padded), element),
        *starts,
        *([(shape_of_new(mapping, pim), element)] if product.grows else []),
        *((shape, element) for shape in weights),
        ((*batch, mapping.vectors, *tiles), Float32Type() if mapping.partial else element),
    ]


def bytes_of(mapping: Mapping, pim: Pim) -> int:
    """Total bytes of the kernel's memrefs."""
    return sum(prod(shape) * byte_width(element) for shape, element in shapes_of(mapping, pim))


def kernel_of(mapping: Mapping, pim: Pim, name: str = "kernel", device: str = "pim") -> KernelOp:
    """The bank program of a mapping, as a new op."""
    shapes = shapes_of(mapping, pim)
    block = Block(arg_types=[MemRefType(element, shape) for shape, element in shapes])
    starts = block.args[1] if sets_sums(mapping.product, pim) else None
    weights = block.args[-1 - len(mapping.sum_ranges) : -1]
    new = block.args[-2 - len(mapping.sum_ranges)] if mapping.product.grows else None
    letter = "m" if mapping.product.written else "w"
    hints = ["x", *([] if starts is None else ["start"]), *([] if new is None else ["new"])]
    hints += [letter] if len(weights) == 1 else [f"{letter}{number}" for number in range(len(weights))]
    for argument, hint in zip(block.args, [*hints, "y"], strict=True):
        argument.name_hint = hint
    writer = _CacheWriter(mapping, pim, block.args[0], starts, weights, block.args[-1], block)
    if new is not None:
        writer.append(new)
    writer.channels()
    base_rows, row = [HOST] * (len(hints) - len(weights)), 0
    for sum_range in mapping.sum_ranges:
        base_rows.append(HOST if mapping.product.written else row)
        row += mapping.batch * sum_range.chunks * mapping.rows
    return KernelOp(name, device, Region(block), base_rows)


class _CacheWriter(ProgramWriter):
    """A writer of a product's program that also writes the new entries of a cache."""

    def append(self, new: SSAValue) -> None:
        """Add the regions that write the new entries of a cache to their positions."""
        mapping = self.mapping
        if mapping.product.grows == "outputs":
            for at in new_outputs(mapping, self.pim):
                with self._channels([("part", mapping.splits, mapping.width)], at.channel) as split:
                    self._append_output(new, at, split)
            return
        for at in new_columns(mapping):
            with self._channels([("c", mapping.width, 1)], at.split * mapping.width) as channel:
                self._append_column(new, at, channel)

    def _append_output(self, new: SSAValue, at: NewOutput, split: Linear) -> None:
        for number, sum_range in enumerate(self.mapping.sum_ranges):
            width = sum_range.columns * self.mapping.lanes
            with self.loop("k", sum_range.chunks) as chunk:
                self._open(number, chunk, Linear(at.row))
                first = chunk * width + sum_range.first * self.mapping.lanes
                parts = [*self._new_batch(), Subscript(Linear(at.entry)), Subscript(split), Subscript(first, width)]
                columns = Subscript(Linear(at.tile * sum_range.columns), sum_range.columns)
                self.add(WriteOp(new, parts, columns, "bank", at.bank, append=True))
                self._close()

    def _append_column(self, new: SSAValue, at: NewColumn, channel: Linear) -> None:
        mapping, sum_range = self.mapping, self.mapping.sum_ranges[at.sum_range]
        with self.loop("t", mapping.rows) as row:
            self._open(at.sum_range, Linear(at.chunk), row)
            with self.loop("s", mapping.tiles) as tile, self.loop("bank", self.pim.banks_per_channel) as bank:
                tiles = (channel * mapping.rows + row) * mapping.tiles + tile
                parts = [Subscript(Linear(at.entry)), *self._new_batch(), Subscript(tiles), Subscript(bank)]
                columns = Subscript(tile * sum_range.columns + at.column, 1)
                self.add(WriteOp(new, parts, columns, "bank", bank, append=True))
            self._close()

    def _new_batch(self) -> list[Subscript]:
        return [Subscript(self.part * self.mapping.batch + self.batch)]

    @contextmanager
    def _channels(self, axes: list[tuple[str, int, int]], first: int) -> Generator[Linear]:
        """A region of some channels of all parts of the batch, with a loop over each part's products. Yields the
        variable of the last axis."""
        mapping = self.mapping
        axes = [("h", mapping.parts, mapping.splits * mapping.width), *axes]
        body = Block(arg_types=[INDEX] * len(axes))
        number, values = Linear(first), list[Linear]()
        for argument, (name, count, stride) in zip(body.args, axes, strict=True):
            argument.name_hint = name
            number += Linear.of(argument) * stride
            values.append(variable_or_value(argument, range(count)))
        outer, self.block, self.part = self.block, body, values[0]
        with self.loop("b", mapping.batch) as self.batch:
            yield values[-1]
        self.block = outer
        self.add(ChannelsOp([range(count) for _, count, _ in axes], number, Region(body)))
