"""The pass `choose-form`: decides in which element types a program computes, and where attention is one kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import ClassVar, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dialects.diagnostics import InputError, note, notes_to, working
from dialects.graph import ExpOp, SoftmaxOp
from interp.figures import time
from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.machine.memory_system import MemorySystem
from interp.walk.entry import functions
from interp.walk.unchanged import lasting, unchanged
from lowering.alone.forms import Form, apart, converted, forms
from lowering.alone.moved import ns_with_moves
from lowering.banks.templates import PimTemplates, clock_for
from lowering.graph.allowed_types import OWN, Types, automatic
from lowering.graph.fuse import report_attention
from lowering.graph.precision import AUTO, KEEP, TARGETS, other_types, rounding
from lowering.graph.rewriting import rewriter_at
from lowering.graph.state import states_in_other_types
from lowering.instance.choice import Placement
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import reordered
from lowering.instance.straight import has_loops, subproblems_of
from lowering.optimise.quick.heuristics import gpu, quick
from lowering.partition.search.decided import given_form, note_form
from lowering.tasks.short import has_few_ops, is_short
from lowering.words import check_options, one_of

DEVICES: dict[str, Callable[[Problem], Placement]] = {"all": quick, "primary": gpu}
"""The placement by which forms are compared, by the option `devices`."""


class Predicted(NamedTuple):
    """The prediction for a form: True if it does not fit memory, and the makespan in ns of its placement in the best
    known order, summed over the functions; infinite if no device can run some op."""

    lacks: bool
    ns: float


@dataclass(frozen=True)
class ChooseFormPass(ModulePass):
    """Converts element types, fuses ops and lays values out, in the form of the program that ends first.

    A form is a combination of element types (those of the program; those of the machine's PIM, for all ops or only for
    products by weights: `reduce-precision`) and of attention as it is written or as one kernel (`fuse{attention=true}`;
    in training for the forward pass alone, too). Each form is fused (`fuse`), laid out (`layout`) and placed by rules
    and local search; the form whose makespan is the shortest is kept, unplaced; of forms with equal makespans, one with
    attention as one kernel, since then the program states what it is. So neither casts to the PIM's type nor
    a choice of kernels makes a program slower than it is on the primary device alone. A form that fits the devices'
    memories is preferred to one that does not. If none fits, and further memory is behind the primary device, forms are
    compared by their times on this device with planned moves (`prefetch`); if the program has few ops, also the form
    with a kernel for each op. Ops that a user has grouped or marked stay so.

    `types`: `auto`, or `keep` for the program's own element types. `devices`: `all`, or `primary` to find the form for
    the primary device alone. The decision is reported as a note; `--check` measures the results.

    Before:
    ```mlir
    hw.device @gpu = "a100"
    hw.device @pim = "newton"
    hw.link @gpu to @pim = "on_board"
    func.func @main(%x: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
      %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<4096x4096xf32>
      %y = graph.matmul %x, %w : tensor<1x4096xf32>, tensor<4096x4096xf32>
      func.return %y : tensor<1x4096xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
      %x_1 = graph.cast %x : tensor<1x4096xf32> -> tensor<1x4096xf16>
      %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<4096x4096xf16>
      %y = graph.fused (%a = %x_1, %b = %w) {
        %y_1 = graph.matmul %a, %b : tensor<1x4096xf16>, tensor<4096x4096xf16>
        %y_2 = graph.cast %y_1 : tensor<1x4096xf16> -> tensor<1x4096xf32>
        graph.yield %y_2
      }
      func.return %y : tensor<1x4096xf32>
    }
    ```
    """

    name = "choose-form"
    NEEDS_MACHINE: ClassVar[bool] = True
    COMPARED: ClassVar[bool] = True
    types: str = one_of(lambda: (AUTO, KEEP), default=AUTO)
    devices: str = one_of(lambda: DEVICES, default="all")

    def __post_init__(self) -> None:
        check_options(self)

    def restricted(self, without: tuple[str, ...]) -> ChooseFormPass:
        """The pass for a plan that does without something, as `place{without=…}` names it."""
        return replace(self, devices="primary") if "devices" in without else self

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        clock = clock_for(op)
        types = (OWN, *(automatic(clock.machine) if self.types == AUTO else ()))
        found = forms(op, types, *(Clock(machine, clock.programs) for machine in _machines(clock)))
        system = MemorySystem.of(clock.machine)
        behind = system is not None
        if (named := given_form()) is not None:
            self._install(next(form for form in found if str(form) == named), op, found)
            return
        if len(found) == 1 and (system is None or (system.dedicated is None and not _is_short(op, clock))):
            note_form(str(found[0]))
            self._install(found[0], op, found)
            return
        figures: list[Predicted] = []
        for form in found:
            working(f"placing the program in form `{form}`")
            with notes_to(lambda message, place: None):
                figures.append(self._planned(form, clock))
        short = behind and any(each.lacks for each in figures)
        if short:
            found, figures = self._with_moves(op, types, found, figures, clock)
        best = min(range(len(found)), key=lambda number: (_rank(figures[number]), not found[number].fuses, number))
        if (
            len(found) > 1 and figures[best].ns < inf
        ):  # otherwise no device can run some op, which the placement reports
            self._report(op, found, [each.ns for each in figures], best)
        note_form(None if short else str(found[best]))
        self._install(found[best], op, found)

    def _with_moves(
        self,
        module: ModuleOp,
        types: Sequence[Types],
        found: Sequence[Form],
        figures: Sequence[Predicted],
        clock: Clock,
    ) -> tuple[list[Form], list[Predicted]]:
        """The forms that fit the memories; and those of all other forms, and of forms with a kernel for each op, each
        of which ends earlier than those before it with planned moves between memories on the primary device alone. If
        none can run, all in `found`."""
        fastest = sorted(zip(found, figures, strict=True), key=lambda each: each[1].ns)
        kept = [each for each in fastest if not each[1].lacks]
        least = min((each.ns for _, each in kept), default=inf)
        short = [form for form, each in fastest if each.lacks and each.ns < least]
        few = all(map(has_few_ops, functions(module)))
        with notes_to(lambda message, place: None):
            for form in (*short, *(apart(module, types) if few else ())):
                ns = ns_with_moves(form, clock, least)
                if ns < least:
                    kept.append((form, Predicted(False, ns)))
                    least = ns
        if not kept:
            return list(found), [Predicted(True, inf)] * len(found)
        return [form for form, _ in kept], [each for _, each in kept]

    def _planned(self, form: Form, clock: Clock) -> Predicted:
        """The prediction for a form. If devices take memory channels of a processor, the form may be placed without
        them."""
        templates = PimTemplates.of(form.module)
        clocks = [Clock(machine, templates) for machine in _machines(clock)]
        return min(_predicted(form, each, DEVICES[self.devices]) for each in clocks)

    def _report(self, module: ModuleOp, found: list[Form], ns: list[float], best: int) -> None:
        """A note on the chosen form, the predicted times of all forms, and the accuracy of a conversion."""
        chosen = found[best]
        times = [time(one) if one < inf else "can't run" for one in ns]
        each = ", ".join(f"{form} {one}" for form, one in zip(found, times, strict=True))
        for function in functions(module):
            text = f"@{function.sym_name.data} is compiled in form `{chosen}`, predicted to end first ({each})"
            if chosen.types.element:
                element = TARGETS[chosen.types.element]
                if wide := other_types(function, element):
                    text += f"; {rounding(function, wide, element)}"
                made = next(each for each in functions(chosen.module) if each.sym_name == function.sym_name)
                if count := states_in_other_types(function, made):
                    text += f"; {count} of its states rest in {element}"
                text += "; --check measures the results, --keep-types forbids conversions"
            note(text, function)

    def _install(self, form: Form, module: ModuleOp, found: Sequence[Form]) -> None:
        """Replace the functions of a program by those of a form. Notes say which attentions no form has as one
        kernel."""
        if not _all_fused([each for each in found if each.types == form.types]):
            if not form.remarks:
                form.remarks.append(_heard(lambda: report_attention(converted(module, form.types) or module)))
            for message, place in form.remarks[0]:
                note(message, place)
        made = {function.sym_name.data: function for function in functions(form.module)}
        for function in list(functions(module)):
            rewriter = rewriter_at(function)
            new = made[function.sym_name.data].clone()
            new.attributes = function.attributes  # the form may have been built for another machine
            new.arg_attrs = function.arg_attrs  # or without marks
            rewriter.insert(new)
            rewriter.erase(function)


def _heard(report: Callable[[], None]) -> list[tuple[str, str | None]]:
    """The notes that a function emits, each with its place."""
    found: list[tuple[str, str | None]] = []
    with notes_to(lambda message, place: found.append((message, place))):
        report()
    return found


def _is_short(module: ModuleOp, clock: Clock) -> bool:
    """True if a function exceeds the primary device's memory if all of it runs there."""
    return any(is_short(function, clock) for function in functions(module))


def _rank(predicted: Predicted) -> tuple[bool, float]:
    """A prediction by which forms are compared, in which times of the same kernels in another order are equal."""
    return predicted.lacks, round(predicted.ns, 3)


def _all_fused(found: Sequence[Form]) -> bool:
    """True if one of some forms of a program has no softmax outside of an attention."""
    return any(
        form.attention != "as written" and not any(isinstance(op, SoftmaxOp | ExpOp) for op in form.module.walk())
        for form in found
    )


def _machines(clock: Clock) -> list[Machine]:
    """The machine of a clock, and, if devices take memory channels of a processor, the machine without them."""
    guests = clock.machine.guests
    return [clock.machine, *([clock.machine.without(guests)] if guests else [])]


def _predicted(form: Form, clock: Clock, place: Callable[[Problem], Placement]) -> Predicted:
    """The prediction for a form that is placed by `place`."""
    lacks, ns = False, 0.0
    with unchanged(), lasting(form.facts):
        for function in functions(form.module):
            for subproblem, iterations in subproblems_of(function.clone() if has_loops(function) else function):
                try:
                    problem = PlacementProblem(subproblem, clock)
                except InputError:  # no device can run some op
                    return Predicted(True, inf)
                placement = place(problem)
                if not problem.fits(placement):
                    lacks = True
                    if problem.look_behind():
                        placement = place(problem)
                ordered = problem.makespan(placement) if place is gpu else reordered(problem, Schedule(placement)).ns
                ns += ordered * iterations
                problem.drop()
    return Predicted(lacks, ns)
