"""Work: device-independent cost of an op, in flops and bytes; cost models convert it to time by a device's sheet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Work:
    """Arithmetic and memory traffic of one op.

    `flops`: number of floating-point or integer operations; a multiply-accumulate counts as two. `read`, `written`:
    bytes that must be read and written, each operand and each result counted once. `macs`: number of
    multiply-accumulates of contractions (`matmul`, `conv`, `attention`), which are included in `flops` as `2 * macs`.
    `moves_only`: True for an op without arithmetic that keeps all bytes (a reshape); it is a view where the layout
    allows it.
    """

    flops: int = 0
    read: int = 0
    written: int = 0
    macs: int = 0
    moves_only: bool = False

    def __add__(self, other: Work) -> Work:
        return Work(
            self.flops + other.flops,
            self.read + other.read,
            self.written + other.written,
            self.macs + other.macs,
            self.moves_only and other.moves_only,
        )

    @property
    def bytes(self) -> int:
        """The sum of `read` and `written`."""
        return self.read + self.written
