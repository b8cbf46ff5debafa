"""The best placement and order of unpartitioned ops: the shortest makespan with concurrent devices, queues and links.

1. Small programs are solved as a whole (lowering/optimise/exact/solver.py).
2. Larger ones are cut into segments whose times add up (lowering/bounds/segments.py). Each segment has a
   lower bound for each pair of devices of the values at its two ends; the shortest path through all segments bounds
   the program. Only the segments on that path are solved exactly, equal segments once, which raises their bounds; this
   is repeated until the path no longer changes. So few segments are ever solved, and the path is proved to be the
   shortest.
3. The solutions are assembled and compared with those of beam search of the whole program. Within
   the limit, the segments with the largest gaps are searched for longer, and so is the whole program.

The result is never worse than that of the least effort (small.py), and its gap to the optimum is bounded and
reported.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from math import inf
from time import monotonic

from dialects.diagnostics import working
from interp.figures import percent, time
from interp.simulate.events.jobs import Bound
from lowering.bounds.makespan import bound_of
from lowering.bounds.segments import Segment, pairs, part_of, same_choices, segments_of, shape_of_problem
from lowering.bounds.subproblem import whole_subproblem
from lowering.instance.choice import Choice, Placement
from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import Name, listed, names, scheduled
from lowering.limits import LIMITS
from lowering.optimise.exact import solver as exact
from lowering.optimise.quick.heuristics import quick
from lowering.optimise.search.improving import improved, improvements
from lowering.optimise.search.lowest import lowest
from lowering.optimise.search.small import place_small
from lowering.optimise.search.urgency import look_ahead
from lowering.optimise.search.windows import EFFORT as WINDOW
from lowering.optimise.search.windows import Windows
from lowering.solve.stopping import is_over, until_after

ASSEMBLY_GAIN = 1e-3
"""Fraction of the makespan: the schedules of all segments are assembled again when the sum of their makespans has
decreased by this."""
WINDOWS = 1 / 6
"""The effort of all neighbourhood searches, as a fraction of that of all searches together."""
SEGMENT_SEARCHES = 100
"""The effort of all searches of one segment, in efforts of the first one, if no limit in seconds is given."""
CONCURRENT_RATIO = 1.02
"""Ratio of makespans: searches of the whole program continue along with those of segments as long as their result is
within this factor of the best schedule."""
MODEL_NODES = 100
"""Nodes of a program: for a program of n times this many nodes, building the model of a neighbourhood search counts
as n times the work of the search itself (n >= 1)."""

Pair = tuple[str | None, str | None]
"""The devices of the values at the two ends of a segment; None at an end of the program."""


class Budget:
    """The search work that remains: in seconds if a time limit is given, otherwise in deterministic seconds of CP-SAT,
    so that the result is the same on every machine."""

    def __init__(self, limit_s: float, effort: float = LIMITS.optimal_effort) -> None:
        self.until = until_after(limit_s)
        self.left = inf if limit_s else effort

    @property
    def seconds(self) -> float:
        """The remaining seconds; 0 if the search must end."""
        if is_over(self.until):
            return 0.0
        return self.until - monotonic() if self.limited else inf

    @property
    def limited(self) -> bool:
        """True if a limit in seconds is given."""
        return self.until < inf

    @property
    def spent(self) -> bool:
        return min(self.left, self.seconds) <= 0

    def solve(
        self, problem: Problem, hint: Schedule | None, most: float = LIMITS.segment_effort
    ) -> exact.Solved | None:
        """Search exactly, with at most the given effort; None if the budget is spent."""
        if self.spent:
            return None
        effort = min(most, self.left)
        self.left -= effort
        return exact.solve(problem, effort, hint, seconds=self.seconds)


@dataclass(frozen=True)
class Answer:
    """Results for a segment between two devices. `bound`: a lower bound, by its critical path or, if `closer`, by a
    tighter method; `schedule`: the best schedule, None before the first search; `ends`: the makespan of that
    schedule."""

    bound: float
    closer: bool = False
    ends: float = inf
    schedule: Schedule | None = None
    effort: float = LIMITS.segment_effort
    """The effort allowed for the next search of the segment, or spent in the last one."""

    @property
    def searched(self) -> bool:
        return self.schedule is not None


def optimise(problem: Problem) -> Schedule:
    """The schedule with the shortest makespan, among those that fit memory, within the limit of the options; with its
    lower bound."""
    budget = Budget(problem.options.limit, LIMITS.optimal_effort * problem.options.long)
    found = Incumbent(problem, lowest(problem))
    if not problem.regions:
        found.consider(look_ahead(problem))
    start = problem.decided("small", place_small)
    found.consider(start)
    if start.bound is not None:
        found.raise_bound(start.bound)
    if len(problem.nodes) <= LIMITS.whole_nodes:
        found.solve_program(budget)
    improving = Improving(found, budget)
    if problem.options.limit:
        improving.begin()
    if not found.done and problem.nodes and budget.seconds > 0:
        row, reached = SegmentRow(problem, budget), inf
        for length in row.refine() if row.complete else ():
            found.raise_bound(Bound(length, "serial segments, each with its best placement"))
            best = row.shortest(ends=True)[0]
            if best < reached * (1 - ASSEMBLY_GAIN) or budget.spent:
                reached = best
                for schedule in row.assembled():
                    found.consider(schedule)
                    found.consider_orders(schedule.placement)
            improving.match_segments()
            if found.done:
                break
    improving.end()
    return found.schedule


class Incumbent:
    """The best schedule so far, and a lower bound on all schedules."""

    def __init__(self, problem: Problem, bound: Bound) -> None:
        self.problem = problem
        self.bound = bound
        self.best = Schedule(())
        self.ends = inf
        self.fits = False

    @property
    def done(self) -> bool:
        """True if the best schedule fits memory, and its gap to the bound is 0 or at most the gap that the options
        allow."""
        return self.fits and self.ends <= self.bound.ns * (1 + max(self.problem.options.gap, LIMITS.rounding))

    @property
    def schedule(self) -> Schedule:
        return replace(self.best, bound=self.bound, ns=self.ends)

    def consider(self, schedule: Schedule) -> None:
        """Keep a schedule if it is shorter than the best one; one that fits memory is preferred to one that does
        not."""
        ends = self.problem.ends(schedule)
        if self.fits and not ends < self.ends * (1 - LIMITS.rounding):
            return
        fits = self.problem.fits(schedule)
        if (fits, -ends) > (self.fits, -self.ends):
            self.best, self.ends, self.fits = schedule, ends, fits
            self._report()

    def consider_orders(self, placement: Placement) -> None:
        """Evaluate a placement in the orders that list scheduling finds."""
        self.consider(Schedule(placement))
        for schedule in listed(self.problem, placement):
            self.consider(schedule)

    def raise_bound(self, bound: Bound) -> None:
        if bound.ns > self.bound.ns * (1 + LIMITS.rounding):
            self.bound = bound
            self._report()

    def _report(self) -> None:
        gap = percent(self.ends / self.bound.ns - 1) if self.bound.ns and self.ends < inf else "unknown"
        working(f"best so far {time(self.ends)}, none below {time(self.bound.ns)}, gap {gap}")

    def solve_program(self, budget: Budget) -> None:
        """Search exactly, starting from the best schedule."""
        solved = budget.solve(self.problem, self.best if self.fits else None, LIMITS.whole_effort)
        if solved is not None:
            self.consider(solved.schedule)
            if self.fits:
                self.raise_bound(Bound(solved.bound_ns, "exact search").below(self.ends, "any placement"))


class Improving:
    """Searches of the whole program within the budget: beam search (lowering/optimise/search/improving.py), and large
    neighbourhood search (lowering/optimise/search/windows.py)."""

    def __init__(self, found: Incumbent, budget: Budget) -> None:
        self.found = found
        self.budget = budget
        self.each = improvements(found.problem, lambda: budget.seconds <= 0)
        self.work = 0
        self.ends = inf
        """The shortest makespan found by these searches."""
        self.took = 0.0
        self.began = monotonic()
        self.windows = Windows(found.problem)
        self.windows_took = 0.0
        self.windows_left = LIMITS.optimal_effort * WINDOWS * found.problem.options.long
        self.beam_placed = LIMITS.beam_placed * found.problem.options.long

    def begin(self) -> None:
        """Search with the amount of work that is used if no limit in seconds is given, but for at most a quarter of the
        limit."""
        most = self.found.problem.options.limit / 4
        while self.work < self.beam_placed and self.took < most and self._next():
            pass
        self.began, self.took = monotonic(), 0.0

    def match_segments(self) -> None:
        """If a time limit is given, search the whole program for as long as segments have been searched since the last
        call, provided that the results of whole-program searches are about as good as the best schedule."""
        if self.found.problem.options.limit:
            while (
                self.ends <= self.found.ends * CONCURRENT_RATIO
                and 2 * self.took < monotonic() - self.began
                and self._next()
            ):
                pass
            while 2 * self.windows_took < monotonic() - self.began and self._window():
                pass

    def end(self) -> None:
        """Search until the limit, alternating beam search and neighbourhood search for about equal times; if no limit
        is given, search with a fixed amount of work."""
        limited, beams, windows = self.budget.limited, True, True
        while beams or windows:
            if beams and (not limited or not windows or self.took <= self.windows_took):
                beams = (limited or self.work < self.beam_placed) and self._next()
            elif windows:
                windows = self._window()

    def _window(self) -> bool:
        """Search one neighbourhood; returns True if further neighbourhood searches may shorten the schedule."""
        found, began, seconds = self.found, monotonic(), self.budget.seconds
        limited = self.budget.limited
        if found.done or not found.fits or not self.windows.able or seconds <= 0:
            return False
        if not limited and self.windows_left <= 0:
            return False
        self.windows_left -= LIMITS.segment_effort * WINDOW * max(1.0, len(found.problem.nodes) / MODEL_NODES)
        found.consider(self.windows.better(found.schedule, seconds))
        self.windows_took += monotonic() - began
        return True

    def _next(self) -> bool:
        """Run one beam search; returns True if further beam searches may shorten the schedule."""
        began = monotonic()
        if self.found.done or (following := next(self.each, None)) is None:
            return False
        schedule, self.work = following
        self.ends = min(self.ends, self.found.problem.ends(schedule))
        self.found.consider(schedule)
        self.took += monotonic() - began
        return True


class SegmentRow:
    """The segments of a problem in order, and for each segment the results for each pair of devices at its ends."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        self.problem = problem
        self.budget = budget
        self.segments = segments_of(problem)
        self.known: dict[Hashable, Answer] = {}
        self.keys: list[dict[Pair, Hashable]] = []
        self.parts: dict[Hashable, Problem] = {}
        for segment in self.segments:
            if budget.seconds <= 0:
                break
            mine: dict[Pair, Hashable] = {}
            for entry_device, exit_device in pairs(problem, segment):
                part = part_of(problem, segment, entry_device, exit_device)
                key = mine[entry_device, exit_device] = shape_of_problem(part)
                if key not in self.known:
                    self.parts[key] = part
                    self.known[key] = Answer(whole_subproblem(part).longest)
            self.keys.append(mine)
        self.complete = len(self.keys) == len(self.segments)
        """True if the limit sufficed to evaluate all of them."""

    def refine(self) -> Iterator[float]:
        """The length of the shortest path, repeatedly: once all its segments were searched, and after each further
        search of the segment with the largest gap; until no gap is left, or the budget is spent."""
        yield self.settled()
        while (key := self.loosest()) is not None and not self.budget.spent:
            answer = self.known[key]
            self.known[key] = self.search(self.parts[key], replace(answer, effort=4 * answer.effort))
            yield self.settled()

    def settled(self) -> float:
        """Search the segments on the shortest path until the shortest path contains only searched segments; returns its
        length. Bounds of its segments are tightened first, which rules out most paths."""
        while True:
            length, way = self.shortest(ends=False)
            if self.budget.seconds <= 0:
                return length
            keys = dict.fromkeys(mine[pair] for mine, pair in zip(self.keys, way, strict=True))
            loose = [key for key in keys if not self.known[key].closer]
            waiting = [key for key in keys if not self.known[key].searched]
            for key in loose:
                bound = bound_of(whole_subproblem(self.parts[key])).ns
                self.known[key] = replace(self.known[key], bound=max(bound, self.known[key].bound), closer=True)
            if not loose:
                if not waiting:
                    return length
                for key in waiting:
                    if self.budget.seconds > 0:
                        self.known[key] = self.search(self.parts[key], self.known[key])

    def loosest(self) -> Hashable | None:
        """The segment that is worth a longer search: among the segments on the path that is shortest by makespans, the
        segment with the largest quotient of its gap between bound and makespan, times the number of its occurrences
        on the path, and the effort spent on it. None if all of these segments are proved optimal or have used their
        maximum effort."""
        way = self.shortest(ends=True)[1]
        gains: dict[Hashable, float] = {}
        for mine, pair in zip(self.keys, way, strict=True):
            answer = self.known[key := mine[pair]]
            able = len(self.parts[key].nodes) <= LIMITS.segment_nodes and (
                answer.effort < LIMITS.segment_effort * SEGMENT_SEARCHES or self.budget.limited
            )
            if able and answer.ends > answer.bound * (1 + LIMITS.rounding):
                gains[key] = gains.get(key, 0.0) + (answer.ends - answer.bound) / answer.effort
        return max(gains, key=lambda key: gains[key], default=None)

    def search(self, part: Problem, known: Answer) -> Answer:
        """The best schedule of the segment `part` and a lower bound, found by rules and by an exact search with the
        effort stated in `known`, the segment's answer so far."""
        best, ends, bound = known.schedule or Schedule(()), known.ends, known.bound
        if known.schedule is None:
            for schedule in _of_part(part):
                if (reached := part.ends(schedule)) < ends:
                    best, ends = schedule, reached
        if ends > bound * (1 + LIMITS.rounding) and len(part.nodes) <= LIMITS.segment_nodes:
            solved = self.budget.solve(part, best, known.effort)
            if solved is not None:
                if (reached := part.ends(solved.schedule)) < ends:
                    best, ends = solved.schedule, reached
                proved = solved.bound_ns if part.fits(best) else min(solved.bound_ns, ends)  # on those that fit memory
                bound = max(bound, Bound(proved, "exact search").below(ends, "any placement").ns)
        return Answer(bound, True, ends, best, known.effort)

    def shortest(self, ends: bool) -> tuple[float, list[Pair]]:
        """The shortest path through all segments, by the lower bounds of segments or, with `ends`, by the makespans of
        their schedules."""
        steps: list[dict[str | None, tuple[float, str | None]]] = []
        at: dict[str | None, float] = {None: 0.0}
        for mine in self.keys:
            best: dict[str | None, tuple[float, str | None]] = {}
            for (entry_device, exit_device), key in mine.items():
                answer = self.known[key]
                length = at[entry_device] + (answer.ends if ends else answer.bound)
                if exit_device not in best or length < best[exit_device][0]:
                    best[exit_device] = length, entry_device
            steps.append(best)
            at = {exit_device: length for exit_device, (length, _) in best.items()}
        place = min(at, key=lambda exit_device: at[exit_device])
        length, way = at[place], list[Pair]()
        for best in reversed(steps):
            entry_device = best[place][1]
            way.append((entry_device, place))
            place = entry_device
        return length, way[::-1]

    def assembled(self) -> Iterator[Schedule]:
        """Schedules of the program, assembled from those of the segments on two shortest paths: the path by makespans
        and the path by bounds."""
        for ends in (True, False):
            length, way = self.shortest(ends)
            if length < inf:
                yield self.assemble(way)

    def assemble(self, way: list[Pair]) -> Schedule:
        placement: list[Choice | None] = [None] * len(self.problem.nodes)
        ranks: dict[Name, tuple[float, ...]] = {}
        for place, (segment, mine, pair) in enumerate(zip(self.segments, self.keys, way, strict=True)):
            answer = self.known[mine[pair]]
            if answer.schedule is not None:
                part = part_of(self.problem, segment, *pair)
                chosen = same_choices(self.parts[mine[pair]], answer.schedule.placement, part)
                self._fill(placement, segment, chosen)
                begins, _ = part.spans(replace(answer.schedule, placement=chosen))
                for name, begin in zip(names(part, chosen), begins, strict=True):
                    ranks[_renamed(name, segment)] = (float(place), begin)
        filled = self._rest(placement)
        return scheduled(self.problem, filled, ranks)

    @staticmethod
    def _fill(placement: list[Choice | None], segment: Segment, chosen: Placement) -> None:
        for index, choice in zip(segment.nodes, chosen, strict=True):
            placement[index] = choice

    def _rest(self, placement: list[Choice | None]) -> list[Choice]:
        """Choices for the nodes outside of the segments: the choice of each with the least cost, including copies."""
        problem = self.problem
        done: list[Choice] = []
        for node, choice in zip(problem.nodes, placement, strict=True):
            if choice is None:
                choice = min(node.choices, key=lambda each: each.cost.ns + self._brought(each, done))
            done.append(choice)
        return done

    def _brought(self, choice: Choice, done: list[Choice]) -> float:
        problem = self.problem
        ways = ((value, problem.lands(value, done), device) for value, device in choice.needs)
        return sum(problem.copies.ns(*way) for way in ways)


def _of_part(part: Problem) -> Iterator[Schedule]:
    """Schedules found by rules for a segment; for a segment without nodes, the only schedule, which has just the copies
    of earlier results."""
    if len(part.nodes) > LIMITS.whole_nodes:
        yield from improved(part, LIMITS.beam_placed // 10)
    if len(part.nodes) <= LIMITS.whole_nodes or part.regions:
        yield Schedule(quick(part))


def _renamed(name: Name, segment: Segment) -> Name:
    """A job's name with the node numbers of the whole problem."""
    return (name[0], segment.nodes[name[1]]) if len(name) == 2 else name
