"""The clock rejects a program for a hazard if and only if a numeric run does, with the same message; only a numeric run
rejects programs that read rows without contents."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dialects.diagnostics import InputError
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.values.run import run_kernel
from interp.machine.records import Pim
from tests.pim_sheets import small_pim, verb_of
from tests.unit.pim.test_hazards import STATIC_HAZARDS, kernel

MEMREFS = "%y: memref<4xf32>, %z: memref<4xf32>, %r: memref<4xf32>"
SIGNATURE = f"(%x: memref<8xf32>, %w: memref<1x1x4x4x4xf32> at row 0) -> ({MEMREFS})"
COMMANDS = (
    "pim.load %x[0 to 4] at {v}",
    "pim.load %x[0 to 8] at 1",
    "pim.load bank {v} %x[0 to 4] at 0",
    "pim.act {scope} row 0",
    "pim.act all row 0",
    "pim.act {scope} row {v}",
    "pim.mac {scope} columns 0 to 1 buffer {v}",
    "pim.mac all columns 1 to 3 into 1",
    "pim.pre {scope}",
    "pim.pre all",
)
SUMS = (
    "pim.drain all add to %y",
    "pim.drain all from 1 add to %y",
    "pim.bias all from %x[0 to 4]",
    "pim.bias bank {v} from %x[4 to 5] into 1",
    'pim.activate {scope} "relu"',
    "pim.activated all to %z",
    "pim.collect {scope} at {v}",
    "pim.collect all from 1",
    "pim.softmax",
    "pim.softmax entries {v} to {v} + 2",
    "pim.spread all entries 0 to 5 at 1",
    "pim.spread bank {v} entries 0 to 1",
)
COLUMNS = (
    "pim.fetch bank {v} columns 0 to 2",
    "pim.store {scope} columns 1 to 2",
    "pim.store {scope} columns {v} to {v} + 1 buffer 0",
    "pim.write bank {v} columns 0 to 1 from %x[0 to 4]",
    "pim.add {scope} columns {v} to {v} + 1 and 0",
    "pim.read bank {v} columns {v} to {v} + 1 to %r",
    "pim.act {scope} row 2",
)
VERBS = [
    "load",
    "act",
    "mac",
    "drain",
    "pre",
    "bias",
    "activate",
    "activated",
    "collect",
    "softmax",
    "spread",
    "fetch",
    "store",
    "write",
    "add",
    "read",
]


@st.composite
def bodies(
    draw: st.DrawFn, commands: tuple[str, ...], depth: int = 0, variables: tuple[str, ...] = (), loops: bool = True
) -> str:
    """Random commands and loops, with loop variables as indices of banks, rows, columns and entries."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 6))):
        number = draw(st.sampled_from(("0", "1", "3", *variables)))
        if loops and depth < 2 and draw(st.integers(0, 4)) == 0:
            name = f"%i{depth}"
            inner = draw(bodies(commands, depth + 1, (*variables, name)))
            lines.append(f"pim.for {name} = 0 to {draw(st.integers(1, 4))} {{\n{inner}\n}}")
        else:
            text = draw(st.sampled_from(commands))
            lines.append(text.format(v=number, scope=draw(st.sampled_from(("all", f"bank {number}", "same 1")))))
    return "\n".join(lines)


def device(reopen: bool, clears: bool) -> Pim:
    verbs = {verb: verb_of(verb, "all", "group", "same", "bank") for verb in VERBS}
    return small_pim(accumulators=2, columns=6, buffer_columns=8, reopen=reopen, drain_clears=clears, verbs=verbs)


def refusal(body: str, pim: Pim, timed: bool) -> tuple[str, str | None]:
    """The error message and its location; an empty message if the program is accepted. `timed`: by the clock, else by a
    run."""
    program = kernel(f"pim.load %x[0 to 8]\npim.act all row 0\n{body}", SIGNATURE)
    try:
        if timed:
            kernel_time(program, pim)
        else:
            run_kernel(program, pim, [np.ones(8, np.float32), np.ones((1, 1, 4, 4, 4), np.float32)])
    except InputError as error:
        return error.message, error.place
    return "", None


def seen(message: str) -> bool:
    return any(words in message for words in STATIC_HAZARDS)


def check(body: str, pim: Pim) -> None:
    (timed, _), (run, _) = refusal(body, pim, True), refusal(body, pim, False)
    if run and not seen(run):
        return  # data; the clock may see it, or go on to something else
    if seen(timed) or not timed:
        assert timed == run
    else:
        assert run, f"the clock refuses what runs: {timed}"


@given(bodies((*COMMANDS, *SUMS)), st.booleans(), st.booleans())
def test_the_clock_and_a_run_report_equal_hazards(body: str, reopen: bool, clears: bool) -> None:
    check(body, device(reopen, clears))


@given(bodies((*COMMANDS[:7], *SUMS[:3], *COLUMNS)), st.booleans())
def test_the_clock_refuses_no_columns_that_a_run_reads(body: str, clears: bool) -> None:
    check(f"pim.act all row 2\n{body}", device(True, clears))


@given(bodies((*COMMANDS[:7], *COLUMNS), loops=False))
def test_without_loops_the_clock_tracks_the_contents_of_rows_exactly(body: str) -> None:
    pim, body = device(True, True), f"pim.act all row 2\n{body}"
    (timed, at), (run, there) = refusal(body, pim, True), refusal(body, pim, False)
    if "stored to" in run or "is never written" in run:
        assert timed  # other hazards are looked for first
    elif "before" not in run:
        assert (timed, at) == (run, there)
