"""The end of a run of any of the commands: each way to end has one exit status and at most one sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable

from ndpir.cli.arguments import UsageError
from ndpir.cli.output import StdoutError, leave_stdout, write_stdout

DONE, BAD_INPUT, BAD_USAGE, DEFECT, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 3, 130, 141


def ended(tool: str, run: Callable[[], int], failed: Callable[[BaseException], int]) -> int:
    """The exit status of a run. `failed` tells of an error and gives its status."""
    try:
        try:
            status = run()
        except SystemExit as exit:  # of argparse: --help, --version
            status = int(exit.code or 0)
        write_stdout("")  # what is still to be written shows now whether it can be
        return status
    except UsageError as error:
        sys.stderr.write(f"{tool}: error: {error} ({tool} --help shows all flags)\n")
        return BAD_USAGE
    except StdoutError as error:
        sys.stderr.write(f"{error.place}: error: {error.message}\n")
        return BAD_INPUT
    except KeyboardInterrupt:
        sys.stderr.write(f"{tool}: interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:  # who reads our output has enough of it
        leave_stdout()
        return CLOSED_PIPE
    except BaseException as error:
        return failed(error)
