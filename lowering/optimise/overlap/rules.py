"""Two published generations of near-data scheduling as rules: by pattern (NDPX), and by cost (XLA-NDP)."""

from __future__ import annotations

from collections.abc import Iterable

from interp.simulate.events.orders import chains
from lowering.optimise.overlap.kernels import Candidate, Kernels
from lowering.optimise.overlap.plan import Plan


class Filling:
    """A plan under construction: the time that is still free behind each kernel."""

    def __init__(self, kernels: Kernels) -> None:
        self.kernels = kernels
        self.free = dict(kernels.ns)
        """Free time behind each kernel on the primary device, in ns."""
        self.offloaded: dict[int, dict[int, float]] = {}

    def hide(self, node: int, ns: float, hosts: Iterable[int]) -> float:
        """Hide some time of a candidate behind kernels, in the given order; return the exposed remainder."""
        beside = self.offloaded.setdefault(node, {})
        for host in hosts:
            if ns <= 0.0:
                break
            if (taken := min(ns, self.free.get(host, 0.0))) > 0.0:
                self.free[host] -= taken
                beside[host] = beside.get(host, 0.0) + taken
                ns -= taken
        return ns

    @property
    def plan(self) -> Plan:
        return Plan(self.kernels, {node: self.offloaded[node] for node in sorted(self.offloaded)})


def by_pattern(kernels: Kernels) -> Plan:
    """NDPX's rule, which uses the position of kernels in the graph and not their times: all candidates are offloaded.

    A kernel's depth is the length of the longest path to it, in kernels. The first phase of a candidate runs on the fly
    with a contraction that produces an input of it, one edge away; its last phase with a contraction that consumes its
    result, one edge away. Any other phase overlaps one independent contraction: the latest one of smaller depth or, if
    there is none, the earliest one of larger depth. Candidates whose results have no consumers (optimizer updates) come
    last: each overlaps the independent contraction with the fewest phases so far, preferably one without an on-the-fly
    phase.
    """
    filling = Filling(kernels)
    depth = chains(kernels.makers, [1] * len(kernels.makers))
    products = [node for node in kernels.ns if node not in kernels.candidates]
    for node in kernels.candidates:
        filling.free.pop(node, None)
    attached: dict[int, int] = dict.fromkeys(products, 0)
    flying = set[int]()
    updates = [node for node in kernels.candidates if not kernels.readers[node]]
    for node, candidate in kernels.candidates.items():
        if kernels.readers[node]:
            phases = list(candidate.phases)
            for place, hosts, hop in ((0, kernels.written_by(candidate), -1), (-1, kernels.read_by(candidate), 1)):
                near = [host for host in hosts if host in attached and depth[host] == depth[node] + hop]
                if near and phases:
                    filling.hide(node, phases.pop(place), near[:1])
                    attached[near[0]] += 1
                    flying.add(near[0])
            others = [host for host in products if kernels.beside(node, host)] if phases else []
            for phase in phases:
                host = min(others, key=lambda host: _steps(depth[host] - depth[node], host), default=None)
                filling.hide(node, phase, () if host is None else (host,))
                if host is not None:
                    attached[host] += 1
    for node in updates:
        others = [host for host in products if kernels.beside(node, host)]
        host = min(others, key=lambda host: (host in flying, attached[host], host), default=None)
        filling.hide(node, kernels.candidates[node].ns, () if host is None else (host,))
        if host is not None:
            attached[host] += 1
    return filling.plan


def _steps(depth: float, host: int) -> tuple[bool, float, int]:
    """The sort key of contractions that may overlap a phase: first contractions of smaller depth than the phase's
    kernel, in descending order of depth; then contractions of equal or larger depth, in ascending order. `depth`:
    the contraction's depth minus that of the kernel; `host`: the contraction's node number."""
    return depth >= 0, abs(depth), -host if depth < 0 else host


def by_cost(kernels: Kernels) -> Plan:
    """The rule of XLA-NDP as far as its published tables show it; the exact rule is not published.

    Candidates are processed by descending time saved if fully hidden. The offloaded time of a candidate is hidden
    behind kernels on the primary device that it may overlap: first on the fly behind producers and consumers with free
    time; then behind independent kernels until it is fully hidden, contractions first, latest first. It is offloaded if
    its exposed time is less than its time on the primary device. Kernels that hide it then stay on the primary device.
    """
    filling = Filling(kernels)
    latest = sorted(kernels.ns, key=lambda node: (node in kernels.candidates, -node))
    kept = set[int]()
    for candidate in sorted(kernels.candidates.values(), key=_saves):
        node = candidate.node
        if node not in kept:
            own = filling.free.pop(node, 0.0)
            left = _covered(filling, candidate, latest)
            if candidate.primary is None or left < candidate.primary_ns:
                kept |= filling.offloaded[node].keys()
                continue
            for host, ns in filling.offloaded.pop(node).items():
                filling.free[host] += ns
            filling.free[node] = own
    return filling.plan


def _saves(candidate: Candidate) -> tuple[bool, float]:
    """The sort key by which candidates are processed: first those that can't run on the primary device, then by
    descending time saved if fully hidden."""
    return candidate.primary is not None, candidate.ns - candidate.primary_ns


def _covered(filling: Filling, candidate: Candidate, latest: list[int]) -> float:
    """Hide as much of a candidate as possible; return the exposed remainder."""
    kernels, node = filling.kernels, candidate.node
    left = candidate.ns
    for phase, hosts in (
        (candidate.first_ns, kernels.written_by(candidate)),
        (candidate.last_ns, kernels.read_by(candidate)),
    ):
        phase = min(phase, left)
        left -= phase - filling.hide(node, phase, hosts)
    return filling.hide(node, left, (host for host in latest if kernels.beside(node, host)))
