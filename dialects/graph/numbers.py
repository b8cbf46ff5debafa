"""The elements of small constants: an attribute that holds them as bytes, and their text."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import BytesAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import (
    I1,
    byte_width,
    dtype_of,
    element_count,
    element_type_of,
    integer_limits,
    is_float,
    tensor_type,
)
from dialects.graph.properties import float_text, read_number_or_word
from dialects.graph.tensors import MOST_AXES, Tensor, as_tensor, tensor_problem
from dialects.identity import IdentityCache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
Number: TypeAlias = int | float | bool

_ARRAYS = IdentityCache[Array](256)
"""Cache of array views of recently used constants: many are shapes of reshapes."""

_STRETCHED = IdentityCache[Any](1024)
"""Cache of splats by (splat, type): programs repeat few numbers in few shapes."""


@irdl_attr_definition
class NumbersAttr(ParametrizedAttribute):
    """The elements of a constant tensor, little-endian; a tensor of equal elements (a splat) stores a single element,
    an empty tensor stores none.

    Text: `#graph.numbers<[[1, 2], [3, 4]] : tensor<2x2xi64>>`; a splat is one number for any shape; inf, -inf and nan
    are words.
    """

    name = "graph.numbers"
    type: Attribute
    data: BytesAttr

    @staticmethod
    def of(array: Array) -> NumbersAttr:
        """The attribute that holds `array`, of any shape and any element type of the graph level."""
        import numpy as np

        array = np.asarray(array)
        type_ = tensor_type(array.shape, element_type_of(array.dtype))
        if is_float(type_.element_type) and (nan := np.isnan(array)).any():  # one nan, so that equal text is equal data
            with np.errstate(invalid="ignore"):  # a signalling nan is one too
                array = np.where(nan, np.array(np.nan, array.dtype), array)
        raw = np.ascontiguousarray(array).tobytes()
        one = raw[: array.dtype.itemsize]
        return NumbersAttr(type_, BytesAttr(one if raw == one * array.size else raw))

    def stretched(self, type_: Attribute) -> NumbersAttr:
        """The splat of type `type_` that has the element of this splat."""
        found = _STRETCHED.get((self, type_))
        data = self.data if found is not None or element_count(as_tensor(type_)) else BytesAttr(b"")
        return found or _STRETCHED.put((self, type_), NumbersAttr(type_, data))

    @property
    def tensor(self) -> Tensor:
        """The type of the constant."""
        return as_tensor(self.type)

    @property
    def is_splat(self) -> bool:
        """True if a single element is stored, which all elements of the tensor equal."""
        return len(self.data.data) == byte_width(self.tensor.element_type)

    @property
    def stored(self) -> Array:
        """The stored elements; shape [1] for a splat."""
        import numpy as np

        return np.frombuffer(self.data.data, dtype_of(self.tensor.element_type))

    def array(self) -> Array:
        """The elements as a read-only numpy array; a splat is broadcast, not expanded."""
        import numpy as np

        if (array := _ARRAYS.get((self,))) is not None:
            return array
        shape = self.tensor.get_shape()
        array = np.broadcast_to(self.stored.reshape(()), shape) if self.is_splat else self.stored.reshape(shape)
        return _ARRAYS.put((self,), array)

    def verify(self) -> None:
        if (wrong := tensor_problem(self.type)) is not None:
            raise VerifyException(f"graph.numbers: {wrong}")
        count, width, stored = element_count(self.tensor), byte_width(self.tensor.element_type), len(self.data.data)
        if stored != count * width and not (count and stored == width):
            raise VerifyException(f"graph.numbers: {self.type} needs 1 or {count} elements, not {stored / width:g}")

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
    values: list[Number] = []
    shape = _parse_nested(parser, values, 0)
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    try:
        return _numbers(values, shape, type_)
    except VerifyException as error:
        parser.raise_error(str(error), start, parser.pos)


def _numbers(values: Sequence[Number], shape: tuple[int, ...] | None, type_: Attribute) -> NumbersAttr:
    """The attribute for parsed elements; `shape` is the shape of their nested brackets. Raises VerifyException if
    `type_` has another shape, or its element type does not contain an element."""
    import numpy as np

    if (wrong := tensor_problem(type_)) is not None:
        raise VerifyException(wrong)
    extents, element = as_tensor(type_).get_shape(), as_tensor(type_).element_type
    empty = 0 in extents
    if shape is not None and shape != extents and not (empty and not values):
        raise VerifyException(f"the numbers have shape {_by(shape)}, but the type has shape {_by(extents)}")
    if (wrong := next(filter(None, (_misfit(value, element) for value in values)), None)) is not None:
        raise VerifyException(wrong)
    real = is_float(element)
    array = np.array([float(v) for v in values], np.float64) if real else np.array(values, object)
    with np.errstate(over="ignore"):
        rounded = array.astype(dtype_of(element))
    if real and (overflows := np.isinf(rounded) & np.isfinite(array)).any():
        raise VerifyException(f"{array[overflows][0]} is too large for {element}; write {rounded[overflows][0]}")
    if empty:
        try:
            return NumbersAttr.of(np.empty(extents, rounded.dtype))
        except ValueError:  # numpy has no array of these extents, even if it is empty
            raise VerifyException(
                f"no array can have the extents {_by(extents)}, even without elements; use smaller extents"
            ) from None
    if shape is None:
        return NumbersAttr.of(rounded.reshape(())).stretched(type_)
    return NumbersAttr.of(rounded.reshape(extents))


def _misfit(value: Number, element: Attribute) -> str | None:
    """The error message if `value` can't be an element of type `element`, else None."""
    if is_float(element):
        if isinstance(value, bool):
            return f"{element} is a number, not a truth value"
        if isinstance(value, int) and abs(value) >> 1023:
            return f"an integer of more than 1023 bits is too large for {element}; write inf"
        return None
    if isinstance(value, float):
        return f"a tensor of {element} holds integers; write them without a decimal point"
    if isinstance(value, bool) and element != I1:
        return f"{element} is a number, not a truth value"
    low, high = integer_limits(element)
    return None if low <= value <= high else f"{value} does not fit {element}"


def _parse_nested(parser: AttrParser, into: list[Number], depth: int) -> tuple[int, ...] | None:
    """Read nested brackets of numbers, append the numbers to `into`, and return the shape of the brackets; None for a
    number without brackets."""
    if depth > MOST_AXES:
        parser.raise_error(f"brackets are nested more than {MOST_AXES} deep, but a tensor has at most {MOST_AXES} axes")
    if parser.parse_optional_punctuation("[") is None:
        into.append(_parse_element(parser))
        return None
    inner: tuple[int, ...] | None = None
    count = 0
    while parser.parse_optional_punctuation("]") is None:
        if count:
            parser.parse_punctuation(",")
        start = parser.pos
        shape = _parse_nested(parser, into, depth + 1)
        if count and shape != inner:
            first, other = ("a number" if it is None else f"a row of shape {_by(it)}" for it in (inner, shape))
            parser.raise_error(
                f"all rows must have the same shape, but {first} is followed by {other}", start, parser.pos
            )
        inner, count = shape, count + 1
    return (count, *(inner or ()))


def _parse_element(parser: AttrParser) -> Number:
    start = parser.pos
    value = read_number_or_word(parser)
    if isinstance(value, str):
        text = f"`{value}` is no number; besides numbers there are inf, -inf, nan, true, false"
        parser.raise_error(text, start, start + len(value))
    if isinstance(value, int) and "x" in str(parser.lexer.input.slice(start, start + 3)):
        # MLIR reads such digits as the bits of a float.
        parser.raise_error(
            "a hexadecimal number was met, but a constant's numbers must be decimal, inf, -inf or nan", start, start + 2
        )
    return value


def print_numbers(printer: Printer, attr: NumbersAttr) -> None:
    """Write the text that `parse_numbers` reads."""
    elements = attr.stored
    if attr.is_splat:
        printer.print_string(_element_text(elements[0]))
    else:
        printer.print_string(_nested_text(_texts(elements), attr.tensor.get_shape()))
    printer.print_string(" : ")
    printer.print_attribute(attr.type)


def _texts(elements: Array) -> list[str]:
    """The text of each element; the text of equal elements is computed once."""
    import numpy as np

    bits, places = np.unique(elements.view(f"u{elements.dtype.itemsize}"), return_inverse=True)
    texts = [_element_text(value) for value in bits.view(elements.dtype)]
    return [texts[place] for place in places.tolist()]


def _nested_text(texts: Sequence[str], shape: Sequence[int]) -> str:
    """The texts of elements in nested brackets, one level for each axis of `shape`."""
    if not texts:
        return "[]"
    if not shape:
        return texts[0]
    if len(shape) == 1:
        return f"[{', '.join(texts)}]"
    size = len(texts) // shape[0]
    rows = (texts[at : at + size] for at in range(0, len(texts), size))
    return f"[{', '.join(_nested_text(row, shape[1:]) for row in rows)}]"


def _element_text(value: np.generic) -> str:
    if value.dtype.kind == "b":
        return str(bool(value)).lower()
    if value.dtype.name.startswith(("int", "uint")):  # of ml_dtypes too
        return str(int(value))  # pyright: ignore[reportArgumentType]
    return float_text(_shortest(value))


def _shortest(value: np.generic) -> float:
    """The number with the fewest decimal digits that rounds to `value` in its own type."""
    import numpy as np

    exact = float(value)  # pyright: ignore[reportArgumentType]
    if not isfinite(exact) or value.dtype.itemsize == 8 or (exact.is_integer() and abs(exact) < 1e6):
        return exact
    with np.errstate(over="ignore"):
        shorter = (float(f"{exact:.{digits}g}") for digits in range(1, 10))
        return next((short for short in shorter if value.dtype.type(short) == value), exact)


def _by(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "of a scalar"
