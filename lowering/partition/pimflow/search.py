"""PIMFlow's search (Shin et al., CGO 2023): the cost of each way to run each layer, then the minimum cover of the
network by layers and pipelines.

Costs are those of the published artifact: a step takes as long as the slower of its devices, steps are serial, and
slices, joins, copies and ops fused to a layer on the PIM take no time (solve/solve.py, layerwise/process_csv.py). The
time including all of these is computed by the timeline.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dialects.graph import shape_of
from interp.kinds.clock import Clock
from interp.walk.entry import ahead_of_time, block_of, is_graph_op, is_view
from interp.walk.unchanged import lasting, once, unchanged
from lowering.graph.marks import marked
from lowering.instance.options import MODES, Mode
from lowering.partition.pimflow.space import PERCENTS, Convolution, LayerRun, connected_of, convolution_of, runs
from lowering.partition.pimflow.twins import Twins, twins
from lowering.partition.plans.cover import Interval, cover
from lowering.partition.plans.part_costs import PartCosts, linked_pims
from lowering.partition.plans.plan import Op, OpSharding, Plan, PlanStep, unpartitioned
from lowering.partition.plans.regions import signature
from lowering.partition.shards.parts import Box, full_box, part_of, replaced

ROWS = 2
"""The axis that PIMFlow splits: rows of [N, C, H, W]."""
MARGIN = 10
"""A pipeline is taken if it saves more than this number of GPU cycles (solve/solve.py)."""


@dataclass(frozen=True)
class PimflowPlan:
    """The steps of a function's convolutions, in program order, and the steps of its other ops, each with its time in
    ns by the published costs."""

    steps: tuple[PlanStep, ...]
    others: tuple[PlanStep, ...]

    @property
    def all_steps(self) -> tuple[PlanStep, ...]:
        """The steps of convolutions and of other ops."""
        return (*self.steps, *self.others)

    @property
    def convolutions_ns(self) -> float:
        """The sum of the times of the steps of convolutions, in ns."""
        return sum(step.ns for step in self.steps)

    @property
    def ns(self) -> float:
        """The sum of the times of all steps, in ns: the end-to-end time."""
        return self.convolutions_ns + sum(step.ns for step in self.others)


def pimflow_plans(function: FuncOp, clock: Clock, mode: str) -> Iterator[Plan]:
    """PIMFlow's plan in a mode, followed by reduced versions in case it can't be made or does not fit memory: the plan
    without pipelines, then a plan with only its splits, then the empty plan."""
    plan = Plan(mode, plan_pimflow(function, clock, MODES[mode]).all_steps)
    yield plan
    yield Plan(mode, plan_pimflow(function, clock, replace(MODES[mode], pipelines=False)).all_steps)
    yield plan.cuts
    yield Plan(mode, ())


def plan_pimflow(function: FuncOp, clock: Clock, mode: Mode) -> PimflowPlan:
    """The best plan of PIMFlow's space by its own costs."""
    block = block_of(function)
    early = ahead_of_time(block)
    ops = [op for op in block.ops if op not in early and is_graph_op(op) and not is_view(op)]
    with PartCosts(clock) as costs:
        costs.prepare(ops)
        free = [op for op in ops if marked(op) is None]
        layers = [layer for op in free if (layer := convolution_of(op)) is not None]
        mine = {layer.op for layer in layers}
        others = [_other(costs, op) for op in ops if op not in mine]
    keys, kept = [signature((layer.op,), early) for layer in layers], twins()
    with PartCosts(clock, kept.parts) as costs, unchanged(), lasting(kept.parts.facts):
        each = zip(reversed(keys), reversed(layers), strict=True)
        first = {key: kept.of(key, (layer,), early)[0] for key, layer in each}
        if mode.splits:
            costs.prepare([_gpu_part(costs, layer, percent) for layer in first.values() for percent in PERCENTS])
        equal = {key: _layer(costs, layer, mode) for key, layer in first.items()}
        alone = [replace(equal[key], ops=(layer.op,)) for layer, key in zip(layers, keys, strict=True)]
        known = _pipelines(costs, layers, early, [step.ns for step in alone], kept) if mode.pipelines else {}
        margin = MARGIN / clock.machine.devices[costs.primary].clock_hz * 1e9
        chosen = cover([step.ns for step in alone], {key: step.ns for key, step in known.items()}, margin)[1]
        steps = tuple(alone[start] if length == 1 else known[start, length] for start, length in chosen)
    return PimflowPlan(steps, tuple(others))


def _other(costs: PartCosts, op: Op) -> PlanStep:
    """The step of an op that is no convolution layer: fully connected layers run on the PIM, as in all of PIMFlow's
    policies, all other ops on the primary device, unless they are marked."""
    if (given := marked(op)) is not None:
        return unpartitioned(op, given, costs.clock.op_cost(op, given).ns if costs.clock.supports(op, given) else 0.0)
    there = _on_pims(costs, op) if connected_of(op) else []
    return min(there, key=lambda step: step.ns, default=None) or unpartitioned(op, costs.primary, costs.on_primary(op))


def _on_pims(costs: PartCosts, op: Op) -> list[PlanStep]:
    """The steps that run an op on a PIM: one for each PIM that can run it (PIMFlow itself has one PIM)."""
    pairs = [costs.pair(name) for name in linked_pims(costs.clock)]
    return [
        unpartitioned(op, pair.pim, ns)
        for pair in pairs
        if pair.pim is not None and (ns := pair.on_pim(op)) is not None
    ]


def _gpu_part(costs: PartCosts, layer: Convolution, percent: int) -> Op | None:
    rows = _rows(layer, percent)
    return None if rows is None else costs.part(layer.op, ROWS, range(rows))


def _rows(layer: Convolution, percent: int) -> int | None:
    return once(("rows", percent), layer.op, lambda: layer.rows(percent), lasts=True)


def _layer(costs: PartCosts, layer: Convolution, mode: Mode) -> PlanStep:
    """The step that runs a single layer with the least cost: unpartitioned on a device, or split."""
    op, primary = layer.op, costs.primary
    there = _on_pims(costs, op) if not layer.grouped else []
    if layer.connected and there:
        return min(there, key=lambda step: step.ns)
    ways = [unpartitioned(op, primary, costs.on_primary(op)), *there]
    best, number = min(ways, key=lambda step: step.ns), 0
    tries: list[tuple[float, int, float, float, PartCosts, Op]] = []
    """For each split its least time, its number, the fraction of the rows on the primary device, the time of these,
    and the op for the PIM."""
    height = shape_of(op.results[0])[ROWS]
    for percent in PERCENTS if mode.splits and there else ():
        rows = _rows(layer, percent)
        if rows is None or not 0 < rows < height:
            continue
        ours, theirs = costs.part(op, ROWS, range(rows)), costs.part(op, ROWS, range(rows, height))
        if ours is None or theirs is None:
            continue
        for pair in map(costs.pair, linked_pims(costs.clock)):
            ns = costs.on_primary(ours)
            tries.append((max(ns, pair.least_on_pim(theirs, best.ns)), len(tries) + 1, rows / height, ns, pair, theirs))
    for least, place, end, ours_ns, pair, theirs in sorted(tries, key=lambda each: each[:2]):
        if (least, place) > (best.ns, number):  # of equally fast ways the first is taken
            break
        ns = pair.on_pim(theirs)
        if ns is not None and (max(ours_ns, ns), place) < (best.ns, number):
            sharding = OpSharding((primary, pair.pim or ""), ROWS, (end,))
            best, number = PlanStep((op,), (sharding,), max(ours_ns, ns)), place
    return best


def _pipelines(
    costs: PartCosts,
    layers: Sequence[Convolution],
    early: Collection[Operation],
    alone: Sequence[float],
    kept: Twins,
) -> dict[Interval, PlanStep]:
    """The pipelines of layers that match a pattern, by interval; equal pipelines are computed once. `alone`: the time
    of each layer by itself; pipelines that take no less time than their layers by themselves are left out."""
    equal: dict[Hashable, PlanStep | None] = {}
    found: dict[Interval, PlanStep] = {}
    for run in runs(layers):
        ops = tuple(layer.op for layer in run.layers)
        shape, most = signature(ops, early), sum(alone[run.start : run.start + len(ops)])
        if (key := (shape, most)) not in equal:
            same = replace(run, layers=kept.of(shape, run.layers, early))
            ways = [_pipeline(costs.pair(name), same, most) for name in linked_pims(costs.clock)]
            equal[key] = min(filter(None, ways), key=lambda step: step.ns, default=None)
        if (step := equal[key]) is not None:
            found[run.start, len(ops)] = replace(step, ops=ops)
    return found


def _pipeline(costs: PartCosts, run: LayerRun, most: float) -> PlanStep | None:
    """A pipeline of two halves: while a layer processes its second half, the next layer processes its first half. None
    if the PIM can't run one of its layers, or if a lower bound on its time is no less than `most`.

    Each half is computed from its own part of the image; rows that both halves need are read twice, as published.
    """
    ops = [layer.op for layer in run.layers]
    halves = once(("halves", *ops[:-1]), ops[-1], lambda: _halves(ops), lasts=True)
    if halves is None or costs.pim is None:
        return None

    def ns_of(on_pim: Callable[[Op], float | None]) -> float | None:
        """The time of the pipeline, given that of parts on the PIM."""
        times: list[tuple[float, float]] = []
        for layer, boxes, there in zip(run.layers, halves, run.pattern.on_pim, strict=True):
            both: list[float] = []
            for box in boxes:
                part = costs.box(layer.op, box)
                ns = None if part is None else on_pim(part) if there else costs.on_primary(part)
                if ns is None:
                    return None
                both.append(ns)
            times.append((both[0], both[1]))
        # P(a1) + max(G(b1), P(a2)) + max(G(b2), P(c1)) + P(c2)
        ns = times[0][0] + times[-1][1]
        return ns + sum(max(later[0], earlier[1]) for earlier, later in pairwise(times))

    least = ns_of(costs.least_on_pim)
    if least is None or least >= most or (ns := ns_of(costs.on_pim)) is None:
        return None
    shardings = tuple(OpSharding((costs.pim if on_pim else costs.primary,)) for on_pim in run.pattern.on_pim)
    return PlanStep(tuple(layer.op for layer in run.layers), shardings, ns, 2, ROWS)


def _halves(ops: Sequence[Op]) -> list[tuple[Box, Box]] | None:
    """For each op, the two parts of its result that the two halves of the last op's result need; None if one of these
    parts can't be computed alone."""
    last = full_box(ops[-1].results[0])
    height = len(last[ROWS])
    boxes = tuple(replaced(last, ROWS, half) for half in (range(height // 2), range(height // 2, height)))
    found = [(boxes[0], boxes[1])]
    for op, following in zip(ops[-2::-1], ops[:0:-1], strict=True):
        operand = list(following.operands).index(op.results[0])
        needs: list[Box] = []
        for box in found[-1]:
            part = part_of(following, box)
            need = part.needs[operand] if part is not None else None
            if need is None:
                return None
            needs.append(need)
        found.append((needs[0], needs[1]))
    return found[::-1]
