"""Short names of tasks and copies, by their ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, OpResult, SSAValue

from dialects.graph.constant import ConstantOp
from dialects.graph.fused import FusedOp, opaque_in
from dialects.graph.opaque import OpaqueOp
from dialects.graph.patterns.matching import widens
from dialects.repeating import RepeatingOp
from dialects.task import CopyOp, OutwardOp, ResidencyOp, RunOp, YieldOp
from dialects.values import called
from interp.walk.entry import is_contraction
from interp.walk.level import is_launch, is_program, launched_name
from interp.walk.level import name_of as symbol_of
from interp.walk.views import is_part, is_view


def name_of(op: Operation) -> str:
    """A short name of a task: its ops without the views, `@kernel` for a launch, `copy %x` for a copy, and `stream %x`
    for a streamed copy.
    """
    match op:
        case CopyOp():
            maker, word = op.value.owner, "stream" if op.streamed else "copy"
            if op.value.name_hint:
                return f"{word} %{op.value.name_hint}"
            return f"{word} of {name_of(maker)}" if isinstance(maker, Operation) else word
        case ResidencyOp():
            part = "" if op.covers_value else f" [{op.range[0]} to {op.range[1]}]"
            target = f" to @{op.target}" if isinstance(op, OutwardOp) else ""
            word = op.name.removeprefix("task.").replace("_", " ")
            return f"{word} {value_name(op.value)}{part}{target}"
        case RunOp():
            return _listed([inner for inner in op.body.block.ops if not isinstance(inner, YieldOp)])
        case OpaqueOp():
            return f"opaque {op.called}"
        case FusedOp() if opaque := opaque_in(op):
            return name_of(opaque[0])
        case FusedOp():
            return _listed(op.ops) if op.kind is None else _kind_of(op, op.kind.data)
        case RepeatingOp():
            counter = f"%{op.counter.name_hint} = " if op.counter.name_hint else ""
            return f"repeat {counter}{op.counted.start} to {op.counted.stop}"
        case _ if is_program(op):
            return f"@{symbol_of(op)}"
        case _ if is_launch(op):
            return f"@{launched_name(op)}"
        case _:
            return op.name.removeprefix("graph.")


def value_name(value: SSAValue) -> str:
    """The name of a value in tables; without a name, its op: `result of matmul`."""
    if value.name_hint is None and isinstance(value, OpResult):
        return f"result of {name_of(value.op)}"
    return called(value)


def _kind_of(group: FusedOp, kind: str) -> str:
    """The name of a fused group that was recognised as `kind` (for instance `softmax`): the kind, preceded by the name
    of the group's matrix product or convolution if there is exactly one and the kind does not contain its name."""
    products = [name_of(op) for op in group.ops if is_contraction(op)]
    named = len(products) == 1 and products[0] not in kind
    return "+".join((*products, kind)) if named else kind


def _listed(ops: Sequence[Operation]) -> str:
    """The name of a task from its ops, such as `conv+relu`; of more than three ops only the first three, followed by
    `+…`. Views, constants, and conversions that widen a product's factors are not named. A body of views alone is
    named after its ops that cut out or join parts of tensors; without such an op it is named `view`. In a task with
    a launch only the launch is named, because the other ops are performed during the launch's transfers."""
    product = next((index for index, op in enumerate(ops) if is_contraction(op)), -1)
    ops = [op for index, op in enumerate(ops) if index > product or not widens(op)]
    launches = [op for op in ops if is_launch(op)]
    names = [name_of(op) for op in launches or ops if not is_view(op) and not isinstance(op, ConstantOp)]
    names = names or [name_of(op) for op in ops if is_part(op)]
    return "+".join(names[:3]) + ("+…" if len(names) > 3 else "") if names else "view"
