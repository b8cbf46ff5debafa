"""Entry points of the commands: handle Ctrl-C before any import, repair closed standard streams, and map every outcome
to an exit status."""

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
"""The garbage collection threshold of commands: a program's ops stay alive, and collecting after every 700 new objects,
Python's default, takes a fifth of a run's time."""


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
        """The handler during imports: some modules convert the exception into their own, and there is nothing to clean
        up yet."""
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
        if is_interruptible:  # only Python's shutdown is left, which would print a traceback
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def _keep_bytecode_whole() -> None:
    """Write no bytecode under a limit on the size of files (`ulimit -f`): CPython up to 3.12 truncates it there, and
    later runs could not import it (python/cpython, issue 126606)."""
    try:
        import resource
    except ImportError:  # on Windows, which has no such limit
        return
    if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
        sys.dont_write_bytecode = True


def _open_standard_streams() -> None:
    """Replace closed standard streams by streams that fail on use; otherwise the next opened file would get their
    descriptor.

    All are UTF-8 like our files, independent of the locale; stderr escapes unencodable characters.
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
    """A stream on /dev/null that can't be used in this direction; stderr's can be written, and discards the text."""
    opened = os.open(os.devnull, flags)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)
    return open(descriptor, mode, encoding="utf-8", closefd=False)
