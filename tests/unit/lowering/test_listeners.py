"""Tests that a listener is notified of each op that a pass inserts, modifies, replaces or erases, also by passes that
do not use rewrite patterns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriterListener

import ndpir
from dialects.graph import ConvOp, SliceOp
from lowering.graph.canonicalize import CanonicalizePass
from lowering.graph.fuse import FusePass
from lowering.graph.inline import InlinePass
from lowering.graph.layout import LayoutPass
from lowering.graph.marks import mark, unmark
from lowering.graph.precision import ReducePrecisionPass
from lowering.graph.rewriting import listening
from lowering.partition.shards.chain import ChainPass
from lowering.partition.shards.split import SplitPass
from lowering.place.order import OrderPass
from lowering.place.place import PlacePass
from ndpir.cli.opt import main

PROGRAM = """
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
func.func private @half(%x: tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32> {
  %c = graph.constant 0.5 : tensor<f32>
  %y = graph.mul %x, %c : tensor<1x8x16x16xf32>, tensor<f32>
  func.return %y : tensor<1x8x16x16xf32>
}
func.func @main(%x: tensor<1x8x16x16xf32>) -> tensor<1x2048xf32> {
  %v = graph.weight "v" = uniform(-1.0, 1.0, 1) : tensor<8x8x1x1xf32>
  %w = graph.weight "w" = uniform(-1.0, 1.0, 2) : tensor<8x8x3x3xf32>
  %0 = func.call @half(%x) : (tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  %1 = graph.conv %0, %v : tensor<1x8x16x16xf32>, tensor<8x8x1x1xf32>
  %2 = graph.relu %1 : tensor<1x8x16x16xf32>
  %3 = graph.conv %2, %w pads = [1, 1, 1, 1] : tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32>
  %4 = graph.relu %1 : tensor<1x8x16x16xf32>
  %5 = graph.add %3, %4 : tensor<1x8x16x16xf32>
  %6 = graph.reshape %5 : tensor<1x8x16x16xf32> -> tensor<1x2048xf32>
  func.return %6 : tensor<1x2048xf32>
}
"""


class Events:
    """A listener that records its notifications."""

    def __init__(self) -> None:
        self.inserted: set[Operation] = set()
        self.erased: set[Operation] = set()
        self.modified: set[Operation] = set()
        self.replaced: dict[Operation, int] = {}
        self.listener = PatternRewriterListener(
            operation_insertion_handler=[lambda op: self.inserted.update(op.walk())],
            operation_removal_handler=[lambda op: self.erased.update(op.walk())],
            operation_modification_handler=[self.modified.add],
            operation_replacement_handler=[lambda op, values: self.replaced.update({op: len(values)})],
        )


def events_of(module: ModuleOp, *passes: ModulePass) -> Events:
    """Run passes on a module and return the events of the last one, checked against the module before and after it."""
    for each in passes[:-1]:
        each.apply(Context(), module)
    events, before = Events(), set(module.walk())
    noted = {op: (dict(op.attributes), dict(op.properties)) for op in before}
    with listening(module, events.listener):
        passes[-1].apply(Context(), module)
    after = set(module.walk())
    assert after - before <= events.inserted
    assert before - after <= events.erased
    assert events.erased.isdisjoint(after)
    assert set(events.replaced) <= events.erased
    assert after != before or events.modified
    changed = {op for op in after & before if noted[op] != (op.attributes, op.properties)}
    assert changed <= events.modified | events.inserted, "marks and notes on an op must be reported as modifications"
    return events


INLINE = InlinePass()


@pytest.mark.parametrize(
    "passes",
    [
        [INLINE],
        [INLINE, CanonicalizePass()],
        [INLINE, FusePass()],
        [INLINE, ReducePrecisionPass("f16")],
        [INLINE, SplitPass()],
        [INLINE, FusePass(), SplitPass(axis=2)],
        [INLINE, ChainPass()],
        [INLINE, ChainPass(), LayoutPass()],
        [PlacePass("pim-first")],
        [PlacePass(effort=1)],
        [PlacePass()],
        [PlacePass(effort=3)],
        [INLINE, ChainPass(), PlacePass("pim-first"), OrderPass()],
    ],
    ids=lambda passes: "-".join(str(each.name) for each in passes),
)
def test_a_listener_is_notified_of_all_changes_of_a_pass(passes: list[ModulePass]) -> None:
    events_of(ndpir.parse(PROGRAM), *passes)


def test_a_split_is_reported_as_a_replacement() -> None:
    module = ndpir.parse(PROGRAM)
    events = events_of(module, INLINE, SplitPass(axis=2))
    assert {op.name for op in events.replaced} == {"graph.conv", "graph.add"}
    assert sum(isinstance(op, SliceOp) for op in events.inserted) >= 4


def test_marks_on_ops_are_reported_as_modifications() -> None:
    """A mark records the device that a plan chose for an op, before `place` turns the op into a task; setting and
    removing a mark are reported."""
    module, events = ndpir.parse(PROGRAM), Events()
    InlinePass().apply(Context(), module)
    convs = [op for op in module.walk() if isinstance(op, ConvOp)]
    with listening(module, events.listener):
        mark(convs, "pim")
        assert events.modified == {*convs}
        events.modified.clear()
        unmark(module.walk())
        assert events.modified == {*convs}, "other ops have no mark to remove"


def test_changes_to_trial_copies_are_not_reported() -> None:
    """The policy `optimal` splits and places many copies of a program before it changes the program itself."""
    module = ndpir.parse(PROGRAM)
    events = events_of(module, PlacePass())
    assert len(events.inserted) < 3 * len(list(module.walk()))


def test_changes_are_printed_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "p.mlir"
    program.write_text(PROGRAM)
    assert main([str(program), "-p", "place{policy=pim-first}", "--print-ir-after-all", "--timing"]) == 0
    err = capsys.readouterr().err
    assert "// fired: 1 InlineCall\n// ops: " in err
    assert re.search(r"ops  of place\n +\d+  inserted\n +\d+  erased\n +1  replaced", err)
