"""The lower bound on plans that decide together where ops run, where values rest, and what runs again."""

from __future__ import annotations

import pytest

from interp.machine.memory_system import MemorySystem
from interp.walk.entry import entry_of
from lowering.banks.templates import clock_for
from lowering.instance.of_program import PlacementProblem
from lowering.instance.options import Options
from lowering.joint.bound.program import JointRelaxation, joint_bound
from tests.programs import parse

BODY = """
func.func @main(%x: tensor<25000xf32> {task.state = "read"}) -> tensor<25000xf32> {
  %a = graph.relu %x : tensor<25000xf32>
  %b = graph.exp %a : tensor<25000xf32>
  %c = graph.sqrt %b : tensor<25000xf32>
  %d = graph.add %b, %c : tensor<25000xf32>
  %e = graph.add %d, %a : tensor<25000xf32>
  func.return %e : tensor<25000xf32>
}
"""
BESIDE = 'hw.device @ndp = "toy_ndp"\nhw.link @gpu to @ndp = "toy_link"\n'


def problem_of(memory: str, beside: str = "") -> tuple[PlacementProblem, MemorySystem]:
    module = parse(
        f'hw.device @gpu = "toy_gpu" {{memory = "{memory}"}}\n{beside}hw.device @host = "toy_host"\n'
        f'hw.link @gpu to @host = "toy_bus"\n{BODY}'
    )
    clock = clock_for(module)
    system = MemorySystem.of(clock.machine)
    assert system is not None
    return PlacementProblem(entry_of(module), clock, Options(behind=True)), system


def bound(memory: str, beside: str = "", repeats: bool = True, branches: int = 0) -> JointRelaxation:
    found = joint_bound(*problem_of(memory, beside), repeats, branches)
    assert found is not None
    return found


def test_with_enough_memory_it_is_the_time_of_all_kernels() -> None:
    problem, _ = problem_of("1 MB")
    kernels = sum(node.choices[0].cost.ns for node in problem.nodes)
    found = bound("1 MB")
    assert found.bound_ns == pytest.approx(kernels, rel=1e-6)
    assert found.prices == pytest.approx([0.0] * len(problem.nodes))


def test_with_little_memory_the_argument_moves_or_a_value_is_computed_again() -> None:
    """Four values of 100 kB are live as `%d` is made, of which the argument and `%a` are not read by it."""
    least, both, moved = bound("1 MB").bound_ns, bound("300 kB"), bound("300 kB", repeats=False)
    assert least < both.bound_ns < moved.bound_ns
    assert max(both.reruns.values()) > 0.5
    assert not moved.reruns
    assert max(moved.prices) > 0


def test_choices_are_fractions_and_become_whole_in_branches() -> None:
    loose, tight = bound("300 kB", BESIDE), bound("300 kB", BESIDE, branches=40)
    assert loose.bound_ns <= tight.bound_ns <= bound("300 kB").bound_ns * (1 + 1e-6)
    problem, _ = problem_of("300 kB", BESIDE)
    for node in problem.nodes:
        theirs = [each for (number, _), each in loose.fractions.items() if number == node.index]
        assert sum(theirs) == pytest.approx(1.0)


def test_a_problem_that_is_too_large_has_none() -> None:
    assert joint_bound(*problem_of("300 kB"), largest=2) is None
