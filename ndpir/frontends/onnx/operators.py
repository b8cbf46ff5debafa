"""The table of ONNX operators, and the view of a node for its handler: operands, attributes, construction of ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NoReturn, TypeAlias

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, defs, helper
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.element_types import ElementType, dtype_of, tensor_type
from dialects.graph.constant import LITERAL_LIMIT
from ndpir.frontends.construction import Construction
from ndpir.frontends.onnx.builder import BodyBuilder, known
from ndpir.frontends.onnx.subgraphs import Scope
from ndpir.frontends.onnx.tensors import Array

Outputs: TypeAlias = SSAValue | Sequence[SSAValue | None]
Handler: TypeAlias = "Callable[[OnnxNode], Outputs]"


@dataclass(frozen=True, slots=True)
class Operator:
    """The support for an operator: its handler, and the newest version (an opset number) that the handler supports."""

    handler: Handler
    newest: int


MOST_TABLED: Final = 1 << 18
"""The largest number of elements of a table that follows from a node's shapes and attributes."""
MAIN: Final = ("", "ai.onnx")
"""The names of the main domain."""
OPERATORS: Final[dict[str, Operator]] = {}
"""Operators of the main domain by name, and of others as `DOMAIN.NAME`; the modules of this folder fill it, and plugins
can add to it."""


def handles(op_type: str, newest: int) -> Callable[[Handler], Handler]:
    """A decorator that registers a handler for all versions of an operator from opset 7 to `newest`."""

    def register(handler: Handler) -> Handler:
        OPERATORS[op_type] = Operator(handler, newest)
        return handler

    return register


FOREIGN: Final[dict[str, Signature]] = {}
"""The signatures of supported operators of other domains than the main one, by `DOMAIN.NAME`, as in `OPERATORS`: onnx
has no schemas of them."""


def handles_foreign(
    domain: str, op_type: str, inputs: tuple[int, int], outputs: tuple[int, int] = (1, 1), **attributes: Default
) -> Callable[[Handler], Handler]:
    """A decorator that registers a handler for an operator of another domain. `inputs`, `outputs`: their least and
    greatest numbers; `attributes`: their defaults, or, without default, their types (a list: a tuple of an element)."""

    def register(handler: Handler) -> Handler:
        made = {name: _attribute(name, value) for name, value in attributes.items()}
        types = {name: int(attribute.type) for name, attribute in made.items()}
        defaults = {name: made[name] for name, value in attributes.items() if not isinstance(value, type | tuple)}
        FOREIGN[f"{domain}.{op_type}"] = Signature(1, inputs, outputs, types, frozenset(), defaults)
        OPERATORS[f"{domain}.{op_type}"] = Operator(handler, 1)
        return handler

    return register


Default: TypeAlias = (
    "int | float | str | type[int] | type[float] | type[str] | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]"
)
"""The default of an attribute, or its type if it has none."""


def _attribute(name: str, value: Default) -> AttributeProto:
    return helper.make_attribute(name, value() if isinstance(value, type) else value)


@dataclass(frozen=True, slots=True)
class Signature:
    """The ONNX standard's schema of an operator at an opset: numbers of operands and results, types, attributes and
    their defaults."""

    since: int
    inputs: tuple[int, int]
    outputs: tuple[int, int]
    types: dict[str, int]
    required: frozenset[str]
    defaults: dict[str, AttributeProto]


@cache
def schema_of(domain: str, op_type: str, opset: int) -> Any:
    """The standard's schema of an operator at an opset (of another domain than the main one: the newest); None if there
    is none. onnx's type stubs lack most members of schemas."""
    try:
        return defs.get_schema(op_type, opset) if domain in MAIN else defs.get_schema(op_type, domain=domain)
    except defs.SchemaError:
        return None


@cache
def signature(op_type: str, opset: int, domain: str = "") -> Signature | None:
    """The signature of an operator of the standard; None if the operator does not exist at that opset."""
    schema = schema_of(domain, op_type, opset)
    if schema is None:
        return None
    attributes = schema.attributes
    types = {name: int(entry.type.value) for name, entry in attributes.items()}
    return Signature(
        since=schema.since_version,
        inputs=(schema.min_input, schema.max_input),
        outputs=(schema.min_output, schema.max_output),
        types=types,
        required=frozenset(name for name, entry in attributes.items() if entry.required),
        defaults={name: entry.default_value for name, entry in attributes.items() if entry.default_value.type},
    )


class OnnxNode(Construction):
    """One node: `node[i]` is operand i, `node.ints("pads")` is an attribute, `node.build(ReluOp, x)` is a new op.

    Methods raise VerifyException with a sentence; the importer adds the names of the model and the node.
    """

    def __init__(
        self, proto: NodeProto, signature: Signature, inputs: Sequence[SSAValue | None], wanted: Sequence[bool],
        location: LocationAttr, body: BodyBuilder, scope: Scope | None = None,
    ) -> None:  # fmt: skip
        self.proto = proto
        self.signature = signature
        self.inputs = inputs
        self.wanted = wanted
        self.location = location
        self.body = body
        self.scope = scope
        self.attributes = {attribute.name: attribute for attribute in proto.attribute}
        self._check()

    @property
    def since(self) -> int:
        """The opset that introduced this version of the operator."""
        return self.signature.since

    def _check(self) -> None:
        self._check_number("inputs", len(self.inputs), self.signature.inputs)
        self._check_number("outputs", len(self.wanted), self.signature.outputs)
        types = self.signature.types
        for name, attribute in self.attributes.items():
            if name not in types:
                self.fail(f"attribute `{name}` does not exist in version {self.since} of the operator; remove it")
            if attribute.type != types[name] or attribute.ref_attr_name:
                expected = AttributeProto.AttributeType.Name(types[name])
                self.fail(f"attribute `{name}` must be {expected} in version {self.since} of the operator")
        if len(self.attributes) != len(self.proto.attribute):
            self.fail("an attribute of the operator appears twice; remove one of the two")
        if self.signature.required and (missing := self.signature.required - self.attributes.keys()):
            self.fail(f"attribute `{min(missing)}` is missing; add it")

    def _check_number(self, what: str, count: int, limits: tuple[int, int]) -> None:
        least, most = limits
        if not least <= count <= most:
            expected = f"{least}" if least == most else f"at least {least}" if most > 1000 else f"{least} to {most}"
            self.fail(f"the operator takes {expected} {what}, not {count}; connect or remove some")

    def fail(self, message: str) -> NoReturn:
        """Raise VerifyException for this node."""
        raise VerifyException(message)

    # Operands

    def __getitem__(self, index: int) -> SSAValue:
        value = self.get(index)
        if value is None:
            self.fail(f"input {index} is missing, but the operator requires it; connect it")
        return value

    def get(self, index: int) -> SSAValue | None:
        """Operand `index`; None if the node omits it."""
        return self.inputs[index] if index < len(self.inputs) else None

    def optional(self, index: int) -> tuple[SSAValue, ...]:
        """Operand `index` as a tuple of one value; empty if the node omits it."""
        value = self.get(index)
        return () if value is None else (value,)

    def numbers(self, index: int) -> Array:
        """The numbers of an operand that must be known at import."""
        array = known(self[index])
        if array is None:
            self.fail(
                f"input {index} (`{self.proto.input[index]}`) must be known before the program runs, because shapes "
                "depend on it; but it is computed from an input of the model, or too large to be read at import"
            )
        return array

    def integers(self, index: int) -> tuple[int, ...]:
        """The integers of an operand that must be known at import: a vector (a scalar counts as one of length 1)."""
        array = self.numbers(index)
        if array.dtype.kind not in "iu" or array.ndim > 1:
            self.fail(
                f"input {index} (`{self.proto.input[index]}`) must be a vector of integers, not "
                f"{g.tensor_of(self[index])}"
            )
        return tuple(int(number) for number in array.reshape(-1).tolist())

    def number(self, index: int) -> float:
        """The one element of an operand that must be known at import."""
        array = self.numbers(index)
        if array.size != 1:
            self.fail(f"input {index} (`{self.proto.input[index]}`) must have one element, not {array.size}")
        number = array.reshape(())[()]
        if array.dtype.kind in "iu" and int(float(number)) != int(number):
            self.fail(
                f"input {index} (`{self.proto.input[index]}`) is {number}, which f64 can't represent exactly; write a "
                "number below 2^53"
            )
        return float(number)

    def whole(self, index: int) -> int:
        """The one element of an operand that must be known at import, and a whole number."""
        number = self.number(index)
        if not number.is_integer():
            self.fail(f"input {index} (`{self.proto.input[index]}`) must be a whole number, not {number}")
        return int(number)

    def image(self, index: int = 0) -> tuple[int, int, tuple[int, ...]]:
        """The extents of an operand [N, C, spatial…]."""
        shape = g.shape_of(self[index])
        if len(shape) < 3:
            self.fail(f"input {index} must be an image [N, C, spatial…], not {self[index].type}")
        return shape[0], shape[1], shape[2:]

    def check_table(self, count: int) -> None:
        """Raise VerifyException if a table of `count` numbers, which follows from shapes, is too long."""
        if count > MOST_TABLED:
            self.fail(f"it needs a table of {count} numbers, but at most {MOST_TABLED} are written in a program")

    # Attributes

    def attribute(self, name: str) -> AttributeProto | None:
        """An attribute of the node, or its default in the standard; None if there is neither."""
        return self.attributes.get(name) or self.signature.defaults.get(name)

    def has(self, name: str) -> bool:
        """True if the node has an attribute of this name."""
        return name in self.attributes

    def integer(self, name: str, default: int = 0) -> int:
        """An INT attribute; `default` if neither the node nor the standard has a value."""
        found = self.attribute(name)
        return default if found is None else found.i

    def real(self, name: str, default: float = 0.0) -> float:
        """A FLOAT attribute, as the shortest decimal number that rounds to the same f32."""
        found = self.attribute(name)
        return default if found is None else float(str(np.float32(found.f)))

    def integer_list(self, name: str) -> tuple[int, ...] | None:
        """An INTS attribute, or None if neither the node nor the standard has a value."""
        found = self.attribute(name)
        return None if found is None else tuple(found.ints)

    def word(self, name: str, *known_words: str) -> str:
        """A STRING attribute that must be one of `known_words`; by default the first."""
        found = self.attribute(name)
        word = known_words[0] if found is None else found.s.decode("utf-8", "replace")
        if word not in known_words:
            self.fail(f"attribute `{name}` is {word!r}; supported: {', '.join(known_words)}")
        return word

    def tensor(self, name: str) -> TensorProto:
        """A TENSOR attribute of the node, which must have it."""
        return self.attributes[name].t

    def graph(self, name: str) -> GraphProto:
        """A GRAPH attribute, which the standard requires."""
        return self.attributes[name].g

    def inlined(self, graph: GraphProto, wanted: Sequence[str], given: Mapping[str, SSAValue]) -> list[SSAValue]:
        """The values named `wanted` of a graph that is an attribute of the node, whose ops are added to the body.
        `given`: the values of the graph's inputs."""
        if self.scope is None:
            self.fail("graphs are not supported here")
        return self.scope.values(graph, wanted, given, self.body, self.location)

    def inside(self, body: BodyBuilder) -> OnnxNode:
        """The same node, whose new ops are added to another body."""
        other = copy(self)
        other.body = body
        return other

    def axis(self, name: str, rank: int) -> int:
        """The attribute `name`, which is the index of an axis; negative indices are converted to indices from the
        front."""
        return self.axis_of(self.integer(name), rank)

    def axis_of(self, axis: int, rank: int) -> int:
        """The index of an axis, converted to an index from the front if it is negative."""
        if not -rank <= axis < rank:
            self.fail(f"there is no axis {axis}; axes run from {-rank} to {rank - 1}")
        return axis % rank

    # New ops

    def build(self, cls: type[g.GraphOp], /, *operands: SSAValue, **properties: Any) -> SSAValue:
        """The result of a new op, constant-folded if all operands are known and small. A property of None has its
        default."""
        return self.add(cls(*operands, **properties))

    def add(self, op: g.GraphOp) -> SSAValue:
        """The result of a new op, constant-folded if all operands are known and small."""
        return self.body.add(op, self.location)

    def build_as(self, result_type: g.Tensor, kind: type[g.GraphOp], *operands: SSAValue) -> SSAValue:
        """The result of a new op whose result type is given, constant-folded as by `build`."""
        return self.add(kind(*operands, result_type=result_type))

    def constant(self, value: Array | g.NumbersAttr, /) -> SSAValue:
        """A value known at import; an array of many elements is joined from several constants."""
        if isinstance(value, g.NumbersAttr):
            return self.body.constant(value, self.location)
        if value.size <= LITERAL_LIMIT:
            return self.body.constant(g.NumbersAttr.of(value), self.location)
        self.check_table(value.size)
        flat = value.reshape(-1)
        parts = [self.constant(flat[at : at + LITERAL_LIMIT]) for at in range(0, flat.size, LITERAL_LIMIT)]
        return self.reshaped(self.build(g.ConcatOp, *parts, axis=0), value.shape)

    def like(self, value: SSAValue, number: float) -> SSAValue:
        """The constant `number`, a scalar of `value`'s element type."""
        return self.constant(np.array(number).astype(dtype_of(g.tensor_of(value).element_type)))

    def splat(self, numbers: g.NumbersAttr, shape: Sequence[int]) -> SSAValue:
        """A known value, all of whose elements equal the one element of `numbers`."""
        type_ = tensor_type(shape, numbers.tensor.element_type)
        return self.body.constant(numbers.stretched(type_), self.location)


def extents_of(node: OnnxNode, x: SSAValue, *ranks: int) -> tuple[int, ...]:
    """The shape of a value, which must have one of these numbers of axes."""
    shape = g.shape_of(x)
    if len(shape) not in ranks:
        node.fail(f"a value of {g.tensor_of(x)} was met, but it must have {' or '.join(map(str, ranks))} axes")
    return shape


def rank_of(value: SSAValue) -> int:
    """The number of axes of a value."""
    return len(g.shape_of(value))


def element_of(value: SSAValue) -> ElementType:
    """The element type of a value."""
    return g.tensor_of(value).element_type
