"""The forms of ops that the policy `optimal` times: an op split among the processor and linked devices along any axis
at any ratio, and any run of connected ops in pipeline stages, with a device for each op and splits inside of stages."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from dialects.graph import shape_of
from interp.walk.entry import is_view
from lowering.graph.marks import marked
from lowering.partition.plans.part_costs import PartCosts
from lowering.partition.plans.plan import Op, OpSharding
from lowering.partition.plans.simulated import Simulated, StepForm
from lowering.partition.shards.parts import splittable_axes

FORMS_OF_RUN = 3
"""Pipelines of one run of ops that are simulated, and of these the fastest ones that become regions."""
RATIO_ROUNDS = 5
"""Halvings of the step in the search for the ratio of a split: the step begins at a quarter of the extent and ends
at a 64th."""
RATIO_NEAR: tuple[int, ...] = (0, -1, 1, 2)
"""16ths of the extent: differences between the processor's share in the ratios that are simulated and its share in
the ratio that is best without copies."""
WORTH = 0.98
"""Ratio: a split or pipeline whose estimated time exceeds this fraction of the best known time is not simulated."""
MANY_ROWS = 16
"""Rows of an image that suffice to approximate every relevant ratio of a split."""
STAGES: tuple[int, ...] = (2, 3, 4)
"""Numbers of stages that are tried for a pipeline."""
RUN_OPS = 8
"""Ops in the longest run of ops that is tried as a pipeline."""
CHOOSING_OPS = 4
"""Ops of a run for each of which both devices are tried, among the ops that the PIM can run; further ops stay on the
PIM."""
NESTED_FRACTIONS: tuple[float, ...] = (0.125, 0.25, 0.375, 0.5)
"""Fractions: the shares of the processor that are tried if the stages of an op on the PIM are split between the
processor and the PIM."""


def alone(times: Simulated, costs: PartCosts, op: Op) -> tuple[StepForm, float]:
    """The best form of one op; unpartitioned if it is marked for a device."""
    if (given := marked(op)) is not None:
        form = StepForm((OpSharding((given,)),))
        return form, times.ns((op,), form) or 0.0
    best = (StepForm((OpSharding((costs.primary,)),)), costs.on_primary(op))
    for pair in costs.pairs():
        best = _between_two(times, pair, op, best)
    return _among_all(times, costs, op, best)


def _between_two(times: Simulated, costs: PartCosts, op: Op, best: tuple[StepForm, float]) -> tuple[StepForm, float]:
    """The best form of an op on the primary device, the PIM, or both; `best` if no form is faster."""
    pim, on_pim = costs.pim, costs.on_pim(op)
    if on_pim is None or pim is None:
        return best
    if on_pim < best[1]:
        best = _better(times, (op,), best, StepForm((OpSharding((pim,)),)))
    on_primary = costs.on_primary(op)
    if on_primary * on_pim / (on_primary + on_pim) > WORTH * best[1]:  # concurrently, without launches and copies
        return best
    for axis in split_axes(op):
        best = _ratio(times, costs, op, axis, best)
    return best


def _among_all(times: Simulated, costs: PartCosts, op: Op, best: tuple[StepForm, float]) -> tuple[StepForm, float]:
    """The best split of an op among the primary device and at least two other devices; `best` if no split is faster."""
    able = [pair for pair in costs.pairs() if pair.on_pim(op) is not None]
    if len(able) < 2 or 1 / sum(1 / ns for ns in _times(costs, able, op)) > WORTH * best[1]:
        return best
    devices = (costs.primary, *(pair.pim for pair in able if pair.pim is not None))
    for axis in split_axes(op):
        extent = shape_of(op.results[0])[axis]
        rates = [1 / ns for ns in _times(costs, able, op)]
        # shares are proportional to the devices' throughputs in the previous round
        for _ in range(RATIO_ROUNDS):
            ends = tuple(round(extent * sum(rates[:last]) / sum(rates)) / extent for last in range(1, len(rates)))
            sharding = OpSharding(devices, axis, ends)
            best = _better(times, (op,), best, StepForm((sharding,)))
            parts = sharding.parts(extent)
            shards = [costs.part(op, axis, part) if part else None for part in parts]
            taken = [_times(costs, able, shard)[index] for index, shard in enumerate(shards) if shard is not None]
            if len(taken) < len(parts):
                break
            rates = [len(part) / ns for part, ns in zip(parts, taken, strict=True)]
    return best


def _times(costs: PartCosts, able: Sequence[PartCosts], op: Op) -> list[float]:
    """Times of an op on the primary device and on the PIM of each of `able`, including the copy of its result to the
    primary device."""
    others = (float("inf") if (ns := pair.on_pim(op)) is None else ns + pair.copy(op.results[0]) for pair in able)
    return [costs.on_primary(op), *others]


def split_axes(op: Op) -> list[int]:
    """The axes along which splits of an op are tried. For images, two axes are left out: columns, since splits of them
    are no better than splits of rows, and, if there are many rows, channels. Shards along columns or channels are
    not contiguous, so that joining them takes a kernel."""
    shape, possible = shape_of(op.results[0]), splittable_axes(op)
    if len(shape) != 4:
        return list(possible)
    return [axis for axis in possible if axis in (0, 2) or (axis == 1 and shape[2] < MANY_ROWS)]


def _ratio(
    times: Simulated, costs: PartCosts, op: Op, axis: int, best: tuple[StepForm, float]
) -> tuple[StepForm, float]:
    """The best ratio of a split along an axis. As the processor's share grows, the time falls until both devices end at
    the same time, and then rises; this minimum is located by times without copies, then ratios close to it are
    simulated."""
    assert costs.pim is not None
    extent = shape_of(op.results[0])[axis]
    found: dict[int, float] = {}

    def looks(cut: int) -> float:
        if not 0 < cut < extent:
            return float("inf")
        if cut not in found:
            found[cut] = _both(costs, op, axis, cut)
        return found[cut]

    at, step = extent / 2, extent / 4
    for _ in range(RATIO_ROUNDS):
        at = min((at, at - step, at + step), key=lambda cut: looks(round(cut)))
        step /= 2
        if step < 0.5:
            break
    if looks(round(at)) > WORTH * best[1]:
        return best
    devices = (costs.primary, costs.pim)
    for cut in sorted({min(max(round(at + extent * near / 16), 1), extent - 1) for near in RATIO_NEAR}):
        best = _better(times, (op,), best, StepForm((OpSharding(devices, axis, (cut / extent,)),)))
    return best


def _both(costs: PartCosts, op: Op, axis: int, cut: int) -> float:
    """Estimated time of a split op by itself: the first shard runs on the primary device, the second shard runs on the
    PIM and is copied to the primary device."""
    extent = shape_of(op.results[0])[axis]
    ours, theirs = costs.part(op, axis, range(cut)), costs.part(op, axis, range(cut, extent))
    there = costs.on_pim(theirs) if ours is not None and theirs is not None else None
    if ours is None or theirs is None or there is None:
        return float("inf")
    return max(costs.on_primary(ours), there + costs.copy(theirs.results[0])) + costs.left_on_primary(theirs)


def _better(
    times: Simulated, ops: Sequence[Op], best: tuple[StepForm, float], form: StepForm
) -> tuple[StepForm, float]:
    ns = times.ns(ops, form)
    return (form, ns) if ns is not None and ns < best[1] else best


def axis_of(op: Op) -> int | None:
    """The axis along which a pipeline's last op is split: rows of images, or of matrices; None if there is only one
    row."""
    shape = shape_of(op.results[0])
    rows = 2 if len(shape) == 4 else len(shape) - 2
    return rows if rows >= 0 and shape[rows] >= max(STAGES) else None


def runs(ops: Sequence[Op]) -> Iterator[tuple[int, int]]:
    """The runs of consecutive ops, as (first, length): each op but the first reads another op of the run, and none is
    marked."""
    for start in range(len(ops)):
        if marked(ops[start]) is not None:
            continue
        made = set(ops[start].results)
        for stop in range(start + 1, min(start + RUN_OPS, len(ops))):
            op = ops[stop]
            if marked(op) is not None or not any(_reads(operand, made) for operand in op.operands):
                break
            made.update(op.results)
            yield start, stop + 1 - start


def _reads(value: object, made: Container[object]) -> bool:
    """True if a value is in `made`, or is a view of a value in `made`."""
    while value not in made:
        owner = getattr(value, "owner", None)
        if owner is None or not is_view(owner) or len(owner.operands) != 1:
            return False
        value = owner.operands[0]
    return True


@dataclass(frozen=True)
class Stage:
    """Times of one stage of an op, in ns.

    `primary`: the time of the stage on the primary device; `pim`: its time on the PIM, None if the PIM can't run it;
    `left`: the time, on the primary device, of those ops of a group that the PIM can't run; `taken`: the time of
    copying the stage's operands from the other device; `given`: the time of copying its results to the other device.
    `alone`: True if the op has only one stage.
    """

    primary: float
    pim: float | None
    left: float
    taken: float
    given: float
    alone: bool


class Stages:
    """The stages of ops, each computed once."""

    def __init__(self, costs: PartCosts) -> None:
        self.costs = costs
        self._known: dict[tuple[Op, int, int], Stage] = {}

    def of(self, op: Op, axis: int, count: int) -> Stage:
        """The first of `count` stages along an axis of an op's result; the whole op if it can't be split along this
        axis."""
        key = (op, axis, count)
        if key not in self._known:
            costs, shape = self.costs, shape_of(op.results[0])
            part = None
            if axis < len(shape) and shape[axis] >= count:
                part = costs.part(op, axis, range(-(-shape[axis] // count)))
            shard, scale = part or op, 1 if part is None else count
            self._known[key] = Stage(
                costs.on_primary(shard),
                costs.on_pim(shard),
                costs.left_on_primary(shard),
                costs.copy(op.operands[0]) / scale if op.operands else 0.0,
                costs.copy(op.results[0]) / scale,
                part is None,
            )
        return self._known[key]


def assignments(stages: Stages, ops: Sequence[Op], axis: int, limit: float) -> list[tuple[float, StepForm]]:
    """Pipelines of a run of ops: for each number of stages the assignments of ops to devices that give both devices
    work. Each has its estimated time, the shortest first; those with an estimate of `limit` or more are left out."""
    costs = stages.costs
    if costs.pim is None:
        return []
    able = [index for index, op in enumerate(ops) if costs.on_pim(op) is not None]
    found: list[tuple[float, int, StepForm]] = []
    for count in STAGES:
        each = [stages.of(op, axis, count) for op in ops]
        for chosen in product((True, False), repeat=min(len(able), CHOOSING_OPS)):
            moved = {index for index, given in zip(able, chosen, strict=False) if given} | set(able[CHOOSING_OPS:])
            if not moved or len(moved) == len(ops):
                continue
            ns = overlapped(each, [index in moved for index in range(len(ops))], count)
            if ns < limit:
                devices = (costs.pim if index in moved else costs.primary for index in range(len(ops)))
                found.append(
                    (ns, len(found), StepForm(tuple(OpSharding((device,)) for device in devices), count, axis))
                )
    return [(ns, form) for ns, _, form in sorted(found, key=lambda entry: entry[:2])]


def overlapped(ops: Sequence[Stage], moved: Sequence[bool], count: int) -> float:
    """The estimated time of a chain of ops in stages. Each op processes all its stages in order; a stage starts as soon
    as the op's device is free and the same stage of the previous op is available, after a copy if the previous op
    runs on another device. `moved`: True for each op that runs on the PIM."""
    primary = pim = 0.0
    ready, away = [0.0] * count, False
    for op, there in zip(ops, moved, strict=True):
        waits = ready[-1:] if op.alone else ready if len(ready) == count else ready * count
        copied, ended = op.taken if there != away else 0.0, list[float]()
        for stage in waits:
            if there:
                end = pim = max(pim, stage + copied) + (op.pim or 0.0)
                if op.left:
                    end = primary = max(primary, end + op.given) + op.left
            else:
                end = primary = max(primary, stage + copied) + op.primary
            ended.append(end)
        ready, away = ended, there and not op.left
    return ready[-1] + (ops[-1].given if away else 0.0)


def nested(form: StepForm, primary: str, pim: str) -> Iterator[StepForm]:
    """Variants of a pipeline: in each, the stages of one op on the PIM are split between both devices."""
    for index, sharding in enumerate(form.shardings):
        if sharding.devices == (pim,):
            for end in NESTED_FRACTIONS:
                cut = OpSharding((primary, pim), form.axis, (end,))
                yield StepForm((*form.shardings[:index], cut, *form.shardings[index + 1 :]), form.stages, form.axis)
