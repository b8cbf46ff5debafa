"""A product lowered to banks computes numpy's result, for random sizes and devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.ir import Block, Operation, SSAValue

from dialects.element_types import dtype_of, element_type_named, tensor_type
from dialects.graph import ConvOp, FusedOp, GraphOp, MatmulOp, ReduceOp, tensor_of
from interp.kinds.pim.program import programs_of
from interp.kinds.pim.values.run import run_kernel
from interp.machine.records import Decoder, Pim, Scope
from interp.numerics import evaluate
from lowering.banks.plan import BankProgram
from lowering.banks.products.forms import FORMS
from lowering.banks.products.kernel import kernel_of
from lowering.banks.products.mapping import Product, mappings
from lowering.banks.products.plan import Contraction, ProductMatch, can_append, match_product
from lowering.banks.products.steps import programs_by
from tests.pim_sheets import VERBS, small_pim, verb_of

Array = NDArray[Any]


@st.composite
def devices(draw: st.DrawFn) -> Pim:
    """Small PIMs that differ in every parameter that affects a program."""
    choices: tuple[tuple[Scope, ...], ...] = (("all",), ("group",), ("bank",), ("all", "bank"))
    scopes = draw(st.sampled_from(choices))
    controlled, clears = draw(st.booleans()), draw(st.booleans())
    reopen = not controlled and draw(st.booleans())
    names = [*VERBS, "write", *([] if clears and draw(st.booleans()) else ["bias"])]
    verbs = {verb: verb_of(verb, "all") for verb in names if verb != "pre" or not (reopen or controlled)}
    verbs |= {"act": verb_of("act", *scopes), "write": verb_of("write", *draw(st.sampled_from(choices)))}
    verbs |= {
        verb: verb_of(verb, *draw(st.sampled_from(choices))) for verb in ("mac", "drain", "bias") if verb in verbs
    }
    if controlled:
        verbs |= {"act": verb_of("act", "all", "bank"), "pre": verb_of("pre", "all", "bank")}
    return small_pim(
        channels=draw(st.integers(1, 6)),
        groups=draw(st.integers(1, 2)),
        banks=draw(st.integers(1, 2)),
        rows=1 << 20,
        columns=draw(st.integers(1, 5)),
        lanes=draw(st.integers(1, 4)),
        element=draw(st.sampled_from(("f32", "f16", "bf16"))),
        buffer_columns=draw(st.integers(1, 6)),
        load_columns=draw(st.integers(1, 6)),
        tied=draw(st.booleans()),
        accumulators=draw(st.integers(1, 3)),
        reopen=reopen,
        rows_by="controller" if controlled else "program",
        drain_clears=clears,
        decoder=draw(st.sampled_from((None, Decoder(8, ("drain",))))) if controlled else None,
        verbs=verbs,
    )


def run(ops: Sequence[Operation], known: dict[SSAValue, Array]) -> None:
    for op in ops:
        known |= zip(op.results, evaluate(op, [known[operand] for operand in op.operands]), strict=True)


def at_bank_level(plan: Contraction, op: GraphOp | FusedOp, pim: Pim, operands: Sequence[Array]) -> Array:
    """The result of an op by a bank program, including the conversions of layouts before and after it."""
    known = dict(zip(op.operands, operands, strict=True))
    taken = plan.lay_inputs(op, pim)
    laid, pieces = plan.lay_weights(op, plan.weights(op), pim)
    run([*(inner for chain in taken for inner in chain.ops), *laid], known)
    plan.kernel.verify()
    inputs = [*(known[chain.value] for chain in taken), *(known[piece] for piece in pieces)]
    [drained] = run_kernel(plan.kernel, pim, inputs)
    start = Block(arg_types=[tensor_type(drained.shape, element_type_named(_element(drained)))]).args[0]
    known[start] = drained
    [given_back] = plan.lift_results(op, [start])
    run(given_back.ops, known)
    return known[given_back.value]


def _element(array: Array) -> str:
    return {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}[array.dtype.name]


def check(op: GraphOp, pim: Pim, pick: int, seed: int, weights: bool = True) -> None:
    """Assert that a bank program computes the graph op's result. The program is that of mapping number `pick`, counted
    modulo the number of mappings, so that slow mappings are tested, too."""
    found = match_product(op, pim, lambda value: weights and value is not op.operands[0])
    if isinstance(found, str):
        assert "nor has a column room for a bias" in found
        return
    assert isinstance(found, ProductMatch)
    check_reading(op, found, pim, pick, seed)


def check_reading(op: GraphOp, found: ProductMatch, pim: Pim, pick: int, seed: int) -> None:
    tries = list(mappings(found.product, pim))
    mapping = tries[pick % len(tries)]
    kernel = kernel_of(mapping, pim)
    if not mapping.product.grows:
        assert programs_by(mapping, pim) == programs_of(kernel, pim)
    plan = Contraction(BankProgram.of(kernel, pim), mapping, found.form, found.one)
    random = np.random.default_rng(seed)
    operands = [
        random.integers(-4, 5, tensor_of(value).get_shape()).astype(dtype_of(tensor_of(value).element_type))
        for value in op.operands
    ]
    [expected] = evaluate(op, operands)
    result = at_bank_level(plan, op, pim, operands)
    # Small integers: every sum is exact in f32, so that only the last rounding could differ, and it does not.
    np.testing.assert_array_equal(result.astype(np.float64), expected.astype(np.float64))


sizes = st.integers(1, 9)


@pytest.mark.slow
@given(
    devices(),
    st.tuples(sizes, sizes, st.integers(1, 40)),
    st.sampled_from(((), (2,), (1, 3))),
    st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.booleans()),
    st.integers(0, 999),
    st.integers(0, 99),
)
def test_matmul(
    pim: Pim,
    extents: tuple[int, int, int],
    batch: tuple[int, ...],
    flags: tuple[bool, bool, bool, bool, bool],
    pick: int,
    seed: int,
) -> None:
    """The weight is stored in the banks before the program starts, or is written to the banks at run time."""
    batched_weight, transpose_a, transpose_b, biased, weights = flags
    m, n, k = extents
    element = element_type_named(pim.element)
    a = tensor_type((*batch, *((k, m) if transpose_a else (m, k))), element)
    b = tensor_type((*(batch if batched_weight else ()), *((n, k) if transpose_b else (k, n))), element)
    bias = tensor_type((n,), element)
    biased = biased and (weights or "bias" in pim.verbs)
    values = Block(arg_types=[a, b, bias]).args[: 3 if biased else 2]
    op = MatmulOp(*values, transpose_a=transpose_a, transpose_b=transpose_b)
    if not weights and biased and m > n:
        return  # written is what meets fewer vectors: here `a`, and a bias for each of its vectors is none
    check(op, pim, pick, seed, weights)


@given(
    devices(),
    st.integers(1, 2),
    st.tuples(st.integers(1, 3), st.integers(1, 9)),
    st.lists(
        st.tuples(st.integers(3, 6), st.integers(1, 3), st.integers(1, 2), st.integers(0, 1)), min_size=1, max_size=2
    ),
    st.integers(0, 99),
    st.integers(0, 99),
)
def test_conv(
    pim: Pim,
    n: int,
    channels: tuple[int, int],
    axes: list[tuple[int, int, int, int]],
    pick: int,
    seed: int,
) -> None:
    image, kernel, strides, pads = zip(*axes, strict=True)
    element = element_type_named(pim.element)
    groups = 1 + pick % 3
    x = tensor_type((n, groups * channels[0], *image), element)
    w = tensor_type((groups * channels[1], channels[0], *kernel), element)
    bias = tensor_type((groups * channels[1],), element)
    values = Block(arg_types=[x, w, bias]).args[: 3 if seed % 2 else 2]
    check(ConvOp(*values, strides=strides, pads=(*pads, *pads), groups=groups), pim, pick // 3, seed)


@given(
    devices(),
    st.lists(st.integers(1, 5), min_size=1, max_size=3),
    st.sets(st.integers(0, 2)),
    st.booleans(),
    st.integers(0, 999),
    st.integers(0, 99),
)
def test_sum(pim: Pim, shape: list[int], axes: set[int], keep_dims: bool, pick: int, seed: int) -> None:
    """A sum over any axes is computed as a product with ones."""
    [x] = Block(arg_types=[tensor_type(shape, element_type_named(pim.element))]).args
    axes = {axis for axis in axes if axis < len(shape)}
    check(ReduceOp(x, kind="sum", axes=sorted(axes), keep_dims=keep_dims), pim, pick, seed)


@given(
    devices(),
    st.tuples(st.integers(1, 3), st.integers(1, 9), st.integers(1, 24)),
    st.tuples(st.booleans(), st.booleans()),
    st.integers(1, 5),
    st.integers(0, 999),
    st.integers(0, 99),
)
def test_cache(
    pim: Pim, extents: tuple[int, int, int], flags: tuple[bool, bool], new: int, pick: int, seed: int
) -> None:
    """New entries of a cache, along the axis of outputs or of summed elements, are written to their positions."""
    m, n, k = extents
    if not can_append(pim):
        return
    outputs, transposed = flags
    element = element_type_named(pim.element)
    types = [tensor_type((2, m, k), element), tensor_type((2, n, k) if transposed else (2, k, n), element)]
    op = MatmulOp(*Block(arg_types=types).args, transpose_b=transposed)
    form = FORMS[MatmulOp][0]
    kept = max((n if outputs else k) - new, 0)
    kept -= 0 if outputs else kept % pim.lanes
    product = form.product(op)
    assert isinstance(product, Product)
    grown = replace(product, grows="outputs" if outputs else "inner", kept=kept)
    check_reading(op, ProductMatch(op, form, grown), pim, pick, seed)
