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
from dialects.graph.primitives import in_primitives
from interp.cost.models import cost_model
from interp.cost.near_data.phases import Phased
from interp.cost.record import Cost
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
    times = [cost(op, launch="0 ns", units=units).ns for units in (1, 2, 8, 1_000_000)]
    assert times == sorted(times, reverse=True)
    floor = times[-1]
    assert floor > 300, "cycles of 1 ns"
    assert times[0] - floor == pytest.approx(8 * (times[2] - floor), rel=0.01)
    assert cost(op, launch="3 us", units=8).ns == times[2] + 3000


def test_wider_lanes_and_packets_and_a_faster_clock_take_less() -> None:
    shape = "tensor<1024x2048xf32>"
    gelus = "".join(f"%{n} = graph.gelu {'%a' if not n else f'%{n - 1}'} : {shape}\n" for n in range(3))
    (op,) = ops(f"%p = graph.fused (%a = %x) {{\n{gelus}graph.yield %2\n}}", f"%x: {shape}")
    usual = cost(op, launch=0).ns
    assert cost(op, launch=0, clock="2 GHz").ns == usual / 2
    assert cost(op, launch=0, simd=16).ns < 0.8 * usual, "24 ops for each element"
    (add,) = ops(ADD.replace("64x512", "1024x2048"), f"%x: {shape}, %y: {shape}")
    assert cost(add, launch=0, packet="64 B").ns < 0.8 * cost(add, launch=0).ns, "three streams of elements"


def test_a_value_that_several_phases_need_is_stored_and_loaded_again() -> None:
    (op,) = ops("%p = graph.softmax %x : tensor<64x512xf32>")
    phases = [(each.elements, len(each.loads), len(each.stores), each.ops) for each in Phased(op).phases()]
    assert phases == [(32768, 1, 0, 1), (32768, 1, 1, 4), (32768, 1, 1, 2)]


def test_independent_reductions_share_a_phase() -> None:
    (op,) = ops(
        "%p, %q = graph.fused (%a = %x, %b = %y) {\n"
        "  %0 = graph.mul %a, %b : tensor<64x512xf32>\n"
        "  %1 = graph.reduce sum %0 axes = [0] : tensor<64x512xf32>\n"
        "  %2 = graph.reduce sum %b axes = [0] : tensor<64x512xf32>\n"
        "  graph.yield %1, %2\n}"
    )
    phases = [(each.elements, len(each.loads), len(each.stores), each.ops) for each in Phased(op).phases()]
    assert phases == [(32768, 2, 0, 3), (512, 0, 2, 2)]


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


def test_memory_bandwidth_may_bound_the_units() -> None:
    (op,) = ops(ADD)
    assert cost(op, launch=0, bandwidth="1 GB/s").ns == 3 * 64 * 512 * 4
    assert cost(op, bandwidth="1 GB/s").bound == "memory"
    assert cost(op, bandwidth="90 TB/s").ns == cost(op).ns


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
