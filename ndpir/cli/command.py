"""Entry points of the commands. They handle Ctrl-C before any import, replace closed standard streams, and return the
exit status."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module

TYPE_CHECKING = False  # `typing` takes longer to load than all of this file
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

INTERRUPTED = 130


def opt() -> int:
    """Run the command `ndp-opt`; returns the exit status."""
    return _command("ndp-opt", "ndpir.cli.opt")


def profile() -> int:
    """Run the command `ndp-profile`; returns the exit status."""
    return _command("ndp-profile", "ndpir.cli.profile")


def calibrate() -> int:
    """Run the command `ndp-calibrate`; returns the exit status."""
    return _command("ndp-calibrate", "ndpir.cli.calibrate")


def sweep() -> int:
    """Run the command `ndp-sweep`; returns the exit status."""
    return _command("ndp-sweep", "ndpir.cli.exploring.sweep")


def serve() -> int:
    """Run the command `ndp-serve`; returns the exit status."""
    return _command("ndp-serve", "ndpir.cli.exploring.serve")


def _command(tool: str, module: str) -> int:
    is_interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not started by nohup

    def leave(number: int, frame: FrameType | None) -> None:
        """Exit at once on Ctrl-C during imports: some modules would convert KeyboardInterrupt into other exceptions,
        and there is nothing to clean up yet."""
        os.write(2, f"{tool}: interrupted\n".encode())
        os._exit(INTERRUPTED)

    if is_interruptible:
        signal.signal(signal.SIGINT, leave)
    _open_standard_streams()
    _avoid_truncated_bytecode()
    from interp.host import collect_rarely

    collect_rarely()
    run = import_module(module).main
    if is_interruptible:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return run()
    finally:
        if is_interruptible:  # only Python's shutdown is left, which would print a traceback
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def _avoid_truncated_bytecode() -> None:
    """Turn off writing of bytecode files if file sizes are limited (`ulimit -f`): CPython up to 3.12 would truncate
    them at the limit, and later runs could not import them (python/cpython, issue 126606)."""
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
    """A stream on /dev/null to replace a closed standard stream. `flags` opens stdin for writing and stdout for
    reading, so that their use fails; stderr can be written, and discards the text."""
    opened = os.open(os.devnull, flags)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)
    return open(descriptor, mode, encoding="utf-8", closefd=False)
