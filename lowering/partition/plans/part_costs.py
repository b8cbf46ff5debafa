"""Costs of ops and of their shards on a machine's processor and on devices linked with it, before shards are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from math import inf
from types import TracebackType
from typing import Any, Self

from xdsl.ir import Operation, SSAValue

from dialects.element_types import byte_count
from dialects.graph import tensor_of
from interp.kinds.clock import Clock
from interp.walk.unchanged import Facts
from lowering.banks.anchor import Split, split
from lowering.partition.shards.parts import Box, compute, full_box, part_of, replaced, sliced
from lowering.partition.shards.split import Op


def linked_devices(clock: Clock) -> list[str]:
    """The devices that are linked with a machine's primary device: first those with a restricted set of ops (PIMs,
    near-data units), then other processors."""
    machine = clock.machine
    joined = {end for ends in machine.links if machine.primary in ends for end in ends} - {machine.primary}
    joined = {name for name in joined if name in machine.devices and not machine.devices[name].runs_nothing}
    return sorted((name for name in machine.devices if name in joined), key=lambda name: machine.devices[name].runs_all)


def plans_for(clock: Clock) -> bool:
    """True if ops can be split on a machine: its primary device is a processor, and another device is linked with
    it."""
    machine = clock.machine
    return machine.devices[machine.primary].runs_all and bool(linked_devices(clock))


def linked_pims(clock: Clock) -> list[str]:
    """The linked devices that run only some ops (PIMs, near-data units), for which PIMFlow's plans are made; empty if
    the primary device is no processor."""
    devices = clock.machine.devices
    return [name for name in linked_devices(clock) if not devices[name].runs_all] if plans_for(clock) else []


@dataclass(frozen=True)
class KeptParts:
    """Parts of ops that stay as they are, and that no program contains, for the costs of these ops on any machine:
    shards by op and part, ops split into contraction and rest (with its bias or without it), and facts of all these
    ops (`interp.walk.unchanged.lasting`)."""

    parts: dict[tuple[Op, Box], Op | None] = field(default_factory=dict[tuple[Op, Box], "Op | None"])
    splits: dict[tuple[Op, bool], Split | None] = field(default_factory=dict[tuple[Op, bool], "Split | None"])
    facts: Facts = field(default_factory=dict[Operation, dict[object, Any]])


class PartCosts:
    """Times of ops and of their shards, in ns, on two devices: the primary device and one linked device, called the PIM
    here (by default the first linked one; `pair` selects another). On the primary device, the time is that of the
    whole op; on the PIM, that of the op's contraction, or of the whole op if the PIM can run all of it.

    Shards are detached ops; they are erased when the `with` block ends, except those in `kept`, which further costs of
    the same ops share.
    """

    def __init__(self, clock: Clock, kept: KeptParts | None = None) -> None:
        self.clock = clock
        self.kept = kept
        self.primary = clock.machine.primary
        self.linked_devices = linked_devices(clock)
        self.pim = self.linked_devices[0] if self.linked_devices else None
        self._parts: dict[tuple[Op, Box], Op | None] = {} if kept is None else kept.parts
        self._made: list[Operation] = []
        self._splits: dict[tuple[Op, bool], Split | None] = {}
        self._on_primary: dict[Op, float] = {}
        self._on_others: dict[tuple[Op, str | None], tuple[float, float] | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.kept is not None:
            return
        for op in reversed(self._made):
            op.erase(safe_erase=False)
        self._made.clear()
        self._parts.clear()

    def pair(self, device: str) -> PartCosts:
        """The costs with another device as the PIM."""
        pair = copy(self)
        pair.pim = device
        return pair

    def pairs(self) -> Iterator[PartCosts]:
        """The costs with each linked device as the PIM."""
        return map(self.pair, self.linked_devices)

    def part(self, op: Op, axis: int, indices: range) -> Op | None:
        """The op that computes a range of the result along an axis; None if that range can't be computed alone."""
        return self.box(op, replaced(full_box(op.results[0]), axis, indices))

    def box(self, op: Op, box: Box) -> Op | None:
        """The op that computes a box of the result; None if that box can't be computed alone."""
        if box == full_box(op.results[0]):
            return op
        key = (op, box)
        if key not in self._parts:
            possible = part_of(op, box) is not None
            self._parts[key] = compute(op, box, self._fetch) if possible else None
            if (made := self._parts[key]) is not None:
                self._made.append(made)
                if self.kept is not None:
                    self.kept.facts[made] = {}
        return self._parts[key]

    def prepare(self, ops: Sequence[Op | None]) -> None:
        """Compute the processor's times of many ops in a batch."""
        self.clock.prepare([op for op in ops if op is not None], self.primary)

    def on_primary(self, op: Op) -> float:
        """Time on the primary device. Raises InputError if it can't run the op."""
        if op not in self._on_primary:
            self._on_primary[op] = self.clock.op_cost(op, self.primary).ns
        return self._on_primary[op]

    def on_pim(self, op: Op) -> float | None:
        """Time of an op, or of its contraction, on the PIM; None if the PIM can't run it."""
        taken = self._taken(op)
        return taken[0] if taken is not None else None

    def least_on_pim(self, op: Op, enough: float = inf) -> float:
        """A lower bound on `on_pim`, which takes less work; infinite if the PIM can't run the op, 0 if no bound is
        known. A bound above `enough` is as good as any larger one."""
        if self.pim is None:
            return inf
        anchors = [pair.anchor for keep_bias in (True, False) if (pair := self._split(op, keep_bias)) is not None]
        least = min(self.clock.least_ns(each, self.pim, enough) for each in (op, *anchors))
        self._drop_splits()
        return least

    def kept_on_pim(self, op: Op) -> int | None:
        """The bytes of the weights of an op, or of its contraction, in the PIM's memory, an upper limit; None if it is
        unknown."""
        found = [op, *(pair.anchor for keeps in (True, False) if (pair := self._split(op, keeps)) is not None)]
        kept = [self.clock.kept_bytes(each, self.pim) for each in found] if self.pim is not None else []
        self._drop_splits()
        return None if not kept or None in kept else max(each for each in kept if each is not None)

    def left_on_primary(self, op: Op) -> float:
        """Time on the primary device of the ops of a group that the PIM can't run; 0 if it can run all of them, or
        none."""
        taken = self._taken(op)
        return taken[1] if taken is not None else 0.0

    def rests_on_pim(self, op: Op) -> bool:
        """True if the PIM can also run the ops that are left of a group without its contraction."""
        rests = [pair.rest for keeps in (True, False) if (pair := self._split(op, keeps)) is not None]
        able = self.pim is not None and any(self.clock.supports(rest, self.pim) for rest in rests)
        self._drop_splits()
        return able

    def copy(self, value: SSAValue) -> float:
        """Time to copy a value from the primary device to the PIM, or back."""
        if self.pim is None:
            return 0.0
        return self.clock.copy_cost(byte_count(tensor_of(value)), self.primary, self.pim).ns

    def _taken(self, op: Op) -> tuple[float, float] | None:
        key = op, self.pim
        if key not in self._on_others:
            self._on_others[key] = self._time_on_pim(op)
        return self._on_others[key]

    def _time_on_pim(self, op: Op) -> tuple[float, float] | None:
        if self.pim is None:
            return None
        if self.clock.supports(op, self.pim):
            return self.clock.op_cost(op, self.pim).ns, 0.0
        for keep_bias in (True, False):
            if (pair := self._split(op, keep_bias)) is not None:
                able = self.clock.supports(pair.anchor, self.pim) and self.clock.supports(pair.rest, self.primary)
                anchor = self.clock.op_cost(pair.anchor, self.pim).ns if able else 0.0
                rest = self.clock.op_cost(pair.rest, self.primary).ns if able else 0.0
                self._drop_splits()
                if able:
                    return anchor, rest
        return None

    def _split(self, op: Op, keep_bias: bool) -> Split | None:
        """The op split into its contraction and all other ops of its group; to be dropped by `_drop_splits`."""
        known = self._splits if self.kept is None else self.kept.splits
        if (op, keep_bias) not in known:
            known[op, keep_bias] = pair = split(op, keep_bias)
            if pair is not None and self.kept is not None:
                self.kept.facts.update({pair.anchor: {}, pair.rest: {}})
        return known[op, keep_bias]

    def _drop_splits(self) -> None:
        for pair in self._splits.values():
            if pair is not None:
                pair.drop()
        self._splits.clear()

    def _fetch(self, value: SSAValue, need: Box) -> SSAValue:
        taken = sliced(value, need)
        if taken is None:
            return value
        self._made.append(taken)
        return taken.y
