"""What a timeline says of memory: residents once, values from their making to their last use."""

from __future__ import annotations

from interp.timeline import simulate
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
