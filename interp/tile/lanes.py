"""Requests that threads which multiply alone make of their multiprocessor: those of a warp for shared or global
memory, by the addresses of its 32 threads.

The load/store units take a request of 32 threads in `32 / requests` cycles. Banks of shared memory, and the cache in
front of global memory, serve it in as many waves as one of the banks is asked for different words; requests of 8 bytes
a thread are served half a warp at a time and those of 16 bytes a quarter, unless neighbours ask for the same (then
twice as many go together). A wave brings 128 bytes, in as many cycles as shared memory takes for so many. What comes
from global memory brings every thread its own copy, and its tags are looked up line by line.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from xdsl.ir import SSAValue

from dialects.tile import BufferOp, CopyOp, MmaOp, bytes_in, memref_of, scope_of
from dialects.tile.loops import WARP
from interp.machine.multiprocessor import MOST_REGISTERS, PARTITIONS, SHARED_BYTES, Multiprocessor

BANK = 4
"""Bytes of a bank's word (CUDA programming guide, all compute capabilities)."""
WIDEST = 16
"""Bytes that a thread can ask for at once (CUDA programming guide: 128-bit loads)."""
LINE = 128
"""Bytes of a line of the cache in front of global memory (CUDA programming guide, from compute capability 5.0 on)."""


class Requests(NamedTuple):
    """Requests of a warp, on average: their number, and the cycles that they take where they go to shared and where
    they go to global memory."""

    number: float
    shared: float
    loaded: float


class Speed(NamedTuple):
    """Cycles that a multiprocessor takes for a request at least, and for a wave."""

    request: float
    wave: float

    @staticmethod
    def of(unit: Multiprocessor) -> Speed:
        return Speed(WARP / unit.requests, SHARED_BYTES / unit.shared_width)


class Part(NamedTuple):
    """A thread's part of a factor of a product, for one row of K: `each` elements of `size` bytes, `stride` bytes from
    one to the next, of which `width` are read at once; `threads`: the threads of the block that share M and N; `axis`:
    which of them share this factor."""

    threads: tuple[int, int]
    axis: int
    each: int
    size: int
    stride: int
    width: int


def reads(part: Part, speed: Speed) -> Requests:
    """The requests of a warp that reads its threads' parts of a factor, for one row of K."""
    return _reads(part, speed)


@lru_cache(maxsize=1 << 14)
def _reads(part: Part, speed: Speed) -> Requests:
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
def staging(
    shape: tuple[int, int], size: int, sharing: tuple[int, int], threads: int, strides: tuple[int, int], speed: Speed
) -> Requests:
    """The requests of a warp of a block of so many threads that brings its part of a tile from global to shared memory:
    `loaded` there, `shared` here.

    `shape`: rows and columns of elements of `size` bytes; `sharing`: threads a row, and the elements that each moves at
    once; `strides`: bytes from row to row in global and in shared memory.
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
    """One request of a warp, for so many bytes at the address of each of its threads."""
    waves, lines = _waves(addresses, nbytes), len({address // LINE for address in addresses})
    loaded = max(waves, lines, ceil(nbytes / BANK))
    return Requests(1.0, max(speed.request, waves * speed.wave), max(speed.request, loaded * speed.wave))


def _waves(addresses: Sequence[int], nbytes: int) -> int:
    """The waves in which banks serve a request."""
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
    """True if all neighbours, or all next neighbours, ask for the same."""
    return any(all(each == addresses[at ^ flip] for at, each in enumerate(addresses)) for flip in (1, 2))


def _most(addresses: Sequence[int], nbytes: int) -> int:
    """The number of different pieces of so many bytes that one bank, or as many banks as a piece lies in, is asked
    for."""
    pieces = [piece % (SHARED_BYTES // nbytes) for piece in {address // nbytes for address in addresses}]
    return max(pieces.count(bank) for bank in set(pieces))


def product_of(memory: SSAValue) -> tuple[MmaOp, int] | None:
    """The product in the lanes of threads that reads a register buffer as a factor, with the factor's number."""
    for use in memory.uses:
        op = use.operation
        if isinstance(op, MmaOp) and use.index in (0, 1) and op.thread_grid is not None:
            return op, use.index
    return None


def reading(op: CopyOp, product: MmaOp, axis: int, unit: Multiprocessor) -> Requests:
    """The requests of a warp that brings its threads' parts of a factor to registers, for all rows of K of the copy."""
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
    one = reads(part, Speed.of(unit))
    return Requests(*(depth * number for number in one))


def _width(op: CopyOp, product: MmaOp, axis: int, each: int) -> int:
    """Elements that a thread reads at once. A compiler reads as wide as it knows an address to be aligned, so behind a
    buffer of the first factor that is read in wider vectors, the second's is read in those too."""
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


def held(memory: SSAValue, product: MmaOp, axis: int) -> int:
    """Bytes of a factor's parts that a thread holds in registers: a compiler brings them row of K by row of K."""
    threads = product.thread_grid
    assert threads is not None
    return product.extents[axis] // threads[axis] * bytes_of_element(memory)


def bringing(op: CopyOp, sharing: tuple[int, int], threads: int, unit: Multiprocessor) -> Requests:
    """The requests of a warp that brings its part of a tile from global to shared memory."""
    source, target = op.accesses
    rows, columns = target.shape
    strides = row_bytes(source.memory), row_bytes(target.memory)
    return staging((rows, columns), bytes_of_element(target.memory), sharing, threads, strides, Speed.of(unit))


def multiplying(product: MmaOp, unit: Multiprocessor) -> float:
    """Cycles of its partition that a warp takes for a product: those of the lanes, and no fewer than it takes to issue
    the multiplications and the requests for factors, one a cycle."""
    threads = product.thread_grid
    assert threads is not None
    m, n, depth = product.extents
    size = bytes_of_element(product.memories[0])
    return lane_cycles(m // threads[0], n // threads[1], product.widths, depth, str(_element(product)), size, unit)


def lane_cycles(
    rows: int, columns: int, widths: tuple[int, int], depth: int, element: str, size: int, unit: Multiprocessor
) -> float:
    """Cycles of its partition that a warp takes whose threads multiply so many rows by so many columns, for so many
    rows of K."""
    lanes = unit.lane_rate(element) / 2 / PARTITIONS
    requests = sum(
        each / min(width, WIDEST // size) for each, width in zip((rows, columns), widths, strict=True)
    )  # fmt: skip
    return depth * max(rows * columns * WARP / lanes, rows * columns + requests)


def spilling(registers: float, threads: int, depth: int, unit: Multiprocessor) -> float:
    """Cycles of shared memory's way that a warp's requests take for registers beyond the most that a thread of a block
    may have: a compiler keeps them in memory, reads each for every row of K, and writes it back."""
    beyond = max(0.0, registers - min(MOST_REGISTERS, unit.registers // threads))
    return 2 * depth * beyond * max(Speed.of(unit))


def row_bytes(memory: SSAValue) -> int:
    """Bytes from one row of a matrix to the next, padding included."""
    shape, owner = memref_of(memory).get_shape(), memory.owner
    padding = owner.padding if isinstance(owner, BufferOp) and scope_of(memory) == "shared" else 0
    return ((shape[-1] if shape else 1) + padding) * bytes_of_element(memory)


def bytes_of_element(memory: SSAValue) -> int:
    """Bytes of an element."""
    return max(1, bytes_in(memory) // _elements(memref_of(memory).get_shape()))


def _element(product: MmaOp) -> object:
    return memref_of(product.memories[2]).element_type


def _elements(shape: Sequence[int]) -> int:
    found = 1
    for extent in shape:
        found *= max(extent, 1)
    return found
