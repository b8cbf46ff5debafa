"""A cache of properties of ops, which is valid while their program stays unchanged."""

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
    """A context within which no program changes: results of functions decorated by `once_per_op` are cached until the
    context ends, e.g. for several timings of one program. A nested context ends with the outer one."""
    if _KNOWN.get() is not None:
        yield
        return
    token = _KNOWN.set({})
    try:
        yield
    finally:
        _KNOWN.reset(token)


def once_per_op(fact: Callable[Concatenate[Op, More], Fact]) -> Callable[Concatenate[Op, More], Fact]:
    """A decorator of functions of an op, which are evaluated once per op in the context `unchanged`. Arguments after
    the op must not affect the result."""

    @wraps(fact)
    def known(op: Op, *more: More.args, **named: More.kwargs) -> Fact:
        return once(fact, op, lambda: fact(op, *more, **named))

    return known


def once(key: object, op: Operation, fact: Callable[[], Fact]) -> Fact:
    """A property of an op, which is computed by `fact` once per op and key in the context `unchanged`."""
    facts = _KNOWN.get()
    if facts is None:
        return fact()
    place = key, op
    if place not in facts:
        facts[place] = fact()
    return facts[place]
