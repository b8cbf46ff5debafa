"""Tests of sheets whose PIM runs PIMFlow's published programs: total times of networks, and the ops that have such a
program."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import ndpir
from benchmarks.pimflow_calibrate import CLASS, MODEL, PUBLISHED, convolutions, fitted, kernels
from dialects.diagnostics import InputError
from dialects.graph import FusedOp, GraphOp
from dialects.pim import memref_of
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.kernel_clock import KernelClock
from interp.kinds.pim.program import programs_of
from interp.kinds.pim.timing.clock import kernel_time, memref_bytes
from interp.machine.records import Gpu, Pim
from interp.machine.sheets import load_device
from interp.walk.entry import block_of, entry_of
from lowering.banks.pimflow.codegen import Layer, channel_kernel, channel_program
from lowering.banks.pimflow.programs import layer_cost, layer_kernel, layer_of, layer_time
from lowering.banks.templates import PimTemplates

GPU_MHZ = 1365
BUFFERS = {"newton_artifact": (1, 2, 4), "newton_plus_artifact": (1, 4)}
# thousands of GPU cycles with hidden loads and 1, 2, 4 buffers, then without hiding and 1, 4 buffers; energy in mJ with
# hidden loads and 4 buffers
TOTALS = {
    "mobilenet_v2": (1_345_720, 912_614, 704_225, 2_138_933, 927_169, "4.86"),
    "mnasnet1_0": (1_275_908, 880_019, 711_797, 1_979_464, 943_360, "4.87"),
    "efficientnet_b0": (1_426_072, 1_038_916, 861_008, 2_187_072, 1_106_714, "6.04"),
    "resnet50": (10_342_834, 8_330_217, 7_636_818, 14_990_402, 8_881_077, "60.8"),
    "vgg16": (37_977_158, 30_900_042, 28_733_379, 55_081_974, 32_928_772, "228"),
}
"""By network, sums over all convolutions without groups (without fully connected layers), by the published generator
and simulator: thousands of GPU cycles for each sheet and number of buffers in BUFFERS, and the energy in mJ."""


def pim(name: str = "newton_artifact") -> Pim:
    record = load_device(name)
    assert isinstance(record, Pim)
    return record


@cache
def ops_of(model: str) -> list[GraphOp | FusedOp]:
    module = kernels(MODEL.with_stem(model))
    return [op for op in block_of(entry_of(module)).ops if isinstance(op, GraphOp | FusedOp)]


def op_of(text: str) -> GraphOp | FusedOp:
    """The last op before the terminator of a function's text."""
    ops = list(block_of(entry_of(ndpir.parse(text))).ops)
    op = ops[-2]
    assert isinstance(op, GraphOp | FusedOp)
    return op


def conv_of(x: str, w: str, options: str = "") -> GraphOp | FusedOp:
    return op_of(f"""
    func.func @main(%x: tensor<{x}xf16>) {{
      %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<{w}xf16>
      %y = graph.conv %x, %w {options} : tensor<{x}xf16>, tensor<{w}xf16>
      func.return
    }}""")


def layer_ns(layer: Layer, pim: Pim) -> float:
    """Return the time of a layer's program, launch included."""
    return pim.launch_ns + layer_time(layer, pim.banks_alone).ns


@pytest.mark.slow
@pytest.mark.parametrize("model", TOTALS)
def test_totals_of_networks_equal_the_published_ones(model: str):
    layers = [layer for op in ops_of(model) if (layer := layer_of(op)) and layer.height * layer.width > 1]
    *cycles, energy = TOTALS[model]
    sheets = [(name, buffers) for name, numbers in BUFFERS.items() for buffers in numbers]
    for (name, buffers), expected in zip(sheets, cycles, strict=True):
        record = replace(pim(name), program_buffers=buffers)
        assert round(sum(layer_ns(layer, record) for layer in layers) * GPU_MHZ / 1e3) == expected, (name, buffers)
    joules = sum(sum(layer_time(layer, pim()).energy_nj.values()) for layer in layers)
    assert f"{joules / 1e6:.3g}" == energy


def test_fully_connected_layers_of_vgg_equal_the_published_total():
    layers = [layer for op in ops_of("vgg16") if (layer := layer_of(op)) and layer.height * layer.width == 1]
    assert len(layers) == 3
    assert round(sum(layer_ns(layer, pim()) for layer in layers) * GPU_MHZ / 1e3) == 228_830


def test_the_gpus_calibration_gives_the_published_total():
    gpu = load_device("pimflow_gpu")
    assert isinstance(gpu, Gpu)
    ops = convolutions(kernels(MODEL))
    assert len(ops) == 52
    total = sum(cost.ns for cost in KernelClock(gpu).costs(ops)) * GPU_MHZ / 1e3
    assert total == pytest.approx(PUBLISHED, rel=1e-3)
    _, record = fitted(gpu, ops)
    shipped = constants_for(gpu, *CLASS)
    assert dict(shipped.constants) == pytest.approx(dict(record.constants), rel=1e-3)
    assert shipped.origin == record.origin  # the origin names the data of the fit


def test_the_time_of_a_layer_is_that_of_one_channel_and_the_energy_of_all():
    layer = Layer(144, 14, 14, 24)
    record = pim()
    layer_kernel(layer, record).verify()
    all_channels = layer_time(layer, record)
    one_channel = kernel_time(channel_kernel(layer, record, record.program_buffers), record)
    assert (all_channels.ns, all_channels.channels) == (one_channel.ns, record.channels)
    assert sum(all_channels.energy_nj.values()) == pytest.approx(record.channels * sum(one_channel.energy_nj.values()))


@pytest.mark.parametrize(
    ("x", "w", "options", "expected"),
    [
        ("1x8x16x16", "4x8x3x3", "pads = [1, 1, 1, 1]", Layer(8, 16, 16, 4, 3, 3, 1, 1)),
        ("1x8x16x16", "4x8x3x3", "pads = [1, 1, 0, 1]", Layer(8, 17, 16, 4, 3, 3, 0, 1)),
        ("1x8x16x16", "4x8x1x1", "strides = [2, 2]", Layer(8, 16, 16, 4, stride=2)),
        ("1x8x16x16", "4x8x3x3", "dilations = [2, 2]", None),
        ("1x8x16x16", "8x1x3x3", "groups = 8", None),
        ("2x8x16x16", "4x8x3x3", "", None),
        ("1x8x16x16", "4x8x3x3", "strides = [2, 1]", None),
        ("1x8x16", "4x8x3", "", None),
    ],
)
def test_convolutions_of_supported_form_have_a_program(x: str, w: str, options: str, expected: Layer | None):
    assert layer_of(conv_of(x, w, options)) == expected


@pytest.mark.parametrize(
    ("rows", "weight", "expected"), [(1, True, Layer(64, 1, 1, 10)), (2, True, None), (1, False, None)]
)
def test_products_of_one_vector_with_a_weight_have_a_program(rows: int, weight: bool, expected: Layer | None):
    second_operand = (
        'graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<64x10xf16>'
        if weight
        else "graph.relu %b : tensor<64x10xf16>"
    )
    op = op_of(f"""
    func.func @main(%x: tensor<{rows}x64xf16>, %b: tensor<64x10xf16>) {{
      %w = {second_operand}
      %y = graph.matmul %x, %w : tensor<{rows}x64xf16>, tensor<64x10xf16>
      func.return
    }}""")
    assert layer_of(op) == expected


def test_a_group_has_the_program_of_its_only_contraction():
    op = op_of("""
    func.func @main(%x: tensor<1x8x4x4xf16>) {
      %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x8x1x1xf16>
      %b = graph.weight "b" = uniform(-1.0, 1.0, 2) : tensor<4xf16>
      %y = graph.fused (%a = %x, %f = %w, %c = %b) {
        %0 = graph.conv %a, %f, %c : tensor<1x8x4x4xf16>, tensor<4x8x1x1xf16>, tensor<4xf16>
        %1 = graph.relu %0 : tensor<1x4x4x4xf16>
        graph.yield %1
      }
      func.return
    }""")
    layer = Layer(8, 4, 4, 4)
    assert layer_of(op) == layer
    assert PimTemplates().kernel_for(op, pim()) is layer_kernel(layer, pim().banks_alone)


def test_the_reason_why_an_op_has_no_program():
    why = PimTemplates().why_not(conv_of("1x8x4x4", "8x1x3x3", "groups = 8"), pim())
    assert why is not None
    assert why.startswith("graph.conv: the sheet allows only programs of PIMFlow's generator")


def test_weights_take_all_rows_that_the_generator_activates():
    (layer,) = [layer_of(conv_of("1x1024x2x2", "256x1024x1x1"))]
    assert layer is not None
    kernel = layer_kernel(layer, pim())
    (w,) = kernel.in_banks
    # 2 parts of the sum for 16 tiles, which are distributed over the 4 channels that share a buffer
    assert memref_of(w).get_shape()[1] == 2 * 16 // 4


def test_a_calibration_that_can_not_be_written_is_an_error(tmp_path: Path):
    from benchmarks.pimflow_calibrate import main

    (tmp_path / "pimflow_gpu.calibration").mkdir()
    with pytest.raises(InputError, match="can't be written"):
        main(["--write", str(tmp_path)])


@pytest.mark.parametrize("layer", [Layer(144, 14, 14, 24), Layer(64, 7, 7, 64, 3, 3, 1, 1), Layer(1280, 1, 1, 1000)])
def test_the_timed_program_equals_the_kernel_s(layer: Layer):
    record = pim()
    program = channel_program(layer, record, 4, record.channels)
    kernel = layer_kernel(layer, record)
    assert [program] == programs_of(kernel, record)
    assert layer_cost(layer, record).bytes == memref_bytes(kernel)
