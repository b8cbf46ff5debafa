"""Detection of statements without an effect: no cost model or clock of the described device uses their numbers."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import cast

from dialects.diagnostics import InputError, note
from dialects.pim import PREACT
from interp.machine.records import VERBS, Decoder, Refresh, Scheduler, Scope, TimingConstraint, Verb, constraint_text
from interp.machine.sheets.fields import BY_CLASSES, ON_DEMAND
from interp.machine.sheets.judging import Judge
from interp.machine.sheets.statements import PartiesStatement, expressions_of
from interp.machine.sheets.values import names_in


def check_effective(judge: Judge, values: Mapping[str, object]) -> None:
    """Raises InputError at a statement without an effect; the message says under which condition the statement would
    have an effect."""
    scheduler = cast(Scheduler | None, values["scheduler"])
    for key, statement in judge.statements.items():
        if scheduler is None and isinstance(statement, PartiesStatement) and key != UNLIMITED:
            raise InputError(
                f"`{key.split()[0]}` applies only to the requests of a `scheduler`, which {judge.name} does not "
                "state: this statement has no effect",
                str(statement.place),
            )
    if values["rows_by"] == "program":
        found = _where_programs_open_rows(values)
    elif scheduler is not None and scheduler.picks == "ready":
        found = [*_where_controllers_open_rows(values), *_where_requests_are_reordered(values)]
    else:
        found = _where_controllers_open_rows(values)
    for key, why in found:
        statement = judge.statements.get(key)
        raise InputError(
            f"`{key.replace('.', ' ')}` {why}: this statement has no effect",
            str(statement.place if statement is not None else judge.place),
        )


UNLIMITED = "unlimited"


def report_ineffective(judge: Judge, values: Mapping[str, object], own: Container[str]) -> None:
    """Print a note, with its line, for each statement without an effect whose key is in `own`; and for each form of an
    activate to which no tRRD or no tFAW applies, although the sheet states one for other forms."""
    read = _read_timings(judge)
    for key, statement in judge.fields():
        if key in own and (why := _unread(judge, values, key, read)):
            note(f"`{key.replace('.', ' ')}` has no effect: {why}", str(statement.place))
    if judge.kind.has_commands:
        for constraint, form, at in _unlimited(judge, values):
            if at in own or f"verb {constraint.before}" in own:
                note(
                    f"`{constraint_text(constraint)}` does not limit `{' '.join(form)}`, and no gap of its kind "
                    "does, so that these commands open any number of rows at a time; state a gap for them, or write "
                    f"`unlimited {' '.join(form)}` and the reason",
                    str(judge.statements[at].place),
                )


def _unread(judge: Judge, values: Mapping[str, object], key: str, read_timings: Container[str]) -> str:
    """The reason why the statement with the key `key` has no effect; empty if it has an effect. `read_timings`: the
    timing parameters that are used."""
    section, _, name = key.partition(".")
    if section == "timing":
        return "" if name in read_timings else "no gap and no other statement refers to it"
    if values.get("model") == "roofline" and section in BY_CLASSES:
        return "it applies if kernels are timed by classes (`model kernels`), and here a roofline times them"
    statement = judge.statements.get("paging.demand")
    switched_off = statement is not None and not statement.place.line  # not stated in the sheet, but where it is used
    if values.get("demand") is False and (key in ON_DEMAND or section in ON_DEMAND) and not switched_off:
        return "it applies to paging on demand (`paging demand yes`), and here pages only move by a plan"
    return ""


def _read_timings(judge: Judge) -> set[str]:
    """Timing parameters used by a gap, a latency or a refresh, directly or through other parameters."""
    read: set[str] = set()
    written: dict[str, set[str]] = {}
    for key, statement in judge.statements.items():
        names = set[str]().union(*map(names_in, expressions_of(statement)))
        if key.startswith("timing."):
            written[key.partition(".")[2]] = names
        else:
            read |= names
    wanted = list(read)
    while wanted:
        more = written.get(wanted.pop(), set()) - read
        read |= more
        wanted += more
    return read


def _unlimited(judge: Judge, values: Mapping[str, object]) -> Iterator[tuple[TimingConstraint, tuple[str, Scope], str]]:
    """Forms of an activate to which no tRRD (gap between consecutive activates) applies although the sheet states one
    for other forms, and forms for which the same is true of tFAW (gap over several activates): each as (the limit of
    the other forms, the form, the limit's key)."""
    verbs = cast("Mapping[str, Verb]", values["verbs"])
    constraints = [
        constraint
        for constraint in cast("tuple[TimingConstraint, ...]", values["constraints"])
        if constraint.cycles and constraint.level != "bank"
    ]
    statement = judge.statements.get(UNLIMITED)
    parties = statement.parties if isinstance(statement, PartiesStatement) else ()
    free: set[tuple[str, str | None]] = {(verb.text, scope.text if scope else None) for verb, scope in parties}
    for verb in verbs.values():
        if VERBS[verb.name].row != "opens" and verb.name != PREACT:
            continue
        limits = [constraint for constraint in constraints if constraint.before == constraint.after == verb.name]
        for several in (False, True):
            kind = [constraint for constraint in limits if (constraint.nth > 1) == several]
            for scope in verb.scopes if kind else ():
                held = any(constraint.after_scope in (None, scope) for constraint in kind)
                if not held and not free & {(verb.name, scope), (verb.name, None)}:
                    yield kind[0], (verb.name, scope), constraint_text(kind[0])


def _where_programs_open_rows(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    why = "is for controllers that open rows (`rows by controller`), and here programs open them"
    if values["scheduler"] is not None:
        yield "scheduler.queue", why
    if cast(Decoder | None, values["decoder"]) is not None:
        yield "decoder", why
    if values["sync"]:
        yield "sync", why
    yield from _modes(values, why)
    for verb in cast(Mapping[str, Verb], values["verbs"]).values():
        if any(form.closes or form.rowless for form in verb.forms.values()):
            yield f"verb {verb.name}", f"states `closes` or `rowless`: that {why}"


def _where_controllers_open_rows(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    refresh = cast(Refresh | None, values["refresh"])
    for key, attribute in (("end", "end_cycles"), ("tail", "tail_cycles")):
        if values[attribute]:
            yield key, "applies if programs open rows; here the verbs' `latency` determines completion"
    if refresh is not None and refresh.served_after:
        yield "refresh", "waits for a verb (`after`) only if programs open rows; here controllers refresh at once"
    if refresh is not None and not refresh.reopens:
        yield "refresh", "forgets rows (`then forget`) only if programs open them; here controllers track open rows"


def _where_requests_are_reordered(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    why = "is for controllers that serve requests in order (`scheduler picks head`), and here they are reordered"
    scheduler = cast(Scheduler, values["scheduler"])
    if not scheduler.mixes:
        yield "scheduler.mixes", why
    if scheduler.ends != "empty":
        yield "scheduler.ends", why
    if values["decoder"] is not None:
        yield "decoder", why
    if values["sync"]:
        yield "sync", why
    yield from _modes(values, why)


def _modes(values: Mapping[str, object], why: str) -> Iterator[tuple[str, str]]:
    """Each verb whose statement names a mode, with `why`, the reason that modes have no effect on this device."""
    for verb in cast(Mapping[str, Verb], values["verbs"]).values():
        if verb.mode:
            yield f"verb {verb.name}", f"names a mode (`{verb.mode}`): that {why}"
