"""Laws of the policy `optimal` with the least effort: for small programs, its placements are proved optimal."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from lowering.limits import LIMITS
from lowering.optimise.quick.heuristics import quick
from lowering.optimise.search.small import place_small
from tests.laws.placement.random_placements import random_placement_problem
from tests.laws.placement.test_exact import check
from tests.laws.schedule.naive_schedules import optimum
from tests.table_problem import random_problem

KINDS: list[tuple[int, int, dict[str, Any]]] = [
    (6, 10, {}),
    (5, 15, {"rich": True}),
    (5, 15, {"rich": True, "arbitrations": ("separate", "exclusive")}),
    (6, 10, {"devices": 2}),
]
"""Kinds of random problems. Each entry is the number of nodes, the number of problems to draw, and the arguments of
`random_placement_problem`."""
BRANCHES = """
hw.device @gpu = "toy_gpu" {launch = "0 ns", bandwidth = "1 GB/s"}
hw.device @pim = "toy_pim" {launch = "0 ns"}
hw.link @gpu to @pim = "toy_link" {latency = "100 ns", bandwidth = "10 GB/s"}
func.func @main(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %v = graph.weight "v" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %w = graph.weight "w" = uniform(-1.0, 1.0, 2) : tensor<8x8xf32>
  %u = graph.weight "u" = uniform(-1.0, 1.0, 3) : tensor<8x8xf32>
  %a = graph.matmul %x, %v : tensor<16x8xf32>, tensor<8x8xf32>
  %b = graph.matmul %x, %w : tensor<16x8xf32>, tensor<8x8xf32>
  %c = graph.matmul %b, %u : tensor<16x8xf32>, tensor<8x8xf32>
  %y = graph.add %a, %c : tensor<16x8xf32>
  func.return %y : tensor<16x8xf32>
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "count", "kind"), KINDS)
def test_it_is_the_best_of_all_placements_and_orders(nodes: int, count: int, kind: Mapping[str, Any]) -> None:
    for seed in range(4000, 4000 + count):
        problem = random_placement_problem(seed, nodes, **kind)
        schedule, least = place_small(problem), optimum(problem)
        check(problem, schedule)
        assert schedule.ns == pytest.approx(least, rel=1e-6)
        assert schedule.bound is not None
        assert schedule.bound.ns == pytest.approx(least, rel=1e-6)


@pytest.mark.slow
def test_rules_alone_do_not_suffice_and_the_work_does() -> None:
    """For problems of the largest size that are searched exactly, the schedule is proved optimal, and more than 5 %
    shorter than that of its rules."""
    gains: list[float] = []
    for seed in range(2):
        problem = random_problem(seed, LIMITS.whole_nodes, 2, window=6)
        schedule = place_small(problem)
        assert schedule.bound is not None
        assert schedule.ns == pytest.approx(schedule.bound.ns, rel=1e-6)
        gains.append(problem.makespan(quick(problem)) / schedule.ns - 1)
    assert min(gains) > 0.05


def test_larger_programs_are_left_to_rules() -> None:
    problem = random_problem(0, LIMITS.whole_nodes + 1)
    assert place_small(problem).placement == quick(problem)


@pytest.mark.slow
def test_few_ops_are_proved_without_the_import_of_or_tools() -> None:
    """The import of OR-tools takes longer than all other work on such a program."""
    code = """
import sys
import ndpir
module = ndpir.compile(ndpir.parse(sys.argv[1]), "offload")
assert "task.plan" in str(module)
assert "ortools" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code, BRANCHES], check=True)
