"""Sharing rules of a machine, derived from its links and its primary device; interp/schedule/events.py applies them to
jobs.

- `exclusive`, of a link: the two devices of the link and the copies between them run one at a time. The job that became
  ready first runs first; among jobs that became ready at the same time, the first in program order.
- `executor sequential`, of the primary device: all devices and links run one at a time, so that a program takes the sum
  of the times of its tasks and copies.
- `shared`, of a link: each job draws a share of the GPU's bandwidth, namely the bytes that the job moves over the bus
  divided by the bytes that the bus could move in the job's time. A task on a PIM moves only the data of its commands
  over the bus; any other job moves all bytes that it reads and writes. While the shares of concurrent jobs add up to
  more than 1, all of these jobs are slowed down by that sum.

A device whose sheet states `interference` slows down contractions that other processors run concurrently with its work.
"""

from __future__ import annotations

from collections import defaultdict

from xdsl.ir import Operation

from dialects.element_types import byte_count
from dialects.task import CopyOp, RunOp, placed
from interp.cost.clock import Clock
from interp.cost.record import Cost
from interp.machine.composition import Machine
from interp.program.entry import is_contraction
from interp.program.views import makers
from interp.schedule.jobs import SEPARATE, SharingRules

EVERYTHING = "all devices and links"
"""The name of the lock that all devices and links share if the runtime on the primary device is a sequential executor.
"""


def rules_of(machine: Machine) -> SharingRules:
    """The sharing rules of a machine, from its links and the runtime on its primary device."""
    locks: dict[str, tuple[str, ...]] = defaultdict(tuple)
    bandwidths: dict[str, str] = {}
    for (a, b), link in machine.links.items():
        users = dict.fromkeys((a, b, machine.way(a, b), machine.way(b, a)))
        if link.arbitration == "exclusive":
            for user in users:
                locks[user] += (f"{a} and {b}",)
        elif link.arbitration == "shared":
            bandwidths |= dict.fromkeys(users, a if machine.devices[a].memory_bandwidth else b)
    primary = machine.devices[machine.primary]
    if primary.executor == "sequential":
        ways = (machine.way(*way) for a, b in machine.links for way in ((a, b), (b, a)))
        for user in dict.fromkeys((*machine.devices, *ways)):
            locks[user] += (EVERYTHING,)
    interference = {name: each.interference for name, each in machine.devices.items() if each.interference > 1}
    return SharingRules(dict(locks), bandwidths, interference) if locks or bandwidths or interference else SEPARATE


class Draws:
    """The share of a shared bandwidth that each job of a machine draws, and the jobs that are slowed down by work on
    other devices."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.rules = rules_of(clock.machine)

    def of(self, resource: str, cost: Cost, op: Operation | None = None, passing: int = 0) -> float:
        """The share of bandwidth that a task (`op`) or copy draws, at most 1; 0 if its resource shares no bandwidth.
        `passing`: bytes that the task consumes as a stream, in addition to those that `op` states; on a device that
        computes on data while another device writes them, these bytes do not count as moved."""
        memory = self.rules.bandwidths.get(resource)
        if memory is None or not cost.ns:
            return 0.0
        devices = self.clock.machine.devices
        moved = self.clock.bus_bytes(op, resource) if op is not None and resource in devices else None
        moved = cost.bytes if moved is None else moved
        if resource in devices and devices[resource].flies_on("writes"):
            moved -= passing + (_streamed_bytes(op) if isinstance(op, RunOp) else 0)
        return min(1.0, max(moved, 0) / (cost.ns * devices[memory].memory_bandwidth) * 1e9)

    def contracts(self, resource: str, op: Operation | None) -> bool:
        """True if a task (`op`) is a matrix product or convolution that work on other devices can slow down."""
        if op is None or not self.rules.interference or resource not in self.clock.machine.devices:
            return False
        return self.clock.machine.devices[resource].runs_all and any(map(is_contraction, op.walk()))


def _streamed_bytes(run: RunOp) -> int:
    """The bytes of the copies that a task consumes as streams."""
    taken = dict.fromkeys(maker for number in run.streamed for maker in makers(run.inputs[number]))
    return sum(byte_count(placed(maker.copied).tensor) for maker in taken if isinstance(maker, CopyOp))
