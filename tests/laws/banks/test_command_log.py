"""Command logs equal those of plain interpreters that simulate every cycle, in any window of cycles; the waits in a log
add up to the waiting times that the clock reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dialects.pim import CommandOp, KernelOp
from interp.kinds.pim.program import Slot, issues, on_bus, programs_of, slot_of
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.timing.log import LoggedCommand, log_commands
from interp.kinds.pim.timing.streams import TABLE_ROWS
from interp.kinds.pim.visitor import ChannelVisitor
from interp.machine.records import Pim
from tests.laws.banks.naive_banks import cycle_by_cycle, flat
from tests.laws.banks.naive_channels import run_channels
from tests.laws.banks.naive_program import unrolled
from tests.laws.banks.test_managed_clock import kernel_of, kernel_text, machines
from tests.laws.banks.test_managed_clock import programs as managed_programs
from tests.pim_sheets import timings

REACHES = ("all", "all", "group 1", "same 0", "bank 2", "bank %u")
COMMANDS = (
    "pim.act {reach} row {row}",
    "pim.mac {reach} columns 0 to 1",
    "pim.mac {reach} columns 1 to 4",
    "pim.pre {reach}",
    "pim.load %x",
    "pim.drain all to %y",
)


@st.composite
def bodies(draw: st.DrawFn, variables: tuple[str, ...] = ()) -> str:
    """Random commands and loops; they need not be meaningful, since only their times are compared."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        if len(variables) < 3 and draw(st.integers(0, 3)) == 0:
            name = draw(st.sampled_from([name for name in ("%u", "%i", "%j") if name not in variables]))
            inner = draw(bodies((*variables, name)))
            lines.append(f"pim.for {name} = 0 to {draw(st.integers(1, 4 if name == '%u' else 30))} {{\n{inner}\n}}")
            continue
        reach = draw(st.sampled_from([each for each in REACHES if "%" not in each or "%u" in variables]))
        row = draw(st.sampled_from(("0", "7", *(f"{name} * 2 + 1" for name in variables))))
        lines.append(draw(st.sampled_from(COMMANDS)).format(reach=reach, row=row))
    return "\n".join(lines)


def kernel(body: str) -> KernelOp:
    return kernel_of(f"pim.kernel @k on @pim (%x: memref<16xf32>) -> (%y: memref<4xf32>) {{\n{body}\n}}")


def log(kernel: KernelOp, pim: Pim, channel: int = 0, first: int = 1, end: int = 1 << 60) -> list[LoggedCommand]:
    found: list[LoggedCommand] = []
    assert log_commands(kernel, pim, channel, found.append, first, end)
    return found


def moments(commands: list[LoggedCommand]) -> list[tuple[int, Slot]]:
    return [(each.cycle, each.slot) for each in commands]


class Plain(ChannelVisitor[tuple[int, int]]):
    """The row and the column of each bus command of a channel, recorded with loops unrolled."""

    def __init__(self, pim: Pim, channel: int) -> None:
        super().__init__(channel)
        self.pim, self.named = pim, dict[int, int]()

    def command(self, op: CommandOp) -> Iterator[tuple[int, int]]:
        if not on_bus(op, self.pim) or op.name in ("pim.barrier", "pim.step"):
            return
        slot = slot_of(op, self.values)
        row = self.named.get(slot.banks(self.pim)[0], -1) if op.COMMAND.row in ("uses", "closes") else -1
        if names := op.using("row", "names"):
            row = op.linear(*names).at(self.values)
            self.named |= dict.fromkeys(slot.banks(self.pim), row)
            if self.pim.rows_by == "controller":
                return
        columns = [name for name, space in op.EXPRESSIONS.items() if space == "column"]
        for turn in range(issues(op, self.pim)):
            yield row, op.linear(columns[0]).at(self.values) + turn if columns else -1


def check(kernel: KernelOp, pim: Pim, channel: int, whole: list[LoggedCommand], data: st.DataObject) -> None:
    """Assert that the log of each window of cycles is the part of the complete log `whole` in this window, and that the
    rows and columns in the log are those of the program's commands in order."""
    last = whole[-1].cycle if whole else 1
    for _ in range(2):
        first = data.draw(st.integers(1, last + 2))
        end = first + data.draw(st.integers(1, 30))
        assert log(kernel, pim, channel, first, end) == [each for each in whole if first <= each.cycle < end]
    assert all(each.wait > 0 for each in whole)
    assert all(each.constraint is None or each.constraint.after == each.slot.verb or not each.own for each in whole)
    own = [each.operands for each in whole if each.own]
    # The plain interpreter does not number the rows of activation tables.
    found = [(-1 if operands.row >= TABLE_ROWS else operands.row, operands.column) for operands in own]
    assert found == list(Plain(pim, channel).block(kernel.body.block))


@given(bodies(), timings(), st.data())
def test_programs_that_open_rows(body: str, pim: Pim, data: st.DataObject) -> None:
    program = kernel(body)
    commands, naive = flat(programs_of(program, pim)[0].steps), list[tuple[int, Slot]]()
    assume(len(commands) <= 1500)
    cycle_by_cycle(commands, pim, naive)
    whole = log(program, pim)
    assert moments(whole) == naive
    check(program, pim, 0, whole, data)
    waits = Counter[str]()
    for each in whole:
        waits[each.cause] += each.wait
    time = kernel_time(program, replace(pim, checked=False))
    assert waits == Counter(time.waits)
    issued = Counter((each.slot.verb, each.slot.scope) for each in whole)
    counted = Counter[tuple[str, str]]()
    for slot, count in time.slots.items():
        counted[slot.verb, slot.scope] += count
    assert issued == counted


def same_as_cycle_by_cycle(body: str, pim: Pim, data: st.DataObject) -> None:
    program = kernel_of(kernel_text(body))
    instructions = unrolled(program, pim)
    naive = run_channels(instructions, pim)
    addressed = sorted({channel for each in instructions for channel in each.channels}) or [0]
    channel = data.draw(st.sampled_from(addressed))
    whole = log(program, pim, channel)
    assert moments(whole) == list(naive.logs[channel])
    check(program, pim, channel, whole, data)
    time = kernel_time(program, pim)
    if channel == time.channel:
        waits = Counter[str]()
        for each in whole:
            waits[each.cause] += each.wait
        assert waits == Counter({verb: wait for verb, wait in time.waits.items() if verb != "decoder"})


@pytest.mark.slow
@given(managed_programs(), machines(decoded=False), st.data())
def test_controllers_that_open_rows(body: str, pim: Pim, data: st.DataObject) -> None:
    same_as_cycle_by_cycle(body, pim, data)


@pytest.mark.slow
@given(managed_programs(), machines(decoded=True), st.data())
def test_controllers_behind_a_decoder(body: str, pim: Pim, data: st.DataObject) -> None:
    same_as_cycle_by_cycle(body, pim, data)
