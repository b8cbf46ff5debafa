"""Groups and regions of ops computed in parts or stages keep their numbers, for any axis, ratio and region."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from dialects import graph as g
from dialects.graph import FusedOp, shape_of
from dialects.graph.patterns import movement
from dialects.graph.rules import patterns
from interp.walk.entry import ahead_of_time, functions, is_graph_op
from interp.walk.run import run_module
from lowering.graph.fuse import FusePass
from lowering.graph.rewriting import apply_patterns
from lowering.partition.shards.chain import chain_region
from lowering.partition.shards.parts import full_box, part_of, replaced, splittable_axes
from lowering.partition.shards.split import Op, split_op
from ndpir.cli.check import error_of
from tests.laws.graph.programs import F32, programs

SUMS = (
    g.MatmulOp,
    g.ConvOp,
    g.AttentionOp,
    g.ReduceOp,
    g.PoolOp,
    g.SoftmaxOp,
    g.LayerNormOp,
    g.RmsNormOp,
    g.LrnOp,
    g.CumsumOp,
)
"""Ops that numpy may sum in another order if the shape differs."""
TOLERANCE = 1e-4
MARK = "task.on"

T = TypeVar("T")


def fused(module: ModuleOp) -> ModuleOp:
    module = module.clone()
    FusePass().apply(Context(), module)
    return module


def ops_of(module: ModuleOp) -> list[Op]:
    """The graph ops and groups that run as tasks, in program order: all except those computed ahead of time."""
    block = functions(module)[0].body.block
    early = ahead_of_time(block)
    return [op for op in block.ops if is_graph_op(op) and op not in early]


def check(old: ModuleOp, new: ModuleOp) -> None:
    new.verify()
    folded = new.clone()
    apply_patterns(folded, patterns(movement.RULES), remove_dead=True)
    folded.verify()
    tolerance = TOLERANCE if any(isinstance(op, SUMS) for op in old.walk()) else 0.0
    expected = run_module(old, seed=5)
    for module in (new, folded):
        assert all(error_of(a, b) <= tolerance for a, b in zip(expected, run_module(module, seed=5), strict=True))


def one_of(data: st.DataObject, candidates: Sequence[T]) -> T:
    return candidates[data.draw(st.integers(0, len(candidates) - 1))]


def parts(data: st.DataObject, extent: int) -> list[range]:
    inside = st.lists(st.integers(1, extent - 1), max_size=3, unique=True) if extent > 1 else st.just([])
    ends = [0, *sorted(data.draw(inside)), extent]
    return [range(begin, end) for begin, end in pairwise(ends)]


@given(programs(F32), st.data())
def test_groups_in_parts(old: ModuleOp, data: st.DataObject) -> None:
    """A group is split, then each of its parts is split again; splitting keeps the op's attributes and the names inside
    the group."""
    old = fused(old)
    new = old.clone()
    ops = [op for op in ops_of(new) if splittable_axes(op)]
    if not ops:
        return
    groups = [op for op in ops if isinstance(op, FusedOp)]
    chosen = one_of(data, groups or ops)
    chosen.attributes[MARK] = StringAttr("pim")
    hints = {value.name_hint for op in chosen.walk() for value in op.results if op is not chosen}
    for _ in range(2):
        axis = data.draw(st.sampled_from(splittable_axes(chosen) or (0,)))
        if not shape_of(chosen.results[0]):
            break
        pieces = split_op(chosen, axis, parts(data, shape_of(chosen.results[0])[axis]), data.draw(st.booleans()))
        if pieces is None:
            break
        for piece in pieces:
            assert piece[0].attributes[MARK] == StringAttr("pim")
            if isinstance(piece[0], FusedOp):
                assert {value.name_hint for op in piece[0].ops for value in op.results} <= {*hints, None}
        chosen = one_of(data, pieces)[0]
    check(old, new)


@given(programs(F32), st.booleans(), st.integers(0, 3), st.integers(2, 4), st.data())
def test_regions_in_stages(old: ModuleOp, grouped: bool, axis: int, stages: int, data: st.DataObject) -> None:
    """A region of any ops of a block, dependent on each other or not, is computed in stages; then one of the resulting
    ops is split."""
    old = fused(old) if grouped else old
    new = old.clone()
    ops = ops_of(new)
    if not ops:
        return
    left_out = data.draw(st.sets(st.integers(0, len(ops) - 1), max_size=2))
    region = [op for place, op in enumerate(ops) if place not in left_out]
    staged = chain_region(region, axis, stages)
    if staged is None:
        assert [str(op) for op in ops] == [str(op) for op in ops_of(new)]
        return
    assert len(staged) == len(region)
    assert all(1 <= len(pieces) <= stages for pieces in staged)
    many = [piece for pieces in staged for piece in pieces if len(pieces) > 1 and splittable_axes(piece)]
    if many:
        piece = one_of(data, many)
        along = data.draw(st.sampled_from(splittable_axes(piece)))
        split_op(piece, along, parts(data, shape_of(piece.results[0])[along]))
    check(old, new)


@given(programs(F32), st.data())
def test_all_parts_together_read_the_operands_of_the_group(module: ModuleOp, data: st.DataObject) -> None:
    """All parts of a group's result together read the same elements of each operand as the full group."""
    for op in ops_of(fused(module)):
        for axis in splittable_axes(op):
            box = full_box(op.results[0])
            at = data.draw(st.integers(1, len(box[axis]) - 1))
            both = [part_of(op, replaced(box, axis, half)) for half in (range(at), range(at, len(box[axis])))]
            all_ = part_of(op, box)
            assert all_ is not None
            for part in both:
                for need, most in zip(part.needs if part else (), all_.needs, strict=False):
                    if need is not None:
                        assert most is not None
                        assert all(a.start >= b.start and a.stop <= b.stop for a, b in zip(need, most, strict=True))
