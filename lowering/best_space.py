"""The space of the policy `best`: an op cut between processor and PIM along any axis at any ratio, and any run of
connected ops in stages, with devices op by op and cuts inside the stages."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import product

from dialects.graph import shape_of
from interp.program import is_view
from lowering.part_costs import PartCosts
from lowering.plan import Op, Share
from lowering.simulated import Form, Simulated
from lowering.tiling import splittable_axes

ROUNDS = 5
"""How often the step of the search for a ratio is halved: from a quarter of the extent to a 64th."""
WORTH = 0.98
"""A way that could at best take this share of the time known so far is not looked at."""
STAGES = (2, 3, 4)
RUN = 8
"""Ops of a pipeline at the most."""
CHOOSING = 4
"""How many of a run's ops that the PIM could take are tried on both devices."""
NESTED = (0.125, 0.25, 0.375, 0.5)
"""Shares of the processor that are tried in the stages of an op on the PIM."""


def alone(times: Simulated, costs: PartCosts, op: Op) -> tuple[Form, float]:
    """The best form of one op."""
    home, pim = costs.home, costs.pim
    best = (Form((Share((home,)),)), costs.on_home(op))
    on_pim = costs.on_pim(op)
    if on_pim is None or pim is None:
        return best
    best = _better(times, (op,), best, Form((Share((pim,)),)))
    on_home = costs.on_home(op)
    if on_home * on_pim / (on_home + on_pim) > WORTH * best[1]:  # both at once, without launches and copies
        return best
    for axis in splittable_axes(op):
        best = _ratio(times, op, (home, pim), axis, best)
    return best


def _ratio(
    times: Simulated, op: Op, devices: tuple[str, str], axis: int, best: tuple[Form, float]
) -> tuple[Form, float]:
    """The best ratio of a cut along an axis: the time falls until both devices end together, and then grows."""
    extent = shape_of(op.results[0])[axis]
    at, step = 0.5, 0.25
    found: dict[float, float] = {}

    def ns(end: float) -> float:
        cut = round(extent * end)
        if not 0 < cut < extent:
            return float("inf")
        if end not in found:
            found[end] = times.ns((op,), Form((Share(devices, axis, (cut / extent,)),))) or float("inf")
        return found[end]

    for _ in range(ROUNDS):
        at = min((at, at - step, at + step), key=ns)
        step /= 2
        if step * extent < 0.5:
            break
    cut = round(extent * at)
    form = Form((Share(devices, axis, (cut / extent,)),))
    return (form, ns(at)) if ns(at) < best[1] else best


def _better(times: Simulated, ops: Sequence[Op], best: tuple[Form, float], form: Form) -> tuple[Form, float]:
    ns = times.ns(ops, form)
    return (form, ns) if ns is not None and ns < best[1] else best


def axis_of(op: Op) -> int | None:
    """The axis along which a pipeline's last op is cut: rows of images, or of matrices; None where there is but one."""
    shape = shape_of(op.results[0])
    rows = 2 if len(shape) == 4 else len(shape) - 2
    return rows if rows >= 0 and shape[rows] >= max(STAGES) else None


def runs(ops: Sequence[Op]) -> Iterator[tuple[int, int]]:
    """The runs (first, how many) of consecutive ops of which each but the first reads another one of the run."""
    for start in range(len(ops)):
        made = set(ops[start].results)
        for stop in range(start + 1, min(start + RUN, len(ops))):
            op = ops[stop]
            if not any(_reads(operand, made) for operand in op.operands):
                break
            made.update(op.results)
            yield start, stop + 1 - start


def _reads(value: object, made: Container[object]) -> bool:
    """Whether a value is one of some values, or a view of one."""
    while value not in made:
        owner = getattr(value, "owner", None)
        if owner is None or not is_view(owner) or len(owner.operands) != 1:
            return False
        value = owner.operands[0]
    return True


def assignments(costs: PartCosts, ops: Sequence[Op], limit: float) -> list[tuple[float, tuple[str, ...]]]:
    """Devices for each op of a run, so that both have something to do, and the least time that either needs then; the
    most promising first. Those that can't end before `limit` are left out."""
    if costs.pim is None:
        return []
    on_home, on_pim = [costs.on_home(op) for op in ops], [costs.on_pim(op) for op in ops]
    able = [index for index, ns in enumerate(on_pim) if ns is not None]
    free = able[:CHOOSING]
    found: list[tuple[float, tuple[str, ...]]] = []
    for chosen in product((True, False), repeat=len(free)):
        moved = {index for index, there in zip(free, chosen, strict=True) if there} | set(able[CHOOSING:])
        if not moved or len(moved) == len(ops):
            continue
        there = sum(ns for index, ns in enumerate(on_pim) if index in moved and ns is not None)
        here = sum(ns for index, ns in enumerate(on_home) if index not in moved)
        if (least := max(there, here)) < limit:
            devices = tuple(costs.pim if index in moved else costs.home for index in range(len(ops)))
            found.append((least, devices))
    return sorted(found)


def pipelines(devices: Sequence[str], axis: int) -> Iterator[Form]:
    """A run in stages, by their number."""
    for stages in STAGES:
        yield Form(tuple(Share((device,)) for device in devices), stages, axis)


def nested(form: Form, home: str, pim: str) -> Iterator[Form]:
    """A pipeline with the stages of one op on the PIM cut between both devices."""
    for index, share in enumerate(form.shares):
        if share.devices == (pim,):
            for end in NESTED:
                cut = Share((home, pim), form.axis, (end,))
                yield Form((*form.shares[:index], cut, *form.shares[index + 1 :]), form.stages, form.axis)
