"""Kernels with several results: groups over the same elements, or over the same rows, are joined.

With groups of one result (lowering/graph/grouping.py), a value that two kernels read is stored to memory and loaded by
both. The following rules are close to XLA's multi-output fusion and to its softmax kernels:

1. An element-wise group joins the group that reads its result element by element. If that result has other readers, it
   becomes an additional result of the kernel.
2. A reduction along the last axes keeps a row in one thread block, so that readers of its result over the same rows
   join it. After any other reduction no further op joins the kernel.
3. A value is recomputed by its readers instead of being stored, if that takes only cheap ops and no additional reads.
   If its operands take fewer bytes than the value, the operands are stored instead: a product in f16, not its cast to
   f32. A marked value is recomputed only by kernels of its device.
4. Reductions over the same axes that read the same value become one kernel, unless one depends on the other.
5. If the only reader of a kernel's rows is an op that picks few elements of them, only these elements are stored.

Two groups are not joined if the joined kernel would depend on itself through other ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeGuard

from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint

from dialects import graph as g
from dialects.element_types import byte_count, element_count
from dialects.graph.patterns.matching import splat
from dialects.graph.roles import FusionRole
from dialects.locations import located
from interp.simulate.events.orders import in_rank_order
from lowering.graph.grouping import EXPENSIVE, REPEATED_OPS, KernelGroup
from lowering.graph.moving import KERNEL_OPS, loads_factor
from lowering.graph.rewriting import rewriter_at

DETOUR = 1024
"""Reads that are followed from each end in search of a cycle through a fused kernel; if there are more, the op is not
fused."""
ROW_ELEMENTS = 1 << 16
"""Elements of a row, at most, that a thread block reduces and then reads again."""


@dataclass(frozen=True)
class Space:
    """The iteration space of a kernel. `elements`: its number of elements; `kept`: the number of elements after the
    kernel's reduction, None without a reduction. `across`: the shape and the reduced axes if these are not the last
    axes, after which no further op joins the kernel; None otherwise."""

    elements: int
    kept: int | None = None
    across: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    def joined(self, other: Space) -> Space | None:
        """The iteration space of a kernel that joins a kernel of this space and a kernel of the space `other`; None if
        the spaces are incompatible."""
        large, small = (self, other) if self.elements >= other.elements else (other, self)
        if (
            large.kept is not None
            and small.kept is not None
            and (large.kept, large.across) != (small.kept, small.across)
        ):
            return None
        if small.elements not in (large.elements, large.kept):
            return None
        return large if large.kept is not None else Space(large.elements, small.kept, small.across)


def space_of(op: g.GraphOp) -> Space | None:
    """The iteration space of an op as a kernel of its own; None for an op that can't be part of a kernel with several
    results."""
    if isinstance(op, g.ReduceOp):
        full, kept = _count(op.x), _count(op.y)
        return Space(full, kept, None if is_rowwise(op) else (g.shape_of(op.x), op.axis_set()))
    return Space(_count(op.results[0])) if op.FUSION.is_pointwise else None


def is_rowwise(op: g.ReduceOp) -> bool:
    """True if a thread block can hold a reduced row: the reduction is along the last axes, and a row has at most
    `ROW_ELEMENTS` elements."""
    return op.along_rows and _count(op.x) // max(_count(op.y), 1) <= ROW_ELEMENTS


def joined(block: Block, groups: list[KernelGroup]) -> list[KernelGroup]:
    """The groups of a block, in program order, after joining groups into kernels of several results. The ops of each
    group are then contiguous, and every op comes after its operands."""
    found = _Joining(block, groups)
    for group in list(groups):
        found.take_in_producers(group)
    found.recompute()
    found.join_siblings()
    found.pick()
    result = found.groups()
    if any(len(group.results) > 1 for group in result):
        for group in result:
            if len(group.results) > 1:
                _leave_views(group)
        _sort(block, result)
    return result


class _Joining:
    """Joins the groups of a block, and keeps the groups formed so far."""

    def __init__(self, block: Block, groups: list[KernelGroup]) -> None:
        self.group_of: dict[Operation, KernelGroup] = {op: group for group in groups for op in group.ops}
        self.place: dict[Operation, float] = {op: index for index, op in enumerate(block.ops)}
        self.spaces: dict[KernelGroup, Space | None] = {group: _space_of_group(group) for group in groups}

    def groups(self) -> list[KernelGroup]:
        return sorted(dict.fromkeys(self.group_of.values()), key=lambda group: self.place[group.tail])

    def take_in_producers(self, here: KernelGroup) -> None:
        """Join to `here` all possible groups that compute its operands, those with the last readers first, and then the
        groups that compute operands of the joined groups."""
        if self.group_of.get(here.tail) is not here or self.spaces[here] is None:
            return  # it was joined into another group, or can only be a kernel of one result
        found: dict[KernelGroup, dict[KernelGroup, None]] = {}
        waiting: list[tuple[float, int, KernelGroup]] = []
        refused, fresh = set[KernelGroup](), here.ops
        while fresh or waiting:
            self._find_producers(here, fresh, found, waiting, refused)
            fresh = []
            made = heappop(waiting)[-1] if waiting else here
            if made is not here and made not in refused and self.group_of[made.tail] is made:
                others = [made, *found[made]]
                if self._join(here, others):
                    fresh = [op for group in others for op in group.ops]
                else:
                    refused.add(made)

    def _find_producers(
        self,
        here: KernelGroup,
        ops: Iterable[g.GraphOp],
        found: dict[KernelGroup, dict[KernelGroup, None]],
        waiting: list[tuple[float, int, KernelGroup]],
        refused: set[KernelGroup],
    ) -> None:
        """Add the groups that compute operands of `ops`, which belong to `here`: to `found`, each with the groups of
        views in between, and to the heap `waiting`, the group with the last reader first. Groups that can't be joined
        are added to `refused`."""
        for op in ops:
            for index, value in enumerate(op.operands):
                views: list[KernelGroup] = []
                made = self._maker(value)
                while made is not None and made is not here and _views_only(made):
                    views.append(made)
                    value = made.ops[0].operands[0]
                    made = self._maker(value)
                if made is None or made is here or made in refused or (space := self.spaces[made]) is None:
                    continue
                if space.across is not None and _is_after_reduction(value, made):
                    refused.add(made)  # such a reduction ends its kernel
                    continue
                found.setdefault(made, {}).update(dict.fromkeys(views))
                heappush(waiting, (-self.place[op], index, made))

    def _maker(self, value: SSAValue) -> KernelGroup | None:
        return self.group_of.get(value.owner) if isinstance(value.owner, Operation) else None

    def _join(self, here: KernelGroup, others: list[KernelGroup]) -> bool:
        """Join `here` with the groups `others`: the first of these computes an operand of `here`, directly or through
        all further groups of `others`, which are views. Returns False, without changes, if the groups can't be
        joined."""
        made, one = others[0], self.spaces[here]
        own = self.spaces[made]
        assert one is not None
        assert own is not None
        space = one.joined(own)
        size = sum(len(group.ops) for group in (here, *others))
        if space is None or size > KERNEL_OPS or any(group.mark != here.mark for group in others):
            return False
        if (here.kind and made.kind) or self._detours([here, *others]):
            return False
        for group in others:
            here.ops += group.ops
            here.anchor = here.anchor or group.anchor
            here.kind = here.kind or group.kind
            self.group_of.update(dict.fromkeys(group.ops, here))
        here.ops.sort(key=self.place.__getitem__)
        here.tail = here.ops[-1]
        self.spaces[here] = space
        return True

    def _detours(self, together: list[KernelGroup]) -> bool:
        """True if a path leads from the groups `together` through other ops back to them, or if the search for such a
        path, from both of its ends in turns, exceeds its limit."""
        first = min(self.place[group.ops[0]] for group in together)
        last = max(self.place[group.tail] for group in together)

        ways = (
            self._paths(together, _users, lambda start, end: start < last),
            self._paths(together, _producers, lambda start, end: end > first),
        )
        return any(any(found) or reads == DETOUR for reads, found in enumerate(zip(*ways, strict=False)))

    def _paths(
        self,
        together: list[KernelGroup],
        around: Callable[[Operation], Iterator[Operation]],
        is_between: Callable[[float, float], bool],
    ) -> Iterator[bool]:
        """Follow the paths from the groups `together` through other ops and groups: True for a read that leads back to
        them, False for any other read. `around`: the next ops on a path; `is_between`: True if an op or group,
        given the places of its first and its last op, can be on a path."""
        inside = set(together)
        units: list[tuple[KernelGroup | None, Sequence[Operation]]] = [(group, group.ops) for group in together]
        met = set[KernelGroup | Operation](together)
        for unit, ops in units:
            for other in (other for op in ops for other in around(op)):
                group = self.group_of.get(other)
                if group is not None and group is unit:
                    continue
                if (group or other) not in met:
                    met.add(group or other)
                    within = group.ops if group else [other]
                    start, end = self.place.get(within[0]), self.place.get(within[-1])
                    if start is not None and end is not None and is_between(start, end):
                        units.append((group, within))
                yield group in inside and unit not in inside

    def recompute(self) -> None:
        """Let the readers of cheap values recompute them, from the last value of the block to the first."""
        for group in reversed(self.groups()):
            for op in reversed(list(group.ops)):
                if any(self.group_of.get(user) is not group for user in _users(op)):
                    self._repeat(op, group)
                if not any(result.uses for result in op.results):
                    self._erase(op, group)

    def _erase(self, op: g.GraphOp, group: KernelGroup) -> None:
        rewriter_at(op).erase(op)
        group.ops.remove(op)
        del self.group_of[op], self.place[op]
        if op is group.tail and group.ops:
            group.tail = group.ops[-1]

    def _repeat(self, op: g.GraphOp, group: KernelGroup) -> None:
        value = op.results[0]
        uses: dict[KernelGroup | None, list[Use]] = {}
        for use in value.uses:
            if (reader := self.group_of.get(use.operation)) is not group:
                uses.setdefault(reader, []).append(use)
        readers = {reader: theirs for reader, theirs in uses.items() if reader is not None}
        outside = [use.operation for theirs in uses.values() for use in theirs]
        if None in uses or not all(_reads_each_once(user, value) and not loads_factor(user) for user in outside):
            return
        if any(reader.mark != group.mark for reader in readers):
            return  # the value is computed on the device that it is marked for
        chain = list[g.GraphOp]()
        if not self._is_cheap(op, chain, set()):
            return
        inside = set(chain)
        leaves = {operand for each in chain for operand in each.operands if operand.owner not in inside}
        large = {leaf for leaf in leaves if 4 * _count(leaf) > _count(value)}
        for reader in readers:
            read = {operand for each in reader.ops for operand in each.operands} - {value}
            if len(large - read) > 1 or len(reader.ops) + len(chain) > KERNEL_OPS:
                return
        for reader, theirs in readers.items():
            self._copy(chain, theirs, reader)

    def _is_cheap(self, op: Operation, chain: list[g.GraphOp], costly: set[Operation]) -> bool:
        """True if the result of an op can be recomputed by cheap ops from values that are stored anyway, or from values
        that take fewer bytes than the result. Appends these ops to `chain`, and to `costly` the ops that are not
        cheap."""
        if op in chain:
            return True
        if op in costly or not _is_pointwise(op) or isinstance(op, EXPENSIVE) or len(chain) == REPEATED_OPS:
            return False
        if isinstance(op, g.QuantizeOp):  # fewer bytes than what it is computed from
            return False
        for value in op.operands:
            if splat(value) is not None or not isinstance(value.owner, Operation):
                continue
            if 4 * _count(value) <= _count(op.results[0]):
                continue  # small enough to be stored for this
            maker = self.group_of.get(value.owner)
            stored = maker is None or any(self.group_of.get(user) is not maker for user in _users(value.owner))
            known = len(chain)
            if not stored and not self._is_cheap(value.owner, chain, costly):
                del chain[known:]
                costly.add(value.owner)
                if byte_count(g.tensor_of(value)) >= byte_count(g.tensor_of(op.results[0])):
                    return False
        chain.append(op)
        return True

    def _copy(self, chain: list[g.GraphOp], uses: list[Use], reader: KernelGroup) -> None:
        """Let the ops of `reader` use the result of a copy of `chain`; `uses`: their uses of the original's result."""
        first = min((use.operation for use in uses), key=self.place.__getitem__)
        rewriter = rewriter_at(first)
        known: dict[SSAValue, SSAValue] = {}
        for index, op in enumerate(chain):
            copy = op.clone(value_mapper=known)
            rewriter.insert(located(copy, op))
            self.place[copy] = self.place[first] - 1 + (index + 1) / (len(chain) + 1)
            self.group_of[copy] = reader
            reader.ops.append(copy)
        again = known[chain[-1].results[0]]
        for use in uses:
            use.operation.operands[use.index] = again
            rewriter.notify_op_modified(use.operation)
        reader.ops.sort(key=self.place.__getitem__)

    def join_siblings(self) -> None:
        """Join reductions over the same axes that read the same value."""
        readers: dict[tuple[SSAValue, Space], KernelGroup] = {}
        for group in self.groups():
            space = self.spaces[group]
            if space is None or space.across is None or group.kind:
                continue
            inside = set(group.ops)
            read = [value for op in group.ops for value in op.operands if value.owner not in inside]
            for value in dict.fromkeys(read):
                first = readers.setdefault((value, space), group)
                if first is group or self.group_of[first.tail] is group or _count(value) != space.elements:
                    continue
                if any(self._maker(each) is first for each in _before_reduction(group)):
                    continue  # one reduction depends on the other
                if self._join(group, [first]):
                    readers[value, space] = group
                    break

    def pick(self) -> None:
        """Let a kernel over rows store only the elements that a gather picks from them, if the gather is the rows' only
        reader."""
        for group in self.groups():
            space = self.spaces[group]
            if space is None or space.kept is None or space.across is not None:
                continue
            for value in group.results:
                users = [use.operation for use in value.uses if self.group_of.get(use.operation) is not group]
                if len(users) != 1 or not isinstance(op := users[0], _PICKS) or op.operands[0] is not value:
                    continue
                picks = self.group_of.get(op) or KernelGroup(op, [op])
                few = 4 * _count(op.results[0]) <= _count(value)
                if few and picks.ops == [op] and picks.mark == group.mark and not self._detours([group, picks]):
                    group.ops.append(op)
                    group.ops.sort(key=self.place.__getitem__)
                    group.tail = group.ops[-1]
                    self.group_of[op] = group


_PICKS = (g.GatherOp, g.GatherElementsOp, g.GatherNdOp)


def _space_of_group(group: KernelGroup) -> Space | None:
    """The iteration space of a group; None if the group can only be a kernel of one result. Ops that move elements are
    ignored."""
    full: Space | None = None
    small: list[int] = []
    for op in group.ops:
        if op.FUSION in (FusionRole.MOVEMENT, FusionRole.VIEW):
            continue
        own = space_of(op)
        if own is None:
            return None
        small.append(own.elements)
        if full is None or own.elements > full.elements:
            full, own = own, full or own
        if own.kept is not None and full.kept is None:
            full = Space(full.elements, own.kept, own.across)
        elif own.kept is not None and own.elements == full.elements and own != full:
            return None
    return full if full is None or set(small) <= {full.elements, full.kept, 1} else None


def _is_after_reduction(value: SSAValue, group: KernelGroup) -> bool:
    """True if a value of a group depends on a reduction in the group."""
    pending, left = [value.owner], set[Operation | Block](group.ops)
    for op in pending:
        if isinstance(op, g.ReduceOp):
            return True
        assert isinstance(op, Operation)
        makers = {operand.owner for operand in op.operands} & left
        left -= makers
        pending += makers
    return False


def _before_reduction(group: KernelGroup) -> set[SSAValue]:
    """All values on which the reductions of a group depend."""
    inside = set[Operation](group.ops)
    found = {op.x for op in group.ops if isinstance(op, g.ReduceOp)}
    waiting = list(found)
    while waiting:
        owner = waiting.pop().owner
        fresh = set(owner.operands) - found if isinstance(owner, Operation) and owner in inside else set[SSAValue]()
        found.update(fresh)
        waiting += fresh
    return found


def _is_pointwise(op: Operation) -> TypeGuard[g.GraphOp]:
    return isinstance(op, g.GraphOp) and op.FUSION.is_pointwise


def _reads_each_once(op: Operation, value: SSAValue) -> bool:
    """True if an op reads each element of a value once."""
    if isinstance(op, g.ReduceOp):
        return True
    return _is_pointwise(op) and _count(op.results[0]) == _count(value)


def _views_only(group: KernelGroup) -> bool:
    return len(group.ops) == 1 and isinstance(group.ops[0], g.ReshapeOp)


def _users(op: Operation) -> Iterator[Operation]:
    for result in op.results:
        for use in result.uses:
            yield use.operation


def _producers(op: Operation) -> Iterator[Operation]:
    return (value.owner for value in op.operands if isinstance(value.owner, Operation))


def _leave_views(group: KernelGroup) -> None:
    """Move each view of a group's results that ops outside of the group read to the position after the group: outside
    of groups, views take no time."""
    inside = set(group.ops)
    for op in reversed(group.ops):
        if not isinstance(op, g.ReshapeOp) or all(user in inside for user in _users(op)):
            continue
        if not any(user in inside for user in _users(op)):
            inside.discard(op)
            continue
        rewriter = rewriter_at(InsertPoint.after(op))
        copy = located(op.clone(), op)
        rewriter.insert(copy)
        rewriter.replace_uses_with_if(op.y, copy.y, lambda use: use.operation not in inside)
    group.ops = [op for op in group.ops if op in inside] or group.ops
    group.tail = group.ops[-1]


def _sort(block: Block, groups: list[KernelGroup]) -> None:
    """Make the ops of each group contiguous, at the position of the group's last op or later."""
    unit_of: dict[Operation, Operation] = {op: group.tail for group in groups for op in group.ops}
    place = {op: index for index, op in enumerate(block.ops)}
    parts: dict[Operation, list[Operation]] = {}
    waits: dict[Operation, set[Operation]] = {}
    for op in block.ops:
        unit = unit_of.get(op, op)
        parts.setdefault(unit, []).append(op)
        needed = waits.setdefault(unit, set())
        for inner in op.walk():
            for value in inner.operands:
                maker = unit_of.get(value.owner, value.owner) if isinstance(value.owner, Operation) else None
                if maker is not None and maker is not unit and maker in place:
                    needed.add(maker)
    units = list(parts)
    number = {unit: index for index, unit in enumerate(units)}
    after = [[number[maker] for maker in waits[unit]] for unit in units]
    order = [op for index in in_rank_order(after, [place[unit] for unit in units]) for op in parts[units[index]]]
    assert len(order) == len(place), "a group depends on itself"
    for op in order:
        op.detach()
    block.add_ops(order)


def _count(value: SSAValue) -> int:
    return element_count(g.tensor_of(value))
