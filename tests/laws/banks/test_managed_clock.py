"""The time of programs with controller-managed rows, computed by skipping repeated iterations, equals that of a plain
interpreter that executes every cycle."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.pim import KernelOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.records import Decoder, Level, Pim, Refresh, Relation, Scope, TimingConstraint, Verb, VerbForm
from tests.laws.banks.naive_channels import run_channels
from tests.laws.banks.naive_program import unrolled
from tests.pim_sheets import small_pim
from tests.programs import parse

REACHES: dict[str, tuple[Scope, ...]] = {
    "load": ("all",),
    "bias": ("all",),
    "mac": ("all", "group", "bank"),
    "drain": ("all",),
    "activate": ("all",),
    "activated": ("all",),
    "fetch": ("bank",),
    "store": ("bank",),
    "act": ("all", "group", "bank"),
    "preact": ("all", "group", "bank"),
    "pre": ("all", "group", "bank"),
    "mode": ("all",),
    "sync": ("all",),
    "refresh": ("all",),
}
OWN = ("act", "preact", "pre", "mode", "sync", "refresh")
"""Commands that only the controller issues; they complete no command of the program."""
ROWLESS = ("load", "bias", "drain", "activated")
UNITS = {"group": 2, "bank": 8}
CHANNELS = 3
FAR = "%far"
"""The variable of a loop with many iterations: it is used as index of rows, but not of banks."""


@st.composite
def verbs(draw: st.DrawFn) -> dict[str, Verb]:
    """Random properties of all verbs: verbs that use no row may need the mode `register`, a store or a multiply may
    close its row, and the verb `preact`, the first of two steps to open a row, may be missing."""
    modes = {verb: draw(st.sampled_from(("", "register"))) for verb in ROWLESS}
    closing = draw(st.sampled_from(("", "", "store", "mac")))
    left_out = draw(st.sampled_from(("preact", "")))
    return {
        verb: Verb(
            verb,
            {
                scope: VerbForm(verb.upper(), 0 if verb in OWN else draw(st.integers(1, 9)), verb == closing)
                for scope in scopes
            },
            modes.get(verb, ""),
        )
        for verb, scopes in REACHES.items()
        if verb != left_out
    }


@st.composite
def constraints(draw: st.DrawFn, names: list[str], longest: int) -> tuple[TimingConstraint, ...]:
    """Random timing constraints of all kinds, but none from a sync to another command: a command that needs a sync must
    follow it before the sync expires."""
    levels: st.SearchStrategy[Level] = st.sampled_from(("channel", "pseudochannel", "rank", "group", "bank"))
    relations: st.SearchStrategy[Relation] = st.sampled_from(("any", "any", "same", "next", "first"))
    scope: st.SearchStrategy[Scope | None] = st.sampled_from((None, None, "all", "group", "bank"))
    verb = st.sampled_from(names)
    often = st.sampled_from(("act", "mac", "pre", "mode"))
    cycles = st.integers(0, longest)
    drawn = draw(
        st.lists(st.builds(TimingConstraint, levels, verb, verb, cycles, relations, scope, scope), max_size=12)
    )
    drawn += draw(st.lists(st.builds(TimingConstraint, levels, often, often, cycles), max_size=4))
    drawn += [TimingConstraint("channel", "mode", verb, draw(cycles)) for verb in names if draw(st.booleans())]
    if draw(st.booleans()):
        window = draw(st.integers(2, 4))
        drawn.append(TimingConstraint(draw(levels), "act", "act", draw(st.integers(longest, 2 * longest)), nth=window))
    return tuple(constraint for constraint in drawn if constraint.before != "sync" or constraint.after == "sync")


@st.composite
def machines(draw: st.DrawFn, decoded: bool, refreshed: bool = False, longest: int = 20) -> Pim:
    """A random PIM with controller-managed rows; refresh intervals are long enough for a command and its row
    commands."""
    refresh = st.builds(Refresh, st.integers(12 * longest, 30 * longest), st.just(()))
    words = draw(verbs())
    waits = tuple(draw(st.lists(st.sampled_from(("drain", "activated", "mac")), max_size=2, unique=True)))
    return small_pim(
        channels=CHANNELS,
        groups=2,
        banks=4,
        pseudochannels=draw(st.sampled_from((1, 2))),
        ranks=draw(st.sampled_from((1, 2))),
        verbs=words,
        constraints=draw(constraints(list(words), longest)),
        rows_by="controller",
        checked=False,
        decoder=Decoder(draw(st.integers(1, 6)), waits) if decoded else None,
        sync=tuple(draw(st.lists(st.sampled_from(ROWLESS), max_size=3, unique=True))),
        refresh=draw(refresh if refreshed else st.none() | refresh),
    )


@st.composite
def accesses(draw: st.DrawFn, loops: tuple[str, ...]) -> str:
    """The lines of a `pim.act` and of one or two commands that use its row, for the same banks; `loops`: the variables
    of the enclosing loops."""
    scope: Scope = draw(st.sampled_from(("all", "all", "group", "bank", "bank")))
    number = str(draw(st.integers(0, UNITS.get(scope, 1) - 1)))
    near = [name for name in loops if name != FAR]
    if scope == "bank" and near and draw(st.booleans()):
        number = draw(st.sampled_from(near))
    reach = "all" if scope == "all" else f"{scope} {number}"
    row = draw(st.sampled_from(("0", "1", *loops, *(f"{name} * 2 + 1" for name in loops))))
    lines = [f"pim.act {reach} row {row}"]
    for _ in range(draw(st.integers(1, 2))):
        first, count = draw(st.sampled_from(((0, 1), (0, 4), (1, 2))))
        verb = draw(st.sampled_from(("mac", "mac", "fetch", "store"))) if scope == "bank" else "mac"
        lines.append(f"pim.{verb} {reach} columns {first} to {first + count}")
    return "\n".join(lines)


@st.composite
def commands(draw: st.DrawFn, loops: tuple[str, ...]) -> str:
    if draw(st.booleans()):
        return draw(accesses(loops))
    return draw(
        st.sampled_from(
            (
                "pim.load %x[0 to 4]",
                "pim.load %x",
                "pim.bias all from %b",
                "pim.drain all to %y",
                'pim.activate all "gelu"',
                'pim.activate all "sigmoid"',
                "pim.activated all to %y",
                "pim.set 1 = 2",
            )
        )
    )


@st.composite
def blocks(draw: st.DrawFn, loops: tuple[str, ...] = (), regions: bool = False) -> str:
    """The lines of random commands and loops. `loops`: the variables of the enclosing loops; `regions`: True if
    commands are inside of `pim.channels` regions."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.integers(0, 5))
        depth = sum(name != FAR for name in loops)
        if kind <= 1 and depth < 2:
            name = f"%i{depth}"
            inner = draw(blocks((*loops, name), regions))
            lines.append(f"pim.for {name} = 0 to {draw(st.integers(1, 2 if loops else 8))} {{\n{inner}\n}}")
        elif not regions:
            lines.append(draw(commands(loops)))
        elif kind == 2:
            lines.append(draw(st.sampled_from(("pim.barrier", 'pim.step "W GPR 0"'))))
        else:
            first = draw(st.integers(0, CHANNELS - 1))
            last = draw(st.integers(first + 1, CHANNELS))
            inner = "\n".join(draw(st.lists(commands(loops), min_size=1, max_size=3)))
            lines.append(f"pim.channels %c = {first} to {last} {{\n{inner}\n}}")
    return "\n".join(lines)


def kernel_text(body: str) -> str:
    signature = "(%x: memref<8xf32>, %b: memref<8xf32>) -> (%y: memref<8xf32>)"
    return f"pim.kernel @k on @pim {signature} {{\n{body}\n}}"


def kernel_of(text: str) -> KernelOp:
    return next(op for op in parse(text).walk() if isinstance(op, KernelOp))


def same_as_cycle_by_cycle(body: str, pim: Pim) -> None:
    kernel = kernel_of(kernel_text(body))
    program = unrolled(kernel, pim)
    naive = run_channels(program, pim)
    addressed = {channel for instruction in program for channel in instruction.channels} or {0}
    counts = Counter(command.verb for channel in addressed for _, command in naive.logs[channel])
    time = kernel_time(kernel, pim)
    assert time.cycles == naive.cycles
    assert time.counts == counts
    assert sum(time.waits.values()) <= naive.cycles
    assert time.limit_ns <= time.ns


BEHIND = f"\npim.channels %c = 0 to {CHANNELS} {{\npim.bias all from %b\n}}"


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program either for channel 0 or for some channels, all of which then execute commands at its end. Some programs
    end with a long loop, during which many refreshes happen."""
    regions = draw(st.booleans())
    body = draw(blocks((), regions))
    if draw(st.integers(0, 2)) == 0:
        body += f"\npim.for {FAR} = 0 to {draw(st.integers(10, 50))} {{\n{draw(blocks((FAR,), regions))}\n}}"
    if regions:
        body += BEHIND
    return body


@pytest.mark.slow
@given(programs(), machines(decoded=False))
def test_skipping_iterations_is_exact_in_managed_channels(body: str, pim: Pim) -> None:
    same_as_cycle_by_cycle(body, pim)


@pytest.mark.slow
@given(programs(), machines(decoded=True))
def test_skipping_iterations_is_exact_behind_a_decoder(body: str, pim: Pim) -> None:
    same_as_cycle_by_cycle(body, pim)


@st.composite
def lines(draw: st.DrawFn, regions: bool) -> str:
    if not regions:
        return draw(commands((FAR,)))
    if draw(st.integers(0, 3)) == 0:
        return "pim.barrier"
    first, last = draw(st.sampled_from(((0, 1), (1, 2), (0, 2), (0, 3))))
    return f"pim.channels %c = {first} to {last} {{\n{draw(commands((FAR,)))}\n}}"


@given(st.booleans(), st.booleans(), st.integers(20, 80), st.data())
def test_refreshes_fall_anywhere_into_long_loops(regions: bool, decoded: bool, times: int, data: st.DataObject) -> None:
    body = "\n".join(data.draw(st.lists(lines(regions), min_size=1, max_size=4)))
    body = f"pim.for {FAR} = 0 to {times} {{\n{body}\n}}" + (BEHIND if regions else "")
    same_as_cycle_by_cycle(body, data.draw(machines(decoded, refreshed=True, longest=4)))
