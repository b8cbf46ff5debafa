"""When a tool of ours itself fails: a file with all that is needed to see it fail again."""

from __future__ import annotations

import os
import shlex
import tempfile
import traceback
from collections.abc import Sequence
from importlib.metadata import version
from platform import python_version

from xdsl.passes import ModulePass

from ndpir.report import Report


def failure(
    error: BaseException, doing: str, arguments: Sequence[str], program: str | None, tool: str = "ndp-opt"
) -> Report:
    """Write a reproducer for a failure that is no error in the input, and say in one line where it is.

    The report has a place where a plugin is to blame, and none where the failure is ours.
    """
    text = " ".join(str(error).split())[:300]
    told = f"{type(error).__name__}: {text}" if text else type(error).__name__
    path = write_reproducer(error, doing, arguments, program, tool)
    from ndpir.plugins import blamed_on

    if (blamed := blamed_on(error)) is not None:
        return Report("error", f"the plugin fails while {doing} ({told}); the traceback is in {path}", blamed)
    return Report(
        "error", f"{tool} itself failed while {doing} ({told}); all that is needed to see it again is in {path}"
    )


def write_reproducer(
    error: BaseException, doing: str, arguments: Sequence[str], program: str | None, tool: str = "ndp-opt"
) -> str:
    """Write command line, traceback and program (None where it is not text) to a new file; its path."""
    trace = "".join(traceback.format_exception(error, limit=-40))
    if len(trace) > 50_000:
        trace = trace[:25_000] + "\n…\n" + trace[-25_000:]
    head = [
        f"{tool} {version('ndpir')}, xDSL {version('xdsl')}, Python {python_version()}, failed while {doing}.",
        f"command: {tool} {shlex.join(arguments)}",
        f"folder: {_folder()}",
        *trace.splitlines(),
    ]
    descriptor, path = tempfile.mkstemp(prefix=f"{tool}-", suffix=".mlir")
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(f"// {line}\n" for line in head)
        file.write("\n" + (program if program is not None else "// The input is not text; see the command above.\n"))
    return path


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "(gone)"


_OURS = {"ndpir", "lowering", "interp", "dialects"}
_DRIVER = {"ndpir.opt", "ndpir.ending", "ndpir.command", "ndpir.between_passes", "ndpir.verify", "ndpir.timing"}


def told_of_xdsl(step: object, error: BaseException) -> str | None:
    """What to say of an error of a pass or target that xDSL brings, which no code of ours is part of: they are made for
    programs of other dialects. None for any other step or error."""
    if not type(step).__module__.startswith("xdsl."):
        return None
    modules = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__)]
    if any(module.partition(".")[0] in _OURS and module not in _DRIVER for module in modules):
        return None
    name, text = getattr(step, "name", type(step).__name__), str(error).strip().partition("\n")[0].strip("( ")[:150]
    kind = "pass" if isinstance(step, ModulePass) else "target"
    told = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"the {kind} {name} of xDSL can't do this program ({told}); it is made for programs of other dialects"
