"""What every graph op shares: one textual form, a shape rule that infers its result types, its work, its purity.

The form of all ops of the level is one rule:

    %r = graph.NAME [kind] %operands [keyword = value, …] : operand types [-> result type]

Operand types stand once when all are equal; properties stand only where they differ from their default; the result type stands only
where the operands and properties do not imply it (`EXPLICIT_RESULT`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self, TypeAlias

from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.irdl import AttrSetConstraint, EqAttrConstraint, IRDLOperation, OpDef, OptionalDef, base, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import ElementType, byte_count, element_count, is_element_type
from dialects.work import Work

Tensor: TypeAlias = TensorType[ElementType]
Ints: TypeAlias = DenseArrayBase[IntegerType]
TENSOR = base(TensorType)
INTS = DenseArrayBase.constr(i64)


def ints(values: Sequence[int]) -> Ints:
    """A property that holds integers, e.g. axes or pads."""
    return DenseArrayBase.from_list(i64, list(values))


def integer(value: int) -> IntegerAttr:
    """A property that holds one integer."""
    return IntegerAttr(value, i64)


def real(value: float) -> FloatAttr:
    """A property that holds one f64 number; infinities and nan included."""
    return FloatAttr(value, f64)


def flag(value: bool) -> BoolAttr:
    """A property that holds a truth value."""
    return BoolAttr(value, i1)


def one_of(*words: str):
    """A property that is one of some words; the first is the default unless the op says otherwise."""
    return AttrSetConstraint(frozenset(map(StringAttr, words)))


def ints_prop(default: Sequence[int] | None = None) -> Ints:
    return prop_def(INTS, default_value=None if default is None else ints(default))


def int_prop(default: int | None = None) -> IntegerAttr:
    return prop_def(
        IntegerAttr.constr(type=EqAttrConstraint(i64)), default_value=None if default is None else integer(default)
    )


def real_prop(default: float | None = None) -> FloatAttr:
    return prop_def(FloatAttr.constr(EqAttrConstraint(f64)), default_value=None if default is None else real(default))


def flag_prop() -> BoolAttr:
    """A flag that is off unless it is written."""
    return prop_def(base(IntegerAttr), default_value=flag(False))  # pyright: ignore[reportReturnType]


Value: TypeAlias = int | float | bool | str | Sequence[int] | Attribute


def as_property(value: Value) -> Attribute:
    """The attribute that stands for a plain Python value."""
    match value:
        case Attribute():
            return value
        case bool():
            return flag(value)
        case int():
            return integer(value)
        case float():
            return real(value)
        case str():
            return StringAttr(value)
        case _:
            return ints(value)


class GraphOp(IRDLOperation):
    """Base of all graph ops: subclasses declare operands and properties, and say `infer` (shape rule) and `work`."""

    EXPLICIT_RESULT: ClassVar[bool] = False
    """Whether the result type is written, because operands and properties do not imply it."""

    traits = traits_def(Pure())

    def __init__(self, *operands: SSAValue, result_type: Attribute | None = None, **properties: Value | None) -> None:
        """Build from operands and plain Python property values; the result type is inferred unless the op needs it said."""
        super().__init__(
            operands=_segments(type(self), operands),
            result_types=[result_type] if result_type is not None else [_UNKNOWN],
            properties={name: as_property(value) for name, value in properties.items() if value is not None},
        )
        self.settle_results(None if result_type is None else (result_type,))

    def settle_results(self, written: Sequence[Attribute] | None) -> None:
        """Give the op its result types: those the shape rule implies, checked against those that were written, if any."""
        types = tuple(written) if self.EXPLICIT_RESULT and written is not None else None
        if types is not None:
            self.results = _results(self, types)
        inferred = self.infer()
        if types is None:
            self.results = _results(self, inferred)

    @abstractmethod
    def infer(self) -> tuple[Tensor, ...]:
        """The shape rule: the result types that operands and properties imply. Raises VerifyException if they do not fit."""

    @abstractmethod
    def work(self) -> Work:
        """Flops and compulsory bytes of this op on any machine."""

    def verify_(self) -> None:
        for value in (*self.operands, *self.results):
            _check_tensor(value)
        inferred = self.infer()
        for result, type_ in zip(self.results, inferred, strict=True):
            if result.type != type_:
                raise VerifyException(
                    f"{self.name}: the result is written as {result.type}, but its operands imply {type_}"
                )

    def bytes_moved(self) -> tuple[int, int]:
        """Bytes of all operands and of all results, each once."""
        return (
            sum(byte_count(operand.type) for operand in self.operands),  # pyright: ignore[reportArgumentType]
            sum(byte_count(result.type) for result in self.results),  # pyright: ignore[reportArgumentType]
        )

    def work_of(self, flops_per_result: int, macs: int = 0) -> Work:
        """Work of an op that spends `flops_per_result` flops on each result element."""
        read, written = self.bytes_moved()
        return Work(flops_per_result * element_count(tensor_of(self.results[0])) + 2 * macs, read, written, macs)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        definition = cls.get_irdl_definition()
        properties: dict[str, Attribute] = {}
        if "kind" in definition.properties:
            properties["kind"] = StringAttr(parser.parse_identifier(" that says which kind"))
        unresolved = (
            parser.parse_optional_undelimited_comma_separated_list(
                parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
            )
            or []
        )
        properties |= _parse_keywords(parser, [name for name in definition.properties if name != "kind"], definition)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types_at = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        if len(types) == 1:
            types *= len(unresolved)
        written = [parser.parse_type()] if parser.parse_optional_punctuation("->") else None
        if cls.EXPLICIT_RESULT and written is None:
            parser.raise_error(f"{cls.name} writes its result type: `-> tensor<…>` after the operand types")
        operands = parser.resolve_operands(unresolved, types, types_at)
        try:
            for operand in operands:
                _check_tensor(operand)
            _segments(cls, operands)
            op = cls.create(
                operands=operands, result_types=written or [_UNKNOWN], properties=properties, attributes=attributes
            )
            _check_properties(op)
            op.settle_results(written)
            if written is not None and [result.type for result in op.results] != written:
                raise VerifyException(
                    f"{cls.name}: the result is written as {written[0]}, but it is {op.results[0].type}"
                )
        except VerifyException as error:
            parser.raise_error(str(error), start, parser.pos)
        return op

    def print(self, printer: Printer) -> None:
        definition = self.get_irdl_definition()
        if "kind" in definition.properties:
            printer.print_string(f" {self.properties['kind'].data}")  # pyright: ignore[reportAttributeAccessIssue]
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_operand)
        words = [
            _print_keyword(name, self.properties[name])
            for name, entry in definition.properties.items()
            if name != "kind" and name in self.properties and self.properties[name] != entry.default_value
        ]
        if words:
            printer.print_string(" " + ", ".join(words))
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        types = [operand.type for operand in self.operands]
        printer.print_list(types[:1] if len(set(types)) == 1 else types, printer.print_attribute)
        if self.EXPLICIT_RESULT:
            printer.print_string(" -> ")
            printer.print_attribute(self.results[0].type)


_UNKNOWN = TensorType(i1, ())
"""Stands for a result type for the moment between an op's creation and its shape rule."""


def tensor_of(value: SSAValue) -> Tensor:
    """The tensor type of a value of the graph level."""
    assert isinstance(value.type, TensorType)
    return value.type  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The extents of a value of the graph level."""
    return tensor_of(value).get_shape()


def _results(op: GraphOp, types: Sequence[Attribute]):
    from xdsl.ir import SSAValues

    return SSAValues(OpResult(type_, op, index) for index, type_ in enumerate(types))


def _segments(cls: type[GraphOp], operands: Sequence[SSAValue]) -> list[SSAValue | Sequence[SSAValue]]:
    """Operands grouped as the op declares them (the last may be optional or variadic). Raises VerifyException on a wrong number."""
    declared = cls.get_irdl_definition().operands
    required = sum(1 for _, entry in declared if not isinstance(entry, OptionalDef) and not _is_variadic(entry))
    last_is_open = bool(declared) and (isinstance(declared[-1][1], OptionalDef) or _is_variadic(declared[-1][1]))
    most = (
        None
        if declared and _is_variadic(declared[-1][1]) and not isinstance(declared[-1][1], OptionalDef)
        else len(declared)
    )
    if len(operands) < required or (most is not None and len(operands) > most):
        names = ", ".join(name for name, _ in declared)
        expected = f"{required}" if most == required else f"{required} to {most}" if most else f"at least {required}"
        raise VerifyException(f"{cls.name} takes {expected} operands ({names}), but {len(operands)} are given")
    return [*operands[:required], operands[required:]] if last_is_open else list(operands)


def _is_variadic(entry: object) -> bool:
    from xdsl.irdl import VariadicDef

    return isinstance(entry, VariadicDef)


def _check_tensor(value: SSAValue) -> None:
    type_ = value.type
    if not isinstance(type_, TensorType):
        raise VerifyException(f"graph ops work on tensors, but {_called(value)} is a {type_}")
    if not is_element_type(type_.element_type):  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        raise VerifyException(
            f"{type_} of {_called(value)}: tensors hold f16, bf16, f32, f64, i1 or 8 to 64 bit integers"
        )
    if not type_.has_static_shape():
        raise VerifyException(
            f"{type_} of {_called(value)} has an unknown extent; every extent is a number here (--dim NAME=N binds one)"
        )


def _called(value: SSAValue) -> str:
    return f"%{value.name_hint}" if value.name_hint else "a value"


def _check_properties(op: GraphOp) -> None:
    """What IRDL checks of properties, said in the words of this level. Raises VerifyException."""
    from xdsl.irdl import ConstraintContext

    for name, entry in op.get_irdl_definition().properties.items():
        if name not in op.properties:
            if not isinstance(entry, OptionalDef):
                raise VerifyException(f"{op.name} needs `{name} = …`")
            continue
        try:
            entry.constr.verify(op.properties[name], ConstraintContext())
        except VerifyException:
            raise VerifyException(
                f"{op.name}: `{name}` can't be {_print_value(op.properties[name])}{_choices(entry.constr)}"
            ) from None


def _choices(constraint: object) -> str:
    if isinstance(constraint, AttrSetConstraint):
        return f"; it is one of {', '.join(sorted(_print_value(word) for word in constraint.values))}"
    return ""


def _parse_keywords(parser: Parser, names: Sequence[str], definition: OpDef) -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    while (word := parser.parse_optional_identifier()) is not None:
        if word not in names:
            parser.raise_error(f"unknown word `{word}`; this op knows {', '.join(names) or 'none'}")
        if word in found:
            parser.raise_error(f"`{word}` is said twice")
        value = _parse_value(parser) if parser.parse_optional_punctuation("=") else flag(True)
        wants_real = isinstance(definition.properties[word].default_value, FloatAttr)
        found[word] = real(value.value.data) if wants_real and isinstance(value, IntegerAttr) else value
        if parser.parse_optional_punctuation(",") is None:
            break
    return found


def _parse_value(parser: Parser) -> Attribute:
    if parser.parse_optional_punctuation("["):
        values: list[int] = []
        while parser.parse_optional_punctuation("]") is None:
            if values:
                parser.parse_punctuation(",")
            values.append(parser.parse_integer())
        return ints(values)
    negative = parser.parse_optional_punctuation("-") is not None
    if (word := parser.parse_optional_identifier()) is not None:
        if word in ("inf", "nan"):
            return real(float(f"-{word}" if negative else word))
        return flag(word == "true") if word in ("true", "false") else StringAttr(word)
    number = parser.parse_number()
    number = -number if negative else number
    return integer(number) if isinstance(number, int) else real(number)


def _print_keyword(name: str, value: Attribute) -> str:
    return name if value == flag(True) else f"{name} = {_print_value(value)}"


def _print_value(value: Attribute) -> str:
    match value:
        case DenseArrayBase():
            return f"[{', '.join(str(v) for v in value.get_values())}]"
        case FloatAttr():
            return float_text(value.value.data)
        case IntegerAttr():
            return str(value.value.data) if value.type != i1 else str(bool(value.value.data)).lower()  # pyright: ignore
        case StringAttr():
            return value.data
        case _:
            return str(value)


def float_text(value: float) -> str:
    """A number as text that reads back as the same number: shortest decimal, `inf`, `-inf` or `nan`."""
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}.0{e}{exponent}" if e and "." not in mantissa else text
