"""The two published generations of near-data scheduling as rules: by pattern (NDPX), and by cost (XLA-NDP)."""

from __future__ import annotations

from collections.abc import Iterable

from lowering.placement.overlap.kernels import Candidate, Kernels
from lowering.placement.overlap.plan import Plan


class Filling:
    """A plan in the making: what is still free beside each kernel."""

    def __init__(self, kernels: Kernels) -> None:
        self.kernels = kernels
        self.free = dict(kernels.ns)
        """Beside each kernel on the primary device, ns."""
        self.away: dict[int, dict[int, float]] = {}

    def hide(self, node: int, ns: float, hosts: Iterable[int]) -> float:
        """Hide some time of a candidate beside kernels, the first of these first; what is left of it."""
        beside = self.away.setdefault(node, {})
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
        return Plan(self.kernels, {node: self.away[node] for node in sorted(self.away)})


def by_pattern(kernels: Kernels) -> Plan:
    """The older rule, which looks at where kernels stand and not at what they take: all candidates run away from the
    primary device.

    A kernel's depth is the number of kernels on the longest way to it. The first phase of a candidate runs on the fly
    beside a product that writes for it from one hop away, its last one beside a product that reads it at one hop. Any
    other phase runs beside one independent product: of those of smaller depth the latest; of those of larger depth, if
    there is no other, the earliest. Candidates whose results nobody reads, which are updates of optimizers, come last:
    each beside the independent product that fewest phases run beside, and if possible none on the fly.
    """
    filling = Filling(kernels)
    depth: list[int] = []
    for makers in kernels.makers:
        depth.append(max((depth[maker] for maker in makers), default=0) + 1)
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


def _steps(depth: int, host: int) -> tuple[bool, int, int]:
    """The order in which a phase likes products: of smaller depth, the latest first; then of larger depth."""
    return depth >= 0, abs(depth), -host if depth < 0 else host


def by_cost(kernels: Kernels) -> Plan:
    """The rule of XLA-NDP as far as its tables show it; the exact one is not published.

    Candidates are looked at one by one, in the order of what they would save if all of them hid. What one takes away
    from the primary device hides beside kernels on the primary device that it may run beside: on the fly where the one
    that writes for it, or reads it, has time free; then beside independent kernels until it is covered, products first,
    the latest first. It runs away from the primary device if what is left of it takes less than it does on the primary
    device. Kernels beside which it hides then stay on the primary device.
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
                kept |= filling.away[node].keys()
                continue
            for host, ns in filling.away.pop(node).items():
                filling.free[host] += ns
            filling.free[node] = own
    return filling.plan


def _saves(candidate: Candidate) -> tuple[bool, float]:
    """The order by what candidates save, those first that can't stay on the primary device."""
    return candidate.primary is not None, candidate.ns - candidate.primary_ns


def _covered(filling: Filling, candidate: Candidate, latest: list[int]) -> float:
    """Hide as much of a candidate as finds room; what is left."""
    kernels, node = filling.kernels, candidate.node
    left = candidate.ns
    for phase, hosts in (
        (candidate.first_ns, kernels.written_by(candidate)),
        (candidate.last_ns, kernels.read_by(candidate)),
    ):
        phase = min(phase, left)
        left -= phase - filling.hide(node, phase, hosts)
    return filling.hide(node, left, (host for host in latest if kernels.beside(node, host)))
