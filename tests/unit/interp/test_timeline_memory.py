"""The memory account of a timeline: residents once, values from their making to their last use."""

from __future__ import annotations

from interp.cost.clock import Clock
from interp.machine.composition import Machine
from interp.schedule.simulation import simulate
from tests.programs import parse
from tests.table_clock import TableClock, machine

CLOCK = TableClock(machine("gpu", "pim"), {"relu": {"gpu": 10, "pim": 10}, "add": {"gpu": 10, "pim": 10}})


def test_weights_lie_at_home_before_placement_and_values_die() -> None:
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
    # Only a value and the next one are there at a time.
    assert (timeline.memory["gpu"].resident, timeline.memory["gpu"].live) == (16, 32)
    assert timeline.memory["pim"].total == 0


def test_residents_count_once_a_device_and_results_are_kept() -> None:
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


def test_what_a_function_is_called_with_stays_until_its_last_use_there() -> None:
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


def test_parts_that_a_launch_reads_as_one_take_their_rows_once() -> None:
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
    # Two rows of 256 bytes in all banks, not two for each part; what is loaded, and the sums.
    assert timeline.memory["pim"].live == 2 * 256 + 32 + 16
