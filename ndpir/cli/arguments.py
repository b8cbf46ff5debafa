"""The flags of `ndp-opt`, of xDSL's driver and our own, in the groups that `--help` shows."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ndpir.cli.flags import (
    ALLOW_PLUGINS,
    BOUND,
    LEVEL,
    LEVELS,
    SIZES,
    TRUST,
    add_flags,
    configure,
    effort_of,
    flags_in,
    seed_of,
)
from ndpir.cli.output import write_stdout

DESCRIPTION = """\
Reads a model or a program (.onnx, .mlir, a language model's config.json, or text on stdin), applies passes, and writes
the output of target -t. Machines, passes, pipelines and targets have names; the --list-… flags show them."""

EXAMPLES = """\
examples:
  ndp-opt model.onnx -p plan --summary                    plan a model on the default machine, show the speed-up
  ndp-opt model.onnx --dim b=8 -p plan -O1 -t timeline    list tasks and copies with device, start and end; quickly
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

_XDSL: dict[str, str] = {
    "input": """
input_file FILE  the program or model: a file, the folder of a config.json, or example:NAME; default, or -: text from
    stdin
-f KIND  the format of the input (default: by the file's extension)
--split-input-file  treat the parts between lines `// -----` as separate programs
--no-implicit-module  accept only a program that is written as one builtin.module
--allow-unregistered-dialect  accept ops, types and attributes of unknown dialects, in generic form
""",
    "passes": """
-p PASSES  passes and pipelines to run, in order: NAME,NAME{option=value other=1,2}
""",
    "output": """
-t TARGET  the target, which is the form of the output: NAME{option=value} (default: mlir, the program's text)
-o FILE  write to this file instead of stdout; an error leaves it unchanged
--print-op-generic  write ops in their generic form
--print-no-properties  write properties among the attributes
--print-debuginfo  write each op's source location, loc(…), so that a later ndp-opt reads it
--syntax-highlight  colour the program text in files and pipes, too, not only on terminals (NO_COLOR turns colours off)
""",
    "checking": """
--disable-verify  skip the verifier (an invalid program may then fail in any pass)
--verify-diagnostics  fail unless the errors are exactly those in `// expected-error @+1 {{text}}` comments
""",
    "about": """
-v  show the version
""",
}
"""The flags of xDSL's driver by group, with our help; a flag not listed here (of a newer xDSL) goes to the last group
unchanged."""

_OURS: dict[str, str] = {
    "machine": """
--machine NAME|FILE  the machine: a file of hw ops or a sheet, by name or path; replaces the program's own
--sheets FOLDER …  a folder with more data sheets and machine files
--set NAME.FIELD=VALUE …  change a value of a device's or link's sheet: --set aim.tCCD=1, --set pim.channels=8
    (repeatable)
--library NAME  the library whose kernels the GPUs run that are timed by models of kernels: for each of them, --set
    GPU.library=NAME
--profile FILE …  measured costs of devices and links, in a file that ndp-profile wrote (repeatable)
--list-devices  list all data sheets and machines that have names
--list-machines  list the machines that have names
--list-libraries  list the libraries of GPU kernels with the compute capabilities and classes that are measured
--show-device NAME  print a data sheet or machine
""",
    "input": f"""
{SIZES.strip()}
{TRUST.strip()}
{BOUND.strip()}
--list-examples  list the programs and models that come with the package
""",
    "passes": f"""
{LEVEL.strip()}
--keep-types  keep the program's element types: reduce-precision does not convert to the machine's PIM's type
--list-passes  list all passes with their options
--list-pipelines  list the named pipelines with their passes
""",
    "output": """
--list-ops NAME  list the ops of our dialects, or describe one by a part of its name or its name elsewhere (Gemm)
--list-targets  list the targets for -t with their options
--summary  write the gain over the primary device alone instead of the program (both with -t or -o, see below)
--summary=why  also tell what decisions are worth: plan again without other devices, without moves, without pipelined
    kernels, and without any two of these
--replan  with a summary: run the passes again at other values of each assumed number that changes the result
--explain NAME  break down a task's time; NAME is its name in -t timeline or a part of its location, '' the longest
""",
    "checking": """
--check  run the program before and after each pass on seeded inputs and compare the results
--seed N  seed of the inputs of --check and -t values (default 0)
--inputs FILE …  arrays for arguments by name, .npz or .safetensors, for --check and -t values; other arguments are
    random (repeatable)
--effort N  multiply by N the limits on ops after inlining, on executed ops, and on the time of layouts
""",
    "sweeps": """
--sweep NAME=VALUES …  compile and time the program at each value: --sweep pim.tCCD=1..8 --sweep machine=h100,a100
    (repeatable; all combinations; results as CSV, or with -o in a file; ndp-sweep --help shows more)
""",
    "observing": """
--print-ir-before PASS …  print the program before this pass (repeatable)
--print-ir-before-all  print the program before each pass
--print-ir-after PASS …  print the program after this pass (repeatable)
--print-ir-after-all  print the program after each pass
--run-reproducer FILE  repeat a run that ndp-opt recorded at an internal error, with additional flags; of all files,
    only that of an additional -o is written
--timing  print the wall time of each step as a tree
""",
    "about": """
--completion  print a shell's completion of our commands, for its start-up file (needs argcomplete)
""",
    "plugins": f"""
--plugin FILE.py …  load dialects, passes, targets, policies from a file
{ALLOW_PLUGINS.format(file="a reproducer").strip()}
""",
}
"""The flags of ndpir by group."""

_GROUPS = {
    **dict.fromkeys(("input", "machine", "passes", "output", "checking", "sweeps")),
    "observing": "watching a run (all on stderr)",
    **dict.fromkeys(("plugins", "about", "more")),
}
"""The groups in the order of `--help`, with their titles if these are not their names."""


@dataclass
class GroupedArguments:
    """An object passed to xDSL's driver in place of the parser: it adds each flag that the driver registers to a group
    of the parser, with our help text."""

    parser: argparse.ArgumentParser
    settings: Mapping[str, Mapping[str, Any]]
    groups: dict[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        for key, title in _GROUPS.items():
            self.groups[key] = self.parser.add_argument_group(title or key)
        self.known = {flag.names[0]: (key, flag) for key, table in _XDSL.items() for flag in flags_in(table)}

    def add_argument(self, *names: str, **settings: Any) -> None:
        """Add a flag of xDSL's driver, which calls this method, to its group; replaced flags are dropped."""
        if names[0] in _REPLACED:
            return
        key, flag = self.known.get(names[0], ("more", None))
        if flag is not None:
            settings |= {"help": flag.help, **({"metavar": flag.value} if flag.value else {})}
        self.groups[key].add_argument(*names, **{**settings, **self.settings.get(names[0], {})})

    def add_ours(self) -> None:
        """Add the flags of ndpir to their groups."""
        for key, table in _OURS.items():
            add_flags(
                self.groups[key],
                table,
                list_ops={"nargs": "?", "const": ""},
                seed={"type": seed_of, "default": 0},
                effort={"type": effort_of, "default": 1.0},
                **{"summary=why": {"action": "store_true", "dest": "why"}},
                O={"choices": LEVELS},
                completion={"choices": ("bash", "zsh", "fish")},
            )


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
