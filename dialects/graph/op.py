"""The base class of graph ops: a common textual form, a shape rule that infers result types, the work, and the absence
of side effects.

The form of all ops of the level is one rule:

    %r = graph.NAME [kind] %operands [keyword = value, …] : operand types [-> result type]

Operand types are written once if all are equal; properties only if they differ from their default; the result type only
if operands and properties do not imply it (`EXPLICIT_RESULT`).
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Self

from xdsl.dialects.builtin import UNKNOWN_LOC, StringAttr
from xdsl.ir import Attribute, ErasedSSAValue, Operation, OpResult, SSAValue, SSAValues
from xdsl.irdl import BeforeVariadicSingleAccessor, OptionalDef, VariadicDef, VarIRConstruct, traits_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, Pure
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp, KnownAttributes, parse_braces
from dialects.element_types import byte_count, element_count
from dialects.graph.boxes import Box, PartOperands, stretched
from dialects.graph.properties import PropertyKind, Value, as_property, flag, kind_of
from dialects.graph.properties import integer as integer
from dialects.graph.properties import ints as ints
from dialects.graph.properties import real as real
from dialects.graph.roles import AnyLayout, FusionRole
from dialects.graph.tensors import TENSOR as TENSOR
from dialects.graph.tensors import Tensor, check_tensor, shape_of, tensor_of
from dialects.graph.tensors import as_tensor as as_tensor
from dialects.graph.tensors import tensor_problem as tensor_problem
from dialects.identity import IdentityCache
from dialects.values import resolve_known
from dialects.work import Work

if TYPE_CHECKING:
    from xdsl.pattern_rewriter import RewritePattern


@dataclass(frozen=True)
class Declaration:
    """The parts of an op class's declaration that its text and its constructor use."""

    operands: str
    least: int
    most: int | None
    has_kind: bool
    """True if a keyword before the operands selects the kind of the op."""
    words: dict[str, tuple[PropertyKind, Attribute | None]]
    """All properties except the kind, with their defaults; None for a required property."""
    is_local: bool
    """True if verification depends only on operand and result types, properties and the names of attributes."""

    def check_count(self, name: str, given: int) -> None:
        """Raise VerifyException if an op can't have `given` operands."""
        if given < self.least or (self.most is not None and given > self.most):
            expected = f"at least {self.least}" if self.most is None else str(self.least)
            if self.most is not None and self.most > self.least:
                expected += f" to {self.most}"
            plural = "" if self.least == self.most == 1 else "s"
            raise VerifyException(f"{name} takes {expected} operand{plural} ({self.operands}), not {given}")


@cache
def declaration_of(cls: type[GraphOp]) -> Declaration:
    """The declaration of an op class; the last operand may be optional or variadic."""
    definition = cls.get_irdl_definition()
    entries = [entry for _, entry in definition.operands]
    required = sum(not isinstance(entry, VariadicDef) for entry in entries)
    endless = any(isinstance(entry, VariadicDef) and not isinstance(entry, OptionalDef) for entry in entries)
    kinds = {name: (kind_of(entry.constr), entry.default_value) for name, entry in definition.properties.items()}
    return Declaration(
        ", ".join(name for name, _ in definition.operands),
        required,
        None if endless else len(entries),
        "kind" in kinds,
        {name: (kind, default) for name, (kind, default) in kinds.items() if kind is not None and name != "kind"},
        not (definition.regions or definition.successors or definition.attributes)
        and all(type(trait) in _LOCAL_TRAITS for trait in cls.traits),
    )


PLACED = "task.on"
"""The attribute that assigns an op of this level to a device (lowering/graph/marks.py)."""


class Canonical(HasCanonicalizationPatternsTrait):
    """Trait that supplies the canonicalization patterns of an op's class."""

    source: ClassVar[Callable[[type[Operation]], tuple[RewritePattern, ...]]]
    """Function that returns the patterns of an op class. `dialects/graph/__init__.py` sets it to a function that loads
    the patterns on its first call, since they import numpy."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        return Canonical.source(op)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        raise NotImplementedError("patterns go by op class: get_patterns(op)")


_LOCAL_TRAITS = (Pure, ConstantLike, KnownAttributes, Canonical, AnyLayout)
_INFERRED = {True: IdentityCache[tuple[Tensor, ...]](), False: IdentityCache[tuple[Tensor, ...]]()}
"""Caches of result types by class, operand types and properties: most ops of a large program have the same class, types
and properties as an earlier op. Ops with operands and constants have separate caches, since the many different
constants would evict the other ops."""
_VERIFIED = {True: IdentityCache[bool](), False: IdentityCache[bool]()}
"""Cache of verified combinations of class, operand types, properties, result types and names of attributes."""
_TEXTS = IdentityCache[str]()


def _operand(index: int) -> property:
    return property(lambda op: tuple.__getitem__(op._operands, index))  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType, reportPrivateUsage]


def _result(index: int) -> property:
    return property(lambda op: tuple.__getitem__(op.results, index))  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType]


_READ_AT_ONCE = {VarIRConstruct.OPERAND: _operand, VarIRConstruct.RESULT: _result}


class GraphOp(BracedOp):
    """Base of all graph ops, and the interface that passes use: subclasses declare operands and properties, and define
    `infer` (shape rule) and `work`; where the default does not apply, also `part`, `FUSION` and the trait `AnyLayout`.

    Other packages attach implementations to op classes: numpy functions in `interp/numerics/meaning.py`, classes of GPU
    kernels in `interp/kinds/gpu/kernels.py`, ONNX text in `ndpir/writers/onnx/graph.py`."""

    EXPLICIT_RESULT: ClassVar[bool] = False
    """True if the result type is written in the text, because operands and properties do not imply it."""
    FUSION: ClassVar[FusionRole] = FusionRole.OPAQUE
    """The role of the op in a fused kernel."""

    traits = traits_def(Pure(), Canonical())

    def __init_subclass__(cls) -> None:
        """Give a class fast accessors of operands and results by name, since they are used very often: IRDL's accessors
        create three objects and make six calls per value."""
        super().__init_subclass__()
        for name, accessor in tuple(vars(cls).items()):
            if type(accessor) is BeforeVariadicSingleAccessor and accessor.construct in _READ_AT_ONCE:
                setattr(cls, name, _READ_AT_ONCE[accessor.construct](accessor.idx))

    def __init__(
        self, *operands: SSAValue | Operation, result_type: Attribute | None = None, **properties: Value | None
    ) -> None:
        """Build the op from operands and plain Python property values; most ops infer their result type.

        Raises VerifyException if operands, properties and result type do not fit.
        """
        # Operation's own constructor: IRDL's only adds grouping of operands, which takes half the time.
        Operation.__init__(
            self,
            operands=[operand if type(operand) is OpResult else SSAValue.get(operand) for operand in operands],
            properties={name: as_property(value) for name, value in properties.items() if value is not None},
            location=UNKNOWN_LOC,  # xDSL's own code imports this class again for each op
        )
        declaration_of(type(self)).check_count(self.name, len(operands))
        self.settle_results(result_type)

    def settle_results(self, written: Attribute | None) -> None:
        """Set the op's result types to those that the shape rule implies, after checking that they equal the type
        `written` in the text, if any.

        Raises VerifyException if operands, properties and result do not fit.
        """
        if self.EXPLICIT_RESULT:
            self._check_operands()
            if written is None:
                raise VerifyException(f"{self.name} needs an explicit result type (`-> tensor<…>`)")
            self.results = SSAValues((OpResult(written, self, 0),))
            if (wrong := tensor_problem(written)) is not None:
                raise VerifyException(f"the result of {self.name}: {wrong}")
            self.infer()
            return
        inferred = self._inferred()
        if written is not None and inferred != (written,):
            raise VerifyException(
                f"{self.name}: the written result type is {written}, but the op's result is {inferred[0]}"
            )
        self.results = SSAValues(OpResult(type_, self, index) for index, type_ in enumerate(inferred))

    def _check_operands(self) -> None:
        for operand in self._operands:
            check_tensor(operand)

    def _inferred(self) -> tuple[Tensor, ...]:
        signature = (type(self), *self._operands.types, *self.properties, *self.properties.values())
        kept = _INFERRED[bool(self._operands)]
        if (types := kept.get(signature)) is None:
            self._check_operands()
            types = kept.put(signature, self.infer())
        return types

    @abstractmethod
    def infer(self) -> tuple[Tensor, ...]:
        """The shape rule: the result types, as a function of the operands' types and the properties only.

        Raises VerifyException if operands and properties do not fit.
        """

    @abstractmethod
    def work(self) -> Work:
        """Flops and compulsory memory traffic in bytes of this op, on any machine."""

    def part(self, box: Box) -> PartOperands | None:
        """The parts of operands from which a part of the result is computed (no axis of `box` is empty); None if that
        part can't be computed separately: its elements depend on other parts, or are all in padding."""
        return None

    def part_by_broadcast(self, box: Box, uncut: Iterable[int] = ()) -> PartOperands | None:
        """`part` for an op whose operands broadcast to the result; the axes `uncut` can't be cut."""
        if any(len(box[axis]) != shape_of(self.results[0])[axis] for axis in uncut):
            return None
        return PartOperands(tuple(stretched(shape_of(value), box) for value in self.operands))

    def verify(self, verify_nested_ops: bool = True) -> None:
        signature = (
            type(self), *self._operands.types, None, *self.results.types, *self.properties,
            *self.properties.values(), None, *self.attributes,
        )  # fmt: skip
        is_last = self.next_op is None  # verifying the last op of a block also checks the block
        is_complete = not any(type(operand) is ErasedSSAValue for operand in self._operands)
        kept = _VERIFIED[bool(self._operands)]
        if kept.get(signature) and is_complete and not (is_last or self._successors or self.regions):
            return
        super().verify(verify_nested_ops)
        if declaration_of(type(self)).is_local:
            kept.put(signature, True)

    def verify_(self) -> None:
        for value in (*self.operands, *self.results):
            check_tensor(value)
        for result, type_ in zip(self.results, self.infer(), strict=True):
            if result.type != type_:
                raise VerifyException(
                    f"{self.name}: the result is written as {result.type}, but its operands imply {type_}"
                )

    def bytes_moved(self) -> tuple[int, int]:
        """Bytes of all operands and of all results; a value used twice is counted once."""
        return (
            sum(byte_count(tensor_of(operand)) for operand in dict.fromkeys(self.operands)),
            sum(byte_count(tensor_of(result)) for result in self.results),
        )

    def work_of(self, flops_per_result: int, macs: int = 0) -> Work:
        """Work of an op that spends `flops_per_result` flops on each result element."""
        read, written = self.bytes_moved()
        return Work(flops_per_result * element_count(tensor_of(self.results[0])) + 2 * macs, read, written, macs)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start, form = parser.pos, declaration_of(cls)
        properties = _parse_kind(cls, parser) if form.has_kind else {}
        unresolved = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        properties |= _parse_words(cls, parser)
        more, attributes = parse_braces(parser, cls, properties)
        properties |= more
        for word, (kind, default) in form.words.items():
            if default is None and word not in properties:
                parser.raise_error(f"{cls.name} needs `{word} = …`, {kind.meaning}")
        operands = _parse_types(parser, unresolved or [])
        written = parser.parse_type() if parser.parse_optional_punctuation("->") else None
        try:
            form.check_count(cls.name, len(operands))
            op = cls.create(operands=operands, properties=properties, attributes=attributes)
            op.settle_results(written)
        except VerifyException as error:
            parser.raise_error(str(error), start, parser.pos)
        return op

    def print(self, printer: Printer) -> None:
        form = declaration_of(type(self))
        start = " "
        if form.has_kind:
            kind = self.properties["kind"]
            assert isinstance(kind, StringAttr)
            start = f" {kind.data} " if self._operands else f" {kind.data}"
        for operand in self._operands:
            printer.print_string(start)
            printer.print_ssa_value(operand)
            start = ", "
        if form.has_kind and not self._operands:
            printer.print_string(start)
        words = [
            name if value == flag(True) else f"{name} = {kind.text(value)}"
            for name, (kind, default) in form.words.items()
            if (value := self.properties.get(name, default)) is not None and value is not default and value != default
        ]
        if words:
            printer.print_string(" " + ", ".join(words))
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        types = list(map(_text, self._operands.types))
        text = " : " + (types[0] if len(set(types)) == 1 else ", ".join(types))
        printer.print_string(f"{text} -> {_text(self.results[0].type)}" if self.EXPLICIT_RESULT else text)


def _text(type_: Attribute) -> str:
    return _TEXTS.get((type_,)) or _TEXTS.put((type_,), str(type_))


def ops_of(module: str) -> tuple[type[GraphOp], ...]:
    """The op classes that a module defines, in the order of their definitions."""
    found = [
        each for each in vars(sys.modules[module]).values() if isinstance(each, type) and each.__module__ == module
    ]
    return tuple(each for each in found if issubclass(each, GraphOp) and "name" in vars(each))


def _parse_kind(cls: type[GraphOp], parser: Parser) -> dict[str, Attribute]:
    kind = kind_of(cls.get_irdl_definition().properties["kind"].constr)
    assert kind is not None
    start, word = parser.pos, parser.parse_optional_identifier()
    if word is None or (attribute := kind.of(word)) is None:
        met = f", not `{word}`" if word else ""
        parser.raise_error(f"{cls.name} needs its kind before the operands: {kind.meaning}{met}", start, parser.pos)
    return {"kind": attribute}


def _parse_words(cls: type[GraphOp], parser: Parser) -> dict[str, Attribute]:
    """Read `keyword = value, …`; a keyword alone is true."""
    words = declaration_of(cls).words
    found: dict[str, Attribute] = {}
    start = parser.pos
    while (word := parser.parse_optional_identifier()) is not None:
        if "." in word:  # the next op
            parser.raise_error(f"{cls.name}: `:` and the operands' types are expected here", start, parser.pos)
        if word not in words:
            known = f"its properties are {', '.join(words)}" if words else "it has no properties"
            parser.raise_error(f"{cls.name} has no property `{word}`; {known}", start, parser.pos)
        if word in found:
            parser.raise_error(f"{cls.name}: `{word}` is given twice", start, parser.pos)
        kind = words[word][0]
        if parser.parse_optional_punctuation("="):
            found[word] = kind.read(parser, f"{cls.name}: `{word}`")
        elif (value := kind.of(True)) is not None:
            found[word] = value
        else:
            parser.raise_error(f"{cls.name}: `{word}` must be {kind.meaning} (`{word} = …`)", start, parser.pos)
        if parser.parse_optional_punctuation(",") is None:
            break
        start = parser.pos
    return found


def _parse_types(parser: Parser, unresolved: Sequence[UnresolvedOperand]) -> list[SSAValue]:
    """Read the operands' types (a single type applies to all) and resolve the operands."""
    parser.parse_punctuation(":")
    start = parser.pos
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    if len(types) == 1:
        types *= len(unresolved)
    if len(types) != len(unresolved):
        parser.raise_error(
            f"{len(unresolved)} operands need {len(unresolved)} types, or one type for all, not {len(types)}",
            start,
            parser.pos,
        )
    operands = [resolve_known(parser, operand) for operand in unresolved]
    for operand, type_, name in zip(operands, types, unresolved, strict=True):
        if operand.type != type_:
            text = f"%{name.operand_name} is written as {type_}, but it is a {operand.type}"
            parser.raise_error(text, name.span.start, name.span.end)
    return operands
