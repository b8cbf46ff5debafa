"""Requests to shared or global memory by warps whose threads multiply on ordinary lanes (`mma threads`), computed from
the addresses of their 32 threads.

The load/store units accept a request of 32 threads in `32 / requests` cycles. Banks of shared memory, and the cache in
front of global memory, serve the request in waves; the number of waves is the largest number of different words
requested from one bank. Requests of 8 bytes per thread are served for half a warp at a time, and requests of 16 bytes
for a quarter, unless pairs of threads request the same data (then for twice as many threads). A wave delivers 128
bytes, in the cycles that shared memory takes for 128 bytes. For data from global memory, each thread receives its own
copy, and tags are looked up line by line.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from xdsl.ir import SSAValue

from dialects.tile import BufferOp, CopyOp, MmaOp, bytes_in, memref_of, scope_of
from dialects.tile.loops import WARP
from interp.kinds.gpu.multiprocessor import MOST_REGISTERS, PARTITIONS, SHARED_BYTES, Multiprocessor

BANK = 4
"""Bytes of a word of a bank (CUDA programming guide, all compute capabilities)."""
WIDEST = 16
"""Largest number of bytes that a thread can request at once (CUDA programming guide: 128-bit loads)."""
LINE = 128
"""Bytes of a line of the cache in front of global memory (CUDA programming guide, from compute capability 5.0 on)."""


class Requests(NamedTuple):
    """The requests of a warp, averaged over the warps of a block: their `number`, the cycles that they take in shared
    memory (`shared`), and those that they take as loads from global memory (`loaded`)."""

    number: float
    shared: float
    loaded: float


class Speed(NamedTuple):
    """Cycles that a multiprocessor takes at least to accept a `request` of a warp, and cycles of one `wave` of shared
    memory or of the first-level cache."""

    request: float
    wave: float

    @staticmethod
    def of(unit: Multiprocessor) -> Speed:
        return Speed(WARP / unit.requests, SHARED_BYTES / unit.shared_width)


class Part(NamedTuple):
    """The elements of a factor that a thread needs for one row of K: `each` elements of `size` bytes, `stride` bytes
    from one element to the next; the thread reads `width` elements at once. `threads`: number of the block's threads
    along M and along N; `axis`: 0 (M) or 1 (N), the axis along which the threads divide this factor."""

    threads: tuple[int, int]
    axis: int
    each: int
    size: int
    stride: int
    width: int


def factor_requests(part: Part, speed: Speed) -> Requests:
    """Return the requests of a warp that reads the elements of a factor that its threads need for one row of K."""
    return _factor_requests(part, speed)


@lru_cache(maxsize=1 << 14)
def _factor_requests(part: Part, speed: Speed) -> Requests:
    along, across = part.threads
    wide = min(part.width * part.size, WIDEST)
    found, warps = list[Requests](), max(1, along * across // WARP)
    for warp in range(warps):
        numbers = range(warp * WARP, warp * WARP + WARP)
        owners = [number % along if part.axis == 0 else number // along for number in numbers]
        for first in range(0, part.each * part.size, wide):
            step = first // part.size * part.stride + first % part.size
            found.append(_request([owner * part.each * part.stride + step for owner in owners], wide, speed))
    return _mean(found, warps)


@lru_cache(maxsize=1 << 14)
def staging_requests(
    shape: tuple[int, int], size: int, sharing: tuple[int, int], threads: int, strides: tuple[int, int], speed: Speed
) -> Requests:
    """Return the requests of a warp that copies its part of a tile from global memory (cycles `loaded`) to shared
    memory (cycles `shared`), in a block of `threads` threads.

    `shape`: rows and columns of the tile, of elements of `size` bytes; `sharing`: number of threads that copy one row,
    and number of elements that each of them moves at once; `strides`: bytes from row to row in global memory, and in
    shared memory.
    """
    (rows, columns), (across, vector) = shape, sharing
    wide = min(vector * size, WIDEST)
    each, deep = columns * size // across, rows // (threads // across)
    found, warps = list[Requests](), max(1, threads // WARP)
    for warp in range(warps):
        numbers = range(warp * WARP, warp * WARP + WARP)
        for first in range(0, each, wide):
            for row in range(deep):
                places = [(number // across * deep + row, number % across * each + first) for number in numbers]
                far, near = ([row * stride + column for row, column in places] for stride in strides)
                request = _request(far, wide, speed)
                found.append(request._replace(shared=_request(near, wide, speed).shared))
    return _mean(found, warps)


def _mean(found: Sequence[Requests], warps: int) -> Requests:
    return Requests(*(sum(each) / warps for each in zip(*found, strict=True)))


def _request(addresses: Sequence[int], nbytes: int, speed: Speed) -> Requests:
    """Return one request of a warp for `nbytes` bytes at the address of each of its threads."""
    waves, lines = _waves(addresses, nbytes), len({address // LINE for address in addresses})
    loaded = max(waves, lines, ceil(nbytes / BANK))
    return Requests(1.0, max(speed.request, waves * speed.wave), max(speed.request, loaded * speed.wave))


def _waves(addresses: Sequence[int], nbytes: int) -> int:
    """Return the number of waves in which banks serve a request."""
    if nbytes <= BANK:
        return _most(addresses, BANK)
    half = len(addresses) // 2
    parts = [addresses] if nbytes < WIDEST else [addresses[:half], addresses[half:]]
    together: list[Sequence[int]] = []
    for part in parts:
        middle = len(part) // 2
        together += [part] if _paired(part) else [part[:middle], part[middle:]]
    return sum(_most(part, nbytes) for part in together)


def _paired(addresses: Sequence[int]) -> bool:
    """Return True if both threads of each pair request the same address, for the pairs (0, 1), (2, 3), … or for the
    pairs (0, 2), (1, 3), (4, 6), (5, 7), ….
    """
    return any(all(each == addresses[at ^ flip] for at, each in enumerate(addresses)) for flip in (1, 2))


def _most(addresses: Sequence[int], nbytes: int) -> int:
    """Return the largest number of different chunks of `nbytes` bytes, aligned to their size, that are requested from
    one bank, or from one group of banks that holds a chunk."""
    chunks = [chunk % (SHARED_BYTES // nbytes) for chunk in {address // nbytes for address in addresses}]
    return max(chunks.count(bank) for bank in set(chunks))


def product_of(memory: SSAValue) -> tuple[MmaOp, int] | None:
    """Return the `mma threads` op that reads a register buffer as a factor, with the factor's number; None if there is
    none.
    """
    for use in memory.uses:
        op = use.operation
        if isinstance(op, MmaOp) and use.index in (0, 1) and op.thread_grid is not None:
            return op, use.index
    return None


def fragment_requests(op: CopyOp, product: MmaOp, axis: int, unit: Multiprocessor) -> Requests:
    """Return the requests of a warp for a copy to registers of those elements of a factor that the warp's threads need,
    for all rows of K of the copy."""
    source, target = op.accesses
    straight = (product.turned is not None) if axis == 0 else (product.across is None)
    extent = product.extents[axis]
    threads = product.thread_grid
    assert threads is not None
    size = bytes_of_element(source.memory)
    each, depth = extent // threads[axis], max(1, _elements(target.shape) // extent)
    part = Part(threads, axis, each, size, size if straight else row_bytes(source.memory), 1)
    if straight:
        part = part._replace(width=_width(op, product, axis, each))
    one = factor_requests(part, Speed.of(unit))
    return Requests(*(depth * number for number in one))


def _width(op: CopyOp, product: MmaOp, axis: int, each: int) -> int:
    """Return the number of elements that a thread reads at once: as many as the alignment permits that a compiler can
    prove. The buffer of a second factor may follow the buffer of the first factor in shared memory; it is then read
    with the width of the first factor, if that is larger."""
    own, before = product.widths[axis], product.widths[0]
    buffer = op.source.memory.owner
    if axis == 0 or before <= own or each % before or not isinstance(buffer, BufferOp):
        return own
    behind = any(
        isinstance(use.operation, CopyOp) and isinstance(first := use.operation.source.memory.owner, BufferOp)
        and first.scope.data == "shared" and first.is_before_in_block(buffer)
        for use in product.memories[0].uses
    )  # fmt: skip
    return before if behind else own


def register_bytes(memory: SSAValue, product: MmaOp, axis: int) -> int:
    """Return the bytes of a factor that a thread holds in registers: one row of K, because compilers load the factors
    row by row.
    """
    threads = product.thread_grid
    assert threads is not None
    return product.extents[axis] // threads[axis] * bytes_of_element(memory)


def tile_requests(op: CopyOp, sharing: tuple[int, int], threads: int, unit: Multiprocessor) -> Requests:
    """Return the requests of a warp that copies its part of a tile from global to shared memory."""
    source, target = op.accesses
    rows, columns = target.shape
    strides = row_bytes(source.memory), row_bytes(target.memory)
    return staging_requests((rows, columns), bytes_of_element(target.memory), sharing, threads, strides, Speed.of(unit))


def multiply_cycles(product: MmaOp, unit: Multiprocessor) -> float:
    """Return the cycles for which a warp occupies its partition with a product: the cycles of the lanes, or one cycle
    for each multiplication and each request for factors, whichever is more."""
    threads = product.thread_grid
    assert threads is not None
    m, n, depth = product.extents
    size = bytes_of_element(product.memories[0])
    return lane_cycles(m // threads[0], n // threads[1], product.widths, depth, str(_element(product)), size, unit)


def lane_cycles(
    rows: int, columns: int, widths: tuple[int, int], depth: int, element: str, size: int, unit: Multiprocessor
) -> float:
    """Return the cycles for which a warp occupies its partition, if each of its threads computes `rows` by `columns`
    elements of a product over `depth` rows of K."""
    lanes = unit.lane_rate(element) / 2 / PARTITIONS
    requests = sum(
        each / min(width, WIDEST // size) for each, width in zip((rows, columns), widths, strict=True)
    )  # fmt: skip
    return depth * max(rows * columns * WARP / lanes, rows * columns + requests)


def spill_cycles(registers: float, threads: int, depth: int, unit: Multiprocessor) -> float:
    """Return the cycles for which a warp occupies shared memory's data path because of spilled registers, which are the
    registers in excess of the maximum of a thread. The compiler loads each spilled register from memory and stores
    it back for every row of K."""
    beyond = max(0.0, registers - min(MOST_REGISTERS, unit.registers // threads))
    return 2 * depth * beyond * max(Speed.of(unit))


def row_bytes(memory: SSAValue) -> int:
    """Return the bytes from one row of a matrix to the next, padding included."""
    shape, owner = memref_of(memory).get_shape(), memory.owner
    padding = owner.padding if isinstance(owner, BufferOp) and scope_of(memory) == "shared" else 0
    return ((shape[-1] if shape else 1) + padding) * bytes_of_element(memory)


def bytes_of_element(memory: SSAValue) -> int:
    """Return the bytes of an element of a memory."""
    return max(1, bytes_in(memory) // _elements(memref_of(memory).get_shape()))


def _element(product: MmaOp) -> object:
    return memref_of(product.memories[2]).element_type


def _elements(shape: Sequence[int]) -> int:
    found = 1
    for extent in shape:
        found *= max(extent, 1)
    return found
