"""The command `ndp-calibrate measurements.csv --device mygpu`: fits constants of kernel models to measurements, prints
the errors on held-out shapes, and writes a calibration next to the GPU's sheet."""

from __future__ import annotations

if __name__ == "__main__":  # before all imports, so that Ctrl-C is handled during imports, too
    from ndpir.cli.command import calibrate

    raise SystemExit(calibrate())

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dialects.diagnostics import FileName, InputError, note, notes_to
from dialects.files import check_writable, decoded, open_file, write_text
from ndpir.cli.completion.shells import answer
from ndpir.cli.ending import BAD_INPUT, DEFECT, DONE, ended
from ndpir.cli.flags import add_flags, add_version, parser_of, seed_of
from ndpir.cli.output import is_stdout, write_data, write_stderr, write_stdout
from ndpir.cli.progress import Progress
from ndpir.diagnostics.printed import Diagnostic, Severity, diagnostics_of, of_unreadable
from ndpir.diagnostics.usage import UsageError

if TYPE_CHECKING:
    from interp.kinds.gpu.constants.calibration import Calibration, Record, RecordKey
    from interp.machine.records import Gpu

_LARGEST = 1 << 28
_EPILOG = """\
examples:
  ndp-calibrate --list-classes                                show the columns of a file of measurements
  ndp-calibrate mine.csv --device h200_sxm                    fit, print errors, write h200_sxm.calibration
  ndp-calibrate mine.csv --device my.sheet --only gemm        fit one class; others in the file are kept
  ndp-calibrate mine.csv --device my.sheet --only-chip --library vllm
                                                              fit the chip alone, measured with kernels of vLLM
  ndp-calibrate mine.csv --device my.sheet --as-library mylib fit the kernels alone, write mylib.calibration
  ndp-calibrate mine.csv --device my.sheet -o - > my.calibration

ndp-opt finds a calibration by its name next to the sheet, in the current folder, or in a folder of --sheets.
See docs/gpu.md. exit status: 0 done, 1 an error in the input, 2 an error in the command line, 3 a defect of
ndp-calibrate."""


_FLAGS = """
file FILE.csv  measurements, one per row; - is stdin
--device NAME|SHEET  the GPU's sheet, by name or path
--library NAME  the library whose kernels were measured (default: the sheet's)
--only-chip  fit only constants of the chip; the kernels keep those of the library
--as-library NAME  fit only constants of kernels, and write them as those of a library; the chip keeps its own
-o, --out FILE  the calibration (default: NAME.calibration by the sheet; - is stdout)
--holdout FRACTION  fraction of shapes held out (default 0.2)
--seed N  seed of the choice of held-out shapes (default 0)
--only CLASS …  fit only this class (repeatable)
--format  form of the printed errors (default table)
--strict  fail, and write nothing, if a row had to be skipped
--sheets FOLDER …  a folder with more data sheets
--list-classes  list the classes of kernels with the columns of a file
"""


def main(words: Sequence[str] | None = None) -> int:
    """Run `ndp-calibrate` with these arguments (default: those of the process); returns the exit status."""
    given = list(sys.argv[1:] if words is None else words)
    return ended("ndp-calibrate", lambda: _run(_parsed(given)), lambda error: _failed(error, given))


def _failed(error: BaseException, words: Sequence[str]) -> int:
    """Print the error; returns the exit status."""
    from ndpir.cli.reproducer import failure

    unread = [of_unreadable(error, str(error.filename or "<stdin>"))] if isinstance(error, OSError) else None
    diagnostics = unread or diagnostics_of(error)
    if diagnostics is None:
        diagnostics = [failure(error, "fitting", words, None, "ndp-calibrate")]
    status = BAD_INPUT if diagnostics[0].place or diagnostics_of(error) else DEFECT
    for diagnostic in diagnostics:
        write_stderr(_text(diagnostic.severity, diagnostic.message, diagnostic.place))
    return status


def _parsed(words: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of(
        "ndp-calibrate",
        usage="ndp-calibrate FILE.csv --device NAME|SHEET [flags]",
        description="Fits constants of GPU kernel models to measurements and writes a calibration.",
        epilog=_EPILOG,
        takes="file of measurements",
    )
    add_flags(
        parser,
        _FLAGS,
        file={"nargs": "?"},
        holdout={"type": _fraction, "default": 0.2},
        seed={"type": seed_of, "default": 0},
        format={"choices": ("table", "json"), "default": "table"},
    )
    add_version(parser, "ndp-calibrate")
    answer(parser)
    return parser.parse_args(words)


def _fraction(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 0.9:
        raise argparse.ArgumentTypeError(f"expected a fraction from 0 to 0.9, but met `{text}`")
    return value


def _run(args: argparse.Namespace) -> int:
    from ndpir.calibrate.text import class_list

    if args.list_classes:
        write_stdout(class_list())
        return DONE
    if args.file is None or args.device is None:
        raise UsageError(
            "a file of measurements and --device are required; write ndp-calibrate FILE.csv --device SHEET"
        )
    if args.only_chip and args.as_library is not None:
        raise UsageError("--only-chip holds the kernels' constants, and --as-library fits only those; give one of them")
    from interp.cost.fitting import check_fitter

    check_fitter()
    _check_classes(args.only)
    progress = Progress()
    with progress, notes_to(lambda message, place: _print(_text("note", message, place))):
        return _calibrate(args, progress)


def _calibrate(args: argparse.Namespace, progress: Progress) -> int:
    from interp.kinds.gpu.constants.calibration import Calibration
    from ndpir.calibrate.fit import FitOptions, fit_all
    from ndpir.calibrate.power import fit_power
    from ndpir.calibrate.rows import Remarks, read_rows
    from ndpir.calibrate.text import json_report, table

    gpu = _gpu(args.device, args.sheets)
    library, scope = _library(args, gpu), "chip" if args.only_chip else "kernels" if args.as_library else "both"
    owner, name = ("gpu", gpu.name) if args.as_library is None else ("library", args.as_library)
    out = _out(args.out, gpu, name)
    earlier = _earlier(out, owner, name)
    remarks, choice = Remarks(), FitOptions(args.holdout, args.seed, tuple(args.only), scope, library)
    text, file = _input(args.file)

    def step(doing: str, done: int, of: int) -> None:
        progress.doing(doing)
        progress.step(done, of)

    step(f"reading {file}", 0, 1)
    rows = read_rows(text, file, remarks)
    fits = list(fit_all(rows.usable, gpu, file, choice, remarks, step))
    step("fitting the board's power", 0, 1)
    power = None if choice.only or scope == "kernels" else fit_power(fits, gpu, file, remarks)
    fits += [power] if power is not None else []
    remarks.sum_up(file)
    if args.strict and remarks.left_out:
        message = (
            f"{remarks.left_out} rows of {rows.total} can't be used, so nothing is written; correct them, or leave out "
            "--strict"
        )
        raise InputError(message, FileName(file))
    records = [record for found in fits if found.record is not None for record in (found.record, *found.errors)]
    report = json_report(fits, rows.total, remarks.left_out, choice) if args.format == "json" else table(fits)
    if records:
        empty = Calibration(owner, name, {}, f"{Path(file).name}: {len(rows.usable)} kernels")
        _write(out, _joined(earlier or empty, records, library), report)
        return DONE
    if fits:
        write_stdout(report)
        note("no class is fitted well enough, so nothing is written; measure more shapes")
        return DONE
    message = "no class could be fitted, so nothing is written; --list-classes shows the columns of the rows"
    raise InputError(message, FileName(file))


def _check_classes(names: Sequence[str]) -> None:
    from interp.kinds.gpu.classes import CLASSES
    from interp.machine.sheets.values import near

    for name in names:
        if name not in CLASSES:
            raise UsageError(f"--only needs a class of kernels, but there is no `{name}`{near(name, CLASSES)}")


def _gpu(name: str, sheets: Sequence[str]) -> Gpu:
    from interp.machine.sheets import add_sheet_folder
    from interp.machine.sheets.files import load_gpu

    for folder in sheets:
        add_sheet_folder(folder)
    found = load_gpu(name)
    if found.model != "kernels":
        message = f"the sheet of {found.name} times kernels by a roofline and ignores calibrations; write"
        note(f"{message} `model kernels` in it to use this one", found.file)
    return found


def _library(args: argparse.Namespace, gpu: Gpu) -> str:
    """The library whose kernels were measured, from whose constants the fit starts; empty for the mean over libraries.
    With --as-library, this is the library itself if it is known. Raises UsageError for an unknown library or an invalid
    name, and InputError for a sheet without compute capability, for which kernels are stated."""
    from interp.kinds.gpu.constants.calibration import GENERIC, is_name
    from interp.machine.sheets.files import no_library
    from interp.machine.sheets.search import is_library

    if args.library is not None and not is_library(gpu, args.library):
        raise UsageError(f"--library: {no_library(args.library, gpu.file)}; --as-library NAME calibrates a new one")
    name = args.as_library
    if name is not None:
        if name == GENERIC or not is_name(name):
            what = "is the mean over all libraries" if name == GENERIC else _NO_NAME
            raise UsageError(f"--as-library: `{name}` {what}; choose another name")
        if not gpu.capability:
            message = f"the sheet of {gpu.name} states no compute capability, for which the kernels of a library are"
            raise InputError(f"{message}; add `capability NUMBER`, as in `capability 9.0`", gpu.file)
        if args.library is None and is_library(gpu, name):
            return name
    found = gpu.library if args.library is None else args.library
    return "" if found == GENERIC else found


_NO_NAME = "is not a name of letters, digits and underscores"


def _out(path: str | None, gpu: Gpu, name: str) -> str:
    """The path of the calibration of a GPU or library `name` to write, by default one under which ndp-opt finds it; `-`
    for stdout. Raises InputError if it can't be written."""
    from interp.machine.sheets.search import SHIPPED

    if path is None:
        folder = Path(gpu.file).parent
        file = f"{name}.calibration"
        path = file if folder.resolve() == SHIPPED.resolve() else str(folder / file)
    if is_stdout(path):
        return "-"
    check_writable(path)
    return path


def _earlier(out: str, owner: str, name: str) -> Calibration | None:
    """The calibration in the file to be written, whose other classes are kept; None if there is no file. Raises
    InputError if it calibrates another GPU or library."""
    from interp.kinds.gpu.constants.calibration import read_calibration

    if out == "-" or not os.path.exists(out):
        return None
    found = read_calibration(Path(out))
    if (found.owner, found.name) != (owner, name):
        message = f"this file calibrates the {found.owner} {found.name}, not {name}; name another file with -o"
        raise InputError(message, FileName(out))
    return found


def _input(path: str) -> tuple[str, str]:
    """The text of the measurements, and its file name in locations. Raises InputError for a file that can't be read, is
    too large, or is not UTF-8."""
    file = "<stdin>" if path == "-" else path
    try:
        if path == "-":
            data = sys.stdin.buffer.read(_LARGEST + 1)
        else:
            with open_file(path) as stream:
                data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(of_unreadable(error, file).message, FileName(file)) from None
    if len(data) > _LARGEST:
        raise InputError(
            f"this file is larger than {_LARGEST >> 20} MiB, the limit; give fewer measurements", FileName(file)
        )
    return decoded(data, file, "byte {} is not UTF-8 text; measurements must be a CSV file in UTF-8"), file


def _joined(earlier: Calibration, records: Sequence[Record], library: str) -> Calibration:
    """The calibration to write: the new records, and earlier ones. New constants of a chip replace those that an
    earlier record for kernels of the same library states, since that record would apply first."""
    from interp.kinds.gpu.constants.calibration import key_of

    fresh = {record.key: record for record in records}
    of_chip = {key: record.constants for key, record in fresh.items() if not record.library and not record.capability}
    kept: dict[RecordKey, Record] = {}
    for key, record in earlier.records.items():
        if key not in fresh:
            new = of_chip.get(key_of(record.kernel_class, record.element)) if record.library == library else None
            left = {name: value for name, value in record.constants.items() if name not in (new or ())}
            kept[key] = replace(record, constants=left)
    if kept:
        note(
            f"{len(kept)} classes that are not fitted by this run are kept in the calibration: "
            f"{', '.join(map(' '.join, kept))}",
            earlier.file or None,
        )
    return replace(earlier, records={**{key: fresh.get(key) or kept[key] for key in earlier.records}, **fresh})


def _write(out: str, calibration: Calibration, report: str) -> None:
    from interp.kinds.gpu.constants.calibration import calibration_text

    text = calibration_text(calibration)
    if out == "-":  # stdout holds only the calibration
        write_stderr(report)
        write_data(text)
        return
    write_text(out, text)
    write_stdout(report)
    use = f"; ndp-opt --library {calibration.name} uses it" if calibration.owner == "library" else ""
    note(f"the calibration of {calibration.name} is written{use}", out)


def _print(text: str) -> None:
    sys.stdout.flush()
    write_stderr(text)


def _text(severity: Severity, message: str, place: str | None) -> str:
    return Diagnostic(severity, message, place or "ndp-calibrate").text({})
