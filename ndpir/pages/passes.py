"""Writer of the pages on passes (`docs/passes/`) and on the Python interface (`docs/api.md`) from docstrings, and of
the fields in `docs/sheets.md`: `python -m ndpir.pages.passes`. With `--check`, it lists outdated pages, and exits
with status 1 if there are any."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import cleandoc
from typing import Any

from interp.kinds.pages import field_tables
from ndpir.cli.listing import options_of
from ndpir.compiler.options import option_name
from ndpir.pages.generated import ROOT, run
from ndpir.pages.schemas import field_docstrings
from ndpir.registry.docstrings import first_sentence
from ndpir.registry.pipelines import PIPELINES
from ndpir.registry.universe import PASSES, load_pass

RESULTS = (
    ("interp.simulate.schedule.timeline", "Timeline"),
    ("interp.simulate.schedule.timeline", "Event"),
    ("interp.simulate.schedule.rows", "Row"),
    ("interp.machine.cost", "Cost"),
    ("interp.simulate.schedule.memory", "Need"),
    ("ndpir.compiler.comparing", "Compared"),
)
"""The classes of objects that functions of `ndpir` return: the module and the name of each."""


def pages() -> dict[str, str]:
    """The content of each generated page, by its path in the checkout."""
    found = {f"docs/passes/{name}.md": _pass_page(name) for name in PASSES}
    return found | {"docs/passes/README.md": _contents(), "docs/api.md": _api(), "docs/sheets.md": _sheets()}


def _sheets() -> str:
    """The page on sheets, with the fields of each kind of sheet at its end."""
    head, heading, _ = (ROOT / "docs/sheets.md").read_text(encoding="utf-8").partition("## Fields\n\n")
    return head + heading + field_tables()


def _contents() -> str:
    rows = [f"| [`{name}`]({name}.md) | {first_sentence(load_pass(name).__doc__)} |" for name in PASSES]
    pipelines = [
        f"| `{name}` | {', '.join(f'[`{step}`]({_name(step)}.md)' for step, _ in steps)} |"
        for name, steps in PIPELINES.items()
    ]
    lines = [
        "# Passes",
        "",
        "Written by `python -m ndpir.pages.passes` from docstrings; a test checks that these pages are current. "
        "`ndp-opt x.mlir -p NAME{option=value},NAME` runs passes in the order given.",
        "",
        "| pass | |",
        "|---|---|",
        *rows,
        "",
        "## Pipelines",
        "",
        "A pipeline is a named list of passes. Its name is written after `-p` like a pass:",
        "",
        "| pipeline | passes |",
        "|---|---|",
        *pipelines,
    ]
    return "\n".join(lines) + "\n"


def _name(step: str) -> str:
    """The name of a step's pass, without its options."""
    return step.partition("{")[0]


def _pass_page(name: str) -> str:
    cls: Any = load_pass(name)
    users = [pipeline for pipeline, steps in PIPELINES.items() if any(_name(step) == name for step, _ in steps)]
    lines = [f"# `{name}`", "", _examples_named(cleandoc(cls.__doc__ or "")), ""]
    if options := list(options_of(cls)):
        meanings = _meanings(cls)
        lines += ["## Options", ""]
        for option, _, values in (option.partition(":") for option in options):
            lines.append(f"- `{option}`:{values}" + (f". {meanings[option]}" if option in meanings else ""))
        lines.append("")
    if users:
        noun = "pipeline" if len(users) == 1 else "pipelines"
        lines += [f"Part of the {noun} {', '.join(f'`{user}`' for user in users)}.", ""]
    lines.append(f"Source: [{PASSES[name].replace('.', '/')}](../../{_file_of(cls)}) · [all passes](README.md)")
    return "\n".join(lines) + "\n"


def _meanings(cls: type) -> dict[str, str]:
    """The docstrings of a pass's fields, by the names of the options."""
    found: dict[str, str] = {}
    for base in cls.__mro__:
        if dataclasses.is_dataclass(base) and not base.__module__.startswith("xdsl"):
            found |= {option_name(name): text for name, text in field_docstrings(base).items()}
    return found


def _file_of(cls: type) -> str:
    return import_module(cls.__module__).__name__.replace(".", "/") + ".py"


def _examples_named(text: str) -> str:
    """A docstring with an empty line before each code block, as Markdown requires."""
    found: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("```"):
            if not inside and found and found[-1]:
                found.append("")
            inside = not inside
        found.append(line)
    return "\n".join(found)


def _api() -> str:
    import ndpir

    lines = [
        "# The Python interface",
        "",
        "Written by `python -m ndpir.pages.passes`; a test checks that it is current.",
        "",
    ]
    lines += [_examples_named(cleandoc(ndpir.__doc__ or "")), ""]
    for name in ndpir.__all__:
        lines += _member(name, getattr(ndpir, name))
    for module, name in RESULTS:
        lines += _class(name, getattr(import_module(module), name))
    return "\n".join(lines)


def _member(name: str, member: Callable[..., Any]) -> list[str]:
    if inspect.isclass(member):
        return _class(name, member)
    signature = re.sub(r"((?:: |-> ))'([^']*)'", r"\1\2", str(inspect.signature(member)))
    return [f"## `ndpir.{name}`", "", f"```text\n{name}{signature}\n```", "", cleandoc(member.__doc__ or ""), ""]


def _class(name: str, cls: type) -> list[str]:
    lines = [f"## `{name}`", "", cleandoc(cls.__doc__ or ""), ""]
    rows = list(_attributes(cls))
    return lines + (["| | | |", "|---|---|---|", *rows, ""] if rows else [])


def _attributes(cls: type) -> Iterator[str]:
    members: list[tuple[str, Any]] = inspect.getmembers(cls)
    if dataclasses.is_dataclass(cls):
        words = field_docstrings(cls)
        for field in dataclasses.fields(cls):
            if not field.name.startswith("_"):
                kind, text = (each.replace("|", "\\|") for each in (str(field.type), words.get(field.name, "")))
                yield f"| `{field.name}` | `{kind}` | {text} |"
    for name, member in members:
        if name.startswith("_") or not (isinstance(member, property) or inspect.isfunction(member)):
            continue
        if member.__doc__:
            call = "()" if inspect.isfunction(member) else ""
            yield f"| `{name}{call}` | | {first_sentence(member.__doc__).replace('|', '·')} |"


if __name__ == "__main__":
    run("ndpir.pages.passes", pages, "docs/passes")
