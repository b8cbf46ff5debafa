"""Laws of the planners: numbers are kept, the predicted time is that of the timeline, `optimal` is never worse than
any other policy, no plan ends before the lower bound, and ops that the user placed stay on their devices."""

from __future__ import annotations

from itertools import count
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

import ndpir
from dialects.diagnostics import notes_to
from dialects.graph import FusedOp, GraphOp
from dialects.task import RunOp
from interp.simulate.simulation import simulate
from interp.walk.entry import ahead_of_time, functions, is_view
from interp.walk.run import run_module
from lowering.banks.templates import clock_for
from lowering.banks.to_pim import ToPimPass
from lowering.graph.fuse import FusePass
from lowering.graph.marks import mark
from lowering.instance.choice import Choice
from lowering.instance.of_program import PlacementProblem
from lowering.instance.options import EFFORTS, Options
from lowering.instance.problem import Problem
from lowering.optimise.policies import POLICIES
from lowering.optimise.quick.heuristics import by_priority
from lowering.partition.certificate import certificate
from lowering.partition.pimflow.search import MODES
from lowering.partition.planners import PLANNERS
from lowering.partition.search import planning
from lowering.place.order import OrderPass
from lowering.place.place import place_function
from lowering.solve import stopping
from ndpir.cli.check import error_of
from tests.amount import cases
from tests.laws.graph.programs import F32, programs
from tests.laws.graph.test_parts_of_networks import networks
from tests.laws.memory.beside import drawn
from tests.pipelines import PLACING
from tests.programs import parse

TOLERANCE = 1e-4
WAYS = [*(("pimflow", mode) for mode in MODES), ("optimal", "pimflow")]
"""Policies that plan, with their modes."""
LAYERS = """
    hw.device @gpu = "toy_gpu" {launch = "0 ns", bandwidth = "1 GB/s"}
    hw.device @pim = "toy_pim" {launch = "0 ns"}
    hw.link @gpu to @pim = "toy_link" {latency = "0 ns", bandwidth = "1000 GB/s"}
    func.func @main(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
      %v = graph.weight "v" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
      %w = graph.weight "w" = uniform(-1.0, 1.0, 2) : tensor<8x8xf32>
      %a = graph.matmul %x, %v : tensor<16x8xf32>, tensor<8x8xf32>
      %b = graph.softmax %a axis = 0 : tensor<16x8xf32>
      %c = graph.matmul %b, %w : tensor<16x8xf32>, tensor<8x8xf32>
      func.return %c : tensor<16x8xf32>
    }
"""
NAME = "test.name"
"""An attribute by which ops that the user placed are found after planning, which removes the mark itself."""


@composite
def machines(draw: DrawFn) -> str:
    """A machine of a processor and a PIM of similar speed, with low costs of launches and copies, so that both are
    used."""
    launch, bandwidth = draw(st.sampled_from((0, 0, 1000))), draw(st.sampled_from((1, 1, 4)))
    gpu = f'launch = "{launch} ns", bandwidth = "{bandwidth} GB/s", channels = 8'
    pim = f'launch = "{draw(st.sampled_from((0, 0, 100)))} ns", channels = {draw(st.sampled_from((1, 4)))}'
    arbitration = draw(st.sampled_from(("separate", "partitioned", "exclusive", "shared")))
    latency, bandwidth = draw(st.sampled_from((0, 0, 1000))), draw(st.sampled_from((1, 1000, 1000)))
    link = f'latency = "{latency} ns", bandwidth = "{bandwidth} GB/s", arbitration = "{arbitration}"'
    return f"""
    hw.device @gpu = "toy_gpu" {{{gpu}}}
    hw.device @pim = "{draw(st.sampled_from(("toy_pim", "toy_simd")))}" {{{pim}}}
    hw.link @gpu to @pim = "toy_link" {{{link}}}
    """


@composite
def problems(draw: DrawFn) -> str:
    """The text of an image network or of another program, with such a machine."""
    module = draw(st.one_of(networks(), networks(), programs(F32)))
    if draw(st.booleans()):
        FusePass().apply(Context(), module)
    return draw(machines()) + "".join(str(op) for op in module.ops)


def function_of(module: ModuleOp) -> FuncOp:
    return functions(module)[0]


def placed(text: str, policy: str, mode: str = "pimflow", effort: int = 2) -> ModuleOp:
    module = parse(text)
    with notes_to(lambda message, place: None):
        place_function(function_of(module), clock_for(module), policy, Options(mode=mode, effort=effort))
    module.verify()
    return module


def makespan(module: ModuleOp) -> float:
    return simulate(module, clock_for(module)).makespan_ns


@pytest.mark.slow
@given(problems(), st.sampled_from(WAYS))
@settings(max_examples=cases(20), phases=[Phase.generate])
def test_numbers_stay(text: str, way: tuple[str, str]) -> None:
    """The results are equal after placement, after reordering, and after lowering to bank commands."""
    expected = run_module(parse(text), seed=5)
    after = placed(text, *way)
    for change in (OrderPass(), ToPimPass(), None):
        assert all(error_of(*pair) <= TOLERANCE for pair in zip(expected, run_module(after, seed=5), strict=True))
        if change is not None:
            change.apply(Context(), after)
            after.verify()


@pytest.mark.slow
@given(problems(), st.sampled_from(WAYS))
@settings(max_examples=cases(8), phases=[Phase.generate])  # a case takes seconds
def test_the_prediction_equals_the_timeline(text: str, way: tuple[str, str]) -> None:
    """The predicted makespan is that of the timeline, and planning a program a second time gives an equal plan."""
    first, module = placed(text, *way), parse(text)
    problem, decided, _ = PLANNERS[way[0]](
        PlacementProblem(function_of(module), clock_for(module), Options(mode=way[1]))
    )
    timeline = simulate(first, clock_for(first))
    assert problem.ends(decided) == timeline.makespan_ns
    assert problem.needs(decided) == timeline.memory
    problem.drop()
    assert str(placed(text, *way)) == str(first)


def by_chance(problem: Problem) -> list[Choice]:
    """A policy as a plugin may define it: a random choice of each node, the same for equal problems."""
    draw = Random(len(problem.nodes))
    return [draw.choice(node.choices) for node in problem.nodes]


@pytest.mark.slow
@given(problems())
@settings(max_examples=cases(5), phases=[Phase.generate])  # a case takes seconds, too long to look for a smaller one
def test_nothing_ends_before_optimal_or_before_the_certificate(text: str) -> None:
    """The law holds for all policies, including plugins', with tasks in program order or in the order of the pass
    `order`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(POLICIES, "by chance", by_chance)
        patch.setitem(POLICIES, "pim, gpu", lambda problem: by_priority(problem, ("pim", "gpu")))
        best = makespan(placed(text, "optimal"))
        for way in [*((policy, "pimflow") for policy in POLICIES), *WAYS[:-1]]:
            other = placed(text, *way)
            assert best <= makespan(other) * (1 + 1e-12), way
            OrderPass().apply(Context(), other)
            assert best <= makespan(other) * (1 + 1e-12), (way, "order")
    module = parse(text)
    bound = certificate(function_of(module), clock_for(module))
    assert bound is not None
    assert bound.ns <= best * (1 + 1e-9)


@pytest.mark.slow
@given(st.integers(0, 199))
@settings(max_examples=cases(4), phases=[Phase.generate])  # a case takes seconds
def test_nothing_ends_before_optimal_on_near_data_units(seed: int) -> None:
    """Policies for near-data units take results as streams, which other searches do not plan."""
    text = drawn(seed, "ndp", marks=False).text()
    best = makespan(placed(text, "optimal"))
    for policy in POLICIES:
        other = placed(text, policy)
        assert best <= makespan(other) * (1 + 1e-12), policy
        OrderPass().apply(Context(), other)
        assert best <= makespan(other) * (1 + 1e-12), (policy, "order")


@pytest.mark.slow
@given(problems())
@settings(max_examples=cases(2), phases=[Phase.generate])  # a case takes ten seconds
def test_no_named_pipeline_ends_before_optimal_and_that_not_before_thorough(text: str) -> None:
    spans = {name: ndpir.simulate(ndpir.compile(parse(text), name)).makespan_ns for name in PLACING}
    assert spans["thorough"] <= min(spans.values()) * (1 + 1e-12)
    del spans["thorough"]
    assert spans["optimal"] <= min(spans.values()) * (1 + 1e-12)


def nothing(_: Problem) -> list[Choice]:
    """An invalid policy, which chooses nothing."""
    return []


def test_a_policy_that_gives_no_placement_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POLICIES, "short", nothing)
    module, notes = parse(LAYERS), list[str]()
    with notes_to(lambda message, place: notes.append(message)):
        place_function(function_of(module), clock_for(module), "optimal")
    assert any("policy short is skipped: policy short returned 0 choices for 3 nodes" in message for message in notes)


def test_the_limit_ends_the_search_of_splits_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the time of the option `limit` is over, no further plan is carried out."""
    seconds = count(0, 10)
    monkeypatch.setattr(stopping, "monotonic", lambda: float(next(seconds)))
    monkeypatch.setattr(planning, "parts_of", nothing)
    module = parse(LAYERS)
    place_function(function_of(module), clock_for(module), "optimal", options=Options(limit=7.0))
    assert "task.run" in str(module)


@pytest.mark.slow
@given(problems(), st.sampled_from(WAYS), st.data())
@settings(max_examples=cases(30), phases=[Phase.generate])
def test_marks_are_obeyed(text: str, way: tuple[str, str], data: st.DataObject) -> None:
    module = parse(text)
    block, clock, devices = function_of(module).body.block, clock_for(module), dict[str, str]()
    for op in [op for op in block.ops if op not in ahead_of_time(block) and not is_view(op)]:
        able = [
            name for name in clock.machine.devices if isinstance(op, GraphOp | FusedOp) and clock.supports(op, name)
        ]
        if able and data.draw(st.booleans()):
            device, name = data.draw(st.sampled_from(able)), str(len(devices))
            mark([op], device)
            op.attributes[NAME] = StringAttr(name)
            devices[name] = device
    after = placed(str(module), *way)
    for run in [op for op in after.walk() if isinstance(op, RunOp)]:
        for op in run.body.block.ops:
            if isinstance(name := op.attributes.get(NAME), StringAttr):
                assert run.place == devices[name.data]
    assert "task.on =" not in str(after)


SECOND = {
    "processor": 'hw.device @two = "toy_gpu" {launch = "0 ns", bandwidth = "1 GB/s"}',
    "quicker PIM": 'hw.device @two = "toy_pim" {launch = "0 ns", clock = "4 GHz"}',
}
"""A device in addition to the primary device: besides the PIM of LAYERS, or in place of this PIM."""


def with_second(device: str, pim: bool) -> str:
    lines: list[str] = list(map(str, LAYERS.splitlines()))
    link = 'hw.link @gpu to @two = "toy_link" {latency = "0 ns", bandwidth = "1000 GB/s"}'
    lines[4:4] = [SECOND[device], link]
    return "\n".join(line for line in lines if pim or "@pim" not in line)


@pytest.mark.parametrize(("device", "pim"), [("processor", False), ("processor", True), ("quicker PIM", True)])
def test_any_device_linked_with_the_primary_device_may_take_a_shard(device: str, pim: bool) -> None:
    text = with_second(device, pim)
    module = parse(text)
    bound = certificate(function_of(module), clock_for(module))
    assert bound is not None
    best = placed(text, "optimal")
    assert {run.place for run in best.walk() if isinstance(run, RunOp)} >= {"gpu", "two"}
    products = [run for run in best.walk() if isinstance(run, RunOp) and "graph.matmul" in str(run)]
    assert len(products) > 2 or device != "processor", "a product is cut"
    for effort in EFFORTS:
        assert bound.ns <= makespan(placed(text, "optimal", effort=effort)) * (1 + 1e-9)


def test_pimflow_takes_the_pim_on_which_a_layer_is_quickest() -> None:
    """Fully connected layers of one row run on the PIM; of two PIMs, on the faster one."""
    for text, wanted in ((LAYERS, {"pim"}), (with_second("quicker PIM", True), {"two"})):
        after = placed(text.replace("16x8", "1x8"), "pimflow")
        runs = [run for run in after.walk() if isinstance(run, RunOp) and "graph.matmul" in str(run)]
        assert {run.place for run in runs} == wanted
