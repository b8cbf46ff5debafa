"""The devices on which arguments of a placement problem rest. An argument rests on the primary device, or on the device
that makes the result which takes over its memory."""

from __future__ import annotations

from collections.abc import Iterator

from lowering.instance.choice import Placement
from lowering.instance.problem import Problem


def resting(problem: Problem, placement: Placement) -> dict[int, str]:
    """The arguments, by number, that rest on another device than the primary one, so that no copy is needed: the result
    that takes over their memory is made there, and only nodes on that device read them."""
    found: dict[int, str] = {}
    for given, taken in problem.movable.items():
        device = problem.lands(taken, placement)
        if device != problem.primary and all(placement[each].device == device for each in readers(problem, given)):
            found[given] = device
    return found


def readers(problem: Problem, value: int) -> Iterator[int]:
    """The nodes that read a value, directly or through views."""
    waiting, met = [value], {value}
    for shown in waiting:
        for reader in problem.consumers.get(shown, ()):
            node = problem.nodes[reader]
            if not node.view:
                yield reader
                continue
            fresh = [written for written in node.writes if written not in met]
            met.update(fresh)
            waiting += fresh
