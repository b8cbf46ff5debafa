"""Tests of memory use on PIMs: weights take whole rows, `to-pim` does not change memory use, and full devices take no
more weights."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import ndpir
from dialects.diagnostics import InputError
from interp.simulate.schedule.memory import Need, Residency
from interp.simulate.simulation import simulate
from lowering.banks.templates import clock_for
from lowering.banks.to_pim import ToPimPass
from lowering.place.place import PlacePass
from tests.programs import parse

MACHINE = """
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim" {changes}
hw.link @gpu to @pim = "toy_link"
"""


def program(count: int, outputs: int, inner: int, changes: str = "") -> ModuleOp:
    """A function of `count` matmuls of one vector, each with a different weight."""
    lines = [
        f'%w{i} = graph.weight "w{i}" = uniform(-1.0, 1.0, {i}) : tensor<{inner}x{outputs}xf32>\n'
        f"%y{i} = graph.matmul %x, %w{i} : tensor<1x{inner}xf32>, tensor<{inner}x{outputs}xf32>"
        for i in range(count)
    ]
    types = ", ".join([f"tensor<1x{outputs}xf32>"] * count)
    results = ", ".join(f"%y{i}" for i in range(count))
    return parse(
        MACHINE.replace("{changes}", changes)
        + f"func.func @main(%x: tensor<1x{inner}xf32>) -> ({types}) {{\n"
        + "\n".join(lines)
        + f"\nfunc.return {results} : {types}\n}}"
    )


def placed(module: ModuleOp, policy: str) -> ModuleOp:
    PlacePass(policy, effort=1 if policy == "optimal" else 2).apply(Context(), module)
    return module


def test_two_weights_of_3000_rows_do_not_fit_into_4096_rows() -> None:
    module = placed(program(2, outputs=6000, inner=20), "pim-first")
    need = simulate(module, clock_for(module)).memory["pim"]
    assert need.resident == 3000 * 256  # one weight; a row of both banks has 256 bytes
    assert need.total <= 4096 * 256


@pytest.mark.parametrize("changes", ["", "{channels = 4}", "{tied = true}", "{channels = 3, columns = 16}"])
@pytest.mark.parametrize("policy", ["pim-first", "optimal"])
def test_memory_is_the_same_before_and_after_to_pim(changes: str, policy: str) -> None:
    module = placed(program(3, outputs=50, inner=100, changes=changes), policy)
    before = simulate(module, clock_for(module)).memory
    ToPimPass().apply(Context(), module)
    module.verify()
    assert simulate(module, clock_for(module)).memory == before


@pytest.mark.parametrize("rows", [1, 25, 100, 150, 199])
def test_weights_that_place_puts_on_a_pim_fit_its_banks(rows: int) -> None:
    module = placed(program(4, outputs=50, inner=30, changes=f"{{rows = {rows}}}"), "pim-first")
    ToPimPass().apply(Context(), module)
    assert simulate(module, clock_for(module)).memory["pim"].total <= rows * 256


def test_all_readers_of_a_weight_leave_a_device_that_it_does_not_fit() -> None:
    text = """
    func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
      %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
      %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
      %b = graph.matmul %a, %w : tensor<1x32xf32>, tensor<32x32xf32>
      func.return %b : tensor<1x32xf32>
    }
    """
    module = placed(parse(MACHINE.replace("{changes}", "{rows = 16}") + text), "pim-first")
    assert simulate(module, clock_for(module)).busy_ns["pim"] == 0


def test_a_program_larger_than_the_primary_device_s_memory_is_refused_before_placement() -> None:
    module = parse(
        """
        hw.device @gpu = "toy_gpu" {memory = "1 kB"}
        func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
          %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
          %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
          func.return %a : tensor<1x32xf32>
        }
        """
    )
    with pytest.raises(InputError, match=r"@main needs 4\.352 kB on @gpu \(4\.096 kB of weights and constants, 256 B"):
        simulate(module, clock_for(module))


def test_an_unread_argument_takes_memory_at_the_start() -> None:
    residency = Residency()
    residency.hold("gpu", 100)
    residency.hold("gpu", 10).readers.append(0)  # read by a job that takes no time
    assert residency.needs(["gpu"], [0.0], [0.0]) == {"gpu": Need(0, 110)}


def test_a_result_reuses_memory_of_values_that_are_no_longer_read() -> None:
    residency = Residency()
    residency.hold("gpu", 100).readers.append(0)
    residency.hold("gpu", 100, 0).readers.append(1)
    residency.hold("gpu", 100, 1).readers.append(2)
    residency.hold("gpu", 1, 2).kept = True
    assert residency.needs(["gpu"], [0.0, 5.0, 10.0], [5.0, 10.0, 10.0])["gpu"].live == 200


def test_a_copied_weight_in_banks_takes_whole_rows() -> None:
    module = parse(
        """
        hw.device @pim = "toy_pim"
        pim.kernel @gemv on @pim (%x: memref<4xf32>, %w: memref<1x3x2x1x4xf32> at row 0) -> (%y: memref<3x2xf32>) {
          pim.load %x
          pim.for %r = 0 to 3 {
            pim.act all row %r
            pim.mac all columns 0 to 1
            pim.drain all to %y[%r]
            pim.pre all
          }
        }
        func.func @main(%x: !task.on<@pim, tensor<4xf32>>, %w: !task.on<@pim, tensor<1x3x2x1x4xf32>>)
            -> !task.on<@pim, tensor<3x2xf32>> {
          %y = task.run @pim (%a = %x, %b = %w) {
            %0 = pim.launch @gemv (%a, %b) : (tensor<4xf32>, tensor<1x3x2x1x4xf32>) -> tensor<3x2xf32>
            task.yield %0
          }
          func.return %y : !task.on<@pim, tensor<3x2xf32>>
        }
        """
    )
    assert simulate(module, clock_for(module)).memory["pim"] == Need(0, 3 * 256 + 16 + 24)


def test_a_baseline_is_noted_and_parses_to_the_same() -> None:
    module = placed(program(1, outputs=8, inner=8), "optimal")
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    again = next(op for op in parse(str(module)).ops if isinstance(op, FuncOp))
    assert again.attributes["task.baseline"] == function.attributes["task.baseline"]
    assert str(function.attributes["task.baseline"]).startswith("#task.baseline<ns = 1003.2, nj = ")


def test_a_launch_outside_of_tasks_holds_its_weights_on_its_device() -> None:
    module = parse(
        """
        hw.device @gpu = "toy_gpu"
        hw.device @pim = "toy_pim"
        pim.kernel @gemv on @pim (%x: memref<4xf32>, %w: memref<1x3x2x1x4xf32> at row 0) -> (%y: memref<3x2xf32>) {
          pim.load %x
          pim.for %r = 0 to 3 {
            pim.act all row %r
            pim.mac all columns 0 to 1
            pim.drain all to %y[%r]
            pim.pre all
          }
        }
        func.func @main(%x: tensor<4xf32>) -> tensor<3x2xf32> {
          %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<1x3x2x1x4xf32>
          %y = pim.launch @gemv (%x, %w) : (tensor<4xf32>, tensor<1x3x2x1x4xf32>) -> tensor<3x2xf32>
          func.return %y : tensor<3x2xf32>
        }
        """
    )
    assert simulate(module, clock_for(module)).memory == {"gpu": Need(0, 16), "pim": Need(3 * 256, 24)}


def test_joint_tells_what_does_not_fit() -> None:
    """No placement of the search fits, and no moves help."""
    text = """
    hw.device @gpu = "toy_gpu" {memory = "20 kB"}
    hw.device @pim = "toy_pim"
    hw.device @host = "toy_host"
    hw.link @gpu to @pim = "toy_link"
    hw.link @gpu to @host = "toy_bus"
    func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %y = graph.softmax %x axis = 1 : tensor<64x64xf32>
      func.return %y : tensor<64x64xf32>
    }
    """
    with pytest.raises(ndpir.InputError, match=r"needs 32\.768 kB at one time, but @gpu holds 20 kB"):
        ndpir.compile(ndpir.parse(text), "place{effort=3}")


def test_a_value_that_a_task_without_duration_reads_is_there_with_its_result() -> None:
    residency = Residency()
    residency.hold("gpu", 100).readers.append(0)
    residency.hold("gpu", 50, maker=0).readers.append(1)
    assert residency.needs(["gpu"], [0.0, 0.0], [0.0, 5.0])["gpu"].live == 150
    unread = Residency()
    unread.hold("gpu", 100)
    unread.hold("gpu", 50, maker=0).readers.append(1)
    assert unread.needs(["gpu"], [0.0, 0.0], [0.0, 5.0])["gpu"].live == 100
