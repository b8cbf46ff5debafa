"""On devices with controller-managed rows, loops whose iterations are skipped give the time, the commands and the waits
of the unrolled program."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

import ndpir
from dialects.diagnostics import InputError
from dialects.pim import KernelOp
from interp.kinds.pim.timing.controller_managed.clock import stream_time
from interp.kinds.pim.timing.streams import stream_of
from interp.machine.records import Pim
from interp.machine.sheets.files import load_device
from tests.amount import cases

HEAD = """pim.kernel @k on @pim (%x: memref<64x64x16xbf16>, %b: memref<16xbf16>) -> (%y: memref<16xf32>) {
"""
COMMANDS = (
    "pim.load %x[{small}, 0 to {count}]",
    "pim.bias all from %b",
    "pim.mac all columns 0 to {count}",
    "pim.mac bank {bank} columns 0 to {count}",
    "pim.ewmul all columns 0 to {count}",
    "pim.fetch bank {bank} columns 0 to {count}",
    "pim.store bank {bank} columns 0 to {count}",
    'pim.activate all "relu"',
    "pim.drain all add to %y",
    "pim.activated all to %y",
    'pim.step "a word"',
    "pim.barrier",
)
ROWS = ("pim.act all row {row}", "pim.act all row {row}", "pim.act bank {bank} row {row}")


@st.composite
def bodies(draw: DrawFn, variables: tuple[str, ...], depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.integers(0, 5))
        if kind == 0 and depth < 3:
            name = f"%v{depth}{len(lines)}"
            inner = draw(bodies((*variables, name), depth + 1))
            lines += [f"pim.for {name} = 0 to {draw(st.integers(1, 9))} {{", *inner, "}"]
            continue
        text = draw(st.sampled_from(ROWS if kind < 3 else COMMANDS))
        row = str(draw(st.integers(0, 5)))
        for variable in variables:
            if factor := draw(st.sampled_from((0, 1, 1, 3))):
                row += f" + {variable} * {factor}"
        lines.append(
            text.format(
                row=row, bank=draw(st.integers(0, 3)), count=draw(st.sampled_from((1, 2, 40, 64))), small=row[:1]
            )
        )
    return lines


def _in_channel(line: str) -> str:
    """The command `line`; or a bias command in its place if `line` is a barrier or has a step, neither of which is
    allowed inside of `pim.channels`."""
    return COMMANDS[1] if "barrier" in line or "step" in line else line


@st.composite
def kernels(draw: DrawFn) -> str:
    parts = ["pim.act all row 0"]
    if draw(st.booleans()):
        parts += draw(bodies((), 0))
        return HEAD + "\n".join(map(_in_channel, parts)) + "\n}"
    text: list[str] = []
    for first in draw(st.lists(st.integers(0, 2), min_size=1, max_size=3)):
        body = "\n".join(map(_in_channel, [*parts, *draw(bodies((), 1))]))
        text.append(f"pim.channels %c{len(text)} = {first} to {first + draw(st.integers(1, 2))} {{\n{body}\n}}")
        text += draw(st.lists(st.sampled_from(("pim.barrier", 'pim.step "a word"')), max_size=1))
    return HEAD + "\n".join(text) + "\n}"


SHEETS: dict[str, Pim] = {
    f"{name} {changes}": sheet
    for name in ("aim", "aim_ramulator", "aim_lpddr5", "aim_lpddr5_ramulator")
    for changes in (dict[str, str](), {"timing.tREFI": "700 cycles"})
    if isinstance(sheet := load_device(name, changes), Pim)
}


@given(kernels(), st.sampled_from(list(SHEETS)))
@settings(max_examples=cases(60), deadline=None)
def test_jumping_is_unrolling(text: str, name: str) -> None:
    pim = SHEETS[name]
    kernel = next(op for op in ndpir.parse(text).walk() if isinstance(op, KernelOp))
    try:
        unrolled = stream_time(stream_of(kernel, pim, unrolled=True), pim)
    except InputError:  # several rows for one command
        with pytest.raises(InputError):
            stream_of(kernel, pim)
    else:
        assert stream_time(stream_of(kernel, pim), pim) == unrolled
