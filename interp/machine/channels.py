"""Shares memory channels out: a processor keeps those that devices in its memory (PIMs, say) do not take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.figures import count
from interp.machine.device import Device
from interp.machine.records import Link

Ends = tuple[str, str]


def memory_shared_out(
    devices: Mapping[str, Device], links: Mapping[Ends, Link], places: Mapping[Ends, Operation]
) -> dict[str, Device]:
    """The devices, each processor with the channels that devices in its memory leave it. Raises InputError, at the
    place of a link, for one that can't be arbitrated so."""
    kept, taken = dict(devices), dict[str, str]()
    for ends, link in links.items():
        if link.arbitration not in ("partitioned", "shared"):
            continue
        place = places.get(ends)
        host, guest = _host_and_guest(ends, link, devices, place)
        if guest in taken:
            raise InputError(
                f"@{guest} is in the memory of @{taken[guest]}, and `{link.arbitration}` puts it into @{host}'s too; "
                'let one of the two links say `arbitration = "separate"`',
                place,
            )
        taken[guest] = host
        if link.arbitration == "partitioned":
            kept[host] = _without(host, kept[host], guest, devices[guest].channels, place)
    return kept


def links_of(
    devices: Mapping[str, Device], links: Mapping[Ends, Link], places: Mapping[Ends, Operation]
) -> dict[Ends, Link]:
    """The links, each with the bandwidth of all channels where its sheet says that of one. Raises InputError, at the
    place of a link, where not exactly one of its ends is a device that computes in channels of its own."""
    return {ends: _of_all_channels(ends, link, devices, places.get(ends)) for ends, link in links.items()}


def _of_all_channels(ends: Ends, link: Link, devices: Mapping[str, Device], place: Operation | None) -> Link:
    if not link.channel_bandwidth or link.bandwidth:
        return link
    own = [devices[end].channels for end in ends if has_own_channels(devices[end])]
    if len(own) != 1:
        raise InputError(
            f"{link.name} has a bandwidth for each channel of a PIM, but {_kinds_of(ends, devices)}; let one end be a "
            'PIM, or say the bandwidth of the link (`bandwidth = "448 GB/s"`)',
            place,
        )
    return _as_wide(link, own[0])


def has_own_channels(device: Device) -> bool:
    """True for a device that computes in its memory channels; false for a processor, whose memory others draw on."""
    return bool(device.channels) and not device.memory_bandwidth


@cache
def _as_wide(link: Link, channels: int) -> Link:
    return replace(link, bandwidth=channels * link.channel_bandwidth)


def _kinds_of(ends: Ends, devices: Mapping[str, Device]) -> str:
    return " and ".join(f"@{end} is a {devices[end].kind}" for end in ends)


def _host_and_guest(ends: Ends, link: Link, devices: Mapping[str, Device], place: Operation | None) -> tuple[str, str]:
    """The names of the processor at one end of a link, and of the device at the other that computes in its memory."""
    hosts = [end for end in ends if devices[end].memory_bandwidth]
    guests = [end for end in ends if has_own_channels(devices[end])]
    if not hosts or not guests:
        raise InputError(
            f"`arbitration {link.arbitration}` is for a GPU and a PIM in its memory, but {_kinds_of(ends, devices)}; "
            'join such, or let the link say `arbitration = "separate"`',
            place,
        )
    return hosts[0], guests[0]


def _without(name: str, host: Device, guest: str, taken: int, place: Operation | None) -> Device:
    """A processor without the channels that a device in its memory takes."""
    if not host.channels:
        raise InputError(
            f"@{guest} takes {count(taken, 'memory channel')} of @{name}, but {host.name} says not how many it has; "
            "say so (`channels 32` in its sheet, or {channels = 32} on its hw.device)",
            place,
        )
    if taken >= host.channels:
        raise InputError(
            f"@{guest} takes {count(taken, 'memory channel')} of @{name}, which has {host.channels} and needs one "
            f"at least; give @{guest} fewer ({{channels = {max(1, host.channels // 2)}}} on its hw.device)",
            place,
        )
    return _with_channels(host, host.channels - taken)


@cache
def _with_channels(device: Device, channels: int) -> Device:
    """One record for all machines that leave a device as many channels."""
    return device.with_channels(channels)
