"""Laws of near-data programs: they compute the numbers of the original ops, after any passes; without repeated loads,
stores and computations, they take the time that the clock predicts for these ops."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from dialects.diagnostics import notes_to
from dialects.graph import FusedOp, GraphOp
from dialects.ndp import ProgramOp
from dialects.task import RunOp
from interp.kinds.clock import Clock
from interp.kinds.ndp.phases import Phased
from interp.kinds.ndp.streams import streams
from interp.machine.composition import Machine, machine_ops
from interp.walk.views import is_view
from lowering.graph.fuse import FusePass
from lowering.ndp.forwarding import ForwardStoresPass
from lowering.ndp.numbering import NumberValuesPass
from lowering.ndp.splitting import SplitOutputsPass, split
from lowering.ndp.to_ndp import ToNdpPass, written
from lowering.place.place import PlacePass
from ndpir import parse
from ndpir.cli.check import REDUCED_TOLERANCE
from ndpir.compiler.settings import apply as change
from ndpir.compiler.settings import settings_of
from tests.laws.graph.programs import F16, F32, programs
from tests.laws.graph.test_passes_keep_numbers import TOLERANCE, apply, difference


@st.composite
def groups(draw: DrawFn, sizes: Sequence[int]) -> ModuleOp:
    """A function of one fused group of element-wise ops, moves and reductions on square matrices and their columns;
    some ops are equal, and several values are results."""
    n = draw(st.sampled_from(sizes))
    whole, column = f"tensor<{n}x{n}xf32>", f"tensor<{n}x1xf32>"
    types, lines = {"%a0": whole, "%a1": whole}, list[str]()
    made: list[str] = []
    for _ in range(draw(st.integers(2, 12))):
        op = draw(st.sampled_from(("relu", "neg", "add", "mul", "transpose", "reduce", "again")))
        x, y = (draw(st.sampled_from([*types][-6:])) for _ in range(2))
        new, text, type_ = f"%v{len(lines)}", "", types[x]
        if op == "again" and lines:
            text = draw(st.sampled_from(lines)).partition(" = ")[2]
            type_ = column if "graph.reduce" in text or whole not in text else whole
        elif op in ("add", "mul"):
            text = f"graph.{op} {x}, {y} : {types[x]}, {types[y]}"
            type_ = whole if whole in (types[x], types[y]) else column
        elif op in ("reduce", "transpose") and type_ == whole:
            words = "permutation = [1, 0]" if op == "transpose" else "axes = [1], keep_dims"
            text = f"graph.{op} {'sum ' if op == 'reduce' else ''}{x} {words} : {whole}"
            type_ = column if op == "reduce" else whole
        else:
            text = f"graph.neg {x} : {type_}"
        lines.append(f"{new} = {text}")
        types[new] = type_
        made.append(new)
    given = draw(st.lists(st.sampled_from(made), min_size=1, max_size=4))
    results = [f"%r{number}" for number in range(len(given))]
    body = "\n".join(lines)
    said = ", ".join(types[each] for each in given)
    return parse(
        f"func.func @main(%x: {whole}, %y: {whole}) -> ({said}) {{\n"
        f"{', '.join(results)} = graph.fused (%a0 = %x, %a1 = %y) {{\n{body}\ngraph.yield {', '.join(given)}\n}}\n"
        f"func.return {', '.join(results)} : {said}\n}}"
    )


FAST = "ndpx.units=1", "ndpx.bandwidth=900 GB/s"
"""Settings with which units store several results of a phase faster in separate phases."""
SHORTER = (ForwardStoresPass(), NumberValuesPass(), SplitOutputsPass())


def placed(module: ModuleOp, machine: str, fused: bool, settings: Sequence[str] = ()) -> ModuleOp:
    """A program with each op that near-data units support placed on them. `fused`: ops are fused before; `settings`:
    changed fields of the machine's sheets, with which kernels with several results may store them separately, if this
    is faster."""
    block, split = module.body.block, bool(settings)
    block.insert_ops_before(machine_ops(machine), block.ops.first) if block.ops.first else None
    change(module, settings_of(settings))
    with notes_to(lambda _message, _place: None):
        return apply(module, [*([FusePass()] if fused else []), PlacePass(policy="pim-first", split=split)])


@pytest.mark.slow
@given(programs(F32), st.booleans(), st.lists(st.sampled_from(SHORTER), max_size=4))
def test_programs_keep_numbers(module: ModuleOp, fused: bool, passes: list[ModulePass]) -> None:
    before = placed(module, "toy-ndp", fused)
    assert difference(before, apply(before, [ToNdpPass(), *passes])) <= TOLERANCE


@pytest.mark.slow
@given(groups([8]), st.lists(st.sampled_from(SHORTER), max_size=4))
def test_programs_of_groups_keep_numbers(module: ModuleOp, passes: list[ModulePass]) -> None:
    before = placed(module, "toy-ndp", False)
    assert difference(before, apply(before, [ToNdpPass(), *passes])) <= TOLERANCE


@pytest.mark.slow
@given(programs(F16), st.booleans(), st.lists(st.sampled_from(SHORTER), max_size=4))
def test_programs_keep_half_precision_numbers(module: ModuleOp, fused: bool, passes: list[ModulePass]) -> None:
    before = placed(module, "v100-ndpx", fused)
    assert difference(before, apply(before, [ToNdpPass(), *passes])) <= REDUCED_TOLERANCE


@pytest.mark.slow
@given(
    programs(F32) | groups([8, 2048]), st.sampled_from((("v100-ndpx", ()), ("v100-matndp", ()), ("v100-ndpx", FAST)))
)
def test_programs_take_the_time_that_the_clock_predicts(module: ModuleOp, how: tuple[str, tuple[str, ...]]) -> None:
    machine, settings = how
    before = placed(module, machine, True, settings)
    clock = Clock(Machine.of(before))
    runs = [op for op in before.walk() if isinstance(op, RunOp) and op.place == "ndp"]
    said = [clock.task_cost(run) for run in runs]
    after = apply(before, [ToNdpPass(), *(SHORTER if settings else SHORTER[:2])])
    clock = Clock(Machine.of(after))
    took = [clock.task_cost(op) for op in after.walk() if isinstance(op, RunOp) and op.place == "ndp"]
    assert [each.ns for each in took] == pytest.approx([each.ns for each in said])
    assert [(each.bytes, each.flops) for each in took] == [(each.bytes, each.flops) for each in said]


@pytest.mark.slow
@given(groups([8]))
def test_the_clock_counts_phases_of_one_store_as_they_are(module: ModuleOp) -> None:
    before = placed(module, "v100-ndpx", True)
    runs = [op for op in before.walk() if isinstance(op, RunOp) and op.place == "ndp"]
    for op in [
        op for run in runs for op in run.body.block.ops if isinstance(op, GraphOp | FusedOp) and not is_view(op)
    ]:
        program, _ = written(op, "ndp")
        program.sym_name = StringAttr("p")
        shorter = apply(ModuleOp([program]), SHORTER[:2])
        (program,) = [op for op in shorter.body.block.ops if isinstance(op, ProgramOp)]
        for phase in program.phases:
            split(program, phase, PatternRewriter(program))
        phased = Phased(op)
        counted = [each for at in range(len(phased.stores)) for each in phased.split_by_store(at)]
        assert [each.counts for each in streams(program)] == [each.counts for each in counted]
        assert [each.nbytes for each in streams(program)] == [each.nbytes for each in counted]


@pytest.mark.slow
@given(groups([8, 2048]), st.sampled_from(("v100-ndpx", "v100-matndp", "toy-ndp")))
def test_no_pass_makes_a_program_slower(module: ModuleOp, machine: str) -> None:
    """No pass, in either of two orders of the passes, increases the total time of all near-data programs."""
    before = placed(module, machine, False)
    for passes in (SHORTER, (SHORTER[1], SHORTER[0], SHORTER[2])):
        lowered, took = apply(before, [ToNdpPass()]), list[float]()
        for each in (None, *passes):
            lowered = apply(lowered, [each]) if each is not None else lowered
            clock = Clock(Machine.of(lowered))
            found = [op for op in lowered.body.block.ops if isinstance(op, ProgramOp)]
            took.append(sum(clock.kernel_cost(op).ns for op in found))
            if each is SHORTER[0] and took[1:]:
                assert not any(stream.scratch_stores for op in found for stream in streams(op))
        assert all(later <= earlier * (1 + 1e-12) for earlier, later in pairwise(took))


@pytest.mark.slow
@given(programs(F32), st.booleans())
def test_shorter_programs_stay_as_they_are(module: ModuleOp, fused: bool) -> None:
    once = apply(placed(module, "toy-ndp", fused), [ToNdpPass(), *SHORTER[:2]])
    twice = once.clone()
    for each in SHORTER[:2]:
        each.apply(Context(), twice)
    assert str(twice) == str(once)
    assert all(op.device.root_reference.data == "ndp" for op in once.walk() if isinstance(op, ProgramOp))
