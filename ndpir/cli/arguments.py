"""The flags of `ndp-opt`: xDSL's and ours, in the groups that `--help` shows."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any, NoReturn

from dialects.suggestions import hint
from ndpir.cli.output import write_stdout

DESCRIPTION = """\
Reads a model or a program (.onnx, .mlir, or text on stdin), runs passes over it, and writes what -t asks for.
Machines, passes, pipelines and targets are found by name; the --list-… flags show them."""

EXAMPLES = """\
examples:
  ndp-opt model.onnx -p offload --summary                 place a model on the default machine, what it gains
  ndp-opt model.onnx --dim b=8 -p offload -t timeline     who did what when
  ndp-opt x.mlir -p 'place{policy=greedy}' --check        run before and after each pass, compare the numbers
  cat x.mlir | ndp-opt -p canonicalize | ndp-opt -t svg -o x.svg

where outputs go; -o - is stdout, and the file of -o is left alone after an error:
                            stdout                  -o FILE      stderr
  (nothing), -t T           the program, or T
  -o FILE                                           the program, or T
  --summary                 summary
  --summary -t T (or -o -)  the program, or T                    summary
  --summary -o FILE         summary                 the program, or T
  --explain NAME goes where --summary does; with both, the explanation goes to stderr, each under a heading if both do.
  --list-… and --show-device run nothing and take the program's place. Errors, notes, --timing and --print-ir-… are
  always on stderr.

exit status: 0 done, 1 an error in the input, 2 an error in the command line, 3 a defect of ndp-opt."""

# Flags of xDSL's driver that ours replaces: theirs write to stdout, into the program.
_REPLACED = {"--print-between-passes", "--time-passes", "--parsing-diagnostics", "--shrink"}

# Group and help of xDSL's flags; a flag not listed here (of a newer xDSL) goes to the last group unchanged.
_XDSL_HELP: dict[str, tuple[str, str]] = {
    "input_file": ("input", "the program or model; without it, or with -, text is read from stdin"),
    "-f": ("input", "read the input as this kind instead of going by the file's extension"),
    "--split-input-file": ("input", "treat the parts between lines `// -----` as programs of their own"),
    "--no-implicit-module": ("input", "take only a program that is written as one builtin.module"),
    "--allow-unregistered-dialect": (
        "input",
        "let pass ops, types and attributes that nobody knows, in their generic form",
    ),
    "-p": ("passes", "passes and pipelines to run, in order: NAME,NAME{option=value other=1,2}"),
    "-t": ("output", "what to write: NAME{option=value} (default: mlir, the program as text)"),
    "-o": ("output", "write to this file instead of stdout; after an error it is as it was"),
    "--print-op-generic": ("output", "write ops in their generic form"),
    "--print-no-properties": ("output", "write properties among the attributes"),
    "--print-debuginfo": ("output", "write each op's place, loc(…), so that it outlives a pipe"),
    "--syntax-highlight": ("output", "colour the program text"),
    "--disable-verify": ("checking", "skip the verifier (a program that is wrong may then fail anywhere)"),
    "--verify-diagnostics": (
        "checking",
        "expect the errors that `// expected-error @+1 {{text}}` comments name: all of them, and no other",
    ),
    "-v": ("about", "show the version"),
}

_GROUPS: dict[str, str] = {
    "input": "input",
    "machine": "machine",
    "passes": "passes",
    "output": "output",
    "checking": "checking",
    "observing": "watching a run (all on stderr)",
    "plugins": "plugins",
    "about": "about",
    "more": "more",
}


class UsageError(Exception):
    """The command line is wrong; the driver prints the message and exits with 2."""


@dataclass
class GroupedArguments:
    """A stand-in for the parser while xDSL registers its flags: assigns each flag to a group, with our help text."""

    parser: argparse.ArgumentParser
    settings: Mapping[str, Mapping[str, Any]]
    groups: dict[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        for key, title in _GROUPS.items():
            self.groups[key] = self.parser.add_argument_group(title)

    def add_argument(self, *names: str, **settings: Any) -> None:
        """Called by xDSL's driver for each of its flags."""
        if names[0] in _REPLACED:
            return
        group, help_text = _XDSL_HELP.get(names[0], ("more", settings.get("help", "")))
        self.groups[group].add_argument(
            *names, **{**settings, "help": help_text, **_METAVARS.get(names[0], {}), **self.settings.get(names[0], {})}
        )

    def add_ours(self) -> None:
        """Our own flags."""
        add = self.groups["machine"].add_argument
        add(
            "--machine",
            metavar="NAME|FILE",
            help="the machine: a file of hw ops or a sheet, by name or path; replaces the program's own",
        )
        add(
            "--dim",
            metavar="NAME=N",
            action="append",
            default=[],
            help="give a symbolic dimension of an ONNX model its size",
        )
        add(
            "--shape",
            metavar="INPUT=AxBx…",
            action="append",
            default=[],
            help="give an input of an ONNX model another shape: --shape image=1x3x64x64 (repeatable)",
        )
        add(
            "--sheets",
            metavar="FOLDER",
            action="append",
            default=[],
            help="a folder with more data sheets and machine files",
        )
        add(
            "--set",
            metavar="NAME.FIELD=VALUE",
            action="append",
            default=[],
            help="change a value of a device's or link's sheet: --set aim.tCCD=1, --set pim.channels=8 (repeatable)",
        )
        add(
            "--profile",
            metavar="FILE",
            action="append",
            default=[],
            help="measured costs, as ndp-profile writes them, for the devices and links that they are of (repeatable)",
        )
        add("--list-devices", action="store_true", help="the data sheets and machines that can be named")
        add("--show-device", metavar="NAME", help="a data sheet or machine, in full")
        add = self.groups["passes"].add_argument
        add(
            "--keep-types",
            action="store_true",
            help="keep reduce-precision from converting the program to the element type of the machine's PIM",
        )
        add("--list-passes", action="store_true", help="all passes with their options")
        add("--list-pipelines", action="store_true", help="the named pipelines, step by step")
        add = self.groups["output"].add_argument
        add(
            "--list-ops",
            nargs="?",
            const="",
            metavar="NAME",
            help="the ops of our dialects; or all about one, by a part of its name or by what others call it (Gemm)",
        )
        add("--list-targets", action="store_true", help="what -t takes, with options")
        add(
            "--summary",
            action="store_true",
            help="what is gained over the host alone, in place of the program (both with -t or -o, see below)",
        )
        add(
            "--replan",
            action="store_true",
            help="with a summary: run the passes again at other values of each assumed number that it hangs on",
        )
        add(
            "--explain",
            metavar="NAME",
            help="why a task takes its time, by its name in -t timeline or a part of its place; '' for the longest",
        )
        add = self.groups["checking"].add_argument
        add(
            "--check",
            action="store_true",
            help="run the program before and after each pass on seeded inputs and compare the numbers",
        )
        add(
            "--seed", metavar="N", type=_seed, default=0, help="seed of the inputs of --check and -t values (default 0)"
        )
        add(
            "--inputs",
            metavar="FILE",
            action="append",
            default=[],
            help="numbers of arguments, by name, for --check and -t values: .npz or .safetensors; the others are drawn "
            "(repeatable)",
        )
        add(
            "--effort",
            metavar="N",
            type=_effort,
            default=1.0,
            help="spend N times as much work as usual on what calls and loops make of a program, and on a layout",
        )
        add = self.groups["observing"].add_argument
        add(
            "--print-ir-before",
            metavar="PASS",
            action="append",
            default=[],
            help="the program before this pass (repeatable)",
        )
        add("--print-ir-before-all", action="store_true", help="the program before each pass")
        add(
            "--print-ir-after",
            metavar="PASS",
            action="append",
            default=[],
            help="the program after this pass (repeatable)",
        )
        add("--print-ir-after-all", action="store_true", help="the program after each pass")
        add(
            "--run-reproducer",
            metavar="FILE",
            help="run again what ndp-opt recorded where it failed itself, with other flags beside; writes no file",
        )
        add("--timing", action="store_true", help="where the time went, as a tree")
        add = self.groups["plugins"].add_argument
        add(
            "--plugin",
            metavar="FILE.py",
            action="append",
            default=[],
            help="load dialects, passes, targets, policies from a file",
        )


def _effort(text: str) -> float:
    with suppress(ValueError):
        if 0 < (effort := float(text)) < inf:
            return effort
    raise argparse.ArgumentTypeError(f"an effort is a number above 0, not `{text}`")


def _seed(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"a seed is a whole number from 0 on, not `{text}`")
    return int(text)


_METAVARS: dict[str, dict[str, str]] = {
    "input_file": {"metavar": "FILE"},
    "-f": {"metavar": "KIND"},
    "-p": {"metavar": "PASSES"},
    "-t": {"metavar": "TARGET"},
    "-o": {"metavar": "FILE"},
}


def prepare(parser: argparse.ArgumentParser, settings: Mapping[str, Mapping[str, Any]]) -> GroupedArguments:
    """Configure the parser: groups, one usage line, examples, errors raised instead of printed.

    `settings`: keywords of `add_argument` that are added to those of xDSL's flags.
    """

    parser.usage = "ndp-opt [FILE] [-p PASSES] [-t TARGET] [-o FILE] [flags]"
    parser.epilog = EXAMPLES
    parser.formatter_class = _Wide
    parser.allow_abbrev = False

    def fail(message: str) -> NoReturn:
        refuse(parser, message, "program")

    def show(file: object = None) -> None:
        write_stdout(parser.format_help())

    parser.error, parser.print_help = fail, show
    return GroupedArguments(parser, settings)


_CHOICE = re.compile(r"argument (\S+?)(?:/\S+)?: invalid choice: (.*) \(choose from (.*)\)", re.DOTALL)


def refuse(parser: argparse.ArgumentParser, message: str, takes: str) -> NoReturn:
    """Raise argparse's message as a UsageError with advice; `takes`: the tool's positional argument in words."""
    if (bare := re.fullmatch(r"argument (\S+?)(?:/\S+)?: expected one argument", message)) is not None:
        flag = bare[1]
        advice = f"one that begins with - is written {flag}=VALUE" if flag.startswith("--") else f"{flag} VALUE"
        raise UsageError(f"{flag} takes a value, and none follows it; {advice}")
    choice = re.fullmatch(r"argument (\S+?)(?:/\S+)?: invalid choice: (.*) \(choose from (.*)\)", message, re.DOTALL)
    if choice is not None:
        words = [word.strip("' ") for word in choice[3].split(",")]
        met = choice[2].strip("'")
        raise UsageError(f"{choice[1]} takes one of {', '.join(words)}, not `{met}`{hint(met, words)}")
    unknown = re.match(r"unrecognized arguments: (.+)", message)
    if unknown is None:
        raise UsageError(message)
    first = next(iter(unknown[1].split()), "")  # empty if a shell variable was
    if not first.startswith("-"):
        met = f"`{first}`" if first else "an empty word"
        raise UsageError(f"one {takes} at a time; {met} is a second one")
    known = re.findall(r"--[a-z-]+", parser.format_help())
    raise UsageError(f"unknown flag {first}" + hint(first.partition("=")[0], known, mark=""))


class _Wide(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=110)


def dims_of(texts: Sequence[str]) -> dict[str, int]:
    """The sizes that `--dim NAME=N` gives. Raises UsageError for text of another form."""
    dims: dict[str, int] = {}
    for text in texts:
        name, equals, size = text.partition("=")
        if not (equals and name and _EXTENT.fullmatch(size)):
            raise UsageError(f"argument --dim: `{text}` is not NAME=N, as in --dim batch=8")
        dims[name] = int(size)
    return dims


_EXTENT = re.compile(r"0*[1-9]\d{0,17}", re.ASCII)


def shapes_of(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The shapes that `--shape INPUT=AxBx…` gives. Raises UsageError for an invalid or repeated shape."""
    shapes: dict[str, tuple[int, ...]] = {}
    for text in texts:
        name, _, shape = text.rpartition("=")
        extents = shape.split("x")
        if not name or not all(map(_EXTENT.fullmatch, extents)):
            raise UsageError(f"argument --shape: `{text}` is not INPUT=AxBx…, as in --shape image=1x3x64x64")
        if name in shapes:
            raise UsageError(f"argument --shape: `{name}` is given two shapes; keep one")
        shapes[name] = tuple(map(int, extents))
    return shapes


def value_of(given: Sequence[str], *flags: str) -> str:
    """The value given for a flag, for quoting in errors."""
    for index, argument in enumerate(given):
        for flag in flags:
            if argument == flag and index + 1 < len(given):
                return given[index + 1]
            if argument.startswith(f"{flag}=") or (argument.startswith(flag) and not argument.startswith("--")):
                return argument.removeprefix(flag).removeprefix("=")
    return ""
