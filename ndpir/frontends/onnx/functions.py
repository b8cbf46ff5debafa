"""Operators that are defined by other operators: a model's own functions, and functions of the ONNX standard, expanded
where they are used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto, OperatorSetIdProto, TypeProto
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects.diagnostics import InputError, note
from ndpir.frontends.onnx.builder import BodyBuilder
from ndpir.frontends.onnx.opaque import OpaqueNodes, why_never
from ndpir.frontends.onnx.operators import (
    FOREIGN,
    MAIN,
    OPERATORS,
    Handler,
    OnnxNode,
    Outputs,
    Signature,
    schema_of,
    signature,
)
from ndpir.frontends.onnx.subgraphs import Scope, stated_in
from ndpir.frontends.onnx.tensors import onnx_type
from ndpir.frontends.onnx.unsupported import WAYS

OLDEST_OPSET: Final = 7
"""The oldest opset whose operators the handlers read."""
MOST_NODES: Final = 1 << 20
"""The largest number of nodes that one node may become: functions that use each other can double it at each level."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A function as it stands in a model or in the standard. `opset`: that of its nodes in the main domain."""

    function: FunctionProto
    opset: int


class Functions:
    """The definitions that apply to one model."""

    def __init__(self, model: ModelProto, opaque: OpaqueNodes | None = None) -> None:
        """`opaque`: what becomes of operators without a handler; None if they are unsupported."""
        self.opaque = opaque
        opset = _opset(model.opset_import, OLDEST_OPSET)
        self.own = {
            (each.domain, each.name): Definition(each, _opset(each.opset_import, opset)) for each in model.functions
        }
        self._found: dict[tuple[str, str, int], tuple[Handler, Signature | None]] = {}
        """The handlers of operators that were used, by domain, operator and opset, and their signatures; None for the
        signature of the model's own function, which depends on the node."""
        self._noted: dict[tuple[str, str], NodeProto] = {}
        """The first node that is opaque for each operator and reason."""
        self._sizes: dict[tuple[str, str, int], int] = {}
        """The number of nodes that a node becomes, by domain, operator and opset; 0 while it is counted."""

    def handler_of(self, domain: str, op_type: str, opset: int) -> Handler | None:
        """The function that imports an operator: its expansion if the model defines it, else a handler that supports
        its version, else the standard's definition; None for an unsupported operator."""
        if (own := self.own.get((domain, op_type))) is not None:
            return lambda node: self._expanded(node, own)
        if _has_handler(domain, op_type, opset):
            return OPERATORS[foreign if (foreign := f"{domain}.{op_type}") in FOREIGN else op_type].handler
        if _is_defined(domain, op_type, opset):
            return lambda node: self._expanded(node, _definition(node, opset))
        return None

    def _signature_of(self, domain: str, op_type: str, opset: int) -> Signature | None:
        """The signature of a supported operator; None for the model's own function."""
        if (domain, op_type) in self.own:
            return None
        foreign = FOREIGN.get(f"{domain}.{op_type}")
        return signature(op_type, opset, domain) if foreign is None else foreign

    def missing(self, node: NodeProto, opset: int) -> tuple[NodeProto, int] | None:
        """The first unsupported node, with its opset, among the nodes that `node` becomes: the node itself, or
        one in a definition. Raises InputError for functions that use themselves, or become too many nodes."""
        is_known = self.handler_of(node.domain, node.op_type, opset) is not None
        if not is_known and (self.opaque is None or why_never(node, opset) is not None):
            return node, opset
        return self._walk(node, opset)

    def _walk(self, node: NodeProto, opset: int) -> tuple[NodeProto, int] | None:
        key = node.domain, node.op_type, opset
        definition = self.own.get(key[:2]) or (None if _has_handler(*key) else _fixed(*key))
        if key in self._sizes:
            if not self._sizes[key]:
                raise InputError(f"the function `{node.op_type}` of the model uses itself; write it without recursion")
            return None
        self._sizes[key] = 0
        count = 1
        for inner in () if definition is None else definition.function.node:
            assert definition is not None
            if (found := self.missing(inner, definition.opset)) is not None:
                del self._sizes[key]
                return found
            count += self._sizes[inner.domain, inner.op_type, definition.opset]
        if count > MOST_NODES:
            raise InputError(f"the function `{node.op_type}` of the model becomes more than {MOST_NODES} nodes")
        self._sizes[key] = count
        return None

    def _expanded(self, node: OnnxNode, definition: Definition) -> Outputs:
        """The outputs of a node whose operator is defined by the nodes of a function."""
        function = definition.function
        values: dict[str, SSAValue | None] = dict(zip(function.input, node.inputs, strict=False))
        used = {name for inner in function.node for name in inner.input} | set(function.output)
        scope = Scope(self, definition.opset, values.get, stated_in(function.value_info))
        for inner in function.node:
            try:
                inputs = [values.get(name) for name in inner.input]
                wanted = [name in used for name in inner.output]
                made = self.made(_bound(inner, node), definition.opset, inputs, wanted, node.location, node.body, scope)
            except VerifyException as error:
                raise VerifyException(f"in its definition, {inner.op_type}: {error}") from None
            outputs = [made] if isinstance(made, SSAValue) else made
            values.update(zip(inner.output, outputs, strict=False))
        return [values.get(name) for name in function.output]

    def made(
        self, proto: NodeProto, opset: int, inputs: Sequence[SSAValue | None], wanted: Sequence[bool],
        location: LocationAttr, body: BodyBuilder, scope: Scope | None = None,
    ) -> Outputs:  # fmt: skip
        """The outputs of a node, whose ops are added to `body`. Raises VerifyException if the node is invalid."""
        key = proto.domain, proto.op_type, opset
        if (found := self._found.get(key)) is None:
            if (handler := self.handler_of(*key)) is None:
                if self.opaque is not None:
                    return self.opaque.made(proto, opset, inputs, wanted, location, body, _stated(scope))
                way = WAYS.get(proto.op_type)
                raise VerifyException(f"the operator is not supported{f'; {way}' if way else ''}")
            found = self._found[key] = handler, self._signature_of(*key)
        handler, known = found
        if known is None:
            known = _signature(self.own[key[:2]], proto)
        if self.opaque is None:
            return handler(OnnxNode(proto, known, inputs, wanted, location, body, scope))
        last = body.block.last_op
        try:
            return handler(OnnxNode(proto, known, inputs, wanted, location, body, scope))
        except VerifyException as refused:
            if why_never(proto, opset) is not None:
                raise
            body.undo(last, inputs)
            try:
                made = self.opaque.made(proto, opset, inputs, wanted, location, body, _stated(scope))
            except VerifyException:
                raise refused from None  # why it is no opaque op either is no help
            if self._noted.setdefault((proto.op_type, str(refused)), proto) is proto:
                note(f"{proto.op_type} is opaque here, since {refused}", body.path)
            return made


def _stated(scope: Scope | None) -> Mapping[str, TypeProto]:
    """The types that a node's graph states, by name."""
    return {} if scope is None else scope.stated


def _opset(imports: Sequence[OperatorSetIdProto], user: int) -> int:
    """The opset of the main domain in a definition, as the handlers read it: an operator of an older one is read as of
    the oldest. `user`: the opset of the nodes that use the definition, for one that states none."""
    return max(OLDEST_OPSET, next((each.version for each in imports if each.domain in MAIN), user))


def _has_handler(domain: str, op_type: str, opset: int) -> bool:
    if f"{domain}.{op_type}" in FOREIGN:
        return True
    known = signature(op_type, opset) if domain in MAIN else None
    return known is not None and op_type in OPERATORS and known.since <= OPERATORS[op_type].newest


@cache
def _is_defined(domain: str, op_type: str, opset: int) -> bool:
    """True if the standard defines the operator by others that are supported."""
    schema = schema_of(domain, op_type, opset)
    return (
        schema is not None
        and op_type not in WAYS
        and bool(schema.has_function or schema.has_context_dependent_function)
    )


@cache
def _fixed(domain: str, op_type: str, opset: int) -> Definition | None:
    """The standard's definition of an operator, if it does not depend on the node's attributes and operand types."""
    schema = schema_of(domain, op_type, opset)
    if schema is None or not schema.has_function:
        return None
    text: bytes = schema.get_function_with_opset_version(_version(schema.function_opset_versions, opset))
    function = FunctionProto.FromString(text)
    return Definition(function, _opset(function.opset_import, opset))


def _version(versions: Sequence[int], opset: int) -> int:
    """The newest of several versions of a definition that an opset may use, or else the oldest."""
    return max((version for version in versions if version <= opset), default=min(versions))


def _definition(node: OnnxNode, opset: int) -> Definition:
    """The standard's definition of a node's operator."""
    domain, op_type = node.proto.domain, node.proto.op_type
    if (fixed := _fixed(domain, op_type, opset)) is not None:
        return fixed
    schema = schema_of(domain, op_type, opset)
    assert schema is not None
    types = [onnx_type(value).SerializeToString() for value in node.inputs]
    text: bytes = schema.get_context_dependent_function_with_opset_version(
        _version(schema.context_dependent_function_opset_versions, opset), node.proto.SerializeToString(), types
    )
    function = FunctionProto.FromString(text)
    if not function.node:
        node.fail("the standard's definition does not apply to these operands and attributes")
    return Definition(function, _opset(function.opset_import, opset))


def _bound(inner: NodeProto, node: OnnxNode) -> NodeProto:
    """A node of a definition, with the attributes of the defined `node` in place of references to them; an attribute
    that has no value is left out."""
    if not any(attribute.ref_attr_name for attribute in inner.attribute):
        return inner
    bound = NodeProto()
    bound.CopyFrom(inner)
    del bound.attribute[:]
    for attribute in inner.attribute:
        if not attribute.ref_attr_name:
            bound.attribute.append(attribute)
        elif (given := node.attribute(attribute.ref_attr_name)) is not None:
            renamed = AttributeProto()
            renamed.CopyFrom(given)
            renamed.name = attribute.name
            bound.attribute.append(renamed)
    return bound


def _signature(own: Definition, node: NodeProto) -> Signature:
    """The signature of a model's own function."""
    function = own.function
    defaults = {attribute.name: attribute for attribute in function.attribute_proto}
    given = {
        attribute.name: int(attribute.type) for attribute in node.attribute if attribute.name in function.attribute
    }
    return Signature(
        since=own.opset,
        inputs=(0, len(function.input)),
        outputs=(0, len(function.output)),
        types=given | {name: int(attribute.type) for name, attribute in defaults.items()},
        required=frozenset(function.attribute),
        defaults=defaults,
    )
