"""Plans for element-wise graph ops, single or in fused groups, on the lanes of the arithmetic units at the banks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from xdsl.ir import Attribute, Operation, SSAValue

from dialects.element_types import is_float
from dialects.graph import (
    AddOp,
    CastOp,
    ConcatOp,
    FusedOp,
    GraphOp,
    MulOp,
    ReluOp,
    SubOp,
    shape_of,
    tensor_of,
)
from dialects.locations import located
from dialects.pim import AddColumnsOp, LaneOp, LanesAttr, MulColumnsOp, ReluColumnsOp, SubColumnsOp
from interp.machine.records import Pim
from lowering.banks.lanes.groups import group_kernel, group_mapping
from lowering.banks.lanes.mapping import LaneMapping, LaneStep, LaneWork, lane_kernel, lane_mapping
from lowering.banks.layout import Chain
from lowering.banks.plan import BankPlan, BankProgram, misfit

LANE_COMMANDS: dict[type[Operation], type[LaneOp]] = {
    AddOp: AddColumnsOp,
    SubOp: SubColumnsOp,
    MulOp: MulColumnsOp,
    ReluOp: ReluColumnsOp,
}
"""The bank command for each class of ops; a plugin can add commands for its own classes."""


@dataclass(frozen=True)
class _Operand:
    """A value that the op reads, and the ops of its group that rearrange the value's elements before the first
    computation."""

    value: SSAValue
    moves: tuple[GraphOp, ...] = ()

    def chain(self, op: Operation, source: SSAValue, shape: tuple[int, ...]) -> Chain:
        """The operand, computed from `source` (which replaces `value`) and broadcast to `shape`."""
        chain = Chain(source, (op,))
        for move in self.moves:
            clone = move.clone()
            clone.operands = [chain.value]
            chain.ops.append(located(clone, move))
            chain.value = clone.results[0]
        return chain.broadcast(*shape)


@dataclass(frozen=True)
class _LaneForm:
    """An op as element-wise work on lanes: its operands, all broadcast to `shape`, the steps, and the numbers of the
    values that are results."""

    shape: tuple[int, ...]
    element: str
    operands: tuple[_Operand, ...]
    steps: tuple[LaneStep, ...]
    results: tuple[int, ...]


def is_elementwise(op: Operation) -> bool:
    """True if an op consists of element-wise ops with a bank command and ops that move their operands."""
    parts = op.ops if isinstance(op, FusedOp) else (op,)
    return any(type(part) in LANE_COMMANDS for part in parts) and all(
        type(part) in LANE_COMMANDS or _moves(part) for part in parts
    )


def _moves(op: Operation) -> bool:
    """True if an op has one operand and only moves or repeats its elements, without computing."""
    return isinstance(op, GraphOp) and not isinstance(op, CastOp) and len(op.operands) == 1 and op.work().flops == 0


def _parsed(op: GraphOp | FusedOp) -> _LaneForm | str:
    """The element-wise work of an op, or the reason why lanes can't compute it."""
    parts = op.ops if isinstance(op, FusedOp) else (op,)
    outside: dict[SSAValue, SSAValue] = {}
    if isinstance(op, FusedOp):
        outside |= zip(op.body.block.args, op.inputs, strict=True)
    made: dict[SSAValue, int] = {}
    moved: dict[SSAValue, _Operand] = {}
    operands: dict[_Operand, int] = {}
    steps: list[tuple[type[LaneOp], list[tuple[bool, int]]]] = []
    shapes: set[tuple[int, ...]] = set()
    for part in parts:
        if type(part) not in LANE_COMMANDS:
            value = part.operands[0]
            if value in made:
                return f"{part.name} moves elements between two computations, but banks can't move elements"
            source = moved.get(value) or _Operand(outside.get(value, value))
            assert isinstance(part, GraphOp)
            moved[part.results[0]] = _Operand(source.value, (*source.moves, part))
            continue
        numbers: list[tuple[bool, int]] = []
        for value in part.operands:
            if value in made:
                numbers.append((True, made[value]))
            else:
                operand = moved.get(value) or _Operand(outside.get(value, value))
                numbers.append((False, operands.setdefault(operand, len(operands))))
        shapes.add(shape_of(part.results[0]))
        made[part.results[0]] = len(steps)
        steps.append((LANE_COMMANDS[type(part)], numbers))
    if len(shapes) > 1:
        return "its ops have different shapes, but banks compute lane by lane on tensors of equal shape"
    yielded = op.yielded if isinstance(op, FusedOp) else tuple(op.results)
    if any(value not in made for value in yielded):
        return "it yields a value that it does not compute"
    [shape] = shapes
    element = tensor_of(parts[-1].operands[0] if not yielded else yielded[0]).element_type
    if not is_float(element):
        return f"lanes compute floating-point numbers, not {element}"
    if prod(shape) < 1:
        return "it has no elements to compute"
    first = len(operands)
    return _LaneForm(
        shape,
        str(element),
        tuple(operands),
        tuple(LaneStep(command, tuple(first + at if own else at for own, at in numbers)) for command, numbers in steps),
        tuple(first + made[value] for value in yielded),
    )


@dataclass(frozen=True)
class LanePlan(BankPlan):
    """The plan of element-wise work on a device: its program and its mapping."""

    mapping: LaneMapping

    def lay_inputs(self, op: GraphOp | FusedOp, pim: Pim) -> list[Chain]:
        form, stored = _lane_form(op), self.mapping.work.stored
        return [
            self._lay(operand.chain(op, operand.value, form.shape), pim)
            for operand, is_weight in zip(form.operands, stored, strict=True)
            if not is_weight
        ]

    def weights(self, op: GraphOp | FusedOp) -> tuple[SSAValue, ...]:
        return tuple(operand.value for operand in self._stored(op))

    def layout_key(self, op: GraphOp | FusedOp) -> Hashable:
        moves = (
            tuple((type(move), move.results[0].type, tuple(move.properties.items())) for move in operand.moves)
            for operand in self._stored(op)
        )
        return (_lane_form(op).shape, *moves)

    def lay_weights(
        self, op: GraphOp | FusedOp, weights: Sequence[SSAValue], pim: Pim
    ) -> tuple[list[GraphOp], list[SSAValue]]:
        shape = _lane_form(op).shape
        chains = [operand.chain(op, source, shape) for operand, source in zip(self._stored(op), weights, strict=True)]
        if not chains:
            return [], []
        in_row = (*self.mapping.shape(pim)[:3], self.mapping.width, pim.lanes)
        for chain in chains:
            self._lay(chain, pim).reshape(*in_row)
        ops = [inner for chain in chains for inner in chain.ops]
        if len(chains) == 1:
            return ops, [chains[0].value]
        joined = located(ConcatOp(*(chain.value for chain in chains), axis=3), op)
        return [*ops, joined], [joined.y]

    def lift_results(self, op: GraphOp | FusedOp, outputs: Sequence[SSAValue]) -> list[Chain]:
        count, shape = self.mapping.work.count, _lane_form(op).shape
        chains = [Chain(output, (op,)) for output in outputs]
        return [chain.reshape(prod(chain.shape)).part(0, 0, count).reshape(*shape) for chain in chains]

    def _stored(self, op: GraphOp | FusedOp) -> list[_Operand]:
        stored = self.mapping.work.stored
        return [operand for operand, weight in zip(_lane_form(op).operands, stored, strict=True) if weight]

    def _lay(self, chain: Chain, pim: Pim) -> Chain:
        """The tensor converted to the program's host layout, padded with zeros."""
        shape = self.mapping.shape(pim)
        return chain.reshape(prod(chain.shape)).pad_to(prod(shape)).reshape(*shape)


def _lane_form(op: GraphOp | FusedOp) -> _LaneForm:
    """The element-wise form of an op for which `_parsed` is known to succeed."""
    form = _parsed(op)
    assert isinstance(form, _LaneForm)
    return form


def plan_elementwise(
    op: GraphOp | FusedOp, pim: Pim, is_weight: Callable[[SSAValue], bool], requested: Attribute | None = None
) -> LanePlan | str:
    """The fastest plan of element-wise work on a device, or the reason why no plan is possible. There are two
    candidates: weights are resident in rows, each of which must be opened; or weights are written, like all other
    operands, into a single row that stays open. `requested` selects one of the two."""
    found = plans_elementwise(op, pim, is_weight, requested)
    return found if isinstance(found, str) else found[0]


def plans_elementwise(
    op: GraphOp | FusedOp, pim: Pim, is_weight: Callable[[SSAValue], bool], requested: Attribute | None = None
) -> list[LanePlan] | str:
    """All candidates of `plan_elementwise`, the fastest first, or the reason why there is none."""
    form = _parsed(op)
    if isinstance(form, str):
        return f"{op.name}: {form}"
    if form.element != pim.element:
        return f"{op.name} of {form.element}: {pim.name} computes in {pim.element} (the pass `reduce-precision` rounds)"
    weights = tuple(is_weight(operand.value) for operand in form.operands)
    ways = dict.fromkeys((weights, (False,) * len(weights)) if requested is None else (_way(op, weights, requested),))
    plans = [plan_lanes(_work(form, stored), pim.banks_alone) for stored in ways]
    able = [plan for plan in plans if isinstance(plan, LanePlan)]
    if not able:
        return f"{op.name}: {plans[0]}"
    ranked = sorted(able, key=lambda plan: (plan.time.ns, plan.energy_nj))
    noted = any(weights)
    return [replace(each, note=LanesAttr.of(any(each.mapping.work.stored)) if noted else None) for each in ranked]


def _way(op: Operation, weights: tuple[bool, ...], requested: Attribute) -> tuple[bool, ...]:
    """The operands that are resident in rows according to a requested plan: for each operand, True if it is. Raises
    InputError for an invalid plan."""
    if not isinstance(requested, LanesAttr):
        raise misfit(op, f"is {requested}, but {op.name} is element-wise work; write #pim.lanes<…>")
    if requested.keeps and not any(weights):
        raise misfit(op, f"is {requested}, but {op.name} reads no weights; write #pim.lanes<written>")
    return weights if requested.keeps else (False,) * len(weights)


def _work(form: _LaneForm, stored: tuple[bool, ...]) -> LaneWork:
    return LaneWork(form.element, prod(form.shape), stored, form.steps, form.results)


@lru_cache(maxsize=4096)
def plan_lanes(work: LaneWork, pim: Pim) -> LanePlan | str:
    """The plan of element-wise work on a device, or the reason why no plan is possible."""
    mapping = lane_mapping(work, pim)
    if isinstance(mapping, str):
        groups = group_mapping(work, pim)
        if isinstance(groups, str):
            return mapping
        kernel = group_kernel(groups, pim, f"groups_mul_{work.count}_{work.element}")
        return LanePlan(BankProgram.of(kernel, pim), groups)
    words = "_".join(step.command.COMMAND.verb for step in work.steps[:4])
    weights = "_weighted" if any(work.stored) else ""
    kernel = lane_kernel(mapping, pim, f"{words}{weights}_{work.count}_{work.element}")
    return LanePlan(BankProgram.of(kernel, pim), mapping)
