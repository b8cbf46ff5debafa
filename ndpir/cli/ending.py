"""Exit statuses of commands, and the conversion of exceptions into them."""

from __future__ import annotations

from collections.abc import Callable

from dialects.text.printable import printable
from ndpir.cli.output import StdoutError, leave_stdout, write_stderr, write_stdout
from ndpir.diagnostics.usage import UsageError

DONE, BAD_INPUT, BAD_USAGE, DEFECT, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 3, 130, 141


def ended(tool: str, run: Callable[[], int], failed: Callable[[BaseException], int]) -> int:
    """Execute `run` and return the command's exit status, with at most one message on stderr. `failed` reports errors
    that are not handled here, and returns their status."""
    try:
        try:
            status = run()
        except SystemExit as exit:  # from argparse: --help, --version
            status = int(exit.code or 0)
        write_stdout("")  # flush now, so that write errors are detected
        return status
    except UsageError as error:
        write_stderr(f"{tool}: error: {printable(str(error))} ({tool} --help shows all flags)\n")
        return BAD_USAGE
    except StdoutError as error:
        write_stderr(f"{error.place}: error: {error.message}\n")
        return BAD_INPUT
    except KeyboardInterrupt:
        write_stderr(f"{tool}: interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output closed the pipe
        leave_stdout()
        return CLOSED_PIPE
    except BaseException as error:
        return failed(error)
