"""Checks that a profile has rows for the device, or copies for the link, that names it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.machine.device import Device
from interp.machine.profile import Profile
from interp.machine.records import Link


def names_of(name: str, record: Device) -> tuple[str, ...]:
    """The names of a device in profiles: its name in the machine, and the name of its sheet."""
    return tuple(dict.fromkeys((name, record.name)))


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
