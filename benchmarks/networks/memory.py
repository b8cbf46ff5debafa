"""Memory that a forward pass takes from the driver, through PyTorch's caching allocator.

In inference and in later training steps, tensors reuse memory that PyTorch has cached. A program that empties the
cache before each step, as NeuSight's does (neusight/Tracing/trace.py), takes the memory of all tensors that the
backward pass needs from the driver again, within the forward pass.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from xdsl.ir import SSAValue

from benchmarks.networks.graph import Network
from dialects.element_types import byte_count
from dialects.graph import (
    GatherOp,
    GeluOp,
    GraphOp,
    LayerNormOp,
    MatmulOp,
    MaxOp,
    MulOp,
    PowOp,
    ReluOp,
    RsqrtOp,
    SelectOp,
    SigmoidOp,
    SoftmaxOp,
    TanhOp,
    shape_of,
    tensor_of,
)

_MIB = 1 << 20
_ROUNDED = 512
"""Tensors' sizes are multiples of this number of bytes."""
_SMALL, _MEDIUM = _MIB, 10 * _MIB
"""Tensors up to `_SMALL` share segments of 2 MiB, larger ones below `_MEDIUM` segments of 20 MiB; each larger tensor
for which no cached block is large enough has its own segment of a multiple of 2 MiB (PyTorch 2.1)."""


@dataclass(frozen=True)
class Taken:
    """The memory that a forward pass takes from the driver, after all cached memory was returned to it."""

    segments: int
    """The number of the driver's allocations."""
    bytes: int
    """Their total size."""
    peak: int
    """Bytes in use during the step: weights, their gradients, the pass's segments, and the loss's two tensors."""


def taken(ahead: Network) -> Taken:
    """Return the memory that the forward pass `ahead` of a training step takes from the driver."""
    sizes = segments(ahead)
    logits = byte_count(tensor_of(ahead.launches[-1][0].results[0]))
    return Taken(len(sizes), sum(sizes), 2 * _weights(ahead) + sum(sizes) + 2 * logits)


def _weights(net: Network) -> int:
    """Return the bytes of the weights. The last product's weight is the embedding table, as in all models here."""
    products = [(op.b, count) for op, count in net.launches if isinstance(op, MatmulOp) and len(shape_of(op.b)) == 2]
    tables = [(op.x, count) for op, count in net.launches if isinstance(op, GatherOp)]
    return sum(count * byte_count(tensor_of(weight)) for weight, count in (*products[:-1], *tables))


def segments(ahead: Network) -> list[int]:
    """Return the sizes in bytes of the segments that a forward pass takes from the driver, in order."""
    kept = {ahead.base(each) for op, _ in ahead.launches for each in _saved(op)} | ahead.kept
    pool = _Pool()
    for count, part in groupby(ahead.launches, key=lambda launch: launch[1]):
        ops = [op for op, _ in part]
        last = {ahead.base(value): number for number, op in enumerate(ops) for value in op.operands}
        for _ in range(count):
            _run(ahead, ops, last, kept, pool)
    return pool.taken


def _run(net: Network, ops: Sequence[GraphOp], last: dict[SSAValue, int], kept: set[SSAValue], pool: _Pool) -> None:
    """Allocate and release the results of `ops`, each after its last reader; `last`: the number of the last reader."""
    ends: dict[int, list[_Place]] = {}
    for number, op in enumerate(ops):
        y = op.results[0]
        place = pool.take(byte_count(tensor_of(y)))
        if net.base(y) not in kept:
            ends.setdefault(max(last.get(y, 0), number + 1), []).append(place)
        if _drops(op):
            pool.take(byte_count(tensor_of(op.operands[0])))
        for each in ends.pop(number, ()):
            pool.release(each)
    for places in ends.values():
        for each in places:
            pool.release(each)


def _drops(op: GraphOp) -> bool:
    """Return True for a dropout, which makes its own mask; the mask of a `where` exists already, and is smaller."""
    return isinstance(op, SelectOp) and shape_of(op.operands[0]) == shape_of(op.results[0])


def _saved(op: GraphOp) -> Iterator[SSAValue]:
    """Yield the operands and results of an op that PyTorch's gradient of the op needs."""
    if isinstance(op, MatmulOp) or (isinstance(op, MulOp) and shape_of(op.a) and shape_of(op.b)):
        yield from (op.a, op.b)
    elif isinstance(op, PowOp | GeluOp | MaxOp | LayerNormOp):
        yield op.operands[0]
    elif isinstance(op, SoftmaxOp | ReluOp | TanhOp | SigmoidOp | RsqrtOp):
        yield op.results[0]


@dataclass(frozen=True)
class _Place:
    """A block: the number of its segment, its offset in it, and the kind of the segment."""

    segment: int
    offset: int
    small: bool


@dataclass
class _Pool:
    """PyTorch's cache of memory for one stream: the smallest free block that is large enough is used, and split if
    enough remains; neighbouring free blocks are merged."""

    taken: list[int] = field(default_factory=list[int])
    """The sizes of the segments, in order."""
    _free: dict[bool, list[tuple[int, int, int]]] = field(default_factory=lambda: {True: [], False: []})
    """Free blocks of small and of other segments, each as (size, segment, offset), sorted."""
    _blocks: dict[int, dict[int, tuple[int, bool]]] = field(default_factory=dict[int, dict[int, tuple[int, bool]]])
    """The size of each block of each segment by its offset, and True if it is in use."""

    def take(self, size: int) -> _Place:
        size = max(-(-size // _ROUNDED) * _ROUNDED, _ROUNDED)
        small = size <= _SMALL
        free = self._free[small]
        number = bisect_left(free, (size, -1, -1))
        if number < len(free):
            whole, segment, offset = free.pop(number)
        else:
            whole = 2 * _MIB if small else 20 * _MIB if size < _MEDIUM else -(-size // (2 * _MIB)) * 2 * _MIB
            segment, offset = len(self.taken), 0
            self.taken.append(whole)
            self._blocks[segment] = {}
        rest = whole - size
        if rest < _ROUNDED if small else rest <= _MIB:
            size, rest = whole, 0
        self._blocks[segment][offset] = (size, True)
        if rest:
            self._blocks[segment][offset + size] = (rest, False)
            insort(free, (rest, segment, offset + size))
        return _Place(segment, offset, small)

    def release(self, place: _Place) -> None:
        blocks, free = self._blocks[place.segment], self._free[place.small]
        offset, size = place.offset, blocks[place.offset][0]
        after = offset + size
        if after in blocks and not blocks[after][1]:
            more = blocks.pop(after)[0]
            free.remove((more, place.segment, after))
            size += more
        before = next((at for at, (length, used) in blocks.items() if at + length == offset and not used), None)
        if before is not None:
            free.remove((blocks[before][0], place.segment, before))
            del blocks[offset]
            size, offset = size + blocks[before][0], before
        blocks[offset] = (size, False)
        insort(free, (size, place.segment, offset))
