"""Every template on every shipped sheet with the required commands: the program that the search finds computes numpy's
results for random sizes, and a wrong layout does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.ir import Block, Region, SSAValue

from dialects.element_types import dtype_of, element_type_named, tensor_type
from dialects.graph import (
    AddOp,
    ConvOp,
    FusedOp,
    GraphOp,
    MatmulOp,
    MulOp,
    ReduceOp,
    SigmoidOp,
    SubOp,
    YieldOp,
    tensor_of,
)
from dialects.pim import memref_of
from interp.kinds.pim.values.run import run_kernel
from interp.machine.records import Pim
from interp.machine.sheets import list_devices, load_device
from interp.numerics import evaluate
from lowering.banks.lanes.plan import plan_elementwise
from lowering.banks.products.plan import Contraction, plan_contraction
from tests.amount import cases
from tests.laws.banks.test_values import at_bank_level, run

pytestmark = pytest.mark.slow

Array = NDArray[Any]

SHEETS = sorted(name for name, kind, _ in list_devices() if kind == "pim")
LACKS = ("lacks the verb", "by graph.weight", "nor has a column room", "rows of each bank")
"""Parts of the messages that a device can't run an op; a test that meets such a message skips the op."""


def pim_of(sheet: str) -> Pim:
    pim = load_device(sheet)
    assert isinstance(pim, Pim)
    return pim


def numbers(op: GraphOp | FusedOp, seed: int) -> list[Array]:
    """Small integers as operands, so that every sum of products is exact in f32."""
    random = np.random.default_rng(seed)
    types = [tensor_of(value) for value in op.operands]
    return [random.integers(-4, 5, type_.get_shape()).astype(dtype_of(type_.element_type)) for type_ in types]


def plan_of(op: GraphOp | FusedOp, pim: Pim, weights: bool) -> Contraction | None:
    plan = plan_contraction(
        op, pim, lambda value: weights and value is not op.operands[0], lambda product, pim: pim.rows
    )
    if isinstance(plan, str):
        assert any(word in plan for word in LACKS), plan
        return None
    return plan


def check(op: GraphOp | FusedOp, pim: Pim, seed: int, weights: bool = True, tolerance: float = 0.0) -> None:
    if (plan := plan_of(op, pim, weights)) is None:
        return
    operands = numbers(op, seed)
    [expected] = evaluate(op, operands)
    result = at_bank_level(plan, op, pim, operands).astype(np.float64)
    np.testing.assert_allclose(result, expected.astype(np.float64), rtol=tolerance, atol=tolerance)


def product(pim: Pim, sizes: tuple[int, int, int], batch: tuple[int, ...] = (), biased: bool = False) -> MatmulOp:
    m, n, k = sizes
    element = element_type_named(pim.element)
    types = [tensor_type((*batch, m, k), element), tensor_type((*batch, k, n), element), tensor_type((n,), element)]
    return MatmulOp(*Block(arg_types=types).args[: 3 if biased else 2])


sizes = st.tuples(st.integers(1, 5), st.integers(1, 300), st.integers(1, 1500))


@pytest.mark.parametrize("sheet", SHEETS)
@settings(max_examples=cases(3))
@given(sizes, st.booleans(), st.integers(0, 99))
def test_products_with_weights(sheet: str, sizes: tuple[int, int, int], biased: bool, seed: int) -> None:
    """Products of several vectors with a weight, whose sizes are no multiples of a column's and whose vectors are
    longer than the buffer."""
    pim = pim_of(sheet)
    check(product(pim, sizes, biased=biased), pim, seed)


@pytest.mark.parametrize("sheet", SHEETS)
@settings(max_examples=cases(3))
@given(
    st.tuples(st.integers(1, 2), st.integers(1, 2)),
    st.tuples(st.integers(1, 2), st.integers(1, 40), st.integers(1, 40)),
    st.integers(0, 99),
)
def test_attention_products(sheet: str, batch: tuple[int, int], sizes: tuple[int, int, int], seed: int) -> None:
    """Products of queries and keys, and of scores and values, with both factors known at run time only."""
    pim = pim_of(sheet)
    check(product(pim, sizes, batch), pim, seed, weights=False)


@pytest.mark.parametrize("sheet", SHEETS)
@settings(max_examples=cases(3))
@given(
    st.integers(1, 2),
    st.tuples(st.integers(1, 20), st.integers(1, 40)),
    st.tuples(st.integers(3, 6), st.integers(3, 6)),
    st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(0, 1)),
    st.booleans(),
)
def test_convolutions(
    sheet: str,
    n: int,
    channels: tuple[int, int],
    image: tuple[int, int],
    window: tuple[int, int, int],
    biased: bool,
) -> None:
    pim = pim_of(sheet)
    (kernel, stride, pad), element = window, element_type_named(pim.element)
    shapes = [(n, channels[0], *image), (channels[1], channels[0], kernel, kernel), (channels[1],)]
    values = Block(arg_types=[tensor_type(shape, element) for shape in shapes]).args[: 3 if biased else 2]
    check(ConvOp(*values, strides=[stride] * 2, pads=[pad] * 4), pim, n)


@pytest.mark.parametrize("sheet", SHEETS)
@settings(max_examples=cases(3))
@given(st.tuples(st.integers(1, 4), st.integers(1, 1200)), st.sampled_from((0, 1)), st.sampled_from(("sum", "mean")))
def test_reductions(sheet: str, shape: tuple[int, int], axis: int, kind: str) -> None:
    """A mean multiplies by the reciprocal of the count, rounded to the units' type."""
    pim = pim_of(sheet)
    [x] = Block(arg_types=[tensor_type(shape, element_type_named(pim.element))]).args
    check(ReduceOp(x, kind=kind, axes=[axis]), pim, 7, tolerance=0.0 if kind == "sum" else 2e-2)


@pytest.mark.parametrize("sheet", SHEETS)
def test_activations(sheet: str) -> None:
    """Activations use the units' table, which approximates the function."""
    pim = pim_of(sheet)
    inner = product(pim, (2, 40, 90))
    block = Block(arg_types=[value.type for value in inner.operands])
    body = MatmulOp(*block.args)
    last = SigmoidOp(body.y)
    block.add_ops([body, last, YieldOp(last.y)])
    check(FusedOp(list(inner.operands), Region(block)), pim, 3, tolerance=1e-2)


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_wrong_layout_computes_something_else(sheet: str) -> None:
    """A program whose weight is stored with permuted rows, banks, columns or lanes must compute another result."""
    pim = pim_of(sheet)
    op = product(pim, (1, 200, 600))
    if (plan := plan_of(op, pim, weights=True)) is None:
        return
    operands = numbers(op, 1)
    [expected] = evaluate(op, operands)
    known = dict(zip(op.operands, operands, strict=True))
    taken = plan.lay_inputs(op, pim)
    laid, pieces = plan.lay_weights(op, plan.weights(op), pim)
    run([*(inner for chain in taken for inner in chain.ops), *laid], known)

    def result(*weights: Array) -> Array:
        [drained] = run_kernel(plan.kernel, pim, [*(known[chain.value] for chain in taken), *weights])
        start = Block(arg_types=[tensor_type(drained.shape, element_type_named(plan_element(plan)))]).args[0]
        [given_back] = plan.lift_results(op, [start])
        found: dict[SSAValue, Array] = {start: drained}
        run(given_back.ops, found)
        return found[given_back.value]

    right = [known[piece] for piece in pieces]
    np.testing.assert_array_equal(result(*right), expected)
    for axis, extent in enumerate(right[0].shape):
        if extent > 1:
            assert (result(np.roll(right[0], 1, axis), *right[1:]) != expected).any(), axis


def plan_element(plan: Contraction) -> str:
    return str(memref_of(plan.kernel.outputs[0]).element_type)


@pytest.mark.parametrize("sheet", SHEETS)
@settings(max_examples=cases(3))
@given(st.integers(1, 3000), st.sampled_from((AddOp, SubOp, MulOp)), st.booleans(), st.booleans())
def test_element_wise(sheet: str, count: int, kind: type[AddOp], weights: bool, twice: bool) -> None:
    """Sums, differences and products of two tensors, or of a tensor with itself, by lanes or by groups of banks."""
    pim = pim_of(sheet)
    values = Block(arg_types=[tensor_type((count,), element_type_named(pim.element))] * 2).args
    op = kind(values[0], values[0 if twice else 1])
    plan = plan_elementwise(op, pim, lambda value: weights and value is values[1])
    if isinstance(plan, str):
        assert any(word in plan for word in LACKS), plan
        return
    inputs = [array.astype(np.float32) for array in numbers(op, count)]
    operands = [array.astype(dtype_of(element_type_named(pim.element))) for array in inputs]
    known = dict(zip(op.operands, operands, strict=True))
    taken = plan.lay_inputs(op, pim)
    laid, pieces = plan.lay_weights(op, plan.weights(op), pim)
    run([*(inner for chain in taken for inner in chain.ops), *laid], known)
    plan.kernel.verify()
    [given] = run_kernel(plan.kernel, pim, [known[value] for value in (*(each.value for each in taken), *pieces)])
    start = Block(arg_types=[tensor_type(given.shape, element_type_named(pim.element))]).args[0]
    [result] = plan.lift_results(op, [start])
    found: dict[SSAValue, Array] = {start: given}
    run(result.ops, found)
    left, right = (known[value] for value in op.operands)
    [expected] = evaluate(op, [left, right])
    np.testing.assert_array_equal(found[result.value].astype(np.float64), expected.astype(np.float64))
