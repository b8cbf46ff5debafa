"""Work: device-independent cost of an op, in flops and bytes; cost models convert it to time by a device's sheet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Work:
    """Arithmetic and traffic of one op.

    `flops`: floating-point (or integer) operations, a multiply-accumulate being two.
    `read`, `written`: compulsory bytes, each operand and each result once.
    `macs`: multiply-accumulates of contractions (`matmul`, `conv`, `attention`), the count that papers call MACs; it is
    contained in `flops` as `2 * macs`. `moves_only`: no arithmetic and no change of bytes (a reshape): a view where the
    layout allows it.
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
        """All compulsory traffic in bytes."""
        return self.read + self.written
