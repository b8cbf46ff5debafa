"""A request: one command of a program on its way to the controllers of its channels."""

from __future__ import annotations

from typing import NamedTuple

from interp.machine.records import Scope


class Request(NamedTuple):
    """A verb at a scope for some channels.

    `unit` numbers what the scope is one of. `bank`: the bank whose address it bears, -1 for none: where its gaps below
    the channel's level count. `row`: the row it needs, -1 for none. `host`: an ordinary access, by the read and write
    queues. `tag` tells addresses apart that lie in one row. `times`: so many of them in a row.
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
