"""Facts of ops that are worked out once while a program stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from xdsl.ir import Operation

Op = TypeVar("Op", bound=Operation)
More = ParamSpec("More")
Fact = TypeVar("Fact")

_KNOWN: ContextVar[dict[tuple[object, Operation], Any] | None] = ContextVar("KNOWN", default=None)


@contextmanager
def unchanged() -> Generator[None]:
    """Promises that no op that is asked about changes meanwhile: its facts are remembered until the end, by several
    clocks of one program, say. Inside another one, until the end of that."""
    if _KNOWN.get() is not None:
        yield
        return
    token = _KNOWN.set({})
    try:
        yield
    finally:
        _KNOWN.reset(token)


def once_an_op(fact: Callable[Concatenate[Op, More], Fact]) -> Callable[Concatenate[Op, More], Fact]:
    """A function of an op that is asked once for each op of a program that is `unchanged`; what else it is given must
    not matter to its result."""

    @wraps(fact)
    def known(op: Op, *more: More.args, **named: More.kwargs) -> Fact:
        facts = _KNOWN.get()
        if facts is None:
            return fact(op, *more, **named)
        key = (fact, op)
        if key not in facts:
            facts[key] = fact(op, *more, **named)
        return facts[key]

    return known
