"""A bound on every placement of a program in every order: what no policy can beat."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise

from interp.schedule import Bound
from interp.stretches import stretches
from lowering.piece import NEVER, Piece, Times, Way, heads, longest, rows_of, tails, tasks_of
from lowering.placement_load import Busy, least_load
from lowering.problem import Problem


def lowest(problem: Problem) -> Bound:
    """No placement of a problem ends before this, in any order of its tasks and copies.

    The larger of a bound on the whole (`bound_of`), and of the least sum of such bounds on its pieces between nodes
    that all earlier ones lead to and all later ones follow from, over where the results of these nodes land.
    """
    whole = bound_of(whole_piece(problem))
    in_turn = _in_turn(problem)
    return in_turn if in_turn.ns > whole.ns * (1 + 1e-12) else whole


def whole_piece(problem: Problem) -> Piece:
    """All of a problem, from its start to its end."""
    ways = tuple(tuple(tasks_of(problem, choice) for choice in node.choices) for node in problem.nodes)
    joint = tuple((region.nodes, tasks_of(problem, region.choice)) for region in problem.regions)
    return Piece(problem, ways, {}, 0.0, None, joint, problem.outputs)


def _in_turn(problem: Problem) -> Bound:
    """The least sum of bounds on pieces, over the devices that the results of the nodes between them land on."""
    whole = whole_piece(problem)
    ends = cuts(problem, whole)
    if not ends:
        return Bound(0.0, "")
    known: dict[Hashable, Bound] = {}
    least: dict[str | None, tuple[float, dict[str, float]]] = {None: (0.0, {})}
    for entry, exit in pairwise((None, *ends, None)):
        nodes = range(0 if entry is None else entry + 1, len(problem.nodes) if exit is None else exit + 1)
        before, least = least, {}
        for goes in lands_at(whole, exit):
            for came, (ns, reasons) in before.items():
                piece = cut_out(whole, nodes, entry, came, exit, goes)
                key = shape_of(piece)
                if key not in known:
                    known[key] = bound_of(piece)
                bound = known[key]
                if goes not in least or ns + bound.ns < least[goes][0]:
                    least[goes] = ns + bound.ns, reasons | {bound.because: reasons.get(bound.because, 0.0) + bound.ns}
    ns, reasons = least[None]
    most = max(reasons, key=lambda because: reasons[because])
    return Bound(ns, f"stretches that follow each other, mostly {most}")


def cuts(problem: Problem, whole: Piece) -> list[int]:
    """The nodes at which time can be added up: each follows from the one before, and one task makes all its results,
    whichever way it runs; no region contains one and a later node."""
    after = [
        tuple(problem.producer[value] for value in node.reads if value in problem.producer) for node in problem.nodes
    ]
    fastest = [min(choice.cost.ns for choice in node.choices) for node in problem.nodes]
    tied = [part[0] for part in stretches(after, fastest) if len(part) == 1]
    inside = {node for nodes, _ in whole.joint for node in range(min(nodes), max(nodes))}
    return [node for node in tied if node not in inside and _made_at_once(whole, node, problem.nodes[node].writes)]


def _made_at_once(whole: Piece, node: int, writes: Sequence[int]) -> bool:
    ways = (*whole.ways[node], *whole.ending.get(node, ()))
    return bool(writes) and all(any(set(writes) <= set(task.writes) for task in way) for way in ways)


def lands_at(whole: Piece, node: int | None) -> tuple[str | None, ...]:
    """Where the results of a node may land; None for the program's end."""
    if node is None:
        return (None,)
    value = whole.problem.nodes[node].writes[0]
    ways = (*whole.ways[node], *whole.ending.get(node, ()))
    return tuple(dict.fromkeys(task.on for way in ways for task in way if value in task.writes))


def cut_out(
    whole: Piece, nodes: range, entry: int | None, came: str | None, exit: int | None, goes: str | None
) -> Piece:
    """The piece from where the results of one node are made on a device to where those of another one are."""
    written = [node.writes for node in whole.problem.nodes]
    first = nodes.start
    until = None if exit is None else frozenset(written[exit])

    def may_end(way: Way) -> bool:
        return until is None or any(task.on == goes and until <= set(task.writes) for task in way)

    ways = [whole.ways[node] for node in nodes]
    if exit is not None:
        ways[-1] = tuple(way for way in ways[-1] if may_end(way))
    joint = tuple(
        (tuple(node - first for node in members), way)
        for members, way in whole.joint
        if min(members) >= first and max(members) in nodes and (max(members) != exit or may_end(way))
    )
    return Piece(
        whole.problem,
        tuple(ways),
        {} if entry is None or came is None else dict.fromkeys(written[entry], came),
        0.0 if entry is None else NEVER,
        until,
        joint,
        whole.outputs if exit is None else (),
    )


def shape_of(piece: Piece) -> Hashable:
    """What bounds on a piece depend on: equal ones have equal bounds."""
    numbers: dict[int, tuple[int, int]] = {}
    problem = piece.problem

    def number(value: int) -> tuple[int, int]:
        return numbers.setdefault(value, (len(numbers), problem.sizes[value]))

    def shape(way: Way) -> Hashable:
        return tuple(
            (on, ns, tuple(map(number, reads)), tuple(map(number, writes)), busy) for on, ns, reads, writes, busy in way
        )

    came = tuple((number(value), device) for value, device in piece.came.items())
    ways = tuple(tuple(map(shape, each)) for each in piece.ways)
    joint = tuple((nodes, shape(way)) for nodes, way in piece.joint)
    given = tuple((number(value), tuple(devices)) for value, devices in problem.start().items() if not piece.since)
    ends = None if piece.until is None else tuple(sorted(map(number, piece.until)))
    return came, ways, joint, given, ends, tuple(number(value) for value in piece.outputs if value in numbers)


def bound_of(piece: Piece) -> Bound:
    begins, ends = heads(piece, piece.ways), tails(piece, piece.ways)
    path = longest(piece, piece.ways, begins, ends)
    load, names = least_load(loads_of(piece, begins, ends))
    if load > path:
        return Bound(load, " and ".join(names))
    return Bound(path, "longest chain of tasks and copies")


def loads_of(piece: Piece, begins: Times, ends: Times) -> list[list[Busy]]:
    """What each way of each node keeps busy between the two moments: a joint way in shares of its nodes."""
    shares: dict[int, list[tuple[float, Busy]]] = {}
    found: list[list[Busy]] = []
    for place, ways, own in rows_of(piece, piece.ways):
        rows = [_busy(way, b, e) for way, b, e in zip(ways, begins.of[place], ends.of[place], strict=True)]
        found.append(rows[:own])
        for nodes, way in piece.joint:
            if max(nodes) == place:
                busy = rows[own + piece.ending[place].index(way)]
                least = [min((sum(row.values()) for row in found[node]), default=0.0) for node in nodes]
                for node, mine in zip(nodes, least, strict=True):
                    share = mine / sum(least) if sum(least) else 1 / len(nodes)
                    shares.setdefault(node, []).append((share, busy))
    for node, mine in shares.items():
        found[node] += [{name: ns * share for name, ns in busy.items()} for share, busy in mine]
    return found


def _busy(way: Way, begins: Sequence[float], ends: Sequence[float]) -> Busy:
    busy: dict[str, float] = {}
    for task, begin, end in zip(way, begins, ends, strict=True):
        if begin > NEVER and end > NEVER:
            for name, ns in task.busy:
                busy[name] = busy.get(name, 0.0) + ns
    return busy
