"""Idle intervals of a trace, grouped for planners: intervals with equal begin and end are one group. Groups of the same
contents form a chain if a copy outside of the device that is made in one of them can be used in all later ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from interp.simulate.memory.problem import NEVER, KernelTrace
from lowering.solve.rows import Indices

Mode: TypeAlias = Literal["move", "copy"]
"""The bytes that an eviction transfers. `move`: each eviction transfers its bytes out and, later, in. `copy`: bytes
with a valid copy in a tier are dropped without a transfer out, and bytes may be written to the tier ahead of
eviction, from their last write on."""

DIRECT = 0
"""The number of the stream of bytes that become idle right after their last write, so that writing them out also frees
them on the device."""
_TRANSIENT, _UPDATED, _CONSTANT = 1, 2, 3

_Chain: TypeAlias = tuple[int, int, tuple[tuple[int, int], ...]]
"""The key of a chain: the number of the kernel that writes the contents, 1 if their tensor is persistent (else 0), and
the idle intervals after this write."""


@dataclass(frozen=True)
class Groups:
    """Groups of idle intervals with equal begin and end, as arrays with one entry per group.

    A group's bytes are those of its intervals' tensors, concatenated. If contents have several intervals, the groups of
    a chain have the same tensors in the same order, so that byte `n` of one group is byte `n` of the next.
    """

    kernels: int
    after: Indices
    """For each group: the number of the kernel whose end begins the interval, 0 to `kernels` - 1."""
    before: Indices
    """For each group: the number of the kernel whose start ends the interval; `kernels` or more in the next iteration,
    up to twice `kernels`."""
    nbytes: Indices
    since: Indices
    """For each group: the number of the kernel after whose end the bytes may be written out; negative for kernels of
    the previous iteration."""
    stream: Indices
    """For each group: the number of the stream, one per kind of contents, in which its bytes are written ahead of time,
    or DIRECT if they can't be. Streams are separate, so that copies of weights do not count as copies of
    activations."""
    following: Indices
    """For each group: the number of the next group of its chain, or NEVER if it has none."""
    carries: NDArray[np.bool_]
    """For each group: True if copies made before the interval can still be valid in it."""
    members: tuple[tuple[int, ...], ...]
    """The tensors of each group, in the order of their bytes."""

    def __len__(self) -> int:
        return len(self.after)


def groups_of(trace: KernelTrace, mode: Mode, kept: NDArray[np.bool_]) -> Groups:
    """The groups of those idle intervals that may be evicted and for which `kept` is True. The result does not depend
    on names or numbers of tensors, except for the order among equal tensors."""
    idle, count = trace.idle, len(trace.kernels)
    chosen = np.flatnonzero(kept)
    if mode == "copy":
        chosen = chosen[np.argsort(idle.segment[chosen], kind="stable")]
        segment = idle.segment[chosen]
        starts = np.flatnonzero(np.append(True, segment[1:] != segment[:-1])) if len(chosen) else chosen
    else:
        starts = np.arange(len(chosen))
    chains: dict[_Chain, list[int]] = {}
    for part in np.split(chosen, starts[1:]) if len(chosen) else ():
        after = idle.after[part]
        write = int(idle.segment_write[idle.segment[part[0]]]) if mode == "copy" else int(after[0])
        part = part[np.argsort((after - max(write, 0)) % count, kind="stable")]
        spans = tuple(zip(idle.after[part].tolist(), idle.before[part].tolist(), strict=True))
        tensor = int(idle.tensor[part[0]])
        chains.setdefault((write, int(trace.persistent[tensor]), spans), []).append(tensor)
    return _laid_out(trace, chains)


def _laid_out(trace: KernelTrace, chains: dict[_Chain, list[int]]) -> Groups:
    count, rows, members = len(trace.kernels), list[tuple[int, ...]](), list[tuple[int, ...]]()
    for (write, persistent, spans), tensors in sorted(chains.items()):
        tensors.sort(key=lambda tensor: (-trace.tensors[tensor].nbytes, tensor))
        nbytes, base = sum(trace.tensors[tensor].nbytes for tensor in tensors), len(rows)
        for place, (after, before) in enumerate(spans):
            since = after - count if write == NEVER else write if write <= after else write - count
            ahead = _CONSTANT if write == NEVER else _UPDATED if persistent else _TRANSIENT
            last = place + 1 == len(spans)
            following = (base if write == NEVER else NEVER) if last else base + place + 1
            stream = DIRECT if since == after else ahead
            rows.append((after, before, nbytes, since, stream, following, int(write == NEVER or place > 0)))
            members.append(tuple(tensors))
    table = np.array(rows, np.int64).reshape(len(rows), 7)
    after, before, nbytes, since, stream, following, carries = (table[:, column] for column in range(7))
    return Groups(count, after, before, nbytes, since, stream, following, carries.astype(bool), tuple(members))


def too_small(trace: KernelTrace, capacity: int) -> NDArray[np.bool_]:
    """True for each idle interval that is ignored because it is small: all ignored intervals together have at most 1e-5
    of the capacity."""
    sizes, counts = np.unique(trace.idle.nbytes, return_counts=True)
    smallest = sizes[np.cumsum(sizes * counts) <= capacity * 1e-5]
    return trace.idle.nbytes <= (smallest[-1] if len(smallest) else 0)


def overwritten(trace: KernelTrace) -> NDArray[np.bool_]:
    """True for each idle interval that ends with a kernel that overwrites the tensor without reading it: the tensor's
    contents are dead and need no memory."""
    fresh = [frozenset(kernel.writes) - frozenset(kernel.reads) for kernel in trace.kernels]
    ends = trace.idle.before % max(len(fresh), 1)
    pairs = zip(trace.idle.tensor.tolist(), ends.tolist(), strict=True)
    return np.array([tensor in fresh[end] for tensor, end in pairs], bool)


def idle_bytes(trace: KernelTrace, chosen: NDArray[np.bool_]) -> Indices:
    """For each kernel, the total bytes of those idle intervals that contain it and for which `chosen` is True."""
    count, idle = len(trace.kernels), trace.idle
    changes = np.zeros(2 * count + 1, np.int64)
    np.add.at(changes, idle.after[chosen] + 1, idle.nbytes[chosen])
    np.add.at(changes, idle.before[chosen], -idle.nbytes[chosen])
    sums = np.cumsum(changes[:-1])
    return sums[:count] + sums[count:]
