"""Tests of a timeline's memory use: residents count once, values from their definition to their last use."""

from __future__ import annotations

from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.simulate.simulation import simulate
from tests.programs import parse
from tests.table_clock import TableClock, machine

CLOCK = TableClock(machine("gpu", "pim"), {"relu": {"gpu": 10, "pim": 10}, "add": {"gpu": 10, "pim": 10}})


def test_before_placement_all_weights_and_live_values_are_on_the_primary_device() -> None:
    timeline = simulate(
        parse(
            """
            func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
              %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4xf32>
              %unused = graph.weight "u" = uniform(-1.0, 1.0, 1) : tensor<4xf32>
              %a = graph.add %x, %w : tensor<4xf32>
              %b = graph.relu %a : tensor<4xf32>
              %c = graph.relu %b : tensor<4xf32>
              %v = graph.reshape %c : tensor<4xf32> -> tensor<2x2xf32>
              %u = graph.reshape %v : tensor<2x2xf32> -> tensor<4xf32>
              %d = graph.add %u, %w : tensor<4xf32>
              func.return %d : tensor<4xf32>
            }
            """
        ),
        CLOCK,
    )
    # At most two values are live at a time: an op's operand and its result.
    assert (timeline.memory["gpu"].resident, timeline.memory["gpu"].live) == (16, 32)
    assert timeline.memory["pim"].total == 0


def test_residents_count_once_per_device_and_results_stay_live() -> None:
    timeline = simulate(
        parse(
            """
            func.func @main(%x: !task.on<@gpu, tensor<4xf32>>) -> (!task.on<@pim, tensor<4xf32>>, !task.on<@pim,
            tensor<4xf32>>) { %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4xf32> %w1 = task.resident %w on
            @pim %w2 = task.resident %w on @pim %xp = task.copy %x to @pim %a = task.run @pim (%p = %xp, %q = %w1) { %0
            = graph.add %p, %q : tensor<4xf32> task.yield %0 } %b = task.run @pim (%p = %xp, %q = %w2) { %0 = graph.add
            %p, %q : tensor<4xf32> task.yield %0 } func.return %a, %b : !task.on<@pim, tensor<4xf32>>, !task.on<@pim,
            tensor<4xf32>> }
            """
        ),
        CLOCK,
    )
    assert (timeline.memory["pim"].resident, timeline.memory["pim"].live) == (16, 48)
    assert (timeline.memory["gpu"].resident, timeline.memory["gpu"].live) == (0, 16)


def test_arguments_of_a_call_are_live_until_their_last_use_in_the_function() -> None:
    timeline = simulate(
        parse(
            """
            func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
              %a = graph.relu %x : tensor<4xf32>
              %b = graph.add %a, %x : tensor<4xf32>
              func.return %b : tensor<4xf32>
            }
            func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
              %a = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
              func.return %a : tensor<4xf32>
            }
            """
        ),
        CLOCK,
    )
    assert timeline.memory["gpu"].live == 48
    assert timeline.makespan_ns == 20


def test_concatenated_parts_that_a_launch_reads_take_rows_once() -> None:
    module = parse(
        """
    hw.device @gpu = "a100"
    hw.device @pim = "toy_pim"
    hw.link @gpu to @pim = "on_board"
    pim.kernel @k on @pim (%x: memref<8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
      pim.load %x
      pim.for %r = 0 to 2 {
        pim.act all row %r
        pim.mac all columns 0 to 2
        pim.drain all to %y[%r]
        pim.pre all
      }
    }
    func.func @main(%x: !task.on<@gpu, tensor<1x1x2x2x4xf32>>, %v: !task.on<@gpu, tensor<8xf32>>)
        -> !task.on<@pim, tensor<2x2xf32>> {
      %a = task.run @gpu (%i = %x) {
        %0 = graph.relu %i : tensor<1x1x2x2x4xf32>
        task.yield %0
      }
      %b = task.run @gpu (%i = %x) {
        %0 = graph.neg %i : tensor<1x1x2x2x4xf32>
        task.yield %0
      }
      %ap = task.copy %a to @pim
      %bp = task.copy %b to @pim
      %vp = task.copy %v to @pim
      %w = task.run @pim (%p = %ap, %q = %bp) {
        %0 = graph.concat %p, %q axis = 1 {order = array<i64: 0, 1, 2, 3, 4>}
          : tensor<1x1x2x2x4xf32>, tensor<1x1x2x2x4xf32>
        task.yield %0
      }
      %y = task.run @pim (%p = %vp, %q = %w) {
        %r = pim.launch @k (%p, %q) : (tensor<8xf32>, tensor<1x2x2x2x4xf32>) -> tensor<2x2xf32>
        task.yield %r
      }
      func.return %y : !task.on<@pim, tensor<2x2xf32>>
    }
        """
    )
    timeline = simulate(module, Clock(Machine.of(module)))
    # Two rows of 256 bytes in all banks together (not for each part), 32 bytes of the loaded vector, 16 of the sums.
    assert timeline.memory["pim"].live == 2 * 256 + 32 + 16
