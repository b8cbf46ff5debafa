"""Output of the flags `--list-…`, `--show-device` and `--completion`."""

from __future__ import annotations

import argparse
import dataclasses
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
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
    return "\n".join(LISTS[flag](args, registry) for flag in requested(args))


def requested(args: argparse.Namespace) -> list[str]:
    """The flags among `LISTS` that are given."""
    return [flag for flag in LISTS if getattr(args, flag) not in (None, False)]


def _ops(args: argparse.Namespace, registry: Registry) -> str:
    from ndpir.cli.op_listing import op_listing

    return op_listing(args.list_ops, registry)


def _sheet(args: argparse.Namespace, _: Registry) -> str:
    if not args.show_device:
        raise UsageError("--show-device needs the name of a device or machine (--list-devices shows them)")
    from interp.kinds.pages import describe as describe_sheet
    from ndpir.compiler.settings import LIBRARY, Setting, changes_of, settings_of

    settings = settings_of(args.set)
    if args.library is not None:
        settings.append(Setting(args.show_device, LIBRARY, args.library, flag="--library"))
    return describe_sheet(args.show_device, changes_of(args.show_device, settings))


def _examples(*_: object) -> str:
    from ndpir.frontends.examples import listed

    return listed()


def _completion(args: argparse.Namespace, _: Registry) -> str:
    from ndpir.cli.completion.shells import script

    return script(args.completion)


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


def _libraries(*_: object) -> str:
    """Each known library with its description, and its measured classes of kernels: the element types of each, with the
    compute capabilities for which they are measured."""
    from interp.kinds.gpu.constants.files import known_libraries

    lines: list[str] = []
    for library in known_libraries():
        found: dict[tuple[str, str], list[float]] = {}
        for record in library.records.values():
            if record.capability:
                found.setdefault((record.kernel_class, record.element), []).append(record.capability)
        all_of_them = sorted({each for several in found.values() for each in several})
        rows = [(*kind, _capabilities(several)) for kind, several in found.items()]
        about = f"{library.name}: {library.description}" if library.description else library.name
        capabilities = f"    compute capabilities {_capabilities(all_of_them) or 'none'}"
        lines += [about, capabilities, *aligned(rows, indent="    "), ""]
    return "\n".join(lines[:-1]) + "\n"


def _capabilities(numbers: Iterable[float]) -> str:
    return ", ".join(f"{number:.1f}" for number in numbers)


LISTS: Mapping[str, Callable[[argparse.Namespace, Registry], str]] = {
    "list_passes": lambda args, registry: _with_options("pass", registry.passes, registry),
    "list_pipelines": lambda args, registry: _pipelines(registry),
    "list_targets": lambda args, registry: _with_options("target", registry.targets, registry),
    "list_ops": _ops,
    "list_devices": lambda args, registry: _devices(),
    "list_machines": lambda args, registry: _devices("machine"),
    "list_libraries": _libraries,
    "show_device": _sheet,
    "list_examples": _examples,
    "completion": _completion,
}
"""The flags whose lists replace the program's output, each with the function that returns the list."""
