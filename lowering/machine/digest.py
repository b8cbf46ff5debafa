"""A digest of a machine's facts, by which notes on programs name the machine that they were computed for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from hashlib import blake2s
from typing import cast

from interp.machine.composition import Machine
from interp.machine.device import Device
from interp.machine.profile import Profile
from interp.machine.records import Link

WORDS = (
    *("name", "description", "sources", "places", "formulas", "unlimited", "file", "bases", "measures", "threads_used"),
    *("assumed", "unranged"),
)
"""Fields of a sheet that do not change times or energies, such as names, descriptions and sources."""


def digest(machine: Machine) -> str:
    """Eight hexadecimal digits that differ between machines whose sheets state different numbers. Names, descriptions,
    sources, files and fields that are left at their defaults do not contribute, nor does the division of memory
    channels, which follows from sheets and links."""
    devices = [f"{name}: {_facts_of(record)}" for name, record in machine.unpartitioned.devices.items()]
    links = sorted(f"{ends}: {_facts_of(record)}" for ends, record in machine.links.items())
    return blake2s("\n".join([*devices, *links]).encode(), digest_size=4).hexdigest()


@lru_cache(maxsize=256)
def _facts_of(record: Device | Link) -> str:
    """The facts of a sheet's record as text."""
    return _facts(record)


def _facts(value: object) -> str:
    """A sheet, or a part of one, as text: the fields that differ from their defaults, ordered by name."""
    if isinstance(value, Profile):
        return value.digest
    if is_dataclass(value) and not isinstance(value, type):
        stated = {each.name: getattr(value, each.name) for each in fields(value) if each.name not in WORDS}
        usual = {each.name: each.default for each in fields(value) if each.default_factory is MISSING}
        return _facts({name: fact for name, fact in stated.items() if fact != usual.get(name, {})})
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value).items()
        return "{" + ", ".join(sorted(f"{name!r}: {_facts(fact)}" for name, fact in entries)) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_facts, cast("tuple[object, ...]", value))) + ")"
    return repr(value)
