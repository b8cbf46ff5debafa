"""Compiles and times single points of a sweep, and reuses results that several points have in common.

- The model is read once for each choice of sizes.
- Leading passes that read nothing, or the same data, from the machine run once, and the primary device alone is timed
  once for each primary device and element type (ndpir/compilation.py).
- Costs are kept for the whole process: those of an op for each processor's data sheet (interp/cost/clock.py), bank
  programs for all timings of a device, and the times of bank programs for each timing
  (lowering/banks/products/search.py).

From the first pass on that depends on the machine, each variant is compiled separately; its figures therefore equal
those of a single run to the last digit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import notes_to
from ndpir import compilation
from ndpir.answers.run import Run
from ndpir.answers.summary import summary_answer
from ndpir.cli.arguments import UsageError
from ndpir.cli.machines import DEFAULT, machine_of
from ndpir.cli.report import reports_of
from ndpir.cli.verify import errors_without_program
from ndpir.compilation import Variants
from ndpir.sweep.columns import Figure, row_of
from ndpir.sweep.request import Request, Variant, key_of, variant_of
from ndpir.sweep.sampling import Point

T = TypeVar("T")

_registry, _context = ndpir._registry, ndpir._context  # pyright: ignore[reportPrivateUsage]


@dataclass(frozen=True)
class Outcome:
    """The result of one point."""

    key: str
    figures: dict[str, Figure]
    """The figures of the point by column; empty if the point failed."""
    error: str
    """The error on one line; empty if the point did not fail."""
    seconds: float
    """The time that the evaluation took, in s of wall-clock time."""
    is_final: bool = True
    """True unless the computer caused the error (a lost process); after such an error, the point is computed again."""


@dataclass
class Evaluator:
    """The compiled programs and other data that the points of a request share in one process."""

    request: Request
    _programs: dict[Hashable, tuple[Variants, str | None]] = field(
        default_factory=dict[Hashable, "tuple[Variants, str | None]"]
    )
    """The program for each choice of sizes, and the machine to use if neither the program nor the point names a
    machine."""

    def __post_init__(self) -> None:
        _registry().discover()
        for folder in self.request.sheets:
            from ndpir.registry.plugins import load_sheets

            load_sheets(folder)
        for path in self.request.plugins:
            ndpir.load_plugin(path)

    def outcome(self, point: Point) -> Outcome:
        """The result of a point. Errors in the input and internal errors are not raised; they are part of the
        result."""
        start = perf_counter()
        key, settings = "", ()
        try:
            variant = variant_of(self.request, point)
            key, settings = key_of(self.request, variant), variant.settings
            with _TURN, notes_to(_silent), errors_without_program():
                figures = self.figures(variant)
            return Outcome(key, figures, "", perf_counter() - start)
        except Exception as error:
            return Outcome(key, {}, in_words(error, settings), perf_counter() - start)

    def figures(self, variant: Variant) -> dict[str, Figure]:
        """The figures of a variant. Raises the same errors as a single run."""
        return copy_context().run(self._figures, variant)  # context variables set for a point end with it

    def _figures(self, variant: Variant) -> dict[str, Figure]:
        if self.request.effort != 1.0:
            from interp.program.effort import EFFORT

            EFFORT.set(self.request.effort)
        return row_of(summary_answer(Run(self.compiled(variant)), depends=False))

    def compiled(self, variant: Variant) -> ModuleOp:
        """The program of a variant after all passes."""
        request, path = self.request, self.request.model

        def read() -> tuple[Variants, str | None]:
            program = ndpir.read(path, **variant.sizes.arguments)
            default = None if machine_of(program) else DEFAULT  # as for a summary, which needs a machine
            return Variants(program, _registry(), _context(), False, compilation.COMMAND_LINE), default

        programs, default = _remembered(
            self._programs, (variant.dims, variant.shapes, variant.batch, variant.cache_length), read
        )
        machine = default if variant.machine is None else variant.machine
        wanted = compilation.Request(
            variant.passes, machine, variant.settings, request.profiles, keep_types=request.keep_types
        )
        return programs.compiled(wanted)


def _remembered(known: dict[Hashable, T], key: Hashable, made: Callable[[], T]) -> T:
    """The entry of `key` in `known`, computed by `made` if it is missing. If `known` is full, a new entry replaces the
    least recently used entry."""
    if key in known:
        known[key] = known.pop(key)
    else:
        known[key] = made()
        if len(known) > REMEMBERED:
            del known[next(iter(known))]
    return known[key]


REMEMBERED = 16
"""The largest number of programs that a process keeps, one for each choice of sizes."""


def in_words(error: BaseException, settings: Sequence[str] = ()) -> str:
    """An error on one line, with its location in the file. `settings`: those of the point, for errors in them."""
    if isinstance(error, UsageError):
        return str(error)
    reports = reports_of(error)
    if reports:
        first = reports[0]
        place = first.place
        if place is not None and (setting := _SETTING.match(place)) is not None and settings:
            place = settings[int(setting[1]) - 1]  # the axis and its value, since the user wrote no flag --set
        has_place = place is None or first.message.startswith(f"{place}: ")
        return in_one_line(first.message if has_place else f"{place}: {first.message}")
    return in_one_line(f"defect of ndpir, {type(error).__name__}: {error} (run this point alone with ndp-opt)")


_SETTING = re.compile(r"--set:(\d+):")
"""The place of an error in a setting, with the setting's number."""


def in_one_line(text: str) -> str:
    """The text with line breaks replaced by spaces."""
    return " ".join(text.split())


def _silent(message: str, place: str | None) -> None:
    """Ignore a note from a pass: a sweep would repeat the note for each point."""


_TURN = Lock()
"""A lock that is held during an evaluation, so that the threads of a process evaluate one point at a time: caches and
notes belong to the process."""
