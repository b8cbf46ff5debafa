"""A listener hears what passes change, also those that are not local: each op that they insert, replace and erase."""

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
from lowering.graph.precision import ReducePrecisionPass
from lowering.graph.rewriting import listening
from lowering.placement.marks import mark, unmark
from lowering.placement.order import OrderPass
from lowering.placement.place import PlacePass
from lowering.tiling.chain import ChainPass
from lowering.tiling.split import SplitPass
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


class Heard:
    """The events that a listener hears."""

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


def heard_of(module: ModuleOp, *passes: ModulePass) -> Heard:
    """The events of the last pass; the others run unheard."""
    for each in passes[:-1]:
        each.apply(Context(), module)
    heard, before = Heard(), set(module.walk())
    noted = {op: (dict(op.attributes), dict(op.properties)) for op in before}
    with listening(module, heard.listener):
        passes[-1].apply(Context(), module)
    after = set(module.walk())
    assert after - before <= heard.inserted
    assert before - after <= heard.erased
    assert heard.erased.isdisjoint(after)
    assert set(heard.replaced) <= heard.erased
    assert after != before or heard.modified
    changed = {op for op in after & before if noted[op] != (op.attributes, op.properties)}
    assert changed <= heard.modified | heard.inserted, "an op that is marked or noted on is modified, too"
    return heard


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
        [PlacePass("cost")],
        [PlacePass("best")],
        [PlacePass("joint")],
        [INLINE, ChainPass(), PlacePass("pim-first"), OrderPass()],
    ],
    ids=lambda passes: "-".join(str(each.name) for each in passes),
)
def test_a_listener_hears_what_a_pass_changes(passes: list[ModulePass]) -> None:
    heard_of(ndpir.parse(PROGRAM), *passes)


def test_a_split_replaces_an_op_by_its_parts() -> None:
    module = ndpir.parse(PROGRAM)
    heard = heard_of(module, INLINE, SplitPass(axis=2))
    assert {op.name for op in heard.replaced} == {"graph.conv", "graph.add"}
    assert sum(isinstance(op, SliceOp) for op in heard.inserted) >= 4


def test_marks_and_notes_are_heard() -> None:
    """Plans mark ops before `place` takes them."""
    module, heard = ndpir.parse(PROGRAM), Heard()
    InlinePass().apply(Context(), module)
    convs = [op for op in module.walk() if isinstance(op, ConvOp)]
    with listening(module, heard.listener):
        mark(convs, "pim")
        assert heard.modified == {*convs}
        heard.modified.clear()
        unmark(module.walk())
        assert heard.modified == {*convs}, "the others bear no mark"


def test_what_a_pass_tries_on_copies_is_not_heard() -> None:
    """The policies `best` and `joint` cut and place many copies of a program before they cut the program itself."""
    module = ndpir.parse(PROGRAM)
    heard = heard_of(module, PlacePass("best"))
    assert len(heard.inserted) < 3 * len(list(module.walk()))


def test_changes_are_printed_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "p.mlir"
    program.write_text(PROGRAM)
    assert main([str(program), "-p", "place{policy=pim-first}", "--print-ir-after-all", "--timing"]) == 0
    err = capsys.readouterr().err
    assert "// fired: 1 InlineCall\n// ops: " in err
    assert re.search(r"ops  of place\n +\d+  inserted\n +\d+  erased\n +1  replaced", err)
