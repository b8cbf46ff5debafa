"""Tests of facts about ops that are cached while the program does not change."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import ndpir
from dialects.graph import GraphOp, ReluOp
from dialects.work import Work
from interp.kinds.gpu import kernels
from interp.walk.unchanged import once_per_op, unchanged
from lowering.alone.primary_alone import note_baselines

PROGRAM = """\
hw.device @gpu = "a100"
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = graph.relu %x : tensor<64x64xf32>
  %z = graph.neg %y : tensor<64x64xf32>
  func.return %z : tensor<64x64xf32>
}
"""


def test_a_fact_is_computed_once_per_op_until_the_program_may_change() -> None:
    queried: list[Operation] = []

    @once_per_op
    def name(op: Operation, prefix: str) -> str:
        queried.append(op)
        return prefix + op.name

    module, other = ModuleOp([]), ModuleOp([])
    with unchanged():
        assert name(module, "") == "builtin.module"
        with unchanged():  # the inner region uses the outer one's cache
            assert name(module, "") == name(other, "") == "builtin.module"
        assert queried == [module, other]
    assert name(module, "a ") == "a builtin.module"
    with unchanged():
        name(module, "")
    assert queried == [module, other, module, module]


def test_all_clocks_of_the_baseline_share_an_op_s_kernel_description() -> None:
    queried: list[GraphOp] = []
    form = kernels.kernel_form.find(ReluOp)
    assert form is not None

    def describe(op: GraphOp, work: Work) -> kernels.Description:
        queried.append(op)
        return form.describe(op, work)

    kernels.kernel_form.attach(form._replace(describe=describe), ReluOp)
    try:
        note_baselines(ndpir.parse(PROGRAM))
    finally:
        kernels.kernel_form.attach(form, ReluOp)
    assert len(queried) == 1, "the primary device's clock and the clocks with changed assumptions share one description"
