"""`-t svg`: the drawing of `-t dot`, laid out by Graphviz."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar

import graphviz  # pyright: ignore[reportMissingTypeStubs]
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from ndpir.targets.dot import drawing_of


@dataclass(frozen=True)
class SvgTarget(Target):
    """The program as a picture, coloured by device. Needs the program `dot` of Graphviz on the PATH."""

    name: ClassVar[str] = "svg"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(laid_out(drawing_of(module), "-t dot"))


def laid_out(drawing: str, as_text: str) -> str:
    """A drawing in Graphviz's language as svg. Raises InputError where Graphviz is not there, or can't do it; `as_text`
    writes the same as text."""
    try:
        return graphviz.Source(drawing).pipe(format="svg", encoding="utf-8", quiet=True)
    except graphviz.ExecutableNotFound:
        raise InputError(
            "-t svg needs Graphviz's program `dot`, which is not on the PATH; install it (apt install graphviz, "
            f"brew install graphviz, winget install graphviz), or write the text with {as_text}"
        ) from None
    except graphviz.CalledProcessError as error:
        raise InputError(f"Graphviz's `dot` could not lay the graph out: {error}") from None
