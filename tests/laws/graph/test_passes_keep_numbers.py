"""Laws of the passes on the graph level: they keep numbers, signatures and locations, and a second run changes
nothing."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.passes import ModulePass

from dialects.diagnostics import notes_to
from dialects.graph import GraphOp
from interp.walk.run import run_module
from lowering.graph.canonicalize import CanonicalizePass
from lowering.graph.fuse import FusePass
from lowering.graph.precision import ReducePrecisionPass
from lowering.partition.shards.chain import ChainPass
from lowering.partition.shards.split import SplitPass
from ndpir.cli.check import REDUCED_TOLERANCE, error_of
from tests.laws.graph.programs import F16, F32, programs

PASSES = (
    CanonicalizePass(),
    CanonicalizePass(fold=False),
    CanonicalizePass(cse=False, dce=False),
    FusePass(),
    FusePass(group=False),
    FusePass(recognize=False),
)
TOLERANCE = 1e-4
"""Ten times the tolerance of `--check`: a random program may subtract nearly equal numbers."""


def apply(module: ModuleOp, passes: Sequence[ModulePass]) -> ModuleOp:
    """A copy of `module` after some passes, each verified."""
    module = module.clone()
    for each in passes:
        each.apply(Context(), module)
        module.verify()
    return module


def difference(old: ModuleOp, new: ModuleOp) -> float:
    """The largest relative error among the results of two programs."""
    return max(error_of(a, b) for a, b in zip(run_module(old, seed=5), run_module(new, seed=5), strict=True))


@given(programs(F32), st.lists(st.sampled_from(PASSES), min_size=1, max_size=4))
def test_passes_keep_numbers_in_any_order(module: ModuleOp, passes: list[ModulePass]) -> None:
    assert difference(module, apply(module, passes)) <= TOLERANCE


@given(programs(F16), st.lists(st.sampled_from(PASSES), min_size=1, max_size=4))
def test_passes_keep_half_precision_numbers(module: ModuleOp, passes: list[ModulePass]) -> None:
    assert difference(module, apply(module, passes)) <= REDUCED_TOLERANCE


@given(programs(F32), st.data())
def test_splitting_any_op_keeps_numbers(module: ModuleOp, data: st.DataObject) -> None:
    kinds = sorted({op.name for op in module.walk() if isinstance(op, GraphOp) and op.results[0].uses})
    shares = data.draw(st.lists(st.floats(0.05, 0.45), min_size=1, max_size=2))
    split = SplitPass(op=data.draw(st.sampled_from(kinds)), at=tuple(shares))
    with notes_to(lambda _message, _place: None):
        assert difference(module, apply(module, (split, *data.draw(st.sampled_from([(), PASSES[:1]]))))) <= TOLERANCE


@given(programs(F32), st.integers(0, 3), st.integers(2, 4))
def test_chaining_keeps_numbers(module: ModuleOp, axis: int, stages: int) -> None:
    kinds = ("matmul", "conv", "pool", "softmax", "reduce", "transpose")
    with notes_to(lambda _message, _place: None):
        assert difference(module, apply(module, (ChainPass(axis, stages, kinds),))) <= TOLERANCE


@given(programs(F32), st.lists(st.sampled_from((*PASSES, ReducePrecisionPass("f16"))), max_size=3))
def test_narrowing_keeps_numbers_within_the_types_rounding(module: ModuleOp, passes: list[ModulePass]) -> None:
    narrowed = apply(module, (ReducePrecisionPass("f16"), *passes))
    assert difference(module, narrowed) <= REDUCED_TOLERANCE


@given(programs(F32), st.sampled_from(PASSES))
def test_a_second_run_changes_nothing(module: ModuleOp, each: ModulePass) -> None:
    once = apply(module, [each])
    assert str(apply(once, [each])) == str(once)


@given(programs(F32))
def test_canonical_programs_stay_canonical_when_grouped(module: ModuleOp) -> None:
    grouped = apply(module, [CanonicalizePass(), FusePass()])
    assert str(apply(grouped, [CanonicalizePass()])) == str(apply(grouped, [CanonicalizePass(), CanonicalizePass()]))


@given(programs(F32), st.lists(st.sampled_from((*PASSES, ReducePrecisionPass("f16"))), min_size=1, max_size=3))
def test_every_op_keeps_a_location(module: ModuleOp, passes: list[ModulePass]) -> None:
    for function in apply(module, passes).ops:
        for op in function.walk():
            assert not isinstance(op.location, UnknownLoc), op
