"""`ndp-profile model.onnx --machine cpu-pim`: carries out the few runs that measure all costs of placing a program, the
processors of this computer by the clock on the wall and all else by the simulator's, and writes a profile.

    ndp-profile bert.onnx --machine cpu-pim -o bert.profile.json
    ndp-opt bert.onnx --machine cpu-pim --profile bert.profile.json --summary \\
      -p 'canonicalize,fuse,reduce-precision,place{policy=path}'

Devices whose sheets say `measures onnxruntime` are this computer, with so many threads: each op or fused group that is
to be measured there becomes a small ONNX model (ndpir/profile/bench.py says how a time is taken). The others are
simulated, and so are copies to and from them; their rows say so, and hold whatever becomes of the sheets later
(`--measured-only` leaves them out).

Which placements are run comes from lowering/profiling/plan.py, or from a file that `ndp-opt -t profile-plan{json=true}`
wrote; the program's own numbers flow through each run (ndpir/profile/runs.py), whose results must be the interpreter's.
"""

from __future__ import annotations

if __name__ == "__main__":  # before all imports, during which Ctrl-C is heard too
    from ndpir.cli.command import profile

    raise SystemExit(profile())

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, NoReturn

from dialects.diagnostics import FileName, InputError, note, notes_to
from dialects.files import check_writable, write_text
from ndpir.cli.arguments import UsageError, dims_of, refuse, shapes_of
from ndpir.cli.ending import BAD_INPUT, DEFECT, DONE, ended
from ndpir.cli.output import is_stdout, write_stdout
from ndpir.cli.progress import Progress
from ndpir.cli.report import Report, of_undecodable, of_unreadable, reports_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ndpir.registry.names import LazyContext

MACHINE = "cpu-pim"
"""The machine where neither the program nor the command line names one: the only one that has real devices."""
PASSES = "canonicalize,fuse,reduce-precision"
"""The passes that all pipelines run before `place`, so that the ops which are measured are those that will be
placed."""
_EPILOG = f"""\
examples:
  ndp-profile model.onnx -o model.profile.json            on {MACHINE}: this computer's processor, and a PIM
  ndp-profile model.onnx --dim b=8 --repeats 30 > p.json  a model with a symbolic batch; the profile on stdout
  ndp-profile x.mlir --machine mine.mlir --together       the fewest runs for ops and copies at once
  ndp-opt model.onnx --machine {MACHINE} --profile model.profile.json \\
    -p '{PASSES},place{{policy=path}}' --summary    place with what was measured

Only an op of the same types and wiring finds its time in the profile, so run the same passes before place.
exit status: 0 done, 1 an error in the input, 2 an error in the command line, 3 a defect of ndp-profile."""


def main(words: Sequence[str] | None = None) -> int:
    """Run `ndp-profile` with these arguments (those of the process by default); the exit status."""
    given = list(sys.argv[1:] if words is None else words)
    tool = _Tool(given)
    return ended("ndp-profile", lambda: tool.run(_parsed(given)), tool.failed)


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="ndp-profile",
        usage="ndp-profile FILE [--machine NAME|FILE] [-o FILE] [flags]",
        description="Measures what the ops of a model take on the devices of a machine, in as few runs as can be.",
        epilog=_EPILOG,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, max_help_position=28, width=110),
        allow_abbrev=False,
    )

    def fail(message: str) -> NoReturn:
        refuse(parser, message, "program")

    parser.error = fail
    add = parser.add_argument_group("input").add_argument
    add("file", nargs="?", metavar="FILE", help="a model (.onnx) or a program at graph level (text; - is stdin)")
    add("--dim", metavar="NAME=N", action="append", default=[], help="give a symbolic dimension of a model its size")
    add("--shape", metavar="INPUT=AxBx…", action="append", default=[], help="give an input of a model another shape")
    add("--seed", metavar="N", type=_from(0), default=0, help="of the inputs that flow through the runs (default 0)")
    add = parser.add_argument_group("machine").add_argument
    add("--machine", metavar="NAME|FILE", help=f"the machine (default: the program's own, or else {MACHINE})")
    add("--sheets", metavar="FOLDER", action="append", default=[], help="a folder with more data sheets and machines")
    add("--set", metavar="NAME.FIELD=VALUE", action="append", default=[], help="change a value of a data sheet")
    add = parser.add_argument_group("runs").add_argument
    add("-p", "--passes", metavar="PASSES", default=PASSES, help=f"run before ops are measured (default {PASSES})")
    add(
        "--plan",
        metavar="FILE",
        help="the runs, as ndp-opt -t profile-plan{json=true} writes them (default: the fewest)",
    )
    add("--together", action="store_true", help="the fewest runs for ops and copies at once, not first ops alone")
    add("--repeats", metavar="N", type=_from(1), default=15, help="timed calls of each op in a run (default 15)")
    add("--warmup", metavar="N", type=_from(0), default=3, help="calls before the timed ones, each time (default 3)")
    add = parser.add_argument_group("output").add_argument
    add("-o", "--out", metavar="FILE", help="the profile (default: stdout, and the table of what was found on stderr)")
    add(
        "--measured-only",
        action="store_true",
        help="leave out what is simulated, which the sheets tell again, whatever is --set in them",
    )
    add = parser.add_argument_group("about").add_argument
    add("-v", "--version", action="version", version=f"ndp-profile {version('ndpir')}")
    return parser.parse_args(words)


def _from(least: int) -> Callable[[str], int]:
    def count(text: str) -> int:
        if not text.isdecimal() or len(text) > 9 or int(text) < least:
            raise argparse.ArgumentTypeError(f"a whole number from {least} on is expected, not `{text}`")
        return int(text)

    return count


class _Tool:
    """One run of the command, and what it was doing when it failed."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.file = "ndp-profile"
        self.machine = MACHINE
        self.source: str | None = None
        self.doing = "reading the command line"
        self.progress = Progress()

    def run(self, said: argparse.Namespace) -> int:
        if said.file is None:
            raise UsageError("give a model or a program to profile")
        if said.plan is not None and said.together:
            raise UsageError("--together says which runs to make, and so does --plan; leave one of them out")
        dims, shapes = dims_of(said.dim), shapes_of(said.shape)
        if (dims or shapes) and not said.file.endswith(".onnx"):
            raise UsageError(f"--dim and --shape are of ONNX models, and {said.file} is text")
        self.file = "<stdin>" if said.file == "-" else said.file
        out = None if said.out is None or is_stdout(said.out) else said.out
        check_writable(out)
        with self.progress, notes_to(self._note):
            return self._profile(said, dims, shapes, out)

    def failed(self, error: BaseException) -> int:
        """Say what went wrong; the exit status."""
        from ndpir.cli.reproducer import failure

        match error:
            case UnicodeDecodeError():
                reports = [of_undecodable(error, self.file)]
            case OSError():
                reports = [of_unreadable(error, str(error.filename or self.file))]
            case _:
                reports = reports_of(error)
        if reports is None:
            report = failure(error, self.doing, self.words, self.source, "ndp-profile")
            sys.stderr.write(Report("error", report.message, report.place or "ndp-profile").text({}))
            return BAD_INPUT if report.place else DEFECT
        self._tell(reports)
        return BAD_INPUT

    def _tell(self, reports: Sequence[Report]) -> None:
        sys.stdout.flush()
        for report in reports:
            sys.stderr.write(report.in_file(self.file).text({self.file: self.source} if self.source else {}))

    def _note(self, message: str, place: str | None) -> None:
        sys.stdout.flush()
        report = Report("note", message, place or "ndp-profile")
        sys.stderr.write((report.in_file(self.file) if place else report).text({}))

    def _at(self, doing: str) -> None:
        self.doing = doing
        self.progress.doing(doing)

    def _profile(
        self,
        said: argparse.Namespace,
        dims: dict[str, int],
        shapes: dict[str, tuple[int, ...]],
        out: str | None,
    ) -> int:
        module = self._program(said, dims, shapes)
        self._at("loading what runs ops")
        from interp.cost.profile_file import profile_text
        from ndpir.profile.session import MeasuringRequest, Session, measured

        request = MeasuringRequest(self.file, self.machine, said.passes, said.repeats, said.warmup, said.seed)
        session = Session(module, request, self._at, self.progress.step)
        plan = session.read_plan(said.plan) if said.plan is not None else session.plan(said.together)
        profile = session.carry_out(plan)
        table = session.table(profile)
        text = profile_text(measured(profile) if said.measured_only else profile)
        if out is None:  # what is piped on is the profile
            sys.stderr.write(table)
            write_stdout(text)
            return DONE
        write_text(out, text)
        write_stdout(table)
        note("the profile is written; ndp-opt takes it after --profile", FileName(out))
        return DONE

    def _program(self, said: argparse.Namespace, dims: dict[str, int], shapes: dict[str, tuple[int, ...]]) -> ModuleOp:
        """The program with its machine, after the passes. Raises what `reports_of` knows."""
        from ndpir.cli.machines import attach_machine, machine_of
        from ndpir.cli.settings import apply, settings_of
        from ndpir.cli.steps import passes_of
        from ndpir.cli.verify import undumped, verify
        from ndpir.registry.names import LazyContext, Registry

        registry = Registry()
        registry.discover()
        if said.sheets:
            from ndpir.registry.plugins import load_sheets

            for folder in said.sheets:
                try:
                    load_sheets(folder)
                except InputError as error:
                    raise UsageError(f"--sheets {folder}: {error.message}") from None
        try:
            passes = passes_of(said.passes, registry)
        except InputError as error:
            raise UsageError(f"{error.place or '-p'}: {error.message}") from None
        settings = settings_of(said.set)
        context = LazyContext(registry)
        with undumped():
            self._at(f"reading {self.file}")
            module = self._read(said.file, context, dims, shapes)
            self.machine = said.machine or ("the program's own" if machine_of(module) else MACHINE)
            attach_machine(module, said.machine or (None if machine_of(module) else MACHINE), "ndp-profile")
            apply(module, settings)
            verify(module)
            for each in passes:
                self._at(f"running pass {each.name}")
                each.apply(context, module)
                verify(module)
        return module

    def _read(
        self, path: str, context: LazyContext, dims: dict[str, int], shapes: dict[str, tuple[int, ...]]
    ) -> ModuleOp:
        if path.endswith(".onnx"):
            from ndpir.frontends.onnx import import_onnx

            return import_onnx(path, dims, shapes)
        from io import BytesIO

        from ndpir.cli.opt import read_input
        from ndpir.frontends.mlir import read_text

        data = read_input(None if path == "-" else path, self.file)
        self.source = data.decode("utf-8", "replace")
        return read_text(context, BytesIO(data), self.file)
