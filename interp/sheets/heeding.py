"""Refuses what a sheet says though no clock of such a device heeds it: an edit that would change nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from dialects.diagnostics import InputError
from interp.sheet import Decoder, Refresh, Scheduler, Verb
from interp.sheets.judging import Judge
from interp.sheets.statements import PartiesStatement


def check_heeded(judge: Judge, values: Mapping[str, object]) -> None:
    """Raises InputError at a statement that changes nothing, with what it would take."""
    scheduler = cast(Scheduler | None, values["scheduler"])
    for key, statement in judge.statements.items():
        if scheduler is None and isinstance(statement, PartiesStatement):
            raise InputError(
                f"`{key.split()[0]}` tells how a `scheduler` orders requests, and {judge.name} has none: it would "
                "change nothing",
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
            f"`{key.replace('.', ' ')}` {why}: what is said here would change nothing",
            str(statement.place if statement is not None else judge.place),
        )


def _where_programs_open_rows(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    why = "is for controllers that open rows (`rows by controller`), and here programs do"
    if values["scheduler"] is not None:
        yield "scheduler.queue", why
    if cast(Decoder | None, values["decoder"]) is not None:
        yield "decoder", why
    if values["sync"]:
        yield "sync", why
    for verb in cast(Mapping[str, Verb], values["verbs"]).values():
        if verb.mode:
            yield f"verb {verb.name}", f"names a mode (`{verb.mode}`): that {why}"
        if any(form.closes or form.rowless for form in verb.forms.values()):
            yield f"verb {verb.name}", f"says `closes` or `rowless`: that {why}"


def _where_controllers_open_rows(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    refresh = cast(Refresh | None, values["refresh"])
    for key, attribute in (("end", "end_cycles"), ("tail", "tail_cycles")):
        if values[attribute]:
            yield key, "counts where programs open rows; here the verbs' `latency` says when all is complete"
    if refresh is not None and refresh.served_after:
        yield "refresh", "waits for a verb (`after`) where programs open rows; here controllers refresh at once"
    if refresh is not None and not refresh.reopens:
        yield "refresh", "forgets rows (`then forget`) where programs open them; here controllers know what is open"


def _where_requests_are_reordered(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    why = "is for controllers that take requests in order (`scheduler picks head`), and here they are reordered"
    scheduler = cast(Scheduler, values["scheduler"])
    if not scheduler.mixes:
        yield "scheduler.mixes", why
    if scheduler.ends != "empty":
        yield "scheduler.ends", why
    if values["decoder"] is not None:
        yield "decoder", why
    if values["sync"]:
        yield "sync", why
    for verb in cast(Mapping[str, Verb], values["verbs"]).values():
        if verb.mode:
            yield f"verb {verb.name}", f"names a mode (`{verb.mode}`): that {why}"
