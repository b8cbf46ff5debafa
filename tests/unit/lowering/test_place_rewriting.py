"""Tests of placement of small programs: tasks, copies, residents, splits, and errors with their locations."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dialects.diagnostics import InputError
from dialects.graph import FusedOp, MatmulOp
from dialects.locations import place_of
from dialects.task import CopyOp, ResidentOp, RunOp
from interp.simulate.simulation import simulate
from interp.walk.run import run_module
from lowering.instance.choice import Choice
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Problem, Schedule
from lowering.optimise.policies import POLICIES
from lowering.place.place import place_function
from tests.laws.placement.deciding import LEAST
from tests.programs import parse
from tests.table_clock import TableClock, Times, machine

# A matmul is fast on the PIM; besides matmul and conv without bias, the PIM can run only add.
TIMES: Times = {
    "matmul": {"gpu": 100, "pim": 10},
    "matmul+bias": {"gpu": 100},
    "conv": {"gpu": 100, "pim": 10},
    "conv+bias": {"gpu": 100},
    "relu": {"gpu": 20},
    "add": {"gpu": 20, "pim": 20},
}


def clock(**memory_bytes: int) -> TableClock:
    return TableClock(machine("gpu", "pim", memory_bytes=memory_bytes), TIMES)


def function_of(module: ModuleOp) -> FuncOp:
    return next(op for op in module.ops if isinstance(op, FuncOp))


def place(text: str, policy: str, with_clock: TableClock | None = None) -> ModuleOp:
    module = parse(text)
    place_function(function_of(module), with_clock or clock(), policy, options=LEAST)
    module.verify()
    return module


def ops(module: ModuleOp, kind: type[Operation]) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, kind)]


def tasks(module: ModuleOp) -> list[str]:
    """`device: ops` of each task, and `a->b` of each copy, in order."""
    found: list[str] = []
    for op in function_of(module).body.block.ops:
        if isinstance(op, RunOp):
            inner = [each.name.removeprefix("graph.") for each in op.body.block.ops if each.name != "task.yield"]
            found.append(f"{op.place}: {' '.join(inner)}")
        elif isinstance(op, CopyOp):
            found.append("->".join(op.ends))
    return found


CHAIN = """
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>
  %a = graph.matmul %x, %w : tensor<1x4xf32>, tensor<4x4xf32>
  %v = graph.reshape %a : tensor<1x4xf32> -> tensor<4xf32>
  %u = graph.reshape %v : tensor<4xf32> -> tensor<1x4xf32>
  %b = graph.matmul %u, %w : tensor<1x4xf32>, tensor<4x4xf32>
  %c = graph.relu %b : tensor<1x4xf32>
  %d = graph.add %c, %a : tensor<1x4xf32>
  func.return %d : tensor<1x4xf32>
}
"""


def test_on_the_primary_device_alone_no_copies_are_inserted() -> None:
    module = place(CHAIN, "gpu")
    assert tasks(module) == ["gpu: matmul", "gpu: reshape reshape matmul", "gpu: relu", "gpu: add"]
    assert len(ops(module, ResidentOp)) == 1


def test_views_move_with_their_readers_and_a_value_is_copied_once_to_each_device() -> None:
    assert tasks(place(CHAIN, "pim-first")) == [
        "gpu->pim",
        "pim: matmul",
        "pim: reshape reshape matmul",
        "pim->gpu",
        "gpu: relu",
        "gpu->pim",
        "pim: add",
        "pim->gpu",
    ]


def test_greedy_counts_copies() -> None:
    # Each copy of 16 bytes takes 26 ns: running the add on the PIM would need two more copies. On the primary device,
    # it needs a copy of %a.
    assert tasks(place(CHAIN, "greedy")) == [
        "gpu->pim",
        "pim: matmul",
        "pim: reshape reshape matmul",
        "pim->gpu",
        "gpu: relu",
        "pim->gpu",
        "gpu: add",
    ]


def test_a_weight_is_resident_on_each_device_that_reads_it() -> None:
    text = """
    func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>
      %r = graph.relu %w : tensor<4x4xf32>
      %a = graph.matmul %x, %r : tensor<4x4xf32>
      %b = graph.relu %a : tensor<4x4xf32>
      %c = graph.add %b, %r : tensor<4x4xf32>
      func.return %c : tensor<4x4xf32>
    }
    """
    module = place(text, "greedy")
    residents = [op for op in module.walk() if isinstance(op, ResidentOp)]
    assert len({op.value for op in residents}) == 1
    assert len(residents) == len({op.placed.type for op in residents})
    first = function_of(module).body.block.first_op
    assert first is not None
    assert [first.name, first.next_op and first.next_op.name] == ["graph.weight", "graph.relu"]


FUSED = """
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>
  %b = graph.weight "b" = uniform(-1.0, 1.0, 2) : tensor<4xf32>
  %y = graph.fused (%p = %x, %q = %w, %r = %b) {
    %0 = graph.matmul %p, %q, %r : tensor<1x4xf32>, tensor<4x4xf32>, tensor<4xf32>
    %1 = graph.relu %0 : tensor<1x4xf32>
    graph.yield %1
  }
  func.return %y : tensor<1x4xf32>
}
"""


def test_a_fused_group_is_split_if_the_pim_suits_its_contraction_only() -> None:
    # Split, 26 (copy) + 10 (matmul) + 26 (copy) + 20 + 20 (add, relu) ns; unsplit on the primary device, 120 ns.
    module = place(FUSED, "optimal")
    assert tasks(module) == ["gpu->pim", "pim: matmul", "pim->gpu", "gpu: fused"]
    [fused] = [op for op in module.walk() if isinstance(op, FusedOp)]
    assert [op.name for op in fused.ops] == ["graph.add", "graph.relu"]
    assert simulate(module, clock()).makespan_ns == 26 + 10 + 26 + 40


def test_a_split_group_computes_the_same() -> None:
    [before] = run_module(parse(FUSED), seed=3)
    [after] = run_module(place(FUSED, "optimal"), seed=3)
    np.testing.assert_allclose(before.astype(np.float64), after.astype(np.float64), atol=1e-6)


def test_a_split_convolution_adds_its_bias_along_the_channels() -> None:
    text = """
    func.func @main(%x: tensor<1x2x8x8xf32>) -> tensor<1x3x6x6xf32> {
      %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<3x2x3x3xf32>
      %b = graph.weight "b" = uniform(-1.0, 1.0, 2) : tensor<3xf32>
      %y = graph.conv %x, %w, %b : tensor<1x2x8x8xf32>, tensor<3x2x3x3xf32>, tensor<3xf32>
      func.return %y : tensor<1x3x6x6xf32>
    }
    """
    module = place(text, "pim-first")
    assert tasks(module) == [
        "gpu->pim",
        "pim: conv",
        "pim: fused",
        "pim->gpu",
    ]  # the table has a time for add on the PIM
    [before], [after] = run_module(parse(text)), run_module(module)
    np.testing.assert_allclose(before.astype(np.float64), after.astype(np.float64), atol=1e-5)


def test_tasks_and_copies_keep_locations() -> None:
    module = place(CHAIN, "pim-first")
    places = {op.name: place_of(op) for op in function_of(module).body.block.ops}
    assert places["task.run"] == "test.mlir:9:8"
    assert places["task.copy"] == "test.mlir:9:8"
    [split_matmul] = ops(place(FUSED, "optimal"), MatmulOp)
    assert place_of(split_matmul) == "test.mlir:6:10"


def test_results_that_need_no_task_are_returned_from_the_primary_device() -> None:
    module = place(
        """
        func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>) {
          %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4xf32>
          %v = graph.reshape %x : tensor<4xf32> -> tensor<2x2xf32>
          func.return %x, %v, %w : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>
        }
        """,
        "optimal",
    )
    assert tasks(module) == ["gpu: reshape"]
    assert simulate(module, clock()).makespan_ns == 0.0


def test_copies_between_unlinked_devices_go_through_the_primary_device() -> None:
    three = TableClock(machine("gpu", "left", "right"), {"relu": {"left": 1}, "exp": {"right": 1}})
    module = place(
        """
        func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
          %a = graph.relu %x : tensor<4xf32>
          %b = graph.exp %a : tensor<4xf32>
          func.return %b : tensor<4xf32>
        }
        """,
        "optimal",
        three,
    )
    assert tasks(module) == ["gpu->left", "left: relu", "left->gpu", "gpu->right", "right: exp", "right->gpu"]
    assert simulate(module, three).makespan_ns == 4 * 26 + 2


@pytest.mark.parametrize("policy", ["pim-first", "greedy", "optimal"])
def test_ops_whose_weights_do_not_fit_a_device_stay_on_the_primary_one(policy: str) -> None:
    # Two weights of 64 bytes each, values of 16 bytes; the PIM can hold one weight and the live values.
    text = """
    func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
      %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>
      %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<4x4xf32>
      %a = graph.matmul %x, %w : tensor<1x4xf32>, tensor<4x4xf32>
      %b = graph.matmul %a, %v : tensor<1x4xf32>, tensor<4x4xf32>
      func.return %b : tensor<1x4xf32>
    }
    """
    small = clock(pim=100)
    module = place(text, policy, small)
    assert sorted(task.split(":")[0] for task in tasks(module) if ":" in task) == ["gpu", "pim"]


def test_the_error_for_a_program_larger_than_memory_has_sizes_and_a_remedy() -> None:
    with pytest.raises(InputError) as caught:
        place(CHAIN, "gpu", clock(gpu=100, pim=10))
    assert caught.value.message == (
        "@main needs 112 B on @gpu (64 B of weights and constants, 48 B of live values), "
        "but sheet of gpu holds 100 B; place{policy=optimal} spreads weights over devices"
    )
    assert caught.value.place == "test.mlir:2:1"
    with pytest.raises(InputError, match="no moves help; use a device with more memory, or a smaller batch"):
        place(CHAIN, "optimal", clock(gpu=20, pim=20))


def test_an_op_that_no_device_can_run_is_an_error_at_the_op() -> None:
    with pytest.raises(InputError) as caught:
        place(CHAIN.replace("graph.relu %b", "graph.exp %b"), "optimal")
    assert caught.value.message == (
        "no device can run graph.exp of tensor<1x4xf32>: neither @gpu (sheet of gpu) nor @pim (sheet of pim) can; "
        "declare a device that can (hw.device)"
    )
    assert caught.value.place == "test.mlir:8:8"


def test_a_policy_that_returns_invalid_choices_is_an_error() -> None:
    POLICIES["first"] = lambda problem: [problem.nodes[0].choices[1]] * len(problem.nodes)
    POLICIES["none"] = lambda problem: []
    try:
        with pytest.raises(InputError, match=r"policy first must return one of the choices of graph.matmul: gpu, pim"):
            place(CHAIN, "first")
        with pytest.raises(InputError, match=r"policy none returned 0 choices for 4 nodes"):
            place(CHAIN, "none")
    finally:
        del POLICIES["first"], POLICIES["none"]


def test_a_policy_with_an_impossible_stream_or_location_is_an_error() -> None:
    def first(problem: Problem) -> list[Choice]:
        return [node.choices[0] for node in problem.nodes]

    POLICIES["streams"] = lambda problem: Schedule(first(problem), streams=((1, 0),))
    POLICIES["inputs"] = lambda problem: Schedule(first(problem), input_devices={problem.inputs[0]: "pim"})
    try:
        with pytest.raises(InputError, match="policy streams plans a stream from @gpu to @gpu that is not possible"):
            place(CHAIN, "streams")
        with pytest.raises(
            InputError,
            match="policy inputs keeps value 0 on @pim, but only an argument outside of loops that is donated",
        ):
            place(CHAIN, "inputs")
    finally:
        del POLICIES["streams"], POLICIES["inputs"]


def test_placing_a_placed_program_is_an_error() -> None:
    module = place(CHAIN, "gpu")
    with pytest.raises(InputError, match="@main is placed already"):
        place_function(function_of(module), clock(), "gpu")


def test_calls_are_not_placed() -> None:
    module = parse(
        """
        func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
          %a = func.call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
          func.return %a : tensor<4xf32>
        }
        func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
          func.return %x : tensor<4xf32>
        }
        """
    )
    with pytest.raises(InputError, match=r"func.call can't be placed"):
        place_function(function_of(module), clock(), "optimal")


def test_the_interface_of_a_problem_for_policies() -> None:
    problem = PlacementProblem(function_of(parse(CHAIN)), clock())
    assert [node.op.name for node in problem.nodes] == ["graph.matmul", "graph.matmul", "graph.relu", "graph.add"]
    assert [[choice.label for choice in node.choices] for node in problem.nodes] == [
        ["gpu", "pim"],
        ["gpu", "pim"],
        ["gpu"],
        ["gpu", "pim"],
    ]
    on_pim = problem.nodes[0].on("pim")
    assert on_pim is not None
    assert (on_pim.cost.ns, on_pim.device, problem.nodes[2].on("pim")) == (10, "pim", None)
    assert problem.copy(16, "gpu", "pim").ns == 26
    primary = [node.choices[0] for node in problem.nodes]
    assert problem.makespan(primary) == 240
    [x] = problem.inputs
    assert problem.bytes_of(x) == 16
    assert problem.consumers[x] == [0]
    # the weight %w; live are %x and the first matmul's result, then that and the next result, then the operands of the
    # add
    assert problem.needs(Schedule.of(primary))["gpu"].resident == 64
