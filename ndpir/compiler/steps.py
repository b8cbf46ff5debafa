"""Construction of passes from the text of `-p`, with named pipelines expanded, and of a target from that of `-t`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace

from xdsl.passes import ModulePass
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from ndpir.compiler.options import build, field_name, parse_specs, place_in
from ndpir.registry.names import Registry, present_name
from ndpir.registry.pipelines import Pipeline


def passes_of(text: str, registry: Registry, flag: str = "-p") -> list[ModulePass]:
    """The passes listed in `text`, with named pipelines expanded. Raises InputError with a location in the value of
    `flag` for a syntax error, an unknown name or option, and a value of a wrong type."""
    passes: list[ModulePass] = []
    for given in parse_specs(text, flag):
        name = given.spec.name
        if (rows := _pipeline(name, registry)) is not None:
            if given.spec.parameters:
                steps = ",".join(step for step, _ in rows)
                raise InputError(
                    f"{name} is a pipeline, which has no options; write its passes with options instead: {steps}",
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
    """The passes for `--keep-types`: `reduce-precision` and `choose-form` do not convert to the machine's element type,
    unless an option names a type (`reduce-precision{to=f16}`)."""
    return [
        replace(each, **kept)  # pyright: ignore[reportCallIssue, reportArgumentType]
        if (kept := {word: "keep" for word in ("to", "types") if getattr(each, word, None) == "auto"})
        else each
        for each in passes
    ]


def with_effort(passes: Sequence[ModulePass], effort: int, flag: str) -> list[ModulePass]:
    """The passes, each that searches with this effort: those with a method `with_effort`, which returns the changed
    pass, or None if it does not search with these options. Raises InputError if there is no such pass."""
    changed = [_changed(each, "with_effort", effort) for each in passes]
    if not any(changed):
        names = ", ".join(each.name for each in passes)
        met = f"none of the passes has one: {names}" if names else "there are no passes"
        raise InputError(
            f"{flag} sets the effort of searches, but {met}; use the pipeline plan, or place{{policy=optimal}}"
        )
    return [each if other is None else other for each, other in zip(passes, changed, strict=True)]


def restrict_passes(passes: Sequence[ModulePass], without: tuple[str, ...], flag: str) -> list[ModulePass]:
    """The passes, with plans that do without some of what `place{without=…}` names: those with a method `restricted`,
    which returns the changed pass, or None if its policy can't do without. Raises InputError if no pass plans so."""
    changed = [_changed(each, "restricted", without) for each in passes]
    if not any(hasattr(each, "without") for each in changed):
        raise InputError(
            f"what decisions are worth is known of plans by search, but no pass of {flag} makes one; use the pipeline "
            "plan, or place{policy=optimal}"
        )
    return [each if other is None else other for each, other in zip(passes, changed, strict=True)]


def _changed(step: ModulePass, method: str, value: object) -> ModulePass | None:
    """What a pass's method returns for a value; None if the pass has no such method."""
    made: Callable[[object], ModulePass | None] | None = getattr(step, method, None)
    return None if made is None else made(value)


def _pipeline(name: str, registry: Registry) -> Pipeline | None:
    if name not in registry.pipelines and name not in registry.passes:
        registry.discover()
        name = name if name in registry.pipelines else present_name("pipeline", name)
    return registry.pipelines.get(name)


def target_of(text: str, registry: Registry, flag: str = "-t", **defaults: object) -> Target:
    """The target named in `text`, with its options; `defaults`: values of omitted options. Raises InputError with a
    location in the value of `flag` for a syntax error, an unknown name or option, and a value of a wrong type."""
    match parse_specs(text, flag):
        case [given]:
            pass
        case several:
            raise InputError(
                f"{flag} needs exactly one target, but {len(several)} are given; keep one", place_in(flag, 1)
            )
    try:
        cls = registry.load_target(given.spec.name)
    except InputError as error:
        raise InputError(error.message, place_in(flag, given.column)) from None
    if "json" in given.spec.parameters:
        from ndpir.reports.target import with_json

        cls = with_json(cls)
    known = {field.name for field in fields(cls)}
    target = build(cls, given, flag, registry.discover)
    named = {field_name(name) for name in given.spec.parameters}
    return replace(target, **{name: value for name, value in defaults.items() if name in known and name not in named})


def needs_machine(thing: object) -> bool:
    """True if a pass or target (its class or an instance) needs a machine."""
    return bool(getattr(thing, "NEEDS_MACHINE", False))


def is_compared(each: object) -> bool:
    """True if the baseline must be recorded before this pass, since it can't be derived afterwards (`COMPARED =
    True`)."""
    return bool(getattr(each, "COMPARED", False))


def reads_baseline(target: object) -> bool:
    """True if a target's output may contain the baseline: all targets except those with `BASELINE = False`."""
    return bool(getattr(target, "BASELINE", True))
