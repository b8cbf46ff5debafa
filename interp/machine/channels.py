"""Who has which memory channels: what a GPU keeps where a PIM's channels are taken from its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.figures import count
from interp.machine.device import Device
from interp.machine.records import Gpu, Link, Pim

Ends = tuple[str, str]


def memory_shared_out(
    devices: Mapping[str, Device], links: Mapping[Ends, Link], places: Mapping[Ends, Operation]
) -> dict[str, Device]:
    """The devices, each GPU with the channels that PIMs leave it. Raises InputError, at the place of a link, for one
    that can't be arbitrated so."""
    kept, taken = dict(devices), dict[str, str]()
    for ends, link in links.items():
        if link.arbitration not in ("partitioned", "shared"):
            continue
        place = places.get(ends)
        processor, pim = _gpu_and_pim(ends, link, devices, place)
        if pim in taken:
            raise InputError(
                f"@{pim} is in the memory of @{taken[pim]}, and `{link.arbitration}` puts it into @{processor}'s too; "
                'let one of the two links say `arbitration = "separate"`',
                place,
            )
        taken[pim] = processor
        if link.arbitration == "partitioned":
            kept[processor] = _without(processor, kept[processor], pim, devices[pim], place)
    return kept


def links_of(
    devices: Mapping[str, Device], links: Mapping[Ends, Link], places: Mapping[Ends, Operation]
) -> dict[Ends, Link]:
    """The links, each with the bandwidth of all channels where its sheet says that of one. Raises InputError, at the
    place of a link, where not one of its ends is a PIM that has channels."""
    return {ends: _of_all_channels(ends, link, devices, places.get(ends)) for ends, link in links.items()}


def _of_all_channels(ends: Ends, link: Link, devices: Mapping[str, Device], place: Operation | None) -> Link:
    pims = [device for device in map(devices.__getitem__, ends) if isinstance(device, Pim)]
    if not link.channel_bandwidth or link.bandwidth:
        return link
    if len(pims) != 1:
        met = " and ".join(f"@{end} is a {devices[end].kind}" for end in ends)
        raise InputError(
            f"{link.name} has a bandwidth for each channel of a PIM, but {met}; let one end be a PIM, or say the "
            'bandwidth of the link (`bandwidth = "448 GB/s"`)',
            place,
        )
    return _as_wide(link, pims[0].channels)


@cache
def _as_wide(link: Link, channels: int) -> Link:
    return replace(link, bandwidth=channels * link.channel_bandwidth)


def _gpu_and_pim(ends: Ends, link: Link, devices: Mapping[str, Device], place: Operation | None) -> tuple[str, str]:
    """The names of a link's processor and PIM."""
    processors = [end for end in ends if isinstance(devices[end], Gpu)]
    pims = [end for end in ends if isinstance(devices[end], Pim)]
    if not processors or not pims:
        met = " and ".join(f"@{end} is a {devices[end].kind}" for end in ends)
        raise InputError(
            f"`arbitration {link.arbitration}` is for a GPU and a PIM in its memory, but {met}; join such, "
            'or let the link say `arbitration = "separate"`',
            place,
        )
    return processors[0], pims[0]


def _without(name: str, gpu: Device, pim: str, of: Device, place: Operation | None) -> Gpu:
    """What a GPU keeps without a PIM's channels."""
    assert isinstance(gpu, Gpu)
    assert isinstance(of, Pim)
    if not gpu.channels:
        raise InputError(
            f"@{pim} takes {count(of.channels, 'memory channel')} of @{name}, but {gpu.name} says not how many it has; "
            "say so (`channels 32` in its sheet, or {channels = 32} on its hw.device)",
            place,
        )
    if of.channels >= gpu.channels:
        raise InputError(
            f"@{pim} takes {count(of.channels, 'memory channel')} of @{name}, which has {gpu.channels} and needs one "
            f"at least; give @{pim} fewer ({{channels = {max(1, gpu.channels // 2)}}} on its hw.device)",
            place,
        )
    return _with_channels(gpu, gpu.channels - of.channels)


@cache
def _with_channels(gpu: Gpu, channels: int) -> Gpu:
    """A GPU with some of its memory channels: bandwidth, last-level cache and memory go with them."""
    share = channels / gpu.channels
    return replace(
        gpu,
        channels=channels,
        bandwidth=gpu.bandwidth * share,
        l2_bytes=gpu.l2_bytes * channels // gpu.channels,
        memory=gpu.memory * channels // gpu.channels,
    )
