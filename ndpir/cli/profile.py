"""`ndp-profile model.onnx --machine cpu-pim`: performs the few runs that determine all costs of placing a program, and
writes a profile. Ops on this computer's processor are measured in wall time; all other ops and copies are simulated.

    ndp-profile bert.onnx --machine cpu-pim -o bert.profile.json
    ndp-opt bert.onnx --machine cpu-pim --profile bert.profile.json --summary \\
      -p 'canonicalize,fuse,reduce-precision,place{policy=path}'

A device whose sheet contains `measures onnxruntime` stands for this computer with the sheet's number of threads. Each
op or fused group on such a device becomes a small ONNX model that is timed (ndpir/profile/bench.py). Other devices, and
copies to and from them, are simulated. Their rows have the kind `simulated`, and keep their times if the sheets change
later (`--measured-only` leaves these rows out).

The placements to run come from lowering/profiling/plan.py, or from a file that `ndp-opt -t profile-plan{json}`
wrote. Each run computes the program's own values (ndpir/profile/runs.py); its results must equal the interpreter's
within a tolerance.
"""

from __future__ import annotations

if __name__ == "__main__":  # before all imports, so that Ctrl-C is handled during imports, too
    from ndpir.cli.command import profile

    raise SystemExit(profile())

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dialects.diagnostics import FileName, InputError, note, notes_to
from dialects.files import check_writable, granting, write_text
from ndpir.cli.completion.shells import answer
from ndpir.cli.ending import BAD_INPUT, DEFECT, DONE, ended
from ndpir.cli.flags import MACHINE as MACHINE_FLAGS
from ndpir.cli.flags import SIZES, TRUST, add_flags, add_version, at_least, parser_of, sizes_of
from ndpir.cli.output import is_stdout, write_data, write_stderr, write_stdout
from ndpir.cli.progress import Progress
from ndpir.diagnostics.printed import Diagnostic, diagnostics_of, of_undecodable, of_unreadable
from ndpir.diagnostics.usage import UsageError
from ndpir.frontends.examples import resolved
from ndpir.frontends.sizes import Sizes, is_config

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ndpir.registry.names import LazyContext

MACHINE = "cpu-pim"
"""The default machine if neither the program nor the command line names one: the only machine with a measured
device."""
PASSES = "canonicalize,fuse,reduce-precision"
"""The passes that all pipelines run before `place`, so that the measured ops are the ops that `place` assigns."""
_EPILOG = f"""\
examples:
  ndp-profile model.onnx -o model.profile.json            on {MACHINE}: this computer's processor, and a PIM
  ndp-profile model.onnx --dim b=8 --repeats 30 > p.json  a model with a symbolic batch; the profile on stdout
  ndp-profile x.mlir --machine mine.mlir --together       the fewest runs that time ops and copies in the same runs
  ndp-opt model.onnx --machine {MACHINE} --profile model.profile.json \\
    -p '{PASSES},place{{policy=path}}' --summary    place with the measured times

A time in the profile applies only to ops of the same types and connections, so run the same passes before place.
exit status: 0 done, 1 an error in the input, 2 an error in the command line, 3 a defect of ndp-profile."""


_INPUT = f"""
file FILE  a model (.onnx, .pt2) or a program at graph level (text; - is stdin)
{SIZES.strip()}
{TRUST.strip()}
--seed N  seed of the runs' random inputs (default 0)
"""
_RUNS = f"""
-p, --passes PASSES  passes to run before ops are measured (default {PASSES})
--plan FILE  a file with the runs, as ndp-opt -t profile-plan{{json}} writes it (default: the fewest runs)
--together  time ops and copies in the same runs, instead of ops first
--repeats N  timed calls of each op in a run (default 15)
--warmup N  untimed calls before each op's timed ones (default 3)
"""
_OUTPUT = """
-o, --out FILE  write the profile here (default: stdout, with the table of results on stderr)
--measured-only  leave out simulated times; ndp-opt then takes these from the sheets, with the changes of --set
"""


def main(words: Sequence[str] | None = None) -> int:
    """Run `ndp-profile` with the arguments `words` (default: those of the process); returns the exit status."""
    given = list(sys.argv[1:] if words is None else words)
    tool = _Tool(given)
    return ended("ndp-profile", lambda: tool.run(_parsed(given)), tool.failed)


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = parser_of(
        "ndp-profile",
        usage="ndp-profile FILE [--machine NAME|FILE] [-o FILE] [flags]",
        description="Measures the times of a model's ops on the devices of a machine, in as few runs as possible.",
        epilog=_EPILOG,
        takes="program",
    )
    of_file = {"nargs": "?", "type": resolved}
    of_seed = {"type": at_least(0), "default": 0}
    add_flags(parser.add_argument_group("input"), _INPUT, file=of_file, seed=of_seed)
    add_flags(parser.add_argument_group("machine"), MACHINE_FLAGS.format(default=f"else {MACHINE}"))
    add_flags(
        parser.add_argument_group("runs"),
        _RUNS,
        passes={"default": PASSES},
        repeats={"type": at_least(1), "default": 15},
        warmup={"type": at_least(0), "default": 3},
    )
    add_flags(parser.add_argument_group("output"), _OUTPUT)
    add_version(parser.add_argument_group("about"), "ndp-profile")
    answer(parser)
    return parser.parse_args(words)


class _Tool:
    """One run of the command; it records the current step for error messages."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.file = "ndp-profile"
        self.machine = MACHINE
        self.source: str | None = None
        self.doing = "reading the command line"
        self.progress = Progress()

    def run(self, args: argparse.Namespace) -> int:
        if args.file is None:
            raise UsageError("no model or program is given; name a file to profile")
        if args.plan is not None and args.together:
            raise UsageError("--together and --plan both determine the runs; give only one of them")
        sizes = sizes_of(args)
        if sizes.flags and not (args.file.endswith((".onnx", ".pt2")) or is_config(args.file)):
            raise UsageError(
                f"{sizes.flags[0]} applies only to models of ONNX (.onnx) and PyTorch (.pt2) and to configs (.json), "
                f"but {args.file} is text; remove the flag"
            )
        self.file = "<stdin>" if args.file == "-" else args.file
        out = None if args.out is None or is_stdout(args.out) else args.out
        check_writable(out)
        with granting(args.allow_read), self.progress, notes_to(self._note):
            return self._profile(args, sizes, out)

    def failed(self, error: BaseException) -> int:
        """Print an error; returns the exit status."""
        from ndpir.cli.reproducer import failure

        match error:
            case UnicodeDecodeError():
                diagnostics = [of_undecodable(error, self.file)]
            case OSError():
                diagnostics = [of_unreadable(error, str(error.filename or self.file))]
            case _:
                diagnostics = diagnostics_of(error)
        if diagnostics is None:
            diagnostic = failure(error, self.doing, self.words, self.source, "ndp-profile")
            write_stderr(Diagnostic("error", diagnostic.message, diagnostic.place or "ndp-profile").text({}))
            return BAD_INPUT if diagnostic.place else DEFECT
        self._print(diagnostics)
        return BAD_INPUT

    def _print(self, diagnostics: Sequence[Diagnostic]) -> None:
        sys.stdout.flush()
        for diagnostic in diagnostics:
            write_stderr(diagnostic.in_file(self.file).text({self.file: self.source} if self.source else {}))

    def _note(self, message: str, place: str | None) -> None:
        sys.stdout.flush()
        diagnostic = Diagnostic("note", message, place or "ndp-profile")
        write_stderr((diagnostic.in_file(self.file) if place else diagnostic).text({}))

    def _at(self, doing: str) -> None:
        self.doing = doing
        self.progress.doing(doing)

    def _profile(
        self,
        args: argparse.Namespace,
        sizes: Sizes,
        out: str | None,
    ) -> int:
        module = self._program(args, sizes)
        self._at("loading the profiler")
        from interp.machine.profile_file import profile_text
        from ndpir.profile.session import MeasuringRequest, Session, measured

        request = MeasuringRequest(self.file, self.machine, args.passes, args.repeats, args.warmup, args.seed)
        session = Session(module, request, self._at, self.progress.step)
        plan = session.read_plan(args.plan) if args.plan is not None else session.plan(args.together)
        profile = session.carry_out(plan)
        table = session.table(profile)
        text = profile_text(measured(profile) if args.measured_only else profile)
        if out is None:  # stdout holds only the profile, so that it can be piped
            write_stderr(table)
            write_data(text)
            return DONE
        write_text(out, text)
        write_stdout(table)
        note("the profile is written; pass it to ndp-opt with --profile", FileName(out))
        return DONE

    def _program(self, args: argparse.Namespace, sizes: Sizes) -> ModuleOp:
        """The program with its machine, after the passes. Raises errors that `diagnostics_of` converts."""
        from lowering.alone.primary_alone import baselines_unread
        from ndpir.compiler.compilation import COMMAND_LINE, Compiler, Request, Watcher
        from ndpir.diagnostics.verify import errors_without_program, verify
        from ndpir.frontends.machines import attach_machine, machine_of
        from ndpir.registry.names import LazyContext, Registry

        registry = Registry()
        registry.discover()
        if args.sheets:
            from ndpir.registry.plugins import load_sheets

            for folder in args.sheets:
                try:
                    load_sheets(folder)
                except InputError as error:
                    raise UsageError(f"--sheets {folder}: {error.message}") from None
        context, watcher = LazyContext(registry), Watcher()
        watcher.at = self._at
        request = Request(args.passes, args.machine, args.set, library=args.library)
        try:
            compiler = Compiler(request, registry, context, flags=COMMAND_LINE, watcher=watcher)
        except InputError as error:
            raise UsageError(f"{error.place or '-p'}: {error.message}") from None
        with errors_without_program(), baselines_unread():
            self._at(f"reading {self.file}")
            module = self._read(args.file, context, sizes, args.trust_pickles)
            self.machine = args.machine or ("the program's own" if machine_of(module) else MACHINE)
            if args.machine is None and not machine_of(module):
                attach_machine(module, MACHINE, None)
            compiler.equip(module)
            verify(module, context)
            compiler.apply(module)
        return module

    def _read(self, path: str, context: LazyContext, sizes: Sizes, trusts_pickles: bool) -> ModuleOp:
        if path.endswith(".onnx"):
            from ndpir.frontends.onnx import import_onnx

            return import_onnx(path, **sizes.arguments)
        if is_config(path):
            from ndpir.frontends.configs.requested import read_step

            return read_step(path, sizes)
        if path.endswith(".pt2"):
            from ndpir.frontends.torch.reading import read_file

            return read_file(path, sizes, trusts_pickles)
        from io import BytesIO

        from ndpir.frontends.mlir import read_text
        from ndpir.frontends.source import read_input

        data = read_input(None if path == "-" else path, self.file)
        self.source = data.decode("utf-8", "replace")
        return read_text(context, BytesIO(data), self.file)
