"""Placement policies by name: each decides, for every node of a placement problem, which device gets it.

A plugin adds one with `POLICIES["mine"] = my_policy`, where `my_policy` is a function from a `PlacementProblem` to one
device name a node; `place{policy=mine}` then uses it. The pass checks the answer: that each device can run its nodes,
and that memory suffices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lowering.placement import Choice, Node, PlacementProblem, Places, Policy, Progress, bytes_of_constant

SEARCH_STEPS = 300_000
"""Node placements that the search of `cost` may simulate in all: a second or two, whatever the size of the program."""


def gpu(problem: PlacementProblem) -> Places:
    """All on the home device."""
    return [problem.home] * len(problem.nodes)


def pim_first(problem: PlacementProblem) -> Places:
    """Each node on the first device besides home that can run it, else at home; spilled home where that device's memory
    is full."""
    return settle(
        problem, [next((d for d in node.choices if d != problem.home), problem.home) for node in problem.nodes]
    )


def greedy(problem: PlacementProblem) -> Places:
    """In program order, each node where it would end first, given where its inputs are and what devices and links are
    busy with."""
    progress = Progress(problem)
    places: list[str] = []
    for node in problem.nodes:
        trials = {device: progress.trial(choice) for device, choice in node.choices.items()}
        device = min(trials, key=lambda name: trials[name])
        progress.run(node.choices[device])
        places.append(device)
    return settle(problem, places)


def cost(problem: PlacementProblem) -> Places:
    """The best of all other policies and of dynamic programming, by simulated makespan, then improved by moving nodes
    and regions.

    Dynamic programming over the program order is exact for trees of nodes that run one after another;
    `improve_locally` mends what values of several readers cost, and `search` simulates each move with all overlap.
    Never worse than `gpu`, `pim-first` and `greedy`, of those that memory holds.
    """
    starts = [
        gpu(problem),
        pim_first(problem),
        greedy(problem),
        settle(problem, improve_locally(problem, by_tree(problem))),
    ]
    usable = [places for places in starts if runnable(problem, places) and not problem.overfull(places)]
    if not usable:
        return starts[-1]
    return search(problem, min(usable, key=problem.makespan))


POLICIES: dict[str, Policy] = {"gpu": gpu, "pim-first": pim_first, "greedy": greedy, "cost": cost}


def runnable(problem: PlacementProblem, places: Places) -> bool:
    """Whether each device can run its nodes."""
    return all(device in node.choices for node, device in zip(problem.nodes, places, strict=True))


def by_tree(problem: PlacementProblem) -> list[str]:
    """Dynamic programming over the program order: the cheapest way to have each node's results on each device.

    best(n, d) = cost(n, d) + sum over inputs v of min over d' of best(producer of v, d') / readers of v + copy(v, d' to
    d)

    Sharing a producer's cost among its readers makes it exact for trees, and a good guess where values are read several
    times. The way back then decides each node once, from the devices that were chosen for its readers.
    """
    best: list[dict[str, float]] = []
    for node in problem.nodes:
        best.append({device: _tree_cost(problem, choice, best) for device, choice in node.choices.items()})
    places = [problem.home] * len(problem.nodes)
    wanted: dict[int, set[str]] = {value: {problem.home} for value in problem.outputs}
    for node in reversed(problem.nodes):
        totals = {
            device: best[node.index][device] + _leaving(problem, node, choice, wanted)
            for device, choice in node.choices.items()
        }
        places[node.index] = min(totals, key=lambda device: totals[device])
        for value, device in node.choices[places[node.index]].needs:
            wanted.setdefault(value, set()).add(device)
    return places


def _tree_cost(problem: PlacementProblem, choice: Choice, best: list[dict[str, float]]) -> float:
    total = choice.cost.ns
    for value, device in choice.needs:
        size, maker = problem.sizes[value], problem.producer.get(value)
        if maker is None:
            total += problem.copy(size, problem.home, device).ns / len(problem.consumers[value])
            continue
        readers = max(1, len(problem.consumers[value]))
        options = problem.nodes[maker].choices
        total += min(
            best[maker][other] / readers + problem.copy(size, options[other].lands, device).ns for other in options
        )
    return total


def _leaving(problem: PlacementProblem, node: Node, choice: Choice, wanted: dict[int, set[str]]) -> float:
    return sum(
        problem.copy(problem.sizes[value], choice.lands, device).ns
        for value in node.writes
        for device in sorted(wanted.get(value, ()))
    )


def improve_locally(problem: PlacementProblem, places: Sequence[str], sweeps: int = 4) -> list[str]:
    """Move single nodes while the sum of all tasks and copies shrinks, sweeping forth and back through the program."""
    places = list(places)
    for sweep in range(sweeps):
        moved = False
        for node in problem.nodes if sweep % 2 == 0 else reversed(problem.nodes):
            if len(node.choices) > 1:
                totals: dict[str, float] = {}
                here = places[node.index]
                for device in (here, *(other for other in node.choices if other != here)):
                    places[node.index] = device
                    totals[device] = _local_cost(problem, node, places)
                places[node.index] = min(totals, key=lambda device: totals[device])
                moved = moved or places[node.index] != here
        if not moved:
            break
    return places


def _local_cost(problem: PlacementProblem, node: Node, places: Sequence[str]) -> float:
    """The node's own cost and all copies of values that it reads or writes, in ns."""
    total = node.choices[places[node.index]].cost.ns
    for value in (*node.reads, *node.writes):
        targets = {problem.home} if value in problem.outputs else set[str]()
        for reader in problem.consumers[value]:
            targets.update(
                device for read, device in problem.nodes[reader].choices[places[reader]].needs if read == value
            )
        source = problem.lands(value, places)
        total += sum(problem.copy(problem.sizes[value], source, target).ns for target in sorted(targets))
    return total


def search(problem: PlacementProblem, places: Places) -> Places:
    """Hill climbing by simulated makespan: move whole regions, then single nodes, keep what ends earlier and fits;
    until nothing does, or SEARCH_STEPS are spent."""
    best, makespan = list(places), problem.makespan(places)
    budget = SEARCH_STEPS // max(1, len(problem.nodes))
    improved = True
    while improved and budget > 0:
        improved = False
        for nodes, device in moves(problem, best):
            if budget <= 0:
                break
            if all(best[index] == device for index in nodes):
                continue
            trial = list(best)
            for index in nodes:
                trial[index] = device
            budget -= 1
            reached = problem.makespan(trial)
            if reached < makespan * (1 - 1e-9) and not problem.overfull(trial):
                best, makespan, improved = trial, reached, True
    return best


def moves(problem: PlacementProblem, places: Places) -> Iterator[tuple[list[int], str]]:
    """What may be tried next: each connected region of nodes on one device to another one, large regions first; then
    each node."""
    for region in sorted(regions(problem, places), key=lambda region: (-len(region), region)):
        if len(region) > 1:
            for device in problem.devices:
                able = [index for index in region if device in problem.nodes[index].choices]
                if able and device != places[region[0]]:
                    yield able, device
    for node in problem.nodes:
        for device in node.choices:
            if device != places[node.index]:
                yield [node.index], device


def regions(problem: PlacementProblem, places: Places) -> list[list[int]]:
    """The nodes in groups that share a device and are connected by values."""
    group: dict[int, list[int]] = {}
    for node in problem.nodes:
        mine = group[node.index] = [node.index]
        for value in node.reads:
            maker = problem.producer.get(value)
            if maker is None or places[maker] != places[node.index] or group[maker] is mine:
                continue
            mine, other = sorted((group[maker], mine), key=len, reverse=True)
            mine += other
            for index in other:
                group[index] = mine
    return [sorted(members) for index, members in group.items() if members[0] == index]


def settle(problem: PlacementProblem, places: Sequence[str]) -> list[str]:
    """Move nodes off devices that can't hold them: first those that lose least time for each byte of weights they
    free."""
    places = list(places)
    for _ in problem.devices:
        overfull = problem.overfull(places) if runnable(problem, places) else {}
        for device, need in overfull.items():
            _relieve(problem, places, device, need.total - problem.clock.machine.devices[device].memory_bytes)
        if not overfull:
            break
    return places


def _relieve(problem: PlacementProblem, places: list[str], device: str, excess: int) -> None:
    """Move nodes from a device until their weights make up for `excess` bytes; a weight that others there use too frees
    nothing."""
    users: dict[object, int] = {}
    here = [node for node in problem.nodes if places[node.index] == device]
    for node in here:
        for constant in problem.constants_on(node, device, device):
            users[constant] = users.get(constant, 0) + 1
    ranked: list[tuple[float, int, str, int]] = []
    for node in here:
        alone = [constant for constant in problem.constants_on(node, device, device) if users[constant] == 1]
        freed = sum(bytes_of_constant(constant) for constant in alone)
        for other, choice in node.choices.items():
            if other != device and freed:
                loss = choice.cost.ns - node.choices[device].cost.ns
                ranked.append((loss / freed, node.index, other, freed))
    for _, index, other, freed in sorted(ranked):
        if excess <= 0:
            return
        if places[index] == device:
            places[index] = other
            excess -= freed
