"""Error messages for hazards of bank programs, shared by the static check (interp/kinds/pim/checks/hazards.py) and the
run with numbers (interp/kinds/pim/values/run.py)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from dialects.diagnostics import InputError
from dialects.pim import CommandOp, HostOp, KernelOp, LaneOp
from dialects.values import called
from interp.figures import count
from interp.machine.records import Pim

# Open rows and their content.


def row_is_open(op: CommandOp, bank: int, pim: Pim) -> InputError:
    return InputError(f"{op.name}: a row is open in bank {bank}; {pim.name} needs it closed first (pim.pre)", op)


def no_row_is_open(op: CommandOp, bank: int) -> InputError:
    return InputError(f"{op.name}: no row is open in bank {bank}; activate one first (pim.act)", op)


def holds_nothing(op: CommandOp, row: int) -> InputError:
    return InputError(
        f"{op.name}: row {row} is open, but it holds neither an operand of the kernel nor data that the kernel has "
        "written; write to the row first (pim.write)",
        op,
    )


def never_written(op: CommandOp, column: int, row: int, bank: int) -> InputError:
    return InputError(
        f"{op.name}: column {column} of row {row} was never written in bank {bank}; write it first (pim.write)", op
    )


def no_weight(op: CommandOp, row: int, columns: int, column: int) -> InputError:
    return InputError(
        f"{op.name}: the operand in row {row} has {count(columns, 'column')}, so column {column} holds no weight; use "
        f"{_from_0(columns, 'column')}",
        op,
    )


def beyond_the_weights(op: CommandOp, channel: int, row: int, channels: int) -> InputError:
    return InputError(
        f"{op.name}: channel {channel} uses row {row}, but the operand in this row has only "
        f"{_from_0(channels, 'channel')}; leave out the others",
        op,
    )


def _from_0(number: int, noun: str) -> str:
    """`channel 0` for one, `channels 0 to 2` for three."""
    return f"{noun} 0" if number == 1 else f"{noun}s 0 to {number - 1}"


def overlapping_columns(op: LaneOp, word: str, columns: int) -> InputError:
    return InputError(
        f"{op.name}: in an iteration of its loops, the {columns} result columns overlap those that `{word}` reads; put "
        "the results exactly on an operand or outside of it",
        op,
    )


def holds_a_weight(op: CommandOp, column: int, row: int, columns: int) -> InputError:
    return InputError(
        f"{op.name}: column {column} of row {row} holds a weight of the kernel, which must not be overwritten; write "
        f"to column {columns} or later, or to another row",
        op,
    )


# Entries of outputs in host memory.


def stored_by_several_channels(op: HostOp) -> InputError:
    way_out = "write `add to` to sum them" if hasattr(op, "add") else "give each channel entries of its own"
    return InputError(f"{op.name}: several channels store to the same entries; {way_out}", op)


def stored_twice(op: HostOp, entry: Sequence[int]) -> InputError:
    way_out = "write `add to` to sum the two" if hasattr(op, "add") else "give each command entries of its own"
    return InputError(f"{op.name}: an earlier command stored to {called(op.memref)}{list(entry)}; {way_out}", op)


def never_stored(kernel: KernelOp, output: SSAValue, entry: Sequence[int]) -> InputError:
    return InputError(
        f"pim.kernel @{kernel.sym_name.data}: {called(output)}{list(entry)} is never written; each entry of an output "
        "must be written (pim.drain, pim.read)",
        kernel,
    )


# Buffers, registers and sums.


def never_loaded(op: CommandOp, column: int) -> InputError:
    return InputError(f"{op.name}: column {column} of the global buffer was never loaded; load it first (pim.load)", op)


def no_sum(op: CommandOp) -> InputError:
    return InputError(f"{op.name}: an accumulator of the addressed banks holds no sum; multiply first (pim.mac)", op)


def overwritten(op: CommandOp, number: int, bank: int) -> InputError:
    return InputError(
        f"{op.name}: accumulator {number} of bank {bank} holds a sum that was never read; read it first (pim.drain)",
        op,
    )


def continued(op: CommandOp, number: int, bank: int) -> InputError:
    return InputError(
        f"{op.name}: accumulator {number} of bank {bank} still holds a sum that was read already; set the "
        "accumulator to a new value first (pim.bias)",
        op,
    )


def never_activated(op: CommandOp, bank: int) -> InputError:
    return InputError(
        f"{op.name}: the activation register of bank {bank} was never filled; fill it first (pim.activate)", op
    )


def never_collected(op: CommandOp, entry: int) -> InputError:
    return InputError(
        f"{op.name}: entry {entry} of the softmax buffer was never filled; collect sums into it first (pim.collect)", op
    )


def nothing_collected(op: CommandOp) -> InputError:
    return InputError(f"{op.name}: the softmax buffer is empty; collect sums first (pim.collect)", op)


def sums_left(kernel: KernelOp, number: int, bank: int) -> InputError:
    return InputError(
        f"pim.kernel @{kernel.sym_name.data} ends with a sum in accumulator {number} of bank {bank} that was never "
        "read; read it (pim.drain)",
        kernel,
    )
