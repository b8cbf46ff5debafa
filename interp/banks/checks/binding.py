"""Timing constraints of a sheet that can't bind in a bank program: their commands are never issued, or larger
constraints hide them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from interp.banks.program import Slot
from interp.banks.timing.gaps import least, ties
from interp.machine.records import Gap, Pim, Scope, gap_words


@dataclass(frozen=True)
class Unbound:
    """A line of a sheet whose gaps delay no command of a program: the gaps, in cycles as the sheet states them, and the
    reason."""

    gaps: tuple[Gap, ...]
    place: str
    why: str

    @property
    def words(self) -> str:
        """The line's gaps in the syntax of a sheet."""
        first = self.gaps[0]
        befores = " | ".join(dict.fromkeys(_form(gap.before, gap.before_scope) for gap in self.gaps))
        afters = " | ".join(dict.fromkeys(_form(gap.after, gap.after_scope) for gap in self.gaps))
        window = f" window {first.window}" if first.window > 1 else ""
        relation = "" if first.relation == "any" else f"{first.relation} "
        return f"{first.level}: {befores} -> {relation}{afters}{window}"


def unbound(issued: Mapping[Slot, int], pim: Pim) -> list[Unbound]:
    """The lines of a sheet that can't bind in a program, in the order of the sheet. `issued`: how often the program
    issues each command, over all channels, commands of the controller included.

    The result holds for every order of these commands. A line that could bind but happens not to is not reported.
    """
    lines: dict[str, list[Gap]] = {}
    for gap in pim.gaps:
        if gap.cycles:
            lines.setdefault(pim.places.get(gap_words(gap), gap_words(gap)), []).append(gap)
    found: list[Unbound] = []
    for place, gaps in lines.items():
        absent = [_absent(gap, issued) for gap in gaps]
        reasons = ["" if words else _why_not(gap, issued, pim) for words, gap in zip(absent, gaps, strict=True)]
        if all(words or reason for words, reason in zip(absent, reasons, strict=True)):
            words = dict.fromkeys(f"`{word}`" for each in absent for word in each)
            missing = [f"there is no {', '.join(words)}"] if words else []
            found.append(Unbound(tuple(gaps), place, "; ".join([*missing, *dict.fromkeys(filter(None, reasons))])))
    return found


def never_issued(one: Unbound, issued: Iterable[Slot]) -> bool:
    """True if one side of a line names only verbs that a program never issues, in any scope."""
    verbs = {slot.verb for slot in issued}
    return all(gap.before not in verbs or gap.after not in verbs for gap in one.gaps)


def _absent(gap: Gap, issued: Mapping[Slot, int]) -> list[str]:
    """The commands of a gap (at most two) that a program does not issue."""
    sides: tuple[tuple[str, Scope | None], ...] = ((gap.before, gap.before_scope), (gap.after, gap.after_scope))
    return [_form(*side) for side in sides if not _of(*side, issued)]


def _of(verb: str, scope: Scope | None, issued: Iterable[Slot]) -> list[Slot]:
    return [slot for slot in issued if slot.verb == verb and scope in (None, slot.scope)]


def _why_not(gap: Gap, issued: Mapping[Slot, int], pim: Pim) -> str:
    """The reason why a timing constraint between commands of a program can't bind; empty if it can."""
    befores, afters = _of(gap.before, gap.before_scope, issued), _of(gap.after, gap.after_scope, issued)
    pairs = [pair for pair in _pairs(befores, afters) if ties(gap, *pair, pim)]
    if not pairs:
        return f"no two of them address the same {gap.level}"
    least_times = gap.window + (1 if gap.before == gap.after else 0)
    if gap.before == gap.after and sum(issued[slot] for slot in {*befores, *afters}) < least_times:
        return f"there are fewer than {least_times} `{_form(gap.before, gap.before_scope)}`"
    if gap.cycles <= pim.command_cycles:
        return "the command bus already keeps them that far apart"
    if gap.window > 1:
        apart = min(max(least(pim, *pair), pim.command_cycles) for pair in pairs)
        in_sequence = gap.window * apart
        return f"{gap.window} of them take {in_sequence} cycles anyway" if in_sequence >= gap.cycles else ""
    larger = {least(pim, *pair) for pair in pairs}
    return f"other gaps keep them {min(larger)} cycles apart" if min(larger) > gap.cycles else ""


def _pairs(befores: Iterable[Slot], afters: Iterable[Slot]) -> Iterator[tuple[Slot, Slot]]:
    return ((before, after) for before in befores for after in afters)


def _form(verb: str, scope: Scope | None) -> str:
    return verb if scope is None else f"{verb} {scope}"
