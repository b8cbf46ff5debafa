"""The clock refuses a program for a hazard if and only if a run with numbers does, with the same sentence."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dialects.diagnostics import InputError
from interp.bank_clock import kernel_time
from interp.banks import run_kernel
from tests.pim_sheets import small_pim
from tests.unit.test_pim_hazards import SEEN_BY_THE_CLOCK, kernel

SIGNATURE = "(%x: memref<8xf32>, %w: memref<1x1x4x4x4xf32> at row 0) -> (%y: memref<4xf32>)"
COMMANDS = (
    "pim.load %x[0 to 4] at {v}",
    "pim.load %x[0 to 8] at 1",
    "pim.act {scope} row 0",
    "pim.act all row 0",
    "pim.mac {scope} columns 0 to 1 buffer {v}",
    "pim.mac all columns 1 to 3 into 1",
    "pim.pre {scope}",
    "pim.pre all",
)
DRAINS = ("pim.drain all add to %y", "pim.drain all from 1 add to %y")


@st.composite
def bodies(draw: st.DrawFn, depth: int = 0, variables: tuple[str, ...] = ()) -> str:
    """Commands and loops, whose variables number banks and buffer columns."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 6))):
        number = draw(st.sampled_from(("0", "1", "3", *variables)))
        if depth < 2 and draw(st.integers(0, 4)) == 0:
            name = f"%i{depth}"
            inner = draw(bodies(depth + 1, (*variables, name)))
            lines.append(f"pim.for {name} = 0 to {draw(st.integers(1, 4))} {{\n{inner}\n}}")
        else:
            text = draw(st.sampled_from((*COMMANDS, *DRAINS)))
            lines.append(text.format(v=number, scope=draw(st.sampled_from(("all", f"bank {number}")))))
    return "\n".join(lines)


def refusal(body: str, reopen: bool, timed: bool) -> str:
    program = kernel(f"pim.load %x[0 to 8]\npim.act all row 0\n{body}", SIGNATURE)
    pim = small_pim(accumulators=2, reopen=reopen)
    try:
        if timed:
            kernel_time(program, pim)
        else:
            run_kernel(program, pim, [np.ones(8, np.float32), np.ones((1, 1, 4, 4, 4), np.float32)])
    except InputError as error:
        return error.message if any(words in error.message for words in SEEN_BY_THE_CLOCK) else ""
    return ""


@given(bodies(), st.booleans())
def test_the_clock_refuses_what_a_run_refuses(body: str, reopen: bool) -> None:
    assert refusal(body, reopen, True) == refusal(body, reopen, False)
