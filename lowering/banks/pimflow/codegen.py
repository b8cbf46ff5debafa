"""The bank commands that PIMFlow's published code generator writes for a layer (Shin et al., CGO 2023) in one channel.
They match the published commands one for one; work that the published generator omits is omitted here, too.

The published system times only the first PIM channel and assumes that no other channel is slower. A layer's input is
cut into chunks that fill a channel's global buffer; each chunk is multiplied with all tiles of output channels (each
tile is one row of every bank). With `g` buffers in use, the channels form `g` groups, and each group processes a part
of the chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import Float32Type, MemRefType, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dialects.element_types import element_type_named
from dialects.pim import ActOp, ChannelsOp, DrainOp, ForOp, KernelOp, Linear, LoadOp, MacOp, Subscript
from dialects.programs.index import INDEX
from interp.kinds.pim.program import ChannelProgram, Issue, Repeat, Slot, Step
from interp.machine.records import ELEMENT_BYTES, Pim

_SUM_BYTES = 4
"""Size of a drained sum: f32."""
TEXT = "text"
"""The attribute of a load that contains its line in the published trace. The line states the number of buffers that the
load fills; timing counts every load as a single one."""


@dataclass(frozen=True)
class Layer:
    """A convolution as the published generator describes it: sizes of input and filter, padding, stride. A fully
    connected layer is a 1x1 convolution of a 1x1 image."""

    inputs: int
    height: int
    width: int
    outputs: int
    filter_height: int = 1
    filter_width: int = 1
    pad_height: int = 0
    pad_width: int = 0
    stride: int = 1

    @property
    def pixels(self) -> int:
        """The number of output pixels."""
        rows = (self.height - self.filter_height + 2 * self.pad_height) // self.stride + 1
        return rows * ((self.width - self.filter_width + 2 * self.pad_width) // self.stride + 1)

    @property
    def depth(self) -> int:
        """The number of products that are summed for one output element."""
        return self.inputs * self.filter_height * self.filter_width

    def split(self, percent: int) -> tuple[int, Layer] | None:
        """Split a layer between GPU and PIM, with `percent` of the output rows on the GPU: returns the number of input
        rows for the GPU, and the layer for the PIM. Both parts of the input then include the padding in height. None
        if too few rows remain for the PIM, so that the published rewrite leaves the layer on the GPU. 0 percent
        returns the layer unchanged."""
        if percent == 0:
            return 0, self
        rows = -(-self.height * percent // 100)
        halo, spare = self.filter_height // 2, (rows - 1) % self.stride
        if rows + halo - spare >= self.height - 1:
            return None
        begin = rows + self.pad_height - halo + -rows % self.stride
        rest = replace(self, height=self.height + 2 * self.pad_height - begin, pad_height=0)
        return rows + self.pad_height + halo - spare, rest


@dataclass(frozen=True)
class ChunkPass:
    """A set of equal chunks of a layer's input, which the generator processes together (a pass). `chunks`: their
    number; `pixels`: output pixels per chunk; `columns`: column accesses per pixel and tile; `strided`: True if the
    load of a chunk reads separate pieces of the rows of a window."""

    chunks: int
    pixels: int
    columns: int
    strided: bool = False


@dataclass(frozen=True)
class ChannelPart:
    """The first channel's part of a pass: number of global buffers in use, number of chunks, and the `blocks` of each
    chunk. A block contains the units that are computed between two successive activations, each given by the number
    of its first column. A unit is `columns` column accesses and a drain."""

    buffers: int
    chunks: int
    blocks: tuple[tuple[int, ...], ...]
    columns: int
    strided: bool

    @property
    def activations(self) -> int:
        """Number of activate commands to the first bank group."""
        return self.chunks * len(self.blocks)

    @property
    def characters(self) -> int:
        """Length in characters of the trace that the published generator would write for this part; among numbers of
        buffers with equally few activations, the generator chooses the one with the shortest trace."""
        drains = sum(len(block) for block in self.blocks)
        return 72 * self.activations + self.chunks * (20 + drains * (8 + 16 * self.columns))


def passes(layer: Layer, pim: Pim) -> list[ChunkPass]:
    """The passes of a layer, each with its chunks. If the operands of a pixel's sum fit the buffer, several pixels
    share it; a longer sum is cut into chunks that fill the buffer and a smaller last chunk."""
    capacity = pim.buffer_columns * pim.lanes
    depth = _up(layer.depth, pim.lanes)
    if depth <= capacity:
        pixels = capacity // depth
        strided = layer.filter_height > 1 or layer.filter_width > 1
        return [ChunkPass(-(-layer.pixels // pixels), pixels, depth // pim.lanes, strided)]
    found = [ChunkPass(depth // capacity * layer.pixels, 1, pim.buffer_columns)]
    if rest := depth % capacity:
        found.append(ChunkPass(-(-layer.pixels // (capacity // rest)), capacity // rest, rest // pim.lanes))
    return found


def channel_parts(layer: Layer, pim: Pim, buffers: int) -> list[ChannelPart]:
    """The first channel's part of each pass, with up to `buffers` global buffers (1, 2, 4).

    For each pass, the number of buffers with the fewest activations in the first channel is used; if several numbers
    have equally few, the one with the shortest trace text (`characters`). Numbers of buffers are tried in ascending
    order; units that were divided in one trial, to give all channels work, stay divided in later trials, as in the
    published generator.
    """
    tiles = -(-layer.outputs // pim.banks_per_channel)
    return [_channel_part(each, tiles, pim.channels, buffers) for each in passes(layer, pim)]


def _channel_part(each: ChunkPass, tiles: int, channels: int, buffers: int) -> ChannelPart:
    columns, cuts = each.columns, 1
    tried: list[ChannelPart] = []
    for used in (1 << power for power in range(min(buffers, channels).bit_length())):
        group = channels // used
        units = tiles * each.pixels * cuts
        while units <= group / 2:  # cut units along their sum, so that all channels have work; the remainder is lost
            full_chunks = group // units
            columns, cuts, units = columns // full_chunks, cuts * full_chunks, units * full_chunks
        in_tile = each.pixels * cuts
        block = min(max(-(-units // group), 1), in_tile)
        starts = _starts(each, cuts, columns)
        dealt = [range(first, min(first + block, units)) for first in range(0, units, block)]
        mine = tuple(tuple(starts[unit % in_tile] for unit in numbers) for numbers in dealt[::group])
        tried.append(ChannelPart(used, -(-each.chunks // used), mine, columns, each.strided))
    return min(tried, key=lambda part: (part.activations, part.characters))


def _starts(each: ChunkPass, cuts: int, columns: int) -> list[int]:
    """The first column of each unit of a tile. If units were divided (`cuts` > 1), the units of pixel `p` begin `p`
    columns late, and the last unit of a tile repeats the columns of the unit before it (both as published)."""
    late = 1 if cuts > 1 else 0
    found = [pixel * (each.columns + late) + cut * columns for pixel in range(each.pixels) for cut in range(cuts)]
    return [*found[:-1], found[-2]] if len(found) > 1 else found


def channel_kernel(
    layer: Layer, pim: Pim, buffers: int, name: str = "layer", device: str = "pim", channels: int = 1
) -> KernelOp:
    """The first channel's program for a layer, for a sheet whose `act` opens the rows of one bank group at a time. With
    `channels` > 1, that many channels run the same program."""
    found = channel_parts(layer, pim, buffers)
    block = Block(arg_types=operands_of(layer, pim, buffers, channels))
    for value, hint in zip(block.args, "xwy", strict=True):
        value.name_hint = hint
    loops = _loops(layer, found, pim, block.args[0], block.args[2])
    if channels > 1:
        alike = Block(loops, arg_types=[INDEX])
        alike.args[0].name_hint = "channel"
        loops = [ChannelsOp([range(channels)], None, Region(alike))]
    block.add_ops(loops)
    return KernelOp(name, device, Region(block), [-1, 0])


def operands_of(layer: Layer, pim: Pim, buffers: int, channels: int = 1) -> list[MemRefType[Attribute]]:
    """The types of the memrefs of `channel_kernel`: loaded inputs, weights, and drained sums."""
    found = channel_parts(layer, pim, buffers)
    loads = sum(part.chunks for part in found)
    drains = sum(part.chunks * _drains(part) for part in found)
    element = element_type_named(pim.element)
    x = MemRefType(element, (loads, pim.buffer_columns * pim.lanes))
    w = MemRefType(element, (channels, _rows(layer, found, pim), pim.banks_per_channel, pim.columns, pim.lanes))
    return [x, w, MemRefType(Float32Type(), (drains, pim.banks_per_channel))]


def channel_program(layer: Layer, pim: Pim, buffers: int, channels: int = 1) -> ChannelProgram:
    """The commands of `channel_kernel` to each of `channels` channels, in the clock's representation, without creating
    ops."""
    load, mac, drain = (Issue(Slot(op.COMMAND.verb)) for op in (LoadOp, MacOp, DrainOp))
    acts = tuple(Issue(Slot(ActOp.COMMAND.verb, "group", group)) for group in range(pim.groups))
    read, given = pim.buffer_columns * pim.lanes * ELEMENT_BYTES[pim.element], pim.banks_per_channel * _SUM_BYTES
    steps: list[Step] = []
    moved = 0
    for part in channel_parts(layer, pim, buffers):
        unit = (Issue(mac.slot, part.columns), drain)
        body = (load, *(step for block in part.blocks for step in (*acts, *unit * len(block))))
        steps.append(Repeat(part.chunks, body))
        moved += part.chunks * (read + _drains(part) * given)
    return ChannelProgram(tuple(range(channels)), tuple(steps), moved)


def _loops(layer: Layer, found: Sequence[ChannelPart], pim: Pim, x: SSAValue, y: SSAValue) -> list[Operation]:
    """The loops of the first channel's program: one loop over the chunks of each pass."""
    loops: list[Operation] = []
    loaded = drained = 0
    for part in found:
        body = Block(arg_types=[INDEX])
        chunk = Linear.of(body.args[0])
        body.args[0].name_hint = "chunk"
        load = LoadOp(x, [Subscript(chunk + loaded)])
        if part.buffers > 1:
            load.attributes[TEXT] = StringAttr(_load_text(layer, part))
        body.add_op(load)
        first = drained
        for columns in part.blocks:
            body.add_ops(ActOp(Linear(), "group", Linear() + group) for group in range(pim.groups))
            for start in columns:
                body.add_op(MacOp(Subscript(Linear() + start, part.columns)))
                body.add_op(DrainOp(y, [Subscript(chunk * _drains(part) + first)]))
                first += 1
        loops.append(ForOp(range(part.chunks), Region(body)))
        loaded += part.chunks
        drained += part.chunks * _drains(part)
    return loops


def _rows(layer: Layer, found: Sequence[ChannelPart], pim: Pim) -> int:
    """The number of rows per bank for the first channel's weights: one row for each activation with different
    weights."""
    full = layer.depth // (pim.buffer_columns * pim.lanes)
    full_chunks = [max(full, 1), *(1 for _ in found[1:])]
    return sum(many * len(part.blocks) for many, part in zip(full_chunks, found, strict=True))


def trace_lines(layer: Layer, pim: Pim, buffers: int) -> Iterator[str]:
    """The commands of `channel_kernel` in the text format of the published traces, one command per line."""
    for part in channel_parts(layer, pim, buffers):
        lines = [f"0x00000000 {_load_text(layer, part)}"]
        for columns in part.blocks:
            lines += [f"0x{group << 27:08x} G_ACT{group}" for group in range(pim.groups)]
            for start in columns:
                lines += [f"0x{column << 6:08x} COMP" for column in range(start, start + part.columns)] + ["READRES"]
        for _ in range(part.chunks):
            yield from lines


def _load_text(layer: Layer, part: ChannelPart) -> str:
    if not part.strided:
        return f"GWRITE_{part.buffers} "
    row = layer.inputs * layer.filter_height
    return f"GWRITE_{part.buffers} {row} {layer.inputs * (layer.height - layer.filter_height)} {row}"


def _drains(part: ChannelPart) -> int:
    """Number of drains (units) per chunk."""
    return sum(len(block) for block in part.blocks)


def _up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple
