"""Who has which memory channels: what a GPU keeps where a PIM's channels are taken from its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.figures import count
from interp.sheet import Gpu, Link, Pim

Ends = tuple[str, str]


def memory_shared_out(
    devices: Mapping[str, Gpu | Pim], links: Mapping[Ends, Link], places: Mapping[Ends, Operation]
) -> dict[str, Gpu | Pim]:
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


def _gpu_and_pim(ends: Ends, link: Link, devices: Mapping[str, Gpu | Pim], place: Operation | None) -> tuple[str, str]:
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


def _without(name: str, gpu: Gpu | Pim, pim: str, of: Gpu | Pim, place: Operation | None) -> Gpu:
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
        memory_bytes=gpu.memory_bytes * channels // gpu.channels,
    )
