"""A line of reports that counts a program's times that come from profiles and those that come from sheets; and notes
about profile rows that match no op."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from xdsl.ir import Operation

from dialects.diagnostics import note
from dialects.graph import FusedOp, GraphOp
from dialects.task import CopyOp
from interp.cost.clock import Clock
from interp.cost.profile import CopyRow, ProfileRow
from interp.cost.profiled import names_of
from interp.figures import count
from interp.schedule.timeline import Event, Timeline


def costs_line(timeline: Timeline, clock: Clock) -> str | None:
    """A line that counts the tasks and copies of a timeline with measured times, for instance `61 of 74 tasks measured
    (serial 40, parallel 21), 13 by the sheets; 3 of 9 copies measured`; None without a profile."""
    if not clock.profiled.any:
        return None
    events = [event for event, _, _ in timeline.tasks()]
    tasks = [event for event in events if not event.is_copy]
    copies = [event for event in events if event.is_copy]
    found = Counter((origin_of(event, clock), event.resource) for event in tasks)
    parts = [f"{_share('measured', found)} of {count(len(tasks), 'task')} measured{_listed('measured', found, clock)}"]
    if _share("simulated", found):
        parts.append(f"{_share('simulated', found)} simulated in a profile{_listed('simulated', found, clock)}")
    parts.append(f"{_share('', found)} by the sheets")
    if not copies:
        return ", ".join(parts)
    kinds = Counter(origin_of(event, clock) for event in copies)
    simulated = f", {kinds['simulated']} simulated in a profile" if kinds["simulated"] else ""
    return f"{', '.join(parts)}; {kinds['measured']} of {count(len(copies), 'copy')} measured{simulated}"


def origin_of(event: Event, clock: Clock) -> str:
    """The origin of a task's or copy's time in a profile, `measured` or `simulated`; empty if any part of it comes from
    a sheet."""
    kinds = {row.kind if row is not None else "" for row in rows_of(event, clock)}
    return "" if not kinds or "" in kinds else "simulated" if "simulated" in kinds else "measured"


def rows_of(event: Event, clock: Clock) -> Sequence[ProfileRow | CopyRow | None]:
    """The profile rows that give the time of a copy (one row) or of a task (one row for each op that takes time); None
    in place of a row for an op or copy without one."""
    if isinstance(event.op, CopyOp):
        return [clock.profiled.copy(event.cost.bytes, *event.op.ends)]
    return [clock.profiled.row(op, event.resource) for op in clock.work_of(event.op, event.resource)]


def note_unmatched_rows(ops: Iterable[GraphOp | FusedOp], clock: Clock, at: Operation) -> None:
    """Prints a note for each profile that has rows matching none of these ops."""
    if not clock.profiled.any:
        return
    keys = {clock.profiled.key(op) for op in dict.fromkeys(ops)}
    rows: dict[str, list[tuple[str, ProfileRow]]] = defaultdict(list)
    for name, record in clock.machine.devices.items():
        if record.profile is not None:
            names = names_of(name, record)
            rows[record.profile.file] += [(name, row) for row in record.profile.rows if row.device in names]
    for file, all_rows in rows.items():
        unmatched = [(name, row) for name, row in all_rows if row.key not in keys]
        if unmatched:
            each = ", ".join(f"{name} {number}" for name, number in Counter(name for name, _ in unmatched).items())
            note(
                f"{len(unmatched)} of {count(len(all_rows), 'row')} of {file} match no op of this program ({each}), "
                f"the first of {unmatched[0][1].op or unmatched[0][1].key[:60]}; an op is identified by its types and "
                "dataflow: reduce precision, fuse and split as for the profile",
                at,
            )


def _share(kind: str, found: Counter[tuple[str, str]]) -> int:
    return sum(number for (which, _), number in found.items() if which == kind)


def _listed(kind: str, found: Counter[tuple[str, str]], clock: Clock) -> str:
    each = [f"{name} {number}" for name in clock.machine.devices if (number := found[kind, name])]
    return f" ({', '.join(each)})" if each else ""
