"""The search for the decision of the best score: from a few starting decisions, nodes move to other devices, and
results are computed again instead of kept, as long as that shortens the program with planned moves.

Each relaxation also prices memory: the time that one byte less saves at each node. By these prices changes are ranked,
since a relaxation with its plan takes ten times longer than a trace, and the best ones are relaxed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from random import Random

import numpy as np

from dialects.diagnostics import working
from interp.figures import time
from interp.machine.memory_system import MemorySystem
from lowering.instance.choice import Choice, Placement
from lowering.instance.problem import Problem, Schedule
from lowering.instance.resting import readers, resting
from lowering.joint.bound.program import JointRelaxation
from lowering.joint.decision import Decision, Scored, Scores
from lowering.joint.repeats import may_repeat, node_trace
from lowering.memory.recompute import Reruns
from lowering.optimise.overlap.kernels import Kernels, can_offload
from lowering.optimise.quick.heuristics import gpu
from lowering.optimise.quick.heuristics import moves as placement_moves
from lowering.solve.climbing import Budget

GAIN = 1e-4
"""The fraction of the score by which a change must shorten it."""
HALF = 0.5
"""The fraction in the bound's linear program from which on a repeated run, or a place of an argument, is tried."""
SHARE = 1 / 3
"""The fraction of profitable repeated runs that one step adds: adding some lowers the prices, and so the profit of
others."""
FAR = 0.1
"""A start whose relaxation is longer than the best time by more than this fraction is not improved."""
GATHERED = 6
"""Nodes with many live bytes before which repeated runs are tried."""
FRUITLESS = 10
"""Random changes in a row after which the search ends, if none of them leads to a shorter program."""
KICKS = 3
"""Changes by which the best decision is altered at random."""
RANKED = 24
"""Changes of a pass that are relaxed, at most: those with the greatest predicted gain."""
TRACE = 0.05
"""The work of a trace, in that of a relaxation with its plan."""
CHEAPEST = 0.3
"""The least work of a relaxation with its plan, in those of a program of a hundred nodes."""
PAIRED = 10
"""Changes of which pairs are tried, at most, once no single one helps, in a program of a hundred nodes."""
TRACED = 150
"""Changes of a pass that are traced, at most, in a program of a hundred kernels."""


@dataclass(frozen=True)
class Change:
    """A change of a decision: other choices for some nodes. `streams`: they exchange values with the primary device as
    streams, where that is possible. `rests`: arguments that change their place, between the primary device and the
    device that makes the result which takes over their memory."""

    choices: tuple[tuple[int, Choice], ...] = ()
    streams: bool = False
    rests: tuple[int, ...] = ()

    def __add__(self, other: Change) -> Change:
        return Change(self.choices + other.choices, self.streams or other.streams, self.rests + other.rests)


class JointSearch:
    """The decisions on a problem that were tried, and the best of them."""

    def __init__(self, problem: Problem, system: MemorySystem, budget: Budget) -> None:
        """`budget`: the number of relaxations, in those of a program of a hundred kernels."""
        self.problem, self.budget = problem, budget
        self.scores = Scores(problem, system)
        self.kernels = Kernels.of(problem) if can_offload(problem) else None
        self.returned = frozenset(problem.outputs)
        hundreds = len(problem.nodes) / 100
        self.cost = max(CHEAPEST, hundreds * max(1.0, hundreds) ** 0.5)
        self.settled: set[Hashable] = set()
        """The decisions that no change shortens."""
        self.pool: dict[Hashable, tuple[float, float, Decision]] = {}
        """The decisions whose moves were planned, each after a lower bound on its time and its score, in ns."""

    def of(self, decision: Decision, below_ns: float = np.inf) -> Scored | None:
        """The score of a decision, paid from the budget; None if its relaxation is at least `below_ns`."""
        before = self.scores.relaxed
        found = self.scores.of(decision, below_ns)
        self.budget.spend(self.cost * (self.scores.relaxed - before + TRACE))
        return found

    def shorter(self, decision: Decision, best: Scored) -> Scored | None:
        """The score of a decision with which the program takes less time than with the best one; else None."""
        found = self.of(decision, best.ns)
        return None if found is None or self.noted(found).ns >= best.ns * (1 - GAIN) else found

    def lower(self, decision: Decision, best: Scored) -> Scored | None:
        """The score of a decision whose relaxation is below that of the best one; else None."""
        return self.of(decision, best.relaxation.bound_ns * (1 - GAIN))

    def noted(self, found: Scored) -> Scored:
        """A scored decision, which is kept for `nearest`."""
        self.pool.setdefault(_key(found.decision), (found.relaxation.bound_ns, found.ns, found.decision))
        return found

    def nearest(self, count: int) -> list[tuple[float, Decision]]:
        """The `count` best decisions of those that were scored, best first, each with a lower bound on its time in
        ns."""
        found = sorted(self.pool.values(), key=lambda each: each[1])[:count]
        return [(bound_ns, decision) for bound_ns, _, decision in found]

    def least_ns(self, decision: Decision) -> float:
        """A lower bound on the time of a decision in ns, if its moves were planned; else 0."""
        return self.pool.get(_key(decision), (0.0,))[0]

    def best_of(self, starts: Iterable[Decision]) -> Scored | None:
        """The best decision that is found; None if no moves make any of the starts fit. The best starts are improved
        first; then the best decision is changed at random and improved again, until the budget is spent or several
        changes in a row did not help."""
        scored: list[Scored] = []
        for start in {_key(start): start for start in starts}.values():
            if (each := self.of(start)) is not None:
                scored.append(self.noted(each))
                if self.budget.spent:
                    break
        if not scored:
            return None
        scored.sort(key=lambda each: each.ns)
        best = self.improved(min(map(self.repeating, scored), key=lambda each: each.ns))
        for start in scored:
            if not self.budget.spent and start.relaxation.bound_ns < best.ns * (1 + FAR):
                best = min(best, self.improved(start), key=lambda each: each.ns)
        chance, left = Random(0), FRUITLESS
        while left and not self.budget.spent:
            changes = list(islice(self.changes(best.decision), int(TRACED / self.cost)))
            decision = best.decision
            for change in chance.sample(changes, min(KICKS, len(changes))):
                decision = self.changed(decision, change)
            self.budget.spend(self.cost)
            kicked, left = self.of(decision), left - 1
            if kicked is not None and (found := self.improved(kicked)).ns < best.ns * (1 - GAIN):
                best, left = found, FRUITLESS
        return best

    def improved(self, best: Scored) -> Scored:
        """The decision after changes of devices and of repeated runs, until none helps or the budget is spent."""
        while not self.budget.spent and _key(best.decision) not in self.settled:
            before = best
            best = self.delayed(self.repeating(self.placed(best)))
            working(f"best so far {time(best.ns)}, with moves")
            if best.ns > before.ns * (1 - GAIN):
                self.settled |= {_key(before.decision), _key(best.decision)}
        return best

    def delayed(self, best: Scored) -> Scored:
        """The decision with copies to the primary device as early as possible, or only as early as needed."""
        return self.shorter(replace(best.decision, late=not best.decision.late), best) or best

    # Repeated runs

    def repeating(self, start: Scored) -> Scored:
        """The decision with other repeated runs, if it then takes less time; found by the relaxation."""
        best = self.thinned(self.more(self.gathered(self.more(start))))
        return best if self.noted(best).ns < start.ns else start

    def more(self, best: Scored) -> Scored:
        """The decision with more repeated runs, those that save the most time at the prices of memory first."""
        share = SHARE
        while not self.budget.spent:
            reruns, again = self.reruns(best), dict(best.decision.again)
            gains = reruns.gains(best.prices, again)
            worth = sorted((gain for gain in gains if gain.ratio > 1), key=lambda gain: (-gain.ratio, gain.units))
            if not worth:
                break
            taken = worth[: max(1, int(len(worth) * share))]
            timed = reruns.timed({*again, *(unit for gain in taken for unit in gain.units)})[0]
            ways = (replace(best.decision, again=frozenset(each.items())) for each in (timed, {**timed, **again}))
            if (found := next(filter(None, (self.lower(way, best) for way in ways)), None)) is not None:
                best = found
            elif len(taken) == 1:
                break
            else:
                share /= 3
        return best

    def gathered(self, best: Scored) -> Scored:
        """The decision with its later repeated runs before one node: what they read need not be kept until then. As
        that node are tried those of the present repeated runs, and those with the most live bytes."""
        dearest = [int(node) for node in np.argsort(-best.live[:-1], kind="stable")[:GATHERED]]
        for node in dict.fromkeys([*sorted({before for _, before in best.decision.again}), *dearest]):
            again = frozenset(
                (each, min(before, node) if each < node else before) for each, before in best.decision.again
            )
            if not self.budget.spent and again != best.decision.again and not self.problem.nodes[node].view:
                best = self.lower(replace(best.decision, again=again), best) or best
        return best

    def thinned(self, best: Scored) -> Scored:
        """The decision without those repeated runs that it does better without; those that take longest are tried
        first."""
        times = {again: best.decision.placement[again[0]].cost.ns for again in best.decision.again}
        for again in sorted(times, key=lambda each: (-times[each], each)):
            if not self.budget.spent:
                best = self.lower(replace(best.decision, again=best.decision.again - {again}), best) or best
        return best

    def reruns(self, scored: Scored) -> Reruns:
        """The nodes that may run again in a decision, which free what is worth most at its prices."""
        placement, prices = scored.decision.placement, scored.prices
        sums = np.concatenate([[0.0], np.cumsum(prices)])

        def gap(after: float, before: float) -> float:
            return float(sums[int(np.ceil(before))] - sums[int(np.floor(after)) + 1])

        trace = node_trace(self.problem, placement)
        return Reruns(trace, able=lambda node: may_repeat(self.problem, placement[node]), gap=gap)

    # Devices

    def placed(self, best: Scored) -> Scored:
        """The decision after one pass over the moves of nodes to other devices, ranked by their predicted times; if
        none of them helps, after pairs of the best ones."""
        ranked = [change for _, change in sorted(self.predicted(best), key=lambda each: each[0])]
        after = self.tried(best, ranked[: int(RANKED / min(self.cost, 1.0))])
        if after is not best:
            return after
        pairs = combinations(ranked[: int(PAIRED / self.cost)], 2)
        return self.tried(best, (one + other for one, other in pairs))

    def tried(self, best: Scored, changes: Iterable[Change]) -> Scored:
        """The decision after those of some changes that shorten it, tried in this order."""
        for change in changes:
            if self.budget.spent:
                break
            best = self.shorter(self.changed(best.decision, change), best) or best
        return best

    def predicted(self, best: Scored) -> Iterator[tuple[float, Change]]:
        """The changes that may shorten a decision's time, each with the time in ns that the prices of memory predict;
        no time is less than that of the bytes over the bus that exceed the memory at one time."""
        system, enough = self.scores.system, best.ns * (1 - GAIN)
        met = {_key(best.decision)}
        for change in islice(self.changes(best.decision), int(TRACED / self.cost)):
            decision = self.changed(best.decision, change)
            if (key := _key(decision)) in met:
                continue
            met.add(key)
            if self.budget.left <= 0:
                return
            self.budget.spend(TRACE * self.cost)
            trial = self.scores.traced(decision)
            if trial is None:
                continue
            excess = max(0.0, trial.program.trace.peak_live - system.capacity) / system.in_rate * 1e9
            least = max(trial.ideal_ns, excess)
            held, more = float(best.prices @ (trial.live - best.live)), trial.ideal_ns - best.ideal_ns
            if least < enough:
                yield max(best.ns + held + more, least), change

    def changes(self, decision: Decision) -> Iterator[Change]:
        """The moves of arguments; then those of nodes: groups of equal nodes, their halves, quarters and eighths, then
        connected nodes and single ones."""
        placement = decision.placement
        for given, taken in self.problem.movable.items():
            if self.problem.lands(taken, placement) != self.problem.primary:
                yield Change(rests=(given,))
        for nodes in parts(groups(self.problem, placement)):
            for label in dict.fromkeys(choice.label for node in nodes for choice in self.problem.nodes[node].choices):
                yield from self._each_mode(
                    placement,
                    tuple(
                        (node, choice)
                        for node in nodes
                        for choice in self.problem.nodes[node].choices
                        if choice.label == label
                    ),
                )
        for move in placement_moves(self.problem, placement):
            yield from self._each_mode(placement, tuple(move))

    def _each_mode(self, placement: Sequence[Choice], choices: tuple[tuple[int, Choice], ...]) -> Iterator[Change]:
        flying = self.kernels is not None and any(
            node in self.kernels.candidates and choice.device != self.problem.primary for node, choice in choices
        )
        if flying:
            yield Change(choices, streams=True)
        if any(placement[node] is not choice for node, choice in choices):
            yield Change(choices)

    def changed(self, decision: Decision, change: Change) -> Decision:
        """A decision after a change; views follow what they show."""
        placement, moved = list(decision.placement), dict(change.choices)
        for node, choice in moved.items():
            placement[node] = choice
        for node in self.problem.nodes:
            if node.view and node.reads and node.index not in moved and not placement[node.index].parts[0].residents:
                placement[node.index] = node.on(self.problem.lands(node.reads[0], placement)) or placement[node.index]
        flows = {pair for pair in decision.flows if not moved.keys() & set(pair)}
        for node, choice in moved.items():
            if change.streams and choice.device != self.problem.primary:
                flows.update(self.flows(node))
        primary = self.problem.primary
        again = frozenset(each for each in decision.again if placement[each[0]].device == primary)
        inputs = self._inputs(decision, change, placement)
        return Decision(tuple(placement), frozenset(flows), again, inputs, decision.late)

    def _inputs(self, decision: Decision, change: Change, placement: Placement) -> dict[int, str]:
        """The arguments that rest on other devices after a change."""
        moved, problem = {node for node, _ in change.choices}, self.problem
        made = {given: problem.lands(taken, placement) for given, taken in problem.movable.items()}
        found = {given: each for given, each in decision.input_devices.items() if made[given] == each}
        for given, device in resting(problem, placement).items():
            touching = {problem.producer.get(problem.movable[given], -1), *readers(problem, given)}
            if not moved.isdisjoint(touching):
                found[given] = device
        for given in change.rests:
            if found.pop(given, None) is None and made[given] != problem.primary:
                found[given] = made[given]
        return found

    def rounded(self, found: JointRelaxation) -> Decision:
        """The decision with the greatest fractions of a solution of the bound's linear program; what can flow as a
        stream does."""
        problem, primary = self.problem, self.problem.primary
        taken = {
            n.index: max(n.choices, key=lambda each: found.fractions.get((n.index, each), 0.0)) for n in problem.nodes
        }
        chosen = tuple((node, choice) for node, choice in taken.items() if not problem.nodes[node].view)
        again: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for (unit, before), fraction in found.reruns.items():
            if taken[unit].device == primary and before < len(problem.nodes) and may_repeat(problem, taken[unit]):
                again[unit].append((fraction, before))
        whole = {(u, max(each)[1]) for u, each in again.items() if sum(fraction for fraction, _ in each) > HALF}
        inputs = {given: device for (given, device), fraction in found.rests.items() if fraction > HALF}
        start = Decision(tuple(gpu(problem)), again=frozenset(whole), input_devices=inputs)
        return self.changed(start, Change(chosen, streams=True))

    def flows(self, node: int) -> Iterator[tuple[int, int]]:
        """The pairs (maker, taker) of nodes between which values can stream if this node runs on another device; the
        number of nodes as the taker of results of the program."""
        if self.kernels is None or node not in self.kernels.candidates:
            return
        candidate = self.kernels.candidates[node]
        yield from ((maker, node) for maker in self.kernels.written_by(candidate))
        yield from ((node, reader) for reader in self.kernels.read_by(candidate))
        if candidate.reads and not self.returned.isdisjoint(self.problem.nodes[node].writes):
            yield node, len(self.problem.nodes)


def decision_of(problem: Problem, schedule: Schedule) -> Decision:
    """The decision that a schedule contains: its order is not part of it."""
    walk = problem.walk(schedule.placement, schedule.input_devices)
    nodes = [node for node, _ in walk]
    flows = frozenset((nodes[other], nodes[job]) for job, other in schedule.streams if nodes[job] != nodes[other])
    return Decision(tuple(schedule.placement), flows, frozenset(), dict(schedule.input_devices))


def _key(decision: Decision) -> Hashable:
    inputs = frozenset(decision.input_devices.items())
    return decision.placement, decision.flows, decision.again, inputs, decision.late


def groups(problem: Problem, placement: Sequence[Choice]) -> list[list[int]]:
    """The nodes with equal choices, by their labels and times, that are now on the same device; those that take longest
    together first."""
    found: dict[Hashable, list[int]] = defaultdict(list)
    for node in problem.nodes:
        if not node.view and len(node.choices) > 1:
            facts = tuple((choice.label, float(f"{choice.cost.ns:.3g}")) for choice in node.choices)
            found[facts, placement[node.index].label].append(node.index)
    return sorted(found.values(), key=lambda nodes: -sum(placement[node].cost.ns for node in nodes))


def parts(found: Sequence[Sequence[int]]) -> Iterator[Sequence[int]]:
    """The groups, then their halves, quarters and eighths."""
    for count in (1, 2, 4, 8):
        for group in found:
            size = -(-len(group) // count)
            for first in range(0, len(group), size) if len(group) >= count else ():
                yield group[first : first + size]
