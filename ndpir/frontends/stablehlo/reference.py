"""Writes `docs/stablehlo.md`, what every op of StableHLO becomes: `python -m ndpir.frontends.stablehlo.reference`."""

from __future__ import annotations

from inspect import cleandoc

from dialects.files import write_text
from ndpir.frontends.stablehlo.building import CONVERTERS
from ndpir.frontends.stablehlo.elementwise import ONE_TO_ONE
from ndpir.frontends.stablehlo.importer import IN_SCOPE
from ndpir.frontends.stablehlo.specification import CHLO_OPS, ELSEWHERE, OTHERS, REFUSED, SECTIONS, section_of

HEAD = """# The ops of StableHLO

Written by `python -m ndpir.frontends.stablehlo.reference` from the reader's tables; a test keeps it current. Each op
links to the section that its meaning follows: of the [StableHLO specification](https://openxla.org/stablehlo/spec), for
`chlo.` of CHLO's own reference, and of an op that is in neither any more, the one next to it. [jax.md](jax.md) says how
programs are read.

| op | becomes, or is refused because |
|---|---|
"""


def becomes(name: str) -> str:
    """The graph op that an op is read as, or the reason for its refusal and a way out."""
    if name in REFUSED:
        return f"*refused*: {REFUSED[name]}"
    if name in ONE_TO_ONE:
        cls, properties = ONE_TO_ONE[name]
        return f"`{cls.name}`" + "".join(f", {key} = {value}" for key, value in properties.items())
    if name in IN_SCOPE:
        return IN_SCOPE[name]
    told = cleandoc(CONVERTERS[name].__doc__ or "")
    return " ".join(told.split()) or "A formula of other ops."


def reference() -> str:
    """The page as Markdown."""
    names = sorted({*SECTIONS, *ELSEWHERE}) + sorted(f"chlo.{name}" for name in CHLO_OPS) + list(OTHERS)
    return HEAD + "".join(f"| [`{name}`]({section_of(name)}) | {becomes(name)} |\n" for name in names)


if __name__ == "__main__":
    write_text("docs/stablehlo.md", reference())
