"""Laws of profiles: equal ops have equal keys, for any names of values and any order of ops; a program placed by a
profile takes the predicted time; and if the primary device's runtime executes ops serially, this time is the sum of
all tasks and copies."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from dialects.graph import FusedOp, GraphOp, YieldOp
from interp.kinds.clock import Clock
from interp.kinds.gpu.roofline import Roofline
from interp.machine.composition import Machine
from interp.machine.cost import Cost
from interp.machine.profile import CopyRow, Kind, Profile, ProfileRow
from interp.machine.profile_file import profile_of, profile_text
from interp.simulate.simulation import simulate
from interp.walk.views import is_view
from interp.walk.weight_values import is_weight
from interp.walk.work_key import key_of, shape_key
from lowering.graph.fuse import FusePass
from lowering.graph.marks import mark
from lowering.instance.of_program import PlacementProblem
from lowering.place.place import place_function
from tests.laws.graph.programs import programs
from tests.laws.placement.deciding import LEAST, decided
from tests.laws.placement.test_policies import ARBITRATIONS, function_of, graphs
from tests.programs import context, parse
from tests.table_clock import device, machine
from tests.table_problem import random_problem


def works(module: ModuleOp) -> list[GraphOp | FusedOp]:
    """The ops and groups of a function, without the ops inside of groups."""
    return [op for op in function_of(module).body.block.ops if isinstance(op, GraphOp | FusedOp)]


def fused(module: ModuleOp) -> ModuleOp:
    FusePass().apply(context(), module)
    return module


def rename(module: ModuleOp, names: Random) -> None:
    for op in module.walk():
        arguments = [argument for region in op.regions for block in region.blocks for argument in block.args]
        for value in (*op.results, *arguments):
            value.name_hint = f"n{names.randrange(1 << 30)}"


def shuffle(group: FusedOp, order: Random) -> None:
    """Reorder the ops of a group at random, with each op after those whose results it reads."""
    waiting = list(group.ops)
    last = group.body.block.last_op
    assert isinstance(last, YieldOp)
    for op in waiting:
        op.detach()
    while waiting:
        chosen = order.choice([op for op in waiting if not any(value.owner in waiting for value in op.operands)])
        waiting.remove(chosen)
        group.body.block.insert_op_before(chosen, last)


@given(programs(), st.randoms(use_true_random=False))
def test_names_marks_and_order_are_no_part_of_a_key(module: ModuleOp, random: Random) -> None:
    ops = works(fused(module))
    keys = [key_of(op) for op in ops]
    rename(module, random)
    mark(ops, "pim")
    for op in ops:
        if isinstance(op, FusedOp):
            shuffle(op, random)
    assert [key_of(op) for op in ops] == keys
    assert [key_of(op) for op in works(parse(str(module)))] == keys


def sheet_cost(op: GraphOp | FusedOp) -> Cost:
    return Roofline(replace(device("x"), launch_ns=1.0)).costs([op])[0]


@given(programs())
def test_work_of_one_key_costs_the_same_and_of_one_shape_differs_in_weights_alone(module: ModuleOp) -> None:
    apart, groups = works(module.clone()), works(fused(module))
    costs: dict[str, Cost] = {}
    shapes: dict[object, str] = {}
    for op in (*apart, *groups):
        if not op.operands:
            continue  # a weight or constant: it is no work
        assert costs.setdefault(key_of(op), sheet_cost(op)) == sheet_cost(op)
        weights = tuple(map(is_weight, op.operands))
        assert shapes.setdefault((shape_key(op), weights), key_of(op)) == key_of(op)


ONE_OP = """
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {{
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>
  %y = {} : tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}}
"""
DIFFERENT = [
    "graph.matmul %x, %w",
    "graph.matmul %w, %x",
    "graph.matmul %x, %x",
    "graph.matmul %x, %w transpose_b",
    "graph.add %x, %w",
    "graph.add %x, %x",
    "graph.relu %x",
    "graph.softmax %x axis = 0",
    "graph.softmax %x axis = 1",
]


def test_work_that_differs_has_another_key() -> None:
    keys = [key_of(works(parse(ONE_OP.format(op)))[-1]) for op in DIFFERENT]
    assert len(set(keys)) == len(DIFFERENT)
    assert keys[0] == "%0 : 4x4xf32, %1 : weight 4x4xf32; %2 = graph.matmul %0, %1 : 4x4xf32; yield %2"


def test_a_group_of_one_op_is_that_op_and_its_wiring_counts() -> None:
    body = "graph.fused (%a = {}, %b = {}) {{\n %0 = graph.sub %a, %b : tensor<4x4xf32>\n graph.yield {}\n }}"
    text = ONE_OP.replace("{} :", "{}").replace(" tensor<4x4xf32>\n  func", "\n  func")
    alone = key_of(works(parse(ONE_OP.format("graph.sub %x, %w")))[-1])
    groups = [("%x", "%w", "%0"), ("%w", "%x", "%0"), ("%x", "%x", "%0"), ("%x", "%w", "%a")]
    keys = [key_of(works(parse(text.format(body.format(*group))))[-1]) for group in groups]
    assert keys[0] == alone
    assert len(set(keys)) == len(groups)


@given(st.lists(st.tuples(st.lists(st.floats(0, 1e12), min_size=1), st.sampled_from(get_args(Kind))), max_size=5))
def test_a_profile_outlives_its_file(times: list[tuple[list[float], Kind]]) -> None:
    rows = tuple(
        ProfileRow(device="d", key=f"k{i}", times_ns=tuple(ns), kind=kind) for i, (ns, kind) in enumerate(times)
    )
    copies = tuple(CopyRow(source="a", target="b", bytes=i, times_ns=row.times_ns) for i, row in enumerate(rows))
    profile = Profile(rows, copies)
    found = profile_of(profile_text(profile), "p.json")
    assert (found.rows, found.copies, found.digest) == (rows, copies, profile.digest)


WHOLE = profile_text(
    Profile(
        (
            ProfileRow(device="d", key="k", op="graph.relu", times_ns=(1.0, 2.5)),
            ProfileRow(device="d", key="l", times_ns=(3.0,)),
        ),
        (CopyRow(source="a", target="b", bytes=8, times_ns=(1e3,)),),
        {"host": {"cores": 8}},
    )
)
JSON = (
    "null",
    "true",
    "-1",
    "1e999",
    '""',
    "{}",
    "[]",
    "[[1]]",
    '"device"',
    ",",
    "]",
    "}",
    ":",
    "NaN",
    "\\ud800",
    "\x00",
)


@given(st.lists(st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 12), st.sampled_from(JSON) | st.text(max_size=3))))
def test_no_text_ends_in_anything_but_a_profile_or_a_sentence(edits: list[tuple[int, int, str]]) -> None:
    text = WHOLE
    for at, length, put in edits:
        text = text[:at] + put + text[at + length :]
    try:
        found = profile_of(text, "p.json")
    except InputError as error:
        place = error.place or ""
    else:
        assert profile_of(profile_text(found), "p.json").digest == found.digest
        place = found.file
    assert place.startswith("p.json")


NAMES = ("home", "left", "right")


@composite
def profiled(draw: DrawFn) -> tuple[str, Machine, bool]:
    """A program; a machine whose devices and links have profile rows of some of its ops and copies; and True if the
    machine runs one job at a time."""
    text = draw(graphs())
    times = st.integers(0, 100).map(float)
    works_of = [op for op in works(parse(text)) if op.operands and not is_view(op)]
    keys = sorted({key_of(op) for op in works_of})
    rows = [
        ProfileRow(device=n, key=key, times_ns=(draw(times),)) for n in NAMES for key in keys if draw(st.booleans())
    ]
    ways = [(a, b, size) for a in NAMES for b in NAMES if a != b for size in (12, 24) if draw(st.booleans())]
    copies = [CopyRow(source=a, target=b, bytes=size, times_ns=(draw(times),)) for a, b, size in ways]
    profile = Profile(tuple(rows), tuple(copies))
    plain = machine(*NAMES, arbitrations=[draw(ARBITRATIONS.filter(lambda each: each != "shared")) for _ in NAMES[1:]])
    devices = {name: replace(record, profile=profile) for name, record in plain.devices.items()}
    sequential = draw(st.booleans())
    if sequential:
        devices["home"] = replace(devices["home"], executor="sequential")
    return (
        text,
        Machine(devices, {ends: replace(link, profile=profile) for ends, link in plain.links.items()}),
        sequential,
    )


@pytest.mark.slow
@given(profiled(), st.sampled_from(["gpu", "greedy", "optimal", "path"]))
def test_the_prediction_by_a_profile_equals_the_timeline(drawn: tuple[str, Machine, bool], policy: str) -> None:
    text, where, sequential = drawn
    clock = Clock(where)
    problem = PlacementProblem(function_of(parse(text)), clock)
    schedule = decided(problem, policy)
    module = parse(text)
    place_function(function_of(module), clock, policy, options=LEAST)
    timeline = simulate(module, Clock(where))
    assert problem.ends(schedule) == timeline.makespan_ns
    if sequential:
        assert timeline.makespan_ns == pytest.approx(problem.serial_ns(schedule.placement), rel=1e-12)
        assert timeline.gap == pytest.approx(0.0, abs=1e-12)
    profile = where.devices["home"].profile
    assert profile is not None
    for event in timeline.events:
        medians = {row.median_ns for row in profile.rows if row.device == event.resource}
        medians |= {copy.median_ns for copy in profile.copies} if event.is_copy else set()
        assert (event.cost.bound == "measured") <= (event.cost.ns in medians)


@given(st.integers(0, 1 << 30), st.integers(1, 12), st.integers(1, 3), st.booleans())
def test_a_sequential_executor_takes_the_sum_of_all(seed: int, nodes: int, devices: int, duplex: bool) -> None:
    plain = machine(*NAMES[:devices], duplex=duplex)
    primary = replace(plain.devices["home"], executor="sequential")
    problem = random_problem(seed, nodes, devices, on=Machine({**plain.devices, "home": primary}, plain.links))
    draw = Random(seed)
    placement = [draw.choice(node.choices) for node in problem.nodes]
    assert problem.makespan(placement) == pytest.approx(problem.serial_ns(placement), rel=1e-12)
