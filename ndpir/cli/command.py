"""The commands as a shell starts them: Ctrl-C is heard before anything is imported, closed standard streams are put
right, and every way in which a run can end has its exit status."""

from __future__ import annotations

import gc
import os
import signal
import sys
from importlib import import_module

TYPE_CHECKING = False  # `typing` takes longer to load than all of this file
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

INTERRUPTED = 130
COLLECTED = 50_000
"""New objects after which a command looks for garbage: a program's ops stay, and looking through them after each 700,
as Python does, takes a fifth of the time of a run."""


def opt() -> int:
    """`ndp-opt`."""
    return _command("ndp-opt", "ndpir.cli.opt")


def profile() -> int:
    """`ndp-profile`."""
    return _command("ndp-profile", "ndpir.profile.command")


def calibrate() -> int:
    """`ndp-calibrate`."""
    return _command("ndp-calibrate", "ndpir.calibrate.command")


def _command(tool: str, module: str) -> int:
    is_interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not started by nohup

    def leave(number: int, frame: FrameType | None) -> None:
        """While modules are imported: some turn the exception into one of theirs, and nothing needs an end yet."""
        os.write(2, f"{tool}: interrupted\n".encode())
        os._exit(INTERRUPTED)

    if is_interruptible:
        signal.signal(signal.SIGINT, leave)
    _open_standard_streams()
    _keep_bytecode_whole()
    gc.set_threshold(COLLECTED)
    run = import_module(module).main
    if is_interruptible:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return run()
    finally:
        if is_interruptible:  # what is left is Python's own end, which would print a traceback
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def _keep_bytecode_whole() -> None:
    """Write no bytecode under a limit on the size of files (`ulimit -f`): CPython up to 3.12 leaves it cut off there,
    and no later run could import it (python/cpython, issue 126606)."""
    try:
        import resource
    except ImportError:  # on Windows, which has no such limit
        return
    if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
        sys.dont_write_bytecode = True


def _open_standard_streams() -> None:
    """Standard streams that are closed fail when they are used; otherwise the next file opened would be one of them.

    All are UTF-8, as our files are, whatever the locale says; stderr shows what that lacks escaped.
    """
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stdin = _closed(0, os.O_WRONLY, "r")
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stdout = _closed(1, os.O_RDONLY, "w")
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr = _closed(2, os.O_WRONLY, "w")
    for stream, errors in ((sys.stdout, "strict"), (sys.stderr, "backslashreplace")):
        stream.reconfigure(encoding="utf-8", errors=errors)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def _closed(descriptor: int, flags: int, mode: str) -> Any:
    """A stream on /dev/null that can't be used in this direction; stderr's can, and loses what it is given."""
    opened = os.open(os.devnull, flags)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)
    return open(descriptor, mode, encoding="utf-8", closefd=False)
