"""Graphs inside of nodes (bodies of loops, branches): their nodes, the names that they read from outside, and their
import into a body of ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, TypeProto, ValueInfoProto
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from ndpir.frontends.onnx.builder import BodyBuilder
from ndpir.frontends.onnx.tensors import TensorError


class Operators(Protocol):
    """What imports nodes: `Functions` (ndpir/frontends/onnx/functions.py)."""

    def made(
        self, proto: NodeProto, opset: int, inputs: Sequence[SSAValue | None], wanted: Sequence[bool],
        location: LocationAttr, body: BodyBuilder, scope: Scope | None = None,
    ) -> SSAValue | Sequence[SSAValue | None]:  # fmt: skip
        """The outputs of a node, whose ops are added to `body`."""
        ...


def graphs_of(node: NodeProto) -> Iterator[GraphProto]:
    """The graphs that are attributes of a node."""
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            yield attribute.g
        elif attribute.type == AttributeProto.GRAPHS:
            yield from attribute.graphs


def all_nodes(graph: GraphProto) -> Iterator[NodeProto]:
    """The nodes of a graph and of the graphs inside of its nodes."""
    waiting = [graph]
    for each in waiting:
        for node in each.node:
            yield node
            waiting += graphs_of(node)


def read_by(node: NodeProto) -> list[str]:
    """The names that a node reads from its graph: its inputs, and what the graphs inside of it read from outside."""
    names = [name for name in node.input if name]
    for graph in graphs_of(node):
        own = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
        own |= {name for inner in graph.node for name in inner.output}
        inside = [name for inner in graph.node for name in read_by(inner)]
        names += [name for name in (*inside, *(value.name for value in graph.output)) if name and name not in own]
    return names


@dataclass(frozen=True)
class Scope:
    """What a node can see: the definitions of operators, the opset, and the values of its graph by name."""

    functions: Operators
    opset: int
    lookup: Callable[[str], SSAValue | None]
    stated: Mapping[str, TypeProto] = field(default_factory=dict[str, TypeProto])
    """The types that its graph states, by name."""

    def values(
        self, graph: GraphProto, wanted: Sequence[str], given: Mapping[str, SSAValue], body: BodyBuilder,
        location: LocationAttr,
    ) -> list[SSAValue]:  # fmt: skip
        """The values named `wanted` of a graph, whose nodes that they need are imported into `body`. `given`: the
        values of the graph's inputs. Raises VerifyException for an invalid graph."""
        values = dict(given)
        initialisers = {tensor.name: tensor for tensor in graph.initializer}

        def value_of(name: str) -> SSAValue | None:
            if name not in values and name in initialisers:
                values[name] = _tensor(initialisers[name], body, location)
            return values[name] if name in values else self.lookup(name)

        needed = needed_nodes(graph, wanted)
        outer = Scope(self.functions, self.opset, value_of, stated_in((*graph.value_info, *graph.output)))
        for node in needed:
            inputs = [value_of(name) if name else None for name in node.input]
            for name, value in zip(node.input, inputs, strict=True):
                if name and value is None:
                    raise VerifyException(f"{node.op_type}: nothing before it in its graph gives its input `{name}`")
            try:
                made = self.functions.made(
                    node, self.opset, inputs, [bool(name) for name in node.output], location, body, outer
                )
            except VerifyException as error:
                raise VerifyException(f"{node.op_type} inside of it: {error}") from None
            results = [made] if isinstance(made, SSAValue) else made
            values |= {name: value for name, value in zip(node.output, results, strict=False) if value is not None}
        found = [value_of(name) for name in wanted]
        if None in found:
            raise VerifyException(f"no node of its graph gives the output `{wanted[found.index(None)]}`")
        return [value for value in found if value is not None]


def stated_in(values: Sequence[ValueInfoProto]) -> dict[str, TypeProto]:
    """The types of values, by name."""
    return {value.name: value.type for value in values}


def needed_nodes(graph: GraphProto, wanted: Sequence[str]) -> list[NodeProto]:
    """The nodes of a graph that values named `wanted` depend on, in order."""
    names, kept = set(wanted), list[NodeProto]()
    for node in reversed(graph.node):
        if names.intersection(node.output):
            kept.append(node)
            names.update(read_by(node))
    return kept[::-1]


def needed_names(graph: GraphProto, wanted: Sequence[str]) -> set[str]:
    """The names that values named `wanted` depend on, these included."""
    return {*wanted, *(name for node in needed_nodes(graph, wanted) for name in read_by(node))}


def _tensor(tensor: TensorProto, body: BodyBuilder, location: LocationAttr) -> SSAValue:
    try:
        return body.tensor(tensor, tensor.name, location)
    except TensorError as error:
        raise VerifyException(f"the initialiser `{tensor.name}` inside of it {error}") from None
