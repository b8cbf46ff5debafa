"""Placements by rules and by local search: each selects one of the choices of every node of a problem."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from typing import TypeAlias

from lowering.instance.choice import Choice, Node, Placement
from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import reordered
from lowering.limits import LIMITS
from lowering.optimise.quick.construct import construct
from lowering.optimise.quick.neighbours import Neighbours
from lowering.solve.climbing import Budget, improve

Move: TypeAlias = "list[tuple[int, Choice]]"
"""New choices for some nodes, by node index."""


def gpu(problem: Problem) -> Placement:
    """Each node on the first processor that can run it, the primary device or not; a node that no processor can run, on
    another device."""
    devices = problem.clock.machine.devices
    return _first(problem, lambda choice: not devices[choice.device].runs_all)


def pim_first(problem: Problem) -> Placement:
    """Each node on the first PIM, or other device with a restricted set of ops, that can run it; if there is none, on
    the first other device but the primary one that can run it; otherwise on the primary device. Nodes are moved off
    a device whose memory is full."""
    devices, primary = problem.clock.machine.devices, problem.primary
    rank = {name: (record.runs_all, name == primary) for name, record in devices.items()}
    return settle(problem, _first(problem, lambda choice: rank[choice.device]))


def _first(problem: Problem, rank: Callable[[Choice], int | tuple[int, ...]]) -> list[Choice]:
    """The choice of least rank of each node, the first one among equal ranks; a view is placed with the producer of the
    first value that it shows."""
    placement = _ranked(problem, rank, {})
    views = (node for node in problem.nodes if node.view)
    states = [node for node in views if any(part.residents for part in node.choices[0].parts)]
    where: dict[int, Choice] = {}
    for node in states:  # a state lies where it is read
        readers = [placement[reader].device for value in node.writes for reader in problem.consumers[value]]
        if readers and (there := node.on(readers[0])) is not None:
            where[node.index] = there
    return _ranked(problem, rank, where) if where else placement


def _ranked(
    problem: Problem, rank: Callable[[Choice], int | tuple[int, ...]], where: Mapping[int, Choice]
) -> list[Choice]:
    """Each node as `where` says, a view with the producer of the first value that it shows, any other node by rank."""
    placement: list[Choice] = []
    for node in problem.nodes:
        there = node.on(problem.lands(node.reads[0], placement)) if node.view and node.reads else None
        placement.append(where.get(node.index) or there or min(node.choices, key=rank))
    return placement


def greedy(problem: Problem) -> Placement:
    """In program order, each node on the device on which it ends first, given the locations of its inputs and the
    occupation of devices and links."""
    order = range(len(problem.nodes))
    return settle(problem, construct(problem, order, defaultdict(float), partial=problem.partial()).placement)


def quick(problem: Problem) -> Placement:
    """The best of all other rules and of dynamic programming, by simulated makespan, then improved by moving nodes and
    regions.

    Dynamic programming over the program order is exact for trees of serial nodes; `improve_locally` corrects for values
    with several consumers, and `search` simulates each move with all overlap. The result is never worse than those of
    `gpu`, `pim-first` and `greedy` that fit memory.
    """
    starts = [
        gpu(problem),
        pim_first(problem),
        greedy(problem),
        settle(problem, improve_locally(problem, by_tree(problem))),
    ]
    usable = [placement for placement in starts if problem.fits(placement)]
    if not usable:
        return starts[-1]
    return with_states(problem, search(problem, min(usable, key=problem.makespan)))


def with_states(problem: Problem, placement: Placement) -> Placement:
    """A placement after moving states to the devices of their readers, all or one by one, where that takes no longer: a
    copy of a whole state in each step, even one that hides behind other work, takes energy and a link's time."""
    ns = 0.0
    for some in _to_readers(problem, placement):
        ns = ns or problem.makespan(placement)
        trial = moved(placement, some)
        if trial is not None and problem.fits(trial) and problem.makespan(trial) <= ns * (1 + LIMITS.rounding):
            placement, ns = trial, problem.makespan(trial)
    return placement


def schedule_with_states(problem: Problem, schedule: Schedule) -> Schedule:
    """The same for a schedule, whose jobs are ordered anew."""
    if schedule.waits or schedule.streams or schedule.input_devices:
        return schedule
    for some in _to_readers(problem, schedule.placement):
        trial = moved(schedule.placement, some)
        if trial is None or not problem.fits(trial):
            continue
        found = reordered(problem, Schedule(trial, decisions=schedule.decisions))
        if found.ns <= problem.ends(schedule) * (1 + LIMITS.rounding):
            schedule = replace(found, bound=schedule.bound, published=schedule.published)
    return schedule


def _to_readers(problem: Problem, placement: Placement) -> list[Move]:
    """The moves of states to the one device that reads them: all together, then one by one."""
    found: Move = []
    for node in problem.nodes:
        if not node.view or not any(part.residents for part in placement[node.index].parts):
            continue
        readers = {placement[reader].device for value in node.writes for reader in problem.consumers[value]}
        there = node.on(min(readers)) if len(readers) == 1 else None
        if there is not None and there is not placement[node.index]:
            found.append((node.index, there))
    return [found, *([move] for move in found)] if found else []


def priority(problem: Problem) -> Placement:
    """Each node on the first of the devices of `options.devices` that can run it, else by its first choice; moved if a
    device's memory is full. A view is placed with the producer of the first value that it shows."""
    return settle(problem, by_priority(problem, problem.options.devices))


def by_priority(problem: Problem, wanted: Sequence[str]) -> list[Choice]:
    """Each node on the first of some devices that can run it, whether memory is sufficient or not."""
    rank = {device: place for place, device in enumerate(wanted)}
    return _first(problem, lambda choice: rank.get(choice.device, len(rank)))


def by_tree(problem: Problem) -> list[Choice]:
    """Dynamic programming over the program order: the minimum cost of each node's results for each of its choices.

    best(n, c) = cost(n, c) + sum over inputs v of min over c' of best(producer of v, c') / number of consumers of v +
    copy(v, from the device of c' to the device of c)

    A producer's cost is divided among its consumers, which is exact for trees and a good approximation if values have
    several consumers. The backward pass then fixes each node once, given the choices of its consumers.
    """
    best: dict[Choice, float] = {}
    for node in problem.nodes:
        best |= {choice: _tree_cost(problem, choice, best) for choice in node.choices}
    placement: list[Choice] = []
    wanted: dict[int, set[str]] = {value: {problem.exit_of(value)} for value in problem.outputs}
    for node in reversed(problem.nodes):
        totals = {choice: best[choice] + _leaving(problem, node, choice, wanted) for choice in node.choices}
        placement.append(min(totals, key=lambda choice: totals[choice]))
        for value, device in placement[-1].needs:
            wanted.setdefault(value, set()).add(device)
    return placement[::-1]


def _tree_cost(problem: Problem, choice: Choice, best: dict[Choice, float]) -> float:
    total = choice.cost.ns
    for value, device in choice.needs:
        maker = problem.producer.get(value)
        readers = max(1, len(problem.consumers[value]))
        if maker is None:
            total += problem.brought(value, device) / readers
        else:
            total += min(
                best[other] / readers + problem.copies.ns(value, other.lands, device)
                for other in problem.nodes[maker].choices
            )
    return total


def _leaving(problem: Problem, node: Node, choice: Choice, wanted: dict[int, set[str]]) -> float:
    return sum(
        problem.copies.ns(value, choice.lands, device)
        for value in node.writes
        for device in sorted(wanted.get(value, ()))
    )


def improve_locally(problem: Problem, placement: Placement, sweeps: int = 4) -> list[Choice]:
    """Change single nodes as long as the sum of all tasks and copies decreases, sweeping forwards and backwards through
    the program."""
    outputs = frozenset(problem.outputs)
    orders = cycle((problem.nodes, problem.nodes[::-1]))

    def better(placement: list[Choice], node: Node) -> list[Choice] | None:
        here, totals = placement[node.index], dict[Choice, float]()
        for choice in (here, *(other for other in node.choices if other is not here)):
            placement[node.index] = choice
            totals[choice] = _local_cost(problem, node, placement, outputs)
        placement[node.index] = min(totals, key=lambda choice: totals[choice])
        return None if placement[node.index] is here else placement

    def moves(placement: list[Choice]) -> Iterable[Node]:
        return (node for node in next(orders) if len(node.choices) > 1)

    return improve(list(placement), moves, better, Budget(), passes=sweeps)


def _local_cost(problem: Problem, node: Node, placement: Placement, outputs: frozenset[int]) -> float:
    """The node's own cost and all copies of values that it reads or writes, in ns."""
    total = placement[node.index].cost.ns
    for value in (*node.reads, *node.writes):
        targets = {problem.exit_of(value)} if value in outputs else set[str]()
        for reader in problem.consumers[value]:
            targets.update(device for read, device in placement[reader].needs if read == value)
        if value not in problem.producer:
            total += sum(problem.brought(value, target) for target in sorted(targets))
            continue
        source = problem.lands(value, placement)
        total += sum(problem.copies.ns(value, source, target) for target in sorted(targets))
    return total


def search(problem: Problem, placement: Placement) -> Placement:
    """Hill climbing by simulated makespan: connected sets of nodes on one device are moved as a whole, then single
    nodes; moves that shorten the makespan and fit memory are kept; it stops at a local optimum or after
    `LIMITS.climbing_placed` node placements."""
    budget = Budget(LIMITS.climbing_placed // max(1, len(problem.nodes)))

    def better(best: Neighbours, move: Move) -> Neighbours | None:
        if (trial := moved(best.placement, move)) is None:
            return None
        budget.spend()
        changed = [index for index, _ in move]
        if not best.has_room(trial, changed):
            return None
        shorter = best.ends(trial, changed) < best.makespan * (1 - LIMITS.rounding)
        return Neighbours(problem, trial) if shorter and problem.fits(trial) else None

    start = Neighbours(problem, placement)
    return improve(start, lambda best: moves(problem, best.placement), better, budget).placement


def moved(placement: Placement, move: Move) -> list[Choice] | None:
    """A placement with other choices for some nodes; None if it has these choices already."""
    trial = list(placement)
    for index, choice in move:
        trial[index] = choice
    return None if all(placement[index] is choice for index, choice in move) else trial


def descend(
    nodes: Sequence[Node], placement: Placement, ends: Callable[[Placement], float], sweeps: int = 1
) -> tuple[list[Choice], float]:
    """A placement after moving single nodes one by one as long as that shortens the makespan, in at most `sweeps`
    passes; and its makespan (0 without nodes)."""
    every = [(node.index, choice) for node in nodes for choice in node.choices]

    def better(best: tuple[list[Choice], float], move: tuple[int, Choice]) -> tuple[list[Choice], float] | None:
        trial = moved(best[0], [move])
        return (trial, ns) if trial is not None and (ns := ends(trial)) < best[1] else None

    start = list(placement), ends(placement) if nodes else 0.0
    return improve(start, lambda best: every, better, Budget(), passes=sweeps)


def moves(problem: Problem, placement: Placement) -> Iterator[Move]:
    """The moves to try next: first each connected set of nodes on the same device to another device, large sets first;
    then each state with its readers; then each node to each of its other choices. Nodes that run together by one of
    the problem's regions are not moved."""
    now = list(placement)
    together = {region.choice for region in problem.regions}
    for region in sorted(regions(problem, now), key=lambda region: (-len(region), region)):
        if len(region) > 1:
            for device in problem.devices:
                if device != now[region[0]].device:
                    free = (index for index in region if now[index] not in together)
                    able = [(index, other) for index in free if (other := problem.nodes[index].on(device))]
                    if able:
                        yield able
    yield from _with_readers(problem, now)
    for node in problem.nodes:
        for choice in node.choices if now[node.index] not in together else ():
            if choice is not now[node.index]:
                yield [(node.index, choice)]


def _with_readers(problem: Problem, placement: Placement) -> Iterator[Move]:
    """The moves of each state together with the nodes that read it to another device."""
    together = {region.choice for region in problem.regions}
    for node in problem.nodes:
        if not node.view or not any(part.residents for part in placement[node.index].parts):
            continue
        readers = [reader for value in node.writes for reader in problem.consumers[value]]
        for device in problem.devices if readers else ():
            there = [(index, problem.nodes[index].on(device)) for index in (node.index, *readers)]
            able = [(index, choice) for index, choice in there if choice is not None]
            same = all(placement[index] is choice for index, choice in able)
            if len(able) == len(there) and not same and not any(placement[index] in together for index, _ in able):
                yield able


def regions(problem: Problem, placement: Placement) -> list[list[int]]:
    """The maximal connected sets of nodes that a placement puts on the same device."""
    group: dict[int, list[int]] = {}
    for node in problem.nodes:
        mine = group[node.index] = [node.index]
        here = placement[node.index].device
        for value in node.reads:
            maker = problem.producer.get(value)
            if maker is None or placement[maker].device != here or group[maker] is mine:
                continue
            mine, other = sorted((group[maker], mine), key=len, reverse=True)
            mine += other
            for index in other:
                group[index] = mine
    return [sorted(members) for index, members in group.items() if members[0] == index]


def settle(problem: Problem, placement: Placement) -> list[Choice]:
    """A placement after moving nodes off devices whose memory is too small, those with the least additional time per
    byte of freed weights first."""
    placement = list(placement)
    for _ in problem.devices:
        overfull = problem.overfull(placement)
        for device, need in overfull.items():
            _relieve(problem, placement, device, need.total - problem.room[device])
        if not overfull:
            break
    return placement


def _relieve(problem: Problem, placement: list[Choice], device: str, excess: int) -> None:
    """Move weights off a device, each with all nodes that use it there, until `excess` bytes are freed."""
    users: dict[object, list[int]] = {}
    sizes: dict[object, int] = {}
    for index, choice in enumerate(placement):
        for resident, nbytes in _residents(choice, device):
            users.setdefault(resident, []).append(index)
            sizes[resident] = nbytes
    ranked: list[tuple[float, int, object, Move]] = []
    for number, (resident, indices) in enumerate(users.items()):
        away = [(index, _elsewhere(problem.nodes[index], device)) for index in indices]
        move = [(index, choice) for index, choice in away if choice is not None]
        if sizes[resident] and len(move) == len(away):
            loss = sum(choice.cost.ns - placement[index].cost.ns for index, choice in move)
            ranked.append((loss / sizes[resident], number, resident, move))
    for _, _, resident, move in sorted(ranked, key=lambda entry: entry[:2]):
        if excess <= 0:
            return
        for index, choice in move:
            placement[index] = choice
        excess -= sizes[resident]


def _elsewhere(node: Node, device: str) -> Choice | None:
    """The fastest choice of a node that stores no weights on a device."""
    others = [choice for choice in node.choices if all(part.device != device for part in choice.parts)]
    return min(others, key=lambda choice: choice.cost.ns, default=None)


def _residents(choice: Choice, device: str) -> list[tuple[object, int]]:
    """The weights of a choice that are stored on a device, with their bytes."""
    return [each for part in choice.parts if part.device == device for each in part.residents]
