"""The division of memory channels: a processor keeps those that devices in its memory (for example PIMs) do not take.

The machine also keeps the processor with all of its channels (`Machine.unpartitioned`), for the baseline of speed-ups;
a placed program that does not use the PIM has these channels, and `place` decides if it uses it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from functools import cache

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.figures import count
from interp.machine.device import Device
from interp.machine.records import Link

Ends = tuple[str, str]


def without_shared_channels(
    devices: Mapping[str, Device],
    links: Mapping[Ends, Link],
    places: Mapping[Ends, Operation],
    unused: Container[str] = (),
) -> dict[str, Device]:
    """The devices; of each processor, only those channels remain that no device in its memory takes, apart from the
    devices in `unused`, whose channels are ordinary memory. Raises InputError, at the place of a link, for a link whose
    arbitration is impossible."""
    kept, taken = dict(devices), dict[str, str]()
    for ends, link in links.items():
        if link.arbitration not in ("partitioned", "shared"):
            continue
        place = places.get(ends)
        host, guest = _host_and_guest(ends, link, devices, place)
        if guest in taken:
            raise InputError(
                f"@{guest} is in the memory of @{taken[guest]}, and `{link.arbitration}` would also put it into "
                f'that of @{host}; set `arbitration = "separate"` on one of the two links',
                place,
            )
        taken[guest] = host
        if link.arbitration == "partitioned" and guest not in unused:
            kept[host] = _without(host, kept[host], guest, devices[guest].channels, place)
    return kept


def guests_of(devices: Mapping[str, Device], links: Mapping[Ends, Link]) -> tuple[str, ...]:
    """The devices that take memory channels of a processor for themselves."""
    return tuple(
        _host_and_guest(ends, link, devices, None)[1]
        for ends, link in links.items()
        if link.arbitration == "partitioned"
    )


def links_of(
    devices: Mapping[str, Device], links: Mapping[Ends, Link], places: Mapping[Ends, Operation]
) -> dict[Ends, Link]:
    """The links; a bandwidth that a sheet states per channel is multiplied by the number of channels. Raises
    InputError, at the place of such a link, if not exactly one of its ends is a device that computes in channels of
    its own."""
    return {ends: _of_all_channels(ends, link, devices, places.get(ends)) for ends, link in links.items()}


def _of_all_channels(ends: Ends, link: Link, devices: Mapping[str, Device], place: Operation | None) -> Link:
    if not link.channel_bandwidth or link.bandwidth:
        return link
    own = [devices[end].channels for end in ends if has_own_channels(devices[end])]
    if len(own) != 1:
        raise InputError(
            f"{link.name} has a bandwidth for each channel of a PIM, but {_kinds_of(ends, devices)}; make one end a "
            'PIM, or state the bandwidth of the link (`bandwidth = "448 GB/s"`)',
            place,
        )
    return _as_wide(link, own[0])


def has_own_channels(device: Device) -> bool:
    """True for a device that computes in its memory channels; False for a processor, whose memory other devices
    share."""
    return bool(device.channels) and not device.memory_bandwidth


@cache
def _as_wide(link: Link, channels: int) -> Link:
    return replace(link, bandwidth=channels * link.channel_bandwidth)


def _kinds_of(ends: Ends, devices: Mapping[str, Device]) -> str:
    return " and ".join(f"@{end} is a {devices[end].kind}" for end in ends)


def _host_and_guest(ends: Ends, link: Link, devices: Mapping[str, Device], place: Operation | None) -> tuple[str, str]:
    """The names of the processor at one end of a link, and of the device at the other end, which computes in the
    processor's memory."""
    hosts = [end for end in ends if devices[end].memory_bandwidth]
    guests = [end for end in ends if has_own_channels(devices[end])]
    if not hosts or not guests:
        raise InputError(
            f"`arbitration {link.arbitration}` is for a GPU and a PIM in its memory, but {_kinds_of(ends, devices)}; "
            'join a GPU and a PIM, or set `arbitration = "separate"` on the link',
            place,
        )
    return hosts[0], guests[0]


def _without(name: str, host: Device, guest: str, taken: int, place: Operation | None) -> Device:
    """A processor without the channels that a device in its memory takes."""
    if not host.channels:
        raise InputError(
            f"@{guest} takes {count(taken, 'memory channel')} of @{name}, but {host.name} does not state how "
            "many it has; state it (`channels 32` in its sheet, or {channels = 32} on its hw.device)",
            place,
        )
    if taken >= host.channels:
        raise InputError(
            f"@{guest} takes {count(taken, 'memory channel')} of @{name}, which has {host.channels} and must keep at "
            f"least one; give @{guest} fewer ({{channels = {max(1, host.channels // 2)}}} on its hw.device)",
            place,
        )
    return _with_channels(host, host.channels - taken)


@cache
def _with_channels(device: Device, channels: int) -> Device:
    """The device with `channels` memory channels; the same record each time, so that costs computed for it are shared
    between machines."""
    return device.with_channels(channels)
