"""The times of a machine's ops and copies that come from profiles: rows of ops on devices, and of copies between
devices.

A row is found by the key of the work (interp/walk/work_key.py), on every level: a launch that `to-pim` creates keeps
the key of its op.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from dialects.task import WORK
from interp.machine.cost import Cost
from interp.machine.device import Device
from interp.machine.profile import CopyRow, Kind, MeasuredTimes, ProfileRow
from interp.machine.profile_checks import names_of
from interp.machine.records import Link
from interp.walk.level import is_launch
from interp.walk.unchanged import once_per_op
from interp.walk.views import is_view
from interp.walk.weight_values import is_weight
from interp.walk.work_key import key_of, ops_of, shape_key, shapes_of


def row_of(
    op: GraphOp | FusedOp,
    device: str,
    times_ns: Sequence[float],
    kind: Kind = "measured",
    known: dict[SSAValue, bool] | None = None,
) -> ProfileRow:
    """The row of an op on a device with these times; `known` caches for each value if it is a weight."""
    key = key_of(op, known)
    times = tuple(map(float, times_ns))
    return ProfileRow(device=device, key=key, op=ops_of(op), shapes=shapes_of(op), times_ns=times, kind=kind)


def with_measured_time(cost: Cost, times: MeasuredTimes | None) -> Cost:
    """A cost, with the time of a profile's row if there is one."""
    return cost if times is None else cost.took(times.median_ns, times.kind)


class Profiled:
    """The profile rows that apply to a machine. Equal ops are looked up once."""

    def __init__(self, devices: Mapping[str, Device], links: Mapping[tuple[str, str], Link]) -> None:
        self.devices, self.links = devices, links
        self._weights: dict[SSAValue, bool] = {}
        self._rows: dict[Hashable, ProfileRow | None] = {}

    @property
    def any(self) -> bool:
        """True if any device or link has a profile."""
        return any(each.profile for each in (*self.devices.values(), *self.links.values()))

    def key(self, op: GraphOp | FusedOp) -> str:
        """The key that identifies an op's work in profiles."""
        return key_of(op, self._weights)

    def row(self, op: Operation, device: str) -> ProfileRow | None:
        """The row of an op, a fused group or a launch on a device; None if there is none, or if the op does no work."""
        record = self.devices[device]
        profile = record.profile
        if profile is None:
            return None
        if is_launch(op):
            noted = op.attributes.get(WORK)
            return profile.row(names_of(device, record), noted.data) if isinstance(noted, StringAttr) else None
        if not isinstance(op, GraphOp | FusedOp) or is_view(op):
            return None
        same = (device, *_shape_and_weights(op, self._weights))
        if same not in self._rows:
            self._rows[same] = profile.row(names_of(device, record), self.key(op))
        return self._rows[same]

    def copy(self, nbytes: int, source: str, target: str) -> CopyRow | None:
        """The profile row that gives the time of a copy of `nbytes` bytes; None if there is none."""
        link = self.links.get((source, target)) or self.links.get((target, source))
        if link is None or link.profile is None:
            return None
        ends = (names_of(source, self.devices[source]), names_of(target, self.devices[target]))
        return link.profile.copy(*ends, nbytes)


@once_per_op
def _shape_and_weights(op: GraphOp | FusedOp, known: dict[SSAValue, bool]) -> tuple[Hashable, tuple[bool, ...]]:
    """An op's shape, and for each operand True if it is a weight: together they determine the key of its work. `known`
    caches for each value if it is a weight."""
    return shape_key(op), tuple(is_weight(value, known) for value in op.operands)
