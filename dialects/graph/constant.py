"""Values that stand in the program: small constants as text, weights by reference to where their numbers come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import BytesAttr, FloatAttr, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, irdl_op_definition, prop_def, result_def, traits_def
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import dtype_of, element_count, element_type_of, is_element_type, tensor_type
from dialects.graph.op import TENSOR, GraphOp, Tensor, float_text, integer, real
from dialects.work import Work

LITERAL_LIMIT = 1024
"""The largest number of differing elements that stand in a program as text; what is larger is a weight."""

Array: TypeAlias = NDArray[np.generic]


@irdl_attr_definition
class NumbersAttr(ParametrizedAttribute):
    """The elements of a constant tensor, little-endian; a tensor of equal elements keeps one (a splat).

    Text: `#graph.numbers<[[1, 2], [3, 4]] : tensor<2x2xi64>>`; a splat is one number for any shape; inf, -inf and nan are words.
    """

    name = "graph.numbers"
    type: Attribute
    data: BytesAttr

    @staticmethod
    def of(array: Array) -> NumbersAttr:
        """The attribute that holds `array` (any shape, any element type of the level)."""
        array = np.asarray(array)
        if array.dtype.kind == "f" or array.dtype.name == "bfloat16":
            array = np.where(
                np.isnan(array), np.array(np.nan, array.dtype), array
            )  # one nan, so that equal text is equal data
        raw = np.ascontiguousarray(array).tobytes()
        one = raw[: array.dtype.itemsize]
        if array.size > 1 and raw == one * array.size:
            raw = one
        return NumbersAttr(tensor_type(array.shape, element_type_of(array.dtype)), BytesAttr(raw))

    @property
    def tensor(self) -> Tensor:
        assert isinstance(self.type, TensorType)
        return self.type  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]

    @property
    def is_splat(self) -> bool:
        """Whether one stored element stands for all."""
        return len(self.data.data) == dtype_of(self.tensor.element_type).itemsize

    def array(self) -> Array:
        """The elements as a read-only numpy array; a splat is broadcast, not expanded."""
        flat = np.frombuffer(self.data.data, dtype_of(self.tensor.element_type))
        shape = self.tensor.get_shape()
        return np.broadcast_to(flat.reshape(()), shape) if flat.size == 1 else flat.reshape(shape)

    def verify(self) -> None:
        if not isinstance(self.type, TensorType) or not is_element_type(self.tensor.element_type):
            raise VerifyException(
                f"graph.numbers holds a tensor of f16, bf16, f32, f64, i1 or 8 to 64 bit integers, not {self.type}"
            )
        count, width = element_count(self.tensor), dtype_of(self.tensor.element_type).itemsize
        if len(self.data.data) not in (width, count * width):
            raise VerifyException(
                f"graph.numbers: {self.type} needs 1 or {count} elements, not {len(self.data.data) / width:g}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            attr = parse_numbers(parser)
        return attr.type, attr.data

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_numbers(printer, self)


def parse_numbers(parser: AttrParser) -> NumbersAttr:
    """Read `1.0 : tensor<4xf32>` or `[[1, 2], [3, 4]] : tensor<2x2xi64>`."""
    start = parser.pos
    values: list[int | float | bool] = []
    shape = _parse_nested(parser, values)
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    if not isinstance(type_, TensorType) or not is_element_type(type_.element_type):  # pyright: ignore
        parser.raise_error(
            f"a constant is a tensor of f16, bf16, f32, f64, i1 or 8 to 64 bit integers, not {type_}", start, parser.pos
        )
    if not type_.has_static_shape():  # pyright: ignore
        parser.raise_error(f"{type_} has an unknown extent; a constant's extents are numbers", start, parser.pos)
    dtype, whole = dtype_of(type_.element_type), type_.get_shape()  # pyright: ignore
    if shape is not None and shape != whole:
        parser.raise_error(f"the numbers have shape {_by(shape)}, but the type says {_by(whole)}", start, parser.pos)
    integral = dtype.kind in "iub"
    if integral and any(isinstance(value, float) for value in values):
        parser.raise_error(f"{type_} holds integers; write the numbers without a decimal point", start, parser.pos)
    if dtype.kind in "iu" and any(not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max for value in values):
        parser.raise_error(f"a number does not fit {dtype.name}", start, parser.pos)
    with np.errstate(over="ignore"):
        array = np.array(values, np.float64 if not integral else object if dtype.kind in "iu" else np.bool_).astype(
            dtype
        )
    if shape is None and array.size == 1:
        return NumbersAttr(tensor_type(whole, element_type_of(dtype)), BytesAttr(array.tobytes()))
    return NumbersAttr.of(array.reshape(whole))


def _parse_nested(parser: AttrParser, into: list[int | float | bool]) -> tuple[int, ...] | None:
    """Read numbers into a flat list; the shape of the brackets, or None for a lone number."""
    if parser.parse_optional_punctuation("[") is None:
        into.append(_parse_element(parser))
        return None
    inner: tuple[int, ...] | None = None
    count = 0
    while parser.parse_optional_punctuation("]") is None:
        if count:
            parser.parse_punctuation(",")
        start = parser.pos
        shape = _parse_nested(parser, into)
        if count and shape != inner:
            parser.raise_error("rows of different length", start, parser.pos)
        inner, count = shape, count + 1
    return (count, *(inner or ()))


def _parse_element(parser: AttrParser) -> int | float | bool:
    negative = parser.parse_optional_punctuation("-") is not None
    word = parser.parse_optional_identifier()
    if word in ("true", "false"):
        return word == "true"
    if word in ("inf", "nan"):
        return float(f"-{word}" if negative else word)
    if word is not None:
        parser.raise_error(f"`{word}` is no number; besides numbers there are inf, -inf, nan, true, false")
    number = parser.parse_number()
    return -number if negative else number


def print_numbers(printer: Printer, attr: NumbersAttr) -> None:
    """Write what `parse_numbers` reads."""
    array = attr.array()
    if attr.is_splat:
        printer.print_string(_element_text(np.frombuffer(attr.data.data, array.dtype)[0]))
    else:
        printer.print_string(_nested_text(array))
    printer.print_string(" : ")
    printer.print_attribute(attr.type)


def _nested_text(array: Array) -> str:
    if array.ndim == 0:
        return _element_text(array[()])
    return f"[{', '.join(_nested_text(row) for row in array)}]"


def _element_text(value: np.generic) -> str:
    if value.dtype.kind == "b":
        return str(bool(value)).lower()
    if value.dtype.kind in "iu":
        return str(int(value))  # pyright: ignore[reportArgumentType]
    # The shortest decimal that reads back as the same value of this very type.
    short = float(str(value)) if value.dtype.name != "bfloat16" else float(value)  # pyright: ignore[reportArgumentType]
    return float_text(short)


def _by(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "scalar"


@irdl_op_definition
class ConstantOp(GraphOp):
    """A small tensor whose numbers stand in the program.

    One number stands for a tensor of equal elements. (C1) no more than 1024 differing elements: what is larger is a `graph.weight`.

    ```mlir
    %c = graph.constant [[1, 2], [3, 4]] : tensor<2x2xi64>
    %m = graph.constant -inf : tensor<128x128xf32>
    ```
    """

    name = "graph.constant"
    value = prop_def(NumbersAttr)
    y = result_def(TENSOR)

    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: Array | NumbersAttr) -> None:
        super().__init__(value=value if isinstance(value, NumbersAttr) else NumbersAttr.of(value))

    def infer(self) -> tuple[Tensor, ...]:
        if not self.value.is_splat and element_count(self.value.tensor) > LITERAL_LIMIT:  # (C1)
            raise VerifyException(
                f"graph.constant holds at most {LITERAL_LIMIT} differing elements, not {element_count(self.value.tensor)}; "
                "bind larger ones by name (graph.weight)"
            )
        return (self.value.tensor,)

    def work(self) -> Work:
        return Work()

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        attributes = parser.parse_optional_attr_dict()
        start = parser.pos
        value = parse_numbers(parser)
        try:
            op = cls(value)
        except VerifyException as error:
            parser.raise_error(str(error), start, parser.pos)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        print_numbers(printer, self.value)


@irdl_attr_definition
class UniformAttr(ParametrizedAttribute):
    """Numbers drawn evenly from [low, high): element i is low + (high - low) * (z >> 40) / 2^24, z being output i + 1 of splitmix64
    from state `seed`, in f64, rounded to f32 and then to the tensor's type."""

    name = "graph.uniform"
    low: FloatAttr
    high: FloatAttr
    seed: IntegerAttr


@irdl_attr_definition
class FileAttr(ParametrizedAttribute):
    """Little-endian elements in a file, row-major, from byte `offset`. The path is relative to the working directory."""

    name = "graph.file"
    path: StringAttr
    offset: IntegerAttr


@irdl_attr_definition
class OnnxAttr(ParametrizedAttribute):
    """The initialiser (or Constant node's output) named `tensor` inside an ONNX file."""

    name = "graph.onnx"
    path: StringAttr
    tensor: StringAttr


WeightSource: TypeAlias = UniformAttr | FileAttr | OnnxAttr


@irdl_op_definition
class WeightOp(GraphOp):
    """A tensor bound by name; its numbers never stand in the program and are fetched only when a run asks for them.

    Sources: `uniform(low, high, seed)`, a seeded fill (`#graph.uniform`); `file("path", offset)`, raw little-endian elements;
    `onnx("model.onnx", "tensor")`, an initialiser inside a model.

    ```mlir
    %w = graph.weight "conv1.weight" = uniform(-0.1, 0.1, 3405691582) : tensor<64x3x7x7xf32>
    %v = graph.weight "fc.bias" = file("resnet.weights", 4096) : tensor<1000xf32>
    ```
    """

    name = "graph.weight"
    sym = prop_def(StringAttr, prop_name="weight_name")
    source = prop_def(Attribute)
    y = result_def(TENSOR)
    EXPLICIT_RESULT: ClassVar = True

    def __init__(self, name: str, source: WeightSource, type_: Tensor) -> None:
        super().__init__(result_type=type_, weight_name=StringAttr(name), source=source)

    def infer(self) -> tuple[Tensor, ...]:
        if not isinstance(self.source, UniformAttr | FileAttr | OnnxAttr):
            raise VerifyException(f"graph.weight: numbers come from uniform, file or onnx, not {self.source}")
        return (self.results[0].type,)  # pyright: ignore[reportReturnType]

    def work(self) -> Work:
        return Work()

    @classmethod
    def parse(cls, parser: Parser) -> WeightOp:
        name = parser.parse_str_literal(" naming the weight")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation("=")
        source = _parse_source(parser)
        parser.parse_punctuation(":")
        start = parser.pos
        type_ = parser.parse_type()
        try:
            op = cls(name, source, type_)  # pyright: ignore[reportArgumentType]
            op.verify_()
        except VerifyException as error:
            parser.raise_error(str(error), start, parser.pos)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.sym.data)
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        printer.print_string(" = ")
        match self.source:
            case UniformAttr(low=low, high=high, seed=seed):
                text = f"uniform({float_text(low.value.data)}, {float_text(high.value.data)}, {seed.value.data})"
                printer.print_string(text)
            case FileAttr(path=path, offset=offset):
                printer.print_string("file(")
                printer.print_string_literal(path.data)
                printer.print_string(f", {offset.value.data})")
            case OnnxAttr(path=path, tensor=tensor):
                printer.print_string("onnx(")
                printer.print_string_literal(path.data)
                printer.print_string(", ")
                printer.print_string_literal(tensor.data)
                printer.print_string(")")
            case _:
                printer.print_attribute(self.source)
        printer.print_string(" : ")
        printer.print_attribute(self.y.type)


def _parse_source(parser: Parser) -> WeightSource:
    kind = parser.parse_identifier(" for a source: uniform, file or onnx")
    with parser.in_parens():
        match kind:
            case "uniform":
                low = _parse_element(parser)
                parser.parse_punctuation(",")
                high = _parse_element(parser)
                parser.parse_punctuation(",")
                return UniformAttr(real(float(low)), real(float(high)), integer(parser.parse_integer()))
            case "file":
                path = parser.parse_str_literal()
                parser.parse_punctuation(",")
                return FileAttr(StringAttr(path), integer(parser.parse_integer()))
            case "onnx":
                path = parser.parse_str_literal()
                parser.parse_punctuation(",")
                return OnnxAttr(StringAttr(path), StringAttr(parser.parse_str_literal()))
            case _:
                parser.raise_error(f"numbers come from uniform, file or onnx, not `{kind}`")


CONSTANT_OPS = (ConstantOp, WeightOp)
CONSTANT_ATTRS = (NumbersAttr, UniformAttr, FileAttr, OnnxAttr)
