"""Laws of marks: the passes on the graph level keep the numbers of programs whose ops are marked for devices, and each
op runs on the device that it is marked for."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dialects.graph import FusedOp, GraphOp
from dialects.graph.roles import FusionRole
from dialects.locations import text_of
from interp.walk.entry import ahead_of_time, block_of, functions
from interp.walk.run import run_module
from lowering.graph.canonicalize import CanonicalizePass
from lowering.graph.fuse import FusePass
from lowering.graph.marks import mark, marked
from ndpir.cli.check import error_of
from ndpir.diagnostics.verify import verify
from tests.laws.graph.programs import F32, programs
from tests.laws.graph.test_passes_keep_numbers import TOLERANCE
from tests.programs import context

GROUPING = (FusePass(recognize=False), FusePass(recognize=False, join=False), FusePass(recognize=False, residual=False))
PASSES = (CanonicalizePass(), FusePass(), FusePass(join=False), FusePass(group=False), FusePass(attention=True))


@composite
def marked_programs(draw: DrawFn) -> ModuleOp:
    """A program in which each op has no mark or one of two marks, often that of the previous op."""
    module = draw(programs(F32))
    device = None
    for op in module.walk():
        if isinstance(op, GraphOp):
            device = draw(st.sampled_from((device, device, device, None, "gpu", "ndp")))
            if device is not None:
                mark([op], device)
    return module


def on_devices(module: ModuleOp) -> Iterator[tuple[Operation, str | None]]:
    """All ops that a device runs, each with the device of its mark, or of its group's mark."""
    for function in functions(module):
        early = ahead_of_time(block_of(function))
        for op in function.walk():
            if isinstance(op, GraphOp) and op not in early and op.FUSION is not FusionRole.VIEW:
                group = op.parent_op()
                yield op, marked(group if isinstance(group, FusedOp) else op)


def needed(module: ModuleOp) -> set[Operation]:
    """The ops on which the results of a program depend."""
    found = set[Operation]()
    for function in functions(module):
        waiting = [function.body.block.last_op]
        for op in waiting:
            if op is not None and op not in found:
                found.add(op)
                waiting += [value.owner for value in op.operands if isinstance(value.owner, Operation)]
    return found


@given(marked_programs(), st.sampled_from(GROUPING))
def test_grouped_ops_keep_their_devices(old: ModuleOp, fuse: FusePass) -> None:
    wanted = {text_of(op.location): device for op, device in on_devices(old)}
    new = old.clone()
    fuse.apply(Context(), new)
    verify(new, context())
    found = {(name, device) for op, device in on_devices(new) if (name := text_of(op.location)) in wanted}
    assert found <= set(wanted.items())
    known = needed(old)
    assert {text_of(op.location) for op, _ in on_devices(old) if op in known} <= {name for name, _ in found}


@given(marked_programs(), st.lists(st.sampled_from((*PASSES, *GROUPING)), min_size=1, max_size=2))
def test_marked_programs_keep_numbers_and_marks(old: ModuleOp, passes: list[CanonicalizePass | FusePass]) -> None:
    new = old.clone()
    for each in passes:
        each.apply(Context(), new)
        verify(new, context())
    pairs = zip(run_module(old, seed=5), run_module(new, seed=5), strict=True)
    assert max(error_of(a, b) for a, b in pairs) <= TOLERANCE
    known, left = needed(old), {(text_of(op.location), device) for op, device in on_devices(new)}
    lost = {(text_of(op.location), device) for op, device in on_devices(old) if device and op in known} - left
    assert not lost
