"""`ndp-sweep sweep.toml -o results.sqlite`: compiles and times a program at many points.

`ndp-sweep show results.sqlite` shows the results. `ndp-opt FILE --sweep NAME=VALUES` runs the same sweeps.
"""

from __future__ import annotations

if __name__ == "__main__":  # before all imports, so that Ctrl-C is handled during imports, too
    from ndpir.cli.command import sweep

    raise SystemExit(sweep())

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from dialects.diagnostics import InputError, notes_to
from dialects.files import check_writable
from ndpir.cli.completion.shells import answer
from ndpir.cli.ending import BAD_INPUT, DEFECT, DONE, ended
from ndpir.cli.flags import (
    ALLOW_PLUGINS,
    LEVEL,
    LEVELS,
    MACHINE,
    SIZES,
    add_flags,
    add_version,
    at_least,
    effort_of,
    parser_of,
    sizes_of,
)
from ndpir.cli.output import is_stdout, write_data, write_stderr
from ndpir.diagnostics.printed import Diagnostic, diagnostics_of
from ndpir.diagnostics.usage import UsageError
from ndpir.frontends.examples import resolved
from ndpir.sweep.request import Request, read_request, with_axes
from ndpir.sweep.sampling import DESIGNS

_EPILOG = """\
examples:
  ndp-sweep sweep.toml -o results.parquet                 the sweep in a file, on all cores; again: continues it
  ndp-sweep model.onnx --sweep pim.tCCD=1..8 --sweep machine=a100-newton,a100-aim > results.csv
  ndp-sweep model.onnx --sweep pim.tCCD=1..8 --sweep gpu.launch=1..9 --design latin-hypercube --samples 200 -o r.sqlite
  ndp-sweep sweep.toml --scheduler tcp://host:8786        on a Dask cluster; local: a Dask cluster on this computer
  ndp-sweep show results.parquet --report results.html    Pareto front, effect of each axis, and plots

axes: machine, library, passes, O, batch, cache-length, dim.NAME, shape.INPUT, and NAME.FIELD as after --set
values: 1..8, 1..64*2, 0..100+25, a,b,c; values with commas in them are separated by semicolons; 0.5..2.0 is for samples
exit status: 0 done (a failed point is a row with its error), 1 an error in the input or all points failed, 2 an error
in the command line, 3 a defect of ndp-sweep."""


_INPUT = f"""
file FILE  a sweep (.toml), or a model or program
{SIZES.strip()}
"""
_MACHINE = f"""
{MACHINE.format(default="the default machine").strip()}
--profile FILE …  measured costs, as ndp-profile writes them
"""
_PASSES = f"""
-p, --passes PASSES  passes and pipelines to run (default {Request.passes})
{LEVEL.strip()}
--keep-types  keep the program's element types
--effort N  multiply by N the limits on ops after inlining, on executed ops, and on the time of layouts
--plugin FILE.py …  load dialects, passes, policies from a file
{ALLOW_PLUGINS.format(file="a sweep in a file").strip()}
"""
_POINTS = """
--sweep NAME=VALUES …  an axis with its values (repeatable)
--design  all combinations of the values, or samples (default grid)
--samples N  the number of points of a design of samples
--seed N  seed of the samples (default 0)
"""
_RUN = """
--jobs N  processes on this computer (default: one for each core)
--scheduler ADDRESS  a Dask scheduler (tcp://HOST:PORT), or local: start one here
"""
_OUTPUT = """
-o, --out RESULTS  write results here (.sqlite, .parquet, .csv); run again, a sweep continues (default: for a sweep in a
    file its name with .sqlite, otherwise CSV on stdout, which can't be continued)
"""


def main(words: Sequence[str] | None = None, tool: str = "ndp-sweep") -> int:
    """Run `ndp-sweep` with the arguments `words` (default: those of the process); returns the exit status. `tool`: the
    name of the command in messages."""
    given = list(sys.argv[1:] if words is None else words)

    def failed(error: BaseException) -> int:
        from ndpir.cli.reproducer import failure

        if (diagnostics := diagnostics_of(error)) is None:
            diagnostics = [failure(error, "sweeping", given, None, tool)]
        for diagnostic in diagnostics:
            write_stderr(diagnostic.in_file(tool).text({}))
        return BAD_INPUT if diagnostics_of(error) is not None else DEFECT

    def run() -> int:
        if given[:1] == ["show"] and tool == "ndp-sweep":
            from ndpir.cli.exploring.sweep_show import main as show

            return show(given[1:])
        return _run(_parsed(given, tool), tool)

    return ended(tool, run, failed)


def _parsed(words: Sequence[str], tool: str) -> argparse.Namespace:
    parser = parser_of(
        tool,
        usage=f"{tool} FILE [--sweep NAME=VALUES …] [-o RESULTS] [flags]"
        + ("\n       ndp-sweep show RESULTS [flags]" if tool == "ndp-sweep" else ""),
        description="Compiles and times a program at each point of a sweep: machines, sizes, pipelines, numbers of "
        "data sheets. Each point is placed and lowered anew, as by ndp-opt.",
        epilog=_EPILOG,
        takes="sweep",
    )
    add_flags(parser.add_argument_group("input"), _INPUT, file={"nargs": "?", "type": resolved})
    add_flags(parser.add_argument_group("machine"), _MACHINE)
    add_flags(parser.add_argument_group("passes"), _PASSES, effort={"type": effort_of}, O={"choices": LEVELS})
    add_flags(
        parser.add_argument_group("points"),
        _POINTS,
        design={"choices": DESIGNS},
        samples={"type": at_least(1)},
        seed={"type": at_least(0)},
    )
    add_flags(parser.add_argument_group("run"), _RUN, jobs={"type": at_least(1)})
    add_flags(parser.add_argument_group("output"), _OUTPUT)
    add_version(parser.add_argument_group("about"), tool)
    answer(parser)
    return parser.parse_args(words)


def request_of(args: argparse.Namespace) -> Request:
    """The request of a command line, whose options replace or extend the settings of a .toml file. Raises InputError
    and UsageError for invalid settings."""
    if args.file is None:
        raise UsageError("no sweep, model or program is given; name a .toml file, or a model with --sweep NAME=VALUES")
    if args.file == "-":
        raise UsageError("a sweep reads its program once for each point, but stdin can be read only once; name a file")
    is_sweep = args.file.endswith(".toml")
    request = read_request(args.file, args.allow_plugins) if is_sweep else Request(args.file)
    if request.model.endswith((".trace", ".pim")):
        raise UsageError(f"{request.model} is a command trace, on which no passes run; sweep a model or a program")
    request = with_axes(request, args.sweep)
    request = replace(
        request,
        settings=(*request.settings, *args.set),
        sizes=request.sizes.changed_by(sizes_of(args)),
        keep_types=request.keep_types or args.keep_types,
        profiles=(*request.profiles, *args.profile),
        sheets=(*request.sheets, *args.sheets),
        plugins=(*request.plugins, *args.plugin),
        allowed=tuple(args.allow_read),
        level=request.level if args.O is None else int(args.O),
        **{
            name: value
            for name in ("passes", "machine", "library", "effort", "design", "samples", "seed")
            if (value := getattr(args, name)) is not None
        },
    )
    if not request.axes:
        raise UsageError("nothing is swept; add an axis, as in --sweep pim.tCCD=1..8")
    if request.settings:
        from ndpir.compiler.settings import settings_of

        settings_of(request.settings)
    return request


def _run(args: argparse.Namespace, tool: str) -> int:
    from ndpir.sweep.running import sweep
    from ndpir.sweep.tables import check_format, csv_text, journal_of, write_table

    request = request_of(args)
    out = args.out
    if out is None and args.file.endswith(".toml"):
        out = f"{os.path.splitext(os.path.basename(args.file))[0]}.sqlite"
    if out is not None and is_stdout(out):
        out = None
    if out is not None:
        check_format(out)
        check_writable(out)

    def noted(message: str, place: str | None) -> None:
        write_stderr(Diagnostic("note", message, place or tool).text({}))

    with notes_to(noted):
        swept = sweep(request, None if out is None else journal_of(out), jobs=args.jobs, scheduler=args.scheduler)
    if out is None:
        write_data(csv_text(swept.rows))
    else:
        write_table(out, swept.rows)
    counted = f"{len(swept.rows)} points, {swept.failed} failed"
    if swept.shared:
        counted += f", {swept.shared} timed together"
    held = f", {swept.held} of them were there already" if swept.held else ""
    write_stderr(f"{tool}: {counted}{held}{f'; results in {out}' if out else ''}\n")
    if swept.rows and swept.failed == len(swept.rows):
        raise InputError(f"all points failed; the error of the first point: {swept.rows[0].error}")
    return DONE
