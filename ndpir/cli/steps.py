"""Builds passes from the text of `-p`, with named pipelines expanded, and a target from the text of `-t`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from xdsl.passes import ModulePass
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from ndpir.cli.options import build, parse_specs, place_in
from ndpir.registry.names import Registry
from ndpir.registry.pipelines import Pipeline


def passes_of(text: str, registry: Registry, flag: str = "-p") -> list[ModulePass]:
    """The passes that `text` lists, named pipelines expanded in place.

    Raises InputError with a place in `flag`'s value: bad syntax, unknown names and options, values of a wrong type.
    """
    passes: list[ModulePass] = []
    for given in parse_specs(text, flag):
        name = given.spec.name
        if (rows := _pipeline(name, registry)) is not None:
            if given.spec.parameters:
                steps = ",".join(step for step, _ in rows)
                raise InputError(
                    f"{name} is a pipeline and takes no options; write its passes instead: {steps}",
                    place_in(flag, given.column),
                )
            for row, _ in rows:
                passes += passes_of(row, registry, f"pipeline {name}")
            continue
        try:
            cls = registry.load_pass(name)
        except InputError as error:
            raise InputError(error.message, place_in(flag, given.column)) from None
        passes.append(build(cls, given, flag, registry.discover))
    return passes


def with_types_kept(passes: Sequence[ModulePass]) -> list[ModulePass]:
    """The passes without automatic conversion to the element type of the machine, for `--keep-types`. An explicit type
    (`reduce-precision{to=f16}`) is kept."""
    return [replace(each, to="keep") if getattr(each, "to", None) == "auto" else each for each in passes]  # pyright: ignore[reportCallIssue, reportArgumentType]


def _pipeline(name: str, registry: Registry) -> Pipeline | None:
    if name not in registry.pipelines and name not in registry.passes:
        registry.discover()
    return registry.pipelines.get(name)


def target_of(text: str, registry: Registry, flag: str = "-t", **defaults: object) -> Target:
    """The target that the text of `-t` names, with its options; `defaults`: values of omitted options.

    Raises InputError with a place in the value of `flag`.
    """
    match parse_specs(text, flag):
        case [given]:
            pass
        case several:
            raise InputError(f"{flag} takes one target, not {len(several)}", place_in(flag, 1))
    try:
        cls = registry.load_target(given.spec.name)
    except InputError as error:
        raise InputError(error.message, place_in(flag, given.column)) from None
    known = {field.name for field in fields(cls)}
    target = build(cls, given, flag, registry.discover)
    named = {name.replace("-", "_") for name in given.spec.parameters}
    return replace(target, **{name: value for name, value in defaults.items() if name in known and name not in named})
