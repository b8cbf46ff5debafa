"""Flags shared by the commands: the parser with its usage, help and errors, the types of values, and the flags that
several commands have."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from math import inf
from typing import Any, NamedTuple, NoReturn

from dialects.text.suggestions import hint
from lowering.instance.options import EFFORTS
from ndpir.diagnostics.usage import UsageError
from ndpir.frontends.sizes import Sizes, count_of, dims_of, shapes_of


class _Wide(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=110)


def configure(parser: argparse.ArgumentParser, usage: str, epilog: str, takes: str) -> None:
    """Give a parser its usage line and the end of its help, no abbreviated flags, and errors raised as UsageError.
    `takes`: a noun for the tool's positional argument."""
    parser.usage, parser.epilog = usage, epilog
    parser.formatter_class = _Wide
    parser.allow_abbrev = False
    parser.error = partial(refuse, parser, takes=takes)


def parser_of(tool: str, usage: str, description: str, epilog: str, takes: str) -> argparse.ArgumentParser:
    """The parser of a command, without flags; see `configure`."""
    parser = argparse.ArgumentParser(prog=tool, description=description)
    configure(parser, usage, epilog, takes)
    return parser


def refuse(parser: argparse.ArgumentParser, message: str, takes: str) -> NoReturn:
    """Raise a UsageError with argparse's message and advice. `takes`: a noun for the tool's positional argument."""
    if (bare := re.fullmatch(r"argument (\S+?)(?:/\S+)?: expected one argument", message)) is not None:
        flag = bare[1]
        advice = f"a value that begins with - as {flag}=VALUE" if flag.startswith("--") else f"{flag} VALUE"
        raise UsageError(f"{flag} needs a value, but none follows it; write {advice}")
    valued = re.match(r"argument (\S+): ignored explicit argument '(.*)'", message, re.DOTALL)
    if valued is not None:
        flags = re.findall(rf"{valued[1]}=(\w+)", parser.format_help())
        known = f" but `{flags[0]}`" if flags else ""
        also = f" or {valued[1]}={flags[0]}" if flags else ""
        raise UsageError(f"{valued[1]} takes no value{known}, not `{valued[2]}`; write {valued[1]}{also}")
    choice = re.fullmatch(r"argument (\S+?)(?:/\S+)?: invalid choice: (.*) \(choose from (.*)\)", message, re.DOTALL)
    if choice is not None:
        words = [word.strip("' ") for word in choice[3].split(",")]
        met = choice[2].strip("'")
        raise UsageError(f"{choice[1]} must be one of {', '.join(words)}, but is `{met}`{hint(met, words)}")
    unknown = re.match(r"unrecognized arguments: (.+)", message)
    if unknown is None:
        raise UsageError(message)
    first = next(iter(unknown[1].split()), "")  # empty if the argument is, as from an unset shell variable
    if not first.startswith("-"):
        met = f"`{first}`" if first else "an empty word"
        raise UsageError(f"{met} is a second {takes}, but only one is accepted; run the tool once for each")
    known = re.findall(r"--[a-z-]+", parser.format_help())
    raise UsageError(f"unknown flag {first}" + hint(first.partition("=")[0], known, mark=""))


class Flag(NamedTuple):
    """A row of a table of flags: its names, the noun for its value (empty for a flag without one), and its help."""

    names: tuple[str, ...]
    value: str
    is_repeated: bool
    help: str

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of `add_argument`, without the names."""
        if not self.value:
            return {"action": "store_true", "help": self.help}
        several: dict[str, Any] = {"action": "append", "default": []} if self.is_repeated else {}
        return {"metavar": self.value, "help": self.help, **several}


def flags_in(table: str) -> Iterator[Flag]:
    """The flags of a table: `-o, --out FILE  the help` or, for one that may be given several times, `--set NAME=VALUE …
    the help`. An indented line continues the help."""
    for row in table.strip().replace("\n    ", " ").split("\n"):
        head, _, help_text = row.partition("  ")
        first, *rest = head.split(" ")
        names = [first.removesuffix(","), *(word for word in rest if word.startswith("-"))]
        values = [word for word in rest if not word.startswith("-")]
        yield Flag(tuple(names), next(iter(values), ""), values[1:] == ["…"], help_text)


def add_flags(
    group: argparse._ActionsContainer,  # pyright: ignore[reportPrivateUsage]
    table: str,
    **settings: Mapping[str, Any],
) -> None:
    """Add the flags of a table to a parser or to one of its groups. `settings`: further arguments of `add_argument` by
    flag (`cache_length` for --cache-length); without an action for flags whose values are words."""
    for flag in flags_in(table):
        more: Mapping[str, Any] = settings.get(flag.names[-1].lstrip("-").replace("-", "_")) or {}
        own: dict[str, Any] = flag.settings if flag.value or not more else {"help": flag.help}
        group.add_argument(*flag.names, **own, **more)


def add_version(
    group: argparse._ActionsContainer,  # pyright: ignore[reportPrivateUsage]
    tool: str,
) -> None:
    """Add the flag that shows a command's version."""
    group.add_argument("-v", "--version", action="version", version=f"{tool} {version('ndpir')}")


MACHINE = """
--machine NAME|FILE  the machine (default: the program's own, or {default})
--sheets FOLDER …  a folder with more data sheets and machines
--set NAME.FIELD=VALUE …  change a value of a data sheet
--library NAME  the library whose kernels the GPUs run that are timed by models of kernels
"""
"""The flags for the machine and its sheets; `default` is the machine of a program that names none, in words."""
ALLOW_PLUGINS = """
--allow-plugins  run the plugins that {file} names: they are Python code
"""
"""The flag without which the plugins that a file names are not run; `file` is the kind of the file."""
SIZES = """
--batch N  give the inputs of a model (ONNX, PyTorch) N samples, the step of a config N sequences
--cache-length N  give the caches of a decoder (ONNX, config) N tokens
--dim NAME=N …  give a dimension of a model its size; NAME is symbolic, batch, sequence, cache, or INPUT.AXIS; of a
    config: batch, sequence (new tokens), cache
--shape INPUT=AxBx… …  give an input of a model another shape: --shape image=1x3x64x64 (repeatable)
--opaque  let operators of a model that are not supported run on the primary device, timed by their bytes
--allow-read FOLDER …  let the program's text name weights, sheets and profiles in this folder, too, and not only in its
    own (repeatable)
"""
"""The flags for the sizes of a model, and for further folders from which files are read."""
TRUST = """
--trust-pickles  read pickled weights of a .pt2 file by PyTorch, though a pickle may run code of the file's author
"""
"""The flag without which no pickle in a file is read."""


def sizes_of(args: argparse.Namespace) -> Sizes:
    """The sizes that a command line gives to a model. Raises UsageError for a value that is not of its form."""
    batch, cache_length = (
        None if text is None else count_of(text, flag)
        for flag, text in (("--batch", args.batch), ("--cache-length", args.cache_length))
    )
    return Sizes(dims_of(args.dim), shapes_of(args.shape), batch, cache_length, args.opaque)


BOUND = """
--weights NAME …  let arguments of a program in text be weights: NAME is one, or all that JAX names NAME[…] (repeatable)
"""
"""The flag for weights that are arguments."""


LEVEL = """
-O N  the effort with which place searches: 1 quick, 2 its default, 3 longer; each finds plans no slower than those of
    all other policies
"""
"""The flag for the effort of searches; its values are `LEVELS`."""
LEVELS = tuple(map(str, EFFORTS))


def effort_of(text: str) -> float:
    """The factor in the value of `--effort`, as a type of argparse."""
    with suppress(ValueError):
        if 0 < (effort := float(text)) < inf:
            return effort
    raise argparse.ArgumentTypeError(f"expected a number above 0, but met `{text}`")


def seed_of(text: str) -> int:
    """The value of a `--seed`, as a type of argparse."""
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 on, but met `{text}`")
    return int(text)


def at_least(least: int) -> Callable[[str], int]:
    """A type of argparse for counts: whole numbers of at least `least`."""

    def count(text: str) -> int:
        if not text.isdecimal() or len(text) > 9 or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a whole number of at least {least}, but met `{text}`")
        return int(text)

    return count
