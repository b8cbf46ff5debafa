"""Kernels of thread blocks from problems and schedules, unpipelined and pipelined."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from dialects import graph as g
from dialects.tile import KernelOp
from lowering.tile.attention import attention_kernel
from lowering.tile.contraction import Contraction, contraction_kernel
from lowering.tile.convolution import contraction_of_conv, windows_of
from lowering.tile.epilogue import Unfit
from lowering.tile.matmul import contraction_of_matmul, product_of
from lowering.tile.pipelining import PASSES, PEELED
from lowering.tile.schedule import Problem, Schedule


def kernel_of(problem: Problem, schedule: Schedule, name: str = "product", device: str = "gpu") -> KernelOp:
    """Return the kernel of a problem, unpipelined; its buffers only request stages."""
    found = product_of(problem) if problem.convolution is None else windows_of(problem)
    return contraction_kernel(found, schedule, name, device)


def kernel_of_op(op: Operation, schedule: Schedule, name: str = "product", device: str = "gpu") -> KernelOp:
    """Return the kernel of an attention, a matrix product or a convolution, or of a `graph.fused` that contains a
    matrix product or a convolution and elementwise ops after it. Its inputs are those of `inputs_of`, in order.
    Raises Unfit with the reason for an op without a template."""
    if isinstance(op, g.AttentionOp):
        return attention_kernel(op, schedule, name, device)
    return contraction_kernel(contraction_of(op), schedule, name, device)


def inputs_of(op: Operation) -> list[SSAValue]:
    """Return the values that the kernel of an op takes: the factors, then the operands of its epilogue. Raises Unfit
    for an op without a template."""
    if isinstance(op, g.AttentionOp):
        return list(op.operands)
    found = contraction_of(op)
    values = [each.value for each in (found.first, found.second, *found.epilogue.operands)]
    return [_outside(op, value) for value in values if value is not None]


def _outside(op: Operation, value: SSAValue) -> SSAValue:
    """Return the operand of the group `op` that is passed as the group's argument `value`; `value` itself if `op` is
    not a group. Raises Unfit for a value that the group computes."""
    if not isinstance(op, g.FusedOp):
        return value
    if not isinstance(value, BlockArgument):
        raise Unfit("the group computes a factor of its product, but templates copy factors to shared memory unchanged")
    return op.inputs[value.index]


def contraction_of(op: Operation) -> Contraction:
    """Return the contraction that an op computes. Raises Unfit with the reason for an op that is not one."""
    anchor, around = _anchor(op)
    return (
        contraction_of_matmul(anchor, around) if isinstance(anchor, g.MatmulOp) else contraction_of_conv(anchor, around)
    )


def _anchor(op: Operation) -> tuple[g.MatmulOp | g.ConvOp, g.FusedOp | None]:
    """Return the contraction in an op, and the group that contains it."""
    if isinstance(op, g.MatmulOp | g.ConvOp):
        return op, None
    if not isinstance(op, g.FusedOp):
        raise Unfit(f"{op.name} is neither a matrix product nor a convolution")
    anchors = [each for each in op.ops if isinstance(each, g.MatmulOp | g.ConvOp)]
    if len(anchors) != 1:
        raise Unfit(f"the group has {len(anchors)} matrix products and convolutions, but a template has one")
    return anchors[0], op


def pipelined_kernel(problem: Problem, schedule: Schedule, name: str = "product", device: str = "gpu") -> KernelOp:
    """Return the kernel of a problem with the pipelines of its schedule, alone in a module."""
    return pipelined(kernel_of(problem, schedule, name, device), schedule)


def pipelined(kernel: KernelOp, schedule: Schedule) -> KernelOp:
    """Pipeline a kernel that is in no module, as its buffers request; the kernel is then alone in a module."""
    module = ModuleOp([kernel])
    for each in PEELED if schedule.peeled else PASSES:
        each().apply(Context(), module)
    return kernel
