"""The data of weights, read when a run needs them: from a seeded random fill, a file, a text, an ONNX model,
safetensors or memory."""

from __future__ import annotations

from functools import lru_cache
from os import fstat
from os.path import dirname
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dialects.diagnostics import InputError
from dialects.element_types import byte_count, dtype_of, element_count, element_type_of, integer_limits, is_float
from dialects.files import companion_path, open_regular, read_regular, reason_of, version_of, why_not_read
from dialects.graph.constant import FileAttr, HeldAttr, LiteralAttr, OnnxAttr, SafetensorsAttr, UniformAttr, WeightOp
from dialects.graph.op import Tensor, tensor_of
from interp.figures import size as size_text
from interp.numerics.dense import elements
from interp.numerics.host_memory import memory_bytes
from interp.numerics.packing import from_bytes
from interp.numerics.rounding import F32, Array, DType, rounded
from interp.numerics.safetensors import find_tensor

if TYPE_CHECKING:
    from onnx import TensorProto

KEPT_BYTES = 2 << 30
"""The maximum number of bytes of weights that are cached; the least recently used weights are removed first."""

_LARGEST_MODEL = 2 << 30
_CHUNK = 1 << 15  # elements filled at a time, so that intermediates stay in cache
_kept: dict[tuple[object, ...], Array] = {}
"""The cached weights, the least recently used first. Not an `OrderedDict`, which hashes each key when its values are
summed; the hash of an attribute is slow."""


_Named: TypeAlias = FileAttr | LiteralAttr | OnnxAttr | SafetensorsAttr
"""The sources that name a file."""


def weight_array(op: WeightOp) -> Array:
    """The data of a weight, as a read-only array of its shape and type.

    Raises InputError at the op if the data are missing, too few, or of another type, or in a file that the text of the
    program must not choose.
    """
    type_ = tensor_of(op.y)
    version = _version(op.source, op) if isinstance(op.source, _Named) else ()
    key = (op.source, type_, version)
    if version is not None and (array := _kept.pop(key, None)) is not None:
        _kept[key] = array
        return array
    shape, dtype = type_.get_shape(), dtype_of(type_.element_type)
    if byte_count(type_) > memory_bytes():
        raise InputError(
            f'weight "{op.sym.data}" takes {size_text(byte_count(type_))}, but this computer\'s memory has '
            f"{size_text(memory_bytes())}; request time and energy only, which need no numbers (-t timeline)",
            op,
        )
    match op.source:
        case UniformAttr(low=low, high=high, seed=seed):
            array = uniform(low.value.data, high.value.data, seed.value.data, element_count(type_), dtype).reshape(
                shape
            )
        case FileAttr(path=path, offset=offset):
            raw = _from_file(op, path.data, offset.value.data, byte_count(type_))
            array = from_bytes(raw, dtype, element_count(type_)).reshape(shape)
        case LiteralAttr(path=path, offset=offset):
            array = _from_text(op, path.data, offset.value.data, type_)
        case HeldAttr(data=held):
            data = held.data
            if data is None:
                raise InputError(
                    f'the values of weight "{op.sym.data}" were in the memory of the process that wrote this text, '
                    "and are lost; read the program from a file, or write it to one (-o FILE)",
                    op,
                )
            if len(data) != byte_count(type_):
                raise InputError(
                    f'weight "{op.sym.data}" is {type_}, which does not fit the {len(data)} bytes given in memory',
                    op,
                )
            array = from_bytes(data, dtype, element_count(type_)).reshape(shape)
            array.flags.writeable = False
            return array
        case SafetensorsAttr():
            array = _from_safetensors(op, op.source, type_)
        case OnnxAttr(path=path, tensor=tensor):
            array = _from_onnx(op, path.data, tensor.data, version)
            if (array.shape, array.dtype) != (shape, dtype):
                raise InputError(
                    f'"{tensor.data}" in {path.data} holds {array.dtype} of shape {list(array.shape)}, '
                    f"but the weight is written as {type_}",
                    op,
                )
        case source:
            raise InputError(
                f"graph.weight: values can't be read from a source {source}; use one of uniform, file, literal, "
                "onnx, safetensors, memory",
                op,
            )
    array.flags.writeable = False
    if version is not None:
        _keep(key, array)
    return array


def _keep(key: tuple[object, ...], array: Array) -> None:
    _kept[key] = array
    total = sum(kept.nbytes for kept in _kept.values())
    while total > KEPT_BYTES and len(_kept) > 1:
        total -= _kept.pop(next(iter(_kept))).nbytes


def uniform(low: float, high: float, seed: int, count: int, dtype: DType) -> Array:
    """An array of `count` uniform random numbers of a seeded fill (see `#graph.uniform`), [count]."""
    element = element_type_of(dtype)
    limits = None if is_float(element) else integer_limits(element)
    result = np.empty(count, dtype)
    chunk = max(1, min(_CHUNK, count))  # most weights are biases of a few numbers
    steps = np.arange(1, chunk + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z, shifted, unit = np.empty(chunk, np.uint64), np.empty(chunk, np.uint64), np.empty(chunk)
    for start in range(0, count, chunk):
        size = min(chunk, count - start)
        state = (seed + start * 0x9E3779B97F4A7C15) % (1 << 64)
        np.add(steps, np.uint64(state), out=z)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            np.right_shift(z, np.uint64(shift), out=shifted)
            np.bitwise_xor(z, shifted, out=z)
            np.multiply(z, np.uint64(factor), out=z)
        np.right_shift(z, np.uint64(31), out=shifted)
        np.bitwise_xor(z, shifted, out=z)
        np.right_shift(z, np.uint64(40), out=z)
        np.multiply(z, 1 / 2**24, out=unit)
        unit *= high - low
        unit += low
        drawn = unit[:size].astype(F32)
        if limits is not None:
            drawn = np.clip(np.rint(drawn), *limits)
        result[start : start + size] = rounded(drawn, dtype)
    return result


def _version(source: _Named, op: WeightOp) -> object:
    """A key that changes with the file of a weight's data; None shortly after the file changed. Raises InputError if
    there is no such file, or if the text that names the file must not choose it."""
    path, text = source.path.data, source.text.data
    try:
        why = why_not_read(path, text)
        found = None if why else version_of(path)
    except (OSError, ValueError) as error:
        raise InputError(
            f'weight "{op.sym.data}": {path} can\'t be read ({reason_of(error)}); bring the file there, '
            "or fill the weight from a seed (uniform(LOW, HIGH, SEED))",
            op,
        ) from None
    if why:
        raise InputError(f'weight "{op.sym.data}": {path} {why}', op)
    return found


def _from_file(op: WeightOp, path: str, offset: int, size: int) -> Array:
    """The `size` bytes of a file from byte `offset` on. Raises InputError if the file has fewer."""
    try:
        with open_regular(path) as file:
            held = fstat(file.fileno()).st_size
            found = np.fromfile(file, np.uint8, size, offset=offset) if offset + size <= held else None
    except (OSError, ValueError) as error:
        raise InputError(f'weight "{op.sym.data}": {path} can\'t be read ({reason_of(error)})', op) from None
    if found is None or found.size < size:
        raise InputError(
            f'weight "{op.sym.data}" is {size} bytes from byte {offset} of {path}, but the file ends after '
            f"{held} bytes; it is cut short, or belongs to another model",
            op,
        )
    return found


def _from_text(op: WeightOp, path: str, offset: int, type_: Tensor) -> Array:
    """A dense literal inside a text. Raises InputError if there is no literal, or a literal of another type."""
    try:
        with open_regular(path) as file:
            file.seek(offset)
            read = file.read(len("dense<") + 2 * byte_count(type_) + len('"0x">'))
            while b">" not in read and (more := file.read(len(read))):
                read += more
        text, end, _ = read.partition(b">")
        if not text.startswith(b"dense<") or not end:
            raise ValueError("no complete literal is there")
        array = elements(text[6:].decode("ascii"), type_.get_shape(), dtype_of(type_.element_type))
    except (OSError, ValueError, OverflowError) as error:
        raise InputError(
            f'weight "{op.sym.data}" is a literal of {type_} at byte {offset} of {path}, but {reason_of(error)}; '
            "if the file has changed, read the program again",
            op,
        ) from None
    return np.array(array)


def _from_safetensors(op: WeightOp, source: SafetensorsAttr, type_: Tensor) -> Array:
    """A tensor of safetensors files, or several as one. Raises InputError if there is no such tensor, or one of another
    type, or in a file that the text of the program must not choose."""
    path, names = source.path.data, source.tensor.data.split(" + ")
    dtype, shape = dtype_of(type_.element_type), type_.get_shape()
    count = shape[0] if shape and "*" in source.tensor.data else 1
    parts: list[bytes] = []
    for name in (each.replace("*", str(number)) for number in range(count) for each in names):
        try:
            placed = find_tensor(path, name, source.text.data)
            raw = None if placed is None else placed.bytes()
        except (OSError, ValueError) as error:
            raise InputError(f'weight "{op.sym.data}": {path} can\'t be read ({reason_of(error)})', op) from None
        if raw is None:
            raise InputError(f'weight "{op.sym.data}": {path} holds no tensor named "{name}"', op)
        parts.append(raw.tobytes())
    data = b"".join(parts)
    if len(data) != byte_count(type_):
        raise InputError(
            f'weight "{op.sym.data}": "{source.tensor.data}" in {path} has {len(data)} bytes, but the weight is '
            f"written as {type_}, of {byte_count(type_)} bytes",
            op,
        )
    return from_bytes(data, dtype, element_count(type_)).reshape(shape)


def _from_onnx(op: WeightOp, path: str, name: str, version: object) -> Array:
    """A tensor inside an ONNX model. `version`: a key of the model's contents; None if it is unknown. Raises InputError
    if the file is no model or has no such tensor."""
    from onnx.numpy_helper import to_array

    tensors = _tensors_of(path, version) if version is not None else _tensors_of.__wrapped__(path, version)
    if isinstance(tensors, str):
        raise InputError(f'weight "{op.sym.data}": {path} is not an ONNX model ({tensors})', op)
    if name not in tensors:
        raise InputError(f'weight "{op.sym.data}": {path} holds no initialiser or constant named "{name}"', op)
    try:
        for entry in tensors[name].external_data:
            if entry.key == "location":
                with open_regular(companion_path(path, entry.value)):
                    pass  # onnx itself would block on a pipe
        return np.ascontiguousarray(to_array(tensors[name], dirname(path)))  # pyright: ignore[reportUnknownMemberType]
    except Exception as error:  # onnx raises errors of many kinds for broken tensors and missing external files
        raise InputError(f'weight "{op.sym.data}": "{name}" in {path} can\'t be read ({error})', op) from None


@lru_cache(maxsize=2)
def _tensors_of(path: str, version: object) -> dict[str, TensorProto] | str:
    """The tensors of a model's initialisers and Constant nodes, by name; or an error message if the model can't be
    read. `version`: a key of the file's contents, as part of the cache's key."""
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.load_model_from_string(read_regular(path, "protobuf ends there", _LARGEST_MODEL))
    except (DecodeError, OSError, ValueError, InputError) as error:
        return reason_of(error)
    tensors: dict[str, TensorProto] = {}
    graphs = [model.graph]
    for graph in graphs:  # and the graphs inside of nodes; of equal names, that of the outer graph counts
        tensors = {tensor.name: tensor for tensor in graph.initializer} | tensors
        for node in graph.node:
            for attribute in node.attribute:
                if node.op_type == "Constant" and attribute.name == "value":
                    tensors.setdefault(node.output[0], attribute.t)
                graphs += [attribute.g] if attribute.HasField("g") else attribute.graphs
    return tensors
