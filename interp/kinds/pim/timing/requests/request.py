"""A request: one command of a program, addressed to the controllers of its channels."""

from __future__ import annotations

from typing import NamedTuple

from interp.machine.records import Scope


class Request(NamedTuple):
    """A command of the program, as it is sent to the controllers of some channels: a verb and a scope.

    `unit`: the number of the bank or group that the scope addresses. `bank`: the bank in the address, which selects the
    timing constraints below the channel level; -1 for none. `row`: the row that the command needs, -1 for none. `host`:
    True for an ordinary access, which waits in the read or the write queue. `tag`: a number that differs for different
    addresses within one row. `times`: the number of consecutive equal requests.
    """

    verb: str
    scope: Scope = "all"
    unit: int = 0
    row: int = -1
    channels: tuple[int, ...] = (0,)
    bank: int = -1
    host: bool = False
    tag: int = 0
    times: int = 1
