"""Writers of conversions by scales, and of products of small factors, as ONNX."""

from __future__ import annotations

from xdsl.dialects.builtin import f32, i8
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import bit_width, element_type_named, is_float
from ndpir.writers.onnx.contraction import window
from ndpir.writers.onnx.graph import OnnxGraph, refuse, writer


@writer.of(g.QuantizeOp)
def quantize(graph: OnnxGraph, op: g.QuantizeOp) -> str:
    scales, words = _scales(graph, op)
    typed = {"output_dtype": graph.code(op.y)} if op.zero is None else {}
    return graph.node("QuantizeLinear", graph[op.x], *scales, **words, **typed)


@writer.of(g.DequantizeOp)
def dequantize(graph: OnnxGraph, op: g.DequantizeOp) -> str:
    scales, words = _scales(graph, op)
    return graph.node("DequantizeLinear", graph[op.x], *scales, **words)


def _scales(graph: OnnxGraph, op: g.QuantizeOp | g.DequantizeOp) -> tuple[list[str], dict[str, int]]:
    """Scale and zero point in the form of ONNX (one number, a vector along an axis, or blocks), and the attributes that
    say so."""
    shape, given = g.shape_of(op.x), g.shape_of(op.scale)
    values = [op.scale] if op.zero is None else [op.scale, op.zero]
    block, axis = op.block.value.data, op.axis.value.data
    if block:
        full = (*shape[:axis], -(-shape[axis] // block), *shape[axis + 1 :])
        expanded = [
            graph[value] if given == full else graph.node("Expand", graph[value], graph.integers(full))
            for value in values
        ]
        return expanded, {"axis": axis, "block_size": block}
    places = [len(shape) - len(given) + index for index, extent in enumerate(given) if extent > 1]
    if len(places) > 1:
        refuse(op, "ONNX has scales for one axis, or for blocks along one, but these differ along several axes")
    if not places:
        return [graph.reshape(graph[value], ()) if given else graph[value] for value in values], {}
    (place,) = places
    vectors = [graph.reshape(graph[value], (shape[place],)) if len(given) > 1 else graph[value] for value in values]
    return vectors, {"axis": place}


@writer.of(g.QmatmulOp)
def qmatmul(graph: OnnxGraph, op: g.QmatmulOp) -> str:
    """MatMulInteger; small floats are multiplied as f32."""
    factors: list[str] = []
    for value, turned in ((op.a, op.transpose_a), (op.b, op.transpose_b)):
        name = _factor(graph, value)
        if turned.value.data:
            *batch, row, column = range(len(g.shape_of(value)))
            name = graph.node("Transpose", name, perm=[*batch, column, row])
        factors.append(name)
    if is_float(g.tensor_of(op.a).element_type):
        return graph.node("MatMul", *factors)
    return graph.node("MatMulInteger", *factors, *_zeros(graph, op, (op.a, op.b)))


@writer.of(g.QconvOp)
def qconv(graph: OnnxGraph, op: g.QconvOp) -> str:
    """ConvInteger; small floats are multiplied as f32."""
    words = {"kernel_shape": list(op.kernel), "group": op.groups.value.data, **window(op, op.kernel)}
    factors = [_factor(graph, value) for value in (op.x, op.w)]
    kind = "Conv" if is_float(g.tensor_of(op.x).element_type) else "ConvInteger"
    return graph.node(kind, *factors, *_zeros(graph, op, (op.x, op.w)), **words)


def _factor(graph: OnnxGraph, value: SSAValue) -> str:
    element = g.tensor_of(value).element_type
    if is_float(element):
        return graph.cast(graph[value], f32)
    return graph.cast(graph[value], _whole(value)) if bit_width(element) < 8 else graph[value]


def _whole(value: SSAValue):
    """The type of 8 bits in which ONNX's products take a small integer."""
    return element_type_named("ui8") if str(g.tensor_of(value).element_type).startswith("u") else i8


def _zeros(graph: OnnxGraph, op: g.QmatmulOp | g.QconvOp, factors: tuple[SSAValue, SSAValue]) -> list[str]:
    """The zero points as numbers, or as vectors of the rows of the first and the columns, or filters, of the second
    factor."""
    names: list[str] = []
    for index, (zero, factor) in enumerate(zip(op.zeros, factors, strict=False)):
        shape = g.shape_of(zero)
        places = [place - len(shape) for place, extent in enumerate(shape) if extent > 1]
        turned = isinstance(op, g.QmatmulOp) and bool((op.transpose_b if index else op.transpose_a).value.data)
        along = -len(g.shape_of(factor)) if isinstance(op, g.QconvOp) else -2 if bool(index) == turned else -1
        if places not in ([], [along]):
            refuse(op, "ONNX has one zero point, or one for each row of the first and each column of the second factor")
        name = graph.reshape(graph[zero], (max(shape),) if places else ()) if shape else graph[zero]
        small = bit_width(g.tensor_of(zero).element_type) < 8
        names.append(graph.cast(name, _whole(zero)) if small else name)
    return names
