"""The state of an ONNX graph while it is written: names, nodes, initialisers, element types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NoReturn, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, ValueInfoProto, defs, helper, numpy_helper
from xdsl.dialects.builtin import IntegerType, f32
from xdsl.ir import Attribute, Operation, SSAValue

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import I64, ElementType, bit_width, dtype_of, is_float, is_small_float, name_of
from dialects.external import ExternalInterface
from interp.numerics.rounding import cast as cast_array

Array: TypeAlias = NDArray[Any]
OPSET, IR_VERSION = 23, 11
"""The opset and IR version of written models: the newest versions with which ndpir's ONNX front end is tested. The
opset contains `Attention` and `RMSNormalization`; onnxruntime 1.23 and later run it."""
Writer: TypeAlias = "Callable[[OnnxGraph, Any], str]"
writer = ExternalInterface[Writer]()
"""The writer of an op class: a function that takes the graph and the op, adds nodes, and returns the result's name."""


class OnnxGraph:
    """The nodes and initialisers written so far, and the ONNX name of each SSA value."""

    def __init__(self, wide: bool = False) -> None:
        """`wide`: write f16 and bf16 as f32, for processors without arithmetic in these types."""
        self.wide = wide
        self.nodes: list[NodeProto] = []
        self.initialisers: list[TensorProto] = []
        self.values: dict[SSAValue, str] = {}
        self._used: set[str] = set()
        self._constants: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    # Types

    def element(self, element: Attribute) -> ElementType:
        """The element type in the model for an element type of the program."""
        return (
            f32 if self.wide and is_float(element) and dtype_of(element).itemsize == 2 else cast(ElementType, element)
        )

    def element_of(self, value: SSAValue) -> ElementType:
        """The element type of a value in the model."""
        return self.element(g.tensor_of(value).element_type)

    def dtype_of(self, value: SSAValue) -> np.dtype[Any]:
        """The numpy dtype of a value in the model."""
        return dtype_of(self.element_of(value))

    def info(self, name: str, value: SSAValue) -> ValueInfoProto:
        """The declaration of a value as an input or output of the model, with its name and type."""
        return helper.make_tensor_value_info(name, _code(self.element_of(value)), g.shape_of(value))

    def code(self, value: SSAValue) -> int:
        """The number by which ONNX denotes the element type of a value in the model."""
        return _code(self.element_of(value))

    # Names

    def fresh(self, wanted: str) -> str:
        """A new name: `wanted` if it is unused, else `wanted` with a suffix."""
        name, count = wanted, 0
        while name in self._used:
            count += 1
            name = f"{wanted}_{count}"
        self._used.add(name)
        return name

    def __getitem__(self, value: SSAValue) -> str:
        return self.values[value]

    def operands(self, op: Operation) -> list[str]:
        """The names of an op's operands."""
        return [self.values[operand] for operand in op.operands]

    # Initialisers and nodes

    def initialiser(self, name: str, array: Array) -> str:
        """A new initialiser, with its numbers in the model."""
        name = self.fresh(name)
        self.initialisers.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def constant(self, array: Array) -> str:
        """A small constant; equal constants share one initialiser."""
        key = (array.dtype.name, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = self.initialiser("constant", array)
        return self._constants[key]

    def integers(self, numbers: Sequence[int]) -> str:
        """A constant vector of i64, such as extents, axes or starts."""
        return self.constant(np.array(numbers, np.int64).reshape(len(numbers)))

    def scalar(self, number: float, like: SSAValue) -> str:
        """A constant scalar of the element type of `like` in the model; a number beyond the type's range becomes
        infinite."""
        with np.errstate(over="ignore"):
            return self.constant(cast_array(np.array(number), self.dtype_of(like)))

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """The name of the result of a new node. An empty name in `inputs` denotes an omitted input; attributes with
        value None are omitted."""
        given = {name: value for name, value in attributes.items() if value is not None}
        result = self.fresh(kind.lower())
        self.nodes.append(helper.make_node(kind, list(inputs), [result], name=result, **given))
        return result

    def cast(self, name: str, element: Attribute) -> str:
        """The name of a value cast to another element type."""
        return self.node("Cast", name, to=_code(element), saturate=0 if is_small_float(element) else None)

    def reshape(self, name: str, shape: Sequence[int]) -> str:
        """The name of a value reshaped to `shape`."""
        return self.node("Reshape", name, self.integers(shape), allowzero=1 if 0 in shape else None)

    def widened(self, kind: str, value: SSAValue) -> str:
        """An operand for a node of operator `kind` whose sums and products wrap around. Integers of a type that the
        operator does not support are cast to i32 or i64; the low bits of results are the same."""
        element = self.element_of(value)
        return self[value] if takes(kind, element) else self.cast(self[value], _wider(element))

    def cast_back(self, kind: str, name: str, value: SSAValue) -> str:
        """The result of a node on widened operands, cast back to the type of the original operand `value`."""
        element = self.element_of(value)
        return name if takes(kind, element) else self.cast(name, element)

    # Ops

    def write(self, op: Operation) -> None:
        """Write an op; a fused group is written as the ops of its body. Raises InputError for ops without an ONNX
        form."""
        if isinstance(op, g.FusedOp):
            for argument, operand in zip(op.body.block.args, op.inputs, strict=True):
                self.values[argument] = self.values[operand]
            for inner in op.ops:
                self.write(inner)
            for result, inner in zip(op.outputs, op.yielded, strict=True):
                self.values[result] = self.values[inner]
            return
        if (write := writer.find(type(op))) is None:
            raise InputError(f"{op.name} can't be written as ONNX; functions may hold graph ops only", op)
        _check_types(op)
        before = len(self.nodes)
        name = write(self, op)
        if len(self.nodes) > before and (hint := op.results[0].name_hint) and self.nodes[-1].output[0] == name:
            name = self.nodes[-1].name = self.nodes[-1].output[0] = self.fresh(hint)
        self.values[op.results[0]] = name


_OF_SMALL = (
    *(g.CastOp, g.ConstantOp, g.DequantizeOp, g.QconvOp, g.QmatmulOp, g.QuantizeOp),
    *(g.ReshapeOp, g.TransposeOp, g.WeightOp),
)
"""The ops with an ONNX form for elements of fewer than 8 bits and for floats of 8 bits."""
_LATER = ("i2", "ui2", "f8E8M0FNU")
"""Element types that ONNX has since a newer opset."""


def _check_types(op: Operation) -> None:
    """Raise InputError for an op on elements for which the opset has no such operator."""
    for value in (*op.operands, *op.results):
        element = g.tensor_of(value).element_type
        if not (bit_width(element) < 8 or is_small_float(element)):
            continue
        if name_of(element) in _LATER:
            refuse(op, f"opset {OPSET} has no elements of {element}; use a wider type")
        if not isinstance(op, _OF_SMALL):
            refuse(op, f"ONNX doesn't compute in {element}; cast the operands (graph.cast)")


def refuse(op: Operation, what: str) -> NoReturn:
    """Raise InputError for an op that ONNX can't express. `what`: the reason."""
    raise InputError(f"{op.name} can't be written as ONNX: {what}", op)


@writer.of(g.OpaqueOp)
def opaque(graph: OnnxGraph, op: g.OpaqueOp) -> str:
    refuse(op, f"its operator {op.called} is of another opset than the written model; take it from the model read")


@cache
def takes(kind: str, element: Attribute) -> bool:
    """True if the ONNX operator `kind` supports tensors of an element type as its first operand."""
    schema = defs.get_schema(kind, OPSET)
    first = schema.inputs[0].type_str
    allowed = {
        name for entry in schema.type_constraints if entry.type_param_str == first for name in entry.allowed_type_strs
    }
    return f"tensor({_called(element)})" in allowed


def _called(element: Attribute) -> str:
    """The name of an element type in ONNX's schemas."""
    name = dtype_of(element).name
    return {"float32": "float", "float64": "double"}.get(name, name)


def _wider(element: Attribute) -> ElementType:
    return IntegerType(32) if dtype_of(element).itemsize < 4 else I64


def _code(element: Attribute) -> int:
    """The number by which ONNX denotes an element type."""
    return helper.np_dtype_to_tensor_dtype(dtype_of(element))
