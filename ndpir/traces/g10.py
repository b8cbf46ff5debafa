"""G10's traces: kernels with times measured on an A100 and the tensors that they use, from two tables of a folder.

`CASE_kernels.csv` has a line for each kernel: its number, name, milliseconds with all operands resident (`ms`), with
page faults on its outputs (`ms_output_faults`) and on all operands (`ms_all_faults`, both measured), the bytes of its
workspace, and the numbers of its inputs and outputs, separated by blanks. `CASE_tensors.csv` has a line for each
tensor: its number, bytes, 1 if it lives across iterations (`global`), and its lifetime: `birth`, the first kernel that
uses it, and `death`, the first kernel after its last use (-1: only used at birth).

The tables are derived from the artifact of "G10: Enabling An Efficient Unified GPU Memory and Storage Architecture with
Smart Tensor Migrations" (MICRO 2023), github.com/platformxlab/G10.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dialects.diagnostics import FileName, InputError
from dialects.files import reason_of
from dialects.tables import Cell, Row, read_table
from dialects.text.suggestions import hint
from interp.simulate.memory.problem import NEVER, Kernel, KernelTrace, Tensor

CLOCK_GHZ = 1.2
"""The clock frequency of the A100 in GHz; the cycles of a trace are cycles of this clock."""
PAGE = 4096
"""The page size in bytes; tensors occupy full pages."""
_KERNELS, _TENSORS = "_kernels.csv", "_tensors.csv"
_LONGEST_MS = 1e9
_MOST_BYTES = 1 << 50


@dataclass(frozen=True)
class G10Case:
    """A trace of G10: kernels and tensors, with the measured kernel times that G10's cost model uses."""

    name: str
    trace: KernelTrace
    """Kernels and tensors; times are integer cycles at 1.2 GHz, rounded down as in the artifact. A kernel's workspace
    is a tensor among its outputs."""
    cycles: tuple[int, ...]
    """Cycles of each kernel with all operands resident."""
    output_fault_cycles: tuple[int, ...]
    """Cycles of each kernel, measured with page faults on its outputs."""
    all_fault_cycles: tuple[int, ...]
    """Cycles of each kernel, measured with page faults on all its operands."""

    @cached_property
    def ideal_cycles(self) -> int:
        """The cycles of an iteration in which no kernel waits for data."""
        return sum(self.cycles)


def cases(folder: str | os.PathLike[str]) -> list[str]:
    """The names of all cases in a folder, including cases with only one of the two tables. Raises InputError if the
    folder can't be read or has no case."""
    try:
        files = os.listdir(folder)
    except (OSError, ValueError) as error:
        raise InputError(
            f"can't be read: {reason_of(error)}; expected a folder with traces of G10", FileName(folder)
        ) from None
    ends = (_KERNELS, _TENSORS)
    found = sorted({file.removesuffix(end) for file in files for end in ends if file.endswith(end)})
    if not found:
        message = f"the folder has no file whose name ends with {_KERNELS}; expected a folder with traces of G10"
        raise InputError(message, FileName(folder))
    return found


def read_g10(folder: str | os.PathLike[str], case: str) -> G10Case:
    """The case of a folder with the given name, such as `BERT_Base_256`. Raises InputError with file, line and column
    for an unknown case or an invalid table."""
    known = cases(folder)
    if case not in known:
        listed = f"it has {', '.join(known)}"
        raise InputError(f"this folder has no case `{case}`{hint(case, known, listed)}", FileName(folder))
    return read_tables(Path(folder) / f"{case}{_KERNELS}", Path(folder) / f"{case}{_TENSORS}", case)


def read_tables(kernels: str | os.PathLike[str], tensors: str | os.PathLike[str], name: str = "") -> G10Case:
    """A case from its two tables. Raises InputError with file, line and column for an invalid table."""
    rows = read_table(tensors, "a table of tensors", ("tensor", "bytes", "global", "birth", "death"))
    if not rows:
        raise InputError("the table has no tensor, expected at least one", FileName(tensors))
    read = [_tensor(row, number) for number, row in enumerate(rows)]
    measured = ("ms", "ms_output_faults", "ms_all_faults")
    columns = ("kernel", "name", *measured, "workspace_bytes", "inputs", "outputs")
    lines = read_table(kernels, "a table of kernels", columns, ("layer",))
    if not lines:
        raise InputError("the table has no kernel, expected at least one", FileName(kernels))
    cycles = [tuple(_cycles(row[column]) for row in lines) for column in measured]
    made = tuple(_kernel(row, number, cycles[0][number], read) for number, row in enumerate(lines))
    trace = KernelTrace(made, tuple(read))
    _check_lives(trace, rows, len(lines))
    for row, kernel, number in zip(lines, made, range(len(made)), strict=True):
        _check_workspace(row, kernel, number, trace)
    resident, output, everything = cycles
    output = tuple(map(max, output, resident))
    return G10Case(name, trace, resident, output, tuple(map(max, everything, output)))


def _tensor(row: Row, number: int) -> Tensor:
    _numbered(row["tensor"], number)
    nbytes = row["bytes"].integer(1, _MOST_BYTES, "bytes")
    return Tensor(f"t{number}", nbytes, bool(row["global"].integer(0, 1, "1 (it lives across iterations) or 0,")))


def _kernel(row: Row, number: int, cycles: int, tensors: Sequence[Tensor]) -> Kernel:
    _numbered(row["kernel"], number)
    reads, writes = (
        tuple(dict.fromkeys(row[column].integers(len(tensors) - 1, "the number of a tensor,")))
        for column in ("inputs", "outputs")
    )
    return Kernel(row["name"].text, cycles / CLOCK_GHZ, reads, writes)


def _numbered(cell: Cell, number: int) -> None:
    """Check that a line's number is `number`: lines are numbered in ascending order from 0, since other fields refer to
    these numbers."""
    if cell.text != str(number):
        cell.refuse(f"{number}: lines are numbered in their order, from 0 on")


def _cycles(cell: Cell) -> int:
    return int(cell.number(0, _LONGEST_MS) * (CLOCK_GHZ * 1e9) / 1000.0)  # rounded after each step, as in the artifact


def _check_lives(trace: KernelTrace, rows: Sequence[Row], kernels: int) -> None:
    """Check the lifetimes in the table of tensors against the kernels that use the tensors."""
    first, last = trace.first.tolist(), trace.last.tolist()
    for number, (tensor, row) in enumerate(zip(trace.tensors, rows, strict=True)):
        birth, death = row["birth"], row["death"]
        if tensor.persistent:
            for cell in (birth, death):
                if cell.text:
                    cell.refuse("nothing, since the tensor lives across iterations")
            continue
        born = birth.integer(0, kernels - 1, "the number of a kernel,")
        died = death.integer(NEVER, kernels, "the number of a kernel, or -1,")
        if first[number] == NEVER:
            continue
        if born != first[number]:
            birth.refuse(f"{first[number]}, the first kernel that uses tensor {number}")
        if (born + 1 if died == NEVER else died) != last[number] + 1:
            death.refuse(f"{last[number] + 1}, the kernel after the last one that uses tensor {number}")


def _check_workspace(row: Row, kernel: Kernel, number: int, trace: KernelTrace) -> None:
    """Check that a kernel with a workspace has an output of the workspace's size, in pages, that no other kernel
    uses."""
    cell = row["workspace_bytes"]
    nbytes = cell.integer(0, _MOST_BYTES, "bytes")
    pages = -(-nbytes // PAGE)
    outputs = (trace.tensors[one] for one in kernel.writes if trace.first[one] == trace.last[one] == number)
    if nbytes and not any(-(-tensor.nbytes // PAGE) == pages for tensor in outputs):
        cell.refuse(f"0, or the bytes of a tensor among the outputs that kernel {number} alone uses")
