"""Near-data units as a device: supported ops, their times, variants of the device, and softmax and norms by
primitives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import ndpir
from dialects.diagnostics import InputError
from dialects.graph import FusedOp, GraphOp
from dialects.graph.op import shape_of
from dialects.graph.patterns.primitives import in_primitives
from interp.kinds.models import cost_model
from interp.kinds.ndp.costs import NearDataCosts
from interp.kinds.ndp.phases import Phased
from interp.machine.cost import Cost
from interp.machine.near_data import NearData
from interp.machine.sheets import load_device
from interp.numerics import evaluate


def ops(body: str, arguments: str = "%x: tensor<64x512xf32>, %y: tensor<64x512xf32>") -> list[GraphOp | FusedOp]:
    """The ops of a function with the given body."""
    module = ndpir.parse(f"func.func @main({arguments}) {{\n{body}\n  func.return\n}}")
    function = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    return [op for op in function.body.block.ops if isinstance(op, GraphOp | FusedOp)]


def cost(op: GraphOp | FusedOp, sheet: str = "ndpx", **changes: int | float | str) -> Cost:
    found = cost_model(load_device(sheet, changes), None).costs([op])[0]
    assert found is not None
    return found


ADD = "  %a = graph.add %x, %y : tensor<64x512xf32>"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%p = graph.matmul %x, %t : tensor<64x512xf32>, tensor<512x64xf32>", "graph.matmul: it reads elements again"),
        ("%p = graph.cumsum %x axis = 0 : tensor<64x512xf32>", "graph.cumsum: near-data units stream element-wise ops"),
        (
            "%p = graph.fused (%a = %x, %b = %t) {\n%0 = graph.matmul %a, %b : tensor<64x512xf32>, "
            "tensor<512x64xf32>\n%1 = graph.relu %0 : tensor<64x64xf32>\ngraph.yield %1\n}",
            "graph.matmul: it reads elements again",
        ),
    ],
)
def test_near_data_units_run_no_products(body: str, message: str) -> None:
    *_, op = ops(body, "%x: tensor<64x512xf32>, %t: tensor<512x64xf32>")
    model = cost_model(load_device("ndpx"), None)
    assert model.costs([op]) == [None]
    assert (model.why_not(op) or "").startswith(message)


def test_near_data_units_run_no_convolutions() -> None:
    (op,) = ops(
        "%p = graph.conv %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>",
        "%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>",
    )
    assert cost_model(load_device("ndpx"), None).costs([op]) == [None]


def test_more_units_reduce_the_time_to_a_floor_and_a_launch_is_charged() -> None:
    (op,) = ops(ADD)
    times = [cost(op, launch="0 ns", units=units, bandwidth="1e6 TB/s").ns for units in (1, 2, 8, 1_000_000)]
    assert times == sorted(times, reverse=True)
    floor = times[-1]
    assert floor > 300, "cycles of 1 ns"
    assert times[0] - floor == pytest.approx(8 * (times[2] - floor), rel=0.01)
    assert cost(op, launch="3 us", units=8, bandwidth="1e6 TB/s").ns == times[2] + 3000


def test_wider_lanes_and_packets_and_a_faster_clock_take_less() -> None:
    shape = "tensor<1024x2048xf32>"
    gelus = "".join(f"%{n} = graph.gelu {'%a' if not n else f'%{n - 1}'} : {shape}\n" for n in range(6))
    (op,) = ops(f"%p = graph.fused (%a = %x) {{\n{gelus}graph.yield %5\n}}", f"%x: {shape}")

    def ns(op: GraphOp | FusedOp, **changes: int | str) -> float:
        return cost(op, "ndpx", **{"launch": 0, "bandwidth": "1e6 TB/s"}, **changes).ns

    assert ns(op, clock="2 GHz") == pytest.approx(ns(op) / 2)
    assert ns(op, simd=16) < 0.8 * ns(op), "48 ops for each element"
    (add,) = ops(ADD.replace("64x512", "1024x2048"), f"%x: {shape}, %y: {shape}")
    assert ns(add, packet="64 B") < 0.8 * ns(add), "three streams of elements"


def test_a_value_that_several_phases_need_is_stored_and_loaded_again() -> None:
    (op,) = ops("%p = graph.softmax %x : tensor<64x512xf32>")
    phases = [(len(each.stores), *each.counts[:5]) for each in Phased(op).phases()]
    assert phases == [(0, 32768, 1, 1, 0, 1), (1, 32768, 1, 2, 3, 1), (1, 32768, 1, 1, 2, 0)]


def test_independent_reductions_share_a_phase() -> None:
    (op,) = ops(
        "%p, %q = graph.fused (%a = %x, %b = %y) {\n"
        "  %0 = graph.mul %a, %b : tensor<64x512xf32>\n"
        "  %1 = graph.reduce sum %0 axes = [0] : tensor<64x512xf32>\n"
        "  %2 = graph.reduce sum %b axes = [0] : tensor<64x512xf32>\n"
        "  graph.yield %1, %2\n}"
    )
    phases = [(len(each.stores), *each.counts[:5]) for each in Phased(op).phases()]
    assert phases == [(0, 32768, 2, 2, 1, 2), (2, 512, 0, 2, 2, 0)]


@pytest.mark.parametrize(
    "body",
    [
        "%p = graph.softmax %x axis = 0 : tensor<16x24xELEMENT>",
        "%p = graph.layer_norm %x, %s, %s : tensor<16x24xELEMENT>, tensor<24xELEMENT>, tensor<24xELEMENT>",
        "%p = graph.layer_norm %x, %s epsilon = 0.1 : tensor<16x24xELEMENT>, tensor<24xELEMENT>",
        "%p = graph.rms_norm %x, %s : tensor<16x24xELEMENT>, tensor<24xELEMENT>",
    ],
)
@pytest.mark.parametrize(("element", "bound"), [("f32", 2e-6), ("f16", 1e-3), ("f64", 1e-13)])
def test_softmax_and_norms_equal_their_primitives(body: str, element: str, bound: float) -> None:
    arguments = f"%x: tensor<16x24x{element}>, %s: tensor<24x{element}>"
    (op,) = ops(body.replace("ELEMENT", element), arguments)
    draw, dtype = np.random.default_rng(0), {"f16": np.float16, "f32": np.float32, "f64": np.float64}[element]
    known = {2: draw.normal(1, 2, (16, 24)).astype(dtype), 1: draw.normal(0, 1, 24).astype(dtype)}
    arguments = [known[len(shape_of(value))] for value in op.operands]
    (expected,), (found,) = evaluate(op, arguments), evaluate(in_primitives(op), arguments)
    assert found.dtype == expected.dtype
    assert np.abs(found.astype(float) - expected.astype(float)).max() <= bound * max(
        1.0, np.abs(expected.astype(float)).max()
    )


def test_no_kernel_moves_more_bytes_than_the_memory_behind_all_units() -> None:
    """A fused multiply-add reads three arrays and stores one; a softmax has three phases, whose slower part each is the
    units or the memory."""
    arguments = "%x: tensor<1024x1024xf32>"
    (softmax,) = ops("%p = graph.softmax %x : tensor<1024x1024xf32>", arguments)
    add = ops(
        "%p = graph.fused (%a = %x) {\n  %0 = graph.mul %a, %a : tensor<1024x1024xf32>\n  graph.yield %0\n}", arguments
    )
    for sheet, most in (("ndpx", 409.6), ("matndp", 900.0)):
        for op in (softmax, *add):
            for units in (1, 8, 20):
                found = cost(op, sheet, units=units)
                assert found.bytes / (found.ns - 1000) <= most
    assert cost(softmax, units=20).ns > cost(softmax, units=20, bandwidth="900 GB/s").ns


def test_each_phase_takes_the_longer_of_units_and_memory() -> None:
    """The floor of a phase comes first: its bytes move while the units stream."""
    (op,) = ops("%p = graph.softmax %x : tensor<64x512xf32>")
    phases = Phased(op).phases()
    found = NearDataCosts(as_units("ndpx", units=1, bandwidth="2 GB/s", launch=0))
    cycles = found.cycles(phases)
    assert [each.memory for each in cycles] == [each.nbytes / 2 for each in phases]
    assert [each.total for each in cycles] == [each.floor + max(each.stream, each.memory) for each in cycles]
    assert found.launch(phases).phases == pytest.approx([each.total for each in cycles])
    assert found.launch(phases).bound == "memory"
    assert found.launch(phases).energy_nj == cost(op, launch=0).energy_nj, "bytes cost the same at any bandwidth"


def as_units(sheet: str, **changes: int | float | str) -> NearData:
    device = load_device(sheet, changes)
    assert isinstance(device, NearData)
    return device


def test_units_without_a_bandwidth_are_refused(tmp_path: Path) -> None:
    text = Path(load_device("toy_ndp").file).read_text()
    block = text[text.index("device toy_ndp") :].partition("\n\n")[0]
    lines = [line for line in block.splitlines() if "bandwidth" not in line]
    assert len(lines) + 1 == len(block.splitlines())
    (tmp_path / "mine.sheet").write_text("\n".join(lines).replace("toy_ndp", "mine"))
    with pytest.raises(InputError, match=r"bandwidth"):
        load_device(str(tmp_path / "mine.sheet"))


@pytest.mark.parametrize("machine", ["v100-ndpx", "v100-matndp", "v100-ndp_turns", "toy-ndp"])
def test_shipped_machines_run_ops_on_the_units(machine: str) -> None:
    text = (
        "func.func @main(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {\n"
        "  %y = graph.tanh %x : tensor<4096x1024xf32>\n"
        "  func.return %y : tensor<4096x1024xf32>\n}"
    )
    module = ndpir.compile(ndpir.parse(text), "place{policy=pim-first}", machine=machine)
    assert "task.run @ndp" in str(module)
    timeline = ndpir.simulate(module)
    assert timeline.makespan_ns > 0


def test_assumed_values_have_a_range_and_a_reason() -> None:
    sheet = load_device("ndpx")
    stated = {(each.name, each.stated, each.range) for each in sheet.assumed}
    assert stated >= {("units", "8", "1 to 20"), ("clock", "1 GHz", "0.5 to 2 GHz")}
    assert ("bandwidth", "(32 * 16 / 8 * 6.4) GB/s", "225 to 900 GB/s") in stated
    assert as_units("ndpx").bandwidth == 409.6e9
    assert sheet.unranged == ()


def test_units_without_a_law_are_refused(tmp_path: Path) -> None:
    text = Path(load_device("toy_ndp").file).read_text()
    block = text[text.index("device toy_ndp") :].partition("\n\n")[0]
    (tmp_path / "mine.sheet").write_text(block.replace("toy_ndp", "mine"))
    (op,) = ops(ADD)
    with pytest.raises(InputError, match="the cycles of kernels on mine are unknown"):
        cost(op, str(tmp_path / "mine.sheet"))
    law = Path(load_device("toy_ndp").file).parent / "calibrations" / "toy_ndp.law"
    (tmp_path / "mine.law").write_text(law.read_text())
    assert cost(op, str(tmp_path / "mine.sheet")) == cost(op, "toy_ndp")
