"""Flags shared by the commands: the parser with its usage, help and errors, the types of values, and the flags that
several commands have."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from math import inf
from typing import NoReturn

from dialects.text.suggestions import hint
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


def add_repeated(add: Callable[..., object], flag: str, metavar: str, help: str) -> None:
    """Add a flag that may be given several times to a group of flags, by the group's `add_argument`."""
    add(flag, metavar=metavar, action="append", default=[], help=help)


def add_version(add: Callable[..., object], tool: str) -> None:
    """Add the flag that shows a command's version."""
    add("-v", "--version", action="version", version=f"{tool} {version('ndpir')}")


def add_machine(add: Callable[..., object], default: str) -> None:
    """Add the flags for the machine and its sheets. `default`: the machine of a program that names none, in words."""
    add("--machine", metavar="NAME|FILE", help=f"the machine (default: the program's own, or {default})")
    add_repeated(add, "--sheets", "FOLDER", "a folder with more data sheets and machines")
    add_repeated(add, "--set", "NAME.FIELD=VALUE", "change a value of a data sheet")


def add_allow_read(add: Callable[..., object]) -> None:
    """Add the flag for further folders from which files are read to a group of flags, by the group's `add_argument`."""
    add_repeated(
        add,
        "--allow-read",
        "FOLDER",
        "let the program's text name weights, sheets and profiles in this folder, too, and not only in its own "
        "(repeatable)",
    )


def add_allow_plugins(add: Callable[..., object], file: str) -> None:
    """Add the flag without which the plugins that a file names are not run. `file`: the kind of the file."""
    add("--allow-plugins", action="store_true", help=f"run the plugins that {file} names: they are Python code")


def add_sizes(add: Callable[..., object]) -> None:
    """Add the flags for the sizes of a model to a group of flags, by the group's `add_argument`."""
    add("--batch", metavar="N", help="give the inputs of an ONNX model N samples")
    add("--cache-length", metavar="N", help="give the caches of a decoder (ONNX) N tokens")
    add_repeated(
        add,
        "--dim",
        "NAME=N",
        "give a dimension of an ONNX model its size; NAME is symbolic, batch, sequence, cache, or INPUT.AXIS",
    )
    add_repeated(
        add,
        "--shape",
        "INPUT=AxBx…",
        "give an input of an ONNX model another shape: --shape image=1x3x64x64 (repeatable)",
    )


def sizes_of(args: argparse.Namespace) -> Sizes:
    """The sizes that a command line gives to a model. Raises UsageError for a value that is not of its form."""
    batch, cache_length = (
        None if text is None else count_of(text, flag)
        for flag, text in (("--batch", args.batch), ("--cache-length", args.cache_length))
    )
    return Sizes(dims_of(args.dim), shapes_of(args.shape), batch, cache_length)


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
