"""Scripts that connect a shell with the completion of our commands, and the answers to a shell's requests for words."""

from __future__ import annotations

import argparse
import os
from typing import Literal, TypeAlias

from dialects.diagnostics import InputError

Shell: TypeAlias = Literal["bash", "zsh", "fish"]
TOOLS = ("ndp-opt", "ndp-sweep", "ndp-serve", "ndp-profile", "ndp-calibrate")
VARIABLE = "_ARGCOMPLETE"
"""The environment variable by which a shell's script requests words from a command."""


def script(shell: Shell) -> str:
    """The text that a shell evaluates at its start. Raises InputError if argcomplete is not installed."""
    try:
        from argcomplete.shell_integration import shellcode
    except ImportError:
        raise InputError(
            "completion needs the package argcomplete, which is not installed; pip install argcomplete"
        ) from None
    # Without defaults, since bash would offer files for each word that has no completion.
    text = shellcode(TOOLS, shell=shell)
    return text if text.endswith("\n") else f"{text}\n"


def answer(parser: argparse.ArgumentParser) -> None:
    """Print the words that a shell requests, and exit the process; without a request do nothing."""
    if VARIABLE not in os.environ:
        return
    import argcomplete

    from ndpir.cli.completion.completers import completers_of
    from ndpir.registry.names import Registry

    completers = completers_of(Registry())
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        names = (*action.option_strings, action.dest)
        completer = next((completers[name] for name in names if name in completers), None)
        if completer is not None:
            action.completer = completer  # pyright: ignore[reportAttributeAccessIssue]
    argcomplete.autocomplete(parser, always_complete_options="long")
