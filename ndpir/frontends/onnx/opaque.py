"""Import of operators without a handler as `graph.opaque` (`--opaque`): their result types, from the standard's shape
inference or from what the model states, and their attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from onnx import AttributeProto, NodeProto, TypeProto, numpy_helper, shape_inference
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    LocationAttr,
    StringAttr,
    f32,
    f64,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.element_types import tensor_type
from dialects.graph.constant import LITERAL_LIMIT
from dialects.graph.opaque import MOST_OUTPUTS
from dialects.graph.properties import integer
from ndpir.frontends.onnx.builder import BodyBuilder, known
from ndpir.frontends.onnx.operators import MAIN, Outputs, schema_of
from ndpir.frontends.onnx.subgraphs import graphs_of
from ndpir.frontends.onnx.tensors import TensorError, array_of, checked_shape, element_type, onnx_type
from ndpir.frontends.onnx.unsupported import RANDOM

FLAG: Final = "--opaque"


class OpaqueNodes:
    """The nodes of a model that become opaque ops. `versions`: the versions of domains that the model uses."""

    def __init__(self, versions: Mapping[str, int]) -> None:
        self.versions = versions
        self.dims: Mapping[str, int] = {}
        """The extents of symbolic dimensions, by name."""

    def made(
        self, proto: NodeProto, opset: int, inputs: Sequence[SSAValue | None], wanted: Sequence[bool],
        location: LocationAttr, body: BodyBuilder, stated: Mapping[str, TypeProto],
    ) -> Outputs:  # fmt: skip
        """The wanted outputs of a node, each an opaque op; several are a group. `stated`: the types that the node's
        graph states, by name. Raises VerifyException for a node whose
        result types are unknown, and for one that no opaque op can stand for."""
        operands = [value for value in inputs if value is not None]
        if (why := why_never(proto, opset)) is not None:
            raise VerifyException(why)
        if not operands or len(proto.output) > MOST_OUTPUTS:
            raise VerifyException(f"{FLAG} takes operators of one input or more, and of at most {MOST_OUTPUTS} outputs")
        last = max(place for place, value in enumerate(inputs) if value is not None)
        common: dict[str, Any] = {
            "operator": proto.op_type,
            "domain": "" if proto.domain in MAIN else proto.domain,
            "opset": integer(opset if proto.domain in MAIN else self.versions.get(proto.domain, 1)),
            "given": DictionaryAttr({each.name: _attribute(each) for each in proto.attribute}),
            "absent": [place for place, value in enumerate(inputs[:last]) if value is None],
            "outputs": len(proto.output),
        }
        types = self._types(proto, opset, inputs, wanted, stated)
        places = [place for place, type_ in enumerate(types) if type_ is not None]
        alone = len(places) == 1
        block = Block(arg_types=[value.type for value in operands])
        sources = operands if alone else list(block.args)
        ops = [g.OpaqueOp(*sources, result_type=types[place], output=place, **common) for place in places]
        if alone:
            values = [body.add(ops[0], location)]
        else:
            for op in ops:
                op.location = location
            values = body.add_group(_group(block, ops, operands), location)
        found = dict(zip(places, values, strict=True))
        return [found.get(place) for place in range(len(types))]

    def _types(
        self, proto: NodeProto, opset: int, inputs: Sequence[SSAValue | None], wanted: Sequence[bool],
        stated: Mapping[str, TypeProto],
    ) -> list[g.Tensor | None]:  # fmt: skip
        """The type of each wanted output; None for the others. If none is wanted, the first output is."""
        inferred = _inferred(proto, opset, inputs)
        needed = wanted if any(wanted) else [True]
        types: list[g.Tensor | None] = []
        for place, (name, is_needed) in enumerate(zip(proto.output, needed, strict=False)):
            if not is_needed:
                types.append(None)
                continue
            type_ = self._tensor(inferred.get(name), name) or self._tensor(stated.get(name), name)
            if type_ is None:
                raise VerifyException(
                    f"the shape of its output {place} (`{name}`) is unknown: neither the standard nor the "
                    "model's graph (value_info) gives it; state it there (onnx.helper.make_tensor_value_info)"
                )
            types.append(type_)
        return types

    def _tensor(self, stated: TypeProto | None, name: str) -> g.Tensor | None:
        """The type that a model or the standard states, if it is a tensor whose extents are all known."""
        if stated is None or stated.WhichOneof("value") is None:
            return None
        if stated.WhichOneof("value") != "tensor_type":
            raise VerifyException(f"its output `{name}` is no tensor, but {FLAG} takes operators on tensors alone")
        tensor = stated.tensor_type
        dims = [
            dim.dim_value if dim.HasField("dim_value") else self.dims.get(dim.dim_param) for dim in tensor.shape.dim
        ]
        extents = [extent for extent in dims if extent is not None]
        if not tensor.HasField("shape") or not tensor.elem_type or len(extents) != len(dims):
            return None
        try:
            return tensor_type(checked_shape(extents), element_type(tensor.elem_type))
        except TensorError as error:
            raise VerifyException(f"its output `{name}` {error}") from None


def why_never(proto: NodeProto, opset: int) -> str | None:
    """The reason why a node can't become opaque ops, whatever its types; None if it can."""
    if next(graphs_of(proto), None) is not None:
        return f"it holds graphs, which {FLAG} can't pass to another evaluator"
    if proto.domain in MAIN and proto.op_type in RANDOM:
        return "its numbers differ from run to run"
    if proto.domain in MAIN and schema_of("", proto.op_type, opset) is None:
        return f"opset {opset} has no such operator"
    return None


def _group(block: Block, ops: Sequence[g.OpaqueOp], operands: Sequence[SSAValue]) -> g.FusedOp:
    """A group of opaque ops: the outputs of one node."""
    block.add_ops([*ops, g.YieldOp(*(op.y for op in ops))])
    return g.FusedOp(operands, Region(block))


def _inferred(proto: NodeProto, opset: int, inputs: Sequence[SSAValue | None]) -> Mapping[str, TypeProto]:
    """The types of a node's outputs by the standard's shape inference, by name; none if it has no such operator."""
    schema = schema_of(proto.domain, proto.op_type, opset)
    if schema is None:
        return {}
    types = {name: onnx_type(value) for name, value in zip(proto.input, inputs, strict=True) if value is not None}
    arrays = {name: known(value) for name, value in zip(proto.input, inputs, strict=True) if value is not None}
    data = {name: numpy_helper.from_array(array, name) for name, array in arrays.items() if array is not None}
    try:
        return shape_inference.infer_node_outputs(schema, proto, types, data)
    except Exception as error:  # the standard's own checks of the node: several classes without a common one
        raise VerifyException(
            f"the standard's shape inference refuses it: {' '.join(str(error).split())[:200]}"
        ) from None


def _attribute(given: AttributeProto) -> Attribute:
    """An attribute of a node as one of an opaque op."""
    match given.type:
        case AttributeProto.INT:
            return integer(given.i)
        case AttributeProto.FLOAT:
            return FloatAttr(float(str(np.float32(given.f))), f64)  # the shortest number that rounds to the same f32
        case AttributeProto.STRING:
            return StringAttr(_text(given.s, given.name))
        case AttributeProto.INTS:
            return DenseArrayBase.from_list(i64, list(given.ints))
        case AttributeProto.FLOATS:
            return DenseArrayBase.from_list(f32, list(given.floats))
        case AttributeProto.STRINGS:
            return ArrayAttr(StringAttr(_text(each, given.name)) for each in given.strings)
        case AttributeProto.TENSOR:
            return _dense(given)
        case _:
            kind = AttributeProto.AttributeType.Name(given.type)
            raise VerifyException(f"its attribute `{given.name}` is {kind}, which {FLAG} can't write")


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise VerifyException(f"its attribute `{name}` is no UTF-8 text, which {FLAG} can't write") from None


def _dense(given: AttributeProto) -> Attribute:
    """A tensor in an attribute: its numbers stand in the text, so it is small."""
    try:
        array = array_of(given.t)
    except TensorError as error:
        raise VerifyException(f"its attribute `{given.name}` {error}") from None
    if array.size > LITERAL_LIMIT or array.dtype.name not in _WRITTEN:
        raise VerifyException(
            f"its attribute `{given.name}` is a tensor of {array.size} {array.dtype} elements, but {FLAG} writes at "
            f"most {LITERAL_LIMIT}, of {', '.join(_WRITTEN)}"
        )
    type_: Any = tensor_type(array.shape, element_type(given.t.data_type))  # overloads by element type
    return DenseIntOrFPElementsAttr.from_list(type_, array.reshape(-1).tolist())


_WRITTEN: Final = ("float32", "float64", "int32", "int64")
