"""Converters of operators that make tensors from numbers: constants, ranges, copies of a shape."""

from __future__ import annotations

from math import ceil

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, dtype_of, is_float
from ndpir.frontends.torch.aten.elementwise import converted, element_of_type
from ndpir.frontends.torch.call import F64, I64, AtenCall, converts


@converts("full", "full_like", "new_full", "scalar_tensor", "fill", "fill_")
def full(call: AtenCall) -> SSAValue:
    """Equal elements, of a number, or of a tensor without axes."""
    type_ = call.result() if call.node.op != "aten.fill_" else g.tensor_of(call["self"])
    name = next(name for name in ("fill_value", "value", "s") if name in call.node.inputs)
    if call.is_tensor(name):
        return call.broadcast_to(
            call.reshaped(converted(call, call[name], element_of_type(type_)), ()), type_.get_shape()
        )
    return call.splat(_fitting(call.plain(call.get(name)), type_), type_)


def _fitting(number: object, type_: g.Tensor) -> object:
    """A number as an element of a type."""
    if type_.element_type == I1:
        return bool(number)
    return int(number) if not is_float(type_.element_type) and isinstance(number, float) else number


@converts(
    "zeros",
    "zeros_like",
    "new_zeros",
    "zero",
    "zero_",
    "empty",
    "empty_like",
    "new_empty",
    "empty_strided",
    "new_empty_strided",
    "empty_permuted",
    "_efficientzerotensor",
)
def zeros(call: AtenCall) -> SSAValue:
    """Zeros, also for tensors without content."""
    return call.splat(0, call.result() if call.node.op != "aten.zero_" else g.tensor_of(call["self"]))


@converts("ones", "ones_like", "new_ones")
def ones(call: AtenCall) -> SSAValue:
    return call.splat(1, call.result())


@converts("arange", "range", "prims.iota")
def arange(call: AtenCall) -> SSAValue:
    """Numbers from a start by steps."""
    type_ = call.result()
    element = element_of_type(type_)
    if call.node.op == "prims.iota":
        count, start, step = call.integer("length"), call.integer("start"), call.integer("step")
    else:
        start, step = (call.plain(call.get(name)) for name in ("start", "step"))
        start, step = 0 if start is None else start, 1 if step is None else step
        end = call.plain(call.get("end"))
        count = ceil((end - start) / step) + (call.node.op == "aten.range")
    count = type_.get_shape()[0] if type_.get_shape() else count
    if not is_float(element) and element != I1:
        start, step = int(start), int(step)
    if isinstance(start, int) and isinstance(step, int) and not is_float(element) and element != I1:
        return _counted(call, start, step, count, type_)
    with np.errstate(all="ignore"):
        if count <= 1024:
            return call.constant((start + np.arange(count) * step).astype(dtype_of(element)))
    wide = call.build(g.MulOp, call.cast(call.counted(count, I64), F64), call.number(float(step), F64))
    return call.cast(call.build(g.AddOp, wide, call.number(float(start), F64)), element)


def _counted(call: AtenCall, start: int, step: int, count: int, type_: g.Tensor) -> SSAValue:
    element = element_of_type(type_)
    made = call.counted(count, element)
    if step != 1:
        made = call.build(g.MulOp, made, call.number(step, element))
    return call.build(g.AddOp, made, call.number(start, element)) if start else made


@converts("linspace", "logspace")
def linspace(call: AtenCall) -> SSAValue:
    """Evenly spaced numbers; from the middle on counted from the end, as PyTorch does."""
    type_ = call.result()
    start, end = (call.real(name) for name in ("start", "end"))
    count = type_.get_shape()[0]
    dtype = dtype_of(type_.element_type)
    step = (end - start) / max(count - 1, 1)
    at = np.arange(count)
    made = np.where(at < count / 2, start + step * at, end - step * (count - 1 - at))
    if call.node.op == "aten.logspace":
        made = call.real("base", 10.0) ** made
    return call.constant(made.astype(np.float32 if dtype.itemsize < 8 else np.float64).astype(dtype))


@converts("eye")
def eye(call: AtenCall) -> SSAValue:
    type_ = call.result()
    shape = type_.get_shape()
    same = call.build(g.CompareOp, call.along(0, shape, I64), call.along(1, shape, I64), kind="eq")
    return call.cast(same, element_of_type(type_))


@converts("tril_indices", "triu_indices")
def triangle_indices(call: AtenCall) -> SSAValue:
    rows, columns, offset = call.integer("row"), call.integer("col"), call.integer("offset", 0)
    found = (np.tril_indices if "tril" in call.node.op else np.triu_indices)(rows, offset, columns)
    return call.constant(np.stack(found).astype(np.int64))


@converts("hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window")
def window(call: AtenCall) -> SSAValue:
    type_ = call.result()
    count = type_.get_shape()[0]
    n = count + bool(call.flag("periodic", True) and count > 1)
    name = call.node.op.removeprefix("aten.").removesuffix("_window")
    if name == "kaiser":
        made = np.kaiser(n, call.real("beta", 12.0))
    else:
        at = 2 * np.pi * np.arange(n) / max(n - 1, 1)
        made = {
            "hann": lambda: 0.5 - 0.5 * np.cos(at),
            "hamming": lambda: call.real("alpha", 0.54) - call.real("beta", 0.46) * np.cos(at),
            "blackman": lambda: 0.42 - 0.5 * np.cos(at) + 0.08 * np.cos(2 * at),
            "bartlett": lambda: 1 - np.abs(at / np.pi - 1),
        }[name]()
    return call.constant(made[:count].astype(dtype_of(type_.element_type)))


@converts(
    "sym_size",
    "sym_numel",
    "sym_stride",
    "sym_storage_offset",
    "_assert_async",
    "_assert_scalar",
    "sym_constrain_range",
    "sym_constrain_range_for_size",
    "_assert_tensor_metadata",
    "_functional_assert_async",
    "sym_is_contiguous",
)
def nothing(call: AtenCall) -> list[SSAValue]:
    """Symbolic numbers are known by their expressions, and checks of data have no result."""
    return []


@converts("item", "_local_scalar_dense")
def item(call: AtenCall) -> list[SSAValue]:
    """The number of a tensor, which must be known; readers ask the graph for it by name."""
    value = call["self"]
    from ndpir.frontends.onnx.builder import known

    array = known(value)
    if array is None:
        return []  # whoever reads the number says that it depends on data
    call.values.note_number(call.node.names[0], array.reshape(()).item())
    return []


@converts("is_nonzero", "is_pinned", "equal")
def refused(call: AtenCall) -> SSAValue:
    call.fail("a truth value that depends on data decides what runs; write it with torch.cond or torch.where")
