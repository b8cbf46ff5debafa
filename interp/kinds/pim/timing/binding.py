"""Timing constraints of a sheet that can't bind in a bank program: their commands are never issued, or larger
constraints hide them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.constraints import least, ties
from interp.machine.records import Pim, Scope, TimingConstraint, constraint_text


@dataclass(frozen=True)
class Unbound:
    """A line of a sheet whose constraints delay no command of a program: the line's constraints, with cycles as the
    sheet states them, and the reason why they delay none."""

    constraints: tuple[TimingConstraint, ...]
    place: str
    why: str

    @property
    def words(self) -> str:
        """The line's timing constraints in the syntax of a sheet."""
        first = self.constraints[0]
        befores = " | ".join(
            dict.fromkeys(_form(constraint.before, constraint.before_scope) for constraint in self.constraints)
        )
        afters = " | ".join(
            dict.fromkeys(_form(constraint.after, constraint.after_scope) for constraint in self.constraints)
        )
        nth = f" window {first.nth}" if first.nth > 1 else ""
        relation = "" if first.relation == "any" else f"{first.relation} "
        return f"{first.level}: {befores} -> {relation}{afters}{nth}"


def unbound(issued: Mapping[Slot, int], pim: Pim) -> list[Unbound]:
    """The lines of a sheet that can't bind in a program, in the order of the sheet. `issued`: how often the program
    issues each command, over all channels, commands of the controller included.

    The result holds for every order of these commands. A line that could bind in another order is not reported.
    """
    lines: dict[str, list[TimingConstraint]] = {}
    for constraint in pim.constraints:
        if constraint.cycles:
            lines.setdefault(pim.places.get(constraint_text(constraint), constraint_text(constraint)), []).append(
                constraint
            )
    found: list[Unbound] = []
    for place, constraints in lines.items():
        absent = [_absent(constraint, issued) for constraint in constraints]
        reasons = [
            "" if words else _why_not(constraint, issued, pim)
            for words, constraint in zip(absent, constraints, strict=True)
        ]
        if all(words or reason for words, reason in zip(absent, reasons, strict=True)):
            words = dict.fromkeys(f"`{word}`" for each in absent for word in each)
            missing = [f"there is no {', '.join(words)}"] if words else []
            found.append(
                Unbound(tuple(constraints), place, "; ".join([*missing, *dict.fromkeys(filter(None, reasons))]))
            )
    return found


def never_issued(one: Unbound, issued: Iterable[Slot]) -> bool:
    """True if a program never issues, in any scope, the verbs before or the verbs after in a line's constraints."""
    verbs = {slot.verb for slot in issued}
    return all(constraint.before not in verbs or constraint.after not in verbs for constraint in one.constraints)


def _absent(constraint: TimingConstraint, issued: Mapping[Slot, int]) -> list[str]:
    """The commands of a timing constraint (at most two) that a program does not issue."""
    sides: tuple[tuple[str, Scope | None], ...] = (
        (constraint.before, constraint.before_scope),
        (constraint.after, constraint.after_scope),
    )
    return [_form(*side) for side in sides if not _of(*side, issued)]


def _of(verb: str, scope: Scope | None, issued: Iterable[Slot]) -> list[Slot]:
    return [slot for slot in issued if slot.verb == verb and scope in (None, slot.scope)]


def _why_not(constraint: TimingConstraint, issued: Mapping[Slot, int], pim: Pim) -> str:
    """The reason why a timing constraint between commands of a program can't bind; empty if it can."""
    befores, afters = (
        _of(constraint.before, constraint.before_scope, issued),
        _of(constraint.after, constraint.after_scope, issued),
    )
    pairs = [pair for pair in _pairs(befores, afters) if ties(constraint, *pair, pim)]
    if not pairs:
        return f"no two of them address the same {constraint.level}"
    least_times = constraint.nth + (1 if constraint.before == constraint.after else 0)
    if constraint.before == constraint.after and sum(issued[slot] for slot in {*befores, *afters}) < least_times:
        return f"there are fewer than {least_times} `{_form(constraint.before, constraint.before_scope)}`"
    if constraint.cycles <= pim.command_cycles:
        return "the command bus already keeps them that far apart"
    if constraint.nth > 1:
        distance = min(max(least(pim, *pair), pim.command_cycles) for pair in pairs)
        in_sequence = constraint.nth * distance
        return f"{constraint.nth} of them take {in_sequence} cycles anyway" if in_sequence >= constraint.cycles else ""
    larger = {least(pim, *pair) for pair in pairs}
    return f"other gaps keep them {min(larger)} cycles apart" if min(larger) > constraint.cycles else ""


def _pairs(befores: Iterable[Slot], afters: Iterable[Slot]) -> Iterator[tuple[Slot, Slot]]:
    return ((before, after) for before in befores for after in afters)


def _form(verb: str, scope: Scope | None) -> str:
    return verb if scope is None else f"{verb} {scope}"
