"""Writer of the last section of `docs/gpu.md`, on classes of kernels with columns and constants, from their
declarations: `python -m ndpir.pages.gpu`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from inspect import cleandoc, getmodule

from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.calibration import GPU_MODELS
from interp.kinds.gpu.kernel_class import Column, Constant, KernelClass
from interp.units import digits
from ndpir.pages.generated import ROOT, run

HEADING = "## Classes, columns and constants\n\n"
"""The heading after which the generated text begins."""


def class_tables() -> str:
    """All classes as Markdown: a table of columns and constants for each class; classes with equal columns and
    constants share a table."""
    parts = [
        "Written by `python -m ndpir.pages.gpu` from the declarations; a test checks that it is current.",
        "",
    ]
    for classes in _alike():
        first = classes[0]
        parts += [f"### {', '.join(found.name for found in classes)}", ""]
        parts += [f"- `{found.name}`: {found.meaning}" for found in classes]
        parts += ["", *(f"Model: {line}" for line in dict.fromkeys(map(_model, classes)))]
        parts += ["", "| column | meaning | default |", "|---|---|---|", *map(_column, first.columns), ""]
        parts += _constants(first.constants)
    for model in GPU_MODELS:
        parts += [f"### {model.name}", "", model.meaning, "", *_constants(model.constants)]
    return "\n".join(parts).rstrip() + "\n"


def _alike() -> list[list[KernelClass]]:
    groups: list[list[KernelClass]] = []
    for found in CLASSES.values():
        same = next((group for group in groups if _declared(group[0]) == _declared(found)), None)
        if same is None:
            groups.append([found])
        else:
            same.append(found)
    return groups


def _declared(found: KernelClass) -> tuple[object, object]:
    return found.columns, found.constants


def _model(found: KernelClass) -> str:
    """The description of a class's model: the first paragraph of the docstring of its module."""
    model = getattr(found.model, "func", found.model)  # the function of a `partial`
    return " ".join(cleandoc(getattr(getmodule(model), "__doc__", "") or "").partition("\n\n")[0].split())


def _column(column: Column) -> str:
    default = "required" if column.default is None else digits(column.default)
    return f"| `{column.name}` | {_cell(column.meaning)} | {default} |"


def _constants(constants: Iterable[Constant]) -> Iterator[str]:
    yield from ("| constant | unit | plausible | bounds | meaning |", "|---|---|---|---|---|")
    for constant in constants:
        unit = constant.unit or "ratio"
        span = f"{constant.low:g} to {constant.high:g}"
        fixed = "; not fitted" if constant.fixed else ""
        yield f"| `{constant.name}` | {unit} | {constant.start:g} | {span} | {_cell(constant.meaning)}{fixed} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def documents() -> dict[str, str]:
    """`docs/gpu.md` by its path in the checkout: its text up to `HEADING`, and the tables."""
    head, heading, _ = (ROOT / "docs/gpu.md").read_text(encoding="utf-8").partition(HEADING)
    return {"docs/gpu.md": head + heading + class_tables()}


if __name__ == "__main__":
    run("ndpir.pages.gpu", documents)
