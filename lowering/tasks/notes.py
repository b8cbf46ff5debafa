"""Notes of `place` on a problem before it is solved: marks without effect, devices that can run no op, ops that a PIM
can't run, and rows of profiles that match no op."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp

from dialects.diagnostics import note
from dialects.element_types import element_type_named, is_float
from dialects.graph import FusedOp, GraphOp, tensor_of
from interp.kinds.clock import Clock
from interp.simulate.schedule.coverage import note_unmatched_rows
from interp.walk.entry import block_of, is_graph_op
from interp.walk.views import is_reshape
from lowering.graph.allowed_types import ALLOWED
from lowering.graph.marks import marked, marked_arguments
from lowering.graph.precision import TARGETS
from lowering.instance.of_program import PlacementProblem


def note_problem(problem: PlacementProblem, policy: str) -> None:
    """Issue the notes on marks without effect, idle devices, unsupported contractions and unmatched rows of
    profiles."""
    _note_ineffective_marks(problem)
    note_idle_devices(problem)
    _note_unsupported_contractions(problem, policy)
    parts = (part.op for node in problem.nodes for choice in node.choices for part in choice.parts)
    note_unmatched_rows((op for op in parts if is_graph_op(op)), problem.clock, problem.function)


def _note_ineffective_marks(problem: PlacementProblem) -> None:
    """Issue a note for each op whose mark has no effect, since the op is not placed: it runs before the program starts,
    or takes no time as a part of the tasks that read its result."""
    for op in block_of(problem.function).ops:
        if is_graph_op(op) and (op in problem.ahead or is_reshape(op)) and (device := marked(op)) is not None:
            why = (
                "the op reads only weights and constants, so it runs before the program starts, and its result is kept "
                "on each device that reads it"
                if op in problem.ahead
                else "the op takes no time, as a part of the tasks that read its result"
            )
            note(f"{op.name}: the mark for @{device} has no effect: {why}; mark the ops that read it", op)


def note_marks_without_placement(function: FuncOp, clock: Clock) -> None:
    """Issue a note if a function that is timed without placement, on the primary device alone, has marks."""
    primary = clock.machine.primary
    for op in function.walk():
        if is_graph_op(op) and marked(op) not in (None, primary):
            note(f"{op.name}: {_NOT_PLACED.format(primary)}", op)
            return
    if any(device != primary for device in marked_arguments(function).values()):
        note(f"@{function.sym_name.data}: {_NOT_PLACED.format(primary)}", function)


_NOT_PLACED = "the program is not placed, so that all of it runs on @{} and marks have no effect; place it (-p place)"


def note_idle_devices(problem: PlacementProblem) -> None:
    """Issue a note for each device that can run no op of the program, with the reason: no link reaches it, or it
    computes in an element type to which no pass may convert."""
    elements = {
        str(tensor_of(op.operands[0]).element_type)
        for node in problem.nodes
        for op in (node.op.ops if isinstance(node.op, FusedOp) else (node.op,))
        if isinstance(op, GraphOp) and op.work().macs
    }
    for name, record in problem.clock.machine.devices.items():
        if any(node.on(name) for node in problem.nodes if not node.view):
            continue
        if name in problem.unreached:
            note(
                f"no link joins @{problem.primary} and @{name} ({record.name}), so no op is placed there; declare one "
                f'(hw.link @{problem.primary} to @{name} = "SHEET")',
                problem.function,
            )
        elif (element := record.contracts_in) and elements and element not in elements:
            if any(types.element == element for types in ALLOWED.get()):
                continue  # a conversion was possible, and was not chosen
            converts = element in TARGETS and any(is_float(element_type_named(each)) for each in elements)
            way_out = "; run reduce-precision first (-p reduce-precision,place)" if converts else ""
            note(
                f"@{name} ({record.name}) computes in {element}, and @{problem.function.sym_name.data} in "
                f"{' and '.join(sorted(elements))}: no op is placed there{way_out}",
                problem.function,
            )


def _note_unsupported_contractions(problem: PlacementProblem, policy: str) -> None:
    """For each device that is no processor, issue a note for each op class of which it can't run some contraction: at
    the first such op, with the reason. Under the policy `pim-first` this is done for each of these devices, under
    other policies only for devices that can run no op of the program."""
    for name, record in problem.clock.machine.devices.items():
        idle = not any(node.on(name) for node in problem.nodes if not node.view)
        if record.runs_all or record.runs_nothing or name in problem.unreached or not (idle or policy == "pim-first"):
            continue
        refused: dict[str, list[tuple[GraphOp, str]]] = {}
        for op in _contractions(problem, name):
            element = str(tensor_of(op.operands[0]).element_type)
            if record.contracts_in in ("", element) and (why := problem.clock.why_not(op, name)):
                refused.setdefault(op.name, []).append((op, why))
        for kind, ((op, why), *more) in refused.items():
            others = f" (and {len(more)} more {kind})" if more else ""
            note(f"@{name} ({record.name}) can't run {why}{others}", op)


def _contractions(problem: PlacementProblem, device: str) -> Iterator[GraphOp]:
    """Contractions without a choice on a device."""
    for node in problem.nodes:
        if not node.on(device):
            for op in node.op.ops if isinstance(node.op, FusedOp) else (node.op,):
                if isinstance(op, GraphOp) and op.work().macs:
                    yield op
