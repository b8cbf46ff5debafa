"""Reproducers: files with all that is needed to repeat an internal error of one of our tools."""

from __future__ import annotations

import os
import re
import shlex
import stat
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from platform import python_version

from xdsl.passes import ModulePass

from dialects.diagnostics import FileName, InputError
from dialects.files import discarding, read_regular, write_text
from ndpir.diagnostics.printed import Diagnostic, of_unreadable


def failure(
    error: BaseException, doing: str, arguments: Sequence[str], program: str | None, tool: str = "ndp-opt"
) -> Diagnostic:
    """Write a reproducer for an error of a plugin or of the tool itself; returns a one-line diagnostic with its
    path, which has a location only for an error of a plugin."""
    text = " ".join(str(error).split())[:300]
    description = f"{type(error).__name__}: {text}" if text else type(error).__name__
    path = write_reproducer(error, doing, arguments, program, tool)
    from ndpir.registry.plugins import failing_plugin_line

    if (blamed := failing_plugin_line(error)) is not None:
        message = f"the plugin fails while {doing} ({description}); see the traceback in {path}"
        return Diagnostic("error", message, blamed)
    return Diagnostic(
        "error", f"{tool} failed with an internal error while {doing} ({description}); report it with the file {path}"
    )


def write_reproducer(
    error: BaseException, doing: str, arguments: Sequence[str], program: str | None, tool: str = "ndp-opt"
) -> str:
    """Write command line, traceback and program (None if it is not text) to a file; returns its path.

    The file name is a hash of the failure, and at most MOST files are kept.
    """
    trace = "".join(traceback.format_exception(error, limit=-40))
    if len(trace) > 50_000:
        trace = trace[:25_000] + "\n…\n" + trace[-25_000:]
    if program is None:
        body = "// The input is not text; the command above names it.\n"
    elif len(program) > LARGEST:
        program, body = None, "// The input is too large to be included; the command above names it.\n"
    else:
        body = f"{_PROGRAM}\n{program}"
    head = [
        f"{tool} {version('ndpir')}, xDSL {version('xdsl')}, Python {python_version()}, failed while {doing}.",
        "again: ndp-opt --run-reproducer THIS-FILE",
        f"command: {tool} {shlex.join(arguments)}",
        f"folder: {_folder()}",
        *trace.splitlines(),
    ]
    text = "".join(f"// {line}\n" for line in head) + body
    data = text.encode("utf-8", "backslashreplace")
    path = os.path.join(_place(), f"{tool}-{sha256(data).hexdigest()[:12]}.mlir")
    with discarding(None):
        write_text(path, data.decode())
    return path


MOST = 20
LARGEST = 1 << 24
_PROGRAM = "// the program:"


def _place() -> str:
    """The folder of reproducers, writable only by the user. Its oldest files are deleted, so that at most `MOST` will
    exist."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = os.path.join(tempfile.gettempdir(), f"ndpir-{user}")
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
            return tempfile.mkdtemp(prefix="ndpir-")
        os.chmod(folder, 0o700)
        kept = sorted((entry for entry in os.scandir(folder) if entry.is_file()), key=lambda e: e.stat().st_mtime)
        for entry in kept[: max(0, len(kept) - MOST + 1)]:
            os.unlink(entry.path)
    except OSError:
        return tempfile.mkdtemp(prefix="ndpir-")
    return folder


@dataclass(frozen=True)
class Recorded:
    """The content of a reproducer: the command, the folder in which it ran, and the program (None if that was not
    text)."""

    tool: str
    arguments: list[str]
    folder: str
    program: str | None


def read_reproducer(path: str) -> Recorded:
    """The content of a file that `write_reproducer` wrote. Raises InputError for any other file."""
    place = FileName(path)
    try:
        text = read_regular(path, "reproducers are small").decode()
    except OSError as error:
        raise InputError(of_unreadable(error, path).message, place) from None
    except UnicodeDecodeError:
        text = ""
    command = re.search(r"^// command: (\S+)(?: (.*))?$", text, re.MULTILINE)
    folder = re.search(r"^// folder: (.*)$", text, re.MULTILINE)
    if command is None or folder is None or command[1] not in ("ndp-opt", "ndp-profile", "ndp-calibrate"):
        raise InputError("the file is not a reproducer; give the file that ndp-opt named at an internal error", place)
    try:
        arguments = shlex.split(command[2] or "")
    except ValueError as error:
        raise InputError(f"the command in this reproducer can't be parsed: {str(error).lower()}", place) from None
    _, mark, program = text.partition(f"\n{_PROGRAM}\n")
    # Repeating the command must overwrite nothing, and only the user who repeats it can give permissions.
    kept = [word for word in without_values(arguments, _DROPPED) if word != "--allow-plugins"]
    return Recorded(command[1], kept, folder[1], program if mark else None)


_DROPPED = ("-o", "--output-file", "--out", "--allow-read")


def without_values(words: Sequence[str], flags: Sequence[str]) -> list[str]:
    """The words of a command without some flags and their values."""
    kept: list[str] = []
    given = iter(words)
    for word in given:
        if word in flags:
            next(given, None)
        elif not any(
            word.startswith(f"{flag}=") if flag.startswith("--") else re.match(rf"{flag}[^-]", word) for flag in flags
        ):
            kept.append(word)
    return kept


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "(gone)"


_OURS = {"ndpir", "lowering", "interp", "dialects"}
_DRIVER = {
    "ndpir.cli.opt",
    "ndpir.cli.ending",
    "ndpir.cli.command",
    "ndpir.cli.between_passes",
    "ndpir.diagnostics.verify",
    "ndpir.cli.timing",
    "ndpir.compiler.compilation",
}


def xdsl_failure(step: object, error: BaseException) -> str | None:
    """The message for an error in one of xDSL's own passes or targets, which expect programs of other dialects. None if
    the step is not of xDSL, or if the traceback contains our code."""
    if not type(step).__module__.startswith("xdsl."):
        return None
    modules = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__)]
    if any(module.partition(".")[0] in _OURS and module not in _DRIVER for module in modules):
        return None
    name, text = getattr(step, "name", type(step).__name__), str(error).strip().partition("\n")[0].strip("( ")[:150]
    kind = "pass" if isinstance(step, ModulePass) else "target"
    description = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return (
        f"xDSL's {kind} {name} can't process this program ({description}); use it only for programs of dialects that "
        "it supports"
    )
