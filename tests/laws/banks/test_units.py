"""A program of units, buffers, rows and channels computes the results of a plain interpreter that handles one number at
a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dialects.diagnostics import InputError
from dialects.element_types import dtype_of
from dialects.pim import COMMANDS, memref_of
from interp.kinds.pim.values.run import run_kernel
from interp.machine.records import Pim
from tests.laws.banks.naive_units import Naive
from tests.pim_sheets import small_pim, verb_of
from tests.unit.pim.test_hazards import kernel

COMMANDS_ON_UNITS = (
    "pim.load %x[{c}, 0 to 5] at {v}",
    "pim.load same 1 %x[{c}] at {v}",
    "pim.act {scope} row {v}",
    "pim.mac {scope} columns {v} to {v} + 2 buffer 0 into 1",
    "pim.mac all columns 1 to 3",
    "pim.drain all add to %y[{c}]",
    "pim.drain bank {v} from 1 add to %y[{c}, 2 to 3]",
    "pim.bias all from %b[{c}]",
    "pim.bias group 1 from %b[{c}, 1 to 5] into 1",
    'pim.activate {scope} "gelu"',
    'pim.activate all "leaky_relu" from 1',
    "pim.collect {scope} at {v}",
    "pim.collect all from 1 at 8",
    "pim.softmax",
    "pim.softmax entries {v} to {v} + 3 {{scale = 0.3 : f64}}",
    "pim.softmax entries {v} to {v} + 2",
    "pim.spread all entries 0 to 5 at 1",
    "pim.spread bank {v} entries 0 to 4",
    "pim.fetch bank {v} columns 0 to 2 buffer {v}",
    "pim.store {scope} columns 4 to 6 buffer {v}",
    "pim.write bank {v} columns 5 to 6 from %x[{c}, 0 to {lanes}]",
    "pim.add {scope} columns 4 to 5 and 0 into 5",
    "pim.ewmul all columns 5 to 6",
    "pim.ewmul group 1 columns 4 to 6",
)
START = """
  pim.load %x[{c}]
  pim.load %x[{c}] at 2
  pim.load %x[{c}, 0 to 3] at 7
  pim.act all row 1
  pim.store all columns 4 to 7
  pim.act all row 3
  pim.store all columns 0 to 7
  pim.act all row 0
  pim.store all columns 4 to 7
  pim.bias all from %b[{c}]
  pim.bias all from %b[{c}] into 1
  pim.activate all "tanh"
  pim.collect all
"""
END = """
  pim.activated all to %z[{c}]
  pim.bias all from %b[{c}]
  pim.bias all from %b[{c}] into 1
  pim.drain all add to %y[{c}]
  pim.act all row 1
  pim.read all columns 4 to 7 to %r[{c}]
"""


@st.composite
def devices(draw: st.DrawFn) -> Pim:
    return small_pim(
        channels=3,
        banks=4,
        rows=8,
        columns=8,
        lanes=draw(st.integers(3, 4)),
        element=draw(st.sampled_from(("f32", "f16", "bf16"))),
        numeric=draw(st.sampled_from(("wide", "narrow", "lanes"))),
        buffer_columns=10,
        accumulators=2,
        reopen=True,
        checked=False,
        drain_clears=draw(st.booleans()),
        verbs={verb: verb_of(verb, "all", "group", "same", "bank") for verb in COMMANDS},
    )


@st.composite
def pieces(draw: st.DrawFn, lanes: int, channel: str, depth: int = 0, variables: tuple[str, ...] = ()) -> str:
    """Random commands, in loops, for the channel whose number is the expression `channel`."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 5))):
        number = draw(st.sampled_from(("0", "1", "3", *variables)))
        if depth < 1 and draw(st.integers(0, 3)) == 0:
            name = f"%i{depth}"
            inner = draw(pieces(lanes, channel, depth + 1, (*variables, name)))
            lines.append(f"pim.for {name} = 0 to {draw(st.integers(1, 3))} {{\n{inner}\n}}")
        else:
            scope = draw(st.sampled_from(("all", f"bank {number}", "same 1", "group 1")))
            lines.append(draw(st.sampled_from(COMMANDS_ON_UNITS)).format(v=number, c=channel, scope=scope, lanes=lanes))
    return "\n".join(lines)


@st.composite
def bodies(draw: st.DrawFn, lanes: int) -> str:
    """Commands for all channels, then for some channels, in loops or not, and at the end for all channels again."""
    whole = "pim.channels %c = 0 to 3 {{\n{}\n}}"
    lines = [whole.format(START.format(c="%c"))]
    for _ in range(draw(st.integers(1, 3))):
        low = draw(st.integers(0, 2))
        region = f"pim.channels %c = {low} to {draw(st.integers(low + 1, 3))}"
        if draw(st.booleans()):
            lines.append(f"{region} {{\n{draw(pieces(lanes, '%c'))}\n}}")
        else:
            inner = draw(pieces(lanes, "%c", variables=("%j",)))
            lines.append(f"pim.for %j = 0 to 2 {{\n{region} as 2 - %c {{\n{inner}\n}}\npim.barrier\n}}")
    return "\n".join([*lines, whole.format(END.format(c="%c"))])


@given(st.data(), devices(), st.integers(0, 99))
def test_units(data: st.DataObject, pim: Pim, seed: int) -> None:
    n, e = pim.lanes, pim.element
    signature = (
        f"(%x: memref<3x{5 * n}x{e}>, %b: memref<3x8xf32>, %w: memref<3x2x8x4x{n}x{e}> at row 0) -> "
        f"(%y: memref<3x8x{e}>, %z: memref<3x8xf32>, %r: memref<3x8x3x{n}x{e}>)"
    )
    program = kernel(data.draw(bodies(n)), signature)
    random, types = np.random.default_rng(seed), [memref_of(value) for value in program.inputs]
    inputs = [random.standard_normal(t.get_shape()).astype(dtype_of(t.element_type)) for t in types]
    try:
        found = run_kernel(program, pim, inputs)
    except InputError:
        return  # reads of entries without contents are refused; test_hazards.py tests this
    with np.errstate(all="ignore"):
        expected = Naive(program, pim, inputs).results()
    for ours, plain in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours.astype(np.float64), plain.astype(np.float64))
