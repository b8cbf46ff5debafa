"""Constants of a program: small ones as literals, weights as references to the source of their numbers.

The numbers of weights are never part of a program: a weight names a file, an ONNX initialiser or a seeded fill, and
only a run that needs the numbers reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from math import isfinite
from typing import Any, ClassVar, TypeAlias, cast
from weakref import WeakValueDictionary

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr, f64, i64
from xdsl.ir import Attribute, Data, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, irdl_op_definition, prop_def, result_def, traits_def
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from dialects.braces import parse_braces
from dialects.element_types import element_count, is_float, is_small
from dialects.graph.numbers import Array, NumbersAttr, parse_numbers, print_numbers
from dialects.graph.op import TENSOR, GraphOp, Tensor, tensor_of
from dialects.graph.properties import float_text, integer, read_number_or_word, real
from dialects.work import Work

LITERAL_LIMIT = 1024
"""The largest number of elements of a literal (unless all are equal); larger constants are weights."""


@irdl_op_definition
class ConstantOp(GraphOp):
    """A small tensor with literal elements.

    A tensor of equal elements is written as one number; inf, -inf and nan are keywords.

    (C1) at most 1024 elements, unless all are equal; larger tensors are `graph.weight`.

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
        count = element_count(self.value.tensor)
        if not self.value.is_splat and count > LITERAL_LIMIT:  # (C1)
            raise VerifyException(
                f"graph.constant holds at most {LITERAL_LIMIT} differing elements, not {count}; give the array a "
                "name and read it by this name (graph.weight)"
            )
        return (self.value.tensor,)

    def work(self) -> Work:
        return Work()

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        _, attributes = parse_braces(parser, cls, cls.get_irdl_definition().properties)
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
    """Numbers drawn evenly from [low, high).

    Element i is low + (high - low) * (z >> 40) / 2^24, z being output i + 1 of splitmix64 (Steele, Lea and Flood, 2014)
    from state `seed`, in f64, rounded to f32 and then to the tensor's type; integers are limited to its numbers.
    """

    name = "graph.uniform"
    low: FloatAttr
    high: FloatAttr
    seed: IntegerAttr

    def verify(self) -> None:
        if not self.low.type == self.high.type == f64 or self.seed.type != i64:
            raise VerifyException(
                f"graph.uniform needs two bounds of f64 and a seed of i64, not {self.low}, {self.high} and {self.seed}"
            )
        low, high = self.low.value.data, self.high.value.data
        if not (isfinite(low) and isfinite(high) and low <= high):
            raise VerifyException(
                f"graph.uniform needs finite bounds with low <= high, not low = {low} and high = {high}"
            )


def _check_place(name: str, path: StringAttr, offset: IntegerAttr) -> None:
    if not path.data or offset.type != i64 or offset.value.data < 0:
        raise VerifyException(
            f'{name} needs a non-empty path and an offset of at least 0 bytes (i64), not "{path.data}" and {offset}'
        )


class InFile(ParametrizedAttribute):
    """Base class of sources in files. The last parameter is the name of the text that refers to the file, since a file
    is read only from the folder of that text (dialects/files.py); it is not printed. By default it is the file itself,
    for a reference that no text states."""

    def print_parameters(self, printer: Printer) -> None:
        printer.print_paramattr_parameters(self.parameters[:-1])

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return (*parser.parse_paramattr_parameters(), text_of(parser))


def text_of(parser: AttrParser) -> StringAttr:
    """The name of the file with the text that is parsed; a parser whose input has another name states it as `file`."""
    return StringAttr(getattr(parser, "file", parser.lexer.input.name))


@irdl_attr_definition
class FileAttr(InFile):
    """Little-endian elements in a file, row-major, from byte `offset`; the path is relative to the working
    directory."""

    name = "graph.file"
    path: StringAttr
    offset: IntegerAttr
    text: StringAttr

    def __init__(self, path: StringAttr, offset: IntegerAttr, text: StringAttr | None = None) -> None:
        super().__init__(path, offset, text or path)

    def verify(self) -> None:
        _check_place(self.name, self.path, self.offset)


@irdl_attr_definition
class LiteralAttr(InFile):
    """A dense literal of MLIR (`dense<"0x…">`, `dense<[1, 2]>`), which begins at byte `offset` of a text file."""

    name = "graph.literal"
    path: StringAttr
    offset: IntegerAttr
    text: StringAttr

    def __init__(self, path: StringAttr, offset: IntegerAttr, text: StringAttr | None = None) -> None:
        super().__init__(path, offset, text or path)

    def verify(self) -> None:
        _check_place(self.name, self.path, self.offset)


@irdl_attr_definition
class OnnxAttr(InFile):
    """The initialiser (or Constant node's output) named `tensor` inside an ONNX file."""

    name = "graph.onnx"
    path: StringAttr
    tensor: StringAttr
    text: StringAttr

    def __init__(self, path: StringAttr, tensor: StringAttr, text: StringAttr | None = None) -> None:
        super().__init__(path, tensor, text or path)


@irdl_attr_definition
class SafetensorsAttr(InFile):
    """The tensor named `tensor` in a safetensors file, or in one of the files that an index (`.json`) names.

    `*` stands for the numbers from 0 on: the tensors of the first axis of the weight, stacked. Names with ` + `
    between them are those of tensors joined along the first axis behind that one.
    """

    name = "graph.safetensors"
    path: StringAttr
    tensor: StringAttr
    text: StringAttr

    def __init__(self, path: StringAttr, tensor: StringAttr, text: StringAttr | None = None) -> None:
        super().__init__(path, tensor, text or path)


class Held:
    """Little-endian elements of a weight in memory, identified by their BLAKE2 digest, or, for memory that another
    library owns, by a name; `data` is None if the program with this weight no longer exists.

    The elements are kept as long as an attribute refers to them; parsing the text of a program that still exists finds
    them again.
    """

    _all: ClassVar[WeakValueDictionary[str, Held]] = WeakValueDictionary()

    def __init__(self, digest: str) -> None:
        self.digest = digest
        self._read: Callable[[], bytes | memoryview | None] = lambda: None

    @property
    def data(self) -> bytes | memoryview | None:
        """The bytes of the elements, read now from memory that is lent."""
        return self._read()

    @classmethod
    def named(cls, digest: str) -> Held:
        """The elements with this digest; there is one object per digest."""
        return cls._all.setdefault(digest, cls(digest))

    @classmethod
    def of(cls, data: bytes) -> Held:
        """The elements with these bytes."""
        return cls.lent(blake2b(data, digest_size=16).hexdigest(), lambda: data)

    @classmethod
    def lent(cls, name: str, read: Callable[[], bytes | memoryview | None]) -> Held:
        """Elements in memory of another library, such as a tensor's: `read` gives their bytes, without a copy. Nothing
        else in the process may have this name."""
        held = cls.named(name)
        held._read = read
        return held


@irdl_attr_definition
class HeldAttr(Data[Held]):
    """Elements in memory, for a program that is in no file; a program's text refers to them by digest."""

    name = "graph.memory"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Held:
        with parser.in_angle_brackets():
            return Held.named(parser.parse_str_literal())

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.data.digest)


WeightSource: TypeAlias = UniformAttr | FileAttr | LiteralAttr | OnnxAttr | SafetensorsAttr | HeldAttr


@irdl_op_definition
class WeightOp(GraphOp):
    """A tensor bound by name; its numbers are not part of the program and are fetched only when a run needs them.

    Sources: `uniform(low, high, seed)`, a seeded fill (`#graph.uniform`); `file("path", offset)`, raw little-endian
    elements; `literal("step.mlir", offset)`, a dense literal in a text of MLIR; `onnx("model.onnx", "tensor")`, an
    initialiser inside a model; `safetensors("model.safetensors", "tensor")`, a tensor by name (`#graph.safetensors`);
    `memory("digest")`, numbers in memory, available as long as their program exists. Files are read only from the
    folder of the program's text, unless the user allows others (`--allow-read FOLDER`).

    (C1) the source is one of these. (C2) a seeded fill is of floating-point elements, or of integers of at most 8 bits.

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

    def __init__(self, name: str, source: WeightSource, type_: Attribute) -> None:
        super().__init__(result_type=type_, weight_name=StringAttr(name), source=source)

    def infer(self) -> tuple[Tensor, ...]:
        type_ = tensor_of(self.y)
        if not isinstance(self.source, WeightSource):  # (C1)
            raise VerifyException(
                f"graph.weight: the source of a weight must be one of {', '.join(_SOURCES)}, not {self.source}"
            )
        drawn = is_float(type_.element_type) or is_small(type_.element_type)
        if isinstance(self.source, UniformAttr) and not drawn:  # (C2)
            raise VerifyException(
                "graph.weight: a seeded fill needs floating-point elements, or integers of at most 8 bits, not "
                f"{type_.element_type}; write the numbers in a file (file), or a small tensor as graph.constant"
            )
        return (type_,)

    def work(self) -> Work:
        return Work()

    @classmethod
    def parse(cls, parser: Parser) -> WeightOp:
        start = parser.pos
        name = parse_text(parser, " naming the weight")
        _, attributes = parse_braces(parser, cls, cls.get_irdl_definition().properties)
        if parser.parse_optional_punctuation("=") is None:
            parser.raise_error(f"the source of the weight's numbers is missing; write for instance {_USUAL}")
        source = _parse_source(parser)
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        try:
            op = cls(name, source, type_)
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
        _print_source(printer, self.source)
        printer.print_string(" : ")
        printer.print_attribute(self.y.type)


_USUAL = "= uniform(-0.1, 0.1, 1), random numbers between two bounds from a seed"
"""The usual source of a weight, in words."""


def parse_text(parser: Parser, context: str) -> str:
    """A string literal; xDSL reads one with non-ASCII characters as bytes."""
    start = parser.pos
    if (data := parser.parse_optional_bytes_literal()) is None:
        return parser.parse_str_literal(context)
    try:
        return data.decode()
    except UnicodeDecodeError:
        parser.raise_error("the quoted text must be UTF-8, but its bytes are not", start, parser.pos)


def _parse_source(parser: Parser) -> WeightSource:
    start = parser.pos
    kind = parser.parse_optional_identifier()
    if (known := _SOURCES.get(kind or "")) is None:
        met = f"`{kind}`" if kind else "nothing"
        parser.raise_error(
            f"the source of a weight must be one of {', '.join(_SOURCES)}, not {met}; write for instance {_USUAL}",
            start,
            parser.pos,
        )
    source, parts = known
    with parser.in_parens():
        given: list[Any] = []
        for part in parts:
            if given:
                parser.parse_punctuation(",")
            given.append(part(parser))
        if issubclass(source, InFile):
            given.append(text_of(parser))
        try:
            return source(*given)
        except VerifyException as error:
            parser.raise_error(str(error), start, parser.pos)


def _bound(parser: Parser) -> FloatAttr:
    start = parser.pos
    value = read_number_or_word(parser)
    if isinstance(value, str | bool) or abs(value) > 1 << 1023:
        parser.raise_error(f"a bound of uniform must be a finite number, not {value}", start, parser.pos)
    return real(float(value))


def _integer(parser: Parser) -> IntegerAttr:
    return integer(parser.parse_integer(allow_boolean=False))


def _text(what: str) -> Callable[[Parser], StringAttr]:
    return lambda parser: StringAttr(parse_text(parser, f" naming {what}"))


def _held(parser: Parser) -> Held:
    return Held.named(parse_text(parser, " naming numbers in memory"))


_SOURCES: dict[str, tuple[type[WeightSource], tuple[Callable[[Parser], Any], ...]]] = {
    "uniform": (UniformAttr, (_bound, _bound, _integer)),
    "file": (FileAttr, (_text("a file"), _integer)),
    "literal": (LiteralAttr, (_text("a text of MLIR"), _integer)),
    "onnx": (OnnxAttr, (_text("an ONNX file"), _text("a tensor of the model"))),
    "safetensors": (SafetensorsAttr, (_text("a safetensors file or an index of several"), _text("a tensor"))),
    "memory": (HeldAttr, (_held,)),
}
"""The sources of weights by keyword, each with the parsers of its arguments."""


def _print_source(printer: Printer, source: Attribute) -> None:
    word = next((word for word, (known, _) in _SOURCES.items() if isinstance(source, known)), None)
    if word is None:
        printer.print_attribute(source)
        return
    printer.print_string(word)
    match source:
        case HeldAttr():
            parts = [StringAttr(source.data.digest)]
        case InFile():
            parts = source.parameters[:-1]
        case _:
            parts = cast(ParametrizedAttribute, source).parameters
    with printer.in_parens():
        printer.print_list(parts, lambda part: _print_part(printer, part))


def _print_part(printer: Printer, part: Attribute) -> None:
    match part:
        case FloatAttr():
            printer.print_string(float_text(part.value.data))
        case IntegerAttr():
            printer.print_string(str(part.value.data))
        case _:
            printer.print_string_literal(cast(StringAttr, part).data)


CONSTANT_OPS = (ConstantOp, WeightOp)
CONSTANT_ATTRS = (NumbersAttr, UniformAttr, FileAttr, LiteralAttr, OnnxAttr, SafetensorsAttr, HeldAttr)
