"""`graph.opaque`: an operator of ONNX of which only its name, attributes and types are known."""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    f32,
    f64,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from dialects.graph.op import TENSOR, GraphOp, Tensor, tensor_of
from dialects.graph.properties import fields_prop, int_prop, ints_prop, text_prop
from dialects.work import Work

MOST_OUTPUTS = 64
"""The largest number of outputs of a node."""

Plain: TypeAlias = int | float | str | list[int] | list[float] | list[str] | DenseIntOrFPElementsAttr
"""The value of a node's attribute."""


@irdl_op_definition
class OpaqueOp(GraphOp):
    """One output of an operator of ONNX whose meaning is unknown here: only its name, attributes and types are known.

    Such an op runs on the primary device alone, and its time is that of its bytes. Its values come from onnx's
    reference evaluator or ONNX Runtime, where one of them has the operator; they run no code of the model's file. A
    node with several outputs is a group (`graph.fused`) with one op for each: one kernel, which reads its operands
    once. `absent` are the places of inputs that the node leaves out, and `opset` is the version of the domain.

    (C1) an operator, and an opset of at least 1. (C2) at least one operand. (C3) places of absent inputs are in order,
    and so few that no input is missing at the end. (C4) `output` is one of the node's `outputs`, at most 64. (C5) each
    attribute in `given` is an i64, a float, a text, an array of one of these, or a dense tensor.

    ```mlir
    %y = graph.opaque %x operator = "Glow", domain = "com.acme", given = {alpha = 0.5} : tensor<4xf32> -> tensor<8xf32>
    ```
    """

    name = "graph.opaque"
    EXPLICIT_RESULT: ClassVar = True
    xs = var_operand_def(TENSOR)
    operator = text_prop()
    domain = text_prop("")
    opset = int_prop(1)
    given = fields_prop()
    absent = ints_prop(())
    output = int_prop(0)
    outputs = int_prop(1)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        if not self.operator.data or self.opset.value.data < 1:  # (C1)
            raise VerifyException(
                f'graph.opaque needs the name of an operator and an opset of at least 1, not "{self.operator.data}" '
                f"and {self.opset.value.data}"
            )
        if not self.xs:  # (C2)
            raise VerifyException("graph.opaque needs at least one operand; numbers without operands are a weight")
        absent = self.absent.get_values()
        least, most = min(absent, default=0), len(self.xs) + len(absent) - 1
        if list(absent) != sorted(set(absent)) or least < 0 or max(absent, default=-1) >= most:  # (C3)
            raise VerifyException(
                f"graph.opaque: `absent` holds places before the last of {most + 1} inputs, in order, not "
                f"{list(absent)}"
            )
        output, outputs = self.output.value.data, self.outputs.value.data
        if not 0 <= output < outputs <= MOST_OUTPUTS:  # (C4)
            raise VerifyException(
                f"graph.opaque: `output` is one of {outputs} outputs, counted from 0, of at most {MOST_OUTPUTS}, not "
                f"{output}"
            )
        for name, value in self.given.data.items():
            if plain(value) is None:  # (C5)
                raise VerifyException(
                    f"graph.opaque: `{name}` must be an i64, an f32, a text, an array of one of these, or a dense "
                    f"tensor, not {value}"
                )
        return (tensor_of(self.y),)

    @property
    def called(self) -> str:
        """The operator with its domain: `com.acme.Glow`."""
        return f"{self.domain.data}.{self.operator.data}" if self.domain.data else self.operator.data

    def work(self) -> Work:
        """The bytes of operands and result; how much the operator computes is unknown."""
        return Work(0, *self.bytes_moved())


def plain(value: Attribute) -> Plain | None:
    """The value of a node's attribute; None for one that no node has."""
    match value:
        case IntegerAttr() if value.type == i64:
            return value.value.data
        case FloatAttr() if value.type in (f32, f64):
            return value.value.data
        case StringAttr():
            return value.data
        case DenseArrayBase():
            return _listed(value)
        case ArrayAttr():
            texts = [each.data for each in value if isinstance(each, StringAttr)]
            return texts if len(texts) == len(value) else None
        case DenseIntOrFPElementsAttr():
            return value
        case _:
            return None


def _listed(value: Any) -> list[int] | list[float] | None:
    """The numbers of a dense array, which xDSL's types don't tell apart."""
    if value.elt_type == i64:
        return list(map(int, value.get_values()))
    return list(map(float, value.get_values())) if value.elt_type in (f32, f64) else None


OPAQUE_OPS = (OpaqueOp,)
