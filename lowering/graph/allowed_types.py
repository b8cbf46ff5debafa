"""The element types in which a program may compute: its own, and those to which the user allows to convert it."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from xdsl.passes import ModulePass

from interp.machine.composition import Machine
from lowering.graph.precision import ALL, AUTO, KEEP, TARGETS, WEIGHTS, ReducePrecisionPass, pim_type


@dataclass(frozen=True)
class Types:
    """Element types of a form: those of the program, or its conversion by `reduce-precision` to `element` in `scope`.
    `element` is empty for the program's own types."""

    element: str = ""
    scope: str = ALL

    def __str__(self) -> str:
        if not self.element:
            return "own types"
        return self.element if self.scope == ALL else f"{self.element} for products by weights"


OWN = Types()


def automatic(machine: Machine) -> tuple[Types, ...]:
    """The conversions that help a machine: none for one without a PIM, otherwise to the type of its PIM, of all ops or
    only of products by weights."""
    element = pim_type(machine)[0]
    return () if element is None else (Types(str(element)), Types(str(element), WEIGHTS))


def allowed(steps: Iterable[ModulePass], machine: Machine) -> tuple[Types, ...]:
    """The types that a list of passes may use: the program's own, and those to which one of the passes converts."""
    found = dict.fromkeys((OWN,))
    for step in steps:
        target: str = getattr(step, "types", KEEP)
        if isinstance(step, ReducePrecisionPass):
            target = step.to
        if target == AUTO:
            found |= dict.fromkeys(automatic(machine))
        elif isinstance(step, ReducePrecisionPass) and target in TARGETS:
            found |= dict.fromkeys((Types(target, step.scope),))
    return tuple(found)


ALLOWED: ContextVar[tuple[Types, ...]] = ContextVar("ALLOWED", default=(OWN,))
"""The types in which the primary device alone may compute: those that the user allows for the plan."""


@contextmanager
def allowing(types: tuple[Types, ...]) -> Generator[None]:
    """Allow these types within the context."""
    token = ALLOWED.set(types)
    try:
        yield
    finally:
        ALLOWED.reset(token)
