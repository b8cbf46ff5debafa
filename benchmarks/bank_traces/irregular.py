"""Random flat traces in which no loop can be found, and the wall times that C++ simulators take for these traces.

The times were measured once on 2 cores and include the start of the program (about 0.04 s): arkhadem/aim_simulator
0f28a07 (GDDR6), akothen/PIMFlow_ramulator 8dbb92f, scale-snu/attacc_simulator c600051, each built with -O2 or -O3.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

END = "AiM EOC\n"


class Irregular(NamedTuple):
    """A trace without repetition.

    It has a name, the sheet of the device that runs it, the function that draws its commands, and the C++ simulator's
    result: the number of cycles and the wall time in s.
    """

    name: str
    sheet: str
    draw: Callable[[Random], str]
    cycles: int
    wall_s: float

    @property
    def text(self) -> str:
        return self.draw(Random(7))


def _lines(count: int, line: Callable[[], str], end: str = "") -> str:
    return "".join(f"{line()}\n" for _ in range(count)) + end


def accesses(draw: Random) -> str:
    """Draw ordinary reads and writes on all channels of an AiM system."""
    pick = draw.randrange
    return _lines(12_000, lambda: f"{draw.choice('WR')} MEM {pick(32)} {pick(16)} {pick(64)}", END)


def single_banks(draw: Random) -> str:
    """Draw multiply-accumulate commands, each in one bank of one AiM channel."""
    pick = draw.randrange
    return _lines(12_000, lambda: f"AiM MAC_SBK 1 {1 << pick(4)} {pick(16)} {pick(3)}", END)


def all_channels(draw: Random) -> str:
    """Draw commands that all AiM channels execute at the same time."""
    pick, mask = draw.randrange, (1 << 32) - 1

    def line() -> str:
        ops = pick(1, 65)
        kinds = f"MAC_ABK {ops} {mask} {pick(16)}", f"WR_GB {ops} 0 {mask}", f"RD_MAC 0 {mask}", f"WR_BIAS 0 {mask}"
        return f"AiM {draw.choice(kinds)}"

    return _lines(10_000, line, END)


def tiles(draw: Random) -> str:
    """Draw commands of tiles on Newton: a buffer write, activates, a random number of multiply-accumulates, and a read
    of the results."""
    found: list[str] = []
    while len(found) < 20_000:
        row = draw.randrange(64) << 14
        found += [f"0x{row:08x} GWRITE", *(f"0x{(group << 27) + row:08x} G_ACT{group}" for group in range(4))]
        found += [f"0x{row + column * 64:08x} COMP" for column in range(draw.randrange(1, 33))] + ["READRES"]
    return "\n".join(found) + "\n"


def loads_and_stores(draw: Random) -> str:
    """Draw ordinary reads and writes of an AttAcc system."""
    return _lines(10_000, lambda: f"{draw.choice(('LD', 'ST'))} 0x{draw.randrange(1 << 28) * 32:08x}")


IRREGULAR = (
    Irregular("AiM W/R MEM", "aim_ramulator", accesses, 12184, 0.078),
    Irregular("AiM MAC_SBK", "aim_ramulator", single_banks, 188105, 0.183),
    Irregular("AiM on 32 channels", "aim_ramulator", all_channels, 675398, 4.82),
    Irregular("Newton tiles", "newton_pimflow", tiles, 111568, 0.034),
    Irregular("AttAcc LD/ST", "attacc_ramulator", loads_and_stores, 4719, 0.193),
)
