"""Small legal PIM sheets for tests, and hypothesis strategies that draw them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hypothesis import strategies as st

from interp.kinds.pim.program import Slot
from interp.machine.records import Level, Pim, Refresh, Relation, Scope, TimingConstraint, Verb, VerbForm

VERBS = ("load", "act", "mac", "drain", "pre")


def verb_of(name: str, *scopes: Scope) -> Verb:
    """A verb at these scopes, whose times and energy are zero."""
    return Verb(name, {scope: VerbForm(name.upper()) for scope in scopes})


def small_pim(**changes: object) -> Pim:
    """A device of 2 channels x 2 groups x 2 banks without timing constraints; `changes` replace fields of the
    record."""
    fields: dict[str, object] = {
        "name": "small",
        "kind": "pim",
        "description": "a device of the tests",
        "clock_hz": 1e9,
        "channels": 2,
        "groups": 2,
        "banks": 2,
        "rows": 1024,
        "columns": 4,
        "lanes": 4,
        "element": "f32",
        "numeric": "wide",
        "buffer_columns": 4,
        "accumulators": 1,
        "reopen": False,
        "command_cycles": 1,
        "end_cycles": 0,
        "verbs": {verb: verb_of(verb, "all", "group", "same", "bank") for verb in (*VERBS, "refresh")},
        "constraints": (),
        "refresh": None,
        "bus_bandwidth": 1e15,
        "launch_ns": 0.0,
    }
    return Pim(**(fields | changes))  # pyright: ignore[reportArgumentType]


@st.composite
def timings(draw: st.DrawFn, refreshed: bool = False) -> Pim:
    """Draw a device with random timing constraints, and a refresh that leaves the channel time for other commands."""
    levels: st.SearchStrategy[Level] = st.sampled_from(("channel", "pseudochannel", "rank", "group", "bank"))
    relations: st.SearchStrategy[Relation] = st.sampled_from(("any", "any", "same", "next", "first"))
    verb = st.sampled_from((*VERBS, "refresh"))
    scope: st.SearchStrategy[Scope | None] = st.sampled_from((None, None, "all", "group", "same", "bank"))
    constraint = st.builds(TimingConstraint, levels, verb, verb, st.integers(0, 25), relations, scope, scope)
    often = st.sampled_from(("act", "act", "mac", "drain"))
    counted = st.builds(
        TimingConstraint, levels, often, often, st.integers(10, 80), relations, st.none(), st.none(), st.integers(2, 4)
    )
    constraints = draw(st.lists(constraint, max_size=12)) + draw(st.lists(counted, max_size=3))
    served = draw(st.sets(st.sampled_from(VERBS)))  # none: at once
    interval = draw(st.integers(60, 300))
    refresh = Refresh(interval, tuple(sorted(served)), draw(st.booleans()))
    return small_pim(
        pseudochannels=draw(st.sampled_from((1, 2))),
        ranks=draw(st.sampled_from((1, 2))),
        command_cycles=draw(st.integers(1, 3)),
        end_cycles=draw(st.integers(0, 20)),
        constraints=tuple(constraints),
        refresh=draw(st.sampled_from((refresh,) if refreshed else (None, refresh))),
    )


@st.composite
def scopes(draw: st.DrawFn) -> tuple[Scope, int]:
    scope: Scope = draw(st.sampled_from(("all", "group", "same", "bank")))
    return scope, draw(st.integers(0, {"all": 0, "group": 1, "same": 1, "bank": 3}[scope]))


def by_verb(slots: Mapping[Slot, int]) -> dict[str, int]:
    """The numbers of commands by verb, from those by slot."""
    counts: Counter[str] = Counter()
    for slot, count in slots.items():
        counts[slot.verb] += count
    return dict(counts)
