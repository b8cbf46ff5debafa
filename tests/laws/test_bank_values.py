"""A product lowered to banks computes what numpy computes, whatever the sizes and whatever the device looks like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.ir import Block, Operation, SSAValue

from dialects.element_types import dtype_of, element_type_named, tensor_type
from dialects.graph import ConvOp, GraphOp, MatmulOp, tensor_of
from interp.bank_clock import kernel_time
from interp.banks import run_kernel
from interp.numerics import evaluate
from interp.sheet import Pim, Scope
from lowering.bank_kernel import kernel_of
from lowering.bank_layout import Chain, lay_input, lay_weights, lift_result
from lowering.bank_mapping import Mapping, Product, mappings
from lowering.bank_products import FORMS
from tests.pim_sheets import VERBS, small_pim, verb_of

Array = NDArray[Any]


@st.composite
def devices(draw: st.DrawFn) -> Pim:
    """Small PIMs that differ in all that a program must know."""
    choices: tuple[tuple[Scope, ...], ...] = (("all",), ("group",), ("bank",), ("all", "bank"))
    scopes = draw(st.sampled_from(choices))
    reopen = draw(st.booleans())
    verbs = {verb: verb_of(verb, "all") for verb in VERBS if verb != "pre" or not reopen}
    verbs |= {"act": verb_of("act", *scopes)}
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
        reopen=reopen,
        verbs=verbs,
    )


def run(ops: Sequence[Operation], known: dict[SSAValue, Array]) -> None:
    for op in ops:
        known |= zip(op.results, evaluate(op, [known[operand] for operand in op.operands]), strict=True)


def at_bank_level(op: GraphOp, mapping: Mapping, pim: Pim, operands: Sequence[Array]) -> Array:
    """The result of an op by its bank program, with the layouts around it."""
    form, known = FORMS[type(op)][0], dict(zip(op.operands, operands, strict=True))
    rows, weight = form.operands(op)
    taken = lay_input(form.rows(Chain(rows, ()), op), mapping, pim)
    laid, pieces = lay_weights(form.weights(Chain(weight, ()), op), mapping, pim)
    run([*taken.ops, *laid], known)
    kernel = kernel_of(mapping, pim)
    kernel.verify()
    kernel_time(kernel, pim)
    [drained] = run_kernel(kernel, pim, [known[taken.value], *(known[piece] for piece in pieces)])
    start = Block(arg_types=[tensor_type(drained.shape, element_type_named(str(_element(drained))))]).args[0]
    known[start] = drained
    given_back = lift_result(Chain(start, ()), mapping, tensor_of(op.results[0]).element_type)
    given_back = form.result(given_back, op)
    run(given_back.ops, known)
    return known[given_back.value]


def _element(array: Array) -> str:
    return {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}[array.dtype.name]


def check(op: GraphOp, pim: Pim, pick: int, seed: int) -> None:
    """Any mapping, not only the fastest, gives what the graph op gives."""
    product = FORMS[type(op)][0].product(op)
    assert isinstance(product, Product)
    tries = list(mappings(product, pim))
    random = np.random.default_rng(seed)
    operands = [
        random.integers(-4, 5, tensor_of(value).get_shape()).astype(dtype_of(tensor_of(value).element_type))
        for value in op.operands
    ]
    [expected] = evaluate(op, operands)
    result = at_bank_level(op, tries[pick % len(tries)], pim, operands)
    # Small integers: every sum is exact in f32, so that only the last rounding could differ, and it does not.
    np.testing.assert_array_equal(result.astype(np.float64), expected.astype(np.float64))


sizes = st.integers(1, 9)


@given(
    devices(),
    st.tuples(sizes, sizes, st.integers(1, 40)),
    st.sampled_from(((), (2,), (1, 3))),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 99),
    st.integers(0, 99),
)
def test_matmul(
    pim: Pim,
    extents: tuple[int, int, int],
    batch: tuple[int, ...],
    batched_weight: bool,
    transpose_a: bool,
    transpose_b: bool,
    pick: int,
    seed: int,
) -> None:
    m, n, k = extents
    element = element_type_named(pim.element)
    a = tensor_type((*batch, *((k, m) if transpose_a else (m, k))), element)
    b = tensor_type((*(batch if batched_weight else ()), *((n, k) if transpose_b else (k, n))), element)
    values = Block(arg_types=[a, b]).args
    check(MatmulOp(*values, transpose_a=transpose_a, transpose_b=transpose_b), pim, pick, seed)


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
    x = tensor_type((n, channels[0], *image), element)
    w = tensor_type((channels[1], channels[0], *kernel), element)
    values = Block(arg_types=[x, w]).args
    check(ConvOp(*values, strides=strides, pads=(*pads, *pads)), pim, pick, seed)
