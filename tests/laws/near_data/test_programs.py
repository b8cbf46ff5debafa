"""Laws of near-data programs: numbers are those of the ops they stand for, whatever passes follow; and once nothing is
loaded, stored or computed twice, they take what the clock said of those ops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dialects.diagnostics import notes_to
from dialects.ndp import ProgramOp
from dialects.task import RunOp
from interp.cost.clock import Clock
from interp.machine.composition import Machine, machine_ops
from lowering.graph.fuse import FusePass
from lowering.near_data.forwarding import ForwardStoresPass
from lowering.near_data.numbering import NumberValuesPass
from lowering.near_data.splitting import SplitOutputsPass
from lowering.near_data.to_ndp import ToNdpPass
from lowering.placement.place import PlacePass
from ndpir.cli.check import NARROW_TOLERANCE
from tests.laws.graph.programs import F16, F32, programs
from tests.laws.graph.test_passes_keep_numbers import TOLERANCE, apply, difference

SHORTER = (ForwardStoresPass(), NumberValuesPass(), SplitOutputsPass())


def placed(module: ModuleOp, machine: str, fused: bool) -> ModuleOp:
    """A program with all that near-data units run placed there."""
    block = module.body.block
    block.insert_ops_before(machine_ops(machine), block.ops.first) if block.ops.first else None
    with notes_to(lambda _message, _place: None):
        return apply(module, [*([FusePass()] if fused else []), PlacePass(policy="pim-first")])


@pytest.mark.slow
@given(programs(F32), st.booleans(), st.lists(st.sampled_from(SHORTER), max_size=4))
def test_programs_keep_numbers(module: ModuleOp, fused: bool, passes: list[ModulePass]) -> None:
    before = placed(module, "toy-ndp", fused)
    assert difference(before, apply(before, [ToNdpPass(), *passes])) <= TOLERANCE


@pytest.mark.slow
@given(programs(F16), st.booleans(), st.lists(st.sampled_from(SHORTER), max_size=4))
def test_programs_keep_half_precision_numbers(module: ModuleOp, fused: bool, passes: list[ModulePass]) -> None:
    before = placed(module, "v100-ndpx", fused)
    assert difference(before, apply(before, [ToNdpPass(), *passes])) <= NARROW_TOLERANCE


@pytest.mark.slow
@given(programs(F32))
def test_programs_take_what_the_clock_said(module: ModuleOp) -> None:
    before = placed(module, "v100-ndpx", True)
    clock = Clock(Machine.of(before))
    runs = [op for op in before.walk() if isinstance(op, RunOp) and op.place == "ndp"]
    said = [clock.task_cost(run) for run in runs]
    after = apply(before, [ToNdpPass(), ForwardStoresPass(), NumberValuesPass()])
    clock = Clock(Machine.of(after))
    took = [clock.task_cost(op) for op in after.walk() if isinstance(op, RunOp) and op.place == "ndp"]
    assert [each.ns for each in took] == pytest.approx([each.ns for each in said])
    assert [(each.bytes, each.flops) for each in took] == [(each.bytes, each.flops) for each in said]


@pytest.mark.slow
@given(programs(F32), st.booleans())
def test_shorter_programs_stay_as_they_are(module: ModuleOp, fused: bool) -> None:
    once = apply(placed(module, "toy-ndp", fused), [ToNdpPass(), *SHORTER[:2]])
    twice = once.clone()
    for each in SHORTER[:2]:
        each.apply(Context(), twice)
    assert str(twice) == str(once)
    assert all(op.device.root_reference.data == "ndp" for op in once.walk() if isinstance(op, ProgramOp))
