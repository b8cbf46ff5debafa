"""The oracle: runs a case in this process, and reports any wrong behaviour of the tool.

For any input, a tool ends with status 0, 1 or 2 within the limits on time and memory; if it rejects the input, stderr
has `PLACE: error: SENTENCE`; a printed program is parsed again as the same program, also in the generic form; and no
pass changes results.
"""

from __future__ import annotations

import io
import os
import re
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

import ndpir
import ndpir.cli.calibrate
import ndpir.cli.exploring.sweep
import ndpir.cli.opt
import ndpir.cli.profile
from dialects.text.printable import printable_lines
from tests.fuzz.case import ROOT, Case

Main = Callable[[Sequence[str]], int]

TOOLS: dict[str, Main] = {
    "ndp-opt": ndpir.cli.opt.main,
    "ndp-calibrate": ndpir.cli.calibrate.main,
    "ndp-profile": ndpir.cli.profile.main,
    "ndp-sweep": ndpir.cli.exploring.sweep.main,
}

SECONDS = 10
"""The limit on the processor time of a case in seconds; a mutated input is small, so a longer run is a hang."""
WALL_SECONDS = 120
"""The limit on the wall-clock time of a case in seconds, for calls that block."""
MEMORY = 3 << 30
"""The largest number of bytes that a case may allocate in addition to the process's memory."""
ARRAYS = 1 << 26
"""The memory in bytes that the tool believes this computer to have. It refuses to compute larger arrays: a mutated
shape of a billion elements would otherwise take longer than a case may take."""

DIAGNOSTIC = re.compile(r"^(?P<place>.+?): error: (?P<message>.+)$", re.MULTILINE | re.DOTALL)
PLACED = re.compile(r".+:\d+:\d+$", re.DOTALL)
CHANGED = re.compile(r"check: (\S+) changes the (results|type|number of results)")
TEXT_FLAGS = frozenset(("-t", "--target", "--list-passes", "--list-targets", "--list-ops", "--explain", "--help", "-o"))
OTHER_FORMS = frozenset(
    (
        "--no-implicit-module",
        "--print-op-generic",
        "--print-debuginfo",
        "--allow-unregistered-dialect",
        "--run-reproducer",
    )
)
"""Flags with which ndp-opt prints a form of the program that it does not read again with the same command line."""


class Hang(BaseException):
    """Raised in a case that exceeds its time limit; the tool ends even if it catches this exception."""


@dataclass(frozen=True)
class Find:
    """A failure of a case: the kind of wrong behaviour and its details. `signature`: a text that is, as far as
    possible, equal for all cases with the same cause of failure."""

    what: str
    signature: str
    detail: str


@dataclass(frozen=True)
class Run:
    """The outcome of a tool on a case: its exit status, its output on stdout and stderr, and its failure (None if it
    behaved correctly)."""

    status: int
    out: str
    err: str
    find: Find | None = None

    @property
    def message(self) -> str | None:
        """The message of the first error; None if there is none."""
        found = DIAGNOSTIC.search(self.err)
        return found["message"].partition("\n")[0] if found else None


@contextmanager
def workbench(limited: bool = False) -> Generator[None]:
    """A context with a temporary folder for all files of cases, and, if `limited`, a limit on this process's memory."""
    before, temporary = os.getcwd(), tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="ndpir-fuzz-") as folder, ExitStack() as stack:
        stack.callback(os.chdir, before)
        stack.callback(setattr, tempfile, "tempdir", temporary)
        os.chdir(folder)
        tempfile.tempdir = folder
        if limited:
            resource.setrlimit(resource.RLIMIT_AS, (_memory() + MEMORY, -1))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, -1))
        yield


def judge(case: Case) -> Run:
    """Run a case in the current folder (a `workbench`)."""
    Path(case.file).write_bytes(case.data)
    run = _run(case.words[0], case.arguments())
    if run.find is None:
        run = Run(
            run.status,
            run.out,
            run.err,
            _wrong_text(case, run)
            or _wrong_numbers(run)
            or _hidden_defect(run)
            or _raw_text(case, run)
            or _changed_text(case, run),
        )
    for path in Path().iterdir():
        if path.is_file():
            path.unlink()
    return run


def _run(tool: str, arguments: Sequence[str]) -> Run:
    failed: list[BaseException] = []

    def keep(error: BaseException, *_: object) -> str:
        failed.append(error)
        return "(kept)"

    out, err = io.BytesIO(), io.BytesIO()
    stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    stderr = io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace", write_through=True)
    status, find = -1, None
    with (
        redirect_stdout(stdout),
        redirect_stderr(stderr),
        mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO())),
        mock.patch("ndpir.cli.reproducer.write_reproducer", keep),
        mock.patch("interp.numerics.memory_bytes", return_value=ARRAYS),
        mock.patch("interp.numerics.weights.memory_bytes", return_value=ARRAYS),
        mock.patch("ndpir.registry.plugins.installed", return_value=()),  # the search takes longer than most cases
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("error", category=RuntimeWarning, module=r"(ndpir|lowering|interp|dialects)\b")
        try:
            with time_limit():
                status = TOOLS[tool](arguments)
        except BaseException as error:
            find = _of_exception("exception", error)
    if find is None and failed:
        find = _of_exception(f"status {status}", failed[-1])
    errors = err.getvalue().decode("utf-8", "replace")
    if find is None and status not in (0, 1, 2):
        find = Find(f"status {status}", f"status {status}", errors)
    return Run(status, out.getvalue().decode("utf-8", "replace"), errors, find)


@contextmanager
def time_limit() -> Generator[None]:
    """A context that raises Hang after `SECONDS` of processor time, or after `WALL_SECONDS`."""

    def stop(number: int, frame: object) -> None:
        raise Hang

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, SECONDS), (signal.SIGALRM, signal.ITIMER_REAL, WALL_SECONDS))
    before = [signal.signal(number, stop) for number, _, _ in timers]
    for _, timer, seconds in timers:
        signal.setitimer(timer, seconds, 5)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def _of_exception(what: str, error: BaseException) -> Find:
    kind = type(error).__name__
    if isinstance(error, Hang):
        return Find("hang", f"hang {_frames(error, 1)}", f"no end after {SECONDS} s\n{_trace(error)}")
    return Find("warning" if isinstance(error, Warning) else what, f"{kind} {_frames(error, 1)}", _trace(error))


def _frames(error: BaseException, most: int) -> str:
    """The names of the `most` innermost functions of ndpir in an error's traceback; of other code if the traceback has
    no function of ndpir."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [
        f
        for f in frames
        if f.filename.startswith(str(ROOT)) and "/tests/" not in f.filename and "/.venv/" not in f.filename
    ]
    return " ".join(f"{Path(f.filename).stem}.{f.name}" for f in (ours or frames)[-most:])


def _trace(error: BaseException) -> str:
    text = "".join(traceback.format_exception(error, limit=-12))
    return text if len(text) < 6000 else f"{text[:3000]}\n…\n{text[-3000:]}"


def _wrong_text(case: Case, run: Run) -> Find | None:
    """The failure of a run whose error message is not of the required form; None if the message is correct."""
    found = DIAGNOSTIC.search(run.err)
    if run.status == 0:
        return None
    if found is None:
        return Find("no sentence", f"status {run.status} without an error", run.err)
    message = run.message or ""
    if not message.strip(" ."):
        return Find("no sentence", "an empty message", run.err)
    line = run.err[found.start() :].partition("\n")[0]
    is_text = case.file.endswith((".mlir", ".sheet", ".trace", ".pim", ".calibration"))
    if run.status == 1 and is_text and found["place"] in TOOLS:
        return Find("no place", f"no place: {shape_of(message)}", line)
    return None


def shape_of(message: str) -> str:
    """A message without its quoted parts; equal for errors of one kind."""
    return re.sub(r"`[^`]*`|[%@!#][\w.\-]+|\"[^\"]*\"|-?\d[\w.]*", "_", message)[:120]


def _wrong_numbers(run: Run) -> Find | None:
    found = CHANGED.search(run.err)
    return Find("numbers", f"numbers {found[1]}", run.err) if found and found[1] != "narrow" else None


def _hidden_defect(run: Run) -> Find | None:
    """The failure of a run that reports an internal error as the result of a point of a sweep."""
    found = re.search(r"defect of ndpir, (\w+): [^\n]*", run.out + run.err)
    return Find("defect", f"defect {found[1]}", found[0]) if found else None


DATA = frozenset(("--csv", "onnx"))
"""Words with which a command writes data to stdout, as they are."""


def _raw_text(case: Case, run: Run) -> Find | None:
    """The failure of a run whose text has control sequences or other hidden characters of its input."""
    texts = (
        [run.err]
        if DATA.intersection(case.words) or case.words[:2] == ("ndp-sweep", "input.toml")
        else [run.err, run.out]
    )
    wrong = [line for text in texts for line in text.split("\n") if printable_lines(line) != line]
    return Find("raw text", "hidden characters", ascii(wrong[0])[:300]) if wrong else None


def _changed_text(case: Case, run: Run) -> Find | None:
    """The failure of a run whose printed program, or the generic form of this program, is parsed as a different
    program; None if there is no difference."""
    arguments = case.words[1:]
    if case.words[0] != "ndp-opt" or run.status != 0 or not case.file.endswith(".mlir"):
        return None
    if any(word.startswith(tuple(TEXT_FLAGS)) or word.startswith(("--s", "--list")) for word in arguments):
        return None
    if OTHER_FORMS.intersection(arguments):
        return None
    try:
        with time_limit(), warnings.catch_warnings():
            warnings.filterwarnings("error", category=RuntimeWarning, module=r"(ndpir|lowering|interp|dialects)\b")
            again = ndpir.parse(run.out, "printed.mlir")
            if (text := ndpir.write(again)) != run.out:
                return Find("round trip", "round trip: printed text changes", _difference(run.out, text))
            generic = generic_text(again)
            if (text := ndpir.write(ndpir.parse(generic, "generic.mlir"))) != run.out:
                return Find("round trip", "round trip: generic form differs", _difference(run.out, text))
    except ndpir.InputError as error:
        message = getattr(error, "message", str(error))
        return Find("round trip", f"round trip: refused: {shape_of(message)}", f"{error}\n{run.out[:2000]}")
    except (Exception, Hang) as error:
        return _of_exception("round trip", error)
    return None


def generic_text(module: ModuleOp) -> str:
    """A program in the generic form."""
    output = io.StringIO()
    Printer(output, print_generic_format=True).print_op(module)
    return output.getvalue()


def _difference(one: str, other: str) -> str:
    for a, b in zip(one.splitlines(), other.splitlines(), strict=False):
        if a != b:
            return f"{a}\n{b}"
    return f"{len(one)} characters became {len(other)}"


def _memory() -> int:
    """The bytes of address space that this process uses."""
    if sys.platform != "linux":
        return 8 << 30
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
