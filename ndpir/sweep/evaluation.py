"""Compiles and times single points of a sweep, and shares between them what does not depend on what changes.

- The model is read once for each choice of sizes.
- Passes before the first one that needs a machine run once for each program: they can't see the machine. Of
  `reduce-precision`, which asks for the PIM's element type alone, the result is shared between machines with PIMs of
  the same type.
- The time of the primary device alone is computed once for each primary device and element type.
- Costs are kept by data sheet for the whole process: those of an op for each device (interp/cost/clock.py), and those
  of a bank program for each PIM.

From the first pass that needs the machine on, each variant is compiled by itself; so its figures equal those of a
single run to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from time import perf_counter
from typing import TypeAlias, TypeVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

import ndpir
from dialects.diagnostics import InputError, notes_to
from dialects.hw import DeviceOp
from interp.cost.clock import Clock
from interp.machine.composition import Machine
from interp.program.entry import functions
from lowering.banks.templates import clock_for
from lowering.graph.precision import AUTO, KEEP, ReducePrecisionPass, pim_type
from lowering.placement.baseline import Baseline, write_baseline
from lowering.placement.primary_alone import is_graph_level, primary_alone, shared
from ndpir.answers.run import Run
from ndpir.answers.summary import summary_answer
from ndpir.cli.arguments import UsageError
from ndpir.cli.machines import attach_machine, is_compared, machine_of, needs_machine
from ndpir.cli.report import reports_of
from ndpir.cli.settings import apply, apply_profiles, settings_of
from ndpir.cli.steps import passes_of, with_types_kept
from ndpir.cli.verify import errors_without_program, verify
from ndpir.sweep.columns import Figure, row_of
from ndpir.sweep.request import Request, Variant, key_of, variant_of
from ndpir.sweep.sampling import Point

T = TypeVar("T")
Sizes: TypeAlias = tuple[tuple[str, int], ...]
Shapes: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]

_registry, _context = ndpir._registry, ndpir._context  # pyright: ignore[reportPrivateUsage]


@dataclass(frozen=True)
class Outcome:
    """The result of one point."""

    key: str
    figures: dict[str, Figure]
    """Empty if the point failed."""
    error: str
    """The error in one line; empty if there is none."""
    seconds: float
    """The time that the evaluation took, in s of wall-clock time."""
    is_final: bool = True
    """False for an error of the computer (a lost process), after which the point is worth another try."""


@dataclass
class Evaluator:
    """The state that the points of a request share in one process."""

    request: Request
    _steps: dict[Hashable, tuple[ModulePass, ...]] = field(default_factory=dict[Hashable, "tuple[ModulePass, ...]"])
    _programs: dict[Hashable, ModuleOp] = field(default_factory=dict[Hashable, ModuleOp])
    _stages: dict[Hashable, ModuleOp] = field(default_factory=dict[Hashable, ModuleOp])
    _baselines: dict[Hashable, Mapping[str, Baseline]] = field(default_factory=dict[Hashable, "Mapping[str, Baseline]"])

    def __post_init__(self) -> None:
        _registry().discover()
        for folder in self.request.sheets:
            from ndpir.registry.plugins import load_sheets

            load_sheets(folder)
        for path in self.request.plugins:
            ndpir.load_plugin(path)

    def outcome(self, point: Point) -> Outcome:
        """The result of a point; errors in the input, and defects, are part of it."""
        start = perf_counter()
        key = ""
        try:
            variant = variant_of(self.request, point)
            key = key_of(self.request, variant)
            with _TURN, notes_to(_silent), errors_without_program():
                figures = self.figures(variant)
            return Outcome(key, figures, "", perf_counter() - start)
        except Exception as error:
            return Outcome(key, {}, in_words(error), perf_counter() - start)

    def figures(self, variant: Variant) -> dict[str, Figure]:
        """The figures of a variant. Raises the errors of a single run."""
        if self.request.effort != 1.0:
            from interp.program.effort import EFFORT

            EFFORT.set(self.request.effort)
        return row_of(summary_answer(Run(self.compiled(variant)), depends=False))

    def compiled(self, variant: Variant) -> ModuleOp:
        """The program of a variant after all passes."""
        steps = self._passes(variant.passes)
        sizes = (variant.dims, variant.shapes)
        program = self._program(*sizes)
        hardware = _hardware(program, variant, steps, self.request.profiles)
        machine = Machine.of(hardware) if hardware.ops.first else None
        known = _settled(steps, machine)
        count = next((n for n, step in enumerate(known) if not _ignores_machine(step)), len(known))
        module = self._stage(sizes, program, known[:count]).clone()
        _insert(module, [op.clone() for op in hardware.ops])
        if machine is not None and any(map(is_compared, steps)):
            self._note_baselines(module, sizes, machine, steps)
        for step in known[count:]:
            step.apply(_context(), module)
        return module

    def _passes(self, text: str) -> tuple[ModulePass, ...]:
        def made() -> tuple[ModulePass, ...]:
            steps = passes_of(text, _registry(), "passes")
            return tuple(with_types_kept(steps) if self.request.keep_types else steps)

        return _remembered(self._steps, text, made)

    def _program(self, dims: Sizes, shapes: Shapes) -> ModuleOp:
        """The program as read and verified, for some sizes."""
        path = self.request.model
        return _remembered(
            self._programs, (dims, shapes), lambda: ndpir.read(path, dims=dict(dims), shapes=dict(shapes))
        )

    def _stage(self, sizes: Hashable, program: ModuleOp, steps: Sequence[ModulePass]) -> ModuleOp:
        """The program after passes that do not depend on the machine, without `hw` ops."""

        def made() -> ModuleOp:
            module = program.clone()
            for op in machine_of(module):
                op.detach()
                op.erase()
            for step in steps:
                step.apply(_context(), module)
                verify(module)
            return module

        return _remembered(self._stages, (sizes, tuple(steps)), made)

    def _note_baselines(
        self, module: ModuleOp, sizes: tuple[Sizes, Shapes], machine: Machine, steps: Sequence[ModulePass]
    ) -> None:
        """Note on each function its time on the primary device alone, computed once for all machines with the same
        primary device, element type and idle power of the other devices."""
        keep = self.request.keep_types
        whole = machine.unpartitioned
        clock = Clock(whole)
        others = tuple((name, each.idle_w, clock.board_idle_w(name)) for name, each in whole.devices.items())
        key = (sizes, tuple(steps), whole.devices[whole.primary], str(pim_type(machine)[0]), others)

        def made() -> Mapping[str, Baseline]:
            program = self._program(*sizes).clone()
            for op in machine_of(program):
                op.detach()
                op.erase()
            ops = [op.clone() for op in machine_of(module)]
            _insert(program, ops)
            done = shared(program, steps, keep)
            stage = self._stage(sizes, self._program(*sizes), _settled(done, machine)).clone()
            _insert(stage, [op.clone() for op in ops])
            try:
                return primary_alone(stage, clock_for(stage), keep, done)
            except InputError:
                return {}

        found = _remembered(self._baselines, key, made)
        clock = Clock(machine)
        for function in functions(module):
            if is_graph_level(function) and (baseline := found.get(function.sym_name.data)) is not None:
                write_baseline(function, clock, baseline)


def _hardware(program: ModuleOp, variant: Variant, steps: Sequence[ModulePass], profiles: Sequence[str]) -> ModuleOp:
    """The `hw` ops of a variant, with its settings and profiles. Raises InputError."""
    hardware = ModuleOp([op.clone() for op in machine_of(program)])
    attach_machine(hardware, variant.machine, next((step.name for step in steps if needs_machine(step)), "a sweep"))
    names = {op.sym_name.data for op in hardware.ops if isinstance(op, DeviceOp)}
    for op in program.ops:
        name = op.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr) and name.data in names and op not in machine_of(program):
            raise InputError(
                f"@{name.data} is the name of both a device of the machine and a function or kernel of the program; "
                "rename one of the two",
                op,
            )
    if variant.settings:
        apply(hardware, settings_of(variant.settings))
    if profiles:
        apply_profiles(hardware, profiles)
    return hardware


def _insert(module: ModuleOp, ops: Sequence[Operation]) -> None:
    """Insert `hw` ops before a program's ops."""
    first = module.body.block.first_op
    if first is None:
        module.body.block.add_ops(ops)
    else:
        module.body.block.insert_ops_before(ops, first)


def _settled(steps: Sequence[ModulePass], machine: Machine | None) -> tuple[ModulePass, ...]:
    """The passes, with the element type that `reduce-precision` would take from the machine."""
    element = None if machine is None else pim_type(machine)[0]
    to = KEEP if element is None else str(element)
    return tuple(
        replace(step, to=to) if isinstance(step, ReducePrecisionPass) and step.to == AUTO else step for step in steps
    )


def _ignores_machine(step: ModulePass) -> bool:
    """True if a pass gives the same program for all machines. A plugin's pass may read `hw` ops without saying so."""
    return type(step).__module__.startswith("lowering.") and not needs_machine(step)


def _remembered(known: dict[Hashable, T], key: Hashable, made: Callable[[], T]) -> T:
    """The entry of a key, made if there is none; the entry that was not used for longest makes room."""
    if key in known:
        known[key] = known.pop(key)
    else:
        known[key] = made()
        if len(known) > REMEMBERED:
            del known[next(iter(known))]
    return known[key]


REMEMBERED = 32
"""The number of programs, stages and baselines that a process keeps."""


def in_words(error: BaseException) -> str:
    """An error in one line, with its place."""
    if isinstance(error, UsageError):
        return str(error)
    reports = reports_of(error)
    if reports:
        first = reports[0]
        return in_one_line(f"{first.place}: {first.message}" if first.place else first.message)
    return in_one_line(f"defect of ndpir, {type(error).__name__}: {error} (run this point alone with ndp-opt)")


def in_one_line(text: str) -> str:
    """The text with line breaks replaced by spaces."""
    return " ".join(text.split())


def _silent(message: str, place: str | None) -> None:
    """Ignore a note: a sweep would repeat it for each point."""


_TURN = Lock()
"""Evaluations take turns within a process: caches and notes belong to the process."""
