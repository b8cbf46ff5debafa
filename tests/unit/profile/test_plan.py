"""Profiling plans of networks on the platform of Kim et al. (TODAES 2024), and on machines whose devices lack many
ops."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ndpir
from interp.machine.composition import Machine
from lowering.instance.of_program import PlacementProblem
from lowering.profiling.plan import profile_plan
from ndpir.reports.placement_graph import problem_of
from ndpir.reports.profile_plan import plan_text, profile_plan_data
from tests.laws.profile.proofs import proved
from tests.table_clock import device, link, machine
from tests.table_problem import problem_of as table_of
from tests.table_problem import random_problem

MODELS = Path(__file__).parents[3] / "examples" / "models"
PLATFORM = """
hw.device @serial = "toy_gpu"
hw.device @parallel = "toy_gpu" {launch = "2 us"}
hw.device @pim = "PIM"
hw.link @serial to @parallel = "toy_link" {latency = "0 ns", bandwidth = "1e30 TB/s"}
hw.link @serial to @pim = "toy_link"
"""


@pytest.mark.parametrize("name", ["bert_2layer_torchscript17", "gpt2_2layer_torchscript17"])
@pytest.mark.parametrize(("symmetric", "copies"), [(None, 1), (False, 2)])
def test_three_runs_for_nodes_and_one_for_copies(
    name: str, symmetric: bool | None, copies: int, tmp_path: Path
) -> None:
    """If each device runs all ops, three runs measure all nodes. One more run measures all copies if copies take as
    long in both directions, as published; otherwise two more. Runs that measure nodes and copies together need only
    three."""
    problem = on_platform(name, "toy_gpu", "canonicalize,fuse", tmp_path)
    plan = profile_plan(problem, symmetric=symmetric)
    assert plan.memories.groups() == [("serial", "parallel"), ("pim",)]
    assert plan.described() == f"3 runs for nodes, then {copies} for copies; or 3 for nodes and copies at once"
    assert proved(plan)
    assert len(profile_plan(problem, True, symmetric).runs) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "copies"), [("bert_2layer_torchscript17", 1), ("gpt2_2layer_torchscript17", 0), ("bert_base", 1)]
)
def test_runs_for_copies_depend_on_what_the_pim_lacks(name: str, copies: int, tmp_path: Path) -> None:
    """If the PIM runs only matrix products, the run that measures them also makes most copies; in GPT-2 it makes all
    copies."""
    problem = on_platform(name, "aim", "canonicalize,fuse,reduce-precision", tmp_path)
    plan = profile_plan(problem)
    assert plan.described() == f"3 runs for nodes, then {copies} for copies; or 3 for nodes and copies at once"
    assert proved(plan)


def on_platform(name: str, pim: str, passes: str, folder: Path) -> PlacementProblem:
    platform = folder / "platform.mlir"
    platform.write_text(PLATFORM.replace("PIM", pim))
    model = ndpir.compile(ndpir.read(MODELS / f"{name}.onnx"), passes, machine=str(platform))
    return problem_of(model, None, "profile-plan")


def test_plan_as_data_lists_each_time_once() -> None:
    program = """
    hw.device @gpu = "toy_gpu"
    hw.device @pim = "toy_pim"
    hw.link @gpu to @pim = "toy_link"
    func.func @main(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
      %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
      %a = graph.matmul %x, %w : tensor<1x8xf32>, tensor<8x8xf32>
      %b = graph.matmul %a, %w : tensor<1x8xf32>, tensor<8x8xf32>
      %c = graph.add %b, %a : tensor<1x8xf32>
      func.return %c : tensor<1x8xf32>
    }
    """
    plan = json.loads(ndpir.write(ndpir.parse(program), "profile-plan{json symmetric=false}"))["answer"]
    required = [{"index": node["index"], "choice": label} for node in plan["nodes"] for label in node["choices"]]
    assert sorted(map(str, required)) == sorted(str(node) for run in plan["runs"] for node in run["nodes"])
    copies = [(each["maker"], each["source"], each["target"]) for run in plan["runs"] for each in run["copies"]]
    assert sorted(copies, key=str) == sorted(
        [(None, "gpu", "pim"), (0, "gpu", "pim"), (0, "pim", "gpu"), (1, "pim", "gpu")], key=str
    )
    assert all(len(run["placement"]) == len(plan["nodes"]) for run in plan["runs"])
    assert [run["kind"] for run in plan["runs"]] == ["nodes", "nodes", "copies"]


def test_devices_with_disjoint_nodes_share_a_run() -> None:
    problem = table_of(
        [[1, 1, None], [1, None, 1], [1, None, None]], [[-1], [0], [1]], [8] * 4, on=machine("gpu", "pim", "npu")
    )
    plan = profile_plan(problem)
    assert plan.nodes.runs == 2
    assert [run.labels for run in plan.runs[:2]] == [("gpu", "gpu", "gpu"), ("pim", "npu", "gpu")]


def test_unproved_number_of_runs_is_shown_as_a_range(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the search may do hardly any work, the plan still measures all costs, and states proved bounds of the number
    of runs."""
    for limit in ("forest.STATES", "forest.COVERS", "search.LITERALS"):
        monkeypatch.setattr(f"lowering.profiling.{limit}", 3)
    monkeypatch.setattr("lowering.profiling.forest._SIDES", {})
    names = ["gpu", "pim", "npu"]
    links = {(one, other): link() for i, one in enumerate(names) for other in names[i + 1 :]}
    problem = random_problem(1, 12, 3, on=Machine({name: device(name) for name in names}, links))
    plan = profile_plan(problem, symmetric=False)
    assert sum(len(run.copies) for run in plan.runs) == plan.measured[1]
    assert not proved(plan)
    least, runs = plan.copies.least, plan.copies.runs
    assert least < runs
    assert f"{runs} (at least {least}) for copies" in plan.described()
    message = next(
        line for line in plan_text(profile_plan_data(plan, "main")).splitlines() if line.startswith("copies ")
    )
    assert message.startswith(
        f"copies     between {least} and {runs}: {least - 1} run can't make the choices and copies"
    )
    assert message.endswith(f"; {runs} runs suffice")


def test_a_program_without_ops_needs_no_runs() -> None:
    problem = table_of([], [], [8], on=machine("gpu", "pim"))
    plan = profile_plan(problem)
    assert plan.runs == ()
    assert plan.described() == "0 runs for nodes, then 0 for copies; or 0 for nodes and copies at once"
