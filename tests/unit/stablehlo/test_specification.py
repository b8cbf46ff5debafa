"""Every op of the StableHLO specification and of CHLO has a converter, or is refused with a reason and a way out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ndpir
from ndpir.frontends.stablehlo.building import CONVERTERS
from ndpir.frontends.stablehlo.control import UNSUPPORTED_CALLS
from ndpir.frontends.stablehlo.formulas import FORMULAS
from ndpir.frontends.stablehlo.importer import BUILT_IN_OPS
from ndpir.frontends.stablehlo.specification import (
    CHLO_OPS,
    OPS_WITHOUT_SECTION,
    OTHER_DIALECTS,
    REFUSED,
    SECTIONS,
    section_of,
)
from ndpir.pages.stablehlo import becomes, reference
from ndpir.writers.stablehlo.names import ONE_TO_ONE

NAMES = {*SECTIONS, *(f"chlo.{name}" for name in CHLO_OPS), *OPS_WITHOUT_SECTION, *OTHER_DIALECTS}
READ = {*CONVERTERS, *BUILT_IN_OPS}


GROUPS = "replica_groups = dense<{}> : tensor<{}xi64>"


def exchange(attributes: str, name: str = "all_to_all") -> str:
    """A program with one collective op, whose groups of devices are given by attributes."""
    line = f'%0 = "stablehlo.{name}"(%x) <{{{attributes}}}> : (tensor<4xf32>) -> tensor<4xf32>'
    return f"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n{line}\nreturn %0 : tensor<4xf32>\n}}"


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("all_to_all", GROUPS.format("0", "1x1")),
        ("all_to_all", GROUPS.format("[[0], [1]]", "2x1")),
        ("all_gather", GROUPS.format("0", "1x1")),
        ("reduce_scatter", GROUPS.format("0", "1x1")),
        ("collective_permute", "source_target_pairs = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>"),
    ],
)
def test_collectives_of_one_device_return_their_operand(name: str, attributes: str) -> None:
    module = ndpir.parse(exchange(attributes, name))
    assert "func.return %x" in ndpir.write(module)


def test_a_device_that_receives_nothing_gets_zeros() -> None:
    text = exchange("source_target_pairs = dense<> : tensor<0x2xi64>", "collective_permute")
    assert ndpir.run(ndpir.parse(text), [np.ones(4, np.float32)])[0].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("all_to_all", GROUPS.format("[[0, 1]]", "1x2")),
        ("all_to_all", GROUPS.format("", "0x0")),  # empty groups mean all devices
        ("collective_permute", "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>"),
        ("collective_permute", "source_target_pairs = dense<[[1, 1]]> : tensor<1x2xi64>"),
    ],
)
def test_exchanges_between_devices_are_refused(name: str, attributes: str) -> None:
    with pytest.raises(ndpir.InputError, match="only programs for one device are supported; lower the"):
        ndpir.parse(exchange(attributes, name))


def test_a_function_mapped_over_devices_is_refused() -> None:
    """The program has the form that shard_map and pmap produce for two devices; it is refused with a message."""
    text = """module @jit_f attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
      sdy.mesh @mesh = <["i"=2]> {stablehlo.mesh = {axes = [{name = "i", size = 2 : i64}]}}
      func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "result"}) {
        %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}]>] out_shardings=[<@mesh, [{"i"}]>] \
manual_axes={"i"} (%arg1: tensor<2xf32>) {
          %1 = stablehlo.negate %arg1 : tensor<2xf32>
          sdy.return %1 : tensor<2xf32>
        } : (tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }"""
    with pytest.raises(
        ndpir.InputError, match=r"x.mlir:4:14: sdy.manual_computation: only programs for one device are supported"
    ):
        ndpir.parse(text, "x.mlir")


def test_every_op_is_either_converted_or_refused() -> None:
    assert NAMES - READ - {*REFUSED} == set()
    assert READ & {*REFUSED} == set()


def test_all_converted_or_refused_ops_are_in_the_specification() -> None:
    assert (READ | {*REFUSED}) - NAMES == set()
    assert all(section_of(name) for name in NAMES)
    assert section_of("nothing") is None


def test_every_converted_op_has_a_section_and_a_description() -> None:
    assert (Path(__file__).parents[3] / "docs" / "stablehlo.md").read_text() == reference()
    assert all(becomes(name) for name in NAMES)
    undocumented = {name for name, converter in CONVERTERS.items() if not converter.__doc__}
    assert undocumented <= {*ONE_TO_ONE, *FORMULAS}


@pytest.mark.parametrize("reason", sorted({*REFUSED.values(), *UNSUPPORTED_CALLS.values()}))
def test_refusals_give_a_reason_and_a_way_out(reason: str) -> None:
    why, way_out = reason.split("; ")
    assert why
    assert way_out


def test_shardings_are_ignored() -> None:
    module = ndpir.parse("""module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
      sdy.mesh @mesh = <["x"=1]> {stablehlo.mesh = {axes = [{name = "x", size = 1 : i64}]}}
      func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
        %0 = stablehlo.negate %arg0 : tensor<4xf32>
        %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<4xf32>
        return %1 : tensor<4xf32>
      }
    }""")
    assert "%0 = graph.neg %arg0 : tensor<4xf32>\n    func.return %0" in ndpir.write(module)


T = "tensor<4xf32>"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f'%0 = "stablehlo.cholesky"(%x) : ({T}) -> {T}', "stablehlo.cholesky: matrix factorizations are"),
        (f'%0 = "chlo._asin_acos_kernel"(%x) : ({T}) -> {T}', "chlo._asin_acos_kernel: complex numbers are not"),
        (f'%0 = "stablehlo.tanhh"(%x) : ({T}) -> {T}', "stablehlo.tanhh: there is no such op; did you mean `tanh`?"),
        (f"%0 = stablehlo.custom_call @lapack_sgetrf(%x) : ({T}) -> {T}", "@lapack_sgetrf: matrix factorizations are"),
        (f"%0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) : ({T}) -> {T}", "callbacks into Python"),
        (f"%0 = stablehlo.custom_call @mine(%x) : ({T}) -> {T}", "@mine: calls of code outside of the program"),
        (
            f"%t = stablehlo.tuple %x, %x : tuple<{T}, {T}>\n"
            f'%0 = "stablehlo.abs"(%t) : (tuple<{T}, {T}>) -> {T}',
            "a tuple may only be an operand of get_tuple_element; pass its elements instead",
        ),
        (
            f"%t = stablehlo.tuple %x : tuple<{T}>\n%0 = stablehlo.get_tuple_element %t[1] : (tuple<{T}>) -> {T}",
            "`index` must be an integer from 0 to 0, not 1",
        ),
        (
            "%c = stablehlo.constant dense<0> : tensor<4xui32>\n%0, %1 = stablehlo.rng_bit_generator %c, "
            "algorithm = PHILOX : (tensor<4xui32>) -> (tensor<4xui32>, tensor<4xf32>)",
            "the state of PHILOX must be 2 (for PHILOX or DEFAULT, 2 or 3) numbers of ui64, not tensor<4xui32>",
        ),
        (
            '%0 = "chlo.broadcast_add"(%x, %x) <{broadcast_dimensions = array<i64: 5>}> : '
            f"({T}, {T}) -> tensor<2x4xf32>",
            "chlo.broadcast_add: `broadcast_dimensions` must hold axes of tensor<2x4xf32>, from 0 to 1",
        ),
    ],
)  # fmt: skip
def test_refusals_have_the_place_of_the_op(line: str, message: str) -> None:
    text = f"func.func @main(%x: {T}) -> {T} {{\n{line}\nreturn %x : {T}\n}}"
    with pytest.raises(ndpir.InputError) as error:
        ndpir.parse(text, "x.mlir")
    assert str(error.value).startswith(("x.mlir:2:", "x.mlir:3:"))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            f"%0 = stablehlo.while(%i = %x) : {T}, {T} cond {{ stablehlo.return %i : {T} }} "
            f"do {{ stablehlo.return %i : {T} }}",
            "x.mlir:2:6: a loop carries 1 values, but has 2 types; write one type for each value",
        ),
        (
            f"%0 = stablehlo.reduce(%x init: %x) across dimensions = [0] : ({T}, {T}) -> {T} "
            f"reducer(%a: {T}) {{ stablehlo.return %a : {T} }}",
            "x.mlir:2:6: a reducer takes two arguments for each operand",
        ),
        (f'%0 = "stablehlo.compare"(%x, %x, %x) : ({T}, {T}, {T}) -> {T}', "stablehlo.compare: "),
        (f'%0 = "stablehlo.clamp"(%x) : ({T}) -> {T}', "stablehlo.clamp: "),
        (f"%0 = stablehlo.slice %x [5, 2:2] : ({T}) -> {T}", "stablehlo.slice: "),
    ],
)
def test_malformed_ops_are_reported_in_a_sentence(line: str, message: str) -> None:
    text = f"func.func @main(%x: {T}) -> {T} {{\n{line}\nreturn %x : {T}\n}}"
    with pytest.raises(ndpir.InputError) as error:
        ndpir.parse(text, "x.mlir")
    assert message in str(error.value)
