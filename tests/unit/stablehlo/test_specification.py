"""Every op of the specification and of CHLO is read, or refused with a reason and a way out."""

from __future__ import annotations

import pytest

import ndpir
from ndpir.frontends.stablehlo.building import CONVERTERS
from ndpir.frontends.stablehlo.control import FOREIGN
from ndpir.frontends.stablehlo.importer import IN_SCOPE
from ndpir.frontends.stablehlo.specification import CHLO_OPS, ELSEWHERE, REFUSED, SECTIONS, section_of

NAMES = {*SECTIONS, *(f"chlo.{name}" for name in CHLO_OPS), *ELSEWHERE}
READ = {*CONVERTERS, *IN_SCOPE}


def test_every_op_is_either_read_or_refused() -> None:
    assert NAMES - READ - {*REFUSED} == set()
    assert READ & {*REFUSED} == set()


def test_what_is_read_or_refused_is_of_the_specification() -> None:
    assert (READ | {*REFUSED}) - NAMES == set()
    assert all(section_of(name) for name in NAMES)
    assert section_of("nothing") is None


@pytest.mark.parametrize("reason", sorted({*REFUSED.values(), *FOREIGN.values()}))
def test_refusals_give_a_reason_and_a_way_out(reason: str) -> None:
    why, way_out = reason.split("; ")
    assert why
    assert way_out


T, ONE = "tensor<4xf32>", "tensor<f32>"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f'%0 = "stablehlo.cholesky"(%x) : ({T}) -> {T}', "stablehlo.cholesky: matrix factorizations are not read; co"),
        (f'%0 = "chlo.zeta"(%x, %x) : ({T}, {T}) -> {T}', "chlo.zeta: this function is not read; compute it outside"),
        (f'%0 = "stablehlo.tanhh"(%x) : ({T}) -> {T}', "stablehlo.tanhh: there is no such op; did you mean `tanh`?"),
        (f"%0 = stablehlo.custom_call @lapack_sgetrf(%x) : ({T}) -> {T}", "@lapack_sgetrf: matrix factorizations are"),
        (f"%0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) : ({T}) -> {T}", "calls back into Python"),
        (f"%0 = stablehlo.custom_call @mine(%x) : ({T}) -> {T}", "@mine: calls of code outside of the program"),
        (
            f"%t = stablehlo.tuple %x, %x : tuple<{T}, {T}>\n"
            f'%0 = "stablehlo.abs"(%t) : (tuple<{T}, {T}>) -> {T}',
            "tuples are taken apart by get_tuple_element alone; pass their elements",
        ),
        (
            f"%t = stablehlo.tuple %x : tuple<{T}>\n%0 = stablehlo.get_tuple_element %t[1] : (tuple<{T}>) -> {T}",
            "there is no element 1 of 1",
        ),
        (
            "%c = stablehlo.constant dense<0> : tensor<4xui32>\n%0, %1 = stablehlo.rng_bit_generator %c, "
            "algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<4xf32>)",
            "the state of PHILOX is read as 2 or 3 numbers of ui64, not as tensor<4xui32>; draw them so",
        ),
        (
            '%0 = "chlo.broadcast_add"(%x, %x) <{broadcast_dimensions = array<i64: 5>}> : '
            f"({T}, {T}) -> tensor<2x4xf32>",
            "chlo.broadcast_add: `broadcast_dimensions` names axes of tensor<2x4xf32>, from 0 to 1",
        ),
    ],
)  # fmt: skip
def test_refusals_are_told_at_their_place(line: str, said: str) -> None:
    text = f"func.func @main(%x: {T}) -> {T} {{\n{line}\nreturn %x : {T}\n}}"
    with pytest.raises(ndpir.InputError) as told:
        ndpir.parse(text, "x.mlir")
    assert str(told.value).startswith(("x.mlir:2:", "x.mlir:3:"))
    assert said in str(told.value)
