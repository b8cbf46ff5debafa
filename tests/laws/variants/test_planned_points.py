"""Laws of sweeps whose points are planned together: each point's figures are those of the program that its plan
becomes, and no point is worse than if it was planned alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from interp.simulate.schedule.many import sum_of
from lowering.instance.problem import Schedule
from lowering.many.bound import bounds_below, chain_bound
from lowering.many.space import spread
from ndpir.reports.columns import Figure, row_of
from ndpir.reports.run import Run
from ndpir.reports.summary import summary_answer
from ndpir.sweep.axes import axes_of
from ndpir.sweep.evaluation import Evaluator
from ndpir.sweep.request import Request, variant_of
from ndpir.sweep.structures import Structure, Table, structures_of
from ndpir.sweep.together.planned import Planned

TWO_BRANCHES = """\
hw.device @gpu = "a100"
hw.device @pim = "newton"
hw.link @gpu to @pim = "on_board"
func.func @main(%x: tensor<1x2048xf16>) -> tensor<1x512xf16> {
  %p = graph.weight "p" = uniform(-0.05, 0.05, 1) : tensor<2048x1024xf16>
  %q = graph.weight "q" = uniform(-0.05, 0.05, 2) : tensor<2048x1024xf16>
  %r = graph.weight "r" = uniform(-0.05, 0.05, 3) : tensor<1024x512xf16>
  %a = graph.matmul %x, %p : tensor<1x2048xf16>, tensor<2048x1024xf16>
  %b = graph.matmul %x, %q : tensor<1x2048xf16>, tensor<2048x1024xf16>
  %c = graph.tanh %a : tensor<1x1024xf16>
  %d = graph.add %c, %b : tensor<1x1024xf16>
  %y = graph.matmul %d, %r : tensor<1x1024xf16>, tensor<1024x512xf16>
  func.return %y : tensor<1x512xf16>
}
"""
"""Two products that may run on different devices at the same time, and a third one of their sum."""
AXES = {
    "newton": ("tCCD=1..40", "tRP=1..60", "tRAS=1..90", "tRCD=1..40"),
    "aim": ("tCCD=1..20", "tRP=1..60", "tMOD=1..40", "tRCDMAC=1..60"),
}


@dataclass(frozen=True)
class Case:
    """Points on one device, the evaluator of their sweep, and the points planned together."""

    evaluator: Evaluator
    structure: Structure
    planned: Planned

    def alone(self, at: int) -> Mapping[str, Figure]:
        """The figures of the point at a position, planned alone."""
        return self.evaluator.figures(variant_of(self.structure.request, self.structure.points[at]))


CaseOf: TypeAlias = Callable[[str], Case]


@pytest.fixture(scope="module")
def case_of(tmp_path_factory: pytest.TempPathFactory) -> CaseOf:
    path = tmp_path_factory.mktemp("planned") / "branches.mlir"
    path.write_text(TWO_BRANCHES)

    @cache
    def case(device: str) -> Case:
        axes = axes_of([f"pim.{axis}" for axis in AXES[device]])
        request = Request(
            str(path), machine=f"a100-{device}", passes="offload", axes=axes, design="random", samples=40, seed=7
        )
        evaluator = Evaluator(request)
        [structure] = structures_of(request, request.points())

        def figures(at: int) -> Mapping[str, Figure]:
            return evaluator.figures(variant_of(request, structure.points[at]))

        def compiled(at: int) -> ModuleOp:
            return evaluator.compiled(variant_of(request, structure.points[at]))

        return Case(evaluator, structure, Planned(structure, figures, compiled))

    return case


def _rows(planned: Planned) -> dict[int, Mapping[str, Figure]]:
    return {int(lane): row for table, lanes in planned.tables() for lane, row in zip(lanes, table.rows(), strict=True)}


def _number(figure: Figure) -> float:
    assert isinstance(figure, float)
    return figure


@pytest.mark.parametrize("device", AXES)
def test_figures_are_those_of_the_written_program(case_of: CaseOf, device: str) -> None:
    planned = case_of(device).planned
    rows = _rows(planned)
    assert len(rows) == 40
    for group in planned.groups:
        for at in group.lanes[:: max(1, len(group.lanes) // 4)].tolist():
            written = row_of(summary_answer(Run(planned.written(group.plan, at)), depends=False))
            assert {**written, "placement_bound_ns": 0} == {**rows[at], "placement_bound_ns": 0}
            assert _number(rows[at]["placement_bound_ns"]) <= _number(written["makespan_ns"]) * (1 + 1e-8)


@pytest.mark.parametrize("device", AXES)
def test_no_point_is_worse_than_alone(case_of: CaseOf, device: str) -> None:
    case = case_of(device)
    rows = _rows(case.planned)
    for at in range(0, 40, 7):
        alone = case.alone(at)
        assert _number(rows[at]["makespan_ns"]) <= _number(alone["makespan_ns"]) * (1 + 1e-9)
        assert rows[at]["alone_ns"] == alone["alone_ns"]


@pytest.mark.parametrize("device", AXES)
def test_no_placement_in_program_order_is_better(case_of: CaseOf, device: str) -> None:
    """Brute force over all placements, for all points."""
    planned = case_of(device).planned
    space = next(space for space in planned.spaces.values() if space.tried.outcomes[0].plan is None)
    lanes = np.arange(len(planned.usable))
    every = list(islice(product(*(node.choices for node in space.problem.nodes)), 4096))
    assert 1 < len(every) < 4096
    for placement in every:
        plan = space.plan(Schedule(list(placement)))
        ns = plan.makespans(lanes)
        assert (planned.closure.ns <= ns * (1 + 1e-9)).all()
        assert (chain_bound(space, lanes) <= ns * (1 + 1e-9)).all()
        assert (bounds_below(space, lanes, planned.closure.ns) <= ns * (1 + 1e-9)).all()


def test_a_lane_is_the_problem_of_its_machine(case_of: CaseOf) -> None:
    """The scalar problem of a variant has the makespans that plans have in this variant."""
    planned = case_of("newton").planned
    space = next(space for space in planned.spaces.values() if space.tried.outcomes[0].plan is None)
    draw = Random(3)
    for lane in draw.sample(range(40), 6):
        alone = space.problem_at(lane)
        numbers = [draw.randrange(len(node.choices)) for node in space.problem.nodes]
        plan = space.plan(Schedule([node.choices[at] for node, at in zip(space.problem.nodes, numbers, strict=True)]))
        placement = [node.choices[at] for node, at in zip(alone.nodes, numbers, strict=True)]
        assert alone.makespan(placement) == plan.makespans(np.array([lane]))[0]


def test_points_that_fail_are_rows_with_their_reason(tmp_path: Path) -> None:
    """Negative times are refused, one by one, also among points that are planned together."""
    path = tmp_path / "branches.mlir"
    path.write_text(TWO_BRANCHES)
    request = Request(str(path), passes="offload", axes=axes_of(["pim.tCCD=1..64", "pim.tRP=14,-1"]))
    results = list(Evaluator(request).outcomes(request.points()))
    failed = [outcome for each in results if not isinstance(each, Table) for outcome in each if outcome.error]
    assert len(failed) == 64
    assert all("tRP" in outcome.error for outcome in failed)
    assert sum(len(each) for each in results if isinstance(each, Table)) == 64


@given(st.lists(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=9), min_size=1, max_size=4))
@settings(max_examples=60)
def test_sums_are_rounded_as_by_python(columns: list[list[float]]) -> None:
    length = min(map(len, columns))
    numbers = np.array([column[:length] for column in columns]).T
    assert sum_of(numbers, len(columns)).tolist() == [sum(column[:length]) for column in columns], sys.version


@given(st.integers(1, 5), st.integers(1, 60), st.integers(1, 24))
def test_variants_that_lie_apart_are_distinct(rows: int, count: int, wanted: int) -> None:
    numbers = np.random.default_rng(rows * 100 + count).integers(0, 9, (rows, count)).astype(float)
    chosen = spread([numbers], wanted)
    assert np.unique(numbers[:, chosen], axis=1).shape[1] == len(chosen) <= wanted
    assert len(chosen) == min(wanted, np.unique(numbers, axis=1).shape[1])
