"""Pictures of drawings in Graphviz's language, laid out by Graphviz's program `dot`."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from contextlib import contextmanager, suppress
from shutil import which
from signal import SIGTERM
from subprocess import PIPE, Popen, TimeoutExpired

from dialects.diagnostics import InputError
from dialects.files import reason_of
from interp.walk.effort import EFFORT

LIMIT_S = 60.0
"""The time limit of Graphviz in s; `--effort` multiplies it. Without a limit, Graphviz would run for hours on thousands
of boxes."""


def svg_of(drawing: str, as_text: str) -> str:
    """The SVG of a drawing in Graphviz's language. `as_text`: the command-line options that write the drawing as text
    instead, for error messages. Raises InputError if Graphviz is not installed, fails, or exceeds the time limit."""
    if (program := which("dot")) is None:
        raise InputError(
            "this picture needs Graphviz's program `dot`, which is not on the PATH; install it (apt install graphviz, "
            f"brew install graphviz, winget install graphviz), or write the text with {as_text}"
        )
    limit_s = LIMIT_S * EFFORT.get()
    try:
        with _started([program, "-Tsvg"]) as layout:
            svg, errors = layout.communicate(drawing.encode(), limit_s)
    except TimeoutExpired:
        boxes = len(re.findall(r"^\s*n\d+ \[", drawing, re.MULTILINE))
        more = max(2, round(10 * EFFORT.get()))
        raise InputError(
            f"Graphviz's `dot` did not finish the layout of this drawing's {boxes:,} boxes within {limit_s:.0f} s; "
            f"draw less (one layer of the model, or after -p fuse), allow more time (--effort {more}), "
            f"or write the text with {as_text} for a faster engine (sfdp -Tsvg)"
        ) from None
    except OSError as error:
        raise InputError(
            f"Graphviz's `dot` can't be started: {reason_of(error)}; write the text with {as_text}"
        ) from None
    if layout.returncode:
        why = " ".join(errors.decode("utf-8", "replace").split())[:300] or f"it ended with status {layout.returncode}"
        raise InputError(f"Graphviz's `dot` could not lay the graph out: {why}; write the text with {as_text}")
    return svg.decode()


@contextmanager
def _started(command: list[str]) -> Generator[Popen[bytes]]:
    """A context with a running subprocess; if the body of the `with` statement raises, the subprocess and the processes
    that it started are killed."""
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True) as process:
        try:
            yield process
        except BaseException:
            if hasattr(os, "killpg"):
                with suppress(OSError):
                    os.killpg(process.pid, SIGTERM)
            process.kill()
            raise
