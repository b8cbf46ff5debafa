"""`-t svg`: the drawing of `-t dot`, laid out by Graphviz."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from shutil import which
from signal import SIGTERM
from subprocess import PIPE, Popen, TimeoutExpired
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from interp.program.effort import EFFORT
from ndpir.targets.dot import drawing_of


@dataclass(frozen=True)
class SvgTarget(Target):
    """The program as a picture, coloured by device. Needs the program `dot` of Graphviz on the PATH."""

    name: ClassVar[str] = "svg"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(laid_out(drawing_of(module), "-t dot"))


LIMIT_S = 60.0
"""The time limit of Graphviz, which takes hours for thousands of boxes."""


def laid_out(drawing: str, as_text: str) -> str:
    """A drawing in Graphviz's language as svg. Raises InputError where Graphviz is not there, can't do it, or takes too
    long; `as_text` writes the same as text."""
    if (program := which("dot")) is None:
        raise InputError(
            "-t svg needs Graphviz's program `dot`, which is not on the PATH; install it (apt install graphviz, "
            f"brew install graphviz, winget install graphviz), or write the text with {as_text}"
        )
    limit_s = LIMIT_S * EFFORT.get()
    try:
        with _started([program, "-Tsvg"]) as layout:
            svg, told = layout.communicate(drawing.encode(), limit_s)
    except TimeoutExpired:
        boxes = len(re.findall(r"^\s*n\d+ \[", drawing, re.MULTILINE))
        more = max(2, round(10 * EFFORT.get()))
        raise InputError(
            f"Graphviz's `dot` has not laid out the {boxes:,} boxes of this drawing in {limit_s:.0f} s; draw less "
            f"(one layer of the model, or after -p fuse), give it more time (--effort {more}), "
            f"or write the text with {as_text} for a faster engine (sfdp -Tsvg)"
        ) from None
    except OSError as error:
        raise InputError(
            f"Graphviz's `dot` can't be started: {error.strerror}; write the text with {as_text}"
        ) from None
    if layout.returncode:
        why = " ".join(told.decode("utf-8", "replace").split())[:300] or f"it ended with status {layout.returncode}"
        raise InputError(f"Graphviz's `dot` could not lay the graph out: {why}; write the text with {as_text}")
    return svg.decode()


@contextmanager
def _started(command: list[str]) -> Generator[Popen[bytes]]:
    """A program that is gone, and all that it started, when the body is left, whatever ends it."""
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True) as process:
        try:
            yield process
        except BaseException:
            if hasattr(os, "killpg"):
                with suppress(OSError):
                    os.killpg(process.pid, SIGTERM)
            process.kill()
            raise
