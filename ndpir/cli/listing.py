"""Output of the flags `--list-…`, `--show-device` and `--completion`."""

from __future__ import annotations

import argparse
import dataclasses
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_type_hints

from dialects.text.columns import aligned
from lowering.words import known_words
from ndpir.compiler.options import describe, option_name
from ndpir.diagnostics.usage import UsageError
from ndpir.registry.docstrings import first_sentence
from ndpir.registry.names import Registry

WIDTH = 110


def listing(args: argparse.Namespace, registry: Registry) -> str:
    """The lists that the flags request, in a fixed order. Raises InputError for an unknown device or op."""
    parts: list[str] = []
    if args.list_passes:
        parts.append(_with_options("pass", registry.passes, registry))
    if args.list_pipelines:
        parts.append(_pipelines(registry))
    if args.list_targets:
        parts.append(_with_options("target", registry.targets, registry))
    if args.list_ops is not None:
        from ndpir.cli.op_listing import op_listing

        parts.append(op_listing(args.list_ops, registry))
    if args.list_devices:
        parts.append(_devices())
    if args.list_machines:
        parts.append(_devices("machine"))
    if args.show_device is not None:
        if not args.show_device:
            raise UsageError("--show-device needs the name of a device or machine (--list-devices shows them)")
        from interp.kinds.pages import describe as describe_sheet
        from ndpir.compiler.settings import changes_of, settings_of

        parts.append(describe_sheet(args.show_device, changes_of(args.show_device, settings_of(args.set))))
    if args.list_examples:
        from ndpir.frontends.examples import listed

        parts.append(listed())
    if args.completion is not None:
        from ndpir.cli.completion.shells import script

        parts.append(script(args.completion))
    return "\n".join(parts)


def _with_options(kind: str, factories: Mapping[str, Callable[[], type]], registry: Registry) -> str:
    """The passes or targets of ndpir and of plugins with their options, then only the names of those of xDSL, which
    would take seconds to load."""
    from ndpir.reports.target import with_json

    registry.discover()
    xdsl = registry.xdsl_names(factories)
    lines: list[str] = []
    for name, factory in factories.items():
        if name in xdsl:
            continue
        cls = with_json(factory()) if kind == "target" else factory()
        lines += [f"{name}: {first_sentence(cls.__doc__)}", *(f"    {row}" for row in options_of(cls)), ""]
    names = ", ".join(sorted(xdsl))
    lines += [
        f"{'passes' if kind == 'pass' else 'targets'} of xDSL:",
        *textwrap.wrap(names, WIDTH, initial_indent="    ", subsequent_indent="    "),
    ]
    return "\n".join(lines) + "\n"


def options_of(cls: type[Any]) -> Iterator[str]:
    """Lines on the options of a pass or target: name, allowed values, and default."""
    types = get_type_hints(cls)
    for field in dataclasses.fields(cls):
        if field.name == "name" or not field.init:
            continue
        default: Any = field.default if field.default is not dataclasses.MISSING else None
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        shown = (
            {None: "none", True: "true", False: "false", "": '""'}.get(default, default) if _plain(default) else default
        )
        needed = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        remark = "required" if needed else f"default {shown}"
        yield f"{option_name(field.name)}: {describe(types[field.name], known_words(field))} ({remark})"


def _plain(value: object) -> bool:
    return value is None or isinstance(value, bool | str)


def _pipelines(registry: Registry) -> str:
    registry.discover()
    parts: list[str] = []
    for name, rows in registry.pipelines.items():
        parts.append("\n".join([f"{name} = {','.join(step for step, _ in rows)}", *aligned(rows, indent="    "), ""]))
    return "\n".join(parts)


def _devices(*kinds: str) -> str:
    """One line of text for each device, link and machine with a name; with `kinds`, only for those of these kinds."""
    from interp.machine.sheets import list_devices

    rows = [row for row in list_devices() if not kinds or row[1] in kinds]
    return "".join(f"{line}\n" for line in aligned(rows))
