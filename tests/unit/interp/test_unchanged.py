"""Facts of ops that are remembered while a program stays as it is."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import ndpir
from dialects.graph import GraphOp, ReluOp
from dialects.work import Work
from interp.cost.gpu import kernels
from interp.program.unchanged import once_an_op, unchanged
from lowering.placement.primary_alone import note_baselines

PROGRAM = """\
hw.device @gpu = "a100"
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = graph.relu %x : tensor<64x64xf32>
  %z = graph.neg %y : tensor<64x64xf32>
  func.return %z : tensor<64x64xf32>
}
"""


def test_a_fact_is_asked_once_an_op_and_again_once_programs_may_change() -> None:
    asked: list[Operation] = []

    @once_an_op
    def name(op: Operation, said: str) -> str:
        asked.append(op)
        return said + op.name

    module, other = ModuleOp([]), ModuleOp([])
    with unchanged():
        assert name(module, "") == "builtin.module"
        with unchanged():  # is part of the outer one
            assert name(module, "") == name(other, "") == "builtin.module"
        assert asked == [module, other]
    assert name(module, "a ") == "a builtin.module"
    with unchanged():
        name(module, "")
    assert asked == [module, other, module, module]


def test_the_baseline_describes_each_op_to_gpus_once_for_all_its_clocks() -> None:
    asked: list[GraphOp] = []
    form = kernels.kernel_form.find(ReluOp)
    assert form is not None

    def describe(op: GraphOp, work: Work) -> kernels.Description:
        asked.append(op)
        return form.describe(op, work)

    kernels.kernel_form.attach(form._replace(describe=describe), ReluOp)
    try:
        note_baselines(ndpir.parse(PROGRAM))
    finally:
        kernels.kernel_form.attach(form, ReluOp)
    assert len(asked) == 1, "the clock of the primary device and those at both ends of each of its assumptions share it"
