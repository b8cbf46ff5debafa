"""Generator of `docs/stablehlo.md`, the table of StableHLO ops and their conversions: `python -m
ndpir.pages.stablehlo`."""

from __future__ import annotations

from inspect import cleandoc

from ndpir.frontends.stablehlo.building import CONVERTERS
from ndpir.frontends.stablehlo.importer import BUILT_IN_OPS
from ndpir.frontends.stablehlo.specification import (
    CHLO_OPS,
    OPS_WITHOUT_SECTION,
    OTHER_DIALECTS,
    REFUSED,
    SECTIONS,
    section_of,
)
from ndpir.pages.generated import run
from ndpir.writers.stablehlo.names import ONE_TO_ONE

HEAD = """# The ops of StableHLO

Written by `python -m ndpir.pages.stablehlo` from the reader's tables; a test keeps it current. Each op
links to the section that defines it: in the [StableHLO specification](https://openxla.org/stablehlo/spec), or, for
`chlo.` ops, in CHLO's reference. An op that neither defines any more links to the closest section.
[jax.md](jax.md) explains how programs are read.

Annotations that you write into a program (`task.on = @pim`, [dialects.md](dialects.md)) are carried along. If an op
becomes several graph ops, its device holds for all of them, also in the body of a loop, unless an op in its own region
has another; any other annotation is given to the op of the first result. An annotation of an op that becomes none, such
as the sum in the region of a `reduce`, is an error.

| op | conversion, or reason for refusal |
|---|---|
"""


def becomes(name: str) -> str:
    """A description of the graph ops that replace an op, or the reason for its refusal with a way to avoid the op."""
    if name in REFUSED:
        return f"*refused*: {REFUSED[name]}"
    if name in ONE_TO_ONE:
        cls, properties = ONE_TO_ONE[name]
        return f"`{cls.name}`" + "".join(f", {key} = {value}" for key, value in properties.items())
    if name in BUILT_IN_OPS:
        return BUILT_IN_OPS[name]
    text = cleandoc(CONVERTERS[name].__doc__ or "")
    return " ".join(text.split()) or "A formula of other ops."


def reference() -> str:
    """The page `docs/stablehlo.md` as Markdown."""
    names = (
        sorted({*SECTIONS, *OPS_WITHOUT_SECTION}) + sorted(f"chlo.{name}" for name in CHLO_OPS) + list(OTHER_DIALECTS)
    )
    return HEAD + "".join(f"| [`{name}`]({section_of(name)}) | {becomes(name)} |\n" for name in names)


if __name__ == "__main__":
    run("ndpir.pages.stablehlo", lambda: {"docs/stablehlo.md": reference()})
