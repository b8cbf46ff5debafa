"""Keys of measured times: the properties of an op or fused group on which its work depends, without names of values; as
text for profiles, and as objects that are quick to compare.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from hashlib import blake2s

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from dialects.element_types import name_of
from dialects.graph import ConstantOp, FusedOp, GraphOp, tensor_of
from dialects.graph.numbers import NumbersAttr
from dialects.graph.op import declaration_of
from interp.walk.unchanged import once_per_op
from interp.walk.weight_values import is_weight

LONGEST = 80
"""The maximum length of a property's text in a key; a longer text is replaced by a hash of eight digits."""


@once_per_op
def key_of(op: GraphOp | FusedOp, known: dict[SSAValue, bool] | None = None) -> str:
    """The canonical text of an op's work; `known` caches which values are weights.

        %0 : 1x4096xf16, %1 : weight 4096x64xf16; %2 = graph.matmul %0, %1 : 1x64xf16; yield %2

    The inputs come first, in the order of their first use: the type of each, preceded by `weight` for a weight, which a
    library may lay out ahead of time. Then the ops follow, each after its producers, with the properties that differ
    from their defaults. The order of independent ops, the names of values, attributes and source locations do not
    affect the work and are left out; a group of one op has the same text as the op.
    """
    return _Key(op, {} if known is None else known).text()


def ops_of(op: GraphOp | FusedOp) -> str:
    """The names of the ops of an op or group, for people: `graph.conv + graph.relu`."""
    inner = op.ops if isinstance(op, FusedOp) else (op,)
    return " + ".join(each.name for each in inner if not isinstance(each, ConstantOp))


def shapes_of(op: GraphOp | FusedOp) -> str:
    """The types of inputs and outputs, for people: `1x4096xf16, 4096x64xf16 -> 1x64xf16`."""
    return " -> ".join(", ".join(_type(value) for value in values) for values in (op.operands, op.results))


class _Key:
    """The state of writing a key: the numbers of an op's or group's values in the key's text."""

    def __init__(self, op: GraphOp | FusedOp, known: dict[SSAValue, bool]) -> None:
        self.op, self.known = op, known
        fused = isinstance(op, FusedOp)
        self.outer: dict[SSAValue, SSAValue] = {}
        """The outer values of a group's arguments; arguments with the same outer value are one."""
        if fused:
            self.outer |= zip(op.body.block.args, op.inputs, strict=True)
        self.inside: set[Operation] = set(op.ops) if fused else {op}
        self.yielded = tuple(op.yielded) if fused else tuple(op.results)
        self.inputs: list[SSAValue] = []
        self.ops: list[Operation] = []

    def text(self) -> str:
        rest = self.op.ops if isinstance(self.op, FusedOp) else ()
        for op in [*(value.owner for value in self.yielded), *rest]:
            if isinstance(op, Operation):
                self.visit(op)
        for value in (*self.yielded, *self.op.operands):
            self.reads(value)
        made = [*self.inputs, *(result for op in self.ops for result in op.results)]
        numbers = {value: f"%{index}" for index, value in enumerate(made)}
        read = ", ".join(f"{numbers[value]} : {self.weight(value)}{_type(value)}" for value in self.inputs)
        steps = [_step(op, [numbers[self.outside(value)] for value in op.operands], numbers) for op in self.ops]
        results = ", ".join(numbers[self.outside(value)] for value in self.yielded)
        return "; ".join([*([read] if read else []), *steps, f"yield {results}"])

    def visit(self, last: Operation) -> None:
        """Number the ancestors of an op, each after its operands; with an explicit stack, since a group may be deeper
        than Python's stack.
        """
        done, waiting = set(self.ops), [last]
        while waiting:
            op = waiting[-1]
            owners = [value.owner for value in op.operands]
            feeding = next((o for o in owners if isinstance(o, Operation) and o in self.inside and o not in done), None)
            if op in done or op not in self.inside:
                waiting.pop()
            elif feeding is not None and feeding is not op:
                waiting.append(feeding)
            else:
                for value in op.operands:
                    self.reads(value)
                self.ops.append(op)
                done.add(op)

    def reads(self, value: SSAValue) -> None:
        value = self.outside(value)
        if value.owner not in self.inside and value not in self.inputs:
            self.inputs.append(value)

    def outside(self, value: SSAValue) -> SSAValue:
        return self.outer.get(value, value)

    def weight(self, value: SSAValue) -> str:
        return "weight " if is_weight(value, self.known) else ""


def _step(op: Operation, operands: Iterable[str], numbers: dict[SSAValue, str]) -> str:
    results = ", ".join(numbers[result] for result in op.results)
    types = ", ".join(_type(result) for result in op.results)
    head = " ".join(filter(None, (op.name, ", ".join(operands))))
    return f"{results} = {head}{_properties(op)} : {types}"


def _properties(op: Operation) -> str:
    """The properties of an op that differ from their defaults, as text, in the order of their names."""
    words = declaration_of(type(op)).words if isinstance(op, GraphOp) else {}
    entries: list[str] = []
    for name, value in sorted(op.properties.items()):
        kind, default = words.get(name, (None, None))
        if value != default:
            entries.append(f"{name} = {kind.text(value) if kind is not None else _text(value)}")
    return f" {{{', '.join(entries)}}}" if entries else ""


def _text(value: Attribute) -> str:
    """A property as text if the op's declaration gives no way to write it: a word that selects an op, numbers as their
    bytes, or a plug-in's attribute."""
    match value:
        case StringAttr(data=text):
            pass
        case NumbersAttr():
            text = value.data.data.hex()
        case _:
            text = str(value)
    return text if len(text) <= LONGEST else f"#{blake2s(text.encode(), digest_size=4).hexdigest()}"


def _type(value: SSAValue) -> str:
    tensor = tensor_of(value)
    return "x".join((*map(str, tensor.get_shape()), name_of(tensor.element_type)))


class ShapeKey:
    """A key that is equal for equal shapes; its hash is computed once."""

    __slots__ = ("facts", "hash")

    def __init__(self, facts: Hashable) -> None:
        self.facts, self.hash = facts, hash(facts)

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, ShapeKey) and self.hash == other.hash and self.facts == other.facts)


@once_per_op
def shape_key(op: GraphOp | FusedOp) -> ShapeKey:
    """The properties on which a cost may depend: the op's class, properties and types; for a fused group also the
    dataflow between its ops.
    """
    if not isinstance(op, FusedOp):
        return ShapeKey(_op_key(op))
    numbers: dict[SSAValue, int] = {value: index for index, value in enumerate(op.body.block.args)}
    keys: list[Hashable] = [op.kind, tuple(value.type for value in op.inputs), _sameness(op.inputs)]
    for inner in op.ops:
        keys.append((_op_key(inner), tuple(numbers[operand] for operand in inner.operands)))
        for result in inner.results:
            numbers[result] = len(numbers)
    return ShapeKey((*keys, tuple(numbers[value] for value in op.yielded)))


def _op_key(op: Operation) -> Hashable:
    types = tuple(value.type for value in (*op.operands, *op.results))
    properties = op.properties.items()
    if len(properties) > 1:
        properties = sorted(properties, key=lambda item: item[0])
    return (type(op), types, _sameness(op.operands), tuple(properties))


def _sameness(values: Sequence[SSAValue]) -> tuple[int, ...]:
    """For each value the index of its first occurrence among the values, so that `x + x`, which reads one value,
    differs from `x + y`."""
    if len(values) == 1:
        return (0,)
    first: dict[SSAValue, int] = {}
    return tuple(first.setdefault(value, index) for index, value in enumerate(values))
