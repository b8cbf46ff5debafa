"""The flags of `ndp-opt`, of xDSL's driver and our own, in the groups that `--help` shows."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ndpir.cli.flags import add_allow_plugins, add_allow_read, add_repeated, add_sizes, configure, effort_of, seed_of
from ndpir.cli.output import write_stdout

DESCRIPTION = """\
Reads a model or a program (.onnx, .mlir, or text on stdin), applies passes, and writes the output of target -t.
Machines, passes, pipelines and targets have names; the --list-… flags show them."""

EXAMPLES = """\
examples:
  ndp-opt model.onnx -p offload --summary                 place a model on the default machine, show the speed-up
  ndp-opt model.onnx --dim b=8 -p offload -t timeline     list tasks and copies with device, start and end
  ndp-opt x.mlir -p 'place{policy=greedy}' --check        run before and after each pass, compare the results
  cat x.mlir | ndp-opt -p canonicalize | ndp-opt -t svg -o x.svg

destinations of outputs; -o - is stdout, and an error leaves the file of -o unchanged:
                            stdout                  -o FILE      stderr
  (nothing), -t T           the program, or T
  -o FILE                                           the program, or T
  --summary                 summary
  --summary -t T (or -o -)  the program, or T                    summary
  --summary -o FILE         summary                 the program, or T
  --explain NAME is written like --summary; with both, the explanation goes to stderr. If both go to stderr, each has a
  heading. --list-… and --show-device run no passes, and their output replaces the program's. Errors, notes, --timing
  and --print-ir-… are always on stderr.

exit status: 0 done, 1 an error in the input, 2 an error in the command line, 3 a defect of ndp-opt."""

# Flags of xDSL's driver that our driver replaces, since they write to stdout, into the program.
_REPLACED = {"--print-between-passes", "--time-passes", "--parsing-diagnostics", "--shrink"}

# Group and help of xDSL's flags; a flag not listed here (of a newer xDSL) goes to the last group unchanged.
_XDSL_HELP: dict[str, tuple[str, str]] = {
    "input_file": ("input", "the program or model, a file or example:NAME; default, or -: text from stdin"),
    "-f": ("input", "the format of the input (default: by the file's extension)"),
    "--split-input-file": ("input", "treat the parts between lines `// -----` as separate programs"),
    "--no-implicit-module": ("input", "accept only a program that is written as one builtin.module"),
    "--allow-unregistered-dialect": (
        "input",
        "accept ops, types and attributes of unknown dialects, in generic form",
    ),
    "-p": ("passes", "passes and pipelines to run, in order: NAME,NAME{option=value other=1,2}"),
    "-t": (
        "output",
        "the target, which is the form of the output: NAME{option=value} (default: mlir, the program's text)",
    ),
    "-o": ("output", "write to this file instead of stdout; an error leaves it unchanged"),
    "--print-op-generic": ("output", "write ops in their generic form"),
    "--print-no-properties": ("output", "write properties among the attributes"),
    "--print-debuginfo": ("output", "write each op's source location, loc(…), so that a later ndp-opt reads it"),
    "--syntax-highlight": (
        "output",
        "colour the program text in files and pipes, too, not only on terminals (NO_COLOR turns colours off)",
    ),
    "--disable-verify": ("checking", "skip the verifier (an invalid program may then fail in any pass)"),
    "--verify-diagnostics": (
        "checking",
        "fail unless the errors are exactly those in `// expected-error @+1 {{text}}` comments",
    ),
    "-v": ("about", "show the version"),
}

_GROUPS: dict[str, str] = {
    "input": "input",
    "machine": "machine",
    "passes": "passes",
    "output": "output",
    "checking": "checking",
    "sweeps": "sweeps",
    "observing": "watching a run (all on stderr)",
    "plugins": "plugins",
    "about": "about",
    "more": "more",
}


@dataclass
class GroupedArguments:
    """An object passed to xDSL's driver in place of the parser: it adds each flag that the driver registers to a group
    of the parser, with our help text."""

    parser: argparse.ArgumentParser
    settings: Mapping[str, Mapping[str, Any]]
    groups: dict[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        for key, title in _GROUPS.items():
            self.groups[key] = self.parser.add_argument_group(title)

    def add_argument(self, *names: str, **settings: Any) -> None:
        """Add a flag of xDSL's driver, which calls this method, to its group; replaced flags are dropped."""
        if names[0] in _REPLACED:
            return
        group, help_text = _XDSL_HELP.get(names[0], ("more", settings.get("help", "")))
        self.groups[group].add_argument(
            *names, **{**settings, "help": help_text, **_METAVARS.get(names[0], {}), **self.settings.get(names[0], {})}
        )

    def add_ours(self) -> None:
        """Add the flags of ndpir to their groups."""
        add = self.groups["machine"].add_argument
        add(
            "--machine",
            metavar="NAME|FILE",
            help="the machine: a file of hw ops or a sheet, by name or path; replaces the program's own",
        )
        add_repeated(add, "--sheets", "FOLDER", "a folder with more data sheets and machine files")
        add_repeated(
            add,
            "--set",
            "NAME.FIELD=VALUE",
            "change a value of a device's or link's sheet: --set aim.tCCD=1, --set pim.channels=8 (repeatable)",
        )
        add_repeated(
            add,
            "--profile",
            "FILE",
            "measured costs of devices and links, in a file that ndp-profile wrote (repeatable)",
        )
        add("--list-devices", action="store_true", help="list all data sheets and machines that have names")
        add("--list-machines", action="store_true", help="list the machines that have names")
        add("--show-device", metavar="NAME", help="print a data sheet or machine")
        add = self.groups["input"].add_argument
        add_sizes(add)
        add_allow_read(add)
        add("--list-examples", action="store_true", help="list the programs and models that come with the package")
        add = self.groups["passes"].add_argument
        add(
            "--keep-types",
            action="store_true",
            help="keep the program's element types: reduce-precision does not convert to the machine's PIM's type",
        )
        add("--list-passes", action="store_true", help="list all passes with their options")
        add("--list-pipelines", action="store_true", help="list the named pipelines with their passes")
        add = self.groups["output"].add_argument
        add(
            "--list-ops",
            nargs="?",
            const="",
            metavar="NAME",
            help="list the ops of our dialects, or describe one by a part of its name or its name elsewhere (Gemm)",
        )
        add("--list-targets", action="store_true", help="list the targets for -t with their options")
        add(
            "--summary",
            action="store_true",
            help="write the gain over the primary device alone instead of the program (both with -t or -o, see below)",
        )
        add(
            "--replan",
            action="store_true",
            help="with a summary: run the passes again at other values of each assumed number that changes the result",
        )
        add(
            "--explain",
            metavar="NAME",
            help="break down a task's time; NAME is its name in -t timeline or a part of its location, '' the longest",
        )
        add = self.groups["checking"].add_argument
        add(
            "--check",
            action="store_true",
            help="run the program before and after each pass on seeded inputs and compare the results",
        )
        add(
            "--seed",
            metavar="N",
            type=seed_of,
            default=0,
            help="seed of the inputs of --check and -t values (default 0)",
        )
        add_repeated(
            add,
            "--inputs",
            "FILE",
            "arrays for arguments by name, .npz or .safetensors, for --check and -t values; other arguments are "
            "random (repeatable)",
        )
        add(
            "--effort",
            metavar="N",
            type=effort_of,
            default=1.0,
            help="multiply by N the limits on ops after inlining, on executed ops, and on the time of layouts",
        )
        add = self.groups["sweeps"].add_argument
        add_repeated(
            add,
            "--sweep",
            "NAME=VALUES",
            "compile and time the program at each value: --sweep pim.tCCD=1..8 --sweep machine=h100,a100 "
            "(repeatable; all combinations; results as CSV, or with -o in a file; ndp-sweep --help shows more)",
        )
        add = self.groups["observing"].add_argument
        add_repeated(add, "--print-ir-before", "PASS", "print the program before this pass (repeatable)")
        add("--print-ir-before-all", action="store_true", help="print the program before each pass")
        add_repeated(add, "--print-ir-after", "PASS", "print the program after this pass (repeatable)")
        add("--print-ir-after-all", action="store_true", help="print the program after each pass")
        add(
            "--run-reproducer",
            metavar="FILE",
            help="repeat a run that ndp-opt recorded at an internal error, with additional flags; of all files, only "
            "that of an additional -o is written",
        )
        add("--timing", action="store_true", help="print the wall time of each step as a tree")
        add = self.groups["about"].add_argument
        add(
            "--completion",
            choices=("bash", "zsh", "fish"),
            help="print a shell's completion of our commands, for its start-up file (needs argcomplete)",
        )
        add = self.groups["plugins"].add_argument
        add_repeated(add, "--plugin", "FILE.py", "load dialects, passes, targets, policies from a file")
        add_allow_plugins(add, "a reproducer")


_METAVARS: dict[str, dict[str, str]] = {
    "input_file": {"metavar": "FILE"},
    "-f": {"metavar": "KIND"},
    "-p": {"metavar": "PASSES"},
    "-t": {"metavar": "TARGET"},
    "-o": {"metavar": "FILE"},
}


def prepare(parser: argparse.ArgumentParser, settings: Mapping[str, Mapping[str, Any]]) -> GroupedArguments:
    """Configure the parser: groups of flags, one usage line, examples, and errors raised as UsageError.

    `settings`: additional keywords of `add_argument`, by flag of xDSL's driver.
    """

    configure(parser, "ndp-opt [FILE] [-p PASSES] [-t TARGET] [-o FILE] [flags]", EXAMPLES, "program")

    def show(file: object = None) -> None:
        write_stdout(parser.format_help())

    parser.print_help = show
    return GroupedArguments(parser, settings)


def value_of(given: Sequence[str], *flags: str) -> str:
    """The value of the first of `flags` in a command line, for quoting in errors; empty if there is none."""
    for index, argument in enumerate(given):
        for flag in flags:
            if argument == flag and index + 1 < len(given):
                return given[index + 1]
            if argument.startswith(f"{flag}=") or (argument.startswith(flag) and not argument.startswith("--")):
                return argument.removeprefix(flag).removeprefix("=")
    return ""
