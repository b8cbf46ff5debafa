"""A cache of properties of ops, which is valid while their program stays unchanged."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from xdsl.ir import Operation

Op = TypeVar("Op", bound=Operation)
More = ParamSpec("More")
Fact = TypeVar("Fact")

Facts: TypeAlias = dict[Operation, dict[object, Any]]
"""Properties of ops, by op and key."""
_KNOWN: ContextVar[Facts | None] = ContextVar("KNOWN", default=None)
_LASTING: ContextVar[Facts | None] = ContextVar("LASTING", default=None)


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


@contextmanager
def lasting(facts: Facts) -> Generator[None]:
    """A context within which the ops in `facts` don't change, nor between several contexts with the same `facts`, in
    which the results of functions decorated by `once_per_op` are kept for them."""
    token = _LASTING.set(facts)
    try:
        yield
    finally:
        _LASTING.reset(token)


def once_per_op(fact: Callable[Concatenate[Op, More], Fact]) -> Callable[Concatenate[Op, More], Fact]:
    """A decorator of functions of an op, which are evaluated once per op in the context `unchanged`. Arguments after
    the op must not affect the result."""

    @wraps(fact)
    def known(op: Op, *more: More.args, **named: More.kwargs) -> Fact:
        return once(fact, op, lambda: fact(op, *more, **named), lasts=True)

    return known


def once(key: object, op: Operation, fact: Callable[[], Fact], lasts: bool = False) -> Fact:
    """A property of an op, which is computed by `fact` once per op and key in the context `unchanged`. `lasts`: the
    property depends on the program alone, so that the context `lasting` may keep it."""
    facts = _LASTING.get() if lasts else None
    if facts is None or op not in facts:
        facts = _KNOWN.get()
    if facts is None:
        return fact()
    known = facts.setdefault(op, {})
    if key not in known:
        known[key] = fact()
    return known[key]


def cached(key: object, op: Operation) -> Any | None:
    """The cached property of an op; None if it is not cached."""
    facts = _KNOWN.get()
    return None if facts is None else facts.get(op, {}).get(key)


def forget(op: Operation) -> None:
    """Drop the cached properties of an op that was changed after all. No cached property of another op may depend on
    the changed one."""
    facts = _KNOWN.get()
    if facts is not None:
        facts.pop(op, None)
