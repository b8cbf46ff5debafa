"""A line of reports that counts a program's times by their origin: profiles, sheets, and models of programs that are
written for a device; and notes about profile rows that match no op."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir import Operation

from dialects.diagnostics import note
from dialects.graph import FusedOp, GraphOp
from dialects.task import CopyOp
from interp.figures import count
from interp.kinds.clock import Clock
from interp.machine.profile import CopyRow, ProfileRow
from interp.machine.profile_checks import names_of
from interp.simulate.schedule.timeline import Event, Timeline


def costs_line(timeline: Timeline, clock: Clock) -> str | None:
    """A line that counts the tasks and copies of a timeline by the origin of their times. With a profile, for instance
    `61 of 74 tasks measured (serial 40, parallel 21), 13 by the sheets; 3 of 9 copies measured`. If a task launches
    programs for which the device has another model than for ops, for instance `24 of 99 tasks by the model of thread
    blocks, scaled to the library's kernels, 75 by models of library kernels`. None if all times come from sheets, by
    one model for each device."""
    events = [event for event, _, _ in timeline.tasks()]
    parts = [*_measured(events, clock), *_modelled([event for event in events if not event.is_copy], clock)]
    return "; ".join(parts) or None


def _measured(events: Sequence[Event], clock: Clock) -> Iterator[str]:
    """The counts of measured tasks, and of measured copies; none without a profile."""
    if not clock.profiled.any:
        return
    tasks = [event for event in events if not event.is_copy]
    copies = [event for event in events if event.is_copy]
    found = Counter((origin_of(event, clock), event.resource) for event in tasks)
    parts = [f"{_share('measured', found)} of {count(len(tasks), 'task')} measured{_listed('measured', found, clock)}"]
    if _share("simulated", found):
        parts.append(f"{_share('simulated', found)} simulated in a profile{_listed('simulated', found, clock)}")
    yield ", ".join([*parts, f"{_share('', found)} by the sheets"])
    if copies:
        kinds = Counter(origin_of(event, clock) for event in copies)
        simulated = f", {kinds['simulated']} simulated in a profile" if kinds["simulated"] else ""
        yield f"{kinds['measured']} of {count(len(copies), 'copy')} measured{simulated}"


def _modelled(tasks: Sequence[Event], clock: Clock) -> Iterator[str]:
    """For each device with tasks that launch programs of another model than that of its ops: the counts of its tasks by
    model."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for event in tasks:
        models = dict.fromkeys(clock.timed_by(op, event.resource) for op in clock.work_of(event.op, event.resource))
        found[event.resource][" and ".join(filter(None, models))] += 1
    for device, models in found.items():
        usual = clock.model(device).timed_by
        if named := {model: number for model, number in models.items() if model not in ("", usual)}:
            of = f"{sum(models.values())} tasks of @{device}"
            each = [f"{number} of {of} by {model}" for model, number in named.items()]
            yield ", ".join([*each, *([f"{models[usual]} by {usual}"] if models[usual] else [])])


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
