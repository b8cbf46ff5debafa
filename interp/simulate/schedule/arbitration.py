"""Sharing rules of a machine, derived from its links and its primary device; interp/simulate/events/resources.py
applies them to jobs.

- `exclusive`, of a link: the two devices of the link and the copies between them run one at a time. The job that became
  ready first runs first; among jobs that became ready at the same time, the first in program order.
- `executor sequential`, of the primary device: all devices and links run one at a time, so that a program takes the sum
  of the times of its tasks and copies.
- `shared`, of a link: the two devices and the copies between them draw on the GPU's bandwidth, each job at the rate at
  which it moves bytes over the bus. A task on a PIM moves only the data of its commands over the bus; any other job
  moves all bytes that it reads and writes. While the rates of concurrent jobs add up to more than the bandwidth, all of
  these jobs are slowed down by the same factor.
- The bandwidth of a device's own memory (`Device.copied_bandwidth`), as of a memory expander: the device's tasks and
  the copies from and to it draw on it in the same way.

A device whose sheet states `interference` slows down contractions that other processors run concurrently with its work.
"""

from __future__ import annotations

from collections import defaultdict

from xdsl.ir import Operation

from dialects.element_types import byte_count
from dialects.task import CopyOp, RunOp, placed
from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.machine.cost import Cost
from interp.simulate.events.jobs import SEPARATE, SharingRules
from interp.walk.entry import is_contraction
from interp.walk.views import makers

EVERYTHING = "all devices and links"
"""The name of the lock that all devices and links share if the runtime on the primary device is a sequential executor.
"""


def rules_of(machine: Machine) -> SharingRules:
    """The sharing rules of a machine, from its links and the runtime on its primary device."""
    locks: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for (a, b), link in machine.links.items():
        if link.arbitration == "exclusive":
            for user in dict.fromkeys((a, b, machine.way(a, b), machine.way(b, a))):
                locks[user] += (f"{a} and {b}",)
    bandwidths = _bandwidths_of(machine)
    primary = machine.devices[machine.primary]
    if primary.executor == "sequential":
        ways = (machine.way(*way) for a, b in machine.links for way in ((a, b), (b, a)))
        for user in dict.fromkeys((*machine.devices, *ways)):
            locks[user] += (EVERYTHING,)
    interference = {name: each.interference for name, each in machine.devices.items() if each.interference > 1}
    return SharingRules(dict(locks), bandwidths, interference) if locks or bandwidths or interference else SEPARATE


def _bandwidths_of(machine: Machine) -> dict[str, dict[str, float]]:
    """The memories whose bandwidths the devices and the directions of links share, by resource, each with its bandwidth
    in bytes/ns. A memory that a single resource accesses is not shared."""
    memories = {name: each.copied_bandwidth for name, each in machine.devices.items() if each.copied_bandwidth}
    homes = {name: name for name in memories}
    shared = [ends for ends, link in machine.links.items() if link.arbitration == "shared"]
    for a, b in shared:
        host, guest = (a, b) if machine.devices[a].memory_bandwidth else (b, a)
        memories[host] = machine.devices[host].memory_bandwidth
        homes |= {host: host, guest: host}
    users: dict[str, dict[str, None]] = defaultdict(dict)
    for name, home in homes.items():
        users[home][name] = None
    for ends, link in machine.links.items():
        if link.arbitration == "exclusive":  # one of the two devices waits; nothing moves
            continue
        for end in ends:
            if (home := homes.get(end)) is not None and (ends in shared or machine.devices[end].copied_bandwidth):
                users[home] |= dict.fromkeys((machine.way(*ends), machine.way(*ends[::-1])))
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for memory, accessing in users.items():
        for user in accessing if len(accessing) > 1 else ():
            found[user][memory] = memories[memory] / 1e9
    return dict(found)


class Draws:
    """The rate at which each job of a machine draws on shared bandwidths, and the jobs that are slowed down by work on
    other devices."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.rules = rules_of(clock.machine)

    def of(self, resource: str, cost: Cost, op: Operation | None = None, passing: int = 0) -> float:
        """The rate in bytes/ns at which a task (`op`) or copy draws on bandwidths; 0 if its resource shares none.
        `passing`: bytes that the task consumes as a stream, in addition to those that `op` states; on a device that
        computes on data while another device writes them, these bytes do not count as moved."""
        if resource not in self.rules.bandwidths or not cost.ns:
            return 0.0
        devices = self.clock.machine.devices
        moved = self.clock.bus_bytes(op, resource) if op is not None and resource in devices else None
        moved = cost.bytes if moved is None else moved
        if resource in devices and devices[resource].flies_on("writes"):
            moved -= passing + (_streamed_bytes(op) if isinstance(op, RunOp) else 0)
        return max(moved, 0) / cost.ns

    def contracts(self, resource: str, op: Operation | None) -> bool:
        """True if a task (`op`) is a matrix product or convolution that work on other devices can slow down."""
        if op is None or not self.rules.interference or resource not in self.clock.machine.devices:
            return False
        return self.clock.machine.devices[resource].runs_all and any(map(is_contraction, op.walk()))


def _streamed_bytes(run: RunOp) -> int:
    """The bytes of the copies that a task consumes as streams."""
    taken = dict.fromkeys(maker for number in run.streamed for maker in makers(run.inputs[number]))
    return sum(byte_count(placed(maker.copied).tensor) for maker in taken if isinstance(maker, CopyOp))
