"""The times of a machine's ops and copies that come from profiles: rows of ops on devices, and of copies between
devices."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from dialects.task import WORK
from interp.cost.profile import CopyRow, MeasuredTimes, Profile, ProfileRow
from interp.cost.record import Cost
from interp.machine.device import Device
from interp.machine.records import Link
from interp.program.level import is_launch
from interp.program.unchanged import once_per_op
from interp.program.views import is_view
from interp.program.weight_values import is_weight
from interp.program.work_key import key_of, shape_key


def names_of(name: str, record: Device) -> tuple[str, ...]:
    """The names of a device in profiles: its name in the machine, and the name of its sheet."""
    return tuple(dict.fromkeys((name, record.name)))


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


def check_rows(name: str, record: Device, at: Operation) -> None:
    """Raises InputError if a device has a profile that contains no row for the device."""
    profile, names = record.profile, names_of(name, record)
    if profile is not None and not any(other in names for other in profile.devices):
        raise InputError(
            f"{profile.file} has rows only for {_listed(profile.devices)}, not for @{name} ({record.name}); name "
            "another profile, or none",
            at,
        )


def check_copies(ends: tuple[str, str], devices: Mapping[str, Device], link: Link, at: Operation) -> None:
    """Raises InputError if a link's profile has no copies between its ends, or if an end is not a device."""
    profile = link.profile
    if profile is None or any(end not in devices for end in ends):
        return
    if not joins(profile, ends, devices):
        ways = [f"{source} to {target}" for source, target in profile.ways]
        raise InputError(
            f"{profile.file} has copies only from {_listed(ways)}, not between @{ends[0]} and @{ends[1]}; name "
            "another profile, or none",
            at,
        )


def joins(profile: Profile, ends: tuple[str, str], devices: Mapping[str, Device]) -> bool:
    """True if a profile has copies between two devices, in either direction."""
    a, b = (set(names_of(end, devices[end])) for end in ends)
    return any((one in a and other in b) or (one in b and other in a) for one, other in profile.ways)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"
