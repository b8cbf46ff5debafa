"""Compiles and times single points of a sweep, and reuses results that several points have in common.

- The model is read once for each choice of sizes.
- Leading passes that read nothing, or the same data, from the machine run once, and the primary device alone is timed
  once for each primary device and element type (ndpir/compiler/compilation.py).
- Costs are kept for the whole process: those of an op for each processor's data sheet (interp/kinds/clock.py), bank
  programs for all timings of a device, and the times of bank programs for each timing
  (lowering/banks/products/search.py).
- Facts of a program's forms (lowering/alone/forms.py), and the shards of layers that PIMFlow's plan may split
  (lowering/partition/pimflow/twins.py), are kept, since they depend on no machine.

From the first pass on that depends on the machine, each variant is compiled separately; its figures therefore equal
those of a single run to the last digit.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import pairwise
from threading import Lock
from time import perf_counter
from typing import cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.dependencies import Dependencies, Kept, digest, hear_all_opens, recording
from dialects.diagnostics import InputError, notes_to
from dialects.files import discarding, grant
from ndpir.compiler import compilation
from ndpir.compiler.compilation import Variants
from ndpir.compiler.steps import needs_machine
from ndpir.diagnostics.printed import diagnostics_of
from ndpir.diagnostics.usage import UsageError
from ndpir.diagnostics.verify import errors_without_program
from ndpir.frontends.machines import DEFAULT, machine_of
from ndpir.reports.columns import Figure, row_of
from ndpir.reports.run import Run
from ndpir.reports.summary import summary_answer
from ndpir.sweep.code import note_code
from ndpir.sweep.request import Request, Variant, question_of, variant_of
from ndpir.sweep.sampling import Point
from ndpir.sweep.structures import Structure, Table, structures_of
from ndpir.sweep.together.batch import FEWEST, Apart, in_batch
from ndpir.sweep.together.planned import FEWEST as FEWEST_PLANNED
from ndpir.sweep.together.planned import Planned, plans_together

_registry, _context = ndpir._registry, ndpir._context  # pyright: ignore[reportPrivateUsage]


@dataclass(frozen=True)
class Outcome:
    """The result of one point."""

    question: str
    """The digest of what the request states about the point (`question_of`); empty if the point is invalid."""
    figures: dict[str, Figure]
    """The figures of the point by column; empty if the point failed."""
    error: str
    """The error on one line; empty if the point did not fail."""
    seconds: float
    """The time that the evaluation took, in s of wall-clock time."""
    is_final: bool = True
    """True unless the computer caused the error (a lost process, too little memory, a full disk), or a plugin changes
    files that it reads; the point is then computed again."""
    found: Mapping[str, str] = field(default_factory=dict[str, str])
    """The record of all that the result depends on, besides the question: names and states of files, and the code
    (dialects/dependencies.py)."""

    @cached_property
    def key(self) -> str:
        """The key of the result: results with equal keys are equal."""
        return key_of(self.question, self.found)


def key_of(question: str, found: Mapping[str, str]) -> str:
    """The key of the result for a question, with the record of its dependencies."""
    return digest(f"{question}\n{_digest_of(found)}".encode("utf-8", "surrogateescape")) if found else question


def _digest_of(found: Mapping[str, str]) -> str:
    """The digest of a record; that of the latest one is kept, since results of a batch share theirs."""
    if not _latest or _latest[0][0] is not found:
        entries = "\n".join(f"{name}: {state}" for name, state in sorted(found.items()))
        _latest[:] = [(found, digest(entries.encode("utf-8", "surrogateescape")))]
    return _latest[0][1]


_latest: list[tuple[Mapping[str, str], str]] = []


@dataclass
class Evaluator:
    """The compiled programs and other data that the points of a request share in one process."""

    request: Request
    _programs: Kept[tuple[Variants, str | None]] = field(init=False)
    """The program for each choice of sizes, and the machine to use if neither the program nor the point names a
    machine."""
    _loaded: Dependencies = field(init=False)
    """The record of the plugins and folders of sheets of the request."""

    def __post_init__(self) -> None:
        self._programs = Kept(REMEMBERED)
        hear_all_opens()
        with recording() as self._loaded:
            _registry().discover()
            for folder in self.request.sheets:
                from ndpir.registry.plugins import load_sheets

                load_sheets(folder)
            for path in self.request.plugins:
                ndpir.load_plugin(path)
        note_code(self._loaded)

    def outcome(self, point: Point) -> Outcome:
        """The result of a point. Errors in the input and internal errors are not raised; they are part of the
        result."""
        start = perf_counter()
        question, figures, error, settings, is_final = "", dict[str, Figure](), "", (), True
        with _TURN, recording() as record:
            try:
                variant = variant_of(self.request, point)
                question, settings = question_of(self.request, variant), variant.settings
                with notes_to(_silent), errors_without_program(), discarding(_refused):
                    figures = self.figures(variant)
            except Exception as raised:
                error, is_final = in_words(raised, settings), not is_of_computer(raised)
        record.add(self._loaded)
        note_code(record)
        if record.changed:
            error = f"{record.changed} changed while the sweep was running; run the sweep again"
            return Outcome(question, {}, error, perf_counter() - start, False)
        if not is_final or record.rewritten:  # the record has no state of what the plugins changed themselves
            return Outcome(question, figures, error, perf_counter() - start, False)
        return Outcome(question, figures, error, perf_counter() - start, found=record.found)

    def outcomes(self, points: Sequence[Point]) -> Iterator[list[Outcome] | Table]:
        """The results of points, in order, each list or table as soon as it is known. Points of the same program that
        differ only in timing parameters of PIMs are timed together, and are tables (ndpir/sweep/together/); all others
        are evaluated one by one."""
        alone: dict[int, Outcome] = {}

        def outcome(at: int) -> Outcome:
            if at not in alone:
                alone[at] = self.outcome(points[at])
            return alone[at]

        tables: list[Table] = []
        table_of = np.full(len(points), -1)  # the number of each point's table, -1 for none; and its row there
        row_of = np.zeros(len(points), np.int64)
        if len(points) >= FEWEST and may_batch(self.request):
            try:
                for table, places, rows in self._tables(points, outcome):
                    table_of[places], row_of[places] = len(tables), rows
                    tables.append(table)
            except Exception as raised:  # a defect, as a single point may meet it
                asked = [question_of(self.request, variant_of(self.request, point)) for point in points]
                yield [Outcome(question, {}, in_words(raised), 0, False) for question in asked]
                return
        table_of[list(alone)] = -1
        ends = np.flatnonzero((np.diff(table_of) != 0) | (np.diff(row_of) != 1)) + 1
        bounds: list[int] = [0, *ends.tolist(), len(points)] if points else []
        for start, end in pairwise(bounds):
            if (number := int(table_of[start])) < 0:
                for at in range(start, end):
                    yield [outcome(at)]
            else:
                first = int(row_of[start])
                part = tables[number].at(slice(first, first + end - start))
                yield replace(part, texts=part.written())

    def _tables(
        self, points: Sequence[Point], outcome: Callable[[int], Outcome]
    ) -> Iterator[tuple[Table, NDArray[np.intp], NDArray[np.intp]]]:
        """The figures of points that can be timed together, with the positions of these points, and their rows in the
        table. `outcome`: the result of the point at a position, evaluated alone."""
        for structure in structures_of(self.request, points):
            start, places = perf_counter(), structure.places
            if not structure.is_valid:  # the error is part of each point's result
                continue

            def row(at: int, places: Sequence[int] = places) -> Mapping[str, Figure]:
                found = outcome(places[at])
                return found.figures if found.is_final and not found.error else {}

            if stays_whole(structure):
                yield from self._planned(structure, start)
                continue
            with notes_to(_silent):
                found = in_batch(structure, self._compiled_if_fixed, row)
            if found is None or not len(found[0]):
                continue
            table, kept = found
            ends = (outcome(places[0]), outcome(places[-1]))
            record = next(each.found for each in ends if each.is_final and not each.error)
            seconds = (perf_counter() - start) / len(table)
            yield replace(table, seconds=seconds, found=record), np.array(places)[kept], np.arange(len(kept))

    def _planned(
        self, structure: Structure, start: float
    ) -> Iterator[tuple[Table, NDArray[np.intp], NDArray[np.intp]]]:
        """As `_tables`, for points that are planned together."""
        places, records = np.array(structure.places), list[Mapping[str, str]]()
        try:
            with notes_to(_silent):
                tables = list(self.planned_together(structure, records).tables())
        except Apart:
            return
        seconds = (perf_counter() - start) / max(1, sum(len(table) for table, _ in tables))
        for table, lanes in tables:
            yield replace(table, seconds=seconds, found=records[0]), places[lanes], np.arange(len(lanes))

    def planned_together(self, structure: Structure, records: list[Mapping[str, str]] | None = None) -> Planned:
        """The points of a structure, planned together. `records`: to which the records of those points are added that
        are planned alone. Raises Apart."""
        points = structure.points

        def figures(at: int) -> Mapping[str, Figure] | None:
            found = self.outcome(points[at])
            if not found.is_final or found.error:
                return None
            if records is not None:
                records.append(found.found)
            return found.figures

        def compiled(at: int) -> ModuleOp:
            return self._compiled_aside(variant_of(self.request, points[at]))

        return Planned(structure, figures, compiled)

    def _compiled_if_fixed(self, variant: Variant) -> ModuleOp | None:
        """The program of a variant after all passes; None if a pass needs the machine, whose numbers may change it."""
        return None if _needs_machine(variant.passes) else self._compiled_aside(variant)

    def _compiled_aside(self, variant: Variant) -> ModuleOp:
        """The program of a variant after all passes, without a record of what it depends on."""
        with _TURN, recording(), notes_to(_silent), errors_without_program(), discarding(_refused):
            return copy_context().run(self.compiled, variant)

    def figures(self, variant: Variant) -> dict[str, Figure]:
        """The figures of a variant. Raises the same errors as a single run."""
        return copy_context().run(self._figures, variant)  # context variables set for a point end with it

    def _figures(self, variant: Variant) -> dict[str, Figure]:
        grant(self.request.allowed)
        if self.request.effort != 1.0:
            from interp.walk.effort import EFFORT

            EFFORT.set(self.request.effort)
        return row_of(summary_answer(Run(self.compiled(variant)), depends=False))

    def compiled(self, variant: Variant) -> ModuleOp:
        """The program of a variant after all passes."""
        request, path = self.request, self.request.model

        def read() -> tuple[Variants, str | None]:
            program = ndpir.read(path, **variant.sizes.arguments)
            default = None if machine_of(program) else DEFAULT  # as for a summary, which needs a machine
            return Variants(program, _registry(), _context(), False, compilation.COMMAND_LINE), default

        programs, default = self._programs.result(tuple(variant.sizes.flags), read)
        machine = default if variant.machine is None else variant.machine
        wanted = compilation.Request(
            variant.passes,
            machine,
            variant.settings,
            request.profiles,
            keep_types=request.keep_types,
            library=variant.library,
            effort=variant.level,
        )
        return programs.compiled(wanted)


def may_batch(request: Request) -> bool:
    """True if points of a sweep may run the same program: if none of its passes needs the machine."""
    try:
        given = {axis.name: axis.values for axis in request.axes}
        passes = [str(value) for value in given.get("passes", [request.passes])]
        levels = [None if value is None else int(value) for value in given.get("O", [request.level])]
        together = (_plans_together(each, level) for each in passes for level in levels)
        return not request.profiles and (not all(map(_needs_machine, passes)) or any(together))
    except Exception:  # the points say what is wrong with the passes
        return False


def stays_whole(structure: Structure) -> bool:
    """True if the points of a structure are planned together. All of them must then be evaluated by one call of
    `Evaluator.outcomes`, since the plan of a point may depend on which others there are."""
    try:
        variant = structure.variant
        is_long = bool(structure.timings) and len(structure.points) >= FEWEST_PLANNED
        return is_long and not structure.request.profiles and _plans_together(variant.passes, variant.level)
    except Exception:  # each point says what is wrong with it
        return False


def may_divide(structure: Structure) -> bool:
    """True if the points of a structure run the same program, so that any `FEWEST` of them can be timed together."""
    try:
        return len(structure.points) >= FEWEST and not _needs_machine(structure.variant.passes)
    except Exception:  # each point says what is wrong with it
        return False


@cache
def _needs_machine(passes: str) -> bool:
    """True if one of some passes needs the machine, whose numbers may then change the program."""
    compiler = compilation.Compiler(compilation.Request(passes), _registry(), _context())
    return any(map(needs_machine, compiler.steps))


@cache
def _plans_together(passes: str, level: int | None) -> bool:
    """True if the points with these passes can be planned together (ndpir/sweep/together/planned.py)."""
    compiler = compilation.Compiler(compilation.Request(passes, effort=level), _registry(), _context())
    return plans_together(compiler.steps)


REMEMBERED = 16
"""The largest number of programs that a process keeps, one for each choice of sizes."""


_OF_COMPUTER = {
    errno.EAGAIN,
    errno.EDQUOT,
    errno.EIO,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ENOSPC,
    errno.ESTALE,
    errno.ETIMEDOUT,
}
"""The numbers of system errors that say nothing about the input: another run may not meet them."""


def is_of_computer(error: BaseException) -> bool:
    """True if the computer caused an error, by a lack of memory, for instance, and not the input; also if the error was
    raised while such an error was handled, as most are reworded."""
    waiting, seen = [error], set[int]()
    while waiting:
        each = waiting.pop()
        if isinstance(each, MemoryError) or (isinstance(each, OSError) and each.errno in _OF_COMPUTER):
            return True
        seen.add(id(each))
        following = [each.__cause__, each.__context__]
        if isinstance(each, BaseExceptionGroup):
            following += cast("BaseExceptionGroup[BaseException]", each).exceptions
        waiting += [other for other in following if other is not None and id(other) not in seen]
    return False


def in_words(error: BaseException, settings: Sequence[str] = ()) -> str:
    """An error on one line, with its location in the file. `settings`: those of the point, for errors in them."""
    if isinstance(error, UsageError):
        return str(error)
    diagnostics = diagnostics_of(error)
    if diagnostics:
        first = diagnostics[0]
        place = first.place
        if place is not None and (setting := _SETTING.match(place)) is not None and settings:
            place = settings[int(setting[1]) - 1]  # the axis and its value, since the user wrote no flag --set
        if place is not None and place.startswith("--library:"):
            place = "library"
        has_place = place is None or first.message.startswith(f"{place}: ")
        return in_one_line(first.message if has_place else f"{place}: {first.message}")
    return in_one_line(f"defect of ndpir, {type(error).__name__}: {error} (run this point alone with ndp-opt)")


_SETTING = re.compile(r"--set:(\d+):")
"""The place of an error in a setting, with the setting's number."""


def in_one_line(text: str) -> str:
    """The text with line breaks replaced by spaces."""
    return " ".join(text.split())


def _refused(path: str) -> str:
    """Refuse to write a file: each point would write it again, and a sweep may come from someone else."""
    raise InputError(f"the points of a sweep write no files, but a pass writes {path}; remove this option of the pass")


def _silent(message: str, place: str | None) -> None:
    """Ignore a note from a pass: a sweep would repeat the note for each point."""


_TURN = Lock()
"""A lock that is held during an evaluation, so that the threads of a process evaluate one point at a time: caches and
notes belong to the process."""
