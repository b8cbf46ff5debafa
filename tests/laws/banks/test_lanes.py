"""Element-wise work on banks computes numpy's results, for random sizes and devices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.ir import Block, Operation, Region, SSAValue

from dialects.element_types import dtype_of, element_type_named, tensor_type
from dialects.graph import AddOp, FusedOp, GraphOp, MulOp, ReluOp, SubOp, YieldOp, shape_of, tensor_of
from dialects.pim import COMMANDS
from interp.kinds.pim.values.run import run_kernel
from interp.machine.records import Pim, Refresh, Scope
from interp.numerics import evaluate
from lowering.banks.lanes.plan import LanePlan, plan_elementwise, plan_lanes
from tests.pim_sheets import small_pim, verb_of

Array = NDArray[Any]


@st.composite
def devices(draw: st.DrawFn) -> Pim:
    """Small PIMs that differ in every parameter that affects a program."""
    choices: tuple[tuple[Scope, ...], ...] = (("all",), ("group",), ("bank",), ("all", "bank"))
    verbs = {verb: verb_of(verb, *draw(st.sampled_from(choices))) for verb in COMMANDS}
    controlled = draw(st.booleans())
    if controlled:
        rows = {verb: verb_of(verb, "all", "group", "same", "bank") for verb in ("act", "pre", "refresh")}
        verbs = {verb: form for verb, form in (verbs | rows).items() if verb not in ("preact", "sync", "mode")}
    return small_pim(
        channels=draw(st.integers(1, 5)),
        groups=draw(st.integers(1, 2)),
        banks=draw(st.integers(1, 2)),
        rows=1 << 20,
        columns=draw(st.integers(1, 9)),
        lanes=draw(st.integers(1, 4)),
        element=draw(st.sampled_from(("f32", "f16", "bf16"))),
        reopen=draw(st.booleans()),
        rows_by="controller" if controlled else "program",
        refresh=draw(st.sampled_from((None, Refresh(500, ("read",))))),
        verbs=verbs,
    )


@st.composite
def works(draw: st.DrawFn, element: str) -> FusedOp:
    """A fused group of sums, differences, products and rectifiers on operands that broadcast to one shape."""
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    type_ = element_type_named(element)
    shapes = [shape] + [
        tuple(extent if draw(st.booleans()) else 1 for extent in shape)[draw(st.integers(0, len(shape) - 1)) :]
        for _ in range(draw(st.integers(0, 2)))
    ]
    block = Block(arg_types=[tensor_type(each, type_) for each in shapes])
    values: list[SSAValue] = [block.args[0]]
    for _ in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from((AddOp, SubOp, MulOp, ReluOp)))
        left = draw(st.sampled_from(values))
        op: GraphOp = ReluOp(left) if kind is ReluOp else kind(left, draw(st.sampled_from([*values, *block.args])))
        block.add_op(op)
        values.append(op.results[0])
    made = values[1:]
    results = draw(st.lists(st.sampled_from(made), min_size=1, max_size=2, unique_by=id))
    block.add_op(YieldOp(*results))
    outside = Block(arg_types=[value.type for value in block.args])
    return FusedOp(list(outside.args), Region(block))


def evaluated(ops: list[Any], known: dict[SSAValue, Array]) -> None:
    for op in ops:
        known |= zip(op.results, evaluate(op, [known[operand] for operand in op.operands]), strict=True)


@given(st.data(), devices(), st.integers(0, 7), st.integers(0, 99))
def test_element_wise_work(data: st.DataObject, pim: Pim, weights: int, seed: int) -> None:
    op = data.draw(works(pim.element))
    op.verify()
    asked: list[SSAValue] = []

    def is_weight(value: SSAValue) -> bool:
        asked.append(value)
        return bool(weights >> op.inputs.index(value) & 1)

    plan = plan_elementwise(op, pim, is_weight)
    if isinstance(plan, LanePlan) and data.draw(st.booleans()):  # the other way, which may be slower
        stored = tuple(bool(weights >> op.inputs.index(value) & 1) for value in asked)
        plan = plan_lanes(replace(plan.mapping.work, stored=stored), pim)
    if isinstance(plan, str):
        assert "a row must hold" in plan
        return
    plan.kernel.verify()
    random = np.random.default_rng(seed)
    inputs = [
        random.standard_normal(shape_of(value)).astype(dtype_of(tensor_of(value).element_type)) for value in op.inputs
    ]
    expected = rounded_step_by_step(op, inputs)
    assert isinstance(plan, LanePlan)
    known: dict[SSAValue, Array] = dict(zip(op.inputs, inputs, strict=True))
    taken = plan.lay_inputs(op, pim)
    laid, pieces = plan.lay_weights(op, plan.weights(op), pim)
    evaluated([*(inner for chain in taken for inner in chain.ops), *laid], known)
    operands = [*(known[chain.value] for chain in taken), *(known[piece] for piece in pieces)]
    outputs = run_kernel(plan.kernel, pim, operands)
    starts = Block(arg_types=[tensor_type(array.shape, element_type_named(pim.element)) for array in outputs]).args
    known |= zip(starts, outputs, strict=True)
    for chain, wanted in zip(plan.lift_results(op, starts), expected, strict=True):
        evaluated(list(chain.ops), known)
        np.testing.assert_array_equal(known[chain.value], wanted)


def rounded_step_by_step(op: FusedOp, inputs: list[Array]) -> list[Array]:
    """numpy's results, rounded after each op."""
    known: dict[SSAValue, Array] = dict(zip(op.body.block.args, inputs, strict=True))
    plain: dict[type[Operation], Callable[..., Array]] = {
        AddOp: np.add,
        SubOp: np.subtract,
        MulOp: np.multiply,
        ReluOp: lambda x: np.maximum(x, 0),  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    }
    for inner in op.ops:
        operands = [known[value].astype(np.float32) for value in inner.operands]
        dtype = dtype_of(tensor_of(inner.results[0]).element_type)
        known[inner.results[0]] = plain[type(inner)](*operands).astype(dtype)
    return [known[value] for value in op.yielded]
